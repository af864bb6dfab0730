//! An interpreter of systems: enumerates all steps of a state, value by value. It shares only the tree with [`crate::lower`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_core::sort::Value;

use crate::model::{Model, Reference};
use crate::mutate::{Change, Site};
use crate::tree::{BinaryOp, Block, Domain, ExprId, ExprKind, Leaving, StmtId, StmtKind, UnaryOp};

pub use crate::state::State;

/// An event with the values of its parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// The index among the events of the model.
    pub event: usize,
    /// The values of the event's parameters.
    pub values: Vec<Value>,
}

/// Returns the initial state.
#[must_use]
pub fn initial(model: &Model<'_>) -> State {
    let variables = model.system.variables.iter();
    let values = variables.map(|v| v.initial.0.clone());
    let ports = (0..model.ports.len()).map(|port| model.idle(port));
    values.chain(ports).collect()
}

/// Returns the state with its variables unchanged and all output ports at their idle values, as after a step without an event.
#[must_use]
pub fn idle(model: &Model<'_>, state: &State) -> State {
    let mut idle = state.first(model.system.variables.len());
    idle.extend((0..model.ports.len()).map(|port| model.idle(port)));
    idle
}

/// Returns the states after an event with these values. Empty if the event is disabled.
#[must_use]
pub fn after(model: &Model<'_>, state: &State, offer: &Occurrence) -> BTreeSet<State> {
    match Offers::new(model, state, usize::MAX).has(offer) {
        true => ran_through(model, state, offer),
        false => BTreeSet::new(),
    }
}

/// Whether an event with these values leads, on some path, to a value outside of the range of its variable.
#[must_use]
pub fn leaves(model: &Model<'_>, state: &State, offer: &Occurrence) -> bool {
    let action = model.action(offer.event);
    let machine = Machine::new(model, &offer.values, None);
    if !Offers::new(model, state, usize::MAX).has(offer)
        || action
            .guard
            .is_some_and(|guard| !machine.holds(guard, state))
    {
        return false;
    }
    machine.run(action.body, &idle(model, state));
    !machine.left.into_inner().is_empty()
}

/// Returns all occurrences of an event, by the domains of its parameters. There may be very many.
pub fn occurrences(model: &Model<'_>, event: usize) -> impl Iterator<Item = Occurrence> + use<> {
    let domains = model.events[event].parameters.clone();
    valuations(domains).map(move |values| Occurrence { event, values })
}

/// Returns all steps of a state: the occurrences with their successors.
#[must_use]
pub fn steps(model: &Model<'_>, state: &State) -> Vec<(Occurrence, State)> {
    let offers = (0..model.events.len()).flat_map(|event| occurrences(model, event));
    let mut steps = Vec::new();
    for offer in offers {
        for next in after(model, state, &offer) {
            steps.push((offer.clone(), next));
        }
    }
    steps
}

fn valuations(domains: Vec<Domain>) -> impl Iterator<Item = Vec<Value>> {
    let sizes: Vec<u64> = domains.iter().map(|d| d.sort().cardinality()).collect();
    let count: u64 = sizes.iter().product();
    (0..count).map(move |mut index| {
        let mut values = Vec::new();
        for (domain, size) in domains.iter().zip(&sizes) {
            values.push(domain.sort().value_of_code(index % size));
            index /= size;
        }
        values
    })
}

/// The offers of the loop in a state, with the blocks that are known to be enabled.
struct Offers<'m> {
    model: &'m Model<'m>,
    state: &'m State,
    /// For each prioritised part the first of its blocks with an enabled action, as far as blocks were tried.
    acting: RefCell<BTreeMap<usize, (usize, Option<usize>)>>,
    /// The number of actions that may still be run to find enabled blocks.
    left: Cell<usize>,
}

