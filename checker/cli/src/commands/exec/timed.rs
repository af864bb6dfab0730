//! Tests with times: each input is given after its delay, by a real clock.
//!
//! Only the whole units of each delay matter, so that an input which comes after k units is given half a unit later. What happens until the
//! answer is there takes time, too: a run in which the system may have seen another number of whole units has no verdict.

use std::time::Duration;

use hyperkill_checker::testgen::running::{Ending, Values, Verdict, Why};
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::conditional::Port;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;

use super::super::subject::must_be_same;
use super::adapter::{Broken, NoAnswer};
use super::runs::{Judge, Told, carry_out};
use super::{finish, report, scripts, work};
use crate::args::ExecArgs;
use crate::documents::Suite;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded};
use crate::session::{Level, Session};

/// Why a run has no verdict in which an input came too late.
pub(super) const LATE: &str = "late";

/// So long is slept before somebody looks whether everything has to end.
const NAP: Duration = Duration::from_millis(50);

/// A clock that can be waited for.
pub(super) trait Timer: Sync {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, time: Duration);
}

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

/// How inputs are waited for.
pub(super) struct Waiting<'a> {
    /// How long a unit lasts.
    pub(super) unit: Duration,
    pub(super) timer: &'a dyn Timer,
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
        &recorded.args,
        recorded.origin(),
        &recorded.operators,
    )?;
    let no_times = || {
        Failure::usage(
            "no tests of this language can be run by a clock: suite.json has their times",
        )
    };
    let model = model.ok_or_else(no_times)?;
    must_be_same(&model.listing.description, &suite.model.description)?;
    let procedures = &model.procedures;
    let decider = model.read(|sources, options| procedures.decision.read(sources, options))?;
    let ticks = decider.ticks().ok_or_else(no_times)?;
    let unit = match (args.time_scale, ticks.unit.as_deref()) {
        (Some(unit), _) => unit,
        (None, Some(name)) => named(name).ok_or_else(|| unknown(&format!("`{name}`")))?,
        (None, None) => return Err(unknown("the unit of this model")),
    };
    let (scripts, left_out) = scripts(session, suite, &args.test)?;
    let outputs = model.contents.outputs.iter().map(|output| Port {
        name: output.name.clone(),
        sort: output.sort.clone(),
        bits: Vec::new(),
    });
    let outputs: Vec<Port> = outputs.collect();
    let timer = Real(session.clock);
    let waiting = Waiting {
        unit,
        timer: &timer,
    };
    let all: Duration = scripts
        .iter()
        .map(|(_, script)| waiting.of_test(&script.steps))
        .sum();
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
    let work = work(session, args, (Judge::Times(waiting), &scripts), &outputs);
    let done = carry_out(&work);
    let report = report(session, args, suite, &scripts, done, left_out);
    finish(session, args, &report)
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

/// The whole units between each input and the one before.
fn delays(steps: &[Step]) -> Vec<u64> {
    let mut before = Time::ZERO;
    let delays = steps.iter().map(|step| {
        let at = step.at.unwrap_or(before);
        let delay = at.since(before).map_or(0, Time::floor);
        before = at;
        delay
    });
    delays.collect()
}

impl Waiting<'_> {
    /// How long a test waits.
    pub(super) fn of_test(&self, steps: &[Step]) -> Duration {
        delays(steps)
            .into_iter()
            .map(|delay| self.pause(delay))
            .sum()
    }

    /// How long is waited for so many whole units.
    fn pause(&self, units: u64) -> Duration {
        match units {
            0 => Duration::ZERO,
            units => times(self.unit, units).saturating_add(self.unit / 2),
        }
    }

    /// Plays a test to its end. `ask` gives inputs to the system and waits for its answer.
    pub(super) fn play(
        &self,
        steps: &[Step],
        budget: &Budget,
        told: &mut Told,
        ask: &mut dyn FnMut(&Values, &mut Told) -> Result<Values, NoAnswer>,
    ) -> Result<Ending, NoAnswer> {
        // The system got the input before between these moments; its clock began between them.
        let start = self.timer.now();
        let mut before = (start, start);
        for (index, (step, delay)) in steps.iter().zip(delays(steps)).enumerate() {
            self.wait(before.1.saturating_add(self.pause(delay)), budget)?;
            let given = self.timer.now();
            let outputs = ask(&step.inputs, told)?;
            let answered = self.timer.now();
            let at_least = given.saturating_sub(before.1);
            let at_most = answered.saturating_sub(before.0);
            let unit = times(self.unit, delay);
            if at_least < unit || at_most >= unit.saturating_add(self.unit) {
                return Err(NoAnswer::Broken(Broken {
                    reason: LATE,
                    message: format!(
                        "the input after a delay of {delay} came or was answered so late that the system may have seen another delay"
                    ),
                }));
            }
            before = (given, answered);
            let is_expected = |(name, value)| {
                outputs
                    .iter()
                    .any(|(other, seen)| other == name && seen == value)
            };
            let is_expected = step
                .outputs
                .iter()
                .map(|(name, value)| (name, value))
                .all(is_expected);
            if !is_expected {
                told.instead = vec![step.outputs.clone()];
                return Ok(Ending {
                    verdict: Verdict::Fail,
                    step: index,
                    why: Why::NotExpected,
                });
            }
        }
        Ok(Ending {
            verdict: Verdict::Pass,
            step: steps.len().saturating_sub(1),
            why: Why::AsExpected,
        })
    }

    fn wait(&self, until: Duration, budget: &Budget) -> Result<(), NoAnswer> {
        loop {
            let left = until.saturating_sub(self.timer.now());
            if left.is_zero() {
                return Ok(());
            }
            if budget.stopped().is_some() {
                return Err(NoAnswer::Interrupted);
            }
            self.timer.sleep(left.min(NAP));
        }
    }
}

