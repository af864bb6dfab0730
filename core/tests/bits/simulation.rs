//! Compares the bit-parallel simulator and `replay` with a plain evaluation of nodes, on random circuits.

use crate::random::{self, Size};
use hyperkill_core::aig::{Aig, Reset};
use hyperkill_core::aiger::{NamesDecide, conditional_mutant};
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::trace::{Stimulus, StimulusError, Trace, replay, replay_together};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STEPS: usize = 5;

fn bit<const W: usize>(words: [u64; W], lane: usize) -> bool {
    words[lane / 64] >> (lane % 64) & 1 == 1
}

/// Checks that every node of every lane equals the plain evaluation of that lane's stimulus.
fn compare_lanes<const W: usize>(seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = Size::small(&mut rng);
    let aig = random::circuit(&mut rng, &size);
    let simulator = Simulator::compile(&aig, aig.nodes().map(|(var, _)| var.lit()));
    let mut lanes = simulator.lanes::<W>();
    let free: Vec<[u64; W]> = aig.latches().iter().map(|_| rng.random()).collect();
    lanes.reset(|latch| free[latch]);
    let mut latches: Vec<Vec<bool>> = (0..64 * W)
        .map(|lane| {
            let latches = aig.latches().iter().zip(&free);
            latches
                .map(|(latch, &free)| latch.reset.as_constant().unwrap_or(bit(free, lane)))
                .collect()
        })
        .collect();
    for step in 0..STEPS {
        let inputs: Vec<[u64; W]> = aig.inputs().iter().map(|_| rng.random()).collect();
        for (i, &words) in inputs.iter().enumerate() {
            lanes.set_input(i, words);
        }
        lanes.eval();
        for (lane, latches) in latches.iter_mut().enumerate() {
            let inputs: Vec<bool> = inputs.iter().map(|&words| bit(words, lane)).collect();
            let values = random::node_values(&aig, &inputs, latches);
            for (var, _) in aig.nodes() {
                for lit in [var.lit(), !var.lit()] {
                    assert_eq!(
                        bit(lanes.value(lit), lane),
                        random::value(&values, lit),
                        "seed {seed}, step {step}, lane {lane}, {lit:?}"
                    );
                }
            }
            for (latch, value) in aig.latches().iter().zip(latches) {
                *value = random::value(&values, latch.next);
            }
        }
        lanes.step();
        for (lane, latches) in latches.iter().enumerate() {
            for (i, &value) in latches.iter().enumerate() {
                assert_eq!(bit(lanes.latch(i), lane), value);
            }
        }
    }
}

#[test]
fn all_lanes_of_all_widths_agree_with_plain_evaluation() {
    for seed in 0..60 {
        compare_lanes::<1>(seed);
        compare_lanes::<2>(seed);
        compare_lanes::<8>(seed);
    }
}

/// Returns a random circuit with relevant selectors.
fn random_model(rng: &mut ChaCha8Rng) -> ConditionalMutant {
    let size = Size {
        inputs: 3,
        latches: 5,
        gates: 40,
    };
    let mut aig = random::circuit(rng, &size);
    for (latch, id) in [(1, "mut:a"), (3, "mut:b"), (4, "mut:c")] {
        let state = aig.latches()[latch].var.lit();
        aig.set_next(latch, state);
        aig.set_reset(latch, Reset::Free);
        aig.set_latch_name(latch, Some(id.to_owned()));
    }
    for latch in [0, 2] {
        aig.set_latch_name(latch, None);
    }
    conditional_mutant(aig, &NamesDecide).unwrap()
}

fn random_stimulus(rng: &mut ChaCha8Rng, aig: &Aig) -> Stimulus {
    Stimulus {
        initial: aig.latches().iter().map(|_| rng.random()).collect(),
        steps: (0..STEPS)
            .map(|_| aig.inputs().iter().map(|_| rng.random()).collect())
            .collect(),
    }
}

#[test]
fn mutant_parallel_lanes_agree_with_replays_of_each_variant() {
    let mut differing = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = random_model(&mut rng);
        let aig = &model.aig;
        let stimulus = random_stimulus(&mut rng, aig);
        let mut variants = vec![Variant::Original];
        variants.extend((0..3).map(|mutant| Variant::Mutant(SelectorId(mutant))));
        let traces: Vec<Trace> = variants
            .iter()
            .map(|&variant| replay(&model, variant, &stimulus).unwrap())
            .collect();
        differing += usize::from(traces.iter().any(|t| t.outputs != traces[0].outputs));

        let roots: Vec<Lit> = aig.outputs.iter().map(|output| output.lit).collect();
        let simulator = Simulator::compile(aig, roots.iter().copied());
        let mut lanes = simulator.lanes::<1>();
        lanes.reset(|latch| [u64::from(stimulus.initial[latch]).wrapping_neg()]);
        lanes.select(&model, &variants);
        for (step, inputs) in stimulus.steps.iter().enumerate() {
            for (i, &value) in inputs.iter().enumerate() {
                lanes.set_input_everywhere(i, value);
            }
            lanes.eval();
            for (lane, trace) in traces.iter().enumerate() {
                let outputs: Vec<bool> = roots
                    .iter()
                    .map(|&lit| bit(lanes.value(lit), lane))
                    .collect();
                assert_eq!(outputs, trace.outputs[step], "seed {seed}, lane {lane}");
            }
            // Unassigned lanes simulate the original.
            for &root in &roots {
                assert_eq!(bit(lanes.value(root), 63), bit(lanes.value(root), 0));
            }
            lanes.step();
        }
    }
    assert!(differing > 50, "only {differing} of 200 show a mutant");
}

