//! Operations on diagrams. Each ends with an error once the counted work or the budget is spent.

use hyperkill_core::budget::Stop;
use rustc_hash::FxHashSet;

use super::store::{Function, Level, Store};

/// Codes of the operations in the cache. A renaming has the code `LAST` plus its number.
const AND: u32 = 1;
const XOR: u32 = 2;
const ITE: u32 = 3;
const EXISTS: u32 = 4;
const AND_EXISTS: u32 = 5;
const COMPOSE: u32 = 6;
const LAST: u32 = 6;

/// A renaming of variables. All variables are replaced at once.
pub(crate) struct Renaming {
    operation: u32,
    /// By level, the level of the variable that replaces it.
    to: Vec<Level>,
    /// The lowest level that changes.
    last: Option<Level>,
}

impl Store {
    /// Returns `f ∧ g`.
    pub(crate) fn and(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        if f == Function::FALSE || g == Function::FALSE || f == !g {
            return Ok(Function::FALSE);
        }
        if f == Function::TRUE || f == g {
            return Ok(g);
        }
        if g == Function::TRUE {
            return Ok(f);
        }
        let (f, g) = (f.min(g), f.max(g));
        let operands = [f.code(), g.code(), 0];
        if let Some(known) = self.cached(AND, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let level = self.level(f).min(self.level(g));
        let [f_low, f_high] = self.cofactors(f, level);
        let [g_low, g_high] = self.cofactors(g, level);
        let low = self.and(f_low, g_low)?;
        let high = self.and(f_high, g_high)?;
        let result = self.make(level, low, high)?;
        Ok(self.cache(AND, operands, result))
    }

    /// Returns `f ∨ g`.
    pub(crate) fn or(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        self.and(!f, !g).map(|neither| !neither)
    }

    /// Whether `f ∧ g` is false.
    pub(crate) fn are_disjoint(&mut self, f: Function, g: Function) -> Result<bool, Stop> {
        if f == Function::FALSE || g == Function::FALSE || f == !g {
            return Ok(true);
        }
        if f == Function::TRUE || g == Function::TRUE || f == g {
            return Ok(false);
        }
        let (f, g) = (f.min(g), f.max(g));
        let operands = [f.code(), g.code(), 0];
        if let Some(both) = self.cached(AND, operands) {
            return Ok(both == Function::FALSE);
        }
        self.count_call()?;
        let level = self.level(f).min(self.level(g));
        let [f_low, f_high] = self.cofactors(f, level);
        let [g_low, g_high] = self.cofactors(g, level);
        if !self.are_disjoint(f_low, g_low)? || !self.are_disjoint(f_high, g_high)? {
            return Ok(false);
        }
        self.cache(AND, operands, Function::FALSE);
        Ok(true)
    }

    /// Returns `f ↔ g`.
    pub(crate) fn iff(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        self.xor(f, g).map(|differ| !differ)
    }

    /// Returns `f ⊕ g`.
    fn xor(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        // Complements of operands are a complement of the result.
        let negate = f.is_negated() ^ g.is_negated();
        let f = f.negated_if(f.is_negated());
        let g = g.negated_if(g.is_negated());
        if f == g {
            return Ok(Function::constant(negate));
        }
        if f == Function::FALSE || g == Function::FALSE {
            return Ok(f.max(g).negated_if(negate));
        }
        let (f, g) = (f.min(g), f.max(g));
        let operands = [f.code(), g.code(), 0];
        if let Some(known) = self.cached(XOR, operands) {
            return Ok(known.negated_if(negate));
        }
        self.count_call()?;
        let level = self.level(f).min(self.level(g));
        let [f_low, f_high] = self.cofactors(f, level);
        let [g_low, g_high] = self.cofactors(g, level);
        let low = self.xor(f_low, g_low)?;
        let high = self.xor(f_high, g_high)?;
        let result = self.make(level, low, high)?;
        Ok(self.cache(XOR, operands, result).negated_if(negate))
    }

    /// Returns the function that is `high` where `condition` is true, else `low`.
    pub(crate) fn ite(
        &mut self,
        condition: Function,
        high: Function,
        low: Function,
    ) -> Result<Function, Stop> {
        if high == low {
            return Ok(high);
        }
        if condition.is_constant() {
            return Ok(if condition == Function::TRUE {
                high
            } else {
                low
            });
        }
        if high == !low {
            return self.iff(condition, high);
        }
        if high.is_constant() || low.is_constant() {
            return match (high, low) {
                (Function::TRUE, _) => self.or(condition, low),
                (Function::FALSE, _) => self.and(!condition, low),
                (_, Function::TRUE) => self.or(!condition, high),
                _ => self.and(condition, high),
            };
        }
        let operands = [condition.code(), high.code(), low.code()];
        if let Some(known) = self.cached(ITE, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let tops = [condition, high, low].map(|function| self.level(function));
        let level = tops[0].min(tops[1]).min(tops[2]);
        let [on_low, on_high] = self.cofactors(condition, level);
        let [high_low, high_high] = self.cofactors(high, level);
        let [low_low, low_high] = self.cofactors(low, level);
        let below = self.ite(on_low, high_low, low_low)?;
        let above = self.ite(on_high, high_high, low_high)?;
        let result = self.make(level, below, above)?;
        Ok(self.cache(ITE, operands, result))
    }

    /// Returns the conjunction of the variables at these levels, which quantifiers take.
    pub(crate) fn cube(
        &mut self,
        levels: impl IntoIterator<Item = Level>,
    ) -> Result<Function, Stop> {
        let mut levels: Vec<Level> = levels.into_iter().collect();
        levels.sort_unstable();
        levels.dedup();
        let mut cube = Function::TRUE;
        for &level in levels.iter().rev() {
            cube = self.make(level, Function::FALSE, cube)?;
        }
        Ok(cube)
    }

    /// Returns the rest of a cube of variables from a level on: without its variables above this level.
    fn cube_below(&self, mut cube: Function, level: Level) -> Function {
        while self.level(cube) < level {
            let [_, below] = self.cofactors(cube, self.level(cube));
            cube = below;
        }
        cube
    }

    /// Returns `∃ cube. f`: `f` with the variables of the cube quantified existentially.
    pub(crate) fn exists(&mut self, f: Function, cube: Function) -> Result<Function, Stop> {
        let level = self.level(f);
        let cube = self.cube_below(cube, level);
        if cube.is_constant() || f.is_constant() {
            return Ok(f);
        }
        let operands = [f.code(), cube.code(), 0];
        if let Some(known) = self.cached(EXISTS, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let [low, high] = self.cofactors(f, level);
        let low = self.exists(low, cube)?;
        let result = if self.level(cube) != level {
            let high = self.exists(high, cube)?;
            self.make(level, low, high)?
        } else if low == Function::TRUE {
            low
        } else {
            let high = self.exists(high, cube)?;
            self.or(low, high)?
        };
        Ok(self.cache(EXISTS, operands, result))
    }

    /// Returns `∃ cube. f ∧ g` without making the conjunction; the variables of the cube are quantified.
    pub(crate) fn and_exists(
        &mut self,
        f: Function,
        g: Function,
        cube: Function,
    ) -> Result<Function, Stop> {
        if f == Function::FALSE || g == Function::FALSE || f == !g {
            return Ok(Function::FALSE);
        }
        if f == Function::TRUE || f == g {
            return self.exists(g, cube);
        }
        if g == Function::TRUE {
            return self.exists(f, cube);
        }
        let (f, g) = (f.min(g), f.max(g));
        let level = self.level(f).min(self.level(g));
        let cube = self.cube_below(cube, level);
        if cube.is_constant() {
            return self.and(f, g);
        }
        let operands = [f.code(), g.code(), cube.code()];
        if let Some(known) = self.cached(AND_EXISTS, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let [f_low, f_high] = self.cofactors(f, level);
        let [g_low, g_high] = self.cofactors(g, level);
        let low = self.and_exists(f_low, g_low, cube)?;
        let result = if self.level(cube) != level {
            let high = self.and_exists(f_high, g_high, cube)?;
            self.make(level, low, high)?
        } else if low == Function::TRUE {
            low
        } else {
            let high = self.and_exists(f_high, g_high, cube)?;
            self.or(low, high)?
        };
        Ok(self.cache(AND_EXISTS, operands, result))
    }

    /// Returns `f` with the function `by` in place of the variable at a level.
    pub(crate) fn compose(
        &mut self,
        f: Function,
        level: Level,
        by: Function,
    ) -> Result<Function, Stop> {
        let top = self.level(f);
        // The constants are below all variables.
        if top > level {
            return Ok(f);
        }
        let [low, high] = self.cofactors(f, top);
        if top == level {
            return self.ite(by, high, low);
        }
        let operands = [f.code(), level, by.code()];
        if let Some(known) = self.cached(COMPOSE, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let low = self.compose(low, level, by)?;
        let high = self.compose(high, level, by)?;
        let variable = self.variable(top);
        let result = self.ite(variable, high, low)?;
        Ok(self.cache(COMPOSE, operands, result))
    }

    /// Returns a renaming of variables, given by level: the second of each pair is put in the place of the first.
    pub(crate) fn renaming(&mut self, pairs: impl IntoIterator<Item = (Level, Level)>) -> Renaming {
        self.renamings += 1;
        let mut renaming = Renaming {
            operation: LAST + self.renamings,
            to: (0..self.levels() as Level).collect(),
            last: None,
        };
        for (from, to) in pairs {
            renaming.to[from as usize] = to;
            renaming.last = renaming.last.max(Some(from));
        }
        renaming
    }

    /// Returns the function with its variables renamed.
    pub(crate) fn rename(&mut self, f: Function, renaming: &Renaming) -> Result<Function, Stop> {
        let top = self.level(f);
        if f.is_constant() || Some(top) > renaming.last {
            return Ok(f);
        }
        let operands = [f.code(), 0, 0];
        if let Some(known) = self.cached(renaming.operation, operands) {
            return Ok(known);
        }
        self.count_call()?;
        let [low, high] = self.cofactors(f, top);
        let low = self.rename(low, renaming)?;
        let high = self.rename(high, renaming)?;
        let variable = self.variable(renaming.to[top as usize]);
        let result = self.ite(variable, high, low)?;
        Ok(self.cache(renaming.operation, operands, result))
    }

    /// Returns the levels of the variables that a function depends on, ascending.
    pub(crate) fn support(&self, f: Function) -> Vec<Level> {
        let mut levels = vec![false; self.levels()];
        self.walk(f, |level| levels[level as usize] = true);
        let levels = levels.into_iter().enumerate();
        levels
            .filter(|(_, is_read)| *is_read)
            .map(|(level, _)| level as Level)
            .collect()
    }

    /// Returns the number of nodes of a function, without the constant.
    pub(crate) fn size(&self, f: Function) -> usize {
        let mut nodes = 0;
        self.walk(f, |_| nodes += 1);
        nodes
    }

    /// Visits the level of each node of a function once.
    fn walk(&self, f: Function, mut visit: impl FnMut(Level)) {
        let mut seen: FxHashSet<Function> = FxHashSet::default();
        let mut open = vec![f];
        while let Some(f) = open.pop() {
            let node = f.negated_if(f.is_negated());
            if node.is_constant() || !seen.insert(node) {
                continue;
            }
            let level = self.level(node);
            visit(level);
            open.extend(self.cofactors(node, level));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagrams::store::DiagramLimits;
    use hyperkill_core::budget::Budget;
    use rustc_hash::FxHashMap;

    const VARIABLES: u32 = 5;
    const VALUATIONS: u32 = 1 << VARIABLES;

    /// A function with its value for each valuation of the variables, a bit each.
    #[derive(Clone, Copy)]
    struct Known {
        function: Function,
        values: u32,
    }

    /// Returns a table with the value for each valuation of the variables, a bit each.
    fn table(of: impl Fn(u32) -> bool) -> u32 {
        (0..VALUATIONS).fold(0, |all, valuation| {
            all | u32::from(of(valuation)) << valuation
        })
    }

    fn is(values: u32, valuation: u32) -> bool {
        values >> valuation & 1 == 1
    }

    fn evaluated(store: &Store, function: Function) -> u32 {
        table(|valuation| {
            let mut function = function;
            while !function.is_constant() {
                let level = store.level(function);
                function = store.cofactors(function, level)[(valuation >> level & 1) as usize];
            }
            function == Function::TRUE
        })
    }

    /// A generator of pseudo-random numbers.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x14057b7ef767814f);
            (self.0 >> 33) as usize % most
        }
    }

    /// Performs a random operation on known functions, and returns the result with its expected values.
    fn operate(store: &mut Store, known: &[Known], numbers: &mut Numbers) -> Result<Known, Stop> {
        let mut pick = || known[numbers.below(known.len())];
        let [f, g, h] = [pick(), pick(), pick()];
        let mask = numbers.below(VALUATIONS as usize) as u32;
        let levels: Vec<Level> = (0..VARIABLES)
            .filter(|level| mask >> level & 1 == 1)
            .collect();
        let level = numbers.below(VARIABLES as usize) as Level;
        let cube = store.cube(levels)?;
        let some = |values: u32, valuation: u32| {
            let same = |other: u32| (other ^ valuation) & !mask == 0;
            (0..VALUATIONS).any(|other| same(other) && is(values, other))
        };
        let known = |function, values| Known { function, values };
        Ok(match numbers.below(8) {
            0 => known(store.and(f.function, !g.function)?, f.values & !g.values),
            1 => known(store.or(!f.function, g.function)?, !f.values | g.values),
            2 => known(store.iff(f.function, g.function)?, !(f.values ^ g.values)),
            3 => {
                let values = f.values & g.values | !f.values & h.values;
                known(store.ite(f.function, g.function, h.function)?, values)
            }
            4 => known(
                store.exists(f.function, cube)?,
                table(|v| some(f.values, v)),
            ),
            5 => {
                let both = f.values & g.values;
                let disjoint = store.are_disjoint(f.function, g.function)?;
                assert_eq!(disjoint, both == 0);
                let function = store.and_exists(f.function, g.function, cube)?;
                known(function, table(|valuation| some(both, valuation)))
            }
            6 => {
                let values = table(|valuation| {
                    let value = u32::from(is(g.values, valuation));
                    is(f.values, valuation & !(1 << level) | value << level)
                });
                known(store.compose(f.function, level, g.function)?, values)
            }
            _ => {
                let to = |from: Level| (from + 1 + level) % VARIABLES;
                let renaming = store.renaming((0..VARIABLES).map(|from| (from, to(from))));
                let values = table(|valuation| {
                    let before = (0..VARIABLES).map(|from| (valuation >> to(from) & 1) << from);
                    is(f.values, before.sum())
                });
                known(store.rename(f.function, &renaming)?, values)
            }
        })
    }

    #[test]
    fn operations_have_the_values_of_truth_tables_and_one_form_for_each_function() {
        let limits = DiagramLimits {
            nodes: 2_000,
            calls: u64::MAX,
        };
        let mut numbers = Numbers(1);
        let mut collections = 0;
        for _ in 0..20 {
            let budget = Budget::unlimited();
            let mut store = Store::new(VARIABLES as usize, limits, &budget).expect("small");
            let variable = |level: Level| Known {
                function: store.variable(level),
                values: table(|valuation| valuation >> level & 1 == 1),
            };
            let mut known: Vec<Known> = (0..VARIABLES).map(variable).collect();
            let mut forms: FxHashMap<u32, Function> = FxHashMap::default();
            for _ in 0..1_000 {
                let new = operate(&mut store, &known, &mut numbers).expect("within the limits");
                assert_eq!(evaluated(&store, new.function), new.values);
                let form = *forms.entry(new.values).or_insert(new.function);
                assert_eq!(form, new.function);
                let support = store.support(new.function);
                let reads = |level: &Level| {
                    let other = |v: u32| is(new.values, v) != is(new.values, v ^ 1 << level);
                    (0..VALUATIONS).any(other)
                };
                assert!(support.into_iter().eq((0..VARIABLES).filter(reads)));
                known.push(new);
                if known.len() > 40 {
                    known.drain(..20);
                    store.unpin(0);
                    store.pin(known.iter().map(|known| known.function));
                    store.collect();
                    forms.clear();
                    collections += 1;
                }
            }
        }
        assert!(collections > 100);
    }

    #[test]
    fn the_same_work_ends_at_the_same_place() {
        let ends_at = |calls: u64| {
            let limits = DiagramLimits {
                nodes: 1 << 16,
                calls,
            };
            let mut store = Store::new(16, limits, &Budget::unlimited()).expect("small");
            let mut sum = Function::FALSE;
            (0..16).find(|&level| {
                let variable = store.variable(level);
                match store.iff(sum, variable) {
                    Ok(next) => sum = next,
                    Err(stop) => {
                        assert_eq!(stop, Stop::Bound);
                        return true;
                    }
                }
                false
            })
        };
        assert_eq!(ends_at(10), ends_at(10));
        assert!(ends_at(10).is_some() && ends_at(10) < ends_at(40));
        assert_eq!(ends_at(u64::MAX), None);
    }
}
