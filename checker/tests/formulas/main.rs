//! Formulas of any body over infinite traces, on random tiny systems, against enumerations that share no code with monitors and engines.

/// Formulas without alternation, against a complete enumeration.
mod alternation_free;
/// One alternation, with what shows the answers judged on many lassos.
mod one_alternation;
/// Random systems and formulas.
mod random;
/// Whether a formula holds of some infinite traces, by guessing the truth of all its parts at every step.
mod tableau;
