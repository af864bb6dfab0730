//! The state of the resolver during a pass, and what its parts share.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hyperkill_core::sort::Sort;
use hyperkill_core::system::{InputRole, InputVar};
use hyperkill_core::term::TermId;
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::result::{Resolved, Setting};
use super::sites::{AllSites, Sites};
use crate::design::{Design, Driver, Stop, VarId, WordId};
use crate::words::word_sort;

/// Deepest nesting of terms; the stack is large enough for it.
pub(super) const MAX_DEPTH: usize = 250_000;

/// A reason why a wire, a register or an expression has no term. Some of them ask for another attempt.
pub(super) enum Fail {
    /// These wires depend on themselves: split them into bits, and go on from the first one, which is on the path.
    Apart(Vec<(WordId, usize)>),
    /// It has no meaning on this path of dependencies; on another one it may have one.
    Stop(Stop),
    /// It has no meaning, on any path of dependencies.
    Never(Rc<Diagnostic>),
}

impl Fail {
    pub(super) fn never(place: Span, message: String) -> Fail {
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

/// The term of a wire, a register or an expression over inputs and states, or the reason why it has none.
pub(super) type Found<T> = Result<T, Fail>;

/// A value, or the reason why it has none; both hold on every path of dependencies.
pub(super) type Known = Result<TermId, Rc<Diagnostic>>;

/// The source of a range of bits of a word.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The index of a driver.
    Driven(usize),
    /// No driver.
    Nothing,
    /// Two drivers.
    Conflict(Span, Span),
}

/// Some bits of a word that have one source.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// The source.
    pub source: Source,
}

/// The key of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// A term of the design.
    Term(TermId),
    /// Some bits of it, from the lowest one.
    Part(TermId, u32, u32),
    /// A piece of a word.
    Piece(WordId, usize),
    /// A bit of a word.
    Bit(WordId, u32),
}

/// The mutants that the values being found contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Presence {
    /// All, each under its selector.
    All,
    /// None.
    Original,
    /// This mutation only, in the place of the original.
    Only(usize),
}

/// A value that one mutant gets alone, after all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    /// The mutation.
    pub mutation: usize,
    /// The choice between this mutant and others.
    pub key: Key,
    /// An input that stands for its value in this mutant.
    pub stand_in: TermId,
}

/// Terms for the ticks of clocks.
#[derive(Clone, Default, Debug)]
pub(super) struct Ticks {
    /// Whether a clock ticks in this step, unless that is constant.
    pub ticking: BTreeMap<VarId, TermId>,
    /// Whether a clock with both edges is 1.
    pub levels: BTreeMap<VarId, TermId>,
}

/// A register whose clock another register makes. It ticks in the same step as that register, after it: its next value is made last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Later {
    /// Its state.
    pub state: usize,
    /// The bits of the register that its clock comes from.
    pub source: crate::clocks::Source,
    /// The clock.
    pub signal: TermId,
    /// Whether the register changes when it rises.
    pub rising: bool,
    /// Its value after an edge, as a function of the values before the edge.
    pub value: TermId,
    /// Its current value.
    pub held: TermId,
}

/// The resolver during one pass.
pub(super) struct Resolver<'a> {
    pub design: &'a Design,
    pub setting: &'a Setting<'a>,
    /// For each term of the design: whether it is a function of inputs alone.
    pub of_inputs: Rc<[bool]>,
    /// Pieces that are found bit by bit, since they depend on themselves.
    pub apart: FxHashSet<(WordId, usize)>,
    /// Pieces that are found bit by bit in the only mutant, too.
    pub split: FxHashSet<(WordId, usize)>,
    /// Number of pieces that this pass has added to `apart`.
    pub added: usize,
    pub out: Resolved,
    /// Values with all mutants.
    pub known: FxHashMap<Key, Known>,
    pub pieces: FxHashMap<WordId, Rc<Vec<Piece>>>,
    /// Pieces that are being found, whole (`u32::MAX`) or one bit of them; `way` has them in order.
    pub busy: FxHashSet<(WordId, usize, u32)>,
    pub way: Vec<(WordId, usize, u32)>,
    /// The length of `way` at each entry into what a mutant says, with all mutants.
    pub mutated: Vec<usize>,
    /// Wires that some bits were asked for while the wires were being found.
    pub entered: FxHashSet<(WordId, usize)>,
    pub inputs: FxHashMap<VarId, TermId>,
    /// The numbers of the inputs that ports are.
    pub declared: FxHashSet<usize>,
    pub unknowns: FxHashMap<usize, TermId>,
    pub undriven: FxHashMap<(WordId, u32), TermId>,
    pub registers: FxHashMap<(WordId, u32), usize>,
    /// Values of the tables of unknown functions.
    pub tables: Vec<TermId>,
    pub ticks: Ticks,
    /// Registers on derived clocks.
    pub later: Vec<Later>,
    /// The registers that make these clocks.
    pub making: BTreeSet<WordId>,
    pub names: FxHashSet<String>,
    /// New number of each mutation that is left in.
    pub numbers: BTreeMap<usize, usize>,
    /// The mutation of each new number.
    pub mutations: Vec<usize>,
    /// Terms with one mutant present, or none.
    pub alone: FxHashMap<(Option<usize>, TermId), TermId>,
    /// For each term, in their order: whether it contains selectors.
    pub with_selectors: Vec<bool>,
    pub depth: usize,
    /// The mutants in the values being found.
    pub present: Presence,
    /// Values for mutants alone that are still to be found, and those that have been found.
    pub deferred: Vec<Deferred>,
    /// The values found for stand-ins.
    pub replacements: Vec<(TermId, TermId)>,
    /// Number of stand-ins so far.
    pub stand_ins: usize,
    /// The mutants that have deferred values.
    pub apart_mutants: BTreeSet<usize>,
    /// Values of the original, each with the mutants among `apart_mutants` that change what it depends on; `None` if there is no value.
    pub originals: FxHashMap<Key, Option<(TermId, Sites)>>,
    /// The mutants among `apart_mutants` that change what the value being found depends on: sets of them.
    pub sites: Vec<Sites>,
    pub all_sites: AllSites,
    /// Values of the only mutant that differ from those of the original, or may.
    pub own: FxHashMap<Key, TermId>,
}

