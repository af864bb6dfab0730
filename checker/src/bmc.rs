//! Bounded model checking, incremental over depth: shortest runs first.
//!
//! Goals are assumptions, refuted goals become facts, learned clauses stay. Bounded search only ever finds
//! runs or raises `known_to`; it never proves.

use hyperkill_core::Lit;
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::trace::Stimulus;

use crate::budget::{Budget, Stop};
use crate::encode::{Encoder, Start, Unroller};
use crate::fault::{self, Fault};
use crate::question::Reachability;
use crate::sat::{Answer, Cadical};

/// A run of each copy of the product, found by a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Steps until the goal holds, that step included.
    pub steps: usize,
    /// What to feed each copy.
    pub runs: Vec<Stimulus>,
}

/// What is known of one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Depth {
    /// A run of exactly this many steps reaches the goal.
    Reached(Found),
    /// No run of this many steps does.
    Refuted,
    /// A limit was hit.
    Undecided(Stop),
}

/// The search, one depth after the other.
pub struct Bmc<'a> {
    question: &'a Reachability,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
    refuted: usize,
}

impl<'a> Bmc<'a> {
    /// A search that has not started.
    #[must_use]
    pub fn new(question: &'a Reachability) -> Bmc<'a> {
        Bmc {
            question,
            unroller: Unroller::new(&question.product, &question.roots(), Start::Reset),
            encoder: Encoder::new(Cadical::new()),
            refuted: 0,
        }
    }

    /// The largest n such that no run of at most n steps reaches the goal, as far as searched.
    #[must_use]
    pub fn refuted(&self) -> usize {
        self.refuted
    }

    /// Gates in the unrolling so far: what the next depths will cost.
    #[must_use]
    pub fn size(&self) -> usize {
        self.unroller.graph.len()
    }

    /// Decides the next depth, `refuted() + 1` steps.
    pub fn deepen(&mut self, conflicts: Option<u32>, budget: &Budget) -> Depth {
        let step = self.refuted;
        if self.unroller.len() <= step {
            self.unroller.extend_to(step + 1);
            for &lit in &self.question.always {
                if fault::planted(Fault::ForgottenConstraint) && step == 1 {
                    continue;
                }
                let lit = self.unroller.at(step, lit);
                self.encoder.require(&self.unroller.graph, &[lit]);
            }
            for &lit in self.question.before.iter().filter(|_| step > 0) {
                let lit = self.unroller.at(step - 1, lit);
                self.encoder.require(&self.unroller.graph, &[lit]);
            }
        }
        let mut goal = self.unroller.at(step, self.question.goal);
        if fault::planted(Fault::OffByOneFrame) && step > 1 {
            goal = self.unroller.at(step - 1, self.question.goal);
        }
        if goal == Lit::FALSE {
            self.refuted += 1;
            return Depth::Refuted;
        }
        let assumption = self.encoder.lit(&self.unroller.graph, goal);
        match self.encoder.solve(&[assumption], conflicts, budget) {
            Answer::Possible => Depth::Reached(self.read_runs(step + 1)),
            Answer::Impossible => {
                self.encoder.add_clause(&[!assumption]);
                self.refuted += 1;
                Depth::Refuted
            }
            Answer::Undecided(stop) => Depth::Undecided(stop),
        }
    }

    fn read_runs(&mut self, steps: usize) -> Found {
        let product = &self.question.product;
        let runs = product.copies.iter();
        let runs =
            runs.map(|copy| read_run(product, copy, &self.unroller, &mut self.encoder, steps));
        Found {
            steps,
            runs: runs.collect(),
        }
    }
}

/// The run of a copy in the assignment found; what nobody reads is 0.
pub(crate) fn read_run(
    product: &Product,
    copy: &Copy,
    unroller: &Unroller<'_>,
    encoder: &mut Encoder<Cadical>,
    steps: usize,
) -> Stimulus {
    let mut bit = |lit: Option<Lit>, step: usize| {
        lit.filter(|lit| unroller.contains(lit.var()))
            .is_some_and(|lit| encoder.gate_value(unroller.at(step, lit)))
    };
    let latches = product.aig.latches();
    let initial = copy
        .latches
        .iter()
        .map(|latch| bit(latch.map(|i| latches[i].var.lit()), 0))
        .collect();
    let inputs = (0..steps).map(|step| copy.inputs.iter().map(|&lit| bit(lit, step)).collect());
    Stimulus {
        initial,
        steps: inputs.collect(),
    }
}
