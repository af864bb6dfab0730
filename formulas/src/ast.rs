//! The syntax tree of HyperLTL: a prenex quantifier prefix over traces and an LTL body over their atoms.
//!
//! The module only represents formulas; [`compose`](crate::compose) and the reference evaluator give their meaning. Conjunction and
//! disjunction have any number of operands, so that long chains stay shallow.

use std::fmt;

use hyperkill_core::sort::Value;

/// A trace variable, bound once in the prefix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraceVar(pub String);

impl TraceVar {
    /// Returns the variable with this name.
    pub fn new(name: impl Into<String>) -> TraceVar {
        TraceVar(name.into())
    }
}

impl fmt::Display for TraceVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The quantifier of a trace variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// Some trace of the model.
    Exists,
    /// Every trace of the model.
    Forall,
}

impl Quantifier {
    /// Returns the dual quantifier: ∃ for ∀, ∀ for ∃.
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
    /// Returns the position of a variable in the prefix; `None` if it is not bound.
    #[must_use]
    pub fn position(&self, trace: &TraceVar) -> Option<usize> {
        self.prefix.iter().position(|(_, bound)| bound == trace)
    }

    /// Whether the outermost quantifier is universal.
    #[must_use]
    pub fn begins_with_forall(&self) -> bool {
        matches!(self.prefix.first(), Some((Quantifier::Forall, _)))
    }

    /// Returns the formula that is decided in place of this one: this formula itself, or its negation if it begins with ∀.
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
/// A name is resolved as a typed port first, then as a single bit of one (`port[3]`), then as a wire in the symbol table of the circuit.
/// Ports are searched as outputs, test inputs and choices; the symbol table as outputs, inputs and latches.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SignalOf {
    /// The name, including a bit index `[3]`.
    pub name: String,
    /// The trace to which the signal belongs.
    pub trace: TraceVar,
}

impl SignalOf {
    /// Returns `name[trace]`.
    pub fn new(name: impl Into<String>, trace: &TraceVar) -> SignalOf {
        SignalOf {
            name: name.into(),
            trace: trace.clone(),
        }
    }
}

/// The right-hand side of a comparison.
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
    /// `mut[p]`: the trace belongs to the mutant in question. The negation states that the trace belongs to the original (semantics.md §1).
    /// Selectors are constant along a trace, and no other selector is ever on. So exactly one of both statements holds, for the complete
    /// trace.
    Selector(TraceVar),
    /// `mut#2[p]`: the trace belongs to the system with this number, counted from 0, in a circuit of more than two systems. The truth value
    /// is constant along a trace. The printer writes the atom; the parser does not read it.
    System(TraceVar, usize),
    /// `a[p]`: a one-bit signal is 1.
    Signal(SignalOf),
    /// `a[p] = coff`, `a[p] = b[q]`: equality of values, of any sort.
    Equal(SignalOf, Operand),
    /// `I[p] = I[q]`: all test inputs are equal.
    InputsEqual(TraceVar, TraceVar),
    /// `O[p] = O[q]`: all outputs are equal.
    OutputsEqual(TraceVar, TraceVar),
    /// `I[p] = I[q] except {a, b}`: all test inputs but these are equal. A name denotes a typed input or one bit of it.
    InputsEqualExcept(TraceVar, TraceVar, Vec<String>),
    /// `latches[p] = latches[q]`: all hidden state is equal.
    StatesEqual(TraceVar, TraceVar),
}

impl Atom {
    /// Returns the same statement about other traces: `name` gives the variable that replaces each.
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

    /// Returns the trace variables in the atom, one or two, left to right.
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
    /// `X`: there is a next step, and the operand holds there.
    Next,
    /// `wX`: at the next step, if there is one. It is the dual of `X`, and equals `X` on infinite traces.
    WeakNext,
    /// `F`: now or at a later step.
    Finally,
    /// `G`: now and at all later steps.
    Globally,
    /// `Y`: there is a previous step, and the operand holds there.
    Previously,
    /// `Z`: at the previous step, if there is one. It is the dual of `Y`.
    WeakPreviously,
    /// `O`: now or at an earlier step.
    Once,
    /// `H`: now and at all earlier steps.
    Historically,
}

