//! Syntax tree to [`Design`](crate::design::Design): the hierarchy is unfolded first, then every process is executed symbolically.
//!
//! Mutants are built in at once. If the [`Plan`] has alternatives for an expression or a statement, the result is
//! `ite(selector, mutated, original)`. Constants that shape the design (bounds, parameters, `generate`, heads of loops) have no mutants.

mod boxes;
mod instance;
mod nets;

use hyperkill_frontend::{Diagnostic, Span, did_you_mean};

use crate::ast::{ExprId, ExprKind, ItemKind, Module, Name, Source};
use crate::design::{Process, Run, Stop};
use crate::execute::Given;
use crate::gates::find_gates;
use crate::state::{Elaborator, Plan};

/// The options of the user.
#[derive(Clone, Default, Debug)]
pub struct Request<'a> {
    /// The top module.
    pub top: &'a str,
    /// Parameters of the top module.
    pub parameters: Vec<(Name, ExprId)>,
    /// Assumptions over its names.
    pub assumptions: Vec<ExprId>,
}

/// Returns the parameters of a module that can be set.
fn settable(module: &Module) -> Vec<&str> {
    let items = module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Parameters(parameters) => Some(parameters),
        _ => None,
    });
    let parameters = items.flatten().filter(|parameter| !parameter.local);
    parameters
        .map(|parameter| &*parameter.declarator.name)
        .collect()
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

    fn whole(&mut self, request: &Request<'_>) -> Run<()> {
        let Some(module) = self.source.module(request.top) else {
            let message = format!("there is no module `{}`", request.top);
            return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))));
        };
        self.top_is_no_box(request.top)?;
        let top = self.new_scope(None, String::new());
        self.scope = top;
        self.outside_modules()?;
        self.rest_of_packages()?;
        let mut overrides = Vec::new();
        for (name, value) in &request.parameters {
            let value = self.given_by_option(*value);
            let value = value.map_err(|stop| of_option(&format!("-P {name}"), stop))?;
            overrides.push((Some(name.clone()), value));
        }
        let known = settable(module);
        for (name, _) in &request.parameters {
            if !known.contains(&name.as_ref()) {
                let message = format!("-P {name}: `{}` has no such parameter", module.name);
                let near = did_you_mean(name, known);
                return Err(Stop::Model(Box::new(Diagnostic::option(message, near))));
            }
        }
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
