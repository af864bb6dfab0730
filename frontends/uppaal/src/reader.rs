//! From the texts of a document to a model as it is written.

use hyperkill_frontend::{Diagnostic, Span};

use crate::document::{LocationText, Nta, TemplateText, TransitionText};
use crate::parser::{Parser, Read};
use crate::syntax::{
    Binary, Edge, Expr, Location, Model, Name, Node, Sync, System, Template, TypeText,
};
use hyperkill_text::Excerpt;

/// Reads all texts of a document.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read(nta: &Nta) -> Result<Model, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    let mut system = System::default();
    let mut declarations = reader
        .read(&nta.declaration, |parser| {
            let declared = parser.declarations(None)?;
            Ok((declared, system_of(parser)?))
        })
        .map_or_else(Vec::new, |(declared, rest)| {
            // The declarations of very old files may contain the complete model.
            system = rest;
            declared
        });
    declarations.append(&mut system.declarations);
    for text in [&nta.instantiation, &nta.system] {
        if let Some(read) = reader.read(text, Parser::system) {
            system.declarations.extend(read.declarations);
            system.instances.extend(read.instances);
            system.processes.extend(read.processes);
            system.levels.extend(read.levels);
            system.io.extend(read.io);
            system.ignored.extend(read.ignored);
        }
    }
    let templates = nta.templates.iter();
    let templates: Vec<Template> = templates.map(|text| reader.template(text)).collect();
    match reader.errors.is_empty() {
        true => Ok(Model {
            declarations,
            templates,
            system,
        }),
        false => {
            reader.errors.sort_by_key(|error| error.span);
            Err(reader.errors)
        }
    }
}

fn system_of(parser: &mut Parser<'_>) -> Read<System> {
    match parser.tokens.is_over() {
        true => Ok(System::default()),
        false => Err(parser.tokens.unexpected("a declaration")),
    }
}

#[derive(Default)]
struct Reader {
    errors: Vec<Diagnostic>,
}

impl Reader {
    /// Reads a complete text by `read`. Records an error, or text after the result, and then returns `None`.
    fn read<'t, T>(
        &mut self,
        text: &'t Excerpt,
        read: impl FnOnce(&mut Parser<'t>) -> Read<T>,
    ) -> Option<T> {
        let whole = Parser::new(text).and_then(|mut parser| {
            let found = read(&mut parser)?;
            match parser.tokens.is_over() {
                true => Ok(found),
                false => Err(parser.tokens.unexpected("the end")),
            }
        });
        match whole {
            Ok(found) => Some(found),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    fn template(&mut self, text: &TemplateText) -> Template {
        Template {
            name: Name {
                text: text.name.clone(),
                span: text.span,
            },
            parameters: self
                .read(&text.parameter, Parser::parameters)
                .unwrap_or_default(),
            declarations: self
                .read(&text.declaration, |parser| parser.declarations(None))
                .unwrap_or_default(),
            locations: text.locations.iter().map(|l| self.location(l)).collect(),
            initial: text.initial,
            edges: text.transitions.iter().map(|t| self.edge(t)).collect(),
        }
    }

    fn location(&mut self, text: &LocationText) -> Location {
        let invariant = text.invariant.as_ref();
        let invariant = invariant.and_then(|text| self.read(text, conditions));
        Location {
            name: text.name.clone(),
            invariant: invariant.unwrap_or_default(),
            is_urgent: text.is_urgent || text.is_committed,
            is_committed: text.is_committed,
            span: text.span,
        }
    }

    fn edge(&mut self, text: &TransitionText) -> Edge {
        let mut read = |text: &Option<Excerpt>| {
            let text = text.as_ref()?;
            self.read(text, conditions)
        };
        let guard = read(&text.guard).unwrap_or_default();
        let mut update = read(&text.update).unwrap_or_default();
        if let Some(branch) = &text.branch {
            update.extend(read(&branch.update).unwrap_or_default());
        }
        let select = text
            .select
            .as_ref()
            .and_then(|text| self.read(text, select));
        let sync = text.sync.as_ref().and_then(|text| self.read(text, sync));
        Edge {
            source: text.source,
            target: text.target,
            select: select.unwrap_or_default(),
            guard,
            sync: sync.flatten(),
            update,
            controllable: text.controllable,
            span: text.span,
        }
    }
}

/// Reads expressions with commas between them, perhaps none. Returns the operands of their conjunction.
pub(crate) fn conditions(parser: &mut Parser<'_>) -> Read<Vec<Expr>> {
    let mut all = Vec::new();
    while !parser.tokens.is_over() {
        let whole = parser.expression()?;
        split(whole, &mut all);
        if !parser.tokens.eat(",") && !parser.tokens.eat(";") {
            break;
        }
    }
    Ok(all)
}

/// Adds the operands of a conjunction to `parts`, or the expression if it is none.
fn split(whole: Expr, parts: &mut Vec<Expr>) {
    match whole.node {
        Node::Binary(Binary::And, left, right) => {
            split(*left, parts);
            split(*right, parts);
        }
        _ => parts.push(whole),
    }
}

pub(crate) fn select(parser: &mut Parser<'_>) -> Read<Vec<(Name, TypeText)>> {
    let mut all = Vec::new();
    while !parser.tokens.is_over() {
        let name = parser.name()?;
        parser.tokens.expect(":")?;
        all.push((name, parser.type_text()?));
        if !parser.tokens.eat(",") && !parser.tokens.eat(";") {
            break;
        }
    }
    Ok(all)
}

pub(crate) fn sync(parser: &mut Parser<'_>) -> Read<Option<Sync>> {
    if parser.tokens.is_over() {
        return Ok(None);
    }
    let channel = parser.channel()?;
    let is_input = parser.tokens.eat("?");
    if !is_input {
        parser.tokens.expect("!")?;
    }
    Ok(Some(Sync { channel, is_input }))
}

/// Returns the place of a complete label, for messages about it. `None` without parts.
#[must_use]
pub fn whole(parts: &[Expr]) -> Option<Span> {
    let (first, last) = (parts.first()?, parts.last()?);
    Some(first.span.to(last.span))
}
