//! Translates a chain of cubes to a run of each copy.

use super::obligations::Obligation;
use super::system::System;
use crate::question::Found;
use crate::question::{ProductRun, Reachability};

/// Returns the run that starts in an initial state of the first cube of a path and takes the inputs of all obligations in turn.
pub(super) fn run(question: &Reachability, system: &System, path: &[&Obligation]) -> Found {
    let aig = &question.product.aig;
    let state: Vec<bool> = initial_state(question, system, path);
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
    let mut simulation = ProductRun::new(question, state);
    for inputs in &steps {
        simulation.step(inputs);
    }
    simulation.found()
}

/// Returns the values of all latches of the product in an initial state that the first cube of the path contains.
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
    question
        .product
        .share_first_values(&mut state, |latch| system.variable_of[latch].is_some());
    state
}
