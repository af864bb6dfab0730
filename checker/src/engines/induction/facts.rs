//! Inductive facts about a product: equalities between corresponding nodes of the two copies, and equalities
//! under a condition (van Eijk's signal correspondence, restricted to pairs that the self-composition suggests).
//!
//! Candidates are assumed at one step and checked at the next; failing ones are dropped until a fixpoint. Equal latches are merged in the
//! unrolling instead of being assumed, so that most of the second copy disappears by structural hashing.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Product;
use hyperkill_core::{Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::Fact;
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use super::observe::{Neighbours, Observations};
use crate::engines::encode::{Encoder, Start, Unroller};
use crate::engines::pdr::Given;
use crate::question::Reachability;
use crate::schedule::engine_efforts::{
    FACT_CONDITIONAL_EQUALITIES, FACT_CONDITIONS, FACT_CONDITIONS_BORROWED, FACT_PREDICATES,
};

/// A candidate fact about two copies, with a literal of the product that states it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) fact: Fact,
    /// The literal of the product that is true iff the fact holds.
    pub(crate) holds: Lit,
    /// For the equality of two latches: the index of the latch to replace, and the literal that replaces it.
    merge: Option<(usize, Lit)>,
}

/// Candidate facts, and the question's graph extended by the gates that state them.
pub(crate) struct Candidates {
    pub(crate) question: Reachability,
    pub(crate) live: Vec<Candidate>,
    /// Facts that name the latches that the copies share in the product; see [`shared`].
    pub(crate) shared: Vec<Fact>,
    /// Literals of the product that are known to be true in every step.
    known: Vec<Lit>,
}

/// An equality: the two copies, the node of the circuit, and the literal of the product that states that it has the same value in both.
type Equality = ([usize; 2], Var, Lit);

/// A condition: a literal of the circuit, and the product's literal for it.
type Condition = (Lit, Lit);

impl Candidates {
    /// Returns the candidate facts: equalities of corresponding nodes of two copies that hold in all random runs and that are not one
    /// literal already. With `conditional`, latches that differ in some runs are candidates too, under conditions in which they are equal.
    ///
    /// If the budget ends, the remaining pairs of nodes are no candidates.
    pub(crate) fn new(
        question: &Reachability,
        known: &[Lit],
        conditional: bool,
        budget: &Budget,
    ) -> Candidates {
        let mut question = question.clone();
        let candidates = equalities(&mut question);
        let conditions = if conditional {
            state_predicates(&question.product)
        } else {
            Vec::new()
        };
        let first_condition = candidates.len();
        let watched = candidates.iter().map(|(_, _, candidate)| candidate.holds);
        let watched = watched.chain(conditions.iter().map(|&(_, lit)| lit));
        let watched: Vec<Lit> = watched.collect();
        let seen = Observations::of(&question, &watched);
        let mut live = Vec::new();
        let mut under_conditions = Conditional::default();
        for (index, (copies, var, candidate)) in candidates.into_iter().enumerate() {
            if budget.stopped().is_some() {
                break;
            }
            if candidate.merge.is_some() {
                let equality = (copies, var, candidate.holds);
                if seen.always(index) {
                    under_conditions.never_seen_different.push(equality);
                } else {
                    let found = conditions_for(&seen, index, first_condition, &conditions);
                    under_conditions.add(equality, found);
                }
            }
            if seen.always(index) {
                live.push(candidate);
            }
        }
        for ((copies, var, holds), (condition, lit)) in under_conditions.listed() {
            live.push(Candidate {
                fact: Fact::SameUnless(copies, var, condition),
                holds: question.product.aig.or(holds, lit),
                merge: None,
            });
        }
        let shared = shared(&question);
        Candidates {
            question,
            live,
            shared,
            known: known.to_vec(),
        }
    }

