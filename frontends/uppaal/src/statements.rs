//! Carries out functions on data.

use std::rc::Rc;

use hyperkill_frontend::Span;

use crate::machine::{Binding, Eval, Machine, Place, error};
use crate::syntax::{Expr, Node, Statement, Variable};
use crate::values::Value;

/// The nesting depth of function calls, at most.
const DEEPEST_CALL: usize = 60;

/// The effect of a statement on control flow: the next statement follows, or the function returns a value.
enum Flow {
    On,
    Returned(Value),
}

impl Machine {
    pub(crate) fn call(&mut self, function: &Expr, arguments: &[Expr], span: Span) -> Eval<Value> {
        let Node::Name(name) = &function.node else {
            return error(function.span, "this is no function");
        };
        let found = match self.find(name) {
            Some(Binding::Function(function, levels)) => Some((Rc::clone(function), *levels)),
            _ => None,
        };
        let Some((function, levels)) = found else {
            return match arguments {
                [only] if name == "abs" => Ok(Value::Int(self.number(only)?.abs())),
                _ => error(span, format!("function `{name}` is not declared")),
            };
        };
        let mut bound = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            bound.push(self.argument(parameter, argument)?);
        }
        self.calls += 1;
        if self.calls > DEEPEST_CALL {
            return error(span, "calls of functions are nested too deeply");
        }
        let hidden = self.levels.split_off(levels);
        let (room, names) = (self.store.len(), self.variables.len());
        self.enter();
        for (parameter, binding) in function.parameters.iter().zip(bound) {
            let binding = match binding {
                Binding::Constant(value, of) if !parameter.base.is_const => {
                    self.store.push(value);
                    let slot = self.store.len() - 1;
                    let path = Vec::new();
                    Binding::Place(Place { slot, path }, of)
                }
                other => other,
            };
            self.bind(&parameter.name.text, binding);
        }
        let flow = self.block(&function.body);
        self.levels.truncate(levels);
        self.levels.extend(hidden);
        self.store.truncate(room);
        self.variables.truncate(names);
        self.calls -= 1;
        match flow? {
            Flow::Returned(value) => Ok(value),
            Flow::On => Ok(Value::Int(0)),
        }
    }

    /// Returns the binding of a parameter to an argument: a clock, a channel, a variable for a reference, or else a value.
    pub(crate) fn argument(&mut self, parameter: &Variable, argument: &Expr) -> Eval<Binding> {
        if let Some((first, of)) = self.clock(argument)? {
            return Ok(Binding::Clock(first, of));
        }
        let of = self.variable_type(parameter)?;
        if of.is_channel() {
            let (name, of) = self.channel(argument)?;
            return Ok(Binding::Channel(name, of));
        }
        let is_variable = parameter.is_reference && self.place(argument).is_ok();
        if is_variable {
            let (place, of) = self.place(argument)?;
            return Ok(Binding::Place(place, of));
        }
        let value = self.initial(argument, &of)?;
        Ok(Binding::Constant(value, of))
    }

    fn block(&mut self, statements: &[Statement]) -> Eval<Flow> {
        self.enter();
        let mut flow = Ok(Flow::On);
        for statement in statements {
            flow = self.statement(statement);
            if !matches!(flow, Ok(Flow::On)) {
                break;
            }
        }
        self.leave();
        flow
    }

    fn statement(&mut self, statement: &Statement) -> Eval<Flow> {
        self.step(Span::default())?;
        self.deeper(Span::default())?;
        let flow = self.statement_inside(statement);
        self.depth -= 1;
        flow
    }

    fn statement_inside(&mut self, statement: &Statement) -> Eval<Flow> {
        match statement {
            Statement::Empty => {}
            Statement::Block(inner) => return self.block(inner),
            Statement::Declare(declaration) => self.declare(declaration)?,
            Statement::Do(expr) => {
                self.value(expr)?;
            }
            Statement::If(condition, then, otherwise) => {
                return match (self.truth(condition)?, otherwise) {
                    (true, _) => self.statement(then),
                    (false, Some(otherwise)) => self.statement(otherwise),
                    (false, None) => Ok(Flow::On),
                };
            }
            Statement::While(condition, body) => {
                return self.repeat(Some(condition), &[], body, false);
            }
            Statement::DoWhile(body, condition) => {
                return self.repeat(Some(condition), &[], body, true);
            }
            Statement::For(first, condition, step, body) => {
                for part in first {
                    self.value(part)?;
                }
                return self.repeat(condition.as_ref(), step, body, false);
            }
            Statement::Each(name, of, body) => {
                let of = self.of_type(of)?;
                let (from, to) = of.range().unwrap_or((0, -1));
                for number in from..=to {
                    self.enter();
                    self.bind(
                        &name.text,
                        Binding::Constant(Value::Int(number), of.clone()),
                    );
                    let flow = self.statement(body);
                    self.leave();
                    if !matches!(flow, Ok(Flow::On)) {
                        return flow;
                    }
                }
            }
            Statement::Return(value, _) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                return Ok(Flow::Returned(value.unwrap_or(Value::Int(0))));
            }
        }
        Ok(Flow::On)
    }

    fn repeat(
        &mut self,
        condition: Option<&Expr>,
        step: &[Expr],
        body: &Statement,
        comes_first: bool,
    ) -> Eval<Flow> {
        let mut is_first = comes_first;
        loop {
            let goes_on = match condition {
                Some(condition) if !is_first => self.truth(condition)?,
                _ => true,
            };
            is_first = false;
            if !goes_on {
                return Ok(Flow::On);
            }
            let flow = self.statement(body)?;
            if matches!(flow, Flow::Returned(_)) {
                return Ok(flow);
            }
            for part in step {
                self.value(part)?;
            }
        }
    }
}
