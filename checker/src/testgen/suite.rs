//! A small suite: every test kills a mutant that no other test kills, and none is a prefix of another.
//!
//! Every killed mutant is covered with the strength of its verdict. If pairs of runs are kills, replaying a test on other mutants finds its
//! further kills. Otherwise further definite kills are found by listing all steps of model and mutant, if that is cheap. Tests of other
//! strengths count only for the mutants for which they were found.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::{Step, TestKind};
use hyperkill_core::trace::{Stimulus, StimulusError, decode, outputs_together};
use hyperkill_core::values::{free_values, inputs_of};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::strategy_tree::StrategyTree;
use hyperkill_evidence::verdict::{Engine, Kill, Strength};
use rayon::prelude::*;

use super::cover::{Covering, Rows, cover};
use super::extract::{Draft, Form};
use super::free::free;
use super::tree::follow;
use crate::engines::random_simulation::kill_matrix;
use crate::rounds::Report;
use crate::schedule::efforts::SUITE_LISTINGS;
use crate::schedule::engine_efforts::ALLOWED_OUTPUT_STEPS;
use crate::stepping::{Answering, MutantAnswers, Stepper, kills_definitely};
use hyperkill_core::relevance::Relevance;

/// A test of a suite, with the mutants that it kills.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuiteTest {
    /// The name of the test, such as `t-001`, in the order of the suite.
    pub id: String,
    /// The kind of test, which defines the outputs that it allows besides its own.
    pub kind: TestKind,
    /// The run of the model that the test prescribes; for a tree one play.
    pub run: Stimulus,
    /// Whether the tester sets choices too, like inputs.
    pub controllable: bool,
    /// For a controllable test the free initial values that the tester sets, by latch name.
    pub initial: Vec<(String, Value)>,
    /// For each step the inputs and expected outputs.
    pub steps: Vec<Step>,
    /// For each step the names of the irrelevant inputs: for all their values, the model's outputs are the same and every mutant it kills
    /// differs.
    pub free: Vec<Vec<String>>,
    /// The strategy, if the test is a tree.
    pub tree: Option<StrategyTree>,
    /// The mutants that the test kills, in the order of the report.
    pub kills: Vec<(MutantId, Strength)>,
    /// The engine that found the first of its kills.
    pub found_by: Engine,
}

/// Tests that together kill every killed mutant of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The tests, those with most kills first.
    pub tests: Vec<SuiteTest>,
}

/// A killed mutant that the suite must cover: its number among them, its selector and its kill.
#[derive(Clone, Copy)]
struct Killed<'a> {
    row: usize,
    mutant: SelectorId,
    kill: &'a Kill,
    engine: Engine,
}

struct Candidate {
    draft: Draft,
    engine: Engine,
    kills: Rows,
    seen: Seen,
}

/// The inputs and outputs of a test. Tests with the same key are one test; they may differ in hidden choices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// A prescribed run, with inputs and outputs.
    Run {
        /// The first values of free latches, if the tester sets choices.
        arranged: Option<Vec<bool>>,
        /// For each step the values that are set (including choices, if they are set) and the model's outputs.
        steps: Vec<(Vec<bool>, Vec<bool>)>,
    },
    /// Prescribed inputs, with all answers that the model can give, in a test of this kind.
    Inputs(TestKind, Vec<Vec<bool>>),
    /// A strategy tree: inputs that depend on the answers.
    Tree(StrategyTree),
}

