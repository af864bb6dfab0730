//! Verdicts carried over to an edited model, on random models with random edits: they equal the verdicts of a fresh run, and their
//! evidence holds for the edited model.

use std::collections::BTreeMap;

use hyperkill_certify::{
    CertifyError, LISTING, certify_closed_set, certify_estimates, certify_kill, certify_proof,
    certify_simulation, certify_tree,
};
use hyperkill_checker::carry_over::{Contents, Transfer};
use hyperkill_checker::rounds::{Report, Silent};
use hyperkill_checker::{Options, decide_all};
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::verdict::{Certificate, Kill, Outcome, Strength, Verdict};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::lock::combination_lock;
use hyperkill_tests::unstructured::cases;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn original(seed: u64) -> ConditionalMutant {
    match seed % 5 {
        0 => conditional_mutant(seed, Kind::Deterministic),
        1 => conditional_mutant(seed, Kind::MutantChooses),
        2 => conditional_mutant(seed, Kind::Choices),
        3 => conditional_mutant(seed, Kind::Small),
        _ => combination_lock(seed),
    }
}

/// Returns the model after one edit, with the kind of the edit.
fn edited(model: &ConditionalMutant, seed: u64) -> (ConditionalMutant, &'static str) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut model = model.clone();
    let selectors = model.selector_of_latch();
    let latches = selectors.iter().enumerate();
    let latches: Vec<usize> = latches
        .filter(|(_, selector)| selector.is_none())
        .map(|(at, _)| at)
        .collect();
    let latch = latches[rng.random_range(0..latches.len())];
    let aig = &mut model.aig;
    let what = match rng.random_range(0..6) {
        0 => {
            let reset = match aig.latches()[latch].reset {
                Reset::Zero => Reset::One,
                Reset::One | Reset::Free => Reset::Zero,
            };
            aig.set_reset(latch, reset);
            "another first value"
        }
        1 => {
            let next = aig.latches()[latch].next;
            aig.set_next(latch, !next);
            "another next value"
        }
        2 => {
            let output = rng.random_range(0..aig.outputs.len());
            aig.outputs[output].lit = !aig.outputs[output].lit;
            "another output"
        }
        3 if !aig.constraints.is_empty() => {
            aig.constraints.pop();
            "a constraint less"
        }
        3 => {
            let lit = aig.latches()[latch].var.lit();
            let input = aig.inputs()[0].var.lit();
            let both = aig.and(lit, input);
            let mut signal = aig.outputs[0].clone();
            (signal.lit, signal.name) = (!both, None);
            aig.constraints.push(signal);
            "a constraint more"
        }
        4 => {
            let input = aig.inputs()[0].var.lit();
            let new = aig.add_latch(Reset::Zero, Some("added".to_owned()));
            let [up, down] = [aig.and(new, !input), aig.and(!new, input)];
            let next = !aig.and(!up, !down);
            aig.set_next(aig.latches().len() - 1, next);
            aig.add_output(new, Some("shown".to_owned()));
            model.outputs.push(Port {
                name: "shown".to_owned(),
                sort: Sort::Bool,
                bits: vec![model.aig.outputs.len() - 1],
            });
            "a part more"
        }
        _ => "nothing",
    };
    (model, what)
}

fn options(model: &ConditionalMutant) -> Options {
    Options {
        bound: Some(12),
        adaptive: true,
        fold_duplicates: false,
        ..Options::all(model)
    }
}

fn report(model: &ConditionalMutant) -> Report {
    let report = decide_all(model, &options(model), &Budget::unlimited(), &mut Silent);
    report.unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

fn outcomes<'a>(
    model: &ConditionalMutant,
    report: &'a Report,
) -> BTreeMap<SelectorId, &'a Outcome> {
    let outcomes = report.outcomes.iter().map(|outcome| {
        let mutant = model.selector_of_mutant(&outcome.mutant.0);
        (mutant.expect("a mutant of the model"), outcome)
    });
    outcomes.collect()
}

/// Returns the word for a verdict and the strength of a kill, without the evidence.
fn said(outcome: &Outcome) -> (&'static str, Option<Strength>) {
    let strength = match &outcome.verdict {
        Verdict::Killed(kill) => Some(kill.strength),
        _ => None,
    };
    (outcome.verdict.word(), strength)
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown { .. })
}

/// Whether the certifier accepts the evidence of an outcome for this model.
fn is_shown(model: &ConditionalMutant, mutant: SelectorId, outcome: &Outcome) -> bool {
    let budget = Budget::unlimited();
    let killed = |kill: &Kill| -> Result<(), CertifyError> {
        certify_kill(model, mutant, kill, LISTING, &budget)?;
        match &kill.tree {
            Some(tree) => certify_tree(model, mutant, tree, kill.strength, &budget),
            None => Ok(()),
        }
    };
    let proved = |certificate: &Certificate| match certificate {
        Certificate::Induction { question, proof } => {
            certify_proof(model, question, proof, &budget)
        }
        Certificate::ClosedSet(closed) => certify_closed_set(model, closed, &budget),
        Certificate::Simulation(simulation) => certify_simulation(model, simulation, &budget),
        Certificate::Estimates(estimates) => certify_estimates(model, estimates, &budget),
    };
    let shown = match &outcome.verdict {
        Verdict::Killed(kill) => killed(kill),
        Verdict::Equivalent(certificate)
        | Verdict::RefusesInput { certificate, .. }
        | Verdict::NotDefinitelyKillable { certificate, .. } => proved(certificate),
        _ => return false,
    };
    shown.is_ok()
}

