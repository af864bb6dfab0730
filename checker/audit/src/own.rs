//! Converts verdicts of languages with a decision procedure of their own to documents and back.
//!
//! A run writes the verdict of the language's procedure. A check reads the verdict from the documents, passes it to the rechecker of the
//! language, and writes the documents of this verdict again for comparison.

use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::{Step, TestKind, Window};
use hyperkill_core::verdict::{Kill, Potential, Reason, Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{OwnEvidence, OwnKill, OwnVerdict};
use serde_json::Value as Document;

use crate::documents::WindowDocument;
use crate::documents::build::{blank, steps, strength};
use crate::documents::{
    ClaimWord, DefiniteWord, Evidence, MutantResult, OwnKillEvidence, PotentialResult, Shown,
    StrengthWord, Test, TestStep, Valuation, VerdictWord,
};

/// The reason that documents give for a mutant without a good initial state, which is therefore not a model.
pub const INCONSISTENT: &str = "inconsistent: it has no good initial state";

/// The part of a result that a certificate is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The verdict of the result.
    Verdict,
    /// The proof that no test kills definitely, beside a kill.
    Definite,
    /// The test that kills potentially, beside the proof that no test kills definitely.
    Potential,
}

/// A verdict of a language's own procedure as documents.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// The result, without the names of certificates.
    pub result: MutantResult,
    /// The certificates: the part, the claim and the evidence of each.
    pub certificates: Vec<(Part, ClaimWord, Shown)>,
}

/// The error that a language's own procedure returned a verdict that it must not return.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the procedure of {language} gives mutant {mutant} a verdict that it must not give: {word}"
)]
pub struct Unspeakable {
    /// The language of the procedure.
    pub language: String,
    /// The mutant.
    pub mutant: MutantId,
    /// The verdict that it must not return.
    pub word: &'static str,
}

/// Returns the result and the certificates of a verdict on a mutant. `question` is the name of the property that was decided.
///
/// # Errors
/// If such a procedure may not return it.
pub fn written(
    language: &str,
    question: &str,
    mutant: &MutantId,
    verdict: &OwnVerdict,
) -> Result<Written, Unspeakable> {
    let result = |word| {
        let mut result = blank(mutant, word);
        result.property = Some(question.to_owned());
        result
    };
    let proved = |proof: &Document| Shown::Own(proof.clone());
    let evidence = || Some(evidence(language, question));
    match verdict {
        Verdict::Killed(kill) => Ok(killed(kill, result(VerdictWord::Killed), evidence())),
        Verdict::Equivalent(proof) => {
            let mut result = result(VerdictWord::Equivalent);
            result.evidence = evidence();
            result.killed_when_open = killed_when_open(proof);
            Ok(Written {
                result,
                certificates: vec![(Part::Verdict, ClaimWord::Equivalent, proved(proof))],
            })
        }
        Verdict::Inconsistent(proof) => {
            let mut result = result(VerdictWord::Invalid);
            result.reason = Some(INCONSISTENT.to_owned());
            result.evidence = evidence();
            Ok(Written {
                result,
                certificates: vec![(Part::Verdict, ClaimWord::Inconsistent, proved(proof))],
            })
        }
        Verdict::NotDefinitelyKillable {
            certificate,
            potential,
        } => {
            let mut result = result(VerdictWord::NotDefinitelyKillable);
            result.evidence = evidence();
            let claim = ClaimWord::NotDefinitelyKillable;
            let mut certificates = vec![(Part::Verdict, claim, proved(certificate))];
            if let Potential::Killed(kill) = potential {
                certificates.push((Part::Potential, ClaimWord::Killed, shown(kill)));
            }
            result.potential = Some(self::potential(potential));
            Ok(Written {
                result,
                certificates,
            })
        }
        Verdict::Unknown { known_to, reason } => {
            let mut result = result(VerdictWord::Unknown);
            result.known_to = Some(*known_to);
            result.reason = Some(reason.to_string());
            Ok(Written {
                result,
                certificates: Vec::new(),
            })
        }
        Verdict::RefusesInput { .. } | Verdict::Invalid(_) | Verdict::DuplicateOf(_) => {
            Err(Unspeakable {
                language: language.to_owned(),
                mutant: mutant.clone(),
                word: verdict.word(),
            })
        }
    }
}

/// Returns the guarantee of a test that kills in an open environment, which a proof of equivalence may state (certificates.md). `None` if
/// it states none.
fn killed_when_open(proof: &Document) -> Option<StrengthWord> {
    let said = proof.get("open")?.get("strength")?;
    serde_json::from_value(said.clone()).ok()
}

