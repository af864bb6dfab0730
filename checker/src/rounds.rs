//! All mutants of a model, decided in fixed rounds.
//!
//! A round's result depends only on model, options, seed and the rounds before it, never on time or threads:
//! mutants of a round are decided independently of each other, results are taken in catalogue order, and no
//! solver survives a round. So `--jobs 1` and `--jobs 8` write the same bytes. A clock limit only turns a
//! mutant into `unknown`, and a run that hit one is outside that promise.
//!
//! [`crate::schedule::rounds`] lists the rounds and their order.

mod correspondence;
mod earlier;
mod jobs;
mod pairs;
mod sets;
mod simulation;
mod slices;
mod solving;

pub use earlier::{Earlier, KnownKill};
pub use jobs::{Job, Recalled, RecalledJob};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rayon::prelude::*;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::determinism::Answering;
use hyperkill_evidence::verdict::{Engine, InputEnabled, Outcome, Property, Verdict};

use crate::decide::facts::Facts;
use crate::decide::{AT_ONCE, DecideError, Inquiry};
use crate::determinism::{Determinism, answering};
use crate::engines::diagrams;
use crate::engines::explicit::KnownSteps;
use crate::engines::pairs::Listings;
use crate::engines::structure::{Standing, standings};
use crate::external::External;
use crate::input_classes::SharedClasses;
use crate::observable::{Observability, observability};
use crate::schedule::engine_efforts::PART_OF_STRUCTURE;
use crate::schedule::rounds::{self, Round};
use crate::schedule::{Engines, Turns, Work, execute, mutants, reachability};
use crate::search_progress::Known;

/// The killing formula to ask, or the formulas to ask in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ask {
    /// Asks φ1 if the model is deterministic or its choices are controllable, else φ2; then asks for definite kills.
    #[default]
    Auto,
    /// Asks this killing formula only.
    Only(Property),
}

/// Says which rounds a run takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// All rounds. Every mutant gets an outcome, which may be that it is undecided.
    #[default]
    Whole,
    /// The rounds before mutants are divided ([`Round::precedes_division`]). Mutants that they leave, and mutants with a kill that may be
    /// made shorter, get no outcome.
    Together,
    /// No round: only the tests in [`Options::tests`] are run. Mutants that no test kills get no outcome.
    Tests,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The killing formula to ask, or the formulas to ask in turn.
    pub ask: Ask,
    /// Whether non-deterministic choices are controllable: both copies then make the same choices.
    pub controllable: bool,
    /// The length of the longest test to search for, in steps.
    pub bound: Option<usize>,
    /// The number of turns of growing effort per mutant before it is left undecided. Turns count work, so the limit is the same on every
    /// machine.
    pub turns: Option<u32>,
    /// The limit of clock time per mutant and property.
    pub timeout: Option<Duration>,
    /// The engines that the run may use.
    pub engines: Engines,
    /// External model checkers, asked about mutants that the engines of this package leave open.
    pub external: Option<External>,
    /// Seed of the random stimuli.
    pub seed: u64,
    /// The mutants to decide, ascending.
    pub mutants: Vec<SelectorId>,
    /// Whether to search, within a modest effort, for shorter tests than simulation finds.
    pub shortest: bool,
    /// Whether duplicates are reported as duplicates instead of being decided.
    pub fold_duplicates: bool,
    /// Whether adaptive tests count as kills. No fixed input sequence can replace an adaptive test.
    pub adaptive: bool,
    /// Verdicts of an interrupted run of the same model with the same options.
    pub earlier: Arc<BTreeMap<SelectorId, Earlier>>,
    /// The number of rounds, from the first, of which [`Options::earlier`] holds all verdicts.
    pub whole_rounds: usize,
    /// Jobs that the interrupted run completed; this run does not repeat them.
    pub recalled: Arc<Recalled>,
    /// Tests of an earlier suite, run on all mutants before any search.
    pub tests: Arc<Vec<Stimulus>>,
    /// The rounds that the run takes.
    pub extent: Extent,
    /// Tests from an external source. They are tried where pairs of states have not been listed, before any solver.
    pub proposed: Option<Proposed>,
}

