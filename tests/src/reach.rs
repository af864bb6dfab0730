//! The brute-force answer to a reachability question over a product: enumeration of all its reachable states.
//!
//! Reads the product's graph as data. It judges engines on a given product; whether the product is correct is a question for the oracle.

use hyperkill_checker::question::Reachability;
use hyperkill_core::Lit;
use hyperkill_core::aig::{Cone, Node, Reset};
use rustc_hash::FxHashSet;

/// The largest number of states to list.
const LARGEST: usize = 1 << 14;

/// Returns the least number of steps in which the goal is reached. The inner `None` means that it is unreachable, the outer `None` that
/// there are too many states to list.
#[must_use]
pub fn shortest_run(question: &Reachability) -> Option<Option<usize>> {
    explore(question, &question.roots(), |of, steps| {
        let exists = question.always.iter().all(|&lit| of(lit));
        (exists && of(question.goal)).then_some(steps)
    })
}

/// Returns the index of the first pair of literals that differ in some step at the end of a run. That step may violate constraints, but in
/// a family it belongs to a single member. The outer `None` means that there are too many states to list.
#[must_use]
pub fn first_unequal(question: &Reachability, pairs: &[[Lit; 2]]) -> Option<Option<usize>> {
    let roots = [question.roots(), pairs.concat()].concat();
    explore(question, &roots, |of, _| {
        let unequal = pairs.iter().position(|&[a, b]| of(a) != of(b));
        unequal.filter(|_| of(question.product.one_member))
    })
}

/// Calls `visit` for each reachable step, with the values of literals in the cone of `roots` and the number of the step. Stops at the first
/// result of `visit`. The outer `None` means that there are too many states to list.
fn explore<T>(
    question: &Reachability,
    roots: &[Lit],
    mut visit: impl FnMut(&dyn Fn(Lit) -> bool, usize) -> Option<T>,
) -> Option<Option<T>> {
    let aig = &question.product.aig;
    let cone = Cone::sequential(aig, roots.iter().copied());
    let inputs: Vec<usize> = (0..aig.inputs().len())
        .filter(|&i| cone.contains(aig.inputs()[i].var))
        .collect();
    let free: Vec<usize> = (0..aig.latches().len())
        .filter(|&i| {
            let latch = &aig.latches()[i];
            latch.reset == Reset::Free && cone.contains(latch.var)
        })
        .collect();
    if inputs.len() > 10 || free.len() > 10 {
        return None;
    }
    let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
    for number in 0..1usize << free.len() {
        let latches = aig.latches().iter();
        let mut state: Vec<bool> = latches.map(|latch| latch.reset == Reset::One).collect();
        for (bit, &latch) in free.iter().enumerate() {
            state[latch] = number >> bit & 1 == 1;
        }
        let tied = question.product.initially_equal.iter();
        if tied.into_iter().all(|&(a, b)| state[a] == state[b]) {
            seen.insert(state);
        }
    }
    let mut layer: Vec<Vec<bool>> = seen.iter().cloned().collect();
    let mut steps = 1;
    while !layer.is_empty() {
        let mut following = Vec::new();
        for state in &layer {
            for letter in 0..1usize << inputs.len() {
                let values = evaluate(question, state, &inputs, letter);
                let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
                if let Some(seen) = visit(&of, steps) {
                    return Some(Some(seen));
                }
                let assumed = question.always.iter().chain(&question.before);
                if assumed.copied().all(of) {
                    let latches = aig.latches().iter();
                    let next: Vec<bool> = latches
                        .map(|latch| cone.contains(latch.var) && of(latch.next))
                        .collect();
                    if seen.insert(next.clone()) {
                        following.push(next);
                    }
                }
            }
        }
        if seen.len() > LARGEST {
            return None;
        }
        layer = following;
        steps += 1;
    }
    Some(None)
}

fn evaluate(question: &Reachability, state: &[bool], inputs: &[usize], letter: usize) -> Vec<bool> {
    let aig = &question.product.aig;
    let mut given = vec![false; aig.inputs().len()];
    for (bit, &input) in inputs.iter().enumerate() {
        given[input] = letter >> bit & 1 == 1;
    }
    let mut values: Vec<bool> = Vec::with_capacity(aig.len());
    for (_, node) in aig.nodes() {
        let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
        let value = match node {
            Node::False => false,
            Node::Input(i) => given[i as usize],
            Node::Latch(i) => state[i as usize],
            Node::And(a, b) => of(a) && of(b),
        };
        values.push(value);
    }
    values
}
