//! Finite traces led on for ever: lassos by a solver, where not every continuation will do.

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::trace::Stimulus;
use hyperkill_formulas::Composition;
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::bmc::read_run;
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::question::Found;

/// How existential traces go on.
pub(super) enum Extended {
    /// However they like: nothing is asserted of them, but perhaps that they have inputs in common, and no constraint can end them.
    Anyhow,
    /// In a loop, begun at this step.
    Lasso { runs: Vec<Stimulus>, back: usize },
    /// Not at all: each continuation breaks a constraint or what is asserted.
    Ends,
    /// A limit came first.
    Undecided(Stop),
}

/// The longest continuation tried, in steps.
const LONGEST: usize = 256;
/// Gates of the unrolling, at most.
const SIZE: usize = 4_000_000;
/// Conflicts per solver call.
const CONFLICTS: u32 = 100_000;

/// Leads the traces found on for ever. `leading_back` says for each existential trace which latches of the model must have in the end the
/// values that they had before; the composition has copies of them.
pub(super) fn extend(
    composition: &Composition,
    leading_back: &[Vec<usize>],
    found: &Found,
    budget: &Budget,
) -> Extended {
    let product = &composition.product;
    let existential: Vec<_> = composition
        .existential()
        .map(|i| &product.copies[i])
        .collect();
    let mut asserted = composition.always.clone();
    asserted.extend(existential.iter().map(|copy| copy.valid));
    // What the copies only never break together is no licence for each of them.
    let unconstrained = existential.iter().all(|copy| copy.valid == Lit::TRUE);
    if unconstrained && composition.always.is_empty() {
        return Extended::Anyhow;
    }
    let latches = existential.iter().zip(leading_back);
    let latches = latches.flat_map(|(copy, wanted)| wanted.iter().filter_map(|&i| copy.latches[i]));
    let latches: Vec<Lit> = latches
        .map(|latch| product.aig.latches()[latch].var.lit())
        .collect();
    let mut roots = asserted.clone();
    roots.extend(&latches);
    roots.extend(existential.iter().flat_map(|copy| &copy.outputs));
    // What is fed so far must stay, also where only the goal reads it.
    roots.push(composition.goal);
    let mut unroller = Unroller::new(product, &roots, Start::Reset);
    let mut encoder = Encoder::new(Cadical::new());
    let steps = found.steps;
    unroller.extend_to(steps + 1);
    for (copy, run) in existential.iter().zip(&found.runs) {
        let initial = copy.latches.iter().zip(&run.initial);
        let initial = initial.filter_map(|(latch, &value)| {
            let latch = &product.aig.latches()[(*latch)?];
            (latch.reset == hyperkill_core::Reset::Free).then(|| (0, latch.var.lit(), value))
        });
        let inputs = run.steps.iter().enumerate().flat_map(|(step, values)| {
            let inputs = copy.inputs.iter().zip(values);
            inputs.filter_map(move |(lit, &value)| Some((step, (*lit)?, value)))
        });
        for (step, lit, value) in initial.chain(inputs) {
            if unroller.contains(lit.var()) {
                let lit = unroller.at(step, lit) ^ !value;
                encoder.require(&unroller.graph, &[lit]);
            }
        }
    }
    // The state before step `steps` is where the continuation begins.
    for more in 1..=LONGEST {
        let end = steps + more;
        unroller.extend_to(end + 1);
        for &lit in &asserted {
            let lit = unroller.at(end - 1, lit);
            encoder.require(&unroller.graph, &[lit]);
        }
        let mut loops = Vec::new();
        for back in steps..end {
            let mut same = Vec::new();
            for &latch in &latches {
                let (now, then) = (unroller.at(end, latch), unroller.at(back, latch));
                same.push(unroller.graph.iff(now, then));
            }
            let same = unroller.graph.and_all(&same);
            // One that the disjunction folds away would have no value to read.
            encoder.lit(&unroller.graph, same);
            loops.push(same);
        }
        let closed = unroller.graph.or_all(&loops);
        let closed = encoder.lit(&unroller.graph, closed);
        match encoder.solve(&[closed], Some(CONFLICTS), budget) {
            Answer::Possible => {
                let Some(back) = loops.iter().position(|&lit| encoder.gate_value(lit)) else {
                    return Extended::Undecided(Stop::Bound);
                };
                let runs = existential.iter();
                let runs = runs
                    .map(|copy| read_run(product, copy, &unroller, &mut encoder, end))
                    .collect();
                return Extended::Lasso {
                    runs,
                    back: steps + back,
                };
            }
            Answer::Impossible => match encoder.solve(&[], Some(CONFLICTS), budget) {
                Answer::Impossible => return Extended::Ends,
                Answer::Possible => {}
                Answer::Undecided(stop) => return Extended::Undecided(stop),
            },
            Answer::Undecided(stop) => return Extended::Undecided(stop),
        }
        if unroller.graph.len() > SIZE {
            break;
        }
    }
    Extended::Undecided(Stop::Bound)
}
