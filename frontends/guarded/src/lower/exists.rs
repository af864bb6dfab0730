//! Eliminates parameters from conditions: whether some value makes them true.
//!
//! A number that only comparisons read changes their truth at a few values: `x = t` at t and t + 1, `x ≤ t` at t + 1. Between two such
//! values all are equivalent, so these and the least value of the range represent all, for every size of the range. If sums and multiples
//! of the number are compared, these values are the solutions for it: `k·x` with k > 0 crosses t where x crosses ⌊t/k⌋.

use hyperkill_core::sort::Sort;
use hyperkill_core::substitution::{Substitution, subterms};
use hyperkill_core::term::{BinaryOp, Term, TermError, TermId, TermPool, UnaryOp};
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use super::lowering::{Lowering, Stop};
use crate::fault::{Fault, planted};

/// The number of values that are tried one by one, at most, if comparisons do not determine representatives.
const MOST_VALUES: u64 = 1 << 12;

/// The number of terms that are built for one parameter, at most.
const MOST_TERMS: usize = 1 << 22;

/// The number of comparisons that are solved for one parameter, at most.
const MOST_SOLVED: usize = 1 << 12;

/// The number of values of a factor that are tried one by one, at most.
const MOST_FACTORS: u64 = 1 << 6;

impl Lowering<'_> {
    /// Returns the condition that some values of these inputs make `condition` true. `span` is the place of the parameters.
    pub(super) fn exists(
        &mut self,
        mut condition: TermId,
        inputs: &[(TermId, Sort)],
        span: Span,
    ) -> Result<TermId, Stop> {
        for (input, sort) in inputs {
            let parts = subterms(&self.system.terms, condition);
            let is_input = matches!(self.system.terms.term(*input), Term::Input(_));
            if !is_input || !parts.contains(input) {
                continue;
            }
            let points = match sort {
                Sort::Range { low, high } => self.points(&parts, *input, (*low, *high))?,
                _ => None,
            };
            let points = match points {
                Some(points) => points,
                None if sort.cardinality() <= MOST_VALUES => {
                    let codes = 0..sort.cardinality();
                    let terms = &mut self.system.terms;
                    codes
                        .map(|code| terms.constant(sort.clone(), code))
                        .collect()
                }
                None => {
                    let message = format!(
                        "this parameter has {} values, and guards do more than comparing sums and multiples of it with other terms, or \
                         compare two parameters: whether any value enables an event cannot be told",
                        sort.cardinality()
                    );
                    let help = format!("give it a type of at most {MOST_VALUES} values");
                    return Err(Stop::Model(
                        Diagnostic::error(span, message).with_help(help),
                    ));
                }
            };
            if points.len().saturating_mul(parts.len()) > MOST_TERMS {
                let message = "this parameter is compared with too many numbers";
                return Err(Stop::Model(Diagnostic::error(span, message)));
            }
            let mut any = Vec::with_capacity(points.len());
            for point in points {
                let terms = &mut self.system.terms;
                let inside = terms.in_domain(point, sort)?;
                let value = terms.cast(point, sort)?;
                let mut substitution = Substitution::new();
                substitution.replace(*input, value);
                let there = substitution.apply(terms, condition)?;
                any.push(self.and(inside, there)?);
            }
            condition = self.any(any)?;
        }
        Ok(condition)
    }

    /// Returns terms that represent all values of an input. A condition with these parts holds for some value iff it holds for the value of
    /// a term. `None` if the input is read outside of comparisons, or if there are too many terms.
    fn points(
        &mut self,
        parts: &[TermId],
        input: TermId,
        (low, high): (i64, i64),
    ) -> Result<Option<Vec<TermId>>, Stop> {
        let mut reading: FxHashSet<TermId> = FxHashSet::default();
        let mut open: Vec<(TermId, TermId)> = Vec::new();
        for part in parts {
            let terms = &mut self.system.terms;
            let operands = operands(terms.term(*part));
            let reads = *part == input || operands.iter().flatten().any(|o| reading.contains(o));
            if !reads {
                continue;
            }
            reading.insert(*part);
            match terms.term(*part).clone() {
                Term::Binary(BinaryOp::Eq | BinaryOp::Lt | BinaryOp::Le, a, b)
                    if matches!(terms.sort(a), Sort::Range { .. }) =>
                {
                    match (reading.contains(&a), reading.contains(&b)) {
                        (true, true) => return Ok(None),
                        (true, false) => open.push((a, b)),
                        (false, _) => open.push((b, a)),
                    }
                }
                Term::InDomain(a, Sort::Range { low, high }) => {
                    let bounds = [terms.int(low), terms.int(high)];
                    open.extend(bounds.map(|bound| (a, bound)));
                }
                _ => {}
            }
        }
        let Some(solutions) = self.solved(open, &reading, input)? else {
            return Ok(None);
        };
        let terms = &mut self.system.terms;
        let mut points = vec![terms.int(low)];
        for solution in solutions {
            let distances: &[i64] = if planted(Fault::ValuesLost) {
                &[1]
            } else {
                &[0, 1]
            };
            for &distance in distances {
                let distance = terms.int(distance);
                points.push(terms.binary(BinaryOp::Add, solution, distance)?);
            }
        }
        points.sort_unstable();
        points.dedup();
        let all = Sort::Range { low, high }.cardinality();
        let few = points.len() as u64 <= all || all > MOST_VALUES;
        Ok(few.then_some(points))
    }

    /// Returns the values of the input at which the two terms of some pair are equal, possibly with further values; `None` if these values
    /// cannot be computed.
    fn solved(
        &mut self,
        mut open: Vec<(TermId, TermId)>,
        reading: &FxHashSet<TermId>,
        input: TermId,
    ) -> Result<Option<Vec<TermId>>, Stop> {
        let mut seen: FxHashSet<(TermId, TermId)> = open.iter().copied().collect();
        let mut solutions = Vec::new();
        while let Some((side, target)) = open.pop() {
            if seen.len() > MOST_SOLVED {
                return Ok(None);
            }
            let terms = &mut self.system.terms;
            let mut next = Vec::new();
            match terms.term(side).clone() {
                _ if side == input => solutions.push(target),
                Term::Unary(UnaryOp::Neg, a) => next.push((a, terms.neg(target)?)),
                Term::Cast(a) => next.push((a, target)),
                Term::Ite(_, a, b) => {
                    let sides = [a, b].into_iter().filter(|side| reading.contains(side));
                    next.extend(sides.map(|side| (side, target)));
                }
                Term::Binary(op, a, b) => match (reading.contains(&a), reading.contains(&b), op) {
                    (true, false, BinaryOp::Add) => {
                        next.push((a, terms.binary(BinaryOp::Sub, target, b)?));
                    }
                    (false, true, BinaryOp::Add) => {
                        next.push((b, terms.binary(BinaryOp::Sub, target, a)?));
                    }
                    (true, false, BinaryOp::Sub) => {
                        next.push((a, terms.binary(BinaryOp::Add, target, b)?));
                    }
                    (false, true, BinaryOp::Sub) => {
                        next.push((b, terms.binary(BinaryOp::Sub, a, target)?));
                    }
                    (true, false, BinaryOp::Mul) => {
                        let Some(quotients) = self.quotients(target, b)? else {
                            return Ok(None);
                        };
                        next.extend(quotients.into_iter().map(|quotient| (a, quotient)));
                    }
                    (false, true, BinaryOp::Mul) => {
                        let Some(quotients) = self.quotients(target, a)? else {
                            return Ok(None);
                        };
                        next.extend(quotients.into_iter().map(|quotient| (b, quotient)));
                    }
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            }
            open.extend(next.into_iter().filter(|pair| seen.insert(*pair)));
        }
        Ok(Some(solutions))
    }

    /// Returns the quotients of a term by all values of a factor but 0, rounded down. With the factor 0 the product is 0 for all values of
    /// the other factor. `None` if the factor has more than `MOST_FACTORS` values.
    fn quotients(&mut self, target: TermId, factor: TermId) -> Result<Option<Vec<TermId>>, Stop> {
        let terms = &mut self.system.terms;
        let Sort::Range { low, high } = *terms.sort(factor) else {
            return Ok(None);
        };
        if terms.sort(factor).cardinality() > MOST_FACTORS {
            return Ok(None);
        }
        let mut quotients = Vec::new();
        for factor in (low..=high).filter(|&factor| factor != 0) {
            // a · k crosses t where a · −k crosses −t.
            let (target, factor) = match factor {
                1.. => (target, factor),
                _ => (terms.neg(target)?, -factor),
            };
            quotients.push(rounded_down(terms, target, factor)?);
        }
        Ok(Some(quotients))
    }
}