    /// Returns candidates without equalities: only the shared latches and the known literals.
    pub(crate) fn none(question: &Reachability, known: &[Lit]) -> Candidates {
        Candidates {
            question: question.clone(),
            live: Vec::new(),
            shared: shared(question),
            known: known.to_vec(),
        }
    }

    /// Returns the facts of a proof: the latches that the copies share, and all remaining candidates.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let live = self.live.iter().map(|candidate| &candidate.fact);
        self.shared.iter().chain(live).cloned().collect()
    }

    /// Returns the remaining candidates as literals of the graph of [`Candidates::question`], for other engines that assume them.
    pub(crate) fn given(&self) -> Given {
        Given {
            holds: self.hold().collect(),
            equal: self.live.iter().filter_map(|c| c.merge).collect(),
        }
    }

    /// Returns the literals of the product that state the remaining candidates, and the known literals.
    pub(crate) fn hold(&self) -> impl Iterator<Item = Lit> + '_ {
        let live = self.live.iter().map(|candidate| candidate.holds);
        live.chain(self.known.iter().copied())
    }

    /// Returns the roots of unrollings: the question, all remaining candidates and the complete state. Simple paths compare all latches
    /// that any variant of the model could need, because the certifier does not simplify and compares the same state.
    pub(crate) fn roots(&self) -> Vec<Lit> {
        let mut roots = self.question.roots();
        roots.extend(self.hold());
        let latches = self.question.product.aig.latches().iter();
        roots.extend(latches.map(|latch| latch.var.lit()));
        roots
    }

    /// Returns an unrolling that starts in any state in which the remaining equalities of latches hold.
    pub(crate) fn unroller(&self) -> Unroller<'_> {
        let mut unroller = Unroller::new(&self.question.product, &self.roots(), Start::Anywhere);
        unroller.merge_at_start(self.live.iter().filter_map(|c| c.merge));
        unroller
    }

    /// Drops candidates that may fail in the first step of a run. Returns `false` if a limit ended the check.
    pub(crate) fn check_initially(&mut self, effort: &mut Effort, budget: &Budget) -> bool {
        let question = &self.question;
        let mut unroller = Unroller::new(&question.product, &self.roots(), Start::Reset);
        unroller.extend_to(1);
        let assumed = question.always.iter().chain(&question.before);
        let assumed = assumed.chain(&self.known);
        let assumed: Vec<Lit> = assumed.map(|&lit| unroller.at(0, lit)).collect();
        let keep = refute(&unroller, &assumed, 0, &self.live, effort, budget);
        retain(&mut self.live, keep)
    }

    /// Drops candidates that may fail after a step in which all remaining ones hold, until a fixpoint. Returns `false` if a limit ended the
    /// check; then no candidate is proved.
    pub(crate) fn check_kept(&mut self, effort: &mut Effort, budget: &Budget) -> bool {
        if fault::planted(Fault::UncheckedFacts) {
            return true;
        }
        loop {
            let mut unroller = self.unroller();
            unroller.extend_to(2);
            let always = self.question.always.iter().chain(&self.question.before);
            let mut assumed: Vec<Lit> = always
                .chain(&self.known)
                .flat_map(|&lit| [unroller.at(0, lit), unroller.at(1, lit)])
                .collect();
            assumed.extend(self.live.iter().map(|c| unroller.at(0, c.holds)));
            let keep = refute(&unroller, &assumed, 1, &self.live, effort, budget);
            let before = self.live.len();
            if !retain(&mut self.live, keep) {
                return false;
            }
            if self.live.len() == before {
                return true;
            }
        }
    }
}

/// Returns facts that name the latches that two copies share in the product. A proof must name them, since the certifier's product shares
/// nothing.
pub(crate) fn shared(question: &Reachability) -> Vec<Fact> {
    let copies = &question.product.copies;
    let mut shared = Vec::new();
    for (later, copy) in copies.iter().enumerate() {
        for (earlier, other) in copies[..later].iter().enumerate() {
            for (index, pair) in other.nodes.iter().zip(&copy.nodes).enumerate() {
                let (Some(a), Some(b)) = pair else { continue };
                if a == b && matches!(question.product.aig.node(a.var()), Node::Latch(_)) {
                    shared.push(Fact::same([earlier, later], Var::new(index)));
                }
            }
        }
    }
    shared
}

