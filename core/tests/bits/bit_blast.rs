//! Compares the bit-blaster with a direct evaluator of terms, on random systems over all sorts and operators.
//!
//! The evaluator works on values and shares only the term pool with the circuit. Values that `core::term` leaves unspecified (division by
//! zero, casts out of domain) are `None` and equal everything.

use std::collections::BTreeMap;

use hyperkill_core::aig::{Aig, Node, Reset};
use hyperkill_core::bit_blast::{BitBlastError, Blasted, bit_blast};
use hyperkill_core::conditional::FIRST_STEP;
use hyperkill_core::conditional::Port;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::system::{
    Constraint, Init, InputRole, InputVar, Obligation, Output, Selector, StateVar,
    TransitionSystem, When,
};
use hyperkill_core::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use hyperkill_core::{Lit, Var};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const OPERATORS: [BinaryOp; 11] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Eq,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
];

/// The values of all variables at one step.
struct Valuation {
    inputs: Vec<Value>,
    states: Vec<Option<Value>>,
    selectors: Vec<bool>,
}

/// Returns the value of each term up to `root`; `None` if it is unspecified.
fn evaluate(terms: &[(Term, Sort)], valuation: &Valuation, root: TermId) -> Option<Value> {
    let mut values: Vec<Option<Value>> = Vec::new();
    for (term, sort) in &terms[..=root.index()] {
        let value = apply(terms, valuation, &values, term, sort);
        if let Some(value) = &value {
            assert!(sort.code_of_value(value).is_some(), "{value} not in {sort}");
        }
        values.push(value);
    }
    values.pop().flatten()
}

fn apply(
    terms: &[(Term, Sort)],
    valuation: &Valuation,
    values: &[Option<Value>],
    term: &Term,
    sort: &Sort,
) -> Option<Value> {
    let of = |id: &TermId| values[id.index()].clone();
    Some(match term {
        Term::Constant(code) => sort.value_of_code(*code),
        Term::Input(i) => valuation.inputs[*i as usize].clone(),
        Term::State(i) => valuation.states[*i as usize].clone()?,
        Term::Selector(i) => Value::bool(valuation.selectors[*i as usize]),
        Term::Unary(op, a) => match (op, sort) {
            (UnaryOp::Not, Sort::Bool) => Value::bool(!is_true(&of(a)?)),
            (UnaryOp::Not, Sort::Bit) => Value::Int(i64::from(!is_true(&of(a)?))),
            (UnaryOp::Not, _) => wrap(sort, !i128::from(int(&of(a)?))),
            (UnaryOp::Neg, _) => wrap(sort, -i128::from(int(&of(a)?))),
        },
        Term::Binary(op, a, b) => {
            let (x, y) = (of(a)?, of(b)?);
            match &terms[a.index()].1 {
                Sort::Bool | Sort::Bit => {
                    let (x, y) = (is_true(&x), is_true(&y));
                    Value::bool(match op {
                        BinaryOp::And => x && y,
                        BinaryOp::Or => x || y,
                        BinaryOp::Xor => x != y,
                        BinaryOp::Eq => x == y,
                        _ => unreachable!("{op:?} on truth values"),
                    })
                }
                Sort::Enum { .. } => Value::bool(x == y),
                _ => {
                    let (x, y) = (i128::from(int(&x)), i128::from(int(&y)));
                    match op {
                        BinaryOp::Eq => Value::bool(x == y),
                        BinaryOp::Lt => Value::bool(x < y),
                        BinaryOp::Le => Value::bool(x <= y),
                        BinaryOp::And => wrap(sort, x & y),
                        BinaryOp::Or => wrap(sort, x | y),
                        BinaryOp::Xor => wrap(sort, x ^ y),
                        BinaryOp::Add => wrap(sort, x + y),
                        BinaryOp::Sub => wrap(sort, x - y),
                        BinaryOp::Mul => wrap(sort, x * y),
                        BinaryOp::Div => wrap(sort, x.checked_div(y)?),
                        BinaryOp::Rem => wrap(sort, x.checked_rem(y)?),
                    }
                }
            }
        }
        Term::Ite(c, a, b) => coerce(sort, of(if is_true(&of(c)?) { a } else { b })?)?,
        Term::Cast(a) => coerce(sort, of(a)?)?,
        Term::InDomain(a, domain) => Value::bool(coerce(domain, of(a)?).is_some()),
        Term::Slice(a, low) => {
            let bits = i128::from(int(&of(a)?)) >> low;
            wrap(sort, bits)
        }
        Term::Concat(a, b) => {
            let width = |id: &TermId| terms[id.index()].1.width();
            let unsigned = |id: &TermId| {
                let value = i128::from(int(&of(id)?));
                Some(value & ((1 << width(id)) - 1))
            };
            wrap(sort, unsigned(a)? << width(b) | unsigned(b)?)
        }
        Term::Number(a) => of(a)?,
    })
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Int(1)) || *value == Value::bool(true)
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(n) => *n,
        Value::Symbol(s) => unreachable!("{s} is no number"),
    }
}

