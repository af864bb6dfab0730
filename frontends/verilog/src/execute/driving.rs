//! The expressions that drive the bits of nets, so that the path of a clock is known in the source.

use super::target::Target;
use crate::ast::{ExprId, ExprKind};
use crate::design::{Driving, Run, VarId};
use crate::state::Elaborator;

/// A part of a value: the bits from `low` up to `end`, and the expression that has exactly these.
struct Piece {
    low: u32,
    end: u32,
    expr: ExprId,
    /// Whether the expression joins other pieces.
    joins: bool,
}

impl Elaborator<'_> {
    /// Records the expressions that drive the targets of a continuous assignment; the most significant target is first.
    pub(super) fn record_driving(&mut self, targets: &[Target], value: ExprId) -> Run<()> {
        let pieces = self.pieces(value)?;
        let mut low = 0;
        for target in targets.iter().rev() {
            let end = target.width.saturating_add(low);
            let var = target.var();
            let place = self
                .place_of(target)
                .filter(|_| self.whole_array(var).is_none());
            for piece in &pieces {
                let (first, last) = (piece.low.max(low), piece.end.min(end));
                if first < last {
                    let bits = place.map(|(_, at, _)| at + first - low..at + last - low);
                    self.design.driving.push(Driving {
                        var,
                        bits,
                        value: piece.expr,
                        joins: piece.joins,
                    });
                }
            }
            low = end;
        }
        Ok(())
    }

    /// Records the expression that drives all bits of a variable.
    pub(super) fn record_driving_of(&mut self, var: VarId, value: ExprId) {
        self.design.driving.push(Driving {
            var,
            bits: None,
            value,
            joins: false,
        });
    }

    /// Returns the pieces of a value. A concatenation is a piece that joins its parts; any other value is one piece without an end.
    fn pieces(&mut self, value: ExprId) -> Run<Vec<Piece>> {
        let source = self.source;
        let mut pieces = Vec::new();
        // The parts still to take apart, with their lowest bits.
        let mut open = vec![(value, 0, u32::MAX)];
        while let Some((expr, low, end)) = open.pop() {
            let ExprKind::Concat(parts) = &source.expr(expr).kind else {
                let joins = false;
                pieces.push(Piece {
                    low,
                    end,
                    expr,
                    joins,
                });
                continue;
            };
            let mut at = low;
            for part in parts.iter().rev() {
                if self.is_nothing(*part)? {
                    continue;
                }
                let next = self.shape(*part)?.width.saturating_add(at);
                open.push((*part, at, next));
                at = next;
            }
            let joins = true;
            pieces.push(Piece {
                low,
                end,
                expr,
                joins,
            });
        }
        Ok(pieces)
    }
}
