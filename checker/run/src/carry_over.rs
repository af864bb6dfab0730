//! A run of an edited model: verdicts of the run before the edit are carried over if their evidence still holds.
//!
//! The evidence of a verdict is translated to the edited model and audited like the evidence of a finished run. If everything that a
//! verdict depends on is unchanged ([`Contents`]), the complete verdict is carried over. Otherwise only claims that the audit confirms are
//! carried over: a test that still kills, a proof that still checks. Mutants without such evidence are decided anew; the tests of the
//! earlier run are tried on them first. Of a run by another version of hyperkill, too, only confirmed claims are carried over.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyperkill_audit::certificates::Circuit;
use hyperkill_audit::certification::{Files, Folder, Limits, Texts, certify_results};
use hyperkill_audit::model::Loaded;
use hyperkill_checker::Options;
use hyperkill_checker::carry_over::{Contents, Transfer};
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::engines::structure::duplicates;
use hyperkill_checker::rounds::Earlier;
use hyperkill_checker::testgen::{Form, Writer};
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Kill, Outcome, Property, Stronger, Verdict};
use hyperkill_frontend::counted;

use crate::certificates::{Filed, Filing, Prescribed, Unwritten};
use crate::documents::bits::run_evidence;
use crate::documents::{
    self, EarlierSuite, JournalEntry, MutantResult, MutantTable, Run, Summary, build,
};
use crate::own::Known;
use crate::results::{journal_entry, result};
use crate::resumption::{EarlierRun, certificates};
use crate::sink::{Level, Sink};

/// Limit on counted work, in microseconds of effort, for the check of one verdict that an edit may have changed. Beyond it, the mutant is
/// decided anew.
const EFFORT: u64 = 4_000_000;

/// The folder of an earlier run, of this version of the model or another one.
pub struct Version<'a> {
    /// The path of the folder, for messages. The new run may replace the folder.
    pub dir: PathBuf,
    /// The hash of the run's question: model, options and mutants.
    pub run: String,
    /// The files of the folder.
    pub files: &'a dyn Files,
    /// The journal of the run.
    pub entries: Vec<JournalEntry>,
    /// The result of the run on whether the model is deterministic, if the run was finished.
    pub original: Option<String>,
    /// Whether this version of hyperkill made the run, on the same model as the new run.
    pub is_same: bool,
    /// Whether another version of hyperkill made the run.
    pub is_foreign: bool,
    /// The circuit of the run's model, unless `is_same`, if circuits are compared.
    pub loaded: Option<Box<Loaded>>,
}

/// An earlier run, of this version of the model or another one. It keeps all data that the new run needs after it has replaced the folder.
#[derive(Debug)]
pub struct Before {
    /// The path of the folder, for messages.
    pub dir: PathBuf,
    /// The hash of the run's question: model, options and mutants.
    pub run: String,
    /// Whether this version of hyperkill made the run, on the same model as the new run.
    pub is_same: bool,
    /// Whether another version of hyperkill made the run.
    pub is_foreign: bool,
    /// The circuit of the run's model, unless `is_same`, if circuits are compared.
    pub loaded: Option<Box<Loaded>>,
    /// Verdicts on mutants of a circuit, with their evidence. The evidence is not checked yet.
    pub known: BTreeMap<SelectorId, Outcome>,
    /// Verdicts by the procedure of a language.
    pub own: Vec<Known>,
    /// The result of the run on whether the model is deterministic, if the run was finished.
    pub original: Option<String>,
    /// The tests of the run's suite as stimuli of a circuit.
    pub tests: Vec<Stimulus>,
}

impl Before {
    /// Returns the earlier run as a starting point, still without verdicts and tests.
    #[must_use]
    pub fn of(version: Version<'_>) -> Before {
        let Version {
            dir,
            run,
            original,
            is_same,
            is_foreign,
            loaded,
            ..
        } = version;
        Before {
            dir,
            run,
            is_same,
            is_foreign,
            loaded,
            known: BTreeMap::new(),
            own: Vec::new(),
            original,
            tests: Vec::new(),
        }
    }

