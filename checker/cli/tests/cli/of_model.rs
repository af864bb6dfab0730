//! The claims of a run about its model, with forged digests: its determinism, and the mutants that are models.

use std::fs;
use std::path::Path;

use hyperkill::ExitCode;
use hyperkill::documents::to_text;
use serde_json::{Value, json};

use crate::certify::{CONSTRAINED, run};
use crate::corruption::forge;
use crate::support::{DRINKS, LOCK, Place, hyperkill};

const OUTCOMES: &str = "outcomes.json";
const ORIGINAL: &str = "certificates/original+determinism.json";
const VALIDITY: &str = "certificates/all+validity.json";

/// A counter with initial values 1 and 2 only. So mutants of the initial value have no initial state.
const NARROW: &str = "\
MODULE main
VAR
  go : boolean;   -- @input
  level : 0..3;
INVAR level > 0 & level < 3;
ASSIGN
  init(level) := 1;
  next(level) := case
    go & level = 1 : 2;
    TRUE : 1;
  esac;
";

/// The file name of a document, and a change of it.
type Change<'a> = (&'a str, &'a dyn Fn(&mut Value));

/// Changes documents of a run, certifies the run, and restores the documents.
fn changed(place: &Place, args: &[String], changes: &[Change<'_>]) -> ExitCode {
    let folder = place.path("out");
    let before = fs::read(folder.join("digests.json")).unwrap();
    let mut files = Vec::new();
    for (name, change) in changes {
        let bytes = fs::read(folder.join(name)).unwrap();
        let mut document: Value = serde_json::from_slice(&bytes).unwrap();
        change(&mut document);
        forge(
            place,
            Path::new(name),
            to_text(&document).unwrap().as_bytes(),
        );
        files.push((name, bytes));
    }
    let ran = hyperkill(args);
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::write(folder.join("digests.json"), before).unwrap();
    ran.code
}

fn say(word: &'static str) -> impl Fn(&mut Value) {
    move |document| document["original"] = json!(word)
}

fn claim(word: &'static str) -> impl Fn(&mut Value) {
    move |document| document["claim"] = json!(word)
}

#[test]
fn a_run_keeps_what_shows_how_its_model_answers_and_another_claim_is_refused() {
    for (text, is, is_not, kind) in [
        (LOCK, "deterministic", "non-deterministic", "unchosen"),
        (DRINKS, "non-deterministic", "deterministic", "differing"),
    ] {
        let place = Place::with("model.smv", text);
        let args = run(&place, &place.path("model.smv"), &["--sample", "3"]);
        let outcomes = place.json("out/outcomes.json");
        assert_eq!(outcomes["original"], is);
        assert_eq!(outcomes["original_certificate"], ORIGINAL);
        let certificate = place.json(&format!("out/{ORIGINAL}"));
        assert_eq!(certificate["claim"], is);
        assert_eq!(certificate["mutants"], json!([]));
        assert!(certificate["evidence"][kind].is_array(), "{certificate}");
        let faults: [&[Change<'_>]; 6] = [
            &[(OUTCOMES, &say(is_not))],
            &[(OUTCOMES, &say("unsettled"))],
            &[(ORIGINAL, &claim(is_not))],
            &[(OUTCOMES, &say(is_not)), (ORIGINAL, &claim(is_not))],
            &[(ORIGINAL, &claim("models"))],
            // A wrong pair of runs, or fewer latches than the outputs depend on.
            &[(ORIGINAL, &|certificate| match kind {
                "differing" => {
                    let pair = &mut certificate["evidence"]["differing"];
                    pair[1] = pair[0].clone();
                }
                _ => {
                    let latches = certificate["evidence"]["unchosen"].as_array_mut();
                    latches.unwrap().pop();
                }
            })],
        ];
        for (number, changes) in faults.into_iter().enumerate() {
            let code = changed(&place, &args, changes);
            assert_eq!(code, ExitCode::Evidence, "{is}, fault {number}");
        }
        let forgotten: &dyn Fn(&mut Value) = &|outcomes| {
            outcomes
                .as_object_mut()
                .unwrap()
                .remove("original_certificate");
        };
        let code = changed(&place, &args, &[(OUTCOMES, forgotten)]);
        assert_eq!(code, ExitCode::Undecided, "{is}: nothing shows it");
        hyperkill(&args).expect(ExitCode::Success);
    }
}

#[test]
fn a_proof_that_a_model_is_deterministic_is_no_proof_without_its_facts() {
    let place = Place::with(
        "model.smv",
        "MODULE main\nVAR\n  go : boolean;  -- @input\n  pick : boolean;  -- @nd\n  one : boolean;\n  other : boolean;\nDEFINE\n  \
        differ := go & one != other;  -- @output\nASSIGN\n  init(one) := FALSE;\n  init(other) := FALSE;\n  next(one) := one xor pick;\n  \
        next(other) := other xor pick;\n",
    );
    let args = run(&place, &place.path("model.smv"), &[]);
    let certificate = place.json(&format!("out/{ORIGINAL}"));
    let proof = &certificate["evidence"]["proof"];
    assert_eq!(proof["question"], "determinism", "{certificate}");
    let code = changed(
        &place,
        &args,
        &[(ORIGINAL, &|certificate| {
            let proof = &mut certificate["evidence"]["proof"];
            proof["facts"] = json!([]);
            proof["k"] = json!(1);
        })],
    );
    assert_eq!(code, ExitCode::Evidence);
    // A proof about a mutant answers another question.
    let code = changed(
        &place,
        &args,
        &[(ORIGINAL, &|certificate| {
            certificate["evidence"]["proof"]["question"] = json!({ "pair": "phi1" });
        })],
    );
    assert_eq!(code, ExitCode::Evidence);
}

#[test]
fn a_run_keeps_what_shows_which_mutants_are_models_and_another_claim_is_refused() {
    let place = Place::with("model.smv", NARROW);
    let args = run(&place, &place.path("model.smv"), &[]);
    let certificate = place.json(&format!("out/{VALIDITY}"));
    let validity = &certificate["evidence"]["validity"];
    let count = |name: &str| validity[name].as_array().unwrap().len();
    assert!(
        count("breaches") > 0 && count("without") > 0,
        "{certificate}"
    );
    assert!(count("beginnings") > 0, "{certificate}");
    let models = certificate["mutants"].as_array().unwrap();
    let good = models[0].clone();
    let of = |certificate: &mut Value, name: &str| certificate["evidence"]["validity"][name].take();
    let faults: [Change<'_>; 8] = [
        ("a breach less", &|certificate| {
            certificate["evidence"]["validity"]["breaches"] = json!([]);
        }),
        ("a model that breaks nothing", &|certificate| {
            let breach = &mut certificate["evidence"]["validity"]["breaches"][0];
            breach["mutants"] = json!([good]);
        }),
        ("another condition", &|certificate| {
            let breach = &mut certificate["evidence"]["validity"]["breaches"][0];
            breach["obligation"] = json!(1_000);
        }),
        ("a model that can begin", &|certificate| {
            certificate["evidence"]["validity"]["without"] = json!([good]);
        }),
        ("nobody without an initial state", &|certificate| {
            certificate["evidence"]["validity"]["without"] = json!([]);
        }),
        ("no first steps", &|certificate| {
            let _ = of(certificate, "beginnings");
            certificate["evidence"]["validity"]["beginnings"] = json!([]);
        }),
        ("a model less", &|certificate| {
            certificate["mutants"].as_array_mut().unwrap().pop();
        }),
        ("another claim", &|certificate| {
            certificate["claim"] = json!("deterministic");
        }),
    ];
    for (what, change) in faults {
        let code = changed(&place, &args, &[(VALIDITY, change)]);
        assert_eq!(code, ExitCode::Evidence, "{what}");
    }
    let forgotten: &dyn Fn(&mut Value) = &|outcomes| {
        outcomes
            .as_object_mut()
            .unwrap()
            .remove("validity_certificate");
    };
    let code = changed(&place, &args, &[(OUTCOMES, forgotten)]);
    assert_eq!(code, ExitCode::Undecided, "nothing shows it");
    hyperkill(&args).expect(ExitCode::Success);
}

#[test]
fn of_a_circuit_only_its_first_step_is_asked_and_only_if_constraints_could_fail() {
    let place = Place::with("x.aag", CONSTRAINED);
    let args = run(&place, &place.path("x.aag"), &[]);
    let certificate = place.json(&format!("out/{VALIDITY}"));
    let validity = &certificate["evidence"]["validity"];
    assert_eq!(validity["breaches"], json!([]));
    assert_eq!(validity["beginnings"].as_array().unwrap().len(), 1);
    let code = changed(
        &place,
        &args,
        &[(VALIDITY, &|certificate| {
            let step = &mut certificate["evidence"]["validity"]["beginnings"][0];
            step["original"] = json!(false);
        })],
    );
    assert_eq!(code, ExitCode::Evidence);

    let free = Place::with("x.aag", crate::support::TOGGLE);
    let args = run(&free, &free.path("x.aag"), &[]);
    assert!(!free.path("out").join(VALIDITY).exists());
    let code = changed(
        &free,
        &args,
        &[(OUTCOMES, &|outcomes| {
            outcomes["validity_certificate"] = json!(ORIGINAL);
        })],
    );
    assert_eq!(code, ExitCode::Evidence);
}
