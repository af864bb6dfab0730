//! Places and texts in one line.

use super::style::width;

/// Line and column (both from 1) as editors understand them: `file:3:7`.
#[must_use]
pub fn place(file: &str, line: usize, column: usize) -> String {
    format!("{file}:{line}:{column}")
}

/// Shortens text to at most `limit` columns, in one line.
#[must_use]
pub fn in_one_line(text: &str, limit: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if width(&joined) <= limit {
        return joined;
    }
    let mut cut: String = joined.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
