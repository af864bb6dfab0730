//! Random systems of a few bits, as circuits, and random formulas about them, as text.

use std::ops::{Range, RangeInclusive};

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A system with one or two latches, one or two inputs (one of them a choice, perhaps), an output, and often a constraint, so that runs
/// end.
pub(crate) fn system(rng: &mut ChaCha8Rng) -> ConditionalMutant {
    sized_system(rng, 1..=2, 1..=2, 2..6)
}

/// A system like those of [`system`], with so many inputs, latches and gates.
pub(crate) fn sized_system(
    rng: &mut ChaCha8Rng,
    inputs: RangeInclusive<usize>,
    latches: RangeInclusive<usize>,
    gates: Range<usize>,
) -> ConditionalMutant {
    let mut aig = Aig::new();
    let inputs = rng.random_range(inputs);
    let mut lits: Vec<Lit> = (0..inputs)
        .map(|i| aig.add_input(Some(format!("i{i}"))))
        .collect();
    let latches = rng.random_range(latches);
    for l in 0..latches {
        let reset = match rng.random_range(0..4) {
            0 => Reset::Free,
            1 => Reset::One,
            _ => Reset::Zero,
        };
        lits.push(aig.add_latch(reset, Some(format!("l{l}"))));
    }
    for _ in 0..rng.random_range(gates) {
        let mut pick = || {
            let lit = lits[rng.random_range(0..lits.len())];
            lit ^ rng.random_bool(0.5)
        };
        let (a, b) = (pick(), pick());
        let gate = match rng.random_bool(0.3) {
            true => aig.xor(a, b),
            false => aig.and(a, b),
        };
        lits.push(gate);
    }
    let some = |rng: &mut ChaCha8Rng, lits: &[Lit]| {
        lits[rng.random_range(0..lits.len())] ^ rng.random_bool(0.5)
    };
    for l in 0..latches {
        let next = some(rng, &lits);
        aig.set_next(l, next);
    }
    let output = some(rng, &lits);
    aig.add_output(output, Some("o".to_owned()));
    if rng.random_bool(0.5) {
        let (a, b) = (some(rng, &lits), some(rng, &lits));
        let lit = aig.or(a, b);
        let name = None;
        aig.constraints
            .push(hyperkill_core::aig::Signal { lit, name });
    }
    let port = |name: &str, bit| Port {
        name: name.to_owned(),
        sort: Sort::Bit,
        bits: vec![bit],
    };
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: String::new(),
        inputs: vec![port("i0", 0)],
        choices: (1..inputs).map(|i| port(&format!("i{i}"), i)).collect(),
        outputs: vec![port("o", 0)],
        aig,
        selectors: Vec::new(),
        mutants: Vec::new(),
    }
}

/// Returns the values of all circuit nodes at a step of one trace, and the successor state. `None` if the step violates a constraint.
pub(crate) fn step(model: &ConditionalMutant, state: u32, inputs: u32) -> Option<(Vec<bool>, u32)> {
    let aig = &model.aig;
    let mut values = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        let value = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
        values[var.index()] = match node {
            Node::False => false,
            Node::Input(i) => inputs >> i & 1 == 1,
            Node::Latch(l) => state >> l & 1 == 1,
            Node::And(a, b) => value(a) && value(b),
        };
    }
    let value = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
    if !aig.constraints.iter().all(|signal| value(signal.lit)) {
        return None;
    }
    let next = aig.latches().iter().enumerate();
    let next = next.fold(0, |next, (l, latch)| {
        next | u32::from(value(latch.next)) << l
    });
    Some((values, next))
}

pub(crate) fn initial(model: &ConditionalMutant) -> Vec<u32> {
    let mut states = vec![0];
    for (l, latch) in model.aig.latches().iter().enumerate() {
        match latch.reset {
            Reset::Zero => {}
            Reset::One => states.iter_mut().for_each(|state| *state |= 1 << l),
            Reset::Free => {
                let more: Vec<u32> = states.iter().map(|state| state | 1 << l).collect();
                states.extend(more);
            }
        }
    }
    states
}

/// A body over these traces, with about so many operators.
pub(crate) fn body(
    rng: &mut ChaCha8Rng,
    model: &ConditionalMutant,
    traces: &[&str],
    size: usize,
) -> String {
    if size == 0 {
        let latches = model.aig.latches().len();
        let inputs = model.aig.inputs().len();
        let trace = traces[rng.random_range(0..traces.len())];
        let other = traces[rng.random_range(0..traces.len())];
        let name = match rng.random_range(0..4) {
            0 => format!("i{}", rng.random_range(0..inputs)),
            1 => format!("l{}", rng.random_range(0..latches)),
            _ => "o".to_owned(),
        };
        return match rng.random_range(0..8) {
            0..=3 => format!("{name}[{trace}]"),
            4 => format!("{name}[{trace}] = {name}[{other}]"),
            5 => format!("I[{trace}] = I[{other}]"),
            6 => format!("latches[{trace}] = latches[{other}]"),
            _ => format!("O[{trace}] != O[{other}]"),
        };
    }
    let unary = ["!", "X", "F", "G", "G", "Y", "Z", "O", "H"];
    let binary = ["&", "&", "|", "->", "<->", "U", "R", "W", "M", "S", "T"];
    if rng.random_bool(0.45) {
        let op = unary[rng.random_range(0..unary.len())];
        return format!("{op} ({})", body(rng, model, traces, size - 1));
    }
    let op = binary[rng.random_range(0..binary.len())];
    let left = rng.random_range(0..size);
    let (left, right) = (
        body(rng, model, traces, left),
        body(rng, model, traces, size - 1 - left),
    );
    format!("({left}) {op} ({right})")
}
