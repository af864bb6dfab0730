//! Latches of blocks like `always @*`, which leave a variable unassigned in some branch: the blocks, and a warning for each variable.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::system::Warning;
use hyperkill_frontend::Span;

use crate::ast::{ExprId, ExprKind, Source, StmtId, StmtKind};
use crate::design::{Design, Latch, WordId};

/// Returns the blocks outside `always_latch` that are latches in a design without mutants. `kept` are the words whose latches are read,
/// with their processes.
#[must_use]
pub fn latches(design: &Design, kept: &BTreeSet<(WordId, usize)>) -> BTreeSet<StmtId> {
    let read = inferred(design, kept).map(|(_, block)| block);
    read.chain(design.gating.iter().copied()).collect()
}

/// Returns a warning for each variable that such a block keeps, at the branch that does not assign it.
#[must_use]
pub fn warnings(
    source: &Source,
    design: &Design,
    kept: &BTreeSet<(WordId, usize)>,
) -> Vec<Warning> {
    let mut found: BTreeMap<(usize, usize, String), Warning> = BTreeMap::new();
    for (word, block) in inferred(design, kept) {
        let name = &design.var(design.elements[word.0].0).name;
        let name = name.rsplit('.').next().unwrap_or(name);
        let (place, branch) = missing(source, block, name)
            .unwrap_or_else(|| (source.stmt_span(block), "in some branch of this block"));
        let message =
            format!("`{name}` keeps its value {branch}: this is a latch, as in `always_latch`");
        let Span { file, start, end } = place;
        let warning = Warning {
            message,
            file,
            bytes: (start, end),
        };
        found.insert((file, start, name.to_owned()), warning);
    }
    found.into_values().collect()
}

/// Returns the kept words of blocks that are latches because of a missing branch, with these blocks.
fn inferred<'a>(
    design: &'a Design,
    kept: &'a BTreeSet<(WordId, usize)>,
) -> impl Iterator<Item = (WordId, StmtId)> + 'a {
    let kept = kept.iter();
    let kept = kept.filter(|(_, process)| design.latches.get(process) == Some(&Latch::Perhaps));
    kept.filter_map(|(word, process)| Some((*word, *design.blocks.get(process)?)))
}

/// Returns the first branch of a statement that does not assign the variable `name`, with the kind of branch that is missing. `None` if all
/// branches assign it.
fn missing(source: &Source, id: StmtId, name: &str) -> Option<(Span, &'static str)> {
    const BRANCH: &str = "in this branch, which does not assign it";
    let place = source.stmt_span(id);
    match &source.stmt(id).kind {
        StmtKind::Assign { target, .. } if assigns(source, *target, name) => None,
        StmtKind::Block(_, _, statements) => {
            let mut last = Some((place, BRANCH));
            for inner in statements {
                let found = missing(source, *inner, name);
                found?;
                if mentions(source, *inner, name) {
                    last = found;
                }
            }
            last
        }
        StmtKind::If(_, then, other) => missing(source, *then, name).or_else(|| match other {
            Some(other) => missing(source, *other, name),
            None => Some((place, "where this `if` has no `else`")),
        }),
        StmtKind::Case { items, full, .. } => {
            let mut bodies = items.iter().map(|item| item.body);
            let has_default = *full || items.iter().any(|item| item.labels.is_empty());
            bodies
                .find_map(|body| missing(source, body, name))
                .or_else(|| (!has_default).then_some((place, "where this `case` has no `default`")))
        }
        StmtKind::For { body, .. }
        | StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::RepeatTimes(_, body)
        | StmtKind::Foreach { body, .. } => missing(source, *body, name),
        StmtKind::Task(_, arguments)
            if arguments
                .iter()
                .any(|argument| assigns(source, *argument, name)) =>
        {
            None
        }
        _ => Some((place, BRANCH)),
    }
}

/// Whether some statement in this one assigns the variable `name`.
fn mentions(source: &Source, id: StmtId, name: &str) -> bool {
    match &source.stmt(id).kind {
        StmtKind::Assign { target, .. } => assigns(source, *target, name),
        StmtKind::Block(_, _, statements) => {
            let mut statements = statements.iter();
            statements.any(|inner| mentions(source, *inner, name))
        }
        StmtKind::If(_, then, other) => {
            let mut branches = std::iter::once(*then).chain(*other);
            branches.any(|branch| mentions(source, branch, name))
        }
        StmtKind::Case { items, .. } => items.iter().any(|item| mentions(source, item.body, name)),
        StmtKind::For { body, .. }
        | StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::RepeatTimes(_, body)
        | StmtKind::Foreach { body, .. } => mentions(source, *body, name),
        StmtKind::Task(_, arguments) => {
            let mut arguments = arguments.iter();
            arguments.any(|argument| assigns(source, *argument, name))
        }
        _ => false,
    }
}

/// Whether the variable `name` is the target of an assignment, or a part of the target.
fn assigns(source: &Source, target: ExprId, name: &str) -> bool {
    match &source.expr(target).kind {
        ExprKind::Concat(parts) | ExprKind::Stream(_, _, parts) => {
            parts.iter().any(|part| assigns(source, *part, name))
        }
        ExprKind::Argument(_, base)
        | ExprKind::Index(base, _)
        | ExprKind::Part(base, ..)
        | ExprKind::Indexed { base, .. } => assigns(source, *base, name),
        ExprKind::Name(path) => path.iter().any(|step| &*step.name == name),
        _ => false,
    }
}
