//! Formulas of the killing shape: traces that satisfy an ∃*∀* formula by expansion, and proofs that there are none by universal traces
//! that copy existential ones.

use hyperkill_certify::{Beyond, Witness, leading_back};
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

/// The result of the search. Not yet certified.
pub(super) enum Searched {
    /// Traces that satisfy the formula.
    Found(Witness),
    /// A proof that no traces satisfy the formula.
    Excluded(Composed, Proof),
    /// No existential traces have so many steps, so that none go on for ever.
    Over(usize),
}

/// The search for formulas of the killing shape, with what it knows so far.
pub(super) struct Search<'a> {
    asked: &'a Subject<'a>,
    composition: &'a Composition,
    expansion: ExistsForall<'a>,
    endless: Option<Endless>,
    /// Ways to copy that still may refute all existential traces.
    ways: Vec<Composed>,
    /// Length of the first traces found that cannot be continued: longer ones are looked for, but the bound up to which there are none no
    /// longer grows.
    ended_at: Option<usize>,
    /// Whether more steps would find nothing more.
    searched: bool,
}

impl<'a> Search<'a> {
    /// Nothing has been asked yet.
    pub(super) fn new(asked: &'a Subject<'a>, killing: &'a Killing) -> Search<'a> {
        Search {
            asked,
            composition: &killing.composition,
            expansion: ExistsForall::new(&killing.composition, &killing.sides),
            endless: None,
            ways: killing.ways.clone(),
            ended_at: None,
            searched: false,
        }
    }
}

impl Search<'_> {
    /// A way to copy that refutes all traces, if there is a proof.
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
                // Somebody withstands these copies.
                Solved::Reached { .. } => {}
            }
        }
        self.ways = possible;
        None
    }

    /// Looks for traces that no universal traces refute, continued for ever if they are to be infinite.
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
                    match endless.lassos(found, budget) {
                        Ok(witness) => return Ok(Some(Searched::Found(witness))),
                        Err(None) => {
                            self.ended_at.get_or_insert(self.expansion.refuted());
                            self.expansion.pass_over();
                        }
                        Err(Some(stop)) => {
                            // The same traces would be found again, and led on as far.
                            self.searched = stop == Stop::Bound;
                            return Ok(None);
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Looks whether existential traces have ended. How many steps none of them have, where that decides the formula: finite ones could
    /// have satisfied it before they ended.
    fn over(&mut self, effort: &Effort, budget: &Budget) -> Option<usize> {
        if self.ended_at.is_some() {
            let conflicts = Some(effort.conflicts);
            self.expansion.look_for_the_end(conflicts, budget);
        }
        let steps = self.expansion.over_at()?;
        self.searched = true;
        (self.asked.kind.traces == Traces::Infinite).then_some(steps)
    }

    /// No existential traces of so many steps or fewer decide the formula.
    pub(super) fn known_to(&self) -> usize {
        self.ended_at.unwrap_or(self.expansion.refuted())
    }

    /// Whether longer traces would be found, if there are any within the bound.
    pub(super) fn goes_on(&self, bound: Option<usize>) -> bool {
        let refuted = self.expansion.refuted();
        !self.searched && bound.is_none_or(|bound| refuted < bound)
    }

    /// Whether some way to copy may still refute all existential traces.
    pub(super) fn may_copy(&self) -> bool {
        !self.ways.is_empty()
    }
}

/// What is needed to continue traces for ever.
struct Endless {
    /// The formula's product, with copies of all latches that must have equal values at both ends of a loop.
    composition: Composition,
    variants: Vec<Variant>,
    /// These latches for each existential trace.
    leading_back: Vec<Vec<usize>>,
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
        let leading_back = variants.iter().map(|&of| leading_back(model, formula, of));
        let leading_back: Vec<Vec<usize>> = leading_back.collect();
        let wires = leading_back.iter().flatten();
        let wires: Vec<Lit> = wires
            .map(|&latch| model.aig.latches()[latch].var.lit())
            .collect();
        let sharing = Sharing::Independent;
        Ok(Endless {
            composition: self_compose_observing(model, *mutant, formula, sharing, &wires)?,
            variants,
            leading_back,
        })
    }

    /// Made when it is first needed.
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

    /// The traces found, continued for ever. `Err(None)` if they cannot be.
    fn lassos(&self, found: Found, budget: &Budget) -> Result<Witness, Option<Stop>> {
        let decided = found.steps;
        let variants = self.variants.clone();
        match extend(&self.composition, &self.leading_back, &found, budget) {
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

/// The variant that each trace of a composition is a trace of.
fn variants(composition: &Composition) -> Vec<Variant> {
    let copies = composition.existential();
    copies
        .map(|copy| composition.product.copies[copy].spec.variant)
        .collect()
}
