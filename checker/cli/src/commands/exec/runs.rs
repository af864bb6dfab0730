//! Runs of tests on the system, several at a time, each told by its test and its number.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use hyperkill_checker::testgen::running::{
    Ending, Next, Play, Reference, Script, Values, Verdict, Why,
};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Decider, Follower, Slot};

use super::adapter::{Adapter, Agreement, Broken, NoAnswer};
use super::following::{Closing, play};
use super::systems::{self, Scale};
use super::waiting::{LATE, Waiting};
use crate::documents::{ExecVerdict, ExecutedRun, SeenStep, Valuation};

/// Who says which inputs come next, and what the answers mean.
pub(super) enum Judge<'a> {
    /// The circuit of the model: tests are followed.
    Model(&'a Reference<'a>),
    /// The test alone, whose inputs have times: when each of them is given, test by test.
    Times(Waiting<'a>, &'a [Vec<Slot>]),
    /// The model, which is followed in time.
    Moments(Tempo<'a>),
}

impl Judge<'_> {
    /// Whether a program is sent `"reset"` before each test, also if it serves one.
    fn begins_with_reset(&self) -> bool {
        matches!(self, Judge::Moments(_))
    }

    /// Whether outputs may come at any time.
    fn speaks(&self) -> bool {
        matches!(self, Judge::Moments(tempo) if tempo.clock.is_some())
    }
}

/// How tests at moments are played.
pub(super) struct Tempo<'a> {
    pub(super) decider: &'a dyn Decider,
    /// So many to a unit.
    pub(super) parts: i64,
    /// The variable whose values are outputs.
    pub(super) output: &'a str,
    /// How the system's clock goes; `None` if it is told how much time passes.
    pub(super) clock: Option<Scale<'a>>,
}

impl Tempo<'_> {
    /// The model at its start.
    fn follower(&self) -> Result<Box<dyn Follower>, Broken> {
        let follower = self.decider.follower(self.parts);
        let follower = follower.unwrap_or_else(|| Err("there is none to be followed".to_owned()));
        follower.map_err(|why| Broken {
            reason: "malformed",
            message: format!("the model: {why}"),
        })
    }
}

/// What is to be run, and how.
pub(super) struct Work<'a> {
    pub(super) judge: Judge<'a>,
    /// The tests, by id.
    pub(super) scripts: &'a [(String, Script)],
    pub(super) repeat: usize,
    pub(super) command: &'a [OsString],
    pub(super) agreement: Agreement<'a>,
    /// For one run.
    pub(super) timeout: Option<Duration>,
    /// Whether one program serves all runs.
    pub(super) one_for_all: bool,
    /// Programs at a time.
    pub(super) jobs: usize,
    /// For everything.
    pub(super) budget: Budget,
}

/// Runs everything; by test, the runs that were finished before everything had to end.
pub(super) fn carry_out(work: &Work<'_>) -> Vec<Vec<ExecutedRun>> {
    let all = work.scripts.len() * work.repeat;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..work.jobs.min(all) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut kept = None;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= all || work.budget.stopped().is_some() {
                        return;
                    }
                    let (test, run) = (number / work.repeat, number % work.repeat);
                    let Some(done) = one(work, test, run, &mut kept) else {
                        return;
                    };
                    if sender.send((test, done)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut by_test: BTreeMap<usize, Vec<ExecutedRun>> = BTreeMap::new();
        for (test, run) in receiver {
            by_test.entry(test).or_default().push(run);
        }
        let mut results: Vec<Vec<ExecutedRun>> = (0..work.scripts.len())
            .map(|test| by_test.remove(&test).unwrap_or_default())
            .collect();
        for runs in &mut results {
            runs.sort_by_key(|run| run.run);
        }
        results
    })
}

