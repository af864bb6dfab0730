//! Conversion of test values to bits.

use hyperkill_core::sort::Value;

/// Returns the `width` lowest bits of a number, a boolean or a hexadecimal word, least significant first; `None` for other values.
pub(crate) fn bits(value: &Value, width: usize) -> Option<Vec<bool>> {
    match value {
        Value::Int(number) => Some(
            (0..width)
                .map(|bit| number >> bit.min(63) & 1 == 1)
                .collect(),
        ),
        Value::Symbol(text) if text == "TRUE" => Some(vec![true; width.min(1)]),
        Value::Symbol(text) if text == "FALSE" => Some(vec![false; width.min(1)]),
        Value::Symbol(text) => {
            let digits = text.strip_prefix("0x")?;
            let mut bits = Vec::with_capacity(width);
            for digit in digits.chars().rev() {
                let digit = digit.to_digit(16)?;
                bits.extend((0..4).map(|bit| digit >> bit & 1 == 1));
            }
            bits.resize(width, false);
            Some(bits)
        }
    }
}

/// Returns bits, the least significant first, as a hexadecimal Verilog number of their width.
pub(crate) fn hexadecimal(bits: &[bool]) -> String {
    let digit = |part: &[bool]| {
        let value = part
            .iter()
            .rev()
            .fold(0, |sum, &bit| sum * 2 + u32::from(bit));
        char::from_digit(value, 16).unwrap_or('0')
    };
    let digits: String = bits.chunks(4).rev().map(digit).collect();
    format!("{}'h{digits}", bits.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_their_width() {
        let text = |value, width| hexadecimal(&bits(&value, width).unwrap());
        assert_eq!(text(Value::Int(1), 1), "1'h1");
        assert_eq!(text(Value::Int(300), 9), "9'h12c");
        assert_eq!(text(Value::Int(-1), 5), "5'h1f");
        assert_eq!(text(Value::Int(-2), 70), "70'h3ffffffffffffffffe");
        let wide = Value::Symbol("0x00000000000000001ff".to_owned());
        assert_eq!(text(wide, 66), "66'h000000000000001ff");
        assert_eq!(text(Value::bool(true), 1), "1'h1");
        assert_eq!(bits(&Value::Symbol("red".to_owned()), 2), None);
    }
}
