//! Inductive proofs that the goal of a question is unreachable.

use hyperkill_core::{Lit, Var};

use crate::question::StateBit;

/// A proof that a goal is unreachable: it is k-inductive relative to the facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The depth of the induction: no run of up to `k` steps reaches the goal, and no step with the goal follows `k` steps without it.
    pub k: usize,
    /// Whether the induction assumes that the states of those steps are pairwise different.
    pub simple_path: bool,
    /// The inductive facts. They are inductive together, but not necessarily one by one.
    pub facts: Vec<Fact>,
    /// The depth of the induction of the facts, 1 or more: the number of steps in which the facts are assumed in order to prove them for
    /// the next step. They also hold in as many first steps.
    pub facts_depth: usize,
}

impl Proof {
    /// Returns the number of facts of the form [`Fact::Clause`], the clauses of an inductive invariant.
    #[must_use]
    pub fn clauses(&self) -> usize {
        let clauses = self.facts.iter();
        clauses
            .filter(|fact| matches!(fact, Fact::Clause(_)))
            .count()
    }
}

/// A fact that holds in every reachable step of a question's runs, as long as the assumptions before the goal do. Nodes are those of the
/// conditional mutant's circuit, so that a certifier can read the fact without the product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fact {
    /// The two literals have the same value. A literal with only one value equals a constant, which may stand in either copy.
    Equal([Site; 2]),
    /// The node has the same value in these two copies (by index), unless this literal of the circuit is true in copy 0.
    SameUnless([usize; 2], Var, Lit),
    /// A clause of an invariant: one of these bits has the given value. In a question about a strategy it applies to all steps but the
    /// first.
    Clause(Vec<(StateBit, bool)>),
}

/// A literal of the conditional mutant's circuit in one of the copies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// Index of the copy, from 0.
    pub copy: usize,
    /// A literal of the model's circuit.
    pub lit: Lit,
}

impl Fact {
    /// Returns the fact that a node of the circuit has the same value in two copies, which are given by index.
    #[must_use]
    pub fn same([a, b]: [usize; 2], var: Var) -> Fact {
        let lit = var.lit();
        Fact::Equal([Site { copy: a, lit }, Site { copy: b, lit }])
    }
}
