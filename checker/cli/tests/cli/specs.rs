//! `verify --specs`: what is not checked is said, and what fails is shown.

use hyperkill::ExitCode;
use serde_json::{Value, json};

use crate::support::{Place, hyperkill};

/// A counter that never gets to 3, which it does.
fn counter(specs: &str) -> String {
    format!(
        "\
MODULE main
IVAR go : boolean;
VAR n : 0..3; p : part(n);
ASSIGN
  init(n) := 0;
  next(n) := case go & n < 3 : n + 1; TRUE : n; esac;
{specs}
MODULE part(n)
DEFINE full := n = 3;
LTLSPEC G (n >= 0)
MODULE unused
LTLSPEC FALSE
"
    )
}

#[test]
fn what_is_no_invariant_is_left_open_and_said_with_its_place() {
    let specs = "INVARSPEC n <= 3;\nLTLSPEC NAME grows := G F n = 3\nSPEC AG n <= 3;";
    let place = Place::with("counter.smv", counter(specs));
    let model = place.arg("counter.smv");
    let args = ["verify", "--specs", &model, "--format", "json"];
    let ran = hyperkill(args).expect(ExitCode::Undecided);
    let found: Vec<[Value; 3]> = ran.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| ["property", "verdict", "reason"].map(|key| result[key].clone()))
        .collect();
    let open = |kind: &str| [json!(kind), json!("unknown"), json!("not-checked")];
    let expected = [
        [json!("b0"), json!("holds"), Value::Null],
        open("LTLSPEC"),
        open("SPEC"),
        open("LTLSPEC"),
    ];
    assert_eq!(found, expected);
    for place in ["counter.smv:8", "counter.smv:9", "counter.smv:12"] {
        assert!(ran.stderr.contains(place), "{place}: {ran:?}");
    }
    hyperkill(args.iter().chain(&["--accept", "unknown"])).expect(ExitCode::Success);
    // With nothing else to check there is nothing to do.
    let place = Place::with("counter.smv", counter("LTLSPEC G n <= 3"));
    let ran = hyperkill(["verify", "--specs", &place.arg("counter.smv")]);
    assert!(ran.expect(ExitCode::Usage).stderr.contains("only LTLSPEC"));
}

#[test]
fn an_invariant_that_fails_is_shown_by_a_run_of_the_model() {
    let place = Place::with("counter.smv", counter("INVARSPEC !p.full;"));
    let model = place.arg("counter.smv");
    let ran = hyperkill(["verify", "--specs", &model, "--format", "json"]);
    let result = ran.expect(ExitCode::Failed).json()["results"][0].clone();
    let steps = result["traces"][0]["steps"].as_array().unwrap().clone();
    assert_eq!(result["steps"], json!(steps.len()));
    // The run is one of the model, to the first state that breaks the invariant.
    let mut n = 0;
    for (at, step) in steps.iter().enumerate() {
        assert_eq!(step["outputs"]["n"], json!(n), "step {at} of {result}");
        assert_eq!(n == 3, at + 1 == steps.len());
        let go = step["inputs"]["go"] == json!("TRUE") || step["inputs"]["go"] == json!(true);
        n += u32::from(go && n < 3);
    }
    let ran = hyperkill(["verify", "--specs", &model]).expect(ExitCode::Failed);
    let text = ran.text();
    assert!(text.contains("b0, the run that breaks it"), "{text}");
    let rows = text.lines().filter(|line| line.contains('│'));
    assert_eq!(rows.count(), steps.len() + 1, "{text}");
}
