//! Evidence on determinism of a model and validity of mutants: the certifier accepts it where it holds, by the oracle and by enumeration,
//! and refuses all other claims.

use hyperkill_certify::{CertifyError, Obligations, certify_answering, certify_validity};
use hyperkill_checker::determinism::answering;
use hyperkill_checker::existence::{beginnings, first_step};
use hyperkill_checker::validity::breaches;
use hyperkill_core::aig::Signal;
use hyperkill_core::aiger::{NamesDecide, conditional_mutant};
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::determinism::{Answering, Determinism};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::validity::{Beginning, Validity};
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::oracle::Machine;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn cases(otherwise: u64) -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(otherwise, |text| text.parse().expect("a number"))
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

/// Returns a proof without facts.
fn without_facts() -> Proof {
    Proof {
        k: 1,
        simple_path: false,
        facts: Vec::new(),
        facts_depth: 1,
    }
}

/// Returns variants of this evidence. Some of them may be valid too.
fn others(model: &ConditionalMutant, shown: &Answering, rng: &mut ChaCha8Rng) -> Vec<Answering> {
    let latches = model.aig.latches().len();
    let mut others = vec![
        Answering::Unchosen(Vec::new()),
        Answering::Unchosen((0..latches).collect()),
        Answering::Unchosen(vec![latches]),
        Answering::Proved(without_facts()),
    ];
    match shown {
        Answering::Unchosen(latches) => {
            for left_out in 0..latches.len() {
                let mut fewer = latches.clone();
                fewer.remove(left_out);
                others.push(Answering::Unchosen(fewer));
            }
        }
        Answering::Proved(proof) => {
            for left_out in 0..proof.facts.len() {
                let mut weaker = proof.clone();
                weaker.facts.remove(left_out);
                others.push(Answering::Proved(weaker));
            }
        }
        Answering::Differing(runs) => {
            others.push(Answering::Differing([runs[0].clone(), runs[0].clone()]));
            for _ in 0..8 {
                let mut runs = runs.clone();
                let step = rng.random_range(0..runs[1].steps.len());
                let inputs = &mut runs[1].steps[step];
                if !inputs.is_empty() {
                    let bit = rng.random_range(0..inputs.len());
                    inputs[bit] ^= true;
                }
                others.push(Answering::Differing(runs));
            }
            let mut shorter = runs.clone();
            shorter[0].steps.pop();
            others.push(Answering::Differing(shorter));
        }
    }
    others
}

