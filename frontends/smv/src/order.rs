//! The order in which values can be computed, or the cycle that prevents it.
//!
//! A value is a variable or DEFINE at one of three times: at the present step, at the next step, or at step 0. A value that depends on
//! itself at the same time is refused, as in NuSMV.

use hyperkill_frontend::Diagnostic;

use crate::ast::{ExprId, ExprKind};
use crate::resolve::{Entity, Model};

/// The step that a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Time {
    /// The value belongs to the current step.
    Now,
    /// The value belongs to the step after the current one.
    Next,
    /// The value belongs to the first step.
    Zero,
}

/// A value that must be computed: never a symbol.
pub type Unit = (Entity, Time);

/// Returns the DEFINEs in topological order: each one follows the DEFINEs that it reads at any time.
///
/// # Errors
/// If DEFINEs depend on each other in a cycle.
pub fn defines(model: &Model<'_>) -> Result<Vec<usize>, Diagnostic> {
    let roots: Vec<Unit> = (0..model.defines.len())
        .map(|d| (Entity::Define(d), Time::Now))
        .collect();
    let read = |(entity, _): Unit| match entity {
        Entity::Define(d) => {
            let parts = model.exprs().subtree(model.defines[d].body);
            let read = parts.filter_map(|part| match model.entity(part) {
                Some(define @ Entity::Define(_)) => Some((define, Time::Now)),
                _ => None,
            });
            read.collect()
        }
        _ => Vec::new(),
    };
    let sorted = sort(model, &roots, read)?;
    let index = |(entity, _): &Unit| match entity {
        Entity::Define(d) => Some(*d),
        _ => None,
    };
    Ok(sorted.iter().filter_map(index).collect())
}

/// Returns in topological order all values of assignments, of the DEFINEs `defines`, and the values that constraints and invariants read.
pub fn values(
    model: &Model<'_>,
    defines: impl Iterator<Item = usize>,
) -> Result<Vec<Unit>, Diagnostic> {
    let mut roots = Vec::new();
    for (v, variable) in model.variables.iter().enumerate() {
        if variable.current.is_some() {
            roots.push((Entity::Variable(v), Time::Now));
        }
        if variable.next.is_some() {
            roots.push((Entity::Variable(v), Time::Next));
        }
        if variable.init.is_some() {
            roots.push((Entity::Variable(v), Time::Zero));
        }
    }
    roots.extend(defines.map(|d| (Entity::Define(d), Time::Now)));
    let coming = under_next(model);
    let conditions = (model.flat.constraints.iter().map(|c| c.body))
        .chain(model.flat.invariants.iter().map(|i| i.body));
    for condition in conditions {
        roots.extend(read_by(model, &coming, condition, Time::Now));
    }
    sort(model, &roots, |unit| reads(model, &coming, unit))
}

/// Returns for each expression whether it is inside a `next(…)`.
fn under_next(model: &Model<'_>) -> Vec<bool> {
    let mut under = vec![false; model.exprs().len()];
    // Operands have smaller ids, so descending ids visit trees top-down.
    for (id, expr) in model.exprs().iter().rev() {
        let here = under[id.index()] || matches!(expr.kind, ExprKind::Next(_));
        expr.kind.for_each_operand(|o| under[o.index()] = here);
    }
    under
}

/// Returns the expression that defines a value, and the time at which its names are read; `None` if no assignment defines it.
fn giver(model: &Model<'_>, (entity, time): Unit) -> Option<(ExprId, Time)> {
    match entity {
        Entity::Symbol => None,
        Entity::Define(d) => Some((model.defines[d].body, time)),
        Entity::Variable(v) => {
            let variable = &model.variables[v];
            let current = variable.current.map(|a| (a.value, time));
            let other = match time {
                Time::Now => None,
                Time::Next => variable.next.map(|a| (a.value, Time::Now)),
                Time::Zero => variable.init.map(|a| (a.value, Time::Zero)),
            };
            current.or(other)
        }
    }
}

