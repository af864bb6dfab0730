//! The type of each expression, as NuSMV 2.5 assigns it. Reports errors; computes no bounds.
//!
//! Sets are values of assignments and operands of `union` and `in` only: NuSMV lifts no other operator to sets.

mod places;
mod words;

use hyperkill_frontend::{Diagnostic, Span};

use crate::ast::{BinaryOp, Branch, ConstraintKind, ExprId, ExprKind, Target, UnaryOp, VarKind};
use crate::domain::Kind;
use crate::flat::FlatAssignment;
use crate::order;
use crate::resolve::{Entity, Model};
use places::Places;

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The kind of the value, or of the elements of a set.
    pub kind: Kind,
    /// Whether the expression is a set of such values.
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
    /// Whether the expression reads next values: it contains `next`, itself or through a DEFINE.
    next: Vec<bool>,
    /// Whether mutants replace single values by sets in the expression, or the expression itself.
    choosing: Vec<bool>,
    /// Mutants with a replacement of a wrong type, with the reason.
    pub rejected: Vec<(usize, String)>,
}

impl Types {
    /// Returns the type of an expression.
    #[must_use]
    pub fn of(&self, id: ExprId) -> Type {
        self.of[id.index()]
    }

    /// Whether some mutant chooses one of several values where the expression has a single one.
    #[must_use]
    pub fn may_choose(&self, id: ExprId) -> bool {
        self.choosing[id.index()]
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
/// All type errors, and cycles of DEFINEs.
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
    let mut rejected = Vec::new();
    let mut choosing = vec![false; model.exprs().len()];
    let places = Places::of(model);
    for replacement in &model.flat.replacements {
        let (site, with) = (replacement.site, replacement.with);
        if let Some(reason) = checker.replacement(site, with, &places) {
            rejected.push((replacement.mutation, reason));
        } else if checker.adds_choice(site, with) {
            places.mark_ways_to(site, &mut choosing);
        }
    }
    let mut errors = checker.errors;
    if errors.is_empty() {
        // Bounds of types are in no tree that is checked here, and their types are not needed.
        let unknown = Type::single(Kind::Int);
        return Ok(Types {
            of: checker.types.iter().map(|t| t.unwrap_or(unknown)).collect(),
            next: checker.next,
            choosing,
            rejected,
        });
    }
    errors.sort_by_key(|e| e.span);
    Err(errors)
}

struct Checker<'m> {
    model: &'m Model<'m>,
    /// The type of each expression; `None` if an error was reported, so that one mistake gives one error.
    types: Vec<Option<Type>>,
    next: Vec<bool>,
    /// Whether each expression reads an IVAR, which NuSMV allows only in descriptions of steps.
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

    /// Returns the kind of an operand that must be a single value, of the kind `wanted` if there is one. `None` if it has no type, or, with
    /// an error, if it is a set or of another kind. `what` names the operand in the message.
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

    /// Returns the common type of parts that must be of one kind: a set if any part is a set. `None` if a part has
    /// no type, or, with an error, if two kinds differ. `what` names the parts in the message.
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
            ExprKind::Unary(op, a) => self.unary(*op, *a),
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
            ExprKind::Case(branches) => self.case(branches),
            ExprKind::Set(elements) => self.set(id, elements),
            ExprKind::Word(word) => Some(Type::single(Kind::Word {
                width: word.width,
                signed: word.signed,
            })),
            ExprKind::Element {
                index, elements, ..
            } => self.element(*index, elements),
            ExprKind::Bits(word, high, low) => self.bits(id, *word, *high, *low),
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
                self.error(id, "an array is not a value; only a DEFINE can be an array");
                None
            }
            ExprKind::SelfInstance | ExprKind::Member(..) | ExprKind::Index(..) => {
                self.error(
                    id,
                    "this is an instance of a module, and a value is expected",
                );
                None
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> Option<Type> {
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
        self.one(a, what, Some(kind)).map(Type::single)
    }

    fn case(&mut self, branches: &[Branch]) -> Option<Type> {
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

    fn set(&mut self, id: ExprId, elements: &[ExprId]) -> Option<Type> {
        let joined = self.join("all elements of a set", elements)?;
        if elements.len() > 1 {
            self.no_words(id, joined.kind)?;
        }
        Some(Type {
            kind: joined.kind,
            set: joined.set || elements.len() > 1,
        })
    }

    /// Returns the common type of the elements of an array. `None` without a type, or, with an error, if the index is no number, an element
    /// is a set, or types differ.
    fn element(&mut self, index: ExprId, elements: &[ExprId]) -> Option<Type> {
        // A word stands for its number.
        let is_word = matches!(
            self.types[index.index()].map(|found| found.kind),
            Some(Kind::Word { .. })
        );
        let wanted = (!is_word).then_some(Kind::Int);
        let mut found = self.one(index, "an index", wanted);
        for element in elements {
            let single = self.one(*element, "an element", None);
            found = single.and(found);
        }
        let joined = self.join("all elements of an array", elements);
        found.and(joined)
    }

    /// Returns the type of the bits `high` to `low` of a word: an unsigned word. `None`, with an error, if the operand is no word, a bound
    /// is no constant, or the word has no such bits.
    fn bits(&mut self, id: ExprId, word: ExprId, high: ExprId, low: ExprId) -> Option<Type> {
        let word = self.word(word, "the operand of `[ : ]`");
        let (high, low) = (self.constant(high)?, self.constant(low)?);
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

    /// Returns the reason why the expression `with` cannot replace `site`. `None` if it can, or if either has no type.
    fn replacement(&mut self, site: ExprId, with: ExprId, places: &Places) -> Option<String> {
        let before = self.errors.len();
        self.tree(with);
        let mut errors = self.errors.split_off(before);
        if !errors.is_empty() {
            return Some(errors.swap_remove(0).message);
        }
        let (old, new) = (self.types[site.index()]?, self.types[with.index()]?);
        if new.kind == old.kind && new.set && !old.set && !places.is_value(site) {
            return Some(format!(
                "not supported yet: {} in the place of {} elsewhere than in an assignment",
                new.describe(),
                old.describe()
            ));
        }
        if new.kind != old.kind {
            return Some(format!(
                "{} in the place of {}",
                new.describe(),
                old.describe()
            ));
        }
        let reads = |flags: &[bool]| flags[with.index()] && !flags[site.index()];
        let what = match (reads(&self.next), reads(&self.input)) {
            (true, _) => "it would read a coming value",
            (false, true) => "it would read an IVAR",
            (false, false) => return None,
        };
        // The language forbids it elsewhere.
        Some(match places.is_of_a_step(site) {
            true => format!("not supported yet: {what} where the model does not"),
            false => what.to_owned(),
        })
    }

    /// Whether a set replaces a single value.
    fn adds_choice(&self, site: ExprId, with: ExprId) -> bool {
        let is_set = |id: ExprId| self.types[id.index()].is_some_and(|found| found.set);
        is_set(with) && !is_set(site)
    }

    /// Checks a condition of the model, which messages call `what`. It is a single boolean value, and reads next values only if `coming`.
    /// INIT and INVAR do not depend on an IVAR.
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
                let left = self.types[a.index()]?;
                self.no_words(a, left.kind)?;
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

    /// Checks that two types have values in common: symbols and integers have none unless one side has both. `None` if a type is missing,
    /// or, with an error, if they have none.
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
