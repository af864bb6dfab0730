//! Abstracts the latches that differ between two copies to one bit, "some of them differ". Their values become free; they are equal in both
//! copies while the bit is 0.
//!
//! The abstraction over-approximates the reachable pairs of states, so its proofs hold for the concrete values. The size of the invariant
//! depends on the conditions under which the latches are read, and not on the number of latches.

use hyperkill_core::aig::{Images, Leaf, Reset};
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::{Aig, Lit};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::Fact;
use hyperkill_evidence::question::StateBit;

use super::starts::starts_equal;
use crate::engines::correspondence::difference::Differences;
use crate::engines::pdr::Clause;
use crate::question::Reachability;
use crate::schedule::engine_efforts::ABSTRACTION_CLAUSES;

/// A question in which the latches that may differ between the copies are abstracted to one latch, "some of them differ".
pub(super) struct Abstraction {
    pub(super) question: Reachability,
    /// The index of the latch "some of the abstracted latches differ".
    differ: usize,
    /// The latches of the circuit that are abstracted, by index.
    apart: Vec<usize>,
}

impl Abstraction {
    /// Returns the abstraction of the latches that are `apart` (by circuit index) or start differently. With `from_any_state`, all states
    /// with equal latches are initial. `None` if there is no such latch.
    pub(super) fn new(
        question: &Reachability,
        apart: &[bool],
        from_any_state: bool,
    ) -> Option<Abstraction> {
        let source = &question.product.aig;
        let [first, second] = [0, 1].map(|copy| &question.product.copies[copy].latches);
        let mut pairs = Vec::new();
        let mut apart_with = vec![None; source.latches().len()];
        for (index, pair) in first.iter().zip(second).enumerate() {
            if let (&Some(a), &Some(b)) = pair
                && a != b
                && (apart[index] || !starts_equal(question, a, b))
            {
                pairs.push((index, a, b));
                apart_with[a] = Some(b);
                apart_with[b] = Some(a);
            }
        }
        if pairs.is_empty() {
            return None;
        }
        // Latches keep their indices; the new latch comes after them.
        let differ = source.latches().len();
        let mut builder = Builder::new(question, apart_with, from_any_state);
        // While no latch differs, most nodes of the copies are the same gate. One circuit for both cases would hide that.
        let cases = [false, true].map(|differ| builder.case(source, differ));
        let differs = builder.differs;
        let aig = &mut builder.aig;
        let [equal, different] = &cases;
        let mut either = |lit: Lit| aig.ite(differs, different.of(lit), equal.of(lit));
        let always = question.always.iter().map(|&lit| either(lit)).collect();
        let goal = either(question.goal);
        let next: Vec<Lit> = (source.latches().iter())
            .map(|latch| either(latch.next))
            .collect();
        let mut made = Differences::new();
        let differences = [equal, different].map(|case| {
            let of_pairs = pairs.iter().map(|&(_, a, b)| {
                let [a, b] = [a, b].map(|index| case.of(source.latches()[index].next));
                made.of(aig, a, b)
            });
            let of_pairs: Vec<Lit> = of_pairs.collect();
            aig.or_all(&of_pairs)
        });
        for (index, next) in next.into_iter().enumerate() {
            if builder.apart_with[index].is_none() {
                aig.set_next(index, next);
            }
        }
        let next = match fault::planted(Fault::ForgottenDifference) {
            true => Lit::FALSE,
            false => aig.ite(differs, differences[1], differences[0]),
        };
        aig.set_next(differ, next);
        let question = Reachability {
            always,
            before: Vec::new(),
            goal,
            related: question.related.clone(),
            remembers: question.remembers.clone(),
            product: builder.product(&question.product, different),
        };
        Some(Abstraction {
            question,
            differ,
            apart: pairs.iter().map(|&(index, ..)| index).collect(),
        })
    }

    /// Returns clauses over the abstraction's latches as facts about the two copies. `None` if a clause needs the bit "some differ"
    /// positively, or reads a latch of no copy, or if there are too many facts.
    pub(super) fn facts(&self, clauses: &[Clause]) -> Option<Vec<Fact>> {
        let bits = self.question.state_bits();
        let mut facts = Vec::new();
        for clause in clauses {
            let mut whenever_they_differ = false;
            let mut lits: Vec<(StateBit, bool)> = Vec::new();
            for &(latch, value) in clause {
                if latch != self.differ {
                    lits.push(((*bits.get(latch)?)?, value));
                } else if value {
                    // The bit "some differ" is no clause over latches.
                    return None;
                } else {
                    whenever_they_differ = true;
                }
            }
            if whenever_they_differ {
                facts.extend(self.unless_equal(&lits));
            } else {
                facts.push(Fact::Clause(lits));
            }
            if facts.len() > ABSTRACTION_CLAUSES {
                return None;
            }
        }
        Some(facts)
    }

