//! Abstraction of two copies by equal latches, compared with an enumeration of random products: proofs hold and are certified, and
//! planted faults are noticed.

use hyperkill_certify::certify_proof;
use hyperkill_checker::engines::correspondence::{Precision, Taken, TakenForEqual};
use hyperkill_checker::question::Pose;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::{Family, Question};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::reach::shortest_run;

/// Returns the number of models to test.
fn cases() -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(300, |text| text.parse().expect("a number"))
}

const PRECISIONS: [Precision; 3] = [
    Precision::FromAnyState,
    Precision::FromFirstStates,
    Precision::Values,
];

fn questions(model: &ConditionalMutant) -> Vec<Question> {
    let mut asked = Vec::new();
    for mutant in model.selector_ids() {
        asked.extend([
            Question::phi1(mutant, false),
            Question::phi1(mutant, true),
            Question::identity(mutant),
        ]);
    }
    let all: Vec<SelectorId> = model.selector_ids().collect();
    if all.len() > 1 {
        asked.push(Question::Family(Family::phi1(all.clone(), false)));
        asked.push(Question::Family(Family::identity(all)));
    }
    asked
}

/// Returns four sets of latches, as a bit per latch: none, all, the even ones, and the odd ones.
fn apart(model: &ConditionalMutant) -> [Vec<bool>; 4] {
    let latches = model.aig.latches().len();
    let of = |which: fn(usize) -> bool| (0..latches).map(which).collect();
    [
        of(|_| false),
        of(|_| true),
        of(|i| i % 2 == 0),
        of(|i| i % 2 == 1),
    ]
}

/// Returns all proofs about a model, with the precision that gave each.
fn proofs(model: &ConditionalMutant) -> Vec<(Question, Precision, Proof)> {
    let budget = Budget::unlimited();
    let mut proofs = Vec::new();
    for question in questions(model) {
        let posed = question.pose(model);
        for apart in apart(model) {
            let taken = TakenForEqual::new(&posed, &apart, &budget).expect("two copies");
            for precision in PRECISIONS {
                if let Taken::Proved(proof) = taken.ask(precision, 10_000, &budget) {
                    proofs.push((question.clone(), precision, proof));
                }
            }
        }
    }
    proofs
}

/// Whether the goal of a question is reached, by enumeration. `None` if there are too many states.
fn is_reached(model: &ConditionalMutant, question: &Question) -> Option<bool> {
    Some(shortest_run(&question.pose(model))?.is_some())
}

#[test]
fn what_is_proved_of_latches_taken_for_equal_holds_and_is_certified() {
    let mut seen = [0, 0, 0];
    let mut with_clauses = 0_u64;
    for seed in 0..cases() {
        let model = of_any_kind(seed);
        for (question, precision, proof) in proofs(&model) {
            let what = || {
                format!(
                    "seed {seed}, {question}, {precision:?}\n{}",
                    aag(&model.aig)
                )
            };
            assert_ne!(is_reached(&model, &question), Some(true), "{}", what());
            let checked = certify_proof(&model, &question, &proof, &Budget::unlimited());
            assert_eq!(checked, Ok(()), "{}", what());
            let place = PRECISIONS.iter().position(|&other| other == precision);
            seen[place.expect("one of them")] += 1_u64;
            with_clauses += u64::from(proof.clauses() > 0);
        }
    }
    println!("{seen:?}, {with_clauses} with clauses");
    let least = cases() / 4;
    assert!(
        seen.iter().all(|&seen| seen > least) && with_clauses > least,
        "{seen:?}, {with_clauses} with clauses"
    );
}

#[test]
fn faults_planted_in_latches_taken_for_equal_are_noticed_by_the_certifier_and_by_the_oracle() {
    for planted in fault::EQUAL_LATCHES {
        for certified in [true, false] {
            let noticed = (0..2_000).any(|seed| is_noticed(planted, seed, certified));
            assert!(noticed, "{planted:?}, by the certifier: {certified}");
        }
    }
}

fn is_noticed(planted: Fault, seed: u64, certified: bool) -> bool {
    let model = of_any_kind(seed);
    fault::plant(Some(planted));
    let proofs = proofs(&model);
    fault::plant(None);
    proofs
        .into_iter()
        .any(|(question, _, proof)| match certified {
            true => certify_proof(&model, &question, &proof, &Budget::unlimited()).is_err(),
            false => is_reached(&model, &question) == Some(true),
        })
}
