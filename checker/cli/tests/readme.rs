//! The README shows real output: its examples on the beverage machine and on a design are run and compared to the letter.
//!
//! Icarus Verilog runs the test bench; a machine without it does not, and says so.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The commands after `$ ` and the output below them, of each `console` block that shows any.
fn examples(readme: &str) -> Vec<(String, String)> {
    let blocks = readme.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let shown = blocks.filter(|block| block.lines().any(|line| !line.starts_with("$ ")));
    shown
        .flat_map(|block| block.split_inclusive('\n').fold(Vec::new(), add_line))
        .collect()
}

fn add_line(mut examples: Vec<(String, String)>, line: &str) -> Vec<(String, String)> {
    match (line.strip_prefix("$ "), examples.last_mut()) {
        (Some(command), _) => examples.push((command.trim_end().to_owned(), String::new())),
        (None, Some((_, output))) => output.push_str(line),
        (None, None) => panic!("output of no command: {line}"),
    }
    examples
}

/// Past the capture of test output.
fn skipped(command: &str) {
    // Nobody to tell if standard error is closed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {command} (no Icarus Verilog)");
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let place = tempfile::tempdir().unwrap();
    for model in [
        "tests/models/smv/beverage/model.smv",
        "tests/models/verilog/uart-rx/model.v",
    ] {
        fs::create_dir_all(place.path().join(model).parent().unwrap()).unwrap();
        fs::copy(root.join(model), place.path().join(model)).unwrap();
    }
    let has_icarus = Command::new("iverilog").arg("-V").output().is_ok();

    let examples = examples(&readme);
    assert!(examples.len() >= 2, "{examples:?}");
    for (command, expected) in examples {
        let arguments = command
            .strip_prefix("cargo run --release -p hyperkill -- ")
            .or_else(|| command.strip_prefix("hyperkill "));
        let line = match arguments {
            Some(arguments) => format!("\"$0\" {arguments}"),
            None if command.starts_with("iverilog ") || command.starts_with("vvp ") => {
                if !has_icarus {
                    skipped(&command);
                    continue;
                }
                command.clone()
            }
            None => panic!("no command of hyperkill: {command}"),
        };
        // A shell, for the quotes.
        let ran = Command::new("sh")
            .args(["-c", &line])
            .arg(env!("CARGO_BIN_EXE_hyperkill"))
            .current_dir(place.path())
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(ran.stdout).unwrap(),
            expected,
            "$ {command}"
        );
    }
}
