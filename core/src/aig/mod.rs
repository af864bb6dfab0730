//! And-inverter graphs: the contents of AIGER 1.9 files, structurally hashed, constant-folded and minimised over two levels during
//! construction.
//!
//! Invariant: the operands of an and-gate are older than the gate. So node order is a topological order, and combinational cycles cannot be
//! expressed. [`crate::aiger`] reads and writes files.

mod cone;
mod images;
mod rules;

pub use cone::Cone;
pub(crate) use images::walk;
pub use images::{Image, Images, Leaf, Truth};

use rustc_hash::FxHashMap;

use crate::work::{Unit, count};
use crate::{Lit, Var};
use rules::{Simpler, simpler};

/// The driver of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant false; only variable 0.
    False,
    /// The primary input with this index.
    Input(u32),
    /// The latch with this index (its current value).
    Latch(u32),
    /// The conjunction of two older literals.
    And(Lit, Lit),
}

/// Initial value of a latch (AIGER 1.9).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reset {
    /// The initial value is 0.
    Zero,
    /// The initial value is 1.
    One,
    /// Uninitialised: either value, a choice of the run.
    Free,
}

impl Reset {
    /// Returns the reset to a constant.
    #[must_use]
    pub fn constant(value: bool) -> Reset {
        if value { Reset::One } else { Reset::Zero }
    }

    /// Returns the constant initial value; `None` for a free one.
    #[must_use]
    pub fn as_constant(self) -> Option<bool> {
        match self {
            Reset::Zero => Some(false),
            Reset::One => Some(true),
            Reset::Free => None,
        }
    }
}

/// An input, which has any value at each step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The node of this input.
    pub var: Var,
    /// Name in the symbol table.
    pub name: Option<String>,
}

/// A latch (register bit).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// The node of this latch: its current value.
    pub var: Var,
    /// The literal whose value this latch has at the next step.
    pub next: Lit,
    /// The value of this latch at the first step.
    pub reset: Reset,
    /// Name in the symbol table.
    pub name: Option<String>,
}

/// A literal with an optional name: output, bad state property, constraint or fairness condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The literal whose value it is.
    pub lit: Lit,
    /// Name in the symbol table.
    pub name: Option<String>,
}

/// A justice property: a lasso on which each literal holds infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Justice {
    /// The literals that must each hold infinitely often.
    pub lits: Vec<Lit>,
    /// Name in the symbol table.
    pub name: Option<String>,
}

/// An and-inverter graph with the sections of AIGER 1.9.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    strash: FxHashMap<(Lit, Lit), Var>,
    inputs: Vec<Input>,
    latches: Vec<Latch>,
    /// The outputs that the tester observes at each step.
    pub outputs: Vec<Signal>,
    /// Bad state properties (`B`).
    pub bad: Vec<Signal>,
    /// Invariant constraints (`C`): a step that breaks one does not exist.
    pub constraints: Vec<Signal>,
    /// Justice properties (`J`); killing does not depend on them.
    pub justice: Vec<Justice>,
    /// Fairness constraints (`F`); killing does not depend on them.
    pub fairness: Vec<Signal>,
    /// Lines of the comment section, without line ends.
    pub comments: Vec<String>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig::new()
    }
}

