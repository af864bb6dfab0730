//! Places and texts in one line.

use super::style::width;

/// Returns a place in the form that editors accept: `file:3:7`, line and column from 1.
#[must_use]
pub fn place(file: &str, line: usize, column: usize) -> String {
    format!("{file}:{line}:{column}")
}

/// Returns the text in one line, shortened to at most `limit` columns.
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
