//! The oracle on systems that are small enough for judgement by hand, most of them from semantics.md.
//!
//! A comment argues for every expected value; none was copied from a run.

use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::oracle::explicit::{self, Verdict};
use hyperkill_tests::oracle::{Defect, Oracle, Strength, Test};

fn oracle(model: &ConditionalMutant) -> Oracle {
    Oracle::new(model, SelectorId(0)).expect("a tiny circuit")
}

/// Returns the number of steps of the test that a search found; `None` if there is none.
fn steps(found: Result<Option<Vec<u64>>, hyperkill_tests::oracle::TooLarge>) -> Option<usize> {
    found.expect("a tiny search").map(|inputs| inputs.len())
}

/// Returns a circuit with o = nd ∧ ¬mut: the model may show 0 or 1, the mutant only 0.
fn forgets_a_choice() -> ConditionalMutant {
    let mut c = Circuit::new();
    let nd = c.choice("n");
    let m = c.selector("m");
    let o = c.aig.and(nd, !m);
    c.output("o", o);
    c.finish("forgets-a-choice")
}

/// Returns a circuit with o = nd and the constraint mut ∨ ¬nd: the model shows only 0, the mutant 0 or 1.
fn gains_a_choice() -> ConditionalMutant {
    let mut c = Circuit::new();
    let nd = c.choice("n");
    let m = c.selector("m");
    let allowed = c.aig.or(m, !nd);
    c.constrain(allowed);
    c.output("o", nd);
    c.finish("gains-a-choice")
}

#[test]
fn a_mutant_that_forgets_a_choice_is_equivalent_though_runs_differ() {
    let oracle = oracle(&forgets_a_choice());
    assert_eq!(steps(oracle.potential_kill()), None);
    assert_eq!(steps(oracle.definite_kill()), None);
    // As plain formulas φ1 and its controllable form hold, but their precondition does not.
    assert_eq!(steps(oracle.difference()), Some(1));
    assert_eq!(steps(oracle.controllable_difference()), Some(1));
    assert_eq!(steps(oracle.original.nondeterminism()), Some(1));
    assert_eq!(steps(oracle.mutant.nondeterminism()), None);
    assert_eq!(steps(oracle.acceptance_difference()), None);
    // The model can copy the outputs, but not by making the same choice.
    assert_eq!(steps(oracle.identity_strategy_failure()), Some(1));
}

#[test]
fn a_mutant_that_gains_a_choice_is_killed_potentially_and_not_by_shared_choices() {
    let oracle = oracle(&gains_a_choice());
    assert_eq!(steps(oracle.potential_kill()), Some(1));
    assert_eq!(steps(oracle.definite_kill()), None);
    assert_eq!(steps(oracle.difference()), Some(1));
    // Sharing nd and assuming both constraints leaves only nd = 0 …
    assert_eq!(steps(oracle.controllable_difference()), None);
    // … which is why the model's constraint must be an obligation (semantics.md §5).
    assert_eq!(steps(oracle.identity_strategy_failure()), Some(1));
    assert_eq!(steps(oracle.original.nondeterminism()), None);
    assert_eq!(steps(oracle.mutant.nondeterminism()), Some(1));
}

/// Returns a one-bit register; the mutant stores the complement. Mealy: the output shows the input now. Moore: it shows the register.
fn stores_the_complement(moore: bool) -> ConditionalMutant {
    let mut c = Circuit::new();
    let i = c.input("i");
    let m = c.selector("m");
    let r = c.latch("r", Reset::Zero);
    let value = c.aig.xor(i, m);
    c.set_next(r, value);
    c.output("o", if moore { r } else { value });
    c.finish("stores-the-complement")
}

#[test]
fn moore_outputs_make_a_test_one_step_longer_than_mealy_outputs() {
    for (moore, length) in [(false, 1), (true, 2)] {
        let model = stores_the_complement(moore);
        let oracle = oracle(&model);
        assert_eq!(steps(oracle.potential_kill()), Some(length));
        assert_eq!(steps(oracle.definite_kill()), Some(length));
        assert_eq!(steps(oracle.difference()), Some(length));
        assert_eq!(
            explicit::shortest_kill(&model, SelectorId(0), false, 100),
            Verdict::Killed(length)
        );
    }
}

