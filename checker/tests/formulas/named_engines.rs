//! Engines that the user names decide formulas of the killing shape like all other formulas.

use hyperkill_checker::hyperltl::{Truth, decide_formula};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_formulas::shape::Shape;
use hyperkill_formulas::{Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::{cases, options};
use crate::determinised::withstands;
use crate::random::{body, system};
use crate::subsets::withstands_finite;
use crate::tableau::{has_finite_traces, has_traces};

/// A comparison of two traces, or a signal of one.
fn state(
    rng: &mut ChaCha8Rng,
    model: &hyperkill_core::ConditionalMutant,
    traces: &[&str],
) -> String {
    let (one, other) = (body(rng, model, traces, 0), body(rng, model, traces, 0));
    let operator = ["&", "|", "<->"][rng.random_range(0..3)];
    format!("(({one}) {operator} ({other}))")
}

#[test]
fn engines_named_by_the_user_decide_formulas_of_the_killing_shape() {
    let (mut decided_in_all, mut open) = (0, 0);
    for seed in 0..cases(200) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = system(&mut rng);
        let alternates = seed % 2 == 1;
        let prefix = if alternates {
            "exists p. forall q."
        } else {
            "exists p q."
        };
        let first = state(
            &mut rng,
            &model,
            if alternates { &["p"] } else { &["p", "q"] },
        );
        let (premise, eventual) = (
            state(&mut rng, &model, &["p", "q"]),
            state(&mut rng, &model, &["p", "q"]),
        );
        let text = format!("{prefix} (G {first}) & (G {premise} -> F {eventual})");
        let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(Shape::of(&formula.body).is_ok(), "{text}");
        let traces = [Traces::Finite, Traces::Infinite][seed as usize / 2 % 2];
        let expected = match (traces, alternates) {
            (Traces::Finite, false) => has_finite_traces(&model, &formula),
            (Traces::Infinite, false) => has_traces(&model, &formula),
            (Traces::Finite, true) => withstands_finite(&model, &formula),
            (Traces::Infinite, true) => withstands(&model, &formula),
        };
        let Some(expected) = expected else {
            continue;
        };
        let mut options = options(if alternates { 2 } else { 6 });
        options.reachability.engines = Engines {
            pdr: true,
            explicit: alternates,
            ..Engines::NONE
        };
        let budget = Budget::unlimited();
        let decided = decide_formula(&model, SelectorId(0), &formula, traces, &options, &budget);
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        match decided.truth {
            Truth::Holds => assert!(expected, "seed {seed}: {text}"),
            Truth::Fails => assert!(!expected, "seed {seed}: {text}"),
            Truth::Unknown { .. } => {
                assert!(alternates, "seed {seed}: {text}, {traces:?}: {decided:?}");
                open += 1;
            }
        }
        decided_in_all += 1;
    }
    println!("{open} of {decided_in_all} are open");
    assert!(open * 20 < decided_in_all, "{open} of {decided_in_all}");
}
