//! Mutants of higher order (semantics.md §1): several changes at once. Each of the changes alone is a model.
//!
//! The list of the chosen combinations is kept with the sources. Reading the model again gives the same mutants without an engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hyperkill_audit::model::{Checks, Draft, Listed, Listing, Loaded};
use hyperkill_core::budget::Budget;
use hyperkill_core::higher_order::{Combination, Known, combinations_among, combine, drawn};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_frontend::counted;
use sha2::{Digest, Sha256};

use super::error::LoadError;
use super::judgement;
use super::source::CombinedCircuit;
use crate::documents::build::signature;
use crate::documents::reading::Order;
use crate::reading::ModelSpec;
use crate::sink::{Level, Sink};
use crate::unfit::Unfit;

/// Limit on the combinations that are listed to take a sample. Of more combinations, a sample is drawn without a list.
const MAX_COMBINATIONS: usize = 20_000_000;
/// Limit on the combinations that are taken without a sample.
const MOST_AT_ONCE: usize = 100_000;

/// Translates a model again with mutants that make several changes each, by the ids of their changes.
pub type Again<'a> =
    dyn Fn(&Draft, &[Vec<MutantId>]) -> Result<Option<CombinedCircuit>, LoadError> + 'a;

/// Replaces the mutants of a model by mutants of higher order, and returns the list of them. Returns the model unchanged if `spec` has no
/// order. If `again` returns no circuit, the circuit of single changes has these mutants, too.
///
/// # Errors
/// If there are no such mutants, or too many. If an engine stops before the changes are judged. If the list in `spec` is of another model.
pub fn combined(
    mut draft: Draft,
    spec: &ModelSpec,
    budget: &Budget,
    sink: &mut dyn Sink,
    again: &Again<'_>,
) -> Result<(Draft, Option<String>), LoadError> {
    let Some(order) = spec.options.mutant_order() else {
        return Ok((draft, None));
    };
    // A circuit with unsettled mutants has no places of mutants yet. They come from the catalogue.
    if draft.checks.is_some() {
        let known = draft.listed.iter();
        let known = known.filter_map(|listed| listed.mutant.clone());
        draft.loaded.model.mutants = known.collect();
    }
    let mutants = match &spec.combinations {
        Some(list) => read(draft.model(), list)?,
        None => taken(&draft, order, budget, sink)?,
    };
    let list = written(draft.model(), &mutants);
    let id = |part: &SelectorId| draft.model().selectors[part.0].id.clone();
    let changes = mutants.iter();
    let changes = changes.map(|mutant| mutant.parts().iter().map(id).collect());
    let made = again(&draft, &changes.collect::<Vec<Vec<MutantId>>>())?;
    Ok((of_draft(draft, &mutants, made), Some(list)))
}

/// Returns the combinations of this order whose changes are models each. Tells `sink` how many there are, and how many are taken.
///
/// # Errors
/// If there are none or too many, or an engine stops before the changes are judged.
fn taken(
    draft: &Draft,
    order: Order,
    budget: &Budget,
    sink: &mut dyn Sink,
) -> Result<Vec<Combination>, LoadError> {
    let shown = judgement::judge(draft, budget)?;
    let (live, _) = draft.models(shown.as_ref());
    let (chosen, all) = chosen(draft.model(), &live, order)?;
    if chosen.is_empty() {
        return Err(Unfit::new(format!(
            "the model has no mutants that change {} places",
            order.changes
        ))
        .into());
    }
    let all = match all {
        Some(all) => counted(all, "mutant"),
        None => format!("more than {MAX_COMBINATIONS} mutants"),
    };
    let said = format!("{all} of order {}: {} taken", order.changes, chosen.len());
    sink.say(Level::Note, said);
    Ok(chosen)
}

/// Returns the chosen combinations of mutants in `live`, and the number of all combinations of this order; `None` if it is more than
/// [`MAX_COMBINATIONS`].
///
/// # Errors
/// If there are too many combinations.
fn chosen(
    model: &ConditionalMutant,
    live: &[SelectorId],
    order: Order,
) -> Result<(Vec<Combination>, Option<usize>), LoadError> {
    let (mut chosen, all) = match order.sample {
        Some(sample) if exceed(model, live, order.changes) => {
            (drawn_sample(model, live, order.changes, sample)?, None)
        }
        _ => {
            let (chosen, all) = listed(model, live, order)?;
            (chosen, Some(all))
        }
    };
    // Ids are 40 bits of a hash. Among a million mutants two may have the same id; one of them is left out.
    let mut ids = BTreeSet::new();
    chosen.retain(|mutant| ids.insert(mutant.id(model)));
    Ok((chosen, all))
}

/// Whether there are more than [`MAX_COMBINATIONS`] combinations of this order.
fn exceed(model: &ConditionalMutant, live: &[SelectorId], order: usize) -> bool {
    let sets = (0..order as u64).try_fold(1u64, |sets, taken| {
        let left = (live.len() as u64).saturating_sub(taken);
        Some(sets.checked_mul(left)? / (taken + 1))
    });
    let few = sets.is_some_and(|sets| sets <= MAX_COMBINATIONS as u64);
    let mut all = combinations_among(model, live.to_vec(), order);
    !few && all.nth(MAX_COMBINATIONS).is_some()
}

