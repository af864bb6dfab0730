//! Builds the tree of all models: an event for each name of an edge and for each change of models, with the vertices as locations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_guarded::fault::{Fault, planted};
use hyperkill_guarded::tree::{
    Action, Block, Domain, ExprId, ExprKind, Leaving, Name, Offer, Output, Refusal, StmtId,
    StmtKind, Stmts, System, Transition, UnaryOp, Variable,
};

use super::elements::{Edge, Elements, Start, Vertex};
use super::late::{Way, Ways};
use super::ranges::{GuardedStep, Interval, Question};
use super::script::Assignment;
use super::values::{constant, given_later};

/// The name of the variable with the reached vertex.
const LOCATION: &str = "location";

/// The name of the output with the reached vertex.
const REACHED: &str = "reached";

/// The name of the location before the first step of a walk.
pub(super) const BEGINNING: &str = "(start)";

/// The suggestion for variables without a value.
const UNSET: &str =
    "set it in the actions of the model: values that only code of tests sets are unknown";

/// Returns the system of the models with the given ranges, and the assignments that no mutant can remove.
///
/// # Errors
/// Variables without an initial value, with several types, or without bounds.
pub(super) fn assembled(
    elements: Elements,
    given: &[(String, Interval)],
) -> Result<(System, Vec<Span>), Vec<Diagnostic>> {
    let names = locations(&elements);
    let shown = shown(&elements);
    let mut assembly = Assembly {
        stmts: Stmts::default(),
        elements,
        names,
        shown,
        values: BTreeMap::new(),
        numbers: BTreeMap::new(),
        places: BTreeMap::new(),
        arrivals: BTreeMap::new(),
        steps: Vec::new(),
        ways: Vec::new(),
        late: BTreeSet::new(),
        events: Vec::new(),
    };
    assembly.initial_values()?;
    assembly.number();
    assembly.edges();
    assembly.beginning();
    assembly.changes();
    let needed = assembly.needed()?;
    let domains = assembly.domains(given)?;
    Ok((assembly.finished(domains), needed))
}

/// Returns a unique name for each vertex.
pub(super) fn locations(elements: &Elements) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for vertex in &elements.vertices {
        *counts.entry(&vertex.name).or_default() += 1;
    }
    let qualified = |vertex: &Vertex| format!("{}.{}", elements.models[vertex.model], vertex.name);
    let mut again: BTreeMap<String, usize> = BTreeMap::new();
    for vertex in &elements.vertices {
        *again.entry(qualified(vertex)).or_default() += 1;
    }
    let name = |vertex: &Vertex| match (counts[vertex.name.as_str()], again[&qualified(vertex)]) {
        (1, _) => vertex.name.clone(),
        (_, 1) => qualified(vertex),
        _ => format!("{}.{}", elements.models[vertex.model], vertex.id),
    };
    elements.vertices.iter().map(name).collect()
}

/// Returns the output of each vertex: its name. The name of the model precedes it if several models have vertices with this name. Test code
/// does not distinguish vertices of one model with the same name.
fn shown(elements: &Elements) -> Vec<String> {
    // For each name, the first model with such a vertex, and whether others have one, too.
    let mut models: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for vertex in &elements.vertices {
        let (first, several) = models.entry(&vertex.name).or_insert((vertex.model, false));
        *several |= *first != vertex.model;
    }
    let names = elements.scripts.names.iter();
    let variables: BTreeSet<&str> = names.map(|name| name.text.as_str()).collect();
    let name = |vertex: &Vertex| {
        let (_, is_elsewhere) = models[vertex.name.as_str()];
        match is_elsewhere || variables.contains(vertex.name.as_str()) {
            true => format!("{}.{}", elements.models[vertex.model], vertex.name),
            false => vertex.name.clone(),
        }
    };
    elements.vertices.iter().map(name).collect()
}

