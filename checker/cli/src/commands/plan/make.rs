//! `hyperkill plan`: runs the methods that try something on all mutants together, and cuts the undecided mutants into shards.

use std::path::Path;

use hyperkill_checker::rounds::Extent;
use hyperkill_report::text::plan::planned;
use hyperkill_run::asked::{document, with_question};
use hyperkill_run::decided::Decided;
use hyperkill_run::folder::Unwritable;
use hyperkill_run::life::{Life, table};
use hyperkill_run::plan::begun::Begun;
use hyperkill_run::plan::costs::Costs;
use hyperkill_run::plan::cut::Shares;
use hyperkill_run::plan::layout::{BASE, PLAN, SHARDS};
use hyperkill_run::procedure::{Procedure, Task};
use hyperkill_run::reading::Taken;

use super::super::again::not_as_written;
use super::super::beyond::those_left;
use super::super::resume::Known;
use super::super::run::warn_of_none;
use super::super::run_files;
use super::folder::PlanFolder;
use crate::args::{Format, PlanArgs, RunArgs};
use crate::audited::OnDisk;
use crate::before;
use crate::decision::{task, with_surroundings};
use crate::documents::{self, Asked, MutantTable, Plan, Timings};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Origin, seen_from};
use crate::question;
use crate::run_folder::{self, ASKED, MUTANTS, Reopened, TIMINGS, read_versioned};
use crate::session::{Level, Session};

/// Number of mutants up to which a plan applies methods to all of them together. Beyond it shards apply them to their own mutants: the work
/// in a circuit that contains all mutants grows with the square of their number.
const DECIDED_TOGETHER: usize = 4_000;

/// Carries out `hyperkill plan`: makes the plan in the folder `--out`, or goes on with one that was stopped, and prints the next steps.
pub(in crate::commands) fn plan(
    session: &mut Session<'_>,
    args: &PlanArgs,
) -> Result<ExitCode, Failure> {
    let (run, dir) = (&args.run, &args.run.out);
    if run.plan.is_some() || run.selection.shard.is_some() {
        return Err(Failure::usage(
            "a plan has all mutants: --plan and --shard are for `hyperkill run`",
        ));
    }
    if PlanFolder::is_one(dir) {
        let dir = dir.display();
        return Err(
            Failure::usage(format!("{dir} has a plan already")).with_help(format!(
                "`hyperkill status {dir}` shows it; name another folder with --out"
            )),
        );
    }
    session.limit(run.decision.limits.total_timeout.0);
    let shares = shares(args)?;
    let costs = match &args.costs {
        Some(earlier) => costs(earlier)?,
        None => Costs::by_size(),
    };
    let base = dir.join(BASE);
    let reading = session.stage("the model was read");
    let ask = question::of(session.io, &run.decision, None)?.killing()?;
    let operators = &run.selection.operator;
    let mut model = those_left(session, &run.model, operators)?;
    let selection = run.selection.selection(session.seed);
    model.taken = model.taken.or_else(|| Taken::of(selection.clone()));
    let mut procedure = load::model_from(session, &model, Origin::Places(&model.files), operators)?;
    let given = (&run.selection, &run.decision);
    let task = Task {
        aim: run.aim(),
        ..task(session, procedure.as_ref(), given, ask)?
    };
    let task = Task {
        extent: match args.only_divide || task.selected.len() > DECIDED_TOGETHER {
            true => Extent::Tests,
            false => Extent::Together,
        },
        ..task
    };
    drop(reading);
    warn_of_none(session, procedure.listing(), &run.selection, &task.selected);
    // A plan that cannot be made is refused before anything is decided.
    drop(procedure.division(&task)?);
    let options = with_question(session.asked.clone(), ask);
    let listing = procedure.listing();
    let asked = document(
        options,
        (listing, &listing.reading),
        &selection,
        &task.selected,
    )?;
    let decided = match base.join(ASKED).is_file() {
        true => go_on(session, run, &base, &mut procedure, (&task, &asked))?,
        false => begin(session, run, &base, &mut procedure, (&task, &asked))?,
    };
    if decided.interrupted {
        let text = "stopped: give the same command again to continue the plan";
        session.say(Level::Note, text);
        return Ok(ExitCode::Interrupted);
    }
    let division = procedure.division(&task)?;
    let begun = Begun {
        asked: &asked,
        task: &task,
        listing: procedure.listing(),
        decided: &decided,
        division: division.as_ref(),
    };
    let disk = session.io.disk.clone();
    disk.make_folder(&dir.join(SHARDS))?;
    let plan = begun.cut(shares, &costs, |name, bytes| {
        disk.write(&dir.join(name), bytes)
            .map_err(|error| Unwritable(error.into()))
    })?;
    // Last: a folder with this file has everything that shards need.
    disk.write(&dir.join(PLAN), documents::to_text(&plan)?.as_bytes())?;
    print(session, dir, &plan)?;
    Ok(ExitCode::Success)
}

