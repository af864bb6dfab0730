//! The cut between some inputs and the rest of a compiled circuit: the gates that depend only on these inputs, and their frontier.
//!
//! The rest of the circuit reads these inputs only through the frontier. So valuations with equal frontier values have the same effect in
//! every state.

use super::{Simulator, SlotLit};
use crate::{Aig, Lit};

/// A gate that copies a value under a condition, and is constant otherwise: `value ∧ when`, or `¬(¬value ∧ when)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownBit {
    /// The gate.
    pub gate: Lit,
    /// The condition.
    pub when: Lit,
}

impl Simulator {
    /// Copies the gates that depend only on some inputs into another graph, as far as the rest of the circuit or `roots` read them. Returns
    /// the frontier: the copies of the nodes that are read, each once and uncomplemented, ascending.
    ///
    /// `image` gives the literal of the other graph for each of these inputs (by index in the circuit), and `None` for all others. In the
    /// roots `shown`, only the conditions count as read; their values are no part of the frontier unless something else reads them. Roots
    /// that were not compiled are omitted.
    pub fn cut(
        &self,
        roots: impl IntoIterator<Item = Lit>,
        shown: &[ShownBit],
        image: impl Fn(usize) -> Option<Lit>,
        into: &mut Aig,
    ) -> Vec<Lit> {
        let slots = self.first_gate + self.gates.len();
        let mut images: Vec<Option<Lit>> = vec![None; slots];
        images[0] = Some(Lit::FALSE);
        for (input, &slot) in self.inputs.iter().enumerate() {
            if let Some(slot) = slot {
                images[slot] = image(input);
            }
        }
        let mut inside: Vec<bool> = images.iter().map(Option::is_some).collect();
        let mut read = vec![false; slots];
        let next = self.latches.iter().map(|latch| latch.next);
        let roots = roots.into_iter();
        let roots = roots.chain(shown.iter().map(|bit| bit.when));
        let roots = roots.filter_map(|root| self.places[root.var().index()]);
        let roots: Vec<SlotLit> = next.chain(roots).collect();
        let only_shown = self.only_shown(&roots, shown);
        for (i, &[a, b]) in self.gates.iter().enumerate() {
            let within = inside[a.slot()] && inside[b.slot()];
            inside[self.first_gate + i] = within;
            if !within && !only_shown[self.first_gate + i] {
                read[a.slot()] = true;
                read[b.slot()] = true;
            }
        }
        for lit in roots {
            read[lit.slot()] = true;
        }
        let mut needed: Vec<bool> = read.iter().zip(&inside).map(|(&r, &i)| r && i).collect();
        for (i, &[a, b]) in self.gates.iter().enumerate().rev() {
            if needed[self.first_gate + i] {
                needed[a.slot()] = true;
                needed[b.slot()] = true;
            }
        }
        for (i, &[a, b]) in self.gates.iter().enumerate() {
            let slot = self.first_gate + i;
            if needed[slot] {
                let of = |lit: SlotLit| images[lit.slot()].map(|image| image ^ (lit.mask() != 0));
                images[slot] = of(a).zip(of(b)).map(|(a, b)| into.and(a, b));
            }
        }
        let frontier = (0..slots).filter(|&slot| read[slot] && inside[slot]);
        let frontier = frontier.filter_map(|slot| Some(images[slot]?.var().lit()));
        let mut frontier: Vec<Lit> = frontier.filter(|&lit| lit != Lit::FALSE).collect();
        frontier.sort_unstable();
        frontier.dedup();
        frontier
    }

    /// Returns for each slot whether it belongs to the gate of a shown bit that no gate and no root reads.
    fn only_shown(&self, roots: &[SlotLit], shown: &[ShownBit]) -> Vec<bool> {
        let mut only = vec![false; self.first_gate + self.gates.len()];
        for bit in shown {
            if let Some(place) = self.places[bit.gate.var().index()] {
                only[place.slot()] = true;
            }
        }
        for lit in self.gates.iter().flatten().chain(roots) {
            only[lit.slot()] = false;
        }
        only
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::{ShownBit, Simulator};
    use crate::{Aig, Lit, Reset};

    #[test]
    fn the_state_reads_inputs_through_the_frontier() {
        let mut aig = Aig::new();
        let [a, b, c, d] = std::array::from_fn(|_| aig.add_input(None));
        let state = aig.add_latch(Reset::Zero, None);
        let both = aig.and(a, b);
        let three = aig.and(both, c);
        let next = aig.xor(three, state);
        aig.set_next(0, next);
        let shown = aig.and(state, both);
        let shown = aig.or(shown, d);
        let simulator = Simulator::compile(&aig, [shown]);
        let mut into = Aig::new();
        let images: Vec<Lit> = (0..4).map(|_| into.add_input(None)).collect();
        let frontier = simulator.cut([shown], &[], |input| Some(images[input]), &mut into);
        let both = into.and(images[0], images[1]);
        let three = into.and(both, images[2]);
        assert_eq!(frontier, [images[3], both, three]);
        // An input outside the set is treated like state.
        let image = |input: usize| (input != 1).then(|| images[input]);
        let frontier = simulator.cut([shown], &[], image, &mut into);
        assert_eq!(frontier, [images[0], images[2], images[3]]);
    }

    #[test]
    fn what_is_only_shown_is_not_read() {
        let mut aig = Aig::new();
        let [a, b, c] = std::array::from_fn(|_| aig.add_input(None));
        let state = aig.add_latch(Reset::Zero, None);
        let gates = [a, b].map(|value| aig.and(state, value));
        let bits = gates.map(|gate| ShownBit { gate, when: state });
        let next = aig.xor(c, state);
        aig.set_next(0, next);
        let mut into = Aig::new();
        let images: Vec<Lit> = (0..3).map(|_| into.add_input(None)).collect();
        let simulator = Simulator::compile(&aig, gates);
        let frontier = simulator.cut([], &bits, |input| Some(images[input]), &mut into);
        assert_eq!(frontier, [images[2]]);
        // If another root reads the gate, the value is read.
        let frontier = simulator.cut([gates[1]], &bits, |input| Some(images[input]), &mut into);
        assert_eq!(frontier, [images[1], images[2]]);
    }
}
