//! Joins the shards of a plan to one run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use hyperkill_audit::certification::Files;

use crate::decided::Decided;
use crate::documents::{Asked, JournalEntry, MutantTable, Plan, VerdictWord};
use crate::folder::FolderError;
use crate::life::Life;
use crate::merge::{MergeError, all_found};
use crate::procedure::{Division, Surroundings};
use crate::resumption::certificates as named;
use crate::stored_run::{Evident, StoredRun};
use crate::unfit::Unfit;

/// The folder of the run that made the plan, or of an attempt at a shard.
#[derive(Debug)]
pub struct Piece {
    /// The path of the folder, for messages.
    pub dir: PathBuf,
    /// The table of its mutants.
    pub table: MutantTable,
    /// Its journal.
    pub entries: Vec<JournalEntry>,
    /// Its certificates, by file name.
    pub certificates: BTreeMap<String, Vec<u8>>,
}

impl Piece {
    /// Reads a run that has ended.
    ///
    /// # Errors
    /// If a file is not as the run wrote it.
    pub fn ended(run: &StoredRun) -> Result<Piece, FolderError> {
        Ok(Piece {
            dir: run.dir().to_owned(),
            table: run.mutants()?,
            entries: run.entries()?,
            certificates: run.certificates()?,
        })
    }

    /// Reads a run that goes on or was stopped: the lines of its journal whose certificates are there.
    ///
    /// # Errors
    /// If its documents cannot be read.
    pub fn so_far(run: &StoredRun) -> Result<Piece, FolderError> {
        let Evident {
            entries,
            certificates,
        } = run.evident()?;
        Ok(Piece {
            dir: run.dir().to_owned(),
            table: run.mutants()?,
            entries,
            certificates,
        })
    }
}

/// An attempt at a shard.
#[derive(Debug)]
pub struct Attempt {
    /// The index of the shard.
    pub shard: usize,
    /// Its mutants by the plan.
    pub mutants: Vec<String>,
    /// The mutants, verdicts and certificates in the attempt's folder.
    pub piece: Piece,
}

/// The verdicts of all shards.
#[derive(Debug, Default)]
pub struct Joined {
    /// Journal lines of mutants with a verdict.
    pub settled: Vec<JournalEntry>,
    /// Journal lines of undecided mutants.
    pub undecided: Vec<JournalEntry>,
    /// All certificates by file name, translated to the complete model.
    pub certificates: BTreeMap<String, Vec<u8>>,
}

impl Joined {
    /// Joins the run that made a plan with attempts at its shards.
    ///
    /// # Errors
    /// If an attempt belongs to no shard of this plan, or two attempts have the same mutant.
    pub fn of(
        plan: &Plan,
        base: Piece,
        attempts: Vec<Attempt>,
        division: &dyn Division,
    ) -> Result<Joined, MergeError> {
        let mut joined = Joined::default();
        let mut seen = BTreeSet::new();
        let mutants = base.table.mutants.iter().map(|mutant| mutant.id.clone());
        let known: BTreeSet<String> = mutants.collect();
        joined.take(base.entries, base.certificates);
        for attempt in attempts {
            let of_plan = attempt.mutants.iter();
            let of_run = attempt.piece.table.mutants.iter().map(|mutant| &mutant.id);
            if !of_plan.eq(of_run) {
                let dir = attempt.piece.dir.display();
                let text = format!(
                    "{dir} has other mutants than shard {} of the plan",
                    attempt.shard
                );
                return Err(Unfit::new(text).into());
            }
            for id in &attempt.mutants {
                if !known.contains(id) || !seen.insert(id.clone()) {
                    let text = format!(
                        "mutant {id} does not belong to shard {}, or belongs to another shard too",
                        attempt.shard
                    );
                    return Err(Unfit::new(text).into());
                }
            }
            let circuit = plan.shards[attempt.shard].circuit.as_deref();
            let certificates = attempt.piece.certificates;
            let certificates = division
                .translate_certificates(&attempt.mutants, circuit, certificates)
                .map_err(|spoilt| {
                    let place = attempt.piece.dir.join(&spoilt.file);
                    let why = spoilt.why;
                    let text = format!("{} is not as the run wrote it: {why}", place.display());
                    MergeError::Evidence(text)
                })?;
            let own: BTreeSet<&String> = attempt.mutants.iter().collect();
            let stranger =
                (attempt.piece.entries.iter()).find(|entry| !own.contains(&entry.result.mutant));
            if let Some(stranger) = stranger {
                let (dir, id) = (attempt.piece.dir.display(), &stranger.result.mutant);
                let text = format!("the journal of {dir} has mutant {id} of another shard");
                return Err(MergeError::Evidence(text));
            }
            joined.take(attempt.piece.entries, certificates);
        }
        Ok(joined)
    }

    /// Makes one run of the shards, and tries all tests on the undecided mutants. `files` reads the folder that the run writes.
    ///
    /// # Errors
    /// If evidence is missing, or the folder cannot be written.
    pub fn carry_out(
        self,
        life: &Life<'_>,
        asked: &Asked,
        files: &dyn Files,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, MergeError> {
        life.write_before(Some(asked), around)?;
        if let Some(folder) = &mut around.folder {
            for (name, bytes) in &self.certificates {
                folder.write(name, bytes)?;
            }
            for entry in &self.settled {
                folder.append_journal(entry)?;
            }
        }
        let found = life.procedure.recover(files, self.settled)?;
        let mut earlier = all_found(found)?.earlier;
        earlier.tests = Arc::new(earlier.killing_runs());
        earlier.undecided = (self.undecided.into_iter())
            .map(|entry| (entry.result.mutant.clone(), entry))
            .collect();
        Ok(life.go_on_in(earlier, around)?)
    }

    /// Adds journal lines and certificates. Removes round numbers, since rounds of different runs are unrelated.
    fn take(&mut self, entries: Vec<JournalEntry>, mut certificates: BTreeMap<String, Vec<u8>>) {
        let entries = entries.into_iter().filter(|entry| !entry.hurried);
        let entries: Vec<JournalEntry> = entries.collect();
        // Certificates of no line are about the complete model, and are made anew.
        let named = entries.iter().flat_map(|entry| named(&entry.result));
        let named: BTreeSet<&String> = named.collect();
        certificates.retain(|name, _| named.contains(name));
        for mut entry in entries {
            entry.round = entry.round.map(|_| 0);
            match entry.result.verdict {
                VerdictWord::Unknown => self.undecided.push(entry),
                _ => self.settled.push(entry),
            }
        }
        self.certificates.extend(certificates);
    }
}
