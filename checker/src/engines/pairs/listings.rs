//! The listings of the original for all mutants: one listing, or one per group of mutants if valuations are listed by classes.

use std::collections::BTreeMap;

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::closed_set::ClosedSet;

use super::alphabet::Alphabet;
use super::joint::Common;
use super::listing::Listing;
use super::search::Walked;
use super::together::{Together, shows_state};
use super::{CHOICE_BITS, VALUATION_BITS, WIDE_BITS};
use crate::engines::valuations::{Cut, Partition};
use crate::schedule::engine_efforts::LISTING_GROUPS;

/// Mutants that share a listing, and the valuations in it.
struct Shared {
    alphabet: Alphabet,
    mutants: Vec<SelectorId>,
}

/// The original and the parts of it that all its listings share.
struct Original<'a> {
    model: &'a ConditionalMutant,
    simulator: Simulator,
    /// The circuit latches, by index, that original or mutants read.
    latches: Vec<usize>,
    /// The circuit inputs, by index, that the tester sets and that original or mutants read.
    tested: Vec<usize>,
    /// The circuit inputs, by index, that are choices of the original.
    chosen: Vec<usize>,
    /// Whether the original reads a choice or a free initial value.
    chooses: bool,
}

impl<'a> Original<'a> {
    /// Returns the parameters for a model; `None` if it has too many initial states to list.
    fn new(model: &'a ConditionalMutant) -> Option<Original<'a>> {
        let simulator = Simulator::for_variant(model, Variant::Original);
        let signals = model.aig.outputs.iter().chain(&model.aig.constraints);
        let featured = Simulator::compile(&model.aig, signals.map(|signal| signal.lit));
        let inputs = model.aig.inputs();
        let reads = |by: &Simulator, bit: usize| by.contains(inputs[bit].var.lit());
        let selectors = model.selector_of_latch();
        let latches: Vec<usize> = (0..model.aig.latches().len())
            .filter(|&latch| selectors[latch].is_none())
            .filter(|&latch| featured.contains(model.aig.latches()[latch].var.lit()))
            .collect();
        let is_free = |latch: usize| model.aig.latches()[latch].reset == Reset::Free;
        let tested = model.input_bits().filter(|&bit| reads(&featured, bit));
        let chosen = model.choice_bits().filter(|&bit| reads(&simulator, bit));
        let chosen: Vec<usize> = chosen.collect();
        let chooses = !chosen.is_empty()
            || latches.iter().any(|&latch| {
                is_free(latch) && simulator.contains(model.aig.latches()[latch].var.lit())
            });
        let free = latches.iter().filter(|&&latch| is_free(latch)).count();
        (free <= VALUATION_BITS).then(|| Original {
            tested: tested.collect(),
            model,
            simulator,
            latches,
            chosen,
            chooses,
        })
    }

    /// Returns groups of mutants with the input valuations to list for each: all valuations, or one of each class. `None` if there are too
    /// many classes.
    fn shared(
        &self,
        inputs: Vec<usize>,
        mutants: &[SelectorId],
        budget: &Budget,
    ) -> Option<Vec<Shared>> {
        let is_wide = inputs.len() > VALUATION_BITS;
        if inputs.len() >= WIDE_BITS {
            let shared = Classes::new(self.model, &self.simulator, &inputs, mutants).shared(budget);
            if let Some(groups) = shared.filter(|groups| is_wide || groups.len() == 1) {
                return Some(groups);
            }
        }
        let all = |alphabet| {
            vec![Shared {
                alphabet,
                mutants: mutants.to_vec(),
            }]
        };
        (!is_wide).then(|| all(Alphabet::all(inputs)))
    }
}

/// Listings of one kind, one for each group of mutants.
struct Groups<L> {
    listings: Vec<L>,
    /// For each mutant, by selector, the index of the group to which it belongs; `None` if it is in no group.
    group_of: Vec<Option<usize>>,
}

impl<L> Groups<L> {
    /// Lists the steps of the original for each group. `list` gets the input valuations, and the number of listings that share its effort.
    fn new(
        model: &ConditionalMutant,
        shared: Vec<Shared>,
        mut list: impl FnMut(Alphabet, usize) -> L,
    ) -> Groups<L> {
        let share = shared.len().div_ceil(LISTING_GROUPS).max(1);
        let mut groups = Groups {
            listings: Vec::new(),
            group_of: vec![None; model.selectors.len()],
        };
        for (group, Shared { alphabet, mutants }) in shared.into_iter().enumerate() {
            for mutant in mutants {
                groups.group_of[mutant.0] = Some(group);
            }
            groups.listings.push(list(alphabet, share));
        }
        groups
    }

