//! The search through pairs of states, compared with an oracle that lists pairs on its own.

use hyperkill_certify::certify_closed_set;
use hyperkill_checker::engines::pairs::{Listings, Walked};
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::trace::replay;
use hyperkill_core::work::done;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_smv::SmvFrontend;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::oracle::explicit::{Verdict, shortest_kill};

#[test]
fn the_nearest_pair_of_states_whose_outputs_differ_is_found_or_there_is_none() {
    let budget = Budget::unlimited();
    let (mut found_far, mut found, mut nothing, mut not_listed) = (0, 0, 0, 0);
    for seed in 0..3_000 {
        let kind = [Kind::Deterministic, Kind::MutantChooses][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let Some(listing) = Listings::new(&model, false, &mutants, &budget) else {
            not_listed += 1;
            continue;
        };
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("small");
            let kill = oracle.potential_kill().expect("small");
            let shortest = kill.map(|inputs| inputs.len());
            let context = format!("seed {seed}, mutant {mutant}, oracle {shortest:?}");
            match listing.walk(mutant, None, &budget) {
                Walked::Found(runs) => {
                    assert_eq!(Some(runs.steps), shortest, "{context}");
                    let [original, mutated] = &runs.runs[..] else {
                        panic!("{context}: {} runs", runs.runs.len());
                    };
                    let original = replay(&model, Variant::Original, original).expect("fits");
                    let mutated = replay(&model, Variant::Mutant(mutant), mutated).expect("fits");
                    assert_eq!((original.broken_at, mutated.broken_at), (None, None));
                    assert_ne!(original.outputs.last(), mutated.outputs.last(), "{context}");
                    found += 1;
                    found_far += usize::from(runs.steps > 2);
                    for bound in 0..=runs.steps {
                        let bounded = listing.walk(mutant, Some(bound), &budget);
                        let expected = if bound < runs.steps {
                            Walked::Open(bound)
                        } else {
                            Walked::Found(runs.clone())
                        };
                        assert_eq!(bounded, expected, "{context}, bound {bound}");
                    }
                }
                Walked::Nothing | Walked::Alike => {
                    assert_eq!(shortest, None, "{context}");
                    nothing += 1;
                }
                Walked::Open(refuted) => panic!("{context}: open at {refuted}"),
            }
        }
    }
    println!(
        "{found} found, {found_far} of them in three steps or more; {nothing} not; {not_listed} models not listed"
    );
    assert!(found_far >= 300 && nothing >= 300 && not_listed <= 1_500);
}

/// Returns the model with `more` additional inputs. Outputs are only visible in the step after these inputs were `code`.
fn behind_a_gate(mut model: ConditionalMutant, more: usize, code: usize) -> ConditionalMutant {
    let aig = &mut model.aig;
    let mut opens = Lit::TRUE;
    for bit in 0..more {
        let name = format!("code{bit}");
        let input = aig.add_input(Some(name.clone()));
        opens = aig.and(opens, input ^ (code >> bit & 1 == 0));
        model.inputs.push(Port {
            name,
            sort: Sort::Bit,
            bits: vec![aig.inputs().len() - 1],
        });
    }
    let open = aig.add_latch(Reset::Zero, None);
    aig.set_next(aig.latches().len() - 1, opens);
    for output in 0..aig.outputs.len() {
        let behind = aig.and(aig.outputs[output].lit, open);
        aig.outputs[output].lit = behind;
    }
    model
}

#[test]
fn inputs_and_choices_in_common_are_walked_through_as_letters_however_many_there_are() {
    let budget = Budget::unlimited();
    let (mut found, mut nothing, mut letters_above_64) = (0, 0, 0);
    for seed in 0..900 {
        let controllable = seed % 2 == 0;
        let kind = [Kind::Choices, Kind::Deterministic][seed as usize % 2];
        let more = seed as usize % 7;
        let model = behind_a_gate(conditional_mutant(seed, kind), more, seed as usize);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let Some(listing) = Listings::new(&model, controllable, &mutants, &budget) else {
            continue;
        };
        for mutant in model.selector_ids() {
            let oracle = shortest_kill(&model, mutant, controllable, 1 << 20);
            let context = format!("seed {seed}, mutant {mutant}, oracle {oracle:?}");
            match (listing.walk(mutant, None, &budget), oracle) {
                (Walked::Found(runs), Verdict::Killed(steps)) => {
                    assert_eq!(runs.steps, steps, "{context}");
                    found += 1;
                    letters_above_64 += usize::from(more >= 6);
                }
                (Walked::Nothing | Walked::Alike, Verdict::Equivalent) => nothing += 1,
                (walked, _) => panic!("{context}: {walked:?}"),
            }
        }
    }
    println!("{found} found, {letters_above_64} of them with more than 64 letters; {nothing} not");
    assert!(found >= 400 && nothing >= 400 && letters_above_64 >= 50);
}

