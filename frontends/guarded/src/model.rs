//! Names and types of a system.

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span, counted, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{Codes, Index};
use crate::tree::{
    Action, BinaryOp, Block, Domain, ExprId, ExprKind, Name, Output, StmtId, StmtKind, System,
    UnaryOp,
};

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reference {
    /// The variable with this index.
    Variable(usize),
    /// The parameter of the action with this index.
    Parameter(usize),
    /// The symbol that has this name.
    Symbol,
}

/// The kind of an expression's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The value is a truth value.
    Truth,
    /// The value is an integer.
    Number,
    /// The value is a symbol.
    Symbol,
}

impl Kind {
    fn of(domain: &Domain) -> Kind {
        match domain {
            Domain::Bool => Kind::Truth,
            Domain::Symbols(_) => Kind::Symbol,
            Domain::Range { .. } => Kind::Number,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Truth => "a truth value",
            Kind::Number => "a number",
            Kind::Symbol => "a symbol",
        }
    }
}

/// An action that the loop offers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The index among all actions.
    pub action: usize,
    /// The values of the event's parameters, in all offers together.
    pub parameters: Vec<Domain>,
    /// Whether the event is an input.
    pub is_input: bool,
    /// The place of the first offer of the event.
    pub span: Span,
}

/// A value that a step shows and the state does not store. If the step does not set it, it is the least value of its domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The name of the shown value.
    pub name: String,
    /// The values that it may have.
    pub domain: Domain,
}

/// The value of a [`Port`] that no transition has set.
const NONE: &str = "none";

/// The port with the transition that was taken.
pub const TRANSITION: &str = "transition";

/// A system with consistent names and types.
#[derive(Clone, Debug)]
pub struct Model<'t> {
    /// The tree of the system.
    pub system: &'t System,
    /// The offered actions, in the order of their first occurrence in the loop.
    pub events: Vec<Event>,
    /// For each action its event, if it is offered.
    pub event_of: Vec<Option<usize>>,
    /// The meaning of names in expressions.
    references: Vec<Option<Reference>>,
    kinds: Vec<Kind>,
    /// The ports of outputs: for each output whether it is made, then its parameters. The last port is the transition that was taken, if
    /// there are transitions.
    pub ports: Vec<Port>,
    /// The variables of assignments, the first ports of outputs, and the numbers of target locations.
    targets: FxHashMap<StmtId, usize>,
    /// Tables for frequent look-ups.
    pub(crate) index: Index<'t>,
}

