//! Compares the circuit of a translation with the interpreter, on random models and their mutants.
//!
//! A mutant is interpreted from its plain mutated text, and run in the circuit by its selector. So the text that users can write and the
//! circuit that engines decide are shown to be equal.

use std::collections::BTreeSet;

use hyperkill_core::SelectorId;
use hyperkill_core::aig::Reset;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::sort::{Sort, Value as CoreValue};
use hyperkill_frontend::{FrontendOptions, NamePredicate, RoleOptions, apply};
use rand::RngExt;

use crate::interpreter::{Driver, Interpreter, Valuation, Value, drivers};
use crate::models;
use crate::random::generator;
use crate::support::{Machine, broken_obligations};

/// The number of words per signal in the simulator: its 1024 lanes have all values of 10 free bits.
const WORDS: usize = 16;
const MAX_FREE_BITS: usize = 10;

/// The observation of one step: output names and values.
type View = Vec<(String, String)>;

/// The observations of a step together with those of the state after it, for all choices.
type Seen = BTreeSet<(View, View)>;

struct Run<'a> {
    machine: &'a Machine,
    simulator: Simulator,
    variant: Variant,
    /// Choice inputs that the variant reads.
    choices: Vec<usize>,
    free_latches: Vec<usize>,
    /// The latches of each state variable.
    latches: Vec<Vec<usize>>,
}

