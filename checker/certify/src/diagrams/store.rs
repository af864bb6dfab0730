//! A store of reduced ordered binary decision diagrams with complement edges (Bryant 1986; Brace, Rudell and Bryant 1990).
//!
//! It shares no code with the engines' store, so that a bug of theirs is not repeated here. One store belongs to one check. Work is counted
//! in nodes and calls, so the same check ends at the same place on every machine.

use hyperkill_core::budget::memory::Charge;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::work::{Unit, count};

/// Limits on a check by decision diagrams. Both are counted; no clock is involved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagramLimits {
    /// Number of nodes, at most, that are held at once.
    pub nodes: usize,
    /// Number of calls, at most, of recursive operations that the cache does not answer.
    pub calls: u64,
}

impl Default for DiagramLimits {
    /// Twice the calls and nodes that the engine's search on sets of states may take.
    fn default() -> DiagramLimits {
        DiagramLimits {
            nodes: 1 << 22,
            calls: 1 << 26,
        }
    }
}

/// A Boolean function of the variables: twice the index of a node, plus one for its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Function(u32);

impl Function {
    pub(crate) const FALSE: Function = Function(0);
    pub(crate) const TRUE: Function = Function(1);

    /// Returns the constant function with this value.
    pub(crate) const fn constant(value: bool) -> Function {
        Function(value as u32)
    }

    /// Returns the complement if `negate` is true, else the function itself.
    pub(crate) const fn negated_if(self, negate: bool) -> Function {
        Function(self.0 ^ negate as u32)
    }

    pub(super) const fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub(super) const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) const fn code(self) -> u32 {
        self.0
    }

    const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
}

impl std::ops::Not for Function {
    type Output = Function;

    fn not(self) -> Function {
        Function(self.0 ^ 1)
    }
}

/// Position of a variable in the order, from 0 at the top.
pub(crate) type Level = u32;

/// Level of the constants, below all variables.
const CONSTANT: Level = Level::MAX;
/// Level of a node that has been freed.
const FREED: Level = Level::MAX - 1;
/// Index that ends a chain of the unique table.
const NONE: u32 = u32::MAX;

/// A node: `high` where its variable is true, else `low`.
#[derive(Clone, Copy)]
struct Node {
    level: Level,
    /// Never a complement, so each function has exactly one representation.
    low: Function,
    high: Function,
    /// The next node of the same bucket.
    next: u32,
}

/// One cached result; operation 0 marks an empty entry.
#[derive(Clone, Copy, Default)]
struct Cached {
    operation: u32,
    operands: [u32; 3],
    result: u32,
}

/// Largest number of variables. Recursions are at most that deep.
const MOST_LEVELS: usize = 2_000;
/// Number of calls of operations between two checks of the budget.
const CALLS_BETWEEN_LOOKS: u64 = 1 << 14;
/// Largest number of cached results.
const LARGEST_CACHE: usize = 1 << 20;
/// Number of nodes below which no garbage is collected.
const WORTH_COLLECTING: usize = 1 << 16;

/// A store of decision diagrams: the nodes of all functions of one check.
pub(crate) struct Store {
    nodes: Vec<Node>,
    freed: Vec<u32>,
    /// First node of each bucket of the unique table.
    buckets: Vec<u32>,
    cache: Vec<Cached>,
    levels: usize,
    /// Functions that garbage collection keeps.
    pinned: Vec<Function>,
    /// Number of nodes that the last collection of garbage left.
    kept: usize,
    /// Number of the last renaming; it takes part in the keys of the cache.
    pub(super) renamings: u32,
    limits: DiagramLimits,
    calls: u64,
    /// Calls that are counted as work of the thread.
    counted: u64,
    budget: Budget,
    charge: Charge,
}

impl Drop for Store {
    fn drop(&mut self) {
        self.count_work();
    }
}

fn hash(words: [u32; 4]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    (hash ^ (hash >> 32)) as usize
}

