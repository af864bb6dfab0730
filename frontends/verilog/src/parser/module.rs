//! Modules with their ports, and other items at the top of a file.

use super::cursor::{Parsed, Parser};
use crate::ast::{Declaration, Direction, InterfacePort, Item, ItemKind, Module, Name};
use crate::lexer::Kind;

impl Parser {
    /// Reads a module, or another item at the top of a file.
    pub(super) fn description(&mut self) -> Parsed<()> {
        let attributes = self.attributes()?;
        let first = self.at;
        self.constructs = 0;
        self.described()?;
        self.exclude(attributes, first);
        Ok(())
    }

    fn described(&mut self) -> Parsed<()> {
        if self.is_word("module") || self.is_word("macromodule") {
            let module = self.module()?;
            if let Some(known) = self.source.module(&module.name) {
                let there = known.extent.span(&self.source.tokens);
                let here = module.extent.span(&self.source.tokens);
                let message = format!("the module `{}` is defined twice", module.name);
                return Err(hyperkill_frontend::Diagnostic::error(here, message)
                    .with_label(there, "first here"));
            }
            self.source.modules.push(module);
            return Ok(());
        }
        if self.foreign()? {
            return Ok(());
        }
        if self.is_word("package") {
            return self.package();
        }
        let outside = [
            "typedef",
            "import",
            "parameter",
            "localparam",
            "function",
            "task",
        ];
        if outside.iter().any(|word| self.is_word(word)) {
            let item = self.item()?;
            self.source.outside.push(item);
            return Ok(());
        }
        if self.eat(";") {
            return Ok(());
        }
        Err(self.error(format!("expected `module`, found {}", self.found())))
    }

    /// Reads past an unsupported design unit that is no module, and records it. Elaboration refuses it where the design uses it. Returns
    /// false if none is next.
    pub(super) fn foreign(&mut self) -> Parsed<bool> {
        if self.is_word("primitive") && self.ahead(1).kind == Kind::Word {
            self.primitive()?;
            return Ok(true);
        }
        if self.is_word("interface") && self.ahead(1).kind == Kind::Word {
            self.interface_or_foreign()?;
            return Ok(true);
        }
        for (word, end) in [
            ("config", "endconfig"),
            ("program", "endprogram"),
            ("class", "endclass"),
            ("checker", "endchecker"),
        ] {
            let is_virtual = self.is_word("virtual") && self.ahead(1).is_word(word);
            if is_virtual || self.is_word(word) && self.ahead(1).kind == Kind::Word {
                let first = self.at;
                self.advance();
                if is_virtual {
                    self.advance();
                }
                let _ = self.eat_word("automatic") || self.eat_word("class");
                let name = self.name()?;
                let place = self.since(first).span(&self.source.tokens);
                self.skip_past(end)?;
                if self.eat(":") {
                    self.name()?;
                }
                let what = format!("`{word} {name}` is not supported");
                self.source.foreign.push((name, what, place));
                return Ok(true);
            }
        }
        if self.is_word("bind") {
            return Err(self.bind());
        }
        if self.is_word("timeunit") || self.is_word("timeprecision") {
            self.skip_statement()?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the error for a `bind` here.
    pub(super) fn bind(&self) -> hyperkill_frontend::Diagnostic {
        self.error("`bind` is not supported").with_help(
            "leave its file out, or write the instance into the module that it is bound to",
        )
    }

    pub(super) fn module(&mut self) -> Parsed<Module> {
        self.module_until("endmodule")
    }

    /// Reads a module or an interface, up to the word that ends it.
    pub(super) fn module_until(&mut self, end: &str) -> Parsed<Module> {
        let first = self.at;
        self.advance();
        self.eat_word("automatic");
        let name = self.name()?;
        let extent = self.since(first);
        let mut items = Vec::new();
        while self.is_word("import") {
            items.push(self.item()?);
        }
        if self.eat("#") {
            self.expect("(")?;
            self.head_parameters(&mut items)?;
            self.expect(")")?;
        }
        let mut ports = Vec::new();
        if self.eat("(") {
            if !self.is(")") {
                self.ports(&mut ports, &mut items, false)?;
            }
            self.expect(")")?;
        }
        self.expect(";")?;
        while !self.eat_word(end) {
            if self.at_end() {
                let what = end.trim_start_matches("end");
                return Err(self.error(format!("the {what} `{name}` has no `{end}`")));
            }
            items.push(self.item()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        Ok(Module {
            name,
            ports,
            items,
            extent,
            primitive: false,
        })
    }

    /// Reads the ports in the head, with their declarations if it has them, into `ports` (the names outside and inside) and `items`. With
    /// `arguments`, they are arguments of a function: inputs by default, and no interfaces.
    pub(super) fn ports(
        &mut self,
        ports: &mut Vec<(Name, Name)>,
        items: &mut Vec<Item>,
        arguments: bool,
    ) -> Parsed<()> {
        let mut last: Option<Declaration> = None;
        let mut interface: Option<InterfacePort> = None;
        loop {
            let first = self.at;
            let attributes = self.attributes()?;
            if !arguments && let Some(port) = self.interface_port(interface.take())? {
                let name = port.declarator.name.clone();
                ports.push((name.clone(), name));
                interface = Some(port.clone());
                items.push(Item {
                    kind: ItemKind::InterfacePort(port),
                    extent: self.since(first),
                });
                if !self.eat(",") {
                    return Ok(());
                }
                continue;
            }
            let direction = self.direction();
            let typed = direction.is_some() || self.class_follows();
            if typed || (arguments && last.is_none()) {
                let mut declaration = self.class_and_range()?;
                let input = arguments.then_some(Direction::Input);
                let before = last.as_ref().and_then(|last| last.direction);
                declaration.direction = direction.or(before).or(input);
                declaration.choice = attributes.choice;
                last = Some(declaration);
            }
            if let Some(declaration) = &last {
                let declarator = self.declarator()?;
                ports.push((declarator.name.clone(), declarator.name.clone()));
                let mut declaration = declaration.clone();
                declaration.names = vec![declarator];
                items.push(Item {
                    kind: ItemKind::Declaration(declaration),
                    extent: self.since(first),
                });
                self.exclude(attributes, first);
            } else if self.eat(".") {
                let outside = self.name()?;
                self.expect("(")?;
                let inside = self.name()?;
                self.expect(")")?;
                ports.push((outside, inside));
            } else if self.is("{") {
                return Err(self.error("a port that is a concatenation is not supported"));
            } else {
                let name = self.name()?;
                if self.is_name() || self.is(".") {
                    let message =
                        format!("a port of `{name}`, which is no type that is known here");
                    return Err(self.error(message + ": interfaces are not supported"));
                }
                ports.push((name.clone(), name));
            }
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    pub(super) fn direction(&mut self) -> Option<Direction> {
        let directions = [
            ("input", Direction::Input),
            ("output", Direction::Output),
            ("inout", Direction::Inout),
        ];
        let found = directions.iter().find(|(word, _)| self.is_word(word));
        found.map(|(_, direction)| {
            self.advance();
            *direction
        })
    }
}
