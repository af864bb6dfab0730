//! Input valuations by classes: valuations of one class have the same effect in every state of two variants.
//!
//! What gates compute from test inputs alone is read by the rest of the circuit at a frontier. A solver lists the values that the frontier
//! can have, each with inputs that lead to them, until it says that there are no others. Shares nothing with the engines.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;
use rustc_hash::FxHashMap;

use super::meaning::{meanings, of_variant};
use super::shown_choices::ShownChoices;
use super::steps::{Bits, Step, Steps, read, sequential_signals};

/// Valuations of the test inputs, one of each class at least.
#[derive(Clone, Debug)]
pub(super) struct Valuations {
    /// Circuit inputs of which all valuations are listed.
    pub(super) free: Vec<usize>,
    /// Valuations of the other inputs, one value for each input of the circuit: every valuation has the effect of one of these with the
    /// same values of the free inputs.
    pub(super) classes: Vec<Vec<bool>>,
    /// Choices that are not tried with all their values.
    pub(super) shown: ShownChoices,
}

/// Classes that are listed at most, also of inputs that are independent of each other.
const MOST: usize = 1 << 12;
/// The same for all mutants of a model together: each is then checked with the classes of all.
const MOST_TOGETHER: usize = 1 << 8;
/// Bits that classes must save.
pub(super) const SAVED: usize = 3;
/// Conflicts for each class.
pub(super) const CONFLICTS: u32 = 10_000;

/// Classes of input valuations that are the same for all mutants of a circuit, if there are few of them: found once, for all checks. So are
/// the steps of the original under them.
#[derive(Debug)]
pub struct InputClasses {
    valuations: Option<Valuations>,
    /// By state of the original, its steps by input valuation.
    steps: Mutex<FxHashMap<Bits, Listed>>,
}

/// The steps of a state by input valuation.
pub(super) type Listed = Arc<Vec<Vec<Step>>>;

/// Steps of the original that are kept for further checks.
const KEPT: usize = 1 << 18;

impl InputClasses {
    /// The classes that the original and all mutants of a circuit distinguish.
    #[must_use]
    pub fn of(model: &ConditionalMutant, budget: &Budget) -> InputClasses {
        let meaning = meanings(model, |_| None);
        let valuations = Valuations::of(model, &[meaning], MOST_TOGETHER, budget);
        InputClasses {
            valuations: Some(valuations).filter(|all| all.len() <= MOST_TOGETHER),
            steps: Mutex::default(),
        }
    }

    /// None: each check finds the classes of its own variants.
    #[must_use]
    pub fn unknown() -> InputClasses {
        InputClasses {
            valuations: None,
            steps: Mutex::default(),
        }
    }

    /// The valuations of some variants of the circuit.
    pub(super) fn valuations(
        &self,
        model: &ConditionalMutant,
        variants: [Variant; 2],
        budget: &Budget,
    ) -> Cow<'_, Valuations> {
        match &self.valuations {
            Some(all) => Cow::Borrowed(all),
            None => Cow::Owned(Valuations::new(model, variants, budget)),
        }
    }

    /// [`Steps::steps_from`] of one side under the valuations of a check, which those of the original share if valuations are known here.
    pub(super) fn steps_from(
        &self,
        side: &Steps<'_>,
        states: &[&[u64]],
        valuations: &Valuations,
    ) -> Option<Vec<Listed>> {
        let list = |states: &[&[u64]]| {
            let steps = side.steps_from(states, valuations)?;
            Some(steps.into_iter().map(Arc::new))
        };
        if self.valuations.is_none() || side.variant != Variant::Original {
            return Some(list(states)?.collect());
        }
        let kept = || self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<&[u64]> = Vec::new();
        {
            let kept = kept();
            missing.extend(states.iter().filter(|&&state| !kept.contains_key(state)));
        }
        let new: FxHashMap<&[u64], Listed> = missing.iter().copied().zip(list(&missing)?).collect();
        let mut kept = kept();
        let known: Option<Vec<Listed>> = (states.iter())
            .map(|&state| kept.get(state).or_else(|| new.get(state)).cloned())
            .collect();
        for (state, steps) in new {
            if kept.len() < KEPT / self.valuations.as_ref().map_or(1, |all| all.len().max(1)) {
                kept.insert(state.to_vec(), steps);
            }
        }
        known
    }
}

