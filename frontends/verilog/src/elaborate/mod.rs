//! Syntax tree to [`Design`](crate::design::Design): the hierarchy is unfolded first, then every process is executed symbolically.
//!
//! Mutants are built in at once. If the [`Plan`] has alternatives for an expression or a statement, the result is
//! `ite(selector, mutated, original)`. Constants that shape the design (bounds, parameters, `generate`, heads of loops) have no mutants.

mod boxes;
mod instance;
mod nets;

use hyperkill_frontend::{Diagnostic, Span, did_you_mean};

use crate::ast::{ExprId, ExprKind, Item, ItemKind, Module, Name, Source};
use crate::design::{Process, Run, Stop};
use crate::gates::find_gates;
use crate::state::{Elaborator, Given, Plan};

/// The options of the user.
#[derive(Clone, Default, Debug)]
pub struct Request<'a> {
    /// The top module.
    pub top: &'a str,
    /// Parameters of the top module, and of the interfaces that its ports are (`port.parameter`).
    pub parameters: Vec<(Name, ExprId)>,
    /// Types among their values.
    pub types: &'a [Item],
    /// Assumptions over its names.
    pub assumptions: Vec<ExprId>,
}

/// Returns the parameters of a module that can be set.
fn settable(module: &Module) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for item in &module.items {
        match &item.kind {
            ItemKind::Parameters(parameters) => {
                let parameters = parameters.iter().filter(|parameter| !parameter.local);
                found.extend(parameters.map(|parameter| &*parameter.declarator.name));
            }
            ItemKind::TypeParameter { name, local, .. } if !local => found.push(name),
            _ => {}
        }
    }
    found
}

/// Returns an error in the text of an option, which stands in no file.
fn of_option(option: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Apart(_) => stop,
        stop => {
            let message = format!("{option}: {}", stop.located(Span::default()).message);
            Stop::Model(Box::new(Diagnostic::option(message, None)))
        }
    }
}

impl<'a> Elaborator<'a> {
    /// Elaborates the design below a top module.
    ///
    /// # Errors
    /// If something has no meaning or is not supported, with its place.
    pub fn run(
        source: &'a Source,
        plan: &'a Plan,
        request: &Request<'_>,
    ) -> Result<Elaborator<'a>, Diagnostic> {
        let mut elaborator = Elaborator::new(source, plan);
        elaborator
            .whole(request)
            .map_err(|stop| stop.located(Span::default()))?;
        Ok(elaborator)
    }

    /// Returns the override of a parameter of the top module by the option `-P`: the expression `value`, or a type that it names. An
    /// assignment pattern (`'{…}`) is evaluated later, with the parameter's type; so is a real number.
    ///
    /// # Errors
    /// If any other expression is no constant.
    fn given_by_option(&mut self, value: ExprId) -> Run<Given> {
        let given = self.given(value)?;
        if !matches!(
            self.source.expr(value).kind,
            ExprKind::Pattern(_) | ExprKind::Real(_)
        ) && matches!(given, Given::Expr(..))
        {
            self.constant(value)?;
        }
        Ok(given)
    }

    /// Checks that the top module, or the interface that its port is, has each of these parameters.
    fn parameters_exist(&self, module: &Module, parameters: &[(Name, ExprId)]) -> Run<()> {
        for (name, _) in parameters {
            let (owner, parameter) = match name.split_once('.') {
                None => (Some(module), &**name),
                Some((port, parameter)) => (self.interface_of_port(module, port), parameter),
            };
            let Some(owner) = owner else {
                let message = format!(
                    "-P {name}: `{}` has no port of an interface of this name",
                    module.name
                );
                return Err(Stop::Model(Box::new(Diagnostic::option(message, None))));
            };
            let known = settable(owner);
            if !known.contains(&parameter) {
                let message = format!("-P {name}: `{}` has no such parameter", owner.name);
                let near = did_you_mean(parameter, known);
                return Err(Stop::Model(Box::new(Diagnostic::option(message, near))));
            }
        }
        Ok(())
    }

    /// Returns the interface of a port of a module; `None` if there is no such port, or it is no interface.
    fn interface_of_port(&self, module: &Module, name: &str) -> Option<&'a Module> {
        let interface = module.items.iter().find_map(|item| match &item.kind {
            ItemKind::InterfacePort(port) if &*port.declarator.name == name => {
                port.interface.as_ref()
            }
            _ => None,
        })?;
        Some(&self.source.interface(interface)?.body)
    }

    fn whole(&mut self, request: &Request<'_>) -> Run<()> {
        let Some(module) = self.source.module(request.top) else {
            let message = format!("there is no module `{}`", request.top);
            return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))));
        };
        self.top_is_no_box(request.top)?;
        let top = self.new_scope(None, String::new());
        self.scope = top;
        self.outside_modules()?;
        self.design.scopes[top.0].parent = Some(self.outside);
        self.rest_of_packages()?;
        for item in request.types {
            let declared = self.types(item, top);
            declared.map_err(|stop| of_option("-P", stop))?;
        }
        let mut overrides = Vec::new();
        for (name, value) in &request.parameters {
            let value = self.given_by_option(*value);
            let value = value.map_err(|stop| of_option(&format!("-P {name}"), stop))?;
            match name.split_once('.') {
                None => overrides.push((Some(name.clone()), value)),
                Some((port, parameter)) => {
                    let given = (Some(Name::from(parameter)), value);
                    self.of_ports.entry(port.into()).or_default().push(given);
                }
            }
        }
        self.parameters_exist(module, &request.parameters)?;
        self.module(module, top, &overrides)?;
        self.top_ports(module, top)?;
        self.rest_of_packages()?;
        let mut number = 0;
        loop {
            // Executing a block may declare variables with initial values: further processes.
            while !self.processes.is_empty() {
                for (process, place) in std::mem::take(&mut self.processes) {
                    self.process = number;
                    self.execute(&process, place)
                        .map_err(|stop| Stop::Model(Box::new(stop.located(place))))?;
                    number += 1;
                }
                // An expression may be the first use of a package.
                self.rest_of_packages()?;
            }
            if !self.close_boxes()? {
                break;
            }
        }
        self.boxes_are_used()?;
        self.scope = top;
        find_gates(&mut self.design);
        self.join_drivers()?;
        self.clocks_of_boxes();
        for condition in &request.assumptions {
            let process = Process::Property(top, *condition, None, true);
            let place = self.source.span(*condition);
            let executed = self.execute(&process, place);
            executed.map_err(|stop| of_option("--assume", stop))?;
        }
        Ok(())
    }
}