impl<'m> Offers<'m> {
    fn new(model: &'m Model<'m>, state: &'m State, most: usize) -> Offers<'m> {
        Offers {
            model,
            state,
            acting: RefCell::default(),
            left: Cell::new(most),
        }
    }

    /// Whether some part of the loop offers this occurrence, independent of the action's own guard.
    fn has(&self, wanted: &Occurrence) -> bool {
        let mut ways = self.model.index.ways[wanted.event].iter();
        ways.any(|way| {
            let mut values = way.offer.parameters.iter().zip(&wanted.values);
            values.all(|(domain, value)| domain.contains(value))
                && way.behind.iter().all(|place| !self.acts_before(*place))
        })
    }

    /// Whether an earlier block of a prioritised part has an enabled action.
    fn acts_before(&self, (node, place): (usize, usize)) -> bool {
        let known = self.acting.borrow().get(&node).copied();
        let (asked, first) = known.unwrap_or_default();
        if first.is_some() || asked >= place {
            return first.is_some_and(|first| first < place);
        }
        let blocks = self.model.index.priorities[node];
        let first = (asked..place).find(|index| self.can_act(&blocks[*index]));
        self.acting.borrow_mut().insert(node, (place, first));
        first.is_some()
    }

    /// Whether a block has an enabled action.
    fn can_act(&self, block: &Block) -> bool {
        block.offers().into_iter().any(|offer| {
            let Some(event) = self.model.index.event(&offer.action.text) else {
                return false;
            };
            valuations(offer.parameters.clone()).any(|values| {
                let Some(left) = self.left.get().checked_sub(1) else {
                    return true;
                };
                self.left.set(left);
                let occurrence = Occurrence { event, values };
                !ran_through(self.model, self.state, &occurrence).is_empty()
            })
        })
    }
}

/// Returns the states after an enabled action.
fn ran_through(model: &Model<'_>, state: &State, offer: &Occurrence) -> BTreeSet<State> {
    let action = model.action(offer.event);
    let machine = Machine::new(model, &offer.values, None);
    match action.guard.is_none_or(|guard| machine.holds(guard, state)) {
        true => machine.run(action.body, &idle(model, state)),
        false => BTreeSet::new(),
    }
}

/// The outcomes of a command.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ends {
    /// The states after the command, if it is enabled.
    pub states: BTreeSet<State>,
    /// Whether some path assigns a value outside of the range of its variable.
    pub leaves: bool,
}

/// Returns the outcomes of a part of an action, in the model or in a mutant. `values` are those of the action's parameters.
#[must_use]
pub fn part(
    model: &Model<'_>,
    command: StmtId,
    values: &[Value],
    state: &State,
    change: Option<(Site, Change)>,
) -> Ends {
    let machine = Machine::new(model, values, change);
    let states = machine.run(command, &idle(model, state));
    Ends {
        states,
        leaves: !machine.left.into_inner().is_empty(),
    }
}

