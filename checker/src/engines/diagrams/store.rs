//! Reduced ordered binary decision diagrams with complement edges (Bryant 1986; Brace, Rudell and Bryant 1990).
//!
//! A store belongs to one thread. Its limits count held nodes and recursive calls, so that the same work ends at the same point on every
//! machine. Unreferenced nodes are freed only by [`Store::keep`].

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::work::{Unit, count};

use super::Limits;
use crate::schedule::engine_efforts::{DIAGRAM_VARIABLES, REMEMBERED_RESULTS};

/// A Boolean function of the variables: a node of the diagram, or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bdd(u32);

impl Bdd {
    pub(crate) const TRUE: Bdd = Bdd(0);
    pub(crate) const FALSE: Bdd = Bdd(1);

    /// Returns the constant function with this value.
    pub(crate) const fn constant(value: bool) -> Bdd {
        Bdd(!value as u32)
    }

    pub(super) const fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) const fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) const fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub(super) const fn code(self) -> u32 {
        self.0
    }

    /// Returns the complement if `flip`, else the function itself.
    pub(super) const fn complemented_if(self, flip: bool) -> Bdd {
        Bdd(self.0 ^ flip as u32)
    }
}

impl std::ops::Not for Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }
}

/// The position of a variable in the order, from 0 at the top.
pub(crate) type Level = u32;

/// The level of the constants: below all variables.
const BOTTOM: Level = Level::MAX;
/// The level that marks a free slot in the list of nodes.
const FREE: Level = Level::MAX - 1;

#[derive(Clone, Copy)]
struct Node {
    level: Level,
    low: Bdd,
    /// The cofactor where the variable is true; never complemented, so that each function has at most one node.
    high: Bdd,
}

/// A cached result of a call. All-zero operands mark an empty entry, since no call has constant operands.
#[derive(Clone, Copy, Default)]
struct Entry {
    operation: u32,
    operands: [u32; 3],
    result: u32,
}

/// Number of recursive calls between two checks of the clock.
const BETWEEN_LOOKS: u64 = 1 << 14;

/// A store of diagram nodes for functions over one order of variables.
pub(crate) struct Store {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Hash table with open addressing that maps the contents of nodes to their indices; 0 is an empty slot.
    unique: Vec<u32>,
    cache: Vec<Entry>,
    levels: usize,
    limits: Limits,
    calls: u64,
    /// Recursive calls that have been counted as work of the thread.
    counted: u64,
    budget: Budget,
    charge: Charge,
    /// The number of the last substitution; results of different substitutions are cached separately.
    substitutions: u32,
    /// The number of nodes that the last collection of garbage kept.
    kept: usize,
}

/// Numbers of the operations whose results are cached; the numbers of substitutions follow.
pub(super) const AND: u32 = 1;
pub(super) const XOR: u32 = 2;
pub(super) const ITE: u32 = 3;
pub(super) const EXISTS: u32 = 4;
pub(super) const AND_EXISTS: u32 = 5;
const FIRST_SUBSTITUTION: u32 = 6;

impl Drop for Store {
    fn drop(&mut self) {
        self.count_work();
    }
}

