//! Documents are reproducible, match their schemas, and do not contain times and paths of the machine.

use std::collections::BTreeSet;
use std::fs;

use clap::CommandFactory;
use hyperkill::ExitCode;
use hyperkill::args::Cli;
use serde_json::Value;

use crate::support::{DRINKS, LOCK, Place, TOGGLE, hyperkill};

#[test]
fn outcomes_and_suite_are_the_same_for_any_number_of_jobs_and_anywhere() {
    let mut seen = Vec::new();
    for jobs in ["1", "2", "2"] {
        let place = Place::with("lock.smv", LOCK);
        let (model, out) = (place.arg("lock.smv"), place.arg("out"));
        hyperkill(["run", &model, "--out", &out, "--jobs", jobs]).expect(ExitCode::Success);
        let read = |name: &str| fs::read_to_string(place.path(name)).unwrap();
        seen.push(
            ["out/outcomes.json", "out/suite.json", "out/mutants.json"]
                .map(read)
                .concat(),
        );
        let folder = place.path("").to_string_lossy().into_owned();
        assert!(
            !seen[0].contains(&folder),
            "documents must not name {folder}"
        );
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[1], seen[2]);
}

#[test]
fn times_are_written_only_on_request() {
    let place = Place::with("x.aag", TOGGLE);
    let args = ["check", &place.arg("x.aag"), "--format", "json"];
    let plain = hyperkill(args);
    assert!(!plain.text().contains("seconds"));
    assert_eq!(plain.text(), hyperkill(args).text());
    let timed = hyperkill(args.into_iter().chain(["--timings"])).json();
    for result in timed["results"].as_array().unwrap() {
        assert!(result["seconds"].is_f64(), "{result}");
    }
}

#[test]
fn every_document_is_as_its_schema_says() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let circuit = Place::with("x.aag", TOGGLE);
    let check = hyperkill(["check", &circuit.arg("x.aag"), "--format", "json"]).json();
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let mut documents = vec![
        ("check", check),
        ("outcomes", place.json("out/outcomes.json")),
        ("suite", place.json("out/suite.json")),
        ("mutants", place.json("out/mutants.json")),
        ("timings", place.json("out/timings.json")),
        ("asked", place.json("out/asked.json")),
    ];
    let printed = |args: &[&str]| {
        let args = args.iter().copied().chain(["--format", "json"]);
        hyperkill(args).expect(ExitCode::Success).json()
    };
    documents.push(("status", printed(&["status", &out])));
    documents.push(("show-list", printed(&["show", &out])));
    documents.push(("certify", printed(&["certify", &out])));
    documents.push(("operators", printed(&["operators"])));
    documents.push(("engines", printed(&["engines"])));
    for line in journal.lines() {
        documents.push(("journal", serde_json::from_str(line).unwrap()));
    }
    assert!(documents.len() > 20);
    let drinks = Place::with("drinks.smv", DRINKS);
    let (model, out) = (drinks.arg("drinks.smv"), drinks.arg("out"));
    for kind in ["global", "tree"] {
        let args = ["run", &model, "--out", &out, "--tests", kind];
        hyperkill(args.into_iter().chain(["--accept", "unknown"])).expect(ExitCode::Success);
        documents.push(("outcomes", drinks.json("out/outcomes.json")));
        documents.push(("suite", drinks.json("out/suite.json")));
    }
    let killed = printed(&["show", &out, "--verdict", "potential"]);
    let id = killed["mutants"][0]["mutant"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    documents.push(("show-list", killed));
    documents.push(("show", printed(&["show", &id, &out, "--hidden"])));
    for (name, document) in documents {
        let schema = hyperkill(["schema", name]).expect(ExitCode::Success).json();
        conforms(&document, &schema, &schema, name);
    }
}

/// Checks a value against the part of JSON Schema that generated schemas use for objects and lists.
pub(crate) fn conforms(value: &Value, schema: &Value, root: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').unwrap();
        let target = root
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{reference} leads nowhere"));
        return conforms(value, target, root, place);
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        if !value.is_null() {
            conforms(value, &alternatives[0], root, place);
        }
        return;
    }
    match value {
        Value::Object(entries) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let required: BTreeSet<&str> = required.iter().filter_map(Value::as_str).collect();
            for key in required {
                assert!(entries.contains_key(key), "{place} must have {key}");
            }
            for (key, value) in entries {
                let of_key = match schema["properties"].get(key) {
                    Some(schema) => schema,
                    None => &schema["additionalProperties"],
                };
                assert!(of_key.is_object(), "{place}.{key} is in no schema");
                conforms(value, of_key, root, &format!("{place}.{key}"));
            }
        }
        Value::Array(values) => {
            for value in values {
                conforms(value, &schema["items"], root, place);
            }
        }
        Value::String(text) => {
            if let Some(words) = schema["oneOf"].as_array() {
                let known = words.iter().any(|word| word["const"] == *text);
                assert!(known, "{place}: {text} is no word of the schema");
            }
        }
        _ => {}
    }
}

