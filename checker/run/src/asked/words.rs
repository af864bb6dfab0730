//! The options of a run as its folder says them.

use std::time::Duration;

use hyperkill_checker::schedule::Engines;
use hyperkill_frontend::domain::Cost;

use super::with_question;
use crate::procedure::Task;
use crate::selection::Selection;

/// An engine in the words of `--engine`, and whether it is used.
type Word = (&'static str, fn(&Engines) -> bool);

/// All engines, in the order of `--engine`.
const ENGINES: [Word; 9] = [
    ("pairs", |engines| engines.pairs),
    ("simulation", |engines| engines.simulation),
    ("bmc", |engines| engines.bmc),
    ("induction", |engines| engines.induction),
    ("pdr", |engines| engines.pdr),
    ("family", |engines| engines.family),
    ("exists-forall", |engines| engines.exists_forall),
    ("explicit", |engines| engines.explicit),
    ("diagrams", |engines| engines.diagrams),
];

/// Returns the options of a run with this task and selection, without a limit for the whole run. The binary reads them when it resumes
/// the run. Other model checkers are not named: they are programs, which only the binary knows.
#[must_use]
pub fn words(task: &Task, selection: &Selection) -> Vec<String> {
    let mut options = Vec::new();
    let mut say = |name: &str, value: &str| options.push(format!("--{name}={value}"));
    let all = |values: &[String], name: &'static str| -> Vec<(&'static str, String)> {
        values.iter().map(|value| (name, value.clone())).collect()
    };
    let lines: Vec<String> = selection.lines.iter().map(ToString::to_string).collect();
    let lists = [
        all(&selection.mutants, "mutant"),
        all(&selection.operators, "operator"),
        all(&lines, "file"),
        all(&selection.exclude, "exclude"),
    ];
    for (name, value) in lists.concat() {
        say(name, &value);
    }
    if let Some(count) = selection.sample {
        say("sample", &count.to_string());
    }
    if let Some(shard) = selection.shard {
        say("shard", &format!("{}/{}", shard.index, shard.count));
    }
    say("seed", &selection.seed.to_string());
    say("engine", &engines(&task.engines.unwrap_or(Engines::ALL)));
    say("timeout", &limit(task.timeout));
    say("total-timeout", "none");
    say("memory", "none");
    if let Some(bound) = task.bound {
        say("bound", &bound.to_string());
    }
    if let Some(kind) = task.tests {
        say("tests", &kind.to_string());
    }
    if let Some(longest) = task.aim.longest {
        say("max-length", &longest.to_string());
    }
    say("cost", cost(task.aim.cost));
    if let Some(method) = task.aim.method {
        say("method", method.name());
    }
    let flags = [
        (task.controllable, "--controllable-nd"),
        (!task.minimise, "--no-minimise"),
    ];
    let flags = flags.into_iter().filter(|(is_given, _)| *is_given);
    options.extend(flags.map(|(_, flag)| flag.to_owned()));
    with_question(options, task.ask)
}

fn engines(used: &Engines) -> String {
    let words = ENGINES.iter().filter(|(_, is_used)| is_used(used));
    let words: Vec<&str> = words.map(|(word, _)| *word).collect();
    words.join(",")
}

fn limit(time: Option<Duration>) -> String {
    match time {
        None => "none".to_owned(),
        Some(time) if time.subsec_nanos() == 0 => format!("{}s", time.as_secs()),
        Some(time) => format!("{}ms", time.as_millis()),
    }
}

fn cost(cost: Cost) -> &'static str {
    match cost {
        Cost::Tests => "tests",
        Cost::Inputs => "inputs",
        Cost::Time => "time",
    }
}