#[derive(Default, Debug)]
struct Counts {
    mutants: usize,
    alike: usize,
    transferred: usize,
    shown: usize,
}

/// Returns a description of a wrong verdict for this seed: one that is carried over and not correct. `None` if all are correct.
fn disagreement(seed: u64, counts: &mut Counts) -> Option<String> {
    let old = original(seed);
    let (new, what) = edited(&old, seed);
    let (before, now) = (report(&old), report(&new));
    let (known, found) = (outcomes(&old, &before), outcomes(&new, &now));
    counts.mutants += found.len();
    if (before.original, before.property) != (now.original, now.property) {
        return None;
    }
    let (mut theirs, mut ours) = (Contents::of(&old), Contents::of(&new));
    let mutants = |of: &BTreeMap<SelectorId, &Outcome>| of.keys().copied().collect::<Vec<_>>();
    let alike = ours.alike(&mutants(&found), &mut theirs, &mutants(&known));
    let mut transfer = Transfer::new(&theirs, &mut ours);
    for (mutant, other) in alike {
        let (had, has) = (known[&other], found[&mutant]);
        if is_open(had) || is_open(has) {
            continue;
        }
        counts.alike += 1;
        if said(had) != said(has) {
            return Some(format!(
                "{what}: {:?} before, {:?} now",
                said(had),
                said(has)
            ));
        }
        let Some(carried) = transfer.outcome([other, mutant], had) else {
            continue;
        };
        counts.transferred += 1;
        counts.shown += usize::from(is_shown(&new, mutant, &carried));
    }
    None
}

#[test]
fn what_is_carried_over_is_what_a_run_from_scratch_finds() {
    let mut counts = Counts::default();
    for seed in 0..cases(300) {
        if let Some(how) = disagreement(seed, &mut counts) {
            panic!("seed {seed}: {how}");
        }
    }
    println!("{counts:?}");
    assert!(counts.alike * 10 > counts.mutants * 3, "{counts:?}");
    // Proofs that enumerate states of the complete model are computed again.
    assert!(counts.shown * 10 > counts.alike * 8, "{counts:?}");
}

#[test]
fn a_key_that_forgets_constraints_or_first_values_is_noticed() {
    for fault in fault::CARRIED_OVER {
        let noticed = (0..2000).find_map(|seed| {
            fault::plant(Some(fault));
            let found = disagreement(seed, &mut Counts::default());
            fault::plant(None);
            Some((seed, found?))
        });
        let Some((seed, how)) = noticed else {
            panic!("{fault:?} is not noticed");
        };
        println!("{fault:?}, seed {seed}: {how}");
    }
}

#[test]
fn what_an_edit_does_not_reach_stays_and_what_it_reaches_does_not() {
    let model = two_lights();
    let mut edited = model.clone();
    edited.aig.set_reset(1, Reset::One);
    let (mut theirs, mut ours) = (Contents::of(&model), Contents::of(&edited));
    let all: Vec<SelectorId> = model.selector_ids().collect();
    let alike = ours.alike(&all, &mut theirs, &all);
    let expected = BTreeMap::from([(SelectorId(0), SelectorId(0))]);
    assert_eq!(alike, expected);
}

/// Returns a model of two independent lights, with a mutant each.
fn two_lights() -> ConditionalMutant {
    let mut model = combination_lock(0);
    let mut aig = hyperkill_core::Aig::new();
    let press = aig.add_input(Some("press".to_owned()));
    let lights: Vec<Lit> = ["left", "right"]
        .map(|name| aig.add_latch(Reset::Zero, Some(name.to_owned())))
        .to_vec();
    let mut selectors = Vec::new();
    for (at, &light) in lights.iter().enumerate() {
        let switch = aig.add_latch(Reset::Free, Some(format!("mut:m{at}")));
        let latch = aig.latches().len() - 1;
        aig.set_next(latch, switch);
        selectors.push(latch);
        let off = aig.and(press, !switch);
        let [up, down] = [aig.and(light, !off), aig.and(!light, off)];
        let next = !aig.and(!up, !down);
        aig.set_next(at, next);
        aig.add_output(light, Some(format!("out{at}")));
    }
    let port = |name: &str, bit| Port {
        name: name.to_owned(),
        sort: Sort::Bool,
        bits: vec![bit],
    };
    model.inputs = vec![port("press", 0)];
    model.choices = Vec::new();
    model.outputs = vec![port("out0", 0), port("out1", 1)];
    model.selectors.truncate(1);
    let first = model.selectors[0].clone();
    model.selectors = selectors
        .into_iter()
        .enumerate()
        .map(|(at, latch)| {
            let mut selector = first.clone();
            selector.id.0 = format!("m{at}");
            selector.latch = latch;
            selector
        })
        .collect();
    model.mutants = Vec::new();
    model.aig = aig;
    model
}
