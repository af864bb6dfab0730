//! Locally and globally allowed outputs compared with the oracle, on random runs of random nondeterministic models.

use std::collections::BTreeSet;

use hyperkill_checker::testgen::{Effort, best_run};
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};
use hyperkill_tests::against_oracle::adaptive::{compare_allowed, existing_run};
use hyperkill_tests::against_oracle::letters;
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, Word};

#[test]
fn allowed_outputs_are_those_of_the_oracle() {
    let (mut steps, mut several, mut more) = (0, 0, 0);
    for seed in 0..3_000 {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let machine = Machine::new(&model, None).expect("a tiny circuit");
        let cap = [1, 2, 3, 64][(seed / 2) as usize % 4];
        let [local, global] = compare_allowed(&model, &machine, seed, cap)
            .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{}", aag(&model.aig)));
        steps += local.len();
        let sets = local.iter().chain(&global);
        several += sets.filter(|set| set.len() > 1).count();
        more += usize::from(local != global);
    }
    println!(
        "{steps} steps; {several} sets of several outputs; {more} runs with more globally than locally"
    );
    assert!(several >= 2_000 && more >= 50);
}

/// Returns the smallest sum of the sizes of globally allowed sets, over the model's runs on these inputs.
fn smallest_sum(machine: &Machine, inputs: &[Word]) -> usize {
    let runs = machine.responses(inputs);
    let sums = runs.iter().map(|outputs| {
        let prefixes = (0..inputs.len()).map(|j| {
            // Outputs at step j of all runs with the same outputs before.
            let shorter = machine.responses(&inputs[..=j]);
            let same = shorter.iter().filter(|other| other[..j] == outputs[..j]);
            same.count()
        });
        prefixes.sum()
    });
    sums.min().expect("accepted inputs")
}

#[test]
fn the_best_run_of_the_model_is_the_one_that_allows_fewest_outputs() {
    let (mut asked, mut better) = (0, 0);
    for seed in 0..1_000 {
        let model = conditional_mutant(seed, Kind::Small);
        let machine = Machine::new(&model, None).expect("a tiny circuit");
        let (mut run, _) = existing_run(&model, &machine, seed);
        run.steps.truncate(4);
        // The inputs are treated as killing, since the choice of the model's best run does not depend on kills.
        let kill = Kill {
            strength: Strength::Potential,
            model_run: run.clone(),
            mutant_run: run.clone(),
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        let best = best_run(&model, &kill, &Effort::default(), &Budget::unlimited());
        let sum = |run: &Stimulus| -> usize {
            let initial = machine.initial_state(&model.aig, &run.initial);
            let trail = machine.trail(initial, &letters(&machine, run));
            let sets = machine.globally_allowed(&trail.expect("a run of the model"));
            sets.iter().map(BTreeSet::len).sum()
        };
        let inputs = |run: &Stimulus| -> Vec<Word> {
            let letters = letters(&machine, run).into_iter();
            letters.map(|(input, _)| input).collect()
        };
        assert_eq!(inputs(&best), inputs(&run), "seed {seed}");
        assert_eq!(
            sum(&best),
            smallest_sum(&machine, &inputs(&run)),
            "seed {seed}"
        );
        asked += 1;
        better += usize::from(sum(&best) < sum(&run));
    }
    println!("for {better} of {asked} runs there is a better one");
    assert!(better >= 10);
}
