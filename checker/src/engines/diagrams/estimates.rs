//! The proof from an exhausted search on state estimates: estimates, and circuits that choose the model's run backwards.

use std::collections::hash_map::Entry;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Stop;
use hyperkill_evidence::estimates::Estimates;
use rustc_hash::FxHashMap;

use super::circuit::Circuit;
use super::kills::KillSearch;
use super::store::{Bdd, Level};
use super::strategy::functions;
use super::system::{MODEL, MUTANT};

/// A state estimate of the model, with the mutants' states that have been expanded together with it.
struct Estimate {
    /// The index of the estimate in the list `known` of the search.
    known: usize,
    /// The condition that the number variables encode the number of this estimate.
    numbered: Bdd,
    /// The mutants' states expanded with this estimate, over current-state variables; `coming` has them over next-state variables.
    beside: Bdd,
    coming: Bdd,
    agreeing: Bdd,
}

impl KillSearch<'_, '_> {
    /// Returns the proof that no test kills the members that are in `left`, as state estimates. `None` if a mutant takes an input that the
    /// model refuses, or if there are too many estimates.
    pub(super) fn estimates(
        &mut self,
        members: &[SelectorId],
        left: Bdd,
    ) -> Result<Option<Estimates>, Stop> {
        let mut proved = Vec::new();
        for &member in members {
            let selected = self.selected(member)?;
            if self.system.store.and(left, selected)? != Bdd::FALSE {
                proved.push(member);
            }
        }
        let Some(estimates) = self.numbered(left)? else {
            return Ok(None);
        };
        let (mut beside, mut contains) = (Bdd::FALSE, Bdd::FALSE);
        let mut next = vec![Bdd::FALSE; self.system.numbers.len()];
        // The bits of the estimate's number after a step to a set of the model's states, by the number of that set.
        let mut numbers: FxHashMap<usize, Vec<Bdd>> = FxHashMap::default();
        for estimate in &estimates {
            let Some(steps) = self.next_numbers(estimate, &estimates, &mut numbers)? else {
                return Ok(None);
            };
            let store = &mut self.system.store;
            for (bit, step) in next.iter_mut().zip(steps) {
                let here = store.and(estimate.numbered, step)?;
                *bit = store.or(*bit, here)?;
            }
            let here = store.and(estimate.numbered, estimate.beside)?;
            beside = store.or(beside, here)?;
            let here = store.and(estimate.numbered, estimate.agreeing)?;
            contains = store.or(contains, here)?;
        }
        let last = self.chosen(contains, false)?;
        let before = self.chosen(contains, true)?;
        let named = last.iter().chain(&before).map(|&(_, function)| function);
        let all = named.chain(next.iter().copied()).chain([beside, contains]);
        let circuit = Circuit::of(self.system, all)?;
        Ok(Some(Estimates {
            members: proved,
            beside: circuit.source(beside),
            contains: circuit.source(contains),
            next: next.iter().map(|&bit| circuit.source(bit)).collect(),
            last: circuit.named(last),
            before: circuit.named(before),
            order: circuit.order(),
            multiplexers: circuit.multiplexers,
        }))
    }

    /// Returns, numbered from 0 for the initial one, the estimates with which states of a mutant in `left` have been expanded; `None` if
    /// there are too many.
    fn numbered(&mut self, left: Bdd) -> Result<Option<Vec<Estimate>>, Stop> {
        let mut needed = Vec::new();
        for known in 0..self.known.len() {
            let beside = self.known[known].expanded;
            let beside = self.system.store.and(beside, left)?;
            if beside != Bdd::FALSE {
                needed.push((known, beside));
            }
        }
        let bits = usize::BITS - needed.len().saturating_sub(1).leading_zeros();
        if bits as usize > self.system.numbers.len() {
            return Ok(None);
        }
        self.system.numbers.truncate(bits as usize);
        let mut estimates = Vec::new();
        for (number, (known, beside)) in needed.into_iter().enumerate() {
            let numbered = self.number(number)?;
            let coming = self.system.coming(MUTANT, beside)?;
            estimates.push(Estimate {
                known,
                numbered,
                beside,
                coming,
                agreeing: self.known[known].agreeing,
            });
        }
        Ok(Some(estimates))
    }

