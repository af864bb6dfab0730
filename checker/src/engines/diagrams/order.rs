//! Variable orders. Variables that the same gates read are placed near each other.
//!
//! Order by groups, with FORCE (Aloul, Markov and Sakallah, GLSVLSI 2003). Each latch and the leaves of its next value form a group, as do
//! each output and each constraint. Every leaf is moved repeatedly to the middle of its groups, and the order with the least total span is
//! taken. Order by gates: the leaves under a gate with few leaves form a group. FORCE then starts with a depth-first order that visits
//! deeper operands first (Fujita, Fujisawa and Kawato, ICCAD 1988). So the bits of words that are added or compared are interleaved.

use crate::schedule::engine_efforts::{ORDER_LEAVES, ORDER_LEAVES_OF_GATE, ORDER_ROUNDS};
use hyperkill_core::aig::Node;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable of the diagrams: a latch or an input of the circuit, by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Leaf {
    /// A latch of the circuit that is no selector.
    Latch(usize),
    /// An input of the circuit: a test input or a choice.
    Input(usize),
}

/// An order of the variables: the latches and inputs in the sequential cone of outputs and constraints, and the selectors that are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) selectors: Vec<SelectorId>,
}

/// Computes the leaves (latches and inputs) under a node, each once.
struct Supports<'a> {
    nodes: FxHashMap<Var, Node>,
    model: &'a ConditionalMutant,
    selectors: Vec<Option<SelectorId>>,
    /// For each node the number of the last traversal that visited it.
    visits: Vec<u32>,
    walk: u32,
}

impl Supports<'_> {
    fn of(&mut self, roots: impl IntoIterator<Item = Lit>) -> (Vec<Leaf>, Vec<SelectorId>) {
        self.walk += 1;
        let (mut leaves, mut selectors) = (Vec::new(), Vec::new());
        let mut open: Vec<Var> = roots.into_iter().map(Lit::var).collect();
        while let Some(var) = open.pop() {
            if std::mem::replace(&mut self.visits[var.index()], self.walk) == self.walk {
                continue;
            }
            match self.nodes.get(&var).copied().unwrap_or(Node::False) {
                Node::False => {}
                Node::Input(index) => leaves.push(Leaf::Input(index as usize)),
                Node::Latch(index) => match self.selectors[index as usize] {
                    Some(selector) => selectors.push(selector),
                    None => leaves.push(Leaf::Latch(index as usize)),
                },
                Node::And(a, b) => open.extend([a.var(), b.var()]),
            }
        }
        leaves.sort_unstable();
        (leaves, selectors)
    }

    fn next(&self, latch: usize) -> Lit {
        self.model.aig.latches()[latch].next
    }
}

impl Order {
    /// Returns a variable order for the original and these mutants that places leaves (latches and inputs) under the same output,
    /// constraint or next value close together.
    pub(crate) fn by_groups(model: &ConditionalMutant, members: &[SelectorId]) -> Order {
        let nodes = model.nodes_read(|selector| (!members.contains(&selector)).then_some(false));
        let mut supports = Supports {
            nodes: nodes.into_iter().collect(),
            model,
            selectors: model.selector_of_latch(),
            visits: vec![0; model.aig.len()],
            walk: 0,
        };
        let signals = model.aig.outputs.iter().chain(&model.aig.constraints);
        let mut groups = Vec::new();
        let mut selectors = Vec::new();
        for signal in signals {
            let (leaves, read) = supports.of([signal.lit]);
            selectors.extend(read);
            groups.push(leaves);
        }
        let mut seen = FxHashSet::default();
        let mut open: Vec<Leaf> = groups.concat();
        while let Some(leaf) = open.pop() {
            let Leaf::Latch(latch) = leaf else {
                seen.insert(leaf);
                continue;
            };
            if !seen.insert(leaf) {
                continue;
            }
            let (mut leaves, read) = supports.of([supports.next(latch)]);
            selectors.extend(read);
            open.extend(&leaves);
            leaves.push(leaf);
            leaves.sort_unstable();
            leaves.dedup();
            groups.push(leaves);
        }
        selectors.sort_unstable();
        selectors.dedup();
        Order {
            leaves: arranged(declared(&seen, &groups), &groups),
            selectors,
        }
    }

