//! Builds the tree of a machine from its text: one action for each event.

use std::collections::BTreeMap;

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use hyperkill_guarded::tree::{
    Action, Block, Domain, Name, Offer, Refusal, StmtId, StmtKind, Stmts, System, Transition,
    Variable,
};

use super::declarations::different;
use super::{Event, Reader, Written};

/// The variable with the location of the machine.
const LOCATION: &str = "location";

/// Transitions of an event, by location if there are locations: first the ones that are tried first, then those after `else`.
type Alternatives = BTreeMap<usize, [Vec<StmtId>; 2]>;

impl Reader<'_> {
    /// Returns the system.
    ///
    /// # Errors
    /// If there is no transition, and all undefined names.
    pub(super) fn assembled(mut self) -> Result<System, Vec<Diagnostic>> {
        let end = self.tokens.peek().span;
        if self.events.is_empty() && self.waits.is_none() {
            let error = Diagnostic::error(end, "there are no events");
            return Err(vec![
                error.with_help("write `event NAME;`, and `on NAME …`"),
            ]);
        }
        let one = |error| vec![error];
        different("location", &self.locations).map_err(one)?;
        let inputs = self.waits.map(|_| {
            let names = self.events.iter().map(|event| event.name.clone());
            names.collect::<Vec<_>>()
        });
        let mut outputs = std::mem::take(&mut self.outputs);
        if inputs.is_some() {
            let events = outputs.drain(..).map(|output| Event {
                name: output.name,
                parameters: output.parameters,
            });
            self.events.extend(events);
            if let Some(place) = self.emitted.first() {
                let message = "a transition cannot `emit` an output if the tester may wait";
                let error = Diagnostic::error(*place, message);
                return Err(vec![error.with_help("write `on OUTPUT …` for it")]);
            }
        }
        let location = (!self.locations.is_empty()).then_some(self.variables.len());
        self.declare_location();
        let alternatives =
            self.alternatives(&outputs.iter().map(|o| &o.name).collect::<Vec<_>>())?;
        let mut actions = Vec::with_capacity(self.events.len());
        for (event, alternatives) in self.events.iter().zip(alternatives) {
            let names = event.parameters.iter().map(|(name, _)| name.clone());
            actions.push(Action {
                name: event.name.clone(),
                parameters: names.collect(),
                guard: None,
                body: of_event(
                    &mut self.stmts,
                    &self.locations,
                    event.name.span,
                    alternatives,
                ),
            });
        }
        let block = self.block_of_events()?;
        Ok(System {
            exprs: self.exprs,
            stmts: self.stmts,
            variables: self.variables,
            actions,
            block,
            inputs,
            outputs,
            location,
            leaving: self.leaving,
            refusal: self
                .refusal
                .map_or(Refusal::Ignored, |(refusal, _)| refusal),
        })
    }

    fn declare_location(&mut self) {
        let Some(first) = self.locations.first() else {
            return;
        };
        let names: Vec<String> = self
            .locations
            .iter()
            .map(|name| name.text.clone())
            .collect();
        self.variables.push(Variable {
            name: Name {
                text: LOCATION.to_owned(),
                span: first.span,
            },
            domain: Domain::Symbols(names.into()),
            initial: (Value::Symbol(first.text.clone()), first.span),
        });
    }

    /// Returns for each event its transitions. `outputs` are the outputs that are no events.
    fn alternatives(&mut self, outputs: &[&Name]) -> Result<Vec<Alternatives>, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut found: Vec<Alternatives> = vec![Alternatives::new(); self.events.len()];
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let events: BTreeMap<&str, usize> = (self.events.iter().enumerate())
            .map(|(index, event)| (event.name.text.as_str(), index))
            .collect();
        let locations: BTreeMap<&str, usize> = (self.locations.iter().enumerate())
            .map(|(index, name)| (name.text.as_str(), index))
            .collect();
        for written in std::mem::take(&mut self.transitions) {
            let Some(&event) = events.get(written.event.text.as_str()) else {
                errors.push(no_event(&written.event, outputs, events.keys().copied()));
                continue;
            };
            errors.extend(parameters(&self.events[event], &written));
            let mut from = Vec::new();
            for name in &written.from {
                match locations.get(name.text.as_str()) {
                    Some(location) => from.push(*location),
                    None => {
                        let message = format!("there is no location `{}`", name.text);
                        let mut error = Diagnostic::error(name.span, message);
                        error.help = did_you_mean(&name.text, locations.keys().copied());
                        errors.push(error);
                    }
                }
            }
            // Without `from` it is a transition of every location. A machine without locations has the only location 0.
            if written.from.is_empty() {
                from = (0..self.locations.len().max(1)).collect();
            }
            let base = match written.from.first() {
                Some(from) => format!("{}.{}", from.text, written.event.text),
                None => written.event.text.clone(),
            };
            let count = names.entry(base.clone()).or_default();
            *count += 1;
            let name = match *count {
                1 => base,
                count => format!("{base}#{count}"),
            };
            let kind = StmtKind::Transition(Box::new(Transition {
                name,
                body: written.body,
                never: written.never,
            }));
            let transition = self.stmts.add(kind, written.span);
            for location in from {
                let all = found[event].entry(location).or_default();
                all[usize::from(written.is_else)].push(transition);
            }
        }
        match errors.is_empty() {
            true => Ok(found),
            false => Err(errors),
        }
    }

    /// Returns the loop of offered events: the written one, or a choice of all events.
    fn block_of_events(&mut self) -> Result<Block, Vec<Diagnostic>> {
        let domains = |event: &Event| event.parameters.iter().map(|(_, d)| d.clone()).collect();
        let Some(mut block) = self.offers.take() else {
            let offers = self.events.iter().map(|event| {
                Block::Offer(Offer {
                    action: event.name.clone(),
                    parameters: domains(event),
                    span: event.name.span,
                })
            });
            let mut offers: Vec<Block> = offers.collect();
            return Ok(match offers.len() {
                1 => offers.swap_remove(0),
                _ => Block::Choice(offers),
            });
        };
        // Offers without types have the types of their events.
        let mut open = vec![&mut block];
        while let Some(block) = open.pop() {
            match block {
                Block::Offer(offer) if offer.parameters.is_empty() => {
                    let mut events = self.events.iter();
                    let event = events.find(|event| event.name.text == offer.action.text);
                    offer.parameters = event.map_or_else(Vec::new, domains);
                }
                Block::Offer(_) => {}
                Block::Choice(parts) | Block::Prioritised(parts) => open.extend(parts),
            }
        }
        Ok(block)
    }
}

