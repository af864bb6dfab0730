//! One process as a timed automaton: a location for each location and values of data that may be reached.

use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Location, Relation};
use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashMap;

use crate::check::Facts;
use crate::conditions::never;
use crate::differences;
use crate::machine::{Binding, Eval, Machine};
use crate::priorities;
use crate::process::{UnderTest, under_test};
use crate::syntax::{self, Model};
use crate::values::{Type, Value};

/// The name of the internal action of edges without a synchronisation label.
pub const TAU: &str = "tau";
/// The number of locations of a process with its data, at most.
const MOST_LOCATIONS: usize = 200_000;
/// The number of edges of a process with its data, at most.
const MOST_EDGES: usize = 1_000_000;

/// Returns the automaton of the process under test, and its name.
///
/// # Errors
/// If a feature is not supported, or the evaluation of data fails.
pub fn unfold(
    model: &Model,
    facts: &Facts,
    wanted: Option<&str>,
) -> Result<(String, Automaton), Diagnostic> {
    let mut process = under_test(model, facts, wanted)?;
    agreed(&process, model)?;
    let name = process.name.clone();
    let declared = declared(&mut process);
    let mut unfolding = Unfolding::new(process);
    unfolding.run()?;
    let at = unfolding.process.template.name.span;
    let mut automaton = unfolding.automaton;
    automaton.declared = declared;
    if priorities::has_some(model) {
        // The tester may give any input at any time, so only outputs have priority over other steps.
        let machine = &unfolding.process.machine;
        let edges = automaton.edges.iter();
        let edges = edges.map(|edge| (machine.priorities.of(named(&edge.action)), 0));
        let priorities: Vec<priorities::Priority> = edges.collect();
        priorities::apply(
            &mut automaton,
            &priorities,
            |edge| !edge.action.is_input,
            at,
        )?;
    }
    let mut automaton = differences::split(automaton, &unfolding.process.machine.pairs, at)?;
    drop_unused_clocks(&mut automaton);
    tell_apart(&mut automaton.clocks);
    Ok((name, automaton))
}

/// Returns the channel of an action; `None` for an internal action.
fn named(action: &Action) -> Option<&str> {
    (action.name != TAU).then_some(action.name.as_str())
}

/// Whether a channel was declared for transitions that mutants add. `IO` does not list such channels.
fn is_added(model: &Model, name: &str) -> bool {
    let mut declared = model.declarations.iter().map_while(|first| match first {
        syntax::Declaration::Variable(variable) => Some(variable.name.text.as_str()),
        _ => None,
    });
    // New channels precede all other declarations.
    let mut added = declared
        .by_ref()
        .take_while(|name| crate::mutate::is_new_channel(name));
    added.any(|added| added == name)
}

/// Checks that the attribute `controllable` and the `IO` line agree with the synchronisation labels.
pub(crate) fn agreed(process: &UnderTest<'_>, model: &Model) -> Result<(), Diagnostic> {
    for edge in &process.template.edges {
        let is_input = edge.sync.as_ref().is_some_and(|sync| sync.is_input);
        if let Some((controllable, span)) = edge.controllable
            && controllable != is_input
        {
            let message = match is_input {
                true => "an edge with an input is the tester's, so it is controllable",
                false => "an edge without an input is the system's, so it is not controllable",
            };
            return Err(Diagnostic::error(span, message));
        }
        let (Some(sync), Some(io)) = (&edge.sync, process.io) else {
            continue;
        };
        let name = crate::typing::root(&sync.channel).unwrap_or_default();
        // An `IO` line names a parameter by the channel bound to it.
        let parameters = &process.template.parameters;
        if parameters.iter().any(|own| own.name.text == name) {
            continue;
        }
        let listed = io.iter().filter(|(listed, _)| listed.text == name);
        let directions: Vec<bool> = listed.map(|(_, is_input)| *is_input).collect();
        let message = match directions.contains(&is_input) {
            true => continue,
            false if is_added(model, name) => continue,
            false if directions.is_empty() => format!("`IO` does not say what `{name}` is"),
            false => format!("`IO` says otherwise of `{name}`"),
        };
        return Err(Diagnostic::error(sync.channel.span, message));
    }
    Ok(())
}

/// Returns the actions that the process knows independent of reachability: those of the `IO` line, and the channels in its labels. An
/// element of an array depends on data, so it is known by its edges alone.
fn declared(process: &mut UnderTest<'_>) -> Vec<Action> {
    let mut known: Vec<Action> = (process.io.into_iter().flatten())
        .map(|(name, is_input)| Action {
            name: name.text.clone(),
            is_input: *is_input,
        })
        .collect();
    for edge in &process.template.edges {
        let Some(sync) = &edge.sync else { continue };
        if !matches!(sync.channel.node, syntax::Node::Name(_)) {
            continue;
        }
        let Ok((name, _)) = process.machine.channel(&sync.channel) else {
            continue;
        };
        let is_input = sync.is_input;
        if !known
            .iter()
            .any(|own| (&own.name, own.is_input) == (&name, is_input))
        {
            known.push(Action { name, is_input });
        }
    }
    known
}

