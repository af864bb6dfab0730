//! Limits of the steps of schedules. They count work (gates, conflicts, solver calls, states) and never time, so that a question has the
//! same answer on every machine.

use hyperkill_certify::{CheckLimits, DiagramLimits};

/// A limit that doubles from turn to turn, up to a maximum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growing {
    first: u64,
    doublings: u32,
    most_doublings: u32,
}

impl Growing {
    /// Returns a limit that starts at `first` and doubles `doublings` times per turn, at most `most_doublings` times in all.
    #[must_use]
    pub const fn new(first: u64, doublings: u32, most_doublings: u32) -> Growing {
        Growing {
            first,
            doublings,
            most_doublings,
        }
    }

    /// Returns the limit in a turn; turns count from 0.
    #[must_use]
    pub fn at(self, turn: u32) -> u64 {
        self.first << (turn.saturating_mul(self.doublings)).min(self.most_doublings)
    }

    /// Returns the limit in a turn as a `usize`.
    #[must_use]
    pub fn count(self, turn: u32) -> usize {
        usize::try_from(self.at(turn)).unwrap_or(usize::MAX)
    }
}

/// The limits of one step. A method ignores the limits that do not apply to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// The longest run to search for, or the depth of induction, in steps.
    pub steps: usize,
    /// The number of gates of an unrolling above which it is not extended.
    pub gates: usize,
    /// Limit on conflicts of each solver call.
    pub conflicts: u32,
    /// Limit on solver calls and conflicts together.
    pub calls: u64,
    /// Total conflicts of bounded search; unlimited if `None`, when no other engine waits for its turn.
    pub conflicts_in_all: Option<u64>,
}

/// The limits of listing explicit states and their steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Number of evaluated steps (state, input, choice) of original and mutant.
    pub steps: usize,
    /// Visited positions: nodes of the search, such as a pair or a set of states. A position counts once more for every 64 states or pairs
    /// in sets that are new with it.
    pub positions: usize,
}

impl Default for Listing {
    /// Returns limits that take a few seconds on a small circuit.
    fn default() -> Listing {
        Listing {
            steps: 1 << 23,
            positions: 1 << 17,
        }
    }
}

/// The limits of decision diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diagrams {
    /// Number of nodes held at one time.
    pub nodes: usize,
    /// Number of recursive calls that miss the table of results.
    pub calls: u64,
}

/// Largest model, in latches, for which decision diagrams are tried.
pub const MOST_LATCHES: usize = 400;

impl Default for Diagrams {
    /// Returns limits of decision diagrams that take a few seconds.
    fn default() -> Diagrams {
        Diagrams {
            nodes: 1 << 21,
            calls: 1 << 24,
        }
    }
}

/// The pairs of states among which a simulation relation is searched. A smaller set costs less and proves less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// Pairs in which both sides are in the same state.
    Equal,
    /// Pairs that differ only in latches whose next-state function the mutant changes.
    Alike,
    /// Pairs as in `Alike` that may also differ in latches that a choice can change while all other latches keep their values.
    Chosen,
    /// All pairs of states.
    All,
}

/// Number of levels of slices, which are limits of counted work, before mutants are decided alone and to the end.
pub const LEVELS: u32 = 4;

/// Number of levels of slices of proofs by equalities.
pub const LEVELS_OF_CORRESPONDENCE: u32 = 2;

/// Number of levels of slices of decision diagrams. The last level reaches the limits of [`Diagrams::SEARCH`].
pub const LEVELS_OF_DIAGRAMS: u32 = 3;

/// Returns the counted work of a slice of a level, in microseconds of a typical core ([`hyperkill_core::work::Work::effort`]): a quarter of
/// a second at level 0, four times as much at each further level.
#[must_use]
pub const fn slice(level: u32) -> u64 {
    250_000 << (2 * level)
}

/// Counted work for the determinism of a mutant that no random run refutes. The limit is small because the verdict does not depend on the
/// answer.
pub const DETERMINISM: u64 = 100_000;

/// Limit on counted work on a question about a family of mutants of similar behaviour.
pub const SLICE_OF_FAMILY: u64 = 1_000_000;

/// Returns the counted work for a search with decision diagrams for several mutants together, in a slice of this level.
#[must_use]
pub const fn slice_together(level: u32) -> u64 {
    2 * slice(level)
}

/// Returns the counted work of one attempt of a level to prove a mutant or a group by equalities.
#[must_use]
pub const fn slice_of_correspondence(pass: Pass, level: u32) -> u64 {
    let first: u64 = match pass {
        Pass::Quick => 100_000,
        Pass::Thorough => 400_000,
    };
    first << (2 * level)
}

/// Number of fruitless attempts of one kind in a row, after which the remaining attempts of that kind are postponed.
pub const FRUITLESS: usize = 16;

