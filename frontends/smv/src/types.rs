//! What kind of value each expression has, as NuSMV 2.5 types it. States errors; decides no bounds.
//!
//! Sets are values of assignments and operands of `union` and `in` only: NuSMV lifts no operator to sets.

use hyperkill_frontend::{Diagnostic, Span};

use crate::ast::{BinaryOp, ConstraintKind, ExprId, ExprKind, Function, Target, UnaryOp, VarKind};
use crate::constant;
use crate::domain::Kind;
use crate::flat::FlatAssignment;
use crate::order;
use crate::parser::word::MAX_WIDTH;
use crate::resolve::{Entity, Model};

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The kind of its value or of its elements.
    pub kind: Kind,
    /// Whether it is a set.
    pub set: bool,
}

impl Type {
    fn single(kind: Kind) -> Type {
        Type { kind, set: false }
    }

    fn describe(self) -> String {
        match (self.set, self.kind) {
            (false, kind) => kind.noun(),
            (true, Kind::Bool) => "a set of booleans".to_owned(),
            (true, Kind::Int) => "a set of integers".to_owned(),
            (true, Kind::Symbol) => "a set of symbols".to_owned(),
            (true, Kind::Mixed) => "a set of symbols and integers".to_owned(),
            (true, kind @ Kind::Word { .. }) => format!("a set, each element {}", kind.noun()),
        }
    }
}

/// The types of all expressions of a model.
#[derive(Clone, Debug)]
pub struct Types {
    of: Vec<Type>,
    /// Whether the expression reads coming values: it contains `next`, itself or through a DEFINE.
    next: Vec<bool>,
}

impl Types {
    /// The type of an expression.
    #[must_use]
    pub fn of(&self, id: ExprId) -> Type {
        self.of[id.index()]
    }

    /// Whether it contains `next`, itself or through a DEFINE.
    #[must_use]
    pub fn reads_next(&self, id: ExprId) -> bool {
        self.next[id.index()]
    }
}

/// Types all expressions.
///
/// # Errors
/// All type errors, and a circle of DEFINEs.
pub fn check(model: &Model<'_>) -> Result<Types, Vec<Diagnostic>> {
    let defines = order::defines(model).map_err(|error| vec![error])?;
    let mut checker = Checker {
        model,
        types: vec![None; model.exprs().len()],
        next: vec![false; model.exprs().len()],
        input: vec![false; model.exprs().len()],
        errors: Vec::new(),
    };
    for define in defines {
        checker.tree(model.defines[define].body);
    }
    for variable in &model.variables {
        let assignments = [variable.init, variable.next, variable.current];
        for assignment in assignments.into_iter().flatten() {
            checker.tree(assignment.value);
            checker.assignment(assignment, variable.domain.kind());
        }
    }
    for constraint in &model.flat.constraints {
        let keyword = constraint.kind.keyword();
        checker.condition(
            constraint.body,
            keyword,
            constraint.kind == ConstraintKind::Trans,
        );
    }
    for condition in &model.flat.fairness {
        checker.condition(*condition, "a fairness constraint", false);
    }
    for invariant in &model.flat.invariants {
        checker.tree(invariant.body);
        checker.one(invariant.body, "an invariant", Some(Kind::Bool));
    }
    let mut errors = checker.errors;
    if errors.is_empty() {
        // Bounds of types are no part of any tree checked here; nobody asks for their types.
        let unknown = Type::single(Kind::Int);
        return Ok(Types {
            of: checker.types.iter().map(|t| t.unwrap_or(unknown)).collect(),
            next: checker.next,
        });
    }
    errors.sort_by_key(|e| e.span);
    Err(errors)
}

