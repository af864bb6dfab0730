//! Parses expressions with the operators of a language.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::number;

use crate::lexer::{Kind, Tokens, name_of};
use crate::operators::{Infix, Level, Operators};
use crate::tree::{ExprId, ExprKind, Exprs, Name, UnaryOp};

/// Parses an expression.
///
/// # Errors
/// If there is none, or it is nested too deeply.
pub fn read(
    tokens: &mut Tokens<'_>,
    exprs: &mut Exprs,
    operators: &Operators,
) -> Result<ExprId, Diagnostic> {
    let mut reader = Reader {
        tokens,
        exprs,
        operators,
    };
    reader.above(0)
}

/// Parses an integer with an optional sign. Returns it with its place.
///
/// # Errors
/// If the next tokens are no integer, or one out of range.
pub fn integer(tokens: &mut Tokens<'_>) -> Result<(i64, Span), Diagnostic> {
    let start = tokens.peek().span;
    let negative = tokens.eat("-");
    let token = tokens.peek();
    if token.kind != Kind::Number {
        return Err(tokens.unexpected("an integer"));
    }
    tokens.bump();
    let value = number(token.text, token.span)?;
    let value = if negative { -value } else { value };
    Ok((value, start.to(token.span)))
}

/// Parses a name, possibly in quotation marks.
///
/// # Errors
/// If the next token is not `wanted`.
pub fn name(tokens: &mut Tokens<'_>, wanted: &str) -> Result<Name, Diagnostic> {
    let token = tokens.peek();
    if !matches!(token.kind, Kind::Name | Kind::Quoted) {
        return Err(tokens.unexpected(wanted));
    }
    tokens.bump();
    Ok(Name {
        text: name_of(token).to_owned(),
        span: token.span,
    })
}

struct Reader<'r, 'a> {
    tokens: &'r mut Tokens<'a>,
    exprs: &'r mut Exprs,
    operators: &'r Operators,
}

impl Reader<'_, '_> {
    fn infix(&self) -> Option<&'static Infix> {
        match self.tokens.kind(0) {
            Kind::Sign(sign) => self.operators.infix(sign),
            _ => None,
        }
    }

    /// Parses an expression of operators with at least this precedence.
    fn above(&mut self, least: Level) -> Result<ExprId, Diagnostic> {
        let start = self.tokens.peek().span;
        let mut left = self.operand(least)?;
        let mut compared = None;
        while let Some(infix) = self.infix().filter(|infix| infix.level >= least) {
            let sign = self.tokens.bump().span;
            if infix.op.is_relational() && compared.replace(infix.level) == Some(infix.level) {
                let error = Diagnostic::error(sign, "two comparisons in a row");
                return Err(error.with_help("put parentheses around one of them"));
            }
            let right = self.above(infix.level + 1)?;
            let kind = ExprKind::Binary(infix.op, left, right);
            let span = self.tokens.since(start);
            left = self.exprs.add(kind, span, sign);
        }
        Ok(left)
    }

    fn operand(&mut self, least: Level) -> Result<ExprId, Diagnostic> {
        let token = self.tokens.peek();
        self.tokens.nesting.enter(token.span)?;
        let read = self.opened(least);
        self.tokens.nesting.leave();
        read
    }

    fn opened(&mut self, least: Level) -> Result<ExprId, Diagnostic> {
        let token = self.tokens.peek();
        let (tokens, exprs) = (&mut *self.tokens, &mut *self.exprs);
        match token.kind {
            Kind::Number => {
                tokens.bump();
                let value = number(token.text, token.span)?;
                Ok(exprs.add(ExprKind::Number(value), token.span, token.span))
            }
            Kind::Name | Kind::Quoted => {
                tokens.bump();
                let text = name_of(token);
                let kind = match token.kind {
                    Kind::Name if text == self.operators.yes => ExprKind::Truth(true),
                    Kind::Name if text == self.operators.no => ExprKind::Truth(false),
                    _ => ExprKind::Name(text.to_owned()),
                };
                Ok(exprs.add(kind, token.span, token.span))
            }
            Kind::Sign("(") => {
                tokens.bump();
                let inside = self.above(0)?;
                self.tokens.expect(")")?;
                let outer = self.tokens.since(token.span);
                self.exprs.enclose(inside, outer);
                Ok(inside)
            }
            Kind::Sign(sign) => match self.operators.prefix(sign) {
                Some(prefix) if prefix.level >= least => {
                    tokens.bump();
                    let next = tokens.peek();
                    if prefix.op == UnaryOp::Minus && next.kind == Kind::Number {
                        tokens.bump();
                        let value = number(next.text, next.span)?;
                        let span = token.span.to(next.span);
                        return Ok(exprs.add(ExprKind::Number(-value), span, span));
                    }
                    let operand = self.above(prefix.level)?;
                    let kind = ExprKind::Unary(prefix.op, operand);
                    let span = self.tokens.since(token.span);
                    Ok(self.exprs.add(kind, span, token.span))
                }
                Some(_) => {
                    let error = self.tokens.unexpected("an operand");
                    Err(error.with_help("put parentheses around its operand"))
                }
                None => Err(self.tokens.unexpected("an expression")),
            },
            Kind::End => Err(self.tokens.unexpected("an expression")),
        }
    }
}
