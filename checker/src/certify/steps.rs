//! All steps of one variant from a state, gate by gate: what the certifiers of sets of states are built on.
//!
//! Shares nothing with the simulator or the explicit engine. 64 inputs and choices are evaluated at once, since all of them are.

use std::collections::BTreeSet;

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit};

/// One variant: the circuit with its selectors as constants, as far as outputs and constraints depend on it.
pub(super) struct Steps<'a> {
    model: &'a ConditionalMutant,
    /// What each node is: itself, or a constant or older literal that it equals.
    meaning: Vec<Lit>,
    /// Whether an output or constraint can ever depend on the node.
    read: Vec<bool>,
    /// The circuit inputs that a step depends on: choices first, then test inputs.
    alphabet: Vec<usize>,
    /// How many of them are choices.
    choices: usize,
}

/// More inputs and choices than this are not enumerated.
const ALPHABET_BITS: usize = 30;

impl<'a> Steps<'a> {
    /// `letters`: the circuit inputs that letters are made of, this variant's among them. `None` if there are too many.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        variant: Variant,
        letters: &[usize],
    ) -> Option<Steps<'a>> {
        let meaning = meanings(model, variant);
        let read = read(model, &meaning);
        let inputs = model.aig.inputs();
        let mut alphabet: Vec<usize> = model
            .choice_bits()
            .filter(|&bit| read[inputs[bit].var.index()])
            .collect();
        let choices = alphabet.len();
        alphabet.extend(letters);
        (alphabet.len() <= ALPHABET_BITS).then_some(Steps {
            model,
            meaning,
            read,
            alphabet,
            choices,
        })
    }

    /// Circuit inputs that the tester sets and that outputs and constraints of one of these variants can depend on.
    pub(super) fn letters(model: &ConditionalMutant, variants: [Variant; 2]) -> Vec<usize> {
        let inputs = model.aig.inputs();
        let read = variants.map(|variant| read(model, &meanings(model, variant)));
        let mut bits: Vec<usize> = model
            .input_bits()
            .filter(|&bit| read.iter().any(|read| read[inputs[bit].var.index()]))
            .collect();
        bits.sort_unstable();
        bits
    }

    /// Every initial state: both values of free resets. Latches that are not read are 0. `None` if there are too many.
    pub(super) fn initial(&self) -> Option<Vec<Vec<bool>>> {
        let mut states = vec![Vec::new()];
        for (latch, read) in self.model.aig.latches().iter().zip(self.latches_read()) {
            let values: &[bool] = match latch.reset {
                _ if !read => &[false],
                Reset::Zero => &[false],
                Reset::One => &[true],
                Reset::Free => &[false, true],
            };
            if states.len() >> ALPHABET_BITS > 0 {
                return None;
            }
            let longer = |state: &Vec<bool>| {
                values
                    .iter()
                    .map(|&value| {
                        let mut state = state.clone();
                        state.push(value);
                        state
                    })
                    .collect::<Vec<_>>()
            };
            states = states.iter().flat_map(longer).collect();
        }
        Some(states)
    }

    /// Per circuit latch, whether it is hidden state that outputs and constraints can depend on.
    fn latches_read(&self) -> Vec<bool> {
        let selectors = self.model.selector_of_latch();
        let latches = self.model.aig.latches().iter().zip(selectors);
        latches
            .map(|(latch, selector)| selector.is_none() && self.read[latch.var.index()])
            .collect()
    }

    /// Per letter the steps that exist from this state: outputs, and next state with what is not read at 0.
    pub(super) fn from(&self, state: &[bool]) -> Vec<BTreeSet<(Vec<bool>, Vec<bool>)>> {
        let aig = &self.model.aig;
        let bits = self.alphabet.len();
        let mut steps = vec![BTreeSet::new(); 1 << (bits - self.choices)];
        let latches_read = self.latches_read();
        let mut values = vec![0u64; aig.len()];
        for block in 0..(1usize << bits).div_ceil(64) {
            let lanes = 64.min(1 << bits);
            let mut inputs = vec![0u64; aig.inputs().len()];
            for (k, &bit) in self.alphabet.iter().enumerate() {
                for lane in 0..lanes {
                    inputs[bit] |= ((block * 64 + lane) as u64 >> k & 1) << lane;
                }
            }
            for (var, node) in aig.nodes() {
                let index = var.index();
                let meaning = self.meaning[index];
                values[index] = match node {
                    _ if meaning != var.lit() => value(&values, meaning),
                    _ if !self.read[index] => 0,
                    Node::False => 0,
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => u64::from(state[i as usize]).wrapping_neg(),
                    Node::And(a, b) => value(&values, a) & value(&values, b),
                };
            }
            let constraints = aig.constraints.iter();
            let exists = constraints.fold(u64::MAX, |all, c| all & value(&values, c.lit));
            for lane in (0..lanes).filter(|lane| exists >> lane & 1 == 1) {
                let bit = |lit: Lit| value(&values, lit) >> lane & 1 == 1;
                let outputs = aig.outputs.iter().map(|output| bit(output.lit));
                let latches = aig.latches().iter().zip(&latches_read);
                let next = latches.map(|(latch, &read)| read && bit(latch.next));
                let letter = (block * 64 + lane) >> self.choices;
                steps[letter].insert((outputs.collect(), next.collect()));
            }
        }
        steps
    }
}

fn value(values: &[u64], lit: Lit) -> u64 {
    values[lit.var().index()] ^ u64::from(lit.is_negated()).wrapping_neg()
}

fn meanings(model: &ConditionalMutant, variant: Variant) -> Vec<Lit> {
    let selectors = model.selector_of_latch();
    let mut meaning: Vec<Lit> = Vec::new();
    for (var, node) in model.aig.nodes() {
        let itself = var.lit();
        let known = match node {
            Node::False => Lit::FALSE,
            Node::Input(_) => itself,
            Node::Latch(i) => match selectors[i as usize] {
                Some(selector) => Lit::constant(variant == Variant::Mutant(selector)),
                None => itself,
            },
            Node::And(a, b) => {
                let a = meaning[a.var().index()] ^ a.is_negated();
                let b = meaning[b.var().index()] ^ b.is_negated();
                match (a.as_constant(), b.as_constant()) {
                    (Some(false), _) | (_, Some(false)) => Lit::FALSE,
                    (Some(true), _) => b,
                    (_, Some(true)) => a,
                    _ if a == b => a,
                    _ if a == !b => Lit::FALSE,
                    _ => itself,
                }
            }
        };
        meaning.push(known);
    }
    meaning
}

/// A plain sequential cone of influence of outputs and constraints.
fn read(model: &ConditionalMutant, meaning: &[Lit]) -> Vec<bool> {
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
