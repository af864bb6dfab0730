//! `exec`: verdicts on programs that follow the protocol, and on programs that violate it.

use std::process::Command;

use serde_json::Value;

use crate::formats::conforms;
use crate::support::{Place, Ran, hyperkill};
use hyperkill::ExitCode;

/// A lamp that every press toggles.
const LAMP: &str = "\
MODULE main
VAR
  press : boolean;  -- @input
  lamp : boolean;   -- @output
ASSIGN
  init(lamp) := FALSE;
  next(lamp) := press ? !lamp : lamp;
";

/// The same lamp as a shell script.
const SHELL: &str = concat!(
    "lamp=FALSE; while read line; do ",
    r#"echo "{\"lamp\":\"$lamp\"}"; "#,
    r#"case "$line" in *TRUE*) case $lamp in TRUE) lamp=FALSE;; *) lamp=TRUE;; esac;; esac; "#,
    "done"
);

fn place() -> Place {
    let place = Place::with("lamp.smv", LAMP);
    let out = place.arg("out");
    hyperkill(["-q", "run", &place.arg("lamp.smv"), "-o", &out]).expect(ExitCode::Success);
    place
}

fn exec(place: &Place, options: &[&str], script: &str) -> Ran {
    let out = place.arg("out");
    let before = ["exec", &out].into_iter().chain(options.iter().copied());
    hyperkill(before.chain(["--", "sh", "-c", script]))
}

#[test]
fn a_program_that_does_what_the_model_does_passes() {
    let place = place();
    let ran = exec(&place, &[], SHELL).expect(ExitCode::Success);
    assert!(ran.text().contains("  pass"), "{ran:?}");
    assert!(!ran.text().contains("fail"), "{ran:?}");
    // The suite with the model, without the run.
    let (suite, model) = (place.arg("out/suite.json"), place.arg("lamp.smv"));
    let args = ["exec", &model, "--suite", &suite, "--", "sh", "-c", SHELL];
    hyperkill(args).expect(ExitCode::Success);
    hyperkill(["exec", &model, "--", "sh", "-c", SHELL]).expect(ExitCode::Usage);
}

#[test]
fn a_program_that_does_something_else_fails_with_what_was_seen() {
    let place = place();
    let dead = SHELL.replace("lamp=TRUE", "lamp=FALSE");
    let ran = exec(&place, &[], &dead).expect(ExitCode::Failed);
    assert!(ran.text().contains("saw lamp=FALSE"), "{ran:?}");
    assert!(ran.text().contains("expected lamp=TRUE"), "{ran:?}");
}

