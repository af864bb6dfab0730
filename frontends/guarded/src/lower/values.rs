//! Lowers expressions to terms, with the mutants in them.

use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::term::{BinaryOp as Core, TermError, TermId};
use hyperkill_frontend::Diagnostic;

use super::lowering::{Lowering, Observed, Scope, Stop};
use crate::fault::{Fault, planted};
use crate::model::Reference;
use crate::mutate::Change;
use crate::tree::{BinaryOp, ExprId, ExprKind, Leaving, StmtId, UnaryOp};

impl Lowering<'_> {
    /// Returns the value of an expression as a term, with the mutants in it behind their selectors.
    pub(super) fn value(&mut self, id: ExprId, scope: &Scope) -> Result<TermId, Stop> {
        let model = self.model;
        let exprs = &model.system.exprs;
        let first = exprs.first(id).index();
        let mut values: Vec<TermId> = Vec::new();
        for part in exprs.parts(id) {
            let of = |operand: &ExprId| values[operand.index() - first];
            let value = match &exprs[part].kind {
                ExprKind::Truth(value) => Ok(self.system.terms.bool(*value)),
                ExprKind::Number(value) => Ok(self.system.terms.int(*value)),
                ExprKind::Name(name) => Ok(match model.reference(part) {
                    Some(Reference::Symbol) | None => self.system.terms.symbol(name),
                    Some(reference) => self.named(reference, scope),
                }),
                ExprKind::Unary(UnaryOp::Not, a) => self.system.terms.not(of(a)),
                ExprKind::Unary(UnaryOp::Minus, a) => self.system.terms.neg(of(a)),
                ExprKind::Binary(op, a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.binary(*op, a, b)
                }
            };
            let mut value = match value {
                Ok(value) => value,
                Err(error) => return Err(self.blamed(part, &error)),
            };
            let planted = self.planted.remove(&part);
            for mutant in planted.iter().flatten().rev() {
                let mutated = match (mutant.change, &exprs[part].kind) {
                    (Change::Truth(value), _) => Ok(self.system.terms.bool(value)),
                    (Change::Number(value), _) => Ok(self.system.terms.int(value)),
                    (Change::Name(reference), _) => Ok(self.named(reference, scope)),
                    (Change::Operator(op), ExprKind::Binary(_, a, b)) => {
                        let (a, b) = (of(a), of(b));
                        self.binary(op, a, b)
                    }
                    (Change::Not, _) => self.system.terms.not(value),
                    (Change::Plus(difference), _) => {
                        let difference = self.system.terms.int(difference);
                        self.system.terms.binary(Core::Add, value, difference)
                    }
                    (Change::Operand(index), ExprKind::Binary(_, a, b)) => {
                        Ok(of([a, b][usize::from(index > 0)]))
                    }
                    (Change::Operand(_), ExprKind::Unary(_, a)) => Ok(of(a)),
                    (Change::Shift(inner), _) => self.shifted(part, inner, &values, first),
                    (
                        Change::Operator(_) | Change::Operand(_) | Change::Skip | Change::Drop(_),
                        _,
                    ) => Ok(value),
                    (Change::Never | Change::Target(_) | Change::Output(_), _) => Ok(value),
                };
                let all = mutated
                    .and_then(|mutated| self.system.terms.ite(mutant.selector, mutated, value));
                match all {
                    Ok(all) => value = all,
                    Err(error) => self.failures.push((mutant.mutation, error.to_string())),
                }
            }
            if let Some(planted) = planted {
                self.planted.insert(part, planted);
            }
            values.push(value);
        }
        match values.pop() {
            Some(value) => Ok(value),
            None => Ok(self.system.terms.bool(false)),
        }
    }

    /// Returns the value of the operator chain `chain` without the parentheses around its operand `inner`. `values` has the values of all
    /// operands, from the expression with index `first` on.
    fn shifted(
        &mut self,
        chain: ExprId,
        inner: ExprId,
        values: &[TermId],
        first: usize,
    ) -> Result<TermId, TermError> {
        let exprs = &self.model.system.exprs;
        let of = |id: ExprId| values[id.index() - first];
        let (outer, operands) = exprs.chain(chain);
        let (other, parts) = exprs.chain(inner);
        let Some(place) = operands.iter().position(|operand| *operand == inner) else {
            return Ok(of(inner));
        };
        let (Some(outer), Some(other)) = (outer, other) else {
            return Ok(of(inner));
        };
        let last = parts.len() - 1;
        let mut all: Option<TermId> = None;
        for (index, part) in parts.iter().enumerate() {
            // Operands of the outer chain belong to the part next to them.
            let left = if index == 0 { &operands[..place] } else { &[] };
            let right = if index == last {
                &operands[place + 1..]
            } else {
                &[]
            };
            let members = left.iter().chain(std::iter::once(part)).chain(right);
            let mut group: Option<TermId> = None;
            for member in members {
                let member = of(*member);
                group = Some(match group {
                    None => member,
                    Some(group) => self.binary(outer, group, member)?,
                });
            }
            let Some(group) = group else { continue };
            all = Some(match all {
                None => group,
                Some(all) => self.binary(other, all, group)?,
            });
        }
        Ok(all.unwrap_or_else(|| of(inner)))
    }

    fn named(&mut self, reference: Reference, scope: &Scope) -> TermId {
        match reference {
            Reference::Variable(v) => self.variable(v, scope),
            Reference::Parameter(p) => scope.parameters[p],
            Reference::Symbol => self.system.terms.bool(false),
        }
    }

    pub(super) fn variable(&self, variable: usize, scope: &Scope) -> TermId {
        let assigned = scope.assigned.get(&variable).copied();
        assigned.unwrap_or(self.variables[variable])
    }

    fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Result<TermId, TermError> {
        let terms = &mut self.system.terms;
        match op {
            BinaryOp::Or => terms.binary(Core::Or, a, b),
            BinaryOp::And => terms.binary(Core::And, a, b),
            BinaryOp::Eq => terms.binary(Core::Eq, a, b),
            BinaryOp::Ne => {
                let equal = terms.binary(Core::Eq, a, b)?;
                terms.not(equal)
            }
            BinaryOp::Lt => terms.binary(Core::Lt, a, b),
            BinaryOp::Le => terms.binary(Core::Le, a, b),
            BinaryOp::Gt => terms.binary(Core::Lt, b, a),
            BinaryOp::Ge => terms.binary(Core::Le, b, a),
            BinaryOp::Add => terms.binary(Core::Add, a, b),
            BinaryOp::Sub => terms.binary(Core::Sub, a, b),
            BinaryOp::Mul => terms.binary(Core::Mul, a, b),
        }
    }

    /// Attributes a term that cannot be built to the mutants in it if there are any, otherwise to the model.
    fn blamed(&mut self, id: ExprId, error: &TermError) -> Stop {
        let exprs = &self.model.system.exprs;
        let before = self.failures.len();
        for part in exprs.parts(id) {
            let planted = self.planted.get(&part).into_iter().flatten();
            let failures = planted.map(|planted| (planted.mutation, error.to_string()));
            self.failures.extend(failures);
        }
        match self.failures.len() > before {
            true => Stop::Mutants,
            false => Stop::Model(Diagnostic::error(exprs[id].span, error.to_string())),
        }
    }

    /// Lowers the assignment `id` and updates the scope. Returns the condition that the variable can have the value.
    pub(super) fn assign(
        &mut self,
        id: StmtId,
        value: ExprId,
        scope: &mut Scope,
    ) -> Result<TermId, Stop> {
        let Some(variable) = self.model.target(id) else {
            return Ok(self.system.terms.bool(true));
        };
        let sort = self.model.domain(variable).sort();
        let value = match planted(Fault::UpdatesAtOnce) {
            false => self.value(value, scope)?,
            true => {
                let before = Scope {
                    parameters: scope.parameters.clone(),
                    assigned: std::collections::BTreeMap::new(),
                };
                self.value(value, &before)?
            }
        };
        let mut fits = self.system.terms.in_domain(value, &sort)?;
        if planted(Fault::RangeIgnored) {
            fits = self.system.terms.bool(true);
        }
        let mut new = self.system.terms.cast(value, &sort)?;
        let old = self.variable(variable, scope);
        for selector in self.skipped.get(&id).cloned().unwrap_or_default() {
            fits = self.or(selector, fits)?;
            new = self.ite(selector, old, new)?;
        }
        scope.assigned.insert(variable, new);
        self.within(fits, scope)
    }

    /// Returns the condition that a command is enabled whose values `fits` says are in their ranges. If values outside of ranges end runs,
    /// it is always enabled, and the end is recorded in the scope.
    fn within(&mut self, fits: TermId, scope: &mut Scope) -> Result<TermId, Stop> {
        match self.model.system.leaving {
            Leaving::Disables => Ok(fits),
            Leaving::EndsRuns => {
                let cell = self.model.cells();
                let before = self.variable(cell, scope);
                let inside = self.and(before, fits)?;
                scope.assigned.insert(cell, inside);
                Ok(self.system.terms.bool(true))
            }
        }
    }

    /// Returns the condition, or true if an earlier value of this step was outside of its range and ended the run.
    pub(super) fn or_beyond(&mut self, holds: TermId, scope: &Scope) -> Result<TermId, Stop> {
        let is_asked = planted(Fault::LeftValueRead);
        match self.model.system.leaving {
            Leaving::EndsRuns if !is_asked => {
                let inside = self.variable(self.model.cells(), scope);
                let beyond = self.not(inside)?;
                self.or(holds, beyond)
            }
            _ => Ok(holds),
        }
    }

    /// Lowers the output command `id` and updates the scope. Returns the condition that its parameters can have these values.
    pub(super) fn emit(
        &mut self,
        id: StmtId,
        values: &[ExprId],
        scope: &mut Scope,
    ) -> Result<TermId, Stop> {
        let mut all = self.system.terms.bool(true);
        let Some(cell) = self.model.target(id) else {
            return Ok(all);
        };
        let mut shown = vec![self.system.terms.bool(true)];
        for (index, value) in values.iter().enumerate() {
            let value = self.value(*value, scope)?;
            let (fits, value) = self.fitted(value, cell + 1 + index)?;
            all = self.and(all, fits)?;
            shown.push(value);
        }
        let skips = self.skipped.get(&id).cloned().unwrap_or_default();
        for selector in &skips {
            all = self.or(*selector, all)?;
        }
        let others = self.redirected.get(&id).cloned().unwrap_or_default();
        let elsewhere: Vec<TermId> = others.iter().map(|(selector, _)| *selector).collect();
        let absent = self.any([skips, elsewhere].concat())?;
        let others = others.into_iter();
        let others = others.map(|(selector, output)| (self.model.cell(output), Some(selector)));
        let places: Vec<(usize, Option<TermId>)> = others.chain([(cell, None)]).collect();
        for (place, selector) in places {
            for (index, value) in shown.iter().enumerate() {
                let old = self.variable(place + index, scope);
                let new = match selector {
                    Some(selector) => self.ite(selector, *value, old)?,
                    None => self.ite(absent, old, *value)?,
                };
                scope.assigned.insert(place + index, new);
            }
        }
        self.within(all, scope)
    }

    /// Lowers the command `id`, a move to a location: updates the location in the scope.
    pub(super) fn go(&mut self, id: StmtId, scope: &mut Scope) -> Result<(), Stop> {
        let (Some(code), Some(location)) = (self.model.target(id), self.model.system.location)
        else {
            return Ok(());
        };
        let sort = self.model.domain(location).sort();
        let mut there = self.system.terms.constant(sort.clone(), code as u64);
        for (selector, other) in self.redirected.get(&id).cloned().unwrap_or_default() {
            let other = self.system.terms.constant(sort.clone(), other as u64);
            there = self.ite(selector, other, there)?;
        }
        scope.assigned.insert(location, there);
        Ok(())
    }

    /// Returns the condition that the selected mutant does not disable the transition `id`.
    pub(super) fn may_happen(&mut self, id: StmtId) -> Result<TermId, Stop> {
        let missing = self.missing.get(&id).cloned().unwrap_or_default();
        let missing = self.any(missing)?;
        self.not(missing)
    }

    /// Records in the scope the name of the transition that is taken, if transitions are observed.
    pub(super) fn mark(&mut self, name: &str, scope: &mut Scope) {
        let Some(cell) = self.model.transition() else {
            return;
        };
        if self.reading.observed != Observed::Transition {
            return;
        }
        if let Some(name) = self.symbol_of(cell, name) {
            scope.assigned.insert(cell, name);
        }
    }

    /// Returns a symbol as a constant of the sort of a cell; `None` if the sort lacks it. Takes constant time.
    pub(super) fn symbol_of(&mut self, cell: usize, name: &str) -> Option<TermId> {
        let sort = self.model.domain(cell).sort();
        let Sort::Enum { values } = &sort else {
            return None;
        };
        let codes =
            (self.codes.entry(cell)).or_insert_with(|| values.iter().cloned().zip(0..).collect());
        let code = *codes.get(name)?;
        Some(self.system.terms.constant(sort, code))
    }

    /// Returns the condition that a value is in the range of a cell, and the value converted to the sort of the cell.
    fn fitted(&mut self, value: TermId, cell: usize) -> Result<(TermId, TermId), Stop> {
        if let Some(Value::Symbol(name)) = self.system.terms.as_constant(value)
            && let Some(symbol) = self.symbol_of(cell, &name)
        {
            return Ok((self.system.terms.bool(true), symbol));
        }
        let sort = self.model.domain(cell).sort();
        let fits = self.system.terms.in_domain(value, &sort)?;
        Ok((fits, self.system.terms.cast(value, &sort)?))
    }
}
