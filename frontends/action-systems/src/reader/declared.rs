//! The declarations of a text and their values.

use std::collections::BTreeMap;

use hyperkill_core::sort::Value;
use hyperkill_frontend::{Diagnostic, Span, did_you_mean};
use hyperkill_guarded::tree::{Domain, Name, Variable};

/// The declarations so far.
#[derive(Clone, Default, Debug)]
pub(super) struct Declarations {
    pub(super) types: BTreeMap<String, Domain>,
    /// The variables, in the order of their declarations.
    pub(super) variables: Vec<(Name, Domain)>,
    pub(super) state: Option<(Vec<Name>, Span)>,
    pub(super) values: Option<(Vec<(i64, Span)>, Span)>,
    pub(super) inputs: Option<Vec<Name>>,
}

/// Variables and inputs of a system.
pub(super) struct Declared {
    /// The variables in the order of `state_def`, with their initial values.
    pub variables: Vec<Variable>,
    /// The input events, if they are listed.
    pub inputs: Option<Vec<Name>>,
}

impl Declarations {
    /// Returns the declarations. `end` is the end of the text.
    ///
    /// # Errors
    /// All missing and redundant declarations.
    pub(super) fn finished(self, end: Span) -> Result<Declared, Vec<Diagnostic>> {
        let Some((state, place)) = self.state else {
            let error = Diagnostic::error(end, "the state is missing");
            return Err(vec![error.with_help("write `state_def([…]).`")]);
        };
        let Some((values, values_place)) = self.values else {
            let error = Diagnostic::error(end, "the initial values are missing");
            return Err(vec![error.with_help("write `init([…]).`")]);
        };
        let mut errors = Vec::new();
        let mut declared: BTreeMap<String, (Name, Domain)> = BTreeMap::new();
        for (name, domain) in self.variables {
            if let Some((first, _)) = declared.get(&name.text) {
                let message = format!("a second variable is called `{}`", name.text);
                let error = Diagnostic::error(name.span, message);
                errors.push(error.with_label(first.span, "the first one is declared here"));
                continue;
            }
            declared.insert(name.text.clone(), (name, domain));
        }
        let count = (state.len(), values.len());
        if let Some((_, too_much)) = values.get(count.0) {
            let message = format!("{} values for {} variables", count.1, count.0);
            errors.push(Diagnostic::error(*too_much, message).with_label(place, "the variables"));
        }
        let mut variables = Vec::new();
        let mut values = values.into_iter();
        for name in state {
            let Some((declaration, domain)) = declared.remove(&name.text) else {
                let known = variables
                    .iter()
                    .any(|v: &Variable| v.name.text == name.text);
                let message = match known {
                    true => format!("`{}` stands twice in the state", name.text),
                    false => format!("no variable `{}` is declared", name.text),
                };
                let mut error = Diagnostic::error(name.span, message);
                if !known {
                    error.help = did_you_mean(&name.text, declared.keys().map(String::as_str));
                }
                errors.push(error);
                values.next();
                continue;
            };
            let Some((value, span)) = values.next() else {
                let message = format!("`{}` has no initial value", name.text);
                let error = Diagnostic::error(values_place, message);
                errors.push(error.with_label(name.span, "this variable"));
                continue;
            };
            variables.push(Variable {
                name: declaration,
                domain,
                initial: (Value::Int(value), span),
            });
        }
        for (name, _) in declared.into_values() {
            let message = format!("`{}` is no part of the state", name.text);
            let error = Diagnostic::error(name.span, message);
            errors.push(
                error
                    .with_label(place, "the state")
                    .with_help("add it to `state_def`"),
            );
        }
        match errors.is_empty() {
            true => Ok(Declared {
                variables,
                inputs: self.inputs,
            }),
            false => {
                errors.sort_by_key(|error| error.span.map(|span| span.start));
                Err(errors)
            }
        }
    }
}
