//! One alternation: existential traces against responses of the universal ones (semantics.md §6.10).
//!
//! A candidate is a lasso, or finite traces, that no known response refutes. For each candidate, universal traces that refute it are
//! searched. If there are none, the formula holds; the candidate and the proof are the evidence. Otherwise the traces found become a
//! further response. If no candidate is left, the responses refute all existential traces, and the formula fails. Both questions have
//! existential traces only and are answered completely; the loop between them need not terminate.
//!
//! The first responses copy the choices of an existential trace, or follow all other traces step by step. Later responses are fixed traces,
//! except for inputs that the formula's premise determines. A response that breaks a constraint of the model at some step refutes nothing.

use hyperkill_certify::{
    CertifyError, Witness, certify_ending, certify_inclusion, certify_infinite,
};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::answer::{Beyond, Refutation};
use hyperkill_evidence::fault::{Fault, planted};
use hyperkill_formulas::compose::ComposeError;
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::strategy::StrategyError;
use hyperkill_formulas::{Alternation, Formula, Inner, Joint, Response, Strategy, Traces};

use super::fair::{Fair, find_fair_run};
use super::general;
use super::inclusion::{self, Included, Listed};
use super::subject::Subject;
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::formula_efforts::{
    END_OF_FINITE_TRACES, GATES_ASKED_ALONE, Game, Listing, RESPONSES_ASKED_ALONE,
    WAYS_TO_COPY_FIRST,
};
use crate::schedule::formulas::{Options as FormulaOptions, Steering};
use crate::schedule::reachability::Options;

/// The work on a formula with an alternation: responses, that is, rules for the universal traces that refute some existential ones.
pub(super) struct Responding<'a> {
    duel: Duel<'a>,
    responses: Vec<Response>,
    /// Existential traces that no known response refutes (a candidate). Their refutation by other universal traces is not searched yet.
    candidate: Option<Witness>,
    /// The question about inclusion of automata, built at first use.
    question: Option<Inner>,
    listed: Option<Listed>,
    /// Whether all runs within the bound have been searched, so that more bounded search finds nothing.
    is_searched: bool,
    /// Whether the inclusion of automata has been decided. If its candidate stays open, other steps continue.
    is_included: bool,
}

