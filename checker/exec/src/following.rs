//! Tests of timed models at moments (points in time): the tester follows the model along the observed outputs and their times.
//!
//! The tester keeps the delays of the test. An output at an unexpected moment is correct if the model allows it then; the test continues
//! from there.

use hyperkill_checker::testgen::running::{Values, Verdict};
use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_frontend::decision::{Conforms, Follower, Moments, Takes};

use hyperkill_audit::documents::{SeenStep, Valuation};
use hyperkill_report::text::time;

use crate::adapter::NoAnswer;
use crate::closing::Closing;

/// Word in a report for a refused input, in place of an output.
const REFUSED: &str = "(refused)";

/// Result of waiting for an output.
pub enum Waited {
    /// No output came, at least up to this moment.
    Silent(i64),
    /// An output, with the earliest and the latest moment at which it was made.
    Output(String, Moments),
}

/// Answer of the system to an input.
pub struct Given {
    /// Whether the system accepts the input; otherwise it refuses it.
    pub is_taken: bool,
    /// Moments between which the input was given and answered.
    pub at: Moments,
    /// Outputs that the system made before the input.
    pub before: Vec<(String, Moments)>,
}

/// A timed system under test. Moments are numbers of parts of a unit of time since the start.
pub trait System {
    /// Lets time pass until a moment or the first output, and returns which of them came.
    ///
    /// # Errors
    /// If the system breaks the protocol.
    fn wait(&mut self, until: i64) -> Result<Waited, NoAnswer>;

    /// Gives an input to the system now, and returns its answer.
    ///
    /// # Errors
    /// As [`System::wait`].
    fn give(&mut self, input: &Values) -> Result<Given, NoAnswer>;

    /// Returns the largest delay between an output and its arrival at the tester, in parts of a unit of time.
    fn tolerance(&self) -> i64;
}

/// The reason why a test ends before its last step.
enum Over {
    Closed(Closing),
    Broken(NoAnswer),
}

impl From<NoAnswer> for Over {
    fn from(no: NoAnswer) -> Over {
        Over::Broken(no)
    }
}

/// A test whose inputs and outputs have moments (points in time).
#[derive(Clone, Copy, Debug)]
pub struct TimedTest<'a> {
    /// Steps of the test, each with its moment.
    pub steps: &'a [Step],
    /// Parts into which a unit of time is divided; moments are counted in them.
    pub parts: i64,
    /// Name of the variable whose values are outputs.
    pub output: &'a str,
}

/// Plays a test to its end, and records its steps in `seen`. The outputs of the system must be outputs of the model at these moments.
///
/// # Errors
/// If the system breaks the protocol, or the user interrupts the run.
pub fn play(
    test: TimedTest<'_>,
    system: &mut dyn System,
    model: &mut dyn Follower,
    seen: &mut Vec<SeenStep>,
) -> Result<Closing, NoAnswer> {
    let mut player = Player {
        test,
        tolerance: system.tolerance(),
        system,
        model,
        seen,
        step: 0,
        now: 0,
        aside: None,
    };
    match player.play() {
        Ok(()) => Ok(player.passed()),
        Err(Over::Closed(closing)) => Ok(closing),
        Err(Over::Broken(no)) => Err(no),
    }
}

struct Player<'a> {
    system: &'a mut dyn System,
    model: &'a mut dyn Follower,
    seen: &'a mut Vec<SeenStep>,
    test: TimedTest<'a>,
    tolerance: i64,
    step: usize,
    /// Last moment that has certainly passed, in parts of a unit.
    now: i64,
    /// First step at which the system deviated from the expected output.
    aside: Option<usize>,
}

