//! Exports of the tests of a suite as files, and the tests that each form supports.

use hyperkill_audit::documents::{Suite, SuiteTest};
use hyperkill_audit::names::file_name;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::{annotate, write_ascii};
use hyperkill_core::budget::Budget;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::suite::Step;
use hyperkill_core::system::TransitionSystem;
use hyperkill_frontend::{Hardware, SourceFile};

use crate::error::ExportError;
use crate::fixed::as_global;
use crate::plays::{Followed, bench_tests};
use crate::{assertions, cocotb, tables, testbench, timed, waveforms};

/// A file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl File {
    /// Returns a text file.
    #[must_use]
    pub fn text(name: impl Into<String>, text: String) -> File {
        File {
            name: name.into(),
            bytes: text.into_bytes(),
        }
    }
}

/// A hardware design, for which benches are written.
pub struct Design<'a> {
    /// Pins of the design.
    pub hardware: &'a Hardware,
    /// Sources of the design.
    pub sources: &'a [SourceFile],
    /// Model of the design, if the form needs it.
    pub system: Option<TransitionSystem>,
}

/// A form of tests for hardware designs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchForm {
    /// A Verilog test bench.
    Verilog,
    /// A Python test bench for cocotb.
    Cocotb,
    /// SystemVerilog assertions.
    Assertions,
}

impl BenchForm {
    /// Returns which tests become state machines in this form.
    #[must_use]
    pub fn followed(self) -> Followed {
        match self {
            BenchForm::Verilog => Followed::Following,
            BenchForm::Cocotb | BenchForm::Assertions => Followed::All,
        }
    }

    /// Returns the tests of a design as files. `remarks` receives warnings, also if there is an error.
    ///
    /// # Errors
    /// If [`bench_tests`] fails, or the tests cannot have this form.
    pub fn written(
        self,
        design: Design<'_>,
        suite: &Suite,
        budget: &Budget,
        remarks: &mut Vec<String>,
    ) -> Result<Vec<File>, ExportError> {
        let Design {
            hardware,
            sources,
            system,
        } = design;
        let found = bench_tests(hardware, suite, self.followed(), system, budget)?;
        remarks.extend(found.remarks);
        let tests = found.tests;
        Ok(match self {
            BenchForm::Cocotb => {
                let cocotb = cocotb::cocotb(suite, hardware, &tests)?;
                vec![
                    File::text("hyperkill_tests.py", cocotb.tests),
                    File::text("runner.py", cocotb.runner),
                ]
            }
            BenchForm::Assertions => {
                let text = assertions::assertions(suite, hardware, &tests)?;
                vec![File::text("hyperkill_checks.sv", text)]
            }
            BenchForm::Verilog => {
                let bench = testbench::testbench(suite, hardware, &tests, sources)?;
                remarks.extend(bench.remarks);
                vec![File::text("testbench.v", bench.text)]
            }
        })
    }
}

/// Returns tests as waveform files (VCD), one for each test; `hardware` contains the pins of a hardware design.
///
/// # Errors
/// If a waveform cannot be written.
pub fn waves(suite: &Suite, hardware: Option<Hardware>) -> Result<Vec<File>, ExportError> {
    let clocks = hardware.map_or_else(Vec::new, |hardware| hardware.clocks);
    let files = suite.tests.iter().map(|test| {
        Ok(File {
            name: file_name(&test.id, "vcd"),
            bytes: waveforms::waveforms(&suite.signature, test, &clocks)?,
        })
    });
    files.collect()
}

/// Returns tests with times as waveform files (VCD), one for each test; `unit` is the name of a unit of time, if it has one.
///
/// # Errors
/// If a waveform cannot be written.
pub fn timed_waves(suite: &Suite, unit: Option<&str>) -> Result<Vec<File>, ExportError> {
    let files = suite.tests.iter().map(|test| {
        Ok(File {
            name: file_name(&test.id, "vcd"),
            bytes: timed::waveforms(&suite.signature, test, unit)?,
        })
    });
    files.collect()
}

/// Returns the circuit of the unmutated model as an AIGER file, and a stimulus file for each test. `remarks` receives warnings, also if
/// there is an error.
///
/// # Errors
/// If a test does not fit the model.
pub fn stimuli(
    model: &ConditionalMutant,
    suite: &Suite,
    budget: &Budget,
    remarks: &mut Vec<String>,
) -> Result<Vec<File>, ExportError> {
    let circuit = keep_mutants(model, &[]);
    let mut files = vec![File {
        name: "model.aag".to_owned(),
        bytes: write_ascii(&annotate(&circuit)),
    }];
    for test in &suite.tests {
        let written = tables::stimulus(&circuit, test, budget)?;
        remarks.extend(written.remark);
        files.push(File::text(file_name(&test.id, "stim"), written.text));
    }
    Ok(files)
}

/// Removes all tests from a suite except those with the wanted ids. If `wanted` is empty, all tests stay.
///
/// # Errors
/// If a wanted test does not exist.
pub fn only(suite: &mut Suite, wanted: &[String]) -> Result<(), ExportError> {
    for id in wanted {
        if !suite.tests.iter().any(|test| test.id == *id) {
            let message = format!("there is no test `{id}` in the suite");
            return Err(ExportError::unsuited(message));
        }
    }
    (suite.tests).retain(|test| wanted.is_empty() || wanted.contains(&test.id));
    Ok(())
}

/// Removes the tests that a form does not support, and returns a warning for each. If the form `follows`, it supports adaptive tests;
/// otherwise those with fixed inputs become global tests.
pub fn leave_out(tests: &mut Vec<SuiteTest>, follows: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if !follows {
        for test in tests.iter_mut() {
            if let Some(global) = as_global(test) {
                *test = global;
            }
        }
    }
    tests.retain(|test| {
        let why = if test.controllable {
            "choices cannot be given as inputs"
        } else if test.machine.is_some() && !follows {
            "its inputs depend on the answers"
        } else {
            return true;
        };
        remarks.push(format!("{}: {why}; left out", test.id));
        false
    });
    remarks
}

/// Returns the steps of a test with their inputs and outputs only, without allowed outputs and times.
#[must_use]
pub fn steps(test: &SuiteTest) -> Vec<Step> {
    let steps = test.steps.iter().map(|step| Step {
        inputs: step.inputs.0.clone(),
        outputs: step.outputs.0.clone(),
        ..Step::default()
    });
    steps.collect()
}

/// Returns the error for a language whose tests cannot be written in the form.
#[must_use]
pub fn no_such_form(language: &str) -> ExportError {
    ExportError::unsuited(format!(
        "tests of models in {language} cannot be written so"
    ))
}
