//! What a step of a schedule may cost. All of it is counted (gates, conflicts, solver calls, states), never timed, so that a question has
//! the same answer on every machine.

use hyperkill_certify::{CheckLimits, DiagramLimits};

/// A limit that grows from turn to turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growing {
    first: u64,
    doublings: u32,
    most_doublings: u32,
}

impl Growing {
    /// Begins at `first` and is doubled `doublings` times with each turn, but `most_doublings` times at most.
    #[must_use]
    pub const fn new(first: u64, doublings: u32, most_doublings: u32) -> Growing {
        Growing {
            first,
            doublings,
            most_doublings,
        }
    }

    /// The limit in a turn, which are counted from 0.
    #[must_use]
    pub fn at(self, turn: u32) -> u64 {
        self.first << (turn.saturating_mul(self.doublings)).min(self.most_doublings)
    }

    /// The same as a number of things that are counted.
    #[must_use]
    pub fn count(self, turn: u32) -> usize {
        usize::try_from(self.at(turn)).unwrap_or(usize::MAX)
    }
}

/// What one step may cost; what does not apply to a method is not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Longest run that is looked for, or depth of induction, in steps.
    pub steps: usize,
    /// Gates of an unrolling, above which it is not made longer.
    pub gates: usize,
    /// Conflicts of each solver call.
    pub conflicts: u32,
    /// Solver calls and conflicts in all.
    pub calls: u64,
    /// Conflicts of bounded search in all; none if no other engine waits for its turn.
    pub conflicts_in_all: Option<u64>,
}

/// What explicit states may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Steps of original and mutant (state, input, choice) that may be evaluated.
    pub steps: usize,
    /// Positions that may be visited. One counts once more for every 64 states or pairs in sets that no position had before.
    pub positions: usize,
}

impl Default for Listing {
    /// A few seconds of a small circuit.
    fn default() -> Listing {
        Listing {
            steps: 1 << 23,
            positions: 1 << 17,
        }
    }
}

/// What decision diagrams may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diagrams {
    /// Nodes that may be held.
    pub nodes: usize,
    /// Calls of recursions that no table of results answers.
    pub calls: u64,
}

/// Latches of a model above which no decision diagrams are tried.
pub const MOST_LATCHES: usize = 400;

impl Default for Diagrams {
    /// A few seconds.
    fn default() -> Diagrams {
        Diagrams {
            nodes: 1 << 21,
            calls: 1 << 24,
        }
    }
}

/// Among which pairs of states a relation is looked for. Fewer cost less, and prove less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// Pairs of equal states.
    Equal,
    /// Pairs that differ only in latches whose next value is another in the mutant.
    Alike,
    /// Pairs as in `Alike`, which may also differ in latches that a choice can change while all other latches stay the same.
    Chosen,
    /// All pairs.
    All,
}

/// Levels of slices before mutants are decided alone and to their end.
pub const LEVELS: u32 = 4;

/// Levels of slices of proofs by equalities.
pub const LEVELS_OF_CORRESPONDENCE: u32 = 2;

/// Levels of slices of decision diagrams: in the last one they come to their own limits ([`Diagrams::SEARCH`]).
pub const LEVELS_OF_DIAGRAMS: u32 = 3;

/// Counted work of a slice of a level, in microseconds of a typical core ([`hyperkill_core::work::Work::effort`]): a quarter of a second at
/// first, four times as much at each level.
#[must_use]
pub const fn slice(level: u32) -> u64 {
    250_000 << (2 * level)
}

/// Counted work to find out whether a mutant is deterministic, if no random run shows that it is not: the verdict does not depend on it.
pub const DETERMINISM: u64 = 100_000;

/// Counted work on a family that behaves alike.
pub const SLICE_OF_FAMILY: u64 = 1_000_000;

/// Counted work of decision diagrams for some mutants together.
#[must_use]
pub const fn slice_together(level: u32) -> u64 {
    2 * slice(level)
}

/// Counted work of one attempt of a level to prove a mutant or a group by equalities, likewise.
#[must_use]
pub const fn slice_of_correspondence(pass: Pass, level: u32) -> u64 {
    let first: u64 = match pass {
        Pass::Quick => 100_000,
        Pass::Thorough => 400_000,
    };
    first << (2 * level)
}

