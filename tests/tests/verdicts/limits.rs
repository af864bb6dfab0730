//! Time limits, with a clock that advances with each reading. Work reads the clock in proportion to its size, and ends soon after the
//! limit or an interruption. Decisions before the limit equal the decisions without a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hyperkill_checker::engines::bmc::Bmc;
use hyperkill_checker::engines::explicit;
use hyperkill_checker::engines::structure::standings;
use hyperkill_checker::family;
use hyperkill_checker::hyperltl::{Truth, decide_formula};
use hyperkill_checker::judge::accepts;
use hyperkill_checker::question::Pose;
use hyperkill_checker::schedule;
use hyperkill_checker::schedule::{formulas, reachability};
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::question::Question;
use hyperkill_evidence::verdict::{Outcome, Property, Reason, Stronger, Verdict};
use hyperkill_formulas::{Traces, parse};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant, of_any_kind};

/// A clock that advances by a millisecond with each reading, and interrupts at the reading with a given number.
struct Ticking {
    looks: AtomicU64,
    interrupts_at: u64,
    interrupt: Arc<AtomicBool>,
}

impl Clock for Ticking {
    fn now(&self) -> Duration {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if looks >= self.interrupts_at {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        Duration::from_millis(looks)
    }
}

fn ticking(interrupts_at: u64, deadline: u64) -> (Arc<Ticking>, Budget) {
    let interrupt = Arc::new(AtomicBool::new(false));
    let clock = Arc::new(Ticking {
        looks: AtomicU64::new(0),
        interrupts_at,
        interrupt: Arc::clone(&interrupt),
    });
    let budget = Budget::new(Arc::clone(&clock) as Arc<dyn Clock>, interrupt);
    let budget = budget.within(Some(Duration::from_millis(deadline)));
    (clock, budget)
}

/// Returns the number of readings of the clock during work without a limit.
fn looks(work: impl FnOnce(&Budget)) -> u64 {
    let (clock, budget) = ticking(u64::MAX, u64::MAX / 2);
    work(&budget);
    clock.looks.load(Ordering::Relaxed)
}

/// Returns a circuit with latches that have free initial values; each mutant copies one of them to the output.
fn wide(latches: usize, mutants: usize) -> ConditionalMutant {
    let mut circuit = Circuit::new();
    let input = circuit.input("i");
    let mut all = input;
    for number in 0..latches {
        let latch = circuit.latch(&format!("l{number}"), Reset::Free);
        let next = circuit.aig.xor(latch, input);
        circuit.set_next(latch, next);
        all = circuit.aig.xor(all, latch);
    }
    for number in 0..mutants {
        let selector = circuit.selector(&format!("m{number}"));
        let changed = circuit.aig.and(selector, input);
        all = circuit.aig.xor(all, changed);
    }
    circuit.output("o", all);
    circuit.finish("wide")
}

#[test]
fn long_work_looks_at_the_clock_in_step_with_its_size() {
    let states = wide(16, 1);
    let effort = explicit::Listing {
        steps: 1 << 22,
        positions: 1 << 12,
    };
    let listed = looks(|budget| {
        drop(explicit::potential(
            &states,
            SelectorId(0),
            &effort,
            None,
            budget,
        ))
    });
    assert!(listed >= (1 << 16) / (1 << 12), "listing states: {listed}");

    let small = wide(4, 1);
    let question = Question::phi1(SelectorId(0), true).pose(&small);
    let deep = looks(|budget| drop(Bmc::new(&question).jump_to(2_000, Some(1), budget)));
    assert!(deep >= 2_000, "unrolling: {deep}");

    let inputs = vec![vec![true]; 1_000];
    let judged = looks(|budget| {
        let _ = accepts(&small, Variant::Original, &inputs, budget);
    });
    assert!(judged >= 1_000, "judging a long run: {judged}");

    let many = wide(4, 300);
    let mutants: Vec<SelectorId> = (0..300).map(SelectorId).collect();
    let standing = looks(|budget| drop(standings(&many, budget)));
    assert!(standing >= 300, "comparing circuits: {standing}");
    let grouped = looks(|budget| drop(family::groups(&many, &mutants, 0, budget)));
    assert!(grouped >= 300, "grouping mutants: {grouped}");
}

/// Returns options that depend on the turn.
fn options(model: &ConditionalMutant, turn: u64) -> Options {
    let property = [Property::Phi1, Property::Phi2, Property::Phi3][turn as usize % 3];
    Options {
        ask: if turn % 4 == 3 {
            Ask::Auto
        } else {
            Ask::Only(property)
        },
        fold_duplicates: false,
        engines: schedule::Engines {
            simulation: turn.is_multiple_of(2),
            pairs: turn.is_multiple_of(3),
            ..schedule::Engines::ALL
        },
        ..Options::all(model)
    }
}

fn outcomes(model: &ConditionalMutant, options: &Options, budget: &Budget) -> Vec<Outcome> {
    let report = decide_all(model, options, budget, &mut Silent);
    report.expect("evidence checks").outcomes
}

/// Returns the effect of a limit on a run: the number of readings beyond the limit, and the number of undecided mutants. `free` are the
/// outcomes without a limit.
fn cut(seed: u64, limit: u64, reason: Reason, free: &[Outcome]) -> (u64, usize) {
    let model = of_any_kind(seed);
    let (clock, budget) = match reason {
        Reason::Interrupted => ticking(limit, u64::MAX / 2),
        _ => ticking(u64::MAX, limit),
    };
    let found = outcomes(&model, &options(&model, seed), &budget);
    let mut open = 0;
    for (found, free) in found.iter().zip(free) {
        let at = format!("seed {seed}, limit {limit}, {}", found.mutant);
        match (&found.verdict, &free.verdict) {
            (Verdict::Unknown { reason: own, .. }, _) if *own == reason => open += 1,
            // No output tells them apart; acceptance of inputs stayed open.
            (
                Verdict::Unknown { reason: Reason::Acceptance, .. },
                Verdict::Equivalent(_) | Verdict::RefusesInput { .. },
            ) => open += 1,
            (Verdict::Unknown { reason: own, .. }, Verdict::Unknown { reason: other, .. }) => {
                assert_eq!(own, other, "{at}");
            }
            (Verdict::Killed(_), Verdict::Killed(_))
            | (Verdict::Equivalent(_), Verdict::Equivalent(_))
            | (Verdict::RefusesInput { .. }, Verdict::RefusesInput { .. })
            | (Verdict::NotDefinitelyKillable { .. }, Verdict::NotDefinitelyKillable { .. })
            // A weaker kill was found before the limit ended the search for a definite one.
            | (Verdict::NotDefinitelyKillable { .. }, Verdict::Killed(_)) => {}
            (own, other) => panic!("{at}: {own:?} instead of {other:?}"),
        }
    }
    (
        clock.looks.load(Ordering::Relaxed).saturating_sub(limit),
        open,
    )
}

/// The largest number of readings after the limit per mutant: one for each part of the work that notices the limit.
const MORE_EACH: u64 = 80;

#[test]
fn a_run_ends_soon_after_its_time_or_an_interruption_and_says_nothing_else_than_without() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let (mut worst, mut cuts) = (0, 0);
    pool.expect("a thread").install(|| {
        for seed in 0..60 {
            let model = of_any_kind(seed);
            let free = outcomes(&model, &options(&model, seed), &Budget::unlimited());
            for limit in [1, 3, 10, 30, 100, 300] {
                for reason in [Reason::Time, Reason::Interrupted] {
                    let (more, open) = cut(seed, limit, reason, &free);
                    let each = more / (free.len() as u64 + 1);
                    assert!(each <= MORE_EACH, "seed {seed}, limit {limit}: {more}");
                    worst = worst.max(each);
                    cuts += usize::from(open > 0);
                }
            }
        }
    });
    println!("at most {worst} more looks for each mutant; {cuts} runs were cut");
    assert!(cuts >= 100, "{cuts}");
}