    /// Returns the condition that the number variables encode this number.
    fn number(&mut self, number: usize) -> Result<Bdd, Stop> {
        let levels = self.system.numbers.clone();
        let store = &mut self.system.store;
        let mut all = Bdd::TRUE;
        for (bit, level) in levels.into_iter().enumerate().rev() {
            let variable = store.variable(level);
            let value = if number >> bit & 1 == 1 {
                variable
            } else {
                !variable
            };
            all = store.and(all, value)?;
        }
        Ok(all)
    }

    /// Returns the bits, as functions, of the next estimate's number after steps of the mutants beside an estimate; `None` if the model
    /// cannot match some step. `numbers` caches them by index of the model's next estimate.
    fn next_numbers(
        &mut self,
        estimate: &Estimate,
        estimates: &[Estimate],
        numbers: &mut FxHashMap<usize, Vec<Bdd>>,
    ) -> Result<Option<Vec<Bdd>>, Stop> {
        let accepting = self.known[estimate.known].accepting;
        let [shown, answered] = self.shown_and_answered(estimate.beside, estimate.agreeing)?;
        if self.system.store.without(shown, answered)? != Bdd::FALSE {
            return Ok(None);
        }
        let mut left = shown;
        let [by, accepted_by] = self.leads(estimate.agreeing, accepting)?;
        let mut next = vec![Bdd::FALSE; self.system.numbers.len()];
        while left != Bdd::FALSE {
            let class = self.class(left, by, accepted_by)?;
            left = self.system.store.without(left, class)?;
            let (agreeing, accepting) = self.after(estimate.agreeing, accepting, class)?;
            let known = self.known(agreeing, accepting)?;
            let numbers = match numbers.entry(known) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(room) => room.insert(self.number_behind(known, estimates)?),
            };
            for (bit, &behind) in next.iter_mut().zip(numbers.iter()) {
                let here = self.system.store.and(class, behind)?;
                *bit = self.system.store.or(*bit, here)?;
            }
        }
        Ok(Some(next))
    }

    /// Returns the bits, as functions of a mutant's next state, of the number of an estimate that is a subset of the model's next estimate
    /// (index `known`) and with which that state has been expanded.
    fn number_behind(&mut self, known: usize, estimates: &[Estimate]) -> Result<Vec<Bdd>, Stop> {
        let mut bits = vec![Bdd::FALSE; self.system.numbers.len()];
        let mut free = Bdd::TRUE;
        for (number, estimate) in estimates.iter().enumerate() {
            let fits = estimate.known == known || self.known[known].below.contains(&estimate.known);
            if !fits {
                continue;
            }
            let store = &mut self.system.store;
            let here = store.and(estimate.coming, free)?;
            if here == Bdd::FALSE {
                continue;
            }
            free = store.without(free, here)?;
            for (bit, all) in bits.iter_mut().enumerate() {
                if number >> bit & 1 == 1 {
                    *all = store.or(*all, here)?;
                }
            }
        }
        Ok(bits)
    }

    /// Returns functions that select, from the states in `contains`, a state and choices that give the required outputs. With `leads`, the
    /// step must also reach the required next state.
    fn chosen(&mut self, contains: Bdd, leads: bool) -> Result<Vec<(Level, Bdd)>, Stop> {
        let parts = match leads {
            true => self.system.parts(MODEL, true)?,
            false => self.system.observed_parts(MODEL)?,
        };
        let side = &self.system.sides[MODEL];
        let chosen = [side.now(), side.chosen()].concat();
        let store = &mut self.system.store;
        let mut wanted = contains;
        for part in parts.into_iter().rev() {
            wanted = store.and(wanted, part)?;
        }
        functions(store, wanted, chosen)
    }
}
