//! Types that are more than bits: `typedef`, `enum`, `struct packed`, and packages that declare them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cursor::{Parsed, Parser};
use crate::ast::{
    DataType, Declaration, Declarator, ExprId, ExprKind, Item, ItemKind, Member, Name, NamePart,
};
use crate::lexer::{Kind, Token};

/// Keywords of integer types.
const BASES: &[&str] = &[
    "logic", "reg", "bit", "int", "integer", "byte", "shortint", "longint", "time",
];

/// Words that occur in no complete `typedef`.
const ENDS: &[&str] = &["typedef", "endmodule", "endpackage"];

/// Returns the names that some `typedef` in the tokens declares, so that files may come in any order. Names of modules are excluded.
pub(super) fn named_types(tokens: &[Token]) -> FxHashSet<Name> {
    let mut modules = FxHashSet::default();
    let mut types = FxHashSet::default();
    for (at, token) in tokens.iter().enumerate() {
        if token.is_word("module") {
            modules.extend(tokens.get(at + 1).map(|name| name.text.clone()));
        }
        if !token.is_word("typedef") {
            continue;
        }
        let (mut depth, mut last) = (0i32, None);
        for token in &tokens[at + 1..] {
            match token.kind {
                Kind::Word if ENDS.contains(&&*token.text) => break,
                Kind::Word | Kind::Escaped if depth == 0 => last = Some(token.text.clone()),
                Kind::Punct if token.is(";") && depth <= 0 => break,
                _ => {}
            }
            depth += i32::from(["(", "[", "{"].iter().any(|open| token.is(open)));
            depth -= i32::from([")", "]", "}"].iter().any(|close| token.is(close)));
        }
        types.extend(last);
    }
    types.retain(|name| !modules.contains(name));
    types
}

impl Parser {
    /// Whether a type that is more than bits stands in front of a declared name: `enum`, `struct`, `union` or the name of a type.
    pub(super) fn type_follows(&self) -> bool {
        if self.is_word("enum") || self.is_word("struct") || self.is_word("union") {
            return self.ahead(1).kind == Kind::Word || self.ahead(1).is("{");
        }
        let (mut after, known) = match self.ahead(1).is("::") {
            true => (3, self.is_name()),
            false => (1, self.types.contains(&self.token().text)),
        };
        if !known {
            return false;
        }
        // Bounds of vectors may come between.
        let mut depth = 0;
        loop {
            let token = self.ahead(after);
            match token.kind {
                Kind::Word | Kind::Escaped if depth == 0 => return true,
                Kind::End => return false,
                _ => {}
            }
            depth += i32::from(token.is("[")) - i32::from(token.is("]"));
            if depth == 0 && !token.is("]") {
                return false;
            }
            after += 1;
        }
    }

    /// Reads the type itself.
    pub(super) fn data_type(&mut self) -> Parsed<DataType> {
        if self.eat_word("enum") {
            return self.enumeration();
        }
        if self.eat_word("union") {
            let _ = self.eat_word("tagged") || self.eat_word("soft");
            if !self.is_word("packed") {
                return Err(self.error("a `union` that is not `packed` is not supported"));
            }
            let (parts, signed) = self.parts()?;
            return Ok(DataType::Union(parts, signed));
        }
        if self.eat_word("struct") {
            let (parts, signed) = self.parts()?;
            return Ok(DataType::Struct(parts, signed));
        }
        Ok(DataType::Named(self.scoped_name()?))
    }

    /// Reads `T = logic [3:0]` after `parameter type`.
    pub(super) fn type_parameter(&mut self, local: bool) -> Parsed<ItemKind> {
        let name = self.name()?;
        let default = match self.eat("=") {
            true => Some(self.type_alone()?),
            false => None,
        };
        self.types.insert(name.clone());
        Ok(ItemKind::TypeParameter {
            name,
            local,
            default,
        })
    }

