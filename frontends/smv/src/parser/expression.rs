//! Expressions by precedence climbing, along the levels of NuSMV's grammar.

use hyperkill_frontend::{Diagnostic, Span};

use super::{MAX_DEPTH, MAX_NUMBER, Parser};
use crate::ast::{BinaryOp, Branch, ExprId, ExprKind, Level, UnaryOp};
use crate::lexer::{TokenKind, is_name_character};

fn binary_op(kind: TokenKind) -> Option<BinaryOp> {
    let (TokenKind::Sign(text) | TokenKind::Keyword(text)) = kind else {
        return None;
    };
    Some(match text {
        "->" => BinaryOp::Implies,
        "<->" => BinaryOp::Iff,
        "|" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "xnor" => BinaryOp::Xnor,
        "&" => BinaryOp::And,
        "=" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "in" => BinaryOp::In,
        "union" => BinaryOp::Union,
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "mod" => BinaryOp::Mod,
        _ => return None,
    })
}

impl Parser<'_> {
    fn add(&mut self, kind: ExprKind, span: Span) -> Result<ExprId, Diagnostic> {
        let id = self.exprs.add(kind, span);
        if self.exprs[id].depth > MAX_DEPTH {
            let message = format!("this expression is more than {MAX_DEPTH} operators high");
            return Err(Diagnostic::error(span, message)
                .with_help("give parts of it names in a DEFINE section"));
        }
        Ok(id)
    }

    /// Operands joined by operators that bind no more loosely than `level`.
    pub(super) fn operators(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        let mut left = self.operand(level)?;
        loop {
            let token = self.peek();
            // `{1, 2} + 3` is no expression, `({1, 2}) + 3` is one.
            let bound = match self.exprs[left].is_parenthesised() {
                true => Level::PRIMARY,
                false => self.exprs.kind(left).level(),
            };
            if let Some(op) = binary_op(token.kind) {
                let (needed, right_level) = op.operand_levels();
                if op.level() < level || bound < needed {
                    return Ok(left);
                }
                self.advance();
                let right = self.expression(right_level)?;
                let span = self.exprs[left].outer.to(self.exprs[right].outer);
                left = self.add(ExprKind::Binary(op, left, right), span)?;
            } else if token.kind == TokenKind::Sign("?") && level <= Level::CONDITIONAL {
                self.advance();
                let then = self.expression(Level::IMPLIES)?;
                self.expect_sign(":")?;
                let other = self.expression(Level::CONDITIONAL)?;
                let span = self.exprs[left].outer.to(self.exprs[other].outer);
                left = self.add(ExprKind::Conditional(left, then, other), span)?;
            } else {
                return self.reject_suffix().map(|()| left);
            }
        }
    }

    fn reject_suffix(&self) -> Result<(), Diagnostic> {
        let span = self.peek().span;
        match self.peek().kind {
            TokenKind::Sign("." | "[") => {
                Err(self.unsupported(span, "arrays, parts of modules and bits of words"))
            }
            TokenKind::Sign("<<" | ">>" | "::") => {
                Err(self.unsupported(span, "operators on words"))
            }
            _ => Ok(()),
        }
    }

    fn operand(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        if level <= Level::SET {
            if self.at_range() {
                return self.range();
            }
            if self.at_sign("{") {
                return self.set();
            }
        }
        let token = self.peek();
        let span = token.span;
        match token.kind {
            TokenKind::Number => {
                let value = self.number()?;
                self.add(ExprKind::Number(value), span)
            }
            TokenKind::Sign("+") if self.ahead(1).kind == TokenKind::Number => {
                self.advance();
                let value = self.number()?;
                self.add(ExprKind::Number(value), span.to(self.previous()))
            }
            TokenKind::Keyword("TRUE" | "FALSE") => {
                self.advance();
                self.add(ExprKind::Truth(span.of(self.text) == "TRUE"), span)
            }
            TokenKind::Name => {
                let name = self.name("an expression")?.text;
                self.add(ExprKind::Name(name), span)
            }
            TokenKind::Sign("!") => self.unary(UnaryOp::Not),
            TokenKind::Sign("-") => self.unary(UnaryOp::Neg),
            TokenKind::Sign("(") => {
                self.advance();
                let inner = self.expression(Level::IMPLIES)?;
                let outer = span.to(self.expect_sign(")")?);
                self.exprs.parenthesise(inner, outer);
                Ok(inner)
            }
            TokenKind::Keyword("next") => {
                self.advance();
                self.expect_sign("(")?;
                let inner = self.expression(Level::IMPLIES)?;
                let span = span.to(self.expect_sign(")")?);
                self.add(ExprKind::Next(inner), span)
            }
            TokenKind::Keyword("case") => self.case(),
            TokenKind::Sign("{") => Err(self
                .unexpected("an operand")
                .with_help("NuSMV has no arithmetic on sets")),
            TokenKind::Keyword(
                k @ ("bool" | "word1" | "signed" | "unsigned" | "extend" | "uwconst" | "swconst"
                | "resize" | "sizeof" | "toint" | "count" | "READ" | "WRITE" | "self"),
            ) => Err(self.unsupported(span, &format!("`{k}`"))),
            TokenKind::Keyword(k) => Err(self
                .unexpected("an expression")
                .with_help(format!("`{k}` is a reserved word of NuSMV"))),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn previous(&self) -> Span {
        Span::new(self.last_end(), self.last_end())
    }

    fn unary(&mut self, op: UnaryOp) -> Result<ExprId, Diagnostic> {
        let sign = self.advance().span;
        let operand = self.expression(Level::PRIMARY)?;
        let span = sign.to(self.exprs[operand].outer);
        self.add(ExprKind::Unary(op, operand), span)
    }

    fn number(&mut self) -> Result<i64, Diagnostic> {
        let span = self.peek().span;
        if self.peek().kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        let text = span.of(self.text);
        self.advance();
        if self.text[span.end..].starts_with(is_name_character)
            && !self.text[span.end..].starts_with('-')
        {
            let what = "numbers with letters in them, such as the words `0ud8_5`";
            return Err(self.unsupported(span.to(self.peek().span), what));
        }
        match text.parse::<i64>() {
            Ok(value) if value <= MAX_NUMBER => Ok(value),
            _ => Err(Diagnostic::error(span, "this number is too large")),
        }
    }

    /// A number with an optional sign.
    pub(super) fn signed_number(&mut self) -> Result<i64, Diagnostic> {
        if self.take_sign("-") {
            return Ok(-self.number()?);
        }
        self.take_sign("+");
        self.number()
    }

    /// Whether `1..3` begins here; NuSMV takes only numbers in expressions.
    fn at_range(&self) -> bool {
        let signed = matches!(self.peek().kind, TokenKind::Sign("+" | "-"));
        let number = usize::from(signed);
        self.ahead(number).kind == TokenKind::Number
            && self.ahead(number + 1).kind == TokenKind::Sign("..")
    }

    fn range(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.peek().span;
        let low = self.signed_number()?;
        self.expect_sign("..")?;
        let high = self.signed_number()?;
        let span = start.to(self.previous());
        if low > high {
            return Err(Diagnostic::error(span, "this range is empty"));
        }
        self.add(ExprKind::Range(low, high), span)
    }

    fn set(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.advance().span;
        let mut elements = Vec::new();
        loop {
            elements.push(self.expression(Level::IMPLIES)?);
            if !self.take_sign(",") {
                break;
            }
        }
        let span = start.to(self.expect_sign("}")?);
        self.add(ExprKind::Set(elements), span)
    }

    fn case(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.advance().span;
        let mut branches = Vec::new();
        while !self.at_keyword("esac") || branches.is_empty() {
            let condition = self.expression(Level::IMPLIES)?;
            self.expect_sign(":")?;
            let value = self.expression(Level::IMPLIES)?;
            let end = self.expect_sign(";")?;
            let span = self.exprs[condition].outer.to(end);
            branches.push(Branch {
                condition,
                value,
                span,
            });
        }
        let span = start.to(self.advance().span);
        self.add(ExprKind::Case(branches), span)
    }
}
