//! `hyperkill merge`: the parts of one run (`--shard`) become one run.
//!
//! What belongs together is known by a hash of the model, the options and all mutants. The verdicts and their evidence are those of the
//! parts, but for duplicates of mutants in other parts; the suite is made anew of all their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hyperkill_frontend::counted;
use hyperkill_run::resumption::{self, Recovered, certificates};

use super::run::{Going, finish};
use super::run_files;
use super::status::mutants;
use crate::args::{MergeArgs, RunArgs, SelectionArgs, Shard};
use crate::asked;
use crate::audited::OnDisk;
use crate::decision::{Plan, decide};
use crate::documents::{Asked, Digests, JournalEntry, Lock, LockState, MutantTable};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Model, Recorded, rebased};
use crate::model::Listing;
use crate::own;
use crate::question;
use crate::run_folder::archive::Stored;
use crate::run_folder::{
    self, ARCHIVE, ASKED, DIGESTS, JOURNAL, LOCK, MUTANTS, RunFolder, kept, read_versioned,
};
use crate::selection::select;
use crate::session::{Level, Session};

/// Carries it out.
pub(super) fn merge(session: &mut Session<'_>, args: &MergeArgs) -> Result<ExitCode, Failure> {
    let reading = session.stage("the model was read");
    let mut parts = Parts::read(&args.dirs)?;
    let first = &parts.0[0];
    let options = asked::without_shard(&first.asked);
    let again = asked::arguments(&options)?;
    session.seed = again.seed;
    let table = &first.table;
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), &first.dir, &[])?;
    let run = RunArgs {
        model: recorded.args.clone(),
        out: args.out.clone(),
        ..again.run
    };
    let ask = question::of(session.io, &run.decision, None)?.killing()?;
    let operators = &recorded.operators;
    let model = load::model_from(session, &recorded.args, recorded.origin(), operators)?;
    match model {
        Model::Circuit(mut loaded) => {
            let plan = Plan::new(session, &loaded, &run.selection, ask)?;
            parts.leave_out(&plan.duplicates(&loaded, &session.budget()));
            drop(reading);
            let (folder, asked) = parts.take(session, &run, &mut loaded.listing, &plan.selected)?;
            let (going, listing) = (Going::on(&run), &loaded.listing);
            finish(session, &going, listing, folder, |session, folder| {
                parts.fill(session, folder, listing, &plan.selected, &asked)?;
                let found =
                    resumption::of_circuit(&OnDisk::at(folder.path()), &loaded, parts.entries());
                let mut earlier = all_found(found)?.earlier;
                // The first round of the whole has to come: it tells duplicates.
                earlier.whole_rounds = 0;
                decide(
                    session,
                    &loaded,
                    &plan,
                    &run.decision,
                    Some(folder),
                    earlier.into(),
                )
            })
        }
        Model::Own(mut model) => {
            let selected = select(&model.listing, &run.selection, session.seed)?;
            drop(reading);
            let (folder, asked) = parts.take(session, &run, &mut model.listing, &selected)?;
            let (going, listing) = (Going::on(&run), &model.listing);
            finish(session, &going, listing, folder, |session, folder| {
                parts.fill(session, folder, listing, &selected, &asked)?;
                let found =
                    resumption::of_own(&OnDisk::at(folder.path()), listing, parts.entries());
                let results = all_found(found)?.results();
                own::decide(
                    session,
                    &model,
                    &selected,
                    &run.decision,
                    run.aim(),
                    folder,
                    results,
                )
            })
        }
    }
}

/// Fails if evidence is missing: nothing but which mutants are duplicates is decided here.
fn all_found(found: Recovered) -> Result<Recovered, Failure> {
    match found.lost + found.hurried {
        0 => Ok(found),
        count => {
            let error = anyhow::anyhow!("the evidence of {} is missing", counted(count, "mutant"));
            Err(Failure::message(ExitCode::Evidence, error))
        }
    }
}

/// A finished part of a run.
struct Part {
    dir: PathBuf,
    asked: Asked,
    shard: Shard,
    table: MutantTable,
    entries: Vec<JournalEntry>,
    /// Its certificates, by their names.
    certificates: BTreeMap<String, Vec<u8>>,
}

/// All parts of one run.
struct Parts(Vec<Part>);

