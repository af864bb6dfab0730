//! One variant of a model, compiled for simulation.

use hyperkill_core::aig::Node;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{Aig, ConditionalMutant, Lit};

use super::stimuli::{Stimuli, WORDS, Word};
use crate::fault::{self, Fault};

/// What a variant answers, per step.
pub(super) struct Answers {
    /// Per step and output.
    outputs: Vec<Vec<Word>>,
    /// Per step: lanes whose run has survived it.
    alive: Vec<Word>,
}

/// A single copy of the model with its selectors folded in.
pub(super) struct Runner {
    product: Product,
}

impl Runner {
    pub(super) fn new(model: &ConditionalMutant, variant: Variant) -> Runner {
        let spec = CopySpec {
            variant,
            inputs_of: None,
            choices_of: None,
        };
        Runner {
            product: Product::new(model, &[spec]),
        }
    }

    /// Answers under all stimuli, to the end.
    pub(super) fn run(&self, stimuli: &Stimuli) -> Answers {
        let mut answers = Answers {
            outputs: Vec::with_capacity(stimuli.steps.len()),
            alive: Vec::with_capacity(stimuli.steps.len()),
        };
        let mut simulation = Simulation::start(self, stimuli);
        for step in 0..stimuli.steps.len() {
            simulation.step(stimuli, step);
            answers.outputs.push(simulation.outputs());
            answers.alive.push(simulation.alive);
        }
        answers
    }

    /// The first step at which some lane's outputs differ from the expected ones while both runs are alive: the
    /// lowest such lane and the number of steps up to and including that one.
    pub(super) fn first_difference(
        &self,
        stimuli: &Stimuli,
        expected: &Answers,
    ) -> Option<(usize, usize)> {
        let mut simulation = Simulation::start(self, stimuli);
        for step in 0..stimuli.steps.len() {
            simulation.step(stimuli, step);
            let lane = simulation.differs(&expected.outputs[step], &expected.alive[step]);
            if let Some(lane) = lane {
                return Some((lane, step + 1));
            }
        }
        None
    }
}

/// The model and one mutant, run together.
pub(super) struct Pair<'a> {
    pub(super) original: &'a Runner,
    pub(super) mutant: &'a Runner,
}

impl Pair<'_> {
    /// As [`Runner::first_difference`], stopping both as soon as it is found.
    pub(super) fn first_difference(&self, stimuli: &Stimuli) -> Option<(usize, usize)> {
        let mut original = Simulation::start(self.original, stimuli);
        let mut mutant = Simulation::start(self.mutant, stimuli);
        for step in 0..stimuli.steps.len() {
            original.step(stimuli, step);
            mutant.step(stimuli, step);
            if let Some(lane) = mutant.differs(&original.outputs(), &original.alive) {
                return Some((lane, step + 1));
            }
        }
        None
    }

    /// For each of the first `lanes` lanes that ever differs while both runs are alive: the lane and the number
    /// of steps up to and including its first difference.
    pub(super) fn first_differences(&self, stimuli: &Stimuli, lanes: usize) -> Vec<(usize, usize)> {
        let mut original = Simulation::start(self.original, stimuli);
        let mut mutant = Simulation::start(self.mutant, stimuli);
        let mut seen: Word = [0; WORDS];
        let mut found = Vec::new();
        for step in 0..stimuli.steps.len() {
            original.step(stimuli, step);
            mutant.step(stimuli, step);
            let differ = mutant.differences(&original.outputs(), &original.alive);
            for w in 0..WORDS {
                let mut new = differ[w] & !seen[w];
                seen[w] |= differ[w];
                while new != 0 {
                    let lane = w * 64 + new.trailing_zeros() as usize;
                    if lane < lanes {
                        found.push((lane, step + 1));
                    }
                    new &= new - 1;
                }
            }
        }
        found
    }
}

struct Simulation<'a> {
    runner: &'a Runner,
    aig: &'a Aig,
    values: Vec<Word>,
    state: Vec<Word>,
    alive: Word,
}

impl<'a> Simulation<'a> {
    fn start(runner: &'a Runner, stimuli: &Stimuli) -> Simulation<'a> {
        let aig = &runner.product.aig;
        let mut state = vec![[0; WORDS]; aig.latches().len()];
        for (source, &latch) in runner.product.copies[0].latches.iter().enumerate() {
            if let Some(latch) = latch {
                state[latch] = match aig.latches()[latch].reset.as_constant() {
                    Some(true) => [u64::MAX; WORDS],
                    Some(false) => [0; WORDS],
                    None => stimuli.initial[source],
                };
            }
        }
        Simulation {
            runner,
            aig,
            values: vec![[0; WORDS]; aig.len()],
            state,
            alive: [u64::MAX; WORDS],
        }
    }

    fn step(&mut self, stimuli: &Stimuli, step: usize) {
        let copy = &self.runner.product.copies[0];
        for (source, lit) in copy.inputs.iter().enumerate() {
            if let Some(lit) = lit {
                self.values[lit.var().index()] = stimuli.steps[step][source];
            }
        }
        for (var, node) in self.aig.nodes() {
            match node {
                Node::And(a, b) => {
                    let (a, b) = (self.value(a), self.value(b));
                    self.values[var.index()] = std::array::from_fn(|w| a[w] & b[w]);
                }
                Node::Latch(i) => self.values[var.index()] = self.state[i as usize],
                Node::False | Node::Input(_) => {}
            }
        }
        let valid = self.value(copy.valid);
        if !fault::planted(Fault::UnconstrainedSimulation) {
            self.alive = std::array::from_fn(|w| self.alive[w] & valid[w]);
        }
        for (i, latch) in self.aig.latches().iter().enumerate() {
            self.state[i] = self.value(latch.next);
        }
    }

    fn value(&self, lit: Lit) -> Word {
        let flip = if lit.is_negated() { u64::MAX } else { 0 };
        self.values[lit.var().index()].map(|word| word ^ flip)
    }

    fn outputs(&self) -> Vec<Word> {
        let outputs = self.runner.product.copies[0].outputs.iter();
        outputs.map(|&lit| self.value(lit)).collect()
    }

    /// The lowest lane that is alive here and there and whose outputs differ.
    fn differs(&self, expected: &[Word], alive: &Word) -> Option<usize> {
        let lanes = self.differences(expected, alive);
        let word = lanes.iter().position(|&word| word != 0)?;
        Some(word * 64 + lanes[word].trailing_zeros() as usize)
    }

    /// All lanes that are alive here and there and whose outputs differ.
    fn differences(&self, expected: &[Word], alive: &Word) -> Word {
        let mut differ: Word = [0; WORDS];
        for (&lit, wanted) in self.runner.product.copies[0].outputs.iter().zip(expected) {
            let value = self.value(lit);
            for w in 0..WORDS {
                differ[w] |= value[w] ^ wanted[w];
            }
        }
        std::array::from_fn(|w| differ[w] & alive[w] & self.alive[w])
    }
}
