//! The pairs of states that a relation may contain. If few variables may differ between the two states, diagrams stay small.

use hyperkill_core::budget::Stop;

use super::Among;
use super::game::Game;
use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT};

impl Game<'_, '_> {
    /// Returns the pairs of states (model, mutant) that `among` permits: all, equal ones, or pairs that differ only in certain latches.
    pub(super) fn near(&mut self, among: Among) -> Result<Bdd, Stop> {
        let differing = match among {
            Among::All => return Ok(Bdd::TRUE),
            Among::Equal => vec![Bdd::FALSE; self.system.sides[MUTANT].states.len()],
            Among::Alike => self.mutated()?,
            Among::Chosen => {
                let mut differing = self.mutated()?;
                for side in [MODEL, MUTANT] {
                    for (latch, chosen) in differing.iter_mut().zip(self.chosen(side)?) {
                        *latch = if chosen { Bdd::TRUE } else { *latch };
                    }
                }
                differing
            }
        };
        let [model, mutant] = [&self.system.sides[MODEL], &self.system.sides[MUTANT]];
        let pairs = model.states.iter().zip(&mutant.states);
        let levels: Vec<(Level, Level)> = pairs.map(|(o, m)| (o.now, m.now)).collect();
        let store = &mut self.system.store;
        let mut near = Bdd::TRUE;
        // From the bottom of the order to its top, so that intermediate diagrams stay small.
        for ((o, m), differs) in levels.into_iter().zip(differing).rev() {
            let (o, m) = (store.variable(o), store.variable(m));
            let same = store.iff(o, m)?;
            let near_here = store.or(same, differs)?;
            near = store.and(near, near_here)?;
        }
        Ok(near)
    }

    /// Returns for each latch, in the order of the states, the members that change its next-state function, as a set of selector values.
    fn mutated(&mut self) -> Result<Vec<Bdd>, Stop> {
        let [model, mutant] = [&self.system.sides[MODEL], &self.system.sides[MUTANT]];
        let states = model.states.iter().zip(&mutant.states);
        let choices = model.choices.iter().zip(&mutant.choices);
        let pairs = states
            .map(|(o, m)| (o.now, m.now))
            .chain(choices.map(|(o, m)| (o.1, m.1)));
        let pairs: Vec<(Level, Level)> = pairs.collect();
        let nexts: Vec<(Bdd, Bdd)> = model
            .next
            .iter()
            .copied()
            .zip(mutant.next.iter().copied())
            .collect();
        let selectors: Vec<Level> = self.system.selectors.iter().map(|s| s.1).collect();
        let store = &mut self.system.store;
        let others = (0..store.levels() as Level).filter(|level| !selectors.contains(level));
        let others = store.cube(others.collect::<Vec<_>>())?;
        let images: Vec<(Level, Bdd)> = pairs
            .into_iter()
            .map(|(o, m)| (o, store.variable(m)))
            .collect();
        let renamed = store.substitution(images);
        let mut mutated = Vec::new();
        for (model, mutant) in nexts {
            let model = store.substitute(model, &renamed)?;
            let differ = store.xor(model, mutant)?;
            mutated.push(store.exists(differ, others)?);
        }
        Ok(mutated)
    }

    /// Returns for each latch, in the order of the states, whether two choices of a side can lead from some state, with the same inputs and
    /// outputs, to states that differ in this latch alone.
    fn chosen(&mut self, side: usize) -> Result<Vec<bool>, Stop> {
        let [here, other] = [&self.system.sides[side], &self.system.sides[1 - side]];
        let choices = here.choices.iter().zip(&other.choices);
        let choices: Vec<(Level, Level)> = choices.map(|(h, o)| (h.1, o.1)).collect();
        let [constraints, outputs, next] = [&here.constraints, &here.outputs, &here.next];
        let [constraints, outputs, next] = [constraints.clone(), outputs.clone(), next.clone()];
        let store = &mut self.system.store;
        let images: Vec<(Level, Bdd)> = choices
            .into_iter()
            .map(|(here, other)| (here, store.variable(other)))
            .collect();
        let otherwise = store.substitution(images);
        let mut alike = Bdd::TRUE;
        for constraint in constraints {
            let too = store.substitute(constraint, &otherwise)?;
            let both = store.and(constraint, too)?;
            alike = store.and(alike, both)?;
        }
        let mut same = |functions: Vec<Bdd>| -> Result<Vec<Bdd>, Stop> {
            let mut same = Vec::new();
            for function in functions {
                let too = store.substitute(function, &otherwise)?;
                same.push(store.iff(function, too)?);
            }
            Ok(same)
        };
        let (outputs, latches) = (same(outputs)?, same(next)?);
        for same in outputs {
            alike = store.and(alike, same)?;
        }
        // For each latch the condition that all later ones are equal.
        let mut behind = vec![Bdd::TRUE];
        let mut all = Bdd::TRUE;
        for &same in latches.iter().skip(1).rev() {
            all = store.and(all, same)?;
            behind.push(all);
        }
        let mut chosen = Vec::new();
        for (&same, behind) in latches.iter().zip(behind.into_iter().rev()) {
            let others = store.and(alike, behind)?;
            chosen.push(store.without(others, same)? != Bdd::FALSE);
            alike = store.and(alike, same)?;
        }
        Ok(chosen)
    }
}
