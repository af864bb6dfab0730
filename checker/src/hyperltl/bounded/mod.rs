//! Searches traces up to a bound for a formula without alternation (semantics.md §6.10).
//!
//! The copies are unrolled, and the body becomes gates over the unrolling (Biere and others 2006). There is no monitor, so the
//! length of a lasso is the length of its traces: stem and one round of the loop. A lasso can be written with a longer stem. So each lasso
//! within the bound can be written such that its loop ends exactly at the bound. Finite traces end anywhere up to the bound.

mod word;

use hyperkill_certify::{CertifyError, certify_finite, certify_lassos, deciding};
use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::answer::{Beyond, Witness};
use hyperkill_formulas::compose::ComposeError;
use hyperkill_formulas::monitor::Temporal;
use hyperkill_formulas::{Bare, Traces};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use super::general::lassos;
use super::subject::Subject;
use super::{Decided, FormulaError, Shown, Truth};
use crate::engines::bmc::read_run;
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::schedule::efforts::Effort;
use crate::schedule::formula_efforts::FIRST_STEPS_WITHIN_THE_BOUND;
use word::Word;

/// The search for traces within a bound that satisfy a formula without universal traces.
pub(super) struct BoundedSearch<'a> {
    asked: &'a Subject<'a>,
    bare: Bare,
    /// The latches of the product that must have equal values at both ends of a loop.
    closing: Vec<Lit>,
    /// No traces of at most this many steps satisfy the formula.
    pub refuted: usize,
}

