//! Selects few killing lanes for many mutants.

use hyperkill_core::SelectorId;
use hyperkill_core::sim::words;

use crate::engines::stimuli::{LANES, Word};

/// A mutant that stimuli kill, with the lanes (stimuli) that kill it first.
pub(super) struct Struck {
    pub(super) mutant: SelectorId,
    /// The first step at which a lane kills it, counted from 1.
    pub(super) steps: usize,
    /// The lanes that kill it at this step.
    pub(super) lanes: Word,
}

/// Returns for each mutant one lane that kills it, by index. Lanes are chosen greedily, so that few lanes kill all: the one that kills most
/// mutants first.
pub(super) fn chosen(struck: &[Struck]) -> Vec<usize> {
    let mut lanes: Vec<Option<usize>> = vec![None; struck.len()];
    loop {
        let mut kills = [0usize; LANES];
        let open = struck.iter().zip(&lanes);
        for (struck, _) in open.filter(|(_, lane)| lane.is_none()) {
            for lane in words::lanes_of(&struck.lanes) {
                kills[lane] += 1;
            }
        }
        // Ties go to the first lane.
        let best = (0..LANES).rev().max_by_key(|&lane| kills[lane]);
        let Some(best) = best.filter(|&lane| kills[lane] > 0) else {
            return lanes.into_iter().map(Option::unwrap_or_default).collect();
        };
        for (struck, chosen) in struck.iter().zip(&mut lanes) {
            if chosen.is_none() && words::is_set(&struck.lanes, best) {
                *chosen = Some(best);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_that_kills_many_is_taken_for_all_of_them() {
        let struck = |mutant, lanes: &[usize]| {
            let mut word = [0; 8];
            for lane in lanes {
                word[lane / 64] |= 1 << (lane % 64);
            }
            Struck {
                mutant: SelectorId(mutant),
                steps: 1,
                lanes: word,
            }
        };
        let all = [
            struck(0, &[3, 70]),
            struck(1, &[70, 80]),
            struck(2, &[5]),
            struck(3, &[70]),
        ];
        assert_eq!(chosen(&all), [70, 70, 5, 70]);
        assert_eq!(chosen(&[]), [0; 0]);
    }
}