impl UnaryOp {
    /// Whether it is a past operator.
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
    /// `a R b`: b up to and including the first step with a, or forever. The dual of `U`.
    Release,
    /// `a W b`: `a U b`, or a forever.
    WeakUntil,
    /// `a M b`: b up to and including a step with a, which exists. The dual of `W`.
    StrongRelease,
    /// `a S b`: b now or earlier, a since then. The past of `U`.
    Since,
    /// `a T b`: b since and including the last step with a, or always so far. The dual of `S`.
    Triggered,
}

impl BinaryOp {
    /// Whether it is a past operator.
    #[must_use]
    pub fn is_past(self) -> bool {
        matches!(self, BinaryOp::Since | BinaryOp::Triggered)
    }

    /// Whether it is a Boolean connective, which refers to the current step only.
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
    /// The conjunction of at least two operands.
    And(Vec<Ltl>),
    /// The disjunction of at least two operands.
    Or(Vec<Ltl>),
}

impl Ltl {
    /// Returns the conjunction of the operands: true without operands, the operand itself for one.
    #[must_use]
    pub fn and(operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        let mut operands: Vec<Ltl> = operands.into_iter().collect();
        match operands.len() {
            0 => Ltl::Constant(true),
            1 => operands.swap_remove(0),
            _ => Ltl::And(operands),
        }
    }

    /// Returns the disjunction of the operands: false without operands, the operand itself for one.
    #[must_use]
    pub fn or(operands: impl IntoIterator<Item = Ltl>) -> Ltl {
        let mut operands: Vec<Ltl> = operands.into_iter().collect();
        match operands.len() {
            0 => Ltl::Constant(false),
            1 => operands.swap_remove(0),
            _ => Ltl::Or(operands),
        }
    }

    /// Returns an operator applied to one operand.
    #[must_use]
    pub fn unary(op: UnaryOp, operand: Ltl) -> Ltl {
        Ltl::Unary(op, Box::new(operand))
    }

    /// Returns an operator applied to two operands.
    #[must_use]
    pub fn binary(op: BinaryOp, left: Ltl, right: Ltl) -> Ltl {
        Ltl::Binary(op, Box::new(left), Box::new(right))
    }

    /// Returns `!self`.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "a constructor like its neighbours"
    )]
    pub fn not(self) -> Ltl {
        Ltl::unary(UnaryOp::Not, self)
    }

    /// Returns `F self`.
    #[must_use]
    pub fn finally(self) -> Ltl {
        Ltl::unary(UnaryOp::Finally, self)
    }

    /// Returns `G self`.
    #[must_use]
    pub fn globally(self) -> Ltl {
        Ltl::unary(UnaryOp::Globally, self)
    }

    /// Returns `self -> then`.
    #[must_use]
    pub fn implies(self, then: Ltl) -> Ltl {
        Ltl::binary(BinaryOp::Implies, self, then)
    }

    /// Returns the atom `mut[p]`: the trace belongs to the mutant.
    #[must_use]
    pub fn selector(p: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::Selector(p.clone()))
    }

    /// Returns the atom `mut#NUMBER[p]`: the trace belongs to the system with this number.
    #[must_use]
    pub fn system(p: &TraceVar, number: usize) -> Ltl {
        Ltl::Atom(Atom::System(p.clone(), number))
    }

    /// Returns `I[p] = I[q]`.
    #[must_use]
    pub fn inputs_equal(p: &TraceVar, q: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::InputsEqual(p.clone(), q.clone()))
    }

    /// Returns `O[p] = O[q]`.
    #[must_use]
    pub fn outputs_equal(p: &TraceVar, q: &TraceVar) -> Ltl {
        Ltl::Atom(Atom::OutputsEqual(p.clone(), q.clone()))
    }

    /// Returns the same formula over other traces: `name` gives the variable that replaces each.
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

    /// Returns the direct subformulas, left to right.
    #[must_use]
    pub fn operands(&self) -> Vec<&Ltl> {
        match self {
            Ltl::Constant(_) | Ltl::Atom(_) => Vec::new(),
            Ltl::Unary(_, a) => vec![a],
            Ltl::Binary(_, a, b) => vec![a, b],
            Ltl::And(all) | Ltl::Or(all) => all.iter().collect(),
        }
    }

    /// Returns the nesting depth of past operators.
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

    /// Returns all atoms, left to right, with repetitions.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Atom> {
        match self {
            Ltl::Atom(atom) => vec![atom],
            _ => self.operands().into_iter().flat_map(Ltl::atoms).collect(),
        }
    }
}
