//! Typed, hash-consed terms over the variables of a transition system.
//!
//! A term of sort [`Sort::Range`] is a mathematical integer with known bounds: arithmetic never wraps, and the bounds of the result are
//! computed. Conversion to a variable's domain is explicit: [`TermPool::cast`], whose precondition a front end states as an obligation with
//! [`TermPool::in_domain`].

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::sort::{MAX_NUMBER, MAX_WORD, Sort, Value};

/// A term of a [`TermPool`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// Returns the number of the term, an index into per-term tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Negation of a Bool or Bit; complement of each bit of a Word.
    Not,
    /// Arithmetic negation of a Range (exact) or Word (modulo).
    Neg,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Conjunction (Bool), bitwise for words.
    And,
    /// Disjunction (Bool), bitwise for words.
    Or,
    /// Exclusive or (Bool), bitwise for words.
    Xor,
    /// Equality of two operands of one kind: Bool/Bit, Enum (by spelling), Range, Word of one sort. The result is a Bool.
    Eq,
    /// Less than, on Range or Word of one sort. The result is a Bool.
    Lt,
    /// Less than or equal, on Range or Word of one sort. The result is a Bool.
    Le,
    /// The sum, of a Range (exact) or Word (modulo).
    Add,
    /// The difference, as for `Add`.
    Sub,
    /// The product, as for `Add`.
    Mul,
    /// The quotient, rounded towards zero. The divisor must not be 0, which an obligation should state; the value is then unspecified.
    Div,
    /// The remainder with the sign of the dividend (`a = b * (a / b) + a mod b`). Divisor as for `Div`.
    Rem,
}

/// A term's top symbol and operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A value of the term's sort, by code. Wide words ([`Sort::is_wide`]) have no codes: their values are concatenations.
    Constant(u64),
    /// The input with this index, at the current step.
    Input(u32),
    /// The state variable with this index, at the current step.
    State(u32),
    /// The selector with this index, a Bool.
    Selector(u32),
    /// An operator on one term.
    Unary(UnaryOp, TermId),
    /// An operator on two terms.
    Binary(BinaryOp, TermId, TermId),
    /// `if condition then a else b`.
    Ite(TermId, TermId, TermId),
    /// The operand as a value of this term's sort; unspecified if the operand is outside it.
    Cast(TermId),
    /// Whether the operand is a value of the given sort, a Bool.
    InDomain(TermId, Sort),
    /// The bits of a Word from this one up, as many as this term's sort (a Word) has.
    Slice(TermId, u32),
    /// The concatenation of two Words, the first above the second.
    Concat(TermId, TermId),
    /// The number that a Word denotes, as a Range.
    Number(TermId),
}

impl Term {
    /// Returns the operands of the term in order; `None` fills the rest.
    pub(crate) fn operands(&self) -> [Option<TermId>; 3] {
        match self {
            Term::Constant(_) | Term::Input(_) | Term::State(_) | Term::Selector(_) => {
                [None, None, None]
            }
            Term::Unary(_, a)
            | Term::Cast(a)
            | Term::InDomain(a, _)
            | Term::Slice(a, _)
            | Term::Number(a) => [Some(*a), None, None],
            Term::Binary(_, a, b) | Term::Concat(a, b) => [Some(*a), Some(*b), None],
            Term::Ite(c, a, b) => [Some(*c), Some(*a), Some(*b)],
        }
    }
}

/// The error that operands do not allow a term.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TermError {
    /// The operator is not defined on these sorts.
    #[error("`{operator}` does not apply to {operands}")]
    Sorts {
        /// The operator that was applied.
        operator: String,
        /// The sorts of the operands.
        operands: String,
    },
    /// A product or quotient of words has a circuit that is too large.
    #[error(
        "`{operator}` of words of {width} bits: more than {MAX_PRODUCT} are too many for a circuit"
    )]
    TooWide {
        /// The operator that was applied.
        operator: String,
        /// The width of the operands, in bits.
        width: u32,
    },
    /// The bounds of an integer result exceed the supported range (62 bits).
    #[error("integer result of `{operator}` does not fit into 62 bits")]
    Overflow {
        /// The operator that was applied.
        operator: String,
    },
}

/// Largest width of words that are multiplied or divided, in bits, unless a factor is constant. The circuit grows with the square of the
/// width.
pub const MAX_PRODUCT: u32 = 256;

