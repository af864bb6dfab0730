//! Random stimuli, one per lane, that respect the types of ports. They are determined by a seed.
//!
//! Independent random inputs rarely let a timer of 270 ticks run out. So most lanes hold their inputs for stretches whose lengths differ
//! between lanes, and some prefer one value per input.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::aig::Reset;
use hyperkill_core::conditional::{ConditionalMutant, Port};
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::sim::words;
use hyperkill_core::trace::Stimulus;

use crate::schedule::efforts::RandomRuns;

/// Lanes simulated at once.
pub(crate) const LANES: usize = 64 * WORDS;
/// Number of words of 64 lanes in which stimuli are stored.
pub(crate) const WORDS: usize = 8;

/// A bit for each lane (simulated run); lane l is bit l % 64 of word l / 64.
pub(crate) type Word = [u64; WORDS];

/// Input values and initial states of all lanes; a lane is one of the runs that are simulated at once.
#[derive(Clone)]
pub(crate) struct Stimuli {
    /// For each step and each input of the circuit its value in each lane.
    pub(crate) steps: Vec<Vec<Word>>,
    /// The first values of latches.
    pub(crate) initial: Starts,
}

/// The first values of all latches in all lanes. Latches that start with 0 in every lane are not stored: a model of second order has a
/// selector for each of 100,000 mutants.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    latches: usize,
    words: BTreeMap<usize, Word>,
}

impl Starts {
    /// Returns 0 for each of these latches.
    fn zeros(latches: usize) -> Starts {
        Starts {
            latches,
            words: BTreeMap::new(),
        }
    }

    /// Returns the first values of runs, one per lane; unused lanes repeat the first run.
    fn of_lanes(runs: &[Stimulus]) -> Starts {
        let Some(first) = runs.first() else {
            return Starts::zeros(0);
        };
        let mut starts = Starts::zeros(first.initial.len());
        for latch in first.initial.ones() {
            starts.words.insert(*latch, [u64::MAX; WORDS]);
        }
        for (lane, run) in runs.iter().enumerate().take(LANES) {
            starts.put(lane, &run.initial);
        }
        starts
    }

    /// Returns the first value of a latch in each lane.
    pub(crate) fn of(&self, latch: usize) -> Word {
        self.words.get(&latch).copied().unwrap_or_default()
    }

    /// Returns the first values of one lane.
    fn lane(&self, lane: usize) -> FirstValues {
        let ones = self.words.iter();
        let ones = ones.filter(|(_, word)| word[lane / 64] >> (lane % 64) & 1 == 1);
        let ones = ones.map(|(latch, _)| *latch);
        FirstValues::with_ones(self.latches, ones).unwrap_or_default()
    }

    /// Replaces the first values of one lane.
    fn put(&mut self, lane: usize, run: &FirstValues) {
        let (word, place) = (lane / 64, lane % 64);
        for words in self.words.values_mut() {
            words[word] &= !(1 << place);
        }
        for latch in run.ones() {
            self.words.entry(*latch).or_default()[word] |= 1 << place;
        }
    }
}

/// The ways in which the lanes choose their random inputs. All random decisions are drawn for 64 lanes at once.
struct Styles {
    /// For each kind k the lanes whose inputs change with probability 2^-k in each step.
    holding: Vec<Word>,
    /// Lanes in which all ports change at the same steps.
    together: Word,
    /// Lanes in which each port takes one preferred value three times out of four.
    constant: Word,
    /// For each circuit input its bit of the port's preferred value, by lane.
    favourite: Vec<Word>,
}

impl Stimuli {
    /// Returns random stimuli of `steps` steps; some lanes hold their inputs, for at most about `effort.hold` steps on average. If inputs
    /// rest, each lane leaves about half of the ports at their preferred values. Some of these begin with the opposite, as a reset does.
    pub(crate) fn random(
        model: &ConditionalMutant,
        steps: usize,
        effort: &RandomRuns,
        seed: u64,
    ) -> Stimuli {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ports: Vec<&Port> = model.inputs.iter().chain(&model.choices).collect();
        let bits = model.aig.inputs().len();
        let mut stimuli = Stimuli {
            steps: vec![vec![[0; WORDS]; bits]; steps],
            initial: Starts::zeros(model.aig.latches().len()),
        };
        stimuli.draw_first_values(model, &mut rng);
        let styles = Styles::new(&ports, bits, effort.hold, &mut rng);
        let resting: Vec<Rest> = match effort.rests {
            true => ports.iter().map(|port| Rest::new(port, &mut rng)).collect(),
            false => Vec::new(),
        };
        let mut row = vec![[0; WORDS]; bits];
        for (step, words) in stimuli.steps.iter_mut().enumerate() {
            let common = styles.changes(step, &mut rng);
            for port in &ports {
                let own = styles.changes(step, &mut rng);
                let mut fresh = uniform(port, &mut rng);
                for w in 0..WORDS {
                    let change = (styles.together[w] & common[w]) | (!styles.together[w] & own[w]);
                    let preferred = styles.constant[w] & (rng.next_u64() | rng.next_u64());
                    for (fresh, &bit) in fresh.iter_mut().zip(&port.bits) {
                        let value =
                            (preferred & styles.favourite[bit][w]) | (!preferred & fresh[w]);
                        row[bit][w] = (row[bit][w] & !change) | (value & change);
                    }
                }
            }
            for (port, rest) in ports.iter().zip(&resting) {
                rest.overwrite(port, step, &styles.favourite, &mut row);
            }
            words.clone_from(&row);
        }
        stimuli
    }

