//! The parts that both readings have in common: the state, the actions, the offers of the loop, and the values after a step.

use hyperkill_core::events::{Event as Shown, EventPort, Parameter, Side};
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Init, InputRole, Output, StateVar};
use hyperkill_core::term::TermId;
use hyperkill_frontend::roles::may_be_observed;
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::lowering::{Lowering, Observed, Scope, Stop};
use crate::fault::{Fault, planted};
use crate::model::TRANSITION;
use crate::tree::{Block, Name, Offer};

/// The output that says whether the offered event has been done.
pub(super) const DONE: &str = "done";

/// The terms of an event in a step.
pub(super) struct Event {
    /// The inputs that stand for the event's parameters.
    pub(super) parameters: Vec<TermId>,
    /// Whether the action is enabled, offered or not.
    pub(super) able: TermId,
    /// The condition that the loop offers the event with these values.
    pub(super) offered: TermId,
    /// The values of the variables afterwards.
    pub(super) ends: Scope,
}

impl Lowering<'_> {
    pub(super) fn declare_variables(&mut self) -> Result<(), Stop> {
        let model = self.model;
        for (index, variable) in model.system.variables.iter().enumerate() {
            must_not_be(&variable.name, &[DONE, "event", "output"])?;
            if model.transition().is_some() {
                must_not_be(&variable.name, &[TRANSITION])?;
            }
            let sort = variable.domain.sort();
            let code = sort.code_of_value(&variable.initial.0);
            let terms = &mut self.system.terms;
            let initial = terms.constant(sort.clone(), code.unwrap_or(0));
            let now = terms.state(index, sort.clone());
            self.system.states.push(StateVar {
                name: variable.name.text.clone(),
                sort,
                init: Init::Term(initial),
                next: now,
            });
            self.variables.push(now);
        }
        for output in &model.system.outputs {
            must_not_be(&output.name, &[DONE, "event", "output", TRANSITION])?;
        }
        for (index, port) in model.ports.iter().enumerate() {
            let sort = port.domain.sort();
            let code = sort.code_of_value(&model.idle(index)).unwrap_or(0);
            let idle = self.system.terms.constant(sort, code);
            self.variables.push(idle);
        }
        // After all cells: whether all values were in their ranges.
        let inside = self.system.terms.bool(true);
        self.variables.push(inside);
        Ok(())
    }

    /// Returns the sort with the symbols `others`, then the labels of events: all, or only inputs or outputs by `is_input`.
    pub(super) fn labels(&self, others: &[&str], is_input: Option<bool>) -> Sort {
        let events = 0..self.model.events.len();
        let events = events
            .filter(|event| is_input.is_none_or(|is| self.model.events[*event].is_input == is));
        let labels = events.map(|event| self.model.action(event).name.text.clone());
        let others = others.iter().map(|other| (*other).to_owned());
        Sort::enumeration(others.chain(labels))
    }

    /// Defines the names of steps: the event given by a port of this name, with its parameters. `others` are labels without an action.
    pub(super) fn name_events(
        &mut self,
        name: &str,
        side: Side,
        others: &[&str],
        is_input: Option<bool>,
    ) {
        let model = self.model;
        let mut events: Vec<Shown> = (others.iter())
            .map(|label| Shown {
                label: (*label).to_owned(),
                parameters: Vec::new(),
            })
            .collect();
        for (index, event) in model.events.iter().enumerate() {
            if is_input.is_some_and(|is| event.is_input != is) {
                continue;
            }
            let action = model.action(index);
            let parameters = action.parameters.iter().zip(&event.parameters);
            let parameters = parameters.map(|(parameter, domain)| {
                let sort = domain.sort();
                match side == Side::Inputs && sort.cardinality() == 1 {
                    true => Parameter::Value(sort.value_of_code(0)),
                    false => Parameter::Port(port(&action.name, parameter)),
                }
            });
            events.push(Shown {
                label: action.name.text.clone(),
                parameters: parameters.collect(),
            });
        }
        self.system.events.push(EventPort {
            port: name.to_owned(),
            side,
            events,
        });
    }

    /// Adds inputs for the parameters of an event, and returns their terms.
    pub(super) fn parameters(&mut self, event: usize, role: InputRole) -> Vec<TermId> {
        let model = self.model;
        let action = model.action(event);
        let domains = &model.events[event].parameters;
        let names = action.parameters.iter().zip(domains);
        names
            .map(|(name, domain)| {
                let name = port(&action.name, name);
                self.input(name, domain.sort(), role)
            })
            .collect()
    }

    /// Returns the terms of all events. `parameters` has the inputs for the parameters of each event.
    pub(super) fn events(&mut self, parameters: Vec<Vec<TermId>>) -> Result<Vec<Event>, Stop> {
        self.declare_slots();
        if self.are_ports_enough {
            let never = self.system.terms.bool(false);
            let idle = |parameters| Event {
                parameters,
                able: never,
                offered: never,
                ends: Scope::default(),
            };
            return Ok(parameters.into_iter().map(idle).collect());
        }
        let model = self.model;
        let mut events = Vec::with_capacity(parameters.len());
        let all = parameters.clone();
        for (event, mut parameters) in parameters.into_iter().enumerate() {
            if planted(Fault::OtherParameters)
                && let Some(other) = all.get(event + 1)
                && other.len() == parameters.len()
            {
                parameters.clone_from(other);
            }
            let action = model.action(event);
            let scope = Scope {
                parameters,
                assigned: std::collections::BTreeMap::new(),
            };
            self.stacks.begin_action();
            let guard = match action.guard {
                Some(guard) => self.value(guard, &scope)?,
                None => self.system.terms.bool(true),
            };
            let body = self.ability(action.body, &scope)?;
            let able = self.and(guard, body)?;
            let ends = self.ends(action.body, &scope)?;
            events.push(Event {
                parameters: scope.parameters,
                able,
                offered: able,
                ends,
            });
        }
        let mut offered: Vec<Vec<TermId>> = vec![Vec::new(); events.len()];
        let allowed = self.system.terms.bool(true);
        let of_name: FxHashMap<&str, usize> = (0..events.len())
            .map(|event| (model.action(event).name.text.as_str(), event))
            .collect();
        let loops = Loop {
            events: &events,
            of_name: &of_name,
        };
        self.permit(&model.system.block, allowed, &loops, &mut offered)?;
        for (event, ways) in events.iter_mut().zip(offered) {
            event.offered = self.any(ways)?;
        }
        Ok(events)
    }

    /// Adds to `offered`, for each event, the conditions of its offers in a block, which acts only if it is `allowed` to.
    fn permit(
        &mut self,
        block: &Block,
        allowed: TermId,
        loops: &Loop<'_>,
        offered: &mut [Vec<TermId>],
    ) -> Result<(), Stop> {
        match block {
            Block::Offer(offer) => {
                if let Some(&event) = loops.of_name.get(offer.action.text.as_str()) {
                    let inside = self.inside(offer, &loops.events[event])?;
                    let made = self.and(allowed, inside)?;
                    offered[event].push(made);
                }
                Ok(())
            }
            Block::Choice(parts) => {
                for part in parts {
                    self.permit(part, allowed, loops, offered)?;
                }
                Ok(())
            }
            Block::Prioritised(parts) => {
                let mut allowed = allowed;
                for (index, part) in parts.iter().enumerate() {
                    self.permit(part, allowed, loops, offered)?;
                    if index + 1 < parts.len() && !planted(Fault::PriorityIgnored) {
                        let acts = self.can_act(part, loops)?;
                        let idle = self.not(acts)?;
                        allowed = self.and(allowed, idle)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns the condition that a block has an enabled action, for some values of parameters.
    fn can_act(&mut self, block: &Block, loops: &Loop<'_>) -> Result<TermId, Stop> {
        let mut ways = Vec::new();
        for offer in block.offers() {
            let Some(&event) = loops.of_name.get(offer.action.text.as_str()) else {
                continue;
            };
            let event = &loops.events[event];
            let inside = self.inside(offer, event)?;
            let can = self.and(inside, event.able)?;
            ways.push(self.with_any(can, event, offer.span)?);
        }
        self.any(ways)
    }

    /// Returns the condition that another condition holds for some values of an event's parameters.
    pub(super) fn with_any(
        &mut self,
        condition: TermId,
        event: &Event,
        span: Span,
    ) -> Result<TermId, Stop> {
        let inputs: Vec<(TermId, Sort)> = (event.parameters.iter())
            .map(|input| (*input, self.system.terms.sort(*input).clone()))
            .collect();
        self.exists(condition, &inputs, span)
    }

    /// Returns the condition that an offer contains the values of the event's parameters.
    fn inside(&mut self, offer: &Offer, event: &Event) -> Result<TermId, Stop> {
        let mut all = self.system.terms.bool(true);
        for (parameter, domain) in event.parameters.iter().zip(&offer.parameters) {
            let inside = self.system.terms.in_domain(*parameter, &domain.sort())?;
            all = self.and(all, inside)?;
        }
        Ok(all)
    }

    /// Sets the next value of each variable: that of the event that is `happening` if `done` holds, otherwise the old one. Returns the
    /// values of variables and ports after the step.
    pub(super) fn set_next(
        &mut self,
        events: &[Event],
        happening: &[TermId],
        done: TermId,
    ) -> Result<Vec<TermId>, Stop> {
        let mut cases: Vec<Vec<(TermId, TermId)>> = vec![Vec::new(); self.variables.len()];
        for (event, happens) in events.iter().zip(happening) {
            for (variable, value) in &event.ends.assigned {
                cases[*variable].push((*happens, *value));
            }
        }
        let mut after = Vec::with_capacity(cases.len());
        for (variable, cases) in cases.into_iter().enumerate() {
            let now = self.variables[variable];
            let happens = cases.iter().map(|(happens, _)| *happens).collect();
            let assigned = self.any(happens)?;
            let changes = self.and(done, assigned)?;
            let next = match self.one_of(cases)? {
                Some(value) => self.ite(changes, value, now)?,
                None => now,
            };
            if let Some(state) = self.system.states.get_mut(variable) {
                state.next = next;
            }
            after.push(next);
        }
        Ok(after)
    }

    /// Adds an output, unless options exclude it.
    pub(super) fn output(&mut self, name: impl Into<String>, term: TermId) {
        let name = name.into();
        if may_be_observed(&name, self.options) {
            self.system.outputs.push(Output { name, term });
        }
    }

    /// Adds the values `after` the step to the outputs: ports, and the variables if they are observed.
    pub(super) fn output_state(&mut self, after: Vec<TermId>) {
        let model = self.model;
        let (variables, ports) = after.split_at(model.system.variables.len());
        for (port, shown) in model.ports.iter().zip(ports) {
            if port.name != TRANSITION || self.reading.observed == Observed::Transition {
                self.output(port.name.clone(), *shown);
            }
        }
        if self.reading.observed != Observed::Outputs || planted(Fault::StateShown) {
            for (variable, next) in model.system.variables.iter().zip(variables) {
                self.output(variable.name.text.clone(), *next);
            }
        }
    }
}

/// The events of a loop.
struct Loop<'e> {
    events: &'e [Event],
    of_name: &'e FxHashMap<&'e str, usize>,
}

/// Returns the name of the port of a parameter.
pub(super) fn port(action: &Name, parameter: &Name) -> String {
    format!("{}.{}", action.text, parameter.text)
}

/// Checks that a name is not reserved.
///
/// # Errors
/// If it is.
pub(super) fn must_not_be(name: &Name, taken: &[&str]) -> Result<(), Stop> {
    if !taken.contains(&name.text.as_str()) {
        return Ok(());
    }
    let message = format!(
        "`{}` is a name that tests need for something else",
        name.text
    );
    let error = Diagnostic::error(name.span, message);
    Err(Stop::Model(error.with_help("call it otherwise")))
}
