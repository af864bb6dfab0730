//! The package under a table of operators that is not that of action systems: truth values, symbols, and other precedences.

mod language;
mod meaning;
mod texts;
