//! All steps of one variant from a state, computed gate by gate, for the checks that list states.
//!
//! Shares nothing with the simulator or the explicit engine. Inputs and choices that cannot matter in a state are left at 0.

use hyperkill_core::aig::{Node, Reset, Signal};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};
use rustc_hash::FxHashSet;

use super::CertifyError;
use super::meaning::of_variant;

/// One variant: the circuit with its selectors as constants, as far as outputs and constraints depend on it.
pub(super) struct Steps<'a> {
    pub(super) model: &'a ConditionalMutant,
    /// Gates that outputs and constraints can depend on, fan-ins first: node and operands.
    pub(super) gates: Vec<(usize, Lit, Lit)>,
    outputs: Vec<Lit>,
    pub(super) constraints: Vec<Lit>,
    /// Per circuit latch its next value, if it is hidden state that outputs and constraints can depend on.
    latches: Vec<Option<Lit>>,
    /// The circuit inputs that a step depends on: choices first, then test inputs.
    pub(super) varying: Vec<usize>,
    /// How many of them are choices.
    pub(super) choices: usize,
}

/// More bits than this are not enumerated.
pub(super) const LIMIT: usize = 26;
/// Initial states that are listed between two looks at the budget.
const INITIAL_AT_ONCE: usize = 1 << 12;
/// States whose steps are tabulated between two looks at the budget.
pub(super) const AT_ONCE: usize = 256;

