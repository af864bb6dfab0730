//! Tests the package with a table of operators other than the table of action systems: truth values, symbols, and other precedences.

mod language;
mod meaning;
mod texts;
