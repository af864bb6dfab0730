//! Decides without a circuit which mutants are models, if possible.
//!
//! In general only terms show that a number is too large, that a choice cannot be decided, or that a mutant has no first step within its
//! ranges. For most systems the tree suffices: numbers are small, choices end actions, and a first step is known. All others need the
//! circuit.

use hyperkill_core::sort::Value;
use rustc_hash::FxHashSet;

use crate::interpret::{self, Occurrence, State, initial, likely_occurrences, part};
use crate::lower::Reading;
use crate::model::Model;
use crate::mutate::{Mutation, Site};
use crate::tree::{Block, Domain, ExprId, ExprKind, Leaving, Refusal, StmtId, StmtKind, UnaryOp};

/// The magnitude of numbers up to which all terms exist, which have 62 bits. Mutants of an expression are covered by the bound of the
/// expression, and comparisons by the remaining bits.
const MAX_MAGNITUDE: u64 = 1 << 40;

/// The nesting depth of choices up to which they can be lowered.
const MOST_CHOICES: usize = 50;

/// The number of values that the interpreter may copy to find a first step, and to follow the mutants that change it.
const EFFORT: usize = 1 << 20;

/// Whether the original and all of its mutants certainly have terms.
pub(crate) fn all_have_terms(model: &Model<'_>) -> bool {
    // Only the circuit decides quiescence of systems with inputs and outputs.
    model.system.inputs.is_none()
        && !has_priorities(&model.system.block)
        && choices_are_last(model)
        && numbers_are_small(model)
}

/// Whether an action makes a choice between branches.
pub(crate) fn has_choices(model: &Model<'_>) -> bool {
    let stmts = &model.system.stmts;
    let mut ids = stmts.ids();
    ids.any(|id| matches!(stmts[id].kind, StmtKind::Choice(_)))
}

fn has_priorities(block: &Block) -> bool {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        match block {
            Block::Offer(_) => {}
            Block::Choice(parts) => open.extend(parts),
            Block::Prioritised(_) => return true,
        }
    }
    false
}

/// Whether each choice is the last command of its action, so that every command is reached by one path only.
fn choices_are_last(model: &Model<'_>) -> bool {
    let stmts = &model.system.stmts;
    let bodies = model.system.actions.iter().map(|action| action.body);
    let mut open: Vec<(StmtId, bool, usize)> = bodies.map(|body| (body, true, 0)).collect();
    while let Some((id, is_last, depth)) = open.pop() {
        let is_choice = match &stmts[id].kind {
            StmtKind::Skip
            | StmtKind::Assign { .. }
            | StmtKind::Emit { .. }
            | StmtKind::Move { .. } => false,
            StmtKind::Guard { body, .. } => {
                open.push((*body, is_last, depth));
                false
            }
            StmtKind::Transition(transition) => {
                open.push((transition.body, is_last, depth));
                false
            }
            StmtKind::Sequence(parts) => {
                let last = parts.len().saturating_sub(1);
                let parts = parts.iter().enumerate();
                open.extend(parts.map(|(at, part)| (*part, is_last && at == last, depth)));
                false
            }
            StmtKind::Choice(parts) | StmtKind::Prioritised(parts) => {
                open.extend(parts.iter().map(|part| (*part, is_last, depth + 1)));
                true
            }
            StmtKind::Located(parts) => {
                open.extend(parts.iter().map(|(_, part)| (*part, is_last, depth + 1)));
                true
            }
        };
        if is_choice && (!is_last || depth >= MOST_CHOICES) {
            return false;
        }
    }
    true
}

/// Whether no number in the system or in a mutant can be large: names are bounded by their domains, and a mutant adds 1 to a part.
fn numbers_are_small(model: &Model<'_>) -> bool {
    let system = model.system;
    let outputs = system.outputs.iter().flat_map(|output| &output.parameters);
    let variables = system.variables.iter().map(|variable| &variable.domain);
    let parameters = model.events.iter().flat_map(|event| &event.parameters);
    let domains = (variables.chain(parameters)).chain(outputs.map(|(_, domain)| domain));
    let greatest = domains.map(|domain| match domain {
        Domain::Range { low, high } => low.unsigned_abs().max(high.unsigned_abs()),
        Domain::Bool | Domain::Symbols(_) => 0,
    });
    let greatest = greatest.max().unwrap_or(0);
    let exprs = &system.exprs;
    let mut bounds: Vec<u64> = Vec::with_capacity(exprs.len());
    for id in exprs.ids() {
        let of = |id: ExprId| bounds[id.index()];
        let bound = match &exprs[id].kind {
            ExprKind::Truth(_) => 1,
            ExprKind::Number(value) => greatest.max(value.unsigned_abs()),
            ExprKind::Name(_) => greatest,
            ExprKind::Unary(UnaryOp::Not, _) => 1,
            ExprKind::Unary(UnaryOp::Minus, a) => of(*a),
            ExprKind::Binary(op, a, b) if op.is_arithmetic() => {
                let (a, b) = (of(*a), of(*b));
                a.saturating_add(b).max(a.saturating_mul(b))
            }
            ExprKind::Binary(..) => 1,
        };
        let bound = bound.saturating_add(2);
        if bound > MAX_MAGNITUDE {
            return false;
        }
        bounds.push(bound);
    }
    greatest <= MAX_MAGNITUDE
}

