//! Original and mutant as explicit machines whose states and steps are listed on demand.
//!
//! Both sides share one table of states and one of outputs, so that they can be compared by number. Only bits that a side can read are part
//! of its states, input valuations and choices. The callers determine which states are listed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashMap;

use super::Listing;
use super::evaluator::{Evaluator, RawStep, grouped, reads};
use super::existing::Start;
use super::known_steps::{Form, Found, KnownStates, KnownSteps, StateSteps};
pub(super) use super::plan::Valuation;
use super::plan::{Plan, shifts};
use super::vectors::{PER_ENTRY, VectorTable};
use crate::engines::valuations::{Group, Representatives, representatives};
use crate::schedule::engine_efforts::BEGINNINGS_OF_STATE;
use crate::stepping::Difference;

/// Number of a listed state; both sides share the numbers.
pub(super) type State = u32;

/// Number of an output valuation; both sides share the numbers.
pub(super) type Output = u32;

/// The side of the comparison to which states and steps belong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    /// The original: all selectors are 0.
    Model,
    /// The mutant in question: its selector is 1.
    Mutant,
}

/// A step of a state under a known input: its output and its next state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Move {
    pub(super) output: Output,
    pub(super) next: State,
}

/// The reason why a listing ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// The effort of listing (steps or positions) is spent.
    Listing,
    /// The budget ended the listing, by time, memory or an interruption.
    Stopped(Stop),
}

impl From<Stop> for Limit {
    fn from(stop: Stop) -> Limit {
        Limit::Stopped(stop)
    }
}

/// Number of steps that are evaluated between two checks of the budget, unless one state has more.
const BATCH: usize = 1 << 17;

/// Number of states that are numbered, or compared, between two checks of the budget.
const AT_ONCE: usize = 1 << 12;

/// Marks, in place of an index, a state that is about to be listed.
const CLAIMED: usize = usize::MAX;

/// Number of states whose existing steps are searched together where constraints may leave few steps.
const SPARSE: usize = 16;

/// Number of prefixes of steps that are evaluated between two checks of the clock.
const BEGINNINGS: usize = 1 << 14;

/// Number of input valuations in a state's list that count as one step of effort.
const VALUATIONS_PER_STEP: usize = 8;

/// Number of a row, the set of moves of a state under an input valuation. Equal rows have equal numbers.
pub(super) type Row = u32;

/// The row without moves: the input is refused.
pub(super) const REFUSED: Row = 0;

/// Classes of input valuations; some states do not distinguish those of one class.
#[derive(Clone, Debug)]
pub(super) struct ValuationClasses {
    /// For each input valuation the number of its class; classes are numbered in the order of their first members.
    of: Vec<u32>,
    count: usize,
}

impl ValuationClasses {
    /// Returns the least input valuation of each class, ascending.
    pub(super) fn representatives(&self) -> Vec<Valuation> {
        let mut representatives = Vec::with_capacity(self.count);
        for (valuation, &class) in self.of.iter().enumerate() {
            if class as usize == representatives.len() {
                representatives.push(valuation);
            }
        }
        representatives
    }
}

/// The values that are tried for choices that outputs only copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownValues {
    /// All values of the choices.
    All,
    /// One value of each class that model and mutant distinguish only by the output. This suffices if only agreement matters, and not which
    /// outputs agree.
    Representatives,
}

/// Original and mutant as explicit machines over the same inputs.
#[derive(Debug)]
pub(super) struct Machines<'a> {
    model: &'a ConditionalMutant,
    /// Groups of circuit inputs that form input valuations, each with its lowest bit in the number of a valuation.
    valuation_groups: Vec<(Group, usize)>,
    /// The circuit latches, by index, that form a state.
    latches: Vec<usize>,
    evaluators: [Evaluator; 2],
    /// For each side the cache of its steps.
    known: [KnownStates; 2],
    /// Choices for which only some values are tried, with these values.
    shown: Vec<Representatives>,
    /// For each side and each bit of a state, whether the side reads that latch.
    read: [Vec<bool>; 2],
    states: VectorTable,
    outputs: VectorTable,
    rows: Rows,
    /// For each side and state, the index in `listed` of its first row.
    places: [Vec<Option<usize>>; 2],
    /// The rows of listed states: for each state and side one row for each input valuation, one state after the other.
    listed: Vec<Row>,
    /// Decides in which states the mutation can matter; `None` if the sides read different latches.
    difference: Option<Difference>,
    /// Number of steps that may still be evaluated.
    steps_left: usize,
    /// Limit on visited positions. If initial states alone exceed it, they are not numbered.
    most_positions: usize,
    budget: &'a Budget,
    charge: Charge,
}

