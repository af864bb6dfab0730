//! Strategies of the tester, as trees and as state machines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::valuation::Valuation;

/// What to do, unfolded: set the inputs and look at the outputs. Outputs that no branch has are a fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// What the tester sets.
    pub inputs: Valuation,
    /// What the model may answer.
    pub branches: Vec<TreeBranch>,
}

/// What to do after some outputs. With neither `then` nor `cut` the test ends in a pass: the mutant cannot have given the outputs seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TreeBranch {
    /// What was answered.
    pub outputs: Valuation,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub then: Option<Box<Tree>>,
    /// True where it goes on but the tree is too large to be written; the machine has it all.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut: bool,
}

/// The same as a state machine without cycles, begun in state 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The states; steps lead from lower to higher numbers.
    pub states: Vec<MachineState>,
}

/// A state of the tester.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MachineState {
    /// What the tester sets.
    pub inputs: Valuation,
    /// What the model may answer. Any other answer is a fail.
    pub branches: Vec<MachineBranch>,
}

/// A step of the tester.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MachineBranch {
    /// What was answered.
    pub outputs: Valuation,
    /// The next state; missing where the test ends in a pass: the mutant cannot have given the outputs seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

/// Nodes that an unfolded tree may have.
const MOST_NODES: usize = 256;
/// Levels that an unfolded tree may have: readers of JSON limit nesting.
const MOST_LEVELS: usize = 32;

impl Machine {
    /// Unfolds it, branch by branch until it is too large.
    #[must_use]
    pub fn unfold(&self) -> Option<Tree> {
        let mut left = MOST_NODES;
        self.unfold_from(0, MOST_LEVELS, &mut left)
    }

    fn unfold_from(&self, state: usize, levels: usize, left: &mut usize) -> Option<Tree> {
        let state = self.states.get(state)?;
        let levels = levels.checked_sub(1)?;
        *left = left.checked_sub(1)?;
        let branches = state.branches.iter().map(|branch| {
            let next = branch.next.map(|next| self.unfold_from(next, levels, left));
            TreeBranch {
                outputs: branch.outputs.clone(),
                cut: next == Some(None),
                then: next.flatten().map(Box::new),
            }
        });
        Some(Tree {
            inputs: state.inputs.clone(),
            branches: branches.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(states: usize) -> Machine {
        let branch = |next| MachineBranch {
            outputs: Valuation::default(),
            next,
        };
        let state = |number: usize| MachineState {
            inputs: Valuation::default(),
            branches: vec![branch((number + 1 < states).then_some(number + 1)); 2],
        };
        Machine {
            states: (0..states).map(state).collect(),
        }
    }

    fn nodes(tree: &Tree) -> (usize, usize) {
        let mut sum = (1, 0);
        for branch in &tree.branches {
            sum.1 += usize::from(branch.cut);
            if let Some(then) = &branch.then {
                let (nodes, cuts) = nodes(then);
                sum = (sum.0 + nodes, sum.1 + cuts);
            }
        }
        sum
    }

    #[test]
    fn a_small_machine_is_unfolded_whole() {
        let tree = chain(3).unfold().unwrap();
        assert_eq!(nodes(&tree), (7, 0));
    }

    #[test]
    fn a_large_machine_is_cut_and_can_still_be_read() {
        let tree = chain(100).unfold().unwrap();
        let (nodes, cuts) = nodes(&tree);
        assert!(nodes <= MOST_NODES && cuts > 0);
        let text = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
    }
}
