//! Compares monitors with the reference evaluator: on given lassos a monitor has a fair run iff the formula holds on them.

use std::collections::HashMap;

use crate::random::Vocabulary;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::ast::{Atom, Quantifier};
use hyperkill_formulas::joint::Size;
use hyperkill_formulas::semantics::{Lasso, TraceView, body_holds_on_lassos};
use hyperkill_formulas::{Formula, Joint, parse};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A trace of a model that has only two inputs.
#[derive(Clone, Debug)]
struct Inputs(Vec<[bool; 2]>);

impl TraceView for Inputs {
    fn steps(&self) -> usize {
        self.0.len()
    }

    fn is_mutant(&self) -> bool {
        false
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        let index = ["a", "b"].iter().position(|&known| known == name)?;
        Some(Value::Int(i64::from(self.0[step][index])))
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        self.0[step].map(|bit| Value::Int(i64::from(bit))).to_vec()
    }

    fn outputs(&self, _: usize) -> Vec<Value> {
        Vec::new()
    }
}

fn model() -> ConditionalMutant {
    let mut aig = Aig::new();
    let port = |name: &str, bit| Port {
        name: name.to_owned(),
        sort: Sort::Bit,
        bits: vec![bit],
    };
    for name in ["a", "b"] {
        aig.add_input(Some(name.to_owned()));
    }
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: String::new(),
        aig,
        inputs: vec![port("a", 0), port("b", 1)],
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors: Vec::new(),
        mutants: Vec::new(),
    }
}

/// Returns the result of one step: whether all constraints hold, which conditions are met, and the next state.
fn step(joint: &Joint, state: &[bool], inputs: &[bool]) -> (bool, Vec<bool>, Vec<bool>) {
    let aig = &joint.product.aig;
    let mut values = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        let value = |lit: Lit, values: &[bool]| values[lit.var().index()] ^ lit.is_negated();
        values[var.index()] = match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => state[i as usize],
            Node::And(a, b) => value(a, &values) && value(b, &values),
        };
    }
    let value = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
    let alive = joint.demands.always.iter().all(|&lit| value(lit));
    let met = joint
        .demands
        .justice
        .iter()
        .map(|&lit| value(lit))
        .collect();
    let next = aig
        .latches()
        .iter()
        .map(|latch| value(latch.next))
        .collect();
    (alive, met, next)
}

type Place = (usize, Vec<bool>);

/// Returns whether the monitor has a fair run beside these lassos. States are listed, and states from which some condition cannot be met
/// again are removed, up to a fixpoint.
fn accepts(joint: &Joint, lassos: &[Lasso<Inputs>]) -> bool {
    let prefix = lassos.iter().map(|lasso| lasso.back).max().unwrap_or(0);
    let period: usize = lassos
        .iter()
        .map(|lasso| lasso.trace.steps() - lasso.back)
        .product();
    let aig = &joint.product.aig;
    let inputs_at = |time: usize| {
        let mut inputs = vec![false; aig.inputs().len()];
        for (copy, lasso) in joint.product.copies.iter().zip(lassos) {
            let own = lasso.trace.steps() - lasso.back;
            let at = match time.checked_sub(lasso.back) {
                Some(beyond) => lasso.back + beyond % own,
                None => time,
            };
            for (input, value) in copy.inputs.iter().zip(lasso.trace.0[at]) {
                if let Some(Node::Input(index)) = input.map(|lit| aig.node(lit.var())) {
                    inputs[index as usize] = value;
                }
            }
        }
        inputs
    };
    let choices: Vec<usize> = (joint.demands.choices.iter())
        .filter_map(|lit| match aig.node(lit.var()) {
            Node::Input(index) => Some(index as usize),
            _ => None,
        })
        .collect();
    let initial: Vec<bool> = (aig.latches().iter())
        .map(|latch| latch.reset == Reset::One)
        .collect();
    let mut numbers: HashMap<Place, usize> = HashMap::new();
    let mut places = vec![(0, initial)];
    numbers.insert(places[0].clone(), 0);
    let mut edges: Vec<Vec<(usize, Vec<bool>)>> = Vec::new();
    while edges.len() < places.len() {
        let (time, state) = places[edges.len()].clone();
        let mut out = Vec::new();
        let mut inputs = inputs_at(time);
        for chosen in 0..1_usize << choices.len() {
            for (bit, &input) in choices.iter().enumerate() {
                inputs[input] = chosen >> bit & 1 == 1;
            }
            let (alive, met, next) = step(joint, &state, &inputs);
            if !alive {
                continue;
            }
            let time = if time + 1 < prefix + period {
                time + 1
            } else {
                prefix
            };
            let place = (time, next);
            let number = *numbers.entry(place.clone()).or_insert_with(|| {
                places.push(place);
                places.len() - 1
            });
            out.push((number, met));
        }
        edges.push(out);
    }
    let mut live = vec![true; places.len()];
    loop {
        let before = live.clone();
        // At least one step; for each condition a step at which it is met.
        for condition in 0..joint.demands.justice.len().max(1) {
            let mut reaches = vec![false; places.len()];
            loop {
                let mut changed = false;
                for place in 0..places.len() {
                    let reach = live[place]
                        && edges[place].iter().any(|(next, met)| {
                            live[*next]
                                && (met.get(condition).copied().unwrap_or(true) || reaches[*next])
                        });
                    changed |= reach != reaches[place];
                    reaches[place] = reach;
                }
                if !changed {
                    break;
                }
            }
            for (live, reaches) in live.iter_mut().zip(reaches) {
                *live &= reaches;
            }
        }
        if live == before {
            return live[0];
        }
    }
}

