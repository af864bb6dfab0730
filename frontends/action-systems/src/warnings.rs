//! What a system means that its author may not intend.

use hyperkill_core::sort::Value;
use hyperkill_core::system::Warning;
use hyperkill_frontend::Span;
use hyperkill_guarded::interpret::leaving_ranges;
use hyperkill_guarded::model::{Model, Reference};
use hyperkill_guarded::tree::{BinaryOp, Domain, ExprId, ExprKind};

/// Actions that are run to find values outside of ranges: a tenth of a second.
const RUNS: usize = 50_000;

/// The warnings about a system, in the order of their places.
pub(crate) fn of(model: &Model<'_>) -> Vec<Warning> {
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
    for (command, value) in leaving_ranges(model, RUNS) {
        let stmt = &model.system.stmts[command];
        let Some(variable) = model.target(command) else {
            continue;
        };
        let variable = &model.system.variables[variable];
        let (name, domain) = (&variable.name.text, variable.domain.sort());
        let message = format!(
            "`{name}` would be {value} here, which is not in {domain}: the action cannot be done then"
        );
        warnings.push(warning(stmt.span, message));
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

/// Numbers that a variable is compared with and never is.
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