    /// Returns weighted stimuli of `steps` steps. In each lane each port has a favourite value, to which it returns or which it keeps until
    /// the next change, and a probability of leaving it. So a rare reset, an enable that is mostly on and data that always change meet in
    /// some lane. Half of the values are corners of a port's range. Many lanes begin with the opposite of their favourite values, as a
    /// reset does.
    pub(crate) fn weighted(model: &ConditionalMutant, steps: usize, seed: u64) -> Stimuli {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let ports: Vec<&Port> = model.inputs.iter().chain(&model.choices).collect();
        let mut stimuli = Stimuli {
            steps: vec![vec![[0; WORDS]; model.aig.inputs().len()]; steps],
            initial: Starts::zeros(model.aig.latches().len()),
        };
        stimuli.draw_first_values(model, &mut rng);
        for port in ports {
            let weights = Weights::new(port, &mut rng);
            let mut before = weights.favourite.clone();
            for (step, row) in stimuli.steps.iter_mut().enumerate() {
                before = weights.next(port, step, &before, &mut rng);
                for (&bit, word) in port.bits.iter().zip(&before) {
                    row[bit] = *word;
                }
            }
        }
        stimuli
    }

    /// Draws the free first values. Those of selectors are drawn too, so that the stream of random numbers does not depend on them. They
    /// stay 0, so that runs need not store them.
    fn draw_first_values(&mut self, model: &ConditionalMutant, rng: &mut impl Rng) {
        let selectors = model.selector_of_latch();
        let latches = model.aig.latches().iter().zip(selectors);
        for (number, (latch, selector)) in latches.enumerate() {
            if latch.reset == Reset::Free {
                let drawn = std::array::from_fn(|_| rng.next_u64());
                if selector.is_none() {
                    self.initial.words.insert(number, drawn);
                }
            }
        }
    }

    /// Returns the first `steps` steps of one lane as a stimulus of a single run.
    pub(crate) fn lane(&self, lane: usize, steps: usize) -> Stimulus {
        let bit = |word: &Word| word[lane / 64] >> (lane % 64) & 1 == 1;
        Stimulus {
            initial: self.initial.lane(lane),
            steps: self.steps[..steps]
                .iter()
                .map(|step| step.iter().map(bit).collect())
                .collect(),
        }
    }

    /// Replaces the initial state and the first `steps` steps of a lane by those of another run.
    pub(crate) fn begin_with(&mut self, lane: usize, run: &Stimulus, steps: usize) {
        let (word, place) = (lane / 64, lane % 64);
        let put = |words: &mut Vec<Word>, row: &[bool]| {
            for (words, &value) in words.iter_mut().zip(row) {
                words[word] = (words[word] & !(1 << place)) | (u64::from(value) << place);
            }
        };
        self.initial.put(lane, &run.initial);
        for (words, row) in self.steps.iter_mut().zip(&run.steps).take(steps) {
            put(words, row);
        }
    }

    /// Inverts the circuit input `bit` at one step of a lane.
    pub(crate) fn flip(&mut self, lane: usize, step: usize, bit: usize) {
        self.steps[step][bit][lane / 64] ^= 1 << (lane % 64);
    }

