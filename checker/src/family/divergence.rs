//! Groups mutants by the latches in which random runs differ from the original. Mutants with the same differences have similar proofs.
//!
//! The groups are a heuristic for common proofs; no verdict depends on them.

use std::collections::BTreeMap;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::{ConditionalMutant, SelectorId};

const WORDS: usize = 4;
const STEPS: usize = 64;

/// Inputs and first values of random runs, a bit of each word for each run. Higher words hold inputs for longer stretches.
struct Stimuli {
    initial: Vec<[u64; WORDS]>,
    inputs: Vec<Vec<[u64; WORDS]>>,
}

impl Stimuli {
    fn new(model: &ConditionalMutant, seed: u64) -> Stimuli {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let latches = model.aig.latches().len();
        let initial = (0..latches)
            .map(|_| std::array::from_fn(|_| rng.next_u64()))
            .collect();
        let mut row = vec![[0_u64; WORDS]; model.aig.inputs().len()];
        let inputs = (0..STEPS).map(|_| {
            for value in &mut row {
                for (w, word) in value.iter_mut().enumerate() {
                    let change = (0..w).fold(u64::MAX, |change, _| change & rng.random::<u64>());
                    *word = (*word & !change) | (rng.random::<u64>() & change);
                }
            }
            row.clone()
        });
        Stimuli {
            inputs: inputs.collect(),
            initial,
        }
    }
}

/// Mutants that differ from the original in the same latches, as far as random runs show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// For each latch of the circuit whether it was seen to differ from the original's in some run.
    pub apart: Vec<bool>,
    /// The mutants of the group.
    pub members: Vec<SelectorId>,
}

impl Group {
    /// Returns the group divided into groups of at most `members` members, with the same differing latches.
    pub fn parts(&self, members: usize) -> impl Iterator<Item = Group> + '_ {
        self.members.chunks(members).map(|members| Group {
            apart: self.apart.clone(),
            members: members.to_vec(),
        })
    }
}

/// Groups the mutants by the latches in which random runs differ from the original. Groups with few differing latches come first, larger
/// ones among them before smaller ones.
#[must_use]
pub fn groups(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    seed: u64,
    budget: &Budget,
) -> Vec<Group> {
    let stimuli = Stimuli::new(model, seed);
    let mut original = Vec::new();
    run(model, &stimuli, Variant::Original, |_, state, alive| {
        original.push((state, alive));
    });
    let mut groups: BTreeMap<Vec<bool>, Vec<SelectorId>> = BTreeMap::new();
    for &mutant in mutants {
        if budget.stopped().is_some() {
            break;
        }
        let mut differ = vec![false; model.aig.latches().len()];
        run(
            model,
            &stimuli,
            Variant::Mutant(mutant),
            |step, state, alive| {
                let (expected, living): &(State, [u64; WORDS]) = &original[step];
                for ((own, other), differs) in state.iter().zip(expected).zip(&mut differ) {
                    if let (Some(own), Some(other)) = (own, other) {
                        let seen = |w: usize| (own[w] ^ other[w]) & alive[w] & living[w];
                        *differs |= (0..WORDS).any(|w| seen(w) != 0);
                    }
                }
            },
        );
        for selector in &model.selectors {
            differ[selector.latch] = false;
        }
        groups.entry(differ).or_default().push(mutant);
    }
    let mut groups: Vec<(Vec<bool>, Vec<SelectorId>)> = groups.into_iter().collect();
    groups.sort_by_key(|(differ, members)| {
        let latches = differ.iter().filter(|&&differs| differs).count();
        (latches, std::cmp::Reverse(members.len()))
    });
    let groups = groups.into_iter();
    groups
        .map(|(apart, members)| Group { apart, members })
        .collect()
}

/// For each latch its values in all runs; `None` if the variant does not read it.
type State = Vec<Option<[u64; WORDS]>>;

/// Simulates one variant. Calls `see` before each step with its number, the latches, and the runs that have broken no constraint so far.
fn run(
    model: &ConditionalMutant,
    stimuli: &Stimuli,
    variant: Variant,
    mut see: impl FnMut(usize, State, [u64; WORDS]),
) {
    let simulator = Simulator::for_variant(model, variant);
    let mut lanes = simulator.lanes::<WORDS>();
    lanes.reset(|latch| stimuli.initial[latch]);
    let mut alive = [u64::MAX; WORDS];
    for (step, inputs) in stimuli.inputs.iter().enumerate() {
        if step > 0 {
            lanes.step();
        }
        let latches = model.aig.latches().iter().enumerate();
        let state = latches.map(|(index, latch)| {
            let is_read = simulator.contains(latch.var.lit());
            is_read.then(|| lanes.latch(index))
        });
        see(step, state.collect(), alive);
        for (input, &value) in inputs.iter().enumerate() {
            lanes.set_input(input, value);
        }
        lanes.eval();
        let constraints = model.aig.constraints.iter();
        alive = lanes.holding(alive, constraints.map(|constraint| constraint.lit));
    }
}