const INT_LIMIT: i128 = 1 << 61;

/// All terms of a system. Equal terms have equal ids, and constants are folded.
#[derive(Clone, Default, Debug)]
pub struct TermPool {
    terms: Vec<(Term, Sort)>,
    /// The newest term for each hash. A table with terms as keys would store each of them twice.
    newest: FxHashMap<u64, TermId>,
    /// For each term the next older one with the same hash.
    older: FxHashMap<TermId, TermId>,
}

impl TermPool {
    /// Returns a pool without terms.
    #[must_use]
    pub fn new() -> TermPool {
        TermPool::default()
    }

    /// Returns the number of terms; every [`TermId::index`] is below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns all terms, oldest first: every term comes after its operands.
    pub fn ids(&self) -> impl Iterator<Item = TermId> + use<> {
        (0..self.terms.len() as u32).map(TermId)
    }

    /// Returns the term's top symbol and operands. Operands are always older than the term.
    #[must_use]
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.index()].0
    }

    /// Returns the sort of the term's values.
    #[must_use]
    pub fn sort(&self, id: TermId) -> &Sort {
        &self.terms[id.index()].1
    }

    fn make(&mut self, term: Term, sort: Sort) -> TermId {
        let key = (term, sort);
        let hash = FxBuildHasher.hash_one(&key);
        let newest = self.newest.get(&hash).copied();
        let mut at = newest;
        while let Some(known) = at {
            if self.terms[known.index()] == key {
                return known;
            }
            at = self.older.get(&known).copied();
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(key);
        self.newest.insert(hash, id);
        self.older.extend(newest.map(|older| (id, older)));
        id
    }

    /// Returns the constant true or false.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.make(Term::Constant(u64::from(value)), Sort::Bool)
    }

    /// Returns the constant integer `n`, of sort `n..=n`.
    pub fn int(&mut self, n: i64) -> TermId {
        self.make(Term::Constant(0), Sort::Range { low: n, high: n })
    }

    /// Returns the constant symbol `name`, of the enum sort with this value only.
    pub fn symbol(&mut self, name: &str) -> TermId {
        self.make(Term::Constant(0), Sort::enumeration([name]))
    }

    /// Returns the value of `sort` with this code, which must be below its cardinality. For a wide word, the code gives the low bits.
    pub fn constant(&mut self, sort: Sort, code: u64) -> TermId {
        if let Sort::Word { width, signed } = sort
            && sort.is_wide()
        {
            let bits: Vec<bool> = (0..width).map(|i| i < 64 && code >> i & 1 == 1).collect();
            return self.word(&bits, signed);
        }
        self.make(Term::Constant(code), sort)
    }

    /// Returns the word with these bits, least significant first, 1 to [`MAX_WORD`] of them.
    pub fn word(&mut self, bits: &[bool], signed: bool) -> TermId {
        let chunk = |bits: &[bool]| {
            bits.iter()
                .rev()
                .fold(0, |code, &bit| code << 1 | u64::from(bit))
        };
        let sort = |width: usize, signed| Sort::Word {
            width: width as u32,
            signed,
        };
        if bits.len() <= MAX_NUMBER as usize {
            return self.make(Term::Constant(chunk(bits)), sort(bits.len(), signed));
        }
        let mut word: Option<TermId> = None;
        for (i, part) in bits.chunks(MAX_NUMBER as usize).enumerate() {
            let high = self.make(Term::Constant(chunk(part)), sort(part.len(), false));
            word = Some(match word {
                None => high,
                Some(low) => {
                    let width = i * MAX_NUMBER as usize + part.len();
                    self.make(Term::Concat(high, low), sort(width, false))
                }
            });
        }
        match word {
            Some(word) if signed => self.make(Term::Slice(word, 0), sort(bits.len(), true)),
            Some(word) => word,
            None => self.bool(false),
        }
    }

    /// Returns the bits of a word, least significant first; `None` if some bit is not constant, or the term is no word.
    #[must_use]
    pub fn constant_bits(&self, id: TermId) -> Option<Vec<bool>> {
        let width = self.sort(id).width();
        match *self.term(id) {
            Term::Constant(code) if matches!(self.sort(id), Sort::Word { .. }) => {
                Some((0..width).map(|i| code >> i & 1 == 1).collect())
            }
            Term::Concat(..) => {
                // Long words are nested to the right, so that side is followed without recursion.
                let (mut parts, mut at) = (Vec::new(), id);
                while let Term::Concat(high, low) = *self.term(at) {
                    parts.push(self.constant_bits(high)?);
                    at = low;
                }
                parts.push(self.constant_bits(at)?);
                Some(parts.into_iter().rev().flatten().collect())
            }
            Term::Slice(a, low) => {
                let bits = self.constant_bits(a)?;
                Some(bits.get(low as usize..low as usize + width)?.to_vec())
            }
            _ => None,
        }
    }

    /// Returns the value of a constant term; `None` for other terms.
    #[must_use]
    pub fn as_constant(&self, id: TermId) -> Option<Value> {
        match self.term(id) {
            Term::Constant(code) => Some(self.sort(id).value_of_code(*code)),
            _ => None,
        }
    }

    /// Returns the truth value of a constant Bool or Bit; `None` for other terms.
    #[must_use]
    pub fn as_bool(&self, id: TermId) -> Option<bool> {
        match (self.term(id), self.sort(id)) {
            (Term::Constant(code), Sort::Bool | Sort::Bit) => Some(*code == 1),
            _ => None,
        }
    }

    fn as_int(&self, id: TermId) -> Option<i64> {
        match self.as_constant(id)? {
            Value::Int(n) => Some(n),
            Value::Symbol(_) => None,
        }
    }

    /// Returns the input with this index and sort.
    pub fn input(&mut self, index: usize, sort: Sort) -> TermId {
        self.make(Term::Input(index as u32), sort)
    }

    /// Returns the state variable with this index and sort.
    pub fn state(&mut self, index: usize, sort: Sort) -> TermId {
        self.make(Term::State(index as u32), sort)
    }

    /// Returns the selector with this index.
    pub fn selector(&mut self, index: usize) -> TermId {
        self.make(Term::Selector(index as u32), Sort::Bool)
    }

    /// Returns the logical or bitwise complement.
    ///
    /// # Errors
    /// If the operand is neither Bool, Bit nor Word.
    pub fn not(&mut self, a: TermId) -> Result<TermId, TermError> {
        let sort = self.sort(a).clone();
        if let (Term::Unary(UnaryOp::Not, inner), true) = (self.term(a), true) {
            return Ok(*inner);
        }
        match (&sort, self.as_bool(a)) {
            (_, Some(value)) => Ok(self.make(Term::Constant(u64::from(!value)), sort)),
            (Sort::Bool | Sort::Bit | Sort::Word { .. }, None) => {
                Ok(self.make(Term::Unary(UnaryOp::Not, a), sort))
            }
            _ => Err(sorts("not", &[&sort])),
        }
    }

    /// Returns the arithmetic negation.
    ///
    /// # Errors
    /// If the operand is neither Range nor Word, or the result is too large.
    pub fn neg(&mut self, a: TermId) -> Result<TermId, TermError> {
        let sort = self.sort(a).clone();
        match sort {
            Sort::Range { low, .. } if i128::from(low) < -INT_LIMIT => Err(TermError::Overflow {
                operator: "-".to_owned(),
            }),
            Sort::Range { low, high } => {
                if let Some(n) = self.as_int(a) {
                    return Ok(self.int(-n));
                }
                let sort = Sort::Range {
                    low: -high,
                    high: -low,
                };
                Ok(self.make(Term::Unary(UnaryOp::Neg, a), sort))
            }
            Sort::Word { .. } => Ok(self.make(Term::Unary(UnaryOp::Neg, a), sort)),
            _ => Err(sorts("-", &[&sort])),
        }
    }

    /// Returns the term of an operator with two operands, folded if they are constant.
    ///
    /// # Errors
    /// If the operator is not defined on the operands' sorts, or an integer result is too large. Also if words longer than [`MAX_PRODUCT`]
    /// bits are divided, or multiplied without a constant operand.
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Result<TermId, TermError> {
        use BinaryOp::{Add, And, Div, Eq, Mul, Or, Rem, Xor};
        let (left, right) = (self.sort(a).clone(), self.sort(b).clone());
        if let (Mul | Div | Rem, &Sort::Word { width, .. }) = (op, &left)
            && width > MAX_PRODUCT
            && !(op == Mul && [a, b].iter().any(|&id| self.constant_bits(id).is_some()))
        {
            return Err(TermError::TooWide {
                operator: op.symbol().to_owned(),
                width,
            });
        }
        let result = result_of(op, &left, &right)?;
        if let Some(folded) = self.fold(op, a, b) {
            return Ok(folded);
        }
        // Operands of symmetric operators are ordered, so that equal terms are shared.
        let (a, b) = match op {
            And | Or | Xor | Eq | Add | Mul if b < a => (b, a),
            _ => (a, b),
        };
        Ok(self.make(Term::Binary(op, a, b), result))
    }

    fn fold(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        use BinaryOp::{Add, And, Div, Eq, Le, Lt, Mul, Or, Rem, Sub, Xor};
        if *self.sort(a) == Sort::Bool && *self.sort(b) == Sort::Bool {
            let (x, y) = (self.as_bool(a), self.as_bool(b));
            match (op, x, y) {
                (And, Some(false), _) | (And, _, Some(true)) => return Some(a),
                (And, _, Some(false)) | (And, Some(true), _) => return Some(b),
                (Or, Some(true), _) | (Or, _, Some(false)) => return Some(a),
                (Or, _, Some(true)) | (Or, Some(false), _) => return Some(b),
                (And | Or, _, _) if a == b => return Some(a),
                (Xor, Some(x), Some(y)) => return Some(self.bool(x ^ y)),
                (Eq, Some(x), Some(y)) => return Some(self.bool(x == y)),
                _ => {}
            }
        }
        if a == b && matches!(op, Eq | Le) {
            return Some(self.bool(true));
        }
        if a == b && op == Lt {
            return Some(self.bool(false));
        }
        if let (Sort::Range { .. }, Some(x), Some(y)) =
            (self.sort(a).clone(), self.as_int(a), self.as_int(b))
        {
            return Some(match op {
                Eq => self.bool(x == y),
                Lt => self.bool(x < y),
                Le => self.bool(x <= y),
                Add => self.int(x + y),
                Sub => self.int(x - y),
                Mul => self.int(x * y),
                Div if y != 0 => self.int(x / y),
                Rem if y != 0 => self.int(x.wrapping_rem(y)),
                _ => return None,
            });
        }
        if let (Eq, Some(Value::Symbol(x)), Some(Value::Symbol(y))) =
            (op, self.as_constant(a), self.as_constant(b))
        {
            return Some(self.bool(x == y));
        }
        None
    }

    /// Returns `if c then a else b`. Enums and ranges are joined: the result has the values of both.
    ///
    /// # Errors
    /// If `c` is not Bool or Bit, or the branches have no common sort.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> Result<TermId, TermError> {
        if !matches!(self.sort(c), Sort::Bool | Sort::Bit) {
            return Err(sorts("condition", &[self.sort(c)]));
        }
        let sort = join(self.sort(a), self.sort(b))
            .ok_or_else(|| sorts("if-then-else", &[self.sort(a), self.sort(b)]))?;
        match self.as_bool(c) {
            Some(true) => Ok(a),
            Some(false) => Ok(b),
            None if a == b => Ok(a),
            None => Ok(self.make(Term::Ite(c, a, b), sort)),
        }
    }

    /// Returns the operand as a value of `sort`: a smaller enum or range, or Bit ↔ Bool. Unspecified outside it.
    ///
    /// # Errors
    /// If the sorts are not of one kind.
    pub fn cast(&mut self, a: TermId, sort: &Sort) -> Result<TermId, TermError> {
        let from = self.sort(a);
        if from == sort {
            return Ok(a);
        }
        if !is_of_kind(from, sort) {
            return Err(sorts("conversion", &[from, sort]));
        }
        Ok(self.make(Term::Cast(a), sort.clone()))
    }

    /// Returns `width` bits of a Word from bit `low` up, as a signed or unsigned Word.
    ///
    /// # Errors
    /// If the operand is no Word or has no such bits.
    pub fn slice(
        &mut self,
        a: TermId,
        low: u32,
        width: u32,
        signed: bool,
    ) -> Result<TermId, TermError> {
        let sort = Sort::Word { width, signed };
        let inside = match self.sort(a) {
            Sort::Word { width: all, .. } => low.checked_add(width).is_some_and(|end| end <= *all),
            _ => false,
        };
        if !inside || width == 0 {
            return Err(sorts("bit selection", &[self.sort(a), &sort]));
        }
        if *self.sort(a) == sort {
            return Ok(a);
        }
        let (mut a, mut low) = (a, low);
        // Only the part that contains the bits is needed.
        loop {
            match *self.term(a) {
                Term::Concat(above, below) => {
                    let split = self.sort(below).width() as u32;
                    if low >= split {
                        (a, low) = (above, low - split);
                    } else if low + width <= split {
                        a = below;
                    } else {
                        break;
                    }
                }
                Term::Slice(inner, from) => (a, low) = (inner, low + from),
                _ => break,
            }
        }
        if *self.sort(a) == sort {
            return Ok(a);
        }
        if let Term::Constant(code) = *self.term(a) {
            let code = code >> low & (sort.cardinality() - 1);
            return Ok(self.make(Term::Constant(code), sort));
        }
        Ok(self.make(Term::Slice(a, low), sort))
    }

    /// Returns the bits of `high` above those of `low`, an unsigned Word.
    ///
    /// # Errors
    /// If an operand is no Word, or there are more than [`MAX_WORD`] bits.
    pub fn concat(&mut self, high: TermId, low: TermId) -> Result<TermId, TermError> {
        match (self.sort(high), self.sort(low)) {
            (Sort::Word { width: h, .. }, Sort::Word { width: l, .. }) if h + l <= MAX_WORD => {
                let (sort, shift) = (
                    Sort::Word {
                        width: h + l,
                        signed: false,
                    },
                    *l,
                );
                if let (false, Term::Constant(h), Term::Constant(l)) =
                    (sort.is_wide(), self.term(high), self.term(low))
                {
                    let code = h << shift | l;
                    return Ok(self.make(Term::Constant(code), sort));
                }
                Ok(self.make(Term::Concat(high, low), sort))
            }
            (h, l) => Err(sorts("::", &[h, l])),
        }
    }

    /// Returns the number that a Word denotes, as a Range of all numbers of its width.
    ///
    /// # Errors
    /// If the operand is no Word, or has more than 60 bits.
    pub fn number(&mut self, a: TermId) -> Result<TermId, TermError> {
        let sort = match *self.sort(a) {
            Sort::Word { width, .. } if width > 60 => {
                return Err(TermError::Overflow {
                    operator: "toint".to_owned(),
                });
            }
            Sort::Word {
                width,
                signed: true,
            } => Sort::Range {
                low: -(1 << (width - 1)),
                high: (1 << (width - 1)) - 1,
            },
            Sort::Word { width, .. } => Sort::Range {
                low: 0,
                high: (1 << width) - 1,
            },
            _ => return Err(sorts("toint", &[self.sort(a)])),
        };
        match self.as_int(a) {
            Some(n) => Ok(self.int(n)),
            None => Ok(self.make(Term::Number(a), sort)),
        }
    }

    /// Returns the condition that the operand is a value of `sort`, a Bool. Folds to true if the operand's own sort implies it.
    ///
    /// # Errors
    /// If the sorts are not of one kind.
    pub fn in_domain(&mut self, a: TermId, sort: &Sort) -> Result<TermId, TermError> {
        let from = self.sort(a).clone();
        if !is_of_kind(&from, sort) {
            return Err(sorts("membership", &[&from, sort]));
        }
        if let Some(value) = self.as_constant(a) {
            let inside = sort.code_of_value(&value).is_some();
            return Ok(self.bool(inside));
        }
        if join(&from, sort).is_some_and(|joined| joined.cardinality() == sort.cardinality()) {
            return Ok(self.bool(true));
        }
        Ok(self.make(Term::InDomain(a, sort.clone()), Sort::Bool))
    }
}

