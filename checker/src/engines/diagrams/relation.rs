//! Partitioned relations: a conjunction that is never built. Variables are quantified as soon as no later part reads them
//! (Burch, Clarke and Long 1991; clusters as by Ranjan et al., IWLS 1995).

use hyperkill_core::budget::Stop;
use hyperkill_evidence::fault::{Fault, planted};
use rustc_hash::FxHashSet;

use super::store::{Bdd, Level, Store};
use crate::schedule::engine_efforts::CLUSTER_NODES;

/// A relation as a conjunction of parts, in the order in which images conjoin them, each with the variables to quantify after it.
pub(super) struct Relation {
    /// The quantified variables that no part reads, as a cube.
    first: Bdd,
    parts: Vec<(Bdd, Bdd)>,
}

impl Relation {
    /// Returns a relation with `parts` conjoined in clusters, ordered so that images can quantify the variables at the levels `quantified`
    /// early.
    pub(super) fn new(
        store: &mut Store,
        parts: &[Bdd],
        quantified: &[Level],
    ) -> Result<Relation, Stop> {
        let mut clusters = clusters(store, parts)?;
        if planted(Fault::ForgottenPartition) {
            clusters.pop();
        }
        let quantified: FxHashSet<Level> = quantified.iter().copied().collect();
        let mut left: Vec<(Bdd, Vec<Level>)> = Vec::new();
        for cluster in clusters {
            left.push((cluster, store.support([cluster])));
        }
        let read: FxHashSet<Level> = left.iter().flat_map(|(_, read)| read).copied().collect();
        let unread = quantified.iter().filter(|level| !read.contains(level));
        let first = store.cube(unread.copied().collect::<Vec<_>>())?;
        let mut ordered = Vec::new();
        while !left.is_empty() {
            let best = most_relieving(&left, &quantified);
            let (cluster, read) = left.remove(best);
            let done = read.into_iter().filter(|level| {
                quantified.contains(level) && !left.iter().any(|(_, read)| read.contains(level))
            });
            let cube = store.cube(done.collect::<Vec<_>>())?;
            ordered.push((cluster, cube));
        }
        Ok(Relation {
            first,
            parts: ordered,
        })
    }

    /// Returns the image of a set: the conjunction of the set and the relation, with the quantified variables removed.
    pub(super) fn image(&self, store: &mut Store, set: Bdd) -> Result<Bdd, Stop> {
        let mut image = store.exists(set, self.first)?;
        for &(part, cube) in &self.parts {
            image = store.and_exists(image, part, cube)?;
        }
        Ok(image)
    }

    /// Returns the functions of the relation, for [`Store::keep`].
    pub(super) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let parts = self.parts.iter();
        parts
            .flat_map(|&(part, cube)| [part, cube])
            .chain([self.first])
    }
}

/// Returns conjunctions of consecutive parts, each of at most [`CLUSTER_NODES`] nodes unless it is a single part.
fn clusters(store: &mut Store, parts: &[Bdd]) -> Result<Vec<Bdd>, Stop> {
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut present: Option<Bdd> = None;
    for &part in parts.iter().filter(|&&part| part != Bdd::TRUE) {
        let Some(cluster) = present else {
            present = Some(part);
            continue;
        };
        let both = store.and(cluster, part)?;
        if store.size([both]) > CLUSTER_NODES {
            clusters.push(cluster);
            present = Some(part);
        } else {
            present = Some(both);
        }
    }
    clusters.extend(present);
    Ok(clusters)
}

/// Returns the index in `left` (parts with their support) of the part to conjoin next: after it, most of the `quantified` variables are
/// read by no other part, and it introduces few other variables.
fn most_relieving(left: &[(Bdd, Vec<Level>)], quantified: &FxHashSet<Level>) -> usize {
    let gain = |number: usize| {
        let read = &left[number].1;
        let others = || left.iter().enumerate().filter(move |(i, _)| *i != number);
        let is_done =
            |level: &&Level| !others().any(|(_, (_, read))| read.binary_search(level).is_ok());
        let (relieved, brought): (Vec<&Level>, Vec<&Level>) =
            read.iter().partition(|level| quantified.contains(level));
        let done = relieved.iter().filter(|level| is_done(level)).count() as i64;
        (done - brought.len() as i64) * 1024 / (read.len() as i64 + 1)
    };
    let best = (0..left.len()).max_by_key(|&number| (gain(number), std::cmp::Reverse(number)));
    best.unwrap_or(0)
}
