//! The domain of a proof with `hull`: all transitions of the fault domain, closed under permutations of all states but the initial one.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_fsm::machine::{Answer, Timeout};

use crate::said::Domain;

/// The number of transitions, at most.
const MAX_TRANSITIONS: usize = 2_000_000;

/// A transition: a state, an input (`None` for a timeout), and output or length with the target (`None` for no transition).
type Transition = (usize, Option<usize>, Option<(What, usize)>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Answers(usize),
    Expires(u32),
}

/// Returns the hull of a domain.
///
/// # Errors
/// If it is too large.
pub(crate) fn of(domain: &Domain, budget: &Budget) -> Result<Domain, Refutation> {
    let mut due = transitions(domain);
    let mut all: BTreeSet<Transition> = due.iter().copied().collect();
    while let Some((state, event, does)) = due.pop() {
        budget.check().map_err(Refutation::Stopped)?;
        if all.len() > MAX_TRANSITIONS {
            return Err(Refutation::Wrong("the hull is too large".to_owned()));
        }
        // Exchanges with one state generate all permutations.
        for other in 2..domain.states.len() {
            let to = |state: usize| match state {
                1 => other,
                state if state == other => 1,
                state => state,
            };
            let does = does.map(|(what, target)| (what, to(target)));
            let exchanged = (to(state), event, does);
            if all.insert(exchanged) {
                due.push(exchanged);
            }
        }
    }
    let mut hull = Domain {
        answers: vec![vec![Vec::new(); inputs(domain)]; domain.states.len()],
        timeouts: vec![Vec::new(); domain.states.len()],
        ..domain.clone()
    };
    for (state, event, does) in all {
        match (event, does) {
            (Some(input), None) => hull.answers[state][input].push(None),
            (None, None) => hull.timeouts[state].push(None),
            (Some(input), Some((What::Answers(output), target))) => {
                hull.answers[state][input].push(Some(Answer { output, target }));
            }
            (_, Some((What::Expires(after), target))) => {
                hull.timeouts[state].push(Some(Timeout { after, target }));
            }
            (None, Some((What::Answers(_), _))) => {}
        }
    }
    Ok(hull)
}

fn inputs(domain: &Domain) -> usize {
    domain.answers.first().map_or(0, Vec::len)
}

fn transitions(domain: &Domain) -> Vec<Transition> {
    let mut all = Vec::new();
    for state in 0..domain.states.len() {
        for (input, group) in domain.answers[state].iter().enumerate() {
            all.extend(group.iter().map(|choice| {
                let does = choice.map(|answer| (What::Answers(answer.output), answer.target));
                (state, Some(input), does)
            }));
        }
        all.extend(domain.timeouts[state].iter().map(|choice| {
            let does = choice.map(|timeout| (What::Expires(timeout.after), timeout.target));
            (state, None, does)
        }));
    }
    all
}
