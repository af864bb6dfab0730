//! Transforms a system so that its inputs are wide: each input bit becomes a comparison of ports.
//!
//! The system reads its ports only through a few comparisons, so the ports have far more valuations than effects.

use hyperkill_core::aig::{Images, Leaf};
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The parameters of the transformation.
#[derive(Clone, Copy, Debug)]
pub struct Widening {
    /// The number of port bits for each input bit of the system, at least 2.
    pub bits: usize,
    /// Whether the first mutant may also compare in another way. Otherwise every comparison can have either result, whatever the others
    /// give, so that all answers stay the same.
    pub mutated: bool,
}

/// Returns the system with its inputs widened. The same seed gives the same system.
#[must_use]
pub fn widened(model: &ConditionalMutant, widening: Widening, seed: u64) -> ConditionalMutant {
    let mut draft = Draft {
        rng: ChaCha8Rng::seed_from_u64(seed),
        aig: Aig::new(),
        ports: Vec::new(),
        widening,
    };
    let latches = model.aig.latches().iter();
    let latches: Vec<Lit> = latches
        .map(|latch| draft.aig.add_latch(latch.reset, latch.name.clone()))
        .collect();
    let selector = model.selectors.first().map(|s| latches[s.latch]);
    let tested: Vec<usize> = model.input_bits().collect();
    let mut moved = vec![None; model.aig.inputs().len()];
    let mut inputs = Vec::new();
    for (index, input) in model.aig.inputs().iter().enumerate() {
        if tested.contains(&index) {
            inputs.push(draft.comparison(selector));
        } else {
            moved[index] = Some(draft.aig.inputs().len());
            inputs.push(draft.aig.add_input(input.name.clone()));
        }
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
    draft.aig.outputs = images.signals(&model.aig.outputs);
    draft.aig.constraints = images.signals(&model.aig.constraints);
    let choices = model.choices.iter().map(|port| Port {
        bits: port.bits.iter().filter_map(|&bit| moved[bit]).collect(),
        ..port.clone()
    });
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: format!("{}-wide", model.name),
        choices: choices.collect(),
        inputs: draft.ports,
        outputs: model.outputs.clone(),
        selectors: model.selectors.clone(),
        mutants: model.mutants.clone(),
        aig: draft.aig,
    }
}

struct Draft {
    rng: ChaCha8Rng,
    aig: Aig,
    ports: Vec<Port>,
    widening: Widening,
}

impl Draft {
    /// Adds a new port. Returns its bits, lowest first.
    fn port(&mut self, bits: usize) -> Vec<Lit> {
        let name = format!("p{}", self.ports.len());
        let first = self.aig.inputs().len();
        let lits = (0..bits)
            .map(|bit| self.aig.add_input(Some(format!("{name}[{bit}]"))))
            .collect();
        self.ports.push(Port {
            name,
            sort: Sort::Word {
                width: bits as u32,
                signed: false,
            },
            bits: (first..first + bits).collect(),
        });
        lits
    }

    /// Returns a bit that compares new ports. Given a selector, the mutant may compare with another constant.
    fn comparison(&mut self, selector: Option<Lit>) -> Lit {
        let bits = self.widening.bits;
        let selector = selector.filter(|_| self.widening.mutated && self.rng.random_bool(0.5));
        let half = bits / 2;
        match self.rng.random_range(0..7) {
            0 | 1 => {
                let port = self.port(bits);
                let constant = self.constant(bits, selector);
                self.equal(&port, &constant)
            }
            2 => {
                let port = self.port(bits);
                let constant = self.constant(bits, selector);
                // Never "below 0", which is always false.
                let some = self.aig.or_all(&constant);
                let less = self.less(&port, &constant);
                let zero = self.aig.or_all(&port);
                self.aig.ite(some, less, !zero)
            }
            3 => {
                let (a, b) = (self.port(half), self.port(bits - half));
                let b = extended(&b, half);
                self.equal(&a, &b)
            }
            4 => {
                let (a, b) = (self.port(half), self.port(bits - half));
                let b = extended(&b, half);
                match selector {
                    Some(selector) => {
                        let (less, more) = (self.less(&a, &b), self.less(&b, &a));
                        self.aig.ite(selector, !more, less)
                    }
                    None => self.less(&a, &b),
                }
            }
            5 => {
                // The carry of a sum.
                let (a, b) = (self.port(half), self.port(bits - half));
                let b = extended(&b, half);
                let mut carry = selector.unwrap_or(Lit::FALSE);
                for (&a, &b) in a.iter().zip(&b) {
                    let either = self.aig.or(a, b);
                    let both = self.aig.and(a, b);
                    let passed = self.aig.and(either, carry);
                    carry = self.aig.or(both, passed);
                }
                carry
            }
            _ => {
                let port = self.port(bits);
                port.iter()
                    .fold(Lit::FALSE, |sum, &bit| self.aig.xor(sum, bit))
            }
        }
    }

    /// Returns the bits of a random constant, which may differ under the selector.
    fn constant(&mut self, bits: usize, selector: Option<Lit>) -> Vec<Lit> {
        let bits = 0..bits;
        let bits = bits.map(|_| {
            let one = self.rng.random_bool(0.5);
            match selector.filter(|_| self.rng.random_bool(0.3)) {
                Some(selector) => selector ^ one,
                None => Lit::constant(one),
            }
        });
        bits.collect()
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| self.aig.iff(a, b)).collect();
        self.aig.and_all(&same)
    }

    fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::FALSE, |less, (&a, &b)| {
            let differ = self.aig.xor(a, b);
            self.aig.ite(differ, b, less)
        })
    }
}

/// Returns the bits extended by zeros to this width.
fn extended(bits: &[Lit], width: usize) -> Vec<Lit> {
    let zeros = std::iter::repeat(Lit::FALSE);
    bits.iter().copied().chain(zeros).take(width).collect()
}
