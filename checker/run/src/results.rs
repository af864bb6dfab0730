//! Translates outcomes of engines to documents: results with their tests, journal lines, suites.

use std::time::Duration;

use hyperkill_checker::rounds::Report;
use hyperkill_checker::testgen::{self, Answers, Form, Writer};
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::StimulusError;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{InputEnabled, Kill, Outcome, Potential, Stronger, Verdict};

use crate::documents::bits::run_evidence;
use crate::documents::build::{self, blank, evidence, machine, refusal, runs, seconds, strength};
use crate::documents::{
    DefiniteWord, JournalEntry, Machine, MutantResult, PotentialResult, RunEvidence, SuiteKill,
    SuiteTest, Test, Valuation, VerdictWord,
};

/// Returns the result of a decided mutant, and its test in this form. `selector` is the index of the mutant. `answers` are the outputs of
/// its kill, if they are known.
///
/// # Errors
/// If a run of the outcome does not fit the circuit.
pub fn result(
    writer: &Writer<'_>,
    selector: SelectorId,
    outcome: &Outcome,
    answers: Option<Answers>,
    form: &Form,
    budget: &Budget,
) -> Result<(MutantResult, Option<testgen::Test>), StimulusError> {
    let model = writer.model();
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
    let killing = match outcome.verdict.kill() {
        Some(kill) => Some(writer.write(selector, (kill, answers), form, budget)?),
        None => None,
    };
    if let Some(killing) = &killing {
        let notes = killing.notes.iter();
        result.notes.extend(notes.map(|&note| note.to_owned()));
    }
    let shown = killing.as_ref().map(|killing| test(model, killing));
    match &outcome.verdict {
        Verdict::Killed(kill) => killed(&mut result, kill, shown),
        Verdict::Equivalent(certificate) => result.evidence = Some(evidence(certificate)),
        Verdict::NotDefinitelyKillable {
            certificate,
            potential,
        } => {
            result.evidence = Some(evidence(certificate));
            result.potential = Some(potential_result(potential, shown));
        }
        Verdict::RefusesInput { run, certificate } => {
            result.refusal = Some(refusal(model, selector, true, run)?);
            result.evidence = Some(evidence(certificate));
        }
        Verdict::Invalid(reason) => result.reason = Some(reason.clone()),
        Verdict::Inconsistent(certificate) => result.evidence = Some(evidence(certificate)),
        Verdict::DuplicateOf(other) => result.of = Some(other.to_string()),
        Verdict::Unknown { known_to, reason } => {
            result.known_to = Some(*known_to);
            result.reason = Some(reason.to_string());
        }
    }
    Ok((result, killing))
}

/// Writes a kill with its test and stronger kills into a result.
fn killed(result: &mut MutantResult, kill: &Kill, test: Option<Test>) {
    result.strength = Some(strength(kill.strength));
    result.steps = Some(kill.steps());
    result.shortest = Some(kill.shortest);
    // Verdicts leave the checker only after a check of their evidence.
    result.replayed = Some(true);
    result.test = test;
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
}

/// Returns the result for a potential kill, beside the proof that no definite kill exists.
fn potential_result(potential: &Potential, test: Option<Test>) -> PotentialResult {
    match potential {
        Potential::Killed(kill) => PotentialResult {
            steps: Some(kill.steps()),
            shortest: Some(kill.shortest),
            test,
            ..PotentialResult::blank(VerdictWord::Killed)
        },
        Potential::Unsettled { known_to, reason } => PotentialResult {
            known_to: Some(*known_to),
            reason: Some(reason.to_string()),
            ..PotentialResult::blank(VerdictWord::Unknown)
        },
    }
}

/// Returns the journal line of a mutant that was decided in this round. `hurried` marks decisions after an interrupt.
#[must_use]
pub fn journal_entry(
    model: &ConditionalMutant,
    result: MutantResult,
    outcome: &Outcome,
    took: Duration,
    (round, hurried): (usize, bool),
) -> JournalEntry {
    JournalEntry {
        result,
        round: Some(round),
        hurried,
        runs: outcome.verdict.kill().map(|kill| runs(model, kill)),
        seconds: seconds(took),
    }
}

/// Returns the tests of a suite for a report, each with its run as bits. With `minimise`, tests that others make superfluous are left out.
///
/// # Errors
/// If a run of the report does not fit the circuit.
pub fn suite_tests(
    model: &ConditionalMutant,
    report: &Report,
    minimise: bool,
    form: &Form,
    budget: &Budget,
) -> Result<Vec<(SuiteTest, Option<RunEvidence>)>, StimulusError> {
    let suite = testgen::suite(model, report, minimise, form, budget)?;
    let tests = suite.tests.into_iter().map(|test| {
        let steps = build::with_free(build::steps(test.steps), test.free);
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
            steps,
            tree: machine.as_ref().and_then(Machine::unfold),
            machine,
            kills: kills.collect(),
            found_by: test.found_by.to_string(),
        };
        let run = run_evidence(model, &test.run, test.tree.as_ref());
        (document, Some(run))
    });
    Ok(tests.collect())
}

fn test(model: &ConditionalMutant, test: &testgen::Test) -> Test {
    let steps = build::with_free(build::steps(test.steps.clone()), test.free.clone());
    let machine = test.tree.as_ref().map(|tree| machine(model, tree));
    Test {
        kind: test.kind.to_string(),
        initial: Valuation(test.initial.clone()),
        steps,
        tree: machine.as_ref().and_then(Machine::unfold),
        machine,
    }
}

fn word(verdict: &Verdict) -> VerdictWord {
    match verdict {
        Verdict::Killed(_) => VerdictWord::Killed,
        Verdict::Equivalent(_) => VerdictWord::Equivalent,
        Verdict::NotDefinitelyKillable { .. } => VerdictWord::NotDefinitelyKillable,
        Verdict::RefusesInput { .. } => VerdictWord::RefusesInput,
        Verdict::Invalid(_) | Verdict::Inconsistent(_) => VerdictWord::Invalid,
        Verdict::DuplicateOf(_) => VerdictWord::DuplicateOf,
        Verdict::Unknown { .. } => VerdictWord::Unknown,
    }
}