/// A function that computes tests when they are needed. It must return the same tests on every call.
#[derive(Clone)]
pub struct Proposed(Arc<dyn Fn() -> Vec<Stimulus> + Send + Sync>);

impl Proposed {
    /// Wraps the function that computes the proposed tests.
    pub fn new(make: impl Fn() -> Vec<Stimulus> + Send + Sync + 'static) -> Proposed {
        Proposed(Arc::new(make))
    }
}

impl fmt::Debug for Proposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proposed(..)")
    }
}

impl Options {
    /// Returns options with all engines, all mutants and no limits.
    #[must_use]
    pub fn all(model: &ConditionalMutant) -> Options {
        Options {
            ask: Ask::Auto,
            controllable: false,
            bound: None,
            turns: None,
            timeout: None,
            engines: Engines::ALL,
            external: None,
            seed: 0,
            mutants: model.selector_ids().collect(),
            shortest: true,
            fold_duplicates: true,
            adaptive: false,
            earlier: Arc::default(),
            whole_rounds: 0,
            recalled: Arc::default(),
            tests: Arc::default(),
            extent: Extent::Whole,
            proposed: None,
        }
    }
}

/// Receives the progress of a run. Decided mutants arrive while others are still being decided, in an order that does not depend on
/// threads.
pub trait Observer: Send {
    /// Called when a round begins; rounds count from 1.
    fn begins(&mut self, _number: usize) {}
    /// Called when a method of the round, with this name, starts on `live` undecided mutants.
    fn round(&mut self, name: &str, live: usize);
    /// Called while work goes on without a new result.
    fn waits(&mut self) {}
    /// Called when a job has ended. Jobs of a round end in any order.
    fn worked(&mut self, _: &Job<'_>) {}
    /// Called when a mutant is decided.
    fn decided(&mut self, outcome: &Outcome, took: Duration);
    /// Called with mutants that were decided together, in this order. An observer overrides it to handle several mutants at once.
    fn decided_together(&mut self, decided: &[(Outcome, Duration)]) {
        for (outcome, took) in decided {
            self.decided(outcome, *took);
        }
    }
}

/// An observer that ignores all progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {
    fn round(&mut self, _: &str, _: usize) {}
    fn decided(&mut self, _: &Outcome, _: Duration) {}
}

/// The result of a run: the outcomes of all its mutants, with what is known about the original.
#[derive(Clone, Debug)]
pub struct Report {
    /// Whether the original is deterministic.
    pub original: Determinism,
    /// Evidence for [`Report::original`], if it is settled.
    pub answering: Option<Answering>,
    /// The formula that was asked; [`Ask::Auto`] chose it by the model.
    pub property: Property,
    /// Whether a pair of runs with common inputs (and choices, if controllable) is a kill of the question asked.
    pub pairs_are_kills: bool,
    /// One outcome per decided mutant, in the order of the options. Mutants in [`Report::earlier`] and mutants that the extent of the run
    /// leaves open have none.
    pub outcomes: Vec<Outcome>,
    /// Clock time spent per mutant, in the same order; not reproducible.
    pub times: Vec<Duration>,
    /// Verdicts of an earlier run, as given in [`Options::earlier`].
    pub earlier: Arc<BTreeMap<SelectorId, Earlier>>,
}

/// The analysis of the original, and the options that the schedules derive from it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Checked evidence that the original is deterministic or not; `None` if that was not settled.
    pub answering: Option<Answering>,
    /// Whether the original is deterministic.
    pub original: Determinism,
    /// The formula to ask; [`Ask::Auto`] chooses it by the model.
    pub property: Property,
    /// The options of the schedule of rounds.
    pub rounds: rounds::Options,
    /// The options of the schedule of each mutant.
    pub mutants: mutants::Options,
}

