//! `verify`: properties of a model. `check` answers the same questions for one more release, and names `verify`.

use hyperkill::ExitCode;

use crate::support::{LOCK, Place, TOGGLE, hyperkill};

/// A counter of two bits that goes 0, 1, 2, 0: b0 is reached after two steps, b1 never.
const COUNTER: &str = "\
aag 6 1 2 0 3 2
2
4 8
6 10
6
12
8 5 7
10 4 7
12 4 6
i0 unused
b0 two
b1 three
";

/// The same with a mutant that goes from 1 to 3.
const MUTATED: &str = "\
aag 8 1 3 1 4 2
2
4 12
6 14
8 8 8
4
6
16
10 9 4
12 11 7
14 7 4
16 6 4
i0 unused
l1 high
l2 mut:jump
o0 low
b0 two
b1 three
";

const SPECS: &str = "\
MODULE main
IVAR go : boolean;
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := case go & n < 2 : n + 1; TRUE : n; esac;
INVARSPEC n < 3
INVARSPEC n < 2
";

const REFINES: &str = "forall p. exists q. G mut[p] -> G (!mut[q] & I[q] = I[p] & O[q] = O[p])";

#[test]
fn check_answers_the_questions_of_verify_alike_and_says_where_they_belong() {
    let place = Place::with("toggle.aag", TOGGLE);
    std::fs::write(place.path("counter.aag"), COUNTER).unwrap();
    std::fs::write(place.path("old.aag"), "aag 1 1 0 2 0\n2\n2\n0\n").unwrap();
    std::fs::write(place.path("specs.smv"), SPECS).unwrap();
    std::fs::write(place.path("f.hltl"), REFINES).unwrap();
    let [toggle, counter, old, specs, formula] = [
        "toggle.aag",
        "counter.aag",
        "old.aag",
        "specs.smv",
        "f.hltl",
    ]
    .map(|name| place.arg(name));
    for question in [
        &[&*toggle, "--formula", REFINES][..],
        &[&toggle, "--formula", REFINES, "--mutant", "same"],
        &[&toggle, "--formula-file", &formula, "--sample", "2"],
        &[&toggle, "--formula", "exists p. G mut[q]"],
        &[&toggle, "--formula", REFINES, "--bound", "2"],
        &[&counter],
        &[&counter, "--bound", "1", "--engine", "bmc"],
        &[&counter, "--bound", "1", "--accept", "unknown"],
        &[&old],
        &[&specs, "--specs"],
        &[&specs, "--totality"],
        &[&counter, "--specs"],
    ] {
        for format in ["human", "json"] {
            let ask = |command: &str| {
                let args = [command, "--format", format].into_iter();
                hyperkill(args.chain(question.iter().copied()))
            };
            let (new, old) = (ask("verify"), ask("check"));
            assert_eq!(new.code, old.code, "{question:?} {new:?} {old:?}");
            assert_eq!(new.text(), old.text(), "{question:?}");
            assert!(!new.stderr.contains("release"), "{new:?}");
            let is_malformed = question.contains(&"exists p. G mut[q]");
            let says = old
                .stderr
                .contains("`hyperkill verify`, with the same options");
            assert!(says != is_malformed, "{question:?} {old:?}");
        }
    }
}

#[test]
fn deciding_mutants_is_no_question_for_verify_and_nothing_is_said() {
    let place = Place::with("toggle.aag", TOGGLE);
    let file = place.arg("toggle.aag");
    let phi1 = "exists a. exists b. G (mut[b] & !mut[a] & I[b] = I[a]) & F O[a] != O[b]";
    for more in [&[][..], &["--property", "phi2"], &["--formula", phi1]] {
        let ran = hyperkill(["check", &file].iter().chain(more));
        let ran = ran.expect(ExitCode::Success);
        assert!(!ran.stderr.contains("verify"), "{ran:?}");
    }
}

