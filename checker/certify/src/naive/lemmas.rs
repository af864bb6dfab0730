//! Lemmas for hard checks: nodes of two copies that are equal since what they are made of is.
//!
//! Two multipliers over equal operands are equal gate by gate, and a solver that is asked about their outputs alone does not find out.
//! Each lemma is shown by the solver itself before it is used, and so is each fact before it helps with others.

use hyperkill_core::Var;
use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::proof::Fact;
use hyperkill_sat::{Answer, Lit as SatLit, Solver};

use super::Naive;

/// Conflicts after which a check is hard.
const HARD: u32 = 2_000;
/// Conflicts for each lemma.
const EACH: u32 = 20;
/// Nodes that may turn out to differ before no more are looked at.
const DIFFERING: usize = 256;

impl Naive<'_> {
    /// Whether what is known of the steps can be, with these literals true.
    pub(crate) fn solve(&mut self, assumptions: &[SatLit], budget: &Budget) -> Answer {
        match self.solver.solve(assumptions, Some(HARD), budget) {
            Answer::Undecided(Stop::Bound) => {
                self.learn_equal_nodes(budget);
                self.solver.solve(assumptions, None, budget)
            }
            answer => answer,
        }
    }

    /// How far up in the circuit a fact's nodes are, latches and inputs at the bottom.
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

    /// Adds a fact of a step that has been shown. Of nodes that are equal whoever asks for them from now on gets the first.
    pub(crate) fn learn(&mut self, fact: &Fact, holds: SatLit, step: usize) {
        self.solver.add_clause(&[holds]);
        if let Fact::Equal([kept, gone]) = fact
            && !gone.lit.is_constant()
        {
            self.replace(step, *gone, *kept);
        }
    }

    /// Compares the nodes of each copy with those of the first, in the order of steps and nodes.
    fn learn_equal_nodes(&mut self, budget: &Budget) {
        let mut differing = 0;
        for step in 0..self.steps.len() {
            for node in 0..self.model.aig.len() {
                for copy in 1..self.variants.len() {
                    let known = |copy: usize| self.steps[step][copy][node];
                    let (Some(first), Some(own)) = (known(0), known(copy)) else {
                        continue;
                    };
                    if first == own || first == !own {
                        continue;
                    }
                    if budget.stopped().is_some() || differing > DIFFERING {
                        return;
                    }
                    differing += usize::from(!self.learn_equal(first, own, budget));
                }
            }
        }
    }

    /// Adds that two literals are equal, if that is plain.
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
