//! Checks exported tests and emitted mutants of the repository's models with NuSMV.
//!
//! A machine without NuSMV passes these tests with a warning. One NuSMV process reads all files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill};

/// The result of NuSMV for a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Said {
    /// Whether the file was read and built.
    loads: bool,
    /// The results of all checked invariants: of the monitor, and of the model.
    holds: Vec<bool>,
    /// The complete output.
    text: String,
}

/// The deterministic models of this repository.
const DETERMINISTIC: [&str; 5] = [
    "car-alarm",
    "car-alarm-timed",
    "elevator",
    "fifo",
    "traffic-light",
];

/// Features that the repository's models do not use: constraints, ranges of values, associative operators.
const CONSTRAINED: &str = "\
MODULE main
VAR x : 0..7; y : 0..7; b : boolean;
INIT x = 0 & y = 0
INVAR x <= 5 & y <= 6
TRANS next(x) = (x < 5 ? x + 1 : 5 - y - 1 + y) & next(b) = b
ASSIGN next(y) := case b : 2..4; y - x - 1 > 0 : 1; TRUE : {0, 2}; esac;
";

/// Names and texts.
fn models() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/smv");
    let folders = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut models: Vec<(String, String)> = folders
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path.join("model.smv")).unwrap())
        })
        .collect();
    models.sort();
    models
}

fn is_installed() -> bool {
    let found = Command::new("NuSMV").arg("-h").output().is_ok();
    if !found {
        // Written directly, since the test harness captures output. Errors cannot be reported.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: written files beside NuSMV (NuSMV is not installed)"
        );
    }
    found
}

/// Returns the results of NuSMV for these files. It runs `commands` for each.
fn ask(files: &[PathBuf], commands: &str) -> Vec<Said> {
    let mut script = String::new();
    for (number, file) in files.iter().enumerate() {
        let file = file.display();
        script += &format!("echo FILE {number} BEGINS\nreset\nread_model -i {file}\n{commands}\n");
    }
    script += "quit\n";
    // An error message belongs to the file that NuSMV has just begun.
    let mut child = Command::new("sh")
        .args(["-c", "exec NuSMV -int 2>&1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut answers = stdout.split("FILE ").skip(1);
    (0..files.len())
        .map(|number| {
            let text = answers.next().unwrap_or_default();
            let begins = format!("{number} BEGINS");
            assert!(text.starts_with(&begins), "{text}");
            let lines = text.lines();
            let is_monitor =
                |line: &&str| line.contains("-- invariant") && line.contains("hyperkill-step");
            let invariants = lines.filter(is_monitor);
            Said {
                loads: text.contains("Statistics on BDD FSM"),
                holds: invariants.map(|line| line.ends_with("is true")).collect(),
                text: text.to_owned(),
            }
        })
        .collect()
}

const BUILD: &str = "flatten_hierarchy\nencode_variables\nbuild_model";

#[test]
#[ignore = "minutes"]
fn every_test_holds_of_its_model_and_fails_in_the_source_of_every_mutant_that_it_kills() {
    if !is_installed() {
        return;
    }
    let mut table = Vec::new();
    let mut wrong = Vec::new();
    for (name, text) in models() {
        if !DETERMINISTIC.contains(&name.as_str()) {
            continue;
        }
        let file = format!("{name}.smv");
        let place = Place::with(&file, &text);
        let (model, out) = (place.arg(&file), place.arg("out"));
        let ran = hyperkill([
            "run",
            &model,
            "-o",
            &out,
            "--format",
            "json",
            "--timeout",
            "60s",
        ]);
        let outcomes = ran.json();
        assert_eq!(outcomes["original"], "deterministic", "{name}");
        let (tests, mutants) = (place.arg("tests"), place.arg("mutants"));
        let suite = place.arg("out/suite.json");
        hyperkill(["export", &suite, &model, "--to", "smv", "-o", &tests])
            .expect(ExitCode::Success);
        hyperkill(["list", &model, "--emit", &mutants]).expect(ExitCode::Success);
        let suite: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&suite).unwrap()).unwrap();
        let mut exported = Vec::new();
        // For each killed mutant the first test that kills it.
        let mut killers: BTreeMap<String, PathBuf> = BTreeMap::new();
        for test in suite["tests"].as_array().unwrap() {
            let id = test["id"].as_str().unwrap();
            let file = place.path("tests").join(format!("{id}.smv"));
            exported.push(file.clone());
            for kill in test["kills"].as_array().unwrap() {
                let mutant = kill["mutant"].as_str().unwrap().to_owned();
                killers.entry(mutant).or_insert_with(|| file.clone());
            }
        }
        let killed = outcomes["results"].as_array().unwrap().iter();
        let killed = killed.filter(|result| result["verdict"] == "killed");
        let killed: Vec<&str> = killed.map(|r| r["mutant"].as_str().unwrap()).collect();
        let mut monitored = Vec::new();
        for mutant in &killed {
            let test = fs::read_to_string(&killers[*mutant]).unwrap();
            let mutated = place.path("mutants").join(format!("{mutant}.smv"));
            let source = fs::read_to_string(mutated).unwrap();
            let path = place.path(&format!("{mutant}.monitored.smv"));
            fs::write(&path, with_monitor(&text, &test, &source)).unwrap();
            monitored.push(path);
        }
        let commands = format!("{BUILD}\nprint_fsm_stats\ncheck_invar");
        let confirmed = ask(&exported, &commands);
        for (file, said) in exported.iter().zip(&confirmed) {
            if said.holds != [true] {
                wrong.push(format!("{}: {}", file.display(), said.text));
            }
        }
        let refuted = ask(&monitored, &commands);
        for (mutant, said) in killed.iter().zip(&refuted) {
            if said.holds != [false] {
                wrong.push(format!("{name} {mutant}: {}", said.text));
            }
        }
        table.push(format!(
            "| {name} | {} | {} |",
            exported.len(),
            killed.len()
        ));
    }
    println!("{}", table.join("\n"));
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(table.len(), DETERMINISTIC.len());
}

