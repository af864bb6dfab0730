//! The engines, each behind the trait that the steps of a schedule use. Bounded model checking is separate (`super::attempt`), since it
//! serves all other engines.

use std::rc::Rc;

use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;

use super::engine::{Common, Progress, ReachabilityEngine};
use crate::engines::bmc::Bmc;
use crate::engines::correspondence::Correspondence;
use crate::engines::induction::{Induction, InductionAnswer, by_invariant};
use crate::engines::pdr::{Given, Pdr, Progress as Directed};
use crate::external::{Answer, External};
use crate::schedule::efforts::Effort;
use crate::schedule::reachability::{Method, ReachabilityStep};

/// Signal correspondence: proves signals equal, and merges them into a smaller question.
pub(super) struct Merging;

impl ReachabilityEngine for Merging {
    fn advance(
        &mut self,
        common: &mut Common<'_>,
        step: &ReachabilityStep,
        budget: &Budget,
    ) -> Progress {
        let Method::Correspondence { scope, assumed } = step.method else {
            return Progress::Open;
        };
        let Some(smaller) = Correspondence::find(common.question, scope, assumed, budget) else {
            return Progress::Open;
        };
        let steps = Induction::without_facts(&smaller.question, &smaller.known);
        match prove(&steps, &step.effort, budget) {
            Some(proof) if is_based(&smaller, &proof, &step.effort, budget) => {
                Progress::Unreachable(smaller.proof(proof))
            }
            Some(proof) => Progress::Inductive(smaller.proof(proof)),
            None => Progress::Smaller(Box::new(smaller)),
        }
    }
}

/// Whether the base case of a proof holds: no run of at most `proof.k` steps reaches the goal. The smaller question is searched, so that
/// merged signals need not be proved equal again.
fn is_based(smaller: &Correspondence, proof: &Proof, effort: &Effort, budget: &Budget) -> bool {
    let mut search = Bmc::new(&smaller.question);
    let base = Effort {
        steps: proof.k,
        gates: usize::MAX,
        ..*effort
    };
    search.search(&base, budget).is_none() && search.refuted() >= proof.k
}

/// The search for inductive facts, then k-induction that assumes them.
pub(super) struct Inducing;

impl ReachabilityEngine for Inducing {
    fn advance(
        &mut self,
        common: &mut Common<'_>,
        step: &ReachabilityStep,
        budget: &Budget,
    ) -> Progress {
        if let Method::Facts { conditional } = step.method {
            let (question, known) = (common.question, common.known);
            let conflicts = step.effort.conflicts;
            let facts = Induction::knowing(question, known, conditional, conflicts, budget);
            common.facts = Some(Rc::new(facts));
            return Progress::Open;
        }
        let facts = common.facts.as_ref();
        let proof = facts.and_then(|facts| prove(facts, &step.effort, budget));
        proof.map_or(Progress::Open, Progress::Inductive)
    }
}

/// Tries k-induction with growing depths until one gives a proof; `None` if a limit is reached.
fn prove(induction: &Induction, effort: &Effort, budget: &Budget) -> Option<Proof> {
    let mut steps = induction.start();
    for depth in 1..=effort.steps {
        match steps.attempt(depth, Some(effort.conflicts), budget) {
            InductionAnswer::Inductive(proof) => return Some(proof),
            InductionAnswer::NotInductive if steps.size() < effort.gates => {}
            InductionAnswer::NotInductive | InductionAnswer::Undecided(_) => return None,
        }
    }
    None
}

/// Property-directed reachability (IC3). It starts anew when the known facts have changed.
#[derive(Default)]
pub(super) struct Directing {
    search: Option<(Pdr, Option<Rc<Induction>>)>,
    /// The refuted length when the search ended for good; `None` before.
    over: Option<usize>,
}

impl ReachabilityEngine for Directing {
    fn advance(
        &mut self,
        common: &mut Common<'_>,
        step: &ReachabilityStep,
        budget: &Budget,
    ) -> Progress {
        if self.is_over() {
            return Progress::Open;
        }
        let same = |facts: &Option<Rc<Induction>>| {
            facts.as_ref().map(Rc::as_ptr) == common.facts.as_ref().map(Rc::as_ptr)
        };
        let begun = self.search.take().filter(|(_, facts)| same(facts));
        let (mut pdr, facts) = begun.unwrap_or_else(|| {
            let pdr = match &common.facts {
                Some(known) => Pdr::new(known.question().clone(), &known.given()),
                None => Pdr::new(common.question.clone(), &Given::default()),
            };
            (pdr, common.facts.clone())
        });
        let progress = pdr.advance(step.effort.calls, budget);
        let refuted = pdr.refuted();
        match progress {
            Directed::Undecided(_) => {
                self.search = Some((pdr, facts));
                Progress::Open
            }
            Directed::Reached(found) => {
                self.over = Some(refuted);
                Progress::Reached(found)
            }
            Directed::Unreachable(clauses) => {
                self.over = Some(refuted);
                by_invariant(common.question, facts.as_deref(), &clauses)
                    .map_or(Progress::Open, Progress::Unreachable)
            }
        }
    }

    fn refuted(&self) -> usize {
        let searched = self.search.as_ref().map(|(pdr, _)| pdr.refuted());
        self.over.or(searched).unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.over.is_some()
    }
}

/// External model checkers as an engine. Each is asked once.
pub(super) struct Asking<'a> {
    others: &'a External,
    /// Whether the engines of this package continue after them, and so need time.
    goes_on: bool,
    asked: bool,
}

impl<'a> Asking<'a> {
    pub(super) fn new(others: &'a External, goes_on: bool) -> Asking<'a> {
        Asking {
            others,
            goes_on,
            asked: false,
        }
    }
}

impl ReachabilityEngine for Asking<'_> {
    fn advance(
        &mut self,
        common: &mut Common<'_>,
        _: &ReachabilityStep,
        budget: &Budget,
    ) -> Progress {
        self.asked = true;
        let facts = common.facts.as_deref();
        let answer = match facts {
            Some(known) => {
                let equal = known.given().equal;
                self.others
                    .ask(known.question(), &equal, self.goes_on, budget)
            }
            None => self.others.ask(common.question, &[], self.goes_on, budget),
        };
        match answer {
            Some(Answer::Reached(found)) => Progress::Reached(found),
            Some(Answer::Unreachable(clauses)) => {
                match by_invariant(common.question, facts, &clauses) {
                    // A proof without clauses owes nothing to the external checker.
                    Some(proof) if clauses.is_empty() => Progress::Unreachable(proof),
                    Some(proof) => {
                        self.others.proved(&proof);
                        Progress::Unreachable(proof)
                    }
                    None => Progress::Open,
                }
            }
            None => Progress::Open,
        }
    }

    fn is_over(&self) -> bool {
        self.asked
    }
}
