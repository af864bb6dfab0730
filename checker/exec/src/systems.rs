//! Timed systems under test: one that the tester tells how much time passes, and one with its own clock (docs/src/internals/formats.md).

use std::time::Duration;

use hyperkill_checker::testgen::running::Values;
use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::Moments;
use serde_json::{Map, Value as Json, json};

use crate::adapter::{Adapter, Broken, NoAnswer, shown};
use crate::closing::LATE;
use crate::following::{Given, System, Waited, in_parts, moment};
use crate::waiting::{NAP, Timer};

fn malformed(what: &str, line: &str) -> NoAnswer {
    let message = format!("{what}: {}", shown(line));
    NoAnswer::Broken(Broken {
        reason: "malformed",
        message,
    })
}

/// Returns a line as a JSON object; an error if it is none, or has members other than the `known` ones.
fn object(line: &str, known: &[&str]) -> Result<Map<String, Json>, NoAnswer> {
    let Ok(Json::Object(object)) = serde_json::from_str(line) else {
        return Err(malformed("it wrote a line that is no JSON object", line));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(malformed(&format!("there is no `{key}` here"), line)),
        None => Ok(object),
    }
}

fn is_taken(object: &Map<String, Json>, line: &str) -> Result<bool, NoAnswer> {
    let taken = object.get("given").and_then(Json::as_bool);
    taken.ok_or_else(|| malformed("`given` is neither true nor false", line))
}

fn output<'a>(object: &'a Map<String, Json>, line: &str) -> Result<&'a str, NoAnswer> {
    let output = object.get("output").and_then(Json::as_str);
    output.ok_or_else(|| malformed("`output` is no text", line))
}

/// A system under test without a clock of its own: the tester tells it how much time passes.
pub struct Told<'s, 'a> {
    /// The program.
    pub adapter: &'s mut Adapter<'a>,
    /// Limit for the time of the test.
    pub budget: &'s Budget,
    /// Parts into which a unit of time is divided.
    pub parts: i64,
    /// Time that has passed, in parts.
    pub now: i64,
}

impl System for Told<'_, '_> {
    fn wait(&mut self, until: i64) -> Result<Waited, NoAnswer> {
        let left = (until - self.now).max(0);
        self.adapter
            .say(json!({ "wait": moment(left, self.parts) }).to_string());
        let line = self.adapter.line(self.budget)?;
        let object = object(&line, &["waited", "output"])?;
        let waited = object.get("waited").cloned().unwrap_or(Json::Null);
        let waited = serde_json::from_value(waited).ok();
        let waited = waited.and_then(|waited| in_parts(waited, self.parts));
        let Some(waited) = waited else {
            let fine = format!("`waited` is no number of {}ths of a unit", self.parts);
            return Err(malformed(&fine, &line));
        };
        if waited > left {
            return Err(malformed("it waited longer than it was told to", &line));
        }
        self.now += waited;
        if object.contains_key("output") {
            let at = Moments {
                from: self.now,
                to: self.now,
            };
            return Ok(Waited::Output(output(&object, &line)?.to_owned(), at));
        }
        match waited == left {
            true => Ok(Waited::Silent(self.now)),
            false => Err(malformed(
                "it waited shorter than it was told to, without an output",
                &line,
            )),
        }
    }

    fn give(&mut self, input: &Values) -> Result<Given, NoAnswer> {
        self.adapter.say(written(input));
        let line = self.adapter.line(self.budget)?;
        let object = object(&line, &["given"])?;
        Ok(Given {
            is_taken: is_taken(&object, &line)?,
            at: Moments {
                from: self.now,
                to: self.now,
            },
            before: Vec::new(),
        })
    }

    fn tolerance(&self) -> i64 {
        0
    }
}

fn written(input: &Values) -> String {
    let members = input.iter();
    let members = members.map(|(name, value)| (name.clone(), Json::String(value.to_string())));
    Json::Object(members.collect()).to_string()
}

/// A real clock, with the unit in which it measures a model's time.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    /// The clock.
    pub timer: &'a dyn Timer,
    /// Length of a unit of time.
    pub unit: Duration,
    /// Largest delay between an output and its arrival at the tester.
    pub tolerance: Duration,
    /// Parts into which a unit of time is divided.
    pub parts: i64,
}

