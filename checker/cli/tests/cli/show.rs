//! `show`: lists of mutants, and the values of both sides in the runs of a kill.

use std::collections::BTreeSet;
use std::fs;

use hyperkill::ExitCode;
use serde_json::{Value, json};

use crate::support::{DRINKS, LOCK, Place, hyperkill};

/// A run of the beverage machine with undecided mutants.
fn drinks() -> Place {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let run = ["run", &model, "-o", &out, "--tests", "local", "--accept"];
    let limits = ["unknown", "--engine", "bmc,exists-forall", "--bound", "4"];
    hyperkill(run.iter().chain(&limits)).expect(ExitCode::Success);
    place
}

/// The mutants of a list.
fn listed(place: &Place, options: &[&str]) -> Vec<Value> {
    let out = place.arg("out");
    let show = ["show", &out, "--format", "json"];
    let list = hyperkill(show.iter().chain(options))
        .expect(ExitCode::Success)
        .json();
    assert_eq!(list["schema"], "hyperkill.show-list/1");
    assert_eq!(
        list["of"],
        place.json("out/mutants.json")["mutants"]
            .as_array()
            .unwrap()
            .len()
    );
    list["mutants"].as_array().unwrap().clone()
}

fn ids(mutants: &[Value]) -> BTreeSet<String> {
    mutants
        .iter()
        .map(|mutant| mutant["mutant"]["id"].to_string())
        .collect()
}

#[test]
fn every_mutant_is_listed_once_by_its_verdict() {
    let place = drinks();
    let all = listed(&place, &[]);
    let outcomes = place.json("out/outcomes.json");
    let results: Vec<Value> = all.iter().map(|mutant| mutant["result"].clone()).collect();
    assert_eq!(json!(results), outcomes["results"]);
    let mut seen = BTreeSet::new();
    for verdict in [
        "killed",
        "equivalent",
        "not-definitely-killable",
        "refuses-input",
        "invalid",
        "duplicate-of",
        "unknown",
    ] {
        for mutant in listed(&place, &["--verdict", verdict]) {
            assert_eq!(mutant["result"]["verdict"], verdict);
            assert!(seen.insert(mutant["mutant"]["id"].to_string()));
        }
    }
    assert_eq!(seen, ids(&all));
    // Mutants with a strength are the killed ones; survivors lower the score.
    let strengths = ["definite", "adaptive", "potential", "controllable"];
    let strengths: Vec<&str> = strengths
        .iter()
        .flat_map(|word| ["--verdict", word])
        .collect();
    assert_eq!(
        ids(&listed(&place, &strengths)),
        ids(&listed(&place, &["--verdict", "killed"]))
    );
    let survived = listed(&place, &["--verdict", "survived"]).len();
    let score = &outcomes["summary"]["score"];
    let definite = listed(&place, &["--verdict", "definite"]).len();
    assert!(survived > 0, "{score}");
    let counted = all.iter().filter(|mutant| {
        let verdict = mutant["result"]["verdict"].as_str().unwrap();
        !["invalid", "duplicate-of", "equivalent"].contains(&verdict)
    });
    assert_eq!(counted.count(), survived + definite);
}

#[test]
fn mutants_are_chosen_by_operator_and_by_the_lines_they_are_in() {
    let place = drinks();
    let all = listed(&place, &[]);
    let at = |mutant: &Value| mutant["mutant"]["place"]["line"].as_u64().unwrap();
    for (first, last) in [(11, 11), (8, 14), (1, 200)] {
        let lines = match first == last {
            true => format!("drinks.smv:{first}"),
            false => format!("drinks.smv:{first}-{last}"),
        };
        let found = listed(&place, &["--file", &lines]);
        let expected = all
            .iter()
            .filter(|mutant| (first..=last).contains(&at(mutant)));
        assert_eq!(found, expected.cloned().collect::<Vec<Value>>());
    }
    assert_eq!(listed(&place, &["--file", "drinks.smv"]), all);
    assert!(listed(&place, &["--file", "inks.smv"]).is_empty());
    let found = listed(&place, &["--operator", "R*", "--file", "drinks.smv:11"]);
    let expected = all.iter().filter(|mutant| {
        mutant["mutant"]["operator"]
            .as_str()
            .unwrap()
            .starts_with('R')
            && at(mutant) == 11
    });
    assert_eq!(found, expected.cloned().collect::<Vec<Value>>());
    let out = place.arg("out");
    for wrong in [
        &["--operator", "NOPE"][..],
        &["--file", "drinks.smv:9-3"],
        &["--file", "drinks.smv:0"],
        &["--verdict", "dead"],
        &["--hidden"],
    ] {
        let show = ["show", &out];
        hyperkill(show.iter().chain(wrong)).expect(ExitCode::Usage);
    }
    let id = all[0]["mutant"]["id"].as_str().unwrap();
    hyperkill(["show", id, &out, "--verdict", "killed"]).expect(ExitCode::Usage);
}