/// Returns registers with free initial values that take the product of two inputs of `bits` bits. One mutant equals the original's
/// circuit, the other inverts a register.
fn multiplier(bits: usize) -> ConditionalMutant {
    let mut circuit = Circuit::new();
    let [a, b] = ["a", "b"].map(|name| {
        let bits = (0..bits).map(|bit| circuit.input(&format!("{name}{bit}")));
        bits.collect::<Vec<Lit>>()
    });
    let _ = circuit.selector("same");
    let inverts = circuit.selector("inverts");
    let mut product = vec![Lit::FALSE; 2 * bits];
    for (shift, &factor) in b.iter().enumerate() {
        let mut carry = Lit::FALSE;
        for (place, &bit) in a.iter().enumerate() {
            let addend = circuit.aig.and(bit, factor);
            let sum = &mut product[shift + place];
            let half = circuit.aig.xor(*sum, addend);
            let both = circuit.aig.and(*sum, addend);
            let carried = circuit.aig.and(half, carry);
            *sum = circuit.aig.xor(half, carry);
            carry = circuit.aig.or(both, carried);
        }
        product[shift + bits] = carry;
    }
    product[0] = circuit.aig.xor(product[0], inverts);
    for (number, &next) in product.iter().enumerate() {
        let latch = circuit.latch(&format!("l{number}"), Reset::Free);
        circuit.set_next(latch, next);
        circuit.output(&format!("o{number}"), latch);
    }
    circuit.finish("multiplier")
}

