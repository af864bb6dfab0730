//! Turns a kill into a test, with names and values instead of bits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::{AllowedValues, Step, TestKind};
use hyperkill_core::trace::{Stimulus, StimulusError, decode, outputs_together, replay};
use hyperkill_core::values::{codes, free_values, inputs_of};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::allowed_outputs::Allowing;
use hyperkill_evidence::strategy_tree::StrategyTree;
use hyperkill_evidence::verdict::{Kill, Strength};

use super::allowed_outputs::{Allowed, allowed_along};
use super::best_run::{Effort, best_run_along};
use super::free::free;
use super::tree::{Course, follow};
use crate::acceptance::unconstrained;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{Answering, Stepper};
use hyperkill_core::relevance::Relevance;

/// The form in which tests are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Form {
    /// The kind of test that is wanted.
    pub kind: TestKind,
    /// The limits of work on each test.
    pub effort: Effort,
    /// Limit of clock time per test. Later results are omitted, and the test records the omission.
    pub timeout: Option<Duration>,
}

/// A test that kills a mutant, with names and values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The kind of the test. If it differs from the kind asked for, a note gives the reason.
    pub kind: TestKind,
    /// The run of the model that the test prescribes; for a tree one play.
    pub run: Stimulus,
    /// For a controllable test: the free initial values that can matter and must be set, by latch name.
    pub initial: Vec<(String, Value)>,
    /// The inputs and expected outputs of each step; for a tree those of one play that ends in a fail.
    pub steps: Vec<Step>,
    /// For each step the names of inputs whose values do not matter: model and mutant differ for all of them.
    pub free: Vec<Vec<String>>,
    /// The strategy, if the test is a tree.
    pub tree: Option<StrategyTree>,
    /// Reasons for a kind other than the one asked for, and places where the test may end without a verdict although the kill is definite.
    pub notes: Vec<&'static str>,
}

/// A test in bits, before it is written with names and values.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) kind: TestKind,
    /// The run of the model that the test prescribes.
    pub(super) run: Stimulus,
    /// Whether the tester sets choices too.
    pub(super) controllable: bool,
    pub(super) tree: Option<StrategyTree>,
    /// Whether the inputs of the tree are the same after all outputs, so that trees for other mutants can be derived from it.
    pub(super) unfolded: bool,
    pub(super) notes: Vec<&'static str>,
}

impl Draft {
    /// Returns the test for a kill of this mutant, of the kind wanted if the kill has such a test; else of another kind, with a note.
    pub(super) fn of(
        original: &Answering<'_>,
        mutant: SelectorId,
        kill: &Kill,
        form: &Form,
        budget: &Budget,
    ) -> Draft {
        let model = original.stepper().model;
        let controllable = kill.strength == Strength::Controllable;
        let plain = |kind, notes| Draft {
            kind,
            run: kill.model_run.clone(),
            controllable,
            tree: None,
            unfolded: false,
            notes,
        };
        let wants_tree = form.kind == TestKind::Tree;
        // A kill by strategy only has no test of another kind.
        if (wants_tree || kill.strength == Strength::Adaptive)
            && let Some(strategy) = kill.tree.clone()
        {
            return Draft {
                tree: Some(strategy),
                ..plain(
                    TestKind::Tree,
                    if wants_tree { vec![] } else { vec![FOLLOWED] },
                )
            };
        }
        if form.kind == TestKind::Linear {
            return plain(TestKind::Linear, vec![]);
        }
        let definite = kill.strength == Strength::Definite;
        let follows =
            wants_tree && !controllable || definite && is_global(form) && !unconstrained(model);
        let steps = &kill.model_run.steps;
        let course = follows
            .then(|| follow(original, &[mutant], steps, &form.effort, budget))
            .flatten();
        let as_strong = |course: &&Course| course.fails && !(definite && course.passes);
        let strong = course.as_ref().filter(as_strong);
        if let (true, Some(tree)) = (wants_tree, strong.and_then(|c| c.tree.clone())) {
            let stops = definite && course.is_some_and(|course| course.mutant_stops);
            return Draft {
                tree: Some(tree),
                unfolded: true,
                ..plain(TestKind::Tree, stops.then_some(STOPS).into_iter().collect())
            };
        }
        let mut notes = Vec::new();
        if wants_tree {
            let is_refused = course.as_ref().is_some_and(|course| course.is_refused);
            notes.push(match kill.strength {
                _ if controllable => ARRANGED,
                _ if is_refused => NOT_OFFERED,
                _ => LARGE,
            });
        }
        let kind = match form.kind {
            TestKind::Tree => TestKind::Global,
            kind => kind,
        };
        if definite && kind == TestKind::Global && !unconstrained(model) {
            notes.extend(ends_without_verdict(course.as_ref()));
        }
        Draft {
            run: best_run_along(original.stepper(), kill, &form.effort, budget),
            ..plain(kind, notes)
        }
    }

