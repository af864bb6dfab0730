//! Several systems in one circuit: each behaves in it as it does alone, and formulas have the same truth values.

use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::ast::Quantifier;
use hyperkill_formulas::semantics::{Lasso, TraceView, body_holds_on_lassos};
use hyperkill_formulas::signals::resolve;
use hyperkill_formulas::systems::SystemsError;
use hyperkill_formulas::{Formula, Joint, Systems, TraceVar, parse};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::circuits::{advance, evaluate, machine, random_machine, select, value};
use crate::random::Vocabulary;

/// Returns the model without its selectors, whose latches keep the value 0.
fn alone(mut model: ConditionalMutant) -> ConditionalMutant {
    for selector in std::mem::take(&mut model.selectors) {
        model
            .aig
            .set_reset(selector.latch, hyperkill_core::aig::Reset::Zero);
        model.aig.set_latch_name(selector.latch, None);
    }
    model
}

/// Returns [`machine`] with an input and an output of its own, an input of another sort, and a name for another kind of port.
fn other_machine() -> ConditionalMutant {
    let mut model = alone(machine());
    let rename = |port: &mut Port, name: &str| port.name = name.to_owned();
    rename(&mut model.inputs[3], "own");
    model.inputs[2].sort = Sort::enumeration(["off", "middle", "high"]);
    rename(&mut model.outputs[2], "idle");
    model.aig.outputs[1].lit = !model.aig.outputs[1].lit;
    model
}

/// A run for the evaluator of formulas: the values of all nodes, per step.
struct View<'m> {
    model: &'m ConditionalMutant,
    system: usize,
    steps: Vec<Vec<bool>>,
}

impl View<'_> {
    fn lit(&self, step: usize, lit: Lit) -> bool {
        value(&self.steps[step], lit)
    }

    fn port(&self, step: usize, port: &Port, lit: &dyn Fn(usize) -> Lit) -> Value {
        let bits: Vec<bool> = port
            .bits
            .iter()
            .map(|&bit| self.lit(step, lit(bit)))
            .collect();
        port.sort.decode(&bits)
    }
}

impl TraceView for View<'_> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn is_mutant(&self) -> bool {
        self.system > 0
    }

    fn system(&self) -> usize {
        self.system
    }

    fn value(&self, step: usize, name: &str) -> Option<Value> {
        let signal = resolve(self.model, name)?;
        let bits: Vec<bool> = signal.bits.iter().map(|&lit| self.lit(step, lit)).collect();
        Some(signal.sort.decode(&bits))
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        let lit = |bit: usize| self.model.aig.inputs()[bit].var.lit();
        let ports = self.model.inputs.iter();
        ports.map(|port| self.port(step, port, &lit)).collect()
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        let lit = |bit: usize| self.model.aig.outputs[bit].lit;
        let ports = self.model.outputs.iter();
        ports.map(|port| self.port(step, port, &lit)).collect()
    }
}

/// Returns inputs of the joint circuit that give a system these inputs; the others are random.
fn given(systems: &Systems, system: usize, own: &[bool], rng: &mut impl Rng) -> Vec<bool> {
    let mut inputs: Vec<bool> = (systems.model.aig.inputs().iter())
        .map(|_| rng.random())
        .collect();
    let model = systems.system(system);
    let [tests, choices, _] = systems.ports_of(system);
    let pairs = model.inputs.iter().zip(&tests);
    for (port, there) in pairs.chain(model.choices.iter().zip(&choices)) {
        assert_eq!(port.name, there.name);
        for (&bit, &place) in port.bits.iter().zip(&there.bits) {
            inputs[place] = own[bit];
        }
    }
    inputs
}

