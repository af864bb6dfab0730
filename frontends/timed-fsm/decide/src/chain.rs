//! The behaviour of machines between two inputs: chains of timeouts, in closed form.
//!
//! A chain without inputs is a lasso in which each state occurs once. So a machine is in a state during one interval of time, which repeats
//! periodically if the state is on the cycle. The first time when two machines are in two given states is computed by arithmetic: timeouts
//! of 3000 and 3001 cost as much as 3 and 4.

use hyperkill_timed_fsm::machine::Machine;

/// A stay of a machine in a state without inputs, with its times since the last input. It may recur periodically.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    /// The index of the state.
    pub(crate) state: usize,
    /// The time of its first entry.
    pub(crate) from: u128,
    /// The length of each stay; `None`: infinite.
    lasts: Option<u128>,
    /// The time between two entries; `None`: it is entered once.
    period: Option<u128>,
}

impl Stretch {
    /// Returns the time since the state was entered; `None` if the machine is not in the state at the time `now`.
    fn elapsed(&self, now: u128) -> Option<u128> {
        let since = now.checked_sub(self.from)?;
        let since = self.period.map_or(since, |period| since % period);
        self.lasts
            .is_none_or(|lasts| since < lasts)
            .then_some(since)
    }

    /// Returns the first time from `now` on at which the machine is in the state.
    fn next(&self, now: u128) -> Option<u128> {
        if now <= self.from {
            return Some(self.from);
        }
        if self.elapsed(now).is_some() {
            return Some(now);
        }
        let period = self.period?;
        Some(now + period - (now - self.from) % period)
    }
}

/// All stays of a machine between an input and the next one, in the order of their beginnings.
#[derive(Clone, Debug)]
pub(crate) struct Chain(Vec<Stretch>);

impl Chain {
    /// Returns the behaviour of a machine that has just entered a state. `late` is the additional delay of each timeout.
    pub(crate) fn new(machine: &Machine, start: usize, late: u128) -> Chain {
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut index_of = vec![None; machine.states.len()];
        let (mut state, mut now) = (start, 0);
        loop {
            if let Some(again) = index_of[state] {
                let circle: &mut [Stretch] = &mut stretches[again..];
                let period = now - circle.first().map_or(0, |first| first.from);
                for stretch in circle {
                    stretch.period = Some(period);
                }
                return Chain(stretches);
            }
            index_of[state] = Some(stretches.len());
            let timeout = machine.states[state].timeout;
            let lasts = timeout.map(|timeout| u128::from(timeout.after) + late);
            stretches.push(Stretch {
                state,
                from: now,
                lasts,
                period: None,
            });
            let (Some(timeout), Some(lasts)) = (timeout, lasts) else {
                return Chain(stretches);
            };
            now += lasts;
            state = timeout.target;
        }
    }

    /// Returns the state of the machine after a delay, and the time since it was entered.
    pub(crate) fn at(&self, delay: u128) -> Option<(usize, u128)> {
        let mut stretches = self.0.iter();
        stretches.find_map(|stretch| Some((stretch.state, stretch.elapsed(delay)?)))
    }
}

/// A pair of states that two machines are in at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Meeting {
    /// The shortest delay to this meeting.
    pub(crate) after: u128,
    /// The index of the model's state.
    pub(crate) model: usize,
    /// The index of the mutant's state.
    pub(crate) mutant: usize,
}

/// Returns all pairs of states that two machines are in at the same time, each with its shortest delay.
pub(crate) fn meetings(model: &Chain, mutant: &Chain) -> Vec<Meeting> {
    let pairs = model
        .0
        .iter()
        .flat_map(|x| mutant.0.iter().map(move |y| (x, y)));
    let met = pairs.filter_map(|(x, y)| {
        Some(Meeting {
            after: first_common(x, y)?,
            model: x.state,
            mutant: y.state,
        })
    });
    let mut met: Vec<Meeting> = met.collect();
    met.sort_unstable();
    met
}

fn first_common(x: &Stretch, y: &Stretch) -> Option<u128> {
    match (x.period, y.period) {
        (None, _) => y.next(x.from).filter(|now| x.elapsed(*now).is_some()),
        (_, None) => x.next(y.from).filter(|now| y.elapsed(*now).is_some()),
        // At their first meeting one of the states has just been entered.
        (Some(p), Some(q)) => {
            let candidates = [entering(x, p, y, q), entering(y, q, x, p)];
            candidates.into_iter().flatten().min()
        }
    }
}

/// Returns the first time at which the stay `x`, with period `p`, begins during the stay `y`, with period `q`; `None` if it never does.
fn entering(x: &Stretch, p: u128, y: &Stretch, q: u128) -> Option<u128> {
    let skipped = y.from.saturating_sub(x.from).div_ceil(p);
    let entered = x.from + skipped * p;
    let phase = (entered - y.from) % q;
    let lasts = y.lasts.unwrap_or(q);
    let rounds = match phase < lasts {
        true => 0,
        false => first_multiple(p % q, q, q - phase, q - phase + lasts - 1)?,
    };
    Some(entered + rounds * p)
}

/// Returns the least k with low ≤ k·step mod modulus ≤ high, for step < modulus and low ≤ high < modulus, by Euclid's algorithm.
fn first_multiple(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    if low == 0 {
        return Some(0);
    }
    if step == 0 {
        return None;
    }
    let k = low.div_ceil(step);
    if k * step <= high {
        return Some(k);
    }
    // No multiple of the step is between the limits, so `around` counts the rounds after which the remainder is between them.
    let around = first_multiple(modulus % step, step, step - high % step, step - low % step)?;
    Some((low + modulus * around).div_ceil(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_trying(x: &Stretch, y: &Stretch, until: u128) -> Option<u128> {
        (0..until).find(|now| x.elapsed(*now).is_some() && y.elapsed(*now).is_some())
    }

    fn stretches() -> Vec<Stretch> {
        let mut found = Vec::new();
        for from in [0, 1, 3, 8] {
            for lasts in 1..5 {
                for period in [None, Some(lasts), Some(lasts + 1), Some(lasts + 5)] {
                    found.push(Stretch {
                        state: 0,
                        from,
                        lasts: Some(lasts),
                        period,
                    });
                }
            }
            found.push(Stretch {
                state: 0,
                from,
                lasts: None,
                period: None,
            });
        }
        found
    }

    #[test]
    fn two_machines_first_meet_when_trying_every_moment_says() {
        for x in stretches() {
            for y in stretches() {
                let found = first_common(&x, &y);
                assert_eq!(found, by_trying(&x, &y, 200), "{x:?} {y:?}");
            }
        }
    }

    #[test]
    fn long_timeouts_meet_where_short_ones_would_take_millions_of_steps() {
        let every = |period, lasts| Stretch {
            state: 0,
            from: 0,
            lasts: Some(lasts),
            period: Some(period),
        };
        let late = Stretch {
            from: 2999,
            ..every(3000, 1)
        };
        // The last unit of every 3000 meets the first unit of every 3001 for the first time when 2999 + 3000 k is a multiple of 3001.
        let met = first_common(&late, &every(3001, 1));
        let expected = (0..).map(|k| 2999 + 3000 * k).find(|now| now % 3001 == 0);
        assert_eq!(met, expected);
        let (p, q) = (4_294_967_291, 4_294_967_279);
        let late = Stretch {
            from: p - 1,
            ..every(p, 1)
        };
        let met = first_common(&late, &every(q, 1)).unwrap();
        assert_eq!((met % p, met % q), (p - 1, 0));
    }
}
