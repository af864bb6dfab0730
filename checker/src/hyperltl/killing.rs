//! Decides formulas of the killing shape. Finds traces that satisfy an ∃*∀* formula by expansion, or proves that universal traces refute
//! all existential ones by copying them.

use hyperkill_certify::{Beyond, Witness, deciding};
use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Composed;
use hyperkill_formulas::Traces;
use hyperkill_formulas::compose::{ComposeError, Composition, Sharing, self_compose_observing};

use super::infinite::{Extended, extend};
use super::subject::{Killing, Subject};
use crate::engines::bmc::Depth;
use crate::engines::exists_forall::ExistsForall;
use crate::question::{Found, Pose};
use crate::schedule::efforts::Effort;
use crate::schedule::reachability;
use crate::solve::{Solved, solve};

/// The result of the search for traces of a formula of the killing shape. Not yet certified.
pub(super) enum Searched {
    /// Traces that satisfy the formula.
    Found(Witness),
    /// A proof that no traces satisfy the formula.
    Excluded(Composed, Proof),
    /// No existential traces have this many steps, so none are infinite, and the formula fails.
    Over(usize),
}

/// The search for traces that satisfy a formula whose body has the killing shape, □A ∧ (□B → ◇C), with its results so far.
pub(super) struct KillingSearch<'a> {
    asked: &'a Subject<'a>,
    composition: &'a Composition,
    expansion: ExistsForall<'a>,
    endless: Option<Endless>,
    /// The questions still open, each with an assignment of universal traces to existential ones to copy, which may refute all existential
    /// traces.
    ways: Vec<Composed>,
    /// Length of the first traces found that cannot be continued. Longer ones are searched, but the refuted length no longer grows.
    ended_at: Option<usize>,
    /// Whether a search for longer traces would find nothing more.
    searched: bool,
    /// The largest number of steps of an answer; unlimited if `None`.
    bound: Option<usize>,
}

impl<'a> KillingSearch<'a> {
    /// Returns a search that has not started.
    pub(super) fn new(
        asked: &'a Subject<'a>,
        killing: &'a Killing,
        bound: Option<usize>,
    ) -> KillingSearch<'a> {
        KillingSearch {
            asked,
            composition: &killing.composition,
            expansion: ExistsForall::new(&killing.composition, &killing.sides),
            endless: None,
            ways: killing.ways.clone(),
            ended_at: None,
            searched: false,
            bound,
        }
    }
}

