//! Compares answers to random formulas on tiny random systems with enumerations that share no code with monitors and engines.

/// Formulas without alternation, against a complete enumeration.
mod alternation_free;
/// Searches up to a bound, against an enumeration of all traces up to it.
mod bounds;
/// An exact oracle for one alternation: the determinised tableau of the inner traces beside the outer traces.
mod determinised;
/// Formulas with one alternation, against that oracle.
mod exactly;
/// Finite traces: without alternation against the tableau, with one alternation against sets of its nodes.
mod finite;
/// Counts of random formulas that are decided within a time limit, by class.
mod measured;
/// Formulas of the killing shape with engines that the user names.
mod named_engines;
/// One alternation: the evidence of answers, judged on many lassos.
mod one_alternation;
/// Faults planted in the decision of formulas, which the oracles must detect.
mod planted;
/// Random systems and formulas.
mod random;
/// Evidence is checked again; damaged evidence is rejected.
mod rechecked;
/// An exact oracle for one alternation over finite traces: sets of tableau nodes of the inner traces beside the outer traces.
mod subsets;
/// Whether some infinite traces satisfy a formula, by a tableau that guesses the truths of future parts.
mod tableau;
