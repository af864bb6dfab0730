//! Decides mutants of Uppaal models: finds a timed test with the fewest steps, or proves that none exists.
//!
//! The comparison is exact in dense time (semantics.md §8). A package that shares only reading and unfolding with this one checks its
//! verdicts.

mod circuit;
mod export;
pub mod fault;
mod follow;
mod open;
mod query;
mod relation;
mod side;
mod steps;
mod together;

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::suite::Step;
use hyperkill_core::system::Translation;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_core::verdict::{Kill, Reason, Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{
    Answer, Contents, Decider, Decision, Follower, OwnKill, OwnVerdict,
};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, apply};
use hyperkill_timed::identity::identity;
use hyperkill_timed::played::{Test, play};
use hyperkill_timed::refine::{Found, Related, Side, refine};
use hyperkill_timed::replay::{Trace, kills};
use hyperkill_timed::windows::waits;
use hyperkill_uppaal::network::Environment;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{read_automaton, read_mutant};
use serde_json::Value as Document;
use side::{model_side, strength};
use together::Families;

/// The decision procedure of Uppaal models.
#[derive(Clone, Copy, Default, Debug)]
pub struct UppaalDecision;

impl Decision for UppaalDecision {
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Decider>, Vec<Diagnostic>> {
        let model = hyperkill_uppaal::read(sources, options)?;
        let mut contents = model.contents();
        let side = model_side(model.automaton.clone(), model.preset)
            .map_err(|why| hyperkill_uppaal::refused(why, options))?;
        contents.deterministic = None;
        let mutants = contents.catalogue.iter().enumerate();
        Ok(Box::new(UppaalDecider {
            places: mutants
                .map(|(place, (m, _))| (m.id.clone(), place))
                .collect(),
            text: sources
                .first()
                .map_or(String::new(), |source| source.text.clone()),
            options: options.clone(),
            preset: model.preset,
            environment: model.environment,
            process: model.process,
            families: Families::new(
                model.mutations.iter().map(|mutation| &mutation.mutant.id),
                &model.first_of,
            ),
            contents,
            model: side,
            open: match model.environment {
                Environment::Open => None,
                Environment::Network => sources
                    .first()
                    .and_then(|source| open::Open::new(&source.text, options, model.preset)),
            },
        }))
    }

    fn circuit(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Option<Result<Translation, Vec<Diagnostic>>> {
        let model = match hyperkill_uppaal::read(sources, options) {
            Ok(model) => model,
            Err(errors) => return Some(Err(errors)),
        };
        if model.environment == Environment::Network {
            let message = "--environment network: circuits are of a process alone";
            return Some(Err(vec![Diagnostic::option(message, None)]));
        }
        let side = model_side(model.automaton.clone(), model.preset)
            .map_err(|why| hyperkill_uppaal::refused(why, options));
        Some(side.and_then(|side| circuit::translation(sources, options, model, &side)))
    }

    fn questions(&self, sources: &[SourceFile]) -> Result<Vec<String>, Vec<Diagnostic>> {
        hyperkill_uppaal::queries(sources)
    }

    fn answer(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        question: &str,
        budget: &Budget,
    ) -> Option<Result<Answer, Vec<Diagnostic>>> {
        let answer = || {
            hyperkill_uppaal::query::refuse_network(options)?;
            query::answer(sources, options, question, budget)
        };
        Some(answer())
    }
}

/// A process whose mutants can be decided.
struct UppaalDecider {
    contents: Contents,
    model: Side,
    process: String,
    text: String,
    options: FrontendOptions,
    preset: Preset,
    environment: Environment,
    /// The index of each mutant in the catalogue.
    places: BTreeMap<MutantId, usize>,
    families: Families,
    /// The process alone in an open environment, if other processes are its environment.
    open: Option<open::Open>,
}

/// The result of reading a mutant's text.
enum Read {
    /// The text is no model, for this reason.
    NoModel(String),
    /// The mutant has no good initial state.
    Inconsistent(Box<Side>),
    /// A mutant that can be compared.
    Mutant(Box<Sides>),
}

/// A mutant twice: restricted to its good states if the rules say so, and with all states within its invariants.
struct Sides {
    pruned: Side,
    free: Side,
}

impl UppaalDecider {
    fn rules(&self) -> Rules {
        self.preset.rules()
    }

    /// Reads the text of a mutant.
    ///
    /// # Errors
    /// If the budget ends.
    fn mutant(&self, id: &MutantId, budget: &Budget) -> Result<Read, Stop> {
        let automaton = match self.automaton(id).ok_or(Stop::Engines)? {
            Ok(automaton) => automaton,
            Err(errors) => return Ok(Read::NoModel(hyperkill_uppaal::no_model(&errors))),
        };
        self.sides(automaton, budget)
    }

    /// Returns the mutant of the catalogue with this id; `None` if there is none.
    fn listed(&self, id: &MutantId) -> Option<&Mutant> {
        let (mutant, _) = self.contents.catalogue.get(*self.places.get(id)?)?;
        Some(mutant)
    }

