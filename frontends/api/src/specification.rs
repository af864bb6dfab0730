//! Specifications in models.

use crate::source::Span;

/// A specification in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// The keyword of the specification's kind.
    pub kind: String,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The place of the complete specification.
    pub span: Span,
}
