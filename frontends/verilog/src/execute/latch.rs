//! Blocks without edges that do not assign a variable in some branch, so that it keeps its value: latches.
//!
//! Such a block has a meaning if each bit at rest is a monotone function of its own kept value: it is assigned a value that depends on no
//! kept value, or keeps its own. Then a further run of the block changes nothing. A block that computes with the kept value (`q = q + d`)
//! would feed itself while it is open.

use std::collections::BTreeSet;

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp, Term, TermId, UnaryOp};
use hyperkill_frontend::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Sensitivity, StmtId};
use crate::design::{Design, Latch, Leaf, Run, Stop, WordId};
use crate::state::{Elaborator, World};

/// Deepest nesting of the terms that are checked; the resolver refuses deeper ones.
const MAX_DEPTH: usize = 200_000;

/// Words with their values when a block has ended.
type Values = Vec<(WordId, TermId)>;

impl Elaborator<'_> {
    /// Returns whether a block with this sensitivity may be a latch.
    pub(super) fn latch(&self, waits: &Sensitivity, body: StmtId) -> Latch {
        let known = match (waits, &self.source.latches) {
            (Sensitivity::Latch, _) => return Latch::Yes,
            (Sensitivity::Inputs, _) => return Latch::No("`always_comb` makes no latch"),
            (_, None) => Latch::Perhaps,
            (_, Some(known)) if known.contains(&body) => Latch::Yes,
            (_, Some(_)) => return Latch::No("it would make a latch of a block that is none"),
        };
        // Beside exchanged assignments the original is a latch still.
        let alone = known == Latch::Perhaps || self.world != World::All;
        match alone && self.assigned[0].iter().any(|var| self.is_mixed(*var)) {
            true => Latch::No("a variable assigned by `=` and by `<=` makes no latch"),
            false => known,
        }
    }

    /// Returns the final values of the words that the current block assigns, if it may be a latch.
    pub(super) fn final_values(&self, latch: Latch) -> Values {
        let (Latch::Yes | Latch::Perhaps) = latch else {
            return Vec::new();
        };
        let value = |word: &WordId| {
            let value = self.env.waiting.get(word);
            value.or_else(|| self.env.blocking.get(word)).copied()
        };
        let words = self.written.keys();
        words
            .filter_map(|word| Some((*word, value(word)?)))
            .collect()
    }

    /// Notes whether the current block may be a latch, and sets aside the mutants that compute with kept values.
    ///
    /// # Errors
    /// If `always_latch`, or the only mutant, does so.
    pub(super) fn note_latch(&mut self, latch: Latch, values: &Values, place: Span) -> Run<()> {
        let mixed = self.assigned[0].iter().any(|var| self.is_mixed(*var));
        let fails = match self.old.is_empty() && !mixed {
            // The block has read no kept value.
            true => None,
            false => Check::new(&self.design, self.process, Present::Any).fails(values),
        };
        let latch = match (fails, latch) {
            (Some(_), Latch::Perhaps) => Latch::No("it also computes with the value that it keeps"),
            (Some(word), Latch::Yes) => {
                self.set_aside(values, word, place)?;
                latch
            }
            _ => latch,
        };
        match (self.world, latch, self.design.latches.get(&self.process)) {
            (World::All, ..) => {
                self.design.latches.insert(self.process, latch);
                Ok(())
            }
            (_, Latch::No(why), Some(Latch::Yes)) => Err(Stop::at(place, why)),
            _ => Ok(()),
        }
    }

    /// Sets aside the mutants that compute with kept values in a latch. The check for all mutants at once fails at `word`.
    ///
    /// # Errors
    /// If the original, or the only mutant, does so.
    fn set_aside(&mut self, values: &Values, word: WordId, place: Span) -> Run<()> {
        let process = self.process;
        let fails = |this: &Self, present| Check::new(&this.design, process, present).fails(values);
        let original = match self.world {
            World::All => fails(self, Present::Original),
            _ => Some(word),
        };
        let mutants = self.mutants_of(values);
        if let Some(word) = original {
            // Without mutants, a branch that the original never takes is gone.
            return Err(match self.world == World::All && !mutants.is_empty() {
                true => Stop::Apart(Vec::from_iter(mutants)),
                false => Stop::at(place, self.feeds_itself(word)),
            });
        }
        for mutant in mutants {
            if let Some(word) = fails(self, Present::Only(mutant)) {
                let why = self.feeds_itself(word);
                self.reject(&[mutant], &why);
            }
        }
        Ok(())
    }

    fn feeds_itself(&self, word: WordId) -> String {
        let name = self.design.word_name(word);
        format!(
            "`{name}` is computed from values that this latch keeps: it would feed itself while it is open"
        )
    }

    /// Returns the mutants in these values.
    fn mutants_of(&self, values: &Values) -> BTreeSet<usize> {
        let all = values.iter();
        all.flat_map(|(_, value)| self.design.words.selectors(*value))
            .collect()
    }
}

