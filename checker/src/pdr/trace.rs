//! From a chain of cubes to a run of each copy.

use hyperkill_core::aig::Node;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, Lit};

use super::obligations::Obligation;
use super::system::System;
use crate::bmc::Found;
use crate::question::Reachability;

/// The run that starts in an initial state of the first cube and takes the inputs of all of them in turn.
pub(super) fn run(question: &Reachability, system: &System, path: &[&Obligation]) -> Found {
    let aig = &question.product.aig;
    let mut state: Vec<bool> = initial_state(question, system, path);
    let mut steps: Vec<Vec<bool>> = Vec::new();
    for (number, obligation) in path.iter().enumerate() {
        let last = number + 1 == path.len();
        for step in 0..if last { system.steps } else { 1 } {
            let mut inputs = vec![false; aig.inputs().len()];
            for (input, &value) in system.inputs.iter().zip(&obligation.inputs) {
                if input.step == step {
                    inputs[input.index] = value;
                }
            }
            steps.push(inputs);
        }
    }
    let first = state.clone();
    let mut values = Vec::new();
    for inputs in &steps {
        let now = evaluate(aig, &state, inputs);
        let latches = aig.latches().iter();
        state = latches.map(|latch| value(&now, latch.next)).collect();
        values.push(now);
    }
    let runs = question.product.copies.iter().map(|copy| {
        let initial = copy.latches.iter();
        let of = |lit: &Option<Lit>, now: &[bool]| lit.is_some_and(|lit| value(now, lit));
        Stimulus {
            initial: initial
                .map(|latch| latch.is_some_and(|i| first[i]))
                .collect(),
            steps: values
                .iter()
                .map(|now| copy.inputs.iter().map(|lit| of(lit, now)).collect())
                .collect(),
        }
    });
    Found {
        steps: steps.len(),
        runs: runs.collect(),
    }
}

/// The values of all latches in an initial state of the first cube.
fn initial_state(question: &Reachability, system: &System, path: &[&Obligation]) -> Vec<bool> {
    let variables = match path.first() {
        Some(first) => system.initial_state(&first.cube),
        None => Vec::new(),
    };
    let latches = question.product.aig.latches().iter();
    let mut state: Vec<bool> = latches
        .zip(&system.variable_of)
        .map(
            |(latch, variable)| match (latch.reset.as_constant(), variable) {
                (Some(value), _) => value,
                (None, Some((index, flip))) => variables.get(*index).is_some_and(|v| v ^ flip),
                (None, None) => false,
            },
        )
        .collect();
    // Where only one of two latches with a common choice matters, it decides.
    let pairs = &question.product.initially_equal;
    for &(later, earlier) in pairs.iter().rev() {
        if system.variable_of[earlier].is_none() {
            state[earlier] = state[later];
        }
    }
    for &(later, earlier) in pairs {
        state[later] = state[earlier];
    }
    state
}

fn evaluate(aig: &Aig, state: &[bool], inputs: &[bool]) -> Vec<bool> {
    let mut values = Vec::with_capacity(aig.len());
    for (_, node) in aig.nodes() {
        let value = match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => state[i as usize],
            Node::And(a, b) => value(&values, a) && value(&values, b),
        };
        values.push(value);
    }
    values
}

fn value(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}
