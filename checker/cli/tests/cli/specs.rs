//! `verify --specs`: unchecked properties are reported, and failed ones have a counterexample.

use hyperkill::ExitCode;
use serde_json::{Value, json};

use crate::support::{Place, hyperkill};

/// A counter that is claimed never to reach 3, but reaches it.
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

/// Property, verdict and reason of each result.
fn answers(report: &Value) -> Vec<[Value; 3]> {
    let results = report["results"].as_array().expect("results").iter();
    results
        .map(|result| ["property", "verdict", "reason"].map(|key| result[key].clone()))
        .collect()
}

#[test]
fn branching_time_is_left_open_and_said_with_its_place() {
    let specs = "INVARSPEC n <= 3;\nLTLSPEC NAME grows := G (n = 2 -> O n = 1)\nSPEC AG n <= 3;";
    let place = Place::with("counter.smv", counter(specs));
    let model = place.arg("counter.smv");
    let args = ["verify", "--specs", &model, "--format", "json"];
    let ran = hyperkill(args).expect(ExitCode::Undecided);
    let expected = [
        [json!("b0"), json!("holds"), Value::Null],
        [json!("LTLSPEC"), json!("holds"), Value::Null],
        [json!("LTLSPEC"), json!("holds"), Value::Null],
        [json!("SPEC"), json!("unknown"), json!("not-checked")],
    ];
    assert_eq!(answers(&ran.json()), expected);
    let names = [1, 2].map(|i| ran.json()["results"][i]["name"].clone());
    assert_eq!(names, [json!("grows"), json!("G (n >= 0) IN p")]);
    assert!(ran.stderr.contains("counter.smv:9"), "{ran:?}");
    hyperkill(args.iter().chain(&["--accept", "unknown"])).expect(ExitCode::Success);
    // Without another property there is nothing to check.
    let place = Place::with("only.smv", "MODULE main\nVAR b : boolean;\nSPEC AG b\n");
    let ran = hyperkill(["verify", "--specs", &place.arg("only.smv")]);
    assert!(ran.expect(ExitCode::Usage).stderr.contains("only SPEC"));
}

#[test]
fn linear_temporal_logic_is_about_infinite_fair_runs() {
    let specs = |fairness: &str| format!("{fairness}\nLTLSPEC F n = 3;\nLTLSPEC p.full V !p.full");
    let answers = |fairness: &str| {
        let place = Place::with("counter.smv", counter(&specs(fairness)));
        let args = [
            "verify",
            "--specs",
            &place.arg("counter.smv"),
            "--format",
            "json",
        ];
        let ran = hyperkill(args);
        let results = answers(&ran.json());
        results
            .iter()
            .map(|[_, verdict, _]| verdict.clone())
            .collect::<Vec<Value>>()
    };
    let (holds, fails) = (json!("holds"), json!("fails"));
    // Without fairness the counter may be held forever.
    assert_eq!(answers(""), [&fails, &fails, &holds].map(Clone::clone));
    assert_eq!(
        answers("JUSTICE go"),
        [&holds, &fails, &holds].map(Clone::clone)
    );
    assert_eq!(
        answers("FAIRNESS n = 3;"),
        [&holds, &fails, &holds].map(Clone::clone)
    );
    assert_eq!(
        answers("COMPASSION (n < 3, go)"),
        [&holds, &fails, &holds].map(Clone::clone)
    );
    assert_eq!(
        answers("COMPASSION (go, n = 3)"),
        [&fails, &fails, &holds].map(Clone::clone)
    );
    // No run is fair, so every property holds vacuously.
    assert_eq!(
        answers("JUSTICE n < 0"),
        [&holds, &holds, &holds].map(Clone::clone)
    );
}

#[test]
fn a_run_that_breaks_linear_temporal_logic_is_a_loop_of_variables() {
    let place = Place::with("counter.smv", counter("LTLSPEC G (n = 1 -> F n = 3)"));
    let model = place.arg("counter.smv");
    let ran = hyperkill(["verify", "--specs", &model, "--format", "json"]);
    let result = ran.expect(ExitCode::Failed).json()["results"][0].clone();
    let trace = &result["traces"][0];
    let steps = trace["steps"].as_array().expect("steps");
    let back = trace["loop_from"].as_u64().expect("a loop") as usize;
    let n = |step: &Value| step["outputs"]["n"].as_i64().expect("a number");
    let goes =
        |step: &Value| step["inputs"]["go"] == json!("TRUE") || step["inputs"]["go"] == json!(true);
    for (at, step) in steps.iter().enumerate() {
        let next = steps.get(at + 1).unwrap_or(&steps[back]);
        assert_eq!(
            n(next),
            n(step) + i64::from(goes(step) && n(step) < 3),
            "{result}"
        );
        assert_eq!(
            step["outputs"].as_object().expect("outputs").len(),
            1,
            "{result}"
        );
    }
    assert!(steps.iter().any(|step| n(step) == 1) && steps.iter().all(|step| n(step) < 3));
    let shown = hyperkill(["verify", "--specs", &model]).expect(ExitCode::Failed);
    assert!(shown.text().contains("the loop begins"));
}

#[test]
fn an_invariant_that_fails_is_shown_by_a_run_of_the_model() {
    let place = Place::with("counter.smv", counter("INVARSPEC !p.full;"));
    let model = place.arg("counter.smv");
    let ran = hyperkill(["verify", "--specs", &model, "--format", "json"]);
    let result = ran.expect(ExitCode::Failed).json()["results"][0].clone();
    let steps = result["traces"][0]["steps"].as_array().unwrap().clone();
    assert_eq!(result["steps"], json!(steps.len()));
    // The counterexample is a run of the model to the first state that violates the invariant.
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
