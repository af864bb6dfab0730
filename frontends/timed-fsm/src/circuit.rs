//! A machine with its mutants as a circuit in discrete time: a step is one input, or one unit in which no input comes.
//!
//! A counter says for how many units the state has been there. Where an input comes at the very moment of a timeout, the unit that ends
//! then comes first. Each mutant has a selector, and one of them is on at most.

use std::collections::BTreeMap;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Init, InputRole, InputVar, Output, Selector, StateVar, TransitionSystem, Translation,
};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};

use crate::machine::{Answer, Change, Timeout};
use crate::{INPUT, Model, OUTPUT};

/// What a unit without an input is called among the inputs, unless an input is called so.
const TICK: &str = "tick";

/// What is shown where nothing is answered, unless an output is called so.
const NOTHING: &str = "none";

/// The circuit of a machine that answers every input in every state.
///
/// # Errors
/// None that a machine could be the cause of.
pub fn translation(model: &Model) -> Result<Translation, TermError> {
    let machine = &model.machine;
    let mut circuit = Circuit::new(model);
    let mut seen = circuit.nothing();
    let (mut target, mut is_over) = (circuit.state, circuit.pool.bool(false));
    let mut counts = circuit.pool.bool(false);
    for (state, own) in machine.states.iter().enumerate() {
        for (&input, &answer) in &own.answers {
            let when = circuit.given(state, input)?;
            (seen, target) = circuit.answered(when, answer, (seen, target))?;
        }
        let others = model.mutations.iter().enumerate();
        let others = others.filter(|(_, mutation)| {
            matches!(mutation.meaning, Change::Timeout { state: there, .. } if there == state)
        });
        let others: Vec<usize> = others.map(|(number, _)| number).collect();
        let is_own = circuit.none_of(&others)?;
        let passed = circuit.waited(state, is_own, own.timeout, (target, is_over, counts))?;
        (target, is_over, counts) = passed;
    }
    for (number, mutation) in model.mutations.iter().enumerate() {
        let selected = circuit.pool.selector(number);
        match mutation.meaning {
            Change::Answer {
                state,
                input,
                answer,
            } => {
                let given = circuit.given(state, input)?;
                let when = circuit.pool.binary(BinaryOp::And, selected, given)?;
                (seen, target) = circuit.answered(when, answer, (seen, target))?;
            }
            Change::Timeout { state, timeout } => {
                let before = (target, is_over, counts);
                (target, is_over, counts) = circuit.waited(state, selected, timeout, before)?;
            }
        }
    }
    let clock = circuit.next_clock(is_over, counts)?;
    Ok(circuit.finish(model, (seen, target, clock)))
}

/// The parts of the circuit.
struct Circuit {
    pool: TermPool,
    inputs: Sort,
    outputs: Sort,
    states: Sort,
    clocks: Sort,
    input: TermId,
    state: TermId,
    clock: TermId,
}

/// Target, whether a timeout expires, and whether the clock goes on otherwise.
type Passed = (TermId, TermId, TermId);

impl Circuit {
    fn new(model: &Model) -> Circuit {
        let machine = &model.machine;
        let with = |names: &[String], more: &str| {
            let taken = |name: &String| names.iter().any(|other| other == name);
            let mut more = more.to_owned();
            while taken(&more) {
                more.push('_');
            }
            Sort::enumeration(names.iter().cloned().chain([more]))
        };
        let changed = model.mutations.iter().filter_map(|m| match m.meaning {
            Change::Timeout { timeout, .. } => timeout,
            Change::Answer { .. } => None,
        });
        let own = machine.states.iter().filter_map(|state| state.timeout);
        let longest = own.chain(changed).map(|timeout| timeout.after).max();
        let width = u32::BITS - longest.unwrap_or(1).leading_zeros();
        let mut pool = TermPool::new();
        let (inputs, outputs) = (with(&machine.inputs, TICK), with(&machine.outputs, NOTHING));
        let states = Sort::enumeration(machine.states.iter().map(|state| state.name.clone()));
        let clocks = Sort::Word {
            width,
            signed: false,
        };
        Circuit {
            input: pool.input(0, inputs.clone()),
            state: pool.state(0, states.clone()),
            clock: pool.state(1, clocks.clone()),
            pool,
            inputs,
            outputs,
            states,
            clocks,
        }
    }

    fn nothing(&mut self) -> TermId {
        let code = self.outputs.cardinality().saturating_sub(1);
        self.pool.constant(self.outputs.clone(), code)
    }

    fn is_tick(&mut self) -> Result<TermId, TermError> {
        let code = self.inputs.cardinality().saturating_sub(1);
        let tick = self.pool.constant(self.inputs.clone(), code);
        self.pool.binary(BinaryOp::Eq, self.input, tick)
    }

