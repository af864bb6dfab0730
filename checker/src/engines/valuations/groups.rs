//! Inputs in groups, each with its classes of valuations.

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;

use super::partition::MOST_BITS;
use super::{Cut, Group, Partition, bits_for};

/// Bits that classes must save: with fewer saved, tables that are listed by valuation cost more than the steps.
pub(super) const SAVED: usize = 3;

impl Cut {
    /// Groups of inputs such that valuations of the same classes are alike for everything that is read through this frontier. Inputs that
    /// are not worth a class are single.
    pub(crate) fn groups(&self, frontier: &[Lit], budget: &Budget) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut single = Vec::new();
        for (inputs, functions) in self.connected(frontier) {
            let bare = self.bare(&functions);
            let worth = inputs.len().checked_sub(SAVED).filter(|&most| bare <= most);
            let group = worth.and_then(|most| self.group(&inputs, &functions, most, budget));
            match group {
                Some(group) => groups.push(group),
                None => single.extend(inputs),
            }
        }
        groups.extend(single.into_iter().map(Group::single));
        groups.sort_by_key(|group| group.inputs.last().copied());
        groups
    }

    /// The classes of some inputs (circuit inputs) under functions that read these alone, numbered by at most so many bits.
    fn group(
        &self,
        inputs: &[usize],
        functions: &[Lit],
        most: usize,
        budget: &Budget,
    ) -> Option<Group> {
        let mut partition = Partition::new(self, functions, budget).ok()?;
        let limit = 1usize.checked_shl(most.min(MOST_BITS) as u32)?;
        for &function in functions {
            if !partition.refine(function, limit).ok()? {
                return None;
            }
        }
        let (group, _) = partition.group(inputs).ok()?;
        (bits_for(group.classes.len()) <= most).then_some(group)
    }
}
