//! Tests as waveforms (VCD, IEEE 1364-2001 §18), with inputs and expected outputs.
//!
//! A step takes ten nanoseconds. Its clocks tick in the middle of the step, after the outputs were compared. Values other than bits and
//! words are strings, as GTKWave reads them.

use hyperkill_audit::documents::{PortDescription, Signature, SuiteTest, TestStep};
use hyperkill_core::sort::Value;
use hyperkill_frontend::hardware::Clock;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, VarType, Writer};

use crate::error::ExportError;
use crate::literals::bits;

/// Nanoseconds of a step in the waveforms.
const STEP: u64 = 10;

/// A variable of the waveform file, with its port in the test.
pub(crate) struct Variable<'a> {
    port: &'a PortDescription,
    id: IdCode,
    is_input: bool,
    last: Option<Value>,
}

impl Variable<'_> {
    fn is_word(&self) -> bool {
        is_word(self.port)
    }
}

fn is_word(port: &PortDescription) -> bool {
    matches!(port.kind.as_str(), "bit" | "boolean" | "word")
}

/// Returns a test as waveforms (VCD): inputs, outputs, and the levels of the clocks.
///
/// # Errors
/// If a value does not fit its variable.
pub fn waveforms(
    signature: &Signature,
    test: &SuiteTest,
    clocks: &[Clock],
) -> Result<Vec<u8>, ExportError> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    writer.comment(&format!("test {}, by hyperkill", test.id))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    writer.add_module("test")?;
    let mut ticking = Vec::new();
    for clock in clocks {
        let id = writer.add_var(VarType::Wire, 1, &written(&clock.port), None)?;
        ticking.push((id, clock, !clock.rising));
    }
    let mut variables = declare(&mut writer, "inputs", &signature.inputs, true)?;
    variables.extend(declare(&mut writer, "outputs", &signature.outputs, false)?);
    writer.upscope()?;
    writer.enddefinitions()?;
    for (at, step) in test.steps.iter().enumerate() {
        writer.timestamp(at as u64 * STEP)?;
        if at == 0 {
            writer.begin(SimulationCommand::Dumpvars)?;
        }
        for (id, clock, level) in &mut ticking {
            if !clock.both_edges {
                *level = !clock.rising;
            }
            writer.change_scalar(*id, *level)?;
        }
        for variable in &mut variables {
            set(&mut writer, variable, step)?;
        }
        if at == 0 {
            writer.end()?;
        }
        if !ticking.is_empty() {
            writer.timestamp(at as u64 * STEP + STEP / 2)?;
        }
        for (id, clock, level) in &mut ticking {
            if clock.is_ticking(at, &step.inputs.0) {
                *level = !*level;
                writer.change_scalar(*id, *level)?;
            }
        }
    }
    writer.timestamp(test.steps.len() as u64 * STEP)?;
    Ok(bytes)
}

/// Declares a variable for each port in a scope of a waveform file, and returns them in the order of `ports`.
pub(crate) fn declare<'a>(
    writer: &mut Writer<&mut Vec<u8>>,
    scope: &str,
    ports: &'a [PortDescription],
    is_input: bool,
) -> Result<Vec<Variable<'a>>, ExportError> {
    let mut variables = Vec::new();
    writer.add_module(scope)?;
    for port in ports {
        let (kind, width) = match is_word(port) {
            true => (VarType::Wire, port.width.max(1) as u32),
            false => (VarType::String, 1),
        };
        let id = writer.add_var(kind, width, &written(&port.name), None)?;
        variables.push(Variable {
            port,
            id,
            is_input,
            last: None,
        });
    }
    writer.upscope()?;
    Ok(variables)
}

/// Writes the value of a variable at a step into the waveform file, if it changed.
pub(crate) fn set(
    writer: &mut Writer<&mut Vec<u8>>,
    variable: &mut Variable<'_>,
    step: &TestStep,
) -> Result<(), ExportError> {
    let values = match variable.is_input {
        true => &step.inputs,
        false => &step.outputs,
    };
    let mut values = values.0.iter();
    let value = values.find(|(name, _)| *name == variable.port.name);
    if let Some((_, value)) = value
        && variable.last.as_ref() != Some(value)
    {
        change(writer, variable, value)?;
        variable.last = Some(value.clone());
    }
    Ok(())
}

fn change(
    writer: &mut Writer<&mut Vec<u8>>,
    variable: &Variable<'_>,
    value: &Value,
) -> Result<(), ExportError> {
    let port = variable.port;
    if !variable.is_word() {
        return Ok(writer.change_string(variable.id, &written(&value.to_string()))?);
    }
    let Some(bits) = bits(value, port.width) else {
        return Err(ExportError::unsuited(format!(
            "`{}` has no {} bits: {value}",
            port.name, port.width
        )));
    };
    match bits.as_slice() {
        [bit] => writer.change_scalar(variable.id, *bit)?,
        bits => writer.change_vector(variable.id, bits.iter().rev().map(|&bit| bit.into()))?,
    }
    Ok(())
}

/// Returns a name with `_` in place of blanks and control characters, since blanks end it in the file.
fn written(name: &str) -> String {
    let character = |c: char| {
        if c.is_whitespace() || c.is_control() {
            '_'
        } else {
            c
        }
    };
    name.chars().map(character).collect()
}
