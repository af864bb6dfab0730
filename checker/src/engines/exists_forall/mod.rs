//! Counterexample-guided expansion of ∃∀ questions to a bound (semantics.md §6.7).
//!
//! An outer solver proposes runs of the existential copies that all known strategies of the universal copies fail to refute. An inner
//! solver searches universal runs that refute the proposal. Each refutation becomes a strategy: a function of the existential runs where
//! possible, constants last. A universal run counts only if it survives to the common length.

mod answer;
mod candidates;
mod function;
mod generalise;
mod play;
mod refuter;
mod sides;
mod strategy;

use hyperkill_core::Lit;
use hyperkill_core::aig::Cone;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_formulas::compose::Composition;

use crate::engines::bmc::Depth;
use crate::question::Found;
use crate::schedule::engine_efforts::REFINEMENTS_OF_DEPTH;
use candidates::{Candidates, Proposed};
use generalise::Generaliser;
use play::{Candidate, Play};
use refuter::{Answered, Refutation, Refuter};
pub use sides::Sides;
use strategy::Strategy;

/// A search for existential runs that no universal runs refute, one length after the other.
pub struct ExistsForall<'a> {
    composition: &'a Composition,
    sides: &'a Sides,
    /// The cone of all literals that plays evaluate.
    cone: Cone,
    candidates: Candidates<'a>,
    refuter: Refuter<'a>,
    generaliser: Generaliser,
    /// Strategies that may refute a candidate without a solver call; they are not expanded yet.
    pool: Vec<Strategy>,
    refuted: usize,
    /// A length, in steps, that no existential runs reach; `None` if none is known.
    over_at: Option<usize>,
    expansions: usize,
}