impl Aig {
    /// Returns the graph that contains only the constant.
    #[must_use]
    pub fn new() -> Aig {
        Aig {
            nodes: vec![Node::False],
            strash: FxHashMap::default(),
            inputs: Vec::new(),
            latches: Vec::new(),
            outputs: Vec::new(),
            bad: Vec::new(),
            constraints: Vec::new(),
            justice: Vec::new(),
            fairness: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// Reserves memory for this many more gates.
    pub fn reserve(&mut self, gates: usize) {
        self.nodes.reserve(gates);
        self.strash.reserve(gates);
    }

    /// Returns the number of nodes, the constant included; every [`Var::index`] is below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the graph contains only the constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Returns the number of and-gates, including unread ones.
    #[must_use]
    pub fn gate_count(&self) -> usize {
        self.nodes.len() - 1 - self.inputs.len() - self.latches.len()
    }

    /// Returns the input, latch or gate that drives `var`, or the constant.
    #[must_use]
    #[inline]
    pub fn node(&self, var: Var) -> Node {
        self.nodes[var.index()]
    }

    /// Returns all nodes in topological order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (Var, Node)> + '_ {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, &node)| (Var::new(i), node))
    }

    /// Returns the primary inputs in file order.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns the latches in file order.
    #[must_use]
    pub fn latches(&self) -> &[Latch] {
        &self.latches
    }

    /// Adds a primary input and returns its literal.
    pub fn add_input(&mut self, name: Option<String>) -> Lit {
        let var = self.push(Node::Input(self.inputs.len() as u32));
        self.inputs.push(Input { var, name });
        var.lit()
    }

    /// Adds a latch that keeps its value until [`Aig::set_next`] changes that, and returns its literal.
    pub fn add_latch(&mut self, reset: Reset, name: Option<String>) -> Lit {
        let var = self.push(Node::Latch(self.latches.len() as u32));
        self.latches.push(Latch {
            var,
            next: var.lit(),
            reset,
            name,
        });
        var.lit()
    }

    /// Sets the next value of the latch with this index.
    pub fn set_next(&mut self, latch: usize, next: Lit) {
        debug_assert!(next.var().index() < self.nodes.len());
        self.latches[latch].next = next;
    }

    /// Sets the initial value of the latch with this index.
    pub fn set_reset(&mut self, latch: usize, reset: Reset) {
        self.latches[latch].reset = reset;
    }

    /// Names the input with this index.
    pub fn set_input_name(&mut self, input: usize, name: Option<String>) {
        self.inputs[input].name = name;
    }

    /// Names the latch with this index.
    pub fn set_latch_name(&mut self, latch: usize, name: Option<String>) {
        self.latches[latch].name = name;
    }

    /// Adds an observable output.
    pub fn add_output(&mut self, lit: Lit, name: Option<String>) {
        self.outputs.push(Signal { lit, name });
    }

    fn push(&mut self, node: Node) -> Var {
        let var = Var::new(self.nodes.len());
        self.nodes.push(node);
        var
    }

    /// Returns `a ∧ b`, folded and shared where possible.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (mut a, mut b) = (a, b);
        loop {
            if b < a {
                (a, b) = (b, a);
            }
            if a == Lit::FALSE || a == !b {
                return Lit::FALSE;
            }
            if a == Lit::TRUE || a == b {
                return b;
            }
            count(Unit::Nodes, 1);
            if let Some(&var) = self.strash.get(&(a, b)) {
                return var.lit();
            }
            match simpler((a, self.operands(a)), (b, self.operands(b))) {
                Some(Simpler::Value(lit)) => return lit,
                Some(Simpler::And(left, right)) => (a, b) = (left, right),
                None => {
                    let var = self.push(Node::And(a, b));
                    self.strash.insert((a, b), var);
                    return var.lit();
                }
            }
        }
    }

    /// Returns the operands of the gate of a literal, which may be negated; `None` if it is the literal of an input, a latch or a constant.
    fn operands(&self, lit: Lit) -> Option<[Lit; 2]> {
        match self.node(lit.var()) {
            Node::And(left, right) => Some([left, right]),
            _ => None,
        }
    }

    /// Adds `a ∧ b` as a new gate, neither folded nor shared, for readers that must preserve a file's gates. All other callers use
    /// [`Aig::and`].
    pub fn and_verbatim(&mut self, a: Lit, b: Lit) -> Lit {
        self.push(Node::And(a, b)).lit()
    }

    /// Returns the disjunction `a ∨ b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Returns the exclusive or `a ⊕ b`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if let Some(flip) = a.as_constant() {
            return b ^ flip;
        }
        if let Some(flip) = b.as_constant() {
            return a ^ flip;
        }
        // One form for all four combinations of signs, so that they share gates.
        let flip = a.is_negated() ^ b.is_negated();
        let (a, b) = (a.var().lit(), b.var().lit());
        let only_a = self.and(a, !b);
        let only_b = self.and(!a, b);
        self.or(only_a, only_b) ^ flip
    }

    /// Returns `a ↔ b`, which is true where both are equal.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// Returns the implication `a → b`.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// Returns a literal with the value of `t` where `c` holds, else that of `e`.
    pub fn ite(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if t == e {
            return t;
        }
        if t == !e {
            return self.iff(c, t);
        }
        let then = self.and(c, t);
        let other = self.and(!c, e);
        self.or(then, other)
    }

    /// Returns the conjunction of all literals, as a balanced tree; true if there are none.
    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::TRUE,
            [lit] => *lit,
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let left = self.and_all(left);
                let right = self.and_all(right);
                self.and(left, right)
            }
        }
    }

    /// Returns the disjunction of all literals, as a balanced tree; false if there are none.
    pub fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.and_all(&negated)
    }

    /// Returns all literals of outputs, bad states, constraints, justice and fairness. Next-state functions are not included.
    pub fn roots(&self) -> impl Iterator<Item = Lit> + '_ {
        let signals = [&self.outputs, &self.bad, &self.constraints, &self.fairness];
        signals
            .into_iter()
            .flatten()
            .map(|signal| signal.lit)
            .chain(self.justice.iter().flat_map(|j| j.lits.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_folded_and_shared() {
        let mut aig = Aig::new();
        let a = aig.add_input(None);
        let b = aig.add_input(None);
        assert_eq!(aig.and(a, Lit::TRUE), a);
        assert_eq!(aig.and(a, Lit::FALSE), Lit::FALSE);
        assert_eq!(aig.and(a, !a), Lit::FALSE);
        assert_eq!(aig.and(a, b), aig.and(b, a));
        assert_eq!(aig.xor(a, !b), !aig.xor(a, b));
        assert_eq!(aig.ite(a, b, b), b);
        assert_eq!(aig.xor(a, a), Lit::FALSE);
    }
}
