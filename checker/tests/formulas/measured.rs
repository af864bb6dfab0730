//! Counts formulas about random systems that are decided within a time limit, in four classes: a measurement for developers.
//!
//! `HYPERKILL_CASES` is the number of cases of each class, `HYPERKILL_SECONDS` the time limit of a case. `HYPERKILL_CLASS` selects classes
//! by a part of their names.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hyperkill_checker::hyperltl::{Shown, Truth, decide_formula};
use hyperkill_checker::schedule::formulas::Options;
use hyperkill_checker::schedule::reachability;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::{Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::cases;
use crate::random::{body, sized_system};

struct Wall(Instant);

impl Clock for Wall {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The prefix of a formula with or without an alternation, and its traces.
fn prefix(rng: &mut ChaCha8Rng, alternates: bool) -> (&'static str, &'static [&'static str]) {
    let two: &[&str] = &["p", "q"];
    let three: &[&str] = &["p", "q", "r"];
    match (alternates, rng.random_range(0..8)) {
        (false, 0..2) => ("exists p", &["p"]),
        (false, 2..5) => ("exists p q", two),
        (false, 5) => ("forall p q r", three),
        (false, _) => ("forall p q", two),
        (true, 0) => ("exists p q. forall r", three),
        (true, 1) => ("exists p. forall q r", three),
        (true, 2) => ("forall p q. exists r", three),
        (true, 3..=5) => ("exists p. forall q", two),
        (true, _) => ("forall p. exists q", two),
    }
}

/// Replaces the latches by a counter that counts while a random literal is true. The output depends on one of its values, so that relevant
/// traces are long.
fn make_deep(rng: &mut ChaCha8Rng, model: &mut ConditionalMutant) {
    let aig = &mut model.aig;
    let lits: Vec<Lit> = aig.nodes().skip(1).map(|(var, _)| var.lit()).collect();
    let mut pick = || lits[rng.random_range(0..lits.len())] ^ rng.random_bool(0.5);
    let (first, second) = (pick(), pick());
    let bits: Vec<Lit> = aig.latches().iter().map(|latch| latch.var.lit()).collect();
    let mut carry = aig.or(first, second);
    let mut is_value = Vec::new();
    for (place, &bit) in bits.iter().enumerate() {
        let next = aig.xor(bit, carry);
        aig.set_next(place, next);
        aig.set_reset(place, Reset::Zero);
        carry = aig.and(carry, bit);
        is_value.push(bit ^ rng.random_bool(0.4));
    }
    let value = aig.and_all(&is_value);
    aig.outputs[0].lit = aig.xor(value, second);
}

/// Returns a report on the answers to one class. The random systems are small, have long traces, or are larger, in turns.
fn measure(name: &str, alternates: bool, traces: Traces, seconds: u64) -> String {
    let mut report = String::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let began = Instant::now();
    for seed in 0..cases(40) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut model = match seed % 3 {
            2 => sized_system(&mut rng, 2..=6, 8..=30, 60..300),
            _ => sized_system(&mut rng, 1..=4, 3..=10, 6..60),
        };
        if seed % 3 == 1 {
            make_deep(&mut rng, &mut model);
        }
        let (quantified, names) = prefix(&mut rng, alternates);
        let size = rng.random_range(2..9);
        let mut said = body(&mut rng, &model, names, size);
        // Most formulas of users compare traces with the same inputs.
        if names.len() > 1 && rng.random_bool(0.4) {
            let operator = if rng.random() { "->" } else { "&" };
            said = format!("(G (I[p] = I[q])) {operator} ({said})");
        }
        let text = format!("{quantified}. {said}");
        let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let options = Options {
            reachability: reachability::Options::UNLIMITED,
        };
        let clock = Arc::new(Wall(Instant::now()));
        let budget = Budget::new(clock, Arc::new(AtomicBool::new(false)));
        let budget = budget.within(Some(Duration::from_secs(seconds)));
        let before = Instant::now();
        let decided = decide_formula(&model, SelectorId(0), &formula, traces, &options, &budget);
        let took = before.elapsed().as_secs_f64();
        let what = match decided {
            Err(error) => format!("error: {error}"),
            Ok(decided) => match (decided.truth, decided.shown) {
                (Truth::Unknown { reason, .. }, _) => format!("unknown: {reason}"),
                (_, Some(Shown::Traces(_))) => "decided by traces".to_owned(),
                (_, Some(Shown::Proof(_))) => "decided by copies".to_owned(),
                (_, Some(Shown::End(_))) => "decided by an end".to_owned(),
                (_, Some(Shown::Excluded(_))) => "decided by an invariant".to_owned(),
                (_, Some(Shown::Withstood(_))) => "decided by traces that withstand".to_owned(),
                (_, Some(Shown::Refuted(_))) => "decided by responses".to_owned(),
                (_, Some(Shown::Included(_))) => "decided by inclusion".to_owned(),
                (_, None) => "decided by nothing".to_owned(),
            },
        };
        if what.starts_with("unknown") {
            let aig = &model.aig;
            report += &format!(
                "  {name} {seed}: {what} after {took:.1} s: {} inputs, {} latches, {} gates: {text}\n",
                aig.inputs().len(),
                aig.latches().len(),
                aig.gate_count()
            );
        }
        *seen.entry(what).or_default() += 1;
    }
    let took = began.elapsed().as_secs_f64();
    report + &format!("{name}, {seconds} s each, {took:.0} s in all: {seen:#?}")
}

#[test]
#[ignore = "a measurement, which depends on the machine"]
fn random_formulas_are_counted_by_class_and_answer() {
    let seconds = std::env::var("HYPERKILL_SECONDS");
    let seconds = seconds.map_or(4, |text| text.parse().expect("a number"));
    let class = std::env::var("HYPERKILL_CLASS").unwrap_or_default();
    for (name, alternates, traces) in [
        ("finite, no alternation", false, Traces::Finite),
        ("finite, one alternation", true, Traces::Finite),
        ("infinite, no alternation", false, Traces::Infinite),
        ("infinite, one alternation", true, Traces::Infinite),
    ] {
        if name.contains(&class) {
            println!("{}", measure(name, alternates, traces, seconds));
        }
    }
}
