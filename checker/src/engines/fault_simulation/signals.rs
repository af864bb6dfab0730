//! Values of a signal in all lanes, ternary or binary.

use super::rails::{ANY, Rails, constant, known, known_apart, under};
use crate::engines::stimuli::{WORDS, Word};

/// The values of a signal (0, 1 and perhaps unknown), one per lane, that is, per simulated run.
pub(super) trait Signal: Copy {
    /// Returns the signal with this known value in all lanes.
    fn constant(value: bool) -> Self;
    /// Returns the signal with a known value in each lane: the lane's bit in `lanes`.
    fn known(lanes: Word) -> Self;
    /// Returns the signal that is unknown in all lanes.
    fn unknown() -> Self;
    /// Returns the complement if `flipped` is 1, the signal itself if it is 0.
    fn under(self, flipped: usize) -> Self;
    /// Returns the conjunction of two signals; a signal with 1 beside it is complemented first.
    fn and(a: (&Self, usize), b: (&Self, usize)) -> Self;
    /// Returns the lanes in which the signal is known to have this value.
    fn is(&self, value: bool) -> Word;
    /// Returns the lanes in which both signals are known and different.
    fn apart(self, other: Self) -> Word;
    /// Returns the signal that has in all lanes of a word the value of the word's last lane.
    fn of_last(self) -> Self;
}

impl Signal for Rails {
    fn constant(value: bool) -> Rails {
        constant(value)
    }

    fn known(lanes: Word) -> Rails {
        known(lanes)
    }

    fn unknown() -> Rails {
        ANY
    }

    fn under(self, flipped: usize) -> Rails {
        under(self, flipped)
    }

    #[inline]
    fn and(a: (&Rails, usize), b: (&Rails, usize)) -> Rails {
        super::rails::and(a, b)
    }

    #[inline]
    fn is(&self, value: bool) -> Word {
        let [other, own] = under(*self, usize::from(!value));
        std::array::from_fn(|w| own[w] & !other[w])
    }

    fn apart(self, other: Rails) -> Word {
        known_apart(self, other)
    }

    fn of_last(self) -> Rails {
        self.map(Signal::of_last)
    }
}

/// Binary values: every value is known.
impl Signal for Word {
    fn constant(value: bool) -> Word {
        [u64::from(value).wrapping_neg(); WORDS]
    }

    fn known(lanes: Word) -> Word {
        lanes
    }

    /// Never called, since a binary signal has no unknown value: programs with unknown values use [`Rails`].
    fn unknown() -> Word {
        [0; WORDS]
    }

    #[inline]
    fn under(self, flipped: usize) -> Word {
        let flips = (flipped as u64).wrapping_neg();
        self.map(|lanes| lanes ^ flips)
    }

    #[inline]
    fn and((a, a_flipped): (&Word, usize), (b, b_flipped): (&Word, usize)) -> Word {
        let [a_flips, b_flips] = [a_flipped, b_flipped].map(|it| (it as u64).wrapping_neg());
        std::array::from_fn(|w| (a[w] ^ a_flips) & (b[w] ^ b_flips))
    }

    #[inline]
    fn is(&self, value: bool) -> Word {
        self.under(usize::from(!value))
    }

    fn apart(self, other: Word) -> Word {
        std::array::from_fn(|w| self[w] ^ other[w])
    }

    fn of_last(self) -> Word {
        self.map(|lanes| (lanes >> 63 & 1).wrapping_neg())
    }
}
