//! Tests of the public interface of this package.

/// Conditional mutants for composition.
mod circuits;
/// Composition of formulas to products.
mod composition;
/// The languages of other tools.
mod dialects;
/// Composed killing formulas compared with the definitions of killing.
mod killing;
/// The formula language as text.
mod language;
/// The reference evaluator and normal forms.
mod meaning;
/// Monitors.
mod monitors;
/// Random formulas.
mod random;
/// Several systems in one circuit.
mod systems;
