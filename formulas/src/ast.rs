//! The syntax tree of HyperLTL: a prenex quantifier prefix over traces and an LTL body over their atoms.
//!
//! It only represents formulas; meaning is [`compose`](crate::compose)'s and the reference
//! evaluator's. Conjunction and disjunction take any number of operands, so that long chains stay shallow.

use std::fmt;

use hyperkill_core::sort::Value;

/// A trace variable, bound once in the prefix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraceVar(pub String);

impl TraceVar {
    /// The variable with this name.
    pub fn new(name: impl Into<String>) -> TraceVar {
        TraceVar(name.into())
    }
}

impl fmt::Display for TraceVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a trace variable is bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// Some trace of the model.
    Exists,
    /// Every trace of the model.
    Forall,
}

impl Quantifier {
    /// The dual quantifier: ∃ for ∀, ∀ for ∃.
    #[must_use]
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::Exists => Quantifier::Forall,
            Quantifier::Forall => Quantifier::Exists,
        }
    }
}

/// A closed formula in prenex form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Formula {
    /// The quantifiers, outermost first; the variables are pairwise different.
    pub prefix: Vec<(Quantifier, TraceVar)>,
    /// The temporal formula under the quantifiers.
    pub body: Ltl,
}

impl Formula {
    /// Position of a variable in the prefix; `None` if it is not bound.
    #[must_use]
    pub fn position(&self, trace: &TraceVar) -> Option<usize> {
        self.prefix.iter().position(|(_, bound)| bound == trace)
    }

    /// Whether the outermost quantifier is universal.
    #[must_use]
    pub fn begins_with_forall(&self) -> bool {
        matches!(self.prefix.first(), Some((Quantifier::Forall, _)))
    }

    /// The formula that is asked in its place: itself, or its negation if it begins with ∀.
    #[must_use]
    pub fn as_asked(&self) -> Formula {
        match self.begins_with_forall() {
            true => self.negate(),
            false => self.clone(),
        }
    }
}

/// A named signal of one trace.
///
/// A name means, in this order: an output, a test input, a choice (typed ports, then single bits of them
/// spelled `port[3]`), a wire in the circuit's symbol table (outputs, inputs, latches).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SignalOf {
    /// The name, a bit index `[3]` included.
    pub name: String,
    /// The trace whose signal it is.
    pub trace: TraceVar,
}

impl SignalOf {
    /// `name[trace]`.
    pub fn new(name: impl Into<String>, trace: &TraceVar) -> SignalOf {
        SignalOf {
            name: name.into(),
            trace: trace.clone(),
        }
    }
}

/// What a signal is compared with.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A value of the signal's sort.
    Value(Value),
    /// Another signal of the same sort.
    Signal(SignalOf),
}

/// A statement about one step of one or two traces.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// `mut[p]`: the trace is one of the mutant in question. Its negation says that the trace is one of the
    /// original (semantics.md §1). Selectors are rigid and in every trace considered at most the one in
    /// question is on, so the two are complementary and constant along a trace.
    Selector(TraceVar),
    /// `mut#2[p]`: where a circuit holds more than two systems, the trace is one of that of this number, from 0; constant along a trace.
    /// It stands for what is said beside a formula and is printed only: no text is read as it.
    System(TraceVar, usize),
    /// `a[p]`: a one-bit signal is 1.
    Signal(SignalOf),
    /// `a[p] = coff`, `a[p] = b[q]`: equality of values, of any sort.
    Equal(SignalOf, Operand),
    /// `I[p] = I[q]`: all test inputs are equal.
    InputsEqual(TraceVar, TraceVar),
    /// `O[p] = O[q]`: all outputs are equal.
    OutputsEqual(TraceVar, TraceVar),
    /// `I[p] = I[q] except {a, b}`: all test inputs but these are equal; a name is a typed input's or that of one bit of it.
    InputsEqualExcept(TraceVar, TraceVar, Vec<String>),
    /// `latches[p] = latches[q]`: all hidden state is equal.
    StatesEqual(TraceVar, TraceVar),
}

