//! What a design shows of its clock and its resets: signals at edges, followed back to inputs of the top module. What is made of that is
//! the same for all hardware ([`hyperkill_frontend::clocked`]).

use std::collections::BTreeSet;

use hyperkill_core::term::{BinaryOp, Term, TermId, UnaryOp};
use hyperkill_frontend::FrontendOptions;
use hyperkill_frontend::clocked::{
    ClockUse, Facts, Input, Link, Origin, ResetUse, Timing, infer, origin,
};

use crate::ast::Direction;
use crate::design::{Design, Drive, Leaf, Run, Stop, VarId, WordId};

/// Clock and resets of a design. They are those of the original: no mutant changes what the clock is.
#[derive(Clone, Debug)]
pub struct Pins {
    /// What the design shows.
    pub facts: Facts<VarId>,
    /// What is made of it.
    pub timing: Timing<VarId>,
    /// Variables between the clock and the registers, the clock included.
    pub ways: BTreeSet<VarId>,
}

/// Finds clock and resets.
///
/// # Errors
/// Clocks and resets that are not supported, with their places.
pub fn pins(design: &Design, options: &FrontendOptions) -> Run<Pins> {
    let mut ways = BTreeSet::new();
    let clocks = design.clocks.iter().map(|clock| ClockUse {
        origin: followed(design, clock.signal, &mut ways),
        name: None,
        rising: clock.rising,
        place: clock.place,
    });
    let clocks = clocks.collect();
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
            // Known when all is resolved, and refused then.
            read: None,
        })
    });
    let facts = Facts {
        inputs: inputs.collect(),
        clocks,
        resets: resets.collect(),
    };
    let timing = infer(&facts, options).map_err(|error| Stop::Model(Box::new(error)))?;
    Ok(Pins {
        facts,
        timing,
        ways,
    })
}

/// Where a signal of one bit comes from; `ways` are the variables in between.
fn followed(design: &Design, signal: TermId, ways: &mut BTreeSet<VarId>) -> Origin<VarId> {
    origin(signal, |at| link(design, at, ways))
}

/// The enables of all clock gates on the way from an input of the design to this clock.
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

fn link(design: &Design, at: TermId, ways: &mut BTreeSet<VarId>) -> Link<VarId, TermId> {
    let words = &design.words;
    if words.constant(at).is_some() {
        return Link::Constant;
    }
    match *words.pool.term(at) {
        Term::Input(leaf) => match &design.leaves[leaf as usize] {
            (Leaf::Word(word), 1) => {
                let (var, ..) = design.elements[word.0];
                ways.insert(var);
                match (design.var(var).port, design.clock_gates.get(word)) {
                    (Some(Direction::Input), _) => Link::Input(var),
                    (_, Some(gate)) => Link::Same(gate.clock),
                    (_, None) => driver(design, *word),
                }
            }
            _ => Link::Other,
        },
        Term::Slice(whole, _) => match *words.pool.term(whole) {
            Term::Input(leaf) => match &design.leaves[leaf as usize] {
                (Leaf::Word(word), _) => {
                    let (var, ..) = design.elements[word.0];
                    match design.var(var).port {
                        Some(Direction::Input) => Link::Bit(var),
                        _ => Link::Other,
                    }
                }
                _ => Link::Other,
            },
            _ => Link::Other,
        },
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

/// What alone drives a net all the time.
fn driver(design: &Design, word: WordId) -> Link<VarId, TermId> {
    match design.drivers.get(&word).map(Vec::as_slice) {
        Some([driver]) if matches!(driver.drive, Drive::Wire) => Link::Same(driver.value),
        _ => Link::Other,
    }
}

/// `a = 1` is `a`, `a = 0` is its complement.
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