/// The remaining limits of the search for facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Limit on conflicts of each solver call.
    pub(crate) conflicts: u32,
    /// Solver calls that are left.
    pub(crate) calls: u32,
}

/// Returns for each candidate whether it holds at this step in all assignments that satisfy the assumptions; `None` if a limit ended the
/// check.
fn refute(
    unroller: &Unroller<'_>,
    assumed: &[Lit],
    step: usize,
    candidates: &[Candidate],
    effort: &mut Effort,
    budget: &Budget,
) -> Option<Vec<bool>> {
    let mut encoder = Encoder::new(Cadical::new());
    for &lit in assumed {
        encoder.require(&unroller.graph, &[lit]);
    }
    let mut keep = vec![true; candidates.len()];
    let at: Vec<Lit> = candidates
        .iter()
        .map(|candidate| unroller.at(step, candidate.holds))
        .collect();
    let mut open: Vec<usize> = Vec::new();
    for (i, &lit) in at.iter().enumerate() {
        match lit.as_constant() {
            Some(holds) => keep[i] = holds,
            None => open.push(i),
        }
    }
    let mut neighbours = Neighbours::new(&unroller.graph, assumed, &at);
    loop {
        if open.is_empty() {
            return Some(keep);
        }
        effort.calls = effort.calls.checked_sub(1)?;
        let violated = encoder.fresh();
        let mut clause = vec![!violated];
        for &i in &open {
            clause.push(!encoder.lit(&unroller.graph, at[i]));
        }
        encoder.add_clause(&clause);
        match encoder.solve(&[violated], Some(effort.conflicts), budget) {
            Answer::Possible => {
                // The neighbours of one counterexample refute further candidates.
                neighbours.visit(&unroller.graph, |input| encoder.gate_value(input));
                let before = open.len();
                open.retain(|&i| {
                    let holds = encoder.gate_value(at[i]) && !neighbours.violate(i);
                    keep[i] &= holds;
                    holds
                });
                debug_assert!(open.len() < before);
                encoder.add_clause(&[!violated]);
            }
            Answer::Impossible => return Some(keep),
            Answer::Undecided(_) => return None,
        }
    }
}

fn retain(live: &mut Vec<Candidate>, keep: Option<Vec<bool>>) -> bool {
    let Some(keep) = keep else { return false };
    let mut keep = keep.into_iter();
    live.retain(|_| keep.next().unwrap_or(false));
    true
}

/// Returns a candidate for each pair of corresponding nodes that are not one literal already, with the copies and the node. Each pair of
/// literals comes once, although it may implement many nodes of the circuit.
fn equalities(question: &mut Reachability) -> Vec<([usize; 2], Var, Candidate)> {
    let mut pairs: Vec<([usize; 2], Var, Lit, Lit)> = Vec::new();
    for (later, copy) in question.product.copies.iter().enumerate() {
        for (earlier, other) in question.product.copies[..later].iter().enumerate() {
            let copies = [earlier, later];
            let related = question.related.contains(&copies);
            for (index, pair) in other.nodes.iter().zip(&copy.nodes).enumerate() {
                let (Some(a), Some(b)) = pair else { continue };
                if a != b && related {
                    pairs.push((copies, Var::new(index), *a, *b));
                }
            }
        }
    }
    let mut stated = FxHashSet::default();
    let mut candidates = Vec::new();
    for (copies, var, a, b) in pairs {
        let holds = question.product.aig.iff(a, b);
        if stated.insert(holds) {
            let merge = merge_of(&question.product, a, b);
            let fact = Fact::same(copies, var);
            candidates.push((copies, var, Candidate { fact, holds, merge }));
        }
    }
    candidates
}

