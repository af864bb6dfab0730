//! Sets of mutants that a value depends on.
//!
//! The sets of a chain of values grow by one mutant at each link. So a set is a node that has other sets as parts, and is never written
//! out.

use rustc_hash::{FxHashMap, FxHashSet};

/// A set of mutants: the number of a node in [`AllSites`], and 0 for the empty set.
pub(super) type Sites = u32;

/// A set of mutants: a mutant of its own, or the union of other sets.
#[derive(Clone, Debug)]
struct Node {
    /// The mutant; `None` in a union.
    own: Option<usize>,
    parts: Vec<Sites>,
    /// The least and the greatest number of its mutants. Mutants are numbered as they are first noted, so that the bounds of a set exclude
    /// mutants that come later on the way from the sources to the outputs.
    bounds: (u32, u32),
}

/// All sets of mutants.
#[derive(Clone, Default, Debug)]
pub(super) struct AllSites {
    nodes: Vec<Node>,
    /// The sets of one mutant. Their order is that of the numbers of mutants.
    single: FxHashMap<usize, (Sites, u32)>,
    /// The mutant of the last question, and the sets that are known not to contain it.
    without: (Option<usize>, FxHashSet<Sites>),
}

impl AllSites {
    /// Returns the set of one mutant.
    pub(super) fn of_one(&mut self, mutant: usize) -> Sites {
        let number = self.single.len() as u32;
        if let Some((sites, _)) = self.single.get(&mutant) {
            return *sites;
        }
        self.nodes.push(Node {
            own: Some(mutant),
            parts: Vec::new(),
            bounds: (number, number),
        });
        let sites = self.nodes.len() as Sites;
        self.single.insert(mutant, (sites, number));
        sites
    }

    /// Returns the union of sets.
    pub(super) fn union(&mut self, mut parts: Vec<Sites>) -> Sites {
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|part| *part != 0);
        if parts.len() < 2 {
            return parts.first().copied().unwrap_or(0);
        }
        let bounds = parts.iter().map(|part| self.node(*part).bounds);
        let bounds = bounds.fold((u32::MAX, 0), |all, one| {
            (all.0.min(one.0), all.1.max(one.1))
        });
        self.nodes.push(Node {
            own: None,
            parts,
            bounds,
        });
        self.nodes.len() as Sites
    }

    /// Whether a set contains a mutant.
    pub(super) fn contains(&mut self, sites: Sites, mutant: usize) -> bool {
        let Some((_, number)) = self.single.get(&mutant).copied() else {
            return false;
        };
        if self.without.0 != Some(mutant) {
            self.without = (Some(mutant), FxHashSet::default());
        }
        // The sets that are left without an answer are noted again when a part is known to contain the mutant.
        let mut seen = Vec::new();
        let mut stack = vec![sites];
        while let Some(sites) = stack.pop() {
            if sites == 0 || !self.without.1.insert(sites) {
                continue;
            }
            seen.push(sites);
            let node = &self.nodes[sites as usize - 1];
            if node.own == Some(mutant) {
                seen.iter().for_each(|sites| {
                    self.without.1.remove(sites);
                });
                return true;
            }
            if (node.bounds.0..=node.bounds.1).contains(&number) {
                stack.extend(&node.parts);
            }
        }
        false
    }

    /// Forgets all sets.
    pub(super) fn clear(&mut self) {
        *self = AllSites::default();
    }

    fn node(&self, sites: Sites) -> &Node {
        &self.nodes[sites as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::AllSites;

    #[test]
    fn a_set_contains_the_mutants_of_its_parts_and_no_others() {
        let mut all = AllSites::default();
        let mut sets = vec![(0, Vec::new())];
        for mutant in 0..40usize {
            let one = all.of_one(mutant * 7 % 40);
            let (a, b) = (sets.len() / 2, sets.len() * 2 / 3);
            let mut members: Vec<usize> = sets[a].1.iter().chain(&sets[b].1).copied().collect();
            members.push(mutant * 7 % 40);
            let made = all.union(vec![sets[a].0, one, sets[b].0]);
            sets.push((made, members));
        }
        for (sites, members) in sets {
            for mutant in 0..41 {
                assert_eq!(all.contains(sites, mutant), members.contains(&mutant));
            }
        }
    }

    #[test]
    fn a_long_chain_of_sets_has_two_nodes_for_each_link() {
        let mut all = AllSites::default();
        let mut chain = 0;
        for mutant in 0..100_000 {
            let one = all.of_one(mutant);
            chain = all.union(vec![one, chain]);
            assert!(all.contains(chain, mutant));
            assert!(!all.contains(chain, mutant + 1));
        }
        assert!(all.nodes.len() <= 200_000, "{}", all.nodes.len());
    }
}
