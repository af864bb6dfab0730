//! Runs of tests on the system, several in parallel. A run is identified by its test and its number.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyperkill_audit::documents::{ExecutedRun, SeenStep, Valuation};
use hyperkill_checker::testgen::running::{Next, Play, Reference, Script, Values, Verdict};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Decider, Follower};
use rayon::ThreadPool;

use crate::adapter::{Adapter, Agreement, Broken, NoAnswer};
use crate::closing::{Closing, OPEN};
use crate::dialogue::Start;
use crate::following::{TimedTest, play};
use crate::plan::PlannedTest;
use crate::systems::{Clocked, Scale, Told};
use crate::waiting::Waiting;

/// The source of inputs and verdicts: it chooses the inputs of a test and judges the answers of the system.
pub enum Judge<'a> {
    /// The circuit of the model, which is followed along the answers.
    Model(&'a Reference<'a>),
    /// The test alone, whose inputs are given at times of a real clock.
    Times(Waiting<'a>),
    /// The timed model, which is followed along the answers and their times.
    Moments(Tempo<'a>),
}

impl Judge<'_> {
    /// Whether playing a test sends `"reset"` by itself, also if the program serves only this test.
    fn begins_with_reset(&self) -> bool {
        matches!(self, Judge::Moments(_))
    }

    /// Whether the system may write outputs at any time, because it has its own clock.
    fn speaks(&self) -> bool {
        matches!(self, Judge::Moments(tempo) if tempo.clock.is_some())
    }
}

/// Parameters of tests whose steps have moments (points in time).
pub struct Tempo<'a> {
    /// Decision procedure of the language, which makes followers of the model.
    pub decider: &'a dyn Decider,
    /// Parts into which a unit of time is divided.
    pub parts: i64,
    /// Name of the variable whose values are outputs.
    pub output: String,
    /// Clock of the system; `None` if the tester tells the system how much time passes.
    pub clock: Option<Scale<'a>>,
}

impl Tempo<'_> {
    /// Returns a follower of the model in its initial state; a violation if the language has none.
    fn follower(&self) -> Result<Box<dyn Follower>, Broken> {
        let follower = self.decider.follower(self.parts);
        let follower = follower.unwrap_or_else(|| Err("no test is followed".to_owned()));
        follower.map_err(|why| Broken {
            reason: "malformed",
            message: format!("the model: {why}"),
        })
    }
}

/// The runs of all tests to perform, with their limits.
pub struct Work<'a> {
    /// Chooses inputs and judges answers.
    pub judge: &'a Judge<'a>,
    /// Tests to run.
    pub tests: &'a [PlannedTest],
    /// Runs per test.
    pub repeat: usize,
    /// Function that starts the program under test.
    pub start: &'a Start<'a>,
    /// The outputs that an answer must give, and the time limit for one.
    pub agreement: Agreement<'a>,
    /// Time limit for one run.
    pub timeout: Option<Duration>,
    /// Whether one program serves all runs of a thread; otherwise each run starts its own.
    pub one_for_all: bool,
    /// Limit for all runs together.
    pub budget: Budget,
}

impl Work<'_> {
    /// Returns the number of runs: of all tests, each repeated.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.tests.len() * self.repeat
    }
}

/// Performs all runs in parallel, with at most one program per thread. Returns for each test, in order, the runs that finished before an
/// interruption.
#[must_use]
pub fn carry_out(work: &Work<'_>, threads: &ThreadPool) -> Vec<Vec<ExecutedRun>> {
    let all = work.runs();
    let next = AtomicUsize::new(0);
    let by_thread = threads.broadcast(|_| {
        let mut kept = None;
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= all || work.budget.stopped().is_some() {
                return done;
            }
            let (test, run) = (number / work.repeat, number % work.repeat);
            match one(work, &work.tests[test], run, &mut kept) {
                Some(executed) => done.push((test, executed)),
                None => return done,
            }
        }
    });
    let mut by_test: BTreeMap<usize, Vec<ExecutedRun>> = BTreeMap::new();
    for (test, run) in by_thread.into_iter().flatten() {
        by_test.entry(test).or_default().push(run);
    }
    let tests = 0..work.tests.len();
    let mut results: Vec<Vec<ExecutedRun>> = tests
        .map(|test| by_test.remove(&test).unwrap_or_default())
        .collect();
    for runs in &mut results {
        runs.sort_by_key(|run| run.run);
    }
    results
}

