//! Common reachable states of original and mutant in observable models, compared with the oracle.

use hyperkill_certify::{LISTING, certify_closed_set, certify_kill};
use hyperkill_checker::engines::explicit::Witness;
use hyperkill_checker::engines::pairs::{ChoosingListings, Together};
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::verdict::{Kill, Stronger};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Oracle, Strength, Test};
use hyperkill_tests::unstructured::cases;
use hyperkill_tests::wide::{Widening, widened};

/// Returns the model with its state as output: each latch before the step or, where `after` has the bit of the latch, after it.
fn shown(mut model: ConditionalMutant, after: u64) -> ConditionalMutant {
    let selectors = model.selector_of_latch();
    for (latch, selector) in selectors.into_iter().enumerate() {
        if selector.is_some() {
            continue;
        }
        let seen = &model.aig.latches()[latch];
        let lit = match after >> latch & 1 == 1 {
            true => seen.next,
            false => seen.var.lit(),
        };
        let name = format!("seen-{latch}");
        model.outputs.push(Port {
            name: name.clone(),
            sort: Sort::Bit,
            bits: vec![model.aig.outputs.len()],
        });
        model.aig.add_output(lit, Some(name));
    }
    model
}

fn listings<'a>(model: &'a ConditionalMutant, budget: &Budget) -> Option<ChoosingListings<'a>> {
    let mutants: Vec<SelectorId> = model.selector_ids().collect();
    ChoosingListings::new(model, &mutants, budget)
}

/// Compares the results for a mutant with the oracle. Returns whether there are any results.
fn check(model: &ConditionalMutant, mutant: SelectorId, said: &Together) -> Result<bool, String> {
    let oracle = Oracle::new(model, mutant).map_err(|error| error.to_string())?;
    let expected = oracle.potential_kill().map_err(|error| error.to_string())?;
    let expected = expected.map(|inputs| inputs.len());
    match said {
        Together::Killed(witness) => {
            let runs = [&witness.model_run, &witness.mutant_run];
            let inputs = runs.map(|run| {
                let steps = run.steps.iter();
                steps.map(|step| oracle.original.input_word(step)).collect()
            });
            let [inputs, others]: [Vec<u64>; 2] = inputs;
            if inputs != others || Some(inputs.len()) != expected {
                return Err(format!("{inputs:?}, {others:?}, expected {expected:?}"));
            }
            let replayed = |run, side| hyperkill_core::trace::replay(model, side, run);
            let sides = [Variant::Original, Variant::Mutant(mutant)];
            let [original, mutated] = [0, 1].map(|k| replayed(runs[k], sides[k]));
            let (original, mutated) = (original.expect("fits"), mutated.expect("fits"));
            if original.broken_at.is_some() || mutated.broken_at.is_some() {
                return Err("a run breaks a constraint".to_owned());
            }
            let words = |outputs: &[Vec<bool>]| -> Vec<u64> {
                let words = outputs.iter().map(|bits| {
                    let bits = bits.iter().enumerate();
                    bits.fold(0, |word, (k, &bit)| word | u64::from(bit) << k)
                });
                words.collect()
            };
            let mutant_outputs = words(&mutated.outputs);
            let test = Test {
                inputs: &inputs,
                outputs: &words(&original.outputs),
                mutant_outputs: Some(&mutant_outputs),
            };
            let valid = oracle.validate_test(&test, Strength::Potential);
            valid.map(|()| true).map_err(|defect| defect.to_string())
        }
        Together::Never(closed) => {
            if let Some(steps) = expected {
                return Err(format!("a test of {steps} steps kills"));
            }
            let certified = certify_closed_set(model, closed, &Budget::unlimited());
            certified.map(|()| true).map_err(|error| error.to_string())
        }
        Together::Open => Ok(false),
    }
}

#[test]
fn where_the_state_is_shown_kills_are_shortest_and_the_states_prove_the_rest() {
    let budget = Budget::unlimited();
    let (mut killed, mut late, mut never, mut open) = (0, 0, 0, 0);
    for seed in 0..cases(1_000) {
        let kind = [Kind::Small, Kind::Choices, Kind::MutantChooses][seed as usize % 3];
        let model = shown(conditional_mutant(seed, kind), seed / 3 % 64);
        let Some(listings) = listings(&model, &budget) else {
            continue;
        };
        for mutant in model.selector_ids() {
            let said = listings.together(mutant, None, &budget);
            if let Err(wrong) = check(&model, mutant, &said) {
                panic!("seed {seed}, {mutant}: {wrong}");
            }
            match said {
                Together::Killed(witness) => {
                    killed += 1;
                    late += usize::from(witness.model_run.steps.len() > 2);
                    let steps = witness.model_run.steps.len();
                    for bound in 0..=steps {
                        let bounded = listings.together(mutant, Some(bound), &budget);
                        match bound < steps {
                            true => assert_eq!(bounded, Together::Open, "seed {seed}, {mutant}"),
                            false => assert!(matches!(bounded, Together::Killed(_))),
                        }
                    }
                }
                Together::Never(_) => never += 1,
                Together::Open => open += 1,
            }
        }
    }
    println!("{killed} killed, {late} of them in three steps or more; {never} never; {open} open");
    assert!(killed >= 300 && late >= 50 && never >= 100 && open <= killed / 4);
}