fn killed(kill: &OwnKill, mut result: MutantResult, evidence: Option<Evidence>) -> Written {
    result.strength = Some(strength(kill.strength));
    result.steps = Some(kill.steps());
    result.shortest = Some(kill.shortest);
    result.replayed = Some(true);
    result.test = Some(test(kill));
    let mut certificates = vec![(Part::Verdict, ClaimWord::Killed, shown(kill))];
    match &kill.stronger {
        Stronger::NotAsked => {}
        Stronger::Excluded(proof) => {
            result.definite = Some(DefiniteWord::Excluded);
            result.evidence = evidence;
            let claim = ClaimWord::NotDefinitelyKillable;
            certificates.push((Part::Definite, claim, Shown::Own(proof.as_ref().clone())));
        }
        Stronger::Unsettled { known_to, reason } => {
            result.definite = Some(DefiniteWord::Unsettled);
            result.definite_known_to = Some(*known_to);
            result.definite_reason = Some(reason.to_string());
        }
    }
    Written {
        result,
        certificates,
    }
}

fn evidence(language: &str, question: &str) -> Evidence {
    Evidence {
        kind: language.to_owned(),
        of: question.to_owned(),
        k: None,
        simple_path: None,
        facts: None,
        clauses: None,
        positions: None,
    }
}

fn potential(potential: &Potential<OwnEvidence>) -> PotentialResult {
    match potential {
        Potential::Killed(kill) => PotentialResult {
            steps: Some(kill.steps()),
            shortest: Some(kill.shortest),
            test: Some(test(kill)),
            ..PotentialResult::blank(VerdictWord::Killed)
        },
        Potential::Unsettled { known_to, reason } => PotentialResult {
            known_to: Some(*known_to),
            reason: Some(reason.to_string()),
            ..PotentialResult::blank(VerdictWord::Unknown)
        },
    }
}

/// Returns the test of a kill as documents have it: the run of the model, with the outputs of the mutant at the same steps.
fn test(kill: &OwnKill) -> Test {
    let answers = kill.mutant_run.iter().map(|step| step.outputs.clone());
    let prescribed = kill.model_run.iter().zip(answers);
    let prescribed = prescribed.map(|(step, answers)| Step {
        mutant_outputs: Some(answers),
        ..step.clone()
    });
    Test {
        kind: kind(&kill.model_run),
        initial: Valuation::default(),
        steps: steps(prescribed.collect()),
        tree: None,
        machine: None,
    }
}

fn shown(kill: &OwnKill) -> Shown {
    Shown::OwnKill(OwnKillEvidence {
        strength: strength(kill.strength),
        sole_run: kill.sole_run,
        model: steps(kill.model_run.clone()),
        mutant: steps(kill.mutant_run.clone()),
    })
}

