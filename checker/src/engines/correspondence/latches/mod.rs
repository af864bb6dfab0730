//! Latches of two copies taken for equal, all but some; and whether they stay equal, asked of the smaller product that this leaves.
//!
//! Speculative reduction (Mony, Baumgartner, Mishchenko, Brayton, "Speculative reduction-based scalable redundancy identification",
//! DATE 2009), with IC3 where signal correspondence has induction. A mutant may change registers whose contents nobody
//! looks at before they are written again. Then no set of equalities is inductive; but "all others are equal" is, together with an
//! invariant on when those that differ are looked at, which is small.
//!
//! Nodes that are equal in every state in which the latches are need no invariant: they are merged first. What is left of most mutants
//! that change only how something is written down is nothing.

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

/// What has come of taking latches for equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// They stay equal, and the goal is not reached. Not yet certified.
    Proved(Proof),
    /// After this run some are not, or at its end the goal holds; if differences were abstracted, that is a guess.
    Apart(Found),
    /// Nothing was found out.
    Open,
}

/// A question with latches of its two copies merged, and nodes that are equal where these are. Its goal is also reached when latches that
/// were merged do not stay equal.
pub struct TakenForEqual {
    question: Reachability,
    /// The latches of the circuit that may differ, by index.
    apart: Vec<bool>,
    /// That nodes are equal where the latches are.
    facts: Vec<Fact>,
}

impl TakenForEqual {
    /// Takes all latches for equal that start so but those of the circuit that are `apart`, by index. `None` if this is no question about
    /// two copies, or if a limit came first.
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

    /// Whether they stay equal, and the goal is not reached: at most so many solver calls and conflicts.
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

    /// The proof that these clauses give, which hold with the equalities.
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
            // Nothing is apart, and there is nothing to abstract from.
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

/// The latches that have the same first value in both copies, but for those that are apart.
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
