//! Prints systems of guarded commands as texts, for every language of `frontends/guarded`.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_guarded::model::Model;
use hyperkill_guarded::printer::expression;
use hyperkill_guarded::tree::{
    Action, Block, Domain, ExprId, Leaving, Name, Refusal, StmtId, StmtKind, System,
};

use crate::spelling::LANGUAGE;

/// Returns the text of an equivalent system. Actions that are never offered are left out.
#[must_use]
pub fn text(model: &Model<'_>) -> String {
    let mut printer = Printer {
        model,
        system: model.system,
        out: String::new(),
    };
    printer.declarations();
    printer.offers();
    printer.transitions();
    printer.out
}

fn name(name: &str) -> String {
    (LANGUAGE.operators.name)(name)
}

fn domain(domain: &Domain) -> String {
    match domain {
        Domain::Bool => "bool".to_owned(),
        Domain::Range { low, high } => format!("{low}..{high}"),
        Domain::Symbols(all) => {
            let all: Vec<String> = all.iter().map(|symbol| name(symbol)).collect();
            format!("{{{}}}", all.join(", "))
        }
    }
}

fn parameters<'p>(all: impl Iterator<Item = (&'p Name, &'p Domain)>) -> String {
    let all: Vec<String> = all
        .map(|(parameter, values)| format!("{}: {}", name(&parameter.text), domain(values)))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("({})", all.join(", ")),
    }
}

/// A transition with its source locations.
#[derive(Default)]
struct Found {
    event: usize,
    from: Vec<String>,
    is_else: bool,
}

struct Printer<'m> {
    model: &'m Model<'m>,
    system: &'m System,
    out: String,
}

