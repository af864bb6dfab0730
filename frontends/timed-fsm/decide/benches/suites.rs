//! Complete suites of the machines of \[1\] and of random ones: the number of tests, their lengths, and the time to find them.
//!
//! `cargo bench -p hyperkill-timed-fsm-decide --bench suites -- [NAME] [SECONDS]`: rows with names that begin with NAME, each with a time
//! limit. The name `file:MACHINE.tfsm` or `file:MACHINE.tfsm+chaos:STATES:MAXTIMEOUT` is a row about that machine.
#![allow(clippy::print_stdout)] // It is a program whose output is a table.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hyperkill_core::budget::{Budget, Clock};
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};
use hyperkill_timed_fsm::read_domain;
use hyperkill_timed_fsm_decide::classic::{Everything, Method, suite};
use hyperkill_timed_fsm_decide::complete::{Options, Outcome, Stimulus, complete};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[allow(dead_code)]
#[path = "../tests/decide/families.rs"]
mod families;

use families::{RUNNING, Where, tftp};

#[derive(Debug)]
struct Now(Instant);

impl Clock for Now {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The result of a row, and its time.
struct Row {
    mutants: String,
    outcome: Outcome,
    took: Duration,
}

fn row(text: &str, domain: Option<&str>, longest: Option<usize>, limit: Duration) -> Row {
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: domain.map(str::to_owned),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("m.tfsm", text)];
    let (machine, mutation) = read_domain(&sources, &options).expect("a domain");
    let start = Instant::now();
    let budget = Budget::new(Arc::new(Now(start)), Arc::new(AtomicBool::new(false)));
    let budget = budget.within(Some(limit));
    let options = Options {
        longest,
        ..Options::default()
    };
    let outcome = complete(&machine, &mutation, &[], options, &budget);
    Row {
        mutants: mutation.mutants().short(),
        outcome,
        took: start.elapsed(),
    }
}

fn show(name: &str, row: &Row) {
    let lengths = || row.outcome.tests.iter().map(Vec::len);
    let end = match row.outcome.end {
        Ok(()) => "complete".to_owned(),
        Err(stop) => format!("{stop:?}"),
    };
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {:.3} | {end} |",
        row.mutants,
        row.outcome.tests.len(),
        lengths().max().unwrap_or(0),
        lengths().sum::<usize>(),
        row.outcome.shown.classes.len(),
        row.outcome.questions,
        row.took.as_secs_f64(),
    );
}

/// Returns a complete machine with this many states, two inputs, two outputs and timeouts up to 3. Mutated transitions with timeouts up to
/// 5 are added at random places until there are 10^`exponent` mutants. All states are reachable.
fn random(states: usize, exponent: f64, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let mut text = String::from("machine m { input a, b;  output x, y;\n");
        for state in 0..states {
            write!(text, "  state s{state} {{ ").expect("a string takes all");
            for input in ["a", "b"] {
                let output = ["x", "y"][rng.random_range(0..2)];
                let target = rng.random_range(0..states);
                write!(text, "{input} / {output} -> s{target}; ").expect("a string takes all");
            }
            match rng.random_range(0..4_u32) {
                0 => text.push_str("}\n"),
                after => {
                    let target = rng.random_range(0..states);
                    writeln!(text, "after {after} -> s{target} }}").expect("a string takes all");
                }
            }
        }
        text.push_str("}\n");
        let machine = hyperkill_timed_fsm::read_machine(&text).expect("a machine");
        if machine.reachable().iter().all(|reached| *reached) {
            let faults = faults(&machine, exponent, &mut rng);
            return text + &faults;
        }
    }
}