struct Checker<'m> {
    model: &'m Model<'m>,
    /// `None` where an error was reported, so that one mistake gives one error.
    types: Vec<Option<Type>>,
    next: Vec<bool>,
    /// Whether an IVAR is read, which NuSMV allows only where a step is described.
    input: Vec<bool>,
    errors: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn tree(&mut self, root: ExprId) {
        for id in self.model.exprs().subtree(root) {
            let (mut next, mut input) = match self.model.entity(id) {
                Some(Entity::Define(d)) => {
                    let body = self.model.defines[d].body.index();
                    (self.next[body], self.input[body])
                }
                Some(Entity::Variable(v)) => {
                    (false, self.model.variables[v].kind == VarKind::Input)
                }
                _ => (false, false),
            };
            let kind = self.model.exprs().kind(id);
            kind.for_each_operand(|operand| {
                next |= self.next[operand.index()];
                input |= self.input[operand.index()];
            });
            if let ExprKind::Next(_) = kind {
                if next {
                    self.error(id, "`next` inside `next`");
                }
                if input {
                    self.error(id, "an IVAR has no coming value that a step could read");
                }
                next = true;
            }
            self.next[id.index()] = next;
            self.input[id.index()] = input;
            self.types[id.index()] = self.expression(id);
        }
    }

    fn error(&mut self, id: ExprId, message: impl Into<String>) {
        let span = self.model.exprs()[id].span;
        self.errors.push(Diagnostic::error(span, message));
    }

    /// The type of an operand that must be one value of some kind.
    fn one(&mut self, operand: ExprId, what: &str, wanted: Option<Kind>) -> Option<Kind> {
        let found = self.types[operand.index()]?;
        if found.set || wanted.is_some_and(|kind| kind != found.kind) {
            let wanted = wanted.map_or("a single value".to_owned(), Kind::noun);
            self.error(
                operand,
                format!("{what} must be {wanted}, but this is {}", found.describe()),
            );
            return None;
        }
        Some(found.kind)
    }

    /// The common type of things that must be of one kind; sets and single values mix.
    fn join(&mut self, what: &str, parts: &[ExprId]) -> Option<Type> {
        let mut joined: Option<(Type, Span)> = None;
        for &part in parts {
            let found = self.types[part.index()]?;
            let span = self.model.exprs()[part].span;
            let (kind, set, first) = match joined {
                None => (found.kind, found.set, span),
                Some((before, first)) => (before.kind, before.set || found.set, first),
            };
            let Some(together) = kind.join(found.kind) else {
                let message = format!(
                    "{what} must be of one type, but this is {} and the first is {}",
                    found.describe(),
                    kind.noun()
                );
                self.errors
                    .push(Diagnostic::error(span, message).with_label(first, "the first"));
                return None;
            };
            let kind = together;
            joined = Some((Type { kind, set }, first));
        }
        joined.map(|(found, _)| found)
    }

    fn expression(&mut self, id: ExprId) -> Option<Type> {
        let model = self.model;
        match model.exprs().kind(id) {
            ExprKind::Number(_) => Some(Type::single(Kind::Int)),
            ExprKind::Truth(_) => Some(Type::single(Kind::Bool)),
            ExprKind::Range(low, high) => Some(Type {
                kind: Kind::Int,
                set: low < high,
            }),
            ExprKind::Name(_) => match model.entity(id)? {
                Entity::Variable(v) => Some(Type::single(model.variables[v].domain.kind())),
                Entity::Define(d) => self.types[model.defines[d].body.index()],
                Entity::Symbol => Some(Type::single(Kind::Symbol)),
            },
            ExprKind::Unary(op, a) => {
                let (what, kind) = match op {
                    UnaryOp::Not => ("the operand of `!`", Kind::Bool),
                    UnaryOp::Neg => ("the operand of `-`", Kind::Int),
                };
                if let Some(Type {
                    kind: word @ Kind::Word { .. },
                    set: false,
                }) = self.types[a.index()]
                {
                    return Some(Type::single(word));
                }
                self.one(*a, what, Some(kind)).map(Type::single)
            }
            ExprKind::Next(a) => {
                let kind = self.one(*a, "the operand of `next`", None)?;
                Some(Type::single(kind))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b),
            ExprKind::Conditional(c, a, b) => {
                let condition = self.one(*c, "the condition before `?`", Some(Kind::Bool));
                let joined = self.join("both results of `? :`", &[*a, *b]);
                condition.and(joined)
            }
            ExprKind::Case(branches) => {
                let mut conditions = Some(Kind::Bool);
                for branch in branches {
                    let what = "the condition of a branch";
                    let found = self.one(branch.condition, what, Some(Kind::Bool));
                    conditions = conditions.and(found);
                }
                let values: Vec<ExprId> = branches.iter().map(|b| b.value).collect();
                let joined = self.join("all results of a `case`", &values);
                conditions.and(joined)
            }
            ExprKind::Set(elements) => {
                let joined = self.join("all elements of a set", elements)?;
                if elements.len() > 1 {
                    self.no_words(id, joined.kind)?;
                }
                Some(Type {
                    kind: joined.kind,
                    set: joined.set || elements.len() > 1,
                })
            }
            ExprKind::Word(word) => Some(Type::single(Kind::Word {
                width: word.width,
                signed: word.signed,
            })),
            ExprKind::Element {
                index, elements, ..
            } => {
                let mut found = self.one(*index, "an index", Some(Kind::Int));
                for element in elements {
                    let single = self.one(*element, "an element", None);
                    found = single.and(found);
                }
                let joined = self.join("all elements of an array", elements);
                found.and(joined)
            }
            ExprKind::Bits(word, high, low) => {
                let word = self.word(*word, "the operand of `[ : ]`");
                let (high, low) = (self.constant(*high)?, self.constant(*low)?);
                let (width, _) = word?;
                if low < 0 || low > high || high >= i64::from(width) {
                    let message = format!("a word of {width} bits has no bits {high} to {low}");
                    self.error(id, message);
                    return None;
                }
                Some(Type::single(Kind::Word {
                    width: (high - low + 1) as u32,
                    signed: false,
                }))
            }
            ExprKind::Call(function, arguments) => {
                let kind = self.call(id, *function, arguments)?;
                Some(Type::single(kind))
            }
            ExprKind::Temporal(op, _) => {
                let message = format!("`{}` stands in specifications only", op.word);
                self.error(id, message);
                None
            }
            ExprKind::Array(_) => {
                self.error(id, "an array is no value; only a DEFINE can be one");
                None
            }
            ExprKind::SelfInstance | ExprKind::Member(..) | ExprKind::Index(..) => {
                self.error(id, "this is no value");
                None
            }
        }
    }

    fn no_words(&mut self, id: ExprId, kind: Kind) -> Option<()> {
        match kind {
            Kind::Word { .. } => {
                self.error(id, "NuSMV has no sets of words");
                None
            }
            _ => Some(()),
        }
    }

    /// Width and sign of an operand that must be a word.
    fn word(&mut self, id: ExprId, what: &str) -> Option<(u32, bool)> {
        match self.one(id, what, None)? {
            Kind::Word { width, signed } => Some((width, signed)),
            kind => {
                self.error(
                    id,
                    format!("{what} must be a word, but this is {}", kind.noun()),
                );
                None
            }
        }
    }

    /// The value of an operand that must be a constant number.
    fn constant(&mut self, id: ExprId) -> Option<i64> {
        self.types[id.index()]?;
        match constant::value(self.model, id) {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// A word of so many bits, if there are such.
    fn made_word(&mut self, id: ExprId, width: i64, signed: bool) -> Option<Kind> {
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) => Some(Kind::Word { width, signed }),
            _ => {
                let message =
                    format!("not supported: words of {width} bits; they may have 1 to {MAX_WIDTH}");
                self.error(id, message);
                None
            }
        }
    }

    fn call(&mut self, id: ExprId, function: Function, arguments: &[ExprId]) -> Option<Kind> {
        let name = function.name();
        let what = format!("the operand of `{name}`");
        let (first, second) = (*arguments.first()?, arguments.get(1).copied());
        match function {
            Function::Bool => match self.one(first, &what, None)? {
                Kind::Bool | Kind::Int | Kind::Word { width: 1, .. } => Some(Kind::Bool),
                kind => {
                    let message = format!("`bool` makes no truth value of {}", kind.noun());
                    self.error(id, message);
                    None
                }
            },
            Function::Word1 => {
                self.one(first, &what, Some(Kind::Bool))?;
                self.made_word(id, 1, false)
            }
            Function::Toint => match self.one(first, &what, None)? {
                Kind::Bool | Kind::Int | Kind::Word { .. } => Some(Kind::Int),
                kind => {
                    let message = format!("`toint` makes no integer of {}", kind.noun());
                    self.error(id, message);
                    None
                }
            },
            Function::Signed | Function::Unsigned => {
                let (width, _) = self.word(first, &what)?;
                self.made_word(id, i64::from(width), function == Function::Signed)
            }
            Function::Extend => {
                let (width, signed) = self.word(first, &what)?;
                let more = self.constant(second?)?.max(-1);
                self.made_word(id, i64::from(width).saturating_add(more), signed)
            }
            Function::Resize => {
                let (_, signed) = self.word(first, &what)?;
                let width = self.constant(second?)?;
                self.made_word(id, width, signed)
            }
            Function::Swconst | Function::Uwconst => {
                let (value, width) = (self.constant(first)?, self.constant(second?)?);
                let signed = function == Function::Swconst;
                let kind = self.made_word(id, width, signed)?;
                let (low, high) = match signed {
                    true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
                    false => (0, (1i64 << width) - 1),
                };
                if value < low || value > high {
                    self.error(id, format!("{value} has no room in {width} bits"));
                    return None;
                }
                Some(kind)
            }
            Function::Sizeof => self.word(first, &what).map(|_| Kind::Int),
            Function::Count => {
                let mut all = Some(Kind::Int);
                for argument in arguments {
                    let found = self.one(*argument, "what `count` counts", Some(Kind::Bool));
                    all = found.and(all);
                }
                all
            }
            Function::Abs | Function::Max | Function::Min => {
                for argument in arguments {
                    self.one(*argument, &what, Some(Kind::Int))?;
                }
                Some(Kind::Int)
            }
        }
    }

    /// A condition of the model; `coming` if it may read coming values, and so inputs.
    fn condition(&mut self, body: ExprId, what: &str, coming: bool) {
        self.tree(body);
        self.one(body, what, Some(Kind::Bool));
        if self.next[body.index()] && !coming {
            self.error(body, format!("`next` cannot be used in {what}"));
        }
        if self.input[body.index()] && matches!(what, "INIT" | "INVAR") {
            self.error(body, format!("{what} cannot depend on an IVAR"));
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Type> {
        let what = format!("an operand of `{}`", op.sign());
        let single = |id: ExprId| self.types[id.index()].filter(|found| !found.set);
        let words = match (single(a).map(|t| t.kind), single(b).map(|t| t.kind)) {
            (Some(left @ Kind::Word { .. }), _) | (_, Some(left @ Kind::Word { .. })) => Some(left),
            _ => None,
        };
        let both = words.unwrap_or(Kind::Int);
        let (operands, result) = match op {
            BinaryOp::Implies
            | BinaryOp::Iff
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Xnor
            | BinaryOp::And => {
                let kind = words.unwrap_or(Kind::Bool);
                (Some(kind), kind)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (Some(both), Kind::Bool),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                (Some(both), both)
            }
            BinaryOp::Eq | BinaryOp::Ne => (None, Kind::Bool),
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, a, b),
            BinaryOp::Concat => {
                let (left, right) = (self.word(a, &what), self.word(b, &what));
                let width = i64::from(left?.0) + i64::from(right?.0);
                return self.made_word(b, width, false).map(Type::single);
            }
            BinaryOp::In => {
                let left = self.one(a, "the left operand of `in`", None)?;
                self.no_words(a, left)?;
                self.comparable("both operands of `in`", a, b)?;
                return Some(Type::single(Kind::Bool));
            }
            BinaryOp::Union => {
                let joined = self.join("both operands of `union`", &[a, b])?;
                self.no_words(a, joined.kind)?;
                return Some(Type {
                    kind: joined.kind,
                    set: true,
                });
            }
        };
        let left = self.one(a, &what, operands);
        let right = self.one(b, &what, operands);
        if operands.is_none() {
            left.and(right)?;
            self.comparable(&format!("both operands of `{}`", op.sign()), a, b)?;
        }
        left.and(right).map(|_| Type::single(result))
    }

    /// Symbols and integers have nothing in common unless one side has both.
    fn comparable(&mut self, what: &str, a: ExprId, b: ExprId) -> Option<()> {
        let (left, right) = (self.types[a.index()]?, self.types[b.index()]?);
        let strangers = matches!(
            (left.kind, right.kind),
            (Kind::Int, Kind::Symbol) | (Kind::Symbol, Kind::Int)
        );
        if !strangers {
            return self.join(what, &[a, b]).map(|_| ());
        }
        let exprs = self.model.exprs();
        let (first, span) = (exprs[a].span, exprs[b].span);
        let message = format!(
            "{what} must be of one type, but this is {} and the first is {}",
            right.describe(),
            left.kind.noun()
        );
        self.errors
            .push(Diagnostic::error(span, message).with_label(first, "the first"));
        None
    }

    fn shift(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Type> {
        let what = format!("the left operand of `{}`", op.sign());
        let (width, signed) = self.word(a, &what)?;
        let what = format!("the right operand of `{}`", op.sign());
        match self.one(b, &what, None)? {
            Kind::Int | Kind::Word { signed: false, .. } => {
                Some(Type::single(Kind::Word { width, signed }))
            }
            kind => {
                let found = kind.noun();
                let message = format!("{what} must be an integer or unsigned, but this is {found}");
                self.error(b, message);
                None
            }
        }
    }

    fn assignment(&mut self, assignment: &FlatAssignment, kind: Kind) {
        let root = assignment.value.index();
        let name = &assignment.name.text;
        if assignment.target != Target::Next {
            let left = assignment.left();
            if self.next[root] {
                let message = format!("`next` cannot be used in the value of {left}");
                self.error(assignment.value, message);
            }
            if self.input[root] {
                let message = format!("the value of {left} cannot depend on an IVAR");
                self.errors.push(
                    Diagnostic::error(self.model.exprs()[assignment.value].span, message)
                        .with_help("declare the input under VAR instead"),
                );
            }
        }
        if let Some(found) = self.types[root]
            && kind.join(found.kind) != Some(kind)
        {
            let message = format!(
                "`{name}` is {}, but this is {}",
                kind.noun(),
                found.describe()
            );
            self.error(assignment.value, message);
        }
    }
}
