//! Divides mutants into shards of about equal cost.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

/// The number of shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shares {
    /// This number.
    Number(usize),
    /// The smallest number for which a shard takes one thread about this time by the estimate.
    Of(Duration),
}

impl Shares {
    /// Returns the number of shards: at least one, at most the number of mutants.
    fn number(self, mutants: usize, seconds: f64) -> usize {
        let wanted = match self {
            Shares::Number(number) => number,
            Shares::Of(time) => {
                let parts = (seconds / time.as_secs_f64().max(1e-3)).ceil();
                // The bound avoids an overflow of the conversion.
                if parts < mutants as f64 {
                    parts as usize
                } else {
                    mutants
                }
            }
        };
        wanted.clamp(1, mutants.max(1))
    }
}

/// Divides mutants with these estimated seconds into shards, and returns the indices of each shard's mutants, ascending. Mutants at the
/// same place of the source (equal `paths`) share a shard, unless they exceed a fair share. So a proof about a family of mutants is made
/// once.
///
/// Each group goes to the shard with the least cost, the most expensive group first (longest processing time first: Graham, "Bounds on
/// Multiprocessing Timing Anomalies", 1969). No shard is empty.
pub(super) fn cut(seconds: &[f64], paths: &[&str], shares: Shares) -> Vec<Vec<usize>> {
    if seconds.is_empty() {
        return Vec::new();
    }
    let total: f64 = seconds.iter().sum();
    let count = shares.number(seconds.len(), total);
    let groups = groups(seconds, paths, total / count as f64, count);
    // Ordered by cost, then by index. Costs are whole microseconds, so that sums are exact.
    let mut shards: BinaryHeap<Reverse<(u64, usize)>> =
        (0..count).map(|shard| Reverse((0, shard))).collect();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (cost, group) in groups {
        let Some(Reverse((sum, shard))) = shards.pop() else {
            break;
        };
        members[shard].extend(group);
        shards.push(Reverse((sum + cost.max(1), shard)));
    }
    for members in &mut members {
        members.sort_unstable();
    }
    members.retain(|members| !members.is_empty());
    members
}

/// Returns groups of mutants with their costs in microseconds, the most expensive first. Mutants with equal `paths` are a group, unless it
/// costs more than `fair`.
/// If there are fewer groups than `count`, each mutant is a group.
fn groups(seconds: &[f64], paths: &[&str], fair: f64, count: usize) -> Vec<(u64, Vec<usize>)> {
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        by_path.entry(path).or_default().push(index);
    }
    let cost = |members: &[usize]| -> f64 { members.iter().map(|&m| seconds[m]).sum() };
    let keeps = by_path.len() >= count;
    let groups = by_path.into_values().flat_map(|members| {
        // A group is split if there are fewer places than shards, or if it exceeds a fair share.
        match keeps && cost(&members) <= fair {
            true => vec![members],
            false => members.into_iter().map(|member| vec![member]).collect(),
        }
    });
    let mut groups: Vec<(u64, Vec<usize>)> = groups
        .map(|members| ((cost(&members) * 1e6).round() as u64, members))
        .collect();
    groups.sort_by_key(|(cost, members)| (Reverse(*cost), members[0]));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(shards: &[Vec<usize>], seconds: &[f64]) -> Vec<f64> {
        let cost = |shard: &Vec<usize>| shard.iter().map(|&m| seconds[m]).sum();
        shards.iter().map(cost).collect()
    }

    #[test]
    fn every_mutant_is_in_one_shard_and_costs_are_about_equal() {
        let seconds: Vec<f64> = (0..500).map(|i| f64::from(1 + i * 37 % 101)).collect();
        let paths: Vec<String> = (0..500).map(|i| format!("at {}", i / 4)).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for count in [1, 2, 7, 20] {
            let shards = cut(&seconds, &paths, Shares::Number(count));
            assert_eq!(shards.len(), count);
            let mut all: Vec<usize> = shards.iter().flatten().copied().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..500));
            let costs = costs(&shards, &seconds);
            let mean = costs.iter().sum::<f64>() / costs.len() as f64;
            assert!(costs.iter().all(|&cost| cost < 1.1 * mean), "{costs:?}");
            for shard in &shards {
                let places = shard.iter().map(|&m| m / 4);
                let whole = |place: usize| shard.iter().filter(|&&m| m / 4 == place).count() == 4;
                assert!(places.into_iter().all(whole), "a place is in two shards");
            }
        }
    }

    #[test]
    fn a_place_with_too_much_for_one_shard_is_cut_and_no_shard_is_empty() {
        let seconds = [1.0; 9];
        let shards = cut(&seconds, &["one place"; 9], Shares::Number(4));
        assert_eq!(shards.len(), 4);
        assert!(shards.iter().all(|shard| (2..=3).contains(&shard.len())));
        assert_eq!(
            cut(&seconds, &["one place"; 9], Shares::Number(40)).len(),
            9
        );
        assert!(cut(&[], &[], Shares::Number(3)).is_empty());
    }

    #[test]
    fn there_are_as_many_shards_as_the_time_for_each_needs() {
        let (seconds, paths) = ([60.0; 30], ["a"; 30]);
        let of = |minutes: u64| {
            let time = Duration::from_secs(60 * minutes);
            cut(&seconds, &paths, Shares::Of(time)).len()
        };
        assert_eq!([of(10), of(4), of(1), of(60)], [3, 8, 30, 1]);
    }
}