/// Equalities of latches under conditions, collected before they become candidates.
#[derive(Default)]
struct Conditional {
    found: Vec<(Equality, Condition)>,
    /// The number of equalities found for each condition.
    used: BTreeMap<Condition, usize>,
    /// Equalities of latches that no random run violates.
    never_seen_different: Vec<Equality>,
}

impl Conditional {
    fn add(&mut self, equality: Equality, conditions: Vec<Condition>) {
        for condition in conditions {
            *self.used.entry(condition).or_default() += 1;
            self.found.push((equality, condition));
        }
    }

    /// Returns the conditional equalities found, followed by latches that no run distinguishes, each under the most frequent conditions.
    /// For example, the high bits of a timer may differ only after longer runs, under the conditions of its low bits.
    fn listed(self) -> Vec<(Equality, Condition)> {
        let used = self.used.into_iter();
        let mut used: Vec<(usize, Condition)> = used.map(|(c, n)| (n, c)).collect();
        used.sort_by_key(|&(count, condition)| (std::cmp::Reverse(count), condition));
        used.truncate(FACT_CONDITIONS_BORROWED);
        let mut listed = self.found;
        for equality in self.never_seen_different {
            listed.extend(used.iter().map(|&(_, condition)| (equality, condition)));
        }
        listed.truncate(FACT_CONDITIONAL_EQUALITIES);
        listed
    }
}

/// Returns the nodes that depend on the state only, as possible conditions: (variable of the circuit, literal of the product in the first
/// copy).
fn state_predicates(product: &Product) -> Vec<(Var, Lit)> {
    let mut of_state = vec![false; product.aig.len()];
    for (var, node) in product.aig.nodes() {
        of_state[var.index()] = match node {
            Node::False | Node::Input(_) => false,
            Node::Latch(_) => true,
            Node::And(a, b) => of_state[a.var().index()] && of_state[b.var().index()],
        };
    }
    let mut stated = FxHashSet::default();
    product.copies[0]
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(index, lit)| Some((Var::new(index), (*lit)?)))
        .filter(|(_, lit)| of_state[lit.var().index()] && stated.insert(lit.var()))
        .take(FACT_PREDICATES)
        .collect()
}

/// Returns the rarest conditions that held wherever the pair of nodes `pair` (an index of watched literals) differed. `first` is the index
/// of the first condition among the watched literals.
fn conditions_for(
    seen: &Observations,
    pair: usize,
    first: usize,
    conditions: &[(Var, Lit)],
) -> Vec<Condition> {
    let mut covering: Vec<(u32, usize, bool)> = Vec::new();
    for position in 0..conditions.len() {
        for negated in [false, true] {
            let count = seen.count(first + position, negated);
            if count < seen.total() && seen.covers(pair, first + position, negated) {
                covering.push((count, position, negated));
            }
        }
    }
    covering.sort_unstable();
    covering.truncate(FACT_CONDITIONS);
    covering
        .into_iter()
        .map(|(_, position, negated)| {
            let (var, lit) = conditions[position];
            (var.lit() ^ negated, lit ^ negated)
        })
        .collect()
}

/// Returns how to merge two literals that are latches of the product: the index of the younger latch, and the literal that replaces it.
/// `None` for other literals.
fn merge_of(product: &Product, a: Lit, b: Lit) -> Option<(usize, Lit)> {
    let latch = |lit: Lit| match product.aig.node(lit.var()) {
        Node::Latch(i) => Some(i as usize),
        _ => None,
    };
    match (latch(a), latch(b)) {
        (Some(x), Some(y)) if x < y => Some((y, a ^ b.is_negated())),
        (Some(x), Some(_)) => Some((x, b ^ a.is_negated())),
        _ => None,
    }
}
