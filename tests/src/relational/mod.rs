//! Relational SMV models: the checker's answers for the circuit of a random model, compared with paths of its text.
//!
//! [`text`] reads the text and [`graph`] lists its states. Both are independent of circuits, guesses and latches.

pub mod graph;
pub mod random;
pub mod text;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use hyperkill_certify::answers;
use hyperkill_checker::testgen::allowed;
use hyperkill_checker::validity::validity;
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::verdict::{
    InputEnabled, Kill, Outcome, Potential, Property, Strength, Stronger, Verdict,
};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile, apply,
};
use hyperkill_smv::SmvFrontend;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use graph::{Graph, Letter, Nodes, Pair, Seen};
use random::Relational;
use text::{Meaningless, Text};

/// A result of a comparison, or the reason why there was none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Found {
    /// The front end refuses the text.
    Refused,
    /// The model has no initial state, or too many states.
    Unfit,
    /// The text of a mutant has no value in some state.
    Meaningless,
    /// A mutant is killed definitely.
    Definite,
    /// A mutant is killed potentially.
    Potential,
    /// A mutant is equivalent.
    Equivalent,
    /// A mutant refuses inputs that the model accepts.
    Refuses,
    /// A mutant is not killed definitely.
    NotDefinite,
    /// The sets of allowed outputs agree at one step of a run. State variables that are not remembered are free in this comparison.
    Allowed,
    /// The model has states without a successor.
    Stuck,
}

/// The translation from a system to a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The correct translation.
    Paths,
    /// A deliberate fault that must be detected: the last state of a run needs a successor.
    LookingAhead,
}

/// A circuit, with texts for its variants.
pub struct Translated {
    /// The model with its valid mutants.
    pub model: ConditionalMutant,
    /// The valid mutants of the model.
    pub mutants: Vec<Mutant>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
}

/// Returns the circuit of a model with at most `mutants` of its valid mutants, chosen at random. `outputs` selects the outputs, in place of
/// the marks in the text. `None` if the front end refuses the text or the model itself breaks an obligation.
#[must_use]
pub fn translated(
    found: &Relational,
    outputs: Option<NamePredicate>,
    mutants: usize,
    reading: Reading,
    rng: &mut ChaCha8Rng,
) -> Option<Translated> {
    let options = FrontendOptions {
        roles: RoleOptions {
            outputs,
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("relational.smv", found.text.clone())];
    let translation = SmvFrontend.translate(&sources, &options).ok()?;
    let system = match reading {
        Reading::Paths => translation.system.clone(),
        Reading::LookingAhead => looking_ahead(&translation.system),
    };
    let blasted = bit_blast(&system).expect("a circuit");
    let checks = bit_blast(&translation.checks).expect("a circuit");
    let valid = validity(&checks.model, &checks.obligations, &Budget::unlimited()).ok()?;
    if !valid.original.is_empty() {
        return None;
    }
    let all: Vec<Mutant> = (translation.catalogue.into_iter())
        .filter(|(_, rejected)| rejected.is_none())
        .map(|(mutant, _)| mutant)
        .collect();
    let mut live: Vec<SelectorId> = (0..all.len())
        .map(SelectorId)
        .filter(|k| valid.mutants.get(k.0).copied().flatten().is_none())
        .collect();
    while live.len() > mutants {
        live.swap_remove(rng.random_range(0..live.len()));
    }
    live.sort_unstable();
    let outputs = blasted.model.outputs.iter().map(|port| port.name.clone());
    Some(Translated {
        outputs: outputs.collect(),
        model: keep_mutants(&blasted.model, &live),
        mutants: live.iter().map(|k| all[k.0].clone()).collect(),
    })
}

/// The largest number of states of a text.
const STATES: usize = 60;

fn graph(text: &str, inputs: &[String], outputs: &[String]) -> Result<Graph, Found> {
    let text = Text::new(text).map_err(|Meaningless| Found::Meaningless)?;
    for output in outputs {
        let depends = text.depends_on_inputs(output);
        // A text like `k = k` mentions an input without depending on it; then it is open whether the output reads the input.
        if depends.map_err(|Meaningless| Found::Meaningless)? != text.reads_inputs(output) {
            return Err(Found::Unfit);
        }
    }
    let graph = Graph::new(&text, inputs, outputs).map_err(|Meaningless| Found::Meaningless)?;
    match graph.states.len() > STATES {
        true => Err(Found::Unfit),
        false => Ok(graph),
    }
}

/// The original and one mutant, with exact answers from their texts.
struct Case<'a> {
    ask: Ask,
    potential: Option<usize>,
    definite: Option<usize>,
    pair: &'a Pair<'a>,
}

