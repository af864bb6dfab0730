//! Formulas of users on random systems: the answers equal those of an enumeration of all traces, infinite or finite.

use std::collections::BTreeMap;

use hyperkill_certify::{certify_end, certify_witness};
use hyperkill_checker::hyperltl::{Beyond, Decided, Shown, Truth, Witness, decide_formula};
use hyperkill_checker::schedule::formulas::Options;
use hyperkill_checker::schedule::reachability;
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_formulas::semantics::{TraceView, holds_on_finite_traces};
use hyperkill_formulas::{Formula, Traces, parse};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::oracle::formulas::{Question, Snapshot};
use hyperkill_tests::unstructured::{Acceptance, cases, unstructured};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A condition on one step of all traces.
#[derive(Clone, Debug)]
enum Part {
    Input(usize, usize),
    Output(usize, usize),
    /// Is true if this latch is 1. The numbers are the trace, the index among the named latches, and the bit of the state.
    Latch(usize, usize, usize),
    SameInputs(usize, usize),
    SameOutputs(usize, usize),
    Not(Box<Part>),
    And(Vec<Part>),
    Or(Vec<Part>),
}

impl Part {
    fn holds(&self, traces: &[Snapshot]) -> bool {
        match self {
            Part::Input(t, k) => traces[*t].input >> k & 1 == 1,
            Part::Output(t, k) => traces[*t].outputs >> k & 1 == 1,
            Part::Latch(t, _, bit) => traces[*t].state >> bit & 1 == 1,
            Part::SameInputs(a, b) => traces[*a].input == traces[*b].input,
            Part::SameOutputs(a, b) => traces[*a].outputs == traces[*b].outputs,
            Part::Not(part) => !part.holds(traces),
            Part::And(parts) => parts.iter().all(|part| part.holds(traces)),
            Part::Or(parts) => parts.iter().any(|part| part.holds(traces)),
        }
    }

    fn text(&self, names: &Names) -> String {
        let joined = |parts: &[Part], with: &str, none: &str| match parts {
            [] => none.to_owned(),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(names)).collect();
                format!("({})", parts.join(with))
            }
        };
        match self {
            Part::Input(t, k) => format!("{}[t{t}]", names.inputs[*k]),
            Part::Output(t, k) => format!("{}[t{t}]", names.outputs[*k]),
            Part::Latch(t, k, _) => format!("{}[t{t}]", names.latches[*k].1),
            Part::SameInputs(a, b) => format!("I[t{a}] = I[t{b}]"),
            Part::SameOutputs(a, b) => format!("O[t{a}] = O[t{b}]"),
            Part::Not(part) => format!("!({})", part.text(names)),
            Part::And(parts) => joined(parts, " & ", "true"),
            Part::Or(parts) => joined(parts, " | ", "false"),
        }
    }
}

/// A random formula ∃*∀* □A ∧ (□B → ◇C), or its negation. The first `existential` traces are the existential ones.
#[derive(Debug)]
struct Drawn {
    existential: usize,
    /// For each trace: whether it is a trace of the mutant.
    mutant: Vec<bool>,
    always: Part,
    premise: Part,
    goal: Part,
    negated: bool,
}

/// The names of the system's wires, in the order of the oracle's bits.
struct Names {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Each latch: its bit in a state, and its name.
    latches: Vec<(usize, String)>,
}

impl Names {
    fn of(model: &ConditionalMutant) -> Names {
        let selectors = model.selector_of_latch();
        let latches = model.aig.latches().iter().zip(selectors);
        let hidden = latches.filter(|(_, selector)| selector.is_none());
        Names {
            inputs: model.inputs.iter().map(|port| port.name.clone()).collect(),
            outputs: model.outputs.iter().map(|port| port.name.clone()).collect(),
            latches: hidden
                .enumerate()
                .map(|(bit, (latch, _))| (bit, latch.name.clone().unwrap_or_default()))
                // An output takes precedence over a latch of the same name.
                .filter(|(_, name)| model.outputs.iter().all(|port| port.name != *name))
                .collect(),
        }
    }
}

