//! Questions as products of copies: pairs, families, copying traces, and steered copies.

use hyperkill_checker::observable::{Observability, observability};
use hyperkill_checker::question::{Pose, Reachability, agreeing, composed, tracked};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::fault::Fault;
use hyperkill_evidence::question::{Family, Preference, Question};
use hyperkill_formulas::compose::Sharing;
use hyperkill_formulas::{Formula, killing};
use hyperkill_tests::oracle::{Machine, Oracle, Word};
use hyperkill_tests::unstructured::cases;

use crate::formulas::{
    Case, Discrepancy, LONGEST, MODELS, PATIENCE, Run, Seen, compare, holds,
    holds_and_would_notice, reached, sequences,
};

#[test]
fn a_pair_and_a_family_are_reached_when_phi1_holds() {
    let seen = holds_and_would_notice(
        &[Fault::ForgottenOutput, Fault::OneMemberForAll],
        200,
        |case, seen| {
            let Case { model, mutant, .. } = *case;
            let wired = Question::phi1(mutant, false).pose(model);
            case.same("the pair", 1, seen, reached(&wired))?;
            let composed = Reachability::phi1(model, mutant, Sharing::Independent);
            let composed = composed.expect("φ1 has a circuit");
            case.same("φ1's product", 1, seen, reached(&composed))?;
            // The family of all mutants, with this member on.
            let members: Vec<SelectorId> = model.selector_ids().collect();
            let mut family = Family::phi1(members, false).pose(model);
            family
                .always
                .push(family.product.copies[1].selectors[mutant.0]);
            case.same("the family", 1, seen, reached(&family))
        },
    );
    println!("{seen}");
}

/// Returns whether φ1 holds on runs of this length if choices are inputs, which is the question with shared choices. `None` if there are
/// too many runs.
fn phi1_with_choices_as_inputs(oracle: &Oracle, length: usize) -> Option<bool> {
    let choices = oracle.original.choices().count();
    let inputs = oracle.original.alphabet().count();
    let sequences = sequences(choices * inputs, length)?;
    let phi1 = killing::phi1();
    let starts = oracle.original.initial().iter();
    Some(starts.clone().any(|&start| {
        sequences.iter().any(|letters| {
            let steps: Vec<(Word, Word)> = letters
                .iter()
                .map(|letter| (letter % inputs as Word, letter / inputs as Word))
                .collect();
            let run = |machine: &Machine, is_mutant: bool| {
                let outputs = machine.follow(start, &steps)?;
                let inputs = letters.clone();
                Some(Run {
                    is_mutant,
                    inputs,
                    outputs,
                })
            };
            let original = run(&oracle.original, false);
            let traces: Vec<Run> = original
                .into_iter()
                .chain(run(&oracle.mutant, true))
                .collect();
            holds(&phi1, &traces)
        })
    }))
}

/// Compares these questions with φ1 under shared choices.
fn share_choices(
    case: &Case<'_>,
    seen: &mut Seen,
    questions: Vec<Reachability>,
) -> Result<(), Discrepancy> {
    let lengths = 1..=LONGEST;
    let holding: Vec<bool> = lengths
        .map_while(|length| phi1_with_choices_as_inputs(&case.oracle, length))
        .collect();
    let least = holding.iter().position(|&holds| holds).map(|at| at + 1);
    for question in questions {
        let steps = reached(&question)(holding.len());
        seen[usize::from(steps.is_some())] += 1;
        if steps != least {
            let place = format!("{}, mutant {}", case.model.name, case.mutant);
            return Err(format!("{place}: reached in {steps:?} steps, φ1 {least:?}"));
        }
    }
    Ok(())
}

#[test]
fn with_choices_in_common_a_pair_is_reached_when_phi1_holds_with_choices_as_inputs() {
    let seen = compare(cases(MODELS), |case, seen| {
        let Case { model, mutant, .. } = *case;
        let members: Vec<SelectorId> = model.selector_ids().collect();
        let mut family = Family::phi1(members, true).pose(model);
        family
            .always
            .push(family.product.copies[1].selectors[mutant.0]);
        let composed = Reachability::phi1(model, mutant, Sharing::ControllableChoices);
        let composed = composed.expect("φ1 has a circuit");
        let pair = Question::phi1(mutant, true).pose(model);
        share_choices(case, seen, vec![pair, composed, family])
    });
    let seen = seen.unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("[not reached, reached] {seen:?}");
    assert!(cases(MODELS) < MODELS || seen[1] >= 120);
    // Separate choices for each side are noticed.
    let own = compare(PATIENCE, |case, seen| {
        let pair = Question::phi1(case.mutant, false).pose(case.model);
        share_choices(case, seen, vec![pair])
    });
    println!("{own:?}");
    assert!(own.is_err());
}