impl Atom {
    /// The same statement about other traces.
    #[must_use]
    pub fn renamed(&self, name: &dyn Fn(&TraceVar) -> TraceVar) -> Atom {
        let signal = |s: &SignalOf| SignalOf {
            name: s.name.clone(),
            trace: name(&s.trace),
        };
        match self {
            Atom::Selector(p) => Atom::Selector(name(p)),
            Atom::System(p, number) => Atom::System(name(p), *number),
            Atom::Signal(s) => Atom::Signal(signal(s)),
            Atom::Equal(left, Operand::Value(value)) => {
                Atom::Equal(signal(left), Operand::Value(value.clone()))
            }
            Atom::Equal(left, Operand::Signal(right)) => {
                Atom::Equal(signal(left), Operand::Signal(signal(right)))
            }
            Atom::InputsEqual(p, q) => Atom::InputsEqual(name(p), name(q)),
            Atom::OutputsEqual(p, q) => Atom::OutputsEqual(name(p), name(q)),
            Atom::InputsEqualExcept(p, q, names) => {
                Atom::InputsEqualExcept(name(p), name(q), names.clone())
            }
            Atom::StatesEqual(p, q) => Atom::StatesEqual(name(p), name(q)),
        }
    }

    /// The traces it speaks of.
    #[must_use]
    pub fn traces(&self) -> Vec<&TraceVar> {
        match self {
            Atom::Selector(p) | Atom::System(p, _) => vec![p],
            Atom::Signal(signal) | Atom::Equal(signal, Operand::Value(_)) => vec![&signal.trace],
            Atom::Equal(left, Operand::Signal(right)) => vec![&left.trace, &right.trace],
            Atom::InputsEqual(p, q)
            | Atom::OutputsEqual(p, q)
            | Atom::InputsEqualExcept(p, q, _)
            | Atom::StatesEqual(p, q) => vec![p, q],
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `X`: there is a next step, and there.
    Next,
    /// `wX`: at the next step, if there is one. The dual of `X`; the same as `X` on infinite traces.
    WeakNext,
    /// `F`: now or at a later step.
    Finally,
    /// `G`: now and at all later steps.
    Globally,
    /// `Y`: there is a step before, and there.
    Previously,
    /// `Z`: at the step before, if there is one. The dual of `Y`.
    WeakPreviously,
    /// `O`: now or at an earlier step.
    Once,
    /// `H`: now and at all earlier steps.
    Historically,
}

impl UnaryOp {
    /// Whether it looks at earlier steps.
    #[must_use]
    pub fn is_past(self) -> bool {
        matches!(
            self,
            UnaryOp::Previously | UnaryOp::WeakPreviously | UnaryOp::Once | UnaryOp::Historically
        )
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `xor`
    Xor,
    /// `a U b`: b now or later, a until then.
    Until,
    /// `a R b`: b up to and including the first step with a, or for ever. The dual of `U`.
    Release,
    /// `a W b`: `a U b`, or a for ever.
    WeakUntil,
    /// `a M b`: b up to and including a step with a, which comes. The dual of `W`.
    StrongRelease,
    /// `a S b`: b now or earlier, a since then. The past of `U`.
    Since,
    /// `a T b`: b since and including the last step with a, or always so far. The dual of `S`.
    Triggered,
}

impl BinaryOp {
    /// Whether it looks at earlier steps.
    #[must_use]
    pub fn is_past(self) -> bool {
        matches!(self, BinaryOp::Since | BinaryOp::Triggered)
    }

    /// Whether it speaks of one step only.
    #[must_use]
    pub fn is_instantaneous(self) -> bool {
        matches!(self, BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor)
    }
}

/// A formula of linear temporal logic over [`Atom`]s.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ltl {
    /// The constant true or false.
    Constant(bool),
    /// A statement about the current step.
    Atom(Atom),
    /// A connective or temporal operator with one operand.
    Unary(UnaryOp, Box<Ltl>),
    /// A connective or temporal operator with two operands.
    Binary(BinaryOp, Box<Ltl>, Box<Ltl>),
    /// All of them; at least two.
    And(Vec<Ltl>),
    /// One of them; at least two.
    Or(Vec<Ltl>),
}

impl Ltl {
    /// Conjunction; true of none, the formula itself of one.
    #[must_use]
    pub fn and(operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        let mut operands: Vec<Ltl> = operands.into_iter().collect();
        match operands.len() {
            0 => Ltl::Constant(true),
            1 => operands.swap_remove(0),
            _ => Ltl::And(operands),
        }
    }

    /// Disjunction; false of none, the formula itself of one.
    #[must_use]
    pub fn or(operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        let mut operands: Vec<Ltl> = operands.into_iter().collect();
        match operands.len() {
            0 => Ltl::Constant(false),
            1 => operands.swap_remove(0),
            _ => Ltl::Or(operands),
        }
    }

    /// An operator with one operand.
    #[must_use]
    pub fn unary(op: UnaryOp, operand: Ltl) -> Ltl {
        Ltl::Unary(op, Box::new(operand))
    }

    /// An operator with two operands.
    #[must_use]
    pub fn binary(op: BinaryOp, left: Ltl, right: Ltl) -> Ltl {
        Ltl::Binary(op, Box::new(left), Box::new(right))
    }

    /// `!self`
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "a constructor like its neighbours"
    )]
    pub fn not(self) -> Ltl {
        Ltl::unary(UnaryOp::Not, self)
    }

