//! Two circuits as one question: whether they ever differ on the same inputs.
//!
//! Inputs and outputs are matched by their names. Latches are not matched: each circuit has its own.

use std::collections::BTreeMap;

use hyperkill_checker::budget::Budget;
use hyperkill_checker::safety::{Limits, Problem, SafetyVerdict, decide_safety};
use hyperkill_core::aig::Node;
use hyperkill_core::{Aig, Lit};

/// A circuit whose only bad state is that some output differs. Inputs that only one has are inputs still.
///
/// # Panics
/// If the outputs do not have the same names, or an input or output has none.
#[must_use]
pub fn miter(a: &Aig, b: &Aig) -> Aig {
    let mut both = Aig::new();
    let mut inputs: BTreeMap<String, Lit> = BTreeMap::new();
    let first = copy(&mut both, a, &mut inputs);
    let second = copy(&mut both, b, &mut inputs);
    let names = |outputs: &BTreeMap<String, Lit>| outputs.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&first), names(&second), "outputs");
    let differ: Vec<Lit> = first
        .iter()
        .map(|(name, &lit)| both.xor(lit, second[name]))
        .collect();
    let bad = both.or_all(&differ);
    both.add_output(bad, None);
    both
}

/// Adds a circuit; its outputs by name.
fn copy(both: &mut Aig, from: &Aig, inputs: &mut BTreeMap<String, Lit>) -> BTreeMap<String, Lit> {
    let mut nodes = vec![Lit::FALSE; from.len()];
    let mut latches = Vec::new();
    for (var, node) in from.nodes() {
        nodes[var.index()] = match node {
            Node::False => Lit::FALSE,
            Node::Input(i) => {
                let name = from.inputs()[i as usize].name.clone();
                let name = name.expect("a name of an input");
                *inputs
                    .entry(name.clone())
                    .or_insert_with(|| both.add_input(Some(name)))
            }
            Node::Latch(i) => {
                latches.push(both.latches().len());
                both.add_latch(from.latches()[i as usize].reset, None)
            }
            Node::And(a, b) => {
                let a = nodes[a.var().index()] ^ a.is_negated();
                let b = nodes[b.var().index()] ^ b.is_negated();
                both.and(a, b)
            }
        };
    }
    let image = |lit: Lit| nodes[lit.var().index()] ^ lit.is_negated();
    for (latch, &at) in from.latches().iter().zip(&latches) {
        both.set_next(at, image(latch.next));
    }
    let outputs = from.outputs.iter();
    outputs
        .map(|output| {
            let name = output.name.clone().expect("a name of an output");
            (name, image(output.lit))
        })
        .collect()
}

/// Whether two circuits are proved to have equal outputs on equal inputs, always. `Err` says what was found instead.
///
/// # Errors
/// If they differ, with the step in which they do, or nothing could be proved.
///
/// # Panics
/// As [`miter`], and if evidence does not check.
pub fn proved_equal(a: &Aig, b: &Aig) -> Result<(), String> {
    let miter = miter(a, b);
    let problem = Problem {
        model: &miter,
        bad: miter.outputs[0].lit,
    };
    let limits = Limits {
        turns: Some(8),
        ..Limits::none()
    };
    match decide_safety(&problem, &limits, &Budget::unlimited()).expect("evidence checks") {
        SafetyVerdict::Holds(_) => Ok(()),
        SafetyVerdict::Fails(run) => Err(format!("they differ in step {}", run.steps.len())),
        SafetyVerdict::Unknown { known_to, reason } => {
            Err(format!("unknown after {known_to} steps: {reason:?}"))
        }
    }
}
