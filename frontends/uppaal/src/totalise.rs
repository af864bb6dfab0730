//! Completes models to accept every input in every state (`--totalise`): an input without an edge has no effect, or leads to a sink.
//!
//! Completion is an edit of the text before mutation, so added parts are mutated like others.

use std::fmt::Write;

use hyperkill_core::timed::Relation;
use hyperkill_frontend::{Diagnostic, FrontendOptions, did_you_mean};

use crate::conditions::{relation, turned};
use crate::document::{Nta, TemplateText};
use crate::machine::{Binding, Machine};
use crate::model::{Typed, typed};
use crate::process::{UnderTest, under_test};
use crate::rules::sign;
use crate::syntax::{Edge, Expr, Node};
use crate::xml::{escaped, quoted, unescaped};

/// The target of an input that the model leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Totalise {
    /// The input has no effect.
    SelfLoop,
    /// The input leads to a location without outgoing edges.
    Sink,
}

impl Totalise {
    const NAMES: [(&str, Totalise); 2] =
        [("self-loop", Totalise::SelfLoop), ("sink", Totalise::Sink)];

    /// Returns the value of `--totalise`; `None` if the option is not given.
    ///
    /// # Errors
    /// If it has no such value.
    pub(crate) fn of(name: Option<&str>) -> Result<Option<Totalise>, Diagnostic> {
        let Some(name) = name else {
            return Ok(None);
        };
        let found = Totalise::NAMES.iter().find(|(known, _)| *known == name);
        let near = || did_you_mean(name, Totalise::NAMES.map(|(known, _)| known));
        let message = format!("--totalise {name}: it is `self-loop` or `sink`");
        found.map_or_else(
            || Err(Diagnostic::option(message, near())),
            |(_, how)| Ok(Some(*how)),
        )
    }
}

/// The number of transitions that are added, at most: guards with many parts leave many cases open.
const MAX_ADDED: usize = 100_000;

/// A transition that is added: the id of its source, the id of its target (`None` for the sink), and its labels.
type Added = (String, Option<String>, String);

/// A condition as text, and the ways in which it fails.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    holds: String,
    fails: Vec<Fails>,
    /// The clock, relation and number if it compares a clock with a known number.
    bound: Option<(String, Relation, i64)>,
}

/// The weakest precondition of a condition over the updates of an edge.
enum After {
    /// The condition holds after the edge, for all states before it.
    Always,
    /// The condition fails after the edge, for all states before it.
    Never,
    /// The condition holds after the edge iff this part holds before it.
    Where(Part),
}

/// A way in which a condition fails.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Fails {
    text: String,
    bound: Option<(String, Relation, i64)>,
}

/// Returns the text with transitions that accept all inputs of the process under test where it leaves them open. A text that is no model is
/// returned unchanged, since its errors are reported when it is read.
///
/// # Errors
/// If guards cannot express where an input is left open.
pub(crate) fn totalised(
    source: &str,
    options: &FrontendOptions,
    how: Totalise,
) -> Result<String, Vec<Diagnostic>> {
    let Ok(Typed { nta, model, facts }) = typed(source) else {
        return Ok(source.to_owned());
    };
    let Ok(process) = under_test(&model, &facts, options.processes.sut.as_deref()) else {
        return Ok(source.to_owned());
    };
    let template = nta.templates.iter();
    let mut template = template.filter(|t| t.name == process.template.name.text);
    let Some(text) = template.next() else {
        return Ok(source.to_owned());
    };
    let mut open = Open {
        source,
        machine: process.machine.clone(),
        process: &process,
    };
    let (transitions, needs_sink) = open.transitions(text, how).map_err(|error| vec![error])?;
    Ok(added(source, &nta, text, &transitions, needs_sink))
}

/// Returns an id for the sink that no location has.
fn sink_id(nta: &Nta) -> String {
    let templates = nta.templates.iter();
    let used: Vec<&str> = templates
        .flat_map(|template| template.locations.iter())
        .flat_map(|location| [location.id.as_str(), location.name.as_str()])
        .collect();
    let mut names = (1..).map(|number: usize| match number {
        1 => "sink".to_owned(),
        number => format!("sink{number}"),
    });
    let free = names.find(|name| !used.contains(&name.as_str()));
    free.unwrap_or_default()
}

