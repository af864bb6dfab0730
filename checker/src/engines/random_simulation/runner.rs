//! One variant of a model, compiled for simulation.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Lanes, Simulator, words};
use hyperkill_core::work::{Unit, count};
use hyperkill_evidence::fault::{self, Fault};

use crate::engines::stimuli::{LANES, Stimuli, WORDS, Word};

/// The outputs of a variant in all lanes (simulated runs), step by step.
pub(super) struct Answers {
    /// For each step the word of lanes of each output.
    outputs: Vec<Vec<Word>>,
    /// For each step the lanes whose runs have met all constraints up to it.
    alive: Vec<Word>,
}

/// One variant of a model (selectors are constants), compiled for simulation.
pub(super) struct Runner<'a> {
    model: &'a ConditionalMutant,
    simulator: Simulator,
}

impl<'a> Runner<'a> {
    pub(super) fn new(model: &'a ConditionalMutant, variant: Variant) -> Runner<'a> {
        Runner {
            model,
            simulator: Simulator::for_variant(model, variant),
        }
    }

    /// Simulates the stimuli to the end and returns the outputs of all lanes.
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

    /// Finds the first step at which some lane's outputs differ from the `expected` ones while both runs survive. Returns the lowest such
    /// lane, and the number of steps up to and including that one.
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
    pub(super) original: &'a Runner<'a>,
    pub(super) mutant: &'a Runner<'a>,
}

impl Pair<'_> {
    /// Compares like [`Runner::first_difference`], and stops both runs at the first difference.
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

    /// Returns the lanes, by index, whose outputs ever differ while both runs survive, each with the number of steps that both survive.
    pub(super) fn differing(&self, stimuli: &Stimuli) -> Vec<(usize, usize)> {
        let mut original = Simulation::start(self.original, stimuli);
        let mut mutant = Simulation::start(self.mutant, stimuli);
        let mut lifetimes = [0; LANES];
        let mut differ: Word = [0; WORDS];
        for step in 0..stimuli.steps.len() {
            original.step(stimuli, step);
            mutant.step(stimuli, step);
            let now = mutant.differences(&original.outputs(), &original.alive);
            differ = std::array::from_fn(|w| differ[w] | now[w]);
            for (lane, lifetime) in lifetimes.iter_mut().enumerate() {
                let alive = original.alive[lane / 64] & mutant.alive[lane / 64];
                if alive >> (lane % 64) & 1 == 1 {
                    *lifetime = step + 1;
                }
            }
        }
        let lanes = words::lanes_of(&differ);
        lanes.map(|lane| (lane, lifetimes[lane])).collect()
    }

    /// Returns the lanes with index below `lanes` whose outputs ever differ while both runs survive, each with the number of steps up to
    /// and including its first difference, in the order of these steps.
    pub(super) fn first_differences(&self, stimuli: &Stimuli, lanes: usize) -> Vec<(usize, usize)> {
        let mut original = Simulation::start(self.original, stimuli);
        let mut mutant = Simulation::start(self.mutant, stimuli);
        let mut seen: Word = [0; WORDS];
        let mut found = Vec::new();
        for step in 0..stimuli.steps.len() {
            original.step(stimuli, step);
            mutant.step(stimuli, step);
            let differ = mutant.differences(&original.outputs(), &original.alive);
            let new: Word = std::array::from_fn(|w| differ[w] & !seen[w]);
            seen = std::array::from_fn(|w| seen[w] | differ[w]);
            let new = words::lanes_of(&new).take_while(|&lane| lane < lanes);
            found.extend(new.map(|lane| (lane, step + 1)));
        }
        found
    }
}

struct Simulation<'a> {
    model: &'a ConditionalMutant,
    lanes: Lanes<'a, WORDS>,
    gates: u64,
    alive: Word,
}

impl<'a> Simulation<'a> {
    fn start(runner: &'a Runner<'_>, stimuli: &Stimuli) -> Simulation<'a> {
        let mut lanes = runner.simulator.lanes();
        lanes.reset(|latch| stimuli.initial.of(latch));
        Simulation {
            model: runner.model,
            lanes,
            gates: runner.simulator.gate_count() as u64,
            alive: [u64::MAX; WORDS],
        }
    }

    /// Advances to this step, which follows the last one, and evaluates it.
    fn step(&mut self, stimuli: &Stimuli, step: usize) {
        if step > 0 {
            self.lanes.step();
        }
        for (input, &value) in stimuli.steps[step].iter().enumerate() {
            self.lanes.set_input(input, value);
        }
        self.lanes.eval();
        count(Unit::Gates, self.gates);
        if fault::planted(Fault::UnconstrainedSimulation) {
            return;
        }
        let constraints = self.model.aig.constraints.iter();
        let constraints = constraints.map(|constraint| constraint.lit);
        self.alive = self.lanes.holding(self.alive, constraints);
    }

    fn outputs(&self) -> Vec<Word> {
        let outputs = self.model.aig.outputs.iter();
        outputs.map(|output| self.lanes.value(output.lit)).collect()
    }

    /// Returns the lowest lane that survives in both runs and whose outputs differ from the expected ones; `None` if there is none.
    fn differs(&self, expected: &[Word], alive: &Word) -> Option<usize> {
        words::lanes_of(&self.differences(expected, alive)).next()
    }

    /// Returns all lanes that survive in both runs and whose outputs differ from the expected ones.
    fn differences(&self, expected: &[Word], alive: &Word) -> Word {
        let mut differ: Word = [0; WORDS];
        for (output, wanted) in self.model.aig.outputs.iter().zip(expected) {
            let value = self.lanes.value(output.lit);
            for w in 0..WORDS {
                differ[w] |= value[w] ^ wanted[w];
            }
        }
        std::array::from_fn(|w| differ[w] & alive[w] & self.alive[w])
    }
}