impl Seen {
    /// Returns the key of a test. `answered` has the model's outputs on the test's run. `relevance` gives the choices that can matter to a
    /// mutant whose test sets them.
    fn of(
        model: &ConditionalMutant,
        draft: &Draft,
        answered: Vec<Vec<bool>>,
        relevance: &Relevance,
    ) -> Seen {
        if let (Some(tree), false) = (&draft.tree, draft.unfolded) {
            return Seen::Tree(tree.clone());
        }
        let run = &draft.run;
        let mut bits: Vec<usize> = model.input_bits().collect();
        if draft.controllable {
            let choices = model.choices.iter().filter(|port| relevance.of_port(port));
            bits.extend(choices.flat_map(|port| port.bits.iter().copied()));
        }
        let set = |step: &Vec<bool>| bits.iter().map(|&bit| step[bit]).collect();
        if draft.unfolded || (draft.kind == TestKind::Global && !draft.controllable) {
            let steps = run.steps.iter().map(set).collect();
            return Seen::Inputs(draft.kind, steps);
        }
        Seen::Run {
            steps: run.steps.iter().map(set).zip(answered).collect(),
            arranged: draft.controllable.then(|| {
                let values = free_values(model, run, relevance).into_iter();
                values.map(|(_, value)| value == Value::Int(1)).collect()
            }),
        }
    }

    /// Whether a test is a prefix of the test `longer`.
    fn is_prefix_of(&self, longer: &Seen) -> bool {
        match (self, longer) {
            (
                Seen::Run { arranged, steps },
                Seen::Run {
                    arranged: others,
                    steps: more,
                },
            ) => arranged == others && more.starts_with(steps),
            (Seen::Inputs(kind, steps), Seen::Inputs(other, more)) => {
                kind == other && more.starts_with(steps)
            }
            _ => false,
        }
    }
}

/// Builds the suite of a report. With `minimise` off, every distinct test is kept that is no prefix of another.
///
/// # Errors
/// If a kill of the report does not fit the circuit.
pub fn suite(
    model: &ConditionalMutant,
    report: &Report,
    minimise: bool,
    form: &Form,
    budget: &Budget,
) -> Result<Suite, StimulusError> {
    let kills = report.kills(model).into_iter().enumerate();
    let killed = kills.map(|(row, known)| Killed {
        row,
        mutant: known.mutant,
        kill: known.kill,
        engine: known.engine,
    });
    let killed: Vec<Killed<'_>> = killed.collect();
    let original = Stepper::new(model, Variant::Original, ALLOWED_OUTPUT_STEPS);
    let original = Answering::new(original);
    let mut candidates = distinct(&original, &killed, form, budget)?;
    if report.pairs_are_kills {
        add_by_pairs(model, &killed, &mut candidates, budget);
    }
    let listed = |killed: &Killed<'_>| {
        killed.kill.strength == Strength::Definite
            && !(report.pairs_are_kills && killed.kill.sole_run)
    };
    let listed: Vec<Killed<'_>> = killed.iter().copied().filter(listed).collect();
    add_by_listing(&original, &listed, &mut candidates, budget);
    let prefixes = inherit_kills(&mut candidates);
    let chosen = if minimise {
        let covering = candidates.iter().map(|candidate| Covering {
            kills: &candidate.kills,
            steps: candidate.draft.run.steps.len(),
        });
        cover(&covering.collect::<Vec<_>>(), killed.len())
    } else {
        let all = 0..candidates.len();
        all.filter(|index| !prefixes.contains(index)).collect()
    };
    let answered = answers(model, chosen.iter().map(|&index| &candidates[index].draft))?;
    let chosen = chosen.into_iter().zip(answered).enumerate();
    let tests = chosen.map(|(number, (index, answered))| {
        let candidate = &candidates[index];
        let kills = candidate.kills.iter().map(|row| killed[row]);
        let kills: Vec<Killed<'_>> = kills.collect();
        spell(
            &original, number, candidate, &answered, &kills, form, budget,
        )
    });
    Ok(Suite {
        tests: tests.collect(),
    })
}