impl Plan {
    /// Analyses the original, as far as these options need it.
    #[must_use]
    pub fn new(model: &ConditionalMutant, options: &Options, budget: &Budget) -> Plan {
        // Diagrams of large circuits exceed every node limit, and only after much work.
        let engines = Engines {
            diagrams: options.engines.diagrams && diagrams::may_fit(model),
            ..options.engines
        };
        let options = &Options {
            engines,
            ..options.clone()
        };
        let _finds = budget.finds("original", &[]);
        let once = budget.job().within(options.timeout);
        let answering = answering(model, Variant::Original, &once);
        let original = (answering.as_ref()).map_or(Determinism::Unsettled, Answering::shows);
        let property = property(options, original);
        let mutants = schedule_of_mutants(model, options, original, budget);
        Plan {
            answering,
            original,
            property,
            rounds: rounds::Options {
                engines: options.engines,
                pairs_are_kills: mutants.pairs_are_kills,
                kills_for_certain: !mutants.arranges_choices,
                definite_only: mutants.definite_only,
                bound: options.bound,
                others: options.external.is_some(),
            },
            mutants,
        }
    }
}

/// Decides all mutants.
///
/// # Errors
/// If evidence does not check, which is a bug in hyperkill.
pub fn decide_all(
    model: &ConditionalMutant,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Report, DecideError> {
    let plan = Plan::new(model, options, budget);
    decide_as_planned(model, options, plan, budget, observer)
}

/// Decides all mutants like [`decide_all`], with a given analysis of the original.
///
/// # Errors
/// As [`decide_all`].
pub fn decide_as_planned(
    model: &ConditionalMutant,
    options: &Options,
    plan: Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Report, DecideError> {
    let Plan {
        answering,
        original,
        property,
        rounds,
        mutants,
    } = plan;
    let mut run = Run {
        inquiry: Inquiry {
            model,
            property,
            original,
            schedule: mutants,
            others: options.external.clone(),
            seed: options.seed,
            classes: SharedClasses::default(),
            steps: KnownSteps::default(),
        },
        options,
        budget,
        observer,
        decided: BTreeMap::new(),
        refuted: BTreeMap::new(),
        facts: BTreeMap::new(),
        listing: None,
        number: 0,
        has_tried: false,
    };
    if run.all_known(&options.mutants) {
        run.take_over(&options.mutants);
    }
    run.take_over_from_before();
    if options.extent == Extent::Tests {
        run.try_tests(&options.tests)?;
    }
    let mut turns = Turns::new(move |turn| rounds.steps(turn));
    execute(&mut run, &mut turns, budget)?;
    let decided = options.mutants.iter();
    let decided = decided.filter_map(|mutant| match run.decided.remove(mutant)? {
        Settled::Now(outcome, took) => Some((*outcome, took)),
        Settled::Before => None,
    });
    let (outcomes, times) = decided.unzip();
    Ok(Report {
        original,
        answering,
        property,
        pairs_are_kills: mutants.pairs_are_kills,
        outcomes,
        times,
        earlier: Arc::clone(&options.earlier),
    })
}

/// Returns the formula to ask; [`Ask::Auto`] is resolved by the determinism of the original.
fn property(options: &Options, original: Determinism) -> Property {
    match options.ask {
        Ask::Only(property) => property,
        Ask::Auto if original == Determinism::Deterministic || options.controllable => {
            Property::Phi1
        }
        Ask::Auto => Property::Phi2,
    }
}

fn schedule_of_mutants(
    model: &ConditionalMutant,
    options: &Options,
    original: Determinism,
    budget: &Budget,
) -> mutants::Options {
    let deterministic = original == Determinism::Deterministic;
    let chooses = !deterministic && !options.controllable;
    let once = budget.job().within(options.timeout);
    let reachability = reachability::Options {
        bound: options.bound,
        // A second turn without an engine that can go on would repeat the first.
        turns: if options.engines.any_that_goes_on() {
            options.turns
        } else {
            Some(1)
        },
        others: options.external.is_some(),
        ..reachability::Options::UNLIMITED
    };
    mutants::Options {
        definite_only: matches!(property(options, original), Property::Phi3 | Property::Phi4),
        strengthens: options.ask == Ask::Auto,
        adaptive: options.adaptive,
        pairs_are_kills: !chooses,
        arranges_choices: !deterministic && options.controllable,
        observable: chooses && observability(model, &once) == Observability::Observable,
        shortest: options.shortest && options.engines.bmc,
        reachability: reachability.with(options.engines),
    }
}

struct Run<'a> {
    inquiry: Inquiry<'a>,
    options: &'a Options,
    budget: &'a Budget,
    observer: &'a mut dyn Observer,
    decided: BTreeMap<SelectorId, Settled>,
    /// For each mutant the length, in steps, up to which no pair of runs kills it; 0 if absent.
    refuted: BTreeMap<SelectorId, usize>,
    /// Facts about undecided mutants, beyond the refuted lengths of pairs of runs.
    facts: BTreeMap<SelectorId, Facts>,
    /// The original's listed states; `None` before they are listed, `Some(None)` if there are too many.
    listing: Option<Option<Listings<'a>>>,
    /// The number of the current round.
    number: usize,
    /// Whether the proposed tests have been tried.
    has_tried: bool,
}

/// The record of a mutant that is settled.
enum Settled {
    /// Decided by this run: the outcome, and the clock time that it took.
    Now(Box<Outcome>, Duration),
    /// Decided by an earlier run, which has the verdict.
    Before,
}

/// A mutant to decide, with known runs and the refuted length.
type Seen = (SelectorId, Known);

/// A mutant to decide: its index among the jobs, its selector, and the facts about it.
type Placed = (usize, (SelectorId, Facts));

/// Splits the jobs into groups, in order. Consecutive jobs whose kills can be certified together are one group.
fn grouped(inquiry: &Inquiry<'_>, jobs: Vec<(SelectorId, Facts)>) -> Vec<Vec<Placed>> {
    let mut groups: Vec<Vec<Placed>> = Vec::new();
    let mut joins = false;
    for (place, job) in jobs.into_iter().enumerate() {
        let may = inquiry.may_be_confirmed(&job.1);
        match groups.last_mut() {
            Some(last) if joins && may && last.len() < AT_ONCE => last.push((place, job)),
            _ => groups.push(vec![(place, job)]),
        }
        joins = may;
    }
    groups
}

impl Run<'_> {
    /// Begins a round, or a further part of a round, under this name.
    fn begin(&mut self, name: &'static str) {
        self.number += 1;
        self.observer.begins(self.number);
        if let Some(ledger) = self.budget.ledger() {
            ledger.begin_round(self.number, name);
        }
    }

    fn live(&self) -> Vec<SelectorId> {
        let mutants = self.options.mutants.iter().copied();
        mutants.filter(|m| !self.decided.contains_key(m)).collect()
    }

    /// Returns the undecided mutants without a known kill or a proof that none exists.
    fn unkilled(&self) -> Vec<SelectorId> {
        let mut live = self.live();
        live.retain(|mutant| {
            let facts = self.facts.get(mutant);
            !facts.is_some_and(|facts| facts.potential.is_answered())
        });
        live
    }

    /// Returns the undecided mutants about which no facts are recorded.
    fn open(&self) -> Vec<SelectorId> {
        let mut live = self.live();
        live.retain(|mutant| !self.facts.contains_key(mutant));
        live
    }

    /// Returns the undecided mutants without a known kill and without candidate runs.
    fn unseen(&self) -> Vec<SelectorId> {
        let is_seen = |facts: &Facts| facts.potential.best.is_some() || facts.candidate().is_some();
        let mut live = self.live();
        live.retain(|mutant| !self.facts.get(mutant).is_some_and(is_seen));
        live
    }

    /// Returns the undecided mutants without recorded facts that may still have a pair of runs with different outputs.
    fn unsearched(&self) -> Vec<SelectorId> {
        let mut live = self.open();
        live.retain(|&mutant| !self.known(mutant).is_unreachable());
        live
    }

    /// Returns the undecided mutants without a known kill that may still have a pair of runs with different outputs. Facts about them may
    /// be recorded.
    fn unstruck(&self) -> Vec<SelectorId> {
        let mut live = self.unkilled();
        live.retain(|&mutant| !self.facts_of(mutant).pairs.is_unreachable());
        live
    }

    /// Returns the search progress of an undecided mutant, without runs: the length up to which earlier rounds found no pair of runs.
    fn known(&self, mutant: SelectorId) -> Known {
        Known {
            found: None,
            refuted: self.refuted.get(&mutant).copied().unwrap_or(0),
        }
    }

    /// Returns all facts that are recorded about an undecided mutant.
    fn facts_of(&self, mutant: SelectorId) -> Facts {
        let kept = self.facts.get(&mutant).cloned();
        kept.unwrap_or_else(|| self.known(mutant).into())
    }

    fn record(&mut self, mutant: SelectorId, outcome: Outcome, took: Duration) {
        if self.options.earlier.contains_key(&mutant) {
            self.decided.insert(mutant, Settled::Before);
            return;
        }
        self.observer.decided(&outcome, took);
        let settled = Settled::Now(Box::new(outcome), took);
        self.decided.insert(mutant, settled);
    }

    /// Returns the run of the model in the kill of a decided mutant; `None` if the mutant is not killed.
    fn killing_run(&self, mutant: SelectorId) -> Option<&Stimulus> {
        match self.decided.get(&mutant)? {
            Settled::Now(outcome, _) => match &outcome.verdict {
                Verdict::Killed(kill) => Some(&kill.model_run),
                _ => None,
            },
            Settled::Before => self.options.earlier.get(&mutant)?.killing_run(),
        }
    }

    /// Decides mutants that have candidate runs, if pairs of runs are kills of the question asked. Otherwise the runs need not be kills,
    /// and improving a kill takes long, so the runs are kept as facts: first verdicts for all mutants come before better ones.
    fn decide_or_keep(&mut self, jobs: Vec<Seen>) -> Result<(), DecideError> {
        if self.inquiry.schedule.pairs_are_kills {
            self.decide(jobs)?;
            return Ok(());
        }
        for (mutant, known) in jobs {
            let facts = self.inquiry.glanced(mutant, known)?;
            self.facts.insert(mutant, facts);
        }
        Ok(())
    }

    /// Decides mutants independently of each other; records each outcome after those of the mutants before it. Returns the killed mutants.
    fn decide(&mut self, jobs: Vec<Seen>) -> Result<Vec<SelectorId>, DecideError> {
        let facts = |(mutant, known): Seen| {
            let Some(mut kept) = self.facts.get(&mutant).cloned() else {
                return (mutant, known.into());
            };
            kept.seen |= known.found.is_some();
            kept.pairs = kept.pairs.joined(known);
            (mutant, kept)
        };
        let seen = jobs.into_iter().map(facts).collect();
        self.decide_from(seen)
    }

    /// Decides mutants like [`Run::decide`], starting from these facts. Returns the killed mutants.
    fn decide_from(
        &mut self,
        jobs: Vec<(SelectorId, Facts)>,
    ) -> Result<Vec<SelectorId>, DecideError> {
        let mut jobs = jobs;
        // Several methods of a round may have found facts about a mutant, and tests of other mutants may have killed it meanwhile.
        let mut asked = BTreeSet::new();
        jobs.retain(|(mutant, _)| !self.decided.contains_key(mutant) && asked.insert(*mutant));
        let mutants: Vec<SelectorId> = jobs.iter().map(|(mutant, _)| *mutant).collect();
        let jobs = self.without_earlier(jobs);
        let (inquiry, budget, timeout) = (&self.inquiry, self.budget, self.options.timeout);
        let order: Vec<SelectorId> = jobs.iter().map(|(mutant, _)| *mutant).collect();
        let order = &order;
        let (observer, decided) = (&mut *self.observer, &mut self.decided);
        let (tell, hear) = mpsc::channel();
        let results: Result<(), DecideError> = std::thread::scope(|scope| {
            // Each outcome reaches the journal at once, even while another mutant takes long.
            scope.spawn(move || {
                let mut early = BTreeMap::new();
                let mut next = 0;
                jobs::listen(&hear, |first| {
                    let Some(first) = first else {
                        observer.waits();
                        return;
                    };
                    // Outcomes that arrive faster than the observer handles them are reported together.
                    for (place, outcome, took) in std::iter::once(first).chain(hear.try_iter()) {
                        early.insert(place, (outcome, took));
                    }
                    let mut ready = Vec::new();
                    while let Some(outcome) = early.remove(&(next + ready.len())) {
                        ready.push(outcome);
                    }
                    observer.decided_together(&ready);
                    for (outcome, took) in ready {
                        decided.insert(order[next], Settled::Now(Box::new(outcome), took));
                        next += 1;
                    }
                });
            });
            let confirm = |group: Vec<Placed>| {
                let (places, jobs): (Vec<usize>, Vec<_>) = group.into_iter().unzip();
                let mutants: Vec<SelectorId> = jobs.iter().map(|(mutant, _)| *mutant).collect();
                let _finds = budget.finds("solving", &mutants);
                let jobs = inquiry.confirmed(jobs, &budget.job().within(timeout));
                places.into_iter().zip(jobs).collect::<Vec<Placed>>()
            };
            let groups = grouped(inquiry, jobs).into_par_iter();
            let jobs = groups.flat_map(confirm);
            let _waits = budget.waits();
            jobs.map_with(tell, |tell, (place, (mutant, mut facts))| {
                let finds = budget.finds("solving", &[mutant]);
                let start = budget.now();
                // Many kills may still wait for a decision when the time for all is over.
                if budget.is_overdue() {
                    facts = facts.without_runs();
                }
                let outcome = inquiry.decide(mutant, facts, &budget.job().within(timeout))?;
                drop(finds);
                // The receiver is gone only after a panic of the observer, which the scope propagates.
                let _ = tell.send((place, outcome, budget.now().saturating_sub(start)));
                Ok(())
            })
            .collect()
        });
        results?;
        let is_killed = |mutant: &SelectorId| self.killing_run(*mutant).is_some();
        Ok(mutants.into_iter().filter(is_killed).collect())
    }

    fn structure_round(&mut self) -> Result<(), DecideError> {
        self.observer.round("structure", self.options.mutants.len());
        let finds = self.budget.finds("structure", &self.options.mutants);
        let standings = standings(self.inquiry.model, self.budget);
        drop(finds);
        let mut originals = Vec::new();
        for mutant in self.options.mutants.clone() {
            match standings[mutant.0] {
                Standing::DuplicateOf(first)
                    if self.options.fold_duplicates && self.options.mutants.contains(&first) =>
                {
                    let outcome = Outcome {
                        mutant: self.inquiry.model.selectors[mutant.0].id.clone(),
                        property: None,
                        verdict: Verdict::DuplicateOf(
                            self.inquiry.model.selectors[first.0].id.clone(),
                        ),
                        engine: Some(Engine::Structure),
                        input_enabled: InputEnabled::Unsettled,
                        notes: Vec::new(),
                    };
                    self.record(mutant, outcome, Duration::ZERO);
                }
                Standing::Original => originals.push(mutant),
                Standing::DuplicateOf(_) | Standing::Distinct => {}
            }
        }
        // Circuits that are the same are seldom hard to prove equivalent, and where they are, others come first.
        let part = self.budget.remaining().map(|left| left / PART_OF_STRUCTURE);
        let budget = self.budget.job().within(part).within(self.options.timeout);
        let all_known = self.all_known(&originals);
        if self.options.engines.family && originals.len() > 1 && !all_known {
            let _finds = budget.finds("family", &originals);
            let (outcomes, _) = self.inquiry.decide_family(originals.clone(), &budget)?;
            for (mutant, outcome) in outcomes {
                let outcome = outcome.by_structure();
                self.record(mutant, outcome, Duration::ZERO);
            }
        }
        originals.retain(|mutant| !self.decided.contains_key(mutant));
        for mutant in originals {
            if self.all_known(&[mutant]) {
                // If this round did not decide it, a later round did.
                if self.is_of_this_round(mutant) {
                    self.take_over(&[mutant]);
                }
                continue;
            }
            let _finds = budget.finds("solving", &[mutant]);
            let outcome = self
                .inquiry
                .decide(mutant, Facts::default(), &budget)?
                .by_structure();
            if !matches!(outcome.verdict, Verdict::Unknown { .. }) {
                self.record(mutant, outcome, Duration::ZERO);
            }
        }
        Ok(())
    }
}

