//! Speculation on latches: all latches of two copies, with some exceptions, are assumed equal. The smaller product is asked whether they
//! stay equal.
//!
//! Speculative reduction (Mony, Baumgartner, Mishchenko, Brayton, "Speculative reduction-based scalable redundancy identification", DATE
//! 2009), with IC3 in place of the induction of signal correspondence. A mutant may change registers that are overwritten before they are
//! read. Then no set of equalities is inductive by itself. The equality of all other latches is inductive together with a small invariant:
//! the conditions under which the differing latches are read.
//!
//! Nodes that are equal in every state with equal latches need no invariant, and are merged first. For most mutants that only rewrite an
//! expression, nothing remains to prove.

mod abstraction;
mod anywhere;
mod starts;

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::{Fact, Proof, Site};

use super::classes::Classes;
use super::{reduction, sites};
use crate::engines::induction::{by_invariant, shared};
use crate::engines::pdr::{Given, Pdr, Progress};
use crate::question::{Found, Reachability};
pub use crate::schedule::efforts::Precision;
use abstraction::Abstraction;
use starts::starts_equal;

/// The result of the question whether two copies agree if most of their latches are assumed equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The latches stay equal, and the goal is not reached. Not yet certified.
    Proved(Proof),
    /// After this run some latches that were assumed equal differ, or at its end the goal holds. If differences were abstracted, the run
    /// may be spurious.
    Apart(Found),
    /// A limit ended the question.
    Open,
}

/// A reachability question with equal latches of its two copies merged, and with the nodes that are then equal. Its goal is also reached
/// when merged latches do not stay equal.
pub struct TakenForEqual {
    question: Reachability,
    /// For each latch of the circuit whether it may differ.
    apart: Vec<bool>,
    /// Facts for the proof: nodes that are equal in both copies whenever the latches are.
    facts: Vec<Fact>,
}

impl TakenForEqual {
    /// Assumes all latches with equal first values to be equal, except the latches that are `apart`, by index in the circuit. `None` if the
    /// question is not about two copies, or if a limit came first.
    #[must_use]
    pub fn new(question: &Reachability, apart: &[bool], budget: &Budget) -> Option<TakenForEqual> {
        if question.product.copies.len() != 2 || !question.before.is_empty() {
            return None;
        }
        let assumed = reduction::assume(question, &equal_latches(question, apart));
        let nodes = anywhere::equal_nodes(&assumed.question, budget)?;
        let reduced = assumed.reduced(&nodes);
        let names = sites(&assumed.question);
        let site = |lit: Lit| {
            let site = names[lit.var().index()]?;
            let lit = site.lit ^ lit.is_negated();
            Some(Site { lit, ..site })
        };
        let pairs = nodes.pairs(&assumed.question.product.aig).into_iter();
        let facts = pairs.map(|pair| {
            let sites = [site(pair.representative)?, site(pair.member)?];
            Some(Fact::Equal(sites))
        });
        Some(TakenForEqual {
            facts: facts.collect::<Option<_>>()?,
            question: reduced.question,
            apart: apart.to_vec(),
        })
    }

    /// Asks whether the latches stay equal and the goal is not reached, with at most `effort` solver calls and conflicts.
    #[must_use]
    pub fn ask(&self, precision: Precision, effort: u64, budget: &Budget) -> Taken {
        if self.question.goal == Lit::FALSE {
            return Taken::Proved(self.proof(Vec::new()));
        }
        match precision {
            Precision::FromAnyState => self.abstracted(true, effort, budget),
            Precision::FromFirstStates => self.abstracted(false, effort, budget),
            Precision::Values => self.directed(effort, budget),
        }
    }

    /// Returns the proof that consists of these clauses, the equalities of nodes, and the latches that both copies share.
    fn proof(&self, clauses: Vec<Fact>) -> Proof {
        let mut facts = shared(&self.question);
        facts.extend(self.facts.iter().cloned());
        facts.extend(clauses);
        Proof {
            k: 1,
            simple_path: false,
            facts,
            facts_depth: 1,
        }
    }

    fn directed(&self, effort: u64, budget: &Budget) -> Taken {
        let mut search = Pdr::new(self.question.clone(), &Given::default());
        match search.advance(effort, budget) {
            Progress::Reached(found) => Taken::Apart(found),
            Progress::Undecided(_) => Taken::Open,
            Progress::Unreachable(clauses) => {
                let Some(mut proof) = by_invariant(&self.question, None, &clauses) else {
                    return Taken::Open;
                };
                proof.facts.extend(self.facts.iter().cloned());
                Taken::Proved(proof)
            }
        }
    }

    fn abstracted(&self, from_any_state: bool, effort: u64, budget: &Budget) -> Taken {
        let abstraction = Abstraction::new(&self.question, &self.apart, from_any_state);
        let Some(abstraction) = abstraction else {
            // No latch is excepted, so there is nothing to abstract.
            return Taken::Open;
        };
        let mut search = Pdr::new(abstraction.question.clone(), &Given::default());
        match search.advance(effort, budget) {
            Progress::Reached(found) => Taken::Apart(found),
            Progress::Undecided(_) => Taken::Open,
            Progress::Unreachable(clauses) => {
                let clauses = abstraction.facts(&clauses);
                clauses.map_or(Taken::Open, |clauses| Taken::Proved(self.proof(clauses)))
            }
        }
    }
}

/// Returns, as classes, the pairs of latches with the same first value in both copies, without those that are `apart`.
fn equal_latches(question: &Reachability, apart: &[bool]) -> Classes {
    let product = &question.product;
    let latches = product.aig.latches();
    let [first, second] = [0, 1].map(|copy| &product.copies[copy].latches);
    let mut signed = Vec::new();
    for (index, pair) in first.iter().zip(second).enumerate() {
        let (&Some(a), &Some(b)) = pair else {
            continue;
        };
        if a != b && !apart[index] && starts_equal(question, a, b) {
            let class = index as u128;
            signed.extend([(class, latches[a].var.lit()), (class, latches[b].var.lit())]);
        }
    }
    Classes::new(&product.aig, signed)
}
