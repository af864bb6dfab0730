//! Proofs by strategies, compared with the oracle. A mutant that a strategy matches forever is equivalent or not definitely killable. A
//! mutant that it cannot match is not killed earlier, and for observable models exactly then.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hyperkill_certify::{CertifyError, certify_proof};
use hyperkill_checker::observable::{Observability, observability};
use hyperkill_checker::question;
use hyperkill_checker::question::Pose;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::solve::{Solved, solve};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::replay;
use hyperkill_core::{ConditionalMutant, Reset, SelectorId};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::{Aim, Preference, Question, Steered};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::models::{folder, smv_model};
use hyperkill_tests::oracle::{Machine, Oracle, Word};
use rayon::prelude::*;

const PREFERENCES: [Preference; 5] = [
    Preference::Any,
    Preference::Copy,
    Preference::State,
    Preference::Lowest,
    Preference::Highest,
];

const AIMS: [Aim; 2] = [Aim::Track, Aim::Agree];

/// The result of a question about a strategy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answer {
    /// The strategy matches forever; the proof checks.
    Proved,
    /// The strategy cannot match in the step with this number, from 1.
    Reached(usize),
    /// Undecided; the strategy matches up to this step.
    Open(usize),
}

/// Asks a question, checks proofs with the certifier, and replays runs.
fn ask(model: &ConditionalMutant, mutant: SelectorId, aim: Aim, preference: Preference) -> Answer {
    let steered = question::steered(model, mutant, aim, preference).expect("few choices");
    let question = Question::Steered(steered);
    let budget = Budget::unlimited();
    let options = Options {
        turns: Some(2),
        ..Options::MODEST
    };
    match solve(&question.pose(model), &options, &budget) {
        Solved::Unreachable(proof) => {
            if let Err(error) = certify_proof(model, &question, &proof, &budget) {
                panic!("{}: {question} of mutant {mutant}: {error}", model.name);
            }
            Answer::Proved
        }
        Solved::Reached { found, .. } => {
            let runs = question::runs(&question, model, &found).expect("runs of this question");
            // The goal is reachable, so no proof may be accepted, not even by simple paths.
            for k in 1..found.steps.saturating_sub(1) {
                let proof = Proof {
                    k,
                    simple_path: true,
                    facts: Vec::new(),
                    facts_depth: 1,
                };
                let checked = certify_proof(model, &question, &proof, &budget);
                assert!(
                    matches!(checked, Err(CertifyError::Broken(_))),
                    "{}: {question}, depth {k}",
                    model.name
                );
            }
            for (variant, run) in [Variant::Original, Variant::Mutant(mutant)]
                .iter()
                .zip(&runs)
            {
                assert_eq!(run.steps.len(), found.steps);
                let trace = replay(model, *variant, run).expect("a run of the circuit");
                assert_eq!(trace.broken_at, None, "{}: {question}", model.name);
            }
            Answer::Reached(found.steps)
        }
        Solved::Open { refuted, .. } => Answer::Open(refuted),
    }
}

/// The numbers of answers to a question.
#[derive(Default)]
struct Count {
    asked: usize,
    proved: usize,
    /// The number of mutants that the oracle finds unkillable, so that a proof may exist.
    provable: usize,
    open: usize,
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<(Aim, Preference), Count>,
    observable: usize,
    models: usize,
    /// The number of models that are observable only if late choices are compared by their effects, not by their logic.
    too_fine: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} models, {} observable, {} called not observable that are",
            self.models, self.observable, self.too_fine
        )?;
        for ((aim, preference), count) in &self.counts {
            writeln!(
                f,
                "{aim:?} {preference}: {} mutants, {} of {} unkillable ones proved, {} open",
                count.asked, count.proved, count.provable, count.open
            )?;
        }
        Ok(())
    }
}

impl Tally {
    fn and(mut self, other: Tally) -> Tally {
        self.models += other.models;
        self.observable += other.observable;
        self.too_fine += other.too_fine;
        for (question, count) in other.counts {
            let sum = self.counts.entry(question).or_default();
            sum.asked += count.asked;
            sum.proved += count.proved;
            sum.provable += count.provable;
            sum.open += count.open;
        }
        self
    }

