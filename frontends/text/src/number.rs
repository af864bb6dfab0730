//! Numbers.

use hyperkill_frontend::{Diagnostic, Span};

/// The largest number in a text: sums and products of a few of them stay within the 62 bits of integer terms.
const MAX_NUMBER: i64 = 1 << 53;

/// Whether a text is a number: decimal digits, at least one.
#[must_use]
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the value of decimal digits at a place.
///
/// # Errors
/// If they are no digits, or exceed 2^53.
pub fn number(digits: &str, span: Span) -> Result<i64, Diagnostic> {
    let is_number = is_number(digits);
    match digits.parse::<i64>() {
        Ok(value) if is_number && value <= MAX_NUMBER => Ok(value),
        _ if is_number => Err(Diagnostic::error(
            span,
            format!("`{digits}` is greater than {MAX_NUMBER}, the largest number"),
        )),
        _ => Err(Diagnostic::error(span, format!("`{digits}` is no number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_limit() {
        let span = Span::new(0, 1);
        assert_eq!(number("007", span), Ok(7));
        assert_eq!(number("9007199254740992", span), Ok(MAX_NUMBER));
        for wrong in [
            "9007199254740993",
            "99999999999999999999999",
            "",
            "+1",
            "1x",
        ] {
            assert!(number(wrong, span).is_err(), "{wrong}");
        }
    }
}
