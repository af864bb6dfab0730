//! The adapter protocol: the tester writes inputs as one line of JSON and reads outputs as another (docs/src/guide/executing.md).

use std::collections::BTreeMap;
use std::time::Duration;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::{Sort, Value};
use serde_json::Value as Json;

use crate::dialogue::{Dialogue, Ended, Heard};
use hyperkill_audit::documents::{self, Valuation};

/// Line that starts a test if one program serves all tests. The program answers with the same line.
const RESET: &str = "\"reset\"";
/// Most characters of a line from the program that a message quotes.
const SHOWN: usize = 120;

/// The reason why a run broke off without a verdict: mostly a violation of the protocol by the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The reason as one word, such as `malformed` or `time-out`, for documents.
    pub reason: &'static str,
    /// The reason as a sentence.
    pub message: String,
}

fn broken(reason: &'static str, message: impl Into<String>) -> Broken {
    Broken {
        reason,
        message: message.into(),
    }
}

/// The outputs that an answer must give, and the time limit for it.
#[derive(Clone, Debug)]
pub struct Agreement<'a> {
    /// Outputs of the system.
    pub outputs: &'a [Port],
    /// Time limit for one answer; `None`: unlimited.
    pub step_timeout: Option<Duration>,
}

/// A connection to the program that stands for the system under test.
pub struct Adapter<'a> {
    dialogue: Box<dyn Dialogue + 'a>,
    agreement: &'a Agreement<'a>,
}

/// The reason why there is no answer.
pub enum NoAnswer {
    /// The program broke the protocol.
    Broken(Broken),
    /// The user interrupted the run.
    Interrupted,
}

impl From<Broken> for NoAnswer {
    fn from(broken: Broken) -> NoAnswer {
        NoAnswer::Broken(broken)
    }
}

