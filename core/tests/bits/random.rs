//! Random circuits for tests, determined by a seed.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Aig, Justice, Node, Reset, Signal};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Sizes of a random circuit.
pub(crate) struct Size {
    pub(crate) inputs: usize,
    pub(crate) latches: usize,
    pub(crate) gates: usize,
}

impl Size {
    /// Returns a small size.
    pub(crate) fn small(rng: &mut ChaCha8Rng) -> Size {
        Size {
            inputs: rng.random_range(0..5),
            latches: rng.random_range(0..5),
            gates: rng.random_range(0..30),
        }
    }
}

/// Returns a random circuit with every section, names and comments.
pub(crate) fn circuit(rng: &mut ChaCha8Rng, size: &Size) -> Aig {
    let mut aig = Aig::new();
    let mut lits = vec![Lit::FALSE];
    for i in 0..size.inputs {
        lits.push(aig.add_input(name(rng, "in", i)));
    }
    for i in 0..size.latches {
        let reset = [Reset::Zero, Reset::One, Reset::Free][rng.random_range(0..3)];
        lits.push(aig.add_latch(reset, name(rng, "latch", i)));
    }
    for _ in 0..size.gates {
        let (a, b) = (pick(rng, &lits), pick(rng, &lits));
        let gate = aig.and(a, b);
        if gate.var().index() + 1 == aig.len() {
            lits.push(gate);
        }
    }
    for i in 0..size.latches {
        aig.set_next(i, pick(rng, &lits));
    }
    let mut signals = |prefix: &str, most: usize| -> Vec<Signal> {
        (0..rng.random_range(0..=most))
            .map(|i| Signal {
                lit: pick(rng, &lits),
                name: name(rng, prefix, i),
            })
            .collect()
    };
    aig.outputs = signals("out", 4);
    aig.bad = signals("bad", 2);
    aig.constraints = signals("constraint", 2);
    aig.fairness = signals("fair", 2);
    for i in 0..rng.random_range(0..3) {
        let lits = (0..rng.random_range(0..3)).map(|_| pick(rng, &lits));
        aig.justice.push(Justice {
            lits: lits.collect(),
            name: name(rng, "just", i),
        });
    }
    for i in 0..rng.random_range(0..3) {
        aig.comments.push(format!("comment {i}: c0 is no symbol"));
    }
    aig
}

fn pick(rng: &mut ChaCha8Rng, lits: &[Lit]) -> Lit {
    // Mostly recent literals, so that circuits become deep.
    let from = if rng.random_bool(0.5) {
        lits.len().saturating_sub(8)
    } else {
        0
    };
    lits[rng.random_range(from..lits.len())] ^ rng.random::<bool>()
}

fn name(rng: &mut ChaCha8Rng, prefix: &str, index: usize) -> Option<String> {
    let odd = [
        "",
        " two words ",
        "tab\there",
        "c",
        "ünï→",
        "x[3]",
        "\r",
        "i0 o1",
        "nd:a",
    ];
    match rng.random_range(0..6) {
        0 => None,
        1 => Some(odd[rng.random_range(0..odd.len())].to_owned()),
        _ => Some(format!("{prefix}_{index}")),
    }
}

/// Returns the value of every node at one step.
pub(crate) fn node_values(aig: &Aig, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
    let mut values = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        values[var.index()] = match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => latches[i as usize],
            Node::And(a, b) => value(&values, a) && value(&values, b),
        };
    }
    values
}

/// Returns a literal's value.
pub(crate) fn value(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}

/// Returns the values of all root literals over a few steps from one random stimulus.
pub(crate) fn run(aig: &Aig, rng: &mut ChaCha8Rng, steps: usize) -> Vec<Vec<bool>> {
    let mut latches: Vec<bool> = aig
        .latches()
        .iter()
        .map(|latch| {
            let free = rng.random();
            latch.reset.as_constant().unwrap_or(free)
        })
        .collect();
    let mut seen = Vec::new();
    for _ in 0..steps {
        let inputs: Vec<bool> = aig.inputs().iter().map(|_| rng.random()).collect();
        let values = node_values(aig, &inputs, &latches);
        seen.push(aig.roots().map(|lit| value(&values, lit)).collect());
        latches = aig
            .latches()
            .iter()
            .map(|latch| value(&values, latch.next))
            .collect();
    }
    seen
}
