//! Parses the loop, if it is not the choice of all events: the offered events, with their parameters.

use hyperkill_frontend::Diagnostic;
use hyperkill_guarded::tree::{Block, Offer};

use super::Reader;

impl Reader<'_> {
    /// Parses `offer a or b(0..3) else c;`.
    pub(super) fn declared_offers(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.bump().span;
        let block = self.offered()?;
        self.tokens.expect(";")?;
        match self.offers.replace(block) {
            None => Ok(()),
            Some(_) => {
                let span = self.tokens.since(start);
                Err(Diagnostic::error(span, "a second `offer`"))
            }
        }
    }

    fn offered(&mut self) -> Result<Block, Diagnostic> {
        let mut parts = vec![self.together()?];
        while self.tokens.eat_word("else") {
            parts.push(self.together()?);
        }
        Ok(match parts.len() {
            1 => parts.swap_remove(0),
            _ => Block::Prioritised(parts),
        })
    }

    fn together(&mut self) -> Result<Block, Diagnostic> {
        let mut parts = vec![self.offer()?];
        while self.tokens.eat_word("or") {
            parts.push(self.offer()?);
        }
        Ok(match parts.len() {
            1 => parts.swap_remove(0),
            _ => Block::Choice(parts),
        })
    }

    fn offer(&mut self) -> Result<Block, Diagnostic> {
        let start = self.tokens.peek().span;
        if self.tokens.is("(") {
            self.tokens.nesting.enter(start)?;
            self.tokens.bump();
            let inside = self.offered()?;
            self.tokens.nesting.leave();
            self.tokens.expect(")")?;
            return Ok(inside);
        }
        let action = self.name("the name of an event")?;
        let mut parameters = Vec::new();
        if self.tokens.eat("(") {
            parameters = self.list(Self::domain)?;
            self.tokens.expect(")")?;
        }
        Ok(Block::Offer(Offer {
            action,
            parameters,
            span: self.tokens.since(start),
        }))
    }
}
