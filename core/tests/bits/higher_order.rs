//! Higher-order mutants: changes that can be combined, and the equality of a combined circuit with the circuit under several selectors.

use std::collections::BTreeSet;

use hyperkill_core::aig::{Aig, Reset, Signal};
use hyperkill_core::aiger::{NamesDecide, conditional_mutant, read, write_binary};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::higher_order::{Combination, CombinationError, Known, combinations, combine};
use hyperkill_core::mutant::{Mutant, MutantId, Place};
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random::{node_values, value};

/// Length of the text that changes refer to, in characters.
const TEXT: usize = 9;

fn place(rng: &mut ChaCha8Rng) -> Place {
    let start = rng.random_range(0..=TEXT);
    Place {
        file: ["a.smv", "b.smv"][usize::from(rng.random_bool(0.2))].to_owned(),
        start,
        end: (start + rng.random_range(0..3)).min(TEXT),
        line: 1,
        column: start + 1,
    }
}

/// Returns a random circuit with inputs, hidden latches and mutants, most of them with places.
fn model(rng: &mut ChaCha8Rng) -> ConditionalMutant {
    let mut aig = Aig::new();
    let mut lits = vec![Lit::TRUE];
    let mut selectors = Vec::new();
    for index in 0..rng.random_range(2..6) {
        // Selectors stand between inputs and other latches.
        if rng.random_bool(0.5) {
            lits.push(aig.add_input(Some(format!("in{index}"))));
        }
        if rng.random_bool(0.5) {
            let reset = [Reset::Zero, Reset::One, Reset::Free][rng.random_range(0..3)];
            lits.push(aig.add_latch(reset, Some(format!("state{index}"))));
        }
        let id = MutantId(format!("m{index}"));
        let latch = aig.latches().len();
        let lit = aig.add_latch(Reset::Free, Some(format!("mut:{id}")));
        aig.set_next(latch, lit);
        lits.push(lit);
        selectors.push(SelectorLatch { id, latch });
    }
    let pick = |rng: &mut ChaCha8Rng, lits: &[Lit]| {
        lits[rng.random_range(0..lits.len())] ^ rng.random::<bool>()
    };
    for _ in 0..30 {
        let (a, b) = (pick(rng, &lits), pick(rng, &lits));
        lits.push(aig.and(a, b));
    }
    for latch in 0..aig.latches().len() {
        if selectors.iter().all(|selector| selector.latch != latch) {
            aig.set_next(latch, pick(rng, &lits));
        }
    }
    for index in 0..3 {
        aig.add_output(pick(rng, &lits), Some(format!("out{index}")));
    }
    for name in ["bad", "constraint"] {
        let signal = Signal {
            lit: pick(rng, &lits),
            name: Some(name.to_owned()),
        };
        match name {
            "bad" => aig.bad.push(signal),
            _ => aig.constraints.push(signal),
        }
    }
    let port = |name: String, bit: usize| Port {
        name,
        sort: Sort::Bit,
        bits: vec![bit],
    };
    let inputs = aig.inputs().iter().enumerate();
    let inputs = inputs.map(|(bit, input)| port(input.name.clone().unwrap(), bit));
    let known = selectors.iter().filter(|_| rng.random_bool(0.9));
    let known: Vec<MutantId> = known.map(|selector| selector.id.clone()).collect();
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "random".to_owned(),
        inputs: inputs.collect(),
        choices: Vec::new(),
        outputs: (0..3).map(|bit| port(format!("out{bit}"), bit)).collect(),
        mutants: known
            .into_iter()
            .map(|id| Mutant {
                id,
                operator: "OP".to_owned(),
                path: "p".to_owned(),
                place: place(rng),
                original: String::new(),
                replacement: "x".to_owned(),
                changes: Vec::new(),
            })
            .collect(),
        selectors,
        aig,
    }
}

/// Whether both changes can be made in either order, by comparing characters and gaps.
fn apart(a: &Place, b: &Place) -> bool {
    let characters = |p: &Place| (p.start..p.end).collect::<BTreeSet<_>>();
    let splits = |p: &Place, q: &Place| p.start == p.end && q.start < p.start && p.start < q.end;
    let one_gap = a.start == a.end && b.start == b.end && a.start == b.start;
    a.file != b.file
        || (characters(a).is_disjoint(&characters(b)) && !splits(a, b) && !splits(b, a) && !one_gap)
}

#[test]
fn changes_go_together_if_and_only_if_they_are_at_different_places() {
    let mut found = [0; 4];
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = model(&mut rng);
        let place = |part: usize| {
            let id = &model.selectors[part].id;
            model.mutants.iter().find(|m| m.id == *id).map(|m| &m.place)
        };
        let count = model.selectors.len();
        for (order, found) in found.iter_mut().enumerate() {
            let listed: Vec<Combination> = combinations(&model, order).collect();
            assert!(listed.is_sorted(), "seed {seed}");
            let sets = (0..1_usize << count).map(|set| {
                let parts = (0..count).filter(move |part| set >> part & 1 == 1);
                parts.collect::<Vec<usize>>()
            });
            let expected: BTreeSet<Vec<usize>> = sets
                .filter(|parts| parts.len() == order && order > 0)
                .filter(|parts| {
                    let pairs = parts
                        .iter()
                        .flat_map(|a| parts.iter().map(move |b| (*a, *b)));
                    let mut pairs = pairs.filter(|(a, b)| a < b);
                    pairs.all(|(a, b)| match (place(a), place(b)) {
                        (Some(a), Some(b)) => apart(a, b),
                        _ => false,
                    })
                })
                .collect();
            let indices = |c: &Combination| c.parts().iter().map(|part| part.0).collect();
            let parts = listed.iter().map(indices);
            assert_eq!(parts.collect::<BTreeSet<_>>(), expected, "seed {seed}");
            assert_eq!(listed.len(), expected.len(), "seed {seed}");
            for combination in &listed {
                let backwards = combination.parts().iter().rev().copied();
                let again = Combination::new(&Known::of(&model), backwards);
                assert_eq!(again.as_ref(), Ok(combination), "seed {seed}");
            }
            *found += listed.len();
        }
    }
    assert!(found[2] > 300 && found[3] > 100, "{found:?}");
}

