//! The program that speaks for a system, as the binary starts it.

use std::time::Duration;

use hyperkill_core::budget::{Budget, Stop};

/// Something that a program has written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// A line that is no text, or too long for one.
    Noise(&'static str),
    /// The end of its output.
    End,
}

/// The end of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Whether its exit status is 0.
    pub is_success: bool,
    /// Its exit status or signal, with its last message.
    pub how: String,
}

/// A program that reads and writes lines. Dropped, it is ended.
pub trait Dialogue {
    /// Writes a line to it.
    fn say(&mut self, line: String);

    /// The next thing that it writes.
    ///
    /// # Errors
    /// If nothing comes in time.
    fn listen(&mut self, budget: &Budget) -> Result<Heard, Stop>;

    /// The next thing that it writes with the time since it was read; `None` if nothing comes so soon.
    fn hear(&mut self, within: Duration) -> Option<(Heard, Duration)>;

    /// Ends its standard input.
    fn hang_up(&mut self);

    /// Waits for its end.
    ///
    /// # Errors
    /// If it does not end in time.
    fn ended(&mut self, budget: &Budget) -> Result<Ended, Stop>;
}

/// A variable in the environment of a program.
pub type Variable = (&'static str, String);

/// Starts a program with variables in its environment. The error is a sentence.
pub type Start<'a> = dyn Fn(&[Variable]) -> Result<Box<dyn Dialogue>, String> + Sync + 'a;
