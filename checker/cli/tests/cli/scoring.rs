//! `score`: the mutants of a run that a command or the tests of a file detect.

use serde_json::Value;

use crate::formats::conforms;
use crate::support::{LOCK, Place, Ran, hyperkill};
use hyperkill::ExitCode;

/// A counter to two that states a true invariant and a false one.
const STATED: &str = "\
MODULE main
VAR
  tick : boolean;  -- @input
  level : 0..3;    -- @output
ASSIGN
  init(level) := 0;
  next(level) := case
    tick & level < 2 : level + 1;
    tick : 0;
    TRUE : level;
  esac;
INVARSPEC NAME small := level <= 2;
INVARSPEC NAME wrong := level = 0;
";

/// A lamp that is dark without a request, and may light or stay dark after a request.
const CHOOSING: &str = "\
MODULE main
VAR
  ask : boolean;  -- @input
  lamp : boolean; -- @output
ASSIGN
  init(lamp) := FALSE;
  next(lamp) := case
    ask : {FALSE, TRUE};
    TRUE : FALSE;
  esac;
";

fn place() -> Place {
    let place = Place::with("lock.smv", LOCK);
    let out = place.arg("out");
    hyperkill(["-q", "run", &place.arg("lock.smv"), "-o", &out]).expect(ExitCode::Success);
    place
}

fn score(place: &Place, options: &[&str], script: &str) -> Ran {
    let out = place.arg("out");
    let args = ["--format", "json", "score", &out].into_iter();
    hyperkill(
        args.chain(options.iter().copied())
            .chain(["--", "sh", "-c", script]),
    )
}

fn with_result<'a>(report: &'a Value, result: &str) -> Vec<&'a Value> {
    let mutants = report["mutants"].as_array().unwrap().iter();
    mutants
        .filter(|mutant| mutant["result"] == result)
        .collect()
}

#[test]
fn a_command_kills_the_mutants_on_whose_source_it_fails() {
    let place = place();
    // The command fails for mutants of this line.
    let script = "grep -q 'key = bad : 0;' {mutant}";
    let report = score(&place, &[], script).expect(ExitCode::Failed).json();
    let schema = hyperkill(["schema", "score"])
        .expect(ExitCode::Success)
        .json();
    conforms(&report, &schema, &schema, "score");
    let killed = with_result(&report, "killed");
    assert!(!killed.is_empty());
    for mutant in &killed {
        // The mutant is in this line, or in a construct that begins before it.
        assert!(mutant["place"]["line"].as_u64() <= Some(11), "{mutant:#}");
    }
    let survived = with_result(&report, "survived");
    for mutant in &survived {
        assert!(
            mutant["would_kill"].as_str().unwrap().starts_with("t-"),
            "{mutant:#}"
        );
    }
    let all = killed.len() + survived.len();
    let percent = (killed.len() as f64 / all as f64 * 1000.0).round() / 10.0;
    assert_eq!(report["score"]["low"], percent);
    assert_eq!(report["score"]["high"], percent);
    // Parallel commands give the same report.
    let parallel = score(&place, &["--jobs", "3"], script)
        .expect(ExitCode::Failed)
        .json();
    assert_eq!(parallel, report);
}

#[test]
fn proved_equivalents_are_left_out_and_the_headline_names_the_command() {
    let place = place();
    let (out, outcomes) = (place.arg("out"), place.json("out/outcomes.json"));
    let ran = hyperkill(["score", &out, "--", "sh", "-c", "test -s {folder}/lock.smv"]);
    let text = ran.expect(ExitCode::Failed).text();
    let headline = text.lines().next().unwrap();
    assert!(
        headline.starts_with("`sh -c 'test -s {folder}/lock.smv'` kills 0 of "),
        "{text}"
    );
    let equivalent = outcomes["summary"]["equivalent"].as_u64().unwrap();
    assert!(
        equivalent > 0 && text.contains("proved: no test kills them, left out"),
        "{text}"
    );
    // The score of the run's own suite is not shown.
    assert!(!text.contains("100"), "{text}");
}