/// Returns assignments and outputs that are impossible in some reachable state, each with the cell and a value outside its range. For
/// parameters with long ranges only values close to numbers of the text are tried. At most `runs` actions are run, and four times as many
/// to compute offers, so the result may be incomplete.
#[must_use]
pub fn leaving_ranges(model: &Model<'_>, runs: usize) -> BTreeMap<StmtId, (usize, Value)> {
    let offers: Vec<Occurrence> = (0..model.events.len())
        .flat_map(|event| likely_occurrences(model, event))
        .take(runs)
        .collect();
    let start = initial(model);
    let (mut seen, mut open) = (BTreeSet::from([start.clone()]), VecDeque::from([start]));
    let (mut left, mut done) = (BTreeMap::new(), 0);
    let mut most = 4 * runs;
    while let Some(state) = open.pop_front() {
        let offered = Offers::new(model, &state, most);
        for offer in &offers {
            done += 1;
            if done > runs {
                return left;
            }
            let is_made = offered.has(offer);
            if offered.left.get() == 0 {
                return left;
            }
            let action = model.action(offer.event);
            let machine = Machine::new(model, &offer.values, None);
            if !is_made
                || action
                    .guard
                    .is_some_and(|guard| !machine.holds(guard, &state))
            {
                continue;
            }
            for next in machine.run(action.body, &state) {
                let next = idle(model, &next);
                if seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
            for (command, value) in machine.left.into_inner() {
                left.entry(command).or_insert(value);
            }
        }
        most = offered.left.get();
    }
    left
}

/// The number of values of a parameter up to which all are tried.
const SHORT: u64 = 32;

/// Returns occurrences of an event with values close to the numbers of the text.
pub(crate) fn likely_occurrences(
    model: &Model<'_>,
    event: usize,
) -> impl Iterator<Item = Occurrence> + use<> {
    let domains = &model.events[event].parameters;
    let values = domains.iter().map(|domain| {
        let all = domain.sort();
        match domain {
            Domain::Range { low, high } if all.cardinality() > SHORT => {
                let mut likely = BTreeSet::from([*low, *high]);
                for value in &model.index.numbers {
                    likely.extend([value - 1, *value, value + 1]);
                    if likely.len() as u64 > SHORT {
                        break;
                    }
                }
                let inside = likely
                    .into_iter()
                    .filter(|value| (low..=high).contains(&value));
                inside.map(Value::Int).collect::<Vec<_>>()
            }
            _ => (0..all.cardinality())
                .map(|code| all.value_of_code(code))
                .collect(),
        }
    });
    let mut valuations: Vec<Vec<Value>> = vec![Vec::new()];
    for values in values {
        let longer = valuations.iter().flat_map(|before| {
            values.iter().map(move |value| {
                let mut valuation = before.clone();
                valuation.push(value.clone());
                valuation
            })
        });
        // The number of valuations of several parameters is limited.
        valuations = longer.take(4096).collect();
    }
    valuations
        .into_iter()
        .map(move |values| Occurrence { event, values })
}

/// The interpreter of one action, with the values of its parameters.
struct Machine<'m> {
    model: &'m Model<'m>,
    values: &'m [Value],
    /// The change, in a mutant.
    change: Option<(Site, Change)>,
    /// Impossible assignments and outputs, with the cell and the value.
    left: RefCell<BTreeMap<StmtId, (usize, Value)>>,
    /// The number of executions that reached such an assignment or output.
    leavings: Cell<usize>,
}

