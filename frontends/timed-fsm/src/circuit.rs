//! A machine with its mutants as a circuit in discrete time: a step is one input, or one unit without an input.
//!
//! A counter has the number of units in the present state. If an input and a timeout are due at the same time, the timeout comes first.
//! Each mutant has a selector, and at most one of them is on.
//!
//! If inputs at a bound of a guard differ from those after it, a step without an input is half a unit. Odd steps represent all delays
//! between two units, so the circuit is exact.

use std::collections::BTreeMap;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Init, InputRole, InputVar, Output, Selector, StateVar, TransitionSystem, Translation,
};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};

use crate::guard::Interval;
use crate::machine::{Answer, Change, Timeout};
use crate::model::{INPUT, Model, OUTPUT};

/// The input for a unit without an input, unless an input has this name.
const TICK: &str = "tick";

/// The output for an input without an answer, unless an output has this name.
const NOTHING: &str = "none";

/// Returns the circuit of a machine with a transition for every input in every state.
///
/// # Errors
/// Only internal ones, independent of the machine.
pub fn translation(model: &Model) -> Result<Translation, TermError> {
    let machine = &model.machine;
    let mut circuit = Circuit::new(model);
    let mut seen = circuit.nothing();
    let (mut target, mut is_over) = (circuit.state, circuit.pool.bool(false));
    let mut counts = circuit.pool.bool(false);
    for (state, own) in machine.states.iter().enumerate() {
        for input in 0..machine.inputs.len() {
            for guarded in own.on(input) {
                let when = circuit.given((state, input), guarded.during)?;
                let does = Some(guarded.answer);
                (seen, target) = circuit.answered(when, does, (seen, target))?;
            }
        }
        counts = circuit.counting(state, counts)?;
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
                let given = circuit.given((state, input), Interval::ALWAYS)?;
                let when = circuit.pool.binary(BinaryOp::And, selected, given)?;
                (seen, target) = circuit.answered(when, Some(answer), (seen, target))?;
            }
            Change::Guard {
                state,
                input,
                parts,
            } => {
                for part in parts.iter().flatten() {
                    let given = circuit.given((state, input), part.during)?;
                    let when = circuit.pool.binary(BinaryOp::And, selected, given)?;
                    (seen, target) = circuit.answered(when, part.does, (seen, target))?;
                }
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

/// The circuit under construction, with the terms of state, clock and input.
struct Circuit {
    pool: TermPool,
    inputs: Sort,
    outputs: Sort,
    states: Sort,
    clocks: Sort,
    input: TermId,
    state: TermId,
    clock: TermId,
    /// The number of parts of a unit.
    scale: u32,
    /// For each state the last bound of a guard, in parts of a unit.
    bounds: Vec<u32>,
}

/// The effect of a step without an input: the next state, whether a timeout expires, and whether the clock counts otherwise.
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
            Change::Answer { .. } | Change::Guard { .. } => None,
        });
        let own = machine.states.iter().filter_map(|state| state.timeout);
        let lengths = own
            .chain(changed)
            .map(|timeout| timeout.after * model.scale);
        let bounds = bounds(model);
        let longest = lengths.chain(bounds.iter().copied()).max();
        let width = u32::BITS - longest.unwrap_or(1).max(1).leading_zeros();
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
            scale: model.scale,
            bounds,
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

    /// Returns the condition that an input is given in a state, at some delays.
    fn given(
        &mut self,
        (state, input): (usize, usize),
        during: Interval,
    ) -> Result<TermId, TermError> {
        let at = self.is_at(state)?;
        let constant = self.pool.constant(self.inputs.clone(), input as u64);
        let is_input = self.pool.binary(BinaryOp::Eq, self.input, constant)?;
        let mut given = self.pool.binary(BinaryOp::And, at, is_input)?;
        if during.from > 0 {
            let is_before = self.is_before(parts(during.from, self.scale))?;
            let has_begun = self.pool.not(is_before)?;
            given = self.pool.binary(BinaryOp::And, given, has_begun)?;
        }
        if let Some(until) = during.until {
            let is_before = self.is_before(parts(until, self.scale))?;
            given = self.pool.binary(BinaryOp::And, given, is_before)?;
        }
        Ok(given)
    }

    /// Returns the condition that the clock is below `bound` parts of a unit.
    fn is_before(&mut self, bound: u32) -> Result<TermId, TermError> {
        let bound = self.pool.constant(self.clocks.clone(), bound.into());
        self.pool.binary(BinaryOp::Lt, self.clock, bound)
    }

    /// Returns the condition `counts`, extended by the case that the clock counts in a state since some guard has a bound ahead.
    fn counting(&mut self, state: usize, counts: TermId) -> Result<TermId, TermError> {
        let bound = self.bounds[state];
        if bound == 0 {
            return Ok(counts);
        }
        let at = self.is_at(state)?;
        let is_before = self.is_before(bound)?;
        let goes_on = self.pool.binary(BinaryOp::And, at, is_before)?;
        self.pool.binary(BinaryOp::Or, counts, goes_on)
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

    /// Returns the output and the target, changed to those of `answer` under the condition `when`.
    fn answered(
        &mut self,
        when: TermId,
        answer: Option<Answer>,
        (seen, target): (TermId, TermId),
    ) -> Result<(TermId, TermId), TermError> {
        let Some(answer) = answer else {
            // The target of an input without an answer is irrelevant.
            let nothing = self.nothing();
            return Ok((self.pool.ite(when, nothing, seen)?, target));
        };
        let output = self
            .pool
            .constant(self.outputs.clone(), answer.output as u64);
        let to = self
            .pool
            .constant(self.states.clone(), answer.target as u64);
        let seen = self.pool.ite(when, output, seen)?;
        Ok((seen, self.pool.ite(when, to, target)?))
    }

    /// Returns the effect of a unit without an input, changed under the condition `when` to that of another timeout of a state.
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
        let last = u64::from(timeout.after * self.scale) - 1;
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

    /// Returns the next value of the clock. It stops if no timeout is ahead, which keeps the state space small.
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

/// Converts a moment (half a unit) to parts of a unit, of which there are `scale`, 1 or 2.
fn parts(moment: u32, scale: u32) -> u32 {
    if scale == 1 { moment / 2 } else { moment }
}

/// Returns for each state the last bound of a guard of the machine or of a mutant, in parts of a unit.
fn bounds(model: &Model) -> Vec<u32> {
    let states = model.machine.states.iter();
    let own = states.map(|state| {
        let all = state.guarded.values().flatten();
        all.flat_map(|guarded| guarded.during.bounds()).max()
    });
    let mut bounds: Vec<u32> = own.map(|bound| bound.unwrap_or(0)).collect();
    for mutation in &model.mutations {
        if let Change::Guard { state, parts, .. } = mutation.meaning {
            let all = parts.iter().flatten();
            let last = all.flat_map(|part| part.during.bounds()).max();
            bounds[state] = bounds[state].max(last.unwrap_or(0));
        }
    }
    bounds
        .into_iter()
        .map(|bound| parts(bound, model.scale))
        .collect()
}
