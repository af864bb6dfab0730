//! Assignments removed or changed in timing, branches of `case` removed or exchanged.

use rustc_hash::FxHashSet;

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use crate::ast::Extent;
use crate::ast::{CaseItem, ExprKind, StmtId, StmtKind};
use crate::number::Digit;

pub(super) const MISSING: Rule = Rule {
    name: "MAS",
    summary: "leaves an assignment out",
    example: "q <= d; ⇒ ;",
    edits: |scene, point| match point {
        Point::Stmt(id, function)
            if matches!(scene.source.stmt(id).kind, StmtKind::Assign { .. }) =>
        {
            let place = scene.source.stmt(id).extent;
            // A file may be included in a function and elsewhere.
            let span = place.span(&scene.source.tokens);
            let function = function || scene.in_functions.contains(&(span.file, span.start));
            vec![Edit {
                site: Site::Stmt(id),
                place,
                // A function must have a statement.
                text: if function { "begin end" } else { ";" }.to_owned(),
                change: Change::Delete,
            }]
        }
        _ => Vec::new(),
    },
};

pub(super) const TIMING: Rule = Rule {
    name: "BNB",
    summary: "exchanges blocking and non-blocking assignment at the edges of a clock",
    example: "q <= d ⇒ q = d",
    edits: |scene, point| exchanged_timing(scene, point, true),
};

/// Without a clock the exchange makes almost only equivalent mutants, and mutants that simulators read differently.
pub(super) const TIMING_ELSEWHERE: Rule = Rule {
    name: "BNC",
    summary: "exchanges blocking and non-blocking assignment in combinational blocks",
    example: "y = a ⇒ y <= a",
    edits: |scene, point| exchanged_timing(scene, point, false),
};

fn exchanged_timing(scene: &Scene<'_>, point: Point, at_edges: bool) -> Vec<Edit> {
    // Functions have blocking assignments only.
    let Point::Stmt(id, false) = point else {
        return Vec::new();
    };
    let StmtKind::Assign {
        blocking,
        target,
        value,
        operator,
    } = scene.source.stmt(id).kind
    else {
        return Vec::new();
    };
    let (before, after) = if blocking { ("=", "<=") } else { ("<=", "=") };
    let is_written = scene.text(scene.token(operator)) == Some(before);
    if !is_written || scene.at_edges.contains(&id) != at_edges {
        return Vec::new();
    }
    vec![Edit {
        site: Site::Stmt(id),
        place: scene.token(operator),
        text: after.to_owned(),
        change: Change::Stmt(StmtKind::Assign {
            blocking: !blocking,
            target,
            value,
            operator,
        }),
    }]
}

/// Whether no value is in two branches: all labels are plain numbers, and all differ.
fn are_disjoint(scene: &Scene<'_>, items: &[CaseItem]) -> bool {
    let mut seen = FxHashSet::default();
    items.iter().flat_map(|item| &item.labels).all(|label| {
        let ExprKind::Number(literal) = &scene.source.expr(*label).kind else {
            return false;
        };
        let mut digits = literal.digits.clone();
        // Sign extension would change the number.
        if literal.has_unknown() || (literal.signed && digits.last() == Some(&Digit::One)) {
            return false;
        }
        while digits.last() == Some(&Digit::Zero) {
            digits.pop();
        }
        seen.insert(digits)
    })
}

pub(super) const CASE_REMOVAL: Rule = Rule {
    name: "CIR",
    summary: "leaves a branch of a case out",
    example: "case (s) 0: a; 1: b; endcase ⇒ case (s) 0: a; endcase",
    edits: |scene, point| {
        let Point::Stmt(id, _) = point else {
            return Vec::new();
        };
        let StmtKind::Case {
            kind,
            subject,
            items,
            full,
        } = &scene.source.stmt(id).kind
        else {
            return Vec::new();
        };
        if items.len() < 2 {
            return Vec::new();
        }
        let default = items.iter().find(|item| item.labels.is_empty());
        let default = default.map(|item| item.body);
        let kind_of = |body: Option<StmtId>| body.map(|body| &scene.source.stmt(body).kind);
        // Declarations of a block belong to that very block.
        let declares = matches!(kind_of(default), Some(StmtKind::Block(_, declared, _)) if !declared.is_empty());
        let by_itself = !full && !declares && are_disjoint(scene, items);
        let edit = |i: usize| {
            let left_out = &items[i];
            let place = left_out.extent;
            let text = String::new();
            // A value without another branch goes to the default, so only this branch matters.
            if by_itself && !left_out.labels.is_empty() {
                return Edit {
                    site: Site::Stmt(left_out.body),
                    place,
                    text,
                    change: Change::Default {
                        case: id,
                        body: default,
                    },
                };
            }
            let mut rest = items.clone();
            rest.remove(i);
            Edit {
                site: Site::Stmt(id),
                place,
                text,
                change: Change::Stmt(StmtKind::Case {
                    kind: *kind,
                    subject: *subject,
                    items: rest,
                    full: *full,
                }),
            }
        };
        (0..items.len()).map(edit).collect()
    },
};

/// Whether attributes or a word like `unique` stand before a statement.
fn has_prefix(scene: &Scene<'_>, body: Extent) -> bool {
    let before = body.first.checked_sub(1);
    let before = before.and_then(|at| scene.source.tokens.get(at as usize));
    before.is_some_and(|token| matches!(&*token.text, "*)" | "unique" | "unique0" | "priority"))
}

pub(super) const CASE_SWAP: Rule = Rule {
    name: "CIS",
    summary: "exchanges what two neighbouring branches of a case do",
    example: "0: a; 1: b; ⇒ 0: b; 1: a;",
    edits: |scene, point| {
        let Point::Stmt(id, _) = point else {
            return Vec::new();
        };
        let StmtKind::Case { items, .. } = &scene.source.stmt(id).kind else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        for i in 1..items.len() {
            let (a, b) = (items[i - 1].body, items[i].body);
            let (first, second) = (scene.source.stmt(a).extent, scene.source.stmt(b).extent);
            // A prefix of a statement is no part of its text.
            if [first, second].iter().any(|body| has_prefix(scene, *body)) {
                continue;
            }
            // The labels of the second branch.
            let between = Extent {
                first: first.last + 1,
                last: second.first.saturating_sub(1),
            };
            if !scene.is_editable(first.to(second)) {
                continue;
            }
            let (Some(one), Some(other), Some(between)) =
                (scene.text(first), scene.text(second), scene.text(between))
            else {
                continue;
            };
            if one == other {
                continue;
            }
            edits.push(Edit {
                site: Site::Stmt(id),
                place: first.to(second),
                text: format!("{other} {between} {one}"),
                change: Change::Swap(a, b),
            });
        }
        edits
    },
};
