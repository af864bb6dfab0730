//! Tests executed on systems: conforming random implementations never fail, certainly killed mutants always fail, and every verdict
//! equals the verdict of semantics §4, computed by the oracle.

use std::collections::BTreeSet;

use hyperkill_certify::certify_tree;
use hyperkill_checker::judge::run_of;
use hyperkill_checker::rounds::{Options, Silent, decide_all};
use hyperkill_checker::testgen::running::{
    Next, Observer, Play, Reference, Script, Strategy, Then, Verdict,
};
use hyperkill_checker::testgen::{Effort, Form, SuiteTest, suite};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::TestKind;
use hyperkill_core::trace::{decode, replay};
use hyperkill_evidence::verdict::Strength;
use hyperkill_tests::against_oracle::letters;
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, State, Word};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Returns the number of seeds; `HYPERKILL_CASES` changes it.
fn cases() -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(250, |text| text.parse().expect("a number"))
}

fn word_of(model: &ConditionalMutant, machine: &Machine, inputs: &[(String, Value)]) -> Word {
    let mut bits = vec![false; model.aig.inputs().len()];
    for port in &model.inputs {
        let (_, value) = inputs
            .iter()
            .find(|(name, _)| *name == port.name)
            .expect("as drawn");
        let code = port.sort.encode(value).expect("as drawn");
        for (&bit, set) in port.bits.iter().zip(code) {
            bits[bit] = set;
        }
    }
    machine.input_word(&bits)
}

fn values_of(model: &ConditionalMutant, outputs: Word) -> Vec<(String, Value)> {
    let width = model.aig.outputs.len();
    let bits: Vec<bool> = (0..width).map(|k| outputs >> k & 1 == 1).collect();
    decode(&model.outputs, &bits)
}

/// A system that makes random choices: the original, or a mutant.
struct System<'a> {
    machine: &'a Machine,
    state: State,
}

impl<'a> System<'a> {
    fn new(machine: &'a Machine, rng: &mut ChaCha8Rng) -> System<'a> {
        let state = *machine.initial().choose(rng).expect("as drawn");
        System { machine, state }
    }

    /// Gives an input to the system, which chooses a step at random. Returns the outputs; `None` if the system refuses the input.
    fn answer(&mut self, input: Word, rng: &mut ChaCha8Rng) -> Option<Word> {
        let moves: Vec<_> = self.machine.moves(self.state, input).collect();
        let step = moves.choose(rng)?;
        self.state = step.next;
        Some(step.outputs)
    }
}

/// The oracle's expectation for a run of a test.
struct Expected<'a> {
    model: &'a ConditionalMutant,
    original: &'a Machine,
    test: &'a SuiteTest,
    /// The states of the model that the observed steps allow.
    states: BTreeSet<State>,
    step: usize,
}

impl Expected<'_> {
    fn takes(&self, input: Word) -> bool {
        let states = self.states.iter();
        states
            .copied()
            .any(|state| self.original.moves(state, input).next().is_some())
    }

    fn sees(&mut self, input: Word, outputs: Word) -> Option<Verdict> {
        let all = self.states.iter();
        let moves = all.flat_map(|&state| self.original.moves(state, input));
        let agreeing = moves.filter(|step| step.outputs == outputs);
        self.states = agreeing.map(|step| step.next).collect();
        let globally = !self.states.is_empty();
        let step = self.step;
        self.step += 1;
        if matches!(self.test.kind, TestKind::Tree | TestKind::Global) {
            return (!globally).then_some(Verdict::Fail);
        }
        let expected = &self.test.steps[step];
        if expected.outputs == values_of(self.model, outputs) {
            return None;
        }
        if self.test.kind == TestKind::Linear {
            return Some(Verdict::Fail);
        }
        let run = &self.test.run;
        let initial = self.original.initial_state(&self.model.aig, &run.initial);
        let trail = self.original.trail(initial, &letters(self.original, run));
        let locally = &self.original.locally_allowed(&trail.expect("as drawn"))[step];
        let is_complete = expected.allowed.as_ref().is_some_and(|set| set.complete);
        // If the list was truncated, globally allowed outputs may be locally allowed.
        let allowed = locally.contains(&outputs) || !is_complete && globally;
        Some(match allowed {
            true => Verdict::Inconclusive,
            false => Verdict::Fail,
        })
    }
}

