//! Formulas that are no killing formulas, on random systems: the answers are those of an enumeration of all infinite traces.

use std::collections::BTreeMap;

use hyperkill_checker::hyperltl::{Shown, Truth, decide_formula};
use hyperkill_checker::schedule::formulas::Options;
use hyperkill_checker::schedule::reachability;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit, Reset};
use hyperkill_formulas::parse;
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::oracle::formulas::{Question, Snapshot};
use hyperkill_tests::unstructured::{Acceptance, cases, unstructured};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Something that is true or false of a step of all traces.
#[derive(Clone, Debug)]
enum Part {
    Input(usize, usize),
    Output(usize, usize),
    /// Trace, number among the named ones, bit of the state.
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

/// A formula ∃*∀* □A ∧ (□B → ◇C), or the negation of one.
#[derive(Debug)]
struct Drawn {
    existential: usize,
    /// Per trace: whether it is one of the mutant.
    mutant: Vec<bool>,
    always: Part,
    premise: Part,
    goal: Part,
    negated: bool,
}

/// Names of the system's wires, in the order of the oracle's bits.
struct Names {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// With their bits of a state.
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
                // A name means an output first.
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

    /// What is asserted of one trace are single literals, and another one is to differ from it.
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

/// Decides a formula and compares the answer with the enumeration; says how it was decided.
fn check(
    seed: u64,
    model: &ConditionalMutant,
    draw: fn(&mut ChaCha8Rng, &Names) -> Drawn,
) -> &'static str {
    let budget = Budget::unlimited();
    let oracle = Oracle::new(model, 0).expect("small");
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
    let Ok(expected) = question.satisfied() else {
        return "too large to enumerate";
    };
    let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let options = Options {
        reachability: reachability::Options {
            bound: Some(10),
            turns: Some(3),
            ..reachability::Options::UNLIMITED
        },
    };
    let decided = decide_formula(model, 0, &formula, &options, &budget)
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
    let alternates = drawn.existential < drawn.mutant.len();
    match (&decided.shown, alternates, expected) {
        (Some(Shown::Traces(lassos)), _, _) if lassos.back.is_some() => "shown by lassos",
        (Some(Shown::Traces(_)), _, _) => "shown by traces that go on anyhow",
        (Some(Shown::Proof(_)), false, _) => "excluded, no alternation",
        (Some(Shown::Proof(_)), true, _) => "excluded by copies",
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
        *seen.entry(check(seed, &model, Drawn::new)).or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(of("shown by lassos") >= 100 && of("shown by traces that go on anyhow") >= 40);
    assert!(of("excluded, no alternation") >= 50 && of("excluded by copies") >= 50);
    let unknown: usize = seen
        .iter()
        .filter(|(what, _)| what.starts_with("unknown"))
        .map(|(_, n)| n)
        .sum();
    assert!(unknown <= 120, "{unknown} of 1,200 unknown");
}

/// Traces of a mutant that a trace of the model may not meet, on circuits in which outputs may be constant and latches be left alone.
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
        *seen.entry(check(seed, &model, Drawn::bare)).or_default() += 1;
    }
    println!("{seen:#?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0) as u64;
    assert!(of("shown by lassos") * 10 >= cases);
}

/// A run of the circuit must leave its first state, and then any state leads back to one of two: "the loop begins at one of
/// them" is true of every run, and says nothing of where.
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
    let decided = decide_formula(&model, 0, &formula, &options, &Budget::unlimited());
    assert_eq!(decided.expect("evidence that checks").truth, Truth::Holds);
}
