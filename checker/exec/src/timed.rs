//! Tests with times: their plan and the passing of time on the system.

use std::time::Duration;

use hyperkill_core::conditional::Port;
use hyperkill_core::time::Time;
use hyperkill_export::scripts::script;
use hyperkill_frontend::decision::{Decider, Slot, Ticks, Variable};
use hyperkill_run::sink::{Level, Sink};
use hyperkill_run::unfit::Unfit;

use crate::error::ExecError;
use crate::plan::{Chosen, Plan, timed_script};
use crate::runs::{Judge, Tempo};
use crate::systems::Scale;
use crate::waiting::{Timer, Waiting};

/// Options of the user that say how fast time passes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pace {
    /// Length of a unit of time; `None`: by its name in the model.
    pub unit: Option<Duration>,
    /// Largest delay between an output and its arrival; `None`: a tenth of a unit.
    pub tolerance: Option<Duration>,
    /// Whether the tester tells the system how much time passes.
    pub is_virtual: bool,
}

impl Pace {
    /// Returns an error if an option about time is given, for tests without times.
    ///
    /// # Errors
    /// If such an option is given.
    pub fn must_be_none(&self) -> Result<(), Unfit> {
        let options = [
            ("--time-scale", self.unit.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--virtual-time", self.is_virtual),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Unfit::new(format!(
                "{option} is for tests with times, and these have none"
            ))),
            None => Ok(()),
        }
    }
}

/// A plan of tests with times, with the judge of their answers.
pub struct TimedPlan<'a> {
    /// Plan of the tests.
    pub plan: Plan,
    /// Chooses inputs and their times, and judges answers.
    pub judge: Judge<'a>,
    /// Outputs of the system.
    pub outputs: Vec<Port>,
}

/// A model whose tests have times, for planning them.
#[derive(Clone, Copy)]
pub struct TimedModel<'a> {
    /// Decision procedure of the language, which knows the times.
    pub decider: &'a dyn Decider,
    /// Outputs of the model.
    pub outputs: &'a [Variable],
}

impl<'a> TimedModel<'a> {
    /// Returns a plan of the wanted tests of the model: by a clock if the language has ticks, otherwise along moments.
    ///
    /// # Errors
    /// If the length of a unit is unknown, or the tests cannot be run.
    pub fn plan(
        self,
        wanted: Chosen<'_>,
        pace: Pace,
        timer: &'a dyn Timer,
        sink: &mut dyn Sink,
    ) -> Result<TimedPlan<'a>, ExecError> {
        let (plan, judge) = match self.decider.ticks() {
            Some(ticks) => self.by_clock(wanted, pace, &ticks, timer, sink)?,
            None => self.at_moments(wanted, pace, timer, sink)?,
        };
        let ports = self.outputs.iter().map(|variable| Port {
            name: variable.name.clone(),
            sort: variable.sort.clone(),
            bits: Vec::new(),
        });
        Ok(TimedPlan {
            plan,
            judge,
            outputs: ports.collect(),
        })
    }

    /// Returns a plan and judge for tests whose inputs come after a number of units on the real clock `timer`. A unit is as long as `pace`
    /// says, or else as its name in `ticks` says. Tests for which no clock is exact enough are left out, with a warning.
    ///
    /// # Errors
    /// If `pace` asks for virtual time or a tolerance, the length of a unit is unknown, a wanted test is missing or has no script, or no
    /// test is left.
    fn by_clock(
        self,
        wanted: Chosen<'_>,
        pace: Pace,
        ticks: &Ticks,
        timer: &'a dyn Timer,
        sink: &mut dyn Sink,
    ) -> Result<(Plan, Judge<'a>), ExecError> {
        if pace.is_virtual || pace.tolerance.is_some() {
            let message = "--virtual-time and --tolerance are for tests with times, and tests of this model have clock steps";
            return Err(Unfit::new(message).into());
        }
        let unit = match (pace.unit, ticks.unit.as_deref()) {
            (Some(unit), _) => unit,
            (None, Some(name)) => named(name).ok_or_else(|| unknown(&format!("`{name}`")))?,
            (None, None) => return Err(unknown("the unit of this model").into()),
        };
        let plan = Plan::made(wanted, script, sink)?;
        let plan = slotted(self.decider, plan, sink)?;
        let waiting = Waiting { unit, timer };
        say_how_long(&waiting, &plan, wanted.repeat, sink);
        Ok((plan, Judge::Times(waiting)))
    }

    /// Returns a plan and judge for tests whose outputs have moments; the tester follows the model along them.
    fn at_moments(
        self,
        wanted: Chosen<'_>,
        pace: Pace,
        timer: &'a dyn Timer,
        sink: &mut dyn Sink,
    ) -> Result<(Plan, Judge<'a>), ExecError> {
        let plan = Plan::made(wanted, timed_script, sink)?;
        let steps = plan.tests.iter().flat_map(|test| &test.script.steps);
        let parts = parts(steps.filter_map(|step| step.at));
        let parts = parts.ok_or_else(|| Unfit::new("the times of these tests are too fine"))?;
        let follower = self.decider.follower(parts).ok_or_else(no_times)?;
        drop(follower.map_err(Unfit::new)?);
        let clock = match (pace.unit, pace.is_virtual) {
            (_, true) => None,
            (Some(unit), false) => Some(Scale {
                timer,
                unit,
                tolerance: pace.tolerance.unwrap_or(unit / 10),
                parts,
            }),
            (None, false) => {
                return Err(unknown("the unit of this model").with_help(
                    "give it, like `--time-scale 1s`, or give `--virtual-time` if the adapter controls the time",
                ).into());
            }
        };
        if let Some(clock) = &clock {
            let [unit, tolerance] = [clock.unit, clock.tolerance].map(humantime::format_duration);
            let note = format!("a unit lasts {unit}; outputs have to be read within {tolerance}");
            sink.say(Level::Note, note);
        }
        let output = self.outputs.first();
        let judge = Judge::Moments(Tempo {
            decider: self.decider,
            parts,
            output: output.map_or_else(|| "output".to_owned(), |output| output.name.clone()),
            clock,
        });
        Ok((plan, judge))
    }
}

