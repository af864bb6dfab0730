//! Compares circuits in sampled time with zones in dense time, for each mutant.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::{ConditionalMutant, Port};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::suite::{Step, Window};
use hyperkill_core::system::Translation;
use hyperkill_core::time::Time;
use hyperkill_core::timed::Action;
use hyperkill_core::verdict::Verdict;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_timed::rational::Rational;
use hyperkill_timed::refine::Side;
use hyperkill_timed::replay::Event;
use hyperkill_timed::windows::waits;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{INPUT, OUTPUT, UppaalFrontend};
use hyperkill_uppaal_decide::{UppaalDecision, fault};
use hyperkill_uppaal_recheck::UppaalRecheck;

use crate::random_models::{cases, random};
use crate::studies::{COFFEE, HOTEL, MUTEX, WFAS};

const LAMP: &str = include_str!("../../../../../tests/models/uppaal/lamp/model.xml");

/// The values of all latches.
type State = Vec<bool>;

/// A step: the input, the output and the next state.
type Shown = (u64, u64, State);

/// The model or a mutant of a circuit, explored by simulation: no engine and no solver is used.
struct Explored<'a> {
    model: &'a ConditionalMutant,
    simulator: Simulator,
    variant: Variant,
    steps: BTreeMap<State, BTreeSet<Shown>>,
}

