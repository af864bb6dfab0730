//! Affected locations: those between a decision and the place where its branches meet.

use rustc_hash::FxHashMap;

use super::flow::Flow;
use super::set::Set;

/// The effect of a decision with two outcomes.
#[derive(Debug)]
pub(super) struct Region {
    /// The locations of runs before the branches meet.
    pub(super) inside: Set,
    /// The variables that the mutant's branch may define: their older definitions are affected in the other one.
    pub(super) defined: Vec<usize>,
}

/// The postdominators of each location (the locations on all paths from it to the end), for one location of decision.
struct Postdominators {
    /// The immediate postdominator of each location; the last location is the end of all paths. `None` if no path ends.
    next: Vec<Option<usize>>,
    /// The locations in an order in which postdominators come first.
    order: Vec<usize>,
}

/// The regions computed so far, by decision and targets.
#[derive(Default)]
pub(super) struct Regions {
    of_decision: FxHashMap<usize, Postdominators>,
    known: FxHashMap<(usize, usize, usize), std::rc::Rc<Region>>,
    /// The number of edges that were visited.
    pub(super) work: usize,
}

impl Regions {
    /// Returns the region of a decision at a location, for the targets of model and mutant.
    pub(super) fn between(
        &mut self,
        flow: &Flow,
        decision: usize,
        model: usize,
        mutant: usize,
    ) -> std::rc::Rc<Region> {
        let key = (decision, model, mutant);
        if let Some(known) = self.known.get(&key) {
            return std::rc::Rc::clone(known);
        }
        let edges: usize = flow.next.iter().map(Vec::len).sum();
        self.work += edges;
        let dominators = (self.of_decision)
            .entry(decision)
            .or_insert_with(|| Postdominators::new(flow, decision));
        let join = dominators.common(model, mutant);
        let mut inside = Set::empty(flow.next.len());
        let mut defined = Set::empty(flow.variables);
        for (start, is_mutant) in [(mutant, true), (model, false)] {
            let mut seen = Set::empty(flow.next.len());
            let mut open = vec![start];
            while let Some(location) = open.pop() {
                let is_end = Some(location) == join || (location == decision && location != start);
                if is_end || !seen.insert(location) {
                    continue;
                }
                inside.insert(location);
                open.extend(&flow.next[location]);
                for arrow in flow.from[location].iter().filter(|_| is_mutant) {
                    for variable in flow.arrows[arrow].defined() {
                        defined.insert(variable);
                    }
                }
            }
        }
        let region = std::rc::Rc::new(Region {
            inside,
            defined: defined.numbers().collect(),
        });
        self.known.insert(key, std::rc::Rc::clone(&region));
        region
    }
}

impl Postdominators {
    /// Computes postdominators. A path ends at a location without successors, and when it returns to the decision. (K. Cooper, T. Harvey,
    /// K. Kennedy: A simple, fast dominance algorithm, on the reversed graph.)
    fn new(flow: &Flow, decision: usize) -> Postdominators {
        let end = flow.next.len();
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); end];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
        for (location, next) in flow.next.iter().enumerate() {
            let ends = |to: &usize| match *to == decision {
                true => end,
                false => *to,
            };
            let mut targets: Vec<usize> = next.iter().map(ends).collect();
            // A self-loop does not leave its location.
            targets.retain(|to| *to != location);
            if targets.is_empty() {
                targets.push(end);
            }
            for to in &targets {
                before[*to].push(location);
            }
            behind[location] = targets;
        }
        let order = backwards(&before, end);
        let mut place = vec![usize::MAX; end + 1];
        for (index, location) in order.iter().enumerate() {
            place[*location] = index;
        }
        let mut found = Postdominators {
            next: vec![None; end + 1],
            order: place,
        };
        found.next[end] = Some(end);
        loop {
            let mut changed = false;
            for location in order.iter().skip(1) {
                let mut common = None;
                for to in &behind[*location] {
                    if found.next[*to].is_none() {
                        continue;
                    }
                    common = match common {
                        None => Some(*to),
                        Some(other) => found.meet(other, *to),
                    };
                }
                if found.next[*location] != common {
                    found.next[*location] = common;
                    changed = true;
                }
            }
            if !changed {
                return found;
            }
        }
    }

    fn meet(&self, mut a: usize, mut b: usize) -> Option<usize> {
        while a != b {
            while self.order[a] > self.order[b] {
                a = self.next[a]?;
            }
            while self.order[b] > self.order[a] {
                b = self.next[b]?;
            }
        }
        Some(a)
    }

    /// Returns the nearest common postdominator of two locations, if it is not the end.
    fn common(&self, a: usize, b: usize) -> Option<usize> {
        if self.next[a].is_none() || self.next[b].is_none() {
            return None;
        }
        let end = self.next.len() - 1;
        self.meet(a, b).filter(|place| *place != end)
    }
}

/// Returns all locations that lead to the end, each after one of its successors; the end is first.
fn backwards(before: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut seen = vec![false; before.len()];
    let (mut finished, mut open) = (Vec::new(), vec![(end, 0)]);
    seen[end] = true;
    while let Some((place, next)) = open.pop() {
        match before[place].get(next) {
            Some(&other) => {
                open.push((place, next + 1));
                if !std::mem::replace(&mut seen[other], true) {
                    open.push((other, 0));
                }
            }
            None => finished.push(place),
        }
    }
    finished.reverse();
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(next: &[&[usize]]) -> Flow {
        Flow::of_graph(next)
    }

    #[test]
    fn branches_meet_where_all_ways_come_by() {
        // 0 is the decision; 1 and 2, 3 are branches; they meet at 4, which leads back to 0 or to the end 5.
        let flow = flow(&[&[1, 2], &[4], &[3, 4], &[4], &[0, 5], &[]]);
        let mut regions = Regions::default();
        let inside = |regions: &mut Regions, model, mutant| {
            let region = regions.between(&flow, 0, model, mutant);
            region.inside.numbers().collect::<Vec<usize>>()
        };
        assert_eq!(inside(&mut regions, 1, 2), [1, 2, 3]);
        assert_eq!(inside(&mut regions, 4, 2), [2, 3]);
        // For a mutant that stays at the decision, all branches are inside.
        assert_eq!(inside(&mut regions, 1, 0), [0, 1, 2, 3]);
        assert_eq!(inside(&mut regions, 1, 1), [0; 0]);
    }

    #[test]
    fn branches_that_never_meet_affect_all_that_they_reach() {
        let flow = flow(&[&[1, 2], &[1], &[3], &[2]]);
        let region = Regions::default().between(&flow, 0, 1, 2);
        assert_eq!(region.inside.numbers().collect::<Vec<usize>>(), [1, 2, 3]);
    }
}