impl Drawn {
    fn new(rng: &mut ChaCha8Rng, names: &Names) -> Drawn {
        let (existential, universal) = *[(1, 0), (2, 0), (1, 1), (1, 1), (1, 1), (2, 1)]
            .choose(rng)
            .expect("a choice");
        let traces = existential + universal;
        let literal = |rng: &mut ChaCha8Rng, traces: std::ops::Range<usize>| {
            let trace = rng.random_range(traces);
            let part = match rng.random_range(0..4) {
                0 => Part::Input(trace, rng.random_range(0..names.inputs.len())),
                1 => {
                    let latch = rng.random_range(0..names.latches.len());
                    Part::Latch(trace, latch, names.latches[latch].0)
                }
                _ => Part::Output(trace, rng.random_range(0..names.outputs.len())),
            };
            if rng.random_bool(0.5) {
                Part::Not(Box::new(part))
            } else {
                part
            }
        };
        let mut always = Vec::new();
        if existential == 2 && rng.random_bool(0.7) {
            always.push(Part::SameInputs(1, 0));
        }
        if rng.random_bool(0.4) {
            let two = (0..2).map(|_| literal(rng, 0..existential)).collect();
            always.push(Part::Or(two));
        }
        let mut premise = Vec::new();
        for trace in existential..traces {
            if rng.random_bool(0.7) {
                premise.push(Part::SameInputs(trace, rng.random_range(0..existential)));
            }
            if rng.random_bool(0.3) {
                let two = (0..2).map(|_| literal(rng, 0..traces)).collect();
                premise.push(Part::Or(two));
            }
        }
        let mut goal = Vec::new();
        if traces > 1 && rng.random_bool(0.6) {
            let same = Part::SameOutputs(traces - 1, rng.random_range(0..traces - 1));
            goal.push(Part::Not(Box::new(same)));
        }
        if goal.is_empty() || rng.random_bool(0.3) {
            let two = (0..2).map(|_| literal(rng, 0..traces)).collect();
            goal.push(Part::And(two));
        }
        Drawn {
            existential,
            mutant: (0..traces).map(|_| rng.random_bool(0.5)).collect(),
            always: Part::And(always),
            premise: Part::And(premise),
            goal: if rng.random_bool(0.5) {
                Part::And(goal)
            } else {
                Part::Or(goal)
            },
            negated: rng.random_bool(0.5),
        }
    }

    /// Returns a random formula with single literals about one trace, which another trace must differ from.
    fn bare(rng: &mut ChaCha8Rng, names: &Names) -> Drawn {
        let literal = |rng: &mut ChaCha8Rng, trace| {
            let part = match rng.random_range(0..3) {
                0 => Part::Input(trace, rng.random_range(0..names.inputs.len())),
                1 => {
                    let latch = rng.random_range(0..names.latches.len());
                    Part::Latch(trace, latch, names.latches[latch].0)
                }
                _ => Part::Output(trace, rng.random_range(0..names.outputs.len())),
            };
            match rng.random_bool(0.5) {
                true => Part::Not(Box::new(part)),
                false => part,
            }
        };
        let always = (0..rng.random_range(0..=2)).map(|_| literal(rng, 0));
        let always = Part::And(always.collect());
        let goal = match rng.random_range(0..3) {
            0 => literal(rng, 1),
            _ => Part::Not(Box::new(Part::SameOutputs(1, 0))),
        };
        Drawn {
            existential: rng.random_range(1..=2),
            mutant: (0..2).map(|_| rng.random_bool(0.5)).collect(),
            always,
            premise: Part::And(vec![]),
            goal,
            negated: rng.random_bool(0.3),
        }
    }