/// Returns a random run of a system alone and in the joint circuit.
fn both<'s>(systems: &'s Systems, system: usize, rng: &mut impl Rng) -> [View<'s>; 2] {
    let own = systems.system(system);
    let first = |model: &ConditionalMutant| -> Vec<bool> {
        let latches = model.aig.latches().iter();
        latches
            .map(|latch| latch.reset.as_constant().unwrap_or(false))
            .collect()
    };
    let (mut state, mut joined) = (first(own), first(&systems.model));
    let variant = match system {
        0 => Variant::Original,
        later => Variant::Mutant(SelectorId(later - 1)),
    };
    select(&systems.model, variant, &mut joined);
    let mut views = [own, &systems.model].map(|model| View {
        model,
        system,
        steps: Vec::new(),
    });
    for _ in 0..rng.random_range(1..5) {
        let inputs: Vec<bool> = (own.aig.inputs().iter()).map(|_| rng.random()).collect();
        let values = evaluate(&own.aig, &inputs, &state);
        let together = given(systems, system, &inputs, rng);
        let there = evaluate(&systems.model.aig, &together, &joined);
        state = advance(&own.aig, &values);
        joined = advance(&systems.model.aig, &there);
        let [alone, side_by_side] = &mut views;
        alone.steps.push(values);
        side_by_side.steps.push(there);
    }
    views
}

fn several(rng: &mut ChaCha8Rng, number: u64) -> Systems {
    let models = match number % 5 {
        0 => vec![alone(machine()), other_machine()],
        1 => vec![other_machine(), alone(machine())],
        2 => vec![alone(machine()), other_machine(), other_machine()],
        3 => vec![
            other_machine(),
            alone(random_machine(rng)),
            alone(machine()),
            other_machine(),
        ],
        _ => (0..2 + number / 5 % 2)
            .map(|_| alone(random_machine(rng)))
            .collect(),
    };
    Systems::join(models).expect("models that fit")
}

#[test]
fn a_system_shows_and_keeps_beside_another_what_it_does_by_itself() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let systems = several(&mut rng, seed);
        for system in 0..systems.names().len() {
            let [own, there] = both(&systems, system, &mut rng);
            let [_, _, outputs] = systems.ports_of(system);
            for step in 0..own.steps() {
                let shown = |view: &View<'_>, ports: &[Port]| -> Vec<(String, Value)> {
                    let lit = |bit: usize| view.model.aig.outputs[bit].lit;
                    let ports = ports.iter();
                    ports
                        .map(|port| (port.name.clone(), view.port(step, port, &lit)))
                        .collect()
                };
                let alone = shown(&own, &own.model.outputs);
                assert_eq!(alone, shown(&there, &outputs), "seed {seed}");
                let kept = |view: &View<'_>| {
                    let mut constraints = view.model.aig.constraints.iter();
                    constraints.all(|constraint| view.lit(step, constraint.lit))
                };
                assert_eq!(kept(&own), kept(&there), "seed {seed}");
            }
        }
    }
}

#[test]
fn formulas_say_of_all_systems_what_they_say_of_each_by_itself() {
    let vocabulary = Vocabulary {
        traces: vec!["p", "q", "r"],
        bits: vec![
            "ready", "busy", "idle", "a", "own", "low", "clock", "count[1]", "out0", "in",
        ],
        typed: vec!["count"],
        values: vec![Value::Int(1), Value::Int(2)],
        equivalences: true,
    };
    let (mut compared, mut wrong_names) = (0, 0);
    for seed in 0..4_000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let systems = several(&mut rng, seed);
        let mut formula = vocabulary.formula(&mut rng, 8);
        // Given traces need existential quantifiers only.
        formula
            .prefix
            .iter_mut()
            .for_each(|(quantifier, _)| *quantifier = Quantifier::Exists);
        let of: Vec<usize> = formula
            .prefix
            .iter()
            .map(|_| rng.random_range(0..systems.names().len()))
            .collect();
        let place = |trace: &TraceVar| of[formula.position(trace).unwrap()];
        let said = match systems.said(&formula, &place) {
            Ok(said) => said,
            Err(SystemsError::UnknownSignal { .. }) => {
                wrong_names += 1;
                continue;
            }
            Err(_) => continue,
        };
        let (mut own, mut there) = (Vec::new(), Vec::new());
        let length = rng.random_range(1..5);
        for &system in &of {
            let views = loop {
                let views = both(&systems, system, &mut rng);
                if views[0].steps() == length {
                    break views;
                }
            };
            let [alone, joined] = views;
            own.push(Lasso {
                trace: alone,
                back: length - 1,
            });
            there.push(Lasso {
                trace: joined,
                back: length - 1,
            });
        }
        let expected = body_holds_on_lassos(&formula, &own);
        let found = body_holds_on_lassos(&said, &there);
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(
                    found, expected,
                    "seed {seed}: {formula} of {of:?} as {said}"
                );
                compared += 1;
            }
            // An error in one is an error in the other.
            (Err(_), Err(_)) => {}
            (expected, found) => panic!("seed {seed}: {formula}: {expected:?}, {found:?}"),
        }
    }
    assert!(
        compared > 300 && wrong_names > 300,
        "{compared} {wrong_names}"
    );
}

