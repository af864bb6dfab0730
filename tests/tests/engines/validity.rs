//! Well-formedness of many mutants at once, beside each of them alone by trying all values.

use hyperkill_checker::validity::{Validity, validity};
use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::SelectorLatch;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALUES: usize = 5;

/// A circuit of so many mutants with some conditions that nearly always hold.
fn random(rng: &mut ChaCha8Rng, mutants: usize) -> (ConditionalMutant, Vec<Lit>) {
    let mut aig = Aig::new();
    let mut known: Vec<Lit> = (0..VALUES).map(|_| aig.add_input(None)).collect();
    let mut selectors = Vec::new();
    let mut latches = Vec::new();
    for index in 0..mutants {
        latches.push(aig.add_latch(Reset::Free, None));
        selectors.push(SelectorLatch {
            id: MutantId(format!("m{index}")),
            latch: index,
        });
    }
    known.extend(&latches);
    for _ in 0..60 {
        let (i, j) = (
            rng.random_range(0..known.len()),
            rng.random_range(0..known.len()),
        );
        let made = aig.and(known[i] ^ rng.random(), known[j] ^ rng.random());
        known.push(made);
    }
    let mut obligations = Vec::new();
    for _ in 0..6 {
        let mut condition = known[rng.random_range(0..known.len())] ^ rng.random();
        for _ in 0..rng.random_range(0..5) {
            condition = aig.or(
                condition,
                known[rng.random_range(0..known.len())] ^ rng.random(),
            );
        }
        obligations.push(condition);
    }
    let model = ConditionalMutant {
        name: "m".to_owned(),
        aig,
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors,
        mutants: Vec::new(),
    };
    (model, obligations)
}

fn can_fail(model: &ConditionalMutant, obligation: Lit, on: Option<usize>) -> bool {
    (0..1u32 << VALUES).any(|code| {
        let mut values: Vec<bool> = Vec::new();
        for (_, node) in model.aig.nodes() {
            let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            let value = match node {
                Node::False => false,
                Node::Input(i) => code >> i & 1 == 1,
                Node::Latch(i) => on == Some(i as usize),
                Node::And(a, b) => of(a) && of(b),
            };
            values.push(value);
        }
        !(values[obligation.var().index()] ^ obligation.is_negated())
    })
}

#[test]
fn each_mutant_is_held_to_what_it_breaks_alone() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let (mut broken, mut well) = (0, 0);
    for round in 0..200 {
        let mutants = if round % 20 == 0 {
            130
        } else {
            rng.random_range(0..20)
        };
        let (model, obligations) = random(rng, mutants);
        let all = 0..obligations.len();
        let fails = |number: usize, on| can_fail(&model, obligations[number], on);
        let original: Vec<usize> = all.clone().filter(|n| fails(*n, None)).collect();
        let first = |mutant| {
            let mut own = all.clone().filter(|n| !original.contains(n));
            own.find(|n| fails(*n, Some(mutant)))
        };
        let mutants: Vec<Option<usize>> = (0..mutants).map(first).collect();
        broken += mutants.iter().flatten().count();
        well += mutants.iter().filter(|found| found.is_none()).count();
        let expected = Validity { original, mutants };
        let found = validity(&model, &obligations, &Budget::unlimited());
        assert_eq!(found, Ok(expected));
    }
    assert!(broken > 100 && well > 100, "{broken} {well}");
}
