//! What is known of a mutant: one value, which every step of its schedule takes and returns narrower.
//!
//! At any moment [`mod@super::verdict`] makes a verdict of it, so every engine may be stopped at any moment. Evidence in it has been
//! checked. Only the candidate runs of [`Known`] have not: whether they kill, and how strongly, is still to be decided.

use std::collections::BTreeSet;

use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{Certificate, Engine, InputEnabled, Kill, Reason, Strength};

use crate::determinism::Determinism;
use crate::search_progress::Known;

/// What is known of the tests that kill potentially, or of those that kill definitely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// The best test so far, and the engine that found it.
    pub best: Option<(Engine, Kill)>,
    /// No test of at most this many steps kills.
    pub refuted: usize,
    /// The proof that no test kills, and the engine that found it.
    pub excluded: Option<(Engine, Certificate)>,
    /// Why no more is known: what ended the last step.
    pub reason: Reason,
}

impl Default for Knowledge {
    /// Nothing is known, since no engine has been asked.
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
    /// Whether it is known that some test kills, or that none does.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.best.is_some() || self.excluded.is_some()
    }

    /// Whether a test is known, and none can be shorter.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|(_, kill)| kill.shortest || self.refuted + 1 >= kill.steps())
    }

    /// Records that no test of at most so many steps kills.
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

/// All that is known of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Pairs of runs with the same inputs that cheaper engines have seen.
    pub pairs: Known,
    /// Tests that kill potentially, definite ones among them; controllably, where choices are arranged.
    pub potential: Knowledge,
    /// Tests that kill definitely.
    pub definite: Knowledge,
    /// An adaptive test that kills: its next input depends on the outputs seen.
    pub adaptive: Option<Kill>,
    /// Whether the mutant is deterministic, once that has been asked.
    pub mutant: Option<Determinism>,
    /// Whether model and mutant accept the same inputs.
    pub accepts: InputEnabled,
    /// Whether an earlier round has seen runs of this mutant whose outputs differ from the model's.
    pub seen: bool,
    /// Places, in the mutant's schedule ([`crate::schedule::mutants::Options::steps`]), of steps that came to the end of their efforts
    /// without an answer. They are not taken again.
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
    /// The same without runs of which is not decided what they show, for want of time.
    #[must_use]
    pub fn without_runs(self) -> Facts {
        Facts {
            pairs: self.pairs.without_run(),
            ..self
        }
    }

    /// What is known of potential kills ([`Relation::Matched`]) or of definite ones.
    #[must_use]
    pub fn of(&self, relation: Relation) -> &Knowledge {
        match relation {
            Relation::Matched => &self.potential,
            Relation::Agreeing => &self.definite,
        }
    }

    /// The same, for a step that learns more.
    pub fn of_mut(&mut self, relation: Relation) -> &mut Knowledge {
        match relation {
            Relation::Matched => &mut self.potential,
            Relation::Agreeing => &mut self.definite,
        }
    }

    /// Records a kill whose evidence has been checked. That none is shorter was said of kills of that relation.
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

    /// Length up to which no test kills in this sense: one that kills definitely also kills potentially.
    #[must_use]
    pub fn refuted(&self, relation: Relation) -> usize {
        match relation {
            Relation::Matched => self.potential.refuted,
            Relation::Agreeing => self.definite.refuted.max(self.potential.refuted),
        }
    }

    /// The candidate runs, of which is not yet decided whether they kill, and the engine that found them.
    #[must_use]
    pub fn candidate(&self) -> Option<&(Engine, crate::question::Found)> {
        self.pairs.found.as_ref()
    }
}
