//! Proof obligations: cubes that lead to the goal and are not excluded yet, in a priority queue.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cube::Cube;

/// A cube all of whose states lead to the goal.
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// The inputs of the step from its states.
    pub(super) inputs: Vec<bool>,
    /// The index of the next obligation; `None` for the goal.
    pub(super) then: Option<usize>,
    /// The frame to exclude it from.
    pub(super) level: usize,
    /// The number of steps to the last step before the goal.
    pub(super) depth: usize,
    /// The number of visits.
    pub(super) looks: usize,
}

/// All obligations of one search backwards from the goal.
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

    /// Returns the next obligation.
    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse((_, _, index)) = self.open.pop()?;
        self.all[index].looks += 1;
        Some(index)
    }

    /// Returns the obligation with this index.
    pub(super) fn get(&self, index: usize) -> &Obligation {
        &self.all[index]
    }

    /// Adds a predecessor: a cube whose states lead to those of another.
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

    /// Reopens an obligation for another frame.
    pub(super) fn again(&mut self, index: usize, level: usize) {
        self.all[index].level = level;
        self.open
            .push(Reverse((level, self.all[index].depth, index)));
    }

    /// Returns the path from this obligation to the goal.
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