impl<'a> Steps<'a> {
    /// `test_inputs`: the circuit inputs that input valuations are about, those that this variant reads among them. `None` if there are too
    /// many.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        variant: Variant,
        test_inputs: &[usize],
    ) -> Option<Steps<'a>> {
        let meaning = of_variant(model, variant);
        let read = read(model, &meaning);
        let means = |lit: Lit| meaning[lit.var().index()] ^ lit.is_negated();
        let inputs = model.aig.inputs();
        let mut varying: Vec<usize> = model
            .choice_bits()
            .filter(|&bit| read[inputs[bit].var.index()])
            .collect();
        let choices = varying.len();
        varying.extend(test_inputs);
        if test_inputs.len() > LIMIT {
            return None;
        }
        let gates = model.aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) if read[var.index()] => Some((var.index(), means(a), means(b))),
            _ => None,
        });
        let selectors = model.selector_of_latch();
        let latches = model.aig.latches().iter().zip(selectors);
        let latches = latches.map(|(latch, selector)| {
            let hidden = selector.is_none() && read[latch.var.index()];
            hidden.then(|| means(latch.next))
        });
        let signals = |signals: &[Signal]| signals.iter().map(|s| means(s.lit)).collect();
        Some(Steps {
            model,
            gates: gates.collect(),
            outputs: signals(&model.aig.outputs),
            constraints: signals(&model.aig.constraints),
            latches: latches.collect(),
            varying,
            choices,
        })
    }

    /// Every initial state: both values of free resets. Latches that are not read are 0. `None` if there are too many.
    ///
    /// # Errors
    /// If the time is over.
    pub(super) fn initial(&self, budget: &Budget) -> Result<Option<Vec<Bits>>, CertifyError> {
        let mut first = vec![false; self.latches.len()];
        let mut free = Vec::new();
        for (index, (latch, next)) in
            (self.model.aig.latches().iter().zip(&self.latches)).enumerate()
        {
            match latch.reset {
                _ if next.is_none() => {}
                Reset::Zero => {}
                Reset::One => first[index] = true,
                Reset::Free => free.push(index),
            }
        }
        if free.len() >= LIMIT {
            return Ok(None);
        }
        let mut states = Vec::new();
        for code in 0..1_usize << free.len() {
            if code % INITIAL_AT_ONCE == 0
                && let Some(stop) = budget.stopped()
            {
                return Err(CertifyError::Stopped(stop));
            }
            let mut state = pack(&first);
            for (bit, latch) in free.iter().rev().enumerate() {
                state[latch / 64] |= (code as u64 >> bit & 1) << (latch % 64);
            }
            states.push(state);
        }
        Ok(Some(states))
    }

    /// Latches that outputs and constraints can depend on.
    pub(super) fn read_latches(&self) -> impl Iterator<Item = usize> + '_ {
        let latches = self.latches.iter().enumerate();
        latches.filter_map(|(latch, next)| next.map(|_| latch))
    }

    /// A state, one bool per latch, as it is found here: latches that are not read are 0.
    pub(super) fn canonical(&self, state: &[bool]) -> Bits {
        let latches = state.iter().zip(&self.latches);
        let read: Vec<bool> = latches
            .map(|(&value, next)| value && next.is_some())
            .collect();
        pack(&read)
    }

    /// How many initial values are free, of those that are read.
    pub(super) fn free_values(&self) -> u32 {
        let latches = self.model.aig.latches().iter().zip(&self.latches);
        let free = latches.filter(|(latch, next)| next.is_some() && latch.reset == Reset::Free);
        free.fold(0, |count, _| count + 1)
    }

    /// For each of these states, per input valuation the steps that exist from it, ascending; latches that are not read are 0.
    /// `None` if there are too many. Valuations are those of the inputs that vary, under each of these valuations of the others.
    pub(super) fn steps_from(
        &self,
        states: &[&[u64]],
        others: &[Vec<bool>],
    ) -> Option<Vec<Vec<Vec<Step>>>> {
        let mut steps = vec![Vec::new(); states.len()];
        for given in others {
            let under = self.steps_given(states, given)?;
            for (steps, under) in steps.iter_mut().zip(under) {
                steps.extend(under);
            }
        }
        Some(steps)
    }

    /// The same under one valuation of the inputs that do not vary, one value for each circuit input.
    fn steps_given(&self, states: &[&[u64]], given: &[bool]) -> Option<Vec<Vec<Vec<Step>>>> {
        let matter: Vec<Vec<usize>> = states
            .chunks(LANES)
            .flat_map(|states| self.varying_in(states, given))
            .collect();
        let mut steps = vec![Vec::new(); states.len()];
        let places = 0..states.len();
        let (sparse, mut by_bits): (Vec<usize>, Vec<usize>) =
            places.partition(|&place| self.is_sparse(&matter[place]));
        for place in sparse {
            let found = self.existing(states[place], given, &matter[place])?;
            steps[place] = self.by_valuation(found, &matter[place]);
        }
        if by_bits.iter().any(|&place| matter[place].len() > LIMIT) {
            return None;
        }
        by_bits.sort_by_key(|&place| matter[place].len());
        for same in by_bits.chunk_by(|&a, &b| matter[a].len() == matter[b].len()) {
            let bits = same.first().map_or(0, |&place| matter[place].len());
            for places in same.chunks((LANES >> bits).max(1)) {
                let states: Vec<&[u64]> = places.iter().map(|&place| states[place]).collect();
                let matter: Vec<&[usize]> = places.iter().map(|&p| &matter[p][..]).collect();
                let found = self.tabulated(&states, given, &matter).into_iter();
                for (&place, found) in places.iter().zip(found) {
                    steps[place] = found;
                }
            }
        }
        Some(steps)
    }

    /// The steps that exist from this state under these inputs, one value per circuit input, if valuations are about none; else those of
    /// all valuations. `None` if the cost, in words of gates evaluated, is not `affordable`.
    pub(super) fn under(
        &self,
        state: &[u64],
        inputs: &[bool],
        affordable: impl FnOnce(u64) -> bool,
    ) -> Option<Vec<Step>> {
        let matter = self.varying_in(&[state], inputs).pop()?;
        if matter.len() > LIMIT {
            return None;
        }
        let lanes = 1 << matter.len();
        let blocks = self.model.aig.len() as u64 * (1 + u64::div_ceil(lanes, 64));
        let found = lanes * (self.outputs.len() + self.latches.len()) as u64;
        affordable(blocks + found).then(|| {
            let steps = self.tabulated(&[state], inputs, &[&matter]).into_iter();
            steps.flatten().flatten().collect()
        })
    }

    /// The steps of each state per input valuation. In all states as many inputs matter, which are enumerated; if there is more than one
    /// state, the lanes of a word hold all of it. Inputs that valuations are not about are as given, or 0; what does not matter is 0.
    fn tabulated(
        &self,
        states: &[&[u64]],
        given: &[bool],
        matter: &[&[usize]],
    ) -> Vec<Vec<Vec<Step>>> {
        let bits = matter.first().map_or(0, |matter| matter.len());
        let lanes_each = LANES.min(1 << bits);
        let valuations = 1usize << (self.varying.len() - self.choices);
        let mut found = vec![vec![FxHashSet::default(); valuations]; states.len()];
        let mut values = vec![0u64; self.model.aig.len()];
        self.load(&mut values, states, lanes_each, given);
        for block in 0..(1usize << bits).div_ceil(LANES) {
            let lanes = 0..states.len() * lanes_each;
            let lanes: Vec<(usize, usize)> = lanes
                .map(|lane| (lane / lanes_each, block * LANES + lane % lanes_each))
                .collect();
            self.evaluate(&mut values, &lanes, matter);
            self.collect(&values, &lanes, matter, |slot, valuation, step| {
                let steps: &mut FxHashSet<Bits> = &mut found[slot][valuation];
                if !steps.contains(step) {
                    steps.insert(step.clone());
                }
            });
        }
        let found = found.into_iter().zip(matter);
        found
            .map(|(found, matter)| self.by_valuation(found, matter))
            .collect()
    }

    /// Gives latches the states of their lanes, of which each has so many, and inputs what is given.
    pub(super) fn load(
        &self,
        values: &mut [u64],
        states: &[&[u64]],
        lanes_each: usize,
        given: &[bool],
    ) {
        let aig = &self.model.aig;
        for (i, latch) in aig.latches().iter().enumerate() {
            let lanes = states.iter().enumerate();
            values[latch.var.index()] = lanes.fold(0, |word, (slot, state)| {
                let value = state[i / 64] >> (i % 64) & 1 == 1;
                word | if value { of_slot(slot, lanes_each) } else { 0 }
            });
        }
        for (input, &value) in aig.inputs().iter().zip(given) {
            values[input.var.index()] = u64::from(value).wrapping_neg();
        }
    }

    /// Computes all gates. By lane: its state, and an assignment of the inputs that matter there.
    pub(super) fn evaluate(
        &self,
        values: &mut [u64],
        lanes: &[(usize, usize)],
        matter: &[&[usize]],
    ) {
        let inputs = self.model.aig.inputs();
        for &bit in matter.iter().flat_map(|matter| matter.iter()) {
            values[inputs[self.varying[bit]].var.index()] = 0;
        }
        for (lane, &(slot, assignment)) in lanes.iter().enumerate() {
            for (k, &place) in matter[slot].iter().enumerate() {
                let bit = (assignment as u64 >> k & 1) << lane;
                values[inputs[self.varying[place]].var.index()] |= bit;
            }
        }
        for &(node, a, b) in &self.gates {
            values[node] = value(values, a) & value(values, b);
        }
    }

    /// Calls `take` with state, valuation and step for each lane in which the constraints hold.
    pub(super) fn collect(
        &self,
        values: &[u64],
        lanes: &[(usize, usize)],
        matter: &[&[usize]],
        mut take: impl FnMut(usize, usize, &Bits),
    ) {
        let constraints = self.constraints.iter();
        let exists = constraints.fold(u64::MAX, |all, &c| all & value(values, c));
        let outputs: Vec<u64> = self.outputs.iter().map(|&o| value(values, o)).collect();
        let next = self.latches.iter();
        let next: Vec<u64> = next
            .map(|latch| latch.map_or(0, |next| value(values, next)))
            .collect();
        let mut step = Vec::new();
        for (lane, &(slot, assignment)) in lanes.iter().enumerate() {
            if exists >> lane & 1 == 0 {
                continue;
            }
            step.clear();
            push_lane(&outputs, lane, &mut step);
            push_lane(&next, lane, &mut step);
            let places = matter[slot].iter().enumerate();
            let places = places.filter(|&(_, &place)| place >= self.choices);
            let valuation = places.fold(0, |valuation, (k, &place)| {
                valuation | (assignment >> k & 1) << (place - self.choices)
            });
            take(slot, valuation, &step);
        }
    }

    /// The steps of a state by valuation, each sorted; those that differ only in what does not matter have the same.
    fn by_valuation(&self, found: Vec<FxHashSet<Bits>>, matter: &[usize]) -> Vec<Vec<Step>> {
        let split = |step: Bits| {
            let (outputs, next) = step.split_at(self.outputs.len().div_ceil(64));
            (outputs.to_vec(), next.to_vec())
        };
        let sorted = |steps: FxHashSet<Bits>| {
            let mut steps: Vec<Step> = steps.into_iter().map(split).collect();
            steps.sort_unstable();
            steps
        };
        let mut steps: Vec<Vec<Step>> = found.into_iter().map(sorted).collect();
        let places = matter.iter().filter(|&&place| place >= self.choices);
        let mask = places.fold(0, |mask, place| mask | 1 << (place - self.choices));
        for valuation in 0..steps.len() {
            if valuation & mask != valuation {
                steps[valuation] = steps[valuation & mask].clone();
            }
        }
        steps
    }

    /// For each of these states, at most as many as a word has lanes, the places among the inputs read that can matter in it: those with a
    /// path of gates to an output, constraint or next state on which no other operand is 0 for sure. Other inputs are as given, or unknown.
    fn varying_in(&self, states: &[&[u64]], given: &[bool]) -> Vec<Vec<usize>> {
        let aig = &self.model.aig;
        // In which states a node can be 0, and in which it can be 1.
        let mut can_be = vec![(u64::MAX, 0); aig.len()];
        for (i, input) in aig.inputs().iter().enumerate() {
            can_be[input.var.index()] = match given.get(i) {
                Some(&true) => (0, u64::MAX),
                Some(&false) => (u64::MAX, 0),
                None => (u64::MAX, u64::MAX),
            };
        }
        for &bit in &self.varying {
            can_be[aig.inputs()[bit].var.index()] = (u64::MAX, u64::MAX);
        }
        for (i, latch) in aig.latches().iter().enumerate() {
            let lanes = states.iter().enumerate();
            let ones = lanes.fold(0, |word, (lane, state)| {
                word | (state[i / 64] >> (i % 64) & 1) << lane
            });
            can_be[latch.var.index()] = (!ones, ones);
        }
        let read = |can_be: &[(u64, u64)], lit: Lit| {
            let (zero, one) = can_be[lit.var().index()];
            if lit.is_negated() {
                (one, zero)
            } else {
                (zero, one)
            }
        };
        for &(node, a, b) in &self.gates {
            let (a, b) = (read(&can_be, a), read(&can_be, b));
            can_be[node] = (a.0 | b.0, a.1 & b.1);
        }
        let mut matters = vec![0u64; aig.len()];
        let next = self.latches.iter().flatten();
        for lit in self.outputs.iter().chain(&self.constraints).chain(next) {
            matters[lit.var().index()] = u64::MAX;
        }
        for &(node, a, b) in self.gates.iter().rev() {
            let here = matters[node] & can_be[node].0 & can_be[node].1;
            matters[a.var().index()] |= here;
            matters[b.var().index()] |= here;
        }
        let matters = |lane: usize, bit: usize| {
            let input = matters[aig.inputs()[bit].var.index()];
            input >> lane & 1 == 1
        };
        let places = |lane: usize| {
            let places = self.varying.iter().enumerate();
            let places = places.filter(|&(_, &bit)| matters(lane, bit));
            places.map(|(place, _)| place).collect()
        };
        (0..states.len()).map(places).collect()
    }
}