impl<'a> Responding<'a> {
    /// Returns work that has not started.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub(super) fn new(asked: &'a Subject<'a>) -> Result<Responding<'a>, ComposeError> {
        let Subject {
            model,
            mutant,
            ref formula,
            kind,
            ..
        } = *asked;
        let duel = Duel::new(model, mutant, formula, kind.traces)?;
        Ok(Responding {
            responses: duel.ways_to_copy(),
            duel,
            candidate: None,
            question: None,
            listed: None,
            is_searched: false,
            is_included: false,
        })
    }

    /// Whether all existential traces within the bound have been searched: longer ones are no answers.
    pub(super) fn is_searched(&self) -> bool {
        self.is_searched
    }

    /// Records that a question about infinite runs is open at length `known_to`, which may be the bound.
    fn note_open(&mut self, known_to: usize, options: &Options) {
        self.is_searched = options.bound.is_some_and(|bound| known_to >= bound);
    }

    /// Returns the options of the search for candidates. The bound is about their steps; finite ones are runs with some steps more.
    fn of_candidates(&self, options: &Options) -> Options {
        let more = match self.duel.0.traces {
            Traces::Finite => END_OF_FINITE_TRACES + self.duel.0.formula.body.past_depth(),
            Traces::Infinite => 0,
        };
        Options {
            bound: options.bound.map(|bound| bound.saturating_add(more)),
            ..*options
        }
    }

    /// Whether states are still to be listed for the inclusion of automata.
    pub(super) fn may_list(&self) -> bool {
        self.listed.is_none() && !self.is_included
    }

    /// Whether states are listed, so that the inclusion of automata may decide.
    pub(super) fn may_include(&self) -> bool {
        self.listed.is_some()
    }

    /// Searches candidates and responses alternately. Returns the answer to the formula; `None` if a limit came first.
    ///
    /// # Errors
    /// If evidence does not check.
    pub(super) fn steer(
        &mut self,
        steering: &Steering,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        let options = &self.of_candidates(&steering.reachability);
        let of_answers = &of_answers(&steering.reachability);
        loop {
            if let Some(candidate) = self.candidate.take() {
                let tested = self
                    .duel
                    .put_to_the_test(candidate.clone(), of_answers, budget)?;
                match tested {
                    Ok(response) => self.responses.push(response),
                    Err(Decided {
                        truth: Truth::Unknown { known_to, .. },
                        ..
                    }) => {
                        self.candidate = Some(candidate);
                        self.note_open(known_to, of_answers);
                        return Ok(None);
                    }
                    Err(decided) => return Ok(Some(decided)),
                }
            }
            if self.responses.len() >= steering.responses {
                return Ok(None);
            }
            let joint = self.duel.0.against(&self.responses)?;
            match find_fair_run(&joint.fair_runs(), options, budget)? {
                Fair::Lasso { run, back } => {
                    let most = steering.reachability.bound;
                    self.candidate = Some(self.duel.candidate(&joint, (&run, back), most));
                }
                Fair::None(exclusion) => {
                    let responses = std::mem::take(&mut self.responses);
                    let refutation = match self.duel.alone(&responses, budget)? {
                        Some(refutation) => refutation,
                        None => Refutation {
                            responses,
                            exclusion,
                        },
                    };
                    return Ok(Some(Decided {
                        truth: Truth::Fails,
                        shown: Some(Shown::Refuted(Box::new(refutation))),
                    }));
                }
                Fair::Open { known_to, .. } => {
                    self.note_open(known_to, options);
                    return Ok(None);
                }
            }
        }
    }

    /// Lists the states for the inclusion of automata, within limits.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub(super) fn list(&mut self, limits: &Listing, budget: &Budget) -> Result<(), FormulaError> {
        let question = match self.question.take() {
            Some(question) => question,
            None => self.duel.question()?,
        };
        let question = self.question.insert(question);
        // If the budget ends the listing, the caller notices it.
        self.listed = inclusion::list(question, limits, budget).unwrap_or(None);
        Ok(())
    }

    /// Decides the inclusion of automata on the listed states, and with it perhaps the formula; `None` if a limit came first.
    ///
    /// # Errors
    /// If evidence does not check.
    pub(super) fn include(
        &mut self,
        limits: &Game,
        options: &Options,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        let (Some(question), Some(listed)) = (&self.question, &self.listed) else {
            return Ok(None);
        };
        let included = inclusion::decide(question, listed, limits, budget);
        match included {
            Ok(Included::All(shown)) => {
                let Alternation {
                    model,
                    mutant,
                    formula,
                    traces,
                    ..
                } = self.duel.0;
                match certify_inclusion((model, mutant), formula, traces, &shown, budget) {
                    Ok(()) => Ok(Some(Decided {
                        truth: Truth::Fails,
                        shown: Some(Shown::Included(Box::new(shown))),
                    })),
                    Err(CertifyError::Stopped(_)) => Ok(None),
                    Err(error) => Err(FormulaError::Evidence(error)),
                }
            }
            Ok(Included::Candidate { run, back }) => {
                let found = (&run, back);
                let candidate = self.duel.candidate(&question.joint, found, options.bound);
                // Sets and profiles are not searched again: they have produced this candidate.
                self.listed = None;
                self.is_included = true;
                let tested =
                    (self.duel).put_to_the_test(candidate.clone(), &of_answers(options), budget)?;
                match tested {
                    Ok(response) => self.responses.push(response),
                    Err(decided) if decided.shown.is_some() => return Ok(Some(decided)),
                    Err(_) => self.candidate = Some(candidate),
                }
                Ok(None)
            }
            Ok(Included::TooLarge) | Err(_) => Ok(None),
        }
    }
}

/// Returns the options of the search for universal traces that refute a candidate. The bound is not about them, unless the search would not
/// end without it.
fn of_answers(options: &Options) -> Options {
    Options {
        bound: options.bound.filter(|_| !options.engines.pdr),
        ..*options
    }
}

/// The result of playing a user's strategy for the traces of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Played {
    /// The strategy wins, which decides the formula; or a limit left it open.
    Decided(Decided),
    /// The strategy loses against these traces, which decides nothing.
    Loses(Witness),
}

/// Decides a formula with one alternation by a user's strategy, read from a file, for the traces of its `exists`. The strategy answers the
/// traces of a leading `forall`, or determines leading `exists` traces without reading anything.
///
/// # Errors
/// If the formula has another prefix, if the file contains no strategy for it, or if evidence does not check.
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
    let options = &options.of_runs();
    let duel = Duel::new(model, mutant, &asked, Traces::Infinite).map_err(FormulaError::from)?;
    let (traces, leading) = (asked.prefix.len(), duel.0.existential);
    if formula.begins_with_forall() {
        let strategy = Strategy::read(file, model, traces, &duel.0.universal())?;
        let mut responses = vec![Response::Circuit(strategy.to_text())];
        let joint = duel.0.against(&responses).map_err(FormulaError::from)?;
        let found = find_fair_run(&joint.fair_runs(), options, budget);
        return Ok(match found.map_err(FormulaError::from)? {
            Fair::Lasso { run, back } => {
                Played::Loses(duel.candidate(&joint, (&run, back), options.bound))
            }
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
        // Traces of a user's strategy need not be runs of the model.
        Err(FormulaError::Evidence(CertifyError::Witness(_))) => Ok(Played::Loses(candidate)),
        Err(error) => Err(error.into()),
    }
}

/// The reason why a strategy decides nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StrategyFailure {
    /// The formula cannot be decided, for this reason.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The file does not contain a strategy for the formula, for this reason.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
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

/// A formula of the form ∃*∀* over a model, for which existential traces compete with responses.
struct Duel<'a>(Alternation<'a>);