#[test]
fn a_simulator_for_one_variant_agrees_with_its_replay_and_is_never_larger() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = random_model(&mut rng);
        let aig = &model.aig;
        let stimulus = random_stimulus(&mut rng, aig);
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let all = Simulator::compile(aig, signals.map(|signal| signal.lit));
        for variant in [Variant::Original, Variant::Mutant(SelectorId(1))] {
            let trace = replay(&model, variant, &stimulus).unwrap();
            let simulator = Simulator::for_variant(&model, variant);
            assert!(simulator.gate_count() <= all.gate_count());
            let mut lanes = simulator.lanes::<4>();
            lanes.reset(|latch| [u64::from(stimulus.initial[latch]).wrapping_neg(); 4]);
            let mut broken_at = None;
            for (step, inputs) in stimulus.steps.iter().enumerate() {
                for (i, &value) in inputs.iter().enumerate() {
                    lanes.set_input_everywhere(i, value);
                }
                lanes.eval();
                for (output, &expected) in aig.outputs.iter().zip(&trace.outputs[step]) {
                    assert!(simulator.contains(output.lit));
                    let expected = u64::from(expected).wrapping_neg();
                    assert_eq!(lanes.value(output.lit), [expected; 4], "seed {seed}");
                }
                let is_broken = |lit: Lit| !bit(lanes.value(lit), 200);
                if aig.constraints.iter().any(|c| is_broken(c.lit)) {
                    broken_at = broken_at.or(Some(step));
                }
                lanes.step();
            }
            assert_eq!(broken_at, trace.broken_at, "seed {seed}");
        }
    }
}

#[test]
fn runs_replayed_together_are_what_each_is_alone() {
    for seed in 0..100 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = random_model(&mut rng);
        let variants = [
            Variant::Original,
            Variant::Mutant(SelectorId(0)),
            Variant::Mutant(SelectorId(2)),
        ];
        // Runs of all lengths, so that some end before others, in more than one pass.
        let count = [1, 2, 64, 100][rng.random_range(0..4)];
        let runs: Vec<(Variant, Stimulus)> = (0..count)
            .map(|_| {
                let mut stimulus = random_stimulus(&mut rng, &model.aig);
                stimulus.steps.truncate(rng.random_range(0..=STEPS));
                (variants[rng.random_range(0..3)], stimulus)
            })
            .collect();
        let borrowed: Vec<(Variant, &Stimulus)> =
            runs.iter().map(|(variant, run)| (*variant, run)).collect();
        let alone: Result<Vec<Trace>, StimulusError> = borrowed
            .iter()
            .map(|&(variant, run)| replay(&model, variant, run))
            .collect();
        assert_eq!(replay_together(&model, &borrowed), alone, "seed {seed}");
    }
}

#[test]
fn replay_refuses_stimuli_of_other_circuits() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let model = random_model(&mut rng);
    let mut stimulus = random_stimulus(&mut rng, &model.aig);
    stimulus.steps[2].pop();
    let expected = StimulusError::Inputs {
        step: 2,
        expected: 3,
        found: 2,
    };
    assert_eq!(replay(&model, Variant::Original, &stimulus), Err(expected));
    stimulus.initial = FirstValues::zeros(6);
    let expected = StimulusError::Latches {
        expected: 5,
        found: 6,
    };
    assert_eq!(replay(&model, Variant::Original, &stimulus), Err(expected));
}

#[test]
fn replay_reports_states_before_each_step() {
    let text = b"aag 3 1 1 1 1 0 1\n2\n4 6 1\n4\n3\n6 4 2\n";
    let aig = hyperkill_core::aiger::read(text).unwrap();
    let model = conditional_mutant(aig, &NamesDecide).unwrap();
    let stimulus = Stimulus {
        initial: vec![false].into(),
        steps: vec![vec![true], vec![false], vec![true]],
    };
    let trace = replay(&model, Variant::Original, &stimulus).unwrap();
    assert_eq!(trace.states, [[true], [true], [false]]);
    assert_eq!(trace.outputs, [[true], [true], [false]]);
    assert_eq!(trace.broken_at, Some(0), "the constraint forbids the input");
}
