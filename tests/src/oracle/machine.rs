//! One copy of a conditional mutant with its selectors fixed, as a complete table of steps.
//!
//! Gates are evaluated one by one, one valuation at a time: slow and obvious. Selectors are fixed here and nowhere else, so a [`Machine`]
//! never mixes original and mutant.

use hyperkill_core::aig::Node;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, SelectorId};

use super::TooLarge;

/// A valuation of inputs, of choices or of outputs, one bit per wire.
pub type Word = u64;

/// A valuation of the hidden latches (selectors left out), in the order of the circuit.
pub type State = u32;

/// The outputs and the next state of one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Bit k is the circuit's k-th output.
    pub outputs: Word,
    /// The state after the step.
    pub next: State,
}

/// The largest number of state, input and choice bits together, so that a table has at most 2^20 rows.
const TABLE_BITS: usize = 20;

/// The step function of an original or of a mutant, for every state, input and choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    roles: Roles,
    initial: Vec<State>,
    /// By `state`, then input, then choice; `None` where a constraint is false.
    steps: Vec<Option<Move>>,
}

impl Machine {
    /// Returns the table of the original (`None`) or of the mutant with exactly this selector on.
    ///
    /// # Errors
    ///
    /// If state, input and choice have more than 20 bits together, or there are more than 64 outputs.
    pub fn new(
        model: &ConditionalMutant,
        selector: Option<SelectorId>,
    ) -> Result<Machine, TooLarge> {
        let aig = &model.aig;
        let roles = Roles::of(model);
        let bits = roles.hidden.len() + roles.inputs.len() + roles.choices.len();
        if bits > TABLE_BITS {
            return Err(TooLarge {
                what: format!("{bits} bits of state, input and choice"),
            });
        }
        if aig.outputs.len() > 64 {
            return Err(TooLarge {
                what: format!("{} outputs", aig.outputs.len()),
            });
        }

        let mut latches = vec![false; aig.latches().len()];
        for (s, latch) in model.selectors.iter().enumerate() {
            latches[latch.latch] = selector == Some(SelectorId(s));
        }
        let mut inputs = vec![false; aig.inputs().len()];
        let mut steps = Vec::with_capacity(1 << bits);
        for state in 0..1u64 << roles.hidden.len() {
            spread(state, &roles.hidden, &mut latches);
            for input in 0..1u64 << roles.inputs.len() {
                spread(input, &roles.inputs, &mut inputs);
                for choice in 0..1u64 << roles.choices.len() {
                    spread(choice, &roles.choices, &mut inputs);
                    steps.push(step(aig, &roles.hidden, &inputs, &latches));
                }
            }
        }
        Ok(Machine {
            initial: initial_states(aig, &roles.hidden),
            roles,
            steps,
        })
    }

    /// Returns the number of bits in an input valuation.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.roles.inputs.len()
    }

    /// Returns all input valuations.
    pub fn alphabet(&self) -> impl Iterator<Item = Word> + use<> {
        0..1 << self.roles.inputs.len()
    }

    /// Returns all choice valuations.
    pub fn choices(&self) -> impl Iterator<Item = Word> + use<> {
        0..1 << self.roles.choices.len()
    }

    /// Returns all initial states, ascending. Two machines of one circuit list the same states: free initial values do not depend on
    /// selectors.
    #[must_use]
    pub fn initial(&self) -> &[State] {
        &self.initial
    }

    /// Returns the step from `state` under this input and this choice. `None` if a constraint breaks.
    #[must_use]
    pub fn step(&self, state: State, input: Word, choice: Word) -> Option<Move> {
        let row = u64::from(state) << self.roles.inputs.len() | input;
        let row = row << self.roles.choices.len() | choice;
        self.steps[row as usize]
    }

    /// Returns all steps from `state` under this input, over all choices; may repeat steps.
    pub fn moves(&self, state: State, input: Word) -> impl Iterator<Item = Move> + '_ {
        self.choices()
            .filter_map(move |choice| self.step(state, input, choice))
    }

    /// Returns the valuation of the test inputs in a valuation of all circuit inputs.
    #[must_use]
    pub fn input_word(&self, circuit_inputs: &[bool]) -> Word {
        gather(circuit_inputs, &self.roles.inputs)
    }

    /// Returns the valuation of the choices in a valuation of all circuit inputs.
    #[must_use]
    pub fn choice_word(&self, circuit_inputs: &[bool]) -> Word {
        gather(circuit_inputs, &self.roles.choices)
    }

    /// Returns the mask of the state bits that hold values of the previous state.
    pub(super) fn kept(&self) -> State {
        self.roles.kept
    }

    /// Returns the initial state in which latches with a free reset have these values (of all circuit latches, selectors included).
    #[must_use]
    pub fn initial_state(&self, aig: &Aig, circuit_latches: &FirstValues) -> State {
        let mut state = 0;
        for (k, &latch) in self.roles.hidden.iter().enumerate() {
            let value = match aig.latches()[latch].reset {
                Reset::Zero => false,
                Reset::One => true,
                Reset::Free => circuit_latches[latch],
            };
            state |= State::from(value) << k;
        }
        state
    }

    /// Returns the outputs of the run from this initial state, under an input and a choice per step. `None` if the run ends early, because
    /// a constraint breaks.
    #[must_use]
    pub fn follow(&self, initial: State, steps: &[(Word, Word)]) -> Option<Vec<Word>> {
        let mut state = initial;
        let mut outputs = Vec::with_capacity(steps.len());
        for &(input, choice) in steps {
            let step = self.step(state, input, choice)?;
            outputs.push(step.outputs);
            state = step.next;
        }
        Some(outputs)
    }
}

