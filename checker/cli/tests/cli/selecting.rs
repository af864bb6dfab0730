//! Selection of mutants: ids, operators, patterns, samples and shards; and the list of mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use hyperkill::ExitCode;

use crate::support::{DRINKS, LOCK, Place, TOGGLE, hyperkill, verdicts};

fn ids(place: &Place, more: &[&str]) -> Vec<String> {
    let model = place.arg("lock.smv");
    let args = ["list", &model, "--format", "json"].into_iter();
    let list = hyperkill(args.chain(more.iter().copied()))
        .expect(ExitCode::Success)
        .json();
    let mutants = list["mutants"].as_array().unwrap().iter();
    mutants
        .map(|m| m["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn shards_are_disjoint_and_together_everything() {
    let place = Place::with("lock.smv", LOCK);
    let all = ids(&place, &[]);
    let parts: Vec<String> = ["0/3", "1/3", "2/3"]
        .iter()
        .flat_map(|shard| ids(&place, &["--shard", shard]))
        .collect();
    assert_eq!(parts.len(), all.len());
    let sorted = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&parts), sorted(&all));
}

#[test]
fn a_sample_depends_on_the_seed_and_nothing_else() {
    let place = Place::with("lock.smv", LOCK);
    let first = ids(&place, &["--sample", "5"]);
    assert_eq!(first.len(), 5);
    assert_eq!(first, ids(&place, &["--sample", "5"]));
    let other = ids(&place, &["--sample", "5", "--seed", "1"]);
    assert_ne!(first, other);
    // A comment at the beginning moves every mutant and changes none.
    let moved = Place::with("lock.smv", format!("-- moved\n{LOCK}"));
    assert_eq!(first, ids(&moved, &["--sample", "5"]));
}

#[test]
fn operators_patterns_and_ids_select() {
    let place = Place::with("lock.smv", LOCK);
    let all = ids(&place, &[]);
    let relational = ids(&place, &["--operator", "ROR"]);
    assert!(!relational.is_empty() && relational.len() < all.len());
    let others = ids(&place, &["--exclude", " ROR "]);
    assert_eq!(relational.len() + others.len(), all.len());
    assert_eq!(
        ids(&place, &["--mutant", &all[3][..9], "--mutant", &all[0]]).len(),
        2
    );
    let model = place.arg("lock.smv");
    for wrong in [
        &["--operator", "NOPE"][..],
        &["--exclude", "("],
        &["--mutant", "m-zzz"],
        &["--mutant", "m-"],
        &["--shard", "3/3"],
        &["--sample", "0"],
    ] {
        let args = ["list", &model].into_iter().chain(wrong.iter().copied());
        hyperkill(args).expect(ExitCode::Usage);
    }
}

/// The lines of the selected mutants.
fn lines(place: &Place, more: &[&str]) -> BTreeSet<u64> {
    let model = place.arg("lock.smv");
    let args = ["list", &model, "--format", "json"].into_iter();
    let list = hyperkill(args.chain(more.iter().copied()));
    let list = list.expect(ExitCode::Success).json();
    let mutants = list["mutants"].as_array().unwrap().iter();
    let lines = mutants.map(|mutant| mutant["place"]["line"].as_u64().unwrap());
    lines.collect()
}

#[test]
fn lines_of_files_select_and_a_difference_selects_what_it_changes() {
    let place = Place::with("lock.smv", LOCK);
    let all = lines(&place, &[]);
    for (said, expected) in [
        ("lock.smv", 1..=99),
        ("lock.smv:13", 13..=13),
        ("lock.smv:11-13", 11..=13),
        ("models/lock.smv:12", 12..=12),
    ] {
        let found = lines(&place, &["--file", said]);
        let expected = all.iter().copied().filter(|line| expected.contains(line));
        assert_eq!(found, expected.collect(), "{said}");
    }
    assert!(lines(&place, &["--file", "ock.smv"]).is_empty());
    let text = fs::read_to_string(place.path("lock.smv")).unwrap();
    let last = text.lines().count();
    let changed: Vec<&str> = text.lines().nth(11).into_iter().collect();
    let difference = format!(
        "--- a/lock.smv\n+++ b/lock.smv\n@@ -12 +12 @@\n-was something else\n+{}\n",
        changed[0]
    );
    fs::write(place.path("edit.diff"), difference).unwrap();
    let difference = place.arg("edit.diff");
    assert!(last > 12 && all.contains(&12));
    assert_eq!(
        lines(&place, &["--in-diff", &difference]),
        BTreeSet::from([12])
    );
    // A run records the lines, so that it does not depend on the diff any more.
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out, "--in-diff", &difference]).expect(ExitCode::Success);
    let asked = place.json("out/asked.json")["options"].to_string();
    assert!(
        asked.contains("--file=lock.smv:12") && !asked.contains("in-diff"),
        "{asked}"
    );
    fs::write(
        place.path("edit.diff"),
        "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n",
    )
    .unwrap();
    assert!(lines(&place, &["--in-diff", &difference]).is_empty());
    fs::write(place.path("edit.diff"), "").unwrap();
    assert!(lines(&place, &["--in-diff", &difference]).is_empty());
    fs::write(place.path("edit.diff"), LOCK).unwrap();
    for wrong in [
        &["--in-diff", &difference][..],
        &["--in-diff", "--version"],
        &["--in-diff", "no/such/revision"],
        &["--in-diff", &difference, "--file", "lock.smv"],
    ] {
        let args = ["list", &model].into_iter().chain(wrong.iter().copied());
        hyperkill(args).expect(ExitCode::Usage);
    }
}