/// The mutants that a check is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Present {
    /// All, and the original: both values of a selector are possible.
    Any,
    /// None.
    Original,
    /// This one.
    Only(usize),
}

/// A check of the values of a block.
struct Check<'a> {
    design: &'a Design,
    process: usize,
    present: Present,
    /// Final values that are known to be right. They may be read again in the block.
    right: FxHashSet<TermId>,
    /// Whether terms depend on no kept value, except through `right`.
    free: FxHashMap<TermId, bool>,
    /// Values of conditions on selectors alone.
    truths: FxHashMap<TermId, Option<bool>>,
    /// The number of calls around the current one.
    depth: usize,
    /// Terms that keep bits of the current word, with the bit at which they begin.
    keeping: FxHashSet<(TermId, i64)>,
    /// The conditions around the current term, with their values.
    assumed: Vec<(TermId, bool)>,
    /// The number of terms that were right under these conditions only.
    relied: usize,
}

impl Check<'_> {
    fn new(design: &Design, process: usize, present: Present) -> Check<'_> {
        Check {
            design,
            process,
            present,
            right: FxHashSet::default(),
            free: FxHashMap::default(),
            truths: FxHashMap::default(),
            depth: 0,
            keeping: FxHashSet::default(),
            assumed: Vec::new(),
            relied: 0,
        }
    }

    /// Returns the first word that is computed from kept values; `None` if there is none.
    fn fails(&mut self, values: &Values) -> Option<WordId> {
        let mut open = values.clone();
        loop {
            let known = open.len();
            let mut failed = Vec::new();
            for (word, value) in open {
                self.keeping.clear();
                match self.keeps(value, word, 0) {
                    true if self.right.insert(value) => self.free.clear(),
                    true => {}
                    false => failed.push((word, value)),
                }
            }
            if failed.is_empty() || failed.len() == known {
                return failed.first().map(|(word, _)| *word);
            }
            open = failed;
        }
    }

    /// Returns the value of a condition on selectors alone; `None` if both are possible.
    fn truth(&mut self, condition: TermId) -> Option<bool> {
        if self.present == Present::Any || self.depth >= MAX_DEPTH {
            return self.design.words.pool.as_bool(condition);
        }
        if let Some(known) = self.truths.get(&condition) {
            return *known;
        }
        self.depth += 1;
        let value = self.truth_one(condition);
        self.depth -= 1;
        self.truths.insert(condition, value);
        value
    }

    fn truth_one(&mut self, condition: TermId) -> Option<bool> {
        let pool = &self.design.words.pool;
        match *pool.term(condition) {
            Term::Selector(mutant) => Some(self.present == Present::Only(mutant as usize)),
            Term::Unary(UnaryOp::Not, a) => self.truth(a).map(|value| !value),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if *pool.sort(condition) == Sort::Bool =>
            {
                let decides = op == BinaryOp::Or;
                match (self.truth(a), self.truth(b)) {
                    (Some(value), _) | (_, Some(value)) if value == decides => Some(decides),
                    (Some(_), Some(_)) => Some(!decides),
                    _ => None,
                }
            }
            _ => pool.as_bool(condition),
        }
    }

    /// Whether a term depends on no kept value of the block, except through final values that are right.
    fn is_free(&mut self, term: TermId) -> bool {
        if self.right.contains(&term) {
            return true;
        }
        if let Some(known) = self.free.get(&term) {
            return *known;
        }
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let free = self.is_free_one(term);
        self.depth -= 1;
        self.free.insert(term, free);
        free
    }

    fn is_free_one(&mut self, term: TermId) -> bool {
        let design = self.design;
        self.truth(term).is_some()
            || match *design.words.pool.term(term) {
                Term::Input(leaf) => match design.leaves[leaf as usize].0 {
                    Leaf::Old(_, process) => process != self.process,
                    Leaf::Final(index) if design.finals[index] != term => {
                        self.is_free(design.finals[index])
                    }
                    _ => true,
                },
                Term::Ite(condition, a, b) => match self.truth(condition) {
                    Some(first) => self.is_free(if first { a } else { b }),
                    None => self.is_free(condition) && self.is_free(a) && self.is_free(b),
                },
                _ => {
                    let mut operands = design.words.operands(term).into_iter().flatten();
                    operands.all(|operand| self.is_free(operand))
                }
            }
    }

    /// Whether each bit of a term is free, or the kept bit of `word` at its own place, or a monotone function of that bit. The term begins
    /// at the bit `at` of the word.
    fn keeps(&mut self, term: TermId, word: WordId, at: i64) -> bool {
        if self.is_free(term) || self.keeping.contains(&(term, at)) {
            return true;
        }
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let relied = self.relied;
        let keeps = self.keeps_one(term, word, at);
        self.depth -= 1;
        if keeps && self.relied == relied {
            self.keeping.insert((term, at));
        }
        keeps
    }

    /// Whether a term keeps bits of a word, as [`Check::keeps`] says, where this condition has this value. In a branch, a final value is
    /// read as its part for the branch.
    fn keeps_where(&mut self, case: (TermId, bool), term: TermId, word: WordId, at: i64) -> bool {
        self.assumed.push(case);
        let is_right = self.is_right_here(term);
        self.relied += usize::from(is_right);
        let keeps = is_right || self.keeps(term, word, at);
        self.assumed.pop();
        keeps
    }

    /// Whether a final value that is right equals this term under the conditions around it.
    fn is_right_here(&self, term: TermId) -> bool {
        let pool = &self.design.words.pool;
        let branch = |value: TermId| match *pool.term(value) {
            Term::Ite(condition, a, b) => {
                let mut assumed = self.assumed.iter();
                let case = assumed.find(|(assumed, _)| *assumed == condition)?;
                Some(if case.1 { a } else { b })
            }
            _ => None,
        };
        let mut right = self.right.iter();
        right.any(|&right| {
            std::iter::successors(Some(right), |&value| branch(value)).any(|value| value == term)
        })
    }

    fn keeps_one(&mut self, term: TermId, word: WordId, at: i64) -> bool {
        let design = self.design;
        let words = &design.words;
        match *words.pool.term(term) {
            Term::Input(leaf) => match design.leaves[leaf as usize].0 {
                Leaf::Old(old, _) => old == word && at == 0,
                Leaf::Final(index) if design.finals[index] != term => {
                    self.keeps(design.finals[index], word, at)
                }
                _ => false,
            },
            Term::Ite(condition, a, b) => match self.truth(condition) {
                Some(first) => self.keeps(if first { a } else { b }, word, at),
                None => {
                    self.is_free(condition)
                        && self.keeps_where((condition, true), a, word, at)
                        && self.keeps_where((condition, false), b, word, at)
                }
            },
            Term::Slice(a, low) => self.keeps(a, word, at - i64::from(low)),
            Term::Concat(high, low) => {
                let above = at + i64::from(words.width(low));
                self.keeps(low, word, at) && self.keeps(high, word, above)
            }
            Term::Binary(BinaryOp::And | BinaryOp::Or, a, b)
                if *words.pool.sort(term) != Sort::Bool =>
            {
                self.is_free(a) && self.keeps(b, word, at)
                    || self.is_free(b) && self.keeps(a, word, at)
            }
            _ => false,
        }
    }
}
