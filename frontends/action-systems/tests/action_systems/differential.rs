//! Compares the lowered system with the interpreter step by step, in both readings.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hyperkill_action_systems::read;
use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{EventOptions, FrontendOptions, SourceFile};
use hyperkill_guarded::fault::{ALL, Fault, with};
use hyperkill_guarded::interpret::{Occurrence, State, after, initial, occurrences, steps};
use hyperkill_guarded::model::{Model, check};

use crate::random::{cases, system};
use crate::support::{Circuit, blasted, everything, model, translated};

/// The number of states that are compared in each system, at most.
const MOST_STATES: usize = 40;

/// Returns the first [`MOST_STATES`] states that a system reaches, in breadth-first order.
fn reached(model: &Model<'_>) -> Vec<State> {
    let start = initial(model);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut found = Vec::new();
    while let Some(state) = open.pop_front() {
        if found.len() == MOST_STATES {
            break;
        }
        for (_, next) in steps(model, &state) {
            if seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
        found.push(state);
    }
    found
}

fn named(model: &Model<'_>, state: &State) -> Vec<(String, Value)> {
    let names = model.system.variables.iter();
    let names = names.map(|variable| variable.name.text.clone());
    names.zip(state.iter().cloned()).collect()
}

/// Returns the input ports of an event's occurrence, `ACTION.PARAMETER`, with their values.
fn ports(model: &Model<'_>, occurrence: &Occurrence) -> Vec<(String, Value)> {
    let action = model.action(occurrence.event);
    let names = action.parameters.iter().zip(&occurrence.values);
    names
        .map(|(name, value)| (format!("{}.{}", action.name.text, name.text), value.clone()))
        .collect()
}

fn symbol(text: &str) -> Value {
    Value::Symbol(text.to_owned())
}

/// The outputs of a step: values by names.
type Shown = BTreeMap<String, Value>;

fn circuit_shows(
    circuit: &Circuit<'_>,
    state: &[(String, Value)],
    given: &[(String, Value)],
) -> BTreeSet<Shown> {
    let given: Vec<(&str, Value)> = given
        .iter()
        .map(|(name, v)| (name.as_str(), v.clone()))
        .collect();
    let shown = circuit.shown(state, &given).into_iter();
    shown.map(|outputs| outputs.into_iter().collect()).collect()
}

/// The number of choice bits of a circuit up to which all combinations of them are tried.
const MOST_CHOICES: usize = 19;

/// Checks that a circuit has the outputs of the interpreter in all states and for all offers. Returns the number of compared steps. `what`
/// describes the circuit in messages.
fn compare_offers(model: &Model<'_>, circuit: &Circuit<'_>, may_refuse: bool, what: &str) -> usize {
    let mut compared = 0;
    for state in reached(model) {
        let here = named(model, &state);
        for event in 0..model.events.len() {
            for offer in occurrences(model, event) {
                let mut given = ports(model, &offer);
                given.push(("event".to_owned(), symbol(&model.action(event).name.text)));
                let ends = after(model, &state, &offer);
                let shows = |done: bool, next: &State| {
                    let mut shown: Shown = named(model, next).into_iter().collect();
                    shown.insert("done".to_owned(), Value::bool(done));
                    shown
                };
                let mut expected: BTreeSet<Shown> =
                    ends.iter().map(|next| shows(true, next)).collect();
                if may_refuse || ends.is_empty() {
                    expected.insert(shows(false, &state));
                }
                let found = circuit_shows(circuit, &here, &given);
                assert_eq!(found, expected, "{what}, in {here:?}, offered {given:?}");
                compared += 1;
            }
        }
    }
    compared
}

/// Checks that a circuit with inputs and outputs has the outputs of the interpreter in all states, with each input and without one. Returns
/// the number of compared steps.
fn compare_exchanges(
    model: &Model<'_>,
    circuit: &Circuit<'_>,
    complete: bool,
    what: &str,
) -> usize {
    let mut compared = 0;
    for state in reached(model) {
        let here = named(model, &state);
        let all = steps(model, &state);
        let outputs: Vec<_> = all
            .iter()
            .filter(|(o, _)| !model.events[o.event].is_input)
            .collect();
        let shows = |label: &str, values: Vec<(String, Value)>, next: &State, done: bool| {
            let mut shown: Shown = named(model, next).into_iter().collect();
            shown.insert("output".to_owned(), symbol(label));
            for event in (0..model.events.len()).filter(|event| !model.events[*event].is_input) {
                let lowest = occurrences(model, event).next().expect("values");
                shown.extend(ports(model, &lowest));
            }
            shown.extend(values);
            if complete {
                shown.insert("done".to_owned(), Value::bool(done));
            }
            shown
        };
        let mut expected: BTreeSet<Shown> = (outputs.iter())
            .map(|(occurrence, next)| {
                let label = &model.action(occurrence.event).name.text;
                shows(label, ports(model, occurrence), next, true)
            })
            .collect();
        if outputs.is_empty() {
            expected.insert(shows("quiescent", Vec::new(), &state, true));
        }
        let found = circuit_shows(circuit, &here, &[("event".to_owned(), symbol("wait"))]);
        assert_eq!(found, expected, "{what}, waiting in {here:?}");
        for event in (0..model.events.len()).filter(|event| model.events[*event].is_input) {
            for offer in occurrences(model, event) {
                let mut given = ports(model, &offer);
                given.push(("event".to_owned(), symbol(&model.action(event).name.text)));
                let ends = after(model, &state, &offer);
                let mut expected: BTreeSet<Shown> = ends
                    .iter()
                    .map(|next| shows("none", Vec::new(), next, true))
                    .collect();
                if complete && ends.is_empty() {
                    expected.insert(shows("none", Vec::new(), &state, false));
                }
                let found = circuit_shows(circuit, &here, &given);
                assert_eq!(found, expected, "{what}, given {given:?} in {here:?}");
                compared += 1;
            }
        }
        compared += 1;
    }
    compared
}

/// Checks the circuit of a text, and those of every `stride`-th of its mutants, against the interpreter on their texts. Returns the number
/// of compared steps.
fn compare(source: &SourceFile, complete: bool, stride: usize) -> usize {
    let options = everything(complete);
    let translation = translated(source, &options);
    let of_text = |text: &str, circuit: &Circuit<'_>, is_mutant: bool, what: &str| {
        let read =
            read(&SourceFile::new("text", text)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        let model = check(&read.system).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        match model.system.inputs {
            None => compare_offers(&model, circuit, !is_mutant && !complete, what),
            Some(_) => compare_exchanges(&model, circuit, complete, what),
        }
    };
    let blasted = blasted(&translation);
    let original = Circuit::new(&blasted, Variant::Original);
    let what = format!("the original of\n{}", source.text);
    let mut compared = of_text(&source.text, &original, false, &what);
    let live = translation
        .catalogue
        .iter()
        .filter(|(_, reason)| reason.is_none());
    for (index, (mutant, _)) in live.enumerate().step_by(stride) {
        let text = apply(&source.text, mutant).expect("a place of the text");
        let circuit = Circuit::new(&blasted, Variant::Mutant(SelectorId(index)));
        let what = format!("{mutant:?} of\n{}", source.text);
        compared += of_text(&text, &circuit, true, &what);
    }
    compared
}

/// Returns the random system of a seed, and whether it is read with `--complete`.
fn numbered(seed: u64) -> (SourceFile, bool) {
    let source = SourceFile::new(format!("seed {seed}"), system(seed, seed % 2 == 1));
    (source, seed % 4 < 2)
}

/// Whether a circuit has too many choices to try each.
fn is_wide(source: &SourceFile, complete: bool) -> bool {
    let model = blasted(&translated(source, &everything(complete)));
    model.choice_bits().count() > MOST_CHOICES
}

/// Counts of comparisons of random systems.
#[derive(Clone, Copy, Default)]
struct Tally {
    systems: usize,
    steps: usize,
    /// Systems with too many choices to try each: not compared.
    wide: usize,
}

impl Tally {
    fn add(&mut self, (source, complete): (SourceFile, bool), stride: usize) {
        self.systems += 1;
        if is_wide(&source, complete) {
            self.wide += 1;
        } else {
            self.steps += compare(&source, complete, stride);
        }
    }

    /// Returns a sentence with the counts. Panics unless more than `least` steps were compared, and at most one system in 50 was too wide.
    fn report(&self, least: usize) -> String {
        let Tally {
            systems,
            steps,
            wide,
        } = self;
        assert!(*steps > least && 50 * wide <= *systems);
        format!("{steps} steps of {systems} systems; {wide} of them have too many choices")
    }
}

#[test]
fn random_systems_do_what_the_interpreter_says() {
    let mut tally = Tally::default();
    for seed in 0..cases(20) {
        tally.add(numbered(seed), 7);
    }
    println!("{}", tally.report(100));
}

#[test]
#[ignore = "a minute"]
fn thousands_of_random_systems_do_what_the_interpreter_says() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let tally = std::thread::scope(|scope| {
        let parts = (0..threads).map(|part| {
            scope.spawn(move || {
                let seeds = (20..20 + cases(2_000)).filter(|seed| seed % threads == part);
                let mut tally = Tally::default();
                for seed in seeds {
                    tally.add(numbered(seed), 31);
                }
                tally
            })
        });
        let parts: Vec<_> = parts.collect();
        let parts = parts.into_iter().map(|part| part.join());
        parts.fold(Tally::default(), |all, part| {
            let part = part.expect("no difference");
            Tally {
                systems: all.systems + part.systems,
                steps: all.steps + part.steps,
                wide: all.wide + part.wide,
            }
        })
    });
    println!("{}", tally.report(10_000));
}

