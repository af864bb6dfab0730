//! The processes of a system, and the one under test with its names bound.

use std::collections::BTreeSet;

use hyperkill_frontend::{Diagnostic, Span};

use crate::check::Facts;
use crate::machine::{Binding, Eval, Machine};
use crate::syntax::{Declaration, Expr, Instance, Model, Name, Node, Statement, Template};
use crate::values::Value;

/// A process: its name, and the arguments of its template's open parameters.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) of: Name,
    pub(crate) values: Vec<Value>,
}

/// The process under test: its template, with all of its names bound.
pub(crate) struct UnderTest<'a> {
    pub(crate) name: String,
    pub(crate) template: &'a Template,
    pub(crate) machine: Machine,
    /// The inputs and outputs that an `IO` line states.
    pub(crate) io: Option<&'a Vec<(Name, bool)>>,
}

/// The number of values that an open parameter is tried with, at most.
const MOST_PROCESSES: usize = 4096;

/// Finds the process under test and binds its names. `wanted` is its name, if the user chose one. The process is tested alone.
///
/// # Errors
/// If there is no such process, or another process may write a variable that it uses.
pub(crate) fn under_test<'a>(
    model: &'a Model,
    facts: &Facts,
    wanted: Option<&str>,
) -> Result<UnderTest<'a>, Diagnostic> {
    found(model, Some(facts), wanted)
}

/// Finds the process under test and binds its names. `wanted` is its name, if the user chose one. Other processes may write its variables.
///
/// # Errors
/// If there is no such process, or the evaluation of its parameters or declarations fails.
pub(crate) fn among_others<'a>(
    model: &'a Model,
    wanted: Option<&str>,
) -> Result<UnderTest<'a>, Diagnostic> {
    found(model, None, wanted)
}

fn found<'a>(
    model: &'a Model,
    alone: Option<&Facts>,
    wanted: Option<&str>,
) -> Result<UnderTest<'a>, Diagnostic> {
    let mut machine = Machine::default();
    machine.enter();
    for declaration in model.declarations.iter().chain(&model.system.declarations) {
        machine.declare(declaration)?;
    }
    let processes = processes(model, &mut machine)?;
    let process = chosen(&processes, wanted, model)?;
    let template = template_of(model, &process.of)?;
    let shared = alone.and_then(|facts| shared(model, facts, template, &processes, process));
    machine.enter();
    instantiate(model, &mut machine, &process.of, &process.values, 0)?;
    for declaration in &template.declarations {
        machine.declare(declaration)?;
    }
    if let Some((name, span)) = shared {
        let message = format!(
            "variable `{name}` is written by other processes too, but this one is tested alone"
        );
        let help = "`--environment network` tests it together with them";
        return Err(Diagnostic::error(span, message).with_help(help));
    }
    let io = model.system.io.iter();
    let io = io
        .rev()
        .find(|(name, _)| name.text == process.name || name.text == process.of.text);
    Ok(UnderTest {
        name: process.name.clone(),
        template,
        machine,
        io: io.map(|(_, actions)| actions),
    })
}

pub(crate) fn processes(model: &Model, machine: &mut Machine) -> Eval<Vec<Process>> {
    let mut found = Vec::new();
    for name in &model.system.processes {
        let known = model.templates.iter().any(|t| t.name.text == name.text)
            || model
                .system
                .instances
                .iter()
                .any(|i| i.name.text == name.text);
        if !known {
            continue;
        }
        let parameters = match instance(model, name) {
            Some(instance) => &instance.parameters,
            None => &template_of(model, name)?.parameters,
        };
        let mut all = vec![Vec::new()];
        for parameter in parameters {
            let of = machine.variable_type(parameter)?;
            let (from, to) = of.range().unwrap_or((0, -1));
            let mut longer = Vec::new();
            for values in &all {
                for number in from..=to {
                    let mut values: Vec<Value> = Vec::clone(values);
                    values.push(Value::Int(number));
                    longer.push(values);
                    if longer.len() > MOST_PROCESSES {
                        return Err(Diagnostic::error(name.span, "there are too many processes"));
                    }
                }
            }
            all = longer;
        }
        for values in all {
            let texts: Vec<String> = values.iter().map(Value::text).collect();
            found.push(Process {
                name: match texts.is_empty() {
                    true => name.text.clone(),
                    false => format!("{}({})", name.text, texts.join(",")),
                },
                of: name.clone(),
                values,
            });
        }
    }
    Ok(found)
}