/// Returns the name of the transition of each edge: its id, with a number if several edges have this id.
pub(super) fn transitions(elements: &Elements) -> Vec<String> {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let names = elements.edges.iter().map(|edge| {
        let count = used.entry(&edge.id).or_default();
        *count += 1;
        match *count {
            1 => edge.id.clone(),
            count => format!("{}#{count}", edge.id),
        }
    });
    names.collect()
}

/// The reason for a visit to a vertex without an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Visit {
    /// A walk begins at the vertex.
    Start,
    /// The vertex shares a state with one of another model.
    Change,
}

impl Visit {
    /// Returns the name of the transition: `start MODEL.ID` or `to MODEL.ID`.
    pub(super) fn transition(self, elements: &Elements, to: usize) -> String {
        let vertex = &elements.vertices[to];
        let why = match self {
            Visit::Start => "start",
            Visit::Change => "to",
        };
        format!("{why} {}.{}", elements.models[vertex.model], vertex.id)
    }
}

/// Returns the name of the event for a visit to a vertex without an edge: `MODEL.VERTEX`.
pub(super) fn visit_event(elements: &Elements, to: usize) -> String {
    let vertex = &elements.vertices[to];
    format!("{}.{}", elements.models[vertex.model], vertex.name)
}

/// A step that a walk can make: an edge, or a change to a vertex of another model.
struct Happening {
    /// The label of the step's event.
    event: String,
    transition: StmtId,
    from: usize,
}

struct Assembly {
    stmts: Stmts,
    elements: Elements,
    /// The names of vertices as locations.
    names: Vec<String>,
    /// The outputs of vertices.
    shown: Vec<String>,
    /// The initial values of variables.
    values: BTreeMap<String, Value>,
    /// The index of each integer variable among the integer variables, by name.
    numbers: BTreeMap<String, usize>,
    /// The places of first assignments to variables.
    places: BTreeMap<String, Span>,
    /// For each vertex that was reached, the commands of its own actions.
    arrivals: BTreeMap<usize, Vec<StmtId>>,
    steps: Vec<GuardedStep>,
    ways: Vec<Way>,
    /// The variables without an initial value.
    late: BTreeSet<String>,
    events: Vec<Happening>,
}

