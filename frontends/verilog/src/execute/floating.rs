//! Tri-state in continuous assignments: `enable ? value : 'z` is a value and, bit by bit, whether it is driven.

use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;

use super::process::joined;
use super::target::Target;
use crate::ast::{ExprId, ExprKind};
use crate::design::{Partial, Run, Stop};
use crate::number::Digit;
use crate::state::Elaborator;

/// A value, and the mask of its driven bits.
type Floating = (TermId, TermId);

impl Elaborator<'_> {
    /// Whether a continuous assignment of this value leaves bits undriven at times: it contains a `z` that no operator reads.
    pub(super) fn floats(&self, expr: ExprId) -> bool {
        match &self.source.expr(expr).kind {
            ExprKind::Number(literal) => literal.digits.contains(&Digit::Z),
            ExprKind::Conditional(_, a, b) => self.floats(*a) || self.floats(*b),
            ExprKind::Concat(parts) | ExprKind::Repeat(_, parts) => {
                parts.iter().any(|part| self.floats(*part))
            }
            _ => false,
        }
    }

    /// Returns the value of an expression, 0 in undriven bits, and the mask of its driven bits.
    pub(super) fn floating(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<Floating> {
        if !self.floats(expr) {
            let value = self.eval(expr, width, signed)?;
            return Ok((value, self.design.words.ones(width)));
        }
        self.note(expr);
        let mut found = self.floating_here(expr, width, signed)?;
        for choice in self.alternatives(expr).into_iter().rev() {
            let mutated = self.mutated(&choice, |this| {
                this.same_shape(expr, choice.with)?;
                this.floating(choice.with, width, signed)
            });
            match mutated {
                Ok((value, driven)) => {
                    let value = self.behind(&choice.mutants, Ok(value), found.0)?;
                    let driven = self.behind(&choice.mutants, Ok(driven), found.1)?;
                    found = (value, driven);
                }
                Err(stop) => {
                    self.behind(&choice.mutants, Err(stop), found.0)?;
                }
            }
        }
        Ok(found)
    }

    fn floating_here(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<Floating> {
        let source = self.source;
        match &source.expr(expr).kind {
            ExprKind::Number(literal) => {
                let digits = literal.at_width(width as usize, signed && literal.signed);
                if digits.contains(&Digit::X) {
                    let message = "`x` and `z` in one number are not supported";
                    return Err(Stop::at(self.span(expr), message));
                }
                let ones: Vec<bool> = digits.iter().map(|d| *d == Digit::One).collect();
                let driven: Vec<bool> = digits.iter().map(|d| *d != Digit::Z).collect();
                let words = &mut self.design.words;
                Ok((words.bits(&ones), words.bits(&driven)))
            }
            ExprKind::Conditional(condition, a, b) => {
                let condition = self.truth(*condition)?;
                let (a, a_driven) = self.floating(*a, width, signed)?;
                let (b, b_driven) = self.floating(*b, width, signed)?;
                let words = &mut self.design.words;
                let value = words.ite(condition, a, b)?;
                Ok((value, words.ite(condition, a_driven, b_driven)?))
            }
            ExprKind::Concat(parts) => self.floating_parts(parts, 1, expr, width),
            ExprKind::Repeat(times, parts) => {
                let times = self.integer(*times)?;
                self.floating_parts(parts, times, expr, width)
            }
            _ => Err(Stop::at(
                self.span(expr),
                "tri-state (`z`) is not supported",
            )),
        }
    }

    fn floating_parts(
        &mut self,
        parts: &[ExprId],
        times: i64,
        expr: ExprId,
        width: u32,
    ) -> Run<Floating> {
        // Refuses too many bits.
        self.shape(expr)?;
        let mut found: Option<Floating> = None;
        for _ in 0..times {
            for part in parts {
                let shape = self.shape(*part)?;
                let (value, driven) = self.floating(*part, shape.width, shape.signed)?;
                let words = &mut self.design.words;
                found = Some(match found {
                    None => (value, driven),
                    Some((high, above)) => {
                        (words.concat(high, value)?, words.concat(above, driven)?)
                    }
                });
            }
        }
        let Some((value, driven)) = found else {
            return Err(Stop::at(self.span(expr), "an empty concatenation"));
        };
        let words = &mut self.design.words;
        let (own, value) = (words.width(driven), words.resize(value, width, false)?);
        // Bits added by extension are 0, and driven.
        let above = words.ones(width.saturating_sub(own).max(1));
        let driven = match width > own {
            true => words.concat(above, driven)?,
            false => words.slice(driven, 0, width)?,
        };
        Ok((value, driven))
    }

    /// Notes a driver at times of some nets. The set of drivers is complete after all processes.
    pub(super) fn drive_at_times(
        &mut self,
        targets: &[Target],
        (value, driven): Floating,
        place: Span,
    ) -> Run<()> {
        self.assign_all(targets, value, true)?;
        let values = std::mem::take(&mut self.env.blocking);
        let written = std::mem::take(&mut self.written);
        self.assign_all(targets, driven, true)?;
        let enables = std::mem::take(&mut self.env.blocking);
        self.written.clear();
        for (word, ranges) in written {
            let (Some(value), Some(driven)) = (values.get(&word), enables.get(&word)) else {
                continue;
            };
            for (low, width) in joined(ranges) {
                let value = self.design.words.slice(*value, low, width)?;
                let driven = self.design.words.slice(*driven, low, width)?;
                self.made.partial.entry(word).or_default().push(Partial {
                    low,
                    width,
                    value,
                    driven,
                    place,
                });
            }
        }
        Ok(())
    }

    /// Returns the output of `bufif1 (output, data, control)` and similar gates (IEEE 1364-2005 §7.4): its value, and the mask of its
    /// driven bits. `None` for other gates.
    ///
    /// # Errors
    /// If the gate has a wrong number of inputs.
    pub(super) fn gate_at_times(&mut self, gate: &str, inputs: &[ExprId]) -> Run<Option<Floating>> {
        if !matches!(gate, "bufif0" | "bufif1" | "notif0" | "notif1") {
            return Ok(None);
        }
        let [data, control] = inputs else {
            let place = inputs.first().map(|input| self.span(*input));
            let message = "this gate has an output, an input and a control";
            return Err(Stop::at(place.unwrap_or_default(), message));
        };
        let (data, _) = self.value(*data)?;
        let (control, _) = self.value(*control)?;
        let words = &mut self.design.words;
        let mut value = words.slice(data, 0, 1)?;
        let mut driven = words.slice(control, 0, 1)?;
        if gate.starts_with("not") {
            value = words.not(value)?;
        }
        if gate.ends_with('0') {
            driven = words.not(driven)?;
        }
        let value = words.bitwise(Core::And, value, driven)?;
        Ok(Some((value, driven)))
    }
}
