//! Tests for nondeterministic models, from the command line to the documents: allowed outputs and strategies.

use hyperkill::ExitCode;
use serde_json::{Value, json};

use crate::support::{DRINKS, Place, hyperkill};

/// A lamp with a hidden choice of colour, which is shown on demand.
const LAMP: &str = "\
MODULE main
VAR
  look : boolean;                 -- @input
  colour : {unset, red, green};
  light : {dark, red, green};     -- @output
ASSIGN
  init(colour) := unset;
  next(colour) := case
    colour = unset : {red, green};
    TRUE : colour;
  esac;
  init(light) := dark;
  next(light) := case
    look & colour = red : red;
    look & colour = green : green;
    TRUE : dark;
  esac;
";

/// A nondeterministic quiz: asks one of two questions, and listens once.
const QUIZ: &str = "\
MODULE main
VAR
  answer : {yes, no};                                -- @input
  question : {none, sky, sea};
  says : {hello, sky, sea, listen, right, wrong};    -- @output
ASSIGN
  init(question) := none;
  next(question) := case
    question = none : {sky, sea};
    TRUE : question;
  esac;
  init(says) := hello;
  next(says) := case
    question = none : hello;
    says = hello & question = sky : sky;
    says = hello & question = sea : sea;
    says = sky | says = sea : listen;
    says = listen & (question = sky & answer = no | question = sea & answer = yes) : right;
    says = listen : wrong;
    TRUE : says;
  esac;
";

/// Runs all mutants of a model with one kind of tests. Undecided mutants are accepted.
fn run(place: &Place, model: &str, kind: &str) -> Value {
    let (model, out) = (place.arg(model), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--tests", kind];
    hyperkill(args.into_iter().chain(["--accept", "unknown"])).expect(ExitCode::Success);
    place.json("out/outcomes.json")
}

/// The mutant with this replacement at this path.
fn mutant(place: &Place, path: &str, replacement: &str) -> String {
    let table = place.json("out/mutants.json");
    let mut mutants = table["mutants"].as_array().unwrap().iter();
    let found = mutants.find(|m| m["path"] == path && m["replacement"] == replacement);
    let found = found.unwrap_or_else(|| panic!("no mutant {path} ⇒ {replacement}"));
    found["id"].as_str().unwrap().to_owned()
}

fn result<'a>(document: &'a Value, mutant: &str) -> &'a Value {
    let mut results = document["results"].as_array().unwrap().iter();
    results.find(|result| result["mutant"] == mutant).unwrap()
}

fn steps(result: &Value) -> &Vec<Value> {
    result["test"]["steps"].as_array().unwrap()
}

#[test]
fn the_beverage_machine_gets_the_locally_adaptive_test_of_the_paper() {
    let place = Place::with("drinks.smv", DRINKS);
    let document = run(&place, "drinks.smv", "local");
    // In the mutant, filling only adds one unit of water [3, Fig. 2].
    let id = mutant(&place, "main/next(wtr)/case[1]/value", "1");
    let result = result(&document, &id);
    assert_eq!(result["strength"], "definite");
    assert_eq!(result["test"]["kind"], "local");
    let out = |step: &Value| step["outputs"]["out"].as_str().unwrap().to_owned();
    assert_eq!(steps(result).len(), 6);
    for step in steps(result) {
        let drinks = json!([{"out": "coff"}, {"out": "tea"}]);
        let served = out(step) != "eps";
        let allowed = if served {
            drinks
        } else {
            json!([{"out": "eps"}])
        };
        assert_eq!(step["allowed"], allowed, "{step}");
        assert!(step.get("allowed_complete").is_none(), "{step}");
    }
    let served = steps(result).iter().filter(|step| out(step) != "eps");
    assert_eq!(served.count(), 4);
    assert_eq!(steps(result)[5]["mutant_outputs"]["out"], "eps");

    let shown = hyperkill(["show", &id, &place.arg("out")]);
    let shown = shown.expect(ExitCode::Success).text();
    let last = shown.lines().rev().nth(1).unwrap();
    assert!(shown.contains("test, local\n"), "{shown}");
    assert!(shown.ends_with("and eps in the mutant\n"), "{shown}");
    assert!(last.ends_with("{coff, tea}  ◄ differs"), "{last}");
}