#[test]
fn whoever_does_not_keep_to_the_protocol_is_an_error_and_never_a_pass() {
    let place = place();
    let says = |answer: &str| format!("while read a; do echo '{answer}'; done");
    // All answers are correct, but the process then ends badly or not at all.
    let [bad_end, no_end] = ["exit 7", "sleep 100"].map(|end| format!("{SHELL}; {end}"));
    let cases = [
        ("exit 3".to_owned(), "ended"),
        ("read a; echo 5".to_owned(), "malformed"),
        (says(r#"{"lamp":"FALSE","more":1}"#), "malformed"),
        (says("{}"), "malformed"),
        (says(r#"{"lamp":"dim"}"#), "malformed"),
        (
            "while read a; do printf '\\377\\n'; done".to_owned(),
            "malformed",
        ),
        ("sleep 100".to_owned(), "time-out"),
        (bad_end, "ended"),
        (no_end, "time-out"),
    ];
    for (script, reason) in cases {
        let limit = match reason {
            "time-out" => "300ms",
            _ => "60s",
        };
        let options = ["--format", "json", "--step-timeout", limit];
        let report = exec(&place, &options, &script).expect(ExitCode::Undecided);
        let report = report.json();
        assert_eq!(report["tests"]["pass"], 0, "{script}: {report:#}");
        for test in report["results"].as_array().unwrap() {
            assert_eq!(test["verdict"], "error", "{script}: {report:#}");
            assert_eq!(test["runs"][0]["reason"], reason, "{script}: {report:#}");
        }
    }
    let out = place.arg("out");
    let ran = hyperkill(["exec", &out, "--", "/there/is/no/such/program"]);
    let ran = ran.expect(ExitCode::Undecided);
    assert!(ran.text().contains("cannot be started"), "{ran:?}");
}

#[test]
fn programs_that_end_at_the_same_time_keep_their_exit_statuses() {
    let place = place();
    let out = place.arg("out");
    // A separate process adopts what its programs leave. It must not collect the status of another program.
    let script = format!("{SHELL}; exit 7");
    let options = ["exec", &out, "--jobs", "4", "--repeat", "40"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperkill"));
    command.args(options).args(["--format", "json", "--"]);
    let ran = command.args(["sh", "-c", &script]).output().unwrap();
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["runs"]["pass"], 0, "{report:#}");
    for test in report["results"].as_array().unwrap() {
        for run in test["runs"].as_array().unwrap() {
            let message = "after the last answer: exit status 7";
            assert_eq!(run["message"], message, "{report:#}");
        }
    }
}

#[test]
fn one_program_serves_all_tests_if_it_can_be_reset() {
    let place = place();
    let with_reset = SHELL.replace(
        "while read line; do ",
        "while read line; do if [ \"$line\" = '\"reset\"' ]; then lamp=FALSE; echo '\"reset\"'; continue; fi; ",
    );
    exec(&place, &["--reset", "--repeat", "3"], &with_reset).expect(ExitCode::Success);
    // A program that cannot reset must not pass silently.
    let ran = exec(&place, &["--reset", "--format", "json"], SHELL).expect(ExitCode::Undecided);
    assert_eq!(ran.json()["tests"]["pass"], 0);
}

#[test]
fn reports_are_as_their_schema_says_and_as_junit_has_them() {
    let place = place();
    let schema = hyperkill(["schema", "exec"])
        .expect(ExitCode::Success)
        .json();
    let junit = place.arg("junit.xml");
    for (script, tag) in [
        (SHELL.to_owned(), "/>"),
        (
            SHELL.replace("lamp=TRUE", "lamp=FALSE"),
            "<failure message=",
        ),
        ("exit 1".to_owned(), "<error message="),
    ] {
        let options = ["--format", "json", "--junit", &junit];
        let report = exec(&place, &options, &script).json();
        conforms(&report, &schema, &schema, "exec");
        let text = std::fs::read_to_string(place.path("junit.xml")).unwrap();
        assert!(text.contains(tag), "{text}");
        assert!(text.starts_with("<?xml"), "{text}");
    }
}

#[test]
fn a_run_has_its_own_copy_of_the_model_and_another_version_of_it_is_refused() {
    let place = place();
    std::fs::write(place.path("lamp.smv"), LAMP.replace("FALSE", "TRUE")).unwrap();
    exec(&place, &[], SHELL).expect(ExitCode::Success);
    let changed = place.arg("lamp.smv");
    let ran = exec(&place, &["--model", &changed], SHELL).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("has changed"), "{ran:?}");
}

#[test]
fn a_test_is_chosen_by_its_id() {
    let place = place();
    let ran = exec(&place, &["--test", "t-001", "--format", "json"], SHELL);
    assert_eq!(ran.json()["tests"]["pass"], 1);
    exec(&place, &["--test", "t-999"], SHELL).expect(ExitCode::Usage);
}

/// A button that shows a light after 1 to 2 units.
const BUTTON: &str = r#"<nta><declaration>chan press, light;</declaration><template><name>Button</name>
<declaration>clock x;</declaration><location id="dark"/>
<location id="lighting"><label kind="invariant">x &lt;= 2</label></location><location id="lit"/><init ref="dark"/>
<transition><source ref="dark"/><target ref="lighting"/><label kind="synchronisation">press?</label>
<label kind="assignment">x = 0</label></transition>
<transition><source ref="lighting"/><target ref="lit"/><label kind="guard">x &gt;= 1</label>
<label kind="synchronisation">light!</label></transition></template><system>system Button;</system></nta>"#;

/// The same button as a shell script with virtual time: `$1` is the time of the light.
const TOLD: &str = concat!(
    "state=dark; while read line; do left=${line#*:}; left=${left%?}; case \"$state $line\" in ",
    r#"*reset*) state=dark; echo '"reset"';; "#,
    r#"dark*press*) state=lighting; echo '{"given":true}';; "#,
    r#"*press*) echo '{"given":false}';; "#,
    r#"*:0}) echo '{"waited":0}';; "#,
    r#"lighting*) state=lit; echo "{\"waited\":$1,\"output\":\"light\"}";; "#,
    r#"*) echo "{\"waited\":$left}";; esac; done"#
);

#[test]
fn tests_at_moments_are_run_in_virtual_time_without_a_clock() {
    let place = Place::with("button.xml", BUTTON);
    let (model, out) = (place.arg("button.xml"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out, "-q", "-q"]).expect(ExitCode::Success);
    let exec = |options: &[&str], when: &str| {
        let before = ["exec", &out].into_iter().chain(options.iter().copied());
        hyperkill(before.chain(["--", "sh", "-c", TOLD, "button", when]))
    };
    let refused = exec(&[], "1").expect(ExitCode::Usage);
    assert!(refused.stderr.contains("--virtual-time"), "{refused:?}");
    exec(&["--virtual-time", "--time-scale", "1s"], "1").expect(ExitCode::Usage);
    let passed = exec(&["--virtual-time", "--format", "json"], "1").expect(ExitCode::Success);
    assert!(passed.json()["tests"]["pass"].as_u64() > Some(0));
    let report = exec(&["--virtual-time", "--format", "json"], "0").expect(ExitCode::Failed);
    let schema = hyperkill(["schema", "exec"]).expect(ExitCode::Success);
    let schema = schema.json();
    conforms(&report.json(), &schema, &schema, "exec");
    let early = exec(&["--virtual-time", "--reset"], "0").expect(ExitCode::Failed);
    assert!(early.text().contains("`light` came at 0"), "{early:?}");
    // A negative delay is impossible.
    let error = exec(&["--virtual-time", "--format", "json"], "-1").expect(ExitCode::Undecided);
    assert!(error.json()["tests"]["error"].as_u64() > Some(0));
}

#[test]
fn options_about_time_are_refused_where_tests_have_no_times() {
    let place = place();
    for option in [
        &["--virtual-time"][..],
        &["--time-scale", "1s"],
        &["--tolerance", "1s"],
    ] {
        let refused = exec(&place, option, SHELL).expect(ExitCode::Usage);
        assert!(refused.stderr.contains(option[0]), "{refused:?}");
    }
}
