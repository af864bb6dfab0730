//! The syntax tree of a `.tfsm` file, with the place of every name.

use hyperkill_frontend::Span;

use crate::guard::Interval;

/// A name without its quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text of the name, without quotes.
    pub text: String,
    /// The place, with the quotes.
    pub span: Span,
}

/// A file: a machine and, optionally, its faults.
#[derive(Clone, Debug)]
pub struct Document {
    /// The machine, which is the specification.
    pub machine: MachineText,
    /// The domain of faults, if the file has one.
    pub faults: Option<FaultsText>,
}

/// The text of a domain of faults: `faults { … }`.
#[derive(Clone, Debug)]
pub struct FaultsText {
    /// The names of additional states of implementations.
    pub states: Vec<Name>,
    /// The faults. The behaviour of states of implementations is included.
    pub faults: Vec<Fault>,
}

/// The text of a machine: `machine NAME { … }`.
#[derive(Clone, Debug)]
pub struct MachineText {
    /// The name of the machine.
    pub name: Name,
    /// The inputs, in declaration order.
    pub inputs: Vec<Name>,
    /// The outputs, in declaration order.
    pub outputs: Vec<Name>,
    /// The name of the unit of time.
    pub unit: Option<Name>,
    /// The states; the first is the initial one.
    pub states: Vec<StateText>,
}

/// The text of a state: `state NAME { … }`.
#[derive(Clone, Debug)]
pub struct StateText {
    /// The name of the state.
    pub name: Name,
    /// The place right after the opening brace of the state.
    pub inside: Span,
    /// The transitions of the state on inputs.
    pub answers: Vec<AnswersText>,
    /// The timeouts; a machine has at most one.
    pub timeouts: Vec<TimeoutText>,
}

/// An [`Interval`] of delays and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuardText {
    /// The interval of delays.
    pub during: Interval,
    /// The place of the guard in the text.
    pub span: Span,
}

/// The text of transitions on inputs: `a, b / x -> T`, or `a, b in [2,5) / x -> T`.
#[derive(Clone, Debug)]
pub struct AnswersText {
    /// The inputs that the transitions have.
    pub inputs: Vec<Name>,
    /// The delays at which the transitions are possible; `None` for all delays.
    pub guard: Option<GuardText>,
    /// The output of the transitions.
    pub output: Name,
    /// The next state of the transitions.
    pub target: Name,
    /// The place of the complete item.
    pub span: Span,
}

/// The length of a timeout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// The timeout expires after this number of units, at least one.
    After(u32),
    /// An infinite length: there is no timeout.
    Never,
}

/// A [`Limit`] and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitText {
    /// The length of the timeout.
    pub limit: Limit,
    /// The place of the length in the text.
    pub span: Span,
}

/// The text of a timeout: `after 3000 -> T`.
#[derive(Clone, Debug)]
pub struct TimeoutText {
    /// The length of the timeout.
    pub limit: LimitText,
    /// The next state; `after never` needs none.
    pub target: Option<Name>,
    /// The place of the complete item.
    pub span: Span,
}

/// A name, or `*`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// All names (`*`).
    Every,
    /// This name only.
    One(Name),
}

/// The part of a state that may be wrong.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The answers to inputs, for all delays or for those of a guard.
    Input(Pattern, Option<GuardText>),
    /// The timeout of the state.
    Timeout,
}

/// A kind of changes, named in the text of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The same output, every target.
    Transfer,
    /// Every output, the same target.
    Output,
    /// Every output, every target.
    Any,
    /// No answer at all.
    Never,
    /// The guard begins and ends earlier, or later.
    Shifted,
    /// The guard begins later, or ends earlier.
    Narrowed,
    /// The guard begins earlier, or ends later.
    Widened,
}

/// The alternatives that a line of a domain gives to a part of a state.
#[derive(Clone, Debug)]
pub enum Instead {
    /// The changes of these kinds, each kind with its place.
    Kinds(Vec<(Kind, Span)>),
    /// A transition with this output to this state.
    Transition {
        /// The output of the transition.
        output: Pattern,
        /// The next state of the transition.
        target: Pattern,
    },
    /// The timeouts with these lengths.
    Timeouts {
        /// The lengths of the timeouts.
        limits: Vec<LimitText>,
        /// The next state; `None`: the next state of the machine.
        target: Option<Pattern>,
    },
}

/// A line of a domain: `STATE.INPUT: …`, `STATE.INPUT / … -> …` or `STATE.after: …`.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The states that the line is about.
    pub state: Pattern,
    /// The part of these states that may be wrong.
    pub subject: Subject,
    /// The alternatives of this part.
    pub instead: Instead,
    /// The place of the complete line.
    pub span: Span,
}
