//! `report.json` conforms to the mutation testing report schema, by a checker for the used part of JSON Schema.

use std::collections::BTreeSet;
use std::fs;

use hyperkill_report::stryker::report;
use serde_json::{Value, json};

use crate::found::{Found, every_kind, many};

fn published() -> Value {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!(
        "{folder}/assets/mutation-testing-report-schema/mutation-testing-report-schema.json"
    );
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Keywords of JSON Schema without effect on validity.
const SILENT: [&str; 6] = [
    "$schema",
    "$id",
    "title",
    "description",
    "examples",
    "definitions",
];
/// The only pattern of the schema.
const VERSION: &str = "^([1-2])(\\.(([1-9]\\d*)|0)){0,2}$";

fn is_of_type(value: &Value, word: &str) -> bool {
    match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        other => panic!("the type {other}"),
    }
}

/// Collects in `found` the violations of a schema by a value. `at` is its path. An unknown keyword is a violation too, so that none is
/// ignored.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let mut wrong = |what: String| found.push(format!("{at}: {what}"));
    let words = schema.as_object().unwrap();
    for (word, says) in words {
        match word.as_str() {
            word if SILENT.contains(&word) => {}
            "type" => {
                let word = says.as_str().unwrap();
                if !is_of_type(value, word) {
                    wrong(format!("no {word}"));
                }
            }
            "enum" => {
                if !says.as_array().unwrap().contains(value) {
                    wrong(format!("{value} is none of {says}"));
                }
            }
            "minimum" => {
                if value
                    .as_f64()
                    .is_some_and(|value| value < says.as_f64().unwrap())
                {
                    wrong(format!("{value} is less than {says}"));
                }
            }
            "maximum" => {
                if value
                    .as_f64()
                    .is_some_and(|value| value > says.as_f64().unwrap())
                {
                    wrong(format!("{value} is more than {says}"));
                }
            }
            "pattern" => {
                assert_eq!(says, VERSION);
                if !["1", "2", "2.0"].iter().any(|version| value == *version) {
                    wrong(format!("{value} does not match"));
                }
            }
            "format" => assert_eq!(says, "uri"),
            "uniqueItems" => {
                let items = value.as_array().into_iter().flatten();
                let items: Vec<String> = items.map(Value::to_string).collect();
                if items.iter().collect::<BTreeSet<_>>().len() < items.len() {
                    wrong("an item is there twice".to_owned());
                }
            }
            "required" => {
                for name in says.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        wrong(format!("{name} is missing"));
                    }
                }
            }
            "$ref" | "properties" | "additionalProperties" | "items" => {}
            other => panic!("the word {other}"),
        }
    }
    inside(root, schema, value, at, found);
}

/// Collects in `found` the violations by the members or elements of a value. `at` is its path.
fn inside(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(place) = schema.get("$ref") {
        let place = place.as_str().unwrap().strip_prefix('#').unwrap();
        faults(root, root.pointer(place).unwrap(), value, at, found);
    }
    for (name, part) in value.as_object().into_iter().flatten() {
        let named = schema.get("properties").and_then(|named| named.get(name));
        // Properties without a schema are unrestricted.
        if let Some(schema) = named.or(schema.get("additionalProperties")) {
            faults(root, schema, part, &format!("{at}/{name}"), found);
        }
    }
    if let Some(schema) = schema.get("items") {
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            faults(root, schema, item, &format!("{at}/{number}"), found);
        }
    }
}

fn faults_of(report: &Value) -> Vec<String> {
    let (schema, mut found) = (published(), Vec::new());
    faults(&schema, &schema, report, "", &mut found);
    found
}

fn document(found: &Found) -> Value {
    serde_json::to_value(report(&found.findings())).unwrap()
}

#[test]
fn the_report_is_valid_against_the_published_schema() {
    for found in [every_kind(), many(2_000)] {
        let report = document(&found);
        assert_eq!(faults_of(&report), Vec::<String>::new());
        let files = report["files"].as_object().unwrap();
        let mutants = files
            .values()
            .map(|file| file["mutants"].as_array().unwrap().len());
        assert_eq!(mutants.sum::<usize>(), found.results.len());
    }
}

#[test]
fn what_is_not_valid_is_noticed_by_the_check_itself() {
    let whole = document(&every_kind());
    let file = whole["files"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    let spoilt: [(&str, Value); 7] = [
        ("/schemaVersion", json!("3")),
        ("/thresholds/high", json!(101)),
        ("/thresholds/low", json!("80")),
        ("/mutants/0/status", json!("Equivalent")),
        ("/mutants/0/location/start/line", json!(0)),
        (
            "/mutants/0/location",
            json!({ "start": { "line": 1, "column": 1 } }),
        ),
        ("/mutants/0/killedBy", json!("t-001")),
    ];
    for (place, value) in spoilt {
        let mut report = whole.clone();
        let part = match place.starts_with("/mutants") {
            true => report["files"].get_mut(&file).unwrap(),
            false => &mut report,
        };
        match part.pointer_mut(place) {
            Some(there) => *there = value,
            None => part["mutants"][0]["killedBy"] = value,
        }
        assert!(!faults_of(&report).is_empty(), "{place}");
    }
    let mut twice = whole;
    let mutants = twice["files"][&file]["mutants"].as_array_mut().unwrap();
    mutants.push(mutants[0].clone());
    assert!(!faults_of(&twice).is_empty());
}
