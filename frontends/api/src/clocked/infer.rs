//! Infers clocks and resets from facts and options.

use crate::diagnostic::Diagnostic;
use crate::near::did_you_mean;
use crate::options::{FrontendOptions, ResetOption};
use crate::source::Span;

use super::facts::{ClockUse, Facts, Input, Origin};
use super::several;
use super::timing::{ClockEdge, ResetInput, Timing};

/// Infers clocks and resets.
///
/// # Errors
/// Unless all clocks are to be one: if there are several clocks, or a clock is no input of one bit or is read as a value. If a reset is
/// active at both levels, or a requested one is no input of one bit.
pub fn infer<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
) -> Result<Timing<Id>, Diagnostic> {
    decided(facts, options, false)
}

/// Infers clocks and resets for a language with several clocks and both of their edges.
///
/// # Errors
/// Unless all clocks are to be one: if a clock is no input of one bit, or is read as a value. If `--clock` names no clock. If a reset is
/// active at both levels, or a requested one is no input of one bit.
pub fn infer_several<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
) -> Result<Timing<Id>, Diagnostic> {
    decided(facts, options, true)
}

fn decided<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
    knows_several: bool,
) -> Result<Timing<Id>, Diagnostic> {
    let mut timing = Timing {
        clocks: Vec::new(),
        ticking: Vec::new(),
        made: None,
        resets: Vec::new(),
        notes: Vec::new(),
    };
    clocks(facts, options, knows_several, &mut timing)?;
    if knows_several && !options.hardware.one_clock {
        several::decide(facts, options, &mut timing)?;
    } else if !options.hardware.clocks.is_empty() {
        let message = match options.hardware.one_clock {
            true => "--clock says when clocks tick, and --one-clock that all do at every step",
            false => "--clock: models of this language have one clock",
        };
        return Err(Diagnostic::option(message, None));
    }
    resets(facts, options, &mut timing)?;
    several::note_resets(facts, &mut timing);
    Ok(timing)
}

fn clocks<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
    knows_several: bool,
    timing: &mut Timing<Id>,
) -> Result<(), Diagnostic> {
    let mut found: Vec<(ClockEdge<Id>, Span)> = Vec::new();
    for clock in &facts.clocks {
        let edge = match edge(facts, clock) {
            Ok(edge) => edge,
            Err(_) if options.hardware.one_clock => {
                timing.made.get_or_insert(clock.place);
                continue;
            }
            Err(error) => return Err(one_clock(error)),
        };
        if found.iter().any(|(other, _)| *other == edge) {
            continue;
        }
        if let Some((first, place)) = found.first()
            && !options.hardware.one_clock
            && !knows_several
        {
            let message = match first.input == edge.input {
                true => format!(
                    "both edges of the clock `{}` are used",
                    facts.name(edge.input)
                ),
                false => format!(
                    "several clocks: `{}` and `{}`",
                    facts.name(first.input),
                    facts.name(edge.input)
                ),
            };
            let error = Diagnostic::error(clock.place, message);
            return Err(one_clock(error.with_label(*place, "the first one")));
        }
        found.push((edge, clock.place));
    }
    for input in &facts.inputs {
        let mut edges = found.iter().map(|(edge, _)| *edge);
        let of_input: Vec<_> = edges
            .by_ref()
            .filter(|edge| edge.input == input.id)
            .collect();
        if !of_input.is_empty() && (options.hardware.one_clock || found.len() == 1) {
            let note = format!("`{}` is the clock: one step is one edge", input.name);
            timing.notes.push(note);
        }
        timing.clocks.extend(of_input);
    }
    Ok(())
}

fn one_clock(diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.help.is_some() {
        return diagnostic;
    }
    diagnostic.with_help("with --one-clock every register changes at every step")
}

