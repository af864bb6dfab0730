//! An oracle by enumeration of regions. A region has the integer part of each clock, and the order of the fractions. It uses no zones and
//! no arithmetic but counting; constants and clocks must be few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::timed::{Atom, Automaton, Edge, Relation, Rules};

/// The region of all clocks: the integer part, and the rank of the fraction among the existing fractions; rank 0 is no fraction. A clock
/// above the largest constant has that constant + 1 and no fraction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Region(Vec<(i64, usize)>);

impl Region {
    pub(crate) fn start(clocks: usize) -> Region {
        Region(vec![(0, 0); clocks])
    }

    /// Renumbers the ranks so that there are no gaps.
    fn normal(mut self) -> Region {
        let ranks: BTreeSet<usize> = self.0.iter().map(|c| c.1).filter(|r| *r > 0).collect();
        for clock in &mut self.0 {
            if clock.1 > 0 {
                clock.1 = ranks.iter().take_while(|rank| **rank < clock.1).count() + 1;
            }
        }
        self
    }

    fn satisfies(&self, atom: &Atom) -> bool {
        let (whole, rank) = self.0[atom.clock];
        let is_whole = rank == 0;
        match atom.relation {
            Relation::Less => whole < atom.constant,
            Relation::AtMost => whole < atom.constant || (is_whole && whole == atom.constant),
            Relation::Equal => is_whole && whole == atom.constant,
            Relation::AtLeast => whole >= atom.constant,
            Relation::Greater => whole > atom.constant || (!is_whole && whole == atom.constant),
        }
    }

    pub(crate) fn satisfies_all(&self, atoms: &[Atom]) -> bool {
        atoms.iter().all(|atom| self.satisfies(atom))
    }

    pub(crate) fn updated(&self, updates: &[(usize, i64)]) -> Region {
        let mut region = self.clone();
        for (clock, value) in updates {
            region.0[*clock] = (*value, 0);
        }
        region.normal()
    }

    /// Returns the next region when time passes; `None` if it is the last.
    pub(crate) fn later(&self, largest: i64) -> Option<Region> {
        let is_small = |clock: &(i64, usize)| clock.0 <= largest;
        if !self.0.iter().any(is_small) {
            return None;
        }
        let mut region = self.clone();
        if self.0.iter().any(|clock| is_small(clock) && clock.1 == 0) {
            for clock in region.0.iter_mut().filter(|clock| is_small(clock)) {
                match clock.1 {
                    0 if clock.0 == largest => *clock = (largest + 1, 0),
                    0 => clock.1 = 1,
                    rank => clock.1 = rank + 1,
                }
            }
            return Some(region.normal());
        }
        let last = self.0.iter().map(|clock| clock.1).max().unwrap_or(0);
        for clock in region.0.iter_mut().filter(|clock| clock.1 == last) {
            *clock = (clock.0 + 1, 0);
        }
        Some(region.normal())
    }

    /// Returns the region of the clocks with the indices from `from` to below `to`.
    fn only(&self, from: usize, to: usize) -> Region {
        Region(self.0[from..to].to_vec()).normal()
    }

    /// Returns the region of the clocks with these indices, in this order.
    #[allow(dead_code)]
    pub(crate) fn pick(&self, clocks: &[usize]) -> Region {
        Region(clocks.iter().map(|clock| self.0[*clock]).collect()).normal()
    }

    /// Whether some time may pass inside the region.
    #[allow(dead_code)]
    pub(crate) fn is_open(&self, largest: i64) -> bool {
        let mut clocks = self.0.iter();
        !clocks.any(|(whole, rank)| *whole <= largest && *rank == 0)
    }

    /// Returns the integer part of the first clock.
    #[allow(dead_code)]
    pub(crate) fn whole(&self) -> i64 {
        self.0[0].0
    }

    /// Returns a point in the region, as integers over a common denominator.
    pub(crate) fn point(&self) -> (Vec<i64>, i64) {
        let ranks = self.0.iter().map(|clock| clock.1).max().unwrap_or(0);
        let denominator = i64::try_from(ranks).unwrap_or(0) + 1;
        let values = self.0.iter();
        let values =
            values.map(|(whole, rank)| whole * denominator + i64::try_from(*rank).unwrap_or(0));
        (values.collect(), denominator)
    }
}

type State = (usize, Region);

