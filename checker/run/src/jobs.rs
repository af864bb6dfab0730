//! `jobs.jsonl`: finished jobs of the rounds, so that `hyperkill resume` skips them. The file is deleted at the end of the run.
//!
//! The first line names the version of hyperkill and the circuit. Jobs of another version or circuit are ignored. A job whose facts a line
//! cannot hold is not written; it is done again.

use std::collections::BTreeSet;

use hyperkill_checker::decide::facts::{Facts, Knowledge};
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::question::Found;
use hyperkill_checker::rounds::{Job, Recalled, RecalledJob};
use hyperkill_checker::search_progress::Known;
use hyperkill_core::SelectorId;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::verdict::{Engine, InputEnabled, Kill, Reason, Strength, Stronger};
use serde::{Deserialize, Serialize};

use crate::documents::{self, bits::to_bits};

/// The version and the circuit of the jobs in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    version: String,
    circuit: String,
}

impl Owner {
    /// Returns the owner for this version of hyperkill and the circuit with this digest.
    #[must_use]
    pub fn of(circuit: &str) -> Owner {
        Owner {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            circuit: circuit.to_owned(),
        }
    }
}

/// A line of the file: a finished job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JobLine {
    round: usize,
    part: u32,
    /// The indices of the selectors.
    members: Vec<usize>,
    facts: Vec<FactsLine>,
}

/// The facts about a mutant. A line leaves out fields with default values.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FactsLine {
    mutant: usize,
    /// Whether the mutant is decided or a proof exists. Its line in the journal then has all facts.
    #[serde(skip_serializing_if = "is_default")]
    decided: bool,
    #[serde(skip_serializing_if = "is_default")]
    seen: bool,
    #[serde(skip_serializing_if = "is_default")]
    deterministic: Option<bool>,
    #[serde(skip_serializing_if = "is_default")]
    refuted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<FoundLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    potential: Option<KnowledgeLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    definite: Option<KnowledgeLine>,
    #[serde(skip_serializing_if = "is_default")]
    in_vain: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundLine {
    engine: String,
    steps: usize,
    runs: Vec<RunLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunLine {
    /// The number of latches.
    latches: usize,
    /// The latches that start with 1.
    ones: Vec<usize>,
    steps: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnowledgeLine {
    refuted: usize,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    best: Option<KillLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KillLine {
    engine: String,
    strength: String,
    shortest: bool,
    sole_run: bool,
    model: RunLine,
    mutant: RunLine,
}

// Serde requires this signature.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Owner {
    /// Returns the first line of the file, including the newline.
    ///
    /// # Errors
    /// Never for these types.
    pub fn line(&self) -> serde_json::Result<String> {
        documents::to_line(self)
    }
}

/// Returns the line of a job, including the newline; `None` if a line cannot hold its facts.
///
/// # Errors
/// Never for these types.
pub fn line(job: &Job<'_>) -> serde_json::Result<Option<String>> {
    written(job)
        .map(|line| documents::to_line(&line))
        .transpose()
}

/// The parsed `jobs.jsonl` of an earlier process.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The finished jobs.
    pub jobs: Recalled,
    /// The length of the complete lines, in bytes. A killed process may leave a partial line, and the next line must not be appended to it.
    pub whole: usize,
}

/// Reads the jobs of a run from the text of their file; `None` if the file has another owner. Malformed lines and an unfinished last line
/// are skipped.
#[must_use]
pub fn told(text: &str, owner: &Owner) -> Option<Told> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[..whole].lines();
    let first: Option<Owner> = lines
        .next()
        .and_then(|line| serde_json::from_str(line).ok());
    if first.as_ref() != Some(owner) {
        return None;
    }
    let jobs = lines.filter_map(|line| {
        let line: JobLine = serde_json::from_str(line).ok()?;
        let key = (line.round, line.part, SelectorId(*line.members.first()?));
        Some((key, read(line)?))
    });
    Some(Told {
        jobs: jobs.collect(),
        whole,
    })
}

fn written(job: &Job<'_>) -> Option<JobLine> {
    let facts = job.facts.iter();
    let facts = facts.map(|(mutant, facts)| written_facts(*mutant, facts));
    let decided = job.decided.iter().map(|&mutant| Some(decided(mutant)));
    Some(JobLine {
        round: job.round,
        part: job.part,
        members: job.members.iter().map(|member| member.0).collect(),
        facts: facts.chain(decided).collect::<Option<_>>()?,
    })
}

