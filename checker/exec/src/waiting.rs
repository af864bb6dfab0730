//! Tests with times: each input is given after its delay on a real clock.
//!
//! Only the unit of time in which an input arrives matters, so each input is given in the middle of its unit. The answers take time, too:
//! a run gets no verdict if the system may have seen another number of whole units.

use std::time::Duration;

use hyperkill_checker::testgen::running::{Ending, Values, Verdict, Why};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::Slot;

use crate::adapter::{Broken, NoAnswer};
use crate::closing::{Closing, LATE};

/// Longest sleep before the next check for an interruption.
pub(crate) const NAP: Duration = Duration::from_millis(50);

/// A clock that can wait.
pub trait Timer: Sync {
    /// Returns the time since a fixed moment.
    fn now(&self) -> Duration;
    /// Waits for this time.
    fn sleep(&self, time: Duration);
}

/// Parameters of tests whose inputs come at times of a real clock.
pub struct Waiting<'a> {
    /// Length of a unit of time.
    pub unit: Duration,
    /// The clock.
    pub timer: &'a dyn Timer,
}

impl Waiting<'_> {
    /// Returns the sum of the pauses before the inputs of a test.
    pub(crate) fn of_test(&self, slots: &[Slot]) -> Duration {
        let pauses = slots.iter().map(|slot| self.pause(*slot));
        pauses.fold(Duration::ZERO, Duration::saturating_add)
    }

    /// Returns the pause before an input: half a unit more than its units, or none if it comes at once.
    fn pause(&self, slot: Slot) -> Duration {
        match slot.at_once {
            true => Duration::ZERO,
            false => times(self.unit, slot.units).saturating_add(self.unit / 2),
        }
    }

    /// Plays a test to its end on a real clock, and returns its verdict. `slots` contains the time of each step's input. `ask` gives inputs
    /// to the system and returns its outputs.
    ///
    /// # Errors
    /// If an input or an answer comes so late that the system may have seen more time pass. If `ask` fails, or the user interrupts the run.
    pub(crate) fn play(
        &self,
        steps: &[Step],
        slots: &[Slot],
        budget: &Budget,
        ask: &mut dyn FnMut(&Values) -> Result<Values, NoAnswer>,
    ) -> Result<Closing, NoAnswer> {
        // The system received the input before between these two moments; its clock started between them.
        let start = self.timer.now();
        let mut before = (start, start);
        for (index, (step, slot)) in steps.iter().zip(slots).enumerate() {
            let delay = slot.units;
            self.wait(before.1.saturating_add(self.pause(*slot)), budget)?;
            let given = self.timer.now();
            let outputs = ask(&step.inputs)?;
            let answered = self.timer.now();
            let at_least = given.saturating_sub(before.1);
            let at_most = answered.saturating_sub(before.0);
            let unit = times(self.unit, delay);
            if at_least < unit || at_most >= unit.saturating_add(self.unit) {
                return Err(NoAnswer::Broken(Broken {
                    reason: LATE,
                    message: format!(
                        "the input that is due after {delay} units came or was answered so late that the system may have seen more"
                    ),
                }));
            }
            before = (given, answered);
            if !(step.outputs.iter()).all(|expected| outputs.contains(expected)) {
                let ending = Ending {
                    verdict: Verdict::Fail,
                    step: index,
                    why: Why::NotExpected,
                };
                return Ok(Closing {
                    instead: vec![step.outputs.clone()],
                    ..ending.into()
                });
            }
        }
        let ending = Ending {
            verdict: Verdict::Pass,
            step: steps.len().saturating_sub(1),
            why: Why::AsExpected,
        };
        Ok(ending.into())
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
    use hyperkill_core::time::Time;

    use super::*;

    /// A clock that advances only with sleeps and answers.
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

    fn slots(all: &[u64]) -> Vec<Slot> {
        let slots = all.iter().map(|&units| Slot {
            units,
            at_once: units == 0,
            is_beside: false,
        });
        slots.collect()
    }

    /// A door that closes 30 seconds after it was opened, and beeps if it is pushed then. Each answer takes `latency`.
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
        let mut ask = |inputs: &Values| {
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
        let slots = slots(&[0, 29, 0, 30]);
        let ended = waiting.play(&steps, &slots, &budget, &mut ask);
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
        // A run that would fail has no verdict either.
        assert_eq!(door(Duration::from_millis(900), 29).1, Err(LATE));
    }

    #[test]
    fn an_input_in_the_first_unit_is_waited_for_if_it_must_not_come_at_once() {
        let clock = Fake(Mutex::new(Duration::from_secs(1000)));
        let waiting = Waiting {
            unit: Duration::from_secs(1),
            timer: &clock,
        };
        let mut slots = slots(&[0, 0, 0]);
        slots[1].at_once = false;
        assert_eq!(waiting.of_test(&slots), Duration::from_millis(500));
        let steps = test(&[(0, "open", "ok"), (0, "push", "ok"), (0, "push", "ok")]);
        let mut given = Vec::new();
        let mut ask = |_: &Values| {
            given.push((clock.now() - Duration::from_secs(1000)).as_millis());
            Ok(values("output", "ok"))
        };
        let ended = waiting.play(&steps, &slots, &Budget::unlimited(), &mut ask);
        assert!(ended.is_ok());
        assert_eq!(given, [0, 500, 500]);
    }
}
