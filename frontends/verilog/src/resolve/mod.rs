//! Terms over leaves to terms over inputs and registers: finds the wires among words, and the order of their evaluation.
//!
//! Starts at the roots and follows dependencies, so only the cone of influence of the roots is visited. A wire that depends on itself is
//! split into bits. If a bit depends on itself, the model has a combinational cycle, or a latch if the cycle is inside one block. A mutant
//! that closes a cycle by itself is set aside; the model stays as it is.

mod functions;
mod latches;
mod parts;
mod races;
mod terms;
mod ticks;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{Init, InputRole, InputVar, StateVar};
use hyperkill_core::term::TermId;
use hyperkill_frontend::{Diagnostic, Span, roles};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::Direction;
use crate::clocks::{Edge, Pins};
use crate::design::{Design, Drive, Driver, Run, Stop, VarId, WordId};
use crate::words::{Words, word_sort};
pub use functions::STARTED;
use ticks::{Later, Ticks};
use worlds::{Key, World};

/// Deepest nesting of terms; the stack is large enough for it.
const MAX_DEPTH: usize = 250_000;
/// Settings of the resolver.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// Clocks, which no term may read, and their ticks.
    pub pins: &'a Pins,
    /// Inputs that are choices.
    pub choices: BTreeSet<VarId>,
    /// Mutations that are left out.
    pub rejected: BTreeMap<usize, String>,
    /// Whether choices that occur only in mutants are resolved for each mutant alone.
    pub one_by_one: bool,
    /// Whether mutants inside others are left out from the start.
    pub without_others: bool,
}

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// The word that it is a part of.
    pub word: WordId,
    /// Its lowest bit there.
    pub low: u32,
    /// Its bits.
    pub width: u32,
}

/// Inputs, registers and the values of the roots.
#[derive(Debug, Default)]
pub struct Resolved {
    /// All terms.
    pub words: Words,
    /// Inputs: those of the top module, then choices.
    pub inputs: Vec<InputVar>,
    /// State variables of clocks, with initial values; then registers, whose initial values are still free.
    pub states: Vec<StateVar>,
    /// Number of state variables of clocks.
    pub of_clocks: usize,
    /// The registers: the words and bits that they hold.
    pub registers: Vec<Register>,
    /// The values of the roots.
    pub roots: Vec<TermId>,
    /// The mutation of each selector.
    pub selectors: Vec<usize>,
    /// Mutations left out, with reasons.
    pub rejected: BTreeMap<usize, String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Words that the original assigns by `=` at an edge at which another process reads them.
    pub raced: BTreeSet<WordId>,
    /// Words with undriven bits that no option or attribute makes choices.
    pub undriven: BTreeSet<WordId>,
    /// Test inputs that are tables of unknown functions.
    pub functions: Vec<String>,
    /// Terms and pieces of words that were looked for, in all passes.
    pub work: usize,
}

impl Resolved {
    /// The states of registers, in the order of these.
    #[must_use]
    pub fn register_states(&self) -> &[StateVar] {
        &self.states[self.of_clocks..]
    }
}

/// A value to resolve.
#[derive(Clone, Copy, Debug)]
pub enum Root {
    /// A term.
    Term(TermId),
    /// The visible value of a word.
    Word(WordId),
    /// Whether a step ends with an edge.
    Ticks(Edge),
}

enum Fail {
    /// These wires depend on themselves: split them into bits, and go on from the first one, which is on the path.
    Apart(Vec<(WordId, usize)>),
    /// Some mutants must be resolved one by one.
    OneByOne,
    /// Too many mutants are nested in others.
    WithoutOthers,
    /// It has no meaning on this path of dependencies; on another one it may have one.
    Stop(Stop),
    /// It has no meaning, on any path of dependencies.
    Never(Rc<Diagnostic>),
}

impl Fail {
    fn never(place: Span, message: String) -> Fail {
        Fail::Never(Rc::new(Diagnostic::error(place, message)))
    }
}

impl From<hyperkill_core::term::TermError> for Fail {
    fn from(error: hyperkill_core::term::TermError) -> Fail {
        Fail::Stop(Stop::Term(error))
    }
}

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Fail {
        Fail::Stop(stop)
    }
}

type Found<T> = Result<T, Fail>;

/// A value, or the reason why it has none; both hold on every path of dependencies.
type Known = Result<TermId, Rc<Diagnostic>>;

