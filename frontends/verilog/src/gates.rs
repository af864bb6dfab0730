//! Clock gates that a design builds from a latch and a conjunction: `always_latch if (!clk) on = enable; assign gated = clk & on;`.
//!
//! The latch is open while the clock is low, so the gated clock rises with the clock where the enable was 1 right before the edge.

use std::collections::BTreeSet;

use hyperkill_core::substitution::subterms;
use hyperkill_core::term::{BinaryOp, Term, TermId, UnaryOp};

use crate::design::{ClockGate, Design, Drive, Driver, Leaf, WordId};

/// Adds the clock gates that latches and conjunctions form, if no process waits for their falling edges.
pub fn find_gates(design: &mut Design) {
    if design.latches.is_empty() {
        return;
    }
    let words: Vec<WordId> = design.drivers.keys().copied().collect();
    for word in words {
        let known = design.clock_gates.contains_key(&word);
        if let (false, Some((gate, process))) = (known, gate(design, word))
            && rising_only(design, word)
        {
            design.clock_gates.insert(word, gate);
            let joins = wire(design, word).map(|driver| driver.process);
            for process in joins.into_iter().chain([process]) {
                design.gating.extend(design.blocks.get(&process).copied());
            }
        }
    }
}

/// Returns the clock gate that drives a net, with the process of its latch. `None` if the driver is not the conjunction of a clock and a
/// latch that is open at the other level of the clock.
fn gate(design: &Design, word: WordId) -> Option<(ClockGate, usize)> {
    let Term::Binary(BinaryOp::And, a, b) = *design
        .words
        .pool
        .term(bare(design, wire(design, word)?.value).0)
    else {
        return None;
    };
    let (a, b) = (net(design, a)?, net(design, b)?);
    let found = |clock: WordId, latch: WordId| {
        let driver = wire(design, latch)?;
        if !design.is_latch(driver.process) {
            return None;
        }
        let Term::Ite(open, first, second) = *design.words.pool.term(driver.value) else {
            return None;
        };
        let (open, inverted) = bare(design, open);
        let (enable, kept) = match inverted {
            true => (first, second),
            false => (second, first),
        };
        let kept = leaf(design, kept)?;
        let keeps =
            matches!(kept, Leaf::Old(old, process) if (*old, *process) == (latch, driver.process));
        let of_clock = matches!(leaf(design, open)?, Leaf::Word(word) if *word == clock);
        let parts = subterms(&design.words.pool, enable);
        let keeps_again = parts
            .iter()
            .any(|part| matches!(leaf(design, *part), Some(Leaf::Old(..))));
        let gate = ClockGate {
            clock: design.word(clock),
            enable,
        };
        (keeps && of_clock && !keeps_again).then_some((gate, driver.process))
    };
    found(a, b).or_else(|| found(b, a))
}

/// Returns the driver of a net of one bit. `None` for wider nets, for several drivers or none, and for a driver that does not drive all the
/// time.
fn wire(design: &Design, word: WordId) -> Option<&Driver> {
    let (var, ..) = design.elements[word.0];
    match design.drivers.get(&word)?.as_slice() {
        [driver] if matches!(driver.drive, Drive::Wire) && design.var(var).width == 1 => {
            Some(driver)
        }
        _ => None,
    }
}

/// Returns the leaf of a term, if the term is a leaf.
fn leaf(design: &Design, term: TermId) -> Option<&Leaf> {
    match *design.words.pool.term(term) {
        Term::Input(leaf) => Some(&design.leaves[leaf as usize].0),
        _ => None,
    }
}

/// Returns the net whose value is this term; `None` if the term is complemented or computed.
fn net(design: &Design, term: TermId) -> Option<WordId> {
    match (bare(design, term), |term| leaf(design, term)) {
        ((term, false), leaf) => match leaf(term)? {
            Leaf::Word(word) => Some(*word),
            _ => None,
        },
        _ => None,
    }
}

/// Strips comparisons with constants and negations from a term of one bit. Returns the rest, and whether the term is its complement.
fn bare(design: &Design, mut term: TermId) -> (TermId, bool) {
    let words = &design.words;
    let mut inverted = false;
    loop {
        let constant = |term: TermId| words.constant(term).filter(|bits| bits.len() == 1);
        (term, inverted) = match *words.pool.term(term) {
            Term::Unary(UnaryOp::Not, a) => (a, !inverted),
            Term::Binary(BinaryOp::Eq, a, b) => match (constant(a), constant(b)) {
                (_, Some(bits)) => (a, inverted == bits[0]),
                (Some(bits), _) => (b, inverted == bits[0]),
                _ => return (term, inverted),
            },
            Term::Ite(c, a, b) => match (constant(a).as_deref(), constant(b).as_deref()) {
                (Some([true]), Some([false])) => (c, inverted),
                (Some([false]), Some([true])) => (c, !inverted),
                _ => return (term, inverted),
            },
            _ => return (term, inverted),
        };
    }
}

/// Whether all processes whose clock depends on the net `gated` run at its rising edge. A clock is followed back through wires, inverters
/// and known clock gates, so a falling edge behind an inverter is a rising edge of `gated`. A clock that does not lead back to `gated` is
/// no obstacle.
fn rising_only(design: &Design, gated: WordId) -> bool {
    design.clocks.iter().all(|clock| {
        let (mut at, mut inverted) = (clock.signal, !clock.rising);
        let mut seen = BTreeSet::new();
        loop {
            let (inner, turned) = bare(design, at);
            inverted ^= turned;
            let Some(Leaf::Word(word)) = leaf(design, inner) else {
                return true;
            };
            if *word == gated {
                return !inverted;
            }
            // The path continues behind gates, too.
            at = match (design.clock_gates.get(word), wire(design, *word)) {
                (Some(gate), _) => gate.clock,
                (None, Some(driver)) => driver.value,
                _ => return true,
            };
            if !seen.insert(*word) {
                return true;
            }
        }
    })
}