impl BinaryOp {
    /// Returns the spelling of the operator in messages.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "xor",
            BinaryOp::Eq => "=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "mod",
        }
    }
}

/// Returns the least sort with all values of both. `None` if they are of different kinds, or different sorts of words.
#[must_use]
pub fn join(a: &Sort, b: &Sort) -> Option<Sort> {
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Sort::Bit | Sort::Bool, Sort::Bit | Sort::Bool) => Some(Sort::Bool),
        (Sort::Range { low, high }, Sort::Range { low: m, high: i }) => Some(Sort::Range {
            low: *low.min(m),
            high: *high.max(i),
        }),
        (Sort::Enum { values: x }, Sort::Enum { values: y }) => {
            let more = missing(x, y);
            if more.is_empty() {
                return Some(a.clone());
            }
            let values: Vec<String> = x.iter().chain(more).cloned().collect();
            Some(Sort::Enum {
                values: Arc::from(values),
            })
        }
        _ => None,
    }
}

/// Whether two sorts are of one kind, so that [`join`] finds a common one.
fn is_of_kind(a: &Sort, b: &Sort) -> bool {
    match (a, b) {
        (Sort::Bit | Sort::Bool, Sort::Bit | Sort::Bool)
        | (Sort::Range { .. }, Sort::Range { .. })
        | (Sort::Enum { .. }, Sort::Enum { .. }) => true,
        _ => a == b,
    }
}

