//! A run of an edited model: what the run before the edit has found out and the edit cannot influence is carried over.
//!
//! The earlier run stands alone in its folder, so that its model is read from there. Verdicts are the same where all that they depend on
//! is ([`Contents`]); their evidence is said in terms of the edited model and goes through the same audit as that of a finished run. What
//! does not come through is decided anew, and the tests of the earlier run are tried on it first.

mod before;
mod evidence;

pub(crate) use before::{Before, certificates, find};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hyperkill_checker::Options;
use hyperkill_checker::carry_over::{Contents, Transfer};
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::engines::structure::duplicates;
use hyperkill_checker::rounds::Earlier;
use hyperkill_checker::testgen::{Form, Writer};
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Kill, Outcome, Property, Stronger, Verdict};
use hyperkill_frontend::counted;

use crate::audited::{OnDisk, TEXTS};
use crate::certificates::Circuit;
use crate::certification::{Folder, certify_results};
use crate::documents::bits::run_evidence;
use crate::documents::{
    EarlierSuite, JournalEntry, MutantResult, MutantTable, Run, Summary, build,
};
use crate::failure::Failure;
use crate::model::Loaded;
use crate::report::results::{journal_entry, result};
use crate::resumption::EarlierRun;
use crate::run_folder::certificates::{Filing, Prescribed};
use crate::run_folder::{EARLIER, RunFolder};
use crate::session::{Level, Session};

/// What the run of the edited model asks.
pub(crate) struct Asking<'a> {
    /// Its options.
    pub options: &'a Options,
    /// The killing formula.
    pub property: Property,
    /// What is known of the original.
    pub original: Determinism,
    /// What tests are like.
    pub form: &'a Form,
    /// Threads.
    pub pool: &'a rayon::ThreadPool,
}

/// A verdict that is to be carried over.
struct Candidate {
    selector: SelectorId,
    outcome: Outcome,
    entry: JournalEntry,
}