impl KillingSearch<'_> {
    /// Searches a proof that universal traces refute all existential ones by copying them, for each assignment of traces to copy. `None` if
    /// no assignment does so, or if limits came first.
    pub(super) fn copy(
        &mut self,
        options: &reachability::Options,
        budget: &Budget,
    ) -> Option<Searched> {
        let mut possible = Vec::new();
        for way in std::mem::take(&mut self.ways) {
            match solve(&way.pose(self.asked.model), options, budget) {
                Solved::Unreachable(proof) => return Some(Searched::Excluded(way, proof)),
                Solved::Open { .. } => possible.push(way),
                // These copies do not refute all existential traces.
                Solved::Reached { .. } => {}
            }
        }
        self.ways = possible;
        None
    }

    /// Searches for existential traces that no universal traces refute, and continues infinite ones to lassos. `None` if the effort is
    /// spent, or if the search is over.
    pub(super) fn expand(
        &mut self,
        effort: &Effort,
        budget: &Budget,
    ) -> Result<Option<Searched>, ComposeError> {
        while self.expansion.refuted() < effort.steps
            && self.expansion.size() < effort.gates
            && !self.searched
            && budget.stopped().is_none()
        {
            match self.expansion.deepen(Some(effort.conflicts), budget) {
                Depth::Refuted => {
                    if let Some(steps) = self.over(effort, budget) {
                        return Ok(Some(Searched::Over(steps)));
                    }
                }
                Depth::Undecided(_) => return Ok(None),
                Depth::Reached(found) if self.asked.kind.traces == Traces::Finite => {
                    return Ok(Some(Searched::Found(Witness {
                        variants: variants(self.composition),
                        runs: found.runs,
                        decided: found.steps,
                        beyond: Beyond::Nothing,
                    })));
                }
                Depth::Reached(found) => {
                    let endless =
                        Endless::prepared(&mut self.endless, self.asked, self.composition)?;
                    match endless.lassos(found, self.bound, budget) {
                        Ok(witness) => return Ok(Some(Searched::Found(witness))),
                        Err(None) => {
                            self.ended_at.get_or_insert(self.expansion.refuted());
                            self.expansion.pass_over();
                        }
                        Err(Some(stop)) => {
                            // Further calls would find and extend the same traces again.
                            self.searched = stop == Stop::Bound;
                            return Ok(None);
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Asks whether existential traces have a greatest length. Returns a length that none reach if it decides the formula. Over finite
    /// traces it does not: shorter ones could satisfy the formula before they end.
    fn over(&mut self, effort: &Effort, budget: &Budget) -> Option<usize> {
        if self.ended_at.is_some() {
            let conflicts = Some(effort.conflicts);
            self.expansion.look_for_the_end(conflicts, budget);
        }
        let steps = self.expansion.over_at()?;
        self.searched = true;
        (self.asked.kind.traces == Traces::Infinite).then_some(steps)
    }

    /// Returns the length, in steps, up to which existential traces cannot decide the formula.
    pub(super) fn known_to(&self) -> usize {
        self.ended_at.unwrap_or(self.expansion.refuted())
    }

    /// Whether the search has not ended, and lengths within the bound are left.
    pub(super) fn goes_on(&self) -> bool {
        let refuted = self.expansion.refuted();
        !self.searched && self.bound.is_none_or(|bound| refuted < bound)
    }

    /// Whether all lengths within the bound have been searched.
    pub(super) fn is_searched(&self) -> bool {
        let refuted = self.expansion.refuted();
        self.bound.is_some_and(|bound| refuted >= bound)
    }

    /// Whether, for some assignment of traces to copy, copying traces may still refute all existential ones.
    pub(super) fn may_copy(&self) -> bool {
        !self.ways.is_empty()
    }
}

/// The product in which finite traces are continued to infinite ones.
struct Endless {
    /// The formula's product, with copies of all latches that must have equal values at both ends of a loop.
    composition: Composition,
    variants: Vec<Variant>,
    /// For each existential trace the indices of the model's latches that must have equal values at both ends.
    closing: Vec<Vec<usize>>,
}

impl Endless {
    fn new(
        Subject {
            model,
            mutant,
            formula,
            ..
        }: &Subject<'_>,
        composition: &Composition,
    ) -> Result<Endless, ComposeError> {
        let variants = variants(composition);
        let closing = variants.iter().map(|&of| deciding(model, formula, of));
        let closing: Vec<Vec<usize>> = closing.collect();
        let wires = closing.iter().flatten();
        let wires: Vec<Lit> = wires
            .map(|&latch| model.aig.latches()[latch].var.lit())
            .collect();
        let sharing = Sharing::Independent;
        Ok(Endless {
            composition: self_compose_observing(model, *mutant, formula, sharing, &wires)?,
            variants,
            closing,
        })
    }

    /// Returns the product for continuing traces, which is built at first use and kept in `known`.
    fn prepared<'a>(
        known: &'a mut Option<Endless>,
        asked: &Subject<'_>,
        composition: &Composition,
    ) -> Result<&'a Endless, ComposeError> {
        let endless = match known.take() {
            Some(endless) => endless,
            None => Endless::new(asked, composition)?,
        };
        Ok(known.insert(endless))
    }

    /// Returns the traces found, continued to infinite ones. `Err(None)` if no continuation exists within the bound; `Err(Some(…))` if a
    /// limit ended the search.
    fn lassos(
        &self,
        found: Found,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Result<Witness, Option<Stop>> {
        let decided = found.steps;
        let variants = self.variants.clone();
        let most = bound.map(|bound| bound.saturating_sub(decided));
        match extend(&self.composition, &self.closing, &found, most, budget) {
            Extended::Anyhow => Ok(Witness {
                variants,
                runs: found.runs,
                decided,
                beyond: Beyond::Anything,
            }),
            Extended::Lasso { runs, back } => Ok(Witness {
                variants,
                runs,
                decided,
                beyond: Beyond::Loop(back),
            }),
            Extended::Ends => Err(None),
            Extended::Undecided(stop) => Err(Some(stop)),
        }
    }
}

/// Returns the variant (original or mutant) of each existential trace of a composition.
fn variants(composition: &Composition) -> Vec<Variant> {
    let copies = composition.existential();
    copies
        .map(|copy| composition.product.copies[copy].spec.variant)
        .collect()
}
