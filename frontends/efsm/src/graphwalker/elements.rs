//! Models, vertices and edges with their scripts.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use hyperkill_guarded::tree::ExprId;
use hyperkill_text::json::{Raw, Text};

use super::document::{Document, EdgeText, ModelText, VertexText, id, is_blocked, optional, text};
use super::script::{Assignment, Scripts};

/// The suggestion for models without a start element.
const START: &str = "`startElementId` is the id of the vertex or edge that walks start with";

/// The suggestion for models with shared states and without a start element: their walks may begin in another file.
const START_ELSEWHERE: &str = "`startElementId` is the id of the vertex or edge that walks start with; if walks come here by a shared \
    state, put the models of both files into one list `models`";

/// A vertex that is not blocked.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// The index of the model that has the vertex.
    pub(super) model: usize,
    /// The name; the id if there is none.
    pub(super) name: String,
    /// Whether the vertex has a name.
    pub(super) is_named: bool,
    /// The id of the vertex.
    pub(super) id: String,
    /// The state that it shares with vertices of other models.
    pub(super) shared: Option<String>,
    /// The assignments that are executed on arrival at the vertex.
    pub(super) actions: Vec<Assignment>,
    /// The place of the vertex in the file.
    pub(super) span: Span,
}

/// An edge that is not blocked.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// The name; the id if there is none.
    pub(super) name: String,
    /// Whether the edge has a name.
    pub(super) is_named: bool,
    pub(super) id: String,
    pub(super) guard: Option<ExprId>,
    pub(super) actions: Vec<Assignment>,
    /// The source vertex; only an edge at the start of walks may have none.
    pub(super) from: Option<usize>,
    pub(super) to: usize,
    /// The edit that disables it, if it has no guard.
    pub(super) never: Option<(Span, String)>,
    pub(super) span: Span,
}

/// The start of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// The walk starts at the vertex with this index.
    Vertex(usize),
    /// The walk starts with the edge that has this index.
    Edge(usize),
}

/// All models of a file.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) scripts: Scripts,
    /// The names of the models.
    pub(super) models: Vec<String>,
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    /// The initial actions of the models.
    pub(super) initial: Vec<Assignment>,
    pub(super) start: Start,
    /// The start elements of the other models: GraphWalker continues there when the generator of a model has stopped.
    pub(super) restarts: Vec<Start>,
}

