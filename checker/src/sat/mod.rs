//! The solver of property-directed reachability, for its many small questions: it decides only the cone of a question.
//!
//! The other makes are packages of their own (`core/sat-cadical`, `core/sat-batsat`).

mod focused;
mod order;

pub use focused::Focused;