impl Assembly {
    /// Executes the initial actions of models: variables get their initial values.
    ///
    /// # Errors
    /// If a variable has no initial value, a value is not known, or a string has the name of a variable.
    fn initial_values(&mut self) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for assignment in &self.elements.initial {
            let target = &assignment.target;
            match constant(&self.elements.scripts.exprs, assignment.value, &self.values) {
                Some(value) => {
                    self.values.insert(target.text.clone(), value);
                    self.places
                        .entry(target.text.clone())
                        .or_insert(target.span);
                }
                None => {
                    let message = format!("the value of `{}` at first is not known", target.text);
                    told.insert(target.text.clone());
                    errors.push(Diagnostic::error(assignment.span, message));
                }
            }
        }
        self.late_values();
        for name in &self.elements.scripts.names {
            if !self.values.contains_key(&name.text) && told.insert(name.text.clone()) {
                let message = format!("`{}` has no value at first", name.text);
                errors.push(Diagnostic::error(name.span, message).with_help(UNSET));
            }
        }
        for symbol in &self.elements.scripts.symbols {
            if self.values.contains_key(&symbol.text) {
                let message = format!(
                    "the string `{}` is the name of a variable, too",
                    symbol.text
                );
                errors.push(
                    Diagnostic::error(symbol.span, message).with_help("call one of them otherwise"),
                );
            }
        }
        match errors.is_empty() {
            true => Ok(()),
            false => {
                errors.sort_by_key(|error| error.span.map(|span| span.start));
                Err(errors)
            }
        }
    }

    /// Chooses initial values for variables that are assigned only later.
    fn late_values(&mut self) {
        let names: BTreeSet<String> = (self.elements.scripts.names.iter())
            .map(|name| name.text.clone())
            .collect();
        let edges = self.elements.edges.iter().flat_map(|edge| &edge.actions);
        let vertices = self
            .elements
            .vertices
            .iter()
            .flat_map(|vertex| &vertex.actions);
        let all: Vec<&Assignment> = edges.chain(vertices).collect();
        let exprs = &self.elements.scripts.exprs;
        for assignment in given_later(exprs, &all, &names, &mut self.values) {
            let target = &assignment.target;
            self.places.insert(target.text.clone(), target.span);
            self.late.insert(target.text.clone());
        }
    }

    /// Returns the assignments that no mutant can remove, since a variable without a value would be read.
    ///
    /// # Errors
    /// If a variable without a value is read already.
    fn needed(&self) -> Result<Vec<Span>, Vec<Diagnostic>> {
        let ways = Ways {
            exprs: &self.elements.scripts.exprs,
            late: &self.late,
            ways: &self.ways,
            locations: self.elements.vertices.len() + 1,
            first: self.elements.vertices.len(),
        };
        ways.needed().map_err(|Name { text, span }| {
            let message = format!("`{text}` may be read here before it has a value");
            vec![Diagnostic::error(span, message).with_help(UNSET)]
        })
    }

    fn updates(&mut self, actions: &[Assignment]) -> Vec<StmtId> {
        let mut parts = Vec::with_capacity(actions.len());
        for assignment in actions {
            let kind = StmtKind::Assign {
                target: assignment.target.clone(),
                value: assignment.value,
            };
            parts.push(self.stmts.add(kind, assignment.span));
        }
        parts
    }

    /// Returns the commands for the arrival at the vertex `to`: the edge's `actions`, the vertex's own actions, its output, and the move to
    /// its location. Output and move stand at the start of `span` and have no text.
    fn arrival(&mut self, actions: &[Assignment], to: usize, span: Span) -> Vec<StmtId> {
        let mut parts = self.updates(actions);
        // Each action is one command for all of its predecessors, so that a mutant changes it for all of them.
        let own = match self.arrivals.get(&to) {
            Some(own) => own.clone(),
            None if planted(Fault::VertexActionsForgotten) => Vec::new(),
            None => {
                let actions = self.elements.vertices[to].actions.clone();
                self.updates(&actions)
            }
        };
        parts.extend(&own);
        self.arrivals.insert(to, own);
        let nowhere = Span {
            end: span.start,
            ..span
        };
        let exprs = &mut self.elements.scripts.exprs;
        let vertex = exprs.add(ExprKind::Name(self.shown[to].clone()), nowhere, nowhere);
        let output = Name {
            text: REACHED.to_owned(),
            span: nowhere,
        };
        let values = vec![vertex];
        parts.push(self.stmts.add(StmtKind::Emit { output, values }, nowhere));
        let target = Name {
            text: self.names[to].clone(),
            span: nowhere,
        };
        parts.push(self.stmts.add(StmtKind::Move { target }, nowhere));
        parts
    }

    fn note_step(&mut self, from: usize, to: usize, guard: Option<ExprId>, actions: &[Assignment]) {
        let own = &self.elements.vertices[to].actions;
        self.ways.push(Way {
            from,
            to,
            guard,
            updates: actions.iter().chain(own).cloned().collect(),
        });
        let updates = actions
            .iter()
            .chain(own)
            .map(|a| (a.target.text.clone(), a.value));
        let numbers = &self.numbers;
        let exprs = &self.elements.scripts.exprs;
        // A value of another type is reported later.
        let is_number = |value: ExprId| match &exprs[value].kind {
            ExprKind::Number(_) | ExprKind::Unary(UnaryOp::Minus, _) => true,
            ExprKind::Name(name) => numbers.contains_key(name),
            ExprKind::Binary(op, ..) => op.is_arithmetic(),
            ExprKind::Truth(_) | ExprKind::Unary(UnaryOp::Not, _) => false,
        };
        let updates = updates.filter(|(_, value)| is_number(*value));
        let updates = updates.filter_map(|(name, value)| Some((*numbers.get(&name)?, value)));
        self.steps.push(GuardedStep {
            from,
            to,
            guard,
            updates: updates.collect(),
        });
    }

    /// Assigns consecutive indices to the integer variables.
    fn number(&mut self) {
        let numbers = self
            .values
            .iter()
            .filter(|(_, value)| matches!(value, Value::Int(_)));
        self.numbers = numbers
            .enumerate()
            .map(|(index, (name, _))| (name.clone(), index))
            .collect();
    }

    fn edges(&mut self) {
        let first = match self.elements.start {
            Start::Edge(edge) => Some(edge),
            Start::Vertex(_) => None,
        };
        let names = transitions(&self.elements);
        let edges = std::mem::take(&mut self.elements.edges);
        let actions: usize = edges.iter().map(|edge| edge.actions.len()).sum();
        let vertices = self.elements.vertices.iter();
        let actions = actions + vertices.map(|vertex| vertex.actions.len()).sum::<usize>();
        // Each needs a transition with a guard, a sequence, an output and a move, and possibly an action.
        self.stmts.reserve(actions + 6 * edges.len());
        self.elements.scripts.exprs.reserve(edges.len());
        let beginning = self.elements.vertices.len();
        for (index, edge) in edges.iter().enumerate() {
            let parts = self.arrival(&edge.actions, edge.to, edge.span);
            let body = self.stmts.add(StmtKind::Sequence(parts), edge.span);
            // GraphWalker ignores the guard of the first element of a walk.
            if first == Some(index) {
                self.transition(&names[index], edge, (beginning, None, body));
            }
            if let Some(from) = edge.from {
                self.transition(&names[index], edge, (from, edge.guard, body));
            }
        }
        self.elements.edges = edges;
    }

    /// Adds a transition for an edge: from a location, with a guard and a command. Notes its step for the ranges of variables, and its
    /// event.
    fn transition(
        &mut self,
        name: &str,
        edge: &Edge,
        (from, guard, mut body): (usize, Option<ExprId>, StmtId),
    ) {
        if let Some(condition) = guard {
            let kind = StmtKind::Guard { condition, body };
            body = self.stmts.add(kind, edge.span);
        }
        let is_beginning = from == self.elements.vertices.len();
        let kind = StmtKind::Transition(Box::new(Transition {
            name: name.to_owned(),
            body,
            never: edge.never.clone().filter(|_| !is_beginning),
        }));
        let transition = self.stmts.add(kind, edge.span);
        self.note_step(from, edge.to, guard, &edge.actions);
        self.events.push(Happening {
            event: edge.name.clone(),
            transition,
            from,
        });
    }

    /// Adds the step at the start of walks if they begin at a vertex: it visits this vertex.
    fn beginning(&mut self) {
        if let Start::Vertex(vertex) = self.elements.start {
            self.visit(Visit::Start, vertex, &[self.elements.vertices.len()]);
        }
    }

    /// Adds a step that reaches the vertex `to` without an edge, from each location in `from`. `why` determines the name of the transition.
    fn visit(&mut self, why: Visit, to: usize, from: &[usize]) {
        let span = self.elements.vertices[to].span;
        let parts = self.arrival(&[], to, span);
        let body = self.stmts.add(StmtKind::Sequence(parts), span);
        let event = visit_event(&self.elements, to);
        let kind = StmtKind::Transition(Box::new(Transition {
            name: why.transition(&self.elements, to),
            body,
            never: None,
        }));
        let transition = self.stmts.add(kind, span);
        for &from in from {
            self.note_step(from, to, None, &[]);
            self.events.push(Happening {
                event: event.clone(),
                transition,
                from,
            });
        }
    }

    /// Adds the changes from vertices with a shared state to vertices of that state in other models.
    fn changes(&mut self) {
        let mut sharing: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, vertex) in self.elements.vertices.iter().enumerate() {
            if let Some(shared) = &vertex.shared {
                sharing.entry(shared.clone()).or_default().push(index);
            }
        }
        for vertices in sharing.into_values() {
            for &to in &vertices {
                let model = self.elements.vertices[to].model;
                let from: Vec<usize> = (vertices.iter().copied())
                    .filter(|from| self.elements.vertices[*from].model != model)
                    .collect();
                if !from.is_empty() && !planted(Fault::SharedStatesIgnored) {
                    self.visit(Visit::Change, to, &from);
                }
            }
        }
    }

    /// Returns the domain of each variable. Integers have the `given` ranges, or else those that the models imply, extended by 1 on both
    /// sides for mutants.
    ///
    /// # Errors
    /// If a range names no integer variable, or an integer has no bounds or starts outside its range.
    fn domains(
        &self,
        given: &[(String, Interval)],
    ) -> Result<BTreeMap<String, Domain>, Vec<Diagnostic>> {
        let numbers = &self.numbers;
        let mut errors = Vec::new();
        for (name, _) in given {
            if !numbers.contains_key(name) {
                let message = format!("--range {name}: no variable of this name is an integer");
                let near =
                    hyperkill_frontend::did_you_mean(name, numbers.keys().map(String::as_str));
                errors.push(Diagnostic::option(message, near));
            }
        }
        let of_name = |name: &String| given.iter().rev().find(|(own, _)| own == name).map(|g| g.1);
        let initial = self.values.values().filter_map(|value| match value {
            Value::Int(value) => Some(*value),
            Value::Symbol(_) => None,
        });
        let question = Question {
            exprs: &self.elements.scripts.exprs,
            names: numbers,
            initial: initial.collect(),
            given: numbers.keys().map(of_name).collect(),
            steps: &self.steps,
            locations: self.elements.vertices.len() + 1,
            first: self.elements.vertices.len(),
        };
        let found = question.answered();
        let symbols: Arc<[String]> = self.symbols().into();
        let mut domains = BTreeMap::new();
        for (name, value) in &self.values {
            let domain = match value {
                Value::Symbol(_) if is_truth(value) => Domain::Bool,
                Value::Symbol(_) => Domain::Symbols(Arc::clone(&symbols)),
                Value::Int(value) => {
                    let (low, high) = match of_name(name) {
                        Some(given) => given,
                        None => found[numbers[name]],
                    };
                    if low == i64::MIN || high == i64::MAX {
                        let message = format!("`{name}` has no bounds");
                        let place = self.growth(name).unwrap_or(self.places[name]);
                        errors.push(Diagnostic::error(place, message).with_help(format!(
                            "`--range {name}=0..9` gives it some: runs that leave them are not looked at. Or let a guard limit it"
                        )));
                        continue;
                    }
                    if *value < low || *value > high {
                        let message =
                            format!("--range {name}={low}..{high}: it is {value} at first");
                        errors.push(Diagnostic::option(message, None));
                        continue;
                    }
                    // Mutants may have values next to those of the model.
                    match of_name(name) {
                        Some(_) => Domain::Range { low, high },
                        None => Domain::Range {
                            low: low - 1,
                            high: high + 1,
                        },
                    }
                }
            };
            domains.insert(name.clone(), domain);
        }
        match errors.is_empty() {
            true => Ok(domains),
            false => Err(errors),
        }
    }

    /// Returns the place of an assignment of a non-constant value to the variable `name`; `None` if there is none.
    fn growth(&self, name: &str) -> Option<Span> {
        let edges = self.elements.edges.iter().flat_map(|edge| &edge.actions);
        let vertices = self
            .elements
            .vertices
            .iter()
            .flat_map(|vertex| &vertex.actions);
        let exprs = &self.elements.scripts.exprs;
        let mut all = edges.chain(vertices);
        let found = all
            .find(|a| a.target.text == name && !matches!(exprs[a.value].kind, ExprKind::Number(_)));
        found.map(|assignment| assignment.span)
    }

    fn symbols(&self) -> Vec<String> {
        let symbols = self.elements.scripts.symbols.iter();
        different(symbols.map(|symbol| &symbol.text))
    }

    fn finished(mut self, mut domains: BTreeMap<String, Domain>) -> System {
        let mut variables = Vec::new();
        for (name, value) in &self.values {
            let Some(domain) = domains.remove(name) else {
                continue;
            };
            let span = self.places[name];
            variables.push(Variable {
                name: Name {
                    text: name.clone(),
                    span,
                },
                domain,
                initial: (value.clone(), span),
            });
        }
        variables.sort_by_key(|variable| variable.name.span.start);
        let mut places: Vec<String> = self.names.clone();
        let place = match self.elements.start {
            Start::Vertex(vertex) => self.elements.vertices[vertex].span,
            Start::Edge(edge) => self.elements.edges[edge].span,
        };
        let first = BEGINNING.to_owned();
        places.push(first.clone());
        let location = variables.len();
        variables.push(Variable {
            name: Name {
                text: LOCATION.to_owned(),
                span: place,
            },
            domain: Domain::Symbols(places.clone().into()),
            initial: (Value::Symbol(first), place),
        });
        let (actions, block) = self.actions(&places);
        let vertex = Name {
            text: "vertex".to_owned(),
            span: place,
        };
        let shown = different(&self.shown);
        System {
            exprs: self.elements.scripts.exprs,
            stmts: self.stmts,
            variables,
            actions,
            block,
            inputs: None,
            outputs: vec![Output {
                name: Name {
                    text: REACHED.to_owned(),
                    span: place,
                },
                parameters: vec![(vertex, Domain::Symbols(shown.into()))],
            }],
            location: Some(location),
            refusal: Refusal::Seen,
            leaving: match planted(Fault::LeavingDisables) {
                true => Leaving::Disables,
                false => Leaving::EndsRuns,
            },
        }
    }

    /// Returns an action for each event, and the loop that offers all of them. `places` are the names of locations; transitions from a
    /// location without a name are dropped.
    fn actions(&mut self, places: &[String]) -> (Vec<Action>, Block) {
        let mut order: Vec<String> = Vec::new();
        let mut by_event: BTreeMap<String, BTreeMap<usize, Vec<StmtId>>> = BTreeMap::new();
        for happening in &self.events {
            let from = happening.from;
            if !by_event.contains_key(&happening.event) {
                order.push(happening.event.clone());
            }
            let located = by_event.entry(happening.event.clone()).or_default();
            located.entry(from).or_default().push(happening.transition);
        }
        let (mut actions, mut offers) = (Vec::new(), Vec::new());
        for event in order {
            let located = by_event.remove(&event).unwrap_or_default();
            let span = located
                .values()
                .flatten()
                .next()
                .map_or(Span::new(0, 0), |id| self.stmts[*id].span);
            let mut branches = Vec::new();
            for (from, mut transitions) in located {
                let Some(place) = places.get(from) else {
                    continue;
                };
                let name = Name {
                    text: place.clone(),
                    span,
                };
                let part = match transitions.len() {
                    1 => transitions.swap_remove(0),
                    _ => self.stmts.add(StmtKind::Choice(transitions), span),
                };
                branches.push((name, part));
            }
            let body = self.stmts.add(StmtKind::Located(branches), span);
            let name = Name { text: event, span };
            offers.push(Block::Offer(Offer {
                action: name.clone(),
                parameters: Vec::new(),
                span,
            }));
            actions.push(Action {
                name,
                parameters: Vec::new(),
                guard: None,
                body,
            });
        }
        (actions, Block::Choice(offers))
    }
}

/// Returns the texts in the order of their first occurrence, each once.
fn different<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let texts = texts.into_iter();
    texts
        .filter(|text| seen.insert(text.as_str()))
        .cloned()
        .collect()
}

fn is_truth(value: &Value) -> bool {
    [true, false]
        .iter()
        .any(|truth| *value == Value::bool(*truth))
}
