//! Three-valued simulation (0, 1, unknown) of model and mutants on the inputs of tests, with all choices unknown. It evaluates the circuit
//! gate by gate, without the selectors that are off. Its results hold under all choices.
//!
//! It is cheap: many kills need no solver, and many tests are simulated in one pass.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

/// The results of three-valued simulation on the inputs of a test. [`super::replay_kill`] shows that runs on them exist, unless `accepted`
/// is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Certain {
    /// No run of the model has the outputs of any run of the mutant.
    pub(super) apart: bool,
    /// No run of the model has these outputs of the mutant.
    pub(super) unmatched: bool,
    /// All runs of the mutant have the same outputs.
    pub(super) alone: bool,
    /// All runs of the model have the same outputs.
    pub(super) told: bool,
    /// All constraints hold in model and mutant at every step, under all choices.
    pub(super) accepted: bool,
    /// All constraints hold under all choices: in the model at every step, in the mutant up to the first step that shows `apart`.
    pub(super) accepted_until_apart: bool,
}

impl Certain {
    /// No results, for a test that was not simulated.
    pub(super) const NOTHING: Certain = Certain {
        apart: false,
        unmatched: false,
        alone: false,
        told: false,
        accepted: false,
        accepted_until_apart: false,
    };
}

/// A test's inputs, and a mutant that is to be compared with the model on them.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) mutant: SelectorId,
    /// For each step one bool per circuit input.
    pub(super) inputs: &'a [Vec<bool>],
    /// For each step the outputs of one of the mutant's runs; empty if none are asked about.
    pub(super) outputs: &'a [Vec<bool>],
    /// For each step one bool per circuit input: whether it may have any value. Empty if all are known.
    pub(super) unknown: &'a [Vec<bool>],
}

/// Number of tests simulated in one pass: each has a lane for the model and one for the mutant.
const TOGETHER: usize = 32;

/// Mask of the lanes of the model, which are the even ones; those of the mutants are next to them.
const MODELS: u64 = 0x5555_5555_5555_5555;

/// Returns the masks of the lanes of model and mutant for the test with this index.
fn sides(test: usize) -> [u64; 2] {
    [1 << (2 * test), 2 << (2 * test)]
}

/// A three-valued value in 64 lanes: for each lane whether it can be 0 and whether it can be 1.
#[derive(Clone, Copy)]
struct Rails {
    zero: u64,
    one: u64,
}

impl Rails {
    const ANY: Rails = Rails {
        zero: u64::MAX,
        one: u64::MAX,
    };

    /// Returns the value that is 1 in these lanes and 0 in all other lanes.
    fn of(one: u64) -> Rails {
        Rails { zero: !one, one }
    }

    fn constant(value: bool) -> Rails {
        Rails::of(if value { u64::MAX } else { 0 })
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

    /// Returns the lanes in which the value is known.
    fn known(self) -> u64 {
        !(self.zero & self.one)
    }
}

/// Simulates model and mutant on the inputs of each test, with all choices unknown. Returns one result for each test.
pub(super) fn certain(model: &ConditionalMutant, asked: &[Asked<'_>]) -> Vec<Certain> {
    asked
        .chunks(TOGETHER)
        .flat_map(|asked| Tests::of(model, asked).simulate())
        .collect()
}

/// The tests of one pass, with the state of the simulation and the results so far.
struct Tests<'a> {
    model: &'a ConditionalMutant,
    asked: &'a [Asked<'a>],
    state: Vec<Rails>,
    found: Vec<Certain>,
}

