//! Operations on diagrams. Each recursion ends with an error when the effort is spent.

use hyperkill_core::budget::Stop;

use rustc_hash::{FxHashMap, FxHashSet};

use super::store::{AND, AND_EXISTS, Bdd, EXISTS, ITE, Level, Store, XOR};

/// A simultaneous replacement of some variables (by level) by functions.
pub(crate) struct Substitution {
    number: u32,
    images: Vec<Option<Bdd>>,
    /// The lowest level in the order (largest number) that is replaced.
    last: Option<Level>,
}

impl Store {
    /// Returns the conjunction `f ∧ g`. An error says that a limit or the budget is spent, here as in the other operations.
    pub(crate) fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        if f == g || g == Bdd::TRUE {
            return Ok(f);
        }
        if f == Bdd::TRUE {
            return Ok(g);
        }
        if f == Bdd::FALSE || g == Bdd::FALSE || f == !g {
            return Ok(Bdd::FALSE);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = [f.code(), g.code(), 0];
        if let Some(known) = self.remembered(AND, key) {
            return Ok(known);
        }
        self.call()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.and(f0, g0)?;
        let high = self.and(f1, g1)?;
        let result = self.node(level, low, high)?;
        Ok(self.remember(AND, key, result))
    }

    /// Whether `f ∧ g` is false, decided without building the conjunction.
    pub(crate) fn are_disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        if f == Bdd::FALSE || g == Bdd::FALSE || f == !g {
            return Ok(true);
        }
        if f == Bdd::TRUE || g == Bdd::TRUE || f == g {
            return Ok(false);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = [f.code(), g.code(), 0];
        if let Some(known) = self.remembered(AND, key) {
            return Ok(known == Bdd::FALSE);
        }
        self.call()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        if !self.are_disjoint(f0, g0)? || !self.are_disjoint(f1, g1)? {
            return Ok(false);
        }
        self.remember(AND, key, Bdd::FALSE);
        Ok(true)
    }

    /// Whether `f` implies `g`.
    pub(crate) fn implies(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        self.are_disjoint(f, !g)
    }