/// Attempts of one kind in a row that decide nothing, after which the others of that kind are left for later.
pub const FRUITLESS: usize = 16;

/// Attempts on groups of mutants that are made at once. A run that goes on does them again if one of them had not ended.
pub const AT_ONCE: usize = 8;

/// How much the check of a proof by decision diagrams may cost. Diagrams get twice what the engine's search may take; beyond that a SAT
/// solver must do each check within so many conflicts.
pub const CONFIRMED: CheckLimits = CheckLimits {
    diagrams: DiagramLimits {
        nodes: 2 * Diagrams::SEARCH.nodes,
        calls: 2 * Diagrams::SEARCH.calls,
    },
    conflicts: Some(30_000),
};

/// Mutants that decision diagrams look at together.
pub const TOGETHER: usize = 8;

/// Positions that a search on sets of states may visit: sets of the model's states with mutants beside them.
pub const POSITIONS: usize = 1 << 10;

/// Diagrams that find out which values the functions of inputs can have together: few milliseconds.
pub const CLASSES: Diagrams = Diagrams {
    nodes: 1 << 16,
    calls: 1 << 18,
};

impl Diagrams {
    /// A search on sets of states for some mutants together.
    pub const SEARCH: Diagrams = Diagrams {
        nodes: 1 << 21,
        calls: 1 << 25,
    };
    /// A relation that proves that one side accepts all inputs of the other.
    pub const ACCEPTANCE: Diagrams = Diagrams {
        nodes: 1 << 20,
        calls: 1 << 22,
    };
    /// A relation for one mutant, or for those that a search together has left.
    pub const RELATION: Diagrams = Diagrams {
        nodes: 1 << 19,
        calls: 1 << 21,
    };
}

/// Efforts for the turns of a reachability question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Longest run, in steps. It is limited since a goal that folds to false costs no gates at any depth.
    steps: Growing,
    gates: Growing,
    conflicts: Growing,
    /// Solver calls and conflicts of property-directed reachability.
    calls: Growing,
    /// Conflicts of bounded search in a turn, if they are limited in all.
    searching: Option<Growing>,
    /// Whether runs that are not known to be shortest are made shorter by bounded search.
    pub shortens: bool,
}

impl Pace {
    /// The question that a mutant's verdict hangs on.
    pub const THOROUGH: Pace = Pace {
        steps: Growing::new(16, 1, 20),
        gates: Growing::new(100_000, 1, 12),
        conflicts: Growing::new(2_000, 2, 18),
        calls: Growing::new(32_000, 2, 40),
        searching: None,
        shortens: true,
    };
    /// A side question that must not cost much.
    pub const MODEST: Pace = Pace {
        calls: Growing::new(500, 2, 40),
        ..Pace::THOROUGH
    };
    /// A strategy of the model. Its failure proves little, since another strategy may succeed.
    pub const STRATEGY: Pace = Pace {
        searching: Some(Growing::new(2_000, 2, 18)),
        ..Pace::MODEST
    };
    /// Bad states of a circuit: any run will do.
    pub const SAFETY: Pace = Pace {
        steps: Growing::new(8, 2, 24),
        gates: Growing::new(100_000, 1, 12),
        conflicts: Growing::new(1_000, 2, 20),
        calls: Growing::new(20_000, 2, 40),
        // A conflict in a long unrolling takes as long as 16 calls of property-directed reachability.
        searching: Some(Growing::new(1_250, 2, 40)),
        shortens: false,
    };

    /// Bounded search in a turn.
    #[must_use]
    pub fn search(&self, turn: u32) -> Effort {
        Effort {
            steps: self.steps.count(turn),
            conflicts_in_all: self.searching.map(|conflicts| conflicts.at(turn)),
            ..self.solver(turn)
        }
    }

    /// Induction to a depth, in a turn.
    #[must_use]
    pub fn induction(&self, depth: usize, turn: u32) -> Effort {
        Effort {
            steps: depth,
            ..self.solver(turn)
        }
    }

    /// Property-directed reachability in a turn, and the search for a shorter run than the one it finds.
    #[must_use]
    pub fn directed(&self, turn: u32) -> Effort {
        let solver = self.solver(turn);
        Effort {
            calls: self.calls.at(turn),
            gates: 4 * solver.gates,
            ..solver
        }
    }

