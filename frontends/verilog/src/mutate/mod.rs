//! Mutation operators on the syntax tree: where a mutant is, what its text is, and what its tree is.
//!
//! A mutant is made only where a process of the design executes the code, and only where its place is a whole stretch
//! of one of the user's files: never half of a macro. Left sides of assignments, declarations, labels of `case` and
//! heads of loops are never mutated. One mutant of a module is in all its instances.

mod conditions;
mod constants;
mod enums;
mod exchange;
mod negation;
mod selections;
mod statements;
mod walk;

use std::sync::Arc;

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules, apart};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};
use rustc_hash::FxHashSet;

use crate::ast::{Expr, ExprId, ExprKind, Extent, Source, Stmt, StmtId, StmtKind};
use crate::lexer::{Kind, lex};
use crate::state::{Alternative, Plan};

/// A mutant with what it does to the tree.
pub type Mutation = mutation::Mutation<Meaning>;

/// Where the tree changes: at several places if they are one in the text, that of a file which is included more than once.
#[derive(Clone, Debug)]
pub struct Meaning(Vec<(Site, Change)>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Site {
    Expr(ExprId),
    Stmt(StmtId),
}

/// What stands in the place of a node.
#[derive(Clone, Debug)]
enum Change {
    /// An expression there is already.
    Operand(ExprId),
    /// A new expression.
    Expr(ExprKind),
    /// A negation of an expression, or of part of one.
    Negated(crate::ast::UnaryOp, ExprId),
    /// A select with its index one further, or one less.
    Beside(ExprId, crate::ast::BinaryOp),
    /// Nothing.
    Delete,
    /// A new statement.
    Stmt(StmtKind),
    /// Two statements in each other's place.
    Swap(StmtId, StmtId),
}

/// How an expression stands in what surrounds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Position {
    /// A condition of `if`, `?:`, `while`: only whether it is 0 matters.
    Condition,
    /// The condition of an asynchronous reset, with the extent of its edge.
    Reset(Extent, bool),
    /// A whole value: the right side of an assignment, an argument.
    Value,
    /// An operand of `&&` or `||`.
    Logical,
    /// The operand of `!` where only whether it is 0 matters: negated, it would be what it is without the `!`, and no `!!a` is Verilog.
    Negated,
    /// An operand of another operator.
    Operand,
    /// The operand of an arithmetic operator.
    Arithmetic,
    /// An index.
    Index,
    /// What `a += b` stands for: only its operator is there.
    Compound,
}

/// A place that rules look at.
#[derive(Clone, Copy, Debug)]
enum Point {
    Expr(ExprId, Position),
    /// A statement, and whether it is one of a function.
    Stmt(StmtId, bool),
}

/// A replacement that a rule proposes: the stretch of tokens, the text for it, and the change of the tree.
struct Edit {
    site: Site,
    place: Extent,
    text: String,
    change: Change,
}

/// What rules may look at.
struct Scene<'a> {
    source: &'a Source,
    files: &'a [SourceFile],
    /// Statements that blocks at edges execute.
    at_edges: &'a FxHashSet<StmtId>,
}

impl Scene<'_> {
    /// The user's text of a stretch of tokens, if it is a whole stretch of one file.
    fn text(&self, extent: Extent) -> Option<&str> {
        if !self.is_editable(extent) {
            return None;
        }
        let span = extent.span(&self.source.tokens);
        Some(span.of(&self.files.get(span.file)?.text))
    }

    fn text_of(&self, expr: ExprId) -> Option<&str> {
        self.text(self.source.expr(expr).extent)
    }

    /// The text of an operand, in parentheses if it is more than a primary.
    fn fenced(&self, expr: ExprId) -> Option<String> {
        let text = self.text_of(expr)?;
        let text = match self.source.expr(expr).kind {
            ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Unary(..)
            | ExprKind::Inside(..) => {
                format!("({text})")
            }
            _ => text.to_owned(),
        };
        Some(text)
    }

    /// A text for a place, with spaces where it would grow together with what stands right beside: `a+-b` is no `a--b`.
    fn apart(&self, place: Extent, text: String) -> String {
        let tokens = &self.source.tokens;
        let span = place.span(tokens);
        let Some(file) = self.files.get(span.file) else {
            return text;
        };
        let words = |text: &str| -> Vec<(Kind, Arc<str>)> {
            let tokens = lex(0, text).into_iter();
            tokens.map(|token| (token.kind, token.text)).collect()
        };
        let grow = |a: &str, b: &str| {
            let both = words(&format!("{a}{b}"));
            both != [words(a), words(b)].concat()
        };
        let token_there = |at: Option<u32>| at.and_then(|at| tokens.get(at as usize));
        let before = token_there(place.first.checked_sub(1))
            .map(|token| token.span)
            .filter(|before| before.file == span.file && before.end == span.start);
        let after = token_there(place.last.checked_add(1))
            .map(|token| token.span)
            .filter(|after| after.file == span.file && after.start == span.end);
        let text_of = |beside: Option<Span>| beside.map(|span| span.of(&file.text));
        apart(text_of(before), &text, text_of(after), grow)
    }

    fn token(&self, at: u32) -> Extent {
        Extent {
            first: at,
            last: at,
        }
    }

    /// Whether a stretch of tokens is a whole stretch of one file.
    fn is_editable(&self, extent: Extent) -> bool {
        let tokens = &self.source.tokens;
        let (first, last) = (extent.first as usize, extent.last as usize);
        let (Some(start), Some(end)) = (tokens.get(first), tokens.get(last)) else {
            return false;
        };
        let outside = |usage: u32, beside: Option<usize>| {
            usage == 0
                || beside
                    .and_then(|at| tokens.get(at))
                    .is_none_or(|token| token.usage != usage)
        };
        let inside = tokens.get(first..=last).unwrap_or_default();
        first <= last
            && outside(start.usage, first.checked_sub(1))
            && outside(end.usage, last.checked_add(1))
            && inside
                .iter()
                .all(|token| token.usage != u32::MAX && token.span.file == start.span.file)
            && start.span.start <= end.span.start
    }
}

