//! Literals: four-valued bits with a width and a sign (IEEE 1364-2005 §3.5).

/// A bit of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Digit {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Unknown.
    X,
    /// Not driven; in patterns, a bit that does not matter.
    Z,
}

impl Digit {
    /// Returns the digit of a truth value.
    #[must_use]
    pub fn of(bit: bool) -> Digit {
        if bit { Digit::One } else { Digit::Zero }
    }

    /// Whether it is neither 0 nor 1.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        matches!(self, Digit::X | Digit::Z)
    }
}

/// A number as it is written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    /// Least significant first, at least one.
    pub digits: Vec<Digit>,
    /// Whether it is signed.
    pub signed: bool,
    /// Whether its width is written.
    pub sized: bool,
    /// Whether it fills any width: `'0`, `'1`, `'x`.
    pub fill: bool,
}

/// Widest literal, in bits.
const MAX_WIDTH: usize = 1 << 16;

impl Literal {
    /// Returns a sized number with these bits.
    #[must_use]
    pub fn of_bits(bits: &[bool], signed: bool) -> Literal {
        Literal {
            digits: bits.iter().map(|&bit| Digit::of(bit)).collect(),
            signed,
            sized: true,
            fill: false,
        }
    }

    /// Returns a decimal number of 32 bits.
    #[must_use]
    pub fn integer(value: i64) -> Literal {
        let bits: Vec<bool> = (0..32).map(|i| value >> i & 1 == 1).collect();
        Literal {
            sized: false,
            ..Literal::of_bits(&bits, true)
        }
    }

    /// Parses plain digits: a signed number of 32 bits, or of more if needed.
    ///
    /// # Errors
    /// If the text is no whole number, or the number is too large.
    pub fn decimal(text: &str) -> Result<Literal, String> {
        let mut bits = decimal_bits(text)?;
        bits.push(false);
        let width = bits.len().max(32);
        bits.resize(width, false);
        Ok(Literal {
            sized: false,
            ..Literal::of_bits(&bits, true)
        })
    }

    /// Parses `'hff` and the like, with the width in front, if any.
    ///
    /// # Errors
    /// If digits do not fit the base, or the width is 0 or too large.
    pub fn based(width: Option<&str>, text: &str) -> Result<Literal, String> {
        let body: String = text
            .chars()
            .skip(1)
            .filter(|c| !c.is_whitespace() && *c != '_')
            .collect();
        let body = body.to_ascii_lowercase();
        let (signed, body) = match body.strip_prefix('s') {
            Some(rest) => (true, rest.to_owned()),
            None => (false, body),
        };
        let width = match width {
            Some(text) => match text.replace('_', "").parse::<usize>() {
                Ok(width @ 1..=MAX_WIDTH) => Some(width),
                _ => return Err(format!("a number has 1 to {MAX_WIDTH} bits, not {text}")),
            },
            None => None,
        };
        let mut chars = body.chars();
        let base = chars.next().unwrap_or(' ');
        let digits = chars.as_str();
        if digits.is_empty() {
            // `'0`: the base is the digit.
            let digit = digit_of(base).filter(|_| width.is_none());
            let digit = digit.ok_or_else(|| "a number needs digits".to_owned())?;
            return Ok(Literal {
                digits: vec![digit],
                signed: false,
                sized: false,
                fill: true,
            });
        }
        let mut all = match base {
            'd' => match digits.chars().collect::<Vec<_>>().as_slice() {
                [one] if digit_of(*one).is_some_and(Digit::is_unknown) => {
                    vec![digit_of(*one).unwrap_or(Digit::X)]
                }
                _ => decimal_bits(digits)?.into_iter().map(Digit::of).collect(),
            },
            'b' => digits_in_base(digits, 1)?,
            'o' => digits_in_base(digits, 3)?,
            'h' => digits_in_base(digits, 4)?,
            _ => return Err("the base of a number is b, o, d or h".to_owned()),
        };
        let full = width.unwrap_or(all.len().max(32));
        // Unknown digits are repeated on the left; other numbers are extended with zeros.
        let filler = match all.last() {
            Some(&top) if top.is_unknown() => top,
            _ => Digit::Zero,
        };
        all.resize(full, filler);
        Ok(Literal {
            digits: all,
            signed,
            sized: width.is_some(),
            fill: false,
        })
    }

