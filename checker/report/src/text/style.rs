//! Colours for the terminal, which can be disabled.

use hyperkill_audit::terminal::{in_a_line, paint};

/// A switch for colours: colours text within a line, or returns it unchanged.
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

    /// Returns text in bold, for emphasis.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Returns text dimmed, for unimportant parts.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Returns text in red, the colour of failures and errors.
    #[must_use]
    pub fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Returns text in green, the colour of successes.
    #[must_use]
    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Returns text in yellow, the colour of open and undecided results.
    #[must_use]
    pub fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// Returns text in cyan, the colour of names.
    #[must_use]
    pub fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }
}

/// Returns the number of columns that text takes on a terminal; colours take none.
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
