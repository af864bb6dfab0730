//! One mutant, from what is known of it to a verdict with checked evidence.
//!
//! There are two exact questions (semantics.md §2): does some test kill potentially, and does some test kill definitely? The formulas
//! φ1 and φ2 ask the first, φ3 and φ4 the second, `auto` both. Where a formula's precondition does not hold (φ1 and φ4 on a model that
//! is not deterministic) the question behind it is decided all the same, by the rules for other models.
//!
//! The order of engines is in [`crate::schedule::mutants`]. Each step (`work`) adds to what is known ([`facts`]), from which
//! [`mod@verdict`] reads the verdict.

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
    /// Decides one mutant, from what is known of it.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn decide(
        &self,
        mutant: SelectorId,
        facts: Facts,
        budget: &Budget,
    ) -> Result<Outcome, DecideError> {
        // What is heard of other programs is heard of this mutant.
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

    /// What runs show that an engine has found, beside what is known. Looks at nothing that could take long: how strongly they kill beyond
    /// what is plain is left to whoever decides the mutant.
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

    /// What runs that were seen show at once, if anything; they are kept.
    ///
    /// # Errors
    /// If evidence does not check.
    pub fn glanced(&self, mutant: SelectorId, known: Known) -> Result<Facts, DecideError> {
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, mutant, known.into(), &compositions);
        deciding.glance()?;
        Ok(deciding.facts)
    }

    /// What a simulation relation shows of its members.
    ///
    /// # Errors
    /// If it does not check.
    pub fn simulated(&self, simulation: Simulation, budget: &Budget) -> Result<Facts, DecideError> {
        let Some(&first) = simulation.members.first() else {
            return Ok(Facts::default());
        };
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, first, Facts::default(), &compositions);
        deciding.simulated(simulation, budget)?;
        Ok(deciding.facts)
    }

    /// What state estimates show of their members.
    ///
    /// # Errors
    /// If they do not check.
    pub fn estimated(&self, estimates: Estimates, budget: &Budget) -> Result<Facts, DecideError> {
        let Some(&first) = estimates.members.first() else {
            return Ok(Facts::default());
        };
        let compositions = Compositions::default();
        let mut deciding = Deciding::new(self, first, Facts::default(), &compositions);
        deciding.estimated(estimates, budget)?;
        Ok(deciding.facts)
    }

    /// What the sets of states that model and mutant can be in show, if they can be listed. Looks at nothing else, as above.
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

    /// What the states show that the original and a mutant reach together, beside what is known.
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

    /// What a closed set of positions shows.
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

    /// Whether the question asked has its answer: a test of the strength wanted, or a proof that there is none.
    #[must_use]
    pub fn is_answered(&self, facts: &Facts) -> bool {
        let definite = &facts.definite;
        match self.schedule.definite_only {
            true => definite.is_answered() || facts.potential.excluded.is_some(),
            false => facts.potential.is_answered(),
        }
    }

    /// Returns the facts after the steps that may answer the question, or after those that the budget allows. Kills at hand are not made
    /// better.
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

    /// Returns the facts after these steps, or after those that the budget allows.
    fn narrowed(
        &self,
        mutant: SelectorId,
        facts: Facts,
        steps: Vec<mutants::Step>,
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

    /// The outcome that the facts give, when work has ended or was `stopped`.
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
