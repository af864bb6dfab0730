//! `hyperkill merge`: the parts of one run (`--shard`) become one run.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_run::life::Life;
use hyperkill_run::merge::{Part, Parts};

use super::again::ReadAgain;
use super::plan::folder::PlanFolder;
use super::plan::merged;
use super::run::{Going, finish};
use super::run_files;
use super::status::mutants;
use crate::args::{MergeArgs, PartChoice, SelectionArgs};
use crate::asked;
use crate::audited::OnDisk;
use crate::documents::{Digests, Lock, LockState};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{Recorded, rebased};
use crate::run_folder::{
    self, ARCHIVE, ASKED, DIGESTS, JOURNAL, LOCK, MUTANTS, kept, read_versioned,
};
use crate::session::Session;

/// Carries it out.
pub(super) fn merge(session: &mut Session<'_>, args: &MergeArgs) -> Result<ExitCode, Failure> {
    if let [dir] = args.dirs.as_slice()
        && PlanFolder::is_one(dir)
    {
        return merged::merge(session, dir, args);
    }
    if args.partial {
        return Err(Failure::usage(
            "--partial is for a plan: parts of a run are merged when all are there",
        ));
    }
    let reading = session.stage("the model was read");
    let parts = args.dirs.iter().map(|dir| part(dir));
    let mut parts = Parts::of(parts.collect::<Result<Vec<Part>, Failure>>()?)?;
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

/// Reads a finished part of a run.
fn part(dir: &Path) -> Result<Part, Failure> {
    let table = mutants(dir)?;
    let name = dir.display();
    let lock: Lock = read_versioned(&dir.join(LOCK), Lock::SCHEMA)?;
    if lock.state != LockState::Finished {
        return Err(Failure::usage(format!("the run in {name} is not finished"))
            .with_help(format!("`hyperkill resume {name}` finishes it")));
    }
    let asked = asked::of(dir)?;
    let SelectionArgs {
        shard: Some(PartChoice::Of(shard)),
        ..
    } = asked::arguments(&asked)?.run.selection
    else {
        return Err(Failure::usage(format!(
            "{name} is a whole run, made without --shard"
        )));
    };
    let certificates = certificates(dir)?;
    let entries = run_folder::journal::read(dir)?.entries;
    Ok(Part {
        dir: dir.to_owned(),
        asked,
        shard,
        table,
        entries,
        certificates,
    })
}

/// The certificates of a finished run, by their names. All files are as the run wrote them.
///
/// # Errors
/// If one is not.
pub(super) fn certificates(dir: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let digests: Digests = read_versioned(&dir.join(DIGESTS), Digests::SCHEMA)?;
    let mut certificates = BTreeMap::new();
    for listed in digests.files {
        let certificate = listed.file.starts_with(run_folder::CERTIFICATES);
        if !certificate && ![MUTANTS, ASKED, JOURNAL, ARCHIVE].contains(&listed.file.as_str()) {
            continue;
        }
        let (bytes, digest) = kept(dir, &listed.file)?;
        if digest != listed.digest {
            let place = dir.join(&listed.file);
            let error = anyhow::anyhow!("{} is not as the run wrote it", place.display());
            return Err(Failure::message(ExitCode::Evidence, error));
        }
        if certificate {
            certificates.insert(listed.file, bytes);
        }
    }
    let stored = run_folder::stored(dir);
    let is_certificate = |name: &&String| name.starts_with(run_folder::CERTIFICATES);
    for name in stored.archived().filter(is_certificate) {
        certificates.insert(name.clone(), stored.kept(name)?);
    }
    Ok(certificates)
}