/// States, or steps, that are looked at together: the bits of a word.
pub(super) const LANES: usize = 64;

/// The lanes of a state, of which each has so many.
fn of_slot(slot: usize, lanes_each: usize) -> u64 {
    let lanes = if lanes_each == LANES {
        u64::MAX
    } else {
        (1 << lanes_each) - 1
    };
    lanes << (slot * lanes_each)
}

/// Bools, 64 to a word, the first lowest; unused bits are 0.
pub(super) type Bits = Vec<u64>;

/// What a step shows, and the state after it.
pub(super) type Step = (Bits, Bits);

pub(super) fn pack(bools: &[bool]) -> Bits {
    let word = |bools: &[bool]| {
        let bools = bools.iter().enumerate();
        bools.fold(0, |word, (k, &bit)| word | u64::from(bit) << k)
    };
    bools.chunks(64).map(word).collect()
}

/// Appends one lane's bits, packed.
fn push_lane(words: &[u64], lane: usize, bits: &mut Bits) {
    for words in words.chunks(64) {
        let mut packed = 0;
        for (k, word) in words.iter().enumerate() {
            packed |= (word >> lane & 1) << k;
        }
        bits.push(packed);
    }
}

fn value(values: &[u64], lit: Lit) -> u64 {
    values[lit.var().index()] ^ u64::from(lit.is_negated()).wrapping_neg()
}

