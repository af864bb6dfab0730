//! Runs and tests, read as traces.

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_core::timed::{Action, Automaton};
use hyperkill_timed_certify::replay::{Ending, Trace};
use hyperkill_timed_certify::windows::Window;
use hyperkill_uppaal::{ACCEPTED, INPUT, OUTPUT, REFUSED, SILENCE};

/// Returns the symbol that a step gives the variable `of`; `None` if the step has no values.
///
/// # Errors
/// If it has several values, another variable, or a value that is no symbol.
fn symbol<'a>(values: &'a [(String, Value)], of: &str) -> Result<Option<&'a str>, String> {
    match values {
        [] => Ok(None),
        [(name, Value::Symbol(value))] if name == of => Ok(Some(value)),
        _ => Err(format!("a step needs exactly one symbol for `{of}`")),
    }
}

fn time(step: &Step) -> Result<Time, String> {
    step.at.ok_or_else(|| "a step has no time".to_owned())
}

/// Returns the events of these steps, with their times.
fn events(steps: &[Step]) -> Result<Vec<(Time, Action)>, String> {
    let events = steps.iter().map(|step| {
        let (input, output) = (symbol(&step.inputs, INPUT)?, symbol(&step.outputs, OUTPUT)?);
        let (name, is_input) = match (input, output) {
            (Some(input), None) => (input, true),
            (None, Some(output)) => (output, false),
            _ => return Err("a step needs one input or one output, and not both".to_owned()),
        };
        let name = name.to_owned();
        Ok((time(step)?, Action { name, is_input }))
    });
    events.collect()
}

/// Returns the trace of a kill. The runs are the same up to the last step, where the model shows nothing and the mutant fails.
///
/// # Errors
/// If the runs are not of this form.
pub(crate) fn trace(model: &[Step], mutant: &[Step]) -> Result<Trace, String> {
    let (Some((end, before)), Some((failed, same))) = (model.split_last(), mutant.split_last())
    else {
        return Err("a run has no steps".to_owned());
    };
    let alike = |a: &Step, b: &Step| (a.at, &a.inputs, &a.outputs) == (b.at, &b.inputs, &b.outputs);
    if before.len() != same.len()
        || !before.iter().zip(same).all(|(a, b)| alike(a, b))
        || mutant.iter().any(|step| step.windows.is_some())
        || !end.outputs.is_empty()
        || (end.at, &end.inputs) != (failed.at, &failed.inputs)
    {
        return Err("the runs must differ only in the last output of the mutant".to_owned());
    }
    if [model, mutant]
        .iter()
        .any(|run| run.iter().any(|step| step.allowed.is_some()))
    {
        return Err("a run lists allowed outputs".to_owned());
    }
    let input = symbol(&failed.inputs, INPUT)?;
    let ending = match (input, symbol(&failed.outputs, OUTPUT)?) {
        (Some(input), Some(REFUSED)) => Ending::Refused(input.to_owned()),
        (Some(input), Some(ACCEPTED)) => Ending::Accepted(input.to_owned()),
        (None, Some(SILENCE)) => Ending::Silence,
        (None, Some(output)) => Ending::Output(output.to_owned()),
        _ => return Err("the mutant's run lacks its failure at the end".to_owned()),
    };
    Ok(Trace {
        events: events(before)?,
        at: time(end)?,
        ending,
    })
}

/// Returns the traces that a test stands for: one for each way in which a mutant may fail at its end.
///
/// # Errors
/// If the steps are no test.
pub(crate) fn traces(test: &[Step], mutant: &Automaton) -> Result<Vec<Trace>, String> {
    let Some((end, before)) = test.split_last() else {
        return Err("the test has no steps".to_owned());
    };
    if symbol(&end.outputs, OUTPUT)?.is_some() {
        return Err("the test expects an output at its end".to_owned());
    }
    let endings = match symbol(&end.inputs, INPUT)? {
        // Which one it is depends on whether the model knows the input.
        Some(input) => vec![
            Ending::Refused(input.to_owned()),
            Ending::Accepted(input.to_owned()),
        ],
        None => {
            let outputs = mutant.actions(false).into_iter();
            let outputs = outputs.map(|output| Ending::Output(output.to_owned()));
            std::iter::once(Ending::Silence).chain(outputs).collect()
        }
    };
    let (events, at) = (events(before)?, time(end)?);
    let traces = endings.into_iter().map(|ending| Trace {
        events: events.clone(),
        at,
        ending,
    });
    Ok(traces.collect())
}

/// Returns the outputs that a test allows in each of its waits.
///
/// # Errors
/// If a step has no windows.
pub(crate) fn windows(test: &[Step]) -> Result<Vec<Vec<Window>>, String> {
    let all = test.iter().map(|step| {
        let said = step.windows.as_ref();
        let said =
            said.ok_or_else(|| "a step lacks the outputs that may come before it".to_owned())?;
        let windows = said.iter().map(|window| {
            let output = symbol(&window.outputs, OUTPUT)?;
            let output = output.ok_or_else(|| "a window has no output".to_owned())?;
            Ok(Window {
                output: output.to_owned(),
                from: (window.from, !window.after),
                to: (window.to, !window.before),
            })
        });
        windows.collect()
    });
    all.collect()
}
