//! Conversion of trees with fixed inputs to global tests, for forms without strategies.

use std::collections::BTreeSet;

use hyperkill_audit::documents::{Machine, MachineState, SuiteTest};

/// Returns a test with a tree as a global test, with the outputs that its tree allows along its own run, up to the end of the tree.
///
/// Returns `None` if the test has no tree, its inputs depend on the answers, or its own run leaves the tree.
#[must_use]
pub fn as_global(test: &SuiteTest) -> Option<SuiteTest> {
    let machine = test.machine.as_ref()?;
    if !has_fixed_inputs(machine) {
        return None;
    }
    let mut steps = Vec::new();
    let mut at = Some(0);
    for step in &test.steps {
        // The test ends with its tree, since no mutant can have given further outputs.
        let Some(state) = at.map(|at| machine.states.get(at)) else {
            break;
        };
        let state = state?;
        let mut branches = state.branches.iter();
        let taken = branches.find(|branch| branch.outputs == step.outputs)?;
        let mut step = step.clone();
        let allowed = state.branches.iter().map(|branch| branch.outputs.clone());
        step.allowed = Some(allowed.collect());
        steps.push(step);
        at = taken.next;
    }
    Some(SuiteTest {
        kind: "global".to_owned(),
        steps,
        tree: None,
        machine: None,
        ..test.clone()
    })
}

/// Whether the inputs of a test's state machine do not depend on outputs: all states of each depth have the same inputs.
fn has_fixed_inputs(machine: &Machine) -> bool {
    let mut layer = BTreeSet::from([0]);
    let mut is_fixed = true;
    // Steps lead to higher numbers, so the number of states bounds the depth.
    for _ in 0..machine.states.len() {
        let states: Vec<&MachineState> = layer
            .iter()
            .filter_map(|&state: &usize| machine.states.get(state))
            .collect();
        is_fixed &= states
            .windows(2)
            .all(|pair| pair[0].inputs == pair[1].inputs);
        let branches = states.iter().flat_map(|state| &state.branches);
        layer = branches.filter_map(|branch| branch.next).collect();
    }
    is_fixed
}

#[cfg(test)]
mod tests {
    use hyperkill_core::sort::Value;

    use super::*;
    use hyperkill_audit::documents::{MachineBranch, TestStep, Valuation};

    fn value(name: &str, value: i64) -> Valuation {
        Valuation(vec![(name.to_owned(), Value::Int(value))])
    }

    /// Returns a tree that sets 1 first, and then a value for each of the answers 0 and 1.
    fn test(after: [i64; 2]) -> SuiteTest {
        let state = |input, next: [Option<usize>; 2]| MachineState {
            inputs: value("i", input),
            branches: (0..2)
                .map(|answer| MachineBranch {
                    outputs: value("o", answer),
                    next: next[answer as usize],
                })
                .collect(),
        };
        let step = |input, output| TestStep {
            delay: None,
            at: None,
            free: Vec::new(),
            inputs: value("i", input),
            outputs: value("o", output),
            allowed: None,
            allowed_complete: None,
            windows: None,
            mutant_outputs: None,
        };
        SuiteTest {
            id: "t-001".to_owned(),
            kind: "tree".to_owned(),
            controllable: false,
            initial: Valuation::default(),
            steps: vec![step(1, 0), step(after[0], 1), step(5, 1)],
            tree: None,
            machine: Some(Machine {
                states: vec![
                    state(1, [Some(1), Some(2)]),
                    state(after[0], [Some(2), None]),
                    state(after[1], [None, None]),
                ],
            }),
            kills: Vec::new(),
            found_by: "subsets".to_owned(),
        }
    }

    #[test]
    fn a_tree_with_fixed_inputs_is_a_global_test_that_ends_where_the_tree_does() {
        let found = as_global(&test([3, 3])).unwrap();
        assert_eq!((found.kind.as_str(), found.machine), ("global", None));
        let both = Some(vec![value("o", 0), value("o", 1)]);
        let allowed: Vec<_> = found
            .steps
            .iter()
            .map(|step| step.allowed.clone())
            .collect();
        assert_eq!(allowed, [both.clone(), both]);
    }

    #[test]
    fn a_tree_that_asks_one_thing_or_another_is_none() {
        assert_eq!(as_global(&test([3, 4])), None);
    }
}