/// Runs a test on a system, and compares every verdict with the oracle's. Returns the last verdict; `None` if the system refuses an input.
fn run(
    reference: &Reference<'_>,
    script: &Script,
    expected: &mut Expected<'_>,
    system: &mut System<'_>,
    rng: &mut ChaCha8Rng,
) -> Option<Verdict> {
    let budget = Budget::unlimited();
    let (model, original) = (expected.model, expected.original);
    let mut play = Play::new(reference, script).expect("a test of this model");
    let machine = Observer::of(model, script, usize::MAX).expect("a test of this model");
    // Place in the test's state machine; `None` after a failure.
    let mut at = Some(Then::At(0));
    let mut verdict = None;
    loop {
        match play.next(&budget) {
            Next::Over(ending) => {
                if machine.is_some() {
                    let said = match at {
                        None => Some(Verdict::Fail),
                        Some(Then::Passes) => Some(Verdict::Pass),
                        Some(Then::Stops) => Some(Verdict::Inconclusive),
                        Some(Then::At(_)) => None,
                    };
                    assert_eq!(said, Some(ending.verdict), "{machine:?}");
                }
                let refused = ending.verdict == Verdict::Inconclusive && verdict.is_none();
                if refused {
                    let next = &script.steps[expected.step].inputs;
                    assert!(!expected.takes(word_of(model, original, next)));
                } else {
                    assert_eq!(
                        ending.verdict,
                        verdict.unwrap_or(Verdict::Pass),
                        "{ending:?}"
                    );
                }
                return Some(ending.verdict);
            }
            Next::Set(inputs) => {
                assert_eq!(verdict, None, "the test goes on");
                let input = word_of(model, original, &inputs);
                assert!(expected.takes(input), "an input that the model refuses");
                let outputs = system.answer(input, rng)?;
                verdict = expected.sees(input, outputs);
                let answer = values_of(model, outputs);
                if let Some(machine) = &machine {
                    let Some(Then::At(place)) = at else {
                        panic!("the machine is over: {at:?}, {machine:?}");
                    };
                    assert_eq!(machine.places[place].inputs, inputs);
                    at = machine.then(place, &answer);
                }
                play.see(&answer, &budget).expect("as drawn");
            }
        }
    }
}

/// Checks the state machine of a test. A run of this mutant must fail the test or end a local one, and a run that is found must exist. If
/// the test follows outputs, no run of the original may fail. Returns whether a run is found.
fn kills_as_a_machine(
    model: &ConditionalMutant,
    script: &Script,
    mutant: Variant,
    place: &dyn Fn() -> String,
) -> bool {
    let machine = Observer::of(model, script, usize::MAX).expect("a test of this model");
    let Some(machine) = machine else {
        return false;
    };
    if matches!(script.kind, TestKind::Global | TestKind::Tree) {
        let escape = machine.escape(model, Variant::Original, usize::MAX);
        assert_eq!(escape, None, "{}", place());
    }
    let Some(escape) = machine.escape(model, mutant, usize::MAX) else {
        // The mutant fails after inputs that no run of the model with its outputs accepts; such a test stops before them.
        let answers = machine.places.iter().flat_map(|place| &place.answers);
        let stops = answers.into_iter().any(|(_, then)| *then == Then::Stops);
        let kind = script.kind;
        let may_end = kind == TestKind::Local || (kind == TestKind::Global && stops);
        assert!(may_end, "{kind}: no run fails: {machine:?}, {}", place());
        return false;
    };
    let unlimited = Budget::unlimited();
    let run = run_of(model, mutant, &escape.inputs, &escape.outputs, &unlimited);
    let run = run.unwrap_or_else(|| panic!("no such run: {escape:?}, {}", place()));
    let trace = replay(model, mutant, &run).expect("as drawn");
    assert_eq!(
        (trace.broken_at, trace.outputs),
        (None, escape.outputs),
        "{}",
        place()
    );
    true
}