/// Returns the beverage machine of [3] Example 1 with `capacity` units of water; the mutant refills one unit less.
///
/// Inputs: 1 = request, 2 = fill, others = nothing. Outputs are state variables: 1 = coffee, 2 = tea, 0 = nothing.
fn beverage_machine(capacity: usize) -> ConditionalMutant {
    let mut c = Circuit::new();
    let in0 = c.input("in[0]");
    let in1 = c.input("in[1]");
    let pick = c.choice("pick");
    let m = c.selector("m");
    // Water, one latch per level: level[w] is true if w units are left.
    let level: Vec<Lit> = (0..=capacity)
        .map(|w| c.latch(&format!("level[{w}]"), Reset::constant(w == capacity)))
        .collect();
    let coffee = c.latch("coffee", Reset::Zero);
    let tea = c.latch("tea", Reset::Zero);

    let request = c.aig.and(in0, !in1);
    let fill = c.aig.and(!in0, in1);
    let serve = c.aig.and(request, !level[0]);
    let refill = c.aig.and(fill, level[0]);
    let idle = c.aig.and(!serve, !refill);
    for w in 0..=capacity {
        let kept = c.aig.and(idle, level[w]);
        let drained = match level.get(w + 1) {
            Some(&above) => c.aig.and(serve, above),
            None => Lit::FALSE,
        };
        let target = if w == capacity {
            !m
        } else if w + 1 == capacity {
            m
        } else {
            Lit::FALSE
        };
        let filled = c.aig.and(refill, target);
        let next = c.aig.or_all(&[kept, drained, filled]);
        c.set_next(level[w], next);
    }
    let next_coffee = c.aig.and(serve, pick);
    let next_tea = c.aig.and(serve, !pick);
    c.set_next(coffee, next_coffee);
    c.set_next(tea, next_tea);
    c.output("out[0]", coffee);
    c.output("out[1]", tea);
    c.finish("beverage")
}

#[test]
fn the_beverage_machine_needs_two_capacities_and_two_steps() {
    for capacity in 1..=3 {
        let model = beverage_machine(capacity);
        let oracle = oracle(&model);
        // The test empties the tank, fills it and empties it again: 2c+1 inputs, with the answer one step later. The smaller refill of
        // the mutant is visible only when the water runs out, for every choice of drinks.
        let length = Some(2 * capacity + 2);
        assert_eq!(steps(oracle.definite_kill()), length);
        assert_eq!(steps(oracle.potential_kill()), length);
        assert_eq!(steps(oracle.controllable_difference()), length);
        assert_eq!(
            explicit::shortest_kill(&model, SelectorId(0), true, 10_000),
            Verdict::Killed(2 * capacity + 2)
        );
        // Coffee or tea: visible one step after the first request.
        assert_eq!(steps(oracle.original.nondeterminism()), Some(2));
        assert_eq!(
            explicit::shortest_nondeterminism(&model, None, 10_000),
            Verdict::Killed(2)
        );
        assert_eq!(steps(oracle.difference()), Some(2));
        assert_eq!(
            explicit::shortest_kill(&model, SelectorId(0), false, 10_000),
            Verdict::Killed(2)
        );
        assert_eq!(steps(oracle.acceptance_difference()), None);
        assert_eq!(steps(oracle.original.deadlock()), None);
    }
}

#[test]
fn the_published_test_of_the_beverage_machine_is_valid_and_its_prefix_is_not() {
    let oracle = oracle(&beverage_machine(2));
    // Figure 1c of [3]: request, request, fill, request, request; then one more step for the answer.
    let inputs = [1, 1, 2, 1, 1, 0];
    let outputs = [0, 1, 2, 0, 1, 2];
    let test = Test {
        inputs: &inputs,
        outputs: &outputs,
        mutant_outputs: None,
    };
    assert_eq!(oracle.validate_test(&test, Strength::Definite), Ok(()));
    assert_eq!(oracle.validate_test(&test, Strength::Potential), Ok(()));
    assert_eq!(oracle.validate_test(&test, Strength::Controllable), Ok(()));
    assert_eq!(oracle.responses(&inputs).original.len(), 16);
    assert_eq!(oracle.responses(&inputs).mutant.len(), 8);

    let prefix = Test {
        inputs: &inputs[..5],
        outputs: &outputs[..5],
        mutant_outputs: None,
    };
    for strength in [
        Strength::Definite,
        Strength::Potential,
        Strength::Controllable,
    ] {
        assert_eq!(
            oracle.validate_test(&prefix, strength),
            Err(Defect::NoKill(strength))
        );
    }
    let shows = |mutant_outputs: [u64; 6], strength| {
        let test = Test {
            mutant_outputs: Some(&mutant_outputs),
            ..test
        };
        oracle.validate_test(&test, strength)
    };
    assert_eq!(shows([0, 2, 2, 0, 2, 0], Strength::Potential), Ok(()));
    // The other drinks cannot come from the same choices.
    assert_eq!(
        shows([0, 2, 2, 0, 2, 0], Strength::Controllable),
        Err(Defect::NoKill(Strength::Controllable))
    );
    assert_eq!(shows([0, 1, 2, 0, 1, 0], Strength::Controllable), Ok(()));
    assert_eq!(
        shows([0, 1, 2, 0, 1, 2], Strength::Potential),
        Err(Defect::NotOfTheMutant)
    );
    let wrong = Test {
        outputs: &[0, 1, 2, 0, 1, 0],
        ..test
    };
    assert_eq!(
        oracle.validate_test(&wrong, Strength::Definite),
        Err(Defect::NotOfTheModel)
    );
    let unknown_input = Test {
        inputs: &[1, 1, 2, 1, 1, 4],
        ..test
    };
    assert_eq!(
        oracle.validate_test(&unknown_input, Strength::Definite),
        Err(Defect::NoSuchInput { step: 5 })
    );
}

