//! Questions to engines, compared with the formulas that they implement.
//!
//! φ1 to φ4 are formulas; most questions to engines are hand-written circuits. This test lists all traces of small random models, and the
//! reference evaluator of `formulas` computes the lengths at which a formula holds. Bounded search computes the number of steps in which
//! a question is reached. The two do not share code. Faults planted in the circuits must be noticed. `formula_questions` and
//! `formula_searches` contain the comparisons.

use hyperkill_checker::engines::bmc::{Bmc, Depth};
use hyperkill_checker::question::Reachability;
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{Fault, plant};
use hyperkill_formulas::semantics::{TraceView, holds_on_finite_traces};
use hyperkill_formulas::{Formula, killing};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Oracle, Stimulus, Word};
use hyperkill_tests::unstructured::cases;

const KINDS: [Kind; 4] = [
    Kind::Small,
    Kind::Deterministic,
    Kind::Choices,
    Kind::MutantChooses,
];

/// The default number of models in each test.
pub(crate) const MODELS: u64 = 160;
/// The number of models after which a planted fault must have been noticed.
pub(crate) const PATIENCE: u64 = 1_500;
/// The length of the longest traces.
pub(crate) const LONGEST: usize = 4;
/// The largest number of input sequences of one length.
const SEQUENCES: usize = 256;
/// The largest number of assignments of traces to the variables of a formula, at one length.
pub(crate) const WORK: usize = 30_000;

/// A trace, reduced to the values in killing formulas.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) is_mutant: bool,
    pub(crate) inputs: Vec<Word>,
    pub(crate) outputs: Vec<Word>,
}

impl TraceView for Run {
    fn steps(&self) -> usize {
        self.inputs.len()
    }

    fn is_mutant(&self) -> bool {
        self.is_mutant
    }

    fn value(&self, _: usize, _: &str) -> Option<Value> {
        None
    }

    fn inputs(&self, step: usize) -> Vec<Value> {
        vec![Value::Int(self.inputs[step] as i64)]
    }

    fn outputs(&self, step: usize) -> Vec<Value> {
        vec![Value::Int(self.outputs[step] as i64)]
    }
}

pub(crate) fn holds(formula: &Formula, traces: &[Run]) -> bool {
    holds_on_finite_traces(formula, traces).expect("traces of one length, and only their atoms")
}

/// Returns all sequences of this length over this many letters; `None` if there are too many.
pub(crate) fn sequences(letters: usize, length: usize) -> Option<Vec<Stimulus>> {
    let count = letters.checked_pow(length as u32)?;
    let letter = |number: usize, step: usize| (number / letters.pow(step as u32) % letters) as Word;
    let sequence = |number| (0..length).map(|step| letter(number, step)).collect();
    (count <= SEQUENCES).then(|| (0..count).map(sequence).collect())
}

pub(crate) fn formulas() -> [Formula; 4] {
    [
        killing::phi1(),
        killing::phi2(),
        killing::phi3(),
        killing::phi4(),
    ]
}

/// Estimates the number of assignments of traces that the evaluation of a killing formula examines. Half of the traces belong to the
/// model, and an existential trace of the wrong side is rejected at once.
pub(crate) fn work(formula: &Formula, traces: usize) -> usize {
    traces.pow(2) + (traces / 2).pow(formula.prefix.len() as u32)
}

/// A mutant of a model, with the lengths at which the four formulas hold.
pub(crate) struct Case<'a> {
    pub(crate) model: &'a ConditionalMutant,
    pub(crate) mutant: SelectorId,
    pub(crate) oracle: Oracle,
    /// For each of φ1 to φ4: the least length at which it holds, if known, and the length up to which that is known.
    known: [(Option<usize>, usize); 4],
}

/// A difference between the engines and a formula, in words.
pub(crate) type Discrepancy = String;

/// The numbers of unreached and of reached questions.
pub(crate) type Seen = [usize; 2];

