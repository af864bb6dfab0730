//! Signal correspondence: finds nodes of a product that are equal, complementary or constant in every reachable step, by induction over all
//! of them at once, and returns the reduced product.
//!
//! C. A. J. van Eijk, "Sequential equivalence checking based on structural similarities" (IEEE TCAD 19(7), 2000), with the
//! speculative reduction of Mony, Baumgartner, Mishchenko, Brayton, "Speculative reduction-based scalable redundancy identification"
//! (DATE 2009). Candidates are nodes that are equal in all random runs, in one copy or in different ones. The classes are assumed in one
//! step, or several in a row, checked in the next step, and refined by counterexamples until none is left.
//!
//! Assumptions about a step are used for later steps only, never for the step itself. So classes hold in every step that runs reach,
//! whether the step exists or not, and replacing nodes neither adds nor removes a run of the question. Questions with assumptions that hold
//! only before the goal are not reduced, because the certifier knows no facts in their goal's step.
//!
//! Each class is returned as a [`Fact`] of the proof, which `certify` checks.

mod classes;
mod difference;
mod latches;
mod reduction;
mod speculation;
mod sweep;

use rustc_hash::FxHashSet;

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Lit, Reset, Var};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::{Fact, Proof, Site};

use crate::engines::encode::{Start, Unroller};
use crate::engines::induction::{WORDS, random_runs, shared};
use crate::question::Reachability;
use crate::schedule::engine_efforts::{CORRESPONDENCE_CALLS, CORRESPONDENCE_CONFLICTS};
pub use crate::schedule::reachability::Scope;
use classes::Classes;
pub use latches::{Precision, Taken, TakenForEqual};
use speculation::Speculation;
use sweep::{Effort, UnrolledStep, sweep};

/// A question, its reduced form and the facts behind the reduction.
#[derive(Clone, Debug)]
pub struct Correspondence {
    /// The question with nodes replaced. Its goal is reachable in a number of steps iff the original question's goal is.
    pub question: Reachability,
    /// The facts that the reduction relies on; together they are inductive.
    pub facts: Vec<Fact>,
    /// The depth of the induction: the number of consecutive steps in which the facts are assumed. They hold in that many first steps.
    pub depth: usize,
    /// Literals of the question that the facts make true in every step, as hints for proofs.
    pub known: Vec<Lit>,
}

impl Correspondence {
    /// Returns the question reduced by the largest classes of equal nodes found that are inductive with depth `depth`. `None` if no class
    /// is found, if a class cannot be stated as facts about the circuit, or if a limit came first.
    #[must_use]
    pub fn find(
        question: &Reachability,
        scope: Scope,
        depth: usize,
        budget: &Budget,
    ) -> Option<Correspondence> {
        let search = Matching::new(question, scope, depth, budget)?;
        let classes = search.inductive()?;
        let aig = &question.product.aig;
        let pairs = classes.pairs(aig);
        let facts = pairs.iter().filter_map(|pair| {
            let member = search.site(pair.member)?;
            let representative = search.site(pair.representative)?;
            Some(Fact::Equal([representative, member]))
        });
        let mut facts: Vec<Fact> = facts.collect();
        if facts.is_empty() || facts.len() < pairs.len() {
            return None;
        }
        // A fact about a node refers to all copies that share it.
        facts.extend(shared(question));
        let reduced = reduction::reduce(question, &classes);
        Some(Correspondence {
            question: reduced.question,
            facts,
            depth,
            known: reduced.known,
        })
    }

    /// Returns a proof about the smaller question as a proof about the original one, with the merged classes as facts.
    #[must_use]
    pub fn proof(&self, mut proof: Proof) -> Proof {
        proof.facts.extend(self.facts.iter().cloned());
        proof.facts_depth = proof.facts_depth.max(self.depth);
        let mut named = FxHashSet::default();
        proof.facts.retain(|fact| named.insert(fact.clone()));
        proof
    }
}

/// The search for inductive classes of equal nodes in one question.
struct Matching<'a> {
    question: &'a Reachability,
    /// The number of consecutive steps in which classes are assumed.
    depth: usize,
    budget: &'a Budget,
    /// For each node of the product a literal of the circuit that it implements, with its copy; `None` for nodes of no copy.
    sites: Vec<Option<Site>>,
    /// The nodes, as literals, that may be in a class.
    candidates: Vec<Lit>,
    /// The cone of influence of the question.
    cone: Cone,
    /// The question's assumptions that read constant latches only: they hold in every step if they hold in the first.
    rigid: Vec<Lit>,
}

