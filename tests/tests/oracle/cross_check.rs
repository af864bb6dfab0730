//! The oracle's searches compared with enumeration, on random systems.
//!
//! The searches use sets of states, shortest paths and a bit-parallel product, and so could be wrong. This test enumerates all input
//! sequences up to a small length, and the answers must agree.

use hyperkill_core::SelectorId;
use std::collections::BTreeMap;

use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::explicit::{self, Verdict};
use hyperkill_tests::oracle::{Oracle, Stimulus, Strength, Test};

const KINDS: [Kind; 3] = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices];

/// Returns all input sequences of one length.
fn stimuli(oracle: &Oracle, length: usize) -> Vec<Stimulus> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .iter()
            .flat_map(|prefix: &Stimulus| {
                oracle.original.alphabet().map(move |input| {
                    let mut longer = prefix.clone();
                    longer.push(input);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Returns the first length up to `bound` at which `holds` is true for some input sequence. `None` if there is none.
fn first_length(oracle: &Oracle, bound: usize, holds: impl Fn(&Stimulus) -> bool) -> Option<usize> {
    (0..=bound).find(|&length| stimuli(oracle, length).iter().any(&holds))
}

/// Whether a search and its enumeration agree up to `bound`: the search finds the first length, or no sequence that short.
fn agree(searched: Option<&Stimulus>, enumerated: Option<usize>, bound: usize) -> bool {
    match enumerated {
        Some(length) => searched.is_some_and(|inputs| inputs.len() == length),
        None => searched.is_none_or(|inputs| inputs.len() > bound),
    }
}

#[test]
fn searches_agree_with_trying_every_input_sequence() {
    for seed in 0..120 {
        let kind = KINDS[seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            // 8 inputs: 585 sequences; 2 inputs: 127.
            let bound = [0, 6, 4, 3][oracle.original.input_bits()];
            let check = |what: &str,
                         searched: Result<Option<Stimulus>, _>,
                         holds: &dyn Fn(&Stimulus) -> bool| {
                let searched = searched.expect("a tiny search");
                let enumerated = first_length(&oracle, bound, holds);
                assert!(
                    agree(searched.as_ref(), enumerated, bound),
                    "seed {seed}, {kind:?}, selector {selector}: {what} searched {searched:?}, enumerated {enumerated:?}"
                );
                if let Some(inputs) = searched {
                    assert!(
                        holds(&inputs),
                        "seed {seed}, {kind:?}, selector {selector}: {what}, {inputs:?} is no answer"
                    );
                }
            };
            check("potential kill", oracle.potential_kill(), &|inputs| {
                oracle.responses(inputs).kill_potentially()
            });
            check("definite kill", oracle.definite_kill(), &|inputs| {
                oracle.responses(inputs).kill_definitely()
            });
            check("difference", oracle.difference(), &|inputs| {
                let responses = oracle.responses(inputs);
                let pairs = responses.original.iter().flat_map(|o| {
                    let mutant = &responses.mutant;
                    mutant.iter().map(move |m| (o, m))
                });
                pairs.into_iter().any(|(o, m)| o != m)
            });
            check("shared", oracle.controllable_difference(), &|inputs| {
                let pairs = oracle.shared_choice_responses(inputs);
                pairs.iter().any(|(o, m)| o != m)
            });
            check("nondeterminism", oracle.original.nondeterminism(), &|i| {
                oracle.original.responses(i).len() > 1
            });
            check("acceptance", oracle.acceptance_difference(), &|inputs| {
                let responses = oracle.responses(inputs);
                responses.original.is_empty() != responses.mutant.is_empty()
            });
            check("refusal", oracle.refusal(), &|inputs| {
                let responses = oracle.responses(inputs);
                !responses.original.is_empty() && responses.mutant.is_empty()
            });
        }
    }
}

#[test]
fn the_propositions_of_the_semantics_hold_of_the_searches() {
    let mut seen = BTreeMap::new();
    for seed in 1000..1400 {
        let kind = KINDS[seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let oracle = Oracle::new(&model, SelectorId(0)).expect("a tiny circuit");
        let potential = oracle.potential_kill().expect("a tiny search");
        let definite = oracle.definite_kill().expect("a tiny search");
        let difference = oracle.difference().expect("a tiny search");
        let shared = oracle.controllable_difference().expect("a tiny search");
        let identity = oracle.identity_strategy_failure().expect("a tiny search");
        let model_choice = oracle.original.nondeterminism().expect("a tiny search");
        let mutant_choice = oracle.mutant.nondeterminism().expect("a tiny search");
        let place = format!("seed {seed}, {kind:?}");

        let length = |found: &Option<Stimulus>| found.as_ref().map(Vec::len);
        if let Some(inputs) = &definite {
            let potential = length(&potential).expect("definite ⇒ potential");
            assert!(potential <= inputs.len(), "{place}");
        }
        if mutant_choice.is_none() {
            assert_eq!(length(&potential), length(&definite), "{place}");
        }
        if model_choice.is_none() {
            assert_eq!(length(&potential), length(&difference), "{place}");
        }
        // A kill is a difference, and so is one under the same choices.
        for inputs in [&potential, &shared].into_iter().flatten() {
            let difference = length(&difference).expect("a kill ⇒ a difference");
            assert!(difference <= inputs.len(), "{place}");
        }
        // An identity strategy proves equivalence.
        if identity.is_none() {
            assert_eq!(potential, None, "{place}");
        }
        for (what, found) in [
            ("potential", &potential),
            ("definite", &definite),
            ("difference without kill", &{
                difference.filter(|_| potential.is_none())
            }),
            ("not deterministic", &model_choice),
        ] {
            *seen.entry(what).or_insert(0) += usize::from(found.is_some());
        }
    }
    println!("{seen:?}");
    assert!(seen.values().all(|&count| count >= 20), "{seen:?}");
}

#[test]
fn the_bit_parallel_product_agrees_with_the_step_tables() {
    for seed in 2000..2600 {
        let kind = KINDS[seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let cases = [
                (
                    oracle.difference(),
                    explicit::shortest_kill(&model, selector, false, 1 << 16),
                ),
                (
                    oracle.controllable_difference(),
                    explicit::shortest_kill(&model, selector, true, 1 << 16),
                ),
                (
                    oracle.original.nondeterminism(),
                    explicit::shortest_nondeterminism(&model, None, 1 << 16),
                ),
                (
                    oracle.mutant.nondeterminism(),
                    explicit::shortest_nondeterminism(&model, Some(selector), 1 << 16),
                ),
            ];
            for (question, (tables, product)) in cases.into_iter().enumerate() {
                let expected = match tables.expect("a tiny search") {
                    Some(inputs) => Verdict::Killed(inputs.len()),
                    None => Verdict::Equivalent,
                };
                assert_eq!(
                    product, expected,
                    "seed {seed}, {kind:?}, selector {selector}, question {question}"
                );
            }
        }
    }
}

#[test]
fn a_limit_that_is_too_small_is_admitted() {
    let model = conditional_mutant(0, Kind::Choices);
    assert_eq!(
        explicit::shortest_nondeterminism(&model, None, 0),
        Verdict::TooBig
    );
}

#[test]
fn a_test_found_by_search_is_valid_with_every_output_of_the_model() {
    for seed in 3000..3100 {
        let model = conditional_mutant(seed, KINDS[seed as usize % 3]);
        let oracle = Oracle::new(&model, SelectorId(0)).expect("a tiny circuit");
        let found = [
            (oracle.potential_kill(), Strength::Potential),
            (oracle.definite_kill(), Strength::Definite),
        ];
        for (inputs, strength) in found {
            let Some(inputs) = inputs.expect("a tiny search") else {
                continue;
            };
            for outputs in &oracle.responses(&inputs).original {
                let test = Test {
                    inputs: &inputs,
                    outputs,
                    mutant_outputs: None,
                };
                assert_eq!(
                    oracle.validate_test(&test, strength),
                    Ok(()),
                    "seed {seed}, {strength:?}"
                );
            }
        }
    }
}
