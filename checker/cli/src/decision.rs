//! A run from a loaded model to results and tests: what `run` and `check` have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hyperkill_checker::decide::DecideError;
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::engines::structure::duplicates;
use hyperkill_checker::external::External;
use hyperkill_checker::rounds::{Ask, Options, Plan as Schedule, decide_as_planned};
use hyperkill_checker::schedule;
use hyperkill_checker::testgen::{Effort, Form};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::ledger::{Lines, Phase};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::TestKind;
use hyperkill_run::carry_over::{Asking, Before};
use hyperkill_run::certificates::OfModel;
use hyperkill_run::own::domain::OfDomain;
use hyperkill_run::results::suite_tests;
use hyperkill_run::resumption::EarlierRun;

use rayon::ThreadPoolBuilder;

use crate::args::{Acceptance, DecisionArgs, LimitArgs, SelectionArgs, TestChoice};
use crate::audited::TEXTS;
use crate::baseline::Baseline;
use crate::carried;
use crate::catalogue::Standing;
use crate::documents::{
    Asked, CompleteWord, MutantDescription, MutantResult, MutantTime, OperatorResult, RunEvidence,
    SuiteTest, Summary, Timings, build, times,
};
use crate::exit_code::ExitCode;
use crate::external;
use crate::failure::Failure;
use crate::io::SystemMeter;
use crate::model::Loaded;
use crate::progress::Recorder;
use crate::proposed::Proposing;
use crate::run_folder::{self, RunFolder};
use crate::selection::select;
use crate::session::{Level, Session};

/// Stack of each thread: circuits are walked without recursion, this is for everything else.
const STACK: usize = 16 << 20;

/// Everything found out.
#[derive(Debug)]
pub(crate) struct Decided {
    /// The killing formula asked.
    pub property: String,
    /// What is known of the original.
    pub original: &'static str,
    /// What shows that, and which mutants are models.
    pub certificates: OfModel,
    /// One result per selected mutant, in catalogue order.
    pub results: Vec<MutantResult>,
    /// Their descriptions, in the same order.
    pub mutants: Vec<MutantDescription>,
    /// Time spent on each, in the same order.
    pub times: Vec<Duration>,
    /// What this process has spent on mutants, by id.
    pub spent: BTreeMap<String, Lines>,
    /// The tests, each with what it is bit by bit, if the model is a circuit.
    pub tests: Vec<(SuiteTest, Option<RunEvidence>)>,
    /// Mutants of which the language says beforehand that nobody needs a test.
    pub needless: BTreeSet<MutantId>,
    /// Numbers.
    pub summary: Summary,
    /// What is known of mutants with any number of faults.
    pub domain: Option<OfDomain>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

/// What to decide.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Indices into the catalogue, ascending.
    pub selected: Vec<usize>,
    /// The question.
    pub ask: Ask,
    /// Whether duplicates are reported as such. Who asks for mutants by name wants their own verdicts.
    pub fold_duplicates: bool,
}

impl Plan {
    /// The plan that options ask for.
    ///
    /// # Errors
    /// If options do not fit the model.
    pub(crate) fn new(
        session: &Session<'_>,
        loaded: &Loaded,
        selection: &SelectionArgs,
        ask: Ask,
    ) -> Result<Plan, Failure> {
        Ok(Plan {
            selected: select(&loaded.listing, selection, session.seed)?,
            ask,
            fold_duplicates: selection.mutant.is_empty(),
        })
    }

    /// The selected mutants that are models, ascending.
    fn live(&self, loaded: &Loaded) -> Vec<SelectorId> {
        let catalogue = &loaded.listing.catalogue;
        let standings = self.selected.iter().map(|&i| &catalogue[i].standing);
        let live = standings.filter_map(|standing| match standing {
            Standing::Live(selector) => Some(*selector),
            Standing::Invalid(_) => None,
        });
        live.collect()
    }

    /// The ids of those that are reported as duplicates of others.
    pub(crate) fn duplicates(&self, loaded: &Loaded, budget: &Budget) -> BTreeSet<String> {
        if !self.fold_duplicates {
            return BTreeSet::new();
        }
        let twins = duplicates(&loaded.model, &self.live(loaded), budget);
        let ids = twins.keys();
        ids.map(|mutant| loaded.model.selectors[mutant.0].id.to_string())
            .collect()
    }