    /// Whether the earlier run found the same determinism. An earlier run that did not finish counts as equal.
    fn was_like(&self, original: Determinism) -> bool {
        let now = build::determinism(original);
        self.original.as_ref().is_none_or(|had| had == now)
    }
}

/// The question of the run on the edited model.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The options of the rounds.
    pub options: &'a Options,
    /// The killing formula.
    pub property: Property,
    /// Whether the original model is deterministic.
    pub original: Determinism,
    /// The form of tests.
    pub form: &'a Form,
    /// The functions that write the texts that the audit reads.
    pub texts: Texts,
    /// The seed of the run.
    pub seed: u64,
}

/// Verdicts that are carried over.
#[derive(Debug)]
pub struct Carried {
    /// The certificates of the verdicts.
    pub filed: Vec<Filed>,
    /// The lines for the journal.
    pub entries: Vec<JournalEntry>,
    /// The tests of the earlier run.
    pub suite: EarlierSuite,
    /// The same verdicts in the form that the rounds take.
    pub earlier: EarlierRun,
    /// The number of mutants that are not duplicates of others.
    pub wanted: usize,
    /// The number of verdicts that did not pass the audit.
    pub refused: usize,
}

/// A verdict that the audit may carry over.
struct Candidate {
    selector: SelectorId,
    outcome: Outcome,
    entry: JournalEntry,
}

/// Tells the sink the number of verdicts carried over, and the number of mutants whose evidence no longer checks. `all` is the number of
/// mutants, as text.
pub(crate) fn say(
    sink: &mut dyn Sink,
    before: &Before,
    (carried, refused): (usize, usize),
    all: &str,
) {
    let dir = before.dir.display();
    let text = format!("carried over from {dir}: {carried} verdicts, of {all}");
    sink.say(Level::Note, text);
    if refused > 0 {
        let text = format!(
            "decided anew: {}, since the earlier evidence does not hold for this version",
            counted(refused, "mutant")
        );
        sink.say(Level::Note, text);
    }
}

/// Translates the verdicts of the earlier run to the edited model, audits their evidence, and returns the verdicts that pass.
///
/// # Errors
/// If no document can hold the evidence of a verdict.
pub fn carried(
    loaded: &Loaded,
    before: &Before,
    asking: &Asking<'_>,
    budget: &Budget,
) -> Result<Carried, Unwritten> {
    let old = before.loaded.as_deref().unwrap_or(loaded);
    let found = found_before(old, loaded, before, asking, budget);
    let mut filing = Filing::new(Circuit::of(&loaded.model));
    let (mut candidates, mut filed, mut all) = (Vec::new(), Vec::new(), 0);
    for (outcomes, effort) in [(found.alike, None), (found.edited, Some(EFFORT))] {
        let (mut some, mut evidence) = (Vec::new(), Vec::new());
        for (selector, outcome) in outcomes {
            let said = said(loaded, &mut filing, (selector, &outcome), asking, budget)?;
            if let Some((entry, new)) = said {
                evidence.extend(new);
                some.push(Candidate {
                    selector,
                    outcome,
                    entry,
                });
            }
        }
        all += some.len();
        let shown = audited(loaded, &evidence, &some, (asking, effort), budget);
        some.retain(|candidate| {
            let shown = shown.get(&candidate.entry.result.mutant);
            shown.is_some_and(|&is| is)
        });
        candidates.append(&mut some);
        filed.append(&mut evidence);
    }
    let named = candidates
        .iter()
        .flat_map(|candidate| certificates(&candidate.entry.result));
    let named: BTreeSet<&String> = named.collect();
    filed.retain(|filed| named.contains(&filed.place));
    let tests = found.tests.iter();
    let tests = tests.map(|test| run_evidence(&loaded.model, test, None));
    let suite = EarlierSuite {
        schema: EarlierSuite::SCHEMA.to_owned(),
        run: before.run.clone(),
        tests: tests.collect(),
    };
    Ok(Carried {
        refused: all - candidates.len(),
        entries: candidates.iter().map(|c| c.entry.clone()).collect(),
        earlier: EarlierRun {
            tests: Arc::new(found.tests),
            ..earlier(candidates)
        },
        wanted: found.wanted,
        filed,
        suite,
    })
}

