//! Hand-written runs for reports.

use std::collections::BTreeMap;

use hyperkill_audit::documents::{
    LockState, MutantResult, MutantTable, OperatorResult, SuiteTest, Timings,
};
use hyperkill_report::{Findings, Source};
use serde_json::{Value, json};

/// Text that would be markup, script, a runner command or a terminal sequence if it were not escaped.
pub(crate) const HOSTILE: &str =
    "</script><script>alert(1)</script><!--'\"&amp;\u{1b}[31m\u{202e}::error::%0A]]>";

/// Times of the parts of a run.
fn timings() -> Timings {
    let timings = json!({
        "schema": Timings::SCHEMA,
        "jobs": 2,
        "total_seconds": 2.0,
        "rounds": ["structure", HOSTILE],
        "parts": [
            { "round": 2, "engine": "diagrams", "phase": "certify", "seconds": 3.0, "work": { "clauses": 71_234 } },
            { "phase": "read", "seconds": 1.0 },
        ],
        "mutants": [],
    });
    serde_json::from_value(timings).unwrap()
}

/// Documents and sources of a run.
pub(crate) struct Found {
    pub(crate) table: MutantTable,
    pub(crate) results: Vec<MutantResult>,
    pub(crate) by_operator: Option<Vec<OperatorResult>>,
    pub(crate) suite: Vec<SuiteTest>,
    pub(crate) sources: Vec<Source>,
    pub(crate) seconds: BTreeMap<String, f64>,
    pub(crate) timings: Timings,
}

impl Found {
    pub(crate) fn findings(&self) -> Findings<'_> {
        let seconds = self.seconds.iter();
        Findings {
            table: &self.table,
            results: &self.results,
            by_operator: self.by_operator.as_deref(),
            suite: Some(&self.suite),
            asked: Some(("phi2", "non-deterministic")),
            accepted: BTreeMap::from([("m-refuses", "a sensor"), ("m-definite", "")]),
            seconds: seconds
                .map(|(id, &seconds)| (id.as_str(), seconds))
                .collect(),
            timings: Some(&self.timings),
            sources: &self.sources,
            state: LockState::Finished,
            version: "1.2.3",
        }
    }

    /// Returns a run with these mutants and their results, which include the places of the mutants.
    pub(crate) fn new(mutants: Vec<(Value, Value)>, sources: Vec<Source>, tests: Value) -> Found {
        let (mutants, results): (Vec<Value>, Vec<Value>) = mutants.into_iter().unzip();
        let table = json!({
            "schema": "hyperkill.mutants/2",
            "model": { "name": "m.smv", "language": "smv", "hash": "sha256:0" },
            "signature": { "inputs": [], "choices": [], "outputs": [] },
            "mutants": mutants,
        });
        Found {
            table: serde_json::from_value(table).unwrap(),
            results: serde_json::from_value(Value::Array(results)).unwrap(),
            by_operator: None,
            suite: serde_json::from_value(tests).unwrap(),
            sources,
            seconds: BTreeMap::new(),
            timings: timings(),
        }
    }
}

/// Returns a mutant that replaces the first `original` in a text.
pub(crate) fn mutant(id: &str, text: &str, original: &str, replacement: &str) -> Value {
    let start = text.find(original).unwrap();
    let line = text[..start].matches('\n').count() + 1;
    json!({
        "id": id, "status": "live", "operator": "ROR", "path": "main/next(x)/value",
        "place": { "file": "m.smv", "line": line, "column": 1, "start": start, "end": start + original.len() },
        "original": original, "replacement": replacement,
    })
}

/// Returns a test of a suite that kills these mutants with this strength.
pub(crate) fn test(id: &str, steps: usize, strength: &str, kills: &[&str]) -> Value {
    let step = json!({ "inputs": {}, "outputs": {} });
    let kills = kills
        .iter()
        .map(|mutant| json!({ "mutant": mutant, "strength": strength }));
    json!({ "id": id, "kind": "local", "steps": vec![step; steps], "kills": kills.collect::<Vec<_>>(), "found_by": "bmc" })
}

pub(crate) const TEXT: &str = "MODULE main\n  x > 0;\n  é = 𝄞;\n";

