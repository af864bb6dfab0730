//! The reference evaluator, compared with cases judged by hand, with laws, and with the definitions of killing.

use std::collections::{BTreeMap, BTreeSet};

use crate::random::Vocabulary;
use hyperkill_core::sort::Value;
use hyperkill_formulas::ast::{Atom, BinaryOp, Ltl, UnaryOp};
use hyperkill_formulas::semantics::{
    Lasso, SemanticsError, TraceView, holds_on_finite_traces, holds_on_lassos,
};
use hyperkill_formulas::{Formula, killing, parse};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One step: input `i`, outputs `o` and `n` (of sort 0..2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct TraceStep {
    i: bool,
    o: bool,
    n: i64,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Trace {
    mutant: bool,
    steps: Vec<TraceStep>,
}

impl TraceView for Trace {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn is_mutant(&self) -> bool {
        self.mutant
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        let step = &self.steps[step];
        match name {
            "i" => Some(Value::Int(i64::from(step.i))),
            "o" => Some(Value::bool(step.o)),
            "n" => Some(Value::Int(step.n)),
            _ => None,
        }
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        vec![Value::Int(i64::from(self.steps[step].i))]
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        vec![
            Value::bool(self.steps[step].o),
            Value::Int(self.steps[step].n),
        ]
    }
}

fn random_trace(rng: &mut impl Rng, length: usize) -> Trace {
    let steps = (0..length).map(|_| TraceStep {
        i: rng.random(),
        o: rng.random(),
        n: rng.random_range(0..3),
    });
    Trace {
        steps: steps.collect(),
        mutant: rng.random(),
    }
}

fn vocabulary() -> Vocabulary {
    Vocabulary {
        traces: vec!["p", "q"],
        bits: vec!["i", "o"],
        typed: vec!["n"],
        values: (0..3).map(Value::Int).collect(),
        equivalences: true,
    }
}

/// Returns a trace of the original with the inputs of the text: `1` or `0` per step.
fn shows(text: &str) -> Trace {
    let step = |c| TraceStep {
        i: c == '1',
        o: false,
        n: 0,
    };
    Trace {
        mutant: false,
        steps: text.chars().map(step).collect(),
    }
}

fn read(text: &str) -> Formula {
    parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

fn finite(formula: &Formula, traces: &[Trace]) -> bool {
    holds_on_finite_traces(formula, traces).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

fn infinite(formula: &Formula, lassos: &[Lasso<Trace>]) -> bool {
    holds_on_lassos(formula, lassos).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

#[test]
fn operators_on_finite_traces_end_with_the_trace() {
    // A formula about `i`, the traces on which it holds, and the traces on which it does not.
    let table: [(&str, &[&str], &[&str]); 21] = [
        ("i[p]", &["1", "10"], &["0", "01"]),
        ("X i[p]", &["01", "11"], &["1", "0", "10"]),
        ("wX i[p]", &["01", "1", "0"], &["10", "00"]),
        ("X X true", &["000"], &["00", "0"]),
        ("F i[p]", &["1", "001"], &["0", "000"]),
        ("G i[p]", &["1", "111"], &["0", "110"]),
        ("G F i[p]", &["01", "001"], &["10", "0"]),
        ("i[p] U !i[p]", &["0", "110"], &["1", "111"]),
        ("i[p] W !i[p]", &["0", "110", "111"], &[]),
        ("!i[p] U (i[p] & X i[p])", &["11", "0011"], &["01", "0101"]),
        ("i[p] R true", &["0", "1"], &[]),
        ("!i[p] R i[p]", &["11"], &["10", "0", "01"]),
        ("i[p] R !i[p]", &["000"], &["001", "1"]),
        ("i[p] M true", &["1", "01"], &["0", "00"]),
        ("G (i[p] -> Y !i[p])", &["01", "0101"], &["1", "011"]),
        ("G (i[p] -> Z !i[p])", &["1", "01", "101"], &["11", "011"]),
        ("F (!i[p] & O i[p])", &["10", "0100"], &["01", "1", "0"]),
        ("G (H i[p] | Y H i[p])", &["1", "10", "11"], &["0", "100"]),
        ("F G (!i[p] S i[p])", &["1", "0100"], &["0", "000"]),
        ("G (i[p] T !i[p])", &["000"], &["100", "1", "01"]),
        (
            "i[p] <-> X i[p] xor true",
            &["1", "10", "01"],
            &["0", "11", "00"],
        ),
    ];
    for (body, yes, no) in table {
        let formula = read(&format!("exists p. {body}"));
        for text in yes {
            assert!(finite(&formula, &[shows(text)]), "{formula} on {text}");
        }
        for text in no {
            assert!(!finite(&formula, &[shows(text)]), "{formula} on {text}");
        }
    }
}

#[test]
fn operators_on_lassos_go_round_for_ever() {
    // The formula, the steps, the start of the loop, the verdict.
    let table = [
        ("G F i[p]", "01", 0, true),
        ("G F i[p]", "100", 1, false),
        ("F G i[p]", "0011", 2, true),
        ("F G i[p]", "0010", 2, false),
        ("X i[p]", "1", 0, true),
        ("wX i[p]", "0", 0, false),
        ("X X X i[p]", "010", 1, true),
        ("i[p] U !i[p]", "1", 0, false),
        ("i[p] W !i[p]", "1", 0, true),
        ("!i[p] R i[p]", "1", 0, true),
        ("G (i[p] xor X i[p])", "01", 0, true),
        ("G (i[p] xor X i[p])", "010", 0, false),
        // Values before the loop, and in the previous iteration.
        ("G F O i[p]", "10", 1, true),
        ("G F Y Y i[p]", "10", 1, false),
        ("G F (i[p] & Y Y Y i[p])", "100", 0, true),
        ("F G H !i[p]", "0", 0, true),
        ("F (i[p] & O (i[p] & Y O i[p]))", "01", 0, true),
        ("F (i[p] & O (i[p] & Y O i[p]))", "10", 1, false),
        ("G (X i[p] -> !i[p] S true)", "01", 0, true),
    ];
    for (body, steps, back, verdict) in table {
        let formula = read(&format!("forall p. {body}"));
        let trace = shows(steps);
        let found = infinite(&formula, &[Lasso { trace, back }]);
        assert_eq!(found, verdict, "{formula} on {steps} back to {back}");
    }
    // Loops of two and three steps meet in all six combinations.
    let lasso = |text: &str, back| Lasso {
        trace: shows(text),
        back,
    };
    let pair = [lasso("01", 0), lasso("1001", 1)];
    let meets = read("exists p. exists q. F (i[p] & i[q] & X (!i[p] & !i[q] & X (i[p] & !i[q])))");
    assert!(infinite(&meets, &pair));
    let apart = read("exists p. exists q. i[p] != i[q] & G (i[p] != i[q])");
    assert!(!infinite(&apart, &pair));
}

#[test]
fn quantifiers_range_over_the_set() {
    let traces = [shows("01"), shows("11")];
    let table = [
        ("exists p. i[p]", true),
        ("forall p. i[p]", false),
        ("forall p. exists q. i[p] != i[q]", true),
        ("exists p. forall q. i[p] = i[q]", false),
        ("forall p. forall q. X (i[p] = i[q])", true),
        ("exists p. mut[p]", false),
    ];
    for (text, verdict) in table {
        assert_eq!(finite(&read(text), &traces), verdict, "{text}");
    }
    assert!(!finite(&read("exists p. true"), &[]));
    assert!(finite(&read("forall p. false"), &[]));
}

#[test]
fn what_has_no_truth_value_is_an_error() {
    let traces = [shows("01"), shows("1")];
    let lengths = holds_on_finite_traces(&read("exists p. i[p]"), &traces);
    let different = SemanticsError::DifferentLengths {
        index: 1,
        steps: 1,
        common: 2,
    };
    assert_eq!(lengths, Err(different));
    let one = &traces[..1];
    let unknown = holds_on_finite_traces(&read("exists p. x[p]"), one);
    assert_eq!(unknown, Err(SemanticsError::UnknownSignal("x".to_owned())));
    let mut two = shows("0");
    two.steps[0].n = 2;
    let number = holds_on_finite_traces(&read("exists p. n[p]"), &[two]);
    assert!(matches!(number, Err(SemanticsError::NotATruthValue { .. })));
    let trace = shows("0");
    let open = holds_on_lassos(&read("exists p. i[p]"), &[Lasso { trace, back: 1 }]);
    assert!(matches!(open, Err(SemanticsError::NoLoop { .. })));
    let none = holds_on_finite_traces(&read("exists p. i[p]"), &[shows("")]);
    assert_eq!(none, Err(SemanticsError::NoSteps));
}

#[test]
fn a_lasso_means_the_same_however_it_is_written() {
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let formula = vocabulary().formula(&mut rng, 8);
        let mut lassos = Vec::new();
        let mut rewritten = Vec::new();
        for _ in 0..2 {
            let length = rng.random_range(1..4);
            let back = rng.random_range(0..length);
            let trace = random_trace(&mut rng, length);
            let mut longer = trace.clone();
            // One more iteration, and one step into the next.
            longer.steps.extend_from_slice(&trace.steps[back..]);
            longer.steps.push(longer.steps[back].clone());
            let rewritten_back = back + 1;
            lassos.push(Lasso { trace, back });
            rewritten.push(Lasso {
                trace: longer,
                back: rewritten_back,
            });
        }
        assert_eq!(
            infinite(&formula, &lassos),
            infinite(&formula, &rewritten),
            "seed {seed}: {formula}"
        );
    }
}

fn is_normal(formula: &Ltl) -> bool {
    match formula {
        Ltl::Unary(UnaryOp::Not, operand) => matches!(operand.as_ref(), Ltl::Atom(_)),
        Ltl::Binary(op, ..)
            if !matches!(
                op,
                BinaryOp::Until | BinaryOp::Release | BinaryOp::Since | BinaryOp::Triggered
            ) =>
        {
            false
        }
        _ => formula.operands().into_iter().all(is_normal),
    }
}

#[test]
fn normal_forms_and_negations_mean_what_they_should_in_both_readings() {
    let mut held = 0;
    for seed in 0..1500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let formula = vocabulary().formula(&mut rng, 1 + seed as usize % 9);
        let normal = formula.to_negation_normal_form().unwrap();
        let negated = formula.negate();
        let negated_normal = negated.to_negation_normal_form().unwrap();
        assert!(is_normal(&normal.body), "seed {seed}: {normal}");
        assert!(is_normal(&negated_normal.body), "seed {seed}");
        assert_eq!(negated.negate().prefix, formula.prefix);

        let length = rng.random_range(1..4);
        let traces: Vec<Trace> = (0..3).map(|_| random_trace(&mut rng, length)).collect();
        let verdict = finite(&formula, &traces);
        held += usize::from(verdict);
        assert_eq!(finite(&normal, &traces), verdict, "seed {seed}: {formula}");
        assert_eq!(
            finite(&negated, &traces),
            !verdict,
            "seed {seed}: {formula}"
        );
        assert_eq!(finite(&negated_normal, &traces), !verdict, "seed {seed}");

        let lassos: Vec<Lasso<Trace>> = traces
            .into_iter()
            .map(|trace| Lasso {
                trace,
                back: rng.random_range(0..length),
            })
            .collect();
        let verdict = infinite(&formula, &lassos);
        assert_eq!(
            infinite(&normal, &lassos),
            verdict,
            "seed {seed}: {formula}"
        );
        assert_eq!(infinite(&negated, &lassos), !verdict, "seed {seed}");
        assert_eq!(infinite(&negated_normal, &lassos), !verdict, "seed {seed}");
    }
    assert!(
        (300..1200).contains(&held),
        "one-sided: {held} of 1500 held"
    );
}

#[test]
fn normal_forms_of_unbounded_size_are_refused() {
    let text = format!("exists p. {}i[p]", "i[p] xor ".repeat(100));
    let refused = read(&text).to_negation_normal_form();
    assert!(refused.is_err());
    let text = format!("exists p. {}i[p]", "i[p] xor ".repeat(10));
    let formula = read(&text).to_negation_normal_form().unwrap();
    assert!(formula.body.atoms().len() > 1000);
    assert!(
        formula
            .body
            .atoms()
            .contains(&&Atom::Signal(hyperkill_formulas::ast::SignalOf::new(
                "i",
                &formula.prefix[0].1
            )))
    );
}

/// The outputs of a set of traces on each input sequence: R of semantics.md §2.
type Responses = BTreeMap<Vec<bool>, BTreeSet<Vec<(bool, i64)>>>;

fn responses(traces: &[Trace], mutant: bool) -> Responses {
    let mut responses = Responses::new();
    for trace in traces.iter().filter(|t| t.mutant == mutant) {
        let inputs = trace.steps.iter().map(|s| s.i).collect();
        let outputs = trace.steps.iter().map(|s| (s.o, s.n)).collect();
        responses.entry(inputs).or_default().insert(outputs);
    }
    responses
}

#[test]
fn killing_formulas_say_what_the_definitions_say() {
    let nothing = BTreeSet::new();
    // The numbers of sets: judged, potentially killed, definitely killed, refused somewhere, with deterministic model.
    let mut mix = [0; 5];
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let length = rng.random_range(1..3);
        let size = rng.random_range(0..9);
        let mut traces: Vec<Trace> = (0..size).map(|_| random_trace(&mut rng, length)).collect();
        // Few values, so that outputs of both coincide.
        let variety = rng.random_range(1..3);
        for step in traces.iter_mut().flat_map(|t| &mut t.steps) {
            step.n %= variety;
            step.o &= variety == 2 || seed % 2 == 0;
        }
        let original = responses(&traces, false);
        let mutant = responses(&traces, true);

        // Definitions 3 and 4 over the inputs that the model accepts.
        let killed_by = |kills: &dyn Fn(&BTreeSet<_>, &BTreeSet<_>) -> bool| {
            original.iter().any(|(inputs, of_original)| {
                kills(of_original, mutant.get(inputs).unwrap_or(&nothing))
            })
        };
        let potentially = killed_by(&|o, m| !m.is_subset(o));
        let definitely = killed_by(&|o, m| !m.is_empty() && m.is_disjoint(o));
        let deterministic = |responses: &Responses| responses.values().all(|set| set.len() == 1);

        let holds = |formula: &Formula| finite(formula, &traces);
        assert_eq!(holds(&killing::phi2()), potentially, "φ2, seed {seed}");
        assert_eq!(holds(&killing::phi3()), definitely, "φ3, seed {seed}");
        if deterministic(&original) {
            assert_eq!(holds(&killing::phi1()), potentially, "φ1, seed {seed}");
            assert_eq!(holds(&killing::phi4()), definitely, "φ4, seed {seed}");
        }
        if deterministic(&mutant) {
            assert_eq!(potentially, definitely, "Proposition 1, seed {seed}");
        }
        mix[0] += 1;
        mix[1] += usize::from(potentially);
        mix[2] += usize::from(definitely);
        mix[3] += usize::from(original.keys().any(|i| !mutant.contains_key(i)));
        mix[4] += usize::from(deterministic(&original));
    }
    println!("sets, potential, definite, refusing, deterministic: {mix:?}");
    assert!(mix[1] > 600 && mix[1] < 2400, "{mix:?}");
    assert!(mix[2] > 300 && mix[2] + 100 < mix[1], "{mix:?}");
    assert!(mix[3] > 300 && mix[4] > 600, "{mix:?}");
}

#[test]
fn phi4_proves_nothing_about_a_nondeterministic_model() {
    // o = nd & !mut: the mutant is a refinement of the model.
    let step = |o| TraceStep { i: false, o, n: 0 };
    let trace = |mutant, o| Trace {
        mutant,
        steps: vec![step(o)],
    };
    let traces = [trace(false, false), trace(false, true), trace(true, false)];
    assert!(finite(&killing::phi4(), &traces));
    assert!(finite(&killing::phi1(), &traces));
    assert!(!finite(&killing::phi2(), &traces));
    assert!(!finite(&killing::phi3(), &traces));
}