impl<'a> ExistsForall<'a> {
    /// Returns a search that has refuted no length and expanded no strategies. It holds in reserve strategies that copy existential runs,
    /// and tries these before it asks a solver for a refutation.
    #[must_use]
    pub fn new(composition: &'a Composition, sides: &'a Sides) -> ExistsForall<'a> {
        let product = &composition.product;
        let generaliser = Generaliser::new(composition, sides);
        let mut pool = Strategy::copying(composition, sides);
        let greedy = pool
            .iter()
            .filter_map(|strategy| strategy.made_greedy(product, sides));
        pool.extend(greedy.collect::<Vec<_>>());
        let roots = sides
            .universal_roots()
            .chain(generaliser.literals().iter().copied());
        let roots: Vec<Lit> = roots.chain(pool.iter().flat_map(Strategy::reads)).collect();
        ExistsForall {
            composition,
            sides,
            cone: Cone::sequential(&product.aig, roots),
            candidates: Candidates::new(product, sides),
            refuter: Refuter::new(product, sides),
            generaliser,
            pool,
            refuted: 0,
            over_at: None,
            expansions: 0,
        }
    }

    /// Returns the largest n found so far such that no runs of at most n steps satisfy the formula.
    #[must_use]
    pub fn refuted(&self) -> usize {
        self.refuted
    }

    /// Skips a length that was not refuted. From now on [`ExistsForall::refuted`] only says how far the search has come.
    pub fn pass_over(&mut self) {
        self.refuted += 1;
    }

    /// Returns a length, in steps, that no existential runs reach; `None` if none has been found.
    #[must_use]
    pub fn over_at(&self) -> Option<usize> {
        self.over_at
    }

    /// Asks whether existential runs of the last refuted length exist, and records the length if there are none; see
    /// [`ExistsForall::over_at`].
    pub fn look_for_the_end(&mut self, conflicts: Option<u32>, budget: &Budget) {
        if self.over_at.is_none() && self.refuted > 0 && self.candidates.are_over(conflicts, budget)
        {
            self.over_at = Some(self.refuted);
        }
    }

    /// Counts all lengths up to `steps` as refuted if a length is known that no existential runs reach.
    pub fn pass_over_what_is_over(&mut self, steps: usize) {
        if self.over_at.is_some() {
            self.refuted = self.refuted.max(steps);
        }
    }

    /// Returns the number of gates of the search, which determines the cost of the next lengths.
    #[must_use]
    pub fn size(&self) -> usize {
        self.candidates.size() + self.refuter.size()
    }

    /// Returns the number of strategies of the universal copies that have been expanded to gates.
    #[must_use]
    pub fn expansions(&self) -> usize {
        self.expansions
    }

    /// Decides whether runs of `refuted() + 1` steps reach the goal. The runs found belong to the existential copies, in order.
    pub fn deepen(&mut self, conflicts: Option<u32>, budget: &Budget) -> Depth {
        let steps = self.refuted + 1;
        if self.over_at.is_some() {
            self.refuted = steps;
            return Depth::Refuted;
        }
        for _ in 0..REFINEMENTS_OF_DEPTH {
            let candidate = match self.candidates.propose(steps, conflicts, budget) {
                Proposed::None => {
                    self.refuted = steps;
                    return Depth::Refuted;
                }
                Proposed::Over => {
                    self.refuted = steps;
                    self.over_at = Some(steps);
                    return Depth::Refuted;
                }
                Proposed::Undecided(stop) => return Depth::Undecided(stop),
                Proposed::Candidate(candidate) => candidate,
            };
            match self.known_refutation(&candidate, budget) {
                Ok(Some(index)) => {
                    let strategy = self.pool.remove(index);
                    if let Err(stop) = self.expand(strategy, budget) {
                        return Depth::Undecided(stop);
                    }
                    continue;
                }
                Ok(None) => {}
                Err(stop) => return Depth::Undecided(stop),
            }
            match self.refuter.answer(&candidate, conflicts, budget) {
                Answered::Confirmed => return Depth::Reached(self.found(&candidate)),
                Answered::Undecided(stop) => return Depth::Undecided(stop),
                Answered::Refuted(found) => {
                    let strategy = self.strategy_against(&candidate, &found, budget);
                    // Without a new strategy, the next candidate would be the same.
                    let strategy = strategy.and_then(|found| found.ok_or(Stop::Bound));
                    let expanded = strategy.and_then(|new| self.expand(new, budget));
                    if let Err(stop) = expanded {
                        return Depth::Undecided(stop);
                    }
                }
            }
        }
        Depth::Undecided(Stop::Bound)
    }

    /// Returns a new strategy that refutes the candidate as the universal runs in `found` do: generalised from the choices that matter if
    /// possible, else from all choices. `None` if neither refutes it or is new.
    fn strategy_against(
        &self,
        candidate: &Candidate,
        found: &Refutation,
        budget: &Budget,
    ) -> Result<Option<Strategy>, Stop> {
        let product = &self.composition.product;
        let play = Play::out(
            product, &self.cone, candidate, &found.all, self.sides, budget,
        )?;
        for counterexample in [&found.blamed, &found.all] {
            let strategy =
                self.generaliser
                    .generalise(product, candidate, &play, counterexample, budget)?;
            let answer = Play::of(
                product, &self.cone, candidate, &strategy, self.sides, budget,
            )?;
            if answer.refutes(self.sides) && !self.candidates.knows(&strategy) {
                return Ok(Some(strategy));
            }
        }
        Ok(None)
    }

    fn expand(&mut self, strategy: Strategy, budget: &Budget) -> Result<(), Stop> {
        self.expansions += 1;
        self.candidates.expand(strategy, budget)
    }

    /// Returns the index in the pool of a strategy that refutes the candidate; `None` if there is none.
    fn known_refutation(
        &self,
        candidate: &Candidate,
        budget: &Budget,
    ) -> Result<Option<usize>, Stop> {
        let product = &self.composition.product;
        for (index, strategy) in self.pool.iter().enumerate() {
            let play = Play::of(product, &self.cone, candidate, strategy, self.sides, budget)?;
            if play.refutes(self.sides) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn found(&self, candidate: &Candidate) -> Found {
        let product = &self.composition.product;
        let runs = self.composition.existential().map(|copy| {
            let copy = &product.copies[copy];
            let initial = copy.latches.iter();
            let initial = initial.map(|latch| latch.is_some_and(|i| candidate.first(product, i)));
            Stimulus {
                initial: initial.collect(),
                steps: candidate
                    .inputs
                    .iter()
                    .map(|row| {
                        copy.inputs
                            .iter()
                            .map(|&lit| input_value(product, row, lit))
                            .collect()
                    })
                    .collect(),
            }
        });
        Found {
            steps: candidate.inputs.len(),
            runs: runs.collect(),
        }
    }
}

/// Returns the value of a copy's input (a literal of the product) in a row of values by product input; false if the copy does not read it.
fn input_value(product: &hyperkill_core::product::Product, row: &[bool], lit: Option<Lit>) -> bool {
    match lit.map(|lit| product.aig.node(lit.var())) {
        Some(hyperkill_core::aig::Node::Input(i)) => row[i as usize],
        _ => false,
    }
}