impl Scale<'_> {
    /// Returns the number of whole parts of a unit in a duration.
    pub(crate) fn parts(&self, time: Duration) -> i64 {
        let parts = time
            .as_nanos()
            .saturating_mul(self.parts.unsigned_abs().into());
        let parts = parts / self.unit.as_nanos().max(1);
        i64::try_from(parts).unwrap_or(i64::MAX / 4)
    }

    fn duration(&self, parts: i64) -> Duration {
        let whole = u128::from(parts.max(0).unsigned_abs()) * self.unit.as_nanos();
        let each = u128::from(self.parts.max(1).unsigned_abs());
        let nanoseconds = whole.div_ceil(each);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

/// A system under test with its own clock. It writes outputs when it makes them.
pub struct Clocked<'s, 'a> {
    /// The program.
    pub adapter: &'s mut Adapter<'a>,
    /// Limit for the time of the test.
    pub budget: &'s Budget,
    /// Clock and unit of time.
    pub scale: Scale<'s>,
    /// Earliest moment at which the system may have started, on the tester's clock.
    pub zero: Duration,
    /// Time limit for one answer.
    pub step_timeout: Option<Duration>,
    /// Remaining time for answers in this test.
    pub patience: Option<Duration>,
}

/// A line, or silence, with the time of the clock at which it was heard.
enum Heard {
    Line(String, Duration),
    Nothing(Duration),
}

impl Clocked<'_, '_> {
    /// Returns between which moments an event may have happened that was heard at time `now` of the clock.
    fn made(&self, now: Duration) -> Moments {
        let since = now.saturating_sub(self.zero);
        Moments {
            from: self.scale.parts(since.saturating_sub(self.scale.tolerance)),
            to: self.scale.parts(since).saturating_add(1),
        }
    }

    /// Returns the next line, or silence if none arrives before `until`; with `None` it waits for a line without an end.
    fn hear(&mut self, until: Option<Duration>) -> Result<Heard, NoAnswer> {
        loop {
            let before = self.scale.timer.now();
            if self.budget.stopped().is_some() {
                return Err(NoAnswer::Interrupted);
            }
            let left = until.map_or(NAP, |until| until.saturating_sub(before));
            let nap = left.min(NAP);
            let line = self.adapter.hear(nap)?;
            let now = self.scale.timer.now();
            if now.saturating_sub(before) > nap + self.scale.tolerance / 2 {
                let message = "this machine was too slow to tell when something was heard";
                return Err(NoAnswer::Broken(Broken {
                    reason: LATE,
                    message: message.to_owned(),
                }));
            }
            if let Some((line, ago)) = line {
                return Ok(Heard::Line(line, now.saturating_sub(ago)));
            }
            if left.is_zero() {
                return Ok(Heard::Nothing(before));
            }
        }
    }

    /// Subtracts the time that an answer took from the remaining time for all answers; an error if that is less.
    fn answered(&mut self, took: Duration) -> Result<(), NoAnswer> {
        if let Some(left) = &mut self.patience {
            if took > *left {
                return Err(too_slow());
            }
            *left -= took;
        }
        Ok(())
    }
}

fn too_slow() -> NoAnswer {
    NoAnswer::Broken(Broken {
        reason: "time-out",
        message: "there was no answer in time".to_owned(),
    })
}

impl System for Clocked<'_, '_> {
    fn wait(&mut self, until: i64) -> Result<Waited, NoAnswer> {
        let until = self.zero.saturating_add(self.scale.duration(until));
        let (line, now) = match self.hear(Some(until))? {
            Heard::Line(line, now) => (line, now),
            Heard::Nothing(now) => return Ok(Waited::Silent(self.made(now).from)),
        };
        let object = object(&line, &["output"])?;
        let output = output(&object, &line)?.to_owned();
        Ok(Waited::Output(output, self.made(now)))
    }

    fn give(&mut self, input: &Values) -> Result<Given, NoAnswer> {
        let begun = self.scale.timer.now();
        let from = self.scale.parts(begun.saturating_sub(self.zero));
        self.adapter.say(written(input));
        let until = self.step_timeout.map(|limit| begun.saturating_add(limit));
        let mut before = Vec::new();
        loop {
            let Heard::Line(line, now) = self.hear(until)? else {
                return Err(too_slow());
            };
            let object = object(&line, &["given", "output"])?;
            if object.contains_key("given") == object.contains_key("output") {
                return Err(malformed("a line has either `given` or `output`", &line));
            }
            if object.contains_key("output") {
                let output = output(&object, &line)?.to_owned();
                before.push((output, self.made(now)));
                continue;
            }
            self.answered(now.saturating_sub(begun))?;
            let to = self.made(now).to;
            return Ok(Given {
                is_taken: is_taken(&object, &line)?,
                at: Moments { from, to },
                before,
            });
        }
    }

    fn tolerance(&self) -> i64 {
        self.scale.parts(self.scale.tolerance).saturating_add(1)
    }
}
