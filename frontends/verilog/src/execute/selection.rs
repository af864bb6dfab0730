//! Names, elements of arrays and bits of words (IEEE 1364-2005 §5.2.1). A read outside of bounds is unknown.

use std::sync::Arc;

use hyperkill_core::sort::MAX_WORD;
use hyperkill_core::term::{BinaryOp as Core, TermId};
use hyperkill_frontend::Span;

use super::expression::Shape;
use crate::ast::{ExprId, ExprKind, Name, NamePart};
use crate::design::{Entity, Run, Stop, VarId, WordId};
use crate::layout::Layout;
use crate::number::Literal;
use crate::state::{Elaborator, Mode};

/// A selection of bits, as written.
#[derive(Clone, Debug)]
pub(super) enum Select {
    /// A part of a `struct`.
    Field(Name),
    /// A single bit.
    Bit(ExprId),
    /// From one bound to another.
    Part(ExprId, ExprId),
    /// From a start that may change: start, width, whether upward.
    Indexed(ExprId, ExprId, bool),
}

/// An element of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element {
    /// The element with this number.
    Known(u32),
    /// No element: the index is out of bounds.
    Outside,
    /// The element with the number in the first term, if the second term holds.
    Computed(TermId, TermId),
}

/// The lowest bit of a selection, counted from the lowest bit of the word, and the number of bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bits {
    /// All.
    Whole,
    /// A known place, perhaps outside.
    Known(i64, u32),
    /// A computed place in two's complement.
    Computed(TermId, u32),
}

/// The base of a chain of selections.
pub(super) enum Root {
    Word(VarId, Element),
    Constant(Literal),
    Value(ExprId),
}

