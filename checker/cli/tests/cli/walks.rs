//! Walks in GraphWalker's models: tests are written as walks, and walks are scored.

use std::collections::BTreeSet;
use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{LOCK, Place, Ran, hyperkill};

const SHOP: &str = include_str!("../../../../tests/models/graphwalker/shop/model.json");

/// A folder with a run of the shop.
fn place() -> Place {
    let place = Place::with("shop.json", SHOP);
    let out = place.arg("out");
    hyperkill(["-q", "run", &place.arg("shop.json"), "-o", &out]).expect(ExitCode::Success);
    place
}

fn score(place: &Place, suite: &str) -> Ran {
    let (out, suite) = (place.arg("out"), place.arg(suite));
    hyperkill(["--format", "json", "score", &out, "--suite", &suite])
}

/// The mutants that each test of a score kills.
fn kills(report: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mutants = report["mutants"].as_array().expect("mutants").iter();
    let kills = mutants.flat_map(|mutant| {
        let tests = mutant["killed_by"].as_array().expect("tests").iter();
        tests.map(move |test| (text(&mutant["mutant"]), text(test)))
    });
    kills.collect()
}

#[test]
fn tests_that_are_written_as_walks_kill_what_they_kill_as_tests() {
    let place = place();
    let [out, walks] = ["out", "walks"].map(|name| place.arg(name));
    hyperkill(["export", &out, "--to", "altwalker", "-o", &walks]).expect(ExitCode::Success);
    // One mutant only refuses inputs, which a walk cannot show.
    let of_walks = score(&place, "walks").expect(ExitCode::Failed).json();
    let of_tests = score(&place, "out").expect(ExitCode::Failed).json();
    assert_eq!(of_walks["counts"]["survived"], 1);
    assert_eq!(kills(&of_walks), kills(&of_tests));
    let mut files: Vec<_> = fs::read_dir(place.path("walks"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let walk: Value =
        serde_json::from_slice(&fs::read(&files[0]).expect("a file")).expect("a walk");
    let first = serde_json::json!({"id": "e0", "modelName": "Shop", "name": "e_OpenShop"});
    assert_eq!(walk[0], first);
    // One walk alone kills the mutants of its test.
    let name = files[0]
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let alone = score(&place, &format!("walks/{name}.json"))
        .expect(ExitCode::Failed)
        .json();
    let own = kills(&of_tests)
        .into_iter()
        .filter(|(_, test)| *test == name);
    assert_eq!(kills(&alone), own.collect());
}

#[test]
fn what_graphwalker_prints_is_scored_and_a_wrong_step_is_named_with_its_line() {
    let place = place();
    let lines = |names: &[&str]| {
        let lines = names.iter();
        let lines = lines.map(|name| format!("{{\"currentElementName\":\"{name}\"}}\n"));
        lines.collect::<String>()
    };
    // The form of `altwalker offline`.
    let list = |names: &[&str]| {
        let steps = names.iter();
        let steps = steps.map(|name| format!("{{\"name\":\"{name}\"}}"));
        format!("[{}]", steps.collect::<Vec<String>>().join(","))
    };
    let walk = [
        "e_OpenShop",
        "v_Home",
        "e_AddItem",
        "v_Home",
        "e_ShowCart",
        "v_Cart",
    ];
    fs::write(place.path("walk.json"), lines(&walk)).expect("a file");
    let report = score(&place, "walk.json").expect(ExitCode::Failed).json();
    assert_eq!(report["tests"], serde_json::json!(["walk"]));
    assert!(!kills(&report).is_empty());
    for text in [lines(&walk), list(&walk)] {
        fs::write(place.path("marked.json"), format!("\u{feff}{text}")).expect("a file");
        let marked = score(&place, "marked.json").expect(ExitCode::Failed);
        assert_eq!(kills(&marked.json()).len(), kills(&report).len());
    }
    let wrong = ["e_OpenShop", "v_Home", "e_Back", "v_Home"];
    fs::write(place.path("wrong.json"), lines(&wrong)).expect("a file");
    let ran = score(&place, "wrong.json").expect(ExitCode::Usage);
    assert!(ran.stderr.contains("wrong.json:3:1"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the walk is at `v_Home`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn models_without_walks_have_none_to_score_or_to_write() {
    let place = Place::with("lock.smv", LOCK);
    let out = place.arg("out");
    hyperkill(["-q", "run", &place.arg("lock.smv"), "-o", &out]).expect(ExitCode::Success);
    fs::write(place.path("walk.json"), "[{\"name\": \"a\"}]").expect("a file");
    let ran = score(&place, "walk.json").expect(ExitCode::Usage);
    assert!(
        ran.stderr.contains("models in smv have none"),
        "{}",
        ran.stderr
    );
    let walks = place.arg("walks");
    let ran = hyperkill(["export", &out, "--to", "altwalker", "-o", &walks]);
    let ran = ran.expect(ExitCode::Usage);
    assert!(
        ran.stderr
            .contains("tests of models in smv cannot be written so"),
        "{}",
        ran.stderr
    );
    assert!(!place.path("walks").exists());
}

#[test]
fn a_graphwalker_model_is_named_as_what_it_is() {
    let place = Place::with("shop.json", SHOP);
    for command in ["check", "verify"] {
        let ran = hyperkill([command, &place.arg("shop.json")]).expect(ExitCode::Usage);
        let said = format!("is a model in graphwalker, and `{command}` reads AIGER files");
        assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    }
}
