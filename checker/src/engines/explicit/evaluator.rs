//! Evaluates all steps of one variant from given states, 256 at a time, with the simulator's lanes as a table.
//!
//! Only inputs and choices that can matter in the current state are enumerated, by classes ([`super::plan`]); others are 0. If constraints
//! leave few steps, [`super::existing`] finds them without trying all valuations. The evaluator handles bits only; [`super::machine`]
//! interprets steps and merges equal ones.

use hyperkill_core::budget::Budget;
use hyperkill_core::sim::{Lanes, Simulator, words};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::fault::{self, Fault};

use super::plan::{Enumerated, KnownMembers, Plan, Valuation};
use crate::engines::valuations::{Cut, Group};

/// Machine words of lanes in one evaluation.
pub(super) const WORDS: usize = 4;

/// Base-2 logarithm of the number of steps that one evaluation computes.
const LANE_BITS: usize = 8;

/// Smallest number of inputs, or of choices, for which classes of values are computed.
const WIDE: usize = 4;

/// Number of steps that one evaluation computes.
pub(super) const LANES: usize = 1 << LANE_BITS;

/// One variant of a model, prepared for evaluating its steps.
#[derive(Debug)]
pub(super) struct Evaluator {
    simulator: Simulator,
    /// The inputs and choices that are enumerated: choices of this variant first, then input valuations.
    enumerated: Enumerated,
    /// For each bit of a state the latch of the circuit, by index, and its next value. `None` if this variant does not read the latch.
    latches: Vec<Option<(usize, Lit)>>,
    outputs: Vec<Lit>,
    constraints: Vec<Lit>,
}

/// An evaluated step, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawStep<'a> {
    /// The index of the state, among the given ones, from which the step starts.
    pub(super) slot: usize,
    /// The number of the input valuation.
    pub(super) valuation: Valuation,
    /// The assignment of the plan's bits, input valuation and choice: see [`Evaluator::chosen`].
    pub(super) assignment: usize,
    /// The bits of the outputs, in words.
    pub(super) outputs: &'a [u64],
    /// The bits of the next state, in words.
    pub(super) next: &'a [u64],
}

/// Returns by circuit index, first for inputs, then for latches, whether this variant's outputs and constraints can ever depend on them.
pub(super) fn reads(model: &ConditionalMutant, simulator: &Simulator) -> (Vec<bool>, Vec<bool>) {
    let selectors = model.selector_of_latch();
    let inputs = model.aig.inputs().iter();
    let latches = model.aig.latches().iter().enumerate();
    (
        inputs
            .map(|input| simulator.contains(input.var.lit()))
            .collect(),
        latches
            .map(|(i, latch)| selectors[i].is_none() && simulator.contains(latch.var.lit()))
            .collect(),
    )
}

impl Evaluator {
    /// Prepares a compiled variant. `valuations` are the groups that form input valuations, `shown` the groups of choices with the only
    /// classes to try, and `latches` the circuit latches that form a state.
    pub(super) fn new(
        model: &ConditionalMutant,
        simulator: Simulator,
        valuations: &[Group],
        shown: &[Group],
        latches: &[usize],
        budget: &Budget,
    ) -> Evaluator {
        let (read_inputs, read_latches) = reads(model, &simulator);
        let is_shown = |bit: usize| shown.iter().any(|group| group.inputs.contains(&bit));
        let choices: Vec<usize> = model
            .choice_bits()
            .filter(|&bit| read_inputs[bit] && !is_shown(bit))
            .collect();
        let mut choices = grouped(model, &[&simulator], &choices, budget);
        choices.extend_from_slice(shown);
        choices.sort_by_key(|group| group.inputs.last().copied());
        let lits =
            |signals: &[hyperkill_core::aig::Signal]| signals.iter().map(|s| s.lit).collect();
        Evaluator {
            enumerated: Enumerated::new(choices, valuations),
            latches: latches
                .iter()
                .map(|&latch| read_latches[latch].then(|| (latch, model.aig.latches()[latch].next)))
                .collect(),
            outputs: lits(&model.aig.outputs),
            constraints: lits(&model.aig.constraints),
            simulator,
        }
    }

