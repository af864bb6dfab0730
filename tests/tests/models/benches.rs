//! Common functions for tests of exported benches: the command line in process, and the killed mutants of a run.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hyperkill::{ExitCode, Io};
use serde_json::Value;

/// Runs the command line with these arguments, which must succeed.
pub(crate) fn hyperkill(args: &[&str]) {
    let (mut io, captured) = Io::captured("");
    let args = ["hyperkill", "-q"].iter().chain(args).map(OsString::from);
    let code = hyperkill::main(args, &mut io);
    let said = captured.stderr.text();
    assert!(
        matches!(code, ExitCode::Success | ExitCode::Undecided),
        "{code:?}: {said}"
    );
}

/// Returns the mutants of a run with this verdict, each with its result as JSON.
pub(crate) fn with_verdict(out: &Path, verdict: &str) -> Vec<(String, Value)> {
    let text = fs::read_to_string(out.join("outcomes.json")).expect("results");
    let outcomes: Value = serde_json::from_str(&text).expect("JSON");
    let results = outcomes["results"].as_array().expect("a list").clone();
    let results = results.into_iter();
    let results = results.filter(|result| result["verdict"] == verdict);
    let name = |result: &Value| result["mutant"].as_str().expect("a text").to_owned();
    results.map(|result| (name(&result), result)).collect()
}

/// Returns the killed mutants of a run, each with the strength of its kill.
pub(crate) fn killed(out: &Path) -> Vec<(String, String)> {
    let killed = with_verdict(out, "killed").into_iter();
    let strength = |result: Value| result["strength"].as_str().expect("a text").to_owned();
    killed
        .map(|(mutant, result)| (mutant, strength(result)))
        .collect()
}
