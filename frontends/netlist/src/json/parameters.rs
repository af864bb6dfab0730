//! Parameters of cells: binary numbers as strings, or plain numbers.

use hyperkill_frontend::{Diagnostic, Span};

use hyperkill_text::json::{Members, Raw, Text};

/// The parameters of one cell.
pub(super) struct Parameters<'t, 'a> {
    pub(super) text: Text<'a>,
    pub(super) members: &'t Members<Raw<'a>>,
    /// The place of the cell.
    pub(super) span: Span,
}

impl<'a> Parameters<'_, 'a> {
    fn find(&self, name: &str) -> Option<Raw<'a>> {
        let member = self.members.0.iter().find(|(member, _)| member == name);
        member.map(|(_, value)| *value)
    }

    /// Returns the bits, least significant first, `None` for `x`.
    ///
    /// # Errors
    /// If the parameter is missing, or no number.
    pub(super) fn bits(&self, name: &str) -> Result<Vec<Option<bool>>, Diagnostic> {
        let Some(raw) = self.find(name) else {
            let message = format!("this cell has no parameter {name}");
            return Err(Diagnostic::error(self.span, message));
        };
        let wrong = || Diagnostic::error(self.text.span(raw), format!("{name} is no number"));
        if let Some(digits) = self.text.string(raw) {
            // Strings that look like numbers end with a space.
            return vector(&digits).ok_or_else(wrong);
        }
        let number: u64 = raw.get().parse().map_err(|_| wrong())?;
        Ok((0..64).map(|bit| Some(number >> bit & 1 == 1)).collect())
    }

    /// Returns a small number, or 0 if the parameter is missing.
    ///
    /// # Errors
    /// If it is no number, or a large one.
    pub(super) fn number(&self, name: &str) -> Result<usize, Diagnostic> {
        let Some(raw) = self.find(name) else {
            return Ok(0);
        };
        let wrong = || Diagnostic::error(self.text.span(raw), format!("{name} is no small number"));
        let mut number = 0;
        for (place, bit) in self.bits(name)?.into_iter().enumerate() {
            match bit {
                Some(false) => {}
                Some(true) if place < 31 => number |= 1 << place,
                Some(true) | None => return Err(wrong()),
            }
        }
        Ok(number)
    }

    /// Whether the parameter exists and is not 0.
    ///
    /// # Errors
    /// If it is no number.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Diagnostic> {
        Ok(self.number(name)? != 0)
    }

    /// Returns the text of a parameter; `None` if it is missing or no string.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.text.string(self.find(name)?)
    }
}

/// Returns binary digits, most significant first in the text, least significant first in the result. `x` and `z` become `None`; the result
/// is `None` for any other character.
pub(super) fn vector(digits: &str) -> Option<Vec<Option<bool>>> {
    let bits = digits.bytes().rev().map(|digit| match digit {
        b'0' => Some(Some(false)),
        b'1' => Some(Some(true)),
        b'x' | b'z' => Some(None),
        _ => None,
    });
    bits.collect()
}
