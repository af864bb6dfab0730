//! Encodes a cone lazily: only the gates on which answers depend have clauses.
//!
//! A gate without clauses can have any value, so "impossible" holds for the complete cone. An answer counts only if encoded gates justify
//! it; it then holds for all values of the other leaves.

use std::collections::VecDeque;

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, Lit as Gate, Var};
use hyperkill_sat::{Answer, Lit, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of gates that are encoded when an answer first depends on an unencoded one. The number doubles each time, so that a cone that is
/// needed completely is encoded after few calls.
const FIRST: usize = 512;

/// A node of the graph that has a literal in the solver.
#[derive(Clone, Copy)]
struct Known {
    lit: Lit,
    /// Whether the solver has clauses that define the node; always true for nodes other than gates.
    has_clauses: bool,
}

/// A solver for a graph in which only some gates have clauses; others get clauses when an answer depends on them.
pub struct PartialCone<'a, S> {
    aig: &'a Aig,
    /// Whether a node is a switch, a node that is 0 in most answers. The other operand of a gate that reads a switch is encoded only on
    /// request.
    is_switch: Box<dyn Fn(Var) -> bool + 'a>,
    /// Switches that are treated as ordinary nodes by now.
    opened: FxHashSet<Var>,
    /// Gates with a literal that may still lack clauses; they are encoded next.
    frontier: VecDeque<Var>,
    /// Pairs of a switch and the other operand of a gate that reads it.
    behind: Vec<(Var, Var)>,
    solver: S,
    known: FxHashMap<Var, Known>,
    /// Inputs and latches with a literal that [`PartialCone::new_leaves`] has not returned yet.
    leaves: Vec<Var>,
    more: usize,
    gates: usize,
}

