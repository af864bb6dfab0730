//! `verify -o` and `certify`: answers to formulas with their evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use hyperkill::ExitCode;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::fields::{change, documents, field, kind, leave_out, there, ways, write};
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

const COUNTS: &str = "\
MODULE main
IVAR go : boolean;
VAR n : 0..3; free : boolean;
ASSIGN init(n) := 0; next(n) := case go & n < 2 : n + 1; TRUE : n; esac; next(free) := free;
DEFINE done := n = 2;
";

/// Formulas with every kind of evidence, and the kind.
const SHOWN: [(&str, &str, &str); 11] = [
    (
        "leaks.aag",
        "forall p q. (out[p]=out[q]) W !(low[p]=low[q])",
        "traces",
    ),
    ("leaks.aag", "forall p. G F low[p] -> G F s[p]", "excluded"),
    (
        "leaks.aag",
        "forall p. exists q. G (s[p] <-> !s[q])",
        "traces",
    ),
    (
        "leaks.aag",
        "exists p. forall q. G (s[p] -> s[q])",
        "withstood",
    ),
    (
        "leaks.aag",
        "forall p. exists q. G (out[q] = out[p])",
        "proof",
    ),
    (
        "leaks.aag",
        "exists p. forall q. G (out[p] | s[q])",
        "refuted",
    ),
    (
        "leaks.aag",
        "forall p. exists q. (G (X s[q] <-> low[p])) & F high[q]",
        "inclusion",
    ),
    (
        "leaks.aag",
        "forall p q. exists r. G (low[r]=low[p] & high[r]=high[q])",
        "inclusion",
    ),
    ("counts.smv", "exists p. G F (done[p] & !free[p])", "traces"),
    ("counts.smv", "exists p. G (go[p] & n[p] != 2)", "end"),
    (
        "counts.smv",
        "forall p. exists q. G F (n[q] != n[p])",
        "refuted",
    ),
];

fn asked(file: &str, formula: &str) -> (Place, String) {
    let text = if file == "leaks.aag" { LEAKS } else { COUNTS };
    let place = Place::with(file, text);
    let out = place.arg("out");
    let ran = hyperkill(["verify", &place.arg(file), "--formula", formula, "-o", &out]);
    assert!(
        [ExitCode::Success, ExitCode::Failed].contains(&ran.code),
        "{formula}: {ran:?}"
    );
    (place, out)
}

