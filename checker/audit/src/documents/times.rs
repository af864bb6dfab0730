//! `timings.json`: the time of a run by parts, and the counted work.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::budget::ledger::{Balance, Line, Lines, Spent, ThreadAccount};
use hyperkill_core::work::Work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::seconds;

/// `timings.json`: all data that differs between runs of the same question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// `hyperkill.timings/1`.
    pub schema: String,
    /// The number of threads.
    pub jobs: usize,
    /// The seconds from start to end.
    pub total_seconds: f64,
    /// The names of the rounds, in order, of the process that ended the run.
    #[serde(default)]
    pub rounds: Vec<String>,
    /// The time of all threads by round, engine and phase. A part without a round is outside of all rounds.
    #[serde(default)]
    pub parts: Vec<PartTime>,
    /// The time of each thread. Its phases and its idle time sum to its total.
    #[serde(default)]
    pub threads: Vec<ThreadTime>,
    /// The time of each mutant, in catalogue order.
    pub mutants: Vec<MutantTime>,
}

impl Timings {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.timings/1";
}

/// The time spent on a mutant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantTime {
    /// The id of the mutant.
    pub mutant: String,
    /// The seconds spent on it. Work on several mutants at once is divided among them.
    pub seconds: f64,
    /// The parts of this time, without the time of earlier processes of the run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<PartTime>,
}

/// The time and the counted work of a round, an engine and a phase.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PartTime {
    /// The round, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub round: Option<usize>,
    /// The engine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// `read`, `find`, `certify`, `write` or `wait`.
    pub phase: String,
    /// The clock time in seconds.
    pub seconds: f64,
    /// The counted work, which is equal on all machines.
    #[serde(skip_serializing_if = "WorkDone::is_none", default)]
    pub work: WorkDone,
}

/// The time of a thread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadTime {
    /// The name of the thread. `journal` stands for the threads that write results, which have no idle time.
    pub thread: String,
    /// The lifetime of the thread in seconds.
    pub seconds: f64,
    /// The seconds by phase.
    pub phases: BTreeMap<String, f64>,
}

/// Counted work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkDone {
    /// Gates evaluated by simulation, each in all lanes at once.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub gates: u64,
    /// Gates requested while graphs are built.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub nodes: u64,
    /// Conflicts of SAT solvers.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub conflicts: u64,
    /// Cache lines read by searches of SAT solvers, as the solvers estimate them.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub ticks: u64,
    /// Operations called on decision diagrams.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub calls: u64,
    /// Clauses given to SAT solvers.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub clauses: u64,
}

// Serde prescribes the signature.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl WorkDone {
    /// Whether no work was counted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == WorkDone::default()
    }
}

impl From<Work> for WorkDone {
    fn from(work: Work) -> WorkDone {
        let Work {
            gates,
            nodes,
            conflicts,
            ticks,
            calls,
            clauses,
        } = work;
        WorkDone {
            gates,
            nodes,
            conflicts,
            ticks,
            calls,
            clauses,
        }
    }
}

/// Returns time and work of all threads together by round, engine and phase, the longest part first.
#[must_use]
pub fn parts_of_all(balance: &Balance) -> Vec<PartTime> {
    let mut all = Lines::new();
    for (line, spent) in balance.threads.iter().flat_map(|thread| &thread.lines) {
        let sum = all.entry(*line).or_default();
        sum.time += spent.time;
        sum.work += spent.work;
    }
    let mut parts = parts(&all);
    parts.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    parts
}

/// Returns time and work by round, engine and phase, as documents have them.
#[must_use]
pub fn parts(lines: &Lines) -> Vec<PartTime> {
    let lines = lines
        .iter()
        .filter(|(_, spent)| **spent != Spent::default());
    lines.map(|(line, spent)| part(line, spent)).collect()
}

fn part(line: &Line, spent: &Spent) -> PartTime {
    PartTime {
        round: (line.round > 0).then_some(line.round),
        engine: (!line.engine.is_empty()).then(|| line.engine.to_owned()),
        phase: line.phase.word().to_owned(),
        seconds: seconds(spent.time),
        work: spent.work.into(),
    }
}

/// Returns the time of each thread by phase, as documents have it.
#[must_use]
pub fn threads(balance: &Balance) -> Vec<ThreadTime> {
    let threads = balance.threads.iter();
    threads
        .map(|thread| thread_time(thread, balance.time))
        .collect()
}

fn thread_time(thread: &ThreadAccount, whole: Duration) -> ThreadTime {
    let mut phases: BTreeMap<String, Duration> = BTreeMap::new();
    for (line, spent) in &thread.lines {
        *phases.entry(line.phase.word().to_owned()).or_default() += spent.time;
    }
    let all: Duration = phases.values().sum();
    let name = thread.name.as_ref();
    ThreadTime {
        thread: name.map_or_else(|| "journal".to_owned(), Clone::clone),
        seconds: seconds(if name.is_some() { whole } else { all }),
        phases: phases
            .into_iter()
            .map(|(phase, time)| (phase, seconds(time)))
            .collect(),
    }
}