impl<'a, S: Solver> PartialCone<'a, S> {
    /// Returns a solver without nodes for this graph. `is_switch` names nodes that are 0 in most answers.
    pub fn new(
        aig: &'a Aig,
        solver: S,
        is_switch: impl Fn(Var) -> bool + 'a,
    ) -> PartialCone<'a, S> {
        PartialCone {
            aig,
            is_switch: Box::new(is_switch),
            opened: FxHashSet::default(),
            frontier: VecDeque::new(),
            behind: Vec::new(),
            solver,
            known: FxHashMap::default(),
            leaves: Vec::new(),
            more: FIRST,
            gates: 0,
        }
    }

    /// Returns the solver's literal for a literal of the graph; a new one without clauses if there is none.
    pub fn lit(&mut self, gate: Gate) -> Lit {
        let var = gate.var();
        let lit = match self.known.get(&var) {
            Some(known) => known.lit,
            None => self.learn(var),
        };
        if gate.is_negated() { !lit } else { lit }
    }

    fn learn(&mut self, var: Var) -> Lit {
        let lit = self.solver.new_lit();
        let node = self.aig.node(var);
        match node {
            Node::False => self.solver.add_clause(&[!lit]),
            Node::Input(_) | Node::Latch(_) => self.leaves.push(var),
            Node::And(..) => {}
        }
        let has_clauses = !matches!(node, Node::And(..));
        self.known.insert(var, Known { lit, has_clauses });
        lit
    }

    /// Returns a new literal of the solver that stands for no node.
    pub fn fresh(&mut self) -> Lit {
        self.solver.new_lit()
    }

    /// Adds a permanent clause of solver literals.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }

    /// Returns the inputs and latches that became known since the last call, in that order.
    pub fn new_leaves(&mut self) -> Vec<Var> {
        std::mem::take(&mut self.leaves)
    }

    /// Returns the number of gates that have clauses.
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// Calls the solver. A positive answer holds for the complete cone only if it [is justified](PartialCone::justify).
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.solver.solve(assumptions, None, budget)
    }

    /// Whether the last answer "impossible" depends on this assumption.
    pub fn is_blamed(&mut self, assumption: Lit) -> bool {
        self.solver.is_blamed(assumption)
    }

    /// Returns the node's value in the last answer; false for nodes without a literal.
    pub fn value(&mut self, var: Var) -> bool {
        match self.known.get(&var) {
            Some(known) => self.solver.value(known.lit),
            None => false,
        }
    }

    /// Whether the last answer, in which the gate is true, holds whatever the gates without clauses are. If not, more gates are encoded,
    /// and the solver has to be called again.
    pub fn justify(&mut self, gate: Gate) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![gate.var()];
        let mut due = VecDeque::new();
        while let Some(var) = open.pop() {
            if !seen.insert(var) {
                continue;
            }
            let Node::And(a, b) = self.aig.node(var) else {
                continue;
            };
            if !self.has_clauses(var) {
                due.push_back(var);
            } else if self.value(var) {
                open.extend([a.var(), b.var()]);
            } else {
                open.push(self.reason(a, b, &seen).var());
            }
        }
        let is_justified = due.is_empty();
        self.explain(due);
        is_justified
    }

    /// Returns an operand of a conjunction that is 0 in the last answer and so explains its value, preferably one that is already
    /// justified.
    fn reason(&mut self, a: Gate, b: Gate, seen: &FxHashSet<Var>) -> Gate {
        let [a_is_zero, b_is_zero] = [a, b].map(|gate| self.value(gate.var()) == gate.is_negated());
        if !(a_is_zero && b_is_zero) {
            return if a_is_zero { a } else { b };
        }
        let cost = |gate: Gate| match self.aig.node(gate.var()) {
            _ if seen.contains(&gate.var()) => 0,
            Node::And(..) if self.has_clauses(gate.var()) => 2,
            Node::And(..) => 3,
            _ => 1,
        };
        if cost(b) < cost(a) { b } else { a }
    }

    fn has_clauses(&self, var: Var) -> bool {
        self.known.get(&var).is_some_and(|known| known.has_clauses)
    }

    /// Encodes the gates in `due` and in their cones, then other known gates, up to a number that doubles with each call.
    fn explain(&mut self, due: VecDeque<Var>) {
        if due.is_empty() {
            return;
        }
        let mut left = self.more.max(due.len());
        self.more = self.more.saturating_mul(2);
        let rest = self.explain_some(due, &mut left);
        let frontier = std::mem::take(&mut self.frontier);
        self.frontier = self.explain_some(frontier, &mut left);
        self.frontier.extend(rest);
    }

    /// Encodes at most `left` gates, which it reduces: those of `due`, then their operands. Returns the gates that remain.
    fn explain_some(&mut self, mut due: VecDeque<Var>, left: &mut usize) -> VecDeque<Var> {
        while *left > 0
            && let Some(var) = due.pop_front()
        {
            let Node::And(a, b) = self.aig.node(var) else {
                continue;
            };
            if self.has_clauses(var) {
                continue;
            }
            *left -= 1;
            self.gates += 1;
            let [out, x, y] = [var.lit(), a, b].map(|gate| self.lit(gate));
            self.solver.add_clause(&[!out, x]);
            self.solver.add_clause(&[!out, y]);
            self.solver.add_clause(&[out, !x, !y]);
            if let Some(known) = self.known.get_mut(&var) {
                known.has_clauses = true;
            }
            let is_switch = |gate: Gate| {
                let var = gate.var();
                !gate.is_negated() && (self.is_switch)(var) && !self.opened.contains(&var)
            };
            match (is_switch(a), is_switch(b)) {
                (false, false) => due.extend([a.var(), b.var()]),
                (true, _) => self.behind.push((a.var(), b.var())),
                (false, true) => self.behind.push((b.var(), a.var())),
            }
        }
        due
    }

    /// Treats the switches in `opened`, and no other ones, as ordinary nodes from now on. The other operands of gates that read them are
    /// encoded first.
    pub fn open_switches(&mut self, opened: FxHashSet<Var>) {
        self.opened = opened;
        let behind = std::mem::take(&mut self.behind);
        let (opened, closed) = behind
            .into_iter()
            .partition::<Vec<_>, _>(|(switch, _)| self.opened.contains(switch));
        self.behind = closed;
        let frontier = std::mem::take(&mut self.frontier);
        let first = opened.into_iter().map(|(_, operand)| operand);
        self.frontier = first.chain(frontier).collect();
    }
}
