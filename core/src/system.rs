//! Typed symbolic transition systems with roles and selectors: what front ends produce.
//!
//! Semantics.md §1: test inputs, choices (every non-determinism that neither tester nor mutant controls),
//! hidden state, outputs, constraints. Everything here is finite-state; clocks and unbounded integers end
//! in the front end.

use std::collections::BTreeMap;

use crate::events::EventPort;
use crate::mutant::{Mutant, MutantId};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

/// Who controls an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputRole {
    /// The tester: a member of I.
    Test,
    /// Nobody the tester knows: a non-deterministic choice (`nd:`).
    Choice,
}

/// An input, free in its sort at every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputVar {
    /// Name in the model, without the `nd:` mark.
    pub name: String,
    /// The values that it may have.
    pub sort: Sort,
    /// Whether the tester controls it, or it is a choice.
    pub role: InputRole,
}

/// Initial value of a state variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// Any value of the sort: a choice of the run.
    Free,
    /// The value of a term of the same sort at step 0. It may read inputs (choices included), selectors and other state
    /// variables, but not, through them, itself.
    Term(TermId),
}

/// A state variable: hidden from the tester.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateVar {
    /// Name in the model.
    pub name: String,
    /// The values that it may have.
    pub sort: Sort,
    /// Value at step 0.
    pub init: Init,
    /// Value at the next step, a term of the same sort over the current step. Front ends set it after declaring all variables.
    pub next: TermId,
}

/// What the tester sees at each step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Name in the model.
    pub name: String,
    /// Its value; the sort is the term's.
    pub term: TermId,
}

/// A Bool that must hold at every step, at the first one, or for a next one; a step that breaks it does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// Name for messages, if it has one.
    pub name: Option<String>,
    /// The condition, a Bool.
    pub term: TermId,
    /// At which steps it must hold.
    pub when: When,
    /// Byte span in the source, for diagnostics.
    pub span: Option<(usize, usize)>,
}

/// A Bool that is hoped to hold in all states that can be reached: what plain model checking is about, no part of killability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Its name, or its text.
    pub name: String,
    /// The condition, a Bool.
    pub term: TermId,
}

/// When a [`Constraint`] or an [`Obligation`] must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At every step, whatever the state: all in-domain values of the state variables, reachable or not, as NuSMV has it.
    Always,
    /// At step 0 only (the obligation of an initial value).
    Initially,
    /// Of the step that leaves a state: the run goes on only if it holds, and exists up to here whether it holds or not. Of an
    /// obligation the same as always.
    Leaving,
}

/// A well-formedness condition: a Bool that must be true for all in-domain values of inputs and state
/// (under [`When`]), for the original and for each mutant alone. A mutant that breaks one of [`Translation::checks`]
/// is invalid; an original that breaks one is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// The condition, a Bool.
    pub term: TermId,
    /// When it must hold.
    pub when: When,
    /// What it means if it does not hold, e.g. "`wtr` gets a value outside 0..2".
    pub message: String,
    /// Byte span in the source, for the diagnostic.
    pub span: Option<(usize, usize)>,
}

/// A mutant that lives in the system behind a selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    /// The mutant's id; the latch will be called `mut:ID`.
    pub id: MutantId,
}

/// A featured transition system: the original and all its mutants in one.
#[derive(Clone, Default, Debug)]
pub struct TransitionSystem {
    /// Name of the model.
    pub name: String,
    /// The terms that all parts of the system index.
    pub terms: TermPool,
    /// Inputs in declaration order; [`Term::Input`](crate::term::Term::Input) indexes them.
    pub inputs: Vec<InputVar>,
    /// Indices of the inputs that belong to the step that leaves a state and not to the state: a run that ends in the state leaves them
    /// open ([`crate::paths`]).
    pub leaving: Vec<usize>,
    /// State variables in declaration order.
    pub states: Vec<StateVar>,
    /// Indices of the state variables whose next value is an input of their own ([`TransitionSystem::leaving`]): a guess of what comes.
    pub guessed: Vec<usize>,
    /// Observables in declaration order.
    pub outputs: Vec<Output>,
    /// The output, of sort Bool, that says whether the step's input has been accepted, where constraints do not say it (semantics.md §2).
    pub accepts: Option<String>,
    /// Inputs and outputs that are read as events. Those whose ports are on the other side, or not there, are left out.
    pub events: Vec<EventPort>,
    /// Conditions without which a step does not exist.
    pub constraints: Vec<Constraint>,
    /// Conditions without which a mutant is no model.
    pub obligations: Vec<Obligation>,
    /// Invariants to check; their negations become bad states of the circuit.
    pub invariants: Vec<Invariant>,
    /// Selectors; [`Term::Selector`](crate::term::Term::Selector) indexes them.
    pub selectors: Vec<Selector>,
}

/// What a front end makes of a model: the featured system and the table of all generated mutants.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The system. Its selectors are the mutants that type-check, in catalogue order.
    pub system: TransitionSystem,
    /// What must hold for the model, and each mutant, to be one at all: the obligations of a system with the same selectors, whose inputs
    /// are all that a language lets vary when it asks. Empty if it asks nothing.
    pub checks: TransitionSystem,
    /// What must hold for the invariants to be asked at all: the obligations of a system without mutants, as in `checks`. A model that
    /// breaks one is a model nevertheless.
    pub invariant_checks: TransitionSystem,
    /// All generated mutants in catalogue order, with the reason for those that did not type-check.
    pub catalogue: Vec<(Mutant, Option<String>)>,
    /// How roles were assigned, one line per variable that an option or heuristic decided.
    pub role_notes: Vec<String>,
    /// What the model means here that its author may not intend.
    pub warnings: Vec<Warning>,
    /// Where inputs and states of the system stand in the source, by name, as far as that is known.
    pub places: BTreeMap<String, Place>,
}

/// A part of a source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index of the file among the sources of the model.
    pub file: usize,
    /// First byte there, and one past the last.
    pub bytes: (usize, usize),
}

/// A construct that is read in another way than some tools do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// One sentence without a full stop.
    pub message: String,
    /// Index of the file among the sources of the model.
    pub file: usize,
    /// First byte there, and one past the last. Equal: the warning is about an option, and has no place.
    pub bytes: (usize, usize),
}