    /// Returns facts that together state: the abstracted latches are equal in both copies, or one of the literals in `lits` holds.
    fn unless_equal(&self, lits: &[(StateBit, bool)]) -> Vec<Fact> {
        let apart = self.apart.iter();
        let both = apart.flat_map(|&latch| {
            [true, false].map(|value| {
                let in_copy = |copy| StateBit::Latch { copy, latch };
                let mut clause = vec![(in_copy(0), value), (in_copy(1), !value)];
                clause.extend_from_slice(lits);
                Fact::Clause(clause)
            })
        });
        both.collect()
    }
}

/// Builds the circuit in which the abstracted latches have free values.
struct Builder {
    aig: Aig,
    /// For each latch of an abstracted pair the latch of the other copy; `None` for other latches.
    apart_with: Vec<Option<usize>>,
    latches: Vec<Lit>,
    inputs: Vec<Lit>,
    /// For each latch the literal of its free value, if it is abstracted.
    anything: Vec<Option<Lit>>,
    /// The literal of the latch "some abstracted latches differ".
    differs: Lit,
}

impl Builder {
    fn new(
        question: &Reachability,
        apart_with: Vec<Option<usize>>,
        from_any_state: bool,
    ) -> Builder {
        let source = &question.product.aig;
        let mut aig = Aig::new();
        let latches = source.latches().iter();
        let latches = latches.map(|latch| {
            let is_selector = latch.next == latch.var.lit();
            let reset = match from_any_state && !is_selector {
                true => Reset::Free,
                false => latch.reset,
            };
            aig.add_latch(reset, latch.name.clone())
        });
        let latches = latches.collect();
        let starts_apart = apart_with.iter().enumerate().any(|(second, first)| {
            first.is_some_and(|first| first < second && !starts_equal(question, first, second))
        });
        let reset = if starts_apart {
            Reset::One
        } else {
            Reset::Zero
        };
        let differs = aig.add_latch(reset, None);
        let inputs = source.inputs().iter();
        let inputs = inputs
            .map(|input| aig.add_input(input.name.clone()))
            .collect();
        let held = apart_with
            .iter()
            .map(|other| other.map(|_| aig.add_input(None)));
        Builder {
            anything: held.collect(),
            aig,
            apart_with,
            latches,
            inputs,
            differs,
        }
    }

    /// Copies one step of the source circuit, with free values for the abstracted latches: different values in the two copies if
    /// `may_differ`, else equal ones. Returns for each node of the source its literal.
    fn case(&mut self, source: &Aig, may_differ: bool) -> Images {
        let Builder {
            aig,
            apart_with,
            latches,
            inputs,
            anything,
            ..
        } = self;
        aig.copy(
            source,
            |_| true,
            |_, _, leaf| match leaf {
                Leaf::Input(index) => inputs[index],
                Leaf::Latch(index) => {
                    let same = apart_with[index].filter(|_| !may_differ);
                    let held = same.map_or(index, |other| index.min(other));
                    anything[held].unwrap_or(latches[index])
                }
            },
        )
    }

    /// Returns the product with its copies' nodes given as literals of this circuit.
    fn product(self, product: &Product, images: &Images) -> Product {
        let lits = |lits: &[Lit]| lits.iter().map(|&lit| images.of(lit)).collect();
        let some =
            |lits: &[Option<Lit>]| lits.iter().map(|lit| lit.map(|l| images.of(l))).collect();
        let copies = product.copies.iter().map(|copy| Copy {
            spec: copy.spec,
            nodes: some(&copy.nodes),
            inputs: some(&copy.inputs),
            latches: (copy.latches.iter())
                .map(|index| index.filter(|&index| self.apart_with[index].is_none()))
                .collect(),
            outputs: lits(&copy.outputs),
            valid: images.of(copy.valid),
            selectors: lits(&copy.selectors),
        });
        Product {
            copies: copies.collect(),
            initially_equal: product.initially_equal.clone(),
            one_member: images.of(product.one_member),
            aig: self.aig,
        }
    }
}