/// The source of a range of bits of a word.
#[derive(Clone, Debug)]
enum Source {
    /// The index of a driver.
    Driven(usize),
    /// No driver.
    Nothing,
    /// Two drivers.
    Conflict(Span, Span),
}

#[derive(Clone, Debug)]
struct Piece {
    low: u32,
    width: u32,
    source: Source,
}

struct Resolver<'a> {
    design: &'a Design,
    setting: &'a Setting<'a>,
    /// Pieces that are found bit by bit, since they depend on themselves.
    apart: FxHashSet<(WordId, usize)>,
    /// Number of pieces that this pass has added to `apart`.
    added: usize,
    out: Resolved,
    memo: FxHashMap<TermId, Known>,
    parts: FxHashMap<(TermId, u32, u32), Known>,
    pieces: FxHashMap<WordId, Rc<Vec<Piece>>>,
    values: FxHashMap<(WordId, usize), TermId>,
    bit_values: FxHashMap<(WordId, u32), TermId>,
    /// Pieces that are being found, whole (`u32::MAX`) or one bit of them; `way` has them in order.
    busy: FxHashSet<(WordId, usize, u32)>,
    way: Vec<(WordId, usize, u32)>,
    /// Wires that some bits were asked for while the wires were being found.
    entered: FxHashSet<(WordId, usize)>,
    inputs: FxHashMap<VarId, TermId>,
    unknowns: FxHashMap<usize, TermId>,
    undriven: FxHashMap<(WordId, u32), TermId>,
    registers: FxHashMap<(WordId, u32), usize>,
    /// Values of the tables of unknown functions.
    tables: Vec<TermId>,
    ticks: Ticks,
    /// Registers on derived clocks.
    later: Vec<Later>,
    /// The registers that make these clocks.
    making: BTreeSet<WordId>,
    names: FxHashSet<String>,
    /// New number of each mutation that is left in.
    numbers: BTreeMap<usize, usize>,
    /// The mutation of each new number.
    mutations: Vec<usize>,
    /// The mutants whose mutated parts the resolver is in, the innermost last.
    worlds: Vec<World>,
    /// Values known inside one mutant alone, by mutation: they are reused whenever the resolver enters the mutant again.
    within: FxHashMap<usize, FxHashMap<Key, (TermId, Vec<usize>)>>,
    /// Number of values in `within`.
    within_size: usize,
    /// Indices in `worlds`: the value being found holds only inside these mutants.
    only_in: BTreeSet<usize>,
    /// Terms with one mutant present, or none.
    alone: FxHashMap<(Option<usize>, TermId), TermId>,
    /// The selectors that conditions depend on.
    selectors: FxHashMap<TermId, Rc<Vec<usize>>>,
    depth: usize,
    /// Number of visits to mutants that are deeply nested in others.
    deep: usize,
}

