//! README and the book show real output: the examples of each page run in a folder of their own, and their output is compared exactly.
//! Examples without output name files that do not exist; their options are checked.
//!
//! Icarus Verilog runs test benches, and Python runs an example system. A machine without them skips these examples with a message.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::Parser;
use hyperkill::args::Cli;

/// A command with its output, if the page shows it.
type Example = (String, String);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The examples of each `console` block.
fn examples(page: &str) -> Vec<Vec<Example>> {
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let lines = blocks.map(|block| block.split_inclusive('\n'));
    lines
        .map(|lines| lines.fold(Vec::new(), add_line))
        .collect()
}

fn add_line(mut examples: Vec<Example>, line: &str) -> Vec<Example> {
    match (line.strip_prefix("$ "), examples.last_mut()) {
        (Some(command), _) => examples.push((command.trim_end().to_owned(), String::new())),
        (None, Some((_, output))) => output.push_str(line),
        (None, None) => panic!("output of no command: {line}"),
    }
    examples
}

/// Whether a program that the command needs is missing. Reports it directly, since the test harness captures output.
fn lacks_a_program(command: &str) -> bool {
    let needed = [("iverilog", "-V"), ("vvp", "-V"), ("python3", "--version")];
    let mut needed = needed
        .into_iter()
        .filter(|(name, _)| command.contains(name));
    let missing = needed.find(|(name, version)| Command::new(name).arg(version).output().is_err());
    if let Some((name, _)) = missing {
        // An error of standard error cannot be reported.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {command} (no {name})");
    }
    missing.is_some()
}

/// Runs a line in a shell, for quotes and redirections; `$0` is the program.
fn shell(line: &str, place: &Path) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .arg(env!("CARGO_BIN_EXE_hyperkill"))
        .current_dir(place)
        .output()
        .unwrap()
}

/// The arguments of a command, with the program as README calls it before and after installation.
fn arguments(command: &str) -> Option<&str> {
    command
        .strip_prefix("cargo run --release -p hyperkill -- ")
        .or_else(|| command.strip_prefix("hyperkill "))
}

/// Copies the models that a command names.
fn copy_models(command: &str, place: &Path) {
    for word in command.split_whitespace() {
        // The file of `--system p=FILE`.
        let word = word.split_once('=').map_or(word, |(_, file)| file);
        let ours = word.starts_with("tests/models/") || word.starts_with("tests/adapters/");
        if ours && !place.join(word).exists() {
            fs::create_dir_all(place.join(word).parent().unwrap()).unwrap();
            fs::copy(root().join(word), place.join(word)).unwrap();
        }
    }
}

fn runs_as_shown((command, expected): &Example, place: &Path) {
    copy_models(command, place);
    if lacks_a_program(command) {
        return;
    }
    let line = match arguments(command) {
        Some(arguments) => format!("\"$0\" {arguments}"),
        None if command.starts_with("iverilog ") || command.starts_with("vvp ") => command.clone(),
        None => panic!("no command of hyperkill: {command}"),
    };
    let ran = shell(&line, place);
    assert_eq!(
        String::from_utf8(ran.stdout).unwrap(),
        *expected,
        "$ {command}\n{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// Checks that the options of each hyperkill command exist, also inside pipes.
fn is_well_formed(command: &str, place: &Path) {
    for part in command.split(" | ").flat_map(|part| part.split(" && ")) {
        let Some(arguments) = arguments(part) else {
            continue;
        };
        let words = shell(&format!("printf '%s\\n' {arguments}"), place);
        let words = String::from_utf8(words.stdout).unwrap();
        if let Err(error) = Cli::try_parse_from(["hyperkill"].into_iter().chain(words.lines())) {
            panic!("$ {command}\n{error}");
        }
    }
}

/// Runs the examples of a page with output, and returns their number.
fn page_is_true(page: &Path) -> usize {
    let place = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut ran = 0;
    for block in examples(&text) {
        let shown = block.iter().any(|(_, output)| !output.is_empty());
        for example in &block {
            if shown {
                runs_as_shown(example, place.path());
                ran += 1;
            } else {
                is_well_formed(&example.0, place.path());
            }
        }
    }
    ran
}

/// Runs the examples of all pages of a part of the book, and returns their number.
fn part_is_true(part: &str) -> usize {
    let pages = fs::read_dir(root().join("docs/src").join(part)).unwrap();
    let pages = pages.map(|page| page.unwrap().path());
    pages.map(|page| page_is_true(&page)).sum()
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let ran = page_is_true(&root().join("README.md"));
    assert!(ran >= 2, "only {ran} examples");
}

#[test]
fn the_guide_shows_what_its_commands_print() {
    let ran = part_is_true("guide");
    assert!(ran >= 6, "only {ran} examples");
}

#[test]
fn the_pages_about_languages_show_what_their_commands_print() {
    let ran = part_is_true("languages");
    assert!(ran >= 8, "only {ran} examples");
}
