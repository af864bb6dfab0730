//! External programs as engines. Scripts that lie, babble, crash or hang are never believed; ABC is believed with evidence only.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::support::{Place, TOGGLE, hyperkill, hyperkill_on, verdicts};

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
";

/// Two equal counters. A condition on both is equivalent to a condition on one.
const TWINS: &str = "\
MODULE main
VAR
  go : boolean;   -- @input
  a : 0..3;
  b : 0..3;
  light : boolean;
ASSIGN
  init(a) := 0;
  next(a) := case
    go & a < 3 : a + 1;
    TRUE : a;
  esac;
  init(b) := 0;
  next(b) := case
    go & b < 3 : b + 1;
    TRUE : b;
  esac;
  init(light) := FALSE;
  next(light) := a = 3 & b = 3;
";

/// A place with the counter and a program with this text.
fn place(script: &str) -> Place {
    let place = Place::with("counter.aag", COUNTER);
    write_program(&place, script);
    place
}

fn write_program(place: &Place, script: &str) {
    let path = place.path("program");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The report of a check in which only the program decides. `template` contains the placeholders of files.
fn checked(place: &Place, template: &str, timeout: &str) -> Value {
    let file = place.arg("counter.aag");
    let template = template.replace("PROGRAM", &place.arg("program"));
    let ran = hyperkill([
        "check",
        &file,
        "--engine",
        "external",
        "--external",
        &template,
        "--format",
        "json",
        "--timeout",
        timeout,
        "--jobs",
        "2",
    ]);
    assert!(
        matches!(ran.code, ExitCode::Undecided | ExitCode::Failed),
        "{ran:?}"
    );
    ran.json()
}

/// The verdict on one of the two properties, and its only note.
fn said(report: &Value, property: usize) -> (&str, &str) {
    let result = &report["results"][property];
    let notes = result["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{report}");
    (
        result["verdict"].as_str().unwrap(),
        notes[0].as_str().unwrap(),
    )
}

/// Checks that nothing is decided, and that each note gives the reason.
fn believed_nothing(report: &Value, why: &str) {
    for property in 0..2 {
        let (verdict, note) = said(report, property);
        assert_eq!(verdict, "unknown", "{report}");
        assert!(note.contains(why), "{note} does not say `{why}`");
    }
}

#[test]
fn claims_without_evidence_are_dropped_and_noted() {
    let proof = checked(&place("echo 0; echo b0; echo ."), "PROGRAM {model}", "20s");
    believed_nothing(&proof, "program claims a proof, without a certificate");
    let run = checked(&place("echo 1"), "PROGRAM {model}", "20s");
    believed_nothing(&run, "program claims a run, without a witness");
    let none = checked(&place("echo 2"), "PROGRAM {model}", "20s");
    believed_nothing(&none, "program does not know");
    let by_status = checked(&place("exit 20"), "PROGRAM {model}", "20s");
    believed_nothing(&by_status, "claims a proof, without a certificate");
}

#[test]
fn a_run_is_believed_where_it_leads_and_nowhere_else() {
    // A correct answer for b0, which is reachable, and a wrong one for b1.
    let right = "printf '1\\nb0\\n00\\n0\\n0\\n0\\n.\\n'";
    let report = checked(&place(right), "PROGRAM {model}", "20s");
    assert_eq!(
        said(&report, 0),
        ("fails", "a run of program was followed: 3 steps")
    );
    assert_eq!(report["results"][0]["steps"], 3);
    let (verdict, note) = said(&report, 1);
    assert_eq!(verdict, "unknown");
    assert!(note.contains("does not lead to a bad state"), "{note}");

    for (wrong, why) in [
        (
            "printf '1\\nb0\\n00\\n0\\n0\\n.\\n'",
            "does not lead to a bad state",
        ),
        ("printf '1\\nb0\\n00\\n00\\n.\\n'", "cannot be read: line 4"),
        ("printf '1\\nb0\\n.\\n'", "cannot be read"),
    ] {
        believed_nothing(&checked(&place(wrong), "PROGRAM {model}", "20s"), why);
    }
    let written = "echo 1; printf '1\\nb0\\n00\\n0\\n0\\n0\\n.\\n' >$2";
    let report = checked(&place(written), "PROGRAM {model} {witness}", "20s");
    assert_eq!(said(&report, 0).0, "fails");
}

/// A program that answers with a certificate circuit. `circuit` has the next values of the latches, the bad state and the gates.
fn certifying(circuit: &str) -> Place {
    place(&format!("cat >$2 <<'END'\n{circuit}END\necho 0"))
}

#[test]
fn an_invariant_is_believed_where_it_holds_and_nowhere_else() {
    let template = "PROGRAM {model} {certificate}";
    // It excludes state 3, which suffices.
    let right = "aag 6 1 2 0 3 1\n2\n4 8\n6 10\n12\n8 5 7\n10 4 7\n12 4 6\n";
    let report = checked(&certifying(right), template, "20s");
    assert_eq!(
        said(&report, 1),
        ("holds", "an invariant of program was checked: 1 clause")
    );
    let (verdict, note) = said(&report, 0);
    assert_eq!(verdict, "unknown");
    assert!(
        note.contains("the safety of the invariant does not hold"),
        "{note}"
    );
    // The same with the latches swapped, as the symbol table says.
    let mapped = "aag 6 1 2 0 3 1\n2\n4 8\n6 10\n12\n8 4 7\n10 5 7\n12 4 6\nl0 = 6\nl1 = 4\n";
    let report = checked(&certifying(mapped), template, "20s");
    assert_eq!(said(&report, 1).0, "holds");

    for (wrong, why) in [
        // State 2 is reachable.
        (
            "aag 3 1 2 0 0 1\n2\n4 0\n6 0\n6\n",
            "the preservation of the invariant does not hold",
        ),
        // The invariant excludes the initial state.
        (
            "aag 4 1 2 0 1 1\n2\n4 0\n6 0\n8\n8 5 7\n",
            "the start of the invariant does not hold",
        ),
        ("no circuit\n", "its certificate is no circuit"),
        (
            "aag 4 1 2 0 1 1\n2\n4 0\n6 0\n8\n8 4 6\nl0 = 77\n",
            "none of the circuit's latches",
        ),
    ] {
        believed_nothing(&checked(&certifying(wrong), template, "20s"), why);
    }
}

#[test]
fn others_are_asked_only_about_what_the_engines_leave_open() {
    let right = "aag 6 1 2 0 3 1\n2\n4 8\n6 10\n12\n8 5 7\n10 4 7\n12 4 6\n";
    let place = certifying(right);
    let template = format!("{} {{model}} {{certificate}}", place.arg("program"));
    let file = place.arg("counter.aag");
    let args = [
        "check",
        &file,
        "--engine",
        "bmc",
        "--external",
        &template,
        "--format",
        "json",
    ];
    let report = hyperkill(args).expect(ExitCode::Failed).json();
    let results = &report["results"];
    // Bounded model checking finds the first, and cannot prove the second.
    assert_eq!(results[0]["verdict"], "fails", "{report}");
    assert_eq!(results[0]["notes"], Value::Null, "{report}");
    assert_eq!(said(&report, 1).0, "holds", "{report}");
}

#[test]
fn a_folder_alone_starts_no_program() {
    let place = Place::with("twins.smv", TWINS);
    let started = place.path("started");
    write_program(&place, &format!("touch '{}'; echo 2", started.display()));
    let template = format!("{} {{model}}", place.arg("program"));
    let (model, out) = (place.arg("twins.smv"), place.arg("out"));
    let args = [
        "run",
        &model,
        "-o",
        &out,
        "--engine",
        "external",
        "--external",
        &template,
    ];
    // The disk is full after the question and before the verdicts.
    hyperkill_on(Disk::with_room_for(30), args, "").expect(ExitCode::Usage);
    assert!(place.path("out/asked.json").is_file());
    assert!(!place.path("out/outcomes.json").exists());
    let _ = fs::remove_file(&started);
    let ran = hyperkill(["resume", &out]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--external"), "{ran:?}");
    assert!(!started.exists());
    let _ = hyperkill(["resume", &out, "--external", &template]);
    assert!(started.exists());
}

#[test]
fn programs_that_babble_crash_or_are_missing_decide_nothing() {
    let template = "PROGRAM {model}";
    for (script, why) in [
        ("echo hello; exit 3", "gives no answer: exit status 3"),
        ("echo why >&2; exit 1", "exit status 1, `why`"),
        ("kill -SEGV $$", "gives no answer: ended by signal 11"),
        (
            // A line of pure noise would sometimes be an answer, so the digits 0 to 2 are replaced.
            "head -c 100000 /dev/urandom | tr 012 abc",
            "gives no answer: exit status 0",
        ),
    ] {
        believed_nothing(&checked(&place(script), template, "20s"), why);
    }
    let missing = checked(&place(""), "/nowhere/prove {model}", "20s");
    believed_nothing(&missing, "cannot be started: `/nowhere/prove`");
}

#[test]
fn programs_run_under_limits() {
    // In KiB and seconds.
    let report = checked(&place("ulimit -v >&2; exit 1"), "PROGRAM {model}", "20s");
    believed_nothing(&report, &format!("`{}`", 8 << 20));
    let script = "[ $(ulimit -t) -lt 10000 ] && [ $(ulimit -f) -lt 1000000 ] && exit 42";
    let report = checked(&place(script), "PROGRAM {model}", "20s");
    believed_nothing(&report, "exit status 42");
}

#[test]
fn a_flood_is_stopped() {
    let report = checked(&place("yes"), "PROGRAM {model}", "60s");
    believed_nothing(&report, "bytes and was ended");
}

#[test]
fn a_program_that_hangs_is_ended_with_all_its_children() {
    let place = place("sleep 1000 & echo $! >>$0.pids; sleep 1000");
    let start = Instant::now();
    believed_nothing(
        &checked(&place, "PROGRAM {model}", "1s"),
        "no answer in its time",
    );
    assert!(start.elapsed() < Duration::from_secs(30));
    let pids = fs::read_to_string(place.path("program.pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        assert!(is_gone(pid), "process {pid} is still there");
    }
}

/// Starts a process in a session of its own, without its parent, and with an empty environment.
const HIDING: &str = "( env -i /bin/sh -c 'setsid /bin/sh -c \"echo \\$\\$ >>$1; exec sleep 1000\" & ' sh $0.pids & ) ; ( \
    setsid sh -c 'echo $$ >>$1; exec sleep 1000' sh $0.pids & )";

/// Whether `setsid` is installed; prints a warning if not.
fn has_setsid() -> bool {
    let there = Command::new("setsid").arg("true").status();
    let there = there.is_ok_and(|status| status.success());
    if !there {
        // Written directly, since the test harness captures output.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"SKIPPED: programs in sessions of their own (no setsid)\n",
        );
    }
    there
}

/// The process ids that a program has written, once there are `count` of them.
fn written_down(place: &Place, count: usize) -> Vec<String> {
    let start = Instant::now();
    loop {
        let pids = fs::read_to_string(place.path("program.pids")).unwrap_or_default();
        if pids.lines().count() >= count && pids.ends_with('\n') {
            return pids.lines().map(str::to_owned).collect();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "only {pids}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_in_sessions_of_their_own_end_with_their_program() {
    if !has_setsid() {
        return;
    }
    // This process runs several tests, so only the environment identifies the processes. Two programs may run at once.
    let hanging = "( setsid sh -c 'echo $$ >>$1; exec sleep 1000' sh $0.pids & ) ; sleep 1000";
    let place = place(hanging);
    believed_nothing(
        &checked(&place, "PROGRAM {model}", "2s"),
        "no answer in its time",
    );
    // On a slow machine a program may be ended before its process has written.
    for pid in written_down(&place, 1) {
        assert!(is_gone(&pid), "process {pid} is still there");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_hide_end_with_their_program_however_it_ends() {
    if !has_setsid() {
        return;
    }
    let waits = "while [ $(wc -l <$0.pids) -lt 2 ]; do sleep 0.05; done";
    for (end, timeout, interrupt, code) in [
        ("sleep 1000", "3s", false, 3),
        ("echo 2", "60s", false, 3),
        ("sleep 1000", "none", true, 130),
    ] {
        let place = place(&format!(":>>$0.pids; {HIDING}; {waits}; {end}"));
        let template = format!("{} {{model}}", place.arg("program"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_hyperkill"))
            .args(["check", &place.arg("counter.aag"), "--timeout", timeout])
            .args([
                "--engine",
                "external",
                "--external",
                &template,
                "--jobs",
                "1",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pids = written_down(&place, 2);
        if interrupt {
            let mut ask = Command::new("kill");
            ask.args(["-INT", &child.id().to_string()]);
            assert!(ask.status().unwrap().success());
        }
        assert_eq!(child.wait().unwrap().code(), Some(code), "{end}");
        let later = written_down(&place, 2);
        for pid in pids.iter().chain(&later) {
            assert!(is_gone(pid), "{end}: process {pid} is still there");
        }
    }
}

/// Whether a process ends soon.
fn is_gone(pid: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        let mut ask = Command::new("kill");
        ask.args(["-0", pid]).stderr(Stdio::null());
        let alive = ask.status().unwrap().success();
        // The status of the process may not be collected yet.
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if !alive || state.contains(") Z ") {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn an_interrupted_check_leaves_no_program_behind() {
    let place = place("echo $$ >>$0.pids; sleep 1000");
    let template = format!("{} {{model}}", place.arg("program"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_hyperkill"))
        .args(["check", &place.arg("counter.aag"), "--timeout", "none"])
        .args(["--engine", "external", "--external", &template])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !place.path("program.pids").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it does not start"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let pids = fs::read_to_string(place.path("program.pids")).unwrap();
    for pid in pids.lines() {
        assert!(is_gone(pid), "process {pid} is still there");
    }
}

#[test]
fn mutants_are_not_equivalent_because_somebody_says_so() {
    let place = Place::with("toggle.aag", TOGGLE);
    write_program(&place, "echo 0");
    let template = format!("{} {{model}}", place.arg("program"));
    let ran = hyperkill([
        "check",
        &place.arg("toggle.aag"),
        "--engine",
        "external",
        "--external",
        &template,
        "--format",
        "json",
        "--property",
        "phi1",
        "--controllable-nd",
    ]);
    let report = ran.expect(ExitCode::Undecided).json();
    let verdicts = verdicts(&report);
    assert_eq!(verdicts["flip"], "unknown", "{report}");
    assert_eq!(verdicts["stuck"], "unknown", "{report}");
    let results = report["results"].as_array().unwrap();
    let flip = results
        .iter()
        .find(|result| result["mutant"] == "flip")
        .unwrap();
    let note = "program claims a proof, without a certificate";
    assert_eq!(flip["notes"].as_array().unwrap(), &[note]);
}

#[test]
fn commands_and_engines_that_make_no_sense_are_usage_errors() {
    let place = place("");
    let file = place.arg("counter.aag");
    for (args, why) in [
        (vec!["--external", "prove it"], "{model}"),
        (vec!["--external", "'prove {model}"], "without another one"),
        (vec!["--engine", "external"], "--external"),
        (vec!["--engine", "xyz"], "abc, external"),
    ] {
        let ran = hyperkill(["check", &file].into_iter().chain(args));
        assert_eq!(ran.code, ExitCode::Usage, "{ran:?}");
        assert!(ran.stderr.contains(why), "{ran:?}");
    }
}

/// Whether ABC is installed; prints a warning if not.
fn has_abc() -> bool {
    let engines = hyperkill(["engines", "--format", "json"]);
    let engines = engines.expect(ExitCode::Success).json();
    let engines = engines["engines"].as_array().unwrap();
    let abc = engines
        .iter()
        .find(|engine| engine["name"] == "abc")
        .unwrap();
    let there = abc["available"].as_bool().unwrap();
    if !there {
        // Written directly, since the test harness captures output.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"SKIPPED: abc as an engine (not installed)\n",
        );
    }
    there
}

#[test]
fn abc_decides_plain_safety_with_evidence() {
    if !has_abc() {
        return;
    }
    let place = place("");
    let ran = hyperkill([
        "check",
        &place.arg("counter.aag"),
        "--engine",
        "abc",
        "--witness",
        &place.arg("evidence"),
        "--format",
        "json",
    ]);
    let report = ran.expect(ExitCode::Failed).json();
    assert_eq!(
        said(&report, 0),
        ("fails", "a run of abc was followed: 3 steps")
    );
    assert_eq!(
        said(&report, 1),
        ("holds", "an invariant of abc was checked: 1 clause")
    );
    assert!(place.path("evidence/b0.witness").is_file());
    assert!(place.path("evidence/b1.certificate.aig").is_file());
}

#[test]
fn abc_decides_mutants_as_the_engines_do_and_its_evidence_certifies() {
    if !has_abc() {
        return;
    }
    let place = Place::with("twins.smv", TWINS);
    let model = place.arg("twins.smv");
    let (ours, theirs) = (place.arg("ours"), place.arg("theirs"));
    let run = ["run", &model, "--property", "phi1", "--out"];
    hyperkill(run.into_iter().chain([ours.as_str()])).expect(ExitCode::Success);
    let by_abc = hyperkill(run.into_iter().chain([theirs.as_str(), "--engine", "abc"]));
    by_abc.expect(ExitCode::Success);
    let document = place.json("theirs/outcomes.json");
    assert_eq!(
        verdicts(&document),
        verdicts(&place.json("ours/outcomes.json"))
    );
    let results = document["results"].as_array().unwrap();
    for verdict in ["killed", "equivalent"] {
        let by_abc =
            |result: &&Value| result["engine"] == "external" && result["verdict"] == verdict;
        assert!(
            results.iter().any(|result| by_abc(&result)),
            "{verdict}: {document}"
        );
    }
    hyperkill(["certify", &theirs, "--model", &model]).expect(ExitCode::Success);
}