fn no_event<'e>(
    name: &Name,
    outputs: &[&Name],
    events: impl Iterator<Item = &'e str>,
) -> Diagnostic {
    let message = format!("there is no event `{}`", name.text);
    let mut error = Diagnostic::error(name.span, message);
    error.help = match outputs.iter().any(|output| output.text == name.text) {
        true => {
            Some("it is an output: transitions `emit` it, unless the tester may `wait;`".to_owned())
        }
        false => did_you_mean(&name.text, events),
    };
    error
}

/// Returns the error if a transition names its parameters unlike the event. `None` if they are the same, or are not written.
fn parameters(event: &Event, written: &Written) -> Option<Diagnostic> {
    let given = written.parameters.as_ref()?;
    let declared = event.parameters.iter().map(|(name, _)| &name.text);
    let same = given.iter().map(|name| &name.text).eq(declared.clone());
    if same {
        return None;
    }
    let names: Vec<&str> = declared.map(String::as_str).collect();
    let message = format!("the parameters of `{}` have other names", event.name.text);
    let span = given.first().map_or(written.event.span, |first| first.span);
    Some(
        Diagnostic::error(span, message)
            .with_label(event.name.span, "the event is declared here")
            .with_help(format!(
                "write `on {}({})`",
                event.name.text,
                names.join(", ")
            )),
    )
}

/// Returns the command of an event: the transitions of each location, with their priorities. Without `locations` it is the command of the
/// first alternatives.
fn of_event(
    stmts: &mut Stmts,
    locations: &[Name],
    span: Span,
    alternatives: Alternatives,
) -> StmtId {
    let mut located = Vec::with_capacity(alternatives.len());
    for (location, kinds) in alternatives {
        let mut parts = Vec::new();
        for mut transitions in kinds {
            match transitions.len() {
                0 => {}
                1 => parts.push(transitions.swap_remove(0)),
                _ => parts.push(stmts.add(StmtKind::Choice(transitions), span)),
            }
        }
        let part = match parts.len() {
            1 => parts.swap_remove(0),
            _ => stmts.add(StmtKind::Prioritised(parts), span),
        };
        match locations.get(location) {
            Some(name) => located.push((name.clone(), part)),
            None => return part,
        }
    }
    match locations.is_empty() {
        true => stmts.add(StmtKind::Prioritised(Vec::new()), span),
        false => stmts.add(StmtKind::Located(located), span),
    }
}
