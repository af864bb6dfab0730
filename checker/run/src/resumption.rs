//! What an earlier process of a run has decided, read back from its folder.
//!
//! A line of the journal counts if the evidence that it names is there: a crash of the machine may have cost it, since nobody waits
//! for it to be on the disk. Mutants without such a line are decided again.

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

/// What is known of mutants from before.
#[derive(Debug, Default)]
pub struct EarlierRun {
    /// For the rounds.
    pub mutants: Arc<BTreeMap<SelectorId, Earlier>>,
    /// Of so many rounds, the first ones, all verdicts are known.
    pub whole_rounds: usize,
    /// Jobs that left facts.
    pub recalled: Arc<Recalled>,
    /// For the documents, with the time that each took.
    pub results: BTreeMap<SelectorId, (MutantResult, Duration)>,
    /// Tests of a run of the model before an edit.
    pub tests: Arc<Vec<Stimulus>>,
    /// Of a language that decides its mutants itself: results by id, with the time that each took.
    pub by_id: BTreeMap<String, (MutantResult, Duration)>,
    /// Lines about mutants that an earlier process left undecided, by id. They count where this process finds no verdict.
    pub undecided: BTreeMap<String, JournalEntry>,
}

impl EarlierRun {
    /// The runs of the model that kill mutants, each once.
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

/// What a folder has of a run that did not get to its end.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The lines of the journal that count.
    pub entries: Vec<JournalEntry>,
    /// The files that they name, with their digests.
    pub files: BTreeMap<String, String>,
    /// What they say.
    pub earlier: EarlierRun,
    /// How many mutants had been decided in a hurry, when somebody had asked to stop.
    pub hurried: usize,
    /// How many have lost their evidence.
    pub lost: usize,
    /// Bytes of the file of jobs that count: the rest of it, or all of it, is to be deleted.
    pub jobs: usize,
}

/// What a run of a circuit has come to.
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
    // The round of the last line may not have come to its end.
    recovered.earlier.whole_rounds = last_kept.min(first_lost).saturating_sub(1);
    recovered
}

/// Settled outcomes with their evidence. The evidence is only read here; the caller has it audited.
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

/// What a run of a language that decides its mutants itself has come to.
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

/// The selectors of the mutants that are models, by their ids.
fn live(listing: &Listing) -> BTreeMap<&str, SelectorId> {
    let entries = listing.catalogue.iter();
    let live = entries.filter_map(|entry| match entry.standing {
        Standing::Live(selector) => Some((entry.id.0.as_str(), selector)),
        Standing::Invalid(_) => None,
    });
    live.collect()
}

/// The result of a line of the journal, with the time that it took.
pub(crate) fn settled(entry: &JournalEntry) -> (MutantResult, Duration) {
    let took = Duration::try_from_secs_f64(entry.seconds).unwrap_or_default();
    (entry.result.clone(), took)
}

/// The files with evidence that a result names.
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

/// A certificate on the disk.
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

/// The certificates of a run. One about several mutants is read once.
struct Evidence<'a> {
    files: &'a dyn Files,
    /// Digest of the circuit that they have to be about.
    circuit: &'a str,
    families: BTreeMap<String, Option<Held>>,
}

impl<'a> Evidence<'a> {
    /// Those in the folder of a run.
    fn of(files: &'a dyn Files, circuit: &'a str) -> Evidence<'a> {
        Evidence {
            files,
            circuit,
            families: BTreeMap::new(),
        }
    }

    /// The certificates that a result names; `None` if one is not there, or is none of this circuit and mutant.
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
