//! Reads machines of EFSM-tools as graphs in DOT: `0 -> 1 [label = "EVENT [guard] (actions)"]`. The names in guards, x1, x2, …, are boolean
//! parameters of the event. Actions are outputs, and the bold state is the initial one.

use std::collections::BTreeMap;

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_guarded::expression;
use hyperkill_guarded::lexer::{Kind, lex};
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::operators::Operators;
use hyperkill_guarded::tree::{
    Action, Block, Domain, ExprId, Exprs, Leaving, Name, Offer, Output, Refusal, StmtId, StmtKind,
    Stmts, System, Transition, Variable,
};
use hyperkill_text::{Source, dot};

use crate::spelling;

/// The spelling of guards.
pub(crate) const LANGUAGE: Language = Language {
    operators: Operators {
        yes: "1",
        no: "0",
        skip: "",
        name: str::to_owned,
        ..spelling::LANGUAGE.operators
    },
    without: &["CBD"],
    ..spelling::LANGUAGE
};

/// The suggestion for malformed labels.
const LABEL: &str = "a label is `EVENT [guard] (actions)`, with the guard `1` if there is none";

/// Reads a machine.
///
/// # Errors
/// The first error of the text.
pub fn read_graph(source: &SourceFile) -> Result<System, Vec<Diagnostic>> {
    let mut reader = Reader {
        text: &source.text,
        exprs: Exprs::default(),
        stmts: Stmts::default(),
        nodes: Vec::new(),
        first: None,
        edges: Vec::new(),
        outputs: Vec::new(),
    };
    reader.lines().map_err(|error| vec![error])?;
    reader.finished().map_err(|error| vec![error])
}

/// An edge of the graph, as it was read.
struct Edge {
    event: Name,
    from: usize,
    transition: StmtId,
    /// The parameters that its guard reads, with their places.
    reads: BTreeMap<String, Span>,
}

/// An event, with its transitions grouped by source node.
struct Event {
    name: Name,
    parameters: BTreeMap<String, Span>,
    located: BTreeMap<usize, Vec<StmtId>>,
}

struct Reader<'a> {
    text: &'a str,
    exprs: Exprs,
    stmts: Stmts,
    nodes: Vec<Name>,
    first: Option<usize>,
    edges: Vec<Edge>,
    outputs: Vec<Name>,
}