fn faults(machine: &Machine, exponent: f64, rng: &mut ChaCha8Rng) -> String {
    let states = machine.states.len();
    let mut text = String::from("faults { ");
    // The number of choices at each place, including the machine's own.
    let mut choices = vec![1.0_f64; states * 3];
    while choices.iter().map(|count| count.log10()).sum::<f64>() < exponent {
        let state = rng.random_range(0..states);
        let target = rng.random_range(0..states);
        let event = rng.random_range(0..3);
        let own = &machine.states[state];
        let (item, is_own) = match event {
            2 => {
                let after = Some(rng.random_range(1..=6_u32)).filter(|after| *after < 6);
                let timeout = after.map(|after| Timeout { after, target });
                let after = after.map_or("never".to_owned(), |after| after.to_string());
                let item = format!("s{state}.after: {after} -> s{target};");
                (item, timeout == own.timeout)
            }
            input => {
                let answer = Answer {
                    output: rng.random_range(0..2),
                    target,
                };
                let (name, output) = (["a", "b"][input], ["x", "y"][answer.output]);
                let item = format!("s{state}.{name} / {output} -> s{target};");
                (item, own.answers.get(&input) == Some(&answer))
            }
        };
        if !is_own && !text.contains(&item) {
            text += &format!("{item}\n");
            choices[state * 3 + event] += 1.0;
        }
    }
    text + "}\n"
}

/// Returns a random machine that can be read. An alternative that is no fault is an error, and another machine is drawn.
fn readable(states: usize, exponent: f64, seed: u64) -> String {
    let mut texts = (0..).map(|more| random(states, exponent, seed + 1000 * more));
    let found = texts.find(|text| {
        let sources = [SourceFile::new("m.tfsm", text.clone())];
        read_domain(&sources, &FrontendOptions::default()).is_ok()
    });
    found.expect("there are always more")
}

fn random_row(states: usize, exponent: u32, longest: Option<usize>, limit: Duration) {
    let rows = (0..20).map(|seed| {
        let text = readable(states, f64::from(exponent), seed);
        let row = row(&text, None, longest, limit);
        if row.took > Duration::from_secs(1) {
            show(&format!("{states} 10^{exponent} seed {seed}"), &row);
        }
        row
    });
    let mut rows: Vec<Row> = rows.collect();
    let complete = rows.iter().filter(|row| row.outcome.end.is_ok()).count();
    rows.sort_by_key(|row| row.took);
    let times = [rows[10].took, rows[19].took].map(|took| took.as_secs_f64());
    let mut tests: Vec<usize> = rows.iter().map(|row| row.outcome.tests.len()).collect();
    tests.sort_unstable();
    println!(
        "| random, {states} states, 10^{exponent}, length {} | {} | {} | {:.3} | {:.3} | {complete} of 20 |",
        longest.map_or("free".to_owned(), |longest| longest.to_string()),
        tests[10],
        tests[19],
        times[0],
        times[1],
    );
}

/// Shows a row for the chaos domain of a random machine, with timeouts up to 5.
fn everything_row(states: usize, name: &str, limit: Duration) {
    let text = readable(states, 4.0, 1);
    let domain = format!("chaos:{states}:5");
    let row = row(
        hyperkill_timed_fsm::without_faults(&text),
        Some(&domain),
        None,
        limit,
    );
    show(name, &row);
}

/// Shows a row with the classic methods and our own on a machine, for the chaos domain with this many states and timeouts up to this
/// length.
fn methods_row(name: &str, text: &str, states: usize, longest: u32, limit: Duration) {
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: Some(format!("chaos:{states}:{longest}")),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let text = hyperkill_timed_fsm::without_faults(text);
    let sources = [SourceFile::new("m.tfsm", text)];
    let (machine, mutation) = read_domain(&sources, &options).expect("a domain");
    let cell = |find: &dyn Fn(&Budget) -> Option<Vec<Vec<Stimulus>>>| {
        let start = Instant::now();
        let budget = Budget::new(Arc::new(Now(start)), Arc::new(AtomicBool::new(false)));
        let tests = find(&budget.within(Some(limit)));
        let took = start.elapsed().as_secs_f64();
        match tests {
            Some(tests) => {
                let inputs: usize = tests.iter().map(Vec::len).sum();
                format!("{}, {inputs}, {took:.3}", tests.len())
            }
            None => "none".to_owned(),
        }
    };
    let everything = Everything { states, longest };
    let classic = Method::ALL
        .into_iter()
        .map(|method| cell(&|budget| suite(&machine, everything, method, budget).ok()));
    let classic: Vec<String> = classic.collect();
    let ours = cell(&|budget| {
        let found = complete(&machine, &mutation, &[], Options::default(), budget);
        found.end.is_ok().then_some(found.tests)
    });
    let mutants = mutation.mutants().short();
    println!("| {name} | {mutants} | {} | {ours} |", classic.join(" | "));
}

