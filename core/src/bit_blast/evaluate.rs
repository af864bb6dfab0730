//! Translates terms to literals: one pass over the needed terms, operands first, without recursion.

use super::bits::{self, Bits};
use super::error::BitBlastError;
use super::words;
use crate::sort::Sort;
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp, join};
use crate::{Aig, Lit};

/// The values of the variables for an evaluation.
#[derive(Clone, Copy)]
pub(super) struct Environment<'a> {
    /// The value of each input.
    pub(super) inputs: &'a [Bits],
    /// The value of each state variable, once known.
    pub(super) states: &'a [Option<Bits>],
    /// The value of each selector.
    pub(super) selectors: &'a [Lit],
}

/// The values of terms in one environment, each computed at most once.
pub(super) struct Evaluator<'a> {
    terms: &'a TermPool,
    /// The values of the terms up to the newest one asked for.
    values: Vec<Option<Bits>>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(terms: &'a TermPool) -> Evaluator<'a> {
        Evaluator {
            terms,
            values: Vec::new(),
        }
    }

    /// Returns the terms that `root` needs and that have no value yet, operands first.
    fn pending(&self, root: TermId) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        let mut pending = Vec::new();
        while let Some(term) = stack.pop() {
            if self.values[term.index()].is_none() && seen.insert(term) {
                pending.push(term);
                stack.extend(self.terms.term(term).operands().into_iter().flatten());
            }
        }
        pending.sort_unstable();
        pending
    }

    /// Returns the value of `root`. All calls on one evaluator must use the same environment, except that more state variables may be
    /// known.
    pub(super) fn value(
        &mut self,
        aig: &mut Aig,
        environment: &Environment<'_>,
        root: TermId,
    ) -> Result<&Bits, BitBlastError> {
        if self.values.len() <= root.index() {
            self.values.resize(root.index() + 1, None);
        }
        for term in self.pending(root) {
            let value =
                self.apply(aig, environment, term)
                    .ok_or_else(|| BitBlastError::MalformedTerm {
                        term: format!("{:?}", self.terms.term(term)),
                        sort: self.terms.sort(term).to_string(),
                    })?;
            self.values[term.index()] = Some(value);
        }
        self.values[root.index()]
            .as_ref()
            .ok_or_else(|| BitBlastError::MalformedTerm {
                term: format!("{:?}", self.terms.term(root)),
                sort: self.terms.sort(root).to_string(),
            })
    }

    fn known(&self, term: TermId) -> Option<&Bits> {
        self.values[term.index()].as_ref()
    }

    fn truth(&self, term: TermId) -> Option<Lit> {
        match self.known(term)? {
            Bits::Truth(lit) => Some(*lit),
            _ => None,
        }
    }

    /// Computes one term from the values of its operands; `None` if sorts and operator do not fit.
    fn apply(&self, aig: &mut Aig, environment: &Environment<'_>, id: TermId) -> Option<Bits> {
        let sort = self.terms.sort(id);
        match self.terms.term(id) {
            Term::Constant(code) => {
                (*code < sort.cardinality()).then(|| bits::constant(sort, *code))
            }
            Term::Input(i) => environment.inputs.get(*i as usize).cloned(),
            Term::State(i) => environment.states.get(*i as usize).cloned().flatten(),
            Term::Selector(i) => environment
                .selectors
                .get(*i as usize)
                .map(|&lit| Bits::Truth(lit)),
            Term::Unary(op, a) => self.unary(aig, *op, *a, sort),
            Term::Binary(op, a, b) => self.binary(aig, *op, *a, *b, sort),
            Term::Ite(c, a, b) => {
                let condition = self.truth(*c)?;
                let a = bits::convert(aig, self.known(*a)?, self.terms.sort(*a), sort)?;
                let b = bits::convert(aig, self.known(*b)?, self.terms.sort(*b), sort)?;
                Some(match (a, b) {
                    (Bits::Truth(a), Bits::Truth(b)) => Bits::Truth(aig.ite(condition, a, b)),
                    (Bits::Integer(a), Bits::Integer(b)) => {
                        Bits::Integer(words::mux(aig, condition, &a, &b))
                    }
                    (Bits::Symbol(a), Bits::Symbol(b)) => {
                        Bits::Symbol(words::mux(aig, condition, &a, &b))
                    }
                    (Bits::Code(a), Bits::Code(b)) => {
                        Bits::Code(words::mux(aig, condition, &a, &b))
                    }
                    (Bits::Word(a), Bits::Word(b)) => {
                        Bits::Word(words::mux(aig, condition, &a, &b))
                    }
                    _ => return None,
                })
            }
            Term::Cast(a) => bits::convert(aig, self.known(*a)?, self.terms.sort(*a), sort),
            Term::InDomain(a, domain) => self.in_domain(aig, *a, domain),
            Term::Slice(a, low) => {
                let end = *low as usize + sort.width();
                let bits = self.word(*a)?.get(*low as usize..end)?;
                Some(Bits::Word(bits.to_vec()))
            }
            Term::Concat(high, low) => {
                let (high, low) = (self.word(*high)?, self.word(*low)?);
                Some(Bits::Word([low, high].concat()))
            }
            Term::Number(a) => {
                let signed = matches!(self.terms.sort(*a), Sort::Word { signed: true, .. });
                let mut bits = self.word(*a)?.to_vec();
                if !signed {
                    bits.push(Lit::FALSE);
                }
                Some(integer_of(sort, &bits))
            }
        }
    }

    fn word(&self, term: TermId) -> Option<&[Lit]> {
        match self.known(term)? {
            Bits::Word(bits) => Some(bits),
            _ => None,
        }
    }

    fn unary(&self, aig: &mut Aig, op: UnaryOp, a: TermId, sort: &Sort) -> Option<Bits> {
        match (op, self.known(a)?, sort) {
            (UnaryOp::Not, Bits::Truth(a), _) => Some(Bits::Truth(!*a)),
            (UnaryOp::Not, Bits::Word(a), _) => Some(Bits::Word(words::complement(a))),
            (UnaryOp::Neg, Bits::Word(a), _) => Some(Bits::Word(words::neg(aig, a))),
            (UnaryOp::Neg, Bits::Integer(a), Sort::Range { low, high }) => {
                let a = words::resize_signed(a, bits::integer_width(*low, *high).max(a.len()));
                let negated = words::neg(aig, &a);
                Some(integer_of(sort, &negated))
            }
            _ => None,
        }
    }

    fn binary(
        &self,
        aig: &mut Aig,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        sort: &Sort,
    ) -> Option<Bits> {
        match (self.known(a)?, self.known(b)?) {
            (Bits::Truth(a), Bits::Truth(b)) => Some(Bits::Truth(match op {
                BinaryOp::And => aig.and(*a, *b),
                BinaryOp::Or => aig.or(*a, *b),
                BinaryOp::Xor => aig.xor(*a, *b),
                BinaryOp::Eq => aig.iff(*a, *b),
                _ => return None,
            })),
            (x @ (Bits::Symbol(_) | Bits::Code(_)), y) if op == BinaryOp::Eq => {
                let (left, right) = (self.terms.sort(a), self.terms.sort(b));
                bits::same_symbol(aig, (x, left), (y, right)).map(Bits::Truth)
            }
            (Bits::Integer(x), Bits::Integer(y)) => integers(aig, op, x, y, sort),
            (Bits::Word(x), Bits::Word(y)) if x.len() == y.len() => {
                let signed = matches!(self.terms.sort(a), Sort::Word { signed: true, .. });
                machine_words(aig, op, x, y, signed)
            }
            _ => None,
        }
    }

    fn in_domain(&self, aig: &mut Aig, a: TermId, domain: &Sort) -> Option<Bits> {
        let from = self.terms.sort(a);
        join(from, domain)?;
        let inside = match (self.known(a)?, from, domain) {
            (
                value @ (Bits::Symbol(_) | Bits::Code(_)),
                Sort::Enum { values },
                Sort::Enum { values: inside },
            ) => bits::is_among(aig, value, values, inside)?,
            (Bits::Integer(a), _, Sort::Range { low, high }) => {
                let width = bits::integer_width(*low, *high).max(a.len());
                let a = words::resize_signed(a, width);
                let low = words::constant(*low, width);
                let high = words::constant(*high, width);
                let below = words::less_signed(aig, &a, &low);
                let above = words::less_signed(aig, &high, &a);
                aig.and(!below, !above)
            }
            (Bits::Truth(_) | Bits::Word(_), _, _) => Lit::TRUE,
            _ => return None,
        };
        Some(Bits::Truth(inside))
    }
}