#[test]
fn what_is_chosen_unseen_is_allowed_globally_but_not_locally() {
    let place = Place::with("lamp.smv", LAMP);
    let local = run(&place, "lamp.smv", "local");
    let global = run(&place, "lamp.smv", "global");
    let mut wider = 0;
    for result_of_local in local["results"].as_array().unwrap() {
        if result_of_local["verdict"] != "killed" {
            continue;
        }
        let result_of_global = result(&global, result_of_local["mutant"].as_str().unwrap());
        let pairs = steps(result_of_local).iter().zip(steps(result_of_global));
        for (locally, globally) in pairs {
            assert_eq!(
                locally["outputs"], globally["outputs"],
                "both take the best run"
            );
            let globally = globally["allowed"].as_array().unwrap();
            let locally_allowed = locally["allowed"].as_array().unwrap();
            assert!(locally_allowed.contains(&locally["outputs"]));
            assert!(
                locally_allowed
                    .iter()
                    .all(|output| globally.contains(output))
            );
            wider += usize::from(globally.len() > locally_allowed.len());
        }
    }
    assert!(
        wider > 0,
        "the colour shows only one step after it was chosen"
    );
}

#[test]
fn a_suite_of_global_tests_has_no_two_tests_with_the_same_inputs() {
    let place = Place::with("drinks.smv", DRINKS);
    for kind in ["linear", "local", "global", "tree"] {
        let document = run(&place, "drinks.smv", kind);
        let suite = place.json("out/suite.json");
        let tests = suite["tests"].as_array().unwrap();
        let inputs: Vec<Vec<&Value>> = tests
            .iter()
            .map(|test| {
                let steps = test["steps"].as_array().unwrap().iter();
                steps.map(|step| &step["inputs"]).collect()
            })
            .collect();
        for (i, test) in tests.iter().enumerate() {
            let known = test["kind"] == kind || (kind == "tree" && test["kind"] == "global");
            assert!(known, "{test}");
            let has_sets = test["steps"][0].get("allowed").is_some();
            assert_eq!(
                has_sets,
                test["kind"] == "local" || test["kind"] == "global"
            );
            for (j, other) in tests.iter().enumerate().filter(|(j, _)| *j != i) {
                let same_kind = test["kind"] == other["kind"];
                assert!(kind != "global" || !same_kind || !inputs[j].starts_with(&inputs[i]));
            }
        }
        let mut kills = tests
            .iter()
            .flat_map(|test| test["kills"].as_array().unwrap());
        for result in document["results"].as_array().unwrap() {
            let covered = kills.clone().any(|kill| {
                kill["mutant"] == result["mutant"] && kill["strength"] == result["strength"]
            });
            assert_eq!(covered, result["verdict"] == "killed", "{kind}: {result}");
        }
        assert!(kills.all(|kill| kill["strength"].is_string()));
    }
}

