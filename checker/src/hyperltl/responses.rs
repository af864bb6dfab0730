//! One alternation over infinite traces: existential traces against responses of the universal ones (semantics.md §6.10).
//!
//! Candidates are lassos that no response known so far refutes; each candidate is asked for universal traces that refute it. If there are
//! none the formula holds, and the candidate with the proof of that shows it. Otherwise the lasso found is one response more. If no
//! candidate is left, the responses refute all traces, and the formula fails. Both questions are about existential traces only and are
//! answered completely; the loop between them need not end.
//!
//! The first responses copy the choices of an existential trace, or follow all others step by step; those found are fixed traces, but for
//! inputs that the formula's premise gives them. A response that breaks a constraint of the model at some step refutes nothing.

use hyperkill_certify::{CertifyError, Witness, certify_inclusion, certify_infinite};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::answer::{Beyond, Refutation};
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_formulas::compose::ComposeError;
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::strategy::StrategyError;
use hyperkill_formulas::{Alternation, Formula, Inner, Joint, Response, Strategy};

use super::fair::{Fair, find_fair_run};
use super::general;
use super::inclusion::{self, Included};
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::formula_efforts::{
    GATES_ASKED_ALONE, RESPONSES, RESPONSES_ASKED_ALONE, TURNS_OF_RESPONSES, WAYS_TO_COPY_FIRST,
};
use crate::schedule::formulas::Options as FormulaOptions;
use crate::schedule::reachability::Options;

/// Decides a formula ∃*∀*.
///
/// # Errors
/// If it speaks of what the model does not have, or evidence does not check.
pub(super) fn decide_alternating(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let duel = Duel::new(model, mutant, formula)?;
    // Few responses decide most formulas, of any model; listing decides all of small ones.
    let few = Options {
        turns: Some(
            options
                .turns
                .unwrap_or(TURNS_OF_RESPONSES)
                .min(TURNS_OF_RESPONSES),
        ),
        ..*options
    };
    let mut responses = duel.ways_to_copy();
    let first = duel.exchange(&mut responses, &few, budget)?;
    if first.shown.is_some() || budget.stopped().is_some() {
        return Ok(first);
    }
    if let Some(decided) = duel.listed(options, budget)? {
        return Ok(decided);
    }
    match options
        .turns
        .is_some_and(|turns| turns <= TURNS_OF_RESPONSES)
    {
        true => Ok(first),
        false => duel.exchange(&mut responses, options, budget),
    }
}

/// What comes of a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Played {
    /// It wins, which decides the formula; or what limits left open.
    Decided(Decided),
    /// It loses against these traces. That decides nothing.
    Loses(Witness),
}

/// Decides a formula with one alternation by a strategy for the traces of its `exists`, read from the file of the user's: it answers
/// the traces of a leading `forall`, or gives the leading traces without reading anything.
///
/// # Errors
/// If the formula has another prefix, or the file is no strategy for it; if evidence does not check.
pub fn decide_by_strategy(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    file: &[u8],
    options: &FormulaOptions,
    budget: &Budget,
) -> Result<Played, StrategyFailure> {
    let asked = formula.as_asked();
    if Fragment::of(&asked) != Fragment::ExistsForall {
        let why = "a strategy is about one alternation between `exists` and `forall`";
        return Err(FormulaError::Undecided(why).into());
    }
    let options = &super::general_options(options);
    let duel = Duel::new(model, mutant, &asked).map_err(FormulaError::from)?;
    let (traces, leading) = (asked.prefix.len(), duel.0.existential);
    if formula.begins_with_forall() {
        let strategy = Strategy::read(file, model, traces, &duel.0.universal())?;
        let mut responses = vec![Response::Circuit(strategy.to_text())];
        let joint = duel.0.against(&responses).map_err(FormulaError::from)?;
        let found = find_fair_run(&joint.fair_runs(), options, budget);
        return Ok(match found.map_err(FormulaError::from)? {
            Fair::Lasso { run, back } => Played::Loses(duel.candidate(&joint, &run, back)),
            Fair::None(exclusion) => Played::Decided(Decided {
                truth: Truth::Holds,
                shown: Some(Shown::Refuted(Box::new(Refutation {
                    responses: std::mem::take(&mut responses),
                    exclusion,
                }))),
            }),
            Fair::Open { known_to, reason } => Played::Decided(open(known_to, reason)),
        });
    }
    let strategy = Strategy::read(file, model, traces, &(0..leading))?;
    let specs = duel.0.specs[..leading].iter();
    let variants: Vec<Variant> = specs.map(|spec| spec.variant).collect();
    let Some((runs, back)) = strategy.traces(model, &variants) else {
        let why = "leading traces are given by a strategy that reads nothing and comes back soon";
        return Err(FormulaError::Undecided(why).into());
    };
    let candidate = Witness {
        variants,
        decided: runs.first().map_or(1, |run| run.steps.len()),
        runs,
        beyond: Beyond::Loop(back),
    };
    let tested = duel.put_to_the_test(candidate.clone(), options, budget);
    match tested {
        Ok(Ok(_)) => Ok(Played::Loses(candidate)),
        Ok(Err(decided)) => Ok(Played::Decided(decided)),
        // What a user gives need not be a run.
        Err(FormulaError::Evidence(CertifyError::Witness(_))) => Ok(Played::Loses(candidate)),
        Err(error) => Err(error.into()),
    }
}