/// Compares the checker's answers for a random model with its text.
///
/// # Errors
/// If an answer differs: the difference, in words.
pub fn compare(seed: u64, mutants: usize, reading: Reading) -> Result<Vec<Found>, String> {
    let found = random::relational(seed);
    let says = |what: String| format!("seed {seed}: {what}\n{}", found.text);
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let Some(translated) = translated(&found, None, mutants, reading, rng) else {
        return Ok(vec![Found::Refused]);
    };
    let original = match graph(&found.text, &found.inputs, &translated.outputs) {
        Ok(graph) if !graph.moves.values().flatten().any(|_| true) => {
            return Ok(vec![Found::Unfit]);
        }
        Ok(graph) => graph,
        Err(unfit) => return Ok(vec![unfit]),
    };
    let has_run = (original.letters.iter()).any(|letter| {
        original
            .all_moves(&original.initial, letter)
            .next()
            .is_some()
    });
    if !has_run {
        return Ok(vec![Found::Unfit]);
    }
    let mut all = Vec::new();
    all.extend(runs_agree(&translated, Variant::Original, &original, &found.inputs).map_err(says)?);
    all.extend(sets_agree(&found, &translated, &original, rng).map_err(says)?);
    let mut graphs = Vec::new();
    for mutant in &translated.mutants {
        let text = apply(&found.text, mutant).expect("a mutated text");
        graphs.push((graph(&text, &found.inputs, &translated.outputs), text));
    }
    for (k, (mutated, text)) in graphs.iter().enumerate() {
        if let Ok(mutated) = mutated {
            let variant = Variant::Mutant(SelectorId(k));
            let runs = runs_agree(&translated, variant, mutated, &found.inputs);
            all.extend(runs.map_err(|what| format!("{}\nmutant:\n{text}", says(what)))?);
        }
    }
    for ask in [
        Ask::Only(Property::Phi2),
        Ask::Only(Property::Phi3),
        Ask::Auto,
    ] {
        let options = Options {
            ask,
            fold_duplicates: false,
            shortest: true,
            ..Options::all(&translated.model)
        };
        let report = decide_all(
            &translated.model,
            &options,
            &Budget::unlimited(),
            &mut Silent,
        );
        let report = report.map_err(|error| says(error.to_string()))?;
        for (outcome, (mutated, text)) in report.outcomes.iter().zip(&graphs) {
            let Ok(mutated) = mutated else {
                all.push(Found::Meaningless);
                continue;
            };
            let pair = Pair {
                model: &original,
                mutant: mutated,
            };
            let case = Case {
                ask,
                potential: pair.potential(),
                definite: pair.definite(),
                pair: &pair,
            };
            all.push(case.check(outcome).map_err(|what| {
                let id = &outcome.mutant;
                format!("{}\n{id}, {ask:?}:\n{text}", says(what))
            })?);
        }
    }
    Ok(all)
}

fn wrong<T>(what: impl fmt::Display) -> Result<T, String> {
    Err(what.to_string())
}