/// Returns a list of the first names and the number of the others, as text.
fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

pub(crate) fn chosen<'a>(
    processes: &'a [Process],
    wanted: Option<&str>,
    model: &Model,
) -> Result<&'a Process, Diagnostic> {
    let names: Vec<&str> = processes
        .iter()
        .map(|process| process.name.as_str())
        .collect();
    match (wanted, processes) {
        (None, [only]) => Ok(only),
        (None, []) => {
            let place = model.system.processes.first().map(|name| name.span);
            let mut error = Diagnostic::unlocated("the model has no process");
            error.span = place;
            Err(error)
        }
        (None, _) => Err(Diagnostic::option(
            format!("the model has several processes: {}", shortened(&names)),
            Some("say with --sut which one is tested".to_owned()),
        )),
        (Some(name), _) => {
            let found = processes.iter().find(|process| process.name == name);
            found.ok_or_else(|| {
                Diagnostic::option(
                    format!("--sut {name}: there is no such process"),
                    hyperkill_frontend::did_you_mean(name, names.iter().copied()),
                )
            })
        }
    }
}

fn instance<'a>(model: &'a Model, name: &Name) -> Option<&'a Instance> {
    model
        .system
        .instances
        .iter()
        .rev()
        .find(|instance| instance.name.text == name.text)
}

pub(crate) fn template_of<'a>(model: &'a Model, name: &Name) -> Result<&'a Template, Diagnostic> {
    let mut at = name;
    // Every instance is of something declared before it, so this ends.
    for _ in 0..=model.system.instances.len() {
        match instance(model, at).filter(|instance| instance.of.text != at.text) {
            Some(instance) => at = &instance.of,
            None => break,
        }
    }
    let found = model
        .templates
        .iter()
        .find(|template| template.name.text == at.text);
    found.ok_or_else(|| Diagnostic::error(name.span, format!("there is no template `{}`", at.text)))
}

/// Binds the parameters of the template that `name` leads to, through all instances between. `values` are those of the parameters that
/// `name` leaves open; `depth` is the number of instances passed.
///
/// # Errors
/// If an instance is defined by itself, the template does not exist, or the evaluation of an argument fails.
pub(crate) fn instantiate(
    model: &Model,
    machine: &mut Machine,
    name: &Name,
    values: &[Value],
    depth: usize,
) -> Eval<()> {
    if depth > model.system.instances.len() {
        return Err(Diagnostic::error(
            name.span,
            "this process is defined by itself",
        ));
    }
    let instance = instance(model, name);
    let parameters = match instance {
        Some(instance) => &instance.parameters,
        None => &template_of(model, name)?.parameters,
    };
    for (parameter, value) in parameters.iter().zip(values) {
        let of = machine.variable_type(parameter)?;
        machine.bind(&parameter.name.text, Binding::Constant(value.clone(), of));
    }
    let Some(instance) = instance else {
        return Ok(());
    };
    let inner = model
        .templates
        .iter()
        .find(|t| t.name.text == instance.of.text);
    let inner = inner.map(|template| &template.parameters);
    let next = model.system.instances.iter();
    let next = next
        .rev()
        .find(|other| other.name.text == instance.of.text && !std::ptr::eq(*other, instance));
    let parameters = inner.or(next.map(|next| &next.parameters));
    let mut bound = Vec::new();
    for (parameter, argument) in parameters.into_iter().flatten().zip(&instance.arguments) {
        bound.push((
            parameter.name.text.clone(),
            machine.argument(parameter, argument)?,
        ));
    }
    for (name, binding) in bound {
        machine.bind(&name, binding);
    }
    match inner {
        Some(_) => Ok(()),
        None => further(model, machine, &instance.of, depth + 1),
    }
}

