//! Declarations of parameters, nets and variables.

use std::sync::Arc;

use super::cursor::{Parsed, Parser};
use crate::ast::{Class, Declaration, Declarator, ExprKind, Item, ItemKind, Parameter};
use crate::lexer::Kind;
use crate::number::Literal;

/// The kind of a parameter, between `parameter` and the names.
#[derive(Clone, Default)]
pub(super) struct ParameterKind {
    /// The declared type; parts that are not written have their defaults.
    of: Declaration,
    /// Whether it is a type itself.
    of_types: bool,
}

impl Parser {
    /// Reads `parameter A = 1, parameter [3:0] B = 2` in the head of a module.
    pub(super) fn head_parameters(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.is(")") {
            return Ok(());
        }
        let mut local = false;
        let mut kind = ParameterKind::default();
        loop {
            let first = self.at;
            self.attributes()?;
            let said = self.is_word("parameter") || self.is_word("localparam");
            if said {
                local = self.is_word("localparam");
                self.advance();
            }
            if said || !self.names_a_parameter() {
                kind = self.parameter_kind()?;
            }
            let kind = self.parameters(local, &kind)?;
            items.push(Item {
                kind,
                extent: self.since(first),
            });
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    /// Whether the next tokens name one more parameter of the same type, and do not begin another type.
    fn names_a_parameter(&self) -> bool {
        let next = self.ahead(1);
        let ends = ["=", ",", ")", "["].iter().any(|punct| next.is(punct));
        let typed = ["shortint", "longint"]
            .iter()
            .any(|word| self.is_soft(word));
        self.is_name() && ends && !typed && !self.class_follows()
    }

    /// Reads the declared type of parameters; parts that are not written have their defaults.
    pub(super) fn parameter_kind(&mut self) -> Parsed<ParameterKind> {
        let mut kind = ParameterKind::default();
        let named = self.ahead(1).kind == Kind::Word;
        if self.is_word("type") && named {
            self.advance();
            kind.of_types = true;
        } else if self.is_word("string") && named {
            // The type follows from the value.
            self.advance();
        } else {
            kind.of = self.class_and_range()?;
        }
        Ok(kind)
    }

    /// Reads one parameter of this kind, from its name on.
    pub(super) fn parameters(&mut self, local: bool, kind: &ParameterKind) -> Parsed<ItemKind> {
        if kind.of_types {
            return self.type_parameter(local);
        }
        Ok(ItemKind::Parameters(vec![Parameter {
            local,
            of: kind.of.clone(),
            declarator: self.declarator()?,
        }]))
    }

    /// Returns the declaration that a keyword for an integer type stands for.
    pub(super) fn word_type(&mut self, word: &str) -> Declaration {
        let (class, bits, signed) = match word {
            "int" | "integer" => (Class::Integer, None, true),
            "byte" => (Class::Reg, Some(8), true),
            "shortint" => (Class::Reg, Some(16), true),
            "longint" => (Class::Reg, Some(64), true),
            "time" => (Class::Reg, Some(64), false),
            _ => (Class::Reg, None, false),
        };
        let range = bits.map(|bits: i64| {
            let (extent, at) = (self.here(), self.at);
            let high = self.add(ExprKind::Number(Literal::integer(bits - 1)), extent, at);
            let low = self.add(ExprKind::Number(Literal::integer(0)), extent, at);
            (high, low)
        });
        Declaration {
            class: Some(class),
            signed,
            range,
            ..Declaration::default()
        }
    }

    pub(super) fn class_follows(&self) -> bool {
        let words = [
            "wire", "reg", "tri", "integer", "signed", "wand", "wor", "time",
        ];
        words.iter().any(|word| self.is_word(word))
            || ["logic", "bit", "int", "byte", "shortint", "longint"]
                .iter()
                .any(|word| self.is_soft(word))
            || self.is("[")
            || self.type_follows()
    }

    /// Reads the class, type and range in front of the names of a declaration.
    pub(super) fn class_and_range(&mut self) -> Parsed<Declaration> {
        if self.is_word("const") && self.ahead(1).kind == Kind::Word {
            self.advance();
        }
        let automatic = self.eat_word("automatic");
        if !automatic && self.is_word("static") && !self.ahead(1).is("=") {
            self.advance();
        }
        let mut signed = false;
        let mut class = None;
        let mut fixed = None;
        let mut of = None;
        if self.eat_word("var") {
            class = Some(Class::Reg);
        }
        if self.type_follows() {
            of = Some(Arc::new(self.data_type()?));
            class = Some(Class::Reg);
        } else if self.token().kind == Kind::Word {
            let word = self.token().text.clone();
            let (found, width) = match &*word {
                "wire" | "tri" => (Some(Class::Wire), None),
                "reg" => (Some(Class::Reg), None),
                "integer" => (Some(Class::Integer), None),
                "time" => (Some(Class::Reg), Some((64, false))),
                "genvar" => (Some(Class::Genvar), None),
                "supply0" => (Some(Class::Supply(false)), None),
                "supply1" => (Some(Class::Supply(true)), None),
                "wand" | "triand" => (Some(Class::Wired(true)), None),
                "wor" | "trior" => (Some(Class::Wired(false)), None),
                "tri0" => (Some(Class::Pulled(false)), None),
                "tri1" => (Some(Class::Pulled(true)), None),
                "trireg" => (Some(Class::Other("a net that keeps its charge")), None),
                "real" | "realtime" | "shortreal" => (Some(Class::Real), None),
                "event" => (Some(Class::Other("`event`")), None),
                "logic" | "bit" if self.is_soft(&word) => (Some(Class::Reg), None),
                "int" if self.is_soft(&word) => (Some(Class::Integer), None),
                "byte" if self.is_soft(&word) => (Some(Class::Reg), Some((8, true))),
                "shortint" if self.is_soft(&word) => (Some(Class::Reg), Some((16, true))),
                "longint" if self.is_soft(&word) => (Some(Class::Reg), Some((64, true))),
                _ => (None, None),
            };
            if found.is_some() {
                self.advance();
                class = found;
                fixed = width;
            }
            // `wire logic`, `output var logic`.
            if (self.is_soft("logic") || self.is_word("reg")) && class == Some(Class::Wire) {
                self.advance();
            }
        }
        let mut unsigned = false;
        if self.eat_word("signed") {
            signed = true;
        } else {
            unsigned = self.eat_word("unsigned");
        }
        // A drive strength has no effect without tri-state.
        if self.is("(")
            && [
                "strong0", "strong1", "supply0", "supply1", "pull0", "pull1", "weak0", "weak1",
            ]
            .iter()
            .any(|word| self.ahead(1).is_word(word))
        {
            while !self.eat(")") {
                self.advance();
            }
        }
        let mut range = None;
        if let Some((width, sign)) = fixed {
            signed |= sign && !unsigned;
            let extent = self.here();
            let at = self.at;
            let high = self.add(ExprKind::Number(Literal::integer(width - 1)), extent, at);
            let low = self.add(ExprKind::Number(Literal::integer(0)), extent, at);
            range = Some((high, low));
        }
        for word in ["scalared", "vectored"] {
            self.eat_word(word);
        }
        if self.is("[") {
            range = Some(self.range()?);
        }
        let mut inner = Vec::new();
        while self.is("[") {
            inner.push(self.range()?);
        }
        if self.is("#") {
            self.timing()?;
        }
        Ok(Declaration {
            direction: None,
            class,
            signed,
            unsigned,
            range,
            inner,
            of,
            names: Vec::new(),
            choice: None,
            automatic,
        })
    }

    pub(super) fn range(&mut self) -> Parsed<crate::ast::Range> {
        self.expect("[")?;
        let high = self.expression()?;
        self.expect(":")?;
        let low = self.expression()?;
        self.expect("]")?;
        Ok((high, low))
    }

    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        let first = self.at;
        let name = self.name()?;
        let mut dimensions = Vec::new();
        while self.eat("[") {
            let from = self.expression()?;
            let to = match self.eat(":") {
                true => Some(self.expression()?),
                false => None,
            };
            self.expect("]")?;
            dimensions.push((from, to));
        }
        let value = match self.eat("=") {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(Declarator {
            name,
            dimensions,
            value,
            extent: self.since(first),
        })
    }

    pub(super) fn declaration_item(&mut self) -> Parsed<ItemKind> {
        let direction = self.direction();
        let mut declaration = self.class_and_range()?;
        declaration.direction = direction;
        declaration.names.push(self.declarator()?);
        while self.eat(",") {
            declaration.names.push(self.declarator()?);
        }
        self.expect(";")?;
        Ok(ItemKind::Declaration(declaration))
    }

    pub(super) fn declaration_follows(&self) -> bool {
        let words = [
            "input",
            "output",
            "inout",
            "wire",
            "reg",
            "integer",
            "time",
            "genvar",
            "supply0",
            "supply1",
            "tri",
            "tri0",
            "tri1",
            "trireg",
            "wand",
            "wor",
            "triand",
            "trior",
            "real",
            "realtime",
            "event",
            "automatic",
        ];
        words.iter().any(|word| self.is_word(word))
            || ["logic", "bit", "int", "byte", "shortint", "longint"]
                .iter()
                .any(|word| self.is_soft(word))
            || (self.is_word("var") && self.ahead(1).kind == Kind::Word)
            || self.type_follows()
    }
}