#[test]
fn a_combination_is_the_model_with_all_its_selectors_on() {
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = model(&mut rng);
        let mut wanted: Vec<Combination> = (1..=3)
            .flat_map(|order| combinations(&model, order))
            .collect();
        let (count, twice) = (wanted.len(), wanted[0].clone());
        wanted.push(twice);
        let combined = combine(&model, &wanted);
        assert_eq!(combined.selectors.len(), count, "seed {seed}");
        // An AIGER file of the model gives the same ids.
        let file = read(&write_binary(&combined.aig)).unwrap();
        let again = conditional_mutant(file, &NamesDecide).unwrap();
        let ids = |model: &ConditionalMutant| -> Vec<MutantId> {
            model.selectors.iter().map(|s| s.id.clone()).collect()
        };
        assert_eq!(ids(&again), ids(&combined), "seed {seed}");
        let wanted = wanted[..count].iter().map(Some);
        for mutant in wanted.chain([None]) {
            let parts = mutant.map_or(&[][..], Combination::parts);
            let selected = |id: &MutantId| mutant.is_some_and(|mutant| mutant.id(&model) == *id);
            let on = |model: &ConditionalMutant, i: usize, is_on: &dyn Fn(SelectorId) -> bool| {
                model.selector_of_latch()[i].map(is_on)
            };
            let mut states = [&model, &combined].map(|of| vec![false; of.aig.latches().len()]);
            let names = |of: &ConditionalMutant, latch: usize| of.aig.latches()[latch].name.clone();
            for latch in 0..model.aig.latches().len() {
                let free = rng.random();
                let reset = model.aig.latches()[latch].reset.as_constant();
                let known = on(&model, latch, &|s| parts.contains(&s));
                states[0][latch] = known.or(reset).unwrap_or(free);
                let same = |other: &usize| names(&combined, *other) == names(&model, latch);
                if known.is_none() {
                    let other = (0..states[1].len()).find(same).unwrap();
                    states[1][other] = states[0][latch];
                }
            }
            for (latch, state) in states[1].iter_mut().enumerate() {
                let known = on(&combined, latch, &|s| selected(&combined.selectors[s.0].id));
                *state = known.unwrap_or(*state);
            }
            for step in 0..6 {
                let inputs: Vec<bool> = model.aig.inputs().iter().map(|_| rng.random()).collect();
                let mut seen = Vec::new();
                for (of, state) in [&model, &combined].into_iter().zip(&mut states) {
                    let values = node_values(&of.aig, &inputs, state);
                    let roots = of.aig.roots().map(|lit| value(&values, lit));
                    seen.push(roots.collect::<Vec<bool>>());
                    let latches = of.aig.latches().iter();
                    *state = latches.map(|latch| value(&values, latch.next)).collect();
                }
                assert_eq!(seen[0], seen[1], "seed {seed}, {mutant:?}, step {step}");
            }
        }
    }
}

#[test]
fn what_cannot_be_combined_is_said() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut model = model(&mut rng);
    model.mutants.clear();
    let of = |changes: &[usize]| {
        Combination::new(&Known::of(&model), changes.iter().copied().map(SelectorId))
    };
    let id = |index: usize| model.selectors[index].id.clone();
    assert_eq!(of(&[]), Err(CombinationError::Nothing));
    assert_eq!(
        of(&[0, 99]),
        Err(CombinationError::NoSuchMutant(SelectorId(99)))
    );
    assert_eq!(of(&[1, 0]), Err(CombinationError::UnknownPlace(id(0))));
    assert_eq!(of(&[1]).map(|one| one.order()), Ok(1));
    assert_eq!(of(&[1]).map(|one| one.id(&model)), Ok(id(1)));
}

#[test]
fn ids_of_combinations_do_not_depend_on_order_and_tell_them_apart() {
    let ids = ["a", "b", "c", "ab"].map(|id| MutantId(id.to_owned()));
    let of = |parts: &[usize]| {
        let parts: Vec<MutantId> = parts.iter().map(|&part| ids[part].clone()).collect();
        MutantId::of_changes(&parts)
    };
    assert_eq!(of(&[0, 1, 2]), of(&[2, 0, 1]));
    assert_eq!(of(&[1]), ids[1]);
    let different = [&[0][..], &[0, 1], &[1, 2], &[0, 2], &[2, 3], &[0, 1, 2]];
    let found: BTreeSet<MutantId> = different.iter().map(|parts| of(parts)).collect();
    assert_eq!(found.len(), different.len());
    assert_ne!(of(&[0, 1, 2]), MutantId::derive("a", "b", "c", ""));
    // Suites contain ids, so ids must not change between releases.
    assert_eq!(of(&[0, 1]).0, "m-abe40f3271");
}
