//! Assignments that are missing or come at another time, branches of `case` that are missing or exchanged.

use super::{Change, Edit, Extent, Point, Rule, Scene, Site};
use crate::ast::{CaseItem, StmtId, StmtKind};

pub(super) const MISSING: Rule = Rule {
    name: "MAS",
    summary: "leaves an assignment out",
    example: "q <= d; ⇒ ;",
    edits: |scene, point| match point {
        Point::Stmt(id, function)
            if matches!(scene.source.stmt(id).kind, StmtKind::Assign { .. }) =>
        {
            vec![Edit {
                site: Site::Stmt(id),
                place: scene.source.stmt(id).extent,
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
    summary: "exchanges blocking and non-blocking assignment",
    example: "q <= d ⇒ q = d",
    edits: |scene, point| {
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
        if scene.text(scene.token(operator)) != before {
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
    },
};

/// The branches of a `case`, if it is one, and a way to make it anew with others.
fn branches(
    scene: &Scene<'_>,
    id: StmtId,
) -> Option<(Vec<CaseItem>, impl Fn(Vec<CaseItem>) -> StmtKind)> {
    let StmtKind::Case {
        kind,
        subject,
        items,
        full,
    } = &scene.source.stmt(id).kind
    else {
        return None;
    };
    let (kind, subject, full) = (*kind, *subject, *full);
    let make = move |items| StmtKind::Case {
        kind,
        subject,
        items,
        full,
    };
    Some((items.clone(), make))
}

pub(super) const CASE_REMOVAL: Rule = Rule {
    name: "CIR",
    summary: "leaves a branch of a case out",
    example: "case (s) 0: a; 1: b; endcase ⇒ case (s) 0: a; endcase",
    edits: |scene, point| {
        let Point::Stmt(id, _) = point else {
            return Vec::new();
        };
        let Some((items, make)) = branches(scene, id).filter(|(items, _)| items.len() > 1) else {
            return Vec::new();
        };
        let edit = |i: usize| {
            let mut rest = items.clone();
            let left_out = rest.remove(i);
            Edit {
                site: Site::Stmt(id),
                place: left_out.extent,
                text: String::new(),
                change: Change::Stmt(make(rest)),
            }
        };
        (0..items.len()).map(edit).collect()
    },
};

pub(super) const CASE_SWAP: Rule = Rule {
    name: "CIS",
    summary: "exchanges what two neighbouring branches of a case do",
    example: "0: a; 1: b; ⇒ 0: b; 1: a;",
    edits: |scene, point| {
        let Point::Stmt(id, _) = point else {
            return Vec::new();
        };
        let Some((items, make)) = branches(scene, id) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        for i in 1..items.len() {
            let (a, b) = (items[i - 1].body, items[i].body);
            let (first, second) = (scene.source.stmt(a).extent, scene.source.stmt(b).extent);
            let (one, other) = (scene.text(first), scene.text(second));
            if one == other || first.last + 1 >= second.first {
                continue;
            }
            let between = scene.text(Extent {
                first: first.last + 1,
                last: second.first - 1,
            });
            let mut exchanged = items.clone();
            exchanged[i - 1].body = b;
            exchanged[i].body = a;
            edits.push(Edit {
                site: Site::Stmt(id),
                place: first.to(second),
                text: format!("{other} {between} {one}"),
                change: Change::Stmt(make(exchanged)),
            });
        }
        edits
    },
};
