//! The examples of embedding work as their comments say.

use std::fs;

use hyperkill::{ExitCode, system};

use crate::resume::assert_alike;
use crate::support::{LOCK, Place, hyperkill};
use crate::timed::DOOR;

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/commands.rs"]
mod commands;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/engines.rs"]
mod engines;
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/runs.rs"]
mod runs;

#[test]
fn the_engines_decide_a_circuit_without_a_folder() {
    engines::main().unwrap();
    let wrong = engines::verdicts(b"aag no circuit").unwrap_err();
    assert!(!wrong.to_string().is_empty());
}

#[test]
fn whole_commands_run_inside_another_program() {
    let place = Place::with("lock.smv", LOCK);
    let killed = commands::killed(&place.path("lock.smv"), &place.path("out")).unwrap();
    assert!(killed.len() > 5, "{killed:?}");
    for id in &killed {
        assert!(id.starts_with("m-"), "{id}");
    }
    fs::write(place.path("lock.smv"), "MODULE").unwrap();
    let error = commands::killed(&place.path("lock.smv"), &place.path("again")).unwrap_err();
    assert!(
        error.to_string().contains("expected a module name"),
        "{error}"
    );
}

/// Runs through typed values write the same files as the command, also after a stop and a resumption.
#[test]
fn runs_live_inside_another_program_by_typed_values() {
    for (file, text) in [("lock.smv", LOCK), ("door.tfsm", DOOR)] {
        let place = Place::with(file, text);
        let (model, whole) = (place.path(file), place.path("whole"));
        let words = ["run", &place.arg(file), "-o", &place.arg("whole")];
        hyperkill(words).expect(ExitCode::Success);
        let out = place.path("out");
        runs::run(&model, &out, &system::limits()).unwrap();
        assert_alike(&whole, &out, file);
        assert!(runs::resume(&out, &system::limits()).unwrap().is_none());
        let limits = system::limits();
        limits.interrupt();
        let stopped = runs::run(&model, &out, &limits).unwrap_err();
        assert_eq!(stopped.to_string(), "no mutant was decided");
        let resumed = runs::resume(&out, &system::limits()).unwrap().unwrap();
        assert!(resumed.summary.killed() > 3, "{resumed:?}");
        assert_alike(&whole, &out, file);
        let found = system::certify(&out, None).unwrap();
        assert!(
            found.faults.is_empty() && found.open.is_empty(),
            "{found:?}"
        );
        fs::remove_file(out.join("suite.json")).unwrap();
        assert!(!system::certify(&out, None).unwrap().faults.is_empty());
    }
    let error = system::read(&Default::default(), Some("smv"))
        .err()
        .unwrap();
    assert!(!error.to_string().is_empty());
}