impl Player<'_> {
    fn play(&mut self) -> Result<(), Over> {
        // Moment of the step before, actual and as written in the test.
        let (mut last, mut said) = (0, 0);
        for (index, step) in self.test.steps.iter().enumerate() {
            self.step = index;
            let at = step.at.and_then(|at| in_parts(at, self.test.parts));
            let at = at.unwrap_or(said);
            let due = last + (at - said).max(0);
            said = at;
            last = match (step.inputs.as_slice(), step.outputs.as_slice()) {
                ([], []) => self.ends(due)?,
                ([], [output, ..]) => self.expects(due, output)?,
                (inputs, _) => self.gives(due, inputs)?,
            };
        }
        Ok(())
    }

    /// Performs a last step without input or output: lets time pass up to moment `due`. The test fails on an output or a silence that the
    /// model does not allow. Returns `due`.
    fn ends(&mut self, due: i64) -> Result<i64, Over> {
        self.until(due + self.tolerance)?;
        Ok(due)
    }

    fn expects(&mut self, due: i64, expected: &(String, Value)) -> Result<i64, Over> {
        if let Some(at) = self.awaited(due + self.tolerance, expected, due)? {
            return Ok(at);
        }
        self.goes_aside();
        let Some(last) = self.model.patience() else {
            // The model does not require the output.
            return Ok(due);
        };
        let end = last.max(due) + self.tolerance + 1;
        Ok(self.awaited(end, expected, due)?.unwrap_or(due))
    }

    /// Waits for the output `value` until the moment `until`. Returns the moment at which an output arrived; `None` if none did.
    /// Records a deviation from the test if it is another output, or does not arrive at `due`.
    fn awaited(
        &mut self,
        until: i64,
        (_, value): &(String, Value),
        due: i64,
    ) -> Result<Option<i64>, Over> {
        match self.system.wait(until)? {
            Waited::Silent(silent) => {
                self.silent(silent)?;
                Ok(None)
            }
            Waited::Output(output, at) => {
                self.sees(&output, at)?;
                let is_in_time = at.from <= due && due <= at.to;
                if !is_in_time || output != value.to_string() {
                    self.goes_aside();
                }
                Ok(Some(at.to))
            }
        }
    }

    fn gives(&mut self, due: i64, inputs: &[(String, Value)]) -> Result<i64, Over> {
        self.until(due)?;
        let input = inputs
            .first()
            .map_or(String::new(), |(_, value)| value.to_string());
        let mut asked = self.asked(&input, due);
        if asked == Takes::TooLate {
            // An output has to precede the input. The system may have made it already: wait until it would have arrived.
            self.until(due + self.tolerance + 1)?;
            asked = self.asked(&input, due);
        }
        self.must_take(asked, &input)?;
        let given = self.system.give(&inputs.to_vec())?;
        for (output, at) in given.before {
            self.sees(&output, at)?;
            self.goes_aside();
        }
        self.now = self.now.max(given.at.to);
        let answer = match given.is_taken {
            true => Values::new(),
            false => self.output(REFUSED),
        };
        self.notes(given.at.from, inputs.to_vec(), answer);
        let asked = self.model.asked(&input, given.at);
        match (asked, given.is_taken) {
            (Takes::Unknown, true) => {
                let message =
                    format!("the system accepts `{input}`, which the model does not have");
                return Err(self.fails(message, vec![]));
            }
            (Takes::Unknown, false) => {}
            (Takes::Always, false) => {
                let message = format!("the system refuses `{input}`, which the model accepts");
                return Err(self.fails(message, vec![]));
            }
            (asked, _) => {
                self.must_take(asked, &input)?;
                self.model.takes(&input, given.at);
            }
        }
        Ok(given.at.to)
    }

    fn asked(&self, input: &str, due: i64) -> Takes {
        let now = due.max(self.now);
        self.model.asked(input, Moments { from: now, to: now })
    }

    /// Ends the test as inconclusive if `asked`, the response of the model to an input, is a refusal or uncertain.
    fn must_take(&self, asked: Takes, input: &str) -> Result<(), Over> {
        let (reason, message) = match asked {
            Takes::Always | Takes::Unknown => return Ok(()),
            Takes::Never => (
                "refused",
                format!("the model does not accept `{input}` after the earlier steps"),
            ),
            Takes::Sometimes | Takes::TooLate => (
                "moment",
                format!(
                    "the times of earlier events are not exact enough to tell whether the model accepts `{input}`"
                ),
            ),
        };
        Err(self.ends_open(reason, message))
    }

    /// Lets time pass until moment `due`. The test expects no output before, so an output is recorded as a deviation from the test; it
    /// ends the test if the model does not allow it.
    fn until(&mut self, due: i64) -> Result<(), Over> {
        loop {
            match self.system.wait(due)? {
                Waited::Silent(silent) => return self.silent(silent),
                Waited::Output(output, at) => {
                    self.sees(&output, at)?;
                    self.goes_aside();
                }
            }
        }
    }

    /// Advances the model to moment `until` without an output. Ends the test if the model does not allow this delay.
    fn silent(&mut self, until: i64) -> Result<(), Over> {
        let last = self.model.patience().unwrap_or(until);
        let instead = self.possible(self.now, last);
        self.now = self.now.max(until + self.tolerance);
        let what = format!("no output came up to {}", self.shown(until));
        match self.model.waits(until) {
            Conforms::Yes => Ok(()),
            Conforms::Lost => Err(self.is_lost(&what)),
            Conforms::No => {
                let message = format!("{what}, and the model does not allow this delay");
                Err(self.fails(message, instead))
            }
        }
    }

    /// Advances the model over an output of the system that was made at `at`. Ends the test if the model does not allow it.
    fn sees(&mut self, output: &str, at: Moments) -> Result<(), Over> {
        let instead = self.possible(at.from, at.to);
        self.now = self.now.max(at.to);
        self.notes(at.to, vec![], self.output(output));
        let when = match at.from == at.to {
            true => format!("at {}", self.shown(at.to)),
            false => format!("between {} and {}", self.shown(at.from), self.shown(at.to)),
        };
        let what = format!("`{output}` came {when}");
        match self.model.outputs(output, at) {
            Conforms::Yes => Ok(()),
            Conforms::Lost => Err(self.is_lost(&what)),
            Conforms::No => {
                let message = format!("{what}, when the model does not allow it");
                Err(self.fails(message, instead))
            }
        }
    }

    fn possible(&self, from: i64, to: i64) -> Vec<Values> {
        let to = to.max(from);
        let outputs = self.model.possible(Moments { from, to }).into_iter();
        outputs.map(|output| self.output(&output)).collect()
    }

    /// Returns a value of the output variable as a valuation.
    fn output(&self, output: &str) -> Values {
        let value = Value::Symbol(output.to_owned());
        vec![(self.test.output.to_owned(), value)]
    }

    fn notes(&mut self, at: i64, inputs: Values, outputs: Values) {
        let is_seen = !outputs.is_empty();
        self.seen.push(SeenStep {
            at: moment(at, self.test.parts),
            inputs: Valuation(inputs),
            outputs: is_seen.then_some(Valuation(outputs)),
        });
    }

    fn goes_aside(&mut self) {
        self.aside.get_or_insert(self.step);
    }

    fn shown(&self, at: i64) -> String {
        moment(at, self.test.parts).map_or_else(|| "?".to_owned(), time::spelled)
    }

    fn fails(&self, message: String, instead: Vec<Values>) -> Over {
        Over::Closed(Closing {
            verdict: Verdict::Fail,
            step: self.step,
            reason: "not-allowed",
            message,
            instead,
        })
    }

    fn ends_open(&self, reason: &'static str, message: String) -> Over {
        Over::Closed(Closing {
            verdict: Verdict::Inconclusive,
            step: self.step,
            reason,
            message,
            instead: Vec::new(),
        })
    }

    fn is_lost(&self, what: &str) -> Over {
        let message = format!("{what}, which the model does only in runs that it cannot continue");
        self.ends_open("lost", message)
    }

    fn passed(&self) -> Closing {
        let (reason, message) = match self.aside {
            None => (
                "as-expected",
                "the outputs are the expected ones".to_owned(),
            ),
            Some(step) => (
                "allowed",
                format!(
                    "all outputs are allowed; from step {step} on they differ from the expected ones"
                ),
            ),
        };
        Closing {
            verdict: Verdict::Pass,
            step: self.step,
            reason,
            message,
            instead: Vec::new(),
        }
    }
}

/// Returns a time as a number of parts, with `parts` of them in a unit; `None` if it is not a whole number, or too large.
pub(crate) fn in_parts(at: Time, parts: i64) -> Option<i64> {
    let (numerator, denominator) = at.parts();
    let whole = i128::from(numerator).checked_mul(i128::from(parts))?;
    let denominator = i128::from(denominator);
    (whole % denominator == 0).then_some(())?;
    i64::try_from(whole / denominator).ok()
}

/// Returns a moment, given as a number of parts, in units of time; a moment before the start becomes 0. `None` if the fraction is too
/// large.
pub(crate) fn moment(at: i64, parts: i64) -> Option<Time> {
    Time::fraction(at.max(0).try_into().ok()?, parts.try_into().ok()?).ok()
}
