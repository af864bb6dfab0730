//! The XML of a model: templates, locations and transitions with their texts, not yet read.

use hyperkill_frontend::{Diagnostic, Span};
use roxmltree::{Document, Node, ParsingOptions};
use rustc_hash::FxHashMap;

use crate::nta::joined;
pub use crate::nta::{Branch, LocationText, Nta, TemplateText, TransitionText};
use hyperkill_text::{Excerpt, Source};

/// The number of elements and texts in a file, at most.
const MOST_NODES: u32 = 4_000_000;

/// Reads a file, in XML or in Uppaal's textual format.
///
/// # Errors
/// All errors in its elements.
pub fn read(source: &str) -> Result<Nta, Vec<Diagnostic>> {
    if crate::xta::is_xta(source) {
        return crate::xta::read(source);
    }
    if let Some(start) = source.find("<!ENTITY") {
        let message = "entities of a file's own are not read";
        return Err(vec![Diagnostic::error(
            Span::new(start, start + 8),
            message,
        )]);
    }
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(source, options) {
        Ok(document) => document,
        Err(error) => {
            let position = error.pos();
            let start = offset(source, position.row, position.col);
            let message = format!("this is no XML: {error}");
            return Err(vec![Diagnostic::error(Span::new(start, start), message)]);
        }
    };
    let mut reader = Reader {
        source,
        errors: Vec::new(),
    };
    let nta = reader.nta(document.root_element());
    match reader.errors.is_empty() {
        true => Ok(nta),
        false => {
            reader.errors.sort_by_key(|error| error.span);
            Err(reader.errors)
        }
    }
}

/// Returns the byte offset of a row and column, both from 1; at most the length of the text.
fn offset(source: &str, row: u32, column: u32) -> usize {
    let text = Source {
        file: 0,
        text: source,
    };
    let start = text.start_of_line(row as usize);
    let line = source.get(start..).unwrap_or("");
    let skipped = line.chars().take(column.saturating_sub(1) as usize);
    let at = start + skipped.map(char::len_utf8).sum::<usize>();
    at.min(source.len())
}

struct Reader<'a> {
    source: &'a str,
    errors: Vec<Diagnostic>,
}

/// Returns the start of an element's tag, as a place for messages.
fn tag(node: Node<'_, '_>) -> Span {
    let range = node.range();
    let name = node.tag_name().name().len();
    Span::new(range.start, (range.start + 1 + name).min(range.end))
}

