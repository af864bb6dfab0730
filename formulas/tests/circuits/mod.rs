//! A small conditional mutant with every kind of part, and a simulator that goes node by node.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};

/// Two test inputs and one of sort `{off, low, high}`, a choice, a counter, a latch with a free initial value, a clock that nothing
/// influences, a latch that no output reads, two mutants, a constraint, typed outputs.
pub(crate) fn machine() -> ConditionalMutant {
    let name = |s: &str| Some(s.to_owned());
    let mut aig = Aig::new();
    let a = aig.add_input(name("a"));
    let choice = aig.add_input(name("nd:c"));
    let b = aig.add_input(name("b"));
    let level = [0, 1].map(|i| aig.add_input(name(&format!("level[{i}]"))));
    let unread = aig.add_input(name("unread"));
    let first = aig.add_latch(Reset::Free, name("mut:m1"));
    let low = aig.add_latch(Reset::Zero, name("low"));
    let high = aig.add_latch(Reset::Zero, name("high"));
    let second = aig.add_latch(Reset::Free, name("mut:m2"));
    let free = aig.add_latch(Reset::Free, name("free"));
    let clock = aig.add_latch(Reset::One, name("clock"));
    let hidden = aig.add_latch(Reset::Zero, name("hidden"));

    // The counter counts a; the first mutant counts b as well.
    let mutated = aig.or(a, b);
    let count = aig.ite(first, mutated, a);
    let next_low = aig.xor(low, count);
    let carry = aig.and(low, count);
    let next_high = aig.xor(high, carry);
    let next_free = aig.xor(free, choice);
    let next_hidden = aig.xor(hidden, unread);
    aig.set_next(1, next_low);
    aig.set_next(2, next_high);
    aig.set_next(4, next_free);
    aig.set_next(5, !clock);
    aig.set_next(6, next_hidden);

    // The second mutant shows the choice.
    let shown = aig.ite(second, choice, free);
    let ready = aig.and(shown, clock);
    let lit = aig.and(level[0], clock);
    let busy = aig.or(lit, level[1]);
    aig.add_output(low, name("count[0]"));
    aig.add_output(high, name("count[1]"));
    aig.add_output(ready, name("ready"));
    aig.add_output(busy, name("busy"));
    let both = aig.and(b, choice);
    aig.constraints.push(hyperkill_core::aig::Signal {
        lit: !both,
        name: None,
    });

    let port = |name: &str, sort: Sort, bits: &[usize]| Port {
        name: name.to_owned(),
        sort,
        bits: bits.to_vec(),
    };
    let word = Sort::Word {
        width: 2,
        signed: false,
    };
    let selector = |id: &str, latch| SelectorLatch {
        id: MutantId(id.to_owned()),
        latch,
    };
    ConditionalMutant {
        name: "machine".to_owned(),
        aig,
        inputs: vec![
            port("a", Sort::Bit, &[0]),
            port("b", Sort::Bool, &[2]),
            port("level", Sort::enumeration(["off", "low", "high"]), &[3, 4]),
            port("unread", Sort::Bit, &[5]),
        ],
        choices: vec![port("c", Sort::Bit, &[1])],
        outputs: vec![
            port("count", word, &[0, 1]),
            port("ready", Sort::Bit, &[2]),
            port("busy", Sort::Bit, &[3]),
        ],
        selectors: vec![selector("m1", 0), selector("m2", 3)],
        mutants: vec![],
    }
}

/// The values of all nodes, from those of inputs and latches.
pub(crate) fn evaluate(aig: &Aig, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    for (_, node) in aig.nodes() {
        values.push(match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => latches[i as usize],
            Node::And(a, b) => value(&values, a) && value(&values, b),
        });
    }
    values
}

/// The value of a literal.
pub(crate) fn value(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}

/// The next values of the latches.
pub(crate) fn advance(aig: &Aig, values: &[bool]) -> Vec<bool> {
    let latches = aig.latches().iter();
    latches.map(|latch| value(values, latch.next)).collect()
}

/// Sets the selectors as a variant says.
pub(crate) fn select(model: &ConditionalMutant, variant: Variant, latches: &mut [bool]) {
    for (i, selector) in model.selectors.iter().enumerate() {
        latches[selector.latch] = variant == Variant::Mutant(i);
    }
}
