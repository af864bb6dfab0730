//! System functions: types and bounds (IEEE 1800-2017 §20.6 and §20.7), bits (§20.9), and conversions.

use hyperkill_core::term::{BinaryOp as Core, TermId};

use super::expression::Shape;
use crate::ast::{ExprId, ExprKind};
use crate::design::{Entity, Run, Stop};
use crate::state::{Elaborator, Mode};

/// The extents of a type or a variable, for system functions: bounds of its dimensions, the outermost first, and its bits.
struct Extents {
    dimensions: Vec<(i64, i64)>,
    unpacked: usize,
    bits: u64,
}

impl Elaborator<'_> {
    /// Returns the width and sign of a system function's result.
    ///
    /// # Errors
    /// If the function is not supported, or has a wrong number of arguments.
    pub(super) fn system_shape(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        expr: ExprId,
    ) -> Run<Shape> {
        if let Some(shape) = self.sampled_shape(name, arguments)? {
            return Ok(shape);
        }
        Ok(match (name, arguments) {
            ("$signed", [a]) => Shape {
                signed: true,
                ..self.shape(*a)?
            },
            ("$unsigned", [a]) => Shape::unsigned(self.shape(*a)?.width),
            ("$onehot" | "$onehot0" | "$isunknown", [_]) => Shape::unsigned(1),
            ("$urandom", _) => Shape::unsigned(32),
            ("$time", _) => Shape::unsigned(64),
            (
                "$clog2"
                | "$random"
                | "$countones"
                | "$bits"
                | "$size"
                | "$left"
                | "$right"
                | "$low"
                | "$high"
                | "$increment"
                | "$dimensions"
                | "$unpacked_dimensions",
                _,
            ) => Shape {
                width: 32,
                signed: true,
            },
            _ => return Err(self.no_such_function(name, expr)),
        })
    }

    fn no_such_function(&self, name: &str, expr: ExprId) -> Stop {
        Stop::at(self.span(expr), format!("`{name}` is not supported"))
    }

    /// Returns the value of a system function, at its own width.
    ///
    /// # Errors
    /// If the function is not supported, or has wrong arguments.
    pub(super) fn system_value(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        expr: ExprId,
    ) -> Run<TermId> {
        if let Some(value) = self.sampled_value(name, arguments, expr)? {
            return Ok(value);
        }
        let number = match (name, arguments) {
            ("$signed" | "$unsigned", [a]) => return Ok(self.value(*a)?.0),
            ("$random" | "$urandom", _) => return Ok(self.unknown(32)),
            ("$onehot" | "$onehot0" | "$countones", [a]) => {
                return self.ones(name, *a);
            }
            // No value is ever unknown here.
            ("$isunknown", [_]) => return Ok(self.design.words.number(0, 1)),
            ("$clog2", [a]) => self.log(*a)?,
            ("$bits", [a]) => self.extents(*a)?.bits as i64,
            ("$dimensions", [a]) => self.extents(*a)?.dimensions.len() as i64,
            ("$unpacked_dimensions", [a]) => self.extents(*a)?.unpacked as i64,
            ("$size" | "$left" | "$right" | "$low" | "$high" | "$increment", [a, which @ ..]) => {
                let which = match which {
                    [] => 1,
                    [which, ..] => self.integer(*which)?,
                };
                let extents = self.extents(*a)?;
                let at = usize::try_from(which - 1).ok();
                let Some((left, right)) = at.and_then(|at| extents.dimensions.get(at).copied())
                else {
                    let message = format!("`{name}`: there is no dimension {which}");
                    return Err(Stop::at(self.span(expr), message));
                };
                match name {
                    "$size" => left.abs_diff(right) as i64 + 1,
                    "$left" => left,
                    "$right" => right,
                    "$low" => left.min(right),
                    "$high" => left.max(right),
                    _ => match left >= right {
                        true => 1,
                        false => -1,
                    },
                }
            }
            _ => return Err(self.no_such_function(name, expr)),
        };
        Ok(self.design.words.number(number as u64, 32))
    }

    fn log(&mut self, of: ExprId) -> Run<i64> {
        // The value shapes the design: it is evaluated as a constant, without mutants.
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let found = self.value(of);
        self.mode = mode;
        let value = found.ok().and_then(|(value, shape)| {
            let value = self.design.words.value(value, shape.signed);
            value.map(|n| u64::try_from(n).unwrap_or(0))
        });
        let Some(n) = value else {
            let message = "the operand of `$clog2` is not a known constant: it changes, is x, or a quotient by 0";
            return Err(Stop::at(self.span(of), message));
        };
        Ok(match n {
            0 => 0,
            _ => i64::from(u64::BITS - (n - 1).leading_zeros()),
        })
    }

    /// Returns the number of ones in a value, or whether that number is 1, or at most 1.
    fn ones(&mut self, name: &str, of: ExprId) -> Run<TermId> {
        let (value, shape) = self.value(of)?;
        let words = &mut self.design.words;
        let mut sum = words.number(0, 32);
        for bit in 0..shape.width {
            let bit = words.slice(value, bit, 1)?;
            let bit = words.resize(bit, 32, false)?;
            sum = words.arithmetic(Core::Add, sum, bit, false)?;
        }
        let truth = match name {
            "$countones" => return Ok(sum),
            "$onehot" => {
                let one = words.number(1, 32);
                words.equal(sum, one)?
            }
            _ => {
                let two = words.number(2, 32);
                words.less(sum, two, false)?
            }
        };
        words.of_truth(truth).map_err(Stop::from)
    }

    /// Returns the bounds of the dimensions of an expression, the outermost first.
    pub(super) fn dimensions_of(&mut self, of: ExprId) -> Run<Vec<(i64, i64)>> {
        Ok(self.extents(of)?.dimensions)
    }

    /// Returns the dimensions and bits of a type, a variable, or any value.
    fn extents(&mut self, of: ExprId) -> Run<Extents> {
        if let ExprKind::Name(path) = &self.source.expr(of).kind
            && let [step] = path.as_slice()
            && let Some(Entity::Type(layout)) = self.find(&step.name, self.span(of))?
        {
            return Ok(Extents {
                dimensions: layout.dimensions(),
                unpacked: 0,
                bits: layout.width(),
            });
        }
        if let Some(stretch) = self.stretch(of)? {
            let mut dimensions = stretch.dimensions.clone();
            let unpacked = dimensions.len();
            let layout = self.layout_of_var(stretch.var);
            dimensions.extend(layout.dimensions());
            let bits = layout.width().saturating_mul(u64::from(stretch.count()));
            return Ok(Extents {
                dimensions,
                unpacked,
                bits,
            });
        }
        let layout = self.value_layout(of)?;
        Ok(Extents {
            dimensions: layout.dimensions(),
            unpacked: 0,
            bits: layout.width(),
        })
    }
}