    fn text(&self, names: &Names, rng: &mut ChaCha8Rng) -> String {
        let kind = |range: std::ops::Range<usize>| {
            let kinds =
                range.map(|t| format!("{}mut[t{t}]", if self.mutant[t] { "" } else { "!" }));
            kinds.collect::<Vec<_>>().join(" & ")
        };
        let own = kind(0..self.existential);
        let [always, premise, goal] =
            [&self.always, &self.premise, &self.goal].map(|part| part.text(names));
        let premise = if self.existential == self.mutant.len() {
            "true".to_owned()
        } else {
            let others = kind(self.existential..self.mutant.len());
            format!("{others} & {premise}")
        };
        let words = if self.negated {
            ["forall", "exists"]
        } else {
            ["exists", "forall"]
        };
        let prefix: Vec<String> = (0..self.mutant.len())
            .map(|t| format!("{} t{t}. ", words[usize::from(t >= self.existential)]))
            .collect();
        let asserted = format!("G ({own} & {always})");
        let body = match (self.negated, rng.random_range(0..2)) {
            (false, 0) => format!("{asserted} & (G ({premise}) -> F ({goal}))"),
            (false, _) => format!("{asserted} & (F !({premise}) | F ({goal}))"),
            (true, 0) => format!("{asserted} -> G ({premise}) & G !({goal})"),
            (true, _) => format!("!({asserted} & (G ({premise}) -> F ({goal})))"),
        };
        format!("{}{body}", prefix.concat())
    }
}

/// Decides a formula that `draw` gives and compares the answer with the enumeration. Returns the kind of the decision.
fn check(
    seed: u64,
    model: &ConditionalMutant,
    traces: Traces,
    draw: fn(&mut ChaCha8Rng, &Names) -> Drawn,
) -> &'static str {
    let budget = Budget::unlimited();
    let oracle = Oracle::new(model, SelectorId(0)).expect("small");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let names = Names::of(model);
    let drawn = draw(&mut rng, &names);
    let text = drawn.text(&names, &mut rng);
    let side = |t: &bool| if *t { &oracle.mutant } else { &oracle.original };
    let (own, others) = drawn.mutant.split_at(drawn.existential);
    let question = Question {
        existential: own.iter().map(side).collect(),
        universal: others.iter().map(side).collect(),
        always: &|traces| drawn.always.holds(traces),
        goal: &|traces| !drawn.premise.holds(traces) || drawn.goal.holds(traces),
    };
    let expected = match traces {
        Traces::Infinite => question.satisfied(),
        Traces::Finite => question.satisfied_by_finite_traces(),
    };
    let Ok(expected) = expected else {
        return "too large to enumerate";
    };
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    if traces == Traces::Finite {
        agrees_with_the_meaning(&oracle, &names, &formula, drawn.negated, expected);
    }
    let options = Options {
        reachability: reachability::Options {
            bound: Some(10),
            turns: Some(3),
            ..reachability::Options::UNLIMITED
        },
    };
    let decided = decide_formula(model, SelectorId(0), &formula, traces, &options, &budget)
        .unwrap_or_else(|error| panic!("seed {seed}, {text}: {error}"));
    let holds = expected.is_some() != drawn.negated;
    match decided.truth {
        Truth::Holds => assert!(holds, "seed {seed}: {text} does not hold"),
        Truth::Fails => assert!(!holds, "seed {seed}: {text} holds"),
        Truth::Unknown { known_to, .. } => {
            assert!(
                expected.is_none_or(|steps| steps > known_to),
                "seed {seed}: {text}: decided at {expected:?}, not known to {known_to}"
            );
        }
    }
    how(&decided, drawn.existential < drawn.mutant.len(), expected)
}

fn how(decided: &Decided, alternates: bool, expected: Option<usize>) -> &'static str {
    match (&decided.shown, alternates, expected) {
        (Some(Shown::Traces(witness)), _, _) => match witness.beyond {
            Beyond::Loop(_) => "shown by lassos",
            Beyond::Anything => "shown by traces that go on anyhow",
            Beyond::Nothing => "shown by finite traces",
        },
        (Some(Shown::End(_)), _, _) => "excluded by the end of all traces",
        (Some(Shown::Proof(_) | Shown::Excluded(_)), false, _) => "excluded, no alternation",
        (Some(Shown::Proof(_) | Shown::Excluded(_)), true, _) => "excluded by copies",
        (Some(Shown::Withstood(_)), _, _) => "shown by lassos that withstand all",
        (Some(Shown::Included(_)), _, _) => "excluded by inclusion",
        (Some(Shown::Refuted(_)), _, _) => "excluded by responses",
        (None, false, _) => "unknown, no alternation",
        (None, true, None) => "unknown, no traces exist",
        (None, true, Some(_)) => "unknown, traces exist",
    }
}