/// What a variant reads at the end of a step: its outputs, its constraints and the next values of the latches that these depend on.
pub(super) fn sequential_signals<'m>(
    model: &'m ConditionalMutant,
    meaning: &'m [Lit],
    read: &'m [bool],
) -> impl Iterator<Item = Lit> + 'm {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().zip(selectors);
    let latches = latches.filter(|(latch, of)| of.is_none() && read[latch.var.index()]);
    let next = latches.map(|(latch, _)| latch.next);
    let signals = model.aig.outputs.iter().chain(&model.aig.constraints);
    let lits = signals.map(|signal| signal.lit).chain(next);
    lits.map(|lit| meaning[lit.var().index()] ^ lit.is_negated())
}

/// A plain sequential cone of influence of outputs and constraints.
pub(super) fn read(model: &ConditionalMutant, meaning: &[Lit]) -> Vec<bool> {
    let aig = &model.aig;
    let means = |lit: Lit| meaning[lit.var().index()].var().index();
    let mut read = vec![false; aig.len()];
    for signal in aig.outputs.iter().chain(&aig.constraints) {
        read[means(signal.lit)] = true;
    }
    loop {
        let before = read.clone();
        for (var, node) in aig.nodes().rev() {
            if !read[var.index()] {
                continue;
            }
            match node {
                Node::And(a, b) => {
                    read[means(a)] = true;
                    read[means(b)] = true;
                }
                Node::Latch(i) => read[means(aig.latches()[i as usize].next)] = true,
                Node::False | Node::Input(_) => {}
            }
        }
        if read == before {
            return read;
        }
    }
}
