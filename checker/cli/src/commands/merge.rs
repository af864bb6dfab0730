//! `hyperkill merge`: joins the parts of a run (`--shard`) to one run.

use std::path::Path;

use hyperkill_run::folder::FolderError;
use hyperkill_run::life::Life;
use hyperkill_run::merge::{Part, Parts};

use super::again::ReadAgain;
use super::plan::folder::PlanFolder;
use super::plan::merged;
use super::run::{Going, finish};
use super::run_files;
use crate::args::MergeArgs;
use crate::audited::OnDisk;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{Recorded, rebased};
use crate::run_folder;
use crate::session::Session;

/// Merges the parts of a run, or the shards of a plan, into one run, and prints the results.
pub(super) fn merge(session: &mut Session<'_>, args: &MergeArgs) -> Result<ExitCode, Failure> {
    if let [dir] = args.dirs.as_slice()
        && PlanFolder::is_one(dir)
    {
        return merged::merge(session, dir, args);
    }
    if args.partial {
        return Err(Failure::usage(
            "--partial is for a plan: to merge the parts of a run, give all of them",
        ));
    }
    let reading = session.stage("the model was read");
    let parts = args.dirs.iter();
    let parts = parts.map(|dir| Part::read(&run_folder::run_in(dir)));
    let mut parts = Parts::of(parts.collect::<Result<Vec<Part>, FolderError>>()?)?;
    let options = hyperkill_run::asked::without_shard(&parts.first().asked);
    let run = ReadAgain::options(session, &options, &args.out)?;
    let (table, dir) = (&parts.first().table, &parts.first().dir);
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), dir, &[])?;
    let ReadAgain {
        mut procedure,
        task,
        run,
    } = ReadAgain::read(session, &recorded, run)?;
    parts.leave_out(&procedure.duplicates(&task, &session.budget()));
    drop(reading);
    if parts.all().iter().any(|part| is_same(&part.dir, &run.out)) {
        let out = run.out.display();
        return Err(Failure::usage(format!("{out} is one of the parts"))
            .with_help("name another folder with --out"));
    }
    let first = parts.first();
    let listing = procedure.listing_mut();
    if let Some(reading) = &first.table.reading {
        listing.reading = reading.clone();
    }
    let selection = run.selection.selection(session.seed);
    let asked = parts.asked(listing, &selection, &task.selected)?;
    let folder = run_files::take(session, &run.out)?;
    listing.reading = rebased(&listing.reading, &first.dir, folder.path());
    let files = OnDisk::at(folder.path());
    let life = Life {
        procedure: procedure.as_ref(),
        task: &task,
        accepted: &run.baseline(),
    };
    finish(session, &Going::on(&run), life, folder, |life, around| {
        Ok(parts.merge(life, &asked, &files, around)?)
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some() && real(one) == real(other)
}