/// The roles of the wires, as indices into the circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Roles {
    hidden: Vec<usize>,
    inputs: Vec<usize>,
    choices: Vec<usize>,
    /// The mask of the state bits that hold values of the previous state.
    kept: State,
}

impl Roles {
    fn of(model: &ConditionalMutant) -> Roles {
        let is_selector = |latch| model.selectors.iter().any(|s| s.latch == latch);
        let hidden: Vec<usize> = (0..model.aig.latches().len())
            .filter(|&latch| !is_selector(latch))
            .collect();
        let mut kept = 0;
        for (k, &latch) in hidden.iter().enumerate().take(State::BITS as usize) {
            let name = model.aig.latches()[latch].name.as_deref();
            kept |= State::from(name.is_some_and(|name| name.starts_with("was:"))) << k;
        }
        Roles {
            hidden,
            kept,
            inputs: model.input_bits().collect(),
            choices: model.choice_bits().collect(),
        }
    }
}

/// Writes bit k of `word` to `wires[places[k]]`, for each k.
fn spread(word: Word, places: &[usize], wires: &mut [bool]) {
    for (k, &place) in places.iter().enumerate() {
        wires[place] = word >> k & 1 == 1;
    }
}

/// Returns a word whose bit k is the value of `wires[places[k]]`: the inverse of [`spread`].
fn gather(wires: &[bool], places: &[usize]) -> Word {
    let bits = places.iter().enumerate();
    bits.fold(0, |word, (k, &place)| word | Word::from(wires[place]) << k)
}

/// Returns all states whose latches have their reset values, with both values where the reset is free.
fn initial_states(aig: &Aig, hidden: &[usize]) -> Vec<State> {
    (0..1u32 << hidden.len())
        .filter(|state| {
            hidden.iter().enumerate().all(|(k, &latch)| {
                let value = state >> k & 1 == 1;
                match aig.latches()[latch].reset {
                    Reset::Zero => !value,
                    Reset::One => value,
                    Reset::Free => true,
                }
            })
        })
        .collect()
}

/// Returns the step of the circuit under one valuation of inputs and latches; `None` if a constraint is false.
fn step(aig: &Aig, hidden: &[usize], inputs: &[bool], latches: &[bool]) -> Option<Move> {
    let mut values = Vec::with_capacity(aig.len());
    for (_, node) in aig.nodes() {
        values.push(match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => latches[i as usize],
            Node::And(a, b) => read(&values, a) && read(&values, b),
        });
    }
    if !aig.constraints.iter().all(|c| read(&values, c.lit)) {
        return None;
    }
    let mut outputs = 0;
    for (k, output) in aig.outputs.iter().enumerate() {
        outputs |= Word::from(read(&values, output.lit)) << k;
    }
    let mut next = 0;
    for (k, &latch) in hidden.iter().enumerate() {
        next |= State::from(read(&values, aig.latches()[latch].next)) << k;
    }
    Some(Move { outputs, next })
}

fn read(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] != lit.is_negated()
}
