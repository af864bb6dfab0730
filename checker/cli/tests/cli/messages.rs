//! Messages on standard error, as text and as JSON lines.

use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::formats::conforms;
use crate::support::{DRINKS, LOCK, Place, Ran, hyperkill};

/// The lines of standard error, each checked against the schema.
fn lines(ran: &Ran) -> Vec<Value> {
    let schema = hyperkill(["schema", "log"])
        .expect(ExitCode::Success)
        .json();
    let lines = ran.stderr.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        conforms(&line, &schema, &schema, "log");
        line
    });
    lines.collect()
}

#[test]
fn every_message_is_a_line_of_json_if_that_is_asked_for_and_says_the_same() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let run = [
        "run", &model, "-o", &out, "--tests", "linear", "-v", "--jobs", "1", "--force",
    ];
    let plain = hyperkill(run).expect(ExitCode::Success);
    let ran = hyperkill(run.iter().chain(&["--log-format", "json"])).expect(ExitCode::Success);
    let lines = lines(&ran);
    let messages = lines.iter().map(|line| {
        let word = match line["level"].as_str().unwrap() {
            "warning" => "warning: ",
            _ => "",
        };
        format!("{word}{}", line["message"].as_str().unwrap())
    });
    // The most expensive parts and their times differ from run to run.
    let (measured, messages): (Vec<String>, Vec<String>) =
        messages.partition(|line| is_measured(line));
    let (expected_measured, expected): (Vec<&str>, Vec<&str>) =
        plain.stderr.lines().partition(|line| is_measured(line));
    assert_eq!(messages, expected);
    assert!(!measured.is_empty() && !expected_measured.is_empty());
    assert!(lines.iter().any(|line| line["level"] == "warning"));
    // Results and the folder's log are the same.
    assert_eq!(ran.text(), plain.text());
    let asked = fs::read_to_string(place.path("out/asked.json")).unwrap();
    assert!(!asked.contains("log-format"), "{asked}");
    // `-q` also removes JSON messages.
    let quiet =
        hyperkill(
            run.iter()
                .filter(|word| **word != "-v")
                .chain(&["--log-format", "json", "-q"]),
        );
    assert_eq!(quiet.stderr, "");
}

