//! Limits inside engines, tests and questions about a model, beside the efforts of the steps that call them (`efforts.rs`). All are
//! counted, never timed.
//!
//! A constant stays in its file if it lays out data (words, lanes, marks, bytes of an entry), or says how often a loop looks at the budget:
//! it changes no answer. The table of limits of pairs of states is in `engines/pairs/mod.rs`: its numbers mean something together only. The
//! limits of `formulas` are in `formulas/src/limits.rs`, since that package sees no schedule.

// Questions about a model.

/// Steps of a short run.
pub(crate) const SHORT_RUN_STEPS: usize = 4;

/// So many first steps of others are tried before a solver is asked.
pub(crate) const FIRST_STEPS_TRIED: usize = 8;

/// Answers that are remembered at most.
pub(crate) const REMEMBERED_ANSWERS: usize = 1 << 18;

/// Pairs of states that may be listed at a step.
pub(crate) const DISJOINT_PAIRS: usize = 1 << 10;

/// Steps that the question whether two states can agree may simulate from the states after the same inputs.
pub(crate) const AGREEMENT_STEPS: usize = 1 << 12;

/// Steps that may be simulated for one question.
pub(crate) const DISJOINT_STEPS: usize = 1 << 16;

/// With more choice bits than this, choices are not simulated one by one.
pub(crate) const LISTED_CHOICE_BITS: usize = 14;

/// Instances that a condition may be given.
pub(crate) const CONDITION_INSTANCES: usize = 1 << 14;

/// Gates that all instances together may have.
pub(crate) const INSTANCE_GATES: usize = 1 << 23;

// Induction.

/// Conditions tried per pair of latches that differ.
pub(crate) const FACT_CONDITIONS: usize = 96;

/// Of those, how many are tried for pairs that were never seen to differ.
pub(crate) const FACT_CONDITIONS_BORROWED: usize = 96;

/// Conditional equalities tried in all.
pub(crate) const FACT_CONDITIONAL_EQUALITIES: usize = 20_000;

/// Nodes considered as conditions.
pub(crate) const FACT_PREDICATES: usize = 20_000;

/// Solver calls that the search for facts may take.
pub(crate) const FACT_CALLS: u32 = 400;

// Explicit states.

/// The search over single states leaves one part in so many of the steps to the search over sets.
pub(crate) const ACCEPTANCE_KEPT_PART: usize = 4;

/// Factor on the limit of pairs for pairs of few states, and for single states.
pub(crate) const ACCEPTANCE_SMALL_PAIRS: usize = 32;

/// Mean number of states in a pair, up to which [`ACCEPTANCE_SMALL_PAIRS`] applies: such pairs cost little.
pub(crate) const ACCEPTANCE_FEW_STATES: usize = 4;

/// Moves that are kept at most.
pub(crate) const KNOWN_MOVES: usize = 1 << 18;

/// So many moves of a state are gathered before repeated ones are dropped.
pub(crate) const UNORDERED_MOVES: usize = 1 << 13;

/// Beginnings of steps that are looked at for each state if its steps cannot all be tried: what needs more is left to others soon.
pub(crate) const BEGINNINGS_OF_STATE: usize = 1 << 17;

/// What part of the effort is spent on sets before single pairs are tried.
pub(crate) const SETS_FIRST_PART: usize = 16;

/// Gates that may compute a bit of a value from the choice.
pub(crate) const SHOWN_GATES: usize = 64;

// Simulation.

/// Gates times steps that a long stimulus may cost; one of 1024 steps is always affordable.
pub(crate) const RANDOM_GATE_STEPS: usize = 1 << 23;

/// Random runs looked at per effort.
pub(crate) const RANDOM_RUNS: usize = 4;

/// Bytes that the differing latches of mutants simulated together may take, whatever differs.
pub(crate) const DIFFERENCE_BYTES: usize = 1 << 26;

/// Generations at most.
pub(crate) const EXPLORATION_GENERATIONS: usize = 256;

/// Generations without anything new before the search ends.
pub(crate) const EXPLORATION_PATIENCE: usize = 8;

/// Runs found last of which bits are changed in turn.
pub(crate) const EXPLORATION_RECENT_RUNS: usize = 4;

/// Waves of stimuli in a row that kill nothing, after which there are no more.
pub(crate) const BARREN_WAVES: usize = 2;

/// One part in so many of what was evaluated before may be evaluated for differences: a gate costs several times as much there.
pub(crate) const DIFFERENCES_SHARE: u64 = 4;

// Pairs of states.

/// Groups of mutants that may list as many steps each as one alone: with more, each lists less.
pub(crate) const LISTING_GROUPS: usize = 4;

// Property-directed reachability.

/// Counterexamples excluded for one literal of a stubborn cube.
pub(crate) const PDR_COUNTEREXAMPLES: usize = 3;

/// Literals in a row that cannot be dropped before all others are kept: a lemma that is good enough now is worth more than the best one
/// after hundreds of calls, above all where there is a run to the goal. The number is that of Bradley's own implementation.
pub(crate) const PDR_KEPT_LITERALS: usize = 3;

/// How often an obligation is looked at before its lemmas are generalised with more effort.
pub(crate) const PDR_LOOKS_AT_OBLIGATION: usize = 10;

