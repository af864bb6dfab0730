//! Parses variables, events, outputs, locations, and the treatment of disabled events.

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_guarded::expression::integer;
use hyperkill_guarded::lexer::Kind;
use hyperkill_guarded::tree::{Domain, Name, Output, Refusal, Variable};

use super::{Event, Reader};

impl Reader<'_> {
    /// Parses `var n: 0..9 = 0;`.
    pub(super) fn declared_variable(&mut self) -> Result<(), Diagnostic> {
        self.tokens.bump();
        let name = self.name("the name of a variable")?;
        self.tokens.expect(":")?;
        let domain = self.domain()?;
        self.tokens.expect("=")?;
        let initial = self.value(&domain)?;
        self.tokens.expect(";")?;
        self.variables.push(Variable {
            name,
            domain,
            initial,
        });
        Ok(())
    }

    /// Parses `bool`, `0..9` or `{idle, busy}`.
    pub(super) fn domain(&mut self) -> Result<Domain, Diagnostic> {
        if self.tokens.eat_word("bool") {
            return Ok(Domain::Bool);
        }
        if self.tokens.eat("{") {
            let names = self.list(|reader| reader.name("a symbol"))?;
            self.tokens.expect("}")?;
            different("symbol", &names)?;
            let names: Vec<String> = names.into_iter().map(|name| name.text).collect();
            return Ok(Domain::Symbols(names.into()));
        }
        let token = self.tokens.peek();
        if token.kind != Kind::Number && token.kind != Kind::Sign("-") {
            let error = self.tokens.unexpected("a type");
            return Err(error.with_help("a type is `bool`, a range `0..9`, or symbols `{a, b}`"));
        }
        let (low, place) = integer(&mut self.tokens)?;
        self.tokens.expect("..")?;
        let (high, end) = integer(&mut self.tokens)?;
        if low > high {
            let message = format!("{low}..{high} is empty");
            return Err(Diagnostic::error(place.to(end), message));
        }
        Ok(Domain::Range { low, high })
    }

    /// Parses a value of a type. Returns it with its place.
    fn value(&mut self, domain: &Domain) -> Result<(Value, Span), Diagnostic> {
        match domain {
            Domain::Range { .. } => {
                let (value, span) = integer(&mut self.tokens)?;
                Ok((Value::Int(value), span))
            }
            Domain::Bool => {
                let token = self.tokens.peek();
                for value in [true, false] {
                    if self.tokens.eat_word(if value { "true" } else { "false" }) {
                        return Ok((Value::bool(value), token.span));
                    }
                }
                Err(self.tokens.unexpected("`true` or `false`"))
            }
            Domain::Symbols(_) => {
                let name = self.name("a symbol")?;
                Ok((Value::Symbol(name.text), name.span))
            }
        }
    }

    /// Parses `event coin(v: 1..2);`.
    pub(super) fn declared_event(&mut self) -> Result<(), Diagnostic> {
        self.tokens.bump();
        let name = self.name("the name of an event")?;
        let parameters = self.parameters()?;
        self.tokens.expect(";")?;
        self.events.push(Event { name, parameters });
        Ok(())
    }

    /// Parses `output paid(n: 0..9);`.
    pub(super) fn declared_output(&mut self) -> Result<(), Diagnostic> {
        self.tokens.bump();
        let name = self.name("the name of an output")?;
        let parameters = self.parameters()?;
        self.tokens.expect(";")?;
        self.outputs.push(Output { name, parameters });
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<(Name, Domain)>, Diagnostic> {
        if !self.tokens.eat("(") {
            return Ok(Vec::new());
        }
        let parameters = self.list(|reader| {
            let name = reader.name("the name of a parameter")?;
            reader.tokens.expect(":")?;
            Ok((name, reader.domain()?))
        })?;
        self.tokens.expect(")")?;
        Ok(parameters)
    }

    /// Parses `location Idle, Busy;`. The first location is the initial one.
    pub(super) fn declared_locations(&mut self) -> Result<(), Diagnostic> {
        self.tokens.bump();
        let names = self.list(|reader| reader.name("the name of a location"))?;
        self.tokens.expect(";")?;
        self.locations.extend(names);
        Ok(())
    }

    /// Parses `refuse;`, `ignore;` or `may refuse;`.
    pub(super) fn declared_refusal(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        let refusal = match (self.tokens.eat_word("may"), self.tokens.eat_word("refuse")) {
            (true, true) => Refusal::AtWill,
            (false, true) => Refusal::Seen,
            (true, false) => return Err(self.tokens.unexpected("`refuse`")),
            (false, false) => {
                self.tokens.bump();
                Refusal::Ignored
            }
        };
        self.tokens.expect(";")?;
        let span = self.tokens.since(start);
        match self.refusal.replace((refusal, span)) {
            None => Ok(()),
            Some((_, first)) => {
                let message = "the behaviour for other events is declared twice";
                Err(Diagnostic::error(span, message).with_label(first, "it is said here"))
            }
        }
    }

    /// Parses `wait;`.
    pub(super) fn declared_wait(&mut self) -> Result<(), Diagnostic> {
        let token = self.tokens.bump();
        self.tokens.expect(";")?;
        self.waits = Some(token.span);
        Ok(())
    }
}

/// Checks that names are pairwise different.
///
/// # Errors
/// If two names are equal.
pub(super) fn different(what: &str, names: &[Name]) -> Result<(), Diagnostic> {
    let mut seen = std::collections::BTreeMap::new();
    for name in names {
        if let Some(first) = seen.insert(name.text.as_str(), name.span) {
            let message = format!("a second {what} is called `{}`", name.text);
            let error = Diagnostic::error(name.span, message);
            return Err(error.with_label(first, "the first one is here"));
        }
    }
    Ok(())
}
