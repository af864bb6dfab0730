//! Adaptive strategies of the tester: the next input depends on the outputs seen so far.
//!
//! Kept as a state machine; unfolding it gives the tree. It has no cycle, so every play of it ends.

/// The continuation after an output that the model can give.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Next {
    /// Go on at this node.
    Node(usize),
    /// The test ends with a pass. If the tree kills for certain, the mutant cannot give these outputs, so the tested system is not this
    /// mutant.
    Pass,
}

/// A node: one input and its continuations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    /// One bool per circuit input; only test inputs count.
    pub input: Vec<bool>,
    /// Outputs that the model can give here (one bool per circuit output), ascending. Any other output is a fail.
    pub branches: Vec<(Vec<bool>, Next)>,
}

/// An adaptive test. A play is complete when it passes or fails; a run that refuses an input before is none. Every input is accepted by
/// some run of the model that has the inputs given and the outputs seen before it, and no play of the model fails (semantics.md §4). The
/// test kills a mutant for certain if both mutant and model have complete plays and none is a play of both; potentially if the model has
/// complete plays and some play of the mutant fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StrategyTree {
    /// Node 0 is the root; branches lead to higher indices only.
    pub nodes: Vec<Node>,
}

impl StrategyTree {
    /// Steps of the longest play.
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