    fn automaton(&self, id: &MutantId) -> Option<Result<Automaton, Vec<Diagnostic>>> {
        let mutant = self.listed(id)?;
        let text = apply(&self.text, mutant).ok()?;
        Some(read_mutant(&self.text, &text, &self.options))
    }

    fn sides(&self, automaton: Automaton, budget: &Budget) -> Result<Read, Stop> {
        let pruned = Side::new(automaton.clone(), self.rules().is_pruned, budget)?;
        if !pruned.is_consistent() {
            return Ok(Read::Inconsistent(Box::new(pruned)));
        }
        let free = Side::new(automaton, false, budget)?;
        Ok(Read::Mutant(Box::new(Sides { pruned, free })))
    }

    /// Returns the feature model of the mutants. A guideline makes a mutant needless only if the mutant is deterministic, and its first
    /// change alone makes a deterministic mutant, too.
    ///
    /// # Errors
    /// If the process is tested among others, or the text is no model.
    fn feature_model(&self) -> Result<String, String> {
        if self.environment == Environment::Network {
            let why = "--environment network: guidelines are about processes alone";
            return Err(why.to_owned());
        }
        let budget = Budget::unlimited();
        let sources = [SourceFile::new("model.xml", self.text.as_str())];
        let model = hyperkill_uppaal::read(&sources, &self.options);
        let model = model.map_err(|errors| hyperkill_uppaal::no_model(&errors))?;
        let is_certain = |mutant: &Mutant| {
            let text = apply(&self.text, mutant).ok();
            let automaton = text.and_then(|text| read_automaton(&text, &self.options).ok());
            let side = automaton.and_then(|automaton| Side::new(automaton, false, &budget).ok());
            side.is_some_and(|side| side.ambiguity().is_none())
        };
        let firsts: Vec<bool> = model.firsts.iter().map(is_certain).collect();
        let mutations = model.mutations.iter().enumerate();
        let needless = mutations.filter(|(number, mutation)| {
            let first = model.first_of.get(*number);
            mutation.meaning.is_some()
                && first.is_none_or(|first| firsts[*first])
                && is_certain(&mutation.mutant)
        });
        let needless: BTreeSet<&MutantId> = needless.map(|(_, m)| &m.mutant.id).collect();
        Ok(hyperkill_uppaal::uvl::written(
            &self.process,
            model.mutations.iter(),
            |mutation| needless.contains(&mutation.mutant.id),
        ))
    }

    /// Returns the proof that a mutant conforms. A test that kills the mutant in an open environment is added to it, if one is found.
    fn with_open(&self, mut proof: Document, id: &MutantId, budget: &Budget) -> Document {
        let kill = self.open.as_ref().zip(self.listed(id));
        let kill = kill.and_then(|(open, mutant)| open.kill(&self.text, mutant, budget));
        if let Some(kill) = kill {
            proof["open"] = kill;
        }
        proof
    }

    /// Returns the result for a mutant of second order, which is decided with all mutants that have the same first change. `None` if it
    /// must be decided alone.
    fn decide_together(&self, id: &MutantId, budget: &Budget) -> Option<OwnVerdict> {
        let read = |id: &MutantId| self.automaton(id)?.ok();
        let model = (&self.model, self.rules());
        (self.families).find(id, model, budget, read, |found| {
            Some(match found {
                together::Found::Inconsistent(automaton, lost) => {
                    Verdict::Inconsistent(relation::inconsistent(automaton, &lost))
                }
                together::Found::Refines(automaton, lost, related) => {
                    let model = &self.model.automaton;
                    let document = relation::document(automaton, &lost, model, &related);
                    Verdict::Equivalent(self.with_open(document, id, budget))
                }
                together::Found::Fails(automaton, trace) => {
                    let Ok(Read::Mutant(sides)) = self.sides(automaton.clone(), budget) else {
                        return None;
                    };
                    Verdict::Killed(Box::new(self.kill(&sides, trace)?))
                }
            })
        })
    }

    /// Returns the relation between a mutant and the model that follows from a guideline, without a search. `None` if the mutant violates
    /// no guideline, or the relation does not show refinement.
    fn by_guidelines(
        &self,
        id: &MutantId,
        mutant: &Side,
        budget: &Budget,
    ) -> Result<Option<Vec<Related>>, Stop> {
        match self.contents.needless.contains(id) {
            true => identity(mutant, &self.model, self.rules(), budget),
            false => Ok(None),
        }
    }

    /// Returns the verdict on a mutant that refines the model.
    fn refines(
        &self,
        id: &MutantId,
        mutant: &Side,
        related: &[Related],
        budget: &Budget,
    ) -> OwnVerdict {
        let model = &self.model.automaton;
        let document = relation::document(&mutant.automaton, &mutant.lost, model, related);
        Verdict::Equivalent(self.with_open(document, id, budget))
    }

