//! Groups of inputs with their classes of valuations.

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;

use super::partition::CLASS_NUMBER_BITS;
use super::{Cut, Group, Partition, bits_for};

/// Smallest number of bits that numbering classes instead of valuations must save. With fewer, tables indexed by valuation cost more than
/// the saved steps.
pub(super) const SAVED: usize = 3;

impl Cut {
    /// Returns the inputs of the cut in groups with classes of valuations: valuations in the same classes have the same values on the
    /// `frontier`. Inputs for which classes save too little are groups of their own.
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

    /// Returns the classes of valuations of some circuit inputs under functions that read only these inputs. `None` if a class needs more
    /// than `most` bits, or if the budget ends.
    fn group(
        &self,
        inputs: &[usize],
        functions: &[Lit],
        most: usize,
        budget: &Budget,
    ) -> Option<Group> {
        let mut partition = Partition::new(self, functions, budget).ok()?;
        let limit = 1usize.checked_shl(most.min(CLASS_NUMBER_BITS) as u32)?;
        for &function in functions {
            if !partition.refine(function, limit).ok()? {
                return None;
            }
        }
        let (group, _) = partition.group(inputs).ok()?;
        (bits_for(group.classes.len()) <= most).then_some(group)
    }
}
