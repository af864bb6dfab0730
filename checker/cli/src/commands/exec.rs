//! `hyperkill exec`: runs the tests of a suite on a real system through an adapter.

use std::time::Duration;

use hyperkill_checker::testgen::running::Reference;
use hyperkill_core::budget::Clock;
use hyperkill_core::conditional::Port;
use hyperkill_core::events::{Calls, EventPort};
use hyperkill_core::specialise::keep_mutants;
use hyperkill_exec::adapter::Agreement;
use hyperkill_exec::dialogue::{self, Variable};
use hyperkill_exec::outcome::report;
use hyperkill_exec::plan::{Chosen, Plan};
use hyperkill_exec::runs::{Judge, Work, carry_out};
use hyperkill_exec::timed::{Pace, TimedModel, no_times};
use hyperkill_exec::waiting::Timer;
use hyperkill_report::junit;
use hyperkill_report::text::executed::executed;

use super::subject::{Source, must_be_same, subject_of, suite_and_model};
use crate::args::{ExecArgs, Format};
use crate::children::Dialogue;
use crate::decision::pool;
use crate::documents::{self, ExecReport, Suite};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Recorded};
use crate::progress::Screen;
use crate::session::Session;

/// A clock with which a run also waits, by sleeping.
struct Real<C>(C);

impl<C: Clock> Timer for Real<C> {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Runs the tests of a suite on the user's program, prints the report, and returns the exit status.
pub(super) fn exec(session: &mut Session<'_>, args: &ExecArgs) -> Result<ExitCode, Failure> {
    session.limit(args.total_timeout.0);
    let source = Source {
        of: &args.of,
        suite: args.suite.as_deref(),
        moved: &args.model,
    };
    let (suite, recorded) = suite_and_model(&source)?;
    let language = recorded.spec.language.as_deref();
    let (report, events) = match language.is_some_and(|name| languages::own(name).is_some()) {
        true => (timed(session, args, &suite, &recorded)?, Vec::new()),
        false => of_circuit(session, args, suite, recorded)?,
    };
    finish(session, args, &report, &events)
}

/// Runs the tests of a suite of a circuit. Returns the report, and which ports stand for events.
fn of_circuit(
    session: &mut Session<'_>,
    args: &ExecArgs,
    suite: Suite,
    recorded: Recorded,
) -> Result<(ExecReport, Vec<EventPort>), Failure> {
    pace(args).must_be_none()?;
    let subject = subject_of(session, suite, recorded)?;
    let model = keep_mutants(subject.model(), &[]);
    let reference = Reference::new(&model);
    let wanted = wanted(args, &subject.suite);
    let plan = Plan::of(wanted, &reference, &mut Screen::of(session))?;
    let judge = Judge::Model(&reference);
    let report = run(session, args, &subject.suite, plan, &judge, &model.outputs)?;
    Ok((report, subject.suite.signature.events))
}

/// Runs the tests of a suite of timed processes.
fn timed(
    session: &mut Session<'_>,
    args: &ExecArgs,
    suite: &Suite,
    recorded: &Recorded,
) -> Result<ExecReport, Failure> {
    let (spec, origin) = (&recorded.spec, recorded.origin());
    let model = load::own(session, spec, origin, &recorded.operators)?;
    let model = model.ok_or_else(no_times)?;
    must_be_same(&model.listing.description, &suite.model.description)?;
    let decider = load::decider(&model)?;
    let timer = Real(session.clock);
    let model = TimedModel {
        decider: decider.as_ref(),
        outputs: &model.contents.outputs,
    };
    let screen = &mut Screen::of(session);
    let timed = model.plan(wanted(args, suite), pace(args), &timer, screen)?;
    run(
        session,
        args,
        suite,
        timed.plan,
        &timed.judge,
        &timed.outputs,
    )
}

fn wanted<'a>(args: &'a ExecArgs, suite: &'a Suite) -> Chosen<'a> {
    Chosen {
        suite,
        tests: &args.test,
        repeat: args.repeat,
    }
}

fn pace(args: &ExecArgs) -> Pace {
    Pace {
        unit: args.time_scale,
        tolerance: args.tolerance,
        is_virtual: args.virtual_time,
    }
}

/// Runs tests on the user's program.
fn run(
    session: &Session<'_>,
    args: &ExecArgs,
    suite: &Suite,
    plan: Plan,
    judge: &Judge<'_>,
    outputs: &[Port],
) -> Result<ExecReport, Failure> {
    let words = args.command.iter().map(|word| word.to_string_lossy());
    let words: Vec<String> = words.map(|word| word.into_owned()).collect();
    let start = |variables: &[Variable]| -> Result<Box<dyn dialogue::Dialogue>, String> {
        match Dialogue::start(&args.command, variables) {
            Ok(dialogue) => Ok(Box::new(dialogue)),
            Err(error) => {
                let program = words.first().map_or("", String::as_str);
                Err(format!("`{program}` cannot be started: {error}"))
            }
        }
    };
    let work = Work {
        judge,
        tests: &plan.tests,
        repeat: args.repeat,
        start: &start,
        agreement: Agreement {
            outputs,
            step_timeout: args.step_timeout.0,
        },
        timeout: args.timeout.0,
        one_for_all: args.reset,
        budget: session.budget(),
    };
    // The system under test may not support parallel instances.
    let jobs = session.jobs_asked_for.unwrap_or(1);
    let threads = pool(jobs.min(work.runs()).max(1))?;
    let done = carry_out(&work, &threads);
    Ok(report(suite, &work, words.clone(), plan.left_out, done))
}

/// Prints the report, writes it as JUnit if an option asks for it, and returns the exit status.
fn finish(
    session: &mut Session<'_>,
    args: &ExecArgs,
    report: &ExecReport,
    events: &[EventPort],
) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.junit {
        let text = junit::executed(report);
        session.io.disk.write(file, text.as_bytes())?;
    }
    let text = match session.format {
        Format::Json => documents::to_text(report)?,
        Format::Human => executed(report, &Calls::new(events), session.style),
    };
    session.print(text)?;
    Ok(exit_code(session, report))
}

fn exit_code(session: &Session<'_>, report: &ExecReport) -> ExitCode {
    let ran = report.tests.all();
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if report.tests.fail > 0 {
        ExitCode::Failed
    } else if report.interrupted || report.tests.pass < ran || ran == 0 {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}
