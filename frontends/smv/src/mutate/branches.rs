//! CBS, CBV: branches of a `case` are exchanged, or have the value of a neighbour.

use hyperkill_frontend::Span;

use super::rule::{Point, Rule};

/// Two consecutive branches are exchanged.
pub(super) const SWAP: Rule = Rule {
    name: "CBS",
    summary: "swaps a branch of a case with the next one",
    example: "case a : 1; b : 2; TRUE : 0; esac ⇒ case b : 2; a : 1; TRUE : 0; esac",
    edits: |scene, point| {
        let Point::Branch {
            case,
            index,
            branches,
        } = *point
        else {
            return Vec::new();
        };
        let (Some(here), Some(after)) = (branches.get(index), branches.get(index + 1)) else {
            return Vec::new();
        };
        let whole = scene.model.exprs()[case].span;
        let piece = |start: usize, end: usize| Span::new(start, end).of(scene.text);
        let replacement = [
            piece(whole.start, here.span.start),
            after.span.of(scene.text),
            piece(here.span.end, after.span.start),
            here.span.of(scene.text),
            piece(after.span.end, whole.end),
        ]
        .concat();
        vec![scene.replace(case, replacement)]
    },
};

/// A branch takes the value of the next one. The last one, the default, takes that of the previous one.
pub(super) const COPY: Rule = Rule {
    name: "CBV",
    summary: "gives a branch of a case the value of the next one, the last one that of the one before",
    example: "case a : 1; TRUE : 0; esac ⇒ case a : 0; TRUE : 0; esac",
    edits: |scene, point| {
        let Point::Branch {
            index, branches, ..
        } = *point
        else {
            return Vec::new();
        };
        let other = match index + 1 < branches.len() {
            true => index + 1,
            false => index.wrapping_sub(1),
        };
        let (Some(here), Some(other)) = (branches.get(index), branches.get(other)) else {
            return Vec::new();
        };
        let exprs = scene.model.exprs();
        let outer = exprs[other.value].outer.of(scene.text);
        match outer == exprs[here.value].outer.of(scene.text) {
            true => Vec::new(),
            false => vec![scene.replace(here.value, outer.to_owned())],
        }
    },
};