/// Returns the quotient by a positive number, rounded down.
fn rounded_down(terms: &mut TermPool, target: TermId, by: i64) -> Result<TermId, TermError> {
    if by == 1 {
        return Ok(target);
    }
    if let Sort::Range { low, high } = *terms.sort(target)
        && low == high
    {
        return Ok(terms.int(low.div_euclid(by)));
    }
    // `Div` rounds towards zero. If the remainder is negative, the quotient rounded down is one less.
    let by = terms.int(by);
    let quotient = terms.binary(BinaryOp::Div, target, by)?;
    let remainder = terms.binary(BinaryOp::Rem, target, by)?;
    let zero = terms.int(0);
    let is_below = terms.binary(BinaryOp::Lt, remainder, zero)?;
    let one = terms.int(1);
    let less = terms.binary(BinaryOp::Sub, quotient, one)?;
    terms.ite(is_below, less, quotient)
}

/// Returns the operands of a term; `None` in unused places.
fn operands(term: &Term) -> [Option<TermId>; 3] {
    match *term {
        Term::Constant(_) | Term::Input(_) | Term::State(_) | Term::Selector(_) => [None; 3],
        Term::Unary(_, a)
        | Term::Cast(a)
        | Term::InDomain(a, _)
        | Term::Slice(a, _)
        | Term::Number(a) => [Some(a), None, None],
        Term::Binary(_, a, b) | Term::Concat(a, b) => [Some(a), Some(b), None],
        Term::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}
