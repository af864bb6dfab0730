//! Deadlocks, refused inputs and completion of relational models, compared with enumerated states and with NuSMV's `check_fsm`.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::totality::{Asked, IGNORED, Totality, Undone, complete, totality};
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::conditional::FIRST_STEP;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::system::TransitionSystem;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_smv::SmvFrontend;
use hyperkill_tests::models::shared_models;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Bits = Vec<bool>;

fn system(text: &str) -> TransitionSystem {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    let found = SmvFrontend.translate(&[SourceFile::new("model.smv", text)], &options);
    found
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
        .system
}

fn answer(system: &TransitionSystem, wanted: Asked) -> Totality {
    totality(system, wanted, &Options::SAFETY, &Budget::unlimited())
}

/// A step of a circuit from one state under some inputs: the values of the test inputs, whether the constraints on the state hold, whether
/// the step exists, the outputs, and the next state.
struct Move {
    tested: Bits,
    on_state: bool,
    exists: bool,
    shown: Bits,
    next: Bits,
}

/// A circuit that is evaluated with this selector on, or with none.
struct Machine(ConditionalMutant, Option<SelectorId>);

impl Machine {
    fn initial(&self) -> Vec<Bits> {
        let latches = self.0.aig.latches();
        let selectors = self.0.selector_of_latch();
        let free: Vec<usize> = (0..latches.len())
            .filter(|i| latches[*i].reset.as_constant().is_none() && selectors[*i].is_none())
            .collect();
        let all = (0..1u32 << free.len()).map(|code| {
            let value = |i: usize| match (latches[i].reset.as_constant(), selectors[i]) {
                (_, Some(selector)) => self.1 == Some(selector),
                (Some(value), None) => value,
                (None, None) => code >> free.iter().take_while(|f| **f != i).count() & 1 == 1,
            };
            (0..latches.len()).map(value).collect()
        });
        all.collect()
    }

    fn moves(&self, state: &[bool]) -> Vec<Move> {
        let aig: &Aig = &self.0.aig;
        let width = aig.inputs().len();
        assert!(width < 12);
        let all = (0..1u32 << width).map(|code| {
            let inputs: Bits = (0..width).map(|i| code >> i & 1 == 1).collect();
            let mut values: Bits = Vec::new();
            for (_, node) in aig.nodes() {
                use hyperkill_core::aig::Node;
                let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
                let value = match node {
                    Node::False => false,
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => state[i as usize],
                    Node::And(a, b) => of(a) && of(b),
                };
                values.push(value);
            }
            let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            let holds = |step: bool| {
                let named = |name: &Option<String>| {
                    name.as_deref().is_some_and(|n| n.starts_with("TRANS["))
                };
                let mut own = aig.constraints.iter().filter(|c| named(&c.name) == step);
                own.all(|c| of(c.lit))
            };
            let ports = self.0.inputs.iter().flat_map(|port| &port.bits);
            Move {
                tested: ports.map(|bit| inputs[*bit]).collect(),
                on_state: holds(false),
                exists: holds(false) && holds(true),
                shown: aig.outputs.iter().map(|output| of(output.lit)).collect(),
                next: aig.latches().iter().map(|latch| of(latch.next)).collect(),
            }
        });
        all.collect()
    }

    fn is_state(&self, state: &[bool]) -> bool {
        self.moves(state).iter().any(|step| step.on_state)
    }

    /// Returns the steps from a state that exist and lead to valid states.
    fn possible(&self, state: &[bool]) -> Vec<Move> {
        let mut moves = self.moves(state);
        moves.retain(|step| step.exists && self.is_state(&step.next));
        moves
    }

    fn reachable(&self) -> HashSet<Bits> {
        let mut found: HashSet<Bits> = HashSet::new();
        let mut stack = self.initial();
        stack.retain(|state| self.is_state(state));
        while let Some(state) = stack.pop() {
            if found.insert(state.clone()) {
                stack.extend(self.possible(&state).into_iter().map(|step| step.next));
            }
        }
        found
    }

    fn is_total(&self, wanted: Asked) -> bool {
        let inputs: usize = self.0.inputs.iter().map(|port| port.bits.len()).sum();
        let has_all = |state: &Bits| {
            let steps = self.possible(state);
            let taken: BTreeSet<Bits> = steps.into_iter().map(|step| step.tested).collect();
            match wanted {
                Asked::AnyInput => !taken.is_empty(),
                Asked::EveryInput => taken.len() == 1 << inputs,
            }
        };
        self.reachable().iter().all(has_all)
    }