/// Returns the verdicts of the candidates in the form that the rounds take.
fn earlier(candidates: Vec<Candidate>) -> EarlierRun {
    let mut earlier = EarlierRun::default();
    let mut mutants = BTreeMap::new();
    for candidate in candidates {
        let Candidate {
            selector,
            outcome,
            entry,
        } = candidate;
        let kill = outcome.verdict.kill().map(|kill| Kill {
            stronger: Stronger::NotAsked,
            ..kill.clone()
        });
        mutants.insert(
            selector,
            Earlier {
                round: 0,
                is_killed: matches!(outcome.verdict, Verdict::Killed(_)),
                kill: outcome.engine.zip(kill),
            },
        );
        let results = &mut earlier.results;
        results.insert(selector, (entry.result, Duration::ZERO));
    }
    earlier.mutants = Arc::new(mutants);
    earlier
}

/// Verdicts and tests of the earlier run, translated to the edited model.
struct Found {
    /// Outcomes of mutants whose relevant part of the model is unchanged.
    alike: Vec<(SelectorId, Outcome)>,
    /// Outcomes that the edit may have changed.
    edited: Vec<(SelectorId, Outcome)>,
    tests: Vec<Stimulus>,
    /// The number of mutants that are not duplicates of others.
    wanted: usize,
}

fn found_before(
    old: &Loaded,
    new: &Loaded,
    before: &Before,
    asking: &Asking<'_>,
    budget: &Budget,
) -> Found {
    let known = before.known.iter();
    let known: BTreeMap<SelectorId, &Outcome> = known
        .filter(|(_, outcome)| outcome.property == Some(asking.property))
        .map(|(mutant, outcome)| (*mutant, outcome))
        .collect();
    let (mut contents, mut theirs) = (Contents::of(&new.model), Contents::of(&old.model));
    let wanted = lookers(&new.model, asking.options, budget);
    let known_mutants: Vec<SelectorId> = known.keys().copied().collect();
    // A strength is a claim about all choices of the model. If determinism has changed, no verdict is carried over.
    let was_like = before.was_like(asking.original);
    let alike = match was_like {
        true => contents.alike(&wanted, &mut theirs, &known_mutants),
        false => BTreeMap::new(),
    };
    let mut transfer = Transfer::new(&theirs, &mut contents);
    let (mut outcomes, mut edited) = (Vec::new(), Vec::new());
    for (&mutant, other) in &alike {
        if budget.stopped().is_some() {
            break;
        }
        // For the same model, outcomes stay as they are, including proofs about several mutants.
        let said = match before.loaded.is_none() && *other == mutant {
            true => Some(known[other].clone()),
            // No evidence shows some claims of the other version, such as that a test is shortest.
            false if before.is_foreign => None,
            false => transfer.outcome([*other, mutant], known[other]),
        };
        match said {
            Some(outcome) => outcomes.push((mutant, outcome)),
            // Evidence about the complete model may still hold.
            None => {
                let said = transfer.outcome_of_edited([*other, mutant], known[other]);
                edited.extend(said.map(|outcome| (mutant, outcome)));
            }
        }
    }
    let (theirs, ours) = (&old.model.selectors, &new.model.selectors);
    let by_id: BTreeMap<&MutantId, SelectorId> = (known_mutants.iter())
        .map(|&other| (&theirs[other.0].id, other))
        .collect();
    let others = wanted.iter().filter(|mutant| !alike.contains_key(mutant));
    for &mutant in others.filter(|_| was_like) {
        if budget.stopped().is_some() {
            break;
        }
        let Some(&other) = by_id.get(&ours[mutant.0].id) else {
            continue;
        };
        let said = transfer.outcome_of_edited([other, mutant], known[&other]);
        edited.extend(said.map(|outcome| (mutant, outcome)));
    }
    let runs = known.values().filter_map(|outcome| outcome.verdict.kill());
    let mut tests: Vec<Stimulus> = (before.tests.iter())
        .chain(runs.map(|kill| &kill.model_run))
        .map(|run| transfer.run(run))
        .collect();
    tests.sort_unstable();
    tests.dedup();
    Found {
        alike: outcomes,
        edited,
        tests,
        wanted: wanted.len(),
    }
}