#[test]
fn what_git_has_seen_change_since_a_revision_selects() {
    let place = Place::with("lock.smv", LOCK);
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let mut command = std::process::Command::new("git");
        command
            .args(identity)
            .args(args)
            .current_dir(place.path("."));
        command.output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        eprintln!("SKIPPED: what has changed since a revision (git is not installed)");
        return;
    }
    assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "first"]));
    let edited = LOCK.replace("key = bad : 0;", "key = bad : 1;");
    let line = 1 + edited
        .lines()
        .position(|line| line.contains("key = bad : 1;"))
        .unwrap();
    fs::write(place.path("lock.smv"), edited).unwrap();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_hyperkill"))
        .args(["list", "lock.smv", "--in-diff", "HEAD", "--format", "json"])
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let list: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let mutants = list["mutants"].as_array().unwrap();
    assert!(!mutants.is_empty());
    assert!(mutants.iter().all(|mutant| mutant["place"]["line"] == line));
}

#[test]
fn who_asks_for_a_duplicate_by_name_gets_its_own_verdict() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let all = verdicts(&place.json("out/outcomes.json"));
    let (duplicate, _) = all
        .iter()
        .find(|(_, word)| *word == "duplicate-of")
        .unwrap();
    let args = ["run", &model, "--out", &out, "--mutant", duplicate];
    hyperkill(args).expect(ExitCode::Success);
    let one = verdicts(&place.json("out/outcomes.json"));
    assert_eq!(one.len(), 1);
    assert_ne!(one[duplicate], "duplicate-of");
}

#[test]
fn the_list_shows_place_operator_change_and_standing() {
    let place = Place::with("lock.smv", LOCK);
    let model = place.arg("lock.smv");
    let text = hyperkill(["list", &model]).text();
    assert!(text.contains("lock.smv:12:"), "{text}");
    assert!(text.contains("right < last ⇒ right <= last"), "{text}");
    assert!(text.contains("invalid: "), "{text}");
    let signature = hyperkill(["list", &model, "--signature"]).text();
    assert!(
        signature.contains("key    enum {none, good, bad}")
            || signature.contains("key  enum {none, good, bad}"),
        "{signature}"
    );
    let diffs = hyperkill(["list", &model, "--diff", "--operator", "ROR"]).text();
    assert!(diffs.contains("-    key = bad : 0;\n"), "{diffs}");
    assert!(diffs.contains("--- a/lock.smv"), "{diffs}");
}

#[test]
fn each_mutant_that_is_a_model_is_emitted_as_a_source_that_differs_from_it_in_one_place() {
    let place = Place::with("lock.smv", LOCK);
    let (model, emitted) = (place.arg("lock.smv"), place.arg("emitted"));
    hyperkill(["list", &model, "--emit", &emitted]).expect(ExitCode::Success);
    let table = hyperkill(["list", &model, "--format", "json"]).json();
    let all = table["mutants"].as_array().unwrap();
    let is_invalid = |mutant: &&serde_json::Value| mutant["status"] == "invalid";
    let (invalid, live): (Vec<_>, Vec<_>) = all.iter().partition(is_invalid);
    assert!(!invalid.is_empty());
    assert_eq!(fs::read_dir(&emitted).unwrap().count(), live.len());
    for mutant in live {
        let id = mutant["id"].as_str().unwrap();
        let text = fs::read_to_string(place.path(&format!("emitted/{id}.smv"))).unwrap();
        assert_ne!(text, LOCK);
        let prefix = text
            .bytes()
            .zip(LOCK.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        assert!(prefix > 20, "{id}");
    }
}

#[test]
fn a_circuit_has_no_sources_to_show() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    assert!(
        hyperkill(["list", &file])
            .expect(ExitCode::Success)
            .text()
            .contains("flip")
    );
    hyperkill(["list", &file, "--diff"]).expect(ExitCode::Usage);
    hyperkill(["run", &file, "-D", "a=1"]).expect(ExitCode::Usage);
}

