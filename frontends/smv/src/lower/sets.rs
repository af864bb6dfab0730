//! Sets: a choice of a value in assignments, and a membership test in `in`.
//!
//! A set of constants gives a choice input whose sort has exactly these values. Other sets give a choice among their elements by index.
//! Large ranges are never enumerated.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Diagnostic;

use super::checks::Lowered;
use super::errors::Stop;
use super::lowering::{Lowering, Planted};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::domain::{Domain, alike};
use crate::order::Time;
use crate::resolve::Entity;

/// The number of choices in one assignment, at most. DEFINEs of sets are expanded at their uses, each with its own choice, which may
/// explode.
const MAX_CHOICES: usize = 10_000;

/// The nesting depth of DEFINEs of sets that use other DEFINEs of sets, at most.
const MAX_EXPANSIONS: u32 = 50;

/// The size of a range left of `in`, at most. Each number has its own test.
const MAX_NUMBERS: u64 = 10_000;

/// An element of a flattened set.
enum Element {
    One(ExprId),
    Range(i64, i64),
}

impl Lowering<'_> {
    /// Lowers a value of the current assignment: a choice, if the expression is a set.
    pub(super) fn value(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        if self.types.of(id).set {
            let original = self.original_value(id, time)?;
            return self
                .with_replacements(id, original, |lowering, with| lowering.value(with, time));
        }
        match self.types.may_choose(id) {
            true => self.single_or_chosen(id, time),
            false => self.lower(id, time),
        }
    }

    /// Lowers an expression that is no set. If mutants replace it or a part of it by sets, they make a choice.
    fn single_or_chosen(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        // Mutants of the complete expression are not mutants of its parts.
        let planted = self.changes.remove(&id).unwrap_or_default();
        let original = match self.model.exprs().kind(id) {
            ExprKind::Case(_) => {
                // The `case` itself handles branches that mutants delete.
                self.keep_planted(id, planted);
                let original = self.original_value(id, time);
                let planted = self.changes.remove(&id).unwrap_or_default();
                return self.planted_choices(id, time, original, planted);
            }
            ExprKind::Conditional(..) | ExprKind::Set(_) => self.original_value(id, time),
            _ => self.lower(id, time),
        };
        // The mutants of the expression are only in `planted`.
        self.memo.remove(&(id, time));
        self.planted_choices(id, time, original, planted)
    }

    fn planted_choices(
        &mut self,
        id: ExprId,
        time: Time,
        original: Result<Lowered, Stop>,
        planted: Vec<Planted>,
    ) -> Result<Lowered, Stop> {
        let value =
            original.and_then(|original| self.plant(id, time, original, &planted, Self::value));
        self.keep_planted(id, planted);
        value.map_err(|stop| self.locate(stop, id))
    }

    fn keep_planted(&mut self, id: ExprId, planted: Vec<Planted>) {
        if !planted.is_empty() {
            self.changes.insert(id, planted);
        }
    }

    /// Returns a value that is chosen from a set, as [`Lowering::value`] does, but without mutants of the complete set.
    fn original_value(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        let exprs = self.model.exprs();
        if time == Time::Next && self.types.of(id).set {
            let message = "not supported yet: the coming value of a non-deterministic choice";
            return Err(Diagnostic::error(exprs[id].span, message).into());
        }
        match exprs.kind(id) {
            ExprKind::Name(_) => match self.model.entity(id) {
                Some(Entity::Define(d)) => {
                    let body = self.model.defines[d].body;
                    self.expand(id, |lowering| lowering.value(body, time))
                }
                _ => self.lower(id, time),
            },
            ExprKind::Conditional(c, a, b) => {
                let condition = self.lower(*c, time)?;
                let sides = (self.value(*a, time)?, self.value(*b, time)?);
                self.alternatives(condition, sides, (*a, *b))
            }
            ExprKind::Case(branches) => self.case(id, branches, time, |lowering, value| {
                lowering.value(value, time)
            }),
            _ => self.choose(id, time),
        }
    }

    /// Calls `inside` to lower the body of a DEFINE of a set at its use `id`.
    ///
    /// # Errors
    /// If such DEFINEs are nested too deeply.
    fn expand<T>(
        &mut self,
        id: ExprId,
        inside: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.expansions >= MAX_EXPANSIONS {
            let message = "DEFINEs of sets are nested too deeply here";
            return Err(Diagnostic::error(self.model.exprs()[id].span, message).into());
        }
        self.expansions += 1;
        let result = inside(self);
        self.expansions -= 1;
        result
    }

    fn choose(&mut self, id: ExprId, time: Time) -> Result<Lowered, Stop> {
        let span = self.model.exprs()[id].span;
        if self.system.inputs.len() > MAX_CHOICES {
            return Err(Diagnostic::error(span, "too many choices").into());
        }
        let elements = self.flatten(id);
        if let [element] = elements.as_slice() {
            return self.element(element, time);
        }
        // The choice, and for each element the condition under which it is chosen.
        let (choice, conditions) = match self.constant_domain(&elements) {
            Some((domain, labels)) => {
                let raw = self.fresh_choice(domain.sort().clone());
                let choice = domain.read(&mut self.system.terms, raw)?;
                let mut conditions = Vec::new();
                // In the order of the elements: mixed labels have another order.
                for element in &elements {
                    let Some(label) = self.label(element) else {
                        continue;
                    };
                    let terms = &mut self.system.terms;
                    // Numbers with gaps by their codes: the choice as a number would read all of them.
                    let (choice, label) = match domain.code_of_number(terms, label) {
                        Some(code) => (raw, code),
                        None => alike(terms, choice, label)?,
                    };
                    conditions.push(terms.binary(Core::Eq, choice, label)?);
                }
                debug_assert_eq!(conditions.len(), labels.len());
                if elements.iter().all(|element| !self.is_mutated(element)) {
                    return Ok(Lowered::total(choice));
                }
                (choice, conditions)
            }
            None => {
                let high = elements.len() as i64 - 1;
                let choice = self.fresh_choice(Sort::Range { low: 0, high });
                let mut conditions = Vec::new();
                for i in 0..=high {
                    let i = self.system.terms.int(i);
                    conditions.push(self.system.terms.binary(Core::Eq, choice, i)?);
                }
                (choice, conditions)
            }
        };
        // Branches are lowered in the order of the source, which numbers choices.
        let mut values = Vec::new();
        for element in &elements {
            values.push(self.element(element, time)?);
        }
        let place = |element: Option<&Element>| match element {
            Some(Element::One(id)) => self.model.exprs()[*id].span,
            _ => span,
        };
        let mut result: Option<Lowered> = None;
        for (k, (value, condition)) in values.into_iter().zip(conditions).enumerate().rev() {
            result = Some(match result {
                None => value,
                Some(rest) => {
                    let all = Lowered::ite(&mut self.system.terms, condition, value, rest)?;
                    self.note_sides(
                        (all.term, condition),
                        place(elements.get(k)),
                        place(elements.get(k + 1)),
                    );
                    all
                }
            });
        }
        Ok(result.unwrap_or(Lowered::total(choice)))
    }

    /// Returns the elements of nested sets and unions, in the order of the source.
    fn flatten(&self, id: ExprId) -> Vec<Element> {
        let mut elements = Vec::new();
        let mut rest = vec![id];
        while let Some(part) = rest.pop() {
            // A part that mutants replace stays one element.
            if part != id && !self.replaced_sets(part).is_empty() {
                elements.push(Element::One(part));
                continue;
            }
            let id = part;
            match self.model.exprs().kind(id) {
                ExprKind::Set(all) => rest.extend(all.iter().rev()),
                ExprKind::Binary(BinaryOp::Union, a, b) => rest.extend([*b, *a]),
                ExprKind::Range(low, high) => elements.push(Element::Range(*low, *high)),
                _ => elements.push(Element::One(id)),
            }
        }
        elements
    }

    fn element(&mut self, element: &Element, time: Time) -> Result<Lowered, Stop> {
        match *element {
            Element::One(id) => self.value(id, time),
            Element::Range(low, high) if low == high => {
                Ok(Lowered::total(self.system.terms.int(low)))
            }
            Element::Range(low, high) => {
                let sort = Sort::Range { low, high };
                Ok(Lowered::total(self.fresh_choice(sort)))
            }
        }
    }

    /// Returns the domain of the elements, and the term of each one. `None` unless all elements are different constants.
    fn constant_domain(&mut self, elements: &[Element]) -> Option<(Domain, Vec<TermId>)> {
        let (mut numbers, mut symbols, mut truths) = (Vec::new(), Vec::new(), Vec::new());
        let exprs = self.model.exprs();
        for element in elements {
            let id = match *element {
                Element::Range(low, high) if low == high => {
                    numbers.push(low);
                    continue;
                }
                Element::Range(..) => return None,
                Element::One(id) => id,
            };
            match exprs.kind(id) {
                ExprKind::Number(n) => numbers.push(*n),
                ExprKind::Truth(value) => truths.push(*value),
                ExprKind::Name(name) if self.model.entity(id) == Some(Entity::Symbol) => {
                    symbols.push(name.clone());
                }
                ExprKind::Unary(UnaryOp::Neg, a) => match exprs.kind(*a) {
                    ExprKind::Number(n) => numbers.push(-n),
                    _ => return None,
                },
                _ => return None,
            }
        }
        let count = elements.len();
        let terms = &mut self.system.terms;
        let together = numbers.len() + symbols.len();
        let (domain, labels) = if together == count && !numbers.is_empty() && !symbols.is_empty() {
            let numbers = numbers.iter().map(i64::to_string);
            let spellings: Vec<String> = numbers.chain(symbols).collect();
            let labels = spellings.iter().map(|s| terms.symbol(s)).collect();
            (Domain::mixed(spellings), labels)
        } else if numbers.len() == count {
            let labels: Vec<TermId> = numbers.iter().map(|n| terms.int(*n)).collect();
            (Domain::numbers(numbers), labels)
        } else if symbols.len() == count {
            let labels: Vec<TermId> = symbols.iter().map(|s| terms.symbol(s)).collect();
            (Domain::symbols(symbols), labels)
        } else {
            let labels: Vec<TermId> = truths.iter().map(|t| terms.bool(*t)).collect();
            (Domain::boolean(), labels)
        };
        // Constants are folded, so equal elements have equal terms.
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (distinct.len() == count).then_some((domain, labels))
    }

    /// Returns the term of an element that is a number, a truth value or a name, or of the first number of a range. `None` for other
    /// expressions.
    fn label(&mut self, element: &Element) -> Option<TermId> {
        let terms = &mut self.system.terms;
        let id = match *element {
            Element::Range(low, _) => return Some(terms.int(low)),
            Element::One(id) => id,
        };
        let exprs = self.model.exprs();
        match exprs.kind(id) {
            ExprKind::Number(n) => Some(terms.int(*n)),
            ExprKind::Truth(value) => Some(terms.bool(*value)),
            ExprKind::Name(name) => Some(terms.symbol(name)),
            ExprKind::Unary(UnaryOp::Neg, a) => match exprs.kind(*a) {
                ExprKind::Number(n) => Some(terms.int(-n)),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_mutated(&self, element: &Element) -> bool {
        match *element {
            Element::Range(..) => false,
            Element::One(id) => {
                let mut parts = self.model.exprs().subtree(id);
                parts.any(|part| self.changes.contains_key(&part))
            }
        }
    }

    /// Lowers `left in right`: whether a value is in a set, or whether one set is a subset of another.
    pub(super) fn included(
        &mut self,
        left: ExprId,
        right: ExprId,
        time: Time,
    ) -> Result<Lowered, Stop> {
        if let Some(known) = self.inclusions.get(&(left, right, time)) {
            return Ok(known.clone());
        }
        let found = match self.types.of(left).set {
            false => {
                let value = self.lower(left, time)?;
                let found = self.member(value.term, right, time)?;
                let checks = value.checks.and(&mut self.system.terms, found.checks)?;
                let term = found.term;
                Lowered { term, checks }
            }
            true => {
                let found = self.subset(left, right, time)?;
                self.with_replacements(left, found, |lowering, with| {
                    lowering.included(with, right, time)
                })?
            }
        };
        self.inclusions.insert((left, right, time), found.clone());
        Ok(found)
    }

    /// Lowers whether the set `left` is a subset of `right`, without mutants of the complete set `left`.
    fn subset(&mut self, left: ExprId, right: ExprId, time: Time) -> Result<Lowered, Stop> {
        match self.model.exprs().kind(left) {
            ExprKind::Name(_) => match self.model.entity(left) {
                Some(Entity::Define(d)) => {
                    let body = self.model.defines[d].body;
                    self.expand(left, |lowering| lowering.included(body, right, time))
                }
                _ => Err(Stop::Reported),
            },
            ExprKind::Conditional(c, a, b) => {
                let condition = self.lower(*c, time)?;
                let a = self.included(*a, right, time)?;
                let b = self.included(*b, right, time)?;
                self.conditional(condition, a, b)
            }
            ExprKind::Case(branches) => self.case(left, branches, time, |lowering, value| {
                lowering.included(value, right, time)
            }),
            _ => {
                let mut result = Lowered::total(self.system.terms.bool(true));
                for element in self.flatten(left) {
                    let here = match element {
                        Element::One(id) => self.included(id, right, time)?,
                        Element::Range(low, high) => {
                            self.range_included(left, (low, high), right, time)?
                        }
                    };
                    let terms = &mut self.system.terms;
                    result.term = terms.binary(Core::And, result.term, here.term)?;
                    result.checks = result.checks.and(terms, here.checks)?;
                }
                Ok(result)
            }
        }
    }

    /// Lowers whether all numbers from `low` to `high` are elements of the set `right`. `at` is the range's expression.
    ///
    /// # Errors
    /// If the range has more than [`MAX_NUMBERS`] numbers.
    fn range_included(
        &mut self,
        at: ExprId,
        (low, high): (i64, i64),
        right: ExprId,
        time: Time,
    ) -> Result<Lowered, Stop> {
        if high.abs_diff(low) >= MAX_NUMBERS {
            let span = self.model.exprs()[at].span;
            let message = "this range is too large to be looked for in a set";
            return Err(Diagnostic::error(span, message).into());
        }
        let mut result = Lowered::total(self.system.terms.bool(true));
        for n in low..=high {
            let value = self.system.terms.int(n);
            let here = self.member(value, right, time)?;
            let terms = &mut self.system.terms;
            result.term = terms.binary(Core::And, result.term, here.term)?;
            result.checks = result.checks.and(terms, here.checks)?;
        }
        Ok(result)
    }

    /// Lowers whether `value` is an element of `set` at `time`, with the mutants that replace the set.
    pub(super) fn member(
        &mut self,
        value: TermId,
        set: ExprId,
        time: Time,
    ) -> Result<Lowered, Stop> {
        if let Some(known) = self.members.get(&(value, set, time)) {
            return Ok(known.clone());
        }
        let mut found = self.new_member(value, set, time)?;
        if self.types.of(set).set {
            found = self.with_replacements(set, found, |lowering, with| {
                lowering.member(value, with, time)
            })?;
        }
        self.members.insert((value, set, time), found.clone());
        Ok(found)
    }

    fn new_member(&mut self, value: TermId, set: ExprId, time: Time) -> Result<Lowered, Stop> {
        let is_set = self.types.of(set).set;
        match self.model.exprs().kind(set) {
            ExprKind::Range(..) | ExprKind::Set(_) | ExprKind::Binary(BinaryOp::Union, ..) => {
                let mut result = Lowered::total(self.system.terms.bool(false));
                for element in self.flatten(set) {
                    let here = match element {
                        Element::One(id) => self.member(value, id, time)?,
                        Element::Range(low, high) => self.between(low, value, high)?,
                    };
                    // A set with an undefined element is undefined.
                    let terms = &mut self.system.terms;
                    result.term = terms.binary(Core::Or, result.term, here.term)?;
                    result.checks = result.checks.and(terms, here.checks)?;
                }
                Ok(result)
            }
            ExprKind::Name(_) if is_set => match self.model.entity(set) {
                Some(Entity::Define(d)) => {
                    let body = self.model.defines[d].body;
                    self.expand(set, |lowering| lowering.member(value, body, time))
                }
                _ => self.equal(value, set, time),
            },
            ExprKind::Conditional(c, a, b) if is_set => {
                let condition = self.lower(*c, time)?;
                let (a, b) = (self.member(value, *a, time)?, self.member(value, *b, time)?);
                self.conditional(condition, a, b)
            }
            ExprKind::Case(branches) if is_set => {
                self.case(set, branches, time, |lowering, element| {
                    lowering.member(value, element, time)
                })
            }
            _ => self.equal(value, set, time),
        }
    }

    fn between(&mut self, low: i64, value: TermId, high: i64) -> Result<Lowered, Stop> {
        let terms = &mut self.system.terms;
        if let Sort::Enum { values } = terms.sort(value).clone() {
            let mut result = terms.bool(false);
            for spelling in values.iter() {
                if spelling.parse().is_ok_and(|n: i64| low <= n && n <= high) {
                    let symbol = terms.symbol(spelling);
                    let here = terms.binary(Core::Eq, value, symbol)?;
                    result = terms.binary(Core::Or, result, here)?;
                }
            }
            return Ok(Lowered::total(result));
        }
        let (low, high) = (terms.int(low), terms.int(high));
        let above = terms.binary(Core::Le, low, value)?;
        let below = terms.binary(Core::Le, value, high)?;
        Ok(Lowered::total(terms.binary(Core::And, above, below)?))
    }

    fn equal(&mut self, value: TermId, other: ExprId, time: Time) -> Result<Lowered, Stop> {
        let other = self.lower(other, time)?;
        let (value, term) = alike(&mut self.system.terms, value, other.term)?;
        Ok(Lowered {
            term: self.system.terms.binary(Core::Eq, value, term)?,
            checks: other.checks,
        })
    }
}