    /// Whether some bit is neither 0 nor 1.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.digits.iter().any(|digit| digit.is_unknown())
    }

    /// Returns its width in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.digits.len() as u32
    }

    /// Returns its bits at another width: the sign or zeros added (a fill and unknown digits repeat), or high bits dropped.
    #[must_use]
    pub fn at_width(&self, width: usize, signed: bool) -> Vec<Digit> {
        let top = self.digits.last().copied().unwrap_or(Digit::Zero);
        let filler = if self.fill || signed {
            top
        } else {
            Digit::Zero
        };
        let mut digits = self.digits.clone();
        digits.resize(width, filler);
        digits
    }

    /// Returns a text of the literal in Verilog.
    #[must_use]
    pub fn text(&self) -> String {
        let digit = |digit: &Digit| match digit {
            Digit::Zero => '0',
            Digit::One => '1',
            Digit::X => 'x',
            Digit::Z => 'z',
        };
        let digits: String = self.digits.iter().rev().map(digit).collect();
        match (self.fill, self.sized, self.signed) {
            (true, _, _) => format!("'{digits}"),
            (_, false, true) if self.width() <= 63 && !self.has_unknown() => {
                let bits = self.digits.iter().rev();
                let value = bits.fold(0u64, |value, d| value << 1 | u64::from(*d == Digit::One));
                value.to_string()
            }
            (_, false, signed) => format!("'{}b{digits}", if signed { "s" } else { "" }),
            (_, true, signed) => format!(
                "{}'{}b{digits}",
                self.width(),
                if signed { "s" } else { "" }
            ),
        }
    }
}

fn digit_of(c: char) -> Option<Digit> {
    match c {
        '0' => Some(Digit::Zero),
        '1' => Some(Digit::One),
        'x' | 'X' => Some(Digit::X),
        'z' | 'Z' | '?' => Some(Digit::Z),
        _ => None,
    }
}

fn digits_in_base(text: &str, bits: u32) -> Result<Vec<Digit>, String> {
    if text.len() * bits as usize > MAX_WIDTH {
        return Err(format!("a number of more than {MAX_WIDTH} bits"));
    }
    let mut digits = Vec::new();
    for c in text.chars().rev() {
        match c.to_digit(1 << bits) {
            Some(value) => digits.extend((0..bits).map(|i| Digit::of(value >> i & 1 == 1))),
            None => match digit_of(c) {
                Some(unknown) if unknown.is_unknown() => digits.extend((0..bits).map(|_| unknown)),
                _ => return Err(format!("`{c}` is no digit of this base")),
            },
        }
    }
    Ok(digits)
}

/// Returns the bits of decimal digits without leading zeros, at least one.
fn decimal_bits(text: &str) -> Result<Vec<bool>, String> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return Err("real numbers are not supported".to_owned());
    }
    if digits.len() > 2000 {
        return Err("a decimal number of more than 2000 digits".to_owned());
    }
    // Limbs of 32 bits, least significant first.
    let mut limbs: Vec<u32> = vec![0];
    for c in digits.chars() {
        let mut carry = u64::from(c.to_digit(10).unwrap_or(0));
        for limb in &mut limbs {
            let value = u64::from(*limb) * 10 + carry;
            *limb = value as u32;
            carry = value >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    let mut bits: Vec<bool> = limbs
        .iter()
        .flat_map(|limb| (0..32).map(move |i| limb >> i & 1 == 1))
        .collect();
    while bits.len() > 1 && bits.last() == Some(&false) {
        bits.pop();
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_width_sign_and_bits_that_are_written() {
        let text = |width: Option<&str>, text: &str| Literal::based(width, text).map(|l| l.text());
        assert_eq!(text(Some("4"), "'b1x_z0"), Ok("4'b1xz0".to_owned()));
        assert_eq!(text(Some("6"), "'hx"), Ok("6'bxxxxxx".to_owned()));
        assert_eq!(text(Some("3"), "'d9"), Ok("3'b001".to_owned()));
        assert_eq!(text(Some("8"), "'sh F"), Ok("8'sb00001111".to_owned()));
        assert_eq!(text(None, "'1"), Ok("'1".to_owned()));
        assert!(text(Some("0"), "'b0").is_err());
        assert!(text(Some("4"), "'b2").is_err());
        assert_eq!(
            Literal::decimal("1_0").map(|l| (l.text(), l.width())),
            Ok(("10".to_owned(), 32))
        );
        assert_eq!(Literal::decimal("4294967296").map(|l| l.width()), Ok(34));
        assert!(Literal::decimal("1.5").is_err());
    }
}