/// Returns a random machine whose states are distinguishable, with timeouts up to a length.
fn told_apart(states: usize, longest: u32) -> String {
    let mut seeds = 0..;
    let found = seeds.find_map(|seed| {
        let text = random(states, 0.0, seed);
        let machine = hyperkill_timed_fsm::read_machine(&text).expect("a machine");
        let fits = machine
            .states
            .iter()
            .all(|state| state.timeout.is_none_or(|timeout| timeout.after <= longest));
        let everything = Everything { states, longest };
        let is_told = || suite(&machine, everything, Method::H, &Budget::unlimited()).is_ok();
        (fits && is_told()).then_some(text)
    });
    found.expect("there are always more")
}

fn main() {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"));
    let (wanted, limit) = (words.next(), words.next());
    let limit = limit.and_then(|seconds| seconds.parse().ok());
    let limit = Duration::from_secs(limit.unwrap_or(60));
    let is_wanted = |name: &str| {
        wanted
            .as_ref()
            .is_none_or(|wanted| name.starts_with(wanted.as_str()))
    };
    println!("| machine | mutants | tests | longest | inputs | classes | questions | seconds | |");
    if let Some(file) = wanted.as_ref().and_then(|name| name.strip_prefix("file:")) {
        let said = file.split_once('+');
        let (file, chaos) = said.map_or((file, None), |(file, chaos)| (file, Some(chaos)));
        let text = std::fs::read_to_string(file).expect("a text");
        show(file, &row(&text, chaos, None, limit));
        return;
    }
    let paper = [
        ("example, length 4", RUNNING.to_owned(), None, 4),
        ("example, length 12", RUNNING.to_owned(), None, 12),
        ("tftp3 A", tftp(3, Some(Where::A)), None, 5),
        ("tftp3 B", tftp(3, Some(Where::B)), None, 5),
        ("tftp3 C", tftp(3, None), Some("chaos:4:5"), 5),
        ("tftp15 A", tftp(15, Some(Where::A)), None, 17),
        ("tftp15 B", tftp(15, Some(Where::B)), None, 17),
    ];
    for (name, text, domain, longest) in paper {
        if is_wanted(name) {
            show(name, &row(&text, domain, Some(longest), limit));
        }
    }
    println!("\n| everything in | mutants | W | Wp | HSI | H | SPY | ours |");
    for (states, extra, longest) in [
        (3, 0, 0),
        (4, 0, 0),
        (6, 0, 0),
        (8, 0, 0),
        (3, 1, 0),
        (4, 1, 0),
        (3, 0, 1),
        (4, 0, 1),
        (3, 0, 2),
        (4, 0, 2),
    ] {
        let name = format!("methods {states} + {extra} states, timeouts to {longest}");
        if is_wanted(&name) {
            let text = told_apart(states, longest);
            methods_row(&name, &text, states + extra, longest, limit);
        }
    }
    for (name, text, states, longest) in [
        ("methods example", RUNNING.to_owned(), 4, 5),
        ("methods tftp3", tftp(3, None), 4, 3),
    ] {
        if is_wanted(name) {
            methods_row(name, &text, states, longest, limit);
        }
    }
    println!("\n| machines | tests, median | most | seconds, median | most | complete |");
    for longest in [None, Some(6)] {
        for states in [4, 8, 10, 12, 15] {
            for exponent in [4, 8, 12, 18] {
                // The number of implementations of 4 states is at most 8^8 · 24^4.
                let name = format!("random {states} {exponent}");
                if is_wanted(&name) && (states > 4 || exponent < 12) {
                    random_row(states, exponent, longest, limit);
                }
            }
        }
    }
    for states in [5, 7, 9, 12, 15] {
        let name = format!("everything {states}");
        if is_wanted(&name) {
            everything_row(states, &name, limit);
        }
    }
    for (states, exponent) in [(15, 40), (30, 60), (15, 60)] {
        if is_wanted(&format!("large {states} {exponent}")) {
            random_row(states, exponent, None, limit);
        }
    }
}
