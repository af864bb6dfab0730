//! Reachability of a goal in a product: the question that engines decide.

use hyperkill_core::Lit;
use hyperkill_core::product::Product;
use hyperkill_evidence::question::StateBit;

/// A reachability question: can `goal` hold at some step while each of `always` holds at every step up to and including it, and each of
/// `before` at every step before it?
#[derive(Clone, Debug)]
pub struct Reachability {
    /// The product: its graph and the copies of the model in it.
    pub product: Product,
    /// Literals assumed to hold at every step.
    pub always: Vec<Lit>,
    /// Literals assumed to hold at every step before the goal's.
    pub before: Vec<Lit>,
    /// The literal of which it is asked whether it can become true.
    pub goal: Lit,
    /// Pairs of copies, the earlier first, whose corresponding nodes are often equal.
    pub related: Vec<[usize; 2]>,
    /// Product latches (by index) that belong to no copy, each with the value of a copy that it stores.
    pub remembers: Vec<(usize, StateBit)>,
}