/// The reason why documents do not determine a verdict of a language's own procedure.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// The certificate that the verdict needs, of a proof or a kill, is missing.
    #[error("the certificate of {0} is missing")]
    Missing(&'static str),
    /// The result lacks this word or number, which the verdict needs.
    #[error("it lacks {0}")]
    Field(&'static str),
    /// The word names a verdict that such a procedure does not return.
    #[error("the verdict is not one of a procedure of a language")]
    Word,
    /// The runs are not of one test, or malformed.
    #[error("{0}")]
    Runs(&'static str),
}

/// Returns the verdict that a result and its certificates state. `certificate` returns the evidence of the certificate for a part of the
/// result.
///
/// # Errors
/// If they do not determine a verdict.
pub fn read<'a>(
    result: &MutantResult,
    certificate: impl Fn(Part) -> Option<&'a Shown>,
) -> Result<OwnVerdict, Malformed> {
    let proof = |part| match certificate(part) {
        Some(Shown::Own(proof)) => Ok(proof.clone()),
        _ => Err(Malformed::Missing("the proof")),
    };
    let kill = |part| match certificate(part) {
        Some(Shown::OwnKill(kill)) => Ok(kill),
        _ => Err(Malformed::Missing("the kill")),
    };
    match result.verdict {
        VerdictWord::Killed => {
            let shortest = result.shortest.ok_or(Malformed::Field("shortest"))?;
            let mut kill = read_kill(kill(Part::Verdict)?, shortest)?;
            kill.stronger = match result.definite {
                None => Stronger::NotAsked,
                Some(DefiniteWord::Excluded) => {
                    Stronger::Excluded(Box::new(proof(Part::Definite)?))
                }
                Some(DefiniteWord::Unsettled) => Stronger::Unsettled {
                    known_to: (result.definite_known_to)
                        .ok_or(Malformed::Field("definite_known_to"))?,
                    reason: reason(result.definite_reason.as_deref())?,
                },
            };
            Ok(Verdict::Killed(Box::new(kill)))
        }
        VerdictWord::Equivalent => Ok(Verdict::Equivalent(proof(Part::Verdict)?)),
        VerdictWord::NotDefinitelyKillable => {
            let said = (result.potential.as_ref()).ok_or(Malformed::Field("potential"))?;
            let potential = match said.verdict {
                VerdictWord::Killed => {
                    let shortest = said.shortest.ok_or(Malformed::Field("shortest"))?;
                    let kill = read_kill(kill(Part::Potential)?, shortest)?;
                    Potential::Killed(Box::new(kill))
                }
                _ => Potential::Unsettled {
                    known_to: said.known_to.ok_or(Malformed::Field("known_to"))?,
                    reason: reason(said.reason.as_deref())?,
                },
            };
            Ok(Verdict::NotDefinitelyKillable {
                certificate: proof(Part::Verdict)?,
                potential,
            })
        }
        VerdictWord::Unknown => Ok(Verdict::Unknown {
            known_to: result.known_to.ok_or(Malformed::Field("known_to"))?,
            reason: reason(result.reason.as_deref())?,
        }),
        VerdictWord::Invalid => Ok(Verdict::Inconsistent(proof(Part::Verdict)?)),
        VerdictWord::RefusesInput | VerdictWord::DuplicateOf => Err(Malformed::Word),
    }
}

fn read_kill(kill: &OwnKillEvidence, shortest: bool) -> Result<OwnKill, Malformed> {
    Ok(Kill {
        strength: read_strength(kill.strength),
        model_run: read_steps(&kill.model)?,
        mutant_run: read_steps(&kill.mutant)?,
        shortest,
        sole_run: kill.sole_run,
        stronger: Stronger::NotAsked,
        tree: None,
    })
}

/// Returns the guarantee of a kill from its word.
#[must_use]
pub fn read_strength(word: StrengthWord) -> Strength {
    match word {
        StrengthWord::Controllable => Strength::Controllable,
        StrengthWord::Potential => Strength::Potential,
        StrengthWord::Adaptive => Strength::Adaptive,
        StrengthWord::Definite => Strength::Definite,
    }
}

fn reason(word: Option<&str>) -> Result<Reason, Malformed> {
    let all = [
        Reason::Bound,
        Reason::Time,
        Reason::Memory,
        Reason::Interrupted,
        Reason::Engines,
        Reason::Precondition,
        Reason::Acceptance,
    ];
    let mut all = all.into_iter();
    let found = all.find(|reason| word == Some(reason.to_string().as_str()));
    found.ok_or(Malformed::Field("a known reason"))
}

fn window(document: &WindowDocument) -> Window {
    Window {
        outputs: document.outputs.0.clone(),
        from: document.from,
        after: document.after,
        to: document.to,
        before: document.before,
    }
}

/// Returns the kind of a test: timed if a step has windows for outputs during waits, else linear.
#[must_use]
pub fn kind(steps: &[Step]) -> String {
    match steps.iter().any(|step| step.windows.is_some()) {
        true => TIMED.to_owned(),
        false => TestKind::Linear.to_string(),
    }
}

/// The kind of tests with windows for outputs during waits.
pub const TIMED: &str = "timed";

/// Returns the steps of a test or run, from a document.
///
/// # Errors
/// If delays contradict times, or only some steps have times.
pub fn read_steps(documents: &[TestStep]) -> Result<Vec<Step>, Malformed> {
    let read = documents.iter().map(|step| Step {
        at: step.at,
        inputs: step.inputs.0.clone(),
        outputs: step.outputs.0.clone(),
        allowed: None,
        windows: (step.windows.as_ref()).map(|all| all.iter().map(window).collect()),
        mutant_outputs: (step.mutant_outputs.as_ref()).map(|outputs| outputs.0.clone()),
    });
    let read: Vec<Step> = read.collect();
    let timed = read.iter().filter(|step| step.at.is_some()).count();
    if timed != 0 && timed != read.len() {
        return Err(Malformed::Runs("some of its steps have no time"));
    }
    if read.windows(2).any(|pair| pair[1].at < pair[0].at) {
        return Err(Malformed::Runs("its steps go back in time"));
    }
    if steps(read.clone()) != documents {
        return Err(Malformed::Runs(
            "the delays of its steps do not fit their times",
        ));
    }
    Ok(read)
}

/// Checks that the two runs of a kill are of one test: they have the same inputs at the same times, and different outputs at some step.
///
/// # Errors
/// If they are not.
pub fn are_of_one_test(kill: &OwnKill) -> Result<(), Malformed> {
    let given = |run: &[Step]| -> Vec<_> {
        let steps = run.iter();
        steps.map(|step| (step.at, step.inputs.clone())).collect()
    };
    if given(&kill.model_run) != given(&kill.mutant_run) {
        return Err(Malformed::Runs("its runs have other inputs or times"));
    }
    let outputs =
        |run: &[Step]| -> Vec<_> { run.iter().map(|step| step.outputs.clone()).collect() };
    match outputs(&kill.model_run) == outputs(&kill.mutant_run) {
        true => Err(Malformed::Runs("its runs have the same outputs")),
        false => Ok(()),
    }
}
