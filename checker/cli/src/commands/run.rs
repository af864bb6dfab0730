//! `hyperkill run`: the main job.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_checker::rounds::Ask;

use hyperkill_run::carry_over::Before;

use super::beyond::those_left;
use super::nondeterminism::say_why;
use super::totality::warn_of_deadlock;
use super::{run_files, summary};
use crate::args::{DecisionArgs, Format, ModelArgs, RunArgs, Taken};
use crate::asked;
use crate::baseline::Baseline;
use crate::carried;
use crate::decision::{Decided, Plan, Start, decide, explain};
use crate::documents::{self, Asked};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Model, bench_trouble};
use crate::model::{Listing, Loaded};
use crate::own;
use crate::question;
use crate::run_folder::RunFolder;
use crate::selection::{select, warn_of_none};
use crate::session::{Level, Session};
use crate::watch::Open;

/// Carries it out.
pub(super) fn run(session: &mut Session<'_>, args: &RunArgs) -> Result<ExitCode, Failure> {
    carry_out(session, args, true)
}

/// Carries it out without a word on what was found.
pub(super) fn run_silently(session: &mut Session<'_>, args: &RunArgs) -> Result<ExitCode, Failure> {
    carry_out(session, args, false)
}

fn carry_out(session: &mut Session<'_>, args: &RunArgs, prints: bool) -> Result<ExitCode, Failure> {
    session.limit(args.decision.limits.total_timeout.0);
    let reading = session.stage("the model was read");
    let ask = question::of(session.io, &args.decision, None)?.killing()?;
    let operators = &args.selection.operator;
    let model = those_left(session, &args.model, operators)?;
    let model = ModelArgs {
        taken: Taken::of(&args.selection, session.seed),
        ..model.into_owned()
    };
    match load::model(session, &model, operators)? {
        Model::Circuit(loaded) => run_circuit(session, args, &loaded, ask, reading, prints),
        Model::Own(model) => {
            own::refuse_options(&model.listing.description.language, &args.decision, ask)?;
            if args.from.is_some() {
                let text =
                    "--from: of a language that decides its mutants itself nothing is carried over";
                return Err(Failure::usage(text));
            }
            let selected = select(&model.listing, &args.selection, session.seed)?;
            drop(reading);
            in_folder(
                session,
                args,
                &model.listing,
                (&selected, ask, prints),
                |_, _| Ok(None),
                |session, folder, _| {
                    let (none, aim) = (BTreeMap::new(), args.aim());
                    own::decide(
                        session,
                        &model,
                        &selected,
                        &args.decision,
                        aim,
                        folder,
                        none,
                    )
                },
            )
        }
    }
}

fn run_circuit(
    session: &mut Session<'_>,
    args: &RunArgs,
    loaded: &Loaded,
    ask: Ask,
    reading: Open,
    prints: bool,
) -> Result<ExitCode, Failure> {
    let constrained = !loaded.model.is_unconstrained();
    warn_of_deadlock(
        session,
        &args.model,
        constrained
            && !loaded.listing.sources.is_empty()
            && languages::is_built_in(&loaded.listing.description.language),
    )?;
    say_without_bench(session, &args.model, loaded)?;
    let plan = Plan::new(session, loaded, &args.selection, ask)?;
    drop(reading);
    if args.decision.explain {
        return explain(session, loaded, &plan, &args.decision);
    }
    let selected = &plan.selected;
    in_folder(
        session,
        args,
        &loaded.listing,
        (selected, ask, prints),
        |session, asked| carried::find(session, args, asked, loaded),
        |session, folder, before| {
            let start = Start {
                before,
                ..Start::default()
            };
            let decided = decide(session, loaded, &plan, &args.decision, Some(folder), start)?;
            say_why(session, loaded, &decided);
            Ok(decided)
        },
    )
}

/// What a run is given to decide with: a run of an earlier version of the model, and what is asked, to be written down.
type Given<'a> = Option<(Before, &'a Asked)>;

/// Decides the mutants selected with a run folder to write into, and prints what was found. `find` looks for a run of an earlier version
/// before its folder may be moved.
fn in_folder(
    session: &mut Session<'_>,
    args: &RunArgs,
    listing: &Listing,
    (selected, ask, prints): (&[usize], Ask, bool),
    find: impl FnOnce(&mut Session<'_>, &Asked) -> Result<Option<Before>, Failure>,
    decide: impl FnOnce(&mut Session<'_>, &mut RunFolder, Given<'_>) -> Result<Decided, Failure>,
) -> Result<ExitCode, Failure> {
    warn_of_none(session, listing, &args.selection, selected);
    let options = asked::with_question(session.asked.clone(), ask);
    let asked = asked::document(
        options,
        (listing, &listing.reading),
        &args.selection,
        session.seed,
        selected,
    )?;
    let before = find(session, &asked)?;
    let folder = run_files::take(session, &args.out)?;
    let going = Going {
        prints,
        ..Going::on(args)
    };
    finish(session, &going, listing, folder, |session, folder| {
        let at_once = before.is_none().then_some(&asked);
        run_files::before(session, folder, listing, selected, at_once)?;
        decide(session, folder, before.map(|before| (before, &asked)))
    })
}

/// What the end of a run depends on.
pub(super) struct Going<'a> {
    decision: &'a DecisionArgs,
    out: &'a Path,
    /// Whether what was found is printed.
    prints: bool,
}

impl<'a> Going<'a> {
    pub(super) fn on(args: &'a RunArgs) -> Going<'a> {
        Going {
            decision: &args.decision,
            out: &args.out,
            prints: true,
        }
    }
}

/// Takes a run in its folder to its end, and prints what was found.
pub(super) fn finish(
    session: &mut Session<'_>,
    going: &Going<'_>,
    listing: &Listing,
    mut folder: RunFolder,
    decide: impl FnOnce(&mut Session<'_>, &mut RunFolder) -> Result<Decided, Failure>,
) -> Result<ExitCode, Failure> {
    let decided = run_files::in_folder(session, Some(&mut folder), |session, folder| {
        let Some(folder) = folder else {
            return Err(Failure::usage("there is no run folder"));
        };
        let decided = decide(session, folder)?;
        let baseline = Baseline::of(&going.decision.accept_mutant);
        run_files::after(session, folder, listing, &decided, &baseline)?;
        Ok(decided)
    })?;
    summary::say_invalid(session, &decided);
    match session.format {
        _ if !going.prints => {}
        Format::Json => {
            let mut outcomes = run_files::outcomes(session, listing, &decided);
            if going.decision.limits.timings {
                outcomes.results = decided.results_with_times();
            }
            let text = documents::to_text(&outcomes)?;
            session.print(text)?;
        }
        Format::Human if session.wants_summary() => {
            summary::print_summary(session, listing, &decided)?;
            if going.decision.limits.timings {
                summary::print_times(session, &decided)?;
            }
            summary::print_place(session, going.out, listing, &decided)?;
        }
        Format::Human => {}
    }
    summary::say_gate(session, listing, &decided, going.decision);
    Ok(decided.exit_code(going.decision))
}

/// Of several clocks that are taken for one, not all can be ticked by a bench; who wants one had better know it before.
fn say_without_bench(
    session: &mut Session<'_>,
    args: &ModelArgs,
    loaded: &Loaded,
) -> Result<(), Failure> {
    if !args.hardware.one_clock {
        return Ok(());
    }
    if let Some(why) = bench_trouble(session, args, loaded)? {
        session.say(
            Level::Warning,
            format!("the tests of this run cannot become a test bench (--one-clock): {why}"),
        );
    }
    Ok(())
}
