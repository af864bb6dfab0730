//! External front ends: one that follows the protocol, and many that violate it. Each is a script on the path of a program that the test
//! starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::support::Place;

/// A model in the language `gate`. The language has no other models.
const MODEL: &str = "y = a & b\n";

const DESCRIBE: &str = r#"{ "schema": "hyperkill.frontend/1", "name": "gate", "extensions": ["gate"],
  "operators": [ { "name": "LCR", "summary": "exchanges & and |", "example": "a & b ⇒ a | b" } ] }"#;

/// y = m-or ? a | b : a & b.
const CIRCUIT: &str = "\
aag 8 2 1 1 5
2
4
6 6 6
17
8 4 2
10 5 3
12 11 6
14 8 7
16 15 13
i0 a
i1 b
l0 mut:m-or
o0 y
";

const MUTANTS: &str = r#"{ "schema": "hyperkill.frontend-mutants/1", "mutants": [
  { "id": "m-or", "operator": "LCR", "path": "y", "start": 6, "end": 7, "original": "&", "replacement": "|" },
  { "id": "m-no", "operator": "LCR", "path": "y", "start": 6, "end": 7, "original": "&", "replacement": "+",
    "invalid": "there is no `+`" } ] }"#;

/// A place with the model and a front end. The front end runs these commands for `describe`, `translate` and `mutants`.
fn place(describe: &str, translate: &str, mutants: &str) -> Place {
    let place = Place::with("m.gate", MODEL);
    fs::create_dir(place.path("bin")).unwrap();
    let script = format!(
        "#!/bin/sh\ncase $1 in\ndescribe)\n{describe}\n;;\ntranslate)\n{translate}\n;;\nmutants)\n{mutants}\n;;\nesac\n"
    );
    program(&place, "hyperkill-frontend-gate", &script);
    place
}

fn program(place: &Place, name: &str, script: &str) {
    let path = place.path("bin").join(name);
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The command that prints a text.
fn print(text: &str) -> String {
    format!("cat <<'END'\n{}\nEND", text.trim_end())
}

/// A place with a front end that follows the protocol and reads the model.
fn good() -> Place {
    let reads = "read model; [ \"$model\" = 'y = a & b' ] || exit 9\n";
    let translate = format!("{reads}{}", print(CIRCUIT));
    place(&print(DESCRIBE), &translate, &print(MUTANTS))
}

fn run(place: &Place, args: &[&str]) -> Output {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(place.path("bin")).chain(std::env::split_paths(&path));
    Command::new(env!("CARGO_BIN_EXE_hyperkill"))
        .args(args)
        .current_dir(place.path("."))
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap()
}

/// Returns the output on both streams, after a check of the exit status.
fn said(place: &Place, status: i32, args: &[&str]) -> String {
    let output = run(place, args);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
    text
}

#[test]
fn a_front_end_on_the_path_is_a_language_like_others() {
    let place = good();
    let ran = said(&place, 0, &["run", "m.gate", "-o", "out"]);
    assert!(
        ran.contains("2 mutants") && ran.contains("100.0 %"),
        "{ran}"
    );
    let shown = said(&place, 0, &["show", "m-or", "out"]);
    assert!(
        shown.contains("-y = a & b") && shown.contains("+y = a | b"),
        "{shown}"
    );
    assert!(shown.contains("m.gate:1:7"), "{shown}");
    said(&place, 0, &["certify", "out"]);
    let listed = said(&place, 0, &["list", "m.gate"]);
    assert!(listed.contains("there is no `+`"), "{listed}");
    said(&place, 0, &["list", "m.gate", "--emit", "emitted"]);
    let emitted = fs::read_to_string(place.path("emitted/m-or.gate")).unwrap();
    assert_eq!(emitted, "y = a | b\n");
    let operators = said(&place, 0, &["operators", "--language", "gate"]);
    assert!(operators.contains("exchanges & and |"), "{operators}");
    assert!(said(&place, 0, &["operators"]).contains("exchanges & and |"));
    fs::rename(place.path("m.gate"), place.path("m.txt")).unwrap();
    said(
        &place,
        0,
        &[
            "list",
            "m.txt",
            "--language",
            "gate",
            "--operator",
            "LCR",
            "--nd",
            "a",
        ],
    );
    let unknown = said(&place, 1, &["list", "m.txt"]);
    assert!(unknown.contains("aiger, gate"), "{unknown}");
}

#[test]
fn a_run_is_certified_and_resumed_without_the_front_end_and_the_model() {
    let place = good();
    said(&place, 0, &["run", "m.gate", "-o", "out"]);
    let outcomes = fs::read(place.path("out/outcomes.json")).unwrap();
    fs::remove_file(place.path("m.gate")).unwrap();
    fs::remove_dir_all(place.path("bin")).unwrap();
    said(&place, 0, &["certify", "out"]);
    for name in [
        "digests.json",
        "outcomes.json",
        "suite.json",
        "timings.json",
    ] {
        fs::remove_file(place.path("out").join(name)).unwrap();
    }
    let lock = fs::read_to_string(place.path("out/lock.json")).unwrap();
    fs::write(
        place.path("out/lock.json"),
        lock.replace("finished", "running"),
    )
    .unwrap();
    said(&place, 0, &["resume", "out"]);
    assert!(fs::read(place.path("out/outcomes.json")).unwrap() == outcomes);
    said(&place, 0, &["certify", "out"]);
    let table = place.path("out/sources/4-mutants.json");
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, text.replace("no `+`", "a `+`")).unwrap();
    let found = said(&place, 5, &["certify", "out"]);
    assert!(found.contains("sources/4-mutants.json"), "{found}");
}