#[test]
fn evidence_of_determinism_checks_and_none_that_claims_the_contrary_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut kinds, mut refused) = ([0; 3], 0);
    for seed in 0..cases(120) {
        let model = of_any_kind(seed);
        let variants = [None, Some(SelectorId(0))];
        for selector in variants {
            let Ok(machine) = Machine::new(&model, selector) else {
                continue;
            };
            let variant = selector.map_or(Variant::Original, Variant::Mutant);
            let truth = match machine.nondeterminism() {
                Ok(None) => Determinism::Deterministic,
                Ok(Some(_)) => Determinism::NonDeterministic,
                Err(_) => continue,
            };
            let Some(shown) = answering(&model, variant, &unlimited()) else {
                continue;
            };
            assert_eq!(shown.shows(), truth, "seed {seed}, {selector:?}");
            let checked = certify_answering(&model, variant, &shown, &unlimited());
            assert_eq!(checked, Ok(()), "seed {seed}, {selector:?}: {shown:?}");
            kinds[match shown {
                Answering::Unchosen(_) => 0,
                Answering::Proved(_) => 1,
                Answering::Differing(_) => 2,
            }] += 1;
            for other in others(&model, &shown, &mut rng) {
                match certify_answering(&model, variant, &other, &unlimited()) {
                    Ok(()) => assert_eq!(other.shows(), truth, "seed {seed}: {other:?}"),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    println!("{kinds:?} kinds of evidence, {refused} refused");
    assert!(
        kinds[0] > 10 && kinds[2] > 10 && refused > 100,
        "{kinds:?}, {refused}"
    );
}

/// Returns a circuit with two latches that accumulate the same choices, and an output that compares them at times. Only a proof with a
/// fact about both shows that the outputs do not depend on the choices.
fn compared() -> ConditionalMutant {
    let mut aig = Aig::new();
    let asked = aig.add_input(Some("in".into()));
    let choice = aig.add_input(Some("nd:choice".into()));
    let one = aig.add_latch(Reset::Zero, None);
    let other = aig.add_latch(Reset::Zero, None);
    for (number, latch) in [one, other].into_iter().enumerate() {
        let next = aig.xor(latch, choice);
        aig.set_next(number, next);
    }
    let differ = aig.xor(one, other);
    let output = aig.and(asked, differ);
    aig.add_output(output, Some("out".into()));
    conditional_mutant(aig, &NamesDecide).expect("a model")
}

#[test]
fn a_weakened_proof_of_determinism_is_refused() {
    let model = compared();
    let shown = answering(&model, Variant::Original, &unlimited()).expect("evidence");
    let Answering::Proved(proof) = &shown else {
        panic!("{shown:?}");
    };
    let check = |proof: Proof| {
        let shown = Answering::Proved(proof);
        certify_answering(&model, Variant::Original, &shown, &unlimited())
    };
    assert_eq!(check(proof.clone()), Ok(()));
    assert!(matches!(
        check(without_facts()),
        Err(CertifyError::Broken(_))
    ));
    let latches = Answering::Unchosen(vec![0, 1]);
    let read = certify_answering(&model, Variant::Original, &latches, &unlimited());
    assert!(
        matches!(read, Err(CertifyError::Determinism(_))),
        "{read:?}"
    );
}

const VALUES: usize = 4;

/// Returns a circuit with this many mutants, and its obligations. The circuit has gates over a few inputs, latches and all selectors, and
/// constraints that often hold.
fn random(rng: &mut ChaCha8Rng, mutants: usize) -> (ConditionalMutant, Vec<Lit>) {
    let mut aig = Aig::new();
    let mut known: Vec<Lit> = (0..VALUES).map(|_| aig.add_input(None)).collect();
    for reset in [Reset::Zero, Reset::One, Reset::Free] {
        let latch = aig.add_latch(reset, None);
        aig.set_next(aig.latches().len() - 1, latch);
        known.push(latch);
    }
    let mut selectors = Vec::new();
    for index in 0..mutants {
        let latch = aig.add_latch(Reset::Free, None);
        aig.set_next(aig.latches().len() - 1, latch);
        known.push(latch);
        selectors.push(SelectorLatch {
            id: MutantId(format!("m{index}")),
            latch: 3 + index,
        });
    }
    for _ in 0..30 {
        let pick = |rng: &mut ChaCha8Rng| {
            let lit = known[rng.random_range(0..known.len())];
            lit ^ rng.random_bool(0.5)
        };
        let (a, b) = (pick(rng), pick(rng));
        known.push(aig.and(a, b));
    }
    let mut obligations = Vec::new();
    for _ in 0..4 {
        let mut condition = known[rng.random_range(0..known.len())] ^ true;
        for _ in 0..rng.random_range(1..4) {
            let other = known[rng.random_range(0..known.len())] ^ rng.random_bool(0.5);
            condition = aig.or(condition, other);
        }
        obligations.push(condition);
    }
    for _ in 0..rng.random_range(0..3) {
        let mut holds = known[rng.random_range(0..known.len())];
        let other = known[rng.random_range(0..known.len())] ^ rng.random_bool(0.5);
        holds = aig.or(holds, other);
        aig.constraints.push(Signal {
            lit: holds,
            name: None,
        });
    }
    let inputs = (0..VALUES).map(|bit| Port {
        name: format!("i{bit}"),
        sort: Sort::Bool,
        bits: vec![bit],
    });
    let model = ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "m".to_owned(),
        inputs: inputs.collect(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors,
        mutants: Vec::new(),
        aig,
    };
    (model, obligations)
}

/// Returns the claims of evidence: by mutant, the first obligation that it violates; and the mutants without an initial state.
fn claims(shown: &Validity, mutants: usize) -> (Vec<Option<usize>>, Vec<SelectorId>) {
    (shown.broken(mutants), shown.without.clone())
}

/// Returns the engines' evidence; `None` if the original is no valid model.
fn evidence(model: &ConditionalMutant, obligations: &[Lit]) -> Option<Validity> {
    let (original, breaches) = breaches(model, obligations, &unlimited()).expect("no limit");
    if !original.is_empty() {
        return None;
    }
    let mut shown = Validity {
        breaches,
        ..Validity::default()
    };
    if !model.is_unconstrained() {
        let first = first_step(model, &unlimited()).expect("no limit")?;
        let broken = shown.broken(model.selectors.len());
        let mutants = model.selector_ids();
        let others = mutants.filter(|mutant| broken[mutant.0].is_none());
        let others: Vec<SelectorId> = others.collect();
        let found = beginnings(model, &others, first, &unlimited()).expect("no limit");
        (shown.beginnings, shown.without) = found;
    }
    Some(shown)
}

/// Whether a variant has an initial state, by enumeration of all values.
fn begins(model: &ConditionalMutant, variant: Variant) -> bool {
    (0..1_u32 << (VALUES + 1)).any(|code| {
        let bit = |at: usize| code >> at & 1 == 1;
        let mut initial = vec![false; model.aig.latches().len()];
        initial[2] = bit(VALUES);
        let run = Stimulus {
            initial: initial.into(),
            steps: vec![(0..VALUES).map(bit).collect()],
        };
        replay(model, variant, &run).is_ok_and(|trace| trace.broken_at.is_none())
    })
}

/// Returns the evidence with one random change.
fn spoilt(shown: &Validity, mutants: usize, rng: &mut ChaCha8Rng) -> Validity {
    let mut spoilt = shown.clone();
    let any = rng.random_range(0..mutants);
    match rng.random_range(0..8) {
        0 => {
            spoilt.breaches.pop();
        }
        1 => {
            if let Some(breach) = spoilt.breaches.first_mut() {
                breach.obligation = rng.random_range(0..5);
            }
        }
        2 => {
            if let Some(breach) = spoilt.breaches.last_mut() {
                breach.mutants = vec![SelectorId(any)];
            }
        }
        3 => {
            if let Some(breach) = spoilt.breaches.last_mut() {
                let at = rng.random_range(0..breach.inputs.len());
                breach.inputs[at] ^= true;
            }
        }
        4 => spoilt.without = vec![SelectorId(any)],
        5 => spoilt.without.clear(),
        6 => {
            spoilt.beginnings.pop();
        }
        _ => {
            if let Some(beginning) = spoilt.beginnings.last_mut() {
                let at = rng.random_range(0..VALUES);
                beginning.run.steps[0][at] ^= true;
            }
        }
    }
    spoilt
}

#[test]
fn evidence_of_which_mutants_are_models_checks_and_none_with_other_claims_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut checked, mut broken, mut without, mut refused) = (0, 0, 0, 0);
    for round in 0..cases(400) {
        let mutants = rng.random_range(1..9);
        let (model, obligations) = random(&mut rng, mutants);
        let Some(shown) = evidence(&model, &obligations) else {
            continue;
        };
        let asked = Obligations {
            circuit: &model,
            conditions: &obligations,
        };
        let check = |shown: &Validity| certify_validity(&model, Some(&asked), shown, &unlimited());
        assert_eq!(check(&shown), Ok(()), "round {round}: {shown:?}");
        let found = claims(&shown, mutants);
        for mutant in model
            .selector_ids()
            .filter(|mutant| found.0[mutant.0].is_none())
        {
            let said = !shown.without.contains(&mutant);
            assert_eq!(
                begins(&model, Variant::Mutant(mutant)),
                said,
                "round {round}"
            );
        }
        checked += 1;
        broken += found.0.iter().flatten().count();
        without += found.1.len();
        for _ in 0..20 {
            let spoilt = spoilt(&shown, mutants, &mut rng);
            match check(&spoilt) {
                Ok(()) => assert_eq!(claims(&spoilt, mutants), found, "round {round}: {spoilt:?}"),
                Err(error) => {
                    refused += 1;
                    assert!(!matches!(error, CertifyError::Stopped(_)), "{error}");
                }
            }
        }
    }
    println!("{checked} checked, {broken} broken, {without} without, {refused} refused");
    assert!(
        checked > 50 && broken > 50 && without > 5 && refused > 300,
        "{refused}"
    );
}

#[test]
fn a_model_that_breaks_an_obligation_or_has_no_run_is_certified_by_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let mut tried = 0;
    for round in 0..cases(200) {
        let (model, obligations) = random(&mut rng, 2);
        if evidence(&model, &obligations).is_some() {
            continue;
        }
        tried += 1;
        let asked = Obligations {
            circuit: &model,
            conditions: &obligations,
        };
        let run = Stimulus {
            initial: vec![false; model.aig.latches().len()].into(),
            steps: vec![vec![false; VALUES]],
        };
        let made_up = Validity {
            beginnings: vec![Beginning {
                run,
                original: true,
                mutants: vec![SelectorId(0), SelectorId(1)],
            }],
            ..Validity::default()
        };
        for shown in [Validity::default(), made_up] {
            let checked = certify_validity(&model, Some(&asked), &shown, &unlimited());
            assert!(checked.is_err(), "round {round}: {shown:?}");
        }
    }
    assert!(tried > 20, "{tried}");
}
