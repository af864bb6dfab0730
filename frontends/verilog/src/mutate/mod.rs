//! Mutation operators on the syntax tree: the place, the text and the tree of each mutant.
//!
//! A mutant is made only in code that a process of the design executes. Its place is a contiguous text in one of the user's files, never
//! half of a macro. Left sides of assignments, declarations, labels of `case` and heads of loops have no mutants. A mutant of a module is
//! in all instances of the module.

mod conditions;
mod constants;
mod enums;
mod exchange;
mod negation;
mod plan;
mod rule;
mod selections;
mod statements;
mod walk;

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};
use rustc_hash::FxHashSet;

pub use plan::{plan, plan_of_combinations};

use crate::ast::{ExprId, Source, StmtId};
use rule::{Change, Edit, Point, Position, Rule, Scene, Site};

/// A mutant with its changes of the tree.
pub type Mutation = mutation::Mutation<Meaning>;

/// The changes of the tree. A file that is included several times gives several changes for one place in the text.
#[derive(Clone, Debug)]
pub struct Meaning(Vec<(Site, Change)>);

/// Whether a rule applies to a point. A condition of an asynchronous reset determines its edge, so only the rule that also changes the edge
/// applies to it.
fn looks_at(rule: &Rule, point: Point) -> bool {
    let of_reset = matches!(point, Point::Expr(_, Position::Reset(..)));
    of_reset == (rule.name == conditions::RESET.name)
}

const RULES: Rules<fn(&Scene<'_>, Point) -> Vec<Edit>> = Rules {
    usual: &[
        exchange::ARITHMETIC,
        negation::MINUS,
        exchange::RELATIONAL,
        exchange::EQUALITY,
        exchange::LOGICAL,
        exchange::BITWISE,
        exchange::REDUCTION,
        exchange::SHIFT,
        negation::REMOVAL,
        negation::INSERTION,
        constants::NUMBER,
        conditions::STUCK,
        conditions::RESET,
        selections::OFF_BY_ONE,
        statements::MISSING,
        statements::TIMING,
        statements::CASE_REMOVAL,
        statements::CASE_SWAP,
    ],
    on_demand: &[statements::TIMING_ELSEWHERE],
};

/// Returns the catalogue of operators.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// The parts of the design that are executed, and the parts that the user excludes.
pub struct Scope<'a> {
    /// Expressions that processes execute.
    pub exprs: &'a FxHashSet<ExprId>,
    /// Statements that processes execute.
    pub stmts: &'a FxHashSet<StmtId>,
    /// The statements among `stmts` that blocks at edges execute.
    pub at_edges: &'a FxHashSet<StmtId>,
    /// Stretches without mutants.
    pub off: &'a [Span],
}

/// Returns all mutants of a design in the order of their places.
///
/// # Errors
/// If there are too many.
pub fn mutations(
    source: &Source,
    files: &[SourceFile],
    scope: &Scope<'_>,
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let rules = RULES.chosen(options);
    let mut in_functions = FxHashSet::default();
    walk::walk(source, files, &mut |_: &str, point: Point| {
        if let Point::Stmt(stmt, true) = point {
            let span = source.stmt(stmt).extent.span(&source.tokens);
            in_functions.insert((span.file, span.start));
        }
    });
    let scene = Scene {
        source,
        files,
        at_edges: scope.at_edges,
        in_functions,
    };
    let mut catalogue = Catalogue::new(files);
    let mut refused = None;
    walk::walk(source, files, &mut |path: &str, point: Point| {
        let executed = match point {
            Point::Expr(expr, _) => scope.exprs.contains(&expr),
            Point::Stmt(stmt, _) => scope.stmts.contains(&stmt),
        };
        if !executed || refused.is_some() {
            return;
        }
        for rule in rules.iter().filter(|rule| looks_at(rule, point)) {
            for edit in (rule.edits)(&scene, point) {
                let span = edit.place.span(&source.tokens);
                let excluded = scope.off.iter().any(|off| off.overlaps(span));
                if excluded || !scene.is_editable(edit.place) {
                    continue;
                }
                let meaning = Meaning(vec![(edit.site, edit.change)]);
                let edit = mutation::Edit {
                    span,
                    replacement: scene.apart(edit.place, edit.text),
                };
                let added = catalogue.add(rule.name, path, edit, meaning, Meaning::join);
                if let Err(error) = added {
                    refused = Some(error);
                    return;
                }
            }
        }
    });
    match refused {
        None => Ok(catalogue.in_order_of_places()),
        Some(refused) => Err(refused),
    }
}

impl Meaning {
    /// Adds the changes of another mutant with the same text.
    fn join(&mut self, other: Meaning) {
        for (site, change) in other.0 {
            if self.0.iter().all(|(there, _)| *there != site) {
                self.0.push((site, change));
            }
        }
    }
}