/// Returns the error for a model whose timed tests cannot be executed, as its language has no procedure for this.
#[must_use]
pub fn no_times() -> Unfit {
    Unfit::new("no clock is exact enough for tests of this model: suite.json has their times")
}

/// Fewest parts per unit in which moments are measured; tests with finer moments get more.
const FINE: i64 = 1000;
/// Most parts per unit in which moments are measured.
const FINEST: i64 = 1 << 30;

/// Returns a number of parts per unit of which all these moments are multiples; `None` if the moments are too fine.
fn parts(moments: impl Iterator<Item = Time>) -> Option<i64> {
    let mut parts = FINE;
    for moment in moments {
        let (_, denominator) = moment.parts();
        let denominator = i64::try_from(denominator).ok()?;
        let (mut a, mut b) = (parts, denominator);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        parts = (parts / a).checked_mul(denominator)?;
        (parts <= FINEST).then_some(())?;
    }
    Some(parts)
}

/// Returns the plan with the times of the inputs of each test. Tests for which no clock is exact enough are left out, with a warning.
///
/// # Errors
/// If no test is left.
fn slotted(decider: &dyn Decider, all: Plan, sink: &mut dyn Sink) -> Result<Plan, Unfit> {
    let mut plan = Plan {
        tests: Vec::new(),
        left_out: all.left_out,
    };
    for mut test in all.tests {
        match decider.slots(&test.script.steps) {
            Ok(slots) => {
                test.slots = slots;
                plan.tests.push(test);
            }
            Err(step) => {
                let reason = format!(
                    "no clock is exact enough for step {step}, which the model answers so at that very moment only"
                );
                plan.leave_out(&test.id, &reason, sink);
            }
        }
    }
    plan.must_not_be_empty("the warnings say why")?;
    Ok(plan)
}

/// Reports how long the tests wait, and whether delays differ from the tests as written.
fn say_how_long(waiting: &Waiting<'_>, plan: &Plan, repeat: usize, sink: &mut dyn Sink) {
    let each = plan.tests.iter().map(|test| waiting.of_test(&test.slots));
    let all = each.fold(Duration::ZERO, Duration::saturating_add);
    let runs = u32::try_from(repeat).unwrap_or(u32::MAX);
    let all = humantime::format_duration(rounded(all.saturating_mul(runs)));
    let each = humantime::format_duration(waiting.unit);
    let half = humantime::format_duration(waiting.unit / 2);
    sink.say(
        Level::Note,
        format!(
            "a unit lasts {each}: {all} of waiting; where an input and the answers around it take {half} too long, the run has no verdict"
        ),
    );
    let mut slots = plan.tests.iter().flat_map(|test| &test.slots);
    if slots.any(|slot: &Slot| slot.is_beside) {
        sink.say(
            Level::Note,
            "where bounds of guards matter no clock meets a whole number of units: \
             such inputs come up to a unit beside, where the model answers the same"
                .to_owned(),
        );
    }
}

fn unknown(what: &str) -> Unfit {
    Unfit::new(format!("it is not known how long {what} lasts"))
        .with_help("say it: `--time-scale 1s`")
}

/// Returns the length of a unit with one of the usual names; `None` for other names.
fn named(unit: &str) -> Option<Duration> {
    let duration = match unit {
        "ns" => Duration::from_nanos(1),
        "us" | "µs" => Duration::from_micros(1),
        "ms" => Duration::from_millis(1),
        "s" | "sec" | "seconds" => Duration::from_secs(1),
        "min" | "minutes" => Duration::from_secs(60),
        "h" | "hours" => Duration::from_secs(3600),
        _ => return None,
    };
    Some(duration)
}

fn rounded(time: Duration) -> Duration {
    match time.as_secs() {
        0 => Duration::from_millis(time.as_millis() as u64),
        seconds => Duration::from_secs(seconds),
    }
}