    fn options(
        &self,
        session: &Session<'_>,
        loaded: &Loaded,
        args: &DecisionArgs,
        external: Option<External>,
        earlier: &EarlierRun,
    ) -> Options {
        Options {
            ask: self.ask,
            controllable: args.controllable_nd,
            bound: args.limits.bound,
            turns: None,
            timeout: args.limits.timeout.0,
            engines: args.limits.engine.own,
            external,
            seed: session.seed,
            mutants: self.live(loaded),
            shortest: true,
            fold_duplicates: self.fold_duplicates,
            adaptive: args.tests == Some(TestChoice::Tree),
            earlier: Arc::clone(&earlier.mutants),
            whole_rounds: earlier.whole_rounds,
            recalled: Arc::clone(&earlier.recalled),
            tests: Arc::clone(&earlier.tests),
            proposed: None,
        }
    }
}

/// Threads to work with.
///
/// # Errors
/// If they cannot be started.
pub(crate) fn pool(jobs: usize) -> Result<rayon::ThreadPool, Failure> {
    threads(jobs, |builder| builder)
}

/// The threads of a session, whose time its ledger has.
///
/// # Errors
/// If they cannot be started.
fn workers(session: &Session<'_>) -> Result<rayon::ThreadPool, Failure> {
    let ledger = Arc::clone(&session.ledger);
    let enter = move |index: usize| ledger.enter(format!("worker {}", index + 1));
    threads(session.jobs, |builder| builder.start_handler(enter))
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

/// What is left of the time for everything, of which reading the model was part, and the memory.
pub(crate) fn budget(session: &Session<'_>, limits: &LimitArgs) -> Budget {
    let mut budget = session.budget();
    if let (Some(cap), Some(share)) = (limits.memory.0, limits.memory_of_job(session.jobs)) {
        budget = budget.with_memory(share, cap, Arc::new(SystemMeter));
    }
    budget
}

/// Prints the schedules of a plan instead of carrying it out.
///
/// # Errors
/// If options do not fit, or nothing can be printed.
pub(crate) fn explain(
    session: &mut Session<'_>,
    loaded: &Loaded,
    plan: &Plan,
    args: &DecisionArgs,
) -> Result<ExitCode, Failure> {
    let external = external::programs(session, &args.limits, &args.external)?;
    let options = plan.options(session, loaded, args, external, &EarlierRun::default());
    let mut schedule = Schedule::new(&loaded.model, &options, &budget(session, &args.limits));
    schedule.mutants.adaptive = kind_of_tests(args, schedule.original) == TestKind::Tree;
    let original = build::determinism(schedule.original);
    let shows = if schedule.mutants.observable {
        ", and its outputs tell its state"
    } else {
        ""
    };
    session.print(format!(
        "The model is {original}{shows}; the formula asked is {}.\n",
        schedule.property
    ))?;
    let proposing = Proposing::of(loaded, &options, &schedule);
    if let Some(stimuli) = proposing.and_then(|proposing| proposing.stimuli()) {
        let count = stimuli.runs.len();
        let mut text = format!(
            "\nTests that the language proposes, tried unless pairs of states are listed: {count}\n"
        );
        for (what, count) in stimuli.work {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{count:8}  {what}");
        }
        session.print(text)?;
    }
    for section in schedule::explain(&schedule.rounds, &schedule.mutants) {
        session.print(format!("\n{section}"))?;
    }
    Ok(ExitCode::Success)
}

/// What a run begins with.
#[derive(Debug, Default)]
pub(crate) struct Start<'a> {
    /// What an earlier process of the same run has decided.
    pub earlier: EarlierRun,
    /// A run of another version of the model, and what is asked, which is written down when it is known what is carried over.
    pub before: Option<(Before, &'a Asked)>,
}

impl From<EarlierRun> for Start<'_> {
    fn from(earlier: EarlierRun) -> Self {
        Start {
            earlier,
            before: None,
        }
    }
}

