//! Times as text for people.

use hyperkill_core::time::Time;

/// Returns a time as a decimal with at most three fractional digits, otherwise as a fraction.
#[must_use]
pub fn spelled(at: Time) -> String {
    let (numerator, denominator) = at.parts();
    if 1000 % denominator != 0 || denominator == 1 {
        return at.to_string();
    }
    let thousandths = numerator % denominator * (1000 / denominator);
    let digits = format!("{thousandths:03}");
    format!("{}.{}", at.floor(), digits.trim_end_matches('0'))
}
