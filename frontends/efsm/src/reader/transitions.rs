//! Parses transitions.

use hyperkill_frontend::Diagnostic;
use hyperkill_guarded::lexer::Kind;
use hyperkill_guarded::tree::{StmtId, StmtKind};

use super::{Reader, Written};

impl Reader<'_> {
    /// Parses `from A, B on coin(v) if v > 0 { n := n + v; } to C`. Without `from` it leaves all locations; `else` may stand for the guard,
    /// and `;` for block and target.
    pub(super) fn transition(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        let mut from = Vec::new();
        if self.tokens.eat_word("from") {
            from = self.list(|reader| reader.name("the name of a location"))?;
        }
        if !self.tokens.eat_word("on") {
            return Err(self.tokens.unexpected("`on`"));
        }
        let heading = self.tokens.peek().span;
        let event = self.name("the name of an event")?;
        let mut parameters = None;
        if self.tokens.eat("(") {
            parameters = Some(self.list(|reader| reader.name("the name of a parameter"))?);
            self.tokens.expect(")")?;
        }
        let heading = self.tokens.since(heading);
        let (mut guard, mut never, mut is_else) = (None, None, false);
        let word = self.tokens.peek().span;
        if self.tokens.eat_word("if") {
            guard = Some(self.expression()?);
        } else if self.tokens.eat_word("else") {
            is_else = true;
            never = Some((word, "if false".to_owned()));
        } else {
            let text = heading.of(self.tokens.text);
            never = Some((heading, format!("{text} if false")));
        }
        let body = self.effect()?;
        let body = match guard {
            None => body,
            Some(condition) => {
                let kind = StmtKind::Guard { condition, body };
                self.stmts.add(kind, self.tokens.since(word))
            }
        };
        self.transitions.push(Written {
            from,
            event,
            parameters,
            is_else,
            body,
            never,
            span: self.tokens.since(start),
        });
        Ok(())
    }

    /// Reads `{ … } to A`. Each part may be missing; `;` stands for neither part.
    fn effect(&mut self) -> Result<StmtId, Diagnostic> {
        let start = self.tokens.peek().span;
        let mut parts = Vec::new();
        let mut is_closed = self.tokens.is("{");
        if is_closed {
            parts = self.block()?;
        }
        if self.tokens.is_word("to") {
            let word = self.tokens.bump();
            let target = self.name("the name of a location")?;
            let span = self.tokens.since(word.span);
            parts.push(self.stmts.add(StmtKind::Move { target }, span));
            is_closed = true;
        }
        let ended = self.tokens.eat(";");
        if !is_closed && !ended {
            let error = self.tokens.unexpected("`{`, `to` or `;`");
            let is_end = self.tokens.kind(0) == Kind::End;
            return Err(match is_end {
                true => error
                    .with_help("a transition ends with a block, with `to LOCATION`, or with `;`"),
                false => error,
            });
        }
        let span = self.tokens.since(start);
        Ok(match parts.len() {
            0 => self.stmts.add(StmtKind::Skip, span),
            1 => parts.swap_remove(0),
            _ => self.stmts.add(StmtKind::Sequence(parts), span),
        })
    }
}