impl<'a> Machines<'a> {
    /// Returns machines without listed states. At most `effort.steps` steps will be evaluated. `steps`, a cache, must belong to this
    /// circuit.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        shown: ShownValues,
        effort: &Listing,
        steps: &KnownSteps,
        budget: &'a Budget,
    ) -> Machines<'a> {
        let variants = [Variant::Original, Variant::Mutant(mutant)];
        let simulators = variants.map(|variant| Simulator::for_variant(model, variant));
        let [original, mutated] = simulators.each_ref().map(|variant| reads(model, variant));
        let valuation_bits: Vec<usize> = model
            .input_bits()
            .filter(|&bit| original.0[bit] || mutated.0[bit])
            .collect();
        let latches: Vec<usize> = (0..model.aig.latches().len())
            .filter(|&latch| original.1[latch] || mutated.1[latch])
            .collect();
        let difference =
            (original.1 == mutated.1).then(|| Difference::new(model, mutant, &latches));
        let read =
            [original.1, mutated.1].map(|read| latches.iter().map(|&latch| read[latch]).collect());
        let [model_side, mutant_side] = &simulators;
        let groups = grouped(model, &[model_side, mutant_side], &valuation_bits, budget);
        let shifts = shifts(&groups);
        let shown = match shown {
            ShownValues::All => Vec::new(),
            ShownValues::Representatives => {
                representatives(model, &[model_side, mutant_side], budget)
            }
        };
        let codes: Vec<Group> = shown.iter().map(|shown| shown.group.clone()).collect();
        let evaluators = simulators
            .map(|variant| Evaluator::new(model, variant, &groups, &codes, &latches, budget));
        let mut variants = variants.into_iter();
        let known = evaluators.each_ref().map(|evaluator| {
            steps.of(Form {
                variant: variants.next().unwrap_or(Variant::Original),
                latches: latches.clone(),
                enumerated: evaluator.enumerated().groups().to_vec(),
            })
        });
        Machines {
            evaluators,
            known,
            shown,
            states: VectorTable::new(latches.len()),
            outputs: VectorTable::new(model.aig.outputs.len()),
            valuation_groups: groups.into_iter().zip(shifts).collect(),
            latches,
            read,
            model,
            difference,
            rows: Rows::new(),
            places: [Vec::new(), Vec::new()],
            listed: Vec::new(),
            steps_left: effort.steps,
            most_positions: effort.positions,
            budget,
            charge: Charge::default(),
        }
    }

    /// Returns the number of input valuations.
    pub(super) fn valuations(&self) -> usize {
        let bits = self.valuation_groups.iter().map(|(group, _)| group.bits());
        1 << bits.sum::<usize>()
    }

    /// Returns all initial states of a side, in a fixed order.
    pub(super) fn initial(&mut self, side: Side) -> Result<Vec<State>, Limit> {
        let mut words = vec![0u64; self.latches.len().div_ceil(64)];
        let mut free = Vec::new();
        for (k, &latch) in self.latches.iter().enumerate() {
            match self.model.aig.latches()[latch].reset {
                _ if !self.read[side as usize][k] => {}
                Reset::Zero => {}
                Reset::One => words[k / 64] |= 1 << (k % 64),
                Reset::Free => free.push(k),
            }
        }
        let count = u32::try_from(free.len())
            .ok()
            .and_then(|bits| 1usize.checked_shl(bits))
            .filter(|&count| count <= self.steps_left && count / 64 <= self.most_positions)
            .ok_or(Limit::Listing)?;
        let mut states = Vec::new();
        for choice in 0..count {
            if choice % AT_ONCE == 0 {
                self.go_on(size_of_val(states.as_slice()))?;
            }
            for (bit, &k) in free.iter().enumerate() {
                words[k / 64] &= !(1 << (k % 64));
                words[k / 64] |= (choice as u64 >> bit & 1) << (k % 64);
            }
            states.push(self.states.number(&words));
        }
        if fault::planted(Fault::ForgottenInitialStates) {
            states.truncate(1);
        }
        Ok(states)
    }

    /// Lists all steps from these states of a side, so that [`Machines::moves`] can return them. An error says which limit is reached.
    pub(super) fn list(
        &mut self,
        side: Side,
        states: impl IntoIterator<Item = State>,
    ) -> Result<(), Limit> {
        let place = &mut self.places[side as usize];
        let mut missing = Vec::new();
        for state in states {
            let index = state as usize;
            if place.len() <= index {
                place.resize(index + 1, None);
            }
            if place[index].is_none() {
                // Marked at once, so that a state given twice is listed once.
                place[index] = Some(CLAIMED);
                missing.push(state);
            }
        }
        let listed = match side {
            Side::Model => self.list_missing(side, &missing),
            Side::Mutant => self.list_mutant(&missing),
        };
        if listed.is_err() {
            for &state in &missing {
                let place = &mut self.places[side as usize][state as usize];
                *place = place.filter(|&place| place != CLAIMED);
            }
        }
        listed
    }

    /// Whether the steps of a state are listed.
    pub(super) fn is_listed(&self, side: Side, state: State) -> bool {
        let place = self.places[side as usize].get(state as usize);
        place.is_some_and(Option::is_some)
    }

    /// Lists the steps of the mutant from these states. Where the mutation cannot matter, the model's steps are used.
    fn list_mutant(&mut self, missing: &[State]) -> Result<(), Limit> {
        let Some(difference) = &self.difference else {
            return self.list_missing(Side::Mutant, missing);
        };
        let words = missing.iter().map(|&state| self.states.words(state));
        let matters = difference.matters(words, None);
        let (mut own, mut alike) = (Vec::new(), Vec::new());
        for (&state, matters) in missing.iter().zip(matters) {
            let side = if matters { &mut own } else { &mut alike };
            side.push(state);
        }
        self.list(Side::Model, alike.iter().copied())?;
        for state in alike {
            let state = state as usize;
            self.places[Side::Mutant as usize][state] = self.places[Side::Model as usize][state];
        }
        self.list_missing(Side::Mutant, &own)
    }

    /// Lists the steps of these states, grouped by the number of bits in their plans.
    fn list_missing(&mut self, side: Side, missing: &[State]) -> Result<(), Limit> {
        let words = missing.iter().map(|&state| self.states.words(state));
        let plans = self.evaluators[side as usize].plans(words);
        let mut groups: BTreeMap<usize, Vec<(Plan, State)>> = BTreeMap::new();
        for (plan, &state) in plans.into_iter().zip(missing) {
            groups.entry(plan.bits()).or_default().push((plan, state));
        }
        for states in groups.values() {
            let steps = states.first().and_then(|(plan, _)| plan.steps_per_state());
            let is_sparse =
                |(plan, _): &(Plan, State)| self.evaluators[side as usize].is_sparse(plan);
            if states.first().is_some_and(is_sparse) {
                for batch in states.chunks(SPARSE) {
                    self.list_existing(side, batch)?;
                }
                continue;
            }
            let size = (BATCH / steps.unwrap_or(BATCH)).max(1);
            for batch in states.chunks(size) {
                self.list_batch(side, batch)?;
            }
        }
        Ok(())
    }

    /// Fails if time or memory is exhausted. `beside` is the memory, in bytes, of the tables of the search itself.
    pub(super) fn go_on(&mut self, beside: usize) -> Result<(), Limit> {
        let listed = self.listed.len() * size_of::<Row>();
        let tables = self.states.bytes() + self.outputs.bytes() + self.rows.bytes();
        let over = self.charge.hold(self.budget, listed + tables + beside);
        match over.or_else(|| self.budget.stopped()) {
            Some(stop) => Err(stop.into()),
            None => Ok(()),
        }
    }

    /// Lists the steps of states whose plans have the same number of bits.
    fn list_batch(&mut self, side: Side, batch: &[(Plan, State)]) -> Result<(), Limit> {
        self.go_on(0)?;
        let evaluator = &self.evaluators[side as usize];
        let valuations = evaluator.valuations().ok_or(Limit::Listing)?;
        let steps = batch.first().and_then(|(plan, _)| plan.steps_per_state());
        let steps = steps
            .map(|steps| steps.max(valuations / VALUATIONS_PER_STEP))
            .and_then(|steps| steps.checked_mul(batch.len()))
            .filter(|&steps| steps <= self.steps_left)
            .ok_or(Limit::Listing)?;
        self.steps_left -= steps;
        let first = self.listed.len();
        self.listed
            .resize(first + batch.len() * valuations, REFUSED);
        let words = self.words_of(batch);
        let plans = batch.iter().map(|(plan, _)| plan);
        let states = plans.zip(words.iter().map(Vec::as_slice));
        let (known, outputs, rows) = (&mut self.states, &mut self.outputs, &mut self.rows);
        let listed = &mut self.listed[first..];
        let mut at = 0;
        let mut moves: Vec<Move> = Vec::new();
        evaluator.steps(states, |step| {
            let here = step.slot * valuations + step.valuation;
            if here != at {
                listed[at] = rows.number(&mut moves);
                at = here;
            }
            let next = Move {
                output: outputs.number(step.outputs),
                next: known.number(step.next),
            };
            if moves.last() != Some(&next) {
                moves.push(next);
            }
        });
        listed[at] = rows.number(&mut moves);
        self.place(side, batch, first, valuations);
        Ok(())
    }

    /// Lists the steps of states whose plans have the same number of bits, where constraints may leave few steps.
    fn list_existing(&mut self, side: Side, batch: &[(Plan, State)]) -> Result<(), Limit> {
        self.go_on(0)?;
        let evaluator = &self.evaluators[side as usize];
        let valuations = evaluator.valuations().ok_or(Limit::Listing)?;
        let kept = valuations / VALUATIONS_PER_STEP * batch.len();
        self.steps_left = self.steps_left.checked_sub(kept).ok_or(Limit::Listing)?;
        let all = batch.first().and_then(|(plan, _)| plan.steps_per_state());
        let all = all.and_then(|steps| steps.checked_mul(batch.len()));
        let allowed = if all.is_some_and(|all| all <= self.steps_left) {
            self.steps_left
        } else {
            self.steps_left.min(BEGINNINGS_OF_STATE * batch.len())
        };
        let words = self.words_of(batch);
        let found = self.existing_of(side, batch, &words, allowed)?;
        let first = self.listed.len();
        self.listed
            .resize(first + batch.len() * valuations, REFUSED);
        for (slot, steps) in found.iter().enumerate() {
            let outputs = steps.outputs.iter().map(|words| self.outputs.number(words));
            let outputs: Vec<Output> = outputs.collect();
            let nexts = steps.nexts.iter().map(|words| self.states.number(words));
            let nexts: Vec<State> = nexts.collect();
            for row in steps.moves.chunk_by(|a, b| a.0 == b.0) {
                let moves = row.iter().map(|&(_, output, next)| Move {
                    output: outputs[output as usize],
                    next: nexts[next as usize],
                });
                let row_number = self.rows.number(&mut moves.collect());
                self.listed[first + slot * valuations + row[0].0] = row_number;
            }
        }
        self.place(side, batch, first, valuations);
        Ok(())
    }

    /// Returns the existing steps from each state of a batch, cached or found anew.
    ///
    /// # Errors
    /// If more than `allowed` prefixes are needed, or the budget ends.
    fn existing_of(
        &mut self,
        side: Side,
        batch: &[(Plan, State)],
        words: &[Vec<u64>],
        allowed: usize,
    ) -> Result<Vec<Arc<StateSteps>>, Limit> {
        let known = &self.known[side as usize];
        let mut steps: Vec<Option<Arc<StateSteps>>> =
            words.iter().map(|state| known.of(state)).collect();
        let mut evaluated: usize = steps.iter().flatten().map(|steps| steps.evaluated).sum();
        let missing: Vec<usize> = (0..batch.len()).filter(|&k| steps[k].is_none()).collect();
        let starts = missing.iter().map(|&k| Start {
            plan: &batch[k].0,
            state: &words[k],
            valuation: None,
        });
        let starts: Vec<Start<'_>> = starts.collect();
        let bits = (self.model.aig.outputs.len(), self.latches.len());
        let found = starts.iter().map(|_| Found::new(bits.0, bits.1));
        let mut found: Vec<Found> = found.collect();
        let budget = self.budget;
        let ended = self.evaluators[side as usize].existing(
            &starts,
            |lanes| {
                let before = evaluated;
                evaluated += lanes;
                if before / BEGINNINGS != evaluated / BEGINNINGS
                    && let Some(stop) = budget.stopped()
                {
                    return Err(Limit::Stopped(stop));
                }
                if evaluated > allowed {
                    return Err(Limit::Listing);
                }
                Ok(())
            },
            |step| found[step.slot].push(&step),
        );
        self.steps_left = self.steps_left.saturating_sub(evaluated);
        if evaluated > allowed {
            return Err(Limit::Listing);
        }
        for ((&k, found), evaluated) in missing.iter().zip(found).zip(ended?) {
            let found = Arc::new(found.all(evaluated));
            known.keep(&words[k], &found);
            steps[k] = Some(found);
        }
        Ok(steps.into_iter().flatten().collect())
    }

    fn words_of(&self, batch: &[(Plan, State)]) -> Vec<Vec<u64>> {
        let states = batch.iter();
        states
            .map(|&(_, state)| self.states.words(state).to_vec())
            .collect()
    }

    /// Records where the rows of these states begin in `listed`, from index `first` on, and fills in the rows of input valuations that
    /// their plans do not distinguish.
    fn place(&mut self, side: Side, batch: &[(Plan, State)], first: usize, valuations: usize) {
        let evaluator = &self.evaluators[side as usize];
        let listed = &mut self.listed[first..];
        // Consecutive states often have the same plan.
        let mut known: Option<(&Plan, Vec<Valuation>)> = None;
        for (rows, (plan, _)) in listed.chunks_mut(valuations).zip(batch) {
            let alike = match known.take() {
                Some((same, alike)) if same == plan => alike,
                _ => evaluator.enumerated().alike(plan),
            };
            for (valuation, &alike) in alike.iter().enumerate() {
                rows[valuation] = rows[alike];
            }
            known = Some((plan, alike));
        }
        for (slot, &(_, state)) in batch.iter().enumerate() {
            self.places[side as usize][state as usize] = Some(first + slot * valuations);
        }
    }

    /// Returns the rows of a listed state, one for each input valuation; none if it is not listed.
    pub(super) fn rows(&self, side: Side, state: State) -> &[Row] {
        let place = self.places[side as usize].get(state as usize);
        match place.copied().flatten() {
            Some(first) => &self.listed[first..first + self.valuations()],
            None => &[],
        }
    }

    /// Returns the moves of a listed state under an input valuation, ascending; none if it is not listed.
    pub(super) fn moves(&self, side: Side, state: State, valuation: Valuation) -> &[Move] {
        match self.rows(side, state).get(valuation) {
            Some(&row) => self.rows.moves(row),
            None => &[],
        }
    }

    /// Returns the number of steps that may still be evaluated within the effort.
    pub(super) fn steps_left(&self) -> usize {
        self.steps_left
    }

    /// Returns the moves of a row, ascending: the pairs of output and next state that a state has under one input valuation.
    pub(super) fn row(&self, row: Row) -> &[Move] {
        self.rows.moves(row)
    }

    /// Returns the least input valuation of each class that these listed states do not distinguish, ascending.
    pub(super) fn distinct_valuations(
        &self,
        states: impl IntoIterator<Item = (Side, State)>,
    ) -> Vec<Valuation> {
        self.told_apart(self.all_alike(), states).representatives()
    }

    /// Returns the partition with a single class, which contains all input valuations.
    pub(super) fn all_alike(&self) -> ValuationClasses {
        ValuationClasses {
            of: vec![0; self.valuations()],
            count: 1,
        }
    }

    /// Splits the classes of input valuations where one of these listed states has different rows, and returns them.
    pub(super) fn told_apart(
        &self,
        mut classes: ValuationClasses,
        states: impl IntoIterator<Item = (Side, State)>,
    ) -> ValuationClasses {
        let mut split: FxHashMap<(u32, Row), u32> = FxHashMap::default();
        let mut looked_at = 0;
        for (side, state) in states {
            if classes.count == classes.of.len() {
                break;
            }
            looked_at += classes.of.len();
            if looked_at > BATCH {
                looked_at = 0;
                // The caller checks the budget before it uses these classes.
                if self.budget.stopped().is_some() {
                    break;
                }
            }
            split.clear();
            for (class, &row) in classes.of.iter_mut().zip(self.rows(side, state)) {
                let next = split.len() as u32;
                *class = *split.entry((*class, row)).or_insert(next);
            }
            classes.count = split.len().max(1);
        }
        classes
    }

    /// Returns the bits of a state by circuit latch; selectors and latches that are no part of states are 0.
    pub(super) fn state_bits(&self, state: State) -> Vec<bool> {
        let words = self.states.words(state);
        let mut bits = vec![false; self.model.aig.latches().len()];
        for (k, &latch) in self.latches.iter().enumerate() {
            bits[latch] = words[k / 64] >> (k % 64) & 1 == 1;
        }
        bits
    }

    /// Returns the bits of an output valuation, by circuit output.
    pub(super) fn output_bits(&self, output: Output) -> Vec<bool> {
        let words = self.outputs.words(output);
        let outputs = 0..self.model.aig.outputs.len();
        outputs
            .map(|k| words[k / 64] >> (k % 64) & 1 == 1)
            .collect()
    }

    /// Whether an output valuation represents other output valuations, which the same side can give with the same next states.
    pub(super) fn stands_for_others(&self, outputs: &[bool]) -> bool {
        let mut shown = self.shown.iter();
        shown.any(|shown| shown.stand_for_others(outputs))
    }

    /// Returns the values of the circuit's inputs in an input valuation; other inputs are 0.
    pub(super) fn valuation_inputs(&self, valuation: Valuation) -> Vec<bool> {
        let mut inputs = vec![false; self.model.aig.inputs().len()];
        for (group, shift) in &self.valuation_groups {
            let class = group.class(valuation >> shift & ((1 << group.bits()) - 1));
            for (&input, &one) in group.inputs.iter().zip(class) {
                inputs[input] = one;
            }
        }
        inputs
    }

    /// Returns the stimulus of this run of a side, with the least choice for each move.
    pub(super) fn stimulus(&self, side: Side, run: &Run) -> Stimulus {
        let nexts = run.moves.iter().map(|(_, step)| step.next);
        let states = std::iter::once(run.start).chain(nexts);
        let states: Vec<&[u64]> = states
            .take(run.moves.len())
            .map(|state| self.states.words(state))
            .collect();
        let evaluator = &self.evaluators[side as usize];
        let plans = evaluator.plans(states.iter().copied());
        let steps = run.moves.iter().zip(states.iter().zip(&plans));
        let steps = steps.map(|(&(valuation, step), (&state, plan))| {
            let mut inputs = self.valuation_inputs(valuation);
            let chosen = self.choice(side, state, plan, valuation, step);
            for chosen in chosen.unwrap_or_default() {
                inputs[chosen] = true;
            }
            inputs
        });
        Stimulus {
            initial: self.state_bits(run.start).into(),
            steps: steps.collect(),
        }
    }

    /// Returns the circuit inputs that are 1 in the least choice with which the state makes this move; `None` if there is none.
    fn choice(
        &self,
        side: Side,
        state: &[u64],
        plan: &Plan,
        valuation: Valuation,
        wanted: Move,
    ) -> Option<Vec<usize>> {
        let (output, next) = (
            self.outputs.words(wanted.output),
            self.states.words(wanted.next),
        );
        let mut found: Option<usize> = None;
        let evaluator = &self.evaluators[side as usize];
        let enumerated = evaluator.enumerated();
        let valuation = enumerated.valuation(plan, enumerated.assigned(plan, valuation));
        let mut look_at = |step: RawStep<'_>| {
            if step.valuation == valuation
                && step.outputs == output
                && step.next == next
                && found.is_none_or(|found| step.assignment < found)
            {
                found = Some(step.assignment);
            }
        };
        if evaluator.is_sparse(plan) {
            let start = Start {
                plan,
                state,
                valuation: Some(valuation),
            };
            let Ok(_) = evaluator.existing(&[start], |_| Ok::<_, Infallible>(()), look_at);
        } else {
            evaluator.steps([(plan, state)], &mut look_at);
        }
        found.map(|assignment| enumerated.chosen(plan, assignment))
    }
}