    /// Returns stimuli with one run per word of 64 lanes, the same in all of them; unused words repeat the first. They are as long as the
    /// shortest run.
    pub(crate) fn of_words(runs: &[Stimulus]) -> Stimuli {
        let words = |step: usize| -> Vec<Word> {
            let rows: Vec<&Vec<bool>> = runs.iter().map(|run| &run.steps[step]).collect();
            let bits = rows.first().map_or(0, |row| row.len());
            let of = |bit: usize| {
                std::array::from_fn(|w| {
                    let row = rows.get(w).or(rows.first());
                    u64::from(row.is_some_and(|row| row[bit])).wrapping_neg()
                })
            };
            (0..bits).map(of).collect()
        };
        let mut initial = Starts::zeros(runs.first().map_or(0, |run| run.initial.len()));
        for w in 0..WORDS {
            let run = runs.get(w).or(runs.first());
            for latch in run.into_iter().flat_map(|run| run.initial.ones()) {
                initial.words.entry(*latch).or_default()[w] = u64::MAX;
            }
        }
        let steps = runs.iter().map(|run| run.steps.len()).min().unwrap_or(0);
        Stimuli {
            initial,
            steps: (0..steps).map(words).collect(),
        }
    }

    /// Returns stimuli with one run per lane; unused lanes repeat the first. All have the length of the longest, shorter ones repeat their
    /// last step.
    pub(crate) fn of_lanes(lanes: &[Stimulus]) -> Stimuli {
        let steps = lanes.iter().map(|s| s.steps.len()).max().unwrap_or(0);
        let mut stimuli = Stimuli {
            steps: Vec::with_capacity(steps),
            initial: Starts::of_lanes(lanes),
        };
        for step in 0..steps {
            stimuli.steps.push(gather(lanes, |run| {
                let last = run.steps.len().saturating_sub(1);
                run.steps[step.min(last)].iter().copied()
            }));
        }
        stimuli
    }
}

/// Number of steps for which some lanes begin with the opposite of their favourite values.
const OPENING: usize = 2;

/// The lanes that leave one port at its preferred value.
struct Rest {
    lanes: Word,
    /// Lanes that begin with the complement of the value, at ports of one bit.
    opens: Word,
}

impl Rest {
    fn new(port: &Port, rng: &mut impl Rng) -> Rest {
        let lanes = std::array::from_fn(|_| rng.next_u64());
        let opens = std::array::from_fn(|_| rng.next_u64());
        Rest {
            lanes,
            opens: match port.bits.len() {
                1 => opens,
                _ => [0; WORDS],
            },
        }
    }

    /// Puts the preferred values of these lanes into the inputs of a step.
    fn overwrite(&self, port: &Port, step: usize, favourite: &[Word], row: &mut [Word]) {
        for &bit in &port.bits {
            for w in 0..WORDS {
                let opens = if step < OPENING { self.opens[w] } else { 0 };
                let value = favourite[bit][w] ^ opens;
                row[bit][w] = (row[bit][w] & !self.lanes[w]) | (value & self.lanes[w]);
            }
        }
    }
}

/// The random choices of each lane for one port, by which [`Stimuli::weighted`] chooses its values.
struct Weights {
    /// For each bit of the port its value in the favourite value, by lane.
    favourite: Vec<Word>,
    /// Lanes that leave the favourite value with probability 2^-k, for k from 0.
    rarity: [Word; 8],
    /// Lanes that keep the last value, instead of returning to the favourite one, until the next change.
    keeps: Word,
    /// Lanes that begin with the complement of the favourite value, at ports of one bit.
    opens: Word,
}

impl Weights {
    fn new(port: &Port, rng: &mut impl Rng) -> Weights {
        let mut word = || -> Word { std::array::from_fn(|_| rng.next_u64()) };
        let digits = [word(), word(), word()];
        let (keeps, opens) = (word(), word());
        let rarity = std::array::from_fn(|k| {
            std::array::from_fn(|w| {
                let digit = |d: usize| match k >> d & 1 {
                    1 => digits[d][w],
                    _ => !digits[d][w],
                };
                digit(0) & digit(1) & digit(2)
            })
        });
        let opens = match port.bits.len() {
            1 => opens,
            _ => [0; WORDS],
        };
        Weights {
            favourite: corners(port, rng),
            rarity,
            keeps,
            opens,
        }
    }

    /// Returns the bits of the port at a step, lowest bit first, given its bits at the step before.
    fn next(&self, port: &Port, step: usize, before: &[Word], rng: &mut impl Rng) -> Vec<Word> {
        if step < OPENING {
            let opened = self.favourite.iter();
            let opened = opened.map(|word| std::array::from_fn(|w| word[w] ^ self.opens[w]));
            return opened.collect();
        }
        let leaves: Word = std::array::from_fn(|w| {
            let mut rare = u64::MAX;
            self.rarity
                .iter()
                .enumerate()
                .fold(0, |leaves, (k, lanes)| {
                    if k > 0 {
                        rare &= rng.next_u64();
                    }
                    leaves | lanes[w] & rare
                })
        });
        let fresh = corners(port, rng);
        let bits = fresh.iter().zip(before).zip(&self.favourite);
        // Lanes do not keep the value of their opening steps.
        let keeps = if step == OPENING {
            [0; WORDS]
        } else {
            self.keeps
        };
        bits.map(|((fresh, before), favourite)| {
            std::array::from_fn(|w| {
                let rest = (before[w] & keeps[w]) | (favourite[w] & !keeps[w]);
                (fresh[w] & leaves[w]) | (rest & !leaves[w])
            })
        })
        .collect()
    }
}

