//! Mutants that are the same circuit as the original or as each other, found without any solver.
//!
//! All variants are built into one structurally hashed graph over common inputs and latches. Two variants
//! with the same literals for every output, constraint and next-state function are the same circuit.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};

/// How a mutant's circuit relates to those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The original's circuit: equivalent.
    Original,
    /// The same circuit as this earlier mutant, by selector index.
    DuplicateOf(usize),
    /// A circuit of its own.
    Distinct,
}

/// The standing of each mutant, by selector index.
#[must_use]
pub fn standings(model: &ConditionalMutant, budget: &Budget) -> Vec<Standing> {
    let mut builder = Builder::new(model);
    let original = builder.observed(&builder.base);
    let mut first_with: FxHashMap<Vec<Lit>, usize> = FxHashMap::default();
    let mut standings = Vec::with_capacity(model.selectors.len());
    for selector in 0..model.selectors.len() {
        // Nothing is known of a mutant that nobody had the time to look at.
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
    /// Literals of the original, by node.
    base: Vec<Lit>,
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
        let mut graph = Aig::new();
        let mut base: Vec<Lit> = Vec::with_capacity(aig.len());
        for (var, node) in aig.nodes() {
            base.push(match node {
                Node::False => Lit::FALSE,
                Node::Input(_) => graph.add_input(None),
                Node::Latch(i) if selectors[i as usize].is_some() => Lit::FALSE,
                Node::Latch(_) => graph.add_input(None),
                Node::And(a, b) => {
                    readers[a.var().index()].push(var);
                    readers[b.var().index()].push(var);
                    let a = base[a.var().index()] ^ a.is_negated();
                    let b = base[b.var().index()] ^ b.is_negated();
                    graph.and(a, b)
                }
            });
        }
        Builder {
            model,
            roots,
            readers,
            graph,
            base,
        }
    }

    fn observed(&self, nodes: &[Lit]) -> Vec<Lit> {
        let roots = self.roots.iter();
        roots
            .map(|root| nodes[root.var().index()] ^ root.is_negated())
            .collect()
    }

    /// The observed literals of a mutant: only what its selector reaches is built again.
    fn variant(&mut self, selector: usize) -> Vec<Lit> {
        let aig = &self.model.aig;
        let switch = aig.latches()[self.model.selectors[selector].latch].var;
        let mut changed: Vec<(Var, Lit)> = vec![(switch, self.base[switch.index()])];
        self.base[switch.index()] = Lit::TRUE;
        // Nodes in index order are in topological order.
        let mut open: BTreeSet<Var> = self.readers[switch.index()].iter().copied().collect();
        while let Some(var) = open.pop_first() {
            let Node::And(a, b) = aig.node(var) else {
                continue;
            };
            let a = self.base[a.var().index()] ^ a.is_negated();
            let b = self.base[b.var().index()] ^ b.is_negated();
            let lit = self.graph.and(a, b);
            if lit != self.base[var.index()] {
                changed.push((var, self.base[var.index()]));
                self.base[var.index()] = lit;
                open.extend(self.readers[var.index()].iter().copied());
            }
        }
        let key = self.observed(&self.base);
        for (var, lit) in changed.into_iter().rev() {
            self.base[var.index()] = lit;
        }
        key
    }
}