/// Returns a two's complement word as an integer: resized to the width of the range if `sort` is a range, and else with its own width.
fn integer_of(sort: &Sort, value: &[Lit]) -> Bits {
    let width = match sort {
        Sort::Range { low, high } => bits::integer_width(*low, *high),
        _ => value.len(),
    };
    Bits::Integer(words::resize_signed(value, width))
}

/// Returns the result of an operator on integers, as a value of `sort`. Operands are widened until nothing can wrap. `None` for logical
/// operators.
fn integers(aig: &mut Aig, op: BinaryOp, a: &[Lit], b: &[Lit], sort: &Sort) -> Option<Bits> {
    let common = a.len().max(b.len());
    let result = match sort {
        Sort::Range { low, high } => bits::integer_width(*low, *high),
        _ => common,
    };
    // Sums and products are correct modulo 2^result. Quotients need complete operands, and one more bit for the least integer divided by
    // -1.
    let width = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => result,
        BinaryOp::Div | BinaryOp::Rem => common + 1,
        _ => common,
    };
    let a = words::resize_signed(a, width);
    let b = words::resize_signed(b, width);
    Some(match op {
        BinaryOp::Eq => Bits::Truth(words::equal(aig, &a, &b)),
        BinaryOp::Lt => Bits::Truth(words::less_signed(aig, &a, &b)),
        BinaryOp::Le => Bits::Truth(!words::less_signed(aig, &b, &a)),
        BinaryOp::Add => integer_of(sort, &words::add(aig, &a, &b, Lit::FALSE)),
        BinaryOp::Sub => integer_of(sort, &words::sub(aig, &a, &b)),
        BinaryOp::Mul => integer_of(sort, &words::mul(aig, &a, &b)),
        BinaryOp::Div => integer_of(sort, &words::div_rem_signed(aig, &a, &b).0),
        BinaryOp::Rem => integer_of(sort, &words::div_rem_signed(aig, &a, &b).1),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
    })
}

