//! `hyperkill merge` of a plan: its shards become one run.

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
use crate::args::MergeArgs;
use crate::audited::OnDisk;
use crate::documents::PlannedShard;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded, rebased};
use crate::session::{Level, Session};
use hyperkill_run::reading::ModelSpec;

/// Merges the run and the shards of the plan in `dir` into one run in the folder `--out`, prints it, and returns the exit status.
pub(in crate::commands) fn merge(
    session: &mut Session<'_>,
    dir: &Path,
    args: &MergeArgs,
) -> Result<ExitCode, Failure> {
    let reading = session.stage("the model was read");
    let folder = PlanFolder::read(dir)?;
    let there = folder.pieces(args.partial)?;
    let base_dir = dir.join(BASE);
    let base = Piece::ended(&folder.base())?;
    let asked = folder.base().asked()?;
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
    folder.is_of(&asked, procedure.listing())?;
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

/// Returns the ids of the mutants of a shard, in the order of its file.
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
