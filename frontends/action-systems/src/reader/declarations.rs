//! Parses types, variables, the state and its initial values, and inputs.

use hyperkill_frontend::{Diagnostic, did_you_mean};
use hyperkill_guarded::expression::integer;
use hyperkill_guarded::tree::{Domain, Name};

use super::Reader;

impl Reader<'_> {
    /// Parses `type(t, X) :- X in 0..7`.
    pub(super) fn declared_type(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        self.tokens.expect_word("type")?;
        self.tokens.expect("(")?;
        let name = self.name("the name of a type")?;
        self.tokens.expect(",")?;
        let value = self.name("a name for its values")?;
        self.tokens.expect(")")?;
        let example = format!(
            "a type is a range of integers: `type({}, X) :- X in 0..7.`",
            name.text
        );
        if self.tokens.is(".") {
            let error = Diagnostic::error(self.tokens.since(start), "this type has no range");
            return Err(error.with_help(example));
        }
        self.tokens.expect(":-")?;
        let again = self.name("the name of its values")?;
        if again.text != value.text {
            let message = format!("`{}` stands where `{}` is expected", again.text, value.text);
            return Err(Diagnostic::error(again.span, message).with_help(example));
        }
        if !self.tokens.is_word("in") {
            return Err(self.tokens.unexpected("`in`").with_help(example));
        }
        self.tokens.bump();
        let place = self.tokens.peek().span;
        let low = self.bound(&example)?;
        if !self.tokens.is("..") {
            return Err(self.tokens.unexpected("`..`").with_help(example));
        }
        self.tokens.bump();
        let high = self.bound(&example)?;
        if low > high {
            let span = self.tokens.since(place);
            let message = format!("{low}..{high} is empty");
            return Err(Diagnostic::error(span, message));
        }
        let domain = Domain::Range { low, high };
        if self
            .declarations
            .types
            .insert(name.text.clone(), domain)
            .is_some()
        {
            let message = format!("a second type is called `{}`", name.text);
            return Err(Diagnostic::error(name.span, message));
        }
        Ok(())
    }

    fn bound(&mut self, example: &str) -> Result<i64, Diagnostic> {
        if self.tokens.is_word("inf") || self.tokens.is_word("sup") {
            let span = self.tokens.peek().span;
            let error = Diagnostic::error(span, "this range has no bound");
            return Err(error.with_help(example));
        }
        Ok(integer(&mut self.tokens)?.0)
    }

    /// Returns the range of values of the type with this name.
    ///
    /// # Errors
    /// If no such type is declared before.
    pub(super) fn named_type(&self, name: &Name) -> Result<Domain, Diagnostic> {
        let types = &self.declarations.types;
        types.get(&name.text).cloned().ok_or_else(|| {
            let message = format!("no type `{}` is declared up to here", name.text);
            let mut error = Diagnostic::error(name.span, message);
            error.help = did_you_mean(&name.text, types.keys().map(String::as_str));
            error
        })
    }

    /// Parses `var([a, b], t)`.
    pub(super) fn declared_variables(&mut self) -> Result<(), Diagnostic> {
        self.tokens.expect_word("var")?;
        self.tokens.expect("(")?;
        let names = self.list(|reader| reader.name("the name of a variable"))?;
        self.tokens.expect(",")?;
        let of = self.name("the name of a type")?;
        let domain = self.named_type(&of)?;
        self.tokens.expect(")")?;
        let variables = names.into_iter().map(|name| (name, domain.clone()));
        self.declarations.variables.extend(variables);
        Ok(())
    }

    /// Parses `state_def([a, b])`.
    pub(super) fn declared_state(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        self.tokens.expect_word("state_def")?;
        self.tokens.expect("(")?;
        let names = self.list(|reader| reader.name("the name of a variable"))?;
        self.tokens.expect(")")?;
        let span = self.tokens.since(start);
        match self.declarations.state.replace((names, span)) {
            None => Ok(()),
            Some(_) => Err(Diagnostic::error(span, "a second `state_def`")),
        }
    }

    /// Parses `init([6, 0])`.
    pub(super) fn declared_values(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        self.tokens.expect_word("init")?;
        self.tokens.expect("(")?;
        let values = self.list(|reader| integer(&mut reader.tokens))?;
        self.tokens.expect(")")?;
        let span = self.tokens.since(start);
        match self.declarations.values.replace((values, span)) {
            None => Ok(()),
            Some(_) => Err(Diagnostic::error(span, "a second `init`")),
        }
    }

    /// Parses `input(['Lock', 'Unlock'])`.
    pub(super) fn declared_inputs(&mut self) -> Result<(), Diagnostic> {
        let start = self.tokens.peek().span;
        self.tokens.expect_word("input")?;
        self.tokens.expect("(")?;
        let names = self.list(|reader| reader.name("the label of an action"))?;
        self.tokens.expect(")")?;
        match self.declarations.inputs.replace(names) {
            None => Ok(()),
            Some(_) => {
                let span = self.tokens.since(start);
                let error = Diagnostic::error(span, "a second `input`");
                Err(error.with_help("one list has all inputs"))
            }
        }
    }
}
