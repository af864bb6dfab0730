//! Whether everything in a model has a type: all templates, used or not.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hyperkill_frontend::{Diagnostic, Span, counted};

use crate::kinds::{Kind, Names, Symbol};
use crate::syntax::{
    Base, Declaration, Dimension, Edge, Expr, Function, Instance, Model, Name, Statement, Template,
    TypeText, Variable,
};

/// Further results of typing.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By template, the global variables that it may write, itself or by functions that it calls.
    pub writes: BTreeMap<String, BTreeSet<String>>,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
}

pub(crate) struct Checker {
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) names: Names,
    /// Global variables that the current part has written so far.
    pub(crate) writes: BTreeSet<String>,
    /// By function, the global variables that it writes.
    pub(crate) written_by: BTreeMap<String, BTreeSet<String>>,
    /// The name of the function that is checked, if one is.
    pub(crate) inside: Option<String>,
    warnings: Vec<Diagnostic>,
    scalars: usize,
    has_priorities: bool,
    returns: Kind,
}

/// Types a whole model.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn check(model: &Model) -> Result<Facts, Vec<Diagnostic>> {
    let mut checker = Checker {
        errors: Vec::new(),
        names: Names::default(),
        writes: BTreeSet::new(),
        written_by: BTreeMap::new(),
        inside: None,
        warnings: Vec::new(),
        scalars: 0,
        has_priorities: false,
        returns: Kind::Void,
    };
    let mut facts = Facts::default();
    checker.names.enter();
    for declaration in &model.declarations {
        checker.declaration(declaration);
    }
    checker.writes.clear();
    for template in &model.templates {
        checker.template(template);
        let writes = std::mem::take(&mut checker.writes);
        facts.writes.insert(template.name.text.clone(), writes);
    }
    for declaration in &model.system.declarations {
        checker.declaration(declaration);
    }
    for instance in &model.system.instances {
        checker.instance(instance);
    }
    checker.processes(&model.system.processes);
    for (what, span) in &model.system.ignored {
        checker.warn(*span, format!("`{what}` means nothing here"));
    }
    facts.warnings = std::mem::take(&mut checker.warnings);
    match checker.errors.is_empty() {
        true => Ok(facts),
        false => {
            checker.errors.sort_by_key(|error| error.span);
            Err(checker.errors)
        }
    }
}

