//! Traces as steps of tests, and back.

use std::collections::BTreeSet;

use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, Window};
use hyperkill_core::time::Time;
use hyperkill_core::timed::Action;
use hyperkill_timed::rational::Rational;
use hyperkill_timed::refine::Ending;
use hyperkill_timed::replay::{Event, Trace};
use hyperkill_timed::windows::Wait;
use hyperkill_uppaal::{ACCEPTED, INPUT, OUTPUT, REFUSED, SILENCE};

pub(crate) fn time(at: Rational) -> Option<Time> {
    let (numerator, denominator) = at.parts();
    Time::fraction(numerator.try_into().ok()?, denominator.try_into().ok()?).ok()
}

fn rational(at: Time) -> Option<Rational> {
    let (numerator, denominator) = at.parts();
    Rational::new(numerator.into(), denominator.into())
}

fn symbol(name: &str, value: &str) -> Vec<(String, Value)> {
    vec![(name.to_owned(), Value::Symbol(value.to_owned()))]
}

/// Returns the runs of the model and of the mutant on a trace. They differ in the last step only, where the model shows nothing. `None` if
/// a time is too large.
pub(crate) fn runs(trace: &Trace) -> Option<(Vec<Step>, Vec<Step>)> {
    let mut model = Vec::new();
    for event in &trace.events {
        let mut step = Step {
            at: Some(time(event.at)?),
            ..Step::default()
        };
        match event.action.is_input {
            true => step.inputs = symbol(INPUT, &event.action.name),
            false => step.outputs = symbol(OUTPUT, &event.action.name),
        }
        model.push(step);
    }
    let mut last = Step {
        at: Some(time(trace.at)?),
        ..Step::default()
    };
    if let Ending::Refused(input) | Ending::Accepted(input) = &trace.ending {
        last.inputs = symbol(INPUT, input);
    }
    let mut mutant = model.clone();
    let shown = match &trace.ending {
        Ending::Refused(_) => REFUSED,
        Ending::Accepted(_) => ACCEPTED,
        Ending::Output(output) => output,
        Ending::Silence => SILENCE,
    };
    mutant.push(Step {
        outputs: symbol(OUTPUT, shown),
        ..last.clone()
    });
    model.push(last);
    Some((model, mutant))
}

/// Writes into each step of a test the outputs that the model may give in the wait before it. `None` if a window has no end or a time is
/// too large.
pub(crate) fn say_windows(steps: &mut [Step], waits: Vec<Wait>) -> Option<()> {
    for (step, wait) in steps.iter_mut().zip(waits) {
        let windows = wait.windows.into_iter().map(|window| {
            Some(Window {
                outputs: symbol(OUTPUT, &window.output),
                from: time(window.times.from)?,
                after: !window.times.has_from,
                to: time(window.times.to?)?,
                before: !window.times.has_to,
            })
        });
        step.windows = Some(windows.collect::<Option<_>>()?);
    }
    Some(())
}

fn only<'a>(values: &'a [(String, Value)], of: &str) -> Option<&'a str> {
    match values {
        [(name, Value::Symbol(value))] if name == of => Some(value),
        _ => None,
    }
}

/// A test: its events, the time of its end, and the input that it then gives, if any.
pub(crate) struct Test {
    pub(crate) events: Vec<Event>,
    pub(crate) at: Rational,
    pub(crate) input: Option<String>,
}

/// Returns the test that steps describe. Each step before the last has a time and one input or one output; the last has a time and at most
/// an input. `None` for other steps.
pub(crate) fn test(steps: &[Step]) -> Option<Test> {
    let (last, before) = steps.split_last()?;
    let mut events = Vec::new();
    for step in before {
        let action = match (only(&step.inputs, INPUT), only(&step.outputs, OUTPUT)) {
            (Some(input), None) if step.outputs.is_empty() => (input, true),
            (None, Some(output)) if step.inputs.is_empty() => (output, false),
            _ => return None,
        };
        events.push(Event {
            at: rational(step.at?)?,
            action: Action {
                name: action.0.to_owned(),
                is_input: action.1,
            },
        });
    }
    let input = only(&last.inputs, INPUT);
    if !last.outputs.is_empty() || (input.is_none() && !last.inputs.is_empty()) {
        return None;
    }
    Some(Test {
        events,
        at: rational(last.at?)?,
        input: input.map(str::to_owned),
    })
}

/// Returns the traces that a test stands for: one for each way in which a mutant may fail in the last step. `outputs` are the outputs of
/// the mutant. `None` if the steps are no test.
pub(crate) fn traces(steps: &[Step], outputs: &BTreeSet<&str>) -> Option<Vec<Trace>> {
    let Test { events, at, input } = test(steps)?;
    let endings = match input {
        // Which one it is depends on whether the model knows the input.
        Some(input) => vec![Ending::Refused(input.clone()), Ending::Accepted(input)],
        None => {
            let outputs = outputs.iter();
            let outputs = outputs.map(|output| Ending::Output((*output).to_owned()));
            std::iter::once(Ending::Silence).chain(outputs).collect()
        }
    };
    let traces = endings.into_iter().map(|ending| Trace {
        events: events.clone(),
        at,
        ending,
    });
    Some(traces.collect())
}