/// Returns the largest constant of these automata.
pub(crate) fn largest(automata: &[&Automaton]) -> i64 {
    let constants = automata
        .iter()
        .flat_map(|automaton| automaton.largest_constants());
    constants.max().unwrap_or(0)
}

fn holds(automaton: &Automaton, (location, region): &State) -> bool {
    region.satisfies_all(&automaton.locations[*location].invariant)
}

fn take(automaton: &Automaton, edge: &Edge, region: &Region) -> Option<State> {
    let next = (edge.target, region.updated(&edge.updates));
    (region.satisfies_all(&edge.guard) && holds(automaton, &next)).then_some(next)
}

/// Returns all reachable states within their invariants, each with whether it is good.
pub(crate) fn good(automaton: &Automaton, largest: i64) -> BTreeMap<State, bool> {
    let start = (automaton.initial, Region::start(automaton.clocks.len()));
    let mut states: BTreeMap<State, bool> = BTreeMap::new();
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if !holds(automaton, &state) || states.contains_key(&state) {
            continue;
        }
        let later = state.1.later(largest).map(|region| (state.0, region));
        open.extend(later);
        let leaving = automaton.leaving(state.0);
        open.extend(leaving.filter_map(|(_, edge)| take(automaton, edge, &state.1)));
        states.insert(state, true);
    }
    loop {
        let current = &states;
        let is_good = |state: &State| current.get(state) == Some(&true);
        let bad = current.keys().filter(|state| is_good(state));
        let bad = bad.filter(|state| !lives_on(automaton, state, largest, &is_good));
        let bad: Vec<State> = bad.cloned().collect();
        if bad.is_empty() {
            return states;
        }
        for state in bad {
            states.insert(state, false);
        }
    }
}

fn lives_on(
    automaton: &Automaton,
    state: &State,
    largest: i64,
    is_good: &dyn Fn(&State) -> bool,
) -> bool {
    let mut now = state.clone();
    loop {
        if !is_good(&now) {
            return false;
        }
        let steps = automaton.leaving(now.0);
        let steps = steps
            .filter_map(|(_, edge)| Some((edge.action.is_input, take(automaton, edge, &now.1)?)));
        let steps: Vec<(bool, State)> = steps.collect();
        if steps
            .iter()
            .any(|(is_input, next)| *is_input && !is_good(next))
        {
            return false;
        }
        if steps
            .iter()
            .any(|(is_input, next)| !is_input && is_good(next))
        {
            return true;
        }
        match now.1.later(largest) {
            None => return true,
            Some(region) => now.1 = region,
        }
    }
}

/// The result of the exploration of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Says {
    Inconsistent,
    /// An automaton that must be deterministic is not.
    Ambiguous,
    Refines,
    /// The smallest number of steps to a difference.
    Fails(usize),
    /// There are too many pairs of states to explore.
    TooLarge,
}

/// The maximum number of pairs of states that are explored.
const MOST: usize = 40_000;

struct Product<'a> {
    automata: [&'a Automaton; 2],
    good: [BTreeMap<State, bool>; 2],
    is_pruned: bool,
    rules: Rules,
}

impl Product<'_> {
    fn state(&self, side: usize, location: usize, region: &Region) -> State {
        let own = self.automata[0].clocks.len();
        let region = match side {
            0 => region.only(0, own),
            _ => region.only(own, region.0.len()),
        };
        (location, region)
    }

    fn may_be(&self, side: usize, location: usize, region: &Region) -> bool {
        let state = self.state(side, location, region);
        match self.is_pruned {
            true => self.good[side].get(&state) == Some(&true),
            false => holds(self.automata[side], &state),
        }
    }

    /// Returns the states that side `side` reaches from a location by the actions of the edge `like`: location, and region of both sides'
    /// clocks.
    fn act(&self, side: usize, location: usize, region: &Region, like: &Edge) -> Vec<State> {
        let offset = if side == 0 {
            0
        } else {
            self.automata[0].clocks.len()
        };
        let leaving = self.automata[side].leaving(location);
        let taken = leaving.filter(|(_, edge)| edge.action == like.action);
        let own = self.state(side, location, region).1;
        let taken = taken.filter(|(_, edge)| own.satisfies_all(&edge.guard));
        let moved = taken.map(|(_, edge)| {
            let updates = edge
                .updates
                .iter()
                .map(|(clock, value)| (clock + offset, *value));
            let updates: Vec<(usize, i64)> = updates.collect();
            (edge.target, region.updated(&updates))
        });
        let moved = moved.filter(|(location, region)| self.may_be(side, *location, region));
        // Edges that lead to one state are no choice.
        let different: BTreeSet<State> = moved.collect();
        different.into_iter().collect()
    }

    fn knows(&self, side: usize, like: &Edge) -> bool {
        self.automata[side]
            .edges
            .iter()
            .any(|edge| edge.action == like.action)
    }
}

