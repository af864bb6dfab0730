//! A circuit prepared for fault simulation: the fan-out of each node, and the nodes that only single mutants need.

use std::ops::Deref;

use hyperkill_core::aig::Node;
use hyperkill_core::{Aig, ConditionalMutant, SelectorId, Var};
use rustc_hash::FxHashSet;

use super::folded::Folded;

/// The original without its mutants, with the readers of each node, along which differences of mutants spread.
pub(super) struct Circuit<'a> {
    folded: Folded<'a>,
    /// For each node the gates to evaluate when its value differs from the original's.
    readers: Grouped,
    /// For each node the latches whose next value is the node or its complement.
    latches: Grouped,
}

impl<'a> Deref for Circuit<'a> {
    type Target = Folded<'a>;

    fn deref(&self) -> &Folded<'a> {
        &self.folded
    }
}

impl<'a> Circuit<'a> {
    pub(super) fn of(model: &'a ConditionalMutant) -> Circuit<'a> {
        let aig = &model.aig;
        let folded = Folded::of(model);
        let kept = folded.kept().iter();
        let next = kept.map(|&i| (aig.latches()[i].next.var().index(), i));
        let latches = Grouped::of(aig.len(), next);
        let readers = watching(&folded);
        Circuit {
            folded,
            readers,
            latches,
        }
    }

    /// Returns the nodes that this mutant needs and the original does not, ascending.
    pub(super) fn only_in(&self, mutant: SelectorId) -> Vec<u32> {
        let aig = &self.model.aig;
        let latch = self.model.selectors[mutant.0].latch;
        let mut reached = vec![aig.latches()[latch].var.index()];
        let mut seen: FxHashSet<usize> = reached.iter().copied().collect();
        let mut only: FxHashSet<usize> = FxHashSet::default();
        let mut needed: Vec<usize> = Vec::new();
        while let Some(node) = reached.pop() {
            for &reader in self.readers.at(node) {
                let reader = reader as usize;
                if self.is_constant(reader) && seen.insert(reader) {
                    reached.push(reader);
                    needed.extend(operands(aig, reader));
                }
            }
        }
        while let Some(node) = needed.pop() {
            if !self.has_value(node) && only.insert(node) {
                needed.extend(operands(aig, node));
            }
        }
        // Nodes are numbered in 32 bits.
        let only = only.into_iter().filter_map(|node| u32::try_from(node).ok());
        let mut only: Vec<u32> = only.collect();
        only.sort_unstable();
        only
    }

    /// Returns the gates, by index, to evaluate when this node differs from the original's.
    pub(super) fn readers(&self, node: usize) -> &[u32] {
        self.readers.at(node)
    }

    /// Returns the latches, by index, whose next value is this node or its complement.
    pub(super) fn latches_of(&self, node: usize) -> &[u32] {
        self.latches.at(node)
    }
}

/// Returns for each node the gates to evaluate when it differs. A gate that is constant in the original changes only if a node differs that
/// is constant there too; nodes that only mutants need are left out.
fn watching(folded: &Folded<'_>) -> Grouped {
    let aig = &folded.model.aig;
    let gates = aig.nodes().map(|(var, _)| var);
    let gates = gates.filter(|&var| folded.cone.contains(var) && folded.has_value(var.index()));
    let gates = gates.map(Var::index);
    let edges = gates.flat_map(|gate| operands(aig, gate).map(move |operand| (operand, gate)));
    let edges =
        edges.filter(|(operand, gate)| !folded.is_constant(*gate) || folded.is_constant(*operand));
    let edges: Vec<(usize, usize)> = edges.collect();
    Grouped::of(aig.len(), edges.into_iter())
}

fn operands(aig: &Aig, node: usize) -> impl Iterator<Item = usize> {
    let operands = match aig.node(Var::new(node)) {
        Node::And(a, b) => Some([a.var().index(), b.var().index()]),
        _ => None,
    };
    operands.into_iter().flatten()
}

/// Lists of numbers by key: the list of key k is `numbers[first[k]..first[k + 1]]`.
#[derive(Default)]
struct Grouped {
    first: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grouped {
    fn of(keys: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Grouped {
        let mut first = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            first[key + 1] += 1;
        }
        for key in 0..keys {
            first[key + 1] += first[key];
        }
        let mut next = first.clone();
        let mut numbers = vec![0u32; first[keys] as usize];
        for (key, number) in pairs {
            // Nodes and latches are numbered in 32 bits.
            numbers[next[key] as usize] = u32::try_from(number).unwrap_or(u32::MAX);
            next[key] += 1;
        }
        Grouped { first, numbers }
    }

    fn at(&self, key: usize) -> &[u32] {
        &self.numbers[self.first[key] as usize..self.first[key + 1] as usize]
    }
}