    /// Whether the next tokens, the value of a parameter, are a type that cannot be read as an expression, such as `logic [7:0]` or `int`.
    fn type_alone_follows(&self) -> bool {
        let next = self.ahead(1);
        let ends = next.is(")") || next.is(",") || next.kind == Kind::End;
        let signing = next.is_word("signed") || next.is_word("unsigned");
        let is_type = |name: &Token| self.types.contains(&name.text);
        match &*self.token().text {
            "logic" | "reg" => next.is("[") || ends || signing,
            "bit" => next.is("[") || signing,
            "int" | "integer" | "byte" | "shortint" | "longint" | "time" => ends || signing,
            "enum" | "struct" | "union" => next.kind == Kind::Word || next.is("{"),
            _ if next.is("::") => self.ahead(3).is("[") && is_type(self.ahead(2)),
            _ => next.is("[") && is_type(self.token()),
        }
    }

    /// Reads a type without declared names.
    fn type_alone(&mut self) -> Parsed<Declaration> {
        let word = self.token().text.clone();
        let is_vector = !BASES.contains(&&*word) || ["logic", "reg", "bit"].contains(&&*word);
        let mut declaration = match BASES.contains(&&*word) {
            true => {
                let declaration = self.word_type(&word);
                self.advance();
                declaration
            }
            false => Declaration {
                of: Some(Arc::new(self.data_type()?)),
                ..Declaration::default()
            },
        };
        if self.eat_word("signed") {
            declaration.signed = true;
        } else if self.eat_word("unsigned") {
            declaration.signed = false;
            declaration.unsigned = true;
        }
        // A type with a width of its own, such as `byte`, has no bounds.
        while is_vector && self.is("[") {
            let range = self.range()?;
            match declaration.range {
                None => declaration.range = Some(range),
                Some(_) => declaration.inner.push(range),
            }
        }
        Ok(declaration)
    }

    /// Reads the override of a parameter. A type without a name gets one, which `types` declares.
    pub(super) fn value_or_type(&mut self, types: &mut Vec<Item>) -> Parsed<ExprId> {
        if !self.type_alone_follows() {
            return self.expression();
        }
        let first = self.at;
        let declaration = self.type_alone()?;
        let name: Name = Arc::from(format!("type#{first}").as_str());
        let extent = self.since(first);
        let declarator = Declarator {
            name: name.clone(),
            dimensions: Vec::new(),
            value: None,
            extent,
        };
        let kind = ItemKind::Typedef(declarator, declaration);
        types.push(Item { kind, extent });
        let path = vec![NamePart {
            name,
            indices: Vec::new(),
        }];
        Ok(self.add(ExprKind::Name(path), extent, first))
    }

    /// Reads `name` or `package::name`, as one name.
    pub(super) fn scoped_name(&mut self) -> Parsed<Name> {
        let name = self.name()?;
        if !self.eat("::") {
            return Ok(name);
        }
        let inner = self.name()?;
        Ok(Arc::from(format!("{name}::{inner}").as_str()))
    }