/// Returns a value in the spelling of `sort`, if it is one of its values.
fn coerce(sort: &Sort, value: Value) -> Option<Value> {
    let value = match sort {
        Sort::Bit => Value::Int(i64::from(is_true(&value))),
        Sort::Bool => Value::bool(is_true(&value)),
        _ => value,
    };
    sort.code_of_value(&value).map(|_| value)
}

fn wrap(sort: &Sort, n: i128) -> Value {
    Value::Int(match sort {
        Sort::Word { width, signed } => {
            let modulus = 1i128 << width;
            let n = n.rem_euclid(modulus);
            (if *signed && n >= modulus / 2 {
                n - modulus
            } else {
                n
            }) as i64
        }
        _ => n as i64,
    })
}

/// A system, with its terms in a list for the evaluator.
struct Case {
    system: TransitionSystem,
    terms: Vec<(Term, Sort)>,
    /// The states in an order in which initial values can be computed.
    init_order: Vec<usize>,
}

fn random_sort(rng: &mut ChaCha8Rng) -> Sort {
    match rng.random_range(0..10) {
        0 => Sort::Bit,
        1 => Sort::Bool,
        2..=4 => {
            let all = ["a", "b", "c", "d", "e", "f", "g"];
            let start = rng.random_range(0..3);
            let mut values: Vec<&str> = all[start..rng.random_range(start + 1..=7)].to_vec();
            if rng.random_bool(0.3) {
                values.reverse();
            }
            let mut values: Vec<String> = values.into_iter().map(str::to_owned).collect();
            if rng.random_bool(0.3) {
                // More values than a guard table holds.
                let more = (0..rng.random_range(57..70)).map(|i| format!("v{i}"));
                let at = rng.random_range(0..=values.len());
                values.splice(at..at, more);
            }
            Sort::enumeration(values)
        }
        5..=7 => {
            let low = rng.random_range(-6..=6);
            Sort::Range {
                low,
                high: low + rng.random_range(0..=9),
            }
        }
        _ => Sort::Word {
            width: rng.random_range(1..=4),
            signed: rng.random(),
        },
    }
}

/// Adds about `count` random terms over `leaves`; returns all terms.
fn grow(rng: &mut ChaCha8Rng, pool: &mut TermPool, leaves: &[TermId], count: usize) -> Vec<TermId> {
    let mut made = leaves.to_vec();
    while made.len() < leaves.len() + count {
        let mut pick = || made[rng.random_range(0..made.len())];
        let (a, b, c) = (pick(), pick(), pick());
        let sort = random_sort(rng);
        let small = |pool: &TermPool, id: TermId| match pool.sort(id) {
            Sort::Range { low, high } => -5_000 < *low && *high < 5_000,
            // The evaluator above calculates with numbers.
            Sort::Word { width, .. } => *width <= 63,
            _ => true,
        };
        let result = match rng.random_range(0..23) {
            0 => pool.not(a),
            1 => pool.neg(a),
            2..=12 => {
                let op = OPERATORS[rng.random_range(0..OPERATORS.len())];
                // Operands of one sort are preferred, or no operator would apply to words.
                let b = made
                    .iter()
                    .copied()
                    .filter(|&id| id != a && pool.sort(id) == pool.sort(a))
                    .nth(rng.random_range(0..3))
                    .unwrap_or(b);
                pool.binary(op, a, b)
            }
            13..=15 => pool.ite(c, a, b),
            16 => pool.cast(a, &sort),
            17 => pool.in_domain(a, &sort),
            18 => {
                let low = rng.random_range(0..3);
                pool.slice(a, low, rng.random_range(1..4), rng.random())
            }
            19 => pool.concat(a, b),
            20 => pool.number(a),
            _ => Ok(pool.constant(sort.clone(), rng.random_range(0..sort.cardinality()))),
        };
        if let Some(id) = result.ok().filter(|&id| small(pool, id)) {
            made.push(id);
        } else if rng.random_bool(0.1) {
            made.push(leaves[0]);
        }
    }
    made
}

