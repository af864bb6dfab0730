//! The class of a conforming implementation: all implementations that conform for the same reason.
//!
//! A relation of timed pairs is the reason: an implementation has just entered a state m while the specification has been in s for a time.
//! Pairs at inputs alone do not suffice: a shorter timeout into an equivalent state may give outputs too early.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_timed_fsm::choices::{Choice, MutationMachine, Selection};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};

use super::outcome::Class;
use crate::fault::CompleteFault;

/// The number of pairs that are explored to enlarge a class, at most.
const MAX_PAIRS: usize = 20_000;

/// The state and the clock of the specification when an implementation enters a state. The clock is 0 in a state without a timeout.
type Timed = (usize, u64);

/// The behaviour of a specification while an implementation stays in a state.
struct Stay {
    /// The states of the specification during that time.
    met: BTreeSet<usize>,
    /// The state of the specification at the end of the stay.
    end: Option<Timed>,
}

/// Returns the behaviour of the specification from a state and clock on, for a time; `None`: for ever.
fn stay(machine: &Machine, (state, clock): Timed, lasts: Option<u64>) -> Stay {
    let mut met = BTreeSet::from([state]);
    let (mut state, mut clock, mut left) = (state, clock, lasts);
    // The remaining time at the entry of each state.
    let mut entered: BTreeMap<usize, Option<u64>> = BTreeMap::new();
    let mut looks = true;
    loop {
        let Some(timeout) = machine.states[state].timeout else {
            return Stay {
                met,
                end: left.map(|_| (state, 0)),
            };
        };
        let rest = u64::from(timeout.after) - clock;
        if let Some(units) = left.filter(|units| *units < rest) {
            return Stay {
                met,
                end: Some((state, clock + units)),
            };
        }
        left = left.map(|units| units - rest);
        (state, clock) = (timeout.target, 0);
        // At the very end of the stay the implementation has left.
        if left != Some(0) {
            met.insert(state);
        }
        if looks && let Some(before) = entered.insert(state, left) {
            let (Some(before), Some(units)) = (before, left) else {
                return Stay { met, end: None };
            };
            left = Some(units % (before - units));
            looks = false;
        }
    }
}

/// The pairs of states that an implementation and the specification reach together.
#[derive(Default)]
struct Relation {
    entered: BTreeMap<usize, BTreeSet<Timed>>,
    met: BTreeMap<usize, BTreeSet<usize>>,
    size: usize,
}

impl Relation {
    fn holds(&self, state: usize, timed: Timed) -> bool {
        let entered = self.entered.get(&state);
        entered.is_some_and(|entered| entered.contains(&timed))
    }

    /// Returns all pairs that a conforming implementation and the specification reach; `None` if there are too many.
    fn of(
        machine: &Machine,
        mutation: &MutationMachine,
        selection: &Selection,
    ) -> Option<Relation> {
        let mut relation = Relation::default();
        let mut due: Vec<(usize, Timed)> = vec![(0, (0, 0))];
        while let Some((state, timed)) = due.pop() {
            if !relation.entered.entry(state).or_default().insert(timed) {
                continue;
            }
            relation.size += 1;
            if relation.size > MAX_PAIRS {
                return None;
            }
            let timeout = mutation.timeouts[state][selection.timeouts[state]].does;
            let stay = stay(
                machine,
                timed,
                timeout.map(|timeout| u64::from(timeout.after)),
            );
            let known = relation.met.entry(state).or_default();
            for met in stay.met {
                if known.insert(met) {
                    for (&input, own) in &machine.states[met].answers {
                        let at = selection.answers[state][input];
                        let answer = mutation.answers[state][input][at].does?;
                        due.push((answer.target, (own.target, 0)));
                    }
                }
            }
            if let (Some(timeout), Some(end)) = (timeout, stay.end) {
                due.push((timeout.target, end));
            }
        }
        Some(relation)
    }

    fn allows_answer(
        &self,
        machine: &Machine,
        (state, input): (usize, usize),
        choice: &Choice<Answer>,
    ) -> bool {
        let mut met = self.met[&state].iter();
        met.all(
            |&met| match (machine.states[met].answers.get(&input), choice.does) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(answer)) => {
                    own.output == answer.output && self.holds(answer.target, (own.target, 0))
                }
            },
        )
    }

    fn allows_timeout(
        &self,
        machine: &Machine,
        state: usize,
        choice: &Choice<Timeout>,
        planted: Option<CompleteFault>,
    ) -> bool {
        let lasts = choice.does.map(|timeout| u64::from(timeout.after));
        let mut entered = self.entered[&state].iter();
        entered.all(|&timed| {
            let stay = stay(machine, timed, lasts);
            let stays = stay.met.is_subset(&self.met[&state]);
            let goes_on = match (choice.does, stay.end) {
                (Some(timeout), Some(end)) => match planted {
                    Some(CompleteFault::BlocksTooMuch) => {
                        let there = self.entered.get(&timeout.target);
                        there.is_some_and(|all| all.iter().any(|timed| timed.0 == end.0))
                    }
                    _ => self.holds(timeout.target, end),
                },
                _ => true,
            };
            stays && goes_on
        })
    }

    /// Returns the class of all implementations whose choices stay within the relation.
    fn class(
        &self,
        machine: &Machine,
        mutation: &MutationMachine,
        planted: Option<CompleteFault>,
    ) -> Class {
        let mut class = Class::default();
        for (&state, met) in &self.met {
            let inputs = met
                .iter()
                .flat_map(|met| machine.states[*met].answers.keys());
            let inputs: BTreeSet<usize> = inputs.copied().collect();
            for input in inputs {
                let group = mutation.answers[state][input].iter().enumerate();
                let allowed =
                    group.filter(|(_, choice)| self.allows_answer(machine, (state, input), choice));
                let allowed = allowed.map(|(at, _)| at).collect();
                class.answers.insert((state, input), allowed);
            }
            let group = mutation.timeouts[state].iter().enumerate();
            let allowed =
                group.filter(|(_, choice)| self.allows_timeout(machine, state, choice, planted));
            class
                .timeouts
                .insert(state, allowed.map(|(at, _)| at).collect());
        }
        class
    }
}

/// Returns the class of a conforming implementation. `met` has the pairs of states that both are in at the same time.
pub(crate) fn class(
    machine: &Machine,
    mutation: &MutationMachine,
    selection: &Selection,
    met: impl Iterator<Item = (usize, usize)>,
    planted: Option<CompleteFault>,
) -> Class {
    if let Some(relation) = Relation::of(machine, mutation, selection) {
        return relation.class(machine, mutation, planted);
    }
    // Exactly its own choices.
    let mut class = Class::default();
    for (own, state) in met {
        for &input in machine.states[own].answers.keys() {
            let at = selection.answers[state][input];
            class.answers.insert((state, input), BTreeSet::from([at]));
        }
        let at = selection.timeouts[state];
        class.timeouts.insert(state, BTreeSet::from([at]));
    }
    class
}
