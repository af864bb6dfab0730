//! Tests of models that accept an input in one hidden state and refuse it in another. No run of the model fails a global test or a tree,
//! a tree never gives a refused input, and the claims about stopping tests hold. The oracle plays all runs.

use std::collections::BTreeSet;

use hyperkill_checker::testgen::{Form, Test, extract, suite};
use hyperkill_checker::{Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::TestKind;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Kill, Strength, Verdict};
use hyperkill_tests::against_oracle::adaptive::tree_of;
use hyperkill_tests::against_oracle::letters;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, Oracle, State, Tree, TreeDefect, Word};
use hyperkill_tests::unstructured::{Acceptance, cases, unstructured};
use rayon::prelude::*;

/// Counts over many systems.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    systems: usize,
    kills: usize,
    trees: usize,
    globals: usize,
    /// The number of global tests whose next input no state accepts after some outputs.
    refused: usize,
    /// The number of definite kills of mutants with a run that stops before it fails.
    stopping: usize,
    equivalent: usize,
    acceptance_open: usize,
}

impl Tally {
    fn and(self, other: Tally) -> Tally {
        Tally {
            systems: self.systems + other.systems,
            kills: self.kills + other.kills,
            trees: self.trees + other.trees,
            globals: self.globals + other.globals,
            refused: self.refused + other.refused,
            stopping: self.stopping + other.stopping,
            equivalent: self.equivalent + other.equivalent,
            acceptance_open: self.acceptance_open + other.acceptance_open,
        }
    }
}

/// The result of a system's run under a global test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Pass,
    Fail,
    /// No run of the model with these inputs and outputs accepts the next input.
    Inconclusive,
    /// The system refused an input, so it gives no output.
    Silent,
}

/// Returns all results of a system's runs under these inputs. The allowed outputs are those of the model after the outputs observed.
fn ends(model: &Machine, system: &Machine, inputs: &[Word]) -> BTreeSet<End> {
    let mut ends = BTreeSet::new();
    let start = |machine: &Machine| machine.initial().iter().copied().collect();
    let mut open: BTreeSet<(BTreeSet<State>, BTreeSet<State>)> =
        BTreeSet::from([(start(model), start(system))]);
    for &input in inputs {
        let mut next = BTreeSet::new();
        for (expected, states) in open {
            let allowed = expected.iter().flat_map(|&s| model.moves(s, input));
            let allowed: Vec<_> = allowed.collect();
            if allowed.is_empty() {
                ends.insert(End::Inconclusive);
                continue;
            }
            if states.iter().any(|&s| system.moves(s, input).count() == 0) {
                ends.insert(End::Silent);
            }
            let shown: Vec<_> = states
                .iter()
                .flat_map(|&s| system.moves(s, input))
                .collect();
            for outputs in shown.iter().map(|m| m.outputs).collect::<BTreeSet<Word>>() {
                let after = |moves: &[hyperkill_tests::oracle::Move]| -> BTreeSet<State> {
                    let same = moves.iter().filter(|m| m.outputs == outputs);
                    same.map(|m| m.next).collect()
                };
                if after(&allowed).is_empty() {
                    ends.insert(End::Fail);
                } else {
                    next.insert((after(&allowed), after(&shown)));
                }
            }
        }
        open = next;
    }
    if !open.is_empty() {
        ends.insert(End::Pass);
    }
    ends
}

fn look(model: &ConditionalMutant, kind: TestKind) -> Tally {
    let budget = Budget::unlimited();
    let mut tally = Tally {
        systems: 1,
        ..Tally::default()
    };
    let options = Options {
        adaptive: kind == TestKind::Tree,
        fold_duplicates: false,
        ..Options::all(model)
    };
    let report = decide_all(model, &options, &budget, &mut Silent)
        .unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let form = Form {
        kind,
        ..Form::default()
    };
    for (mutant, outcome) in report.outcomes.iter().enumerate() {
        let oracle = Oracle::new(model, SelectorId(mutant)).expect("a tiny circuit");
        match &outcome.verdict {
            Verdict::Killed(kill) => {
                tally.kills += 1;
                let test = extract(model, SelectorId(mutant), kill, &form, &budget)
                    .expect("runs that fit");
                check(model, &oracle, kill, &test, &mut tally);
            }
            Verdict::Equivalent(_) => {
                tally.equivalent += 1;
                assert_eq!(oracle.refusal(), Ok(None), "{}: equivalent", model.name);
            }
            Verdict::Unknown { .. } => tally.acceptance_open += 1,
            _ => {}
        }
    }
    let suite = suite(model, &report, true, &form, &budget).expect("runs that fit");
    for test in &suite.tests {
        for (id, strength) in &test.kills {
            let place = model.selectors.iter().position(|s| s.id == *id);
            let oracle =
                Oracle::new(model, SelectorId(place.expect("a mutant"))).expect("a tiny circuit");
            if let Some(tree) = &test.tree {
                let tree = tree_of(&oracle.original, tree).expect("a tree of the model");
                let valid = is_valid(&oracle, &tree, *strength);
                assert!(valid, "{}: {tree:?} in a suite", model.name);
            }
        }
    }
    tally
}