    /// Checks a model with two preferences: the first one, and one that `turn` selects.
    fn model(&mut self, model: &ConditionalMutant, turn: usize) {
        let others = &PREFERENCES[1..];
        let preferences = [PREFERENCES[0], others[turn % others.len()]];
        self.models += 1;
        let said = observability(model, &Budget::unlimited());
        let machine = Machine::new(model, None).expect("a tiny circuit");
        let truth = is_observable(model, &machine);
        match said {
            Observability::Observable => {
                assert!(truth, "{}: said to be observable", model.name);
                self.observable += 1;
            }
            Observability::NotObservable => {
                let late = question::options(model, Variant::Original).late;
                assert!(!truth || !late.is_empty(), "{}: is observable", model.name);
                self.too_fine += usize::from(truth);
            }
            Observability::Unsettled => {}
        }
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(model, mutant).expect("a tiny circuit");
            let potential = oracle.potential_kill().expect("a tiny search");
            let definite = oracle.definite_kill().expect("a tiny search");
            for aim in AIMS {
                let kill = match aim {
                    Aim::Track => potential.as_ref().map(Vec::len),
                    Aim::Agree => definite.as_ref().map(Vec::len),
                };
                for preference in preferences {
                    let answer = ask(model, mutant, aim, preference);
                    let what = format!(
                        "{}: {aim:?} {preference} of mutant {mutant}: {answer:?}, shortest kill {kill:?}",
                        model.name
                    );
                    let count = self.counts.entry((aim, preference)).or_default();
                    count.asked += 1;
                    count.provable += usize::from(kill.is_none());
                    match answer {
                        Answer::Proved => {
                            assert_eq!(kill, None, "{what}");
                            count.proved += 1;
                        }
                        Answer::Reached(steps) => {
                            // A test makes every strategy fail; a strategy may fail sooner.
                            assert!(kill.is_none_or(|kill| steps <= kill), "{what}");
                        }
                        Answer::Open(steps) => {
                            assert!(kill.is_none_or(|kill| steps < kill), "{what}");
                            count.open += 1;
                        }
                    }
                    if said == Observability::Observable && aim == Aim::Track {
                        // With a single possible state, preferences have no effect.
                        match answer {
                            Answer::Proved => assert_eq!(kill, None, "{what}"),
                            Answer::Reached(steps) => assert_eq!(kill, Some(steps), "{what}"),
                            Answer::Open(_) => {}
                        }
                    }
                }
            }
        }
    }
}

/// Whether inputs and outputs determine the state, by enumeration: late choices determine the state after a step. Latches outside of the
/// cone of the outputs do not count.
fn is_observable(model: &ConditionalMutant, machine: &Machine) -> bool {
    let relevance = Relevance::to(model, &[Variant::Original]);
    let selectors = model.selector_of_latch();
    let hidden = (0..selectors.len()).filter(|&latch| selectors[latch].is_none());
    let visible = hidden.enumerate().fold(0, |mask, (k, latch)| {
        mask | u32::from(relevance.of_latch(latch)) << k
    });
    let options = question::options(model, Variant::Original);
    let late = model.choice_bits().enumerate().fold(0, |mask, (k, bit)| {
        mask | Word::from(options.late.contains(&bit)) << k
    });
    // Outputs and successors of a step over the late choices; `None` if the step does not exist.
    let moves = |state: u32, input: Word, early: Word| {
        let choices = machine.choices().filter(|choice| choice & !late == early);
        let moves: Option<Vec<_>> = choices
            .map(|choice| machine.step(state, input, choice))
            .collect();
        let moves = moves?;
        let futures: Vec<u32> = moves.iter().map(|m| m.next & visible).collect();
        Some((moves[0].outputs, futures, moves))
    };
    let earlies: Vec<Word> = machine
        .choices()
        .filter(|choice| choice & late == 0)
        .collect();
    let tells = |states: &[u32], seen: &mut BTreeSet<Vec<u32>>, todo: &mut Vec<Vec<u32>>| {
        for input in machine.alphabet() {
            let mut futures_of: BTreeMap<Word, Vec<u32>> = BTreeMap::new();
            for &state in states {
                for &early in &earlies {
                    let Some((outputs, futures, moves)) = moves(state, input, early) else {
                        continue;
                    };
                    if futures_of.entry(outputs).or_insert_with(|| futures.clone()) != &futures {
                        return false;
                    }
                    let mut next: Vec<u32> = moves.iter().map(|m| m.next).collect();
                    next.sort_unstable();
                    next.dedup();
                    if seen.insert(next.clone()) {
                        todo.push(next);
                    }
                }
            }
        }
        true
    };
    // State estimates, over open late choices, after each history.
    let mut todo = vec![machine.initial().to_vec()];
    let mut seen = BTreeSet::new();
    while let Some(states) = todo.pop() {
        if !tells(&states, &mut seen, &mut todo) {
            return false;
        }
    }
    true
}

