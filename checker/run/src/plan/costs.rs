//! Estimates of the time that mutants take.

use std::collections::BTreeMap;

use hyperkill_audit::catalogue::Entry;

use crate::documents::{Basis, Estimate, MutantTable, Timings};

/// Times of an earlier run, as the basis of estimates.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Mutants of an earlier run, by id.
    known: BTreeMap<String, Known>,
}

/// A mutant of an earlier run.
#[derive(Clone, Debug)]
struct Known {
    seconds: f64,
    operator: String,
    /// Whether the run worked on this mutant by itself. Shards get such mutants.
    is_alone: bool,
}

/// A mutant with the size of the part of the model that its verdict depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sized<'a> {
    pub(super) entry: &'a Entry,
    pub(super) size: usize,
}

/// The least time in seconds, and the least size relative to the mean. Smaller values are rounded up to it.
const LEAST: f64 = 1e-3;
/// The engine that works on single mutants, as timings name it.
const ALONE: &str = "solving";
/// The number of known times in the mean of an estimate.
const NEIGHBOURS: usize = 5;

impl Costs {
    /// Returns estimates without an earlier run: a mutant of mean size takes a second.
    #[must_use]
    pub fn by_size() -> Costs {
        Costs::default()
    }

    /// Returns estimates from the times of an earlier run.
    #[must_use]
    pub fn of_run(table: &MutantTable, timings: &Timings) -> Costs {
        let operators: BTreeMap<&str, &str> = (table.mutants.iter())
            .map(|mutant| (mutant.id.as_str(), mutant.operator.as_deref().unwrap_or("")))
            .collect();
        let known = timings.mutants.iter().map(|timed| {
            let operator = operators.get(timed.mutant.as_str()).copied();
            let mut engines = timed.parts.iter().filter_map(|part| part.engine.as_deref());
            let known = Known {
                seconds: timed.seconds.max(LEAST),
                operator: operator.unwrap_or_default().to_owned(),
                is_alone: engines.any(|engine| engine == ALONE),
            };
            (timed.mutant.clone(), known)
        });
        Costs {
            known: known.collect(),
        }
    }

    /// Returns the estimated seconds of each mutant, and the quality of the estimate. `others` are the other mutants of the model.
    pub(super) fn of(&self, mutants: &[Sized<'_>], others: &[Sized<'_>]) -> (Vec<f64>, Estimate) {
        let nearby = Nearby::of(&self.known, mutants.iter().chain(others));
        let total: f64 = mutants.iter().map(|mutant| mutant.size as f64).sum();
        let mean = total / mutants.len().max(1) as f64;
        let by_size = |size: usize| match mean > 0.0 {
            true => (size as f64 / mean).max(LEAST),
            false => 1.0,
        };
        let seconds = mutants.iter().map(|mutant| {
            let known = self.known.get(mutant.entry.id.0.as_str());
            let near = || nearby.seconds(operator(mutant.entry), log(mutant.size), None);
            known
                .map(|known| known.seconds)
                .or_else(near)
                .unwrap_or_else(|| by_size(mutant.size))
        });
        let seconds: Vec<f64> = seconds.collect();
        let estimate = Estimate {
            by: match self.known.is_empty() {
                true => Basis::Cone,
                false => Basis::Timings,
            },
            seconds: rounded(seconds.iter().sum()),
            error: nearby.median_error().map(rounded),
        };
        (seconds, estimate)
    }
}

/// Rounds to three decimals.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// Returns the logarithm of a size: sizes are compared by their ratio.
fn log(size: usize) -> f64 {
    (size as f64).max(1.0).ln()
}

fn operator(entry: &Entry) -> &str {
    let mutant = entry.mutant.as_ref();
    mutant.map_or("", |mutant| mutant.operator.as_str())
}

/// The time of a mutant of the earlier run, with its size.
#[derive(Clone, Copy, Debug)]
struct Point<'a> {
    /// The logarithm of the size; of 1 if the model no longer has the mutant.
    log: f64,
    seconds: f64,
    id: &'a str,
}

/// Times of the earlier run, by operator and size.
struct Nearby<'a> {
    by_operator: BTreeMap<&'a str, Vec<Point<'a>>>,
    all: Vec<Point<'a>>,
}

