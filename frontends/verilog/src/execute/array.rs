//! Arrays without indices, and assignment patterns (IEEE 1800-2017 §7.6 and §10.9).
//!
//! Assignments to an array go element by element, from left to right. A pattern has no value by itself: its target determines the meaning
//! of its members.

use hyperkill_core::sort::MAX_WORD;
use hyperkill_core::term::TermId;
use hyperkill_frontend::Span;

use super::selection::Bits;
use crate::ast::{Cast, ExprId, ExprKind, Item, Key, Name, StmtId};
use crate::design::{Entity, Run, Stop, VarId, WordId};
use crate::layout::Layout;
use crate::state::{Elaborator, Place};

/// An array, or the part of an array under some indices: neighbouring words.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    /// The variable.
    pub var: VarId,
    /// Number of its first element.
    first: u32,
    /// Dimensions without an index, the outermost first.
    pub dimensions: Vec<(i64, i64)>,
}

/// Returns the distance between the bounds of each dimension; arrays of one kind have these in common.
pub(super) fn sizes(dimensions: &[(i64, i64)]) -> Vec<u64> {
    dimensions.iter().map(|(a, b)| a.abs_diff(*b)).collect()
}

impl Stretch {
    /// Returns the number of words.
    pub(super) fn count(&self) -> u32 {
        count(&self.dimensions)
    }

    /// Returns the numbers of its elements from left to right, the innermost dimension fastest.
    fn elements(&self) -> Vec<u32> {
        let mut all = vec![self.first];
        for (at, (left, right)) in self.dimensions.iter().enumerate() {
            let stride = count(&self.dimensions[at + 1..]);
            let size = left.abs_diff(*right) as u32 + 1;
            all = all
                .iter()
                .flat_map(|start| {
                    (0..size).map(move |i| {
                        let number = if left <= right { i } else { size - 1 - i };
                        start + number * stride
                    })
                })
                .collect();
        }
        all
    }
}

fn count(dimensions: &[(i64, i64)]) -> u32 {
    // The product fits: the size of arrays is limited.
    let sizes = dimensions.iter().map(|(a, b)| a.abs_diff(*b) as u32 + 1);
    sizes.product()
}

