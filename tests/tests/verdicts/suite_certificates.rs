//! The certifier of suites compared with the oracle, on random runs: kills of tests, allowed outputs, and equality of circuits.

use std::collections::BTreeSet;

use hyperkill_certify::{
    CertifyError, LISTING, answers, certify_duplicate, certify_test, certify_tests,
};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::verdict::Strength;
use hyperkill_tests::against_oracle::adaptive::existing_run;
use hyperkill_tests::against_oracle::letters;
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, Oracle, Word};

/// The limits on enumeration: unlimited, none.
const LISTINGS: [u64; 2] = [LISTING, 0];

/// Whether inputs, or a prefix of them, kill: definitely on all inputs that the mutant accepts, potentially where the model has no
/// choice.
fn kills(oracle: &Oracle, inputs: &[Word], strength: Strength) -> bool {
    let mut lengths = (1..=inputs.len()).rev();
    match strength {
        Strength::Definite => {
            let responses = lengths.map(|length| oracle.responses(&inputs[..length]));
            let mut accepted = responses.filter(|responses| !responses.mutant.is_empty());
            accepted
                .next()
                .is_some_and(|responses| responses.kill_definitely())
        }
        _ => lengths.any(|length| {
            let responses = oracle.responses(&inputs[..length]);
            responses.original.len() == 1 && responses.kill_potentially()
        }),
    }
}

#[test]
fn tests_kill_just_where_the_oracle_sees_it() {
    // For definite, potential and controllable kills: refused and accepted ones.
    let mut mix = [[0; 2]; 3];
    let budget = Budget::unlimited();
    for seed in 0..2_000 {
        let kind = [Kind::Small, Kind::Choices, Kind::MutantChooses][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        // All mutants share one run.
        let (mut asked, mut shared) = (Vec::new(), None);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("a tiny circuit");
            let (mut run, _) = existing_run(&model, &oracle.original, seed);
            run.steps.truncate(4);
            let steps = run.steps.iter();
            let inputs: Vec<Word> = steps.map(|s| oracle.original.input_word(s)).collect();
            for (row, strength) in [Strength::Definite, Strength::Potential]
                .into_iter()
                .enumerate()
            {
                let expected = kills(&oracle, &inputs, strength);
                for listing in LISTINGS {
                    let found = certify_test(&model, mutant, &run, strength, listing, &budget);
                    assert_eq!(
                        found.is_ok(),
                        expected,
                        "seed {seed}, mutant {mutant}, {strength}: {found:?}\n{}",
                        aag(&model.aig)
                    );
                }
                mix[row][usize::from(expected)] += 1;
                asked.push(((mutant, strength), expected));
            }
            let outputs = |machine: &Machine| -> Vec<Word> {
                let initial = machine.initial_state(&model.aig, &run.initial);
                let taken = letters(machine, &run);
                let mut lengths = (0..=taken.len()).rev();
                let longest = lengths.find_map(|n| machine.follow(initial, &taken[..n]));
                longest.unwrap_or_default()
            };
            let [original, mutated] = [&oracle.original, &oracle.mutant].map(outputs);
            let expected = !original.starts_with(&mutated);
            let strength = Strength::Controllable;
            let found = certify_test(&model, mutant, &run, strength, LISTING, &budget);
            assert_eq!(
                found.is_ok(),
                expected,
                "seed {seed}, mutant {mutant}: {found:?}"
            );
            mix[2][usize::from(expected)] += 1;
            asked.push(((mutant, strength), expected));
            shared = Some(run);
        }
        let run = shared.expect("models have mutants");
        let kills: Vec<_> = asked.iter().map(|(kill, _)| *kill).collect();
        let together = certify_tests(&model, &kills, &run, LISTING, Budget::unlimited);
        for ((kill, expected), found) in asked.iter().zip(together) {
            assert_eq!(found.is_ok(), *expected, "seed {seed}, {kill:?}: {found:?}");
        }
    }
    println!("definite, potential, controllable; refused, accepted: {mix:?}");
    let least = mix.iter().flatten().min();
    assert!(least.is_some_and(|&least| least > 200), "{mix:?}");
}

#[test]
fn what_the_model_may_answer_is_what_the_oracle_says() {
    let budget = Budget::unlimited();
    let (mut several, mut different) = (0, 0);
    for seed in 0..3_000 {
        let model = conditional_mutant(seed, [Kind::Small, Kind::Choices][seed as usize % 2]);
        let machine = Machine::new(&model, None).expect("a tiny circuit");
        let (run, _) = existing_run(&model, &machine, seed);
        let initial = machine.initial_state(&model.aig, &run.initial);
        let trail = machine.trail(initial, &letters(&machine, &run));
        let trail = trail.expect("a run of the model");
        let both = [
            (Allowing::Local, machine.locally_allowed(&trail)),
            (Allowing::Global, machine.globally_allowed(&trail)),
        ];
        for (allowing, expected) in &both {
            let found = answers(&model, &run, *allowing, LISTING, &budget);
            let found = found.expect("a run that fits").expect("few states");
            let word = |outputs: &Vec<bool>| {
                let bits = outputs.iter().enumerate();
                bits.fold(0, |word: Word, (i, &bit)| word | Word::from(bit) << i)
            };
            let found: Vec<BTreeSet<Word>> = found
                .iter()
                .map(|step| step.iter().map(word).collect())
                .collect();
            assert_eq!(
                &found,
                expected,
                "seed {seed}, {allowing:?}\n{}",
                aag(&model.aig)
            );
            several += expected.iter().filter(|step| step.len() > 1).count();
            let unaffordable = answers(&model, &run, *allowing, 0, &budget);
            assert_eq!(
                unaffordable.map(|found| found.is_none()),
                Ok(!run.steps.is_empty())
            );
        }
        different += usize::from(both[0].1 != both[1].1);
    }
    println!("{several} steps with several answers; {different} runs with more of them globally");
    assert!(several > 1_000 && different > 50);
}

#[test]
fn circuits_are_the_same_only_if_they_answer_alike() {
    let budget = Budget::unlimited();
    let mut mix = [0; 2];
    for seed in 0..1_500 {
        let model = conditional_mutant(seed, [Kind::Small, Kind::Choices][seed as usize % 2]);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("a tiny circuit");
            let variants = [Variant::Original, Variant::Mutant(mutant)];
            let found = certify_duplicate(&model, variants, &budget);
            mix[usize::from(found.is_ok())] += 1;
            let arranged = oracle.controllable_difference().expect("a tiny circuit");
            let acceptance = oracle.acceptance_difference().expect("a tiny circuit");
            match found {
                // With common choices, every reachable difference would be visible.
                Ok(()) => assert!(
                    arranged.is_none() && acceptance.is_none(),
                    "seed {seed}, mutant {mutant}\n{}",
                    aag(&model.aig)
                ),
                Err(error) => assert_eq!(error, CertifyError::Differ),
            }
            let same = certify_duplicate(&model, [variants[1]; 2], &budget);
            assert_eq!(same, Ok(()), "a mutant is its own duplicate");
        }
    }
    println!("differ, same: {mix:?}");
    assert!(mix.iter().all(|&count| count > 50), "{mix:?}");
}
