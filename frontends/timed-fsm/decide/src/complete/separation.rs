//! Adds clauses for the prefixes that a new one differs from.

use hyperkill_sat::{Lit, Solver};

use super::Stimulus;
use super::apart::Given;
use super::formula::Formula;

/// The number of pairs with clauses, at most.
const MOST_PAIRS: usize = 40_000;

impl Formula<'_> {
    /// Adds clauses for a new prefix `behind`, which ends with an input and the expected output: prefixes followed by the same input with
    /// another output lead to other states.
    pub(super) fn part(&mut self, behind: usize, stimulus: Stimulus, output: usize) {
        let new = Given {
            before: self.nodes[behind].parent,
            behind,
            output,
        };
        let given = self.apart.given.entry(stimulus).or_default();
        let others: Vec<Given> = given
            .iter()
            .filter(|g| g.output != output)
            .copied()
            .collect();
        given.push(new);
        for other in others {
            if self.apart.pairs.len() >= MOST_PAIRS {
                return;
            }
            let both = [self.nodes[new.behind].on, self.nodes[other.behind].on];
            let mut pair = (new.before, other.before);
            let mut because = vec![!both[0], !both[1]];
            // If two prefixes are in different states, so are their predecessors by the same input.
            loop {
                let (literal, is_new) = self.are_apart(pair);
                because.push(literal);
                self.clause(&because);
                let (one, two) = (&self.nodes[pair.0], &self.nodes[pair.1]);
                if !is_new || pair.0 == 0 || pair.1 == 0 || one.stimulus != two.stimulus {
                    break;
                }
                pair = (one.parent, two.parent);
                because = vec![!literal];
            }
        }
    }

    fn are_apart(&mut self, (one, two): (usize, usize)) -> (Lit, bool) {
        let pair = (one.min(two), one.max(two));
        if let Some(known) = self.apart.pairs.get(&pair) {
            return (*known, false);
        }
        let literal = self.solver.new_lit();
        self.apart.pairs.insert(pair, literal);
        let states = |node: usize| {
            let entered = self.nodes[node].entered.range(..(1, 0));
            let states = entered.map(|((_, state), literal)| (*state, *literal));
            states.collect::<Vec<(usize, Lit)>>()
        };
        let (first, second) = (states(one), states(two));
        for (state, here) in first {
            if let Some((_, there)) = second.iter().find(|(other, _)| *other == state) {
                self.clause(&[!literal, !here, !*there]);
            }
        }
        (literal, true)
    }
}
