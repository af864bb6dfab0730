//! `exec` of tests with times.

use std::time::Duration;

use hyperkill_core::budget::Clock;
use hyperkill_core::conditional::Port;
use hyperkill_core::time::Time;
use hyperkill_frontend::decision::{Decider, Slot, Variable};

use super::super::subject::must_be_same;
use super::outcome::{finish, report, work};
use super::runs::{Judge, Tempo, carry_out};
use super::scripts::{Scripts, scripts, timed_script};
use super::systems::Scale;
use super::waiting::{Timer, Waiting};
use crate::args::ExecArgs;
use crate::documents::{LeftOut, Suite};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded};
use crate::session::{Level, Session};
use hyperkill_export::scripts::script;

/// The clock of this machine.
struct Real<C>(C);

impl<C: Clock> Timer for Real<C> {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Runs a suite whose tests have times.
///
/// # Errors
/// If the model is another one, or it is not known how long a unit lasts.
pub(super) fn exec(
    session: &mut Session<'_>,
    args: &ExecArgs,
    suite: &Suite,
    recorded: &Recorded,
) -> Result<ExitCode, Failure> {
    let model = load::own(
        session,
        &recorded.spec,
        recorded.origin(),
        &recorded.operators,
    )?;
    let model = model.ok_or_else(no_times)?;
    must_be_same(&model.listing.description, &suite.model.description)?;
    let decider = load::decider(&model)?;
    let Some(ticks) = decider.ticks() else {
        let outputs = model.contents.outputs.as_slice();
        return at_moments(session, args, suite, (decider.as_ref(), outputs));
    };
    if args.virtual_time || args.tolerance.is_some() {
        return Err(Failure::usage(
            "--virtual-time and --tolerance are for tests at moments; those of this model are given by a clock",
        ));
    }
    let unit = match (args.time_scale, ticks.unit.as_deref()) {
        (Some(unit), _) => unit,
        (None, Some(name)) => named(name).ok_or_else(|| unknown(&format!("`{name}`")))?,
        (None, None) => return Err(unknown("the unit of this model")),
    };
    let (all, mut left_out) = scripts(session, suite, &args.test, script)?;
    let (scripts, slots) = slotted(session, decider.as_ref(), all, &mut left_out)?;
    let outputs = ports(&model.contents.outputs);
    let timer = Real(session.clock);
    let waiting = Waiting {
        unit,
        timer: &timer,
    };
    let each = slots.iter().map(|slots| waiting.of_test(slots));
    let all = each.fold(Duration::ZERO, Duration::saturating_add);
    let runs = u32::try_from(args.repeat).unwrap_or(u32::MAX);
    let all = humantime::format_duration(rounded(all.saturating_mul(runs)));
    let each = humantime::format_duration(unit);
    let half = humantime::format_duration(unit / 2);
    session.say(
        Level::Note,
        format!(
            "a unit lasts {each}: {all} of waiting; where an input and the answers around it take {half} too long, the run has no verdict"
        ),
    );
    let mut inputs = slots.iter().flatten();
    if inputs.any(|slot| slot.is_beside) {
        session.say(
            Level::Note,
            "where bounds of guards matter no clock meets a whole number of units: \
             such inputs come up to a unit beside, where the model answers the same",
        );
    }
    let judge = Judge::Times(waiting, &slots);
    let work = work(session, args, (judge, &scripts), &outputs);
    let done = carry_out(&work);
    let report = report(session, args, suite, &scripts, done, left_out);
    finish(session, args, &report, &[])
}

fn no_times() -> Failure {
    Failure::usage("no clock is exact enough for tests of this model: suite.json has their times")
}

fn ports(variables: &[Variable]) -> Vec<Port> {
    let ports = variables.iter().map(|variable| Port {
        name: variable.name.clone(),
        sort: variable.sort.clone(),
        bits: Vec::new(),
    });
    ports.collect()
}

/// Moments are measured in thousandths of a unit, or finer if the tests have such.
const FINE: i64 = 1000;
/// The finest parts of a unit in which moments are measured.
const FINEST: i64 = 1 << 30;

/// Runs a suite whose tests have outputs at moments, along which the model is followed.
fn at_moments(
    session: &mut Session<'_>,
    args: &ExecArgs,
    suite: &Suite,
    (decider, outputs): (&dyn Decider, &[Variable]),
) -> Result<ExitCode, Failure> {
    let (scripts, left_out) = scripts(session, suite, &args.test, timed_script)?;
    let steps = scripts.iter().flat_map(|(_, script)| &script.steps);
    let parts = parts(steps.filter_map(|step| step.at));
    let parts = parts.ok_or_else(|| Failure::usage("the times of these tests are too fine"))?;
    let follower = decider.follower(parts).ok_or_else(no_times)?;
    drop(follower.map_err(Failure::usage)?);
    let timer = Real(session.clock);
    let clock = match (args.time_scale, args.virtual_time) {
        (_, true) => None,
        (Some(unit), false) => Some(Scale {
            timer: &timer,
            unit,
            tolerance: args.tolerance.unwrap_or(unit / 10),
            parts,
        }),
        (None, false) => {
            return Err(unknown("the unit of this model").with_help(
                "say it: `--time-scale 1s`, or `--virtual-time` for a system that is told how much time passes",
            ));
        }
    };
    if let Some(clock) = &clock {
        let [unit, tolerance] = [clock.unit, clock.tolerance].map(humantime::format_duration);
        let note = format!("a unit lasts {unit}; outputs have to be read within {tolerance}");
        session.say(Level::Note, note);
    }
    let ports = ports(outputs);
    let judge = Judge::Moments(Tempo {
        decider,
        parts,
        output: outputs
            .first()
            .map_or("output", |output| output.name.as_str()),
        clock,
    });
    let work = work(session, args, (judge, &scripts), &ports);
    let done = carry_out(&work);
    let report = report(session, args, suite, &scripts, done, left_out);
    finish(session, args, &report, &[])
}

/// Into how many parts a unit is divided so that all of these moments are some; `None` if they are too fine.
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

/// When the inputs of each test are given. Tests for which no clock is exact enough are left out.
fn slotted(
    session: &mut Session<'_>,
    decider: &dyn Decider,
    all: Scripts,
    left_out: &mut Vec<LeftOut>,
) -> Result<(Scripts, Vec<Vec<Slot>>), Failure> {
    let (mut scripts, mut slots) = (Scripts::new(), Vec::new());
    for (test, script) in all {
        match decider.slots(&script.steps) {
            Ok(of_test) => {
                slots.push(of_test);
                scripts.push((test, script));
            }
            Err(step) => {
                let reason = format!(
                    "no clock is exact enough for step {step}, which the model answers so at that very moment only"
                );
                session.say(Level::Warning, format!("{test}: {reason}; left out"));
                left_out.push(LeftOut { test, reason });
            }
        }
    }
    if scripts.is_empty() && !left_out.is_empty() {
        return Err(
            Failure::usage("no test of this suite can be run").with_help("the warnings say why")
        );
    }
    Ok((scripts, slots))
}

fn unknown(what: &str) -> Failure {
    Failure::usage(format!("it is not known how long {what} lasts"))
        .with_help("say it: `--time-scale 1s`")
}

/// How long a unit lasts that has one of the usual names.
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
