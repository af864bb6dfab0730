//! A cone as clauses, only as far as answers rest on it.
//!
//! A gate without clauses can have any value, so what is impossible is impossible for the whole cone. An answer counts once gates that have
//! clauses justify it: then it holds whatever else is put in.

use std::collections::VecDeque;

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, Lit as Gate, Var};
use hyperkill_sat::{Answer, Lit, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many gates get clauses when an answer first rests on one without; twice as many the next time, so that a cone that is needed as
/// a whole is soon there.
const FIRST: usize = 512;

/// A node that a solver knows.
#[derive(Clone, Copy)]
struct Known {
    lit: Lit,
    /// Whether clauses say what it is; they do for all that is no gate.
    has_clauses: bool,
}

/// A solver that knows some gates of a graph, and learns of others as they are needed.
pub struct PartialCone<'a, S> {
    aig: &'a Aig,
    /// Which nodes are switches, 0 in most answers: what a gate does where one is 1 is learned only if it is asked for.
    is_switch: Box<dyn Fn(Var) -> bool + 'a>,
    /// Nodes that were switches.
    opened: FxHashSet<Var>,
    /// Gates that are known and have no clauses, unless they have got some since.
    frontier: VecDeque<Var>,
    /// Switches, with the other operands of gates that read them.
    behind: Vec<(Var, Var)>,
    solver: S,
    known: FxHashMap<Var, Known>,
    /// Inputs and latches that are known and have not been asked for yet.
    leaves: Vec<Var>,
    more: usize,
    gates: usize,
}

impl<'a, S: Solver> PartialCone<'a, S> {
    /// Nothing is known yet. Switches are nodes that are 0 in most answers.
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

    /// The solver's literal for one of the graph.
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

    /// A fresh literal that stands for no node.
    pub fn fresh(&mut self) -> Lit {
        self.solver.new_lit()
    }

    /// Adds a clause for good.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }

    /// The inputs and latches that have become known since this was last asked, in the order in which they did.
    pub fn new_leaves(&mut self) -> Vec<Var> {
        std::mem::take(&mut self.leaves)
    }

    /// How many gates have clauses.
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// Asks the solver. An answer is one of the whole cone only if it [is justified](PartialCone::justify).
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.solver.solve(assumptions, None, budget)
    }

    /// Whether the answer rests on this assumption.
    pub fn is_blamed(&mut self, assumption: Lit) -> bool {
        self.solver.is_blamed(assumption)
    }

    /// The node's value in the last answer; false for what is not known.
    pub fn value(&mut self, var: Var) -> bool {
        match self.known.get(&var) {
            Some(known) => self.solver.value(known.lit),
            None => false,
        }
    }

    /// Whether the gate, true in the last answer, is so for whatever values of what the solver does not know. If not, the solver learns
    /// more of what the answer rests on, and has to be asked again.
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

    /// One of the operands of a gate that is 0, itself 0: one that needs nothing more, if there is one.
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

    /// Gives clauses to these gates, to what they depend on, and then to other gates that are known, as many as are due.
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

    /// Gives clauses to so many gates, these first, then what they depend on; what is left over.
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

    /// These nodes are no switches any more: what gates do where one is 1 is learned like all else, and first.
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
