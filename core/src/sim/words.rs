//! Words with one truth value per lane: the values of one signal in parallel runs, and the states and numbers encoded in lanes.
//!
//! Lane i is bit i mod 64 of word i / 64.

use std::ops::Range;

/// The six lowest bits of the lanes' numbers, for all lanes of a word.
const LANE_BIT: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Returns words with the same value in all lanes.
#[must_use]
pub fn everywhere<const W: usize>(value: bool) -> [u64; W] {
    [u64::from(value).wrapping_neg(); W]
}

/// Returns bit `bit` of each lane's number. Lane 0 has the number `first`, a multiple of 64.
#[must_use]
pub fn number_bit<const W: usize>(first: usize, bit: usize) -> [u64; W] {
    debug_assert!(first.is_multiple_of(64));
    std::array::from_fn(|w| match LANE_BIT.get(bit) {
        Some(&pattern) => pattern,
        None => u64::from((first / 64 + w) >> (bit - LANE_BIT.len()) & 1 == 1).wrapping_neg(),
    })
}

/// Returns words with 1 in these lanes and 0 in all others.
#[must_use]
pub fn range<const W: usize>(lanes: Range<usize>) -> [u64; W] {
    let below = |lane: usize, w: usize| match lane.saturating_sub(64 * w) {
        0 => 0,
        some @ 1..64 => (1u64 << some) - 1,
        _ => u64::MAX,
    };
    std::array::from_fn(|w| below(lanes.end, w) & !below(lanes.start, w))
}

/// Whether a lane's bit is 1.
#[must_use]
pub fn is_set(words: &[u64], lane: usize) -> bool {
    words[lane / 64] >> (lane % 64) & 1 == 1
}

/// Returns the lanes whose bits are 1, ascending.
pub fn lanes_of(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            let lane = 64 * w + (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(lane)
        })
    })
}

/// Sets the state of each of these lanes in `rows`, whose bits must be 0: bit k of the packed state becomes the lane's bit of row k.
pub fn set_state<const W: usize>(rows: &mut [[u64; W]], state: &[u64], lanes: Range<usize>) {
    let mask: [u64; W] = range(lanes.clone());
    let words = lanes.start / 64..lanes.end.div_ceil(64);
    for k in lanes_of(state) {
        for w in words.clone() {
            rows[k][w] |= mask[w];
        }
    }
}

/// Writes the state in one lane of `rows` to `state`, packed: bit k of the state is the lane's bit of row k.
pub fn state_of<const W: usize>(rows: &[[u64; W]], lane: usize, state: &mut [u64]) {
    state.fill(0);
    for (k, row) in rows.iter().enumerate() {
        state[k / 64] |= (row[lane / 64] >> (lane % 64) & 1) << (k % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_its_number_are_in_the_place_of_each_lane() {
        for first in [0, 64, 256, 1 << 12] {
            for bit in 0..16 {
                let words = number_bit::<4>(first, bit);
                for lane in 0..256 {
                    let expected = (first + lane) >> bit & 1 == 1;
                    assert_eq!(is_set(&words, lane), expected, "{first} {bit} {lane}");
                }
            }
        }
    }

    #[test]
    fn ranges_have_ones_in_their_lanes_only_and_name_them_in_order() {
        for start in (0..=192).step_by(7) {
            for end in (start..=192).step_by(5) {
                let words = range::<3>(start..end);
                let listed: Vec<usize> = lanes_of(&words).collect();
                assert_eq!(listed, (start..end).collect::<Vec<usize>>());
                assert!((0..192).all(|lane| is_set(&words, lane) == (start..end).contains(&lane)));
            }
        }
        assert_eq!(everywhere::<3>(true), range::<3>(0..192));
        assert_eq!(everywhere::<3>(false), [0; 3]);
    }

    #[test]
    fn states_put_into_lanes_are_read_from_them_again() {
        let mut rows = vec![[0; 2]; 70];
        let states = [[u64::MAX, 0b101010], [0x1234_5678_9abc_def0, 0b111], [0, 0]];
        let places = [0..1, 1..66, 66..128];
        for (state, place) in states.iter().zip(places.clone()) {
            set_state(&mut rows, state, place);
        }
        for (state, place) in states.iter().zip(places) {
            for lane in place {
                let mut read = [u64::MAX; 2];
                state_of(&rows, lane, &mut read);
                assert_eq!(read, *state, "lane {lane}");
            }
        }
    }
}
