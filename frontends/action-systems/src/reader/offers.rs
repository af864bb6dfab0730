//! Parses the loop: the offered actions, with their parameters.

use hyperkill_frontend::Diagnostic;
use hyperkill_guarded::lexer::Kind;
use hyperkill_guarded::tree::{Block, Domain, Name, Offer};

use super::Reader;

/// A parameter that an offer binds: its name, its values, and whether it is used.
struct Bound {
    name: Name,
    domain: Domain,
    used: bool,
}

impl Reader<'_> {
    /// Parses `a [] b // c`: if neither `a` nor `b` is enabled, `c`.
    pub(super) fn block(&mut self) -> Result<Block, Diagnostic> {
        let mut parts = vec![self.choice()?];
        while self.tokens.eat("//") {
            parts.push(self.choice()?);
        }
        if self.tokens.is(";") {
            let span = self.tokens.peek().span;
            let error = Diagnostic::error(span, "the loop cannot have a sequence");
            return Err(error.with_help(
                "its step would show two events: let an action of its own do both, or let the second be enabled by the first",
            ));
        }
        Ok(match parts.len() {
            1 => parts.swap_remove(0),
            _ => Block::Prioritised(parts),
        })
    }

    fn choice(&mut self) -> Result<Block, Diagnostic> {
        let mut parts = vec![self.part()?];
        while self.tokens.eat("[]") {
            parts.push(self.part()?);
        }
        Ok(match parts.len() {
            1 => parts.swap_remove(0),
            _ => Block::Choice(parts),
        })
    }

    fn part(&mut self) -> Result<Block, Diagnostic> {
        let token = self.tokens.peek();
        if token.kind != Kind::Sign("(") {
            return self.offer();
        }
        self.tokens.nesting.enter(token.span)?;
        self.tokens.bump();
        let inside = self.block();
        self.tokens.nesting.leave();
        let inside = inside?;
        self.tokens.expect(")")?;
        Ok(inside)
    }

    /// Parses `'Lock'`, `[X:int]:'after'(X)` or `[X:int] 'after'(X)`.
    fn offer(&mut self) -> Result<Block, Diagnostic> {
        let start = self.tokens.peek().span;
        let mut bound = Vec::new();
        if self.tokens.is("[") {
            bound = self.list(|reader| {
                let name = reader.name("the name of a parameter")?;
                reader.tokens.expect(":")?;
                let of = reader.name("the name of a type")?;
                let domain = reader.named_type(&of)?;
                Ok(Bound {
                    name,
                    domain,
                    used: false,
                })
            })?;
            self.tokens.eat(":");
        }
        let action = self.name("the label of an action")?;
        let mut parameters = Vec::new();
        if self.tokens.eat("(") {
            loop {
                parameters.push(self.argument(&mut bound, &action)?);
                if !self.tokens.eat(",") {
                    break;
                }
            }
            self.tokens.expect(")")?;
        }
        if let Some(unused) = bound.iter().find(|bound| !bound.used) {
            let message = format!(
                "`{}` is no parameter of `{}`",
                unused.name.text, action.text
            );
            return Err(Diagnostic::error(unused.name.span, message));
        }
        Ok(Block::Offer(Offer {
            action,
            parameters,
            span: self.tokens.since(start),
        }))
    }

    /// Parses a parameter of an offered action, marks it as used, and returns its range of values.
    ///
    /// # Errors
    /// If no name in `bound` is that of the parameter, or it was used before.
    fn argument(&mut self, bound: &mut [Bound], action: &Name) -> Result<Domain, Diagnostic> {
        let help = format!("write `[X:t]:'{}'(X)` with a type t", action.text);
        let token = self.tokens.peek();
        if token.kind != Kind::Name {
            let error = self.tokens.unexpected("a parameter that is bound");
            return Err(error.with_help(help));
        }
        let name = self.name("a parameter")?;
        let Some(found) = bound.iter_mut().find(|bound| bound.name.text == name.text) else {
            let message = format!("the parameter `{}` is not bound", name.text);
            return Err(Diagnostic::error(name.span, message).with_help(help));
        };
        if std::mem::replace(&mut found.used, true) {
            let message = format!("`{}` stands for two parameters", name.text);
            return Err(Diagnostic::error(name.span, message));
        }
        Ok(found.domain.clone())
    }
}
