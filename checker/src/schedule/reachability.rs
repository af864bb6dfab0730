//! Whether a product can reach a goal: bounded search, signal correspondence, induction, property-directed reachability and other
//! programs, in turns of growing effort.

use super::Engines;
use super::efforts::{self, Effort, Pace};

/// Which nodes signal correspondence may merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Latches and constants, and no gates.
    Latches,
    /// All nodes of a copy.
    Nodes,
}

/// The engine that takes a step, with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Bounded model checking, depth after depth.
    Bmc,
    /// Signals that always correspond are merged, which makes the question smaller.
    Correspondence {
        /// Which signals are compared.
        scope: Scope,
        /// Over how many steps classes are assumed.
        assumed: usize,
    },
    /// Equalities that steps keep, which strengthen what follows.
    Facts {
        /// Equalities that hold under a condition too: they cost more and are needed less often.
        conditional: bool,
    },
    /// k-induction that assumes the facts found.
    Induction,
    /// Property-directed reachability (IC3).
    Pdr,
    /// External model checkers.
    Others,
}

impl Method {
    /// The name of the engine that takes it.
    #[must_use]
    pub fn engine(self) -> &'static str {
        match self {
            Method::Bmc => "bmc",
            Method::Correspondence { .. } => "correspondence",
            Method::Facts { .. } | Method::Induction => "induction",
            Method::Pdr => "pdr",
            Method::Others => "external",
        }
    }
}

/// A step of the schedule of a reachability question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The engine that takes it.
    pub method: Method,
    /// How much it may cost.
    pub effort: Effort,
}

/// How far to go with a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Longest run to look for, in steps; unlimited if `None`.
    pub bound: Option<usize>,
    /// Turns of growing effort before giving up; unlimited if `None`.
    pub turns: Option<u32>,
    /// Who may work: `bmc`, `induction` and `pdr`.
    pub engines: Engines,
    /// What each turn may cost.
    pub pace: Pace,
    /// Which signals may be merged first.
    pub merging: &'static [(Scope, usize)],
    /// Whether a proof must be an invariant: what excludes the goal by itself, without a look at the step before.
    pub invariants: bool,
    /// Whether there are other programs to ask.
    pub others: bool,
}

/// What is merged before induction: latches first, since that is cheap, and over several steps where one does not do.
pub const MERGING: &[(Scope, usize)] = &[(Scope::Latches, 1), (Scope::Nodes, 1), (Scope::Nodes, 4)];

impl Options {
    /// No limit but the budget.
    pub const UNLIMITED: Options = Options {
        bound: None,
        turns: None,
        engines: Engines::ALL,
        pace: Pace::THOROUGH,
        merging: MERGING,
        invariants: false,
        others: false,
    };

    /// A side question that must not cost much.
    pub const MODEST: Options = Options {
        bound: Some(efforts::MODEST_BOUND),
        turns: Some(efforts::MODEST_TURNS),
        pace: Pace::MODEST,
        ..Options::UNLIMITED
    };

    /// Bad states of a circuit. A proof must be an invariant over its latches, which is why only these are merged.
    pub const SAFETY: Options = Options {
        engines: Engines {
            induction: false,
            ..Engines::ALL
        },
        pace: Pace::SAFETY,
        merging: &[(Scope::Latches, 1)],
        invariants: true,
        ..Options::UNLIMITED
    };

    /// The same with these engines only. Signal correspondence is a way of induction.
    #[must_use]
    pub fn with(self, engines: Engines) -> Options {
        Options {
            engines,
            merging: if engines.induction { MERGING } else { &[] },
            ..self
        }
    }

    /// The same, as a side question about the same model: with all that was asked for, but within a modest effort.
    #[must_use]
    pub fn modest(self) -> Options {
        Options {
            bound: self.bound.or(Options::MODEST.bound),
            turns: Options::MODEST.turns,
            pace: Options::MODEST.pace,
            ..self
        }
    }

    /// The steps of a turn.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        if turn == 0 {
            self.open(&mut steps);
        }
        let pace = &self.pace;
        let mut add = |asked: bool, method: Method, effort: Effort| {
            if asked {
                steps.push(Step { method, effort });
            }
        };
        let Engines { bmc, pdr, .. } = self.engines;
        let induction = self.inducts();
        add(bmc, Method::Bmc, pace.search(turn));
        let facts = Method::Facts {
            conditional: turn > 0,
        };
        add(
            induction && turn < efforts::TURNS_OF_FACTS,
            facts,
            efforts::FACTS,
        );
        let shallow = pace.induction(efforts::SHALLOW, turn);
        add(induction && pdr, Method::Induction, shallow);
        add(pdr, Method::Pdr, pace.directed(turn));
        let deep = pace.induction(efforts::deep(turn), turn);
        add(induction && (!pdr || turn > 0), Method::Induction, deep);
        add(
            self.asks_others_after() == Some(turn),
            Method::Others,
            efforts::FACTS,
        );
        steps
    }

    fn open(&self, steps: &mut Vec<Step>) {
        if self.engines.bmc {
            steps.push(Step {
                method: Method::Bmc,
                effort: efforts::FIRST_SEARCH,
            });
        }
        let effort = Effort {
            steps: if self.invariants {
                0
            } else {
                efforts::MERGED.steps
            },
            ..efforts::MERGED
        };
        for &(scope, assumed) in self.merging {
            let method = Method::Correspondence { scope, assumed };
            steps.push(Step { method, effort });
        }
    }

    /// The turn after which other programs are asked, if there are any: the last one, but one of the first.
    #[must_use]
    pub fn asks_others_after(&self) -> Option<u32> {
        let works = self.engines.bmc || self.inducts() || self.engines.pdr;
        let turns = if works { self.turns } else { Some(1) };
        let before = efforts::TURNS_BEFORE_OTHERS;
        let before = turns.map_or(before, |turns| turns.clamp(1, before));
        self.others.then(|| before - 1)
    }

    /// Whether k-induction may prove something: it looks at the step before, so it gives no invariants.
    #[must_use]
    pub fn inducts(&self) -> bool {
        self.engines.induction && !self.invariants
    }

    /// Whether this is the last turn.
    #[must_use]
    pub fn is_last(&self, turn: u32) -> bool {
        self.turns.is_some_and(|turns| turn + 1 >= turns)
    }
}