/// Guards given up before a solver is made anew.
pub(crate) const PDR_GUARDS_OF_SOLVER: usize = 3_000;

/// How often a step is lifted, each time in the other order with what was needed the time before: smaller cubes save more calls than that.
pub(crate) const PDR_LIFTINGS: usize = 2;

// Decision diagrams.

/// Most multiplexers of a proof: a checker has to read them.
pub(crate) const PROOF_MULTIPLEXERS: usize = 1 << 17;

/// Rounds of moving.
pub(crate) const ORDER_ROUNDS: usize = 60;

/// Leaves in all groups together, above which nothing is moved.
pub(crate) const ORDER_LEAVES: usize = 1 << 22;

/// Gates that read more leaves than this are not looked at.
pub(crate) const ORDER_LEAVES_OF_GATE: usize = 6;

/// Nodes of a cluster, above which the next part begins another.
pub(crate) const CLUSTER_NODES: usize = 1500;

/// Most variables: recursions are as deep as there are.
pub(crate) const DIAGRAM_VARIABLES: usize = 2_000;

/// Most results that are remembered.
pub(crate) const REMEMBERED_RESULTS: usize = 1 << 21;

/// Nodes of all functions above which another order is tried.
pub(crate) const REORDERED_NODES: usize = 2_000;

/// How many times smaller the functions must be in the other order.
pub(crate) const REORDERED_FACTOR: usize = 2;

/// The part of the limits that another order may use where the first one exceeds them.
pub(crate) const REORDERED_PART: u64 = 4;

// Equalities.

/// Solver calls for one question.
pub(crate) const CORRESPONDENCE_CALLS: u32 = 100_000;

/// Conflicts allowed in each solver call.
pub(crate) const CORRESPONDENCE_CONFLICTS: u32 = 1_000;

/// Clauses of a proof above which it is not worth its check.
pub(crate) const ABSTRACTION_CLAUSES: usize = 8_192;

// Quantifier alternation.

/// Literals that functions are learned over, at most.
pub(crate) const LEARNED_LITERALS: usize = 1_000;

/// Refinements at one depth after which it is left undecided.
pub(crate) const REFINEMENTS_OF_DEPTH: usize = 2_000;

/// Choice bits of a step that greedy strategies try out, at most.
pub(crate) const GREEDY_BITS: usize = 6;

/// Nodes of the product times choices of a step, at most.
pub(crate) const GREEDY_NODES: usize = 20_000;

/// More combinations of copies than any killing formula has are not tried.
pub(crate) const COPY_COMBINATIONS: usize = 64;

/// Gates that all instances of a step may have together, before folding.
pub(crate) const STEP_INSTANCE_GATES: usize = 1 << 20;

// Tests.

/// How many solver calls shortening one sequence may cost.
pub(crate) const SHORTENING_CALLS: usize = 200;

/// Steps (state and choice) that may be simulated for one step of a test.
pub(crate) const ALLOWED_OUTPUT_STEPS: usize = 1 << 14;

/// Conflicts of the solver for each output that it looks for.
pub(crate) const ALLOWED_OUTPUT_CONFLICTS: u32 = 20_000;

/// Most changes of nodes that are remembered for one test, 16 bytes each: 64 megabytes.
pub(crate) const REMEMBERED_CHANGES: usize = 1 << 22;

/// Branches of a tree for each of the nodes that it may have, on average.
pub(crate) const BRANCHES_OF_NODE: usize = 8;

// Rounds.

/// The part of the time for all that proofs of circuits that are the original's may take before other mutants are looked at.
pub(crate) const PART_OF_STRUCTURE: u32 = 4;

/// The part of the time for all that is left that listing sets of states may take.
pub(crate) const PART_OF_LISTING: u32 = 2;

/// Mutants that are listed before it is looked whether that leads anywhere.
pub(crate) const LISTED_BEFORE_LOOK: usize = 4;

/// Families that decision diagrams look at in a row. If they all find nothing, other methods follow.
pub(crate) const FRUITLESS_FAMILIES: usize = 4;

/// So many mutants are proved by the states of the model. For fewer, proofs by equalities cost little and outlast edits elsewhere.
pub(crate) const PROVED_BY_STATES: usize = 32;

/// The part of the time that is left which one slice may take, certification included, if the time is limited.
pub(crate) const PART_OF_SLICE: u32 = 8;

// Families.

/// At most so many runs are looked for one after the other; each costs a search of its own.
pub(crate) const FAMILY_RUNS: usize = 8;

/// How often a family is halved at most where that gives no answer.
pub(crate) const FAMILY_HALVINGS: u32 = 1;

/// Up to this depth runs are looked for of mutants that have no candidate run.
pub(crate) const FAMILY_UNSEEN_STEPS: usize = 8;

/// Gates that an unrolling may have.
pub(crate) const FAMILY_GATES: usize = 400_000;

/// Conflicts that one solver call may take, …
pub(crate) const FAMILY_CONFLICTS: u32 = 2_000;

/// … and that many more for each mutant in question.
pub(crate) const FAMILY_CONFLICTS_EACH: u32 = 1_000;
