//! Looks for traces that satisfy an ∃*∀* formula and for proofs that there are none, in turns of growing effort.

use hyperkill_certify::{Lassos, leading_back};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Composed;
use hyperkill_evidence::verdict::Reason;
use hyperkill_formulas::Formula;
use hyperkill_formulas::compose::{
    ComposeError, Composition, Sharing, self_compose, self_compose_observing,
};

use super::infinite::{Extended, extend};
use super::variants;
use crate::bmc::{Depth, Found};
use crate::exists_forall::{ExistsForall, Sides};
use crate::question;
use crate::question::Pose;
use crate::solve::{Limits, Solved, solve};

/// What was found. Not yet certified.
pub(super) enum Searched {
    /// Traces that satisfy the formula.
    Found(Lassos),
    /// No traces do: this proof says so.
    Excluded(Composed, Proof),
    /// Neither traces nor a proof.
    Open { known_to: usize, reason: Reason },
}

/// Ways to copy that are tried, at most.
const WAYS: usize = 16;
/// Gates of the search in the first turn; grows with each turn.
const FIRST_SIZE: usize = 100_000;
/// Conflicts per solver call in the first turn; grows with each turn.
const FIRST_CONFLICTS: u32 = 2_000;

pub(super) fn search(
    model: &ConditionalMutant,
    mutant: usize,
    formula: &Formula,
    limits: &Limits,
    budget: &Budget,
) -> Result<Searched, ComposeError> {
    let composition = self_compose(model, mutant, formula, Sharing::Independent)?;
    let sides = Sides::of(&composition);
    let mut expansion = ExistsForall::new(&composition, &sides);
    let mut endless = None;
    let mut ways = Vec::new();
    for whose in ways_to_copy(&composition) {
        ways.push(question::composed(model, mutant, formula, &whose)?);
    }
    // Traces were found that cannot go on: lengths beyond are looked at, but no longer known to be without any.
    let mut ended_at: Option<usize> = None;
    let mut turn = 0;
    loop {
        if limits.prove || limits.pdr {
            let mut possible = Vec::new();
            for way in ways {
                let effort = Limits {
                    bound: None,
                    turns: Some(turn + 1),
                    search: true,
                    prove: limits.prove,
                    pdr: limits.pdr,
                    effort: limits.effort,
                    external: None,
                };
                match solve(&way.pose(model), &effort, budget) {
                    Solved::Unreachable(proof) => return Ok(Searched::Excluded(way, proof)),
                    Solved::Open { .. } => possible.push(way),
                    // Somebody withstands these copies.
                    Solved::Reached { .. } => {}
                }
            }
            ways = possible;
        }
        let mut stop = Stop::Bound;
        if limits.search {
            let size = FIRST_SIZE << (2 * turn).min(16);
            let conflicts = FIRST_CONFLICTS << (2 * turn).min(18);
            let until = (32_usize << (2 * turn).min(20)).min(limits.bound.unwrap_or(usize::MAX));
            while expansion.refuted() < until && expansion.size() < size {
                match expansion.deepen(Some(conflicts), budget) {
                    Depth::Refuted => {}
                    Depth::Undecided(why) => {
                        stop = why;
                        break;
                    }
                    Depth::Reached(found) => match Endless::prepared(
                        &mut endless,
                        (model, mutant, formula),
                        &composition,
                    )?
                    .lassos(found, budget)
                    {
                        Ok(lassos) => return Ok(Searched::Found(lassos)),
                        Err(None) => {
                            ended_at.get_or_insert(expansion.refuted());
                            expansion.pass_over();
                        }
                        Err(Some(why)) => {
                            stop = why;
                            break;
                        }
                    },
                }
                if let Some(why) = budget.stopped() {
                    stop = why;
                    break;
                }
            }
        }
        let known_to = ended_at.unwrap_or(expansion.refuted());
        if let Some(why) = budget.stopped() {
            stop = why;
        }
        let bounded = limits
            .bound
            .is_some_and(|bound| expansion.refuted() >= bound);
        let idle = !limits.search && (ways.is_empty() || !limits.prove);
        let exhausted = limits.turns.is_some_and(|turns| turn + 1 >= turns)
            || bounded && (ways.is_empty() || !limits.prove || turn >= 2);
        if idle && !exhausted && stop == Stop::Bound {
            stop = Stop::Engines;
        }
        if idle || exhausted || stop != Stop::Bound {
            let reason = match (stop, ended_at) {
                // Traces there are, but none that go on for ever was found.
                (Stop::Bound | Stop::Engines, Some(_)) => Reason::Precondition,
                (stop, _) => stop.into(),
            };
            return Ok(Searched::Open { known_to, reason });
        }
        turn += 1;
    }
}

/// What it takes to lead traces on for ever.
struct Endless {
    /// With copies of all that must lead back.
    composition: Composition,
    variants: Vec<Variant>,
    /// Per existential trace, the latches that must.
    leading_back: Vec<Vec<usize>>,
}

impl Endless {
    fn new(
        (model, mutant, formula): (&ConditionalMutant, usize, &Formula),
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
        asked: (&ConditionalMutant, usize, &Formula),
        composition: &Composition,
    ) -> Result<&'a Endless, ComposeError> {
        let endless = match known.take() {
            Some(endless) => endless,
            None => Endless::new(asked, composition)?,
        };
        Ok(known.insert(endless))
    }

    /// The traces found, led on for ever. `Err(None)`: these cannot go on.
    fn lassos(&self, found: Found, budget: &Budget) -> Result<Lassos, Option<Stop>> {
        let decided = found.steps;
        let variants = self.variants.clone();
        match extend(&self.composition, &self.leading_back, &found, budget) {
            Extended::Anyhow => Ok(Lassos {
                variants,
                runs: found.runs,
                decided,
                back: None,
            }),
            Extended::Lasso { runs, back } => Ok(Lassos {
                variants,
                runs,
                decided,
                back: Some(back),
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
        ways = longer.take(WAYS).collect();
    }
    ways
}
