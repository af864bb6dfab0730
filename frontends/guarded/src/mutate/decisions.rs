//! Faults of decisions \[4, §2\]: missing or additional negations, missing parentheses, and missing or wrong conditions.

use rustc_hash::FxHashSet;

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use super::text::placed;
use crate::model::Kind;
use crate::operators::{Level, PRIMARY};
use crate::tree::{ExprId, ExprKind, UnaryOp};

/// A subformula is negated.
pub(super) const SUBFORMULA: Rule = Rule {
    name: "ENF",
    summary: "negates a conjunction or a disjunction",
    example: "on e if a & b ⇒ on e if !(a & b)",
    edits: |scene, point| {
        let Point::Expr { id, .. } = point else {
            return Vec::new();
        };
        let expr = &scene.model.system.exprs[id];
        match expr.kind {
            ExprKind::Binary(op, ..) if op.is_logical() => negated(scene, id, true),
            _ => Vec::new(),
        }
    },
};

/// A condition is negated, or a negation is removed.
pub(super) const CONDITION: Rule = Rule {
    name: "VNF",
    summary: "negates a variable that is a condition, and leaves out such negations",
    example: "on e if a & b ⇒ on e if a & !b",
    edits: |scene, point| {
        let Point::Expr { id, needed, .. } = point else {
            return Vec::new();
        };
        let exprs = &scene.model.system.exprs;
        match exprs[id].kind {
            // The negation of a negated variable equals the mutant without the negation.
            ExprKind::Name(_) if scene.model.kind(id) == Kind::Truth && needed < PRIMARY => {
                negated(scene, id, false)
            }
            ExprKind::Unary(UnaryOp::Not, a) if matches!(exprs[a].kind, ExprKind::Name(_)) => {
                vec![Edit {
                    site: Site::Expr(id),
                    change: Change::Operand(0),
                    span: exprs[id].span,
                    replacement: exprs[a].outer.of(scene.text).to_owned(),
                }]
            }
            _ => Vec::new(),
        }
    },
};

fn negated(scene: &Scene<'_>, id: ExprId, fenced: bool) -> Vec<Edit> {
    let Some(prefix) = scene.language.operators.before(UnaryOp::Not) else {
        return Vec::new();
    };
    let span = scene.model.system.exprs[id].span;
    let text = span.of(scene.text);
    let replacement = match fenced {
        true => format!("{}({text})", prefix.sign),
        false => format!("{}{text}", prefix.sign),
    };
    vec![Edit {
        site: Site::Expr(id),
        change: Change::Not,
        span,
        replacement,
    }]
}

/// Parentheses are removed.
pub(super) const ASSOCIATION: Rule = Rule {
    name: "ASF",
    summary: "leaves out the parentheses around an operand of a conjunction, so that it associates otherwise",
    example: "on e if a & (b | c) ⇒ on e if a & b | c",
    edits: |scene, point| {
        let Point::Chain(chain) = point else {
            return Vec::new();
        };
        let exprs = &scene.model.system.exprs;
        let operators = &scene.language.operators;
        let level = |id: ExprId| match exprs[id].kind {
            ExprKind::Binary(op, ..) if op.is_logical() => operators.of(op).map(|o| o.level),
            _ => None,
        };
        let Some(own) = level(chain) else {
            return Vec::new();
        };
        let (_, operands) = exprs.chain(chain);
        let looser = |id: &ExprId| {
            exprs[*id].is_parenthesised() && level(*id).is_some_and(|level| level < own)
        };
        operands
            .into_iter()
            .filter(looser)
            .map(|operand| Edit {
                site: Site::Expr(chain),
                change: Change::Shift(operand),
                span: exprs[operand].outer,
                replacement: exprs[operand].span.of(scene.text).to_owned(),
            })
            .collect()
    },
};

/// A condition is removed.
pub(super) const MISSING: Rule = Rule {
    name: "MVF",
    summary: "leaves out an operand of a conjunction or a disjunction",
    example: "on e if a | b ⇒ on e if a",
    edits: |scene, point| {
        let Point::Expr { id, needed, .. } = point else {
            return Vec::new();
        };
        let exprs = &scene.model.system.exprs;
        let ExprKind::Binary(op, a, b) = exprs[id].kind else {
            return Vec::new();
        };
        if !op.is_logical() {
            return Vec::new();
        }
        // In `a & b & c` the second operator removes only c: the first one removes a or b.
        let is_chain = matches!(exprs[a].kind, ExprKind::Binary(inner, ..) if inner == op)
            && !exprs[a].is_parenthesised();
        let kept = [(0, a), (1, b)].into_iter();
        kept.filter(|(index, _)| *index == 0 || !is_chain)
            .map(|(index, operand)| {
                let text = exprs[operand].outer.of(scene.text).to_owned();
                let level = match exprs[operand].is_parenthesised() {
                    true => PRIMARY,
                    false => level(scene, operand),
                };
                Edit {
                    site: Site::Expr(id),
                    change: Change::Operand(index),
                    span: exprs[id].span,
                    replacement: placed(&exprs[id], text, level, needed),
                }
            })
            .collect()
    },
};

fn level(scene: &Scene<'_>, id: ExprId) -> Level {
    let operators = &scene.language.operators;
    let level = match scene.model.system.exprs[id].kind {
        ExprKind::Binary(op, ..) => operators.of(op).map(|infix| infix.level),
        ExprKind::Unary(op, _) => operators.before(op).map(|prefix| prefix.level),
        _ => None,
    };
    level.unwrap_or(PRIMARY)
}

/// A variable is replaced by another one of the formula.
pub(super) const REFERENCE: Rule = Rule {
    name: "VRF",
    summary: "replaces a variable or a parameter by each other one of the same formula",
    example: "on e if a & b | a ⇒ on e if a & b | b",
    edits: |scene, point| {
        let Point::Expr { id, formula, .. } = point else {
            return Vec::new();
        };
        let model = scene.model;
        let exprs = &model.system.exprs;
        let is_name = |id: ExprId| matches!(exprs[id].kind, ExprKind::Name(_));
        let Some(own) = model.reference(id).filter(|_| is_name(id)) else {
            return Vec::new();
        };
        let mut seen = FxHashSet::default();
        seen.insert(own);
        let mut edits = Vec::new();
        for other in exprs.parts(formula) {
            let Some(reference) = model.reference(other).filter(|_| is_name(other)) else {
                continue;
            };
            let fits = model.kind(other) == model.kind(id)
                && !matches!(reference, crate::model::Reference::Symbol)
                && !matches!(own, crate::model::Reference::Symbol);
            if fits && seen.insert(reference) {
                edits.push(Edit {
                    site: Site::Expr(id),
                    change: Change::Name(reference),
                    span: exprs[id].span,
                    replacement: exprs[other].span.of(scene.text).to_owned(),
                });
            }
        }
        edits
    },
};