/// Returns the values of roots, and of all registers that they depend on. `mutations` is the number of mutations.
///
/// # Errors
/// If the roots depend, without any mutant, on a cycle, a latch or a net with several drivers.
pub fn resolve(
    design: &Design,
    setting: &Setting<'_>,
    roots: &[Root],
    mutations: usize,
) -> Run<Resolved> {
    let mut setting = setting.clone();
    let mut apart = FxHashSet::default();
    let mut raced: Option<BTreeSet<WordId>> = None;
    let mut work = 0;
    loop {
        let kept = (0..mutations).filter(|m| !setting.rejected.contains_key(m));
        let numbers: BTreeMap<usize, usize> =
            kept.enumerate().map(|(new, old)| (old, new)).collect();
        let mut resolver = Resolver {
            design,
            setting: &setting,
            apart: std::mem::take(&mut apart),
            added: 0,
            out: Resolved::default(),
            memo: FxHashMap::default(),
            parts: FxHashMap::default(),
            pieces: FxHashMap::default(),
            values: FxHashMap::default(),
            bit_values: FxHashMap::default(),
            busy: FxHashSet::default(),
            way: Vec::new(),
            entered: FxHashSet::default(),
            inputs: FxHashMap::default(),
            unknowns: FxHashMap::default(),
            undriven: FxHashMap::default(),
            registers: FxHashMap::default(),
            tables: Vec::new(),
            ticks: Ticks::default(),
            later: Vec::new(),
            making: BTreeSet::new(),
            names: FxHashSet::default(),
            mutations: numbers.keys().copied().collect(),
            numbers,
            worlds: Vec::new(),
            within: FxHashMap::default(),
            within_size: 0,
            only_in: BTreeSet::new(),
            alone: FxHashMap::default(),
            selectors: FxHashMap::default(),
            depth: 0,
            deep: 0,
        };
        let found = resolver.all(roots);
        work += resolver.out.work;
        apart = std::mem::take(&mut resolver.apart);
        let is_final = matches!(found, Ok(()) | Err(Fail::Stop(_) | Fail::Never(_)));
        if is_final && resolver.added > 0 {
            // Wires that were resolved as words may have searched for more than their bits need.
            continue;
        }
        match found {
            Ok(()) if resolver.out.rejected.is_empty() => {
                let making = resolver.making;
                let (mut out, numbers) = (resolver.out, resolver.numbers);
                if raced.is_none() {
                    let races = races::races(design, &out, &setting.rejected, &making);
                    raced = Some(races.original);
                    if !races.mutants.is_empty() {
                        setting.rejected.extend(races.mutants);
                        continue;
                    }
                }
                out.selectors = numbers.into_keys().collect();
                out.rejected = setting.rejected;
                out.raced = raced.unwrap_or_default();
                out.work = work;
                return Ok(out);
            }
            // Repeat the pass without the selectors of the mutants that were set aside.
            Ok(()) => {
                let rejected = std::mem::take(&mut resolver.out.rejected);
                drop(resolver);
                setting.rejected.extend(rejected);
            }
            Err(Fail::Apart(pieces)) => {
                drop(resolver);
                apart.extend(pieces);
            }
            Err(Fail::OneByOne) => {
                drop(resolver);
                setting.one_by_one = true;
            }
            Err(Fail::WithoutOthers) => {
                drop(resolver);
                setting.without_others = true;
            }
            Err(Fail::Stop(stop)) => return Err(stop),
            Err(Fail::Never(error)) => return Err(Stop::Model(Box::new((*error).clone()))),
        }
    }
}

