//! Clocks and resets that a design shows: signals at edges, traced back to inputs of the top module. The inference from these facts is the
//! same for all hardware ([`hyperkill_frontend::clocked`]).

use std::collections::BTreeSet;

use hyperkill_core::term::{BinaryOp, Term, TermId, UnaryOp};
use hyperkill_frontend::FrontendOptions;
use hyperkill_frontend::clocked::{
    ClockUse, Facts, Input, Link, Origin, ResetUse, Timing, infer_several, origin,
};
use hyperkill_frontend::hardware::Ticks;

use crate::ast::Direction;
use crate::design::{Clock, Design, Drive, Driver, Driving, Leaf, Run, Stop, VarId, WordId};

/// Clocks and resets of a design. They are those of the original: no mutant changes a clock.
#[derive(Clone, Debug)]
pub struct Pins {
    /// The uses of clocks and resets in the design.
    pub facts: Facts<VarId>,
    /// The timing inferred from the facts.
    pub timing: Timing<VarId>,
    /// The bits of variables between the clocks and the registers, including the clocks.
    pub ways: BTreeSet<(VarId, u32)>,
    /// Whether all edges are one step, for all sources of their clocks.
    pub one_clock: bool,
}

/// The steps in which registers change that wait for an edge of the design.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// In every step.
    Every,
    /// In no step.
    Never,
    /// In the steps in which an input ticks as a clock. If the clock has both edges: only in steps before which its level is this one.
    Tick(VarId, Option<bool>),
    /// In the steps in which a register that makes this clock changes so that the clock has an edge.
    Derived(Source),
}

/// The bit of a register that makes a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The word of the register.
    pub word: WordId,
    /// Its driver among those of the word.
    pub driver: usize,
    /// The bit of the word.
    pub bit: u32,
    /// The value that it takes at the edge.
    pub active: bool,
}

impl Source {
    /// Returns the driver of the register.
    #[must_use]
    pub fn driver(self, design: &Design) -> &Driver {
        &design.drivers[&self.word][self.driver]
    }
}

/// Finds clocks and resets.
///
/// # Errors
/// If clocks or resets are not supported, with their places.
pub fn pins(design: &Design, options: &FrontendOptions) -> Run<Pins> {
    let mut ways = BTreeSet::new();
    let mut clocks = Vec::new();
    for clock in &design.clocks {
        let origin = followed(design, clock.signal, &mut ways);
        if !options.hardware.one_clock && source(design, clock).is_some() {
            derived(design, clock)?;
            continue;
        }
        clocks.push(ClockUse {
            origin,
            name: None,
            rising: clock.rising,
            place: clock.place,
        });
    }
    let resets = design.asynchronous.iter().map(|reset| ResetUse {
        origin: followed(design, reset.signal, &mut BTreeSet::new()),
        active: reset.active,
        place: reset.place,
    });
    let inputs = design.ports.iter().filter_map(|&id| {
        let var = design.var(id);
        (var.port == Some(Direction::Input)).then(|| Input {
            id,
            name: var.name.clone(),
            width: var.width as usize,
            // Known after resolution, and refused then.
            read: None,
        })
    });
    let facts = Facts {
        inputs: inputs.collect(),
        clocks,
        resets: resets.collect(),
    };
    let timing = infer_several(&facts, options).map_err(|error| Stop::Model(Box::new(error)))?;
    Ok(Pins {
        facts,
        timing,
        ways,
        one_clock: options.hardware.one_clock,
    })
}

impl Pins {
    /// Whether an expression drives a bit between a clock and the registers.
    #[must_use]
    pub fn has_way(&self, driving: &Driving) -> bool {
        let bits = driving.bits.clone().unwrap_or(0..u32::MAX);
        let (first, end) = ((driving.var, bits.start), (driving.var, bits.end));
        self.ways.range(first..end).next().is_some()
    }

