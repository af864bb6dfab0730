//! Self-composition: the copies for formulas, and products that behave like the copies run alone.

use crate::circuits::{advance, evaluate, machine, select, value};
use hyperkill_core::aig::Reset;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::sort::Value;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::ast::Quantifier::{self, Exists, Forall};
use hyperkill_formulas::ast::{Ltl, UnaryOp};
use hyperkill_formulas::semantics::{TraceView, holds_on_finite_traces};
use hyperkill_formulas::{Composition, Formula, Sharing, killing, parse, self_compose};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn read(text: &str) -> Formula {
    parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

fn compose(model: &ConditionalMutant, formula: &Formula, sharing: Sharing) -> Composition {
    self_compose(model, SelectorId(0), formula, sharing)
        .unwrap_or_else(|e| panic!("{formula}: {e}"))
}

/// Returns variant, `inputs_of` and `choices_of` of each copy.
fn specs(composition: &Composition) -> Vec<(Variant, Option<usize>, Option<usize>)> {
    let copies = composition.product.copies.iter();
    copies
        .map(|copy| {
            let CopySpec {
                variant,
                inputs_of,
                choices_of,
            } = copy.spec;
            (variant, inputs_of, choices_of)
        })
        .collect()
}

const O: Variant = Variant::Original;
const M: Variant = Variant::Mutant(SelectorId(0));

#[test]
fn killing_formulas_compose_the_copies_that_they_speak_of() {
    type Expected<'a> = (Formula, &'a [(Quantifier, Variant, Option<usize>)]);
    let table: [Expected<'_>; 4] = [
        (killing::phi1(), &[(Exists, O, None), (Exists, M, Some(0))]),
        (
            killing::phi2(),
            &[
                (Exists, M, None),
                (Exists, O, Some(0)),
                (Forall, O, Some(1)),
            ],
        ),
        (
            killing::phi3(),
            &[
                (Exists, O, None),
                (Exists, M, Some(0)),
                (Forall, M, Some(1)),
                (Forall, O, Some(0)),
            ],
        ),
        (
            killing::phi4(),
            &[
                (Exists, O, None),
                (Exists, M, Some(0)),
                (Forall, M, Some(1)),
            ],
        ),
    ];
    for (formula, expected) in table {
        for sharing in [Sharing::Independent, Sharing::ControllableChoices] {
            let composition = compose(&machine(), &formula, sharing);
            let copies: Vec<_> = (0..)
                .zip(expected)
                .map(|(i, &(_, variant, inputs_of))| {
                    let shared = sharing == Sharing::ControllableChoices && i > 0;
                    (variant, inputs_of, shared.then_some(0))
                })
                .collect();
            assert_eq!(specs(&composition), copies, "{formula}");
            let quantifiers: Vec<Quantifier> = expected.iter().map(|e| e.0).collect();
            assert_eq!(composition.quantifiers, quantifiers, "{formula}");
            assert_eq!(composition.always, []);
            let reachability = !quantifiers.contains(&Forall);
            assert_eq!(composition.is_reachability(), reachability);
            let existential = quantifiers.iter().filter(|&&q| q == Exists).count();
            assert!(composition.existential().eq(0..existential));
            assert!(composition.universal().eq(existential..expected.len()));
        }
    }
}

#[test]
fn inputs_are_shared_along_chains_of_equalities_in_any_order() {
    let chain = "G (!mut[p] & mut[q] & !mut[r] & mut[s] & I[r] = I[s] & I[s] = I[q] & I[q] = I[p])";
    let formula = read(&format!(
        "exists p. exists q. exists r. exists s. {chain} & F ready[p]"
    ));
    let composition = compose(&machine(), &formula, Sharing::Independent);
    let expected = [(O, None), (M, Some(0)), (O, Some(0)), (M, Some(1))];
    let expected: Vec<_> = expected.iter().map(|&(v, i)| (v, i, None)).collect();
    assert_eq!(specs(&composition), expected);

    // A universal trace must not equate two existential ones: p and q stay apart.
    let formula = read(
        "exists p. exists q. forall r. G (!mut[p] & mut[q]) \
         & (G (mut[r] & I[r] = I[p] & I[r] = I[q]) -> F ready[r])",
    );
    let composition = compose(&machine(), &formula, Sharing::Independent);
    let expected = [(O, None, None), (M, None, None), (M, Some(0), None)];
    assert_eq!(specs(&composition), expected);
    // A trace with inputs other than q's fulfils the formula too.
    let one = compose(
        &machine(),
        &read(
            "exists p. exists q. forall r. G (!mut[p] & mut[q]) \
             & (G (mut[r] & I[r] = I[p]) -> F (ready[r] | I[r] != I[q]))",
        ),
        Sharing::Independent,
    );
    assert_eq!(composition.goal, one.goal);
}