impl Reader<'_> {
    fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn nta(&mut self, root: Node<'_, '_>) -> Nta {
        let mut nta = Nta {
            system_span: tag(root),
            ..Nta::default()
        };
        let open = self.source[root.range()]
            .find('>')
            .map_or(0, |length| length + 1);
        nta.room = (root.range().start + open, true);
        if !root.has_tag_name("nta") {
            self.refuse(tag(root), "a model is an element `nta`");
            return nta;
        }
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "declaration" => {
                    if child.first_child().is_some() {
                        nta.declaration = self.text(child);
                        // In front: at the end there may be a comment up to the end of the line.
                        nta.room = (self.inside(child).0, false);
                    }
                }
                "template" => {
                    if let Some(template) = self.template(child) {
                        nta.templates.push(template);
                    }
                }
                "instantiation" => nta.instantiation = self.text(child),
                "system" => {
                    nta.system = self.text(child);
                    nta.system_span = tag(child);
                }
                "queries" => {
                    let formulas = child.descendants().filter(|n| n.has_tag_name("formula"));
                    let formulas = formulas.map(|formula| self.text(formula).plain);
                    let formulas: Vec<String> = formulas.collect();
                    nta.queries.extend(formulas);
                }
                "imports" | "option" => {}
                "lsc" => self.refuse(tag(child), "live sequence charts are not read"),
                other => self.refuse(tag(child), format!("a model has no `{other}`")),
            }
        }
        nta
    }

    /// Returns the range of bytes between the tags of an element. It is searched for in the text, since the ranges of its children are
    /// wrong where text and CDATA meet.
    fn inside(&self, node: Node<'_, '_>) -> (usize, usize) {
        let range = node.range();
        let attributes = node.attributes().map(|attribute| attribute.range().end);
        let behind = attributes.max().unwrap_or(range.start);
        let open = self.source.get(behind..range.end).unwrap_or("").find('>');
        let start = open.map_or(range.end, |length| behind + length + 1);
        let close = self.source.get(start..range.end).unwrap_or("").rfind("</");
        (start, close.map_or(range.end, |length| start + length))
    }

    /// Returns the text inside an element. Records an error if there is an element in it.
    fn text(&mut self, node: Node<'_, '_>) -> Excerpt {
        if node.first_child().is_none() {
            return Excerpt::default();
        }
        if let Some(inner) = node.children().find(Node::is_element) {
            self.refuse(tag(inner), "there is an element in a text");
        }
        let (start, end) = self.inside(node);
        match hyperkill_text::xml::excerpt(self.source, start, end) {
            Ok(text) => text,
            Err(error) => {
                self.errors.push(error);
                Excerpt::default()
            }
        }
    }

    fn template(&mut self, node: Node<'_, '_>) -> Option<TemplateText> {
        let mut name = None;
        let mut parameter = Excerpt::default();
        let mut declaration = Excerpt::default();
        let mut locations: Vec<LocationText> = Vec::new();
        let mut number_of: FxHashMap<String, usize> = FxHashMap::default();
        let mut points: Vec<(String, Span)> = Vec::new();
        let mut initial = None;
        let mut transitions = Vec::new();
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "name" => name = Some((self.text(child), tag(child))),
                "parameter" => parameter = self.text(child),
                "declaration" => declaration = self.text(child),
                "location" => {
                    let location = self.location(child);
                    if number_of
                        .insert(location.id.clone(), locations.len())
                        .is_some()
                    {
                        let id = &location.id;
                        self.refuse(tag(child), format!("there are two locations `{id}`"));
                    }
                    locations.push(location);
                }
                "branchpoint" => {
                    let id = child.attribute("id").unwrap_or_default().to_owned();
                    points.push((id, tag(child)));
                }
                "init" => {
                    let at = child.attribute("ref").unwrap_or_default().to_owned();
                    initial = Some((at, tag(child)));
                }
                "transition" => transitions.push(child),
                other => self.refuse(tag(child), format!("a template has no `{other}`")),
            }
        }
        let (name, span) = name.unwrap_or_else(|| (Excerpt::default(), tag(node)));
        let name = name.plain.trim().to_owned();
        let only_locations = locations.len();
        for (number, (id, span)) in points.iter().enumerate() {
            if number_of
                .insert(id.clone(), only_locations + number)
                .is_some()
            {
                self.refuse(*span, format!("there are two locations `{id}`"));
            }
        }
        let known = |reader: &mut Self, id: &str, span: Span| {
            let found = number_of.get(id).copied();
            if found.is_none() {
                reader.refuse(span, format!("there is no location `{id}`"));
            }
            found
        };
        let Some((at, init)) = initial else {
            self.refuse(
                span,
                format!("template `{name}` does not say where it starts"),
            );
            return None;
        };
        let initial = known(self, &at, init);
        if initial.is_some_and(|initial| initial >= only_locations) {
            self.refuse(init, "a template starts in a location");
        }
        let last = node
            .last_child()
            .map_or(node.range().end, |last| last.range().end);
        let mut elements = node.children().filter(Node::is_element);
        let room = elements.next_back().map_or(last, |last| last.range().end);
        let mut read = Vec::new();
        for node in transitions {
            read.extend(self.transition(node, &known));
        }
        let read = joined(read, only_locations).unwrap_or_else(|error| {
            self.errors.push(error);
            Vec::new()
        });
        Some(TemplateText {
            name,
            span,
            parameter,
            declaration,
            locations,
            initial: initial?,
            transitions: read,
            branch_points: points.into_iter().map(|(_, span)| span).collect(),
            room,
        })
    }

    fn location(&mut self, node: Node<'_, '_>) -> LocationText {
        let id = node.attribute("id").unwrap_or_default().to_owned();
        if id.is_empty() {
            self.refuse(tag(node), "a location has no id");
        }
        let mut location = LocationText {
            name: id.clone(),
            id,
            span: Span::new(node.range().start, node.range().end),
            invariant: None,
            is_urgent: false,
            is_committed: false,
            has_rate: false,
        };
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "name" => {
                    let name = self.text(child).plain.trim().to_owned();
                    if !name.is_empty() {
                        location.name = name;
                    }
                }
                "urgent" => location.is_urgent = true,
                "committed" => location.is_committed = true,
                "label" => match child.attribute("kind").unwrap_or_default() {
                    "invariant" => location.invariant = Some(self.text(child)),
                    "exponentialrate" => location.has_rate = true,
                    _ => {}
                },
                other => self.refuse(tag(child), format!("a location has no `{other}`")),
            }
        }
        location
    }

    fn transition(
        &mut self,
        node: Node<'_, '_>,
        known: &dyn Fn(&mut Self, &str, Span) -> Option<usize>,
    ) -> Option<TransitionText> {
        let (mut source, mut target) = (None, None);
        let mut transition = TransitionText {
            span: Span::new(node.range().start, node.range().end),
            source: 0,
            target: 0,
            select: None,
            guard: None,
            sync: None,
            update: None,
            controllable: node.attribute_node("controllable").map(|attribute| {
                let range = attribute.range();
                let says = attribute.value() != "false";
                (says, Span::new(range.start, range.end))
            }),
            weight: None,
            branch: None,
        };
        for child in node.children().filter(Node::is_element) {
            let at = child.attribute("ref").unwrap_or_default();
            match child.tag_name().name() {
                "source" => source = known(self, at, tag(child)),
                "target" => target = known(self, at, tag(child)),
                "nail" => {}
                "label" => {
                    let text = |reader: &mut Self| Some(reader.text(child));
                    match child.attribute("kind").unwrap_or_default() {
                        "select" => transition.select = text(self),
                        "guard" => transition.guard = text(self),
                        "synchronisation" => transition.sync = text(self),
                        "assignment" => transition.update = text(self),
                        "probability" => transition.weight = Some(tag(child)),
                        _ => {}
                    }
                }
                other => self.refuse(tag(child), format!("a transition has no `{other}`")),
            }
        }
        let has_both = node.children().any(|child| child.has_tag_name("source"))
            && node.children().any(|child| child.has_tag_name("target"));
        if !has_both {
            self.refuse(tag(node), "a transition lacks its source or target");
        }
        (transition.source, transition.target) = (source?, target?);
        Some(transition)
    }
}
