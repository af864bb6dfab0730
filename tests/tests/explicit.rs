//! The explicit-state engine against the oracle, on thousands of random conditional mutants.
//!
//! For φ2 and φ3: verdict, length of the shortest test, and the runs given.

use hyperkill_checker::budget::Budget;
use hyperkill_checker::explicit::{Effort, Explored, Witness, definite, potential};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::replay;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Oracle, Stimulus};

const KINDS: [Kind; 4] = [
    Kind::Choices,
    Kind::Choices,
    Kind::MutantChooses,
    Kind::Deterministic,
];

/// Both runs exist and have the same inputs, which kill; returns those.
fn check_runs(
    oracle: &Oracle,
    model: &ConditionalMutant,
    selector: usize,
    witness: &Witness,
    definite: bool,
) -> Stimulus {
    let inputs = |run: &hyperkill_core::trace::Stimulus| -> Stimulus {
        let steps = run.steps.iter();
        steps.map(|step| oracle.original.input_word(step)).collect()
    };
    let stimulus = inputs(&witness.model_run);
    assert_eq!(stimulus, inputs(&witness.mutant_run));
    let original = replay(model, Variant::Original, &witness.model_run).expect("a run");
    let mutated = replay(model, Variant::Mutant(selector), &witness.mutant_run).expect("a run");
    assert_eq!((original.broken_at, mutated.broken_at), (None, None));
    let responses = oracle.responses(&stimulus);
    let word = |outputs: &[Vec<bool>]| -> Vec<u64> {
        let rows = outputs.iter();
        rows.map(|row| {
            row.iter()
                .rev()
                .fold(0, |word, &bit| word << 1 | u64::from(bit))
        })
        .collect()
    };
    let (original, mutated) = (word(&original.outputs), word(&mutated.outputs));
    let agree = |a: &[u64], b: &[u64]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let agreed = agree(&original, &mutated);
    if definite {
        assert!(responses.kill_definitely());
        for m in &responses.mutant {
            assert!(responses.original.iter().all(|o| agree(o, m) <= agreed));
        }
    } else {
        assert!(!responses.original.contains(&mutated));
        let closest = responses.original.iter().map(|o| agree(o, &mutated)).max();
        assert_eq!(closest, Some(agreed));
    }
    stimulus
}

#[test]
fn unbounded_answers_agree_with_the_oracle() {
    let budget = Budget::unlimited();
    let mut mix = [[0usize; 2]; 2];
    let mut deep = 0;
    for seed in 0..3000 {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for selector in 0..model.selectors.len() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            for is_definite in [false, true] {
                let (ask, expected) = if is_definite {
                    (definite as fn(_, _, _, _, _) -> _, oracle.definite_kill())
                } else {
                    (potential as fn(_, _, _, _, _) -> _, oracle.potential_kill())
                };
                let place = format!("seed {seed}, selector {selector}, definite {is_definite}");
                let expected = expected.expect("a tiny search");
                let effort = Effort::default();
                let answer: Explored<Witness> = ask(&model, selector, &effort, None, &budget);
                match (&answer, &expected) {
                    (Explored::Killed(witness), Some(shortest)) => {
                        assert_eq!(witness.model_run.steps.len(), shortest.len(), "{place}");
                        check_runs(&oracle, &model, selector, witness, is_definite);
                        deep += usize::from(shortest.len() >= 3);
                        mix[usize::from(is_definite)][0] += 1;
                        let bound = Some(shortest.len() - 1);
                        let shallow = ask(&model, selector, &effort, bound, &budget);
                        let refuted = shortest.len() - 1;
                        assert_eq!(shallow, Explored::TooLarge { refuted }, "{place}");
                    }
                    (Explored::Excluded(_), None) => {
                        mix[usize::from(is_definite)][1] += 1;
                    }
                    _ => panic!("{place}: {answer:?}, but the oracle {expected:?}"),
                }
            }
        }
    }
    println!("(killed, excluded) for φ2 and φ3: {mix:?}; {deep} kills of 3 steps or more");
    assert!(mix.iter().flatten().all(|&count| count >= 500), "{mix:?}");
}
