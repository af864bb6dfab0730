//! Generalises an excluded cube to a lemma: literals are dropped while the rest is inductive relative to the frame before.
//!
//! If a step into the smaller cube comes from a state that can itself be excluded (a counterexample to generalisation), that state is
//! excluded first: Hassan, Bradley, Somenzi, "Better generalization in IC3" (FMCAD 2013). This costs many calls, so it is done only for
//! obligations that have recurred many times.

use hyperkill_core::budget::Stop;
use hyperkill_evidence::fault::{self, Fault};

use super::Pdr;
use super::cube::{Cube, StateLit};
use super::queries::{Effort, Reply, Target};
use crate::schedule::engine_efforts::{PDR_COUNTEREXAMPLES, PDR_KEPT_LITERALS};

impl Pdr {
    /// Returns a cube that contains `cube` and is inductive relative to the frame before `level`, as a lemma. A `stubborn` cube gets more
    /// effort.
    pub(super) fn generalise(
        &mut self,
        cube: Cube,
        level: usize,
        stubborn: bool,
        effort: &mut Effort<'_>,
    ) -> Result<Cube, Stop> {
        let counterexamples = if stubborn { PDR_COUNTEREXAMPLES } else { 0 };
        self.minimise(cube, level, counterexamples, effort)
    }

    /// Returns the cube without as many literals as can be dropped while it stays inductive relative to the frame before `level`. Literals
    /// of low activity are tried first; at most `counterexamples` are excluded for each.
    fn minimise(
        &mut self,
        mut cube: Cube,
        level: usize,
        counterexamples: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Cube, Stop> {
        let mut order = cube.lits().to_vec();
        self.activity.most_active_first(&mut order);
        let mut failures = 0;
        for lit in order.into_iter().rev() {
            if failures == PDR_KEPT_LITERALS {
                break;
            }
            if cube.len() <= 1 || !cube.contains(lit) {
                continue;
            }
            let smaller = cube.filtered(|&other| other != lit);
            if let Some(smaller) = self.shrink(smaller, level, counterexamples, effort)? {
                cube = smaller;
                failures = 0;
            } else {
                failures += 1;
            }
        }
        Ok(cube)
    }

    /// Returns a cube with some or all of the literals of `cube` that is inductive relative to the frame before `level`, perhaps after
    /// excluding at most `counterexamples` states; `None` if none is found.
    fn shrink(
        &mut self,
        cube: Cube,
        level: usize,
        mut counterexamples: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Cube>, Stop> {
        if !fault::planted(Fault::UncheckedInitiation) && self.system.has_initial_state(&cube) {
            return Ok(None);
        }
        loop {
            let step = match self.enter(level, &cube, effort)? {
                Reply::Kept(part) => return Ok(Some(self.without_initial_states(&cube, part))),
                Reply::Entered(step) => step,
            };
            if counterexamples == 0 || level == 1 {
                return Ok(None);
            }
            counterexamples -= 1;
            let activity = &self.activity;
            let order = |lits: &mut [StateLit]| activity.most_active_first(lits);
            let target = Target::Cube(&cube);
            let other = self
                .lifter
                .lift(&self.system, &step, target, order, effort)?;
            if self.system.has_initial_state(&other) {
                return Ok(None);
            }
            let Reply::Kept(part) = self.enter(level - 1, &other, effort)? else {
                return Ok(None);
            };
            let part = self.without_initial_states(&other, part);
            let lemma = self.minimise(part, level - 1, 0, effort)?;
            let at = self.push(&lemma, level - 1, effort)?;
            self.learn(lemma, at);
        }
    }
}