#[test]
fn contradictions_stay_behind_as_false() {
    let formula = read("exists p. G (mut[p] & !mut[p]) & F ready[p]");
    let composition = compose(&machine(), &formula, Sharing::Independent);
    assert_eq!(composition.always, [Lit::FALSE]);
    let formula = read("forall p. G (mut[p] & !mut[p]) -> F ready[p]");
    let composition = compose(&machine(), &formula, Sharing::Independent);
    assert_eq!(composition.goal, Lit::TRUE);
}

#[test]
fn a_model_without_selectors_is_all_original() {
    let mut model = machine();
    model.selectors.clear();
    let formula = read("exists p. exists q. G I[p] = I[q] & F O[p] != O[q]");
    let composition = compose(&model, &formula, Sharing::Independent);
    assert_eq!(specs(&composition), [(O, None, None), (O, Some(0), None)]);
}

#[test]
fn negated_noninterference_is_reachability() {
    let secret = read("forall p. forall q. G (!mut[p] & !mut[q] & I[p] = I[q]) -> G O[p] = O[q]");
    let attack = secret.negate().to_negation_normal_form().unwrap();
    let composition = compose(&machine(), &attack, Sharing::Independent);
    assert_eq!(specs(&composition), [(O, None, None), (O, Some(0), None)]);
    assert!(composition.is_reachability());
}

#[test]
fn ways_of_writing_the_shape_compose_alike() {
    let always = "G (!mut[p] & mut[q] & I[p] = I[q])";
    let table = [
        (
            "exists p. exists q. ",
            format!("{always} & (G a[p] -> F ready[q])"),
        ),
        (
            "exists p. exists q. ",
            format!("{always} & (F !a[p] | F ready[q])"),
        ),
        (
            "exists p. exists q. ",
            format!("{always} & F (a[p] -> ready[q])"),
        ),
        (
            "exists p. exists q. ",
            format!("!({always} -> G (a[p] & !ready[q]))"),
        ),
        (
            "exists p. exists q. ",
            "!(F (mut[p] | !mut[q] | I[p] != I[q]) | (G a[p] & G !ready[q]))".to_owned(),
        ),
    ];
    let mut goals = Vec::new();
    for (prefix, body) in table {
        let composition = compose(
            &machine(),
            &read(&format!("{prefix}{body}")),
            Sharing::Independent,
        );
        assert_eq!(
            specs(&composition),
            [(O, None, None), (M, Some(0), None)],
            "{body}"
        );
        goals.push((composition.always, composition.goal));
    }
    assert!(goals.iter().all(|goal| *goal == goals[0]), "{goals:?}");
}

#[test]
fn the_negation_of_an_alternating_formula_has_the_killing_shape() {
    // Every run of the mutant has a run of the model with the same inputs and outputs: no test kills, except by acceptance.
    let refines = read("forall q. exists p. G mut[q] -> G (!mut[p] & I[p] = I[q] & O[p] = O[q])");
    let composition = compose(&machine(), &refines.negate(), Sharing::Independent);
    assert_eq!(specs(&composition), [(M, None, None), (O, Some(0), None)]);
    assert_eq!(composition.quantifiers, [Exists, Forall]);
    let phi2 = read("exists q. forall p. G mut[q] & (G (!mut[p] & I[p] = I[q]) -> F O[p] != O[q])");
    assert_eq!(
        composition.goal,
        compose(&machine(), &phi2, Sharing::Independent).goal
    );
}

#[test]
fn an_invariant_alone_asks_for_nothing_to_come_true() {
    let formula = read("exists p. exists q. G (!mut[p] & mut[q] & I[p] = I[q] & a[p])");
    let composition = compose(&machine(), &formula, Sharing::Independent);
    assert_eq!(composition.goal, Lit::TRUE);
    assert_eq!(composition.always.len(), 1);
}