    /// Whether the model has exactly one run under the test: all choices are set, or there are none.
    fn has_one_run(&self, model: &ConditionalMutant) -> bool {
        self.controllable || !model.leaves_choices()
    }

    /// Returns the allowed outputs at each step; `None` at each step for kinds of tests that do not list them.
    pub(super) fn allowed(
        &self,
        original: &Stepper<'_>,
        outputs: &[Vec<bool>],
        effort: &Effort,
        budget: &Budget,
    ) -> Vec<Option<AllowedValues>> {
        let model = original.model;
        let allowing = match self.kind {
            TestKind::Linear | TestKind::Tree => return vec![None; outputs.len()],
            TestKind::Local => Allowing::Local,
            TestKind::Global => Allowing::Global,
        };
        let sets: Vec<Allowed> = if self.has_one_run(model) {
            let own = outputs.iter().map(|own| Allowed {
                outputs: vec![own.clone()],
                complete: true,
            });
            own.collect()
        } else {
            allowed_along(original, &self.run, allowing, effort.outputs, budget)
        };
        let spelled = |set: &Allowed| {
            let mut values: Vec<Vec<(String, Value)>> = Vec::new();
            let mut ascending: Vec<&Vec<bool>> = set.outputs.iter().collect();
            ascending.sort_by_cached_key(|outputs| codes(&model.outputs, outputs));
            for outputs in ascending {
                // Different codes may denote the same value.
                let value = decode(&model.outputs, outputs);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            AllowedValues {
                outputs: values,
                complete: set.complete,
            }
        };
        sets.iter().map(|set| Some(spelled(set))).collect()
    }
}

fn is_global(form: &Form) -> bool {
    form.kind == TestKind::Global
}

const ARRANGED: &str = "a tree was asked for; with all choices arranged there is nothing to adapt to, so the test is global";
/// Returns the notes of a global test that kills definitely on where it may end without a verdict.
fn ends_without_verdict(course: Option<&Course>) -> Vec<&'static str> {
    match course {
        Some(course) => {
            let stops = course.mutant_stops.then_some(STOPS);
            let refused = course.is_refused.then_some(REFUSED);
            stops.into_iter().chain(refused).collect()
        }
        None => vec![UNSETTLED],
    }
}

const FOLLOWED: &str = "only a tester who follows the outputs kills it: the test is a tree";
const NOT_OFFERED: &str = "a tree with these inputs would offer some that no run of the model accepts, so the test is global";
const REFUSED: &str = "after some outputs no run of the model accepts the next input: the test stops there, inconclusive";
const STOPS: &str = "some run of the mutant refuses an input before its outputs tell: it stops, and then the test has no verdict";
const UNSETTLED: &str = "whether the test can end without a verdict because an input is refused is open: there are too many states to list";
const LARGE: &str =
    "there is too much that the model can answer for a tree of it, so the test is global";

/// The outputs of model and mutant, step by step, on the runs of a kill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answers {
    expected: Vec<Vec<bool>>,
    observed: Vec<Vec<bool>>,
}

impl Answers {
    /// Returns the outputs for several kills, in their order. Simulating many kills costs little more than one.
    ///
    /// # Errors
    /// If a run does not fit the circuit.
    pub fn of(
        model: &ConditionalMutant,
        kills: &[(SelectorId, &Kill)],
    ) -> Result<Vec<Answers>, StimulusError> {
        let runs = kills.iter().flat_map(|&(mutant, kill)| {
            [
                (Variant::Original, &kill.model_run),
                (Variant::Mutant(mutant), &kill.mutant_run),
            ]
        });
        let runs: Vec<(Variant, &Stimulus)> = runs.collect();
        let mut outputs = outputs_together(model, &runs)?.into_iter();
        let answers = kills.iter().map(|_| Answers {
            expected: outputs.next().unwrap_or_default(),
            observed: outputs.next().unwrap_or_default(),
        });
        Ok(answers.collect())
    }
}

/// Writes a kill as a test.
///
/// # Errors
/// If its runs do not fit the circuit.
pub fn extract(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
    form: &Form,
    budget: &Budget,
) -> Result<Test, StimulusError> {
    Writer::new(model).write(mutant, (kill, None), form, budget)
}

/// The allowed outputs at each step of tests that have been written, by the kind of the test, the limit on the outputs of a step, and the
/// run.
type AllowedOfRuns = HashMap<(TestKind, usize, Stimulus), Vec<Option<AllowedValues>>>;

