//! Suites as tests for cocotb, which drives a simulator from Python.

use std::fmt::Write;

use hyperkill_audit::documents::Suite;
use hyperkill_checker::testgen::running::{Observer, Then};
use hyperkill_core::sort::Value;
use hyperkill_frontend::Hardware;
use hyperkill_frontend::counted;
use hyperkill_frontend::hardware::{Clock, Pin, Ticks};

use crate::error::ExportError;
use crate::literals::bits;
use crate::names::harmless;
use crate::plays::{BenchTest, Play};
use crate::testbench::line;

/// Python code shared by all suites, which executes a test.
const RUNNING: &str = include_str!("cocotb.py");

/// A Python module of tests, and a program that runs each test in a simulation of its own.
pub struct Files {
    /// Python module of tests.
    pub tests: String,
    /// Python program that runs the tests.
    pub runner: String,
}

/// Returns a module of tests for cocotb, and the program that runs it.
///
/// # Errors
/// If a test would have to set registers without names, or the design uses both edges of a clock.
pub fn cocotb(
    suite: &Suite,
    hardware: &Hardware,
    tests: &[BenchTest<'_>],
) -> Result<Files, ExportError> {
    if let Some(register) = hardware.unnamed.first() {
        return Err(ExportError::unsuited(format!(
            "`{register}` may start with any value, and tests for cocotb cannot name it"
        ))
        .with_help("`--to verilog-testbench` lets it start as x"));
    }
    if let Some(clock) = hardware.clocks.iter().find(|clock| clock.both_edges) {
        return Err(ExportError::unsuited(format!(
            "both edges of the clock `{}` are used, and the first value that tests for cocotb give it would be one",
            clock.port
        ))
        .with_help("`--to verilog-testbench` starts clocks without an edge"));
    }
    let mut text = String::new();
    let name = harmless(&suite.model.description.name);
    line!(
        text,
        "# Tests of `{}` for cocotb, made by hyperkill from {name}: {}.",
        harmless(&hardware.top),
        counted(suite.tests.len(), "test")
    );
    line!(
        text,
        "# Each begins with power on: `python3 runner.py DESIGN.v` runs each in a simulation of its own."
    );
    line!(text, "{RUNNING}\n");
    let inputs = hardware.inputs.iter();
    let inputs: Vec<String> = inputs.map(|pin| quoted(&pin.name)).collect();
    line!(text, "INPUTS = [{}]", inputs.join(", "));
    let clocks = hardware.clocks.iter();
    let clocks = clocks.map(ticking).collect::<Vec<String>>();
    line!(text, "CLOCKS = [{}]", clocks.join(", "));
    let resets = hardware.resets.iter().map(|reset| {
        let active = u8::from(reset.active);
        format!("({}, {active}, {})", quoted(&reset.port), reset.steps)
    });
    let resets: Vec<String> = resets.collect();
    line!(text, "RESETS = [{}]", resets.join(", "));
    line!(
        text,
        "# Registers whose first values somebody chose. HYPERKILL_NO_DEPOSITS in the environment lets tests set none."
    );
    let deposits = hardware.deposits.iter();
    let deposits = deposits.map(|deposit| (deposit.path.as_str(), deposit.bits.as_slice()));
    line!(text, "DEPOSITS = [{}]", registers(deposits));
    let mut names = Vec::new();
    for test in tests {
        let Some(machine) = &test.machine else {
            continue;
        };
        for play in &test.plays {
            let mut id = test.test.id.clone();
            if let Some((mutant, _)) = &play.of_mutant {
                id = format!("{id}_{mutant}");
            }
            let name = id.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            function(&name, &id, hardware, machine, play, &mut text)?;
            names.push(quoted(&name));
        }
    }
    Ok(Files {
        tests: text,
        runner: runner(hardware, &names),
    })
}

/// Returns a clock as a Python tuple: its port, whether it rises first, whether both edges are used, and when it ticks.
fn ticking(clock: &Clock) -> String {
    let ticks = match &clock.ticks {
        Ticks::Always => "True".to_owned(),
        Ticks::Never => "False".to_owned(),
        Ticks::Chosen => "None".to_owned(),
        Ticks::Round(round) => {
            let steps = round.iter().map(|ticks| python(*ticks));
            format!("[{}]", steps.collect::<Vec<&str>>().join(", "))
        }
    };
    format!(
        "({}, {}, {}, {ticks})",
        quoted(&clock.port),
        python(clock.rising),
        python(clock.both_edges)
    )
}

/// Writes the Python function `name` for one play (run with chosen values) of test `id`: the places of its state machine, and the play's
/// choices.
fn function(
    name: &str,
    id: &str,
    hardware: &Hardware,
    machine: &Observer,
    play: &Play,
    text: &mut String,
) -> Result<(), ExportError> {
    line!(text, "\n\n@cocotb.test()\nasync def {name}(dut):");
    line!(text, "    places = [");
    let clocks = hardware.clocks.iter();
    let clocks = clocks.filter(|clock| clock.ticks == Ticks::Chosen);
    let clocks: Vec<Pin> = clocks
        .map(|clock| Pin {
            name: clock.port.clone(),
            width: 1,
        })
        .collect();
    for place in &machine.places {
        let inputs = values(&place.inputs, &[&hardware.inputs, &clocks])?;
        line!(text, "        ({inputs}, [");
        for (answer, then) in &place.answers {
            let outputs = values(answer, &[&hardware.outputs, &hardware.probes])?;
            let then = match then {
                Then::At(place) => place.to_string(),
                Then::Passes => "PASSES".to_owned(),
                Then::Stops => "STOPS".to_owned(),
            };
            line!(text, "            ({outputs}, {then}),");
        }
        line!(text, "        ]),");
    }
    line!(text, "    ]");
    let chosen = play.choices.iter().filter(|chosen| !chosen.is_empty());
    let chosen = chosen.map(|chosen| values(chosen, &[&hardware.inputs]));
    let chosen: Vec<String> = chosen.collect::<Result<_, _>>()?;
    line!(text, "    choices = [{}]", chosen.join(", "));
    let steps = match &play.of_mutant {
        Some((_, steps)) => steps.to_string(),
        None => "None".to_owned(),
    };
    let free = hardware.free.iter().zip(&play.registers);
    let free = free.map(|(register, bits)| (register.path.as_str(), bits.as_slice()));
    line!(text, "    registers = [{}]", registers(free));
    let id = quoted(id);
    line!(
        text,
        "    await run(dut, {{\"id\": {id}, \"places\": places, \"choices\": choices, \"registers\": registers, \"steps\": {steps}}})"
    );
    Ok(())
}

/// Returns pairs of register paths and values as Python. Each register is given with its bits, the least significant first.
fn registers<'a>(of: impl Iterator<Item = (&'a str, &'a [bool])>) -> String {
    let pairs = of.map(|(path, bits)| format!("({}, {})", quoted(path), hexadecimal(bits)));
    pairs.collect::<Vec<String>>().join(", ")
}

