//! Tests as comma-separated values.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::conditional::sorts;
use hyperkill_core::events::{Calls, Side};
use hyperkill_export::csv;
use hyperkill_frontend::Inputs;
use hyperkill_run::unfit::Unfit;

use super::inputs::{FixedTest, value};

/// Returns the tests in a table of comma-separated values: a column for each input, a row for each step, an empty line between tests.
/// Columns of outputs are ignored. A column for an event, without its parameters, contains calls.
///
/// # Errors
/// If the file is malformed, or names no inputs of the model. `name` is the file name.
pub fn of_csv(
    name: &str,
    bytes: &[u8],
    model: &ConditionalMutant,
) -> Result<Vec<FixedTest>, Unfit> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| Unfit::new(format!("{name} is not UTF-8")))?;
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let open = |place: &str| Unfit::new(format!("{place}: the quotes of a cell are not closed"));
    let columns = csv::cells(header).ok_or_else(|| open(&format!("{name}:1")))?;
    let calls = Calls::new(&model.events);
    // If parameters have columns of their own, these and the event's column contain values of ports.
    let with_calls = model.events.iter().filter(|of| {
        of.side == Side::Inputs
            && !of
                .parameters()
                .any(|port| columns.iter().any(|c| c == port))
    });
    let with_calls: Vec<&str> = with_calls.map(|of| of.port.as_str()).collect();
    for column in &columns {
        let known = model.inputs.iter().chain(&model.outputs);
        let is_call = with_calls.contains(&column.as_str());
        if !is_call && !known.clone().any(|port| port.name == *column) {
            return Err(Unfit::new(format!("{name}: there is no input `{column}`")));
        }
    }
    let mut tests: Vec<Vec<Inputs>> = vec![Vec::new()];
    for (number, line) in lines {
        if line.trim().is_empty() {
            tests.push(Vec::new());
            continue;
        }
        let place = format!("{name}:{}", number + 1);
        let cells = csv::cells(line).ok_or_else(|| open(&place))?;
        if cells.len() != columns.len() {
            let (found, expected) = (cells.len(), columns.len());
            return Err(Unfit::new(format!(
                "{place}: {found} cells in {expected} columns"
            )));
        }
        let mut step = Vec::new();
        for (column, cell) in columns.iter().zip(&cells) {
            let cannot_be =
                |why: String| Unfit::new(format!("{place}: `{column}` cannot be {cell}: {why}"));
            if with_calls.contains(&column.as_str()) {
                let values =
                    calls.spelled(Side::Inputs, column, cell, &sorts(&model.inputs), value);
                step.extend(values.ok_or_else(|| cannot_be("there is no such event".to_owned()))?);
            } else if let Some(port) = model.inputs.iter().find(|port| port.name == *column) {
                let value = value(cell, &port.sort);
                let value = value.ok_or_else(|| cannot_be(format!("its type is {}", port.sort)))?;
                step.push((port.name.clone(), value));
            }
        }
        if let Some(test) = tests.last_mut() {
            test.push(step);
        }
    }
    tests.retain(|test| !test.is_empty());
    let tests = tests.into_iter().enumerate();
    let tests = tests.map(|(number, inputs)| FixedTest {
        id: format!("csv-{}", number + 1),
        inputs,
    });
    Ok(tests.collect())
}