/// Returns a term as a value of `sort`, made total by a default.
fn total(rng: &mut ChaCha8Rng, pool: &mut TermPool, candidates: &[TermId], sort: &Sort) -> TermId {
    let default = pool.constant(sort.clone(), rng.random_range(0..sort.cardinality()));
    for _ in 0..20 {
        let candidate = candidates[rng.random_range(0..candidates.len())];
        if let Ok(inside) = pool.in_domain(candidate, sort) {
            let cast = pool.cast(candidate, sort).unwrap();
            return pool.ite(inside, cast, default).unwrap();
        }
    }
    default
}

fn random_case(rng: &mut ChaCha8Rng) -> Case {
    let mut system = TransitionSystem {
        name: "random".to_owned(),
        ..TransitionSystem::default()
    };
    let mut pool = TermPool::new();
    let mut leaves = vec![pool.bool(true)];
    for i in 0..rng.random_range(1..4) {
        let sort = random_sort(rng);
        leaves.push(pool.input(i, sort.clone()));
        system.inputs.push(InputVar {
            name: format!("in{i}"),
            sort,
            role: if rng.random() {
                InputRole::Test
            } else {
                InputRole::Choice
            },
        });
    }
    for i in 0..rng.random_range(0..3) {
        leaves.push(pool.selector(i));
        system.selectors.push(Selector {
            id: MutantId(format!("m{i}")),
        });
    }
    let sorts: Vec<Sort> = (0..rng.random_range(1..4))
        .map(|_| random_sort(rng))
        .collect();
    let mut init_order: Vec<usize> = (0..sorts.len()).collect();
    if rng.random() {
        init_order.reverse();
    }
    let mut inits = vec![Init::Free; sorts.len()];
    for &i in &init_order {
        inits[i] = match rng.random_range(0..3) {
            0 => Init::Free,
            1 => {
                let code = rng.random_range(0..sorts[i].cardinality());
                Init::Term(pool.constant(sorts[i].clone(), code))
            }
            _ => {
                let candidates = grow(rng, &mut pool, &leaves, 6);
                Init::Term(total(rng, &mut pool, &candidates, &sorts[i]))
            }
        };
        leaves.push(pool.state(i, sorts[i].clone()));
    }
    let made = grow(rng, &mut pool, &leaves, 40);
    for (i, sort) in sorts.into_iter().enumerate() {
        let next = total(rng, &mut pool, &made, &sort);
        system.states.push(StateVar {
            name: format!("x{i}"),
            sort,
            init: inits[i].clone(),
            next,
        });
    }
    for (i, &term) in made.iter().enumerate() {
        if rng.random_bool(0.6) {
            system.outputs.push(Output {
                name: format!("out{i}"),
                term,
            });
        }
        if *pool.sort(term) == Sort::Bool && rng.random_bool(0.3) {
            for when in [When::Always, When::Initially] {
                system.constraints.push(Constraint {
                    name: None,
                    term,
                    when,
                    span: None,
                });
            }
            for when in [When::Always, When::Initially] {
                system.obligations.push(Obligation {
                    term,
                    when,
                    message: String::new(),
                    span: None,
                });
            }
        }
    }
    let terms = pool.ids();
    let terms = terms.map(|id| (pool.term(id).clone(), pool.sort(id).clone()));
    Case {
        terms: terms.collect(),
        system: TransitionSystem {
            terms: pool,
            ..system
        },
        init_order,
    }
}

/// Returns the value of every node at one step.
fn simulate(aig: &Aig, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
    let mut values = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        values[var.index()] = match node {
            Node::False => false,
            Node::Input(i) => inputs[i as usize],
            Node::Latch(i) => latches[i as usize],
            Node::And(a, b) => read(&values, a) && read(&values, b),
        };
    }
    values
}

fn read(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}

fn port_value(port: &Port, bits: impl Fn(usize) -> bool) -> Value {
    let bits: Vec<bool> = port.bits.iter().map(|&bit| bits(bit)).collect();
    port.sort.decode(&bits)
}

/// Returns the latches of a state variable, by name.
fn latches_of(aig: &Aig, name: &str) -> Vec<usize> {
    let is_bit = |latch: &str| latch == name || latch.starts_with(&format!("{name}["));
    let latches = aig.latches().iter().enumerate();
    latches
        .filter(|(_, latch)| latch.name.as_deref().is_some_and(is_bit))
        .map(|(i, _)| i)
        .collect()
}

