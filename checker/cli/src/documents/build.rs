//! From the checker's values to documents.

use std::path::Path;
use std::time::Duration;

use hyperkill_checker::rounds::Report;
use hyperkill_checker::testgen::{self, AllowedValues, Form};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, StimulusError, decode, replay};
use hyperkill_core::values::codes;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::determinism::Determinism;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};
use hyperkill_evidence::verdict::{
    Certificate, InputEnabled, Kill, Outcome, Potential, Strength, Stronger, Verdict,
};

use super::{
    DefiniteWord, Evidence, JournalEntry, Machine, MachineBranch, MachineState, MutantResult,
    PortDescription, PotentialResult, Refusal, RunEvidence, Signature, StrengthWord, SuiteKill,
    SuiteTest, Test, TestRuns, TestStep, Valuation, VerdictWord,
};
use crate::certificates::{first_values, run_evidence};

/// A file name as documents have it: as the user gave it, without the folder if that was absolute.
#[must_use]
pub fn published_name(name: &str) -> String {
    let path = Path::new(name);
    if path.is_absolute() {
        path.file_name()
            .map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned())
    } else {
        name.to_owned()
    }
}

/// Inputs, choices and outputs of a model.
#[must_use]
pub fn signature(model: &ConditionalMutant) -> Signature {
    let ports = |ports: &[_]| ports.iter().map(PortDescription::of).collect();
    Signature {
        inputs: ports(&model.inputs),
        choices: ports(&model.choices),
        outputs: ports(&model.outputs),
    }
}

/// The result for a mutant that no engine looked at because it is no model.
#[must_use]
pub fn invalid(id: &MutantId, reason: &str) -> MutantResult {
    let mut result = blank(id, VerdictWord::Invalid);
    result.reason = Some(reason.to_owned());
    result
}

/// The result for a decided mutant, with its test in this form, and the test. `selector` is the mutant's index.
///
/// # Errors
/// If a run of the outcome does not fit the circuit.
pub fn result(
    model: &ConditionalMutant,
    selector: usize,
    outcome: &Outcome,
    form: &Form,
    budget: &Budget,
) -> Result<(MutantResult, Option<testgen::Test>), StimulusError> {
    let mut killing = None;
    let mut result = blank(&outcome.mutant, word(&outcome.verdict));
    result.property = outcome.property.map(|property| property.to_string());
    result.engine = outcome.engine.map(|engine| engine.to_string());
    result.notes.clone_from(&outcome.notes);
    match &outcome.input_enabled {
        InputEnabled::Equally(_) => result.input_enabled = Some(true),
        InputEnabled::Differently {
            mutant_refuses,
            run,
            ..
        } => {
            result.input_enabled = Some(false);
            result.refusal = Some(refusal(model, selector, *mutant_refuses, run)?);
        }
        InputEnabled::Unsettled => {}
    }
    match &outcome.verdict {
        Verdict::Killed(kill) => {
            result.strength = Some(strength(kill.strength));
            result.steps = Some(kill.steps());
            result.shortest = Some(kill.shortest);
            // Verdicts leave the checker only after their evidence was checked.
            result.replayed = Some(true);
            match &kill.stronger {
                Stronger::NotAsked => {}
                Stronger::Excluded(certificate) => {
                    result.definite = Some(DefiniteWord::Excluded);
                    result.evidence = Some(evidence(certificate));
                }
                Stronger::Unsettled { known_to, reason } => {
                    result.definite = Some(DefiniteWord::Unsettled);
                    result.definite_known_to = Some(*known_to);
                    result.definite_reason = Some(reason.to_string());
                }
            }
            let extracted = testgen::extract(model, selector, kill, form, budget)?;
            let notes = extracted.notes.iter();
            result.notes.extend(notes.map(|&note| note.to_owned()));
            result.test = Some(test(model, &extracted));
            killing = Some(extracted);
        }
        Verdict::Equivalent(certificate) => result.evidence = Some(evidence(certificate)),
        Verdict::NotDefinitelyKillable {
            certificate,
            potential,
        } => {
            result.evidence = Some(evidence(certificate));
            result.potential = Some(match potential {
                Potential::Killed(kill) => {
                    let extracted = testgen::extract(model, selector, kill, form, budget)?;
                    let notes = extracted.notes.iter();
                    result.notes.extend(notes.map(|&note| note.to_owned()));
                    let result = PotentialResult {
                        steps: Some(kill.steps()),
                        shortest: Some(kill.shortest),
                        test: Some(test(model, &extracted)),
                        ..PotentialResult::blank(VerdictWord::Killed)
                    };
                    killing = Some(extracted);
                    result
                }
                Potential::Unsettled { known_to, reason } => PotentialResult {
                    known_to: Some(*known_to),
                    reason: Some(reason.to_string()),
                    ..PotentialResult::blank(VerdictWord::Unknown)
                },
            });
        }
        Verdict::RefusesInput { run, certificate } => {
            result.refusal = Some(refusal(model, selector, true, run)?);
            result.evidence = Some(evidence(certificate));
        }
        Verdict::Invalid(reason) => result.reason = Some(reason.clone()),
        Verdict::DuplicateOf(other) => result.of = Some(other.to_string()),
        Verdict::Unknown { known_to, reason } => {
            result.known_to = Some(*known_to);
            result.reason = Some(reason.to_string());
        }
    }
    Ok((result, killing))
}

