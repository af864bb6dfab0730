//! Plants mutants at their places: `ite(selector, mutated, …)` around the original.

use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;
use rustc_hash::FxHashMap;

use super::checks::Lowered;
use super::errors::Stop;
use super::lowering::{Lowering, Planted};
use super::operators;
use crate::ast::{ExprId, ExprKind};
use crate::mutate::{Change, Mutation, Site};
use crate::order::Time;
use crate::resolve::Entity;

impl Lowering<'_> {
    /// Records a mutation at all copies of its place. `writers` has the assignments that an assignment of the source contributes to.
    pub(super) fn plant_everywhere(
        &mut self,
        mutation: usize,
        selector: TermId,
        found: &Mutation,
        writers: &FxHashMap<Span, Vec<usize>>,
    ) {
        let flat = self.model.flat;
        let planted = |change: Change| Planted {
            mutation,
            selector,
            change,
        };
        let span = match found.meaning.site {
            Site::Expr(id) => {
                let copies = flat.origin[id.index()].and_then(|origin| flat.copies.get(&origin));
                for copy in copies.map_or(&[id][..], Vec::as_slice) {
                    let all = self.changes.entry(*copy).or_default();
                    all.push(planted(found.meaning.change.clone()));
                }
                return;
            }
            Site::Assignment(span) => span,
        };
        let places = writers.get(&span).map_or(&[][..], Vec::as_slice);
        for assignment in places.iter().map(|index| &flat.assignments[*index]) {
            let Some(Entity::Variable(v)) = self.model.lookup(&assignment.name.text) else {
                continue;
            };
            let writers = &assignment.writers;
            if assignment.span == span && writers.iter().all(|writer| *writer == span) {
                self.deletions.insert((v, assignment.target), selector);
                continue;
            }
            for (i, _) in writers.iter().enumerate().filter(|(_, w)| **w == span) {
                let all = self.changes.entry(assignment.value).or_default();
                all.push(planted(Change::DropBranch(i)));
            }
        }
    }

    /// Returns for each assignment of the source, by its place, the indices of the flat assignments that it contributes to.
    pub(super) fn writers(&self) -> FxHashMap<Span, Vec<usize>> {
        let mut writers: FxHashMap<Span, Vec<usize>> = FxHashMap::default();
        for (index, assignment) in self.model.flat.assignments.iter().enumerate() {
            for span in std::iter::once(&assignment.span).chain(&assignment.writers) {
                let all = writers.entry(*span).or_default();
                if all.last() != Some(&index) {
                    all.push(index);
                }
            }
        }
        writers
    }

    /// Wraps the original in all mutants of exactly this expression. `replaced` returns the value of a replacement.
    pub(super) fn plant(
        &mut self,
        id: ExprId,
        time: Time,
        original: Lowered,
        planted: &[Planted],
        replaced: fn(&mut Self, ExprId, Time) -> Result<Lowered, Stop>,
    ) -> Result<Lowered, Stop> {
        let mut result = original.clone();
        for mutant in planted.iter().rev() {
            let mutated = match mutant.change {
                Change::Replace => match self.replacements.get(&(mutant.mutation, id)) {
                    Some(with) => replaced(self, *with, time).map(Some),
                    None => Ok(None),
                },
                _ => self.mutated(id, time, &original, &mutant.change),
            };
            match mutated {
                Ok(Some(mutated)) => {
                    let terms = &mut self.system.terms;
                    result = Lowered::ite(terms, mutant.selector, mutated, result)?;
                }
                Ok(None) => {}
                Err(Stop::Term(error)) => self.failures.push((mutant.mutation, error.to_string())),
                Err(stop) if matches!(mutant.change, Change::Replace | Change::Delay) => {
                    let reason = stop.reason();
                    self.failures.push((mutant.mutation, reason));
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(result)
    }

    /// Returns the mutants that replace the set `id`, each as its selector, its index and the replacement.
    pub(super) fn replaced_sets(&self, id: ExprId) -> Vec<(TermId, usize, ExprId)> {
        let planted = self.changes.get(&id).into_iter().flatten();
        planted
            .filter_map(|p| {
                let with = self.replacements.get(&(p.mutation, id))?;
                (p.change == Change::Replace).then_some((p.selector, p.mutation, *with))
            })
            .collect()
    }

    /// Returns the result `original` about the set `id`, wrapped in all mutants that replace the set. `of` returns the result for a
    /// replacement; mutants for which it fails are recorded as failures.
    pub(super) fn with_replacements(
        &mut self,
        id: ExprId,
        mut original: Lowered,
        mut of: impl FnMut(&mut Self, ExprId) -> Result<Lowered, Stop>,
    ) -> Result<Lowered, Stop> {
        for (selector, mutation, with) in self.replaced_sets(id).into_iter().rev() {
            match of(self, with) {
                Ok(mutated) => {
                    let terms = &mut self.system.terms;
                    original = Lowered::ite(terms, selector, mutated, original)?;
                }
                Err(stop) => self.failures.push((mutation, stop.reason())),
            }
        }
        Ok(original)
    }

    /// Returns the expression `id`, lowered as `original`, after a change. `None` if the change is no local one: deletions and replacements
    /// are applied elsewhere.
    pub(super) fn mutated(
        &mut self,
        id: ExprId,
        time: Time,
        original: &Lowered,
        change: &Change,
    ) -> Result<Option<Lowered>, Stop> {
        let span = self.model.exprs()[id].span;
        let with = |term| {
            Ok(Some(Lowered {
                term,
                checks: original.checks.clone(),
            }))
        };
        match (change, self.model.exprs().kind(id)) {
            (Change::Operator(op), ExprKind::Binary(_, a, b)) => {
                let (a, b) = (self.lower(*a, time)?, self.lower(*b, time)?);
                let terms = &mut self.system.terms;
                Ok(Some(operators::binary(terms, *op, &a, &b, span)?))
            }
            (Change::Negate | Change::DropNot, _) => with(self.system.terms.not(original.term)?),
            (Change::Offset(by), _) => {
                let by = self.system.terms.int(*by);
                with(self.system.terms.binary(Core::Add, original.term, by)?)
            }
            (Change::Symbol(symbol), _) => with(self.symbol(id, symbol)),
            (Change::Truth(value), _) => with(self.system.terms.bool(*value)),
            (Change::Delay, _) => match self.model.entity(id) {
                Some(Entity::Variable(v)) if time == Time::Next => {
                    let value = self.values.get(&(v, Time::Now)).ok_or(Stop::Reported)?;
                    with(value.term)
                }
                Some(Entity::Variable(v)) => with(self.value_before(v)?),
                _ => Ok(None),
            },
            (
                Change::DropBranch(_)
                | Change::DropAssignment
                | Change::Operator(_)
                | Change::Replace,
                _,
            ) => Ok(None),
        }
    }
}
