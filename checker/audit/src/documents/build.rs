//! Builds documents from verdicts and evidence.

use std::time::Duration;

use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::suite::{Step, Window, delays};
use hyperkill_core::trace::{Stimulus, StimulusError, decode, replay};
use hyperkill_core::values::codes;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::determinism::Determinism;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};
use hyperkill_evidence::verdict::{Certificate, Kill, Reason, Strength};

pub use super::model::published_name;

use super::bits::{first_state_bits, to_bits};
use super::{
    Evidence, Machine, MachineBranch, MachineState, MutantResult, PortDescription, Refusal,
    Signature, StrengthWord, TestRuns, TestStep, Valuation, VerdictWord, WindowDocument,
};

/// Returns the inputs, choices, outputs and events of a model.
#[must_use]
pub fn signature(model: &ConditionalMutant) -> Signature {
    let ports = |ports: &[_]| ports.iter().map(PortDescription::of).collect();
    Signature {
        inputs: ports(&model.inputs),
        choices: ports(&model.choices),
        outputs: ports(&model.outputs),
        events: model.events.clone(),
    }
}

/// Returns the steps of a test as documents have them.
#[must_use]
pub fn steps(steps: Vec<Step>) -> Vec<TestStep> {
    let delays = delays(&steps);
    let steps = steps.into_iter().zip(delays).map(|(step, delay)| TestStep {
        delay,
        at: step.at,
        inputs: Valuation(step.inputs),
        free: Vec::new(),
        outputs: Valuation(step.outputs),
        // Marks a set that may lack allowed outputs.
        allowed_complete: (step.allowed.as_ref())
            .filter(|allowed| !allowed.complete)
            .map(|_| false),
        allowed: (step.allowed).map(|allowed| allowed.outputs.into_iter().map(Valuation).collect()),
        windows: (step.windows).map(|all| all.into_iter().map(window).collect()),
        mutant_outputs: step.mutant_outputs.map(Valuation),
    });
    steps.collect()
}

/// Returns the steps with their field `free` filled: for each step the names of the inputs whose values do not matter.
#[must_use]
pub fn with_free(mut steps: Vec<TestStep>, free: Vec<Vec<String>>) -> Vec<TestStep> {
    for (step, free) in steps.iter_mut().zip(free) {
        step.free = free;
    }
    steps
}

fn window(window: Window) -> WindowDocument {
    WindowDocument {
        outputs: Valuation(window.outputs),
        from: window.from,
        after: window.after,
        to: window.to,
        before: window.before,
    }
}

/// Returns the result for an invalid mutant, which no engine is given.
#[must_use]
pub fn invalid(id: &MutantId, reason: &str) -> MutantResult {
    let mut result = blank(id, VerdictWord::Invalid);
    result.reason = Some(reason.to_owned());
    result
}

/// Returns the result for an undecided mutant whose shard of the run has not ended.
#[must_use]
pub fn missing(id: &MutantId) -> MutantResult {
    let mut result = blank(id, VerdictWord::Unknown);
    result.known_to = Some(0);
    result.reason = Some(Reason::Missing.to_string());
    result
}

/// Returns a duration in seconds, rounded to the microsecond.
#[must_use]
pub fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}

/// Returns the word in documents for the determinism of the original.
#[must_use]
pub fn determinism(original: Determinism) -> &'static str {
    match original {
        Determinism::Deterministic => "deterministic",
        Determinism::NonDeterministic => "non-deterministic",
        Determinism::Unsettled => "unsettled",
    }
}

/// Returns a result for a mutant with only a verdict; all other fields are empty.
#[must_use]
pub fn blank(id: &MutantId, verdict: VerdictWord) -> MutantResult {
    MutantResult {
        mutant: id.to_string(),
        property: None,
        verdict,
        of: None,
        strength: None,
        steps: None,
        shortest: None,
        engine: None,
        replayed: None,
        certificate: None,
        input_enabled: None,
        acceptance_certificate: None,
        refusal: None,
        evidence: None,
        definite: None,
        definite_certificate: None,
        definite_known_to: None,
        definite_reason: None,
        potential: None,
        known_to: None,
        reason: None,
        killed_when_open: None,
        notes: Vec::new(),
        carried_over: false,
        test: None,
        seconds: None,
    }
}

/// Returns the word in documents for the guarantee of a kill.
#[must_use]
pub fn strength(strength: Strength) -> StrengthWord {
    match strength {
        Strength::Controllable => StrengthWord::Controllable,
        Strength::Potential => StrengthWord::Potential,
        Strength::Adaptive => StrengthWord::Adaptive,
        Strength::Definite => StrengthWord::Definite,
    }
}

/// Returns an adaptive test as a state machine with names and values.
pub fn machine(model: &ConditionalMutant, tree: &StrategyTree) -> Machine {
    let states = tree.nodes.iter().map(|node| {
        let mut branches: Vec<_> = node.branches.iter().collect();
        branches.sort_by_cached_key(|(outputs, _)| codes(&model.outputs, outputs));
        let branches = branches.into_iter().map(|(outputs, next)| MachineBranch {
            outputs: Valuation(decode(&model.outputs, outputs)),
            next: match next {
                Next::Node(next) => Some(*next),
                Next::Pass => None,
            },
        });
        MachineState {
            inputs: Valuation(decode(&model.inputs, &node.input)),
            branches: branches.collect(),
        }
    });
    Machine {
        states: states.collect(),
    }
}

