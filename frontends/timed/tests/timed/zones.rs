//! Zones and federations compared with points on a fine grid, one by one.

use hyperkill_core::timed::{Atom, Relation};
use hyperkill_timed::bound::Bound;
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::federation::Federation;
use hyperkill_timed::rational::{Interval, Rational};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::random::{cases, generator};

const CLOCKS: usize = 2;
const LARGEST: i64 = 3;
/// Parts of a unit in the grid: integer bounds and two clocks need quarters, and the times between them eighths.
const PARTS: i64 = 4;
const STEPS: i64 = 8;

fn bound(random: &mut ChaCha8Rng) -> Bound {
    let constant = random.random_range(-LARGEST..=LARGEST);
    match random.random_bool(0.5) {
        true => Bound::at_most(constant),
        false => Bound::below(constant),
    }
}

fn zone(random: &mut ChaCha8Rng) -> Zone {
    let mut zone = Zone::universe(CLOCKS);
    for _ in 0..random.random_range(0..5) {
        let (i, j) = (random.random_range(0..3), random.random_range(0..3));
        if i != j {
            zone = zone.clone().bounded(i, j, bound(random)).unwrap_or(zone);
        }
    }
    zone
}

fn federation(random: &mut ChaCha8Rng, most: usize) -> Federation {
    let zones = (0..random.random_range(0..=most)).map(|_| zone(random));
    Federation::of(CLOCKS, zones)
}

fn over(value: i64, parts: i64) -> Rational {
    Rational::new(value.into(), parts.into()).expect("small numbers")
}

fn points() -> impl Iterator<Item = [i64; CLOCKS]> {
    grid((LARGEST + 2) * PARTS)
}

/// Returns the points of a grid that is large enough for all bounds of zones, which may be sums of two constants.
fn wide_points() -> impl Iterator<Item = [i64; CLOCKS]> {
    grid(3 * LARGEST * PARTS)
}

/// Returns the points of a grid of the same extent, with a point between any two neighbours of the coarser grids.
fn fine_points() -> impl Iterator<Item = [i64; CLOCKS]> {
    grid(3 * LARGEST * STEPS)
}

fn grid(last: i64) -> impl Iterator<Item = [i64; CLOCKS]> {
    let values = 0..=last;
    values
        .clone()
        .flat_map(move |x| values.clone().map(move |y| [x, y]))
}

/// Returns a point, in quarters, after a delay in eighths, which may be negative; `None` if a clock becomes negative.
fn moved(point: [i64; CLOCKS], delay: i64) -> Option<Vec<Rational>> {
    let values = point.map(|value| value * (STEPS / PARTS) + delay);
    let is_point = values.iter().all(|value| *value >= 0);
    is_point.then(|| values.iter().map(|value| over(*value, STEPS)).collect())
}

fn at(point: [i64; CLOCKS]) -> Vec<Rational> {
    point.iter().map(|value| over(*value, PARTS)).collect()
}

const LONGEST: i64 = (LARGEST * 2 + 3) * STEPS;

#[test]
fn operations_on_federations_are_operations_on_their_points() {
    for seed in 0..cases(60) {
        let mut random = generator(seed);
        let (a, b) = (federation(&mut random, 2), federation(&mut random, 3));
        let (minus, and, or) = (a.minus(&b), a.and(&b), a.clone().or(b.clone()));
        let (complement, down) = (b.complement(), a.down());
        for point in points() {
            let p = at(point);
            let (in_a, in_b) = (a.contains(&p), b.contains(&p));
            assert_eq!(minus.contains(&p), in_a && !in_b, "seed {seed} {p:?}");
            assert_eq!(and.contains(&p), in_a && in_b, "seed {seed} {p:?}");
            assert_eq!(or.contains(&p), in_a || in_b, "seed {seed} {p:?}");
            assert_eq!(complement.contains(&p), !in_b, "seed {seed} {p:?}");
            let mut later = (0..LONGEST).filter_map(|delay| moved(point, delay));
            let reaches = later.any(|later| a.contains(&later));
            assert_eq!(down.contains(&p), reaches, "seed {seed} {p:?}");
        }
        let mut all = wide_points().map(at);
        let is_inside = all.all(|p| b.contains(&p) || !a.contains(&p));
        assert_eq!(b.includes(&a), is_inside, "seed {seed}");
    }
}

#[test]
fn waiting_without_touching_a_set_is_looking_at_every_moment() {
    for seed in 0..cases(60) {
        let mut random = generator(seed);
        let (goal, bad) = (federation(&mut random, 2), federation(&mut random, 3));
        let (before, after) = (goal.pred_t(&bad), goal.post_t(&bad));
        for point in points() {
            let p = at(point);
            let walk = |direction: i64| {
                let places = (0..LONGEST).map_while(|delay| moved(point, delay * direction));
                let mut free = places.take_while(|place| !bad.contains(place));
                free.any(|place| goal.contains(&place))
            };
            assert_eq!(
                before.contains(&p),
                walk(1),
                "seed {seed} {p:?}\n{goal:?}\n{bad:?}"
            );
            assert_eq!(
                after.contains(&p),
                walk(-1),
                "seed {seed} {p:?}\n{goal:?}\n{bad:?}"
            );
        }
    }
}