impl<'a> Explored<'a> {
    fn new(model: &'a ConditionalMutant, variant: Variant) -> Explored<'a> {
        Explored {
            model,
            simulator: Simulator::for_variant(model, variant),
            variant,
            steps: BTreeMap::new(),
        }
    }

    fn start(&self) -> State {
        let mut lanes: Lanes<'_, 1> = self.simulator.lanes();
        lanes.reset(|_| [0]);
        lanes.select(self.model, &[self.variant]);
        state(self.model, &lanes, 0)
    }

    fn steps(&mut self, from: &State) -> &BTreeSet<Shown> {
        if !self.steps.contains_key(from) {
            let steps = self.explore(from);
            self.steps.insert(from.clone(), steps);
        }
        &self.steps[from]
    }

    fn explore(&self, from: &State) -> BTreeSet<Shown> {
        let ports: Vec<&Port> = self
            .model
            .inputs
            .iter()
            .chain(&self.model.choices)
            .collect();
        let mut given: Vec<Vec<u64>> = vec![Vec::new()];
        for port in &ports {
            let codes = 0..port.sort.cardinality();
            given = (given.iter())
                .flat_map(|known| {
                    codes
                        .clone()
                        .map(|code| [known.as_slice(), &[code]].concat())
                })
                .collect();
        }
        let [output] = self.model.outputs.as_slice() else {
            panic!("one output");
        };
        let mut steps = BTreeSet::new();
        for chunk in given.chunks(64) {
            let mut lanes: Lanes<'_, 1> = self.simulator.lanes();
            for (latch, value) in from.iter().enumerate() {
                lanes.set_latch(latch, [if *value { u64::MAX } else { 0 }]);
            }
            for (number, port) in ports.iter().enumerate() {
                for (bit, input) in port.bits.iter().enumerate() {
                    let lane = |lane: usize| (chunk[lane][number] >> bit & 1) << lane;
                    lanes.set_input(*input, [(0..chunk.len()).map(lane).sum()]);
                }
            }
            lanes.eval();
            let seen: Vec<u64> = (0..chunk.len())
                .map(|lane| {
                    let bits = output.bits.iter().map(|bit| {
                        lanes.value(self.model.aig.outputs[*bit].lit)[0] >> lane & 1 == 1
                    });
                    output.sort.code_of_bits(&bits.collect::<Vec<bool>>())
                })
                .collect();
            lanes.step();
            for (lane, codes) in chunk.iter().enumerate() {
                steps.insert((codes[0], seen[lane], state(self.model, &lanes, lane)));
            }
        }
        steps
    }
}

fn state(model: &ConditionalMutant, lanes: &Lanes<'_, 1>, lane: usize) -> State {
    let latches = 0..model.aig.latches().len();
    latches
        .map(|latch| lanes.latch(latch)[0] >> lane & 1 == 1)
        .collect()
}

/// Returns a shortest sequence of inputs and outputs of a mutant whose last output the model cannot give. `None` if there is none.
fn killed(model: &mut Explored<'_>, mutant: &mut Explored<'_>) -> Option<Vec<(u64, u64)>> {
    let start = (BTreeSet::from([model.start()]), mutant.start());
    let mut seen = BTreeSet::from([start.clone()]);
    // Each with the number of the one before it.
    let mut all = vec![(start, (0, (0, 0)))];
    let mut next_one = 0;
    while let Some(((own, other), _)) = all.get(next_one).cloned() {
        for (input, output, next) in mutant.steps(&other).clone() {
            let mut same = BTreeSet::new();
            for state in &own {
                let steps = model.steps(state).iter();
                let steps = steps.filter(|step| (step.0, step.1) == (input, output));
                same.extend(steps.map(|step| step.2.clone()));
            }
            if same.is_empty() {
                let mut path = vec![(input, output)];
                let mut at = next_one;
                while at != 0 {
                    let (before, step) = all[at].1;
                    path.push(step);
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            if seen.insert((same.clone(), next.clone())) {
                all.push(((same, next), (next_one, (input, output))));
            }
        }
        next_one += 1;
    }
    None
}

/// Returns a run of the circuit as tests in dense time: if its last step shows no event, the mutant has waited for a step, or for half of
/// one.
fn tests(model: &ConditionalMutant, path: &[(u64, u64)], ticks: u32) -> Vec<Vec<Step>> {
    let name = |sort: &Sort, code: u64| match sort.value_of_code(code) {
        Value::Symbol(name) => name,
        Value::Int(_) => panic!("names only"),
    };
    let named = |steps: u64, more: u64| {
        Time::fraction(2 * steps + more, 2 * u64::from(ticks)).expect("a moment")
    };
    let symbol = |name: &str, value: &str| vec![(name.to_owned(), Value::Symbol(value.to_owned()))];
    let (input, output) = (&model.inputs[0].sort, &model.outputs[0].sort);
    let (mut passed, mut steps) = (0, Vec::new());
    let (last, before) = path.split_last().expect("a step");
    for (given, seen) in before {
        let mut step = Step {
            at: Some(named(passed, 0)),
            ..Step::default()
        };
        match name(input, *given).as_str() {
            "wait" => match name(output, *seen).as_str() {
                "silent" => {
                    passed += 1;
                    continue;
                }
                seen => step.outputs = symbol(OUTPUT, seen),
            },
            given => step.inputs = symbol(INPUT, given),
        }
        steps.push(step);
    }
    let given = name(input, last.0);
    let waits: &[u64] = match (given.as_str(), name(output, last.1).as_str()) {
        ("wait", "silent") => &[2, 1],
        _ => &[0],
    };
    let ends = waits.iter().map(|more| {
        let mut end = Step {
            at: Some(named(passed, *more)),
            ..Step::default()
        };
        if given != "wait" {
            end.inputs = symbol(INPUT, &given);
        }
        steps.iter().cloned().chain([end]).collect()
    });
    ends.collect()
}

/// Returns the test with windows for the outputs of the model during waits, as evidence has it. `None` if the model does not give the
/// expected outputs.
fn with_windows(model: &Side, mut test: Vec<Step>) -> Option<Vec<Step>> {
    let rational = |at: Option<Time>| {
        let (numerator, denominator) = at?.parts();
        Rational::new(numerator.into(), denominator.into())
    };
    let event = |step: &Step| {
        let (values, is_input) = match step.outputs.is_empty() {
            true => (&step.inputs, true),
            false => (&step.outputs, false),
        };
        let [(_, Value::Symbol(name))] = values.as_slice() else {
            return None;
        };
        let name = name.clone();
        Some(Event {
            at: rational(step.at)?,
            action: Action { name, is_input },
        })
    };
    let (last, before) = test.split_last()?;
    let events = before.iter().map(event).collect::<Option<Vec<Event>>>()?;
    let all = waits(model, &events, rational(last.at)?, Preset::Strict.rules())?;
    let moment = |at: Rational| {
        let (numerator, denominator) = at.parts();
        Time::fraction(numerator.try_into().ok()?, denominator.try_into().ok()?).ok()
    };
    for (step, wait) in test.iter_mut().zip(all) {
        let windows = wait.windows.into_iter().map(|window| {
            Some(Window {
                outputs: vec![(OUTPUT.to_owned(), Value::Symbol(window.output))],
                from: moment(window.times.from)?,
                after: !window.times.has_from,
                to: moment(window.times.to?)?,
                before: !window.times.has_to,
            })
        });
        step.windows = Some(windows.collect::<Option<_>>()?);
    }
    Some(test)
}

fn translated(
    text: &str,
    options: &FrontendOptions,
) -> Result<(Vec<SourceFile>, Translation), Vec<Diagnostic>> {
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, options)?;
    let circuit = UppaalDecision
        .circuit(&sources, options)
        .expect("they have one");
    Ok((sources, circuit?))
}

/// Counts of the mutants of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Compared {
    killed: usize,
    equivalent: usize,
    inconsistent: usize,
    left_out: usize,
}

/// The result of a comparison.
#[derive(Debug)]
enum Outcome {
    /// There is no circuit; the reason.
    Refused(String),
    /// The circuit and zones agree.
    Same(Compared),
    /// The circuit differs on this mutant.
    Differs(String),
}

/// Compares the circuit of a model with zones, mutant by mutant. Kills of the circuit are played in dense time, and checked without zones.
fn compare(text: &str, options: &FrontendOptions) -> Outcome {
    let (sources, translation) = match translated(text, options) {
        Ok(translated) => translated,
        Err(errors) => return Outcome::Refused(errors[0].message.clone()),
    };
    let decider = UppaalDecision.read(&sources, options).expect("a model");
    let rechecker = UppaalRecheck.read(&sources, options).expect("a model");
    let budget = Budget::unlimited();
    let read = hyperkill_uppaal::read(&sources, options).expect("a model");
    let side = Side::new(read.automaton, true, &budget).expect("no limit");
    let model = bit_blast(&translation.system).expect("a circuit").model;
    let mut own = Explored::new(&model, Variant::Original);
    let mut compared = Compared::default();
    let in_circuit: BTreeMap<&MutantId, &Option<String>> = (translation.catalogue.iter())
        .map(|(mutant, problem)| (&mutant.id, problem))
        .collect();
    for (mutant, _) in &decider.contents().catalogue {
        let verdict = decider.decide(&mutant.id, None, &budget);
        let differs = || Outcome::Differs(format!("{mutant:?} {verdict:?}\n{text}"));
        let Some(problem) = in_circuit.get(&mutant.id) else {
            compared.left_out += 1;
            continue;
        };
        if problem.is_some() {
            if !matches!(verdict, Verdict::Inconsistent(_)) {
                return differs();
            }
            compared.inconsistent += 1;
            continue;
        }
        let selector = model.selector_of_mutant(&mutant.id.0).expect("a selector");
        let mut other = Explored::new(&model, Variant::Mutant(selector));
        let Some(path) = killed(&mut own, &mut other) else {
            if !matches!(verdict, Verdict::Equivalent(_)) {
                return differs();
            }
            compared.equivalent += 1;
            continue;
        };
        let ticks = options.processes.ticks.unwrap_or(2);
        let is_kill = tests(&model, &path, ticks).into_iter().any(|test| {
            let Some(test) = with_windows(&side, test) else {
                return false;
            };
            let strength = decider.kills(&test, &mutant.id);
            strength.is_some_and(|strength| {
                let checked = rechecker.recheck_kill(&test, &mutant.id, strength, &budget);
                checked == Ok(())
            })
        });
        if !is_kill || !matches!(verdict, Verdict::Killed(_)) {
            return differs();
        }
        compared.killed += 1;
    }
    Outcome::Same(compared)
}

fn with_ticks(ticks: u32) -> FrontendOptions {
    FrontendOptions {
        processes: ProcessOptions {
            ticks: Some(ticks),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// The models that have circuits, each with the number of mutants that are left out.
const STUDIES: [(&str, &str, usize); 5] = [
    ("lamp", LAMP, 0),
    ("wfas", WFAS.xml, 0),
    ("mutex", MUTEX.xml, 0),
    ("coffee", COFFEE.xml, 0),
    ("hotel", HOTEL.xml, 0),
];

#[test]
fn circuits_of_the_case_studies_say_of_each_mutant_what_zones_say() {
    for (name, text, left_out) in STUDIES {
        match compare(text, &FrontendOptions::default()) {
            Outcome::Same(compared) => {
                println!("{name}: {compared:?}");
                assert_eq!(compared.left_out, left_out, "{name}");
                assert!(compared.killed > 4 && compared.equivalent > 20, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn circuits_of_random_models_say_of_each_mutant_what_zones_say() {
    let (mut sum, mut refused) = (Compared::default(), BTreeMap::new());
    for seed in 0..cases(150) {
        match compare(&random(seed), &with_ticks(2 + (seed % 2) as u32)) {
            Outcome::Same(compared) => {
                sum.killed += compared.killed;
                sum.equivalent += compared.equivalent;
                sum.inconsistent += compared.inconsistent;
                sum.left_out += compared.left_out;
            }
            Outcome::Refused(why) => *refused.entry(why).or_insert(0) += 1,
            Outcome::Differs(what) => panic!("seed {seed}: {what}"),
        }
    }
    println!("{sum:?}, refused: {refused:?}");
    assert!(sum.killed > 100 && sum.equivalent > 100 && sum.inconsistent > 10);
}

#[test]
fn planted_faults_of_circuits_are_noticed() {
    for planted in fault::ALL {
        let notices = |text: &str| {
            let outcome = fault::with(Some(planted), || compare(text, &FrontendOptions::default()));
            matches!(outcome, Outcome::Differs(_))
        };
        let by_study = STUDIES.iter().find(|(_, text, _)| notices(text));
        let by = by_study.map(|(name, ..)| (*name).to_owned());
        let by = by.or_else(|| {
            let seed = (0..400).find(|seed| notices(&random(*seed)));
            seed.map(|seed| format!("seed {seed}"))
        });
        println!("{planted:?}: {by:?}");
        assert!(by.is_some(), "{planted:?} is not noticed");
    }
}

#[test]
fn only_strict_has_a_circuit_and_a_unit_has_at_least_two_steps() {
    for preset in ["definition7", "verifytga", "ecdar"] {
        let options = FrontendOptions {
            processes: ProcessOptions {
                semantics: Some(preset.to_owned()),
                ..ProcessOptions::default()
            },
            ..FrontendOptions::default()
        };
        let errors = translated(LAMP, &options).expect_err("it is refused");
        assert!(errors[0].message.contains(preset), "{errors:?}");
    }
    for ticks in [0, 1, 65] {
        let errors = translated(LAMP, &with_ticks(ticks)).expect_err("it is refused");
        assert!(
            errors[0].message.starts_with(&format!("--ticks {ticks}:")),
            "{errors:?}"
        );
    }
}
