//! A question with nodes replaced by what stands for them, because that was found to be right or to ask whether it is.

use hyperkill_core::aig::{Images, Node};
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::difference::Differences;
use crate::question::Reachability;

/// A question with nodes replaced.
pub(super) struct Reduced {
    /// Inputs and latches keep their indices; a latch that has been replaced is still there, but nothing reads it.
    pub(super) question: Reachability,
    /// Literals of it that say of gates that replacing them was right.
    pub(super) known: Vec<Lit>,
}

/// The question with every member of a class replaced.
pub(super) fn reduce(question: &Reachability, classes: &Classes) -> Reduced {
    let mut rebuilt = Rebuilt::new(&question.product, classes);
    let known = std::mem::take(&mut rebuilt.known);
    let goal = rebuilt.lit(question.goal);
    Reduced {
        question: rebuilt.into_question(question, goal),
        known,
    }
}

/// A question with latches replaced as if classes of them were right.
pub(super) struct Assumed {
    /// The question about runs in which they are.
    pub(super) question: Reachability,
    /// The next values of latches that were replaced, and of what stands for them.
    next: Vec<[Lit; 2]>,
}

/// The question with latches replaced as if these classes of latches were right.
pub(super) fn assume(question: &Reachability, classes: &Classes) -> Assumed {
    let source = &question.product.aig;
    let rebuilt = Rebuilt::new(&question.product, classes);
    let by_latch: FxHashMap<Var, Lit> = (source.latches().iter())
        .map(|latch| (latch.var, latch.next))
        .collect();
    let next = source.latches().iter().filter_map(|latch| {
        let other = classes.representative(latch.var)?;
        let other = by_latch[&other.var()] ^ other.is_negated();
        Some([latch.next, other].map(|lit| rebuilt.lit(lit)))
    });
    Assumed {
        next: next.collect(),
        question: {
            let goal = rebuilt.lit(question.goal);
            rebuilt.into_question(question, goal)
        },
    }
}

impl Assumed {
    /// The question with nodes replaced as well, whose goal is also reached when a step leads to a state in which the latches are not what
    /// stands for them.
    pub(super) fn reduced(&self, nodes: &Classes) -> Reduced {
        let mut rebuilt = Rebuilt::new(&self.question.product, nodes);
        let known = std::mem::take(&mut rebuilt.known);
        let mut goals = vec![rebuilt.lit(self.question.goal)];
        let mut differences = Differences::new();
        for next in &self.next {
            let [own, other] = next.map(|lit| rebuilt.lit(lit));
            if !fault::planted(Fault::UnkeptLatches) {
                goals.push(differences.of(&mut rebuilt.aig, own, other));
            }
        }
        let goal = rebuilt.aig.or_all(&goals);
        Reduced {
            question: rebuilt.into_question(&self.question, goal),
            known,
        }
    }
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

    fn into_question(self, question: &Reachability, goal: Lit) -> Reachability {
        let lit = |lit: &Lit| self.lit(*lit);
        Reachability {
            always: question.always.iter().map(lit).collect(),
            before: question.before.iter().map(lit).collect(),
            goal,
            related: question.related.clone(),
            remembers: question.remembers.clone(),
            product: self.into_product(&question.product),
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
