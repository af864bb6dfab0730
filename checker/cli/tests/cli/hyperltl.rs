//! `verify --formula`: formulas with any body on infinite traces, languages of other tools, and messages on wrong formulas.

use std::fs;

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill};

/// `s` is the value of low one step before. `out` is `high` while `s` is set, else 0.
const LEAKS: &str = "\
aag 5 2 1 1 2
2
4
6 8 0
10
8 2 2
10 6 4
i0 low
i1 high
l0 s
o0 out
";

/// The output is a free choice.
const COIN: &str = "aag 1 1 0 1 0\n2\n2\ni0 nd:coin\no0 out\n";

const COUNTS: &str = "\
MODULE main
IVAR go : boolean;
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := case go & n < 2 : n + 1; TRUE : n; esac;
DEFINE done := n = 2;
";

fn verdict(file: &str, formula: &str, more: &[&str]) -> (ExitCode, String, String) {
    let args = ["verify", file, "--formula", formula, "--format", "json"];
    let ran = hyperkill(args.iter().chain(more));
    let report = ran.json();
    let result = &report["results"][0];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    (
        ran.code,
        text(&result["verdict"]),
        text(&result["evidence"]["kind"]),
    )
}

#[test]
fn formulas_without_alternation_are_decided_whatever_their_body() {
    let place = Place::with("leaks.aag", LEAKS);
    let file = place.arg("leaks.aag");
    for (formula, expected) in [
        (
            "forall p q. (out[p] = out[q]) W !(low[p] = low[q])",
            "fails",
        ),
        ("forall p q. (s[p] = s[q]) W !(low[p] = low[q])", "holds"),
        (
            "forall p q. (X (s[p] = s[q])) W !(low[p] = low[q])",
            "holds",
        ),
        (
            "forall p q. G (Y (low[p] = low[q]) -> s[p] = s[q])",
            "holds",
        ),
        ("forall p q. low[p] = low[q] -> X (s[p] = s[q])", "holds"),
        ("forall p. G (s[p] <-> Y low[p])", "holds"),
        ("forall p. G F low[p] -> G F s[p]", "holds"),
        ("forall p. F G s[p]", "fails"),
        (
            "exists p. (G F s[p]) & (G F !s[p]) & (!s[p] U X X s[p])",
            "holds",
        ),
        ("exists p. (G F s[p]) & F G !low[p]", "fails"),
    ] {
        let (_, found, kind) = verdict(&file, formula, &[]);
        assert_eq!(found, expected, "{formula} {kind}");
    }
    let (code, _, kind) = verdict(&file, "forall p. G F low[p] -> G F s[p]", &[]);
    assert_eq!(code, ExitCode::Success);
    assert!(["k-liveness", "no-lasso"].contains(&&*kind), "{kind}");
}

#[test]
fn one_alternation_is_decided_where_few_responses_do() {
    let place = Place::with("leaks.aag", LEAKS);
    std::fs::write(place.path("coin.aag"), COIN).unwrap();
    let [leaks, coin] = ["leaks.aag", "coin.aag"].map(|name| place.arg(name));
    for (file, formula, expected) in [
        (
            &leaks,
            "forall p q. exists r. G (low[r] = low[p] & high[r] = high[q])",
            "holds",
        ),
        (
            &leaks,
            "forall p q. exists r. G (low[r] = low[p] & out[r] = out[q])",
            "fails",
        ),
        (&coin, "forall p. exists r. G (out[r] <-> !out[p])", "holds"),
        (&coin, "exists p. forall r. G (out[r] = out[p])", "fails"),
        (&coin, "exists p. forall r. F (out[p] | X !out[p])", "holds"),
    ] {
        let (_, found, kind) = verdict(file, formula, &[]);
        assert_eq!(found, expected, "{formula} {kind}");
    }
}

#[test]
fn one_alternation_is_decided_by_listing_the_states_of_small_models() {
    let place = Place::with("leaks.aag", LEAKS);
    std::fs::write(place.path("coin.aag"), COIN).unwrap();
    let [leaks, coin] = ["leaks.aag", "coin.aag"].map(|name| place.arg(name));
    for (file, formula) in [
        // The inner trace depends on the next step of the outer trace.
        (&coin, "forall p. exists r. G (out[r] <-> X out[p])"),
        (
            &leaks,
            "forall p. exists r. G (s[r] = s[p]) & G F (high[r] != high[p])",
        ),
    ] {
        let (_, found, kind) = verdict(file, formula, &["--engine", "explicit"]);
        assert_eq!((&*found, &*kind), ("holds", "inclusion"), "{formula}");
    }
    let formula = "forall p. exists r. G (out[r] <-> X out[p])";
    let args = [
        "verify",
        &coin,
        "--formula",
        formula,
        "--engine",
        "explicit",
    ];
    let text = hyperkill(args).expect(ExitCode::Success).text();
    assert!(text.contains("proved: inclusion, 2 sets"), "{text}");
}