#[test]
fn formulas_hold_of_the_infinite_traces_that_an_enumeration_finds() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..1_200 {
        let kind = if seed % 2 == 0 {
            Kind::Small
        } else {
            Kind::MutantChooses
        };
        let model = conditional_mutant(seed, kind);
        *seen
            .entry(check(seed, &model, Traces::Infinite, Drawn::new))
            .or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(of("shown by lassos") >= 100 && of("shown by traces that go on anyhow") >= 20);
    assert!(of("excluded, no alternation") >= 50 && of("excluded by copies") >= 50);
    let unknown: usize = seen
        .iter()
        .filter(|(what, _)| what.starts_with("unknown"))
        .map(|(_, n)| n)
        .sum();
    assert!(unknown <= 120, "{unknown} of 1,200 unknown");
}

/// A run, for the reference semantics of formulas.
#[derive(Clone)]
struct Run<'a> {
    names: &'a Names,
    is_mutant: bool,
    steps: Vec<Snapshot>,
}

fn bits(word: u64, count: usize) -> Vec<Value> {
    let bits = (0..count).map(|bit| Value::Int((word >> bit & 1) as i64));
    bits.collect()
}

impl TraceView for Run<'_> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn is_mutant(&self) -> bool {
        self.is_mutant
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        let find = |names: &[String]| names.iter().position(|known| known == name);
        if let Some(bit) = find(&self.names.outputs) {
            return self.outputs(step).get(bit).cloned();
        }
        if let Some(bit) = find(&self.names.inputs) {
            return self.inputs(step).get(bit).cloned();
        }
        let (bit, _) = self.names.latches.iter().find(|(_, known)| known == name)?;
        let state = u64::from(self.steps[step].state);
        Some(Value::Int((state >> bit & 1) as i64))
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        bits(self.steps[step].input, self.names.inputs.len())
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        bits(self.steps[step].outputs, self.names.outputs.len())
    }
}

/// Returns all runs of this length, of model and mutant. `None` if a side has more than `most`: too many for all assignments.
fn runs<'a>(oracle: &Oracle, names: &'a Names, length: usize, most: usize) -> Option<Vec<Run<'a>>> {
    let mut found = Vec::new();
    for (is_mutant, machine) in [(false, &oracle.original), (true, &oracle.mutant)] {
        let start = machine.initial().iter().map(|&state| (Vec::new(), state));
        let mut open: Vec<_> = start.collect();
        for _ in 0..length {
            let mut longer = BTreeMap::new();
            for (steps, state) in &open {
                for input in machine.alphabet() {
                    for taken in machine.moves(*state, input) {
                        let mut steps: Vec<Snapshot> = steps.clone();
                        steps.push(Snapshot {
                            input,
                            outputs: taken.outputs,
                            state: *state,
                        });
                        longer.insert((steps, taken.next), ());
                    }
                }
                if longer.len() > most {
                    return None;
                }
            }
            open = longer.into_keys().collect();
        }
        let mut steps: Vec<Vec<Snapshot>> = open.into_iter().map(|(steps, _)| steps).collect();
        steps.dedup();
        found.extend(steps.into_iter().map(|steps| Run {
            names,
            is_mutant,
            steps,
        }));
    }
    (found.len() <= most).then_some(found)
}

/// Compares the enumeration with the reference semantics over all runs of one length: some length satisfies a formula that begins with
/// `exists`, and no length below `expected` does.
fn agrees_with_the_meaning(
    oracle: &Oracle,
    names: &Names,
    formula: &Formula,
    negated: bool,
    expected: Option<usize>,
) {
    let most = if formula.prefix.len() < 3 { 200 } else { 30 };
    for length in 1..=expected.unwrap_or(3).min(3) {
        let Some(runs) = runs(oracle, names, length, most) else {
            return;
        };
        let holds = holds_on_finite_traces(formula, &runs).expect("a meaning") != negated;
        assert_eq!(
            holds,
            expected == Some(length),
            "{formula}, length {length}"
        );
    }
}

