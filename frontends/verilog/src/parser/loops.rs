//! Loops: `for`, `foreach` and the declarations in their heads.

use super::cursor::{Parsed, Parser};
use crate::ast::{Declaration, Declarator, ExprKind, Item, ItemKind, NamePart, StmtId, StmtKind};

impl Parser {
    pub(super) fn for_loop(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.expect_word("for")?;
        self.expect("(")?;
        let mut declares = match self.local_class() || self.type_follows() {
            true => Some(Box::new(self.head_declaration()?)),
            false => None,
        };
        let init = self.assignments(declares.as_deref_mut())?;
        self.expect(";")?;
        let condition = self.expression()?;
        self.expect(";")?;
        let step = self.assignments(None)?;
        self.expect(")")?;
        let body = self.statement()?;
        let kind = StmtKind::For {
            declares,
            init,
            condition,
            step,
            body,
        };
        Ok(self.add_stmt(kind, first))
    }

    /// Reads assignments between commas, as one statement. If the first one declares its variable, the others do so, too.
    pub(super) fn assignments(&mut self, mut declares: Option<&mut Item>) -> Parsed<StmtId> {
        let first = self.at;
        let mut all = vec![self.assignment(false)?];
        while self.eat(",") {
            if let Some(item) = declares.as_deref_mut() {
                // A repeated type must be the same one.
                if self.local_class() {
                    let again = self.class_and_range()?;
                    if !matches!(&item.kind, ItemKind::Declaration(d) if d.class == again.class) {
                        return Err(self.error("variables of two types in the head of a loop"));
                    }
                }
                let name = self.loop_variable();
                if let ItemKind::Declaration(declaration) = &mut item.kind {
                    declaration.names.push(name);
                }
            }
            all.push(self.assignment(false)?);
        }
        Ok(match all[..] {
            [one] => one,
            _ => self.add_stmt(StmtKind::Block(None, Vec::new(), all), first),
        })
    }

    /// Returns the variable whose first value follows.
    pub(super) fn loop_variable(&self) -> Declarator {
        Declarator {
            name: self.token().text.clone(),
            dimensions: Vec::new(),
            value: None,
            extent: self.here(),
        }
    }

    /// Reads `foreach (a[i, j]) body`.
    pub(super) fn foreach(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        self.expect("(")?;
        let start = self.at;
        let path = vec![NamePart {
            name: self.scoped_name()?,
            indices: Vec::new(),
        }];
        let extent = self.since(start);
        let of = self.add(ExprKind::Name(path), extent, start);
        self.expect("[")?;
        let mut variables = Vec::new();
        let mut names = Vec::new();
        loop {
            variables.push(match self.is_name() {
                true => {
                    names.push(self.loop_variable());
                    Some(self.name()?)
                }
                false => None,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        self.expect(")")?;
        let extent = self.since(start);
        let body = self.statement()?;
        let declaration = Declaration {
            names,
            automatic: true,
            ..self.word_type("int")
        };
        let declares = Box::new(Item {
            kind: ItemKind::Declaration(declaration),
            extent,
        });
        let kind = StmtKind::Foreach {
            of,
            variables,
            declares,
            body,
        };
        Ok(self.add_stmt(kind, first))
    }

    pub(super) fn local_class(&self) -> bool {
        self.is_word("integer")
            || self.is_word("genvar")
            || ["int", "byte", "shortint", "longint", "logic", "bit"]
                .iter()
                .any(|word| self.is_soft(word))
    }

    /// Reads `integer i = 0` in the head of a loop: the declaration; the assignment is read after it.
    pub(super) fn head_declaration(&mut self) -> Parsed<Item> {
        let first = self.at;
        let mut declaration = self.class_and_range()?;
        declaration.class = Some(declaration.class.unwrap_or(crate::ast::Class::Integer));
        declaration.automatic = true;
        declaration.names = vec![self.loop_variable()];
        Ok(Item {
            kind: ItemKind::Declaration(declaration),
            extent: self.since(first),
        })
    }
}