    /// Returns the number of input valuations; `None` if it overflows.
    pub(super) fn valuations(&self) -> Option<usize> {
        let bits = self.enumerated.valuation_bits();
        1usize.checked_shl(u32::try_from(bits).ok()?)
    }

    /// Returns for each state its plan: the bits of inputs and choices that can matter in it.
    pub(super) fn plans<'s>(&self, states: impl IntoIterator<Item = &'s [u64]>) -> Vec<Plan> {
        let states: Vec<&[u64]> = states.into_iter().collect();
        match states.len() {
            0 => Vec::new(),
            1..=64 => self.plans_of::<1>(&states),
            _ => self.plans_of::<WORDS>(&states),
        }
    }

    fn plans_of<const W: usize>(&self, states: &[&[u64]]) -> Vec<Plan> {
        let roots: Vec<Lit> = self.signals().collect();
        let mut plans = Vec::with_capacity(states.len());
        let mut possible = self.simulator.possible::<W>();
        let mut known = KnownMembers::default();
        let inputs = self.enumerated.inputs();
        for batch in states.chunks(64 * W) {
            for (latch, row) in self.rows(batch, 1) {
                possible.set_latch(latch, row);
            }
            possible.eval();
            let influence = possible.influence(roots.iter().copied());
            for lane in 0..batch.len() {
                let matters = |place: usize| words::is_set(&influence[inputs[place]], lane);
                plans.push(self.enumerated.plan(matters, &mut known));
            }
        }
        plans
    }

    /// Returns the inputs and choices that are enumerated, in groups.
    pub(super) fn enumerated(&self) -> &Enumerated {
        &self.enumerated
    }

    /// Returns the literals of the variant's outputs, constraints and next values of latches.
    pub(super) fn signals(&self) -> impl Iterator<Item = Lit> + '_ {
        let next = self.latches.iter().flatten().map(|&(_, next)| next);
        let signals = self.outputs.iter().chain(&self.constraints).copied();
        signals.chain(next)
    }

    /// Returns the literals of the constraints, which must be true in every step.
    pub(super) fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// Returns the variant's simulator.
    pub(super) fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// Whether constraints may leave few of the steps of a plan, and it has too many for one evaluation.
    pub(super) fn is_sparse(&self, plan: &Plan) -> bool {
        let bits = plan.bits();
        !self.constraints.is_empty() && bits > LANE_BITS && bits <= Plan::MOST_CHOSEN
    }

    /// Calls `visit` for every existing step from these states, whose plans all have the same number of bits: by state, then input
    /// valuation, then choice.
    pub(super) fn steps<'s>(
        &self,
        states: impl IntoIterator<Item = (&'s Plan, &'s [u64])>,
        mut visit: impl FnMut(RawStep<'_>),
    ) {
        let mut states = states.into_iter().peekable();
        let Some(bits) = states.peek().map(|(plan, _)| plan.bits()) else {
            return;
        };
        let slots = 1 << LANE_BITS.saturating_sub(bits);
        let mut table = Table::new(self, bits);
        let mut batch: Vec<&[u64]> = Vec::with_capacity(slots);
        let mut first = 0;
        loop {
            batch.clear();
            table.plans.clear();
            for (plan, state) in states.by_ref().take(slots) {
                batch.push(state);
                table.plans.push(plan);
            }
            if batch.is_empty() {
                return;
            }
            for (latch, row) in self.rows(&batch, 1 << bits.min(LANE_BITS)) {
                table.lanes.set_latch(latch, row);
            }
            for block in 0..1usize << bits.saturating_sub(LANE_BITS) {
                table.evaluate(block);
                table.visit(first, block, &mut visit);
            }
            first += batch.len();
        }
    }

    /// Returns each circuit latch with its value by lane, where each state fills `group` consecutive lanes.
    pub(super) fn rows<const W: usize>(
        &self,
        states: &[&[u64]],
        group: usize,
    ) -> impl Iterator<Item = (usize, [u64; W])> + use<'_, W> {
        let mut rows = vec![[0; W]; self.latches.len()];
        for (slot, state) in states.iter().enumerate() {
            words::set_state(&mut rows, state, slot * group..(slot + 1) * group);
        }
        let latches = self.latches.iter().zip(rows);
        latches.filter_map(|(latch, row)| latch.map(|(latch, _)| (latch, row)))
    }
}

