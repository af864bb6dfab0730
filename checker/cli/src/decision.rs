//! Limits, threads and task of a command that decides mutants, and its exit status.

use std::sync::Arc;

use anyhow::Context;
use hyperkill_checker::rounds::Ask;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::ledger::Ledger;
use hyperkill_run::baseline::Baseline;
use hyperkill_run::decided::Decided;
use hyperkill_run::limits::Limits;
use hyperkill_run::own::domain::OfDomain;
use hyperkill_run::procedure::{Procedure, Surroundings, Task};
use rayon::ThreadPoolBuilder;

use crate::args::{Acceptance, DecisionArgs, LimitArgs, SelectionArgs};
use crate::audited::TEXTS;
use crate::documents::{CompleteWord, Summary};
use crate::exit_code::ExitCode;
use crate::external;
use crate::failure::Failure;
use crate::io::SystemMeter;
use crate::progress::Screen;
use crate::run_folder::RunFolder;
use crate::session::Session;

/// The stack size of each thread, in bytes. Circuits are traversed without recursion; other code may recurse.
const STACK: usize = 16 << 20;

/// Starts `jobs` worker threads.
///
/// # Errors
/// If they cannot be started.
pub(crate) fn pool(jobs: usize) -> Result<rayon::ThreadPool, Failure> {
    threads(jobs, |builder| builder)
}

/// Starts `jobs` worker threads, whose time is entered in `ledger`.
///
/// # Errors
/// If they cannot be started.
pub(crate) fn workers(jobs: usize, ledger: &Arc<Ledger>) -> Result<rayon::ThreadPool, Failure> {
    let ledger = Arc::clone(ledger);
    let enter = move |index: usize| ledger.enter(format!("worker {}", index + 1));
    threads(jobs, |builder| builder.start_handler(enter))
}

fn threads(
    jobs: usize,
    with: impl FnOnce(ThreadPoolBuilder) -> ThreadPoolBuilder,
) -> Result<rayon::ThreadPool, Failure> {
    with(ThreadPoolBuilder::new())
        .num_threads(jobs)
        .stack_size(STACK)
        .build()
        .with_context(|| format!("{jobs} threads cannot be started"))
        .map_err(|error| Failure::from(error).with_help("ask for fewer with --jobs"))
}

/// Returns the limits of a command that decides: deadline, memory, threads and interrupt.
pub(crate) fn limits(session: &Session<'_>, args: &LimitArgs) -> Limits {
    Limits {
        clock: Arc::new(session.clock),
        ledger: Arc::clone(&session.ledger),
        interrupt: Arc::clone(&session.io.interrupt),
        deadline: session.deadline(),
        jobs: session.jobs,
        memory: args.memory.0.map(|cap| (cap, Arc::new(SystemMeter) as _)),
        seed: session.seed,
    }
}

/// Returns the budget of parallel jobs: the remaining time of the command, its memory, and the interrupt.
pub(crate) fn budget(session: &Session<'_>, args: &LimitArgs) -> Budget {
    limits(session, args).budget_of_jobs()
}

/// Returns the task that options describe: what to decide about which mutants of the model, and how.
///
/// # Errors
/// If options contradict each other or do not fit the model.
pub(crate) fn task(
    session: &mut Session<'_>,
    procedure: &dyn Procedure,
    (selection, args): (&SelectionArgs, &DecisionArgs),
    ask: Ask,
) -> Result<Task, Failure> {
    let selection = selection.selection(session.seed);
    let engines = *args.limits.engine;
    let task = Task {
        ask,
        controllable: args.controllable_nd,
        bound: args.limits.bound,
        timeout: args.limits.timeout.0,
        engines: (!engines.is_usual()).then_some(engines.own),
        tests: args.tests.map(Into::into),
        minimise: !args.no_minimise,
        ..Task::new(procedure.listing(), &selection)?
    };
    procedure.accept(&task)?;
    let task = Task {
        external: external::programs(session, &args.limits, &args.external)?,
        ..task
    };
    procedure.accept(&task)?;
    Ok(task)
}

/// Does `work` with the limits, threads and screen of a session, and with a folder if there is one.
///
/// # Errors
/// As `work`. If threads cannot be started.
pub(crate) fn with_surroundings<T>(
    session: &mut Session<'_>,
    args: &LimitArgs,
    folder: Option<&mut RunFolder>,
    work: impl FnOnce(&mut Surroundings<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let limits = limits(session, args);
    let threads = workers(session.jobs, &session.ledger)?;
    let mut screen = Screen::of(session);
    work(&mut Surroundings {
        limits: &limits,
        threads: &threads,
        sink: &mut screen,
        folder,
        texts: TEXTS,
    })
}

/// Returns the exit status for these counts. `domain_is_open` says that the completeness of the suite is undecided.
#[must_use]
pub(crate) fn exit_code(
    summary: &Summary,
    domain_is_open: bool,
    interrupted: bool,
    args: &DecisionArgs,
) -> ExitCode {
    if interrupted {
        return ExitCode::Interrupted;
    }
    let is_open = summary.unknown > 0 || domain_is_open;
    let undecided = is_open && args.limits.accept != Some(Acceptance::Unknown);
    if is_under_the_gate(summary, args) {
        ExitCode::Failed
    } else if undecided {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

/// Whether the score is below `--fail-under`. If all counted mutants are proved equivalent, the gate passes. If no mutant counts at all,
/// the gate fails.
fn is_under_the_gate(summary: &Summary, args: &DecisionArgs) -> bool {
    let Some(gate) = &args.fail_under else {
        return false;
    };
    match summary.gated_score(args.controllable_nd) {
        Some(score) => score < gate.0,
        None => summary.equivalent == 0,
    }
}

/// Returns the exit status of a run. Mutants of `--accept-mutant` do not count.
#[must_use]
pub(crate) fn end(decided: &Decided, args: &DecisionArgs) -> ExitCode {
    let is_open = |of: &OfDomain| of.document.complete == CompleteWord::Unknown;
    let domain_is_open = decided.domain.as_ref().is_some_and(is_open);
    exit_code(
        &gated(decided, args),
        domain_is_open,
        decided.interrupted,
        args,
    )
}

/// Whether the score of a run, without the mutants of `--accept-mutant`, is below `--fail-under`.
#[must_use]
pub(crate) fn fails_the_gate(decided: &Decided, args: &DecisionArgs) -> bool {
    is_under_the_gate(&gated(decided, args), args)
}

/// Returns the numbers of results by verdict, without the mutants of `--accept-mutant`, for `--fail-under`.
#[must_use]
pub(crate) fn gated(decided: &Decided, args: &DecisionArgs) -> Summary {
    let baseline = Baseline::of(&args.accept_mutant);
    Summary::of(&baseline.others(&decided.results))
}
