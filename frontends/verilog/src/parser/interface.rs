//! Interfaces with their views, and ports that stand for instances of them (IEEE 1800-2017 §25).

use rustc_hash::FxHashSet;

use super::cursor::{Parsed, Parser};
use crate::ast::{Interface, InterfacePort, ItemKind, Modport, Name};
use crate::lexer::{Kind, Token};

/// Returns the names of the interfaces that the tokens define, so that files may come in any order.
pub(super) fn named_interfaces(tokens: &[Token]) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let starts = before.is_none_or(|before| before.is(";") || before.is("*)"))
            || before
                .is_some_and(|before| before.kind == Kind::Word && before.text.starts_with("end"))
            || ends_with_a_label(tokens, at);
        if !token.is_word("interface") || !starts {
            continue;
        }
        let mut name = at + 1;
        while tokens
            .get(name)
            .is_some_and(|t| t.is_word("automatic") || t.is_word("static"))
        {
            name += 1;
        }
        let name = tokens.get(name).filter(|token| token.kind == Kind::Word);
        names.extend(name.map(|token| token.text.clone()));
    }
    names
}

/// Whether `endmodule : name` or a similar end precedes a token.
fn ends_with_a_label(tokens: &[Token], at: usize) -> bool {
    let Some(start) = at.checked_sub(3) else {
        return false;
    };
    tokens[start].kind == Kind::Word
        && tokens[start].text.starts_with("end")
        && tokens[start + 1].is(":")
}

impl Parser {
    /// Reads `interface name … endinterface`. An interface with an unsupported part is kept as such and refused where it is used.
    pub(super) fn interface_or_foreign(&mut self) -> Parsed<()> {
        let (first, depth) = (self.at, self.depth);
        let name = self.ahead(1).text.clone();
        match self.interface() {
            Ok(interface) => {
                if self.source.interface(&interface.body.name).is_some() {
                    let message = format!("the interface `{name}` is defined twice");
                    let place = interface.body.extent.span(&self.source.tokens);
                    return Err(hyperkill_frontend::Diagnostic::error(place, message));
                }
                self.source.interfaces.push(interface);
            }
            Err(error) => {
                (self.at, self.depth) = (first, depth);
                self.modports.clear();
                self.advance();
                let _ = self.eat_word("automatic") || self.is_word("class");
                let name = self.name()?;
                let here = self.since(first).span(&self.source.tokens);
                self.skip_past("endinterface")?;
                if self.eat(":") {
                    self.name()?;
                }
                let what = format!("in the interface `{name}`: {}", error.message);
                let place = error.span.unwrap_or(here);
                self.source.foreign.push((name, what, place));
            }
        }
        Ok(())
    }

    fn interface(&mut self) -> Parsed<Interface> {
        if self.ahead(1).is_word("class") {
            return Err(self.error("an `interface class` is not supported"));
        }
        let body = self.module_until("endinterface")?;
        Ok(Interface {
            body,
            modports: std::mem::take(&mut self.modports),
        })
    }

    /// Reads `modport a (input b, output c), d (…);`
    pub(super) fn modport(&mut self) -> Parsed<ItemKind> {
        self.advance();
        loop {
            let name = self.name()?;
            self.expect("(")?;
            let mut signals = Vec::new();
            let mut direction = None;
            while !self.is(")") {
                if let Some(found) = self.direction() {
                    direction = Some(found);
                } else if self.eat_word("import") || self.eat_word("export") {
                    // Functions and tasks are found by the name of the port.
                    direction = None;
                    let _ = self.eat_word("function") || self.eat_word("task");
                } else if self.eat_word("clocking") {
                    direction = None;
                }
                if self.is(".") {
                    return Err(self.error("an expression in a `modport` is not supported"));
                }
                let signal = self.name()?;
                if self.is("(") {
                    // The head of a function.
                    self.brackets()?;
                }
                signals.extend(direction.map(|direction| (direction, signal)));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            self.modports.push(Modport { name, signals });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Ignored)
    }

    /// Reads a port that stands for an instance of an interface; `None` if none follows. `before` is such a port right before, whose type
    /// is kept.
    pub(super) fn interface_port(
        &mut self,
        before: Option<InterfacePort>,
    ) -> Parsed<Option<InterfacePort>> {
        let (next, after) = (self.ahead(1), self.ahead(2));
        let is_name = |token: &Token| matches!(token.kind, Kind::Word | Kind::Escaped);
        let with_view = next.is(".") && is_name(after);
        let is_known = self.interfaces.contains(&self.token().text) || self.is_word("interface");
        if is_known && self.token().kind == Kind::Word && (with_view || is_name(next)) {
            let interface = self.token().text.clone();
            self.advance();
            let modport = match self.eat(".") {
                true => Some(self.name()?),
                false => None,
            };
            return Ok(Some(InterfacePort {
                interface: (&*interface != "interface").then_some(interface),
                modport,
                declarator: self.declarator()?,
            }));
        }
        // `i.view a, b`
        let Some(before) = before else {
            return Ok(None);
        };
        let ends = [",", ")", "["].iter().any(|punct| self.ahead(1).is(punct));
        if !self.is_name() || !ends || self.class_follows() {
            return Ok(None);
        }
        Ok(Some(InterfacePort {
            declarator: self.declarator()?,
            ..before
        }))
    }
}
