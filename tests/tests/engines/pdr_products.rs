//! Property-directed reachability on questions about copies: random conditional mutants, with and without given equalities, compared with
//! enumerated products. Every proof is certified, and every run replayed.

use std::collections::BTreeMap;

use hyperkill_certify::{CertifyError, certify_proof};
use hyperkill_checker::engines::induction;
use hyperkill_checker::engines::induction::Induction;
use hyperkill_checker::engines::pdr::{Given, Pdr, Progress};
use hyperkill_checker::question;
use hyperkill_checker::question::Found;
use hyperkill_checker::question::{Pose, Reachability};
use hyperkill_checker::schedule::Engines;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::solve::{Solved, solve};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::replay;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::proof::{Fact, Proof};
use hyperkill_evidence::question::{Preference, Question, StateBit};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::reach::shortest_run;

/// The limit on solver calls and conflicts for one question.
const EFFORT: u64 = 1 << 20;

/// Returns all questions about a mutant.
fn questions(model: &ConditionalMutant, mutant: SelectorId) -> Vec<Question> {
    let mut asked = vec![
        Question::phi1(mutant, false),
        Question::phi1(mutant, true),
        Question::identity(mutant),
        Question::refusal(mutant, 0),
        Question::refusal(mutant, 1),
        Question::nondeterminism(Variant::Mutant(mutant)),
    ];
    for preference in [
        Preference::Any,
        Preference::Copy,
        Preference::State,
        Preference::Lowest,
    ] {
        asked.extend(question::tracked(model, mutant, preference));
        asked.extend(question::agreeing(model, mutant, preference));
    }
    asked
}

/// The kind of facts given to the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum With {
    Nothing,
    Equalities,
    ConditionalEqualities,
}

/// Asks a question and checks the evidence of the answer. Returns true if the goal is reachable.
fn ask(model: &ConditionalMutant, question: &Question, posed: &Reachability, with: With) -> bool {
    let budget = Budget::unlimited();
    let induction = match with {
        With::Nothing => None,
        With::Equalities => Some(Induction::new(posed, false, 10_000, &budget)),
        With::ConditionalEqualities => Some(Induction::new(posed, true, 10_000, &budget)),
    };
    let mut pdr = match &induction {
        Some(known) => Pdr::new(known.question().clone(), &known.given()),
        None => Pdr::new(posed.clone(), &Given::default()),
    };
    match pdr.advance(EFFORT, &budget) {
        Progress::Undecided(stop) => panic!("{question}: {stop:?}"),
        Progress::Unreachable(clauses) => {
            let proof = induction::by_invariant(posed, induction.as_ref(), &clauses);
            let proof = proof.unwrap_or_else(|| panic!("{question}: {clauses:?} cannot be said"));
            if let Err(error) = certify_proof(model, question, &proof, &budget) {
                panic!("{question}, {with:?}: {error}: {proof:?}");
            }
            false
        }
        Progress::Reached(found) => {
            check_run(model, question, posed, &found);
            true
        }
    }
}

/// Asserts that the runs to the goal exist and end as the question requires, and that no evidence denies them.
fn check_run(model: &ConditionalMutant, question: &Question, posed: &Reachability, found: &Found) {
    let shortest = shortest_run(posed).flatten();
    assert!(shortest.is_some_and(|shortest| shortest <= found.steps));
    // The goal is reachable, so no invariant may be accepted.
    let claims: [Fact; 3] = [
        Fact::Clause(Vec::new()),
        Fact::Clause(vec![(StateBit::Latch { copy: 0, latch: 0 }, true)]),
        Fact::Clause(vec![(
            StateBit::Latch {
                copy: 1,
                latch: usize::MAX,
            },
            true,
        )]),
    ];
    for claim in claims {
        let proof = Proof {
            k: 1,
            simple_path: false,
            facts: vec![claim],
            facts_depth: 1,
        };
        let checked = certify_proof(model, question, &proof, &Budget::unlimited());
        assert!(matches!(checked, Err(CertifyError::Broken(_))), "{proof:?}");
    }
    let Question::Pair(pair) = question else {
        let runs = question::runs(question, model, found).expect("runs of this question");
        let [original, mutant] = &runs;
        assert_eq!(original.steps.len(), found.steps);
        assert_eq!(mutant.steps.len(), found.steps);
        return;
    };
    for (copy, &variant) in pair.variants.iter().enumerate() {
        let trace = replay(model, variant, &found.runs[copy]).expect("a run of the circuit");
        if pair.assumed[copy] {
            assert_eq!(trace.broken_at, None, "{question}");
        }
    }
    if pair.assumed == [true, true] {
        let outputs = |copy: usize| {
            let trace = replay(model, pair.variants[copy], &found.runs[copy]).expect("a run");
            trace.outputs.last().cloned()
        };
        assert_ne!(outputs(0), outputs(1), "{question}");
    }
}

#[test]
fn pdr_agrees_with_the_listed_states_of_random_products() {
    let mut seen: BTreeMap<(String, With), [usize; 2]> = BTreeMap::new();
    for seed in 0..100 {
        let model = of_any_kind(seed);
        for mutant in model.selector_ids() {
            for question in questions(&model, mutant) {
                let posed = question.pose(&model);
                let Some(shortest) = shortest_run(&posed) else {
                    continue;
                };
                let ways = [With::Nothing, With::Equalities, With::ConditionalEqualities];
                for with in ways {
                    let reached = ask(&model, &question, &posed, with);
                    let circuit = || aag(&model.aig);
                    assert_eq!(
                        reached,
                        shortest.is_some(),
                        "seed {seed}, mutant {mutant}, {question}, {with:?}: {shortest:?}\n{}",
                        circuit()
                    );
                    let count = seen.entry((question.to_string(), with)).or_default();
                    count[usize::from(reached)] += 1;
                }
            }
        }
    }
    let mut all = [0; 2];
    for ((question, with), [proved, reached]) in &seen {
        println!("{question}, {with:?}: {proved} proved, {reached} reached");
        all = [all[0] + proved, all[1] + reached];
    }
    println!("{} proved, {} reached", all[0], all[1]);
    assert!(all[0] >= 2_000 && all[1] >= 2_000, "{all:?}");
}

#[test]
fn turns_with_pdr_alone_end_with_the_same_answers() {
    let options = Options::UNLIMITED.with(Engines {
        pdr: true,
        ..Engines::NONE
    });
    let mut proved = 0;
    for seed in 1_000..1_060 {
        let model = of_any_kind(seed);
        for mutant in model.selector_ids() {
            for question in questions(&model, mutant) {
                let posed = question.pose(&model);
                let Some(shortest) = shortest_run(&posed) else {
                    continue;
                };
                match solve(&posed, &options, &Budget::unlimited()) {
                    Solved::Reached { found, refuted } => {
                        let shortest = shortest.expect("a run");
                        assert!(shortest <= found.steps && refuted < shortest);
                    }
                    Solved::Unreachable(proof) => {
                        assert_eq!(shortest, None);
                        let checked =
                            certify_proof(&model, &question, &proof, &Budget::unlimited());
                        assert_eq!(checked, Ok(()), "{question}");
                        proved += 1;
                    }
                    Solved::Open { refuted, stop } => {
                        panic!("seed {seed}, {question}: open at {refuted}: {stop:?}")
                    }
                }
            }
        }
    }
    assert!(proved >= 300, "{proved} proved");
}