/// Returns random codes of a port, a word of lanes for each bit, lowest first. About half of the codes are 0, 1 or the largest code.
fn corners(port: &Port, rng: &mut impl Rng) -> Vec<Word> {
    let mut bits = uniform(port, rng);
    if port.bits.len() < 2 {
        return bits;
    }
    let mut largest = vec![[u64::MAX; WORDS]; bits.len()];
    if port.sort.has_aliases() {
        let code = port.sort.cardinality() - 1;
        for (position, word) in largest.iter_mut().enumerate() {
            *word = words::everywhere(code >> position & 1 == 1);
        }
    }
    for w in 0..WORDS {
        let corner = rng.next_u64();
        let (high, one) = (rng.next_u64(), rng.next_u64());
        for (position, (bit, largest)) in bits.iter_mut().zip(&largest).enumerate() {
            let low = if position == 0 { one } else { 0 };
            let value = (largest[w] & high) | (low & !high);
            bit[w] = (value & corner) | (bit[w] & !corner);
        }
    }
    bits
}

fn gather<'a, V: Iterator<Item = bool>>(
    lanes: &'a [Stimulus],
    row: impl Fn(&'a Stimulus) -> V,
) -> Vec<Word> {
    let Some(first) = lanes.first() else {
        return Vec::new();
    };
    let mut words: Vec<Word> = row(first).map(words::everywhere).collect();
    for (lane, source) in lanes.iter().enumerate().take(LANES) {
        let (word, place) = (lane / 64, lane % 64);
        for (words, value) in words.iter_mut().zip(row(source)) {
            words[word] = (words[word] & !(1 << place)) | (u64::from(value) << place);
        }
    }
    words
}

impl Styles {
    fn new(ports: &[&Port], bits: usize, longest: u32, rng: &mut impl Rng) -> Styles {
        // Hold times of 1, 2, 4, … up to the longest, evenly over the lanes.
        let kinds = (u32::BITS - longest.max(1).leading_zeros()) as usize;
        let lanes = |which: &dyn Fn(usize) -> bool| -> Word {
            std::array::from_fn(|w| {
                let lanes = (0..64).filter(|lane| which(64 * w + lane));
                lanes.fold(0, |word, lane| word | 1 << lane)
            })
        };
        let mut favourite = vec![[0; WORDS]; bits];
        for port in ports {
            for (&bit, word) in port.bits.iter().zip(uniform(port, rng)) {
                favourite[bit] = word;
            }
        }
        Styles {
            holding: (0..kinds)
                .map(|kind| lanes(&|lane| lane % kinds == kind))
                .collect(),
            together: lanes(&|lane| lane / 16 % 2 == 1),
            constant: lanes(&|lane| lane / kinds % 2 == 1),
            favourite,
        }
    }

    /// Returns the lanes whose inputs change at a step; at the first step all lanes do.
    fn changes(&self, step: usize, rng: &mut impl Rng) -> Word {
        if step == 0 {
            return [u64::MAX; WORDS];
        }
        std::array::from_fn(|w| {
            let mut rare = u64::MAX;
            let mut change = 0;
            for (kind, lanes) in self.holding.iter().enumerate() {
                if kind > 0 {
                    rare &= rng.next_u64();
                }
                change |= lanes[w] & rare;
            }
            change
        })
    }
}

/// Returns uniformly random codes of a port, a word of lanes for each bit, lowest first. Codes without a value of their own have the top
/// bit cleared.
fn uniform(port: &Port, rng: &mut impl Rng) -> Vec<Word> {
    let mut bits: Vec<Word> = (port.bits.iter())
        .map(|_| std::array::from_fn(|_| rng.next_u64()))
        .collect();
    if !port.sort.has_aliases() {
        return bits;
    }
    let largest = port.sort.cardinality() - 1;
    for w in 0..WORDS {
        // From the lowest bit on: whether the part of the code so far is greater than that part of the largest code.
        let above = bits.iter().enumerate().fold(0, |above, (position, bit)| {
            if largest >> position & 1 == 1 {
                above & bit[w]
            } else {
                above | bit[w]
            }
        });
        if let Some(top) = bits.last_mut() {
            top[w] &= !above;
        }
    }
    bits
}
