//! Computes all steps of one variant from a state, gate by gate, for checks that enumerate states.
//!
//! The module shares nothing with the simulator or the explicit engine. Inputs and choices that cannot matter in a state are left at 0.

use hyperkill_core::aig::{Node, Reset, Signal};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};
use rustc_hash::FxHashSet;

use super::CertifyError;
use super::meaning::of_variant;

/// The steps of one variant: the cone of influence of outputs and constraints, with selectors as constants.
pub(super) struct Steps<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) variant: Variant,
    /// Gates that outputs and constraints can depend on, fan-ins first: index of the node, and its operands.
    pub(super) gates: Vec<(usize, Lit, Lit)>,
    pub(super) outputs: Vec<Lit>,
    pub(super) constraints: Vec<Lit>,
    /// Per circuit latch its next value, if it is hidden state that outputs and constraints can depend on.
    latches: Vec<Option<Lit>>,
    /// The circuit inputs that a step depends on: choices first, then test inputs.
    pub(super) varying: Vec<usize>,
    /// The number of choices among them, which come first.
    pub(super) choices: usize,
    /// Choices that are not enumerated but given, by input index.
    pub(super) given: Vec<usize>,
}

/// Number of bits, at most, whose valuations are enumerated.
pub(super) const LIMIT: usize = 26;
/// Initial states that are enumerated between two checks of the budget.
const INITIAL_AT_ONCE: usize = 1 << 12;
/// The number of bits up to which the steps of one state are tabulated. With more, they are found by choosing bits first.
const CHOSEN: usize = 12;
/// Number of partial steps, at most, that are tried from a state instead of all valuations.
const BEGINNINGS: usize = 1 << 12;
/// The cost of simulating a partial step, per gate, in words of gates: two words for the possible values, and one for the inputs that
/// matter.
const SIMULATIONS: usize = 3;
/// States whose steps are tabulated between two checks of the budget.
pub(super) const AT_ONCE: usize = 256;

