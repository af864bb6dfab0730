//! `generate`: loops, conditions and blocks of items of modules.

use std::sync::Arc;

use super::cursor::{Parsed, Parser};
use crate::ast::{BinaryOp, ExprKind, Item, ItemKind};
use crate::number::Literal;

impl Parser {
    pub(super) fn generate_for(&mut self) -> Parsed<ItemKind> {
        self.advance();
        self.expect("(")?;
        self.eat_word("genvar");
        let variable = self.name()?;
        self.expect("=")?;
        let init = self.expression()?;
        self.expect(";")?;
        let condition = self.expression()?;
        self.expect(";")?;
        let first = self.at;
        // `++i` has the same effect as `i++` here.
        let before = match &*self.token().text {
            "++" | "--" => Some(self.advance()),
            _ => None,
        };
        let counted = self.reference()?;
        let step = match &self.source.expr(counted).kind {
            ExprKind::Name(path) if path.len() == 1 && path[0].name == variable => {
                let sign = match before {
                    Some(at) => at,
                    None => self.advance(),
                };
                let sign = &self.source.tokens[sign];
                let up = sign.is("++") || sign.is("+=");
                let down = sign.is("--") || sign.is("-=");
                let by_one = sign.is("++") || sign.is("--");
                if up || down {
                    let by = match by_one {
                        true => {
                            let extent = self.since(first);
                            self.add(ExprKind::Number(Literal::integer(1)), extent, first)
                        }
                        false => self.expression()?,
                    };
                    let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                    let extent = self.since(first);
                    self.add(ExprKind::Binary(op, counted, by), extent, first)
                } else {
                    self.expression()?
                }
            }
            _ => return Err(self.error(format!("this loop must count with `{variable}`"))),
        };
        self.expect(")")?;
        let number = self.construct();
        let block = self.generate_block(number)?;
        let (label, items) = match block.kind {
            ItemKind::Block(label, items) => (label, items),
            _ => (None, vec![block]),
        };
        let label = label.or_else(|| Some(Arc::from(format!("genblk{number}").as_str())));
        Ok(ItemKind::GenerateFor {
            variable,
            init,
            condition,
            step,
            label,
            items,
        })
    }

    /// Returns the number of the generate construct that begins here, from 1 in each scope (IEEE 1800-2017 §27.6). A conditional construct
    /// alone in a branch of another one shares its number (§27.5).
    pub(super) fn construct(&mut self) -> usize {
        self.nested.take().unwrap_or_else(|| {
            self.constructs += 1;
            self.constructs
        })
    }

    /// Reads a branch of the conditional construct with this number.
    pub(super) fn generate_branch(&mut self, number: usize) -> Parsed<Item> {
        let is_conditional = self.is_word("if") || self.is_word("case");
        self.nested = is_conditional.then_some(number);
        self.generate_block(number)
    }

    /// Reads `begin : name … end`, or one item, of the construct with this number. A block without a name gets one by the number.
    pub(super) fn generate_block(&mut self, number: usize) -> Parsed<Item> {
        let first = self.at;
        let around = match self.nested {
            // It belongs to the construct around it.
            Some(_) => return self.item(),
            None => std::mem::replace(&mut self.constructs, 0),
        };
        if !self.eat_word("begin") {
            let item = self.item();
            self.constructs = around;
            return item;
        }
        let label = match self.eat(":") {
            true => Some(self.name()?),
            false => None,
        };
        let mut items = Vec::new();
        while !self.eat_word("end") {
            if self.at_end() {
                return Err(self.error("expected `end`"));
            }
            items.push(self.item()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        self.constructs = around;
        // A block without a name has a scope, too.
        let label = label.or_else(|| Some(Arc::from(format!("genblk{number}").as_str())));
        Ok(Item {
            kind: ItemKind::Block(label, items),
            extent: self.since(first),
        })
    }

    pub(super) fn generate_case(&mut self) -> Parsed<ItemKind> {
        self.advance();
        self.expect("(")?;
        let number = self.construct();
        let subject = self.expression()?;
        self.expect(")")?;
        let mut branches = Vec::new();
        while !self.eat_word("endcase") {
            let labels = self.case_labels()?;
            branches.push((labels, self.generate_branch(number)?));
        }
        Ok(ItemKind::GenerateCase(subject, branches))
    }
}
