//! The circuit of a plan: a step is an input, an output, or a part of a unit in which nothing is seen.

use std::collections::BTreeMap;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Init, InputRole, InputVar, Output, Selector, StateVar, TransitionSystem,
};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};
use hyperkill_uppaal::{INPUT, OUTPUT};

use crate::fault::{Fault, planted};

use super::boxes::{Boxes, Limit, Piece};
use super::plan::{Arrow, Holders, Plan};

/// The tester's value for no input, unless an input has this name.
const WAIT: &str = "wait";

/// The output after an accepted input, unless an output has this name.
const GIVEN: &str = "given";

/// The output after a refused input, unless an output has this name.
const REFUSED: &str = "refused";

/// The output while time passes, unless an output has this name.
const SILENT: &str = "silent";

/// The location after a refused input, unless a location has this name.
const ANYWHERE: &str = "anywhere";

/// The moment of a step at which clocks are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// The beginning of the step.
    Begin,
    /// All moments between beginning and end: no clock is at a whole unit.
    Between,
    /// The end of the step.
    End,
}

/// The parts of the circuit besides the plan: names, and the scale of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) name: &'a str,
    pub(super) inputs: &'a [String],
    pub(super) outputs: &'a [String],
    /// The number of parts of a unit.
    pub(super) ticks: u64,
}

/// Returns the circuit of a plan. `selectors` are the mutants: the automaton with the number n in the plan has the selector n - 1.
///
/// # Errors
/// If a term is malformed, which no automaton causes.
pub(super) fn system(
    plan: &Plan,
    frame: Frame<'_>,
    selectors: Vec<Selector>,
) -> Result<TransitionSystem, TermError> {
    let mut circuit = Circuit::new(plan, frame);
    let steps = circuit.arrows()?;
    let gives = circuit.gives()?;
    let may_wait = circuit.may_wait()?;
    let lost = circuit.lost(gives, &steps)?;
    let taken = circuit.taken(&steps, (gives, lost, may_wait))?;
    let output = circuit.output(&taken, (gives, lost))?;
    let states = circuit.states(&taken, lost)?;
    circuit.finish(output, states, selectors)
}

/// An edge with a condition: that it can be taken, or that it is taken.
type ArrowTerm<'a> = (&'a Arrow, TermId);

/// The conditions for the events of a step.
struct Taken<'a> {
    arrows: Vec<ArrowTerm<'a>>,
    /// For each output the condition that it is made.
    made: Vec<TermId>,
    /// The condition that time passes in the step.
    ticks: TermId,
}

struct Circuit<'a> {
    plan: &'a Plan,
    frame: Frame<'a>,
    pool: TermPool,
    inputs: Sort,
    outputs: Sort,
    locations: Sort,
    /// For each clock its sort, and the value above all constants, at which the clock stops.
    clocks: Vec<(Sort, u64)>,
    input: TermId,
    choice: TermId,
    rival: Option<(TermId, Sort)>,
    location: TermId,
    values: Vec<TermId>,
}

/// Returns the enumeration of `names` and `more`. Underscores are appended to a name of `more` that is in use.
fn with(names: &[String], more: &[&str]) -> Sort {
    let mut all = names.to_vec();
    for more in more {
        let mut more = (*more).to_owned();
        while all.contains(&more) {
            more.push('_');
        }
        all.push(more);
    }
    Sort::enumeration(all)
}

fn word(most: u64) -> Sort {
    Sort::Word {
        width: (u64::BITS - most.leading_zeros()).max(1),
        signed: false,
    }
}