#[test]
fn where_the_state_is_hidden_the_states_still_prove_that_a_mutant_does_nothing_more() {
    let budget = Budget::unlimited();
    let (mut never, mut open) = (0, 0);
    for seed in 0..cases(400) {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let Some(listings) = listings(&model, &budget) else {
            continue;
        };
        for mutant in model.selector_ids() {
            let said = listings.together(mutant, None, &budget);
            match check(&model, mutant, &said) {
                Ok(true) => never += usize::from(matches!(said, Together::Never(_))),
                Ok(false) => open += 1,
                Err(wrong) => panic!("seed {seed}, {mutant}: {wrong}"),
            }
        }
    }
    println!("{never} never, {open} open");
    assert!(never >= 50 && open >= 50);
}

/// Returns the runs of a witness in the form that the certifier reads.
fn kill(witness: &Witness) -> Kill {
    Kill {
        strength: hyperkill_evidence::verdict::Strength::Potential,
        model_run: witness.model_run.clone(),
        mutant_run: witness.mutant_run.clone(),
        shortest: false,
        sole_run: false,
        stronger: Stronger::NotAsked,
        tree: None,
    }
}

#[test]
fn a_parting_unnoticed_and_a_refusal_taken_for_a_kill_are_caught_by_certifier_and_oracle() {
    for fault in fault::TOGETHER {
        let (mut certifier, mut oracle) = (false, false);
        for seed in 0..300 {
            let mut model = shown(conditional_mutant(seed, Kind::Small), 0);
            // An output shows the accepted inputs.
            let bits = |port: &&Port| port.bits.len() == 1;
            model.accepts = (model.outputs.iter().find(bits)).map(|port| port.name.clone());
            fault::plant(Some(fault));
            let budget = Budget::unlimited();
            let said = listings(&model, &budget).map(|listings| {
                let mutants = model.selector_ids();
                let said = mutants.map(|mutant| (mutant, listings.together(mutant, None, &budget)));
                said.collect::<Vec<_>>()
            });
            fault::plant(None);
            for (mutant, said) in said.into_iter().flatten() {
                certifier |= match &said {
                    Together::Never(closed) => certify_closed_set(&model, closed, &budget).is_err(),
                    Together::Killed(witness) => {
                        let kill = kill(witness);
                        certify_kill(&model, mutant, &kill, LISTING, &budget).is_err()
                    }
                    Together::Open => false,
                };
                let expected = Oracle::new(&model, mutant).expect("small").potential_kill();
                let expected = expected.expect("small");
                oracle |= match &said {
                    Together::Never(_) => expected.is_some(),
                    Together::Killed(_) => expected.is_none(),
                    Together::Open => false,
                };
            }
        }
        assert!(certifier && oracle, "{fault:?}: {certifier}, {oracle}");
    }
}

#[test]
fn states_are_reached_together_under_classes_of_wide_inputs_too() {
    let budget = Budget::unlimited();
    let mut said = 0;
    for seed in 0..cases(150) {
        let narrow = shown(conditional_mutant(seed, Kind::Small), 0);
        let widening = Widening {
            bits: 20,
            mutated: false,
        };
        let wide = widened(&narrow, widening, seed);
        let (Some(before), Some(after)) = (listings(&narrow, &budget), listings(&wide, &budget))
        else {
            continue;
        };
        for mutant in narrow.selector_ids() {
            let steps = |together| match together {
                Together::Killed(witness) => Ok(Some(witness.model_run.steps.len())),
                Together::Never(closed) => Ok(closed.positions.is_empty().then_some(0)),
                Together::Open => Err(()),
            };
            let narrow = steps(before.together(mutant, None, &budget));
            assert_eq!(
                steps(after.together(mutant, None, &budget)),
                narrow,
                "seed {seed}, {mutant}"
            );
            said += usize::from(narrow.is_ok());
        }
    }
    assert!(said >= 50, "{said}");
}
