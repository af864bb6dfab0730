//! Answers queries about components.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_frontend::decision::Answer;
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::query::{Query, System};
use hyperkill_uppaal::rules::Preset;

use crate::{relation, steps};

/// The result of reading a component of a query: its side, or the reason why the budget ended.
enum Read {
    Side(Box<Side>),
    Stopped(Stop),
}

/// Answers the query `question` about the components of a file.
///
/// # Errors
/// If the text is no query, or a component does not exist or is not supported.
pub(crate) fn answer(
    sources: &[SourceFile],
    options: &FrontendOptions,
    question: &str,
    budget: &Budget,
) -> Result<Answer, Vec<Diagnostic>> {
    let query = Query::read(question).map_err(|error| vec![error])?;
    let text = sources.first().map_or("", |source| &source.text);
    let side = |system: &System| -> Result<Read, Vec<Diagnostic>> {
        let automaton = system.automaton(text, options)?;
        Ok(match Side::new(automaton, true, budget) {
            Ok(side) => Read::Side(Box::new(side)),
            Err(stop) => Read::Stopped(stop),
        })
    };
    match &query {
        Query::Refinement(left, right) => match (side(left)?, side(right)?) {
            (Read::Side(left), Read::Side(right)) => refinement(&left, &right, budget),
            (Read::Stopped(stop), _) | (_, Read::Stopped(stop)) => Ok(Answer::Open(stop)),
        },
        Query::Consistency(system) => Ok(match side(system)? {
            Read::Stopped(stop) => Answer::Open(stop),
            Read::Side(side) if !side.is_consistent() => {
                inconsistent(&side, "it has no good initial state")
            }
            Read::Side(side) => match ambiguity(&side) {
                None => Answer::Holds(relation::consistent(&side)),
                Some(fails) => fails,
            },
        }),
        Query::Determinism(system) => Ok(match side(system)? {
            Read::Stopped(stop) => Answer::Open(stop),
            // The evidence is empty: a check compares the states of all pairs of edges anew.
            Read::Side(side) => ambiguity(&side).unwrap_or_else(|| {
                Answer::Holds(serde_json::json!({ "kind": "timed-determinism" }))
            }),
        }),
    }
}

/// Returns the answer that a component is not deterministic, with the place; `None` if it is deterministic.
fn ambiguity(side: &Side) -> Option<Answer> {
    let (edge, _) = side.ambiguity()?;
    let edge = &side.automaton.edges[edge];
    let place = &side.automaton.locations[edge.source].name;
    let name = &edge.action.name;
    Some(Answer::Fails {
        why: format!("in {place} the action {name} leads from one state to two"),
        runs: None,
        proof: None,
    })
}

fn inconsistent(side: &Side, why: &str) -> Answer {
    Answer::Fails {
        why: why.to_owned(),
        runs: None,
        proof: Some(relation::inconsistent(&side.automaton, &side.lost)),
    }
}

fn refinement(left: &Side, right: &Side, budget: &Budget) -> Result<Answer, Vec<Diagnostic>> {
    if right.ambiguity().is_some() {
        let message = "the right side of a refinement has to be deterministic: an action may lead to two states";
        return Err(vec![Diagnostic::unlocated(message)]);
    }
    for (side, why) in [
        (left, "the left side has no good initial state"),
        (right, "the right side has no good initial state"),
    ] {
        if !side.is_consistent() {
            return Ok(inconsistent(side, why));
        }
    }
    Ok(
        match refine(left, right, Preset::Ecdar.rules(), None, budget) {
            Found::Refines(related) => Answer::Holds(relation::document(
                &left.automaton,
                &left.lost,
                &right.automaton,
                &related,
            )),
            Found::Fails(trace) => match steps::runs(&trace) {
                Some((right, left)) => Answer::Fails {
                    why: "the left side has a run that the right side does not have".to_owned(),
                    runs: Some((left, right)),
                    proof: None,
                },
                // Its times exceed the range of numbers.
                None => Answer::Open(Stop::Bound),
            },
            Found::Alphabets => Answer::Fails {
                why: "the left side lacks outputs of the right side".to_owned(),
                runs: None,
                proof: None,
            },
            Found::Open(_, stop) => Answer::Open(stop),
        },
    )
}