#[test]
fn what_needs_a_built_in_language_says_so() {
    let place = good();
    let list = |options: &[&str]| said(&place, 1, &[&["list", "m.gate"], options].concat());
    assert!(list(&["--operator", "X"]).contains("no operator of gate"));
    assert!(list(&["--reset", "a"]).contains("is another program"));
    assert!(list(&["--complete"]).contains("is another program"));
    assert!(list(&["--mut", "x"]).contains("latches of an AIGER file"));
    let specs = said(&place, 1, &["check", "--specs", "m.gate"]);
    assert!(specs.contains("built in"), "{specs}");
    said(&place, 0, &["run", "m.gate", "-o", "out"]);
    let export = said(&place, 1, &["export", "out", "--to", "vcd", "-o", "waves"]);
    assert!(export.contains("built in"), "{export}");
}

#[test]
fn front_ends_that_do_not_do_what_is_agreed_are_refused_with_what_they_did() {
    let (describe, translate, mutants) = (print(DESCRIBE), print(CIRCUIT), print(MUTANTS));
    let (describe, translate, mutants) = (&describe, &translate, &mutants);
    let other = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        print(&text.replace(from, to))
    };
    let model = r#"{"severity":"error","message":"no gate","start":4,"end":5,"help":"use &"}"#;
    let outside = r#"{"severity":"error","message":"far away","start":400,"end":500}"#;
    let fails = |line: &str, status: i32| format!("echo '{line}' >&2; exit {status}");
    let cases: Vec<(Place, i32, &str)> = vec![
        (
            place("echo nonsense", translate, mutants),
            1,
            "JSON that is agreed",
        ),
        (place("exit 3", translate, mutants), 1, "exit status 3"),
        (place("kill -9 $$", translate, mutants), 1, "signal 9"),
        (
            place(
                &other(DESCRIBE, "frontend/1", "frontend/2"),
                translate,
                mutants,
            ),
            1,
            "only `hyperkill.frontend/1` is understood",
        ),
        (
            place(
                &other(DESCRIBE, "\"name\": \"gate\"", "\"name\": \"gaet\""),
                translate,
                mutants,
            ),
            1,
            "calls itself `gaet`",
        ),
        (
            place(
                &other(DESCRIBE, "\"extensions\"", "\"colour\": 1, \"extensions\""),
                translate,
                mutants,
            ),
            1,
            "unknown field `colour`",
        ),
        (
            place(describe, "echo nonsense", mutants),
            1,
            "prints no AIGER file",
        ),
        (
            place(describe, "cat /dev/zero", mutants),
            1,
            "wrote more than",
        ),
        (
            place(describe, &fails("oh dear", 70), mutants),
            1,
            "exit status 70, `oh dear`",
        ),
        (
            place(describe, &fails("oh dear", 4), mutants),
            1,
            "exit status 4, `oh dear`",
        ),
        (place(describe, &fails(model, 4), mutants), 4, "m.gate:1:5"),
        (place(describe, &fails(outside, 4), mutants), 4, "far away"),
        (place(describe, &fails(model, 1), mutants), 1, "no gate"),
        (
            place(describe, translate, "echo '{}'"),
            1,
            "missing field `schema`",
        ),
        (
            place(describe, translate, &other(MUTANTS, "\"m-or\"", "\"m-no\"")),
            1,
            "two mutants called `m-no`",
        ),
        (
            place(
                describe,
                translate,
                &other(MUTANTS, "\"m-or\"", "\"m-xor\""),
            ),
            1,
            "a mutant `m-or` that its table does not have",
        ),
        (
            place(describe, &other(CIRCUIT, "mut:m-or", "hidden"), mutants),
            1,
            "a mutant `m-or` that the circuit does not have",
        ),
        (
            place(
                describe,
                translate,
                &other(
                    MUTANTS,
                    "\"end\": 7, \"original\": \"&\", \"replacement\": \"|\"",
                    "\"end\": 900, \"original\": \"&\", \"replacement\": \"|\"",
                ),
            ),
            1,
            "does not fit the model: at bytes 6..900",
        ),
        (
            place(describe, translate, &other(MUTANTS, "\"LCR\"", "\"ABC\"")),
            1,
            "`ABC`, which it does not describe",
        ),
    ];
    for (place, status, says) in cases {
        let text = said(&place, status, &["list", "m.gate"]);
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[test]
fn a_front_end_that_never_ends_costs_no_more_than_the_time_there_is() {
    let place = place(&print(DESCRIBE), "sleep 1000", &print(MUTANTS));
    let text = said(
        &place,
        3,
        &["run", "m.gate", "--total-timeout", "1s", "-o", "out"],
    );
    assert!(text.contains("--total-timeout"), "{text}");
}

#[test]
fn names_of_languages_are_no_paths_and_two_front_ends_for_one_extension_are_asked_about() {
    let place = good();
    let text = said(&place, 1, &["list", "m.gate", "--language", "../gate"]);
    assert!(text.contains("there is no language"), "{text}");
    let script = DESCRIBE.replace("\"name\": \"gate\"", "\"name\": \"gate-two\"");
    let script = format!("#!/bin/sh\n{}\n", print(&script));
    program(&place, "hyperkill-frontend-gate-two", &script);
    let text = said(&place, 1, &["list", "m.gate"]);
    assert!(text.contains("gate and in gate-two"), "{text}");
    program(&place, "hyperkill-frontend-smv", "#!/bin/sh\nexit 9\n");
    let own = said(&place, 0, &["operators", "--language", "smv"]);
    assert!(own.contains("CBD"), "{own}");
}