impl Elaborator<'_> {
    /// Returns the meaning of a name in the current scope or a surrounding one; `None` if it is not declared there.
    pub(crate) fn lookup(&self, name: &Name) -> Option<Entity> {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let scope = &self.design.scopes[scope.0];
            if let Some(found) = scope.names.get(name) {
                return Some(found.clone());
            }
            at = scope.parent;
        }
        None
    }

    /// Returns the meaning of a path, and the selections by the rest of the path.
    pub(super) fn resolve(
        &mut self,
        path: &[NamePart],
        expr: ExprId,
    ) -> Run<(Entity, Vec<Select>)> {
        let mut at = self.scope;
        let mut found: Option<Entity> = None;
        for (i, step) in path.iter().enumerate() {
            let entity = match i {
                0 => self.find(&step.name, self.span(expr))?,
                _ => self.design.scopes[at.0].names.get(&step.name).cloned(),
            };
            let Some(entity) = entity else {
                return Err(Stop::at(
                    self.span(expr),
                    format!("`{}` is not declared", step.name),
                ));
            };
            let entity = match (entity, step.indices.as_slice()) {
                (Entity::Scopes(all), [index]) => {
                    let index = self.integer(*index)?;
                    match all.get(&index) {
                        Some(scope) => Entity::Scope(*scope),
                        None => {
                            let message = format!("there is no `{}[{index}]`", step.name);
                            return Err(Stop::at(self.span(expr), message));
                        }
                    }
                }
                (Entity::Var(var), _) => {
                    let bits = |step: &NamePart| {
                        let indices = step.indices.iter().copied();
                        indices.map(Select::Bit).collect::<Vec<Select>>()
                    };
                    let mut selects = bits(step);
                    for step in &path[i + 1..] {
                        selects.push(Select::Field(step.name.clone()));
                        selects.extend(bits(step));
                    }
                    return Ok((Entity::Var(var), selects));
                }
                (entity, []) => entity,
                _ => {
                    return Err(Stop::at(
                        self.span(expr),
                        format!("`{}` is no array of blocks", step.name),
                    ));
                }
            };
            if let Entity::Scope(scope) = entity {
                at = scope;
            } else if i + 1 < path.len() {
                return Err(Stop::at(
                    self.span(expr),
                    format!("`{}` has no parts", step.name),
                ));
            }
            found = Some(entity);
        }
        found
            .map(|entity| (entity, Vec::new()))
            .ok_or_else(|| Stop::at(self.span(expr), "an empty name"))
    }

    /// Splits `a[i][j].part[high:low]` into its base and the selections of bits.
    pub(super) fn root(&mut self, expr: ExprId) -> Run<(Root, Vec<Select>)> {
        let source = self.source;
        let mut selects = Vec::new();
        let mut at = expr;
        loop {
            let (base, select) = match &source.expr(at).kind {
                ExprKind::Index(base, index) => (*base, Select::Bit(*index)),
                ExprKind::Part(base, left, right) => (*base, Select::Part(*left, *right)),
                ExprKind::Indexed {
                    base,
                    start,
                    width,
                    up,
                } => (*base, Select::Indexed(*start, *width, *up)),
                _ => break,
            };
            selects.push(select);
            at = base;
        }
        selects.reverse();
        let ExprKind::Name(path) = &source.expr(at).kind else {
            return Ok((Root::Value(at), selects));
        };
        match self.resolve(path, at)? {
            (Entity::Var(var), mut all) => {
                all.append(&mut selects);
                let dimensions = self.design.var(var).dimensions.len();
                if all.len() < dimensions {
                    return Err(Stop::at(
                        self.span(expr),
                        "an array as a whole cannot be used as a value",
                    ));
                }
                let rest = all.split_off(dimensions);
                let mut indices = Vec::new();
                for select in &all {
                    let Select::Bit(index) = select else {
                        return Err(Stop::at(
                            self.span(expr),
                            "a part of an array is not supported",
                        ));
                    };
                    indices.push(*index);
                }
                Ok((Root::Word(var, self.element(var, &indices)?), rest))
            }
            (Entity::Constant(literal), _) => Ok((Root::Constant(literal), selects)),
            (Entity::Real, _) => Err(Stop::at(
                self.span(at),
                "a parameter that is a real number reaches logic here: not supported",
            )),
            _ => Err(Stop::at(
                self.span(at),
                "this name is not a variable, net or constant",
            )),
        }
    }

    /// Returns the layout of the word at the base of a chain of selections.
    pub(super) fn layout_of(&mut self, root: &Root) -> Run<Arc<Layout>> {
        let vector = |width: u32, signed| Layout::vector(i64::from(width) - 1, 0, signed);
        Ok(match root {
            Root::Word(var, _) => self.layout_of_var(*var),
            Root::Constant(literal) => Arc::new(vector(literal.width(), literal.signed)),
            Root::Value(value) => {
                let shape = self.shape(*value)?;
                Arc::new(vector(shape.width, shape.signed))
            }
        })
    }

    /// Returns the layout of a word of a variable.
    pub(super) fn layout_of_var(&self, var: VarId) -> Arc<Layout> {
        let var = self.design.var(var);
        match &var.layout {
            Some(layout) => layout.clone(),
            None => Arc::new(Layout::vector(var.left, var.right, var.signed)),
        }
    }

    /// Returns the lowest bit and the layout of the part that one selection chooses. For an element the bit is 0, since the index
    /// determines it.
    ///
    /// # Errors
    /// If there is no such part, or nothing to select from.
    fn chosen(&self, at: &Layout, select: &Select, place: Span) -> Run<(u32, Layout)> {
        match select {
            Select::Field(name) => match at.part(name) {
                Some(part) => Ok((part.low, part.layout.clone())),
                None => Err(Stop::at(place, format!("there is no part `{name}` here"))),
            },
            _ => match at.element() {
                Some(element) => Ok((0, element)),
                None => Err(Stop::at(
                    place,
                    "a bit or part select of a selected bit or part is not supported",
                )),
            },
        }
    }

    /// Returns the position of the selected bits in a word with this layout; `selects` are applied from left to right.
    ///
    /// # Errors
    /// If a selection does not fit the layout, or a part select of a selected bit or part is outside the bounds. For the target of an
    /// assignment, also if a part of a part has a computed place.
    pub(super) fn located(
        &mut self,
        layout: &Layout,
        selects: &[Select],
        expr: ExprId,
        for_target: bool,
    ) -> Run<Bits> {
        match selects {
            [] => return Ok(Bits::Whole),
            [select] if layout.parts.is_none() => {
                if let [(left, right)] = layout.bounds[..] {
                    return self.place(select, left, right);
                }
            }
            _ => {}
        }
        let place = self.span(expr);
        let whole = layout.width();
        let (mut base, mut outside) = (0u64, false);
        let mut computed: Option<(TermId, TermId)> = None;
        let mut at = layout.clone();
        let mut width = None;
        for (i, select) in selects.iter().enumerate() {
            let (low, inner) = self.chosen(&at, select, place)?;
            base += u64::from(low);
            if let (Some((left, right)), false) = (at.outer(), matches!(select, Select::Field(_))) {
                let (stride, count) = (inner.width(), left.abs_diff(right) + 1);
                match self.place(select, left, right)? {
                    Bits::Known(low, bits) => {
                        let end = low.saturating_add(i64::from(bits));
                        let inside = low >= 0 && end <= count as i64;
                        if !inside && !matches!(select, Select::Bit(_)) {
                            return Err(Stop::at(place, "this part select is outside the bounds"));
                        }
                        outside |= !inside;
                        base += if inside { low as u64 * stride } else { 0 };
                        if !matches!(select, Select::Bit(_)) {
                            width = Some(u64::from(bits) * stride);
                        }
                    }
                    Bits::Computed(offset, 1) => {
                        let words = &mut self.design.words;
                        let inside = within(words, offset, count)?;
                        let factor = words.number(stride, words.width(offset));
                        let scaled = words.arithmetic(Core::Mul, offset, factor, false)?;
                        computed = Some(both(words, computed, (scaled, inside))?);
                    }
                    Bits::Computed(offset, bits) => {
                        let chosen = u64::from(bits) * stride;
                        let chosen = u32::try_from(chosen).ok().filter(|bits| *bits <= MAX_WORD);
                        let chosen = chosen
                            .ok_or_else(|| Stop::at(place, "this part select has too many bits"))?;
                        let words = &mut self.design.words;
                        let wide = words.width(offset) + u32::BITS;
                        let low = words.resize(offset, wide, true)?;
                        let factor = words.number(stride, wide);
                        let low = words.arithmetic(Core::Mul, low, factor, false)?;
                        if selects.len() == 1 {
                            // Bits outside are treated as those of a plain vector.
                            return Ok(self.known_or_computed(low, chosen));
                        }
                        if for_target {
                            let message = "an assigned part of a part must have a constant place";
                            return Err(Stop::at(place, message));
                        }
                        // Next to a part stand its neighbours: a selection that is not all inside is unknown.
                        let inside = match (count + 1).checked_sub(u64::from(bits)) {
                            Some(places) => within(words, offset, places)?,
                            None => words.pool.bool(false),
                        };
                        width = Some(u64::from(chosen));
                        computed = Some(both(words, computed, (low, inside))?);
                    }
                    Bits::Whole => {}
                }
                if width.is_some() && i + 1 < selects.len() {
                    return Err(Stop::at(
                        place,
                        "a bit or part select of a selected bit or part is not supported",
                    ));
                }
            }
            at = inner;
        }
        let width = width.unwrap_or_else(|| at.width()) as u32;
        if outside {
            return Ok(Bits::Known(whole as i64, width));
        }
        let Some((sum, inside)) = computed else {
            return Ok(Bits::Known(base as i64, width));
        };
        let words = &mut self.design.words;
        let base = words.number(base, words.width(sum));
        let sum = words.arithmetic(Core::Add, sum, base, false)?;
        // An index out of bounds gives an offset beyond the word, where no bits are.
        let beyond = words.number(whole, words.width(sum));
        let offset = words.ite(inside, sum, beyond)?;
        Ok(self.known_or_computed(offset, width))
    }

    fn element(&mut self, var: VarId, indices: &[ExprId]) -> Run<Element> {
        let dimensions = self.design.var(var).dimensions.clone();
        let mut known = Some(0u64);
        let mut outside = false;
        let mut computed: Option<(TermId, TermId)> = None;
        for ((a, b), index) in dimensions.iter().zip(indices) {
            let (low, count) = (*a.min(b), a.abs_diff(*b) + 1);
            let (term, shape) = self.value(*index)?;
            let offset = self.offset(term, shape.signed, false, -low)?;
            let words = &mut self.design.words;
            let inside = within(words, offset, count)?;
            let constant = words
                .value(offset, false)
                .filter(|_| words.constant(offset).is_some());
            outside |= words.pool.as_bool(inside) == Some(false);
            known = match (known, constant) {
                (Some(known), Some(value)) => {
                    Some(known.wrapping_mul(count).wrapping_add(value as u64))
                }
                _ => None,
            };
            let here = words.resize(offset, 32, false)?;
            computed = Some(match computed {
                None => (here, inside),
                Some((before, all)) => {
                    let factor = words.number(count, 32);
                    let scaled = words.arithmetic(Core::Mul, before, factor, false)?;
                    let sum = words.arithmetic(Core::Add, scaled, here, false)?;
                    (sum, words.pool.binary(Core::And, all, inside)?)
                }
            });
        }
        Ok(match (outside, known, computed) {
            (true, ..) => Element::Outside,
            (_, Some(known), _) => Element::Known(known as u32),
            (_, None, Some((index, inside))) => Element::Computed(index, inside),
            (_, None, None) => Element::Known(0),
        })
    }

    /// Returns `index + by`, or `by - index`, in two's complement wide enough.
    pub(super) fn offset(
        &mut self,
        index: TermId,
        signed: bool,
        negated: bool,
        by: i64,
    ) -> Run<TermId> {
        let words = &mut self.design.words;
        let width = words.width(index).max(64) + 2;
        let wide = words.resize(index, width, signed)?;
        let bits: Vec<bool> = (0..width).map(|i| by >> i.min(63) & 1 == 1).collect();
        let by = words.bits(&bits);
        Ok(match negated {
            true => words.arithmetic(Core::Sub, by, wide, false)?,
            false => words.arithmetic(Core::Add, wide, by, false)?,
        })
    }

    /// Returns the position of a selection in a vector with these bounds. It may lie outside the vector.
    ///
    /// # Errors
    /// If a bound is not constant, or a part select has no bits or the opposite direction.
    pub(super) fn place(&mut self, select: &Select, left: i64, right: i64) -> Run<Bits> {
        let down = left >= right;
        match *select {
            Select::Field(_) => Ok(Bits::Whole),
            Select::Bit(index) => {
                let (term, shape) = self.value(index)?;
                let (negated, by) = if down { (false, -right) } else { (true, right) };
                let offset = self.offset(term, shape.signed, negated, by)?;
                Ok(self.known_or_computed(offset, 1))
            }
            Select::Part(first, last) => {
                let place = self.span(first).to(self.span(last));
                let (first, last) = (self.integer(first)?, self.integer(last)?);
                let width = self.part_width(first, last, place)?;
                if width > 1 && (first > last) != down {
                    return Err(Stop::at(
                        place,
                        "the bounds of this part select have the opposite direction to those of the vector",
                    ));
                }
                let low = if down {
                    last.checked_sub(right)
                } else {
                    right.checked_sub(last)
                };
                let low = low.ok_or_else(|| Stop::at(place, "a bound is too large"))?;
                Ok(Bits::Known(low, width))
            }
            Select::Indexed(start, width, up) => {
                let place = self.span(width);
                let count = self.integer(width)?;
                let width = self.part_width(count, 1, place)?;
                if count < 1 {
                    return Err(Stop::at(place, "this part select has no bits"));
                }
                let (term, shape) = self.value(start)?;
                let last = i64::from(width) - 1;
                let (negated, by) = match (down, up) {
                    (true, true) => (false, -right),
                    (true, false) => (false, -right - last),
                    (false, true) => (true, right - last),
                    (false, false) => (true, right),
                };
                let offset = self.offset(term, shape.signed, negated, by)?;
                Ok(self.known_or_computed(offset, width))
            }
        }
    }

    fn known_or_computed(&self, offset: TermId, width: u32) -> Bits {
        match self.design.words.value(offset, true) {
            Some(low) => Bits::Known(low, width),
            None => Bits::Computed(offset, width),
        }
    }

    pub(super) fn part_width(
        &self,
        first: i64,
        last: i64,
        place: hyperkill_frontend::Span,
    ) -> Run<u32> {
        let width = first.abs_diff(last).saturating_add(1);
        match u32::try_from(width) {
            Ok(width) if width <= hyperkill_core::sort::MAX_WORD => Ok(width),
            _ => Err(Stop::at(
                place,
                format!("this part select has {width} bits, which is too many"),
            )),
        }
    }

    /// Returns the width and sign of a name or selection.
    pub(super) fn selection_shape(&mut self, expr: ExprId) -> Run<Shape> {
        let layout = self.value_layout(expr)?;
        Ok(Shape {
            width: layout.width() as u32,
            signed: layout.signed,
        })
    }

    /// Returns the layout of a value: a selection from a word with parts may have parts itself.
    pub(super) fn value_layout(&mut self, expr: ExprId) -> Run<Layout> {
        let vector = |width: u32| Layout::vector(i64::from(width) - 1, 0, false);
        if !matches!(
            self.source.expr(expr).kind,
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Part(..) | ExprKind::Indexed { .. }
        ) {
            let shape = self.shape(expr)?;
            return Ok(Layout {
                signed: shape.signed,
                ..vector(shape.width)
            });
        }
        let (root, selects) = self.root(expr)?;
        let place = self.span(expr);
        let mut at = (*self.layout_of(&root)?).clone();
        for select in &selects {
            let (_, inner) = self.chosen(&at, select, place)?;
            let count = match *select {
                Select::Field(_) | Select::Bit(_) => None,
                Select::Part(first, last) => {
                    let (first, last) = (self.integer(first)?, self.integer(last)?);
                    Some(self.part_width(first, last, place)?)
                }
                Select::Indexed(_, width, _) => {
                    let place = self.span(width);
                    let count = self.integer(width)?;
                    if count < 1 {
                        return Err(Stop::at(place, "this part select has no bits"));
                    }
                    Some(self.part_width(count, 1, place)?)
                }
            };
            if let Some(count) = count {
                let width = inner.width().saturating_mul(u64::from(count));
                let width = u32::try_from(width).ok().filter(|width| *width <= MAX_WORD);
                let width =
                    width.ok_or_else(|| Stop::at(place, "this part select has too many bits"))?;
                return Ok(vector(width));
            }
            at = inner;
        }
        Ok(at)
    }

    /// Returns the value of a name or selection, at its own width. Only a constant like `'1` has the width and the sign of the context.
    pub(super) fn selected(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<TermId> {
        // A read outside of bounds in the original is unknown in its mutants, too.
        let own = self.mute && self.plan.first_own.is_some_and(|first| expr.0 >= first);
        let before = std::mem::replace(&mut self.strict, own);
        let value = self.read_selected(expr, width, signed);
        self.strict = before;
        value
    }

    fn read_selected(&mut self, expr: ExprId, width: u32, signed: bool) -> Run<TermId> {
        let (root, selects) = self.root(expr)?;
        let layout = self.layout_of(&root)?;
        let value = match root {
            Root::Word(var, element) => {
                if self.constants.value(var).is_some() {
                    let bits = self.located(&layout, &selects, expr, false)?;
                    let value = self.read_parameter(var, element, bits)?;
                    return self.read_bits(value, bits);
                }
                self.note_read(var, self.span(expr));
                self.read_element(var, element, false)?
            }
            Root::Constant(literal) => {
                let wide = match selects.is_empty() {
                    true if literal.fill => width,
                    _ => literal.width(),
                };
                let signed = signed && literal.signed;
                self.literal(&literal, wide, signed, expr)?
            }
            Root::Value(inner) => self.value(inner)?.0,
        };
        let bits = self.located(&layout, &selects, expr, false)?;
        self.read_bits(value, bits)
    }

    pub(super) fn word_of(&self, var: VarId, element: u32) -> WordId {
        WordId(self.design.var(var).first + element as usize)
    }

    /// Returns the value of the word `element` of a parameter. The parameter becomes a table if a computed index chooses the word or its
    /// bits.
    fn read_parameter(&mut self, var: VarId, element: Element, bits: Bits) -> Run<TermId> {
        let computed =
            matches!(element, Element::Computed(..)) || matches!(bits, Bits::Computed(..));
        let table = computed && self.mode != Mode::Constant;
        if table {
            self.constants.choose(var);
        }
        self.read_element(var, element, table)
    }

    /// Returns the value of a word; `table` if it belongs to a table of constants from which an index chooses.
    fn read_element(&mut self, var: VarId, element: Element, table: bool) -> Run<TermId> {
        let (count, width) = (self.design.var(var).count, self.design.var(var).width);
        let read = |this: &mut Self, element: u32| {
            let word = this.word_of(var, element);
            match table {
                true => this.read_net(word),
                false => this.read(word),
            }
        };
        match element {
            Element::Known(element) => read(self, element),
            Element::Outside if self.strict => Err(outside()),
            Element::Outside => Ok(self.unknown(width)),
            Element::Computed(index, inside) => {
                if let Some((original, mutants)) = self.places_of_mutants(index, inside)? {
                    return self.read_by_mutants(original, &mutants, |this, place| {
                        let known = place.map_or(Element::Outside, |at| Element::Known(at as u32));
                        this.read_element(var, known, table)
                    });
                }
                let mut level = Vec::new();
                for element in 0..count {
                    level.push(read(self, element)?);
                }
                let mut bit = 0;
                while level.len() > 1 {
                    let words = &mut self.design.words;
                    let choose = words.slice(index, bit, 1)?;
                    let choose = words.truth(choose)?;
                    let mut next = Vec::with_capacity(level.len().div_ceil(2));
                    for pair in level.chunks(2) {
                        next.push(match pair {
                            [low, high] => words.ite(choose, *high, *low)?,
                            _ => pair[0],
                        });
                    }
                    level = next;
                    bit += 1;
                }
                let value = level[0];
                match self.design.words.pool.as_bool(inside) {
                    Some(true) => Ok(value),
                    _ => {
                        let unknown = self.unknown(width);
                        Ok(self.design.words.ite(inside, value, unknown)?)
                    }
                }
            }
        }
    }

    fn read_bits(&mut self, value: TermId, bits: Bits) -> Run<TermId> {
        let whole = self.design.words.width(value);
        match bits {
            Bits::Whole => Ok(value),
            Bits::Known(low, width) => {
                let end = low.saturating_add(i64::from(width));
                if low >= 0 && end <= i64::from(whole) {
                    return Ok(self.design.words.slice(value, low as u32, width)?);
                }
                if self.strict {
                    return Err(outside());
                }
                // Bits outside are unknown.
                let unknown = self.unknown(width);
                let (from, to) = (low.max(0), end.min(i64::from(whole)));
                if from >= to {
                    return Ok(unknown);
                }
                let inside = self
                    .design
                    .words
                    .slice(value, from as u32, (to - from) as u32)?;
                Ok(self
                    .design
                    .words
                    .replace(unknown, (from - low) as u32, inside)?)
            }
            Bits::Computed(offset, width) => {
                let always = self.design.words.pool.bool(true);
                if let Some((original, mutants)) = self.places_of_mutants(offset, always)? {
                    return self.read_by_mutants(original, &mutants, |this, place| {
                        this.read_bits(value, Bits::Known(place.unwrap_or(-1), width))
                    });
                }
                let words = &mut self.design.words;
                let most = words.maximum(offset);
                let no_fill = words.pool.bool(false);
                if most.saturating_add(u64::from(width)) <= u64::from(whole) {
                    let by = words.slice(offset, 0, 32)?;
                    let shifted = words.shift(value, by, false, no_fill)?;
                    return Ok(words.slice(shifted, 0, width)?);
                }
                // Bits above and below the word are unknown.
                let margin = width - 1;
                let mut padded = value;
                if margin > 0 {
                    let above = self.unknown(margin);
                    let below = self.unknown(margin);
                    padded = self.design.words.concat(above, padded)?;
                    padded = self.design.words.concat(padded, below)?;
                }
                let by = self.offset(offset, true, false, i64::from(margin))?;
                let words = &mut self.design.words;
                let inside = within(words, by, u64::from(whole + margin))?;
                let by = words.slice(by, 0, 32)?;
                let shifted = words.shift(padded, by, false, no_fill)?;
                let found = words.slice(shifted, 0, width)?;
                let unknown = self.unknown(width);
                Ok(self.design.words.ite(inside, found, unknown)?)
            }
        }
    }
}

