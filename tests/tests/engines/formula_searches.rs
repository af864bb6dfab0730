//! Searches without a product: pairs of states, sets of states, and the evaluation of given inputs.

use hyperkill_checker::engines::explicit::{
    Explored, Listing as Sets, Witness, definite, potential,
};
use hyperkill_checker::engines::pairs::{Listings, Walked};
use hyperkill_checker::judge::{Judgement, accepts, can_agree, produces};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_evidence::fault::Fault;
use hyperkill_formulas::ast::{Ltl, Quantifier, TraceVar};
use hyperkill_formulas::{Formula, killing};
use hyperkill_tests::oracle::Word;

use crate::formulas::{
    Case, Discrepancy, Run, Seen, WORK, holds, holds_and_would_notice, sequences, traces, work,
};

#[test]
fn the_walk_through_pairs_finds_a_kill_when_phi1_holds() {
    let budget = Budget::unlimited();
    let seen = holds_and_would_notice(&[Fault::ForgottenValuation], 30, |case, seen| {
        let Some(listing) = Listings::new(case.model, false, &[case.mutant], &budget) else {
            return Ok(());
        };
        let steps = match listing.walk(case.mutant, None, &budget) {
            Walked::Found(found) => Some(found.steps),
            Walked::Nothing | Walked::Alike => None,
            Walked::Open(_) => return Ok(()),
        };
        case.same("the walk", 1, seen, |_| steps)
    });
    println!("{seen}");
}

#[test]
fn sets_of_states_kill_potentially_when_phi2_holds_and_definitely_when_phi3_does() {
    let budget = Budget::unlimited();
    let mistakes = [
        Fault::ReversedSubsumption,
        Fault::IgnoredDeadEnds,
        Fault::ForgottenInitialStates,
    ];
    let seen = holds_and_would_notice(&mistakes, 200, |case, seen| {
        let Case { model, mutant, .. } = *case;
        let steps = |explored| match explored {
            Explored::Killed(witness) => {
                let witness: Witness = witness;
                Some(Some(witness.model_run.steps.len()))
            }
            Explored::Excluded(_) => Some(None),
            Explored::TooLarge { .. } | Explored::Stopped { .. } => None,
        };
        let listing = Sets::default();
        let is_deterministic = case.oracle.original.nondeterminism() == Ok(None);
        if let Some(found) = steps(potential(model, mutant, &listing, None, &budget)) {
            case.same("a potential kill", 2, seen, |_| found)?;
            if is_deterministic {
                case.same("a potential kill", 1, seen, |_| found)?;
            }
        }
        if let Some(found) = steps(definite(model, mutant, &listing, None, &budget)) {
            case.same("a definite kill", 3, seen, |_| found)?;
            if is_deterministic {
                case.same("a definite kill", 4, seen, |_| found)?;
            }
        }
        Ok(())
    });
    println!("{seen}");
}

/// Returns the values of all inputs of the circuit in each step. A word has the values of the test inputs; choices are 0.
fn circuit_inputs(model: &ConditionalMutant, inputs: &[Word]) -> Vec<Vec<bool>> {
    let step = |&word: &Word| {
        let mut row = vec![false; model.aig.inputs().len()];
        for (k, bit) in model.input_bits().enumerate() {
            row[bit] = word >> k & 1 == 1;
        }
        row
    };
    inputs.iter().map(step).collect()
}

fn circuit_outputs(model: &ConditionalMutant, outputs: &[Word]) -> Vec<Vec<bool>> {
    let bits = 0..model.aig.outputs.len();
    let step = |word: &Word| bits.clone().map(|k| word >> k & 1 == 1).collect();
    outputs.iter().map(step).collect()
}

/// Returns a formula that says that a trace of this side exists.
fn some_trace(is_mutant: bool) -> Formula {
    let p = TraceVar::new("p");
    let selector = Ltl::selector(&p);
    let side = if is_mutant { selector } else { selector.not() };
    Formula {
        prefix: vec![(Quantifier::Exists, p)],
        body: side.globally(),
    }
}

/// Compares the evaluation of these inputs with the formulas over the traces of these inputs alone.
fn judged(case: &Case<'_>, inputs: &[Word], seen: &mut Seen) -> Result<(), Discrepancy> {
    let Case { model, mutant, .. } = *case;
    let budget = Budget::unlimited();
    let traces = traces(&case.oracle, inputs);
    if work(&killing::phi3(), traces.len()) > WORK {
        return Ok(());
    }
    let rows = circuit_inputs(model, inputs);
    let mut expect = |what: &str, said: bool, formula: bool| {
        seen[usize::from(formula)] += 1;
        match said == formula {
            true => Ok(()),
            false => Err(format!(
                "{}, mutant {mutant}, {inputs:?}: {what}",
                model.name
            )),
        }
    };
    let exists = |judgement: Judgement| judgement == Judgement::Exists;
    let accepted = [Variant::Original, Variant::Mutant(mutant)]
        .map(|variant| exists(accepts(model, variant, &rows, &budget)));
    for (is_mutant, said) in [(false, accepted[0]), (true, accepted[1])] {
        expect(
            "what is accepted",
            said,
            holds(&some_trace(is_mutant), &traces),
        )?;
    }
    let agree = exists(can_agree(model, mutant, &rows, None, &budget));
    expect(
        "φ3: both accept and cannot agree",
        accepted[0] && accepted[1] && !agree,
        holds(&killing::phi3(), &traces),
    )?;
    for run in &traces {
        // With a single run of one side, φ2 and φ4 ask for the outputs of the other side.
        let only = traces
            .iter()
            .filter(|other| other.is_mutant != run.is_mutant);
        let only: Vec<Run> = only.chain([run]).cloned().collect();
        let (other, formula) = match run.is_mutant {
            true => (Variant::Original, killing::phi2()),
            false => (Variant::Mutant(mutant), killing::phi4()),
        };
        let outputs = circuit_outputs(model, &run.outputs);
        let produced = exists(produces(model, other, &rows, &outputs, &budget));
        let accepts = accepted[usize::from(!run.is_mutant)];
        expect(
            "what the other side produces",
            accepts && !produced,
            holds(&formula, &only),
        )?;
    }
    Ok(())
}

#[test]
fn the_judge_says_of_given_inputs_what_the_formulas_say_of_their_traces() {
    let seen = holds_and_would_notice(
        &[Fault::JudgedFromZero, Fault::JudgedWithCommonChoices],
        500,
        |case, seen| {
            let letters = 1 << case.oracle.original.input_bits();
            for length in 1..=3 {
                let all = sequences(letters, length).unwrap_or_default();
                // A few input sequences, different ones for each mutant.
                for inputs in all.iter().skip(case.mutant.0).step_by(1 + all.len() / 3) {
                    judged(case, inputs, seen)?;
                }
            }
            Ok(())
        },
    );
    println!("{seen}");
}
