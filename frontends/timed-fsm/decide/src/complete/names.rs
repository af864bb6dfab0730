//! Names for states in a symmetric domain, which breaks the symmetry.
//!
//! A domain is symmetric if it is closed under permutations of states other than the initial one. Conforming implementations then have as
//! many renamings as there are permutations. If the tests separate the states after some access sequences, every implementation that passes
//! has different states there, and can be renamed so that they are those of the specification. So only these implementations are examined.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::choices::{Choice, MutationMachine};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};

use super::Stimulus;
use super::outcome::Name;
use super::search::{Compared, SuiteSearch};
use crate::implementation::expected;

/// The least number of states with names. For fewer states, classes are found fast enough one by one. Additional states count twice, since
/// they conform in more ways.
const FEWEST: usize = 7;

/// Whether a domain is symmetric in all states but the initial one.
pub(crate) fn is_symmetric(mutation: &MutationMachine) -> bool {
    let states = mutation.states.len();
    // Exchanges with one state generate all permutations.
    (2..states).all(|other| is_same_with(mutation, 1, other))
}

/// Whether a domain is unchanged when two states are exchanged.
fn is_same_with(mutation: &MutationMachine, one: usize, other: usize) -> bool {
    let moved = |state: usize| match state {
        state if state == one => other,
        state if state == other => one,
        state => state,
    };
    let answer = |answer: Answer| Answer {
        target: moved(answer.target),
        ..answer
    };
    let timeout = |timeout: Timeout| Timeout {
        target: moved(timeout.target),
        ..timeout
    };
    (0..mutation.states.len()).all(|state| {
        let there = moved(state);
        let groups = mutation.answers[state].iter().zip(&mutation.answers[there]);
        let mut groups = groups.map(|(own, moved)| is_moved(own, moved, answer));
        let timeouts = (&mutation.timeouts[state], &mutation.timeouts[there]);
        groups.all(|is_moved| is_moved) && is_moved(timeouts.0, timeouts.1, timeout)
    })
}

fn is_moved<T: Copy + Ord>(own: &[Choice<T>], there: &[Choice<T>], to: impl Fn(T) -> T) -> bool {
    let mut moved: Vec<Option<T>> = own.iter().map(|choice| choice.does.map(&to)).collect();
    let mut there: Vec<Option<T>> = there.iter().map(|choice| choice.does).collect();
    moved.sort_unstable();
    there.sort_unstable();
    moved == there
}

/// Returns for each state that inputs reach a shortest access sequence; the initial state has none.
fn accesses(machine: &Machine) -> BTreeMap<usize, Vec<Stimulus>> {
    let mut found = BTreeMap::from([(0, Vec::new())]);
    let mut due = VecDeque::from([0]);
    while let Some(state) = due.pop_front() {
        let before: Vec<Stimulus> = found.get(&state).cloned().unwrap_or_default();
        let (mut now, mut delay) = (state, 0_u64);
        for _ in 0..machine.states.len() {
            for (&input, answer) in &machine.states[now].answers {
                found.entry(answer.target).or_insert_with(|| {
                    due.push_back(answer.target);
                    let mut access = before.clone();
                    access.push((delay, input));
                    access
                });
            }
            let Some(timeout) = machine.states[now].timeout else {
                break;
            };
            delay += u64::from(timeout.after);
            now = timeout.target;
        }
    }
    found
}

