//! Mutants of higher order of a model (semantics.md §1): several changes at once, of those that are models by themselves.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_checker::testgen::{Effort, Noticed, noticed};
use hyperkill_core::aig::Signal;
use hyperkill_core::budget::Budget;
use hyperkill_core::higher_order::{Combination, combinations, combine};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{ConditionalMutant, SelectorId};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::args::Order;
use crate::catalogue::Standing;
use crate::failure::Failure;
use crate::load;
use crate::model::{Checks, Draft, Listed, Loaded};
use crate::session::Session;

/// Combinations that are looked at for a sample.
const MOST: usize = 20_000_000;
/// Combinations that a file may hold.
const MOST_IN_A_FILE: usize = 100_000;

/// Mutants of higher order, each behind a selector of its own.
pub(crate) struct HigherOrder {
    pub(crate) loaded: Loaded,
    /// The changes that each makes.
    pub(crate) parts: BTreeMap<MutantId, Vec<MutantId>>,
    /// How many there are before a sample was taken.
    pub(crate) all: usize,
    /// How many of those taken are no models, though each of their changes is one.
    pub(crate) invalid: usize,
}

/// The mutants of this order of a model. `first` is the model as it was settled, `draft` the same with all its mutants.
///
/// # Errors
/// If there are none, or too many; if they cannot be judged.
pub(crate) fn mutants(
    session: &mut Session<'_>,
    first: &Loaded,
    mut draft: Draft,
    order: Order,
) -> Result<HigherOrder, Failure> {
    // Places are those of the catalogue; a circuit has them only once it is settled.
    if draft.checks.is_some() {
        let known = draft
            .listed
            .iter()
            .filter_map(|listed| listed.mutant.clone());
        draft.loaded.model.mutants = known.collect();
    }
    let model = draft.model();
    let live = first.listing.catalogue.iter();
    let live = live.filter(|entry| matches!(entry.standing, Standing::Live(_)));
    let live: BTreeSet<&MutantId> = live.map(|entry| &entry.id).collect();
    let (chosen, all) = chosen(model, &live, order)?;
    if chosen.is_empty() {
        return Err(Failure::usage(format!(
            "the model has no mutants that change {} places",
            order.changes
        )));
    }
    let id = |part: &SelectorId| model.selectors[part.0].id.clone();
    let parts: BTreeMap<MutantId, Vec<MutantId>> = (chosen.iter())
        .map(|mutant| (mutant.id(model), mutant.parts().iter().map(id).collect()))
        .collect();
    let combined = combine(model, &chosen);
    let checks = draft.checks.map(|checks| of_checks(checks, &chosen));
    let listed = combined.selectors.iter().map(|selector| Listed {
        id: selector.id.clone(),
        mutant: None,
        problem: None,
    });
    let listed: Vec<Listed> = listed.collect();
    let taken = listed.len();
    let draft = Draft {
        listed,
        loaded: Loaded {
            model: combined,
            ..draft.loaded
        },
        checks,
        warnings: Vec::new(),
    };
    let loaded = load::judged(session, draft)?;
    Ok(HigherOrder {
        invalid: taken - loaded.model.selectors.len(),
        loaded,
        parts,
        all,
    })
}

/// The combinations that are asked for, and how many there are in all. A sample goes by ids, so that unrelated edits keep it.
fn chosen(
    model: &ConditionalMutant,
    live: &BTreeSet<&MutantId>,
    order: Order,
) -> Result<(Vec<Combination>, usize), Failure> {
    let rank =
        |mutant: &Combination| -> [u8; 32] { Sha256::digest(mutant.id(model).0.as_bytes()).into() };
    let fits = |mutant: &Combination| {
        let mut parts = mutant.parts().iter();
        parts.all(|part| live.contains(&model.selectors[part.0].id))
    };
    let most = order.sample.unwrap_or(MOST_IN_A_FILE + 1);
    let mut kept: BTreeSet<([u8; 32], Combination)> = BTreeSet::new();
    let mut all = 0;
    for mutant in combinations(model, order.changes).filter(fits) {
        all += 1;
        kept.insert((rank(&mutant), mutant));
        if kept.len() > most {
            kept.pop_last();
        }
        let too_many = match order.sample {
            None => all > MOST_IN_A_FILE,
            Some(_) => all > MOST,
        };
        if too_many {
            return Err(Failure::usage(format!(
                "there are more than {all} mutants of order {}",
                order.changes
            ))
            .with_help(format!(
                "`--order {}:1000` takes a sample of them; --operator makes fewer",
                order.changes
            )));
        }
    }
    let mut chosen: Vec<Combination> = kept.into_iter().map(|(_, mutant)| mutant).collect();
    chosen.sort_unstable();
    Ok((chosen, all))
}

/// What the model must obey, asked of these mutants. Conditions travel as bad states, which are mapped with the circuit.
fn of_checks(checks: Checks, mutants: &[Combination]) -> Checks {
    if checks.circuit.selectors.is_empty() {
        return checks;
    }
    let mut circuit = checks.circuit;
    let conditions = checks.conditions.iter();
    let conditions = conditions.map(|&lit| Signal { lit, name: None });
    let own = std::mem::replace(&mut circuit.aig.bad, conditions.collect());
    let count = circuit.aig.bad.len();
    circuit.aig.bad.extend(own);
    let mut circuit = combine(&circuit, mutants);
    let conditions = circuit.aig.bad.drain(..count);
    let conditions = conditions.map(|signal| signal.lit).collect();
    Checks {
        circuit,
        conditions,
        obligations: checks.obligations,
    }
}

/// Leaves out the mutants that one of these tests (per step one bool per circuit input) kills: for certain, if the model chooses. How many
/// these are.
pub(crate) fn set_aside(
    session: &Session<'_>,
    loaded: &mut Loaded,
    tests: &[Vec<Vec<bool>>],
    chooses: bool,
) -> usize {
    let needed = match chooses {
        true => Noticed::Certainly,
        false => Noticed::Possibly,
    };
    let model = &loaded.model;
    let budget = session.budget();
    let selectors: Vec<SelectorId> = model.selector_ids().collect();
    let left: Vec<SelectorId> = (selectors.par_iter().copied())
        .filter(|&mutant| !is_killed(model, mutant, tests, needed, &budget))
        .collect();
    let killed = selectors.len() - left.len();
    loaded.model = keep_mutants(model, &left);
    killed
}

fn is_killed(
    model: &ConditionalMutant,
    mutant: SelectorId,
    tests: &[Vec<Vec<bool>>],
    needed: Noticed,
    budget: &Budget,
) -> bool {
    // Tests are short, and each is listed as far as it takes.
    let effort = Effort {
        nodes: usize::MAX,
        simulated: 1 << 22,
        ..Effort::default()
    };
    tests.iter().any(|inputs| {
        noticed(model, mutant, inputs, &effort, budget).is_some_and(|found| found >= needed)
    })
}
