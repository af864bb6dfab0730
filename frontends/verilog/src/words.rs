//! Terms over unsigned words: the operators of Verilog on operands with known widths and signs.
//!
//! Constants are folded completely, since bounds, loops and `generate` need them. There is no x: an unknown value is a term like any other.

use hyperkill_core::sort::{MAX_WORD, Sort};
use hyperkill_core::term::{BinaryOp as Core, Term, TermError, TermId, TermPool, UnaryOp};
use rustc_hash::FxHashSet;

/// A term, or the error in building it.
pub type Made = Result<TermId, TermError>;

/// Builds terms.
#[derive(Clone, Default, Debug)]
pub struct Words {
    /// All terms.
    pub pool: TermPool,
}

/// Returns the sort of words of this width.
#[must_use]
pub fn word_sort(width: u32) -> Sort {
    Sort::Word {
        width,
        signed: false,
    }
}

impl Words {
    /// Returns the number of bits of a word; 1 for truth values.
    #[must_use]
    pub fn width(&self, term: TermId) -> u32 {
        self.pool.sort(term).width() as u32
    }

    /// Returns the word with the low bits of a number.
    pub fn number(&mut self, value: u64, width: u32) -> TermId {
        let bits: Vec<bool> = (0..width).map(|i| i < 64 && value >> i & 1 == 1).collect();
        self.pool.word(&bits, false)
    }

    /// Returns the word with these bits, least significant first.
    pub fn bits(&mut self, bits: &[bool]) -> TermId {
        self.pool.word(bits, false)
    }

    /// Returns the bits of a constant; `None` for other terms.
    #[must_use]
    pub fn constant(&self, term: TermId) -> Option<Vec<bool>> {
        self.pool.constant_bits(term)
    }

    /// Whether a term is the constant that decides `op`, a conjunction or a disjunction, whatever the other operand is.
    #[must_use]
    pub fn decides(&self, op: Core, term: TermId) -> bool {
        let value = op == Core::Or;
        match self.pool.as_bool(term) {
            Some(bit) => bit == value,
            None => {
                let bits = self.constant(term);
                bits.is_some_and(|bits| bits.iter().all(|bit| *bit == value))
            }
        }
    }

    /// Returns the value of a constant as a signed or unsigned number. `None` for other terms, and for numbers beyond 64 bits.
    #[must_use]
    pub fn value(&self, term: TermId, signed: bool) -> Option<i64> {
        let bits = self.constant(term)?;
        let top = signed && bits.last() == Some(&true);
        let low = bits.iter().take(63).enumerate();
        let value = low.fold(0i64, |value, (i, &bit)| value | i64::from(bit) << i);
        if bits.iter().skip(63).any(|&bit| bit != top) {
            return None;
        }
        let width = bits.len().min(63) as u32;
        Some(if top { value | !0 << width } else { value })
    }