/// The number of comparisons of specified values, by operator.
type Coverage = BTreeMap<String, usize>;

fn count(coverage: &mut Coverage, case: &Case, root: TermId) {
    let (term, _) = &case.terms[root.index()];
    let operand_kind = |id: &TermId| match &case.terms[id.index()].1 {
        Sort::Bit => "bit",
        Sort::Bool => "bool",
        Sort::Enum { .. } => "enum",
        Sort::Range { .. } => "range",
        Sort::Word { signed: true, .. } => "signed",
        Sort::Word { signed: false, .. } => "unsigned",
    };
    let key = match term {
        Term::Unary(op, a) => format!("{op:?} {}", operand_kind(a)),
        Term::Binary(op, a, _) => format!("{op:?} {}", operand_kind(a)),
        Term::Ite(_, a, _) => format!("Ite {}", operand_kind(a)),
        Term::Cast(a) => format!("Cast {}", operand_kind(a)),
        Term::InDomain(a, _) => format!("InDomain {}", operand_kind(a)),
        Term::Slice(a, _) => format!("Slice {}", operand_kind(a)),
        Term::Concat(a, _) => format!("Concat {}", operand_kind(a)),
        Term::Number(a) => format!("Number {}", operand_kind(a)),
        _ => return,
    };
    *coverage.entry(key).or_default() += 1;
}

/// Runs system and circuit in parallel and compares all their parts.
fn compare(case: &Case, blasted: &Blasted, rng: &mut ChaCha8Rng, coverage: &mut Coverage) {
    let (system, model) = (&case.system, &blasted.model);
    let aig = &model.aig;
    let mut latches: Vec<bool> = aig
        .latches()
        .iter()
        .map(|latch| latch.reset.as_constant().unwrap_or_else(|| rng.random()))
        .collect();
    let selectors = model.selectors.iter().map(|s| latches[s.latch]).collect();
    let mut valuation = Valuation {
        inputs: Vec::new(),
        states: vec![None; system.states.len()],
        selectors,
    };
    for step in 0..4 {
        let inputs: Vec<bool> = aig.inputs().iter().map(|_| rng.random()).collect();
        let (mut tests, mut choices) = (model.inputs.iter(), model.choices.iter());
        valuation.inputs = system
            .inputs
            .iter()
            .map(|input| {
                let port = match input.role {
                    InputRole::Test => tests.next(),
                    InputRole::Choice => choices.next(),
                };
                port_value(port.unwrap(), |bit| inputs[bit])
            })
            .collect();
        if step == 0 {
            for &i in &case.init_order {
                let state = &system.states[i];
                let bits: Vec<bool> = latches_of(aig, &state.name)
                    .into_iter()
                    .map(|latch| latches[latch])
                    .collect();
                valuation.states[i] = match state.init {
                    Init::Free => Some(state.sort.decode(&bits)),
                    Init::Term(term) => evaluate(&case.terms, &valuation, term),
                };
            }
        }
        let values = simulate(aig, &inputs, &latches);
        for (output, port) in system.outputs.iter().zip(&model.outputs) {
            if let Some(expected) = evaluate(&case.terms, &valuation, output.term) {
                let found = port_value(port, |bit| read(&values, aig.outputs[bit].lit));
                let term = &case.terms[output.term.index()];
                assert_eq!(found, expected, "{} at step {step}: {term:?}", output.name);
                count(coverage, case, output.term);
            }
        }
        for (constraint, signal) in system.constraints.iter().zip(&aig.constraints) {
            if constraint.when == When::Initially && step > 0 {
                assert!(read(&values, signal.lit), "broken after the first step");
            } else if let Some(expected) = evaluate(&case.terms, &valuation, constraint.term) {
                assert_eq!(Value::bool(read(&values, signal.lit)), expected);
            }
        }
        for (obligation, &lit) in system.obligations.iter().zip(&blasted.obligations) {
            if obligation.when == When::Initially && step > 0 {
                continue;
            }
            if let Some(expected) = evaluate(&case.terms, &valuation, obligation.term) {
                assert_eq!(Value::bool(read(&values, lit)), expected);
            }
        }
        latches = aig
            .latches()
            .iter()
            .map(|latch| read(&values, latch.next))
            .collect();
        let states = system.states.iter();
        valuation.states = states
            .map(|state| evaluate(&case.terms, &valuation, state.next))
            .collect();
        for (state, expected) in system.states.iter().zip(&valuation.states) {
            let bits: Vec<bool> = latches_of(aig, &state.name)
                .into_iter()
                .map(|latch| latches[latch])
                .collect();
            if let Some(expected) = expected {
                assert_eq!(state.sort.encode(expected), Some(bits), "{}", state.name);
            } else {
                // Unspecified: any value of the circuit is right.
                return;
            }
        }
    }
}

