//! Checks tests of a suite: the mutants that a test kills, and the outputs that it allows. The origin of the test is irrelevant.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::verdict::Strength;

use super::CertifyError;
use super::replay::ReplayError;
use super::steps::{Bits, Steps, pack};
use super::ternary::{Asked, certain};
use super::universal::{Claim, Pairs, plainly_kill};

/// Checks that the values of some inputs of a test do not matter: for all values of all of them at once, the model accepts the inputs and
/// has the same outputs, and each of these mutants has different outputs at some step, up to which it accepts the inputs.
///
/// # Errors
/// [`CertifyError::Test`] if three-valued simulation does not show this.
pub fn certify_free(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    inputs: &[Vec<bool>],
    unknown: &[Vec<bool>],
) -> Result<(), CertifyError> {
    let asked = mutants.iter().map(|&mutant| Asked {
        mutant,
        inputs,
        outputs: &[],
        unknown,
    });
    let asked: Vec<Asked<'_>> = asked.collect();
    let shown = certain(model, &asked);
    let is_plain = !shown.is_empty()
        && (shown.iter()).all(|shown| shown.told && shown.apart && shown.accepted_until_apart);
    match is_plain {
        true => Ok(()),
        false => Err(CertifyError::Test(
            "an input that is called free decides something",
        )),
    }
}

/// Returns for each of these mutants, in their order, the result of [`certify_test`] on the same run.
///
/// Definite kills are simulated with three values, 32 in a pass. Kills that this does not confirm are checked one by one, each with a
/// budget of its own.
pub fn certify_tests(
    model: &ConditionalMutant,
    kills: &[(SelectorId, Strength)],
    run: &Stimulus,
    listing: u64,
    budget: impl Fn() -> Budget,
) -> Vec<Result<(), CertifyError>> {
    let definite = kills
        .iter()
        .filter(|(_, strength)| *strength == Strength::Definite);
    let definite: Vec<(SelectorId, &Stimulus)> =
        definite.map(|(mutant, _)| (*mutant, run)).collect();
    let mut plain = plainly_kill(model, &definite).into_iter();
    let certified = kills.iter().map(|&(mutant, strength)| {
        let is_plain = strength == Strength::Definite && plain.next().unwrap_or(false);
        match is_plain {
            true => Ok(()),
            false => certify_test(model, mutant, run, strength, listing, &budget()),
        }
    });
    certified.collect()
}

/// Checks that a test with the inputs of this run of the model kills a mutant with this strength. The test may continue after the kill.
///
/// - `definite`: on the inputs, or the longest prefix that the mutant accepts, no run of the mutant has the outputs of a run of the model.
/// - `potential`: on some prefix of the inputs the model has one output sequence, and some run of the mutant has another. (If the model has
///   several, only a run of the mutant shows a potential kill: see [`super::certify_kill`].)
/// - `controllable`: with the choices of this run the mutant's outputs differ at some step that both accept.
///
/// # Errors
/// [`CertifyError::Test`] if it does not, also for `adaptive`, which needs a strategy instead of fixed inputs; [`CertifyError::Stopped`] if
/// the budget ended first.
pub fn certify_test(
    model: &ConditionalMutant,
    mutant: SelectorId,
    run: &Stimulus,
    strength: Strength,
    listing: u64,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let [original, mutated] = [Variant::Original, Variant::Mutant(mutant)];
    let expected = replay(model, original, run).map_err(ReplayError::from)?;
    if expected.broken_at.is_some() {
        return Err(CertifyError::Test("it is no run of the model"));
    }
    let claim = |variants, length: usize, pairs| {
        let claim = Claim {
            model,
            variants,
            inputs: &run.steps[..length],
            only: None,
            pairs,
        };
        claim.is_met(listing, budget)
    };
    let steps = run.steps.len();
    match strength {
        Strength::Controllable => {
            let shown = replay(model, mutated, run).map_err(ReplayError::from)?;
            let taken = shown.broken_at.unwrap_or(steps);
            match shown.outputs[..taken] == expected.outputs[..taken] {
                true => Err(CertifyError::Test("the outputs do not differ")),
                false => Ok(()),
            }
        }
        Strength::Definite => {
            for length in (1..=steps).rev() {
                if claim([mutated, original], length, Pairs::Any)? {
                    return match claim([mutated, original], length, Pairs::Alike)? {
                        true => Err(CertifyError::Test(
                            "model and mutant can give the same outputs",
                        )),
                        false => Ok(()),
                    };
                }
            }
            Err(CertifyError::Test("the mutant refuses the first input"))
        }
        Strength::Potential => {
            // A prefix of the inputs may leave the model more outputs than all of them.
            for length in (1..=steps).rev() {
                if claim([mutated, original], length, Pairs::Unlike)?
                    && !claim([original, original], length, Pairs::Unlike)?
                {
                    return Ok(());
                }
            }
            Err(CertifyError::Test(
                "the model can give the mutant's outputs",
            ))
        }
        Strength::Adaptive => Err(CertifyError::Test("inputs that are fixed adapt to nothing")),
    }
}

