//! Blocks without memory that assign a variable by `=` and by `<=`.
//!
//! A value assigned by `<=` takes effect when the block has ended, and overrides `=` (IEEE 1364-2005 §11.4). If the block waits for the
//! variable, it starts again then, so that its last run reads the final value of the variable. Three things
//! have no such meaning, and are refused:
//! - `<=` after `=`, of a variable that the block waits for: it would change for ever;
//! - `=` after `<=`, where simulators keep the one and synthesis the other;
//! - a read before the assignment, of a variable that the block does not wait for: a latch.
//!
//! Races between blocks are not considered: all values are those at rest.

use std::collections::BTreeMap;

use hyperkill_core::term::{BinaryOp as Core, Term, TermId, UnaryOp};
use hyperkill_frontend::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::words_of_either;
use crate::ast::{ExprId, ExprKind, Sensitivity};
use crate::design::{Entity, Leaf, Run, Stop, VarId, WordId};
use crate::state::{Block, Elaborator, Env, Late, Mode, Waits, World};

/// Most conditions that one value is split by; the rest of the value is one choice.
const MAX_STEPS: usize = 2_000;

/// Conditions that are known to hold or not to hold.
type Facts = FxHashMap<TermId, bool>;

impl Elaborator<'_> {
    /// Whether the current block assigns a variable in both ways.
    pub(super) fn is_mixed(&self, var: VarId) -> bool {
        self.mode == Mode::Combinational
            && self.assigned.iter().all(|all| all.contains(&var))
            && !self.design.var(var).local
    }

    /// Whether the current block runs again when this variable changes.
    pub(super) fn waits_for(&self, var: VarId) -> bool {
        match &self.block.waits {
            Waits::Reads => true,
            Waits::Inputs => false,
            Waits::For(all) => all.contains(&var),
        }
    }

    /// Returns the value that a word (a variable, or an element of an array) has before the current process runs.
    pub(super) fn old_value(&mut self, word: WordId) -> TermId {
        let (var, ..) = self.design.elements[word.0];
        let early = self.is_mixed(var).then_some((word, self.path));
        let known = match &early {
            Some(key) => self.block.early.get(key),
            None => self.old.get(&word),
        };
        if let Some(known) = known {
            return *known;
        }
        let width = self.design.var(var).width;
        let leaf = self.design.leaf(Leaf::Old(word, self.process), width);
        match early {
            Some(key) => self.block.early.insert(key, leaf),
            None => self.old.insert(word, leaf),
        };
        leaf
    }

    /// Begins a block with this sensitivity.
    pub(super) fn begin_block(&mut self, waits: &Sensitivity) {
        let waits = match waits {
            Sensitivity::Inputs | Sensitivity::Latch => Waits::Inputs,
            Sensitivity::Levels(levels) => {
                let mut all = FxHashSet::default();
                for level in levels {
                    self.variables_of(*level, &mut all);
                }
                Waits::For(all)
            }
            _ => Waits::Reads,
        };
        self.block = Block {
            waits,
            ..Block::default()
        };
    }

    /// Collects the variables that an expression names.
    fn variables_of(&self, expr: ExprId, found: &mut FxHashSet<VarId>) {
        let source = self.source;
        if let ExprKind::Name(path) = &source.expr(expr).kind
            && let Some(step) = path.first()
            && let Some(Entity::Var(var)) = self.lookup(&step.name)
        {
            found.insert(var);
        }
        match &source.expr(expr).kind {
            ExprKind::Unary(_, a) | ExprKind::Part(a, ..) => self.variables_of(*a, found),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Indexed {
                base: a, start: b, ..
            } => {
                self.variables_of(*a, found);
                self.variables_of(*b, found);
            }
            ExprKind::Concat(parts) => {
                for part in parts {
                    self.variables_of(*part, found);
                }
            }
            _ => {}
        }
    }

    /// Notes that an expression of a block without memory or of a continuous assignment reads a variable.
    pub(super) fn note_read(&mut self, var: VarId, place: Span) {
        let listens = matches!(self.mode, Mode::Combinational | Mode::Continuous);
        if listens && !self.design.var(var).local {
            let reads = match self.calls {
                0 => &mut self.block.reads,
                _ => &mut self.block.read_in_calls,
            };
            reads.entry(var).or_insert(place);
        }
    }

    /// Warns if the block or the continuous assignment reads variables that it does not wait for. Synthesis and this front end treat that
    /// as an oversight. Simulators keep the assigned values until the block runs again.
    pub(super) fn warn_of_deafness(&mut self) {
        let heard = |var: &VarId| match &self.block.waits {
            Waits::For(heard) => heard.contains(var),
            // A block waits for the arguments of a call, not for other variables that the routine reads (IEEE 1800-2017 §9.2.2.2.1).
            Waits::Reads => self.block.reads.contains_key(var),
            Waits::Inputs => true,
        };
        let reads = self.block.reads.iter().chain(&self.block.read_in_calls);
        let unheard = reads.filter(|(var, _)| {
            let assigned = self.assigned.iter().any(|all| all.contains(var));
            !heard(var) && !assigned
        });
        let unheard: BTreeMap<VarId, Span> = unheard.map(|(var, place)| (*var, *place)).collect();
        let Some(place) = unheard.values().min_by_key(|span| (span.file, span.start)) else {
            return;
        };
        let names = unheard.keys().map(|var| &self.design.var(*var).name);
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        let message = match (self.mode, &self.block.waits) {
            (Mode::Continuous, _) => format!(
                "a function of this assignment reads {names}, which the assignment does not wait for: it is taken as if it did, as in \
                synthesis; simulators differ"
            ),
            (_, Waits::Reads) => format!(
                "a function of this block reads {names}, which `@*` does not wait for: it is taken as `always_comb`, as in \
                synthesis; simulators differ"
            ),
            _ => format!(
                "this block reads {names} without waiting for it: it is taken as `always @*`, as in synthesis; simulators differ"
            ),
        };
        let place = *place;
        self.warn(message, place);
    }

    fn parts_of_mixed(&mut self, word: WordId) -> Run<Vec<Late>> {
        if let Some(known) = self.env.mixed.get(&word) {
            return Ok(known.clone());
        }
        let kept = self.read(word)?;
        let never = self.design.words.pool.bool(false);
        Ok(vec![Late {
            low: 0,
            width: self.design.words.width(kept),
            now: never,
            late: never,
            // Never asked for.
            value: kept,
            kept,
        }])
    }

    /// Returns the parts split at the bits `cuts` of the word.
    fn split_at(&mut self, parts: Vec<Late>, cuts: &[u32]) -> Run<Vec<Late>> {
        let mut found = Vec::new();
        for stretch in parts {
            let (mut low, end) = (stretch.low, stretch.low + stretch.width);
            let inside = cuts.iter().filter(|cut| low < **cut && **cut < end);
            let mut ends: Vec<u32> = inside.copied().collect();
            ends.push(end);
            ends.sort_unstable();
            ends.dedup();
            for end in ends {
                let words = &mut self.design.words;
                let (from, width) = (low - stretch.low, end - low);
                found.push(Late {
                    low,
                    width,
                    now: stretch.now,
                    late: stretch.late,
                    value: words.slice(stretch.value, from, width)?,
                    kept: words.slice(stretch.kept, from, width)?,
                });
                low = end;
            }
        }
        Ok(found)
    }

    /// Assigns `part` to bits of a word from `low` up, under the condition `guard`, by `=` if `blocking`, otherwise by `<=`. The block
    /// assigns the word in both ways.
    ///
    /// # Errors
    /// If `=` follows `<=` on a path.
    pub(super) fn assign_mixed(
        &mut self,
        word: WordId,
        low: u32,
        part: TermId,
        guard: TermId,
        blocking: bool,
    ) -> Run<()> {
        let (var, ..) = self.design.elements[word.0];
        let width = self.design.words.width(part);
        let parts = self.parts_of_mixed(word)?;
        let mut parts = self.split_at(parts, &[low, low + width])?;
        let mut facts = Facts::default();
        if let Some(path) = self.path {
            self.learn(&mut facts, path, true);
        }
        self.learn(&mut facts, guard, true);
        let mut seen = self.read(word)?;
        let inside = |s: &&mut Late| low <= s.low && s.low + s.width <= low + width;
        for stretch in parts.iter_mut().filter(inside) {
            let (late, now) = (stretch.late, stretch.now);
            let value = self
                .design
                .words
                .slice(part, stretch.low - low, stretch.width)?;
            if blocking {
                if self.known(&facts, late) != Some(false) {
                    let name = self.design.word_name(word);
                    let message = format!(
                        "`{name}` gets a value by `<=` and then by `=`: simulators take the first, synthesis the last"
                    );
                    return Err(Stop::at(self.at, message));
                }
                let words = &mut self.design.words;
                stretch.now = words.pool.binary(Core::Or, now, guard)?;
                stretch.kept = words.ite(guard, value, stretch.kept)?;
            } else {
                let untouched = self.known(&facts, now) == Some(false);
                if !untouched {
                    self.block.clashes.push((var, self.at));
                }
                let never = self.design.words.pool.as_bool(late) == Some(false);
                let words = &mut self.design.words;
                stretch.late = words.pool.binary(Core::Or, late, guard)?;
                stretch.value = match never {
                    true => value,
                    false => words.ite(guard, value, stretch.value)?,
                };
                if untouched && self.waits_for(var) {
                    // At rest the block has read its own assignment.
                    let own = self.design.word(word);
                    let words = &mut self.design.words;
                    let own = words.slice(own, stretch.low, stretch.width)?;
                    let before = words.slice(seen, stretch.low, stretch.width)?;
                    let after = words.ite(guard, own, before)?;
                    seen = words.replace(seen, stretch.low, after)?;
                }
            }
        }
        if !blocking {
            self.env.blocking.insert(word, seen);
        }
        self.env.mixed.insert(word, parts);
        Ok(())
    }

    /// Returns the join of the assignments of two branches to the words that the block assigns by `=` and by `<=`. Values under a condition
    /// that never holds are dropped.
    pub(super) fn join_mixed(
        &mut self,
        condition: TermId,
        then: &mut Env,
        other: &mut Env,
    ) -> Run<BTreeMap<WordId, Vec<Late>>> {
        let words = words_of_either(&then.mixed, &other.mixed);
        let mut joined = BTreeMap::new();
        for word in words {
            let mut sides = Vec::new();
            for env in [&mut *then, &mut *other] {
                std::mem::swap(&mut self.env, env);
                let parts = self.parts_of_mixed(word);
                // Reading may have noted only choices.
                std::mem::swap(&mut self.env, env);
                sides.push(parts?);
            }
            let cuts: Vec<u32> = sides.iter().flatten().map(|stretch| stretch.low).collect();
            let b = sides.pop().unwrap_or_default();
            let a = sides.pop().unwrap_or_default();
            if a == b {
                joined.insert(word, a);
                continue;
            }
            let (a, b) = (self.split_at(a, &cuts)?, self.split_at(b, &cuts)?);
            let mut both = Vec::new();
            for (a, b) in a.into_iter().zip(b) {
                let words = &mut self.design.words;
                let (first, second) = (words.pool.as_bool(a.late), words.pool.as_bool(b.late));
                let value = match (first, second) {
                    (Some(false), _) => b.value,
                    (_, Some(false)) => a.value,
                    _ => words.ite(condition, a.value, b.value)?,
                };
                let kept = match (first, second) {
                    (Some(true), _) => b.kept,
                    (_, Some(true)) => a.kept,
                    _ => words.ite(condition, a.kept, b.kept)?,
                };
                both.push(Late {
                    low: a.low,
                    width: a.width,
                    now: words.ite(condition, a.now, b.now)?,
                    late: words.ite(condition, a.late, b.late)?,
                    value,
                    kept,
                });
            }
            joined.insert(word, both);
        }
        Ok(joined)
    }

    /// Computes the values, at rest, of words that the block assigns in both ways.
    pub(super) fn at_rest(&mut self) -> Run<()> {
        for (var, place) in std::mem::take(&mut self.block.clashes) {
            let waits = match &self.block.waits {
                Waits::Reads => self.block.reads.contains_key(&var),
                _ => self.waits_for(var),
            };
            if waits {
                let message = format!(
                    "`{}` never comes to rest: this block gives it a value by `=` and then by `<=`, and starts again whenever it changes",
                    self.design.var(var).name
                );
                return Err(Stop::at(place, message));
            }
        }
        if self.world != World::All {
            self.must_see_changes()?;
        }
        let mixed = std::mem::take(&mut self.env.mixed);
        for ((word, path), leaf) in std::mem::take(&mut self.block.early) {
            let (var, ..) = self.design.elements[word.0];
            let mut facts = Facts::default();
            if let Some(path) = path {
                self.learn(&mut facts, path, true);
            }
            let late = |stretch: &Late| self.known(&facts, stretch.late) == Some(true);
            let assigned = mixed.get(&word).is_some_and(|all| all.iter().all(late));
            if assigned
                && self.waits_for(var)
                && let Term::Input(leaf) = *self.design.words.pool.term(leaf)
            {
                self.design.leaves[leaf as usize].0 = Leaf::Word(word);
            }
        }
        for (word, parts) in mixed {
            let mut whole: Option<TermId> = None;
            for stretch in parts {
                let mut steps = MAX_STEPS;
                let (late, value, kept) = (stretch.late, stretch.value, stretch.kept);
                let value =
                    self.either_at_rest(&Facts::default(), late, value, kept, &mut steps)?;
                whole = Some(match whole {
                    None => value,
                    Some(below) => self.design.words.concat(value, below)?,
                });
            }
            if let Some(whole) = whole {
                self.env.waiting.insert(word, whole);
            }
        }
        Ok(())
    }

    /// Checks that a mutant means the same to simulators and to synthesis. It does not if it assigns by `<=` a variable that the block
    /// reads and does not wait for: simulators then read the value of the last run.
    fn must_see_changes(&self) -> Run<()> {
        for (reads, inside) in [
            (&self.block.reads, false),
            (&self.block.read_in_calls, true),
        ] {
            for (var, place) in reads {
                let waits = match &self.block.waits {
                    // The block does not wait for variables that functions and tasks read.
                    Waits::Reads => !inside || self.block.reads.contains_key(var),
                    _ => self.waits_for(*var),
                };
                if self.assigned[1].contains(var) && !self.is_mixed(*var) && !waits {
                    let message = format!(
                        "`{}` gets a value by `<=` in this block, which reads it and does not wait for it",
                        self.design.var(*var).name
                    );
                    return Err(Stop::at(*place, message));
                }
            }
        }
        Ok(())
    }

    /// Returns `if condition then a else b`, split by the conditions that `condition` tests one after the other. So selectors stand by
    /// themselves, and values that `facts` exclude disappear. Each split takes one of `steps`; without any left, the condition is not
    /// split.
    fn either_at_rest(
        &mut self,
        facts: &Facts,
        condition: TermId,
        a: TermId,
        b: TermId,
        steps: &mut usize,
    ) -> Run<TermId> {
        match self.known(facts, condition) {
            Some(true) => return Ok(self.chosen_by(facts, a)),
            Some(false) => return Ok(self.chosen_by(facts, b)),
            None if *steps == 0 => return Ok(self.design.words.ite(condition, a, b)?),
            None => *steps -= 1,
        }
        let also = |this: &Self, condition, holds| {
            let mut facts = facts.clone();
            this.learn(&mut facts, condition, holds);
            facts
        };
        match *self.design.words.pool.term(condition) {
            Term::Unary(UnaryOp::Not, inner) => self.either_at_rest(facts, inner, b, a, steps),
            Term::Binary(Core::And, first, second) => {
                let if_first = also(self, first, true);
                let a = self.either_at_rest(&if_first, second, a, b, steps)?;
                self.either_at_rest(facts, first, a, b, steps)
            }
            Term::Binary(Core::Or, first, second) => {
                let if_not = also(self, first, false);
                let b = self.either_at_rest(&if_not, second, a, b, steps)?;
                self.either_at_rest(facts, first, a, b, steps)
            }
            Term::Ite(first, second, third) => {
                let (if_first, if_not) = (also(self, first, true), also(self, first, false));
                let then = self.either_at_rest(&if_first, second, a, b, steps)?;
                let other = self.either_at_rest(&if_not, third, a, b, steps)?;
                self.either_at_rest(facts, first, then, other, steps)
            }
            _ => {
                let a = self.chosen_by(&also(self, condition, true), a);
                let b = self.chosen_by(&also(self, condition, false), b);
                Ok(self.design.words.ite(condition, a, b)?)
            }
        }
    }

    /// Returns a value simplified by known conditions.
    fn chosen_by(&self, facts: &Facts, mut value: TermId) -> TermId {
        while let Term::Ite(condition, a, b) = *self.design.words.pool.term(value) {
            value = match self.known(facts, condition) {
                Some(true) => a,
                Some(false) => b,
                None => break,
            };
        }
        value
    }

    /// Adds a condition's value to the facts, with its direct consequences.
    fn learn(&self, facts: &mut Facts, condition: TermId, holds: bool) {
        let mut stack = vec![(condition, holds)];
        while let Some((condition, holds)) = stack.pop() {
            facts.insert(condition, holds);
            match *self.design.words.pool.term(condition) {
                Term::Unary(UnaryOp::Not, a) => stack.push((a, !holds)),
                Term::Binary(Core::And, a, b) if holds => stack.extend([(a, true), (b, true)]),
                Term::Binary(Core::Or, a, b) if !holds => stack.extend([(a, false), (b, false)]),
                _ => {}
            }
        }
    }

    /// Returns whether a condition holds; `None` if the facts do not say.
    fn known(&self, facts: &Facts, condition: TermId) -> Option<bool> {
        let pool = &self.design.words.pool;
        if let Some(value) = pool.as_bool(condition) {
            return Some(value);
        }
        if let Some(value) = facts.get(&condition) {
            return Some(*value);
        }
        match *pool.term(condition) {
            Term::Unary(UnaryOp::Not, a) => self.known(facts, a).map(|value| !value),
            Term::Binary(op @ (Core::And | Core::Or), a, b) => {
                let decides = op == Core::Or;
                match (self.known(facts, a), self.known(facts, b)) {
                    (Some(value), _) | (_, Some(value)) if value == decides => Some(decides),
                    (Some(_), Some(_)) => Some(!decides),
                    _ => None,
                }
            }
            Term::Ite(c, a, b) => match self.known(facts, c) {
                Some(true) => self.known(facts, a),
                Some(false) => self.known(facts, b),
                None => None,
            },
            _ => None,
        }
    }
}
