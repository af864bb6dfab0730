//! `hyperkill merge` of a plan: its shards become one run.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_checker::rounds::Extent;
use hyperkill_frontend::counted;
use hyperkill_run::life::Life;
use hyperkill_run::plan::join::{Attempt, Joined, Piece};
use hyperkill_run::plan::layout::BASE;
use hyperkill_run::procedure::Task;

use super::super::again::ReadAgain;
use super::super::run::{Going, finish};
use super::super::run_files;
use super::folder::PlanFolder;
use super::pieces;
use crate::args::MergeArgs;
use crate::asked;
use crate::audited::OnDisk;
use crate::documents::{Asked, PlannedShard};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded, rebased};
use crate::model::Listing;
use crate::session::{Level, Session};
use hyperkill_run::reading::ModelSpec;

/// Carries it out.
pub(in crate::commands) fn merge(
    session: &mut Session<'_>,
    dir: &Path,
    args: &MergeArgs,
) -> Result<ExitCode, Failure> {
    let reading = session.stage("the model was read");
    let folder = PlanFolder::read(dir)?;
    let there = there(&folder, args.partial)?;
    let base_dir = dir.join(BASE);
    let base = pieces::ended(&base_dir)?;
    let asked = asked::of(&base_dir)?;
    let recorded = Recorded::of(
        &base.table.model,
        base.table.reading.as_ref(),
        &base_dir,
        &[],
    )?;
    let run = ReadAgain::options(session, &asked, &args.out)?;
    let ReadAgain {
        mut procedure,
        task,
        run,
    } = ReadAgain::read(session, &recorded, run)?;
    let task = Task {
        extent: Extent::Tests,
        ..task
    };
    if let Some(reading) = &base.table.reading {
        procedure.listing_mut().reading = reading.clone();
    }
    is_of_plan(&folder, &asked, procedure.listing())?;
    let mut attempts = Vec::new();
    for (shard, piece) in there {
        attempts.push(Attempt {
            mutants: mutants_of(session, &folder, &folder.plan.shards[shard])?,
            shard,
            piece,
        });
    }
    let count = attempts.len();
    let division = procedure.division(&task)?;
    let joined = Joined::of(&folder.plan, base, attempts, division.as_ref())?;
    drop(division);
    drop(reading);
    let out = run_files::take(session, &run.out)?;
    let listing = procedure.listing_mut();
    listing.reading = rebased(&listing.reading, &base_dir, out.path());
    let text = format!("{} merged", counted(count, "shard"));
    session.say(Level::Note, text);
    let files = OnDisk::at(out.path());
    let accepted = run.baseline();
    let life = Life {
        procedure: procedure.as_ref(),
        task: &task,
        accepted: &accepted,
    };
    finish(session, &Going::on(&run), life, out, |life, around| {
        Ok(joined.carry_out(life, &asked, &files, around)?)
    })
}

/// The attempts that are merged, by their shards.
///
/// # Errors
/// If a shard is missing and all have to be there.
fn there(folder: &PlanFolder, partial: bool) -> Result<BTreeMap<usize, Piece>, Failure> {
    let mut there = BTreeMap::new();
    let mut missing = Vec::new();
    for number in 0..folder.plan.shards.len() {
        if let Some(done) = folder.done(number)? {
            there.insert(number, pieces::ended(&done)?);
            continue;
        }
        missing.push(number);
        if let Some((attempt, _)) = folder.farthest(number)?.filter(|_| partial) {
            there.insert(number, pieces::so_far(&attempt)?);
        }
    }
    if missing.is_empty() || partial {
        return Ok(there);
    }
    let dir = folder.dir.display();
    let shards: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let text = match shards.as_slice() {
        [one] => format!("shard {one} is not decided"),
        several => format!("shards {} are not decided", several.join(", ")),
    };
    Err(Failure::usage(text).with_help(format!(
        "`hyperkill run --plan {dir} --shard {}` decides it; --partial merges without",
        shards[0]
    )))
}

/// The run that made the plan is the one that the plan names, and its model is the one read.
fn is_of_plan(folder: &PlanFolder, asked: &Asked, listing: &Listing) -> Result<(), Failure> {
    let plan = &folder.plan;
    let is_same = plan.whole == asked.whole
        && plan.options == asked.options
        && plan.model == listing.description;
    if is_same {
        return Ok(());
    }
    let base = folder.dir.join(BASE);
    let text = format!(
        "{} is not the run that the plan was made by",
        base.display()
    );
    Err(Failure::usage(text).with_help("make the plan again"))
}

/// The ids of the mutants of a shard, in the order of its file.
fn mutants_of(
    session: &mut Session<'_>,
    folder: &PlanFolder,
    shard: &PlannedShard,
) -> Result<Vec<String>, Failure> {
    let bytes = folder.shard_file(shard)?;
    if shard.circuit.is_none() {
        let list = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(list.lines().map(str::to_owned).collect());
    }
    let spec = ModelSpec {
        files: vec![folder.dir.join(&shard.file)],
        ..ModelSpec::default()
    };
    let loaded = load::load(session, &spec, &[])?;
    let catalogue = loaded.listing.catalogue.iter();
    Ok(catalogue.map(|entry| entry.id.to_string()).collect())
}
