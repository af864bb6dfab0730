//! Mutants of numbers.

use super::rule::{Change, Edit, Point, Position, Rule};
use crate::ast::ExprKind;
use crate::number::{Digit, Literal};

pub(super) const NUMBER: Rule = Rule {
    name: "CON",
    summary: "changes a number to 0, 1, all ones, one more and one less, at its width",
    example: "2'd2 ⇒ 2'd3",
    edits: |scene, point| {
        let Point::Expr(id, position) = point else {
            return Vec::new();
        };
        let ExprKind::Number(literal) = &scene.source.expr(id).kind else {
            return Vec::new();
        };
        if literal.has_unknown() || position == Position::Index {
            return Vec::new();
        }
        let edits = others(literal).into_iter().map(|other| {
            let text = spelled(&other);
            Edit::expr(scene, id, text, Change::Expr(ExprKind::Number(other)))
        });
        edits.collect()
    },
};

/// Returns 0, 1, all ones, one more and one less, each once and without the literal's own value.
fn others(literal: &Literal) -> Vec<Literal> {
    let width = literal.digits.len();
    let bits: Vec<bool> = literal
        .digits
        .iter()
        .map(|digit| *digit == Digit::One)
        .collect();
    let one: Vec<bool> = (0..width).map(|i| i == 0).collect();
    let mut candidates = vec![vec![false; width], one];
    if literal.sized || literal.fill {
        candidates.push(vec![true; width]);
    }
    candidates.push(stepped(&bits, true));
    // A number without width is never negative.
    if literal.sized || bits.contains(&true) {
        candidates.push(stepped(&bits, false));
    }
    let mut found: Vec<Vec<bool>> = Vec::new();
    for candidate in candidates {
        if candidate != bits && !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    let number = |bits: Vec<bool>| Literal {
        digits: bits.into_iter().map(Digit::of).collect(),
        ..literal.clone()
    };
    found.into_iter().map(number).collect()
}

/// Returns the number plus one, or minus one.
fn stepped(bits: &[bool], up: bool) -> Vec<bool> {
    let mut bits = bits.to_vec();
    for bit in &mut bits {
        *bit = !*bit;
        if *bit == up {
            break;
        }
    }
    bits
}

fn spelled(literal: &Literal) -> String {
    // A signed number without width is written as a plain one.
    let plain = !literal.sized && literal.signed;
    if literal.fill || plain || literal.width() > 63 {
        return literal.text();
    }
    let digits = literal.digits.iter().rev();
    let value = digits.fold(0u64, |value, digit| {
        value << 1 | u64::from(*digit == Digit::One)
    });
    let sign = if literal.signed { "s" } else { "" };
    match literal.width() {
        _ if !literal.sized => format!("'h{value:x}"),
        width @ ..=8 => format!("{width}'{sign}d{value}"),
        width => format!("{width}'{sign}h{value:x}"),
    }
}
