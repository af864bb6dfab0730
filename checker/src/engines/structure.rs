//! Mutants that are the same circuit as the original or as each other, found without any solver.
//!
//! All variants are built into one structurally hashed graph over common inputs and latches. Two variants
//! with the same literals for every output, constraint and next-state function are the same circuit.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use hyperkill_core::aig::{Cone, Images, Leaf, Node};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};

/// How a mutant's circuit relates to those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The original's circuit: equivalent.
    Original,
    /// The same circuit as this earlier mutant.
    DuplicateOf(SelectorId),
    /// A circuit of its own.
    Distinct,
}

/// The standing of each mutant, by selector index.
#[must_use]
pub fn standings(model: &ConditionalMutant, budget: &Budget) -> Vec<Standing> {
    let mut builder = Builder::new(model);
    let original = builder.observed();
    let mut first_with: FxHashMap<Vec<Lit>, SelectorId> = FxHashMap::default();
    let mut standings = Vec::with_capacity(model.selectors.len());
    for selector in model.selector_ids() {
        // After the limit, mutants are not compared.
        if budget.stopped().is_some() {
            standings.push(Standing::Distinct);
            continue;
        }
        let key = builder.variant(selector);
        standings.push(if key == original {
            Standing::Original
        } else if let Some(&first) = first_with.get(&key) {
            Standing::DuplicateOf(first)
        } else {
            first_with.insert(key, selector);
            Standing::Distinct
        });
    }
    standings
}

struct Builder<'a> {
    model: &'a ConditionalMutant,
    /// What every variant is compared by.
    roots: Vec<Lit>,
    /// Gates that read a node, by node.
    readers: Vec<Vec<Var>>,
    graph: Aig,
    /// The original in the graph.
    base: Images,
}

impl<'a> Builder<'a> {
    fn new(model: &'a ConditionalMutant) -> Builder<'a> {
        let aig = &model.aig;
        let mut roots: Vec<Lit> = aig
            .outputs
            .iter()
            .chain(&aig.constraints)
            .map(|signal| signal.lit)
            .collect();
        let cone = Cone::sequential(aig, roots.iter().copied());
        let selectors = model.selector_of_latch();
        for (i, latch) in aig.latches().iter().enumerate() {
            if cone.contains(latch.var) && selectors[i].is_none() {
                roots.push(latch.next);
            }
        }
        let mut readers = vec![Vec::new(); aig.len()];
        for (var, node) in aig.nodes() {
            if let Node::And(a, b) = node {
                readers[a.var().index()].push(var);
                readers[b.var().index()].push(var);
            }
        }
        let mut graph = Aig::new();
        let is_selector = |leaf| matches!(leaf, Leaf::Latch(i) if selectors[i].is_some());
        let base = graph.copy(
            aig,
            |_| true,
            |graph, _, leaf| match is_selector(leaf) {
                true => Lit::FALSE,
                false => graph.add_input(None),
            },
        );
        Builder {
            model,
            roots,
            readers,
            graph,
            base,
        }
    }

    fn observed(&self) -> Vec<Lit> {
        let roots = self.roots.iter();
        roots.map(|&root| self.base.of(root)).collect()
    }

    /// The observed literals of a mutant: only what its selector reaches is built again.
    fn variant(&mut self, selector: SelectorId) -> Vec<Lit> {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[selector.0].latch].var;
        let mut changed: Vec<(Var, Lit)> = vec![(switch, self.base.of(switch.lit()))];
        self.base.set(switch, Lit::TRUE);
        // Nodes in index order are in topological order.
        let mut open: BTreeSet<Var> = self.readers[switch.index()].iter().copied().collect();
        while let Some(var) = open.pop_first() {
            let Node::And(a, b) = aig.node(var) else {
                continue;
            };
            let (a, b) = (self.base.of(a), self.base.of(b));
            let (lit, before) = (self.graph.and(a, b), self.base.of(var.lit()));
            if lit != before {
                changed.push((var, before));
                self.base.set(var, lit);
                open.extend(self.readers[var.index()].iter().copied());
            }
        }
        let key = self.observed();
        for (var, lit) in changed.into_iter().rev() {
            self.base.set(var, lit);
        }
        key
    }
}