/// Adds tests that separate the specification's states, and names the states. Nothing if the domain is not symmetric, or is small.
pub(crate) fn name_states(search: &mut SuiteSearch<'_>, budget: &Budget) -> Result<(), Stop> {
    let machine = search.machine;
    if !may_be_named(search) {
        return Ok(());
    }
    let accesses: Vec<(usize, Vec<Stimulus>)> = accesses(machine).into_iter().collect();
    let mut named: Vec<(usize, Vec<Stimulus>)> = Vec::new();
    let mut suffixes: Vec<Vec<Stimulus>> = Vec::new();
    let mut tests: BTreeSet<Vec<Stimulus>> = BTreeSet::new();
    for (state, access) in accesses {
        let mut separated = Vec::new();
        for (other, before) in &named {
            let Some(suffix) = separating(search, (state, *other), &mut suffixes, budget)? else {
                // No test distinguishes these two states, so one of them has no name.
                separated.clear();
                break;
            };
            let behind = |access: &[Stimulus]| [access, suffix.as_slice()].concat();
            separated.extend([behind(&access), behind(before)]);
        }
        if separated.is_empty() && !named.is_empty() {
            continue;
        }
        tests.extend(separated);
        named.push((state, access));
    }
    let mut required = Vec::new();
    for test in tests {
        search.add(&test, budget)?;
        required.extend(search.tests.last().map(|test| test.leaf));
    }
    let names = named.into_iter().filter(|(state, _)| *state != 0);
    let names = names.map(|(state, access)| Name { state, access });
    search.names = names.collect();
    search.formula.name(&search.names, required);
    Ok(())
}

/// Returns inputs that distinguish two states. Inputs in use are preferred, so that there are few tests.
fn separating(
    search: &SuiteSearch<'_>,
    (one, other): (usize, usize),
    suffixes: &mut Vec<Vec<Stimulus>>,
    budget: &Budget,
) -> Result<Option<Vec<Stimulus>>, Stop> {
    let machine = search.machine;
    let answers = |state: usize, suffix: &[Stimulus]| expected(machine, state, suffix);
    let outputs = |state: usize, suffix: &[Stimulus]| answers(state, suffix).map(|(all, _)| all);
    let mut known = suffixes.iter();
    let used = known.find(|suffix| outputs(one, suffix) != outputs(other, suffix));
    if let Some(used) = used {
        return Ok(Some(used.clone()));
    }
    match search.difference(machine, (one, other), None, budget)? {
        Some(Compared::Differs(suffix)) => {
            suffixes.push(suffix.clone());
            Ok(Some(suffix))
        }
        _ => Ok(None),
    }
}

/// Whether states may have names, and are numerous enough to benefit.
fn may_be_named(search: &SuiteSearch<'_>) -> bool {
    let (machine, mutation) = (search.machine, search.mutation);
    are_worth_it(machine, mutation, search.options.always_name) && is_symmetric(mutation)
}

/// Whether names save work for this number of states, and every input has a transition in each state.
pub(super) fn are_worth_it(machine: &Machine, mutation: &MutationMachine, always: bool) -> bool {
    let inputs = machine.inputs.len();
    let mut states = machine.states.iter();
    let is_total = states.all(|state| state.answers.len() == inputs);
    let extra = mutation.states.len() - mutation.own_states;
    let is_large = mutation.states.len() + extra >= FEWEST || always;
    // Pieces of one state are not exchanged.
    is_large && is_total && mutation.pieces.is_none()
}

/// Names the states that the present tests separate.
pub(crate) fn name_separated(search: &mut SuiteSearch<'_>) {
    if !may_be_named(search) {
        return;
    }
    let mut named: Vec<(usize, Vec<Stimulus>)> = Vec::new();
    for (state, access) in accesses(search.machine) {
        let mut others = named.iter();
        if others.all(|(_, other)| are_separated(search, &access, other)) {
            named.push((state, access));
        }
    }
    // Without the initial state another one might be it.
    if named.first().is_none_or(|(state, _)| *state != 0) {
        return;
    }
    let names = named.into_iter().filter(|(state, _)| *state != 0);
    let names = names.map(|(state, access)| Name { state, access });
    search.names = names.collect();
    let all: Vec<usize> = search.tests.iter().map(|test| test.leaf).collect();
    search.formula.name(&search.names, all.clone());
    if !search.formula.has_names(&all) {
        search.names.clear();
    }
}

/// Whether tests show different answers to the same inputs after two access sequences.
fn are_separated(search: &SuiteSearch<'_>, one: &[Stimulus], other: &[Stimulus]) -> bool {
    let behind = |access: &[Stimulus]| {
        let from = access.len();
        let begun = search.tests.iter();
        let begun = begun.filter(|test| test.stimuli.starts_with(access));
        let rest = begun.map(|test| (test.stimuli[from..].to_vec(), test.outputs[from..].to_vec()));
        rest.collect::<Vec<_>>()
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