    fn is_at(&mut self, state: usize) -> Result<TermId, TermError> {
        let constant = self.pool.constant(self.states.clone(), state as u64);
        self.pool.binary(BinaryOp::Eq, self.state, constant)
    }

    /// That an input comes in a state.
    fn given(&mut self, state: usize, input: usize) -> Result<TermId, TermError> {
        let at = self.is_at(state)?;
        let constant = self.pool.constant(self.inputs.clone(), input as u64);
        let is_input = self.pool.binary(BinaryOp::Eq, self.input, constant)?;
        self.pool.binary(BinaryOp::And, at, is_input)
    }

    fn none_of(&mut self, selectors: &[usize]) -> Result<TermId, TermError> {
        let mut none = self.pool.bool(true);
        for &number in selectors {
            let selector = self.pool.selector(number);
            let other = self.pool.not(selector)?;
            none = self.pool.binary(BinaryOp::And, none, other)?;
        }
        Ok(none)
    }

    /// What is seen and where it leads, with another answer.
    fn answered(
        &mut self,
        when: TermId,
        answer: Answer,
        (seen, target): (TermId, TermId),
    ) -> Result<(TermId, TermId), TermError> {
        let output = self
            .pool
            .constant(self.outputs.clone(), answer.output as u64);
        let to = self
            .pool
            .constant(self.states.clone(), answer.target as u64);
        let seen = self.pool.ite(when, output, seen)?;
        Ok((seen, self.pool.ite(when, to, target)?))
    }

    /// What a unit without an input does in a state, with another timeout.
    fn waited(
        &mut self,
        state: usize,
        when: TermId,
        timeout: Option<Timeout>,
        (target, is_over, counts): Passed,
    ) -> Result<Passed, TermError> {
        let Some(timeout) = timeout else {
            return Ok((target, is_over, counts));
        };
        let (at, tick) = (self.is_at(state)?, self.is_tick()?);
        let waits = self.pool.binary(BinaryOp::And, at, tick)?;
        let waits = self.pool.binary(BinaryOp::And, waits, when)?;
        let last = u64::from(timeout.after) - 1;
        let last = self.pool.constant(self.clocks.clone(), last);
        let is_last = self.pool.binary(BinaryOp::Eq, self.clock, last)?;
        let expires = self.pool.binary(BinaryOp::And, waits, is_last)?;
        let to = self
            .pool
            .constant(self.states.clone(), timeout.target as u64);
        let target = self.pool.ite(expires, to, target)?;
        let is_over = self.pool.binary(BinaryOp::Or, is_over, expires)?;
        Ok((
            target,
            is_over,
            self.pool.binary(BinaryOp::Or, counts, waits)?,
        ))
    }

    /// Where nothing expires later the clock stands still, so that there are no more states than are needed.
    fn next_clock(&mut self, is_over: TermId, counts: TermId) -> Result<TermId, TermError> {
        let zero = self.pool.constant(self.clocks.clone(), 0);
        let one = self.pool.constant(self.clocks.clone(), 1);
        let later = self.pool.binary(BinaryOp::Add, self.clock, one)?;
        let waiting = self.pool.ite(counts, later, self.clock)?;
        let waiting = self.pool.ite(is_over, zero, waiting)?;
        let tick = self.is_tick()?;
        self.pool.ite(tick, waiting, zero)
    }

    fn finish(mut self, model: &Model, (seen, target, clock): Passed) -> Translation {
        let mutants = || model.mutations.iter().map(|mutation| &mutation.mutant);
        let first = self.pool.constant(self.states.clone(), 0);
        let zero = self.pool.constant(self.clocks.clone(), 0);
        let variable = |name: &str, sort: &Sort, init: TermId, next: TermId| StateVar {
            name: name.to_owned(),
            sort: sort.clone(),
            init: Init::Term(init),
            next,
        };
        let system = TransitionSystem {
            name: model.machine.name.clone(),
            inputs: vec![InputVar {
                name: INPUT.to_owned(),
                sort: self.inputs,
                role: InputRole::Test,
            }],
            states: vec![
                variable("state", &self.states, first, target),
                variable("clock", &self.clocks, zero, clock),
            ],
            outputs: vec![Output {
                name: OUTPUT.to_owned(),
                term: seen,
            }],
            selectors: mutants()
                .map(|mutant| Selector {
                    id: mutant.id.clone(),
                })
                .collect(),
            terms: self.pool,
            ..TransitionSystem::default()
        };
        Translation {
            system,
            checks: TransitionSystem::default(),
            invariant_checks: TransitionSystem::default(),
            catalogue: mutants().map(|mutant| (mutant.clone(), None)).collect(),
            role_notes: Vec::new(),
            warnings: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}