impl<'a> BoundedSearch<'a> {
    /// Returns a search that has not started.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub(super) fn new(asked: &'a Subject<'a>) -> Result<BoundedSearch<'a>, ComposeError> {
        let (model, formula) = (asked.model, &asked.formula);
        let bare = Bare::new(model, asked.mutant, formula, asked.kind.traces)?;
        let copies = bare.product.copies.iter();
        let latches = copies.flat_map(|copy| {
            let wanted = deciding(model, formula, copy.spec.variant).into_iter();
            wanted.filter_map(|latch| copy.latches[latch])
        });
        let mut latches: Vec<usize> = latches.collect();
        latches.sort_unstable();
        latches.dedup();
        let all = bare.product.aig.latches();
        Ok(BoundedSearch {
            asked,
            closing: latches.into_iter().map(|l| all[l].var.lit()).collect(),
            bare,
            refuted: 0,
        })
    }

    /// Searches longer and longer traces, up to the number of steps that the effort allows. Returns the answer if some satisfy the formula.
    ///
    /// # Errors
    /// If evidence does not check.
    pub(super) fn advance(
        &mut self,
        effort: &Effort,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        while self.refuted < effort.steps {
            let steps = (2 * self.refuted)
                .max(FIRST_STEPS_WITHIN_THE_BOUND)
                .min(effort.steps);
            match self.traces(steps, effort, budget) {
                Ok(None) => self.refuted = steps,
                Ok(Some(witness)) => {
                    let witness = self.shortened(witness, effort, budget);
                    self.certify(&witness).map_err(FormulaError::Evidence)?;
                    return Ok(Some(Decided {
                        truth: Truth::Holds,
                        shown: Some(Shown::Traces(witness)),
                    }));
                }
                Err(_) => break,
            }
        }
        Ok(None)
    }

    /// Returns traces of as few steps as possible, but for what the limits leave open. `found` are traces that satisfy the formula.
    fn shortened(&self, found: Witness, effort: &Effort, budget: &Budget) -> Witness {
        let mut shortest = found;
        while shortest.decided > self.refuted + 1 {
            match self.traces(shortest.decided - 1, effort, budget) {
                Ok(Some(shorter)) if shorter.decided < shortest.decided => shortest = shorter,
                _ => break,
            }
        }
        shortest
    }

    fn certify(&self, witness: &Witness) -> Result<(), CertifyError> {
        let certify = match self.asked.kind.traces {
            Traces::Finite => certify_finite,
            Traces::Infinite => certify_lassos,
        };
        let Subject { model, mutant, .. } = *self.asked;
        certify(model, mutant, &self.asked.formula, witness)
    }

    /// Returns traces of at most `steps` steps that satisfy the formula; `None` if there are none.
    fn traces(
        &self,
        steps: usize,
        effort: &Effort,
        budget: &Budget,
    ) -> Result<Option<Witness>, Stop> {
        let mut posed = self.posed(steps, effort, budget)?;
        let encoder = &mut posed.encoder;
        match encoder.solve(&[], Some(effort.conflicts), budget) {
            Answer::Impossible => return Ok(None),
            Answer::Undecided(stop) => return Err(stop),
            Answer::Possible => {}
        }
        let mut places = posed.places.iter();
        let place = places.position(|&lit| encoder.gate_value(lit));
        let place = place.ok_or(Stop::Bound)?;
        let is_finite = self.asked.kind.traces == Traces::Finite;
        let length = if is_finite { place + 1 } else { steps };
        let product = &self.bare.product;
        let copies = product.copies.iter();
        let runs = copies.map(|copy| read_run(product, copy, &posed.unroller, encoder, length));
        let runs = runs.collect();
        let variants = self.bare.specs.iter().map(|spec| spec.variant).collect();
        Ok(Some(match is_finite {
            true => Witness {
                variants,
                runs,
                decided: length,
                beyond: Beyond::Nothing,
            },
            false => {
                let Subject { model, formula, .. } = self.asked;
                lassos(model, formula, variants, (runs, place), Some(effort.steps))
            }
        }))
    }

    /// Returns the question about traces of at most `steps` steps for a solver.
    fn posed(&self, steps: usize, effort: &Effort, budget: &Budget) -> Result<Posed<'_>, Stop> {
        let bare = &self.bare;
        let mut roots = [&bare.always[..], &self.closing].concat();
        roots.extend(bare.alive);
        leaves(&bare.body, &mut roots);
        let mut unroller = Unroller::new(&bare.product, &roots, Start::Reset);
        unroller.extend_within(steps + 1, budget)?;
        let mut encoder = Encoder::new(Cadical::new());
        for step in 0..steps {
            for &lit in &bare.always {
                encoder.require(&unroller.graph, &[unroller.at(step, lit)]);
            }
        }
        let (begins, passes, places) = match bare.alive {
            // After their end, finite traces stay in one last position for ever.
            Some(alive) => {
                encoder.require(&unroller.graph, &[!unroller.at(steps, alive)]);
                let mut begins = vec![Lit::FALSE; steps];
                begins.push(Lit::TRUE);
                let ends = (1..=steps).map(|step| !unroller.at(step, alive));
                (begins, 1, ends.collect())
            }
            None => {
                let begins = self.closed(&mut unroller, &mut encoder, steps);
                let past = self.asked.formula.body.past_depth();
                (begins.clone(), past + 1, begins)
            }
        };
        let mut word = Word {
            unroller: &mut unroller,
            begins,
            passes,
            gates: effort.gates,
        };
        let said = word.along(&bare.body, budget)?;
        encoder.require(&unroller.graph, &said[..1]);
        for &lit in &places {
            // Without clauses a literal would have no value to read.
            encoder.lit(&unroller.graph, lit);
        }
        Ok(Posed {
            unroller,
            encoder,
            places,
        })
    }

    /// Requires that the traces are in an earlier state again after `steps` steps. Returns for each step the literal that the loop begins
    /// there; exactly one is true.
    fn closed(
        &self,
        unroller: &mut Unroller<'_>,
        encoder: &mut Encoder<Cadical>,
        steps: usize,
    ) -> Vec<Lit> {
        let mut begins = Vec::new();
        let mut not_yet = Lit::TRUE;
        for step in 0..steps {
            let here = match step + 1 == steps {
                true => Lit::TRUE,
                false => unroller.graph.add_input(None),
            };
            begins.push(unroller.graph.and(not_yet, here));
            not_yet = unroller.graph.and(not_yet, !here);
            let begin = begins[step];
            for &latch in &self.closing {
                let (now, then) = (unroller.at(step, latch), unroller.at(steps, latch));
                let same = unroller.graph.iff(now, then);
                encoder.require(&unroller.graph, &[!begin, same]);
            }
        }
        begins
    }
}

/// A question about traces of limited length, for a solver.
struct Posed<'a> {
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
    /// For lassos, for each step the literal that the loop begins there. For finite traces, for each step the literal that none follows.
    places: Vec<Lit>,
}

/// Adds the literals of a formula to `lits`.
fn leaves(formula: &Temporal, lits: &mut Vec<Lit>) {
    match formula {
        Temporal::Now(lit) => lits.push(*lit),
        Temporal::And(operands) | Temporal::Or(operands) => {
            operands.iter().for_each(|operand| leaves(operand, lits));
        }
        Temporal::Next(operand)
        | Temporal::Previously(operand)
        | Temporal::WeakPreviously(operand) => leaves(operand, lits),
        Temporal::Until(a, b)
        | Temporal::Release(a, b)
        | Temporal::Since(a, b)
        | Temporal::Triggered(a, b) => {
            leaves(a, lits);
            leaves(b, lits);
        }
    }
}
