//! Prints expressions and commands as texts of a language, which are read as the same tree.

use std::fmt::Write;

use crate::operators::{Level, Operators, PRIMARY};
use crate::tree::{ExprId, ExprKind, StmtId, StmtKind, System};

/// Returns the text of an expression.
#[must_use]
pub fn expression(system: &System, operators: &Operators, id: ExprId) -> String {
    // Chains of operators may be as long as the text, so there is no recursion.
    let first = system.exprs.first(id).index();
    let mut texts: Vec<(String, Level)> = Vec::new();
    for part in system.exprs.parts(id) {
        let mut take = |operand: ExprId| std::mem::take(&mut texts[operand.index() - first]);
        let fenced = |(text, level): (String, Level), needed: Level| match level < needed {
            true => format!("({text})"),
            false => text,
        };
        let text = match &system.exprs[part].kind {
            ExprKind::Truth(value) => (operators.truth(*value).to_owned(), PRIMARY),
            ExprKind::Number(value) => (value.to_string(), PRIMARY),
            ExprKind::Name(name) => ((operators.name)(name), PRIMARY),
            ExprKind::Unary(op, a) => match operators.before(*op) {
                Some(prefix) => {
                    let operand = fenced(take(*a), PRIMARY);
                    (format!("{} {operand}", prefix.sign), prefix.level)
                }
                None => take(*a),
            },
            ExprKind::Binary(op, a, b) => match operators.of(*op) {
                Some(infix) => {
                    let room = infix.level + Level::from(op.is_relational());
                    let mut text = fenced(take(*a), room);
                    let right = fenced(take(*b), infix.level + 1);
                    // Writing to a string cannot fail.
                    let _ = write!(text, " {} {right}", infix.sign);
                    (text, infix.level)
                }
                None => take(*a),
            },
        };
        texts.push(text);
    }
    texts.pop().unwrap_or_default().0
}

/// Returns the text of a command.
#[must_use]
pub fn command(system: &System, operators: &Operators, id: StmtId) -> String {
    let all = |parts: &[StmtId], sign: &str| {
        let parts = parts.iter().map(|part| enclosed(system, operators, *part));
        parts.collect::<Vec<_>>().join(&format!(" {sign} "))
    };
    match &system.stmts[id].kind {
        StmtKind::Skip => operators.skip.to_owned(),
        StmtKind::Assign { target, value } => {
            let value = expression(system, operators, *value);
            format!(
                "{} {} {value}",
                (operators.name)(&target.text),
                operators.assign
            )
        }
        StmtKind::Guard { condition, body } => {
            let condition = expression(system, operators, *condition);
            let body = enclosed(system, operators, *body);
            format!("({condition}) {} {body}", operators.guard)
        }
        StmtKind::Sequence(parts) => all(parts, operators.then),
        StmtKind::Choice(parts) => all(parts, operators.choice),
        StmtKind::Prioritised(parts) => all(parts, "//"),
        StmtKind::Transition(transition) => command(system, operators, transition.body),
        StmtKind::Move { target } => format!("to {}", (operators.name)(&target.text)),
        StmtKind::Emit { output, values } => {
            let values = values.iter().map(|v| expression(system, operators, *v));
            let values = values.collect::<Vec<_>>().join(", ");
            format!("emit {}({values})", (operators.name)(&output.text))
        }
        StmtKind::Located(branches) => {
            let parts = branches.iter().map(|(location, part)| {
                let part = enclosed(system, operators, *part);
                format!("{}: {part}", (operators.name)(&location.text))
            });
            parts.collect::<Vec<_>>().join(" ")
        }
    }
}

fn enclosed(system: &System, operators: &Operators, id: StmtId) -> String {
    let text = command(system, operators, id);
    match system.stmts[id].kind {
        StmtKind::Skip => text,
        _ => format!("({text})"),
    }
}