impl Valuations {
    /// The valuations of all inputs that the tester sets and that outputs and constraints of one of these variants can depend on.
    pub(super) fn new(
        model: &ConditionalMutant,
        variants: [Variant; 2],
        budget: &Budget,
    ) -> Valuations {
        let meanings = variants.map(|variant| of_variant(model, variant));
        Valuations::of(model, &meanings, MOST, budget)
    }

    /// The same, of circuits in which nodes have these meanings, by at most so many classes.
    fn of(
        model: &ConditionalMutant,
        meanings: &[Vec<Lit>],
        most: usize,
        budget: &Budget,
    ) -> Valuations {
        let inputs = model.aig.inputs();
        let reads: Vec<Vec<bool>> = meanings.iter().map(|m| read(model, m)).collect();
        let mut tested: Vec<usize> = model
            .input_bits()
            .filter(|&bit| reads.iter().any(|read| read[inputs[bit].var.index()]))
            .collect();
        tested.sort_unstable();
        let mut valuations = Valuations {
            free: tested.clone(),
            classes: vec![vec![false; inputs.len()]],
            shown: ShownChoices::of(model, meanings, &reads, most, budget),
        };
        if tested.len() <= SAVED {
            return valuations;
        }
        let mut region = Region::new(model, &tested);
        for (meaning, read) in meanings.iter().zip(&reads) {
            region.add(model, meaning, read, &[]);
        }
        for component in region.components() {
            let most = (most / valuations.classes.len()).min(component.most_classes());
            let classes = region.classes(&component, most, budget);
            if let Some(classes) = classes {
                valuations
                    .free
                    .retain(|&input| !component.holds(region.place(input)));
                let before = std::mem::take(&mut valuations.classes);
                for class in &classes {
                    valuations.classes.extend(before.iter().map(|others| {
                        let mut both = others.clone();
                        for (place, &input) in tested.iter().enumerate() {
                            both[input] |= class[place];
                        }
                        both
                    }));
                }
            }
        }
        valuations
    }

    /// How many valuations are listed.
    pub(super) fn len(&self) -> usize {
        let bits = u32::try_from(self.free.len()).unwrap_or(u32::MAX);
        let each = 1usize.checked_shl(bits).unwrap_or(usize::MAX);
        self.classes.len().saturating_mul(each)
    }
}

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

/// A set of test inputs, a bit for each place.
type Support = Vec<u64>;

/// What gates compute from test inputs alone, in all variants; equal gates are one.
pub(super) struct Region {
    tested: Vec<usize>,
    nodes: Vec<Place>,
    numbers: FxHashMap<Place, usize>,
    /// By node the inputs that it reads.
    supports: Vec<Support>,
    /// Nodes that the rest of some variant reads, each once.
    pub(super) frontier: Vec<usize>,
}

/// Inputs that nodes of the frontier connect.
struct Component {
    support: Support,
    frontier: Vec<usize>,
    /// How many of its inputs are read outside the region themselves.
    bare: usize,
}

impl Component {
    fn holds(&self, place: Option<usize>) -> bool {
        place.is_some_and(|place| self.support[place / 64] >> (place % 64) & 1 == 1)
    }

    /// With more classes than so many there is no use in them.
    fn most_classes(&self) -> usize {
        let bits: u32 = self.support.iter().map(|word| word.count_ones()).sum();
        let useful = (bits as usize).checked_sub(SAVED);
        match useful.filter(|&useful| self.bare <= useful) {
            Some(bits) => 1 << bits.min(MOST.ilog2() as usize),
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

    /// Adds what a variant computes from test inputs alone, and what else of it reads that. `meaning`: what nodes are in it; `read`: which
    /// nodes its outputs and constraints depend on; `shown`: gates that are not looked at, as they only show something, with their
    /// conditions, which are.
    ///
    /// Returns the numbers of the nodes of the circuit that are inside.
    pub(super) fn add(
        &mut self,
        model: &ConditionalMutant,
        meaning: &[Lit],
        read: &[bool],
        shown: &[(Lit, Lit)],
    ) -> Vec<Option<usize>> {
        let aig = &model.aig;
        let only_shows = |lit: Lit| shown.iter().any(|&(gate, _)| gate == lit);
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
                        _ if only_shows(var.lit()) => None,
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

    fn components(&self) -> Vec<Component> {
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

    /// A valuation (by place) for each way in which the frontier of a component can be, if there are at most so many.
    fn classes(
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

    /// A literal that has the value of a node.
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