fn certificate(place: &Place) -> Value {
    let path = place.path("out/certificates/formula+answer.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_answer_is_written_with_what_shows_it_and_checks_again() {
    let mut ways = BTreeSet::new();
    for (file, formula, way) in SHOWN {
        let (place, out) = asked(file, formula);
        let evidence = certificate(&place)["evidence"].clone();
        let found = evidence.as_object().unwrap().keys().next().unwrap().clone();
        assert_eq!(found, way, "{formula}");
        ways.insert(found);
        hyperkill(["certify", &out]).expect(ExitCode::Success);
    }
    assert_eq!(ways.len(), 7, "{ways:?}");
}

#[test]
fn the_opposite_of_an_answer_is_not_shown_by_its_evidence() {
    for (file, formula, _) in SHOWN {
        let (place, out) = asked(file, formula);
        for (name, mut document) in documents(&place) {
            let opposite = |verdict: &mut Value| {
                *verdict = json!(if *verdict == "holds" {
                    "fails"
                } else {
                    "holds"
                });
            };
            match kind(&name).as_str() {
                "answers.json" => opposite(&mut document["results"][0]["verdict"]),
                "certificates/*.json" => opposite(&mut document["verdict"]),
                _ => continue,
            }
            write(&place, &name, &document);
        }
        let ran = hyperkill(["certify", &out]);
        assert_eq!(ran.code, ExitCode::Evidence, "{formula}: {ran:?}");
    }
}

/// Fields that may change unnoticed: another value is equally valid, or no evidence covers the field.
fn is_free(kind: &str, field: &str) -> bool {
    let free = match kind {
        "answers.json" => &[
            "results[].known_to",
            "results[].reason",
            "systems[].reading.places",
            "systems[].reading.sources[].place",
        ][..],
        // Another invariant, proof, response or closed set may be equally valid.
        "certificates/*.json" => &[
            "evidence.excluded.clauses",
            "evidence.withstood.exclusion.clauses",
            "evidence.refuted.exclusion.clauses",
            "evidence.refuted.responses",
            "evidence.proof",
            "evidence.inclusion",
        ],
        _ => &[],
    };
    free.iter().any(|name| {
        let rest = field.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

#[test]
fn no_field_of_an_answer_can_say_anything_unless_something_else_is_as_good() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let (mut tried, mut unnoticed, mut wrong) = (0, BTreeSet::new(), BTreeSet::new());
    for (file, formula, _) in SHOWN {
        let (place, out) = asked(file, formula);
        let digests = fs::read(place.path("out/digests.json")).unwrap();
        for (name, document) in documents(&place) {
            if ["lock.json", "journal.jsonl"].contains(&kind(&name).as_str()) {
                continue;
            }
            let original = fs::read(place.path("out").join(&name)).unwrap();
            let mut all = Vec::new();
            ways(&document, &mut Vec::new(), &mut all);
            for way in all {
                let (kind, field) = (kind(&name), field(&way));
                for leaving in [false, true] {
                    let what = format!("{kind}: {field}{}", if leaving { " left out" } else { "" });
                    if seen.get(&what).is_some_and(|count| *count >= 3) {
                        continue;
                    }
                    let mut spoilt = document.clone();
                    let done = match leaving {
                        true => leave_out(&mut spoilt, &way),
                        false => {
                            there(&mut spoilt, &way).is_some_and(|value| change(value, &mut rng))
                        }
                    };
                    if !done {
                        continue;
                    }
                    *seen.entry(what.clone()).or_default() += 1;
                    write(&place, &name, &spoilt);
                    let ran = hyperkill(["certify", &out]);
                    assert_ne!(ran.code, ExitCode::Internal, "{what}: {ran:?}");
                    tried += 1;
                    if ran.code == ExitCode::Success {
                        let list = if is_free(&kind, &field) {
                            &mut unnoticed
                        } else {
                            &mut wrong
                        };
                        list.insert(what);
                    }
                    fs::write(place.path("out").join(&name), &original).unwrap();
                    fs::write(place.path("out/digests.json"), &digests).unwrap();
                }
            }
        }
        hyperkill(["certify", &out]).expect(ExitCode::Success);
    }
    println!("{tried} changes; unnoticed, and as good: {unnoticed:#?}");
    assert!(wrong.is_empty(), "nobody notices {wrong:#?}");
    assert!(tried > 200, "{tried}");
}

#[test]
fn answers_are_checked_from_the_copies_or_from_files_that_are_the_same() {
    let (place, out) = asked("counts.smv", "exists p. G F (done[p] & !free[p])");
    fs::rename(place.path("counts.smv"), place.path("moved.smv")).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let moved = place.arg("moved.smv");
    hyperkill(["certify", &out, "--model", &moved]).expect(ExitCode::Success);
    fs::write(
        place.path("moved.smv"),
        COUNTS.replace("init(n) := 0", "init(n) := 1"),
    )
    .unwrap();
    hyperkill(["certify", &out, "--model", &moved]).expect(ExitCode::Usage);
}

#[test]
fn a_document_that_says_otherwise_how_its_copies_were_read_is_no_evidence() {
    let (place, out) = asked("counts.smv", "exists p. G F (done[p] & !free[p])");
    let changes: [(&str, &str, Value); 7] = [
        ("model", "hash", json!("sha256:0")),
        ("model", "language", json!("verilog")),
        ("model", "language", json!("esperanto")),
        ("reading", "files", json!(["counts.v"])),
        ("reading", "files", json!(["other.smv"])),
        ("reading", "files", json!(["counts.smv", "other.smv"])),
        ("reading", "outputs", json!(["nothing"])),
    ];
    let (name, document) = (documents(&place).into_iter())
        .find(|(name, _)| kind(name) == "answers.json")
        .unwrap();
    for (part, field, value) in changes {
        let mut forged = document.clone();
        forged["systems"][0][part][field] = value.clone();
        write(&place, &name, &forged);
        let ran = hyperkill(["certify", &out]);
        assert_eq!(ran.code, ExitCode::Evidence, "{field} {value}: {ran:?}");
    }
    write(&place, &name, &document);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

#[test]
fn invariants_about_infinite_traces_are_written_as_safety_problems_with_witness_circuits() {
    let (place, out) = asked("leaks.aag", "forall p. G F low[p] -> G F s[p]");
    let circuits = place.arg("circuits");
    let ran = hyperkill(["certify", &out, "--hwmcc", &circuits]);
    ran.expect(ExitCode::Success);
    let model = place.path("circuits/formula+answer.model.aig");
    // The bad state of the circuit encodes the query, so plain safety proves it.
    let ran = hyperkill(["verify", model.to_str().unwrap()]);
    ran.expect(ExitCode::Success);
    let witness = place.path("circuits/formula+answer.witness.aig");
    let ran = hyperkill(["verify", witness.to_str().unwrap()]);
    ran.expect(ExitCode::Success);
}

#[test]
fn an_answer_that_is_unknown_has_no_certificate_and_nothing_to_check() {
    let place = Place::with("leaks.aag", LEAKS);
    let out = place.arg("out");
    let formula = "forall p. exists q. G F (s[q] & !s[p])";
    let args = [
        "verify",
        &place.arg("leaks.aag"),
        "--formula",
        formula,
        "-o",
        &out,
    ];
    let ran = hyperkill(
        args.iter()
            .copied()
            .chain(["--engine", "bmc", "--bound", "1"]),
    );
    ran.expect(ExitCode::Undecided);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    assert_eq!(
        fs::read_dir(place.path("out/certificates"))
            .unwrap()
            .count(),
        0
    );
}

/// Formulas about two systems, their exit status, and the kinds of evidence.
const OF_TWO: [(&str, ExitCode); 6] = [
    ("forall p. exists q. G (go[q] = low[p])", ExitCode::Success),
    ("forall p. exists q. G (done[q] = s[p])", ExitCode::Failed),
    (
        "exists p. forall q. G F (n[q] = 2) -> F s[p]",
        ExitCode::Success,
    ),
    (
        "forall p q. (G (go[q] = low[p])) -> G (done[q] -> O s[p])",
        ExitCode::Success,
    ),
    (
        "forall p. exists q. (G F done[q]) & G (go[q] -> low[p])",
        ExitCode::Failed,
    ),
    ("forall q p. G (n[q] != 2) | F out[p]", ExitCode::Failed),
];

#[test]
fn traces_of_two_systems_are_decided_kept_and_checked_again() {
    for (formula, expected) in OF_TWO {
        let place = Place::with("leaks.aag", LEAKS);
        fs::write(place.path("counts.smv"), COUNTS).unwrap();
        let systems = [
            format!("p={}", place.arg("leaks.aag")),
            format!("q={}", place.arg("counts.smv")),
        ];
        let out = place.arg("out");
        let args = ["verify", "--system", &systems[0], "--system", &systems[1]];
        let more = ["--formula", formula, "-o", &out];
        let ran = hyperkill(args.iter().chain(&more));
        assert_eq!(ran.code, expected, "{formula}: {ran:?}");
        // The copies in the folder suffice.
        fs::remove_file(place.path("counts.smv")).unwrap();
        fs::remove_file(place.path("leaks.aag")).unwrap();
        hyperkill(["certify", &out]).expect(ExitCode::Success);
        let path = place.path("out/answers.json");
        let written: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let mut spoilt = written.clone();
        let swapped = spoilt["systems"].as_array_mut().unwrap();
        let first = swapped[0]["traces"].take();
        swapped[0]["traces"] = swapped[1]["traces"].take();
        swapped[1]["traces"] = first;
        let name = std::path::Path::new("answers.json");
        write(&place, name, &spoilt);
        let ran = hyperkill(["certify", &out]);
        assert!(ran.code != ExitCode::Success, "{formula}: {ran:?}");
    }
}

/// Models that show the input of the previous step: if `e` was 1, if it was 0, or always.
fn part(condition: &str) -> String {
    format!(
        "MODULE main\nIVAR a : boolean; e : boolean;\nVAR out : boolean;\n\
         ASSIGN init(out) := FALSE; next(out) := {condition};\n"
    )
}

/// Formulas about p of the complete system, q of one part and r of the other.
const OF_THREE: [(&str, ExitCode); 6] = [
    (
        "exists p q r. F (out[p] & out[q] & !out[r])",
        ExitCode::Success,
    ),
    (
        "exists p q r. G (a[p] = a[q] & a[q] = a[r] & e[q] = e[r]) & F (out[q] & out[r])",
        ExitCode::Failed,
    ),
    (
        "forall p q r. G (a[p] = a[q] & a[q] = a[r] & e[q] = e[r]) -> G (out[p] <-> (out[q] | out[r]))",
        ExitCode::Success,
    ),
    (
        "forall p q r. G (a[p] = a[q] & a[q] = a[r]) -> G (out[p] <-> (out[q] | out[r]))",
        ExitCode::Failed,
    ),
    (
        "forall p. exists q r. G (out[p] <-> (out[q] & !out[r]))",
        ExitCode::Success,
    ),
    (
        "forall q p. exists r. G (out[p] <-> (out[q] | out[r]))",
        ExitCode::Failed,
    ),
];

#[test]
fn traces_of_three_systems_are_decided_kept_and_checked_again() {
    for (formula, expected) in OF_THREE {
        let place = Place::with("whole.smv", part("a"));
        fs::write(place.path("one.smv"), part("a & e")).unwrap();
        fs::write(place.path("other.smv"), part("a & !e")).unwrap();
        let of = [("p", "whole"), ("q", "one"), ("r", "other")];
        let systems =
            of.map(|(trace, file)| format!("{trace}={}", place.arg(&format!("{file}.smv"))));
        let out = place.arg("out");
        let mut args = vec!["verify", "--formula", formula, "-o", &out];
        args.extend(systems.iter().flat_map(|system| ["--system", system]));
        let ran = hyperkill(args);
        assert_eq!(ran.code, expected, "{formula}: {ran:?}");
        for (_, file) in of {
            fs::remove_file(place.path(&format!("{file}.smv"))).unwrap();
        }
        hyperkill(["certify", &out]).expect(ExitCode::Success);
        let path = place.path("out/answers.json");
        let mut spoilt: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let swapped = spoilt["systems"].as_array_mut().unwrap();
        let first = swapped[0]["traces"].take();
        swapped[0]["traces"] = swapped[2]["traces"].take();
        swapped[2]["traces"] = first;
        write(&place, std::path::Path::new("answers.json"), &spoilt);
        let ran = hyperkill(["certify", &out]);
        assert!(ran.code != ExitCode::Success, "{formula}: {ran:?}");
    }
}

#[test]
fn a_trace_of_no_system_and_a_system_of_no_trace_are_named() {
    let place = Place::with("leaks.aag", LEAKS);
    fs::write(place.path("counts.smv"), COUNTS).unwrap();
    let (leaks, counts) = (place.arg("leaks.aag"), place.arg("counts.smv"));
    let formula = "forall p. exists q. G (go[q] = low[p])";
    let asked = |more: &[&str]| {
        let args = ["verify", "--formula", formula];
        let ran = hyperkill(args.iter().chain(more));
        assert_eq!(ran.code, ExitCode::Usage, "{ran:?}");
        ran.stderr
    };
    let system = format!("q={counts}");
    let said = asked(&["--system", &system]);
    assert!(said.contains("no model is given for trace p"), "{said}");
    let said = asked(&[&leaks, "--system", &format!("r={counts}")]);
    assert!(said.contains("the formula is about p, q"), "{said}");
    let said = asked(&[&counts, "--system", &format!("q={leaks}")]);
    assert!(
        said.contains("the model of trace q, has no signal `go`"),
        "{said}"
    );
}

/// Answers low by its last value, and high by the negation of its present value.
const DELAYED: &str = "\
aag 3 2 1 2 0
2
4
6 2
6
5
i0 low_0
i1 high_0
l0 before
o0 low_1
o1 high_1
";

fn with_strategy(strategy: &str, formula: &str) -> (Place, ExitCode, Value) {
    let place = Place::with("leaks.aag", LEAKS);
    fs::write(place.path("s.aag"), strategy).unwrap();
    let (file, strategy, out) = (place.arg("leaks.aag"), place.arg("s.aag"), place.arg("out"));
    let args = [
        "verify",
        &file,
        "--formula",
        formula,
        "--strategy",
        &strategy,
    ];
    let ran = hyperkill(args.iter().chain(&["-o", &out, "--format", "json"]));
    let document = match ran.stdout.is_empty() {
        true => json!(ran.stderr),
        false => ran.json(),
    };
    (place, ran.code, document)
}

#[test]
fn a_strategy_of_the_users_decides_by_what_it_answers_and_loses_by_traces() {
    let wins = "forall p. exists q. G (low[q] <-> Y low[p]) & G (high[q] <-> !high[p])";
    let (place, code, _) = with_strategy(DELAYED, wins);
    assert_eq!(code, ExitCode::Success);
    let evidence = &certificate(&place)["evidence"]["refuted"]["responses"][0];
    assert!(
        evidence["circuit"].as_str().unwrap().starts_with("aag"),
        "{evidence}"
    );
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    // The formula holds, but for runs q other than those of the strategy.
    let (place, code, document) = with_strategy(DELAYED, "forall p. exists q. G (low[q] = low[p])");
    assert_eq!(code, ExitCode::Undecided);
    let result = &document["results"][0];
    assert_eq!(
        (&result["verdict"], &result["reason"]),
        (&json!("unknown"), &json!("strategy"))
    );
    assert!(!result["traces"].as_array().unwrap().is_empty());
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
}

#[test]
fn the_strategy_that_is_found_is_written_and_wins_when_it_is_read() {
    for formula in [
        "forall p. exists q. G (out[q] = out[p])",
        "forall p q. exists r. G (out[r] = out[q] & low[r] = low[q])",
    ] {
        let (place, out) = asked("leaks.aag", formula);
        let strategy = place.path("out/strategy.aag");
        let text =
            fs::read_to_string(&strategy).unwrap_or_else(|error| panic!("{formula}: {error}"));
        let (_, code, document) = with_strategy(&text, formula);
        assert_eq!(code, ExitCode::Success, "{formula}: {document}\n{text}");
        // A changed strategy file does not certify.
        fs::write(&strategy, text.replacen("aag", "aag ", 1)).unwrap();
        hyperkill(["certify", &out]).expect(ExitCode::Evidence);
    }
}

#[test]
fn leading_traces_are_given_by_a_strategy_that_reads_nothing() {
    // Low toggles at every step.
    let every_other = "aag 1 0 1 1 0\n2 3\n2\no0 low_0\n";
    let formula = "exists p. forall q. G (s[p] <-> Y low[p]) & G F s[p] & G F !s[p]";
    let (place, code, _) = with_strategy(every_other, formula);
    assert_eq!(code, ExitCode::Success);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    let (_, code, _) = with_strategy(every_other, "exists p. forall q. F G s[p] | G s[q]");
    assert_eq!(code, ExitCode::Undecided);
}

#[test]
fn a_file_that_is_no_strategy_is_refused_with_what_is_wrong() {
    let formula = "forall p. exists q. G (low[q] = low[p])";
    for (file, expected) in [
        (
            "aag 1 1 0 1 0\n2\n2\ni0 low_0\n",
            "some inputs and outputs have no names",
        ),
        (
            "aag 1 1 0 1 0\n2\n2\n",
            "without names it should have 2 inputs, and it has 1",
        ),
        (
            "aag 1 1 0 1 0\n2\n2\ni0 low_0\no0 lo_1\n",
            "`lo_1` is no signal of one bit",
        ),
        (
            "aag 1 1 0 1 0\n2\n2\ni0 low_0\no0 s_1\n",
            "`s_1` is no signal of one bit",
        ),
        (
            "aag 1 1 0 1 0\n2\n2\ni0 low_0\no0 low_0\n",
            "`low_0` is of a trace on the wrong side",
        ),
        (
            "aag 1 1 0 1 0\n2\n2\ni0 low_1\no0 low_1\n",
            "`low_1` is of a trace on the wrong side",
        ),
        (
            "aag 1 0 1 1 0\n2 2 2\n2\no0 low_1\n",
            "a latch of a strategy starts with 0 or 1",
        ),
        (
            "aag 1 1 0 3 0\n2\n2\n3\n2\ni0 low_0\no0 low_1\no1 high_1\no2 low_1\n",
            "s.aag: outputs o0 and o2 both choose `low_1`: keep one of them",
        ),
        ("low", "expected"),
    ] {
        let (_, code, document) = with_strategy(file, formula);
        assert_eq!(code, ExitCode::Usage, "{file}");
        let said = document.as_str().unwrap();
        assert!(said.contains(expected), "{file}: {said}");
    }
    let (_, code, _) = with_strategy(DELAYED, "forall p q. G (low[q] = low[p])");
    assert_eq!(code, ExitCode::Undecided);
}
