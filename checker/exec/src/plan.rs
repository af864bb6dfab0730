//! Tests of a suite in executable form.

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

/// The tests of a suite that the user selects, and how often each is run.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// Ids of the selected tests; empty: all.
    pub tests: &'a [String],
    /// Runs per test.
    pub repeat: usize,
}

/// A test in executable form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedTest {
    /// Id of the test.
    pub id: String,
    /// Inputs and expected outputs, in executable form.
    pub script: Script,
    /// One slot for each step, the time of its input, if a clock determines them; else empty.
    pub slots: Vec<Slot>,
}

/// The tests of a suite that are run, and the tests that cannot be run.
#[derive(Debug)]
pub struct Plan {
    /// Tests that are run, in the order of the suite.
    pub tests: Vec<PlannedTest>,
    /// Tests that are left out.
    pub left_out: Vec<LeftOut>,
}

impl Plan {
    /// Returns a plan of the chosen tests of a circuit. `sink` gets a warning for each test that is left out.
    ///
    /// # Errors
    /// If a test does not fit the model, or no test can be run.
    pub fn of(
        chosen: Chosen<'_>,
        reference: &Reference<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Plan, ExecError> {
        let plan = Plan::made(chosen, script, sink)?;
        for test in &plan.tests {
            let fits = Play::new(reference, &test.script);
            fits.map_err(|misfit| {
                Unfit::new(format!("{} is not a test of this model: {misfit}", test.id))
            })?;
        }
        Ok(plan)
    }

    /// Returns a plan of the chosen tests, whose scripts `script` makes. Tests that arrange choices of the model are left out, with a
    /// warning to `sink`.
    ///
    /// # Errors
    /// If the suite has no such test, a test has no script, or no test can be run.
    pub(crate) fn made(
        chosen: Chosen<'_>,
        script: fn(&SuiteTest) -> Result<Script, ExportError>,
        sink: &mut dyn Sink,
    ) -> Result<Plan, ExecError> {
        let Chosen { suite, tests, .. } = chosen;
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

    /// Adds a test to those that are left out, with the reason, and warns of it.
    pub(crate) fn leave_out(&mut self, test: &str, reason: &str, sink: &mut dyn Sink) {
        sink.say(Level::Warning, format!("{test}: {reason}; left out"));
        self.left_out.push(LeftOut {
            test: test.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// Returns an error if all tests of the plan are left out.
    ///
    /// # Errors
    /// If all tests are left out. The error carries this advice to the user.
    pub(crate) fn must_not_be_empty(&self, advice: &str) -> Result<(), Unfit> {
        match self.tests.is_empty() && !self.left_out.is_empty() {
            true => Err(Unfit::new("no test of this suite can be run").with_help(advice)),
            false => Ok(()),
        }
    }
}

/// Returns the script of a test: for a test at moments its steps as they are, otherwise as [`script`] does.
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
