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
use hyperkill_core::product::{CopySpec, Variant};
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_formulas::ast::{Ltl, Quantifier};
use hyperkill_formulas::compose::ComposeError;
use hyperkill_formulas::joint::{Driven, Question};
use hyperkill_formulas::monitor::Temporal;
use hyperkill_formulas::{Formula, Inner, Joint, TraceVar};

use super::fair::{Exclusion, Fair, find_fair_run};
use super::general;
use super::inclusion::{self, Included};
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::reachability::Options;

/// Responses that are collected, at most.
const MOST: usize = 64;
/// Ways to copy that are tried first, at most.
const WAYS: usize = 8;

/// Bits of inputs that may be chosen step by step: all their values are tried, at two steps.
const CHOSEN: usize = 5;
/// Gates of the circuits that are made for that, at most.
const TRIED: usize = 1 << 20;

/// What the universal traces do, as an answer to all existential ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// Each copies the choices of an existential trace, by its number in the prefix.
    Copies(Vec<usize>),
    /// At each step the first values of their inputs with which what they must keep holds now, and can be kept at the next step: a strategy
    /// that sees the past and the present of all other traces.
    Follows,
    /// Fixed traces, whose loop begins at a step.
    Traces {
        /// Free initial values and inputs of each.
        runs: Vec<Stimulus>,
        /// The first step of the loop.
        back: usize,
    },
}

/// That no existential traces withstand these responses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The responses, of which for each choice of existential traces one refutes it.
    pub responses: Vec<Response>,
    /// Why no traces withstand them all.
    pub exclusion: Exclusion,
}

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
        turns: Some(options.turns.unwrap_or(FIRST_TURNS).min(FIRST_TURNS)),
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
    match options.turns.is_some_and(|turns| turns <= FIRST_TURNS) {
        true => Ok(first),
        false => duel.exchange(&mut responses, options, budget),
    }
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

/// Turns that responses have before the states of a small model are listed.
const FIRST_TURNS: u32 = 2;

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
pub(super) struct Duel<'a> {
    model: &'a ConditionalMutant,
    mutant: SelectorId,
    formula: &'a Formula,
    specs: Vec<CopySpec>,
    /// How many traces are existential; they come first.
    existential: usize,
}

