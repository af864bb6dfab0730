//! k-induction with simple paths, strengthened by inductive facts. It proves most equivalent mutants.
//!
//! Bounded model checking provides the base case: a proof with depth k needs the goal refuted for runs of up to k steps. `certify` checks
//! every proof again.

mod facts;
mod observe;

pub(crate) use facts::shared;
pub(crate) use observe::{Neighbours, WORDS, random_runs, random_states};

use crate::engines::encode::{Encoder, Unroller};
use crate::engines::pdr::{Clause, Given};
use crate::question::Reachability;
use crate::schedule::engine_efforts::FACT_CALLS;
use facts::{Candidates, Effort};
use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::proof::{Fact, Proof};
use hyperkill_evidence::question::StateBit;
use hyperkill_sat::{Answer, Lit as SatLit};
use hyperkill_sat_cadical::Cadical;

/// Returns the proof that consists of these clauses (over latches of the product, by index) and the facts of `induction`. Together they are
/// inductive and exclude the goal. `None` if a clause has a latch that no proof can name.
#[must_use]
pub fn by_invariant(
    question: &Reachability,
    induction: Option<&Induction>,
    clauses: &[Clause],
) -> Option<Proof> {
    let bits = question.state_bits();
    let mut facts = match induction {
        Some(known) => known.facts(),
        None => facts::shared(question),
    };
    for clause in clauses {
        let mut lits = Vec::new();
        let mut of_first_steps = false;
        for &(latch, value) in clause {
            match (*bits.get(latch)?)? {
                // In steps other than the first, one of these literals is true and the other false.
                StateBit::First => of_first_steps |= !value,
                bit => lits.push((bit, value)),
            }
        }
        if !of_first_steps {
            facts.push(Fact::Clause(lits));
        }
    }
    Some(Proof {
        k: 1,
        simple_path: false,
        facts,
        facts_depth: 1,
    })
}

/// The result of induction at one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InductionAnswer {
    /// The goal is unreachable, provided that no run of up to [`Proof::k`] steps reaches it.
    Inductive(Proof),
    /// The solver found a path on which the goal is reached only at the end: no proof at this depth.
    NotInductive,
    /// A limit of conflicts or the budget ended the attempt.
    Undecided(Stop),
}

/// A question with the facts found for it, for proofs by k-induction.
pub struct Induction {
    candidates: Candidates,
}

impl Induction {
    /// Returns the question with inductive facts: nodes of the circuit that have equal values in two copies of the product. With
    /// `conditional`, facts may also state that a latch has equal values in two copies unless another literal is true. A limit of solver
    /// conflicts or the budget leaves fewer facts or none, never wrong ones.
    #[must_use]
    pub fn new(
        question: &Reachability,
        conditional: bool,
        conflicts: u32,
        budget: &Budget,
    ) -> Induction {
        Induction::knowing(question, &[], conditional, conflicts, budget)
    }

    /// Finds facts like [`Induction::new`], given literals that are known to be true in every step. A proof by these facts must also
    /// justify these literals.
    #[must_use]
    pub fn knowing(
        question: &Reachability,
        known: &[Lit],
        conditional: bool,
        conflicts: u32,
        budget: &Budget,
    ) -> Induction {
        let mut candidates = Candidates::new(question, known, conditional, budget);
        let mut effort = Effort {
            conflicts,
            calls: FACT_CALLS,
        };
        let complete = candidates.check_initially(&mut effort, budget)
            && candidates.check_kept(&mut effort, budget);
        if !complete {
            candidates.live.clear();
        }
        Induction { candidates }
    }

    /// Returns an induction that assumes only the known literals and searches no facts.
    #[must_use]
    pub fn without_facts(question: &Reachability, known: &[Lit]) -> Induction {
        Induction {
            candidates: Candidates::none(question, known),
        }
    }

    /// Returns the facts that were found to be inductive.
    #[must_use]
    pub fn facts(&self) -> Vec<Fact> {
        self.candidates.facts()
    }

    /// Returns the question, whose graph also has the gates that state the facts.
    #[must_use]
    pub fn question(&self) -> &Reachability {
        &self.candidates.question
    }

    /// Returns the facts found as literals of [`Induction::question`].
    #[must_use]
    pub fn given(&self) -> Given {
        self.candidates.given()
    }

    /// Returns the induction step as an incremental search, for depths that grow.
    #[must_use]
    pub fn start(&self) -> Steps<'_> {
        Steps {
            candidates: &self.candidates,
            unroller: self.candidates.unroller(),
            encoder: Encoder::new(Cadical::new()),
            distinct: Vec::new(),
        }
    }
}

