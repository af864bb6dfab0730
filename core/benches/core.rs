//! Measures the speed of reading AIGER files and of simulation. Run with `cargo bench -p hyperkill-core`.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use hyperkill_core::aig::Reset;
use hyperkill_core::aiger::{read, write_ascii, write_binary};
use hyperkill_core::sim::Simulator;
use hyperkill_core::{Aig, Lit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

/// Returns a random circuit of distinct gates that mostly read recent gates, as in real circuits.
fn circuit(gates: usize) -> Aig {
    let mut rng = ChaCha8Rng::seed_from_u64(gates as u64);
    let mut aig = Aig::new();
    let mut lits: Vec<Lit> = (0..100).map(|_| aig.add_input(None)).collect();
    lits.extend((0..1000).map(|_| aig.add_latch(Reset::Zero, None)));
    while aig.gate_count() < gates {
        let mut pick = || {
            let reach = if rng.random_bool(0.7) {
                500
            } else {
                lits.len()
            };
            let from = lits.len().saturating_sub(reach);
            lits[rng.random_range(from..lits.len())] ^ rng.random::<bool>()
        };
        let (a, b) = (pick(), pick());
        let gate = aig.and(a, b);
        if gate.var().index() + 1 == aig.len() && !gate.is_constant() {
            lits.push(gate);
        }
    }
    for latch in 0..1000 {
        aig.set_next(latch, lits[rng.random_range(0..lits.len())]);
    }
    for _ in 0..100 {
        aig.add_output(lits[rng.random_range(0..lits.len())], None);
    }
    aig
}

#[divan::bench]
fn read_binary_500k_gates(bencher: Bencher) {
    let file = write_binary(&circuit(500_000));
    bencher
        .counter(BytesCount::new(file.len()))
        .bench(|| read(black_box(&file)));
}

#[divan::bench]
fn read_ascii_500k_gates(bencher: Bencher) {
    let file = write_ascii(&circuit(500_000));
    bencher
        .counter(BytesCount::new(file.len()))
        .bench(|| read(black_box(&file)));
}

/// Items are evaluations of one gate in one lane.
#[divan::bench(consts = [1, 4, 8, 16])]
fn simulate_20k_gates<const W: usize>(bencher: Bencher) {
    let aig = circuit(20_000);
    let every_gate = aig.nodes().map(|(var, _)| var.lit());
    let simulator = Simulator::compile(&aig, every_gate);
    let mut lanes = simulator.lanes::<W>();
    lanes.reset(|latch| [latch as u64; W]);
    let mut step = 0;
    bencher
        .counter(ItemsCount::new(simulator.gate_count() * 64 * W))
        .bench_local(|| {
            step += 1;
            lanes.set_input(
                step % 100,
                [0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(step as u64); W],
            );
            lanes.eval();
            lanes.step();
            lanes.value(aig.outputs[0].lit)
        });
}
