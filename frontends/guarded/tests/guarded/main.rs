//! The layer under a table of operators that is not that of action systems: truth values, symbols, and signs of other levels.

mod language;
mod meaning;
mod texts;