impl Checker {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        let mut warning = Diagnostic::error(span, message);
        warning.severity = hyperkill_frontend::Severity::Warning;
        self.warnings.push(warning);
    }

    fn declare(&mut self, name: &Name, symbol: Symbol) {
        if !self.names.declare(&name.text, symbol) {
            let message = format!("`{}` is declared twice", name.text);
            self.error(name.span, message);
        }
    }

    /// Returns the kind of a type, and whether it has finitely many values that can be iterated over: a range, `bool` or a scalar. Reports
    /// errors in the type.
    pub(crate) fn of_type(&mut self, written: &TypeText) -> (Kind, bool) {
        match &written.base {
            Base::Int(None) => (Kind::Int, false),
            Base::Int(Some(range)) => {
                for end in [&range.0, &range.1] {
                    let kind = self.kind(end);
                    self.data(&kind, end.span);
                }
                (Kind::Int, true)
            }
            Base::Bool => (Kind::Bool, true),
            Base::Double => (Kind::Double, false),
            Base::Clock => (Kind::Clock, false),
            Base::Channel => (Kind::Channel, false),
            Base::Void => (Kind::Void, false),
            Base::Scalar(size) => {
                let kind = self.kind(size);
                self.data(&kind, size.span);
                self.scalars += 1;
                (Kind::Scalar(self.scalars), true)
            }
            Base::Struct(fields) => {
                let fields = fields.iter().map(|field| {
                    let kind = self.variable_kind(field);
                    (field.name.text.clone(), kind)
                });
                (Kind::Struct(Rc::new(fields.collect())), false)
            }
            Base::Named(name) => match self.names.find(name) {
                Some((_, Symbol::Type(kind, is_range))) => (kind.clone(), *is_range),
                _ => {
                    self.error(written.span, format!("there is no type `{name}`"));
                    (Kind::Unknown, true)
                }
            },
        }
    }

    fn variable_kind(&mut self, variable: &Variable) -> Kind {
        let (mut kind, _) = self.of_type(&variable.base);
        for dimension in &variable.dimensions {
            match dimension {
                // A name alone may be a type or a number.
                Dimension::Count(Expr {
                    node: crate::syntax::Node::Name(name),
                    ..
                }) if matches!(self.names.find(name), Some((_, Symbol::Type(_, true)))) => {}
                Dimension::Count(size) => {
                    let number = self.kind(size);
                    self.data(&number, size.span);
                }
                Dimension::Each(of) => {
                    let (_, is_range) = self.of_type(of);
                    if !is_range {
                        self.error(of.span, "an array needs a range");
                    }
                }
            }
            kind = Kind::Array(Rc::new(kind));
        }
        if kind == Kind::Void {
            self.error(variable.base.span, "a variable is not `void`");
            return Kind::Unknown;
        }
        kind
    }

    pub(crate) fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Variable(variable) => {
                let kind = self.variable_kind(variable);
                if let Some(initial) = &variable.initial {
                    let given = self.kind(initial);
                    let is_clock = kind == Kind::Clock
                        && initial.node != crate::syntax::Node::Number(0)
                        && given != Kind::Unknown;
                    if is_clock {
                        self.error(initial.span, "all clocks are 0 at the start");
                    } else if !given.fits(&kind) {
                        let message =
                            format!("{} cannot be given to {}", given.name(), kind.name());
                        self.error(initial.span, message);
                    }
                }
                let is_writable = !variable.base.is_const && !is_channel(&kind);
                if is_writable && kind.has_points() {
                    let message = "variables of type `double` are not read, constants are";
                    self.error(variable.base.span, message);
                }
                self.declare(&variable.name, Symbol::Variable(kind, is_writable));
            }
            Declaration::Type(named) => {
                let (_, is_range) = self.of_type(&named.base);
                let is_range = is_range && named.dimensions.is_empty();
                let kind = self.variable_kind(named);
                self.declare(&named.name, Symbol::Type(kind, is_range));
            }
            Declaration::Function(function) => self.function(function),
            Declaration::Priorities(said, span) => self.priorities(said, *span),
        }
    }

    fn priorities(&mut self, said: &[Vec<Option<Expr>>], span: Span) {
        let all = said.iter().flatten();
        if all.clone().filter(|channel| channel.is_none()).count() != 1 {
            let message =
                "priorities of channels say once where `default` is, all that they do not name";
            self.error(span, message);
        }
        if std::mem::replace(&mut self.has_priorities, true) {
            self.error(span, "priorities of channels are said once");
        }
        for channel in all.flatten() {
            let kind = self.kind(channel);
            if !is_channel(&kind) && kind != Kind::Unknown {
                let message = format!("this is {}, where a channel is expected", kind.name());
                self.error(channel.span, message);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let (returns, _) = self.of_type(&function.returns);
        let parameters: Vec<(Kind, bool)> = (function.parameters.iter())
            .map(|parameter| (self.variable_kind(parameter), parameter.is_reference))
            .collect();
        self.names.enter();
        for (parameter, (kind, _)) in function.parameters.iter().zip(&parameters) {
            let is_writable = !parameter.base.is_const;
            self.declare(&parameter.name, Symbol::Variable(kind.clone(), is_writable));
        }
        let before = std::mem::take(&mut self.writes);
        let outer = self.inside.replace(function.name.text.clone());
        let expected = std::mem::replace(&mut self.returns, returns.clone());
        self.names.enter();
        self.statements(&function.body);
        self.names.leave();
        self.returns = expected;
        self.inside = outer;
        let written = std::mem::replace(&mut self.writes, before);
        self.written_by.insert(function.name.text.clone(), written);
        self.names.leave();
        self.declare(
            &function.name,
            Symbol::Function(Rc::new(parameters), returns),
        );
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn condition(&mut self, condition: &Expr) {
        let kind = self.kind(condition);
        self.data(&kind, condition.span);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(inner) => {
                self.names.enter();
                self.statements(inner);
                self.names.leave();
            }
            Statement::Declare(declaration) => self.declaration(declaration),
            Statement::Do(expr) => {
                self.kind(expr);
            }
            Statement::If(condition, then, otherwise) => {
                self.condition(condition);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                self.condition(condition);
                self.statement(body);
            }
            Statement::For(first, condition, step, body) => {
                for part in first.iter().chain(step) {
                    self.kind(part);
                }
                if let Some(condition) = condition {
                    self.condition(condition);
                }
                self.statement(body);
            }
            Statement::Each(name, of, body) => {
                let kind = self.range(of);
                self.names.enter();
                self.declare(name, Symbol::Variable(kind, false));
                self.statement(body);
                self.names.leave();
            }
            Statement::Return(value, span) => {
                let expected = self.returns.clone();
                let given = value.as_ref().map_or(Kind::Void, |value| self.kind(value));
                if !given.fits(&expected) {
                    let message = format!(
                        "{} is returned, where {} is expected",
                        given.name(),
                        expected.name()
                    );
                    self.error(*span, message);
                }
            }
            Statement::Empty => {}
        }
    }

    /// Returns the kind of a type that a loop or quantifier iterates over. Reports an error if that is impossible.
    fn range(&mut self, of: &TypeText) -> Kind {
        let (kind, is_range) = self.of_type(of);
        if !is_range {
            self.error(of.span, "a loop or quantifier needs a range");
        }
        kind
    }

    fn template(&mut self, template: &Template) {
        self.names.enter();
        let mut parameters = Vec::new();
        for parameter in &template.parameters {
            let (_, is_range) = self.of_type(&parameter.base);
            let kind = self.variable_kind(parameter);
            let is_open = is_range && !parameter.is_reference && parameter.dimensions.is_empty();
            parameters.push((kind.clone(), parameter.is_reference, is_open));
            let is_writable = !parameter.base.is_const && !is_channel(&kind);
            self.declare(&parameter.name, Symbol::Variable(kind, is_writable));
        }
        for declaration in &template.declarations {
            self.declaration(declaration);
        }
        for location in &template.locations {
            for part in &location.invariant {
                let before = self.writes.clone();
                self.guard(part);
                self.writes = before;
            }
        }
        for edge in &template.edges {
            self.edge(edge);
        }
        self.names.leave();
        self.declare(&template.name, Symbol::Process(Rc::new(parameters)));
    }

    fn guard(&mut self, part: &Expr) {
        match self.kind(part) {
            Kind::Condition => {}
            kind => self.data(&kind, part.span),
        }
    }

    fn edge(&mut self, edge: &Edge) {
        self.names.enter();
        for (name, of) in &edge.select {
            let kind = self.range(of);
            self.declare(name, Symbol::Variable(kind, false));
        }
        for part in &edge.guard {
            self.guard(part);
        }
        if let Some(sync) = &edge.sync {
            match self.kind(&sync.channel) {
                Kind::Channel | Kind::Unknown => {}
                other => {
                    let message = format!("this is {}, where a channel is expected", other.name());
                    self.error(sync.channel.span, message);
                }
            }
        }
        for step in &edge.update {
            self.kind(step);
        }
        self.names.leave();
    }

    fn instance(&mut self, instance: &Instance) {
        let of = &instance.of;
        let parameters = match self.names.find(&of.text) {
            Some((_, Symbol::Process(parameters))) => Rc::clone(parameters),
            _ => return self.warn(of.span, format!("there is no template `{}`", of.text)),
        };
        self.names.enter();
        let mut own = Vec::new();
        for parameter in &instance.parameters {
            let (_, is_range) = self.of_type(&parameter.base);
            let kind = self.variable_kind(parameter);
            own.push((kind.clone(), parameter.is_reference, is_range));
            self.declare(&parameter.name, Symbol::Variable(kind, true));
        }
        if parameters.len() == instance.arguments.len() {
            for ((kind, is_reference, _), argument) in parameters.iter().zip(&instance.arguments) {
                self.argument(kind, *is_reference, argument);
            }
        } else {
            let message = format!(
                "`{}` has {} and is given {}",
                of.text,
                counted(parameters.len(), "parameter"),
                counted(instance.arguments.len(), "value")
            );
            self.error(of.span, message);
        }
        self.names.leave();
        // An instance may have the name of its template.
        self.names
            .declare(&instance.name.text, Symbol::Process(Rc::new(own)));
    }

    fn processes(&mut self, processes: &[Name]) {
        for process in processes {
            let name = &process.text;
            match self.names.find(name) {
                Some((_, Symbol::Process(parameters))) => {
                    if !parameters.iter().all(|(_, _, is_open)| *is_open) {
                        let message = format!("the parameters of `{name}` are not all given");
                        self.error(process.span, message);
                    }
                }
                // Components that are somewhere else are often named.
                _ => self.warn(process.span, format!("there is no process `{name}`")),
            }
        }
    }
}

fn is_channel(kind: &Kind) -> bool {
    match kind {
        Kind::Channel => true,
        Kind::Array(element) => is_channel(element),
        _ => false,
    }
}