impl Store {
    /// Returns a store without functions over `levels` variables.
    ///
    /// # Errors
    /// If there are too many variables, or the budget is spent.
    pub(crate) fn new(
        levels: usize,
        limits: DiagramLimits,
        budget: &Budget,
    ) -> Result<Store, Stop> {
        budget.check()?;
        if levels > MOST_LEVELS {
            return Err(Stop::Bound);
        }
        let constant = Node {
            level: CONSTANT,
            low: Function::FALSE,
            high: Function::FALSE,
            next: NONE,
        };
        let mut store = Store {
            nodes: vec![constant],
            freed: Vec::new(),
            buckets: vec![NONE; 1 << 12],
            cache: vec![Cached::default(); 1 << 12],
            levels,
            pinned: Vec::new(),
            kept: 0,
            renamings: 0,
            limits,
            calls: 0,
            counted: 0,
            budget: budget.clone(),
            charge: Charge::default(),
        };
        store.account()?;
        for level in 0..levels {
            store.make(level as Level, Function::FALSE, Function::TRUE)?;
        }
        Ok(store)
    }

    /// Returns the number of variables.
    pub(crate) fn levels(&self) -> usize {
        self.levels
    }

    /// Returns the function that is the variable at this level.
    pub(crate) fn variable(&self, level: Level) -> Function {
        // The nodes behind the constant are the variables in their order.
        Function((level + 1) << 1)
    }

    /// Returns the level of the topmost variable of a function.
    pub(super) fn level(&self, function: Function) -> Level {
        self.nodes[function.node()].level
    }

    /// Returns the two cofactors of a function by the variable at a level (false first), which is at or above the function's top.
    pub(super) fn cofactors(&self, function: Function, level: Level) -> [Function; 2] {
        let node = &self.nodes[function.node()];
        if node.level != level {
            return [function; 2];
        }
        let negate = function.is_negated();
        [node.low.negated_if(negate), node.high.negated_if(negate)]
    }

    /// Returns the function with these cofactors by the variable at a level, `low` where it is false. Both cofactors lie below the level.
    pub(super) fn make(
        &mut self,
        level: Level,
        low: Function,
        high: Function,
    ) -> Result<Function, Stop> {
        if low == high {
            return Ok(low);
        }
        let negate = low.is_negated();
        let [low, high] = [low, high].map(|function| function.negated_if(negate));
        let bucket = self.bucket(level, low, high);
        let mut index = self.buckets[bucket];
        while index != NONE {
            let node = &self.nodes[index as usize];
            if node.level == level && node.low == low && node.high == high {
                return Ok(Function(index << 1).negated_if(negate));
            }
            index = node.next;
        }
        if self.held() >= self.limits.nodes.min((u32::MAX >> 2) as usize) {
            return Err(Stop::Bound);
        }
        let node = Node {
            level,
            low,
            high,
            next: self.buckets[bucket],
        };
        let index = match self.freed.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.buckets[bucket] = index;
        if self.held() > self.buckets.len() {
            self.grow()?;
        }
        Ok(Function(index << 1).negated_if(negate))
    }

    fn held(&self) -> usize {
        self.nodes.len() - self.freed.len()
    }

    fn bucket(&self, level: Level, low: Function, high: Function) -> usize {
        hash([level, low.0, high.0, 0]) & (self.buckets.len() - 1)
    }

    fn grow(&mut self) -> Result<(), Stop> {
        self.buckets = vec![NONE; 2 * self.buckets.len()];
        self.chain_all();
        if self.cache.len() < LARGEST_CACHE {
            let old = std::mem::take(&mut self.cache);
            self.cache = vec![Cached::default(); 2 * old.len()];
            for cached in old.into_iter().filter(|cached| cached.operation != 0) {
                let place = self.place(cached.operation, cached.operands);
                self.cache[place] = cached;
            }
        }
        self.account()
    }