impl<'a> Duel<'a> {
    fn new(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &'a Formula,
        traces: Traces,
    ) -> Result<Duel<'a>, ComposeError> {
        let mut asked = Alternation::new(model, mutant, formula, traces)?;
        asked.constraints_bind = !planted(Fault::EndingResponse);
        Ok(Duel(asked))
    }

    /// Returns the product in which universal traces refute this candidate.
    fn responding_to(&self, candidate: &Witness) -> Result<Joint, ComposeError> {
        let given = (&candidate.runs[..], &candidate.variants[..]);
        let back = candidate.back().unwrap_or(0);
        let asked = &self.0;
        if planted(Fault::LaterEnd) {
            let mut longer = candidate.runs.clone();
            for run in &mut longer {
                run.steps.extend(run.steps.last().cloned());
            }
            return asked.responding_to((&longer, &candidate.variants), back);
        }
        if planted(Fault::ChoicesOfCandidate) {
            let mut asked = asked.clone();
            for spec in &mut asked.specs[asked.existential..] {
                spec.choices_of = Some(0);
            }
            return asked.responding_to(given, back);
        }
        asked.responding_to(given, back)
    }

    /// Returns the question about inclusion of automata for this formula.
    fn question(&self) -> Result<Inner, ComposeError> {
        let asked = &self.0;
        Inner::new(asked.model, asked.mutant, asked.formula, asked.traces)
    }

    /// Returns a single response that refutes all existential traces, if little effort shows that one does. A single response is a
    /// strategy, and shorter evidence.
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

    /// Checks a candidate, and searches universal traces that refute it. Returns them as a response (`Ok`), or else the answer to the
    /// formula (`Err`): the formula holds, or the limit that ended the search.
    fn put_to_the_test(
        &self,
        candidate: Witness,
        options: &Options,
        budget: &Budget,
    ) -> Result<Result<Response, Decided>, FormulaError> {
        let certify = match self.0.traces {
            Traces::Finite => certify_ending,
            Traces::Infinite => certify_infinite,
        };
        certify(self.0.model, self.0.mutant, self.0.formula, &candidate)
            .map_err(FormulaError::Evidence)?;
        let inner = self.responding_to(&candidate)?;
        Ok(match find_fair_run(&inner.fair_runs(), options, budget)? {
            Fair::None(exclusion) => Err(Decided {
                truth: Truth::Holds,
                shown: Some(Shown::Withstood(Box::new((candidate, exclusion)))),
            }),
            Fair::Lasso { run, back } => Ok(self.response(&inner, &run, back, candidate.decided)),
            Fair::Open { known_to, reason } => Err(open(known_to, reason)),
        })
    }

    /// Returns the first responses: in each, every universal trace copies the choices of an existential one, of the same variant first. The
    /// last one, if possible, lets universal traces follow all others step by step.
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

    /// Returns the existential traces in a run of the product `joint`, which loops from step `back` on. They have at most `most` steps, if
    /// possible.
    fn candidate(
        &self,
        joint: &Joint,
        (run, back): (&Stimulus, usize),
        most: Option<usize>,
    ) -> Witness {
        let mut alone = joint.clone();
        alone.traces.truncate(self.0.existential);
        alone.specs.truncate(self.0.existential);
        match self.0.traces {
            Traces::Finite => general::ending(&alone, run),
            Traces::Infinite => {
                general::witness(self.0.model, self.0.formula, &alone, (run, back), most)
            }
        }
    }

    /// Returns, as a response, the universal traces in a run of the question about a candidate of `steps` steps. Finite traces have that
    /// length; against longer candidates their last step is repeated.
    fn response(&self, inner: &Joint, run: &Stimulus, back: usize, steps: usize) -> Response {
        let runs = self.0.universal().map(|copy| {
            let mut run = inner.run_of(copy, run);
            if self.0.traces == Traces::Finite {
                run.steps.truncate(steps);
            }
            run
        });
        let back = match self.0.traces {
            Traces::Finite => steps - 1,
            Traces::Infinite => back,
        };
        Response::Traces {
            runs: runs.collect(),
            back,
        }
    }
}