/// Returns the outputs that the model may give at each step of a test, one bool per circuit output, by enumeration of its steps
/// (semantics.md §4). `None` if this would evaluate more than `listing` words of gates. `run` is a run of the model.
///
/// # Errors
/// [`CertifyError::Kill`] if the run does not fit the circuit, [`CertifyError::Stopped`] if the budget ended first.
pub fn answers(
    model: &ConditionalMutant,
    run: &Stimulus,
    allowing: Allowing,
    listing: u64,
    budget: &Budget,
) -> Result<Option<Vec<BTreeSet<Vec<bool>>>>, CertifyError> {
    let own_outputs = model.aig.outputs.len();
    let model = match allowing {
        Allowing::Global => model,
        Allowing::Local => &model.showing_state_before(),
    };
    let trace = replay(model, Variant::Original, run).map_err(ReplayError::from)?;
    let Some(steps) = Steps::new(model, Variant::Original, &[]) else {
        return Ok(None);
    };
    let mut left = listing;
    let Some(initial) = steps.initial(budget)? else {
        return Ok(None);
    };
    // The states in which the step may begin.
    let mut states: BTreeSet<Bits> = initial.into_iter().collect();
    let mut answers = Vec::new();
    for (step, inputs) in run.steps.iter().enumerate() {
        let mut after: BTreeMap<Bits, BTreeSet<Bits>> = BTreeMap::new();
        for state in &states {
            if let Some(stop) = budget.stopped() {
                return Err(CertifyError::Stopped(stop));
            }
            let affordable = |cost: u64| {
                let affordable = cost <= left;
                left = left.saturating_sub(cost);
                affordable
            };
            let Some(moves) = steps.under(state, inputs, affordable) else {
                return Ok(None);
            };
            for (outputs, next) in moves {
                after.entry(outputs).or_default().insert(next);
            }
        }
        let shown = after.keys().map(|bits| -> Vec<bool> {
            let bit = |i: usize| bits[i / 64] >> (i % 64) & 1 == 1;
            (0..model.aig.outputs.len()).map(bit).collect()
        });
        // A kept part of the state has the value of the run. At step 0 it is a first value.
        let state_before = &trace.outputs[step][own_outputs..];
        let shown = shown.filter(|shown| step == 0 || shown[own_outputs..] == *state_before);
        answers.push(shown.map(|shown| shown[..own_outputs].to_vec()).collect());
        let own = pack(&trace.outputs[step]);
        states = match allowing {
            Allowing::Global => after.remove(&own).unwrap_or_default(),
            // The state of the run, and any choice with the outputs of the run.
            Allowing::Local => {
                let state = steps.canonical(&trace.states[step]);
                let Some(moves) = steps.under(&state, inputs, |cost| cost <= listing) else {
                    return Ok(None);
                };
                let same = moves.into_iter().filter(|(outputs, _)| *outputs == own);
                same.map(|(_, next)| next).collect()
            }
        };
    }
    Ok(Some(answers))
}
