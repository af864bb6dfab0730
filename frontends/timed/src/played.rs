//! Runs tests on many mutants of one model.
//!
//! The result of a test on a mutant depends only on the locations that the mutant reaches. So a test is run on one mutant, and the result
//! holds for all mutants with the same locations.

use std::cell::OnceCell;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Rules};
use rustc_hash::FxHashMap;

use crate::family::{Family, Set};
use crate::fault::{Fault, planted};
use crate::replay::{Kills, Player, Trace, is_test_of, kills_when_played};
use crate::side::Side;
use crate::view::alphabet;

/// A test as several traces with the same events: one for each way in which a mutant may fail at the end.
pub type Test = Vec<Trace>;

/// The receiver of kills: it gets the index of a test, the index of a mutant, and the guarantee of the kill.
pub type Heard<'a> = dyn FnMut(usize, usize, Kills) + 'a;

/// Runs tests on mutants and calls `hears` for each kill. Returns how often a test was run on a mutant: one run decides all mutants with
/// the same locations on it.
///
/// # Errors
/// If the budget ends.
pub fn play(
    mutants: &[Automaton],
    model: &Side,
    rules: Rules,
    tests: &[Test],
    budget: &Budget,
    hears: &mut Heard<'_>,
) -> Result<usize, Stop> {
    let group = Group::new(mutants, model, rules, budget)?;
    let mut plays = 0;
    for (number, test) in tests.iter().enumerate() {
        budget.check()?;
        let traces = test.iter().filter(|trace| is_test_of(model, trace, rules));
        let traces: Vec<&Trace> = traces.collect();
        let mut open = match traces.is_empty() {
            true => continue,
            false => group.all.clone(),
        };
        while let Some(mutant) = open.first() {
            let (kills, alike) = group.play(mutant, &traces, budget)?;
            plays += 1;
            let alike = alike.and(&open);
            if let Some(kills) = kills {
                alike.all().for_each(|mutant| hears(number, mutant, kills));
            }
            open.without(&alike);
        }
    }
    Ok(plays)
}

/// A mutant twice: restricted to its good states as the rules say, and with all states within its invariants.
struct Sides {
    pruned: Side,
    free: Side,
}

/// A part that some mutants have in common: a location, pruned or not, and the number of its contents.
type Alike = (bool, usize, usize);

struct Group<'a> {
    mutants: &'a [Automaton],
    model: &'a Side,
    rules: Rules,
    /// The consistent mutants.
    all: Set,
    /// For each mutant the contents of each location, unpruned and pruned; `None` if it has nothing in common with other mutants.
    classes: Vec<Option<[Vec<Option<usize>>; 2]>>,
    alike: FxHashMap<Alike, Set>,
    /// Mutants with the same start and, where that matters, the same inputs.
    starts: Vec<usize>,
    of_start: Vec<Set>,
    /// For each mutant the numbers that its locations have in the group.
    names: Vec<Vec<usize>>,
    sides: Vec<OnceCell<Sides>>,
}

impl<'a> Group<'a> {
    fn new(
        mutants: &'a [Automaton],
        model: &'a Side,
        rules: Rules,
        budget: &Budget,
    ) -> Result<Group<'a>, Stop> {
        let mut family = Family::new(mutants.first(), model, rules);
        let none = || Set::none(mutants.len());
        let mut group = Group {
            mutants,
            model,
            rules,
            all: none(),
            classes: Vec::new(),
            alike: FxHashMap::default(),
            starts: Vec::new(),
            of_start: Vec::new(),
            names: Vec::new(),
            sides: mutants.iter().map(|_| OnceCell::new()).collect(),
        };
        let mut starts = FxHashMap::default();
        for (number, mutant) in mutants.iter().enumerate() {
            budget.check()?;
            let known = match rules.stays_at_unknown_inputs {
                true => alphabet(mutant),
                false => Vec::new(),
            };
            let member = family.member(mutant);
            let initial = member.as_ref().map(|member| member.initial);
            let start = *starts.entry((initial, known)).or_insert_with(|| {
                group.of_start.push(none());
                group.of_start.len() - 1
            });
            group.starts.push(start);
            group.of_start[start].add(number);
            let Some(mut member) = member else {
                group.classes.push(None);
                group.names.push(Vec::new());
                if group.side(number, budget)?.pruned.is_consistent() {
                    group.all.add(number);
                }
                continue;
            };
            let free = family.classes(&member);
            family.play(&mut member, budget)?;
            let pruned = family.classes(&member);
            if family.may_start(&member) {
                group.all.add(number);
            }
            for (is_pruned, classes) in [(false, &free), (true, &pruned)] {
                for (location, class) in classes.iter().enumerate() {
                    let Some(class) = *class else { continue };
                    let alike = group.alike.entry((is_pruned, location, class));
                    alike.or_insert_with(none).add(number);
                }
            }
            let mut names = vec![0; mutant.locations.len()];
            for (name, own) in member.numbers.iter().enumerate() {
                if let Some(own) = own {
                    names[*own] = name;
                }
            }
            group.classes.push(Some([free, pruned]));
            group.names.push(names);
        }
        Ok(group)
    }

    fn side(&self, mutant: usize, budget: &Budget) -> Result<&Sides, Stop> {
        if let Some(sides) = self.sides[mutant].get() {
            return Ok(sides);
        }
        let automaton = &self.mutants[mutant];
        let side = |is_pruned| Side::new(automaton.clone(), is_pruned, budget);
        let sides = Sides {
            pruned: side(self.rules.is_pruned)?,
            free: side(false)?,
        };
        Ok(self.sides[mutant].get_or_init(|| sides))
    }

    /// Runs a test on a mutant. Returns the guarantee of the kill (`None` without one), and the mutants with the same result.
    fn play(
        &self,
        mutant: usize,
        traces: &[&Trace],
        budget: &Budget,
    ) -> Result<(Option<Kills>, Set), Stop> {
        let sides = self.side(mutant, budget)?;
        let players = (Player::new(&sides.pruned), Player::new(&sides.free));
        let kills = traces.iter().filter_map(|trace| {
            kills_when_played(self.model, (&players.0, &players.1), trace, self.rules)
        });
        let kills = kills.max_by_key(|kills| *kills == Kills::Surely);
        let mut only = Set::none(self.mutants.len());
        only.add(mutant);
        let Some(classes) = &self.classes[mutant] else {
            return Ok((kills, only));
        };
        let mut alike = self.of_start[self.starts[mutant]].clone();
        let seen = [(true, players.0.seen()), (false, players.1.seen())];
        let seen = seen.iter().flat_map(|(is_pruned, seen)| {
            let seen = seen.iter();
            seen.map(move |own| (*is_pruned, self.names[mutant][*own]))
        });
        for (is_pruned, location) in seen {
            if planted(Fault::MutantsPlayedAlike) {
                break;
            }
            let class = classes[usize::from(is_pruned)].get(location);
            let class = class.copied().flatten();
            let same = class.and_then(|class| self.alike.get(&(is_pruned, location, class)));
            match same {
                Some(same) => alike = alike.and(same),
                None => return Ok((kills, only)),
            }
        }
        Ok((kills, alike))
    }
}