    /// Returns all runs of `steps` steps: the inputs and the outputs of each step. If `ignores`, an input without a step changes nothing,
    /// and one more output tells it from a step.
    fn seen(&self, steps: usize, ignores: bool) -> BTreeSet<Vec<(Bits, Bits)>> {
        let first = |name: &Option<String>| name.as_deref() == Some(FIRST_STEP);
        let latches = self.0.aig.latches();
        let first = latches.iter().position(|latch| first(&latch.name));
        let inputs: usize = self.0.inputs.iter().map(|port| port.bits.len()).sum();
        let mut runs: BTreeSet<(Bits, Vec<(Bits, Bits)>)> = (self.initial().into_iter())
            .filter(|state| self.is_state(state))
            .map(|state| (state, Vec::new()))
            .collect();
        for _ in 0..steps {
            let mut longer = BTreeSet::new();
            for (state, seen) in runs {
                let possible = self.possible(&state);
                for code in 0..1u32 << inputs {
                    let given: Bits = (0..inputs).map(|i| code >> i & 1 == 1).collect();
                    let extend = |shown: Bits| {
                        let mut seen = seen.clone();
                        seen.push((given.clone(), shown));
                        seen
                    };
                    let mut taken = false;
                    for step in possible.iter().filter(|step| step.tested == given) {
                        taken = true;
                        let mut shown = step.shown.clone();
                        if ignores {
                            shown.push(false);
                        }
                        longer.insert((step.next.clone(), extend(shown)));
                    }
                    if ignores && !taken {
                        let mut stays = state.clone();
                        if let Some(first) = first {
                            stays[first] = false;
                        }
                        let mut shown = vec![false; self.0.aig.outputs.len()];
                        shown.push(true);
                        longer.insert((stays, extend(shown)));
                    }
                }
            }
            runs = longer;
        }
        runs.into_iter().map(|(_, seen)| seen).collect()
    }
}

/// Returns a random condition over the variables of [`random_model`]. With `step`, it may read next values.
fn condition(rng: &mut ChaCha8Rng, depth: usize, step: bool) -> String {
    if depth == 0 || rng.random_range(0..4) == 0 {
        let atoms = ["x = 0", "x = 1", "x >= 1", "y", "x = 2 | y"];
        let coming = [
            "next(x) = x + 1",
            "next(x) = 0",
            "next(y)",
            "next(y) = y",
            "next(x) != x",
            "i",
            "next(x) = (i ? 2 : x)",
        ];
        let all: Vec<&str> = match step {
            true => atoms.into_iter().chain(coming).chain(coming).collect(),
            false => atoms.to_vec(),
        };
        return format!("({})", all[rng.random_range(0..all.len())]);
    }
    let sign = ["&", "|", "->", "xor"][rng.random_range(0..4)];
    let left = condition(rng, depth - 1, step);
    let right = condition(rng, depth - 1, step);
    let not = if rng.random_range(0..4) == 0 { "!" } else { "" };
    format!("{not}({left} {sign} {right})")
}

fn random_model(rng: &mut ChaCha8Rng, with_invariant: bool) -> String {
    let mut text =
        "MODULE main\nVAR x : 0..2; y : boolean;\nIVAR i : boolean;\nINIT x = 0 | y\n".to_owned();
    if with_invariant {
        text += &format!("INVAR {}\n", condition(rng, 1, false));
    }
    for _ in 0..rng.random_range(1..4) {
        text += &format!("TRANS {}\n", condition(rng, 2, true));
    }
    text
}

fn machine(system: &TransitionSystem) -> Machine {
    Machine(
        bit_blast(&looking_ahead(system)).expect("a circuit").model,
        None,
    )
}

#[test]
fn deadlocks_and_refused_inputs_of_random_models_are_those_of_their_states() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut counts = [[0; 2]; 2];
    for _ in 0..400 {
        let text = random_model(rng, true);
        let system = system(&text);
        let machine = machine(&system);
        for (which, wanted) in [Asked::AnyInput, Asked::EveryInput].into_iter().enumerate() {
            let expected = machine.is_total(wanted);
            match answer(&system, wanted) {
                Totality::Total => assert!(expected, "{wanted:?}\n{text}"),
                Totality::Stuck(run) => assert!(!expected, "{wanted:?}\n{run:?}\n{text}"),
                Totality::Unknown(why) => panic!("{why}\n{text}"),
            }
            counts[which][usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|n| *n > 20), "{counts:?}");
}