#[test]
fn a_mutant_that_is_the_originals_circuit_costs_little_however_hard_the_circuit() {
    let model = multiplier(20);
    let (_, budget) = ticking(u64::MAX, 200_000);
    let found = outcomes(&model, &Options::all(&model), &budget);
    assert!(
        matches!(found[0].verdict, Verdict::Equivalent(_)),
        "{found:?}"
    );
    assert!(matches!(found[1].verdict, Verdict::Killed(_)), "{found:?}");
}

/// Returns a model whose steps need a 1 at its input. It has no steps beyond `steps`; without `steps` it counts to 2¹².
fn counting(steps: Option<usize>) -> ConditionalMutant {
    let mut circuit = Circuit::new();
    let input = circuit.input("i");
    circuit.constrain(input);
    let bits = steps.unwrap_or(12);
    let mut carry = Lit::TRUE;
    let mut before = Lit::TRUE;
    for number in 0..bits {
        let latch = circuit.latch(&format!("l{number}"), Reset::Zero);
        let next = match steps {
            Some(_) => before,
            None => circuit.aig.xor(latch, carry),
        };
        circuit.set_next(latch, next);
        carry = circuit.aig.and(carry, latch);
        before = latch;
    }
    // Without `steps` the constraint always holds, but reads the counter: a loop has to close for it.
    let held = match steps {
        Some(_) => !before,
        None => circuit.aig.or(input, carry),
    };
    circuit.constrain(held);
    circuit.output("o", before);
    circuit.finish("counting")
}

/// Returns the answer to a formula that all infinite runs satisfy, and the number of readings beyond the limit.
fn asked_of(model: &ConditionalMutant, bound: Option<usize>, limit: u64) -> (Truth, u64) {
    let formula = parse("exists p. G i[p]").expect("a formula");
    let options = formulas::Options {
        reachability: reachability::Options {
            bound,
            ..reachability::Options::UNLIMITED
        },
    };
    let (clock, budget) = ticking(u64::MAX, limit);
    let decided = decide_formula(
        model,
        SelectorId(0),
        &formula,
        Traces::Infinite,
        &options,
        &budget,
    );
    let looks = clock.looks.load(Ordering::Relaxed);
    let truth = decided.expect("evidence checks").truth;
    (truth, looks.saturating_sub(limit))
}

#[test]
fn a_formula_about_infinite_traces_is_decided_without_a_limit() {
    let forever = u64::MAX / 2;
    for steps in [1, 2, 7, 40] {
        let model = counting(Some(steps));
        let (truth, _) = asked_of(&model, None, forever);
        assert_eq!(truth, Truth::Fails, "{steps}");
        let (truth, _) = asked_of(&model, Some(1), forever);
        match truth {
            Truth::Unknown { reason, .. } => assert_eq!(reason, Reason::Bound, "{steps}"),
            truth => assert_eq!(truth, Truth::Fails, "{steps}"),
        }
    }
    // The first loop has 4,096 steps; the liveness check does not need a loop.
    let (truth, _) = asked_of(&counting(None), None, forever);
    assert_eq!(truth, Truth::Holds);
}

#[test]
fn a_formula_about_infinite_traces_ends_soon_after_its_time() {
    let model = counting(None);
    for limit in [1, 10, 100, 1_000] {
        let (truth, more) = asked_of(&model, None, limit);
        let open = Truth::Unknown {
            known_to: 0,
            reason: Reason::Time,
        };
        assert_eq!(truth, open, "limit {limit}");
        assert!(more <= MORE_EACH, "limit {limit}: {more}");
    }
}

