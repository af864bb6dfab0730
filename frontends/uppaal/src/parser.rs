//! Reads expressions, and what all readers of texts need.

use hyperkill_frontend::{Diagnostic, Span};

use crate::lexer::{Kind, Token, tokens};
use crate::syntax::{Binary, Expr, Name, Node, Quantifier, TypeText, Unary};
use crate::text::Text;

/// Most operators, brackets and statements inside one another.
const DEEPEST: usize = 250;

/// Reads one text.
pub(crate) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

pub(crate) type Read<T> = Result<T, Diagnostic>;

impl Parser {
    pub(crate) fn new(text: &Text) -> Read<Parser> {
        Ok(Parser {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
        })
    }

    pub(crate) fn peek(&self) -> &Kind {
        self.ahead(0)
    }

    pub(crate) fn ahead(&self, by: usize) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + by).min(last)].kind
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Where the token before this one stands.
    pub(crate) fn behind(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(crate) fn is_over(&self) -> bool {
        *self.peek() == Kind::End
    }

    pub(crate) fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(own) if *own == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(own) if own == word)
    }

    /// Takes a sign if it is there.
    pub(crate) fn takes(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.next();
        }
        is
    }

    /// Takes a word if it is there.
    pub(crate) fn takes_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.next();
        }
        is
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Read<Span> {
        match self.is(sign) {
            true => Ok(self.next().span),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let there = match self.peek() {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Fraction(_) => "a number with a point".to_owned(),
            Kind::Quoted => "a text".to_owned(),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end".to_owned(),
        };
        Diagnostic::error(
            self.span(),
            format!("{wanted} is expected here, not {there}"),
        )
    }

    pub(crate) fn name(&mut self) -> Read<Name> {
        match self.peek() {
            Kind::Word(_) => {
                let token = self.next();
                let Kind::Word(text) = token.kind else {
                    return Err(self.unexpected("a name"));
                };
                Ok(Name {
                    text,
                    span: token.span,
                })
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Reads something inside something else, not too deep.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.too_deep(self.span()));
        }
        let inner = read(self);
        self.depth -= 1;
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

    /// An expression, assignments included.
    pub(crate) fn expression(&mut self) -> Read<Expr> {
        self.nested(|parser| {
            let left = parser.choice()?;
            let Kind::Sign(sign) = *parser.peek() else {
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
            parser.next();
            let right = parser.expression()?;
            let span = left.span.to(right.span);
            parser.make(Node::Assign(operator, left.into(), right.into()), span)
        })
    }

    fn choice(&mut self) -> Read<Expr> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let then = self.nested(Parser::choice)?;
        self.expect(":")?;
        let otherwise = self.nested(Parser::choice)?;
        let span = condition.span.to(otherwise.span);
        let node = Node::Choice(condition.into(), then.into(), otherwise.into());
        self.make(node, span)
    }

    /// How tightly the operator here binds, from loose to tight.
    fn operator(&self) -> Option<(usize, Binary)> {
        Some(match self.peek() {
            Kind::Word(word) => match word.as_str() {
                "imply" => (0, Binary::Imply),
                "or" => (1, Binary::Or),
                "and" => (2, Binary::And),
                _ => return None,
            },
            Kind::Sign(sign) => match *sign {
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
            self.next();
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
        let start = self.span();
        let word = match self.peek() {
            Kind::Word(word) => word.as_str(),
            Kind::Sign(sign) => sign,
            _ => "",
        };
        let operator = match word {
            "-" => Unary::Minus,
            "+" => Unary::Plus,
            "!" | "not" => Unary::Not,
            "++" | "--" => {
                let by = if word == "++" { 1 } else { -1 };
                self.next();
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
                self.next();
                return self.quantified(start, quantifier);
            }
            _ => return self.postfix(),
        };
        self.next();
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.span);
        self.make(Node::Unary(operator, operand.into()), span)
    }

    fn quantified(&mut self, start: Span, quantifier: Quantifier) -> Read<Expr> {
        self.expect("(")?;
        let name = self.name()?;
        self.expect(":")?;
        let of: TypeText = self.type_text()?;
        self.expect(")")?;
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
            let node = if self.takes("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Node::Index(left.into(), index.into())
            } else if self.takes("(") {
                let arguments = self.arguments()?;
                Node::Call(left.into(), arguments)
            } else if self.takes(".") {
                Node::Field(left.into(), self.name()?.text)
            } else if self.takes("'") {
                Node::Rate(left.into())
            } else if self.takes("++") {
                Node::Step(1, true, left.into())
            } else if self.takes("--") {
                Node::Step(-1, true, left.into())
            } else {
                return Ok(left);
            };
            left = self.make(node, from.to(self.behind()))?;
        }
    }

    /// A channel: a name with indices, before a `!` or `?`.
    pub(crate) fn channel(&mut self) -> Read<Expr> {
        let start = self.span();
        let name = self.name()?;
        let mut channel = self.make(Node::Name(name.text), name.span)?;
        loop {
            let node = if self.takes("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Node::Index(channel.into(), index.into())
            } else if self.takes(".") {
                Node::Field(channel.into(), self.name()?.text)
            } else {
                return Ok(channel);
            };
            channel = self.make(node, start.to(self.behind()))?;
        }
    }

    /// Arguments behind a bracket that was taken.
    pub(crate) fn arguments(&mut self) -> Read<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.takes(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Read<Expr> {
        let start = self.span();
        let node = match self.peek().clone() {
            Kind::Number(number) => Node::Number(number),
            Kind::Fraction(value) => Node::Fraction(value),
            Kind::Quoted => Node::Quoted,
            Kind::Word(word) if word == "true" => Node::Truth(true),
            Kind::Word(word) if word == "false" => Node::Truth(false),
            Kind::Word(word) if is_keyword(&word) => return Err(self.unexpected("an expression")),
            Kind::Word(word) => Node::Name(word),
            Kind::Sign("(") => {
                self.next();
                let mut inner = self.expression()?;
                self.expect(")")?;
                inner.span = start.to(self.behind());
                return Ok(inner);
            }
            Kind::Sign("{") => return self.list(start),
            _ => return Err(self.unexpected("an expression")),
        };
        self.next();
        self.make(node, start)
    }

    fn list(&mut self, start: Span) -> Read<Expr> {
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.takes("}") {
            let is_named = matches!(
                (self.peek(), self.ahead(1)),
                (Kind::Word(_), Kind::Sign(":"))
            );
            let field = match is_named {
                true => {
                    let name = self.name()?.text;
                    self.expect(":")?;
                    Some(name)
                }
                false => None,
            };
            items.push((field, self.nested(Parser::expression)?));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        self.make(Node::List(items), start.to(self.behind()))
    }
}

/// Words that name nothing.
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