/// Largest number of steps for which allowed outputs are cached, over all runs. It bounds the memory of the cache.
const CACHED_STEPS: usize = 1 << 14;

/// Writes kills of mutants of one circuit as tests. Listed steps of the original, and the allowed outputs of its runs, are cached between
/// tests; the caches change no test.
pub struct Writer<'m> {
    original: Answering<'m>,
    allowed: Mutex<AllowedOfRuns>,
}

impl<'m> Writer<'m> {
    /// Returns a writer for mutants of this circuit.
    #[must_use]
    pub fn new(model: &'m ConditionalMutant) -> Writer<'m> {
        let original = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
        Writer {
            original: Answering::new(original),
            allowed: Mutex::default(),
        }
    }

    /// Returns the circuit.
    #[must_use]
    pub fn model(&self) -> &'m ConditionalMutant {
        self.original.stepper().model
    }

    /// Writes a kill as a test. `answers`: the outputs of model and mutant on its runs, if they are known.
    ///
    /// # Errors
    /// If its runs do not fit the circuit.
    pub fn write(
        &self,
        mutant: SelectorId,
        (kill, answers): (&Kill, Option<Answers>),
        form: &Form,
        budget: &Budget,
    ) -> Result<Test, StimulusError> {
        let answers = match answers {
            Some(answers) => answers,
            None => Answers::of(self.model(), &[(mutant, kill)])?.remove(0),
        };
        let budget = &budget.within(form.timeout);
        let draft = Draft::of(&self.original, mutant, kill, form, budget);
        let Answers { expected, observed } = answers;
        let expected = match draft.run == kill.model_run {
            true => expected,
            false => replay(self.model(), Variant::Original, &draft.run)?.outputs,
        };
        let allowed = self.allowed(&draft, &expected, form, budget);
        let answers = (Answers { expected, observed }, allowed);
        Ok(spell(self.model(), mutant, kill, draft, answers))
    }

    /// Returns the allowed outputs at each step of a test. Many kills have the same run.
    fn allowed(
        &self,
        draft: &Draft,
        outputs: &[Vec<bool>],
        form: &Form,
        budget: &Budget,
    ) -> Vec<Option<AllowedValues>> {
        let (stepper, effort) = (self.original.stepper(), &form.effort);
        let is_listed = matches!(draft.kind, TestKind::Local | TestKind::Global);
        if !is_listed || draft.has_one_run(stepper.model) || draft.run.steps.len() > CACHED_STEPS {
            return draft.allowed(stepper, outputs, effort, budget);
        }
        let key = (draft.kind, effort.outputs, draft.run.clone());
        // A panic of another thread leaves whole entries.
        let known = || self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(allowed) = known().get(&key) {
            return allowed.clone();
        }
        let allowed = draft.allowed(stepper, outputs, effort, budget);
        // A limit of time may have cut the sets.
        if budget.stopped().is_none() {
            let mut known = known();
            let cached: usize = known.values().map(Vec::len).sum();
            if cached + allowed.len() > CACHED_STEPS {
                known.clear();
            }
            known.insert(key, allowed.clone());
        }
        allowed
    }
}

/// Writes a test with names and values instead of bits. `answers` are the outputs of model and mutant, and the allowed ones.
fn spell(
    model: &ConditionalMutant,
    mutant: SelectorId,
    kill: &Kill,
    draft: Draft,
    answers: (Answers, Vec<Option<AllowedValues>>),
) -> Test {
    let (Answers { expected, observed }, allowed) = answers;
    let arranged = draft
        .controllable
        .then(|| Relevance::to(model, &[Variant::Original, Variant::Mutant(mutant)]));
    let answers = expected.iter().zip(&observed).zip(allowed);
    let steps = draft.run.steps.iter().zip(answers);
    let steps = steps.map(|(inputs, ((outputs, mutated), allowed))| Step {
        at: None,
        inputs: inputs_of(model, inputs, arranged.as_ref()),
        outputs: decode(&model.outputs, outputs),
        allowed,
        windows: None,
        mutant_outputs: Some(decode(&model.outputs, mutated)),
    });
    let is_plain = kill.strength == Strength::Definite && draft.tree.is_none();
    Test {
        free: match is_plain {
            true => free(model, &draft.run, &[mutant]),
            false => vec![Vec::new(); draft.run.steps.len()],
        },
        kind: draft.kind,
        steps: steps.collect(),
        initial: arranged.map_or_else(Vec::new, |relevance| {
            free_values(model, &draft.run, &relevance)
        }),
        tree: draft.tree,
        notes: draft.notes,
        run: draft.run,
    }
}