impl<'a> Duel<'a> {
    pub(super) fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &'a Formula,
    ) -> Result<Duel<'a>, ComposeError> {
        let prefix = formula.prefix.iter();
        Ok(Duel {
            model,
            mutant,
            specs: Joint::specifications(model, mutant, formula)?,
            existential: prefix.take_while(|(q, _)| *q == Quantifier::Exists).count(),
            formula,
        })
    }

    /// Candidates and responses in turns.
    fn exchange(
        &self,
        responses: &mut Vec<Response>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Decided, FormulaError> {
        // Whoever limits turns wants an answer soon.
        let most = |turns: u32| MOST.min(8 + 2 * turns as usize);
        let most = options.turns.map_or(MOST, most);
        while responses.len() < most {
            let joint = self.against(responses)?;
            let (run, back) = match find_fair_run(&joint.fair_runs(), options, budget)? {
                Fair::Lasso { run, back } => (run, back),
                Fair::None(exclusion) => {
                    let refutation = Refutation {
                        responses: std::mem::take(responses),
                        exclusion,
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

    /// A response that refutes a candidate; else what is known of the formula.
    fn put_to_the_test(
        &self,
        candidate: Witness,
        options: &Options,
        budget: &Budget,
    ) -> Result<Result<Response, Decided>, FormulaError> {
        certify_infinite(self.model, self.mutant, self.formula, &candidate)
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
        let mutant = self.mutant;
        if !options.engines.explicit {
            return Ok(None);
        }
        let question = Inner::new(self.model, mutant, self.formula)?;
        match inclusion::decide(&question, budget) {
            Ok(Included::All(shown)) => {
                let checked = certify_inclusion(self.model, mutant, self.formula, &shown, budget);
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

    /// How many traces are existential.
    pub(super) fn leading(&self) -> usize {
        self.existential
    }

    /// How many traces are universal.
    pub(super) fn answering(&self) -> usize {
        self.universal().len()
    }

    fn universal(&self) -> std::ops::Range<usize> {
        self.existential..self.formula.prefix.len()
    }

    /// For each universal trace one that it copies, those of its own variant first.
    fn ways_to_copy(&self) -> Vec<Response> {
        if self.existential == 0 {
            return Vec::new();
        }
        let mut ways = vec![Vec::new()];
        for universal in self.universal() {
            let mut whose: Vec<usize> = (0..self.existential).collect();
            let variant = |trace: usize| self.specs[trace].variant;
            whose.sort_by_key(|&trace| variant(trace) != variant(universal));
            ways = (whose.iter())
                .flat_map(|&of| {
                    ways.iter().map(move |way: &Vec<usize>| {
                        let mut way = way.clone();
                        way.push(of);
                        way
                    })
                })
                .take(WAYS)
                .collect();
        }
        let ways = ways.into_iter().map(Response::Copies);
        let follows = self.can_follow().then_some(Response::Follows);
        ways.chain(follows).collect()
    }

    /// Whether all values of the universal traces' own inputs can be tried.
    pub(super) fn can_follow(&self) -> bool {
        let model = self.model;
        let own = self
            .universal()
            .map(|trace| match self.specs[trace].inputs_of {
                Some(_) => model.choice_bits().count(),
                None => model.aig.inputs().len(),
            });
        let own: usize = own.sum();
        (1..=CHOSEN).contains(&own) && model.aig.gate_count() << (2 * own) <= TRIED
    }

    /// Existential traces that none of these responses refutes.
    pub(super) fn against(&self, responses: &[Response]) -> Result<Joint, ComposeError> {
        let prefix = &self.formula.prefix;
        let mut traces: Vec<TraceVar> = (prefix[..self.existential].iter())
            .map(|(_, trace)| trace.clone())
            .collect();
        let mut specs = self.specs[..self.existential].to_vec();
        let mut bodies = Vec::new();
        for (number, response) in responses.iter().enumerate() {
            let first = specs.len();
            let place = |trace: usize| match trace.checked_sub(self.existential) {
                Some(universal) => first + universal,
                None => trace,
            };
            for (offset, trace) in self.universal().enumerate() {
                let own = self.specs[trace];
                let copied = match response {
                    Response::Copies(whose) => Some(whose[offset]),
                    Response::Traces { .. } | Response::Follows => None,
                };
                specs.push(CopySpec {
                    variant: own.variant,
                    inputs_of: own.inputs_of.map(place).or(copied),
                    choices_of: copied,
                });
                traces.push(numbered(&prefix[trace].1, number));
            }
            let body = self.formula.body.renamed(&|trace| {
                let position = self.formula.position(trace);
                match position.is_some_and(|position| position >= self.existential) {
                    true => numbered(trace, number),
                    false => trace.clone(),
                }
            });
            bodies.push((first, body));
        }
        let said = Ltl::and(bodies.iter().map(|(_, body)| body.clone()));
        let mut question = Question::new(self.model, specs.clone(), traces, &said)?;
        for ((first, body), response) in bodies.iter().zip(responses) {
            if let Response::Follows = response {
                self.follow(&mut question, *first, body)?;
            }
            if let Response::Traces { runs, back } = response {
                let copies: Vec<usize> = (*first..first + runs.len()).collect();
                let driven: Vec<Driven> = (runs.iter().zip(&copies))
                    .map(|(run, &copy)| driven(self.model, specs[copy], run))
                    .collect();
                question.drive(&copies, &driven, *back);
            }
        }
        let valid: Vec<Lit> = (0..self.existential)
            .map(|copy| question.product.copies[copy].valid)
            .collect();
        question.always(&valid);
        for (first, body) in &bodies {
            let own = *first..first + self.universal().len();
            let broken: Vec<Temporal> = (own.map(|copy| question.product.copies[copy].valid))
                .filter(|lit| !valid.contains(lit))
                .map(|lit| Temporal::Now(!lit).finally())
                .filter(|broken| *broken != Temporal::Now(Lit::FALSE).finally())
                .collect();
            let body = question.temporal(body, true)?;
            let broken = match planted(Fault::EndingResponse) {
                true => Vec::new(),
                false => broken,
            };
            let withstood = Temporal::or(broken.into_iter().chain([body]));
            question.require(&withstood);
        }
        Ok(question.finish())
    }

    /// Makes the copies from `first` on follow the others: they choose what keeps the invariants of what they want, and their constraints.
    fn follow(
        &self,
        question: &mut Question<'_>,
        first: usize,
        body: &Ltl,
    ) -> Result<(), ComposeError> {
        let copies: Vec<usize> = (first..first + self.universal().len()).collect();
        let chosen = question.own_inputs(&copies);
        if chosen.is_empty() || chosen.len() > CHOSEN {
            // Nothing is left to choose; the copies are runs all the same.
            return Ok(());
        }
        let mut wish = question.temporal(body, false)?.invariants();
        wish.extend(
            copies
                .iter()
                .map(|&copy| question.product.copies[copy].valid),
        );
        let wish = question.product.aig.and_all(&wish);
        question.choose(&chosen, wish);
        Ok(())
    }

    /// The existential traces of a run.
    fn candidate(&self, joint: &Joint, run: &Stimulus, back: usize) -> Witness {
        let mut alone = joint.clone();
        alone.traces.truncate(self.existential);
        alone.specs.truncate(self.existential);
        general::witness(self.model, self.formula, &alone, run, back)
    }

    /// Universal traces that refute a candidate.
    pub(super) fn responding_to(&self, candidate: &Witness) -> Result<Joint, ComposeError> {
        let traces = self.formula.prefix.iter();
        let traces: Vec<TraceVar> = traces.map(|(_, trace)| trace.clone()).collect();
        let body = &self.formula.body;
        let mut specs = self.specs.clone();
        if planted(Fault::ChoicesOfCandidate) {
            for spec in &mut specs[self.existential..] {
                spec.choices_of = Some(0);
            }
        }
        let mut question = Question::new(self.model, specs, traces, body)?;
        let copies: Vec<usize> = (0..self.existential).collect();
        let back = super::loop_of(candidate);
        let driven: Vec<Driven> = (candidate.runs.iter().zip(&candidate.variants))
            .map(|(run, &variant)| Driven {
                drives_all: true,
                ..driven(self.model, CopySpec::alone(variant), run)
            })
            .collect();
        question.drive(&copies, &driven, back);
        let valid: Vec<Lit> = (self.universal())
            .map(|copy| question.product.copies[copy].valid)
            .collect();
        question.always(&valid);
        let refuted = question.temporal(body, false)?;
        question.require(&refuted);
        Ok(question.finish())
    }

    fn response(&self, inner: &Joint, run: &Stimulus, back: usize) -> Response {
        let runs = self.universal().map(|copy| inner.run_of(copy, run));
        Response::Traces {
            runs: runs.collect(),
            back,
        }
    }
}

/// A run as values for copies: step by step its inputs, and its state before each.
fn driven(model: &ConditionalMutant, spec: CopySpec, run: &Stimulus) -> Driven {
    let variant: Variant = spec.variant;
    let states = replay(model, variant, run).map(|trace| trace.states);
    Driven {
        inputs: run.steps.clone(),
        states: states.unwrap_or_else(|_| vec![run.initial.clone(); run.steps.len()]),
        drives_all: false,
    }
}

/// The variable of a response's trace.
fn numbered(trace: &TraceVar, response: usize) -> TraceVar {
    TraceVar::new(format!("{trace}#{response}"))
}
