//! The steps that exist from a state where most break a constraint: bits are chosen two by two, and what no further choice can make a step
//! is not followed.
//!
//! Shares nothing with the explicit engine, which does the same; [`super::steps`] tries all choices.

use hyperkill_core::Lit;
use hyperkill_core::aig::Node;
use rustc_hash::FxHashSet;

use super::steps::{Bits, LANES, LIMIT, Place, Steps};

/// Beginnings that are looked at from a state of which too many bits matter to try them all.
const MOST: usize = 1 << 24;

/// More bits than this do not fit into an assignment.
const WIDEST: usize = usize::BITS as usize - 4;

/// Beginnings of steps that have the same bits chosen, so many that all ways to choose two more fit into a word.
type Beginnings = Vec<usize>;

impl Steps<'_> {
    /// Whether constraints may leave few of the steps from a state in which these inputs matter.
    pub(super) fn is_sparse(&self, matter: &[usize]) -> bool {
        (1 << matter.len().min(WIDEST)) > LANES
            && matter.len() <= WIDEST
            && !self.constraints.is_empty()
    }

    /// The steps that exist from this state, by valuation; inputs as for [`Steps::tabulated`]. `None` if there are too many beginnings.
    pub(super) fn existing(
        &self,
        state: &[u64],
        given: &[bool],
        matter: &[usize],
    ) -> Option<Vec<FxHashSet<Bits>>> {
        let mut can_be = self.open_values(state, given);
        self.propagate(&mut can_be);
        let order = self.decisive_first(&can_be, matter);
        let valuations = 1usize << (self.varying.len() - self.choices);
        let mut found = vec![FxHashSet::default(); valuations];
        let mut values = vec![0u64; self.model.aig.len()];
        self.load(&mut values, &[Place { state, given }], LANES);
        let mut looked_at = 0;
        let mut stack: Vec<(usize, Beginnings)> = vec![(0, vec![0])];
        while let Some((chosen, beginnings)) = stack.pop() {
            let next = order.len().min(chosen + 2);
            let mut longer = Vec::with_capacity(LANES);
            for beginning in beginnings {
                for code in 0..1usize << (next - chosen) {
                    let bits = order[chosen..next].iter().enumerate();
                    longer
                        .push(bits.fold(beginning, |all, (k, &bit)| all | (code >> k & 1) << bit));
                }
            }
            looked_at += longer.len();
            if looked_at > MOST && matter.len() > LIMIT {
                return None;
            }
            if next == order.len() {
                let lanes: Vec<(usize, usize)> = longer.iter().map(|&all| (0, all)).collect();
                self.evaluate(&mut values, &lanes, &[matter]);
                self.collect(&values, &lanes, &[matter], |_, valuation, step| {
                    if !found[valuation].contains(step) {
                        found[valuation].insert(step.clone());
                    }
                });
                continue;
            }
            for &bit in &order[..next] {
                let ones = (longer.iter().enumerate()).fold(0, |word, (lane, &all)| {
                    word | (all as u64 >> bit & 1) << lane
                });
                let input = &self.model.aig.inputs()[self.varying[matter[bit]]];
                can_be[input.var.index()] = (!ones, ones);
            }
            for &bit in &order[next..] {
                let input = &self.model.aig.inputs()[self.varying[matter[bit]]];
                can_be[input.var.index()] = (u64::MAX, u64::MAX);
            }
            self.propagate(&mut can_be);
            let constraints = self.constraints.iter();
            let alive = constraints.fold(u64::MAX, |alive, &lit| alive & read(&can_be, lit).1);
            let left = longer.iter().enumerate();
            let left: Beginnings = left
                .filter(|&(lane, _)| alive >> lane & 1 == 1)
                .map(|(_, &all)| all)
                .collect();
            stack.extend(left.chunks(LANES / 4).map(|part| (next, part.to_vec())));
        }
        Some(found)
    }

    /// In which order bits of a state are chosen: what demands the fewest comes first. The order costs or saves time only.
    fn decisive_first(&self, can_be: &[(u64, u64)], matter: &[usize]) -> Vec<usize> {
        let aig = &self.model.aig;
        let mut reads = vec![0u64; aig.len()];
        for (bit, &place) in matter.iter().enumerate() {
            reads[aig.inputs()[self.varying[place]].var.index()] |= 1 << bit;
        }
        let open = |var: usize| can_be[var].0 & can_be[var].1 & 1 == 1;
        let mut operands = vec![None; aig.len()];
        for &(node, a, b) in &self.gates {
            operands[node] = Some((a, b));
            if open(node) {
                reads[node] = reads[a.var().index()] | reads[b.var().index()];
            }
        }
        // What must be 1, taken apart as long as it is a conjunction.
        let mut wanted: Vec<Lit> = self.constraints.clone();
        let mut demands = Vec::new();
        let mut seen = FxHashSet::default();
        while let Some(lit) = wanted.pop() {
            let var = lit.var().index();
            if !open(var) || !seen.insert(var) {
                continue;
            }
            match operands[var] {
                Some((a, b)) if !lit.is_negated() => wanted.extend([a, b]),
                Some((a, b)) if !open(a.var().index()) => wanted.push(!b),
                Some((a, b)) if !open(b.var().index()) => wanted.push(!a),
                _ => demands.push(reads[var]),
            }
        }
        demands.sort_by_key(|reads| (reads.count_ones(), *reads));
        let mut order: Vec<usize> = Vec::with_capacity(matter.len());
        let everything = (1u64 << matter.len()) - 1;
        for demand in demands.into_iter().chain([everything]) {
            let new = (0..matter.len()).filter(|bit| demand >> bit & 1 == 1);
            let new: Vec<usize> = new.filter(|bit| !order.contains(bit)).collect();
            order.extend(new);
        }
        order
    }

    /// Which values inputs and latches can have, by node and the same in all lanes: inputs that vary, and those not given, can be both.
    fn open_values(&self, state: &[u64], given: &[bool]) -> Vec<(u64, u64)> {
        let aig = &self.model.aig;
        let known = |value: bool| match value {
            true => (0, u64::MAX),
            false => (u64::MAX, 0),
        };
        let mut can_be = vec![known(false); aig.len()];
        for (i, input) in aig.inputs().iter().enumerate() {
            let value = given
                .get(i)
                .map_or((u64::MAX, u64::MAX), |&value| known(value));
            can_be[input.var.index()] = value;
        }
        for &bit in &self.varying {
            can_be[aig.inputs()[bit].var.index()] = (u64::MAX, u64::MAX);
        }
        for (i, latch) in aig.latches().iter().enumerate() {
            can_be[latch.var.index()] = known(state[i / 64] >> (i % 64) & 1 == 1);
        }
        debug_assert!(matches!(aig.nodes().next(), Some((_, Node::False))));
        can_be
    }

    fn propagate(&self, can_be: &mut [(u64, u64)]) {
        for &(node, a, b) in &self.gates {
            let (a, b) = (read(can_be, a), read(can_be, b));
            can_be[node] = (a.0 | b.0, a.1 & b.1);
        }
    }
}

/// In which lanes a literal can be 0, and in which it can be 1.
fn read(can_be: &[(u64, u64)], lit: Lit) -> (u64, u64) {
    let (zero, one) = can_be[lit.var().index()];
    if lit.is_negated() {
        (one, zero)
    } else {
        (zero, one)
    }
}