impl Model<'_> {
    /// Returns the number of values that a step sets: variables first, then ports.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.system.variables.len() + self.ports.len()
    }

    /// Returns the value of a port that nothing sets.
    #[must_use]
    pub fn idle(&self, port: usize) -> Value {
        self.ports[port].domain.sort().value_of_code(0)
    }

    /// Returns the index of the cell with the transition that was taken; `None` if there are no transitions.
    #[must_use]
    pub fn transition(&self) -> Option<usize> {
        let last = self.ports.last()?;
        (last.name == TRANSITION).then(|| self.cells() - 1)
    }

    /// Returns the meaning of a name; `None` if the expression is no name, or belongs to an action that is never offered.
    #[must_use]
    pub fn reference(&self, id: ExprId) -> Option<Reference> {
        self.references.get(id.index()).copied().flatten()
    }

    /// Returns the kind of an expression's value.
    #[must_use]
    pub fn kind(&self, id: ExprId) -> Kind {
        self.kinds.get(id.index()).copied().unwrap_or(Kind::Truth)
    }

    /// Returns the target of a command: the variable of an assignment, the first cell of an output, or the number of a location. `None` for
    /// other commands.
    #[must_use]
    pub fn target(&self, id: StmtId) -> Option<usize> {
        self.targets.get(&id).copied()
    }

    /// Returns the values that a cell (a variable, or a port after the variables) may have.
    #[must_use]
    pub fn domain(&self, cell: usize) -> &Domain {
        let variables = &self.system.variables;
        match cell.checked_sub(variables.len()) {
            None => &variables[cell].domain,
            Some(port) => &self.ports[port].domain,
        }
    }

    /// Whether a cell can have a value.
    #[must_use]
    pub fn contains(&self, cell: usize, value: &Value) -> bool {
        self.index.contains(cell, self.domain(cell), value)
    }

    /// Returns the name of a cell (a variable, or a port after the variables).
    #[must_use]
    pub fn name(&self, cell: usize) -> &str {
        let variables = &self.system.variables;
        match cell.checked_sub(variables.len()) {
            None => &variables[cell].name.text,
            Some(port) => &self.ports[port].name,
        }
    }

    /// Returns the index of the output that a command makes; `None` if it makes none.
    #[must_use]
    pub fn output(&self, id: StmtId) -> Option<usize> {
        let cell = self.target(id)?;
        let mut first = self.system.variables.len();
        self.system.outputs.iter().position(|output| {
            let is_this = first == cell;
            first += 1 + output.parameters.len();
            is_this
        })
    }

    /// Returns the index of the cell that says whether an output is made; the cells of its parameters follow.
    #[must_use]
    pub fn cell(&self, output: usize) -> usize {
        let before = self.system.outputs[..output].iter();
        let ports: usize = before.map(|output| 1 + output.parameters.len()).sum();
        self.system.variables.len() + ports
    }

    /// Returns the values that a variable or a parameter of an action may have; `None` for symbols.
    #[must_use]
    pub fn domain_of(&self, action: usize, reference: Reference) -> Option<&Domain> {
        match reference {
            Reference::Variable(v) => Some(self.domain(v)),
            Reference::Parameter(p) => {
                let event = self.event_of.get(action).copied().flatten()?;
                self.events[event].parameters.get(p)
            }
            Reference::Symbol => None,
        }
    }

    /// Returns the action of the event with this index.
    #[must_use]
    pub fn action(&self, event: usize) -> &Action {
        &self.system.actions[self.events[event].action]
    }
}

/// Resolves names and checks types.
///
/// # Errors
/// All errors, in the order of their places.
pub fn check(system: &System) -> Result<Model<'_>, Vec<Diagnostic>> {
    let mut checker = Checker {
        variables: FxHashMap::default(),
        actions: FxHashMap::default(),
        model: Model {
            system,
            events: Vec::new(),
            event_of: vec![None; system.actions.len()],
            references: vec![None; system.exprs.len()],
            kinds: vec![Kind::Truth; system.exprs.len()],
            ports: ports(system),
            targets: FxHashMap::default(),
            index: Index::default(),
        },
        codes: Codes::default(),
        outputs: FxHashMap::default(),
        symbols: FxHashMap::default(),
        errors: Vec::new(),
    };
    checker.declarations();
    checker.outputs();
    checker.offers(&system.block);
    checker.inputs();
    for index in 0..system.actions.len() {
        checker.action(index);
    }
    let Checker {
        mut model,
        mut errors,
        ..
    } = checker;
    if errors.is_empty() {
        let events = model.events.iter();
        let names = events.map(|event| system.actions[event.action].name.text.as_str());
        model.index = Index::new(system, names);
        return Ok(model);
    }
    errors.sort_by_key(|error| error.span.map(|span| (span.file, span.start)));
    Err(errors)
}

struct Checker<'t> {
    variables: FxHashMap<&'t str, usize>,
    actions: FxHashMap<&'t str, usize>,
    /// The outputs, each with the first of its cells.
    outputs: FxHashMap<&'t str, (usize, usize)>,
    symbols: FxHashMap<&'t str, ()>,
    codes: Codes<'t>,
    model: Model<'t>,
    errors: Vec<Diagnostic>,
}