    fn solver(&self, turn: u32) -> Effort {
        Effort {
            gates: self.gates.count(turn),
            conflicts: u32::try_from(self.conflicts.at(turn)).unwrap_or(u32::MAX),
            ..Effort::default()
        }
    }
}

/// Runs that are looked for before anything else: cheap, and the base case of most proofs.
pub const FIRST_SEARCH: Effort = Effort {
    steps: 4,
    gates: 100_000,
    conflicts: 2_000,
    calls: 0,
    conflicts_in_all: None,
};

/// A proof over two consecutive steps once signals have been merged.
pub const MERGED: Effort = Effort {
    steps: 1,
    gates: 100_000,
    conflicts: 2_000,
    calls: 0,
    conflicts_in_all: None,
};

/// The search for facts that strengthen induction.
pub const FACTS: Effort = Effort {
    steps: 1,
    gates: usize::MAX,
    conflicts: 10_000,
    calls: 400,
    conflicts_in_all: None,
};

/// Depth of induction that is tried before property-directed reachability.
pub const SHALLOW: usize = 2;

/// Depth of induction after it: deep steps cost more than the invariant that directed search may find before.
#[must_use]
pub fn deep(turn: u32) -> usize {
    Growing::new(8, 1, 10).count(turn)
}

/// Turns of the engines of this package before other programs are asked.
pub const TURNS_BEFORE_OTHERS: u32 = 3;

/// How precisely runs are looked at where latches are taken for equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// From all states in which the latches are equal, and of those that may differ only whether any of them does: what is proved then is
    /// said of the differences alone, and soon found.
    FromAnyState,
    /// The same from initial states.
    FromFirstStates,
    /// All values of each latch.
    Values,
}

/// Which mutants are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// All: what is soon found.
    Quick,
    /// Those that are left.
    Thorough,
}

/// How precise a pass is, one after the other, each with solver calls and conflicts of property-directed reachability. Where no latch is
/// known to differ there is nothing to abstract from.
#[must_use]
pub const fn precisions(pass: Pass, all_equal: bool) -> &'static [(Precision, u64)] {
    match (pass, all_equal) {
        (Pass::Quick, true) => &[(Precision::Values, 100_000)],
        (Pass::Quick, false) => &[(Precision::FromAnyState, 20_000)],
        (Pass::Thorough, true) => &[],
        (Pass::Thorough, false) => &[
            (Precision::FromFirstStates, 20_000),
            (Precision::Values, 20_000),
        ],
    }
}

/// Latches that may differ where others are taken for equal: of a mutant that changes more than that, more is seen.
pub const MOST_APART: usize = 256;

/// Questions that are asked about a group of mutants whose latches are taken for equal.
pub const FOUND_APART: usize = 16;

/// Turns in which facts are looked for, with conditions from the second on; later turns keep what was found.
pub const TURNS_OF_FACTS: u32 = 2;

/// Turns of a proof that goes on although all runs within the bound have been searched.
pub const TURNS_BEYOND_THE_BOUND: u32 = 3;

/// Expansion of universal runs for a mutant, in a turn.
#[must_use]
pub fn expansion(turn: u32) -> Effort {
    Effort {
        steps: Growing::new(32, 2, 20).count(turn),
        gates: Growing::new(200_000, 2, 16).count(turn),
        conflicts: u32::try_from(Growing::new(2_000, 2, 18).at(turn)).unwrap_or(u32::MAX),
        calls: 0,
        conflicts_in_all: None,
    }
}

/// The same for a user's formula, of which there is one.
#[must_use]
pub fn expansion_of_formula(turn: u32) -> Effort {
    Effort {
        gates: Growing::new(100_000, 2, 16).count(turn),
        ..expansion(turn)
    }
}

/// A first look at a user's formula, before the states of a small model are listed.
pub const FIRST_LOOK: Effort = Effort {
    steps: 8,
    gates: 20_000,
    conflicts: 200,
    calls: 0,
    conflicts_in_all: None,
};

/// Expansion that only makes a test shorter.
pub const SHORTER_BY_EXPANSION: Effort = Effort {
    steps: usize::MAX,
    gates: 40_000,
    conflicts: 500,
    calls: 0,
    conflicts_in_all: None,
};

/// Bounded search that only makes a test shorter.
pub const SHORTER_BY_SEARCH: Effort = Effort {
    steps: usize::MAX,
    gates: 60_000,
    conflicts: 2_000,
    calls: 12,
    conflicts_in_all: None,
};