/// Returns inputs (by index in the circuit) in groups, with classes of values that none of these variants distinguishes in any state.
pub(super) fn grouped(
    model: &ConditionalMutant,
    variants: &[&Simulator],
    inputs: &[usize],
    budget: &Budget,
) -> Vec<Group> {
    let single = || inputs.iter().copied().map(Group::single).collect();
    if inputs.len() < WIDE {
        return single();
    }
    let mut ascending = inputs.to_vec();
    ascending.sort_unstable();
    let mut cut = Cut::new(model, &ascending);
    let mut frontier: Vec<Lit> = Vec::new();
    for variant in variants {
        frontier.extend(cut.add(model, variant));
    }
    frontier.sort_unstable();
    frontier.dedup();
    let groups = cut.groups(&frontier, budget);
    if groups.iter().all(|group| group.inputs.len() == 1) {
        return single();
    }
    groups
}

/// Evaluates 2^[`LANE_BITS`] steps at once, one in each lane.
struct Table<'a, 's> {
    evaluator: &'a Evaluator,
    /// For each group of lanes, which has one state, the plan of that state.
    plans: Vec<&'s Plan>,
    /// The number of bits of each plan in `plans`.
    bits: usize,
    lanes: Lanes<'a, WORDS>,
    /// For each enumerated input its value in each lane.
    values: Vec<[u64; WORDS]>,
    /// The indices in `values` of the inputs that the last evaluation set.
    set: Vec<usize>,
    extracted: Extracted,
}

impl<'a> Table<'a, '_> {
    fn new(evaluator: &'a Evaluator, bits: usize) -> Self {
        Table {
            lanes: evaluator.simulator.lanes(),
            plans: Vec::new(),
            bits,
            values: vec![[0; WORDS]; evaluator.enumerated.inputs().len()],
            set: Vec::new(),
            extracted: Extracted::new(evaluator),
            evaluator,
        }
    }

    /// Evaluates the steps of all lanes. The number of a lane and of this block give the bits of the plans.
    fn evaluate(&mut self, block: usize) {
        for bit in std::mem::take(&mut self.set) {
            self.values[bit] = [0; WORDS];
            self.lanes
                .set_input(self.evaluator.enumerated.inputs()[bit], [0; WORDS]);
        }
        let group = 1 << self.bits.min(LANE_BITS);
        let (values, set) = (&mut self.values, &mut self.set);
        for (slot, plan) in self.plans.iter().enumerate() {
            let lanes: [u64; WORDS] = words::range(slot * group..(slot + 1) * group);
            self.evaluator.enumerated.each_code(plan, |code, class| {
                let mut here = lanes;
                for bit in 0..code.bits {
                    let ones: [u64; WORDS] =
                        words::number_bit(block << LANE_BITS, code.first + bit);
                    let flip = u64::from(code.number >> bit & 1 == 0).wrapping_neg();
                    here = std::array::from_fn(|w| here[w] & (ones[w] ^ flip));
                }
                let ones = class.iter().enumerate().filter(|(_, one)| **one);
                for input in ones.map(|(k, _)| code.inputs + k) {
                    for (value, here) in values[input].iter_mut().zip(here) {
                        *value |= here;
                    }
                    set.push(input);
                }
            });
        }
        for &bit in &self.set {
            self.lanes
                .set_input(self.evaluator.enumerated.inputs()[bit], self.values[bit]);
        }
        self.lanes.eval();
    }

    fn visit(&mut self, first: usize, block: usize, visit: &mut impl FnMut(RawStep<'_>)) {
        let (evaluator, plans) = (self.evaluator, &self.plans);
        let group_bits = self.bits.min(LANE_BITS);
        let used = plans.len() << group_bits;
        self.extracted
            .each(evaluator, &self.lanes, used, |number, outputs, next| {
                let assignment = number & ((1 << group_bits) - 1) | block << LANE_BITS;
                visit(RawStep {
                    slot: first + (number >> group_bits),
                    valuation: evaluator
                        .enumerated
                        .valuation(plans[number >> group_bits], assignment),
                    assignment,
                    outputs,
                    next,
                });
            });
    }
}