impl<'a> Circuit<'a> {
    fn new(plan: &'a Plan, frame: Frame<'a>) -> Circuit<'a> {
        let mut pool = TermPool::new();
        let inputs = with(frame.inputs, &[WAIT]);
        let outputs = with(frame.outputs, &[GIVEN, REFUSED, SILENT]);
        let names = plan
            .locations
            .all()
            .iter()
            .map(|(name, number)| match number {
                1 => name.clone(),
                number => format!("{name} ({number})"),
            });
        let locations = with(&names.collect::<Vec<_>>(), &[ANYWHERE]);
        let clocks = plan.largest().into_iter().map(|largest| {
            let more = u64::from(!planted(Fault::ClocksStopEarly));
            let last = u64::try_from(largest).unwrap_or(0) * frame.ticks + more;
            (word(last), last)
        });
        let clocks: Vec<(Sort, u64)> = clocks.collect();
        let rivals = plan.arrows.keys().filter_map(|arrow| arrow.rival).max();
        let rival = rivals.map(|most| word(most as u64));
        let values = clocks.iter().enumerate();
        let values = values.map(|(number, (sort, _))| pool.state(number + 1, sort.clone()));
        Circuit {
            values: values.collect(),
            input: pool.input(0, inputs.clone()),
            choice: pool.input(1, outputs.clone()),
            rival: rival.map(|sort| (pool.input(2, sort.clone()), sort)),
            location: pool.state(0, locations.clone()),
            plan,
            frame,
            pool,
            inputs,
            outputs,
            locations,
            clocks,
        }
    }

    fn and(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.pool.binary(BinaryOp::And, a, b)
    }

    fn or(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.pool.binary(BinaryOp::Or, a, b)
    }

    fn all(&mut self, terms: impl IntoIterator<Item = TermId>) -> Result<TermId, TermError> {
        let all = self.pool.bool(true);
        terms
            .into_iter()
            .try_fold(all, |all, term| self.and(all, term))
    }

    fn any(&mut self, terms: impl IntoIterator<Item = TermId>) -> Result<TermId, TermError> {
        let any = self.pool.bool(false);
        terms
            .into_iter()
            .try_fold(any, |any, term| self.or(any, term))
    }

    fn is(&mut self, term: TermId, code: usize) -> Result<TermId, TermError> {
        let sort = self.pool.sort(term).clone();
        let constant = self.pool.constant(sort, code as u64);
        self.pool.binary(BinaryOp::Eq, term, constant)
    }

    fn is_at(&mut self, location: usize) -> Result<TermId, TermError> {
        self.is(self.location, location)
    }

    /// Returns the number of the location [`ANYWHERE`], which is entered after a refused input.
    fn anywhere(&self) -> usize {
        self.plan.locations.len()
    }

    /// Returns the condition that the active automaton is one of `holders`, given that it is in a location. Automata without the location
    /// are irrelevant.
    fn has(&mut self, holders: &Holders, location: usize) -> Result<TermId, TermError> {
        let plan = self.plan;
        let lacking: Vec<usize> = plan.present[location]
            .difference(holders)
            .copied()
            .collect();
        if lacking.is_empty() || planted(Fault::LackingIgnored) && !lacking.contains(&0) {
            return Ok(self.pool.bool(true));
        }
        if lacking.contains(&0) {
            let selectors: Vec<TermId> = holders
                .iter()
                .map(|number| self.pool.selector(number - 1))
                .collect();
            return self.any(selectors);
        }
        let mut none = Vec::new();
        for number in lacking {
            let selector = self.pool.selector(number - 1);
            none.push(self.pool.not(selector)?);
        }
        self.all(none)
    }

    /// Returns the condition that the value of a clock is below `parts` parts of a unit.
    fn is_below(&mut self, clock: usize, parts: i128) -> Result<TermId, TermError> {
        let (sort, last) = self.clocks[clock].clone();
        match u64::try_from(parts) {
            Err(_) | Ok(0) => Ok(self.pool.bool(false)),
            Ok(parts) if parts > last => Ok(self.pool.bool(true)),
            Ok(parts) => {
                let bound = self.pool.constant(sort, parts);
                self.pool.binary(BinaryOp::Lt, self.values[clock], bound)
            }
        }
    }

    /// Returns the condition that a clock is at most the constant of `to`, or below it if the limit is strict. `at` is the moment of the
    /// step at which the clock is compared.
    fn at_most(&mut self, clock: usize, to: Limit, at: At) -> Result<TermId, TermError> {
        let ticks = match planted(Fault::ConstantsInSteps) {
            true => 1,
            false => self.frame.ticks,
        };
        let parts = i128::from(to.constant) * i128::from(ticks);
        let more = i128::from(!to.is_strict);
        self.is_below(
            clock,
            match at {
                At::Begin => parts + more,
                At::Between => parts,
                At::End => parts + more - 1,
            },
        )
    }

    /// Returns the condition that a clock is at least the constant of `from`, or above it if the limit is strict. `at` is as for
    /// [`Circuit::at_most`].
    fn at_least(&mut self, clock: usize, from: Limit, at: At) -> Result<TermId, TermError> {
        let opposite = Limit {
            is_strict: !from.is_strict,
            ..from
        };
        let before = self.at_most(clock, opposite, at)?;
        self.pool.not(before)
    }

    fn piece(&mut self, piece: &Piece, at: At) -> Result<TermId, TermError> {
        let mut all = self.pool.bool(true);
        for range in piece {
            if let Some(from) = range.from {
                let from = self.at_least(range.clock, from, at)?;
                all = self.and(all, from)?;
            }
            if let Some(to) = range.to {
                let to = self.at_most(range.clock, to, at)?;
                all = self.and(all, to)?;
            }
        }
        Ok(all)
    }

    fn inside(&mut self, boxes: &Boxes, at: At) -> Result<TermId, TermError> {
        let mut any = self.pool.bool(false);
        for piece in &boxes.0 {
            let piece = self.piece(piece, at)?;
            any = self.or(any, piece)?;
        }
        Ok(any)
    }

    /// Returns every edge with the condition that it can be taken: the active automaton has it and is in its source, and it leads to a good
    /// state.
    fn arrows(&mut self) -> Result<Vec<ArrowTerm<'a>>, TermError> {
        let plan = self.plan;
        let mut steps = Vec::new();
        for (arrow, holders) in &plan.arrows {
            let at = self.is_at(arrow.source)?;
            let has = self.has(holders, arrow.source)?;
            let enabled = match planted(Fault::GuardsIgnored) {
                true => self.pool.bool(true),
                false => self.inside(&arrow.enabled, At::Begin)?,
            };
            steps.push((arrow, self.all([at, has, enabled])?));
        }
        self.one_of_each_action(steps)
    }

    /// Returns the edges with stronger conditions, so that one edge of each action is taken: a choice selects among enabled edges.
    fn one_of_each_action(
        &mut self,
        mut steps: Vec<ArrowTerm<'a>>,
    ) -> Result<Vec<ArrowTerm<'a>>, TermError> {
        let Some((mut rival, _)) = self.rival else {
            return Ok(steps);
        };
        if planted(Fault::FirstEdgeOnly) {
            let sort = self.pool.sort(rival).clone();
            rival = self.pool.constant(sort, 0);
        }
        let mut groups: BTreeMap<(usize, bool, &str), Vec<usize>> = BTreeMap::new();
        for (index, (arrow, _)) in steps.iter().enumerate() {
            if arrow.rival.is_some() {
                let group = (arrow.source, arrow.is_input, arrow.action.as_str());
                groups.entry(group).or_default().push(index);
            }
        }
        for group in groups.into_values() {
            let mut named = Vec::new();
            for index in &group {
                let (arrow, enabled) = steps[*index];
                let is_named = self.is(rival, arrow.rival.unwrap_or(0))?;
                named.push(self.and(is_named, enabled)?);
            }
            let some = self.any(named.iter().copied())?;
            let mut free = self.pool.not(some)?;
            for (index, is_named) in group.into_iter().zip(named) {
                let (arrow, enabled) = steps[index];
                let first = self.and(free, enabled)?;
                steps[index] = (arrow, self.or(is_named, first)?);
                let other = self.pool.not(enabled)?;
                free = self.and(free, other)?;
            }
        }
        Ok(steps)
    }

    /// Returns the condition that the tester gives an input.
    fn gives(&mut self) -> Result<TermId, TermError> {
        let waits = self.is(self.input, self.frame.inputs.len())?;
        self.pool.not(waits)
    }

    /// Returns the condition that time may pass: the active automaton stays in its good states during the step and at its end.
    fn may_wait(&mut self) -> Result<TermId, TermError> {
        let plan = self.plan;
        let mut may_wait = self.pool.bool(planted(Fault::WaitingUnchecked));
        for (location, sets) in plan.good.iter().enumerate() {
            let at = self.is_at(location)?;
            for (good, holders) in sets.iter().filter(|(good, _)| !good.is_empty()) {
                let has =
                    match planted(Fault::GoodSetsOfModel) && plan.present[location].contains(&0) {
                        true => self.pool.bool(holders.contains(&0)),
                        false => self.has(holders, location)?,
                    };
                let between = self.inside(good, At::Between)?;
                let end = self.inside(good, At::End)?;
                let here = self.all([at, has, between, end])?;
                may_wait = self.or(may_wait, here)?;
            }
        }
        Ok(may_wait)
    }

    /// Returns the condition that an input was refused in this step or before it.
    fn lost(&mut self, gives: TermId, steps: &[ArrowTerm<'_>]) -> Result<TermId, TermError> {
        let mut accepted = self.pool.bool(false);
        for (arrow, can) in steps.iter().filter(|(arrow, _)| arrow.is_input) {
            let is_given = self.is_given(&arrow.action)?;
            let taken = self.and(is_given, *can)?;
            accepted = self.or(accepted, taken)?;
        }
        let other = self.pool.not(accepted)?;
        let refused = self.and(gives, other)?;
        if planted(Fault::RefusalsForgotten) {
            return Ok(refused);
        }
        let before = self.is_at(self.anywhere())?;
        self.or(before, refused)
    }

    fn is_given(&mut self, action: &str) -> Result<TermId, TermError> {
        let inputs = self.frame.inputs;
        match inputs.iter().position(|input| input == action) {
            Some(code) => self.is(self.input, code),
            None => Ok(self.pool.bool(false)),
        }
    }

    /// Returns the events of a step: the chosen output occurs if it is enabled; otherwise time passes, or, if it cannot pass, the first
    /// enabled output occurs. `gives`, `lost` and `may_wait` are the conditions that an input is given, was refused, and that time may
    /// pass.
    fn taken(
        &mut self,
        steps: &[ArrowTerm<'a>],
        (gives, lost, may_wait): (TermId, TermId, TermId),
    ) -> Result<Taken<'a>, TermError> {
        let waits = self.pool.not(gives)?;
        let going = self.pool.not(lost)?;
        let waits = self.and(waits, going)?;
        let outputs = self.frame.outputs;
        let (mut can, mut chosen) = (Vec::new(), Vec::new());
        for (code, output) in outputs.iter().enumerate() {
            let own = steps
                .iter()
                .filter(|(arrow, _)| !arrow.is_input && arrow.action == *output);
            let own: Vec<TermId> = own.map(|(_, can)| *can).collect();
            let able = self.any(own)?;
            let is_chosen = self.is(self.choice, code)?;
            chosen.push(self.and(able, is_chosen)?);
            can.push(able);
        }
        let some = self.any(chosen.iter().copied())?;
        let none = self.pool.not(some)?;
        let ticks = match planted(Fault::OutputsTakeTime) {
            true => waits,
            false => self.all([waits, none, may_wait])?,
        };
        let stuck = self.pool.not(may_wait)?;
        let mut must = match planted(Fault::NothingForced) {
            true => self.pool.bool(false),
            false => self.and(none, stuck)?,
        };
        let mut made = Vec::new();
        for (able, is_chosen) in can.into_iter().zip(chosen) {
            let first = self.and(must, able)?;
            let either = self.or(is_chosen, first)?;
            made.push(self.and(waits, either)?);
            let other = self.pool.not(able)?;
            must = self.and(must, other)?;
        }
        let mut arrows = Vec::new();
        for (arrow, can) in steps {
            let happens = match arrow.is_input {
                true => self.is_given(&arrow.action)?,
                false => match outputs.iter().position(|output| *output == arrow.action) {
                    Some(code) => made[code],
                    None => self.pool.bool(false),
                },
            };
            arrows.push((*arrow, self.and(happens, *can)?));
        }
        Ok(Taken {
            arrows,
            made,
            ticks,
        })
    }

    fn seen(&mut self, code: usize) -> TermId {
        self.pool.constant(self.outputs.clone(), code as u64)
    }

    fn output(
        &mut self,
        taken: &Taken<'_>,
        (gives, lost): (TermId, TermId),
    ) -> Result<TermId, TermError> {
        let count = self.frame.outputs.len();
        let (given, silent) = (self.seen(count), self.seen(count + 2));
        let mut output = self.pool.ite(gives, given, silent)?;
        for (code, is_made) in taken.made.iter().enumerate() {
            let seen = self.seen(code);
            output = self.pool.ite(*is_made, seen, output)?;
        }
        let shown = match planted(Fault::RefusalsShown) {
            true => self.seen(count + 1),
            false => self.choice,
        };
        self.pool.ite(lost, shown, output)
    }

    /// Returns the next location, followed by the next values of clocks.
    fn states(&mut self, taken: &Taken<'_>, lost: TermId) -> Result<Vec<TermId>, TermError> {
        let mut next = vec![self.location];
        for (clock, (sort, last)) in self.clocks.clone().into_iter().enumerate() {
            let value = self.values[clock];
            let one = self.pool.constant(sort, 1);
            let later = self.pool.binary(BinaryOp::Add, value, one)?;
            let goes = self.is_below(clock, i128::from(last))?;
            let goes = self.and(taken.ticks, goes)?;
            next.push(self.pool.ite(goes, later, value)?);
        }
        for (arrow, is_taken) in &taken.arrows {
            let target = self
                .pool
                .constant(self.locations.clone(), arrow.target as u64);
            next[0] = self.pool.ite(*is_taken, target, next[0])?;
            let updates = arrow
                .updates
                .iter()
                .filter(|_| !planted(Fault::UpdatesIgnored));
            for (clock, value) in updates {
                let (sort, _) = &self.clocks[*clock];
                let parts = u64::try_from(*value).unwrap_or(0) * self.frame.ticks;
                let set = self.pool.constant(sort.clone(), parts);
                next[clock + 1] = self.pool.ite(*is_taken, set, next[clock + 1])?;
            }
        }
        if planted(Fault::RefusalsForgotten) {
            return Ok(next);
        }
        // There is one state in which anything may be shown.
        let anywhere = self.anywhere() as u64;
        let anywhere = self.pool.constant(self.locations.clone(), anywhere);
        next[0] = self.pool.ite(lost, anywhere, next[0])?;
        for (clock, (sort, _)) in self.clocks.clone().into_iter().enumerate() {
            let zero = self.pool.constant(sort, 0);
            next[clock + 1] = self.pool.ite(lost, zero, next[clock + 1])?;
        }
        Ok(next)
    }

    /// Returns the initial location of the active automaton.
    fn start(&mut self) -> Result<TermId, TermError> {
        let plan = self.plan;
        let of = |location: usize| location as u64;
        let own = plan
            .initial
            .iter()
            .find(|(_, holders)| holders.contains(&0));
        let own = own.map_or(0, |(location, _)| *location);
        let mut start = self.pool.constant(self.locations.clone(), of(own));
        for (location, holders) in plan
            .initial
            .iter()
            .filter(|(location, _)| **location != own)
        {
            let target = self.pool.constant(self.locations.clone(), of(*location));
            for number in holders {
                let selector = self.pool.selector(number - 1);
                start = self.pool.ite(selector, target, start)?;
            }
        }
        Ok(start)
    }

    fn finish(
        mut self,
        output: TermId,
        next: Vec<TermId>,
        selectors: Vec<Selector>,
    ) -> Result<TransitionSystem, TermError> {
        let start = self.start()?;
        let input = |name: &str, sort: &Sort, role: InputRole| InputVar {
            name: name.to_owned(),
            sort: sort.clone(),
            role,
        };
        let mut inputs = vec![
            input(INPUT, &self.inputs, InputRole::Test),
            input("choice", &self.outputs, InputRole::Choice),
        ];
        if let Some((_, sort)) = &self.rival {
            inputs.push(input("edge", sort, InputRole::Choice));
        }
        let mut states = vec![StateVar {
            name: "location".to_owned(),
            sort: self.locations.clone(),
            init: Init::Term(start),
            next: next[0],
        }];
        for (clock, name) in self.plan.clocks.all().iter().enumerate() {
            let (sort, _) = self.clocks[clock].clone();
            let zero = self.pool.constant(sort.clone(), 0);
            states.push(StateVar {
                name: format!("clock.{name}"),
                sort,
                init: Init::Term(zero),
                next: next[clock + 1],
            });
        }
        Ok(TransitionSystem {
            name: self.frame.name.to_owned(),
            inputs,
            states,
            outputs: vec![Output {
                name: OUTPUT.to_owned(),
                term: output,
            }],
            selectors,
            terms: self.pool,
            ..TransitionSystem::default()
        })
    }
}
