//! Answers of \[2\] for mutants of random systems: that no state is unsafe (Algorithm 1), that none is reached, or the depth of the
//! nearest one (Algorithm 2). `tests/bench/action_systems.py` prints these answers for the car alarm. This test compares them with the
//! unsafe states of Definition 4.1, enumerated by the interpreter.
//!
//! `HYPERKILL_CASES` sets the number of systems.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hyperkill_action_systems::ActionSystemFrontend;
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile};
use hyperkill_tests::models::of_source;
use hyperkill_tests::peers::skipped;
use hyperkill_tests::unsafe_states::{Unsafe, list};
use rayon::prelude::*;
use tempfile::TempDir;

use crate::random_action_systems::{Counts, joined, random, report, some};

/// A program that implements the algorithms.
#[derive(Clone, Copy)]
enum Program {
    /// The program in Python: its interpreter enumerates values.
    Python,
    /// The program in SWI-Prolog: it solves constraints.
    Prolog,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Python => "python3",
            Program::Prolog => "swipl",
        }
    }

    fn command(self) -> Command {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench");
        let mut command = Command::new(self.name());
        match self {
            Program::Python => command.arg(bench.join("action_system.py")),
            Program::Prolog => command
                .args(["-q", "-g", "main", "-t", "halt"])
                .arg(bench.join("action_systems.pl")),
        };
        command
    }

    /// Whether the program is installed; prints a notice if it is not.
    fn is_here(self) -> bool {
        let is_here = Command::new(self.name()).arg("--version").output().is_ok();
        if !is_here {
            let why = format!("{} is not installed", self.name());
            skipped("Algorithms 1 and 2 of [2] beside a listing", &why);
        }
        is_here
    }

    /// Returns all that the program prints when it gets these questions.
    fn says(self, questions: String) -> String {
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || stdin.write_all(questions.as_bytes()));
        let output = child.wait_with_output().expect("what it says");
        let written = writer.join().expect("a writer");
        written.expect("all questions are read");
        assert!(
            output.status.success(),
            "{}: {:?}",
            self.name(),
            output.status
        );
        String::from_utf8(output.stdout).expect("text")
    }
}

/// A mutant of a random system.
struct Mutated {
    /// The seed and both texts, for messages.
    texts: String,
    listed: Unsafe,
}

/// Questions to a program, with the files of systems that they are about.
#[derive(Default)]
struct Questions {
    text: String,
    mutants: BTreeMap<String, Mutated>,
}

impl Questions {
    /// Adds questions about at most `most` mutants of the random system with this seed. `[]` joins all offers, since \[2\] has no
    /// priorities.
    fn add(&mut self, seed: u64, most: usize, folder: &Path) {
        let text = random::system(seed, false).replace(" // ", " [] ");
        let source = SourceFile::new(format!("seed {seed}"), text.as_str());
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        let model = of_source(source, &ActionSystemFrontend, &options);
        let write = |name: &str, text: &str| -> PathBuf {
            let file = folder.join(format!("{name}.as"));
            fs::write(&file, text).expect("a file that can be written");
            file
        };
        let original = write(&format!("s{seed}"), &text);
        let _ = writeln!(self.text, "original('{}').", original.display());
        for selector in some(seed, &model, most) {
            let mutated = apply(&text, &model.system.mutants[selector.0]).expect("a place");
            let name = format!("s{seed}m{}", selector.0);
            let file = write(&name, &mutated);
            let _ = writeln!(self.text, "mutant('{name}', '{}').", file.display());
            let mutant = Mutated {
                listed: list(&text, &mutated),
                texts: format!("seed {seed}:\n{text}\n{mutated}"),
            };
            self.mutants.insert(name, mutant);
        }
    }
}

/// Compares the answers of a program for at most `most` mutants of each system. Returns the numbers of answers by kind.
fn compare_answers(program: Program, seeds: Range<u64>, most: usize) -> Counts {
    let folder = TempDir::new().expect("a folder");
    let mut questions = Questions::default();
    for seed in seeds {
        questions.add(seed, most, folder.path());
    }
    let Questions { text, mutants } = questions;
    let mut counts = Counts::new();
    let said = program.says(text);
    assert_eq!(
        said.lines().count(),
        mutants.len(),
        "answers of {}",
        program.name()
    );
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, answer) = (words[0], words[1]);
        let Mutated { texts, listed } = &mutants[name];
        let kind = match answer.parse::<usize>() {
            Ok(0) => "unsafe at once",
            Ok(_) => "unsafe after some events",
            Err(_) => answer,
        };
        *counts
            .entry(format!("{}: {kind}", program.name()))
            .or_default() += 1;
        if answer == "gave_up" {
            continue;
        }
        assert_eq!(
            answer,
            listed.answer(),
            "{}, {name}: {listed:?} of {texts}",
            program.name()
        );
        if let Program::Python = program {
            let nearest = listed.nearest_together;
            let nearest = nearest.map_or("-".to_owned(), |depth| depth.to_string());
            let all = [
                listed.reached.to_string(),
                listed.together.to_string(),
                nearest,
            ];
            assert_eq!(words[2..], all, "{name}: {listed:?} of {texts}");
            let apart = if listed.reached == listed.together {
                ""
            } else {
                "not "
            };
            let what = format!("{}: {apart}all reached by common runs", program.name());
            *counts.entry(what).or_default() += 1;
        }
    }
    counts
}

/// The number of systems per process.
const AT_ONCE: u64 = 25;

/// Compares the answers for `usual` systems, or for the number set by the environment, from the seed `first` on. Returns the report.
fn compare_from(program: Program, first: u64, usual: u64, most: usize) -> String {
    if !program.is_here() {
        return String::new();
    }
    let systems = random::cases(usual);
    let seeds = first..first + systems;
    let starts: Vec<u64> = seeds.clone().step_by(AT_ONCE as usize).collect();
    let parts = starts.into_par_iter();
    let parts = parts.map(|start| start..(start + AT_ONCE).min(seeds.end));
    let counts = parts.map(|part| compare_answers(program, part, most));
    let counts = counts.reduce(Counts::new, joined);
    let kinds = [
        "none",
        "unreached",
        "unsafe at once",
        "unsafe after some events",
    ];
    let kinds = kinds.map(|kind| format!("{}: {kind}", program.name()));
    let report = report(
        &counts,
        &kinds.each_ref().map(String::as_str),
        systems >= usual,
    );
    // A program that never answers would not be compared.
    let gave_up = counts.get(&format!("{}: gave_up", program.name()));
    let all: usize = counts.values().sum();
    assert!(
        gave_up.copied().unwrap_or_default() * 50 <= all,
        "{counts:?}"
    );
    report
}

#[test]
fn every_value_one_by_one_gives_the_answers_of_a_listing() {
    println!("{}", compare_from(Program::Python, 0, 100, 4));
}

#[test]
fn constraints_give_the_answers_of_a_listing() {
    println!("{}", compare_from(Program::Prolog, 0, 50, 2));
}

#[test]
#[ignore = "a minute"]
fn every_value_one_by_one_gives_the_answers_of_a_listing_of_thousands_of_systems() {
    println!("{}", compare_from(Program::Python, 1_000, 2_000, 4));
}

#[test]
#[ignore = "a minute"]
fn constraints_give_the_answers_of_a_listing_of_a_thousand_systems() {
    println!("{}", compare_from(Program::Prolog, 1_000, 1_000, 2));
}
