//! Mutants of second order of the models of \[0\], decided by families with evidence, and some of them alone.
//!
//! `HYPERKILL_MODELS=DIR cargo bench -p hyperkill-uppaal-decide --bench families -- [NAME]`: of one model only, or of all, among them the
//! car alarm completed with a sink. Two threads.
#![allow(clippy::print_stdout)] // It is a program whose output is a table.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_timed::family::{Answer, settle};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::ecdar::EcdarFrontend;
use hyperkill_uppaal::rules::Preset;

#[allow(dead_code)]
#[path = "../tests/decide/pairs.rs"]
mod pairs;
#[allow(dead_code)]
#[path = "../tests/decide/tables.rs"]
mod tables;

use pairs::{Counts, Family, family, firsts};

/// The times of the parts of a run: of one thread, or of all together.
#[derive(Clone, Copy, Default)]
struct Times {
    reading: Duration,
    families: Duration,
    /// The time to take the evidence of every member out of its family.
    evidence: Duration,
    /// The number of mutants that were decided alone, and the time of that.
    alone: (usize, Duration),
}

impl Times {
    fn and(self, other: Times) -> Times {
        Times {
            reading: self.reading + other.reading,
            families: self.families + other.families,
            evidence: self.evidence + other.evidence,
            alone: (self.alone.0 + other.alone.0, self.alone.1 + other.alone.1),
        }
    }
}

const THREADS: usize = 2;
/// Every how many mutants one is also decided alone.
const SAMPLE: usize = 20;

fn one_alone(mutant: &Automaton, model: &Side) -> bool {
    let budget = Budget::unlimited();
    let side = Side::new(mutant.clone(), true, &budget).expect("no limit");
    let rules = Preset::VerifyTga.rules();
    side.is_consistent()
        && !matches!(
            refine(&side, model, rules, None, &budget),
            Found::Refines(_)
        )
}

/// Decides a family, takes the evidence of every member out of it, and decides some of its members alone. Returns the counts and the times.
fn decided(family: &Family, model: &Side) -> (Counts, Times) {
    let (rules, budget) = (Preset::VerifyTga.rules(), Budget::unlimited());
    let mut times = Times::default();
    let start = Instant::now();
    let settled = settle(&family.automata, model, rules, &budget).expect("no limit");
    times.families = start.elapsed();
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut evidence = 0;
    for (number, violates) in family.violates.iter().enumerate() {
        let is_killed = match settled.answers[number] {
            Answer::Fails(trace) => {
                evidence += settled.traces[trace].events.len();
                true
            }
            Answer::Refines => {
                evidence += settled.related(number).len() + settled.lost(number).len();
                false
            }
            Answer::Inconsistent => {
                evidence += settled.lost(number).len();
                false
            }
            Answer::Alone | Answer::Alphabets => one_alone(&family.automata[number], model),
        };
        counts = counts.and(Counts {
            mutants: 1,
            killed: usize::from(is_killed),
            needless: usize::from(!is_killed),
            detected: usize::from(*violates),
        });
    }
    std::hint::black_box(evidence);
    times.evidence = start.elapsed();
    let start = Instant::now();
    for (number, mutant) in family.automata.iter().enumerate().step_by(SAMPLE) {
        let is_killed = matches!(settled.answers[number], Answer::Fails(_));
        let alone = one_alone(mutant, model);
        let is_open = matches!(settled.answers[number], Answer::Alone | Answer::Alphabets);
        assert!(is_open || alone == is_killed);
        times.alone.0 += 1;
    }
    times.alone.1 = start.elapsed();
    (counts, times)
}

fn row(name: &str, xml: &str) {
    let (_, all) = firsts(xml);
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let work = || {
        // Sides are not shared between threads.
        let (model, _) = firsts(xml);
        let mut sum = (Counts::default(), Times::default());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(first) = all.get(number) else {
                return sum;
            };
            let start = Instant::now();
            let family = family(first);
            let reading = start.elapsed();
            let (counts, mut times) = decided(&family, &model);
            times.reading = reading;
            sum = (sum.0.and(counts), sum.1.and(times));
        }
    };
    let sums = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        joined.collect::<Vec<_>>()
    });
    let sum = sums
        .into_iter()
        .fold((Counts::default(), Times::default()), |a, b| {
            (a.0.and(b.0), a.1.and(b.1))
        });
    let (counts, times) = sum;
    let each = times.alone.1.as_secs_f64() / times.alone.0.max(1) as f64;
    let together = times.families.as_secs_f64();
    let evidence = times.evidence.as_secs_f64();
    println!(
        "| {name} | {} | {} | {:.1} % | {:.1} s | {:.1} s | {together:.2} s | {evidence:.2} s | {:.2} s | {:.1} |",
        counts.mutants,
        counts.killed,
        counts.percent(),
        start.elapsed().as_secs_f64(),
        times.reading.as_secs_f64(),
        each * counts.mutants as f64,
        each * counts.mutants as f64 / together,
    );
}

/// Returns the car alarm of the projects of Ecdar, completed with a sink, as a model of one process; `None` if it is not there.
fn car_alarm() -> Option<String> {
    let folder = std::env::var("HYPERKILL_MODELS").ok()?;
    let folder = Path::new(&folder).join("ecdar/Reveaal/samples/json/CarAlarm/Model");
    let files = [
        "Components/Alarm.json",
        "GlobalDeclarations.json",
        "SystemDeclarations.json",
    ];
    let sources = files.iter().map(|file| {
        let text = std::fs::read_to_string(folder.join(file)).ok()?;
        Some(SourceFile::new(*file, text))
    });
    let sources: Vec<SourceFile> = sources.collect::<Option<_>>()?;
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: Some("Alarm".to_owned()),
            totalise: Some("sink".to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = EcdarFrontend.prepare(sources, &options).ok()?;
    let text = sources[0]
        .text
        .replace("system Alarm, Env;", "system Alarm;");
    let lines = text.lines().map(|line| match line.starts_with("IO Env") {
        // The end of the element may stand behind it.
        true => line.find("</").map_or("", |end| &line[end..]),
        false => line,
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn main() {
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let Some(models) = tables::listed() else {
        println!("HYPERKILL_MODELS is not set");
        return;
    };
    println!(
        "| model | mutants | killed | detected | all | reading | families | evidence | alone | times as fast |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for model in models.iter().filter(|model| !model.rows.is_empty()) {
        if wanted.as_ref().is_none_or(|wanted| *wanted == model.name) {
            row(&model.name, &model.xml);
        }
    }
    if let Some(xml) =
        car_alarm().filter(|_| wanted.as_ref().is_none_or(|wanted| wanted == "CarAlarm"))
    {
        row("CarAlarm with sink", &xml);
    }
}