#[test]
fn circuits_and_terms_have_the_same_values_on_random_systems() {
    let mut coverage = Coverage::new();
    for seed in 0..1500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let case = random_case(&mut rng);
        let blasted = bit_blast(&case.system).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..4 {
                compare(&case, &blasted, &mut rng, &mut coverage);
            }
        }));
        assert!(outcome.is_ok(), "seed {seed}");
    }
    let kinds = [
        (
            "range",
            "Neg Eq Lt Le Add Sub Mul Div Rem Ite Cast InDomain",
        ),
        (
            "signed",
            "Not Neg And Or Xor Eq Lt Le Add Sub Mul Div Rem Ite",
        ),
        (
            "unsigned",
            "Not Neg And Or Xor Eq Lt Le Add Sub Mul Div Rem Ite",
        ),
        ("enum", "Eq Ite Cast InDomain"),
        ("bool", "Not And Or Xor Eq Ite Cast"),
        ("bit", "Not And Or Xor Eq Ite Cast"),
    ];
    for (kind, operators) in kinds {
        for operator in operators.split(' ') {
            let seen = coverage.get(&format!("{operator} {kind}"));
            assert!(
                seen.is_some_and(|&n| n >= 50),
                "`{operator}` on {kind} was compared {seen:?} times only: {coverage:?}"
            );
        }
    }
}

/// Returns a system of states `x`, `y`, … in `0..3` with the given initial values, which keep their values.
fn counters(inits: Vec<Init>, mut terms: TermPool) -> TransitionSystem {
    let sort = Sort::Range { low: 0, high: 3 };
    let states = inits.into_iter().zip(["x", "y", "z"]).enumerate();
    let states = states
        .map(|(i, (init, name))| StateVar {
            name: name.to_owned(),
            sort: sort.clone(),
            init,
            next: terms.state(i, sort.clone()),
        })
        .collect();
    TransitionSystem {
        terms,
        states,
        ..TransitionSystem::default()
    }
}

#[test]
fn circular_initial_values_are_an_error_that_names_the_variables() {
    let mut terms = TermPool::new();
    let sort = Sort::Range { low: 0, high: 3 };
    let (y, z) = (terms.state(1, sort.clone()), terms.state(2, sort));
    let system = counters(vec![Init::Term(y), Init::Term(z), Init::Term(y)], terms);
    let error = bit_blast(&system).unwrap_err();
    assert_eq!(
        error,
        BitBlastError::CircularInit {
            variables: vec!["y".to_owned(), "z".to_owned()]
        }
    );
}

#[test]
fn an_initial_value_that_folds_to_a_constant_is_a_plain_reset() {
    let mut terms = TermPool::new();
    let sort = Sort::Range { low: 0, high: 3 };
    let (x, two) = (terms.state(0, sort.clone()), terms.int(2));
    let one = terms.int(1);
    let sum = terms.binary(BinaryOp::Add, x, one).unwrap();
    let sum = terms.cast(sum, &sort).unwrap();
    let two = terms.cast(two, &sort).unwrap();
    let system = counters(vec![Init::Term(two), Init::Term(sum)], terms);
    let model = bit_blast(&system).unwrap().model;
    let latches = model.aig.latches();
    let resets: Vec<Reset> = latches.iter().map(|latch| latch.reset).collect();
    assert_eq!(
        resets,
        [Reset::Zero, Reset::One, Reset::One, Reset::One],
        "x = 2 and y = 3 without a first-step latch"
    );
}

#[test]
fn an_initial_value_that_reads_a_free_one_is_chosen_by_the_first_step_latch() {
    let mut terms = TermPool::new();
    let x = terms.state(0, Sort::Range { low: 0, high: 3 });
    let system = counters(vec![Init::Free, Init::Term(x)], terms);
    let aig = bit_blast(&system).unwrap().model.aig;
    let first = aig.latches().last().unwrap();
    assert_eq!(first.name.as_deref(), Some(FIRST_STEP));
    assert_eq!((first.reset, first.next), (Reset::One, Lit::FALSE));
    let names: Vec<_> = aig.latches().iter().map(|l| l.name.as_deref()).collect();
    assert_eq!(
        names[..4],
        [Some("x[0]"), Some("x[1]"), Some("y[0]"), Some("y[1]")]
    );
}

