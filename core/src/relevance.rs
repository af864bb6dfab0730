//! Which inputs and free initial values can matter to some variants: the rest of a run is noise.
//!
//! Runs that leave noise at 0 are easier to read, and two tests that differ only in noise become one.

use crate::aig::Node;
use crate::conditional::Port;
use crate::product::Variant;
use crate::trace::Stimulus;
use crate::{ConditionalMutant, Lit};

/// The inputs and latches of a circuit that outputs or constraints depend on.
#[derive(Clone, Debug)]
pub struct Relevance {
    /// By index of the input.
    inputs: Vec<bool>,
    /// By index of the latch.
    latches: Vec<bool>,
}

impl Relevance {
    /// What can reach an output or constraint of one of these variants, selectors folded in.
    #[must_use]
    pub fn to(model: &ConditionalMutant, variants: &[Variant]) -> Relevance {
        let mut relevance = Relevance {
            inputs: vec![false; model.aig.inputs().len()],
            latches: vec![false; model.aig.latches().len()],
        };
        for &variant in variants {
            relevance.add(model, variant);
        }
        relevance
    }

    fn add(&mut self, model: &ConditionalMutant, variant: Variant) {
        let aig = &model.aig;
        let images = model.images(|selector| Some(variant == Variant::Mutant(selector)));
        let mut reached = vec![false; aig.len()];
        let signals = aig.outputs.iter().chain(&aig.constraints);
        let mut open: Vec<Lit> = signals.map(|signal| signal.lit).collect();
        while let Some(lit) = open.pop() {
            let var = images[lit.var().index()].var();
            if std::mem::replace(&mut reached[var.index()], true) {
                continue;
            }
            match aig.node(var) {
                Node::False => {}
                Node::Input(i) => self.inputs[i as usize] = true,
                Node::Latch(i) => {
                    self.latches[i as usize] = true;
                    open.push(aig.latches()[i as usize].next);
                }
                Node::And(a, b) => open.extend([a, b]),
            }
        }
    }

    /// The run with everything else at 0.
    #[must_use]
    pub fn without_noise(&self, run: &Stimulus) -> Stimulus {
        let keep = |row: &[bool], relevant: &[bool]| -> Vec<bool> {
            let pairs = row.iter().zip(relevant);
            pairs.map(|(&value, &relevant)| value && relevant).collect()
        };
        Stimulus {
            initial: keep(&run.initial, &self.latches),
            steps: run
                .steps
                .iter()
                .map(|step| keep(step, &self.inputs))
                .collect(),
        }
    }

    /// Whether a bit of the port can matter.
    #[must_use]
    pub fn of_port(&self, port: &Port) -> bool {
        port.bits.iter().any(|&bit| self.inputs[bit])
    }

    /// Whether the circuit input can matter.
    #[must_use]
    pub fn of_input(&self, input: usize) -> bool {
        self.inputs[input]
    }

    /// Whether the latch can matter.
    #[must_use]
    pub fn of_latch(&self, latch: usize) -> bool {
        self.latches[latch]
    }
}
