//! Gates and instances of modules, with their connections.

use super::cursor::{Parsed, Parser};
use crate::ast::{BinaryOp, Connection, ExprKind, Extent, Instance, Item, ItemKind, Range};
use crate::number::Literal;

impl Parser {
    pub(super) fn gates(&mut self) -> Parsed<ItemKind> {
        let gate = self.token().text.clone();
        self.advance();
        if self.is("(") && self.token_is_strength(1) {
            while !self.eat(")") {
                self.advance();
            }
        }
        if self.is("#") {
            self.timing()?;
        }
        let mut all = Vec::new();
        loop {
            all.push(self.instance()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Gates(gate, all))
    }

    fn token_is_strength(&self, by: usize) -> bool {
        let strengths = [
            "strong0", "strong1", "supply0", "supply1", "pull0", "pull1", "weak0", "weak1",
            "highz0", "highz1",
        ];
        strengths.iter().any(|word| self.ahead(by).is_word(word))
    }

    pub(super) fn instances(&mut self) -> Parsed<ItemKind> {
        if !self.is_name() {
            return Err(self.error(format!(
                "expected a part of a module, found {}",
                self.found()
            )));
        }
        if self.covergroups.contains(&self.token().text) && self.ahead(2).is("=") {
            // An instance of a covergroup measures a simulation.
            self.skip_statement()?;
            return Ok(ItemKind::Ignored);
        }
        self.no_object()?;
        let first = self.at;
        let module = self.name()?;
        let mut parameters = Vec::new();
        let mut types = Vec::new();
        if self.eat("#") {
            if self.eat("(") {
                while !self.is(")") {
                    let mut name = None;
                    let mut given = true;
                    if self.eat(".") {
                        name = Some(self.name()?);
                        self.expect("(")?;
                        given = !self.is(")");
                    }
                    if given {
                        let value = self.value_or_type(&mut types)?;
                        parameters.push((name.clone(), value));
                    }
                    if name.is_some() {
                        self.expect(")")?;
                    }
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect(")")?;
            } else {
                let value = self.expression()?;
                parameters.push((None, value));
            }
        }
        let mut instances = Vec::new();
        loop {
            instances.push(self.instance()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        let kind = ItemKind::Instances {
            module,
            parameters,
            instances,
        };
        if types.is_empty() {
            return Ok(kind);
        }
        types.push(Item {
            kind,
            extent: self.since(first),
        });
        Ok(ItemKind::Block(None, types))
    }

    /// Checks that no variable of an unsupported class is declared here.
    ///
    /// # Errors
    /// If one is: it looks like an instance without ports.
    fn no_object(&self) -> Parsed<()> {
        let name = &self.token().text;
        let foreign = self.source.foreign.iter();
        let class = foreign
            .rev()
            .find(|(known, what, _)| known == name && what.starts_with("`class "));
        match class {
            Some((_, what, there)) => Err(self.error(what).with_label(*there, "declared here")),
            None => Ok(()),
        }
    }

    /// Reads `[left:right]`, or `[count]` for `[0:count - 1]`.
    fn count_or_range(&mut self) -> Parsed<Range> {
        self.expect("[")?;
        let left = self.expression()?;
        if self.eat(":") {
            let right = self.expression()?;
            self.expect("]")?;
            return Ok((left, right));
        }
        self.expect("]")?;
        let (extent, at) = (self.extent(left), self.at);
        let zero = self.add(ExprKind::Number(Literal::integer(0)), extent, at);
        let one = self.add(ExprKind::Number(Literal::integer(1)), extent, at);
        let last = ExprKind::Binary(BinaryOp::Sub, left, one);
        let last = self.add(last, extent, at);
        Ok((zero, last))
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let first = self.at;
        // Gates and primitives need no name.
        let name = match self.is_name() {
            true => Some(self.name()?),
            false => None,
        };
        let range = match self.is("[") {
            true => Some(self.count_or_range()?),
            false => None,
        };
        self.expect("(")?;
        let mut connections = Vec::new();
        let mut rest = false;
        while !self.is(")") {
            let attributes = self.attributes()?;
            let start = self.at;
            if self.is(".") && self.ahead(1).is("*)") {
                // `.*` and the end of the list.
                self.advance();
                self.advance();
                return Ok(Instance {
                    name,
                    range,
                    connections,
                    rest: true,
                    extent: self.since(first),
                });
            } else if self.is(".") && self.ahead(1).is("*") {
                self.advance();
                self.advance();
                rest = true;
            } else if self.eat(".") {
                let port = self.name()?;
                let value = if self.eat("(") {
                    let value = match self.is(")") {
                        true => None,
                        false => Some(self.expression()?),
                    };
                    self.expect(")")?;
                    value
                } else {
                    // `.name` is `.name(name)`.
                    let extent = Extent {
                        first: start as u32 + 1,
                        last: start as u32 + 1,
                    };
                    let path = vec![crate::ast::NamePart {
                        name: port.clone(),
                        indices: Vec::new(),
                    }];
                    Some(self.add(ExprKind::Name(path), extent, start))
                };
                connections.push(Connection {
                    port: Some(port),
                    value,
                    extent: self.since(start),
                });
            } else {
                let value = match self.is(",") {
                    true => None,
                    false => Some(self.expression()?),
                };
                connections.push(Connection {
                    port: None,
                    value,
                    extent: self.since(start),
                });
            }
            self.exclude(attributes, start);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Instance {
            name,
            range,
            connections,
            rest,
            extent: self.since(first),
        })
    }
}