impl Printer<'_> {
    /// Adds a line, indented by `depth` levels.
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(depth));
    }

    fn expression(&self, id: ExprId) -> String {
        expression(self.system, &LANGUAGE.operators, id)
    }

    fn declarations(&mut self) {
        let system = self.system;
        match system.refusal {
            Refusal::AtWill if system.inputs.is_none() => self.line(0, "may refuse;"),
            Refusal::Seen => self.line(0, "refuse;"),
            Refusal::Ignored | Refusal::AtWill => {}
        }
        if system.inputs.is_some() {
            self.line(0, "wait;");
        }
        if system.leaving == Leaving::EndsRuns {
            self.line(0, "bounded;");
        }
        for (index, variable) in system.variables.iter().enumerate() {
            match &variable.domain {
                Domain::Symbols(all) if system.location == Some(index) => {
                    // The first location is the initial one.
                    let first = variable.initial.0.to_string();
                    let others = all.iter().filter(|location| **location != first);
                    let all: Vec<String> = std::iter::once(&first)
                        .chain(others)
                        .map(|location| name(location))
                        .collect();
                    self.line(0, &format!("location {};", all.join(", ")));
                }
                values => {
                    let initial = match (values, &variable.initial.0) {
                        (Domain::Symbols(_), value) => name(&value.to_string()),
                        (Domain::Bool, value) => {
                            let is_true = *value == hyperkill_core::sort::Value::bool(true);
                            LANGUAGE.operators.truth(is_true).to_owned()
                        }
                        (Domain::Range { .. }, value) => value.to_string(),
                    };
                    let text = format!(
                        "var {}: {} = {initial};",
                        name(&variable.name.text),
                        domain(values)
                    );
                    self.line(0, &text);
                }
            }
        }
        for (index, event) in self.model.events.iter().enumerate() {
            let action = self.model.action(index);
            let all = action.parameters.iter().zip(&event.parameters);
            let word = match system.inputs.is_some() && !event.is_input {
                true => "output",
                false => "event",
            };
            let text = format!("{word} {}{};", name(&action.name.text), parameters(all));
            self.line(0, &text);
        }
        for output in &system.outputs {
            let all = output
                .parameters
                .iter()
                .map(|(name, domain)| (name, domain));
            let text = format!("output {}{};", name(&output.name.text), parameters(all));
            self.line(0, &text);
        }
    }

    /// Prints the loop, unless it offers all events with all values.
    fn offers(&mut self) {
        let offers = self.system.block.offers();
        let whole = offers.len() == self.model.events.len()
            && offers
                .iter()
                .zip(&self.model.events)
                .all(|(offer, event)| offer.parameters == event.parameters);
        let is_plain = match &self.system.block {
            Block::Offer(_) => true,
            Block::Choice(parts) => parts.iter().all(|part| matches!(part, Block::Offer(_))),
            Block::Prioritised(_) => false,
        };
        if !whole || !is_plain {
            let text = format!("offer {};", block(&self.system.block));
            self.line(0, &text);
        }
    }

    fn transitions(&mut self) {
        let mut found: BTreeMap<StmtId, Found> = BTreeMap::new();
        for event in 0..self.model.events.len() {
            let action = self.model.action(event);
            let before = found.len();
            self.collect(action.body, (event, None, false), &mut found);
            if found.len() == before && !self.is_empty(action.body) {
                self.out.push('\n');
                self.action(action);
            }
        }
        for (id, found) in found {
            self.out.push('\n');
            self.transition(id, &found);
        }
    }

    /// Whether the command of an event has no transitions.
    fn is_empty(&self, id: StmtId) -> bool {
        match &self.system.stmts[id].kind {
            StmtKind::Prioritised(parts) => parts.is_empty(),
            StmtKind::Located(parts) => parts.is_empty(),
            _ => false,
        }
    }

    fn collect(
        &self,
        id: StmtId,
        (event, location, is_else): (usize, Option<&str>, bool),
        found: &mut BTreeMap<StmtId, Found>,
    ) {
        match &self.system.stmts[id].kind {
            StmtKind::Transition(_) => {
                let known = found.entry(id).or_default();
                known.event = event;
                known.is_else |= is_else;
                known.from.extend(location.map(str::to_owned));
            }
            StmtKind::Located(parts) => {
                for (location, part) in parts {
                    self.collect(*part, (event, Some(&location.text), false), found);
                }
            }
            StmtKind::Prioritised(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.collect(*part, (event, location, index > 0), found);
                }
            }
            StmtKind::Choice(parts) => {
                for part in parts {
                    self.collect(*part, (event, location, is_else), found);
                }
            }
            _ => {}
        }
    }

    /// Prints an action without locations: one transition of every state.
    fn action(&mut self, action: &Action) {
        let mut heading = format!("on {}", heading(action));
        if let Some(guard) = action.guard {
            heading += &format!(" if {}", self.expression(guard));
        }
        self.line(0, &format!("{heading} {{"));
        self.inside(1, action.body);
        self.line(0, "}");
    }

    fn transition(&mut self, id: StmtId, found: &Found) {
        let StmtKind::Transition(transition) = &self.system.stmts[id].kind else {
            return;
        };
        let action = self.model.action(found.event);
        let mut heading = format!("on {}", heading(action));
        if !found.from.is_empty() {
            let from: Vec<String> = found.from.iter().map(|from| name(from)).collect();
            heading = format!("from {} {heading}", from.join(", "));
        }
        let mut body = transition.body;
        if found.is_else {
            heading += " else";
        } else if let (
            StmtKind::Guard {
                condition,
                body: inside,
            },
            None,
        ) = (&self.system.stmts[body].kind, &transition.never)
        {
            heading += &format!(" if {}", self.expression(*condition));
            body = *inside;
        }
        let mut parts = match &self.system.stmts[body].kind {
            StmtKind::Sequence(parts) => parts.clone(),
            _ => vec![body],
        };
        let mut to = String::new();
        if let Some(StmtKind::Move { target }) = parts.last().map(|p| &self.system.stmts[*p].kind) {
            to = format!(" to {}", name(&target.text));
            parts.pop();
        }
        if parts.is_empty() {
            self.line(0, &format!("{heading}{to}"));
            return;
        }
        self.line(0, &format!("{heading} {{"));
        self.commands(1, &parts);
        self.line(0, &format!("}}{to}"));
    }

    fn commands(&mut self, depth: usize, all: &[StmtId]) {
        for id in all {
            self.command(depth, *id);
        }
    }

    /// Prints the command `id` as the text between braces: the commands of a sequence one by one.
    fn inside(&mut self, depth: usize, id: StmtId) {
        match &self.system.stmts[id].kind {
            StmtKind::Sequence(parts) => self.commands(depth, parts),
            _ => self.command(depth, id),
        }
    }

    fn command(&mut self, depth: usize, id: StmtId) {
        let system = self.system;
        match &system.stmts[id].kind {
            StmtKind::Skip => self.line(depth, "skip;"),
            StmtKind::Assign { target, value } => {
                let text = format!("{} := {};", name(&target.text), self.expression(*value));
                self.line(depth, &text);
            }
            StmtKind::Emit { output, values } => {
                let values: Vec<String> = values.iter().map(|v| self.expression(*v)).collect();
                let values = match values.is_empty() {
                    true => String::new(),
                    false => format!("({})", values.join(", ")),
                };
                self.line(depth, &format!("emit {}{values};", name(&output.text)));
            }
            StmtKind::Guard { condition, body } => {
                let heading = format!("when {} {{", self.expression(*condition));
                self.line(depth, &heading);
                self.inside(depth + 1, *body);
                self.line(depth, "}");
            }
            StmtKind::Sequence(parts) => {
                // Braces group commands into one.
                self.line(depth, "{");
                self.commands(depth + 1, parts);
                self.line(depth, "}");
            }
            StmtKind::Choice(parts) => self.alternatives(depth, parts, "or"),
            StmtKind::Prioritised(parts) => self.alternatives(depth, parts, "else"),
            StmtKind::Transition(transition) => self.command(depth, transition.body),
            // No language has these inside of commands.
            StmtKind::Located(_) | StmtKind::Move { .. } => {}
        }
    }

    fn alternatives(&mut self, depth: usize, parts: &[StmtId], word: &str) {
        for (index, part) in parts.iter().enumerate() {
            let begin = match index {
                0 => "choose {".to_owned(),
                _ => format!("}} {word} {{"),
            };
            self.line(depth, &begin);
            self.inside(depth + 1, *part);
        }
        self.line(depth, "}");
    }
}

/// Returns the name of an action with the names of its parameters.
fn heading(action: &Action) -> String {
    let parameters: Vec<String> = action.parameters.iter().map(|p| name(&p.text)).collect();
    match parameters.is_empty() {
        true => name(&action.name.text),
        false => format!("{}({})", name(&action.name.text), parameters.join(", ")),
    }
}

/// Returns the text of offers of a loop.
fn block(of: &Block) -> String {
    let all = |parts: &[Block], word: &str, fenced: fn(&Block) -> bool| {
        let parts = parts.iter().map(|part| match fenced(part) {
            true => format!("({})", block(part)),
            false => block(part),
        });
        parts.collect::<Vec<_>>().join(word)
    };
    match of {
        Block::Offer(offer) => {
            let domains: Vec<String> = offer.parameters.iter().map(domain).collect();
            match domains.is_empty() {
                true => name(&offer.action.text),
                false => format!("{}({})", name(&offer.action.text), domains.join(", ")),
            }
        }
        Block::Choice(parts) => all(parts, " or ", |part| !matches!(part, Block::Offer(_))),
        Block::Prioritised(parts) => all(parts, " else ", |part| {
            matches!(part, Block::Prioritised(_))
        }),
    }
}
