//! Faults planted in the decision of formulas. The oracles must detect each fault, with the certifier and by a wrong answer alone.

use hyperkill_checker::decide_formula;
use hyperkill_checker::hyperltl::Truth;
use hyperkill_checker::schedule::Engines;
use hyperkill_checker::schedule::formulas::Options;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_formulas::{Formula, Traces};

use crate::alternation_free::options;
use crate::subsets::withstands_finite;
use crate::tableau::has_finite_traces;
use crate::{alternation_free, exactly};

/// Limit on the cases that are tried until a fault is detected.
const PATIENCE: u64 = 1500;

/// Returns the kind of traces that reveals a fault.
fn traces(fault: Fault) -> Traces {
    match fault::FINITE.contains(&fault) {
        true => Traces::Finite,
        false => Traces::Infinite,
    }
}

/// Returns a case of a seed: even seeds have a formula without alternation, odd seeds a formula with one.
fn case(seed: u64) -> (ConditionalMutant, Formula, String) {
    match seed % 2 {
        0 => alternation_free::case(seed / 2),
        _ => exactly::case(seed / 2),
    }
}

fn expected(
    (seed, traces): (u64, Traces),
    model: &ConditionalMutant,
    formula: &Formula,
    text: &str,
) -> Option<bool> {
    let asked = formula.as_asked();
    let is_satisfied = |found: bool| found != formula.begins_with_forall();
    match seed % 2 {
        0 if traces == Traces::Finite => has_finite_traces(model, &asked).map(is_satisfied),
        _ if traces == Traces::Finite => withstands_finite(model, &asked).map(is_satisfied),
        0 => alternation_free::expected(model, formula, text),
        _ => exactly::expected(model, formula, text),
    }
}

/// Returns the engines that reveal a fault. Some faults show only if the faulty engine is the only one.
fn engines(fault: Fault) -> Engines {
    match fault {
        Fault::BoundTakenForProof => Engines {
            bmc: true,
            ..Engines::NONE
        },
        Fault::OneOuterStart
        | Fault::ForgottenOuterStep
        | Fault::UncheckedRounds
        | Fault::UncheckedEnd => Engines {
            explicit: true,
            ..Engines::NONE
        },
        _ => Engines::ALL,
    }
}

/// The first case in which a fault shows: an answer that is wrong, or evidence that does not check.
fn caught(fault: Fault, believing: bool) -> Option<u64> {
    let budget = Budget::unlimited();
    let mut options: Options = options(2);
    options.reachability.engines = engines(fault);
    (0..PATIENCE).find_map(|seed| {
        let (model, formula, text) = case(seed);
        fault::believe_evidence(believing);
        fault::plant(Some(fault));
        let (mutant, traces) = (SelectorId(0), traces(fault));
        let decided = decide_formula(&model, mutant, &formula, traces, &options, &budget);
        fault::plant(None);
        fault::believe_evidence(false);
        let is_wrong = match decided {
            Err(_) => !believing,
            Ok(decided) => {
                let answer = match decided.truth {
                    Truth::Holds => true,
                    Truth::Fails => false,
                    Truth::Unknown { .. } => return None,
                };
                answer != expected((seed, traces), &model, &formula, &text)?
            }
        };
        is_wrong.then_some(seed)
    })
}

#[test]
fn every_fault_planted_in_formulas_is_caught_by_the_certifier_or_the_oracle() {
    all_are_caught(false);
}

#[test]
fn every_fault_planted_in_formulas_is_caught_by_the_oracle_alone() {
    all_are_caught(true);
}

fn all_are_caught(believing: bool) {
    let caught = |fault: &Fault| caught(*fault, believing).is_some();
    let faults = fault::HYPERLTL.into_iter().chain(fault::FINITE);
    let missed: Vec<Fault> = faults.filter(|fault| !caught(fault)).collect();
    assert!(
        missed.is_empty(),
        "not caught in {PATIENCE} cases: {missed:?}"
    );
}
