//! Zones: sets of clock values given by bounds of clocks and of their differences, as difference bound matrices in canonical form.
//!
//! Row and column 0 stand for the constant 0. Entry (i, j) bounds clock i − clock j. A `Zone` is closed and non-empty: operations that can
//! make it empty return an option.

use hyperkill_core::timed::{Atom, Relation};

use crate::bound::Bound;
use crate::fault::{Fault, planted};
use crate::rational::{Interval, Rational};

/// A non-empty convex set of non-negative clock values, given by bounds of clocks and of their differences.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Zone {
    size: usize,
    bounds: Box<[Bound]>,
}

impl Zone {
    /// Returns the zone of all values of `clocks` clocks.
    #[must_use]
    pub fn universe(clocks: usize) -> Zone {
        let size = clocks + 1;
        let mut zone = Zone {
            size,
            bounds: vec![Bound::NONE; size * size].into(),
        };
        for i in 0..size {
            zone.set(i, i, Bound::ZERO);
            zone.set(0, i, Bound::ZERO);
        }
        zone
    }

    /// Returns the zone in which all clocks are 0.
    #[must_use]
    pub fn zero(clocks: usize) -> Zone {
        let size = clocks + 1;
        Zone {
            size,
            bounds: vec![Bound::ZERO; size * size].into(),
        }
    }

    /// Returns the number of clocks of the zone.
    #[must_use]
    pub fn clocks(&self) -> usize {
        self.size - 1
    }

    /// Returns the bound of clock i − clock j. Clocks are numbered from 1; 0 stands for the constant 0.
    #[must_use]
    pub fn bound(&self, i: usize, j: usize) -> Bound {
        self.bounds[i * self.size + j]
    }

    fn set(&mut self, i: usize, j: usize, bound: Bound) {
        self.bounds[i * self.size + j] = bound;
    }

    /// Tightens all bounds (Floyd-Warshall closure); `None` if the zone is empty.
    fn closed(mut self) -> Option<Zone> {
        for k in 0..self.size {
            for i in 0..self.size {
                self.close_over(i, k);
            }
        }
        (0..self.size)
            .all(|i| self.bound(i, i) >= Bound::ZERO)
            .then_some(self)
    }

    fn close_over(&mut self, i: usize, k: usize) {
        let first = self.bound(i, k);
        if first == Bound::NONE {
            return;
        }
        for j in 0..self.size {
            let mut over = first.plus(self.bound(k, j));
            if planted(Fault::ClosureLosesStrictness) {
                over = over.weakly();
            }
            if over < self.bound(i, j) {
                self.set(i, j, over);
            }
        }
    }

    /// Returns the part of the zone in which clock i − clock j is within a bound; `None` if it is empty. Clocks are numbered from 1; 0
    /// stands for the constant 0.
    #[must_use]
    pub fn bounded(mut self, i: usize, j: usize, bound: Bound) -> Option<Zone> {
        if bound >= self.bound(i, j) {
            return Some(self);
        }
        if self.bound(j, i).plus(bound) < Bound::ZERO {
            return None;
        }
        self.set(i, j, bound);
        // Every shorter way goes over the new bound once.
        for a in 0..self.size {
            let to = self.bound(a, i).plus(bound);
            if to == Bound::NONE {
                continue;
            }
            for b in 0..self.size {
                let mut over = to.plus(self.bound(j, b));
                if planted(Fault::ClosureLosesStrictness) {
                    over = over.weakly();
                }
                if over < self.bound(a, b) {
                    self.set(a, b, over);
                }
            }
        }
        Some(self)
    }

    /// Returns the part of the zone that satisfies a comparison of a clock; `None` if it is empty. `offset` is added to the number of the
    /// clock.
    #[must_use]
    pub fn with(self, atom: &Atom, offset: usize) -> Option<Zone> {
        let (clock, constant) = (atom.clock + offset + 1, atom.constant);
        match atom.relation {
            Relation::Less => self.bounded(clock, 0, Bound::below(constant)),
            Relation::AtMost => self.bounded(clock, 0, Bound::at_most(constant)),
            Relation::Equal => self.bounded(clock, 0, Bound::at_most(constant))?.bounded(
                0,
                clock,
                Bound::at_most(-constant),
            ),
            Relation::AtLeast => self.bounded(0, clock, Bound::at_most(-constant)),
            Relation::Greater => self.bounded(0, clock, Bound::below(-constant)),
        }
    }