impl<'m> Machine<'m> {
    fn new(
        model: &'m Model<'m>,
        values: &'m [Value],
        change: Option<(Site, Change)>,
    ) -> Machine<'m> {
        Machine {
            model,
            values,
            change,
            left: RefCell::default(),
            leavings: Cell::default(),
        }
    }

    /// Records that a path ends with a value outside of the range of its cell.
    fn leave(&self, command: StmtId, cell: usize, value: Value) -> BTreeSet<State> {
        self.left.borrow_mut().insert(command, (cell, value));
        self.leavings.set(self.leavings.get() + 1);
        BTreeSet::new()
    }

    /// Returns the states after the first enabled part. If values outside of their ranges end runs, a part that leaves a range counts as
    /// enabled.
    fn first_of(&self, parts: impl Iterator<Item = StmtId>, state: &State) -> BTreeSet<State> {
        let ends_runs = self.model.system.leaving == Leaving::EndsRuns;
        for part in parts {
            let before = self.leavings.get();
            let ends = self.run(part, state);
            if !ends.is_empty() || ends_runs && self.leavings.get() > before {
                return ends;
            }
        }
        BTreeSet::new()
    }

    /// Returns the mutant's change at a site; `None` if the mutant does not change this site.
    fn changed(&self, site: Site) -> Option<Change> {
        let (changed, change) = self.change?;
        (changed == site).then_some(change)
    }

    fn run(&self, command: StmtId, state: &State) -> BTreeSet<State> {
        let system = self.model.system;
        let change = self.changed(Site::Stmt(command));
        match change {
            Some(Change::Skip) => return BTreeSet::from([state.clone()]),
            Some(Change::Never) => return BTreeSet::new(),
            _ => {}
        }
        let stays = |index: &usize| change != Some(Change::Drop(*index));
        match &system.stmts[command].kind {
            StmtKind::Skip => BTreeSet::from([state.clone()]),
            StmtKind::Assign { value, .. } => {
                let value = self.value(*value, state);
                let (Some(variable), Some(value)) = (self.model.target(command), value) else {
                    return BTreeSet::new();
                };
                if !self.model.contains(variable, &value) {
                    return self.leave(command, variable, value);
                }
                let mut next = state.clone();
                next[variable] = value;
                BTreeSet::from([next])
            }
            StmtKind::Guard { condition, body } => match self.holds(*condition, state) {
                true => self.run(*body, state),
                false => BTreeSet::new(),
            },
            StmtKind::Sequence(parts) => {
                let mut states = BTreeSet::from([state.clone()]);
                for part in parts {
                    states = states.iter().flat_map(|s| self.run(*part, s)).collect();
                }
                states
            }
            StmtKind::Choice(parts) => {
                let parts = (0..parts.len()).filter(stays).map(|index| parts[index]);
                parts.flat_map(|part| self.run(part, state)).collect()
            }
            StmtKind::Prioritised(parts) => {
                let parts = (0..parts.len()).filter(stays).map(|index| parts[index]);
                self.first_of(parts, state)
            }
            StmtKind::Located(_) => {
                let here = system.location.map(|location| &state[location]);
                let Some(Value::Symbol(here)) = here else {
                    return BTreeSet::new();
                };
                let branches = self.model.index.branches(command, here).iter();
                branches.flat_map(|part| self.run(*part, state)).collect()
            }
            StmtKind::Emit { values, .. } => {
                let cell = match change {
                    Some(Change::Output(other)) => Some(self.model.cell(other)),
                    _ => self.model.target(command),
                };
                self.emit(command, cell, values, state)
            }
            StmtKind::Move { target } => {
                let mut next = state.clone();
                if let Some(location) = system.location {
                    next[location] = match change {
                        Some(Change::Target(code)) => {
                            let sort = system.variables[location].domain.sort();
                            sort.value_of_code(code as u64)
                        }
                        _ => Value::Symbol(target.text.clone()),
                    };
                }
                BTreeSet::from([next])
            }
            StmtKind::Transition(transition) => {
                let mut next = state.clone();
                if let Some(cell) = self.model.transition() {
                    next[cell] = Value::Symbol(transition.name.clone());
                }
                self.run(transition.body, &next)
            }
        }
    }

    fn emit(
        &self,
        command: StmtId,
        cell: Option<usize>,
        values: &[ExprId],
        state: &State,
    ) -> BTreeSet<State> {
        let Some(cell) = cell else {
            return BTreeSet::new();
        };
        let mut next = state.clone();
        next[cell] = Value::bool(true);
        for (index, value) in values.iter().enumerate() {
            let port = cell + 1 + index;
            match self.value(*value, state) {
                Some(value) if self.model.contains(port, &value) => next[port] = value,
                Some(value) => return self.leave(command, port, value),
                None => return BTreeSet::new(),
            }
        }
        BTreeSet::from([next])
    }

    fn holds(&self, condition: ExprId, state: &State) -> bool {
        self.value(condition, state) == Some(Value::bool(true))
    }

    /// Returns the value of an expression; `None` beyond 64 bits, where no variable has values.
    fn value(&self, id: ExprId, state: &State) -> Option<Value> {
        let exprs = &self.model.system.exprs;
        let first = exprs.first(id).index();
        let mut values: Vec<Value> = Vec::new();
        for part in exprs.parts(id) {
            let of = |operand: ExprId| &values[operand.index() - first];
            let value = match &exprs[part].kind {
                ExprKind::Truth(value) => Some(Value::bool(*value)),
                ExprKind::Number(value) => Some(Value::Int(*value)),
                ExprKind::Name(name) => Some(match self.model.reference(part) {
                    Some(Reference::Symbol) | None => Value::Symbol(name.clone()),
                    Some(reference) => self.named(reference, state),
                }),
                ExprKind::Unary(op, a) => unary(*op, of(*a)),
                ExprKind::Binary(op, a, b) => binary(*op, of(*a), of(*b)),
            };
            let value = match (self.changed(Site::Expr(part)), &exprs[part].kind) {
                (None, _) => value,
                (Some(Change::Truth(value)), _) => Some(Value::bool(value)),
                (Some(Change::Number(value)), _) => Some(Value::Int(value)),
                (Some(Change::Name(reference)), _) => Some(self.named(reference, state)),
                (Some(Change::Operator(op)), ExprKind::Binary(_, a, b)) => {
                    binary(op, of(*a), of(*b))
                }
                (Some(Change::Not), _) => value.and_then(|value| unary(UnaryOp::Not, &value)),
                (Some(Change::Plus(more)), _) => {
                    value.and_then(|value| binary(BinaryOp::Add, &value, &Value::Int(more)))
                }
                (Some(Change::Operand(index)), ExprKind::Binary(_, a, b)) => {
                    Some(of(if index > 0 { *b } else { *a }).clone())
                }
                (Some(Change::Operand(_)), ExprKind::Unary(_, a)) => Some(of(*a).clone()),
                (Some(Change::Shift(inner)), _) => self.shifted(part, inner, &values, first),
                (Some(_), _) => value,
            };
            values.push(value?);
        }
        values.pop()
    }

    fn named(&self, reference: Reference, state: &State) -> Value {
        match reference {
            Reference::Variable(variable) => state[variable].clone(),
            Reference::Parameter(parameter) => self.values[parameter].clone(),
            Reference::Symbol => Value::bool(false),
        }
    }

    /// Returns the value of a chain `a & (b | c) & d` without the parentheses around `inner`: it is read as `a & b | c & d`. `values` has
    /// the values of its operands, from the expression with index `first` on.
    fn shifted(
        &self,
        chain: ExprId,
        inner: ExprId,
        values: &[Value],
        first: usize,
    ) -> Option<Value> {
        let exprs = &self.model.system.exprs;
        let of = |id: ExprId| values[id.index() - first].clone();
        let ((outer, before), (other, parts)) = (exprs.chain(chain), exprs.chain(inner));
        let place = before.iter().position(|operand| *operand == inner)?;
        let (outer, other) = (outer?, other?);
        let mut groups: Vec<Value> = parts.into_iter().map(of).collect();
        for operand in before[..place].iter().rev() {
            let first = groups.first_mut()?;
            *first = binary(outer, &of(*operand), first)?;
        }
        for operand in &before[place + 1..] {
            let last = groups.last_mut()?;
            *last = binary(outer, last, &of(*operand))?;
        }
        let mut groups = groups.into_iter();
        let first = groups.next()?;
        groups.try_fold(first, |all, group| binary(other, &all, &group))
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(n) => Some(*n),
        Value::Symbol(_) => None,
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Symbol(symbol) if symbol == "TRUE")
}

fn unary(op: UnaryOp, a: &Value) -> Option<Value> {
    match op {
        UnaryOp::Not => Some(Value::bool(!is_true(a))),
        UnaryOp::Minus => Some(Value::Int(number(a)?.checked_neg()?)),
    }
}

fn binary(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    let truth = is_true;
    Some(match op {
        BinaryOp::And => Value::bool(truth(a) && truth(b)),
        BinaryOp::Or => Value::bool(truth(a) || truth(b)),
        BinaryOp::Eq => Value::bool(a == b),
        BinaryOp::Ne => Value::bool(a != b),
        BinaryOp::Lt => Value::bool(number(a)? < number(b)?),
        BinaryOp::Le => Value::bool(number(a)? <= number(b)?),
        BinaryOp::Gt => Value::bool(number(a)? > number(b)?),
        BinaryOp::Ge => Value::bool(number(a)? >= number(b)?),
        BinaryOp::Add => Value::Int(number(a)?.checked_add(number(b)?)?),
        BinaryOp::Sub => Value::Int(number(a)?.checked_sub(number(b)?)?),
        BinaryOp::Mul => Value::Int(number(a)?.checked_mul(number(b)?)?),
    })
}
