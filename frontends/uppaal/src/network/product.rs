//! The product: a location for all locations of all processes with the values of data that may be reached.

use hyperkill_core::timed::{Action, Atom, Automaton, Edge, Location, Relation};
use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashMap;

use super::fault::{Fault, planted};
use super::offers::Offer;
use super::parties::Parties;
use super::steps::JointStep;
use crate::conditions::{Alternatives, both};
use crate::differences;
use crate::machine::Eval;
use crate::priorities::{self, Priority};
use crate::unfold::{bind, drop_unused_clocks, shown_data, tell_apart};
use crate::values::Value;

/// The number of locations of a network with its data, at most.
const MOST_LOCATIONS: usize = 50_000;
/// The number of edges of a network, at most.
const MOST_EDGES: usize = 500_000;

/// A location of the product: the locations of all processes, the data, and the effects of an input of the process under test that are not
/// visible yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    locations: Vec<usize>,
    data: Vec<Value>,
    unseen: Option<String>,
}

/// The effect of a step on clocks, and the changes that it makes visible.
struct Effect {
    after: Vec<Value>,
    /// The clocks that are set, with their values.
    resets: Vec<(usize, i64)>,
    /// The changes that the process under test makes visible to the others.
    changed: Vec<String>,
    /// Clocks of other processes that the process under test sets, with the values: a change is visible unless the clock already has the
    /// value.
    perhaps: Vec<(usize, i64)>,
}

struct Product<'a> {
    parties: Parties<'a>,
    automaton: Automaton,
    number_of: FxHashMap<State, usize>,
    states: Vec<State>,
    /// The offers of each state, until its steps are computed.
    offers: Vec<Vec<Offer<'a>>>,
    /// The clock that is 0 where time stops.
    stopped: usize,
    /// The priority of each edge.
    priorities: Vec<Priority>,
}

/// Returns the automaton of the process under test among the other processes.
pub(crate) fn product(parties: Parties<'_>) -> Result<Automaton, Diagnostic> {
    let mut clocks = parties.machine.clocks.clone();
    let stopped = clocks.len();
    clocks.push("urgent".to_owned());
    let mut product = Product {
        automaton: Automaton {
            clocks,
            is_in_order: true,
            ..Automaton::default()
        },
        number_of: FxHashMap::default(),
        states: Vec::new(),
        offers: Vec::new(),
        stopped,
        priorities: Vec::new(),
        parties,
    };
    let locations = product.parties.all.iter();
    let start = State {
        locations: locations.map(|party| party.template.initial).collect(),
        data: product.parties.machine.store.clone(),
        unseen: None,
    };
    product.number(start)?;
    let mut next = 0;
    while next < product.states.len() {
        product.leave(next)?;
        next += 1;
    }
    product.names();
    let mut automaton = product.automaton;
    let parties = &product.parties;
    let at = parties.all[parties.tested].template.name.span;
    if parties.have_priorities {
        priorities::apply(&mut automaton, &product.priorities, |_| true, at)?;
    }
    let mut automaton = differences::split(automaton, &parties.machine.pairs, at)?;
    drop_unused_clocks(&mut automaton);
    tell_apart(&mut automaton.clocks);
    Ok(automaton)
}

impl<'a> Product<'a> {
    fn number(&mut self, state: State) -> Eval<usize> {
        if let Some(&number) = self.number_of.get(&state) {
            return Ok(number);
        }
        let number = self.states.len();
        if number >= MOST_LOCATIONS {
            let message = format!(
                "locations and data of all processes have more than {MOST_LOCATIONS} values together"
            );
            let tested = self.parties.tested;
            let span = self.parties.all[tested].template.name.span;
            let help =
                "fewer processes or smaller data, or `--sut` without `--environment network`";
            return Err(Diagnostic::error(span, message).with_help(help));
        }
        let offers = match &state.unseen {
            None => self.parties.offers(&state.locations, &state.data)?,
            Some(_) => Vec::new(),
        };
        let (mut invariant, mut waits) = self.invariants(&state)?;
        if state.unseen.is_some() {
            // The process under test must make a pending effect visible at once, so invariants of the others count as its own.
            invariant.append(&mut waits);
        }
        let at_once = Atom {
            clock: self.stopped,
            relation: Relation::AtMost,
            constant: 0,
        };
        let [own, other] = self.stops(&state, &offers);
        match planted(Fault::OthersStopForTested) {
            true => invariant.extend((own || other).then_some(at_once)),
            false => {
                invariant.extend(own.then_some(at_once));
                waits.extend(other.then_some(at_once));
            }
        }
        let names = self.parties.all.iter().zip(&state.locations);
        let names = names.map(|(party, location)| &party.template.locations[*location].name);
        let mut name = names.map(String::as_str).collect::<Vec<_>>().join("|");
        if let Some(unseen) = &state.unseen {
            name = format!("{name} ({unseen})");
        }
        self.automaton.locations.push(Location { name, invariant });
        self.automaton.tester.waits.push(waits);
        self.offers.push(offers);
        self.number_of.insert(state.clone(), number);
        self.states.push(state);
        Ok(number)
    }

