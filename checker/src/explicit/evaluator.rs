//! All steps of one variant from given states, 256 at a time: the simulator's lanes as a table.
//!
//! Knows bits only. What a step means, and that some steps are alike, is [`super::machine`]'s.

use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::{ConditionalMutant, Lit};

use crate::fault::{self, Fault};

/// Machine words per evaluation.
const WORDS: usize = 4;

/// 2^LANE_BITS steps per evaluation.
const LANE_BITS: usize = 8;

/// Values of the six lowest bits of a lane's number, in every lane of a word.
const LANE_BIT: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// One variant of a model, ready to be asked for its steps.
#[derive(Debug)]
pub(super) struct Evaluator {
    simulator: Simulator,
    /// Circuit inputs that are enumerated: choices of this variant first, then the letters' bits, lowest first.
    alphabet: Vec<usize>,
    /// How many of them are choices.
    choices: usize,
    /// Circuit latches that states are made of; bit k of a state is latch `latches[k]`. `None` if this variant does not
    /// read it.
    latches: Vec<Option<(usize, Lit)>>,
    outputs: Vec<Lit>,
    constraints: Vec<Lit>,
}

/// A step as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawStep<'a> {
    /// Which of the states asked for it starts from.
    pub(super) slot: usize,
    /// Bits of the test input.
    pub(super) letter: usize,
    /// Bits of the choice.
    pub(super) choice: usize,
    /// Bits of the outputs.
    pub(super) outputs: &'a [u64],
    /// Bits of the next state.
    pub(super) next: &'a [u64],
}

/// Whether this variant's outputs and constraints can ever depend on these inputs and latches, by circuit index.
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
    /// Compiles a variant. `letters`: circuit inputs that letters are made of; `latches`: circuit latches that states are made of.
    pub(super) fn new(
        model: &ConditionalMutant,
        variant: Variant,
        letters: &[usize],
        latches: &[usize],
    ) -> Evaluator {
        let simulator = Simulator::for_variant(model, variant);
        let (read_inputs, read_latches) = reads(model, &simulator);
        let mut alphabet: Vec<usize> = model
            .choice_bits()
            .filter(|&bit| read_inputs[bit])
            .collect();
        let choices = alphabet.len();
        alphabet.extend(letters);
        let lits =
            |signals: &[hyperkill_core::aig::Signal]| signals.iter().map(|s| s.lit).collect();
        Evaluator {
            alphabet,
            choices,
            latches: latches
                .iter()
                .map(|&latch| read_latches[latch].then(|| (latch, model.aig.latches()[latch].next)))
                .collect(),
            outputs: lits(&model.aig.outputs),
            constraints: lits(&model.aig.constraints),
            simulator,
        }
    }

    /// Circuit inputs that are choices of this variant; bit k of a choice is the k-th.
    pub(super) fn choice_bits(&self) -> &[usize] {
        &self.alphabet[..self.choices]
    }

    /// Steps (letter and choice) from each state, existing or not.
    pub(super) fn steps_per_state(&self) -> Option<usize> {
        1usize.checked_shl(u32::try_from(self.alphabet.len()).ok()?)
    }

    /// Calls `visit` for every step that exists from these states, by state, then letter, then choice.
    pub(super) fn steps<'s>(
        &self,
        states: impl IntoIterator<Item = &'s [u64]>,
        mut visit: impl FnMut(RawStep<'_>),
    ) {
        let bits = self.alphabet.len();
        let slots = 1 << LANE_BITS.saturating_sub(bits);
        let mut table = Table::new(self);
        let mut batch: Vec<&[u64]> = Vec::with_capacity(slots);
        let mut first = 0;
        let mut states = states.into_iter();
        loop {
            batch.clear();
            batch.extend(states.by_ref().take(slots));
            if batch.is_empty() {
                return;
            }
            table.load(&batch);
            for block in 0..1usize << bits.saturating_sub(LANE_BITS) {
                table.evaluate(block);
                table.visit(first, batch.len(), block, &mut visit);
            }
            first += batch.len();
        }
    }
}