/// Reads the models in the text of a file of GraphWalker.
///
/// # Errors
/// The first error of JSON, of a value's form, or of a guard or action. If there is none, all of these: missing start elements, repeated
/// and undefined ids, edges that lead nowhere, and models without vertices and edges.
pub(super) fn read(file: &str) -> Result<Elements, Vec<Diagnostic>> {
    let text = text(file);
    let one = |error| vec![error];
    let document = text
        .document()
        .map_err(|error| vec![commented(file, error)]);
    let document: Document<'_> = document?;
    let whole = Span::new(0, file.len());
    let shapes: Vec<(ModelText<'_>, Span)> = match (&document.models, document.vertices) {
        (Some(models), _) => models
            .iter()
            .map(|raw| Ok((text.shaped::<ModelText<'_>>(raw)?, text.span(raw))))
            .collect::<Result<_, _>>()
            .map_err(one)?,
        (None, Some(_)) => vec![(text.document().map_err(one)?, whole)],
        (None, None) => Vec::new(),
    };
    if shapes.is_empty() {
        let error = Diagnostic::error(Span::new(0, 0), "there are no models");
        return Err(vec![error.with_help(
            "`models` is a list of objects with `vertices` and `edges`",
        )]);
    }
    let mut reader = Reader {
        text,
        scripts: Scripts::default(),
        models: Vec::new(),
        vertices: Vec::new(),
        edges: Vec::new(),
        initial: Vec::new(),
        starts: Vec::new(),
        ids: BTreeMap::new(),
        blocked: BTreeSet::new(),
        errors: Vec::new(),
    };
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (index, (shape, _)) in shapes.iter().enumerate() {
        let name = optional(text, shape.name).map_err(one)?;
        let mut name = name.map_or_else(|| format!("model{}", index + 1), |(name, _)| name);
        if taken.contains(&name) {
            name = format!("{name}#{}", index + 1);
        }
        taken.insert(name.clone());
        reader.models.push(name);
    }
    for (index, (shape, span)) in shapes.iter().enumerate() {
        reader.model(index, shape, *span).map_err(one)?;
    }
    let start = reader.start(whole);
    let restarts = reader.restarts(start);
    let Reader {
        scripts,
        models,
        vertices,
        edges,
        initial,
        errors,
        ..
    } = reader;
    match start {
        Some(start) if errors.is_empty() => Ok(Elements {
            scripts,
            models,
            vertices,
            edges,
            initial,
            start,
            restarts,
        }),
        _ => Err(errors),
    }
}

/// Adds a suggestion to an error of JSON at a comment, since GraphWalker accepts comments.
fn commented(file: &str, error: Diagnostic) -> Diagnostic {
    let at = error.span.map_or(0, |span| span.start);
    let rest = file.get(at..).unwrap_or_default();
    match rest.starts_with("/*") || rest.starts_with("//") {
        true => error.with_help("JSON has no comments: leave them out"),
        false => error,
    }
}

/// An element with an id.
#[derive(Clone, Copy, Debug)]
enum Element {
    Vertex(usize),
    Edge(usize),
}

struct Reader<'a> {
    text: Text<'a>,
    scripts: Scripts,
    models: Vec<String>,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    initial: Vec<Assignment>,
    /// The start elements of models: the model, the id, and the place.
    starts: Vec<(usize, String, Span)>,
    /// The elements by model and id.
    ids: BTreeMap<(usize, String), (Element, Span)>,
    /// Blocked elements, by model and id.
    blocked: BTreeSet<(usize, String)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// Returns the prefix of a model's variables: `MODEL.`, or nothing if there is only one model.
    fn scope(&self, model: usize) -> String {
        match self.models.len() {
            1 => String::new(),
            _ => format!("{}.", self.models[model]),
        }
    }

    fn actions(
        &mut self,
        all: Option<&Vec<Raw<'a>>>,
        model: usize,
    ) -> Result<Vec<Assignment>, Diagnostic> {
        let scope = self.scope(model);
        let mut found = Vec::new();
        for part in all.into_iter().flatten() {
            found.append(&mut self.scripts.actions(self.text, part, &scope)?);
        }
        Ok(found)
    }

    fn model(&mut self, index: usize, shape: &ModelText<'a>, span: Span) -> Result<(), Diagnostic> {
        let initial = self.actions(shape.actions.as_ref(), index)?;
        self.initial.extend(initial);
        for raw in shape.vertices.iter().flatten() {
            let vertex: VertexText<'_> = self.text.shaped(raw)?;
            self.vertex(index, &vertex, self.text.span(raw))?;
        }
        if let Some((id, place)) = optional(self.text, shape.start_element_id)? {
            self.starts.push((index, id, place));
        }
        for raw in shape.edges.iter().flatten() {
            let edge: EdgeText<'_> = self.text.shaped(raw)?;
            self.edge(index, &edge, self.text.span(raw))?;
        }
        if shape.vertices.is_none() && shape.edges.is_none() {
            self.errors.push(Diagnostic::error(
                span,
                "a model without vertices and edges",
            ));
        }
        Ok(())
    }

    /// Records an element of a model with its id. A repeated id is an error, and the first element keeps it.
    fn note(&mut self, model: usize, id: &str, element: Element, place: Span) {
        let key = (model, id.to_owned());
        if let Some((_, first)) = self.ids.get(&key) {
            let message = format!("a second element has the id `{id}`");
            let error = Diagnostic::error(place, message);
            let error = error.with_label(*first, "the first one is here");
            self.errors
                .push(error.with_help("walks name elements by their ids: give it another one"));
            return;
        }
        self.ids.insert(key, (element, place));
    }

    fn vertex(
        &mut self,
        model: usize,
        shape: &VertexText<'a>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let (id, place) = id(self.text, shape.id, span)?;
        if is_blocked(self.text, shape.properties) {
            self.blocked.insert((model, id));
            return Ok(());
        }
        let name = optional(self.text, shape.name)?;
        let is_named = name.is_some();
        let name = name.map_or_else(|| id.clone(), |(name, _)| name);
        let shared = optional(self.text, shape.shared_state)?.map(|(shared, _)| shared);
        let actions = self.actions(shape.actions.as_ref(), model)?;
        self.note(model, &id, Element::Vertex(self.vertices.len()), place);
        self.vertices.push(Vertex {
            model,
            name,
            is_named,
            id,
            shared,
            actions,
            span,
        });
        Ok(())
    }

    /// Returns the vertex of a model with this id. `None` if it is blocked, and, with an error at `place`, if there is no such vertex.
    fn end(&mut self, model: usize, id: &str, place: Span) -> Option<usize> {
        if self.blocked.contains(&(model, id.to_owned())) {
            return None;
        }
        if let Some((Element::Vertex(vertex), _)) = self.ids.get(&(model, id.to_owned())) {
            return Some(*vertex);
        }
        let message = format!("the model has no vertex with the id `{id}`");
        let ids = self.vertices.iter().filter(|vertex| vertex.model == model);
        let mut error = Diagnostic::error(place, message);
        error.help = did_you_mean(id, ids.map(|vertex| vertex.id.as_str()));
        self.errors.push(error);
        None
    }

    fn edge(&mut self, model: usize, shape: &EdgeText<'a>, span: Span) -> Result<(), Diagnostic> {
        let (id, place) = id(self.text, shape.id, span)?;
        if is_blocked(self.text, shape.properties) {
            self.blocked.insert((model, id));
            return Ok(());
        }
        let name = optional(self.text, shape.name)?;
        let is_named = name.is_some();
        let name = name.map_or_else(|| id.clone(), |(name, _)| name);
        let scope = self.scope(model);
        let written = shape.guard.filter(|guard| guard.get() != "null");
        let guard = match written {
            Some(part) => self.scripts.guard(self.text, part, &scope)?,
            None => None,
        };
        let never = match (guard, shape.guard) {
            (Some(_), _) => None,
            (None, Some(part)) => Some((self.text.span(part), "\"false\"".to_owned())),
            (None, None) => {
                let brace = Span {
                    end: span.start + 1,
                    ..span
                };
                Some((brace, "{\"guard\": \"false\", ".to_owned()))
            }
        };
        let actions = self.actions(shape.actions.as_ref(), model)?;
        let Some((to, to_place)) = optional(self.text, shape.target_vertex_id)? else {
            self.errors.push(
                Diagnostic::error(span, "an edge that leads nowhere")
                    .with_help("`targetVertexId` says where it leads"),
            );
            return Ok(());
        };
        let from = optional(self.text, shape.source_vertex_id)?;
        // The first edge of walks may start at a missing vertex, often called `Start`.
        let is_first = self
            .starts
            .last()
            .is_some_and(|(of, first, _)| (*of, first) == (model, &id));
        let is_there = |vertex: &String| {
            let key = (model, vertex.clone());
            self.ids.contains_key(&key) || self.blocked.contains(&key)
        };
        let from = from.filter(|(from, _)| !is_first || is_there(from));
        let from = match from {
            None => None,
            Some((from, place)) => match self.end(model, &from, place) {
                Some(from) => Some(from),
                // Edges from a blocked vertex are ignored.
                None => return Ok(()),
            },
        };
        let Some(to) = self.end(model, &to, to_place) else {
            return Ok(());
        };
        self.note(model, &id, Element::Edge(self.edges.len()), place);
        self.edges.push(Edge {
            name,
            is_named,
            id,
            guard,
            actions,
            from,
            to,
            never,
            span,
        });
        Ok(())
    }

    /// Returns the start elements of models that exist and are not blocked, in the order of the models.
    fn starts(&self) -> impl Iterator<Item = Start> + '_ {
        self.starts.iter().filter_map(|(model, id, _)| {
            let (element, _) = self.ids.get(&(*model, id.clone()))?;
            Some(match element {
                Element::Vertex(vertex) => Start::Vertex(*vertex),
                Element::Edge(edge) => Start::Edge(*edge),
            })
        })
    }

    fn restarts(&self, start: Option<Start>) -> Vec<Start> {
        let others = self.starts().filter(|other| Some(*other) != start);
        others.collect()
    }

    /// Returns the start of walks: the start element of the first model that has one. `None`, with an error, if no model has one that is
    /// not blocked.
    fn start(&mut self, whole: Span) -> Option<Start> {
        let found = self.starts().next();
        match (found, self.starts.first()) {
            (Some(_), _) => {}
            (None, Some((_, id, place))) => {
                let message =
                    format!("the model has no element with the id `{id}` that is not blocked");
                self.errors.push(Diagnostic::error(*place, message));
            }
            (None, None) => {
                let place = Span {
                    end: whole.start,
                    ..whole
                };
                let error = Diagnostic::error(place, "no model has a start element");
                let shares = self.vertices.iter().any(|vertex| vertex.shared.is_some());
                self.errors.push(error.with_help(match shares {
                    true => START_ELSEWHERE,
                    false => START,
                }));
            }
        }
        found
    }
}
