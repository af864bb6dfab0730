//! Sinks receive the events of a run: messages, methods and results.

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
    /// The run begins to decide mutants.
    Begins {
        /// Mutants of the run, also those with results from before.
        mutants: usize,
        /// The results from before.
        before: Vec<&'e MutantResult>,
    },
    /// A method begins to work on the mutants that are open.
    Tries {
        /// The method.
        method: &'e str,
        /// Their number.
        open: usize,
    },
    /// A mutant is decided.
    Decided(&'e MutantResult),
    /// The run still works, although nothing else has happened.
    Works,
    /// No mutants are decided any more.
    Ends,
    /// The run begins to try all tests on all killed mutants, to choose the suite.
    Plays {
        /// Tests.
        tests: usize,
        /// Killed mutants.
        mutants: usize,
    },
    /// All tests were tried on so many more mutants.
    Played(usize),
    /// Tests are not tried any more.
    Finishes,
    /// The documents are written. It took so long.
    Timed(&'e Timings),
}

/// Receives the events of a run.
pub trait Sink: Send {
    /// Receives an event.
    fn hear(&mut self, event: Event<'_>);

    /// Receives a message.
    fn say(&mut self, level: Level, text: String) {
        self.hear(Event::Said(level, text));
    }
}

/// A sink that ignores all events.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silence;

impl Sink for Silence {
    fn hear(&mut self, _: Event<'_>) {}
}