fn added(
    source: &str,
    nta: &Nta,
    text: &TemplateText,
    transitions: &[Added],
    needs_sink: bool,
) -> String {
    let sink = sink_id(nta);
    let mut new = String::new();
    for (from, to, labels) in transitions {
        let to = to.as_ref().unwrap_or(&sink);
        let from = if from.is_empty() { &sink } else { from };
        let [from, to] = [from, to].map(|id| quoted(id));
        let _ = writeln!(
            new,
            "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>{labels}</transition>"
        );
    }
    let (before, after) = source.split_at_checked(text.room).unwrap_or((source, ""));
    let last = text
        .locations
        .iter()
        .map(|location| location.span.end)
        .max();
    match (needs_sink, last) {
        (true, Some(last)) if last <= before.len() => {
            let (locations, rest) = before.split_at_checked(last).unwrap_or((before, ""));
            let location = format!("\n<location id=\"{sink}\"><name>{sink}</name></location>");
            [locations, &location, rest, "\n", &new, after].concat()
        }
        _ => [before, "\n", &new, after].concat(),
    }
}

struct Open<'a> {
    source: &'a str,
    machine: Machine,
    process: &'a UnderTest<'a>,
}

impl Open<'_> {
    /// Returns all transitions to add, and whether some lead to the sink.
    fn transitions(
        &mut self,
        text: &TemplateText,
        how: Totalise,
    ) -> Result<(Vec<Added>, bool), Diagnostic> {
        let inputs = self.inputs()?;
        let mut all = Vec::new();
        for (number, location) in text.locations.iter().enumerate() {
            for input in &inputs {
                for guard in self.left_open(number, input)? {
                    let target = match how {
                        Totalise::SelfLoop => Some(location.id.clone()),
                        Totalise::Sink => None,
                    };
                    all.push((location.id.clone(), target, labels(&guard, input)));
                }
                if all.len() > MAX_ADDED {
                    let message = format!("completing it takes more than {MAX_ADDED} transitions");
                    return Err(Diagnostic::error(location.span, message));
                }
            }
        }
        let needs_sink = how == Totalise::Sink && !all.is_empty();
        if needs_sink {
            let loops = inputs.iter();
            all.extend(loops.map(|input| (String::new(), None, labels("", input))));
        }
        Ok((all, needs_sink))
    }

    /// Returns the inputs of the process, as labels name them.
    fn inputs(&self) -> Result<Vec<String>, Diagnostic> {
        let io = self.process.io.into_iter().flatten();
        let io = io.filter(|(_, is_input)| *is_input);
        let mut all: Vec<String> = io.map(|(name, _)| name.text.clone()).collect();
        for edge in &self.process.template.edges {
            let Some(sync) = edge.sync.as_ref().filter(|sync| sync.is_input) else {
                continue;
            };
            match &sync.channel.node {
                Node::Name(name) => all.push(name.clone()),
                _ => {
                    let message = "a model with arrays of channels is not completed";
                    return Err(Diagnostic::error(sync.channel.span, message));
                }
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|name| seen.insert(name.clone()));
        Ok(all)
    }

    /// Returns guards that exclude one another and hold where no edge accepts an input. None of them contradicts itself, or the invariant
    /// of the location, by bounds of single clocks.
    fn left_open(&mut self, location: usize, input: &str) -> Result<Vec<String>, Diagnostic> {
        type Known = (Vec<String>, Vec<(String, Relation, i64)>);
        let invariant = self.process.template.locations[location].invariant.iter();
        let bounds = invariant.filter_map(|condition| self.bound(condition));
        let mut open: Vec<Known> = vec![(Vec::new(), bounds.collect())];
        let edges = self.process.template.edges.iter();
        let edges: Vec<&Edge> = edges
            .filter(|edge| edge.source == location && is_input(edge, input))
            .collect();
        for edge in edges {
            let Some(parts) = self.parts(edge)? else {
                continue;
            };
            let mut rest: Vec<Known> = Vec::new();
            for mut held in open {
                // The states that fail the first part, or satisfy it and fail the second, and so on.
                for part in &parts {
                    for fails in &part.fails {
                        let mut left = held.clone();
                        left.0.push(fails.text.clone());
                        left.1.extend(fails.bound.clone());
                        if is_possible(&left.1) {
                            rest.push(left);
                        }
                    }
                    held.0.push(part.holds.clone());
                    held.1.extend(part.bound.clone());
                }
            }
            open = rest;
        }
        let open = open.into_iter();
        Ok(open.map(|(texts, _)| texts.join(" && ")).collect())
    }

    /// Returns the conditions under which an edge is enabled: its guard, and the weakest precondition of the target's invariant over its
    /// updates. `None` if that never holds.
    fn parts(&mut self, edge: &Edge) -> Result<Option<Vec<Part>>, Diagnostic> {
        if !edge.select.is_empty() {
            let message = "a model with `select` at inputs is not completed";
            return Err(Diagnostic::error(edge.span, message));
        }
        let mut parts = Vec::new();
        for condition in &edge.guard {
            parts.push(self.part(condition, None)?);
        }
        for condition in &self.process.template.locations[edge.target].invariant {
            match self.after(condition, edge)? {
                After::Always => {}
                After::Never => return Ok(None),
                After::Where(part) => parts.push(part),
            }
        }
        Ok(Some(parts))
    }

    /// Returns the weakest precondition of a condition over the updates of an edge.
    fn after(&mut self, condition: &Expr, edge: &Edge) -> Result<After, Diagnostic> {
        let unfit = || {
            let message = "whether this holds after an input cannot be said in a guard, so the model is not completed";
            Err(Diagnostic::error(condition.span, message))
        };
        let mut set = Vec::new();
        for update in &edge.update {
            match &update.node {
                Node::Assign(None, target, value) => match &target.node {
                    Node::Name(name) => set.push((name.clone(), value.as_ref())),
                    _ => return unfit(),
                },
                _ => return unfit(),
            }
        }
        let is_clock = |(name, _): &(String, &Expr)| {
            matches!(self.machine.find(name), Some(Binding::Clock(..)))
        };
        let keeps_data = set.iter().all(is_clock);
        let Some((name, relation, limit)) = self.comparison(condition) else {
            return match keeps_data {
                true => self.part(condition, None).map(After::Where),
                false => unfit(),
            };
        };
        let value = set.iter().rev().find(|(known, _)| *known == name);
        let value = value.map(|(_, value)| *value);
        let is_fixed = value.is_none_or(|value| self.is_constant(value));
        match is_fixed && (keeps_data || self.is_constant(limit)) {
            false => unfit(),
            true => {
                let numbers = value
                    .and_then(|value| self.known(value))
                    .zip(self.known(limit));
                if let Some((value, limit)) = numbers {
                    return Ok(match relation.holds(&value, &limit) {
                        true => After::Always,
                        false => After::Never,
                    });
                }
                let value = value.map(|value| self.text(value));
                self.part(condition, value).map(After::Where)
            }
        }
    }

    /// Whether an expression consists of numbers, truth values and constants, so that its value never changes.
    fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.node {
            Node::Number(_) | Node::Truth(_) => true,
            Node::Name(name) => matches!(self.machine.find(name), Some(Binding::Constant(..))),
            Node::Unary(_, a) => self.is_constant(a),
            Node::Binary(_, a, b) => self.is_constant(a) && self.is_constant(b),
            _ => false,
        }
    }

    /// Returns the value of a constant expression; `None` for other expressions.
    fn known(&self, expr: &Expr) -> Option<i64> {
        let mut machine = self.is_constant(expr).then(|| self.machine.clone())?;
        machine.number(expr).ok()
    }

    /// Returns the bound that a condition gives a clock: the clock's text, the relation, and the constant. `None` if it does not compare a
    /// clock with a constant.
    fn bound(&self, condition: &Expr) -> Option<(String, Relation, i64)> {
        let (clock, relation, limit) = self.comparison(condition)?;
        Some((clock, relation, self.known(limit)?))
    }

    fn text(&self, expr: &Expr) -> String {
        unescaped(expr.span.of(self.source))
    }

    /// Returns the clock of a comparison, its relation as if the clock were on the left, and the other side. `None` if it does not compare
    /// a single clock with data.
    fn comparison<'e>(&self, expr: &'e Expr) -> Option<(String, Relation, &'e Expr)> {
        let Node::Binary(operator, left, right) = &expr.node else {
            return None;
        };
        let relation = relation(*operator)?;
        let about = |side: &Expr| self.machine.is_about_clocks(side);
        let is_clock = |side: &Expr| matches!(side.node, Node::Name(_) | Node::Index(..));
        match (about(left), about(right)) {
            (true, false) if !is_clock(left) => None,
            (false, true) if !is_clock(right) => None,
            (true, false) => Some((self.text(left), relation, right)),
            (false, true) => Some((self.text(right), turned(relation), left)),
            _ => None,
        }
    }

    /// Returns the text of a condition, and the ways in which it fails. A `value` replaces its clock.
    ///
    /// # Errors
    /// If a condition on clocks has no simple opposite.
    fn part(&mut self, expr: &Expr, value: Option<String>) -> Result<Part, Diagnostic> {
        let Some((clock, relation, constant)) = self.comparison(expr) else {
            if self.machine.is_about_clocks(expr) {
                let message = "this condition on clocks has no simple opposite, so the model is not completed";
                return Err(Diagnostic::error(expr.span, message));
            }
            let text = self.text(expr);
            return Ok(Part {
                fails: vec![Fails {
                    text: format!("!({text})"),
                    bound: None,
                }],
                holds: format!("({text})"),
                bound: None,
            });
        };
        let limit = self.text(constant);
        let known = self.known(constant);
        let written = |relation: Relation| match &value {
            Some(value) => format!("({value}) {} ({limit})", sign(relation)),
            None => format!("{clock} {} {limit}", sign(relation)),
        };
        let bound = |relation| match value {
            None => known.map(|known| (clock.clone(), relation, known)),
            Some(_) => None,
        };
        Ok(Part {
            holds: written(relation),
            bound: bound(relation),
            fails: opposites(relation)
                .iter()
                .map(|relation| Fails {
                    text: written(*relation),
                    bound: bound(*relation),
                })
                .collect(),
        })
    }
}