#[test]
fn a_completed_model_ignores_exactly_the_inputs_that_have_no_step() {
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let mut ignoring = 0;
    for round in 0..150 {
        let text = random_model(rng, round % 2 == 0);
        let system = system(&text);
        let completed = complete(&system, &Budget::unlimited()).expect("few choices");
        let expected = machine(&system).seen(3, true);
        let found = machine(&completed).seen(3, false);
        assert_eq!(found, expected, "{text}");
        if !expected.is_empty() {
            assert_eq!(answer(&completed, Asked::EveryInput), Totality::Total);
        }
        let ignored = expected
            .iter()
            .flatten()
            .any(|(_, shown)| shown.last() == Some(&true));
        ignoring += usize::from(ignored);
    }
    assert!(ignoring > 30, "{ignoring}");
}

#[test]
fn mutants_are_completed_as_they_are_and_not_as_the_original_is() {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let (mut same, mut other) = (0, 0);
    for _ in 0..40 {
        let text = random_model(rng, false);
        let sources = [SourceFile::new("model.smv", &text)];
        let featured = SmvFrontend.translate(&sources, &FrontendOptions::default());
        let featured = featured.expect("a model").system;
        let completed = complete(&featured, &Budget::unlimited()).expect("few choices");
        let (mut featured, mut completed) = (machine(&featured), machine(&completed));
        let original = completed.seen(2, false);
        for _ in 0..3 {
            let mutant = SelectorId(rng.random_range(0..featured.0.selectors.len()));
            (featured.1, completed.1) = (Some(mutant), Some(mutant));
            let found = completed.seen(2, false);
            assert_eq!(found, featured.seen(2, true), "{mutant}\n{text}");
            match found == original {
                true => same += 1,
                false => other += 1,
            }
        }
    }
    assert!(same > 10 && other > 10, "{same} {other}");
}

#[test]
fn a_completed_model_says_what_it_ignores_in_one_more_output() {
    let system = system(
        "MODULE main\nVAR x : 0..3;\nIVAR up : boolean;\nINIT x = 1\n\
         TRANS up -> next(x) = x + 1\nTRANS !up -> next(x) = x - 1\n",
    );
    let completed = complete(&system, &Budget::unlimited()).expect("few choices");
    let names: Vec<&str> = completed.outputs.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["x", IGNORED]);
    let Totality::Stuck(run) = answer(&system, Asked::EveryInput) else {
        panic!("2 + 2 is no value of x");
    };
    assert!(!run.refused.is_empty() && !run.state.is_empty());
    assert_eq!(answer(&system, Asked::AnyInput), Totality::Total);
}

struct SinceStart(Instant);

impl Clock for SinceStart {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Returns a line for each public model with a result of NuSMV, and the lines with differences. `None` if the models are not there.
fn beside_check_fsm(patience: Duration) -> Option<(Vec<String>, Vec<String>)> {
    let folder = shared_models("deadlocks of public SMV models")?.join("smv");
    let table = std::fs::read_to_string(folder.join("NUSMV_LOAD.tsv")).expect("a table");
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [path, "yes", _, fsm, ..] = columns[..] else {
            continue;
        };
        // This model has nothing to observe.
        if fsm == "timeout" || path.ends_with("models/modules.smv") {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(path)).expect("a model");
        let clock = std::sync::Arc::new(SinceStart(Instant::now()));
        let budget = Budget::new(clock, std::sync::Arc::default()).within(Some(patience));
        let found = totality(&system(&text), Asked::AnyInput, &Options::SAFETY, &budget);
        let deadlock = fsm.starts_with("deadlock_reachable");
        let word = match &found {
            Totality::Total => "total",
            Totality::Stuck(_) => "deadlock",
            Totality::Unknown(Undone::Stopped(_) | Undone::TooMany) => "unknown",
            Totality::Unknown(fault) => panic!("{path}: {fault}"),
        };
        let line = format!("{path}\t{word}\t{fsm}");
        if word != "unknown" && (word == "deadlock") != deadlock {
            wrong.push(line.clone());
        }
        lines.push(line);
    }
    Some((lines, wrong))
}

#[test]
fn public_models_have_the_deadlocks_that_nusmv_finds() {
    if let Some((lines, wrong)) = beside_check_fsm(Duration::from_secs(5)) {
        println!("{}", lines.join("\n"));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let unknown = lines
            .iter()
            .filter(|line| line.contains("\tunknown\t"))
            .count();
        assert!(
            lines.len() > 90 && unknown <= 4,
            "{} {unknown}",
            lines.len()
        );
    }
}