impl Parts {
    /// Reads parts and sees that they are all parts of one run, each of them once.
    fn read(dirs: &[PathBuf]) -> Result<Parts, Failure> {
        let parts = dirs.iter().map(|dir| Part::read(dir));
        let mut parts = parts.collect::<Result<Vec<Part>, Failure>>()?;
        parts.sort_by_key(|part| part.shard.index);
        let Some(first) = parts.first() else {
            return Err(Failure::usage("there is nothing to merge"));
        };
        for part in &parts {
            if part.asked.whole != first.asked.whole {
                return Err(foreign(first, part));
            }
            if part.shard.count != first.shard.count {
                let (one, other) = (first.name(), part.name());
                return Err(Failure::usage(format!("{one} and {other} overlap")));
            }
        }
        for pair in parts.windows(2) {
            if pair[0].shard.index == pair[1].shard.index {
                let (one, other) = (pair[0].dir.display(), pair[1].name());
                return Err(Failure::usage(format!(
                    "{one} and {other} are the same part"
                )));
            }
        }
        let there: Vec<usize> = parts.iter().map(|part| part.shard.index).collect();
        let missing = (0..first.shard.count).filter(|index| !there.contains(index));
        let missing: Vec<String> = missing
            .map(|index| format!("{index}/{}", first.shard.count))
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(Failure::usage(format!("missing: --shard {missing}")));
        }
        let mutants: usize = parts.iter().map(|part| part.table.mutants.len()).sum();
        if mutants != first.asked.mutants {
            let of = first.asked.mutants;
            let error = anyhow::anyhow!("the parts have {mutants} of {of} mutants");
            return Err(Failure::message(ExitCode::Evidence, error));
        }
        Ok(Parts(parts))
    }

    /// Forgets what parts have decided of these mutants, whose twins are in other parts: the whole run reports them as duplicates, so that
    /// its numbers do not depend on how it was divided.
    fn leave_out(&mut self, mutants: &BTreeSet<String>) {
        let (mut forgotten, mut kept) = (BTreeSet::new(), BTreeSet::new());
        for part in &mut self.0 {
            for entry in &part.entries {
                let names = certificates(&entry.result).into_iter().cloned();
                match mutants.contains(&entry.result.mutant) {
                    true => forgotten.extend(names),
                    false => kept.extend(names),
                }
            }
            (part.entries).retain(|entry| !mutants.contains(&entry.result.mutant));
        }
        // Mutants may share what shows their verdicts.
        let forgotten: BTreeSet<&String> = forgotten.difference(&kept).collect();
        for part in &mut self.0 {
            (part.certificates).retain(|name, _| !forgotten.contains(name));
        }
    }

    /// What they have decided.
    fn entries(&self) -> Vec<JournalEntry> {
        let entries = self.0.iter().flat_map(|part| &part.entries);
        entries.cloned().collect()
    }

    /// Takes the folder for the whole run, and says what was asked of it.
    fn take(
        &self,
        session: &mut Session<'_>,
        run: &RunArgs,
        listing: &mut Listing,
        selected: &[usize],
    ) -> Result<(RunFolder, Asked), Failure> {
        let first = &self.0[0];
        if self.0.iter().any(|part| is_same(&part.dir, &run.out)) {
            let out = run.out.display();
            return Err(Failure::usage(format!("{out} is one of the parts"))
                .with_help("name another folder with --out"));
        }
        let options = asked::without_shard(&first.asked).options;
        if let Some(reading) = &first.table.reading {
            listing.reading = reading.clone();
        }
        let model = (&*listing, &listing.reading);
        let asked = asked::document(options, model, &run.selection, session.seed, selected)?;
        if asked.whole != first.asked.whole {
            let place = first.dir.join(ASKED);
            let error = anyhow::anyhow!("{} is not as the run wrote it", place.display());
            return Err(Failure::message(ExitCode::Evidence, error));
        }
        let mut folder = run_files::take(session, &run.out)?;
        listing.reading = rebased(&listing.reading, &first.dir, folder.path());
        folder.is_of_earlier_runs();
        Ok((folder, asked))
    }

    /// Writes all that the parts have into it, but for suites and outcomes.
    fn fill(
        &self,
        session: &mut Session<'_>,
        folder: &mut RunFolder,
        listing: &Listing,
        selected: &[usize],
        asked: &Asked,
    ) -> Result<(), Failure> {
        run_files::before(session, folder, listing, selected, Some(asked))?;
        for part in &self.0 {
            for (name, bytes) in &part.certificates {
                folder.write(name, bytes)?;
            }
            for entry in &part.entries {
                folder.append_journal(entry)?;
            }
        }
        session.say(
            Level::Note,
            format!("{} merged", counted(self.0.len(), "part")),
        );
        Ok(())
    }
}

fn foreign(first: &Part, part: &Part) -> Failure {
    let (one, other) = (first.dir.display(), part.dir.display());
    let message = format!("{one} and {other} are no parts of one run");
    let (a, b) = (&first.table, &part.table);
    let options = |part: &Part| asked::without_shard(&part.asked).options;
    Failure::usage(message).with_help(match () {
        () if a.model.hash != b.model.hash => "their models are different",
        () if options(first) != options(part) => "their options are different",
        () => "their models were read in different ways, or their mutants are different",
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some() && real(one) == real(other)
}

impl Part {
    fn read(dir: &Path) -> Result<Part, Failure> {
        let table = mutants(dir)?;
        let name = dir.display();
        let lock: Lock = read_versioned(&dir.join(LOCK), Lock::SCHEMA)?;
        if lock.state != LockState::Finished {
            return Err(Failure::usage(format!("the run in {name} is not finished"))
                .with_help(format!("`hyperkill resume {name}` finishes it")));
        }
        let asked = asked::of(dir)?;
        let SelectionArgs {
            shard: Some(shard), ..
        } = asked::arguments(&asked)?.run.selection
        else {
            return Err(Failure::usage(format!(
                "{name} is a whole run, made without --shard"
            )));
        };
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
        let stored = Stored::of(dir);
        let is_certificate = |name: &&String| name.starts_with(run_folder::CERTIFICATES);
        for name in stored.archived().filter(is_certificate) {
            certificates.insert(name.clone(), stored.kept(name)?.0);
        }
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

    /// Where it is, and which part.
    fn name(&self) -> String {
        let Shard { index, count } = self.shard;
        format!("{} (--shard {index}/{count})", self.dir.display())
    }
}