impl Resolver<'_> {
    fn all(&mut self, roots: &[Root]) -> Found<()> {
        let timing = &self.setting.pins.timing;
        self.round()?;
        self.tables()?;
        for var in &self.design.ports {
            if self.design.var(*var).port != Some(Direction::Input) {
                continue;
            }
            match timing.is_clock(*var) {
                true if timing.is_chosen(*var) => self.chosen_tick(*var)?,
                true => {}
                false => {
                    self.input(*var);
                }
            }
        }
        self.levels()?;
        for root in roots {
            let value = match root {
                Root::Term(term) => self.term(*term)?,
                Root::Word(word) => {
                    let width = self.design.var(self.design.elements[word.0].0).width;
                    self.word(*word, 0, width)?
                }
                Root::Ticks(edge) => self.ticks(*edge)?,
            };
            self.out.roots.push(value);
        }
        // The list grows while values are found.
        let mut at = 0;
        while at < self.out.registers.len() {
            let next = self.next_value(self.out.registers[at])?;
            self.becomes(self.out.of_clocks + at, next)?;
            at += 1;
        }
        self.on_derived_clocks()?;
        self.settle_latches()
    }

    /// Gives a state its next value, an unsigned word.
    fn becomes(&mut self, state: usize, next: TermId) -> Found<()> {
        let signed = matches!(self.out.states[state].sort, Sort::Word { signed: true, .. });
        self.out.states[state].next = match signed {
            true => {
                let width = self.out.words.width(next);
                self.out.words.pool.slice(next, 0, width, true)?
            }
            false => next,
        };
        Ok(())
    }

    fn next_value(&mut self, register: Register) -> Found<TermId> {
        let pieces = self.pieces(register.word);
        let piece = pieces.iter().find(|piece| piece.low == register.low);
        match piece.map(|piece| &piece.source) {
            // Until the tick a latch has its visible value.
            Some(Source::Driven(_)) if self.is_latch(register) => {
                self.word(register.word, register.low, register.width)
            }
            Some(Source::Driven(driver)) => {
                let driver = &self.design.drivers[&register.word][*driver];
                let value = self.term(driver.value)?;
                self.at_edge(register, driver, value)
            }
            // The register never changes.
            _ => {
                let state = self.register(register.word, register.low, register.width);
                Ok(self.state_term(state))
            }
        }
    }

    /// Returns a register's value as an unsigned word.
    fn state_term(&mut self, state: usize) -> TermId {
        let sort = self.out.states[state].sort.clone();
        let width = sort.width() as u32;
        let term = self.out.words.pool.state(state, sort);
        self.unsigned(term, width)
    }

    fn unsigned(&mut self, term: TermId, width: u32) -> TermId {
        self.out
            .words
            .pool
            .slice(term, 0, width, false)
            .unwrap_or(term)
    }

    fn unique(&mut self, name: String) -> String {
        let mut unique = name.clone();
        let mut count = 1;
        while !self.names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}.{count}");
        }
        unique
    }

    fn input(&mut self, id: VarId) -> TermId {
        if let Some(term) = self.inputs.get(&id) {
            return *term;
        }
        let var = self.design.var(id);
        let sort = Sort::Word {
            width: var.width,
            signed: var.signed,
        };
        let role = match self.setting.choices.contains(&id) {
            true => InputRole::Choice,
            false => InputRole::Test,
        };
        let (name, width) = (var.name.clone(), var.width);
        let term = self.new_input(name, sort, role);
        let term = self.unsigned(term, width);
        self.inputs.insert(id, term);
        term
    }

    fn new_input(&mut self, name: String, sort: Sort, role: InputRole) -> TermId {
        let name = self.unique(name);
        let term = self
            .out
            .words
            .pool
            .input(self.out.inputs.len(), sort.clone());
        self.out.inputs.push(InputVar { name, sort, role });
        term
    }

    fn choice(&mut self, name: String, width: u32) -> TermId {
        self.new_input(name, word_sort(width), InputRole::Choice)
    }

    /// Returns the pieces of a word, from the lowest bit up.
    fn pieces(&mut self, word: WordId) -> Rc<Vec<Piece>> {
        if let Some(pieces) = self.pieces.get(&word) {
            return pieces.clone();
        }
        let width = self.design.var(self.design.elements[word.0].0).width;
        let none = Vec::new();
        let drivers: &Vec<Driver> = self.design.drivers.get(&word).unwrap_or(&none);
        let mut order: Vec<usize> = (0..drivers.len()).collect();
        order.sort_by_key(|&i| drivers[i].low);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = 0;
        for i in order {
            let driver = &drivers[i];
            if driver.low < at {
                let last = pieces.iter().rev().find_map(|piece| match &piece.source {
                    Source::Driven(other) => Some(drivers[*other].place),
                    Source::Conflict(place, _) => Some(*place),
                    Source::Nothing => None,
                });
                let source = Source::Conflict(last.unwrap_or_default(), driver.place);
                pieces = vec![Piece {
                    low: 0,
                    width,
                    source,
                }];
                at = width;
                break;
            }
            if driver.low > at {
                pieces.push(Piece {
                    low: at,
                    width: driver.low - at,
                    source: Source::Nothing,
                });
            }
            pieces.push(Piece {
                low: driver.low,
                width: driver.width,
                source: Source::Driven(i),
            });
            at = driver.low + driver.width;
        }
        if at < width {
            pieces.push(Piece {
                low: at,
                width: width - at,
                source: Source::Nothing,
            });
        }
        let pieces = Rc::new(pieces);
        self.pieces.insert(word, pieces.clone());
        pieces
    }

    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Found<T>) -> Found<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!(
                "this depends on a chain of assignments and operators with more than {MAX_DEPTH} links"
            );
            return Err(Stop::at(self.place(), message).into());
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    /// Returns the place of the wire that is being found.
    fn place(&self) -> Span {
        let place = self.way.last().and_then(|(word, piece, _)| {
            match self.pieces.get(word)?.get(*piece)?.source {
                Source::Driven(driver) => Some(self.design.drivers[word][driver].place),
                Source::Conflict(place, _) => Some(place),
                Source::Nothing => None,
            }
        });
        place.unwrap_or_default()
    }

    /// Returns bits of the visible value of a word.
    fn word(&mut self, word: WordId, low: u32, width: u32) -> Found<TermId> {
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
        for (i, piece) in pieces.iter().enumerate() {
            let (from, to) = (piece.low.max(low), (piece.low + piece.width).min(end));
            if from >= to {
                continue;
            }
            parts.push(self.piece(word, i, piece, from - piece.low, to - from)?);
        }
        let whole = self.out.words.join(&parts);
        Ok(whole.ok_or_else(|| Stop::at(var.place, "these bits are outside the vector"))??)
    }

    fn piece(
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
                if !self.apart.contains(&(word, index))
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
        if self.busy.contains(&(word, index, u32::MAX)) {
            self.entered.insert((word, index));
            return Ok(None);
        }
        let (deep, only_in) = (self.deep, self.only_in.clone());
        match self.whole_piece(word, index, driver) {
            // The values that were found meanwhile stay known.
            Err(Fail::Apart(pieces)) if pieces.first() == Some(&(word, index)) => {
                (self.deep, self.only_in) = (deep, only_in);
                self.added += pieces.len();
                self.apart.extend(pieces);
                Ok(None)
            }
            whole => whole.map(Some),
        }
    }

    /// Returns the value of a driven piece.
    fn whole_piece(&mut self, word: WordId, index: usize, driver: &Driver) -> Found<TermId> {
        let key = Key::Piece(word, index);
        let known = self.values.get(&(word, index)).copied();
        if let Some(value) = known.or_else(|| self.known_here(key)) {
            return Ok(value);
        }
        if !self.begin((word, index, u32::MAX)) {
            return Err(self.cycle(word, driver));
        }
        let (value, known) = self.found(key, |this| this.deeper(|this| this.driven(word, driver)));
        self.end((word, index, u32::MAX));
        let value = value?;
        if known.is_some() {
            self.values.insert((word, index), value);
        }
        Ok(value)
    }

    /// Begins to find the bits of a piece. Returns `false` if they are being found already.
    fn begin(&mut self, step: (WordId, usize, u32)) -> bool {
        let new = self.busy.insert(step);
        if new {
            self.way.push(step);
        }
        new
    }

    fn end(&mut self, step: (WordId, usize, u32)) {
        self.busy.remove(&step);
        self.way.pop();
    }

    /// A register or bit depends on itself: a cycle, unless a wire on the path was resolved as a word and needs only some of its bits.
    fn cycle(&self, word: WordId, driver: &Driver) -> Fail {
        let begun = self.way.iter().filter(|step| step.2 == u32::MAX);
        let begun = begun.map(|step| (step.0, step.1));
        let begun: Vec<_> = begun.filter(|wire| self.entered.contains(wire)).collect();
        if !begun.is_empty() {
            return Fail::Apart(begun);
        }
        let message = format!(
            "`{}` depends on itself: a combinational cycle",
            self.design.word_name(word)
        );
        Stop::at(driver.place, message).into()
    }

    fn piece_bit(
        &mut self,
        word: WordId,
        index: usize,
        driver: &Driver,
        bit: u32,
    ) -> Found<TermId> {
        let key = (word, driver.low + bit);
        let known = self.bit_values.get(&key).copied();
        if let Some(value) = known.or_else(|| self.known_here(Key::Bit(key.0, key.1))) {
            return Ok(value);
        }
        if !self.begin((word, index, bit)) {
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
        let (value, known) = self.found(Key::Bit(key.0, key.1), |this| {
            this.deeper(|this| this.part(driver.value, bit, 1))
        });
        self.end((word, index, bit));
        let value = value?;
        if known.is_some() {
            self.bit_values.insert(key, value);
        }
        Ok(value)
    }

    fn driven(&mut self, word: WordId, driver: &Driver) -> Found<TermId> {
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

    fn register(&mut self, word: WordId, low: u32, width: u32) -> usize {
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

    /// Returns the value of undriven bits: their initial value, or a choice.
    fn nothing(&mut self, word: WordId, piece: &Piece) -> Found<TermId> {
        if let Some(term) = self.undriven.get(&(word, piece.low)) {
            return Ok(*term);
        }
        let (id, ..) = self.design.elements[word.0];
        let var = self.design.var(id);
        let kept = self.design.initial.contains_key(&word) || var.choice == Some("anyconst");
        let term = if kept {
            let state = self.register(word, piece.low, piece.width);
            self.state_term(state)
        } else {
            let name = self.design.word_name(word);
            if var.choice.is_none() {
                let note = roles::is("a choice", &name, "nothing drives it");
                self.out.notes.push(note);
                self.out.undriven.insert(word);
            }
            self.choice(name, piece.width)
        };
        self.undriven.insert((word, piece.low), term);
        Ok(term)
    }
}
