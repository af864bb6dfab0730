//! Questions with alternating quantifiers (φ2, φ3, φ4): by identity and other simple strategies, sets of explicit states, and expansion.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::question::{Preference, Question};
use hyperkill_evidence::verdict::{Engine, Reason};

use super::DecideError;
use super::work::{Deciding, Taken};
use crate::engines::bmc::Depth;
use crate::engines::diagrams::{self, Among};
use crate::engines::explicit::{self, Explored, Listing, Witness};
use crate::judge::{Judgement, can_agree};
use crate::question::{self, Found, Pose};
use crate::schedule::efforts::Effort;
use crate::schedule::mutants::Purpose;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve, solve_with};

impl Deciding<'_> {
    /// Searches explicit state estimates of model and mutant for kills in the sense of `relation`. Records the kill, the proof or the
    /// refuted length.
    pub(super) fn list(&mut self, relation: Relation, listing: Listing, budget: &Budget) -> Taken {
        let explore = match relation {
            Relation::Matched => explicit::potential_knowing,
            Relation::Agreeing => explicit::definite_knowing,
        };
        let bound = self.inquiry.schedule.reachability.bound;
        let (model, steps) = (self.inquiry.model, &self.inquiry.steps);
        match explore(model, self.mutant, &listing, bound, steps, budget) {
            Explored::Killed(Witness {
                model_run,
                mutant_run,
            }) => {
                let kill = self.kill([model_run, mutant_run], true, budget)?;
                let kill = self.confirmed(relation, kill, budget)?;
                self.learn(relation, Engine::Subsets, kill, budget)
            }
            Explored::Excluded(closed) => self.closed(relation, closed, budget),
            Explored::TooLarge { refuted } | Explored::Stopped { refuted, .. } => {
                self.open(relation, refuted, Stop::Bound);
                Ok(())
            }
        }
    }

    /// Searches a simulation relation among such pairs of states with decision diagrams, and records the proof, if it is found and
    /// confirmed.
    pub(super) fn relate(&mut self, relation: Relation, among: Among, budget: &Budget) -> Taken {
        let (model, limits) = (self.inquiry.model, diagrams::Limits::RELATION);
        match diagrams::simulation(model, &[self.mutant], relation, among, limits, budget) {
            Ok(Some(simulation)) => self.simulated(simulation, budget),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Records that no test of at most `refuted` steps kills, and the limit that ended the search.
    fn open(&mut self, relation: Relation, refuted: usize, stop: Stop) {
        let knowledge = self.facts.of_mut(relation);
        knowledge.refute(refuted);
        knowledge.reason = stop.into();
    }

    /// Tries the identity strategy: the model answers by the mutant's own choices. It is the cheapest strategy, and proves most mutants.
    pub(super) fn identity(&mut self, options: &Options, budget: &Budget) -> Taken {
        let identity = Question::identity(self.mutant);
        let posed = identity.pose(self.inquiry.model);
        match solve_with(&posed, options, self.inquiry.others.as_ref(), budget) {
            Solved::Unreachable(proof) => self.proved(Relation::Matched, identity, proof, budget),
            Solved::Reached { found, refuted } => {
                // No strategy keeps up longer than the refuted length: below it, identity succeeds.
                self.facts.potential.refute(refuted);
                let shortest = refuted + 1 >= found.steps;
                let engine = self.finder(&found, Engine::Bmc);
                match self.judged(found, shortest, budget)? {
                    Some(kill) => self.learn(Relation::Matched, engine, kill, budget),
                    None => Ok(()),
                }
            }
            Solved::Open { refuted, .. } => {
                self.facts.potential.refute(refuted);
                Ok(())
            }
        }
    }

    /// Tries a strategy by which one side (both for definite kills) keeps outputs equal. Records a proof if it succeeds for ever, and a
    /// kill if all strategies fail where it fails.
    pub(super) fn steer(
        &mut self,
        relation: Relation,
        preference: Preference,
        options: &Options,
        budget: &Budget,
    ) -> Taken {
        let (model, mutant) = (self.inquiry.model, self.mutant);
        let question = match relation {
            Relation::Matched => question::tracked(model, mutant, preference),
            Relation::Agreeing => question::agreeing(model, mutant, preference),
        };
        // Some preferences need only part of the choices; others cannot be posed if there are too many.
        let Ok(question) = question else {
            return Ok(());
        };
        match solve(&question.pose(model), options, budget) {
            Solved::Unreachable(proof) => self.proved(relation, question, proof, budget),
            Solved::Reached { found, refuted } => {
                // While this strategy succeeds on all tests of a length, none of them kills.
                self.facts.of_mut(relation).refute(refuted);
                let shortest = refuted + 1 >= found.steps;
                match question::runs(&question, model, &found) {
                    Some(runs) => self.failed_on(relation, runs, shortest, budget),
                    None => Ok(()),
                }
            }
            Solved::Open { refuted, .. } => {
                self.facts.of_mut(relation).refute(refuted);
                Ok(())
            }
        }
    }

    /// Records a kill if every strategy fails on the inputs of these runs, as one strategy did; `shortest` says whether no shorter kill
    /// exists.
    fn failed_on(
        &mut self,
        relation: Relation,
        runs: [Stimulus; 2],
        shortest: bool,
        budget: &Budget,
    ) -> Taken {
        let kill = match relation {
            Relation::Matched => {
                let found = Found {
                    steps: runs[1].steps.len(),
                    runs: runs.to_vec(),
                };
                self.judged(found, shortest, budget)?
            }
            Relation::Agreeing => {
                let inputs = &runs[0].steps;
                match can_agree(self.inquiry.model, self.mutant, inputs, None, budget) {
                    Judgement::Never => Some(self.kill(runs, shortest, budget)?),
                    Judgement::Exists | Judgement::Unsettled(_) => None,
                }
            }
        };
        match kill {
            Some(kill) => self.learn(relation, Engine::Bmc, kill, budget),
            None => Ok(()),
        }
    }

    /// Searches a kill by expansion of universal runs, one length after the other: a first one, or one shorter than the known one.
    pub(super) fn expand(
        &mut self,
        relation: Relation,
        purpose: Purpose,
        effort: &Effort,
        budget: &Budget,
    ) -> Taken {
        let best = self.facts.of(relation).best.as_ref();
        let steps = match (purpose, best) {
            (Purpose::Shorten, Some((_, kill))) => kill.steps() - 1,
            _ => effort.steps,
        };
        let search = self.expansion(relation)?;
        let mut found = None;
        let mut stop = Stop::Bound;
        while found.is_none()
            && search.refuted() < steps
            && search.size() < effort.gates
            && budget.stopped().is_none()
        {
            match search.deepen(Some(effort.conflicts), budget) {
                Depth::Reached(runs) => found = Some(runs),
                Depth::Refuted => search.pass_over_what_is_over(steps),
                Depth::Undecided(why) => {
                    stop = why;
                    break;
                }
            }
        }
        let refuted = search.refuted();
        self.open(relation, refuted, stop);
        match found {
            Some(found) => self.expanded(relation, found, budget),
            None => Ok(()),
        }
    }

    /// Records the kill by these runs, which expansion found as a shortest one, after its claim about all runs is checked.
    fn expanded(&mut self, relation: Relation, found: Found, budget: &Budget) -> Taken {
        let Ok([first, second]) = <[_; 2]>::try_from(found.runs) else {
            self.facts.of_mut(relation).reason = Reason::Bound;
            return Ok(());
        };
        // The formulas' prefixes order the runs.
        let [model_run, mut mutant_run] = match relation {
            Relation::Matched => [second, first],
            Relation::Agreeing => [first, second],
        };
        let model_run = match relation {
            Relation::Agreeing => model_run,
            Relation::Matched => self.beside(&mutant_run, budget).unwrap_or(model_run),
        };
        mutant_run.steps.truncate(model_run.steps.len());
        let kill: Result<_, DecideError> = self.kill([model_run, mutant_run], true, budget);
        let kill = self.confirmed(relation, kill?, budget)?;
        self.learn(relation, Engine::ExistsForall, kill, budget)
    }
}
