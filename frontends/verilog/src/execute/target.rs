//! The left sides of assignments.

use std::rc::Rc;

use hyperkill_core::term::{BinaryOp as Core, TermId};

use super::selection::{Bits, Element, Root, within};
use crate::ast::{ExprId, ExprKind};
use crate::design::{Run, Stop, VarId, WordId};
use crate::layout::Layout;
use crate::state::{Elaborator, Mode};

/// A target of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    var: VarId,
    element: Element,
    bits: Bits,
    /// The number of its bits.
    pub(crate) width: u32,
}

impl Target {
    /// Returns a target of all bits of a variable.
    pub(super) fn whole(var: VarId, width: u32) -> Target {
        Target {
            var,
            element: Element::Known(0),
            bits: Bits::Whole,
            width,
        }
    }

    /// Returns the variable of the target.
    pub(super) fn var(self) -> VarId {
        self.var
    }

    /// Returns `width` bits of the target from its bit `low` up; `None` if the target has a computed position.
    pub(super) fn part(self, low: u32, width: u32) -> Option<Target> {
        let start = match self.bits {
            Bits::Whole => 0,
            Bits::Known(start, _) => start,
            Bits::Computed(..) => return None,
        };
        let bits = Bits::Known(start + i64::from(low), width);
        Some(Target {
            bits,
            width,
            ..self
        })
    }
}

