//! Parses sections with declarations, definitions and assignments.

use hyperkill_frontend::{Diagnostic, Span};

use super::{MAX_ELEMENTS, Parser, too_many};
use crate::ast::{
    Assignment, Declaration, Define, EnumValue, ExprId, ExprKind, Level, Name, Section, Target,
    TypeKind, UnaryOp, VarKind,
};
use crate::lexer::TokenKind;

/// A part of a defined path.
enum Part {
    /// `self`
    This(Span),
    /// `x[0]`
    Named(Name, Vec<(i64, Span)>),
}

impl Parser<'_> {
    pub(super) fn variables(&mut self, kind: VarKind) -> Result<Section, Diagnostic> {
        self.tokens.bump();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let name = self.declared()?;
            self.expect_sign(":")?;
            let start = self.tokens.peek().span;
            let kind = self.kind()?;
            let kind_span = self.tokens.since(start);
            self.expect_sign(";")?;
            all.push(Declaration {
                name,
                kind,
                kind_span,
            });
        }
        Ok(Section::Variables(kind, all))
    }

    /// Parses `x`, or `p.x` and `x[0]`: variables of flattened models have such names.
    fn declared(&mut self) -> Result<Name, Diagnostic> {
        let mut name = self.name("a variable name")?;
        loop {
            if self.tokens.eat(".") {
                let part = self.name("a variable name")?;
                name.text = format!("{}.{}", name.text, part.text);
                name.span = name.span.to(part.span);
            } else if let Some((index, span)) = self.index_of_a_name()? {
                name.text = format!("{}[{index}]", name.text);
                name.span = name.span.to(span);
            } else {
                return Ok(name);
            }
        }
    }

    /// Parses `[0]` as a part of a name. Returns its number and its place; `None` if no `[` is next.
    fn index_of_a_name(&mut self) -> Result<Option<(i64, Span)>, Diagnostic> {
        if !self.tokens.is("[") {
            return Ok(None);
        }
        let start = self.tokens.bump().span;
        let number = self.signed_number()?;
        let end = self.expect_sign("]")?;
        Ok(Some((number, start.to(end))))
    }

    fn kind(&mut self) -> Result<TypeKind, Diagnostic> {
        self.nested(Parser::nested_kind)
    }

    fn nested_kind(&mut self) -> Result<TypeKind, Diagnostic> {
        let token = self.tokens.peek();
        match token.kind {
            TokenKind::Keyword("boolean") => {
                self.tokens.bump();
                Ok(TypeKind::Boolean)
            }
            TokenKind::Keyword("array") => self.array(),
            TokenKind::Keyword("word" | "signed" | "unsigned") => self.word(),
            TokenKind::Keyword("process") => {
                self.tokens.bump();
                self.instance(true)
            }
            TokenKind::Keyword(k @ ("integer" | "Integer" | "real" | "Real")) => Err(self
                .unsupported(token.span, &format!("`{k}` types"))
                .with_help(
                    "only finite types are checked; give the integers a range, as `0..255`",
                )),
            TokenKind::Sign("{") => {
                self.tokens.bump();
                self.enumeration()
            }
            TokenKind::Name if self.ends_a_module_type() => self.instance(false),
            _ => {
                let low = self.expression(Level::SHIFT)?;
                self.expect_sign("..")?;
                let high = self.expression(Level::SHIFT)?;
                Ok(TypeKind::Range(low, high))
            }
        }
    }

    fn array(&mut self) -> Result<TypeKind, Diagnostic> {
        let start = self.tokens.bump().span;
        if self.tokens.is_word("word") {
            return Err(self.unsupported(start, "arrays over words"));
        }
        let low = self.expression(Level::SHIFT)?;
        self.expect_sign("..")?;
        let high = self.expression(Level::SHIFT)?;
        match self.tokens.is_word("of") {
            true => self.tokens.bump(),
            false => return Err(self.tokens.unexpected("`of`")),
        };
        let element = Box::new(self.kind()?);
        Ok(TypeKind::Array { low, high, element })
    }

    fn word(&mut self) -> Result<TypeKind, Diagnostic> {
        let signed = self.tokens.is_word("signed");
        if !self.tokens.is_word("word") {
            self.tokens.bump();
        }
        match self.tokens.is_word("word") {
            true => self.tokens.bump(),
            false => return Err(self.tokens.unexpected("`word`")),
        };
        self.expect_sign("[")?;
        let width = self.expression(Level::SHIFT)?;
        self.expect_sign("]")?;
        Ok(TypeKind::Word { signed, width })
    }

    fn instance(&mut self, process: bool) -> Result<TypeKind, Diagnostic> {
        let module = self.name("a module name")?;
        let mut arguments = Vec::new();
        if self.tokens.eat("(") && !self.tokens.eat(")") {
            arguments = self.list(")")?;
        }
        Ok(TypeKind::Instance {
            process,
            module,
            arguments,
        })
    }

    fn ends_a_module_type(&self) -> bool {
        matches!(self.tokens.kind(1), TokenKind::Sign(";" | "("))
    }

    fn enumeration(&mut self) -> Result<TypeKind, Diagnostic> {
        let mut values = Vec::new();
        loop {
            let token = self.tokens.peek();
            let value = match token.kind {
                TokenKind::Name => EnumValue::Symbol(self.name("a value")?.text),
                TokenKind::Number | TokenKind::Sign("+" | "-") => {
                    EnumValue::Number(self.signed_number()?)
                }
                _ => {
                    let error = self.tokens.unexpected("a symbol or a number");
                    let text = token.text;
                    return Err(match token.kind {
                        TokenKind::Keyword(_) => {
                            error.with_help(format!("`{text}` is a reserved word of NuSMV"))
                        }
                        _ => error,
                    });
                }
            };
            let span = self.tokens.since(token.span);
            if values.len() == MAX_ELEMENTS {
                let what = "this enumeration";
                return Err(too_many(span, what, MAX_ELEMENTS, "values"));
            }
            values.push((value, span));
            if !self.tokens.eat(",") {
                self.expect_sign("}")?;
                return Ok(TypeKind::Enumeration(values));
            }
        }
    }

    pub(super) fn defines(&mut self) -> Result<Section, Diagnostic> {
        self.tokens.bump();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let (owner, name) = self.defined()?;
            self.expect_sign(":=")?;
            let body = self.expression(Level::IMPLIES)?;
            self.expect_sign(";")?;
            all.push(Define { owner, name, body });
        }
        Ok(Section::Defines(all))
    }

    /// Parses `name`, or `instance.name` for a definition in another instance, which need not exist here.
    fn defined(&mut self) -> Result<(Option<ExprId>, Name), Diagnostic> {
        let mut owner = None;
        let mut part = match self.tokens.is_word("self") {
            true => Part::This(self.tokens.bump().span),
            false => self.part_to_define()?,
        };
        while self.tokens.eat(".") {
            owner = Some(self.path_of_part(owner, part)?);
            part = self.part_to_define()?;
        }
        match part {
            Part::This(_) => Err(self.tokens.unexpected("`.`")),
            Part::Named(mut name, indices) => {
                for (index, span) in indices {
                    name.text = format!("{}[{index}]", name.text);
                    name.span = name.span.to(span);
                }
                Ok((owner, name))
            }
        }
    }

    fn part_to_define(&mut self) -> Result<Part, Diagnostic> {
        let name = self.name("a name to define")?;
        let mut indices = Vec::new();
        while let Some(index) = self.index_of_a_name()? {
            indices.push(index);
        }
        Ok(Part::Named(name, indices))
    }

    /// Adds the expression of a path: `part` of the instance `owner`, or `part` alone.
    fn path_of_part(&mut self, owner: Option<ExprId>, part: Part) -> Result<ExprId, Diagnostic> {
        let (name, indices) = match part {
            Part::This(span) => return self.add(ExprKind::SelfInstance, span),
            Part::Named(name, indices) => (name, indices),
        };
        let mut path = match owner {
            None => self.add(ExprKind::Name(name.text), name.span)?,
            Some(owner) => {
                let whole = self.exprs[owner].span.to(name.span);
                self.add(ExprKind::Member(owner, name.text), whole)?
            }
        };
        for (index, span) in indices {
            let whole = self.exprs[path].span.to(span);
            let mut number = self.add(ExprKind::Number(index.abs()), span)?;
            if index < 0 {
                number = self.add(ExprKind::Unary(UnaryOp::Neg, number), span)?;
            }
            path = self.add(ExprKind::Index(path, number), whole)?;
        }
        Ok(path)
    }

    pub(super) fn assignments(&mut self) -> Result<Section, Diagnostic> {
        self.tokens.bump();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let start = self.tokens.peek().span;
            let target = match start_of_target(self.tokens.kind(0)) {
                Some(target) => {
                    self.tokens.bump();
                    self.expect_sign("(")?;
                    target
                }
                None => Target::Current,
            };
            let place = self.path()?;
            if target != Target::Current {
                self.expect_sign(")")?;
            }
            self.expect_sign(":=")?;
            let value = self.expression(Level::IMPLIES)?;
            let end = self.expect_sign(";")?;
            all.push(Assignment {
                target,
                place,
                value,
                span: start.to(end),
            });
        }
        Ok(Section::Assigns(all))
    }

    /// Parses the target of an assignment.
    fn path(&mut self) -> Result<ExprId, Diagnostic> {
        let at_name = self.tokens.kind(0) == TokenKind::Name || self.tokens.is_word("self");
        if !at_name {
            self.name("`init(…)`, `next(…)` or a variable name")?;
        }
        self.expression(Level::POSTFIX)
    }

    pub(super) fn constants(&mut self) -> Result<Section, Diagnostic> {
        self.tokens.bump();
        let mut all = Vec::new();
        while !self.end_of_section() {
            all.push(self.name("a symbol")?);
            if !self.tokens.eat(",") && !self.tokens.eat(";") {
                return Err(self.tokens.unexpected("`;`"));
            }
        }
        Ok(Section::Constants(all))
    }
}

fn start_of_target(kind: TokenKind) -> Option<Target> {
    match kind {
        TokenKind::Keyword("init") => Some(Target::Init),
        TokenKind::Keyword("next") => Some(Target::Next),
        _ => None,
    }
}
