//! φ1 read literally on circuits of realistic size: breadth-first search over the product of two copies.
//!
//! For manifests of models, where the step tables of [`Oracle`](super::Oracle) would not fit. All input valuations of a step are evaluated
//! at once, 64 to a machine word. The product is built here from the gates, with separate code for folding and hashing. The search is about
//! *runs that differ*: on a model that is not deterministic, a difference is not yet a kill (semantics.md §2).

use hyperkill_core::aig::Node;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The result of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The shortest test has this many steps.
    Killed(usize),
    /// No reachable pair of states shows a difference.
    Equivalent,
    /// Too many states, latches or input valuations.
    TooBig,
}

/// The largest number of input and choice bits per step.
const ALPHABET_BITS: usize = 16;

/// Returns the length of the shortest test on which the original and the mutant behind this selector differ.
///
/// With `controllable`, both make the same choices, free initial values included (semantics.md §5). `limit` is the largest number of
/// product states to visit.
#[must_use]
pub fn shortest_kill(
    model: &ConditionalMutant,
    selector: SelectorId,
    controllable: bool,
    limit: usize,
) -> Verdict {
    shortest_difference(model, [None, Some(selector)], controllable, limit)
}

/// Returns the length of the shortest input sequence on which two runs of one side differ. `side` is `None` for the original. `Equivalent`
/// means deterministic.
#[must_use]
pub fn shortest_nondeterminism(
    model: &ConditionalMutant,
    side: Option<SelectorId>,
    limit: usize,
) -> Verdict {
    shortest_difference(model, [side, side], false, limit)
}

fn shortest_difference(
    model: &ConditionalMutant,
    sides: [Option<SelectorId>; 2],
    controllable: bool,
    limit: usize,
) -> Verdict {
    let pair = Pair::new(model, sides, controllable);
    if pair.alphabet.len() > ALPHABET_BITS {
        return Verdict::TooBig;
    }
    match pair.latches.len() {
        0..=64 => pair.search::<1>(limit),
        65..=128 => pair.search::<2>(limit),
        129..=256 => pair.search::<4>(limit),
        _ => Verdict::TooBig,
    }
}

/// A literal of the product: twice the index in [`Pair::gates`], plus one for the complement.
type Code = u32;

const FALSE: Code = 0;
const TRUE: Code = 1;

/// The gate at an index of the product.
#[derive(Clone, Copy)]
enum Gate {
    False,
    Input,
    Latch,
    And(Code, Code),
}

/// A latch of one copy.
struct PairLatch {
    place: usize,
    next: Code,
    reset: Reset,
    /// Its index in the circuit. Two latches with the same index share a free initial value if choices are shared.
    origin: usize,
}

/// Two copies in one list of gates, fan-ins first.
struct Pair {
    gates: Vec<Gate>,
    hashed: FxHashMap<(Code, Code), Code>,
    /// The indices of the wires whose values are chosen anew in each step.
    alphabet: Vec<usize>,
    latches: Vec<PairLatch>,
    /// Is true if both copies satisfy their constraints.
    valid: Code,
    /// Is true if some output differs.
    bad: Code,
    controllable: bool,
}

impl Pair {
    fn new(model: &ConditionalMutant, sides: [Option<SelectorId>; 2], controllable: bool) -> Pair {
        let mut pair = Pair {
            gates: vec![Gate::False],
            hashed: FxHashMap::default(),
            alphabet: Vec::new(),
            latches: Vec::new(),
            valid: TRUE,
            bad: FALSE,
            controllable,
        };
        let mut shared = FxHashMap::default();
        let left = pair.copy(model, sides[0], &mut shared);
        if !controllable {
            let choices: Vec<usize> = model.choice_bits().collect();
            shared.retain(|input, _| !choices.contains(input));
        }
        let right = pair.copy(model, sides[1], &mut shared);
        for constraint in &model.aig.constraints {
            for copy in [&left, &right] {
                pair.valid = pair.and(pair.valid, code(copy, constraint.lit));
            }
        }
        for output in &model.aig.outputs {
            let (l, r) = (code(&left, output.lit), code(&right, output.lit));
            let only_left = pair.and(l, r ^ 1);
            let only_right = pair.and(l ^ 1, r);
            let same = pair.and(only_left ^ 1, only_right ^ 1);
            pair.bad = pair.and(pair.bad ^ 1, same) ^ 1;
        }
        pair.drop_what_nobody_reads();
        pair
    }

