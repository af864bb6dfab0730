//! Suites as self-checking test benches in plain Verilog (IEEE 1364-2001).
//!
//! Each test instantiates the design. In a step the bench sets inputs, waits, and compares outputs with `!==`, so that x is never
//! correct. Then the clocks of the step tick. Resets are active for their clock steps before the first step; all other inputs are 0
//! during the resets.
//!
//! Registers with free initial values get the values of a run of the model that matches the test (`Play`), between the resets and the
//! first step. A definite kill does not depend on these values, but a simulator would begin with x and reject a correct design. The bench
//! does not set registers that the resets initialise, so a mutant with a broken reset shows x.

use std::fmt::Write;

use hyperkill_audit::documents::{Suite, TestStep};
use hyperkill_core::sort::Value;
use hyperkill_frontend::hardware::{Deposit, Pin};
use hyperkill_frontend::{Hardware, SourceFile, counted};

use crate::error::ExportError;
use crate::literals::{bits, hexadecimal};
use crate::names::{Names, escaped, harmless};
use crate::plays::{BenchTest, Play};

/// A test bench, with warnings.
pub struct Bench {
    /// Verilog text.
    pub text: String,
    /// Warnings for the user.
    pub remarks: Vec<String>,
}

/// Returns the language standard that Icarus Verilog needs for a design. It is 2012 for SystemVerilog files and for local parameters in
/// the header of a module, which Verilog 2005 does not have. Designs with both edges of a clock also need 2012, since Verilog 2005 takes
/// the first level of a clock for an edge.
fn standard(hardware: &Hardware, sources: &[SourceFile]) -> &'static str {
    let is_new = |source: &SourceFile| {
        let mut headers = source.text.split("#(").skip(1);
        let mut headers = headers
            .by_ref()
            .map(|rest| rest.split(';').next().unwrap_or(rest));
        source.name.ends_with(".sv") || headers.any(|header| header.contains("localparam"))
    };
    let both_edges = hardware.clocks.iter().any(|clock| clock.both_edges);
    match both_edges || sources.iter().any(is_new) {
        true => "-g2012",
        false => "-g2005",
    }
}

/// Nanoseconds for outputs to settle, and for each half of a clock period.
pub(crate) const SETTLE: u32 = 5;

/// Returns a Verilog bench with one module for each play of a test, and remarks on pins and registers that it cannot set.
///
/// # Errors
/// If the suite does not fit these pins.
pub fn testbench(
    suite: &Suite,
    hardware: &Hardware,
    tests: &[BenchTest<'_>],
    sources: &[SourceFile],
) -> Result<Bench, ExportError> {
    let bench = Writer {
        hardware,
        names: Names::new(hardware),
    };
    let mut text = String::new();
    let mut remarks = Vec::new();
    bench.head(suite, sources, &mut text);
    let mut modules = 0;
    for test in tests {
        for play in &test.plays {
            modules += 1;
            bench.test(modules, test, play, &mut text)?;
        }
    }
    bench.conductor(modules, &mut text);
    let driven: Vec<&str> = suite
        .signature
        .inputs
        .iter()
        .map(|port| port.name.as_str())
        .collect();
    for pin in &hardware.inputs {
        let is_reset = hardware.resets.iter().any(|reset| reset.port == pin.name);
        let is_choice = (suite.signature.choices.iter()).any(|port| port.name == pin.name);
        if !driven.contains(&pin.name.as_str()) && !is_reset && !is_choice {
            remarks.push(format!(
                "{}: no test input; the bench keeps it at 0, which may not be what a test needs",
                pin.name
            ));
        }
    }
    for register in &hardware.unnamed {
        remarks.push(format!(
            "{register}: it may start with any value, but a bench cannot name it, so that it starts as x"
        ));
    }
    Ok(Bench { text, remarks })
}

/// The design and its names, for writing a bench.
pub(crate) struct Writer<'a> {
    pub(crate) hardware: &'a Hardware,
    pub(crate) names: Names,
}

/// Values of input ports that are choices, and where the bench sets them.
#[derive(Clone, Copy)]
pub(crate) enum Chosen<'a> {
    /// Choices that are set with the inputs.
    Here(&'a [(String, Value)]),
    /// Choices that another part of the bench sets.
    Apart(&'a [(String, Value)]),
}

/// Writes a line. Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {{
        let _ = writeln!($text, $($arguments)*);
    }};
}
pub(crate) use line;