/// The induction steps of a question for growing depths, in one solver.
pub struct Steps<'a> {
    candidates: &'a Candidates,
    unroller: Unroller<'a>,
    encoder: Encoder<Cadical>,
    /// Pairs of steps whose states are required to differ by clauses.
    distinct: Vec<(usize, usize)>,
}

impl Steps<'_> {
    /// Returns the number of gates in the unrolling of the induction step.
    #[must_use]
    pub fn size(&self) -> usize {
        self.unroller.graph.len()
    }

    /// Tries to prove that the goal is unreachable by induction of depth `k`, in steps. Call with k = 1, 2, 3, …, never smaller than
    /// before.
    pub fn attempt(
        &mut self,
        k: usize,
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> InductionAnswer {
        let question = &self.candidates.question;
        for step in self.unroller.len()..=k {
            if let Some(stop) = budget.stopped() {
                return InductionAnswer::Undecided(stop);
            }
            self.unroller.extend_to(step + 1);
            for &lit in &question.always {
                let lit = self.unroller.at(step, lit);
                self.encoder.require(&self.unroller.graph, &[lit]);
            }
            // Facts hold where `before` does, which may exclude the goal's step.
            let facts = match (question.before.as_slice(), step) {
                ([], _) => Some(step),
                (_, 0) => None,
                (_, _) => Some(step - 1),
            };
            if let Some(step) = facts {
                for lit in self.candidates.hold() {
                    let lit = self.unroller.at(step, lit);
                    self.encoder.require(&self.unroller.graph, &[lit]);
                }
            }
            if step > 0 {
                let not_yet = question.before.iter().copied().chain([!question.goal]);
                for lit in not_yet {
                    let lit = self.unroller.at(step - 1, lit);
                    self.encoder.require(&self.unroller.graph, &[lit]);
                }
            }
        }
        let goal = self.unroller.at(k, question.goal);
        if goal == Lit::FALSE {
            return InductionAnswer::Inductive(self.proof(k));
        }
        let goal = self.encoder.lit(&self.unroller.graph, goal);
        loop {
            match self.encoder.solve(&[goal], conflicts, budget) {
                Answer::Impossible => return InductionAnswer::Inductive(self.proof(k)),
                Answer::Undecided(stop) => return InductionAnswer::Undecided(stop),
                Answer::Possible => {
                    let repeated = self.repeated_states(k);
                    if repeated.is_empty() {
                        return InductionAnswer::NotInductive;
                    }
                    for (i, j) in repeated {
                        self.make_distinct(i, j);
                    }
                }
            }
        }
    }

    fn proof(&self, k: usize) -> Proof {
        Proof {
            k,
            simple_path: !self.distinct.is_empty(),
            facts: self.candidates.facts(),
            facts_depth: 1,
        }
    }

    /// Returns pairs of steps with equal states in the path that the solver found. All steps 0..=k count, since a shortest path to the goal
    /// repeats no state.
    fn repeated_states(&mut self, k: usize) -> Vec<(usize, usize)> {
        let latches = &self.candidates.question.product.aig.latches();
        let indices: Vec<usize> = self.unroller.latches().collect();
        let states: Vec<Vec<bool>> = (0..=k)
            .map(|step| {
                let lits = indices.iter().map(|&i| latches[i].var.lit());
                lits.map(|lit| {
                    let lit = self.unroller.at(step, lit);
                    self.encoder.gate_value(lit)
                })
                .collect()
            })
            .collect();
        let mut repeated = Vec::new();
        for j in 1..=k {
            for i in 0..j {
                if states[i] == states[j] && !self.distinct.contains(&(i, j)) {
                    repeated.push((i, j));
                }
            }
        }
        repeated
    }

    fn make_distinct(&mut self, i: usize, j: usize) {
        let latches = self.candidates.question.product.aig.latches();
        let indices: Vec<usize> = self.unroller.latches().collect();
        let mut clause: Vec<SatLit> = Vec::new();
        for index in indices {
            let lit = latches[index].var.lit();
            let (a, b) = (self.unroller.at(i, lit), self.unroller.at(j, lit));
            let differ = self.unroller.graph.xor(a, b);
            if differ == Lit::TRUE {
                return self.distinct.push((i, j));
            }
            if differ != Lit::FALSE {
                clause.push(self.encoder.lit(&self.unroller.graph, differ));
            }
        }
        self.encoder.add_clause(&clause);
        self.distinct.push((i, j));
    }
}
