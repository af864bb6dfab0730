//! Kills of a run with many mutants are checked in circuits of some of the mutants.

use std::fs;
use std::path::PathBuf;

use hyperkill::ExitCode;

use crate::certify::{model, run};
use crate::corruption::{evidence, forge};
use crate::support::{Place, hyperkill};

/// Returns the ids of the mutants with this verdict.
fn ids(place: &Place, verdict: &str) -> Vec<String> {
    let outcomes = place.json("out/outcomes.json");
    let results = outcomes["results"].as_array().unwrap().iter();
    let those = results.filter(|result| result["verdict"] == verdict);
    let ids = those.map(|result| result["mutant"].as_str().unwrap().to_owned());
    ids.collect()
}

/// Exchanges two mutants in all files of a run, and in their names, but not in the list of mutants. Writes the new digests.
fn exchange(place: &Place, one: &str, other: &str) {
    let swapped = |text: &str| {
        let text = text.replace(one, "m-exchanged").replace(other, one);
        text.replace("m-exchanged", other)
    };
    let mut files = evidence(place);
    files.remove(&PathBuf::from("mutants.json"));
    for name in files.keys() {
        fs::remove_file(place.path("out").join(name)).unwrap();
    }
    for (name, bytes) in files {
        let path = place.path("out").join(swapped(name.to_str().unwrap()));
        match String::from_utf8(bytes) {
            Ok(text) => fs::write(path, swapped(&text)).unwrap(),
            Err(binary) => fs::write(path, binary.as_bytes()).unwrap(),
        }
    }
    let names: Vec<PathBuf> = evidence(place).into_keys().collect();
    for name in names {
        if !name.ends_with("digests.json") {
            let bytes = fs::read(place.path("out").join(&name)).unwrap();
            forge(place, &name, &bytes);
        }
    }
}

#[test]
fn the_kill_of_another_mutant_is_no_evidence_in_a_run_of_many_mutants() {
    let place = Place::with("nothing", "");
    let args = run(&place, &model("traffic-light"), &["--order", "2:1060"]);
    hyperkill(&args).expect(ExitCode::Success);
    let files = evidence(&place);
    let killed = ids(&place, "killed");
    let others = [ids(&place, "equivalent"), ids(&place, "duplicate-of")].concat();
    assert!(killed.len() > 1_024 && others.len() > 2);
    for (turn, other) in others.iter().take(2).enumerate() {
        exchange(&place, &killed[turn * killed.len() / 2], other);
        let ran = hyperkill(&args);
        assert_eq!(ran.code, ExitCode::Evidence, "{other}: {ran:?}");
        assert!(!ran.stderr.contains("digest"), "{ran:?}");
        // The same exchange once more restores all files.
        exchange(&place, &killed[turn * killed.len() / 2], other);
        assert!(evidence(&place) == files, "{other}");
    }
}
