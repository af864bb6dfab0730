//! Reachability questions with nodes replaced by their representatives, because the classes are proved, or to ask whether they hold.

use hyperkill_core::aig::{Images, Node};
use hyperkill_core::product::{Copy, Product};
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::difference::Differences;
use crate::question::Reachability;

/// A reachability question in which nodes are replaced by others that equal them.
pub(super) struct Reduced {
    /// The reduced question. Inputs and latches keep their indices; a replaced latch remains but is not read.
    pub(super) question: Reachability,
    /// Literals of the reduced question: replaced gates equal their representatives.
    pub(super) known: Vec<Lit>,
}

/// Returns the question with every member of a class replaced by its representative, for classes that are proved.
pub(super) fn reduce(question: &Reachability, classes: &Classes) -> Reduced {
    let mut rebuilt = Rebuilt::new(&question.product, classes);
    let known = std::mem::take(&mut rebuilt.known);
    let goal = rebuilt.lit(question.goal);
    Reduced {
        question: rebuilt.into_question(question, goal),
        known,
    }
}

/// A reachability question with latches replaced by others, under the assumption that they are always equal.
pub(super) struct Assumed {
    /// The question about runs in which the classes of latches hold.
    pub(super) question: Reachability,
    /// For each replaced latch its next value and its representative's, as literals of the question.
    next: Vec<[Lit; 2]>,
}

/// Returns the question with each latch of these classes replaced by its representative, as if the classes held.
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
    /// Returns the question with the members of `nodes` replaced too. Its goal is also reached by a step after which a replaced latch
    /// differs from its representative.
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

/// A copy of a product's graph in which nodes are replaced by their representatives.
struct Rebuilt {
    aig: Aig,
    /// For each node of the old graph the literal in the new one that replaces it.
    images: Images,
    /// Literals that state that replaced gates equal their representatives. Without them, this knowledge would be lost with the gates.
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
        // A latch may be newer than the gates that it represents.
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

    /// Returns the index of the latch that replaces this one in the new graph, or `index` itself if a constant or a negated latch does.
    fn latch(&self, source: &Aig, index: usize) -> usize {
        let image = self.lit(source.latches()[index].var.lit());
        match self.aig.node(image.var()) {
            Node::Latch(other) if !image.is_negated() => other as usize,
            // A constant or complemented initial value is no choice.
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
