//! Walks in the form of GraphWalker and AltWalker, one element per step. They are read as steps of the machine, and written from its tests.
//!
//! A step of the machine is an edge with its target vertex. It is a vertex alone if a walk begins at a vertex, or continues at one of
//! another model. A walk that ends with an edge ends before this edge, since its target vertex was not visited.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_frontend::{Diagnostic, Inputs, SourceFile, did_you_mean};
use hyperkill_guarded::interpret::{Occurrence, State, after, idle, initial, leaves};
use hyperkill_guarded::model::{Model, Reference};
use hyperkill_guarded::tree::ExprId;

use super::assembly::{BEGINNING, Visit, locations, transitions, visit_event};
use super::elements::{Elements, Start};
use super::steps::{Mention, mentions};

/// The suggestion for a walk that starts again in another model.
const RESTART: &str = "GraphWalker does so when the generator of a model has stopped and another model has a start element: end the \
    walk before, or leave one `startElementId` in the file";

/// The port with the event.
const EVENT: &str = "event";

/// An edge or a vertex, by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Element {
    Edge(usize),
    Vertex(usize),
}

/// A transition that a step may be: its name, its event, and its element in a walk.
struct Move {
    transition: String,
    event: String,
    element: Element,
}

/// The model that walks go through, with its elements and their names.
pub(crate) struct Walks<'m> {
    model: &'m Model<'m>,
    elements: Elements,
    /// The names of the transitions of edges.
    transitions: Vec<String>,
    /// The names of vertices as locations.
    locations: Vec<String>,
}