impl<'a> Run<'a> {
    /// Prepares the evaluation of a variant. `freed` is the value that a deleted assignment frees, if the variant has one. `None` if there
    /// are too many free bits.
    fn new(machine: &'a Machine, variant: Variant, freed: Option<&str>) -> Option<Run<'a>> {
        let aig = &machine.blasted.model.aig;
        let used = |name: &str| name.strip_prefix("any.").is_none_or(|n| Some(n) == freed);
        let choices = machine.blasted.model.choices.iter();
        let choices = choices.filter(|port| used(&port.name));
        let choices: Vec<usize> = choices.flat_map(|port| port.bits.iter().copied()).collect();
        let selectors = machine.blasted.model.selector_of_latch();
        let free_latches: Vec<usize> = (0..selectors.len())
            .filter(|i| selectors[*i].is_none() && aig.latches()[*i].reset == Reset::Free)
            .collect();
        let latch = |name: &str| {
            let mut all = aig.latches().iter();
            all.position(|latch| latch.name.as_deref() == Some(name))
        };
        let states = machine.translation.system.states.iter();
        let latches = states.map(|state| match state.sort.width() {
            1 => vec![latch(&state.name).unwrap()],
            width => (0..width)
                .map(|i| latch(&format!("{}[{i}]", state.name)).unwrap())
                .collect(),
        });
        (choices.len() + free_latches.len() <= MAX_FREE_BITS).then(|| Run {
            machine,
            simulator: Simulator::compile(aig, aig.roots()),
            variant,
            choices,
            free_latches,
            latches: latches.collect(),
        })
    }

    fn set_states(&self, lanes: &mut Lanes<'_, WORDS>, values: &Valuation) {
        let states = &self.machine.translation.system.states;
        for (state, latches) in states.iter().zip(&self.latches) {
            let code = code(&state.sort, &values[&state.name]);
            for (latch, bit) in latches.iter().zip(code) {
                lanes.set_latch(*latch, [u64::from(bit).wrapping_neg(); WORDS]);
            }
        }
    }

    /// Returns the observations of a step from a state, or from all initial ones, for given inputs and all choices.
    fn see(&self, states: Option<&Valuation>, inputs: &Valuation) -> Seen {
        let model = &self.machine.blasted.model;
        let mut lanes = self.simulator.lanes::<WORDS>();
        match states {
            Some(values) => self.set_states(&mut lanes, values),
            None => lanes.reset(|latch| {
                let position = self.free_latches.iter().position(|l| *l == latch);
                position.map_or([0; WORDS], |p| counting(self.choices.len() + p))
            }),
        }
        if let Variant::Mutant(k) = self.variant {
            lanes.set_latch(model.selectors[k.0].latch, [u64::MAX; WORDS]);
        }
        for port in &model.inputs {
            let code = code(&port.sort, &inputs[&port.name]);
            for (input, bit) in port.bits.iter().zip(code) {
                lanes.set_input_everywhere(*input, bit);
            }
        }
        for (position, input) in self.choices.iter().enumerate() {
            lanes.set_input(*input, counting(position));
        }
        let count = 1 << (self.choices.len() + self.free_latches.len());
        lanes.eval();
        let now = self.output_bits(&lanes, count);
        lanes.step();
        lanes.eval();
        let next = self.output_bits(&lanes, count);
        // Few of the many choices give different views.
        let different: BTreeSet<(u64, u64)> = now.into_iter().zip(next).collect();
        let views = different.into_iter();
        views
            .map(|(now, next)| (self.view(now, true), self.view(next, false)))
            .collect()
    }

    /// Returns for each lane the values of all output bits, as one number.
    fn output_bits(&self, lanes: &Lanes<'_, WORDS>, count: usize) -> Vec<u64> {
        let mut all = vec![0; count];
        for (i, output) in self.machine.blasted.model.aig.outputs.iter().enumerate() {
            let value = lanes.value(output.lit);
            for (lane, bits) in all.iter_mut().enumerate() {
                *bits |= u64::from(bit(&value, lane)) << i;
            }
        }
        all
    }

    /// Returns the output values that are encoded in `bits`: all, or those of state variables only.
    fn view(&self, bits: u64, all: bool) -> View {
        let states = &self.machine.translation.system.states;
        let ports = self.machine.blasted.model.outputs.iter();
        let shown = ports.filter(|port| all || states.iter().any(|s| s.name == port.name));
        let values = shown.map(|port| {
            let bits: Vec<bool> = port.bits.iter().map(|i| bits >> i & 1 == 1).collect();
            (port.name.clone(), port.sort.decode(&bits).to_string())
        });
        values.collect()
    }
}

/// Returns for each lane, as its bit, the bit at `position` of the lane's number: all lanes together have all values of the positions.
fn counting(position: usize) -> [u64; WORDS] {
    let word = |word: usize| {
        (0..64).fold(0, |bits, i| {
            bits | ((64 * word + i) as u64 >> position & 1) << i
        })
    };
    std::array::from_fn(word)
}

fn bit(value: &[u64; WORDS], lane: usize) -> bool {
    value[lane / 64] >> (lane % 64) & 1 == 1
}

fn code(sort: &Sort, value: &Value) -> Vec<bool> {
    let number = match value {
        Value::Int(n) => sort.encode(&CoreValue::Int(*n)),
        _ => None,
    };
    // Symbols, and numbers with gaps, are spelled.
    number
        .or_else(|| sort.encode(&CoreValue::Symbol(value.to_string())))
        .unwrap()
}

/// Returns the observations of the interpreter, for all steps from `starts`. `None` if the model is invalid there.
fn expected(interpreter: &Interpreter, outputs: &[String], starts: Vec<Valuation>) -> Option<Seen> {
    let mut views = Seen::new();
    let states = interpreter.names(Driver::State);
    for start in starts {
        for now in interpreter.step(start)? {
            let mut view = View::new();
            for output in outputs {
                let value = match now.get(output) {
                    Some(value) => value.clone(),
                    None => interpreter.define_value(output, &now)?,
                };
                view.push((output.clone(), value.to_string()));
            }
            for next in interpreter.successors(&now)? {
                let shown = outputs.iter().filter(|output| states.contains(output));
                let next = shown.map(|s| (s.clone(), next[s].to_string())).collect();
                views.insert((view.clone(), next));
            }
        }
    }
    Some(views)
}

#[derive(Default, Debug)]
struct Mix {
    models: usize,
    refused: usize,
    invalid: usize,
    compared: usize,
    too_free: usize,
}

/// Returns the name of the value that a mutant with a deleted assignment frees: `next.x` for the mutant at `main/next(x)`. `None` for other
/// mutants.
fn freed(mutant: &Mutant) -> Option<String> {
    if mutant.operator != "MA" {
        return None;
    }
    let left = mutant.path.trim_start_matches("main/");
    Some(match left.split_once('(') {
        Some((target, name)) => format!("{target}.{}", name.trim_end_matches(')')),
        None => format!("now.{left}"),
    })
}

/// Checks that one variant, given as a text too, has the observations of the interpreter in all states and for all inputs.
fn compare(machine: &Machine, original: &str, text: &str, run: &Run<'_>, mix: &mut Mix) {
    let what = format!("{:?} of\n{original}\n{text}", run.variant);
    let interpreter = Interpreter::new(text, drivers(original));
    let outputs = machine.blasted.model.outputs.iter();
    let outputs: Vec<String> = outputs.map(|port| port.name.clone()).collect();
    let inputs = interpreter.names(Driver::Input);
    let names = [interpreter.names(Driver::State), inputs.clone()].concat();
    let broken = broken_obligations(machine, &[run.variant])[0];
    let message = broken.map(|index| &machine.translation.checks.obligations[index].message);
    let invalid = !interpreter.is_well_formed(&outputs);
    assert_eq!(invalid, broken.is_some(), "{message:?} in {what}");
    if invalid {
        mix.invalid += 1;
        return;
    }
    for start in interpreter.all_valuations(&names) {
        let views = expected(&interpreter, &outputs, vec![start.clone()]).unwrap();
        assert_eq!(run.see(Some(&start), &start), views, "at {start:?} {what}");
    }
    for inputs in interpreter.all_valuations(&inputs) {
        let initial = interpreter.initial(&inputs).unwrap();
        let views = expected(&interpreter, &outputs, initial).unwrap();
        let seen = run.see(None, &inputs);
        assert_eq!(seen, views, "initially under {inputs:?} {what}");
    }
    mix.compared += 1;
}

#[test]
fn circuits_of_random_models_and_their_mutants_do_what_the_texts_say() {
    let mut mix = Mix::default();
    for seed in 0..120 {
        let text = models::text(seed);
        let options = FrontendOptions {
            // Operators on demand are included, except for the one that adds a variable, which has a test of its own.
            operators: (seed % 2 == 1).then(|| NamePredicate::new(|name| name != "DLY")),
            roles: RoleOptions {
                // All variables with a value are observed.
                outputs: Some(NamePredicate::new(|name| {
                    name != "set" && !name.starts_with('i')
                })),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let Ok(machine) = Machine::with_options(&text, &options) else {
            mix.refused += 1;
            continue;
        };
        mix.models += 1;
        let live = machine.translation.catalogue.iter();
        let live: Vec<&Mutant> = (live.filter(|(_, rejected)| rejected.is_none()))
            .map(|(mutant, _)| mutant)
            .collect();
        let rng = &mut generator(seed);
        let mutants = (0..8.min(live.len()))
            .map(|_| Variant::Mutant(SelectorId(rng.random_range(0..live.len()))));
        for variant in std::iter::once(Variant::Original).chain(mutants) {
            let (text_of_variant, freed) = match variant {
                Variant::Original => (text.clone(), None),
                Variant::Mutant(k) => (apply(&text, live[k.0]).unwrap(), freed(live[k.0])),
            };
            match Run::new(&machine, variant, freed.as_deref()) {
                Some(run) => compare(&machine, &text, &text_of_variant, &run, &mut mix),
                None => mix.too_free += 1,
            }
        }
    }
    println!("{mix:?}");
    assert!(mix.compared > 250 && mix.invalid > 80, "{mix:?}");
}
