//! Malformed input of every kind: a located message, exit status 4 or 1, and unchanged results of earlier runs.

use hyperkill::ExitCode;

use crate::support::{LOCK, Place, TOGGLE, contents, hyperkill, hyperkill_with};

/// Runs a malformed model over a folder with earlier results, and returns the messages.
fn refused(name: &str, model: impl AsRef<[u8]>, more: &[&str], code: ExitCode) -> String {
    let place = Place::with(name, model);
    std::fs::write(place.path("good.aag"), TOGGLE).unwrap();
    let (good, bad, out) = (place.arg("good.aag"), place.arg(name), place.arg("out"));
    hyperkill(["run", &good, "--out", &out, "--accept", "unknown"]).expect(ExitCode::Success);
    let before = contents(&place.path(""));
    let args = ["run", &bad, "--out", &out]
        .into_iter()
        .chain(more.iter().copied());
    let ran = hyperkill(args).expect(code);
    assert_eq!(ran.text(), "", "nothing on standard output");
    assert_eq!(contents(&place.path("")), before, "{name}: {}", ran.stderr);
    ran.stderr
}

#[test]
fn malformed_sources_are_located() {
    let head = "MODULE main\nVAR\n  x : 0..2;\n  i : boolean;\nASSIGN\n  init(x) := 0;\n";
    let table = [
        (String::new(), "m.smv is empty"),
        ("MODULE main\nVAR x : {a, b;\n".to_owned(), "m.smv:2:14"),
        (format!("{head}  next(x) := $;\n"), "m.smv:7:14"),
        (format!("{head}  next(x) := y;\n"), "m.smv:7:14"),
        (format!("{head}  next(x) := i;\n"), "m.smv:7:"),
        (format!("{head}  next(x) := i ? x + 1 : x;\n"), "m.smv:7:18"),
        (
            format!("{head}  next(x) := x;\n  next(x) := x;\n"),
            "m.smv:8:",
        ),
        (
            format!("{head}  next(x) := case i : 1; esac;\n"),
            "m.smv:7:14",
        ),
        (
            format!(
                "{head}  next(x) := {}x{};\n",
                "(".repeat(5000),
                ")".repeat(5000)
            ),
            "m.smv:7:",
        ),
    ];
    for (model, place) in table {
        let said = refused("m.smv", &model, &[], ExitCode::InvalidModel);
        assert!(
            said.contains(place),
            "{place} is not in\n{said}\nof\n{}",
            &model[..model.len().min(300)]
        );
    }
    let said = refused(
        "m.smv",
        b"MODULE main\n-- \xff\n",
        &[],
        ExitCode::InvalidModel,
    );
    assert!(said.contains("line 2") && said.contains("UTF-8"), "{said}");
}

#[test]
fn malformed_circuits_are_located() {
    let selectors = |latches: &str, symbols: &str| format!("aag 2 0 2 0 0\n{latches}{symbols}");
    let table: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "is empty"),
        (b"MODULE main\n".to_vec(), "line 1"),
        (b"aag".to_vec(), "line 1"),
        (b"aag 1 1 0 0 0\n".to_vec(), "line 2"),
        (b"aag 4294967295 4294967295 0 0 0\n".to_vec(), "line 1"),
        (b"aag 99999999999999999999 0 0 0 0\n".to_vec(), "line 1"),
        (b"aag 1 1 0 0 0\n2\nwhat\n".to_vec(), "line 3"),
        (b"aag 2 1 0 1 0\n2\n4\n".to_vec(), "line 3"),
        (b"aag 2 2 0 0 0\n2\n2\n".to_vec(), "line 3"),
        (b"aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n".to_vec(), "cycle"),
        (b"aig 3 1 0 1 2\n6\n\x02".to_vec(), "byte"),
        (b"aag 1 1 0 0 0\n2\ni1 x\n".to_vec(), "line 3"),
        (selectors("2 4 2\n4 4\n", "l0 mut\n").into(), "`mut`"),
        (selectors("2 2\n4 4\n", "l0 mut\n").into(), "initialised"),
        (
            selectors("2 2 2\n4 4 4\n", "l0 mut:a\nl1 mut:a\n").into(),
            "second selector",
        ),
        (
            b"aag 0 0 0 0 0\nc\n{\"schema\":\"hyperkill.model/9\"}\n".to_vec(),
            "hyperkill.model/1",
        ),
        (
            b"aag 0 0 0 0 0\nc\n{\"schema\":\"hyperkill.model/1\",\"name\":3}\n".to_vec(),
            "line 1",
        ),
        (b"aag 1 0 1 0 0 0 1\n2 2 2\n0\nl0 mut\n".to_vec(), "no run"),
    ];
    for (circuit, part) in table {
        let shown = String::from_utf8_lossy(&circuit).into_owned();
        let said = refused("m.aag", &circuit, &[], ExitCode::InvalidModel);
        assert!(said.contains(part), "{part} is not in\n{said}\nof\n{shown}");
        let piped = hyperkill_with(["check", "-"], circuit).expect(ExitCode::InvalidModel);
        assert!(piped.stderr.contains(part), "{}", piped.stderr);
    }
}

#[test]
fn every_truncation_of_a_circuit_is_refused_or_read_and_never_fatal() {
    for end in 0..TOGGLE.len() {
        let ran = hyperkill_with(["check", "-", "--bound", "1"], &TOGGLE[..end]);
        let ended_well = [
            ExitCode::InvalidModel,
            ExitCode::Success,
            ExitCode::Undecided,
            // Without symbols the circuit has no mutants, and its outputs are bad states.
            ExitCode::Failed,
        ];
        assert!(ended_well.contains(&ran.code), "{end}: {ran:?}");
    }
}

#[test]
fn unusable_command_lines_are_usage_errors_and_touch_nothing() {
    let table: [(&[&str], &str); 14] = [
        (&["--property", "phi9"], "phi4"),
        (&["--formula", "exists p. G"], "line 1"),
        (&["--formula-file", "/nonexistent/f"], "/nonexistent/f"),
        (&["--tests", "square"], "global"),
        (&["--engine", "strategy"], "comes later"),
        (&["--timeout", "soon"], "90s"),
        (&["--nd", "nothing*"], "matches no input"),
        (&["--outputs", "nothing"], "matches no output"),
        (&["--mut", "latch"], "--mut"),
        (&["--order", "1"], "--order"),
        (&["--in-diff", "x"], "--in-diff"),
        (&["--fail-under", "200"], "0 to 100"),
        (&["--language", "cobol"], "cobol"),
        (&["--inputs", "["], "--inputs"),
    ];
    for (more, part) in table {
        let said = refused("m.smv", LOCK, more, ExitCode::Usage);
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn files_that_are_no_models_are_usage_errors() {
    let place = Place::with("m.smv", LOCK);
    let folder = place.arg("");
    for args in [
        &["run", "/nonexistent/m.smv"][..],
        &["run", &folder, "--language", "smv"],
        &["run", "model.unknown"],
        &["run", "-"],
        &["check", &place.arg("m.smv")],
        &[
            "translate",
            &place.arg("m.smv"),
            "-o",
            "/nonexistent/folder/x.aig",
        ],
        &["frobnicate"],
        &[],
    ] {
        let ran = hyperkill(args).expect(ExitCode::Usage);
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
}
