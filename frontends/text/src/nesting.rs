//! The nesting depth of constructs.

use hyperkill_frontend::{Diagnostic, Span};

/// The nesting depth of a text, at most. Readers and later passes recurse to this depth, on stacks of two megabytes.
pub const MOST_NESTING: usize = 200;

/// The counter of the constructs that are open.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nesting {
    depth: usize,
}

impl Nesting {
    /// Enters a construct that begins at this place.
    ///
    /// # Errors
    /// If more than [`MOST_NESTING`] are open.
    pub fn enter(&mut self, span: Span) -> Result<(), Diagnostic> {
        if self.deepen(MOST_NESTING) {
            return Ok(());
        }
        let message = format!("nested more than {MOST_NESTING} levels deep");
        Err(Diagnostic::error(span, message))
    }

    /// Enters a construct. Returns whether at most `most` are open, including this one.
    pub fn deepen(&mut self, most: usize) -> bool {
        self.depth += 1;
        self.depth <= most
    }

    /// Leaves the innermost open construct.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_levels_as_the_limit_says_may_be_open_at_once() {
        let mut nesting = Nesting::default();
        for _ in 0..3 * MOST_NESTING {
            nesting.enter(Span::new(0, 1)).unwrap();
            nesting.leave();
        }
        for _ in 0..MOST_NESTING {
            nesting.enter(Span::new(0, 1)).unwrap();
        }
        let error = nesting.enter(Span::new(7, 8)).unwrap_err();
        assert_eq!(error.span, Some(Span::new(7, 8)));
    }
}