/// Steps of a test times gates of the circuit above which no solver is asked for a shorter one where the kill is certain in any case.
pub const WORTH_SHORTENING: usize = 1 << 18;

/// Steps of runs that are looked for before states are listed.
pub const SHORT_RUNS: usize = 4;

/// The same after a first list of states, before relations.
pub const LONGER_RUNS: usize = 16;

/// States and positions that may be listed before anything dearer is tried.
pub const FIRST_LISTING: Listing = Listing {
    steps: 1 << 22,
    positions: 1 << 15,
};

/// The same where only the length of a test is at stake.
pub const GLANCE: Listing = Listing {
    steps: 1 << 20,
    positions: 1 << 13,
};

/// What may be listed in a turn. It stops growing after the first: what is larger than that is left to solvers.
#[must_use]
pub fn listing(turn: u32) -> Listing {
    let doublings = (2 * turn + 2).min(4);
    Listing {
        steps: FIRST_LISTING.steps << doublings,
        positions: FIRST_LISTING.positions << doublings,
    }
}

/// The last turn of questions with alternating quantifiers: after it efforts no longer grow, and nothing more is to be hoped for.
pub const LAST_TURN: u32 = 8;

/// Bounded search and turns of a side question.
pub const MODEST_BOUND: usize = 64;
/// See [`MODEST_BOUND`].
pub const MODEST_TURNS: u32 = 3;

/// Turns of induction that are tried where a walk through the states has shown that nothing is to be found.
pub const EASY_TURNS: u32 = 2;

/// Turns of a question about a family of mutants: what is hard is asked about each alone.
pub const FAMILY_TURNS: u32 = 1;

/// Random runs, many at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomRuns {
    /// Their length in steps.
    pub steps: usize,
    /// Longest mean stretch for which inputs are held, in steps.
    pub hold: u32,
}

/// The rounds of simulation: short runs first, so that the tests they find are short.
pub const SIMULATION: [RandomRuns; 4] = [
    RandomRuns { steps: 16, hold: 4 },
    RandomRuns {
        steps: 96,
        hold: 32,
    },
    RandomRuns {
        steps: 1024,
        hold: 512,
    },
    // For counters to run out more than once.
    RandomRuns {
        steps: 8192,
        hold: 512,
    },
];

/// Steps of the rounds of fault simulation.
pub const FAULTS: [usize; 3] = [16, 96, 384];

/// Gates that looking for stimuli may evaluate, of the original in 512 lanes.
pub const EXPLORATION_GATES: u64 = 1 << 27;

/// Gates that a round of fault simulation may evaluate, of the original and of what differs in mutants.
pub const FAULT_GATES: u64 = 1 << 28;

/// However large the circuit, looking for stimuli may cost what running so many waves of them against all mutants does.
pub const EXPLORATION_WAVES: u64 = 2;

/// However large the circuit, so many waves of stimuli may be run against all mutants.
pub const FAULT_WAVES: u64 = 4;

/// Gates that shortening one certain kill by simulation may evaluate.
pub const FAULT_SHORTENING_GATES: u64 = 1 << 22;

/// Random runs that may kill definitely. The longest would cost the solver too much that has to judge them.
#[must_use]
pub fn simulated_for_definite() -> &'static [RandomRuns] {
    &SIMULATION[..3]
}

/// Gates times steps above which no solver is asked whether random inputs kill definitely.
pub const LARGEST_JUDGED: usize = 1 << 23;

/// Conflicts within which a solver must tell that two sides cannot agree on random inputs: inputs that kill mostly do so for a plain
/// reason.
pub const JUDGED_AT_ONCE: u32 = 2_000;

/// Beyond this product of tests and mutants a suite looks for no further kills of its tests by listing.
pub const SUITE_LISTINGS: usize = 1 << 16;

/// Choices and free initial values, in bits, with which a suite lists the runs on tests of a hundred steps.
pub const SUITE_CHOICES: usize = 6;

/// Mutants per round of solving. Large enough to keep many threads busy, small enough that a test found in one round saves work in the
/// next.
pub const CHUNK: usize = 64;

/// Steps to which pairs of states are walked through first, for all mutants: most kills are near.
pub const NEAR: usize = 64;