/// Writes into the folder what can be carried over, and says it.
///
/// # Errors
/// If the file system refuses.
pub(crate) fn carry_over(
    session: &mut Session<'_>,
    loaded: &Loaded,
    folder: &mut RunFolder,
    before: Before,
    asking: &Asking<'_>,
) -> Result<EarlierRun, Failure> {
    let budget = session.budget();
    let old = before.loaded.as_deref().unwrap_or(loaded);
    let found = asking
        .pool
        .install(|| found_before(old, loaded, &before, asking, &budget));
    let mut filing = Filing::new(Circuit::of(&loaded.model));
    let mut candidates = Vec::new();
    for (selector, outcome) in found.outcomes {
        let filed = filed(
            loaded,
            folder,
            &mut filing,
            (selector, &outcome),
            asking,
            &budget,
        )?;
        candidates.extend(filed.map(|entry| Candidate {
            selector,
            outcome,
            entry,
        }));
    }
    let shown = audited(session, loaded, folder, &candidates, asking, &budget);
    let mut earlier = EarlierRun::default();
    let mut mutants = BTreeMap::new();
    let mut refused = 0;
    for candidate in candidates {
        let Candidate {
            selector,
            outcome,
            entry,
        } = candidate;
        if !shown.get(&entry.result.mutant).is_some_and(|&is| is) {
            refused += 1;
            folder.discard(certificates(&entry.result))?;
            continue;
        }
        folder.append_journal(&entry)?;
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
    let tests = found.tests.iter();
    let tests = tests.map(|test| run_evidence(&loaded.model, test, None));
    let suite = EarlierSuite {
        schema: EarlierSuite::SCHEMA.to_owned(),
        run: before.run.clone(),
        tests: tests.collect(),
    };
    folder.write_document(EARLIER, &suite)?;
    say(session, &before, found.wanted, (mutants.len(), refused));
    earlier.mutants = Arc::new(mutants);
    earlier.tests = Arc::new(found.tests);
    Ok(earlier)
}

/// What is known from before, in terms of the edited model.
struct Found {
    outcomes: Vec<(SelectorId, Outcome)>,
    tests: Vec<Stimulus>,
    /// How many mutants are no duplicates of others.
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
    // Strengths say what a test guarantees whatever else the model chooses, so that a model that has begun to choose is another one.
    let alike = match before.was_like(asking.original) {
        true => contents.alike(&wanted, &mut theirs, &known_mutants),
        false => BTreeMap::new(),
    };
    let mut transfer = Transfer::new(&theirs, &mut contents);
    let mut outcomes = Vec::new();
    for (&mutant, other) in &alike {
        if budget.stopped().is_some() {
            break;
        }
        // Of the same model everything can stay as it is, and proofs about several mutants whole.
        let said = match before.loaded.is_none() && *other == mutant {
            true => Some(known[other].clone()),
            false => transfer.outcome([*other, mutant], known[other]),
        };
        outcomes.extend(said.map(|outcome| (mutant, outcome)));
    }
    let runs = known.values().filter_map(|outcome| outcome.verdict.kill());
    let mut tests: Vec<Stimulus> = (before.tests.iter())
        .chain(runs.map(|kill| &kill.model_run))
        .map(|run| transfer.run(run))
        .collect();
    tests.sort_unstable();
    tests.dedup();
    Found {
        outcomes,
        tests,
        wanted: wanted.len(),
    }
}

/// The mutants that somebody has to look at: those that are no duplicates, which are known by their circuits.
fn lookers(model: &ConditionalMutant, options: &Options, budget: &Budget) -> Vec<SelectorId> {
    let twins = match options.fold_duplicates {
        true => duplicates(model, &options.mutants, budget),
        false => BTreeMap::new(),
    };
    let mutants = options.mutants.iter().copied();
    let mutants = mutants.filter(|mutant| !twins.contains_key(mutant));
    mutants.collect()
}

/// Files the evidence of an outcome: the line that the journal is to get. `None` if its runs do not fit the circuit.
fn filed(
    loaded: &Loaded,
    folder: &RunFolder,
    filing: &mut Filing<'_>,
    (selector, outcome): (SelectorId, &Outcome),
    asking: &Asking<'_>,
    budget: &Budget,
) -> Result<Option<JournalEntry>, Failure> {
    let model = &loaded.model;
    let writer = Writer::new(model);
    let written = result(&writer, selector, outcome, None, asking.form, budget);
    let Ok((mut result, test)) = written else {
        return Ok(None);
    };
    let mut seen = std::collections::BTreeSet::new();
    result.notes.retain(|note| seen.insert(note.clone()));
    result.carried_over = true;
    let prescribed = test.as_ref().map(|test| Prescribed {
        run: &test.run,
        tree: test.tree.as_ref(),
    });
    filing.file(folder, selector, outcome, prescribed.as_ref(), &mut result)?;
    let entry = journal_entry(model, result, outcome, Duration::ZERO, (0, false));
    Ok(Some(entry))
}

/// Whether evidence shows what it is to show, by mutant.
fn audited(
    session: &Session<'_>,
    loaded: &Loaded,
    folder: &RunFolder,
    candidates: &[Candidate],
    asking: &Asking<'_>,
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
        seed: session.seed,
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
    let place = Box::new(OnDisk::at(folder.path()));
    let folder = Folder::of_results(place, TEXTS, (table, run), &entries);
    let timeout = asking.options.timeout;
    asking
        .pool
        .install(|| certify_results(loaded, &folder, timeout, budget))
}

fn say(
    session: &mut Session<'_>,
    before: &Before,
    wanted: usize,
    (carried, refused): (usize, usize),
) {
    let dir = before.dir.display();
    let all = counted(wanted, "different mutant");
    let text = format!("carried over from {dir}: {carried} verdicts, of {all}");
    session.say(Level::Note, text);
    if refused > 0 {
        let text = format!(
            "decided anew: {}, whose evidence does not show it of this version",
            counted(refused, "mutant")
        );
        session.say(Level::Note, text);
    }
}
