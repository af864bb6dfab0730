//! Original and mutants as diagrams: variables for the states, choices and outputs of both sides, and the circuit's functions over them.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::fault::{Fault, planted};
use rustc_hash::FxHashMap;

use super::Limits;
use super::order::{Leaf, Order};
use super::relation::Relation;
use super::store::{Bdd, Level, Store};
use crate::schedule::engine_efforts::{REORDERED_FACTOR, REORDERED_NODES, REORDERED_PART};

/// Index of the original among the sides of a system; the mutants have [`MUTANT`].
pub(super) const MODEL: usize = 0;
pub(super) const MUTANT: usize = 1;

/// A latch of one side, by circuit index, with the levels of its variables for the current and the next state.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateLevel {
    pub(super) latch: usize,
    pub(super) now: Level,
    pub(super) next: Level,
}

/// One side of a comparison, as binary decision diagrams: the original, or the mutants, among which the selectors choose.
pub(super) struct Side {
    pub(super) states: Vec<StateLevel>,
    /// The choices, as indices of circuit inputs, with the levels of their variables.
    pub(super) choices: Vec<(usize, Level)>,
    /// The next value of each of `states`, and each output, over inputs, choices and state.
    pub(super) next: Vec<Bdd>,
    pub(super) outputs: Vec<Bdd>,
    /// The constraints of a step, each as a function that must be true.
    pub(super) constraints: Vec<Bdd>,
    pub(super) initial: Bdd,
}

impl Side {
    pub(super) fn now(&self) -> Vec<Level> {
        self.states.iter().map(|state| state.now).collect()
    }

    pub(super) fn coming(&self) -> Vec<Level> {
        self.states.iter().map(|state| state.next).collect()
    }

    pub(super) fn chosen(&self) -> Vec<Level> {
        self.choices.iter().map(|&(_, level)| level).collect()
    }

    fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let functions = [&self.next, &self.outputs, &self.constraints];
        functions
            .into_iter()
            .flatten()
            .copied()
            .chain([self.initial])
    }
}

/// The functions of a circuit as decision diagrams, for the original and a family of mutants.
pub(super) struct System<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) store: Store,
    /// The test inputs, as indices of circuit inputs, with the levels of their variables.
    pub(super) inputs: Vec<(usize, Level)>,
    /// The levels of the variables for the values of outputs, by output.
    pub(super) shown: Vec<Level>,
    pub(super) sides: Vec<Side>,
    /// The selectors of the members that differ from the original somewhere, with the levels of their variables.
    pub(super) selectors: Vec<(SelectorId, Level)>,
    /// The condition that the selector of exactly one member is on.
    pub(super) one_member: Bdd,
    /// The levels of the variables for the bits of a state estimate's number; none without mutants.
    pub(super) numbers: Vec<Level>,
}

/// Number of bits of a state estimate's number in a proof.
const NUMBER_BITS: usize = 12;

/// The levels of the variables of a latch (current, next for each side), of a choice (for each side) or of a test input.
#[derive(Clone)]
enum Place {
    State(Vec<(Level, Level)>),
    Choice(Vec<Level>),
    Input(Level),
}

