//! Checks verdicts about mutants of Uppaal models (semantics.md §8), without the code that decides them.
//!
//! A mutant is what its source text says: it is read anew from the text with the mutant's place replaced.

mod open;
mod query;
mod relation;
mod steps;

use std::collections::BTreeMap;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::suite::Step;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_core::verdict::{Strength, Stronger, Verdict};
use hyperkill_frontend::decision::{
    Answer, Contents, OwnKill, OwnVerdict, Recheck, Rechecker, Refutation,
};
use hyperkill_frontend::{Diagnostic, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_timed_certify::good::Side;
use hyperkill_timed_certify::replay::{Trace, is_test, may_fail, must_fail};
use hyperkill_timed_certify::windows::{Window, are_all_windows};
use hyperkill_uppaal::network::Environment;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{AMBIGUOUS, NO_GOOD_START, no_model, read_automaton, read_mutant, refused};
use open::OpenText;

/// The procedure that checks verdicts about Uppaal models.
#[derive(Clone, Copy, Default, Debug)]
pub struct UppaalRecheck;

impl Recheck for UppaalRecheck {
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Rechecker>, Vec<Diagnostic>> {
        let model = hyperkill_uppaal::read(sources, options)?;
        let mut contents = model.contents();
        let budget = Budget::unlimited();
        let stopped = |_| vec![Diagnostic::unlocated("reading the model was stopped")];
        let side = |is_pruned| Side::new(model.automaton.clone(), is_pruned, &budget);
        let pruned = side(true).map_err(stopped)?;
        let lives_on = pruned.is_consistent();
        let side = match model.preset.rules().is_pruned {
            true => pruned,
            false => side(false).map_err(stopped)?,
        };
        if side.is_ambiguous() {
            return Err(refused(AMBIGUOUS, options));
        }
        if !lives_on {
            return Err(refused(NO_GOOD_START, options));
        }
        let mutants = contents.catalogue.iter().enumerate();
        let mut rechecker = UppaalRechecker {
            places: mutants
                .map(|(place, (m, _))| (m.id.clone(), place))
                .collect(),
            text: sources
                .first()
                .map_or(String::new(), |source| source.text.clone()),
            options: options.clone(),
            preset: model.preset,
            environment: model.environment,
            contents: Contents::default(),
            model: side,
        };
        // Guidelines are about deterministic mutants, all along the chain.
        let mut of_firsts = Vec::new();
        for first in &model.firsts {
            let side = rechecker.side(first, false, &budget);
            of_firsts.push(side.is_ok_and(|side| !side.is_ambiguous()));
        }
        for (number, (mutant, problem)) in contents.catalogue.iter_mut().enumerate() {
            let first = model.first_of.get(number);
            let follows = first.is_none_or(|first| of_firsts[*first]);
            let is_certain = match contents.needless.contains(&mutant.id) {
                true => (rechecker.side(mutant, false, &budget)).map(|side| !side.is_ambiguous()),
                false => rechecker.automaton(mutant).map(|_| true),
            };
            *problem = match is_certain {
                Ok(is_certain) => {
                    if !follows || !is_certain {
                        contents.needless.remove(&mutant.id);
                    }
                    None
                }
                Err(Refutation::Wrong(reason)) => Some(reason),
                Err(Refutation::Stopped(stop)) => return Err(stopped(stop)),
            };
        }
        rechecker.contents = contents;
        Ok(Box::new(rechecker))
    }

    fn recheck_answer(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        question: &str,
        answer: &Answer,
        budget: &Budget,
    ) -> Result<(), Refutation> {
        hyperkill_uppaal::query::refuse_network(options)
            .or_else(|errors| Refutation::wrong(no_model(&errors)))?;
        query::recheck((sources, options), question, answer, budget)
    }
}

/// The automaton of a mutant's text twice, restricted to its good states and not.
struct Sides {
    /// The automaton restricted to its good states, if the rules prune it.
    pruned: Option<Side>,
    /// The automaton with all states within its invariants.
    free: Side,
}

impl Sides {
    fn pruned(&self) -> &Side {
        self.pruned.as_ref().unwrap_or(&self.free)
    }
}

struct UppaalRechecker {
    contents: Contents,
    model: Side,
    text: String,
    options: FrontendOptions,
    preset: Preset,
    environment: Environment,
    /// The index of each mutant in the catalogue.
    places: BTreeMap<MutantId, usize>,
}

/// Returns whether a mutant fails a test of the model for certain, or only may fail it. `pruned` is the mutant restricted to its good
/// states (semantics.md §8), if the rules prune it; `free` is restricted by its invariants only.
///
/// # Errors
/// If the trace is no test of the model, or `pruned` has no run that fails it.
fn strength(
    (model, pruned, free): (&Side, &Side, &Side),
    trace: &Trace,
    rules: Rules,
) -> Result<Strength, Refutation> {
    if !is_test(model, trace, rules) {
        return Refutation::wrong(
            "the model does not show the expected events, or allows the forbidden one",
        );
    }
    if !may_fail(pruned, trace, rules) {
        return Refutation::wrong("the mutant passes the test");
    }
    Ok(match must_fail(model, free, trace, rules) {
        true => Strength::Definite,
        false => Strength::Potential,
    })
}

impl UppaalRechecker {
    fn rules(&self) -> Rules {
        self.preset.rules()
    }

    /// Returns the mutant that a text describes, with and without pruning.
    ///
    /// # Errors
    /// If the text is no model, or the budget ends.
    fn sides(&self, mutant: &Mutant, budget: &Budget) -> Result<Sides, Refutation> {
        let automaton = self.automaton(mutant)?;
        let side = |automaton, is_pruned| {
            Side::new(automaton, is_pruned, budget).map_err(Refutation::Stopped)
        };
        let pruned = match self.rules().is_pruned {
            true => Some(side(automaton.clone(), true)?),
            false => None,
        };
        Ok(Sides {
            pruned,
            free: side(automaton, false)?,
        })
    }

    fn side(&self, mutant: &Mutant, is_pruned: bool, budget: &Budget) -> Result<Side, Refutation> {
        let automaton = self.automaton(mutant)?;
        Side::new(automaton, is_pruned, budget).map_err(Refutation::Stopped)
    }

    fn automaton(&self, mutant: &Mutant) -> Result<Automaton, Refutation> {
        let text = match apply(&self.text, mutant) {
            Ok(text) => text,
            Err(stale) => return Refutation::wrong(stale.to_string()),
        };
        read_mutant(&self.text, &text, &self.options)
            .or_else(|errors| Refutation::wrong(no_model(&errors)))
    }

    fn mutant(&self, id: &MutantId) -> Result<&Mutant, Refutation> {
        let place = self.places.get(id);
        match place.and_then(|place| self.contents.catalogue.get(*place)) {
            Some((mutant, _)) => Ok(mutant),
            None => Refutation::wrong(format!("there is no mutant {id}")),
        }
    }

    /// Returns the guarantee with which a trace, as a test of the model, kills the mutant.
    ///
    /// # Errors
    /// If the trace is no test of the model, or the mutant passes it.
    fn kills(&self, mutant: &Sides, trace: &Trace) -> Result<Strength, Refutation> {
        let sides = (&self.model, mutant.pruned(), &mutant.free);
        strength(sides, trace, self.rules())
    }

    /// Checks that a test of a suite kills the mutant with exactly this guarantee.
    ///
    /// # Errors
    /// If no failure of the mutant that ends the test has this guarantee, or the test states wrong outputs in its waits.
    fn kills_so(
        &self,
        mutant: &Sides,
        test: &[Step],
        strength: Strength,
    ) -> Result<(), Refutation> {
        let traces = steps::traces(test, &mutant.free.automaton).map_err(Refutation::Wrong)?;
        if let Some(first) = traces.first() {
            // All of them wait alike.
            self.windows(test, first)?;
        }
        let mut first = None;
        for trace in traces {
            match self.kills(mutant, &trace) {
                Ok(found) if found == strength => return Ok(()),
                Ok(found) => first = Some(Refutation::Wrong(format!("the kill is {found}"))),
                Err(Refutation::Wrong(what)) => {
                    first = first.or(Some(Refutation::Wrong(what)));
                }
                Err(stopped) => return Err(stopped),
            }
        }
        first.map_or_else(
            || Refutation::wrong("no failure of the mutant ends the test"),
            Err,
        )
    }

    /// Checks that a test states exactly the outputs that the model may give in its waits. `trace` is a trace of the test.
    ///
    /// # Errors
    /// If it does not, or a step states none.
    fn windows(&self, test: &[Step], trace: &Trace) -> Result<(), Refutation> {
        let said = steps::windows(test).map_err(Refutation::Wrong)?;
        let said: Vec<&[Window]> = said.iter().map(Vec::as_slice).collect();
        match are_all_windows(&self.model, trace, self.rules(), &said) {
            true => Ok(()),
            false => {
                Refutation::wrong("the outputs that the test allows differ from those of the model")
            }
        }
    }

    /// Checks the statement of a proof that a test kills the mutant in an open environment, with the stated guarantee.
    ///
    /// # Errors
    /// If it does not, or the environment of the check is already open.
    fn open(&self, mutant: &Mutant, open: &OpenText, budget: &Budget) -> Result<(), Refutation> {
        if self.environment == Environment::Open {
            return Refutation::wrong(
                "the proof has a test of an open environment, but the environment is open",
            );
        }
        let options = FrontendOptions {
            processes: ProcessOptions {
                environment: None,
                ..self.options.processes.clone()
            },
            ..self.options.clone()
        };
        let side = |text: &str, is_pruned: bool| {
            let automaton = read_automaton(text, &options)
                .or_else(|errors| Refutation::wrong(no_model(&errors)))?;
            Side::new(automaton, is_pruned, budget).map_err(Refutation::Stopped)
        };
        let is_pruned = self.rules().is_pruned;
        let model = side(&self.text, is_pruned)?;
        if model.is_ambiguous() || !model.is_consistent() {
            return Refutation::wrong("the process cannot be tested in an open environment");
        }
        let text = match apply(&self.text, mutant) {
            Ok(text) => text,
            Err(stale) => return Refutation::wrong(stale.to_string()),
        };
        let (pruned, free) = (side(&text, is_pruned)?, side(&text, false)?);
        let trace = open.trace().map_err(Refutation::Wrong)?;
        match strength((&model, &pruned, &free), &trace, self.rules())? {
            strength if strength.to_string() == open.strength => Ok(()),
            strength => Refutation::wrong(format!("the kill in an open environment is {strength}")),
        }
    }

    fn killed(&self, mutant: &Mutant, kill: &OwnKill, budget: &Budget) -> Result<(), Refutation> {
        if kill.stronger != Stronger::NotAsked || kill.sole_run {
            return Refutation::wrong(
                "a result on stronger kills or other runs is claimed without evidence",
            );
        }
        let trace = steps::trace(&kill.model_run, &kill.mutant_run).map_err(Refutation::Wrong)?;
        self.windows(&kill.model_run, &trace)?;
        match self.kills(&self.sides(mutant, budget)?, &trace)? {
            strength if strength == kill.strength => Ok(()),
            strength => Refutation::wrong(format!("the kill is {strength}")),
        }
    }
}

impl Rechecker for UppaalRechecker {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recheck(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        budget: &Budget,
    ) -> Result<(), Refutation> {
        let mutant = self.mutant(mutant)?;
        match verdict {
            Verdict::Killed(kill) => self.killed(mutant, kill, budget),
            Verdict::Equivalent(document) => {
                let automaton = self.automaton(mutant)?;
                let open = relation::check(automaton, &self.model, self.rules(), document, budget)?;
                open.map_or(Ok(()), |open| self.open(mutant, &open, budget))
            }
            Verdict::Inconsistent(document) => {
                let automaton = self.automaton(mutant)?;
                relation::inconsistent(&automaton, self.rules(), document, budget)
            }
            Verdict::Unknown { .. } => Ok(()),
            Verdict::NotDefinitelyKillable { .. }
            | Verdict::RefusesInput { .. }
            | Verdict::Invalid(_)
            | Verdict::DuplicateOf(_) => {
                let word = verdict.word();
                Refutation::wrong(format!(
                    "mutants of Uppaal models never get the verdict {word}"
                ))
            }
        }
    }

    fn recheck_kill(
        &self,
        test: &[Step],
        mutant: &MutantId,
        strength: Strength,
        budget: &Budget,
    ) -> Result<(), Refutation> {
        let mutant = self.mutant(mutant)?;
        self.kills_so(&self.sides(mutant, budget)?, test, strength)
    }

    /// Checks kills of one mutant by tests of a suite; its text is read once for all tests.
    fn recheck_kills(
        &self,
        mutant: &MutantId,
        kills: &[(&[Step], Strength)],
        budget: &dyn Fn() -> Budget,
    ) -> Vec<Result<(), Refutation>> {
        let mutant = (self.mutant(mutant)).and_then(|mutant| self.sides(mutant, &budget()));
        let checked = kills.iter().map(|(test, strength)| match &mutant {
            Ok(mutant) => self.kills_so(mutant, test, *strength),
            Err(why) => Err(why.clone()),
        });
        checked.collect()
    }
}
