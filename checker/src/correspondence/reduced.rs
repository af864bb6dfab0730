//! A question with nodes replaced by what stands for them.

use hyperkill_core::aig::Node;
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::{Aig, Lit};

use super::classes::Classes;
use crate::question::Reachability;

/// The question with every member of a class replaced, and literals of it that say of gates that this was right. Inputs and latches
/// keep their indices; a latch that has been replaced is still there, but nothing reads it.
pub(super) fn reduce(question: &Reachability, classes: &Classes) -> (Reachability, Vec<Lit>) {
    let mut rebuilt = Rebuilt::new(&question.product, classes);
    let known = std::mem::take(&mut rebuilt.known);
    let lit = |lit: &Lit| rebuilt.lit(*lit);
    let reduced = Reachability {
        always: question.always.iter().map(lit).collect(),
        before: question.before.iter().map(lit).collect(),
        goal: lit(&question.goal),
        related: question.related.clone(),
        remembers: question.remembers.clone(),
        product: rebuilt.into_product(&question.product),
    };
    (reduced, known)
}

/// A graph on its way.
struct Rebuilt {
    aig: Aig,
    /// By node of the old graph.
    images: Vec<Lit>,
    /// That gates have the values of what stands for them. With the gates this would be forgotten.
    known: Vec<Lit>,
}

impl Rebuilt {
    fn new(product: &Product, classes: &Classes) -> Rebuilt {
        let source = &product.aig;
        let mut rebuilt = Rebuilt {
            aig: Aig::new(),
            images: vec![Lit::FALSE; source.len()],
            known: Vec::new(),
        };
        rebuilt.aig.reserve(source.gate_count());
        for input in source.inputs() {
            rebuilt.images[input.var.index()] = rebuilt.aig.add_input(input.name.clone());
        }
        for latch in source.latches() {
            let own = rebuilt.aig.add_latch(latch.reset, latch.name.clone());
            rebuilt.images[latch.var.index()] = match classes.representative(latch.var) {
                Some(other) => rebuilt.lit(other),
                None => own,
            };
        }
        for (var, node) in source.nodes() {
            if let Node::And(a, b) = node {
                let (a, b) = (rebuilt.lit(a), rebuilt.lit(b));
                let own = rebuilt.aig.and(a, b);
                rebuilt.images[var.index()] = match classes.representative(var) {
                    Some(other) => {
                        let other = rebuilt.lit(other);
                        rebuilt.known.push(rebuilt.aig.iff(own, other));
                        other
                    }
                    None => own,
                };
            }
        }
        for (index, latch) in source.latches().iter().enumerate() {
            if classes.representative(latch.var).is_none() {
                let next = rebuilt.lit(latch.next);
                rebuilt.aig.set_next(index, next);
            }
        }
        rebuilt.known.sort_unstable();
        rebuilt.known.dedup();
        rebuilt.known.retain(|&lit| lit != Lit::TRUE);
        rebuilt
    }

    fn lit(&self, lit: Lit) -> Lit {
        self.images[lit.var().index()] ^ lit.is_negated()
    }

    /// The latch with this index, or the one that has its value.
    fn latch(&self, source: &Aig, index: usize) -> usize {
        let image = self.images[source.latches()[index].var.index()];
        match self.aig.node(image.var()) {
            Node::Latch(other) if !image.is_negated() => other as usize,
            // Its initial value is no choice.
            _ => index,
        }
    }

    fn into_product(self, product: &Product) -> Product {
        let lits = |lits: &[Option<Lit>]| lits.iter().map(|lit| lit.map(|l| self.lit(l))).collect();
        let all = |lits: &[Lit]| lits.iter().map(|&lit| self.lit(lit)).collect();
        let copies = product.copies.iter().map(|copy| Copy {
            spec: copy.spec,
            nodes: lits(&copy.nodes),
            inputs: lits(&copy.inputs),
            latches: copy
                .latches
                .iter()
                .map(|index| index.map(|index| self.latch(&product.aig, index)))
                .collect(),
            outputs: all(&copy.outputs),
            valid: self.lit(copy.valid),
            selectors: all(&copy.selectors),
        });
        let copies = copies.collect();
        let pairs = product.initially_equal.iter();
        let pairs = pairs.map(|&(later, earlier)| {
            let of = |index| self.latch(&product.aig, index);
            (of(later), of(earlier))
        });
        Product {
            copies,
            initially_equal: pairs.filter(|(later, earlier)| later != earlier).collect(),
            one_member: self.lit(product.one_member),
            aig: self.aig,
        }
    }
}