/// Number of groups of mutants attempted in parallel. A resumed run repeats them all if one had not ended.
pub const AT_ONCE: usize = 8;

/// Limits of the check of a proof by decision diagrams. Diagrams get twice the limits of the engine's search; beyond them a SAT solver must
/// do each check within this number of conflicts.
pub const CONFIRMED: CheckLimits = CheckLimits {
    diagrams: DiagramLimits {
        nodes: 2 * Diagrams::SEARCH.nodes,
        calls: 2 * Diagrams::SEARCH.calls,
    },
    conflicts: Some(30_000),
};

/// Number of mutants that one search with decision diagrams treats together.
pub const TOGETHER: usize = 8;

/// Limit on the positions that a search on state estimates visits. A position is a state estimate of the model with states of mutants.
pub const POSITIONS: usize = 1 << 10;

/// Limits of the diagrams that compute which values functions of the inputs can have together: a few milliseconds.
pub const CLASSES: Diagrams = Diagrams {
    nodes: 1 << 16,
    calls: 1 << 18,
};

impl Diagrams {
    /// Limits of a search on state estimates for several mutants together.
    pub const SEARCH: Diagrams = Diagrams {
        nodes: 1 << 21,
        calls: 1 << 25,
    };
    /// Limits of a relation that proves that one side accepts all inputs of the other.
    pub const ACCEPTANCE: Diagrams = Diagrams {
        nodes: 1 << 20,
        calls: 1 << 22,
    };
    /// Limits of a simulation relation for one mutant, or for the mutants that a common search leaves open.
    pub const RELATION: Diagrams = Diagrams {
        nodes: 1 << 19,
        calls: 1 << 21,
    };
}

/// The efforts of the engines in each turn of a reachability question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The longest run, in steps. It needs a limit because a goal that folds to false costs no gates at any depth.
    steps: Growing,
    gates: Growing,
    conflicts: Growing,
    /// Limit on solver calls and conflicts together of property-directed reachability.
    calls: Growing,
    /// Limit on conflicts of bounded search in a turn, if their total is limited.
    searching: Option<Growing>,
    /// Whether bounded search shortens runs that are not known to be shortest.
    pub shortens: bool,
}

impl Pace {
    /// The pace of questions on which a mutant's verdict depends.
    pub const THOROUGH: Pace = Pace {
        steps: Growing::new(16, 1, 20),
        gates: Growing::new(100_000, 1, 12),
        conflicts: Growing::new(2_000, 2, 18),
        calls: Growing::new(32_000, 2, 40),
        searching: None,
        shortens: true,
    };
    /// The pace of side questions, which must be cheap.
    pub const MODEST: Pace = Pace {
        calls: Growing::new(500, 2, 40),
        ..Pace::THOROUGH
    };
    /// The pace of a strategy of the model. Its failure proves little, since another strategy may succeed.
    pub const STRATEGY: Pace = Pace {
        searching: Some(Growing::new(2_000, 2, 18)),
        ..Pace::MODEST
    };
    /// The pace of bad states of a circuit, where any run is an answer.
    pub const SAFETY: Pace = Pace {
        steps: Growing::new(8, 2, 24),
        gates: Growing::new(100_000, 1, 12),
        conflicts: Growing::new(1_000, 2, 20),
        calls: Growing::new(20_000, 2, 40),
        // A conflict in a long unrolling takes as long as 16 calls of property-directed reachability.
        searching: Some(Growing::new(1_250, 2, 40)),
        shortens: false,
    };

    /// Returns the effort of bounded search in a turn.
    #[must_use]
    pub fn search(&self, turn: u32) -> Effort {
        Effort {
            steps: self.steps.count(turn),
            conflicts_in_all: self.searching.map(|conflicts| conflicts.at(turn)),
            ..self.solver(turn)
        }
    }

    /// Returns the effort of induction to a depth, in a turn.
    #[must_use]
    pub fn induction(&self, depth: usize, turn: u32) -> Effort {
        Effort {
            steps: depth,
            ..self.solver(turn)
        }
    }