#[test]
fn other_shapes_are_refused_with_what_does_not_fit() {
    let phi1 = "G (!mut[p] & mut[q] & I[p] = I[q])";
    let table = [
        (
            "forall p. exists q. true".to_owned(),
            "prefix ∀*∃* is not supported: only ∃*, ∀* and ∃*∀* are; negate the formula if that helps",
        ),
        (
            format!("exists p. exists q. {phi1} & F a[p] & F b[q]"),
            "`F b[q]` does not fit the shape `G a & (G b -> F c)`: a second eventuality",
        ),
        (
            format!("exists p. exists q. {phi1} & X a[p]"),
            "`X a[p]` does not fit the shape `G a & (G b -> F c)`: neither an invariant nor an eventuality",
        ),
        (
            format!("exists p. exists q. {phi1} & F (a[p] & X b[p])"),
            "`X b[p]` does not fit the shape `G a & (G b -> F c)`: a temporal operator below the outermost G and F",
        ),
        (
            format!("exists p. exists q. {phi1} & G (a[p] U b[p]) & F a[p]"),
            "`a[p] U b[p]` does not fit the shape `G a & (G b -> F c)`: a temporal operator below the outermost G and F",
        ),
        (
            format!("exists p. forall q. {phi1} & F a[p]"),
            "`mut[q]` does not fit the shape `G a & (G b -> F c)`: asserted of a universal trace",
        ),
        (
            "exists p. (a[p] -> F b[p])".to_owned(),
            "`a[p]` does not fit the shape `G a & (G b -> F c)`: neither an invariant nor an eventuality",
        ),
        (
            "exists p. (G a[p] -> G b[p])".to_owned(),
            "`G b[p]` does not fit the shape `G a & (G b -> F c)`: neither an invariant nor an eventuality",
        ),
        (
            "exists p. exists q. G mut[p] & F a[q]".to_owned(),
            "trace `q` may be of the original or of the mutant: add `mut[q]` or `!mut[q]` under G",
        ),
        (
            format!("exists p. exists q. {phi1} & F nowhere[p]"),
            "the model has no signal `nowhere`",
        ),
        (
            format!("exists p. exists q. {phi1} & F count[7][p]"),
            "the model has no signal `count[7]`",
        ),
        (
            format!("exists p. exists q. {phi1} & F level[p]"),
            "`level` is of sort {off, low, high}, not one bit: compare it with a value",
        ),
        (
            format!("exists p. exists q. {phi1} & F level[p] = hi"),
            "`level` is of sort {off, low, high}, which has no value `hi`",
        ),
        (
            format!("exists p. exists q. {phi1} & F level[p] = count[q]"),
            "`level` of sort {off, low, high} cannot be compared with `count` of sort unsigned word[2]",
        ),
    ];
    for (text, message) in table {
        let error = self_compose(
            &machine(),
            SelectorId(0),
            &read(&text),
            Sharing::Independent,
        );
        let error = error.expect_err(&text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = self_compose(
        &machine(),
        SelectorId(2),
        &killing::phi1(),
        Sharing::Independent,
    )
    .unwrap_err();
    let message = "the model has 2 mutant selectors, none with index 2";
    assert_eq!(error.to_string(), message);
}

#[test]
fn copies_share_what_nothing_of_their_own_can_reach() {
    let composition = compose(&machine(), &killing::phi1(), Sharing::Independent);
    let [original, mutant] = composition.product.copies.as_slice() else {
        panic!("φ1 has two copies");
    };
    // Output 3 reads inputs and the clock only; output 0 reads a counter that the mutant changes.
    assert_eq!(original.outputs[3], mutant.outputs[3]);
    assert_ne!(original.outputs[0], mutant.outputs[0]);
    assert_eq!(original.latches[5], mutant.latches[5]);
    assert_ne!(original.latches[4], mutant.latches[4]);
    assert_ne!(composition.goal, Lit::FALSE);
    assert_eq!(original.outputs.len(), 4);
}

/// One step of one copy run alone, for the evaluator.
struct Snapshot<'m> {
    model: &'m ConditionalMutant,
    variant: Variant,
    values: Vec<bool>,
}

impl Snapshot<'_> {
    fn outputs_of(&self, port: &Port) -> Value {
        let outputs = &self.model.aig.outputs;
        let bits = port
            .bits
            .iter()
            .map(|&b| value(&self.values, outputs[b].lit));
        port.sort.decode(&bits.collect::<Vec<bool>>())
    }

    fn inputs_of(&self, port: &Port) -> Value {
        let inputs = self.model.aig.inputs();
        let bits = port
            .bits
            .iter()
            .map(|&b| self.values[inputs[b].var.index()]);
        port.sort.decode(&bits.collect::<Vec<bool>>())
    }
}

