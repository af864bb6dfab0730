//! Checks answers to queries about components.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::decision::{Answer, Refutation};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};
use hyperkill_timed_certify::good::Side;
use hyperkill_timed_certify::replay::{is_test, may_fail};
use hyperkill_uppaal::query::{Query, System};
use hyperkill_uppaal::rules::Preset;

use crate::{relation, steps};

/// Checks an answer against its evidence.
///
/// # Errors
/// If the evidence does not show the answer, with the reason.
pub(crate) fn recheck(
    (sources, options): (&[SourceFile], &FrontendOptions),
    question: &str,
    answer: &Answer,
    budget: &Budget,
) -> Result<(), Refutation> {
    let said = |error: Diagnostic| Refutation::Wrong(error.message);
    let query = Query::read(question).map_err(said)?;
    let text = sources.first().map_or("", |source| &source.text);
    let automaton = |system: &System| {
        let read = system.automaton(text, options);
        read.or_else(|errors| Refutation::wrong(hyperkill_uppaal::no_model(&errors)))
    };
    if matches!(answer, Answer::Open(_)) {
        return Ok(());
    }
    let rules = Preset::Ecdar.rules();
    match &query {
        Query::Refinement(left, right) => {
            refinement(automaton(left)?, automaton(right)?, answer, budget)
        }
        Query::Consistency(system) => match answer {
            Answer::Holds(proof) => {
                let side = relation::consistent(automaton(system)?, rules, proof, budget)?;
                match side.is_ambiguous() {
                    true => Refutation::wrong("the system is not deterministic"),
                    false => Ok(()),
                }
            }
            Answer::Fails { proof, .. } => match proof {
                Some(proof) => relation::inconsistent(&automaton(system)?, rules, proof, budget),
                None => {
                    let side = Side::new(automaton(system)?, true, budget);
                    match side.map_err(Refutation::Stopped)?.is_ambiguous() {
                        true => Ok(()),
                        false => Refutation::wrong(
                            "the system is deterministic, and the answer has no proof of inconsistency",
                        ),
                    }
                }
            },
            Answer::Open(_) => Ok(()),
        },
        Query::Determinism(system) => {
            let side = Side::new(automaton(system)?, true, budget);
            let is_ambiguous = side.map_err(Refutation::Stopped)?.is_ambiguous();
            match is_ambiguous == matches!(answer, Answer::Fails { .. }) {
                true => Ok(()),
                false => Refutation::wrong("the check of determinism gives the opposite answer"),
            }
        }
    }
}

fn refinement(
    left: Automaton,
    right: Automaton,
    answer: &Answer,
    budget: &Budget,
) -> Result<(), Refutation> {
    let rules = Preset::Ecdar.rules();
    let side = |automaton: &Automaton| {
        let side = Side::new(automaton.clone(), true, budget);
        side.map_err(Refutation::Stopped)
    };
    match answer {
        Answer::Holds(proof) => {
            let right = side(&right)?;
            if right.is_ambiguous() || !right.is_consistent() {
                return Refutation::wrong(
                    "the right side is not a consistent deterministic system",
                );
            }
            match relation::check(left, &right, rules, proof, budget)? {
                None => Ok(()),
                Some(_) => Refutation::wrong("the proof has a test of an open environment"),
            }
        }
        Answer::Fails {
            runs: Some((own, other)),
            ..
        } => {
            let trace = steps::trace(other, own).map_err(Refutation::Wrong)?;
            match is_test(&side(&right)?, &trace, rules) && may_fail(&side(&left)?, &trace, rules) {
                true => Ok(()),
                false => Refutation::wrong("the runs do not refute the refinement"),
            }
        }
        Answer::Fails {
            proof: Some(proof), ..
        } => {
            let of_left = relation::inconsistent(&left, rules, proof, budget);
            of_left.or_else(|_| relation::inconsistent(&right, rules, proof, budget))
        }
        Answer::Fails { .. } => {
            let fit = left.actions(true).is_subset(&right.actions(true))
                && right.actions(false).is_subset(&left.actions(false));
            match fit {
                true => Refutation::wrong(
                    "the inputs and outputs of the two sides do not refute the refinement",
                ),
                false => Ok(()),
            }
        }
        Answer::Open(_) => Ok(()),
    }
}
