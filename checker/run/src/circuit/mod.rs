//! Circuits: the rounds of the checker decide their mutants.

mod carried;
mod division;
mod open;
mod proposed;
mod recorder;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certificates::{Circuit, read_run};
use hyperkill_audit::certification::Files;
use hyperkill_audit::model::{Listing, Loaded};
use hyperkill_audit::names::{EARLIER, JOBS};
use hyperkill_checker::determinism::Determinism;
use hyperkill_checker::engines::structure::duplicates;
use hyperkill_checker::rounds::{Extent, Options, Plan, Report, decide_as_planned};
use hyperkill_checker::schedule::{self, Engines};
use hyperkill_checker::testgen::{Effort, Form};
use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::ledger::{Lines, Phase};
use hyperkill_core::suite::TestKind;
use hyperkill_core::trace::Stimulus;

use crate::carry_over::{Before, Version};
use crate::certificates::OfModel;
use crate::decided::Decided;
use crate::documents::{EarlierSuite, JournalEntry, MutantResult, Summary, build};
use crate::jobs::{Owner, told};
use crate::limits::Limits;
use crate::procedure::{
    Abilities, Division, LeftOpen, Procedure, RunError, Spoilt, Start, Surroundings, Task,
};
use crate::results::suite_tests;
use crate::resumption::{self, EarlierRun, Recovered};
use crate::sink::Level;
use crate::unfit::Unfit;
use division::CircuitDivision;
use proposed::Proposing;
use recorder::{Recorded, Recorder};

pub use proposed::Languages;

/// The number of mutants beyond which an archive holds the small files. Each mutant has two or three.
const ARCHIVE_FROM_MUTANTS: usize = 3_000;

/// A circuit with mutants.
#[derive(Debug)]
pub struct Circuits {
    loaded: Loaded,
    languages: Languages,
}

impl Circuits {
    /// Returns the procedure that decides the mutants of a circuit. `languages` finds the language of its source, which may propose tests.
    #[must_use]
    pub fn new(loaded: Loaded, languages: Languages) -> Circuits {
        Circuits { loaded, languages }
    }

    /// Returns the circuit.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Returns the selectors of the selected mutants that are models, ascending.
    fn live(&self, task: &Task) -> Vec<SelectorId> {
        let catalogue = &self.loaded.listing.catalogue;
        let standings = task.selected.iter().map(|&i| &catalogue[i].standing);
        let live = standings.filter_map(|standing| match standing {
            Standing::Live(selector) => Some(*selector),
            Standing::Invalid(_) => None,
        });
        live.collect()
    }

    fn options(&self, task: &Task, earlier: &EarlierRun, seed: u64) -> Options {
        Options {
            ask: task.ask,
            controllable: task.controllable,
            bound: task.bound,
            turns: None,
            timeout: task.timeout,
            engines: task.engines.unwrap_or(Engines::ALL),
            external: task.external.clone(),
            seed,
            mutants: self.live(task),
            shortest: true,
            fold_duplicates: task.fold_duplicates,
            adaptive: task.tests == Some(TestKind::Tree),
            earlier: Arc::clone(&earlier.mutants),
            whole_rounds: earlier.whole_rounds,
            recalled: Arc::clone(&earlier.recalled),
            tests: Arc::clone(&earlier.tests),
            extent: task.extent,
            proposed: None,
        }
    }

    /// Decides the mutants, files the evidence about the model, and returns the results of all mutants with the time that each took.
    ///
    /// `results` are the results of an earlier process, and are among the returned ones.
    fn record(
        &self,
        options: &Options,
        plan: Plan,
        form: Form,
        results: Recorded,
        around: &mut Surroundings<'_>,
    ) -> Result<(Report, OfModel, Recorded), RunError> {
        let budget = around.limits.budget_of_jobs();
        let threads = around.threads;
        let mut recorder =
            Recorder::new(around, &self.loaded, form, options.mutants.len(), results);
        let waits = budget.waits();
        let model = &self.loaded.model;
        let report =
            threads.install(|| decide_as_planned(model, options, plan, &budget, &mut recorder));
        drop(waits);
        let certificates = match &report {
            Ok(report) => recorder.file_model(report.answering.as_ref()),
            Err(_) => Ok(OfModel::default()),
        };
        let recorded = recorder.finish();
        let report = report?;
        let mut recorded = recorded?;
        for (mutant, (_, took)) in &mut recorded {
            let now = around.limits.ledger.time_of(*mutant);
            *took = match options.earlier.contains_key(mutant) {
                true => *took + now,
                false => now,
            };
        }
        Ok((report, certificates?, recorded))
    }

    /// Returns the time that this process has spent on mutants, by id.
    fn spent(&self, limits: &Limits) -> BTreeMap<String, Lines> {
        let spent = limits.ledger.balance().mutants.into_iter();
        let spent = spent.filter_map(|(selector, lines)| {
            let mutant = self.loaded.model.selectors.get(selector.0)?;
            Some((mutant.id.to_string(), lines))
        });
        spent.collect()
    }

