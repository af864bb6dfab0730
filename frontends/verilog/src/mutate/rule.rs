//! Rules of mutation: the points that they apply to, and the edits that they propose.

use std::sync::Arc;

use hyperkill_frontend::mutation::{self, apart};
use hyperkill_frontend::{SourceFile, Span};
use rustc_hash::FxHashSet;

use crate::ast::{ExprId, ExprKind, Extent, Source, StmtId, StmtKind};
use crate::lexer::{Kind, lex};

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    Expr(ExprId),
    Stmt(StmtId),
}

/// The replacement of a node.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// An existing expression.
    Operand(ExprId),
    /// A new expression.
    Expr(ExprKind),
    /// A negation of an expression, or of part of one.
    Negated(crate::ast::UnaryOp, ExprId),
    /// A select with its index one further, or one less.
    Beside(ExprId, crate::ast::BinaryOp),
    /// The removal of a statement.
    Delete,
    /// The removal of a branch of a `case`. All values of the branch go to the default.
    Default {
        /// The `case`.
        case: StmtId,
        /// The statement of its default.
        body: Option<StmtId>,
    },
    /// A new statement.
    Stmt(StmtKind),
    /// Two statements, exchanged.
    Swap(StmtId, StmtId),
}

/// The position of an expression in its surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Position {
    /// A condition of `if`, `?:`, `while`: only whether it is 0 matters.
    Condition,
    /// The condition of an asynchronous reset, with the extent of its edge.
    Reset(Extent, bool),
    /// A whole value: the right side of an assignment, an argument.
    Value,
    /// An operand of `&&` or `||`.
    Logical,
    /// The operand of `!`, where only its truth matters. Its negation is the expression without the `!`, and `!!a` is no Verilog.
    Negated,
    /// An operand of another operator.
    Operand,
    /// The operand of an arithmetic operator.
    Arithmetic,
    /// An index.
    Index,
    /// The operation of `a += b`: only its operator is in the text.
    Compound,
}

/// A place that rules apply to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Point {
    Expr(ExprId, Position),
    /// A statement, and whether it is one of a function.
    Stmt(StmtId, bool),
}

/// A replacement that a rule proposes: the stretch of tokens, the text for it, and the change of the tree.
pub(super) struct Edit {
    pub(super) site: Site,
    pub(super) place: Extent,
    pub(super) text: String,
    pub(super) change: Change,
}

/// The input of the rules.
pub(super) struct Scene<'a> {
    pub(super) source: &'a Source,
    pub(super) files: &'a [SourceFile],
    /// Statements that blocks at edges execute.
    pub(super) at_edges: &'a FxHashSet<StmtId>,
    /// Statements of functions, by file and first byte.
    pub(super) in_functions: FxHashSet<(usize, usize)>,
}

/// Whether a text has directives that a change of it would lose or tear apart: any but `` `ifdef `` with its `` `endif ``.
fn has_directives(text: &str) -> bool {
    let mut open = 0;
    let names = text.split('`').skip(1).map(|after| {
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &after[..end.unwrap_or(after.len())]
    });
    for name in names {
        match name {
            "ifdef" | "ifndef" => open += 1,
            "else" | "elsif" if open == 0 => return true,
            "endif" if open == 0 => return true,
            "endif" => open -= 1,
            "define" | "undef" | "undefineall" | "include" | "resetall" | "default_nettype"
            | "timescale" | "line" | "celldefine" | "endcelldefine" => return true,
            _ => {}
        }
    }
    open > 0
}

impl Scene<'_> {
    /// Returns the text of a stretch of tokens in the user's file; `None` if it is not [editable](Self::is_editable).
    pub(super) fn text(&self, extent: Extent) -> Option<&str> {
        if !self.is_editable(extent) {
            return None;
        }
        let span = extent.span(&self.source.tokens);
        Some(span.of(&self.files.get(span.file)?.text))
    }

    pub(super) fn text_of(&self, expr: ExprId) -> Option<&str> {
        self.text(self.source.expr(expr).extent)
    }

    /// Returns the text of an operand, in parentheses if it is more than a primary. `None` if its text is not editable.
    pub(super) fn fenced(&self, expr: ExprId) -> Option<String> {
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

    /// Returns a text for a place, with spaces where it would merge with neighbouring tokens: `a+-b` is no `a--b`.
    pub(super) fn apart(&self, place: Extent, text: String) -> String {
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

    pub(super) fn token(&self, at: u32) -> Extent {
        Extent {
            first: at,
            last: at,
        }
    }

    /// Whether a stretch of tokens is contiguous in one file, no part of a macro's text, and without directives that would be lost.
    pub(super) fn is_editable(&self, extent: Extent) -> bool {
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
            && !self.has_directives(start.span.file, start.span.start..end.span.end)
    }

    fn has_directives(&self, file: usize, place: std::ops::Range<usize>) -> bool {
        let text = self.files.get(file).and_then(|file| file.text.get(place));
        text.is_some_and(has_directives)
    }
}

/// A mutation operator.
pub(super) type Rule = mutation::Rule<fn(&Scene<'_>, Point) -> Vec<Edit>>;

impl Edit {
    /// Returns the edit that replaces an expression by a new text.
    pub(super) fn expr(
        scene: &Scene<'_>,
        site: ExprId,
        text: impl Into<String>,
        change: Change,
    ) -> Edit {
        Edit {
            site: Site::Expr(site),
            place: scene.source.expr(site).extent,
            text: text.into(),
            change,
        }
    }
}