impl<'a> System<'a> {
    /// Returns the system of the original, and of the mutants in `members` if there are any. If diagrams are large, a second variable order
    /// is tried.
    ///
    /// # Errors
    /// If limits or budget end the construction.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        members: &[SelectorId],
        limits: Limits,
        budget: &Budget,
    ) -> Result<System<'a>, Stop> {
        let by_groups = Order::by_groups(model, members);
        let grouped = System::in_order(model, members, &by_groups, limits, budget);
        let (size, calls) = match &grouped {
            Ok(system) => (system.size(), system.store.calls()),
            Err(Stop::Bound) => (usize::MAX, limits.calls / REORDERED_PART),
            Err(stop) => return Err(*stop),
        };
        if size < REORDERED_NODES {
            return grouped;
        }
        // A better order reduces the cost of everything after.
        let by_gates = by_groups.by_gates(model, members);
        let less = Limits {
            calls: calls.min(limits.calls),
            ..limits
        };
        match System::in_order(model, members, &by_gates, less, budget) {
            Ok(mut system) if system.size() < size / REORDERED_FACTOR => {
                system.store.allow(limits);
                Ok(system)
            }
            Ok(_) | Err(Stop::Bound) => grouped,
            Err(stop) => Err(stop),
        }
    }

    /// Builds the system with this order of variables.
    fn in_order(
        model: &'a ConditionalMutant,
        members: &[SelectorId],
        order: &Order,
        limits: Limits,
        budget: &Budget,
    ) -> Result<System<'a>, Stop> {
        let sides = if members.is_empty() { 1 } else { 2 };
        let mut next_level: Level = 0;
        let mut fresh = |count: usize| -> Vec<Level> {
            let first = next_level;
            next_level += count as Level;
            (first..next_level).collect()
        };
        let numbers = match members {
            [] => Vec::new(),
            _ => fresh(NUMBER_BITS),
        };
        // A single mutant needs no selector.
        let selectors: Vec<(SelectorId, Level)> = match members {
            [_] => Vec::new(),
            _ => members.iter().map(|&id| (id, fresh(1)[0])).collect(),
        };
        let mut is_choice = vec![false; model.aig.inputs().len()];
        for bit in model.choice_bits() {
            is_choice[bit] = true;
        }
        let mut places: FxHashMap<Leaf, Place> = FxHashMap::default();
        let mut shown = vec![Level::MAX; model.aig.outputs.len()];
        let behind = outputs_behind(model, order);
        for &leaf in &order.leaves {
            let place = match leaf {
                Leaf::Latch(_) => {
                    let levels = fresh(2 * sides);
                    let pairs = (0..sides).map(|side| (levels[side], levels[sides + side]));
                    Place::State(pairs.collect())
                }
                Leaf::Input(input) if is_choice[input] => Place::Choice(fresh(sides)),
                Leaf::Input(_) => Place::Input(fresh(1)[0]),
            };
            places.insert(leaf, place);
            for &output in behind.get(&leaf).into_iter().flatten() {
                shown[output] = fresh(1)[0];
            }
        }
        for level in shown.iter_mut().filter(|level| **level == Level::MAX) {
            *level = fresh(1)[0];
        }
        let mut system = System {
            model,
            store: Store::new(next_level as usize, limits, budget)?,
            inputs: Vec::new(),
            shown,
            sides: Vec::new(),
            selectors,
            one_member: Bdd::TRUE,
            numbers,
        };
        for &leaf in &order.leaves {
            if let (Leaf::Input(index), Some(Place::Input(level))) = (leaf, places.get(&leaf)) {
                system.inputs.push((index, *level));
            }
        }
        for side in 0..sides {
            let side = system.side(side, members, order, &places)?;
            system.sides.push(side);
        }
        system.one_member = system.exactly_one()?;
        Ok(system)
    }

    /// Returns the number of nodes of all functions of the system.
    fn size(&self) -> usize {
        self.store.size(self.roots())
    }

    fn exactly_one(&mut self) -> Result<Bdd, Stop> {
        if self.selectors.is_empty() {
            return Ok(Bdd::TRUE);
        }
        let (mut none, mut one) = (Bdd::TRUE, Bdd::FALSE);
        for &(_, level) in self.selectors.iter().rev() {
            let on = self.store.variable(level);
            one = self.store.ite(on, none, one)?;
            none = self.store.and(!on, none)?;
        }
        Ok(one)
    }

    /// Returns the value of a selector on a side as a function: false for the original and for mutants that are no members, else its
    /// variable; true if it has none.
    fn selector(&self, side: usize, id: SelectorId, members: &[SelectorId]) -> Bdd {
        if side == MODEL || !members.contains(&id) {
            return Bdd::FALSE;
        }
        let level = self.selectors.iter().find(|(selector, _)| *selector == id);
        level.map_or(Bdd::TRUE, |&(_, level)| self.store.variable(level))
    }

    /// Returns, for each node of the circuit by index, its function on a side; `None` for nodes that are not read or read unobserved ones.
    fn values(
        &mut self,
        side: usize,
        members: &[SelectorId],
        places: &FxHashMap<Leaf, Place>,
    ) -> Result<Vec<Option<Bdd>>, Stop> {
        let aig = &self.model.aig;
        let of_latch = self.model.selector_of_latch();
        let is_on = |id: SelectorId| side == MUTANT && members.contains(&id);
        let mut values: Vec<Option<Bdd>> = vec![None; aig.len()];
        for (var, node) in self.model.nodes_read(|id| (!is_on(id)).then_some(false)) {
            let place = |leaf: Leaf| places.get(&leaf);
            let value = match node {
                Node::False => Some(Bdd::FALSE),
                Node::Input(index) => match place(Leaf::Input(index as usize)) {
                    Some(Place::Input(level)) => Some(self.store.variable(*level)),
                    Some(Place::Choice(levels)) => Some(self.store.variable(levels[side])),
                    _ => None,
                },
                Node::Latch(index) => match of_latch[index as usize] {
                    Some(id) => Some(self.selector(side, id, members)),
                    None => match place(Leaf::Latch(index as usize)) {
                        Some(Place::State(levels)) => Some(self.store.variable(levels[side].0)),
                        _ => None,
                    },
                },
                Node::And(a, b) => {
                    let of = |lit: Lit| {
                        let value = values[lit.var().index()];
                        value.map(|value| value.complemented_if(lit.is_negated()))
                    };
                    // A node that reads an unobserved one has no function, and none is needed.
                    match (of(a), of(b)) {
                        (Some(a), Some(b)) => Some(self.store.and(a, b)?),
                        _ => None,
                    }
                }
            };
            values[var.index()] = value;
        }
        Ok(values)
    }

    fn side(
        &mut self,
        side: usize,
        members: &[SelectorId],
        order: &Order,
        places: &FxHashMap<Leaf, Place>,
    ) -> Result<Side, Stop> {
        let values = self.values(side, members, places)?;
        let aig = &self.model.aig;
        let of = |lit: Lit| {
            let value = values[lit.var().index()].unwrap_or(Bdd::FALSE);
            value.complemented_if(lit.is_negated())
        };
        let mut found = Side {
            states: Vec::new(),
            choices: Vec::new(),
            next: Vec::new(),
            outputs: aig.outputs.iter().map(|output| of(output.lit)).collect(),
            constraints: aig.constraints.iter().map(|c| of(c.lit)).collect(),
            initial: Bdd::TRUE,
        };
        if planted(Fault::DeadEndCounted) {
            found.constraints.clear();
        }
        let mut initial = Vec::new();
        for &leaf in &order.leaves {
            match (leaf, places.get(&leaf)) {
                (Leaf::Latch(latch), Some(Place::State(levels))) => {
                    let (now, next) = levels[side];
                    found.states.push(StateLevel { latch, now, next });
                    found.next.push(of(aig.latches()[latch].next));
                    let value = self.store.variable(now);
                    match aig.latches()[latch].reset {
                        Reset::Zero => initial.push(!value),
                        Reset::One => initial.push(value),
                        Reset::Free => {}
                    }
                }
                (Leaf::Input(index), Some(Place::Choice(levels))) => {
                    found.choices.push((index, levels[side]));
                }
                _ => {}
            }
        }
        for value in initial {
            found.initial = self.store.and(found.initial, value)?;
        }
        Ok(found)
    }

    /// Returns the conjuncts of a side's transition relation; with `shows` they include the values of outputs.
    pub(super) fn parts(&mut self, side: usize, shows: bool) -> Result<Vec<Bdd>, Stop> {
        let side = &self.sides[side];
        let mut parts = side.constraints.clone();
        for (state, &next) in side.states.iter().zip(&side.next) {
            let value = self.store.variable(state.next);
            parts.push(self.store.iff(value, next)?);
        }
        if shows {
            for (&level, &output) in self.shown.iter().zip(&side.outputs) {
                let value = self.store.variable(level);
                parts.push(self.store.iff(value, output)?);
            }
        }
        // Parts are sorted by variables, so that adjacent parts share many.
        parts.retain(|&part| part != Bdd::TRUE);
        parts.sort_by_key(|&part| self.store.support([part]).last().copied());
        Ok(parts)
    }

    /// Returns the conjuncts of the relation between states, inputs and choices of a side and the outputs of a step.
    pub(super) fn observed_parts(&mut self, side: usize) -> Result<Vec<Bdd>, Stop> {
        let side = &self.sides[side];
        let mut parts = side.constraints.clone();
        for (&level, &output) in self.shown.iter().zip(&side.outputs) {
            let value = self.store.variable(level);
            parts.push(self.store.iff(value, output)?);
        }
        Ok(parts)
    }

    /// Returns the same set of states of a side with next-state variables replaced by current-state variables.
    pub(super) fn present(&mut self, side: usize, states: Bdd) -> Result<Bdd, Stop> {
        let of = &self.sides[side].states;
        let pairs: Vec<(Level, Level)> = of.iter().map(|state| (state.next, state.now)).collect();
        let images: Vec<(Level, Bdd)> = pairs
            .into_iter()
            .map(|(from, to)| (from, self.store.variable(to)))
            .collect();
        let shift = self.store.substitution(images);
        self.store.substitute(states, &shift)
    }

    /// Returns the same set of states of a side with current-state variables replaced by next-state variables.
    pub(super) fn coming(&mut self, side: usize, states: Bdd) -> Result<Bdd, Stop> {
        let of = &self.sides[side].states;
        let pairs: Vec<(Level, Level)> = of.iter().map(|state| (state.now, state.next)).collect();
        let images: Vec<(Level, Bdd)> = pairs
            .into_iter()
            .map(|(from, to)| (from, self.store.variable(to)))
            .collect();
        let shift = self.store.substitution(images);
        self.store.substitute(states, &shift)
    }

    pub(super) fn input_levels(&self) -> Vec<Level> {
        self.inputs.iter().map(|&(_, level)| level).collect()
    }

    /// Returns the functions of the system itself, for [`Store::keep`].
    pub(super) fn roots(&self) -> Vec<Bdd> {
        let sides = self.sides.iter().flat_map(Side::roots);
        sides.chain([self.one_member]).collect()
    }

    /// Returns the reachable states of a side and the number of breadth-first layers. For mutants the states come with their selector.
    /// Garbage collection keeps the diagrams in `needed`.
    pub(super) fn reachable(&mut self, side: usize, needed: &[Bdd]) -> Result<(Bdd, usize), Stop> {
        self.layers(side, needed, |_, _, _| Ok(Bdd::TRUE))
    }

    /// Computes layers like [`System::reachable`], and calls `look` with each new layer and its number from 0. Garbage collection keeps the
    /// diagram that `look` returned last.
    pub(super) fn layers(
        &mut self,
        side: usize,
        needed: &[Bdd],
        mut look: impl FnMut(&mut System<'a>, usize, Bdd) -> Result<Bdd, Stop>,
    ) -> Result<(Bdd, usize), Stop> {
        let parts = self.parts(side, false)?;
        let of = &self.sides[side];
        let quantified = [of.now(), of.chosen(), self.input_levels()].concat();
        let pairs = of.states.iter().map(|state| (state.next, state.now));
        let pairs: Vec<(Level, Level)> = pairs.collect();
        let relation = Relation::new(&mut self.store, &parts, &quantified)?;
        let images: Vec<(Level, Bdd)> = pairs
            .into_iter()
            .map(|(from, to)| (from, self.store.variable(to)))
            .collect();
        let shift = self.store.substitution(images);
        let mut reached = self.sides[side].initial;
        if side == MUTANT {
            reached = self.store.and(reached, self.one_member)?;
        }
        let mut frontier = reached;
        let mut layers = 0;
        while frontier != Bdd::FALSE {
            let looked = look(self, layers, frontier)?;
            layers += 1;
            let image = relation.image(&mut self.store, frontier)?;
            let image = self.store.substitute(image, &shift)?;
            frontier = self.store.without(image, reached)?;
            reached = self.store.or(reached, frontier)?;
            let mut roots = self.roots();
            roots.extend(relation.roots());
            roots.extend([reached, frontier, looked]);
            roots.extend(needed);
            self.store.keep(roots);
        }
        Ok((reached, layers))
    }
}

