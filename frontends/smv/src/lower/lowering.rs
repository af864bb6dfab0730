//! Lowers expressions to terms, each once.

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{InputRole, InputVar, Selector, TransitionSystem};
use hyperkill_core::term::{BinaryOp as Core, Term, TermId};
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::checks::{Checks, Lowered};
use super::errors::Stop;
use super::{operators, words};
use crate::ast::{Branch, ExprId, ExprKind, Function, Target, UnaryOp};
use crate::context::Context;
use crate::domain::Domain;
use crate::mutate::{Change, Mutation};
use crate::order::Time;
use crate::resolve::constant;
use crate::resolve::{Entity, Model};
use crate::roles::{Role, Roles};
use crate::types::Types;

/// The prefix of the names of choices of next values.
pub(super) const NEXT: &str = "next.";

/// A mutant's change at an expression.
pub(super) struct Planted {
    /// The index of the mutation.
    pub(super) mutation: usize,
    pub(super) selector: TermId,
    pub(super) change: Change,
}

/// The value of a variable, once known.
#[derive(Clone, Copy)]
pub(super) struct Value {
    /// The value in the sort of its domain.
    pub(super) raw: TermId,
    /// The value that operators read: numbers instead of codes.
    pub(super) term: TermId,
}

pub(super) struct Lowering<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) types: &'a Types,
    pub(super) context: &'a Context,
    pub(super) roles: &'a Roles,
    pub(super) system: TransitionSystem,
    pub(super) changes: FxHashMap<ExprId, Vec<Planted>>,
    /// Selectors of mutants that delete an assignment, by variable and target.
    pub(super) deletions: FxHashMap<(usize, Target), TermId>,
    /// The replacements of expressions by mutants, by mutation and expression.
    pub(super) replacements: FxHashMap<(usize, ExprId), ExprId>,
    /// The terms of lowered expressions that are no sets, by expression and step.
    pub(super) memo: FxHashMap<(ExprId, Time), Lowered>,
    /// Results of `in`, for values on the left.
    pub(super) members: FxHashMap<(TermId, ExprId, Time), Lowered>,
    /// Results of `in`, for expressions on the left.
    pub(super) inclusions: FxHashMap<(ExprId, ExprId, Time), Lowered>,
    /// Values of variables at the present and the next step.
    pub(super) values: FxHashMap<(usize, Time), Value>,
    /// The index of each state variable among the system's states.
    pub(super) states: FxHashMap<usize, usize>,
    /// Variables whose next values are read.
    pub(super) ahead: FxHashSet<usize>,
    /// For wires read ahead whose assignments mutants delete: the values without the assignment, at the present and the next step.
    pub(super) loose: FxHashMap<usize, [TermId; 2]>,
    /// For variables that mutants read one step late: the state that stores the value of the step before.
    pub(super) before: Vec<(usize, usize)>,
    /// The name of choices in the current assignment, and their number.
    pub(super) scope: (String, usize),
    pub(super) expansions: u32,
    /// The places of both sides of a branching term in the source.
    pub(super) sides: FxHashMap<TermId, (Span, Span)>,
    /// The terms of DEFINEs and variables.
    pub(super) wholes: FxHashSet<TermId>,
    /// Variables by the terms of their values.
    pub(super) readings: FxHashMap<TermId, usize>,
    /// Mutations without a term, with the reason.
    pub(super) failures: Vec<(usize, String)>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        model: &'a Model<'a>,
        types: &'a Types,
        context: &'a Context,
        roles: &'a Roles,
        mutations: &[Mutation],
    ) -> Lowering<'a> {
        let mut lowering = Lowering {
            model,
            types,
            context,
            roles,
            system: TransitionSystem::default(),
            changes: FxHashMap::default(),
            deletions: FxHashMap::default(),
            replacements: (model.flat.replacements.iter())
                .map(|r| ((r.mutation, r.site), r.with))
                .collect(),
            memo: FxHashMap::default(),
            members: FxHashMap::default(),
            inclusions: FxHashMap::default(),
            values: FxHashMap::default(),
            states: FxHashMap::default(),
            ahead: FxHashSet::default(),
            loose: FxHashMap::default(),
            before: Vec::new(),
            scope: (String::new(), 0),
            expansions: 0,
            sides: FxHashMap::default(),
            wholes: FxHashSet::default(),
            readings: FxHashMap::default(),
            failures: Vec::new(),
        };
        let writers = lowering.writers();
        for (mutation, found) in mutations.iter().enumerate() {
            if found.meaning.rejected.is_some() {
                continue;
            }
            let system = &mut lowering.system;
            let selector = system.terms.selector(system.selectors.len());
            system.selectors.push(Selector {
                id: found.mutant.id.clone(),
            });
            lowering.plant_everywhere(mutation, selector, found, &writers);
        }
        lowering
    }

    /// Returns a new choice input of the current assignment.
    pub(super) fn fresh_choice(&mut self, sort: Sort) -> TermId {
        self.scope.1 += 1;
        let (name, count) = &self.scope;
        let is_next = name.starts_with(NEXT);
        let name = match count {
            1 => name.clone(),
            _ => format!("{name}.{count}"),
        };
        let choice = self.input(name, sort, InputRole::Choice);
        if is_next {
            self.mark_leaving(choice);
        }
        choice
    }

    /// Records that an input belongs to the step that leaves a state.
    pub(super) fn mark_leaving(&mut self, term: TermId) {
        if let Term::Input(index) = self.system.terms.term(term) {
            self.system.leaving.push(*index as usize);
        }
    }

    pub(super) fn input(&mut self, name: String, sort: Sort, role: InputRole) -> TermId {
        if sort.cardinality() == 1 {
            return self.system.terms.constant(sort, 0);
        }
        let term = self
            .system
            .terms
            .input(self.system.inputs.len(), sort.clone());
        self.system.inputs.push(InputVar { name, sort, role });
        term
    }

    /// Lowers an expression that is no set. `time` is the step at which its names are read.
    pub(super) fn lower(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        if let Some(known) = self.memo.get(&(id, time)) {
            return Ok(known.clone());
        }
        // Chains are left-associative. They are lowered bottom-up, so that the recursion is not as deep as they are long.
        let mut chain = Vec::new();
        let mut at = id;
        while let ExprKind::Binary(_, left, _) = self.model.exprs().kind(at)
            && !self.types.of(*left).set
        {
            chain.push(*left);
            at = *left;
        }
        for part in chain.into_iter().rev() {
            self.lower_one(part, time)?;
        }
        self.lower_one(id, time)
    }

    /// Returns the value of an expression at a step, as [`Lowering::lower`] does, but by recursion into all operands that are not lowered
    /// yet.
    pub(super) fn lower_one(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        if let Some(known) = self.memo.get(&(id, time)) {
            return Ok(known.clone());
        }
        let original = match self.model.exprs().kind(id) {
            ExprKind::Name(_) => self.name(id, time),
            ExprKind::Binary(..) => self.binary(id, time),
            ExprKind::Case(branches) => self.case(id, branches, time, |lowering, value| {
                lowering.lower(value, time)
            }),
            _ => self.other(id, time),
        };
        let original = match original {
            Ok(original) => original,
            Err(stop) => return Err(self.locate(stop, id)),
        };
        let featured = match self.changes.remove(&id) {
            None => original,
            Some(planted) => {
                let featured = self.plant(id, time, original, &planted, Self::lower);
                self.changes.insert(id, planted);
                match featured {
                    Ok(featured) => featured,
                    Err(stop) => return Err(self.locate(stop, id)),
                }
            }
        };
        self.memo.insert((id, time), featured.clone());
        Ok(featured)
    }

    /// Locates an error for a term that cannot be built: it belongs to the mutants in the term if there are any, otherwise to the model.
    pub(super) fn locate(&mut self, stop: Stop, id: ExprId) -> Stop {
        let Stop::Term(error) = stop else {
            return stop;
        };
        for part in self.model.exprs().subtree(id) {
            for planted in self.changes.get(&part).into_iter().flatten() {
                let failure = (planted.mutation, error.to_string());
                self.failures.push(failure);
            }
        }
        Diagnostic::error(self.model.exprs()[id].span, error.to_string()).into()
    }

    pub(super) fn name(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        let span = self.model.exprs()[id].span;
        match self.model.entity(id) {
            Some(Entity::Define(d)) => {
                let value = self.lower(self.model.defines[d].body, time)?;
                self.wholes.insert(value.term);
                Ok(value)
            }
            Some(Entity::Variable(v)) => {
                if let Some(value) = self.values.get(&(v, time)) {
                    self.wholes.insert(value.term);
                    self.readings.insert(value.term, v);
                    return Ok(Lowered::total(value.term));
                }
                let name = &self.model.variables[v].name.text;
                match self.roles.variables[v] {
                    Role::TestInput | Role::Choice => {
                        // Reading an input ahead would change the first steps of all tests.
                        let message = format!(
                            "not supported yet: next({name}), since the model does not constrain the next value of the input `{name}`"
                        );
                        Err(Diagnostic::error(span, message).into())
                    }
                    Role::State | Role::Wire | Role::Ahead(_) => Err(Stop::Reported),
                }
            }
            Some(Entity::Symbol) | None => {
                let ExprKind::Name(name) = self.model.exprs().kind(id) else {
                    return Err(Diagnostic::error(
                        span,
                        "this is not the name of a variable, DEFINE or instance",
                    )
                    .into());
                };
                Ok(Lowered::total(self.symbol(id, name)))
            }
        }
    }

    /// Returns the term of a symbol in the sort of the variable that the expression `id` is compared with or assigned to, if one is known.
    pub(super) fn symbol(&mut self, id: ExprId, symbol: &str) -> TermId {
        match self.context.variable(id) {
            Some(v) => {
                let domain = &self.model.variables[v].domain;
                domain.symbol(&mut self.system.terms, symbol)
            }
            None => self.system.terms.symbol(symbol),
        }
    }

    pub(super) fn binary(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        let ExprKind::Binary(op, a, b) = self.model.exprs().kind(id) else {
            return self.other(id, time);
        };
        if *op == crate::ast::BinaryOp::In {
            return self.included(*a, *b, time);
        }
        let left = self.lower(*a, time)?;
        let right = self.lower(*b, time)?;
        let span = self.model.exprs()[id].span;
        let terms = &mut self.system.terms;
        Ok(operators::binary(terms, *op, &left, &right, span)?)
    }

    pub(super) fn other(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        let terms = &mut self.system.terms;
        match self.model.exprs().kind(id) {
            ExprKind::Number(n) | ExprKind::Range(n, _) => Ok(Lowered::total(terms.int(*n))),
            ExprKind::Truth(value) => Ok(Lowered::total(terms.bool(*value))),
            ExprKind::Unary(op, a) => {
                let Lowered { term, checks } = self.lower(*a, time)?;
                let terms = &mut self.system.terms;
                let term = match op {
                    UnaryOp::Not => terms.not(term)?,
                    UnaryOp::Neg => terms.neg(term)?,
                };
                Ok(Lowered { term, checks })
            }
            ExprKind::Next(a) => self.lower(*a, Time::Next),
            ExprKind::Conditional(c, a, b) => {
                let condition = self.lower(*c, time)?;
                let sides = (self.lower(*a, time)?, self.lower(*b, time)?);
                self.alternatives(condition, sides, (*a, *b))
            }
            ExprKind::Set(elements) => match elements.as_slice() {
                // `{a}` is `a`.
                [element] => self.lower(*element, time),
                _ => self.value(id, time),
            },
            ExprKind::Word(word) => {
                let sort = Sort::Word {
                    width: word.width,
                    signed: word.signed,
                };
                Ok(Lowered::total(terms.constant(sort, word.bits)))
            }
            ExprKind::Element {
                index,
                low,
                elements,
            } => self.element_of(id, *index, *low, elements, time),
            ExprKind::Bits(word, high, low) => {
                let (high, low) = (self.constant(*high)?, self.constant(*low)?);
                let Lowered { term, checks } = self.lower(*word, time)?;
                let width = (high - low + 1) as u32;
                let term = self.system.terms.slice(term, low as u32, width, false)?;
                Ok(Lowered { term, checks })
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, time),
            // Names, binary expressions and cases are lowered elsewhere; flat models have no paths; values have no others.
            ExprKind::Name(_)
            | ExprKind::Binary(..)
            | ExprKind::Case(_)
            | ExprKind::SelfInstance
            | ExprKind::Member(..)
            | ExprKind::Index(..)
            | ExprKind::Array(_)
            | ExprKind::Temporal(..) => {
                let message = "this expression has no value";
                Err(Diagnostic::error(self.model.exprs()[id].span, message).into())
            }
        }
    }

    /// Returns the value of a constant expression.
    pub(super) fn constant(&self, id: ExprId) -> Result<i64, Stop> {
        Ok(constant::value(self.model, id)?)
    }

    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[ExprId],
        time: Time,
    ) -> Result<Lowered, Stop> {
        let (values, constants) = match (function, arguments) {
            (Function::Swconst | Function::Uwconst, all) => (&[][..], all),
            (Function::Extend | Function::Resize, [first, rest @ ..]) => {
                (std::slice::from_ref(first), rest)
            }
            (_, all) => (all, &[][..]),
        };
        let values = values.iter().map(|id| self.lower(*id, time));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let constants = constants.iter().map(|id| self.constant(*id));
        let constants = constants.collect::<Result<Vec<_>, _>>()?;
        let terms = &mut self.system.terms;
        Ok(words::call(terms, function, &values, &constants)?)
    }

    /// Lowers `a[i]`, which is undefined outside the array. `low` is the index of the first element, `id` the complete expression.
    pub(super) fn element_of(
        &mut self,
        id: ExprId,
        index: ExprId,
        low: i64,
        elements: &[ExprId],
        time: Time,
    ) -> Result<Lowered, Stop> {
        let mut index = self.lower(index, time)?;
        if let Sort::Word { .. } = self.system.terms.sort(index.term) {
            index = words::call(&mut self.system.terms, Function::Toint, &[index], &[])?;
        }
        let values = elements.iter().map(|id| self.lower(*id, time));
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        let high = low + values.len() as i64 - 1;
        let Some(mut result) = values.pop() else {
            return Err(Stop::Reported);
        };
        let terms = &mut self.system.terms;
        for (i, value) in values.into_iter().enumerate().rev() {
            let place = terms.int(low + i as i64);
            let here = terms.binary(Core::Eq, index.term, place)?;
            result = Lowered::ite(terms, here, value, result)?;
        }
        let inside = terms.in_domain(index.term, &Sort::Range { low, high })?;
        let span = self.model.exprs()[id].span;
        let inside = Checks::one(terms, inside, span, "the index is outside the array");
        result.checks = result.checks.and(terms, index.checks)?;
        result.checks = result.checks.and(terms, inside)?;
        Ok(result)
    }

    /// Returns `a` if the condition holds and otherwise `b`, as [`Lowering::conditional`] does. These are the values of the expressions
    /// `then` and `otherwise`, whose places are recorded.
    pub(super) fn alternatives(
        &mut self,
        condition: Lowered,
        (a, b): (Lowered, Lowered),
        (then, otherwise): (ExprId, ExprId),
    ) -> Result<Lowered, Stop> {
        let on = condition.term;
        let result = self.conditional(condition, a, b)?;
        let exprs = self.model.exprs();
        let (then, otherwise) = (exprs[then].span, exprs[otherwise].span);
        self.note_sides((result.term, on), then, otherwise);
        Ok(result)
    }

    pub(super) fn conditional(
        &mut self,
        condition: Lowered,
        a: Lowered,
        b: Lowered,
    ) -> Result<Lowered, Stop> {
        let terms = &mut self.system.terms;
        let mut result = Lowered::ite(terms, condition.term, a, b)?;
        result.checks = condition.checks.and(terms, result.checks)?;
        Ok(result)
    }

    /// Lowers the `case` expression `id` with the values of its branches given by `value`. A branch that a mutant deletes is not taken in
    /// that mutant. The result is undefined where no condition is true.
    pub(super) fn case(
        &mut self,
        id: ExprId,
        branches: &[Branch],
        time: Time,
        mut value: impl FnMut(&mut Self, ExprId) -> Result<Lowered, Stop>,
    ) -> Result<Lowered, Stop> {
        let mut deleted = vec![None; branches.len()];
        for planted in self.changes.get(&id).into_iter().flatten() {
            if let Change::DropBranch(index) = planted.change {
                deleted[index] = Some(planted.selector);
            }
        }
        // Branches are lowered in the order of the source, which numbers choices.
        let mut parts = Vec::new();
        for branch in branches {
            let condition = self.lower(branch.condition, time)?;
            parts.push((condition, value(self, branch.value)?));
        }
        let spans: Vec<Span> = (branches.iter())
            .map(|branch| self.model.exprs()[branch.value].span)
            .collect();
        let mut result: Option<Lowered> = None;
        for (k, ((mut condition, here), deleted)) in
            parts.into_iter().zip(deleted).enumerate().rev()
        {
            let terms = &mut self.system.terms;
            if let Some(selector) = deleted {
                condition.checks = condition.checks.unless(terms, selector)?;
                let kept = terms.not(selector)?;
                condition.term = terms.binary(Core::And, condition.term, kept)?;
            }
            let rest = match result {
                Some(rest) => rest,
                None => {
                    // After the last branch the value is undefined, so any term will do.
                    let never = terms.bool(false);
                    let span = self.model.exprs()[id].span;
                    let message = "no condition of this `case` is true";
                    Lowered {
                        term: here.term,
                        checks: Checks::one(terms, never, span, message),
                    }
                }
            };
            let on = condition.term;
            let all = self.conditional(condition, here, rest)?;
            let otherwise = spans[(k + 1).min(spans.len() - 1)];
            self.note_sides((all.term, on), spans[k], otherwise);
            result = Some(all);
        }
        result.ok_or_else(|| {
            Diagnostic::error(self.model.exprs()[id].span, "this `case` has no branch").into()
        })
    }

    /// Adds an input with the sort of a domain, and returns its term.
    pub(super) fn variable_input(
        &mut self,
        name: String,
        domain: &Domain,
        role: InputRole,
    ) -> TermId {
        self.input(name, domain.sort().clone(), role)
    }
}