#[test]
fn undecided_mutants_are_listed_with_place_and_operator_also_while_a_run_is_unfinished() {
    let place = drinks();
    let out = place.arg("out");
    let show = ["show", &out, "--verdict", "unknown"];
    let text = hyperkill(show).expect(ExitCode::Success).text();
    let unknown = listed(&place, &["--verdict", "unknown"]);
    assert!(!unknown.is_empty());
    for mutant in &unknown {
        let id = mutant["mutant"]["id"].as_str().unwrap();
        let line = text.lines().find(|line| line.starts_with(id)).unwrap();
        let at = &mutant["mutant"]["place"];
        let at = format!("drinks.smv:{}:{}", at["line"], at["column"]);
        assert!(
            line.contains(&at) && line.contains(mutant["mutant"]["operator"].as_str().unwrap())
        );
        assert!(
            line.contains(mutant["result"]["reason"].as_str().unwrap()),
            "{line}"
        );
    }
    // The state of a process that was killed after four lines.
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let first: Vec<&str> = journal.split_inclusive('\n').take(4).collect();
    fs::write(place.path("out/journal.jsonl"), first.concat()).unwrap();
    let lock = fs::read_to_string(place.path("out/lock.json")).unwrap();
    fs::write(
        place.path("out/lock.json"),
        lock.replace("finished", "running"),
    )
    .unwrap();
    let open = listed(&place, &["--verdict", "unknown"]);
    let open = open
        .iter()
        .filter(|mutant| mutant["result"]["reason"] == "not decided");
    let live = listed(&place, &[]);
    let live = live
        .iter()
        .filter(|mutant| mutant["result"]["verdict"] != "invalid");
    assert_eq!(open.count() + 4, live.count());
}

#[test]
fn the_runs_of_a_kill_are_side_by_side_with_what_they_choose() {
    let place = drinks();
    let out = place.arg("out");
    let killed = listed(&place, &["--verdict", "killed"]);
    let mut chosen = 0;
    for mutant in &killed {
        let id = mutant["mutant"]["id"].as_str().unwrap();
        let text = hyperkill(["show", id, &out])
            .expect(ExitCode::Success)
            .text();
        let steps = mutant["result"]["test"]["steps"].as_array().unwrap();
        let first = steps
            .iter()
            .position(|step| step["outputs"] != step["mutant_outputs"]);
        let first = format!("first difference: step {}, ", first.unwrap());
        assert!(
            text.contains("│  model") && text.contains("│  mutant"),
            "{text}"
        );
        assert!(text.contains(&first), "{text}");
        let shown = hyperkill(["show", id, &out, "--hidden", "--format", "json"]);
        let shown = shown.expect(ExitCode::Success).json();
        assert_eq!(shown["result"], mutant["result"]);
        for side in ["model", "mutant"] {
            let choices = shown["hidden"][side]["steps"].as_array().unwrap();
            assert_eq!(choices.len(), steps.len());
            chosen += choices.iter().filter(|step| **step != json!({})).count();
        }
    }
    assert!(chosen > 0, "the machine chooses");
    let id = killed[0]["mutant"]["id"].as_str().unwrap();
    let text = hyperkill(["show", id, &out, "--hidden"])
        .expect(ExitCode::Success)
        .text();
    assert!(text.contains("chosen, where nobody sees it"), "{text}");
    let equivalent = listed(&place, &["--verdict", "unknown"]);
    let id = equivalent[0]["mutant"]["id"].as_str().unwrap();
    let ran = hyperkill(["show", id, &out, "--hidden"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("no test is known"), "{ran:?}");
    // A deterministic model has no choices.
    let place = Place::with("lock.smv", LOCK);
    let out = place.arg("out");
    hyperkill(["run", &place.arg("lock.smv"), "-o", &out]).expect(ExitCode::Success);
    let killed = listed(&place, &["--verdict", "definite"]);
    let id = killed[0]["mutant"]["id"].as_str().unwrap();
    let text = hyperkill(["show", id, &out, "--hidden"])
        .expect(ExitCode::Success)
        .text();
    assert!(
        text.contains("nothing: the runs follow from the inputs"),
        "{text}"
    );
}