    /// Returns the steps in which registers of a clock change: at the edge of `signal` that `rising` selects. The design may be the one
    /// with mutants. `None` if no register of the model changes at this edge, or the clock is not supported.
    #[must_use]
    pub fn edge(&self, design: &Design, signal: TermId, rising: bool) -> Option<Edge> {
        match origin(signal, |at| link(design, at, &mut BTreeSet::new())) {
            _ if self.one_clock => Some(Edge::Every),
            Origin::Input { id, inverted } => {
                let rising = rising != inverted;
                let mut edges = self.timing.clocks.iter();
                edges.find(|edge| edge.input == id && edge.rising == rising)?;
                Some(match self.timing.ticking(id) {
                    None => Edge::Every,
                    Some(clock) if clock.ticks == Ticks::Never => Edge::Never,
                    Some(clock) => Edge::Tick(id, clock.both_edges.then_some(!rising)),
                })
            }
            Origin::Made => {
                let place = Default::default();
                let clock = Clock {
                    signal,
                    rising,
                    place,
                };
                source(design, &clock).map(Edge::Derived)
            }
            _ => None,
        }
    }
}

/// Checks that a clock made by a register is supported, along the path back to an input.
fn derived(design: &Design, clock: &Clock) -> Run<()> {
    let mut at = clock;
    for _ in 0..=design.clocks.len() {
        let Some(source) = source(design, at) else {
            return Ok(());
        };
        let name = &design.var(design.elements[source.word.0].0).name;
        if !enables(design, at.signal).is_empty() {
            let message = format!(
                "a gate on the way of the clock that the register `{name}` makes is not supported"
            );
            return Err(Stop::at(at.place, message));
        }
        if (design.at_once.iter()).any(|(mutant, word, _)| mutant.is_none() && *word == source.word)
        {
            let message = format!(
                "the register `{name}` makes a clock and gets its value by `=`: simulators may take either value of what that clock reads"
            );
            return Err(Stop::at(at.place, message));
        }
        let Drive::Register { clock, .. } = source.driver(design).drive else {
            return Ok(());
        };
        at = &design.clocks[clock];
    }
    let message = "the register that makes this clock is clocked by itself";
    Err(Stop::at(clock.place, message))
}

/// Returns the register bit that makes a clock by wires and inverters alone. `None` if the clock comes from an input or from logic, or the
/// bit has several drivers.
fn source(design: &Design, clock: &Clock) -> Option<Source> {
    let (mut last, mut inverted) = (clock.signal, false);
    let found = origin(clock.signal, |at| {
        last = at;
        let link = link(design, at, &mut BTreeSet::new());
        inverted ^= matches!(link, Link::Inverse(_));
        link
    });
    if found != Origin::Made {
        return None;
    }
    let word = |term: TermId| match *design.words.pool.term(term) {
        Term::Input(leaf) => match design.leaves[leaf as usize].0 {
            Leaf::Word(word) => Some(word),
            _ => None,
        },
        _ => None,
    };
    let (word, bit) = match *design.words.pool.term(last) {
        Term::Slice(whole, low) => (word(whole)?, low),
        _ => (word(last)?, 0),
    };
    let drivers = design.drivers.get(&word)?.iter();
    let mut of_bit = drivers
        .enumerate()
        .filter(|(_, driver)| (driver.low..driver.low + driver.width).contains(&bit));
    let (driver, found) = of_bit.next()?;
    let is_register = matches!(found.drive, Drive::Register { .. });
    (is_register && of_bit.next().is_none()).then_some(Source {
        word,
        driver,
        bit,
        active: clock.rising != inverted,
    })
}

/// Returns the undriven variables among these that clocks come from.
#[must_use]
pub fn clocks_from(design: &Design, among: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut ways = BTreeSet::new();
    for clock in &design.clocks {
        followed(design, clock.signal, &mut ways);
    }
    ways.iter()
        .map(|(var, _)| *var)
        .filter(|var| among.contains(var))
        .collect()
}

/// Returns the origin of a signal of one bit. Adds the bits that the path to it passes to `ways`.
fn followed(design: &Design, signal: TermId, ways: &mut BTreeSet<(VarId, u32)>) -> Origin<VarId> {
    origin(signal, |at| link(design, at, ways))
}