impl Case<'_> {
    fn check(&self, outcome: &Outcome) -> Result<Found, String> {
        let refusal = self.pair.refusal();
        self.check_acceptance(&outcome.input_enabled, refusal)?;
        match &outcome.verdict {
            Verdict::Killed(kill) => self.check_kill(kill),
            Verdict::Equivalent(_) | Verdict::RefusesInput { .. } if self.potential.is_some() => {
                wrong(format!(
                    "not killed, but a test has {:?} steps",
                    self.potential
                ))
            }
            Verdict::Equivalent(_) => match refusal {
                None => Ok(Found::Equivalent),
                Some(steps) => wrong(format!("equivalent, but refuses after {steps} steps")),
            },
            Verdict::RefusesInput { .. } => match refusal {
                Some(_) => Ok(Found::Refuses),
                None => wrong("said to refuse inputs"),
            },
            Verdict::NotDefinitelyKillable { potential, .. } => {
                if self.definite.is_some() {
                    return wrong(format!("not definitely, but in {:?} steps", self.definite));
                }
                match potential {
                    Potential::Killed(kill) => self.check_length(kill, self.potential)?,
                    Potential::Unsettled { .. } => {}
                }
                Ok(Found::NotDefinite)
            }
            verdict => wrong(format!("{verdict:?}")),
        }
    }

    fn check_kill(&self, kill: &Kill) -> Result<Found, String> {
        let wanted = match self.ask {
            Ask::Only(Property::Phi2) => self.potential,
            _ if kill.strength == Strength::Definite => self.definite,
            _ => self.potential,
        };
        self.check_length(kill, wanted)?;
        match (kill.strength, &kill.stronger) {
            (Strength::Definite, _) if self.definite.is_none() => wrong("no definite kill"),
            (Strength::Definite, _) => Ok(Found::Definite),
            (Strength::Potential, Stronger::Excluded(_)) if self.definite.is_some() => wrong(
                format!("excluded: a definite kill in {:?} steps", self.definite),
            ),
            (Strength::Potential, _) => Ok(Found::Potential),
            (strength, _) => wrong(format!("killed: {strength}")),
        }
    }

    fn check_length(&self, kill: &Kill, least: Option<usize>) -> Result<(), String> {
        let steps = kill.steps();
        match least {
            Some(least) if steps == least || steps > least && !kill.shortest => Ok(()),
            _ => wrong(format!("a test of {steps} steps, the least is {least:?}")),
        }
    }

    fn check_acceptance(&self, said: &InputEnabled, refusal: Option<usize>) -> Result<(), String> {
        let by_model = self.pair.refusal_by_model();
        match said {
            InputEnabled::Equally(_) if refusal.is_none() && by_model.is_none() => Ok(()),
            InputEnabled::Differently {
                mutant_refuses: true,
                ..
            } if refusal.is_some() => Ok(()),
            InputEnabled::Differently {
                mutant_refuses: false,
                ..
            } if by_model.is_some() => Ok(()),
            InputEnabled::Unsettled => Ok(()),
            said => wrong(format!("{said:?}, but {refusal:?} and {by_model:?}")),
        }
    }
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(n) => *n,
        Value::Symbol(s) => i64::from(s == "TRUE"),
    }
}

/// The runs of a circuit, step by step, from sets of latch states.
struct Circuit<'a> {
    translated: &'a Translated,
    variant: Variant,
    /// For each letter, the canonical values of all circuit inputs under every valuation of the choices.
    steps: BTreeMap<Letter, Vec<Vec<bool>>>,
    /// A cache of computed steps.
    known: RefCell<FxHashMap<(Latches, Letter), Moves>>,
}

type Latches = Vec<bool>;

/// The steps from a state: the outputs and the next state of each.
type Moves = Rc<Vec<(Seen, Latches)>>;

/// The largest number of valuations of circuit inputs to list.
const MOST: usize = 600;

