//! Shortens an input sequence while a solver judges that it still kills.

use crate::schedule::engine_efforts::SHORTENING_CALLS;
use hyperkill_core::budget::Budget;

/// Returns a shorter input sequence for which `kills` is true: a prefix found by bisection, from which stretches of halving length are
/// removed.
pub(super) fn shorten(
    inputs: &[Vec<bool>],
    budget: &Budget,
    kills: impl Fn(&[Vec<bool>]) -> bool,
) -> Vec<Vec<bool>> {
    let mut calls = 0;
    let mut still = |inputs: &[Vec<bool>]| {
        calls += 1;
        calls <= SHORTENING_CALLS && budget.stopped().is_none() && kills(inputs)
    };
    // Killing is monotone in the prefix if no inputs are refused; otherwise bisection finds some killing prefix.
    let (mut not, mut does) = (0, inputs.len());
    while not + 1 < does {
        let middle = not.midpoint(does);
        if still(&inputs[..middle]) {
            does = middle;
        } else {
            not = middle;
        }
    }
    let mut short = inputs[..does].to_vec();
    let mut stretch = short.len() / 2;
    while stretch > 0 {
        let mut start = 0;
        while start + stretch <= short.len() && stretch < short.len() {
            let mut cut = short.clone();
            cut.drain(start..start + stretch);
            if still(&cut) {
                short = cut;
            } else {
                start += stretch;
            }
        }
        stretch /= 2;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_kills_is_left() {
        let inputs: Vec<Vec<bool>> = (0..40).map(|i| vec![i % 7 == 3]).collect();
        // Kills if the input is true at least twice.
        let kills = |inputs: &[Vec<bool>]| inputs.iter().filter(|step| step[0]).count() >= 2;
        let short = shorten(&inputs, &Budget::unlimited(), kills);
        assert_eq!(short, vec![vec![true], vec![true]]);
    }
}
