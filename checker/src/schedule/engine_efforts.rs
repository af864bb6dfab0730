//! Limits inside engines, tests and questions about a model, beside the efforts of the steps that call them (`efforts.rs`). All are
//! counted, never timed.
//!
//! A constant stays in its file if it only lays out data (words, lanes, marks, bytes of an entry), or sets how often a loop polls the
//! budget. Such a constant changes no answer. The table of limits of pairs of states is in `engines/pairs/mod.rs`, since its numbers depend
//! on each other. The limits of `formulas` are in `formulas/src/limits.rs`, since that package does not depend on the schedule.

// Questions about a model.

/// Limit on the length, in steps, of runs that a first cheap search tries to refute that a side accepts all inputs, before a proof is
/// tried.
pub(crate) const SHORT_RUN_STEPS: usize = 4;

/// Limit on the first steps found for some variants (model or mutants) that are tried for each other variant before a solver is called.
pub(crate) const FIRST_STEPS_TRIED: usize = 8;

/// Limit on the answers of steps (successor and outputs) that a simulated model remembers, in total over all steps.
pub(crate) const REMEMBERED_ANSWERS: usize = 1 << 18;

/// Limit on the pairs (state of the model, state of the mutant) that are followed at one step of a test.
pub(crate) const DISJOINT_PAIRS: usize = 1 << 10;

/// Limit on simulated steps when the outputs of model and mutant are compared from the states after the same inputs.
pub(crate) const AGREEMENT_STEPS: usize = 1 << 12;

/// Limit on the simulated steps with which one question about disjoint outputs is answered; beyond it the answer stays open.
pub(crate) const DISJOINT_STEPS: usize = 1 << 16;

/// Largest number of choice bits for which all choices of a step are simulated one by one.
pub(crate) const LISTED_CHOICE_BITS: usize = 14;

/// Limit on the instances of a condition, in each of which its inputs are replaced by values or by other signals.
pub(crate) const CONDITION_INSTANCES: usize = 1 << 14;

/// Limit on the gates of all instances of a condition together.
pub(crate) const INSTANCE_GATES: usize = 1 << 23;

// Induction.

/// Limit on the conditions that are tried for each pair of latches that differ, when equalities under a condition are searched.
pub(crate) const FACT_CONDITIONS: usize = 96;

/// Limit on the conditions that are also tried for pairs of latches that never differed: those used most by other pairs.
pub(crate) const FACT_CONDITIONS_BORROWED: usize = 96;

/// Limit on conditional equalities that are tried, for all pairs together.
pub(crate) const FACT_CONDITIONAL_EQUALITIES: usize = 20_000;

/// Limit on the nodes of the circuit that are considered as conditions of equalities.
pub(crate) const FACT_PREDICATES: usize = 20_000;

/// Limit on solver calls of the search for facts that strengthen induction.
pub(crate) const FACT_CALLS: u32 = 400;

// Explicit states.

/// Divisor of the listed steps of the question whether a side accepts all inputs: the search over single states leaves this share to the
/// search over sets of states.
pub(crate) const ACCEPTANCE_KEPT_PART: usize = 4;

/// Factor on the limit of pairs in that question, for pairs of few states and for single states.
pub(crate) const ACCEPTANCE_SMALL_PAIRS: usize = 32;

/// Mean number of states in a pair, up to which [`ACCEPTANCE_SMALL_PAIRS`] applies: such pairs cost little.
pub(crate) const ACCEPTANCE_FEW_STATES: usize = 4;

/// Limit on the moves (input, successor, outputs) that are remembered for all listed states together.
pub(crate) const KNOWN_MOVES: usize = 1 << 18;

/// Number of unsorted moves of a state that are collected before they are sorted and duplicates removed.
pub(crate) const UNORDERED_MOVES: usize = 1 << 13;

/// Limit on partial steps for each state whose steps cannot all be listed. Other engines soon get states that need more.
pub(crate) const BEGINNINGS_OF_STATE: usize = 1 << 17;

/// Divisor of the limit on positions in the explicit search over sets of states: a first search gets this share, before a simulation
/// relation between single states is tried.
pub(crate) const SETS_FIRST_PART: usize = 16;

/// Largest number of nodes in the cone of an output bit for which the bit may count as a function of a choice.
pub(crate) const SHOWN_GATES: usize = 64;

// Simulation.

/// Limit on the length of a random stimulus, in gates times steps, and on the length of a run with resting inputs that is shortened. A
/// stimulus of 1024 steps is always allowed.
pub(crate) const RANDOM_GATE_STEPS: usize = 1 << 23;