/// Returns a run with one mutant of each kind, and hostile texts in all places.
pub(crate) fn every_kind() -> Found {
    let result = |id: &str, verdict: &str, more: Value| {
        let mut result = json!({ "mutant": id, "verdict": verdict, "input_enabled": null });
        let more = more.as_object().unwrap().clone();
        result.as_object_mut().unwrap().extend(more);
        result
    };
    let at = |id: &str| mutant(id, TEXT, "x > 0", &format!("x >= 0 {HOSTILE}"));
    let killed = |strength: &str| json!({ "strength": strength, "steps": 3, "shortest": true });
    let mut invalid = at("m-invalid");
    invalid["status"] = json!("invalid");
    invalid["reason"] = json!(HOSTILE);
    let nowhere = json!({ "id": format!("m-nowhere {HOSTILE}\n"), "status": "live" });
    let mut moved = at("m-moved");
    moved["place"]["start"] = json!(0);
    let mutants = vec![
        (
            at("m-definite"),
            result("m-definite", "killed", killed("definite")),
        ),
        (
            at("m-adaptive"),
            result("m-adaptive", "killed", killed("adaptive")),
        ),
        (
            at("m-potential"),
            result("m-potential", "killed", killed("potential")),
        ),
        (
            at("m-untested"),
            result("m-untested", "killed", killed("definite")),
        ),
        (at("m-equal"), result("m-equal", "equivalent", json!({}))),
        (
            at("m-twin"),
            result("m-twin", "duplicate-of", json!({ "of": "m-equal" })),
        ),
        (
            invalid,
            result("m-invalid", "invalid", json!({ "reason": HOSTILE })),
        ),
        (
            at("m-refuses"),
            result("m-refuses", "refuses-input", json!({})),
        ),
        (
            at("m-perhaps"),
            result("m-perhaps", "not-definitely-killable", json!({})),
        ),
        (
            mutant("m-open", TEXT, "é = 𝄞", ""),
            result(
                "m-open",
                "unknown",
                json!({ "reason": "bound", "known_to": 7, "notes": [HOSTILE] }),
            ),
        ),
        (
            nowhere,
            result(
                &format!("m-nowhere {HOSTILE}\n"),
                "unknown",
                json!({ "reason": HOSTILE }),
            ),
        ),
        (moved, result("m-moved", "killed", killed("definite"))),
    ];
    let tests = json!([
        test("t-001", 3, "definite", &["m-definite", "m-moved"]),
        test("t-002", 2, "adaptive", &["m-adaptive"]),
        test("t-003", 5, "potential", &["m-potential", "m-definite"]),
    ]);
    let source = Source {
        name: "m.smv".to_owned(),
        text: TEXT.to_owned(),
    };
    let mut found = Found::new(mutants, vec![source], tests);
    found.seconds = BTreeMap::from([("m-open".to_owned(), 2.5)]);
    found.table.model.name = format!("m.smv {HOSTILE}");
    found
}

/// Returns a run with `count` mutants of all kinds in one file.
pub(crate) fn many(count: usize) -> Found {
    let lines =
        (0..count / 8).map(|n| format!("    enable & register_{n} < limit : register_{n} + 1;\n"));
    let text: String = lines.collect();
    let line = text.find('\n').unwrap() + 1;
    let mut mutants = Vec::new();
    let mut kills = vec![Vec::new(); 400];
    for number in 0..count {
        let id = format!("m-{:010x}", number * 7919);
        let operator = ["ROR", "LOR", "ICR", "AOR"][number % 4];
        // All lines are about as long as the first one.
        let start = (number / 8 * line + number % 8 * 4).min(text.len() - 8);
        let mutant = json!({
            "id": id, "status": "live", "operator": operator,
            "path": format!("main/next(register_{})/case[1]", number / 8 % 300),
            "place": { "file": "m.smv", "line": number / 8 + 1, "column": 1, "start": start, "end": start + 3 },
            "original": text[start..start + 3], "replacement": format!("register_{number} >= limit"),
        });
        let result = match number % 10 {
            0 => json!({ "mutant": id, "verdict": "equivalent", "input_enabled": null }),
            1 => {
                json!({ "mutant": id, "verdict": "unknown", "reason": "time", "known_to": 40, "input_enabled": null })
            }
            2 => {
                json!({ "mutant": id, "verdict": "killed", "strength": "potential", "steps": 4, "input_enabled": null })
            }
            _ => {
                kills[number % 400].push(id.clone());
                json!({ "mutant": id, "verdict": "killed", "strength": "definite", "steps": 12, "shortest": true, "input_enabled": null })
            }
        };
        mutants.push((mutant, result));
    }
    let tests = kills.iter().enumerate().map(|(number, kills)| {
        let kills: Vec<&str> = kills.iter().map(String::as_str).collect();
        test(
            &format!("t-{number:03}"),
            1 + number % 30,
            "definite",
            &kills,
        )
    });
    let tests = Value::Array(tests.collect());
    let source = Source {
        name: "m.smv".to_owned(),
        text,
    };
    Found::new(mutants, vec![source], tests)
}