#[test]
fn what_is_well_formed_and_not_decided_is_undecided_and_no_error_of_the_user() {
    let place = Place::with("coin.aag", COIN);
    let coin = place.arg("coin.aag");
    for (more, why) in [
        (
            &[
                "--formula",
                "forall p. exists q. forall r. G (out[p] = out[r])",
            ][..],
            "alternate more than once",
        ),
        (
            &[
                "--formula",
                "Forall A . E t . G out[A][t]",
                "--dialect",
                "hyperqb2",
            ],
            "trajectory",
        ),
    ] {
        let ran = hyperkill(["verify", &coin].iter().chain(more)).expect(ExitCode::Undecided);
        assert!(ran.stderr.contains(why), "{ran:?}");
    }
}

#[test]
fn formulas_of_any_body_with_an_alternation_are_decided_over_finite_traces_with_evidence() {
    let place = Place::with("coin.aag", COIN);
    let coin = place.arg("coin.aag");
    for (number, (formula, code)) in [
        // A trace with one step has no next step.
        ("forall p. exists q. X (out[p] = out[q])", ExitCode::Failed),
        (
            "forall p. exists q. wX (out[p] = out[q])",
            ExitCode::Success,
        ),
        (
            "exists p. forall q. X X (out[p] = out[q]) | wX wX false",
            ExitCode::Success,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let out = place.arg(&format!("out{number}"));
        let asked = ["verify", &coin, "--formula", formula, "--traces", "finite"];
        hyperkill(asked.iter().chain(&["-o", &out])).expect(code);
        hyperkill(["certify", &out]).expect(ExitCode::Success);
    }
}

#[test]
fn a_name_that_is_not_there_brings_those_that_look_like_it() {
    let place = Place::with("leaks.aag", LEAKS);
    let ran = hyperkill([
        "verify",
        &place.arg("leaks.aag"),
        "--formula",
        "exists p. F hihg[p]",
    ]);
    let ran = ran.expect(ExitCode::Usage);
    let said = "--formula: line 1, column 13: the model has no signal `hihg`";
    assert!(ran.stderr.contains(said), "{ran:?}");
    assert!(ran.stderr.contains("high"), "{ran:?}");
    // Replaced in a file, but not inside of another name.
    fs::write(
        place.path("f.txt"),
        "exists p.\n  G (lowly[p] | \n  low[p] = 1 & lo[p])",
    )
    .unwrap();
    let file = place.arg("f.txt");
    let args = ["verify", &place.arg("leaks.aag"), "--formula-file", &file];
    let ran = hyperkill(args).expect(ExitCode::Usage);
    assert!(
        ran.stderr
            .contains("f.txt: line 2, column 6: the model has no signal `lowly`"),
        "{ran:?}"
    );
}

#[test]
fn a_malformed_formula_is_refused_with_what_is_expected_and_a_language_that_reads_it() {
    let place = Place::with("leaks.aag", LEAKS);
    let refused = |formula: &str| {
        let args = ["verify", &place.arg("leaks.aag"), "--formula", formula];
        hyperkill(args).expect(ExitCode::Usage).stderr
    };
    let said = refused("forall p q. G I[p] = I[q] except {}");
    let expected = "--formula: line 1, column 35: expected the name of an input, found `}`";
    assert!(said.contains(expected), "{said}");
    let said = refused("forall p q. G I[p] = I[q] except {low, }");
    assert!(
        said.contains("column 40: expected the name of an input"),
        "{said}"
    );
    // The language of HyperQB 1 reads `I[p]` as a signal `I`, which is not meant.
    let said = refused("forall p. G (I[p])");
    assert!(said.contains("expected `=` or `!=`, found `)`"), "{said}");
    assert!(!said.contains("--dialect"), "{said}");
    let said = refused("forall p. G (low[p] /\\ ~high[p])");
    assert!(said.contains("`--dialect hyperqb1` reads it"), "{said}");
}

#[test]
fn a_question_has_one_answer_in_all_languages() {
    let place = Place::with("leaks.aag", LEAKS);
    let file = place.arg("leaks.aag");
    for (dialect, formula) in [
        (
            "hyperkill",
            "forall p q. G (low[p] = low[q]) -> G (s[p] = s[q])",
        ),
        (
            "mchyper",
            r#"Forall (Forall (Implies (G (Eq (AP "low" 0) (AP "low" 1))) (G (Eq (AP "s" 0) (AP "s" 1)))))"#,
        ),
        (
            "hyperqb1",
            "forall A. forall B. G(low[A] <-> low[B]) -> G(s[A] <-> s[B])",
        ),
        (
            "hyperqb2",
            "Forall A . Forall B . G(low[A] = low[B]) -> G(s[A] = s[B])",
        ),
        (
            "autohyper",
            "forall A. forall B. G ({low}_A <-> {low}_B) -> G ({s}_A <-> {s}_B)",
        ),
    ] {
        let (code, found, _) = verdict(&file, formula, &["--dialect", dialect]);
        assert_eq!((code, &*found), (ExitCode::Success, "holds"), "{dialect}");
    }
    let ran =
        hyperkill(["verify", &file, "--formula", "Forall A . G(low[A])"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--dialect hyperqb2"), "{ran:?}");
}

#[test]
fn models_in_other_languages_are_read_with_all_their_names() {
    let place = Place::with("counts.smv", COUNTS);
    let file = place.arg("counts.smv");
    for (formula, expected) in [
        ("forall p. F G done[p]", "fails"),
        ("forall p. G F go[p] -> F G (n[p] = 2)", "holds"),
        ("forall p. G (n[p] != 3)", "holds"),
        ("forall p q. G (go[p] = go[q]) -> G (n[p] = n[q])", "holds"),
    ] {
        let (_, found, kind) = verdict(&file, formula, &[]);
        assert_eq!(found, expected, "{formula} {kind}");
    }
}

#[test]
fn justice_properties_hold_where_no_fair_run_meets_them() {
    // A latch that toggles: it is 1 infinitely often, but not forever.
    let place = Place::with("toggles.aag", "aag 1 0 1 0 0 0 0 2 0\n2 3\n1\n1\n2\n0\n");
    let witness = place.arg("evidence");
    let args = [
        "verify",
        &place.arg("toggles.aag"),
        "--format",
        "json",
        "--witness",
        &witness,
    ];
    let report = hyperkill(args).expect(ExitCode::Failed).json();
    let of = |index: usize| {
        (
            report["results"][index]["property"].clone(),
            report["results"][index]["verdict"].clone(),
        )
    };
    assert_eq!(of(0), ("j0".into(), "fails".into()));
    assert_eq!(of(1), ("j1".into(), "holds".into()));
    let text = std::fs::read_to_string(place.path("evidence/j0.witness")).unwrap();
    assert!(text.starts_with("1\nj0\n"), "{text}");
}

#[test]
fn a_bound_counts_the_steps_of_traces_and_is_the_reason_where_longer_ones_are_needed() {
    let place = Place::with("counts.smv", COUNTS);
    fs::write(
        place.path("toggles.aag"),
        "aag 1 0 1 0 0 0 0 1 0\n2 3\n1\n2\n",
    )
    .unwrap();
    fs::write(place.path("bad.aag"), "aag 2 0 2 0 0 1\n2 4\n4 1\n2\n").unwrap();
    // Each needs three steps: up to n = 2; the loop there; two latches. The toggle recurs after two.
    let formula = ["--formula", "exists p. F done[p]"];
    let finite = [&formula[..], &["--traces", "finite"]].concat();
    let lasso = ["--formula", "exists p. G F done[p]"];
    let until = ["--formula", "forall p. (!done[p]) W (done[p] & X !done[p])"];
    let leading = "exists p. forall q. F (done[p] & (go[q] | !go[q]))";
    let leading = ["--formula", leading, "--traces", "finite"];
    for (file, asked, steps, verdict) in [
        ("counts.smv", &finite[..], 3, "holds"),
        ("counts.smv", &lasso, 3, "holds"),
        ("counts.smv", &until, 3, "fails"),
        ("counts.smv", &leading, 3, "holds"),
        ("bad.aag", &[], 3, "fails"),
        ("toggles.aag", &[], 2, "fails"),
    ] {
        let verify = |bound: usize| {
            let (file, bound) = (place.arg(file), bound.to_string());
            let args = ["verify", &file, "--bound", &bound, "--format", "json"];
            hyperkill(args.iter().chain(asked)).json()["results"][0].clone()
        };
        let (found, open) = (verify(steps), verify(steps - 1));
        assert_eq!(found["verdict"], verdict, "{file} {asked:?}: {found}");
        assert_eq!(found["steps"], steps, "{file} {asked:?}: {found}");
        assert_eq!(open["verdict"], "unknown", "{file} {asked:?}: {open}");
        assert_eq!(open["reason"], "bound", "{file} {asked:?}: {open}");
    }
}

#[test]
fn the_monitor_of_a_formula_is_explained() {
    let place = Place::with("leaks.aag", LEAKS);
    let formula = "forall p q. (s[p] = s[q]) W !(low[p] = low[q])";
    let args = [
        "verify",
        &place.arg("leaks.aag"),
        "--formula",
        formula,
        "--explain",
    ];
    let text = hyperkill(args).expect(ExitCode::Success).text();
    for row in [
        "fragment  ∀*",
        "monitor",
        "existential traces with a monitor",
    ] {
        assert!(text.contains(row), "{text}");
    }
}