#[test]
fn a_command_that_fails_on_the_model_itself_is_no_bench() {
    let place = place();
    let ran = score(&place, &[], "echo no luck >&2; exit 1 # {mutant}").expect(ExitCode::Usage);
    assert!(ran.stderr.contains("no luck"), "{ran:?}");
    let ran = score(&place, &[], "true").expect(ExitCode::Usage);
    assert!(ran.stderr.contains("{mutant}"), "{ran:?}");
    let ran = hyperkill(["score", &place.arg("out")]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("nothing to score"), "{ran:?}");
}

#[test]
fn a_model_is_run_before_its_mutants_are_looked_at() {
    let place = Place::with("lock.smv", LOCK);
    let program = env!("CARGO_BIN_EXE_hyperkill");
    let mut command = std::process::Command::new(program);
    command.current_dir(place.path("."));
    let args = [
        "--format",
        "json",
        "score",
        "lock.smv",
        "--",
        "grep",
        "-q",
        "key = bad : 0;",
    ];
    let ran = command.args(args).arg("{mutant}").output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(!with_result(&report, "killed").is_empty());
    assert!(place.path("hyperkill.out/suite.json").is_file());
}

#[test]
fn a_command_that_does_not_end_has_noticed_the_mutant() {
    let place = place();
    let some = place.json("out/suite.json")["tests"][0]["kills"][0]["mutant"].clone();
    let some = some.as_str().unwrap();
    let script = "case {id} in original) ;; *) sleep 100 # {mutant}\n;; esac";
    let matrix = place.arg("ends.csv");
    let options = [
        "--mutant",
        some,
        "--bench-timeout",
        "300ms",
        "--matrix",
        &matrix,
    ];
    let report = score(&place, &options, script)
        .expect(ExitCode::Success)
        .json();
    assert_eq!(report["counts"]["not_ended"], 1, "{report:#}");
    assert_eq!(report["counts"]["killed"], 0, "{report:#}");
    assert_eq!(
        [&report["score"]["low"], &report["score"]["high"]],
        [100.0, 100.0]
    );
    let mutant = &report["mutants"][0];
    assert_eq!(mutant["result"], "not-ended");
    assert_eq!(mutant["ended"], "no end after 0.3 s");
    let text = std::fs::read_to_string(place.path("ends.csv")).unwrap();
    assert!(text.ends_with(",not-ended,1\n"), "{text}");
}

#[test]
fn a_command_that_only_writes_that_it_fails_is_told_how_to_fail() {
    let place = place();
    let some = place.json("out/suite.json")["tests"][0]["kills"][0]["mutant"].clone();
    let some = some.as_str().unwrap();
    let writes =
        "case {id} in original) echo 0 errors ;; *) echo at 30ns: FAIL # {mutant}\n;; esac";
    let ran = score(&place, &["--mutant", some], writes).expect(ExitCode::Failed);
    assert!(ran.stderr.contains("`at 30ns: FAIL`"), "{ran:?}");
    assert!(ran.stderr.contains("--fail-on"), "{ran:?}");
    let options = ["--mutant", some, "--fail-on", "FAIL$"];
    let ran = score(&place, &options, writes).expect(ExitCode::Success);
    assert_eq!(ran.json()["counts"]["killed"], 1, "{ran:?}");
    assert!(!ran.stderr.contains("warning"), "{ran:?}");
    let options = ["--mutant", some, "--fail-on", "errors"];
    let ran = score(&place, &options, writes).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("`0 errors`"), "{ran:?}");
    // The command prints the same line for the model.
    let ran = score(&place, &["--mutant", some], "echo error # {mutant}").expect(ExitCode::Failed);
    assert!(ran.stderr.contains("noticed no mutant"), "{ran:?}");
}

#[test]
fn the_matrix_has_a_row_for_each_mutant_and_a_column_for_each_test() {
    let place = place();
    let (out, matrix) = (place.arg("out"), place.arg("matrix.csv"));
    let suite = place.arg("out/suite.json");
    let args = [
        "--format", "json", "score", &out, "--suite", &suite, "--matrix", &matrix,
    ];
    let report = hyperkill(args).expect(ExitCode::Success).json();
    assert_eq!(report["score"]["low"], 100.0, "{report:#}");
    let text = std::fs::read_to_string(place.path("matrix.csv")).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.starts_with("mutant,operator,file,line,column,verdict,result,t-001"));
    let columns = header.split(',').count();
    assert_eq!(
        lines.clone().count(),
        report["mutants"].as_array().unwrap().len()
    );
    assert!(
        lines.all(|line| line.split(',').count() == columns),
        "{text}"
    );
    // The kills in the suite's document are found again.
    for test in place.json("out/suite.json")["tests"].as_array().unwrap() {
        for kill in test["kills"].as_array().unwrap() {
            let mut mutants = report["mutants"].as_array().unwrap().iter();
            let mutant = mutants
                .find(|mutant| mutant["mutant"] == kill["mutant"])
                .unwrap();
            let killed_by = mutant["killed_by"].as_array().unwrap();
            assert!(killed_by.contains(&test["id"]), "{mutant:#}");
        }
    }
}