#[test]
fn options_may_stand_in_a_file_beside_the_model() {
    let place = Place::with("lock.smv", LOCK);
    let all = ids(&place, &[]).len();
    fs::write(place.path("hyperkill.toml"), "sample = 4\ntimeout = '9s'\n").unwrap();
    assert_eq!(ids(&place, &[]).len(), 4);
    assert_eq!(ids(&place, &["--sample", "6"]).len(), 6);
    assert!(all > 6);
    fs::write(place.path("hyperkill.toml"), "samlpe = 4\n").unwrap();
    let ran = hyperkill(["list", &place.arg("lock.smv")]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("samlpe"), "{}", ran.stderr);
}

#[test]
fn no_gate_opens_where_no_mutant_is_left() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let run = ["run", &model, "-o", &out, "--exclude", "."];
    hyperkill(run).expect(ExitCode::Success);
    let ran = hyperkill(run.iter().chain(&["--fail-under", "0"])).expect(ExitCode::Failed);
    assert!(ran.stderr.contains("no mutant is left"), "{ran:?}");
    let ran = hyperkill(run.iter().chain(&["--fail-under", "95"])).expect(ExitCode::Failed);
    assert!(ran.stderr.contains("no mutant is left"), "{ran:?}");
    // Invalid mutants are not left over.
    let list = hyperkill(["list", &model, "--format", "json"]).expect(ExitCode::Success);
    let table = list.json();
    let mut mutants = table["mutants"].as_array().unwrap().iter();
    let invalid = mutants
        .find(|mutant| mutant["status"] == "invalid")
        .unwrap();
    let id = invalid["id"].as_str().unwrap();
    let run = [
        "run",
        &model,
        "-o",
        &out,
        "--fail-under",
        "95",
        "--mutant",
        id,
    ];
    hyperkill(run).expect(ExitCode::Failed);
}

#[test]
fn a_list_ends_with_its_time_and_says_what_it_has_left_out() {
    let model = "MODULE main\nVAR a : boolean; -- @input\n b : boolean;\nASSIGN init(b) := FALSE; next(b) := a | b;\n";
    let place = Place::with("or.smv", model);
    let (or, folder) = (place.arg("or.smv"), place.arg("mutants"));
    let list = ["list", &or, "--total-timeout", "0s"];
    let ran = hyperkill(list.iter().chain(&["--diff"])).expect(ExitCode::Undecided);
    assert!(ran.text().is_empty(), "{}", ran.text());
    let said = "--total-timeout is over while mutants were listed";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let ran = hyperkill(list.iter().chain(&["--emit", &folder])).expect(ExitCode::Undecided);
    let said = "0 mutated sources written to ";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(" are left, and none is listed"),
        "{}",
        ran.stderr
    );
    hyperkill(["list", &or, "--diff", "--total-timeout", "1h"]).expect(ExitCode::Success);
}

/// Verdicts by mutant, without duplicates.
fn decided(place: &Place, run: &str) -> BTreeMap<String, String> {
    let outcomes = place.json(&format!("{run}/outcomes.json"));
    let results = outcomes["results"].as_array().unwrap().iter();
    let all = results.map(|result| {
        let word = |field: &str| result[field].as_str().unwrap().to_owned();
        (word("mutant"), word("verdict"))
    });
    all.filter(|(_, verdict)| !verdict.starts_with("duplicate"))
        .collect()
}

#[test]
fn a_run_of_some_mutants_has_a_circuit_of_these_and_decides_them_as_a_run_of_all_does() {
    for (text, more) in [
        (LOCK, &[][..]),
        (LOCK, &["--order", "2:40"]),
        (DRINKS, &["--controllable-nd"]),
    ] {
        let place = Place::with("model.smv", text);
        let (model, all, some) = (place.arg("model.smv"), place.arg("all"), place.arg("some"));
        let run = |more: &[&str], out: &str, selected: &[&str]| {
            let args = ["run", &model, "-o", out].into_iter();
            let args = args.chain(more.iter().copied());
            hyperkill(args.chain(selected.iter().copied())).expect(ExitCode::Success);
        };
        run(more, &all, &[]);
        run(more, &some, &["--sample", "12"]);
        let (every, sample) = (decided(&place, "all"), decided(&place, "some"));
        assert!(sample.len() > 4 && sample.len() <= 12 && every.len() > 12);
        for (mutant, verdict) in &sample {
            // A smaller selection has fewer duplicates.
            let of_all = every.get(mutant);
            assert!(of_all.is_none_or(|of_all| of_all == verdict), "{mutant}");
        }
        hyperkill(["certify", &some]).expect(ExitCode::Success);
        let list = fs::read_dir(place.path("some/sources")).unwrap();
        let list = list.map(|entry| entry.unwrap().path());
        let list = list.filter(|path| path.to_string_lossy().ends_with("taken.txt"));
        let list: Vec<_> = list.collect();
        let taken = fs::read_to_string(&list[0]).unwrap();
        assert_eq!((list.len(), taken.lines().count()), (1, 12));
        fs::write(&list[0], taken.replacen("m-", "m-0", 1)).unwrap();
        hyperkill(["certify", &some]).expect(ExitCode::Evidence);
    }
}
