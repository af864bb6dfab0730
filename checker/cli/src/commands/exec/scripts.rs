//! The tests of a suite as they are run.

use hyperkill_audit::own::TIMED;
use hyperkill_checker::testgen::running::Script;
use hyperkill_core::suite::TestKind;
use hyperkill_export::ExportError;
use hyperkill_export::scripts::{script, step};

use crate::documents::{LeftOut, Suite, SuiteTest};
use crate::failure::Failure;
use crate::session::{Level, Session};

/// Tests by id.
pub(super) type Scripts = Vec<(String, Script)>;

/// The tests that can be run, and those that cannot.
pub(super) fn scripts(
    session: &mut Session<'_>,
    suite: &Suite,
    wanted: &[String],
    script: fn(&SuiteTest) -> Result<Script, ExportError>,
) -> Result<(Scripts, Vec<LeftOut>), Failure> {
    for id in wanted {
        if !suite.tests.iter().any(|test| test.id == *id) {
            return Err(Failure::usage(format!(
                "there is no test `{id}` in the suite"
            )));
        }
    }
    let mut scripts = Vec::new();
    let mut left_out = Vec::new();
    let tests = suite.tests.iter();
    for test in tests.filter(|test| wanted.is_empty() || wanted.contains(&test.id)) {
        if test.controllable {
            let reason = "it arranges choices, which no adapter can be told".to_owned();
            session.say(Level::Warning, format!("{}: {reason}; left out", test.id));
            let test = test.id.clone();
            left_out.push(LeftOut { test, reason });
            continue;
        }
        scripts.push((test.id.clone(), script(test)?));
    }
    if scripts.is_empty() && !left_out.is_empty() {
        return Err(
            Failure::usage("no test of this suite can be run").with_help(
                "the warnings say why; a run without --controllable-nd makes tests that can be",
            ),
        );
    }
    if scripts.is_empty() {
        session.say(Level::Warning, "the suite has no tests");
    }
    Ok((scripts, left_out))
}

/// A test at moments as it is run.
pub(super) fn timed_script(test: &SuiteTest) -> Result<Script, ExportError> {
    if test.kind != TIMED {
        return script(test);
    }
    Ok(Script {
        kind: TestKind::Linear,
        steps: test.steps.iter().map(step).collect(),
        strategy: None,
    })
}