/// Limit on the length of a random stimulus in which inputs rest, in gates times steps.
pub(crate) const RESTING_GATE_STEPS: usize = 1 << 28;

/// Limit on the length of a random stimulus in which inputs rest, in input bits times steps. Each takes 64 bytes.
pub(crate) const RESTING_INPUT_STEPS: usize = 1 << 21;

/// Limit on the kills that are kept at once, in steps of their runs. A step takes some fifty bytes in each of two runs.
pub(crate) const RESTING_KEPT_STEPS: usize = 1 << 22;

/// Limit on the kills that are kept at once, in gates of the circuit times steps of their runs. Each is replayed several times, also after
/// the end of the time: a known kill is not lost.
pub(crate) const RESTING_KEPT_GATE_STEPS: usize = 1 << 32;

/// Number of the random runs of one simulation that are tried as definite kills.
pub(crate) const RANDOM_RUNS: usize = 4;

/// Limit on mutants that are simulated together, in bytes for their differing latches. It counts all latches of each mutant.
pub(crate) const DIFFERENCE_BYTES: usize = 1 << 26;

/// Limit on the generations of the search for stimuli; each generation changes earlier stimuli.
pub(crate) const EXPLORATION_GENERATIONS: usize = 256;

/// The search for stimuli ends after this number of consecutive generations in which no signal takes a new value.
pub(crate) const EXPLORATION_PATIENCE: usize = 8;

/// Number of the most recent runs that the search for stimuli changes by flipping bits, one run per generation.
pub(crate) const EXPLORATION_RECENT_RUNS: usize = 4;

/// Simulation ends after this number of consecutive waves of stimuli without a kill.
pub(crate) const BARREN_WAVES: usize = 2;

/// Divisor of the gates that fault simulation has evaluated so far: simulation of the differing signals alone gets this share more, since a
/// gate costs several times as much there.
pub(crate) const DIFFERENCES_SHARE: u64 = 4;

// Pairs of states.

/// Number of groups of mutants up to which each group gets the limit of a single one. With more groups, each lists fewer steps.
pub(crate) const LISTING_GROUPS: usize = 4;

// Property-directed reachability.

/// Limit on the counterexamples that are excluded, when PDR generalises a stubborn cube, for each literal that it tries to drop.
pub(crate) const PDR_COUNTEREXAMPLES: usize = 3;

/// PDR stops generalising a cube after this number of consecutive literals that cannot be dropped. A good lemma now is better than the best
/// lemma after hundreds of calls, above all if the bad states are reachable. Bradley's implementation uses the same number.
pub(crate) const PDR_KEPT_LITERALS: usize = 3;

/// A proof obligation of PDR that was examined more often than this is stubborn: its lemmas are generalised with more effort.
pub(crate) const PDR_LOOKS_AT_OBLIGATION: usize = 10;

/// PDR replaces a solver by a new one after this number of retired activation literals.
pub(crate) const PDR_GUARDS_OF_SOLVER: usize = 3_000;

/// Limit on the solver calls by which PDR lifts one step (shrinks its first state to the literals needed). Each call starts from the
/// literals that the previous one needed, in reverse order. Smaller cubes save more solver calls than a second call costs.
pub(crate) const PDR_LIFTINGS: usize = 2;

// Decision diagrams.

/// Limit on the multiplexers of a proof, since a checker has to read them.
pub(crate) const PROOF_MULTIPLEXERS: usize = 1 << 17;

/// Number of rounds in which FORCE moves variables of decision diagrams to the middle of their groups.
pub(crate) const ORDER_ROUNDS: usize = 60;

/// Limit on the leaves (latches and inputs) in all groups together, above which the variable order is not improved by FORCE.
pub(crate) const ORDER_LEAVES: usize = 1 << 22;

/// Limit on the leaves (latches and inputs) under a gate that forms a group for the variable order.
pub(crate) const ORDER_LEAVES_OF_GATE: usize = 6;

/// Limit on the nodes of a cluster, above which the next part begins another cluster.
pub(crate) const CLUSTER_NODES: usize = 1500;

/// Limit on the variables of decision diagrams, since the depth of recursions equals their number.
pub(crate) const DIAGRAM_VARIABLES: usize = 2_000;

/// Limit on cached results of operations on decision diagrams.
pub(crate) const REMEMBERED_RESULTS: usize = 1 << 21;

