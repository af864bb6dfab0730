//! Schedules of several clocks.

use crate::diagnostic::Diagnostic;
use crate::hardware::Ticks;
use crate::near::did_you_mean;
use crate::options::{ClockOption, FrontendOptions};

use super::facts::Facts;
use super::timing::{Ticking, Timing};

/// The number of steps in a period of clocks, at most. The state of a model counts these steps, so longer periods make models hard to
/// decide.
pub const MOST_ROUND: usize = 1024;

/// Determines the ticks of each clock of `timing`, and records them there. A design with one clock and one edge is left unchanged.
///
/// # Errors
/// If `--clock` names no clock or one twice, gives periods to only some of the clocks, or leads to too many steps in a period.
pub(super) fn decide<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &FrontendOptions,
    timing: &mut Timing<Id>,
) -> Result<(), Diagnostic> {
    let asked = asked(facts, options, timing)?;
    let mut inputs: Vec<Id> = Vec::new();
    for edge in &timing.clocks {
        if !inputs.contains(&edge.input) {
            inputs.push(edge.input);
        }
    }
    if timing.clocks.len() < 2 {
        return Ok(());
    }
    let both = |id: Id| timing.clocks.iter().filter(|edge| edge.input == id).count() > 1;
    let named = |id: Id| asked.iter().find(|(other, _)| *other == id);
    let is_named = |id: &Id| asked.is_empty() || named(*id).is_some();
    let allowed: Vec<Id> = inputs.iter().copied().filter(is_named).collect();
    let periods = asked.iter().filter_map(|(_, clock)| clock.period);
    let periods: Vec<u32> = periods.collect();
    let mut ticking: Vec<Ticking<Id>> = Vec::new();
    let rounds = match periods.is_empty() || allowed.len() == 1 {
        true => None,
        false => {
            let of = |id: &Id| {
                let period = named(*id).and_then(|(_, clock)| clock.period);
                (u64::from(period.unwrap_or(1)), both(*id))
            };
            Some(rounds(&allowed.iter().map(of).collect::<Vec<_>>())?)
        }
    };
    for &input in &inputs {
        let ticks = match allowed.iter().position(|id| *id == input) {
            None => Ticks::Never,
            Some(_) if allowed.len() == 1 => Ticks::Always,
            Some(at) => match &rounds {
                Some(rounds) => Ticks::Round(rounds[at].clone()),
                None => Ticks::Chosen,
            },
        };
        ticking.push(Ticking {
            input,
            both_edges: both(input),
            ticks,
        });
    }
    timing.ticking = ticking;
    notes(facts, &asked, timing);
    Ok(())
}

/// Returns the clocks that `--clock` names with their options, in the order given.
///
/// # Errors
/// If a name is no clock or is given twice, a period is 0, or only some of the clocks have a period.
fn asked<'a, Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    options: &'a FrontendOptions,
    timing: &Timing<Id>,
) -> Result<Vec<(Id, &'a ClockOption)>, Diagnostic> {
    let mut asked: Vec<(Id, &ClockOption)> = Vec::new();
    for clock in &options.hardware.clocks {
        let name = &clock.name;
        let refused =
            |why: &str, near| Err(Diagnostic::option(format!("--clock {name}: {why}"), near));
        let clocks = facts
            .inputs
            .iter()
            .filter(|input| timing.is_clock(input.id));
        let Some(input) = clocks.clone().find(|input| input.name == *name) else {
            let names = clocks.map(|input| input.name.as_str());
            return refused("there is no such clock", did_you_mean(name, names));
        };
        if asked.iter().any(|(id, _)| *id == input.id) {
            return refused("it is named twice", None);
        }
        if clock.period == Some(0) {
            return refused("a period is at least 1", None);
        }
        asked.push((input.id, clock));
    }
    let without = asked.iter().find(|(_, clock)| clock.period.is_none());
    let with = asked.iter().find(|(_, clock)| clock.period.is_some());
    if let (Some((_, without)), Some((_, with))) = (without, with) {
        let message = format!(
            "--clock {}: it has no period, and `{}` has one: give all clocks a period, or none",
            without.name, with.name
        );
        return Err(Diagnostic::option(message, None));
    }
    Ok(asked)
}

