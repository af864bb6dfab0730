//! Ternary words: for each lane whether a signal can be 0 and whether it can be 1.

use hyperkill_evidence::fault::{Fault as Planted, planted};

use crate::engines::stimuli::{WORDS, Word};

/// Whether a signal can be 0, and whether it can be 1, one bit per lane.
pub(super) type Rails = [Word; 2];

/// The signal that is unknown in all lanes.
pub(super) const ANY: Rails = [[u64::MAX; WORDS]; 2];

/// Returns the signal with one known value in all lanes.
pub(super) fn constant(value: bool) -> Rails {
    let can = |possible: bool| [u64::from(possible).wrapping_neg(); WORDS];
    [can(!value), can(value)]
}

#[inline]
pub(super) fn known(word: Word) -> Rails {
    [word.map(|lanes| !lanes), word]
}

#[inline]
pub(super) fn under(rails: Rails, flipped: usize) -> Rails {
    [rails[flipped], rails[1 - flipped]]
}

#[inline]
pub(super) fn and((a, a_flipped): (&Rails, usize), (b, b_flipped): (&Rails, usize)) -> Rails {
    let zero = [&a[a_flipped], &b[b_flipped]];
    let one = [&a[1 - a_flipped], &b[1 - b_flipped]];
    [
        std::array::from_fn(|w| zero[0][w] | zero[1][w]),
        std::array::from_fn(|w| one[0][w] & one[1][w]),
    ]
}

/// Whether `a` differs in some lane from `b`, which is complemented if `flipped` is 1. Comparing arrays would call a function for each
/// gate.
#[inline]
pub(super) fn differ(a: &Rails, b: &Rails, flipped: usize) -> bool {
    let (zero, one) = (&b[flipped], &b[1 - flipped]);
    let mut any = 0;
    for w in 0..WORDS {
        any |= (a[0][w] ^ zero[w]) | (a[1][w] ^ one[w]);
    }
    any != 0
}

/// Returns the lanes in which a ternary signal is known to be 1.
pub(super) fn holds(rails: Rails) -> Word {
    std::array::from_fn(|w| rails[1][w] & !rails[0][w])
}

/// Returns the lanes in which two ternary signals have known and different values.
pub(super) fn known_apart(a: Rails, b: Rails) -> Word {
    if planted(Planted::UnknownTakenForOther) {
        return std::array::from_fn(|w| a[0][w] ^ b[0][w]);
    }
    std::array::from_fn(|w| {
        let zero = [a[0][w] & !a[1][w], b[0][w] & !b[1][w]];
        let one = [a[1][w] & !a[0][w], b[1][w] & !b[0][w]];
        (zero[0] & one[1]) | (one[0] & zero[1])
    })
}