/// Returns the source of a mutant with the monitor of an exported test.
fn with_monitor(original: &str, exported: &str, mutated: &str) -> String {
    let same = original.bytes().zip(exported.bytes());
    let at = same.take_while(|(a, b)| a == b).count();
    let monitor = &exported[at..at + exported.len() - original.len()];
    // The monitor follows the head of `main` and precedes all mutated text.
    assert_eq!(mutated[..at], original[..at]);
    [&mutated[..at], monitor, &mutated[at..]].concat()
}

#[test]
#[ignore = "minutes"]
fn every_emitted_mutant_is_a_model_for_nusmv() {
    if !is_installed() {
        return;
    }
    let (mut count, mut refused) = (BTreeMap::new(), Vec::new());
    let constrained = ("constrained".to_owned(), CONSTRAINED.to_owned());
    for (name, text) in models().into_iter().chain([constrained]) {
        let place = Place::with("model.smv", &text);
        let (model, mutants) = (place.arg("model.smv"), place.arg("mutants"));
        let arguments = ["list", &model, "--emit", &mutants, "--format", "json"];
        let arguments = arguments.into_iter().chain(["--operator", "*"]);
        let table = hyperkill(arguments).expect(ExitCode::Success).json();
        let operators = table["mutants"].as_array().unwrap().iter().map(|mutant| {
            let word = |key: &str| mutant[key].as_str().unwrap();
            (word("id"), word("operator"))
        });
        let operators: BTreeMap<&str, &str> = operators.collect();
        let files: Vec<PathBuf> = fs::read_dir(place.path("mutants"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        for (file, said) in files
            .iter()
            .zip(ask(&files, &format!("{BUILD}\nprint_fsm_stats")))
        {
            let operator = operators[file.file_stem().unwrap().to_str().unwrap()];
            *count.entry(operator.to_owned()).or_insert(0) += 1;
            if !said.loads {
                refused.push(format!(
                    "{name} {operator} {}: {}",
                    file.display(),
                    said.text
                ));
            }
        }
    }
    let total: usize = count.values().sum();
    println!("{total} in all: {count:?}");
    assert!(
        refused.is_empty(),
        "{}\n{}",
        refused.len(),
        refused.join("\n")
    );
    assert_eq!(count.len(), 24, "{count:?}");
}