/// Why a strategy decides nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StrategyFailure {
    /// The formula.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The file.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
}

/// Decides a formula ∃*∀* of a model whose states can be listed.
///
/// # Errors
/// As [`decide_alternating`].
pub(super) fn decide_by_listing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Decided>, FormulaError> {
    let listed = Duel::new(model, mutant, formula)?.listed(options, budget)?;
    Ok(listed.filter(|decided| decided.shown.is_some()))
}

fn open(known_to: usize, reason: Stop) -> Decided {
    Decided {
        truth: Truth::Unknown {
            known_to,
            reason: reason.into(),
        },
        shown: None,
    }
}

/// A formula ∃*∀* over a model.
struct Duel<'a>(Alternation<'a>);

impl<'a> Duel<'a> {
    fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &'a Formula,
    ) -> Result<Duel<'a>, ComposeError> {
        let mut asked = Alternation::new(model, mutant, formula)?;
        asked.constraints_bind = !planted(Fault::EndingResponse);
        Ok(Duel(asked))
    }

    /// Universal traces that refute a candidate.
    fn responding_to(&self, candidate: &Witness) -> Result<Joint, ComposeError> {
        let given = (&candidate.runs[..], &candidate.variants[..]);
        let back = candidate.back().unwrap_or(0);
        let asked = &self.0;
        if planted(Fault::ChoicesOfCandidate) {
            let mut asked = asked.clone();
            for spec in &mut asked.specs[asked.existential..] {
                spec.choices_of = Some(0);
            }
            return asked.responding_to(given, back);
        }
        asked.responding_to(given, back)
    }

    /// Candidates and responses in turns.
    fn exchange(
        &self,
        responses: &mut Vec<Response>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Decided, FormulaError> {
        // Whoever limits turns wants an answer soon.
        let most = |turns: u32| RESPONSES.min(8 + 2 * turns as usize);
        let most = options.turns.map_or(RESPONSES, most);
        while responses.len() < most {
            let joint = self.0.against(responses)?;
            let (run, back) = match find_fair_run(&joint.fair_runs(), options, budget)? {
                Fair::Lasso { run, back } => (run, back),
                Fair::None(exclusion) => {
                    let responses = std::mem::take(responses);
                    let refutation = match self.alone(&responses, budget)? {
                        Some(refutation) => refutation,
                        None => Refutation {
                            responses,
                            exclusion,
                        },
                    };
                    return Ok(Decided {
                        truth: Truth::Fails,
                        shown: Some(Shown::Refuted(Box::new(refutation))),
                    });
                }
                Fair::Open { known_to, reason } => return Ok(open(known_to, reason)),
            };
            let candidate = self.candidate(&joint, &run, back);
            match self.put_to_the_test(candidate, options, budget)? {
                Ok(response) => responses.push(response),
                Err(decided) => return Ok(decided),
            }
        }
        Ok(open(0, Stop::Engines))
    }

    /// One of several responses that does what they do together, if that is soon seen: a strategy, and shorter evidence.
    fn alone(
        &self,
        responses: &[Response],
        budget: &Budget,
    ) -> Result<Option<Refutation>, FormulaError> {
        let is_small = self.0.model.aig.gate_count() <= GATES_ASKED_ALONE;
        if responses.len() < 2 || responses.len() > RESPONSES_ASKED_ALONE || !is_small {
            return Ok(None);
        }
        let soon = Options {
            turns: Some(1),
            merging: &[],
            ..Options::SAFETY
        };
        for response in responses.iter().rev() {
            let one = std::slice::from_ref(response);
            let joint = self.0.against(one)?;
            if let Fair::None(exclusion) = find_fair_run(&joint.fair_runs(), &soon, budget)? {
                return Ok(Some(Refutation {
                    responses: one.to_vec(),
                    exclusion,
                }));
            }
        }
        Ok(None)
    }

    /// A response that refutes a candidate; else what is known of the formula.
    fn put_to_the_test(
        &self,
        candidate: Witness,
        options: &Options,
        budget: &Budget,
    ) -> Result<Result<Response, Decided>, FormulaError> {
        certify_infinite(self.0.model, self.0.mutant, self.0.formula, &candidate)
            .map_err(FormulaError::Evidence)?;
        let inner = self.responding_to(&candidate)?;
        Ok(match find_fair_run(&inner.fair_runs(), options, budget)? {
            Fair::None(exclusion) => Err(Decided {
                truth: Truth::Holds,
                shown: Some(Shown::Withstood(Box::new((candidate, exclusion)))),
            }),
            Fair::Lasso { run, back } => Ok(self.response(&inner, &run, back)),
            Fair::Open { known_to, reason } => Err(open(known_to, reason)),
        })
    }

    /// The answer for a model whose states can be listed.
    fn listed(&self, options: &Options, budget: &Budget) -> Result<Option<Decided>, FormulaError> {
        let mutant = self.0.mutant;
        if !options.engines.explicit {
            return Ok(None);
        }
        let question = Inner::new(self.0.model, mutant, self.0.formula)?;
        match inclusion::decide(&question, budget) {
            Ok(Included::All(shown)) => {
                let checked =
                    certify_inclusion(self.0.model, mutant, self.0.formula, &shown, budget);
                match checked {
                    Ok(()) => Ok(Some(Decided {
                        truth: Truth::Fails,
                        shown: Some(Shown::Included(Box::new(shown))),
                    })),
                    Err(CertifyError::Stopped(stop)) => Ok(Some(open(0, stop))),
                    Err(error) => Err(FormulaError::Evidence(error)),
                }
            }
            Ok(Included::Candidate { run, back }) => {
                let candidate = self.candidate(&question.joint, &run, back);
                let tested = self.put_to_the_test(candidate, options, budget)?;
                Ok(tested.err())
            }
            Ok(Included::TooLarge) => Ok(None),
            Err(stop) => Ok(Some(open(0, stop))),
        }
    }

    /// For each universal trace one that it copies, those of its own variant first.
    fn ways_to_copy(&self) -> Vec<Response> {
        if self.0.existential == 0 {
            return Vec::new();
        }
        let mut ways = vec![Vec::new()];
        for universal in self.0.universal() {
            let mut whose: Vec<usize> = (0..self.0.existential).collect();
            let variant = |trace: usize| self.0.specs[trace].variant;
            whose.sort_by_key(|&trace| variant(trace) != variant(universal));
            ways = (whose.iter())
                .flat_map(|&of| {
                    ways.iter().map(move |way: &Vec<usize>| {
                        let mut way = way.clone();
                        way.push(of);
                        way
                    })
                })
                .take(WAYS_TO_COPY_FIRST)
                .collect();
        }
        let ways = ways.into_iter().map(Response::Copies);
        let follows = self.0.can_follow().then_some(Response::Follows);
        ways.chain(follows).collect()
    }

    /// The existential traces of a run.
    fn candidate(&self, joint: &Joint, run: &Stimulus, back: usize) -> Witness {
        let mut alone = joint.clone();
        alone.traces.truncate(self.0.existential);
        alone.specs.truncate(self.0.existential);
        general::witness(self.0.model, self.0.formula, &alone, run, back)
    }

    fn response(&self, inner: &Joint, run: &Stimulus, back: usize) -> Response {
        let runs = self.0.universal().map(|copy| inner.run_of(copy, run));
        Response::Traces {
            runs: runs.collect(),
            back,
        }
    }
}