#[test]
fn selectors_are_free_constant_latches_and_hidden_state_never_looks_like_one() {
    let mut terms = TermPool::new();
    let mut system = counters(vec![Init::Free], TermPool::new());
    let next = terms.state(0, Sort::Range { low: 0, high: 3 });
    system.terms = terms;
    system.states[0].next = next;
    system.states[0].name = "mut:x".to_owned();
    system.selectors.push(Selector {
        id: MutantId("m".to_owned()),
    });
    let model = bit_blast(&system).unwrap().model;
    let selector = &model.aig.latches()[model.selectors[0].latch];
    assert_eq!(selector.name.as_deref(), Some("mut:m"));
    assert_eq!(
        (selector.reset, selector.next),
        (Reset::Free, selector.var.lit())
    );
    assert_eq!(
        model.aig.latches()[0].name.as_deref(),
        Some("state:mut:x[0]")
    );
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = TermPool::new();
    let mut term = terms.input(0, Sort::Bool);
    for i in 1..200_000 {
        let input = terms.input(i % 2, Sort::Bool);
        let (a, b) = (terms.not(term).unwrap(), input);
        term = terms.binary(BinaryOp::Xor, a, b).unwrap();
    }
    let input = |name: &str| InputVar {
        name: name.to_owned(),
        sort: Sort::Bool,
        role: InputRole::Test,
    };
    let system = TransitionSystem {
        terms,
        inputs: vec![input("a"), input("b")],
        outputs: vec![Output {
            name: "o".to_owned(),
            term,
        }],
        ..TransitionSystem::default()
    };
    let model = bit_blast(&system).unwrap().model;
    assert!(model.aig.outputs[0].lit.var() > Var::new(2));
}

#[test]
fn integers_at_the_ends_of_64_bits_are_errors_or_values_but_never_panics() {
    let mut terms = TermPool::new();
    let (least, minus_one) = (terms.int(i64::MIN), terms.int(-1));
    assert!(terms.neg(least).is_err());
    assert!(terms.binary(BinaryOp::Div, least, minus_one).is_err());
    let rest = terms.binary(BinaryOp::Rem, least, minus_one).unwrap();
    assert_eq!(terms.as_constant(rest), Some(Value::Int(0)));
    let sort = Sort::Range {
        low: i64::MIN,
        high: i64::MAX - 1,
    };
    let x = terms.input(0, sort.clone());
    let is_least = terms.binary(BinaryOp::Eq, x, least).unwrap();
    let output = |name: &str, term| Output {
        name: name.to_owned(),
        term,
    };
    let system = TransitionSystem {
        inputs: vec![InputVar {
            name: "x".to_owned(),
            sort,
            role: InputRole::Test,
        }],
        outputs: vec![output("same", x), output("least", is_least)],
        terms,
        ..TransitionSystem::default()
    };
    let aig = bit_blast(&system).unwrap().model.aig;
    for code in [0u64, 1, u64::MAX - 1, u64::MAX / 2] {
        let inputs: Vec<bool> = (0..64).map(|i| code >> i & 1 == 1).collect();
        let values = simulate(&aig, &inputs, &[]);
        let outputs: Vec<bool> = aig.outputs.iter().map(|o| read(&values, o.lit)).collect();
        assert_eq!(outputs[..64], inputs);
        assert_eq!(outputs[64], code == 0);
    }
}

#[test]
fn an_obligation_of_step_0_is_about_initial_values_whatever_the_latches_hold() {
    let mut terms = TermPool::new();
    let domain = Sort::Range { low: 0, high: 1 };
    let x = terms.state(0, Sort::Range { low: 0, high: 3 });
    let zero = terms.constant(Sort::Range { low: 0, high: 3 }, 0);
    let is_small = terms.in_domain(x, &domain).unwrap();
    let mut system = counters(vec![Init::Term(zero)], terms);
    system.obligations = [When::Initially, When::Always]
        .map(|when| Obligation {
            term: is_small,
            when,
            message: String::new(),
            span: None,
        })
        .to_vec();
    let blasted = bit_blast(&system).unwrap();
    assert_eq!(blasted.obligations[0], Lit::TRUE, "x starts at 0");
    assert!(!blasted.obligations[1].is_constant(), "x may be 3 later");
}