#[test]
fn formulas_hold_of_the_finite_traces_that_an_enumeration_finds() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..600 {
        let kind = if seed % 2 == 0 {
            Kind::Small
        } else {
            Kind::MutantChooses
        };
        let model = conditional_mutant(seed, kind);
        let how = check(seed, &model, Traces::Finite, Drawn::new);
        *seen.entry(how).or_default() += 1;
    }
    // If constraints end runs, longer traces need not satisfy the formulas of shorter ones.
    for seed in 0..600 {
        let model = unstructured(seed, Acceptance::ByState);
        let how = check(seed, &model, Traces::Finite, Drawn::bare);
        *seen.entry(how).or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(of("shown by finite traces") >= 300, "{seen:?}");
    assert!(of("excluded, no alternation") >= 20 && of("excluded by copies") >= 20);
    assert_eq!(
        of("shown by lassos") + of("shown by traces that go on anyhow"),
        0
    );
    let unknown = seen.iter().filter(|(what, _)| what.starts_with("unknown"));
    let unknown: usize = unknown.map(|(_, n)| n).sum();
    assert!(unknown <= 120, "{unknown} of 1,200 unknown");
}

/// Evidence under one trace semantics does not prove the other, nor traces shorter than the shortest.
#[test]
fn finite_traces_are_evidence_of_their_own_length_only() {
    let budget = Budget::unlimited();
    let options = Options {
        reachability: reachability::Options {
            bound: Some(6),
            turns: Some(2),
            ..reachability::Options::UNLIMITED
        },
    };
    let (mut whole, mut shortened) = (0, 0);
    for seed in 0..150 {
        let model = unstructured(seed, Acceptance::ByState);
        let names = Names::of(&model);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = Drawn::new(&mut rng, &names);
        let formula = parse(&drawn.text(&names, &mut rng)).expect("a formula");
        let decided = decide_formula(
            &model,
            SelectorId(0),
            &formula,
            Traces::Finite,
            &options,
            &budget,
        );
        let Some(Shown::Traces(witness)) = decided.expect("checked evidence").shown else {
            continue;
        };
        whole += 1;
        let existential = match drawn.negated {
            true => formula.negate(),
            false => formula,
        };
        let checks = |traces, witness: &Witness| {
            certify_witness(
                &model,
                SelectorId(0),
                &existential,
                traces,
                witness,
                &budget,
            )
            .is_ok()
        };
        assert!(checks(Traces::Finite, &witness), "seed {seed}");
        assert!(!checks(Traces::Infinite, &witness), "seed {seed}");
        for beyond in [Beyond::Anything, Beyond::Loop(0)] {
            let endless = Witness {
                beyond,
                ..witness.clone()
            };
            assert!(!checks(Traces::Finite, &endless), "seed {seed}");
        }
        let mut early = witness.clone();
        early.decided -= 1;
        assert!(!checks(Traces::Finite, &early), "seed {seed}");
        for run in &mut early.runs {
            run.steps.pop();
        }
        shortened += usize::from(early.decided > 0);
        assert!(!checks(Traces::Finite, &early), "seed {seed}");
    }
    println!("{whole} witnesses, {shortened} of several steps");
    assert!(whole >= 50 && shortened >= 10, "{whole}, {shortened}");
}