impl<'a> Nearby<'a> {
    /// Returns the times of mutants that the run worked on alone, by operator; the times of all mutants if it worked on none alone.
    fn of<'s>(
        known: &'a BTreeMap<String, Known>,
        sized: impl Iterator<Item = &'s Sized<'s>>,
    ) -> Nearby<'a> {
        let sizes: BTreeMap<&str, usize> = sized
            .map(|mutant| (mutant.entry.id.0.as_str(), mutant.size))
            .collect();
        let some_alone = known.values().any(|known| known.is_alone);
        let mut by_operator: BTreeMap<&str, Vec<Point<'a>>> = BTreeMap::new();
        let mut all = Vec::new();
        for (id, known) in known {
            if some_alone && !known.is_alone {
                continue;
            }
            let point = Point {
                log: log(sizes.get(id.as_str()).copied().unwrap_or(1)),
                seconds: known.seconds,
                id,
            };
            let operator = known.operator.as_str();
            by_operator.entry(operator).or_default().push(point);
            all.push(point);
        }
        for points in by_operator.values_mut().chain([&mut all]) {
            points.sort_by(|a, b| a.log.total_cmp(&b.log).then(a.id.cmp(b.id)));
        }
        Nearby { by_operator, all }
    }

    /// Returns the mean time of the nearest sizes of this operator; of all operators if it has too few. `log` is the logarithm of the size.
    /// Ignores the mutant `without`; `None` if no time is left.
    fn seconds(&self, operator: &str, log: f64, without: Option<&str>) -> Option<f64> {
        let own = self.by_operator.get(operator).map(Vec::as_slice);
        let enough = own.filter(|points| points.len() > usize::from(without.is_some()));
        mean_near(enough.unwrap_or(&self.all), log, without)
    }

    /// Returns the median relative error of estimates: each mutant's time is estimated from the times of the other mutants. `None` without
    /// an estimate.
    fn median_error(&self) -> Option<f64> {
        let errors = self.by_operator.iter().flat_map(|(operator, points)| {
            points.iter().filter_map(|point| {
                let estimate = self.seconds(operator, point.log, Some(point.id))?;
                Some((estimate - point.seconds).abs() / point.seconds)
            })
        });
        let mut errors: Vec<f64> = errors.collect();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied()
    }
}

/// Returns the mean time of the points nearest to a size. The points are sorted by size. Ignores the mutant `without`; `None` if no point
/// is left.
fn mean_near(points: &[Point<'_>], log: f64, without: Option<&str>) -> Option<f64> {
    let middle = points.partition_point(|point| point.log < log);
    let (below, above) = points.split_at(middle);
    let fits = |point: &&Point<'_>| without != Some(point.id);
    let mut below = below.iter().rev().filter(fits).peekable();
    let mut above = above.iter().filter(fits).peekable();
    let (mut sum, mut count) = (0.0, 0);
    while count < NEIGHBOURS {
        let next = match (below.peek(), above.peek()) {
            (Some(low), Some(high)) if log - low.log < high.log - log => below.next(),
            (_, Some(_)) => above.next(),
            (_, None) => below.next(),
        };
        let Some(point) = next else { break };
        sum += point.seconds;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count as u32))
}

#[cfg(test)]
mod tests {
    use hyperkill_core::SelectorId;
    use hyperkill_core::mutant::MutantId;

    use super::*;
    use hyperkill_audit::catalogue::Standing;

    fn entry(id: &str) -> Entry {
        Entry {
            id: MutantId(id.to_owned()),
            mutant: None,
            standing: Standing::Live(SelectorId(0)),
        }
    }

    fn sized(entry: &Entry, size: usize) -> Sized<'_> {
        Sized { entry, size }
    }

    fn run(times: &[(&str, f64, &str, bool)]) -> Costs {
        let known = times.iter().map(|&(id, seconds, operator, is_alone)| {
            let operator = operator.to_owned();
            let known = Known {
                seconds,
                operator,
                is_alone,
            };
            (id.to_owned(), known)
        });
        Costs {
            known: known.collect(),
        }
    }

    #[test]
    fn without_an_earlier_run_a_mutant_of_mean_size_takes_a_second() {
        let (one, other) = (entry("a"), entry("b"));
        let (seconds, estimate) = Costs::by_size().of(&[sized(&one, 10), sized(&other, 30)], &[]);
        assert_eq!(seconds, [0.5, 1.5]);
        assert_eq!((estimate.by, estimate.seconds), (Basis::Cone, 2.0));
        assert_eq!(estimate.error, None);
    }

    #[test]
    fn the_times_of_an_earlier_run_count_for_its_mutants_and_their_means_for_others() {
        let costs = run(&[
            ("a", 4.0, "x", false),
            ("b", 2.0, "x", false),
            ("c", 9.0, "y", false),
        ]);
        let (one, new) = (entry("c"), entry("new"));
        let (seconds, estimate) = costs.of(&[sized(&one, 1), sized(&new, 1)], &[]);
        assert_eq!(seconds, [9.0, 5.0]);
        assert_eq!(estimate.by, Basis::Timings);
        // a from b: half of 4; b from a: all of 2; c from a and b: 6 of 9.
        assert_eq!(estimate.error, Some(0.667));
    }

    #[test]
    fn a_new_mutant_takes_as_long_as_mutants_of_its_size_that_were_decided_by_themselves() {
        let sizes = [10, 11, 12, 13, 14, 15, 1000, 1100, 1200, 1300, 1400, 1500];
        let ids: Vec<String> = (0..12).map(|number| format!("m{number}")).collect();
        let times = ids.iter().zip(sizes);
        let times: Vec<_> = times
            .map(|(id, size)| (id.as_str(), size as f64 / 10.0, "x", true))
            .collect();
        // Simulation killed this mutant jointly with others.
        let costs = run(&[&times[..], &[("killed", 500.0, "x", false)]].concat());
        let entries: Vec<Entry> = ids.iter().map(|id| entry(id)).collect();
        let there = entries.iter().zip(sizes);
        let there: Vec<_> = there.map(|(entry, size)| sized(entry, size)).collect();
        let [small, large] = ["small", "large"].map(entry);
        let (seconds, estimate) = costs.of(&[sized(&small, 12), sized(&large, 1200)], &there);
        assert_eq!(seconds, [1.2, 120.0]);
        assert!(
            estimate.error.is_some_and(|error| error < 0.5),
            "{estimate:?}"
        );
    }
}
