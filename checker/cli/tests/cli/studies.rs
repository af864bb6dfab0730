//! The case studies of \[0\] from the command line: the counts of a run by operator equal those in their manifests.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{Place, hyperkill};

/// Killed, equivalent and inconsistent mutants by operator, and the number of all that violate a guideline.
type Counts = (BTreeMap<String, [u64; 3]>, u64);

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn manifest(name: &str) -> (String, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/uppaal");
    let read = |file: &str| std::fs::read_to_string(folder.join(name).join(file)).unwrap();
    (
        read("model.xml"),
        serde_json::from_str(&read("expected.json")).unwrap(),
    )
}

/// The counts in a list of a manifest. Added inputs and added outputs form one operator.
fn expected(rows: &Value, preset: &str) -> Counts {
    let (mut counts, mut violating) = (BTreeMap::new(), 0);
    for row in rows.as_array().unwrap() {
        let operator = row["operator"].as_str().unwrap();
        let operator = operator
            .trim_end_matches(" input")
            .trim_end_matches(" output");
        let sum: &mut [u64; 3] = counts.entry(operator.to_owned()).or_default();
        (0..3).for_each(|index| sum[index] += number(&row[preset][index]));
        violating += row.get("violating").map_or(0, number);
    }
    (counts, violating)
}

/// The counts of a run.
fn ran(text: &str, preset: &str, more: &[&str]) -> Counts {
    let place = Place::with("model.xml", text);
    let (model, out) = (place.arg("model.xml"), place.arg("out"));
    let arguments = [
        "run",
        &model,
        "--out",
        &out,
        "-q",
        "-q",
        "--semantics",
        preset,
    ];
    hyperkill(arguments.iter().chain(more)).expect(ExitCode::Success);
    let outcomes = place.json("out/outcomes.json");
    let (mut counts, mut violating) = (BTreeMap::new(), 0);
    for row in outcomes["by_operator"].as_array().unwrap() {
        let counted = ["non_subsumed", "subsumed", "inconsistent"].map(|word| number(&row[word]));
        assert_eq!(
            counted.iter().sum::<u64>(),
            number(&row["mutants"]),
            "{row}"
        );
        counts.insert(row["operator"].as_str().unwrap().to_owned(), counted);
        violating += number(&row["detected"]);
    }
    (counts, violating)
}

#[test]
fn runs_of_the_case_studies_count_what_their_manifests_say() {
    for name in ["wfas", "mutex", "coffee", "hotel"] {
        let (text, manifest) = manifest(name);
        for preset in ["verifytga", "strict", "definition7"] {
            let expected = expected(&manifest["operators"], preset);
            assert_eq!(ran(&text, preset, &[]), expected, "{name} {preset}");
        }
    }
}

fn pairs(name: &str) {
    let (text, manifest) = manifest(name);
    let (expected, _) = expected(&manifest["order_2"], "verifytga");
    let (counts, violating) = ran(&text, "verifytga", &["--order", "2", "--no-minimise"]);
    assert_eq!(counts, expected, "{name}");
    let needless: u64 = counts
        .values()
        .map(|[_, equivalent, invalid]| equivalent + invalid)
        .sum();
    if let Some(percent) = manifest["printed"].get("order_2_percent") {
        assert_eq!(
            (100 * violating + needless / 2) / needless,
            number(percent),
            "{name}"
        );
    }
}

#[test]
fn runs_of_mutex_with_pairs_of_changes_count_what_its_manifest_says() {
    pairs("mutex");
}

#[test]
fn runs_of_hotel_with_pairs_of_changes_count_what_its_manifest_says() {
    pairs("hotel");
}

#[test]
fn runs_of_coffee_with_pairs_of_changes_count_what_its_manifest_says() {
    pairs("coffee");
}

#[test]
#[ignore = "takes half a minute: 14,711 mutants"]
fn runs_of_wfas_with_pairs_of_changes_count_what_its_manifest_says() {
    pairs("wfas");
}

/// Verdicts by mutant, and for each duplicate the mutant with the same circuit.
fn verdicts(outcomes: &Value) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let (mut verdicts, mut alike) = (BTreeMap::new(), BTreeMap::new());
    for result in outcomes["results"].as_array().unwrap() {
        let text = |field: &str| result[field].as_str().map(str::to_owned);
        let (Some(mutant), Some(verdict)) = (text("mutant"), text("verdict")) else {
            panic!("{result} has no verdict");
        };
        if let Some(like) = text("of") {
            alike.insert(mutant.clone(), like);
        }
        verdicts.insert(mutant, verdict);
    }
    (verdicts, alike)
}

/// Decides the mutants of a process with zones, and with engines on its circuit. The verdicts must agree.
fn is_as_its_circuit(name: &str, text: &str) {
    let place = Place::with("model.xml", text);
    let (model, circuit) = (place.arg("model.xml"), place.arg("model.aig"));
    hyperkill(["translate", &model, "-q", "-o", &circuit]).expect(ExitCode::Success);
    let outcomes = |model: &str, out: &str| {
        let folder = place.arg(out);
        hyperkill(["run", model, "-o", &folder, "-q", "-q"]).expect(ExitCode::Success);
        verdicts(&place.json(&format!("{out}/outcomes.json")))
    };
    let (zones, _) = outcomes(&model, "zones");
    let (engines, alike) = outcomes(&circuit, "engines");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (mutant, verdict) in zones.iter().filter(|(_, verdict)| *verdict != "invalid") {
        let mut other = mutant;
        // A duplicate has the verdict of the mutant with the same circuit.
        while let Some(like) = alike.get(other) {
            other = like;
        }
        assert_eq!(Some(verdict), engines.get(other), "{name} {mutant}");
        *counts.entry(verdict).or_default() += 1;
    }
    assert_eq!(counts.len(), 2, "{name}: {counts:?}");
    hyperkill(["certify", &place.arg("engines")]).expect(ExitCode::Success);
}

#[test]
fn engines_decide_circuits_of_processes_as_zones_decide_the_processes() {
    const LAMP: &str = include_str!("../../../../tests/models/uppaal/lamp/model.xml");
    is_as_its_circuit("lamp", LAMP);
    for name in ["wfas", "hotel"] {
        is_as_its_circuit(name, &manifest(name).0);
    }
}

#[test]
fn circuits_are_refused_where_they_would_not_say_what_dense_time_does() {
    let (text, _) = manifest("hotel");
    let place = Place::with("model.xml", &text);
    let model = place.arg("model.xml");
    let refused = |more: &[&str], message: &str| {
        let arguments = ["translate", &model, "-o", "-"];
        let refused = hyperkill(arguments.iter().chain(more)).expect(ExitCode::Usage);
        assert!(refused.stderr.contains(message), "{refused:?}");
    };
    refused(&["--semantics", "verifytga"], "`strict`");
    refused(&["--ticks", "1"], "--ticks 1");
    let smv = Place::with(
        "m.smv",
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := !x;\n",
    );
    let wrong = hyperkill(["translate", &smv.arg("m.smv"), "--ticks", "2"]);
    assert!(wrong.expect(ExitCode::Usage).stderr.contains("--ticks"));
}
