//! The certifier of kills and refusals compared with the oracle, on random runs: it accepts exactly the kills and refusals, whether it
//! enumerates states or asks a solver.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperkill_certify::{CertifyError, LISTING, ReplayError, certify_kill, certify_refusal};
use hyperkill_core::budget::{Budget, NoClock, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};
use hyperkill_tests::against_oracle::letters;
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, Oracle, Responses, Word};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The limits on enumeration: unlimited, small, none.
const LISTINGS: [u64; 3] = [LISTING, 4_000, 0];

/// Returns random runs of model and mutant with the same test inputs; either may end early.
fn random_runs(model: &ConditionalMutant, rng: &mut ChaCha8Rng) -> [Stimulus; 2] {
    let steps = rng.random_range(1..=5);
    let mut bools = |count: usize| -> Vec<bool> {
        let bools = (0..count).map(|_| rng.random_bool(0.5));
        bools.collect()
    };
    let [latches, inputs] = [model.aig.latches().len(), model.aig.inputs().len()];
    let mut runs = [(); 2].map(|()| Stimulus {
        initial: bools(latches).into(),
        steps: (0..steps).map(|_| bools(inputs)).collect(),
    });
    let [first, second] = &mut runs;
    for (a, b) in first.steps.iter().zip(&mut second.steps) {
        for bit in model.input_bits() {
            b[bit] = a[bit];
        }
    }
    runs
}

/// Returns the outputs of a run, step by step; `None` if a constraint breaks.
fn outputs(model: &ConditionalMutant, machine: &Machine, run: &Stimulus) -> Option<Vec<Word>> {
    let initial = machine.initial_state(&model.aig, &run.initial);
    machine.follow(initial, &letters(machine, run))
}

/// Whether these runs satisfy the definition of the kill (semantics.md §2). The runs are the outputs of original and mutant, if they exist.
fn is_a_kill(kill: &Kill, runs: &[Option<Vec<Word>>; 2], responses: &Responses) -> bool {
    let [Some(original), Some(mutant)] = runs else {
        return false;
    };
    if original == mutant || (kill.sole_run && responses.mutant.len() != 1) {
        return false;
    }
    match kill.strength {
        Strength::Definite => responses.kill_definitely(),
        _ => !responses.original.contains(mutant),
    }
}

#[test]
fn kills_are_accepted_just_where_the_oracle_sees_one() {
    // Refused and accepted kills, by strength and by the claim that the run is the only one.
    let mut mix = [[[0; 2]; 2]; 2];
    for seed in 0..1_200 {
        let kind = [Kind::Small, Kind::Choices, Kind::MutantChooses][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("a tiny circuit");
            for _ in 0..6 {
                let [model_run, mutant_run] = random_runs(&model, &mut rng);
                let runs = [
                    outputs(&model, &oracle.original, &model_run),
                    outputs(&model, &oracle.mutant, &mutant_run),
                ];
                let steps = model_run.steps.iter();
                let inputs: Vec<Word> = steps.map(|s| oracle.original.input_word(s)).collect();
                let responses = oracle.responses(&inputs);
                for (strength, sole_run) in [
                    (Strength::Potential, false),
                    (Strength::Potential, true),
                    (Strength::Definite, false),
                    (Strength::Definite, true),
                ] {
                    let kill = Kill {
                        strength,
                        model_run: model_run.clone(),
                        mutant_run: mutant_run.clone(),
                        shortest: false,
                        sole_run,
                        stronger: Stronger::NotAsked,
                        tree: None,
                    };
                    let expected = is_a_kill(&kill, &runs, &responses);
                    for listing in LISTINGS {
                        let budget = Budget::unlimited();
                        let found = certify_kill(&model, mutant, &kill, listing, &budget);
                        assert_eq!(
                            found.is_ok(),
                            expected,
                            "seed {seed}, mutant {mutant}, listing {listing}: {found:?} of {kill:?}\n{}",
                            aag(&model.aig)
                        );
                    }
                    let definite = usize::from(strength == Strength::Definite);
                    mix[definite][usize::from(sole_run)][usize::from(expected)] += 1;
                }
            }
        }
    }
    println!("potential, definite; any, sole; refused, accepted: {mix:?}");
    let counts = mix.iter().flatten().flatten();
    assert!(counts.min().is_some_and(|&least| least > 500), "{mix:?}");
}

