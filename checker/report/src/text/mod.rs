//! Text for people. Functions map documents and values to strings, and write nothing.

pub mod answers;
pub mod by_operator;
pub mod certified;
pub mod diagnostics;
pub mod executed;
pub mod listed;
pub mod mutants;
mod place;
pub mod plan;
pub mod results;
pub mod scored;
pub mod shown;
pub mod strategy;
mod style;
pub mod summary;
mod table;
pub mod test_files;
pub mod test_table;
pub mod time;
pub mod valuation;
pub mod work;

pub use place::{in_one_line, place};
pub use style::Style;
pub use table::{Align, Table};
