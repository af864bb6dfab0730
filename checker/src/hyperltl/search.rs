//! Looks for traces that satisfy an ∃*∀* formula and for proofs that there are none, in turns of growing effort.

use std::ops::ControlFlow;

use hyperkill_certify::{Beyond, Witness, leading_back};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Composed;
use hyperkill_evidence::verdict::Reason;
use hyperkill_formulas::compose::{
    ComposeError, Composition, Sharing, self_compose, self_compose_observing,
};
use hyperkill_formulas::{Formula, Traces};

use super::infinite::{Extended, extend};
use super::variants;
use crate::engines::bmc::Depth;
use crate::engines::exists_forall::{ExistsForall, Sides};
use crate::question;
use crate::question::Found;
use crate::question::Pose;
use crate::schedule::efforts::{self, Effort};
use crate::schedule::formula_efforts::WAYS_TO_COPY;
use crate::schedule::formulas::{Options, Step};
use crate::schedule::{Turns, Work, execute, reachability};
use crate::solve::{Solved, solve};

/// The result of the search. Not yet certified.
pub(super) enum Searched {
    /// Traces that satisfy the formula.
    Found(Witness),
    /// A proof that no traces satisfy the formula.
    Excluded(Composed, Proof),
    /// No existential traces have so many steps, so that none go on for ever.
    Over(usize),
    /// Neither traces nor a proof.
    Open { known_to: usize, reason: Reason },
}

/// Looks for traces that satisfy the formula, and for proofs that there are none. `most` is what an expansion may cost, if it is to be
/// less than the turn allows.
pub(super) fn search(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    traces: Traces,
    options: &Options,
    most: Option<Effort>,
    budget: &Budget,
) -> Result<Searched, ComposeError> {
    let composition = self_compose(model, mutant, formula, Sharing::Independent)?;
    let sides = Sides::of(&composition);
    let mut ways = Vec::new();
    for whose in ways_to_copy(&composition) {
        ways.push(question::composed(model, mutant, formula, &whose)?);
    }
    let mut search = Search {
        asked: (model, mutant, formula),
        traces,
        options,
        most,
        expansion: ExistsForall::new(&composition, &sides),
        composition: &composition,
        endless: None,
        ways,
        ended_at: None,
        searched: false,
    };
    let schedule = *options;
    let mut turns = Turns::new(move |turn| schedule.steps(turn));
    execute(&mut search, &mut turns, budget)
}

struct Search<'a> {
    asked: (&'a ConditionalMutant, SelectorId, &'a Formula),
    traces: Traces,
    options: &'a Options,
    most: Option<Effort>,
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

impl Search<'_> {
    /// A way to copy that refutes all traces, if there is a proof.
    fn copy(&mut self, options: &reachability::Options, budget: &Budget) -> Option<Searched> {
        let mut possible = Vec::new();
        for way in std::mem::take(&mut self.ways) {
            match solve(&way.pose(self.asked.0), options, budget) {
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
    fn expand(
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
                Depth::Reached(found) if self.traces == Traces::Finite => {
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
        (self.traces == Traces::Infinite).then_some(steps)
    }

    fn open(&self, stop: Stop) -> ControlFlow<Result<Searched, ComposeError>> {
        let known_to = self.ended_at.unwrap_or(self.expansion.refuted());
        let reason = stop.into();
        ControlFlow::Break(Ok(Searched::Open { known_to, reason }))
    }
}

impl Work for Search<'_> {
    type Step = Step;
    type Answer = Result<Searched, ComposeError>;

    fn wants(&self, step: &Step) -> bool {
        match step {
            Step::Copy(_) => !self.ways.is_empty(),
            Step::Expand(_) => !self.searched,
        }
    }

    fn take(&mut self, step: &Step, budget: &Budget) -> ControlFlow<Self::Answer> {
        let found = match step {
            Step::Copy(options) => Ok(self.copy(options, budget)),
            Step::Expand(effort) => self.expand(&self.most.unwrap_or(*effort), budget),
        };
        match found.transpose() {
            Some(answer) => ControlFlow::Break(answer),
            None => ControlFlow::Continue(()),
        }
    }

    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Self::Answer> {
        if let Some(stop) = stopped {
            return self.open(stop);
        }
        let options = &self.options.reachability;
        let engines = options.engines;
        let proves = (engines.induction || engines.pdr) && !self.ways.is_empty();
        if !engines.bmc && !engines.exists_forall && !proves {
            return self.open(Stop::Engines);
        }
        let refuted = self.expansion.refuted();
        let searched = self.searched || options.bound.is_some_and(|bound| refuted >= bound);
        let goes_on_in_vain = !proves || turn + 1 >= efforts::TURNS_BEYOND_THE_BOUND;
        if options.is_last(turn) || (searched && goes_on_in_vain) {
            return self.open(Stop::Bound);
        }
        ControlFlow::Continue(())
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
        (model, mutant, formula): (&ConditionalMutant, SelectorId, &Formula),
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
            composition: self_compose_observing(model, mutant, formula, sharing, &wires)?,
            variants,
            leading_back,
        })
    }

    /// Made when it is first needed.
    fn prepared<'a>(
        known: &'a mut Option<Endless>,
        asked: (&ConditionalMutant, SelectorId, &Formula),
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

/// For each trace the one that it copies: universal ones existential ones, those of their own variant first. If nothing is
/// universal there is one way.
fn ways_to_copy(composition: &Composition) -> Vec<Vec<Option<usize>>> {
    let existential: Vec<usize> = composition.existential().collect();
    let variant = |copy: usize| composition.product.copies[copy].spec.variant;
    let mut ways = vec![vec![None; existential.len()]];
    for universal in composition.universal() {
        let mut models = existential.clone();
        models.sort_by_key(|&copy| variant(copy) != variant(universal));
        let longer = models.iter().flat_map(|&model| {
            ways.iter().map(move |way| {
                let mut way = way.clone();
                way.push(Some(model));
                way
            })
        });
        ways = longer.take(WAYS_TO_COPY).collect();
    }
    ways
}
