//! Tests of a suite as SMV files.

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill};

/// A lamp that a button toggles, in a module, and a word that counts how often.
const LAMP: &str = "\
MODULE main
VAR press : boolean; l : lamp(press);
MODULE lamp(press)
VAR on : boolean; n : unsigned word[2];
ASSIGN
  init(on) := FALSE; init(n) := 0ud2_0;
  next(on) := on xor press;
  next(n) := press ? n + 0ud2_1 : n;
";

#[test]
fn exported_tests_hold_of_their_model_and_a_killed_mutant_fails_one() {
    let place = Place::with("lamp.smv", LAMP);
    let (model, out) = (place.arg("lamp.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let (suite, tests) = (place.arg("out/suite.json"), place.arg("tests"));
    let export = ["export", &suite, &model, "--to", "smv", "-o", &tests];
    hyperkill(export).expect(ExitCode::Success);
    let mut failing = 0;
    let mut count = 0;
    for entry in std::fs::read_dir(place.path("tests")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.to_string_lossy().into_owned();
        hyperkill(["check", "--specs", &file]).expect(ExitCode::Success);
        count += 1;
        // The same monitor in the source of a mutant.
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("(hyperkill-step = 0 -> l.n = 0ud2_0)"),
            "{text}"
        );
        std::fs::write(&path, text.replace("on xor press", "on & press")).unwrap();
        let checked = hyperkill(["check", "--specs", &file]);
        failing += usize::from(checked.code == ExitCode::Failed);
    }
    assert!(count > 0 && failing > 0, "{failing} of {count}");
}

#[test]
fn a_suite_of_another_model_is_not_exported() {
    let place = Place::with("lamp.smv", LAMP);
    let (model, out) = (place.arg("lamp.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    std::fs::write(place.path("lamp.smv"), LAMP.replace("xor", "|")).unwrap();
    let (suite, tests) = (place.arg("out/suite.json"), place.arg("tests"));
    let ran = hyperkill(["export", &suite, &model, "--to", "smv", "-o", &tests]);
    assert!(ran.expect(ExitCode::Usage).stderr.contains("another model"));
}
