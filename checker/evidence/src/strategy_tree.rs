//! Adaptive strategies of the tester: the next input depends on the outputs so far.
//!
//! A strategy is stored as a state machine, and its unfolding is the tree. It is acyclic, so every play ends.

/// The continuation after an output that the model can give.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Next {
    /// The test goes on at the node with this index.
    Node(usize),
    /// The test ends with a pass. If the tree kills for certain, the mutant cannot give these outputs, so the tested system is not this
    /// mutant.
    Pass,
}

/// A node: one input and its continuations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    /// One bool per circuit input; only test inputs are read.
    pub input: Vec<bool>,
    /// The outputs that the model can give here, ascending, with one bool per circuit output. Other outputs are a fail.
    pub branches: Vec<(Vec<bool>, Next)>,
}

/// An adaptive test. A play is complete when it passes or fails; a run that refuses an input before that is no complete play. After the
/// inputs and outputs before it, every input is accepted by some run of the model, and no play of the model fails (semantics.md §4). The
/// test kills a mutant for certain if both mutant and model have complete plays and have none in common. It kills potentially if the model
/// has complete plays and some play of the mutant fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StrategyTree {
    /// Node 0 is the root; branches lead to higher indices only.
    pub nodes: Vec<Node>,
}

impl StrategyTree {
    /// Returns the number of steps of the longest play.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let below = node.branches.iter().map(|(_, next)| match next {
                Next::Node(child) => depths.get(*child).copied().unwrap_or(0),
                Next::Pass => 0,
            });
            depths[index] = 1 + below.max().unwrap_or(0);
        }
        depths.first().copied().unwrap_or(0)
    }
}