fn read(line: JobLine) -> Option<RecalledJob> {
    let facts = line.facts.into_iter().map(|line| {
        let mutant = SelectorId(line.mutant);
        match line.decided {
            true => Some((mutant, None)),
            false => Some((mutant, Some(read_facts(line)?))),
        }
    });
    Some(RecalledJob {
        members: line.members.into_iter().map(SelectorId).collect(),
        facts: facts.collect::<Option<_>>()?,
    })
}

/// Returns the line of a mutant whose facts are all in its verdict.
fn decided(mutant: SelectorId) -> FactsLine {
    FactsLine {
        mutant: mutant.0,
        decided: true,
        ..FactsLine::default()
    }
}

fn written_facts(mutant: SelectorId, facts: &Facts) -> Option<FactsLine> {
    if facts.potential.excluded.is_some() {
        return Some(decided(mutant));
    }
    let is_whole = facts.adaptive.is_none() && facts.accepts == InputEnabled::Unsettled;
    is_whole.then_some(())?;
    Some(FactsLine {
        seen: facts.seen,
        deterministic: match facts.mutant {
            None => None,
            Some(Determinism::Deterministic) => Some(true),
            Some(Determinism::NonDeterministic) => Some(false),
            Some(Determinism::Unsettled) => return None,
        },
        refuted: facts.pairs.refuted,
        found: facts.pairs.found.as_ref().map(|(engine, found)| FoundLine {
            engine: engine.to_string(),
            steps: found.steps,
            runs: found.runs.iter().map(written_run).collect(),
        }),
        potential: written_knowledge(&facts.potential)?,
        definite: written_knowledge(&facts.definite)?,
        in_vain: facts.in_vain.clone(),
        mutant: mutant.0,
        decided: false,
    })
}

fn read_facts(line: FactsLine) -> Option<Facts> {
    let found = |found: FoundLine| {
        let runs = found.runs.into_iter().map(read_run);
        let runs = runs.collect::<Option<_>>()?;
        let steps = found.steps;
        Some((Engine::named(&found.engine)?, Found { steps, runs }))
    };
    Some(Facts {
        pairs: Known {
            found: match line.found {
                Some(line) => Some(found(line)?),
                None => None,
            },
            refuted: line.refuted,
        },
        potential: read_knowledge(line.potential)?,
        definite: read_knowledge(line.definite)?,
        mutant: line.deterministic.map(|deterministic| match deterministic {
            true => Determinism::Deterministic,
            false => Determinism::NonDeterministic,
        }),
        seen: line.seen,
        in_vain: line.in_vain,
        ..Facts::default()
    })
}

/// Returns the line of a mutant's knowledge: `Some(None)` if nothing is known, and `None` if a line cannot hold a part of the knowledge.
fn written_knowledge(knowledge: &Knowledge) -> Option<Option<KnowledgeLine>> {
    if *knowledge == Knowledge::default() {
        return Some(None);
    }
    if knowledge.excluded.is_some() {
        return None;
    }
    let best = match &knowledge.best {
        None => None,
        Some((engine, kill)) if kill.stronger == Stronger::NotAsked && kill.tree.is_none() => {
            Some(KillLine {
                engine: engine.to_string(),
                strength: kill.strength.to_string(),
                shortest: kill.shortest,
                sole_run: kill.sole_run,
                model: written_run(&kill.model_run),
                mutant: written_run(&kill.mutant_run),
            })
        }
        Some(_) => return None,
    };
    Some(Some(KnowledgeLine {
        refuted: knowledge.refuted,
        reason: knowledge.reason.to_string(),
        best,
    }))
}