#[test]
fn conforming_systems_never_fail_and_certain_kills_always_do() {
    let budget = Budget::unlimited();
    // For each kind: tests, verdicts on the original, verdicts on mutants.
    let mut mix = [[[0_usize; 3]; 2]; 4];
    let mut tests = [0_usize; 4];
    // Kills by tests with state machines.
    let mut machines = [0_usize; 4];
    // Trees that kill potentially, and trees that the certifier does not accept as certain.
    let (mut potential, mut refused) = (0, 0);
    for seed in 0..cases() {
        let kind = [Kind::Small, Kind::Choices, Kind::MutantChooses][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let original = Machine::new(&model, None).expect("a tiny circuit");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let options = Options {
            turns: Some(2),
            adaptive: true,
            fold_duplicates: false,
            ..Options::all(&model)
        };
        let report = decide_all(&model, &options, &budget, &mut Silent).expect("as drawn");
        // The reference enumerates all states, or asks a solver; sets of allowed outputs are complete, or truncated.
        let reference = match seed % 2 {
            0 => Reference::new(&model),
            _ => Reference::listing_at_most(&model, 0),
        };
        let outputs = [64, 1][(seed / 2) as usize % 2];
        for kind in [
            TestKind::Linear,
            TestKind::Local,
            TestKind::Global,
            TestKind::Tree,
        ] {
            let form = Form {
                kind,
                effort: Effort {
                    outputs,
                    ..Effort::default()
                },
                timeout: None,
            };
            let suite = suite(&model, &report, true, &form, &budget).expect("as drawn");
            for test in suite.tests.iter().filter(|test| !test.controllable) {
                let kind = test.kind as usize;
                tests[kind] += 1;
                let tree = test.tree.as_ref();
                let script = Script {
                    kind: test.kind,
                    steps: test.steps.clone(),
                    strategy: tree.map(|tree| Strategy::of(&model, tree)),
                };
                let mut on = |machine: &Machine| {
                    let mut expected = Expected {
                        model: &model,
                        original: &original,
                        test,
                        states: original.initial().iter().copied().collect(),
                        step: 0,
                    };
                    let mut system = System::new(machine, &mut rng);
                    run(&reference, &script, &mut expected, &mut system, &mut rng)
                };
                let place = || format!("seed {seed}, {}\n{}", test.id, aag(&model.aig));
                for _ in 0..6 {
                    let Some(verdict) = on(&original) else {
                        continue;
                    };
                    mix[kind][0][verdict as usize] += 1;
                    if matches!(test.kind, TestKind::Global | TestKind::Tree) {
                        assert_ne!(verdict, Verdict::Fail, "{}", place());
                    }
                }
                for (mutant, strength) in &test.kills {
                    let selector = model.selector_of_mutant(&mutant.0).expect("as drawn");
                    let mutated = Variant::Mutant(selector);
                    machines[kind] +=
                        usize::from(kills_as_a_machine(&model, &script, mutated, &place));
                    if let Some(tree) = &test.tree {
                        let as_said = certify_tree(&model, selector, tree, *strength, &budget);
                        assert_eq!(as_said, Ok(()), "{mutant:?}, {}", place());
                        let certain = Strength::Definite;
                        let more = certify_tree(&model, selector, tree, certain, &budget);
                        potential += usize::from(*strength == Strength::Potential);
                        refused += usize::from(more.is_err());
                    }
                    if !matches!(strength, Strength::Definite | Strength::Adaptive) {
                        continue;
                    }
                    let mutant = model.selector_of_mutant(&mutant.0);
                    let mutated = Machine::new(&model, mutant).expect("a tiny circuit");
                    for _ in 0..3 {
                        let Some(verdict) = on(&mutated) else {
                            continue;
                        };
                        mix[kind][1][verdict as usize] += 1;
                        assert_ne!(verdict, Verdict::Pass, "{mutant:?}, {}", place());
                        if test.kind == TestKind::Tree {
                            assert_eq!(verdict, Verdict::Fail, "{mutant:?}, {}", place());
                        }
                    }
                }
            }
        }
    }
    println!("tests by kind {tests:?}; verdicts on the original and on mutants {mix:?}");
    println!("{potential} potential kills by trees, {refused} of them refused as certain");
    println!("kills by machines {machines:?}");
    assert!(machines.iter().all(|&count| count >= 30), "{machines:?}");
    assert!(potential > 30 && refused > 20 && refused <= potential);
    let [linear, local, global, tree] = mix;
    assert!(tests.iter().all(|&count| count >= 30), "{tests:?}");
    // By §4, linear and local tests reject some conforming nondeterministic systems.
    assert!(linear[0][1] > 0 && local[0][1] > 0 && local[0][2] > 0);
    assert_eq!([global[0][1], tree[0][1]], [0, 0]);
    assert!(global[1][1] > 50 && tree[1][1] > 50);
}
