//! The variables of a check by diagrams, in the order of the evidence.
//!
//! Any order is sound if each variable has a level of its own. So an order must name every variable of the check exactly once.

use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_evidence::multiplexers::Look;
use rustc_hash::FxHashMap;

use super::CertifyError;
use super::store::Level;
use crate::multiplexers::Circuit;

/// The order of the variables: a level for each.
pub(super) struct Order {
    levels: FxHashMap<Look, Level>,
    /// The bits of the number of the estimate after the step, which evidence does not read.
    pub(super) number_after: Vec<Level>,
    /// The number of variables.
    pub(super) count: usize,
}

impl Order {
    /// Returns the order named by the evidence. `bits` levels for the next estimate's number follow those of the present one.
    ///
    /// # Errors
    /// If the order names a variable that does not exist, names one twice, or lacks one that is needed.
    pub(super) fn new(
        circuit: &Circuit<'_>,
        named: &[Look],
        needed: &[Look],
        bits: usize,
    ) -> Result<Order, CertifyError> {
        let is_bit = |look: &Look| matches!(look, Look::Estimate(_));
        let exists = |&look: &Look| match look {
            Look::Estimate(bit) => bit < bits,
            look => circuit.exists(look),
        };
        if !named.iter().all(exists) {
            return Err(CertifyError::Order("a variable does not exist"));
        }
        let last_bit = named.iter().rposition(is_bit);
        let mut order = Order {
            levels: FxHashMap::default(),
            number_after: Vec::new(),
            count: 0,
        };
        if last_bit.is_none() {
            order.add_number(bits);
        }
        for (place, &look) in named.iter().enumerate() {
            let level = order.fresh();
            let before = order.levels.insert(look, level);
            if before.is_some() && !planted(Fault::UncheckedOrder) {
                return Err(CertifyError::Order("a variable is named twice"));
            }
            if Some(place) == last_bit {
                order.add_number(bits);
            }
        }
        for look in needed {
            if order.levels.contains_key(look) {
                continue;
            }
            if !planted(Fault::UncheckedOrder) {
                return Err(CertifyError::Order("a variable is missing"));
            }
            order.levels.insert(*look, 0);
        }
        Ok(order)
    }

    fn fresh(&mut self) -> Level {
        self.count += 1;
        self.count as Level - 1
    }

    fn add_number(&mut self, bits: usize) {
        for _ in 0..bits {
            let level = self.fresh();
            self.number_after.push(level);
        }
    }

    /// Returns the level of a variable in the order; `None` if it has none.
    pub(super) fn level(&self, look: Look) -> Option<Level> {
        self.levels.get(&look).copied()
    }

    /// Returns the level of a variable that a multiplexer reads; `None` if it has none.
    pub(super) fn looked_at(&self, look: Look) -> Option<Level> {
        let level = self.level(look);
        let last = self.count as Level - 1;
        match level {
            Some(0) if planted(Fault::MisreadOrder) => Some(last),
            Some(level) if level == last && planted(Fault::MisreadOrder) => Some(0),
            level => level,
        }
    }

    /// Returns the levels of the variables for which `is_wanted` is true, ascending.
    pub(super) fn levels(&self, is_wanted: impl Fn(Look) -> bool) -> Vec<Level> {
        let wanted = self.levels.iter().filter(|(look, _)| is_wanted(**look));
        let mut levels: Vec<Level> = wanted.map(|(_, &level)| level).collect();
        levels.sort_unstable();
        levels
    }

    /// Returns pairs of levels, before and after the step, for each variable with both: states, and the bits of an estimate's number.
    /// Latches for which `is_kept` is true keep their values and are left out.
    pub(super) fn after(&self, is_kept: impl Fn(usize) -> bool) -> Vec<(Level, Level)> {
        let after = |look: Look| match look {
            Look::Model(latch) | Look::Mutant(latch) if is_kept(latch) => None,
            Look::Model(latch) => self.level(Look::ModelNext(latch)),
            Look::Mutant(latch) => self.level(Look::Next(latch)),
            Look::Estimate(bit) => self.number_after.get(bit).copied(),
            _ => None,
        };
        let pairs = self.levels.iter();
        let mut pairs: Vec<(Level, Level)> = pairs
            .filter_map(|(&look, &level)| Some((level, after(look)?)))
            .collect();
        pairs.sort_unstable();
        pairs
    }
}