    /// Returns the disjunction `f ∨ g`.
    pub(crate) fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(!self.and(!f, !g)?)
    }

    /// Returns `f ∧ ¬g`: the set `f` without the set `g`.
    pub(crate) fn without(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.and(f, !g)
    }

    /// Returns `f ⊕ g`, which is true where the functions differ.
    pub(crate) fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        let flip = f.is_complemented() ^ g.is_complemented();
        let (f, g) = (
            f.complemented_if(f.is_complemented()),
            g.complemented_if(g.is_complemented()),
        );
        if f == g {
            return Ok(Bdd::constant(flip));
        }
        if f.is_constant() || g.is_constant() {
            // A constant here is true.
            let other = if f.is_constant() { g } else { f };
            return Ok((!other).complemented_if(flip));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = [f.code(), g.code(), 0];
        if let Some(known) = self.remembered(XOR, key) {
            return Ok(known.complemented_if(flip));
        }
        self.call()?;
        let level = self.level(f).min(self.level(g));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let low = self.xor(f0, g0)?;
        let high = self.xor(f1, g1)?;
        let result = self.node(level, low, high)?;
        Ok(self.remember(XOR, key, result).complemented_if(flip))
    }

    /// Returns `f ↔ g`, which is true where the functions are equal.
    pub(crate) fn iff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(!self.xor(f, g)?)
    }

    /// Returns the function `if f then g else h`.
    pub(crate) fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Stop> {
        if g == h {
            return Ok(g);
        }
        if f == Bdd::TRUE {
            return Ok(g);
        }
        if f == Bdd::FALSE {
            return Ok(h);
        }
        if g == Bdd::TRUE || g == f {
            return self.or(f, h);
        }
        if g == Bdd::FALSE || g == !f {
            return self.and(!f, h);
        }
        if h == Bdd::FALSE || h == f {
            return self.and(f, g);
        }
        if h == Bdd::TRUE || h == !f {
            return self.or(!f, g);
        }
        if g == !h {
            return self.iff(f, g);
        }
        let (f, g, h) = if f.is_complemented() {
            (!f, h, g)
        } else {
            (f, g, h)
        };
        let flip = g.is_complemented();
        let (g, h) = (g.complemented_if(flip), h.complemented_if(flip));
        let key = [f.code(), g.code(), h.code()];
        if let Some(known) = self.remembered(ITE, key) {
            return Ok(known.complemented_if(flip));
        }
        self.call()?;
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let (h0, h1) = self.cofactors(h, level);
        let low = self.ite(f0, g0, h0)?;
        let high = self.ite(f1, g1, h1)?;
        let result = self.node(level, low, high)?;
        Ok(self.remember(ITE, key, result).complemented_if(flip))
    }

    /// Returns the conjunction of the variables at these levels, for quantification.
    pub(crate) fn cube(&mut self, levels: impl IntoIterator<Item = Level>) -> Result<Bdd, Stop> {
        let mut levels: Vec<Level> = levels.into_iter().collect();
        levels.sort_unstable();
        levels.dedup();
        let mut cube = Bdd::TRUE;
        for &level in levels.iter().rev() {
            cube = self.node(level, Bdd::FALSE, cube)?;
        }
        Ok(cube)
    }

    /// Returns the cube without the variables at levels smaller than `level`.
    fn cube_from(&self, mut cube: Bdd, level: Level) -> Bdd {
        while self.level(cube) < level {
            cube = self.branches(cube).2;
        }
        cube
    }

    /// Returns `∃ cube. f`: the function `f` with the variables of the cube quantified existentially.
    pub(crate) fn exists(&mut self, f: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let (level, low, high) = self.branches(f);
        let cube = self.cube_from(cube, level);
        if cube.is_constant() {
            return Ok(f);
        }
        let key = [f.code(), cube.code(), 0];
        if let Some(known) = self.remembered(EXISTS, key) {
            return Ok(known);
        }
        self.call()?;
        let result = if self.level(cube) == level {
            let rest = self.branches(cube).2;
            let low = self.exists(low, rest)?;
            if low == Bdd::TRUE {
                low
            } else {
                let high = self.exists(high, rest)?;
                self.or(low, high)?
            }
        } else {
            let low = self.exists(low, cube)?;
            let high = self.exists(high, cube)?;
            self.node(level, low, high)?
        };
        Ok(self.remember(EXISTS, key, result))
    }

    /// Returns `∃ cube. f ∧ g`, without building the conjunction; the cube holds the quantified variables.
    pub(crate) fn and_exists(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        if f == Bdd::FALSE || g == Bdd::FALSE || f == !g {
            return Ok(Bdd::FALSE);
        }
        if f == g || g == Bdd::TRUE {
            return self.exists(f, cube);
        }
        if f == Bdd::TRUE {
            return self.exists(g, cube);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let level = self.level(f).min(self.level(g));
        let cube = self.cube_from(cube, level);
        if cube.is_constant() {
            return self.and(f, g);
        }
        let key = [f.code(), g.code(), cube.code()];
        if let Some(known) = self.remembered(AND_EXISTS, key) {
            return Ok(known);
        }
        self.call()?;
        let (f0, f1) = self.cofactors(f, level);
        let (g0, g1) = self.cofactors(g, level);
        let result = if self.level(cube) == level {
            let rest = self.branches(cube).2;
            let low = self.and_exists(f0, g0, rest)?;
            if low == Bdd::TRUE {
                low
            } else {
                let high = self.and_exists(f1, g1, rest)?;
                self.or(low, high)?
            }
        } else {
            let low = self.and_exists(f0, g0, cube)?;
            let high = self.and_exists(f1, g1, cube)?;
            self.node(level, low, high)?
        };
        Ok(self.remember(AND_EXISTS, key, result))
    }

    /// Returns the substitution that replaces the variables at these levels by these functions. The caller must keep the functions alive
    /// while it is used.
    pub(crate) fn substitution(
        &mut self,
        images: impl IntoIterator<Item = (Level, Bdd)>,
    ) -> Substitution {
        let mut by_level = vec![None; self.levels()];
        let mut last = None;
        for (level, image) in images {
            by_level[level as usize] = Some(image);
            last = last.max(Some(level));
        }
        Substitution {
            number: self.new_substitution(),
            images: by_level,
            last,
        }
    }

    /// Returns the function `f` with its variables replaced by the functions of the substitution.
    pub(crate) fn substitute(&mut self, f: Bdd, substitution: &Substitution) -> Result<Bdd, Stop> {
        let flip = f.is_complemented();
        Ok(self
            .substituted(f.complemented_if(flip), substitution)?
            .complemented_if(flip))
    }

    fn substituted(&mut self, f: Bdd, substitution: &Substitution) -> Result<Bdd, Stop> {
        if f.is_constant() || Some(self.level(f)) > substitution.last {
            return Ok(f);
        }
        let key = [f.code(), 0, 0];
        if let Some(known) = self.remembered(substitution.number, key) {
            return Ok(known);
        }
        self.call()?;
        let (level, low, high) = self.branches(f);
        let low = self.substitute(low, substitution)?;
        let high = self.substitute(high, substitution)?;
        let top = substitution.images[level as usize].unwrap_or(self.variable(level));
        let result = self.ite(top, high, low)?;
        Ok(self.remember(substitution.number, key, result))
    }

    /// Returns the conjunction of all these functions.
    pub(crate) fn all(&mut self, functions: &[Bdd]) -> Result<Bdd, Stop> {
        let mut all = Bdd::TRUE;
        for &function in functions {
            all = self.and(all, function)?;
        }
        Ok(all)
    }

    /// Returns the levels of all variables in the support of the functions, ascending.
    pub(crate) fn support(&self, functions: impl IntoIterator<Item = Bdd>) -> Vec<Level> {
        let mut found = vec![false; self.levels()];
        for (level, _, _) in self.reached(functions).1 {
            found[level as usize] = true;
        }
        let found = found.iter().enumerate().filter(|(_, found)| **found);
        found.map(|(level, _)| level as Level).collect()
    }

    /// Returns the number of distinct nodes of the functions, without the constant.
    pub(crate) fn size(&self, functions: impl IntoIterator<Item = Bdd>) -> usize {
        self.reached(functions).1.len()
    }

    /// Returns all nodes of the functions, operands first: a list of their indices, and a list of their level, low and high cofactor.
    pub(super) fn reached(
        &self,
        functions: impl IntoIterator<Item = Bdd>,
    ) -> (Vec<usize>, Vec<(Level, Bdd, Bdd)>) {
        let mut seen = FxHashSet::default();
        let mut open: Vec<usize> = functions.into_iter().map(Bdd::index).collect();
        let mut indices = Vec::new();
        while let Some(index) = open.pop() {
            let function = Store::positive(index);
            if function.is_constant() || !seen.insert(index) {
                continue;
            }
            indices.push(index);
            let (_, low, high) = self.branches(function);
            open.extend([low.index(), high.index()]);
        }
        // Nodes lower in the order come first.
        indices.sort_unstable_by_key(|&i| (std::cmp::Reverse(self.level(Store::positive(i))), i));
        let nodes = indices.iter().map(|&i| self.branches(Store::positive(i)));
        let nodes = nodes.collect();
        (indices, nodes)
    }

    /// Returns the number of valuations of `variables` variables that satisfy the function, which reads no others.
    pub(crate) fn count(&self, function: Bdd, variables: usize) -> f64 {
        // Fractions are computed for each node and its complement: a difference of large numbers would lose small ones.
        let mut parts: FxHashMap<Bdd, f64> = FxHashMap::default();
        parts.insert(Bdd::TRUE, 1.0);
        parts.insert(Bdd::FALSE, 0.0);
        let (indices, _) = self.reached([function]);
        for index in indices {
            for node in [Store::positive(index), !Store::positive(index)] {
                let (_, low, high) = self.branches(node);
                let of = |f: Bdd| parts.get(&f).copied().unwrap_or(0.0);
                let part = (of(low) + of(high)) / 2.0;
                parts.insert(node, part);
            }
        }
        parts.get(&function).copied().unwrap_or(0.0) * (variables as f64).exp2()
    }

    /// Returns the value of a function under the valuation that `of` gives.
    pub(crate) fn value(&self, mut function: Bdd, of: impl Fn(Level) -> bool) -> bool {
        while !function.is_constant() {
            let (level, low, high) = self.branches(function);
            function = if of(level) { high } else { low };
        }
        function == Bdd::TRUE
    }

    /// Returns the values of the variables on the least path to true; `None` if the function is false.
    pub(crate) fn pick(&self, mut function: Bdd) -> Option<Vec<(Level, bool)>> {
        let mut values = Vec::new();
        while !function.is_constant() {
            let (level, low, high) = self.branches(function);
            let value = low == Bdd::FALSE;
            values.push((level, value));
            function = if value { high } else { low };
        }
        (function == Bdd::TRUE).then_some(values)
    }
}
