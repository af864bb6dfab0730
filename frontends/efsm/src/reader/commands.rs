//! The commands of transitions.

use hyperkill_frontend::Diagnostic;
use hyperkill_guarded::lexer::Kind;
use hyperkill_guarded::tree::{StmtId, StmtKind};

use super::Reader;

impl Reader<'_> {
    /// Parses commands in braces. Returns them in their order.
    pub(super) fn block(&mut self) -> Result<Vec<StmtId>, Diagnostic> {
        let open = self.tokens.expect("{")?;
        self.tokens.nesting.enter(open.span)?;
        let mut parts = Vec::new();
        while !self.tokens.is("}") {
            if self.tokens.kind(0) == Kind::End {
                let error = self.tokens.unexpected("`}`");
                return Err(error.with_label(open.span, "the block begins here"));
            }
            parts.push(self.command()?);
        }
        self.tokens.bump();
        self.tokens.nesting.leave();
        Ok(parts)
    }

    /// Parses the commands between braces as one command.
    fn enclosed(&mut self) -> Result<StmtId, Diagnostic> {
        let start = self.tokens.peek().span;
        let mut parts = self.block()?;
        let outer = self.tokens.since(start);
        let all = match parts.len() {
            0 => self.stmts.add(StmtKind::Skip, outer),
            1 => parts.swap_remove(0),
            _ => self.stmts.add(StmtKind::Sequence(parts), outer),
        };
        self.stmts.enclose(all, outer);
        Ok(all)
    }

    fn command(&mut self) -> Result<StmtId, Diagnostic> {
        let token = self.tokens.peek();
        if token.kind == Kind::Sign("{") {
            return self.enclosed();
        }
        let word = match token.kind {
            Kind::Name => token.text,
            _ => "",
        };
        match word {
            "when" => {
                self.tokens.bump();
                let condition = self.expression()?;
                let body = self.enclosed()?;
                let kind = StmtKind::Guard { condition, body };
                Ok(self.stmts.add(kind, self.tokens.since(token.span)))
            }
            "choose" => self.choice(),
            "emit" => {
                self.tokens.bump();
                let output = self.name("the name of an output")?;
                let mut values = Vec::new();
                if self.tokens.eat("(") {
                    values = self.list(Self::expression)?;
                    self.tokens.expect(")")?;
                }
                let span = self.tokens.since(token.span);
                self.tokens.expect(";")?;
                self.emitted.push(span);
                Ok(self.stmts.add(StmtKind::Emit { output, values }, span))
            }
            "skip" if self.tokens.kind(1) != Kind::Sign(":=") => {
                self.tokens.bump();
                self.tokens.expect(";")?;
                Ok(self.stmts.add(StmtKind::Skip, token.span))
            }
            _ => {
                let wanted = "`:=`, `emit`, `skip`, `when`, `choose` or `}`";
                if !matches!(token.kind, Kind::Name | Kind::Quoted) {
                    return Err(self.tokens.unexpected(wanted));
                }
                let target = self.name("the name of a variable")?;
                self.tokens.expect(":=")?;
                let value = self.expression()?;
                let span = self.tokens.since(token.span);
                self.tokens.expect(";")?;
                let kind = StmtKind::Assign { target, value };
                Ok(self.stmts.add(kind, span))
            }
        }
    }

    /// Parses `choose {…} or {…}`, or `choose {…} else {…}`.
    fn choice(&mut self) -> Result<StmtId, Diagnostic> {
        let start = self.tokens.bump().span;
        let mut parts = vec![self.enclosed()?];
        let word = if self.tokens.is_word("else") {
            "else"
        } else {
            "or"
        };
        while self.tokens.eat_word(word) {
            parts.push(self.enclosed()?);
        }
        for other in ["or", "else"] {
            if self.tokens.is_word(other) {
                let error = self.tokens.unexpected("the end of the choice");
                return Err(error.with_help("put braces around the choice that belongs together"));
            }
        }
        let kind = match word {
            "else" => StmtKind::Prioritised(parts),
            _ => StmtKind::Choice(parts),
        };
        Ok(self.stmts.add(kind, self.tokens.since(start)))
    }
}
