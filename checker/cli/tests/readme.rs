//! The README shows real output: its examples on the beverage machine are run and compared to the letter.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The command after `$ ` and the output below it, of each `console` block that shows any.
fn examples(readme: &str) -> Vec<(String, String)> {
    readme
        .split("```console\n")
        .skip(1)
        .filter_map(|block| {
            let (block, _) = block.split_once("```")?;
            let (command, output) = block.split_once('\n')?;
            let command = command.strip_prefix("$ ")?;
            (!output.is_empty()).then(|| (command.to_owned(), output.to_owned()))
        })
        .collect()
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let model = "tests/models/smv/beverage/model.smv";
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join(model).parent().unwrap()).unwrap();
    fs::copy(root.join(model), place.path().join(model)).unwrap();

    let examples = examples(&readme);
    assert!(examples.len() >= 2, "{examples:?}");
    for (command, expected) in examples {
        let arguments = command
            .strip_prefix("cargo run --release -p hyperkill -- ")
            .or_else(|| command.strip_prefix("hyperkill "))
            .unwrap_or_else(|| panic!("no command of hyperkill: {command}"));
        let ran = Command::new(env!("CARGO_BIN_EXE_hyperkill"))
            .args(arguments.split(' '))
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