impl Elaborator<'_> {
    /// Returns the parts of a target, the most significant first.
    pub(crate) fn targets(&mut self, expr: ExprId) -> Run<Vec<Target>> {
        let source = self.source;
        if let ExprKind::Concat(parts) = &source.expr(expr).kind {
            let mut all = Vec::new();
            for part in parts {
                all.extend(self.targets(*part)?);
            }
            return Ok(all);
        }
        if let ExprKind::Stream(..) = source.expr(expr).kind {
            let message =
                "a streaming concatenation is supported only as the whole target of an assignment";
            return Err(Stop::at(self.span(expr), message));
        }
        let (root, selects) = self.root(expr)?;
        let Root::Word(var, element) = root else {
            return Err(Stop::at(
                self.span(expr),
                "this expression cannot be assigned",
            ));
        };
        let layout = self.layout_of(&root)?;
        let bits = self.located(&layout, &selects, expr, true)?;
        let width = self.design.var(var).width;
        let width = match bits {
            Bits::Whole => width,
            Bits::Known(_, width) | Bits::Computed(_, width) => width,
        };
        let fixed = matches!(element, Element::Known(_) | Element::Outside)
            && !matches!(bits, Bits::Computed(..));
        // Variables local to a called function may be assigned at a computed place.
        if self.mode == Mode::Continuous && !fixed && !self.design.var(var).local {
            return Err(Stop::at(
                self.span(expr),
                "the bits that a continuous assignment drives must be constant",
            ));
        }
        Ok(vec![Target {
            var,
            element,
            bits,
            width,
        }])
    }

    /// Returns the word of a target (a variable, or one element of an array), its lowest bit in the word, and its number of bits there.
    /// `None` if an index is not constant, or no bit of the target lies inside the word.
    pub(crate) fn place_of(&self, target: &Target) -> Option<(WordId, u32, u32)> {
        let Element::Known(element) = target.element else {
            return None;
        };
        let whole = self.design.var(target.var).width;
        let (low, width) = match target.bits {
            Bits::Whole => (0, whole),
            Bits::Known(low, width) => inside_of(low, width, whole)?,
            Bits::Computed(..) => return None,
        };
        Some((self.word_of(target.var, element), low, width))
    }

    /// Returns the layout of a target if a pattern is assigned to it, and otherwise `None`.
    pub(super) fn target_layout(&mut self, target: ExprId, value: ExprId) -> Run<Option<Layout>> {
        match self.is_pattern(value) {
            true => self.value_layout(target).map(Some),
            false => Ok(None),
        }
    }

    /// Whether a value is a pattern, which takes its type from the target of its assignment.
    pub(super) fn is_pattern(&self, value: ExprId) -> bool {
        match self.source.expr(value).kind {
            ExprKind::Pattern(_) => true,
            ExprKind::Conditional(_, a, b) => self.is_pattern(a) || self.is_pattern(b),
            _ => false,
        }
    }

    /// Assigns a value to the parts of a target. The value is as wide as their sum.
    pub(crate) fn assign_all(
        &mut self,
        targets: &[Target],
        value: TermId,
        blocking: bool,
    ) -> Run<()> {
        let mut low = 0;
        for target in targets.iter().rev() {
            let part = self.design.words.slice(value, low, target.width)?;
            self.assign(target, part, blocking)?;
            low += target.width;
        }
        Ok(())
    }

    fn assign(&mut self, target: &Target, value: TermId, blocking: bool) -> Run<()> {
        if !blocking && self.design.var(target.var).local {
            let name = &self.design.var(target.var).name;
            let message = format!("`<=` gives `{name}` its value only when the task has ended");
            return Err(Stop::at(self.at, message));
        }
        if self.is_mixed(target.var) {
            self.assign_in_both_ways(target, value, blocking)?;
            if !blocking {
                return Ok(());
            }
        }
        match target.element {
            Element::Outside => Ok(()),
            Element::Known(element) => self.assign_word(
                self.word_of(target.var, element),
                target.bits,
                value,
                blocking,
            ),
            Element::Computed(index, inside) => {
                for element in 0..self.design.var(target.var).count {
                    let words = &mut self.design.words;
                    let number = words.number(u64::from(element), 32);
                    let here = words.equal(index, number)?;
                    let here = words.pool.binary(Core::And, here, inside)?;
                    let word = self.word_of(target.var, element);
                    let before = self.current(word, blocking)?;
                    self.assign_word(word, target.bits, value, blocking)?;
                    let after = self.current(word, blocking)?;
                    let joined = self.design.words.ite(here, after, before)?;
                    self.store(word, joined, blocking);
                }
                Ok(())
            }
        }
    }

    /// As [`Elaborator::assign`], for a variable that is assigned by `=` and by `<=`.
    fn assign_in_both_ways(&mut self, target: &Target, value: TermId, blocking: bool) -> Run<()> {
        let always = self.design.words.pool.bool(true);
        let mut elements = Vec::new();
        match target.element {
            Element::Outside => {}
            Element::Known(element) => elements.push((element, always)),
            Element::Computed(index, inside) => {
                for element in 0..self.design.var(target.var).count {
                    let words = &mut self.design.words;
                    let number = words.number(u64::from(element), 32);
                    let here = words.equal(index, number)?;
                    elements.push((element, words.pool.binary(Core::And, here, inside)?));
                }
            }
        }
        for (element, here) in elements {
            let word = self.word_of(target.var, element);
            let whole = self.design.var(target.var).width;
            match target.bits {
                Bits::Whole => {
                    self.write(word, 0, whole);
                    self.assign_mixed(word, 0, value, here, blocking)?;
                }
                Bits::Known(low, width) => {
                    if let Some((start, count)) = inside_of(low, width, whole) {
                        self.write(word, start, count);
                        let from = (i64::from(start) - low) as u32;
                        let part = self.design.words.slice(value, from, count)?;
                        self.assign_mixed(word, start, part, here, blocking)?;
                    }
                }
                Bits::Computed(offset, width) => {
                    self.write(word, 0, whole);
                    self.fuel = self.fuel.saturating_sub(u64::from(whole));
                    let place = self.computed(offset, width, value, whole)?;
                    for bit in 0..whole {
                        let words = &mut self.design.words;
                        let chosen = words.slice(place.mask, bit, 1)?;
                        let chosen = words.truth(chosen)?;
                        let chosen = words.pool.binary(Core::And, chosen, place.inside)?;
                        let chosen = words.pool.binary(Core::And, chosen, here)?;
                        if words.pool.as_bool(chosen) == Some(false) {
                            continue;
                        }
                        let part = words.slice(place.shifted, bit, 1)?;
                        self.assign_mixed(word, bit, part, chosen, blocking)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn current(&mut self, word: WordId, blocking: bool) -> Run<TermId> {
        match blocking {
            true => self.read(word),
            false => Ok(self.waiting(word)),
        }
    }

    fn store(&mut self, word: WordId, value: TermId, blocking: bool) {
        let map = match blocking {
            true => &mut self.env.blocking,
            false => &mut self.env.waiting,
        };
        map.insert(word, value);
    }

    /// Records that the current process assigns `width` bits of a word from `low` up. Does nothing in constant expressions.
    pub(super) fn write(&mut self, word: WordId, low: u32, width: u32) {
        if self.mode != Mode::Constant {
            self.written.entry(word).or_default().push((low, width));
        }
    }

    pub(super) fn assign_word(
        &mut self,
        word: WordId,
        bits: Bits,
        value: TermId,
        blocking: bool,
    ) -> Run<()> {
        if blocking && self.mode == Mode::Edge {
            let mutants = Rc::clone(&self.exchange);
            if mutants.is_empty() {
                self.design.at_once.insert((None, word, self.process));
            }
            for mutant in &*mutants {
                self.design
                    .at_once
                    .insert((Some(*mutant), word, self.process));
                Rc::make_mut(&mut self.env.early).insert(*mutant, word);
            }
        }
        let whole = self.design.var(self.design.elements[word.0].0).width;
        let result = match bits {
            Bits::Whole => {
                self.write(word, 0, whole);
                value
            }
            Bits::Known(low, width) => {
                let Some((start, count)) = inside_of(low, width, whole) else {
                    return Ok(());
                };
                self.write(word, start, count);
                let from = (i64::from(start) - low) as u32;
                let part = self.design.words.slice(value, from, count)?;
                let before = self.current(word, blocking)?;
                self.design.words.replace(before, start, part)?
            }
            Bits::Computed(offset, width) => {
                self.write(word, 0, whole);
                let before = self.current(word, blocking)?;
                self.replace_computed(before, offset, width, value)?
            }
        };
        self.store(word, result, blocking);
        Ok(())
    }

    /// Returns the word `before` with `width` bits from a computed offset replaced by `value`. Bits outside the word are dropped.
    fn replace_computed(
        &mut self,
        before: TermId,
        offset: TermId,
        width: u32,
        value: TermId,
    ) -> Run<TermId> {
        let whole = self.design.words.width(before);
        let place = self.computed(offset, width, value, whole)?;
        let words = &mut self.design.words;
        let keep = words.not(place.mask)?;
        let kept = words.bitwise(Core::And, before, keep)?;
        // Bits of the value outside the mask are 0 already.
        let replaced = words.bitwise(Core::Or, kept, place.shifted)?;
        Ok(words.ite(place.inside, replaced, before)?)
    }

    /// Returns the position of `width` bits from a computed offset in a word of `whole` bits, with `value` shifted to it.
    fn computed(&mut self, offset: TermId, width: u32, value: TermId, whole: u32) -> Run<Computed> {
        let margin = width - 1;
        let by = self.offset(offset, true, false, i64::from(margin))?;
        let words = &mut self.design.words;
        let all = whole + 2 * margin;
        let inside = within(words, by, u64::from(whole + margin))?;
        let by = words.slice(by, 0, 32)?;
        let no_fill = words.pool.bool(false);
        let ones = words.ones(width);
        let ones = words.resize(ones, all, false)?;
        let mask = words.shift(ones, by, true, no_fill)?;
        let mask = words.slice(mask, margin, whole)?;
        let wide = words.resize(value, all, false)?;
        let shifted = words.shift(wide, by, true, no_fill)?;
        let shifted = words.slice(shifted, margin, whole)?;
        Ok(Computed {
            mask,
            shifted,
            inside,
        })
    }
}

/// Bits of a word from a computed offset.
struct Computed {
    /// The mask of the bits in the word.
    mask: TermId,
    /// The assigned value, shifted to these bits.
    shifted: TermId,
    /// Whether any of them is in the word.
    inside: TermId,
}

/// Returns the start and number of the bits inside a word; bits outside are dropped.
fn inside_of(low: i64, width: u32, whole: u32) -> Option<(u32, u32)> {
    let end = low.saturating_add(i64::from(width)).min(i64::from(whole));
    let from = low.max(0);
    (from < end).then_some((from as u32, (end - from) as u32))
}
