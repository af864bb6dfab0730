//! Expressions: widths and signs first, then values (IEEE 1364-2005 §5.4 and §5.5).

use std::rc::Rc;

use hyperkill_core::sort::MAX_WORD;
use hyperkill_core::term::{BinaryOp as Core, TermId};

use crate::ast::{BinaryOp, CaseKind, Cast, ExprId, ExprKind, UnaryOp};
use crate::design::{Entity, Run, Stop};
use crate::layout::Layout;
use crate::number::{Digit, Literal};
use crate::state::{Around, Choice, Elaborator, Mode};

/// Width and sign of an expression by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Bits.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
}

impl Shape {
    pub(crate) fn unsigned(width: u32) -> Shape {
        Shape {
            width,
            signed: false,
        }
    }

    fn with(self, other: Shape) -> Shape {
        Shape {
            width: self.width.max(other.width),
            signed: self.signed && other.signed,
        }
    }
}

impl Elaborator<'_> {
    /// Returns the width and sign of an expression by itself.
    pub(crate) fn shape(&mut self, expr: ExprId) -> Run<Shape> {
        let source = self.source;
        Ok(match &source.expr(expr).kind {
            ExprKind::Number(literal) => Shape {
                width: literal.width(),
                signed: literal.signed,
            },
            ExprKind::Text(text) => Shape::unsigned((text.len() as u32 * 8).max(8)),
            ExprKind::Real(_) => {
                return Err(Stop::at(self.span(expr), "real numbers are not supported"));
            }
            ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Part(..)
            | ExprKind::Indexed { .. } => self.selection_shape(expr)?,
            ExprKind::Unary(UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement, a) => {
                self.shape(*a)?
            }
            ExprKind::Unary(..) => Shape::unsigned(1),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Xnor => self.shape(*a)?.with(self.shape(*b)?),
                BinaryOp::Power
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight
                | BinaryOp::ShiftRightSigned => self.shape(*a)?,
                _ => Shape::unsigned(1),
            },
            ExprKind::Conditional(_, a, b) => self.shape(*a)?.with(self.shape(*b)?),
            ExprKind::Concat(parts) => Shape::unsigned(self.total_width(parts, expr)?),
            ExprKind::Repeat(count, parts) => {
                let count = self.integer(*count)?;
                let width = self.total_width(parts, expr)?;
                match u32::try_from(count)
                    .ok()
                    .and_then(|count| count.checked_mul(width))
                {
                    Some(width @ 1..=MAX_WORD) => Shape::unsigned(width),
                    Some(0) => {
                        return Err(Stop::at(
                            self.span(expr),
                            "a replication of 0 times that is no part of a concatenation",
                        ));
                    }
                    _ => {
                        let message =
                            format!("{count} times {width} bits are more than {MAX_WORD}");
                        return Err(Stop::at(self.span(expr), message));
                    }
                }
            }
            ExprKind::Stream(_, _, parts) => Shape::unsigned(self.total_width(parts, expr)?),
            ExprKind::Argument(..) => {
                let message = "an argument by name belongs to a function or task of the design";
                return Err(Stop::at(self.span(expr), message));
            }
            ExprKind::Call(path, _) => self.call_shape(path, expr)?,
            ExprKind::Cast(to, value) => match to {
                Cast::Size(size) => self.cast_shape(*size, *value, expr)?,
                Cast::Type(of) => {
                    let layout = self.layout(of, self.span(expr))?;
                    Shape {
                        width: layout.width() as u32,
                        signed: layout.signed,
                    }
                }
            },
            ExprKind::Inside(..) => Shape::unsigned(1),
            ExprKind::Range(..) => {
                let message = "a range of values cannot be used as a value";
                return Err(Stop::at(self.span(expr), message));
            }
            ExprKind::Pattern(_) => {
                let message =
                    "an assignment pattern is supported only as the value of an assignment";
                return Err(Stop::at(self.span(expr), message));
            }
            ExprKind::SystemCall(name, arguments) => self.system_shape(name, arguments, expr)?,
        })
    }

    fn total_width(&mut self, parts: &[ExprId], whole: ExprId) -> Run<u32> {
        let mut width = 0u32;
        for part in parts {
            if self.is_nothing(*part)? {
                continue;
            }
            if let ExprKind::Number(literal) = &self.source.expr(*part).kind
                && !literal.sized
            {
                return Err(Stop::at(
                    self.span(*part),
                    "a number in a concatenation needs a width",
                ));
            }
            width = width.saturating_add(self.shape(*part)?.width);
        }
        match width {
            1..=MAX_WORD => Ok(width),
            _ => Err(Stop::at(
                self.span(whole),
                format!("a word of {width} bits: there are no more than {MAX_WORD}"),
            )),
        }
    }

    /// Whether a part of a concatenation is repeated 0 times.
    pub(super) fn is_nothing(&mut self, part: ExprId) -> Run<bool> {
        match self.source.expr(part).kind {
            ExprKind::Repeat(count, _) => Ok(self.integer(count)? == 0),
            _ => Ok(false),
        }
    }

    /// Returns the value of an expression by itself, with its width and sign.
    pub(crate) fn value(&mut self, expr: ExprId) -> Run<(TermId, Shape)> {
        let shape = self.shape(expr)?;
        Ok((self.eval(expr, shape.width, shape.signed)?, shape))
    }

    /// Returns the value at a width and sign that the context determines.
    pub(crate) fn eval(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<TermId> {
        if let Some(with) = self.only_expr(expr)
            && self.replaced.take() != Some((expr, self.calls))
        {
            self.same_shape(expr, with)?;
            return self.in_place_of(expr, |this| this.eval(with, width, signed));
        }
        self.note(expr);
        let outer = self.reading.replace(expr);
        let value = self.eval_one(expr, width, signed);
        self.reading = outer;
        let mut value = value.map_err(|stop| stop.placed(self.span(expr)))?;
        for choice in self.alternatives(expr).into_iter().rev() {
            let mutated = self.mutated(&choice, |this| {
                this.same_shape(expr, choice.with)?;
                this.eval(choice.with, width, signed)
            });
            value = self.behind(&choice.mutants, mutated, value)?;
        }
        Ok(value)
    }

    /// Evaluates a part that has no mutants.
    pub(crate) fn muted<T>(&mut self, run: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.muted_but(None, run)
    }

    /// Evaluates a mutated part. Only the mutants of the choice are present in it, with their other changes.
    pub(crate) fn mutated<T, O: Copy>(
        &mut self,
        choice: &Choice<O>,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let around = Around::of(choice, self.calls, self.around.as_deref());
        self.muted_but(Some(Rc::new(around)), run)
    }

    fn muted_but<T>(
        &mut self,
        around: Option<Rc<Around>>,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let before = (self.mute, self.around.take());
        (self.mute, self.around) = (true, around);
        let result = run(self);
        (self.mute, self.around) = before;
        result
    }

    /// Returns the condition that one of these mutants is selected.
    pub(super) fn selected_one_of(&mut self, mutants: &[usize]) -> Run<TermId> {
        let pool = &mut self.design.words.pool;
        let mut any = pool.bool(false);
        for mutant in mutants {
            let selector = pool.selector(*mutant);
            any = pool.binary(Core::Or, any, selector)?;
        }
        Ok(any)
    }

    /// Rejects mutants that are not rejected yet.
    pub(super) fn reject(&mut self, mutants: &[usize], why: &str) {
        for mutant in mutants {
            self.rejected
                .entry(*mutant)
                .or_insert_with(|| why.to_owned());
        }
    }

    /// Returns the mutated value if one of these mutants is selected, otherwise the original. Mutants without a value are rejected, and the
    /// result is the original.
    ///
    /// # Errors
    /// If mutants must be executed apart.
    pub(crate) fn behind(
        &mut self,
        mutants: &[usize],
        mutated: Run<TermId>,
        original: TermId,
    ) -> Run<TermId> {
        match mutated {
            Ok(mutated) => {
                let selected = self.selected_one_of(mutants)?;
                Ok(self.design.words.ite(selected, mutated, original)?)
            }
            Err(Stop::Apart(mutants)) => Err(Stop::Apart(mutants)),
            Err(stop) => {
                let message = stop.located(hyperkill_frontend::Span::default()).message;
                self.reject(mutants, &message);
                Ok(original)
            }
        }
    }

    /// Records that a process executes an expression, which may then have mutants. In a function called for a constant, records that it has
    /// none.
    pub(super) fn note(&mut self, expr: ExprId) {
        match self.mode {
            // A function called for a constant shapes the design.
            Mode::Constant if self.calls > 0 => {
                self.constants.fix_expr(expr);
            }
            Mode::Constant => {}
            _ if self.mute => {}
            _ => {
                self.visited.insert(expr);
            }
        }
    }

    /// Returns the mutants of an expression that are present here. In first values they are noted for execution apart, and left out.
    pub(crate) fn alternatives(&mut self, expr: ExprId) -> Vec<Choice<ExprId>> {
        let plan = self.plan;
        if self.mode == Mode::Constant {
            return Vec::new();
        }
        let all = plan.exprs.get(&expr).into_iter().flatten();
        let here = all.filter_map(|choice| self.present(choice));
        let here: Vec<Choice<ExprId>> = here.collect();
        match self.mode {
            // A first value must be a number in each mutant.
            Mode::Initial => {
                let mutants = here.iter().flat_map(|choice| &*choice.mutants);
                self.apart.extend(mutants);
                Vec::new()
            }
            _ => here,
        }
    }

    /// Returns a choice for the mutants that are present where execution is, and not executed apart. `None` if there are none.
    pub(super) fn present<T: Copy>(&mut self, choice: &Choice<T>) -> Option<Choice<T>> {
        let around = self.around.clone();
        if let Some(again) = around
            .as_ref()
            .and_then(|all| all.again(choice, self.calls))
        {
            self.apart.extend(again.mutants.iter());
            self.is_late = true;
            return None;
        }
        let here = match (&around, self.mute) {
            (Some(around), _) => around.rest(choice)?,
            (None, true) => return None,
            (None, false) => choice.clone(),
        };
        match self.apart.is_empty() {
            true => Some(here),
            false => here.among(|mutant| !self.apart.contains(&mutant)),
        }
    }

    /// Checks that a mutant keeps the width and sign of its expression; otherwise the surrounding expression would change, too.
    pub(super) fn same_shape(&mut self, original: ExprId, with: ExprId) -> Run<()> {
        match self.shape(original)? == self.shape(with)? {
            true => Ok(()),
            false => Err(Stop::at(
                self.span(original),
                "it would change the width or sign of the expression around it: not supported",
            )),
        }
    }

    fn eval_one(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<TermId> {
        let source = self.source;
        match &source.expr(expr).kind {
            ExprKind::Number(literal) => self.literal(literal, width, signed, expr),
            ExprKind::Text(text) => {
                let bits: Vec<bool> = text
                    .bytes()
                    .rev()
                    .flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1))
                    .collect();
                let bits = if bits.is_empty() {
                    vec![false; 8]
                } else {
                    bits
                };
                let term = self.design.words.bits(&bits);
                Ok(self.design.words.resize(term, width, false)?)
            }
            ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Part(..)
            | ExprKind::Indexed { .. } => {
                let value = self.selected(expr, width, signed)?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::Unary(op, a) => match op {
                UnaryOp::Plus => self.eval(*a, width, signed),
                UnaryOp::Minus => {
                    let a = self.eval(*a, width, signed)?;
                    Ok(self.design.words.neg(a)?)
                }
                UnaryOp::Complement => {
                    let a = self.eval(*a, width, signed)?;
                    Ok(self.design.words.not(a)?)
                }
                _ => self.truth_word(expr, width),
            },
            ExprKind::Binary(op, a, b) => self.binary(expr, *op, *a, *b, width, signed),
            ExprKind::Conditional(c, a, b) => {
                let condition = self.truth(*c)?;
                match self.design.words.pool.as_bool(condition) {
                    Some(true) if self.mode == Mode::Constant => {
                        return self.eval(*a, width, signed);
                    }
                    Some(false) if self.mode == Mode::Constant => {
                        return self.eval(*b, width, signed);
                    }
                    _ => {}
                }
                let a = self.eval(*a, width, signed)?;
                let b = self.eval(*b, width, signed)?;
                Ok(self.design.words.ite(condition, a, b)?)
            }
            ExprKind::Concat(parts) => {
                let value = self.concat(parts)?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::Repeat(..) => {
                let whole = self.shape(expr)?.width;
                let ExprKind::Repeat(_, parts) = &source.expr(expr).kind else {
                    return Err(Stop::at(self.span(expr), "this is not a replication"));
                };
                let one = self.concat(parts)?;
                let times = whole / self.design.words.width(one);
                let all = vec![one; times as usize];
                let value = self.design.words.join(&all).unwrap_or(Ok(one))?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::Stream(..) => Err(Stop::at(
                self.span(expr),
                "a streaming concatenation is supported only as the value of an assignment",
            )),
            ExprKind::Call(path, arguments) => {
                let value = self.call_function(path, arguments, expr)?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::SystemCall(name, arguments) => {
                let value = self.system_value(name, arguments, expr)?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::Cast(to, value) => {
                let shape = self.shape(expr)?;
                let layout = match to {
                    Cast::Size(size) => self.cast_layout(*size, shape)?,
                    Cast::Type(of) => self.layout(of, self.span(expr))?,
                };
                let value = self.fitted(*value, &layout)?;
                Ok(self.design.words.resize(value, width, signed)?)
            }
            ExprKind::Inside(..) => self.truth_word(expr, width),
            ExprKind::Range(..)
            | ExprKind::Pattern(_)
            | ExprKind::Real(_)
            | ExprKind::Argument(..) => {
                self.shape(expr)?;
                Err(Stop::at(self.span(expr), "this expression has no value"))
            }
        }
    }

    /// Returns the type that a cast names; `None` if `size` is no type, and so a number of bits.
    pub(super) fn cast_type(&mut self, size: ExprId) -> Run<Option<std::sync::Arc<Layout>>> {
        if let ExprKind::Name(path) = &self.source.expr(size).kind
            && let [step] = path.as_slice()
            && let Some(Entity::Type(layout)) = self.find(&step.name, self.span(size))?
        {
            return Ok(Some(layout));
        }
        Ok(None)
    }

    fn cast_shape(&mut self, size: ExprId, value: ExprId, expr: ExprId) -> Run<Shape> {
        if let Some(layout) = self.cast_type(size)? {
            return Ok(Shape {
                width: layout.width() as u32,
                signed: layout.signed,
            });
        }
        match u32::try_from(self.integer(size)?) {
            Ok(width @ 1..=MAX_WORD) => Ok(Shape {
                width,
                signed: self.shape(value)?.signed,
            }),
            _ => {
                let message = format!("a cast to a size that is not 1 to {MAX_WORD}");
                Err(Stop::at(self.span(expr), message))
            }
        }
    }

    fn cast_layout(&mut self, size: ExprId, shape: Shape) -> Run<Layout> {
        Ok(match self.cast_type(size)? {
            Some(layout) => (*layout).clone(),
            None => Layout::vector(i64::from(shape.width) - 1, 0, shape.signed),
        })
    }

    pub(super) fn concat(&mut self, parts: &[ExprId]) -> Run<TermId> {
        let mut values = Vec::new();
        for part in parts {
            if !self.is_nothing(*part)? {
                values.push(self.value(*part)?.0);
            }
        }
        values.reverse();
        let whole = self.design.words.join(&values).ok_or_else(|| {
            Stop::Model(Box::new(hyperkill_frontend::Diagnostic::unlocated(
                "an empty concatenation",
            )))
        })?;
        Ok(whole?)
    }

    /// Returns the value of a literal: x bits are choices, z bits are refused.
    pub(crate) fn literal(
        &mut self,
        literal: &Literal,
        width: u32,
        signed: bool,
        expr: ExprId,
    ) -> Run<TermId> {
        let digits = literal.at_width(width as usize, signed && literal.signed);
        if digits.contains(&Digit::Z) {
            return Err(Stop::at(
                self.span(expr),
                "tri-state (`z`) is not supported",
            ));
        }
        let ones: Vec<bool> = digits.iter().map(|digit| *digit == Digit::One).collect();
        let value = self.design.words.bits(&ones);
        if !digits.contains(&Digit::X) {
            return Ok(value);
        }
        if self.mode == Mode::Constant {
            return Err(Stop::at(
                self.span(expr),
                "a constant must not be unknown (`x`) here",
            ));
        }
        let unknown: Vec<bool> = digits.iter().map(|digit| *digit == Digit::X).collect();
        let mask = self.design.words.bits(&unknown);
        let anything = self.unknown(width);
        let anything = self.design.words.bitwise(Core::And, anything, mask)?;
        Ok(self.design.words.bitwise(Core::Or, value, anything)?)
    }

    fn binary(
        &mut self,
        expr: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        width: u32,
        signed: bool,
    ) -> Run<TermId> {
        let core = match op {
            BinaryOp::Add => Core::Add,
            BinaryOp::Sub => Core::Sub,
            BinaryOp::Mul => Core::Mul,
            BinaryOp::Div => Core::Div,
            BinaryOp::Mod => Core::Rem,
            BinaryOp::And => Core::And,
            BinaryOp::Or => Core::Or,
            BinaryOp::Xor | BinaryOp::Xnor => Core::Xor,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned => {
                let value = self.eval(a, width, signed)?;
                let (by, _) = self.value(b)?;
                let words = &mut self.design.words;
                let fill = match op == BinaryOp::ShiftRightSigned && signed {
                    true => {
                        let sign = words.slice(value, width - 1, 1)?;
                        words.truth(sign)?
                    }
                    false => words.pool.bool(false),
                };
                return Ok(words.shift(value, by, op == BinaryOp::ShiftLeft, fill)?);
            }
            BinaryOp::Power => return self.power(expr, a, b, width, signed),
            _ => return self.truth_word(expr, width),
        };
        let left = self.eval(a, width, signed)?;
        let right = self.eval(b, width, signed)?;
        let words = &mut self.design.words;
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Ok(words.bitwise(core, left, right)?),
            BinaryOp::Xnor => {
                let value = words.bitwise(core, left, right)?;
                Ok(words.not(value)?)
            }
            BinaryOp::Div | BinaryOp::Mod => {
                // A quotient by 0 is unknown.
                let nonzero = words.truth(right)?;
                match words.pool.as_bool(nonzero) {
                    Some(false) => Ok(self.unknown(width)),
                    Some(true) => Ok(words.arithmetic(core, left, right, signed)?),
                    None => {
                        let value = words.arithmetic(core, left, right, signed)?;
                        let unknown = self.unknown(width);
                        Ok(self.design.words.ite(nonzero, value, unknown)?)
                    }
                }
            }
            _ => Ok(words.arithmetic(core, left, right, signed)?),
        }
    }

    /// Returns a truth value as a word of this width.
    fn truth_word(&mut self, expr: ExprId, width: u32) -> Run<TermId> {
        let truth = self.truth_one(expr)?;
        let word = self.design.words.of_truth(truth)?;
        Ok(self.design.words.resize(word, width, false)?)
    }

    /// Returns whether an expression is not 0.
    pub(crate) fn truth(&mut self, expr: ExprId) -> Run<TermId> {
        if let Some(with) = self.only_expr(expr)
            && self.replaced.take() != Some((expr, self.calls))
        {
            return self.in_place_of(expr, |this| this.truth(with));
        }
        self.note(expr);
        let outer = self.reading.replace(expr);
        let value = self.truth_one(expr);
        self.reading = outer;
        let mut value = value?;
        for choice in self.alternatives(expr).into_iter().rev() {
            let mutated = self.mutated(&choice, |this| this.truth(choice.with));
            value = self.behind(&choice.mutants, mutated, value)?;
        }
        Ok(value)
    }

    fn truth_one(&mut self, expr: ExprId) -> Run<TermId> {
        let source = self.source;
        match &source.expr(expr).kind {
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.truth(*a)?;
                Ok(self.design.words.pool.not(a)?)
            }
            ExprKind::Unary(
                op @ (UnaryOp::And
                | UnaryOp::Or
                | UnaryOp::Xor
                | UnaryOp::Nand
                | UnaryOp::Nor
                | UnaryOp::Xnor),
                a,
            ) => {
                let (value, _) = self.value(*a)?;
                let words = &mut self.design.words;
                let reduced = match op {
                    UnaryOp::And | UnaryOp::Nand => words.all(value)?,
                    UnaryOp::Or | UnaryOp::Nor => words.truth(value)?,
                    _ => words.odd(value)?,
                };
                match op {
                    UnaryOp::And | UnaryOp::Or | UnaryOp::Xor => Ok(reduced),
                    _ => Ok(words.pool.not(reduced)?),
                }
            }
            ExprKind::Binary(op @ (BinaryOp::LogicAnd | BinaryOp::LogicOr), a, b) => {
                let left = self.truth(*a)?;
                // In constants the left operand may decide alone: the right one may refer to something that does not exist.
                if self.mode == Mode::Constant
                    && self.design.words.pool.as_bool(left) == Some(*op == BinaryOp::LogicOr)
                {
                    return Ok(left);
                }
                let right = self.truth(*b)?;
                let core = if *op == BinaryOp::LogicAnd {
                    Core::And
                } else {
                    Core::Or
                };
                Ok(self.design.words.pool.binary(core, left, right)?)
            }
            ExprKind::Inside(value, members) => {
                let mut found = self.design.words.pool.bool(false);
                for member in members {
                    let here = self.is_inside(*value, *member)?;
                    found = self.design.words.pool.binary(Core::Or, found, here)?;
                }
                Ok(found)
            }
            ExprKind::Binary(op @ (BinaryOp::WildEqual | BinaryOp::WildNotEqual), a, b) => {
                let equal = self.wild_equal(*a, *b)?;
                match op {
                    BinaryOp::WildEqual => Ok(equal),
                    _ => Ok(self.design.words.pool.not(equal)?),
                }
            }
            ExprKind::Binary(op, a, b)
                if matches!(
                    op,
                    BinaryOp::Less
                        | BinaryOp::LessEqual
                        | BinaryOp::Greater
                        | BinaryOp::GreaterEqual
                        | BinaryOp::Equal
                        | BinaryOp::NotEqual
                        | BinaryOp::CaseEqual
                        | BinaryOp::CaseNotEqual
                ) =>
            {
                self.comparison(*op, *a, *b)
            }
            _ => {
                let shape = self.shape(expr)?;
                self.note(expr);
                // The caller adds the mutants of this expression.
                let value = self.eval_one(expr, shape.width, shape.signed)?;
                Ok(self.design.words.truth(value)?)
            }
        }
    }

    fn comparison(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Run<TermId> {
        if matches!(op, BinaryOp::CaseEqual | BinaryOp::CaseNotEqual)
            && [a, b].iter().any(|side| self.has_unknown(*side))
        {
            // No value is ever unknown here, so none is identical to an unknown one.
            return Ok(self.design.words.pool.bool(op == BinaryOp::CaseNotEqual));
        }
        let shape = self.shape(a)?.with(self.shape(b)?);
        let left = self.eval(a, shape.width, shape.signed)?;
        let right = self.eval(b, shape.width, shape.signed)?;
        let words = &mut self.design.words;
        let (found, negated) = match op {
            BinaryOp::Less => (words.less(left, right, shape.signed)?, false),
            BinaryOp::GreaterEqual => (words.less(left, right, shape.signed)?, true),
            BinaryOp::Greater => (words.less(right, left, shape.signed)?, false),
            BinaryOp::LessEqual => (words.less(right, left, shape.signed)?, true),
            BinaryOp::Equal | BinaryOp::CaseEqual => (words.equal(left, right)?, false),
            _ => (words.equal(left, right)?, true),
        };
        match negated {
            true => Ok(words.pool.not(found)?),
            false => Ok(found),
        }
    }

    /// Returns `a ==? b`: unknown bits of the right side match any value.
    fn wild_equal(&mut self, a: ExprId, b: ExprId) -> Run<TermId> {
        let shape = self.shape(a)?.with(self.shape(b)?);
        let left = self.eval(a, shape.width, shape.signed)?;
        let (found, _) = self.label(CaseKind::X, left, b, shape.width, shape.signed)?;
        Ok(found)
    }

    /// Returns whether a value equals a member, or lies in it if the member is a range.
    pub(super) fn is_inside(&mut self, value: ExprId, member: ExprId) -> Run<TermId> {
        let ExprKind::Range(low, high) = self.source.expr(member).kind else {
            return self.wild_equal(value, member);
        };
        let above = self.comparison(BinaryOp::GreaterEqual, value, low)?;
        let below = self.comparison(BinaryOp::LessEqual, value, high)?;
        Ok(self.design.words.pool.binary(Core::And, above, below)?)
    }

    pub(super) fn has_unknown(&self, expr: ExprId) -> bool {
        matches!(&self.source.expr(expr).kind, ExprKind::Number(literal) if literal.has_unknown())
    }
}