    fn enumeration(&mut self) -> Parsed<DataType> {
        let base = match self.is("{") {
            true => None,
            false => Some(Box::new(self.enumeration_base()?)),
        };
        self.expect("{")?;
        let mut members = Vec::new();
        loop {
            let first = self.at;
            let name = self.name()?;
            if self.is("[") {
                self.numbered(&name, first, &mut members)?;
                if !self.eat(",") {
                    break;
                }
                continue;
            }
            let value = match self.eat("=") {
                true => Some(self.expression()?),
                false => None,
            };
            members.push(Member {
                name,
                value,
                extent: self.since(first),
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(DataType::Enum(base, members))
    }

    /// Reads the base of an `enum`: a keyword or the name of a type, with sign and bounds.
    fn enumeration_base(&mut self) -> Parsed<Declaration> {
        let word = self.token().text.clone();
        if !BASES.contains(&&*word) {
            let mut base = Declaration {
                of: Some(Arc::new(DataType::Named(self.scoped_name()?))),
                ..Declaration::default()
            };
            if self.is("[") {
                base.range = Some(self.range()?);
            }
            return Ok(base);
        }
        self.type_alone()
    }

    /// Reads `name[3]` or `name[2:4]` in an `enum`, and adds the names with numbers to `members`.
    fn numbered(&mut self, name: &str, first: usize, members: &mut Vec<Member>) -> Parsed<()> {
        let number = |parser: &mut Self| -> Parsed<u32> {
            let found = parser.token().text.parse().ok().filter(|n| *n <= 4096);
            let found =
                found.ok_or_else(|| parser.error("expected a plain number of at most 4096"))?;
            parser.advance();
            Ok(found)
        };
        self.expect("[")?;
        let from = number(self)?;
        let numbers: Vec<u32> = match self.eat(":") {
            true => {
                let to = number(self)?;
                match from <= to {
                    true => (from..=to).collect(),
                    false => (to..=from).rev().collect(),
                }
            }
            false => (0..from).collect(),
        };
        self.expect("]")?;
        // The value belongs to the first name; the next names count up from it.
        let mut value = match self.eat("=") {
            true => Some(self.expression()?),
            false => None,
        };
        for number in numbers {
            members.push(Member {
                name: Arc::from(format!("{name}{number}").as_str()),
                value: value.take(),
                extent: self.since(first),
            });
        }
        Ok(())
    }

    /// Reads the members between the braces, and whether the `struct` is signed. Unpacked structures are read as packed.
    fn parts(&mut self) -> Parsed<(Vec<Declaration>, bool)> {
        self.eat_word("packed");
        let signed = self.eat_word("signed");
        self.eat_word("unsigned");
        self.expect("{")?;
        let mut parts = Vec::new();
        while !self.eat("}") {
            let mut part = self.class_and_range()?;
            loop {
                part.names.push(self.declarator()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
            parts.push(part);
        }
        Ok((parts, signed))
    }

    /// Whether `typedef` is the keyword here, and no name.
    pub(super) fn typedef_follows(&self) -> bool {
        self.is_word("typedef") && self.ahead(1).kind == Kind::Word
    }

    /// Reads `typedef … name;`
    pub(super) fn typedef(&mut self) -> Parsed<ItemKind> {
        self.advance();
        // A type of an interface: `port.name`.
        let of_interface = self.is_name() && self.ahead(1).is(".");
        let declaration = match of_interface {
            true => {
                let port = self.name()?;
                self.expect(".")?;
                let inner = self.name()?;
                let name = Name::from(format!("{port}.{inner}").as_str());
                Declaration {
                    class: Some(crate::ast::Class::Reg),
                    of: Some(Arc::new(DataType::Named(name))),
                    ..Declaration::default()
                }
            }
            false => self.class_and_range()?,
        };
        let declarator = self.declarator()?;
        self.expect(";")?;
        self.types.insert(declarator.name.clone());
        Ok(ItemKind::Typedef(declarator, declaration))
    }

    /// Reads `import p::*, q::name;`
    pub(super) fn import(&mut self) -> Parsed<ItemKind> {
        self.advance();
        let mut all = Vec::new();
        loop {
            let package = self.name()?;
            self.expect("::")?;
            let name = match self.eat("*") {
                true => None,
                false => Some(self.name()?),
            };
            all.push((package, name));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Import(all))
    }

    /// Reads `package p; … endpackage`.
    pub(super) fn package(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name()?;
        self.expect(";")?;
        let mut items: Vec<Item> = Vec::new();
        while !self.eat_word("endpackage") {
            if self.at_end() {
                return Err(self.error(format!("the package `{name}` has no `endpackage`")));
            }
            items.push(self.item()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        self.source.packages.push((name, items));
        Ok(())
    }
}
