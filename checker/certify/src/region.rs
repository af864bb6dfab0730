//! The part of a circuit that depends on test inputs alone (the region), and its frontier: the nodes that the rest of the circuit reads.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit, Var};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;
use rustc_hash::FxHashMap;

use super::steps::sequential_signals;

/// Number of classes of input valuations that are enumerated, at most, also for inputs that are independent of each other.
pub(super) const MAX_CLASSES: usize = 1 << 12;
/// Number of bits that an enumeration by classes must save to be used.
pub(super) const SAVED: usize = 3;
/// The limit on the solver's conflicts for each class.
pub(super) const CONFLICTS: u32 = 10_000;

/// A node of the region: false, an input, or a gate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    False,
    Input(usize),
    Gate(Operand, Operand),
}

/// A node of the region by number, perhaps complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Operand {
    node: usize,
    complemented: bool,
}

/// A set of test inputs, one bit for each, by its place in the list of test inputs.
type Support = Vec<u64>;

/// The gates that depend on test inputs alone, in all variants. Gates with equal operands share a number.
pub(super) struct Region {
    tested: Vec<usize>,
    nodes: Vec<Place>,
    numbers: FxHashMap<Place, usize>,
    /// For each node the inputs that it depends on.
    supports: Vec<Support>,
    /// Nodes that the remaining circuit of some variant reads, each once.
    pub(super) frontier: Vec<usize>,
}

/// A set of inputs that nodes of the frontier connect: other inputs affect other nodes of the frontier.
pub(super) struct Component {
    support: Support,
    frontier: Vec<usize>,
    /// The number of its inputs that the rest of the circuit reads directly.
    bare: usize,
}

impl Component {
    pub(super) fn holds(&self, place: Option<usize>) -> bool {
        place.is_some_and(|place| self.support[place / 64] >> (place % 64) & 1 == 1)
    }

    /// Returns the largest number of classes for which an enumeration by classes saves work; 0 if it never does.
    pub(super) fn most_classes(&self) -> usize {
        let bits: u32 = self.support.iter().map(|word| word.count_ones()).sum();
        let useful = (bits as usize).checked_sub(SAVED);
        match useful.filter(|&useful| self.bare <= useful) {
            Some(bits) => 1 << bits.min(MAX_CLASSES.ilog2() as usize),
            None => 0,
        }
    }
}