/// Performs run number `run` of a test. `None` if it is interrupted or the total time ends first. `kept` is the running program, if one
/// program serves all tests.
fn one<'a>(
    work: &'a Work<'_>,
    test: &PlannedTest,
    run: usize,
    kept: &mut Option<Adapter<'a>>,
) -> Option<ExecutedRun> {
    let limit = work.timeout.map(|timeout| match work.judge {
        Judge::Model(_) => timeout,
        // A system with its own clock has a time limit for its answers elsewhere.
        Judge::Moments(tempo) if tempo.clock.is_some() => Duration::MAX,
        Judge::Moments(_) => timeout,
        // The pauses of the test do not count as delay of the system.
        Judge::Times(waiting) => timeout.saturating_add(waiting.of_test(&test.slots)),
    });
    let budget = work.budget.within(limit);
    let mut seen = Vec::new();
    let ended = (|| {
        let mut adapter = match kept.take() {
            Some(adapter) => adapter,
            None => start(work, &test.id, run)?,
        };
        if work.one_for_all && !work.judge.begins_with_reset() {
            adapter.reset(false, &budget)?;
        }
        let closing = played(work, test, &mut adapter, &budget, &mut seen)?;
        if work.one_for_all {
            *kept = Some(adapter);
        } else if let (Err(no), false) = (
            adapter.finish(work.judge.speaks(), &budget),
            closing.verdict == Verdict::Fail,
        ) {
            // A seen failure counts, regardless of how the program ends.
            return Err(no);
        }
        Ok(closing)
    })();
    let is_over = work.budget.stopped().is_some();
    match ended {
        Ok(closing) if closing.reason == OPEN && is_over => None,
        Ok(closing) => Some(closing.executed(run, seen)),
        Err(NoAnswer::Interrupted) => None,
        // The total limit ended the run before the program's own time was over.
        Err(NoAnswer::Broken(broken)) if broken.reason == "time-out" && is_over => None,
        Err(NoAnswer::Broken(broken)) => Some(broken.executed(run, seen)),
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
    match (work.start)(&variables) {
        Ok(dialogue) => Ok(Adapter::of(dialogue, &work.agreement)),
        Err(message) => Err(Broken {
            reason: "not-started",
            message,
        }),
    }
}

/// Plays a test to its end in the way of the work's judge, and returns its verdict. The steps are recorded in `seen`.
///
/// # Errors
/// If the program breaks the protocol or gives no answer in time, or the user interrupts the run.
fn played(
    work: &Work<'_>,
    test: &PlannedTest,
    adapter: &mut Adapter<'_>,
    budget: &Budget,
    seen: &mut Vec<SeenStep>,
) -> Result<Closing, NoAnswer> {
    let script = &test.script;
    match work.judge {
        Judge::Moments(tempo) => in_time(work, tempo, &script.steps, adapter, budget, seen),
        Judge::Model(reference) => followed(reference, script, adapter, budget, seen),
        Judge::Times(waiting) => {
            let mut ask = |inputs: &Values| ask(adapter, inputs, budget, seen);
            waiting.play(&script.steps, &test.slots, budget, &mut ask)
        }
    }
}

/// Plays a test along the circuit of the model, following the outputs of the system. Records the steps in `seen`.
fn followed(
    reference: &Reference<'_>,
    script: &Script,
    adapter: &mut Adapter<'_>,
    budget: &Budget,
    seen: &mut Vec<SeenStep>,
) -> Result<Closing, NoAnswer> {
    let mut play = Play::new(reference, script).map_err(|misfit| Broken {
        reason: "malformed",
        message: format!("the test is none of this model: {misfit}"),
    })?;
    loop {
        match play.next(budget) {
            Next::Over(ending) => {
                let mut closing = Closing::from(ending);
                if closing.verdict == Verdict::Fail {
                    closing.instead = play.alternatives();
                }
                return Ok(closing);
            }
            Next::Set(inputs) => {
                let outputs = ask(adapter, &inputs, budget, seen)?;
                play.see(&outputs, budget).map_err(|misfit| Broken {
                    reason: "malformed",
                    message: misfit.to_string(),
                })?;
            }
        }
    }
}

/// Plays a test at moments, and records its steps in `seen`. Without a clock of the system, the tester tells the system how much time
/// passes.
fn in_time(
    work: &Work<'_>,
    tempo: &Tempo<'_>,
    steps: &[Step],
    adapter: &mut Adapter<'_>,
    budget: &Budget,
    seen: &mut Vec<SeenStep>,
) -> Result<Closing, NoAnswer> {
    let mut model = tempo.follower()?;
    let test = TimedTest {
        steps,
        parts: tempo.parts,
        output: &tempo.output,
    };
    let Some(scale) = tempo.clock else {
        adapter.reset(false, budget)?;
        let mut system = Told {
            adapter,
            budget,
            parts: tempo.parts,
            now: 0,
        };
        return play(test, &mut system, model.as_mut(), seen);
    };
    let zero = scale.timer.now();
    adapter.reset(true, budget)?;
    // The system started between `zero` and now.
    let latest = scale.parts(scale.timer.now().saturating_sub(zero));
    model.restart(latest.saturating_add(1));
    let mut system = Clocked {
        adapter,
        budget,
        scale,
        zero,
        step_timeout: work.agreement.step_timeout,
        patience: work.timeout,
    };
    play(test, &mut system, model.as_mut(), seen)
}

/// Gives inputs to the program and returns its outputs. Records both in `seen`.
fn ask(
    adapter: &mut Adapter<'_>,
    inputs: &Values,
    budget: &Budget,
    seen: &mut Vec<SeenStep>,
) -> Result<Values, NoAnswer> {
    seen.push(SeenStep {
        at: None,
        inputs: Valuation(inputs.clone()),
        outputs: None,
    });
    let outputs = adapter.ask(inputs, budget)?;
    if let Some(last) = seen.last_mut() {
        last.outputs = Some(Valuation(outputs.clone()));
    }
    Ok(outputs)
}
