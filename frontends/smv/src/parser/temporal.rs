//! Operators of CTL, real-time CTL and LTL: `AG p`, `A [p U q]`, `EBF 1..3 p`, `p S q`, `MIN [p, q]`.
//!
//! The parser does not check that a formula belongs to its logic.

use hyperkill_frontend::Diagnostic;

use super::Parser;
use crate::ast::{ExprId, ExprKind, Level, TemporalForm, TemporalOp};
use crate::lexer::TokenKind;

const PREFIXES: &[&str] = &[
    "EX", "AX", "EF", "AF", "EG", "AG", "X", "F", "G", "H", "O", "Y", "Z",
];
const BOUNDED: &[&str] = &["EBF", "ABF", "EBG", "ABG"];
const INFIXES: &[&str] = &["U", "V", "S", "T"];

impl Parser<'_> {
    /// Whether the next token begins a temporal expression: a prefix operator, `A`, `E`, `MIN` or `MAX`.
    pub(super) fn at_temporal(&self) -> bool {
        match self.tokens.kind(0) {
            TokenKind::Keyword(k) => {
                PREFIXES.contains(&k)
                    || BOUNDED.contains(&k)
                    || matches!(k, "A" | "E" | "MIN" | "MAX")
            }
            _ => false,
        }
    }

    /// Returns the temporal infix operator at the cursor; `None` if there is none. Inside `A [p U q]` the word `U` ends an operand.
    pub(super) fn at_until(&self) -> Option<&'static str> {
        match self.tokens.kind(0) {
            TokenKind::Keyword(k) if INFIXES.contains(&k) && !self.quantified => Some(k),
            _ => None,
        }
    }

    /// Parses the temporal prefix operator at the cursor; `None` if there is none.
    pub(super) fn temporal(&mut self) -> Result<Option<TemporalOp>, Diagnostic> {
        let TokenKind::Keyword(word) = self.tokens.kind(0) else {
            return Ok(None);
        };
        if !self.at_temporal() {
            return Ok(None);
        }
        self.tokens.bump();
        let (form, bounds) = if BOUNDED.contains(&word) {
            (TemporalForm::BoundedPrefix, Some(self.range_bounds("..")?))
        } else if matches!(word, "A" | "E") {
            (TemporalForm::Quantified("U"), None)
        } else if matches!(word, "MIN" | "MAX") {
            (TemporalForm::Measure, None)
        } else if self.tokens.is("[")
            && self.tokens.kind(1) == TokenKind::Number
            && self.tokens.kind(2) == TokenKind::Sign(",")
        {
            self.tokens.bump();
            let bounds = self.range_bounds(",")?;
            self.expect_sign("]")?;
            (TemporalForm::Prefix, Some(bounds))
        } else {
            (TemporalForm::Prefix, None)
        };
        Ok(Some(TemporalOp { word, form, bounds }))
    }

    fn range_bounds(&mut self, between: &str) -> Result<(i64, i64), Diagnostic> {
        let low = self.signed_number()?;
        self.expect_sign(between)?;
        Ok((low, self.signed_number()?))
    }

    /// Parses the operands of an operator.
    pub(super) fn temporal_operands(&mut self, mut op: TemporalOp) -> Result<ExprId, Diagnostic> {
        let start = self.tokens.previous();
        let operands = match op.form {
            TemporalForm::Measure => {
                self.expect_sign("[")?;
                self.list("]")?
            }
            TemporalForm::Quantified(_) => {
                self.expect_sign("[")?;
                let outside = std::mem::replace(&mut self.quantified, true);
                let operands = self.quantified_operands(&mut op);
                self.quantified = outside;
                let operands = operands?;
                self.expect_sign("]")?;
                operands
            }
            _ => vec![self.expression(Level::TEMPORAL)?],
        };
        let span = self.tokens.since(start);
        self.add(ExprKind::Temporal(op, operands), span)
    }

    fn quantified_operands(&mut self, op: &mut TemporalOp) -> Result<Vec<ExprId>, Diagnostic> {
        let left = self.expression(Level::IMPLIES)?;
        match self.tokens.kind(0) {
            TokenKind::Keyword("U") => {
                self.tokens.bump();
            }
            TokenKind::Keyword("BU") => {
                self.tokens.bump();
                op.form = TemporalForm::Quantified("BU");
                op.bounds = Some(self.range_bounds("..")?);
            }
            _ => return Err(self.tokens.unexpected("`U`")),
        }
        Ok(vec![left, self.expression(Level::IMPLIES)?])
    }
}
