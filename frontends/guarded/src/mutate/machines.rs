//! Transitions of machines that are missing, or have another target or other outputs.

use super::rule::{Change, Edit, Point, Rule, Site};
use crate::tree::{Domain, StmtKind};

/// A transition has another target.
pub(super) const TARGET: Rule = Rule {
    name: "OTT",
    summary: "lets a transition lead to each other location",
    example: "to B ⇒ to C",
    edits: |scene, point| {
        let Point::Move(id) = point else {
            return Vec::new();
        };
        let system = scene.model.system;
        let StmtKind::Move { target } = &system.stmts[id].kind else {
            return Vec::new();
        };
        let variable = system.location.map(|v| &system.variables[v].domain);
        let Some(Domain::Symbols(all)) = variable else {
            return Vec::new();
        };
        let others = all.iter().enumerate();
        let others = others.filter(|(_, name)| **name != target.text);
        others
            .map(|(code, name)| Edit {
                site: Site::Stmt(id),
                change: Change::Target(code),
                span: target.span,
                replacement: (scene.language.operators.name)(name),
            })
            .collect()
    },
};

/// A transition has another output.
pub(super) const OUTPUT: Rule = Rule {
    name: "OUT",
    summary: "replaces an output by each other one with parameters of the same types",
    example: "emit ok; ⇒ emit end;",
    edits: |scene, point| {
        let Point::Emit(id) = point else {
            return Vec::new();
        };
        let system = scene.model.system;
        let (StmtKind::Emit { output, .. }, Some(own)) =
            (&system.stmts[id].kind, scene.model.output(id))
        else {
            return Vec::new();
        };
        let domains = |index: usize| {
            let parameters = system.outputs[index].parameters.iter();
            parameters.map(|(_, domain)| domain).collect::<Vec<_>>()
        };
        let others = (0..system.outputs.len()).filter(|index| *index != own);
        others
            .filter(|index| domains(*index) == domains(own))
            .map(|index| Edit {
                site: Site::Stmt(id),
                change: Change::Output(index),
                span: output.span,
                replacement: (scene.language.operators.name)(&system.outputs[index].name.text),
            })
            .collect()
    },
};

/// An output is missing.
pub(super) const SILENCE: Rule = Rule {
    name: "MO",
    summary: "does nothing in the place of an output",
    example: "emit ok; ⇒ skip;",
    edits: |scene, point| {
        let Point::Emit(id) = point else {
            return Vec::new();
        };
        vec![Edit {
            site: Site::Stmt(id),
            change: Change::Skip,
            span: scene.model.system.stmts[id].span,
            replacement: scene.language.operators.skip.to_owned(),
        }]
    },
};