fn times(unit: Duration, units: u64) -> Duration {
    let nanoseconds = unit.as_nanos().saturating_mul(u128::from(units));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use hyperkill_core::sort::Value;

    use super::*;

    /// A clock that goes on only when somebody sleeps or answers.
    struct Fake(Mutex<Duration>);

    impl Timer for Fake {
        fn now(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        fn sleep(&self, time: Duration) {
            *self.0.lock().unwrap() += time;
        }
    }

    fn values(name: &str, value: &str) -> Values {
        vec![(name.to_owned(), Value::Symbol(value.to_owned()))]
    }

    fn test(steps: &[(u64, &str, &str)]) -> Vec<Step> {
        let steps = steps.iter().map(|(at, input, output)| Step {
            at: Some(Time::whole(*at)),
            inputs: values("input", input),
            outputs: values("output", output),
            ..Step::default()
        });
        steps.collect()
    }

    /// A door that falls shut 30 seconds after it was opened, and beeps if it is pushed then; each answer takes a while.
    fn door(
        latency: Duration,
        closes: u64,
    ) -> (String, Result<(Verdict, usize), &'static str>, Duration) {
        let clock = Fake(Mutex::new(Duration::from_secs(1000)));
        let waiting = Waiting {
            unit: Duration::from_secs(1),
            timer: &clock,
        };
        let steps = test(&[
            (0, "open", "ok"),
            (29, "push", "ok"),
            (29, "open", "ok"),
            (59, "push", "beep"),
        ]);
        let mut opened = Duration::ZERO;
        let mut seen = String::new();
        let mut ask = |inputs: &Values, _: &mut Told| {
            clock.sleep(latency / 2);
            let now = clock.now();
            let is_open = now < opened + Duration::from_secs(closes);
            let input = inputs[0].1.to_string();
            seen += &format!("{input} ");
            if input == "open" {
                opened = now;
            }
            clock.sleep(latency / 2);
            let answer = if input == "open" || is_open {
                "ok"
            } else {
                "beep"
            };
            Ok(values("output", answer))
        };
        let budget = Budget::unlimited();
        let ended = waiting.play(&steps, &budget, &mut Told::default(), &mut ask);
        let ended = match ended {
            Ok(ending) => Ok((ending.verdict, ending.step)),
            Err(NoAnswer::Broken(broken)) => Err(broken.reason),
            Err(NoAnswer::Interrupted) => Err("interrupted"),
        };
        let took = clock.now() - Duration::from_secs(1000);
        (seen, ended, took)
    }

    #[test]
    fn inputs_come_in_the_middle_of_their_units() {
        let (seen, ended, took) = door(Duration::ZERO, 30);
        assert_eq!(seen, "open push open push ");
        assert_eq!(ended, Ok((Verdict::Pass, 3)));
        assert_eq!(took, Duration::from_millis(60_000));
    }

    #[test]
    fn a_system_whose_timeouts_are_off_by_a_unit_fails() {
        assert_eq!(door(Duration::ZERO, 29).1, Ok((Verdict::Fail, 1)));
        assert_eq!(
            door(Duration::from_millis(100), 31).1,
            Ok((Verdict::Fail, 3))
        );
    }

    #[test]
    fn a_run_that_may_be_half_a_unit_late_has_no_verdict() {
        assert_eq!(
            door(Duration::from_millis(200), 30).1,
            Ok((Verdict::Pass, 3))
        );
        assert_eq!(door(Duration::from_millis(300), 30).1, Err(LATE));
        // Nor has one that would fail.
        assert_eq!(door(Duration::from_millis(900), 29).1, Err(LATE));
    }

    #[test]
    fn parts_of_a_unit_are_no_delays() {
        let mut steps = test(&[(0, "open", "ok"), (0, "push", "ok")]);
        steps[1].at = "6.7".parse().ok();
        assert_eq!(delays(&steps), [0, 6]);
    }
}