/// Returns the input, and the edge of it, at which registers with this clock change.
///
/// # Errors
/// If the clock is one bit of a wider input, never changes, or is made by logic. If its input is read as a value.
fn edge<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    clock: &ClockUse<Id>,
) -> Result<ClockEdge<Id>, Diagnostic> {
    let error = |message: String| Err(Diagnostic::error(clock.place, message));
    let what = match &clock.name {
        Some(name) => format!("the clock `{name}`"),
        None => "this clock".to_owned(),
    };
    let (id, inverted) = match clock.origin {
        Origin::Input { id, inverted } => (id, inverted),
        Origin::Bit(id) => {
            let wide = facts.name(id);
            let message = format!("{what} is one bit of the wider input `{wide}`");
            return error(message).map_err(|error| {
                error.with_help(format!(
                    "a clock is an input of its own: write a module around the design that joins such inputs to `{wide}`, and name it by \
                     --top; with --one-clock every register changes at every step"
                ))
            });
        }
        Origin::Constant => return error(format!("{what} never changes")),
        Origin::Made => {
            return error(format!(
                "{what} is no input of the top module, but made by logic or a register"
            ));
        }
    };
    let read = facts.inputs.iter().find(|input| input.id == id);
    if let Some(Input {
        name,
        read: Some(read),
        ..
    }) = read
    {
        let how = if read.is_output {
            "is an output"
        } else {
            "is read as a value"
        };
        return Err(Diagnostic::error(
            read.place,
            format!("the clock `{name}` {how}"),
        ));
    }
    Ok(ClockEdge {
        input: id,
        rising: clock.rising != inverted,
    })
}

fn resets<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
    timing: &mut Timing<Id>,
) -> Result<(), Diagnostic> {
    let asked = asked(facts, options, timing)?;
    for input in &facts.inputs {
        if timing.is_clock(input.id) {
            continue;
        }
        let named = asked.iter().find(|(id, _)| *id == input.id);
        let named = named.map(|(_, reset)| *reset);
        let level = level(facts, input, named, options)?;
        let active = match (named, level) {
            (None, Some(active)) if !options.hardware.infer_no_resets => active,
            (None, _) => continue,
            (Some(reset), level) => reset.active.or(level).unwrap_or(true),
        };
        let steps = named.and_then(|reset| reset.steps).unwrap_or(1).max(1);
        timing.notes.push(format!(
            "`{}` is a reset: {} for {steps} {} before the first step, all other inputs 0",
            input.name,
            u8::from(active),
            if steps == 1 { "edge" } else { "edges" },
        ));
        timing.resets.push(ResetInput {
            input: input.id,
            active,
            steps,
        });
    }
    Ok(())
}

/// Returns the inputs that `--reset` names with their options, the last option first.
///
/// # Errors
/// If a name is no input, or is a clock, or is wider than one bit.
fn asked<'a, Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &'a FrontendOptions,
    timing: &Timing<Id>,
) -> Result<Vec<(Id, &'a ResetOption)>, Diagnostic> {
    let mut asked = Vec::new();
    for reset in options.hardware.resets.iter().rev() {
        let name = &reset.name;
        let Some(input) = facts.inputs.iter().find(|input| input.name == *name) else {
            let message = format!("--reset {name}: there is no such input");
            let inputs = facts
                .inputs
                .iter()
                .filter(|input| !timing.is_clock(input.id));
            let near = did_you_mean(name, inputs.map(|input| input.name.as_str()));
            return Err(Diagnostic::option(message, near));
        };
        if timing.is_clock(input.id) {
            let message = format!("--reset {name}: it is the clock");
            return Err(Diagnostic::option(message, None));
        }
        if input.width != 1 {
            let message = format!("--reset {name}: a reset has one bit");
            return Err(Diagnostic::option(message, None));
        }
        asked.push((input.id, reset));
    }
    Ok(asked)
}

/// Returns the active level of an asynchronous reset at `input`; `None` if no register has one. `named` is the `--reset` of this input.
///
/// # Errors
/// If registers have both levels, and no option selects one.
fn level<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    input: &Input<Id>,
    named: Option<&ResetOption>,
    options: &FrontendOptions,
) -> Result<Option<bool>, Diagnostic> {
    let uses = facts.resets.iter().filter_map(|reset| match reset.origin {
        Origin::Input { id, inverted } if id == input.id => {
            Some((reset.active != inverted, reset.place))
        }
        _ => None,
    });
    let is_said = named.map_or(options.hardware.infer_no_resets, |reset| {
        reset.active.is_some()
    });
    let mut first: Option<(bool, Span)> = None;
    for (active, place) in uses {
        let (before, there) = *first.get_or_insert((active, place));
        if before != active && !is_said {
            let name = &input.name;
            let message =
                format!("`{name}` resets some registers when it is 0 and others when it is 1");
            let help = format!(
                "--reset {name}=0 or --reset {name}=1 says at which a run begins, --reset none that it is no reset"
            );
            return Err(Diagnostic::error(place, message)
                .with_label(there, "the other way round")
                .with_help(help));
        }
    }
    Ok(first.map(|(active, _)| active))
}