    /// Returns the invariant of the process under test in a state, and the invariants of the other processes.
    fn invariants(&mut self, state: &State) -> Eval<(Vec<Atom>, Vec<Atom>)> {
        self.parties.machine.store.clone_from(&state.data);
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for (party, location) in state.locations.iter().enumerate() {
            let location = &self.parties.all[party].template.locations[*location];
            let invariant = (self.parties).within(party, |machine| machine.invariant(location))?;
            match party == self.parties.tested || planted(Fault::InvariantsOwed) {
                true => own.extend(invariant),
                false => others.extend(invariant),
            }
        }
        Ok((own, others))
    }

    /// Returns whether the process under test stops time in a state, and whether another process does.
    fn stops(&self, state: &State, offers: &[Offer<'a>]) -> [bool; 2] {
        let tested = self.parties.tested;
        let at_once = state.unseen.is_some() && !planted(Fault::EffectsLate);
        let mut stops = [at_once, false];
        if state.unseen.is_some() {
            return stops;
        }
        for (party, location) in state.locations.iter().enumerate() {
            let location = &self.parties.all[party].template.locations[*location];
            stops[usize::from(party != tested)] |= location.is_urgent;
        }
        for offer in offers {
            let Some(port) = offer.sends().filter(|port| port.is_urgent) else {
                continue;
            };
            let mut receivers = offers.iter().filter(|other| other.party != offer.party);
            if planted(Fault::UrgentIgnored) {
                continue;
            }
            if port.is_broadcast || receivers.any(|other| other.receives(&port.channel)) {
                stops[usize::from(offer.party != tested)] = true;
            }
        }
        stops
    }

    /// Adds all edges that leave the state with this number.
    fn leave(&mut self, number: usize) -> Eval<()> {
        let state = self.states[number].clone();
        if let Some(unseen) = state.unseen.clone() {
            let target = self.number(State {
                unseen: None,
                ..state
            })?;
            let at = self.parties.all[self.parties.tested].template.name.span;
            return self.edge(
                at,
                number,
                target,
                (unseen, false),
                &[Vec::new()],
                (Vec::new(), (0, 0)),
            );
        }
        let offers = std::mem::take(&mut self.offers[number]);
        for step in self.parties.steps(&state.locations, &offers)? {
            let effect = self.effect(&state, &step, &offers)?;
            self.take(number, &state, (&step, &offers), effect)?;
        }
        Ok(())
    }

    /// Executes the updates of a step in `state`. Returns the new data, the resets of clocks, and the changes by the process under test
    /// that other processes can see.
    ///
    /// # Errors
    /// If the evaluation of an update fails.
    fn effect(&mut self, state: &State, step: &JointStep, offers: &[Offer<'a>]) -> Eval<Effect> {
        let parties = &mut self.parties;
        parties.machine.store.clone_from(&state.data);
        parties.machine.resets.clear();
        let kept = state.data.len();
        let (mut changed, mut perhaps) = (Vec::new(), Vec::new());
        let mut takes = step.takes.clone();
        if planted(Fault::ReceiverFirst) {
            takes.reverse();
        }
        for take in takes {
            let Offer {
                party,
                edge,
                selected,
                ..
            } = &offers[take];
            let before = parties.machine.store.clone();
            let earlier = std::mem::take(&mut parties.machine.resets);
            parties.within(*party, |machine| {
                machine.enter();
                bind(machine, edge, selected);
                for update in &edge.update {
                    machine.value(update)?;
                }
                machine.store.truncate(kept);
                Ok(())
            })?;
            let mut own = std::mem::take(&mut parties.machine.resets);
            own.sort_unstable();
            if *party == parties.tested && !planted(Fault::EffectsUnseen) {
                let after = &parties.machine.store;
                let differ = parties
                    .slots
                    .iter()
                    .filter(|slot| before.get(**slot) != after.get(**slot));
                changed.extend(differ.filter_map(|slot| {
                    let (name, value) = (parties.machine.variables.get(*slot)?, after.get(*slot)?);
                    Some(format!("{name}={}", value.text()))
                }));
                for (clock, value) in own
                    .iter()
                    .filter(|(clock, _)| parties.clocks.contains(clock))
                {
                    match earlier.iter().find(|(set, _)| set == clock) {
                        Some((_, to)) if to == value => {}
                        Some(_) => {
                            changed.push(format!("{}={value}", parties.machine.clocks[*clock]))
                        }
                        None => perhaps.push((*clock, *value)),
                    }
                }
            }
            let mut resets = earlier;
            resets.retain(|(clock, _)| own.iter().all(|(set, _)| set != clock));
            resets.extend(own);
            parties.machine.resets = resets;
        }
        perhaps.sort_unstable();
        Ok(Effect {
            after: parties.machine.store.clone(),
            resets: std::mem::take(&mut parties.machine.resets),
            changed,
            perhaps,
        })
    }

    /// Adds the edges of a step from the state `number`: one for each way in which it changes clocks of other processes or leaves them as
    /// they are.
    ///
    /// # Errors
    /// If a guard has too many alternatives.
    fn take(
        &mut self,
        number: usize,
        state: &State,
        (step, offers): (&JointStep, &[Offer<'a>]),
        effect: Effect,
    ) -> Eval<()> {
        let span = offers[step.takes[0]].edge.span;
        let mut locations = state.locations.clone();
        for take in &step.takes {
            locations[offers[*take].party] = offers[*take].edge.target;
        }
        let mut ways: Vec<(Alternatives, Vec<String>)> = vec![(step.guard.clone(), effect.changed)];
        for (clock, value) in effect.perhaps {
            let atom = |relation| Atom {
                clock,
                relation,
                constant: value,
            };
            let mut same = vec![vec![atom(Relation::Equal)]];
            let mut other = vec![vec![atom(Relation::Less)], vec![atom(Relation::Greater)]];
            if planted(Fault::EffectsOfNothing) {
                other.append(&mut same);
            }
            let mut more = Vec::new();
            for (guard, changed) in ways {
                more.push((both(&guard, &same, span)?, changed.clone()));
                let mut longer = changed;
                longer.push(format!("{}={value}", self.parties.machine.clocks[clock]));
                more.push((both(&guard, &other, span)?, longer));
            }
            ways = more;
        }
        if step.is_unrefused {
            (self.automaton.tester.unrefused).insert(step.label.clone());
        }
        for (guard, changed) in ways {
            let seen = changed.join(", ");
            let (label, unseen) = match (step.is_input, changed.is_empty()) {
                (_, true) => (step.label.clone(), None),
                (true, false) => (step.label.clone(), Some(seen)),
                (false, false) => (format!("{} with {seen}", step.label), None),
            };
            let target = self.number(State {
                locations: locations.clone(),
                data: effect.after.clone(),
                unseen,
            })?;
            let label = (label, step.is_input);
            let resets = effect.resets.clone();
            self.edge(span, number, target, label, &guard, (resets, step.priority))?;
        }
        Ok(())
    }

    fn edge(
        &mut self,
        span: hyperkill_frontend::Span,
        source: usize,
        target: usize,
        (name, is_input): (String, bool),
        guard: &[Vec<Atom>],
        (mut updates, priority): (Vec<(usize, i64)>, Priority),
    ) -> Eval<()> {
        updates.push((self.stopped, 0));
        updates.sort_unstable();
        for guard in guard {
            if self.automaton.edges.len() >= MOST_EDGES {
                let message = "all processes together have too many edges";
                return Err(Diagnostic::error(span, message));
            }
            self.priorities.push(priority);
            self.automaton.edges.push(Edge {
                source,
                target,
                action: Action {
                    name: name.clone(),
                    is_input,
                },
                guard: guard.clone(),
                updates: updates.clone(),
            });
        }
        Ok(())
    }

    /// Adds the values of data that change to the names of locations.
    fn names(&mut self) {
        let data: Vec<&[Value]> = self
            .states
            .iter()
            .map(|state| state.data.as_slice())
            .collect();
        let shown = shown_data(&data, &self.parties.machine.variables);
        for (location, shown) in self.automaton.locations.iter_mut().zip(shown) {
            if !shown.is_empty() {
                location.name = format!("{}[{shown}]", location.name);
            }
        }
    }
}
