//! Strategies of the tester, as trees and as state machines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::valuation::Valuation;

/// A strategy as a tree: the tester sets the inputs and reads the outputs. Outputs without a branch are a fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// The inputs that the tester sets.
    pub inputs: Valuation,
    /// The allowed outputs of the model.
    pub branches: Vec<TreeBranch>,
}

/// The continuation after some outputs. If `then` is missing and `cut` is false, the test ends with a pass: the mutant cannot give these
/// outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TreeBranch {
    /// The outputs.
    pub outputs: Valuation,
    /// The next node.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub then: Option<Box<Tree>>,
    /// Whether the strategy goes on beyond the tree, which is limited in size. The machine has the complete strategy.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut: bool,
}

/// A strategy as an acyclic state machine with initial state 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The states. Each branch leads to a higher number.
    pub states: Vec<MachineState>,
}

/// A state of the tester.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MachineState {
    /// The inputs that the tester sets.
    pub inputs: Valuation,
    /// The allowed outputs of the model. Other outputs are a fail.
    pub branches: Vec<MachineBranch>,
}

/// A branch of a state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MachineBranch {
    /// The outputs.
    pub outputs: Valuation,
    /// The next state. Missing if the test ends with a pass, because the mutant cannot give these outputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

/// The number of nodes in an unfolded tree, at most. It keeps documents small.
const MOST_NODES: usize = 256;
/// The number of levels in an unfolded tree, at most. Readers of JSON limit the nesting.
const MOST_LEVELS: usize = 32;

impl Machine {
    /// Returns the machine as a tree, which is cut where it exceeds the limits on nodes and levels. `None` if there is no state.
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
