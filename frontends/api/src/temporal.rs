//! Specifications in linear temporal logic, as formulas over definitions of an auxiliary model.

use crate::{SourceFile, Specification};

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Temporal {
    /// The definition with this name is true. The name is relative to the module with the specification.
    Defined(String),
    /// A truth value.
    Constant(bool),
    /// An operator in the notation of HyperLTL, with one or two operands.
    Operator(&'static str, Vec<Temporal>),
}

impl Temporal {
    /// Returns a unary operator with its operand.
    #[must_use]
    pub fn prefix(word: &'static str, operand: Temporal) -> Temporal {
        Temporal::Operator(word, vec![operand])
    }

    /// Returns a binary operator with its operands.
    #[must_use]
    pub fn infix(word: &'static str, left: Temporal, right: Temporal) -> Temporal {
        Temporal::Operator(word, vec![left, right])
    }

    /// Returns the formula as text; `name` maps the names.
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

    /// Returns the name of the first definition in the formula; `None` if it has none.
    #[must_use]
    pub fn first_name(&self) -> Option<&str> {
        match self {
            Temporal::Defined(name) => Some(name),
            Temporal::Constant(_) => None,
            Temporal::Operator(_, operands) => operands.iter().find_map(Temporal::first_name),
        }
    }
}

/// A specification of all infinite, fair runs.
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
    /// The prefix of the names of the added definitions. No other name of the model has it.
    pub mark: String,
    /// Definitions that are true infinitely often in fair runs, in every instance.
    pub justice: Vec<String>,
    /// Pairs of definitions: if the first is true infinitely often in a fair run, so is the second.
    pub compassion: Vec<[String; 2]>,
    /// The specifications.
    pub specifications: Vec<LinearSpecification>,
}
