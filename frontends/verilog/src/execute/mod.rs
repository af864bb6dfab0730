//! Symbolic execution: processes to terms and drivers.
//!
//! A process runs once, on terms. Blocking assignments change later reads; non-blocking ones take effect when the process ends. Branches
//! whose condition is not constant are both executed, and their assignments are joined.

mod apart;
mod array;
mod call;
mod constant;
mod declare;
mod driving;
mod edges;
mod expression;
mod floating;
mod interface;
mod jump;
mod latch;
mod memory;
mod places;
mod power;
mod process;
mod sampled;
mod selection;
mod statement;
mod stream;
mod system;
mod target;
mod timing;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hyperkill_core::system::Warning;
use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;

pub(crate) use declare::flatten;
pub use memory::READ_MEMORY;

use crate::design::{Leaf, Run, Stop, WordId};
use crate::state::{Elaborator, Env, Mode, World};

impl Elaborator<'_> {
    /// Returns the value of a word as the current process reads it.
    pub(crate) fn read(&mut self, word: WordId) -> Run<TermId> {
        if let Some(value) = self.env.blocking.get(&word) {
            return Ok(*value);
        }
        if let Some(value) = self.constant_word(word)? {
            return Ok(value);
        }
        self.read_net(word)
    }

    /// Returns the value of a word of a variable, or of a parameter that is a table.
    fn read_net(&mut self, word: WordId) -> Run<TermId> {
        if !self.env.early.is_empty() {
            let after = (Rc::clone(&self.env.early), word);
            self.design.read_after.push(after);
        }
        let (var, ..) = self.design.elements[word.0];
        if self.design.var(var).local {
            let width = self.design.var(var).width;
            let value = self.unknown_of(Some(word), width);
            self.env.blocking.insert(word, value);
            return Ok(value);
        }
        match self.mode {
            Mode::Constant => {
                let name = self.design.word_name(word);
                Err(Stop::Model(Box::new(
                    hyperkill_frontend::Diagnostic::unlocated(format!("`{name}` is not constant")),
                )))
            }
            Mode::Edge if self.held && self.assigned.iter().any(|all| all.contains(&var)) => {
                Ok(self.held_value(word))
            }
            Mode::Combinational if self.assigned[0].contains(&var) => Ok(self.old_value(word)),
            Mode::Initial => match self.design.initial.get(&word) {
                Some(value) => {
                    let value = *value;
                    Ok(self.in_this_world(value))
                }
                None => Ok(self.design.word(word)),
            },
            _ => Ok(self.design.word(word)),
        }
    }

    /// Returns the value that non-blocking assignments of a word start from.
    pub(crate) fn waiting(&mut self, word: WordId) -> TermId {
        if let Some(value) = self.env.waiting.get(&word) {
            return *value;
        }
        let (var, ..) = self.design.elements[word.0];
        if self.assigned[0].contains(&var) && self.mode != Mode::Initial {
            // Non-blocking assignments take effect after all blocking ones.
            if let Some((_, leaf)) = self.finals.get(&word) {
                return *leaf;
            }
            let width = self.design.var(var).width;
            let index = self.design.finals.len();
            let leaf = self.design.leaf(Leaf::Final(index), width);
            self.design.finals.push(leaf);
            self.finals.insert(word, (index, leaf));
            return leaf;
        }
        match self.mode {
            Mode::Combinational => self.old_value(word),
            Mode::Edge if self.held => self.held_value(word),
            _ => self.design.word(word),
        }
    }

    /// Returns the stored value of a register while an asynchronous reset is active.
    pub(super) fn held_value(&mut self, word: WordId) -> TermId {
        if let Some(held) = self.old.get(&word) {
            return *held;
        }
        let width = self.design.var(self.design.elements[word.0].0).width;
        let leaf = self.design.leaf(Leaf::Held(word), width);
        self.old.insert(word, leaf);
        leaf
    }

    /// Returns an unknown value: a choice.
    pub(crate) fn unknown(&mut self, width: u32) -> TermId {
        self.unknown_of(None, width)
    }

    /// Returns the unknown value of a word that has none yet, or of the expression that is being evaluated.
    fn unknown_of(&mut self, word: Option<WordId>, width: u32) -> TermId {
        let moment = self.unknowns.moment(self.at, self.reading, word, width);
        // Executions for single mutants reuse the unknown values of the first execution.
        if self.world != World::All
            && let Some(known) = self.unknowns.next(moment)
        {
            return known;
        }
        let path = self.path_of(self.scope, "x");
        let count = self.choices.entry(path.clone()).or_default();
        *count += 1;
        let name = match count {
            1 => path,
            _ => format!("{path}.{count}"),
        };
        if self.world == World::All && !self.mute {
            self.design.chosen.push((name.clone(), self.at));
        }
        let leaf = self.design.leaf(Leaf::Choice(name), width);
        if self.world == World::All && !self.mute {
            self.unknowns.keep(moment, leaf);
        }
        leaf
    }

    /// Warns that simulators read a place differently, once for all instances.
    pub(crate) fn warn(&mut self, message: String, place: Span) {
        let warning = Warning {
            message,
            file: place.file,
            bytes: (place.start, place.end),
        };
        let place = |warning: &Warning| (warning.file, warning.bytes);
        let mut known = self.design.warnings.iter();
        let is_new = known.all(|known| place(known) != place(&warning));
        if self.world == World::All && is_new {
            self.design.warnings.push(warning);
        }
    }

    /// Replaces the environment by the join of two branches: `then` where the condition holds, `other` elsewhere. The environment before is
    /// discarded, so both branches must begin as copies of it. Of a branch whose paths have all jumped away, only the pending jumps are
    /// kept.
    pub(crate) fn join(&mut self, condition: TermId, mut then: Env, mut other: Env) -> Run<()> {
        let parked = self.join_parked(condition, &mut then, &mut other)?;
        if then.gone || other.gone {
            self.env = if then.gone { other } else { then };
            self.env.parked = parked;
            return Ok(());
        }
        let mixed = self.join_mixed(condition, &mut then, &mut other)?;
        let mut early = std::mem::take(&mut then.early);
        if !other.early.is_empty() && !Rc::ptr_eq(&early, &other.early) {
            Rc::make_mut(&mut early).extend(&other.early);
        }
        let words = words_of_either(&then.blocking, &other.blocking);
        self.env = Env::default();
        let mut blocking = BTreeMap::new();
        for word in words {
            let (a, b) = (then.blocking.get(&word), other.blocking.get(&word));
            let value = match (a, b) {
                (Some(a), Some(b)) if a == b => *a,
                _ => {
                    let base = match (a, b) {
                        (Some(_), Some(_)) => None,
                        _ => Some(self.before(word)?),
                    };
                    let pick = |value: Option<&TermId>| value.copied().or(base);
                    match (pick(a), pick(b)) {
                        (Some(a), Some(b)) => self.design.words.ite(condition, a, b)?,
                        _ => continue,
                    }
                }
            };
            blocking.insert(word, value);
        }
        let words = words_of_either(&then.waiting, &other.waiting);
        let mut waiting = BTreeMap::new();
        for word in words {
            let base = self.waiting(word);
            let a = then.waiting.get(&word).copied().unwrap_or(base);
            let b = other.waiting.get(&word).copied().unwrap_or(base);
            let value = if a == b {
                a
            } else {
                self.design.words.ite(condition, a, b)?
            };
            waiting.insert(word, value);
        }
        self.env = Env {
            blocking,
            waiting,
            mixed,
            early,
            parked,
            gone: false,
        };
        Ok(())
    }

    /// Returns the value of a word in the branch that has not assigned it.
    fn before(&mut self, word: WordId) -> Run<TermId> {
        let value = self.read(word)?;
        // `read` may have noted the word in the environment under construction.
        self.env.blocking.remove(&word);
        Ok(value)
    }
}

/// Returns the words that at least one of two branches has assigned, in order.
fn words_of_either<T>(a: &BTreeMap<WordId, T>, b: &BTreeMap<WordId, T>) -> BTreeSet<WordId> {
    a.keys().chain(b.keys()).copied().collect()
}
