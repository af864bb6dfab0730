//! DLY: a value is read one step late.

use hyperkill_core::sort::Value;

use super::rule::{Change, Edit, Point, Rule, Site};
use crate::ast::VarKind;
use crate::flat::PROCESS_SELECTOR;
use crate::replay::spelled;
use crate::resolve::Entity;

/// The name of the variable that stores the old value.
pub const BEFORE: &str = "hyperkill-before";

/// `x` becomes its value of the step before. At step 0 it keeps its value, or the first value of the type for an IVAR, which initial values
/// cannot read.
///
/// The assignments of a process are made only when it runs, so models with processes have no such mutants.
pub(super) const STEP: Rule = Rule {
    name: "DLY",
    summary: "reads a variable's value of the step before, which one more variable keeps",
    example: "next(alarm) := open ⇒ VAR hyperkill-before : boolean; ASSIGN init(hyperkill-before) := open; \
        next(hyperkill-before) := open; next(alarm) := hyperkill-before",
    edits: |scene, point| {
        let (&Point::Expr { id, .. }, Some(statement)) = (point, scene.statement) else {
            return Vec::new();
        };
        let (model, flat) = (scene.model, scene.model.flat);
        let copies = flat.origin[id.index()].and_then(|origin| flat.copies.get(&origin));
        let variables = copies
            .into_iter()
            .flatten()
            .map(|copy| match model.entity(*copy) {
                Some(Entity::Variable(v)) => Some(&model.variables[v]),
                _ => None,
            });
        let Some(variables) = variables.collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let taken = |name: &str| model.lookup(&format!("{}{name}", scene.prefix)).is_some();
        let [first, rest @ ..] = variables.as_slice() else {
            return Vec::new();
        };
        // All instances share one declaration.
        let alike = rest
            .iter()
            .all(|other| other.domain == first.domain && other.kind == first.kind);
        if scene.ahead
            || !alike
            || first.kind == VarKind::Frozen
            || model.lookup(PROCESS_SELECTOR).is_some()
            || taken(BEFORE)
        {
            return Vec::new();
        }
        let (domain, name) = (&first.domain, scene.text_of(id));
        let start = match first.kind {
            VarKind::Input => spelled(domain.kind(), &first_value(domain.sort())),
            VarKind::State | VarKind::Frozen => name.to_owned(),
        };
        let place = model.exprs()[id].span;
        let before = scene.text.get(statement.span.start..place.start);
        let after = scene.text.get(place.end..statement.span.end);
        let (Some(before), Some(after)) = (before, after) else {
            return Vec::new();
        };
        let section = match statement.section {
            "ASSIGN" => String::new(),
            section => format!("{section} "),
        };
        vec![Edit {
            site: Site::Expr(id),
            change: Change::Delay,
            span: statement.span,
            replacement: format!(
                "VAR {BEFORE} : {domain}; ASSIGN init({BEFORE}) := {start}; next({BEFORE}) := {name}; {section}{before}{BEFORE}{after}"
            ),
        }]
    },
};

fn first_value(sort: &hyperkill_core::sort::Sort) -> Value {
    sort.value_of_code(0)
}