impl<'a> Matching<'a> {
    fn new(
        question: &'a Reachability,
        scope: Scope,
        depth: usize,
        budget: &'a Budget,
    ) -> Option<Matching<'a>> {
        if !question.before.is_empty() {
            return None;
        }
        let aig = &question.product.aig;
        let cone = Cone::sequential(aig, question.roots());
        let (rigid, fixed) = rigid(question);
        let mut search = Matching {
            question,
            depth,
            budget,
            sites: sites(question),
            candidates: Vec::new(),
            cone,
            rigid,
        };
        search.candidates = aig
            .nodes()
            .filter(|&(var, node)| {
                let wanted = match node {
                    Node::False | Node::Latch(_) => true,
                    Node::Input(_) | Node::And(..) => scope == Scope::Nodes,
                };
                let known = search.sites[var.index()].is_some();
                // Nodes in rigid assumptions are not replaced, since the assumptions would be lost.
                let free = var == Lit::FALSE.var() || !fixed.contains(var);
                wanted && known && free && (search.cone.contains(var) || node == Node::False)
            })
            .map(|(var, _)| var.lit())
            .collect();
        Some(search)
    }

    /// Returns the largest set of equalities among the candidates that the search finds inductive; `None` if a limit came first.
    fn inductive(&self) -> Option<Classes> {
        let mut classes = self.equal_in_random_runs();
        let mut effort = Effort {
            conflicts: CORRESPONDENCE_CONFLICTS,
            calls: CORRESPONDENCE_CALLS,
        };
        for step in 0..self.depth {
            self.check_initially(step, &mut classes, &mut effort)?;
        }
        while self.check_kept(&mut classes, &mut effort)? {}
        Some(classes)
    }

    /// Returns the candidates in classes by a hash of their values in random runs, up to complement. The solver later separates hash
    /// collisions.
    fn equal_in_random_runs(&self) -> Classes {
        let mut signatures = vec![0u128; self.candidates.len()];
        let mut flips: Vec<Option<u64>> = vec![None; self.candidates.len()];
        random_runs(self.question, &self.candidates, |lanes, alive| {
            for (i, &lit) in self.candidates.iter().enumerate() {
                let words: [u64; WORDS] = lanes.value(lit);
                // Complemented so that the first value is false.
                let flip = *flips[i].get_or_insert_with(|| (words[0] & 1).wrapping_neg());
                for (word, alive) in words.into_iter().zip(alive.before) {
                    let seen = u128::from((word ^ flip) & alive);
                    signatures[i] = (signatures[i].rotate_left(29) ^ seen).wrapping_mul(MIX);
                }
            }
        });
        let signed = self.candidates.iter().zip(flips).zip(signatures);
        let signed = signed.map(|((&lit, flip), signature)| (signature, lit ^ (flip != Some(0))));
        Classes::new(&self.question.product.aig, signed)
    }

    /// Splits classes whose members may differ in the state after `step` steps from an initial state. Returns whether a class was split;
    /// `None` if a limit came first.
    fn check_initially(
        &self,
        step: usize,
        classes: &mut Classes,
        effort: &mut Effort,
    ) -> Option<bool> {
        let product = &self.question.product;
        let always = &self.question.always;
        let mut roots = self.candidates.clone();
        roots.extend(always);
        let mut unroller = Unroller::new(product, &roots, Start::Reset);
        unroller.extend_to(step + 1);
        let mut assumed: Vec<Lit> = self.rigid.iter().map(|&lit| unroller.at(0, lit)).collect();
        for before in 0..step {
            assumed.extend(always.iter().map(|&lit| unroller.at(before, lit)));
        }
        let nodes = product.aig.nodes().map(|(var, _)| {
            let contained = unroller.contains(var) || var == Lit::FALSE.var();
            contained.then(|| unroller.at(step, var.lit()))
        });
        let step = UnrolledStep {
            nodes: nodes.collect(),
            graph: &mut unroller.graph,
            assumed: &assumed,
        };
        sweep(&product.aig, step, classes, effort, self.budget)
    }

    /// Splits classes whose members may differ in a step that follows `depth` arbitrary steps in which all classes hold. Returns whether a
    /// class was split; `None` if a limit came first.
    fn check_kept(&self, classes: &mut Classes, effort: &mut Effort) -> Option<bool> {
        if fault::planted(Fault::UncheckedFacts) {
            return Some(false);
        }
        let aig = &self.question.product.aig;
        let mut steps = Speculation::new(self.question, &self.cone, classes, self.depth);
        let nodes = aig.nodes().map(|(var, _)| {
            let contained = self.cone.contains(var) || var == Lit::FALSE.var();
            contained.then(|| steps.checked(var.lit()))
        });
        let step = UnrolledStep {
            nodes: nodes.collect(),
            graph: &mut steps.graph,
            assumed: &steps.assumed,
        };
        sweep(aig, step, classes, effort, self.budget)
    }

    /// Returns the circuit's literal that a literal of the product implements, in the earliest copy that has it; `None` if no copy has it.
    fn site(&self, lit: Lit) -> Option<Site> {
        let site = self.sites[lit.var().index()]?;
        Some(Site {
            copy: site.copy,
            lit: site.lit ^ lit.is_negated(),
        })
    }
}

/// An odd multiplier for hashing, with bits set in all positions.
const MIX: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// Returns for each node of the product the circuit literal that it implements, in the earliest copy that has it.
fn sites(question: &Reachability) -> Vec<Option<Site>> {
    let product = &question.product;
    let mut sites: Vec<Option<Site>> = vec![None; product.aig.len()];
    for (copy, parts) in product.copies.iter().enumerate().rev() {
        for (index, lit) in parts.nodes.iter().enumerate().rev() {
            if let Some(lit) = lit {
                sites[lit.var().index()] = Some(Site {
                    copy,
                    lit: Var::new(index).lit() ^ lit.is_negated(),
                });
            }
        }
    }
    sites[0] = Some(Site {
        copy: 0,
        lit: Lit::FALSE,
    });
    sites
}

/// Returns the assumptions that read constant latches only, and the cone of all nodes that they read.
fn rigid(question: &Reachability) -> (Vec<Lit>, Cone) {
    let aig = &question.product.aig;
    let mut constant = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        constant[var.index()] = match node {
            Node::False => true,
            Node::Input(_) => false,
            Node::Latch(i) => {
                let latch = &aig.latches()[i as usize];
                latch.next == var.lit() && latch.reset == Reset::Free
            }
            Node::And(a, b) => constant[a.var().index()] && constant[b.var().index()],
        };
    }
    let always = question.always.iter().copied();
    let rigid: Vec<Lit> = always.filter(|lit| constant[lit.var().index()]).collect();
    let fixed = Cone::combinational(aig, rigid.iter().copied());
    (rigid, fixed)
}
