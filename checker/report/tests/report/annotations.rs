//! Annotations name exactly the surviving and undecided mutants, at their lines.

use hyperkill_report::annotations::{github, gitlab, sarif};
use serde_json::Value;

use crate::found::every_kind;

/// Survivors and undecided mutants of the run with one mutant of each kind.
const OPEN: [&str; 5] = [
    "m-potential",
    "m-untested",
    "m-perhaps",
    "m-open",
    "m-nowhere",
];

#[test]
fn commands_for_github_are_one_line_each_whatever_texts_say() {
    let found = every_kind();
    let text = github(&found.findings());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), OPEN.len(), "{text}");
    for (line, id) in lines.iter().zip(OPEN) {
        assert!(line.contains(&format!("mutant {id}")), "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
        let kind = match id {
            "m-open" | "m-nowhere" => "::notice ",
            _ => "::warning ",
        };
        let (properties, _) = line.strip_prefix(kind).unwrap().split_once("::").unwrap();
        // A text of the model must not become a property.
        for property in properties.split(',') {
            let (name, _) = property.split_once('=').unwrap();
            let names = ["file", "line", "endLine", "col", "endColumn", "title"];
            assert!(names.contains(&name), "{line}");
        }
    }
    assert!(
        lines[0].contains("file=m.smv,line=2,endLine=2,col=3,endColumn=8,"),
        "{}",
        lines[0]
    );
    assert!(lines[3].contains("is removed"), "{}", lines[3]);
}

#[test]
fn reports_for_gitlab_and_sarif_name_the_same_mutants_at_the_same_lines() {
    let found = every_kind();
    let of_gitlab: Value = serde_json::from_str(&gitlab(&found.findings()).unwrap()).unwrap();
    let of_sarif: Value = serde_json::from_str(&sarif(&found.findings()).unwrap()).unwrap();
    let issues = of_gitlab.as_array().unwrap();
    let run = &of_sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!((issues.len(), results.len()), (OPEN.len(), OPEN.len()));
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for ((issue, result), id) in issues.iter().zip(results).zip(OPEN) {
        let fingerprint = issue["fingerprint"].as_str().unwrap();
        assert!(fingerprint.starts_with(id), "{fingerprint}");
        assert_eq!(result["partialFingerprints"]["mutant/v1"], fingerprint);
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if region.is_object() {
            assert_eq!(region["startLine"], issue["location"]["lines"]["begin"]);
        }
    }
    assert_eq!(of_sarif["version"], "2.1.0");
}