/// Returns the combinations of a list of all: all of them, or a sample by hashes of ids, so that unrelated edits keep the sample. Also
/// returns their number.
///
/// # Errors
/// If there are too many combinations to take all.
fn listed(
    model: &ConditionalMutant,
    live: &[SelectorId],
    order: Order,
) -> Result<(Vec<Combination>, usize), LoadError> {
    let rank =
        |mutant: &Combination| -> [u8; 32] { Sha256::digest(mutant.id(model).0.as_bytes()).into() };
    let most = order.sample.unwrap_or(MOST_AT_ONCE + 1);
    let mut kept: BTreeSet<([u8; 32], Combination)> = BTreeSet::new();
    let mut all = 0;
    for mutant in combinations_among(model, live.to_vec(), order.changes) {
        all += 1;
        kept.insert((rank(&mutant), mutant));
        if kept.len() > most {
            kept.pop_last();
        }
        if order.sample.is_none() && all > MOST_AT_ONCE {
            return Err(Unfit::new(format!(
                "there are more than {} mutants of order {}",
                all - 1,
                order.changes
            ))
            .with_help(format!(
                "`--order {}:1000` takes a sample of them; --operator makes fewer",
                order.changes
            ))
            .into());
        }
    }
    let mut chosen: Vec<Combination> = kept.into_iter().map(|(_, mutant)| mutant).collect();
    chosen.sort_unstable();
    Ok((chosen, all))
}

/// Returns a random sample of more than [`MAX_COMBINATIONS`] combinations, without a list of them. The ids of the changes determine it.
///
/// # Errors
/// If the sample is too large, or most sets of changes cannot be made together.
fn drawn_sample(
    model: &ConditionalMutant,
    live: &[SelectorId],
    order: usize,
    sample: usize,
) -> Result<Vec<Combination>, LoadError> {
    let mut seed = Sha256::new();
    for part in live {
        seed.update(model.selectors[part.0].id.0.as_bytes());
        seed.update(b"\n");
    }
    let mut numbers = Numbers {
        seed: seed.finalize().into(),
        count: 0,
    };
    let draws = 1_000_000 + 1_000 * sample as u64;
    let found = (sample <= MAX_COMBINATIONS)
        .then(|| drawn(model, live, (order, sample), draws, |n| numbers.below(n)));
    found.flatten().ok_or_else(|| {
        Unfit::new(format!(
            "there are more than {MAX_COMBINATIONS} mutants of order {order}, and {sample} of them cannot be drawn"
        ))
        .with_help("take a smaller sample; --operator makes fewer mutants".to_owned())
        .into()
    })
}

/// Random numbers: the hashes of a seed with the numbers from 0.
struct Numbers {
    seed: [u8; 32],
    count: u64,
}

impl Numbers {
    fn next(&mut self) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.seed);
        hash.update(self.count.to_le_bytes());
        self.count += 1;
        let hash: [u8; 32] = hash.finalize().into();
        u64::from_le_bytes([
            hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7],
        ])
    }

    /// Returns a number below `bound`, each with the same probability.
    fn below(&mut self, bound: u64) -> u64 {
        // The numbers from here on are too few to give each result once more.
        let end = u64::MAX - u64::MAX % bound;
        loop {
            let number = self.next();
            if number < end {
                return number % bound;
            }
        }
    }
}

/// Returns the model with these combinations as its only mutants; `made` is their circuit. Without it, the circuit is made from the
/// selectors of the model.
fn of_draft(draft: Draft, mutants: &[Combination], made: Option<CombinedCircuit>) -> Draft {
    let single = draft.model();
    let known = Known::of(single);
    let CombinedCircuit { model, problems } = made.unwrap_or_else(|| CombinedCircuit {
        model: combine(single, mutants),
        problems: vec![None; mutants.len()],
    });
    let listed = mutants.iter().zip(problems);
    let listed = listed.map(|(mutant, problem)| Listed {
        id: mutant.id(single),
        mutant: mutant.described(&known),
        problem,
    });
    Draft {
        listed: listed.collect(),
        checks: draft.checks.map(|checks| of_checks(checks, mutants)),
        loaded: Loaded {
            listing: Listing {
                signature: signature(&model),
                ..draft.loaded.listing
            },
            model,
            ..draft.loaded
        },
        warnings: draft.warnings,
    }
}

/// Returns the obligations of the model for these combinations.
fn of_checks(checks: Checks, mutants: &[Combination]) -> Checks {
    match checks.circuit.selectors.is_empty() {
        true => checks,
        false => checks.mapped(|circuit| combine(circuit, mutants)),
    }
}

/// Returns the list of combinations: one line each, with its id and the ids of its changes.
fn written(model: &ConditionalMutant, mutants: &[Combination]) -> String {
    let mut list = String::new();
    for mutant in mutants {
        list.push_str(&mutant.id(model).0);
        for part in mutant.parts() {
            // Writing to a string cannot fail.
            let _ = write!(list, "\t{}", model.selectors[part.0].id);
        }
        list.push('\n');
    }
    list
}

/// Returns the ids of the combinations in a list, each with the ids of its changes.
pub fn parts(list: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    list.lines().map(|line| {
        let mut words = line.split('\t');
        (words.next().unwrap_or_default(), words.collect())
    })
}

/// Parses a list of combinations.
fn read(model: &ConditionalMutant, list: &str) -> Result<Vec<Combination>, LoadError> {
    let ids = model.selectors.iter().zip(model.selector_ids());
    let ids: BTreeMap<&MutantId, SelectorId> = ids.map(|(s, place)| (&s.id, place)).collect();
    let known = Known::of(model);
    let mutant = |(id, parts): (&str, Vec<&str>)| {
        let parts = parts.iter();
        let parts = parts.map(|part| ids.get(&MutantId((*part).to_owned())).copied());
        let mutant = Combination::new(&known, parts.collect::<Option<Vec<_>>>()?).ok()?;
        (mutant.id(model).0 == id).then_some(mutant)
    };
    let all: Option<Vec<Combination>> = parts(list).map(mutant).collect();
    all.ok_or(LoadError::Strange(
        "the list of mutants of higher order is not of this model",
    ))
}