impl Reader<'_> {
    /// Returns the place of a piece of the text.
    fn span(&self, piece: &str) -> Span {
        let source = Source {
            file: 0,
            text: self.text,
        };
        source.span(piece)
    }

    fn name(&self, piece: &str) -> Name {
        Name {
            text: piece.to_owned(),
            span: self.span(piece),
        }
    }

    fn node(&mut self, name: &str) -> usize {
        let mut known = self.nodes.iter();
        known.position(|node| node.text == name).unwrap_or_else(|| {
            self.nodes.push(self.name(name));
            self.nodes.len() - 1
        })
    }

    fn lines(&mut self) -> Result<(), Diagnostic> {
        let text = self.text;
        for line in text.lines() {
            if let Some(((from, to), attributes)) = dot::edge(line) {
                self.edge(from, to, attributes)?;
            } else if let Some((name, attributes)) = dot::node(line.trim())
                && dot::quoted(attributes, "style") == Some("bold")
            {
                self.first = Some(self.node(name));
            }
        }
        Ok(())
    }

    fn edge(&mut self, from: &str, to: &str, attributes: &str) -> Result<(), Diagnostic> {
        let (from, target) = (self.node(from), self.name(to));
        self.node(to);
        let label = dot::quoted(attributes, "label").unwrap_or("");
        let wrong = |place: Span, message: &str| Diagnostic::error(place, message).with_help(LABEL);
        let whole = self.span(label);
        let Some((event, rest)) = label.split_once('[') else {
            let place = if label.is_empty() { target.span } else { whole };
            return Err(wrong(place, "an edge without a guard in brackets"));
        };
        let event = self.name(event.trim());
        if event.text.is_empty() {
            return Err(wrong(whole, "an edge without an event"));
        }
        let Some((guard, rest)) = rest.split_once(']') else {
            return Err(wrong(whole, "the guard never ends"));
        };
        let actions = rest
            .trim()
            .strip_prefix('(')
            .and_then(|all| all.strip_suffix(')'));
        let Some(actions) = actions else {
            return Err(wrong(whole, "an edge without actions in parentheses"));
        };
        let (condition, reads) = self.guard(guard)?;
        let mut parts = Vec::new();
        for action in actions.split(',').map(str::trim).filter(|a| !a.is_empty()) {
            let output = self.name(action);
            if !self.outputs.iter().any(|known| known.text == output.text) {
                self.outputs.push(output.clone());
            }
            let span = output.span;
            let values = Vec::new();
            parts.push(self.stmts.add(StmtKind::Emit { output, values }, span));
        }
        let span = target.span;
        parts.push(self.stmts.add(StmtKind::Move { target }, span));
        let body = self.stmts.add(StmtKind::Sequence(parts), whole);
        let body = self.stmts.add(StmtKind::Guard { condition, body }, whole);
        let base = format!("{}.{}", self.nodes[from].text, event.text);
        let same = self
            .edges
            .iter()
            .filter(|e| e.from == from && e.event.text == event.text);
        let name = match same.count() {
            0 => base,
            count => format!("{base}#{}", count + 1),
        };
        let kind = StmtKind::Transition(Box::new(Transition {
            name,
            body,
            never: None,
        }));
        let transition = self.stmts.add(kind, whole);
        self.edges.push(Edge {
            event,
            from,
            transition,
            reads,
        });
        Ok(())
    }

    /// Parses a guard. Returns it with the places of the parameters that it reads.
    fn guard(&mut self, guard: &str) -> Result<(ExprId, BTreeMap<String, Span>), Diagnostic> {
        let start = self.span(guard).start;
        let place = |span: Span| Span::new(start + span.start, start + span.end);
        let moved = |mut error: Diagnostic| {
            error.span = error.span.map(place);
            error
        };
        let lexed = lex(guard, 0, &LANGUAGE.lexicon).map_err(moved)?;
        let mut tokens = lexed.tokens;
        let from = self.exprs.len();
        let condition = expression::read(&mut tokens, &mut self.exprs, &LANGUAGE.operators);
        let condition = condition.map_err(moved)?;
        if tokens.kind(0) != Kind::End {
            return Err(moved(tokens.unexpected("`&`, `|` or the end of the guard")));
        }
        let mut reads = BTreeMap::new();
        self.exprs.settle(from, place, |text, span| {
            reads.entry(text.to_owned()).or_insert(place(span));
            text.to_owned()
        });
        self.exprs.numbers_as_truths(from);
        Ok((condition, reads))
    }

    fn finished(mut self) -> Result<System, Diagnostic> {
        let Some(first) = self.first else {
            let error = Diagnostic::error(Span::new(0, 0), "no state is the first one");
            return Err(error.with_help("the first state is bold: `0 [style = \"bold\"];`"));
        };
        let mut events: BTreeMap<String, Event> = BTreeMap::new();
        for edge in self.edges {
            let all = events.entry(edge.event.text.clone());
            let event = all.or_insert_with(|| Event {
                name: edge.event,
                parameters: BTreeMap::new(),
                located: BTreeMap::new(),
            });
            for (name, place) in edge.reads {
                event.parameters.entry(name).or_insert(place);
            }
            event
                .located
                .entry(edge.from)
                .or_default()
                .push(edge.transition);
        }
        let (mut actions, mut offers) = (Vec::new(), Vec::new());
        for Event {
            name,
            parameters,
            located,
        } in events.into_values()
        {
            let mut branches = Vec::new();
            for (from, mut transitions) in located {
                let part = match transitions.len() {
                    1 => transitions.swap_remove(0),
                    _ => self.stmts.add(StmtKind::Choice(transitions), name.span),
                };
                branches.push((self.nodes[from].clone(), part));
            }
            offers.push(Block::Offer(Offer {
                action: name.clone(),
                parameters: vec![Domain::Bool; parameters.len()],
                span: name.span,
            }));
            actions.push(Action {
                parameters: (parameters.into_iter())
                    .map(|(text, span)| Name { text, span })
                    .collect(),
                guard: None,
                body: self.stmts.add(StmtKind::Located(branches), name.span),
                name,
            });
        }
        let places: Vec<String> = self.nodes.iter().map(|node| node.text.clone()).collect();
        let first = self.nodes[first].clone();
        let outputs = self.outputs.into_iter();
        Ok(System {
            exprs: self.exprs,
            stmts: self.stmts,
            variables: vec![Variable {
                name: Name {
                    text: "location".to_owned(),
                    span: first.span,
                },
                domain: Domain::Symbols(places.into()),
                initial: (Value::Symbol(first.text), first.span),
            }],
            actions,
            block: Block::Choice(offers),
            inputs: None,
            outputs: outputs
                .map(|name| Output {
                    name,
                    parameters: Vec::new(),
                })
                .collect(),
            location: Some(0),
            refusal: Refusal::Seen,
            leaving: Leaving::Disables,
        })
    }
}
