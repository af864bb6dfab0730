//! Names and types of a system.

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use rustc_hash::FxHashMap;

use crate::tree::{
    Action, BinaryOp, Block, Domain, ExprId, ExprKind, Name, StmtId, StmtKind, System, UnaryOp,
};

/// What a name in an expression means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// The variable with this index.
    Variable(usize),
    /// The parameter of the action with this index.
    Parameter(usize),
    /// A symbol, itself.
    Symbol,
}

/// What kind of value an expression has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A truth value.
    Truth,
    /// An integer.
    Number,
    /// A symbol.
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
    /// Its index among all actions.
    pub action: usize,
    /// What its parameters may be, in all offers together.
    pub parameters: Vec<Domain>,
    /// Whether the tester gives it.
    pub is_input: bool,
    /// Where it is offered first.
    pub span: Span,
}

/// A system whose names and types fit.
#[derive(Clone, Debug)]
pub struct Model<'t> {
    /// The tree.
    pub system: &'t System,
    /// The actions that are offered, as the loop mentions them first.
    pub events: Vec<Event>,
    /// Of each action the event that it is, if it is offered.
    pub event_of: Vec<Option<usize>>,
    /// What names in expressions mean.
    references: Vec<Option<Reference>>,
    kinds: Vec<Kind>,
    /// The variables of assignments.
    targets: FxHashMap<StmtId, usize>,
}

impl Model<'_> {
    /// What a name means; `None` if the expression is no name, or of an action that is never offered.
    #[must_use]
    pub fn reference(&self, id: ExprId) -> Option<Reference> {
        self.references.get(id.index()).copied().flatten()
    }

    /// What kind of value an expression has.
    #[must_use]
    pub fn kind(&self, id: ExprId) -> Kind {
        self.kinds.get(id.index()).copied().unwrap_or(Kind::Truth)
    }

    /// The variable that a command assigns to.
    #[must_use]
    pub fn target(&self, id: StmtId) -> Option<usize> {
        self.targets.get(&id).copied()
    }

    /// What a variable may be.
    #[must_use]
    pub fn domain(&self, variable: usize) -> &Domain {
        &self.system.variables[variable].domain
    }

    /// What may stand for a reference in an action.
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

    /// The action of an event.
    #[must_use]
    pub fn action(&self, event: usize) -> &Action {
        &self.system.actions[self.events[event].action]
    }
}

/// Finds out what names mean, and checks types.
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
            targets: FxHashMap::default(),
        },
        symbols: FxHashMap::default(),
        errors: Vec::new(),
    };
    checker.declarations();
    checker.offers(&system.block);
    checker.inputs();
    for index in 0..system.actions.len() {
        checker.action(index);
    }
    let Checker {
        model, mut errors, ..
    } = checker;
    if errors.is_empty() {
        return Ok(model);
    }
    errors.sort_by_key(|error| error.span.map(|span| (span.file, span.start)));
    Err(errors)
}

struct Checker<'t> {
    variables: FxHashMap<&'t str, usize>,
    actions: FxHashMap<&'t str, usize>,
    symbols: FxHashMap<&'t str, ()>,
    model: Model<'t>,
    errors: Vec<Diagnostic>,
}

/// The parameters of the action that is looked at, by name.
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
            if let Domain::Symbols(values) = &variable.domain {
                self.symbols.extend(values.iter().map(|v| (v.as_str(), ())));
            }
            if !variable.domain.sort().is_well_formed() {
                self.error(*span, format!("`{text}` cannot have any value"));
                continue;
            }
            let (initial, place) = &variable.initial;
            if !variable.domain.contains(initial) {
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
                let message = format!(
                    "`{}` has {has} parameters, but {given} are given here",
                    name.text
                );
                let error = Diagnostic::error(offer.span, message);
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
        self.condition(index, &parameters, action.guard);
        self.command(index, &parameters, action.body);
    }

    fn condition(&mut self, action: usize, parameters: &Parameters<'t>, id: ExprId) {
        if let Some(kind) = self.expression(action, parameters, id)
            && kind != Kind::Truth
        {
            let span = self.model.system.exprs[id].outer;
            self.error(span, format!("a guard, but this is {}", kind.name()));
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
                self.fits(variable, *value, kind);
            }
            StmtKind::Guard { condition, body } => {
                self.condition(action, parameters, *condition);
                self.command(action, parameters, *body);
            }
            StmtKind::Sequence(parts) | StmtKind::Choice(parts) => {
                for part in parts {
                    self.command(action, parameters, *part);
                }
            }
        }
    }

    /// Whether a variable can have a value at all.
    fn fits(&mut self, variable: usize, value: ExprId, kind: Option<Kind>) {
        let variable = &self.model.system.variables[variable];
        let (name, domain) = (&variable.name.text, &variable.domain);
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
                if let Some(constant) = constant.filter(|constant| !domain.contains(constant)) {
                    let domain = domain.sort();
                    let message =
                        format!("`{name}` cannot be {constant}, which is not in {domain}");
                    self.error(span, message);
                }
            }
            None => {}
        }
    }

    /// The kind of an expression; `None` if an error has been reported.
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
            // Of an action that is never offered nothing is known of its parameters: they are taken for numbers.
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

fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("a second {what} is called `{}`", name.text);
    Diagnostic::error(name.span, message).with_label(first, "the first one is declared here")
}