/// The constraint excludes every step after the first two: there are traces of two steps but no infinite ones.
#[test]
fn finite_traces_satisfy_what_no_infinite_one_does() {
    let mut c = Circuit::new();
    let input = c.input("in0");
    let first = c.latch("first", Reset::One);
    let second = c.latch("second", Reset::Zero);
    let alive = c.aig.or(first, second);
    c.set_next(first, Lit::FALSE);
    c.set_next(second, first);
    c.constrain(alive);
    c.output("out0", second);
    c.output("out1", input);
    let model = c.finish("ends");
    let options = Options {
        reachability: reachability::Options {
            bound: Some(10),
            turns: Some(3),
            ..reachability::Options::UNLIMITED
        },
    };
    let budget = Budget::unlimited();
    let ask = |text: &str, traces| {
        let formula = parse(text).expect("a formula");
        decide_formula(&model, SelectorId(0), &formula, traces, &options, &budget)
            .expect("checked evidence")
    };
    let reaches = "exists p. F out0[p]";
    let decided = ask(reaches, Traces::Finite);
    assert_eq!(decided.truth, Truth::Holds);
    let Some(Shown::Traces(witness)) = decided.shown else {
        panic!("no traces");
    };
    assert_eq!((witness.decided, witness.beyond), (2, Beyond::Nothing));
    let decided = ask(reaches, Traces::Infinite);
    assert_eq!(decided.truth, Truth::Fails);
    let Some(Shown::End(steps)) = decided.shown else {
        panic!("no end");
    };
    let budget = Budget::unlimited();
    let formula = parse(reaches).expect("a formula");
    let ends = |steps| certify_end(&model, SelectorId(0), &formula, steps, &budget).is_ok();
    assert_eq!((steps, ends(3), ends(2), ends(0)), (3, true, false, false));
    // There are no traces that violate the formula.
    assert_eq!(
        ask("forall p. G !out0[p]", Traces::Infinite).truth,
        Truth::Holds
    );
    // ∀ quantifies over the traces of every length, so that a formula and its negation are opposites.
    assert_eq!(
        ask("forall p. G !out0[p]", Traces::Finite).truth,
        Truth::Fails
    );
    assert_eq!(
        ask("forall p. F first[p]", Traces::Finite).truth,
        Truth::Holds
    );
    assert_eq!(
        ask("forall p. F out0[p]", Traces::Finite).truth,
        Truth::Fails
    );
}

/// Traces of a mutant that a trace of the model must not match, on circuits with constant outputs and unread latches.
#[test]
fn bare_formulas_hold_of_what_an_enumeration_finds_on_any_circuit() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let cases = cases(1_500);
    for seed in 0..cases {
        let acceptance = match seed % 3 {
            0 => Acceptance::ByState,
            _ => Acceptance::All,
        };
        let model = unstructured(seed, acceptance);
        *seen
            .entry(check(seed, &model, Traces::Infinite, Drawn::bare))
            .or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0) as u64;
    assert!(of("shown by lassos") * 10 >= cases);
}

/// Each run of the circuit must leave its first state, and then each state leads to one of two states. So "the loop begins at one of
/// them" holds for every run, without information on the place of the loop.
#[test]
fn a_loop_is_found_where_every_run_has_one() {
    // out0 is 1, out1 is ¬x1; x0' = ¬(x0 ∧ x1), x1' = choice ∧ ¬x0 in the model and 0 in the mutant.
    let mut c = Circuit::new();
    c.input("in0");
    let choice = c.choice("c0");
    let x0 = c.latch("x0", Reset::Zero);
    let x1 = c.latch("x1", Reset::Free);
    let m = c.selector("m");
    let taken = c.aig.and(choice, !x0);
    let taken = c.aig.and(taken, !m);
    let both = c.aig.and(x0, x1);
    c.set_next(x0, !both);
    c.set_next(x1, taken);
    c.output("out0", Lit::TRUE);
    c.output("out1", !x1);
    let model = c.finish("loops");
    let text = "exists p. forall r. G (!mut[p] & out0[p]) & (G mut[r] -> F O[r] != O[p])";
    let formula = parse(text).expect("a formula");
    let options = Options {
        reachability: reachability::Options::UNLIMITED,
    };
    let budget = Budget::unlimited();
    let decided = decide_formula(
        &model,
        SelectorId(0),
        &formula,
        Traces::Infinite,
        &options,
        &budget,
    );
    assert_eq!(decided.expect("evidence that checks").truth, Truth::Holds);
}
