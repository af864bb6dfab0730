//! SER, SEA, RBC: a choice has fewer or more values.

use super::rule::{Point, Rule, Scene};
use crate::ast::{ExprId, ExprKind};
use crate::domain::Kind;

/// Returns the texts of the elements of a set. Empty for other expressions.
fn elements<'a>(scene: &Scene<'a>, id: ExprId) -> Vec<&'a str> {
    let exprs = scene.model.exprs();
    let ExprKind::Set(elements) = exprs.kind(id) else {
        return Vec::new();
    };
    let elements = elements.iter();
    elements
        .map(|element| exprs[*element].outer.of(scene.text))
        .collect()
}

/// `{a, b}` becomes `{a}`, and `{b}`.
pub(super) const REMOVAL: Rule = Rule {
    name: "SER",
    summary: "removes an element of a set that has several",
    example: "next(out) := {tea, coff} ⇒ next(out) := {tea}",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let texts = elements(scene, id);
        if texts.len() < 2 {
            return Vec::new();
        }
        let without = |gone: usize| {
            let kept = texts.iter().enumerate().filter(|(i, _)| *i != gone);
            let kept: Vec<&str> = kept.map(|(_, text)| *text).collect();
            scene.replace(id, format!("{{{}}}", kept.join(", ")))
        };
        (0..texts.len()).map(without).collect()
    },
};

/// `{a, b}` becomes `{a, b, c}` for each other possible symbol or truth value.
pub(super) const ADDITION: Rule = Rule {
    name: "SEA",
    summary: "adds each missing symbol or truth value to a set",
    example: "next(out) := {tea, coff} ⇒ next(out) := {tea, coff, none}",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let texts = elements(scene, id);
        if texts.is_empty() {
            return Vec::new();
        }
        let candidates: Vec<String> = match scene.types.of(id).kind {
            Kind::Bool => vec!["TRUE".to_owned(), "FALSE".to_owned()],
            Kind::Symbol => {
                let domain = scene.context.variable(id);
                let symbols = domain.and_then(|v| scene.model.variables[v].domain.as_symbols());
                symbols.unwrap_or_default().to_vec()
            }
            _ => Vec::new(),
        };
        let missing = candidates.iter().filter(|c| !texts.contains(&c.as_str()));
        missing
            .map(|symbol| scene.replace(id, format!("{{{}, {symbol}}}", texts.join(", "))))
            .collect()
    },
};

/// `1..3` becomes `0..3`, `2..3`, `1..2` and `1..4`.
pub(super) const BOUND: Rule = Rule {
    name: "RBC",
    summary: "makes a bound of a range of numbers less and greater by 1",
    example: "next(n) := 1..3 ⇒ next(n) := 1..4",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let ExprKind::Range(low, high) = *scene.model.exprs().kind(id) else {
            return Vec::new();
        };
        let all = [
            (low - 1, high),
            (low + 1, high),
            (low, high - 1),
            (low, high + 1),
        ];
        let sound = all.into_iter().filter(|(low, high)| low <= high);
        sound
            .map(|(low, high)| scene.replace(id, format!("{low}..{high}")))
            .collect()
    },
};
