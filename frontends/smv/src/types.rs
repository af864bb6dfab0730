//! What kind of value each expression has, as NuSMV 2.5 types it. States errors; decides no bounds.
//!
//! Sets are values of assignments and operands of `union` and `in` only: NuSMV lifts no operator to sets.

use hyperkill_frontend::{Diagnostic, Span};

use crate::ast::{Assignment, BinaryOp, ExprId, ExprKind, Target, UnaryOp, VarKind};
use crate::domain::Kind;
use crate::order;
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
            (false, kind) => kind.noun().to_owned(),
            (true, Kind::Bool) => "a set of booleans".to_owned(),
            (true, Kind::Int) => "a set of integers".to_owned(),
            (true, Kind::Symbol) => "a set of symbols".to_owned(),
        }
    }
}

/// The types of all expressions of a module.
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
            let wanted = wanted.map_or("a single value", Kind::noun);
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
            if kind != found.kind {
                let message = format!(
                    "{what} must be of one type, but this is {} and the first is {}",
                    found.describe(),
                    kind.noun()
                );
                self.errors
                    .push(Diagnostic::error(span, message).with_label(first, "the first"));
                return None;
            }
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
                Some(Type {
                    kind: joined.kind,
                    set: joined.set || elements.len() > 1,
                })
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Type> {
        let what = format!("an operand of `{}`", op.sign());
        let (operands, result) = match op {
            BinaryOp::Implies
            | BinaryOp::Iff
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Xnor
            | BinaryOp::And => (Some(Kind::Bool), Kind::Bool),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                (Some(Kind::Int), Kind::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                (Some(Kind::Int), Kind::Int)
            }
            BinaryOp::Eq | BinaryOp::Ne => (None, Kind::Bool),
            BinaryOp::In => {
                self.one(a, "the left operand of `in`", None)?;
                self.join("both operands of `in`", &[a, b])?;
                return Some(Type::single(Kind::Bool));
            }
            BinaryOp::Union => {
                let joined = self.join("both operands of `union`", &[a, b])?;
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
            self.join(&format!("both operands of `{}`", op.sign()), &[a, b])?;
        }
        left.and(right).map(|_| Type::single(result))
    }

    fn assignment(&mut self, assignment: &Assignment, kind: Kind) {
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
            && found.kind != kind
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