impl<'a> Tests<'a> {
    fn of(model: &'a ConditionalMutant, asked: &'a [Asked<'a>]) -> Tests<'a> {
        let selectors = model.selector_of_latch();
        let latches = model.aig.latches().iter().zip(&selectors);
        let first = latches.map(|(latch, selector)| match (selector, latch.reset) {
            (Some(selector), _) => {
                let on = asked.iter().enumerate();
                let on = on.filter(|(_, asked)| asked.mutant == *selector);
                Rails::of(on.fold(0, |lanes, (test, _)| lanes | sides(test)[1]))
            }
            (None, Reset::Zero) => Rails::constant(false),
            (None, Reset::One) => Rails::constant(true),
            (None, Reset::Free) => Rails::ANY,
        });
        let nothing = Certain {
            apart: false,
            unmatched: false,
            alone: true,
            told: true,
            accepted: true,
            accepted_until_apart: true,
        };
        Tests {
            model,
            asked,
            state: first.collect(),
            found: vec![nothing; asked.len()],
        }
    }

    fn simulate(mut self) -> Vec<Certain> {
        let aig = &self.model.aig;
        let selectors = self.model.selector_of_latch();
        let mut given = vec![false; aig.inputs().len()];
        for bit in self.model.input_bits() {
            given[bit] = true;
        }
        let asked = self.asked;
        let on = |selector| asked.iter().any(|asked| asked.mutant == selector);
        let read = self
            .model
            .nodes_read(|selector| (!on(selector)).then_some(false));
        let mut values = vec![Rails::ANY; aig.len()];
        let steps = asked.iter().map(|asked| asked.inputs.len()).max();
        for step in 0..steps.unwrap_or(0) {
            let inputs = self.inputs(step, &given);
            for &(var, node) in &read {
                let value = |lit: Lit| values[lit.var().index()].under(lit);
                values[var.index()] = match node {
                    Node::False => Rails::constant(false),
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => self.state[i as usize],
                    Node::And(a, b) => value(a).and(value(b)),
                };
            }
            self.look(step, &values);
            for (i, latch) in aig.latches().iter().enumerate() {
                // The value is arbitrary if nothing reads the latch.
                if selectors[i].is_none() {
                    self.state[i] = values[latch.next.var().index()].under(latch.next);
                }
            }
        }
        self.found
    }

    /// Returns the values of all inputs at a step in all lanes. Unknown are inputs that are not `given`, and all inputs of tests that have
    /// ended.
    fn inputs(&self, step: usize, given: &[bool]) -> Vec<Rails> {
        let mut inputs = vec![Rails::ANY; given.len()];
        for (test, asked) in self.asked.iter().enumerate() {
            let Some(row) = asked.inputs.get(step) else {
                continue;
            };
            let [model, mutant] = sides(test);
            let unknown = asked.unknown.get(step);
            for (at, (rails, &value)) in inputs.iter_mut().zip(row).enumerate() {
                let is_unknown = unknown.is_some_and(|unknown| unknown[at]);
                if !given[at] || is_unknown {
                    continue;
                }
                match value {
                    true => rails.zero &= !(model | mutant),
                    false => rails.one &= !(model | mutant),
                }
            }
        }
        inputs
    }

    /// Records the results of a step from the values of all nodes.
    fn look(&mut self, step: usize, values: &[Rails]) {
        let aig = &self.model.aig;
        let value = |lit: Lit| values[lit.var().index()].under(lit);
        let holds = aig
            .constraints
            .iter()
            .map(|constraint| value(constraint.lit));
        let holds = holds.fold(u64::MAX, |lanes, rails| lanes & rails.one & !rails.zero);
        for (test, (asked, found)) in self.asked.iter().zip(&mut self.found).enumerate() {
            let [model, mutant] = sides(test);
            if step < asked.inputs.len() {
                let [in_model, in_mutant] = [model, mutant].map(|lane| holds & lane != 0);
                found.accepted &= in_model && in_mutant;
                found.accepted_until_apart &= in_model && (in_mutant || found.apart);
            }
        }
        for (i, output) in aig.outputs.iter().enumerate() {
            let value = value(output.lit);
            let known = value.known();
            // In the models' lanes: known in both, and different.
            let apart = known & known >> 1 & (value.one ^ value.one >> 1) & MODELS;
            for (test, (asked, found)) in self.asked.iter().zip(&mut self.found).enumerate() {
                if step >= asked.inputs.len() {
                    continue;
                }
                let [model, mutant] = sides(test);
                found.alone &= known & mutant != 0;
                found.told &= known & model != 0;
                found.apart |= apart & model != 0;
                let shown = asked.outputs.get(step).and_then(|outputs| outputs.get(i));
                let shown = shown.map(|&shown| shown == (value.one & model != 0));
                found.unmatched |= known & model != 0 && shown == Some(false);
            }
        }
    }
}