/// 2^[`LANE_BITS`] steps.
struct Table<'a> {
    evaluator: &'a Evaluator,
    lanes: Lanes<'a, WORDS>,
    /// Per lane of one word the bits of outputs and next states.
    outputs: Vec<[u64; 64]>,
    next: Vec<[u64; 64]>,
}

impl<'a> Table<'a> {
    fn new(evaluator: &'a Evaluator) -> Table<'a> {
        Table {
            lanes: evaluator.simulator.lanes(),
            outputs: vec![[0; 64]; evaluator.outputs.len().div_ceil(64)],
            next: vec![[0; 64]; evaluator.latches.len().div_ceil(64)],
            evaluator,
        }
    }

    /// Lanes of one state.
    fn lanes_per_state(&self) -> usize {
        1 << self.evaluator.alphabet.len().min(LANE_BITS)
    }

    /// Puts state i into the i-th group of lanes.
    fn load(&mut self, states: &[&[u64]]) {
        let group = self.lanes_per_state();
        for (k, latch) in self.evaluator.latches.iter().enumerate() {
            let Some((latch, _)) = *latch else { continue };
            let mut value = [0u64; WORDS];
            for (slot, state) in states.iter().enumerate() {
                if state[k / 64] >> (k % 64) & 1 == 1 {
                    let lane = slot * group;
                    if group >= 64 {
                        value[lane / 64..(lane + group) / 64].fill(u64::MAX);
                    } else {
                        value[lane / 64] |= ((1 << group) - 1) << (lane % 64);
                    }
                }
            }
            self.lanes.set_latch(latch, value);
        }
    }

    /// Evaluates the lanes under the inputs and choices of this block.
    fn evaluate(&mut self, block: usize) {
        for (k, &input) in self.evaluator.alphabet.iter().enumerate() {
            let value = std::array::from_fn(|word| match LANE_BIT.get(k) {
                Some(&pattern) => pattern,
                None if k < LANE_BITS => mask(word >> (k - 6) & 1 == 1),
                None => mask(block >> (k - LANE_BITS) & 1 == 1),
            });
            self.lanes.set_input(input, value);
        }
        self.lanes.eval();
    }

    fn visit(
        &mut self,
        first: usize,
        slots: usize,
        block: usize,
        visit: &mut impl FnMut(RawStep<'_>),
    ) {
        let evaluator = self.evaluator;
        let group_bits = evaluator.alphabet.len().min(LANE_BITS);
        let used = slots << group_bits;
        let mut exists = [u64::MAX; WORDS];
        for &constraint in &evaluator.constraints {
            let holds = self.lanes.value(constraint);
            for (word, holds) in exists.iter_mut().zip(holds) {
                *word &= holds;
            }
        }
        if fault::planted(Fault::IgnoredDeadEnds) {
            exists = [u64::MAX; WORDS];
        }
        let mut outputs = vec![0; self.outputs.len()];
        let mut next = vec![0; self.next.len()];
        for (word, &exists) in exists.iter().enumerate().take(used.div_ceil(64)) {
            if exists == 0 {
                continue;
            }
            transpose_all(
                &mut self.outputs,
                evaluator
                    .outputs
                    .iter()
                    .map(|&lit| self.lanes.value(lit)[word]),
            );
            transpose_all(
                &mut self.next,
                evaluator.latches.iter().map(|latch| match latch {
                    Some((_, next)) => self.lanes.value(*next)[word],
                    None => 0,
                }),
            );
            for lane in 0..64.min(used - word * 64) {
                if exists >> lane & 1 == 0 {
                    continue;
                }
                let number = word * 64 + lane;
                let valuation = number & ((1 << group_bits) - 1) | block << LANE_BITS;
                for (bits, rows) in outputs.iter_mut().zip(&self.outputs) {
                    *bits = rows[lane];
                }
                for (bits, rows) in next.iter_mut().zip(&self.next) {
                    *bits = rows[lane];
                }
                visit(RawStep {
                    slot: first + (number >> group_bits),
                    letter: valuation >> evaluator.choices,
                    choice: valuation & ((1 << evaluator.choices) - 1),
                    outputs: &outputs,
                    next: &next,
                });
            }
        }
    }
}

fn mask(bit: bool) -> u64 {
    u64::from(bit).wrapping_neg()
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