#[test]
fn inputs_as_csv_are_tests_too() {
    let place = place();
    let out = place.arg("out");
    let file = place.path("mine.csv");
    std::fs::write(&file, "key\ngood\ngood\n\nbad\nnone\n").unwrap();
    let args = [
        "--format",
        "json",
        "score",
        &out,
        "--suite",
        &place.arg("mine.csv"),
    ];
    let report = hyperkill(args).expect(ExitCode::Failed).json();
    assert_eq!(report["tests"].as_array().unwrap().len(), 2);
    for (wrong, why) in [
        ("key,no\ngood,1\n", "there is no input `no`"),
        ("key\nsilver\n", "`key` cannot be silver"),
        ("key\ngood,bad\n", "2 cells in 1 columns"),
        ("", "no input"),
    ] {
        std::fs::write(&file, wrong).unwrap();
        let ran = hyperkill(args).expect(ExitCode::Usage);
        assert!(ran.stderr.contains(why), "{wrong}: {ran:?}");
    }
}

#[test]
fn properties_of_the_model_notice_the_mutants_that_break_them() {
    let place = Place::with("lock.smv", STATED);
    let out = place.arg("out");
    let model = place.arg("lock.smv");
    hyperkill(["-q", "run", &model, "-o", &out]).expect(ExitCode::Success);
    let args = ["--format", "json", "score", &out, "--specs"];
    let ran = hyperkill(args).expect(ExitCode::Failed);
    assert!(
        ran.stderr
            .contains("wrong: the model itself breaks it; left out"),
        "{ran:?}"
    );
    let report = ran.json();
    let columns = report["tests"].as_array().unwrap();
    assert_eq!(columns.len(), 1, "{report:#}");
    let killed = with_result(&report, "killed");
    assert!(!killed.is_empty(), "{report:#}");
    let survived = with_result(&report, "survived");
    assert!(!survived.is_empty(), "{report:#}");
    // Compared with the same question about the source of each mutant.
    let mutants = place.arg("mutants");
    hyperkill(["-q", "list", &model, "--emit", &mutants]).expect(ExitCode::Success);
    for (mutants, fails) in [(&killed, true), (&survived, false)] {
        for mutant in mutants.iter() {
            let id = mutant["mutant"].as_str().unwrap();
            let file = place.arg(&format!("mutants/{id}.smv"));
            let report = hyperkill(["--format", "json", "verify", &file, "--specs"]).json();
            let mut results = report["results"].as_array().unwrap().iter();
            let result = results.find(|result| result["name"] == columns[0]).unwrap();
            assert_eq!(result["verdict"] == "fails", fails, "{mutant:#} {report:#}");
        }
    }
}

#[test]
fn kills_that_the_mutant_may_avoid_are_counted_apart() {
    let place = Place::with("lamp.smv", CHOOSING);
    let out = place.arg("out");
    hyperkill(["-q", "run", &place.arg("lamp.smv"), "-o", &out]).expect(ExitCode::Success);
    let args = |format: &'static str| ["--format", format, "score", &out, "--suite", &out];
    let report = hyperkill(args("json")).json();
    let killed = with_result(&report, "killed");
    let possibly = killed.iter().filter(|m| m["strength"] == "potential");
    let possibly = possibly.count();
    assert!(0 < possibly && possibly <= killed.len(), "{report:#}");
    let text = hyperkill(args("human")).text();
    let mut lines = text.lines().map(str::trim_start);
    let row = lines.find_map(|line| line.strip_prefix("killed, possibly"));
    let counted = row.and_then(|row| row.split_whitespace().next());
    let possibly = possibly.to_string();
    assert_eq!(counted, Some(possibly.as_str()), "{text}");
}
