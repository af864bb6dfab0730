//! Tests of the public face of this package: what users and engines rely on.

/// Conditional mutants to compose.
mod circuits;
/// From formulas to products.
mod composition;
/// The languages of other tools.
mod dialects;
/// Composed killing formulas against the definitions of killing.
mod killing;
/// The language as text.
mod language;
/// The reference evaluator and normal forms.
mod meaning;
/// Formulas as circuits that watch.
mod monitors;
/// Random formulas.
mod random;
/// Several systems in one circuit.
mod systems;
