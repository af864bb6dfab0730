//! Constants: numbers that shape the design, and parameters that have parts or elements.
//!
//! A parameter with parts or elements is a variable that never changes. If its value is read at a constant index, it is a constant, and
//! shapes the design. If a computed index reads it, it is a table: logic, with mutants. A table that is also read as a constant has no
//! mutants.

use hyperkill_core::term::TermId;

use crate::ast::{ExprId, ExprKind};
use crate::design::{Entity, Run, ScopeId, Stop, VarId, WordId};
use crate::layout::Layout;
use crate::number::{Digit, Literal};
use crate::state::{Elaborator, Mode};

impl Elaborator<'_> {
    /// Returns the value of a word of a parameter; `None` if the word is of no parameter, or its value is unknown.
    ///
    /// Mutants change tables only in logic, so a table with mutants is a constant only inside constants.
    pub(super) fn constant_word(&mut self, word: WordId) -> Run<Option<TermId>> {
        let (var, ..) = self.design.elements[word.0];
        let Some((scope, value)) = self.constants.value(var) else {
            return Ok(None);
        };
        if self.mode != Mode::Constant && self.has_mutants(value) {
            return Ok(None);
        }
        self.constants.fix(var);
        if let Some(known) = self.constants.word(word) {
            return Ok(Some(known));
        }
        if !self.constants.begin(var) {
            let message = "this parameter needs its own value";
            return Err(Stop::at(self.span(value), message));
        }
        let words = self.constant_words(var, scope, value);
        self.constants.end(var);
        match words {
            Ok(words) => self.constants.know(words),
            Err(stop) if self.mode == Mode::Constant => return Err(stop),
            // A part of the value is unknown.
            Err(_) => return Ok(None),
        }
        Ok(self.constants.word(word))
    }

    /// Returns the words of the parameter `var` with their values: `value` is evaluated as a constant in `scope`.
    fn constant_words(
        &mut self,
        var: VarId,
        scope: ScopeId,
        value: ExprId,
    ) -> Run<Vec<(WordId, TermId)>> {
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let env = std::mem::take(&mut self.env);
        let path = self.path.take();
        let layout = self.layout_of_var(var);
        let array = self.whole_array(var);
        let made = self.within(scope, |this| match &array {
            Some(array) => {
                let values = this.array_value(value, &array.dimensions, &layout)?;
                Ok(this.words_of(array).into_iter().zip(values).collect())
            }
            None => {
                let made = this.fitted(value, &layout)?;
                Ok(vec![(this.word_of(var, 0), made)])
            }
        });
        (self.mode, self.env, self.path) = (mode, env, path);
        made
    }

    /// Whether a part of an expression has mutants.
    fn has_mutants(&mut self, value: ExprId) -> bool {
        let (source, plan) = (self.source, self.plan);
        self.constants.is_mutated(value, || {
            let extent = source.expr(value).extent;
            let mut places = plan.exprs.keys();
            places.any(|place| extent.holds(source.expr(*place).extent))
        })
    }

    /// Returns the value of a constant expression, in an assignment to a target with this layout.
    pub(super) fn constant_of(&mut self, value: ExprId, layout: &Layout) -> Run<Literal> {
        if !self.is_pattern(value) {
            return self.constant_at(value, layout.width() as u32);
        }
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let made = self.fitted(value, layout);
        self.mode = mode;
        self.literal_of_term(made?, layout.signed)
    }

    /// Returns the value of a constant expression, with its x and z digits.
    pub(crate) fn constant(&mut self, expr: ExprId) -> Run<Literal> {
        self.constant_at(expr, 1)
    }

    /// Returns the value of a constant expression at a width, which may be wider than the expression itself.
    pub(crate) fn constant_at(&mut self, expr: ExprId, width: u32) -> Run<Literal> {
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let result = self.constant_here(expr, width);
        self.mode = mode;
        result
    }

    fn constant_here(&mut self, expr: ExprId, width: u32) -> Run<Literal> {
        let source = self.source;
        match &source.expr(expr).kind {
            ExprKind::Number(literal) => return Ok(literal.clone()),
            ExprKind::Name(path) if path.len() == 1 => {
                let place = self.span(expr);
                if let Some(Entity::Constant(literal)) = self.find(&path[0].name, place)? {
                    return Ok(literal);
                }
            }
            ExprKind::Concat(parts) if parts.iter().any(|part| self.has_unknown(*part)) => {
                let mut digits = Vec::new();
                for part in parts.iter().rev() {
                    digits.extend(self.constant_here(*part, 1)?.digits);
                }
                return Ok(Literal {
                    digits,
                    signed: false,
                    sized: true,
                    fill: false,
                });
            }
            _ => {}
        }
        let shape = self.shape(expr)?;
        let term = self.eval(expr, shape.width.max(width), shape.signed)?;
        self.literal_of_term(term, shape.signed)
    }

    /// Returns a constant term as a number.
    fn literal_of_term(&mut self, term: TermId, signed: bool) -> Run<Literal> {
        if let Some(bits) = self.design.words.constant(term) {
            return Ok(Elaborator::literal_of(&bits, signed));
        }
        // The value is unknown (X): a quotient by 0, or an expression that depends on one.
        let width = self.design.words.width(term);
        let mut digits = Vec::new();
        for bit in 0..width {
            let bit = self.design.words.slice(term, bit, 1)?;
            digits.push(match self.design.words.constant(bit).as_deref() {
                Some([true]) => Digit::One,
                Some(_) => Digit::Zero,
                None => Digit::X,
            });
        }
        Ok(Literal {
            digits,
            signed,
            sized: true,
            fill: false,
        })
    }

    /// Whether a constant is true: at least one of its bits is 1. An unknown bit is not (IEEE 1800-2017 §12.4).
    pub(crate) fn holds(&mut self, expr: ExprId) -> Run<bool> {
        Ok(self.constant(expr)?.digits.contains(&Digit::One))
    }

    /// Returns the value of a constant integer expression.
    pub(crate) fn integer(&mut self, expr: ExprId) -> Run<i64> {
        let literal = self.constant(expr)?;
        if literal.has_unknown() {
            let message = "this number is unknown: it is x, or a quotient by 0";
            return Err(Stop::at(self.span(expr), message));
        }
        let bits: Vec<bool> = literal
            .digits
            .iter()
            .map(|digit| *digit == Digit::One)
            .collect();
        let term = self.design.words.bits(&bits);
        let value = self.design.words.value(term, literal.signed);
        value.ok_or_else(|| Stop::at(self.span(expr), "this number is too large"))
    }
}
