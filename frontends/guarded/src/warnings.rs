//! Warnings about probable mistakes in a system.

use hyperkill_core::sort::Value;
use hyperkill_core::system::Warning;
use hyperkill_frontend::Span;

use crate::interpret::leaving_ranges;
use crate::model::{Model, Reference};
use crate::tree::{BinaryOp, Domain, ExprId, ExprKind, Leaving};

/// The number of actions that are run to find values outside of ranges, at most: a tenth of a second.
const RUNS: usize = 50_000;

/// Returns the warnings about a system, in the order of their places.
#[must_use]
pub fn of(model: &Model<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (index, action) in model.system.actions.iter().enumerate() {
        if model.event_of[index].is_none() {
            let message = format!(
                "`{}` is never offered, so it has no mutants",
                action.name.text
            );
            warnings.push(warning(action.name.span, message));
        }
    }
    let mut found: Vec<Warning> = comparisons(model);
    warnings.append(&mut found);
    let becomes = match model.system.leaving {
        Leaving::Disables => "the action cannot be done then",
        Leaving::EndsRuns => "such runs are not looked at",
    };
    for (command, (cell, value)) in leaving_ranges(model, RUNS) {
        let (name, domain) = (model.name(cell), model.domain(cell).sort());
        let message =
            format!("`{name}` would be {value} here, which is not in {domain}: {becomes}");
        warnings.push(warning(model.system.stmts[command].span, message));
    }
    warnings.sort_by_key(|warning| warning.bytes);
    warnings
}

fn warning(span: Span, message: String) -> Warning {
    Warning {
        message,
        file: span.file,
        bytes: (span.start, span.end),
    }
}

/// Returns warnings about comparisons with numbers outside of the variable's range.
fn comparisons(model: &Model<'_>) -> Vec<Warning> {
    let exprs = &model.system.exprs;
    let name = |id: ExprId| {
        let Reference::Variable(variable) = model.reference(id)? else {
            return None;
        };
        Some(&model.system.variables[variable])
    };
    let mut warnings = Vec::new();
    for id in exprs.ids() {
        let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = exprs[id].kind else {
            continue;
        };
        for (side, other) in [(a, b), (b, a)] {
            let (Some(variable), ExprKind::Number(value)) = (name(side), &exprs[other].kind) else {
                continue;
            };
            let domain = &variable.domain;
            if matches!(domain, Domain::Range { .. }) && !domain.contains(&Value::Int(*value)) {
                let domain = domain.sort();
                let message = format!(
                    "`{}` is never {value}: it is in {domain}",
                    variable.name.text
                );
                warnings.push(warning(exprs[other].span, message));
            }
        }
    }
    warnings
}