/// Number of nodes of all functions as decision diagrams above which another variable order is tried.
pub(crate) const REORDERED_NODES: usize = 2_000;

/// The other variable order is taken if it makes the functions of a circuit smaller by more than this factor.
pub(crate) const REORDERED_FACTOR: usize = 2;

/// Divisor of the limit on calls in decision diagrams: another variable order gets this share if the first order exceeds the limits.
pub(crate) const REORDERED_PART: u64 = 4;

// Equalities.

/// Limit on solver calls of signal correspondence for one question.
pub(crate) const CORRESPONDENCE_CALLS: u32 = 100_000;

/// Limit on conflicts in each solver call of signal correspondence.
pub(crate) const CORRESPONDENCE_CONFLICTS: u32 = 1_000;

/// Number of clauses of a proof about abstracted latches above which the proof is not worth its check.
pub(crate) const ABSTRACTION_CLAUSES: usize = 8_192;

// Quantifier alternation.

/// Limit on the literals that the learned functions of strategies (for universal choices) may read.
pub(crate) const LEARNED_LITERALS: usize = 1_000;

/// Limit on refinements of the strategies for runs of one length, after which that length is left undecided.
pub(crate) const REFINEMENTS_OF_DEPTH: usize = 2_000;

/// Limit on choice bits of a step for greedy strategies, which try all their values.
pub(crate) const GREEDY_BITS: usize = 6;

/// Limit on greedy strategies, in nodes of the product times choices of a step.
pub(crate) const GREEDY_NODES: usize = 20_000;

/// Limit on combinations in which universal copies copy existential ones. No killing formula has more.
pub(crate) const COPY_COMBINATIONS: usize = 64;

/// Limit on the gates of all instances of a step, one for each choice of a strategy, before simplification.
pub(crate) const STEP_INSTANCE_GATES: usize = 1 << 20;

// Tests.

/// Limit on solver calls for shortening one sequence of inputs.
pub(crate) const SHORTENING_CALLS: usize = 200;

/// Limit on simulated steps (state and choice) for one step of a test.
pub(crate) const ALLOWED_OUTPUT_STEPS: usize = 1 << 14;

/// Limit on conflicts of the solver for each allowed output that it searches.
pub(crate) const ALLOWED_OUTPUT_CONFLICTS: u32 = 20_000;

/// Limit on stored changes of nodes for one test: 64 megabytes, at 16 bytes each.
pub(crate) const REMEMBERED_CHANGES: usize = 1 << 22;

/// Limit on the branches of a tree, on average for each node of the limit on nodes.
pub(crate) const BRANCHES_OF_NODE: usize = 8;

// Rounds.

/// Divisor of the remaining time: proofs for circuits identical to the original get this share before other mutants are decided.
pub(crate) const PART_OF_STRUCTURE: u32 = 4;

/// Divisor of the remaining time: listing state estimates gets this share.
pub(crate) const PART_OF_LISTING: u32 = 2;

/// Number of mutants in a group of the round that lists state estimates. The round ends after a group in which no listing decides a mutant.
pub(crate) const LISTED_BEFORE_LOOK: usize = 4;

/// Other methods follow after this number of consecutive families that decision diagrams do not decide.
pub(crate) const FRUITLESS_FAMILIES: usize = 4;

/// Least number of mutants that are proved equivalent by the states of the model. For fewer mutants, proofs by equalities cost little and
/// survive edits elsewhere in the model.
pub(crate) const PROVED_BY_STATES: usize = 32;

/// Divisor of the remaining time: one slice gets this share, certification included, if the time is limited.
pub(crate) const PART_OF_SLICE: u32 = 8;

// Families.

/// Limit on the runs of members of a family that are searched one after the other, since each costs a search of its own.
pub(crate) const FAMILY_RUNS: usize = 8;

/// Limit on the halvings that lead from a family without a result to a smaller one that is tried.
pub(crate) const FAMILY_HALVINGS: u32 = 1;

/// Limit on the length, in steps, of the runs that are searched for mutants of a family without a known run.
pub(crate) const FAMILY_UNSEEN_STEPS: usize = 8;

/// Limit on the gates of the unrolling in a search for the shortest runs of a family.
pub(crate) const FAMILY_GATES: usize = 400_000;

/// Limit on conflicts of one solver call in a search for the shortest runs of a family, without the share of the mutants.
pub(crate) const FAMILY_CONFLICTS: u32 = 2_000;

/// Additional conflicts of such a solver call for each mutant in question.
pub(crate) const FAMILY_CONFLICTS_EACH: u32 = 1_000;