impl<'a> Case<'a> {
    fn new(model: &'a ConditionalMutant, mutant: SelectorId) -> Case<'a> {
        let mut case = Case {
            model,
            mutant,
            oracle: Oracle::new(model, mutant).expect("a tiny circuit"),
            known: [(None, 0); 4],
        };
        for length in 1..=LONGEST {
            let letters = 1 << case.oracle.original.input_bits();
            let Some(sequences) = sequences(letters, length) else {
                break;
            };
            let sets = sequences.iter().map(|inputs| traces(&case.oracle, inputs));
            let sets: Vec<Vec<Run>> = sets.collect();
            for (formula, (least, known_to)) in formulas().iter().zip(&mut case.known) {
                let work: usize = sets.iter().map(|set| work(formula, set.len())).sum();
                if work <= WORK && *known_to + 1 == length {
                    *known_to = length;
                    let now = || sets.iter().any(|set| holds(formula, set));
                    *least = least.or_else(|| now().then_some(length));
                }
            }
        }
        case
    }

    /// Compares a search that must reach its goal exactly if the formula with this number (1 for φ1) holds. `steps` receives the bound of
    /// the search and returns the steps to the goal.
    pub(crate) fn same(
        &self,
        what: &str,
        formula: usize,
        seen: &mut Seen,
        steps: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<(), Discrepancy> {
        self.compare(what, formula, seen, steps, |steps, least| steps == least)
    }

    /// Compares a search that must reach its goal if the formula with this number (1 for φ1) holds, and may reach it otherwise.
    pub(crate) fn implied(
        &self,
        what: &str,
        formula: usize,
        seen: &mut Seen,
        steps: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<(), Discrepancy> {
        self.compare(what, formula, seen, steps, |steps, least| {
            least.is_none_or(|least| steps.is_some_and(|steps| steps <= least))
        })
    }

    fn compare(
        &self,
        what: &str,
        formula: usize,
        seen: &mut Seen,
        steps: impl FnOnce(usize) -> Option<usize>,
        is_right: impl FnOnce(Option<usize>, Option<usize>) -> bool,
    ) -> Result<(), Discrepancy> {
        let (least, known_to) = self.known[formula - 1];
        let steps = steps(known_to).filter(|&steps| steps <= known_to);
        if known_to > 0 {
            seen[usize::from(steps.is_some())] += 1;
        }
        match is_right(steps, least) {
            true => Ok(()),
            false => Err(format!(
                "{}, mutant {}: {what} is reached in {steps:?} steps, but φ{formula} holds from {least:?} on, of lengths up to {known_to}",
                self.model.name, self.mutant
            )),
        }
    }
}

/// Returns a search: given a bound, it finds the least number of steps in which the goal is reached.
pub(crate) fn reached(question: &Reachability) -> impl FnOnce(usize) -> Option<usize> + '_ {
    move |most| {
        let mut search = Bmc::new(question);
        (1..=most).find(|_| match search.deepen(None, &Budget::unlimited()) {
            Depth::Reached(_) => true,
            Depth::Refuted => false,
            Depth::Undecided(stop) => panic!("{stop:?}"),
        })
    }
}

/// Returns all traces of both sides under these inputs.
pub(crate) fn traces(oracle: &Oracle, inputs: &[Word]) -> Vec<Run> {
    let responses = oracle.responses(inputs);
    let of = |is_mutant: bool, outputs: Vec<Word>| Run {
        is_mutant,
        inputs: inputs.to_vec(),
        outputs,
    };
    let original = responses.original.into_iter().map(|o| of(false, o));
    let mutant = responses.mutant.into_iter().map(|o| of(true, o));
    original.chain(mutant).collect()
}

/// Checks models of all kinds until one fails. Returns the numbers of comparisons by result.
pub(crate) fn compare(
    models: u64,
    check: impl Fn(&Case<'_>, &mut Seen) -> Result<(), Discrepancy>,
) -> Result<Seen, Discrepancy> {
    let mut seen = [0; 2];
    for seed in 0..models {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for mutant in model.selector_ids() {
            check(&Case::new(&model, mutant), &mut seen)?;
        }
    }
    Ok(seen)
}

/// Asserts that the comparison succeeds, with at least `least` of both answers, and fails with each of these faults. Returns the counts as
/// text.
pub(crate) fn holds_and_would_notice(
    mistakes: &[Fault],
    least: usize,
    check: impl Fn(&Case<'_>, &mut Seen) -> Result<(), Discrepancy>,
) -> String {
    let models = cases(MODELS);
    let seen = compare(models, &check).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut summary = format!("{models} models: [not reached, reached] {seen:?}");
    assert!(
        models < MODELS || seen.iter().all(|&count| count >= least),
        "{seen:?}"
    );
    for &mistake in mistakes {
        plant(Some(mistake));
        let noticed = compare(PATIENCE, &check);
        plant(None);
        assert!(noticed.is_err(), "{mistake:?} goes unnoticed: {noticed:?}");
        summary += &format!("\n{mistake:?}: {noticed:?}");
    }
    summary
}

#[test]
fn a_killing_formula_holds_of_all_traces_iff_it_holds_of_those_of_some_inputs() {
    let mut seen = [0; 2];
    for seed in 0..cases(MODELS) {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for mutant in model.selector_ids() {
            let oracle = Oracle::new(&model, mutant).expect("a tiny circuit");
            for length in 1..=2 {
                let inputs = sequences(1 << oracle.original.input_bits(), length);
                let parts: Vec<Vec<Run>> = inputs
                    .into_iter()
                    .flatten()
                    .map(|inputs| traces(&oracle, &inputs))
                    .collect();
                let all = parts.concat();
                if all.len() > 24 {
                    continue;
                }
                for formula in formulas() {
                    let whole = holds(&formula, &all);
                    let some = parts.iter().any(|part| holds(&formula, part));
                    assert_eq!(whole, some, "seed {seed}, mutant {mutant}: {formula}");
                    seen[usize::from(whole)] += 1;
                }
            }
        }
    }
    println!("[fails, holds] {seen:?}");
}