    /// Returns a word as a truth value: whether it is not 0.
    pub fn truth(&mut self, term: TermId) -> Made {
        let width = self.width(term);
        if *self.pool.sort(term) == Sort::Bool {
            return Ok(term);
        }
        if let Some(bits) = self.constant(term) {
            return Ok(self.pool.bool(bits.contains(&true)));
        }
        match *self.pool.term(term) {
            Term::Ite(c, a, b) if width == 1 => {
                if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
                    return match (a[0], b[0]) {
                        (true, false) => Ok(c),
                        (false, true) => self.pool.not(c),
                        (value, _) => Ok(self.pool.bool(value)),
                    };
                }
            }
            Term::Unary(UnaryOp::Not, a) if width == 1 => {
                let a = self.truth(a)?;
                return self.pool.not(a);
            }
            Term::Binary(op @ (Core::And | Core::Or | Core::Xor), a, b) if width == 1 => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                return self.pool.binary(op, a, b);
            }
            _ => {}
        }
        let zero = self.number(u64::from(width == 1), width);
        let equal = self.pool.binary(Core::Eq, term, zero)?;
        match width {
            1 => Ok(equal),
            _ => self.pool.not(equal),
        }
    }

    /// Returns a truth value as a word of one bit.
    pub fn of_truth(&mut self, truth: TermId) -> Made {
        let (one, zero) = (self.number(1, 1), self.number(0, 1));
        self.pool.ite(truth, one, zero)
    }

    /// Returns `if condition then a else b` of truth values or of words of one width.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> Made {
        if *self.pool.sort(a) == Sort::Bool {
            match (self.pool.as_bool(a), self.pool.as_bool(b)) {
                (Some(true), Some(false)) => return Ok(condition),
                (Some(false), Some(true)) => return self.pool.not(condition),
                (Some(true), _) => return self.pool.binary(Core::Or, condition, b),
                (_, Some(false)) => return self.pool.binary(Core::And, condition, a),
                _ => {}
            }
        }
        self.pool.ite(condition, a, b)
    }

    /// Returns a word at another width: the sign or zeros added, or high bits dropped.
    pub fn resize(&mut self, term: TermId, width: u32, signed: bool) -> Made {
        let from = self.width(term);
        if from == width {
            return Ok(term);
        }
        if from > width {
            return self.slice(term, 0, width);
        }
        if let Some(mut bits) = self.constant(term) {
            let top = signed && bits.last() == Some(&true);
            bits.resize(width as usize, top);
            return Ok(self.bits(&bits));
        }
        let filler = match signed {
            false => self.number(0, width - from),
            true => {
                let sign = self.slice(term, from - 1, 1)?;
                let sign = self.truth(sign)?;
                let ones = self.ones(width - from);
                let zeros = self.number(0, width - from);
                self.pool.ite(sign, ones, zeros)?
            }
        };
        self.concat(filler, term)
    }

    /// Returns a word of ones.
    pub fn ones(&mut self, width: u32) -> TermId {
        self.bits(&vec![true; width as usize])
    }

    /// Returns `width` bits from bit `low` up.
    pub fn slice(&mut self, term: TermId, low: u32, width: u32) -> Made {
        if let Some(bits) = self.constant(term)
            && let Some(part) = bits.get(low as usize..(low + width) as usize)
        {
            let part = part.to_vec();
            return Ok(self.bits(&part));
        }
        self.pool.slice(term, low, width, false)
    }

    /// Returns the bits of `high` above those of `low`.
    pub fn concat(&mut self, high: TermId, low: TermId) -> Made {
        if let (Some(h), Some(mut l)) = (self.constant(high), self.constant(low)) {
            l.extend(h);
            if l.len() as u32 > hyperkill_core::sort::MAX_WORD {
                return self.pool.concat(high, low);
            }
            return Ok(self.bits(&l));
        }
        // Adjacent parts of one word.
        let part = |words: &Words, term: TermId| match *words.pool.term(term) {
            Term::Slice(a, from) => (a, from),
            _ => (term, 0),
        };
        let ((a, from), (b, at)) = (part(self, high), part(self, low));
        if a == b && from == at + self.width(low) {
            let width = self.width(high) + self.width(low);
            return self.slice(a, at, width);
        }
        self.pool.concat(high, low)
    }

    /// Joins the bits of all parts, the first the lowest; `None` without parts. Parts are joined pair by pair, since a search for one bit
    /// descends through all joins above it.
    pub fn join(&mut self, parts: &[TermId]) -> Option<Made> {
        let mut parts = match self.joined_neighbours(parts) {
            Ok(parts) => parts,
            Err(error) => return Some(Err(error)),
        };
        while parts.len() > 1 {
            let pairs = parts.chunks(2).map(|pair| match *pair {
                [low, high] => self.concat(high, low),
                _ => Ok(pair[0]),
            });
            parts = match pairs.collect() {
                Ok(parts) => parts,
                Err(error) => return Some(Err(error)),
            };
        }
        parts.first().map(|whole| Ok(*whole))
    }

    /// Returns the same bits in fewer parts: adjacent constants are merged, and so are adjacent parts of a word.
    fn joined_neighbours(&mut self, parts: &[TermId]) -> Result<Vec<TermId>, TermError> {
        enum Run {
            Bits(Vec<bool>),
            /// A range of bits of a word.
            Stretch(TermId, u32, u32),
        }
        let mut runs: Vec<Run> = Vec::new();
        for &part in parts {
            let width = self.width(part);
            if let Some(bits) = self.constant(part) {
                match runs.last_mut() {
                    Some(Run::Bits(below)) if below.len() + bits.len() <= MAX_WORD as usize => {
                        below.extend(bits);
                    }
                    _ => runs.push(Run::Bits(bits)),
                }
                continue;
            }
            let (of, from) = match *self.pool.term(part) {
                Term::Slice(a, from) => (a, from),
                _ => (part, 0),
            };
            match runs.last_mut() {
                Some(Run::Stretch(word, low, all)) if *word == of && from == *low + *all => {
                    *all += width;
                }
                _ => runs.push(Run::Stretch(of, from, width)),
            }
        }
        let made = runs.into_iter().map(|run| match run {
            Run::Bits(bits) => Ok(self.bits(&bits)),
            Run::Stretch(word, low, width) => self.slice(word, low, width),
        });
        made.collect()
    }

    /// Returns the word with its bits from `low` up replaced by `part`.
    pub fn replace(&mut self, word: TermId, low: u32, part: TermId) -> Made {
        let (all, width) = (self.width(word), self.width(part));
        let mut result = part;
        if low > 0 {
            let below = self.slice(word, 0, low)?;
            result = self.concat(result, below)?;
        }
        if low + width < all {
            let above = self.slice(word, low + width, all - low - width)?;
            result = self.concat(above, result)?;
        }
        Ok(result)
    }

    /// Returns the selectors that a term depends on.
    #[must_use]
    pub fn selectors(&self, term: TermId) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Term::Selector(index) = *self.pool.term(term) {
                found.push(index as usize);
            }
            stack.extend(self.operands(term).into_iter().flatten());
        }
        found
    }

    /// Returns the inputs in terms.
    #[must_use]
    pub fn inputs(&self, terms: impl IntoIterator<Item = TermId>) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut seen = vec![false; self.pool.len()];
        let mut stack: Vec<TermId> = terms.into_iter().collect();
        while let Some(term) = stack.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            if let Term::Input(index) = *self.pool.term(term) {
                found.insert(index as usize);
            }
            stack.extend(self.operands(term).into_iter().flatten());
        }
        found
    }

    /// Returns the selectors in a term that consists of selectors and constants only. `None` for other terms, and for those with
    /// more than `most` terms in them.
    #[must_use]
    pub fn only_selectors(&self, term: TermId, most: usize) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > most {
                return None;
            }
            match *self.pool.term(term) {
                Term::Selector(index) => found.push(index as usize),
                Term::Input(_) | Term::State(_) => return None,
                _ => {}
            }
            stack.extend(self.operands(term).into_iter().flatten());
        }
        Some(found)
    }

    /// Whether a condition is a selector, or says that one of several selectors is on.
    #[must_use]
    pub fn is_choice_of_mutants(&self, condition: TermId) -> bool {
        let mut open = vec![condition];
        while let Some(term) = open.pop() {
            match *self.pool.term(term) {
                Term::Selector(_) => {}
                Term::Binary(Core::Or, a, b) => open.extend([a, b]),
                _ => return false,
            }
        }
        true
    }

    /// Returns the operands of a term.
    #[must_use]
    pub fn operands(&self, term: TermId) -> [Option<TermId>; 3] {
        match *self.pool.term(term) {
            Term::Selector(_) | Term::Constant(_) | Term::Input(_) | Term::State(_) => [None; 3],
            Term::Unary(_, a)
            | Term::Cast(a)
            | Term::InDomain(a, _)
            | Term::Slice(a, _)
            | Term::Number(a) => [Some(a), None, None],
            Term::Binary(_, a, b) | Term::Concat(a, b) => [Some(a), Some(b), None],
            Term::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        }
    }

    /// Returns each bit negated.
    pub fn not(&mut self, a: TermId) -> Made {
        match self.constant(a) {
            Some(bits) => {
                let bits: Vec<bool> = bits.iter().map(|bit| !bit).collect();
                Ok(self.bits(&bits))
            }
            None => self.pool.not(a),
        }
    }

    /// Returns `-a`.
    pub fn neg(&mut self, a: TermId) -> Made {
        let zero = self.number(0, self.width(a));
        self.arithmetic(Core::Sub, zero, a, false)
    }

    /// Returns the conjunction, disjunction or exclusive disjunction of two words, bit by bit.
    pub fn bitwise(&mut self, op: Core, a: TermId, b: TermId) -> Made {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                let bit = |(&x, &y): (&bool, &bool)| match op {
                    Core::And => x && y,
                    Core::Or => x || y,
                    _ => x != y,
                };
                let bits: Vec<bool> = x.iter().zip(&y).map(bit).collect();
                return Ok(self.bits(&bits));
            }
            (Some(_), None) => return self.bitwise(op, b, a),
            (None, Some(y)) => {
                let same = |bit: bool| y.iter().all(|&y| y == bit);
                match op {
                    Core::And if same(true) => return Ok(a),
                    Core::Or | Core::Xor if same(false) => return Ok(a),
                    Core::And if same(false) => return Ok(b),
                    Core::Or if same(true) => return Ok(b),
                    Core::Xor if same(true) => return self.not(a),
                    _ => {}
                }
            }
            (None, None) if a == b => match op {
                Core::Xor => return Ok(self.number(0, self.width(a))),
                _ => return Ok(a),
            },
            _ => {}
        }
        self.pool.binary(op, a, b)
    }

    /// Returns a sum, difference, product, quotient or remainder; the divisor must not be 0.
    pub fn arithmetic(&mut self, op: Core, a: TermId, b: TermId, signed: bool) -> Made {
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Some(bits) = constants::arithmetic(op, &x, &y, signed)
        {
            return Ok(self.bits(&bits));
        }
        let zero = |words: &Words, term| {
            words
                .constant(term)
                .is_some_and(|bits| !bits.contains(&true))
        };
        match op {
            Core::Add if zero(self, a) => return Ok(b),
            Core::Add | Core::Sub if zero(self, b) => return Ok(a),
            _ => {}
        }
        if signed && matches!(op, Core::Div | Core::Rem) {
            let (a, b) = (self.signed(a)?, self.signed(b)?);
            let result = self.pool.binary(op, a, b)?;
            return self.pool.slice(result, 0, self.width(a), false);
        }
        self.pool.binary(op, a, b)
    }

    /// Returns the same bits as a signed word.
    fn signed(&mut self, a: TermId) -> Made {
        let width = self.width(a);
        match self.constant(a) {
            Some(bits) => Ok(self.pool.word(&bits, true)),
            None => self.pool.slice(a, 0, width, true),
        }
    }

    /// Returns `a = b`, a truth value.
    pub fn equal(&mut self, a: TermId, b: TermId) -> Made {
        // In an extended word only the original bits matter.
        if let (&Term::Concat(high, low), Some(y)) = (self.pool.term(a), self.constant(b))
            && let Some(high) = self.constant(high)
        {
            let (below, above) = y.split_at(y.len() - high.len());
            if high != above {
                return Ok(self.pool.bool(false));
            }
            let below = self.bits(below);
            return self.equal(low, below);
        }
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => Ok(self.pool.bool(x == y)),
            (Some(_), None) => self.equal(b, a),
            (None, Some(y)) if y.len() == 1 => {
                let truth = self.truth(a)?;
                if y[0] {
                    Ok(truth)
                } else {
                    self.pool.not(truth)
                }
            }
            _ => self.pool.binary(Core::Eq, a, b),
        }
    }

    /// Returns `a < b`, a truth value.
    pub fn less(&mut self, a: TermId, b: TermId, signed: bool) -> Made {
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            return Ok(self.pool.bool(constants::less(&x, &y, signed)));
        }
        let (a, b) = match signed {
            true => (self.signed(a)?, self.signed(b)?),
            false => (a, b),
        };
        self.pool.binary(Core::Lt, a, b)
    }

    /// Returns whether all bits are 1, a truth value.
    pub fn all(&mut self, a: TermId) -> Made {
        let ones = self.ones(self.width(a));
        self.equal(a, ones)
    }

    /// Returns whether the number of ones is odd, a truth value.
    pub fn odd(&mut self, a: TermId) -> Made {
        let mut a = a;
        while self.width(a) > 1 {
            let width = self.width(a);
            let half = width.div_ceil(2);
            let low = self.slice(a, 0, half)?;
            let high = self.slice(a, half, width - half)?;
            let high = self.resize(high, half, false)?;
            a = self.bitwise(Core::Xor, low, high)?;
        }
        self.truth(a)
    }

    /// Returns a word shifted by a number that is not negative; `fill` (a truth value) enters from outside.
    pub fn shift(&mut self, a: TermId, by: TermId, left: bool, fill: TermId) -> Made {
        let width = self.width(a);
        let ones = self.ones(width);
        let zeros = self.number(0, width);
        let filler = self.pool.ite(fill, ones, zeros)?;
        if let Some(bits) = self.constant(by) {
            let high = bits.iter().skip(31).any(|&bit| bit);
            let by = bits.iter().take(31).enumerate();
            let by = by.fold(0, |by, (i, &bit)| by | u32::from(bit) << i);
            return match high || by >= width {
                true => Ok(filler),
                false => self.shift_constant(a, by, left, filler),
            };
        }
        let mut result = a;
        let amount = self.width(by);
        for stage in 0..amount {
            if stage >= 31 || 1 << stage >= width {
                let rest = self.slice(by, stage, amount - stage)?;
                let beyond = self.truth(rest)?;
                return self.pool.ite(beyond, filler, result);
            }
            let bit = self.slice(by, stage, 1)?;
            let bit = self.truth(bit)?;
            let shifted = self.shift_constant(result, 1 << stage, left, filler)?;
            result = self.pool.ite(bit, shifted, result)?;
        }
        Ok(result)
    }

    fn shift_constant(&mut self, a: TermId, by: u32, left: bool, filler: TermId) -> Made {
        let width = self.width(a);
        if by == 0 {
            return Ok(a);
        }
        let filler = self.slice(filler, 0, by)?;
        if left {
            let kept = self.slice(a, 0, width - by)?;
            self.concat(kept, filler)
        } else {
            let kept = self.slice(a, by, width - by)?;
            self.concat(filler, kept)
        }
    }

    /// Returns an upper bound of the value of a word. The largest number stands for no bound.
    #[must_use]
    pub fn maximum(&self, term: TermId) -> u64 {
        self.bounded(term, 12)
    }

    fn bounded(&self, term: TermId, depth: u32) -> u64 {
        let width = self.width(term);
        let all = 1u64.checked_shl(width).map_or(u64::MAX, |end| end - 1);
        if let Some(bits) = self.constant(term) {
            let value = bits.iter().take(64).enumerate();
            let value = value.fold(0, |value, (i, &bit)| value | u64::from(bit) << i);
            return if bits.iter().skip(64).any(|&bit| bit) {
                u64::MAX
            } else {
                value
            };
        }
        let Some(depth) = depth.checked_sub(1) else {
            return all;
        };
        let max = |term| self.bounded(term, depth);
        let found = match *self.pool.term(term) {
            Term::Concat(high, low) => {
                let shift = self.width(low);
                match max(high) {
                    0 => Some(max(low)),
                    high if shift < 64 && high.leading_zeros() >= shift => {
                        Some(high << shift | max(low))
                    }
                    _ => None,
                }
            }
            Term::Binary(Core::Add, a, b) => max(a).checked_add(max(b)),
            Term::Binary(Core::Mul, a, b) => max(a).checked_mul(max(b)),
            Term::Binary(Core::And, a, b) => Some(max(a).min(max(b))),
            Term::Ite(_, a, b) => Some(max(a).max(max(b))),
            Term::Slice(a, 0) => Some(max(a)),
            _ => None,
        };
        // A result beyond the width has wrapped.
        found.filter(|found| *found <= all).unwrap_or(all)
    }
}