/// A mutation operator.
type Rule = mutation::Rule<fn(&Scene<'_>, Point) -> Vec<Edit>>;

/// Whether a rule looks at a point. Conditions of asynchronous resets say at which edge they are, so only that rule changes them which
/// changes the edge, too.
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

/// The catalogue of operators.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// What the design executes, and what the user excludes.
pub struct Scope<'a> {
    /// Expressions that processes execute.
    pub exprs: &'a FxHashSet<ExprId>,
    /// Statements that processes execute.
    pub stmts: &'a FxHashSet<StmtId>,
    /// Those among them that blocks at edges execute.
    pub at_edges: &'a FxHashSet<StmtId>,
    /// Stretches without mutants.
    pub off: &'a [Span],
}

/// All mutants of a design in the order of their places.
///
/// # Errors
/// If there are more than anybody can keep.
pub fn mutations(
    source: &Source,
    files: &[SourceFile],
    scope: &Scope<'_>,
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let rules = RULES.chosen(options);
    let scene = Scene {
        source,
        files,
        at_edges: scope.at_edges,
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
    /// The same text changes the tree in another place, too.
    fn join(&mut self, other: Meaning) {
        for (site, change) in other.0 {
            if self.0.iter().all(|(there, _)| *there != site) {
                self.0.push((site, change));
            }
        }
    }
}

/// Builds the mutated parts into the tree.
#[must_use]
pub fn plan(source: &mut Source, mutations: &[Mutation]) -> Plan {
    let mut plan = Plan {
        first_own: u32::try_from(source.exprs.len()).ok(),
        ..Plan::default()
    };
    let changes = mutations.iter().enumerate();
    for (index, (site, change)) in
        changes.flat_map(|(i, mutation)| mutation.meaning.0.iter().map(move |change| (i, change)))
    {
        match *site {
            Site::Expr(site) => {
                if let Some(with) = changed(source, site, change) {
                    plan.exprs.entry(site).or_default().push((index, with));
                }
            }
            Site::Stmt(site) => {
                if let Change::Swap(a, b) = *change {
                    for (site, with) in [(a, b), (b, a)] {
                        let alternatives = plan.stmts.entry(site).or_default();
                        alternatives.push((index, Alternative::Replace(with)));
                    }
                    continue;
                }
                let alternative = match change {
                    Change::Stmt(kind) => {
                        let Stmt { extent, .. } = *source.stmt(site);
                        let kind = kind.clone();
                        Alternative::Replace(source.add_stmt(Stmt { kind, extent }))
                    }
                    _ => Alternative::Delete,
                };
                plan.stmts
                    .entry(site)
                    .or_default()
                    .push((index, alternative));
            }
        }
    }
    plan
}

fn changed(source: &mut Source, site: ExprId, change: &Change) -> Option<ExprId> {
    let Expr {
        extent, operator, ..
    } = *source.expr(site);
    let mut add = |kind: ExprKind| {
        source.add_expr(Expr {
            kind,
            extent,
            operator,
        })
    };
    match change {
        Change::Operand(operand) => Some(*operand),
        Change::Expr(kind) => Some(add(kind.clone())),
        Change::Negated(op, operand) => Some(add(ExprKind::Unary(*op, *operand))),
        Change::Beside(index, op) => {
            let one = add(ExprKind::Number(crate::number::Literal::integer(1)));
            let beside = add(ExprKind::Binary(*op, *index, one));
            match source.expr(site).kind.clone() {
                ExprKind::Index(base, _) => {
                    let kind = ExprKind::Index(base, beside);
                    Some(source.add_expr(Expr {
                        kind,
                        extent,
                        operator,
                    }))
                }
                _ => None,
            }
        }
        Change::Delete | Change::Stmt(_) | Change::Swap(..) => None,
    }
}

impl Edit {
    /// A new text for a whole expression.
    fn expr(scene: &Scene<'_>, site: ExprId, text: impl Into<String>, change: Change) -> Edit {
        Edit {
            site: Site::Expr(site),
            place: scene.source.expr(site).extent,
            text: text.into(),
            change,
        }
    }
}
