//! The places at which an expression may be a set, a next value or an IVAR.

use rustc_hash::FxHashMap;

use crate::ast::{BinaryOp, ConstraintKind, ExprId, ExprKind};
use crate::resolve::Model;

/// The places of a model's expressions that restrict replacements by mutants.
pub(super) struct Places {
    /// The expressions that may be the value of an assignment, each with the expression whose branch or element it is.
    values: FxHashMap<ExprId, Option<ExprId>>,
    /// Whether an expression is part of a `next(x) := …`, of a `TRANS`, or of a DEFINE, which both may read.
    steps: Vec<bool>,
}

impl Places {
    pub(super) fn of(model: &Model<'_>) -> Places {
        let mut places = Places {
            values: FxHashMap::default(),
            steps: vec![false; model.exprs().len()],
        };
        for variable in &model.variables {
            let assignments = [variable.init, variable.next, variable.current];
            for assignment in assignments.into_iter().flatten() {
                places.add_values(model, assignment.value);
            }
        }
        let constraints = model.flat.constraints.iter();
        let steps = constraints.filter(|constraint| constraint.kind == ConstraintKind::Trans);
        let steps = steps.map(|constraint| constraint.body);
        let defines = model.defines.iter().map(|define| define.body);
        let next = model.variables.iter().filter_map(|v| v.next);
        for root in steps.chain(defines).chain(next.map(|a| a.value)) {
            for part in model.exprs().subtree(root) {
                places.steps[part.index()] = true;
            }
        }
        places
    }

    /// Records a value of an assignment, and the values of its branches. Values of DEFINEs are left out, since constraints and other
    /// expressions may read these too.
    fn add_values(&mut self, model: &Model<'_>, root: ExprId) {
        let mut open = vec![(root, None)];
        while let Some((id, within)) = open.pop() {
            self.values.insert(id, within);
            let mut inside = |part: ExprId| open.push((part, Some(id)));
            match model.exprs().kind(id) {
                ExprKind::Case(branches) => branches.iter().for_each(|b| inside(b.value)),
                ExprKind::Set(elements) => elements.iter().copied().for_each(inside),
                ExprKind::Conditional(_, a, b) | ExprKind::Binary(BinaryOp::Union, a, b) => {
                    inside(*a);
                    inside(*b);
                }
                _ => {}
            }
        }
    }

    /// Whether the expression may be the value of an assignment.
    pub(super) fn is_value(&self, id: ExprId) -> bool {
        self.values.contains_key(&id)
    }

    /// Whether the expression is part of a TRANS, a DEFINE or a `next` assignment, and so may read the next step.
    pub(super) fn is_of_a_step(&self, id: ExprId) -> bool {
        self.steps[id.index()]
    }

    /// Marks, in a table of all expressions, a value of an assignment and all values that contain it.
    pub(super) fn mark_ways_to(&self, id: ExprId, marked: &mut [bool]) {
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| !marked[id.index()]) {
            marked[id.index()] = true;
            at = self.values.get(&id).copied().flatten();
        }
    }
}