/// Arithmetic on constants of any width.
mod constants {
    use super::Core;

    fn add(a: &[bool], b: &[bool], mut carry: bool) -> Vec<bool> {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            sum.push(x ^ y ^ carry);
            carry = x && y || carry && (x || y);
        }
        sum
    }

    fn complement(a: &[bool]) -> Vec<bool> {
        a.iter().map(|bit| !bit).collect()
    }

    fn sub(a: &[bool], b: &[bool]) -> Vec<bool> {
        add(a, &complement(b), true)
    }

    fn negate(a: &[bool]) -> Vec<bool> {
        sub(&vec![false; a.len()], a)
    }

    pub(super) fn less(a: &[bool], b: &[bool], signed: bool) -> bool {
        if let (true, Some(x), Some(y)) = (signed, a.last(), b.last())
            && x != y
        {
            return *x;
        }
        a.iter().rev().lt(b.iter().rev())
    }

    fn mul(a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut sum = vec![false; a.len()];
        for (shift, _) in b.iter().enumerate().filter(|(_, bit)| **bit) {
            let mut row = vec![false; shift];
            row.extend(&a[..a.len() - shift]);
            sum = add(&sum, &row, false);
        }
        sum
    }

    fn div_rem(a: &[bool], b: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let mut divisor = b.to_vec();
        divisor.push(false);
        let mut rest = vec![false; a.len() + 1];
        let mut quotient = vec![false; a.len()];
        for i in (0..a.len()).rev() {
            rest.pop();
            rest.insert(0, a[i]);
            if !less(&rest, &divisor, false) {
                rest = sub(&rest, &divisor);
                quotient[i] = true;
            }
        }
        rest.pop();
        (quotient, rest)
    }

    pub(super) fn arithmetic(op: Core, a: &[bool], b: &[bool], signed: bool) -> Option<Vec<bool>> {
        Some(match op {
            Core::Add => add(a, b, false),
            Core::Sub => sub(a, b),
            Core::Mul => mul(a, b),
            Core::Div | Core::Rem => {
                if !b.contains(&true) {
                    return None;
                }
                let (sign_a, sign_b) = (signed && *a.last()?, signed && *b.last()?);
                let magnitude = |x: &[bool], sign| if sign { negate(x) } else { x.to_vec() };
                let (quotient, rest) = div_rem(&magnitude(a, sign_a), &magnitude(b, sign_b));
                match op {
                    Core::Div => magnitude(&quotient, sign_a != sign_b),
                    _ => magnitude(&rest, sign_a),
                }
            }
            _ => return None,
        })
    }
}
