//! From infinite runs to finite ones: whether a circuit has a run on which conditions are met again and again, asked as reachability.
//!
//! Two ways, each a circuit with one bad literal:
//!
//! - [`FairRuns::lasso_search`]: the circuit guesses a state, keeps it, and waits for it to come back after all conditions have been met
//!   (liveness to safety). Bad is reachable iff there is such a run, since in a finite system one is a lasso.
//! - [`FairRuns::counted`]: bad is that all conditions have been met more than k times in turn (k-liveness). If that is unreachable there
//!   is no such run; if it is reachable nothing is known.
//!
//! The circuit's own inputs and latches keep their places; what is added comes after them.

use crate::aig::{Aig, Cone, Reset};
use crate::lit::Lit;

/// A circuit and what a run of it must meet again and again. Steps that break a constraint do not exist.
#[derive(Clone, Debug)]
pub struct FairRuns {
    /// The circuit with its constraints.
    pub aig: Aig,
    /// Each is to be true at infinitely many steps; none: any infinite run will do.
    pub justice: Vec<Lit>,
}

/// A question of reachability about a circuit that was made of another.
#[derive(Clone, Debug)]
pub struct Search {
    /// The circuit. The inputs and latches of the one that it was made of come first.
    pub aig: Aig,
    /// What should not be reachable.
    pub bad: Lit,
    /// The input that starts the loop, where loops are searched for.
    pub save: Option<usize>,
}

impl FairRuns {
    /// The latches on which constraints and conditions depend.
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

    /// Whether a run comes back to a state, having met all conditions meanwhile. The state that a run comes back to is the one before the
    /// first step at which `save` is 1, and it is back before the last step.
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

    /// Whether all conditions are met, in turn, more than `k` times.
    #[must_use]
    pub fn counted(&self, k: usize) -> Search {
        let mut aig = self.bare();
        let turn = one_condition(&mut aig, &self.justice);
        // As many latches as times: the n-th is true once there have been n.
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

/// A latch with the next value that a function of it gives.
fn latch(aig: &mut Aig, reset: Reset, next: impl FnOnce(&mut Aig, Lit) -> Lit) -> Lit {
    let index = aig.latches().len();
    let lit = aig.add_latch(reset, None);
    let next = next(aig, lit);
    aig.set_next(index, next);
    lit
}

/// A literal that is true again and again iff each condition is: when the last of them has been met since it was true before.
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
