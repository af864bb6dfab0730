//! Three-valued (0, 1, unknown) simulation of model and mutant on a test's inputs, with all choices unknown, gate by gate on the circuit as
//! it is. What it shows holds whatever is chosen.
//!
//! It costs next to nothing, so that many kills need no solver.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

/// What three-valued simulation shows of a test's inputs. That any runs on them exist is shown elsewhere ([`super::replay_kill`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Certain {
    /// No run of the model has the outputs of any run of the mutant.
    pub(super) apart: bool,
    /// No run of the model has these outputs of the mutant.
    pub(super) unmatched: bool,
    /// All runs of the mutant have the same outputs.
    pub(super) alone: bool,
}

/// The bit of a byte in which each side is simulated.
const MODEL: u8 = 1;
const MUTANT: u8 = 2;
const BOTH: u8 = MODEL | MUTANT;

/// Per side whether something can be 0 and whether it can be 1.
#[derive(Clone, Copy)]
struct Rails {
    zero: u8,
    one: u8,
}

impl Rails {
    const ANY: Rails = Rails {
        zero: BOTH,
        one: BOTH,
    };

    /// 1 on these sides and 0 on the others.
    fn of(one: u8) -> Rails {
        Rails {
            zero: BOTH & !one,
            one,
        }
    }

    fn constant(value: bool) -> Rails {
        Rails::of(if value { BOTH } else { 0 })
    }

    fn under(self, lit: Lit) -> Rails {
        match lit.is_negated() {
            true => Rails {
                zero: self.one,
                one: self.zero,
            },
            false => self,
        }
    }

    fn and(self, other: Rails) -> Rails {
        Rails {
            zero: self.zero | other.zero,
            one: self.one & other.one,
        }
    }

    /// The sides on which the value is known.
    fn known(self) -> u8 {
        BOTH & !(self.zero & self.one)
    }
}

/// Simulates both sides on these inputs; `outputs` are the mutant's, of one of its runs.
pub(super) fn certain(
    model: &ConditionalMutant,
    mutant: SelectorId,
    inputs: &[Vec<bool>],
    outputs: &[Vec<bool>],
) -> Certain {
    let aig = &model.aig;
    let selectors = model.selector_of_latch();
    let latches = aig.latches().iter().zip(&selectors);
    let first = latches.map(|(latch, selector)| match (selector, latch.reset) {
        (Some(selector), _) => Rails::of(if *selector == mutant { MUTANT } else { 0 }),
        (None, Reset::Zero) => Rails::constant(false),
        (None, Reset::One) => Rails::constant(true),
        (None, Reset::Free) => Rails::ANY,
    });
    let mut state: Vec<Rails> = first.collect();
    let mut given = vec![false; aig.inputs().len()];
    for bit in model.input_bits() {
        given[bit] = true;
    }
    let read = model.nodes_read(|selector| selector != mutant);
    let mut values = vec![Rails::ANY; aig.len()];
    let mut found = Certain {
        apart: false,
        unmatched: false,
        alone: true,
    };
    for (step, inputs) in inputs.iter().enumerate() {
        for &(var, node) in &read {
            let value = |lit: Lit| values[lit.var().index()].under(lit);
            values[var.index()] = match node {
                Node::False => Rails::constant(false),
                Node::Input(i) if given[i as usize] => Rails::constant(inputs[i as usize]),
                Node::Input(_) => Rails::ANY,
                Node::Latch(i) => state[i as usize],
                Node::And(a, b) => value(a).and(value(b)),
            };
        }
        let value = |lit: Lit| values[lit.var().index()].under(lit);
        for (i, output) in aig.outputs.iter().enumerate() {
            let value = value(output.lit);
            let known = value.known();
            found.alone &= known & MUTANT != 0;
            found.apart |= known == BOTH && (value.one == MODEL || value.one == MUTANT);
            let shown = outputs.get(step).and_then(|outputs| outputs.get(i));
            let shown = shown.map(|&shown| shown == (value.one & MODEL != 0));
            found.unmatched |= known & MODEL != 0 && shown == Some(false);
        }
        for (i, latch) in aig.latches().iter().enumerate() {
            // What nobody reads may become anything.
            if selectors[i].is_none() {
                state[i] = value(latch.next);
            }
        }
    }
    found
}
