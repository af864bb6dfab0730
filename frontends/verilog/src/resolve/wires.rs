//! Wires: the values of words from their drivers, whole or bit by bit.

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Init, StateVar};
use hyperkill_core::term::TermId;
use hyperkill_frontend::{Diagnostic, roles};

use super::resolver::{Fail, Found, Key, Piece, Presence, Resolver, Source};
use super::result::Register;
use crate::ast::Direction;
use crate::design::{Drive, Driver, Stop, WordId};

impl Resolver<'_> {
    /// Returns bits of the visible value of a word.
    pub(super) fn word(&mut self, word: WordId, low: u32, width: u32) -> Found<TermId> {
        let (id, ..) = self.design.elements[word.0];
        let var = self.design.var(id);
        if let Some(value) = var.supply {
            let all = match value {
                true => self.out.words.ones(width),
                false => self.out.words.number(0, width),
            };
            return Ok(all);
        }
        if var.port == Some(Direction::Input) {
            if self.setting.pins.timing.is_clock(id) {
                let message = format!("the clock `{}` is read as a value", var.name);
                return Err(Stop::at(var.place, message).into());
            }
            if let Some(driver) = self.design.drivers.get(&word).and_then(|all| all.first()) {
                let message = format!("`{}` is an input, but it is driven here", var.name);
                return Err(Stop::at(driver.place, message).into());
            }
            let value = self.input(id);
            return Ok(self.out.words.slice(value, low, width)?);
        }
        let pieces = self.pieces(word);
        let end = low + width;
        let mut parts = Vec::new();
        let first = pieces.partition_point(|piece| piece.low + piece.width <= low);
        for (i, piece) in pieces.iter().enumerate().skip(first) {
            if piece.low >= end {
                break;
            }
            let (from, to) = (piece.low.max(low), (piece.low + piece.width).min(end));
            if from >= to {
                continue;
            }
            parts.push(self.piece(word, i, piece, from - piece.low, to - from)?);
        }
        let whole = self.out.words.join(&parts);
        Ok(whole.ok_or_else(|| Stop::at(var.place, "these bits are outside the vector"))??)
    }

    pub(super) fn piece(
        &mut self,
        word: WordId,
        index: usize,
        piece: &Piece,
        low: u32,
        width: u32,
    ) -> Found<TermId> {
        match &piece.source {
            Source::Nothing => {
                let whole = self.nothing(word, piece)?;
                Ok(self.out.words.slice(whole, low, width)?)
            }
            Source::Conflict(first, second) => {
                let message = format!("`{}` is driven twice", self.design.word_name(word));
                let diagnostic =
                    Diagnostic::error(*second, message).with_label(*first, "here, too");
                Err(Stop::Model(Box::new(diagnostic)).into())
            }
            Source::Driven(driver) => {
                let driver = &self.design.drivers[&word][*driver];
                if matches!(driver.drive, Drive::Register { .. }) {
                    let whole = self.whole_piece(word, index, driver)?;
                    return Ok(self.out.words.slice(whole, low, width)?);
                }
                if !self.is_apart((word, index))
                    && let Some(whole) = self.whole_wire(word, index, driver)?
                {
                    return Ok(self.out.words.slice(whole, low, width)?);
                }
                let bits = (low..low + width)
                    .map(|bit| self.piece_bit(word, index, driver, bit))
                    .collect::<Found<Vec<TermId>>>()?;
                let whole = self.out.words.join(&bits);
                Ok(whole
                    .ok_or_else(|| Stop::at(driver.place, "these bits are outside the vector"))??)
            }
        }
    }

    /// Returns the value of a wire; `None` if it is being found or depends on itself, so that its bits must be found one by one.
    fn whole_wire(&mut self, word: WordId, index: usize, driver: &Driver) -> Found<Option<TermId>> {
        let step = (word, index, u32::MAX);
        if self.busy.contains(&step) {
            if self.is_outside_of_mutant(step) {
                return Err(self.itself(word, driver));
            }
            self.entered.insert((word, index));
            return Ok(None);
        }
        match self.whole_piece(word, index, driver) {
            // The values that were found meanwhile stay known.
            Err(Fail::Apart(pieces)) if pieces.first() == Some(&(word, index)) => {
                self.take_apart(pieces);
                Ok(None)
            }
            whole => whole.map(Some),
        }
    }

    /// Whether the bits of a wire are found one by one.
    fn is_apart(&self, wire: (WordId, usize)) -> bool {
        let alone = matches!(self.present, Presence::Only(_));
        let is_known = self.apart.contains(&wire) || alone && self.split.contains(&wire);
        is_known || self.joins_a_clock(wire.0)
    }

    /// Whether a word joins a clock with other bits, which may be read as values.
    fn joins_a_clock(&self, word: WordId) -> bool {
        let (id, ..) = self.design.elements[word.0];
        let ways = &self.setting.pins.ways;
        self.design.var(id).width > 1 && ways.range((id, 0)..=(id, u32::MAX)).next().is_some()
    }

    /// Finds the bits of these wires one by one from now on.
    pub(super) fn take_apart(&mut self, wires: Vec<(WordId, usize)>) {
        if matches!(self.present, Presence::Only(_)) {
            self.split.extend(wires);
        } else {
            self.added += wires.len();
            self.apart.extend(wires);
        }
    }

    /// Whether the search for a value had begun before the search went into what a mutant says. Then a cycle through it is the mutant's.
    fn is_outside_of_mutant(&self, step: (WordId, usize, u32)) -> bool {
        let Some(inside) = self.mutated.last() else {
            return false;
        };
        let since = self.way.iter().rposition(|other| *other == step);
        since.is_some_and(|since| since < *inside)
    }

    /// Returns the value of all bits of a piece: of the bits of `word`, number `index` in the list of its pieces, that `driver` drives.
    pub(super) fn whole_piece(
        &mut self,
        word: WordId,
        index: usize,
        driver: &Driver,
    ) -> Found<TermId> {
        let key = Key::Piece(word, index);
        if let Some(known) = self.known(key)? {
            return Ok(known);
        }
        if !self.begin((word, index, u32::MAX)) {
            return Err(self.cycle(word, driver));
        }
        let value = self.found(key, |this| this.deeper(|this| this.driven(word, driver)));
        self.end((word, index, u32::MAX));
        value
    }

    /// Begins to find the bits of a piece. Returns `false` if they are being found already.
    pub(super) fn begin(&mut self, step: (WordId, usize, u32)) -> bool {
        let new = self.busy.insert(step);
        if new {
            self.way.push(step);
        }
        new
    }

    pub(super) fn end(&mut self, step: (WordId, usize, u32)) {
        self.busy.remove(&step);
        self.way.pop();
    }

    /// A register or bit depends on itself: a cycle, unless a wire on the path was resolved as a word and needs only some of its bits.
    pub(super) fn cycle(&self, word: WordId, driver: &Driver) -> Fail {
        let begun = self.way.iter().filter(|step| step.2 == u32::MAX);
        let begun = begun.map(|step| (step.0, step.1));
        let begun: Vec<_> = begun.filter(|wire| self.entered.contains(wire)).collect();
        if !begun.is_empty() {
            return Fail::Apart(begun);
        }
        self.itself(word, driver)
    }

    fn itself(&self, word: WordId, driver: &Driver) -> Fail {
        let message = format!(
            "`{}` depends on itself{}: a combinational cycle",
            self.design.word_name(word),
            self.path_from(word)
        );
        Stop::at(driver.place, message).into()
    }

    /// Returns the next words on the path of the search after `word`, as a part of a message. Empty if the path has no other words.
    fn path_from(&self, word: WordId) -> String {
        /// The most names in a message.
        const MOST: usize = 8;
        let since = self.way.iter().rposition(|step| step.0 == word);
        let after = &self.way[since.map_or(self.way.len(), |since| since + 1)..];
        let mut names: Vec<String> = Vec::new();
        for step in after {
            let name = format!("`{}`", self.design.word_name(step.0));
            if names.last() == Some(&name) {
                continue;
            }
            if names.len() == MOST {
                names.push("more".to_owned());
                break;
            }
            names.push(name);
        }
        match names.is_empty() {
            true => String::new(),
            false => format!(" through {}", names.join(", ")),
        }
    }

    pub(super) fn piece_bit(
        &mut self,
        word: WordId,
        index: usize,
        driver: &Driver,
        bit: u32,
    ) -> Found<TermId> {
        let key = Key::Bit(word, driver.low + bit);
        if let Some(known) = self.known(key)? {
            return Ok(known);
        }
        if !self.begin((word, index, bit)) {
            if self.is_outside_of_mutant((word, index, bit)) {
                return Err(self.itself(word, driver));
            }
            // The bit may depend on another bit of a wire on the path.
            let since = self
                .way
                .iter()
                .rposition(|step| *step == (word, index, bit));
            let wires = self.way[since.unwrap_or(0)..].iter().filter(|step| {
                let driver = self
                    .pieces
                    .get(&step.0)
                    .map(|pieces| &pieces[step.1].source);
                step.2 == u32::MAX
                    && matches!(driver, Some(Source::Driven(driver))
                        if matches!(self.design.drivers[&step.0][*driver].drive, Drive::Wire))
            });
            let wires: Vec<(WordId, usize)> = wires.map(|step| (step.0, step.1)).collect();
            return Err(match wires.is_empty() {
                true => self.cycle(word, driver),
                false => Fail::Apart(wires),
            });
        }
        let value = self.found(key, |this| {
            this.deeper(|this| this.part(driver.value, bit, 1))
        });
        self.end((word, index, bit));
        value
    }

    pub(super) fn driven(&mut self, word: WordId, driver: &Driver) -> Found<TermId> {
        let Drive::Register { overrides, .. } = &driver.drive else {
            return self.term(driver.value);
        };
        let state = self.register(word, driver.low, driver.width);
        let state = self.state_term(state);
        let mut value = state;
        for (condition, given) in overrides.iter().rev() {
            let condition = self.term(*condition)?;
            value = match self.out.words.pool.as_bool(condition) {
                Some(false) => value,
                _ => {
                    let given = match given {
                        Some(given) => self.term(*given)?,
                        None => state,
                    };
                    self.out.words.ite(condition, given, value)?
                }
            };
        }
        Ok(value)
    }

    pub(super) fn register(&mut self, word: WordId, low: u32, width: u32) -> usize {
        if let Some(state) = self.registers.get(&(word, low)) {
            return *state;
        }
        let var = self.design.var(self.design.elements[word.0].0);
        let mut name = self.design.word_name(word);
        if width < var.width {
            let bound = |bit: u32| match var.left >= var.right {
                true => var.right + i64::from(bit),
                false => var.right - i64::from(bit),
            };
            name = match width {
                1 => format!("{name}[{}]", bound(low)),
                _ => format!("{name}[{}:{}]", bound(low + width - 1), bound(low)),
            };
        }
        let sort = Sort::Word {
            width,
            signed: var.signed && width == var.width,
        };
        let name = self.unique(name);
        let state = self.out.states.len();
        let next = self.out.words.pool.state(state, sort.clone());
        self.out.states.push(StateVar {
            name,
            sort,
            init: Init::Free,
            next,
        });
        self.out.registers.push(Register { word, low, width });
        self.registers.insert((word, low), state);
        state
    }

    /// Returns the value of undriven bits. A variable keeps its initial value, which may be any; a net is a choice.
    pub(super) fn nothing(&mut self, word: WordId, piece: &Piece) -> Found<TermId> {
        if let Some(term) = self.undriven.get(&(word, piece.low)) {
            return Ok(*term);
        }
        let (id, ..) = self.design.elements[word.0];
        let var = self.design.var(id);
        let name = self.design.word_name(word);
        let starts = self.design.initial.contains_key(&word);
        if !starts && var.choice.is_none() {
            self.out.undriven.insert(word);
            self.out.notes.push(match var.keeps() {
                true => roles::is("constant", &name, "nothing assigns it"),
                false => roles::is("a choice", &name, "nothing drives it"),
            });
        }
        let keeps = starts || var.choice == Some("anyconst") || var.keeps();
        let term = if keeps {
            let state = self.register(word, piece.low, piece.width);
            self.state_term(state)
        } else {
            self.choice(name, piece.width)
        };
        self.undriven.insert((word, piece.low), term);
        Ok(term)
    }
}
