//! Estimates of the time that mutants take.

use std::collections::BTreeMap;

use hyperkill_audit::catalogue::Entry;

use crate::documents::{Basis, Estimate, MutantTable, Timings};

/// The knowledge that estimates rest on.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Of an earlier run: seconds of each mutant, and its operator.
    known: BTreeMap<String, (f64, String)>,
}

/// Shorter times are not told apart.
const LEAST: f64 = 1e-3;

impl Costs {
    /// Nothing is known: a mutant of mean size takes a second.
    #[must_use]
    pub fn by_size() -> Costs {
        Costs::default()
    }

    /// The times of an earlier run.
    #[must_use]
    pub fn of_run(table: &MutantTable, timings: &Timings) -> Costs {
        let operators: BTreeMap<&str, &str> = (table.mutants.iter())
            .map(|mutant| (mutant.id.as_str(), mutant.operator.as_deref().unwrap_or("")))
            .collect();
        let known = timings.mutants.iter().map(|timed| {
            let operator = operators.get(timed.mutant.as_str()).copied();
            let operator = operator.unwrap_or_default().to_owned();
            (timed.mutant.clone(), (timed.seconds.max(LEAST), operator))
        });
        Costs {
            known: known.collect(),
        }
    }

    /// Estimates the seconds of each of these mutants, whose verdicts depend on so many parts of the model.
    pub(super) fn of(&self, mutants: &[&Entry], sizes: &[usize]) -> (Vec<f64>, Estimate) {
        let mean = sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64;
        let scale = |size: usize| match mean > 0.0 {
            true => (size as f64 / mean).max(LEAST),
            false => 1.0,
        };
        let rates = Rates::of(&self.known);
        let seconds = mutants.iter().zip(sizes).map(|(entry, &size)| {
            let known = self.known.get(entry.id.0.as_str());
            match (known, &rates) {
                (Some((seconds, _)), _) => *seconds,
                (None, Some(rates)) => rates.of_operator(operator(entry)) * scale(size),
                (None, None) => scale(size),
            }
        });
        let seconds: Vec<f64> = seconds.collect();
        let estimate = Estimate {
            by: match rates {
                Some(_) => Basis::Timings,
                None => Basis::Cone,
            },
            seconds: rounded(seconds.iter().sum()),
            error: rates.map(|_| rounded(median_error(&self.known))),
        };
        (seconds, estimate)
    }
}

/// To three digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

fn operator(entry: &Entry) -> &str {
    let mutant = entry.mutant.as_ref();
    mutant.map_or("", |mutant| mutant.operator.as_str())
}

/// Mean seconds by operator.
struct Rates<'a> {
    /// Sum and number.
    by_operator: BTreeMap<&'a str, (f64, usize)>,
    all: (f64, usize),
}

impl<'a> Rates<'a> {
    /// Those of an earlier run, if there is one.
    fn of(known: &'a BTreeMap<String, (f64, String)>) -> Option<Rates<'a>> {
        let mut rates = Rates {
            by_operator: BTreeMap::new(),
            all: (0.0, 0),
        };
        for (seconds, operator) in known.values() {
            for (sum, count) in [
                rates.by_operator.entry(operator.as_str()).or_default(),
                &mut rates.all,
            ] {
                *sum += seconds;
                *count += 1;
            }
        }
        (rates.all.1 > 0).then_some(rates)
    }

    fn of_operator(&self, operator: &str) -> f64 {
        let (sum, count) = self.by_operator.get(operator).unwrap_or(&self.all);
        sum / *count as f64
    }

    /// The estimate for a mutant of this operator if its own time were not known.
    fn without(&self, operator: &str, seconds: f64) -> f64 {
        let of_operator = self.by_operator.get(operator).copied();
        let (sum, count) = (of_operator.filter(|(_, count)| *count > 1)).unwrap_or(self.all);
        match count > 1 {
            true => (sum - seconds) / (count - 1) as f64,
            false => seconds,
        }
    }
}

/// The median error of the estimate for each mutant of an earlier run from the others, as a part of its time.
fn median_error(known: &BTreeMap<String, (f64, String)>) -> f64 {
    let Some(rates) = Rates::of(known) else {
        return 0.0;
    };
    let errors = known.values().map(|(seconds, operator)| {
        let estimate = rates.without(operator, *seconds);
        (estimate - seconds).abs() / seconds
    });
    let mut errors: Vec<f64> = errors.collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
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

    #[test]
    fn without_an_earlier_run_a_mutant_of_mean_size_takes_a_second() {
        let (one, other) = (entry("a"), entry("b"));
        let (seconds, estimate) = Costs::by_size().of(&[&one, &other], &[10, 30]);
        assert_eq!(seconds, [0.5, 1.5]);
        assert_eq!((estimate.by, estimate.seconds), (Basis::Cone, 2.0));
        assert_eq!(estimate.error, None);
    }

    #[test]
    fn the_times_of_an_earlier_run_count_for_its_mutants_and_their_means_for_others() {
        let times = [("a", 4.0, "x"), ("b", 2.0, "x"), ("c", 9.0, "y")];
        let known =
            times.map(|(id, seconds, operator)| (id.to_owned(), (seconds, operator.to_owned())));
        let costs = Costs {
            known: BTreeMap::from(known),
        };
        let (one, new) = (entry("c"), entry("new"));
        let (seconds, estimate) = costs.of(&[&one, &new], &[1, 1]);
        assert_eq!(seconds, [9.0, 5.0]);
        assert_eq!(estimate.by, Basis::Timings);
        // a from b: half of 4; b from a: all of 2; c from a and b: 6 of 9.
        assert_eq!(estimate.error, Some(0.667));
    }
}