type Pair = (usize, usize, Region);

/// Decides by enumeration whether a mutant refines a model, or the least number of steps to a difference.
pub(crate) fn refines(mutant: &Automaton, model: &Automaton, rules: Rules) -> Says {
    let largest = largest(&[mutant, model]);
    let product = Product {
        automata: [mutant, model],
        good: [good(mutant, largest), good(model, largest)],
        is_pruned: rules.is_pruned,
        rules,
    };
    let clocks = mutant.clocks.len() + model.clocks.len();
    let start: Pair = (mutant.initial, model.initial, Region::start(clocks));
    if !product.may_be(0, start.0, &start.2) || !product.may_be(1, start.1, &start.2) {
        return Says::Inconsistent;
    }
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = VecDeque::from([(0, start)]);
    while let Some((depth, pair)) = open.pop_front() {
        if seen.len() > MOST {
            return Says::TooLarge;
        }
        match successors(&product, &pair, largest) {
            Err(says) => {
                return match says {
                    Says::Fails(_) => Says::Fails(depth + 1),
                    other => other,
                };
            }
            Ok((later, next)) => {
                // Time passes between steps, so it comes first.
                for pair in later.into_iter().filter(|pair| seen.insert(pair.clone())) {
                    open.push_front((depth, pair));
                }
                for pair in next.into_iter().filter(|pair| !seen.contains(pair)) {
                    open.push_back((depth + 1, pair));
                }
            }
        }
        // Marked when taken: a pair may be reached by time alone before its turn comes.
        while open
            .front()
            .is_some_and(|(d, pair)| *d > depth && seen.contains(pair))
        {
            open.pop_front();
        }
        if let Some((_, pair)) = open.front() {
            seen.insert(pair.clone());
        }
    }
    Says::Refines
}

fn successors(
    product: &Product<'_>,
    (own, other, region): &Pair,
    largest: i64,
) -> Result<(Vec<Pair>, Vec<Pair>), Says> {
    let (mut later, mut next) = (Vec::new(), Vec::new());
    if let Some(after) = region.later(largest)
        && product.may_be(0, *own, &after)
    {
        if !product.may_be(1, *other, &after) {
            return Err(Says::Fails(0));
        }
        later.push((*own, *other, after));
    }
    let [mutant, model] = product.automata;
    for (_, edge) in model
        .leaving(*other)
        .filter(|(_, edge)| edge.action.is_input)
    {
        let expected = product.act(1, *other, region, edge);
        if expected.is_empty() {
            continue;
        }
        let [(target, after)] = expected.as_slice() else {
            return Err(Says::Ambiguous);
        };
        if product.rules.stays_at_unknown_inputs && !product.knows(0, edge) {
            next.push((*own, *target, after.clone()));
            continue;
        }
        let answers = product.act(0, *own, after, edge);
        let guard = product.act(0, *own, region, edge);
        if guard.is_empty() {
            return Err(Says::Fails(0));
        }
        next.extend(
            answers
                .into_iter()
                .map(|(own, after)| (own, *target, after)),
        );
    }
    for (_, edge) in mutant
        .leaving(*own)
        .filter(|(_, edge)| !edge.action.is_input)
    {
        let made = product.act(0, *own, region, edge);
        if made.is_empty() {
            continue;
        }
        if product.rules.stays_at_unknown_outputs && !product.knows(1, edge) {
            next.extend(made.into_iter().map(|(own, after)| (own, *other, after)));
            continue;
        }
        let expected = product.act(1, *other, region, edge);
        match expected.as_slice() {
            [] => return Err(Says::Fails(0)),
            [_] => {}
            _ => return Err(Says::Ambiguous),
        }
        for (own, after) in made {
            let both = product.act(1, *other, &after, edge);
            next.extend(both.into_iter().map(|(other, after)| (own, other, after)));
        }
    }
    Ok((later, next))
}
