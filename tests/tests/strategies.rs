//! Proofs by strategies against the oracle: what a strategy is proved to match for ever is equivalent or not definitely
//! killable, what it cannot match is not killed sooner, and for observable models it is killed just then.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hyperkill_checker::budget::Budget;
use hyperkill_checker::certify::certify_proof;
use hyperkill_checker::observable::{Observability, observability};
use hyperkill_checker::question::{Aim, Options, Preference, Question, Steered};
use hyperkill_checker::relevance::Relevance;
use hyperkill_checker::solve::{Limits, Solved, solve};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::replay;
use hyperkill_core::{ConditionalMutant, Reset};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::models::{folder, smv_model};
use hyperkill_tests::oracle::{Machine, Oracle, Word};

const PREFERENCES: [Preference; 4] = [
    Preference::Any,
    Preference::Copy,
    Preference::Lowest,
    Preference::Highest,
];

const AIMS: [Aim; 2] = [Aim::Track, Aim::Agree];

/// What a question about a strategy came to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answer {
    /// It matches for ever; the proof checks.
    Proved,
    /// It cannot match in a step with this number, from 1.
    Reached(usize),
    /// No answer; no step up to this one.
    Open(usize),
}

/// Asks, checks proofs with the certifier and replays runs.
fn ask(model: &ConditionalMutant, mutant: usize, aim: Aim, preference: Preference) -> Answer {
    let steered = Steered::new(model, mutant, aim, preference).expect("few choices");
    let question = Question::Steered(steered);
    let budget = Budget::unlimited();
    match solve(&question.pose(model), &Limits::modest(), &budget) {
        Solved::Unreachable(proof) => {
            if let Err(error) = certify_proof(model, &question, &proof, &budget) {
                panic!("{}: {question} of mutant {mutant}: {error}", model.name);
            }
            Answer::Proved
        }
        Solved::Reached(found) => {
            let runs = question.runs(model, &found).expect("runs of this question");
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

/// How often each question decided.
#[derive(Default)]
struct Count {
    asked: usize,
    proved: usize,
    /// Proved, of those that the oracle knows cannot be killed.
    provable: usize,
    open: usize,
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<(Aim, Preference), Count>,
    observable: usize,
    models: usize,
    /// Observable only if the late choices were judged by what they do, not by what computes it.
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
    fn model(&mut self, model: &ConditionalMutant) {
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
                let late = Options::of(model, Variant::Original).late;
                assert!(!truth || !late.is_empty(), "{}: is observable", model.name);
                self.too_fine += usize::from(truth);
            }
            Observability::Unsettled => {}
        }
        for mutant in 0..model.selectors.len() {
            let oracle = Oracle::new(model, mutant).expect("a tiny circuit");
            let potential = oracle.potential_kill().expect("a tiny search");
            let definite = oracle.definite_kill().expect("a tiny search");
            for aim in AIMS {
                let kill = match aim {
                    Aim::Track => potential.as_ref().map(Vec::len),
                    Aim::Agree => definite.as_ref().map(Vec::len),
                };
                for preference in PREFERENCES {
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
                            // A test makes every strategy fail; the strategy may fail sooner.
                            assert!(kill.is_none_or(|kill| steps <= kill), "{what}");
                        }
                        Answer::Open(steps) => {
                            assert!(kill.is_none_or(|kill| steps < kill), "{what}");
                            count.open += 1;
                        }
                    }
                    if said == Observability::Observable && aim == Aim::Track {
                        // One state to be in: no preference can make a difference.
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

/// Whether inputs and outputs tell the state, by enumeration: the state after a step is what the late choices can still
/// make of it. Latches that nothing visible depends on do not count.
fn is_observable(model: &ConditionalMutant, machine: &Machine) -> bool {
    let relevance = Relevance::to(model, &[Variant::Original]);
    let selectors = model.selector_of_latch();
    let hidden = (0..selectors.len()).filter(|&latch| selectors[latch].is_none());
    let visible = hidden.enumerate().fold(0, |mask, (k, latch)| {
        mask | u32::from(relevance.of_latch(latch)) << k
    });
    let options = Options::of(model, Variant::Original);
    let late = model.choice_bits().enumerate().fold(0, |mask, (k, bit)| {
        mask | Word::from(options.late.contains(&bit)) << k
    });
    // What a step shows and what can become of it, over the late choices; nothing if it does not exist.
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
    // The states that late choices may still decide among, after each history.
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
    let mut tally = Tally::default();
    for seed in 0..250 {
        tally.model(&conditional_mutant(seed, Kind::Choices));
    }
    for seed in 0..50 {
        tally.model(&conditional_mutant(seed, Kind::MutantChooses));
    }
    println!("{tally}");
    let of = |aim, preference| &tally.counts[&(aim, preference)];
    for preference in PREFERENCES {
        assert!(of(Aim::Track, preference).proved * 2 > of(Aim::Track, preference).provable);
    }
    assert!(tally.observable * 4 > tally.models);
}

/// o = nd ∧ ¬mut: the model can always copy the mutant's only output, but not by copying its choice.
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
        assert_eq!(ask(&model, 0, Aim::Track, preference), Answer::Proved);
        assert_eq!(ask(&model, 0, Aim::Agree, preference), Answer::Proved);
    }
}

/// A free latch r, shown in the second step only; the mutant shows its complement.
#[test]
fn initial_values_are_chosen_in_the_first_step() {
    let mut c = Circuit::new();
    let m = c.selector("m");
    let r = c.latch("r", Reset::Free);
    let started = c.latch("started", Reset::Zero);
    c.set_next(started, hyperkill_core::Lit::TRUE);
    let shown = c.aig.xor(r, m);
    let o = c.aig.and(shown, started);
    c.output("o", o);
    let model = c.finish("late-reset");
    // Any first choice matches, and only one of them in the second step.
    assert_eq!(
        ask(&model, 0, Aim::Track, Preference::Any),
        Answer::Reached(2)
    );
    // The same choice is the wrong one.
    assert_eq!(
        ask(&model, 0, Aim::Track, Preference::Copy),
        Answer::Reached(2)
    );
    // Two runs that agree: 0 and 1 in this order of choices; the first that match are not.
    assert_eq!(
        ask(&model, 0, Aim::Agree, Preference::Lowest),
        Answer::Reached(2)
    );
}

#[test]
fn the_beverage_machine_that_always_serves_tea_is_proved_equivalent() {
    let beverage = smv_model(&folder().join("smv/beverage"));
    let model = &beverage.system;
    let budget = Budget::unlimited();
    assert_eq!(observability(model, &budget), Observability::Observable);
    let mut proved = Vec::new();
    for (mutant, selector) in model.selectors.iter().enumerate() {
        let answer = ask(model, mutant, Aim::Track, Preference::Any);
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
