//! Restores the state of a run from the folder of an earlier process.
//!
//! A journal line counts if the certificates that it names exist. They may be missing after a crash of the machine, since no write waits
//! for the disk. Mutants without such a line are decided again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certificates::Circuit;
use hyperkill_audit::certification::Files;
use hyperkill_audit::model::{Listing, Loaded};
use hyperkill_audit::names::{CERTIFICATES, FAMILY, digest};
use hyperkill_audit::outcomes::{Families, Named, kill, outcome};
use hyperkill_checker::rounds::{Earlier, Recalled};
use hyperkill_core::SelectorId;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::verdict::Outcome;
use sha2::{Digest, Sha256};

use crate::documents::{Certificate, JournalEntry, MutantResult, VerdictWord};

/// The verdicts, finished jobs and tests that an earlier process left for this run.
#[derive(Debug, Default)]
pub struct EarlierRun {
    /// The earlier verdicts in the form that the rounds take.
    pub mutants: Arc<BTreeMap<SelectorId, Earlier>>,
    /// The number of first rounds whose verdicts are all known.
    pub whole_rounds: usize,
    /// Finished jobs with their facts.
    pub recalled: Arc<Recalled>,
    /// The results for the documents, with the time spent on each mutant.
    pub results: BTreeMap<SelectorId, (MutantResult, Duration)>,
    /// Tests of the run before an edit of the model.
    pub tests: Arc<Vec<Stimulus>>,
    /// Results by id with the time of each, in a language that decides its mutants itself.
    pub by_id: BTreeMap<String, (MutantResult, Duration)>,
    /// Journal lines of undecided mutants, by id. They are used if this process finds no verdict.
    pub undecided: BTreeMap<String, JournalEntry>,
}

impl EarlierRun {
    /// Returns the distinct runs of the model that kill mutants.
    pub(crate) fn killing_runs(&self) -> Vec<Stimulus> {
        let kills = self
            .mutants
            .values()
            .filter_map(|earlier| earlier.kill.as_ref());
        let runs = kills.map(|(_, kill)| kill.model_run.clone());
        let runs: BTreeSet<Stimulus> = runs.collect();
        runs.into_iter().collect()
    }
}

/// The state of an unfinished run.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The journal lines that count.
    pub entries: Vec<JournalEntry>,
    /// The certificates that they name, with their digests.
    pub files: BTreeMap<String, String>,
    /// The knowledge in these lines.
    pub earlier: EarlierRun,
    /// The number of mutants that were decided after an interrupt.
    pub hurried: usize,
    /// The number of mutants whose certificates are missing.
    pub lost: usize,
    /// The length in bytes of the valid part of the job file. The rest must be deleted.
    pub jobs: usize,
}

/// Restores the state of a run of a circuit from the lines of its journal. Lines without usable evidence are lost, and hurried lines are
/// not kept; both are counted.
#[must_use]
pub fn of_circuit(files: &dyn Files, loaded: &Loaded, entries: Vec<JournalEntry>) -> Recovered {
    let circuit = Circuit::of(&loaded.model);
    let mut stored = Evidence::of(files, &circuit.digest);
    let known = live(&loaded.listing);
    let mut recovered = Recovered::default();
    let mut mutants = BTreeMap::new();
    let mut first_lost = usize::MAX;
    let mut last_kept = 0;
    for entry in entries {
        if entry.hurried {
            recovered.hurried += 1;
            continue;
        }
        let evidence = stored.named_by(&entry.result);
        let read = evidence.and_then(|evidence| {
            let round = entry.round?;
            let selector = *known.get(entry.result.mutant.as_str())?;
            let held: Vec<Named<'_>> = evidence.iter().map(Held::named).collect();
            let kill = kill(&circuit, &entry.result, &held)?;
            Some((selector, round, kill, evidence))
        });
        let Some((selector, round, kill, evidence)) = read else {
            recovered.lost += 1;
            first_lost = first_lost.min(entry.round.unwrap_or(0));
            continue;
        };
        last_kept = last_kept.max(round);
        let earlier = Earlier {
            round,
            is_killed: entry.result.verdict == VerdictWord::Killed,
            kill,
        };
        mutants.insert(selector, earlier);
        let results = &mut recovered.earlier.results;
        results.insert(selector, settled(&entry));
        recovered.keep(entry, evidence);
    }
    recovered.earlier.mutants = Arc::new(mutants);
    // The last round may be incomplete.
    recovered.earlier.whole_rounds = last_kept.min(first_lost).saturating_sub(1);
    recovered
}

