//! Writes a test as SMV: the model with a monitor in its `main` that sets the inputs of the test and checks its outputs.
//!
//! The monitor counts steps. Its invariant `hyperkill-test` holds if and only if every run with the inputs of the test has its outputs. It
//! holds for a deterministic model and fails for a mutant that the test kills for certain. So another model checker can confirm a test. If
//! no run accepts the inputs, the invariant holds trivially.

use std::fmt::Write;

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_frontend::{Diagnostic, SourceFile};

use crate::ast::{Program, VarKind};
use crate::domain::Kind;
use crate::lexer::{TokenKind, lex};
use crate::resolve::{Entity, Model};
use crate::types::{self, Types};
use crate::{flat, parser, resolve};

/// The name of the monitor's counter.
pub const STEP: &str = "hyperkill-step";

/// The name of the monitor's invariant.
pub const INVARIANT: &str = "hyperkill-test";

/// Returns the text of the model with a monitor that replays a test.
///
/// # Errors
/// If the text is no model, or has no such inputs and outputs.
pub fn replay(source: &SourceFile, test: &[Step]) -> Result<String, Vec<Diagnostic>> {
    let text = &source.text;
    let parsed = parser::parse(text)?;
    let flat = flat::flatten(&parsed.program)?;
    let model = resolve::resolve(&flat)?;
    let types = types::check(&model)?;
    let writer = Writer {
        model: &model,
        types: &types,
    };
    let monitor = writer.monitor(test).map_err(|error| vec![error])?;
    let head = end_of_head(text, &parsed.program);
    let (Some(before), Some(after)) = (text.get(..head), text.get(head..)) else {
        return Err(vec![Diagnostic::unlocated("there is no `MODULE main`")]);
    };
    Ok(format!("{before}\n{monitor}{after}"))
}

/// Returns the byte at which the head of `MODULE main` ends, including empty parentheses.
fn end_of_head(text: &str, program: &Program) -> usize {
    let Some(main) = program.module("main") else {
        return 0;
    };
    let end = main.name.span.end;
    let tokens = lex(text.get(end..).unwrap_or_default()).tokens;
    match tokens.as_slice() {
        [open, close, ..]
            if open.kind == TokenKind::Sign("(") && close.kind == TokenKind::Sign(")") =>
        {
            end + close.span.end
        }
        _ => end,
    }
}

struct Writer<'a> {
    model: &'a Model<'a>,
    types: &'a Types,
}

impl Writer<'_> {
    fn monitor(&self, test: &[Step]) -> Result<String, Diagnostic> {
        let last = test.len();
        let mut out = String::new();
        // Constraints, not assignments: those of a process wait for their turn.
        line(&mut out, format_args!("VAR {STEP} : 0..{last};"));
        line(&mut out, format_args!("INIT {STEP} = 0"));
        let next = format!("{STEP} < {last} ? {STEP} + 1 : {last}");
        line(&mut out, format_args!("TRANS next({STEP}) = ({next})"));
        let mut seen = vec!["TRUE".to_owned()];
        for (
            step,
            Step {
                inputs, outputs, ..
            },
        ) in test.iter().enumerate()
        {
            for (name, value) in inputs {
                let given = self.given(name, value)?;
                match given {
                    Given::First(condition) if step > 0 => drop(condition),
                    Given::First(condition) => line(&mut out, format_args!("INIT {condition}")),
                    Given::State(condition) => {
                        line(
                            &mut out,
                            format_args!("INVAR {STEP} = {step} -> {condition}"),
                        );
                    }
                    Given::Step(condition) => {
                        line(
                            &mut out,
                            format_args!("TRANS {STEP} = {step} -> {condition}"),
                        );
                    }
                }
            }
            for (name, value) in outputs {
                let value = spelled(self.kind(name)?, value);
                seen.push(format!("({STEP} = {step} -> {name} = {value})"));
            }
        }
        let seen = seen.join(" & ");
        line(
            &mut out,
            format_args!("INVARSPEC NAME {INVARIANT} := {seen}"),
        );
        Ok(out)
    }

    /// Returns the condition that an input has a value, with the time at which it must hold.
    fn given(&self, name: &str, value: &Value) -> Result<Given, Diagnostic> {
        if let Some(Entity::Variable(v)) = self.model.lookup(name) {
            let variable = &self.model.variables[v];
            let value = spelled(variable.domain.kind(), value);
            let condition = format!("{name} = {value}");
            return Ok(match variable.kind {
                VarKind::Input => Given::Step(condition),
                VarKind::State | VarKind::Frozen => Given::State(condition),
            });
        }
        // Inputs of variables that are read one step ahead.
        for (prefix, coming) in [("next.", true), ("init.", false)] {
            if let Some(name) = name.strip_prefix(prefix)
                && let Some(Entity::Variable(v)) = self.model.lookup(name)
            {
                let value = spelled(self.model.variables[v].domain.kind(), value);
                return Ok(match coming {
                    true => Given::Step(format!("next({name}) = {value}")),
                    false => Given::First(format!("{name} = {value}")),
                });
            }
        }
        Err(unknown(name))
    }

    fn kind(&self, name: &str) -> Result<Kind, Diagnostic> {
        match self.model.lookup(name) {
            Some(Entity::Variable(v)) => Ok(self.model.variables[v].domain.kind()),
            Some(Entity::Define(d)) => Ok(self.types.of(self.model.defines[d].body).kind),
            _ => Err(unknown(name)),
        }
    }
}

/// Returns a value in the syntax of SMV.
pub(crate) fn spelled(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Word { width, signed }, Value::Int(n)) => match signed {
            true => format!("swconst({n}, {width})"),
            false => format!("0ud{width}_{n}"),
        },
        (Kind::Word { width, signed }, Value::Symbol(bits)) => {
            // Values of 64 bits are no numbers but hexadecimal digits.
            let word = format!("0uh{width}_{}", bits.trim_start_matches("0x"));
            match signed {
                true => format!("signed({word})"),
                false => word,
            }
        }
        _ => value.to_string(),
    }
}

/// A condition on an input, by the time at which it must hold.
enum Given {
    /// A condition on the state at step 0.
    First(String),
    /// A condition on the state.
    State(String),
    /// A condition on the step that leaves the state.
    Step(String),
}

fn unknown(name: &str) -> Diagnostic {
    Diagnostic::unlocated(format!("the model has no variable or DEFINE `{name}`"))
}

fn line(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{what}");
}
