//! The words that error messages quote, for the error type. Tokens are read in [`super::lexical`].

use crate::printer::continues_word;

/// Returns the first word or character of `input`, for messages.
pub(super) fn word_at(input: &str) -> &str {
    let word = input.find(|c| !continues_word(c)).unwrap_or(input.len());
    let first = input.chars().next().map_or(0, char::len_utf8);
    &input[..word.max(first)]
}