/// Returns the settled outcomes with their evidence, unchecked. The caller audits the evidence. Hurried lines and lines without usable
/// evidence are left out.
#[must_use]
pub fn outcomes(
    files: &dyn Files,
    loaded: &Loaded,
    entries: &[JournalEntry],
) -> BTreeMap<SelectorId, Outcome> {
    let circuit = Circuit::of(&loaded.model);
    let known = live(&loaded.listing);
    let mut stored = Evidence::of(files, &circuit.digest);
    let families = Families::default();
    let mut outcomes = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.hurried) {
        let result = &entry.result;
        let mut read = || {
            let selector = *known.get(result.mutant.as_str())?;
            let held = stored.named_by(result)?;
            let held: Vec<Named<'_>> = held.iter().map(Held::named).collect();
            Some((selector, outcome(&circuit, result, &held, &families)?))
        };
        outcomes.extend(read());
    }
    outcomes
}

/// Restores the state of a run of a language that decides its mutants itself. Lines without usable evidence are lost, and hurried lines are
/// not kept; both are counted.
#[must_use]
pub fn of_own(files: &dyn Files, listing: &Listing, entries: Vec<JournalEntry>) -> Recovered {
    let known = live(listing);
    let mut stored = Evidence::of(files, &listing.description.hash);
    let mut recovered = Recovered::default();
    for entry in entries {
        if entry.hurried {
            recovered.hurried += 1;
            continue;
        }
        let is_known = known.contains_key(entry.result.mutant.as_str());
        match stored.named_by(&entry.result) {
            Some(evidence) if is_known => {
                let by_id = &mut recovered.earlier.by_id;
                by_id.insert(entry.result.mutant.clone(), settled(&entry));
                recovered.keep(entry, evidence);
            }
            _ => recovered.lost += 1,
        }
    }
    recovered
}

impl Recovered {
    fn keep(&mut self, entry: JournalEntry, evidence: Vec<Held>) {
        let files = evidence.into_iter().map(|held| (held.name, held.digest));
        self.files.extend(files);
        self.entries.push(entry);
    }
}

/// Returns the selectors of the mutants that are models, by id.
fn live(listing: &Listing) -> BTreeMap<&str, SelectorId> {
    let entries = listing.catalogue.iter();
    let live = entries.filter_map(|entry| match entry.standing {
        Standing::Live(selector) => Some((entry.id.0.as_str(), selector)),
        Standing::Invalid(_) => None,
    });
    live.collect()
}

/// Returns the result of a journal line, with the time spent on it.
pub(crate) fn settled(entry: &JournalEntry) -> (MutantResult, Duration) {
    let took = Duration::try_from_secs_f64(entry.seconds).unwrap_or_default();
    (entry.result.clone(), took)
}

/// Returns the certificate files that a result names.
#[must_use]
pub fn certificates(result: &MutantResult) -> Vec<&String> {
    let potential = result.potential.as_ref();
    let refusal = result.refusal.as_ref();
    let named = [
        result.certificate.as_ref(),
        result.definite_certificate.as_ref(),
        result.acceptance_certificate.as_ref(),
        potential.and_then(|potential| potential.certificate.as_ref()),
        refusal.and_then(|refusal| refusal.certificate.as_ref()),
    ];
    named.into_iter().flatten().collect()
}

/// A certificate in a file.
#[derive(Clone)]
struct Held {
    name: String,
    digest: String,
    certificate: Arc<Certificate>,
}

impl Held {
    fn named(&self) -> Named<'_> {
        Named {
            name: &self.name,
            certificate: &self.certificate,
        }
    }
}

/// The certificates of a run. A certificate about several mutants is read once.
struct Evidence<'a> {
    files: &'a dyn Files,
    /// The digest of the circuit that certificates must be about.
    circuit: &'a str,
    families: BTreeMap<String, Option<Held>>,
}

impl<'a> Evidence<'a> {
    /// Returns the certificates in the folder of a run.
    fn of(files: &'a dyn Files, circuit: &'a str) -> Evidence<'a> {
        Evidence {
            files,
            circuit,
            families: BTreeMap::new(),
        }
    }

    /// Returns the certificates that a result names; `None` if one is missing, or is about another circuit or mutant.
    fn named_by(&mut self, result: &MutantResult) -> Option<Vec<Held>> {
        let held = certificates(result).into_iter().map(|name| {
            let inside = name.strip_prefix(CERTIFICATES)?.strip_prefix('/')?;
            let held = match inside.starts_with(FAMILY) {
                true => match self.families.get(name) {
                    Some(held) => held.clone(),
                    None => {
                        let held = self.read(name, inside);
                        self.families.insert(name.clone(), held.clone());
                        held
                    }
                },
                false => self.read(name, inside),
            };
            held.filter(|held| held.certificate.mutants.contains(&result.mutant))
        });
        held.collect()
    }

    fn read(&self, name: &str, inside: &str) -> Option<Held> {
        let bytes = match inside.contains('/') {
            true => return None,
            false => self.files.read(name).ok()?,
        };
        let digest = digest(Sha256::new_with_prefix(&bytes));
        let certificate: Certificate = serde_json::from_slice(&bytes).ok()?;
        let is_ours =
            certificate.schema == Certificate::SCHEMA && certificate.circuit == self.circuit;
        is_ours.then(|| Held {
            name: name.to_owned(),
            digest,
            certificate: Arc::new(certificate),
        })
    }
}