/// One run. `None` if everything has to end.
fn one<'a>(
    work: &'a Work<'_>,
    test: usize,
    run: usize,
    kept: &mut Option<Adapter<'a>>,
) -> Option<ExecutedRun> {
    let (id, script) = &work.scripts[test];
    let limit = work.timeout.map(|timeout| match &work.judge {
        Judge::Model(_) => timeout,
        // What a system with a clock takes for its answers is added up elsewhere.
        Judge::Moments(tempo) if tempo.clock.is_some() => Duration::MAX,
        Judge::Moments(_) => timeout,
        // Waiting is the test's, and no delay of the system.
        Judge::Times(waiting, slots) => timeout.saturating_add(waiting.of_test(&slots[test])),
    });
    let budget = work.budget.within(limit);
    let mut told = Told::default();
    let ended = (|| {
        let mut adapter = match kept.take() {
            Some(adapter) => adapter,
            None => start(work, id, run)?,
        };
        if work.one_for_all && !work.judge.begins_with_reset() {
            adapter.reset(false, &budget)?;
        }
        let closing: Closing = match &work.judge {
            Judge::Moments(tempo) => in_time(
                work,
                tempo,
                (script.steps.as_slice(), &mut adapter),
                &budget,
                &mut told,
            )?,
            Judge::Model(reference) => {
                followed(reference, script, &mut adapter, &budget, &mut told)?.into()
            }
            Judge::Times(waiting, slots) => {
                let mut ask = |inputs: &Values| ask(&mut adapter, inputs, &budget, &mut told);
                let steps = (script.steps.as_slice(), slots[test].as_slice());
                let (ending, expected) = waiting.play(steps, &budget, &mut ask)?;
                told.instead.extend(expected);
                ending.into()
            }
        };
        if work.one_for_all {
            *kept = Some(adapter);
        } else if let (Err(no), false) = (
            adapter.finish(work.judge.speaks(), &budget),
            closing.verdict == Verdict::Fail,
        ) {
            // A fail was seen, however the program ends.
            return Err(no);
        }
        Ok(closing)
    })();
    match ended {
        Ok(closing) => match (closing.reason, work.budget.stopped()) {
            (OPEN, Some(_)) => None,
            _ => Some(told.ended(run, closing)),
        },
        Err(NoAnswer::Interrupted) => None,
        // Nor was the program given its time.
        Err(NoAnswer::Broken(broken)) if broken.reason == "time-out" => {
            let is_over = work.budget.stopped().is_some();
            (!is_over).then(|| told.broken(run, broken))
        }
        Err(NoAnswer::Broken(broken)) => Some(told.broken(run, broken)),
    }
}

fn start<'a>(work: &'a Work<'_>, id: &str, run: usize) -> Result<Adapter<'a>, Broken> {
    let variables = match work.one_for_all {
        true => vec![],
        false => vec![
            ("HYPERKILL_TEST", id.to_owned()),
            ("HYPERKILL_RUN", run.to_string()),
        ],
    };
    Adapter::start(work.command, &variables, &work.agreement)
}

/// Plays a test that follows the answers of the system.
fn followed(
    reference: &Reference<'_>,
    script: &Script,
    adapter: &mut Adapter<'_>,
    budget: &Budget,
    told: &mut Told,
) -> Result<Ending, NoAnswer> {
    let mut play = Play::new(reference, script).map_err(|misfit| Broken {
        reason: "malformed",
        message: format!("the test is none of this model: {misfit}"),
    })?;
    let ending = talk(&mut play, adapter, budget, told)?;
    if ending.verdict == Verdict::Fail {
        told.instead = play.alternatives();
    }
    Ok(ending)
}