    /// Adds the results of mutants that the rounds left open: the line in `undecided` of an earlier process if there is one, else a missing
    /// result.
    /// Nothing is added if the task runs all rounds.
    fn add_open(
        &self,
        task: &Task,
        recorded: &mut Recorded,
        mut undecided: BTreeMap<String, JournalEntry>,
        around: &mut Surroundings<'_>,
    ) -> Result<(), RunError> {
        if task.extent == Extent::Whole {
            return Ok(());
        }
        for selector in self.live(task) {
            if recorded.contains_key(&selector) {
                continue;
            }
            let id = &self.loaded.model.selectors[selector.0].id;
            let settled = match undecided.remove(id.0.as_str()) {
                Some(entry) => {
                    if let Some(folder) = &mut around.folder {
                        folder.append_journal(&entry)?;
                    }
                    resumption::settled(&entry)
                }
                None => (build::missing(id), Duration::ZERO),
            };
            recorded.insert(selector, settled);
        }
        Ok(())
    }

    fn in_catalogue_order(
        &self,
        task: &Task,
        mut recorded: Recorded,
    ) -> Result<(Vec<MutantResult>, Vec<Duration>), RunError> {
        let mut results = Vec::new();
        let mut times = Vec::new();
        for &index in &task.selected {
            let entry = &self.loaded.listing.catalogue[index];
            let (result, took) = match &entry.standing {
                Standing::Invalid(reason) => (build::invalid(&entry.id, reason), Duration::ZERO),
                Standing::Live(selector) => recorded
                    .remove(selector)
                    .ok_or_else(|| RunError::Forgotten(entry.id.clone()))?,
            };
            results.push(result);
            times.push(took);
        }
        Ok((results, times))
    }

    /// Returns the tests of an earlier version's run that the folder has as stimuli; none if the folder has no such file.
    fn earlier_tests(&self, files: &dyn Files) -> Result<Vec<Stimulus>, Spoilt> {
        let spoilt = |why: String| Spoilt { file: EARLIER, why };
        if !files.has(EARLIER) {
            return Ok(Vec::new());
        }
        let bytes = files
            .read(EARLIER)
            .map_err(|error| spoilt(error.to_string()))?;
        let suite: EarlierSuite =
            serde_json::from_slice(&bytes).map_err(|error| spoilt(error.to_string()))?;
        if suite.schema != EarlierSuite::SCHEMA {
            return Err(spoilt(format!("its schema is {}", suite.schema)));
        }
        let tests = suite.tests.iter();
        let tests = tests.map(|test| read_run(&self.loaded.model, &test.initial, &test.steps));
        let tests: Result<Vec<Stimulus>, _> = tests.collect();
        tests.map_err(|error| spoilt(error.to_string()))
    }
}

impl Procedure for Circuits {
    fn listing(&self) -> &Listing {
        &self.loaded.listing
    }