#[test]
fn strategies_prove_only_what_is_so_and_fail_only_where_some_must() {
    let kinds = [(Kind::Choices, 450), (Kind::MutantChooses, 50)];
    let cases: Vec<(Kind, u64)> = kinds
        .into_iter()
        .flat_map(|(kind, seeds)| (0..seeds).map(move |seed| (kind, seed)))
        .collect();
    let tally = cases
        .par_iter()
        .enumerate()
        .map(|(turn, &(kind, seed))| {
            let mut tally = Tally::default();
            tally.model(&conditional_mutant(seed, kind), turn);
            tally
        })
        .reduce(Tally::default, Tally::and);
    println!("{tally}");
    let of = |aim, preference| &tally.counts[&(aim, preference)];
    for preference in PREFERENCES {
        assert!(of(Aim::Track, preference).proved * 2 > of(Aim::Track, preference).provable);
    }
    assert!(tally.observable * 4 > tally.models);
}

/// Returns a circuit with o = nd ∧ ¬mut: the model can match the mutant's only output, but not by copying its choice.
fn forgets_a_choice() -> ConditionalMutant {
    let mut c = Circuit::new();
    let nd = c.choice("n");
    let m = c.selector("m");
    let o = c.aig.and(nd, !m);
    c.output("o", o);
    c.finish("forgets-a-choice")
}

#[test]
fn a_strategy_need_not_copy_the_mutants_choice() {
    let model = forgets_a_choice();
    for preference in PREFERENCES {
        assert_eq!(
            ask(&model, SelectorId(0), Aim::Track, preference),
            Answer::Proved
        );
        assert_eq!(
            ask(&model, SelectorId(0), Aim::Agree, preference),
            Answer::Proved
        );
    }
}

#[test]
fn initial_values_are_chosen_in_the_first_step() {
    // A free latch, shown from the second step on; the mutant shows its complement.
    let mut c = Circuit::new();
    let m = c.selector("m");
    let r = c.latch("r", Reset::Free);
    let started = c.latch("started", Reset::Zero);
    c.set_next(started, hyperkill_core::Lit::TRUE);
    let shown = c.aig.xor(r, m);
    let o = c.aig.and(shown, started);
    c.output("o", o);
    let model = c.finish("late-reset");
    // Any first choice matches, but only one of them in the second step.
    assert_eq!(
        ask(&model, SelectorId(0), Aim::Track, Preference::Any),
        Answer::Reached(2)
    );
    // The same choice is wrong.
    assert_eq!(
        ask(&model, SelectorId(0), Aim::Track, Preference::Copy),
        Answer::Reached(2)
    );
    // Two runs agree with the choices 0 and 1, in this order; the lowest matching choices are the wrong ones.
    assert_eq!(
        ask(&model, SelectorId(0), Aim::Agree, Preference::Lowest),
        Answer::Reached(2)
    );
}

/// Returns a circuit with a hidden register that takes a choice and is shown after two steps; the mutant takes the complement of the
/// choice.
fn keeps_a_secret() -> ConditionalMutant {
    let mut c = Circuit::new();
    let nd = c.choice("n");
    let m = c.selector("m");
    let hidden = c.latch("hidden", Reset::Zero);
    let known = c.latch("known", Reset::Zero);
    let shown = c.latch("shown", Reset::Zero);
    let taken = c.aig.xor(nd, m);
    c.set_next(hidden, taken);
    c.set_next(known, hidden);
    c.set_next(shown, known);
    c.output("o", shown);
    c.finish("keeps-a-secret")
}

