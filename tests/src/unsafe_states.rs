//! Unsafe states of \[2\] by enumeration, with the interpreter of `frontends/guarded`: the expected answers of Algorithms 1 and 2 of \[2\].
//!
//! A state is unsafe if the mutant has a step in it that the model does not have (Definition 3.2).

use std::collections::{BTreeSet, VecDeque};

use hyperkill_guarded::interpret::{State, initial};
use hyperkill_guarded::model::{Model, check};

use crate::action_systems::tree;
use crate::common_states::{Steps, of};

/// The unsafe states of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsafe {
    /// Whether any state of the right types is unsafe.
    pub exists: bool,
    /// The number of unsafe states that the model reaches (Definition 4.1).
    pub reached: usize,
    /// The number of events on a shortest path of the model to an unsafe state; `None` if there is none.
    pub nearest: Option<usize>,
    /// The number of unsafe states that model and mutant reach together.
    pub together: usize,
    /// The number of events on a shortest common path to an unsafe state; `None` if there is none.
    pub nearest_together: Option<usize>,
}

impl Unsafe {
    /// Returns the answer of Algorithms 1 and 2: `none` (no unsafe state), `unreached`, or the distance of the nearest one.
    #[must_use]
    pub fn answer(&self) -> String {
        match (self.exists, self.nearest) {
            (_, Some(depth)) => depth.to_string(),
            (true, None) => "unreached".to_owned(),
            (false, None) => "none".to_owned(),
        }
    }
}

/// Lists the unsafe states of a mutant, given by its text.
///
/// # Panics
///
/// If one of the texts is no system.
#[must_use]
pub fn list(original: &str, mutant: &str) -> Unsafe {
    let (original, mutant) = (tree(original), tree(mutant));
    let checked = |system| check(system).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let (original, mutant) = (checked(&original), checked(&mutant));
    let exists = all_states(&original)
        .iter()
        .any(|state| !is_refined(&of(&original, state), &of(&mutant, state)));
    let (reached, nearest) = count(&original, &mutant, |_, _| true);
    let (together, nearest_together) = count(&original, &mutant, |theirs, step| {
        let ends = theirs.get(step.0);
        ends.is_some_and(|ends| ends.contains(step.1))
    });
    Unsafe {
        exists,
        reached,
        nearest,
        together,
        nearest_together,
    }
}

/// Whether the model has every step of the mutant. `ours` are the steps of the model.
fn is_refined(ours: &Steps, theirs: &Steps) -> bool {
    theirs.iter().all(|(event, ends)| {
        let known = ours.get(event);
        known.is_some_and(|known| ends.is_subset(known))
    })
}

/// An event with its values, and a successor state.
type StateStep<'s> = (&'s (String, Vec<hyperkill_core::sort::Value>), &'s State);

/// Walks through the states that the model reaches by steps that satisfy `goes_on`, which also receives the steps of the mutant. Returns
/// the number of unsafe states among them, and the number of events to the nearest one.
fn count(
    original: &Model<'_>,
    mutant: &Model<'_>,
    goes_on: impl Fn(&Steps, StateStep<'_>) -> bool,
) -> (usize, Option<usize>) {
    let first = initial(original);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([(0, first)]);
    let (mut count, mut nearest) = (0, None);
    while let Some((depth, state)) = open.pop_front() {
        let (ours, theirs) = (of(original, &state), of(mutant, &state));
        if !is_refined(&ours, &theirs) {
            count += 1;
            nearest = nearest.or(Some(depth));
        }
        for (event, ends) in &ours {
            for end in ends {
                if goes_on(&theirs, (event, end)) && seen.insert(end.clone()) {
                    open.push_back((depth + 1, end.clone()));
                }
            }
        }
    }
    (count, nearest)
}

/// Returns all valuations of the variables.
fn all_states(model: &Model<'_>) -> Vec<State> {
    let mut all = vec![State::new()];
    for variable in &model.system.variables {
        let sort = variable.domain.sort();
        let values = (0..sort.cardinality()).map(|code| sort.value_of_code(code));
        let values: Vec<_> = values.collect();
        all = all
            .into_iter()
            .flat_map(|state| {
                values.iter().map(move |value| {
                    let mut longer = state.clone();
                    longer.push(value.clone());
                    longer
                })
            })
            .collect();
    }
    all
}