fn said(systems: &Systems, text: &str) -> Result<Formula, SystemsError> {
    let formula = parse(text).expect("a formula");
    systems.said(&formula, &|trace: &TraceVar| {
        usize::from(trace.to_string() == "q")
    })
}

#[test]
fn each_trace_is_said_to_be_of_its_system_where_it_is_bound() {
    let systems = Systems::join(vec![alone(machine()), other_machine()]).unwrap();
    for (written, expected) in [
        (
            "forall p. exists q. G (a[p] = a[q])",
            "forall p. exists q. G !mut[p] -> G mut[q] & G (a[p] = a[q])",
        ),
        (
            "exists p. forall q. G (a[p] = a[q])",
            "exists p. forall q. G !mut[p] & (G mut[q] -> G (a[p] = a[q]))",
        ),
        (
            "forall p q. F busy[p]",
            "forall p q. G (!mut[p] & mut[q]) -> F busy[p]",
        ),
    ] {
        let found = said(&systems, written).unwrap();
        assert_eq!(found, parse(expected).unwrap(), "{found}");
    }
}

#[test]
fn traces_of_more_than_two_systems_are_told_apart_by_number() {
    let systems = Systems::join(vec![alone(machine()), other_machine(), alone(machine())]).unwrap();
    let formula = parse("forall p. exists q r. G (a[p] = a[r])").unwrap();
    let place = |trace: &TraceVar| formula.position(trace).unwrap();
    let said = systems.said(&formula, &place).unwrap();
    assert_eq!(
        said.to_string(),
        "forall p. exists q. exists r. G mut#0[p] -> G (mut#1[q] & mut#2[r]) & G (a[p] = a[r])"
    );
    let specs = Joint::specifications(&systems.model, SelectorId(0), &said.negate()).unwrap();
    let systems: Vec<usize> = specs.iter().map(|spec| spec.variant.system()).collect();
    assert_eq!(systems, [0, 1, 2]);
}

#[test]
fn what_systems_do_not_have_in_common_is_refused_by_name() {
    let systems = Systems::join(vec![alone(machine()), other_machine()]).unwrap();
    for (written, expected) in [
        (
            "forall p q. I[p] = I[q]",
            "test inputs are compared, but only one of the systems has `level`",
        ),
        (
            "forall p q. O[p] = O[q]",
            "outputs are compared, but only one of the systems has `busy`",
        ),
        (
            "forall p q. idle[p]",
            "machine, the model of trace p, has no signal `idle`",
        ),
        (
            "forall p q. latches[p] = latches[q]",
            "`latches` says nothing of several systems",
        ),
        (
            "forall p q. mut[p]",
            "`mut` says nothing of several systems",
        ),
    ] {
        let error = said(&systems, written).unwrap_err();
        assert_eq!(error.to_string(), expected, "{written}");
    }
    assert!(
        said(
            &systems,
            "forall p q. I[p] = I[q] except {level, unread, own}"
        )
        .is_ok()
    );
    let error = Systems::join(vec![machine(), other_machine()]).unwrap_err();
    assert_eq!(error, SystemsError::Mutants("machine".to_owned()));
}