/// Returns the first random system whose comparison reveals the fault: it panics with the fault and passes without it. Systems with too
/// many choices are skipped.
fn noticed_at(fault: Fault) -> Option<u64> {
    let mut seeds = 0..400;
    seeds.find(|seed| {
        let (source, complete) = numbered(*seed);
        let differs = |fault| {
            let compared = || match is_wide(&source, complete) {
                true => 0,
                false => compare(&source, complete, 7),
            };
            let compared = || with(fault, compared);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(compared)).is_err()
        };
        let noticed = differs(Some(fault));
        assert!(
            !noticed || !differs(None),
            "seed {seed} differs without {fault:?}"
        );
        noticed
    })
}

#[test]
fn every_planted_fault_is_noticed() {
    std::thread::scope(|scope| {
        let looks = ALL.map(|fault| (fault, scope.spawn(move || noticed_at(fault))));
        for (fault, look) in looks {
            let seed = look.join().expect("a comparison");
            println!("{fault:?}: seed {seed:?}");
            assert!(seed.is_some(), "{fault:?}");
        }
    });
}

#[test]
fn models_do_what_the_interpreter_says() {
    for path in ["lift/model.as", "token-ring/model.as"] {
        let source = model(path);
        for complete in [false, true] {
            let compared = compare(&source, complete, 29);
            println!("{path}: {compared} steps");
            assert!(compared > 50, "{path}: {compared}");
        }
    }
}

#[test]
fn what_a_system_accepts_is_named_only_where_it_may_refuse() {
    let (alarm, inputs) = (model("car-alarm/model.as"), model("car-alarm/inputs.as"));
    let accepts = |source: &SourceFile, complete| {
        let options = FrontendOptions {
            events: EventOptions {
                complete,
                ..EventOptions::default()
            },
            ..FrontendOptions::default()
        };
        translated(source, &options).system.accepts
    };
    assert_eq!(accepts(&alarm, false).as_deref(), Some("done"));
    assert_eq!(accepts(&alarm, true), None);
    assert_eq!(accepts(&inputs, false), None);
}