/// Adds to tests the further mutants that they kill, found by replay on other mutants, where pairs of runs are kills.
fn add_by_pairs(
    model: &ConditionalMutant,
    killed: &[Killed<'_>],
    candidates: &mut [Candidate],
    budget: &Budget,
) {
    let mutants: Vec<SelectorId> = killed.iter().map(|killed| killed.mutant).collect();
    let runs = candidates
        .iter()
        .map(|candidate| candidate.draft.run.clone());
    let matrix = kill_matrix(model, &mutants, &runs.collect::<Vec<Stimulus>>(), budget);
    for (&Killed { row, kill, .. }, killing) in killed.iter().zip(matrix) {
        for (test, _) in killing {
            let candidate = &mut candidates[test];
            let controllable = candidate.draft.controllable;
            // A pair of runs shows what a potential or controllable verdict claims; a definite one only if the
            // mutant has no other run, which is what `sole_run` records.
            let shows = match kill.strength {
                Strength::Controllable => controllable,
                Strength::Potential => !controllable,
                Strength::Definite => !controllable && kill.sole_run,
                Strength::Adaptive => false,
            };
            if shows {
                candidate.kills.insert(row);
            }
        }
    }
}

/// Adds to tests the further mutants that they kill definitely, found by listing all runs on their inputs. If there are too many, nothing
/// is added.
fn add_by_listing(
    original: &Answering<'_>,
    definite: &[Killed<'_>],
    candidates: &mut [Candidate],
    budget: &Budget,
) {
    if definite.is_empty() || definite.len() * candidates.len() > SUITE_LISTINGS {
        return;
    }
    let model = original.stepper().model;
    if original.stepper().initial().is_none() {
        // There is too much to list, independently of the mutant.
        return;
    }
    let fixed = candidates.iter().enumerate().filter(|(_, candidate)| {
        !matches!(candidate.seen, Seen::Tree(_)) && !candidate.draft.controllable
    });
    let mut fixed: Vec<(Vec<Vec<bool>>, usize)> = fixed
        .map(|(test, candidate)| (only_inputs(model, &candidate.draft.run.steps), test))
        .collect();
    fixed.sort_unstable();
    let inputs: Vec<&[Vec<bool>]> = fixed.iter().map(|(inputs, _)| &inputs[..]).collect();
    let found: Vec<(usize, Vec<usize>)> = definite
        .par_iter()
        .map(|killed| {
            if budget.stopped().is_some() {
                return (killed.row, Vec::new());
            }
            let mutated = Stepper::new(model, Variant::Mutant(killed.mutant), ALLOWED_OUTPUT_STEPS);
            let mutated = MutantAnswers::new(original, mutated, killed.mutant);
            let kills = kills_definitely(original, &mutated, &inputs);
            let tests = fixed.iter().zip(kills);
            let killing = tests.filter(|(_, kills)| *kills == Some(true));
            (killed.row, killing.map(|((_, test), _)| *test).collect())
        })
        .collect();
    for (row, tests) in found {
        for test in tests {
            candidates[test].kills.insert(row);
        }
    }
}

/// Returns the steps with the bits of all choices set to 0.
fn only_inputs(model: &ConditionalMutant, steps: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let steps = steps.iter().map(|step| {
        let mut inputs = vec![false; step.len()];
        for bit in model.input_bits() {
            inputs[bit] = step[bit];
        }
        inputs
    });
    steps.collect()
}

/// Writes a test with names and values instead of bits. `answered` is the model's outputs on its run.
fn spell(
    original: &Answering<'_>,
    number: usize,
    candidate: &Candidate,
    answered: &[Vec<bool>],
    kills: &[Killed<'_>],
    form: &Form,
    budget: &Budget,
) -> SuiteTest {
    let model = original.stepper().model;
    let mut draft = candidate.draft.clone();
    let budget = budget.within(form.timeout);
    if draft.unfolded {
        // The tree must be built for all mutants that the test kills; so far it was built for one.
        let mutants: Vec<SelectorId> = kills.iter().map(|killed| killed.mutant).collect();
        let course = follow(original, &mutants, &draft.run.steps, &form.effort, &budget);
        draft.tree = course.and_then(|course| course.tree);
        if draft.tree.is_none() {
            draft.kind = TestKind::Global;
        }
    }
    let arranged = draft.controllable.then(|| relevance(model, kills.iter()));
    let allowed = draft.allowed(original.stepper(), answered, &form.effort, &budget);
    let steps = draft.run.steps.iter().zip(answered).zip(allowed);
    let steps = steps.map(|((inputs, outputs), allowed)| Step {
        at: None,
        inputs: inputs_of(model, inputs, arranged.as_ref()),
        outputs: decode(&model.outputs, outputs),
        allowed,
        windows: None,
        mutant_outputs: None,
    });
    let ids = kills.iter().map(|killed| {
        let id = model.selectors[killed.mutant.0].id.clone();
        (id, killed.kill.strength)
    });
    let is_definite = |killed: &Killed<'_>| killed.kill.strength == Strength::Definite;
    let is_plain = kills.iter().all(is_definite) && draft.tree.is_none();
    let killed: Vec<SelectorId> = kills.iter().map(|killed| killed.mutant).collect();
    SuiteTest {
        free: match is_plain {
            true => free(model, &draft.run, &killed),
            false => vec![Vec::new(); draft.run.steps.len()],
        },
        id: format!("t-{:03}", number + 1),
        kind: draft.kind,
        controllable: draft.controllable,
        steps: steps.collect(),
        kills: ids.collect(),
        found_by: candidate.engine,
        initial: arranged.map_or_else(Vec::new, |relevance| {
            free_values(model, &draft.run, &relevance)
        }),
        run: draft.run,
        tree: draft.tree,
    }
}

/// Returns which inputs and latches can affect the original or these mutants.
fn relevance<'a>(
    model: &ConditionalMutant,
    mutants: impl Iterator<Item = &'a Killed<'a>>,
) -> Relevance {
    let mutants = mutants.map(|killed| Variant::Mutant(killed.mutant));
    let variants: Vec<Variant> = mutants.chain([Variant::Original]).collect();
    Relevance::to(model, &variants)
}

/// Returns the model's outputs on the run of each test: for each step one bool per circuit output.
fn answers<'a>(
    model: &ConditionalMutant,
    drafts: impl Iterator<Item = &'a Draft>,
) -> Result<Vec<Vec<Vec<bool>>>, StimulusError> {
    let runs: Vec<(Variant, &Stimulus)> = drafts
        .map(|draft| (Variant::Original, &draft.run))
        .collect();
    outputs_together(model, &runs)
}

/// Returns the different tests for these kills, each with the mutants for which it was found.
fn distinct(
    original: &Answering<'_>,
    killed: &[Killed<'_>],
    form: &Form,
    budget: &Budget,
) -> Result<Vec<Candidate>, StimulusError> {
    let model = original.stepper().model;
    let drafts: Vec<Draft> = killed
        .par_iter()
        .map(|killed| {
            let budget = budget.within(form.timeout);
            Draft::of(original, killed.mutant, killed.kill, form, &budget)
        })
        .collect();
    let arranged = killed
        .iter()
        .filter(|killed| killed.kill.strength == Strength::Controllable);
    let relevance = relevance(model, arranged);
    let answered = answers(model, drafts.iter())?;
    let count = killed.len();
    let mut index: BTreeMap<Seen, usize> = BTreeMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for ((killed, draft), answered) in killed.iter().zip(drafts).zip(answered) {
        let seen = Seen::of(model, &draft, answered, &relevance);
        let slot = *index.entry(seen.clone()).or_insert(candidates.len());
        if slot == candidates.len() {
            candidates.push(Candidate {
                draft,
                engine: killed.engine,
                kills: Rows::none(count),
                seen,
            });
        }
        candidates[slot].kills.insert(killed.row);
    }
    Ok(candidates)
}

/// Adds to each test the kills of its prefixes: a system that fails a prefix fails the test. Returns the indices of tests that are
/// prefixes.
fn inherit_kills(candidates: &mut [Candidate]) -> BTreeSet<usize> {
    // In lexicographic order the continuations of a test come directly after it.
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| candidates[a].seen.cmp(&candidates[b].seen));
    let mut prefixes = BTreeSet::new();
    for (position, &short) in order.iter().enumerate() {
        for &long in &order[position + 1..] {
            if !candidates[short].seen.is_prefix_of(&candidates[long].seen) {
                break;
            }
            let kills = candidates[short].kills.clone();
            candidates[long].kills.extend(&kills);
            prefixes.insert(short);
        }
    }
    prefixes
}