fn mixed(words: [u32; 4]) -> usize {
    let [a, b, c, d] = words.map(u64::from);
    let hash = (a | b << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (c | d << 32).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> 20
}

impl Store {
    /// Returns a store for functions of this many variables, with a level for each.
    ///
    /// # Errors
    /// If there are more than [`DIAGRAM_VARIABLES`], or the budget has ended.
    pub(crate) fn new(levels: usize, limits: Limits, budget: &Budget) -> Result<Store, Stop> {
        budget.check()?;
        if levels > DIAGRAM_VARIABLES {
            return Err(Stop::Bound);
        }
        let constant = Node {
            level: BOTTOM,
            low: Bdd::TRUE,
            high: Bdd::TRUE,
        };
        let mut store = Store {
            nodes: vec![constant],
            free: Vec::new(),
            unique: vec![0; 1 << 12],
            cache: vec![Entry::default(); 1 << 12],
            levels,
            limits,
            calls: 0,
            counted: 0,
            budget: budget.clone(),
            charge: Charge::default(),
            substitutions: FIRST_SUBSTITUTION,
            kept: 0,
        };
        store.hold()?;
        for level in 0..levels {
            store.node(level as Level, Bdd::FALSE, Bdd::TRUE)?;
        }
        Ok(store)
    }

    /// Returns the function that is the value of the variable at this level.
    pub(crate) fn variable(&self, level: Level) -> Bdd {
        // The first nodes are the variables, in order. Their `low` is false, so none is complemented.
        Bdd((level + 1) << 1)
    }

    pub(crate) fn levels(&self) -> usize {
        self.levels
    }

    /// Returns the number of held nodes, including unreferenced ones.
    pub(crate) fn held(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Returns the function of the node with this index, not complemented.
    pub(super) fn positive(index: usize) -> Bdd {
        Bdd((index as u32) << 1)
    }

    /// Returns the level of the function's top variable.
    pub(super) fn level(&self, function: Bdd) -> Level {
        self.nodes[function.index()].level
    }

    /// Returns the cofactors for a variable at or above the function's top: where it is false, and where it is true.
    pub(super) fn cofactors(&self, function: Bdd, level: Level) -> (Bdd, Bdd) {
        let node = self.nodes[function.index()];
        if node.level != level {
            return (function, function);
        }
        let flip = function.is_complemented();
        (
            node.low.complemented_if(flip),
            node.high.complemented_if(flip),
        )
    }

    /// Returns the level of the top variable of a non-constant function, and its cofactors.
    pub(super) fn branches(&self, function: Bdd) -> (Level, Bdd, Bdd) {
        let level = self.level(function);
        let (low, high) = self.cofactors(function, level);
        (level, low, high)
    }

    /// Returns the function that is `high` where the variable at `level` is true, else `low`; both read only variables of larger levels.
    pub(super) fn node(&mut self, level: Level, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        if low == high {
            return Ok(low);
        }
        let flip = high.is_complemented();
        let (low, high) = (low.complemented_if(flip), high.complemented_if(flip));
        let mask = self.unique.len() - 1;
        let mut place = mixed([level, low.0, high.0, 0]) & mask;
        loop {
            let index = self.unique[place];
            if index == 0 {
                break;
            }
            let node = self.nodes[index as usize];
            if node.level == level && node.low == low && node.high == high {
                return Ok(Bdd(index << 1).complemented_if(flip));
            }
            place = (place + 1) & mask;
        }
        if self.held() >= self.limits.nodes.min((u32::MAX >> 1) as usize) {
            return Err(Stop::Bound);
        }
        let node = Node { level, low, high };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.unique[place] = index;
        if self.held() * 2 > self.unique.len() {
            self.grow()?;
        }
        Ok(Bdd(index << 1).complemented_if(flip))
    }

    fn grow(&mut self) -> Result<(), Stop> {
        let size = self.unique.len() * 2;
        self.rehash(size);
        if self.cache.len() < REMEMBERED_RESULTS.min(size) {
            let old = std::mem::take(&mut self.cache);
            self.cache = vec![Entry::default(); old.len() * 2];
            for entry in old {
                if entry.operation != 0 {
                    let place = self.place(entry.operation, entry.operands);
                    self.cache[place] = entry;
                }
            }
        }
        self.hold()
    }

    /// Reports the held memory to the budget; an error says that its limit is reached.
    fn hold(&mut self) -> Result<(), Stop> {
        let bytes = self.nodes.capacity() * size_of::<Node>()
            + self.unique.len() * size_of::<u32>()
            + self.cache.len() * size_of::<Entry>();
        self.charge.hold(&self.budget, bytes).map_or(Ok(()), Err)
    }

    fn rehash(&mut self, size: usize) {
        self.unique = vec![0; size];
        let mask = size - 1;
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if node.level == FREE {
                continue;
            }
            let mut place = mixed([node.level, node.low.0, node.high.0, 0]) & mask;
            while self.unique[place] != 0 {
                place = (place + 1) & mask;
            }
            self.unique[place] = index as u32;
        }
    }

    fn place(&self, operation: u32, [a, b, c]: [u32; 3]) -> usize {
        mixed([operation, a, b, c]) & (self.cache.len() - 1)
    }

    pub(super) fn remembered(&self, operation: u32, operands: [u32; 3]) -> Option<Bdd> {
        let entry = &self.cache[self.place(operation, operands)];
        (entry.operation == operation && entry.operands == operands).then_some(Bdd(entry.result))
    }

    pub(super) fn remember(&mut self, operation: u32, operands: [u32; 3], result: Bdd) -> Bdd {
        let place = self.place(operation, operands);
        self.cache[place] = Entry {
            operation,
            operands,
            result: result.0,
        };
        result
    }

    /// Returns a number that no substitution has had before, for the cache.
    pub(super) fn new_substitution(&mut self) -> u32 {
        self.substitutions += 1;
        self.substitutions
    }

    /// Adds the calls since the last such addition to this thread's counted work.
    fn count_work(&mut self) {
        count(Unit::Calls, self.calls - self.counted);
        self.counted = self.calls;
    }

    /// Returns the number of recursive calls so far.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// Replaces the limits on nodes and calls. They apply to all nodes and calls of this store, earlier ones included.
    pub(super) fn allow(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Counts a recursive call; an error says that the limit on calls is reached or the budget has ended.
    pub(super) fn call(&mut self) -> Result<(), Stop> {
        self.calls += 1;
        if self.calls.is_multiple_of(BETWEEN_LOOKS) {
            self.count_work();
            self.budget.check()?;
        }
        if self.calls > self.limits.calls {
            return Err(Stop::Bound);
        }
        Ok(())
    }

    /// Frees all nodes that these functions do not need, if many nodes are new since the last collection. All other functions become
    /// invalid.
    pub(crate) fn keep(&mut self, needed: impl IntoIterator<Item = Bdd>) {
        let many = (2 * self.kept + (1 << 14)).min(self.limits.nodes / 2);
        if self.held() < many {
            return;
        }
        let mut is_needed = vec![false; self.nodes.len()];
        is_needed[..=self.levels].fill(true);
        let mut open: Vec<usize> = needed.into_iter().map(Bdd::index).collect();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut is_needed[index], true) {
                let node = self.nodes[index];
                open.extend([node.low.index(), node.high.index()]);
            }
        }
        for (index, is_needed) in is_needed.iter().enumerate() {
            if !is_needed && self.nodes[index].level != FREE {
                self.nodes[index].level = FREE;
                self.free.push(index as u32);
            }
        }
        let size = self.unique.len();
        self.rehash(size);
        let is_live = |code: &u32| is_needed[(code >> 1) as usize];
        for entry in &mut self.cache {
            let third = entry.operation < FIRST_SUBSTITUTION;
            let known = entry.operands[..2 + usize::from(third)].iter().all(is_live);
            if !known || !is_live(&entry.result) {
                *entry = Entry::default();
            }
        }
        self.kept = self.held();
    }
}
