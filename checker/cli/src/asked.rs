//! The question of a run, between the command line and the documents.

use std::path::Path;

use hyperkill_checker::rounds::Ask;
use hyperkill_core::suite::TestKind;
use hyperkill_evidence::verdict::Property;
use hyperkill_frontend::domain::Cost;
use hyperkill_run::asked::{self, Options, Said};
use hyperkill_run::folder::FolderError;
use hyperkill_run::selection::Selection;

use crate::args::{
    Acceptance, Command, CostChoice, DecisionArgs, LimitArgs, MethodChoice, ModelArgs, PartChoice,
    PropertyChoice, RunArgs, SelectionArgs, TestChoice,
};
use crate::documents::{Asked, MutantTable, Run};
use crate::failure::Failure;
use crate::model::Listing;
use crate::run_folder::{self, ASKED, kept};

/// Returns the words of the options that results depend on, without the question; empty for commands that decide no mutants.
pub(crate) fn words(command: &Command, seed: u64) -> Vec<String> {
    let of_run = |run: &RunArgs| Options {
        longest: run.max_length,
        cost: Some(run.aim().cost),
        method: run.aim().method,
        ..options(&run.selection, &run.decision, seed)
    };
    let options = match command {
        Command::Run(run) => of_run(run),
        Command::Plan(plan) => of_run(&plan.run),
        Command::Check(check) => options(&check.selection, &check.decision, seed),
        _ => return Vec::new(),
    };
    options.beside_question()
}

fn options(selection: &SelectionArgs, decision: &DecisionArgs, seed: u64) -> Options {
    let limits = &decision.limits;
    Options {
        ask: Ask::Auto,
        selection: selection.selection(seed),
        bound: limits.bound,
        timeout: limits.timeout.clone(),
        total_timeout: limits.total_timeout.clone(),
        memory: limits.memory.clone(),
        engines: limits.engine.clone(),
        external: decision.external.clone(),
        tests: decision.tests.map(Into::into),
        controllable: decision.controllable_nd,
        minimise: !decision.no_minimise,
        accepts_unknown: limits.accept == Some(Acceptance::Unknown),
        fail_under: decision.fail_under.clone(),
        accepted: decision.accept_mutant.clone(),
        longest: None,
        cost: None,
        method: None,
    }
}

/// Returns the arguments of a `hyperkill run` with these options, without model files, whose folder is `out`.
pub(crate) fn arguments(options: Options, out: &Path) -> RunArgs {
    RunArgs {
        model: ModelArgs::default(),
        selection: chosen(options.selection),
        decision: DecisionArgs {
            property: match options.ask {
                Ask::Auto => PropertyChoice::Auto,
                Ask::Only(Property::Phi1) => PropertyChoice::Phi1,
                Ask::Only(Property::Phi2) => PropertyChoice::Phi2,
                Ask::Only(Property::Phi3) => PropertyChoice::Phi3,
                Ask::Only(Property::Phi4) => PropertyChoice::Phi4,
            },
            formula: None,
            formula_file: None,
            controllable_nd: options.controllable,
            limits: LimitArgs {
                bound: options.bound,
                timeout: options.timeout,
                total_timeout: options.total_timeout,
                memory: options.memory,
                engine: options.engines,
                accept: options.accepts_unknown.then_some(Acceptance::Unknown),
                timings: false,
            },
            external: options.external,
            tests: options.tests.map(|kind| match kind {
                TestKind::Linear => TestChoice::Linear,
                TestKind::Local => TestChoice::Local,
                TestKind::Global => TestChoice::Global,
                TestKind::Tree => TestChoice::Tree,
            }),
            no_minimise: !options.minimise,
            fail_under: options.fail_under,
            accept_file: None,
            accept_mutant: options.accepted,
            explain: false,
        },
        max_length: options.longest,
        cost: match options.cost.unwrap_or_default() {
            Cost::Tests => CostChoice::Tests,
            Cost::Inputs => CostChoice::Inputs,
            Cost::Time => CostChoice::Time,
        },
        method: options.method.map(MethodChoice),
        out: out.to_owned(),
        from: None,
        force: false,
        plan: None,
    }
}

fn chosen(selection: Selection) -> SelectionArgs {
    SelectionArgs {
        mutant: selection.mutants,
        operator: selection.operators,
        lines: selection.lines,
        in_diff: None,
        exclude: selection.exclude,
        sample: selection.sample,
        shard: selection.shard.map(PartChoice::Of),
    }
}

/// Returns the question of the run in a folder: its options, model and selected mutants.
///
/// # Errors
/// If the folder has no question, or another version wrote it.
pub(crate) fn of(dir: &Path) -> Result<Asked, FolderError> {
    run_folder::run_in(dir).asked()
}

/// Compares the question in a folder with its mutants and verdicts. A folder without a question passes.
///
/// # Errors
/// If the question cannot be serialised for its hash, which the types exclude.
pub(crate) fn is_so(
    dir: &Path,
    listing: &Listing,
    table: &MutantTable,
    run: &Run,
) -> Result<Said, Failure> {
    if !dir.join(ASKED).is_file() {
        return Ok(Said::So);
    }
    Ok(match kept(dir, ASKED) {
        Ok((bytes, _)) => asked::is_so(&bytes, listing, table, run)?,
        Err(_) => Said::Otherwise,
    })
}