/// A run of one side, as a list of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) start: State,
    /// The moves in order, each with the input valuation under which it is made.
    pub(super) moves: Vec<(Valuation, Move)>,
}

/// A table of sets of moves, numbered.
#[derive(Debug)]
struct Rows {
    contents: Vec<Move>,
    bounds: Vec<usize>,
    numbers: FxHashMap<Box<[Move]>, Row>,
}

impl Rows {
    fn new() -> Rows {
        let mut rows = Rows {
            contents: Vec::new(),
            bounds: vec![0],
            numbers: FxHashMap::default(),
        };
        let refused = rows.number(&mut Vec::new());
        debug_assert_eq!(refused, REFUSED);
        rows
    }

    /// Returns the number of the set of these moves, which may be unordered and repeated. Empties `moves`.
    fn number(&mut self, moves: &mut Vec<Move>) -> Row {
        moves.sort_unstable();
        moves.dedup();
        let number = match self.numbers.get(moves.as_slice()) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as Row;
                self.contents.extend_from_slice(moves);
                self.bounds.push(self.contents.len());
                self.numbers.insert(moves.as_slice().into(), number);
                number
            }
        };
        moves.clear();
        number
    }

    /// Returns the approximate memory in bytes, for the budget.
    fn bytes(&self) -> usize {
        2 * size_of_val(self.contents.as_slice()) + PER_ENTRY * self.numbers.len()
    }

    fn moves(&self, row: Row) -> &[Move] {
        let row = row as usize;
        &self.contents[self.bounds[row]..self.bounds[row + 1]]
    }
}

/// Returns the pairs of moves (mutant, model) with equal outputs; both lists must be sorted.
pub(super) fn agreeing<'m>(
    mutant: &'m [Move],
    model: &'m [Move],
) -> impl Iterator<Item = (Move, Move)> + 'm {
    mutant.iter().flat_map(move |&m| {
        let first = model.partition_point(|o| o.output < m.output);
        let same = model[first..]
            .iter()
            .take_while(move |o| o.output == m.output);
        same.map(move |&o| (m, o))
    })
}

/// Returns [`agreeing`] as a list of at most `most` pairs. Where both sides have many moves with equal outputs, it has the size of their
/// product.
///
/// # Errors
/// If the list is longer.
pub(super) fn listed_agreeing(
    mutant: &[Move],
    model: &[Move],
    most: usize,
) -> Result<Vec<(Move, Move)>, Limit> {
    let mut listed = Vec::new();
    for step in agreeing(mutant, model) {
        if listed.len() == most {
            return Err(Limit::Listing);
        }
        listed.push(step);
    }
    Ok(listed)
}
