//! Expressions, by precedence climbing.

use super::cursor::{MAX_DEPTH, Parsed, Parser};
use crate::ast::{BinaryOp, Cast, ExprId, ExprKind, Key, NamePart, UnaryOp};
use crate::lexer::Kind;
use crate::number::Literal;

impl Parser {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let condition = parser.binary(1)?;
            if !parser.is("?") {
                return Ok(condition);
            }
            let operator = parser.advance();
            let attributes = parser.attributes()?;
            let then = parser.expression()?;
            parser.expect(":")?;
            let other = parser.expression()?;
            let extent = parser.outer(condition).to(parser.outer(other));
            parser.exclude(attributes, extent.first as usize);
            let kind = ExprKind::Conditional(condition, then, other);
            Ok(parser.add(kind, extent, operator))
        })
    }

    /// Returns the tokens of an operand, including the parentheses around it.
    fn outer(&self, id: ExprId) -> crate::ast::Extent {
        let mut extent = self.extent(id);
        let tokens = &self.source.tokens;
        loop {
            let before = (extent.first as usize)
                .checked_sub(1)
                .and_then(|at| tokens.get(at));
            let after = tokens.get(extent.last as usize + 1);
            // Only tokens read already count: a parenthesis further on belongs to another expression.
            let inside = (extent.last as usize + 1) < self.at;
            match (before, after) {
                (Some(open), Some(close)) if inside && open.is("(") && close.is(")") => {
                    extent.first -= 1;
                    extent.last += 1;
                }
                _ => return extent,
            }
        }
    }

    fn binary_op(&self) -> Option<BinaryOp> {
        use BinaryOp as B;
        if self.token().kind != Kind::Punct {
            return None;
        }
        Some(match &*self.token().text {
            "+" => B::Add,
            "-" => B::Sub,
            "*" => B::Mul,
            "/" => B::Div,
            "%" => B::Mod,
            "**" => B::Power,
            "<<" | "<<<" => B::ShiftLeft,
            ">>" => B::ShiftRight,
            ">>>" => B::ShiftRightSigned,
            "<" => B::Less,
            "<=" => B::LessEqual,
            ">" => B::Greater,
            ">=" => B::GreaterEqual,
            "==" => B::Equal,
            "!=" => B::NotEqual,
            "===" => B::CaseEqual,
            "!==" => B::CaseNotEqual,
            "==?" => B::WildEqual,
            "!=?" => B::WildNotEqual,
            "&" => B::And,
            "|" => B::Or,
            "^" => B::Xor,
            "~^" | "^~" => B::Xnor,
            "&&" => B::LogicAnd,
            "||" => B::LogicOr,
            _ => return None,
        })
    }

    fn binary(&mut self, level: u8) -> Parsed<ExprId> {
        let mut left = self.unary()?;
        let mut length = 0;
        loop {
            // `inside` has the precedence of a relation.
            if self.is_word("inside") && level <= BinaryOp::Less.level() && self.ahead(1).is("{") {
                let operator = self.advance();
                self.expect("{")?;
                let members = self.members()?;
                self.expect("}")?;
                let extent = self.outer(left).to(self.since(operator));
                left = self.add(ExprKind::Inside(left, members), extent, operator);
                continue;
            }
            let Some(op) = self.binary_op().filter(|op| op.level() >= level) else {
                break;
            };
            length += 1;
            if length > 4 * MAX_DEPTH {
                return Err(self.error("too many operands in one expression"));
            }
            let operator = self.advance();
            let attributes = self.attributes()?;
            let right = self.nested(|parser| parser.binary(op.level() + 1))?;
            let extent = self.outer(left).to(self.outer(right));
            self.exclude(attributes, extent.first as usize);
            left = self.add(ExprKind::Binary(op, left, right), extent, operator);
        }
        Ok(left)
    }

    fn unary_op(&self) -> Option<UnaryOp> {
        if self.token().kind != Kind::Punct {
            return None;
        }
        Some(match &*self.token().text {
            "+" => UnaryOp::Plus,
            "-" => UnaryOp::Minus,
            "!" => UnaryOp::Not,
            "~" => UnaryOp::Complement,
            "&" => UnaryOp::And,
            "|" => UnaryOp::Or,
            "^" => UnaryOp::Xor,
            "~&" => UnaryOp::Nand,
            "~|" => UnaryOp::Nor,
            "~^" | "^~" => UnaryOp::Xnor,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let Some(op) = self.unary_op() else {
            return self.primary();
        };
        let first = self.advance();
        let attributes = self.attributes()?;
        let operand = self.nested(Parser::unary)?;
        self.exclude(attributes, first);
        let extent = self.since(first);
        Ok(self.add(ExprKind::Unary(op, operand), extent, first))
    }

    /// Reads the members of `inside`: values, and ranges of them.
    pub(super) fn members(&mut self) -> Parsed<Vec<ExprId>> {
        let mut members = Vec::new();
        loop {
            members.push(match self.is("[") {
                true => {
                    let first = self.at;
                    let (low, high) = self.range()?;
                    let extent = self.since(first);
                    self.add(ExprKind::Range(low, high), extent, first)
                }
                false => self.expression()?,
            });
            if !self.eat(",") {
                return Ok(members);
            }
        }
    }

    /// Reads an expression without operators around it, or a cast to a type or size.
    fn primary(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        if let Some(made) = self.cast_to_a_word()? {
            return Ok(made);
        }
        let mut made = self.operand()?;
        if self.is("'") && self.ahead(1).is("{") {
            // `type_t'{…}`
            let operator = self.at;
            let pattern = self.pattern()?;
            let extent = self.since(first);
            made = self.add(ExprKind::Cast(Cast::Size(made), pattern), extent, operator);
        }
        while self.is("'") && self.ahead(1).is("(") {
            // A type may be written as a name, too: elaboration tells types from sizes.
            made = self.cast(first, Cast::Size(made))?;
        }
        Ok(made)
    }

    /// Reads a cast to a keyword: `signed'(a)`, `int'(a)`. `None` if none is next.
    fn cast_to_a_word(&mut self) -> Parsed<Option<ExprId>> {
        if !self.ahead(1).is("'") || !self.ahead(2).is("(") {
            return Ok(None);
        }
        let first = self.at;
        let word = self.token().text.clone();
        if self.is_word("signed") || self.is_word("unsigned") {
            self.advance();
            self.expect("'")?;
            let arguments = self.arguments()?;
            let extent = self.since(first);
            let name = std::sync::Arc::from(format!("${word}").as_str());
            let kind = ExprKind::SystemCall(name, arguments);
            return Ok(Some(self.add(kind, extent, first)));
        }
        let types = [
            "int", "integer", "byte", "shortint", "longint", "logic", "bit", "reg",
        ];
        if !types.iter().any(|known| self.is_word(known)) {
            return Ok(None);
        }
        let of = self.word_type(&word);
        self.advance();
        self.cast(first, Cast::Type(std::sync::Arc::new(of)))
            .map(Some)
    }

    fn cast(&mut self, first: usize, to: Cast) -> Parsed<ExprId> {
        let operator = self.at;
        self.expect("'")?;
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        let extent = self.since(first);
        Ok(self.add(ExprKind::Cast(to, value), extent, operator))
    }

    /// `'{a, b}`, `'{x: a, default: b}`
    fn pattern(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let first = parser.at;
            parser.expect("'")?;
            parser.expect("{")?;
            let mut members = Vec::new();
            loop {
                let key = if parser.is_word("default") && parser.ahead(1).is(":") {
                    parser.advance();
                    parser.expect(":")?;
                    members.push((Key::Default, parser.expression()?));
                    None
                } else {
                    Some(parser.expression()?)
                };
                match key {
                    Some(key) if parser.eat(":") => {
                        members.push((Key::Of(key), parser.expression()?));
                    }
                    Some(count) if parser.eat("{") => {
                        members.push((Key::Times(count), parser.expression()?));
                        if parser.is(",") {
                            let message = "a replication of several values in an assignment pattern is not supported";
                            return Err(parser.error(message));
                        }
                        parser.expect("}")?;
                    }
                    Some(value) => members.push((Key::Place, value)),
                    None => {}
                }
                if !parser.eat(",") {
                    break;
                }
            }
            parser.expect("}")?;
            let extent = parser.since(first);
            Ok(parser.add(ExprKind::Pattern(members), extent, first))
        })
    }

    fn operand(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let token = self.token().clone();
        match token.kind {
            Kind::Number | Kind::Based => self.number(),
            Kind::Text => {
                self.advance();
                let extent = self.since(first);
                Ok(self.add(ExprKind::Text(token.text), extent, first))
            }
            Kind::System => {
                self.advance();
                let arguments = if self.is("(") {
                    self.arguments()?
                } else {
                    Vec::new()
                };
                let extent = self.since(first);
                Ok(self.add(ExprKind::SystemCall(token.text, arguments), extent, first))
            }
            _ if self.is("(") => {
                self.advance();
                let inner = self.expression()?;
                if self.eat(":") {
                    // Minimum, typical and maximum value: the typical one is taken.
                    let typical = self.expression()?;
                    self.expect(":")?;
                    self.expression()?;
                    self.expect(")")?;
                    return Ok(typical);
                }
                self.expect(")")?;
                Ok(inner)
            }
            _ if self.is("{") => self.concatenation(),
            _ if self.is("'") && self.ahead(1).is("{") => self.pattern(),
            _ => self.reference(),
        }
    }

    fn number(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let token = self.token().clone();
        self.advance();
        let literal = if token.kind == Kind::Based {
            let text = self.with_digits(&token.text);
            Literal::based(None, &text)
        } else if self.token().kind == Kind::Based {
            let base = self.token().text.clone();
            self.advance();
            let text = self.with_digits(&base);
            Literal::based(Some(&token.text), &text)
        } else if token.text.contains(['.', 'e', 'E']) {
            let extent = self.since(first);
            return Ok(self.add(ExprKind::Real(token.text), extent, first));
        } else {
            Literal::decimal(&token.text)
        };
        match literal {
            Ok(literal) => {
                let extent = self.since(first);
                Ok(self.add(ExprKind::Number(literal), extent, first))
            }
            Err(message) => Err(hyperkill_frontend::Diagnostic::error(token.span, message)),
        }
    }

    /// Reads a base with its digits, which may come from a macro: `8'h` and then `` `VALUE ``.
    fn with_digits(&mut self, base: &str) -> String {
        let mut text = base.to_owned();
        let bare = text.trim().trim_start_matches('\'').to_ascii_lowercase();
        let bare = bare.strip_prefix('s').unwrap_or(&bare);
        if !["b", "o", "d", "h"].contains(&bare) {
            return text;
        }
        loop {
            let token = self.token();
            // Digits that begin with a letter after other digits are words of the same macro.
            let before = self.at.checked_sub(1).map(|at| &self.source.tokens[at]);
            let goes_on = text != base
                && token.kind == Kind::Word
                && before.is_some_and(|before| before.usage == token.usage);
            let begins = text == base && token.usage != 0;
            if !matches!(token.kind, Kind::Number | Kind::Word) || !(begins || goes_on) {
                return text;
            }
            text.push_str(&token.text);
            self.advance();
        }
    }

    /// `{a, b}`, `{n{a}}`.
    fn concatenation(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let first = parser.at;
            parser.expect("{")?;
            if parser.is("<<") || parser.is(">>") {
                return parser.stream(first, Parser::expression);
            }
            let head = parser.expression()?;
            let kind = if parser.eat("{") {
                let mut parts = vec![parser.expression()?];
                while parser.eat(",") {
                    parts.push(parser.expression()?);
                }
                parser.expect("}")?;
                ExprKind::Repeat(head, parts)
            } else {
                let mut parts = vec![head];
                while parser.eat(",") {
                    parts.push(parser.expression()?);
                }
                ExprKind::Concat(parts)
            };
            parser.expect("}")?;
            let extent = parser.since(first);
            let mut made = parser.add(kind, extent, first);
            while parser.is("[") {
                made = parser.selection(made, first)?;
            }
            Ok(made)
        })
    }

    /// Reads `{<<n{a, b}}` after the brace; `part` reads its parts.
    fn stream(
        &mut self,
        first: usize,
        part: impl Fn(&mut Parser) -> Parsed<ExprId>,
    ) -> Parsed<ExprId> {
        let reversed = self.is("<<");
        self.advance();
        let size = match self.is("{") {
            true => None,
            false => Some(self.slice_size()?),
        };
        self.expect("{")?;
        let mut parts = vec![part(self)?];
        while self.eat(",") {
            parts.push(part(self)?);
        }
        self.expect("}")?;
        self.expect("}")?;
        let extent = self.since(first);
        Ok(self.add(ExprKind::Stream(reversed, size, parts), extent, first))
    }

    /// Reads the slice width of a stream: a number, or a type of that width.
    fn slice_size(&mut self) -> Parsed<ExprId> {
        let widths = [
            ("byte", 8),
            ("shortint", 16),
            ("int", 32),
            ("integer", 32),
            ("longint", 64),
            ("logic", 1),
            ("bit", 1),
            ("reg", 1),
        ];
        let found = widths.iter().find(|(word, _)| self.is_word(word));
        let Some((_, width)) = found else {
            return self.operand();
        };
        let first = self.advance();
        let extent = self.since(first);
        let width = Literal::integer(*width);
        Ok(self.add(ExprKind::Number(width), extent, first))
    }

    /// Reads the arguments of a call in parentheses; missing arguments are an error.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        let mut arguments = Vec::new();
        self.expect("(")?;
        if !self.is(")") {
            loop {
                arguments.push(self.argument()?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// Reads one argument of a call, perhaps by its name.
    fn argument(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        if !self.eat(".") {
            return self.expression();
        }
        let name = self.name()?;
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        let extent = self.since(first);
        Ok(self.add(ExprKind::Argument(name, value), extent, first))
    }

    /// Reads a name with its selections, or a call.
    pub(super) fn reference(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        if !self.is_name() {
            return Err(self.error(format!("expected an expression, found {}", self.found())));
        }
        let mut path = vec![NamePart {
            name: self.scoped_name()?,
            indices: Vec::new(),
        }];
        while self.step_follows() {
            while self.eat("[") {
                let index = self.expression()?;
                self.expect("]")?;
                if let Some(last) = path.last_mut() {
                    last.indices.push(index);
                }
            }
            self.expect(".")?;
            path.push(NamePart {
                name: self.name()?,
                indices: Vec::new(),
            });
        }
        if self.is("(") {
            let arguments = self.arguments()?;
            let extent = self.since(first);
            return Ok(self.add(ExprKind::Call(path, arguments), extent, first));
        }
        let extent = self.since(first);
        let mut made = self.add(ExprKind::Name(path), extent, first);
        while self.is("[") {
            made = self.selection(made, first)?;
        }
        Ok(made)
    }

    /// Whether a `.name` follows that belongs to the name before, perhaps with indices between.
    fn step_follows(&self) -> bool {
        let mut depth = 0;
        for by in 0.. {
            let token = self.ahead(by);
            if depth == 0 && !token.is("[") {
                return token.is(".");
            }
            if token.kind == Kind::End || token.is(";") {
                return false;
            }
            depth += i32::from(token.is("[")) - i32::from(token.is("]"));
        }
        false
    }

    /// Reads `[i]`, `[a:b]` or `[a +: w]` after a base.
    fn selection(&mut self, base: ExprId, first: usize) -> Parsed<ExprId> {
        self.nested(|parser| {
            let operator = parser.at;
            parser.expect("[")?;
            let start = parser.expression()?;
            let kind = if parser.eat(":") {
                ExprKind::Part(base, start, parser.expression()?)
            } else if parser.is("+:") || parser.is("-:") {
                let up = parser.is("+:");
                parser.advance();
                let width = parser.expression()?;
                ExprKind::Indexed {
                    base,
                    start,
                    width,
                    up,
                }
            } else {
                ExprKind::Index(base, start)
            };
            parser.expect("]")?;
            let extent = parser.since(first);
            Ok(parser.add(kind, extent, operator))
        })
    }

    /// Reads the target of an assignment.
    pub(super) fn target(&mut self) -> Parsed<ExprId> {
        if !self.is("{") {
            return self.reference();
        }
        self.nested(|parser| {
            let first = parser.at;
            parser.expect("{")?;
            if parser.is("<<") || parser.is(">>") {
                return parser.stream(first, Parser::target);
            }
            let mut parts = vec![parser.target()?];
            while parser.eat(",") {
                parts.push(parser.target()?);
            }
            parser.expect("}")?;
            let extent = parser.since(first);
            Ok(parser.add(ExprKind::Concat(parts), extent, first))
        })
    }
}