#[test]
fn a_killing_formula_is_a_formula_like_others_to_verify() {
    let place = Place::with("toggle.aag", TOGGLE);
    let file = place.arg("toggle.aag");
    let phi1 = "exists a. exists b. G (mut[b] & !mut[a] & I[b] = I[a]) & F O[a] != O[b]";
    let ask = |mutant: &str| {
        let question = ["verify", &file, "--formula", phi1, "--mutant", mutant];
        hyperkill(question.into_iter().chain(["--format", "json"]))
    };
    let holds = ask("flip").expect(ExitCode::Success).json();
    assert_eq!(holds["results"][0]["verdict"], "holds");
    assert_eq!(holds["results"][0]["property"], "formula");
    let fails = ask("same").expect(ExitCode::Failed).json();
    assert_eq!(fails["results"][0]["verdict"], "fails");
}

#[test]
fn a_counter_that_a_formula_does_not_mention_may_count_for_as_long_as_it_likes() {
    let counter = "MODULE main VAR c : 0..8191; b : boolean; ASSIGN init(c) := 0; next(c) := (c + 1) mod 8192;
        LTLSPEC F G b";
    let place = Place::with("counter.smv", counter);
    let file = place.arg("counter.smv");
    for asked in [&["--specs"][..], &["--formula", "exists p. G F b[p]"]] {
        let args = ["verify", &file, "--format", "json"].into_iter();
        let ran = hyperkill(args.chain(asked.iter().copied()));
        let said = ran.json();
        let verdict = if asked.len() == 1 { "fails" } else { "holds" };
        assert_eq!(said["results"][0]["verdict"], verdict, "{}", ran.stderr);
    }
    // Expansion closes the loop only in the latches that the formula depends on, and so does the certifier.
    let (formula, out) = (["--formula", "exists p. G b[p]"], place.arg("out"));
    let args = ["verify", &file, "--engine", "exists-forall", "-o", &out];
    hyperkill(args.iter().chain(&formula)).expect(ExitCode::Success);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

#[test]
fn inputs_left_out_of_a_comparison_exist_and_may_be_named_twice() {
    let place = Place::with("toggle.aag", TOGGLE);
    let file = place.arg("toggle.aag");
    let other = format!("q={file}");
    let ask = |formula: &str, more: &[&str]| {
        let args = ["verify", &file, "--formula", formula].into_iter();
        hyperkill(args.chain(more.iter().copied()))
    };
    let unknown = "forall p. forall q. G I[p] = I[q] except {nobody}";
    ask(unknown, &["--system", &other]).expect(ExitCode::Usage);
    ask(unknown, &[]).expect(ExitCode::Usage);
    let ran = ask(unknown, &["--system", &other, "--system", &other]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("given twice"), "{}", ran.stderr);
}

#[test]
fn options_that_say_nothing_about_a_question_are_refused_with_it() {
    let place = Place::with("toggle.aag", TOGGLE);
    std::fs::write(place.path("counter.aag"), COUNTER).unwrap();
    std::fs::write(place.path("lock.smv"), LOCK).unwrap();
    let [toggle, counter, lock] =
        ["toggle.aag", "counter.aag", "lock.smv"].map(|name| place.arg(name));
    for (question, named) in [
        (&[&*toggle, "--fail-under", "9"][..], "--fail-under"),
        (
            &[&toggle, "--formula", REFINES, "--tests", "tree"],
            "--tests",
        ),
        (&[&lock, "--specs", "--out", "x"], "--formula"),
        (&[&toggle, "--property", "phi1"], "--property"),
        (
            &[&toggle, "--formula", REFINES, "--witness", "w"],
            "--witness",
        ),
        (
            &[&toggle, "--formula", REFINES, "--external", "prove {model}"],
            "--external",
        ),
        (&[&lock, "--totality", "--witness", "w"], "--witness"),
        (&[&lock, "--totality", "--specs"], "--specs"),
        (&[&lock, "--specs", "--formula", REFINES], "--specs"),
        (&[&counter, "--mutant", "flip"], "--formula"),
        (&[&counter, "--sample", "1"], "--formula"),
        (&[&lock], "verify --specs"),
    ] {
        let ran = hyperkill(["verify"].iter().chain(question)).expect(ExitCode::Usage);
        assert!(ran.stderr.contains(named), "{question:?} {ran:?}");
    }
}

#[test]
fn a_file_with_nothing_to_verify_is_not_verified() {
    let place = Place::with("toggle.aag", TOGGLE);
    // A circuit with a choice has outputs to observe, so this output is not a bad state.
    std::fs::write(
        place.path("observed.aag"),
        "aag 3 1 1 1 1\n2\n4 6\n6\n6 5 2\ni0 nd:x\n",
    )
    .unwrap();
    let ran = hyperkill(["verify", &place.arg("toggle.aag")]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("nothing to verify"), "{ran:?}");
    assert!(ran.stderr.contains("`hyperkill check "), "{ran:?}");
    let ran = hyperkill(["verify", &place.arg("observed.aag")]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--formula"), "{ran:?}");
}

#[test]
fn the_bad_states_of_a_file_with_mutants_are_those_of_the_original() {
    let place = Place::with("plain.aag", COUNTER);
    std::fs::write(place.path("mutated.aag"), MUTATED).unwrap();
    let (plain, mutated) = (place.arg("plain.aag"), place.arg("mutated.aag"));
    let ask = |file: &str| {
        let ran = hyperkill(["verify", file, "--format", "json"]);
        let report = ran.expect(ExitCode::Failed).json();
        let results = report["results"].as_array().unwrap().clone();
        let answer = |key: &str| -> Vec<_> { results.iter().map(|r| r[key].clone()).collect() };
        (answer("property"), answer("verdict"), answer("steps"))
    };
    assert_eq!(ask(&plain), ask(&mutated));
    let evidence = place.arg("evidence");
    hyperkill(["verify", &mutated, "--witness", &evidence]).expect(ExitCode::Failed);
    let witness = std::fs::read_to_string(place.path("evidence/b0.witness")).unwrap();
    assert_eq!(witness.lines().nth(2), Some("000"), "{witness}");
    // The mutant reaches a state that the original does not reach.
    for (kind, code) in [("mut", ExitCode::Success), ("!mut", ExitCode::Failed)] {
        let reaches = format!("exists p. G {kind}[p] & F (low[p] & high[p])");
        hyperkill(["verify", &mutated, "--formula", &reaches]).expect(code);
    }
}

/// Runs end after two steps: the constraint is violated where `first` and `second` are both 0.
const ENDS: &str = "\
aag 4 1 2 1 1 0 1
2
4 0 1
6 4 0
6
9
8 5 7
i0 in
l0 first
l1 second
o0 late
";

#[test]
fn finite_or_infinite_is_what_the_user_says_and_not_how_a_formula_is_spelled() {
    let place = Place::with("ends.aag", ENDS);
    std::fs::write(place.path("toggle.aag"), TOGGLE).unwrap();
    let [ends, toggle] = ["ends.aag", "toggle.aag"].map(|name| place.arg(name));
    let ask = |command: &str, question: &[&str]| {
        let args = [command, "--format", "json"].into_iter();
        hyperkill(args.chain(question.iter().copied()))
    };
    let verdict = |question: &[&str], reading: &str| {
        let ran = ask("verify", question);
        let report = ran.json();
        assert_eq!(report["reading"], reading, "{ran:?}");
        report["results"][0]["verdict"].as_str().unwrap().to_owned()
    };
    for (formula, finite) in [
        ("exists p. F late[p]", "holds"),
        ("exists p. G first[p]", "holds"),
        ("exists p. G late[p] & F late[p]", "fails"),
        ("forall p. G !late[p]", "fails"),
        ("forall p. F first[p]", "holds"),
        ("forall p. F late[p]", "fails"),
    ] {
        let asked = [&*ends, "--bound", "5", "--formula", formula];
        let with = |traces| [&asked[..], &["--traces", traces]].concat();
        assert_eq!(verdict(&with("finite"), "finite"), finite, "{formula}");
        let infinite = verdict(&with("infinite"), "infinite");
        assert_eq!(verdict(&asked, "infinite"), infinite, "{formula}");
        // There is no infinite trace, so `exists` is false and `forall` is true.
        let excluded = if formula.starts_with("exists") {
            "holds"
        } else {
            "fails"
        };
        assert_ne!(infinite, excluded, "{formula}");
    }
    // Finite traces end, and the formula does not constrain later steps.
    let args = ["verify", &ends, "--formula", "exists p. F late[p]"];
    let ran = hyperkill(args.into_iter().chain(["--traces", "finite"]));
    let text = ran.expect(ExitCode::Success).text();
    assert!(
        text.contains("within 2 steps") && !text.contains('…'),
        "{text}"
    );
    // `check` takes a killing formula as a question about tests, except on infinite traces.
    let phi1 = "exists a. exists b. G (mut[b] & !mut[a] & I[b] = I[a]) & F O[a] != O[b]";
    let kills = [&*toggle, "--formula", phi1, "--mutant", "flip"];
    for (command, traces, property) in [
        ("check", &[][..], "phi1"),
        ("check", &["--traces", "finite"], "phi1"),
        ("check", &["--traces", "infinite"], "formula"),
        ("verify", &[], "formula"),
        ("verify", &["--traces", "finite"], "formula"),
    ] {
        let ran = ask(command, &[&kills[..], traces].concat()).expect(ExitCode::Success);
        assert_eq!(
            ran.json()["results"][0]["property"],
            property,
            "{command} {traces:?}"
        );
    }
    let ran = ask(
        "check",
        &[&toggle, "--property", "phi1", "--traces", "infinite"],
    );
    assert!(
        ran.expect(ExitCode::Usage)
            .stderr
            .contains("tests are finite")
    );
    let ran = ask("verify", &[&toggle, "--traces", "finite"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--formula"), "{ran:?}");
}

const EXPLAINED_FORMULA: &str = "\
formula   forall p. exists q. G mut[p] -> G (!mut[q] & I[q] = I[p] & O[q] = O[p])
prefix    forall p (mutant), exists q (original)
fragment  ∀*∃*
negation  exists p. forall q. !(G mut[p] -> G (!mut[q] & I[q] = I[p] & O[q] = O[p])), which is ∃*∀*
traces    infinite
mutants   flip, stuck
bound     5 steps

The formula, turn 1
";

#[test]
fn what_a_formula_comes_down_to_is_explained_and_nothing_is_decided() {
    let place = Place::with("toggle.aag", TOGGLE);
    let toggle = place.arg("toggle.aag");
    let asked = ["verify", &toggle, "--formula", REFINES, "--explain"];
    let more = ["--bound", "5", "--mutant", "flip", "--mutant", "stuck"];
    let ran = hyperkill(asked.iter().chain(&more)).expect(ExitCode::Success);
    let text = ran.text();
    assert!(text.starts_with(EXPLAINED_FORMULA), "{text}");
    assert!(text.contains("\nA way to copy, turn 1\n"), "{text}");
    assert!(!text.contains("holds") && !text.contains("fails"), "{text}");
    // A formula about the original needs no mutant; `check` passes the question on.
    let original = "exists p. G !mut[p] & F lamp[p]";
    for command in ["verify", "check"] {
        let args = [command, &toggle, "--formula", original, "--explain"];
        let ran = hyperkill(args).expect(ExitCode::Success);
        let text = ran.text();
        assert!(text.contains("exists p (original)"), "{text}");
        assert!(
            !text.contains("negation") && !text.contains("mutants"),
            "{text}"
        );
    }
}

const EXPLAINED_COUNTER: &str = "\
asked  b0 (two), b1 (three)

A bad state, turn 1
";

#[test]
fn how_bad_states_are_looked_for_is_explained_and_nothing_is_decided() {
    let place = Place::with("counter.aag", COUNTER);
    let (counter, folder) = (place.arg("counter.aag"), place.arg("evidence"));
    let args = ["verify", &counter, "--explain", "--witness", &folder];
    let ran = hyperkill(args).expect(ExitCode::Success);
    let text = ran.text();
    assert!(text.starts_with(EXPLAINED_COUNTER), "{text}");
    assert!(text.contains("property-directed reachability"), "{text}");
    assert!(
        !text.contains("other programs") && !text.contains("k-induction"),
        "{text}"
    );
    assert!(!place.path("evidence").exists());
    let other = ["--external", "true {model}"];
    let ran = hyperkill(args.iter().chain(&other)).expect(ExitCode::Success);
    assert!(ran.text().contains("other programs"), "{}", ran.text());
    std::fs::write(place.path("specs.smv"), SPECS).unwrap();
    let specs = place.arg("specs.smv");
    let ran = hyperkill(["verify", &specs, "--specs", "--explain"]).expect(ExitCode::Success);
    assert!(ran.text().starts_with("asked  b0"), "{}", ran.text());
    let ran = hyperkill(["verify", &specs, "--totality", "--explain"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--totality"), "{}", ran.stderr);
}
