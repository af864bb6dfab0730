//! Verdicts of a run are taken over after the model was edited. The procedure of the language that checks verdicts checks each of them
//! against the edited model. Verdicts that pass are written into the folder of the new run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certification::Files;
use hyperkill_audit::names::{ASKED, CERTIFICATES};
use hyperkill_audit::own::{Part, are_of_one_test, read};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::verdict::{Potential, Stronger, Verdict};
use hyperkill_frontend::counted;
use hyperkill_frontend::decision::OwnVerdict;
use rayon::prelude::*;

use super::work::{Keeping, Work, record};
use crate::carry_over::{Before, say};
use crate::documents::{self, Certificate, JournalEntry, MutantResult};
use crate::folder::write_document;
use crate::own::{Asked, Known, found};
use crate::procedure::{RunError, Surroundings};

/// Reads the final verdicts of a run. Verdicts with a missing certificate are left out.
pub(super) fn known(files: &dyn Files, entries: &[JournalEntry]) -> Vec<Known> {
    let entries = entries.iter().filter(|entry| !entry.hurried);
    let known = entries.filter_map(|entry| {
        let result = &entry.result;
        let potential = result.potential.as_ref();
        let named = [
            (Part::Verdict, result.certificate.as_ref()),
            (Part::Definite, result.definite_certificate.as_ref()),
            (
                Part::Potential,
                potential.and_then(|potential| potential.certificate.as_ref()),
            ),
        ];
        let named = named.into_iter().filter_map(|(part, file)| {
            let file = file.filter(|file| file.starts_with(CERTIFICATES))?;
            let held: Certificate = serde_json::from_slice(&files.read(file).ok()?).ok()?;
            Some((part, held))
        });
        let certificates: Vec<(Part, Certificate)> = named.collect();
        let shown = |wanted: Part| {
            let mut held = certificates.iter().filter(|(part, _)| *part == wanted);
            held.next().map(|(_, held)| &held.evidence)
        };
        let verdict = read(result, shown).ok()?;
        is_settled(&verdict).then(|| Known {
            result: result.clone(),
            verdict,
        })
    });
    known.collect()
}

/// Whether a verdict is final: no part of it is open.
fn is_settled(verdict: &OwnVerdict) -> bool {
    match verdict {
        Verdict::Killed(kill) => !matches!(kill.stronger, Stronger::Unsettled { .. }),
        Verdict::NotDefinitelyKillable { potential, .. } => {
            matches!(potential, Potential::Killed(_))
        }
        Verdict::Unknown { .. } => false,
        _ => true,
    }
}

/// Prepares a verdict for the edited model: its tests are no longer claimed to be shortest.
fn of_other_version(mut verdict: OwnVerdict) -> OwnVerdict {
    match &mut verdict {
        Verdict::Killed(kill) => kill.shortest = false,
        Verdict::NotDefinitelyKillable {
            potential: Potential::Killed(kill),
            ..
        } => kill.shortest = false,
        _ => {}
    }
    verdict
}

impl Work<'_> {
    /// Checks the verdicts of the earlier run against the edited model. Writes the verdicts that pass into the folder, then the question,
    /// and returns their results.
    pub(super) fn carry_over(
        &self,
        (before, asked): (&Before, &documents::Asked),
        around: &mut Surroundings<'_>,
    ) -> Result<BTreeMap<String, (MutantResult, Duration)>, RunError> {
        let catalogue = &self.model.listing.catalogue;
        let entries = self.task.selected.iter().map(|&index| &catalogue[index]);
        let live = entries.filter(|entry| matches!(entry.standing, Standing::Live(_)));
        let live: Vec<&str> = live.map(|entry| entry.id.0.as_str()).collect();
        let wanted: BTreeSet<&str> = live.iter().copied().collect();
        let known = before.own.iter();
        let known: Vec<&Known> = known
            .filter(|known| wanted.contains(known.result.mutant.as_str()))
            .collect();
        let Some(folder) = &mut around.folder else {
            return Ok(BTreeMap::new());
        };
        let keeping = Mutex::new(Keeping {
            folder: Some(&mut **folder),
            sink: &mut *around.sink,
        });
        let waits = self.budget.waits();
        let carried = around.threads.install(|| {
            let carried = known.par_iter();
            let carried = carried.map(|known| self.confirm(known, before.is_same, &keeping));
            carried.collect::<Result<Vec<_>, RunError>>()
        })?;
        drop(waits);
        let carried = carried.into_iter().flatten();
        let carried: BTreeMap<String, (MutantResult, Duration)> = carried
            .map(|result| (result.mutant.clone(), (result, Duration::ZERO)))
            .collect();
        let all = counted(live.len(), "mutant");
        let refused = known.len() - carried.len();
        say(around.sink, before, (carried.len(), refused), &all);
        // An interrupted carry-over has no question, so that no later process resumes from an incomplete folder.
        if let Some(stop) = self
            .limits
            .stopped()
            .filter(|_| self.limits.is_interrupted())
        {
            return Err(RunError::Over(stop));
        }
        write_document(folder, ASKED, asked)?;
        Ok(carried)
    }

    /// Checks a verdict of the earlier run and writes it into the folder. `None` if the check fails, or there is no folder.
    ///
    /// Unless `is_same` (the model is the same), its tests are no longer claimed to be the shortest.
    fn confirm(
        &self,
        known: &Known,
        is_same: bool,
        keeping: &Mutex<Keeping<'_>>,
    ) -> Result<Option<MutantResult>, RunError> {
        let verdict = match is_same {
            true => known.verdict.clone(),
            false => of_other_version(known.verdict.clone()),
        };
        let mutant = MutantId(known.result.mutant.clone());
        let budget = self.budget.within(self.task.timeout);
        let is_of_one_test = verdict
            .kill()
            .is_none_or(|kill| are_of_one_test(kill).is_ok());
        let rechecker = self.procedures.rechecker;
        if !is_of_one_test || rechecker.recheck(&mutant, &verdict, &budget).is_err() {
            return Ok(None);
        }
        let asked = Asked {
            language: self.procedures.language,
            model: &self.model.listing.description.hash,
            question: &self.model.contents.question,
        };
        let mut found = found(asked, &mutant, &verdict)?;
        found.result.carried_over = true;
        let mut keeping = keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(folder) = &mut keeping.folder else {
            return Ok(None);
        };
        record(folder, found, Duration::ZERO, false).map(Some)
    }
}
