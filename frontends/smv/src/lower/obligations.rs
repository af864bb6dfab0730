//! The obligations on a model and each mutant: every value exists and is in the domain of its variable. Separately, the obligations for the
//! values of invariants.
//!
//! As in NuSMV, each assignment has its own obligation, over all values of all variables. These include the current values of variables
//! with assignments (`x := …`), and the next values that `next(x)` reads. The obligations are therefore a separate system in which every
//! variable is an input at both steps.

use hyperkill_core::system::{InputRole, Obligation, When};
use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::{Diagnostic, Span};

use super::assignments::scope;
use super::checks::Lowered;
use super::errors::{Errors, Stop};
use super::lowering::Lowering;
use crate::ast::VarKind;
use crate::flat::FlatAssignment;
use crate::order::{self, Time};
use crate::resolve::Entity;

impl Lowering<'_> {
    /// Lowers all obligations of a lowered model. Returns all errors found.
    pub(super) fn obligations(&mut self) -> Vec<Diagnostic> {
        let mut errors = Errors::default();
        errors.keep(self.free_variables());
        errors.keep(self.defines());
        let model = self.model;
        for (v, variable) in model.variables.iter().enumerate() {
            let all = [variable.current, variable.init, variable.next];
            for assignment in all.into_iter().flatten() {
                errors.keep(self.value_fits(v, assignment));
            }
        }
        for constraint in &model.flat.constraints {
            let keyword = constraint.kind.keyword();
            let value = self.lower(constraint.body, Time::Now);
            errors.keep(
                value.and_then(|value| self.exists(&value, &format!("in an {keyword}"), None)),
            );
        }
        for output in &self.roles.outputs {
            if let Entity::Define(d) = *output {
                let define = model.defines[d];
                let place = format!("in the output `{}`", define.name.text);
                let value = self.lower(define.body, Time::Now);
                errors.keep(value.and_then(|value| self.exists(&value, &place, None)));
            }
        }
        errors.sorted()
    }

    /// Lowers the obligations for the values of invariants. If they fail, NuSMV builds the model but refuses to check the invariant.
    pub(super) fn obligations_of_invariants(&mut self) -> Vec<Diagnostic> {
        let mut errors = Errors::default();
        errors.keep(self.free_variables());
        errors.keep(self.defines());
        for invariant in &self.model.flat.invariants {
            match self.lower(invariant.body, Time::Now) {
                Ok(value) => {
                    for check in value.checks.iter() {
                        let message = format!("{}, in an INVARSPEC", check.message);
                        self.owe(check.holds, check.span, message);
                    }
                }
                Err(stop) => errors.keep(Err(stop)),
            }
        }
        errors.sorted()
    }

    /// Makes every variable free at the present and the next step; a frozen one has the same value at both.
    fn free_variables(&mut self) -> Result<(), Stop> {
        for (v, variable) in self.model.variables.iter().enumerate() {
            let name = &variable.name.text;
            let now = self.variable_input(name.clone(), &variable.domain, InputRole::Choice);
            let next = match variable.kind {
                VarKind::Frozen => now,
                VarKind::State | VarKind::Input => {
                    let name = format!("next.{name}");
                    self.variable_input(name, &variable.domain, InputRole::Choice)
                }
            };
            for (time, raw) in [(Time::Now, now), (Time::Next, next)] {
                let value = self.raw_to_value(v, raw)?;
                self.values.insert((v, time), value);
            }
        }
        Ok(())
    }

    /// Lowers the DEFINEs that values depend on in topological order, so that the recursion is not as deep as their nesting.
    fn defines(&mut self) -> Result<(), Stop> {
        let outputs = self.roles.outputs.iter();
        let outputs = outputs.filter_map(|output| match output {
            Entity::Define(d) => Some(*d),
            _ => None,
        });
        for (entity, time) in order::values(self.model, outputs)? {
            let Entity::Define(d) = entity else {
                continue;
            };
            let body = self.model.defines[d].body;
            if !self.types.of(body).set {
                self.lower(body, if time == Time::Next { time } else { Time::Now })?;
            }
        }
        Ok(())
    }

    /// Adds the obligation that an assigned value is defined and in the domain.
    fn value_fits(&mut self, v: usize, assignment: &FlatAssignment) -> Result<(), Stop> {
        let deletion = self.deletions.get(&(v, assignment.target)).copied();
        self.scope = (scope(assignment), 0);
        let value = self.value(assignment.value, Time::Now)?;
        let left = assignment.left();
        self.exists(&value, &format!("in the value of `{left}`"), deletion)?;
        let domain = &self.model.variables[v].domain;
        let span = self.model.exprs()[assignment.value].span;
        for (fits, span) in self.fits(&value, span, domain)? {
            let message = format!("`{left}` gets a value outside {domain}");
            self.oblige(fits, span, message, deletion)?;
        }
        Ok(())
    }

    /// Adds the obligation that a value is defined, unless the mutant `deletion` deletes its assignment. `place` ends the messages.
    ///
    /// # Errors
    /// If it is never defined.
    fn exists(
        &mut self,
        value: &Lowered,
        place: &str,
        deletion: Option<TermId>,
    ) -> Result<(), Stop> {
        for check in value.checks.iter() {
            let message = format!("{}, {place}", check.message);
            self.oblige(check.holds, check.span, message, deletion)?;
        }
        Ok(())
    }

    /// Adds the obligation that a term is true, unless the mutant `deletion` deletes its assignment. A constant true adds nothing.
    ///
    /// # Errors
    /// If the term is the constant false: `message` at `span`.
    fn oblige(
        &mut self,
        term: TermId,
        span: Span,
        message: String,
        deletion: Option<TermId>,
    ) -> Result<(), Stop> {
        let terms = &mut self.system.terms;
        match terms.as_bool(term) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Diagnostic::error(span, message).into()),
            None => {}
        }
        let term = match deletion {
            Some(selector) => terms.binary(Core::Or, selector, term)?,
            None => term,
        };
        self.owe(term, span, message);
        Ok(())
    }

    fn owe(&mut self, term: TermId, span: Span, message: String) {
        self.system.obligations.push(Obligation {
            term,
            when: When::Always,
            message,
            span: Some((span.start, span.end)),
        });
    }
}