    /// Adds one copy, with its selectors as constants, and returns the code of every node of the circuit. `shared` has the codes of the
    /// inputs that both copies share, by index; missing ones are added.
    fn copy(
        &mut self,
        model: &ConditionalMutant,
        side: Option<SelectorId>,
        shared: &mut FxHashMap<usize, Code>,
    ) -> Vec<Code> {
        let aig = &model.aig;
        let first_latch = self.latches.len();
        let mut codes: Vec<Code> = Vec::with_capacity(aig.len());
        for (_, node) in aig.nodes() {
            let code = match node {
                Node::False => FALSE,
                Node::Input(i) => *shared.entry(i as usize).or_insert_with(|| {
                    self.alphabet.push(self.gates.len());
                    self.gates.push(Gate::Input);
                    (self.gates.len() as Code - 1) << 1
                }),
                Node::Latch(i) => {
                    let i = i as usize;
                    match model.selectors.iter().position(|s| s.latch == i) {
                        Some(selector) => Code::from(side == Some(SelectorId(selector))),
                        None => {
                            let place = self.gates.len();
                            self.gates.push(Gate::Latch);
                            self.latches.push(PairLatch {
                                place,
                                next: FALSE,
                                reset: aig.latches()[i].reset,
                                origin: i,
                            });
                            (place as Code) << 1
                        }
                    }
                }
                Node::And(a, b) => self.and(code(&codes, a), code(&codes, b)),
            };
            codes.push(code);
        }
        for latch in &mut self.latches[first_latch..] {
            latch.next = code(&codes, aig.latches()[latch.origin].next);
        }
        codes
    }

    fn and(&mut self, a: Code, b: Code) -> Code {
        let (a, b) = (a.min(b), a.max(b));
        if a == FALSE || a == b ^ 1 {
            return FALSE;
        }
        if a == TRUE || a == b {
            return b;
        }
        let gates = &mut self.gates;
        *self.hashed.entry((a, b)).or_insert_with(|| {
            gates.push(Gate::And(a, b));
            (gates.len() as Code - 1) << 1
        })
    }

    /// Drops all gates, latches and inputs outside the cone of influence of `valid` and `bad`.
    fn drop_what_nobody_reads(&mut self) {
        let mut read = vec![false; self.gates.len()];
        read[place(self.valid)] = true;
        read[place(self.bad)] = true;
        loop {
            for i in (0..self.gates.len()).rev() {
                if let (true, Gate::And(a, b)) = (read[i], self.gates[i]) {
                    read[place(a)] = true;
                    read[place(b)] = true;
                }
            }
            let mut again = false;
            for latch in &self.latches {
                if read[latch.place] && !std::mem::replace(&mut read[place(latch.next)], true) {
                    again = true;
                }
            }
            if !again {
                break;
            }
        }
        self.latches.retain(|latch| read[latch.place]);
        self.alphabet.retain(|&wire| read[wire]);
        for (i, gate) in self.gates.iter_mut().enumerate() {
            if !read[i] {
                *gate = Gate::False;
            }
        }
    }

    /// Searches breadth-first, one level per step. A state is one bit per latch in `K` words.
    fn search<const K: usize>(&self, limit: usize) -> Verdict {
        let Some(initial) = self.initial_states::<K>(limit) else {
            return Verdict::TooBig;
        };
        let mut seen: FxHashSet<[u64; K]> = initial.iter().copied().collect();
        let mut level = initial;
        let mut values = vec![0; self.gates.len()];
        let mut steps = 0;
        while !level.is_empty() {
            steps += 1;
            let mut next_level = Vec::new();
            for state in &level {
                for (k, latch) in self.latches.iter().enumerate() {
                    values[latch.place] = spread(state[k / 64] >> (k % 64) & 1 == 1);
                }
                for block in 0..1usize << self.alphabet.len().saturating_sub(6) {
                    self.evaluate(block, &mut values);
                    let valid = value(&values, self.valid) & self.used_lanes();
                    if valid & value(&values, self.bad) != 0 {
                        return Verdict::Killed(steps);
                    }
                    self.for_each_successor(&values, valid, |next: [u64; K]| {
                        if seen.insert(next) {
                            next_level.push(next);
                        }
                    });
                    if seen.len() > limit {
                        return Verdict::TooBig;
                    }
                }
            }
            level = next_level;
        }
        Verdict::Equivalent
    }