    /// Returns the effort of property-directed reachability in a turn, and of the search for a shorter run than it finds.
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

/// The effort of the first bounded search of a reachability question: it is cheap, and is the base case of most proofs.
pub const FIRST_SEARCH: Effort = Effort {
    steps: 4,
    gates: 100_000,
    conflicts: 2_000,
    calls: 0,
    conflicts_in_all: None,
};

/// The effort of each proof by signal correspondence at the start of a reachability question, over two consecutive steps.
pub const MERGED: Effort = Effort {
    steps: 1,
    gates: 100_000,
    conflicts: 2_000,
    calls: 0,
    conflicts_in_all: None,
};

/// The effort of the search for facts that strengthen induction.
pub const FACTS: Effort = Effort {
    steps: 1,
    gates: usize::MAX,
    conflicts: 10_000,
    calls: 400,
    conflicts_in_all: None,
};

/// Depth of k-induction, in steps, before property-directed reachability.
pub const SHALLOW: usize = 2;

/// Returns the depth of k-induction, in steps, after property-directed reachability in a turn. Deep induction steps cost more than the
/// invariant that property-directed reachability may find first.
#[must_use]
pub fn deep(turn: u32) -> usize {
    Growing::new(8, 1, 10).count(turn)
}

/// Number of turns of the engines of this package before external model checkers are asked.
pub const TURNS_BEFORE_OTHERS: u32 = 3;

/// The precision of a search that assumes latches to be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// All states in which the latches are equal, with one bit for "some of the other latches differ". Proofs are then about differences
    /// alone, and are found soon.
    FromAnyState,
    /// The one-bit abstraction of [`Precision::FromAnyState`], from initial states.
    FromFirstStates,
    /// All values of each latch in both copies, without abstraction.
    Values,
}

/// The mutants that a pass works on, and its effort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// All mutants, with small effort.
    Quick,
    /// The mutants that are not decided yet, with larger effort.
    Thorough,
}

/// Returns the precisions of a pass, in order, each with its total of solver calls and conflicts of property-directed reachability. If no
/// latch is known to differ, there is no difference to abstract.
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

/// Largest number of latches that may differ while others are assumed to be equal. A mutant that changes more latches is likely to be
/// killed.
pub const MOST_APART: usize = 256;

/// Number of reachability questions that are asked about a group of mutants whose latches are assumed to be equal.
pub const FOUND_APART: usize = 16;

/// Number of turns in which facts for induction are searched, equalities under a condition from the second turn on. Later turns reuse them.
pub const TURNS_OF_FACTS: u32 = 2;

/// Turns of a proof that continues after all runs within the bound have been searched.
pub const TURNS_BEYOND_THE_BOUND: u32 = 3;

/// Returns the effort of expanding universal runs for a mutant, in a turn.
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

/// Returns the effort of expanding universal runs for a user's formula. It is larger because there is one formula only.
#[must_use]
pub fn expansion_of_formula(turn: u32) -> Effort {
    Effort {
        gates: Growing::new(100_000, 2, 16).count(turn),
        ..expansion(turn)
    }
}

/// The effort of a first search about a user's formula, before the states of a small model are listed.
pub const FIRST_LOOK: Effort = Effort {
    steps: 8,
    gates: 20_000,
    conflicts: 200,
    calls: 0,
    conflicts_in_all: None,
};

/// The effort of an expansion that only shortens a test.
pub const SHORTER_BY_EXPANSION: Effort = Effort {
    steps: usize::MAX,
    gates: 40_000,
    conflicts: 500,
    calls: 0,
    conflicts_in_all: None,
};

/// The effort of a bounded search that only shortens a test.
pub const SHORTER_BY_SEARCH: Effort = Effort {
    steps: usize::MAX,
    gates: 60_000,
    conflicts: 2_000,
    calls: 12,
    conflicts_in_all: None,
};

/// Largest product of test length and gates for which a solver searches a shorter test of a mutant that is certainly killed.
pub const WORTH_SHORTENING: usize = 1 << 18;

/// Limit on the length, in steps, of the killing runs that are searched before states are listed.
pub const SHORT_RUNS: usize = 4;

/// Limit on the length, in steps, of the killing runs that are searched after a first listing, before simulation relations.
pub const LONGER_RUNS: usize = 16;

/// Limits of a listing that precedes more expensive methods.
pub const FIRST_LISTING: Listing = Listing {
    steps: 1 << 22,
    positions: 1 << 15,
};

/// Limits of a listing that can only shorten a test.
pub const GLANCE: Listing = Listing {
    steps: 1 << 20,
    positions: 1 << 13,
};

/// Returns the limits of listing in a turn. They stop growing after the first turn; solvers handle larger models.
#[must_use]
pub fn listing(turn: u32) -> Listing {
    let doublings = (2 * turn + 2).min(4);
    Listing {
        steps: FIRST_LISTING.steps << doublings,
        positions: FIRST_LISTING.positions << doublings,
    }
}

/// The last turn of questions with alternating quantifiers. Efforts do not grow beyond it, so later turns would repeat it.
pub const LAST_TURN: u32 = 8;

/// Bound in steps of bounded search for a side question; [`MODEST_TURNS`] limits its turns.
pub const MODEST_BOUND: usize = 64;
/// Number of turns of a side question.
pub const MODEST_TURNS: u32 = 3;

/// Number of turns of a proof by induction and property-directed reachability that no pair of runs exists, after a walk through the states
/// has shown it.
pub const EASY_TURNS: u32 = 2;

