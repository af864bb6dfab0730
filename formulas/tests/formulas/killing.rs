//! Compares the composed killing formulas, solved by enumeration, with the definitions of killing on tiny random conditional mutants.

use std::collections::{BTreeMap, BTreeSet};

use crate::circuits::{advance, evaluate, random_machine, select, value};
use hyperkill_core::aig::Reset;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Composition, Sharing, killing, self_compose};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Returns the bits of a number, least significant first.
fn bits(mut word: u64) -> impl Iterator<Item = bool> {
    std::iter::from_fn(move || {
        let bit = word & 1 == 1;
        word >>= 1;
        Some(bit)
    })
}

/// Returns the output sequences for each input sequence, directly by semantics.md §2.
fn responses(
    model: &ConditionalMutant,
    variant: Variant,
    length: usize,
) -> BTreeMap<Vec<bool>, BTreeSet<Vec<bool>>> {
    let aig = &model.aig;
    let inputs = aig.inputs().len();
    let stimulus_bits = inputs * length;
    let mut responses: BTreeMap<Vec<bool>, BTreeSet<Vec<bool>>> = BTreeMap::new();
    for run in 0..1u64 << (stimulus_bits + aig.latches().len()) {
        let mut run = bits(run);
        let stimulus: Vec<bool> = run.by_ref().take(stimulus_bits).collect();
        let mut latches: Vec<bool> = (aig.latches().iter())
            .zip(run)
            .map(|(latch, free)| latch.reset.as_constant().unwrap_or(free))
            .collect();
        select(model, variant, &mut latches);
        let (mut given, mut seen) = (Vec::new(), Vec::new());
        let exists = stimulus.chunks(inputs).all(|step| {
            let values = evaluate(aig, step, &latches);
            given.extend(model.input_bits().map(|bit| step[bit]));
            seen.extend(aig.outputs.iter().map(|o| value(&values, o.lit)));
            latches = advance(aig, &values);
            (aig.constraints.iter()).all(|c| value(&values, c.lit))
        });
        if exists {
            responses.entry(given).or_default().insert(seen);
        }
    }
    responses
}

/// Whether each input and free latch of a product belongs to existential or universal copies.
struct Ownership {
    existential_inputs: Vec<bool>,
    existential_latches: Vec<bool>,
}

impl Ownership {
    fn of(composition: &Composition) -> Ownership {
        let product = &composition.product;
        let mine = |copy: usize| composition.existential().any(|e| e == copy);
        let inputs = product.aig.inputs().iter().map(|input| {
            let reads = |copy: usize| product.copies[copy].inputs.contains(&Some(input.var.lit()));
            (0..product.copies.len())
                .find(|&copy| reads(copy))
                .is_some_and(mine)
        });
        let latches = (0..product.aig.latches().len()).map(|latch| {
            let has = |copy: usize| product.copies[copy].latches.contains(&Some(latch));
            (0..product.copies.len())
                .find(|&copy| has(copy))
                .is_some_and(mine)
        });
        Ownership {
            existential_inputs: inputs.collect(),
            existential_latches: latches.collect(),
        }
    }
}

/// Returns whether in a run of the product all existential copies exist, all universal copies exist, and the goal was met.
fn run(composition: &Composition, stimulus: &[Vec<bool>], initial: &[bool]) -> [bool; 3] {
    let product = &composition.product;
    let mut latches = initial.to_vec();
    let [mut existential, mut universal, mut met] = [true, true, false];
    for step in stimulus {
        let values = evaluate(&product.aig, step, &latches);
        let valid = |copy: usize| value(&values, product.copies[copy].valid);
        existential &= composition.existential().all(valid)
            && composition.always.iter().all(|&l| value(&values, l));
        universal &= composition.universal().all(valid);
        met |= value(&values, composition.goal);
        latches = advance(&product.aig, &values);
    }
    [existential, universal, met]
}

/// Returns whether the existential copies have a choice with which every choice of the universal copies meets the goal.
fn holds(composition: &Composition, length: usize) -> bool {
    let product = &composition.product;
    let owner = Ownership::of(composition);
    let free: Vec<bool> = (product.aig.latches().iter())
        .map(|latch| latch.reset == Reset::Free)
        .collect();
    let count = |existential: bool| {
        let inputs = owner.existential_inputs.iter();
        let inputs = inputs.filter(|&&e| e == existential).count();
        let latches = owner.existential_latches.iter().zip(&free);
        let latches = latches
            .filter(|&(&e, &free)| free && e == existential)
            .count();
        inputs * length + latches
    };
    let play = |existential: u64, universal: u64| {
        let (mut existential, mut universal) = (bits(existential), bits(universal));
        let mut draw = |mine: bool| {
            let bit = if mine {
                existential.next()
            } else {
                universal.next()
            };
            bit.unwrap_or(false)
        };
        let stimulus: Vec<Vec<bool>> = (0..length)
            .map(|_| {
                owner
                    .existential_inputs
                    .iter()
                    .map(|&mine| draw(mine))
                    .collect()
            })
            .collect();
        let initial: Vec<bool> = (product.aig.latches().iter())
            .zip(&owner.existential_latches)
            .map(|(latch, &mine)| latch.reset.as_constant().unwrap_or_else(|| draw(mine)))
            .collect();
        run(composition, &stimulus, &initial)
    };
    (0..1u64 << count(true)).any(|existential| {
        play(existential, 0)[0]
            && (0..1u64 << count(false)).all(|universal| {
                let [_, exists, met] = play(existential, universal);
                met || !exists
            })
    })
}

#[test]
fn composed_killing_formulas_agree_with_the_definitions() {
    let nothing = BTreeSet::new();
    // The number of verdicts, and the number of true verdicts for each formula.
    let mut mix = [0; 5];
    for seed in 0..150 {
        let model = random_machine(&mut ChaCha8Rng::seed_from_u64(seed));
        for length in [1, 2] {
            let original = responses(&model, Variant::Original, length);
            let mutant = responses(&model, Variant::Mutant(SelectorId(0)), length);
            let some_inputs = |judge: &dyn Fn(&BTreeSet<_>, &BTreeSet<_>) -> bool| {
                (original.iter()).any(|(i, o)| judge(o, mutant.get(i).unwrap_or(&nothing)))
            };
            let expected = [
                (
                    killing::phi1(),
                    some_inputs(&|o, m| o.iter().any(|o| m.iter().any(|m| o != m))),
                ),
                (killing::phi2(), some_inputs(&|o, m| !m.is_subset(o))),
                (
                    killing::phi3(),
                    some_inputs(&|o, m| !m.is_empty() && m.is_disjoint(o)),
                ),
                (
                    killing::phi4(),
                    some_inputs(&|o, m| !m.is_empty() && !o.is_subset(m)),
                ),
            ];
            mix[0] += 1;
            for (number, (formula, expected)) in expected.into_iter().enumerate() {
                let composition =
                    self_compose(&model, SelectorId(0), &formula, Sharing::Independent).unwrap();
                let found = holds(&composition, length);
                assert_eq!(found, expected, "{formula}, length {length}, seed {seed}");
                mix[number + 1] += usize::from(expected);
            }
        }
    }
    println!("judged, φ1, φ2, φ3, φ4: {mix:?}");
    for held in &mix[1..] {
        assert!((20..280).contains(held), "one-sided: {mix:?}");
    }
}