#[test]
fn a_definite_kill_is_written_as_a_tree_a_state_machine_and_a_graph() {
    let place = Place::with("drinks.smv", DRINKS);
    let document = run(&place, "drinks.smv", "tree");
    let id = mutant(&place, "main/next(wtr)/case[1]/value", "1");
    let test = &result(&document, &id)["test"];
    assert_eq!(test["kind"], "tree");
    let mut node = &test["tree"];
    let mut depth = 0;
    while node["inputs"].is_object() {
        depth += 1;
        node = &node["branches"][0]["then"];
    }
    assert_eq!(depth, 6);
    let states = test["machine"]["states"].as_array().unwrap();
    assert_eq!(states.len(), 6, "what was served makes no difference");
    for (number, state) in states.iter().enumerate() {
        let branches = state["branches"].as_array().unwrap();
        assert!(!branches.is_empty());
        for branch in branches {
            let next = branch.get("next").map(|next| next.as_u64().unwrap());
            assert_eq!(next, (number < 5).then_some(number as u64 + 1), "{state}");
        }
    }
    let suite = place.json("out/suite.json");
    let mut tests = suite["tests"].as_array().unwrap().iter();
    let test = tests.find(|test| test["kind"] == "tree").unwrap();
    let file = |extension: &str| format!("out/tests/{}.{extension}", test["id"].as_str().unwrap());
    assert_eq!(place.json(&file("json")), test["machine"]);
    let graph = std::fs::read_to_string(place.path(&file("dot"))).unwrap();
    assert!(
        graph.starts_with("digraph") && graph.contains("s0 -> fail"),
        "{graph}"
    );
    assert!(
        !place.path(&file("stim")).exists(),
        "there is no one stimulus"
    );
    let shown = hyperkill(["show", &id, &place.arg("out")]).text();
    assert!(shown.contains("see out=coff or out=tea: pass\n"), "{shown}");
    assert!(shown.contains("a play of it\n"), "{shown}");
}

#[test]
fn a_model_that_chooses_has_trees_without_being_asked_for_potential_kills_too() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let document = place.json("out/outcomes.json");
    let mut by_strength = [0, 0];
    for result in document["results"].as_array().unwrap() {
        if result["verdict"] == "killed" {
            assert_eq!(result["test"]["kind"], "tree", "{result:#}");
            by_strength[usize::from(result["strength"] == "potential")] += 1;
        }
    }
    assert!(
        by_strength.iter().all(|&count| count > 0),
        "{by_strength:?}"
    );
    let suite = place.json("out/suite.json");
    let mut tests = suite["tests"].as_array().unwrap().iter();
    assert!(tests.all(|test| test["kind"] == "tree"));
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

#[test]
fn linear_tests_of_a_model_that_chooses_are_made_with_a_warning() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--tests", "linear"];
    let ran = hyperkill(args).expect(ExitCode::Success);
    assert!(
        ran.stderr.contains("systems that conform fail it"),
        "{ran:?}"
    );
    assert!(
        ran.text().contains("a system that conforms may fail"),
        "{ran:?}"
    );
    let ran = hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    assert!(!ran.stderr.contains("linear"), "{ran:?}");
    assert!(
        ran.text()
            .contains("only a system that does not conform fails"),
        "{ran:?}"
    );
}

#[test]
fn with_controlled_choices_one_output_is_allowed() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--controllable-nd"];
    for kind in ["local", "tree"] {
        hyperkill(args.into_iter().chain(["--tests", kind])).expect(ExitCode::Success);
        let document = place.json("out/outcomes.json");
        let results = document["results"].as_array().unwrap().iter();
        let killed: Vec<&Value> = results.filter(|r| r["verdict"] == "killed").collect();
        assert!(!killed.is_empty());
        for step in killed.into_iter().flat_map(steps) {
            assert_eq!(step["allowed"], json!([step["outputs"]]));
        }
    }
}

