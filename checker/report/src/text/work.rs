//! Times of the parts of a run, as text for people.

use super::{Align, Table};
use hyperkill_audit::documents::{PartTime, Timings, WorkDone};

/// Returns a table of the times of a run's parts, the slowest first, and one of its threads.
#[must_use]
pub fn work(timings: &Timings) -> String {
    let left = [Align::Left; 3];
    let right = [Align::Right; 2];
    let columns = left.into_iter().chain(right).chain([Align::Left]);
    let mut table = Table::new(columns).indented(2);
    table.row([
        "round",
        "engine",
        "phase",
        "seconds",
        "share",
        "counted work",
    ]);
    let all: f64 = timings.parts.iter().map(|part| part.seconds).sum();
    for part in &timings.parts {
        table.row([
            round(timings, part),
            part.engine.clone().unwrap_or_else(|| "-".to_owned()),
            part.phase.clone(),
            format!("{:.3}", part.seconds),
            percent(part.seconds, all),
            counted(part.work),
        ]);
    }
    let mut threads = Table::new([Align::Left, Align::Right, Align::Left]).indented(2);
    for thread in &timings.threads {
        let phases = thread.phases.iter();
        let phases: Vec<String> = phases
            .map(|(phase, seconds)| format!("{phase} {}", percent(*seconds, thread.seconds)))
            .collect();
        threads.row([
            thread.thread.clone(),
            format!("{:.3} s", thread.seconds),
            phases.join(", "),
        ]);
    }
    format!("where the time went\n{table}\nthreads\n{threads}")
}

/// Returns the `number` slowest parts of a run, one text for each, without waiting times.
#[must_use]
pub fn dearest(timings: &Timings, number: usize) -> Vec<String> {
    let works = timings.parts.iter().filter(|part| part.phase != "wait");
    let line = |part: &PartTime| {
        let words = [
            round(timings, part),
            part.engine.clone().unwrap_or_default(),
            part.phase.clone(),
        ];
        let words = words
            .iter()
            .filter(|word| !matches!(word.as_str(), "" | "-"));
        let words: Vec<&str> = words.map(String::as_str).collect();
        let done = counted(part.work);
        let done = if done.is_empty() {
            done
        } else {
            format!(": {done}")
        };
        format!("{:.3} s: {}{done}", part.seconds, words.join(", "))
    };
    works.take(number).map(line).collect()
}

fn round(timings: &Timings, part: &PartTime) -> String {
    let Some(number) = part.round else {
        return "-".to_owned();
    };
    let name = number
        .checked_sub(1)
        .and_then(|place| timings.rounds.get(place));
    let name = name.map_or("", String::as_str);
    format!("{number} {name}")
}

fn percent(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.1} %", part * 100.0 / whole),
        false => "-".to_owned(),
    }
}

fn counted(work: WorkDone) -> String {
    let WorkDone {
        gates,
        nodes,
        conflicts,
        ticks,
        calls,
        clauses,
    } = work;
    let numbers = [
        (gates, "gates"),
        (nodes, "gates built"),
        (conflicts, "conflicts"),
        (ticks, "ticks"),
        (calls, "diagram calls"),
        (clauses, "clauses"),
    ];
    let numbers = numbers.iter().filter(|(number, _)| *number > 0);
    let numbers: Vec<String> = numbers
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_audit::documents::ThreadTime;

    #[test]
    fn the_dearest_work_is_named_first_and_waiting_is_none() {
        let part = |round, engine: &str, phase: &str, seconds, calls| PartTime {
            round,
            engine: (!engine.is_empty()).then(|| engine.to_owned()),
            phase: phase.to_owned(),
            seconds,
            work: WorkDone {
                calls,
                ..WorkDone::default()
            },
        };
        let timings = Timings {
            schema: Timings::SCHEMA.to_owned(),
            jobs: 1,
            total_seconds: 4.0,
            rounds: vec!["structure".to_owned(), "diagrams".to_owned()],
            parts: vec![
                part(None, "", "wait", 4.0, 0),
                part(Some(2), "diagrams", "certify", 3.0, 0),
                part(Some(2), "diagrams", "find", 0.75, 12),
                part(None, "", "read", 0.25, 0),
            ],
            threads: vec![ThreadTime {
                thread: "main".to_owned(),
                seconds: 4.0,
                phases: [("wait".to_owned(), 4.0)].into(),
            }],
            mutants: Vec::new(),
        };
        let lines = [
            "3.000 s: 2 diagrams, diagrams, certify",
            "0.750 s: 2 diagrams, diagrams, find: 12 diagram calls",
            "0.250 s: read",
        ];
        assert_eq!(dearest(&timings, 5), lines);
        assert_eq!(dearest(&timings, 1), lines[..1]);
        let text = work(&timings);
        assert!(
            text.contains("37.5 %") && text.contains("wait 100.0 %"),
            "{text}"
        );
    }
}