/// Returns the document of a refused input: the inputs and outputs of `run`, a run of the side that accepts. The other side, the mutant if
/// `by_mutant`, refuses the inputs of the last step.
///
/// # Errors
/// If the run does not fit the circuit.
pub fn refusal(
    model: &ConditionalMutant,
    mutant: SelectorId,
    by_mutant: bool,
    run: &Stimulus,
) -> Result<Refusal, StimulusError> {
    let (by, accepting) = if by_mutant {
        ("mutant", Variant::Original)
    } else {
        ("model", Variant::Mutant(mutant))
    };
    let trace = replay(model, accepting, run)?;
    let valuations = |ports: &[_], steps: &[Vec<bool>]| {
        let steps = steps.iter();
        steps.map(|step| Valuation(decode(ports, step))).collect()
    };
    Ok(Refusal {
        by: by.to_owned(),
        inputs: valuations(&model.inputs, &run.steps),
        outputs: valuations(&model.outputs, &trace.outputs),
        certificate: None,
    })
}

/// Returns a summary of a proof by induction that the goal of the question `of` is unreachable.
pub fn proved(of: String, proof: &Proof) -> Evidence {
    let clauses = proof.clauses();
    let kind = if clauses == 0 {
        "k-induction"
    } else {
        "invariant"
    };
    Evidence {
        kind: kind.to_owned(),
        of,
        k: Some(proof.k),
        simple_path: Some(proof.simple_path),
        facts: Some(proof.facts.len() - clauses),
        clauses: Some(clauses).filter(|&clauses| clauses > 0),
        positions: None,
    }
}

/// The kind of evidence that [`ended`] returns: no traces have so many steps.
pub const END: &str = "end";

/// Returns a summary of the proof that no traces of this many steps satisfy the matrix of the formula `of`.
#[must_use]
pub fn ended(of: String, steps: usize) -> Evidence {
    Evidence {
        kind: END.to_owned(),
        of,
        k: Some(steps),
        simple_path: None,
        facts: None,
        clauses: None,
        positions: None,
    }
}

/// The method by which evidence excludes infinite traces. It determines the kind of the evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excluded {
    /// No state recurs with all fairness conditions met in between.
    NoLasso,
    /// K-liveness: the fairness conditions are met at most this many times.
    Counted(usize),
}

/// Returns a summary of an invariant of this many clauses that excludes infinite traces of the formula `of`. `responses` is the number of
/// responses of universal traces, if the evidence has them.
#[must_use]
pub fn excluded(of: String, how: Excluded, clauses: usize, responses: Option<usize>) -> Evidence {
    let (kind, k) = match how {
        Excluded::NoLasso => ("no-lasso", None),
        Excluded::Counted(k) => ("k-liveness", Some(k)),
    };
    Evidence {
        kind: kind.to_owned(),
        of,
        k,
        simple_path: None,
        facts: None,
        clauses: Some(clauses),
        positions: responses,
    }
}

/// The kind of evidence that [`included`] returns: an inclusion of automata.
pub const INCLUDED: &str = "inclusion";

/// Returns a summary of a closed set that refutes every choice of existential traces of the formula `of`. `sets` counts its sets of
/// positions, `rounds` its transition profiles.
#[must_use]
pub fn included(of: String, sets: usize, rounds: usize) -> Evidence {
    Evidence {
        kind: INCLUDED.to_owned(),
        of,
        k: None,
        simple_path: None,
        facts: None,
        clauses: Some(rounds).filter(|&rounds| rounds > 0),
        positions: Some(sets),
    }
}

/// Returns a summary of the proof behind a verdict: its kind, its claim and its size.
#[must_use]
pub fn evidence(certificate: &Certificate) -> Evidence {
    match certificate {
        Certificate::Induction {
            question: asked,
            proof,
        } => proved(asked.to_string(), proof),
        Certificate::ClosedSet(closed) => Evidence {
            kind: "closed-set".to_owned(),
            of: match closed.relation {
                Relation::Matched => "matched",
                Relation::Agreeing => "agreeing",
            }
            .to_owned(),
            k: None,
            simple_path: None,
            facts: None,
            clauses: None,
            positions: Some(closed.positions.len()),
        },
        Certificate::Simulation(simulation) => Evidence {
            kind: "simulation".to_owned(),
            of: match simulation.relation {
                Relation::Matched => "matched",
                Relation::Agreeing => "agreeing",
            }
            .to_owned(),
            k: None,
            simple_path: None,
            facts: None,
            clauses: None,
            positions: None,
        },
        Certificate::Estimates(_) => Evidence {
            kind: "estimates".to_owned(),
            of: "matched".to_owned(),
            k: None,
            simple_path: None,
            facts: None,
            clauses: None,
            positions: None,
        },
    }
}

/// Returns the two runs of a kill, of the model and of the mutant, as bit strings.
#[must_use]
pub fn runs(model: &ConditionalMutant, kill: &Kill) -> TestRuns {
    let bits = |bits: &Vec<bool>| to_bits(bits);
    let first = |run: &Stimulus| first_state_bits(model, &run.initial);
    TestRuns {
        model_initial: first(&kill.model_run),
        model_steps: kill.model_run.steps.iter().map(bits).collect(),
        mutant_initial: first(&kill.mutant_run),
        mutant_steps: kill.mutant_run.steps.iter().map(bits).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_name_files_without_absolute_folders() {
        assert_eq!(published_name("/home/user/model.smv"), "model.smv");
        assert_eq!(published_name("models/model.smv"), "models/model.smv");
        assert_eq!(published_name("-"), "-");
    }
}
