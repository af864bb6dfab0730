//! Certain kills by fault simulation, checked by the certifier and by the oracle on random circuits. Both must also notice planted
//! faults.

use hyperkill_certify::{LISTING, certify_kill};
use hyperkill_checker::engines::fault_simulation::CertainKills;
use hyperkill_checker::engines::random_simulation::kill_matrix;
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns the number of circuits to test.
fn cases() -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(300, |text| text.parse().expect("a number"))
}

/// Returns a circuit with choices of the model, with choices of mutants only, or without choices.
fn circuit(seed: u64) -> ConditionalMutant {
    let kinds = [Kind::Small, Kind::MutantChooses, Kind::Deterministic];
    conditional_mutant(seed, kinds[seed as usize % kinds.len()])
}

fn found(model: &ConditionalMutant, seed: u64) -> Vec<(SelectorId, Kill)> {
    let mutants: Vec<SelectorId> = model.selector_ids().collect();
    let kills = CertainKills::search(model, &mutants, 12, seed, None, &Budget::unlimited());
    let kills = kills.found.into_iter().map(|(mutant, found)| {
        let [model_run, mutant_run] = <[_; 2]>::try_from(found.runs).expect("a pair of runs");
        let kill = Kill {
            strength: Strength::Definite,
            model_run,
            mutant_run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        (mutant, kill)
    });
    kills.collect()
}

/// The judge of a kill: the certifier, or the oracle, which lists the outputs of model and mutant under the inputs of the test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judge {
    Certifier,
    Oracle,
}

/// Returns the first mutant of a circuit that this judge finds wrongly killed. `None` if there is none.
fn wrong(model: &ConditionalMutant, seed: u64, judge: Judge) -> Option<SelectorId> {
    let mut kills = found(model, seed).into_iter();
    kills
        .find(|(mutant, kill)| match judge {
            Judge::Certifier => {
                certify_kill(model, *mutant, kill, LISTING, &Budget::unlimited()).is_err()
            }
            Judge::Oracle => {
                let Ok(oracle) = Oracle::new(model, *mutant) else {
                    return false;
                };
                let steps = kill.model_run.steps.iter();
                let inputs: Vec<_> = steps.map(|s| oracle.original.input_word(s)).collect();
                !oracle.responses(&inputs).kill_definitely()
            }
        })
        .map(|(mutant, _)| mutant)
}

#[test]
fn certain_kills_are_definite_and_there_are_many() {
    let mut kills = 0;
    for seed in 0..cases() {
        let model = circuit(seed);
        for judge in [Judge::Certifier, Judge::Oracle] {
            assert_eq!(wrong(&model, seed, judge), None, "seed {seed}: {judge:?}");
        }
        kills += found(&model, seed).len() as u64;
    }
    println!("{kills} certain kills");
    assert!(kills > cases() / 4, "{kills}");
}

#[test]
fn who_is_killed_does_not_depend_on_who_is_simulated_beside_it() {
    let budget = Budget::unlimited();
    let killed = |model: &ConditionalMutant, mutants: &[SelectorId], seed| -> Vec<SelectorId> {
        let kills = CertainKills::search(model, mutants, 12, seed, None, &budget);
        kills.found.into_iter().map(|(mutant, _)| mutant).collect()
    };
    let mut several = 0;
    for seed in 0..cases() {
        let model = circuit(seed);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let together = killed(&model, &mutants, seed);
        let alone = mutants.chunks(1).flat_map(|one| killed(&model, one, seed));
        assert_eq!(together, alone.collect::<Vec<_>>(), "seed {seed}");
        several += u64::from(mutants.len() > 1 && !together.is_empty());
    }
    assert!(several > cases() / 20, "{several}");
}

#[test]
fn tests_that_show_a_difference_are_the_same_for_one_mutant_and_for_many() {
    let budget = Budget::unlimited();
    let mut differing = 0;
    for seed in 0..cases() {
        let model = circuit(seed);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bits = |count: usize| (0..count).map(|_| rng.random_bool(0.5)).collect();
        let tests = (1..=11).map(|steps| Stimulus {
            initial: Vec::into(bits(model.aig.latches().len())),
            steps: (0..steps).map(|_| bits(model.aig.inputs().len())).collect(),
        });
        let tests: Vec<Stimulus> = tests.collect();
        // Many mutants are simulated side by side; one mutant alone is simulated under all tests at once.
        let together = kill_matrix(&model, &mutants, &tests, &budget);
        for (mutant, shown) in mutants.chunks(1).zip(&together) {
            let alone = kill_matrix(&model, mutant, &tests, &budget);
            assert_eq!(alone, std::slice::from_ref(shown), "seed {seed}");
            differing += shown.len() as u64;
        }
    }
    assert!(differing > cases(), "{differing}");
}

#[test]
fn a_search_without_time_finds_nothing() {
    let model = (0..).map(circuit).find(|model| model.selectors.len() > 1);
    let model = model.expect("a circuit with mutants");
    let mutants: Vec<SelectorId> = model.selector_ids().collect();
    let kills = CertainKills::search(&model, &mutants, 12, 0, None, &Budget::spent());
    assert!(kills.found.is_empty() && kills.gates == 0, "{kills:?}");
}

#[test]
fn faults_planted_in_fault_simulation_are_noticed_by_the_certifier_and_by_the_oracle() {
    // Faults are planted per thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| {
        for planted in fault::FAULT_SIMULATION {
            for judge in [Judge::Certifier, Judge::Oracle] {
                let noticed = (0..2000).any(|seed| noticed(planted, seed, judge));
                assert!(noticed, "{planted:?} is not noticed by {judge:?}");
            }
        }
    });
}

fn noticed(planted: Fault, seed: u64, judge: Judge) -> bool {
    let model = circuit(seed);
    fault::plant(Some(planted));
    let wrong = wrong(&model, seed, judge);
    fault::plant(None);
    wrong.is_some()
}

/// Returns a circuit whose mutant differs after the inputs were these numbers, of `bits` bits each, one after the other.
fn lock(numbers: &[u32], bits: usize) -> ConditionalMutant {
    let mut circuit = Circuit::new();
    let digits: Vec<Lit> = (0..bits).map(|i| circuit.input(&format!("d{i}"))).collect();
    let mutant = circuit.selector("m1");
    // The unknown latch makes two-valued simulation useless.
    let unknown = circuit.latch("unknown", Reset::Free);
    circuit.set_next(unknown, unknown);
    let mut open = Lit::TRUE;
    for (place, number) in numbers.iter().enumerate() {
        let mut met = open;
        for (i, &digit) in digits.iter().enumerate() {
            let wanted = number >> i & 1 == 1;
            met = circuit.aig.and(met, if wanted { digit } else { !digit });
        }
        open = circuit.latch(&format!("open{place}"), Reset::Zero);
        circuit.set_next(open, met);
    }
    let shown = circuit.aig.and(open, mutant);
    circuit.output("shown", shown);
    let noise = circuit.aig.and(unknown, digits[0]);
    circuit.output("noise", noise);
    circuit.finish("lock")
}

#[test]
fn numbers_that_must_be_met_one_after_the_other_are_met_bit_by_bit() {
    // Random inputs would need a run of probability 2^-48.
    let model = lock(&[0x9a_3c5d, 0x17_e24b], 24);
    let mutants = [SelectorId(0)];
    let kills = CertainKills::search(&model, &mutants, 96, 1, None, &Budget::unlimited());
    assert_eq!(kills.found.len(), 1);
}