impl TraceView for Snapshot<'_> {
    fn steps(&self) -> usize {
        1
    }

    fn is_mutant(&self) -> bool {
        self.variant != Variant::Original
    }

    fn value(&self, _: usize, name: &str) -> Option<Value> {
        let model = self.model;
        let named = |port: &&Port| port.name == name;
        let inputs = model.inputs.iter().chain(&model.choices);
        let output = model.outputs.iter().find(named);
        if let Some(port) = output {
            return Some(self.outputs_of(port));
        }
        if let Some(port) = inputs.clone().find(named) {
            return Some(self.inputs_of(port));
        }
        let aig = &model.aig;
        let wire = aig
            .outputs
            .iter()
            .map(|o| (&o.name, o.lit))
            .chain(aig.inputs().iter().map(|i| (&i.name, i.var.lit())))
            .chain(aig.latches().iter().map(|l| (&l.name, l.var.lit())))
            .find(|(symbol, _)| symbol.as_deref() == Some(name))?;
        Some(Value::Int(i64::from(value(&self.values, wire.1))))
    }

    fn inputs(&self, _: usize) -> Vec<Value> {
        let ports = self.model.inputs.iter();
        ports.map(|port| self.inputs_of(port)).collect()
    }

    fn outputs(&self, _: usize) -> Vec<Value> {
        let ports = self.model.outputs.iter();
        ports.map(|port| self.outputs_of(port)).collect()
    }
}

/// Returns the assertion and the eventuality of a body `G a & (G b -> F c)` or `G a & F c`: a, and !b | c.
fn parts(body: &Ltl) -> [Ltl; 2] {
    let Ltl::And(conjuncts) = body else {
        panic!("not of the shape: {body}");
    };
    let under = |formula: &Ltl| match formula {
        Ltl::Unary(UnaryOp::Globally | UnaryOp::Finally, operand) => (**operand).clone(),
        other => panic!("not of the shape: {other}"),
    };
    match &conjuncts[1] {
        Ltl::Binary(_, premise, conclusion) => {
            let goal = Ltl::or([under(premise).not(), under(conclusion)]);
            [under(&conjuncts[0]), goal]
        }
        goal => [under(&conjuncts[0]), under(goal)],
    }
}

#[test]
fn literals_mean_what_the_formulas_mean_on_copies_run_alone() {
    let texts = [
        &killing::phi1().to_string(),
        &killing::phi2().to_string(),
        &killing::phi3().to_string(),
        &killing::phi4().to_string(),
        "exists p. exists q. G (!mut[p] & mut[q] & I[p] = I[q] & (a[p] -> ready[q]) & level[p] != high) \
         & F (count[p] = 2 | count[p] != count[q] & busy[q])",
        // Different inputs; an input and a latch that no output reads; codes without a value.
        "exists p. exists q. G (!mut[p] & mut[q] & level[p] = level[q]) \
         & F (I[p] != I[q] & (unread[p] xor hidden[q]) | level[q] = low)",
        "exists p. exists q. G (!mut[p] & mut[q] & (O[p] = O[q] | b[p] = a[q])) & F (level[p] = high <-> low[q])",
        "exists q. exists s. forall p. G (mut[q] & !mut[s] & (b[q] | c[s])) \
         & (G (!mut[p] & I[p] = I[q] & I[p] = I[s] & count[p] = count[q]) -> F (free[p] & !\"mut:m1\"[s] & count[1][q]))",
        "exists q. forall p. G (mut[q] & true) & (G (!mut[p] & b[p] = TRUE & \"nd:c\"[q] = c[p]) -> F (clock[p] & \"mut:m1\"[q]))",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let formula = read(text);
        let parts = parts(&formula.body);
        // Quantifiers do not matter if every variable has its own trace; the evaluator gets one trace at a time.
        for sharing in [Sharing::Independent, Sharing::ControllableChoices] {
            let composition = compose(&machine(), &formula, sharing);
            let mut seen = [[0; 2]; 2];
            for round in 0..60 {
                let seed = number as u64 * 1000 + round;
                let all = |values: &[bool], lits: &[Lit]| lits.iter().all(|&l| value(values, l));
                replay(&machine(), &composition, seed, 8, |step, values, copies| {
                    let found = [
                        all(values, &composition.always),
                        value(values, composition.goal),
                    ];
                    for (part, (meant, found)) in parts.iter().zip(found).enumerate() {
                        let expected = holds_of(&formula, meant, copies);
                        assert_eq!(
                            found, expected,
                            "{meant} in {text}, seed {seed}, step {step}"
                        );
                        seen[part][usize::from(found)] += 1;
                    }
                });
            }
            assert!(seen[1][0] > 0, "the goal of {text} is trivial: {seen:?}");
            assert!(
                seen[1][1] > 0 || sharing != Sharing::Independent,
                "the goal of {text} was never seen: {seen:?}"
            );
        }
    }
}