    /// Evaluates all gates under 64 valuations of the alphabet: valuation `64 * block + lane` in lane `lane`.
    fn evaluate(&self, block: usize, values: &mut [u64]) {
        const LANE_BIT: [u64; 6] = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0,
            0xff00_ff00_ff00_ff00,
            0xffff_0000_ffff_0000,
            0xffff_ffff_0000_0000,
        ];
        for (k, &wire) in self.alphabet.iter().enumerate() {
            values[wire] = match LANE_BIT.get(k) {
                Some(&pattern) => pattern,
                None => spread(block >> (k - 6) & 1 == 1),
            };
        }
        for (i, gate) in self.gates.iter().enumerate() {
            if let Gate::And(a, b) = *gate {
                values[i] = value(values, a) & value(values, b);
            }
        }
    }

    /// Returns a mask of the lanes with distinct valuations. If a step chooses fewer than 6 bits, the other lanes repeat them.
    fn used_lanes(&self) -> u64 {
        match self.alphabet.len() {
            bits @ 0..=5 => (1 << (1 << bits)) - 1,
            _ => u64::MAX,
        }
    }

    /// Calls a function for the next state of every lane in the mask `valid`. Does not repeat the same state for neighbouring lanes.
    fn for_each_successor<const K: usize>(
        &self,
        values: &[u64],
        valid: u64,
        mut visit: impl FnMut([u64; K]),
    ) {
        if valid == 0 {
            return;
        }
        let mut lanes = [[0u64; K]; 64];
        for (word, latches) in self.latches.chunks(64).enumerate() {
            let mut rows = [0; 64];
            for (row, latch) in rows.iter_mut().zip(latches) {
                *row = value(values, latch.next);
            }
            transpose(&mut rows);
            for (lane, row) in lanes.iter_mut().zip(rows) {
                lane[word] = row;
            }
        }
        let mut last = None;
        for (lane, &state) in lanes.iter().enumerate() {
            if valid >> lane & 1 == 1 && last != Some(state) {
                visit(state);
                last = Some(state);
            }
        }
    }

    /// Returns all initial states of the pair; `None` if there are more than `limit`.
    fn initial_states<const K: usize>(&self, limit: usize) -> Option<Vec<[u64; K]>> {
        let mut fixed = [0u64; K];
        // Latches with a common free initial value form one group.
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (k, latch) in self.latches.iter().enumerate() {
            match latch.reset {
                Reset::Zero => {}
                Reset::One => fixed[k / 64] |= 1 << (k % 64),
                Reset::Free => {
                    let partner = groups
                        .iter_mut()
                        .find(|g| self.controllable && self.latches[g[0]].origin == latch.origin);
                    match partner {
                        Some(group) => group.push(k),
                        None => groups.push(vec![k]),
                    }
                }
            }
        }
        if groups.len() >= 32 || 1 << groups.len() > limit {
            return None;
        }
        let states = (0..1u64 << groups.len()).map(|choice| {
            let mut state = fixed;
            for (g, group) in groups.iter().enumerate() {
                for &k in group {
                    state[k / 64] |= (choice >> g & 1) << (k % 64);
                }
            }
            state
        });
        Some(states.collect())
    }
}

fn code(codes: &[Code], lit: Lit) -> Code {
    codes[lit.var().index()] ^ Code::from(lit.is_negated())
}

fn place(code: Code) -> usize {
    (code >> 1) as usize
}

fn value(values: &[u64], code: Code) -> u64 {
    values[place(code)] ^ spread(code & 1 == 1)
}

pub(super) fn spread(bit: bool) -> u64 {
    if bit { u64::MAX } else { 0 }
}

/// Transposes a 64×64 bit matrix: bit j of row i becomes bit i of row j.
pub(super) fn transpose(rows: &mut [u64; 64]) {
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
