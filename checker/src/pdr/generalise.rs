//! From an excluded cube to a lemma: literals are dropped while what is left is inductive relative to the frame before.
//!
//! If a step into the smaller cube comes from a state that can itself be excluded (a counterexample to generalisation),
//! it is excluded first: Hassan, Bradley, Somenzi, "Better generalization in IC3" (FMCAD 2013).

use std::collections::BTreeSet;

use super::Pdr;
use super::cube::{Cube, StateLit};
use super::queries::{Effort, Reply, Target};
use crate::budget::Stop;
use crate::fault::{self, Fault};

/// Counterexamples excluded for one literal.
const COUNTEREXAMPLES: usize = 3;
/// How deep their own counterexamples are excluded.
const NESTING: usize = 1;

/// How often variables are in lemmas, lately more than long ago.
pub(super) struct Activity {
    score: Vec<f64>,
    step: f64,
}

impl Activity {
    pub(super) fn new(variables: usize) -> Activity {
        Activity {
            score: vec![0.0; variables],
            step: 1.0,
        }
    }

    /// The variables of a lemma.
    pub(super) fn bump(&mut self, lemma: &Cube) {
        for lit in lemma.lits() {
            self.score[lit.variable()] += self.step;
        }
        self.step *= 1.01;
        if self.step > 1e100 {
            for score in &mut self.score {
                *score *= 1e-100;
            }
            self.step *= 1e-100;
        }
    }

    pub(super) fn most_active_first(&self, lits: &mut [StateLit]) {
        let score = |lit: &StateLit| self.score[lit.variable()];
        lits.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    }
}

impl Pdr {
    /// A lemma for a cube that is inductive relative to the frame before `level`.
    pub(super) fn generalise(
        &mut self,
        cube: Cube,
        level: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Cube, Stop> {
        self.minimise(cube, level, 0, effort)
    }

    fn minimise(
        &mut self,
        mut cube: Cube,
        level: usize,
        nesting: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Cube, Stop> {
        let mut order = cube.lits().to_vec();
        self.activity.most_active_first(&mut order);
        let mut needed = BTreeSet::new();
        for lit in order.into_iter().rev() {
            if cube.len() <= 1 || !cube.contains(lit) {
                continue;
            }
            let smaller = cube.filtered(|&other| other != lit);
            match self.down(smaller, level, nesting, &needed, effort)? {
                Some(smaller) => cube = smaller,
                None => {
                    needed.insert(lit);
                }
            }
        }
        Ok(cube)
    }

    /// A part of the cube, or the cube, that is inductive relative to the frame before `level`; if possible after other
    /// lemmas have been learned. `None` if none is found that has all literals of `needed`.
    fn down(
        &mut self,
        mut cube: Cube,
        level: usize,
        nesting: usize,
        needed: &BTreeSet<StateLit>,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Cube>, Stop> {
        let mut counterexamples = 0;
        loop {
            if !fault::planted(Fault::UncheckedInitiation) && self.system.has_initial_state(&cube) {
                return Ok(None);
            }
            let step = match self.enter(level, &cube, effort)? {
                Reply::Kept(part) => return Ok(Some(self.without_initial_states(&cube, part))),
                Reply::Entered(step) => step,
            };
            if nesting > NESTING {
                return Ok(None);
            }
            if counterexamples < COUNTEREXAMPLES && level > 1 {
                let activity = &self.activity;
                let order = |lits: &mut [StateLit]| activity.most_active_first(lits);
                let target = Target::Cube(&cube);
                let other = self
                    .lifter
                    .lift(&self.system, &step, target, order, effort)?;
                if !self.system.has_initial_state(&other)
                    && let Reply::Kept(part) = self.enter(level - 1, &other, effort)?
                {
                    counterexamples += 1;
                    let part = self.without_initial_states(&other, part);
                    let lemma = self.minimise(part, level - 1, nesting + 1, effort)?;
                    let at = self.push(&lemma, level - 1, effort)?;
                    self.learn(lemma, at);
                    continue;
                }
            }
            counterexamples = 0;
            // The smallest cube that contains both.
            let before = cube.len();
            cube = cube.filtered(|&lit| !step.state.contains(!lit));
            if cube.len() == before || needed.iter().any(|&lit| !cube.contains(lit)) {
                return Ok(None);
            }
        }
    }
}
