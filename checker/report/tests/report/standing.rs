//! The status of each verdict in reports for other programs.

use std::collections::BTreeMap;

use hyperkill_report::junit::junit;
use hyperkill_report::stryker::report;
use serde_json::Value;

use crate::found::{TEXT, every_kind};

/// Returns for each mutant of the report, by id, its file and its description.
fn mutants(report: &Value) -> BTreeMap<String, (String, Value)> {
    let files = report["files"].as_object().unwrap();
    let all = files.iter().flat_map(|(file, of)| {
        let mutants = of["mutants"].as_array().unwrap();
        mutants.iter().map(|mutant| {
            let id = mutant["id"].as_str().unwrap().to_owned();
            (id, (file.clone(), mutant.clone()))
        })
    });
    all.collect()
}

#[test]
fn only_certain_kills_count_as_killed_and_what_is_undecided_never_as_detected() {
    let found = every_kind();
    let report = serde_json::to_value(report(&found.findings())).unwrap();
    let mutants = mutants(&report);
    let expected = [
        ("m-definite", "Killed"),
        ("m-adaptive", "Killed"),
        ("m-potential", "Survived"),
        ("m-untested", "Survived"),
        ("m-equal", "Ignored"),
        ("m-twin", "Ignored"),
        ("m-invalid", "CompileError"),
        ("m-refuses", "Ignored"),
        ("m-perhaps", "Survived"),
        ("m-open", "Pending"),
        ("m-moved", "Killed"),
    ];
    for (id, status) in expected {
        let (_, mutant) = &mutants[id];
        assert_eq!(mutant["status"], status, "{id}");
        assert_ne!(mutant["statusReason"], "", "{id}");
        assert_eq!(mutant.get("killedBy").is_some(), status == "Killed", "{id}");
    }
    let accepted = mutants["m-refuses"].1["statusReason"].as_str().unwrap();
    assert!(accepted.starts_with("accepted (a sensor): "), "{accepted}");
    let open = mutants["m-open"].1["statusReason"].as_str().unwrap();
    assert!(open.contains("bound") && open.contains("7 steps"), "{open}");
}

#[test]
fn mutants_are_where_they_are_in_the_source_or_in_a_list_of_their_own() {
    let found = every_kind();
    let report = serde_json::to_value(report(&found.findings())).unwrap();
    assert_eq!(report["files"]["m.smv"]["source"], TEXT);
    for (id, (file, mutant)) in mutants(&report) {
        let at = &mutant["location"]["start"];
        let listed = id.starts_with("m-nowhere") || id == "m-moved";
        assert_eq!(file != "m.smv", listed, "{id} in {file}");
        let source = report["files"][&file]["source"].as_str().unwrap();
        let line = source
            .lines()
            .nth(at["line"].as_u64().unwrap() as usize - 1);
        let begin = at["column"].as_u64().unwrap() as usize - 1;
        let end = mutant["location"]["end"]["column"].as_u64().unwrap() as usize - 1;
        let line: Vec<u16> = line.unwrap().encode_utf16().collect();
        let text = String::from_utf16(&line[begin..end]).unwrap();
        match id.as_str() {
            "m-open" => assert_eq!(text, "é = 𝄞"),
            _ if listed => assert_eq!(text, id.replace('\n', " ")),
            _ => assert_eq!(text, "x > 0", "{id}"),
        }
    }
}

#[test]
fn junit_has_a_case_for_each_mutant_and_is_well_formed_whatever_texts_say() {
    let found = every_kind();
    let text = junit(&found.findings());
    let document = roxmltree::Document::parse(&text).unwrap();
    let suite = document.root_element().first_element_child().unwrap();
    assert_eq!(suite.attribute("tests"), Some("12"));
    let cases: Vec<_> = suite
        .children()
        .filter(|node| node.has_tag_name("testcase"))
        .collect();
    assert_eq!(cases.len(), found.results.len());
    for (attribute, tag) in [
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        let count = cases.iter().filter(|case| {
            case.first_element_child()
                .is_some_and(|child| child.has_tag_name(tag))
        });
        assert_eq!(
            suite.attribute(attribute),
            Some(count.count().to_string().as_str()),
            "{tag}"
        );
    }
    let passed = cases
        .iter()
        .filter(|case| case.first_element_child().is_none());
    let passed: Vec<_> = passed.map(|case| case.attribute("name").unwrap()).collect();
    assert_eq!(
        passed,
        [
            "m-definite m.smv:2:1",
            "m-adaptive m.smv:2:1",
            "m-moved m.smv:2:1"
        ]
    );
}