/// Returns the number of shards, or the time of each, that the options ask for.
fn shares(args: &PlanArgs) -> Result<Shares, Failure> {
    match (args.shards, args.per_shard.and_then(|limit| limit.0)) {
        (Some(number), _) => Ok(Shares::Number(number)),
        (None, Some(time)) if !time.is_zero() => Ok(Shares::Of(time)),
        (None, _) => Err(Failure::usage("--per-shard must be a time, like `10m`")),
    }
}

/// Returns the costs of mutants by their times in the run in `dir`.
fn costs(dir: &Path) -> Result<Costs, Failure> {
    let table: MutantTable = read_versioned(&dir.join(MUTANTS), MutantTable::SCHEMA)?;
    let timings = dir.join(TIMINGS);
    if !timings.is_file() {
        let text = format!("{} has no {TIMINGS}: the run is unfinished", dir.display());
        return Err(Failure::usage(text));
    }
    let timings: Timings = read_versioned(&timings, Timings::SCHEMA)?;
    Ok(Costs::of_run(&table, &timings))
}

/// Begins the run of a plan in the folder `base`: decides mutants by the methods that try many mutants together.
fn begin(
    session: &mut Session<'_>,
    run: &RunArgs,
    base: &Path,
    procedure: &mut Box<dyn Procedure>,
    (task, asked): (&Task, &Asked),
) -> Result<Decided, Failure> {
    let before = match run.from {
        Some(_) => before::find(session, run, asked, procedure.as_ref())?,
        None => None,
    };
    if let Some(parent) = base.parent() {
        session.io.disk.make_folder(parent)?;
    }
    let mut folder = run_files::take(session, base)?;
    let listing = procedure.listing_mut();
    listing.reading = seen_from(&listing.reading, folder.path());
    let accepted = run.baseline();
    let life = Life {
        procedure: procedure.as_ref(),
        task,
        accepted: &accepted,
    };
    run_files::in_folder(session, Some(&mut folder), |session, folder| {
        with_surroundings(session, &run.decision.limits, folder, |around| {
            Ok(life.begin(asked, before, around)?)
        })
    })
}

/// Goes on with the run in `base`, which an earlier `hyperkill plan` began with the same question.
fn go_on(
    session: &mut Session<'_>,
    run: &RunArgs,
    base: &Path,
    procedure: &mut Box<dyn Procedure>,
    (task, asked): (&Task, &Asked),
) -> Result<Decided, Failure> {
    let begun = crate::asked::of(base)?;
    if begun != *asked {
        let text = format!(
            "{} was begun for another model, or with other options",
            base.display()
        );
        return Err(Failure::usage(text).with_help("name another folder with --out"));
    }
    let table_there: MutantTable = read_versioned(&base.join(MUTANTS), MutantTable::SCHEMA)?;
    let reopened = Reopened::hold(&session.io.disk, base)?;
    let listing = procedure.listing_mut();
    listing.reading = seen_from(&listing.reading, reopened.path());
    if table(listing, &task.selected) != table_there {
        let text = format!(
            "{} was begun for a model that lies elsewhere",
            base.display()
        );
        return Err(Failure::usage(text).with_help("name another folder with --out"));
    }
    let entries = run_folder::journal::read(base)?.entries;
    let recovered = procedure
        .recover(&OnDisk::at(base), entries)
        .map_err(|spoilt| not_as_written(base, &spoilt))?;
    let known = Known {
        table: table_there,
        asked: begun,
        reopened,
    };
    let (mut folder, earlier) = known.go_on(session, recovered)?;
    let accepted = run.baseline();
    let life = Life {
        procedure: procedure.as_ref(),
        task,
        accepted: &accepted,
    };
    run_files::in_folder(session, Some(&mut folder), |session, folder| {
        with_surroundings(session, &run.decision.limits, folder, |around| {
            Ok(life.go_on(earlier, around)?)
        })
    })
}

/// Prints the plan and the next steps.
fn print(session: &mut Session<'_>, dir: &Path, plan: &Plan) -> Result<(), Failure> {
    let text = match session.format {
        Format::Json => documents::to_text(plan)?,
        Format::Human => planned(plan, &dir.display().to_string(), session.style),
    };
    session.print(text)
}