/// Turns of a question about a family. If they do not suffice, each mutant is decided alone.
pub const FAMILY_TURNS: u32 = 1;

/// Limits of a simulation of many mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SimulationLimits {
    /// Number of gates that may be evaluated.
    pub gates: u64,
    /// Number of steps without a kill after which the simulation ends.
    pub barren_steps: usize,
}

impl SimulationLimits {
    /// No limits.
    pub const NONE: SimulationLimits = SimulationLimits {
        gates: u64::MAX,
        barren_steps: usize::MAX,
    };

    /// Returns limits that end a simulation by its evaluated gates only.
    #[must_use]
    pub fn gates(gates: u64) -> SimulationLimits {
        SimulationLimits {
            gates,
            ..SimulationLimits::NONE
        }
    }

    /// Returns the limits for one of several parts of equal size.
    #[must_use]
    pub fn of_part(self, parts: u64) -> SimulationLimits {
        SimulationLimits {
            gates: self.gates / parts,
            ..self
        }
    }
}

/// Parameters of random runs, simulated in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomRuns {
    /// The length of each run in steps.
    pub steps: usize,
    /// The longest mean stretch for which inputs are held, in steps.
    pub hold: u32,
    /// Whether each run leaves about half of the inputs at one value after its first steps.
    pub rests: bool,
    /// Limits of the simulation of all mutants.
    pub limits: SimulationLimits,
}

/// The rounds of simulation: short runs first, so that the tests they find are short.
pub const SIMULATION: [RandomRuns; 4] = [
    RandomRuns {
        steps: 16,
        hold: 4,
        rests: false,
        limits: SimulationLimits::NONE,
    },
    RandomRuns {
        steps: 96,
        hold: 32,
        rests: false,
        limits: SimulationLimits::NONE,
    },
    RandomRuns {
        steps: 1024,
        hold: 512,
        rests: false,
        limits: SimulationLimits::NONE,
    },
    // Long enough for counters to wrap more than once.
    RandomRuns {
        steps: 8192,
        hold: 512,
        rests: false,
        limits: SimulationLimits::NONE,
    },
];

/// Long runs in which inputs such as a reset or an enable keep one value. A run is long enough for bytes on a serial line with some
/// hundred steps for each bit.
pub const RESTING: RandomRuns = RandomRuns {
    steps: 1 << 16,
    hold: 4096,
    rests: true,
    limits: SimulationLimits {
        gates: 1 << 30,
        barren_steps: 1 << 14,
    },
};

/// Number of times that [`RESTING`] runs are repeated for kills for which there was no memory.
pub const RESTING_REPEATS: usize = 8;

/// Lengths, in steps, of the random stimuli of each round of fault simulation.
pub const FAULTS: [usize; 3] = [16, 96, 384];

/// Gates that the search for stimuli may evaluate, counted for the original in 512 lanes.
pub const EXPLORATION_GATES: u64 = 1 << 27;

/// Gates that a round of fault simulation may evaluate: of the original, and the differing gates of mutants.
pub const FAULT_GATES: u64 = 1 << 28;

/// Number of waves (groups of stimuli simulated together) for whose cost, run against all mutants, the search for stimuli may always spend
/// gates, however large the circuit.
pub const EXPLORATION_WAVES: u64 = 2;

/// Number of waves of stimuli that a round of fault simulation may always run against all mutants, however large the circuit.
pub const FAULT_WAVES: u64 = 4;

/// Limit on gates that simulation evaluates to shorten one definite kill.
pub const FAULT_SHORTENING_GATES: u64 = 1 << 22;

/// Returns the random runs that may kill definitely. The longest are omitted, since the solver that judges them would take too long.
#[must_use]
pub fn simulated_for_definite() -> &'static [RandomRuns] {
    &SIMULATION[..3]
}

/// Largest product of gates and steps for which a solver judges whether random inputs kill definitely.
pub const LARGEST_JUDGED: usize = 1 << 23;

/// Conflicts within which a solver must refute that two sides agree on random inputs. Most inputs that kill have a simple reason.
pub const JUDGED_AT_ONCE: u32 = 2_000;

/// Largest product of tests and mutants for which a suite lists runs to find further kills of its tests.
pub const SUITE_LISTINGS: usize = 1 << 16;

/// Largest number of choices and free initial values, in bits, with which a suite lists the runs on tests of a hundred steps.
pub const SUITE_CHOICES: usize = 6;

/// Mutants per round of solving. The number keeps many threads busy, and lets a test found in one round save work in the next.
pub const CHUNK: usize = 64;

/// Depth in steps of the first walk through pairs of states, for all mutants; a walk without this limit follows.
pub const NEAR: usize = 64;
