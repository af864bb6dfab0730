//! Reduces liveness to reachability: whether a circuit has an infinite run that meets conditions infinitely often.
//!
//! There are two reductions, each a circuit with one bad literal:
//!
//! - [`FairRuns::lasso_search`] (liveness to safety): the circuit guesses a state, stores it, and waits until it recurs after all
//!   conditions have been met. Bad is reachable iff a fair run exists, since in a finite system one of them is a lasso.
//! - [`FairRuns::counted`] (k-liveness): bad is that all conditions have been met more than k times in turn. If it is unreachable, no fair
//!   run exists; if it is reachable, nothing follows.
//!
//! The circuit's own inputs and latches keep their indices; additional ones follow.

use crate::aig::{Aig, Cone, Reset};
use crate::lit::Lit;

/// A circuit and the conditions that a run must meet infinitely often. Steps that break a constraint do not exist.
#[derive(Clone, Debug)]
pub struct FairRuns {
    /// The circuit with its constraints.
    pub aig: Aig,
    /// Each literal must be true at infinitely many steps. If there are none, any infinite run is fair.
    pub justice: Vec<Lit>,
}

/// A reachability question about a circuit derived from another.
#[derive(Clone, Debug)]
pub struct Search {
    /// The circuit. The inputs and latches of the original circuit come first.
    pub aig: Aig,
    /// The literal that is to be reached.
    pub bad: Lit,
    /// The index of the input that marks the start of the loop; `None` in a circuit of [`FairRuns::counted`].
    pub save: Option<usize>,
}

impl FairRuns {
    /// Returns the indices of the latches in the cone of influence of constraints and fairness conditions.
    #[must_use]
    pub fn relevant_latches(&self) -> Vec<usize> {
        let constraints = self.aig.constraints.iter().map(|signal| signal.lit);
        let cone = Cone::sequential(&self.aig, constraints.chain(self.justice.iter().copied()));
        let latches = self.aig.latches().iter().enumerate();
        let inside = latches.filter(|(_, latch)| cone.contains(latch.var));
        inside.map(|(index, _)| index).collect()
    }

    fn bare(&self) -> Aig {
        let mut aig = self.aig.clone();
        aig.outputs.clear();
        aig.bad.clear();
        aig.justice.clear();
        aig.fairness.clear();
        aig
    }

    /// Returns the circuit whose bad literal is reached iff a run returns to a state with all conditions met in between. The recurring
    /// state is the one before the first step at which `save` is 1; it recurs before the last step.
    #[must_use]
    pub fn lasso_search(&self) -> Search {
        let mut aig = self.bare();
        let relevant = self.relevant_latches();
        let save = aig.inputs().len();
        let now = aig.add_input(Some("hyperkill:save".to_owned()));
        let saved = latch(&mut aig, Reset::Zero, |aig, saved| aig.or(saved, now));
        let saving = aig.and(now, !saved);
        let in_loop = aig.or(saving, saved);
        let mut same = vec![saved];
        for index in relevant {
            let value = aig.latches()[index].var.lit();
            let kept = latch(&mut aig, Reset::Zero, |aig, kept| {
                aig.ite(saving, value, kept)
            });
            let equal = aig.iff(value, kept);
            same.push(equal);
        }
        for &condition in &self.justice {
            let met = latch(&mut aig, Reset::Zero, |aig, met| {
                let here = aig.and(in_loop, condition);
                aig.or(met, here)
            });
            same.push(met);
        }
        let bad = aig.and_all(&same);
        Search {
            aig,
            bad,
            save: Some(save),
        }
    }

    /// Returns the circuit whose bad literal is reached iff a run meets all conditions, in turn, more than `k` times.
    #[must_use]
    pub fn counted(&self, k: usize) -> Search {
        let mut aig = self.bare();
        let turn = one_condition(&mut aig, &self.justice);
        // One latch per count: the n-th is true after n rounds.
        let mut reached = Lit::TRUE;
        for _ in 0..k {
            let before = reached;
            reached = latch(&mut aig, Reset::Zero, |aig, reached| {
                let once_more = aig.and(before, turn);
                aig.or(reached, once_more)
            });
        }
        let bad = aig.and(reached, turn);
        Search {
            aig,
            bad,
            save: None,
        }
    }
}

/// Adds a latch and returns its literal. `next` returns its next value, given the literal of its current one.
fn latch(aig: &mut Aig, reset: Reset, next: impl FnOnce(&mut Aig, Lit) -> Lit) -> Lit {
    let index = aig.latches().len();
    let lit = aig.add_latch(reset, None);
    let next = next(aig, lit);
    aig.set_next(index, next);
    lit
}

/// Returns a literal that is true infinitely often iff each condition is. It is true when the last condition has been met since the literal
/// was true before.
fn one_condition(aig: &mut Aig, conditions: &[Lit]) -> Lit {
    match conditions {
        [] => return Lit::TRUE,
        [one] => return *one,
        _ => {}
    }
    let first = aig.latches().len();
    let met: Vec<Lit> = conditions
        .iter()
        .map(|_| aig.add_latch(Reset::Zero, None))
        .collect();
    let so_far: Vec<Lit> = met
        .iter()
        .zip(conditions)
        .map(|(&met, &condition)| aig.or(met, condition))
        .collect();
    let all = aig.and_all(&so_far);
    for (offset, &so_far) in so_far.iter().enumerate() {
        let kept = aig.and(so_far, !all);
        aig.set_next(first + offset, kept);
    }
    all
}
