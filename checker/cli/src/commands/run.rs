//! `hyperkill run`: decides the mutants of a model in a run folder.

use std::path::Path;

use hyperkill_checker::determinism::Determinism;
use hyperkill_frontend::LineIndex;
use hyperkill_run::asked::{document, with_question};
use hyperkill_run::decided::Decided;
use hyperkill_run::life::{Life, outcomes};
use hyperkill_run::nondeterminism::say_why;
use hyperkill_run::procedure::{Surroundings, Task};
use hyperkill_run::reading::{ModelSpec, Taken};

use super::beyond::those_left;
use super::plan::shard::decide_shard;
use super::totality::warn_of_deadlock;
use super::{run_files, summary};
use crate::args::{DecisionArgs, Format, PartChoice, RunArgs, SelectionArgs};
use crate::before;
use crate::decision::{end, limits, task, with_surroundings};
use crate::documents::build::{determinism, published_name};
use crate::documents::{self};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{Origin, seen_from};
use crate::model::{Listing, Loaded};
use crate::question;
use crate::run_folder::RunFolder;
use crate::session::{Level, Session};
use crate::{languages, load};

/// Decides the mutants of a model in a run folder, and prints the results.
pub(super) fn run(session: &mut Session<'_>, args: &RunArgs) -> Result<ExitCode, Failure> {
    carry_out(session, args, true)
}

/// Decides the mutants of a model in a run folder, without printing results.
pub(super) fn run_silently(session: &mut Session<'_>, args: &RunArgs) -> Result<ExitCode, Failure> {
    carry_out(session, args, false)
}

fn carry_out(session: &mut Session<'_>, args: &RunArgs, prints: bool) -> Result<ExitCode, Failure> {
    if let Some(dir) = &args.plan {
        return decide_shard(session, dir, args);
    }
    if let Some(PartChoice::Planned(number)) = args.selection.shard {
        let text = format!("--shard {number}: the plan or the number of parts is missing");
        return Err(Failure::usage(text).with_help(format!(
            "write --plan DIR --shard {number}, or --shard {number}/N"
        )));
    }
    session.limit(args.decision.limits.total_timeout.0);
    let reading = session.stage("the model was read");
    let ask = question::of(session.io, &args.decision, None)?.killing()?;
    let operators = &args.selection.operator;
    let mut model = those_left(session, &args.model, operators)?;
    let selection = args.selection.selection(session.seed);
    model.taken = model.taken.or_else(|| Taken::of(selection));
    let origin = Origin::Places(&model.files);
    let mut procedure = load::model_seen(session, &model, origin, operators, |session, loaded| {
        warn_of_deadlock(session, &model, loaded)?;
        warn_without_bench(session, &model, loaded);
        Ok(())
    })?;
    let given = (&args.selection, &args.decision);
    let task = Task {
        aim: args.aim(),
        ..task(session, procedure.as_ref(), given, ask)?
    };
    drop(reading);
    if args.decision.explain {
        let limits = limits(session, &args.decision.limits);
        let text = procedure.explain(&task, &limits)?;
        session.print(text)?;
        return Ok(ExitCode::Success);
    }
    let listing = procedure.listing();
    warn_of_none(session, listing, &args.selection, &task.selected);
    let options = with_question(session.asked.clone(), ask);
    let asked = document(
        options,
        (listing, &listing.reading),
        &args.selection.selection(session.seed),
        &task.selected,
    )?;
    let before = before::find(session, args, &asked, procedure.as_ref())?;
    let folder = run_files::take(session, &args.out)?;
    let listing = procedure.listing_mut();
    listing.reading = seen_from(&listing.reading, folder.path());
    let procedure = procedure.as_ref();
    let going = Going {
        prints,
        ..Going::on(args)
    };
    let life = Life {
        procedure,
        task: &task,
        accepted: &args.baseline(),
    };
    finish(session, &going, life, folder, |life, around| {
        let decided = life.begin(&asked, before, around)?;
        if decided.original != determinism(Determinism::Deterministic) {
            let listing = procedure.listing();
            let language = languages::by_name(&listing.description.language).ok();
            say_why(
                around.sink,
                listing,
                language.as_deref(),
                &procedure.left_open(),
            );
        }
        Ok(decided)
    })
}

/// Warns if no mutant is selected. If the default operators make no mutant of this model, the warning names the command that lists all
/// operators.
pub(super) fn warn_of_none(
    session: &mut Session<'_>,
    listing: &Listing,
    args: &SelectionArgs,
    selected: &[usize],
) {
    if !selected.is_empty() {
        return;
    }
    let language = &listing.description.language;
    let has_operators = languages::by_name(language).is_ok_and(|of| !of.operators().is_empty());
    let is_everything = args.shard.is_none() && args.selection(0).is_everything();
    let text = match has_operators && is_everything {
        true => format!(
            "the default operators of {language} find nothing to change in this model: `hyperkill operators --language {language}` \
             lists all, and --operator selects others"
        ),
        false => "no mutant is selected".to_owned(),
    };
    session.say(Level::Warning, text);
}

/// The arguments of [`finish`].
pub(super) struct Going<'a> {
    decision: &'a DecisionArgs,
    out: &'a Path,
    /// Whether `finish` prints results.
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

/// Decides mutants with `live`, writes the run into `folder`, prints the results, and returns the exit status.
pub(super) fn finish(
    session: &mut Session<'_>,
    going: &Going<'_>,
    life: Life<'_>,
    mut folder: RunFolder,
    live: impl FnOnce(&Life<'_>, &mut Surroundings<'_>) -> Result<Decided, Failure>,
) -> Result<ExitCode, Failure> {
    let listing = life.procedure.listing();
    let decided = run_files::in_folder(session, Some(&mut folder), |session, folder| {
        with_surroundings(session, &going.decision.limits, folder, |around| {
            live(&life, around)
        })
    })?;
    summary::say_invalid(session, &decided);
    match session.format {
        _ if !going.prints => {}
        Format::Json => {
            let mut outcomes = outcomes(session.seed, listing, &decided);
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
    Ok(end(&decided, going.decision))
}

/// Warns early if a test bench cannot drive the clocks that `--one-clock` merges.
fn warn_without_bench(session: &mut Session<'_>, spec: &ModelSpec, loaded: &Loaded) {
    if !spec.options.hardware.one_clock {
        return;
    }
    if let Some(why) = bench_trouble(loaded) {
        session.say(
            Level::Warning,
            format!("the tests of this run cannot become a test bench (--one-clock): {why}"),
        );
    }
}

/// Returns the reason why the tests of a model cannot become a test bench; `None` if they can.
fn bench_trouble(loaded: &Loaded) -> Option<String> {
    let listing = &loaded.listing;
    let frontend = languages::built_in(&listing.description.language)?;
    let options = loaded.options.as_ref()?;
    let diagnostics = frontend.hardware(&listing.sources, options).err()?;
    let diagnostic = diagnostics.into_iter().next()?;
    let place = diagnostic.span.and_then(|span| {
        let source = listing.sources.get(span.file)?;
        let (line, _) = LineIndex::new(&source.text).line_column(span.start);
        Some(format!("{}:{line}: ", published_name(&source.name)))
    });
    Some(place.unwrap_or_default() + &diagnostic.message)
}
