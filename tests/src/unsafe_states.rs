//! Unsafe states of \[2\] by listing, with the interpreter of `frontends/guarded`: what Algorithms 1 and 2 of \[2\] are to say of a mutant.
//!
//! A state is unsafe if the mutant makes a step in it that the model does not make (Definition 3.2).

use std::collections::{BTreeSet, VecDeque};

use hyperkill_guarded::interpret::{State, initial};
use hyperkill_guarded::model::{Model, check};

use crate::action_systems::tree;
use crate::common_states::{Steps, of};

/// The unsafe states of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsafe {
    /// Whether any state of the right types is one.
    pub exists: bool,
    /// How many of those are that the model reaches (Definition 4.1).
    pub reached: usize,
    /// Events that lead the model to the nearest one.
    pub nearest: Option<usize>,
    /// How many of those are that model and mutant reach together.
    pub together: usize,
    /// Events that both make on their way to the nearest of these.
    pub nearest_together: Option<usize>,
}

impl Unsafe {
    /// What Algorithms 1 and 2 say: that there is none, that none is reached, or how far the nearest one is.
    #[must_use]
    pub fn answer(&self) -> String {
        match (self.exists, self.nearest) {
            (_, Some(depth)) => depth.to_string(),
            (true, None) => "unreached".to_owned(),
            (false, None) => "none".to_owned(),
        }
    }
}

/// Lists the unsafe states of the text of a mutant.
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

/// Whether the model makes every step of the mutant.
fn is_refined(ours: &Steps, theirs: &Steps) -> bool {
    theirs.iter().all(|(event, ends)| {
        let known = ours.get(event);
        known.is_some_and(|known| ends.is_subset(known))
    })
}

/// An event with its values, and a state that it leads to.
type Step<'s> = (&'s (String, Vec<hyperkill_core::sort::Value>), &'s State);

/// Walks through the states that the model reaches by steps that it is to go on with, which may depend on what the mutant does. Returns
/// how many of them are unsafe, and after how many steps the first one is.
fn count(
    original: &Model<'_>,
    mutant: &Model<'_>,
    goes_on: impl Fn(&Steps, Step<'_>) -> bool,
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

/// All values of the variables.
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
