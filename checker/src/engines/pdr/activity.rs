//! The activity of state variables, by which literals are ordered.

use super::cube::{Cube, StateLit};

/// For each variable a score of its occurrence in lemmas, recent ones counting more.
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

    /// Increases the activity of the variables in a lemma.
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