    /// Returns the part of the zone that satisfies all comparisons; `None` if it is empty. `offset` is added to the numbers of their
    /// clocks.
    #[must_use]
    pub fn with_all<'a>(
        self,
        atoms: impl IntoIterator<Item = &'a Atom>,
        offset: usize,
    ) -> Option<Zone> {
        let mut atoms = atoms.into_iter();
        atoms.try_fold(self, |zone, atom| zone.with(atom, offset))
    }

    /// Returns the intersection; `None` if it is empty.
    #[must_use]
    pub fn and(&self, other: &Zone) -> Option<Zone> {
        let mut both = self.clone();
        let mut is_changed = false;
        for (own, bound) in both.bounds.iter_mut().zip(&other.bounds) {
            if bound < own {
                *own = *bound;
                is_changed = true;
            }
        }
        match is_changed {
            true => both.closed(),
            false => Some(both),
        }
    }

    /// Whether the zone includes all of `other`.
    #[must_use]
    pub fn includes(&self, other: &Zone) -> bool {
        let mut pairs = self.bounds.iter().zip(&other.bounds);
        match planted(Fault::InclusionReversed) {
            false => pairs.all(|(own, bound)| bound <= own),
            true => pairs.all(|(own, bound)| own <= bound),
        }
    }

    /// Returns the values that delays from the zone lead to.
    #[must_use]
    pub fn up(mut self) -> Zone {
        for i in 1..self.size {
            self.set(i, 0, Bound::NONE);
        }
        self
    }

    /// Returns the values from which delays lead into the zone.
    #[must_use]
    pub fn down(mut self) -> Zone {
        for i in 1..self.size {
            let differences = (1..self.size).map(|j| self.bound(j, i));
            let least = differences.fold(Bound::ZERO, Bound::min);
            self.set(0, i, least);
        }
        self
    }

    /// Returns the values after a clock (numbered from 0) is set to `value`.
    #[must_use]
    pub fn updated(mut self, clock: usize, value: i64) -> Zone {
        let clock = clock + 1;
        for i in 0..self.size {
            if i != clock {
                self.set(clock, i, Bound::at_most(value).plus(self.bound(0, i)));
                self.set(i, clock, self.bound(i, 0).plus(Bound::at_most(-value)));
            }
        }
        self
    }

    /// Returns the values with a clock (numbered from 0) set to any value.
    #[must_use]
    pub fn freed(mut self, clock: usize) -> Zone {
        let clock = clock + 1;
        for i in 0..self.size {
            if i != clock {
                self.set(clock, i, Bound::NONE);
                let least = match i {
                    0 => Bound::ZERO,
                    i => self.bound(i, 0),
                };
                self.set(i, clock, least);
            }
        }
        self
    }

    /// Returns the values from which updates (clocks, numbered from 0, with their new values) lead into the zone; `None` if there are none.
    /// `offset` is added to the numbers of the clocks.
    #[must_use]
    pub fn before(self, updates: &[(usize, i64)], offset: usize) -> Option<Zone> {
        let mut zone = self;
        for (clock, value) in updates {
            let atom = Atom {
                clock: *clock,
                relation: Relation::Equal,
                constant: *value,
            };
            zone = zone.with(&atom, offset)?;
        }
        for (clock, _) in updates {
            zone = zone.freed(clock + offset);
        }
        Some(zone)
    }

    /// Returns the values after updates (clocks, numbered from 0, with their new values). `offset` is added to the numbers of the clocks.
    #[must_use]
    pub fn after(self, updates: &[(usize, i64)], offset: usize) -> Zone {
        let mut updates = updates.iter();
        updates
            .try_fold(self, |zone, (clock, value)| {
                Ok::<Zone, std::convert::Infallible>(zone.updated(clock + offset, *value))
            })
            .unwrap_or_else(|never| match never {})
    }

    /// Returns the difference of two zones as disjoint zones.
    #[must_use]
    pub fn minus(&self, other: &Zone) -> Vec<Zone> {
        if self.and(other).is_none() {
            return vec![self.clone()];
        }
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for i in 0..self.size {
            for j in 0..self.size {
                let bound = other.bound(i, j);
                if bound >= rest.bound(i, j) || i == j {
                    continue;
                }
                if !(planted(Fault::SubtractionLacksFace) && i == 0) {
                    pieces.extend(rest.clone().bounded(j, i, bound.negated()));
                }
                match rest.bounded(i, j, bound) {
                    Some(inside) => rest = inside,
                    None => return pieces,
                }
            }
        }
        pieces
    }

    /// Returns a larger zone whose bounds have no constants above `largest`, the largest constant of each clock. No automaton with these
    /// constants distinguishes a point of it from all points of this zone, since guards compare single clocks.
    #[must_use]
    pub fn extrapolated(mut self, largest: &[i64]) -> Zone {
        let of = |clock: usize| match clock {
            0 => 0,
            clock => largest[clock - 1],
        };
        let mut is_changed = false;
        for i in 0..self.size {
            for j in 0..self.size {
                let bound = self.bound(i, j);
                if i == j || bound == Bound::NONE {
                    continue;
                }
                if i != 0 && bound > Bound::at_most(of(i)) {
                    self.set(i, j, Bound::NONE);
                    is_changed = true;
                } else if j != 0 && bound < Bound::below(-of(j)) {
                    self.set(i, j, Bound::below(-of(j)));
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            return self;
        }
        let own = self.clone();
        // Bounds only got looser, so something is left.
        self.closed().unwrap_or(own)
    }

    /// Returns the zone over `clocks` clocks: clock i becomes clock i + offset, and the others have any value.
    #[must_use]
    pub fn among(&self, clocks: usize, offset: usize) -> Zone {
        let mut wide = Zone::universe(clocks);
        let number = |i: usize| match i {
            0 => 0,
            i => i + offset,
        };
        for i in 0..self.size {
            for j in 0..self.size {
                wide.set(number(i), number(j), self.bound(i, j));
            }
        }
        // Other clocks are bounded from below by 0 alone.
        for i in 1..self.size {
            for other in 1..wide.size {
                if other <= offset || other >= offset + self.size {
                    wide.set(number(i), other, self.bound(i, 0));
                }
            }
        }
        wide
    }

    /// Returns the interval of delays after which a point (the values of the clocks) is in the zone; `None` if there are none.
    #[must_use]
    pub fn delays(&self, point: &[Rational]) -> Option<Interval> {
        let mut interval = Interval::ALL;
        let at = |i: usize| match i {
            0 => Rational::ZERO,
            i => point[i - 1],
        };
        for i in 0..self.size {
            for j in 0..self.size {
                let bound = self.bound(i, j);
                let Some(constant) = bound.constant() else {
                    continue;
                };
                let constant = Rational::whole(constant);
                let closed = !bound.is_strict();
                match (i, j) {
                    (0, 0) => {}
                    (i, 0) => interval = interval.before(constant.minus(at(i))?, closed),
                    (0, j) => {
                        let from = Rational::ZERO.minus(constant)?.minus(at(j))?;
                        interval = interval.after(from, closed);
                    }
                    (i, j) => {
                        let difference = at(i).minus(at(j))?;
                        let holds = match closed {
                            true => difference <= constant,
                            false => difference < constant,
                        };
                        if !holds {
                            return None;
                        }
                    }
                }
            }
        }
        (!interval.is_empty()).then_some(interval)
    }

    /// Whether a point is in the zone.
    #[must_use]
    pub fn contains(&self, point: &[Rational]) -> bool {
        self.delays(point)
            .is_some_and(|interval| interval.from == Rational::ZERO && interval.has_from)
    }
}
