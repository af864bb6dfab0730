//! Tests as testers beside the model, for Uppaal.

use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_timed::refine::Side;
use hyperkill_timed::windows::{Wait, waits};
use hyperkill_uppaal::tester::{Stage, Tester, Then, Times, written};

use crate::steps::{self, Test};

/// The automaton of the system under test, and its name.
#[derive(Clone, Copy)]
pub(crate) struct System<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) name: &'a str,
}

/// Returns a file for Uppaal with the system beside a tester, a process that runs a test of the model. `free` is the model within its
/// invariants.
///
/// # Errors
/// If there is no such tester, with the reason.
pub(crate) fn tester(
    model: &Side,
    free: &Side,
    system: System<'_>,
    test: &[Step],
    rules: Rules,
) -> Result<String, String> {
    let test = steps::test(test).ok_or("it is not a timed test")?;
    let no_test = || "the model does not show the expected events".to_owned();
    let is_unknown = |input: &String| !model.automaton.actions(true).contains(input.as_str());
    if test.input.as_ref().is_some_and(is_unknown) {
        return Err("it gives an input that the model does not know".to_owned());
    }
    let along = |side: &Side| waits(side, &test.events, test.at, rules);
    let kept = along(model).ok_or_else(no_test)?;
    // The process in the file is not restricted to its good states, so it would fail when it leaves them.
    if along(free).as_ref() != Some(&kept) {
        return Err(
            "the process without pruning may leave its good states during the test".to_owned(),
        );
    }
    let stages = stages(model, system.automaton, &test, kept, rules);
    let tester = Tester {
        system: system.automaton,
        name: system.name,
        stages: &stages.ok_or("its times are too large")?,
        stays_at_unknown_inputs: rules.stays_at_unknown_inputs,
    };
    written(tester).ok_or_else(|| "its times are too large".to_owned())
}

fn stages(
    model: &Side,
    system: &Automaton,
    test: &Test,
    waits: Vec<Wait>,
    rules: Rules,
) -> Option<Vec<Stage>> {
    let mut stages = Vec::new();
    let mut now = Time::ZERO;
    for (number, wait) in waits.into_iter().enumerate() {
        let event = test.events.get(number);
        let until = steps::time(event.map_or(test.at, |event| event.at))?;
        let then = match (event, &test.input) {
            (Some(event), _) if event.action.is_input => Then::Gives(event.action.name.clone()),
            (Some(event), _) => Then::Expects(event.action.name.clone()),
            (None, Some(input)) => Then::Gives(input.clone()),
            (None, None) if wait.may_wait => Then::Passes,
            (None, None) => Then::Fails,
        };
        let mut windows = Vec::new();
        for window in wait.windows {
            let times = Times {
                from: steps::time(window.times.from)?,
                has_from: window.times.has_from,
                to: steps::time(window.times.to?)?,
                has_to: window.times.has_to,
            };
            windows.push((window.output, times));
        }
        if rules.stays_at_unknown_outputs {
            let known = model.automaton.actions(false);
            let unknown = system.actions(false).into_iter();
            let always = Times {
                from: now,
                has_from: true,
                to: until,
                has_to: true,
            };
            let unknown = unknown.filter(|output| !known.contains(output));
            windows.extend(unknown.map(|output| (output.to_owned(), always)));
        }
        stages.push(Stage {
            until,
            windows,
            then,
        });
        now = until;
    }
    Some(stages)
}
