//! Lemmas for hard checks: nodes of two copies that are equal because their operands are.
//!
//! Two multipliers over equal operands are equal gate by gate, but a solver that gets a query about their outputs alone does not find this.
//! The solver proves each lemma before use, except for nodes with operands known to be equal. Each fact is also proved before it supports
//! others.

use hyperkill_core::Var;
use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::proof::Fact;
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use rustc_hash::FxHashSet;

use super::Naive;

/// The number of conflicts after which a check counts as hard.
const HARD: u32 = 2_000;
/// The limit on conflicts for each lemma.
const EACH: u32 = 20;
/// The number of failed lemmas after which the search for lemmas ends.
const DIFFERING: usize = 256;

impl Naive<'_> {
    /// Returns whether the clauses of the product are satisfiable together with these literals. A hard query is tried again with lemmas.
    pub(crate) fn solve(&mut self, assumptions: &[SatLit], budget: &Budget) -> Answer {
        match self.solver.solve(assumptions, Some(HARD), budget) {
            Answer::Undecided(Stop::Bound) => {
                self.learn_equal_nodes(budget);
                self.solver.solve(assumptions, self.conflicts, budget)
            }
            answer => answer,
        }
    }

    /// Returns the height of a fact's nodes in the circuit: the highest index of a gate, 0 for latches and inputs.
    pub(crate) fn height(&self, fact: &Fact) -> usize {
        let of = |var: Var| match self.model.aig.node(var) {
            Node::And(..) => var.index(),
            Node::False | Node::Input(_) | Node::Latch(_) => 0,
        };
        match fact {
            Fact::Equal(sites) => sites
                .iter()
                .map(|site| of(site.lit.var()))
                .max()
                .unwrap_or(0),
            Fact::SameUnless(_, var, _) => of(*var),
            Fact::Clause(_) => 0,
        }
    }

    /// Asserts facts that hold in a step. Gates over nodes that are equal by these facts are shared.
    pub(crate) fn assume_facts(&mut self, facts: &[Fact], step: usize) {
        let mut facts: Vec<&Fact> = facts.iter().collect();
        facts.sort_by_key(|fact| self.height(fact));
        for fact in facts {
            let holds = self.fact(fact, step);
            self.learn(fact, holds, step);
        }
    }

    /// Asserts a proved fact of a step, which is true iff the literal `holds` is. Of two equal nodes the first replaces the second in
    /// everything that is encoded later.
    pub(crate) fn learn(&mut self, fact: &Fact, holds: SatLit, step: usize) {
        self.solver.add_clause(&[holds]);
        if let Fact::Equal([kept, gone]) = fact
            && !gone.lit.is_constant()
        {
            self.replace(step, *gone, *kept);
        }
    }

    /// Asserts which nodes of each other copy are equal to the same nodes of the first copy, in the order of steps and nodes.
    fn learn_equal_nodes(&mut self, budget: &Budget) {
        let mut differing = 0;
        let mut equal: FxHashSet<[SatLit; 2]> = FxHashSet::default();
        for step in 0..self.steps.len() {
            for node in 0..self.model.aig.len() {
                for copy in 1..self.variants.len() {
                    let Some([first, own]) = self.beside_first(step, copy, node) else {
                        continue;
                    };
                    if first == own || first == !own || equal.contains(&[first, own]) {
                        continue;
                    }
                    if budget.stopped().is_some() || differing > DIFFERING {
                        return;
                    }
                    if self.has_equal_operands(step, copy, node, &equal) {
                        super::equal(&mut self.solver, first, own);
                    } else if !self.learn_equal(first, own, budget) {
                        differing += 1;
                        continue;
                    }
                    equal.insert([first, own]);
                }
            }
        }
    }

    /// Returns the literals of a node in the first copy and in this one; `None` unless it is encoded in both.
    fn beside_first(&self, step: usize, copy: usize, node: usize) -> Option<[SatLit; 2]> {
        let known = |copy: usize| self.steps[step][copy][node];
        Some([known(0)?, known(copy)?])
    }

    /// Whether a node is a gate with equal operands in the first copy and in this one.
    fn has_equal_operands(
        &self,
        step: usize,
        copy: usize,
        node: usize,
        equal: &FxHashSet<[SatLit; 2]>,
    ) -> bool {
        let var = Var::new(node);
        let Node::And(a, b) = self.model.aig.node(var) else {
            return false;
        };
        let is_itself = |copy: usize| self.meanings[copy][node] == var.lit();
        let is_equal = |operand: Var| {
            let pair = self.beside_first(step, copy, operand.index());
            pair.is_some_and(|pair| pair[0] == pair[1] || equal.contains(&pair))
        };
        is_itself(0) && is_itself(copy) && is_equal(a.var()) && is_equal(b.var())
    }

    /// Asserts that two literals are equal, if the solver proves it within its limit. Returns whether it does.
    fn learn_equal(&mut self, a: SatLit, b: SatLit, budget: &Budget) -> bool {
        for (a, b) in [(a, !b), (!a, b)] {
            if self.solver.solve(&[a, b], Some(EACH), budget) != Answer::Impossible {
                return false;
            }
            self.solver.add_clause(&[!a, !b]);
        }
        true
    }
}