impl<'m> Walks<'m> {
    /// Returns the walks through the models of a source, from which `model` was made.
    ///
    /// # Errors
    /// If the source is no model.
    pub(crate) fn new(
        source: &SourceFile,
        model: &'m Model<'m>,
    ) -> Result<Walks<'m>, Vec<Diagnostic>> {
        let elements = super::elements::read(&source.text)?;
        Ok(Walks {
            model,
            transitions: transitions(&elements),
            locations: locations(&elements),
            elements,
        })
    }

    /// Returns the inputs of the steps of a walk.
    ///
    /// # Errors
    /// If it is no walk of the model, with the place in the file with this number.
    pub(crate) fn read(&self, walk: &str, file: usize) -> Result<Vec<Inputs>, Diagnostic> {
        let mentions = mentions(walk, file)?;
        let mut states = BTreeSet::from([initial(self.model)]);
        let (mut steps, mut at) = (Vec::new(), 0);
        while let Some(mention) = mentions.get(at) {
            let (event, next, length) = self.step(mention, mentions.get(at + 1), &states)?;
            let Some(length) = length else {
                break;
            };
            steps.push(self.inputs(event));
            states = next.iter().map(|state| idle(self.model, state)).collect();
            at += length;
        }
        Ok(steps)
    }

    /// Returns the input of a step. It is empty if there is only one event.
    fn inputs(&self, event: String) -> Inputs {
        match self.model.events.len() {
            0 | 1 => Vec::new(),
            _ => vec![(EVENT.to_owned(), Value::Symbol(event))],
        }
    }

    /// Returns the event of a step, its target states, and the number of elements of the walk that it covers. An edge counts with the
    /// vertex `behind` it; the number is `None` for an edge at the end of the walk.
    ///
    /// # Errors
    /// If the element does not exist, the step is not enabled in `states`, leads to another vertex, or is ambiguous.
    fn step(
        &self,
        mention: &Mention,
        behind: Option<&Mention>,
        states: &BTreeSet<State>,
    ) -> Result<(String, BTreeSet<State>, Option<usize>), Diagnostic> {
        let found = self.meant(mention)?;
        let target = behind.map(|behind| self.meant(behind));
        let leads = |to: usize| match &target {
            None | Some(Err(_)) => true,
            Some(Ok(elements)) => elements.contains(&Element::Vertex(to)),
        };
        let moves: Vec<Move> = found.iter().map(|element| self.one(*element)).collect();
        let mut possible: BTreeMap<(String, bool), BTreeSet<State>> = BTreeMap::new();
        let mut astray = None;
        for step in &moves {
            let next = self.after(step, states);
            let edge = match step.element {
                Element::Edge(edge) => Some(self.elements.edges[edge].to),
                Element::Vertex(_) => None,
            };
            if next.is_empty() {
                continue;
            }
            if let Some(to) = edge.filter(|to| !leads(*to)) {
                astray = Some(to);
                continue;
            }
            let key = (step.event.clone(), edge.is_some());
            possible.entry(key).or_default().extend(next);
        }
        if let (true, Some(to), Some(behind)) = (possible.is_empty(), astray, behind) {
            let vertex = said(self.names(Element::Vertex(to)));
            let message = format!("the edge before leads to {vertex}");
            return Err(Diagnostic::error(behind.span, message));
        }
        if possible.is_empty() {
            return Err(self.why_not(mention, &moves, states));
        }
        target.transpose()?;
        if possible.len() > 1 {
            let names: Vec<&str> = possible.keys().map(|(event, _)| event.as_str()).collect();
            let message = format!(
                "this step is ambiguous: it may be `{}`",
                names.join("` or `")
            );
            let help = "ids and names of models say which: `altwalker offline` and `gw offline --verbose` write them";
            return Err(Diagnostic::error(mention.span, message).with_help(help));
        }
        let ((event, is_edge), next) = possible.into_iter().next().unwrap_or_default();
        let length = match (is_edge, behind.is_some()) {
            (true, true) => Some(2),
            (true, false) => None,
            (false, _) => Some(1),
        };
        Ok((event, next, length))
    }

    /// Returns the edges and vertices with this id, name and model.
    ///
    /// # Errors
    /// If there is none.
    fn meant(&self, mention: &Mention) -> Result<Vec<Element>, Diagnostic> {
        let edges = (0..self.elements.edges.len()).map(Element::Edge);
        let vertices = (0..self.elements.vertices.len()).map(Element::Vertex);
        let mut found: Vec<Element> = edges.chain(vertices).collect();
        if let Some((name, span)) = &mention.model {
            found.retain(|element| {
                let own = &self.elements.models[self.model_of(*element)];
                own == name || without_extension(own) == name
            });
            if found.is_empty() {
                let names = self.elements.models.iter().map(String::as_str);
                let mut error = Diagnostic::error(*span, format!("there is no model `{name}`"));
                error.help = did_you_mean(name, names);
                return Err(error);
            }
        }
        if let Some((id, span)) = &mention.id {
            let near = found.iter().map(|element| self.names(*element).id);
            let near = did_you_mean(id, near);
            found.retain(|element| self.names(*element).id == id);
            if found.is_empty() {
                let message = format!("there is no element with the id `{id}`");
                return Err(Diagnostic::error(*span, message).with_help(
                    near.unwrap_or_else(|| "blocked elements are left out".to_owned()),
                ));
            }
        }
        if let Some((name, span)) = &mention.name {
            let near = found.iter().map(|element| self.names(*element).name);
            let near = did_you_mean(name, near);
            found.retain(|element| self.names(*element).name == name);
            if found.is_empty() {
                let message = match &mention.id {
                    Some((id, _)) => format!("`{id}` is not called `{name}`"),
                    None => format!("there is no element with the name `{name}`"),
                };
                return Err(Diagnostic::error(*span, message).with_help(
                    near.unwrap_or_else(|| "blocked elements are left out".to_owned()),
                ));
            }
        }
        Ok(found)
    }

    fn model_of(&self, element: Element) -> usize {
        match element {
            Element::Vertex(vertex) => self.elements.vertices[vertex].model,
            Element::Edge(edge) => self.elements.vertices[self.elements.edges[edge].to].model,
        }
    }

    fn names(&self, element: Element) -> Names<'_> {
        match element {
            Element::Vertex(vertex) => {
                let vertex = &self.elements.vertices[vertex];
                Names {
                    id: &vertex.id,
                    name: &vertex.name,
                }
            }
            Element::Edge(edge) => {
                let edge = &self.elements.edges[edge];
                Names {
                    id: &edge.id,
                    name: &edge.name,
                }
            }
        }
    }

    fn one(&self, element: Element) -> Move {
        match element {
            Element::Edge(edge) => Move {
                transition: self.transitions[edge].clone(),
                event: self.elements.edges[edge].name.clone(),
                element,
            },
            Element::Vertex(vertex) => {
                let why = match self.elements.start {
                    Start::Vertex(first) if first == vertex => Visit::Start,
                    _ => Visit::Change,
                };
                self.visit(why, vertex)
            }
        }
    }

    fn visit(&self, why: Visit, vertex: usize) -> Move {
        Move {
            transition: why.transition(&self.elements, vertex),
            event: visit_event(&self.elements, vertex),
            element: Element::Vertex(vertex),
        }
    }

    fn occurrence(&self, event: &str) -> Option<Occurrence> {
        let mut events = 0..self.model.events.len();
        let event = events.find(|index| self.model.action(*index).name.text == event)?;
        Some(Occurrence {
            event,
            values: Vec::new(),
        })
    }

    /// Returns the states that a transition reaches from these states.
    fn after(&self, step: &Move, states: &BTreeSet<State>) -> BTreeSet<State> {
        // The first vertex may also have a shared state, and then be reached like others.
        let again = match step.element {
            Element::Vertex(vertex) => self.visit(Visit::Change, vertex).transition,
            Element::Edge(_) => step.transition.clone(),
        };
        let (Some(offer), Some(cell)) = (self.occurrence(&step.event), self.model.transition())
        else {
            return BTreeSet::new();
        };
        let next = states
            .iter()
            .flat_map(|state| after(self.model, state, &offer));
        let is_this = |state: &State| match &state[cell] {
            Value::Symbol(name) => *name == step.transition || *name == again,
            Value::Int(_) => false,
        };
        next.filter(is_this).collect()
    }

    /// Returns the names of the locations of these states.
    fn places(&self, states: &BTreeSet<State>) -> BTreeSet<String> {
        let location = self.model.system.location;
        let places = states.iter().filter_map(|state| Some(&state[location?]));
        places.map(ToString::to_string).collect()
    }

    /// Returns the error for an element of a walk whose step is not enabled in these states. `moves` are the transitions that it may mean.
    fn why_not(&self, mention: &Mention, moves: &[Move], states: &BTreeSet<State>) -> Diagnostic {
        let places = self.places(states);
        let error = |message: String| Diagnostic::error(mention.span, message);
        let here = match places.iter().next() {
            Some(place) if place == BEGINNING => {
                let first = match self.elements.start {
                    Start::Edge(edge) => Element::Edge(edge),
                    Start::Vertex(vertex) => Element::Vertex(vertex),
                };
                let first = said(self.names(first));
                return error(format!("walks of the model begin with {first}"));
            }
            Some(place) => place.clone(),
            None => String::new(),
        };
        if let Some(model) = moves
            .iter()
            .find_map(|step| self.restart(step.element, &here))
        {
            let message = format!("the walk begins again here, in the model `{model}`");
            return error(message).with_help(RESTART);
        }
        let edges = moves.iter().filter_map(|step| match step.element {
            Element::Edge(edge) => Some((step, &self.elements.edges[edge])),
            Element::Vertex(_) => None,
        });
        let (mut from, mut of_guard) = (None, None);
        for (step, edge) in edges {
            let begins = edge.from.map(|from| &self.locations[from]);
            if begins != Some(&here) {
                from = begins.or(from);
                continue;
            }
            let offer = self.occurrence(&step.event);
            let leaves = |state: &State| {
                (offer.as_ref()).is_some_and(|offer| leaves(self.model, state, offer))
            };
            if states.iter().any(leaves) {
                let message = "this step takes a variable out of its range";
                return error(message.to_owned()).with_help("`--range` of the run gives it more");
            }
            of_guard = of_guard.or(edge.guard);
        }
        if let Some(guard) = of_guard {
            let message = format!("the guard does not hold here{}", self.values(guard, states));
            return error(message);
        }
        match (moves.first().map(|step| step.element), from) {
            (Some(Element::Vertex(_)), None) => error(format!(
                "the walk is at `{here}`, which has no state in common with this vertex"
            ))
            .with_help("an edge leads to a vertex, or a shared state"),
            (_, Some(from)) => error(format!(
                "this leads from `{from}`, and the walk is at `{here}`"
            )),
            (_, None) => error(format!(
                "the walk is at `{here}`, and this edge has no source vertex"
            )),
        }
    }

    /// Returns the model that a walk starts again in with this element. `None` if the element is no further start element, or is an edge
    /// from the location `here`.
    fn restart(&self, element: Element, here: &str) -> Option<&str> {
        let (start, from) = match element {
            Element::Edge(edge) => (Start::Edge(edge), self.elements.edges[edge].from),
            Element::Vertex(vertex) => (Start::Vertex(vertex), None),
        };
        let is_from_here = from.is_some_and(|from| self.locations[from] == here);
        let is_other = self.elements.restarts.contains(&start) && !is_from_here;
        is_other.then(|| self.elements.models[self.model_of(element)].as_str())
    }

    /// Returns the variables that a guard reads, with their values in the first of these states, as text for a message: `: `a` is 1, …`.
    fn values(&self, guard: ExprId, states: &BTreeSet<State>) -> String {
        let Some(state) = states.iter().next() else {
            return String::new();
        };
        let parts = self.model.system.exprs.parts(guard);
        let read: BTreeSet<usize> = parts
            .filter_map(|part| match self.model.reference(part) {
                Some(Reference::Variable(variable)) => Some(variable),
                _ => None,
            })
            .collect();
        let mut text = String::new();
        for (index, variable) in read.into_iter().enumerate() {
            let sign = if index == 0 { ": " } else { ", " };
            let (name, value) = (self.model.name(variable), &state[variable]);
            let _ = write!(text, "{sign}`{name}` is {value}");
        }
        text
    }

    /// Returns a walk whose steps have the inputs and outputs of a test, as the text of a file.
    ///
    /// # Errors
    /// If the model has no such run, or refuses a step.
    pub(crate) fn written(&self, test: &[Step]) -> Result<String, Diagnostic> {
        let all: BTreeMap<String, Element> = self.all_transitions();
        let mut layers: Vec<BTreeMap<State, (State, Element)>> = Vec::new();
        let mut states = BTreeSet::from([initial(self.model)]);
        for (number, step) in test.iter().enumerate() {
            let none = |what: &str| {
                let message = format!("step {number} {what}, and walks have no such steps");
                Diagnostic::unlocated(message)
            };
            let event = step.inputs.iter().find(|(name, _)| name == EVENT);
            let offer = match event {
                Some((_, event)) => self.occurrence(&event.to_string()),
                None => Some(Occurrence {
                    event: 0,
                    values: Vec::new(),
                }),
            };
            let offer = offer.ok_or_else(|| none("has no event of the model"))?;
            let mut layer = BTreeMap::new();
            for state in &states {
                for next in after(self.model, state, &offer) {
                    let element = self.model.transition().map(|cell| next[cell].to_string());
                    let element = element.and_then(|name| all.get(&name).copied());
                    if let (Some(element), true) = (element, self.shows(&next, step)) {
                        let next = idle(self.model, &next);
                        layer.entry(next).or_insert((state.clone(), element));
                    }
                }
            }
            if layer.is_empty() {
                return Err(none("is refused"));
            }
            states = layer.keys().cloned().collect();
            layers.push(layer);
        }
        let mut at = states.into_iter().next().unwrap_or_default();
        let mut elements = Vec::new();
        for layer in layers.iter().rev() {
            let Some((before, element)) = layer.get(&at) else {
                break;
            };
            if let Element::Edge(edge) = element {
                elements.push(Element::Vertex(self.elements.edges[*edge].to));
            }
            elements.push(*element);
            at = before.clone();
        }
        elements.reverse();
        Ok(self.steps(&elements))
    }

    fn all_transitions(&self) -> BTreeMap<String, Element> {
        let visits = [Visit::Start, Visit::Change].into_iter().flat_map(|why| {
            let vertices = 0..self.elements.vertices.len();
            vertices.map(move |vertex| {
                let name = why.transition(&self.elements, vertex);
                (name, Element::Vertex(vertex))
            })
        });
        let edges = self.transitions.iter().enumerate();
        let edges = edges.map(|(edge, name)| (name.clone(), Element::Edge(edge)));
        visits.chain(edges).collect()
    }

    /// Whether a state has the outputs of a step of a test.
    fn shows(&self, state: &State, step: &Step) -> bool {
        step.outputs.iter().all(|(name, value)| {
            let mut cells = 0..self.model.cells();
            let cell = cells.find(|cell| self.model.name(*cell) == name);
            match cell {
                Some(cell) => state[cell] == *value,
                // The output that says whether the step is done.
                None => *value == Value::bool(true),
            }
        })
    }

    /// Returns the text of a file with a walk through these elements.
    fn steps(&self, elements: &[Element]) -> String {
        let mut text = String::from("[");
        for (index, element) in elements.iter().enumerate() {
            let Names { id, name } = self.names(*element);
            let model = &self.elements.models[self.model_of(*element)];
            let name = match self.is_named(*element) {
                true => name,
                false => "",
            };
            let step = serde_json::json!({ "id": id, "modelName": model, "name": name });
            let sign = if index == 0 { "" } else { "," };
            let _ = write!(text, "{sign}\n  {step}");
        }
        text + "\n]\n"
    }

    fn is_named(&self, element: Element) -> bool {
        match element {
            Element::Vertex(vertex) => self.elements.vertices[vertex].is_named,
            Element::Edge(edge) => self.elements.edges[edge].is_named,
        }
    }
}

/// The names of an element.
#[derive(Clone, Copy, Debug)]
struct Names<'e> {
    id: &'e str,
    name: &'e str,
}

/// Returns a description of an element for messages.
fn said(names: Names<'_>) -> String {
    match names.id == names.name {
        true => format!("`{}`", names.id),
        false => format!("`{}` ({})", names.name, names.id),
    }
}

/// Returns the name of a model as GraphWalker writes it: without a suffix that it takes for a file name extension.
fn without_extension(name: &str) -> &str {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem)
}
