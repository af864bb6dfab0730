//! A question with nodes replaced by what stands for them.

use hyperkill_core::aig::{Images, Node};
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
    /// What stands for the nodes of the old graph.
    images: Images,
    /// That gates have the values of what stands for them. With the gates this would be forgotten.
    known: Vec<Lit>,
}

impl Rebuilt {
    fn new(product: &Product, classes: &Classes) -> Rebuilt {
        let source = &product.aig;
        let mut aig = Aig::new();
        let mut images = Images::none(source);
        let mut known = Vec::new();
        aig.reserve(source.gate_count());
        for input in source.inputs() {
            images.set(input.var, aig.add_input(input.name.clone()));
        }
        // A latch may be newer than the gates that it stands for.
        for latch in source.latches() {
            let own = aig.add_latch(latch.reset, latch.name.clone());
            let other = classes.representative(latch.var);
            images.set(latch.var, other.map_or(own, |other| images.of(other)));
        }
        aig.copy_gates(
            source,
            &mut images,
            |_| true,
            |aig, images, var, own| match classes.representative(var) {
                Some(other) => {
                    let other = images.of(other);
                    known.push(aig.iff(own, other));
                    other
                }
                None => own,
            },
        );
        for (index, latch) in source.latches().iter().enumerate() {
            if classes.representative(latch.var).is_none() {
                aig.set_next(index, images.of(latch.next));
            }
        }
        known.sort_unstable();
        known.dedup();
        known.retain(|&lit| lit != Lit::TRUE);
        Rebuilt { aig, images, known }
    }

    fn lit(&self, lit: Lit) -> Lit {
        self.images.of(lit)
    }

    /// The latch with this index, or the one that has its value.
    fn latch(&self, source: &Aig, index: usize) -> usize {
        let image = self.lit(source.latches()[index].var.lit());
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
