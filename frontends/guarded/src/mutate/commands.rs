//! Removed commands.

use hyperkill_frontend::Span;

use super::rule::{Change, Edit, Point, Rule, Site};
use crate::tree::{StmtId, StmtKind};

/// An assignment is removed.
pub(super) const ASSIGNMENT: Rule = Rule {
    name: "MA",
    summary: "does nothing in the place of an assignment",
    example: "(aState := 2; soundOn := 1) ⇒ (aState := 2; skip)",
    edits: |scene, point| {
        let Point::Assignment(id) = point else {
            return Vec::new();
        };
        vec![Edit {
            site: Site::Stmt(id),
            change: Change::Skip,
            span: scene.model.system.stmts[id].span,
            replacement: scene.language.operators.skip.to_owned(),
        }]
    },
};

/// A branch of a choice is removed.
pub(super) const BRANCH: Rule = Rule {
    name: "CBD",
    summary: "deletes a branch of a choice",
    example: "((a #= 1) => (a := 2)) [] ((a #= 2) => (a := 1)) ⇒ ((a #= 2) => (a := 1))",
    edits: |scene, point| {
        let Point::Branch { choice, index } = point else {
            return Vec::new();
        };
        let stmts = &scene.model.system.stmts;
        let StmtKind::Choice(parts) = &stmts[choice].kind else {
            return Vec::new();
        };
        // Transitions are not adjacent in the text: their guards are changed instead.
        let is_transition = |part: &StmtId| matches!(stmts[*part].kind, StmtKind::Transition(_));
        if parts.iter().any(is_transition) {
            return Vec::new();
        }
        let place = |index: usize| parts.get(index).map(|part| stmts[*part].outer);
        let Some(own) = place(index) else {
            return Vec::new();
        };
        // With the following sign, or for the last one with the preceding sign.
        let span = match (place(index + 1), index.checked_sub(1).and_then(place)) {
            (Some(next), _) => Span {
                end: next.start,
                ..own
            },
            (None, Some(last)) => Span {
                start: last.end,
                ..own
            },
            (None, None) => return Vec::new(),
        };
        vec![Edit {
            site: Site::Stmt(choice),
            change: Change::Drop(index),
            span,
            replacement: String::new(),
        }]
    },
};
