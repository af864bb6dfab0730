//! Random stimuli, one per lane, typed and from a seed.
//!
//! Independent random inputs rarely let a timer of 270 ticks run out. So most lanes hold what they have for
//! stretches, of lengths that differ from lane to lane, and some prefer one value per input.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::aig::Reset;
use hyperkill_core::conditional::{ConditionalMutant, Port};
use hyperkill_core::trace::Stimulus;

/// Lanes simulated at once.
pub(crate) const LANES: usize = 64 * WORDS;
/// Words of 64 lanes.
pub(crate) const WORDS: usize = 8;

/// One bool per lane.
pub(crate) type Word = [u64; WORDS];

/// Stimuli for all lanes.
#[derive(Clone)]
pub(crate) struct Stimuli {
    /// Per step and circuit input.
    pub(crate) steps: Vec<Vec<Word>>,
    /// Per latch.
    pub(crate) initial: Vec<Word>,
}

/// How one lane chooses.
struct Style {
    /// Mean length of a stretch in steps; 1 is independent choice.
    hold: u32,
    /// Whether all ports change together.
    together: bool,
    /// Per port, a value it prefers; empty for none.
    favourite: Vec<u64>,
}

/// A lane's value that changes: of one port, or of all together.
#[derive(Clone, Copy)]
struct Change {
    lane: usize,
    port: Option<usize>,
}

/// Bit `position` of a code. A wide word has more bits than its code: those above are drawn from the code, as from a
/// seed (the finaliser of SplitMix64).
fn code_bit(code: u64, position: usize) -> u64 {
    let mut limb = code;
    if position >= 64 {
        limb = code.wrapping_add((position as u64 / 64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        limb = (limb ^ limb >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        limb = (limb ^ limb >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        limb ^= limb >> 31;
    }
    limb >> (position % 64) & 1
}

/// Gives a port of one lane this value.
fn set_lane(row: &mut [Word], port: &Port, lane: usize, code: u64) {
    for (position, &bit) in port.bits.iter().enumerate() {
        let mask = 1 << (lane % 64);
        let word = &mut row[bit][lane / 64];
        *word = (*word & !mask) | (code_bit(code, position) << (lane % 64));
    }
}

impl Stimuli {
    /// Random stimuli of so many steps.
    pub(crate) fn random(
        model: &ConditionalMutant,
        steps: usize,
        longest_hold: u32,
        seed: u64,
    ) -> Stimuli {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ports: Vec<&Port> = model.inputs.iter().chain(&model.choices).collect();
        let bits = model.aig.inputs().len();
        let mut stimuli = Stimuli {
            steps: vec![vec![[0; WORDS]; bits]; steps],
            initial: vec![[0; WORDS]; model.aig.latches().len()],
        };
        for (latch, word) in model.aig.latches().iter().zip(&mut stimuli.initial) {
            if latch.reset == Reset::Free {
                *word = std::array::from_fn(|_| rng.next_u64());
            }
        }
        let styles: Vec<Style> = (0..LANES)
            .map(|lane| Style::of_lane(lane, longest_hold, &ports, &mut rng))
            .collect();
        // Who changes at which step: most lanes hold what they have, and need not be looked at then.
        let mut due: Vec<Vec<Change>> = vec![Vec::new(); steps];
        if let Some(first) = due.first_mut() {
            for (lane, style) in styles.iter().enumerate() {
                let alone = (0..ports.len()).map(|port| Change {
                    lane,
                    port: Some(port),
                });
                if style.together {
                    first.push(Change { lane, port: None });
                } else {
                    first.extend(alone);
                }
            }
        }
        let mut row = vec![[0; WORDS]; bits];
        for (step, words) in stimuli.steps.iter_mut().enumerate() {
            for change in std::mem::take(&mut due[step]) {
                let style = &styles[change.lane];
                let which = match change.port {
                    Some(port) => port..port + 1,
                    None => 0..ports.len(),
                };
                for port in which {
                    let code = style.choose(port, ports[port], &mut rng);
                    set_lane(&mut row, ports[port], change.lane, code);
                }
                let next = step + style.stretch(&mut rng);
                if let Some(due) = due.get_mut(next) {
                    due.push(change);
                }
            }
            words.clone_from(&row);
        }
        stimuli
    }

    /// The stimulus of one lane, its first `steps` steps.
    pub(crate) fn lane(&self, lane: usize, steps: usize) -> Stimulus {
        let bit = |word: &Word| word[lane / 64] >> (lane % 64) & 1 == 1;
        Stimulus {
            initial: self.initial.iter().map(bit).collect(),
            steps: self.steps[..steps]
                .iter()
                .map(|step| step.iter().map(bit).collect())
                .collect(),
        }
    }

    /// One stimulus per lane; unused lanes repeat the first. All have the length of the longest, shorter ones repeat
    /// their last step.
    pub(crate) fn of_lanes(lanes: &[Stimulus]) -> Stimuli {
        let steps = lanes.iter().map(|s| s.steps.len()).max().unwrap_or(0);
        let mut stimuli = Stimuli {
            steps: Vec::with_capacity(steps),
            initial: gather(lanes, |s| &s.initial),
        };
        for step in 0..steps {
            stimuli.steps.push(gather(lanes, |s| {
                &s.steps[step.min(s.steps.len().saturating_sub(1))]
            }));
        }
        stimuli
    }
}

fn gather<'a>(lanes: &'a [Stimulus], row: impl Fn(&'a Stimulus) -> &'a Vec<bool>) -> Vec<Word> {
    let Some(first) = lanes.first() else {
        return Vec::new();
    };
    let mut words = vec![[0; WORDS]; row(first).len()];
    for lane in 0..LANES {
        let source = lanes.get(lane).unwrap_or(first);
        for (word, &value) in words.iter_mut().zip(row(source)) {
            if value {
                word[lane / 64] |= 1 << (lane % 64);
            }
        }
    }
    words
}

impl Style {
    fn of_lane(lane: usize, longest: u32, ports: &[&Port], rng: &mut impl Rng) -> Style {
        // Holds of 1, 2, 4, … up to the longest, evenly over the lanes.
        let kinds = u32::BITS - longest.max(1).leading_zeros();
        let hold = 1 << (lane as u32 % kinds);
        let favourite = if lane / kinds as usize % 2 == 1 {
            ports
                .iter()
                .map(|port| rng.random_range(0..port.sort.cardinality()))
                .collect()
        } else {
            Vec::new()
        };
        Style {
            hold,
            together: lane / 16 % 2 == 1,
            favourite,
        }
    }

    /// How many steps a value stays: around `hold`, sometimes much longer.
    fn stretch(&self, rng: &mut impl Rng) -> usize {
        if self.hold == 1 {
            return 1;
        }
        let mut stretch = rng.random_range(1..2 * self.hold as usize);
        while rng.random_range(0..8) == 0 {
            stretch *= 2;
        }
        stretch
    }

    fn choose(&self, index: usize, port: &Port, rng: &mut impl Rng) -> u64 {
        match self.favourite.get(index) {
            Some(&code) if rng.random_range(0..4) != 0 => code,
            _ => rng.random_range(0..port.sort.cardinality()),
        }
    }
}
