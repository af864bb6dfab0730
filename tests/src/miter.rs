//! Equivalence of two circuits as one question: whether their outputs ever differ on the same inputs.
//!
//! Inputs and outputs are matched by their names. Latches are not matched: each circuit has its own.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_checker::safety::{Problem, SafetyVerdict, decide_safety};
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_core::aig::Leaf;
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, Lit};

/// Returns a circuit with one bad state: some output differs. An input of only one circuit becomes an input of the result, too.
///
/// # Panics
/// If the circuits have outputs with different names, or an output without a name.
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

/// Adds a circuit to `both`, which has these inputs by name; missing ones are added. Returns the circuit's outputs by name.
fn copy(both: &mut Aig, from: &Aig, inputs: &mut BTreeMap<String, Lit>) -> BTreeMap<String, Lit> {
    let mut latches = Vec::new();
    let images = both.copy(
        from,
        |_| true,
        |both, _, leaf| match leaf {
            Leaf::Input(i) => {
                let name = from.inputs()[i].name.clone();
                let name = name.unwrap_or_else(|| format!("input {i} without a name"));
                *inputs
                    .entry(name.clone())
                    .or_insert_with(|| both.add_input(Some(name)))
            }
            Leaf::Latch(i) => {
                latches.push(both.latches().len());
                both.add_latch(from.latches()[i].reset, None)
            }
        },
    );
    for (latch, &at) in from.latches().iter().zip(&latches) {
        both.set_next(at, images.of(latch.next));
    }
    let outputs = from.outputs.iter();
    outputs
        .map(|output| {
            let name = output.name.clone().expect("a name of an output");
            (name, images.of(output.lit))
        })
        .collect()
}

/// Returns a message if one circuit has outputs whose names the other lacks: their number and the first name.
#[must_use]
pub fn unmatched_outputs(a: &Aig, b: &Aig) -> Option<String> {
    let names = |of: &Aig| -> BTreeSet<String> {
        let names = of.outputs.iter().map(|output| output.name.clone());
        names.map(Option::unwrap_or_default).collect()
    };
    let (a, b) = (names(a), names(b));
    let only: Vec<&str> = a.symmetric_difference(&b).map(String::as_str).collect();
    let first = only.first()?;
    Some(format!("{} outputs that only one has: {first}", only.len()))
}

/// Returns the circuit with the inputs of all chosen names set to 0.
///
/// # Panics
/// As [`miter`].
#[must_use]
pub fn with_inputs_at_zero(of: &Aig, chosen: impl Fn(&str) -> bool) -> Aig {
    let mut made = Aig::new();
    let names = of.inputs().iter().filter_map(|input| input.name.clone());
    let mut inputs: BTreeMap<String, Lit> = names
        .filter(|name| chosen(name))
        .map(|name| (name, Lit::FALSE))
        .collect();
    for (name, lit) in copy(&mut made, of, &mut inputs) {
        made.add_output(lit, Some(name));
    }
    made
}

/// Proves that two circuits have equal outputs on equal inputs in every step.
///
/// # Errors
/// If they differ, with the step of the difference, or if neither was proved.
///
/// # Panics
/// As [`miter`], and if evidence fails its check.
pub fn proved_equal(a: &Aig, b: &Aig) -> Result<(), String> {
    proved_equal_within(a, b, &Budget::unlimited())
}

/// Proves what [`proved_equal`] proves, within a budget; an exhausted budget is an error.
///
/// # Errors
/// As [`proved_equal`].
///
/// # Panics
/// As [`proved_equal`].
pub fn proved_equal_within(a: &Aig, b: &Aig, budget: &Budget) -> Result<(), String> {
    let miter = miter(a, b);
    let problem = Problem {
        model: &miter,
        bad: miter.outputs[0].lit,
    };
    let options = Options {
        turns: Some(8),
        ..Options::SAFETY
    };
    match decide_safety(&problem, &options, None, budget).expect("evidence checks") {
        SafetyVerdict::Holds(_) => Ok(()),
        SafetyVerdict::Fails(run) => Err(format!("they differ in step {}", run.steps.len())),
        SafetyVerdict::Unknown { known_to, reason } => {
            Err(format!("unknown after {known_to} steps: {reason:?}"))
        }
    }
}
