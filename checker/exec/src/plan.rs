//! The tests of a suite as they are run.

use hyperkill_audit::documents::{LeftOut, Suite, SuiteTest};
use hyperkill_audit::own::TIMED;
use hyperkill_checker::testgen::running::{Play, Reference, Script};
use hyperkill_core::suite::TestKind;
use hyperkill_export::ExportError;
use hyperkill_export::scripts::{script, step};
use hyperkill_frontend::decision::Slot;
use hyperkill_run::sink::{Level, Sink};
use hyperkill_run::unfit::Unfit;

use crate::error::ExecError;

/// The tests that the user wants to run.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// A suite.
    pub suite: &'a Suite,
    /// The ids of its tests that are run; all if there is none.
    pub tests: &'a [String],
    /// Runs of each test.
    pub repeat: usize,
}

/// A test that is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedTest {
    /// Its id.
    pub id: String,
    /// What is done.
    pub script: Script,
    /// When each of its inputs is given, if they have times that a clock gives.
    pub slots: Vec<Slot>,
}

/// The tests of a suite that are run, and those that cannot be.
#[derive(Debug)]
pub struct Plan {
    /// The tests that are run, in the order of the suite.
    pub tests: Vec<PlannedTest>,
    /// The others.
    pub left_out: Vec<LeftOut>,
}

impl Plan {
    /// The tests of a circuit.
    ///
    /// # Errors
    /// If a test is not of this model, or none can be run.
    pub fn of(
        wanted: Wanted<'_>,
        reference: &Reference<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Plan, ExecError> {
        let plan = Plan::made(wanted, script, sink)?;
        for test in &plan.tests {
            let fits = Play::new(reference, &test.script);
            fits.map_err(|misfit| {
                Unfit::new(format!("{} is no test of this model: {misfit}", test.id))
            })?;
        }
        Ok(plan)
    }

    /// The tests, made by `script`.
    ///
    /// # Errors
    /// If there is no such test, or none can be run.
    pub(crate) fn made(
        wanted: Wanted<'_>,
        script: fn(&SuiteTest) -> Result<Script, ExportError>,
        sink: &mut dyn Sink,
    ) -> Result<Plan, ExecError> {
        let Wanted { suite, tests, .. } = wanted;
        for id in tests {
            if !suite.tests.iter().any(|test| test.id == *id) {
                let message = format!("there is no test `{id}` in the suite");
                return Err(Unfit::new(message).into());
            }
        }
        let mut plan = Plan {
            tests: Vec::new(),
            left_out: Vec::new(),
        };
        let selected = suite.tests.iter();
        for test in selected.filter(|test| tests.is_empty() || tests.contains(&test.id)) {
            if test.controllable {
                let reason = "it arranges choices, which no adapter can be told";
                plan.leave_out(&test.id, reason, sink);
                continue;
            }
            plan.tests.push(PlannedTest {
                id: test.id.clone(),
                script: script(test)?,
                slots: Vec::new(),
            });
        }
        plan.must_not_be_empty(
            "the warnings say why; a run without --controllable-nd makes tests that can be",
        )?;
        if plan.tests.is_empty() {
            sink.say(Level::Warning, "the suite has no tests".to_owned());
        }
        Ok(plan)
    }

    /// Leaves a test out.
    pub(crate) fn leave_out(&mut self, test: &str, reason: &str, sink: &mut dyn Sink) {
        sink.say(Level::Warning, format!("{test}: {reason}; left out"));
        self.left_out.push(LeftOut {
            test: test.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// Refuses a suite all of whose tests are left out.
    ///
    /// # Errors
    /// With this advice if it is one.
    pub(crate) fn must_not_be_empty(&self, advice: &str) -> Result<(), Unfit> {
        match self.tests.is_empty() && !self.left_out.is_empty() {
            true => Err(Unfit::new("no test of this suite can be run").with_help(advice)),
            false => Ok(()),
        }
    }
}

/// A test at moments as it is run.
pub(crate) fn timed_script(test: &SuiteTest) -> Result<Script, ExportError> {
    if test.kind != TIMED {
        return script(test);
    }
    Ok(Script {
        kind: TestKind::Linear,
        steps: test.steps.iter().map(step).collect(),
        strategy: None,
    })
}
