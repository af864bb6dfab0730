//! Continues finite traces to infinite ones. If some continuation violates the assertions, a solver searches for a lasso.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Lit, Reset};
use hyperkill_formulas::Composition;
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::bmc::read_run;
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::question::Found;
use crate::schedule::formula_efforts::{
    CONFLICTS_OF_CONTINUATION, GATES_OF_CONTINUATION, STEPS_OF_CONTINUATION,
};

/// The result of continuing finite existential traces to infinite ones.
pub(super) enum Extended {
    /// Every continuation works: no constraint can fail, and the only assertions are equalities of inputs.
    Anyhow,
    /// A continuation exists: these runs, whose steps from `back` on repeat for ever.
    Lasso { runs: Vec<Stimulus>, back: usize },
    /// No continuation exists: each breaks a constraint or an assertion at some step, or has too many steps.
    Ends,
    /// A limit ended the search for a continuation.
    Undecided(Stop),
}

/// Continues the traces found to infinite ones. `closing` gives for each existential trace the latches of the model that must be equal
/// at both ends of the loop. The composition has copies of them. A loop ends at most `most` steps after the traces.
pub(super) fn extend(
    composition: &Composition,
    closing: &[Vec<usize>],
    found: &Found,
    most: Option<usize>,
    budget: &Budget,
) -> Extended {
    let product = &composition.product;
    let existential: Vec<&Copy> = composition
        .existential()
        .map(|i| &product.copies[i])
        .collect();
    let mut asserted = composition.always.clone();
    asserted.extend(existential.iter().map(|copy| copy.valid));
    // Every copy must be unconstrained by itself: a conjunction that cannot fail says nothing about one copy alone.
    let unconstrained = existential.iter().all(|copy| copy.valid == Lit::TRUE);
    if unconstrained && composition.always.is_empty() {
        return Extended::Anyhow;
    }
    let mut search = LassoSearch::new(composition, existential, asserted, closing);
    if let Err(stop) = search.unroller.extend_within(found.steps + 1, budget) {
        return Extended::Undecided(stop);
    }
    search.feed(&found.runs);
    let most = most.unwrap_or(usize::MAX);
    for more in 1..=STEPS_OF_CONTINUATION.min(most) {
        match search.continued(found.steps, found.steps + more, budget) {
            Ok(Some(extended)) => return extended,
            Ok(None) => {}
            Err(stop) => return Extended::Undecided(stop),
        }
        if search.unroller.graph.len() > GATES_OF_CONTINUATION {
            return Extended::Undecided(Stop::Bound);
        }
    }
    match most < STEPS_OF_CONTINUATION {
        true => Extended::Ends,
        false => Extended::Undecided(Stop::Bound),
    }
}

/// A search for infinite traces in the form of a lasso that begin with the traces found.
struct LassoSearch<'a> {
    product: &'a Product,
    existential: Vec<&'a Copy>,
    /// Literals of the product that must hold at every step.
    asserted: Vec<Lit>,
    /// The latches of the product that must have the same values at both ends of a loop, as literals.
    latches: Vec<Lit>,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
}

impl<'a> LassoSearch<'a> {
    fn new(
        composition: &'a Composition,
        existential: Vec<&'a Copy>,
        asserted: Vec<Lit>,
        closing: &[Vec<usize>],
    ) -> LassoSearch<'a> {
        let product = &composition.product;
        let latches = existential.iter().zip(closing);
        let latches =
            latches.flat_map(|(copy, wanted)| wanted.iter().filter_map(|&i| copy.latches[i]));
        let latches: Vec<Lit> = latches
            .map(|latch| product.aig.latches()[latch].var.lit())
            .collect();
        let mut roots = asserted.clone();
        roots.extend(&latches);
        roots.extend(existential.iter().flat_map(|copy| &copy.outputs));
        // Inputs fixed so far must stay in the unrolling, also if only the goal reads them.
        roots.push(composition.goal);
        LassoSearch {
            product,
            existential,
            asserted,
            latches,
            unroller: Unroller::new(product, &roots, Start::Reset),
            encoder: Encoder::new(Cadical::new()),
        }
    }

    /// Fixes the initial values and inputs of the existential copies to those of the runs found.
    fn feed(&mut self, runs: &[Stimulus]) {
        for (copy, run) in self.existential.iter().zip(runs) {
            let initial = copy.latches.iter().zip(&run.initial);
            let initial = initial.filter_map(|(latch, value)| {
                let latch = &self.product.aig.latches()[(*latch)?];
                (latch.reset == Reset::Free).then(|| (0, latch.var.lit(), value))
            });
            let inputs = run.steps.iter().enumerate().flat_map(|(step, values)| {
                let inputs = copy.inputs.iter().zip(values);
                inputs.filter_map(move |(lit, &value)| Some((step, (*lit)?, value)))
            });
            for (step, lit, value) in initial.chain(inputs) {
                if self.unroller.contains(lit.var()) {
                    let lit = self.unroller.at(step, lit) ^ !value;
                    self.encoder.require(&self.unroller.graph, &[lit]);
                }
            }
        }
    }

    /// Asks whether the traces, `steps` long, continue to a loop that ends before step `end`. `None` if no loop ends there, but longer
    /// traces exist.
    fn continued(
        &mut self,
        steps: usize,
        end: usize,
        budget: &Budget,
    ) -> Result<Option<Extended>, Stop> {
        self.unroller.extend_within(end + 1, budget)?;
        for &lit in &self.asserted {
            let lit = self.unroller.at(end - 1, lit);
            self.encoder.require(&self.unroller.graph, &[lit]);
        }
        let loops = self.loops(steps, end, budget)?;
        let closed = self.unroller.graph.or_all(&loops);
        let closed = self.encoder.lit(&self.unroller.graph, closed);
        let conflicts = Some(CONFLICTS_OF_CONTINUATION);
        match self.encoder.solve(&[closed], conflicts, budget) {
            Answer::Possible => {
                let mut closed = loops.iter();
                let Some(back) = closed.position(|&lit| self.encoder.gate_value(lit)) else {
                    return Err(Stop::Bound);
                };
                let (unroller, encoder) = (&self.unroller, &mut self.encoder);
                let runs = self.existential.iter();
                let runs = runs
                    .map(|copy| read_run(self.product, copy, unroller, encoder, end))
                    .collect();
                Ok(Some(Extended::Lasso {
                    runs,
                    back: steps + back,
                }))
            }
            Answer::Impossible => match self.encoder.solve(&[], conflicts, budget) {
                Answer::Impossible => Ok(Some(Extended::Ends)),
                Answer::Possible => Ok(None),
                Answer::Undecided(stop) => Err(stop),
            },
            Answer::Undecided(stop) => Err(stop),
        }
    }

    /// Returns for each step from `steps` to `end` the literal "the state before it equals the state before step `end`".
    fn loops(&mut self, steps: usize, end: usize, budget: &Budget) -> Result<Vec<Lit>, Stop> {
        let mut loops = Vec::new();
        for back in steps..end {
            budget.check()?;
            let mut same = Vec::new();
            for &latch in &self.latches {
                let (now, then) = (self.unroller.at(end, latch), self.unroller.at(back, latch));
                same.push(self.unroller.graph.iff(now, then));
            }
            let same = self.unroller.graph.and_all(&same);
            // A literal that the disjunction folds away would have no value to read.
            self.encoder.lit(&self.unroller.graph, same);
            loops.push(same);
        }
        Ok(loops)
    }
}
