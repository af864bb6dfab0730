//! Colours for the terminal, which can be disabled.

use hyperkill_audit::terminal::{in_a_line, paint};

/// Colours text within a line, or returns it unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    enabled: bool,
}

impl Style {
    /// Returns a style with or without colours.
    #[must_use]
    pub const fn new(enabled: bool) -> Style {
        Style { enabled }
    }

    /// Whether the style uses colours.
    #[must_use]
    pub const fn is_enabled(self) -> bool {
        self.enabled
    }

    fn paint(self, code: &str, text: &str) -> String {
        let text = in_a_line(text);
        if self.enabled && !text.is_empty() {
            paint(code, &text)
        } else {
            text
        }
    }

    /// Emphasises text.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Marks text as unimportant.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Marks a failure or an error.
    #[must_use]
    pub fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Marks a success.
    #[must_use]
    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Returns text in yellow, the colour of open and undecided results.
    #[must_use]
    pub fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// Marks a name.
    #[must_use]
    pub fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }
}

/// Returns the columns of text on a terminal, without colours.
#[must_use]
pub(crate) fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\x1b' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            columns += 1;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_columns() {
        let text = Style::new(true).red("φ1 fails");
        assert_ne!(text, "φ1 fails");
        assert_eq!(width(&text), 8);
        assert_eq!(Style::new(false).red("plain"), "plain");
    }
}