impl Writer<'_> {
    fn head(&self, suite: &Suite, sources: &[SourceFile], text: &mut String) {
        line!(
            text,
            "// Test bench for `{}`, made by hyperkill from {}: {}.",
            harmless(&self.hardware.top),
            harmless(&suite.model.description.name),
            counted(suite.tests.len(), "test")
        );
        line!(
            text,
            "//   iverilog {} -o bench testbench.v DESIGN.v && vvp -N bench",
            standard(self.hardware, sources)
        );
        line!(
            text,
            "// A linear test passes if all outputs are as listed. A local one ends inconclusively at others that are allowed. Global"
        );
        line!(
            text,
            "// ones and trees follow the outputs: they fail at outputs that the model cannot give after those before. Unless all"
        );
        line!(
            text,
            "// pass, the bench ends by $stop instead of $finish (with `vvp -N`: exit status 1)."
        );
        if !self.hardware.deposits.is_empty() {
            line!(
                text,
                "// Registers start at 0 because the bench puts it there. Define HYPERKILL_NO_DEPOSITS for designs whose registers have"
            );
            line!(text, "// initial values of their own, such as netlists.");
        }
        if self.hardware.clocks.iter().any(|clock| clock.both_edges) {
            line!(
                text,
                "// Both edges of a clock are used. Its first level is an edge to Verilog-2005 and none to SystemVerilog: take -g2012."
            );
        }
        if suite.tests.iter().any(|test| test.kind == "linear")
            && !suite.signature.choices.is_empty()
        {
            line!(
                text,
                "// The model leaves choices. If outputs depend on them, right ones may differ from those of a linear test"
            );
            line!(text, "// (`hyperkill run --tests tree` follows them).");
        }
        line!(
            text,
            "// Define HYPERKILL_DUMP for waveforms of everything, in hyperkill.vcd."
        );
        line!(text, "`timescale 1ns / 1ns\n");
    }

    /// Writes the Verilog module of one play (run with chosen values) of a test. `number` is the number of the module.
    fn test(
        &self,
        number: usize,
        bench_test: &BenchTest<'_>,
        play: &Play,
        text: &mut String,
    ) -> Result<(), ExportError> {
        let test = bench_test.test;
        let mut id = harmless(&test.id);
        line!(
            text,
            "// {id}, {}: {}, kills {}",
            harmless(&test.kind),
            counted(test.steps.len(), "step"),
            counted(test.kills.len(), "mutant")
        );
        if let Some((mutant, _)) = &play.of_mutant {
            id = format!("{id}/{}", harmless(mutant));
            line!(text, "// The choices are those with which {mutant} fails.");
        }
        line!(
            text,
            "module hyperkill_test_{number} (input start, output reg done, output reg [1:0] verdict);"
        );
        line!(text, "  // verdict: 0 pass, 1 inconclusive, 2 fail");
        self.declarations(text);
        self.instance(text);
        if !self.hardware.ticks_as_one() {
            self.tasks(text);
        } else if self.has_clock() {
            line!(
                text,
                "\n  task tick;\n    begin\n      #{SETTLE} clock = {};\n      #{SETTLE} clock = {};\n    end\n  endtask",
                u8::from(self.edge()),
                u8::from(!self.edge())
            );
        }
        line!(text, "\n  initial begin\n    done = 0;\n    verdict = 0;");
        self.before(text);
        line!(text, "    @(posedge start);");
        if !self.hardware.ticks_as_one() {
            self.zeros(text);
        }
        self.resets(text);
        self.deposits(play, text);
        line!(text, "    begin : steps");
        match &bench_test.machine {
            Some(machine) => self.follow(&id, machine, play, text)?,
            None => self.expect(&id, &test.steps, play, text)?,
        }
        line!(
            text,
            "    end\n    if (verdict == 0) $display(\"PASS {id}\");"
        );
        line!(text, "    done = 1;\n  end\nendmodule\n");
        Ok(())
    }

    /// Writes the steps of a test that ends at the first unexpected outputs. `play` has the choices of each step; `id` is the id of the
    /// test.
    fn expect(
        &self,
        id: &str,
        steps: &[TestStep],
        play: &Play,
        text: &mut String,
    ) -> Result<(), ExportError> {
        let allows = steps.iter().any(|step| step.allowed.is_some());
        for (at, step) in steps.iter().enumerate() {
            line!(text, "      // step {at}");
            let chosen = play.choices.get(at).map_or(&[][..], Vec::as_slice);
            self.set(&step.inputs.0, Chosen::Here(chosen), "      ", text)?;
            self.compare(id, at, step, allows, text)?;
            if self.has_clock() && at + 1 < steps.len() {
                line!(text, "      tick;");
            }
        }
        Ok(())
    }

    /// Writes the declarations of the signals that drive and observe the design.
    fn declarations(&self, text: &mut String) {
        if !self.hardware.ticks_as_one() {
            self.declare_clocks(text);
        } else if self.has_clock() {
            line!(text, "  reg clock;");
        }
        for pin in &self.hardware.inputs {
            line!(
                text,
                "  reg {}{};",
                range(pin.width),
                self.names.inputs[&pin.name]
            );
        }
        for pin in &self.hardware.outputs {
            line!(
                text,
                "  wire {}{};",
                range(pin.width),
                self.names.outputs[&pin.name]
            );
        }
        for pin in &self.hardware.probes {
            let name = &self.names.probes[&pin.name];
            line!(
                text,
                "  wire {}{name} = dut.{};",
                range(pin.width),
                pin.name
            );
        }
    }

    /// Writes the initial values of a play for registers that the design leaves open.
    fn deposits(&self, play: &Play, text: &mut String) {
        if !play.registers.is_empty() {
            line!(text, "`ifndef HYPERKILL_NO_DEPOSITS");
            for (register, bits) in self.hardware.free.iter().zip(&play.registers) {
                line!(text, "    dut.{} = {};", register.path, hexadecimal(bits));
            }
            line!(text, "`endif");
        }
    }

    pub(crate) fn has_clock(&self) -> bool {
        !self.hardware.clocks.is_empty()
    }

    /// Whether the registers of the first clock load at its rising edge; true without a clock.
    fn edge(&self) -> bool {
        (self.hardware.clocks.first()).is_none_or(|clock| clock.rising)
    }

    fn instance(&self, text: &mut String) {
        let mut connections = Vec::new();
        let as_one = self.hardware.ticks_as_one();
        if !as_one {
            self.connect_clocks(&mut connections);
        }
        for clock in self.hardware.clocks.iter().filter(|_| as_one) {
            let negation = if clock.rising == self.edge() { "" } else { "~" };
            connections.push(format!(".{}({negation}clock)", escaped(&clock.port)));
        }
        let inputs = self
            .hardware
            .inputs
            .iter()
            .map(|pin| (pin, &self.names.inputs));
        let outputs = self
            .hardware
            .outputs
            .iter()
            .map(|pin| (pin, &self.names.outputs));
        for (pin, names) in inputs.chain(outputs) {
            connections.push(format!(".{}({})", escaped(&pin.name), names[&pin.name]));
        }
        let parameters = self.hardware.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, value)| format!(".{}({value})", escaped(name)))
            .collect();
        let parameters = match parameters.as_slice() {
            [] => String::new(),
            some => format!("#({}) ", some.join(", ")),
        };
        line!(
            text,
            "  {}{parameters}dut (\n    {}\n  );",
            escaped(&self.hardware.top),
            connections.join(",\n    ")
        );
    }

    /// Writes the values of signals before the first edge of a clock or a reset. Without resets the inputs stay unset until the first step,
    /// so that the bench resets nothing on its own.
    fn before(&self, text: &mut String) {
        if !self.hardware.ticks_as_one() {
            self.begin_rounds(text);
        } else if self.has_clock() {
            line!(text, "    clock = {};", u8::from(!self.edge()));
        }
        if self.hardware.ticks_as_one() {
            self.zeros(text);
        }
        if self.hardware.resets.is_empty() {
            return;
        }
        for pin in &self.hardware.inputs {
            let name = &self.names.inputs[&pin.name];
            let resets = self
                .hardware
                .resets
                .iter()
                .find(|reset| reset.port == pin.name);
            let idle = resets.is_some_and(|reset| !reset.active);
            line!(text, "    {name} = {};", if idle { "1" } else { "0" });
        }
    }

    /// Writes the initial values of registers that an option sets. If both edges of a clock are used, they follow after the first level
    /// of the clock, which some simulators take for an edge.
    fn zeros(&self, text: &mut String) {
        if !self.hardware.deposits.is_empty() {
            line!(text, "`ifndef HYPERKILL_NO_DEPOSITS");
            for Deposit { path, bits } in &self.hardware.deposits {
                line!(text, "    dut.{path} = {};", hexadecimal(bits));
            }
            line!(text, "`endif");
        }
    }

    /// Writes the resets: the longest begins first, and all end together.
    fn resets(&self, text: &mut String) {
        let mut resets: Vec<_> = self.hardware.resets.iter().collect();
        resets.sort_by_key(|reset| std::cmp::Reverse(reset.steps));
        let level = |port: &str| &self.names.inputs[port];
        for (at, reset) in resets.iter().enumerate() {
            line!(
                text,
                "    #{SETTLE} {} = {};",
                level(&reset.port),
                u8::from(reset.active)
            );
            let next = resets.get(at + 1).map_or(0, |next| next.steps);
            if reset.steps > next && self.has_clock() {
                let (task, ticks) = match self.hardware.ticks_as_one() {
                    true => ("tick", 1),
                    false => ("tick_all", self.hardware.ticks_of_a_reset()),
                };
                line!(
                    text,
                    "    repeat ({}) {task};",
                    (reset.steps - next) * ticks
                );
            }
        }
        for reset in resets {
            line!(
                text,
                "    {} = {};",
                level(&reset.port),
                u8::from(!reset.active)
            );
        }
        if !self.hardware.resets.is_empty() && !self.hardware.free.is_empty() {
            line!(text, "    #{SETTLE};");
        }
    }

    /// Writes the assignments of the inputs of a step, and of the clocks that tick at its end. Pins without a value become 0, except
    /// resets. `chosen` are values for pins that are choices.
    pub(crate) fn set(
        &self,
        inputs: &[(String, Value)],
        chosen: Chosen<'_>,
        indent: &str,
        text: &mut String,
    ) -> Result<(), ExportError> {
        for pin in &self.hardware.inputs {
            let name = &self.names.inputs[&pin.name];
            let value = match value_of(inputs, pin)? {
                Some(value) => Some(value),
                None => match chosen {
                    Chosen::Here(values) => value_of(values, pin)?,
                    Chosen::Apart(values) if values.iter().any(|(name, _)| *name == pin.name) => {
                        continue;
                    }
                    Chosen::Apart(_) => None,
                },
            };
            let is_reset = || (self.hardware.resets.iter()).any(|reset| reset.port == pin.name);
            if let Some(value) = value {
                line!(text, "{indent}{name} = {value};");
            } else if !is_reset() {
                line!(text, "{indent}{name} = 0;");
            }
        }
        self.set_ticks(inputs, indent, text)
    }

    /// Returns the input ports that have one of these values: their names in the bench, each with its value in Verilog.
    ///
    /// # Errors
    /// If a value does not fit its port.
    pub(crate) fn chosen(
        &self,
        values: &[(String, Value)],
    ) -> Result<Vec<(String, String)>, ExportError> {
        let mut chosen = Vec::new();
        for pin in &self.hardware.inputs {
            if let Some(value) = value_of(values, pin)? {
                chosen.push((self.names.inputs[&pin.name].clone(), value));
            }
        }
        Ok(chosen)
    }

    /// Writes the comparison of the outputs of step `at` with the expected ones. If they differ, test `id` ends.
    ///
    /// The verdict is then inconclusive if the outputs are allowed, or the list of allowed outputs is incomplete, else fail. `allows`
    /// states whether some step has such a list.
    fn compare(
        &self,
        id: &str,
        at: usize,
        step: &TestStep,
        allows: bool,
        text: &mut String,
    ) -> Result<(), ExportError> {
        line!(text, "      #{SETTLE};");
        let expected = self.outputs(&step.outputs.0)?;
        if expected.is_empty() {
            return Ok(());
        }
        let differs = differs(&expected);
        line!(text, "      if ({differs}) begin");
        let others = step.allowed.iter().flatten();
        let others: Vec<String> = others
            .map(|outputs| Ok(format!("!({})", self::differs(&self.outputs(&outputs.0)?))))
            .collect::<Result<_, ExportError>>()?;
        let inconclusive = format!("verdict = 1; $display(\"INCONCLUSIVE {id} step {at}\");");
        let mut shown = Vec::new();
        let mut arguments = Vec::new();
        for (name, value) in &expected {
            shown.push(format!("{}=%h", name.trim_start_matches("out_")));
            arguments.push(name.clone());
            shown.push("(%h)".to_owned());
            arguments.push(value.clone());
        }
        let fail = format!(
            "verdict = 2; $display(\"FAIL {id} step {at}: {}\", {});",
            shown.join(" "),
            arguments.join(", ")
        );
        match (others.as_slice(), step.allowed_complete) {
            (_, Some(false)) => line!(text, "        {inconclusive}"),
            ([], _) => line!(text, "        {fail}"),
            (others, _) if allows => {
                line!(
                    text,
                    "        if ({}) begin {inconclusive} end",
                    others.join(" || ")
                );
                line!(text, "        else begin {fail} end");
            }
            _ => line!(text, "        {fail}"),
        }
        line!(text, "        disable steps;\n      end");
        Ok(())
    }

    /// Returns the outputs with these values: their names in the bench, each with its value in Verilog; an error if the design has no such
    /// output.
    pub(crate) fn outputs(
        &self,
        values: &[(String, Value)],
    ) -> Result<Vec<(String, String)>, ExportError> {
        let mut found = Vec::new();
        for (name, _) in values {
            let Hardware {
                outputs, probes, ..
            } = self.hardware;
            let pins = outputs.iter().map(|pin| (pin, &self.names.outputs));
            let mut pins = pins.chain(probes.iter().map(|pin| (pin, &self.names.probes)));
            let Some((pin, names)) = pins.find(|(pin, _)| pin.name == *name) else {
                return Err(ExportError::unsuited(format!(
                    "the design has no output `{name}`"
                )));
            };
            if let Some(value) = value_of(values, pin)? {
                found.push((names[&pin.name].clone(), value));
            }
        }
        Ok(found)
    }

    /// Writes the top module, which runs tests number 1 to `tests` one after the other and counts their verdicts.
    fn conductor(&self, tests: usize, text: &mut String) {
        line!(text, "module hyperkill_testbench;");
        line!(
            text,
            "`ifdef HYPERKILL_DUMP\n  initial begin\n    $dumpfile(\"hyperkill.vcd\");\n    $dumpvars;\n  end\n`endif"
        );
        line!(text, "  integer passed, inconclusive, failed;");
        for number in 1..=tests {
            line!(
                text,
                "  reg start_{number};\n  wire done_{number};\n  wire [1:0] verdict_{number};"
            );
            line!(
                text,
                "  hyperkill_test_{number} test_{number} (start_{number}, done_{number}, verdict_{number});"
            );
        }
        line!(
            text,
            "\n  task count(input [1:0] verdict);\n    begin\n      if (verdict == 0) passed = passed + 1;\n      else if \
            (verdict == 1) inconclusive = inconclusive + 1;\n      else failed = failed + 1;\n    end\n  endtask"
        );
        line!(
            text,
            "\n  initial begin\n    passed = 0;\n    inconclusive = 0;\n    failed = 0;"
        );
        for number in 1..=tests {
            line!(text, "    start_{number} = 0;");
        }
        for number in 1..=tests {
            line!(
                text,
                "    #{SETTLE} start_{number} = 1;\n    wait (done_{number});\n    count(verdict_{number});"
            );
        }
        line!(
            text,
            "    $display(\"%0d passed, %0d inconclusive, %0d failed\", passed, inconclusive, failed);"
        );
        line!(
            text,
            "    if (passed == {tests}) $finish;\n    else $stop;\n  end\nendmodule"
        );
    }
}

/// Returns the Verilog condition that some output differs from its value. Each pair is a name in the bench and a value.
pub(crate) fn differs(outputs: &[(String, String)]) -> String {
    let parts = outputs
        .iter()
        .map(|(name, value)| format!("{name} !== {value}"));
    parts.collect::<Vec<String>>().join(" || ")
}

pub(crate) fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}

/// Returns the value of a pin as a Verilog number; `None` if `values` has none.
///
/// # Errors
/// If the value does not fit the pin.
pub(crate) fn value_of(
    values: &[(String, Value)],
    pin: &Pin,
) -> Result<Option<String>, ExportError> {
    let Some((_, value)) = values.iter().find(|(name, _)| *name == pin.name) else {
        return Ok(None);
    };
    match bits(value, pin.width) {
        Some(bits) => Ok(Some(hexadecimal(&bits))),
        None => Err(ExportError::unsuited(format!(
            "`{}` has no {} bits: {value}",
            pin.name, pin.width
        ))),
    }
}
