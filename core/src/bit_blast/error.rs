//! Errors of translating a system to a circuit.

use crate::term::TermError;

/// The reason why a system has no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BitBlastError {
    /// Initial values depend on themselves.
    #[error("initial values depend on each other in a circle: {}", .variables.join(" → "))]
    CircularInit {
        /// The state variables of the circle, each reading the next one, the last reading the first.
        variables: Vec<String>,
    },
    /// A term has a sort that does not fit the variable's.
    #[error("`{name}` has sort `{expected}` but is given a value of sort `{found}`")]
    SortMismatch {
        /// The variable, output, constraint or obligation.
        name: String,
        /// The sort that it should have.
        expected: String,
        /// The sort that the term has.
        found: String,
    },
    /// A variable has an ill-formed sort ([`Sort::is_well_formed`](crate::sort::Sort::is_well_formed)).
    #[error("`{name}` has the unusable sort `{sort}`")]
    UnusableSort {
        /// The variable.
        name: String,
        /// The ill-formed sort.
        sort: String,
    },
    /// A test input has a name that would make it a choice in an AIGER file.
    #[error("test input `{name}` has a name reserved for choices")]
    ReservedName {
        /// The input.
        name: String,
    },
    /// A term reads a variable that the system does not have, or has operands of wrong sorts, which is a bug of the front end.
    #[error("malformed term `{term}` of sort `{sort}`")]
    MalformedTerm {
        /// The term's top symbol.
        term: String,
        /// The sort that the term has.
        sort: String,
    },
    /// A term about the previous step cannot be built, which is a bug in hyperkill.
    #[error("{0}")]
    Term(#[from] TermError),
}
