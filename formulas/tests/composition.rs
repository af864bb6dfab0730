//! Self-composition against copies simulated one by one: same wires, same values, on random stimuli.

mod circuits;

use circuits::{advance, evaluate, machine, select, value};
use hyperkill_core::aig::Reset;
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_formulas::ast::Quantifier::{self, Exists, Forall};
use hyperkill_formulas::{Composition, Formula, Sharing, killing, self_compose};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn spec(variant: Variant, inputs_of: Option<usize>, choices_of: Option<usize>) -> CopySpec {
    CopySpec {
        variant,
        inputs_of,
        choices_of,
    }
}

fn compose(model: &ConditionalMutant, formula: &Formula, sharing: Sharing) -> Composition {
    self_compose(model, 0, formula, sharing).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

#[test]
fn killing_formulas_compose_the_copies_that_they_speak_of() {
    let model = machine();
    let (o, m) = (Variant::Original, Variant::Mutant(0));
    type Expected<'a> = (Formula, &'a [(Quantifier, Variant, Option<usize>)]);
    let table: [Expected; 4] = [
        (killing::phi1(), &[(Exists, o, None), (Exists, m, Some(0))]),
        (
            killing::phi2(),
            &[
                (Exists, m, None),
                (Exists, o, Some(0)),
                (Forall, o, Some(1)),
            ],
        ),
        (
            killing::phi3(),
            &[
                (Exists, o, None),
                (Exists, m, Some(0)),
                (Forall, m, Some(1)),
                (Forall, o, Some(0)),
            ],
        ),
        (
            killing::phi4(),
            &[
                (Exists, o, None),
                (Exists, m, Some(0)),
                (Forall, m, Some(1)),
            ],
        ),
    ];
    for (formula, expected) in table {
        for sharing in [Sharing::Independent, Sharing::ControllableChoices] {
            let composition = compose(&model, &formula, sharing);
            let found: Vec<CopySpec> = composition.product.copies.iter().map(|c| c.spec).collect();
            let specs: Vec<CopySpec> = expected
                .iter()
                .enumerate()
                .map(|(i, &(_, variant, inputs_of))| {
                    let shared = sharing == Sharing::ControllableChoices && i > 0;
                    spec(variant, inputs_of, shared.then_some(0))
                })
                .collect();
            assert_eq!(found, specs, "{formula}");
            let quantifiers: Vec<Quantifier> = expected.iter().map(|e| e.0).collect();
            assert_eq!(composition.quantifiers, quantifiers, "{formula}");
            assert_eq!(composition.always, []);
            assert_eq!(composition.assumed, []);
            assert_eq!(
                composition.is_reachability(),
                !quantifiers.contains(&Forall)
            );
        }
    }
}

/// The traces whose outputs a killing formula compares, as copies.
fn compared(composition: &Composition, formula: &Formula) -> (usize, usize) {
    let names = if *formula == killing::phi3() {
        ["q", "r"]
    } else {
        ["p", "q"]
    };
    let copy = |name| {
        composition
            .copy_of(&hyperkill_formulas::TraceVar::new(name))
            .expect("a trace of the formula")
    };
    (copy(names[0]), copy(names[1]))
}

#[test]
fn composed_copies_behave_as_copies_of_their_own() {
    let model = machine();
    let formulas = [
        killing::phi1(),
        killing::phi2(),
        killing::phi3(),
        killing::phi4(),
    ];
    for (seed, formula) in formulas.iter().enumerate() {
        for sharing in [Sharing::Independent, Sharing::ControllableChoices] {
            let composition = compose(&model, formula, sharing);
            let (left, right) = compared(&composition, formula);
            for round in 0..50 {
                let seed = seed as u64 * 1000 + round;
                let steps = replay(&model, &composition, seed, 8);
                for (step, (product, outputs)) in steps.iter().enumerate() {
                    assert_eq!(
                        value(product, composition.goal),
                        outputs[left] != outputs[right],
                        "{formula}, seed {seed}, step {step}"
                    );
                }
            }
        }
    }
}

/// Node values of the product and the outputs of each copy run alone, at each step.
type Replay = Vec<(Vec<bool>, Vec<Vec<bool>>)>;

/// Runs the product on a random stimulus, and each copy alone on what the stimulus says for it; checks that
/// outputs and validity agree.
fn replay(model: &ConditionalMutant, composition: &Composition, seed: u64, steps: usize) -> Replay {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let product = &composition.product;
    let mut joint: Vec<bool> = product
        .aig
        .latches()
        .iter()
        .map(|latch| match latch.reset {
            Reset::Free => rng.random(),
            Reset::Zero => false,
            Reset::One => true,
        })
        .collect();
    for &(later, earlier) in &product.initially_equal {
        joint[later] = joint[earlier];
    }
    let mut alone: Vec<Vec<bool>> = product
        .copies
        .iter()
        .map(|copy| {
            let mut latches: Vec<bool> = (model.aig.latches().iter().enumerate())
                .map(|(i, latch)| match (latch.reset, copy.latches[i]) {
                    (Reset::Free, Some(index)) => joint[index],
                    (reset, _) => reset == Reset::One,
                })
                .collect();
            select(model, copy.spec.variant, &mut latches);
            latches
        })
        .collect();

    let mut replay = Vec::new();
    for step in 0..steps {
        let stimulus: Vec<bool> = product.aig.inputs().iter().map(|_| rng.random()).collect();
        let values = evaluate(&product.aig, &stimulus, &joint);
        let mut observed = Vec::new();
        for (number, copy) in product.copies.iter().enumerate() {
            let inputs: Vec<bool> = (copy.inputs.iter())
                .map(|lit| lit.is_some_and(|lit| value(&values, lit)))
                .collect();
            let own = evaluate(&model.aig, &inputs, &alone[number]);
            let outputs: Vec<bool> = (model.aig.outputs.iter())
                .map(|o| value(&own, o.lit))
                .collect();
            let composed: Vec<bool> = copy.outputs.iter().map(|&o| value(&values, o)).collect();
            assert_eq!(composed, outputs, "seed {seed}, step {step}, copy {number}");
            let exists = (model.aig.constraints.iter()).all(|c| value(&own, c.lit));
            assert_eq!(value(&values, copy.valid), exists, "seed {seed}");
            alone[number] = advance(&model.aig, &own);
            observed.push(outputs);
        }
        joint = advance(&product.aig, &values);
        replay.push((values, observed));
    }
    replay
}

#[test]
fn copies_share_what_nothing_of_their_own_can_reach() {
    let composition = compose(&machine(), &killing::phi1(), Sharing::Independent);
    let [original, mutant] = composition.product.copies.as_slice() else {
        panic!("φ1 has two copies");
    };
    // Output 3 reads inputs and the clock only; output 0 reads a counter that the mutant changes.
    assert_eq!(original.outputs[3], mutant.outputs[3]);
    assert_ne!(original.outputs[0], mutant.outputs[0]);
    assert_eq!(original.latches[5], mutant.latches[5]);
    assert_ne!(original.latches[4], mutant.latches[4]);
    assert_ne!(composition.goal, Lit::FALSE);
}