/// Returns the mutants to decide: all, or without duplicates if these are reported as duplicates.
fn lookers(model: &ConditionalMutant, options: &Options, budget: &Budget) -> Vec<SelectorId> {
    let twins = match options.fold_duplicates {
        true => duplicates(model, &options.mutants, budget),
        false => BTreeMap::new(),
    };
    let mutants = options.mutants.iter().copied();
    let mutants = mutants.filter(|mutant| !twins.contains_key(mutant));
    mutants.collect()
}

/// Returns the journal line of an outcome, and its certificates that are not filed yet. `None` if the runs of the outcome do not
/// fit the circuit.
///
/// # Errors
/// If no document can hold the evidence.
fn said(
    loaded: &Loaded,
    filing: &mut Filing<'_>,
    (selector, outcome): (SelectorId, &Outcome),
    asking: &Asking<'_>,
    budget: &Budget,
) -> Result<Option<(JournalEntry, Vec<Filed>)>, Unwritten> {
    let model = &loaded.model;
    let writer = Writer::new(model);
    let written = result(&writer, selector, outcome, None, asking.form, budget);
    let Ok((mut result, test)) = written else {
        return Ok(None);
    };
    let mut seen = BTreeSet::new();
    result.notes.retain(|note| seen.insert(note.clone()));
    result.carried_over = true;
    let prescribed = test.as_ref().map(|test| Prescribed {
        run: &test.run,
        tree: test.tree.as_ref(),
    });
    let filed = filing.file(selector, outcome, prescribed.as_ref(), &mut result)?;
    let entry = journal_entry(model, result, outcome, Duration::ZERO, (0, false));
    Ok(Some((entry, filed)))
}

/// Returns, by the id of the mutant, whether the evidence in `filed` proves the verdict of the candidate. `effort` limits each check.
fn audited(
    loaded: &Loaded,
    filed: &[Filed],
    candidates: &[Candidate],
    (asking, effort): (&Asking<'_>, Option<u64>),
    budget: &Budget,
) -> BTreeMap<String, bool> {
    let entries = candidates.iter().map(|candidate| candidate.entry.clone());
    let entries: Vec<JournalEntry> = entries.collect();
    let results: Vec<MutantResult> = entries.iter().map(|entry| entry.result.clone()).collect();
    let listing = &loaded.listing;
    let table = MutantTable {
        schema: MutantTable::SCHEMA.to_owned(),
        model: listing.description.clone(),
        reading: None,
        signature: listing.signature.clone(),
        roles: Vec::new(),
        choices_of_mutants: Vec::new(),
        mutants: Vec::new(),
    };
    let run = Run {
        schema: Run::SCHEMA.to_owned(),
        model: listing.description.clone(),
        seed: asking.seed,
        property: asking.property.to_string(),
        original: build::determinism(asking.original).to_owned(),
        original_certificate: None,
        validity_certificate: None,
        domain: None,
        interrupted: false,
        summary: Summary::of(&results),
        by_operator: None,
        results,
    };
    let place = Box::new(InMemory::of(filed));
    let folder = Folder::of_results(place, asking.texts, (table, run), &entries);
    let limits = Limits {
        budget: budget.clone(),
        timeout: asking.options.timeout,
        effort,
    };
    certify_results(loaded, &folder, &limits)
}

/// Certificates as files in memory, so that they are audited before they are written.
#[derive(Debug)]
struct InMemory(BTreeMap<String, Vec<u8>>);

impl InMemory {
    fn of(filed: &[Filed]) -> InMemory {
        let files = filed.iter().filter_map(|filed| {
            // A certificate that has no text counts as absent, and its verdict is not carried over.
            let text = documents::to_text(&filed.certificate).ok()?;
            Some((filed.place.clone(), text.into_bytes()))
        });
        InMemory(files.collect())
    }
}

impl Files for InMemory {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.0.get(name).cloned();
        file.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}
