//! Sinks receive the events of a run: messages, methods and results.

use crate::documents::{MutantResult, Timings};

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// A problem that the user should look at.
    Warning,
    /// Information on the progress.
    Note,
    /// Information for users who ask for details.
    Detail,
}

/// An event of a run.
#[derive(Debug)]
pub enum Event<'e> {
    /// A message.
    Said(Level, String),
    /// The run begins to decide mutants.
    Begins {
        /// The number of mutants of the run, including mutants with earlier results.
        mutants: usize,
        /// The earlier results.
        before: Vec<&'e MutantResult>,
    },
    /// A method begins to work on the open mutants.
    Tries {
        /// The method.
        method: &'e str,
        /// The number of open mutants.
        open: usize,
    },
    /// A mutant is decided.
    Decided(&'e MutantResult),
    /// The run is still working; no other event has happened.
    Works,
    /// The last mutant is decided.
    Ends,
    /// The run begins to simulate all tests on all killed mutants, to choose the suite.
    Plays {
        /// The number of tests.
        tests: usize,
        /// The number of killed mutants.
        mutants: usize,
    },
    /// The simulation of all tests on this number of further mutants has ended.
    Played(usize),
    /// The simulation of tests has ended.
    Finishes,
    /// The documents are written, with the times of the run.
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
