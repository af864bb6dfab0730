//! Decides one mutant: from facts to a verdict with checked evidence.
//!
//! There are two exact questions (semantics.md §2): does some test kill potentially, and does some test kill definitely? The formulas φ1
//! and φ2 ask the first, φ3 and φ4 the second, `auto` both. If a formula's precondition does not hold (φ1 and φ4 on a nondeterministic
//! model), the underlying question is decided by the rules for other models.
//!
//! [`crate::schedule::mutants`] gives the order of engines. Each step (`work`) extends the facts ([`facts`]), from which [`mod@verdict`]
//! reads the verdict.

mod certain;
mod definite;
mod error;
mod evidence;
pub mod facts;
mod families;
mod inquiry;
mod pairs;
mod shorten;
mod strategies;
mod together;
pub mod verdict;
mod work;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::simulation::Simulation;
use hyperkill_evidence::verdict::{Engine, Outcome};

use crate::engines::explicit::{self, Explored, Witness};
use crate::engines::pairs::{ChoosingListings, Together};
use crate::external::External;
use crate::schedule::efforts::GLANCE;
use crate::schedule::{Turns, execute, mutants};
use crate::search_progress::Known;
pub use error::DecideError;
use facts::Facts;
pub use inquiry::Inquiry;
pub(crate) use together::AT_ONCE;
use verdict::{Concluded, verdict};
use work::{Compositions, Deciding};

impl Inquiry<'_> {
    /// Decides one mutant, starting from known facts.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn decide(
        &self,
        mutant: SelectorId,
        facts: Facts,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        // Results of external checkers are attributed to this mutant alone.
        let inquiry = Inquiry {
            others: self.others.as_ref().map(External::afresh),
            ..self.clone()
        };
        let facts = inquiry.narrowed(mutant, facts, self.schedule.steps(), budget)?;
        let mut outcome = self.outcome(mutant, &facts, budget.stopped());
        if let Some(others) = &inquiry.others {
            outcome.notes.extend(others.remarks());
        }
        Ok(outcome)
    }

    /// Returns the facts extended by a kill with these runs. Only cheap checks are made: the strength of the kill beyond a structural check
    /// is left to the mutant's decision.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn killed(
        &self,
        (mutant, facts): (SelectorId, Facts),
        (engine, runs): (Engine, [Stimulus; 2]),
        shortest: bool,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, mutant, facts, &compositions);
        let kill = deciding.kill(runs, shortest, &Budget::spent())?;
        deciding.facts.mutant = None;
        deciding.learn(Relation::Matched, engine, kill, budget)?;
        Ok(deciding.facts)
    }

    /// Returns the facts that candidate runs give: the runs themselves, and a kill if the certifier confirms it without a solver.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn glanced(&self, mutant: SelectorId, known: Known) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, mutant, known.into(), &compositions);
        deciding.glance()?;
        Ok(deciding.facts)
    }

    /// Returns the facts that a simulation relation shows about its members: no test kills them, if the certifier confirms it.
    ///
    /// # Errors
    /// If the relation does not check.
    pub fn simulated(&self, simulation: Simulation, budget: &Budget) -> Result<Facts, DecideError> {
        let Some(&first) = simulation.members.first() else {
            return Ok(Facts::default());
        };
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, first, Facts::default(), &compositions);
        deciding.simulated(simulation, budget)?;
        Ok(deciding.facts)
    }

    /// Returns the facts that state estimates show about their members: no test kills them, if the certifier confirms it.
    ///
    /// # Errors
    /// If the estimates do not check.
    pub fn estimated(&self, estimates: Estimates, budget: &Budget) -> Result<Facts, DecideError> {
        let Some(&first) = estimates.members.first() else {
            return Ok(Facts::default());
        };
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, first, Facts::default(), &compositions);
        deciding.estimated(estimates, budget)?;
        Ok(deciding.facts)
    }

    /// Searches explicit state estimates of model and mutant within small limits, and returns the kill or the proof as facts. Only cheap
    /// checks are made.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn listed(&self, mutant: SelectorId, budget: &Budget) -> Result<Facts, DecideError> {
        let bound = self.schedule.reachability.bound;
        let steps = &self.steps;
        match explicit::potential_knowing(self.model, mutant, &GLANCE, bound, steps, budget) {
            Explored::Killed(Witness {
                model_run,
                mutant_run,
            }) => self.killed(
                (mutant, Facts::default()),
                (Engine::Subsets, [model_run, mutant_run]),
                true,
                budget,
            ),
            Explored::Excluded(closed) => self.excluded(mutant, closed, budget),
            Explored::TooLarge { .. } | Explored::Stopped { .. } => Ok(Facts::default()),
        }
    }

    /// Returns the facts extended by the kill or proof that a walk through the joint states of original and mutant finds.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn together(
        &self,
        (mutant, facts): (SelectorId, Facts),
        listings: &ChoosingListings<'_>,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        let bound = self.schedule.reachability.bound;
        match listings.together(mutant, bound, budget) {
            Together::Killed(Witness {
                model_run,
                mutant_run,
            }) => self.killed(
                (mutant, facts),
                (Engine::Pairs, [model_run, mutant_run]),
                true,
                budget,
            ),
            Together::Never(closed) => self.excluded(mutant, closed, budget),
            Together::Open => Ok(facts),
        }
    }

    /// Returns the facts that a closed set of positions shows: no test kills the mutant, if the certifier confirms it.
    fn excluded(
        &self,
        mutant: SelectorId,
        closed: ClosedSet,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, mutant, Facts::default(), &compositions);
        deciding.closed(Relation::Matched, closed, budget)?;
        Ok(deciding.facts)
    }

    /// Whether the question asked has its answer: a test of the wanted strength, or a proof that none exists.
    #[must_use]
    pub fn is_answered(&self, facts: &Facts) -> bool {
        let definite = &facts.definite;
        match self.schedule.definite_only {
            true => definite.is_answered() || facts.potential.excluded.is_some(),
            false => facts.potential.is_answered(),
        }
    }

    /// Takes the steps of the mutant's schedule that may answer the question, and returns the extended facts. Known kills are not improved.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn answered(
        &self,
        mutant: SelectorId,
        facts: Facts,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        self.narrowed(mutant, facts, self.schedule.answering(), budget)
    }

    /// Takes these steps of a schedule, as far as the budget allows, and returns the extended facts.
    fn narrowed(
        &self,
        mutant: SelectorId,
        facts: Facts,
        steps: Vec<mutants::MutantStep>,
        budget: &Budget,
    ) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, mutant, facts, &compositions);
        let mut turns = Turns::new(move |_| steps.clone());
        let executed = execute(&mut deciding, &mut turns, budget);
        self.steps.forget(mutant);
        executed?;
        Ok(deciding.facts)
    }

    /// Returns the outcome that the facts give when work has ended, or when `stopped` has ended it early.
    fn outcome(&self, mutant: SelectorId, facts: &Facts, stopped: Option<Stop>) -> Outcome {
        let Concluded {
            verdict,
            engine,
            notes,
        } = verdict(facts, &self.schedule, stopped);
        Outcome {
            mutant: self.model.selectors[mutant.0].id.clone(),
            property: Some(self.property),
            verdict,
            engine,
            input_enabled: facts.accepts.clone(),
            notes,
        }
    }
}
