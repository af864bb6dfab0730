//! Names and texts with terminal control characters, in all output for terminals.

use std::fs;

use hyperkill::{ExitCode, Io};
use regex::Regex;
use serde_json::Value;

use crate::support::{Place, Ran, TOGGLE, contents, hyperkill};

/// Clears the screen, sets the title, draws in red, and reverses the writing direction; also for 8-bit terminals.
const HOSTILE: &str =
    "a\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}31m\u{7f}\u{8}\u{202e}\u{2066}z";

/// Whether a text has control characters other than newlines.
fn steers(text: &str) -> bool {
    let turns =
        |c: char| ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    text.contains(|c: char| turns(c) || (c.is_control() && !matches!(c, '\n' | '\t')))
}

/// Runs a command with and without colours, and checks its output.
fn says_nothing_that_steers(args: &[&str]) -> Ran {
    // Both runs must print the same.
    let mut args = args.to_vec();
    if args.first() == Some(&"run") {
        args.push("--force");
    }
    let args = args.as_slice();
    let plain = hyperkill(args);
    for (text, what) in [(plain.text(), "stdout"), (plain.stderr.clone(), "stderr")] {
        assert!(!steers(&text), "{args:?} {what}: {text:?}");
    }
    let colored = hyperkill(args.iter().chain(&["--color", "always"]));
    // Output without colours equals coloured output without colour codes, so no colour comes from a name.
    let colors = Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert_eq!(colors.replace_all(&colored.text(), ""), plain.text());
    assert_eq!(colors.replace_all(&colored.stderr, ""), plain.stderr);
    plain
}

#[test]
fn symbols_of_circuits_steer_nothing_in_any_command() {
    let mut model = TOGGLE.to_owned();
    for (old, new) in [
        ("i0 press", format!("i0 {HOSTILE}")),
        ("i1 nd:mood", format!("i1 nd:{HOSTILE}1")),
        ("l0 state", format!("l0 {HOSTILE}2\rover")),
        ("l1 mut:flip", format!("l1 mut:{HOSTILE}3")),
        ("l2 mut:stuck", format!("l2 mut:{HOSTILE}4")),
        ("o0 lamp", format!("o0 {HOSTILE}5")),
    ] {
        assert!(model.contains(old));
        model = model.replace(old, &new);
    }
    let place = Place::with("x.aag", &model);
    let (file, out) = (place.arg("x.aag"), place.arg("out"));
    let id = format!("{HOSTILE}3");
    let no_id = format!("{HOSTILE}9");
    for args in [
        &["check", &file, "--accept", "unknown"][..],
        &["check", &file, "--format", "json", "--tests", "tree"],
        &["verify", &file, "--formula", "forall p. G !O[p]"],
        &[
            "run", &file, "-o", &out, "--tests", "tree", "--accept", "unknown",
        ],
        &["list", &file],
        &["list", &file, "--signature"],
        &["list", &file, "--format", "json"],
        &["list", &file, "--mutant", HOSTILE],
        &["show", &id, &out],
        &["show", &no_id, &out],
        &["show", &id, &out, "--format", "json"],
        &["show", &out],
        &["show", &out, "--format", "json"],
        &["resume", &out],
        &["status", &out],
        &["certify", &out],
        &["list", &no_id],
        &[HOSTILE],
    ] {
        says_nothing_that_steers(args);
    }
    // Users may also look at the files in the folder. Their meaning is unchanged.
    for (name, bytes) in contents(&place.path("out")) {
        // Copies have the user's text.
        if name.starts_with("sources") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        assert!(!steers(&text), "{}: {text:?}", name.display());
    }
    let table = place.json("out/mutants.json");
    let ids = table["mutants"].as_array().unwrap();
    assert!(ids.iter().any(|mutant| mutant["id"] == id.as_str()));
    let text = hyperkill(["show", &id, &out])
        .expect(ExitCode::Success)
        .text();
    assert!(text.contains("a\\u001b[2J"), "{text}");
}

#[test]
fn source_lines_and_names_of_files_steer_nothing() {
    // A file name may contain any character except a slash and zero.
    let name = format!("{HOSTILE}\nerror: not ours.smv");
    let model =
        format!("MODULE main\nVAR x : boolean; -- {HOSTILE}\nASSIGN next(x) := y & {HOSTILE};\n");
    let verilog = format!(
        "module m(input c, output reg \\{HOSTILE} ); // {HOSTILE}\nalways @(posedge c) \\{HOSTILE} <= !\\{HOSTILE} ; {HOSTILE}\nendmodule\n"
    );
    for (name, text) in [
        (name.as_str(), model.as_str()),
        ("m.v", &verilog),
        ("m.v", &verilog.replace(" ; ", " ;//")),
        (
            "m.blif",
            &format!(".model {HOSTILE}\n.inputs {HOSTILE}\n.latch a b\n.{HOSTILE}\n.end\n"),
        ),
        (
            "m.json",
            &format!(
                "{{\"modules\": {{\"{}\": 7}}}}",
                HOSTILE
                    .replace('\u{1b}', "\\u001b")
                    .replace('\u{7}', "\\u0007")
                    .replace('\u{8}', "\\n")
            ),
        ),
        ("m.aag", &format!("aag 1 1 0 1 0\n2\n{HOSTILE}\n")),
    ] {
        let place = Place::with(name, text);
        let file = place.arg(name);
        for command in [
            &["list", &file, "--diff"][..],
            &["run", &file, "-o", &place.arg("out")],
        ] {
            let ran = says_nothing_that_steers(command);
            assert!(
                !ran.stderr.lines().any(|line| line == "error: not ours.smv"),
                "{ran:?}"
            );
        }
        let _ = says_nothing_that_steers(&["list", &file, "--signature"]);
    }
    // The author of a model may also write the options beside it.
    let place = Place::with("x.aag", TOGGLE);
    for options in [
        format!("tiem\u{202e} = '{HOSTILE}'"),
        "timeout = '\\u001b[2J'".to_owned(),
        "timeout = \"\\u001b[2J\"".to_owned(),
    ] {
        fs::write(place.path("hyperkill.toml"), options).unwrap();
        says_nothing_that_steers(&["check", &place.arg("x.aag")]).expect(ExitCode::Usage);
    }
}

#[test]
fn a_circuit_on_a_terminal_steers_nothing_and_in_a_file_it_is_as_it_is() {
    let model = TOGGLE.replace("i0 press", &format!("i0 {HOSTILE}"));
    let place = Place::with("x.aag", model);
    let on = |terminal: bool| {
        let (mut io, captured) = Io::captured("");
        io.stdout_is_terminal = terminal;
        let args = ["hyperkill", "translate", &place.arg("x.aag"), "--ascii"];
        let code = hyperkill::main(args.map(Into::into), &mut io);
        assert_eq!(code, ExitCode::Success);
        captured.stdout.text()
    };
    assert!(!steers(&on(true)));
    assert!(on(false).contains(HOSTILE));
}

#[test]
fn json_for_terminals_means_what_it_meant() {
    let place = Place::with(
        "x.aag",
        TOGGLE.replace("i0 press", &format!("i0 {HOSTILE}")),
    );
    let listed = hyperkill(["list", &place.arg("x.aag"), "--format", "json"]);
    let listed: Value = listed.expect(ExitCode::Success).json();
    assert_eq!(listed["signature"]["inputs"][0]["name"], HOSTILE);
}
