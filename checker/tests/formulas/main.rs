//! Formulas of any body over infinite traces, on random tiny systems, against enumerations that share no code with monitors and engines.

/// Formulas without alternation, against a complete enumeration.
mod alternation_free;
/// One alternation, exactly: the tableau of the inner traces made deterministic beside the outer ones.
mod determinised;
/// One alternation, against that.
mod exactly;
/// Finite traces, against that enumeration up to every end, and with one alternation against sets of its nodes.
mod finite;
/// How many random formulas are decided within a time limit, by class.
mod measured;
/// One alternation, with what shows the answers judged on many lassos.
mod one_alternation;
/// Faults planted in what decides formulas, which the oracles must notice.
mod planted;
/// Random systems and formulas.
mod random;
/// Evidence, checked again and damaged.
mod rechecked;
/// One alternation over finite traces, exactly: sets of nodes of the tableau of the inner traces beside the outer ones.
mod subsets;
/// Whether a formula holds of some infinite traces, by guessing the truth of all its parts at every step.
mod tableau;
