//! A bound is about the steps of traces: answers within it agree with an enumeration of all traces up to it.

use std::collections::BTreeMap;

use hyperkill_certify::deciding;
use hyperkill_checker::hyperltl::{Beyond, Decided, Shown, Truth, decide_formula};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::Reason;
use hyperkill_formulas::semantics::{Lasso, body_holds_on_finite_traces, body_holds_on_lassos};
use hyperkill_formulas::{Formula, Traces};

use crate::alternation_free::{case, cases, expected, options};
use crate::exactly;
use crate::one_alternation::Seen;
use crate::random::{initial, step};
use crate::subsets::withstands_finite;
use crate::tableau::has_finite_traces;

/// The largest number of combinations of traces that are enumerated.
const MOST: usize = 30_000;

/// All runs of so many steps, each with the states before its steps and after them.
fn runs(model: &ConditionalMutant, steps: usize) -> Vec<(Vec<u32>, Vec<Vec<bool>>)> {
    let mut runs: Vec<(Vec<u32>, Vec<Vec<bool>>)> = initial(model)
        .into_iter()
        .map(|state| (vec![state], Vec::new()))
        .collect();
    for _ in 0..steps {
        let longer = runs.iter().flat_map(|(states, values)| {
            (0..1_u32 << model.aig.inputs().len()).filter_map(|inputs| {
                let (now, next) = step(model, *states.last()?, inputs)?;
                let (mut states, mut values) = (states.clone(), values.clone());
                states.push(next);
                values.push(now);
                Some((states, values))
            })
        });
        runs = longer.collect();
    }
    runs
}

/// Calls `judge` on all combinations of `traces` of these runs until it is true. `None` if there are too many.
fn some<T: Clone>(runs: &[T], traces: usize, judge: &dyn Fn(&[T]) -> bool) -> Option<bool> {
    if runs.len().checked_pow(u32::try_from(traces).ok()?)? > MOST {
        return None;
    }
    let mut chosen = vec![Vec::new()];
    for _ in 0..traces {
        let longer = chosen.iter().flat_map(|chosen: &Vec<T>| {
            runs.iter()
                .map(move |run| [&chosen[..], std::slice::from_ref(run)].concat())
        });
        chosen = longer.collect();
    }
    Some(chosen.iter().any(|chosen| judge(chosen)))
}

/// Whether traces of at most `bound` steps satisfy the body of a formula; `None` if there are too many.
fn within(
    model: &ConditionalMutant,
    asked: &Formula,
    traces: Traces,
    bound: usize,
) -> Option<bool> {
    let count = asked.prefix.len();
    let seen = |steps: Vec<Vec<bool>>| Seen { model, steps };
    // Latches that neither the formula nor constraints depend on need not recur.
    let relevant = deciding(model, asked, Variant::Original).into_iter();
    let relevant = relevant.fold(0_u32, |latches, latch| latches | 1 << latch);
    for steps in 1..=bound {
        let runs = runs(model, steps);
        let found = match traces {
            Traces::Finite => {
                let all: Vec<Seen<'_>> = runs.into_iter().map(|(_, values)| seen(values)).collect();
                let judge = |chosen: &[Seen<'_>]| {
                    body_holds_on_finite_traces(asked, chosen).expect("a truth value")
                };
                some(&all, count, &judge)?
            }
            Traces::Infinite => {
                let mut found = false;
                for back in 0..steps {
                    let same = |states: &[u32]| (states[back] ^ states[steps]) & relevant == 0;
                    let closed = runs.iter().filter(|(states, _)| same(states));
                    let lasso = |values: &Vec<Vec<bool>>| Lasso {
                        trace: seen(values.clone()),
                        back,
                    };
                    let all: Vec<_> = closed.map(|(_, values)| lasso(values)).collect();
                    let judge = |chosen: &[Lasso<Seen<'_>>]| {
                        body_holds_on_lassos(asked, chosen).expect("a truth value")
                    };
                    found |= some(&all, count, &judge)?;
                }
                found
            }
        };
        if found {
            return Some(true);
        }
    }
    Some(false)
}

fn decide(
    model: &ConditionalMutant,
    formula: &Formula,
    traces: Traces,
    (bound, engines): (usize, Engines),
) -> Decided {
    let mut options = options(6);
    options.reachability.bound = Some(bound);
    options.reachability.engines = engines;
    let budget = Budget::unlimited();
    let decided = decide_formula(model, SelectorId(0), formula, traces, &options, &budget);
    decided.unwrap_or_else(|error| panic!("{formula}: {error}"))
}