    fn kill(&self, mutant: &Sides, trace: &Trace) -> Option<OwnKill> {
        let kills = kills(
            &self.model,
            &mutant.pruned,
            &mutant.free,
            trace,
            self.rules(),
        )?;
        let (mut model_run, mutant_run) = steps::runs(trace)?;
        let waits = waits(&self.model, &trace.events, trace.at, self.rules())?;
        steps::say_windows(&mut model_run, waits)?;
        Some(Kill {
            strength: strength(kills),
            model_run,
            mutant_run,
            shortest: true,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        })
    }
}

impl Decider for UppaalDecider {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn decide(&self, mutant: &MutantId, bound: Option<usize>, budget: &Budget) -> OwnVerdict {
        let unknown = |known_to: usize, reason: Reason| Verdict::Unknown { known_to, reason };
        // With a bound each search ends for itself.
        if bound.is_none()
            && let Some(verdict) = self.decide_together(mutant, budget)
        {
            return verdict;
        }
        let read = match self.mutant(mutant, budget) {
            Ok(Read::Mutant(sides)) => sides,
            Ok(Read::Inconsistent(side)) => {
                return Verdict::Inconsistent(relation::inconsistent(&side.automaton, &side.lost));
            }
            Ok(Read::NoModel(reason)) => return Verdict::Invalid(reason),
            Err(stop) => return unknown(0, stop.into()),
        };
        match self.by_guidelines(mutant, &read.pruned, budget) {
            Ok(Some(related)) => return self.refines(mutant, &read.pruned, &related, budget),
            Ok(None) => {}
            Err(stop) => return unknown(0, stop.into()),
        }
        match refine(&read.pruned, &self.model, self.rules(), bound, budget) {
            Found::Fails(trace) => match self.kill(&read, &trace) {
                Some(kill) => Verdict::Killed(Box::new(kill)),
                // Its times exceed the range of numbers.
                None => unknown(trace.events.len(), Reason::Bound),
            },
            Found::Refines(related) => self.refines(mutant, &read.pruned, &related, budget),
            // No test shows it, and it is no refinement either.
            Found::Alphabets => unknown(0, Reason::Precondition),
            Found::Open(known_to, stop) => unknown(known_to, stop.into()),
        }
    }

    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength> {
        let budget = Budget::unlimited();
        let Ok(Read::Mutant(read)) = self.mutant(mutant, &budget) else {
            return None;
        };
        let traces = steps::traces(test, &read.pruned.automaton.actions(false))?;
        let killed = traces
            .iter()
            .filter_map(|trace| kills(&self.model, &read.pruned, &read.free, trace, self.rules()));
        killed.map(strength).max()
    }

    fn play(
        &self,
        tests: &[Vec<Step>],
        mutants: &[&MutantId],
        budget: &Budget,
        hears: &mut dyn FnMut(usize, usize, Strength),
    ) -> Result<(), Stop> {
        let mut read = Vec::new();
        for (number, id) in mutants.iter().enumerate() {
            budget.check()?;
            if let Some(Ok(automaton)) = self.automaton(id) {
                read.push((number, automaton));
            }
        }
        let (numbers, automata): (Vec<usize>, Vec<Automaton>) = read.into_iter().unzip();
        let outputs = automata.iter().flat_map(|mutant| mutant.actions(false));
        let outputs: BTreeSet<&str> = outputs.collect();
        // A step sequence that is no test kills no mutant.
        let tests = tests.iter().map(|test| steps::traces(test, &outputs));
        let tests: Vec<Test> = tests.map(Option::unwrap_or_default).collect();
        let mut hears =
            |test: usize, mutant: usize, kills| hears(test, numbers[mutant], strength(kills));
        play(
            &automata,
            &self.model,
            self.rules(),
            &tests,
            budget,
            &mut hears,
        )
        .map(drop)
    }

    fn follower(&self, parts: i64) -> Option<Result<Box<dyn Follower>, String>> {
        if self.environment == Environment::Network {
            let why = "--environment network: its tests are moves of other processes, which no system is told";
            return Some(Err(why.to_owned()));
        }
        let following = follow::Following::new(&self.model.automaton, self.rules(), parts);
        Some(following.map(|following| Box::new(following) as Box<dyn Follower>))
    }

    fn written(&self, form: &str) -> Option<Result<String, String>> {
        (form == "uvl").then(|| self.feature_model())
    }

    fn exported(
        &self,
        form: &str,
        test: &[Step],
        mutant: Option<&MutantId>,
    ) -> Option<Result<String, String>> {
        if form != "uppaal" {
            return None;
        }
        if self.environment == Environment::Network {
            let why = "tests in the environment of other processes have no file for Uppaal yet";
            return Some(Err(why.to_owned()));
        }
        let budget = Budget::unlimited();
        let own = self.model.automaton.clone();
        let free = Side::new(own, false, &budget).ok()?;
        let automaton = match mutant {
            None => self.model.automaton.clone(),
            Some(id) => self.automaton(id)?.ok()?,
        };
        let system = export::System {
            automaton: &automaton,
            name: &self.process,
        };
        Some(export::tester(
            &self.model,
            &free,
            system,
            test,
            self.rules(),
        ))
    }
}