/// Returns, for an undecided mutant or an undecided part of a kill, the depth that was searched and the reason. `None` if nothing is open.
fn open(outcome: &Outcome) -> Option<(usize, Reason)> {
    match &outcome.verdict {
        Verdict::Unknown { known_to, reason } => Some((*known_to, *reason)),
        Verdict::Killed(kill) => match kill.stronger {
            Stronger::Unsettled { known_to, reason } => Some((known_to, reason)),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn nothing_is_said_of_tests_beyond_the_bound() {
    let mut bounded = 0;
    for seed in 0..200 {
        let model = of_any_kind(seed);
        let bound = 1 + seed as usize % 4;
        let options = Options {
            bound: Some(bound),
            ..options(&model, seed)
        };
        for outcome in outcomes(&model, &options, &Budget::unlimited()) {
            if let Verdict::Killed(kill) = &outcome.verdict {
                assert!(kill.steps() <= bound, "seed {seed}: {}", outcome.mutant);
            }
            if let Some((known_to, reason)) = open(&outcome) {
                assert!(known_to <= bound, "seed {seed}: {known_to} of {bound}");
                bounded += usize::from(reason == Reason::Bound);
            }
        }
    }
    assert!(bounded >= 20, "{bounded}");
}

#[test]
fn an_engine_that_has_nothing_to_try_does_not_keep_the_next_from_its_turn() {
    let mut decided = 0;
    for seed in 0..60 {
        let model = conditional_mutant(seed, Kind::Small);
        let expansion_only = Options {
            ask: Ask::Only(Property::Phi2),
            turns: Some(1),
            engines: schedule::Engines {
                simulation: false,
                bmc: false,
                induction: false,
                pdr: false,
                pairs: false,
                family: false,
                explicit: false,
                ..schedule::Engines::ALL
            },
            ..Options::all(&model)
        };
        let found = outcomes(&model, &expansion_only, &Budget::unlimited());
        decided += found.iter().filter(|o| open(o).is_none()).count();
    }
    assert!(decided >= 20, "{decided}");
}

#[test]
fn engines_that_have_nothing_more_to_try_are_the_reason_and_not_a_bound_that_nobody_set() {
    let mut without = 0;
    for seed in 0..60 {
        let kind = [Kind::Deterministic, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let simulation_only = Options {
            engines: schedule::Engines {
                bmc: false,
                induction: false,
                pdr: false,
                pairs: false,
                family: false,
                explicit: false,
                exists_forall: false,
                diagrams: false,
                ..schedule::Engines::ALL
            },
            ..Options::all(&model)
        };
        for outcome in outcomes(&model, &simulation_only, &Budget::unlimited()) {
            if let Verdict::Unknown { reason, .. } = outcome.verdict {
                assert_eq!(reason, Reason::Engines, "seed {seed}: {}", outcome.mutant);
                assert!(outcome.notes.iter().any(|note| note.contains("engines")));
                without += 1;
            }
        }
    }
    assert!(without >= 20, "{without}");
}

/// Returns a model whose mutants differ after an input has been 1 for some steps: `late` steps for the first mutant, two for the `others`
/// others.
fn one_late(late: usize, others: usize) -> ConditionalMutant {
    let mut circuit = Circuit::new();
    let input = circuit.input("i");
    let mut before = input;
    let mut held = vec![before];
    for number in 0..late {
        let latch = circuit.latch(&format!("l{number}"), Reset::Zero);
        circuit.set_next(latch, before);
        before = circuit.aig.and(latch, input);
        held.push(before);
    }
    let mut all = input;
    for number in 0..=others {
        let selector = circuit.selector(&format!("m{number}"));
        let shown = if number == 0 { held[late] } else { held[1] };
        let changed = circuit.aig.and(selector, shown);
        all = circuit.aig.xor(all, changed);
    }
    circuit.output("o", all);
    circuit.finish("late")
}

#[test]
fn a_mutant_that_takes_long_leaves_the_others_their_share_of_the_time_for_all() {
    let model = one_late(400, 5);
    let only_deeper = Options {
        ask: Ask::Only(Property::Phi1),
        fold_duplicates: false,
        engines: schedule::Engines {
            bmc: true,
            ..schedule::Engines::NONE
        },
        ..Options::all(&model)
    };
    let decided = |deadline: u64| {
        let (_, budget) = ticking(u64::MAX, deadline);
        let found = outcomes(&model, &only_deeper, &budget);
        let decided = found.iter().map(|outcome| open(outcome).is_none());
        decided.collect::<Vec<bool>>()
    };
    // The first mutant alone takes longer than all mutants may.
    assert!(!decided(300)[0]);
    assert_eq!(decided(300)[1..], [true; 5]);
    // With enough time the first mutant is decided as well.
    assert_eq!(decided(1_000_000), [true; 6]);
}