/// Returns the spellings of `y` that are not in `x`, in their order.
fn missing<'a>(x: &[String], y: &'a [String]) -> Vec<&'a String> {
    // A linear search is fastest unless both lists are long.
    if x.len().min(y.len()) <= 8 {
        return y.iter().filter(|v| !x.contains(v)).collect();
    }
    let known: FxHashSet<&String> = x.iter().collect();
    y.iter().filter(|v| !known.contains(v)).collect()
}

fn sorts(operator: &str, operands: &[&Sort]) -> TermError {
    let operands: Vec<String> = operands.iter().map(|s| format!("`{s}`")).collect();
    TermError::Sorts {
        operator: operator.to_owned(),
        operands: operands.join(" and "),
    }
}

/// Returns the sort of an operator's result on operands of these sorts.
///
/// # Errors
/// If the operator is not defined on them, or an integer result is too large.
fn result_of(op: BinaryOp, left: &Sort, right: &Sort) -> Result<Sort, TermError> {
    use BinaryOp::{Add, And, Div, Eq, Le, Lt, Mul, Or, Rem, Sub, Xor};
    match (op, left, right) {
        (And | Or | Xor, Sort::Bool | Sort::Bit, Sort::Bool | Sort::Bit) => Ok(Sort::Bool),
        (And | Or | Xor | Add | Sub | Mul | Div | Rem, Sort::Word { .. }, _) if left == right => {
            Ok(left.clone())
        }
        (Eq, Sort::Bool | Sort::Bit, Sort::Bool | Sort::Bit)
        | (Eq, Sort::Enum { .. }, Sort::Enum { .. })
        | (Eq | Lt | Le, Sort::Range { .. }, Sort::Range { .. }) => Ok(Sort::Bool),
        (Eq | Lt | Le, Sort::Word { .. }, _) if left == right => Ok(Sort::Bool),
        (
            Add | Sub | Mul | Div | Rem,
            &Sort::Range { low: l, high: h },
            &Sort::Range { low: m, high: i },
        ) => {
            let (low, high) = range_of(op, [l, h].map(i128::from), [m, i].map(i128::from));
            if low < -INT_LIMIT || high > INT_LIMIT {
                return Err(TermError::Overflow {
                    operator: op.symbol().to_owned(),
                });
            }
            Ok(Sort::Range {
                low: low as i64,
                high: high as i64,
            })
        }
        _ => Err(sorts(op.symbol(), &[left, right])),
    }
}

/// Returns the least and the greatest result of integer arithmetic on operands between these bounds. Divisions round towards 0, and a
/// remainder has the sign of the first operand.
fn range_of(op: BinaryOp, [l, h]: [i128; 2], [m, i]: [i128; 2]) -> (i128, i128) {
    match op {
        BinaryOp::Add => (l + m, h + i),
        BinaryOp::Sub => (l - i, h - m),
        BinaryOp::Mul => {
            let corners = [l * m, l * i, h * m, h * i];
            (
                corners.into_iter().min().unwrap_or(0),
                corners.into_iter().max().unwrap_or(0),
            )
        }
        BinaryOp::Div => {
            let most = l.abs().max(h.abs());
            (
                if l >= 0 && m >= 0 { 0 } else { -most },
                if (l >= 0 && i <= 0) || (h <= 0 && m >= 0) {
                    0
                } else {
                    most
                },
            )
        }
        _ => {
            let most = (m.abs().max(i.abs()) - 1).clamp(0, l.abs().max(h.abs()));
            (if l < 0 { -most } else { 0 }, if h > 0 { most } else { 0 })
        }
    }
}
