//! Expressions as terms, with the mutants in them.

use hyperkill_core::term::{BinaryOp as Core, TermError, TermId};
use hyperkill_frontend::Diagnostic;

use super::{Lowering, Scope, Stop};
use crate::fault::{Fault, planted};
use crate::model::Reference;
use crate::mutate::Change;
use crate::tree::{BinaryOp, ExprId, ExprKind, StmtId, UnaryOp};

impl Lowering<'_> {
    /// The value of an expression.
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
                    (Change::Operator(_) | Change::Skip | Change::Drop(_), _) => Ok(value),
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

    /// A term that cannot be made: the fault of the mutants in it if there are some, of the model otherwise.
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

    /// Assigns a value: whether the variable can have it, and all values afterwards.
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
        let value = self.value(value, scope)?;
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
        Ok(fits)
    }
}