#[test]
fn a_strategy_that_keeps_states_equal_needs_no_clue_from_outputs() {
    let model = keeps_a_secret();
    let tracked = |preference| ask(&model, SelectorId(0), Aim::Track, preference);
    // When the output shows the choice, it is too late to make it.
    assert_eq!(tracked(Preference::Any), Answer::Reached(4));
    assert_eq!(tracked(Preference::Copy), Answer::Reached(4));
    assert_eq!(tracked(Preference::State), Answer::Proved);
    let oracle = Oracle::new(&model, SelectorId(0)).expect("a tiny circuit");
    assert_eq!(oracle.potential_kill().expect("a tiny search"), None);
    assert_eq!(
        observability(&model, &Budget::unlimited()),
        Observability::NotObservable
    );
}

/// Returns a circuit that shows the parity of `count` choices; the mutant leaves out the first one.
fn many_choices(count: usize) -> ConditionalMutant {
    let mut c = Circuit::new();
    let m = c.selector("m");
    let mut sum = hyperkill_core::Lit::FALSE;
    for i in 0..count {
        let nd = c.choice(&format!("n{i}"));
        let counted = if i == 0 { c.aig.and(nd, !m) } else { nd };
        sum = c.aig.xor(sum, counted);
    }
    c.output("o", sum);
    c.finish("many-choices")
}

#[test]
fn too_many_choices_are_refused_or_tried_in_part() {
    let model = many_choices(25);
    for preference in [Preference::Any, Preference::Lowest, Preference::Highest] {
        assert!(question::tracked(&model, SelectorId(0), preference).is_err());
    }
    // Copying fails where the mutant leaves out a choice, but choices that are all 0 and all 1 give both outputs.
    for preference in [Preference::Copy, Preference::State] {
        assert_eq!(
            ask(&model, SelectorId(0), Aim::Track, preference),
            Answer::Proved
        );
        assert_eq!(
            ask(&model, SelectorId(0), Aim::Agree, preference),
            Answer::Proved
        );
    }
}

#[test]
fn the_certifier_knows_what_is_a_choice_and_when_it_may_be_made() {
    let model = forgets_a_choice();
    let budget = Budget::unlimited();
    let good =
        question::steered(&model, SelectorId(0), Aim::Track, Preference::Any).expect("one choice");
    let proof = Proof {
        k: 1,
        simple_path: false,
        facts: Vec::new(),
        facts_depth: 1,
    };
    let check = |question: &Steered| {
        let question = Question::Steered(question.clone());
        certify_proof(&model, &question, &proof, &budget)
    };
    assert_eq!(check(&good), Ok(()));
    // The output shows the choice at once, so the choice cannot be made one step later.
    let mut late = good.clone();
    late.options[0].late = std::mem::take(&mut late.options[0].early);
    assert_eq!(check(&late), Err(CertifyError::Broken("strategy")));
    // The model has no free initial values, and a selector is not one.
    let mut initial = good.clone();
    initial.options[0].initial.push(model.selectors[0].latch);
    assert_eq!(check(&initial), Err(CertifyError::Broken("strategy")));
    // Making no choices is a strategy too; here the value 0 works.
    let mut idle = good.clone();
    idle.options[0].early.clear();
    assert_eq!(check(&idle), Ok(()));
    let other = Steered {
        mutant: SelectorId(0),
        aim: Aim::Agree,
        ..good.clone()
    };
    assert_eq!(check(&other), Err(CertifyError::Broken("strategy")));
}

#[test]
fn the_beverage_machine_that_always_serves_tea_is_proved_equivalent() {
    let beverage = smv_model(&folder().join("smv/beverage"));
    let model = &beverage.system;
    let budget = Budget::unlimited();
    assert_eq!(observability(model, &budget), Observability::Observable);
    let mut proved = Vec::new();
    for (mutant, selector) in model.selectors.iter().enumerate() {
        let answer = ask(model, SelectorId(mutant), Aim::Track, Preference::Any);
        let information = model.mutants.iter().find(|m| m.id == selector.id);
        let change = information.map(|m| (m.original.clone(), m.replacement.clone()));
        println!("{} {change:?}: {answer:?}", selector.id);
        if answer == Answer::Proved {
            proved.extend(change);
        }
    }
    for (original, replacement) in [("coff", "tea"), ("tea", "coff")] {
        let change = (original.to_owned(), replacement.to_owned());
        assert!(
            proved.contains(&change),
            "{change:?} is not among {proved:?}"
        );
    }
}
