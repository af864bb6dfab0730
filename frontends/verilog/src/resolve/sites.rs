//! Sets of mutants that a value depends on.
//!
//! The sets of a chain of values grow by one mutant at each link. So a set is a node that has other sets as parts, and is never written
//! out.

use rustc_hash::FxHashMap;

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
    /// The mutant of the last question, and for sets whether they contain it, as far as is known.
    asked: (Option<usize>, FxHashMap<Sites, bool>),
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
        if self.asked.0 != Some(mutant) {
            self.asked = (Some(mutant), FxHashMap::default());
        }
        // The sets on the path to the current one, each with the number of its parts that have been searched.
        let mut path: Vec<(Sites, usize)> = Vec::new();
        let mut next = sites;
        loop {
            let known = self.known(next, mutant, number);
            if known == Some(true) {
                let found = path.iter().map(|(sites, _)| (*sites, true));
                self.asked.1.extend(found);
                return true;
            }
            if known.is_none() {
                path.push((next, 0));
            }
            // Leave the sets without a further part.
            loop {
                let Some((sites, searched)) = path.last_mut() else {
                    return false;
                };
                if let Some(part) = self.nodes[*sites as usize - 1].parts.get(*searched) {
                    *searched += 1;
                    next = *part;
                    break;
                }
                self.asked.1.insert(*sites, false);
                path.pop();
            }
        }
    }

    /// Whether a set contains the mutant of the current question, if this is known without its parts. `number` is the mutant's.
    fn known(&self, sites: Sites, mutant: usize, number: u32) -> Option<bool> {
        if sites == 0 {
            return Some(false);
        }
        let node = self.node(sites);
        if node.own == Some(mutant) {
            return Some(true);
        }
        if !(node.bounds.0..=node.bounds.1).contains(&number) {
            return Some(false);
        }
        self.asked.1.get(&sites).copied()
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
