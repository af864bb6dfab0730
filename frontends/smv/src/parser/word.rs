//! Constant words: `0ub8_101`, `0sd4_7`, `0h_ff`.

use crate::ast::WordConstant;

/// The width of words, at most, in bits: as in NuSMV.
pub(crate) const MAX_WIDTH: u32 = 64;

/// Reads a constant that the lexer found.
///
/// # Errors
/// If it is malformed: the reason in a sentence.
pub(super) fn constant(text: &str) -> Result<WordConstant, String> {
    let malformed = || format!("`{text}` is no constant word");
    let rest = text.strip_prefix('0').ok_or_else(malformed)?;
    let (signed, rest) = match rest.strip_prefix('s') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('u').unwrap_or(rest)),
    };
    let (head, digits) = rest.split_once('_').ok_or_else(malformed)?;
    let mut head = head.chars();
    let (radix, per_digit) = match head.next().map(|c| c.to_ascii_lowercase()) {
        Some('b') => (2, Some(1)),
        Some('o') => (8, Some(3)),
        Some('h') => (16, Some(4)),
        Some('d') => (10, None),
        _ => return Err(malformed()),
    };
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let width = match (head.as_str(), per_digit) {
        ("", Some(bits)) => u32::try_from(bits * digits.len()).unwrap_or(u32::MAX),
        ("", None) => return Err(format!("`{text}` needs a width, as `0ud8_5`")),
        (width, _) => width.parse().unwrap_or(u32::MAX),
    };
    if width == 0 || width > MAX_WIDTH {
        return Err(format!("words have 1 to {MAX_WIDTH} bits, not {width}"));
    }
    let bits = u64::from_str_radix(&digits, radix).map_err(|_| malformed())?;
    // A decimal constant of a signed word is below the value of the sign bit, or equal to it if a minus precedes it.
    let greatest = match signed && radix == 10 {
        true => 1 << (width - 1),
        false => u64::MAX >> (64 - width),
    };
    if bits > greatest {
        return Err(format!("`{text}` has no room in {width} bits"));
    }
    Ok(WordConstant {
        text: text.to_owned(),
        signed,
        width,
        bits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_given_or_follow_from_the_digits() {
        let read = |text| constant(text).map(|c| (c.signed, c.width, c.bits));
        assert_eq!(read("0ub5_10111"), Ok((false, 5, 0b10111)));
        assert_eq!(read("0so6_37"), Ok((true, 6, 0o37)));
        assert_eq!(read("0h_1_f"), Ok((false, 8, 0x1f)));
        assert_eq!(read("0d11_9"), Ok((false, 11, 9)));
        assert_eq!(read("0sd4_8"), Ok((true, 4, 8)));
        let greatest = "0ud64_18446744073709551615";
        assert_eq!(read(greatest), Ok((false, 64, u64::MAX)));
        assert_eq!(read("0sd64_9223372036854775808"), Ok((true, 64, 1 << 63)));
    }

    #[test]
    fn constants_without_room_or_sense_are_refused() {
        for text in [
            "0ud_5",
            "0ub2_111",
            "0ub3_12",
            "0sd4_9",
            "0ub65_1",
            "0ub0_0",
            "0ud64_18446744073709551616",
            "0sd64_9223372036854775809",
        ] {
            assert!(constant(text).is_err(), "{text}");
        }
    }
}