/// Outputs and next states of evaluated steps, sorted by lane.
pub(super) struct Extracted {
    /// For each group of 64 outputs, the bits of the outputs in each lane of one word; the next field has those of next states.
    outputs: Vec<[u64; 64]>,
    next: Vec<[u64; 64]>,
}

impl Extracted {
    pub(super) fn new(evaluator: &Evaluator) -> Extracted {
        Extracted {
            outputs: vec![[0; 64]; evaluator.outputs.len().div_ceil(64)],
            next: vec![[0; 64]; evaluator.latches.len().div_ceil(64)],
        }
    }

    /// Calls `visit` with lane, output bits and bits of the next state for each of the first `used` lanes whose step meets the constraints.
    pub(super) fn each(
        &mut self,
        evaluator: &Evaluator,
        lanes: &Lanes<'_, WORDS>,
        used: usize,
        mut visit: impl FnMut(usize, &[u64], &[u64]),
    ) {
        let constraints = evaluator.constraints.iter().copied();
        let mut exists = lanes.holding([u64::MAX; WORDS], constraints);
        if fault::planted(Fault::IgnoredDeadEnds) {
            exists = [u64::MAX; WORDS];
        }
        let mut outputs = vec![0; self.outputs.len()];
        let mut next = vec![0; self.next.len()];
        for (word, &exists) in exists.iter().enumerate().take(used.div_ceil(64)) {
            if exists == 0 {
                continue;
            }
            let shown = evaluator.outputs.iter();
            transpose_all(&mut self.outputs, shown.map(|&lit| lanes.value(lit)[word]));
            transpose_all(
                &mut self.next,
                evaluator.latches.iter().map(|latch| match latch {
                    Some((_, next)) => lanes.value(*next)[word],
                    None => 0,
                }),
            );
            for lane in (0..64.min(used - word * 64)).filter(|lane| exists >> lane & 1 == 1) {
                for (bits, rows) in outputs.iter_mut().zip(&self.outputs) {
                    *bits = rows[lane];
                }
                for (bits, rows) in next.iter_mut().zip(&self.next) {
                    *bits = rows[lane];
                }
                visit(word * 64 + lane, &outputs, &next);
            }
        }
    }
}

/// Fills blocks of 64 rows with these words and transposes each: bit j of row i becomes bit i of row j.
fn transpose_all(blocks: &mut [[u64; 64]], mut words: impl Iterator<Item = u64>) {
    for block in blocks {
        block.fill(0);
        for (row, word) in block.iter_mut().zip(words.by_ref()) {
            *row = word;
        }
        transpose(block);
    }
}

/// Transposes a 64×64 bit matrix (Warren, Hacker's Delight, §7-3).
fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while width > 0 {
        for i in (0..64).filter(|i| i & width == 0) {
            let swap = (rows[i] >> width ^ rows[i + width]) & mask;
            rows[i] ^= swap << width;
            rows[i + width] ^= swap;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn transposing_moves_bit_j_of_row_i_to_bit_i_of_row_j() {
        let mut rows: [u64; 64] =
            std::array::from_fn(|i| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let before = rows;
        transpose(&mut rows);
        for (i, row) in before.iter().enumerate() {
            for (j, column) in rows.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "bit {j} of row {i}");
            }
        }
    }
}
