//! Finite sets, hash-consed: sorted, stored once, compared by inclusion.

use rustc_hash::FxHashMap;

use super::vectors::PER_ENTRY;

/// The number of a set in [`Sets`].
pub(super) type SetId = u32;

/// A table of sets of numbers (states, or pairs of them), each set stored once.
#[derive(Debug, Default)]
pub(super) struct Sets {
    contents: Vec<u64>,
    bounds: Vec<(usize, usize)>,
    /// For each set a signature of 64 bits, with the bit of each member's hash set: an included set has an included signature.
    signatures: Vec<u64>,
    numbers: FxHashMap<Box<[u64]>, SetId>,
}

impl Sets {
    /// Returns the number of the set with these members, given in any order and possibly repeated.
    pub(super) fn number(&mut self, mut members: Vec<u64>) -> SetId {
        members.sort_unstable();
        members.dedup();
        if let Some(&number) = self.numbers.get(members.as_slice()) {
            return number;
        }
        let number = self.bounds.len() as SetId;
        let first = self.contents.len();
        self.contents.extend_from_slice(&members);
        self.bounds.push((first, self.contents.len()));
        let signature = |&member: &u64| 1 << (member.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        self.signatures.push(
            members
                .iter()
                .map(signature)
                .fold(0, |all: u64, one: u64| all | one),
        );
        self.numbers.insert(members.into_boxed_slice(), number);
        number
    }

    /// Returns the members of a set, ascending.
    pub(super) fn members(&self, set: SetId) -> &[u64] {
        let (first, end) = self.bounds[set as usize];
        &self.contents[first..end]
    }

    /// Returns the total number of members of all sets.
    pub(super) fn total(&self) -> usize {
        self.contents.len()
    }

    /// Returns the approximate size of the table in bytes, which counts against the memory limit of the budget.
    pub(super) fn bytes(&self) -> usize {
        2 * size_of_val(self.contents.as_slice()) + PER_ENTRY * self.numbers.len()
    }

    /// Whether every member of `small` is a member of `large`.
    pub(super) fn included(&self, small: SetId, large: SetId) -> bool {
        if small == large {
            return true;
        }
        if self.signatures[small as usize] & !self.signatures[large as usize] != 0 {
            return false;
        }
        let (small, large) = (self.members(small), self.members(large));
        if small.len() > large.len() {
            return false;
        }
        let mut rest = large.iter();
        small
            .iter()
            .all(|member| rest.find(|&other| other >= member) == Some(member))
    }
}

#[cfg(test)]
mod tests {
    use super::Sets;

    #[test]
    fn sets_are_kept_once_and_compared_by_inclusion() {
        let mut sets = Sets::default();
        let odd = sets.number(vec![5, 1, 3, 1]);
        let all = sets.number(vec![1, 2, 3, 4, 5]);
        let none = sets.number(Vec::new());
        assert_eq!(sets.number(vec![1, 3, 5]), odd);
        assert_eq!(sets.members(odd), [1, 3, 5]);
        assert!(sets.included(odd, all) && sets.included(none, odd) && sets.included(all, all));
        assert!(!sets.included(all, odd) && !sets.included(odd, none));
        assert_eq!(sets.total(), 8);
    }
}
