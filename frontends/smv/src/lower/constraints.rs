//! Lowers `INIT`, `INVAR` and `TRANS`, and the invariants to check.

use hyperkill_core::system::{Constraint, Invariant, When};
use hyperkill_core::term::BinaryOp as Core;

use super::errors::Stop;
use super::lowering::Lowering;
use rustc_hash::FxHashSet;

use crate::ast::{ConstraintKind, ExprId, VarKind};
use crate::order::Time;
use crate::printer;
use crate::resolve::Entity;

impl Lowering<'_> {
    /// Adds the constraint with this index to the system: steps that break it do not exist.
    pub(super) fn constraint(&mut self, index: usize) -> Result<(), Stop> {
        let constraint = self.model.flat.constraints[index];
        let keyword = constraint.kind.keyword();
        let term = self.lower(constraint.body, Time::Now)?.term;
        self.system.constraints.push(Constraint {
            name: Some(format!("{keyword}[{index}]")),
            term,
            when: match constraint.kind {
                ConstraintKind::Init => When::Initially,
                ConstraintKind::Invar => When::Always,
                ConstraintKind::Trans => When::Leaving,
            },
            span: Some((constraint.span.start, constraint.span.end)),
        });
        Ok(())
    }

    /// Adds the `INVARSPEC` with this index to the invariants of the system.
    pub(super) fn invariant(&mut self, index: usize) -> Result<(), Stop> {
        let invariant = &self.model.flat.invariants[index];
        let mut term = self.lower(invariant.body, Time::Now)?.term;
        if self.types.reads_next(invariant.body) || self.reads_inputs(invariant.body) {
            // Next values and IVARs belong to a step that satisfies the constraints.
            for index in 0..self.model.flat.constraints.len() {
                let constraint = self.model.flat.constraints[index];
                if constraint.kind == ConstraintKind::Trans {
                    let step = self.lower(constraint.body, Time::Now)?.term;
                    let impossible = self.system.terms.not(step)?;
                    term = self.system.terms.binary(Core::Or, impossible, term)?;
                }
            }
        }
        let text = || printer::expression(self.model.exprs(), invariant.body);
        self.system.invariants.push(Invariant {
            name: invariant.name.clone().unwrap_or_else(text),
            term,
        });
        Ok(())
    }

    /// Whether an expression reads an IVAR, through DEFINEs too.
    fn reads_inputs(&self, root: ExprId) -> bool {
        let (mut roots, mut seen) = (vec![root], FxHashSet::default());
        while let Some(root) = roots.pop() {
            for part in self.model.exprs().subtree(root) {
                match self.model.entity(part) {
                    Some(Entity::Variable(v)) if self.model.variables[v].kind == VarKind::Input => {
                        return true;
                    }
                    Some(Entity::Define(d)) if seen.insert(d) => {
                        roots.push(self.model.defines[d].body);
                    }
                    _ => {}
                }
            }
        }
        false
    }
}