#[test]
fn traces_are_found_exactly_if_they_are_within_the_bound() {
    let bmc = Engines {
        bmc: true,
        ..Engines::NONE
    };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..cases(600) {
        let (model, formula, text) = case(seed);
        let asked = formula.as_asked();
        let traces = [Traces::Finite, Traces::Infinite][seed as usize % 2];
        let bound = 1 + seed as usize / 2 % 4;
        let Some(exist) = within(&model, &asked, traces, bound) else {
            *seen.entry("too many".to_owned()).or_default() += 1;
            continue;
        };
        let decided = decide(&model, &formula, traces, (bound, bmc));
        let context =
            format!("seed {seed}: {text}, {traces:?}, at most {bound} steps: {decided:?}");
        let negated = formula.begins_with_forall();
        let answer = if negated { Truth::Fails } else { Truth::Holds };
        match &decided.shown {
            Some(Shown::Traces(witness)) => {
                assert_eq!(decided.truth, answer, "{context}");
                let steps = witness.runs.iter().map(|run| run.steps.len());
                assert!(steps.into_iter().all(|steps| steps <= bound), "{context}");
                assert!(exist || witness.beyond == Beyond::Anything, "{context}");
            }
            // No traces of some length within the bound exist at all.
            Some(Shown::End(_)) => assert!(!exist, "{context}"),
            _ => {
                let open = Truth::Unknown {
                    known_to: bound,
                    reason: Reason::Bound,
                };
                assert_eq!((decided.truth, exist), (open, false), "{context}");
            }
        }
        let all = decide(&model, &formula, traces, (bound, Engines::ALL));
        let context = format!("{context}, with all engines {all:?}");
        match (&all.truth, exist) {
            (Truth::Unknown { reason, .. }, false) => {
                assert_eq!(*reason, Reason::Bound, "{context}");
            }
            (Truth::Unknown { .. }, true) => panic!("{context}"),
            (truth, _) => {
                let holds = match traces {
                    Traces::Finite => {
                        has_finite_traces(&model, &asked).map(|found| found != negated)
                    }
                    Traces::Infinite => expected(&model, &formula, &text),
                };
                let right = holds.is_none_or(|holds| (*truth == Truth::Holds) == holds);
                assert!(right, "{context}");
                let by_traces = matches!(all.shown, Some(Shown::Traces(_)));
                assert!(by_traces || !exist, "{context}");
            }
        }
        *seen.entry(format!("{traces:?}, {exist}")).or_default() += 1;
    }
    println!("{seen:#?}");
    for (what, count) in seen {
        assert!(
            what == "too many" || count > cases(600) as usize / 60,
            "{what}"
        );
    }
}

#[test]
fn answers_to_formulas_with_one_alternation_are_right_and_within_the_bound() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases(300) {
        let (model, formula, text) = exactly::case(seed);
        let traces = [Traces::Finite, Traces::Infinite][seed as usize % 2];
        let bound = 1 + seed as usize / 2 % 3;
        let decided = decide(&model, &formula, traces, (bound, Engines::ALL));
        let context =
            format!("seed {seed}: {text}, {traces:?}, at most {bound} steps: {decided:?}");
        let witness = match &decided.shown {
            Some(Shown::Traces(witness)) => Some(witness),
            Some(Shown::Withstood(both)) => Some(&both.0),
            _ => None,
        };
        let steps = witness.map_or(0, |witness| witness.runs[0].steps.len());
        assert!(steps <= bound, "{context}");
        let how = match (&decided.truth, witness) {
            (Truth::Unknown { reason, .. }, _) => {
                assert_eq!(*reason, Reason::Bound, "{context}");
                "open"
            }
            (_, Some(_)) => "traces",
            (_, None) => "a proof",
        };
        *seen.entry(how).or_default() += 1;
        let holds = match traces {
            Traces::Finite => withstands_finite(&model, &formula.as_asked())
                .map(|withstood| withstood != formula.begins_with_forall()),
            Traces::Infinite => exactly::expected(&model, &formula, &text),
        };
        if let (Some(holds), false) = (holds, how == "open") {
            assert_eq!(decided.truth == Truth::Holds, holds, "{context}");
        }
    }
    println!("{seen:#?}");
    let open = seen.get("open").copied().unwrap_or(0);
    assert!(open * 10 < cases(300) as usize, "{seen:?}");
}