/// Returns the enables of all clock gates between an input of the design and this clock.
#[must_use]
pub fn enables(design: &Design, signal: TermId) -> Vec<TermId> {
    let mut enables = Vec::new();
    let _ = origin(signal, |at| {
        let word = match *design.words.pool.term(at) {
            Term::Input(leaf) => match &design.leaves[leaf as usize] {
                (Leaf::Word(word), _) => Some(word),
                _ => None,
            },
            _ => None,
        };
        let gate = word.and_then(|word| design.clock_gates.get(word));
        enables.extend(gate.map(|gate| gate.enable));
        link(design, at, &mut BTreeSet::new())
    });
    enables
}

fn link(design: &Design, at: TermId, ways: &mut BTreeSet<(VarId, u32)>) -> Link<VarId, TermId> {
    let words = &design.words;
    if words.constant(at).is_some() {
        return Link::Constant;
    }
    match *words.pool.term(at) {
        Term::Input(leaf) => match &design.leaves[leaf as usize] {
            (Leaf::Word(word), 1) => {
                let (var, ..) = design.elements[word.0];
                ways.insert((var, 0));
                match (design.var(var).port, design.clock_gates.get(word)) {
                    (Some(Direction::Input), _) => Link::Input(var),
                    (_, Some(gate)) => Link::Same(gate.clock),
                    (_, None) => driver(design, *word),
                }
            }
            _ => Link::Other,
        },
        Term::Slice(whole, low) => bit_link(design, whole, low, ways),
        Term::Unary(UnaryOp::Not, a) => Link::Inverse(a),
        Term::Binary(BinaryOp::Eq, a, b) => compared(design, a, b),
        Term::Ite(c, a, b) => match (words.constant(a).as_deref(), words.constant(b).as_deref()) {
            (Some([true]), Some([false])) => Link::Same(c),
            (Some([false]), Some([true])) => Link::Inverse(c),
            _ => Link::Other,
        },
        _ => Link::Other,
    }
}

/// Returns the link of one bit of a word: to the net of one bit that a concatenation, or the wire behind it, has at this place.
fn bit_link(
    design: &Design,
    word: TermId,
    bit: u32,
    ways: &mut BTreeSet<(VarId, u32)>,
) -> Link<VarId, TermId> {
    /// The most wires and concatenations that are followed.
    const MOST: usize = 10_000;
    let words = &design.words;
    let (mut at, mut bit) = (word, bit);
    for _ in 0..MOST {
        (at, bit) = match *words.pool.term(at) {
            Term::Concat(high, low) if bit >= words.width(low) => (high, bit - words.width(low)),
            Term::Concat(_, low) => (low, bit),
            Term::Slice(inner, from) => (inner, bit + from),
            _ if words.width(at) == 1 => return Link::Same(at),
            Term::Input(leaf) => {
                let Leaf::Word(word) = design.leaves[leaf as usize].0 else {
                    return Link::Other;
                };
                let (var, ..) = design.elements[word.0];
                if design.var(var).port == Some(Direction::Input) {
                    return Link::Bit(var);
                }
                let drivers = design.drivers.get(&word).into_iter().flatten();
                let mut of_bit =
                    drivers.filter(|driver| (driver.low..driver.low + driver.width).contains(&bit));
                match (of_bit.next(), of_bit.next()) {
                    (Some(driver), None) if matches!(driver.drive, Drive::Wire) => {
                        ways.insert((var, bit));
                        (driver.value, bit - driver.low)
                    }
                    _ => return Link::Other,
                }
            }
            _ => return Link::Other,
        };
    }
    Link::Other
}

/// Returns the link of a net to its single driver, if that one drives all the time.
fn driver(design: &Design, word: WordId) -> Link<VarId, TermId> {
    match design.drivers.get(&word).map(Vec::as_slice) {
        Some([driver]) if matches!(driver.drive, Drive::Wire) => Link::Same(driver.value),
        _ => Link::Other,
    }
}

/// Returns the link of a comparison with a constant of one bit: `a = 1` is `a`, `a = 0` is its complement.
fn compared(design: &Design, a: TermId, b: TermId) -> Link<VarId, TermId> {
    let (known, other) = match design.words.constant(b) {
        Some(known) => (Some(known), a),
        None => (design.words.constant(a), b),
    };
    match known.as_deref() {
        Some([true]) => Link::Same(other),
        Some([false]) => Link::Inverse(other),
        _ => Link::Other,
    }
}
