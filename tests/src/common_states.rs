//! Refinement with visible states, for systems with many states: model and mutant share their state until they differ.
//!
//! So one walk over the common reachable states finds the shortest kill. Values are tried one by one, by the interpreter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::sort::Value;
use hyperkill_guarded::interpret::{State, initial, steps};
use hyperkill_guarded::model::{Model, check};

use crate::action_systems::{Truth, tree};

/// By event, with its label and values: all states that may follow. Impossible events are left out.
pub(crate) type Steps = BTreeMap<(String, Vec<Value>), BTreeSet<State>>;

/// Compares the text of a mutant with the text of the model, both without `input`. `definite` and `refuses` are determined only if every
/// event met has a single successor. `refuses` is `None` for a killed mutant.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare(original: &str, mutant: &str) -> Truth {
    let (original, mutant) = (tree(original), tree(mutant));
    let checked = |system| check(system).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let (original, mutant) = (checked(&original), checked(&mutant));
    assert!(original.system.inputs.is_none(), "there are inputs");
    let first = initial(&original);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([(0, first)]);
    let (mut one_end, mut refuses) = (true, false);
    let none = BTreeSet::new();
    while let Some((depth, state)) = open.pop_front() {
        let (ours, theirs) = (of(&original, &state), of(&mutant, &state));
        one_end &= ours.values().chain(theirs.values()).all(|e| e.len() == 1);
        for (event, ends) in &theirs {
            // Refusals of a mutant are never kills, since the model may refuse every offer.
            let known = ours.get(event).unwrap_or(&none);
            for end in ends {
                if !known.contains(end) {
                    return Truth {
                        potential: Some(depth + 1),
                        definite: one_end.then_some(depth + 1),
                        refuses: None,
                    };
                }
                if seen.insert(end.clone()) {
                    open.push_back((depth + 1, end.clone()));
                }
            }
        }
        refuses |= ours.keys().any(|event| !theirs.contains_key(event));
    }
    Truth {
        potential: None,
        definite: None,
        refuses: one_end.then_some([refuses, false]),
    }
}

pub(crate) fn of(model: &Model<'_>, state: &State) -> Steps {
    let mut found = Steps::new();
    for (offer, end) in steps(model, state) {
        let label = model.action(offer.event).name.text.clone();
        found.entry((label, offer.values)).or_default().insert(end);
    }
    found
}