    fn of(&self, mutant: SelectorId) -> Option<&L> {
        let group = self.group_of.get(mutant.0).copied().flatten();
        group.and_then(|group| self.listings.get(group))
    }
}

/// The steps of the original, listed for some mutants, if both sides have all inputs, choices and free initial values in common.
pub struct Listings<'a> {
    groups: Groups<Listing<'a>>,
    /// Whether inputs determine the original's state.
    is_decided: bool,
}

impl<'a> Listings<'a> {
    /// Lists the steps of the original until a fixpoint is reached or the effort is spent. `None` if the runs in question do not share all
    /// inputs, choices and free initial values, or if there are too many classes of valuations.
    ///
    /// `shared_choices` states whether choices and free initial values are common to both sides. If not, the original must read none.
    #[must_use]
    pub fn new(
        model: &'a ConditionalMutant,
        shared_choices: bool,
        mutants: &[SelectorId],
        budget: &Budget,
    ) -> Option<Listings<'a>> {
        let original = Original::new(model)?;
        if original.chooses && !shared_choices {
            return None;
        }
        let inputs = original.tested.iter().chain(&original.chosen);
        let shared = original.shared(inputs.copied().collect(), mutants, budget)?;
        let Original {
            simulator, latches, ..
        } = &original;
        let groups = Groups::new(model, shared, |alphabet, share| {
            Listing::new(model, simulator, alphabet, latches.clone(), share, budget)
        });
        Some(Listings {
            groups,
            is_decided: !original.chooses,
        })
    }

    /// Searches for runs of original and mutant on the same inputs with different outputs: visits the pairs of states that they reach,
    /// breadth-first, until outputs differ, to a depth of `bound` steps. Returns [`Walked::Open`] with 0 if the mutant is not listed.
    #[must_use]
    pub fn walk(&self, mutant: SelectorId, bound: Option<usize>, budget: &Budget) -> Walked {
        match self.groups.of(mutant) {
            Some(listing) => listing.walk(mutant, bound, budget),
            None => Walked::Open(0),
        }
    }

    /// Returns proofs for mutants whose walks returned [`Walked::Alike`]: the reachable states of the original as positions, once for all
    /// mutants whose outputs depend on the same latches. Mutants with too many listed states are omitted. All mutants are omitted if the
    /// original has choices and may refuse inputs.
    #[must_use]
    pub fn closed_sets(&self, alike: &[SelectorId]) -> Vec<ClosedSet> {
        let mut shared: BTreeMap<(usize, Vec<bool>), Vec<SelectorId>> = BTreeMap::new();
        for &mutant in alike {
            let group = self.groups.group_of.get(mutant.0).copied().flatten();
            let Some(group) = group.filter(|&group| self.groups.listings[group].is_short()) else {
                continue;
            };
            let read = self.groups.listings[group].latches_read(Variant::Mutant(mutant));
            shared.entry((group, read)).or_default().push(mutant);
        }
        let closed = shared
            .into_iter()
            .filter_map(|((group, read), mut members)| {
                members.sort_unstable();
                self.groups.listings[group].closed_set(members, &read, self.is_decided)
            });
        closed.collect()
    }
}

/// The steps of an original with choices, listed for some mutants.
pub struct ChoosingListings<'a> {
    groups: Groups<Common<'a>>,
    /// Whether outputs determine the original's state.
    shown: bool,
}

