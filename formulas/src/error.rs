//! Why a formula has no product.

use hyperkill_core::SelectorId;
use hyperkill_core::sort::Sort;

use crate::ast::{Ltl, TraceVar};
use crate::fragment::Fragment;

/// Why a formula could not be composed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ComposeError {
    /// The prefix is not ∃*∀*.
    #[error(
        "prefix {0} is not supported: only ∃*, ∀* and ∃*∀* are; negate the formula if that helps"
    )]
    UnsupportedPrefix(Fragment),
    /// The body has no place for this subformula.
    #[error("`{subformula}` does not fit the shape `G a & (G b -> F c)`: {reason}")]
    UnsupportedShape {
        /// What does not fit.
        subformula: Box<Ltl>,
        /// What keeps it from fitting the shape.
        reason: &'static str,
    },
    /// The formula, without `<->` and `xor` around temporal operators, is too large to be watched.
    #[error(
        "the formula has no monitor of reasonable size: nest `<->` and `xor` of temporal formulas less deeply"
    )]
    MonitorTooLarge,
    /// Neither `mut[p]` nor `!mut[p]` is asserted of an existential or assumed of a universal trace.
    #[error(
        "trace `{0}` may be of the original or of the mutant: add `mut[{0}]` or `!mut[{0}]` under G"
    )]
    VariantNotFixed(TraceVar),
    /// A trace variable that the prefix does not bind.
    #[error("trace variable `{0}` is not bound")]
    Unbound(TraceVar),
    /// The formula speaks of the mutant, but the model has no selector of this index.
    #[error("the model has {selectors} mutant selectors, none with index {index}")]
    NoSuchSelector {
        /// Selectors in the model.
        selectors: usize,
        /// The index asked for.
        index: SelectorId,
    },
    /// No signal of this name.
    #[error("the model has no signal `{name}`")]
    UnknownSignal {
        /// The name that the formula uses.
        name: String,
    },
    /// A signal of many values was used as a truth value.
    #[error("`{name}` is of sort {sort}, not one bit: compare it with a value")]
    NotOneBit {
        /// Name of the signal.
        name: String,
        /// The sort that the signal has.
        sort: Sort,
    },
    /// A signal was compared with something it can never be.
    #[error("`{name}` is of sort {sort}, which has no value `{value}`")]
    NoSuchValue {
        /// Name of the signal.
        name: String,
        /// The value that the formula compares it with.
        value: String,
        /// The sort that the signal has.
        sort: Sort,
    },
    /// Two signals of different sorts were compared.
    #[error("`{left}` of sort {left_sort} cannot be compared with `{right}` of sort {right_sort}")]
    SortsDiffer {
        /// Name of the one signal.
        left: String,
        /// The sort of the one signal.
        left_sort: Sort,
        /// Name of the other signal.
        right: String,
        /// The sort of the other signal.
        right_sort: Sort,
    },
}