/// Whether the original and each mutant that is not rejected certainly has a first step.
pub(crate) fn all_begin(model: &Model<'_>, reading: Reading, mutations: &[Mutation]) -> bool {
    let system = model.system;
    let ends_runs = system.leaving == Leaving::EndsRuns;
    let must_happen = system.refusal == Refusal::Seen && !reading.complete;
    if !ends_runs && !must_happen {
        return true;
    }
    let state = initial(model);
    let Some(first) = first_step(model, &state) else {
        return false;
    };
    // A mutant may have no effect, and then stays in its ranges.
    !ends_runs
        || some_event_is_elsewhere(model, &state)
        || stay_inside(model, &state, &first, mutations)
}

/// Returns an event that the original can take in `state`, and that leaves no variable outside its range. `None` if limited effort finds
/// none.
fn first_step(model: &Model<'_>, state: &State) -> Option<Occurrence> {
    let mut left = EFFORT;
    let events = 0..model.events.len();
    for event in events.filter(|event| !is_elsewhere(model, *event, state)) {
        for offer in likely_occurrences(model, event) {
            left = left.checked_sub(state.len() + 1)?;
            let ends = interpret::after(model, state, &offer);
            if !ends.is_empty() && !interpret::leaves(model, state, &offer) {
                return Some(offer);
            }
        }
    }
    None
}

/// Whether the action of an event has branches by location, and none for the location of `state`. No mutant changes this.
fn is_elsewhere(model: &Model<'_>, event: usize, state: &State) -> bool {
    let body = model.action(event).body;
    let location = model.system.location.map(|location| &state[location]);
    let (StmtKind::Located(_), Some(Value::Symbol(here))) =
        (&model.system.stmts[body].kind, location)
    else {
        return false;
    };
    model.index.branches(body, here).is_empty()
}

fn some_event_is_elsewhere(model: &Model<'_>, state: &State) -> bool {
    let mut events = 0..model.events.len();
    events.any(|event| is_elsewhere(model, event, state))
}

/// Whether no mutant assigns a value outside of a range in this step, which the original can take.
fn stay_inside(
    model: &Model<'_>,
    state: &State,
    offer: &Occurrence,
    mutations: &[Mutation],
) -> bool {
    let action = model.action(offer.event);
    if action.guard.is_some() {
        return false;
    }
    let Some(touched) = touched(model, action.body, state) else {
        return false;
    };
    let mut left = EFFORT;
    let live = mutations
        .iter()
        .map(|mutation| &mutation.meaning)
        .filter(|meaning| meaning.rejected.is_none() && touched.contains(&meaning.site));
    for meaning in live {
        let Some(less) = left.checked_sub(touched.len() * state.len()) else {
            return false;
        };
        left = less;
        let change = Some((meaning.site, meaning.change));
        if part(model, action.body, &offer.values, state, change).leaves {
            return false;
        }
    }
    true
}

/// Returns the sites that a command may execute or evaluate in a state; `None` if there are too many.
fn touched(model: &Model<'_>, command: StmtId, state: &State) -> Option<FxHashSet<Site>> {
    let system = model.system;
    let location = system.location.map(|location| &state[location]);
    let mut touched = FxHashSet::default();
    let mut open = vec![command];
    while let Some(id) = open.pop() {
        if touched.len() * state.len() > EFFORT {
            return None;
        }
        touched.insert(Site::Stmt(id));
        let mut values: &[ExprId] = &[];
        match &system.stmts[id].kind {
            StmtKind::Skip | StmtKind::Move { .. } => {}
            StmtKind::Assign { value, .. } => values = std::slice::from_ref(value),
            StmtKind::Emit { values: all, .. } => values = all,
            StmtKind::Guard { condition, body } => {
                values = std::slice::from_ref(condition);
                open.push(*body);
            }
            StmtKind::Sequence(parts) | StmtKind::Choice(parts) | StmtKind::Prioritised(parts) => {
                open.extend(parts);
            }
            StmtKind::Located(_) => {
                let Some(Value::Symbol(here)) = location else {
                    return None;
                };
                // A transition may have changed the location before.
                if id != command {
                    return None;
                }
                open.extend(model.index.branches(id, here));
            }
            StmtKind::Transition(transition) => open.push(transition.body),
        }
        let parts = values.iter().flat_map(|value| system.exprs.parts(*value));
        touched.extend(parts.map(Site::Expr));
    }
    Some(touched)
}