/// Binds the parameters of the next instance, whose open parameters are already bound.
fn further(model: &Model, machine: &mut Machine, name: &Name, depth: usize) -> Eval<()> {
    instantiate(model, machine, name, &[], depth)
}

/// Returns the name and the place of a global variable that the template of `own` uses and the template of another process may write.
/// `None` if there is none.
fn shared(
    model: &Model,
    facts: &Facts,
    template: &Template,
    processes: &[Process],
    own: &Process,
) -> Option<(String, Span)> {
    let others = processes.iter().filter(|process| process.name != own.name);
    let others = others.filter_map(|process| template_of(model, &process.of).ok());
    let written: BTreeSet<&String> = others
        .filter_map(|template| facts.writes.get(&template.name.text))
        .flatten()
        .collect();
    let mut uses = Vec::new();
    for location in &template.locations {
        location
            .invariant
            .iter()
            .for_each(|part| names(part, &mut uses));
    }
    for edge in &template.edges {
        edge.guard
            .iter()
            .chain(&edge.update)
            .for_each(|part| names(part, &mut uses));
    }
    let functions = model.declarations.iter().chain(&template.declarations);
    for declaration in functions {
        if let Declaration::Function(function) = declaration {
            function
                .body
                .iter()
                .for_each(|statement| names_in(statement, &mut uses));
        }
    }
    uses.into_iter().find(|(name, _)| written.contains(name))
}

pub(crate) fn names(expr: &Expr, found: &mut Vec<(String, Span)>) {
    match &expr.node {
        Node::Name(name) => found.push((name.clone(), expr.span)),
        Node::Unary(_, a) | Node::Step(_, _, a) | Node::Field(a, _) | Node::Rate(a) => {
            names(a, found)
        }
        Node::Quantified(_, _, _, a) => names(a, found),
        Node::Binary(_, a, b) | Node::Assign(_, a, b) | Node::Index(a, b) => {
            names(a, found);
            names(b, found);
        }
        Node::Choice(a, b, c) => [a, b, c].into_iter().for_each(|part| names(part, found)),
        Node::Call(f, all) => {
            names(f, found);
            all.iter().for_each(|part| names(part, found));
        }
        Node::List(all) => all.iter().for_each(|(_, part)| names(part, found)),
        Node::Number(_) | Node::Fraction(_) | Node::Quoted | Node::Truth(_) => {}
    }
}

pub(crate) fn names_in(statement: &Statement, found: &mut Vec<(String, Span)>) {
    match statement {
        Statement::Block(inner) => inner.iter().for_each(|inner| names_in(inner, found)),
        Statement::Declare(Declaration::Variable(variable)) => {
            variable
                .initial
                .iter()
                .for_each(|initial| names(initial, found));
        }
        Statement::Do(expr) => names(expr, found),
        Statement::If(condition, then, otherwise) => {
            names(condition, found);
            names_in(then, found);
            otherwise.iter().for_each(|inner| names_in(inner, found));
        }
        Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
            names(condition, found);
            names_in(body, found);
        }
        Statement::For(first, condition, step, body) => {
            first
                .iter()
                .chain(condition)
                .chain(step)
                .for_each(|part| names(part, found));
            names_in(body, found);
        }
        Statement::Each(_, _, body) => names_in(body, found),
        Statement::Return(value, _) => value.iter().for_each(|value| names(value, found)),
        Statement::Declare(_) | Statement::Empty => {}
    }
}
