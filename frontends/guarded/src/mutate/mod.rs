//! Mutants of the tree: the operators, their places, and the texts of mutants.
//!
//! All languages of guarded commands have these rules; the table of a language spells the replacements. A rule reads one place at a time
//! and changes nothing: [`crate::lower`] reads the [`Change`]s beside the tree.

mod commands;
mod constants;
mod decisions;
mod exchange;
mod guards;
mod machines;
mod names;
mod rule;
mod stuck;
mod text;
mod walk;

pub use rule::{Change, Language, Meaning, Mutation, Site};

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};

use crate::model::Model;

use rule::{Edits, Point, Rule, Scene};

const RULES: Rules<Edits> = Rules {
    usual: &[guards::TRUE, exchange::EQUALITY, constants::GREATER],
    on_demand: &[
        guards::FALSE,
        constants::LESS,
        exchange::RELATIONAL,
        exchange::ARITHMETIC,
        exchange::LOGICAL,
        names::VARIABLE,
        commands::ASSIGNMENT,
        commands::BRANCH,
    ],
};

/// The operators of \[4, §2\]. Examples have the spelling of machines.
const OF_MACHINES: Rules<Edits> = Rules {
    usual: &[
        Rule {
            example: "n := n + v; ⇒ n := n - v;",
            ..exchange::ARITHMETIC
        },
        Rule {
            example: "on e if n > 0 ⇒ on e if n >= 0",
            ..exchange::RELATIONAL
        },
        stuck::ZERO,
        Rule {
            example: "n := 2; ⇒ n := 3;",
            ..constants::GREATER
        },
        Rule {
            example: "n := 2; ⇒ n := 1;",
            ..constants::LESS
        },
        stuck::MORE,
        stuck::LESS,
        Rule {
            example: "n := 2; ⇒ skip;",
            ..commands::ASSIGNMENT
        },
        Rule {
            example: "on e if a & b ⇒ on e if a | b",
            ..exchange::LOGICAL
        },
        decisions::SUBFORMULA,
        decisions::CONDITION,
        decisions::ASSOCIATION,
        decisions::MISSING,
        decisions::REFERENCE,
    ],
    on_demand: &[
        Rule {
            summary: "makes a guard true",
            example: "on e if a ⇒ on e if true",
            ..guards::TRUE
        },
        Rule {
            summary: "makes a guard false, so that a transition is missing",
            example: "on e if a ⇒ on e if false",
            ..guards::FALSE
        },
        Rule {
            example: "on e if n == 0 ⇒ on e if n != 0",
            ..exchange::EQUALITY
        },
        Rule {
            example: "n := n + v; ⇒ n := n + m;",
            ..names::VARIABLE
        },
        Rule {
            example: "choose { n := 1; } or { n := 2; } ⇒ choose { n := 2; }",
            ..commands::BRANCH
        },
        machines::TARGET,
        machines::OUTPUT,
        machines::SILENCE,
    ],
};

/// Returns the catalogue of operators of a language.
#[must_use]
pub fn operators(language: &Language) -> Vec<Operator> {
    let mut operators = language.rules().operators();
    operators.retain(|operator| !language.without.contains(&operator.name.as_str()));
    operators
}

impl Language {
    fn rules(&self) -> &'static Rules<Edits> {
        match self.is_of_machines {
            true => &OF_MACHINES,
            false => &RULES,
        }
    }
}

/// Returns all mutants of a system in the order of their places; `off` are parts of the source without mutants.
///
/// # Errors
/// If there are too many.
pub fn mutations(
    model: &Model<'_>,
    source: &SourceFile,
    language: &Language,
    off: &[Span],
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let mut rules = language.rules().chosen(options);
    rules.retain(|rule| !language.without.contains(&rule.name));
    let scene = Scene {
        model,
        text: &source.text,
        language,
    };
    let mut off = off.to_vec();
    off.sort_unstable();
    let mut catalogue = Catalogue::new(std::slice::from_ref(source));
    let mut refused = None;
    walk::walk(&scene, &mut |path: &str, point: Point<'_>| {
        for rule in &rules {
            for edit in (rule.edits)(&scene, point) {
                // An edit must replace some text.
                let is_said = edit.span.start < edit.span.end;
                if refused.is_some() || !is_said || is_off(&off, edit.span) {
                    continue;
                }
                let meaning = Meaning {
                    site: edit.site,
                    change: edit.change,
                    rejected: None,
                };
                let span = edit.span;
                let edit = mutation::Edit {
                    span,
                    replacement: scene.fit(span, &edit.replacement),
                };
                let added = catalogue.add(rule.name, path, edit, meaning, |_, _| ());
                refused = added.err();
            }
        }
    });
    match refused {
        None => Ok(catalogue.in_order_of_places()),
        Some(refused) => Err(refused),
    }
}

/// Whether a place overlaps with one of these parts, which are in order.
fn is_off(off: &[Span], span: Span) -> bool {
    let begun = off.partition_point(|off| (off.file, off.start) < (span.file, span.end));
    off[..begun].iter().rev().any(|off| off.overlaps(span))
}
