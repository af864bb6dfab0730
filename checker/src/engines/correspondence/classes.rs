//! A partition of a graph's nodes into candidate equivalence classes: the nodes of a class are assumed equal up to complement.
//!
//! This module stores and refines the partition; other modules prove it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hyperkill_core::aig::Node;
use hyperkill_core::{Aig, Lit, Var};

/// Two literals that are assumed equal, a node and the older node that represents its class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pair {
    /// The literal of a latch or a gate that is not the representative of its class.
    pub(crate) member: Lit,
    /// The constant, or the literal of a node that can be built before the member.
    pub(crate) representative: Lit,
}

/// A partition of some nodes; singleton classes are omitted.
pub(super) struct Classes {
    /// The literals of each class that are assumed equal; the first one is the representative.
    classes: Vec<Vec<Lit>>,
    /// For each node, by index, its class and its position in it; `None` if it is in no class.
    places: Vec<Option<(usize, usize)>>,
}

impl Classes {
    /// Returns the classes of literals with equal signatures. Each pair has a signature and a literal: a node, negated if the signature is
    /// that of its complement.
    pub(super) fn new(aig: &Aig, signatures: impl IntoIterator<Item = (u128, Lit)>) -> Classes {
        let mut by_signature: BTreeMap<u128, Vec<Lit>> = BTreeMap::new();
        for (signature, lit) in signatures {
            by_signature.entry(signature).or_default().push(lit);
        }
        let mut classes = Classes {
            classes: Vec::new(),
            places: vec![None; aig.len()],
        };
        for mut lits in by_signature.into_values() {
            lits.sort_unstable_by_key(|lit| rank(aig, lit.var()));
            classes.add(lits);
        }
        classes
    }

    fn add(&mut self, lits: Vec<Lit>) {
        if lits.len() < 2 {
            for lit in lits {
                self.places[lit.var().index()] = None;
            }
            return;
        }
        self.classes.push(Vec::new());
        self.set(self.classes.len() - 1, lits);
    }

    fn set(&mut self, class: usize, lits: Vec<Lit>) {
        for (place, lit) in lits.iter().enumerate() {
            self.places[lit.var().index()] = (lits.len() > 1).then_some((class, place));
        }
        self.classes[class] = lits;
    }

    /// Returns all literals in classes of several members, representatives included.
    pub(super) fn members(&self) -> impl Iterator<Item = Lit> + '_ {
        let classes = self.classes.iter().filter(|class| class.len() > 1);
        classes.flatten().copied()
    }

    /// Returns the literal of the representative that the positive literal of a node equals; `None` if the node represents its class
    /// itself, or is in no class.
    pub(super) fn representative(&self, var: Var) -> Option<Lit> {
        let (class, place) = self.places[var.index()]?;
        let lits = &self.classes[class];
        (place > 0).then(|| lits[0] ^ lits[place].is_negated())
    }

    /// Returns all members of classes that are not representatives, each with its representative: latches first, then gates in topological
    /// order.
    pub(super) fn pairs(&self, aig: &Aig) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        for class in &self.classes {
            let others = class.iter().skip(1);
            pairs.extend(others.map(|lit| Pair {
                member: lit.var().lit(),
                representative: class[0] ^ lit.is_negated(),
            }));
        }
        pairs.sort_unstable_by_key(|pair| rank(aig, pair.member.var()));
        pairs
    }

    /// Splits each class into the sets of literals with the same `value`. Returns whether a class was split.
    pub(super) fn refine<V: Ord>(&mut self, value: impl Fn(Lit) -> V) -> bool {
        let mut changed = false;
        for class in 0..self.classes.len() {
            let [first, others @ ..] = &self.classes[class][..] else {
                continue;
            };
            let same = value(*first);
            // Most assignments refine few classes.
            if others.iter().all(|&lit| value(lit) == same) {
                continue;
            }
            let mut parts: Vec<Vec<Lit>> = Vec::new();
            let mut known: BTreeMap<V, usize> = BTreeMap::new();
            for &lit in &self.classes[class] {
                match known.entry(value(lit)) {
                    Entry::Occupied(part) => parts[*part.get()].push(lit),
                    Entry::Vacant(part) => {
                        part.insert(parts.len());
                        parts.push(vec![lit]);
                    }
                }
            }
            changed = true;
            let mut parts = parts.into_iter();
            self.set(class, parts.next().unwrap_or_default());
            parts.for_each(|part| self.add(part));
        }
        changed
    }

    /// Removes this node from its class, if it is in one; the other members stay.
    pub(super) fn forget(&mut self, var: Var) {
        if let Some((class, place)) = self.places[var.index()].take() {
            let mut lits = std::mem::take(&mut self.classes[class]);
            lits.remove(place);
            self.set(class, lits);
        }
    }
}

/// Returns the sort key of a node by which a class chooses its representative: constants, latches, inputs, then gates in topological order.
fn rank(aig: &Aig, var: Var) -> (u8, usize) {
    let kind = match aig.node(var) {
        Node::False => 0,
        Node::Latch(_) => 1,
        Node::Input(_) => 2,
        Node::And(..) => 3,
    };
    (kind, var.index())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperkill_core::Reset;

    #[test]
    fn classes_are_refined_by_value_and_keep_the_earliest_in_front() {
        let mut aig = Aig::new();
        let input = aig.add_input(None);
        let [a, b, c] = [(); 3].map(|()| aig.add_latch(Reset::Zero, None));
        let gate = aig.and(input, a);
        let mut classes = Classes::new(&aig, [gate, !c, b, a].map(|lit| (0, lit)));
        let of = |classes: &Classes, lit: Lit| classes.representative(lit.var());
        assert_eq!(of(&classes, a), None);
        assert_eq!(of(&classes, b), Some(a));
        assert_eq!(of(&classes, c), Some(!a));
        assert_eq!(of(&classes, gate), Some(a));
        assert!(!classes.refine(|_| 0));
        assert!(classes.refine(|lit| u8::from(lit == gate || lit == !c)));
        assert_eq!(of(&classes, b), Some(a));
        assert_eq!(of(&classes, c), None);
        assert_eq!(of(&classes, gate), Some(!c));
        classes.forget(a.var());
        assert_eq!(of(&classes, b), None);
        assert_eq!(classes.pairs(&aig).len(), 1);
    }
}
