//! Builds Bool terms with constants folded, and arithmetic on lists of them.
//!
//! Lists are least significant bit first. Operands of one call have equal widths unless stated otherwise.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};

/// A term, or the error of a pool that was given another sort: a bug of this package.
pub(super) type Result<T> = std::result::Result<T, TermError>;

/// Makes Bool terms.
pub(super) struct Gates<'a>(pub(super) &'a mut TermPool);

impl Gates<'_> {
    pub(super) fn constant(&mut self, value: bool) -> TermId {
        self.0.bool(value)
    }

    fn known(&self, a: TermId) -> Option<bool> {
        self.0.as_bool(a)
    }

    pub(super) fn not(&mut self, a: TermId) -> Result<TermId> {
        self.0.not(a)
    }

    pub(super) fn and(&mut self, a: TermId, b: TermId) -> Result<TermId> {
        self.0.binary(BinaryOp::And, a, b)
    }

    pub(super) fn or(&mut self, a: TermId, b: TermId) -> Result<TermId> {
        self.0.binary(BinaryOp::Or, a, b)
    }

    pub(super) fn xor(&mut self, a: TermId, b: TermId) -> Result<TermId> {
        match (self.known(a), self.known(b)) {
            (Some(false), _) => Ok(b),
            (_, Some(false)) => Ok(a),
            (Some(true), _) => self.not(b),
            (_, Some(true)) => self.not(a),
            _ if a == b => Ok(self.constant(false)),
            _ => self.0.binary(BinaryOp::Xor, a, b),
        }
    }

    /// Returns `a` if the condition holds, otherwise `b`.
    pub(super) fn mux(&mut self, condition: TermId, a: TermId, b: TermId) -> Result<TermId> {
        match self.known(condition) {
            Some(true) => Ok(a),
            Some(false) => Ok(b),
            None if a == b => Ok(a),
            None => self.0.ite(condition, a, b),
        }
    }

    pub(super) fn all(&mut self, bits: &[TermId]) -> Result<TermId> {
        self.tree(bits, true, Gates::and)
    }

    pub(super) fn any(&mut self, bits: &[TermId]) -> Result<TermId> {
        self.tree(bits, false, Gates::or)
    }

    pub(super) fn odd(&mut self, bits: &[TermId]) -> Result<TermId> {
        self.tree(bits, false, Gates::xor)
    }

    fn tree(
        &mut self,
        bits: &[TermId],
        none: bool,
        join: fn(&mut Self, TermId, TermId) -> Result<TermId>,
    ) -> Result<TermId> {
        let mut level = bits.to_vec();
        if level.is_empty() {
            return Ok(self.constant(none));
        }
        while level.len() > 1 {
            let pairs: Result<Vec<TermId>> = level
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => join(self, *a, *b),
                    rest => Ok(rest[0]),
                })
                .collect();
            level = pairs?;
        }
        Ok(level[0])
    }

    pub(super) fn each_not(&mut self, a: &[TermId]) -> Result<Vec<TermId>> {
        a.iter().map(|&bit| self.not(bit)).collect()
    }

    pub(super) fn each_mux(
        &mut self,
        condition: TermId,
        a: &[TermId],
        b: &[TermId],
    ) -> Result<Vec<TermId>> {
        let pairs = a.iter().zip(b);
        pairs.map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    /// Returns `a + b + carry`, and the carry out.
    pub(super) fn add(
        &mut self,
        a: &[TermId],
        b: &[TermId],
        mut carry: TermId,
    ) -> Result<(Vec<TermId>, TermId)> {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y)?;
            sum.push(self.xor(half, carry)?);
            let both = self.and(x, y)?;
            let passed = self.and(half, carry)?;
            carry = self.or(both, passed)?;
        }
        Ok((sum, carry))
    }

    /// Returns `a - b`, and whether b ≤ a.
    pub(super) fn subtract(&mut self, a: &[TermId], b: &[TermId]) -> Result<(Vec<TermId>, TermId)> {
        let b = self.each_not(b)?;
        let one = self.constant(true);
        self.add(a, &b, one)
    }

    pub(super) fn negate(&mut self, a: &[TermId]) -> Result<Vec<TermId>> {
        let zero = vec![self.constant(false); a.len()];
        Ok(self.subtract(&zero, a)?.0)
    }

    pub(super) fn multiply(&mut self, a: &[TermId], b: &[TermId]) -> Result<Vec<TermId>> {
        let zero = self.constant(false);
        let mut sum = vec![zero; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            if self.known(bit) == Some(false) {
                continue;
            }
            let row = a[..a.len() - shift].iter();
            let row: Result<Vec<TermId>> = row.map(|&x| self.and(x, bit)).collect();
            let (high, _) = self.add(&sum[shift..], &row?, zero)?;
            sum[shift..].copy_from_slice(&high);
        }
        Ok(sum)
    }

    /// Returns quotient and remainder of unsigned numbers, by restoring division. For divisor 0 they are all ones, and the dividend.
    pub(super) fn divide(
        &mut self,
        a: &[TermId],
        b: &[TermId],
    ) -> Result<(Vec<TermId>, Vec<TermId>)> {
        let zero = self.constant(false);
        let mut quotient = vec![zero; a.len()];
        // One bit more than the divisor, so that the doubled remainder fits.
        let mut divisor = b.to_vec();
        divisor.push(zero);
        let mut rest = vec![zero; divisor.len()];
        for place in (0..a.len()).rev() {
            rest.pop();
            rest.insert(0, a[place]);
            let (difference, fits) = self.subtract(&rest, &divisor)?;
            quotient[place] = fits;
            rest = self.each_mux(fits, &difference, &rest)?;
        }
        rest.truncate(a.len());
        Ok((quotient, rest))
    }

    /// Returns `bits` shifted right by a number, with `vacant` shifted in.
    pub(super) fn shift_right(
        &mut self,
        bits: &[TermId],
        by: &[TermId],
        vacant: TermId,
    ) -> Result<Vec<TermId>> {
        let mut bits = bits.to_vec();
        for (power, &when) in by.iter().enumerate() {
            let distance = 1usize.checked_shl(power as u32).unwrap_or(usize::MAX);
            let moved: Vec<TermId> = (0..bits.len())
                .map(|place| {
                    let from = place.checked_add(distance);
                    from.and_then(|from| bits.get(from))
                        .copied()
                        .unwrap_or(vacant)
                })
                .collect();
            bits = self.each_mux(when, &moved, &bits)?;
        }
        Ok(bits)
    }

    pub(super) fn shift_left(&mut self, bits: &[TermId], by: &[TermId]) -> Result<Vec<TermId>> {
        let zero = self.constant(false);
        let mut reversed: Vec<TermId> = bits.iter().rev().copied().collect();
        reversed = self.shift_right(&reversed, by, zero)?;
        reversed.reverse();
        Ok(reversed)
    }

    /// Returns the word with the index `by` from a list of 2^n words, one after the other, where n is the number of bits of `by`.
    pub(super) fn select(&mut self, words: &[TermId], by: &[TermId]) -> Result<Vec<TermId>> {
        let mut words = words.to_vec();
        for &when in by.iter().rev() {
            let (low, high) = words.split_at(words.len() / 2);
            words = self.each_mux(when, high, low)?;
        }
        Ok(words)
    }

    /// Returns `width` bits: truncated, or extended by 0 or by the sign.
    pub(super) fn extend(&mut self, bits: &[TermId], width: usize, signed: bool) -> Vec<TermId> {
        let mut bits = bits.to_vec();
        let more = match bits.last() {
            Some(&sign) if signed => sign,
            _ => self.constant(false),
        };
        bits.resize(width, more);
        bits
    }

    /// Returns the bits as one unsigned Word, or a Bit if there is only one.
    pub(super) fn word(&mut self, bits: &[TermId]) -> Result<TermId> {
        let sort = Sort::Word {
            width: 1,
            signed: false,
        };
        if let [bit] = bits {
            return self.0.cast(*bit, &Sort::Bit);
        }
        let (zero, one) = (self.0.constant(sort.clone(), 0), self.0.constant(sort, 1));
        let words = bits.iter().map(|&bit| self.0.ite(bit, one, zero));
        let mut words = words.collect::<Result<Vec<TermId>>>()?;
        while words.len() > 1 {
            let pairs: Result<Vec<TermId>> = words
                .chunks(2)
                .map(|pair| match pair {
                    [low, high] => self.0.concat(*high, *low),
                    rest => Ok(rest[0]),
                })
                .collect();
            words = pairs?;
        }
        Ok(words[0])
    }

    /// Returns the bits of a Word or a Bit.
    pub(super) fn bits(&mut self, word: TermId) -> Result<Vec<TermId>> {
        let Sort::Word { width, .. } = *self.0.sort(word) else {
            return Ok(vec![self.0.cast(word, &Sort::Bool)?]);
        };
        let sort = Sort::Word {
            width: 1,
            signed: false,
        };
        let one = self.0.constant(sort, 1);
        let bits = (0..width).map(|place| {
            let bit = self.0.slice(word, place, 1, false)?;
            self.0.binary(BinaryOp::Eq, bit, one)
        });
        bits.collect()
    }
}