fn is_input(edge: &Edge, input: &str) -> bool {
    edge.sync.as_ref().is_some_and(|sync| {
        sync.is_input && matches!(&sync.channel.node, Node::Name(name) if name == input)
    })
}

fn labels(guard: &str, input: &str) -> String {
    let guard = match guard {
        "" => String::new(),
        guard => format!("<label kind=\"guard\">{}</label>", escaped(guard)),
    };
    format!("{guard}<label kind=\"synchronisation\">{input}?</label>")
}

fn opposites(relation: Relation) -> &'static [Relation] {
    match relation {
        Relation::Less => &[Relation::AtLeast],
        Relation::AtMost => &[Relation::Greater],
        Relation::Equal => &[Relation::Less, Relation::Greater],
        Relation::AtLeast => &[Relation::Less],
        Relation::Greater => &[Relation::AtMost],
    }
}

/// Whether each clock, regarded alone, has a value within all of these bounds.
fn is_possible(bounds: &[(String, Relation, i64)]) -> bool {
    bounds.iter().all(|(clock, _, _)| {
        // In halves: a strict bound is half a unit further in, which is exact for bounds that are whole.
        let (mut from, mut to) = (0, i64::MAX);
        for (_, relation, constant) in bounds.iter().filter(|(other, ..)| other == clock) {
            let twice = constant.saturating_mul(2);
            match relation {
                Relation::Less => to = to.min(twice.saturating_sub(1)),
                Relation::AtMost => to = to.min(twice),
                Relation::Equal => (from, to) = (from.max(twice), to.min(twice)),
                Relation::AtLeast => from = from.max(twice),
                Relation::Greater => from = from.max(twice.saturating_add(1)),
            }
        }
        from <= to
    })
}