fn reads(model: &Model<'_>, under_next: &[bool], unit: Unit) -> Vec<Unit> {
    let Some((body, time)) = giver(model, unit) else {
        return Vec::new();
    };
    read_by(model, under_next, body, time)
}

/// Returns the values that `body` reads if its names are read at `time`; names under `next` are read at the next step.
fn read_by(model: &Model<'_>, under_next: &[bool], body: ExprId, time: Time) -> Vec<Unit> {
    let read = |part: ExprId| {
        let time = match under_next[part.index()] {
            true => Time::Next,
            false => time,
        };
        match model.entity(part)? {
            Entity::Symbol => None,
            entity => Some((entity, time)),
        }
    };
    model.exprs().subtree(body).filter_map(read).collect()
}

/// Returns the roots and all that they read, each after the values that it reads. The depth-first search has an explicit stack, since
/// chains may be as long as the model.
///
/// # Errors
/// If a value depends on itself.
fn sort(
    model: &Model<'_>,
    roots: &[Unit],
    reads: impl Fn(Unit) -> Vec<Unit>,
) -> Result<Vec<Unit>, Diagnostic> {
    let place = |(entity, time): Unit| {
        let entity = match entity {
            Entity::Variable(v) => v,
            Entity::Define(d) => model.variables.len() + d,
            Entity::Symbol => model.variables.len() + model.defines.len(),
        };
        3 * entity + time as usize
    };
    let count = 3 * (model.variables.len() + model.defines.len() + 1);
    let (mut open, mut done) = (vec![false; count], vec![false; count]);
    let mut sorted = Vec::new();
    for &root in roots {
        if done[place(root)] {
            continue;
        }
        open[place(root)] = true;
        let mut path = vec![(root, reads(root).into_iter())];
        while let Some((unit, rest)) = path.last_mut() {
            match rest.next() {
                None => {
                    done[place(*unit)] = true;
                    open[place(*unit)] = false;
                    sorted.push(*unit);
                    path.pop();
                }
                Some(read) if done[place(read)] => {}
                Some(read) if open[place(read)] => {
                    let from = path.iter().position(|(u, _)| *u == read).unwrap_or(0);
                    let units: Vec<Unit> = path[from..].iter().map(|(u, _)| *u).collect();
                    return Err(circle(model, &units));
                }
                Some(read) => {
                    open[place(read)] = true;
                    path.push((read, reads(read).into_iter()));
                }
            }
        }
    }
    Ok(sorted)
}

fn circle(model: &Model<'_>, units: &[Unit]) -> Diagnostic {
    let describe = |&(entity, time): &Unit| {
        let name = match entity {
            Entity::Variable(v) => {
                let variable = &model.variables[v];
                let assignment = match time {
                    Time::Now => None,
                    Time::Next => variable.next,
                    Time::Zero => variable.init,
                };
                let assignment = assignment.or(variable.current);
                assignment.map_or(variable.name, |a| &a.name)
            }
            Entity::Define(d) => &model.defines[d].name,
            Entity::Symbol => return None,
        };
        let text = match (entity, time) {
            (_, Time::Next) => format!("next({})", name.text),
            (Entity::Variable(_), Time::Zero) => format!("init({})", name.text),
            _ => name.text.clone(),
        };
        Some((text, name.span))
    };
    let named: Vec<_> = units.iter().filter_map(describe).collect();
    let Some((first, span)) = named.first() else {
        return Diagnostic::unlocated("a value depends on itself");
    };
    let mut error = Diagnostic::error(*span, format!("`{first}` depends on itself"));
    for (i, (text, span)) in named.iter().enumerate().take(8) {
        let reads = &named[(i + 1) % named.len()].0;
        error = error.with_label(*span, format!("`{text}` reads `{reads}`"));
    }
    error
}
