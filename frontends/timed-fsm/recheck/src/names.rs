//! Checks that states of implementations may have names (certificates.md).
//!
//! The domain must be symmetric in all states but the initial one, and the tests must separate the states after the access sequences.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_fsm::machine::Machine;
use serde::Deserialize;

use crate::said::Domain;

/// A state and its access sequence.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameEntry {
    state: String,
    access: Vec<(u64, String)>,
}

/// The integer number of units before each input, and the input.
type Stimuli = Vec<(u64, usize)>;

/// A test with its expected outputs.
pub(crate) type Answered = (Stimuli, Vec<usize>);

/// Returns the named state of each access sequence, if the names lose no generality.
///
/// # Errors
/// If they do, with the reason.
pub(crate) fn check(
    (machine, domain): (&Machine, &Domain),
    entries: &[NameEntry],
    tests: &[Answered],
) -> Result<BTreeMap<Stimuli, usize>, Refutation> {
    let mut names: BTreeMap<Stimuli, usize> = BTreeMap::new();
    if entries.is_empty() {
        return Ok(names);
    }
    for entry in entries {
        let state = domain.states.iter().position(|name| *name == entry.state);
        let Some(state) = state.filter(|state| *state > 0) else {
            return Refutation::wrong(format!(
                "`{}` is not a state of the domain, or is the initial one",
                entry.state
            ));
        };
        let access = entry.access.iter().map(|(delay, input)| {
            let input = machine.inputs.iter().position(|name| name == input)?;
            Some((*delay, input))
        });
        let Some(access) = access.collect::<Option<Stimuli>>() else {
            return Refutation::wrong("an access sequence has an unknown input");
        };
        names.insert(access, state);
    }
    let states: BTreeSet<usize> = names.values().copied().collect();
    if states.len() != entries.len() || names.len() != entries.len() {
        return Refutation::wrong("an access sequence or a state is listed twice");
    }
    for (one, other) in pairs(domain.states.len()) {
        if !may_change_places(domain, one, other) {
            return Refutation::wrong(
                "the faults of the domain distinguish its states, so they cannot be renamed",
            );
        }
    }
    let empty = Stimuli::new();
    let all: Vec<&Stimuli> = names.keys().chain([&empty]).collect();
    for (one, other) in pairs(all.len() + 1) {
        let (one, other) = (all[one - 1], all[other - 1]);
        if !are_separated(one, other, tests) {
            return Refutation::wrong(
                "the tests do not distinguish the states after the access sequences",
            );
        }
    }
    Ok(names)
}

/// Returns all pairs `(one, other)` with 1 ≤ one < other < `limit`.
fn pairs(limit: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..limit).flat_map(move |one| (one + 1..limit).map(move |other| (one, other)))
}

/// Whether the transitions of a domain are unchanged when two states are exchanged.
fn may_change_places(domain: &Domain, one: usize, other: usize) -> bool {
    let place = |state: usize| {
        if state == one {
            other
        } else if state == other {
            one
        } else {
            state
        }
    };
    let all = |exchange: bool| {
        let to = |state: usize| if exchange { place(state) } else { state };
        let mut answers = BTreeSet::new();
        let mut timeouts = BTreeSet::new();
        for state in 0..domain.states.len() {
            for (input, group) in domain.answers[state].iter().enumerate() {
                answers.extend(group.iter().map(|choice| {
                    let does = choice.map(|answer| (answer.output, to(answer.target)));
                    (to(state), input, does)
                }));
            }
            timeouts.extend(domain.timeouts[state].iter().map(|choice| {
                let does = choice.map(|timeout| (timeout.after, to(timeout.target)));
                (to(state), does)
            }));
        }
        (answers, timeouts)
    };
    all(false) == all(true)
}

/// Whether tests show different answers to the same inputs after two access sequences.
fn are_separated(one: &Stimuli, other: &Stimuli, tests: &[Answered]) -> bool {
    let behind = |access: &Stimuli| -> Vec<Answered> {
        let begun = tests
            .iter()
            .filter(|(stimuli, _)| stimuli.starts_with(access));
        let rest = begun.map(|(stimuli, outputs)| {
            let from = access.len();
            (stimuli[from..].to_vec(), outputs[from..].to_vec())
        });
        rest.collect()
    };
    let others = behind(other);
    behind(one).iter().any(|(stimuli, outputs)| {
        others.iter().any(|(with, shown)| {
            let alike = stimuli.iter().zip(with);
            let alike = alike.take_while(|(a, b)| a == b).count();
            outputs[..alike] != shown[..alike]
        })
    })
}