/// Plays a test at moments.
fn in_time(
    work: &Work<'_>,
    tempo: &Tempo<'_>,
    (steps, adapter): (&[Step], &mut Adapter<'_>),
    budget: &Budget,
    told: &mut Told,
) -> Result<Closing, NoAnswer> {
    let mut model = tempo.follower()?;
    let test = (steps, tempo.parts, tempo.output);
    let Some(scale) = tempo.clock else {
        adapter.reset(false, budget)?;
        let mut system = systems::Told {
            lines: adapter,
            budget,
            parts: tempo.parts,
            now: 0,
        };
        return play(test, &mut system, model.as_mut(), &mut told.seen);
    };
    let zero = scale.timer.now();
    adapter.reset(true, budget)?;
    // The system has started somewhere between.
    let latest = scale.parts(scale.timer.now().saturating_sub(zero));
    model.restart(latest.saturating_add(1));
    let mut system = systems::Clocked {
        lines: adapter,
        budget,
        scale,
        zero,
        step_timeout: work.agreement.step_timeout,
        patience: work.timeout,
    };
    play(test, &mut system, model.as_mut(), &mut told.seen)
}

/// Gives inputs, and notes them with what they are answered.
fn ask(
    adapter: &mut Adapter<'_>,
    inputs: &Values,
    budget: &Budget,
    told: &mut Told,
) -> Result<Values, NoAnswer> {
    told.seen.push(SeenStep {
        at: None,
        inputs: Valuation(inputs.clone()),
        outputs: None,
    });
    let outputs = adapter.ask(inputs, budget)?;
    if let Some(last) = told.seen.last_mut() {
        last.outputs = Some(Valuation(outputs.clone()));
    }
    Ok(outputs)
}

/// Plays a test to its end.
fn talk(
    play: &mut Play<'_>,
    adapter: &mut Adapter<'_>,
    budget: &Budget,
    told: &mut Told,
) -> Result<Ending, NoAnswer> {
    loop {
        match play.next(budget) {
            Next::Over(ending) => return Ok(ending),
            Next::Set(inputs) => {
                let outputs = ask(adapter, &inputs, budget, told)?;
                play.see(&outputs, budget).map_err(|misfit| Broken {
                    reason: "malformed",
                    message: misfit.to_string(),
                })?;
            }
        }
    }
}

/// What is to be told of a run.
#[derive(Default)]
struct Told {
    seen: Vec<SeenStep>,
    instead: Vec<Values>,
}

impl Told {
    fn ended(self, run: usize, closing: Closing) -> ExecutedRun {
        let verdict = match closing.verdict {
            Verdict::Pass => ExecVerdict::Pass,
            Verdict::Fail => ExecVerdict::Fail,
            Verdict::Inconclusive => ExecVerdict::Inconclusive,
        };
        let instead = self.instead.into_iter().chain(closing.instead);
        ExecutedRun {
            run,
            verdict,
            reason: closing.reason.to_owned(),
            step: closing.step,
            message: closing.message,
            seen: match verdict {
                ExecVerdict::Pass => Vec::new(),
                _ => self.seen,
            },
            instead: instead.map(Valuation).collect(),
        }
    }

    fn broken(self, run: usize, broken: Broken) -> ExecutedRun {
        ExecutedRun {
            run,
            verdict: match broken.reason {
                LATE => ExecVerdict::Inconclusive,
                _ => ExecVerdict::Error,
            },
            reason: broken.reason.to_owned(),
            step: self.seen.len().saturating_sub(1),
            message: broken.message,
            seen: self.seen,
            instead: Vec::new(),
        }
    }
}

impl From<Ending> for Closing {
    fn from(ending: Ending) -> Closing {
        let (reason, message) = said(ending.why);
        Closing {
            verdict: ending.verdict,
            step: ending.step,
            reason,
            message,
            instead: Vec::new(),
        }
    }
}

/// Why a run has no verdict if what the model allows was not found out.
const OPEN: &str = "open";

/// Why a test ended, in a word and in a sentence.
fn said(why: Why) -> (&'static str, String) {
    let (reason, message) = match why {
        Why::AsExpected => ("as-expected", "the outputs are those of the test"),
        Why::Allowed(step) => {
            let text = format!(
                "all outputs are allowed; from step {step} on they are not those of the test"
            );
            return ("allowed", text);
        }
        Why::ToldApart => (
            "told-apart",
            "all outputs are allowed, and the mutants of the test cannot have given them",
        ),
        Why::NotExpected => (
            "not-expected",
            "not the outputs of the test; it is linear, so that whether the model allows them is not asked",
        ),
        Why::NotAllowed => (
            "not-allowed",
            "the model does not allow these outputs after what was seen before",
        ),
        Why::Other => (
            "other-allowed",
            "allowed, but not the outputs of the test, which ends here",
        ),
        Why::Refused => (
            "refused",
            "no run of the model with what was seen accepts the next input",
        ),
        Why::Open(Stop::Time | Stop::Interrupted) => (
            OPEN,
            "whether the model allows these outputs was not found out in time",
        ),
        Why::Open(_) => (
            OPEN,
            "whether the model allows these outputs was not found out",
        ),
    };
    (reason, message.to_owned())
}
