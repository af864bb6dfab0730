//! Reconstructs the runs of a kill from the visited estimates, from the last step back to the first.

use hyperkill_core::budget::Stop;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use rustc_hash::FxHashMap;

use super::kills::{Kill, KillSearch};
use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT};

impl KillSearch<'_, '_> {
    /// Returns the kill of a mutant by one more step from the position `last`, with inputs and outputs in `by`: a run of the mutant and a
    /// run of the model. `None` if there is no such run.
    pub(super) fn runs(
        &mut self,
        mutant: SelectorId,
        last: usize,
        by: Bdd,
    ) -> Result<Option<Kill>, Stop> {
        // The mutant's run is built first, backwards; it determines the inputs and outputs.
        let mut numbers = vec![(last, by)];
        let mut number = last;
        while let Some((before, by)) = self.positions[number].before {
            numbers.push((before, by));
            number = before;
        }
        let selected = self.selected(mutant)?;
        let mut taken = Taken::default();
        let mut after = Bdd::TRUE;
        let mut observed = Vec::new();
        for &(number, by) in &numbers {
            let from = self.positions[number].mutants;
            let store = &mut self.system.store;
            let from = store.all(&[from, by, selected, after])?;
            let Some(step) = self.step(MUTANT, from, true)? else {
                return Ok(None);
            };
            observed.push(self.observation(&step)?);
            after = self.leading_to(MUTANT, &step)?;
            taken.push(self.concrete(MUTANT, &step));
        }
        let mutant_run = taken.into_run(self.system.model, mutant, true);
        let Some(model_run) = self.model_run(&numbers, &observed, mutant)? else {
            return Ok(None);
        };
        Ok(Some(Kill {
            mutant,
            model_run,
            mutant_run,
        }))
    }

    /// Returns a run of the model on the inputs of `observed` (inputs and outputs, last step first). Its outputs agree up to the last step,
    /// if such a run exists. `None` if it refuses the inputs.
    fn model_run(
        &mut self,
        numbers: &[(usize, Bdd)],
        observed: &[[Bdd; 2]],
        mutant: SelectorId,
    ) -> Result<Option<Stimulus>, Stop> {
        for agrees in [true, false] {
            let mut taken = Taken::default();
            let mut after = Bdd::TRUE;
            for (place, (&(number, _), [inputs, outputs])) in
                numbers.iter().zip(observed).enumerate()
            {
                let position = &self.positions[number];
                let from = if agrees {
                    position.agreeing
                } else {
                    position.accepting
                };
                let shows = agrees && place > 0;
                let store = &mut self.system.store;
                let outputs = if shows { *outputs } else { Bdd::TRUE };
                let from = store.all(&[from, *inputs, outputs, after])?;
                let Some(step) = self.step(MODEL, from, shows)? else {
                    break;
                };
                after = self.leading_to(MODEL, &step)?;
                taken.push(self.concrete(MODEL, &step));
            }
            if taken.steps.len() == numbers.len() {
                return Ok(Some(taken.into_run(self.system.model, mutant, false)));
            }
        }
        Ok(None)
    }

    /// Returns the values of all variables in some step of one side that satisfies `from`; `None` if there is none. With `shows`, `from`
    /// may also restrict outputs.
    fn step(
        &mut self,
        side: usize,
        from: Bdd,
        shows: bool,
    ) -> Result<Option<FxHashMap<Level, bool>>, Stop> {
        let mut step = from;
        let parts = match shows {
            true => self.all_parts[side].clone(),
            false => self.system.parts(side, false)?,
        };
        for part in parts {
            step = self.system.store.and(step, part)?;
        }
        let picked = self.system.store.pick(step);
        Ok(picked.map(|values| values.into_iter().collect()))
    }

    /// Returns the condition on inputs and the condition on outputs that hold in this step alone.
    fn observation(&mut self, step: &FxHashMap<Level, bool>) -> Result<[Bdd; 2], Stop> {
        let levels = [self.system.input_levels(), self.system.shown.clone()];
        let mut conditions = [Bdd::TRUE; 2];
        for (condition, levels) in conditions.iter_mut().zip(levels) {
            *condition = self.fixed(levels.into_iter().map(|level| (level, level)), step)?;
        }
        Ok(conditions)
    }

    /// Returns the condition that the first variable of each pair has the value that `step` gives to the second.
    fn fixed(
        &mut self,
        pairs: impl Iterator<Item = (Level, Level)>,
        step: &FxHashMap<Level, bool>,
    ) -> Result<Bdd, Stop> {
        let mut all = Bdd::TRUE;
        for (variable, of) in pairs {
            let value = step.get(&of).copied().unwrap_or(false);
            let variable = self.system.store.variable(variable);
            all = self
                .system
                .store
                .and(all, variable.complemented_if(!value))?;
        }
        Ok(all)
    }

    /// Returns the condition that a step of the side ends in the state in which `step` begins.
    fn leading_to(&mut self, side: usize, step: &FxHashMap<Level, bool>) -> Result<Bdd, Stop> {
        let states = &self.system.sides[side].states;
        let pairs: Vec<(Level, Level)> = states.iter().map(|s| (s.next, s.now)).collect();
        self.fixed(pairs.into_iter(), step)
    }

    /// Returns, from the values of a step, the state before it and its inputs, by index of circuit latch and circuit input.
    fn concrete(&self, side: usize, step: &FxHashMap<Level, bool>) -> (Vec<bool>, Vec<bool>) {
        let aig = &self.system.model.aig;
        let value = |level: Level| step.get(&level).copied().unwrap_or(false);
        let mut inputs = vec![false; aig.inputs().len()];
        let side = &self.system.sides[side];
        for &(input, level) in self.system.inputs.iter().chain(&side.choices) {
            inputs[input] = value(level);
        }
        let mut state: Vec<bool> = aig
            .latches()
            .iter()
            .map(|latch| latch.reset.as_constant().unwrap_or(false))
            .collect();
        for of in &side.states {
            state[of.latch] = value(of.now);
        }
        (state, inputs)
    }
}

/// A run that is built backwards: states and inputs of its steps, the last one first.
#[derive(Default)]
struct Taken {
    steps: Vec<(Vec<bool>, Vec<bool>)>,
}

impl Taken {
    fn push(&mut self, step: (Vec<bool>, Vec<bool>)) {
        self.steps.push(step);
    }

    fn into_run(self, model: &ConditionalMutant, mutant: SelectorId, is_on: bool) -> Stimulus {
        let mut initial = match self.steps.last() {
            Some((state, _)) => state.clone(),
            None => Vec::new(),
        };
        for (id, selector) in model.selector_ids().zip(&model.selectors) {
            if let Some(value) = initial.get_mut(selector.latch) {
                *value = is_on && id == mutant;
            }
        }
        let steps = self.steps.into_iter().rev();
        Stimulus {
            initial: initial.into(),
            steps: steps.map(|(_, inputs)| inputs).collect(),
        }
    }
}