fn random_lasso(rng: &mut impl Rng) -> Lasso<Inputs> {
    let length = rng.random_range(1..5);
    let back = rng.random_range(0..length);
    let trace = Inputs((0..length).map(|_| [rng.random(), rng.random()]).collect());
    Lasso { trace, back }
}

fn cases() -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(1500, |text| text.parse().expect("a number"))
}

#[test]
fn monitors_accept_exactly_the_lassos_on_which_their_formulas_hold() {
    let vocabulary = Vocabulary {
        traces: vec!["p", "q"],
        bits: vec!["a", "b"],
        typed: vec!["a"],
        values: vec![Value::Int(0), Value::Int(1)],
        equivalences: true,
    };
    let model = model();
    let (mut held, mut judged, mut free) = (0, 0, 0);
    for seed in 0..cases() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut formula = vocabulary.formula(&mut rng, 2 + seed as usize % 7);
        for (quantifier, _) in &mut formula.prefix {
            *quantifier = Quantifier::Exists;
        }
        // The model has no mutants for formulas to mention.
        if formula
            .body
            .atoms()
            .iter()
            .any(|atom| matches!(atom, Atom::Selector(_)))
        {
            continue;
        }
        let joint = Joint::new(&model, SelectorId(0), &formula).expect("a monitor");
        // Traces that share inputs cannot be given different ones.
        let in_common = joint.specs.iter().any(|spec| spec.inputs_of.is_some());
        if joint.demands.choices.len() > 7 || in_common {
            continue;
        }
        free += usize::from(!joint.demands.choices.is_empty());
        for _ in 0..4 {
            let lassos: Vec<Lasso<Inputs>> = formula
                .prefix
                .iter()
                .map(|_| random_lasso(&mut rng))
                .collect();
            let expected = body_holds_on_lassos(&formula, &lassos).expect("a truth value");
            assert_eq!(
                accepts(&joint, &lassos),
                expected,
                "seed {seed}: {formula}\n{lassos:?}"
            );
            held += usize::from(expected);
            judged += 1;
        }
    }
    println!("{judged} judged, {held} hold, {free} monitors with choices");
    assert!(
        held * 4 > judged && held * 4 < judged * 3,
        "one-sided: {held} of {judged}"
    );
    assert!(free > 200 || cases() < 1500);
}

#[test]
fn invariants_and_what_speaks_of_the_past_need_no_choices() {
    let table = [
        ("G (a[p] = a[q])", (0, 0, 0)),
        ("G (a[p] = a[q]) & F b[p]", (2, 0, 1)),
        ("G (a[p] -> O b[q])", (1, 0, 0)),
        ("(a[p] = a[q]) W !(b[p] = b[q])", (2, 0, 0)),
        ("G F a[p]", (0, 0, 1)),
        ("X X a[p]", (3, 0, 0)),
        ("G (a[p] -> F b[p])", (1, 1, 1)),
    ];
    for (body, (latches, choices, justice)) in table {
        let formula: Formula = parse(&format!("exists p q. {body}")).expect(body);
        let joint = Joint::new(&model(), SelectorId(0), &formula).expect(body);
        let expected = Size {
            latches,
            choices,
            justice,
        };
        assert_eq!(joint.size(), expected, "{body}");
    }
}
