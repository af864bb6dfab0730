//! `timings.json`: where the time of a run went, and the counted work.

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::budget::ledger::{Balance, Line, Lines, Spent, ThreadAccount};
use hyperkill_core::work::Work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::seconds;

/// `timings.json`: everything that is different from run to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// `hyperkill.timings/1`.
    pub schema: String,
    /// Threads used.
    pub jobs: usize,
    /// From start to end, in seconds.
    pub total_seconds: f64,
    /// Names of the rounds of the process that ended the run, the first one's first.
    #[serde(default)]
    pub rounds: Vec<String>,
    /// What all threads together spent in each round, by engine and phase. Parts without a round lie outside of all rounds.
    #[serde(default)]
    pub parts: Vec<PartTime>,
    /// What each thread spent. With its idle time the phases of a thread add up to all of its time.
    #[serde(default)]
    pub threads: Vec<ThreadTime>,
    /// Per mutant, in catalogue order.
    pub mutants: Vec<MutantTime>,
}

impl Timings {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.timings/1";
}

/// Time spent on a mutant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantTime {
    /// Its id.
    pub mutant: String,
    /// How long. Work on several mutants at once is shared out among them.
    pub seconds: f64,
    /// The parts of that, but for the time of earlier processes of the run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<PartTime>,
}

/// Time and counted work of a round, an engine and a phase.
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
    /// Clock time.
    pub seconds: f64,
    /// Counted work, the same on every machine.
    #[serde(skip_serializing_if = "WorkDone::is_none", default)]
    pub work: WorkDone,
}

/// Time of a thread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadTime {
    /// Its name; `journal` are the threads that hand over what is decided, which have no idle time.
    pub thread: String,
    /// How long it was there.
    pub seconds: f64,
    /// The parts of that, by phase.
    pub phases: BTreeMap<String, f64>,
}

/// Counted work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkDone {
    /// Gates evaluated by simulation, each in all lanes at once.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub gates: u64,
    /// Gates asked for while graphs are built.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub nodes: u64,
    /// Conflicts of SAT solvers.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub conflicts: u64,
    /// Cache lines that searches of SAT solvers read, by their own estimates.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub ticks: u64,
    /// Calls of operations on decision diagrams.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub calls: u64,
    /// Clauses given to SAT solvers.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub clauses: u64,
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl WorkDone {
    /// Whether nothing was counted.
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

/// The parts that all threads together have spent, the dearest first.
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

/// The parts of what was spent, by round, engine and phase.
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

/// What each thread has spent, by phase.
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