/// Whether a tree is a test of the model with a kill of this strength. The tree of a potential kill may let the mutant pass.
fn is_valid(oracle: &Oracle, tree: &Tree, strength: Strength) -> bool {
    let is_certain = matches!(strength, Strength::Definite | Strength::Adaptive);
    match oracle.validate_tree(tree) {
        Ok(()) => true,
        Err(TreeDefect::PassesTheMutant(_)) => !is_certain,
        Err(_) => false,
    }
}

fn check(model: &ConditionalMutant, oracle: &Oracle, kill: &Kill, test: &Test, tally: &mut Tally) {
    let name = &model.name;
    let inputs: Vec<Word> = letters(&oracle.original, &test.run)
        .into_iter()
        .map(|(input, _)| input)
        .collect();
    let said = |what: &str| test.notes.iter().any(|note| note.contains(what));
    let conforming = ends(&oracle.original, &oracle.original, &inputs);
    let mutated = ends(&oracle.original, &oracle.mutant, &inputs);
    assert!(!conforming.contains(&End::Fail), "{name}: the model fails");
    match test.kind {
        TestKind::Tree => {
            tally.trees += 1;
            let tree = test.tree.as_ref().expect("a tree");
            let tree = tree_of(&oracle.original, tree).expect("a tree of the model");
            let valid = is_valid(oracle, &tree, kill.strength);
            assert!(valid, "{name}: {tree:?}");
        }
        TestKind::Global => {
            tally.globals += 1;
            // A tester that follows the test as written observes the allowed outputs along its own run.
            let initial = oracle.original.initial_state(&model.aig, &test.run.initial);
            let trail = oracle
                .original
                .trail(initial, &letters(&oracle.original, &test.run));
            let allowed = oracle.original.globally_allowed(&trail.expect("a run"));
            assert!(allowed.iter().all(|outputs| !outputs.is_empty()), "{name}");
            if kill.strength == Strength::Definite {
                let refused = mutated.contains(&End::Inconclusive);
                let stops = mutated.contains(&End::Silent);
                assert_eq!(said("the test stops there"), refused, "{name}: {mutated:?}");
                assert_eq!(said("it stops, and then"), stops, "{name}: {mutated:?}");
                if !refused && !stops {
                    assert_eq!(mutated, BTreeSet::from([End::Fail]), "{name}");
                }
                tally.refused += usize::from(refused);
                tally.stopping += usize::from(stops);
            }
        }
        TestKind::Linear | TestKind::Local => panic!("{name}: a {} test", test.kind),
    }
}

fn system(seed: u64) -> ConditionalMutant {
    match seed % 3 {
        0 => conditional_mutant(seed, Kind::Small),
        _ => unstructured(seed, Acceptance::ByState),
    }
}

#[test]
fn no_run_of_the_model_fails_and_no_tree_offers_what_is_refused() {
    let seeds = 0..cases(500);
    let tally = seeds
        .into_par_iter()
        .map(|seed| {
            let model = system(seed);
            look(&model, TestKind::Global).and(look(&model, TestKind::Tree))
        })
        .reduce(Tally::default, Tally::and);
    println!("{tally:?}");
    assert!(tally.trees * 20 > tally.systems && tally.globals * 20 > tally.systems);
    assert!(tally.refused >= 5 && tally.stopping >= 5, "{tally:?}");
    assert!(tally.equivalent * 10 > tally.systems, "{tally:?}");
}
