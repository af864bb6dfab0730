//! Assertions and assumptions, inside and outside of blocks.

use super::cursor::{Parsed, Parser};
use crate::ast::{BinaryOp, ExprId, ExprKind, ItemKind, Sensitivity, StmtId, StmtKind, UnaryOp};

impl Parser {
    /// Reads `assert property (@(posedge clk) disable iff (r) c);`
    pub(super) fn property(&mut self, word: &str) -> Parsed<ItemKind> {
        let (condition, edge) = self.claim()?;
        if self.eat_word("else") {
            self.statement()?;
        } else {
            self.expect(";")?;
        }
        Ok(match word {
            "assert" => ItemKind::Assert(condition, edge),
            "assume" => ItemKind::Assume(condition, edge),
            _ => ItemKind::Ignored,
        })
    }

    /// Reads `assert property (c)` and the like, up to the actions. Returns the condition of every step, and the edge as in
    /// [`Parser::property_expression`].
    fn claim(&mut self) -> Parsed<(ExprId, Option<(bool, ExprId)>)> {
        self.advance();
        // Deferred and clocked assertions hold in the same steps.
        let _ = self.eat_word("property") || self.eat_word("final");
        if self.is("#") {
            self.timing()?;
        }
        self.expect("(")?;
        let condition = self.property_expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    /// Reads `@(posedge clk) disable iff (r) a |-> b`. Returns the condition of every step, `r || (!a || b)`, and the edge: whether it
    /// rises, and its signal. The edge is `None` without an `@`. A level, or a list of several edges, is dropped and yields `None`, too.
    ///
    /// # Errors
    /// If `|=>`, `##` or a second `|->` follows.
    fn property_expression(&mut self) -> Parsed<(ExprId, Option<(bool, ExprId)>)> {
        let mut edge = None;
        if self.is("@")
            && let Sensitivity::Edges(edges) = self.sensitivity()?
            && let [one] = edges.as_slice()
        {
            edge = Some(*one);
        }
        let first = self.at;
        let mut excused = None;
        if self.eat_word("disable") {
            self.expect_word("iff")?;
            self.expect("(")?;
            excused = Some(self.expression()?);
            self.expect(")")?;
        }
        let mut condition = self.expression()?;
        if self.eat("|->") {
            let extent = self.since(first);
            let other = self.add(ExprKind::Unary(UnaryOp::Not, condition), extent, first);
            let then = self.expression()?;
            condition = self.either(first, other, then);
        }
        for what in ["|->", "|=>", "##"] {
            if self.is(what) {
                let message = format!(
                    "`{what}` here in a property is not supported: it relates several steps"
                );
                return Err(self.error(message));
            }
        }
        let whole = match excused {
            Some(excused) => self.either(first, excused, condition),
            None => condition,
        };
        Ok((whole, edge))
    }

    pub(super) fn either(&mut self, first: usize, a: ExprId, b: ExprId) -> ExprId {
        let extent = self.since(first);
        self.add(ExprKind::Binary(BinaryOp::LogicOr, a, b), extent, first)
    }

    /// Reads `assert (c);`, perhaps with actions.
    pub(super) fn assertion(&mut self, word: &str) -> Parsed<StmtId> {
        let first = self.at;
        let (condition, _) = self.claim()?;
        if !self.eat(";") {
            if !self.is_word("else") {
                self.statement()?;
            }
            if self.eat_word("else") {
                self.statement()?;
            }
        }
        let kind = match word {
            "assert" => StmtKind::Assert(condition),
            "assume" => StmtKind::Assume(condition),
            _ => StmtKind::Null,
        };
        Ok(self.add_stmt(kind, first))
    }
}