    /// `F self`
    #[must_use]
    pub fn finally(self) -> Ltl {
        Ltl::unary(UnaryOp::Finally, self)
    }

    /// `G self`
    #[must_use]
    pub fn globally(self) -> Ltl {
        Ltl::unary(UnaryOp::Globally, self)
    }

    /// `self -> then`
    #[must_use]
    pub fn implies(self, then: Ltl) -> Ltl {
        Ltl::binary(BinaryOp::Implies, self, then)
    }

    /// `mut[p]`
    #[must_use]
    pub fn selector(p: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::Selector(p.clone()))
    }

    /// `mut#2[p]`
    #[must_use]
    pub fn system(p: &TraceVar, number: usize) -> Ltl {
        Ltl::Atom(Atom::System(p.clone(), number))
    }

    /// `I[p] = I[q]`
    #[must_use]
    pub fn inputs_equal(p: &TraceVar, q: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::InputsEqual(p.clone(), q.clone()))
    }

    /// `O[p] = O[q]`
    #[must_use]
    pub fn outputs_equal(p: &TraceVar, q: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::OutputsEqual(p.clone(), q.clone()))
    }

    /// The same formula over other traces.
    #[must_use]
    pub fn renamed(&self, name: &dyn Fn(&TraceVar) -> TraceVar) -> Ltl {
        let all = |operands: &[Ltl]| operands.iter().map(|o| o.renamed(name)).collect();
        match self {
            Ltl::Constant(value) => Ltl::Constant(*value),
            Ltl::Atom(atom) => Ltl::Atom(atom.renamed(name)),
            Ltl::Unary(op, a) => Ltl::unary(*op, a.renamed(name)),
            Ltl::Binary(op, a, b) => Ltl::binary(*op, a.renamed(name), b.renamed(name)),
            Ltl::And(operands) => Ltl::And(all(operands)),
            Ltl::Or(operands) => Ltl::Or(all(operands)),
        }
    }

    /// The direct subformulas, left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<&Ltl> {
        match self {
            Ltl::Constant(_) | Ltl::Atom(_) => Vec::new(),
            Ltl::Unary(_, a) => vec![a],
            Ltl::Binary(_, a, b) => vec![a, b],
            Ltl::And(all) | Ltl::Or(all) => all.iter().collect(),
        }
    }

    /// The largest number of past operators inside one another.
    #[must_use]
    pub fn past_depth(&self) -> usize {
        let below = self.operands().into_iter().map(Ltl::past_depth).max();
        let own = match self {
            Ltl::Unary(op, _) => op.is_past(),
            Ltl::Binary(op, ..) => op.is_past(),
            _ => false,
        };
        below.unwrap_or(0) + usize::from(own)
    }

    /// All atoms, left to right, with repetitions.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Atom> {
        match self {
            Ltl::Atom(atom) => vec![atom],
            _ => self.operands().into_iter().flat_map(Ltl::atoms).collect(),
        }
    }
}
