//! Sets of clock values as unions of boxes: bounds of single clocks, no differences.

use hyperkill_timed::bound::Bound;
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::federation::Federation;

/// A bound of a clock: its constant, and whether the constant itself is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Limit {
    pub(super) constant: i64,
    pub(super) is_strict: bool,
}

/// The bounds of one clock; `None` for no bound. Clocks are never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Range {
    pub(super) clock: usize,
    pub(super) from: Option<Limit>,
    pub(super) to: Option<Limit>,
}

/// A box: the ranges of the clocks that it bounds, in ascending order of clocks.
pub(super) type Piece = Vec<Range>;

/// A union of boxes, in a fixed order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Boxes(pub(super) Vec<Piece>);

impl Boxes {
    /// Returns the set as boxes, with bounds that are not strict if the closed box lies in the set. `None` if a difference of clocks bounds
    /// the set.
    pub(super) fn of(set: &Federation) -> Option<Boxes> {
        let mut boxes = Federation::empty(set.clocks());
        for zone in set.zones() {
            let closed = hull(zone, Bound::weakly)?;
            let fits = set.includes(&Federation::of(set.clocks(), [closed.clone()]));
            let kept = match fits {
                true => closed,
                false => hull(zone, |bound| bound)?,
            };
            boxes.add(kept);
        }
        if !set.includes(&boxes) {
            return None;
        }
        let mut pieces: Vec<Piece> = boxes.zones().iter().map(piece).collect();
        pieces.sort_unstable();
        Some(Boxes(pieces))
    }

    /// Returns the same boxes with the clock i renumbered to `clocks[i]`.
    pub(super) fn renamed(mut self, clocks: &[usize]) -> Boxes {
        for piece in &mut self.0 {
            for range in &mut *piece {
                range.clock = clocks[range.clock];
            }
            piece.sort_unstable();
        }
        self.0.sort_unstable();
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set has no strict bounds.
    pub(super) fn is_closed(&self) -> bool {
        self.limits().all(|(_, limit)| !limit.is_strict)
    }

    /// Returns all bounds, each with its clock.
    pub(super) fn limits(&self) -> impl Iterator<Item = (usize, Limit)> {
        let ranges = self.0.iter().flatten();
        ranges.flat_map(|range| {
            let limits = [range.from, range.to].into_iter().flatten();
            limits.map(|limit| (range.clock, limit))
        })
    }
}

/// Returns the least box around a zone, with each bound changed by `change`; `None` if it is empty.
fn hull(zone: &Zone, change: impl Fn(Bound) -> Bound) -> Option<Zone> {
    let mut clocks = 1..=zone.clocks();
    clocks.try_fold(Zone::universe(zone.clocks()), |hull, clock| {
        let hull = hull.bounded(clock, 0, change(zone.bound(clock, 0)))?;
        hull.bounded(0, clock, change(zone.bound(0, clock)))
    })
}

/// Returns the bounds that a zone without bounds of differences has on single clocks.
fn piece(zone: &Zone) -> Piece {
    let ranges = (0..zone.clocks()).map(|clock| {
        let limit = |bound: Bound, sign: i64| {
            bound.constant().map(|constant| Limit {
                constant: sign * constant,
                is_strict: bound.is_strict(),
            })
        };
        let from = limit(zone.bound(0, clock + 1), -1);
        Range {
            clock,
            from: from.filter(|from| from.constant > 0 || from.is_strict),
            to: limit(zone.bound(clock + 1, 0), 1),
        }
    });
    ranges
        .filter(|range| range.from.is_some() || range.to.is_some())
        .collect()
}
