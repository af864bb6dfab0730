//! Whether one automaton refines another: all states that are reached, or a trace that shows otherwise.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Rules};

use crate::rational::Rational;
pub use crate::search::Related;
use crate::search::ZoneSearch;
pub use crate::side::Side;
pub use crate::view::Ending;
use crate::witness;

/// The result of a search for a difference between mutant and model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The mutant refines the model. The reached pairs of states are closed under all steps and delays.
    Refines(Vec<Related>),
    /// The mutant does not refine the model: a trace with the fewest steps.
    Fails(witness::Trace),
    /// The mutant lacks outputs that the model knows.
    Alphabets,
    /// No difference of at most this many steps exists. A limit stopped the search.
    Open(usize, Stop),
}

/// Decides whether a mutant refines a deterministic model. Both must be consistent.
#[must_use]
pub fn refine(
    mutant: &Side,
    model: &Side,
    rules: Rules,
    bound: Option<usize>,
    budget: &Budget,
) -> Found {
    let (own, other) = (&mutant.automaton, &model.automaton);
    if rules.compares_alphabets && !alphabets_fit(own, other) {
        let (inputs, known) = (own.actions(true), other.actions(true));
        let unknown = inputs.difference(&known).next();
        return unknown.map_or(Found::Alphabets, |input| {
            Found::Fails(witness::Trace {
                events: Vec::new(),
                at: Rational::ZERO,
                ending: Ending::Accepted((*input).to_owned()),
            })
        });
    }
    let mut search = ZoneSearch::new(mutant, model, rules);
    match search.run(bound, budget) {
        Err((depth, stop)) => Found::Open(depth, stop),
        Ok(None) => Found::Refines(search.related),
        Ok(Some((node, ending))) => {
            let is_a_choice = rules.one_successor_is_enough && has_a_choice(mutant);
            let clocks = own.clocks.len() + other.clocks.len();
            let trace = witness::trace(&search.path(node), clocks, &ending);
            match trace.filter(|_| !is_a_choice) {
                Some(trace) => Found::Fails(trace),
                None => Found::Open(search.depth(node), Stop::Engines),
            }
        }
    }
}

/// Whether the mutant has no more inputs than the model, and no fewer outputs.
pub(crate) fn alphabets_fit(mutant: &Automaton, model: &Automaton) -> bool {
    mutant.actions(true).is_subset(&model.actions(true))
        && model.actions(false).is_subset(&mutant.actions(false))
}

/// Whether an input may lead to several states.
fn has_a_choice(side: &Side) -> bool {
    let mut ambiguous = side.ambiguities();
    ambiguous.any(|(edge, _)| side.automaton.edges[edge].action.is_input)
}
