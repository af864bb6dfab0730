//! The running program that stands for the system under test. The binary implements the traits.

use std::time::Duration;

use hyperkill_core::budget::{Budget, Stop};

/// One item of a program's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// A line, without its line break.
    Line(String),
    /// A line that is not UTF-8 or too long, with a description.
    Noise(&'static str),
    /// End of the output.
    End,
}

/// The end of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Whether the exit status is 0.
    pub is_success: bool,
    /// Exit status or signal, with the last message.
    pub how: String,
}

/// A running program that reads and writes lines. Dropping it ends the program.
pub trait Dialogue {
    /// Writes a line to the program.
    fn say(&mut self, line: String);

    /// Returns the next item of the output.
    ///
    /// # Errors
    /// If no output arrives in time.
    fn listen(&mut self, budget: &Budget) -> Result<Heard, Stop>;

    /// Returns the next item of the output, and the time since it was read. `None` if no item arrives within this time.
    fn hear(&mut self, within: Duration) -> Option<(Heard, Duration)>;

    /// Closes the program's standard input.
    fn hang_up(&mut self);

    /// Waits for the end of the program.
    ///
    /// # Errors
    /// If the program does not end in time.
    fn ended(&mut self, budget: &Budget) -> Result<Ended, Stop>;
}

/// An environment variable of a program: its name and its value.
pub type Variable = (&'static str, String);

/// A function that starts the program with these additional environment variables. Its error is a sentence.
pub type Start<'a> = dyn Fn(&[Variable]) -> Result<Box<dyn Dialogue>, String> + Sync + 'a;
