//! Federations: unions of zones, with everything that games in dense time need of them.

use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::rational::{Interval, Rational};

/// A finite union of zones over the same clocks; the empty set if it has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Federation {
    clocks: usize,
    zones: Vec<Zone>,
}

impl Federation {
    /// Returns the empty set.
    #[must_use]
    pub fn empty(clocks: usize) -> Federation {
        Federation {
            clocks,
            zones: Vec::new(),
        }
    }

    /// Returns the set of all values of `clocks` clocks.
    #[must_use]
    pub fn universe(clocks: usize) -> Federation {
        Federation::of(clocks, [Zone::universe(clocks)])
    }

    /// Returns the union of these zones.
    #[must_use]
    pub fn of(clocks: usize, zones: impl IntoIterator<Item = Zone>) -> Federation {
        let mut federation = Federation::empty(clocks);
        for zone in zones {
            federation.add(zone);
        }
        federation
    }

    /// Returns the number of clocks of the set.
    #[must_use]
    pub fn clocks(&self) -> usize {
        self.clocks
    }

    /// Returns the zones of the union.
    #[must_use]
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a zone, unless a zone of the union includes it. Zones that it includes are dropped.
    pub fn add(&mut self, zone: Zone) {
        if self.zones.iter().any(|own| own.includes(&zone)) {
            return;
        }
        self.zones.retain(|own| !zone.includes(own));
        self.zones.push(zone);
    }

    /// Returns the union of two sets.
    #[must_use]
    pub fn or(mut self, other: Federation) -> Federation {
        for zone in other.zones {
            self.add(zone);
        }
        self
    }

    /// Returns the union of the changed zones; zones for which `change` returns `None` are left out.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Zone) -> Option<Zone>) -> Federation {
        Federation::of(self.clocks, self.zones.iter().filter_map(change))
    }

    /// Returns the intersection of two sets.
    #[must_use]
    pub fn and(&self, other: &Federation) -> Federation {
        let mut both = Federation::empty(self.clocks);
        for own in &self.zones {
            for zone in &other.zones {
                if let Some(common) = own.and(zone) {
                    both.add(common);
                }
            }
        }
        both
    }

    /// Returns the intersection with a zone.
    #[must_use]
    pub fn and_zone(&self, zone: &Zone) -> Federation {
        self.map(|own| own.and(zone))
    }

    /// Returns the states of this set that are not in the other one.
    #[must_use]
    pub fn minus(&self, other: &Federation) -> Federation {
        let mut rest: Vec<Zone> = self.zones.clone();
        for zone in &other.zones {
            rest = rest.iter().flat_map(|own| own.minus(zone)).collect();
        }
        Federation::of(self.clocks, rest)
    }

    /// Returns all values of the clocks that are not in the set.
    #[must_use]
    pub fn complement(&self) -> Federation {
        Federation::universe(self.clocks).minus(self)
    }

    /// Whether the set includes all of `other`.
    #[must_use]
    pub fn includes(&self, other: &Federation) -> bool {
        other.minus(self).is_empty()
    }

    /// Returns the values from which delays lead into the set.
    #[must_use]
    pub fn down(&self) -> Federation {
        self.map(|zone| Some(zone.clone().down()))
    }

    /// Returns the values from which delays lead into `self` without touching `bad`, ends included.
    #[must_use]
    pub fn pred_t(&self, bad: &Federation) -> Federation {
        let over_one = |goal: &Zone| {
            let mut reaching = Federation::of(self.clocks, [goal.clone().down()]);
            for bad in &bad.zones {
                if reaching.is_empty() {
                    break;
                }
                let before = bad.clone().down();
                // Either the bad zone is never met, or the goal is reached before it.
                let never = goal.clone().down().minus(&before);
                let first = goal.and(&before).map(|goal| goal.minus(bad));
                let first = first.into_iter().flatten().map(Zone::down);
                let avoiding = never.into_iter().chain(first);
                reaching = reaching.and(&Federation::of(self.clocks, avoiding));
            }
            reaching
        };
        let parts = self.zones.iter().map(over_one);
        parts.fold(Federation::empty(self.clocks), Federation::or)
    }

    /// Returns the values that delays from `self` lead to without touching `bad`, ends included.
    #[must_use]
    pub fn post_t(&self, bad: &Federation) -> Federation {
        let over_one = |start: &Zone| {
            let later = start.clone().up();
            let mut reached = Federation::of(self.clocks, [later.clone()]);
            for bad in &bad.zones {
                if reached.is_empty() {
                    break;
                }
                let behind = bad.clone().up();
                // Either the bad zone is never met, or it was left before the start.
                let never = later.minus(&behind);
                let last = start.and(&behind).map(|start| start.minus(bad));
                let last = last.into_iter().flatten().map(Zone::up);
                let mut avoiding: Vec<Zone> = never.into_iter().chain(last).collect();
                if planted(Fault::DelayJumpsOverBad) {
                    avoiding = later.minus(bad);
                }
                reached = reached.and(&Federation::of(self.clocks, avoiding));
            }
            reached
        };
        let parts = self.zones.iter().map(over_one);
        parts.fold(Federation::empty(self.clocks), Federation::or)
    }

    /// Returns the set over `clocks` clocks: clock i becomes clock i + offset, and the others have any value.
    #[must_use]
    pub fn among(&self, clocks: usize, offset: usize) -> Federation {
        Federation {
            clocks,
            zones: (self.zones.iter())
                .map(|zone| zone.among(clocks, offset))
                .collect(),
        }
    }

    /// Whether a point (the values of the clocks) is in the set.
    #[must_use]
    pub fn contains(&self, point: &[Rational]) -> bool {
        self.zones.iter().any(|zone| zone.contains(point))
    }

    /// Returns the intervals of delays after which a point is in the set, one for each zone that is met.
    pub fn delays<'a>(&'a self, point: &'a [Rational]) -> impl Iterator<Item = Interval> + 'a {
        self.zones.iter().filter_map(|zone| zone.delays(point))
    }
}