/// An offset, and whether it is inside the bounds.
type Offset = (TermId, TermId);

/// Returns the sum of two offsets, inside if both are.
fn both(
    words: &mut crate::words::Words,
    first: Option<Offset>,
    second: Offset,
) -> Result<Offset, hyperkill_core::term::TermError> {
    let Some(first) = first else {
        return Ok(second);
    };
    let width = words.width(first.0).max(words.width(second.0));
    let [a, b] = [first.0, second.0].map(|offset| words.resize(offset, width, false));
    let sum = words.arithmetic(Core::Add, a?, b?, false)?;
    Ok((sum, words.pool.binary(Core::And, first.1, second.1)?))
}

/// Returns the error of a mutant whose selection is always out of bounds.
fn outside() -> Stop {
    let message = "it would select outside the bounds";
    Stop::Model(Box::new(hyperkill_frontend::Diagnostic::unlocated(message)))
}

/// Returns the condition that an offset lies in `0..count`, as a truth value.
pub(super) fn within(
    words: &mut crate::words::Words,
    offset: TermId,
    count: u64,
) -> crate::words::Made {
    if words.maximum(offset) < count {
        return Ok(words.pool.bool(true));
    }
    let width = words.width(offset);
    let count = words.number(count, width);
    words.less(offset, count, false)
}