/// Returns the result of an operator on machine words of equal width, modulo 2^width. `signed` applies to comparison and division.
fn machine_words(aig: &mut Aig, op: BinaryOp, a: &[Lit], b: &[Lit], signed: bool) -> Option<Bits> {
    let mut bitwise = |gate: fn(&mut Aig, Lit, Lit) -> Lit| {
        let bits = a.iter().zip(b).map(|(&x, &y)| gate(aig, x, y));
        Bits::Word(bits.collect())
    };
    Some(match op {
        BinaryOp::And => bitwise(Aig::and),
        BinaryOp::Or => bitwise(Aig::or),
        BinaryOp::Xor => bitwise(Aig::xor),
        BinaryOp::Eq => Bits::Truth(words::equal(aig, a, b)),
        BinaryOp::Lt if signed => Bits::Truth(words::less_signed(aig, a, b)),
        BinaryOp::Lt => Bits::Truth(words::less_unsigned(aig, a, b)),
        BinaryOp::Le if signed => Bits::Truth(!words::less_signed(aig, b, a)),
        BinaryOp::Le => Bits::Truth(!words::less_unsigned(aig, b, a)),
        BinaryOp::Add => Bits::Word(words::add(aig, a, b, Lit::FALSE)),
        BinaryOp::Sub => Bits::Word(words::sub(aig, a, b)),
        BinaryOp::Mul => Bits::Word(words::mul(aig, a, b)),
        BinaryOp::Div if signed => Bits::Word(words::div_rem_signed(aig, a, b).0),
        BinaryOp::Div => Bits::Word(words::div_rem_unsigned(aig, a, b).0),
        BinaryOp::Rem if signed => Bits::Word(words::div_rem_signed(aig, a, b).1),
        BinaryOp::Rem => Bits::Word(words::div_rem_unsigned(aig, a, b).1),
    })
}
