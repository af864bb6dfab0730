//! Tests with times as tables and waveforms.

use hyperkill_audit::documents::{Signature, SuiteTest};
use hyperkill_core::time::Time;
use vcd::{SimulationCommand, TimescaleUnit, VarType, Writer};

use crate::csv;
use crate::error::ExportError;
use crate::tables::Columns;
use crate::waveforms::{declare, set};

/// Number of decimals of a second in the finest time of a waveform: femtoseconds.
const FINEST: u32 = 15;

/// Returns tests with times as comma-separated values, with a row for each step and an empty line between tests. Columns are the time since
/// the start, the delay since the input before, and each input and output.
#[must_use]
pub fn comma_separated(signature: &Signature, tests: &[SuiteTest]) -> String {
    let columns = Columns::of(signature);
    let mut text = csv::line(["at", "delay"].into_iter().chain(columns.names())) + "\n";
    for (number, test) in tests.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let mut before = Time::ZERO;
        for step in &test.steps {
            let at = step.at.unwrap_or(before);
            let delay = at.since(before).unwrap_or(Time::ZERO);
            before = at;
            let mut row = vec![at.to_string(), delay.to_string()];
            row.extend(columns.cells(step));
            text += &csv::line(row);
            text.push('\n');
        }
    }
    text
}

/// The length of a model's unit of time in waveforms: `times` · 10^-`digits` seconds.
#[derive(Clone, Copy)]
struct Unit {
    times: u64,
    digits: u32,
}

impl Unit {
    /// Returns the length of the unit with this name. Units of unknown length count as nanoseconds.
    fn named(name: Option<&str>) -> Unit {
        let (times, digits) = match name {
            Some("h") => (3600, 0),
            Some("min") => (60, 0),
            Some("s") => (1, 0),
            Some("ms") => (1, 3),
            Some("us") => (1, 6),
            _ => (1, 9),
        };
        Unit { times, digits }
    }
}

/// Returns a test with times as waveforms (VCD). Inputs of one moment are separated by the finest time of the file; `event` changes with
/// each of them, and `ticks` counts whole units since the start. `unit` is the name of the unit of time.
///
/// # Errors
/// If a time has no decimal fraction that fits.
pub fn waveforms(
    signature: &Signature,
    test: &SuiteTest,
    unit: Option<&str>,
) -> Result<Vec<u8>, ExportError> {
    let scale = Unit::named(unit);
    let times: Vec<Time> = (test.steps.iter())
        .map(|step| step.at.unwrap_or(Time::ZERO))
        .collect();
    let finer = digits(&times).filter(|digits| scale.digits + digits <= FINEST);
    let finer = finer.ok_or_else(|| {
        ExportError::unsuited(format!("{}: its times are too fine for waveforms", test.id))
    })?;
    let step = 10_u64.pow(finer);
    let long =
        || ExportError::unsuited(format!("{}: its times are too long for waveforms", test.id));
    let stamp = |at: Time| {
        let (units, parts) = at.parts();
        let whole = units.checked_mul(step)? / parts;
        whole.checked_mul(scale.times)
    };
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    let name = unit.unwrap_or("unit");
    writer.comment(&format!(
        "test {}, by hyperkill; a unit of the model, {name}, is {} steps of time",
        test.id,
        step * scale.times
    ))?;
    let (magnitude, word) = timescale(scale.digits + finer);
    writer.timescale(magnitude, word)?;
    writer.add_module("test")?;
    let event = writer.add_var(VarType::Wire, 1, "event", None)?;
    let ticks = writer.add_var(VarType::Integer, 64, "ticks", None)?;
    let mut variables = declare(&mut writer, "inputs", &signature.inputs, true)?;
    variables.extend(declare(&mut writer, "outputs", &signature.outputs, false)?);
    writer.upscope()?;
    writer.enddefinitions()?;
    let mut next = 0;
    for (index, (step, &at)) in test.steps.iter().zip(&times).enumerate() {
        let moment = stamp(at).ok_or_else(long)?.max(next);
        next = moment + 1;
        writer.timestamp(moment)?;
        if index == 0 {
            writer.begin(SimulationCommand::Dumpvars)?;
        }
        writer.change_scalar(event, index % 2 == 0)?;
        let whole = at.floor();
        writer.change_vector(
            ticks,
            (0..64).rev().map(|bit| (whole >> bit & 1 == 1).into()),
        )?;
        for variable in &mut variables {
            set(&mut writer, variable, step)?;
        }
        if index == 0 {
            writer.end()?;
        }
    }
    writer.timestamp(next)?;
    Ok(bytes)
}

/// Returns the smallest number of decimals that represents all times and separates all inputs of a moment. `None` if no supported number
/// does.
fn digits(times: &[Time]) -> Option<u32> {
    let most = times.chunk_by(|one, other| one == other).map(<[Time]>::len);
    let most = most.max().unwrap_or(1) as u64;
    let is_enough = |digits: &u32| {
        let step = 10_u64.pow(*digits);
        step > most && times.iter().all(|time| step.is_multiple_of(time.parts().1))
    };
    (0..=FINEST).find(is_enough)
}

/// Returns the VCD time scale of 10^-`digits` seconds as a number (1, 10 or 100) and a unit. `digits` is at most 15.
fn timescale(digits: u32) -> (u32, TimescaleUnit) {
    let units = [
        TimescaleUnit::S,
        TimescaleUnit::MS,
        TimescaleUnit::US,
        TimescaleUnit::NS,
        TimescaleUnit::PS,
        TimescaleUnit::FS,
    ];
    let index = digits.div_ceil(3).min(5);
    (
        10_u32.pow((index * 3).saturating_sub(digits)),
        units[index as usize],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_one_ten_or_a_hundred_of_a_unit() {
        assert_eq!(timescale(0), (1, TimescaleUnit::S));
        assert_eq!(timescale(1), (100, TimescaleUnit::MS));
        assert_eq!(timescale(4), (100, TimescaleUnit::US));
        assert_eq!(timescale(9), (1, TimescaleUnit::NS));
        assert_eq!(timescale(15), (1, TimescaleUnit::FS));
    }

    #[test]
    fn there_is_room_for_inputs_of_one_moment_and_for_decimals() {
        let times = |texts: &[&str]| {
            let times = texts.iter().map(|text| text.parse().unwrap());
            times.collect::<Vec<Time>>()
        };
        assert_eq!(digits(&times(&["0", "3", "3"])), Some(1));
        assert_eq!(digits(&times(&["0", "6.75"])), Some(2));
        assert_eq!(digits(&[Time::ZERO; 10]), Some(2));
        assert_eq!(digits(&times(&["1/3"])), None);
    }
}