impl<'a> Adapter<'a> {
    /// Returns an adapter that speaks with a running program.
    #[must_use]
    pub fn of(dialogue: Box<dyn Dialogue + 'a>, agreement: &'a Agreement<'a>) -> Adapter<'a> {
        Adapter {
            dialogue,
            agreement,
        }
    }

    /// Asks the program to reset the system, and waits until it repeats the reset line. If `speaks`, the system writes outputs at any time,
    /// so output lines of the test before are skipped. Any other line is an error.
    pub fn reset(&mut self, speaks: bool, budget: &Budget) -> Result<(), NoAnswer> {
        self.dialogue.say(RESET.to_owned());
        loop {
            let line = self.line(budget)?;
            if serde_json::from_str::<Json>(&line).is_ok_and(|json| json == "reset") {
                return Ok(());
            }
            if !(speaks && is_output(&line)) {
                let what = format!("the answer to {RESET} is not {RESET} but {}", shown(&line));
                return Err(broken("malformed", what).into());
            }
        }
    }

    /// Writes the inputs of a step to the program and returns its outputs, in the order of the model.
    ///
    /// # Errors
    /// If the program breaks the protocol, or gives no answer in time.
    pub fn ask(
        &mut self,
        inputs: &[(String, Value)],
        budget: &Budget,
    ) -> Result<Vec<(String, Value)>, NoAnswer> {
        let line = documents::to_line(&Valuation(inputs.to_vec()));
        let line = line.map_err(|error| broken("malformed", error.to_string()))?;
        self.dialogue.say(line.trim_end().to_owned());
        let line = self.line(budget)?;
        Ok(answer(&line, self.agreement.outputs)?)
    }

    /// Returns the next line of the program, which must come within the time limit for one answer.
    ///
    /// # Errors
    /// If the program writes something other than a line of text, ends, or is too slow.
    pub(crate) fn line(&mut self, budget: &Budget) -> Result<String, NoAnswer> {
        let limited = budget.within(self.agreement.step_timeout);
        match self.dialogue.listen(&limited) {
            Ok(Heard::Line(line)) => Ok(line),
            Ok(Heard::Noise(what)) => Err(broken("malformed", format!("it wrote {what}")).into()),
            // A program that has closed its output is about to end.
            Ok(Heard::End) => Err(NoAnswer::Broken(self.cause_of_death(budget))),
            Err(stop) => Err(late(stop, budget, "there was no answer in time")),
        }
    }

    /// Returns a violation that says how a program ended that closed its output too early; it waits up to a second for the end.
    fn cause_of_death(&mut self, budget: &Budget) -> Broken {
        let moment = budget.within(Some(Duration::from_secs(1)));
        broken(
            "ended",
            match self.dialogue.ended(&moment) {
                Ok(Ended { how, .. }) => {
                    format!("the program ended before it had answered: {how}")
                }
                Err(_) => {
                    "the program closed its standard output before it had answered".to_owned()
                }
            },
        )
    }

    /// Closes the input of the program after its test, and waits for its end. An error unless it writes no more lines and its exit status
    /// is 0. If `speaks`, outputs may still arrive.
    pub fn finish(mut self, speaks: bool, budget: &Budget) -> Result<(), NoAnswer> {
        self.dialogue.hang_up();
        let limited = budget.within(self.agreement.step_timeout);
        let slow = "it did not end in time after its standard input had";
        loop {
            match self.dialogue.listen(&limited) {
                Ok(Heard::Line(line)) if speaks && is_output(&line) => {}
                Ok(Heard::Line(line)) => {
                    let what = format!("it wrote more lines than it was given: {}", shown(&line));
                    return Err(broken("malformed", what).into());
                }
                Ok(Heard::Noise(what)) => {
                    return Err(broken("malformed", format!("it wrote {what}")).into());
                }
                Ok(Heard::End) => break,
                Err(stop) => return Err(late(stop, budget, slow)),
            }
        }
        match self.dialogue.ended(&limited) {
            Ok(ended) if ended.is_success => Ok(()),
            Ok(Ended { how, .. }) => {
                Err(broken("ended", format!("after the last answer: {how}")).into())
            }
            Err(stop) => Err(late(stop, budget, slow)),
        }
    }

    /// Writes a line to the program.
    pub(crate) fn say(&mut self, line: String) {
        self.dialogue.say(line);
    }

    /// Returns the next line, and the time since it arrived. `None` if no line arrives within this time.
    ///
    /// # Errors
    /// If the program writes something other than a line of text, or ends.
    pub(crate) fn hear(
        &mut self,
        within: Duration,
    ) -> Result<Option<(String, Duration)>, NoAnswer> {
        match self.dialogue.hear(within) {
            None => Ok(None),
            Some((Heard::Line(line), ago)) => Ok(Some((line, ago))),
            Some((Heard::Noise(what), _)) => {
                Err(broken("malformed", format!("it wrote {what}")).into())
            }
            Some((Heard::End, _)) => {
                let budget = Budget::unlimited();
                Err(NoAnswer::Broken(self.cause_of_death(&budget)))
            }
        }
    }
}

/// Whether a line is a JSON object with the single member `output`, with which a system with its own clock reports an output.
fn is_output(line: &str) -> bool {
    let object = serde_json::from_str::<BTreeMap<String, Json>>(line);
    object.is_ok_and(|object| object.keys().eq(["output"]))
}

/// Returns the reason for a missing answer: an interruption by the user, or a time-out of the program with the message `what`.
fn late(stop: Stop, budget: &Budget, what: &str) -> NoAnswer {
    match (stop, budget.stopped()) {
        (Stop::Interrupted, _) | (_, Some(Stop::Interrupted)) => NoAnswer::Interrupted,
        _ => broken("time-out", what).into(),
    }
}

pub(crate) fn shown(line: &str) -> String {
    let mut text: String = line.chars().take(SHOWN).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    format!("`{text}`")
}

/// Returns the outputs that a line of JSON gives, in the order of the model; an error unless it gives each one a value of its type.
fn answer(line: &str, outputs: &[Port]) -> Result<Vec<(String, Value)>, Broken> {
    let malformed = |what: String| broken("malformed", format!("{what}: {}", shown(line)));
    let object: BTreeMap<String, Json> = serde_json::from_str(line)
        .map_err(|_| malformed("it wrote a line that is no JSON object".to_owned()))?;
    if let Some(name) = object
        .keys()
        .find(|name| !outputs.iter().any(|port| port.name == **name))
    {
        return Err(malformed(format!("there is no output `{name}`")));
    }
    let values = outputs.iter().map(|port| {
        let json = object.get(&port.name);
        let json =
            json.ok_or_else(|| malformed(format!("the output `{}` is missing", port.name)))?;
        let value = value(json, &port.sort).ok_or_else(|| {
            let (name, sort) = (&port.name, &port.sort);
            malformed(format!(
                "the output `{name}` is no value of its type, {sort}"
            ))
        })?;
        Ok((port.name.clone(), value))
    });
    values.collect()
}

/// Returns a JSON value as a value of this type; `None` if it is none. Booleans and bits may be JSON booleans.
fn value(json: &Json, sort: &Sort) -> Option<Value> {
    let value = match (json, sort) {
        (Json::Bool(set), Sort::Bit) => Value::Int(i64::from(*set)),
        (Json::Bool(set), Sort::Bool) => Value::bool(*set),
        (Json::String(text), _) => Value::Symbol(text.clone()),
        (Json::Number(number), _) => Value::Int(number.as_i64()?),
        _ => return None,
    };
    sort.encode(&value).map(|_| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_any_order_and_nothing_else_is() {
        let port = |name: &str, sort: Sort| Port {
            name: name.to_owned(),
            bits: (0..sort.width()).collect(),
            sort,
        };
        let outputs = [
            port("lamp", Sort::Bool),
            port("level", Sort::Range { low: 0, high: 5 }),
            port("mode", Sort::enumeration(["on", "off"])),
        ];
        let ok = answer(r#"{"mode":"off","level":5,"lamp":true}"#, &outputs).unwrap();
        let names: Vec<String> = ok.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(names, ["lamp=TRUE", "level=5", "mode=off"]);
        for (line, why) in [
            ("", "no JSON object"),
            ("[]", "no JSON object"),
            (r#"{"lamp":"TRUE","level":5}"#, "`mode` is missing"),
            (
                r#"{"lamp":"TRUE","level":6,"mode":"on"}"#,
                "`level` is no value",
            ),
            (r#"{"lamp":1,"level":0,"mode":"on"}"#, "`lamp` is no value"),
            (
                r#"{"lamp":"TRUE","level":0.5,"mode":"on"}"#,
                "`level` is no value",
            ),
            (
                r#"{"lamp":"TRUE","level":0,"mode":"on","x":1}"#,
                "no output `x`",
            ),
            (
                r#"{"lamp":"TRUE","level":0,"mode":"on"} {}"#,
                "no JSON object",
            ),
        ] {
            let error = answer(line, &outputs).unwrap_err();
            assert_eq!(error.reason, "malformed");
            assert!(error.message.contains(why), "{line}: {}", error.message);
        }
    }
}
