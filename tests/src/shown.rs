//! Transforms a system so that outputs show its choices: each choice bit becomes a comparison of a chosen value, which is an output.
//!
//! Values with the same result of the comparison have the same effect, except on the output. Comparisons have the same results at every
//! width, so a system with narrow values predicts the answers for wide values.

use hyperkill_core::aig::{Images, Leaf, Signal};
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Exclusive upper bound of constants, so that there are values beyond them.
const CONSTANTS: usize = 7;

/// The least width of values, in bits, at which every comparison can have either result.
pub const NARROW: usize = 4;

/// Returns the system with its choices as values of this many bits (at least [`NARROW`]) that outputs show. The same seed gives the same
/// system except for the width. The first mutant may compare with another constant.
#[must_use]
pub fn showing(model: &ConditionalMutant, bits: usize, seed: u64) -> ConditionalMutant {
    shown(model, bits, seed, false)
}

/// Returns the system of [`showing`] with one more output. In the original it is the lowest bit of the first shown value. In the first
/// mutant it is the second-lowest bit of that value, or the complement of that bit.
#[must_use]
pub fn showing_twice(model: &ConditionalMutant, bits: usize, seed: u64) -> ConditionalMutant {
    shown(model, bits, seed, true)
}

fn shown(model: &ConditionalMutant, bits: usize, seed: u64, twice: bool) -> ConditionalMutant {
    let mut draft = Draft {
        rng: ChaCha8Rng::seed_from_u64(seed),
        aig: Aig::new(),
        bits,
        choices: Vec::new(),
        shown: Vec::new(),
    };
    let latches = model.aig.latches().iter();
    let latches: Vec<Lit> = latches
        .map(|latch| draft.aig.add_latch(latch.reset, latch.name.clone()))
        .collect();
    let selector = model.selectors.first().map(|s| latches[s.latch]);
    let chosen: Vec<usize> = model.choice_bits().collect();
    let mut moved = vec![None; model.aig.inputs().len()];
    let mut inputs = vec![Lit::FALSE; model.aig.inputs().len()];
    for (index, input) in model.aig.inputs().iter().enumerate() {
        if !chosen.contains(&index) {
            moved[index] = Some(draft.aig.inputs().len());
            inputs[index] = draft.aig.add_input(input.name.clone());
        }
    }
    let selectors: Vec<usize> = model.selectors.iter().map(|s| s.latch).collect();
    let states = latches.iter().enumerate();
    let states = states.filter(|(latch, _)| !selectors.contains(latch));
    let mut conditions: Vec<Lit> = states.map(|(_, &latch)| latch).collect();
    conditions.extend(model.input_bits().map(|bit| inputs[bit]));
    for &bit in &chosen {
        inputs[bit] = draft.chosen(&conditions, selector);
    }
    let images: Images = draft.aig.copy(
        &model.aig,
        |_| true,
        |_, _, leaf| match leaf {
            Leaf::Input(input) => inputs[input],
            Leaf::Latch(latch) => latches[latch],
        },
    );
    for (index, latch) in model.aig.latches().iter().enumerate() {
        draft.aig.set_next(index, images.of(latch.next));
    }
    let mut outputs = model.outputs.clone();
    draft.aig.outputs = images.signals(&model.aig.outputs);
    if let (true, Some(selector), Some([low, next, ..])) =
        (twice, selector, draft.shown.first().map(Vec::as_slice))
    {
        let (low, next) = (*low, *next ^ draft.rng.random_bool(0.3));
        let first = draft.aig.outputs.len();
        let port = word("again".to_owned(), first..first + 1);
        let lit = draft.aig.ite(selector, next, low);
        let name = Some(port.bit_name(0));
        draft.aig.outputs.push(Signal { lit, name });
        outputs.push(port);
    }
    for (number, value) in draft.shown.into_iter().enumerate() {
        let first = draft.aig.outputs.len();
        let port = word(format!("s{number}"), first..first + bits);
        let signals = value.into_iter().enumerate().map(|(bit, lit)| Signal {
            lit,
            name: Some(port.bit_name(bit)),
        });
        draft.aig.outputs.extend(signals);
        outputs.push(port);
    }
    draft.aig.constraints = images.signals(&model.aig.constraints);
    let tested = model.inputs.iter().map(|port| Port {
        bits: port.bits.iter().filter_map(|&bit| moved[bit]).collect(),
        ..port.clone()
    });
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: format!("{}-showing", model.name),
        inputs: tested.collect(),
        choices: draft.choices,
        outputs,
        selectors: model.selectors.clone(),
        mutants: model.mutants.clone(),
        aig: draft.aig,
    }
}

