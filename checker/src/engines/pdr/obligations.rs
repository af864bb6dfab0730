//! Cubes that lead to the goal and are not excluded yet, in the order in which they are looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cube::Cube;

/// A cube whose states all lead to the goal.
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// The inputs with which they do.
    pub(super) inputs: Vec<bool>,
    /// Where they lead: an index; `None` for the goal.
    pub(super) then: Option<usize>,
    /// The frame to exclude it from.
    pub(super) level: usize,
    /// How many steps it is from the last one before the goal.
    pub(super) depth: usize,
    /// How often it has been looked at.
    pub(super) looks: usize,
}

/// All obligations of one search backwards from the goal.
pub(super) struct Obligations {
    all: Vec<Obligation>,
    /// Level, depth and index of those that are open: the lowest frame first, there the nearest to the goal.
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

    /// The next to look at.
    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse((_, _, index)) = self.open.pop()?;
        self.all[index].looks += 1;
        Some(index)
    }

    /// The one with this index.
    pub(super) fn get(&self, index: usize) -> &Obligation {
        &self.all[index]
    }

    /// Puts a cube whose states lead to those of another in front of it.
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

    /// Opens one again, for another frame.
    pub(super) fn again(&mut self, index: usize, level: usize) {
        self.all[index].level = level;
        self.open
            .push(Reverse((level, self.all[index].depth, index)));
    }

    /// The way from this one to the goal.
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
