//! Times for people.

use hyperkill_core::time::Time;

/// A time as a decimal if it has three digits behind the point at most, and as a fraction otherwise.
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