    /// Returns an order of the same leaves that places leaves under the same gate close together.
    pub(crate) fn by_gates(&self, model: &ConditionalMutant, members: &[SelectorId]) -> Order {
        let nodes = model.nodes_read(|selector| (!members.contains(&selector)).then_some(false));
        let known: FxHashSet<Leaf> = self.leaves.iter().copied().collect();
        let mut groups = narrow(&nodes, &model.selector_of_latch());
        groups.retain(|group| group.iter().all(|leaf| known.contains(leaf)));
        Order {
            leaves: arranged(self.by_depth(model, nodes), &groups),
            selectors: self.selectors.clone(),
        }
    }

    /// Returns the leaves in depth-first order, visiting the deeper operand of each gate first.
    fn by_depth(&self, model: &ConditionalMutant, nodes: Vec<(Var, Node)>) -> Vec<Leaf> {
        let depths = depths(&nodes);
        let depth = |var: Var| depths.get(&var).copied().unwrap_or(0);
        let nodes: FxHashMap<Var, Node> = nodes.into_iter().collect();
        let aig = &model.aig;
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let next = self.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Latch(latch) => Some(aig.latches()[*latch].next),
            Leaf::Input(_) => None,
        });
        let roots = signals.map(|signal| signal.lit).chain(next);
        let mut open: Vec<Var> = roots.map(Lit::var).collect();
        // The deepest root is taken first, from the end.
        open.sort_by_key(|&var| depth(var));
        let (mut visited, mut leaves) = (vec![false; aig.len()], Vec::new());
        while let Some(var) = open.pop() {
            if std::mem::replace(&mut visited[var.index()], true) {
                continue;
            }
            match nodes.get(&var) {
                Some(Node::Input(index)) => leaves.push(Leaf::Input(*index as usize)),
                Some(Node::Latch(index)) => leaves.push(Leaf::Latch(*index as usize)),
                Some(Node::And(a, b)) if depth(a.var()) > depth(b.var()) => {
                    open.extend([b.var(), a.var()]);
                }
                Some(Node::And(a, b)) => open.extend([a.var(), b.var()]),
                Some(Node::False) | None => {}
            }
        }
        let known: FxHashSet<Leaf> = self.leaves.iter().copied().collect();
        leaves.retain(|leaf| known.contains(leaf));
        let placed: FxHashSet<Leaf> = leaves.iter().copied().collect();
        leaves.extend(self.leaves.iter().filter(|leaf| !placed.contains(leaf)));
        leaves
    }
}

/// Returns the set of leaves under each gate that has at most [`ORDER_LEAVES_OF_GATE`] of them. Equal sets are listed once.
fn narrow(nodes: &[(Var, Node)], selectors: &[Option<SelectorId>]) -> Vec<Vec<Leaf>> {
    let mut under: FxHashMap<Var, Vec<Leaf>> = FxHashMap::default();
    let mut groups = FxHashSet::default();
    for (var, node) in nodes {
        let leaves = match node {
            Node::False => Some(Vec::new()),
            Node::Input(index) => Some(vec![Leaf::Input(*index as usize)]),
            Node::Latch(index) if selectors[*index as usize].is_some() => Some(Vec::new()),
            Node::Latch(index) => Some(vec![Leaf::Latch(*index as usize)]),
            Node::And(a, b) => match (under.get(&a.var()), under.get(&b.var())) {
                (Some(a), Some(b)) => {
                    let mut leaves = [a.as_slice(), b.as_slice()].concat();
                    leaves.sort_unstable();
                    leaves.dedup();
                    (leaves.len() <= ORDER_LEAVES_OF_GATE).then_some(leaves)
                }
                _ => None,
            },
        };
        let Some(leaves) = leaves else { continue };
        if leaves.len() > 1 {
            groups.insert(leaves.clone());
        }
        under.insert(*var, leaves);
    }
    let mut groups: Vec<Vec<Leaf>> = groups.into_iter().collect();
    groups.sort_unstable();
    groups
}