impl<'a> Circuit<'a> {
    fn new(translated: &'a Translated, variant: Variant, inputs: &[String]) -> Option<Circuit<'a>> {
        let model = &translated.model;
        let mut all: Vec<(BTreeMap<String, i64>, Vec<bool>)> =
            vec![(BTreeMap::new(), vec![false; model.aig.inputs().len()])];
        for (port, is_test) in
            (model.inputs.iter().map(|p| (p, true))).chain(model.choices.iter().map(|p| (p, false)))
        {
            let mut longer = Vec::new();
            for (named, bits) in &all {
                for code in 0..port.sort.cardinality() {
                    let value = port.sort.value_of_code(code);
                    let (mut named, mut bits) = (named.clone(), bits.clone());
                    for (&bit, set) in port.bits.iter().zip(port.sort.encode(&value)?) {
                        bits[bit] = set;
                    }
                    if is_test {
                        named.insert(port.name.clone(), number(&value));
                    }
                    longer.push((named, bits));
                }
            }
            all = longer;
            if all.len() > MOST {
                return None;
            }
        }
        let mut steps: BTreeMap<Letter, Vec<Vec<bool>>> = BTreeMap::new();
        for (named, bits) in all {
            // An input with a single value is not an input of the circuit.
            let letter = inputs.iter().map(|i| named.get(i).copied().unwrap_or(0));
            steps.entry(letter.collect()).or_default().push(bits);
        }
        Some(Circuit {
            translated,
            variant,
            steps,
            known: RefCell::default(),
        })
    }

    fn initial(&self) -> BTreeSet<Latches> {
        let latches = self.translated.model.aig.latches();
        let mut all = BTreeSet::from([Vec::new()]);
        for (index, latch) in latches.iter().enumerate() {
            let selector = self.translated.model.selector_of_latch()[index];
            let values: Vec<bool> = match (selector, latch.reset.as_constant()) {
                (Some(selector), _) => vec![self.variant == Variant::Mutant(selector)],
                (_, Some(value)) => vec![value],
                (_, None) => vec![false, true],
            };
            let longer = all.iter().flat_map(|state| {
                values.iter().map(move |&value| {
                    let mut state: Latches = state.clone();
                    state.push(value);
                    state
                })
            });
            all = longer.collect();
        }
        all
    }

    /// Returns all steps from a state under a letter: the outputs and the next state.
    fn moves(&self, state: &Latches, letter: &Letter) -> Moves {
        let key = (state.clone(), letter.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let moves = Rc::new(self.listed(state, letter));
        self.known.borrow_mut().insert(key, Rc::clone(&moves));
        moves
    }

    fn listed(&self, state: &Latches, letter: &Letter) -> Vec<(Seen, Latches)> {
        let model = &self.translated.model;
        let aig = &model.aig;
        let mut found = Vec::new();
        for inputs in self.steps.get(letter).into_iter().flatten() {
            let mut values = vec![false; aig.len()];
            for (var, node) in aig.nodes() {
                use hyperkill_core::aig::Node;
                let of = |lit: hyperkill_core::Lit| values[lit.var().index()] ^ lit.is_negated();
                values[var.index()] = match node {
                    Node::False => false,
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => state[i as usize],
                    Node::And(a, b) => of(a) && of(b),
                };
            }
            let of = |lit: hyperkill_core::Lit| values[lit.var().index()] ^ lit.is_negated();
            if aig.constraints.iter().all(|signal| of(signal.lit)) {
                let outputs: Vec<bool> = aig.outputs.iter().map(|signal| of(signal.lit)).collect();
                let seen = decode(&model.outputs, &outputs);
                let seen = seen.iter().map(|(_, value)| number(value)).collect();
                found.push((
                    seen,
                    aig.latches().iter().map(|latch| of(latch.next)).collect(),
                ));
            }
        }
        found
    }
}

/// The number of steps of the longest runs to compare one by one.
const LENGTH: usize = 3;

/// Compares, under all inputs of a few steps, the output sequences of runs, and which runs may end without a continuation.
fn runs_agree(
    translated: &Translated,
    variant: Variant,
    graph: &Graph,
    inputs: &[String],
) -> Result<Vec<Found>, String> {
    let Some(circuit) = Circuit::new(translated, variant, inputs) else {
        return Ok(Vec::new());
    };
    let mut stuck = Vec::new();
    let mut level = vec![(
        Vec::<(Letter, Seen)>::new(),
        graph.initial.clone(),
        circuit.initial(),
    )];
    for _ in 0..LENGTH {
        let mut later = Vec::new();
        for (history, nodes, states) in &level {
            for letter in &graph.letters {
                let mut by_text: BTreeMap<Seen, (Nodes, bool)> = BTreeMap::new();
                for step in graph.all_moves(nodes, letter) {
                    let known = by_text.entry(step.seen.clone()).or_default();
                    known.1 |= !graph.goes_on(&step.next);
                    known.0.extend(&step.next);
                }
                let mut by_circuit: BTreeMap<Seen, BTreeSet<Latches>> = BTreeMap::new();
                for state in states {
                    for (seen, next) in circuit.moves(state, letter).iter() {
                        let states = by_circuit.entry(seen.clone()).or_default();
                        states.insert(next.clone());
                    }
                }
                let [text, own] = [
                    by_text.keys().collect::<Vec<_>>(),
                    by_circuit.keys().collect(),
                ];
                if text != own {
                    return wrong(format!(
                        "{variant:?} after {history:?} under {letter:?}: the text shows {text:?}, the circuit {own:?}"
                    ));
                }
                for (seen, (nodes, ends)) in by_text {
                    let states = by_circuit.remove(&seen).unwrap_or_default();
                    let goes_on = |state: &Latches| {
                        let mut letters = graph.letters.iter();
                        letters.any(|letter| !circuit.moves(state, letter).is_empty())
                    };
                    let own = states.iter().any(|state| !goes_on(state));
                    let mut history = history.clone();
                    history.push((letter.clone(), seen));
                    if own != ends {
                        return wrong(format!(
                            "{variant:?} after {history:?}: a run ends in the text: {ends}, in the circuit: {own}"
                        ));
                    }
                    stuck.extend(ends.then_some(Found::Stuck));
                    later.push((history, nodes, states));
                }
            }
        }
        level = later;
        level.truncate(40);
    }
    Ok(stuck)
}

/// Compares, along a random run, the outputs that a local test allows with those that the text gives. Returns a result per step.
fn sets_agree(
    found: &Relational,
    translated: &Translated,
    graph: &Graph,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Found>, String> {
    let Some((run, path)) = random_path(found, translated, graph, rng) else {
        return Ok(Vec::new());
    };
    let text = Text::new(&found.text).map_err(|Meaningless| "no meaning".to_owned())?;
    let kept: Vec<usize> = (text.of_state.iter().copied())
        .filter(|&v| text.is_remembered(v))
        .collect();
    let remembered = |node: usize| {
        kept.iter()
            .map(|&v| graph.states[node][v])
            .collect::<Vec<_>>()
    };
    let model = keep_mutants(&translated.model, &[]);
    let sets = allowed(&model, &run, Allowing::Local, 1000, &Budget::unlimited());
    if sets.len() != path.len() {
        return wrong(format!("{} sets for {} steps", sets.len(), path.len()));
    }
    let budget = Budget::unlimited();
    let answers = answers(&model, &run, Allowing::Local, u64::MAX, &budget);
    let answers = answers.ok().flatten().unwrap_or_default();
    let mut narrower = Vec::new();
    for (j, set) in sets.iter().enumerate() {
        let letter = &path[j].1;
        let from: Nodes = match j.checked_sub(1).map(|before| &path[before]) {
            None => graph.initial.clone(),
            Some((node, letter, seen)) => {
                let possible = |other: &usize| j > 1 || graph.initial.contains(other);
                let alike = (0..graph.states.len()).filter(possible);
                let alike = alike.filter(|other| remembered(*other) == remembered(*node));
                let moves = alike.flat_map(|other| graph.moves(other, letter));
                let same = moves.filter(|m| m.seen == *seen);
                same.flat_map(|m| m.next.iter().copied()).collect()
            }
        };
        let expected: BTreeSet<&Seen> = graph.all_moves(&from, letter).map(|m| &m.seen).collect();
        let own: BTreeSet<Seen> = (set.outputs.iter())
            .map(|bits| {
                let seen = decode(&model.outputs, bits);
                seen.iter().map(|(_, value)| number(value)).collect()
            })
            .collect();
        if !set.complete || own.iter().collect::<BTreeSet<_>>() != expected {
            return wrong(format!(
                "step {j} of {path:?} allows {expected:?}, the circuit {own:?}"
            ));
        }
        let listed: BTreeSet<Vec<bool>> = set.outputs.iter().cloned().collect();
        if answers.get(j) != Some(&listed) {
            return wrong(format!(
                "step {j} of {path:?} allows {listed:?}, not {answers:?}"
            ));
        }
        narrower.push(Found::Allowed);
    }
    Ok(narrower)
}

/// A step of a path of the text: the index of its state, its inputs and its outputs.
type SeenStep = (usize, Letter, Seen);

/// Returns a random run of the circuit, with the path of the text along it. `None` if none is found. A second circuit shows all variables
/// of the state as outputs.
fn random_path(
    found: &Relational,
    translated: &Translated,
    graph: &Graph,
    rng: &mut ChaCha8Rng,
) -> Option<(Stimulus, Vec<SeenStep>)> {
    let text = Text::new(&found.text).ok()?;
    let names: Vec<String> = (text.of_state.iter())
        .map(|&v| text.variables[v].name.clone())
        .collect();
    if translated
        .outputs
        .iter()
        .any(|output| text.reads_inputs(output))
    {
        // A shown choice is made in a different step from a hidden one.
        return None;
    }
    let every = NamePredicate::names(names.iter().map(String::as_str));
    let shows_all = self::translated(found, Some(every), 0, Reading::Paths, rng)?;
    let own = keep_mutants(&translated.model, &[]);
    let circuit = Circuit::new(&shows_all, Variant::Original, &found.inputs)?;
    let names_of = |model: &ConditionalMutant| {
        let inputs = model.aig.inputs().iter();
        inputs.map(|input| input.name.clone()).collect::<Vec<_>>()
    };
    let all: Vec<&Vec<bool>> = circuit.steps.values().flatten().collect();
    let latches = shows_all.model.aig.latches();
    let initial = latches.iter().map(|_| rng.random()).collect();
    let mut run = Stimulus {
        initial,
        steps: Vec::new(),
    };
    for _ in 0..5 {
        let goes_on = (0..60).any(|_| {
            let step = all[rng.random_range(0..all.len())];
            run.steps.push(step.clone());
            let trace = replay(&shows_all.model, Variant::Original, &run);
            let exists = trace.is_ok_and(|trace| trace.broken_at.is_none());
            if !exists {
                run.steps.pop();
            }
            exists
        });
        if !goes_on {
            break;
        }
    }
    let trace = replay(&shows_all.model, Variant::Original, &run).ok()?;
    let shown = trace
        .outputs
        .iter()
        .map(|bits| decode(&shows_all.model.outputs, bits));
    let shown: Vec<_> = shown.collect();
    // The same inputs and latches, by name. A circuit with fewer outputs may have additional ones and lack others.
    let known = names_of(&shows_all.model);
    let place = |name: &Option<String>| known.iter().position(|other| other == name);
    let places: Vec<Option<usize>> = names_of(&own).iter().map(place).collect();
    let translated_step = |step: &Vec<bool>| -> Vec<bool> {
        let bits = places.iter().map(|place| place.is_some_and(|p| step[p]));
        bits.collect()
    };
    let of_latch = |latch: &hyperkill_core::aig::Latch| {
        let place = latches.iter().position(|other| other.name == latch.name);
        place.is_some_and(|place| run.initial[place])
    };
    let own_run = Stimulus {
        initial: own.aig.latches().iter().map(of_latch).collect(),
        steps: run.steps.iter().map(translated_step).collect(),
    };
    let seen = replay(&own, Variant::Original, &own_run).ok()?;
    if seen.broken_at.is_some() {
        return None;
    }
    let mut path = Vec::new();
    for ((values, step), outputs) in shown.iter().zip(&run.steps).zip(&seen.outputs) {
        let node = graph.states.iter().position(|state| {
            values
                .iter()
                .all(|(name, value)| text.index(name).is_some_and(|v| state[v] == number(value)))
        })?;
        let letter = circuit
            .steps
            .iter()
            .find(|(_, steps)| steps.contains(step))?
            .0;
        let outputs = decode(&own.outputs, outputs);
        let outputs = outputs.iter().map(|(_, value)| number(value)).collect();
        path.push((node, letter.clone(), outputs));
    }
    Some((own_run, path))
}
