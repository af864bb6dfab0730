//! Definite kills (φ3, and φ4 where the model is deterministic), and proofs that there are none.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{Engine, Kill, Strength};
use hyperkill_formulas::compose::{Sharing, self_compose};
use hyperkill_formulas::killing;

use super::potential::{Bounded, FIRST_LOOK, GLANCE, larger, shorten_by_expansion};
use super::shorten::shorten;
use super::{Answer, DecideError, Inquiry};
use crate::exists_forall::{ExistsForall, Sides};
use crate::judge::{Judgement, accepts, can_agree};
use crate::question::QuestionError;
use crate::simulate;

/// Conflicts within which the solver must tell that two sides cannot agree on random inputs: inputs that kill mostly do so for a plain
/// reason.
const CONFLICTS: u32 = 2_000;
/// Gates times steps above which it is not asked.
const LARGEST: usize = 1 << 23;

impl Inquiry<'_> {
    /// Decides whether on some inputs that both accept no run of the mutant has the outputs of any run of the model. `at_hand` is a
    /// potential kill; no test of up to `known_to` steps kills potentially.
    pub(super) fn definitely(
        &self,
        mutant: usize,
        at_hand: Option<(Engine, &Kill)>,
        mut known_to: usize,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let definite = at_hand.filter(|(_, kill)| kill.strength == Strength::Definite);
        let look = if definite.is_some() {
            GLANCE
        } else {
            FIRST_LOOK
        };
        if self.engines.subsets
            && let Some(answer) =
                self.explored(mutant, Relation::Agreeing, look, &mut known_to, budget)?
        {
            return Ok(answer);
        }
        if let Some((engine, kill)) = definite {
            return self.shortest_definite(mutant, engine, kill.clone(), budget);
        }
        if self.engines.simulation
            && let Some(kill) = self.simulated(mutant, budget)?
        {
            return self.shortest_definite(mutant, Engine::Simulation, kill, budget);
        }
        if let Some(answer) = self.steered(mutant, Relation::Agreeing, &mut known_to, budget)? {
            return Ok(answer);
        }
        if let Some(stop) = budget.stopped() {
            return Ok(Answer::open(known_to, stop));
        }
        let composition = self.definite_question(mutant)?;
        let sides = Sides::of(&composition);
        let mut search = ExistsForall::new(&composition, &sides);
        match self.within_bound(&mut search, &mut known_to, budget) {
            Bounded::Found(found) => return self.found(mutant, Relation::Agreeing, found, budget),
            Bounded::Nothing(answer) => return Ok(answer),
            Bounded::Open => {}
        }
        let mut turn = 0;
        loop {
            let mut stop = Stop::Bound;
            // What strengthens a verdict may cost less than what makes one.
            // With the same effort as the turn before they would end as they did then.
            let fresh = turn == 0 || larger(turn) != larger(turn - 1);
            if self.engines.subsets && !self.strengthen && fresh {
                let effort = larger(turn);
                let answer =
                    self.explored(mutant, Relation::Agreeing, effort, &mut known_to, budget)?;
                if let Some(answer) = answer {
                    return Ok(answer);
                }
            }
            if self.engines.exists_forall {
                match self.deepen(&mut search, turn, usize::MAX, budget) {
                    Ok(found) => return self.found(mutant, Relation::Agreeing, found, budget),
                    Err(why) => stop = why,
                }
                known_to = known_to.max(search.refuted());
            }
            if self.strengthen || self.is_over(turn, known_to, stop, budget) {
                let stop = self.why_over(stop);
                return Ok(Answer::open(known_to, budget.stopped().unwrap_or(stop)));
            }
            turn += 1;
        }
    }

    fn definite_question(
        &self,
        mutant: usize,
    ) -> Result<hyperkill_formulas::compose::Composition, DecideError> {
        let formula = if self.deterministic() {
            killing::phi4()
        } else {
            killing::phi3()
        };
        let composition = self_compose(
            self.model,
            mutant,
            &crate::fault::with_selectors_inside(formula),
            Sharing::Independent,
        );
        Ok(composition.map_err(QuestionError::from)?)
    }

    /// A definite kill on random inputs: one solver call settles the universal half, and the inputs are shortened while they still kill.
    fn simulated(&self, mutant: usize, budget: &Budget) -> Result<Option<Kill>, DecideError> {
        // Test inputs on which both can agree: their prefixes are no kills either.
        let mut agreed: Vec<Vec<bool>> = Vec::new();
        let test_inputs = |step: &Vec<bool>| -> Vec<bool> {
            self.model.input_bits().map(|bit| step[bit]).collect()
        };
        // The longest would cost the solver too much.
        for effort in &simulate::EFFORTS[..3] {
            if budget.stopped().is_some() {
                return Ok(None);
            }
            let runs =
                simulate::surviving(self.model, mutant, effort, self.seed, self.limits.bound);
            for [model_run, mutant_run] in runs {
                if budget.stopped().is_some() {
                    return Ok(None);
                }
                let inputs = &model_run.steps;
                let read: Vec<Vec<bool>> = inputs.iter().map(test_inputs).collect();
                let size = self.model.aig.gate_count() * inputs.len();
                if size > LARGEST || agreed.starts_with(&read) {
                    continue;
                }
                match can_agree(self.model, mutant, inputs, Some(CONFLICTS), budget) {
                    Judgement::Never => {}
                    Judgement::Exists => {
                        agreed = read;
                        continue;
                    }
                    Judgement::Unsettled(_) => continue,
                }
                let short = shorten(inputs, budget, |inputs| {
                    self.kills_definitely(mutant, inputs, budget)
                });
                let cut = |mut run: Stimulus| {
                    run.steps.truncate(short.len());
                    run
                };
                let runs = if short.as_slice() == &inputs[..short.len()] {
                    [cut(model_run), cut(mutant_run)]
                } else {
                    let variants = [Variant::Original, Variant::Mutant(mutant)];
                    let [model, mutated] =
                        variants.map(|v| crate::judge::run_of(self.model, v, &short, &[], budget));
                    match (model, mutated) {
                        (Some(model), Some(mutated)) => [model, mutated],
                        _ => continue,
                    }
                };
                let kill = self.kill(mutant, runs, false, budget)?;
                let kill = self.confirmed(mutant, Relation::Agreeing, kill, budget)?;
                return Ok(Some(kill));
            }
        }
        Ok(None)
    }

    fn kills_definitely(&self, mutant: usize, inputs: &[Vec<bool>], budget: &Budget) -> bool {
        let accepted = |variant| accepts(self.model, variant, inputs, budget) == Judgement::Exists;
        can_agree(self.model, mutant, inputs, Some(CONFLICTS), budget) == Judgement::Never
            && accepted(Variant::Original)
            && accepted(Variant::Mutant(mutant))
    }

    /// The shortest definite kill, if ∃∀ finds it with little effort, else the one at hand.
    fn shortest_definite(
        &self,
        mutant: usize,
        engine: Engine,
        mut kill: Kill,
        budget: &Budget,
    ) -> Result<Answer, DecideError> {
        let worthwhile = self.engines.exists_forall && budget.stopped().is_none();
        if self.shortest && worthwhile && !kill.shortest {
            let composition = self.definite_question(mutant)?;
            let sides = Sides::of(&composition);
            let mut search = ExistsForall::new(&composition, &sides);
            if let Some(found) = shorten_by_expansion(&mut search, kill.steps(), budget)
                && let Answer::Killed(engine, shorter) =
                    self.found(mutant, Relation::Agreeing, found, budget)?
            {
                return Ok(Answer::Killed(engine, shorter));
            }
            kill.shortest = search.refuted() + 1 >= kill.steps();
        }
        Ok(Answer::Killed(engine, kill))
    }
}