fn word(name: String, bits: std::ops::Range<usize>) -> Port {
    Port {
        name,
        sort: Sort::Word {
            width: bits.len() as u32,
            signed: false,
        },
        bits: bits.collect(),
    }
}

struct Draft {
    rng: ChaCha8Rng,
    aig: Aig,
    bits: usize,
    choices: Vec<Port>,
    /// By choice, the bits that outputs show.
    shown: Vec<Vec<Lit>>,
}

impl Draft {
    /// Returns a bit that compares a new value. Outputs show this value, in some cases only under a condition.
    fn chosen(&mut self, conditions: &[Lit], selector: Option<Lit>) -> Lit {
        let first = self.aig.inputs().len();
        let name = format!("v{}", self.choices.len());
        let port = word(name, first..first + self.bits);
        let code: Vec<Lit> = (0..self.bits)
            .map(|bit| {
                self.aig
                    .add_input(Some(format!("nd:{}", port.bit_name(bit))))
            })
            .collect();
        self.choices.push(port);
        let value = self.value(&code);
        // In some cases the code is compared instead of its value.
        let compared = match self.rng.random_bool(0.15) {
            true => &code,
            false => &value,
        };
        let compared = compared.clone();
        let less = self.rng.random_bool(0.5);
        let constants = [(); 2].map(|()| self.rng.random_range(1..CONSTANTS));
        let [one, other] = constants.map(|constant| match less {
            true => self.below(&compared, constant),
            false => self.is(&compared, constant),
        });
        let comparison = match selector.filter(|_| self.rng.random_bool(0.4)) {
            Some(selector) => self.aig.ite(selector, other, one),
            None => one,
        };
        let condition = conditions.get(self.rng.random_range(0..=conditions.len()));
        let negated = self.rng.random_bool(0.5);
        let narrows = self.rng.random_bool(0.3);
        let when = condition.map_or(Lit::TRUE, |&condition| condition ^ negated);
        let when = match narrows {
            true => self.aig.and(when, comparison),
            false => when,
        };
        let default = self.default();
        let shown = value.iter().enumerate().map(|(place, &bit)| {
            let other = match (default >> place.min(63)) & 1 {
                1 => Lit::TRUE,
                _ => Lit::FALSE,
            };
            self.aig.ite(when, bit, other)
        });
        let shown = shown.collect();
        self.shown.push(shown);
        comparison
    }

    /// Returns the bits that outputs show where the condition fails: a small number or its complement. The high bits of the complement are
    /// all 1, as in a negative number. Whether such a number is the value of a code does not depend on the width.
    fn default(&mut self) -> u64 {
        let small = self.rng.random_range(0..CONSTANTS as u64);
        match self.rng.random_range(0..4) {
            0 | 1 => 0,
            2 => small,
            _ => !(small % 4),
        }
    }

    /// Returns the bits of a value, given the bits of its code. Codes beyond a last value are taken without their highest bit.
    fn value(&mut self, code: &[Lit]) -> Vec<Lit> {
        let mut value = code.to_vec();
        let Some((top, lower)) = value.split_last_mut() else {
            return value;
        };
        let beyond = self.rng.random_range(0..4);
        if self.rng.random_bool(0.5)
            && let Some(&high) = lower.get(beyond.min(lower.len() - 1))
        {
            *top = self.aig.and(*top, !high);
        }
        value
    }

    fn is(&mut self, value: &[Lit], constant: usize) -> Lit {
        let bits = value.iter().enumerate();
        let bits: Vec<Lit> = bits
            .map(|(bit, &lit)| {
                let one = constant >> bit.min(usize::BITS as usize - 1) & 1 == 1;
                if one { lit } else { !lit }
            })
            .collect();
        self.aig.and_all(&bits)
    }

    fn below(&mut self, value: &[Lit], constant: usize) -> Lit {
        (0..constant).fold(Lit::FALSE, |below, smaller| {
            let is = self.is(value, smaller);
            self.aig.or(below, is)
        })
    }
}
