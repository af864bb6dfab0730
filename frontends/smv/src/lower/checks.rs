//! Conditions for an expression to have a value: no division by zero, and some branch of each `case` is taken.
//!
//! As in NuSMV, an undefined part has no effect if it is not evaluated: in a branch not taken, or beside a false operand of `&` or a true
//! one of `|`.

use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};
use hyperkill_frontend::Span;

use crate::domain::alike;

/// A condition for the existence of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Check {
    /// The term that must be true.
    pub(super) holds: TermId,
    /// The place that is undefined otherwise.
    pub(super) span: Span,
    /// The error if the condition fails.
    pub(super) message: &'static str,
}

/// The conditions for the existence of a value. More than [`Checks::LIMIT`] are merged to one.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Checks(Vec<Check>);

impl Checks {
    const LIMIT: usize = 16;

    /// Returns the checks that consist of the single condition `holds`.
    pub(super) fn one(pool: &TermPool, holds: TermId, span: Span, message: &'static str) -> Checks {
        let mut checks = Checks::default();
        checks.add(
            pool,
            Check {
                holds,
                span,
                message,
            },
        );
        checks
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Check> {
        self.0.iter()
    }

    fn add(&mut self, pool: &TermPool, check: Check) {
        if pool.as_bool(check.holds) != Some(true) && !self.0.contains(&check) {
            self.0.push(check);
        }
    }

    /// Returns the conjunction of the conditions.
    pub(super) fn all(&self, pool: &mut TermPool) -> Result<TermId, TermError> {
        let mut all = pool.bool(true);
        for check in &self.0 {
            all = pool.binary(BinaryOp::And, all, check.holds)?;
        }
        Ok(all)
    }

    /// Returns the union of two sets of conditions.
    pub(super) fn and(mut self, pool: &mut TermPool, more: Checks) -> Result<Checks, TermError> {
        for check in more.0 {
            self.add(pool, check);
        }
        if self.0.len() > Checks::LIMIT {
            let holds = self.all(pool)?;
            self.0.truncate(1);
            for check in &mut self.0 {
                check.holds = holds;
                check.message = "this or another part has no value";
            }
        }
        Ok(self)
    }

    /// Returns the conditions under the assumption that a condition is true.
    pub(super) fn when(
        mut self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<Checks, TermError> {
        if self.0.is_empty() {
            return Ok(self);
        }
        let not = pool.not(condition)?;
        for check in std::mem::take(&mut self.0) {
            let holds = pool.binary(BinaryOp::Or, not, check.holds)?;
            self.add(pool, Check { holds, ..check });
        }
        Ok(self)
    }

    /// Returns the conditions under the assumption that a condition is false.
    pub(super) fn unless(
        self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<Checks, TermError> {
        if self.0.is_empty() {
            return Ok(self);
        }
        let not = pool.not(condition)?;
        self.when(pool, not)
    }

    /// Returns the conditions of `if condition then a else b`, without those of the condition itself.
    pub(super) fn either(
        pool: &mut TermPool,
        condition: TermId,
        a: Checks,
        b: Checks,
    ) -> Result<Checks, TermError> {
        if a == b {
            return Ok(a);
        }
        let (a, b) = (a.when(pool, condition)?, b.unless(pool, condition)?);
        a.and(pool, b)
    }
}

/// A term with the conditions under which it is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lowered {
    pub(super) term: TermId,
    pub(super) checks: Checks,
}

impl Lowered {
    /// Returns a term that is always defined.
    pub(super) fn total(term: TermId) -> Lowered {
        Lowered {
            term,
            checks: Checks::default(),
        }
    }

    /// Returns `if condition then a else b`.
    pub(super) fn ite(
        pool: &mut TermPool,
        condition: TermId,
        a: Lowered,
        b: Lowered,
    ) -> Result<Lowered, TermError> {
        let (x, y) = alike(pool, a.term, b.term)?;
        Ok(Lowered {
            term: pool.ite(condition, x, y)?,
            checks: Checks::either(pool, condition, a.checks, b.checks)?,
        })
    }
}