/// Carries out a plan, as far as no earlier run has.
///
/// # Errors
/// If evidence does not check or the folder cannot be written.
pub(crate) fn decide(
    session: &mut Session<'_>,
    loaded: &Loaded,
    plan: &Plan,
    args: &DecisionArgs,
    mut folder: Option<&mut RunFolder>,
    start: Start<'_>,
) -> Result<Decided, Failure> {
    let selected = &plan.selected;
    let external = external::programs(session, &args.limits, &args.external)?;
    let mut earlier = start.earlier;
    let options = plan.options(session, loaded, args, external, &earlier);
    let budget = budget(session, &args.limits);
    let pool = workers(session)?;
    let total = options.mutants.len();
    let model = &loaded.model;
    let waits = budget.waits();
    let mut schedule = pool.install(|| Schedule::new(model, &options, &budget));
    drop(waits);
    let form = Form {
        kind: kind_of_tests(args, schedule.original),
        effort: effort_for_tests(args),
        timeout: args.limits.timeout.0,
    };
    if let (Some(folder), Some((before, asked))) = (&mut folder, start.before) {
        let asking = Asking {
            options: &options,
            property: schedule.property,
            original: schedule.original,
            form: &form,
            texts: TEXTS,
            seed: session.seed,
        };
        let both = (&before, &asking);
        let budget = session.budget();
        earlier = carried::carry_over(session, loaded, folder, both, &pool, &budget)?;
        // A run that goes on has to have all that this one would have had.
        if let Some(over) = session.over().filter(|_| session.is_interrupted()) {
            return Err(over);
        }
        folder.write_document(run_folder::ASKED, asked)?;
    }
    let options = Options {
        earlier: Arc::clone(&earlier.mutants),
        tests: Arc::clone(&earlier.tests),
        ..options
    };
    let proposing = Proposing::of(loaded, &options, &schedule);
    let options = Options {
        proposed: proposing.map(Proposing::proposed),
        ..options
    };
    schedule.mutants.adaptive = form.kind == TestKind::Tree;
    warn_of_linear(session, args, schedule.original);
    let mut recorder = Recorder::new(session, loaded, folder, form, total, earlier.results);
    let waits = budget.waits();
    let report =
        pool.install(|| decide_as_planned(model, &options, schedule, &budget, &mut recorder));
    drop(waits);
    let certificates = match &report {
        Ok(report) => recorder.file_model(report.answering.as_ref()),
        Err(_) => Ok(OfModel::default()),
    };
    let recorded = recorder.finish();
    let report = report.map_err(undecidable)?;
    let mut recorded = recorded?;
    for (mutant, (_, took)) in &mut recorded {
        let now = session.ledger.time_of(*mutant);
        *took = match earlier.mutants.contains_key(mutant) {
            true => *took + now,
            false => now,
        };
    }
    session.ledger.turn_to(Phase::Write);
    let writing = session.budget();
    let waits = writing.waits();
    let tests = pool
        .install(|| {
            let _writes = writing.writes(&[]);
            suite_tests(model, &report, !args.no_minimise, &form, &writing)
        })
        .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
    drop(waits);

    let (results, times) = in_catalogue_order(loaded, selected, recorded)?;
    Ok(Decided {
        property: report.property.to_string(),
        original: build::determinism(report.original),
        certificates: certificates?,
        domain: None,
        needless: BTreeSet::new(),
        summary: Summary::of(&results),
        mutants: loaded.listing.descriptions(selected),
        results,
        times,
        spent: spent(session, loaded),
        tests,
        interrupted: session.is_interrupted(),
    })
}

/// What tests are, if nobody says otherwise: where the model chooses, trees, and global ones where there are none. Elsewhere all kinds say
/// the same.
fn kind_of_tests(args: &DecisionArgs, original: Determinism) -> TestKind {
    match (args.tests, original) {
        (Some(choice), _) => choice.into(),
        (None, Determinism::Deterministic) => TestKind::Linear,
        // With all choices arranged there is one run, too.
        (None, _) if args.controllable_nd => TestKind::Linear,
        (None, _) => TestKind::Tree,
    }
}

/// Nodes of a tree that nobody has asked for: beyond this a global test says the same in less space.
const SMALL_TREE: usize = 64;

fn effort_for_tests(args: &DecisionArgs) -> Effort {
    match args.tests {
        Some(_) => Effort::default(),
        None => Effort {
            nodes: SMALL_TREE,
            ..Effort::default()
        },
    }
}

/// Linear tests of a model that chooses are worth little, and whoever asks for them may not know.
fn warn_of_linear(session: &mut Session<'_>, args: &DecisionArgs, original: Determinism) {
    let asked = args.tests == Some(TestChoice::Linear) && !args.controllable_nd;
    if asked && original != Determinism::Deterministic {
        session.say(
            Level::Warning,
            "--tests linear: the model chooses, and a linear test knows one of its answers: systems that conform fail it; \
             without the option tests allow all of them",
        );
    }
}

