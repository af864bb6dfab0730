//! Definite kills by inputs from random simulation: a solver decides whether all runs on them differ.

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::Engine;

use super::shorten::shorten;
use super::work::{Deciding, Taken};
use crate::engines::random_simulation;
use crate::judge::{Judgement, accepts, can_agree, run_of};
use crate::schedule::efforts;

impl Deciding<'_> {
    /// Asks a solver whether random inputs kill the mutant definitely, for all choices of both sides. The first inputs that do are
    /// shortened while they still kill, and the confirmed kill is recorded. If none do before a limit, nothing is recorded.
    pub(super) fn simulate(&mut self, budget: &Budget) -> Taken {
        let model = self.inquiry.model;
        let bound = self.inquiry.schedule.reachability.bound;
        // Test inputs on which both sides can agree: prefixes of them are no kills either.
        let mut agreed: Vec<Vec<bool>> = Vec::new();
        let test_inputs =
            |step: &Vec<bool>| -> Vec<bool> { model.input_bits().map(|bit| step[bit]).collect() };
        for effort in efforts::simulated_for_definite() {
            let seed = self.inquiry.seed;
            for runs in random_simulation::surviving(model, self.mutant, effort, seed, bound) {
                if budget.stopped().is_some() {
                    return Ok(());
                }
                let inputs = &runs[0].steps;
                let read: Vec<Vec<bool>> = inputs.iter().map(test_inputs).collect();
                let size = model.aig.gate_count() * inputs.len();
                if size > efforts::LARGEST_JUDGED || agreed.starts_with(&read) {
                    continue;
                }
                match self.can_agree_at_once(inputs, budget) {
                    Judgement::Never => {}
                    Judgement::Exists => {
                        agreed = read;
                        continue;
                    }
                    Judgement::Unsettled(_) => continue,
                }
                if let Some(runs) = self.shortened(runs, budget) {
                    let kill = self.kill(runs, false, budget)?;
                    let kill = self.confirmed(Relation::Agreeing, kill, budget)?;
                    return self.learn(Relation::Agreeing, Engine::Simulation, kill, budget);
                }
            }
        }
        Ok(())
    }

    /// Returns a run of each side on a shorter sequence of inputs that still kills definitely; `None` if a limit prevents it.
    fn shortened(
        &self,
        [model_run, mutant_run]: [Stimulus; 2],
        budget: &Budget,
    ) -> Option<[Stimulus; 2]> {
        let inputs = &model_run.steps;
        let kills = |inputs: &[Vec<bool>]| self.kills_definitely(inputs, budget);
        let short = shorten(inputs, budget, kills);
        if short.as_slice() == &inputs[..short.len()] {
            let cut = |mut run: Stimulus| {
                run.steps.truncate(short.len());
                run
            };
            return Some([cut(model_run), cut(mutant_run)]);
        }
        let run = |variant| run_of(self.inquiry.model, variant, &short, &[], budget);
        Some([run(Variant::Original)?, run(Variant::Mutant(self.mutant))?])
    }

    /// Asks whether both sides can agree on these inputs, with a small limit of conflicts, which suffices for most inputs that kill
    /// definitely.
    fn can_agree_at_once(&self, inputs: &[Vec<bool>], budget: &Budget) -> Judgement {
        let conflicts = Some(efforts::JUDGED_AT_ONCE);
        can_agree(self.inquiry.model, self.mutant, inputs, conflicts, budget)
    }

    fn kills_definitely(&self, inputs: &[Vec<bool>], budget: &Budget) -> bool {
        let model = self.inquiry.model;
        let accepted = |variant| accepts(model, variant, inputs, budget) == Judgement::Exists;
        self.can_agree_at_once(inputs, budget) == Judgement::Never
            && accepted(Variant::Original)
            && accepted(Variant::Mutant(self.mutant))
    }
}