/// Whether a line reports an expensive part of a run, as in `0.012 s: 4 pairs, find`.
fn is_measured(line: &str) -> bool {
    let seconds = line.split_once(" s: ").map(|(seconds, _)| seconds);
    seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

#[test]
fn errors_have_their_exit_status_their_place_and_what_to_do() {
    let broken = LOCK.replace("key = bad : 0;", "key = bat : 0;");
    let place = Place::with("lock.smv", broken);
    let args = ["list", &place.arg("lock.smv"), "--log-format", "json"];
    let error = &lines(&hyperkill(args).expect(ExitCode::InvalidModel))[0];
    assert_eq!(error["level"], "error");
    assert_eq!(error["exit_status"], 4);
    assert_eq!(error["place"]["line"], 11);
    assert!(
        error["message"].as_str().unwrap().contains("bat"),
        "{error}"
    );
    let args = ["status", &place.arg("nothing"), "--log-format", "json"];
    let error = &lines(&hyperkill(args).expect(ExitCode::Usage))[0];
    assert_eq!(error["exit_status"], 1);
    assert!(
        error["help"].as_str().unwrap().contains("hyperkill run"),
        "{error}"
    );
}

#[test]
fn a_command_line_that_is_not_understood_is_a_line_of_json_too() {
    for format in [&["--log-format", "json"][..], &["--log-format=json"]] {
        for wrong in [&["run", "--nonsense"][..], &["run"], &["nonsense"]] {
            let ran = hyperkill(wrong.iter().chain(format)).expect(ExitCode::Usage);
            let [error] = &lines(&ran)[..] else {
                panic!("{ran:?}");
            };
            assert_eq!(error["level"], "error", "{ran:?}");
            assert_eq!(error["exit_status"], 1);
            assert_eq!(error["schema"], "hyperkill.log/1");
        }
    }
    let plain = hyperkill(["run", "--nonsense", "--log-format", "text"]).expect(ExitCode::Usage);
    assert!(plain.stderr.starts_with("error: "), "{plain:?}");
    // Arguments after `--` are file names, and help is not a message.
    let behind = ["run", "--nonsense", "--", "--log-format=json"];
    assert!(hyperkill(behind).stderr.starts_with("error: "));
    let help = hyperkill(["run", "--help", "--log-format", "json"]).expect(ExitCode::Success);
    assert!(help.text().contains("Usage"), "{help:?}");
}

#[test]
fn the_schema_of_the_configuration_knows_what_the_program_takes_and_nothing_else() {
    let schema = hyperkill(["schema", "config"])
        .expect(ExitCode::Success)
        .json();
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(schema["additionalProperties"], false);
    assert!(properties.len() > 30, "{}", properties.len());
    for absent in [
        "format",
        "external",
        "allow-outside",
        "in-diff",
        "help",
        "log-format",
    ] {
        assert!(!properties.contains_key(absent), "{absent}");
    }
    // The program takes every key of the schema, with a value of each kind that the schema allows.
    let samples = [
        ("timeout", "'5s'"),
        ("seed", "7"),
        ("shard", "'0/1'"),
        ("define", "{ last = 3 }"),
        ("operator", "['*']"),
    ];
    for (key, value) in samples {
        assert!(properties.contains_key(key), "{key}");
        let place = Place::with("lock.smv", LOCK);
        fs::write(place.path("hyperkill.toml"), format!("{key} = {value}\n")).unwrap();
        hyperkill(["list", &place.arg("lock.smv")]).expect(ExitCode::Success);
    }
    for (key, property) in properties {
        let place = Place::with("lock.smv", LOCK);
        let value = match property["type"] == "boolean" {
            true => "5",
            false => "[[1]]",
        };
        fs::write(place.path("hyperkill.toml"), format!("{key} = {value}\n")).unwrap();
        // The first command with the option refuses a value of a wrong kind. No command calls the key unknown.
        for command in ["list", "check", "verify", "translate", "run"] {
            let model = place.arg("lock.smv");
            let dry = ["--explain"].into_iter().filter(|_| command == "run");
            let ran = hyperkill([command, &model].into_iter().chain(dry));
            assert!(!ran.stderr.contains("there is no option"), "{key}: {ran:?}");
            if ran.stderr.contains("hyperkill.toml") {
                assert_eq!(ran.code, ExitCode::Usage, "{key}: {ran:?}");
                break;
            }
            assert_ne!(command, "run", "{key} = {value} is taken by all commands");
        }
    }
}

#[test]
fn of_a_model_in_which_usual_operators_have_nothing_to_change_it_is_said_where_others_are_listed() {
    let text = "digraph D {\n  0 [style = \"bold\"];\n  0 -> 1 [label = \"go [1] ()\"];\n  1 -> 0 [label = \"stop [1] ()\"];\n}\n";
    let place = Place::with("two.gv", text);
    let (model, out) = (place.arg("two.gv"), place.arg("out"));
    let said = "`hyperkill operators --language efsm-tools` lists all";
    for args in [vec!["list", &model], vec!["run", &model, "-o", &out]] {
        let ran = hyperkill(args).expect(ExitCode::Success);
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
    let asked = ["run", &model, "-o", &out, "--operator", "*"];
    let ran = hyperkill(asked);
    assert!(!ran.stderr.contains("no mutant"), "{ran:?}");
    assert!(!ran.stderr.contains(said), "{ran:?}");
    let none = ["list", &model, "--exclude", ".", "--operator", "*"];
    let ran = hyperkill(none).expect(ExitCode::Success);
    assert!(ran.stderr.contains("no mutant is selected"), "{ran:?}");
}
