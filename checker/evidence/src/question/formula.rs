//! Questions of ∃*∀* formulas of the killing shape about existential traces, with universal traces that copy (semantics.md §5, the identity
//! strategy).
//!
//! The goal is a step at which the eventuality of the formula holds, or at which a copying trace breaks a constraint. If the goal is
//! unreachable, no existential traces withstand the copying ones at any length, and the formula fails. If it is reachable and some trace
//! copies, nothing is proved: other universal traces may refute the existential ones.

use hyperkill_core::SelectorId;
use hyperkill_core::product::CopySpec;
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Quantifier;

/// A formula of prefix ∃*∀* whose universal traces copy the inputs or choices of other traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Composed {
    /// The formula, of prefix ∃*∀*.
    pub formula: Formula,
    /// The selector that `mut` stands for.
    pub mutant: SelectorId,
    /// The source of each trace, in prefix order: its variant, and the traces with the same inputs or choices. A universal trace always has
    /// the choices of another one.
    pub copies: Vec<CopySpec>,
}

impl Composed {
    /// Whether the trace with this index in the formula's prefix is universal.
    #[must_use]
    pub fn is_universal(&self, trace: usize) -> bool {
        let quantifier = self.formula.prefix.get(trace);
        quantifier.is_some_and(|(quantifier, _)| *quantifier == Quantifier::Forall)
    }

    /// Whether the question leaves open if the trace with this index is of the original or of the mutant: it copies no choices of another
    /// trace. The formula then determines the variant.
    #[must_use]
    pub fn may_be_either(&self, trace: usize) -> bool {
        let copies = self.copies.get(trace);
        copies.is_some_and(|spec| spec.choices_of.is_none())
    }
}
