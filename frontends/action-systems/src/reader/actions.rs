//! Actions: labels, guards and commands.
//!
//! \[2\] does not define the precedence of its Prolog operators. So commands of different kinds need parentheses: an ambiguous text is
//! refused.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_guarded::expression;
use hyperkill_guarded::lexer::Kind;
use hyperkill_guarded::tree::{Action, ExprId, StmtId, StmtKind};

use super::Reader;
use crate::spelling::LANGUAGE;

impl Reader<'_> {
    /// Parses an action `'after'(X)::(true) => (…)`: label, parameters, guard and command.
    pub(super) fn action(&mut self) -> Result<Action, Diagnostic> {
        let name = self.name("the label of an action")?;
        let mut parameters = Vec::new();
        if self.tokens.eat("(") {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.tokens.eat(",") {
                    break;
                }
            }
            self.tokens.expect(")")?;
        }
        self.tokens.expect("::")?;
        let guard = self.condition()?;
        self.tokens.expect("=>")?;
        let body = self.command()?;
        self.must_not_go_on(&["=>", ";", "[]"], body)?;
        Ok(Action {
            name,
            parameters,
            guard: Some(guard),
            body,
        })
    }

    fn condition(&mut self) -> Result<ExprId, Diagnostic> {
        expression::read(&mut self.tokens, &mut self.exprs, &LANGUAGE.operators)
    }

    /// Parses commands in parentheses: `a; b`, `a [] b`, or only one.
    fn commands(&mut self) -> Result<StmtId, Diagnostic> {
        let start = self.tokens.peek().span;
        let first = self.command()?;
        for (sign, other) in [(";", "[]"), ("[]", ";")] {
            if !self.tokens.is(sign) {
                continue;
            }
            self.must_be_closed(first)?;
            let mut parts = vec![first];
            while self.tokens.eat(sign) {
                let part = self.command()?;
                self.must_be_closed(part)?;
                parts.push(part);
            }
            let kind = match sign {
                ";" => StmtKind::Sequence(parts),
                _ => StmtKind::Choice(parts),
            };
            let all = self.stmts.add(kind, self.tokens.since(start));
            self.must_not_go_on(&[other], all)?;
            return Ok(all);
        }
        Ok(first)
    }

    /// Checks that a guarded command beside others is in parentheses: its extent would be ambiguous.
    fn must_be_closed(&self, id: StmtId) -> Result<(), Diagnostic> {
        let stmt = &self.stmts[id];
        let is_open = stmt.outer == stmt.span && matches!(stmt.kind, StmtKind::Guard { .. });
        match is_open {
            true => Err(ambiguous(stmt.span)),
            false => Ok(()),
        }
    }

    fn must_not_go_on(&self, signs: &[&str], id: StmtId) -> Result<(), Diagnostic> {
        match signs.iter().any(|sign| self.tokens.is(sign)) {
            true => Err(ambiguous(self.stmts[id].span)),
            false => Ok(()),
        }
    }

    /// Parses a single command: an assignment, a guarded command, or commands in parentheses.
    fn command(&mut self) -> Result<StmtId, Diagnostic> {
        let token = self.tokens.peek();
        self.tokens.nesting.enter(token.span)?;
        let command = self.opened();
        self.tokens.nesting.leave();
        command
    }

    fn opened(&mut self) -> Result<StmtId, Diagnostic> {
        let token = self.tokens.peek();
        if token.kind == Kind::Sign("(") && !self.is_condition() {
            self.tokens.bump();
            let inside = self.commands()?;
            self.tokens.expect(")")?;
            let outer = self.tokens.since(token.span);
            self.stmts.enclose(inside, outer);
            return Ok(inside);
        }
        let assigns = self.tokens.kind(1) == Kind::Sign(":=");
        if self.tokens.is_word(LANGUAGE.operators.skip) && !assigns {
            self.tokens.bump();
            return Ok(self.stmts.add(StmtKind::Skip, token.span));
        }
        if assigns {
            let target = self.name("the name of a variable")?;
            self.tokens.bump();
            let value = self.condition()?;
            let kind = StmtKind::Assign { target, value };
            return Ok(self.stmts.add(kind, self.tokens.since(token.span)));
        }
        let condition = self.condition()?;
        if !self.tokens.is("=>") {
            return Err(self.tokens.unexpected("`=>` or `:=`"));
        }
        self.tokens.bump();
        let body = self.command()?;
        let kind = StmtKind::Guard { condition, body };
        Ok(self.stmts.add(kind, self.tokens.since(token.span)))
    }

    /// Whether the parenthesis at the cursor opens a guard, by the text after it.
    fn is_condition(&self) -> bool {
        let behind = self.tokens.behind_parentheses();
        behind.is_some_and(|token| match token.kind {
            Kind::Sign("=>") => true,
            Kind::Sign(sign) => LANGUAGE.operators.infix(sign).is_some(),
            _ => false,
        })
    }
}

fn ambiguous(span: Span) -> Diagnostic {
    let message = "a sequence of commands of different kinds is ambiguous";
    Diagnostic::error(span, message).with_help(
        "put parentheses around this command, or around the commands that belong together",
    )
}
