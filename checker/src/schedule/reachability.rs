//! The schedule of the question whether a product can reach a goal: bounded search, signal correspondence, induction, property-directed
//! reachability and external model checkers, in turns of growing effort.

use super::Engines;
use super::efforts::{self, Effort, Pace};

/// The nodes that signal correspondence may merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Latches and constants, but no gates.
    Latches,
    /// All nodes of a copy: latches, constants and gates.
    Nodes,
}

/// The engine that takes a step, with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Bounded model checking, depth after depth.
    Bmc,
    /// Signal correspondence: merges signals that are always equal, which makes the question smaller.
    Correspondence {
        /// The nodes that are compared.
        scope: Scope,
        /// The number of consecutive steps in which equalities are assumed when they are proved for the next step.
        assumed: usize,
    },
    /// Searches equalities of signals that every step preserves; induction then assumes them.
    Facts {
        /// Whether equalities under a condition are included: they cost more and are needed less often.
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
    /// Returns the name of the engine.
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
pub struct ReachabilityStep {
    /// The engine that takes it.
    pub method: Method,
    /// The limits of the step.
    pub effort: Effort,
}

/// Limits and engines of a reachability question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The longest run to search for, in steps; unlimited if `None`.
    pub bound: Option<usize>,
    /// Turns of growing effort before the search ends; unlimited if `None`.
    pub turns: Option<u32>,
    /// The permitted engines among `bmc`, `induction` and `pdr`.
    pub engines: Engines,
    /// The effort of each turn.
    pub pace: Pace,
    /// The merges by signal correspondence at the start: which signals, and over how many assumed steps.
    pub merging: &'static [(Scope, usize)],
    /// Whether a proof must be a 1-inductive invariant that excludes the goal by itself.
    pub invariants: bool,
    /// Whether external model checkers may be asked.
    pub others: bool,
}

/// The merges before induction: latches first, since they are cheap; then all nodes, with one and with several assumed steps.
pub const MERGING: &[(Scope, usize)] = &[(Scope::Latches, 1), (Scope::Nodes, 1), (Scope::Nodes, 4)];

impl Options {
    /// Options of a question without limits except the budget.
    pub const UNLIMITED: Options = Options {
        bound: None,
        turns: None,
        engines: Engines::ALL,
        pace: Pace::THOROUGH,
        merging: MERGING,
        invariants: false,
        others: false,
    };

    /// Options of a side question, which must be cheap.
    pub const MODEST: Options = Options {
        bound: Some(efforts::MODEST_BOUND),
        turns: Some(efforts::MODEST_TURNS),
        pace: Pace::MODEST,
        ..Options::UNLIMITED
    };

    /// Options for bad states of a circuit. A proof must be an invariant over the latches, so only latches are merged.
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

    /// Returns the options with these engines only. Signals are merged only if they include induction.
    #[must_use]
    pub fn with(self, engines: Engines) -> Options {
        Options {
            engines,
            merging: if engines.induction { MERGING } else { &[] },
            ..self
        }
    }

    /// Returns the options of a side question about the same model: the same engines, with a modest effort.
    #[must_use]
    pub fn modest(self) -> Options {
        Options {
            bound: self.bound.or(Options::MODEST.bound),
            turns: Options::MODEST.turns,
            pace: Options::MODEST.pace,
            ..self
        }
    }

    /// Returns the steps of a turn, counted from 0.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<ReachabilityStep> {
        let mut steps = Vec::new();
        if turn == 0 {
            self.open(&mut steps);
        }
        let pace = &self.pace;
        let mut add = |asked: bool, method: Method, effort: Effort| {
            if asked {
                steps.push(ReachabilityStep { method, effort });
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

    fn open(&self, steps: &mut Vec<ReachabilityStep>) {
        if self.engines.bmc {
            steps.push(ReachabilityStep {
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
            steps.push(ReachabilityStep { method, effort });
        }
    }

    /// Returns the turn, counted from 0, after which external model checkers are asked: the last turn, but no later than the turn before
    /// [`efforts::TURNS_BEFORE_OTHERS`]. `None` if they cannot be asked.
    #[must_use]
    pub fn asks_others_after(&self) -> Option<u32> {
        let works = self.engines.bmc || self.inducts() || self.engines.pdr;
        let turns = if works { self.turns } else { Some(1) };
        let before = efforts::TURNS_BEFORE_OTHERS;
        let before = turns.map_or(before, |turns| turns.clamp(1, before));
        self.others.then(|| before - 1)
    }

    /// Whether k-induction may be used: it is permitted, and proofs need not be invariants, which its proofs are not.
    #[must_use]
    pub fn inducts(&self) -> bool {
        self.engines.induction && !self.invariants
    }

    /// Whether this is the last turn, counted from 0; never if turns are unlimited.
    #[must_use]
    pub fn is_last(&self, turn: u32) -> bool {
        self.turns.is_some_and(|turns| turn + 1 >= turns)
    }
}
