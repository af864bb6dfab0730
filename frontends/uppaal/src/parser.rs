//! Reads expressions, and what all readers of texts need.

use hyperkill_frontend::{Diagnostic, Span};

use crate::lexer::{Kind, Tokens, tokens};
use crate::syntax::{Binary, Expr, Name, Node, Quantifier, TypeText, Unary};
use hyperkill_text::Excerpt;

/// The nesting depth of operators, brackets and statements, at most.
const DEEPEST: usize = 250;

/// A parser of one text.
pub(crate) struct Parser<'a> {
    pub(crate) tokens: Tokens<'a>,
}

pub(crate) type Read<T> = Result<T, Diagnostic>;

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a Excerpt) -> Read<Parser<'a>> {
        Ok(Parser {
            tokens: tokens(text)?,
        })
    }

    pub(crate) fn name(&mut self) -> Read<Name> {
        let token = self.tokens.peek();
        if token.kind != Kind::Word {
            return Err(self.tokens.unexpected("a name"));
        }
        self.tokens.bump();
        Ok(Name {
            text: token.text.to_owned(),
            span: token.span,
        })
    }

    /// Reads a nested construct by `read`.
    ///
    /// # Errors
    /// If the nesting is too deep.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if !self.tokens.nesting.deepen(DEEPEST) {
            return Err(self.too_deep(self.tokens.peek().span));
        }
        let inner = read(self);
        self.tokens.nesting.leave();
        inner
    }

    fn too_deep(&self, span: Span) -> Diagnostic {
        Diagnostic::error(
            span,
            format!("more than {DEEPEST} operators or brackets are inside one another"),
        )
    }

    fn make(&self, node: Node, span: Span) -> Read<Expr> {
        let depth = 1 + match &node {
            Node::Unary(_, a) | Node::Step(_, _, a) | Node::Field(a, _) | Node::Rate(a) => a.depth,
            Node::Quantified(_, _, _, a) => a.depth,
            Node::Binary(_, a, b) | Node::Assign(_, a, b) | Node::Index(a, b) => {
                a.depth.max(b.depth)
            }
            Node::Choice(a, b, c) => a.depth.max(b.depth).max(c.depth),
            Node::Call(f, all) => all.iter().map(|a| a.depth).fold(f.depth, usize::max),
            Node::List(all) => all.iter().map(|(_, a)| a.depth).fold(0, usize::max),
            _ => 0,
        };
        match depth > DEEPEST {
            true => Err(self.too_deep(span)),
            false => Ok(Expr { node, span, depth }),
        }
    }

    /// Reads an expression, assignments included.
    pub(crate) fn expression(&mut self) -> Read<Expr> {
        self.nested(|parser| {
            let left = parser.choice()?;
            let Kind::Sign(sign) = parser.tokens.kind(0) else {
                return Ok(left);
            };
            let operator = match sign {
                "=" | ":=" => None,
                "+=" => Some(Binary::Add),
                "-=" => Some(Binary::Subtract),
                "*=" => Some(Binary::Multiply),
                "/=" => Some(Binary::Divide),
                "%=" => Some(Binary::Remainder),
                "&=" => Some(Binary::BitAnd),
                "|=" => Some(Binary::BitOr),
                "^=" => Some(Binary::BitXor),
                "<<=" => Some(Binary::Left),
                ">>=" => Some(Binary::Right),
                _ => return Ok(left),
            };
            parser.tokens.bump();
            let right = parser.expression()?;
            let span = left.span.to(right.span);
            parser.make(Node::Assign(operator, left.into(), right.into()), span)
        })
    }

    fn choice(&mut self) -> Read<Expr> {
        let condition = self.binary(0)?;
        if !self.tokens.eat("?") {
            return Ok(condition);
        }
        let then = self.nested(Parser::choice)?;
        self.tokens.expect(":")?;
        let otherwise = self.nested(Parser::choice)?;
        let span = condition.span.to(otherwise.span);
        let node = Node::Choice(condition.into(), then.into(), otherwise.into());
        self.make(node, span)
    }

    /// Returns the operator at the cursor with its precedence; higher numbers bind tighter. `None` if there is no binary operator.
    fn operator(&self) -> Option<(usize, Binary)> {
        let token = self.tokens.peek();
        Some(match token.kind {
            Kind::Word => match token.text {
                "imply" => (0, Binary::Imply),
                "or" => (1, Binary::Or),
                "and" => (2, Binary::And),
                _ => return None,
            },
            Kind::Sign(sign) => match sign {
                "||" => (1, Binary::Or),
                "&&" => (2, Binary::And),
                "|" => (3, Binary::BitOr),
                "^" => (4, Binary::BitXor),
                "&" => (5, Binary::BitAnd),
                "==" => (6, Binary::Equal),
                "!=" => (6, Binary::Unequal),
                "<" => (7, Binary::Less),
                "<=" => (7, Binary::AtMost),
                ">=" => (7, Binary::AtLeast),
                ">" => (7, Binary::Greater),
                "<?" => (8, Binary::Minimum),
                ">?" => (8, Binary::Maximum),
                "<<" => (9, Binary::Left),
                ">>" => (9, Binary::Right),
                "+" => (10, Binary::Add),
                "-" => (10, Binary::Subtract),
                "*" => (11, Binary::Multiply),
                "/" => (11, Binary::Divide),
                "%" => (11, Binary::Remainder),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn binary(&mut self, least: usize) -> Read<Expr> {
        let mut left = self.unary()?;
        while let Some((level, operator)) = self.operator().filter(|(level, _)| *level >= least) {
            self.tokens.bump();
            // All group to the left but `imply`.
            let above = if operator == Binary::Imply {
                level
            } else {
                level + 1
            };
            let right = self.nested(|parser| parser.binary(above))?;
            let span = left.span.to(right.span);
            left = self.make(Node::Binary(operator, left.into(), right.into()), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        let token = self.tokens.peek();
        let start = token.span;
        let word = match token.kind {
            Kind::Word | Kind::Sign(_) => token.text,
            _ => "",
        };
        let operator = match word {
            "-" => Unary::Minus,
            "+" => Unary::Plus,
            "!" | "not" => Unary::Not,
            "++" | "--" => {
                let by = if word == "++" { 1 } else { -1 };
                self.tokens.bump();
                let operand = self.nested(Parser::unary)?;
                let span = start.to(operand.span);
                return self.make(Node::Step(by, false, operand.into()), span);
            }
            "forall" | "exists" | "sum" => {
                let quantifier = match word {
                    "forall" => Quantifier::Forall,
                    "exists" => Quantifier::Exists,
                    _ => Quantifier::Sum,
                };
                self.tokens.bump();
                return self.quantified(start, quantifier);
            }
            _ => return self.postfix(),
        };
        self.tokens.bump();
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.span);
        self.make(Node::Unary(operator, operand.into()), span)
    }

    fn quantified(&mut self, start: Span, quantifier: Quantifier) -> Read<Expr> {
        self.tokens.expect("(")?;
        let name = self.name()?;
        self.tokens.expect(":")?;
        let of: TypeText = self.type_text()?;
        self.tokens.expect(")")?;
        // Without assignments: it reaches as far as it can.
        let body = self.nested(Parser::choice)?;
        let span = start.to(body.span);
        self.make(
            Node::Quantified(quantifier, name, of.into(), body.into()),
            span,
        )
    }

    fn postfix(&mut self) -> Read<Expr> {
        let mut left = self.primary()?;
        loop {
            let from = left.span;
            let node = if self.tokens.eat("[") {
                let index = self.expression()?;
                self.tokens.expect("]")?;
                Node::Index(left.into(), index.into())
            } else if self.tokens.eat("(") {
                let arguments = self.arguments()?;
                Node::Call(left.into(), arguments)
            } else if self.tokens.eat(".") {
                Node::Field(left.into(), self.name()?.text)
            } else if self.tokens.eat("'") {
                Node::Rate(left.into())
            } else if self.tokens.eat("++") {
                Node::Step(1, true, left.into())
            } else if self.tokens.eat("--") {
                Node::Step(-1, true, left.into())
            } else {
                return Ok(left);
            };
            left = self.make(node, from.to(self.tokens.previous()))?;
        }
    }

    /// Reads a channel: a name with indices, before a `!` or `?`.
    pub(crate) fn channel(&mut self) -> Read<Expr> {
        let start = self.tokens.peek().span;
        let name = self.name()?;
        let mut channel = self.make(Node::Name(name.text), name.span)?;
        loop {
            let node = if self.tokens.eat("[") {
                let index = self.expression()?;
                self.tokens.expect("]")?;
                Node::Index(channel.into(), index.into())
            } else if self.tokens.eat(".") {
                Node::Field(channel.into(), self.name()?.text)
            } else {
                return Ok(channel);
            };
            channel = self.make(node, start.to(self.tokens.previous()))?;
        }
    }

    /// Reads arguments and the closing bracket; the opening bracket is already read.
    pub(crate) fn arguments(&mut self) -> Read<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.tokens.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.tokens.eat(",") {
                self.tokens.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Read<Expr> {
        let token = self.tokens.peek();
        let start = token.span;
        let node = match token.kind {
            Kind::Number(number) => Node::Number(number),
            Kind::Fraction(value) => Node::Fraction(value),
            Kind::Quoted => Node::Quoted,
            Kind::Word if is_keyword(token.text) => {
                return Err(self.tokens.unexpected("an expression"));
            }
            Kind::Word => match token.text {
                "true" => Node::Truth(true),
                "false" => Node::Truth(false),
                word => Node::Name(word.to_owned()),
            },
            Kind::Sign("(") => {
                self.tokens.bump();
                let mut inner = self.expression()?;
                self.tokens.expect(")")?;
                inner.span = start.to(self.tokens.previous());
                return Ok(inner);
            }
            Kind::Sign("{") => return self.list(start),
            _ => return Err(self.tokens.unexpected("an expression")),
        };
        self.tokens.bump();
        self.make(node, start)
    }

    fn list(&mut self, start: Span) -> Read<Expr> {
        self.tokens.expect("{")?;
        let mut items = Vec::new();
        while !self.tokens.eat("}") {
            let is_named = matches!(
                (self.tokens.kind(0), self.tokens.kind(1)),
                (Kind::Word, Kind::Sign(":"))
            );
            let field = match is_named {
                true => {
                    let name = self.name()?.text;
                    self.tokens.expect(":")?;
                    Some(name)
                }
                false => None,
            };
            items.push((field, self.nested(Parser::expression)?));
            if !self.tokens.eat(",") {
                self.tokens.expect("}")?;
                break;
            }
        }
        self.make(Node::List(items), start.to(self.tokens.previous()))
    }
}

/// Whether a word is reserved, so that nothing has it as a name.
pub(crate) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "bool"
            | "clock"
            | "chan"
            | "void"
            | "struct"
            | "scalar"
            | "const"
            | "typedef"
            | "return"
            | "if"
            | "else"
            | "while"
            | "for"
            | "do"
            | "system"
            | "imply"
            | "and"
            | "or"
            | "not"
            | "spawn"
    )
}