impl<'a> ChoosingListings<'a> {
    /// Lists the steps of the original until a fixpoint is reached or the effort is spent. `None` if it has too many choices, or if there
    /// are too many classes of valuations.
    #[must_use]
    pub fn new(
        model: &'a ConditionalMutant,
        mutants: &[SelectorId],
        budget: &Budget,
    ) -> Option<ChoosingListings<'a>> {
        let original = Original::new(model)?;
        if original.chosen.len() > CHOICE_BITS {
            return None;
        }
        let shared = original.shared(original.tested.clone(), mutants, budget)?;
        let shown = shows_state(model, &original.latches);
        let groups = Groups::new(model, shared, |alphabet, share| {
            Common::new(
                model,
                &original.simulator,
                alphabet,
                [&original.chosen, &original.latches].map(Vec::clone),
                share,
                budget,
            )
        });
        Some(ChoosingListings { groups, shown })
    }

    /// Visits the joint states of original and mutant, breadth-first, for tests of at most `bound` steps.
    #[must_use]
    pub fn together(&self, mutant: SelectorId, bound: Option<usize>, budget: &Budget) -> Together {
        match self.groups.of(mutant) {
            Some(common) => common.together(mutant, self.shown, bound, budget),
            None => Together::Open,
        }
    }
}

/// The functions of test inputs alone that the original and each mutant read; they determine classes of input valuations.
struct Classes {
    /// The circuit inputs, by index, that form input valuations, lowest bit first.
    inputs: Vec<usize>,
    cut: Cut,
    original: Vec<Lit>,
    mutants: Vec<(SelectorId, Vec<Lit>)>,
}

impl Classes {
    fn new(
        model: &ConditionalMutant,
        original: &Simulator,
        inputs: &[usize],
        mutants: &[SelectorId],
    ) -> Classes {
        let mut ascending = inputs.to_vec();
        ascending.sort_unstable();
        let mut cut = Cut::new(model, &ascending);
        let original = cut.add(model, original);
        let mut classes = Classes {
            inputs: inputs.to_vec(),
            original,
            mutants: Vec::new(),
            cut,
        };
        if classes.cut.bare(&classes.original) > VALUATION_BITS {
            return classes;
        }
        for &mutant in mutants {
            let simulator = Simulator::for_variant(model, Variant::Mutant(mutant));
            let mut frontier = classes.cut.add(model, &simulator);
            frontier.retain(|lit| classes.original.binary_search(lit).is_err());
            classes.mutants.push((mutant, frontier));
        }
        classes
    }

    /// Returns groups of mutants, each with one valuation of each class that the original or a mutant of the group distinguishes. `None` if
    /// the original alone has too many classes, or if the effort or the budget is spent.
    fn shared(&self, budget: &Budget) -> Option<Vec<Shared>> {
        if self.cut.bare(&self.original) > VALUATION_BITS {
            return None;
        }
        let mut functions = self.original.clone();
        functions.extend(self.mutants.iter().flat_map(|(_, frontier)| frontier));
        let mut partition = Partition::new(&self.cut, &functions, budget).ok()?;
        if !refine(&mut partition, &self.original, 1 << VALUATION_BITS)? {
            return None;
        }
        let base = partition.classes();
        // With twice as many classes, a walk takes about twice as long.
        let together = (2 * base.len()).clamp(1 << WIDE_BITS, 1 << VALUATION_BITS);
        let mut shared = Vec::new();
        let mut group = Vec::new();
        for (mutant, frontier) in &self.mutants {
            let before = partition.classes();
            if refine(&mut partition, frontier, together)? {
                group.push(*mutant);
                continue;
            }
            partition.restore(before);
            self.close(&mut partition, &mut group, &mut shared)?;
            partition.restore(base.clone());
            if refine(&mut partition, frontier, 1 << VALUATION_BITS)? {
                group.push(*mutant);
            } else {
                partition.restore(base.clone());
            }
        }
        self.close(&mut partition, &mut group, &mut shared)?;
        Some(shared)
    }

    /// Ends the current group of mutants, unless it is empty: adds it to `shared` with its classes of valuations. `None` if the effort is
    /// spent.
    fn close(
        &self,
        partition: &mut Partition<'_>,
        group: &mut Vec<SelectorId>,
        shared: &mut Vec<Shared>,
    ) -> Option<()> {
        if !group.is_empty() {
            let (classes, _) = partition.group(&self.inputs).ok()?;
            shared.push(Shared {
                alphabet: Alphabet::of_classes(classes),
                mutants: std::mem::take(group),
            });
        }
        Some(())
    }
}

/// Splits the classes on which one of the functions has both values. Returns whether at most `limit` classes result; `None` if the effort
/// is spent.
fn refine(partition: &mut Partition<'_>, functions: &[Lit], limit: usize) -> Option<bool> {
    for &function in functions {
        if !partition.refine(function, limit).ok()? {
            return Some(false);
        }
    }
    Some(true)
}