/// The parameters of the current action, by name.
type Parameters<'t> = FxHashMap<&'t str, usize>;

impl<'t> Checker<'t> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn declarations(&mut self) {
        let system = self.model.system;
        for (index, variable) in system.variables.iter().enumerate() {
            let Name { text, span } = &variable.name;
            if let Some(first) = self.variables.insert(text, index) {
                let first = system.variables[first].name.span;
                self.errors.push(twice("variable", &variable.name, first));
            }
            if !self.is_well_formed(&variable.domain) {
                self.error(*span, format!("`{text}` cannot have any value"));
                continue;
            }
            let (initial, place) = &variable.initial;
            if !self.codes.contains(&variable.domain, initial) {
                let domain = variable.domain.sort();
                let message = format!("`{text}` is {initial} at first, which is not in {domain}");
                self.error(*place, message);
            }
        }
        for (index, action) in system.actions.iter().enumerate() {
            if let Some(first) = self.actions.insert(&action.name.text, index) {
                let first = system.actions[first].name.span;
                self.errors.push(twice("action", &action.name, first));
            }
        }
    }

    /// Whether a domain is non-empty, and its names are pairwise different. Its names are then declared as symbols.
    fn is_well_formed(&mut self, domain: &'t Domain) -> bool {
        let Domain::Symbols(values) = domain else {
            return domain.sort().is_well_formed();
        };
        if self.codes.is_new(values) {
            self.symbols.extend(values.iter().map(|v| (v.as_str(), ())));
        }
        self.codes.is_well_formed(values)
    }

    fn outputs(&mut self) {
        let system = self.model.system;
        let mut cell = system.variables.len();
        for (index, output) in system.outputs.iter().enumerate() {
            let name = &output.name;
            let others = [
                (self.variables.get(name.text.as_str()))
                    .map(|v| ("variable", system.variables[*v].name.span)),
                (self.actions.get(name.text.as_str()))
                    .map(|a| &system.actions[*a])
                    .filter(|action| shares_parameter(action, output))
                    .map(|action| ("event", action.name.span)),
                (self.outputs.get(name.text.as_str()))
                    .map(|(o, _)| ("output", system.outputs[*o].name.span)),
            ];
            for (what, first) in others.into_iter().flatten() {
                let message = format!(
                    "`{}` is the name of this output and of another {what}",
                    name.text
                );
                let error = Diagnostic::error(name.span, message);
                self.errors
                    .push(error.with_label(first, "it is declared here"));
            }
            self.outputs.insert(&name.text, (index, cell));
            for (at, (parameter, domain)) in output.parameters.iter().enumerate() {
                if !self.is_well_formed(domain) {
                    let message = format!("`{}` cannot have any value", parameter.text);
                    self.error(parameter.span, message);
                }
                let before = &output.parameters[..at];
                if let Some((first, _)) = before.iter().find(|(p, _)| p.text == parameter.text) {
                    self.errors.push(twice("parameter", parameter, first.span));
                }
            }
            cell += 1 + output.parameters.len();
        }
    }

    fn offers(&mut self, block: &'t Block) {
        for offer in block.offers() {
            let name = &offer.action;
            let Some(&index) = self.actions.get(name.text.as_str()) else {
                let message = format!("there is no action `{}`", name.text);
                let near = did_you_mean(&name.text, self.actions.keys().copied());
                let mut error = Diagnostic::error(name.span, message);
                error.help = near;
                self.errors.push(error);
                continue;
            };
            let action = &self.model.system.actions[index];
            let (has, given) = (action.parameters.len(), offer.parameters.len());
            if has != given {
                let error = Diagnostic::error(offer.span, miscounted(&name.text, has, given));
                self.errors
                    .push(error.with_label(action.name.span, "it is defined here"));
                continue;
            }
            match self.model.event_of[index] {
                None => {
                    self.model.event_of[index] = Some(self.model.events.len());
                    self.model.events.push(Event {
                        action: index,
                        parameters: offer.parameters.clone(),
                        is_input: false,
                        span: offer.span,
                    });
                }
                Some(event) => {
                    let known = &mut self.model.events[event].parameters;
                    for (known, domain) in known.iter_mut().zip(&offer.parameters) {
                        match known.joined(domain) {
                            Some(joined) => *known = joined,
                            None => self.errors.push(Diagnostic::error(
                                offer.span,
                                "a parameter of another kind than where the action is offered before",
                            )),
                        }
                    }
                }
            }
        }
    }

    fn inputs(&mut self) {
        let system = self.model.system;
        for name in system.inputs.iter().flatten() {
            let action = self.actions.get(name.text.as_str());
            let event = action.and_then(|action| self.model.event_of[*action]);
            match event {
                Some(event) if !self.model.events[event].is_input => {
                    self.model.events[event].is_input = true;
                }
                Some(_) => self.error(name.span, format!("`{}` is an input already", name.text)),
                None => {
                    let message = format!("no action `{}` is offered", name.text);
                    let offers = system.block.offers();
                    let offered = offers.iter().map(|offer| offer.action.text.as_str());
                    let mut error = Diagnostic::error(name.span, message);
                    error.help = did_you_mean(&name.text, offered);
                    self.errors.push(error);
                }
            }
        }
    }

    fn action(&mut self, index: usize) {
        let action = &self.model.system.actions[index];
        let mut parameters = Parameters::default();
        for (index, name) in action.parameters.iter().enumerate() {
            if self.variables.contains_key(name.text.as_str()) {
                let message = format!("`{}` is a variable, and cannot be a parameter", name.text);
                self.error(name.span, message);
            } else if let Some(first) = parameters.insert(&name.text, index) {
                let first = action.parameters[first].span;
                self.errors.push(twice("parameter", name, first));
            }
        }
        if let Some(guard) = action.guard {
            self.condition(index, &parameters, guard);
        }
        self.command(index, &parameters, action.body);
    }

    fn condition(&mut self, action: usize, parameters: &Parameters<'t>, id: ExprId) {
        if let Some(kind) = self.expression(action, parameters, id)
            && kind != Kind::Truth
        {
            let span = self.model.system.exprs[id].outer;
            self.error(
                span,
                format!("a guard is true or false, but this is {}", kind.name()),
            );
        }
    }

    fn command(&mut self, action: usize, parameters: &Parameters<'t>, id: StmtId) {
        let stmt = &self.model.system.stmts[id];
        match &stmt.kind {
            StmtKind::Skip => {}
            StmtKind::Assign { target, value } => {
                let kind = self.expression(action, parameters, *value);
                let Some(&variable) = self.variables.get(target.text.as_str()) else {
                    let is_parameter = parameters.contains_key(target.text.as_str());
                    let what = match is_parameter {
                        true => "a parameter, and nothing is assigned to it",
                        false => "no variable",
                    };
                    let mut error =
                        Diagnostic::error(target.span, format!("`{}` is {what}", target.text));
                    error.help = did_you_mean(&target.text, self.variables.keys().copied());
                    self.errors.push(error);
                    return;
                };
                self.model.targets.insert(id, variable);
                self.fits(
                    (&target.text, &self.model.system.variables[variable].domain),
                    *value,
                    kind,
                );
            }
            StmtKind::Guard { condition, body } => {
                self.condition(action, parameters, *condition);
                self.command(action, parameters, *body);
            }
            StmtKind::Sequence(parts) | StmtKind::Choice(parts) | StmtKind::Prioritised(parts) => {
                for part in parts {
                    self.command(action, parameters, *part);
                }
            }
            StmtKind::Located(branches) => {
                for (_, part) in branches {
                    self.command(action, parameters, *part);
                }
            }
            StmtKind::Transition(transition) => self.command(action, parameters, transition.body),
            StmtKind::Move { target } => self.moved(id, target),
            StmtKind::Emit { output, values } => {
                self.emitted(action, parameters, (id, output), values)
            }
        }
    }

    fn moved(&mut self, id: StmtId, target: &Name) {
        let location = self.model.system.location;
        let variables = &self.model.system.variables;
        let Some(Domain::Symbols(all)) = location.map(|v| &variables[v].domain) else {
            return self.error(target.span, "there are no locations");
        };
        match self.codes.code(all, &target.text) {
            Some(code) => {
                self.model.targets.insert(id, code);
            }
            None => {
                let message = format!("there is no location `{}`", target.text);
                let mut error = Diagnostic::error(target.span, message);
                error.help = did_you_mean(&target.text, all.iter().map(String::as_str));
                self.errors.push(error);
            }
        }
    }

    fn emitted(
        &mut self,
        action: usize,
        parameters: &Parameters<'t>,
        (id, name): (StmtId, &'t Name),
        values: &[ExprId],
    ) {
        let kinds: Vec<Option<Kind>> = values
            .iter()
            .map(|value| self.expression(action, parameters, *value))
            .collect();
        let Some(&(output, cell)) = self.outputs.get(name.text.as_str()) else {
            let message = format!("there is no output `{}`", name.text);
            let mut error = Diagnostic::error(name.span, message);
            error.help = did_you_mean(&name.text, self.outputs.keys().copied());
            self.errors.push(error);
            return;
        };
        let output = &self.model.system.outputs[output];
        let (has, given) = (output.parameters.len(), values.len());
        if has != given {
            let error = Diagnostic::error(name.span, miscounted(&name.text, has, given));
            self.errors
                .push(error.with_label(output.name.span, "it is declared here"));
            return;
        }
        self.model.targets.insert(id, cell);
        for ((parameter, value), kind) in output.parameters.iter().zip(values).zip(kinds) {
            self.fits((&parameter.0.text, &parameter.1), *value, kind);
        }
    }

    /// Checks that a variable, or the parameter of an output, can have a value.
    fn fits(&mut self, (name, domain): (&str, &'t Domain), value: ExprId, kind: Option<Kind>) {
        let expr = &self.model.system.exprs[value];
        let span = expr.outer;
        match kind {
            Some(kind) if kind != Kind::of(domain) => {
                let wanted = Kind::of(domain).name();
                let message = format!("`{name}` is {wanted}, but this is {}", kind.name());
                self.error(span, message);
            }
            Some(_) => {
                let constant = match &expr.kind {
                    ExprKind::Number(value) => Some(Value::Int(*value)),
                    ExprKind::Name(name)
                        if self.model.references[value.index()] == Some(Reference::Symbol) =>
                    {
                        Some(Value::Symbol(name.clone()))
                    }
                    _ => None,
                };
                if let Some(constant) = constant
                    && !self.codes.contains(domain, &constant)
                {
                    let domain = domain.sort();
                    let message =
                        format!("`{name}` cannot be {constant}, which is not in {domain}");
                    self.error(span, message);
                }
            }
            None => {}
        }
    }

    /// Returns the kind of an expression; `None` if an error has been reported.
    fn expression(
        &mut self,
        action: usize,
        parameters: &Parameters<'t>,
        id: ExprId,
    ) -> Option<Kind> {
        let exprs = &self.model.system.exprs;
        let before = self.errors.len();
        for part in exprs.parts(id) {
            let kind = match &exprs[part].kind {
                ExprKind::Truth(_) => Kind::Truth,
                ExprKind::Number(_) => Kind::Number,
                ExprKind::Name(name) => self.name(action, parameters, part, name),
                ExprKind::Unary(op, a) => {
                    let kind = match op {
                        UnaryOp::Not => Kind::Truth,
                        UnaryOp::Minus => Kind::Number,
                    };
                    self.wants(kind, *a);
                    kind
                }
                ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b),
            };
            self.model.kinds[part.index()] = kind;
        }
        (self.errors.len() == before).then(|| self.model.kinds[id.index()])
    }

    fn name(
        &mut self,
        action: usize,
        parameters: &Parameters<'t>,
        id: ExprId,
        name: &'t str,
    ) -> Kind {
        let reference = if let Some(parameter) = parameters.get(name) {
            Some(Reference::Parameter(*parameter))
        } else if let Some(variable) = self.variables.get(name) {
            Some(Reference::Variable(*variable))
        } else {
            self.symbols.contains_key(name).then_some(Reference::Symbol)
        };
        self.model.references[id.index()] = reference;
        match reference {
            Some(Reference::Symbol) => Kind::Symbol,
            // The parameters of an action that is never offered are taken for numbers.
            Some(reference) => self
                .model
                .domain_of(action, reference)
                .map_or(Kind::Number, Kind::of),
            None => {
                let span = self.model.system.exprs[id].span;
                let known = self.variables.keys().chain(parameters.keys()).copied();
                let mut error = Diagnostic::error(
                    span,
                    format!("`{name}` is neither a variable nor a parameter of the action"),
                );
                error.help = did_you_mean(name, known);
                self.errors.push(error);
                Kind::Number
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Kind {
        if op.is_logical() {
            self.wants(Kind::Truth, a);
            self.wants(Kind::Truth, b);
            return Kind::Truth;
        }
        if op.is_arithmetic() {
            self.wants(Kind::Number, a);
            self.wants(Kind::Number, b);
            return Kind::Number;
        }
        match op {
            BinaryOp::Eq | BinaryOp::Ne => self.wants(self.model.kinds[a.index()], b),
            _ => {
                self.wants(Kind::Number, a);
                self.wants(Kind::Number, b);
            }
        }
        Kind::Truth
    }

    fn wants(&mut self, kind: Kind, id: ExprId) {
        let found = self.model.kinds[id.index()];
        if found != kind {
            let span = self.model.system.exprs[id].outer;
            let message = format!("{} is expected, but this is {}", kind.name(), found.name());
            self.error(span, message);
        }
    }
}

/// Whether an input and an output with one name have a parameter with one name, so that their ports are equal.
fn shares_parameter(action: &Action, output: &Output) -> bool {
    let mut names = action.parameters.iter().map(|name| &name.text);
    names.any(|name| output.parameters.iter().any(|(own, _)| own.text == *name))
}

/// Returns the ports of a system's outputs and transitions.
fn ports(system: &System) -> Vec<Port> {
    let mut ports = Vec::new();
    for output in &system.outputs {
        let name = &output.name.text;
        ports.push(Port {
            name: name.clone(),
            domain: Domain::Bool,
        });
        ports.extend(output.parameters.iter().map(|(parameter, domain)| Port {
            name: format!("{name}.{}", parameter.text),
            domain: domain.clone(),
        }));
    }
    let names = system
        .stmts
        .ids()
        .filter_map(|id| match &system.stmts[id].kind {
            StmtKind::Transition(transition) => Some(transition.name.clone()),
            _ => None,
        });
    // An edge may be several transitions.
    let mut seen = FxHashSet::default();
    let names = names.filter(|name| seen.insert(name.clone()));
    let names: Vec<String> = std::iter::once(NONE.to_owned()).chain(names).collect();
    if names.len() > 1 {
        ports.push(Port {
            name: TRANSITION.to_owned(),
            domain: Domain::Symbols(names.into()),
        });
    }
    ports
}

fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("a second {what} is called `{}`", name.text);
    Diagnostic::error(name.span, message).with_label(first, "the first one is declared here")
}

fn miscounted(name: &str, has: usize, given: usize) -> String {
    let (has, given) = (counted(has, "parameter"), counted(given, "value"));
    format!("`{name}` has {has} and is given {given}")
}
