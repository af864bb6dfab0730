//! Replaced names.

use super::rule::{Change, Edit, Point, Rule, Site};
use crate::model::Reference;
use crate::tree::ExprKind;

/// A variable is replaced by another one.
pub(super) const VARIABLE: Rule = Rule {
    name: "VRR",
    summary: "replaces a variable or a parameter by each other one that may have the same values",
    example: "level := used ⇒ level := free",
    edits: |scene, point| {
        let Point::Expr { id, action, .. } = point else {
            return Vec::new();
        };
        let model = scene.model;
        let expr = &model.system.exprs[id];
        let (ExprKind::Name(_), Some(here)) = (&expr.kind, model.reference(id)) else {
            return Vec::new();
        };
        let Some(domain) = model.domain_of(action, here) else {
            return Vec::new();
        };
        let parameters = model.system.actions[action].parameters.iter();
        let parameters = parameters
            .enumerate()
            .map(|(index, name)| (Reference::Parameter(index), name));
        let variables = model.system.variables.iter().enumerate();
        let variables = variables.map(|(index, v)| (Reference::Variable(index), &v.name));
        parameters
            .chain(variables)
            .filter(|(other, _)| *other != here && model.domain_of(action, *other) == Some(domain))
            .map(|(other, name)| Edit {
                site: Site::Expr(id),
                change: Change::Name(other),
                span: expr.span,
                replacement: name.span.of(scene.text).to_owned(),
            })
            .collect()
    },
};
