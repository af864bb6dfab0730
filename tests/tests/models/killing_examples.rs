//! Examples of \[3\]: Example 3 with its three mutants, Fig. 2, and the car alarm with hidden timing (§6.2).

use hyperkill_checker::testgen::allowed;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::values::codes;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::verdict::{Kill, Potential, Property, Strength, Stronger, Verdict};
use hyperkill_tests::models::conditional;
use hyperkill_tests::oracle::explicit;
use hyperkill_tests::oracle::subsets::{BLINDLY, definite_kill, potential_kill};

/// Returns the lengths of the shortest potential and the shortest definite kill of the only mutant, if they exist.
fn oracle(model: &ConditionalMutant) -> [Option<usize>; 2] {
    [potential_kill, definite_kill]
        .map(|ask| ask(model, SelectorId(0), BLINDLY).expect("a small model"))
}

#[test]
fn the_oracle_says_of_the_examples_what_the_paper_says() {
    // 2c+1 inputs for capacity c, and a step in which the last answer is visible.
    assert_eq!(oracle(&conditional("fills-one")), [Some(6), Some(6)]);
    assert_eq!(oracle(&conditional("fills-one-or-two")), [Some(6), None]);
    assert_eq!(oracle(&conditional("only-coffee")), [None, None]);
    // lock, close, 20 steps of one tick each, and a step in which the result is visible.
    let late = conditional("arms-late");
    assert_eq!(oracle(&late), [Some(23), None]);
    // With common timing, one long step is enough.
    let controlled = explicit::shortest_kill(&late, SelectorId(0), true, 1 << 20);
    assert_eq!(controlled, explicit::Verdict::Killed(4));
}

/// A set of engines that must solve the examples on its own.
#[derive(Clone, Copy, Debug)]
enum Working {
    Together,
    WithoutExplicitStates,
    WithoutExpansion,
}

fn options(model: &ConditionalMutant, ask: Ask, working: Working) -> Options {
    let mut options = Options::all(model);
    options.ask = ask;
    options.turns = Some(4);
    options.engines.explicit = !matches!(working, Working::WithoutExplicitStates);
    options.engines.exists_forall = !matches!(working, Working::WithoutExpansion);
    options
}

fn decide(model: &ConditionalMutant, options: &Options) -> Verdict {
    let report = decide_all(model, options, &Budget::unlimited(), &mut Silent);
    let mut outcomes = report.expect("evidence that checks").outcomes;
    outcomes.remove(0).verdict
}

fn kill(verdict: Verdict) -> Kill {
    match verdict {
        Verdict::Killed(kill) => *kill,
        other => panic!("{other:?}"),
    }
}

/// Asks all questions with all sets of engines. `judge` receives each question with the verdict.
fn ask_everything(name: &str, judge: impl Fn(Ask, Verdict)) {
    let model = conditional(name);
    let only = [Property::Phi2, Property::Phi3, Property::Phi4].map(Ask::Only);
    for working in [
        Working::Together,
        Working::WithoutExplicitStates,
        Working::WithoutExpansion,
    ] {
        for ask in only.into_iter().chain([Ask::Auto]) {
            let verdict = decide(&model, &options(&model, ask, working));
            judge(ask, verdict);
        }
    }
}

#[test]
fn filling_one_less_is_killed_definitely_by_emptying_the_machine_twice() {
    ask_everything("fills-one", |_, verdict| {
        let kill = kill(verdict);
        assert_eq!((kill.strength, kill.steps()), (Strength::Definite, 6));
        assert!(kill.shortest);
        assert_inputs_empty_the_machine_twice(&kill);
    });
}

/// Asserts that the inputs are those of Fig. 1c. The test does not contain the answer to the last input.
fn assert_inputs_empty_the_machine_twice(kill: &Kill) {
    let model = conditional("fills-one");
    let inputs = kill.model_run.steps.iter();
    // The codes of eps, req and fill are 0, 1 and 2.
    let inputs: Vec<u64> = inputs.flat_map(|step| codes(&model.inputs, step)).collect();
    assert_eq!(inputs[..5], [1, 1, 2, 1, 1]);
}

#[test]
fn filling_one_or_two_is_killed_potentially_and_not_definitely() {
    ask_everything("fills-one-or-two", |ask, verdict| {
        assert_only_potentially_killed(ask, verdict, 6);
    });
}

fn assert_only_potentially_killed(ask: Ask, verdict: Verdict, steps: usize) {
    let kill = match (ask, verdict) {
        (
            Ask::Only(Property::Phi3 | Property::Phi4),
            Verdict::NotDefinitelyKillable {
                potential: Potential::Killed(kill),
                ..
            },
        ) => *kill,
        (Ask::Only(Property::Phi2), verdict) => kill(verdict),
        (Ask::Auto, verdict) => {
            let kill = kill(verdict);
            assert!(matches!(kill.stronger, Stronger::Excluded(_)), "{kill:?}");
            kill
        }
        (_, other) => panic!("{ask:?}: {other:?}"),
    };
    assert_eq!(kill.strength, Strength::Potential);
    assert_eq!(kill.steps(), steps);
}

#[test]
fn serving_coffee_only_is_equivalent_to_serving_coffee_or_tea() {
    ask_everything("only-coffee", |ask, verdict| {
        assert!(
            matches!(verdict, Verdict::Equivalent(_)),
            "{ask:?}: {verdict:?}"
        );
    });
}

#[test]
#[ignore = "slow tier"]
fn arming_in_twice_the_time_is_killed_potentially_if_timing_is_hidden() {
    let model = conditional("arms-late");
    for ask in [
        Ask::Only(Property::Phi2),
        Ask::Only(Property::Phi3),
        Ask::Auto,
    ] {
        let verdict = decide(&model, &options(&model, ask, Working::Together));
        assert_only_potentially_killed(ask, verdict, 23);
    }
}

#[test]
fn arming_in_twice_the_time_is_killed_if_timing_is_controlled() {
    let model = conditional("arms-late");
    let mut options = options(&model, Ask::Auto, Working::Together);
    options.controllable = true;
    let kill = kill(decide(&model, &options));
    assert_eq!((kill.strength, kill.steps()), (Strength::Controllable, 4));
}

#[test]
fn the_locally_adaptive_test_of_the_beverage_machine_allows_what_fig_2_allows() {
    let model = conditional("fills-one");
    let ask = Ask::Only(Property::Phi3);
    let kill = kill(decide(&model, &options(&model, ask, Working::Together)));
    // The set of allowed drinks at each step; the codes of eps, coff and tea are 0, 1 and 2.
    let drinks = |kind| -> Vec<Vec<u64>> {
        let steps = allowed(&model, &kill.model_run, kind, 8, &Budget::unlimited());
        let drinks = steps.iter().map(|step| {
            assert!(step.complete);
            let outputs = step.outputs.iter();
            outputs
                .flat_map(|bits| codes(&model.outputs, bits))
                .collect()
        });
        drinks.collect()
    };
    let either = || vec![1, 2];
    let expected = vec![vec![0], either(), either(), vec![0], either(), either()];
    let mut found = drinks(Allowing::Local);
    found.iter_mut().for_each(|step| step.sort_unstable());
    assert_eq!(found, expected);
    // The outputs determine the state, so the globally allowed outputs are the same.
    let mut found = drinks(Allowing::Global);
    found.iter_mut().for_each(|step| step.sort_unstable());
    assert_eq!(found, expected);
}
