//! Conjunctions of many parts. A variable is quantified as soon as no later part reads it (Burch, Clarke and Long 1991).

use hyperkill_core::budget::Stop;
use rustc_hash::FxHashSet;

use super::store::{Function, Level, Store};

/// Size of a conjunction of parts (a cluster), in nodes, above which the next part begins another one.
const CLUSTER: usize = 1_000;

/// A function that is still to be conjoined, with the levels of the variables that it reads.
struct Part {
    function: Function,
    reads: Vec<Level>,
}

/// Returns `∃ quantified. start ∧ parts`. Garbage is collected on the way: only pinned functions and the result are valid afterwards.
///
/// # Errors
/// If the limits of the store or the budget end it.
pub(super) fn project(
    store: &mut Store,
    start: Function,
    parts: &[Function],
    quantified: &[Level],
) -> Result<Function, Stop> {
    let pins = store.pins();
    store.pin(parts.iter().copied().chain([start]));
    let clusters = clusters(store, parts)?;
    let quantified: FxHashSet<Level> = quantified.iter().copied().collect();
    let mut left: Vec<Part> = Vec::new();
    for function in clusters {
        store.pin([function]);
        let reads = store.support(function);
        left.push(Part { function, reads });
    }
    let is_left = |left: &[Part], level: &Level| {
        left.iter()
            .any(|part| part.reads.binary_search(level).is_ok())
    };
    let start_reads = store.support(start);
    let unread = start_reads.iter().copied();
    let unread = unread.filter(|level| quantified.contains(level) && !is_left(&left, level));
    let unread = store.cube(unread.collect::<Vec<_>>())?;
    let mut result = store.exists(start, unread)?;
    let mut present: FxHashSet<Level> = start_reads.into_iter().collect();
    while !left.is_empty() {
        let part = left.remove(next_part(&left, &quantified, &present));
        let done = part.reads.iter().copied();
        let done: Vec<Level> = done
            .filter(|level| quantified.contains(level) && !is_left(&left, level))
            .collect();
        present.extend(part.reads);
        present.retain(|level| !done.contains(level));
        let done = store.cube(done)?;
        result = store.and_exists(result, part.function, done)?;
        store.pin([result]);
        store.collect();
        store.unpin(store.pins() - 1);
    }
    store.unpin(pins);
    Ok(result)
}

/// Returns conjunctions (clusters) of neighbouring parts, each as long as it stays small. Neighbours in the order of their lowest variables
/// have most variables in common.
fn clusters(store: &mut Store, parts: &[Function]) -> Result<Vec<Function>, Stop> {
    let mut parts: Vec<Function> = parts.to_vec();
    parts.retain(|&part| part != Function::TRUE);
    parts.sort_by_key(|&part| store.support(part).last().copied());
    let mut clusters: Vec<Function> = Vec::new();
    for part in parts {
        if let Some(last) = clusters.last_mut() {
            let both = store.and(*last, part)?;
            if store.size(both) <= CLUSTER {
                *last = both;
                continue;
            }
        }
        clusters.push(part);
    }
    Ok(clusters)
}

/// Returns the index of the next part to conjoin: most variables can be quantified after it, in relation to those that it adds. `present`
/// are the variables of the conjunction so far.
fn next_part(left: &[Part], quantified: &FxHashSet<Level>, present: &FxHashSet<Level>) -> usize {
    let gain = |index: usize| {
        let reads = &left[index].reads;
        let is_read_later = |level: &Level| {
            let others = left.iter().enumerate().filter(|(other, _)| *other != index);
            others
                .map(|(_, part)| part)
                .any(|part| part.reads.binary_search(level).is_ok())
        };
        let done = |level: &&Level| quantified.contains(level) && !is_read_later(level);
        let done = reads.iter().filter(done).count() as i64;
        let added = reads.iter().filter(|level| !present.contains(level));
        (done - added.count() as i64) * 1_024 / (reads.len() as i64 + 1)
    };
    let best = (0..left.len()).max_by_key(|&index| (gain(index), std::cmp::Reverse(index)));
    best.unwrap_or(0)
}
