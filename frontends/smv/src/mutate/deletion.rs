//! CBD, MA: a branch of a `case` or an assignment is deleted.

use super::rule::{Change, Edit, Point, Rule, Site};

/// A branch of a `case` is deleted, so that later branches apply in its place. If none applies for some values of the variables, the `case`
/// has no value there, and the mutant is invalid. It does not matter whether the model can reach these values.
pub(super) const CASE_BRANCH: Rule = Rule {
    name: "CBD",
    summary: "deletes a branch of a case that has several",
    example: "case open : 1; TRUE : 0; esac ⇒ case TRUE : 0; esac",
    edits: |_, point| match *point {
        Point::Branch {
            case,
            index,
            branches,
        } if branches.len() > 1 => vec![Edit {
            site: Site::Expr(case),
            change: Change::DropBranch(index),
            span: branches[index].span,
            replacement: String::new(),
        }],
        _ => Vec::new(),
    },
};

/// An assignment (`init`, `next` or a current value) is deleted. As in NuSMV, the variable then takes any value. This value is a choice of
/// the mutant and not a test input.
pub(super) const MISSING_ASSIGNMENT: Rule = Rule {
    name: "MA",
    summary: "deletes an assignment, so that the variable takes any value",
    example: "init(wtr) := capacity; ⇒",
    edits: |_, point| match *point {
        Point::Assignment { span, .. } => vec![Edit {
            site: Site::Assignment(span),
            change: Change::DropAssignment,
            span,
            replacement: String::new(),
        }],
        _ => Vec::new(),
    },
};