impl<'a> Resolver<'a> {
    /// Returns the state before a pass: mutations left in have new `numbers`, and the wires in `apart` are found bit by bit.
    pub(super) fn new(
        design: &'a Design,
        setting: &'a Setting<'a>,
        numbers: BTreeMap<usize, usize>,
        of_inputs: Rc<[bool]>,
        apart: FxHashSet<(WordId, usize)>,
    ) -> Resolver<'a> {
        Resolver {
            design,
            setting,
            of_inputs,
            apart,
            split: FxHashSet::default(),
            added: 0,
            out: Resolved::default(),
            known: FxHashMap::default(),
            pieces: FxHashMap::default(),
            busy: FxHashSet::default(),
            way: Vec::new(),
            mutated: Vec::new(),
            entered: FxHashSet::default(),
            inputs: FxHashMap::default(),
            declared: FxHashSet::default(),
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
            alone: FxHashMap::default(),
            with_selectors: Vec::new(),
            depth: 0,
            present: Presence::All,
            deferred: Vec::new(),
            replacements: Vec::new(),
            stand_ins: 0,
            apart_mutants: BTreeSet::new(),
            originals: FxHashMap::default(),
            sites: Vec::new(),
            all_sites: AllSites::default(),
            own: FxHashMap::default(),
        }
    }
}

impl Resolver<'_> {
    /// Returns a register's value as an unsigned word.
    pub(super) fn state_term(&mut self, state: usize) -> TermId {
        let sort = self.out.states[state].sort.clone();
        let width = sort.width() as u32;
        let term = self.out.words.pool.state(state, sort);
        self.unsigned(term, width)
    }

    pub(super) fn unsigned(&mut self, term: TermId, width: u32) -> TermId {
        self.out
            .words
            .pool
            .slice(term, 0, width, false)
            .unwrap_or(term)
    }

    pub(super) fn unique(&mut self, name: String) -> String {
        let mut unique = name.clone();
        let mut count = 1;
        while !self.names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}.{count}");
        }
        unique
    }

    pub(super) fn input(&mut self, id: VarId) -> TermId {
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
        self.declared.insert(self.out.inputs.len());
        let term = self.new_input(name, sort, role);
        let term = self.unsigned(term, width);
        self.inputs.insert(id, term);
        term
    }

    pub(super) fn new_input(&mut self, name: String, sort: Sort, role: InputRole) -> TermId {
        let name = self.unique(name);
        let term = self
            .out
            .words
            .pool
            .input(self.out.inputs.len(), sort.clone());
        self.out.inputs.push(InputVar { name, sort, role });
        term
    }

    pub(super) fn choice(&mut self, name: String, width: u32) -> TermId {
        self.new_input(name, word_sort(width), InputRole::Choice)
    }

    /// Returns the pieces of a word, from the lowest bit up.
    pub(super) fn pieces(&mut self, word: WordId) -> Rc<Vec<Piece>> {
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

    pub(super) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Found<T>) -> Found<T> {
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
    pub(super) fn place(&self) -> Span {
        let place = self.way.last().and_then(|(word, piece, _)| {
            match self.pieces.get(word)?.get(*piece)?.source {
                Source::Driven(driver) => Some(self.design.drivers[word][driver].place),
                Source::Conflict(place, _) => Some(place),
                Source::Nothing => None,
            }
        });
        place.unwrap_or_default()
    }
}