/// Returns the values of pins as a Python dictionary of numbers; an error if no pin of that name has such a value.
fn values(values: &[(String, Value)], pins: &[&[Pin]]) -> Result<String, ExportError> {
    let mut entries = Vec::new();
    for (name, value) in values {
        let pin = pins.iter().copied().flatten().find(|pin| pin.name == *name);
        let number = pin.and_then(|pin| bits(value, pin.width));
        let Some(number) = number else {
            return Err(ExportError::unsuited(format!(
                "the design has no `{name}` that is {value}"
            )));
        };
        entries.push(format!("{}: {}", quoted(name), hexadecimal(&number)));
    }
    Ok(format!("{{{}}}", entries.join(", ")))
}

fn hexadecimal(bits: &[bool]) -> String {
    let digits = bits.chunks(4).rev().map(|part| {
        let value = part
            .iter()
            .rev()
            .fold(0, |sum, &bit| sum * 2 + u32::from(bit));
        char::from_digit(value, 16).unwrap_or('0')
    });
    let digits: String = digits.collect();
    let digits = digits.trim_start_matches('0');
    match digits {
        "" => "0".to_owned(),
        digits => format!("0x{digits}"),
    }
}

fn python(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", harmless(text))
}

/// Returns a Python program that runs each test, by its name, in a simulation of its own.
fn runner(hardware: &Hardware, names: &[String]) -> String {
    let parameters = hardware.parameters.iter();
    let parameters: Vec<String> = parameters
        .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
        .collect();
    format!(
        "\
# Runs each test in a simulation of its own: python3 runner.py DESIGN.v...
# The simulator is that in SIM, Icarus Verilog if there is none. The exit status is 1 if a test does not pass.
import os
import pathlib
import sys
import xml.etree.ElementTree

try:
    from cocotb_tools.runner import get_runner
except ImportError:
    from cocotb.runner import get_runner

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
os.environ[\"PYTHONPATH\"] = os.pathsep.join(sys.path)
runner = get_runner(os.environ.get(\"SIM\", \"icarus\"))
runner.build(
    sources=[pathlib.Path(file).resolve() for file in sys.argv[1:]],
    hdl_toplevel=\"{}\",
    parameters={{{}}},
    build_dir=here / \"sim\",
    always=True,
)
failed = []
for test in [{}]:
    results = runner.test(
        hdl_toplevel=\"{}\",
        test_module=\"hyperkill_tests\",
        testcase=test,
        results_xml=str(here / \"sim\" / (test + \".xml\")),
    )
    cases = list(xml.etree.ElementTree.parse(results).iter(\"testcase\"))
    # Newer releases also write properties of a test that passes.
    said = {{word.tag for case in cases for word in case}}
    passed = bool(cases) and not said & {{\"failure\", \"error\", \"skipped\"}}
    print(\"PASS\" if passed else \"FAIL\", test)
    failed += [] if passed else [test]
sys.exit(1 if failed else 0)
",
        harmless(&hardware.top),
        parameters.join(", "),
        names.join(", "),
        harmless(&hardware.top)
    )
}