fn undecidable(error: DecideError) -> Failure {
    let code = match error {
        DecideError::Proof { .. } | DecideError::Kill { .. } => ExitCode::Evidence,
        DecideError::Formula(_) => ExitCode::Internal,
    };
    Failure::message(code, error.into())
        .with_help("this is a bug in hyperkill; please report it with the model")
}

/// What this process has spent on mutants, by id.
fn spent(session: &Session<'_>, loaded: &Loaded) -> BTreeMap<String, Lines> {
    let spent = session.ledger.balance().mutants.into_iter();
    let spent = spent.filter_map(|(selector, lines)| {
        let mutant = loaded.model.selectors.get(selector.0)?;
        Some((mutant.id.to_string(), lines))
    });
    spent.collect()
}

fn in_catalogue_order(
    loaded: &Loaded,
    selected: &[usize],
    mut recorded: BTreeMap<SelectorId, (MutantResult, Duration)>,
) -> Result<(Vec<MutantResult>, Vec<Duration>), Failure> {
    let mut results = Vec::new();
    let mut times = Vec::new();
    for &index in selected {
        let entry = &loaded.listing.catalogue[index];
        let (result, took) = match &entry.standing {
            Standing::Invalid(reason) => (build::invalid(&entry.id, reason), Duration::ZERO),
            Standing::Live(selector) => recorded.remove(selector).ok_or_else(|| {
                let error = anyhow::anyhow!("mutant {} was forgotten", entry.id);
                Failure::message(ExitCode::Internal, error)
            })?,
        };
        results.push(result);
        times.push(took);
    }
    Ok((results, times))
}

/// How a run with these numbers ends. `domain_is_open` if it has a suite of which it is open whether it is complete.
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

/// Whether the score is under `--fail-under`. Where no mutant is left but those proved equivalent, nothing could be killed; where
/// not even those are, nothing was measured, and no gate opens.
fn is_under_the_gate(summary: &Summary, args: &DecisionArgs) -> bool {
    let Some(gate) = args.fail_under else {
        return false;
    };
    match summary.gated_score(args.controllable_nd) {
        Some(score) => score < gate.0,
        None => summary.equivalent == 0,
    }
}

impl Decided {
    /// How the command ends.
    #[must_use]
    pub(crate) fn exit_code(&self, args: &DecisionArgs) -> ExitCode {
        let is_open = |of: &OfDomain| of.document.complete == CompleteWord::Unknown;
        let domain_is_open = self.domain.as_ref().is_some_and(is_open);
        exit_code(&self.gated(args), domain_is_open, self.interrupted, args)
    }

    /// Whether the score is under `--fail-under`.
    #[must_use]
    pub(crate) fn is_under_the_gate(&self, args: &DecisionArgs) -> bool {
        is_under_the_gate(&self.gated(args), args)
    }

    /// The numbers that a gate is about: those of all mutants that nobody has accepted.
    #[must_use]
    pub(crate) fn gated(&self, args: &DecisionArgs) -> Summary {
        let baseline = Baseline::of(&args.accept_mutant);
        Summary::of(&baseline.others(&self.results))
    }

    /// The document about times.
    #[must_use]
    pub(crate) fn timings(&self, session: &Session<'_>) -> Timings {
        let took = self.results.iter().zip(&self.times);
        let balance = session.ledger.balance();
        let parts = |mutant: &String| self.spent.get(mutant).map_or_else(Vec::new, times::parts);
        Timings {
            schema: Timings::SCHEMA.to_owned(),
            jobs: session.jobs,
            total_seconds: build::seconds(balance.time),
            parts: times::parts_of_all(&balance),
            threads: times::threads(&balance),
            rounds: balance.rounds,
            mutants: took
                .map(|(result, took)| MutantTime {
                    mutant: result.mutant.clone(),
                    seconds: build::seconds(*took),
                    parts: parts(&result.mutant),
                })
                .collect(),
        }
    }

    /// Numbers by operator, beside what the language's guidelines say of its mutants.
    #[must_use]
    pub(crate) fn by_operator(&self) -> Option<Vec<OperatorResult>> {
        OperatorResult::table(&self.mutants, &self.results, &self.needless)
    }

    /// The results, with times if they are wanted.
    #[must_use]
    pub(crate) fn results_with_times(&self) -> Vec<MutantResult> {
        let mut results = self.results.clone();
        for (result, took) in results.iter_mut().zip(&self.times) {
            result.seconds = Some(build::seconds(*took));
        }
        results
    }
}
