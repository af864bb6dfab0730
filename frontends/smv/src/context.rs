//! The variable whose values contain a symbol in its context: `coff` in `next(out) := coff` is a value of `out`.
//!
//! Constant replacement takes its candidates from this variable, and lowering its sort. An expression like `a = a` has no such variable.

use crate::ast::{BinaryOp, ExprId, ExprKind};
use crate::domain::Kind;
use crate::order;
use crate::resolve::{Entity, Model};

/// For each symbol, the variable with its values.
#[derive(Clone, Debug)]
pub struct Context {
    variables: Vec<Option<usize>>,
}

impl Context {
    /// Returns the index of the variable with symbols whose values are expected of the expression: it is compared with the variable or
    /// assigned to it, itself or as a branch or element. Otherwise the variable whose values the expression has; `None` if there is none.
    #[must_use]
    pub fn variable(&self, id: ExprId) -> Option<usize> {
        self.variables[id.index()]
    }

    /// Computes all contexts: bottom-up for the values of expressions, then top-down for the expected values.
    #[must_use]
    pub fn new(model: &Model<'_>) -> Context {
        let exprs = model.exprs();
        let mut own: Vec<Option<usize>> = vec![None; exprs.len()];
        let defines = order::defines(model).unwrap_or_default();
        let bodies = defines.iter().map(|d| model.defines[*d].body);
        let assigned = model.flat.assignments.iter().map(|a| a.value);
        let conditions = (model.flat.constraints.iter().map(|c| c.body))
            .chain(model.flat.invariants.iter().map(|i| i.body));
        let replacements = model.flat.replacements.iter().map(|r| r.with);
        for root in bodies.chain(assigned).chain(conditions).chain(replacements) {
            for id in exprs.subtree(root) {
                own[id.index()] = up(model, id, &own);
            }
        }
        let mut expected = vec![None; exprs.len()];
        for (v, variable) in model.variables.iter().enumerate() {
            if has_symbols(model, v) {
                let all = [variable.init, variable.next, variable.current];
                for assignment in all.into_iter().flatten() {
                    expected[assignment.value.index()] = Some(v);
                }
            }
        }
        // Replacements have greater ids than their sites, and the expectation of a site is needed first.
        let first = model.flat.replacements.iter().map(|r| r.with).min();
        let first = first.map_or(exprs.len(), |id| exprs[id].first.index());
        let all: Vec<_> = exprs.iter().collect();
        for (id, expr) in all[..first].iter().rev() {
            down(&expr.kind, *id, &own, &mut expected);
        }
        for replacement in &model.flat.replacements {
            expected[replacement.with.index()] = expected[replacement.site.index()];
        }
        for (id, expr) in all[first..].iter().rev().map(|(id, expr)| (*id, *expr)) {
            down(&expr.kind, id, &own, &mut expected);
        }
        for (own, expected) in own.iter().zip(&mut expected) {
            *expected = expected.or(*own);
        }
        Context {
            variables: expected,
        }
    }
}

fn up(model: &Model<'_>, id: ExprId, own: &[Option<usize>]) -> Option<usize> {
    let of = |id: ExprId| own[id.index()];
    match model.exprs().kind(id) {
        ExprKind::Name(_) => match model.entity(id)? {
            Entity::Variable(v) => has_symbols(model, v).then_some(v),
            Entity::Define(d) => of(model.defines[d].body),
            Entity::Symbol => None,
        },
        ExprKind::Next(a) => of(*a),
        ExprKind::Binary(BinaryOp::Union, a, b) | ExprKind::Conditional(_, a, b) => {
            of(*a).or(of(*b))
        }
        ExprKind::Case(branches) => branches.iter().find_map(|b| of(b.value)),
        ExprKind::Set(elements) | ExprKind::Element { elements, .. } => {
            elements.iter().find_map(|e| of(*e))
        }
        _ => None,
    }
}

fn has_symbols(model: &Model<'_>, v: usize) -> bool {
    matches!(model.variables[v].domain.kind(), Kind::Symbol | Kind::Mixed)
}

fn down(kind: &ExprKind, id: ExprId, own: &[Option<usize>], expected: &mut [Option<usize>]) {
    let here = expected[id.index()];
    match kind {
        ExprKind::Binary(BinaryOp::Union, a, b) | ExprKind::Conditional(_, a, b) => {
            expected[a.index()] = here;
            expected[b.index()] = here;
        }
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In, a, b) => {
            expected[a.index()] = own[b.index()];
            expected[b.index()] = own[a.index()];
        }
        ExprKind::Case(branches) => {
            for branch in branches {
                expected[branch.value.index()] = here;
            }
        }
        ExprKind::Set(elements) | ExprKind::Element { elements, .. } => {
            for element in elements {
                expected[element.index()] = here;
            }
        }
        _ => {}
    }
}