type State = (usize, Vec<Value>);

struct Unfolding<'a> {
    process: UnderTest<'a>,
    automaton: Automaton,
    number_of: FxHashMap<State, usize>,
    states: Vec<State>,
    /// The clock that is 0 where time stops, if there is such a place.
    stopped: Option<usize>,
}

impl<'a> Unfolding<'a> {
    fn new(process: UnderTest<'a>) -> Unfolding<'a> {
        let template = process.template;
        let is_urgent_channel = |edge: &syntax::Edge| {
            let sync = edge.sync.as_ref().filter(|sync| !sync.is_input);
            let name = sync.and_then(|sync| crate::typing::root(&sync.channel));
            name.is_some_and(|name| match process.machine.find(name) {
                Some(Binding::Channel(_, of)) => of.is_urgent(),
                _ => false,
            })
        };
        let stops = template.locations.iter().any(|location| location.is_urgent)
            || template.edges.iter().any(is_urgent_channel);
        let mut clocks = process.machine.clocks.clone();
        let stopped = stops.then_some(clocks.len());
        clocks.extend(stopped.map(|_| "urgent".to_owned()));
        Unfolding {
            automaton: Automaton {
                clocks,
                ..Automaton::default()
            },
            number_of: FxHashMap::default(),
            states: Vec::new(),
            stopped,
            process,
        }
    }

    fn run(&mut self) -> Eval<()> {
        let start = (
            self.process.template.initial,
            self.process.machine.store.clone(),
        );
        self.number(start)?;
        let mut next = 0;
        while next < self.states.len() {
            self.leave(next)?;
            next += 1;
        }
        self.names();
        Ok(())
    }

    fn number(&mut self, state: State) -> Eval<usize> {
        if let Some(&number) = self.number_of.get(&state) {
            return Ok(number);
        }
        let template = self.process.template;
        let location = &template.locations[state.0];
        if self.states.len() >= MOST_LOCATIONS {
            let message =
                format!("data and locations have more than {MOST_LOCATIONS} values together");
            return Err(Diagnostic::error(location.span, message));
        }
        self.process.machine.store.clone_from(&state.1);
        let mut invariant = self.process.machine.invariant(location)?;
        if invariant == [never()] && self.automaton.clocks.is_empty() {
            self.automaton.clocks.push("time".to_owned());
        }
        if let Some(clock) = self.stopped
            && (location.is_urgent || self.is_in_a_hurry(state.0)?)
        {
            invariant.push(Atom {
                clock,
                relation: Relation::AtMost,
                constant: 0,
            });
        }
        let number = self.states.len();
        self.automaton.locations.push(Location {
            name: location.name.clone(),
            invariant,
        });
        self.number_of.insert(state.clone(), number);
        self.states.push(state);
        Ok(number)
    }

    /// Whether an output on an urgent channel, which has no guard on clocks, is possible in a location.
    fn is_in_a_hurry(&mut self, location: usize) -> Eval<bool> {
        let template = self.process.template;
        for edge in template.edges.iter().filter(|edge| edge.source == location) {
            let Some(sync) = edge.sync.as_ref().filter(|sync| !sync.is_input) else {
                continue;
            };
            for selected in selections(&mut self.process.machine, edge)? {
                let machine = &mut self.process.machine;
                machine.enter();
                bind(machine, edge, &selected);
                let of = machine.channel(&sync.channel).map(|(_, of)| of);
                let guard = machine.all(&edge.guard);
                machine.leave();
                if !of?.is_urgent() {
                    continue;
                }
                let guard = guard?;
                if guard.iter().any(|alternative| !alternative.is_empty()) {
                    let message = "an edge on an urgent channel has no guard on clocks";
                    return Err(Diagnostic::error(edge.span, message));
                }
                if !guard.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Adds all edges that leave the state `number`, which is a location with its data.
    fn leave(&mut self, number: usize) -> Eval<()> {
        let (location, data) = self.states[number].clone();
        let template = self.process.template;
        for edge in template.edges.iter().filter(|edge| edge.source == location) {
            self.process.machine.store.clone_from(&data);
            for selected in selections(&mut self.process.machine, edge)? {
                self.process.machine.store.clone_from(&data);
                self.process.machine.enter();
                bind(&mut self.process.machine, edge, &selected);
                let taken = self.take(number, edge);
                self.process.machine.leave();
                taken?;
            }
        }
        Ok(())
    }

    fn take(&mut self, number: usize, edge: &syntax::Edge) -> Eval<()> {
        let machine = &mut self.process.machine;
        let guards = machine.all(&edge.guard)?;
        if guards.is_empty() {
            return Ok(());
        }
        let action = match &edge.sync {
            None => Action {
                name: TAU.to_owned(),
                is_input: false,
            },
            Some(sync) => Action {
                name: machine.channel(&sync.channel)?.0,
                is_input: sync.is_input,
            },
        };
        machine.resets.clear();
        let kept = machine.store.len();
        for step in &edge.update {
            machine.value(step)?;
        }
        machine.store.truncate(kept);
        let mut updates = std::mem::take(&mut machine.resets);
        let after = machine.store.clone();
        let target = self.number((edge.target, after))?;
        if let Some(clock) = self.stopped {
            updates.push((clock, 0));
        }
        updates.sort_unstable();
        for guard in guards {
            if self.automaton.edges.len() >= MOST_EDGES {
                return Err(Diagnostic::error(
                    edge.span,
                    "the process has too many edges",
                ));
            }
            self.automaton.edges.push(Edge {
                source: number,
                target,
                action: action.clone(),
                guard,
                updates: updates.clone(),
            });
        }
        Ok(())
    }

    /// Adds the values of data that change to the names of locations.
    fn names(&mut self) {
        let data = self.states.iter().map(|(_, data)| data.as_slice());
        let shown = shown_data(&data.collect::<Vec<_>>(), &self.process.machine.variables);
        for (location, shown) in self.automaton.locations.iter_mut().zip(shown) {
            if !shown.is_empty() {
                location.name = format!("{}[{shown}]", location.name);
            }
        }
    }
}

/// Returns for each state the text of the variables whose values are not the same in all states.
pub(crate) fn shown_data(states: &[&[Value]], names: &[String]) -> Vec<String> {
    let Some(first) = states.first() else {
        return Vec::new();
    };
    let changes = |slot: &usize| {
        let mut states = states.iter();
        states.any(|data| data.get(*slot) != first.get(*slot))
    };
    let changing: Vec<(usize, &String)> = (names.iter().enumerate())
        .filter(|(slot, _)| changes(slot))
        .collect();
    let texts = states.iter().map(|data| {
        let values = changing
            .iter()
            .filter_map(|(slot, name)| Some(format!("{name}={}", data.get(*slot)?.text())));
        values.collect::<Vec<String>>().join(",")
    });
    texts.collect()
}

/// Returns all combinations of values of an edge's `select`.
pub(crate) fn selections(machine: &mut Machine, edge: &syntax::Edge) -> Eval<Vec<Vec<i64>>> {
    let mut all = vec![Vec::new()];
    for (name, of) in &edge.select {
        let of = machine.of_type(of)?;
        let (from, to) = of.range().unwrap_or((0, -1));
        let mut longer = Vec::new();
        for values in &all {
            for number in from..=to {
                let mut values: Vec<i64> = Vec::clone(values);
                values.push(number);
                longer.push(values);
                if longer.len() > MOST_EDGES {
                    return Err(Diagnostic::error(
                        name.span,
                        "there are too many values here",
                    ));
                }
            }
        }
        all = longer;
    }
    Ok(all)
}

pub(crate) fn bind(machine: &mut Machine, edge: &syntax::Edge, selected: &[i64]) {
    for ((name, _), value) in edge.select.iter().zip(selected) {
        let of = Type::Int(*value, *value);
        machine.bind(&name.text, Binding::Constant(Value::Int(*value), of));
    }
}

/// Appends numbers to clock names that are not unique, since evidence refers to clocks by name.
pub(crate) fn tell_apart(clocks: &mut [String]) {
    for at in 1..clocks.len() {
        let (before, rest) = clocks.split_at_mut(at);
        let Some(clock) = rest.first_mut() else {
            continue;
        };
        let name = clock.clone();
        let mut number = 1;
        while before.contains(clock) {
            number += 1;
            *clock = format!("{name}#{number}");
        }
    }
}

/// Removes the clocks that no guard or invariant compares, since they make no difference.
pub(crate) fn drop_unused_clocks(automaton: &mut Automaton) {
    let mut used = vec![false; automaton.clocks.len()];
    let locations = 0..automaton.locations.len();
    let invariants = locations.flat_map(|location| automaton.invariant(location));
    let guards = automaton.edges.iter().flat_map(|edge| &edge.guard);
    for atom in invariants.chain(guards) {
        used[atom.clock] = true;
    }
    let mut number = 0;
    let new: Vec<Option<usize>> = (used.iter())
        .map(|used| {
            number += usize::from(*used);
            used.then(|| number - 1)
        })
        .collect();
    let renamed = |clock: usize| new[clock].unwrap_or(0);
    let waits = automaton.tester.waits.iter_mut().flatten();
    let locations = automaton.locations.iter_mut();
    let invariants = locations.flat_map(|location| &mut location.invariant);
    for atom in invariants.chain(waits) {
        atom.clock = renamed(atom.clock);
    }
    for edge in &mut automaton.edges {
        for atom in &mut edge.guard {
            atom.clock = renamed(atom.clock);
        }
        edge.updates.retain(|(clock, _)| new[*clock].is_some());
        for (clock, _) in &mut edge.updates {
            *clock = renamed(*clock);
        }
    }
    let mut used = used.into_iter();
    automaton.clocks.retain(|_| used.next().unwrap_or(false));
}
