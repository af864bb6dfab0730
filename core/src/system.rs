//! Typed symbolic transition systems with roles and selectors, which front ends produce.
//!
//! The parts are those of semantics.md §1: test inputs, choices (every non-determinism that neither tester nor mutant controls), hidden
//! state, outputs, constraints. All of it is finite-state; front ends eliminate clocks and unbounded integers.

use std::collections::BTreeMap;

use crate::events::EventPort;
use crate::mutant::{Mutant, MutantId};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// The controller of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputRole {
    /// The tester: a member of I.
    Test,
    /// A non-deterministic choice (`nd:`), which the tester does not control.
    Choice,
}

/// An input, free in its sort at every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputVar {
    /// The name in the model, without the `nd:` mark.
    pub name: String,
    /// The sort of its values.
    pub sort: Sort,
    /// Whether the tester controls it, or it is a choice.
    pub role: InputRole,
}

/// Initial value of a state variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// Any value of the sort, a choice of the run.
    Free,
    /// The value of a term of the same sort at step 0. It may read inputs (choices included), selectors and other state variables, but must
    /// not depend on itself through them.
    Term(TermId),
}

/// A state variable, hidden from the tester.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateVar {
    /// The name in the model.
    pub name: String,
    /// The sort of its values.
    pub sort: Sort,
    /// The value at step 0.
    pub init: Init,
    /// The value at the next step, a term of the same sort over the current step. Front ends set it after declaring all variables.
    pub next: TermId,
}

/// An output that the tester observes at each step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The name in the model.
    pub name: String,
    /// Its value, whose sort is the term's.
    pub term: TermId,
}

/// A Bool that must hold at every step, at the first one, or for a step to follow. A step that breaks it does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The name for messages, if it has one.
    pub name: Option<String>,
    /// The condition, a Bool.
    pub term: TermId,
    /// The steps at which it must hold.
    pub when: When,
    /// The byte span in the source, for diagnostics.
    pub span: Option<(usize, usize)>,
}

/// A Bool that should hold in all reachable states. Model checking asks about it; killing does not depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Its name, or its source text.
    pub name: String,
    /// The condition, a Bool.
    pub term: TermId,
}

/// The steps at which a [`Constraint`] or an [`Obligation`] must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At every step, in every state: for all in-domain values of the state variables, reachable or not, as in NuSMV.
    Always,
    /// At step 0 only (the obligation of an initial value).
    Initially,
    /// For the step that leaves a state: the run continues only if it holds, and exists up to the state in either case. For an obligation,
    /// the same as `Always`.
    Leaving,
}

/// A well-formedness condition: a Bool that must be true for all in-domain values of inputs and state
/// (under [`When`]), for the original and for each mutant alone. A mutant that breaks one of [`Translation::checks`]
/// is invalid; an original that breaks one is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The condition, a Bool.
    pub term: TermId,
    /// The steps at which it must hold.
    pub when: When,
    /// The consequence if it does not hold, e.g. "`wtr` gets a value outside 0..2".
    pub message: String,
    /// The byte span in the source, for the diagnostic.
    pub span: Option<(usize, usize)>,
}

/// A mutant in the system, behind a selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    /// The mutant's id; the latch will be called `mut:ID`.
    pub id: MutantId,
}

/// A featured transition system: the original and all its mutants in one.
#[derive(Clone, Default, Debug)]
pub struct TransitionSystem {
    /// The name of the model.
    pub name: String,
    /// The pool of all terms of the system.
    pub terms: TermPool,
    /// Inputs in declaration order; [`Term::Input`](crate::term::Term::Input) indexes them.
    pub inputs: Vec<InputVar>,
    /// Indices of the inputs that belong to the step that leaves a state: a run that ends in the state leaves them open ([`crate::paths`]).
    pub leaving: Vec<usize>,
    /// State variables in declaration order.
    pub states: Vec<StateVar>,
    /// Indices of the state variables whose next value is an input of their own ([`TransitionSystem::leaving`]), a guess of the coming
    /// value.
    pub guessed: Vec<usize>,
    /// Observables in declaration order.
    pub outputs: Vec<Output>,
    /// The output, of sort Bool, that states whether the step's input has been accepted, unless constraints state it (semantics.md §2).
    pub accepts: Option<String>,
    /// Inputs and outputs that are shown as events. Declarations that do not match the ports of their side are ignored.
    pub events: Vec<EventPort>,
    /// Constraints: a step that breaks one does not exist.
    pub constraints: Vec<Constraint>,
    /// Obligations: a mutant that breaks one is no model.
    pub obligations: Vec<Obligation>,
    /// Invariants to check; their negations become bad states of the circuit.
    pub invariants: Vec<Invariant>,
    /// Selectors; [`Term::Selector`](crate::term::Term::Selector) indexes them.
    pub selectors: Vec<Selector>,
}

/// The result of a front end: the featured system, and the table of all generated mutants.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The system. Its selectors are the mutants that type-check, in catalogue order.
    pub system: TransitionSystem,
    /// The obligations for the model, and each mutant, to be well-formed, in a system with the same selectors. Its inputs are all variables
    /// over which the language quantifies the obligations. Empty if the language has none.
    pub checks: TransitionSystem,
    /// The obligations for the invariants to be well-formed, in a system without mutants, as in `checks`. A model that breaks one is still
    /// a model.
    pub invariant_checks: TransitionSystem,
    /// All generated mutants in catalogue order, with the reason for each that did not type-check.
    pub catalogue: Vec<(Mutant, Option<String>)>,
    /// Notes on the assignment of roles, one line per variable that an option or heuristic decided.
    pub role_notes: Vec<String>,
    /// Warnings about meanings of the model that its author may not intend.
    pub warnings: Vec<Warning>,
    /// The places of inputs and states in the source, by name, as far as they are known.
    pub places: BTreeMap<String, Place>,
}

/// A part of a source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index of the file among the sources of the model.
    pub file: usize,
    /// The first byte, and one past the last.
    pub bytes: (usize, usize),
}

/// A construct that is interpreted differently by some tools.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// One sentence without a full stop.
    pub message: String,
    /// The index of the file among the sources of the model.
    pub file: usize,
    /// The first byte, and one past the last. If they are equal, the warning is about an option and has no place.
    pub bytes: (usize, usize),
}
