//! Single engines compared with explicit states and with the oracle.

mod acceptance;
mod correspondence;
mod diagram_checks;
mod diagrams;
mod equal_latches;
mod exists_forall;
mod explicit;
mod external;
mod families;
mod fault_simulation;
mod formula_questions;
mod formula_searches;
mod formulas;
mod jumps;
mod pairs;
mod pdr;
mod pdr_products;
mod shown_choices;
mod slices;
mod strategies;
mod together;
mod validity;
mod valuations;
