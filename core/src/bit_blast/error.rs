//! Why a system has no circuit.

use crate::term::TermError;

/// A system that is no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BitBlastError {
    /// Initial values that depend on themselves.
    #[error("initial values depend on each other in a circle: {}", .variables.join(" → "))]
    CircularInit {
        /// The state variables of the circle, each reading the next one, the last reading the first.
        variables: Vec<String>,
    },
    /// A term whose sort cannot be the variable's.
    #[error("`{name}` has sort `{expected}` but is given a value of sort `{found}`")]
    SortMismatch {
        /// The variable, output, constraint or obligation.
        name: String,
        /// The sort that it should have.
        expected: String,
        /// The sort that the term has.
        found: String,
    },
    /// A variable of a sort that is none ([`Sort::is_well_formed`](crate::sort::Sort::is_well_formed)).
    #[error("`{name}` has the unusable sort `{sort}`")]
    UnusableSort {
        /// The variable that is declared so.
        name: String,
        /// The sort that no variable may have.
        sort: String,
    },
    /// A test input whose name would make it a choice in an AIGER file.
    #[error("test input `{name}` has a name reserved for choices")]
    ReservedName {
        /// The input that is called so.
        name: String,
    },
    /// A term that reads a variable the system does not have, or has operands of wrong sorts. A fault of the front end.
    #[error("malformed term `{term}` of sort `{sort}`")]
    MalformedTerm {
        /// The term's top symbol.
        term: String,
        /// The sort that the term has.
        sort: String,
    },
    /// A term about the step before that cannot be made. A fault of hyperkill.
    #[error("{0}")]
    Term(#[from] TermError),
}