/// Returns for each leaf the outputs whose variables are placed directly after it. If a latch has the output as its next value, it is that
/// latch; otherwise the middle one of the leaves under the output.
fn outputs_behind(model: &ConditionalMutant, order: &Order) -> FxHashMap<Leaf, Vec<usize>> {
    let places: FxHashMap<Leaf, usize> = order
        .leaves
        .iter()
        .enumerate()
        .map(|(place, &leaf)| (leaf, place))
        .collect();
    let latches = order.leaves.iter().filter_map(|&leaf| match leaf {
        Leaf::Latch(latch) => Some((model.aig.latches()[latch].next.var(), leaf)),
        Leaf::Input(_) => None,
    });
    let taking: FxHashMap<Var, Leaf> = latches.collect();
    let mut behind: FxHashMap<Leaf, Vec<usize>> = FxHashMap::default();
    for (number, output) in model.aig.outputs.iter().enumerate() {
        if let Some(&leaf) = taking.get(&output.lit.var()) {
            behind.entry(leaf).or_default().push(number);
            continue;
        }
        let cone = hyperkill_core::aig::Cone::combinational(&model.aig, [output.lit]);
        let read = order.leaves.iter().filter(|leaf| match **leaf {
            Leaf::Latch(latch) => cone.contains(model.aig.latches()[latch].var),
            Leaf::Input(input) => cone.contains(model.aig.inputs()[input].var),
        });
        let mut read: Vec<usize> = read.filter_map(|leaf| places.get(leaf).copied()).collect();
        read.sort_unstable();
        if let Some(&middle) = read.get(read.len() / 2) {
            behind.entry(order.leaves[middle]).or_default().push(number);
        }
    }
    behind
}
