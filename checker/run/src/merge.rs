//! Joins the parts of a run (`--shard`) to one run.
//!
//! Parts of one run have the same hash of the model, the options and all mutants. Verdicts and evidence come from the parts, except for
//! duplicates of mutants in other parts. The suite is made anew from all tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hyperkill_audit::certification::Files;
use hyperkill_audit::model::Listing;
use hyperkill_frontend::counted;

use crate::asked::{self, Options};
use crate::decided::Decided;
use crate::documents::{Asked, JournalEntry, LockState, MutantTable};
use crate::folder::FolderError;
use crate::life::Life;
use crate::procedure::{RunError, Spoilt, Surroundings};
use crate::resumption::{Recovered, certificates};
use crate::selection::{Selection, Shard};
use crate::sink::Level;
use crate::stored_run::StoredRun;
use crate::unfit::Unfit;

/// A finished part of a run, read from its folder.
#[derive(Debug)]
pub struct Part {
    /// The path of the folder, for messages.
    pub dir: PathBuf,
    /// The question.
    pub asked: Asked,
    /// The index of the part.
    pub shard: Shard,
    /// The table of its mutants.
    pub table: MutantTable,
    /// Its journal.
    pub entries: Vec<JournalEntry>,
    /// Its certificates, by file name.
    pub certificates: BTreeMap<String, Vec<u8>>,
}

impl Part {
    /// Reads a finished part of a run.
    ///
    /// # Errors
    /// If the run has not finished, is whole, or is not as it was written.
    pub fn read(run: &StoredRun) -> Result<Part, FolderError> {
        let table = run.mutants()?;
        let name = run.dir().display();
        if run.lock()?.state != LockState::Finished {
            return Err(Unfit::new(format!("the run in {name} is not finished"))
                .with_help(format!("`hyperkill resume {name}` finishes it"))
                .into());
        }
        let asked = run.asked()?;
        let Some(shard) = Options::of_run(&asked)?.selection.shard else {
            return Err(Unfit::new(format!("{name} is a whole run, made without --shard")).into());
        };
        let certificates = run.certificates()?;
        Ok(Part {
            dir: run.dir().to_owned(),
            asked,
            shard,
            table,
            entries: run.entries()?,
            certificates,
        })
    }
}

impl From<FolderError> for MergeError {
    fn from(error: FolderError) -> MergeError {
        MergeError::Run(error.into())
    }
}