/// Returns for each gate the length of the longest path to a leaf.
fn depths(nodes: &[(Var, Node)]) -> FxHashMap<Var, usize> {
    let mut depths: FxHashMap<Var, usize> = FxHashMap::default();
    for (var, node) in nodes {
        if let Node::And(a, b) = node {
            let of = |lit: &Lit| depths.get(&lit.var()).copied().unwrap_or(0);
            let depth = 1 + of(a).max(of(b));
            depths.insert(*var, depth);
        }
    }
    depths
}

/// Returns the leaves in the circuit's order of latches, each input before the first latch of the smallest group that contains it.
fn declared(seen: &FxHashSet<Leaf>, groups: &[Vec<Leaf>]) -> Vec<Leaf> {
    let mut first: FxHashMap<usize, usize> = FxHashMap::default();
    // The narrowest group determines the place of an input best.
    let mut by_size: Vec<&Vec<Leaf>> = groups.iter().collect();
    by_size.sort_by_key(|group| group.len());
    for group in by_size {
        let latches = group.iter().filter_map(|leaf| match leaf {
            Leaf::Latch(latch) => Some(*latch),
            Leaf::Input(_) => None,
        });
        let Some(latch) = latches.min() else {
            continue;
        };
        for leaf in group {
            if let Leaf::Input(input) = leaf {
                first.entry(*input).or_insert(latch);
            }
        }
    }
    let mut leaves: Vec<Leaf> = seen.iter().copied().collect();
    leaves.sort_unstable_by_key(|leaf| match *leaf {
        Leaf::Latch(latch) => (latch, 1, latch),
        Leaf::Input(input) => (first.get(&input).copied().unwrap_or(0), 0, input),
    });
    leaves
}

/// Returns the total span: for all groups, the distance between their first and last leaf.
fn span(places: &FxHashMap<Leaf, usize>, groups: &[Vec<Leaf>]) -> usize {
    let spans = groups.iter().map(|group| {
        let places = group.iter().filter_map(|leaf| places.get(leaf));
        let (first, last) = places.fold((usize::MAX, 0), |(first, last), &place| {
            (first.min(place), last.max(place))
        });
        last.saturating_sub(first)
    });
    spans.sum()
}

fn arranged(mut leaves: Vec<Leaf>, groups: &[Vec<Leaf>]) -> Vec<Leaf> {
    if groups.iter().map(Vec::len).sum::<usize>() > ORDER_LEAVES {
        return leaves;
    }
    let places = |leaves: &[Leaf]| -> FxHashMap<Leaf, usize> {
        leaves
            .iter()
            .enumerate()
            .map(|(place, &leaf)| (leaf, place))
            .collect()
    };
    let mut best = (span(&places(&leaves), groups), leaves.clone());
    for _ in 0..ORDER_ROUNDS {
        let now = places(&leaves);
        // For each leaf the sum of its groups' middles, in fractions of a place, and their number.
        let mut pulls: FxHashMap<Leaf, (u64, u64)> = FxHashMap::default();
        for group in groups.iter().filter(|group| group.len() > 1) {
            let sum: u64 = group
                .iter()
                .filter_map(|leaf| now.get(leaf))
                .map(|&p| p as u64)
                .sum();
            let middle = sum * 1024 / group.len() as u64;
            for &leaf in group {
                let pull = pulls.entry(leaf).or_default();
                *pull = (pull.0 + middle, pull.1 + 1);
            }
        }
        leaves.sort_by_key(|leaf| match pulls.get(leaf) {
            Some(&(sum, count)) => sum / count,
            None => now.get(leaf).copied().unwrap_or(0) as u64 * 1024,
        });
        let span = span(&places(&leaves), groups);
        if span >= best.0 {
            break;
        }
        best = (span, leaves.clone());
    }
    best.1
}
