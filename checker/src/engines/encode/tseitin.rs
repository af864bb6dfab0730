//! Encodes cones of a combinational graph as clauses, each node once, on demand.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::{Aig, Lit as Gate, Var};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::{Answer, Lit, Solver};

use crate::engines::local_solver::LocalSolver;

/// Estimate of the bytes of memory for each node of the graph: the node, its hash, its literals here and in the steps of an unrolling.
const PER_NODE: usize = 64;

/// A solver with clauses for the nodes of one growing combinational graph.
pub struct Encoder<S> {
    solver: S,
    /// A literal of the solver that is false in every assignment.
    constant: Lit,
    lits: Vec<Option<Lit>>,
    charge: Charge,
}

impl<S: Solver> Encoder<S> {
    /// Returns an encoder with only the constant encoded.
    pub fn new(mut solver: S) -> Encoder<S> {
        let constant = solver.new_lit();
        solver.add_clause(&[!constant]);
        Encoder {
            solver,
            constant,
            lits: vec![Some(constant)],
            charge: Charge::default(),
        }
    }

    /// Returns the solver's literal for a literal of the graph; encodes its cone if necessary. `graph` must be the same, possibly extended,
    /// graph on every call.
    pub fn lit(&mut self, graph: &Aig, gate: Gate) -> Lit {
        if self.lits.len() < graph.len() {
            self.lits.resize(graph.len(), None);
        }
        let mut stack = vec![gate.var()];
        while let Some(&var) = stack.last() {
            if self.lits[var.index()].is_some() {
                stack.pop();
                continue;
            }
            match graph.node(var) {
                Node::And(a, b) => match (self.lits[a.var().index()], self.lits[b.var().index()]) {
                    (Some(x), Some(y)) => {
                        let x = if a.is_negated() { !x } else { x };
                        let y = if b.is_negated() { !y } else { y };
                        let out = self.solver.new_lit();
                        let swapped = if fault::planted(Fault::SwappedLiteral) {
                            !x
                        } else {
                            x
                        };
                        let clauses: [&[Lit]; 3] = [&[!out, x], &[!out, y], &[out, !swapped, !y]];
                        let dropped = usize::from(fault::planted(Fault::DroppedClause));
                        self.solver.add_gate(out, [x, y], &clauses[..3 - dropped]);
                        self.lits[var.index()] = Some(out);
                        stack.pop();
                    }
                    (x, y) => {
                        if x.is_none() {
                            stack.push(a.var());
                        }
                        if y.is_none() {
                            stack.push(b.var());
                        }
                    }
                },
                Node::False | Node::Input(_) | Node::Latch(_) => {
                    self.lits[var.index()] = Some(self.solver.new_lit());
                    stack.pop();
                }
            }
        }
        let positive = self.lits[gate.var().index()].unwrap_or(self.constant);
        if gate.is_negated() {
            !positive
        } else {
            positive
        }
    }

    /// Returns a new literal of the solver that stands for no node.
    pub fn fresh(&mut self) -> Lit {
        self.solver.new_lit()
    }

    /// Adds a permanent clause of literals of the solver.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }

    /// Adds a clause: at least one of these literals of the graph is true.
    pub fn require(&mut self, graph: &Aig, gates: &[Gate]) {
        if gates.contains(&Gate::TRUE) {
            return;
        }
        let clause: Vec<Lit> = gates
            .iter()
            .filter(|&&gate| gate != Gate::FALSE)
            .map(|&gate| self.lit(graph, gate))
            .collect();
        self.solver.add_clause(&clause);
    }

    /// Calls the solver under assumptions, with a limit of conflicts; see [`Solver::solve`].
    pub fn solve(
        &mut self,
        assumptions: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Answer {
        if let Some(stop) = self.charge.hold(budget, PER_NODE * self.lits.len()) {
            return Answer::Undecided(stop);
        }
        self.solver.solve(assumptions, conflicts, budget)
    }

    /// Whether the last answer "impossible" depends on this assumption; see [`Solver::is_blamed`].
    pub fn is_blamed(&mut self, assumption: Lit) -> bool {
        self.solver.is_blamed(assumption)
    }

    /// Returns the value of a solver literal in the assignment that the last call found.
    pub fn value(&mut self, lit: Lit) -> bool {
        self.solver.value(lit)
    }

    /// Returns a graph literal's value in the assignment found; false if no clause mentions it.
    pub fn gate_value(&mut self, gate: Gate) -> bool {
        if let Some(value) = gate.as_constant() {
            return value;
        }
        let positive = self.lits.get(gate.var().index()).copied().flatten();
        let value = positive.is_some_and(|lit| self.solver.value(lit));
        value ^ gate.is_negated()
    }

    /// Returns the solver that the encoder fills.
    #[must_use]
    pub fn solver(&self) -> &S {
        &self.solver
    }

    /// Returns the solver's literal of a node; `None` if the node has not been encoded.
    #[must_use]
    pub fn known(&self, var: Var) -> Option<Lit> {
        self.lits.get(var.index()).copied().flatten()
    }

    /// Whether the node has been encoded, so that its value is meaningful.
    #[must_use]
    pub fn knows(&self, var: Var) -> bool {
        self.lits.get(var.index()).is_some_and(Option::is_some)
    }
}

impl Encoder<LocalSolver> {
    /// Restricts the decisions of the next solver call to the cones of these literals of the graph (its focus). All must have been encoded.
    pub fn focus(&mut self, graph: &Aig, gates: impl IntoIterator<Item = Gate>) {
        self.solver.focus([self.constant]);
        let mut stack: Vec<Var> = gates.into_iter().map(Gate::var).collect();
        while let Some(var) = stack.pop() {
            let Some(lit) = self.known(var) else {
                continue;
            };
            if self.solver.add_focus(lit)
                && let Node::And(a, b) = graph.node(var)
            {
                stack.push(a.var());
                stack.push(b.var());
            }
        }
    }

    /// Whether this node was in the focus of the last call.
    #[must_use]
    pub fn is_in_focus(&self, var: Var) -> bool {
        self.known(var)
            .is_some_and(|lit| self.solver.is_in_focus(lit))
    }

    /// Whether the last answer assigned this node. Unassigned nodes may have any value.
    #[must_use]
    pub fn is_assigned(&self, var: Var) -> bool {
        self.known(var)
            .is_some_and(|lit| self.solver.is_assigned(lit))
    }
}
