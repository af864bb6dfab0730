//! Parses expressions by precedence climbing, along the levels of NuSMV's grammar.

use hyperkill_frontend::{Diagnostic, Span, counted};

use super::{MAX_BRANCHES, MAX_DEPTH, MAX_ELEMENTS, MAX_NUMBER, Parser, too_many};
use crate::ast::{
    BinaryOp, Branch, ExprId, ExprKind, Function, Level, TemporalForm, TemporalOp, UnaryOp,
};
use crate::lexer::{Token, TokenKind, is_name_character};

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
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "::" => BinaryOp::Concat,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn add(&mut self, kind: ExprKind, span: Span) -> Result<ExprId, Diagnostic> {
        let id = self.exprs.add(kind, span);
        if self.exprs[id].depth > MAX_DEPTH {
            let message = format!("this expression is more than {MAX_DEPTH} operators high");
            return Err(Diagnostic::error(span, message)
                .with_help("give parts of it names in a DEFINE section"));
        }
        Ok(id)
    }

    /// Parses operands joined by operators that bind at least as tightly as `level`.
    pub(super) fn operators(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        let mut left = self.operand(level)?;
        loop {
            let token = self.tokens.peek();
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
                self.tokens.bump();
                let right = self.expression(right_level)?;
                let span = self.exprs[left].outer.to(self.exprs[right].outer);
                left = self.add(ExprKind::Binary(op, left, right), span)?;
            } else if token.kind == TokenKind::Sign("?") && level <= Level::CONDITIONAL {
                self.tokens.bump();
                let then = self.expression(Level::IMPLIES)?;
                self.expect_sign(":")?;
                let other = self.expression(Level::CONDITIONAL)?;
                let span = self.exprs[left].outer.to(self.exprs[other].outer);
                left = self.add(ExprKind::Conditional(left, then, other), span)?;
            } else if let Some(word) = self.at_until()
                && level <= Level::UNTIL
                && bound >= Level::UNTIL
            {
                self.tokens.bump();
                let right = self.expression(Level::UNTIL.tighter())?;
                let span = self.exprs[left].outer.to(self.exprs[right].outer);
                let op = TemporalOp {
                    word,
                    form: TemporalForm::Infix,
                    bounds: None,
                };
                left = self.add(ExprKind::Temporal(op, vec![left, right]), span)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn operand(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        if level <= Level::SET {
            if self.at_range() {
                return self.range();
            }
            if self.tokens.is("{") {
                return self.set();
            }
        }
        if level <= Level::TEMPORAL
            && let Some(op) = self.temporal()?
        {
            return self.temporal_operands(op);
        }
        let operand = self.primary()?;
        self.suffixes(operand)
    }

    /// Parses `.name`, `[index]` and `[high : low]` after an operand. None may follow `!a` and `-a`.
    fn suffixes(&mut self, mut base: ExprId) -> Result<ExprId, Diagnostic> {
        let unary = self.exprs.kind(base).level() < Level::POSTFIX;
        if unary && !self.exprs[base].is_parenthesised() {
            return Ok(base);
        }
        loop {
            let start = self.exprs[base].outer;
            if self.tokens.eat(".") {
                let name = self.name("the name of a part")?;
                base = self.add(ExprKind::Member(base, name.text), start.to(name.span))?;
            } else if self.tokens.eat("[") {
                let first = self.expression(Level::IMPLIES)?;
                let kind = match self.tokens.eat(":") {
                    false => ExprKind::Index(base, first),
                    true => ExprKind::Bits(base, first, self.expression(Level::IMPLIES)?),
                };
                let span = start.to(self.expect_sign("]")?);
                base = self.add(kind, span)?;
            } else {
                return Ok(base);
            }
        }
    }

    fn primary(&mut self) -> Result<ExprId, Diagnostic> {
        let token = self.tokens.peek();
        let span = token.span;
        match token.kind {
            TokenKind::Number => {
                let value = self.number()?;
                self.add(ExprKind::Number(value), span)
            }
            TokenKind::Sign("+") if self.tokens.kind(1) == TokenKind::Number => {
                self.tokens.bump();
                let value = self.number()?;
                self.add(ExprKind::Number(value), self.tokens.since(span))
            }
            TokenKind::Keyword("TRUE" | "FALSE") => {
                self.tokens.bump();
                self.add(ExprKind::Truth(token.text == "TRUE"), span)
            }
            TokenKind::Word => {
                self.tokens.bump();
                let constant = super::word::constant(token.text);
                let constant = constant.map_err(|message| Diagnostic::error(span, message))?;
                self.add(ExprKind::Word(constant), span)
            }
            TokenKind::Keyword("self") => {
                self.tokens.bump();
                self.add(ExprKind::SelfInstance, span)
            }
            TokenKind::Sign("[") => {
                self.tokens.bump();
                let elements = self.list("]")?;
                self.add(ExprKind::Array(elements), self.tokens.since(span))
            }
            TokenKind::Name | TokenKind::Keyword(_) if self.function().is_some() => self.call(),
            TokenKind::Name => {
                let name = self.name("an expression")?.text;
                self.add(ExprKind::Name(name), span)
            }
            TokenKind::Sign("!") => self.unary(UnaryOp::Not),
            TokenKind::Sign("-") => self.unary(UnaryOp::Neg),
            TokenKind::Sign("(") => {
                self.tokens.bump();
                let inner = self.expression(Level::IMPLIES)?;
                let outer = span.to(self.expect_sign(")")?);
                self.exprs.parenthesise(inner, outer);
                Ok(inner)
            }
            TokenKind::Keyword("next") => {
                self.tokens.bump();
                self.expect_sign("(")?;
                let inner = self.expression(Level::IMPLIES)?;
                let span = span.to(self.expect_sign(")")?);
                self.add(ExprKind::Next(inner), span)
            }
            TokenKind::Keyword("case") => self.case(),
            TokenKind::Sign("{") => Err(self
                .tokens
                .unexpected("an operand")
                .with_help("NuSMV has no arithmetic on sets")),
            TokenKind::Keyword(k) => Err(self
                .tokens
                .unexpected("an expression")
                .with_help(format!("`{k}` is a reserved word of NuSMV"))),
            _ => Err(self.tokens.unexpected("an expression")),
        }
    }

    /// Returns the function if the next tokens are its name and `(`; otherwise `None`.
    fn function(&self) -> Option<Function> {
        let text = self.tokens.peek().text;
        let mut all = Function::ALL.into_iter();
        let called = self.tokens.kind(1) == TokenKind::Sign("(");
        all.find(|function| called && function.name() == text)
    }

    fn call(&mut self) -> Result<ExprId, Diagnostic> {
        let Some(function) = self.function() else {
            return Err(self.tokens.unexpected("an expression"));
        };
        let start = self.tokens.bump().span;
        self.expect_sign("(")?;
        let arguments = self.list(")")?;
        let span = self.tokens.since(start);
        match function.arity() {
            Some(wanted) if wanted != arguments.len() => {
                let name = function.name();
                let wanted = counted(wanted, "parameter");
                let given = counted(arguments.len(), "value");
                let message = format!("`{name}` has {wanted} and is given {given}");
                Err(Diagnostic::error(span, message))
            }
            _ => self.add(ExprKind::Call(function, arguments), span),
        }
    }

    /// Parses expressions with commas up to a closing bracket, which is passed; at least one.
    pub(super) fn list(&mut self, close: &str) -> Result<Vec<ExprId>, Diagnostic> {
        let mut elements = Vec::new();
        loop {
            elements.push(self.expression(Level::IMPLIES)?);
            if !self.tokens.eat(",") {
                self.expect_sign(close)?;
                return Ok(elements);
            }
        }
    }

    fn unary(&mut self, op: UnaryOp) -> Result<ExprId, Diagnostic> {
        let sign = self.tokens.bump().span;
        // `!AG p` needs no parentheses.
        let level = match self.at_temporal() {
            true => Level::TEMPORAL,
            false => Level::PRIMARY,
        };
        let operand = self.expression(level)?;
        let span = sign.to(self.exprs[operand].outer);
        self.add(ExprKind::Unary(op, operand), span)
    }

    fn number(&mut self) -> Result<i64, Diagnostic> {
        let Token { kind, text, span } = self.tokens.peek();
        if kind != TokenKind::Number {
            return Err(self.tokens.unexpected("a number"));
        }
        self.tokens.bump();
        let next = self.tokens.peek();
        let goes_on = |c: char| is_name_character(c) && c != '-';
        if next.span.start == span.end && next.text.starts_with(goes_on) {
            let what = "numbers with letters in them, such as the words `0ud8_5`";
            return Err(self.unsupported(span.to(next.span), what));
        }
        match text.parse::<i64>() {
            Ok(value) if value <= MAX_NUMBER => Ok(value),
            _ => Err(Diagnostic::error(span, "this number is too large")),
        }
    }

    /// Parses a number with an optional sign.
    pub(super) fn signed_number(&mut self) -> Result<i64, Diagnostic> {
        if self.tokens.eat("-") {
            return Ok(-self.number()?);
        }
        self.tokens.eat("+");
        self.number()
    }

    /// Whether a range like `1..3` begins here; NuSMV accepts only numbers in such expressions.
    fn at_range(&self) -> bool {
        let signed = matches!(self.tokens.kind(0), TokenKind::Sign("+" | "-"));
        let number = usize::from(signed);
        self.tokens.kind(number) == TokenKind::Number
            && self.tokens.kind(number + 1) == TokenKind::Sign("..")
    }

    fn range(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.tokens.peek().span;
        let low = self.signed_number()?;
        self.expect_sign("..")?;
        let high = self.signed_number()?;
        let span = self.tokens.since(start);
        if low > high {
            return Err(Diagnostic::error(span, "this range is empty"));
        }
        self.add(ExprKind::Range(low, high), span)
    }

    fn set(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.tokens.bump().span;
        let elements = self.list("}")?;
        if let Some(more) = elements.get(MAX_ELEMENTS) {
            let span = self.exprs[*more].span;
            return Err(too_many(span, "this set", MAX_ELEMENTS, "elements"));
        }
        self.add(ExprKind::Set(elements), self.tokens.since(start))
    }

    fn case(&mut self) -> Result<ExprId, Diagnostic> {
        let start = self.tokens.bump().span;
        let mut branches = Vec::new();
        while !self.tokens.is_word("esac") || branches.is_empty() {
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
            if branches.len() > MAX_BRANCHES {
                let error = too_many(span, "this `case`", MAX_BRANCHES, "branches");
                return Err(error.with_help("give parts of it names in a DEFINE section"));
            }
        }
        let span = start.to(self.tokens.bump().span);
        self.add(ExprKind::Case(branches), span)
    }
}
