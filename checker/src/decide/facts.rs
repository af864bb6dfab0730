//! Facts about a mutant: one value, which each step of its schedule extends.
//!
//! [`mod@super::verdict`] can derive a verdict from it at any time, so every engine may be stopped at any time. Evidence in it has been
//! checked, except the candidate runs of [`Known`]: it is still to be decided whether they kill, and how strongly.

use std::collections::BTreeSet;

use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{Certificate, Engine, InputEnabled, Kill, Reason, Strength};

use crate::determinism::Determinism;
use crate::search_progress::Known;

/// Facts about the tests that kill in one sense: potentially, or definitely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// The shortest kill known so far, and the engine that found it.
    pub best: Option<(Engine, Kill)>,
    /// The length, in steps, up to which no test kills.
    pub refuted: usize,
    /// The proof that no test kills, and the engine that found it.
    pub excluded: Option<(Engine, Certificate)>,
    /// The reason why no more is known: the limit that ended the last step.
    pub reason: Reason,
}

impl Default for Knowledge {
    /// Returns the knowledge before any engine has been asked: nothing is refuted, and no test is known.
    fn default() -> Knowledge {
        Knowledge {
            best: None,
            refuted: 0,
            excluded: None,
            reason: Reason::Engines,
        }
    }
}

impl Knowledge {
    /// Whether the question about tests in this sense has an answer: a kill is known, or a proof that no test kills.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.best.is_some() || self.excluded.is_some()
    }

    /// Whether a test is known, and no shorter one exists.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|(_, kill)| kill.shortest || self.refuted + 1 >= kill.steps())
    }

    /// Records that no test of at most `steps` steps kills in this sense.
    pub fn refute(&mut self, steps: usize) {
        self.refuted = self.refuted.max(steps);
    }

    fn improve(&mut self, engine: Engine, kill: &Kill) {
        if kill.shortest {
            self.refute(kill.steps() - 1);
        }
        let rank = |kill: &Kill| {
            let Kill {
                strength,
                shortest,
                sole_run,
                ..
            } = *kill;
            (
                kill.steps(),
                std::cmp::Reverse(strength),
                !shortest,
                !sole_run,
            )
        };
        let is_better = match &self.best {
            Some((_, best)) => rank(kill) < rank(best),
            None => true,
        };
        if is_better {
            self.best = Some((engine, kill.clone()));
        }
    }
}

/// All facts about one mutant that engines have found so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Pairs of runs with the same inputs that cheap engines found.
    pub pairs: Known,
    /// Tests that kill potentially, including definite ones; tests that kill controllably if choices are controllable.
    pub potential: Knowledge,
    /// Tests that kill definitely.
    pub definite: Knowledge,
    /// An adaptive test that kills: its next input depends on the outputs seen.
    pub adaptive: Option<Kill>,
    /// Whether the mutant is deterministic, if that has been asked.
    pub mutant: Option<Determinism>,
    /// Whether model and mutant accept the same inputs, with the evidence.
    pub accepts: InputEnabled,
    /// Whether an earlier round found runs of this mutant whose outputs differ from the model's, even if the runs are no longer kept.
    pub seen: bool,
    /// Indices, in the mutant's schedule ([`crate::schedule::mutants::Options::steps`]), of steps that used up their effort without an
    /// answer. They are not taken again.
    pub in_vain: BTreeSet<usize>,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            pairs: Known::default(),
            potential: Knowledge::default(),
            definite: Knowledge::default(),
            adaptive: None,
            mutant: None,
            accepts: InputEnabled::Unsettled,
            seen: false,
            in_vain: BTreeSet::new(),
        }
    }
}

impl From<Known> for Facts {
    fn from(known: Known) -> Facts {
        Facts {
            seen: known.found.is_some(),
            pairs: known,
            ..Facts::default()
        }
    }
}

impl Facts {
    /// Returns the facts without the candidate runs, which there is no time to judge.
    #[must_use]
    pub fn without_runs(self) -> Facts {
        Facts {
            pairs: self.pairs.without_run(),
            ..self
        }
    }

    /// Returns the facts about potential kills ([`Relation::Matched`]) or about definite kills.
    #[must_use]
    pub fn of(&self, relation: Relation) -> &Knowledge {
        match relation {
            Relation::Matched => &self.potential,
            Relation::Agreeing => &self.definite,
        }
    }

    /// Returns the facts about kills of this relation, to be extended.
    pub fn of_mut(&mut self, relation: Relation) -> &mut Knowledge {
        match relation {
            Relation::Matched => &mut self.potential,
            Relation::Agreeing => &mut self.definite,
        }
    }

    /// Records a kill whose evidence has been checked. `kill.shortest` refers to kills of `relation` only.
    pub fn kill(&mut self, relation: Relation, engine: Engine, kill: &Kill) {
        let unsure = Kill {
            shortest: false,
            ..kill.clone()
        };
        if kill.strength == Strength::Definite {
            self.definite.improve(engine, kill);
        }
        match relation {
            Relation::Matched => self.potential.improve(engine, kill),
            Relation::Agreeing => self.potential.improve(engine, &unsure),
        }
    }

    /// Returns the length, in steps, up to which no test kills in this sense. A test that kills definitely also kills potentially.
    #[must_use]
    pub fn refuted(&self, relation: Relation) -> usize {
        match relation {
            Relation::Matched => self.potential.refuted,
            Relation::Agreeing => self.definite.refuted.max(self.potential.refuted),
        }
    }

    /// Returns the candidate runs, which have not been judged yet, and the engine that found them.
    #[must_use]
    pub fn candidate(&self) -> Option<&(Engine, crate::question::Found)> {
        self.pairs.found.as_ref()
    }
}