/// Returns the model with outputs that read a choice of the step before but do not depend on it.
fn with_an_idle_choice(mut model: ConditionalMutant) -> ConditionalMutant {
    let aig = &mut model.aig;
    let choice = aig.add_input(Some("idle".to_owned()));
    let [same, other] = [Reset::Zero, Reset::One].map(|reset| aig.add_latch(reset, None));
    let last = aig.latches().len() - 1;
    aig.set_next(last - 1, choice);
    aig.set_next(last, !choice);
    let always = aig.xor(same, other);
    for output in 0..aig.outputs.len() {
        let read = aig.and(aig.outputs[output].lit, always);
        aig.outputs[output].lit = read;
    }
    model.choices.push(Port {
        name: "idle".to_owned(),
        sort: Sort::Bit,
        bits: vec![model.aig.inputs().len() - 1],
    });
    model
}

#[test]
fn of_a_deterministic_original_without_constraints_runs_with_common_choices_are_enough() {
    let budget = Budget::unlimited();
    let (mut found, mut nothing) = (0, 0);
    for seed in 0..600 {
        let kind = [Kind::Deterministic, Kind::MutantChooses][seed as usize % 2];
        let mut model = conditional_mutant(seed, kind);
        model.aig.constraints.clear();
        let model = with_an_idle_choice(model);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let Some(listing) = Listings::new(&model, true, &mutants, &budget) else {
            panic!("seed {seed}: not listed");
        };
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("small");
            let kill = oracle.potential_kill().expect("small");
            let shortest = kill.map(|inputs| inputs.len());
            let context = format!("seed {seed}, mutant {mutant}");
            match listing.walk(mutant, None, &budget) {
                Walked::Found(runs) => {
                    assert_eq!(Some(runs.steps), shortest, "{context}");
                    found += 1;
                }
                Walked::Nothing | Walked::Alike => {
                    assert_eq!(shortest, None, "{context}");
                    nothing += 1;
                }
                Walked::Open(refuted) => panic!("{context}: open at {refuted}"),
            }
        }
    }
    println!("{found} found; {nothing} not");
    assert!(found >= 200 && nothing >= 100, "{found}, {nothing}");
}

#[test]
fn mutants_that_are_never_apart_have_one_proof_and_no_others_have_it() {
    let budget = Budget::unlimited();
    let (mut proved, mut refusing, mut forged) = (0, 0, 0);
    for seed in 0..2_000 {
        let kinds = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices];
        let kind = kinds[seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let common = kind == Kind::Choices;
        let Some(listing) = Listings::new(&model, common, &mutants, &budget) else {
            continue;
        };
        let is_alike = |mutant: &SelectorId| listing.walk(*mutant, None, &budget) == Walked::Alike;
        let (alike, others): (Vec<SelectorId>, _) = mutants.into_iter().partition(is_alike);
        for closed in listing.closed_sets(&alike) {
            let context = format!("seed {seed}, {:?}", closed.members);
            let checked = certify_closed_set(&model, &closed, &budget);
            assert_eq!(checked, Ok(()), "{context}");
            for &member in &closed.members {
                let oracle = Oracle::new(&model, member).expect("small");
                assert_eq!(oracle.potential_kill().expect("small"), None, "{context}");
                proved += 1;
                refusing += usize::from(!model.is_unconstrained());
            }
            for &other in &others {
                let oracle = Oracle::new(&model, other).expect("small");
                if oracle.potential_kill().expect("small").is_some() {
                    let mut lie = closed.clone();
                    lie.members.push(other);
                    lie.members.sort_unstable();
                    assert!(
                        certify_closed_set(&model, &lie, &budget).is_err(),
                        "{context}"
                    );
                    forged += 1;
                }
            }
        }
    }
    println!(
        "{proved} proved, {refusing} of them where inputs may be refused; {forged} lies refused"
    );
    assert!(proved >= 300 && refusing >= 50 && forged >= 100);
}

#[test]
fn states_that_come_one_by_one_are_compared_with_a_mutant_together() {
    let steps = 255;
    let text = format!(
        "MODULE main\nVAR\n  go : boolean; -- @input\n  n : 0..{steps};\n  top : boolean; -- @output\nASSIGN\n  \
         init(n) := 0;\n  next(n) := case go & n < {steps} : n + 1; TRUE : n; esac;\n  init(top) := FALSE;\n  \
         next(top) := n = {steps};\n"
    );
    let source = SourceFile::new("counter.smv", text);
    let translated = SmvFrontend.translate(&[source], &FrontendOptions::default());
    let blasted = bit_blast(&translated.expect("a model").system).expect("a circuit");
    let model = blasted.model;
    let mutants: Vec<SelectorId> = model.selector_ids().collect();
    let budget = Budget::unlimited();
    let before = done();
    let listing = Listings::new(&model, false, &mutants, &budget).expect("few states");
    let listed = (done() - before).gates;
    assert!(listed > 0);
    let mut alike = 0;
    for mutant in mutants {
        let before = done();
        if listing.walk(mutant, None, &budget) == Walked::Alike {
            let compared = (done() - before).gates;
            // One evaluation handles all steps; listing handles one state at a time.
            assert!(compared * 50 < listed, "{mutant}: {compared} of {listed}");
            alike += 1;
        }
    }
    println!("{alike} mutants that are never apart");
    assert!(alike > 0);
}
