//! Refinement where states are seen, for systems with many of them: model and mutant are in one state until they part.
//!
//! Where no event of a state has two ends the sets of runs of [`crate::action_systems`] are single runs, and one walk over the states that
//! both reach together says all. Values are tried one by one, by the interpreter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::sort::Value;
use hyperkill_guarded::interpret::{State, initial, steps};
use hyperkill_guarded::model::{Model, check};

use crate::action_systems::{Truth, tree};

/// The ends of what can happen in a state, by label and values.
type Steps = BTreeMap<(String, Vec<Value>), State>;

/// Compares the text of a mutant with that of the model, both without `input`. `None` if an event of a state that both reach has two ends.
/// Of a mutant that is killed it is not found out what it accepts.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn compare(original: &str, mutant: &str) -> Option<Truth> {
    let (original, mutant) = (tree(original), tree(mutant));
    let checked = |system| check(system).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let (original, mutant) = (checked(&original), checked(&mutant));
    assert!(original.system.inputs.is_none(), "there are inputs");
    let first = initial(&original);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([(0, first)]);
    let mut refuses = [false; 2];
    while let Some((depth, state)) = open.pop_front() {
        let (ours, theirs) = (of(&original, &state)?, of(&mutant, &state)?);
        for (event, end) in &theirs {
            match ours.get(event) {
                Some(same) if same == end => {}
                // Refusals of a mutant are never kills, since the model may refuse whatever is offered.
                Some(_) | None => {
                    let steps = Some(depth + 1);
                    return Some(Truth {
                        potential: steps,
                        definite: steps,
                        refuses: None,
                    });
                }
            }
            if seen.insert(end.clone()) {
                open.push_back((depth + 1, end.clone()));
            }
        }
        refuses[0] |= ours.keys().any(|event| !theirs.contains_key(event));
    }
    Some(Truth {
        potential: None,
        definite: None,
        refuses: Some(refuses),
    })
}

fn of(model: &Model<'_>, state: &State) -> Option<Steps> {
    let mut found = Steps::new();
    for (offer, end) in steps(model, state) {
        let label = model.action(offer.event).name.text.clone();
        let known = found.insert((label, offer.values), end.clone());
        if known.is_some_and(|known| known != end) {
            return None;
        }
    }
    Some(found)
}