/// Returns whether an instantaneous formula holds with each trace variable bound to the copy at its position.
fn holds_of(formula: &Formula, part: &Ltl, copies: &[Snapshot<'_>]) -> bool {
    let traces: Vec<Numbered<'_>> = copies.iter().enumerate().map(Numbered).collect();
    let bindings = formula.prefix.iter().enumerate().map(|(i, (_, trace))| {
        let number = hyperkill_formulas::ast::SignalOf::new(NUMBER, trace);
        let value = hyperkill_formulas::ast::Operand::Value(Value::Int(i as i64));
        Ltl::Atom(hyperkill_formulas::Atom::Equal(number, value))
    });
    let exists = formula.prefix.iter().map(|(_, t)| (Exists, t.clone()));
    let bound = Formula {
        prefix: exists.collect(),
        body: Ltl::and(bindings.chain([part.clone()])),
    };
    holds_on_finite_traces(&bound, &traces).unwrap_or_else(|e| panic!("{bound}: {e}"))
}

const NUMBER: &str = "number of the copy";

/// A snapshot that also has the number of its copy, so that a formula can select it from the set.
struct Numbered<'s>((usize, &'s Snapshot<'s>));

impl TraceView for Numbered<'_> {
    fn steps(&self) -> usize {
        self.0.1.steps()
    }

    fn is_mutant(&self) -> bool {
        self.0.1.is_mutant()
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        match name {
            NUMBER => Some(Value::Int(self.0.0 as i64)),
            _ => self.0.1.value(step, name),
        }
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        self.0.1.inputs(step)
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        self.0.1.outputs(step)
    }
}

/// Runs the product on a random stimulus, and each copy alone on its part of the stimulus. Checks that outputs and validity agree, and
/// passes each step to `watch`.
fn replay(
    model: &ConditionalMutant,
    composition: &Composition,
    seed: u64,
    steps: usize,
    mut watch: impl FnMut(usize, &[bool], &[Snapshot<'_>]),
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let product = &composition.product;
    let mut joint: Vec<bool> = (product.aig.latches().iter())
        .map(|latch| match latch.reset {
            Reset::Free => rng.random(),
            reset => reset == Reset::One,
        })
        .collect();
    for &(later, earlier) in &product.initially_equal {
        joint[later] = joint[earlier];
    }
    let mut alone: Vec<Vec<bool>> = (product.copies.iter())
        .map(|copy| {
            let latches = model.aig.latches().iter().enumerate();
            let mut latches: Vec<bool> = latches
                .map(|(i, latch)| match (latch.reset, copy.latches[i]) {
                    (Reset::Free, Some(index)) => joint[index],
                    (reset, _) => reset == Reset::One,
                })
                .collect();
            select(model, copy.spec.variant, &mut latches);
            latches
        })
        .collect();
    for step in 0..steps {
        let stimulus: Vec<bool> = product.aig.inputs().iter().map(|_| rng.random()).collect();
        let values = evaluate(&product.aig, &stimulus, &joint);
        let mut snapshots = Vec::new();
        for (number, copy) in product.copies.iter().enumerate() {
            let inputs = copy.inputs.iter();
            let inputs: Vec<bool> = inputs
                .map(|lit| lit.is_some_and(|lit| value(&values, lit)))
                .collect();
            let own = evaluate(&model.aig, &inputs, &alone[number]);
            let outputs = model.aig.outputs.iter().map(|o| value(&own, o.lit));
            let composed = copy.outputs.iter().map(|&o| value(&values, o));
            assert!(
                composed.eq(outputs),
                "seed {seed}, step {step}, copy {number}"
            );
            let exists = (model.aig.constraints.iter()).all(|c| value(&own, c.lit));
            assert_eq!(value(&values, copy.valid), exists, "seed {seed}");
            alone[number] = advance(&model.aig, &own);
            snapshots.push(Snapshot {
                model,
                variant: copy.spec.variant,
                values: own,
            });
        }
        watch(step, &values, &snapshots);
        joint = advance(&product.aig, &values);
    }
}
