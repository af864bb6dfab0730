//! Circuits of machines against the interpreter, in all states that are reached first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::sort::Value;
use hyperkill_guarded::interpret::{
    Occurrence, State, after, idle, initial, leaves, occurrences, steps,
};
use hyperkill_guarded::model::Model;
use hyperkill_guarded::tree::{Leaving, Refusal};

use crate::support::Circuit;

/// The number of states that are compared in each machine, at most.
const MOST_STATES: usize = 30;

/// Returns the first [`MOST_STATES`] states that a machine reaches, in breadth-first order.
fn reached(model: &Model<'_>) -> Vec<State> {
    let start = initial(model);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut found = Vec::new();
    while let Some(state) = open.pop_front() {
        if found.len() == MOST_STATES {
            break;
        }
        for (_, next) in steps(model, &state) {
            let next = idle(model, &next);
            if seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
        found.push(state);
    }
    found
}

/// Returns the variables of a state, then the output ports, each with its value.
fn named(model: &Model<'_>, state: &State) -> Vec<(String, Value)> {
    let names = model.system.variables.iter();
    let names = names.map(|variable| variable.name.text.clone());
    let ports = model.ports.iter().map(|port| port.name.clone());
    names.chain(ports).zip(state.iter().cloned()).collect()
}

/// Returns the test inputs for an event's occurrence: the values of its parameters, and the event.
pub(crate) fn given(model: &Model<'_>, occurrence: &Occurrence) -> Vec<(String, Value)> {
    let action = model.action(occurrence.event);
    let names = action.parameters.iter().zip(&occurrence.values);
    let mut given: Vec<(String, Value)> = names
        .map(|(name, value)| (format!("{}.{}", action.name.text, name.text), value.clone()))
        .collect();
    let label = Value::Symbol(action.name.text.clone());
    given.push(("event".to_owned(), label));
    given
}

/// The outputs of a step: values by names.
type Shown = BTreeMap<String, Value>;

/// Checks that a circuit has the outputs of the interpreter in all states and for all events. Returns the number of compared steps. `what`
/// describes the circuit in messages.
pub(crate) fn compare_steps(
    model: &Model<'_>,
    circuit: &Circuit,
    (is_mutant, complete): (bool, bool),
    what: &str,
) -> usize {
    let refusal = model.system.refusal;
    let mut compared = 0;
    for state in reached(model) {
        let here: Vec<(String, Value)> =
            named(model, &state)[..model.system.variables.len()].to_vec();
        for event in 0..model.events.len() {
            for offer in occurrences(model, event) {
                let given = given(model, &offer);
                let ends = after(model, &state, &offer);
                let shows = |done: bool, next: &State| {
                    let mut shown: Shown = named(model, next).into_iter().collect();
                    if complete || refusal != Refusal::Ignored {
                        shown.insert("done".to_owned(), Value::bool(done));
                    }
                    shown
                };
                let mut expected: BTreeSet<Shown> =
                    ends.iter().map(|next| shows(true, next)).collect();
                let ends_runs = model.system.leaving == Leaving::EndsRuns;
                let cannot = ends.is_empty() && !(ends_runs && leaves(model, &state, &offer));
                let refuses = match (refusal, complete || is_mutant) {
                    (Refusal::AtWill, false) => true,
                    (Refusal::Seen, false) => false,
                    _ => cannot,
                };
                if refuses {
                    expected.insert(shows(false, &idle(model, &state)));
                }
                let given: Vec<(&str, Value)> = given
                    .iter()
                    .map(|(name, v)| (name.as_str(), v.clone()))
                    .collect();
                let found: BTreeSet<Shown> = (circuit.shown(&here, &given).into_iter())
                    .map(|outputs| outputs.into_iter().collect())
                    .collect();
                assert_eq!(found, expected, "{what}, in {here:?}, given {given:?}");
                compared += 1;
            }
        }
    }
    compared
}