#[test]
fn help_completions_and_catalogues_are_results() {
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["--version"],
        &["completions", "bash"],
        &["man"],
        &["operators"],
        &["operators", "--language", "smv", "--format", "json"],
        &["engines"],
        &["engines", "--format", "json"],
    ] {
        let ran = hyperkill(args).expect(ExitCode::Success);
        assert!(!ran.stdout.is_empty(), "{args:?}");
        assert_eq!(ran.stderr, "", "{args:?}");
    }
    let operators = hyperkill(["operators"]).text();
    assert!(operators.contains("ROR"), "{operators}");
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::with("kept.1", "");
    hyperkill(["man", "-o", &place.arg("man1")]).expect(ExitCode::Success);
    let page = |name: &str| fs::read_to_string(place.path("man1").join(name)).unwrap();
    let program = page("hyperkill.1");
    assert_eq!(hyperkill(["man"]).text(), program);
    assert!(program.contains(".TH hyperkill 1"), "{program}");
    for command in Cli::command().get_subcommands() {
        let name = format!("hyperkill-{}", command.get_name());
        assert!(
            // Manual pages escape hyphens, so that they can be copied.
            program.contains(&name.replace('-', "\\-")),
            "{program}"
        );
        let page = page(&format!("{name}.1"));
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        assert!(page.contains("Example:"), "{page}");
        assert!(page.contains("\\-\\-seed"), "{page}");
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    assert!(!hyperkill(["check", &file]).text().contains('\x1b'));
    assert!(
        hyperkill(["check", &file, "--color", "always"])
            .text()
            .contains('\x1b')
    );
}

#[test]
fn quiet_runs_say_nothing_but_errors() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let ran = hyperkill(["run", &model, "--out", &out, "-qq"]).expect(ExitCode::Success);
    assert_eq!(ran.text() + &ran.stderr, "");
    let ran = hyperkill(["run", &model, "--out", &out, "-v", "--force"]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("killed"), "{}", ran.stderr);
    let ran = hyperkill(["run", "nowhere.smv", "-qq"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("nowhere.smv"), "{}", ran.stderr);
}

#[test]
fn the_parts_of_each_thread_add_up_to_its_time_and_every_mutant_has_its_share() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let args = [
        "run", &model, "--out", &out, "--jobs", "2", "-v", "--accept", "unknown",
    ];
    let ran = hyperkill(args).expect(ExitCode::Success);
    let timings = place.json("out/timings.json");
    let number = |value: &Value| value.as_f64().unwrap();
    let near = |one: f64, other: f64| (one - other).abs() <= 0.05 * other + 1e-4;
    let threads = timings["threads"].as_array().unwrap();
    let mut all = 0.0;
    for thread in threads {
        let phases = thread["phases"].as_object().unwrap().values();
        let sum: f64 = phases.map(number).sum();
        assert!(near(sum, number(&thread["seconds"])), "{thread}");
        let lasts = thread["thread"] != "journal";
        assert!(
            !lasts || near(sum, number(&timings["total_seconds"])),
            "{timings}"
        );
        all += sum;
    }
    let names: BTreeSet<&str> = threads
        .iter()
        .filter_map(|t| t["thread"].as_str())
        .collect();
    let expected = ["journal", "main", "worker 1", "worker 2"];
    assert!(
        names.is_subset(&expected.into()) && names.len() > 2,
        "{names:?}"
    );
    let parts = timings["parts"].as_array().unwrap();
    assert!(near(
        parts.iter().map(|part| number(&part["seconds"])).sum(),
        all
    ));
    let counted = |unit: &str| {
        parts
            .iter()
            .filter_map(|part| part["work"][unit].as_u64())
            .sum::<u64>()
    };
    assert!(counted("gates") > 0 && counted("clauses") > 0, "{timings}");
    let outcomes = place.json("out/outcomes.json");
    let results = outcomes["results"].as_array().unwrap().iter();
    for (result, time) in results.zip(timings["mutants"].as_array().unwrap()) {
        if result["verdict"] == "invalid" {
            continue;
        }
        let parts = time["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| number(&part["seconds"])).sum();
        assert!(sum > 0.0 && near(number(&time["seconds"]), sum), "{time}");
    }
    let dearest = ran.stderr.lines().filter(|line| line.contains(" s: "));
    assert!(dearest.count() >= 5, "{ran:?}");
    let text = hyperkill(["status", &out, "--work"])
        .expect(ExitCode::Success)
        .text();
    assert!(
        text.contains("where the time went") && text.contains("worker 2"),
        "{text}"
    );
    let status = hyperkill(["status", &out, "--work", "--format", "json"]).json();
    assert_eq!(status["work"], timings);
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains("<h2>Where the time went</h2>"));
}