#[test]
fn who_listens_before_answering_kills_what_no_fixed_inputs_kill() {
    let place = Place::with("quiz.smv", QUIZ);
    let wrong_for_right = |kind: &str| {
        let document = run(&place, "quiz.smv", kind);
        let id = mutant(&place, "main/next(says)/case[4]/value", "wrong");
        (id.clone(), result(&document, &id).clone(), document)
    };
    // For each answer the model may have asked the other question.
    let (_, plain, _) = wrong_for_right("linear");
    assert_eq!(plain["strength"], "potential");
    assert_eq!(plain["definite"], "excluded");
    assert_eq!(plain["evidence"]["kind"], "closed-set");
    assert_eq!(plain["evidence"]["of"], "agreeing");

    let (id, adaptive, document) = wrong_for_right("tree");
    assert_eq!(adaptive["strength"], "adaptive");
    assert_eq!(adaptive["engine"], "game");
    assert_eq!(adaptive["definite"], "excluded");
    assert_eq!(adaptive["test"]["kind"], "tree");
    // Each question is followed by the right answer. Only `right` completes the quiz.
    let mut answers = Vec::new();
    let mut open = vec![(&adaptive["test"]["tree"], Value::Null)];
    while let Some((node, question)) = open.pop() {
        for branch in node["branches"].as_array().unwrap() {
            let says = branch["outputs"]["says"].clone();
            if says == "listen" {
                answers.push(json!([question, node["inputs"]["answer"]]));
            }
            let asked = if says == "sky" || says == "sea" {
                says
            } else {
                question.clone()
            };
            if let Some(then) = branch.get("then") {
                open.push((then, asked));
            } else {
                assert_eq!(branch["outputs"]["says"], "right");
            }
        }
    }
    answers.sort_by_key(ToString::to_string);
    assert_eq!(json!(answers), json!([["sea", "yes"], ["sky", "no"]]));

    let summary = &document["summary"];
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert!(count("killed_adaptive") > 0);
    let certain = count("killed_definite") + count("killed_adaptive");
    let counted = count("mutants") - count("equivalent") - count("invalid") - count("duplicate");
    let score = (certain as f64 * 10_000.0 / counted as f64).round() / 100.0;
    assert_eq!(summary["score"]["certain"]["low"], score);
    let shown = hyperkill(["show", &id, &place.arg("out")]).text();
    assert!(shown.contains("killed: adaptive, 5 steps"), "{shown}");
    assert!(
        shown.contains("proved: no test kills definitely"),
        "{shown}"
    );
    let (_, strategy) = shown.split_once("test, tree\n").unwrap();
    let (strategy, _) = strategy.split_once("\na play of it\n").unwrap();
    let page = include_str!("../../../../docs/src/guide/nondeterminism.md");
    assert!(
        page.contains(&format!("```text\n{strategy}```\n")),
        "{strategy}"
    );
}

#[test]
fn a_mutant_that_no_test_kills_for_certain_shows_the_test_that_may() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out) = (place.arg("drinks.smv"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--property", "phi3"];
    let ran = hyperkill(args.into_iter().chain(["--tests", "local"])).expect(ExitCode::Success);
    assert!(
        ran.text().contains("not definitely killable"),
        "{}",
        ran.text()
    );
    let document = place.json("out/outcomes.json");
    let results = document["results"].as_array().unwrap().iter();
    let found: Vec<&Value> = results
        .filter(|result| result["verdict"] == "not-definitely-killable")
        .collect();
    assert!(!found.is_empty());
    let suite = place.json("out/suite.json");
    for result in &found {
        assert!(result.get("strength").is_none() && result.get("test").is_none());
        assert_eq!(result["evidence"]["of"], "agreeing");
        let potential = &result["potential"];
        assert_eq!(potential["verdict"], "killed");
        assert_eq!(potential["test"]["kind"], "local");
        let steps = potential["test"]["steps"].as_array().unwrap();
        assert_eq!(potential["steps"], steps.len());
        let last = &steps[steps.len() - 1];
        let allowed = last["allowed"].as_array().unwrap();
        assert!(!allowed.contains(&last["mutant_outputs"]), "{last}");
        let mut kills = (suite["tests"].as_array().unwrap().iter())
            .flat_map(|test| test["kills"].as_array().unwrap());
        let kill = kills
            .find(|kill| kill["mutant"] == result["mutant"])
            .unwrap();
        assert_eq!(kill["strength"], "potential");
        let id = result["mutant"].as_str().unwrap();
        let shown = hyperkill(["show", id, &out])
            .expect(ExitCode::Success)
            .text();
        assert!(
            shown.contains("not-definitely-killable: potential"),
            "{shown}"
        );
        assert!(
            shown.contains("test that kills potentially, local"),
            "{shown}"
        );
    }
    let summary = &document["summary"];
    assert_eq!(summary["not_definitely_killable"], found.len());
    assert_eq!(summary["not_definitely_killable_killed"], found.len());
    assert_eq!(summary["score"]["with_potential"]["low"], 100.0);
    assert!(summary["score"]["certain"]["high"].as_f64().unwrap() < 100.0);
}