#[test]
fn a_mutant_that_refuses_an_input_is_equivalent_and_not_equally_input_enabled() {
    let mut c = Circuit::new();
    let i = c.input("i");
    let m = c.selector("m");
    let r = c.latch("r", Reset::Zero);
    c.set_next(r, i);
    // The mutant refuses two ones in a row.
    let both = c.aig.and_all(&[r, i, m]);
    c.constrain(!both);
    c.output("o", r);
    let oracle = oracle(&c.finish("refuses"));
    assert_eq!(steps(oracle.potential_kill()), None);
    assert_eq!(oracle.refusal(), Ok(Some(vec![1, 1])));
    assert_eq!(oracle.acceptance_difference(), Ok(Some(vec![1, 1])));
    // The mutant can always continue with 0.
    assert_eq!(steps(oracle.mutant.deadlock()), None);
}

#[test]
fn a_sequence_that_the_model_refuses_kills_nothing() {
    let mut c = Circuit::new();
    let i = c.input("i");
    let m = c.selector("m");
    // The difference is visible only under an input that the model refuses.
    let o = c.aig.and(i, m);
    let allowed = c.aig.or(m, !i);
    c.constrain(allowed);
    c.output("o", o);
    let oracle = oracle(&c.finish("beyond-the-model"));
    assert_eq!(steps(oracle.potential_kill()), None);
    assert_eq!(steps(oracle.definite_kill()), None);
    assert_eq!(steps(oracle.difference()), None);
    assert_eq!(steps(oracle.refusal()), None);
    assert_eq!(oracle.acceptance_difference(), Ok(Some(vec![1])));
    let test = Test {
        inputs: &[1],
        outputs: &[0],
        mutant_outputs: None,
    };
    assert_eq!(
        oracle.validate_test(&test, Strength::Potential),
        Err(Defect::Refused)
    );
}

#[test]
fn a_choice_made_before_the_outputs_split_is_tracked_through_state_sets() {
    // The model picks a bit at the start and shows it twice; the mutant shows it and then its complement. Each step alone is a possible
    // output of the model, but the model cannot give the sequence.
    let mut c = Circuit::new();
    let m = c.selector("m");
    let bit = c.latch("bit", Reset::Free);
    let later = c.latch("later", Reset::Zero);
    c.set_next(later, Lit::TRUE);
    let flip = c.aig.and(m, later);
    let o = c.aig.xor(bit, flip);
    c.output("o", o);
    let oracle = oracle(&c.finish("split"));
    assert_eq!(steps(oracle.potential_kill()), Some(2));
    assert_eq!(steps(oracle.definite_kill()), Some(2));
    assert_eq!(steps(oracle.difference()), Some(1));
    assert_eq!(steps(oracle.controllable_difference()), Some(2));
}

#[test]
fn a_run_that_dies_later_does_not_save_the_mutant() {
    // Model: picks nd and shows it; a run that picked 1 ends in the next step. Mutant: the same, but the run continues. After two steps
    // only the mutant has a run that began with 1.
    let mut c = Circuit::new();
    let nd = c.choice("n");
    let m = c.selector("m");
    let doomed = c.latch("doomed", Reset::Zero);
    let was_one = c.aig.or(doomed, nd);
    c.set_next(doomed, was_one);
    let alive = c.aig.or(m, !doomed);
    c.constrain(alive);
    c.output("o", nd);
    let oracle = oracle(&c.finish("doomed"));
    assert_eq!(steps(oracle.potential_kill()), Some(2));
    assert_eq!(steps(oracle.definite_kill()), None);
    // The model's run that picked 1 is stuck after one step.
    assert_eq!(steps(oracle.original.deadlock()), Some(1));
    // Other runs continue, so the model still accepts.
    assert_eq!(steps(oracle.acceptance_difference()), None);
}
