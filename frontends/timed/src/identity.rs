//! A refinement relation that follows from a change without a search: each step of the mutant is a step of the model.
//!
//! Mutants that violate a guideline of \[0\] only lack steps or accept more inputs (semantics.md §8). If they are deterministic, model and
//! mutant are in the same state after each common trace, so the states that are good in both form the relation.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Edge, Relation, Rules};
use rustc_hash::FxHashMap;

use crate::bound::Bound;
use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;
use crate::search::Related;
use crate::side::Side;
use crate::view::{Meeting, View, Visit, views};

/// Returns the relation of equal states that are good in both, as a proof that the mutant refines the model. `None` if it proves nothing.
/// Each pair of locations is checked once.
///
/// # Errors
/// If the budget ends.
pub fn identity(
    mutant: &Side,
    model: &Side,
    rules: Rules,
    budget: &Budget,
) -> Result<Option<Vec<Related>>, Stop> {
    let (own, other) = (&mutant.automaton, &model.automaton);
    if rules.compares_alphabets {
        return Ok(None);
    }
    let Some(same) = same_locations(own, other) else {
        return Ok(None);
    };
    let clocks = Clocks::of(own, other);
    let relation: FxHashMap<usize, Federation> = same
        .iter()
        .map(|(&location, &other)| {
            let states = match planted(Fault::IdentityOfModel) {
                true => &Federation::universe(clocks.own),
                false => &mutant.allowed[location],
            };
            (location, clocks.with_itself(states, &model.allowed[other]))
        })
        .collect();
    let is_unchecked = planted(Fault::IdentityUnchecked) || planted(Fault::IdentityOfModel);
    let check = Check {
        mutant: views(mutant, clocks.all, 0),
        model: views(model, clocks.all, clocks.own),
        rules,
        same,
        relation,
    };
    if !is_unchecked && !check.holds(own.initial, other.initial, budget)? {
        return Ok(None);
    }
    let mut related = Vec::new();
    for (location, states) in &check.relation {
        related.extend(states.zones().iter().map(|zone| Related {
            mutant: *location,
            model: check.same[location],
            zone: zone.clone(),
        }));
    }
    Ok(Some(related))
}

/// Returns the locations that a mutant can reach by edges with a counterpart in the model ([`same_target`]), each with the location of the
/// model. `None` if a location gets two different ones.
fn same_locations(mutant: &Automaton, model: &Automaton) -> Option<FxHashMap<usize, usize>> {
    let mut same = FxHashMap::from_iter([(mutant.initial, model.initial)]);
    let mut open = vec![mutant.initial];
    while let Some(location) = open.pop() {
        let other = same[&location];
        for (_, edge) in mutant.leaving(location) {
            let Some(target) = same_target((mutant, edge), (model, other)) else {
                continue;
            };
            match same.insert(edge.target, target) {
                None => open.push(edge.target),
                Some(known) if known == target => {}
                Some(_) => return None,
            }
        }
    }
    Some(same)
}

/// Returns the target in the model of the edge that corresponds to an edge of the mutant; `None` if there is none. It leaves the location
/// `other`, has the same action, leads to a location with the same name up to data, and has the same guard if possible.
fn same_target(
    (mutant, edge): (&Automaton, &Edge),
    (model, other): (&Automaton, usize),
) -> Option<usize> {
    let named = |automaton: &Automaton, location: usize| {
        let name = automaton.locations[location].name.split('[').next();
        name.unwrap_or_default().to_owned()
    };
    let guard = |automaton: &Automaton, edge: &Edge| -> Vec<(String, Relation, i64)> {
        let atoms = edge.guard.iter();
        atoms
            .map(|atom| {
                let clock = automaton.clocks[atom.clock].clone();
                (clock, atom.relation, atom.constant)
            })
            .collect()
    };
    let name = named(mutant, edge.target);
    let edges = model.leaving(other).map(|(_, same)| same);
    let alike =
        edges.filter(|same| same.action == edge.action && named(model, same.target) == name);
    let alike: Vec<&Edge> = alike.collect();
    let mut exact = alike.iter();
    let exact = exact.find(|same| guard(model, same) == guard(mutant, edge));
    exact.or(alike.first()).map(|same| same.target)
}

/// The clocks of mutant and model in common zones, the mutant's first. A mutant lacks clocks that none of its comparisons reads.
struct Clocks {
    own: usize,
    all: usize,
    /// Pairs of clocks with the same name, by their numbers in zones.
    common: Vec<(usize, usize)>,
}

impl Clocks {
    fn of(mutant: &Automaton, model: &Automaton) -> Clocks {
        let own = mutant.clocks.len();
        let clocks = mutant.clocks.iter().enumerate();
        let common = clocks.filter_map(|(number, name)| {
            let other = model.clocks.iter().position(|other| other == name)?;
            Some((number + 1, own + other + 1))
        });
        Clocks {
            own,
            all: own + model.clocks.len(),
            common: common.collect(),
        }
    }

    /// Returns the pairs of a state in `own` and a state in `model` in which clocks with the same name have the same value.
    fn with_itself(&self, own: &Federation, model: &Federation) -> Federation {
        let own = own.among(self.all, 0);
        own.and(&model.among(self.all, self.own)).map(|zone| {
            let mut common = self.common.iter();
            common.try_fold(zone.clone(), |zone, (own, other)| {
                zone.bounded(*own, *other, Bound::ZERO)?
                    .bounded(*other, *own, Bound::ZERO)
            })
        })
    }
}

struct Check {
    mutant: Vec<View>,
    model: Vec<View>,
    rules: Rules,
    same: FxHashMap<usize, usize>,
    relation: FxHashMap<usize, Federation>,
}

impl Check {
    /// Whether the relation is a proof: it contains the initial states, the mutant does not fail in it, and no step leaves it.
    fn holds(&self, own: usize, other: usize, budget: &Budget) -> Result<bool, Stop> {
        let first = self.mutant.first();
        let start = Zone::zero(first.map_or(0, |view| view.allowed.clocks()));
        if self.same.get(&own) != Some(&other) || !self.has(own, other, start) {
            return Ok(false);
        }
        for (location, states) in &self.relation {
            for zone in states.zones() {
                budget.check()?;
                if !self.goes_on(*location, zone) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn has(&self, own: usize, other: usize, zone: Zone) -> bool {
        let states = self.relation.get(&own);
        let states = states.filter(|_| self.same.get(&own) == Some(&other));
        states.is_some_and(|states| {
            let is_in_one = states.zones().iter().any(|known| known.includes(&zone));
            is_in_one || states.includes(&Federation::of(zone.clocks(), [zone]))
        })
    }

    fn goes_on(&self, location: usize, zone: &Zone) -> bool {
        let other = self.same[&location];
        let meeting = Meeting {
            own: &self.mutant[location],
            model: &self.model[other],
            rules: self.rules,
        };
        let Visit::Goes(here, next) = meeting.visit(zone) else {
            return false;
        };
        let mut later = here.zones().iter();
        later.all(|zone| self.has(location, other, zone.clone()))
            && next.into_iter().all(|(taken, entry)| {
                let own = meeting.own.target(taken.mutant).unwrap_or(location);
                let other = meeting.model.target(taken.model).unwrap_or(other);
                self.has(own, other, entry)
            })
    }
}
