//! Errors of composing formulas.

use hyperkill_core::SelectorId;
use hyperkill_core::sort::Sort;

use crate::ast::{Ltl, TraceVar};
use crate::fragment::Fragment;

/// The reason why a formula could not be composed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ComposeError {
    /// The prefix is not ∃*∀*.
    #[error(
        "prefix {0} is not supported: only ∃*, ∀* and ∃*∀* are; negate the formula if that helps"
    )]
    UnsupportedPrefix(Fragment),
    /// The shape has no place for this subformula.
    #[error("`{subformula}` does not fit the shape `G a & (G b -> F c)`: {reason}")]
    UnsupportedShape {
        /// The subformula.
        subformula: Box<Ltl>,
        /// The reason why it does not fit.
        reason: &'static str,
    },
    /// The formula is too large for a monitor after `<->` and `xor` around temporal operators have been expanded.
    #[error(
        "the formula has no monitor of reasonable size: nest `<->` and `xor` of temporal formulas less deeply"
    )]
    MonitorTooLarge,
    /// Neither `mut[p]` nor `!mut[p]` is asserted of an existential trace or assumed of a universal one.
    #[error(
        "trace `{0}` may be of the original or of the mutant: add `mut[{0}]` or `!mut[{0}]` under G"
    )]
    VariantNotFixed(TraceVar),
    /// The prefix does not bind a trace variable.
    #[error("trace variable `{0}` is not bound")]
    Unbound(TraceVar),
    /// The formula mentions the mutant, but the model has no selector of this index.
    #[error("the model has {selectors} mutant selectors, none with index {index}")]
    NoSuchSelector {
        /// The number of selectors in the model.
        selectors: usize,
        /// The index of the mutant in question.
        index: SelectorId,
    },
    /// The model has no signal of this name.
    #[error("the model has no signal `{name}`")]
    UnknownSignal {
        /// The name in the formula.
        name: String,
    },
    /// A signal of many values is used as a truth value.
    #[error("`{name}` is of sort {sort}, not one bit: compare it with a value")]
    NotOneBit {
        /// The name of the signal.
        name: String,
        /// The sort of the signal.
        sort: Sort,
    },
    /// A signal is compared with a value outside its sort.
    #[error("`{name}` is of sort {sort}, which has no value `{value}`")]
    NoSuchValue {
        /// The name of the signal.
        name: String,
        /// The value in the formula.
        value: String,
        /// The sort of the signal.
        sort: Sort,
    },
    /// Two signals of different sorts are compared.
    #[error("`{left}` of sort {left_sort} cannot be compared with `{right}` of sort {right_sort}")]
    SortsDiffer {
        /// The name of the first signal.
        left: String,
        /// The sort of the first signal.
        left_sort: Sort,
        /// The name of the second signal.
        right: String,
        /// The sort of the second signal.
        right_sort: Sort,
    },
}
