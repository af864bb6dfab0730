//! Speed of the engines on a synthetic product of about 20,000 gates, most of which both copies share. Run with
//! `cargo bench -p hyperkill-checker`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hyperkill_checker::engines::bmc::{Bmc, Depth};
use hyperkill_checker::engines::induction::Induction;
use hyperkill_checker::question::Reachability;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::compose::Sharing;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

/// Half a product: registers that shuffle and compare. The mutant differs where a counter is equal to three times another,
/// which never happens and which the solver has to find out at every depth anew.
fn model(gates: usize) -> ConditionalMutant {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut aig = Aig::new();
    let inputs: Vec<Lit> = (0..32)
        .map(|i| aig.add_input(Some(format!("in[{i}]"))))
        .collect();
    let state: Vec<Lit> = (0..512).map(|_| aig.add_latch(Reset::Zero, None)).collect();
    let once: Vec<Lit> = (0..8).map(|_| aig.add_latch(Reset::Zero, None)).collect();
    let thrice: Vec<Lit> = (0..8)
        .map(|i| aig.add_latch(Reset::constant(i == 0), None))
        .collect();
    let selector = aig.add_latch(Reset::Free, Some("mut".into()));
    // once += in[0]; thrice += 3 * in[0], from 0 and 1: thrice = 3 * once + 1 modulo 256.
    let step = inputs[0];
    let next_once = add(&mut aig, &once, &[step]);
    let next_thrice = add(&mut aig, &thrice, &[step, step]);
    for i in 0..8 {
        aig.set_next(512 + i, next_once[i]);
        aig.set_next(520 + i, next_thrice[i]);
    }
    let doubled: Vec<Lit> = std::iter::once(Lit::FALSE)
        .chain(once.iter().copied())
        .take(8)
        .collect();
    let tripled = add(&mut aig, &once, &doubled);
    let same: Vec<Lit> = (0..8).map(|i| aig.iff(tripled[i], thrice[i])).collect();
    let impossible = aig.and_all(&same);
    let flaw = aig.and(impossible, selector);
    let mut lits: Vec<Lit> = inputs.iter().chain(&state).copied().collect();
    while aig.gate_count() < gates {
        let mut pick = || lits[rng.random_range(0..lits.len())] ^ rng.random::<bool>();
        let (a, b, c) = (pick(), pick(), pick());
        let gate = match rng.random_range(0..3) {
            0 => aig.and(a, b),
            1 => aig.xor(a, b),
            _ => aig.ite(a, b, c),
        };
        lits.push(gate);
    }
    let recent = lits.len() - 2_000;
    for latch in 0..512 {
        let next = lits[rng.random_range(recent..lits.len())];
        aig.set_next(latch, next);
    }
    let mixed = aig.xor(state[0], flaw);
    aig.add_output(mixed, Some("out[0]".into()));
    for (i, &lit) in state.iter().enumerate().take(8).skip(1) {
        aig.add_output(lit, Some(format!("out[{i}]")));
    }
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "synthetic".into(),
        inputs: (0..32)
            .map(|bit| Port {
                name: format!("in[{bit}]"),
                sort: Sort::Bit,
                bits: vec![bit],
            })
            .collect(),
        choices: Vec::new(),
        outputs: (0..8)
            .map(|bit| Port {
                name: format!("out[{bit}]"),
                sort: Sort::Bit,
                bits: vec![bit],
            })
            .collect(),
        selectors: vec![SelectorLatch {
            id: MutantId("mut".into()),
            latch: 528,
        }],
        mutants: Vec::new(),
        aig,
    }
}

/// The sum of two numbers, the second one possibly shorter, as long as the first.
fn add(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut carry = Lit::FALSE;
    let mut sum = Vec::new();
    for (i, &x) in a.iter().enumerate() {
        let y = b.get(i).copied().unwrap_or(Lit::FALSE);
        let half = aig.xor(x, y);
        sum.push(aig.xor(half, carry));
        let both = aig.and(x, y);
        let passed = aig.and(half, carry);
        carry = aig.or(both, passed);
    }
    sum
}

fn product() -> Reachability {
    let question = Reachability::phi1(&model(20_000), SelectorId(0), Sharing::Independent);
    question.expect("φ1 composes")
}

/// Items are depths: from reset, each decided by the solver.
#[divan::bench(sample_count = 3)]
fn bmc_16_depths_on_a_20k_gate_product(bencher: Bencher) {
    let question = product();
    bencher.counter(ItemsCount::new(16usize)).bench(|| {
        let mut bmc = Bmc::new(&question);
        for _ in 0..16 {
            assert_eq!(bmc.deepen(None, &Budget::unlimited()), Depth::Refuted);
        }
    });
}

/// Candidate facts found and refined to an inductive set.
#[divan::bench(sample_count = 3)]
fn facts_of_a_20k_gate_product(bencher: Bencher) {
    let question = product();
    bencher.bench(|| {
        Induction::new(&question, false, 10_000, &Budget::unlimited())
            .facts()
            .len()
    });
}

/// Self-composition by the formula.
#[divan::bench(sample_count = 5)]
fn compose_phi1_of_a_20k_gate_model(bencher: Bencher) {
    let model = model(20_000);
    bencher.bench(|| Reachability::phi1(&model, SelectorId(0), Sharing::Independent));
}