    /// Enters every node that is not freed into its bucket of the unique table; the buckets are empty before.
    fn chain_all(&mut self) {
        for index in 1..self.nodes.len() {
            let Node {
                level, low, high, ..
            } = self.nodes[index];
            if level != FREED {
                let bucket = self.bucket(level, low, high);
                self.nodes[index].next = self.buckets[bucket];
                self.buckets[bucket] = index as u32;
            }
        }
    }

    /// Reports the memory that the store holds to the budget.
    fn account(&mut self) -> Result<(), Stop> {
        let bytes = self.nodes.capacity() * size_of::<Node>()
            + self.buckets.len() * size_of::<u32>()
            + self.cache.len() * size_of::<Cached>();
        self.charge.hold(&self.budget, bytes).map_or(Ok(()), Err)
    }

    fn place(&self, operation: u32, [a, b, c]: [u32; 3]) -> usize {
        hash([operation, a, b, c]) & (self.cache.len() - 1)
    }

    /// Returns the cached result of an operation on these operands; `None` if there is none.
    pub(super) fn cached(&self, operation: u32, operands: [u32; 3]) -> Option<Function> {
        let cached = &self.cache[self.place(operation, operands)];
        let is_same = cached.operation == operation && cached.operands == operands;
        is_same.then_some(Function(cached.result))
    }

    /// Caches the result of an operation, and returns it.
    pub(super) fn cache(
        &mut self,
        operation: u32,
        operands: [u32; 3],
        result: Function,
    ) -> Function {
        let place = self.place(operation, operands);
        self.cache[place] = Cached {
            operation,
            operands,
            result: result.0,
        };
        result
    }

    /// Counts one call of a recursive operation.
    ///
    /// # Errors
    /// If the limit on calls is reached, or the budget is spent.
    pub(super) fn count_call(&mut self) -> Result<(), Stop> {
        self.calls += 1;
        if self.calls > self.limits.calls {
            return Err(Stop::Bound);
        }
        if self.calls.is_multiple_of(CALLS_BETWEEN_LOOKS) {
            self.count_work();
            self.budget.check()?;
        }
        Ok(())
    }

    /// Counts the calls since the last time as work of this thread.
    fn count_work(&mut self) {
        count(Unit::Calls, self.calls - self.counted);
        self.counted = self.calls;
    }

    /// Pins functions: later collections of garbage keep them.
    pub(crate) fn pin(&mut self, functions: impl IntoIterator<Item = Function>) {
        self.pinned.extend(functions);
    }

    /// Returns the number of pinned functions, which [`Store::unpin`] takes to remove later pins.
    pub(crate) fn pins(&self) -> usize {
        self.pinned.len()
    }

    /// Removes all pins but the first `pins`: later collections of garbage may free these functions.
    pub(crate) fn unpin(&mut self, pins: usize) {
        self.pinned.truncate(pins);
    }

    /// Frees all nodes that no pinned function needs, if many nodes have been made since the last time. Other functions are invalid
    /// afterwards.
    pub(crate) fn collect(&mut self) {
        let enough = (2 * self.kept)
            .max(WORTH_COLLECTING)
            .min(self.limits.nodes / 2);
        if self.held() < enough {
            return;
        }
        let mut needed = vec![false; self.nodes.len()];
        needed[..=self.levels].fill(true);
        let mut open: Vec<usize> = self.pinned.iter().map(|function| function.node()).collect();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut needed[index], true) {
                let node = &self.nodes[index];
                open.extend([node.low.node(), node.high.node()]);
            }
        }
        for (index, is_needed) in needed.into_iter().enumerate() {
            if !is_needed && self.nodes[index].level != FREED {
                self.nodes[index].level = FREED;
                self.freed.push(index as u32);
            }
        }
        self.buckets.fill(NONE);
        self.chain_all();
        self.cache.fill(Cached::default());
        self.kept = self.held();
    }
}
