//! Properties in linear temporal logic that a model states, as formulas over names that a model written for the purpose defines.

use crate::{SourceFile, Specification};

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Temporal {
    /// The definition with this name is true. The name is one in the module that states the property.
    Defined(String),
    /// A truth value.
    Constant(bool),
    /// An operator of HyperLTL, as that spells it, with its operands: one or two.
    Operator(&'static str, Vec<Temporal>),
}

impl Temporal {
    /// An operator before its operand.
    #[must_use]
    pub fn prefix(word: &'static str, operand: Temporal) -> Temporal {
        Temporal::Operator(word, vec![operand])
    }

    /// An operator between its operands.
    #[must_use]
    pub fn infix(word: &'static str, left: Temporal, right: Temporal) -> Temporal {
        Temporal::Operator(word, vec![left, right])
    }

    /// The formula in the language of formulas, with what `name` says for names.
    pub fn to_text(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Temporal::Defined(defined) => name(defined),
            Temporal::Constant(value) => value.to_string(),
            Temporal::Operator(word, operands) => {
                let mut operands = operands.iter().map(|operand| operand.to_text(name));
                let first = operands.next().unwrap_or_default();
                match operands.next() {
                    Some(second) => format!("({first} {word} {second})"),
                    None => format!("{word} ({first})"),
                }
            }
        }
    }

    /// The first name that it mentions.
    #[must_use]
    pub fn first_name(&self) -> Option<&str> {
        match self {
            Temporal::Defined(name) => Some(name),
            Temporal::Constant(_) => None,
            Temporal::Operator(_, operands) => operands.iter().find_map(Temporal::first_name),
        }
    }
}

/// A property of all infinite, fair runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearSpecification {
    /// The place of the specification.
    pub specification: Specification,
    /// The formula, which holds at the first step of each instance of the module with this specification.
    pub formula: Temporal,
}

/// The specifications of a model about infinite runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The model with added definitions for their atoms.
    pub source: SourceFile,
    /// The prefix of the names of these definitions, and of no other names.
    pub mark: String,
    /// Definitions that are true again and again in fair runs, in every instance.
    pub justice: Vec<String>,
    /// Pairs of definitions: where the first is true again and again in fair runs, so is the second.
    pub compassion: Vec<[String; 2]>,
    /// The properties.
    pub specifications: Vec<LinearSpecification>,
}
