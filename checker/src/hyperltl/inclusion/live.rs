//! Live parts of the listing: states with infinite runs, and positions from which an accepting loop is reachable.

use std::collections::HashMap;

/// Removes the steps to states, and the initial states in `starts`, from which no infinite run starts. Steps are inputs and next state.
pub(super) fn only_endless(steps: &mut [Vec<(usize, usize)>], starts: &mut Vec<usize>) {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut left: Vec<usize> = vec![0; steps.len()];
    for (state, out) in steps.iter().enumerate() {
        left[state] = out.len();
        for &(_, to) in out {
            before[to].push(state);
        }
    }
    let mut ended: Vec<usize> = (0..steps.len()).filter(|&state| left[state] == 0).collect();
    while let Some(state) = ended.pop() {
        for &earlier in &before[state] {
            left[earlier] -= 1;
            if left[earlier] == 0 {
                ended.push(earlier);
            }
        }
    }
    for out in steps.iter_mut() {
        out.retain(|&(_, to)| left[to] > 0);
    }
    starts.retain(|&start| left[start] > 0);
}

/// The reachable pairs of an outer state and a position of the automaton, with their steps.
#[derive(Default)]
pub(super) struct Pairs {
    /// The positions by their numbers: latch values as bits, and the awaited condition.
    pub positions: Vec<(u64, usize)>,
    numbers: HashMap<(u64, usize), usize>,
    pairs: Vec<(usize, usize)>,
    of_pair: HashMap<(usize, usize), usize>,
    /// For each pair its steps: the inputs as bits, the number of the successor pair, and whether the step meets all conditions.
    out: Vec<Vec<(usize, usize, bool)>>,
}

impl Pairs {
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the number of a pair of an outer state and a position; a new pair is added.
    pub(super) fn number(&mut self, state: usize, position: (u64, usize)) -> usize {
        let fresh = self.positions.len();
        let number = *self.numbers.entry(position).or_insert(fresh);
        if number == fresh {
            self.positions.push(position);
        }
        let fresh = self.pairs.len();
        let pair = *self.of_pair.entry((state, number)).or_insert(fresh);
        if pair == fresh {
            self.pairs.push((state, number));
        }
        pair
    }

    /// Returns the outer state and the position of the next unexplored pair; `None` if there is none. Steps are added to it until the next
    /// call.
    pub(super) fn unexplored(&mut self) -> Option<(usize, (u64, usize))> {
        let &(state, position) = self.pairs.get(self.out.len())?;
        self.out.push(Vec::new());
        Some((state, self.positions[position]))
    }

    pub(super) fn add_step(&mut self, inputs: usize, to: usize, next: (u64, usize), all: bool) {
        let to = self.number(to, next);
        if let Some(out) = self.out.last_mut() {
            out.push((inputs, to, all));
        }
    }

    /// Returns the outer state and the number of the position of a pair.
    pub(super) fn at(&self, pair: usize) -> (usize, usize) {
        self.pairs[pair]
    }

    pub(super) fn steps(&self, pair: usize) -> &[(usize, usize, bool)] {
        &self.out[pair]
    }

    /// Returns for each pair whether it reaches a loop that meets all conditions. The loop counts only in outer states for which `is_asked`
    /// is true.
    pub(super) fn useful(&self, is_asked: &[bool]) -> Vec<bool> {
        let component = self.components();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        let mut useful = vec![false; self.len()];
        for (pair, out) in self.out.iter().enumerate() {
            for &(_, to, all) in out {
                before[to].push(pair);
                let is_asked = is_asked[self.pairs[pair].0];
                useful[pair] |= all && is_asked && component[pair] == component[to];
            }
        }
        let mut open: Vec<usize> = (0..self.len()).filter(|&pair| useful[pair]).collect();
        while let Some(pair) = open.pop() {
            for &earlier in &before[pair] {
                if !useful[earlier] {
                    useful[earlier] = true;
                    open.push(earlier);
                }
            }
        }
        useful
    }

    /// Returns for each pair the number of its strongly connected component (Tarjan, without recursion).
    fn components(&self) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let mut component = vec![NONE; self.len()];
        let (mut index, mut low) = (vec![NONE; self.len()], vec![0; self.len()]);
        let (mut stack, mut next) = (Vec::new(), 0);
        for root in 0..self.len() {
            if index[root] != NONE {
                continue;
            }
            let mut walk = vec![(root, 0)];
            while let Some((pair, edge)) = walk.pop() {
                if edge == 0 {
                    (index[pair], low[pair]) = (next, next);
                    next += 1;
                    stack.push(pair);
                }
                if let Some(&(_, to, _)) = self.out[pair].get(edge) {
                    walk.push((pair, edge + 1));
                    if index[to] == NONE {
                        walk.push((to, 0));
                    } else if component[to] == NONE {
                        low[pair] = low[pair].min(index[to]);
                    }
                    continue;
                }
                if low[pair] == index[pair] {
                    while let Some(member) = stack.pop() {
                        component[member] = pair;
                        if member == pair {
                            break;
                        }
                    }
                }
                if let Some(&(parent, _)) = walk.last() {
                    low[parent] = low[parent].min(low[pair]);
                }
            }
        }
        component
    }
}