/// A reason why parts cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The folders are not the parts of one run.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A part was changed after the run wrote it.
    #[error("{0}")]
    Evidence(String),
    /// A file of a part was changed after the run wrote it.
    #[error(transparent)]
    Spoilt(#[from] Spoilt),
    /// The merged run failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// All parts of one run, at least one.
#[derive(Debug)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Checks that these folders are all parts of one run, each of them once.
    ///
    /// # Errors
    /// If they are not.
    pub fn of(mut parts: Vec<Part>) -> Result<Parts, MergeError> {
        parts.sort_by_key(|part| part.shard.index);
        let Some(first) = parts.first() else {
            return Err(Unfit::new("there is nothing to merge").into());
        };
        for part in &parts {
            if part.asked.whole != first.asked.whole {
                return Err(foreign(first, part).into());
            }
            if part.shard.count != first.shard.count {
                let (one, other) = (first.name(), part.name());
                return Err(Unfit::new(format!("{one} and {other} overlap")).into());
            }
        }
        for pair in parts.windows(2) {
            if pair[0].shard.index == pair[1].shard.index {
                let (one, other) = (pair[0].dir.display(), pair[1].name());
                return Err(Unfit::new(format!("{one} and {other} are the same part")).into());
            }
        }
        let there: Vec<usize> = parts.iter().map(|part| part.shard.index).collect();
        let missing = (0..first.shard.count).filter(|index| !there.contains(index));
        let missing: Vec<String> = missing
            .map(|index| format!("{index}/{}", first.shard.count))
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(Unfit::new(format!("missing: --shard {missing}")).into());
        }
        let mutants: usize = parts.iter().map(|part| part.table.mutants.len()).sum();
        if mutants != first.asked.mutants {
            let of = first.asked.mutants;
            let text = format!("the parts have {mutants} of {of} mutants");
            return Err(MergeError::Evidence(text));
        }
        Ok(Parts(parts))
    }

    /// Returns the parts, in order of their indices.
    #[must_use]
    pub fn all(&self) -> &[Part] {
        &self.0
    }

    /// Returns the part with index 0.
    #[must_use]
    pub fn first(&self) -> &Part {
        &self.0[0]
    }

    /// Removes the verdicts on these mutants. They duplicate mutants in other parts, and the merged run reports them as duplicates. So its
    /// counts do not depend on the division.
    pub fn leave_out(&mut self, mutants: &BTreeSet<String>) {
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
        // A certificate about several mutants stays while one of them keeps its verdict.
        let forgotten: BTreeSet<&String> = forgotten.difference(&kept).collect();
        for part in &mut self.0 {
            (part.certificates).retain(|name, _| !forgotten.contains(name));
        }
    }

    /// Returns the journal lines of all parts.
    fn entries(&self) -> Vec<JournalEntry> {
        let entries = self.0.iter().flat_map(|part| &part.entries);
        entries.cloned().collect()
    }

    /// Returns the question of the merged run. `selected` are places in the catalogue of `listing`.
    ///
    /// # Errors
    /// If it differs from the question of the parts.
    pub fn asked(
        &self,
        listing: &Listing,
        selection: &Selection,
        selected: &[usize],
    ) -> Result<Asked, MergeError> {
        let first = self.first();
        let options = asked::without_shard(&first.asked).options;
        let model = (listing, &listing.reading);
        let asked = asked::document(options, model, selection, selected)?;
        match asked.whole == first.asked.whole {
            true => Ok(asked),
            false => {
                let place = first.dir.join(crate::names::ASKED);
                let text = format!("{} is not as the run wrote it", place.display());
                Err(MergeError::Evidence(text))
            }
        }
    }

    /// Writes the documents of all parts into the folder of the merged run, without suites and outcomes.
    fn fill(
        &self,
        life: &Life<'_>,
        asked: &Asked,
        around: &mut Surroundings<'_>,
    ) -> Result<(), RunError> {
        life.write_before(Some(asked), around)?;
        let Some(folder) = &mut around.folder else {
            return Ok(());
        };
        for part in &self.0 {
            for (name, bytes) in &part.certificates {
                folder.write(name, bytes)?;
            }
            for entry in &part.entries {
                folder.append_journal(entry)?;
            }
        }
        let text = format!("{} merged", counted(self.0.len(), "part"));
        around.sink.say(Level::Note, text);
        Ok(())
    }

    /// Merges the parts into one run. `files` reads the folder that the run writes.
    ///
    /// # Errors
    /// If evidence is missing or does not check, or if the folder cannot be written.
    pub fn merge(
        &self,
        life: &Life<'_>,
        asked: &Asked,
        files: &dyn Files,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, MergeError> {
        self.fill(life, asked, around)?;
        let found = life.procedure.recover(files, self.entries())?;
        let mut earlier = all_found(found)?.earlier;
        // The first round runs again, since it finds duplicates among all parts.
        earlier.whole_rounds = 0;
        Ok(life.go_on_in(earlier, around)?)
    }
}

/// Checks that no evidence is missing: a merge decides no mutants, only duplicates.
///
/// # Errors
/// If the evidence of a mutant is missing, or a mutant was decided after an interrupt.
pub(crate) fn all_found(found: Recovered) -> Result<Recovered, MergeError> {
    match found.lost + found.hurried {
        0 => Ok(found),
        count => {
            let text = format!("the evidence of {} is missing", counted(count, "mutant"));
            Err(MergeError::Evidence(text))
        }
    }
}

fn foreign(first: &Part, part: &Part) -> Unfit {
    let (one, other) = (first.dir.display(), part.dir.display());
    let message = format!("{one} and {other} are no parts of one run");
    let (a, b) = (&first.table, &part.table);
    let options = |part: &Part| asked::without_shard(&part.asked).options;
    Unfit::new(message).with_help(match () {
        () if a.model.hash != b.model.hash => "their models are different",
        () if options(first) != options(part) => "their options are different",
        () => "their models were read in different ways, or their mutants are different",
    })
}

impl Part {
    /// Returns the path of the folder with the index of its part (`--shard`), for messages.
    fn name(&self) -> String {
        let Shard { index, count } = self.shard;
        format!("{} (--shard {index}/{count})", self.dir.display())
    }
}
