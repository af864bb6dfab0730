//! Replays kills: simulates both runs gate by gate and compares them.

use hyperkill_core::aig::Reset;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, StimulusError, Trace, replay_together};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::verdict::{Kill, Strength};

/// The reason why a kill was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// A run does not fit the circuit.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The test has no steps.
    #[error("the test is empty")]
    Empty,
    /// The two runs have different lengths, or different test inputs at this step.
    #[error("model and mutant are fed different inputs at step {0}")]
    Inputs(usize),
    /// The runs must have the same choices, but differ at this step.
    #[error("model and mutant make different choices at step {0}")]
    Choices(usize),
    /// A run breaks a constraint.
    #[error("the run of the {who} breaks a constraint at step {step}")]
    Broken {
        /// `model`, `mutant` or, in a plain safety question, `circuit`.
        who: &'static str,
        /// The step, from 0.
        step: usize,
    },
    /// A run does not end in the required state.
    #[error("the run does not end in the state that it has to reach")]
    NotReached,
    /// The outputs are the same.
    #[error("the outputs do not differ")]
    SameOutputs,
    /// The outputs of a pair of runs with common choices differ before the last step: the kill is earlier than claimed.
    #[error("the outputs differ at step {0} already")]
    Early(usize),
    /// A run of the model has the outputs of the mutant.
    #[error("model and mutant can give the same outputs")]
    Matched,
    /// The mutant has another run on these inputs with other outputs, though only one output sequence was claimed.
    #[error("the mutant can give other outputs")]
    OtherOutputs,
    /// A controllable kill makes a claim about other runs of the mutant.
    #[error("a controllable kill makes no claim about other runs")]
    OtherRuns,
}

/// Replays both runs of a kill. Returns their traces (model, mutant).
///
/// This is the existential part. [`super::certify_kill`] shows that *no* run of the model gives the outputs of the mutant.
///
/// # Errors
/// The first condition of a kill that fails.
pub fn replay_kill(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
) -> Result<(Trace, Trace), ReplayError> {
    let runs = runs(mutant, kill);
    let mut traces = replay_together(model, &runs)?.into_iter();
    match (traces.next(), traces.next()) {
        (Some(original), Some(mutated)) => are_as_a_kill_must_be(model, kill, original, mutated),
        _ => Err(ReplayError::Empty),
    }
}

/// Replays several kills as [`replay_kill`] does. Returns their results in order.
pub(super) fn replay_kills(
    model: &ConditionalMutant,
    kills: &[(SelectorId, &Kill)],
) -> Vec<Result<(Trace, Trace), ReplayError>> {
    let together: Vec<(Variant, &Stimulus)> = kills
        .iter()
        .flat_map(|&(mutant, kill)| runs(mutant, kill))
        .collect();
    let Ok(traces) = replay_together(model, &together) else {
        // If some run does not fit the circuit, each kill is replayed alone to find out which.
        let alone = kills.iter();
        return alone
            .map(|&(mutant, kill)| replay_kill(model, mutant, kill))
            .collect();
    };
    let mut traces = traces.into_iter();
    let replayed = kills.iter().map(|(_, kill)| {
        let (original, mutated) = (traces.next(), traces.next());
        let traces = original.zip(mutated).ok_or(ReplayError::Empty);
        traces.and_then(|(original, mutated)| are_as_a_kill_must_be(model, kill, original, mutated))
    });
    replayed.collect()
}

/// Returns the runs of a kill, each with its variant.
fn runs(mutant: SelectorId, kill: &Kill) -> [(Variant, &Stimulus); 2] {
    [
        (Variant::Original, &kill.model_run),
        (Variant::Mutant(mutant), &kill.mutant_run),
    ]
}

fn are_as_a_kill_must_be(
    model: &ConditionalMutant,
    kill: &Kill,
    original: Trace,
    mutated: Trace,
) -> Result<(Trace, Trace), ReplayError> {
    if fault::evidence_is_believed() {
        return Ok((original, mutated));
    }
    let steps = kill.model_run.steps.len();
    if steps == 0 {
        return Err(ReplayError::Empty);
    }
    if kill.mutant_run.steps.len() != steps {
        return Err(ReplayError::Inputs(steps.min(kill.mutant_run.steps.len())));
    }
    for (step, (a, b)) in kill
        .model_run
        .steps
        .iter()
        .zip(&kill.mutant_run.steps)
        .enumerate()
    {
        if model.input_bits().any(|bit| a[bit] != b[bit]) {
            return Err(ReplayError::Inputs(step));
        }
        let shared = kill.strength == Strength::Controllable;
        if shared && model.choice_bits().any(|bit| a[bit] != b[bit]) {
            return Err(ReplayError::Choices(step));
        }
    }
    if kill.strength == Strength::Controllable && !same_free_values(model, kill) {
        return Err(ReplayError::Choices(0));
    }
    for (who, trace) in [("model", &original), ("mutant", &mutated)] {
        if let Some(step) = trace.broken_at {
            return Err(ReplayError::Broken { who, step });
        }
    }
    let differ = (0..steps).find(|&step| original.outputs[step] != mutated.outputs[step]);
    match differ {
        None => Err(ReplayError::SameOutputs),
        Some(step) if step + 1 < steps && kill.strength == Strength::Controllable => {
            Err(ReplayError::Early(step))
        }
        Some(_) => Ok((original, mutated)),
    }
}

fn same_free_values(model: &ConditionalMutant, kill: &Kill) -> bool {
    let selectors = model.selector_of_latch();
    let mut latches = model.aig.latches().iter().enumerate();
    latches.all(|(i, latch)| {
        latch.reset != Reset::Free
            || selectors[i].is_some()
            || kill.model_run.initial[i] == kill.mutant_run.initial[i]
    })
}