#[test]
fn updates_forwards_and_backwards_are_those_of_points() {
    for seed in 0..cases(200) {
        let mut random = generator(seed);
        let zone = zone(&mut random);
        let clock = random.random_range(0..CLOCKS);
        let value = random.random_range(0..=LARGEST);
        let after = zone.clone().updated(clock, value);
        let before = zone.clone().before(&[(clock, value)], 0);
        let freed = zone.clone().freed(clock);
        for point in points() {
            let p = at(point);
            let mut updated = p.clone();
            updated[clock] = Rational::whole(value);
            let leads_there = before.as_ref().is_some_and(|before| before.contains(&p));
            assert_eq!(leads_there, zone.contains(&updated), "seed {seed} {p:?}");
            let mut others = (0..=LONGEST).map(|other| {
                let mut from = p.clone();
                from[clock] = over(other, STEPS);
                from
            });
            let comes = others.any(|from| zone.contains(&from));
            assert_eq!(freed.contains(&p), comes, "seed {seed} {p:?} {zone:?}");
            let is_after = comes && p[clock] == Rational::whole(value);
            assert_eq!(after.contains(&p), is_after, "seed {seed} {p:?} {zone:?}");
        }
    }
}

#[test]
fn extrapolation_adds_only_points_that_agree_with_one_of_the_zone_up_to_the_constants() {
    for seed in 0..cases(200) {
        let mut random = generator(seed);
        let zone = zone(&mut random);
        let largest: Vec<i64> = (0..CLOCKS)
            .map(|_| random.random_range(0..=LARGEST))
            .collect();
        let wide = zone.clone().extrapolated(&largest);
        assert!(wide.includes(&zone), "seed {seed}");
        let fine = |point: [i64; CLOCKS]| point.map(|value| over(value, STEPS));
        let inside = fine_points().filter(|p| zone.contains(&fine(*p)));
        let inside: Vec<[i64; CLOCKS]> = inside.collect();
        for point in points().filter(|p| wide.contains(&at(*p))) {
            // Points above the end of the grid have no partner on it.
            if point.iter().any(|value| *value > LARGEST * PARTS) {
                continue;
            }
            let agree = |other: &&[i64; CLOCKS]| {
                (0..CLOCKS).all(|clock| {
                    let limit = largest[clock] * STEPS;
                    let own = point[clock] * (STEPS / PARTS);
                    own == other[clock] || (own > limit && other[clock] > limit)
                })
            };
            assert!(
                inside.iter().any(|other| agree(&other)),
                "seed {seed} {point:?} {zone:?} {wide:?}"
            );
        }
    }
}

#[test]
fn among_more_clocks_a_zone_says_nothing_of_the_others() {
    for seed in 0..cases(100) {
        let mut random = generator(seed);
        let zone = zone(&mut random);
        let offset = random.random_range(0..3);
        let wide = zone.among(CLOCKS + 2, offset);
        assert_eq!(wide.and(&Zone::universe(CLOCKS + 2)), Some(wide.clone()));
        for point in points().step_by(3) {
            let mut all = vec![over(random.random_range(0..20), PARTS); CLOCKS + 2];
            all[offset..offset + CLOCKS].copy_from_slice(&at(point));
            assert_eq!(
                wide.contains(&all),
                zone.contains(&at(point)),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn comparisons_are_those_of_numbers() {
    let relations = [
        Relation::Less,
        Relation::AtMost,
        Relation::Equal,
        Relation::AtLeast,
        Relation::Greater,
    ];
    for relation in relations {
        for constant in 0..3 {
            let atom = Atom {
                clock: 1,
                relation,
                constant,
            };
            let zone = Zone::universe(CLOCKS).with(&atom, 0);
            for point in points() {
                let p = at(point);
                let holds = relation.holds(&p[1], &Rational::whole(constant));
                let is_in = zone.as_ref().is_some_and(|zone| zone.contains(&p));
                assert_eq!(is_in, holds, "{atom:?} {p:?}");
            }
        }
    }
}

#[test]
fn the_simplest_point_of_an_interval_is_in_it() {
    for (from, to) in [((1, 3), (1, 2)), ((0, 1), (1, 7)), ((5, 2), (3, 1))] {
        let [from, to] = [from, to].map(|(n, d)| Rational::new(n, d).expect("a number"));
        let open = Interval::ALL.after(from, false).before(to, false);
        let point = open.simplest().expect("not empty");
        assert!(from < point && point < to);
        assert_eq!(Interval::ALL.after(from, true).simplest(), Some(from));
        assert_eq!(open.before(from, true).simplest(), None);
    }
}