/// The journal's line for a decided mutant.
#[must_use]
pub fn journal_entry(
    model: &ConditionalMutant,
    result: MutantResult,
    outcome: &Outcome,
    took: Duration,
) -> JournalEntry {
    JournalEntry {
        result,
        runs: outcome.verdict.kill().map(|kill| runs(model, kill)),
        seconds: seconds(took),
    }
}

/// A duration in documents: seconds, to the microsecond.
#[must_use]
pub fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}

/// The tests of a suite for a report, each with what it is bit by bit.
///
/// # Errors
/// If a run of the report does not fit the circuit.
pub fn suite_tests(
    model: &ConditionalMutant,
    report: &Report,
    minimise: bool,
    form: &Form,
    budget: &Budget,
) -> Result<Vec<(SuiteTest, RunEvidence)>, StimulusError> {
    let suite = testgen::suite(model, report, minimise, form, budget)?;
    let tests = suite.tests.into_iter().map(|test| {
        let steps = test.steps.into_iter().map(|step| TestStep {
            inputs: Valuation(step.inputs),
            outputs: Valuation(step.outputs),
            allowed_complete: incomplete(step.allowed.as_ref()),
            allowed: step.allowed.map(valuations),
            mutant_outputs: None,
        });
        let machine = test.tree.as_ref().map(|tree| machine(model, tree));
        let kills = test.kills.into_iter().map(|(mutant, s)| SuiteKill {
            mutant: mutant.to_string(),
            strength: strength(s),
        });
        let document = SuiteTest {
            id: test.id,
            kind: test.kind.to_string(),
            controllable: test.controllable,
            initial: Valuation(test.initial),
            steps: steps.collect(),
            tree: machine.as_ref().and_then(Machine::unfold),
            machine,
            kills: kills.collect(),
            found_by: test.found_by.to_string(),
        };
        (document, run_evidence(model, &test.run, test.tree.as_ref()))
    });
    Ok(tests.collect())
}

/// What is known of the original, in words.
#[must_use]
pub fn determinism(original: Determinism) -> &'static str {
    match original {
        Determinism::Deterministic => "deterministic",
        Determinism::NonDeterministic => "non-deterministic",
        Determinism::Unsettled => "unsettled",
    }
}

pub(crate) fn blank(id: &MutantId, verdict: VerdictWord) -> MutantResult {
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
        notes: Vec::new(),
        test: None,
        seconds: None,
    }
}

fn word(verdict: &Verdict) -> VerdictWord {
    match verdict {
        Verdict::Killed(_) => VerdictWord::Killed,
        Verdict::Equivalent(_) => VerdictWord::Equivalent,
        Verdict::NotDefinitelyKillable { .. } => VerdictWord::NotDefinitelyKillable,
        Verdict::RefusesInput { .. } => VerdictWord::RefusesInput,
        Verdict::Invalid(_) => VerdictWord::Invalid,
        Verdict::DuplicateOf(_) => VerdictWord::DuplicateOf,
        Verdict::Unknown { .. } => VerdictWord::Unknown,
    }
}

pub(crate) fn strength(strength: Strength) -> StrengthWord {
    match strength {
        Strength::Controllable => StrengthWord::Controllable,
        Strength::Potential => StrengthWord::Potential,
        Strength::Adaptive => StrengthWord::Adaptive,
        Strength::Definite => StrengthWord::Definite,
    }
}

pub(crate) fn test(model: &ConditionalMutant, test: &testgen::Test) -> Test {
    let steps = test.steps.iter().cloned().map(|step| TestStep {
        inputs: Valuation(step.inputs),
        outputs: Valuation(step.outputs),
        allowed_complete: incomplete(step.allowed.as_ref()),
        allowed: step.allowed.map(valuations),
        mutant_outputs: Some(Valuation(step.mutant_outputs)),
    });
    let machine = test.tree.as_ref().map(|tree| machine(model, tree));
    Test {
        kind: test.kind.to_string(),
        initial: Valuation(test.initial.clone()),
        steps: steps.collect(),
        tree: machine.as_ref().and_then(Machine::unfold),
        machine,
    }
}

fn valuations(allowed: AllowedValues) -> Vec<Valuation> {
    allowed.outputs.into_iter().map(Valuation).collect()
}

/// The marker of a set that is not known to hold everything.
fn incomplete(allowed: Option<&AllowedValues>) -> Option<bool> {
    allowed.filter(|allowed| !allowed.complete).map(|_| false)
}

/// A strategy with names and values.
pub(crate) fn machine(model: &ConditionalMutant, tree: &StrategyTree) -> Machine {
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

pub(crate) fn refusal(
    model: &ConditionalMutant,
    mutant: usize,
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

/// A proof that the goal of a question is out of reach.
pub(crate) fn proved(of: String, proof: &Proof) -> Evidence {
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

pub(crate) fn evidence(certificate: &Certificate) -> Evidence {
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
    }
}

pub(crate) fn runs(model: &ConditionalMutant, kill: &Kill) -> TestRuns {
    let bits = |bits: &Vec<bool>| bits.iter().map(|&b| if b { '1' } else { '0' }).collect();
    TestRuns {
        model_initial: bits(&first_values(model, &kill.model_run.initial)),
        model_steps: kill.model_run.steps.iter().map(bits).collect(),
        mutant_initial: bits(&first_values(model, &kill.mutant_run.initial)),
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