fn read_knowledge(line: Option<KnowledgeLine>) -> Option<Knowledge> {
    let Some(line) = line else {
        return Some(Knowledge::default());
    };
    let kill = |line: KillLine| {
        let strength = Strength::ALL.into_iter();
        let mut strength = strength.filter(|strength| strength.to_string() == line.strength);
        let kill = Kill {
            strength: strength.next()?,
            model_run: read_run(line.model)?,
            mutant_run: read_run(line.mutant)?,
            shortest: line.shortest,
            sole_run: line.sole_run,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        Some((Engine::named(&line.engine)?, kill))
    };
    let mut reasons = Reason::ALL.into_iter();
    Some(Knowledge {
        best: match line.best {
            Some(line) => Some(kill(line)?),
            None => None,
        },
        refuted: line.refuted,
        excluded: None,
        reason: reasons.find(|reason| reason.to_string() == line.reason)?,
    })
}

fn written_run(run: &Stimulus) -> RunLine {
    RunLine {
        latches: run.initial.len(),
        ones: run.initial.ones().to_vec(),
        steps: run.steps.iter().map(|step| to_bits(step)).collect(),
    }
}

fn read_run(line: RunLine) -> Option<Stimulus> {
    let bits = |text: &String| {
        let bits = text.chars().map(|bit| match bit {
            '0' => Some(false),
            '1' => Some(true),
            _ => None,
        });
        bits.collect::<Option<Vec<bool>>>()
    };
    Some(Stimulus {
        initial: FirstValues::with_ones(line.latches, line.ones)?,
        steps: line.steps.iter().map(bits).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bits: u8) -> Stimulus {
        let of = |bits: u8| {
            (0..3)
                .map(|bit| bits >> bit & 1 == 1)
                .collect::<Vec<bool>>()
        };
        Stimulus {
            initial: of(bits).into(),
            steps: vec![of(bits + 1), of(bits + 2)],
        }
    }

    fn knowledge(strength: Strength, reason: Reason) -> Knowledge {
        let kill = Kill {
            strength,
            model_run: run(1),
            mutant_run: run(4),
            shortest: true,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        Knowledge {
            best: Some((Engine::Diagrams, kill)),
            refuted: 1,
            excluded: None,
            reason,
        }
    }

    /// Facts that set every field of a line.
    fn facts() -> Vec<(SelectorId, Facts)> {
        let found = Found {
            steps: 2,
            runs: vec![run(2), run(3)],
        };
        let seen = Facts {
            pairs: Known {
                found: Some((Engine::Simulation, found)),
                refuted: Known::UNREACHABLE,
            },
            seen: true,
            ..Facts::default()
        };
        let killed = Facts {
            potential: knowledge(Strength::Definite, Reason::Engines),
            definite: knowledge(Strength::Potential, Reason::Bound),
            mutant: Some(Determinism::NonDeterministic),
            ..Facts::default()
        };
        vec![(SelectorId(4), seen), (SelectorId(7), killed)]
    }

    fn recalled_of(facts: &[(SelectorId, Facts)]) -> Recalled {
        let facts = facts.iter().cloned();
        let job = RecalledJob {
            members: vec![SelectorId(4), SelectorId(7), SelectorId(9)],
            facts: (facts.map(|(mutant, facts)| (mutant, Some(facts))))
                .chain([(SelectorId(9), None)])
                .collect(),
        };
        Recalled::from([((3, 1, SelectorId(4)), job)])
    }

    /// Returns the text that a process writes after a job with these facts.
    fn text(owner: &Owner, facts: &[(SelectorId, Facts)]) -> String {
        let members = [SelectorId(4), SelectorId(7), SelectorId(9)];
        let job = Job {
            round: 3,
            part: 1,
            members: &members,
            facts,
            decided: &[SelectorId(9)],
        };
        owner.line().unwrap() + &line(&job).unwrap().expect("it has a line")
    }

    #[test]
    fn what_is_written_of_a_job_is_recalled() {
        let owner = Owner::of("sha256:0");
        let text = text(&owner, &facts());
        let told = told(&text, &owner).unwrap();
        assert_eq!(told.jobs, recalled_of(&facts()));
        assert_eq!(told.whole, text.len());
    }

    #[test]
    fn a_line_that_is_cut_off_is_dropped_and_those_before_it_stay() {
        let owner = Owner::of("sha256:0");
        let whole = text(&owner, &facts());
        let cut = whole.clone() + r#"{"round":4,"part":0,"mem"#;
        let told = told(&cut, &owner).unwrap();
        assert_eq!(told.jobs, recalled_of(&facts()));
        assert_eq!(told.whole, whole.len());
    }

    #[test]
    fn jobs_of_another_circuit_are_not_recalled() {
        let text = text(&Owner::of("sha256:0"), &facts());
        assert_eq!(told(&text, &Owner::of("sha256:1")), None);
    }

    #[test]
    fn a_job_with_facts_that_no_line_can_hold_is_not_written() {
        let mut facts = facts();
        facts[0].1.mutant = Some(Determinism::Unsettled);
        let job = Job {
            round: 3,
            part: 1,
            members: &[SelectorId(4)],
            facts: &facts,
            decided: &[],
        };
        assert!(written(&job).is_none());
    }
}