    fn listing_mut(&mut self) -> &mut Listing {
        &mut self.loaded.listing
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            compares_circuits: true,
            archives: ARCHIVE_FROM_MUTANTS,
        }
    }

    fn before(&self, version: Version<'_>) -> Before {
        let read = version.loaded.as_deref().unwrap_or(&self.loaded);
        let known = resumption::outcomes(version.files, read, &version.entries);
        let tests = carried::suite(version.files, read);
        Before {
            known,
            tests,
            ..Before::of(version)
        }
    }

    fn accept(&self, _: &Task) -> Result<(), Unfit> {
        Ok(())
    }

    fn left_open(&self) -> LeftOpen {
        open::left_open(&self.loaded)
    }

    fn duplicates(&self, task: &Task, budget: &Budget) -> BTreeSet<String> {
        if !task.fold_duplicates {
            return BTreeSet::new();
        }
        let model = &self.loaded.model;
        let twins = duplicates(model, &self.live(task), budget);
        let ids = twins.keys();
        ids.map(|mutant| model.selectors[mutant.0].id.to_string())
            .collect()
    }

    fn division(&self, _: &Task) -> Result<Box<dyn Division + '_>, RunError> {
        Ok(Box::new(CircuitDivision::of(&self.loaded)))
    }

    fn recover(&self, files: &dyn Files, entries: Vec<JournalEntry>) -> Result<Recovered, Spoilt> {
        let mut recovered = resumption::of_circuit(files, &self.loaded, entries);
        let owner = Owner::of(&Circuit::of(&self.loaded.model).digest);
        let text = files.read(JOBS).unwrap_or_default();
        let text = str::from_utf8(&text).unwrap_or_default();
        if let Some(told) = told(text, &owner) {
            recovered.earlier.recalled = Arc::new(told.jobs);
            recovered.jobs = told.whole;
        }
        recovered.earlier.tests = Arc::new(self.earlier_tests(files)?);
        Ok(recovered)
    }

    fn explain(&self, task: &Task, limits: &Limits) -> Result<String, RunError> {
        let options = self.options(task, &EarlierRun::default(), limits.seed);
        let model = &self.loaded.model;
        let mut plan = Plan::new(model, &options, &limits.budget_of_jobs());
        plan.mutants.adaptive = kind_of_tests(task, plan.original) == TestKind::Tree;
        let original = build::determinism(plan.original);
        let shows = match plan.mutants.observable {
            true => ", and its outputs tell its state",
            false => "",
        };
        let mut text = format!(
            "The model is {original}{shows}; the formula asked is {}.\n",
            plan.property
        );
        let proposing = Proposing::of(&self.loaded, self.languages, &options, &plan);
        if let Some(stimuli) = proposing.and_then(|proposing| proposing.stimuli()) {
            let count = stimuli.runs.len();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "\nTests that the language proposes, tried unless pairs of states are listed: {count}"
            );
            for (what, count) in stimuli.work {
                let _ = writeln!(text, "{count:8}  {what}");
            }
        }
        for section in schedule::explain(&plan.rounds, &plan.mutants) {
            let _ = write!(text, "\n{section}");
        }
        Ok(text)
    }

    fn decide(
        &self,
        task: &Task,
        start: Start<'_>,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        let (model, limits) = (&self.loaded.model, around.limits);
        let mut earlier = start.earlier;
        let options = self.options(task, &earlier, limits.seed);
        let budget = limits.budget_of_jobs();
        let waits = budget.waits();
        let mut plan = around
            .threads
            .install(|| Plan::new(model, &options, &budget));
        drop(waits);
        let form = Form {
            kind: kind_of_tests(task, plan.original),
            effort: effort_for_tests(task),
            timeout: task.timeout,
        };
        if let Some((before, asked)) = &start.before {
            earlier = carried::carry_over(
                &self.loaded,
                (before, asked),
                (&options, &plan, &form),
                around,
            )?;
        }
        let options = Options {
            earlier: Arc::clone(&earlier.mutants),
            tests: Arc::clone(&earlier.tests),
            ..options
        };
        let proposing = Proposing::of(&self.loaded, self.languages, &options, &plan);
        let options = Options {
            proposed: proposing.map(Proposing::proposed),
            ..options
        };
        plan.mutants.adaptive = form.kind == TestKind::Tree;
        warn_of_linear(task, plan.original, around);
        let (report, certificates, mut recorded) =
            self.record(&options, plan, form, earlier.results, around)?;
        self.add_open(task, &mut recorded, earlier.undecided, around)?;
        limits.ledger.turn_to(Phase::Write);
        let writing = limits.budget();
        let waits = writing.waits();
        let tests = around.threads.install(|| {
            let _writes = writing.writes(&[]);
            suite_tests(model, &report, task.minimise, &form, &writing)
        })?;
        drop(waits);
        let (results, times) = self.in_catalogue_order(task, recorded)?;
        Ok(Decided {
            property: report.property.to_string(),
            original: build::determinism(report.original),
            certificates,
            domain: None,
            needless: BTreeSet::new(),
            summary: Summary::of(&results),
            mutants: self.loaded.listing.descriptions(&task.selected),
            results,
            times,
            spent: self.spent(limits),
            tests,
            interrupted: limits.is_interrupted(),
        })
    }
}

/// Returns the kind of tests. Without a choice of the user, nondeterministic models get trees, or global tests if there is no small tree.
/// For deterministic models all kinds say the same.
fn kind_of_tests(task: &Task, original: Determinism) -> TestKind {
    match (task.tests, original) {
        (Some(kind), _) => kind,
        (None, Determinism::Deterministic) => TestKind::Linear,
        // If the tester controls all choices, a test has one run.
        (None, _) if task.controllable => TestKind::Linear,
        (None, _) => TestKind::Tree,
    }
}

/// The largest tree, in nodes, if the user did not ask for trees. A global test is smaller than a larger tree.
const SMALL_TREE: usize = 64;

fn effort_for_tests(task: &Task) -> Effort {
    match task.tests {
        Some(_) => Effort::default(),
        None => Effort {
            nodes: SMALL_TREE,
            ..Effort::default()
        },
    }
}

/// Warns that a linear test of a nondeterministic model knows only one of its answers.
fn warn_of_linear(task: &Task, original: Determinism, around: &mut Surroundings<'_>) {
    let asked = task.tests == Some(TestKind::Linear) && !task.controllable;
    if asked && original != Determinism::Deterministic {
        let text = "--tests linear: the model chooses, and a linear test knows one of its answers: systems that conform fail it; \
             without the option tests allow all of them";
        around.sink.say(Level::Warning, text.to_owned());
    }
}
