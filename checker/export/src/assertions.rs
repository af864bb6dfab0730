//! Suites as SystemVerilog assertions: passive modules for simulators and formal tools.
//!
//! Each test is a module that drives nothing. It asserts the outputs of the test whenever the inputs since the resets match the test.

use std::fmt::Write;

use hyperkill_audit::documents::Suite;
use hyperkill_checker::testgen::running::{Observer, Place, Then};
use hyperkill_frontend::Hardware;
use hyperkill_frontend::counted;
use hyperkill_frontend::hardware::{Clock, Pin, Reset, Ticks};

use crate::error::ExportError;
use crate::names::{Names, escaped, harmless};
use crate::plays::BenchTest;
use crate::testbench::{Writer, differs, line, range};

/// Returns a SystemVerilog file with a module of assertions for each test.
///
/// # Errors
/// If not exactly one clock ticks at one of its edges, or a test of a nondeterministic model is neither global nor a tree.
pub fn assertions(
    suite: &Suite,
    hardware: &Hardware,
    tests: &[BenchTest<'_>],
) -> Result<String, ExportError> {
    let clocks = hardware.clocks.iter();
    let mut clocks = clocks.filter(|clock| clock.ticks != Ticks::Never);
    let first = clocks.next();
    let is_one = |clock: &&Clock| clock.ticks == Ticks::Always && !clock.both_edges;
    let one = match hardware.ticks_as_one() {
        true => first,
        false => first.filter(|clock| is_one(clock) && clocks.next().is_none()),
    };
    if first.is_some() && one.is_none() {
        return Err(ExportError::unsuited(
            "assertions sample at one edge of one clock, and this design has several",
        )
        .with_help("`--to verilog-testbench` drives all clocks"));
    }
    let Some(clock) = one else {
        return Err(
            ExportError::unsuited("assertions need a clock, and the design has none")
                .with_help("`--to verilog-testbench` needs none"),
        );
    };
    let chooses = !suite.signature.choices.is_empty() || !hardware.free.is_empty();
    let follows = |test: &&BenchTest<'_>| matches!(test.test.kind.as_str(), "global" | "tree");
    if chooses && let Some(test) = tests.iter().find(|test| !follows(test)) {
        return Err(ExportError::unsuited(format!(
            "{}: a {} test of a nondeterministic model expects one of several runs, and assertions would reject the others",
            test.test.id, test.test.kind
        ))
        .with_help("`run` without --tests makes tests that follow the outputs"));
    }
    let writer = Writer {
        hardware,
        names: Names::new(hardware),
    };
    let mut text = String::new();
    line!(
        text,
        "// Assertions about `{}`, made by hyperkill from {}: {}. They drive nothing: whenever the inputs since the",
        harmless(&hardware.top),
        harmless(&suite.model.description.name),
        counted(suite.tests.len(), "test")
    );
    line!(
        text,
        "// resets are those of a test, the outputs must be among those that the model allows after the earlier ones."
    );
    line!(
        text,
        "// Define HYPERKILL_NO_BIND where `bind` is not known, and make instances of the modules."
    );
    for test in tests {
        if let Some(machine) = &test.machine {
            let name = test
                .test
                .id
                .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            writer.module(
                &format!("hyperkill_{name}"),
                clock,
                test,
                machine,
                &mut text,
            )?;
        }
    }
    Ok(text)
}

impl Writer<'_> {
    fn module(
        &self,
        name: &str,
        clock: &Clock,
        test: &BenchTest<'_>,
        machine: &Observer,
        text: &mut String,
    ) -> Result<(), ExportError> {
        line!(
            text,
            "\n// {}, {}: kills {}",
            harmless(&test.test.id),
            harmless(&test.test.kind),
            counted(test.test.kills.len(), "mutant")
        );
        let ports = self.ports();
        let listed = ports
            .iter()
            .map(|(pin, name, _)| format!("input {}{name}", range(pin.width)));
        let listed: Vec<String> = listed.collect();
        line!(
            text,
            "module {name} (\n  input clock,\n  {}\n);",
            listed.join(",\n  ")
        );
        line!(
            text,
            "  // Where the test is; -1 if the inputs were others."
        );
        let begins = if self.hardware.resets.is_empty() {
            0
        } else {
            -1
        };
        line!(
            text,
            "  integer at = {begins};\n  integer held = 0;\n  integer next;"
        );
        let edge = if clock.rising { "posedge" } else { "negedge" };
        line!(text, "  always @({edge} clock) begin");
        self.armed(text);
        line!(text, "    next = -1;\n    case (at)");
        for (number, place) in machine.places.iter().enumerate() {
            self.place(number, place, text)?;
        }
        line!(text, "    endcase\n    at = next;\n  end\nendmodule");
        let joined = ports
            .iter()
            .map(|(_, name, path)| format!(".{name}({path})"));
        let joined: Vec<String> = joined.collect();
        line!(
            text,
            "`ifndef HYPERKILL_NO_BIND\nbind {}{name} {name}_of_design (\n  .clock({}),\n  {}\n);\n`endif",
            escaped(&self.hardware.top),
            escaped(&clock.port),
            joined.join(",\n  ")
        );
        Ok(())
    }

    /// Writes the assertion of one place of a test's state machine: its outputs are allowed. Also writes the transitions to the next
    /// places.
    fn place(&self, number: usize, place: &Place, text: &mut String) -> Result<(), ExportError> {
        let mut set = vec![];
        for (pin, value) in self.chosen(&place.inputs)? {
            set.push(format!("{pin} === {value}"));
        }
        let set = if set.is_empty() {
            "1".to_owned()
        } else {
            set.join(" && ")
        };
        line!(text, "      {number}: if ({set}) begin");
        let mut allowed = Vec::new();
        for (answer, then) in &place.answers {
            let outputs = self.outputs(answer)?;
            let condition = match outputs.is_empty() {
                true => "1".to_owned(),
                false => format!("!({})", differs(&outputs)),
            };
            if let Then::At(next) = then {
                line!(text, "        if ({condition}) next = {next};");
            }
            allowed.push(condition);
        }
        line!(text, "        assert ({});", allowed.join(" || "));
        line!(text, "      end");
        Ok(())
    }

    /// Returns all observed ports of the design, each with its name in the module of assertions and its path in the design.
    fn ports(&self) -> Vec<(&Pin, &String, String)> {
        let Hardware {
            inputs,
            outputs,
            probes,
            ..
        } = self.hardware;
        let ports = inputs
            .iter()
            .map(|pin| (pin, &self.names.inputs[&pin.name], escaped(&pin.name)));
        let outputs = outputs
            .iter()
            .map(|pin| (pin, &self.names.outputs[&pin.name], escaped(&pin.name)));
        let probes = probes
            .iter()
            .map(|pin| (pin, &self.names.probes[&pin.name], pin.name.clone()));
        ports.chain(outputs).chain(probes).collect()
    }

    /// Writes the logic that starts a test. Its first step is the edge after the resets, which end together; other inputs are 0 during the
    /// resets.
    fn armed(&self, text: &mut String) {
        let resets = &self.hardware.resets;
        let Some(steps) = resets.iter().map(|reset| reset.steps).max() else {
            return;
        };
        line!(text, "    if (held == {steps}) at = 0;\n    case (held)");
        // Resets of equal length may last longer.
        let same = resets.iter().all(|reset| reset.steps == steps);
        for phase in 0..=steps {
            let (condition, next) = match (phase == steps, same) {
                (false, _) => (self.in_phase(phase, steps), phase + 1),
                (true, true) => (self.in_phase(0, steps), steps),
                (true, false) => (self.in_phase(0, steps), 1),
            };
            let again = self.in_phase(0, steps);
            line!(
                text,
                "      {phase}: held = ({condition}) ? {next} : ({again}) ? 1 : 0;"
            );
        }
        line!(text, "    endcase");
    }

    /// Returns the Verilog condition that the inputs are those of edge `phase`, from 0, of the `steps` edges of the resets. Shorter resets
    /// begin later.
    fn in_phase(&self, phase: usize, steps: usize) -> String {
        let resets = &self.hardware.resets;
        let levels = self.hardware.inputs.iter().map(|pin| {
            let reset = resets.iter().find(|reset| reset.port == pin.name);
            let is_active = |reset: &Reset| phase >= steps - reset.steps;
            let level = reset.is_some_and(|reset| reset.active == is_active(reset));
            format!(
                "{} === {}'h{}",
                self.names.inputs[&pin.name],
                pin.width,
                u8::from(level)
            )
        });
        levels.collect::<Vec<String>>().join(" && ")
    }
}