impl Work for Run<'_> {
    type Step = Round;
    type Answer = Result<(), DecideError>;

    fn wants(&self, _: &Round) -> bool {
        !self.live().is_empty()
    }

    /// Whether the round records every mutant that is still undecided, with the facts about it.
    fn finishes(&self, round: &Round) -> bool {
        matches!(round, Round::Structure | Round::Solving)
    }

    fn take(&mut self, round: &Round, _: &Budget) -> ControlFlow<Self::Answer> {
        match self.options.extent {
            Extent::Together if *round == Round::Listing => return ControlFlow::Continue(()),
            Extent::Together if !round.precedes_division() => return ControlFlow::Break(Ok(())),
            Extent::Tests => return ControlFlow::Break(Ok(())),
            Extent::Whole | Extent::Together => {}
        }
        self.begin(round.name());
        let _finds = self.budget.finds("rounds", &[]);
        if self.is_known_whole(round) {
            return ControlFlow::Continue(());
        }
        // The walk through pairs of states finds shortest kills at once; proposed tests would have to be shortened.
        let is_late = !matches!(round, Round::Structure | Round::Pairs(_));
        if is_late && let Err(error) = self.try_proposed() {
            return ControlFlow::Break(Err(error));
        }
        let taken = match round {
            Round::Structure => self.structure_round().and_then(|()| {
                let tests = Arc::clone(&self.options.tests);
                self.try_tests(&tests)
            }),
            Round::Pairs(farthest) => self.pairs_round(*farthest),
            Round::Simulation(number, runs) => self.simulation_round(*number, runs),
            Round::Faults(number, steps) => self.fault_round(*number, *steps),
            Round::Correspondence(pass, level) => self.correspondence_round(*pass, *level),
            Round::Shallow => self.shallow_round(),
            Round::Together => self.together_round(),
            Round::Listing => self.listing_round(),
            Round::Diagrams(level) => self.diagrams_round(*level),
            Round::Families => self.family_round(),
            Round::Slices(level) => self.slices_round(*level),
            Round::Improving => self.improving_round(),
            Round::Solving => self.solving_round(),
        };
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn after(&mut self, _: u32, _: Option<Stop>) -> ControlFlow<Self::Answer> {
        if self.live().is_empty() {
            ControlFlow::Break(Ok(()))
        } else {
            ControlFlow::Continue(())
        }
    }
}