impl Region {
    pub(super) fn new(model: &ConditionalMutant, tested: &[usize]) -> Region {
        let words = model.aig.inputs().len().div_ceil(64);
        let mut region = Region {
            tested: tested.to_vec(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            supports: Vec::new(),
            frontier: Vec::new(),
        };
        region.number(Place::False, vec![0; words]);
        for place in 0..tested.len() {
            let mut support = vec![0; words];
            support[place / 64] |= 1 << (place % 64);
            region.number(Place::Input(place), support);
        }
        region
    }

    pub(super) fn place(&self, input: usize) -> Option<usize> {
        self.tested.binary_search(&input).ok()
    }

    fn number(&mut self, place: Place, support: Support) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.nodes.push(place);
            self.supports.push(support);
        }
        number
    }

    /// Adds the region of a variant, and the frontier of its remaining part. `meaning` gives for each node an equal literal under the
    /// selectors of the variant. `read` marks the nodes that outputs and constraints depend on. `shown` lists outputs that only show a
    /// choice, with their conditions; the conditions are read, the outputs are not.
    ///
    /// Returns for each circuit node its number in the region; `None` for nodes outside.
    pub(super) fn add(
        &mut self,
        model: &ConditionalMutant,
        meaning: &[Lit],
        read: &[bool],
        shown: &[(Lit, Lit)],
    ) -> Vec<Option<usize>> {
        let aig = &model.aig;
        let only_shows = |lit: Lit| shown.iter().any(|&(gate, _)| gate == lit);
        // The gate of an output that is its complement.
        let shows = |var: Var| shown.iter().any(|&(gate, _)| gate.var() == var);
        let means = |lit: Lit| meaning[lit.var().index()] ^ lit.is_negated();
        let mut inside: Vec<Option<usize>> = vec![None; aig.len()];
        let mut looked_at = Vec::new();
        for (var, node) in aig.nodes() {
            let number = match node {
                Node::False => Some(0),
                Node::Input(input) => self.place(input as usize).map(|place| place + 1),
                Node::Latch(_) => None,
                Node::And(..) if !read[var.index()] => None,
                Node::And(a, b) => {
                    let (a, b) = (means(a), means(b));
                    let of = |lit: Lit| {
                        inside[lit.var().index()].map(|node| Operand {
                            node,
                            complemented: lit.is_negated(),
                        })
                    };
                    match (of(a), of(b)) {
                        (Some(a), Some(b)) => {
                            let pairs = self.supports[a.node].iter().zip(&self.supports[b.node]);
                            let support = pairs.map(|(a, b)| a | b).collect();
                            Some(self.number(Place::Gate(a.min(b), a.max(b)), support))
                        }
                        _ if shows(var) => None,
                        (a, b) => {
                            looked_at.extend(a.into_iter().chain(b).map(|operand| operand.node));
                            None
                        }
                    }
                }
            };
            inside[var.index()] = number;
        }
        let signals = sequential_signals(model, meaning, read);
        let signals = signals.filter(|&lit| !only_shows(lit));
        let conditions = shown.iter().map(|&(_, when)| means(when));
        let signals = signals.chain(conditions);
        looked_at.extend(signals.filter_map(|lit| inside[lit.var().index()]));
        self.frontier
            .extend(looked_at.into_iter().filter(|&node| node != 0));
        self.frontier.sort_unstable();
        self.frontier.dedup();
        inside
    }

    pub(super) fn components(&self) -> Vec<Component> {
        let mut components: Vec<Component> = Vec::new();
        for &node in &self.frontier {
            let mut new = Component {
                support: self.supports[node].clone(),
                frontier: vec![node],
                bare: usize::from(matches!(self.nodes[node], Place::Input(_))),
            };
            let overlaps = |other: &Component| {
                let mut pairs = other.support.iter().zip(&self.supports[node]);
                pairs.any(|(a, b)| a & b != 0)
            };
            let (joined, apart): (Vec<Component>, Vec<Component>) =
                components.into_iter().partition(overlaps);
            for other in joined {
                for (mine, theirs) in new.support.iter_mut().zip(other.support) {
                    *mine |= theirs;
                }
                new.frontier.extend(other.frontier);
                new.bare += other.bare;
            }
            components = apart;
            components.push(new);
        }
        components
    }

    /// Returns one valuation of the test inputs, by place in their list, for each possible valuation of the component's part of the
    /// frontier. `None` if there are more than `most`.
    pub(super) fn classes(
        &self,
        component: &Component,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<Vec<bool>>> {
        if most < 1 {
            return None;
        }
        let mut solver = Batsat::new();
        let mut lits: FxHashMap<usize, SatLit> = FxHashMap::default();
        let mut frontier = Vec::new();
        for &node in &component.frontier {
            frontier.push(self.encode(node, &mut solver, &mut lits));
        }
        let mut classes = Vec::new();
        loop {
            match solver.solve(&[], Some(CONFLICTS), budget) {
                Answer::Impossible => return Some(classes),
                Answer::Undecided(_) => return None,
                Answer::Possible if classes.len() == most => return None,
                Answer::Possible => {}
            }
            let class = (0..self.tested.len()).map(|place| {
                let input = lits.get(&(place + 1));
                input.is_some_and(|&input| solver.value(input))
            });
            classes.push(class.collect());
            let other = frontier
                .iter()
                .map(|&lit| if solver.value(lit) { !lit } else { lit });
            let other: Vec<SatLit> = other.collect();
            solver.add_clause(&other);
        }
    }

    /// Returns a solver literal with the value of a region's node. `lits` has the literals of the nodes that are encoded already.
    pub(super) fn encode(
        &self,
        root: usize,
        solver: &mut Batsat,
        lits: &mut FxHashMap<usize, SatLit>,
    ) -> SatLit {
        let mut open = vec![root];
        while let Some(&node) = open.last() {
            if lits.contains_key(&node) {
                open.pop();
                continue;
            }
            if let Place::Gate(a, b) = self.nodes[node] {
                let missing = [a, b]
                    .into_iter()
                    .filter(|operand| !lits.contains_key(&operand.node));
                let missing: Vec<usize> = missing.map(|operand| operand.node).collect();
                if !missing.is_empty() {
                    open.extend(missing);
                    continue;
                }
            }
            let lit = solver.new_lit();
            match self.nodes[node] {
                Place::False => solver.add_clause(&[!lit]),
                Place::Input(_) => {}
                Place::Gate(a, b) => {
                    let [a, b] = [a, b].map(|operand| {
                        let lit = lits[&operand.node];
                        if operand.complemented { !lit } else { lit }
                    });
                    solver.add_clause(&[!lit, a]);
                    solver.add_clause(&[!lit, b]);
                    solver.add_clause(&[lit, !a, !b]);
                }
            }
            lits.insert(node, lit);
            open.pop();
        }
        lits[&root]
    }
}