#[test]
fn copies_that_copy_choices_are_reached_wherever_phi2_holds() {
    let identity = |case: &Case<'_>, seen: &mut Seen| {
        let Case { model, mutant, .. } = *case;
        let identity = Question::identity(mutant).pose(model);
        case.implied("the identity", 2, seen, reached(&identity))?;
        let members: Vec<SelectorId> = model.selector_ids().collect();
        let mut family = Family::identity(members).pose(model);
        family
            .always
            .push(family.product.copies[1].selectors[mutant.0]);
        case.implied("the family's identity", 2, seen, reached(&family))
    };
    let seen = holds_and_would_notice(&[Fault::AssumedObligation], 100, identity);
    println!("{seen}");
}

/// The indices of the traces that the third and the fourth trace of a formula copy; `None` for a trace that copies none.
type Way = [Option<usize>; 2];

/// Returns the question of a formula whose traces copy other traces: each the one with this index, if any.
fn copying(case: &Case<'_>, formula: &Formula, whose: &[Option<usize>]) -> Reachability {
    let question = composed(case.model, case.mutant, formula, whose);
    question.expect("a killing formula").pose(case.model)
}

#[test]
fn a_formula_whose_universal_traces_copy_is_reached_wherever_it_holds() {
    // In φ2 p copies q or s. In φ3 q copies s, r copies p, or both copy one of the others. In φ4 q copies s or p.
    let ways: [(usize, Formula, &[Way]); 3] = [
        (2, killing::phi2(), &[[Some(0), None], [Some(1), None]]),
        (
            3,
            killing::phi3(),
            &[[Some(1), Some(0)], [Some(0), Some(1)], [Some(0), Some(0)]],
        ),
        (4, killing::phi4(), &[[Some(1), None], [Some(0), None]]),
    ];
    let follow = |[first, second]: Way| vec![None, None, first, second];
    let seen = holds_and_would_notice(&[], 200, |case, seen| {
        for (number, formula, ways) in &ways {
            for &way in *ways {
                let mut whose = follow(way);
                whose.truncate(formula.prefix.len());
                let question = copying(case, formula, &whose);
                let what = format!("φ{number} with copies of {whose:?}");
                case.implied(&what, *number, seen, reached(&question))?;
            }
        }
        Ok(())
    });
    println!("{seen}");
    // Assuming that the copying trace exists, instead of proving it, is noticed.
    let assuming = compare(PATIENCE, |case, seen| {
        let mut question = copying(case, &killing::phi2(), &[None, None, Some(0)]);
        question.always.push(question.product.copies[2].valid);
        case.implied("assuming", 2, seen, reached(&question))
    });
    println!("{assuming:?}");
    assert!(assuming.is_err());
}

#[test]
fn steered_copies_are_reached_wherever_the_formula_holds_and_of_observable_models_only_there() {
    let preferences = [
        Preference::Any,
        Preference::Copy,
        Preference::State,
        Preference::Lowest,
        Preference::Highest,
    ];
    let seen = holds_and_would_notice(&[Fault::UnconstrainedStrategy], 200, |case, seen| {
        let Case { model, mutant, .. } = *case;
        let is_observable = observability(model, &Budget::unlimited()) == Observability::Observable;
        for preference in preferences {
            if let Ok(question) = tracked(model, mutant, preference) {
                let what = question.to_string();
                let question = question.pose(model);
                let steps = reached(&question);
                match is_observable {
                    true => case.same(&what, 2, seen, steps)?,
                    false => case.implied(&what, 2, seen, steps)?,
                }
            }
            if let Ok(question) = agreeing(model, mutant, preference) {
                let what = question.to_string();
                case.implied(&what, 3, seen, reached(&question.pose(model)))?;
            }
        }
        Ok(())
    });
    println!("{seen}");
}