/// Returns whether clocks tick in each step of their common period; each clock has a period and may have both edges. All rise at time 0 and
/// again after each of their periods; a clock with both edges falls in the middle. A step is a time at which some clock ticks.
///
/// # Errors
/// If the common period has too many steps.
fn rounds(clocks: &[(u64, bool)]) -> Result<Vec<Vec<bool>>, Diagnostic> {
    let too_long = || {
        let message = format!("--clock: these periods repeat after more than {MOST_ROUND} steps");
        Diagnostic::option(message, None)
    };
    // Half units make half periods integers.
    let gaps = clocks
        .iter()
        .map(|&(period, both)| if both { period } else { 2 * period });
    let gaps: Vec<u64> = gaps.collect();
    let mut end = 1u64;
    for &(period, _) in clocks {
        let period = 2 * period;
        end = (end / divisor(end, period))
            .checked_mul(period)
            .ok_or_else(too_long)?;
    }
    let (mut now, mut found) = (0, vec![Vec::new(); clocks.len()]);
    for _ in 0..=MOST_ROUND {
        if now == end {
            return Ok(found);
        }
        for (ticks, gap) in found.iter_mut().zip(&gaps) {
            ticks.push(now % gap == 0);
        }
        let next = gaps.iter().map(|gap| (now / gap + 1) * gap);
        now = next.min().unwrap_or(end);
    }
    Err(too_long())
}

/// Returns the greatest common divisor of positive numbers.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Adds remarks on the clocks that were chosen.
fn notes<Id: Copy + PartialEq>(
    facts: &Facts<Id>,
    asked: &[(Id, &ClockOption)],
    timing: &mut Timing<Id>,
) {
    let mut notes = Vec::new();
    for Ticking {
        input,
        both_edges,
        ticks,
    } in &timing.ticking
    {
        let name = facts.name(*input);
        let tick = match both_edges {
            true => "one edge, rising and falling in turn",
            false => "one edge",
        };
        notes.push(match ticks {
            Ticks::Always => format!("`{name}` is the clock: one step is {tick}"),
            Ticks::Never => format!("`{name}` is a clock that never ticks: --clock does not name it"),
            Ticks::Chosen => format!(
                "`{name}` is a clock: it ticks ({tick}) in the steps in which the test input `{name}` is 1"
            ),
            Ticks::Round(round) => {
                let period = asked.iter().find(|(id, _)| id == input);
                let period = period.and_then(|(_, clock)| clock.period).unwrap_or(1);
                let count = round.iter().filter(|ticks| **ticks).count();
                format!(
                    "`{name}` is a clock with period {period}: it ticks ({tick}) in the first step, and in {count} of every {} steps",
                    round.len()
                )
            }
        });
    }
    timing.notes.extend(notes);
}

/// Adds a remark on the clocks that tick before the first step, if there is a reset and each clock has its own schedule.
pub(super) fn note_resets<Id: Copy + PartialEq>(facts: &Facts<Id>, timing: &mut Timing<Id>) {
    if timing.resets.is_empty() || timing.ticking.is_empty() {
        return;
    }
    let ticking = timing.ticking.iter();
    let ticking = ticking.filter(|clock| clock.ticks != Ticks::Never);
    let names: Vec<String> = ticking
        .map(|clock| format!("`{}`", facts.name(clock.input)))
        .collect();
    let verb = if names.len() == 1 { "ticks" } else { "tick" };
    let often = match timing.ticks_of_a_reset() {
        1 => "once",
        _ => "twice",
    };
    timing.notes.push(format!(
        "for each edge of a reset before the first step {} {verb} {often}, at the same time",
        names.join(", ")
    ));
}
