//! Proof obligations: cubes that lead to the goal and are not excluded yet, in a priority queue.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cube::Cube;

/// A cube all of whose states lead to the goal and that must be excluded from a frame.
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// The inputs of the step that leads from its states towards the goal.
    pub(super) inputs: Vec<bool>,
    /// The index of the obligation to whose cube the step leads; `None` if the goal is reached.
    pub(super) then: Option<usize>,
    /// The frame to exclude the cube from.
    pub(super) level: usize,
    /// The number of steps from the cube to the last step before the goal.
    pub(super) depth: usize,
    /// The number of times that the obligation was taken from the queue.
    pub(super) looks: usize,
}

/// All proof obligations of one search backwards from the goal, in a queue.
pub(super) struct Obligations {
    all: Vec<Obligation>,
    /// Level, depth and index of open obligations: the lowest frame first, and within it the nearest to the goal.
    open: BinaryHeap<Reverse<(usize, usize, usize)>>,
}

impl Obligations {
    pub(super) fn new() -> Obligations {
        Obligations {
            all: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    pub(super) fn add(&mut self, obligation: Obligation) {
        let key = (obligation.level, obligation.depth, self.all.len());
        self.open.push(Reverse(key));
        self.all.push(obligation);
    }

    /// Removes the next open obligation, lowest frame first, and returns its index; `None` if there is none.
    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse((_, _, index)) = self.open.pop()?;
        self.all[index].looks += 1;
        Some(index)
    }

    /// Returns the obligation with this index.
    pub(super) fn get(&self, index: usize) -> &Obligation {
        &self.all[index]
    }

    /// Adds a cube whose states lead by these inputs to those of the obligation `index`, for the frame before; both are then open.
    pub(super) fn precede(&mut self, index: usize, cube: Cube, inputs: Vec<bool>) {
        let (level, depth) = (self.all[index].level, self.all[index].depth);
        self.add(Obligation {
            cube,
            inputs,
            then: Some(index),
            level: level - 1,
            depth: depth + 1,
            looks: 0,
        });
        self.open.push(Reverse((level, depth, index)));
    }

    /// Reopens the obligation `index` for another frame.
    pub(super) fn again(&mut self, index: usize, level: usize) {
        self.all[index].level = level;
        self.open
            .push(Reverse((level, self.all[index].depth, index)));
    }

    /// Returns the obligations along the steps from this one to the goal.
    pub(super) fn path(&self, index: usize) -> Vec<&Obligation> {
        let mut path = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at {
            path.push(&self.all[index]);
            at = self.all[index].then;
        }
        path
    }
}
