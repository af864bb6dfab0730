//! Visits the places of a system, each with a path that edits elsewhere do not change.

use super::rule::{Point, Scene};
use crate::operators::{Level, PRIMARY};
use crate::tree::{Domain, ExprId, ExprKind, StmtId, StmtKind};

/// Calls `look` for each place of each offered action, with its path.
pub(super) fn walk<'m>(scene: &'m Scene<'m>, look: &mut dyn FnMut(&str, Point<'m>)) {
    for (action, found) in scene.model.system.actions.iter().enumerate() {
        if scene.model.event_of[action].is_none() {
            continue;
        }
        let mut walk = Walk {
            scene,
            action,
            formula: None,
            path: found.name.text.clone(),
            look: &mut *look,
        };
        if let Some(guard) = found.guard {
            walk.below("guard", |walk| walk.guard(guard));
        }
        walk.below("body", |walk| walk.command(found.body));
    }
}

struct Walk<'w, 'm> {
    scene: &'m Scene<'m>,
    action: usize,
    /// The current top-level expression.
    formula: Option<ExprId>,
    path: String,
    look: &'w mut dyn FnMut(&str, Point<'m>),
}

/// An expression that is still to be visited.
struct Due<'m> {
    id: ExprId,
    path: String,
    needed: Level,
    domain: Option<&'m Domain>,
}

impl<'m> Walk<'_, 'm> {
    fn below(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(name);
        inside(self);
        self.path.truncate(length);
    }

    fn guard(&mut self, id: ExprId) {
        (self.look)(&self.path, Point::Guard(id));
        self.expression(id, None);
    }

    fn command(&mut self, id: StmtId) {
        let model = self.scene.model;
        match &model.system.stmts[id].kind {
            StmtKind::Skip => {}
            StmtKind::Assign { target, value } => {
                let domain = model.target(id).map(|variable| model.domain(variable));
                self.below(&target.text, |walk| {
                    (walk.look)(&walk.path, Point::Assignment(id));
                    walk.below("value", |walk| walk.expression(*value, domain));
                });
            }
            StmtKind::Guard { condition, body } => {
                self.below("guard", |walk| walk.guard(*condition));
                self.below("body", |walk| walk.command(*body));
            }
            StmtKind::Sequence(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.below(&format!("step[{index}]"), |walk| walk.command(*part));
                }
            }
            StmtKind::Choice(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.below(&format!("choice[{index}]"), |walk| {
                        (walk.look)(&walk.path, Point::Branch { choice: id, index });
                        walk.command(*part);
                    });
                }
            }
            StmtKind::Prioritised(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.below(&format!("else[{index}]"), |walk| walk.command(*part));
                }
            }
            StmtKind::Located(parts) => {
                for (_, part) in parts {
                    self.command(*part);
                }
            }
            StmtKind::Transition(transition) => {
                let path = std::mem::replace(&mut self.path, transition.name.clone());
                (self.look)(&self.path, Point::Transition(id));
                match model.system.stmts[transition.body].kind {
                    StmtKind::Guard { .. } => self.command(transition.body),
                    _ => self.below("body", |walk| walk.command(transition.body)),
                }
                self.path = path;
            }
            StmtKind::Move { .. } => {
                self.below("to", |walk| (walk.look)(&walk.path, Point::Move(id)))
            }
            StmtKind::Emit { output, values } => self.below(&output.text, |walk| {
                (walk.look)(&walk.path, Point::Emit(id));
                let cell = model.target(id);
                for (index, value) in values.iter().enumerate() {
                    let domain = cell.map(|cell| model.domain(cell + 1 + index));
                    walk.below(&format!("value[{index}]"), |walk| {
                        walk.expression(*value, domain);
                    });
                }
            }),
        }
    }

    fn expression(&mut self, root: ExprId, domain: Option<&'m Domain>) {
        self.formula = Some(root);
        let mut open = vec![Due {
            id: root,
            path: self.path.clone(),
            needed: 0,
            domain,
        }];
        while let Some(due) = open.pop() {
            let exprs = &self.scene.model.system.exprs;
            match &exprs[due.id].kind {
                ExprKind::Binary(..) => self.chain(due, &mut open),
                ExprKind::Unary(_, a) => {
                    let path = format!("{}/operand", due.path);
                    let operand = *a;
                    self.show(&due);
                    open.push(Due {
                        id: operand,
                        path,
                        needed: PRIMARY,
                        domain: None,
                    });
                }
                _ => self.show(&due),
            }
        }
    }

    fn show(&mut self, due: &Due<'m>) {
        let point = Point::Expr {
            id: due.id,
            needed: due.needed,
            domain: due.domain,
            action: self.action,
            formula: self.formula.unwrap_or(due.id),
        };
        (self.look)(&due.path, point);
    }

    /// Visits a chain of operators of one precedence. Its operators and operands are numbered from the left, so that paths are short for
    /// long chains.
    fn chain(&mut self, due: Due<'m>, open: &mut Vec<Due<'m>>) {
        let scene = self.scene;
        let exprs = &scene.model.system.exprs;
        let operators = &scene.language.operators;
        let level = |id: ExprId| match exprs[id].kind {
            ExprKind::Binary(op, ..) => operators.of(op).map(|infix| infix.level),
            _ => None,
        };
        let own = level(due.id);
        let (mut spine, mut operands) = (Vec::new(), Vec::new());
        let mut at = due.id;
        while let ExprKind::Binary(op, a, b) = exprs[at].kind
            && level(at) == own
            && (at == due.id || !exprs[at].is_parenthesised())
        {
            spine.push(at);
            // In a comparison, each side determines the expected values of the other.
            let other = op.is_relational().then_some(a);
            operands.push((b, other));
            at = a;
            if op.is_relational() {
                operands.push((a, Some(b)));
                break;
            }
        }
        let is_comparison = operands.last().is_some_and(|(_, other)| other.is_some());
        if !is_comparison {
            operands.push((at, None));
        }
        (self.look)(&due.path, Point::Chain(due.id));
        let length = spine.len();
        for (index, id) in spine.into_iter().rev().enumerate() {
            let path = match length {
                1 => due.path.clone(),
                _ => format!("{}/operator[{index}]", due.path),
            };
            let needed = match id == due.id {
                true => due.needed,
                // It is the left operand of the next operator.
                false => own.unwrap_or(0),
            };
            self.show(&Due {
                id,
                path,
                needed,
                domain: None,
            });
        }
        let own = own.unwrap_or(0);
        for (index, (id, other)) in operands.into_iter().rev().enumerate() {
            let is_left = index == 0 && !is_comparison;
            open.push(Due {
                id,
                path: format!("{}/operand[{index}]", due.path),
                needed: if is_left { own } else { own.saturating_add(1) },
                domain: other.and_then(|other| self.domain(other)),
            });
        }
    }

    /// Returns the values of a variable or parameter; `None` for other expressions.
    fn domain(&self, id: ExprId) -> Option<&'m Domain> {
        let model = self.scene.model;
        let reference = model.reference(id)?;
        model.domain_of(self.action, reference)
    }
}
