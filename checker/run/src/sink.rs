//! The listener of a run: it is told of messages, methods and results.

use crate::documents::{MutantResult, Timings};

/// The importance of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Something that the user should look at.
    Warning,
    /// Something that goes on.
    Note,
    /// Something for users who want to know more.
    Detail,
}

/// Something that happens in a run.
#[derive(Debug)]
pub enum Event<'e> {
    /// A message.
    Said(Level, String),
    /// Deciding begins.
    Begins {
        /// Mutants to decide, those with results from before among them.
        mutants: usize,
        /// The results from before.
        before: Vec<&'e MutantResult>,
    },
    /// A method begins to look at so many mutants that are open.
    Tries {
        /// The method.
        method: &'e str,
        /// The mutants.
        open: usize,
    },
    /// A mutant is decided.
    Decided(&'e MutantResult),
    /// Work goes on. It may be a long time until the next event.
    Works,
    /// Deciding ends.
    Ends,
    /// Playing tests on killed mutants begins.
    Plays {
        /// Tests.
        tests: usize,
        /// Killed mutants.
        mutants: usize,
    },
    /// All tests are played on so many more mutants.
    Played(usize),
    /// Playing ends.
    Finishes,
    /// The documents are written. It took so long.
    Timed(&'e Timings),
}

/// The listener of a run.
pub trait Sink: Send {
    /// Hears of something.
    fn hear(&mut self, event: Event<'_>);

    /// Hears a message.
    fn say(&mut self, level: Level, text: String) {
        self.hear(Event::Said(level, text));
    }
}

/// A listener that forgets everything.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silence;

impl Sink for Silence {
    fn hear(&mut self, _: Event<'_>) {}
}