impl Elaborator<'_> {
    /// Returns the part of an array that `a[i]` names. `None` if the expression is no such name, or names a single word.
    ///
    /// # Errors
    /// If an index is no constant or outside the bounds.
    pub(super) fn stretch(&mut self, expr: ExprId) -> Run<Option<Stretch>> {
        let mut indices = Vec::new();
        let mut at = expr;
        while let ExprKind::Index(base, index) = self.source.expr(at).kind {
            indices.push(index);
            at = base;
        }
        indices.reverse();
        let ExprKind::Name(path) = &self.source.expr(at).kind else {
            return Ok(None);
        };
        let Ok((Entity::Var(var), selects)) = self.resolve(path, at) else {
            return Ok(None);
        };
        let dimensions = self.design.var(var).dimensions.clone();
        if !selects.is_empty() || indices.len() >= dimensions.len() {
            return Ok(None);
        }
        let mut first = 0;
        for (i, index) in indices.iter().enumerate() {
            let (a, b) = dimensions[i];
            let number = self.integer(*index)?.checked_sub(a.min(b));
            let number = number.and_then(|number| u32::try_from(number).ok());
            let number = number.filter(|number| u64::from(*number) <= a.abs_diff(b));
            let number = number.ok_or_else(|| {
                Stop::at(self.span(*index), "an index outside the bounds of an array")
            })?;
            first += number * count(&dimensions[i + 1..]);
        }
        Ok(Some(Stretch {
            var,
            first,
            dimensions: dimensions[indices.len()..].to_vec(),
        }))
    }

    /// Returns the words of a value for an array with these dimensions, from left to right. The elements have the layout `layout`.
    ///
    /// # Errors
    /// If the value is no array of these dimensions.
    pub(super) fn array_value(
        &mut self,
        value: ExprId,
        dimensions: &[(i64, i64)],
        layout: &Layout,
    ) -> Run<Vec<TermId>> {
        let Some((outer, inner)) = dimensions.split_first() else {
            return Ok(vec![self.fitted(value, layout)?]);
        };
        let place = self.span(value);
        self.no_other(value);
        match &self.source.expr(value).kind {
            ExprKind::Pattern(members) => {
                self.note(value);
                let members = &self.expanded(members)?;
                let mut words = Vec::new();
                let size = outer.0.abs_diff(outer.1) + 1;
                self.complete(members, size, place)?;
                let step = if outer.0 <= outer.1 { 1 } else { -1 };
                for position in 0..size {
                    let index = outer.0 + step * position as i64;
                    let member = self.member_of_array(members, position, index, place)?;
                    let given = match (inner, &self.source.expr(member).kind) {
                        // A default applies to each element, at any depth.
                        ([_, ..], kind) if !matches!(kind, ExprKind::Pattern(_)) => {
                            match self.stretch(member)? {
                                Some(_) => self.array_value(member, inner, layout)?,
                                None => {
                                    // Each element has its own choices for the unknown bits of the default.
                                    let all = 0..count(inner);
                                    all.map(|_| self.fitted(member, layout))
                                        .collect::<Run<_>>()?
                                }
                            }
                        }
                        _ => self.array_value(member, inner, layout)?,
                    };
                    words.extend(given);
                }
                Ok(words)
            }
            ExprKind::Call(path, arguments) => {
                self.note(value);
                let words = self.call_for_array(path, arguments, dimensions, value)?;
                let fits =
                    |word: &TermId| u64::from(self.design.words.width(*word)) == layout.width();
                match words.iter().all(fits) {
                    true => Ok(words),
                    false => Err(Stop::at(
                        place,
                        "the assigned array has other dimensions or elements of another width",
                    )),
                }
            }
            ExprKind::Cast(Cast::Size(_), inner) if self.is_pattern(*inner) => {
                self.array_value(*inner, dimensions, layout)
            }
            ExprKind::Conditional(condition, a, b) => {
                let condition = self.truth(*condition)?;
                let a = self.array_value(*a, dimensions, layout)?;
                let b = self.array_value(*b, dimensions, layout)?;
                let pairs = a.into_iter().zip(b);
                pairs
                    .map(|(a, b)| Ok(self.design.words.ite(condition, a, b)?))
                    .collect()
            }
            _ => {
                self.note(value);
                let Some(from) = self.stretch(value)? else {
                    return Err(Stop::at(place, "the assigned value is not an array"));
                };
                let width = self.design.var(from.var).width;
                if sizes(&from.dimensions) != sizes(dimensions)
                    || u64::from(width) != layout.width()
                {
                    return Err(Stop::at(
                        place,
                        "the assigned array has other dimensions or elements of another width",
                    ));
                }
                let elements = from.elements();
                let read = |element| self.read(self.word_of(from.var, element));
                elements.into_iter().map(read).collect()
            }
        }
    }

    /// Assigns the words of an array value to an array, or to a part of one, by `=` if `blocking`, and otherwise by `<=`.
    pub(super) fn assign_array(
        &mut self,
        target: &Stretch,
        value: ExprId,
        blocking: bool,
    ) -> Run<()> {
        let layout = self.layout_of_var(target.var);
        let words = self.array_value(value, &target.dimensions, &layout)?;
        self.store_array(target, &words, blocking)
    }

    pub(super) fn store_array(
        &mut self,
        target: &Stretch,
        words: &[TermId],
        blocking: bool,
    ) -> Run<()> {
        for (element, word) in target.elements().into_iter().zip(words) {
            let at = self.word_of(target.var, element);
            if self.is_mixed(target.var) {
                let always = self.design.words.pool.bool(true);
                let whole = self.design.words.width(*word);
                self.write(at, 0, whole);
                self.assign_mixed(at, 0, *word, always, blocking)?;
                if !blocking {
                    continue;
                }
            }
            self.assign_word(at, Bits::Whole, *word, blocking)?;
        }
        Ok(())
    }

    /// Returns the part of an array with all its elements; `None` if the variable is no array.
    pub(super) fn whole_array(&self, var: VarId) -> Option<Stretch> {
        let dimensions = self.design.var(var).dimensions.clone();
        let stretch = Stretch {
            var,
            first: 0,
            dimensions,
        };
        (!stretch.dimensions.is_empty()).then_some(stretch)
    }

    /// Returns all words of an array, from left to right.
    pub(super) fn words_of(&self, stretch: &Stretch) -> Vec<WordId> {
        let elements = stretch.elements().into_iter();
        elements
            .map(|element| self.word_of(stretch.var, element))
            .collect()
    }

    /// Returns the value of an expression in an assignment to a target with this layout.
    pub(super) fn fitted(&mut self, value: ExprId, layout: &Layout) -> Run<TermId> {
        match &self.source.expr(value).kind {
            ExprKind::Pattern(members) => {
                self.note(value);
                self.no_other(value);
                let members = self.expanded(members)?;
                self.pattern(&members, layout, self.span(value))
            }
            ExprKind::Conditional(condition, a, b) if self.is_pattern(value) => {
                self.note(value);
                self.no_other(value);
                let condition = self.truth(*condition)?;
                let a = self.fitted(*a, layout)?;
                let b = self.fitted(*b, layout)?;
                Ok(self.design.words.ite(condition, a, b)?)
            }
            _ => self.converted(value, layout.width() as u32),
        }
    }

    /// Rejects mutants that are plain values: only a pattern, an array or a stream can stand here.
    pub(super) fn no_other(&mut self, value: ExprId) {
        for choice in self.alternatives(value) {
            let why = "a value would stand where only a pattern, an array or a stream can";
            self.reject(&choice.mutants, why);
        }
    }

    /// Returns the members of a pattern, with replications written out.
    fn expanded(&mut self, members: &[(Key, ExprId)]) -> Run<Vec<(Key, ExprId)>> {
        let mut all = Vec::new();
        for (key, value) in members {
            let Key::Times(count) = key else {
                all.push((*key, *value));
                continue;
            };
            match usize::try_from(self.integer(*count)?) {
                Ok(times) if times <= MAX_WORD as usize => {
                    all.extend(std::iter::repeat_n((Key::Place, *value), times));
                }
                _ => {
                    let message = format!("a replication that is not 0 to {MAX_WORD} times");
                    return Err(Stop::at(self.span(*count), message));
                }
            }
        }
        Ok(all)
    }

    fn pattern(&mut self, members: &[(Key, ExprId)], layout: &Layout, place: Span) -> Run<TermId> {
        let mut given: Vec<(ExprId, Layout)> = Vec::new();
        match (layout.outer(), &layout.parts) {
            (_, Some(parts)) if layout.bounds.is_empty() => {
                self.complete(members, parts.len() as u64, place)?;
                for (position, part) in parts.iter().enumerate() {
                    let named = |this: &Self, key: ExprId| {
                        matches!(&this.source.expr(key).kind, ExprKind::Name(path)
                            if path.len() == 1 && path[0].name == part.name)
                    };
                    let own = members.iter().find_map(|(key, value)| match key {
                        Key::Of(key) if named(self, *key) => Some(*value),
                        _ => None,
                    });
                    let value = own.or_else(|| by_place(members, position as u64));
                    given.push((value.ok_or_else(|| missing(place))?, part.layout.clone()));
                }
            }
            (Some((left, right)), _) => {
                let size = left.abs_diff(right) + 1;
                self.complete(members, size, place)?;
                let element = layout.element().unwrap_or(Layout::vector(0, 0, false));
                let step = if left <= right { 1 } else { -1 };
                for position in 0..size {
                    let index = left + step * position as i64;
                    let member = self.member_of_array(members, position, index, place)?;
                    given.push((member, element.clone()));
                }
            }
            _ => {
                return Err(Stop::at(
                    place,
                    "the target of an assignment pattern must have parts or elements",
                ));
            }
        }
        let mut values = Vec::new();
        for (member, layout) in given {
            values.push(self.fitted(member, &layout)?);
        }
        values.reverse();
        let whole = self.design.words.join(&values);
        Ok(whole.ok_or_else(|| missing(place))??)
    }

    /// Returns the member of a pattern for the array element with this index, or else at this position, or else the default.
    ///
    /// # Errors
    /// If there is none.
    fn member_of_array(
        &mut self,
        members: &[(Key, ExprId)],
        position: u64,
        index: i64,
        place: Span,
    ) -> Run<ExprId> {
        for (key, value) in members {
            if let Key::Of(key) = key
                && self.integer(*key)? == index
            {
                return Ok(*value);
            }
        }
        by_place(members, position).ok_or_else(|| missing(place))
    }

    /// Checks that a pattern by positions has `size` members, and that no other pattern has too many.
    fn complete(&self, members: &[(Key, ExprId)], size: u64, place: Span) -> Run<()> {
        let placed = members.iter().filter(|(key, _)| *key == Key::Place).count() as u64;
        let mixed = placed > 0 && placed != members.len() as u64;
        match mixed || (placed > 0 && placed != size) || members.len() as u64 > size + 1 {
            true => {
                let message = format!("the target of this pattern has {size} parts");
                Err(Stop::at(place, message))
            }
            false => Ok(()),
        }
    }

    /// Executes the body of `foreach` for all elements of `of`: from the left bound to the right one, the last dimension fastest.
    /// `declares` has the loop variables.
    ///
    /// # Errors
    /// If there are more variables than dimensions, or too many iterations.
    pub(super) fn foreach(
        &mut self,
        id: StmtId,
        of: ExprId,
        variables: &[Option<Name>],
        declares: &Item,
        body: StmtId,
    ) -> Run<()> {
        let place = self.span(of);
        let dimensions = self.dimensions_of(of)?;
        if variables.len() > dimensions.len() {
            return Err(Stop::at(place, "there are not so many dimensions"));
        }
        let mut turns: Vec<Vec<i64>> = vec![Vec::new()];
        for ((left, right), variable) in dimensions.iter().zip(variables) {
            let step = if left <= right { 1 } else { -1 };
            let size = left.abs_diff(*right) + 1;
            if size.saturating_mul(turns.len() as u64) > 1 << 16 {
                return Err(Stop::at(place, "this loop has too many iterations"));
            }
            // A dimension without a loop variable is skipped.
            let size = if variable.is_some() { size } else { 1 };
            turns = turns
                .iter()
                .flat_map(|before| {
                    (0..size as i64).map(move |i| {
                        let mut turn = before.clone();
                        turn.push(left + step * i);
                        turn
                    })
                })
                .collect();
        }
        let scope = self.block_of(id, None, std::slice::from_ref(declares))?;
        self.within(scope, |this| {
            this.with_end(Place::Loop, |this| {
                for (number, turn) in turns.iter().enumerate() {
                    for (value, variable) in turn.iter().zip(variables) {
                        let Some(variable) = variable else {
                            continue;
                        };
                        let known = &this.design.scopes[scope.0].names;
                        if let Some(Entity::Var(var)) = known.get(variable) {
                            let word = this.word_of(*var, 0);
                            let value = this.design.words.number(*value as u64, 32);
                            this.env.blocking.insert(word, value);
                        }
                    }
                    this.in_turn(number, place, |this| {
                        this.with_end(Place::Turn, |this| this.run_statement(body))
                    })?;
                }
                Ok(())
            })
        })
    }
}

/// Returns the member of a pattern at a position, or the default; `None` if it has neither.
fn by_place(members: &[(Key, ExprId)], position: u64) -> Option<ExprId> {
    let default = || members.iter().find(|(key, _)| *key == Key::Default);
    let placed = members.iter().filter(|(key, _)| *key == Key::Place);
    let own = placed.into_iter().nth(position as usize);
    own.or_else(default).map(|(_, value)| *value)
}

fn missing(place: Span) -> Stop {
    Stop::at(place, "this pattern lacks a value for a part")
}
