//! Small conditional mutants, one with every kind of part and random ones, and a simulator that evaluates node by node.

use hyperkill_core::aig::{Node, Reset, Signal};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use rand::{Rng, RngExt};

/// Returns a model with two test inputs, a test input of sort `{off, low, high}`, a choice, a counter, and a latch with a free initial
/// value. It also has an autonomous clock, a latch that no output reads, two mutants, a constraint, and typed outputs.
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

    // The counter counts a; the first mutant also counts b.
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
    aig.constraints.push(Signal {
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
        accepts: None,
        events: Vec::new(),
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

/// Returns the values of all nodes, given those of inputs and latches.
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

/// Returns the value of a literal.
pub(crate) fn value(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}

/// Returns the next values of the latches.
pub(crate) fn advance(aig: &Aig, values: &[bool]) -> Vec<bool> {
    let latches = aig.latches().iter();
    latches.map(|latch| value(values, latch.next)).collect()
}

/// Sets the selectors for a variant.
pub(crate) fn select(model: &ConditionalMutant, variant: Variant, latches: &mut [bool]) {
    for (i, selector) in model.selectors.iter().enumerate() {
        latches[selector.latch] = variant == Variant::Mutant(SelectorId(i));
    }
}

/// Returns a model with one test input, one choice, one selector, two latches with any resets, random gates, one or two outputs and
/// possibly a constraint.
pub(crate) fn random_machine(rng: &mut impl Rng) -> ConditionalMutant {
    let mut aig = Aig::new();
    let mut wires = vec![aig.add_input(None), aig.add_input(Some("nd:c".to_owned()))];
    wires.push(aig.add_latch(Reset::Free, Some("mut".to_owned())));
    let mut free = false;
    for _ in 0..2 {
        let reset = match rng.random_range(0..3) {
            // One free initial value suffices and keeps enumeration short.
            0 if !free => Reset::Free,
            1 => Reset::One,
            _ => Reset::Zero,
        };
        free |= reset == Reset::Free;
        wires.push(aig.add_latch(reset, None));
    }
    for _ in 0..rng.random_range(2..7) {
        let [a, b] = [(); 2].map(|()| any(rng, &wires));
        let gate = if rng.random() {
            aig.and(a, b)
        } else {
            aig.xor(a, b)
        };
        wires.push(gate);
    }
    for latch in [1, 2] {
        let next = any(rng, &wires);
        aig.set_next(latch, next);
    }
    for _ in 0..rng.random_range(1..3) {
        let lit = any(rng, &wires);
        aig.add_output(lit, None);
    }
    if rng.random() {
        let (a, b) = (any(rng, &wires), any(rng, &wires));
        let lit = aig.or(a, b);
        aig.constraints.push(Signal { lit, name: None });
    }
    let port = |name: &str, bit| Port {
        name: name.to_owned(),
        sort: Sort::Bit,
        bits: vec![bit],
    };
    let outputs = (0..aig.outputs.len()).map(|bit| port(&format!("out{bit}"), bit));
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "random".to_owned(),
        inputs: vec![port("in", 0)],
        choices: vec![port("c", 1)],
        outputs: outputs.collect(),
        selectors: vec![SelectorLatch {
            id: MutantId("mut".to_owned()),
            latch: 0,
        }],
        mutants: vec![],
        aig,
    }
}

fn any(rng: &mut impl Rng, wires: &[Lit]) -> Lit {
    wires[rng.random_range(0..wires.len())] ^ rng.random::<bool>()
}