#[test]
fn refusals_are_accepted_just_where_the_oracle_sees_one() {
    let mut mix = [0; 2];
    for seed in 0..2_000 {
        let model = conditional_mutant(seed, [Kind::Small, Kind::Choices][seed as usize % 2]);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("a tiny circuit");
            let variants = [Variant::Original, Variant::Mutant(mutant)];
            for turned in [false, true] {
                let [mut run, _] = random_runs(&model, &mut rng);
                let mut sides = [
                    (variants[0], &oracle.original),
                    (variants[1], &oracle.mutant),
                ];
                if turned {
                    sides.swap(0, 1);
                }
                let [(accepting, accepts), (refusing, refuses)] = sides;
                while outputs(&model, accepts, &run).is_none() {
                    run.steps.pop();
                }
                let steps = run.steps.iter();
                let inputs: Vec<Word> = steps.map(|s| refuses.input_word(s)).collect();
                let expected = refuses.responses(&inputs).is_empty();
                for listing in LISTINGS {
                    let budget = Budget::unlimited();
                    let sides = [accepting, refusing];
                    let found = certify_refusal(&model, sides, &run, listing, &budget);
                    assert_eq!(found.is_ok(), expected, "seed {seed}, {listing}: {found:?}");
                }
                mix[usize::from(expected)] += 1;
            }
        }
    }
    println!("accepted and refused inputs: {mix:?}");
    assert!(mix.iter().all(|&count| count > 50), "{mix:?}");
}

/// Returns a valid kill, with its model and the index of the mutant.
fn some_kill() -> (ConditionalMutant, usize, Kill) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let budget = Budget::unlimited();
    let kills = (0..1_000).find_map(|seed| {
        let model = conditional_mutant(seed, Kind::Small);
        let [model_run, mutant_run] = random_runs(&model, &mut rng);
        let kill = Kill {
            strength: Strength::Definite,
            model_run,
            mutant_run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        let is_one = certify_kill(&model, SelectorId(0), &kill, LISTING, &budget).is_ok();
        is_one.then_some((model, 0, kill))
    });
    kills.expect("some random runs kill")
}

#[test]
fn a_check_that_is_stopped_accepts_only_what_three_values_show() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let interrupted = Budget::new(Arc::new(NoClock), Arc::new(AtomicBool::new(true)));
    let (mut plain, mut stopped) = (0, 0);
    for seed in 0..1_500 {
        let model = conditional_mutant(seed, Kind::Small);
        let [model_run, mutant_run] = random_runs(&model, &mut rng);
        let kill = Kill {
            strength: Strength::Definite,
            model_run,
            mutant_run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        let whole = certify_kill(&model, SelectorId(0), &kill, LISTING, &Budget::unlimited());
        match certify_kill(&model, SelectorId(0), &kill, 0, &interrupted) {
            Ok(()) => {
                assert_eq!(whole, Ok(()), "seed {seed}: {kill:?}");
                plain += 1;
            }
            Err(CertifyError::Stopped(Stop::Interrupted)) => stopped += usize::from(whole.is_ok()),
            Err(error) => assert_eq!(whole, Err(error), "seed {seed}: {kill:?}"),
        }
    }
    println!("{plain} plain kills, {stopped} others");
    assert!(plain >= 20 && stopped >= 10, "{plain}, {stopped}");
}

#[test]
fn runs_of_the_original_or_of_another_length_kill_nothing() {
    let (model, mutant, mut kill) = some_kill();
    let budget = Budget::unlimited();
    let steps = kill.steps();
    kill.mutant_run.steps.pop();
    let found = certify_kill(&model, SelectorId(mutant), &kill, LISTING, &budget);
    let expected = CertifyError::Kill(ReplayError::Inputs(steps - 1));
    assert_eq!(found, Err(expected));
    // Without such a mutant, its runs are runs of the original.
    kill.mutant_run = kill.model_run.clone();
    let found = certify_kill(
        &model,
        SelectorId(model.selectors.len()),
        &kill,
        LISTING,
        &budget,
    );
    assert_eq!(found, Err(CertifyError::Kill(ReplayError::SameOutputs)));
}
