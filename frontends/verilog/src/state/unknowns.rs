//! The unknown values of a process, by the moments at which execution meets them.
//!
//! A process is executed several times if mutants need executions of their own. Two executions share an unknown value if they meet it at
//! the same moment, and only then: values of different moments may differ in one run of the design.

use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;
use rustc_hash::FxHashMap;

use crate::ast::ExprId;
use crate::design::WordId;

/// A moment of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Moment {
    /// A number for the loop iterations and calls around the moment, from `turns` of [`Unknowns`].
    turn: usize,
    /// File and first byte of the statement.
    statement: (usize, usize),
    /// The innermost expression.
    expr: Option<ExprId>,
    /// The word that is read, if it is a variable without a value.
    word: Option<WordId>,
    /// Bits of the value.
    width: u32,
}

/// The unknown values of a process.
#[derive(Default, Debug)]
pub struct Unknowns {
    /// The values that the execution with all mutants has met.
    values: FxHashMap<Moment, Vec<TermId>>,
    /// How often the current execution has met a moment.
    met: FxHashMap<Moment, usize>,
    /// The turn of a loop or the call that is being executed.
    turn: usize,
    /// The numbers of turns and calls, by the turn or call around, the place of the loop or call, and the number of the turn.
    turns: FxHashMap<(usize, (usize, usize), usize), usize>,
}

impl Unknowns {
    /// Forgets all values, before another process is executed.
    pub fn clear(&mut self) {
        *self = Unknowns::default();
    }

    /// Begins another execution of the process.
    pub fn begin(&mut self) {
        self.met.clear();
        self.turn = 0;
    }

    /// Returns the current moment.
    #[must_use]
    pub fn moment(
        &self,
        at: Span,
        expr: Option<ExprId>,
        word: Option<WordId>,
        width: u32,
    ) -> Moment {
        Moment {
            turn: self.turn,
            statement: (at.file, at.start),
            expr,
            word,
            width,
        }
    }

    /// Returns the value that the execution with all mutants has met at this moment; `None` if it has not.
    pub fn next(&mut self, moment: Moment) -> Option<TermId> {
        let met = self.met.entry(moment).or_default();
        *met += 1;
        self.values.get(&moment)?.get(*met - 1).copied()
    }

    /// Keeps a value that the execution with all mutants meets.
    pub fn keep(&mut self, moment: Moment, value: TermId) {
        self.values.entry(moment).or_default().push(value);
    }

    /// Enters a turn of the loop, or the call, at this place. Returns the turn or call around, for [`leave`](Self::leave).
    pub fn enter(&mut self, at: Span, number: usize) -> usize {
        let count = self.turns.len() + 1;
        let key = (self.turn, (at.file, at.start), number);
        let inner = *self.turns.entry(key).or_insert(count);
        std::mem::replace(&mut self.turn, inner)
    }

    /// Leaves a turn or call, to the one around it.
    pub fn leave(&mut self, outer: usize) {
        self.turn = outer;
    }
}