impl<'a> Steps<'a> {
    /// Returns the steps of a variant. Input valuations assign values to these test inputs, by index. `None` if there are too many of them.
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
            variant,
            gates: gates.collect(),
            outputs: signals(&model.aig.outputs),
            constraints: signals(&model.aig.constraints),
            latches: latches.collect(),
            varying,
            choices,
            given: Vec::new(),
        })
    }

    /// Returns these steps without the enumeration of the choices in `given`, by input index. Their values are then given like the values
    /// of other inputs.
    pub(super) fn without(mut self, given: &[usize]) -> Steps<'a> {
        let choices = self.varying[..self.choices].iter();
        self.choices = choices.filter(|bit| !given.contains(bit)).count();
        self.varying.retain(|bit| !given.contains(bit));
        self.given = given.to_vec();
        self
    }

    /// Returns every initial state, packed, with both values of free resets. Latches that are not read are 0. `None` if there are too many.
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

    /// Returns the indices of the latches that outputs and constraints can depend on.
    pub(super) fn read_latches(&self) -> impl Iterator<Item = usize> + '_ {
        let latches = self.latches.iter().enumerate();
        latches.filter_map(|(latch, next)| next.map(|_| latch))
    }

    /// Returns a state, one bool per latch, packed and in normal form: latches that are not read are 0.
    pub(super) fn canonical(&self, state: &[bool]) -> Bits {
        let latches = state.iter().zip(&self.latches);
        let read: Vec<bool> = latches
            .map(|(&value, next)| value && next.is_some())
            .collect();
        pack(&read)
    }

    /// Returns the number of latches with a free first value that are read.
    pub(super) fn free_values(&self) -> u32 {
        let latches = self.model.aig.latches().iter().zip(&self.latches);
        let free = latches.filter(|(latch, next)| next.is_some() && latch.reset == Reset::Free);
        free.fold(0, |count, _| count + 1)
    }

    /// Returns for each of these states and each input valuation the steps from it, ascending; latches that are not read are 0. `None` if
    /// there are too many. For each class, which gives the other inputs, all valuations of the varying inputs follow each other. `codes`
    /// are the values that are tried for given choices, one bool per circuit input.
    pub(super) fn steps_from(
        &self,
        states: &[&[u64]],
        classes: &[Vec<bool>],
        codes: &[Vec<bool>],
    ) -> Option<Vec<Vec<Vec<StepBits>>>> {
        let mut steps = Vec::with_capacity(states.len());
        for states in states.chunks((PLACES / classes.len().max(1)).max(1)) {
            let places = states.iter().flat_map(|&state| {
                let under = |given| Place { state, given };
                classes.iter().map(move |given| under(given.as_slice()))
            });
            let places: Vec<Place<'_>> = places.collect();
            let mut found = match self.given[..] {
                [] => self.steps_at(&places, None)?,
                _ => self.with_codes(&places, codes)?,
            }
            .into_iter();
            let of_each = states
                .iter()
                .map(|_| found.by_ref().take(classes.len()).flatten().collect());
            steps.extend(of_each);
        }
        Some(steps)
    }

    /// Returns the steps at each place by input valuation, under any of these values (codes) of the given choices. `None` if there are too
    /// many partial choices.
    fn with_codes(
        &self,
        places: &[Place<'_>],
        codes: &[Vec<bool>],
    ) -> Option<Vec<Vec<Vec<StepBits>>>> {
        let matter: Vec<Vec<usize>> = (places.chunks(LANES))
            .flat_map(|places| self.mattering(places, &self.varying, &self.given))
            .collect();
        let matter: Vec<&[usize]> = matter.iter().map(Vec::as_slice).collect();
        let asked = Asked {
            codes,
            ..Asked::default()
        };
        let found = self.existing(places, &matter, asked)?.into_iter();
        let found = found.zip(matter);
        Some(
            found
                .map(|(found, matter)| self.by_valuation(found, matter))
                .collect(),
        )
    }

    /// Returns for each state whether one of the given choices can matter in it.
    pub(super) fn given_matters(&self, states: &[&[u64]]) -> Vec<bool> {
        if self.given.is_empty() {
            return vec![false; states.len()];
        }
        let places: Vec<Place<'_>> = (states.iter())
            .map(|&state| Place { state, given: &[] })
            .collect();
        let matter = places.chunks(LANES);
        let matter = matter.flat_map(|places| self.mattering(places, &self.given, &[]));
        matter.map(|bits| !bits.is_empty()).collect()
    }

    /// Returns the steps at each of these places (a state with inputs) by input valuation. Of the steps with outputs outside `among`, one
    /// for each place suffices. `None` if there are too many.
    fn steps_at(
        &self,
        all: &[Place<'_>],
        among: Option<&[Bits]>,
    ) -> Option<Vec<Vec<Vec<StepBits>>>> {
        let matter: Vec<Vec<usize>> = all
            .chunks(LANES)
            .flat_map(|places| self.varying_at(places))
            .collect();
        let mut steps = vec![Vec::new(); all.len()];
        let (sparse, mut by_bits): (Vec<usize>, Vec<usize>) =
            (0..all.len()).partition(|&number| self.is_sparse(&matter[number]));
        let places: Vec<Place<'_>> = sparse.iter().map(|&number| all[number]).collect();
        let mattering: Vec<&[usize]> = sparse.iter().map(|&n| &matter[n][..]).collect();
        let asked = Asked {
            among,
            ..Asked::default()
        };
        let found = self.existing(&places, &mattering, asked)?;
        for (number, found) in sparse.into_iter().zip(found) {
            steps[number] = self.by_valuation(found, &matter[number]);
        }
        if by_bits.iter().any(|&number| matter[number].len() > LIMIT) {
            return None;
        }
        by_bits.sort_by_key(|&number| matter[number].len());
        for same in by_bits.chunk_by(|&a, &b| matter[a].len() == matter[b].len()) {
            let bits = same.first().map_or(0, |&number| matter[number].len());
            for numbers in same.chunks((LANES >> bits).max(1)) {
                let places: Vec<Place<'_>> = numbers.iter().map(|&number| all[number]).collect();
                let matter: Vec<&[usize]> = numbers.iter().map(|&n| &matter[n][..]).collect();
                let found = self.tabulated(&places, &matter).into_iter();
                for (&number, found) in numbers.iter().zip(found) {
                    steps[number] = found;
                }
            }
        }
        Some(steps)
    }

    /// Returns the steps from each of these states under these inputs, one value per circuit input, without valuations. Of the steps with
    /// outputs outside `among`, at least one is returned if there are any. `None` if there are too many.
    pub(super) fn steps_among(
        &self,
        states: &[&[u64]],
        inputs: &[bool],
        outputs: Option<&[Bits]>,
    ) -> Option<Vec<Vec<StepBits>>> {
        let places = states.iter().map(|&state| Place {
            state,
            given: inputs,
        });
        let places: Vec<Place<'_>> = places.collect();
        let found = self.steps_at(&places, outputs)?.into_iter();
        Some(
            found
                .map(|steps| steps.into_iter().flatten().collect())
                .collect(),
        )
    }

    /// Returns the steps from this state under these inputs, one value per circuit input, and under all valuations of the varying inputs.
    /// `None` if the cost, in words of gates evaluated, is not `affordable`, or if there are too many.
    pub(super) fn under(
        &self,
        state: &[u64],
        inputs: &[bool],
        mut affordable: impl FnMut(u64) -> bool,
    ) -> Option<Vec<StepBits>> {
        let place = Place {
            state,
            given: inputs,
        };
        let matter = self.varying_at(&[place]).pop()?;
        if matter.len() > CHOSEN && self.is_sparse(&matter) {
            let looks = self.model.aig.len() * SIMULATIONS * (BEGINNINGS / LANES);
            if !affordable(looks as u64) {
                return None;
            }
            let asked = Asked {
                codes: &[inputs.to_vec()],
                most: Some(BEGINNINGS),
                among: None,
            };
            if let Some(found) = self.existing(&[place], &[&matter], asked) {
                let steps = found.into_iter();
                let steps = steps.flat_map(|found| self.by_valuation(found, &matter));
                return Some(steps.flatten().collect());
            }
        }
        if matter.len() > LIMIT {
            return None;
        }
        let lanes = 1 << matter.len();
        let blocks = self.model.aig.len() as u64 * (1 + u64::div_ceil(lanes, 64));
        let found = lanes * (self.outputs.len() + self.latches.len()) as u64;
        affordable(blocks + found).then(|| {
            let steps = self.tabulated(&[place], &[&matter]).into_iter();
            steps.flatten().flatten().collect()
        })
    }

    /// Returns the steps at each place (a state with inputs) by input valuation. `matter` lists for each place the varying inputs that
    /// matter and are enumerated; their number is the same at all places. If there is more than one place, the lanes of one word hold all
    /// of them. Inputs outside the valuations are as given, or 0; inputs that do not matter are 0.
    fn tabulated(&self, places: &[Place<'_>], matter: &[&[usize]]) -> Vec<Vec<Vec<StepBits>>> {
        let bits = matter.first().map_or(0, |matter| matter.len());
        let lanes_each = LANES.min(1 << bits);
        let valuations = 1usize << (self.varying.len() - self.choices);
        let mut found = vec![vec![FxHashSet::default(); valuations]; places.len()];
        let mut values = vec![0u64; self.model.aig.len()];
        self.load(&mut values, places, lanes_each);
        for block in 0..(1usize << bits).div_ceil(LANES) {
            let lanes = 0..places.len() * lanes_each;
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

    /// Writes the latches and inputs of the places into `values`, one word per node. Each place takes `lanes_each` lanes.
    pub(super) fn load(&self, values: &mut [u64], places: &[Place<'_>], lanes_each: usize) {
        let aig = &self.model.aig;
        let slots = places.iter().enumerate();
        for i in self.read_latches() {
            values[aig.latches()[i].var.index()] = slots.clone().fold(0, |word, (slot, place)| {
                let value = place.state[i / 64] >> (i % 64) & 1 == 1;
                word | if value { of_slot(slot, lanes_each) } else { 0 }
            });
        }
        for (i, input) in aig.inputs().iter().enumerate() {
            values[input.var.index()] = slots.clone().fold(0, |word, (slot, place)| {
                let value = place.given.get(i).is_some_and(|&value| value);
                word | if value { of_slot(slot, lanes_each) } else { 0 }
            });
        }
    }

    /// Evaluates all gates. Each lane has the index of its place, and an assignment of the inputs that matter there, one bit for each.
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

    /// Calls `take` for each lane in which the constraints hold, with the index of the place, the input valuation and the step (outputs,
    /// then next state).
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
        let next = self.latches.iter().enumerate();
        let next: Vec<(usize, u64)> = next
            .filter_map(|(latch, next)| Some((latch, value(values, (*next)?))))
            .collect();
        let mut step = Vec::new();
        for (lane, &(slot, assignment)) in lanes.iter().enumerate() {
            if exists >> lane & 1 == 0 {
                continue;
            }
            step.clear();
            push_lane(&outputs, lane, &mut step);
            let shown = step.len();
            step.resize(shown + self.latches.len().div_ceil(64), 0);
            for &(latch, word) in &next {
                step[shown + latch / 64] |= (word >> lane & 1) << (latch % 64);
            }
            let places = matter[slot].iter().enumerate();
            let places = places.filter(|&(_, &place)| place >= self.choices);
            let valuation = places.fold(0, |valuation, (k, &place)| {
                valuation | (assignment >> k & 1) << (place - self.choices)
            });
            take(slot, valuation, &step);
        }
    }

    /// Returns the steps of a place by input valuation, each list sorted. Valuations that differ only in inputs that do not matter have the
    /// same steps.
    fn by_valuation(&self, found: Vec<FxHashSet<Bits>>, matter: &[usize]) -> Vec<Vec<StepBits>> {
        let split = |step: Bits| {
            let (outputs, next) = step.split_at(self.outputs.len().div_ceil(64));
            (outputs.to_vec(), next.to_vec())
        };
        let sorted = |steps: FxHashSet<Bits>| {
            let mut steps: Vec<StepBits> = steps.into_iter().map(split).collect();
            steps.sort_unstable();
            steps
        };
        let mut steps: Vec<Vec<StepBits>> = found.into_iter().map(sorted).collect();
        let places = matter.iter().filter(|&&place| place >= self.choices);
        let mask = places.fold(0, |mask, place| mask | 1 << (place - self.choices));
        for valuation in 0..steps.len() {
            if valuation & mask != valuation {
                steps[valuation] = steps[valuation & mask].clone();
            }
        }
        steps
    }

    /// Returns for each of these places the varying inputs that can matter there, as indices of `varying`; see [`Steps::mattering`].
    fn varying_at(&self, places: &[Place<'_>]) -> Vec<Vec<usize>> {
        self.mattering(places, &self.varying, &[])
    }

    /// Returns for each of these places the inputs of `asked` that can matter there, by their indices in `asked`. There are at most as many
    /// places as lanes in a word. Inputs that vary and those in `open` are unknown, other inputs as given or unknown.
    fn mattering(&self, places: &[Place<'_>], asked: &[usize], open: &[usize]) -> Vec<Vec<usize>> {
        let aig = &self.model.aig;
        // The lanes in which a node can be 0, and those in which it can be 1.
        let mut can_be = vec![(u64::MAX, 0); aig.len()];
        for (i, input) in aig.inputs().iter().enumerate() {
            let lanes = places.iter().enumerate();
            can_be[input.var.index()] = lanes.fold((0, 0), |(zero, one), (lane, place)| {
                let value = place.given.get(i);
                let can_be = |wanted: bool| u64::from(value.is_none_or(|&v| v == wanted)) << lane;
                (zero | can_be(false), one | can_be(true))
            });
        }
        for &bit in self.varying.iter().chain(open) {
            can_be[aig.inputs()[bit].var.index()] = (u64::MAX, u64::MAX);
        }
        for i in self.read_latches() {
            let lanes = places.iter().enumerate();
            let ones = lanes.fold(0, |word, (lane, place)| {
                word | (place.state[i / 64] >> (i % 64) & 1) << lane
            });
            can_be[aig.latches()[i].var.index()] = (!ones, ones);
        }
        self.propagate(&mut can_be);
        let matters = self.influence(&can_be);
        let matters = |lane: usize, bit: usize| {
            let input = matters[aig.inputs()[bit].var.index()];
            input >> lane & 1 == 1
        };
        let inputs = |lane: usize| {
            let inputs = asked.iter().enumerate();
            let inputs = inputs.filter(|&(_, &bit)| matters(lane, bit));
            inputs.map(|(input, _)| input).collect()
        };
        (0..places.len()).map(inputs).collect()
    }

    /// Returns for each node the lanes in which it can matter: a path of gates leads from it to an output, constraint or next state, and no
    /// other operand on the path is certainly 0.
    pub(super) fn influence(&self, can_be: &[(u64, u64)]) -> Vec<u64> {
        let mut matters = vec![0u64; self.model.aig.len()];
        let next = self.latches.iter().flatten();
        for lit in self.outputs.iter().chain(&self.constraints).chain(next) {
            matters[lit.var().index()] = u64::MAX;
        }
        for &(node, a, b) in self.gates.iter().rev() {
            let here = matters[node] & can_be[node].0 & can_be[node].1;
            matters[a.var().index()] |= here;
            matters[b.var().index()] |= here;
        }
        matters
    }

    /// Returns the step in a lane in which all values that it reads are known: packed outputs, then the packed next state.
    pub(super) fn step_of_lane(&self, can_be: &[(u64, u64)], lane: usize) -> Bits {
        let one = |lit: &Lit| {
            let (zero, one) = can_be[lit.var().index()];
            let ones = if lit.is_negated() { zero } else { one };
            ones >> lane & 1
        };
        let mut step = vec![0; self.outputs.len().div_ceil(64)];
        for (place, output) in self.outputs.iter().enumerate() {
            step[place / 64] |= one(output) << (place % 64);
        }
        let shown = step.len();
        step.resize(shown + self.latches.len().div_ceil(64), 0);
        for (latch, next) in self.latches.iter().enumerate() {
            if let Some(next) = next {
                step[shown + latch / 64] |= one(next) << (latch % 64);
            }
        }
        step
    }
}

/// Number of places or steps that are simulated together: the bits of a word.
pub(super) const LANES: usize = 64;
/// Number of places whose steps are enumerated together.
const PLACES: usize = 1 << 14;

/// A packed state, with values for the inputs that do not vary, one per circuit input.
#[derive(Clone, Copy)]
pub(super) struct Place<'s> {
    pub(super) state: &'s [u64],
    pub(super) given: &'s [bool],
}

/// The scope of a search for steps by [`Steps::existing`].
#[derive(Clone, Copy, Default)]
pub(super) struct Asked<'s> {
    /// The values (codes) of given choices to try, each with one bool per circuit input.
    pub(super) codes: &'s [Vec<bool>],
    /// The limit on partial steps from a place, if it is not the default.
    pub(super) most: Option<usize>,
    /// Packed outputs that are of interest, if not all are. Of the steps with other outputs one from each place suffices.
    pub(super) among: Option<&'s [Bits]>,
}

/// Returns the lanes of the place with index `slot`, if each place takes `lanes_each` lanes.
fn of_slot(slot: usize, lanes_each: usize) -> u64 {
    let lanes = if lanes_each == LANES {
        u64::MAX
    } else {
        (1 << lanes_each) - 1
    };
    lanes << (slot * lanes_each)
}

/// A row of bools, packed 64 to a word, the first lowest; unused bits are 0.
pub(super) type Bits = Vec<u64>;

/// The packed outputs of a step, and its packed next state.
pub(super) type StepBits = (Bits, Bits);

pub(super) fn pack(bools: &[bool]) -> Bits {
    let word = |bools: &[bool]| {
        let bools = bools.iter().enumerate();
        bools.fold(0, |word, (k, &bit)| word | u64::from(bit) << k)
    };
    bools.chunks(64).map(word).collect()
}

/// Appends the bits of one lane of these words, packed.
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

/// Returns the signals that a variant reads at the end of a step: its outputs, its constraints, and the next values of the latches that
/// these depend on.
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

/// Returns for each node whether it is in the sequential cone of influence of outputs and constraints. `meaning` has for each node an equal
/// literal.
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
