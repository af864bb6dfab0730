//! Languages with a decision procedure of their own, for models that circuits cannot represent: dense time, or fault domains too large to
//! list.
//!
//! Such a language has two procedures in separate packages. A [`Decision`] finds tests and proofs. A [`Recheck`] checks each verdict before
//! it is reported, and again in `hyperkill certify`. The packages have the reader of the language in common, but no algorithm. They
//! exchange tests with names and values ([`Step`]), and proofs as documents that only this language understands.

use std::collections::BTreeSet;
use std::convert::Infallible;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::sort::Sort;
use hyperkill_core::suite::Step;
use hyperkill_core::system::Translation;
use hyperkill_core::verdict::{self, Evidence, Strength};
use serde_json::Value as Document;

use crate::diagnostic::Diagnostic;
use crate::domain::{CheckedDomain, Domain};
use crate::options::FrontendOptions;
pub use crate::refutation::Refutation;
use crate::source::SourceFile;

/// Evidence in the form of a language with a decision procedure of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnEvidence {}

impl Evidence for OwnEvidence {
    /// The inputs and outputs of a run with their times. Both runs of a kill have the same inputs at the same times. A run without an
    /// output at a time has a step with empty outputs.
    type Run = Vec<Step>;
    /// A document that the language's [`Recheck`] can check.
    type Proof = Document;
    /// Adaptive tests exist for circuits only.
    type Strategy = Infallible;

    fn steps(run: &Vec<Step>) -> usize {
        run.len()
    }
}

/// The verdict on a mutant of such a language.
pub type OwnVerdict = verdict::Verdict<OwnEvidence>;

/// A test that kills a mutant, with names and values.
pub type OwnKill = verdict::Kill<OwnEvidence>;

/// An input or output variable of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name in the model.
    pub name: String,
    /// The values that the variable can have.
    pub sort: Sort,
}

/// The facts about a model that are independent of the decision procedure.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The conformance relation of the language, in a word or two: the `property` of documents.
    pub question: String,
    /// The inputs, in declaration order.
    pub inputs: Vec<Variable>,
    /// The outputs, in declaration order.
    pub outputs: Vec<Variable>,
    /// Whether the model has one output sequence for each input sequence; `None` if unknown.
    pub deterministic: Option<bool>,
    /// All mutants in catalogue order. Each invalid one has its reason.
    pub catalogue: Vec<(Mutant, Option<String>)>,
    /// Mutants that a guideline of the language recognises as needless by their change alone. They are decided like others.
    pub needless: BTreeSet<MutantId>,
    /// Remarks on the roles of variables that an option or a heuristic assigned, one line each.
    pub role_notes: Vec<String>,
    /// Warnings, which do not prevent the use of the model.
    pub warnings: Vec<Diagnostic>,
}

/// The answer to a question that a model states about its parts ([`Decision::questions`]), such as whether one process refines another.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// The statement holds, with a document that the language's [`Recheck`] can check.
    Holds(Document),
    /// The statement in question fails.
    Fails {
        /// The reason, in a sentence.
        why: String,
        /// Runs that show the failure: first of the part in question, then of the part that it is compared with. `None` if runs cannot show
        /// it.
        runs: Option<(Vec<Step>, Vec<Step>)>,
        /// A document that shows the failure, if runs cannot; the language's [`Recheck`] can check it.
        proof: Option<Document>,
    },
    /// The statement is undecided, for this reason.
    Open(Stop),
}

/// The time scale of tests that a real clock can drive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// The name of the unit of time, if it has one.
    pub unit: Option<String>,
}

/// The time at which a real clock gives an input: a number of units after the previous input, then anywhere within the next unit. At all
/// times inside this unit the model answers as the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The number of whole units between the previous input and the unit in which this input is given.
    pub units: u64,
    /// Whether the input may be given without waiting.
    pub at_once: bool,
    /// Whether the test gives the input exactly at the beginning or end of the unit. No real clock meets this time, and it may matter.
    pub is_beside: bool,
}

/// A closed interval of time in which something happened, in parts of a unit since the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moments {
    /// The first moment of the interval.
    pub from: i64,
    /// The last moment of the interval.
    pub to: i64,
}

/// Whether the behaviour seen of a system conforms to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conforms {
    /// The model can behave as seen.
    Yes,
    /// The behaviour is impossible at all times within the known intervals.
    No,
    /// The behaviour is possible only through inconsistent states, which refinement excludes.
    Lost,
}

/// The reaction of a model to an input at a time within a known interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// The model accepts the input.
    Always,
    /// The model accepts the input at some of the possible times or states only.
    Sometimes,
    /// The model refuses the input.
    Never,
    /// The model must act before it can accept the input.
    TooLate,
    /// The model does not know the input, and a system must not accept it.
    Unknown,
}

/// A model that follows the behaviour seen of a system. Times are known up to an interval.
pub trait Follower {
    /// Begins a new run: the model is in its initial state, and the time is unknown between 0 and `latest`.
    fn restart(&mut self, latest: i64);

    /// Records that no event happened up to `until`; the present time is `until` or later. Returns whether the behaviour still conforms.
    fn waits(&mut self, until: i64) -> Conforms;

    /// Records that the system has given an output. Returns whether the behaviour still conforms.
    fn outputs(&mut self, output: &str, at: Moments) -> Conforms;

    /// Returns the reaction of the model to an input.
    fn asked(&self, input: &str, at: Moments) -> Takes;

    /// Records that the system has accepted an input.
    fn takes(&mut self, input: &str, at: Moments);

    /// Returns the last time up to which the model can stay without an event; `None` if it can stay for ever.
    fn patience(&self) -> Option<i64>;

    /// Returns the names of the outputs that the model can give at some time in `at`, from its current states, if it has no event before.
    fn possible(&self, at: Moments) -> Vec<String>;
}

/// The procedure that decides mutants of a language.
pub trait Decision: Send + Sync {
    /// Reads a prepared model ([`crate::Frontend::prepare`]).
    ///
    /// # Errors
    /// All errors found, in the order of their places; never empty.
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Decider>, Vec<Diagnostic>>;

    /// Returns the circuit of a prepared model with its mutants, if the procedures of the language build it; `None` if
    /// [`crate::Frontend::translate`] does.
    fn circuit(
        &self,
        _sources: &[SourceFile],
        _options: &FrontendOptions,
    ) -> Option<Result<Translation, Vec<Diagnostic>>> {
        None
    }

    /// Returns the questions that a prepared model states about its parts, such as whether one process refines another, as source text.
    ///
    /// # Errors
    /// All errors found; never empty.
    fn questions(&self, _sources: &[SourceFile]) -> Result<Vec<String>, Vec<Diagnostic>> {
        Ok(Vec::new())
    }

    /// Answers a question about the parts of a prepared model; `None` if the language has no such questions.
    fn answer(
        &self,
        _sources: &[SourceFile],
        _options: &FrontendOptions,
        _question: &str,
        _budget: &Budget,
    ) -> Option<Result<Answer, Vec<Diagnostic>>> {
        None
    }
}

/// A model whose mutants can be decided. Several threads use it at once.
pub trait Decider: Send + Sync {
    /// Returns the facts that need no decision.
    fn contents(&self) -> &Contents;

    /// Decides a valid mutant of the catalogue: returns a test of at most `bound` steps, a proof that no test of any length exists, or
    /// unknown. The answer depends on the model, the mutant and the bound alone, unless the budget ends the search. A mutant that refuses
    /// an input is killed by the test that gives the input.
    fn decide(&self, mutant: &MutantId, bound: Option<usize>, budget: &Budget) -> OwnVerdict;

    /// Returns the guarantee with which a test of the model kills a mutant. `None` if it does not.
    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength>;

    /// Returns for each of these mutants the guarantee with which a test kills it.
    fn kills_of(&self, test: &[Step], mutants: &[&MutantId]) -> Vec<Option<Strength>> {
        let mutants = mutants.iter();
        mutants.map(|mutant| self.kills(test, mutant)).collect()
    }

    /// Runs tests on mutants. Calls `hears` for each kill with the indices of test and mutant, and the guarantee of the kill.
    ///
    /// # Errors
    /// If the budget ends.
    fn play(
        &self,
        tests: &[Vec<Step>],
        mutants: &[&MutantId],
        budget: &Budget,
        hears: &mut dyn FnMut(usize, usize, Strength),
    ) -> Result<(), Stop> {
        for (number, test) in tests.iter().enumerate() {
            budget.check()?;
            for (mutant, found) in self.kills_of(test, mutants).into_iter().enumerate() {
                if let Some(strength) = found {
                    hears(number, mutant, strength);
                }
            }
        }
        Ok(())
    }

    /// Returns the time scale of tests with a real clock. `None` if tests need none.
    fn ticks(&self) -> Option<Ticks> {
        None
    }

    /// Returns for each input of a test the time at which a real clock gives it.
    ///
    /// # Errors
    /// The first step without a suitable time: the model answers it differently just before and just after.
    fn slots(&self, _test: &[Step]) -> Result<Vec<Slot>, usize> {
        Err(0)
    }

    /// Returns the model as a follower of a system's behaviour, with `parts` parts per unit of time. An `Err` has the reason why it cannot
    /// follow. `None` if the tests of the language are executed in another way.
    fn follower(&self, _parts: i64) -> Option<Result<Box<dyn Follower>, String>> {
        None
    }

    /// Returns the model and its fault domain as text in a form by name. An `Err` has the name that this form cannot express. `None` if the
    /// language has no such form.
    fn written(&self, _form: &str) -> Option<Result<String, String>> {
        None
    }

    /// Returns a test as a file for another tool, by name, together with the model or a mutant. An `Err` has the reason why there is no
    /// such file. `None` if the language has no such files.
    fn exported(
        &self,
        _form: &str,
        _test: &[Step],
        _mutant: Option<&MutantId>,
    ) -> Option<Result<String, String>> {
        None
    }

    /// Returns the domain of all mutants with any number of faults at once, if the language has one.
    fn domain(&self) -> Option<Box<dyn Domain + '_>> {
        None
    }
}

/// The procedure that checks verdicts of a [`Decision`] without its code.
pub trait Recheck: Send + Sync {
    /// Reads a prepared model.
    ///
    /// # Errors
    /// All errors found, in the order of their places; never empty.
    fn read(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Box<dyn Rechecker>, Vec<Diagnostic>>;

    /// Checks the answer to a question about the parts of a prepared model.
    ///
    /// # Errors
    /// If the answer is wrong, with the reason.
    fn recheck_answer(
        &self,
        _sources: &[SourceFile],
        _options: &FrontendOptions,
        _question: &str,
        _answer: &Answer,
        _budget: &Budget,
    ) -> Result<(), Refutation> {
        Err(Refutation::Wrong(
            "the language has no questions".to_owned(),
        ))
    }
}

/// A model whose verdicts can be checked. Several threads use it at once.
pub trait Rechecker: Send + Sync {
    /// Returns the facts about the model; the same as those of the [`Decider`].
    fn contents(&self) -> &Contents;

    /// Checks all claims of a verdict on a mutant of the catalogue: runs exist, their outputs differ, proofs are correct. `known_to`,
    /// `reason` and `shortest` have no evidence and are not checked.
    ///
    /// # Errors
    /// If a claim is wrong, with the reason.
    fn recheck(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        budget: &Budget,
    ) -> Result<(), Refutation>;

    /// Checks a kill of a test of a suite: the model passes the test, and the mutant fails it with this guarantee.
    ///
    /// # Errors
    /// If the claim is wrong, with the reason.
    fn recheck_kill(
        &self,
        test: &[Step],
        mutant: &MutantId,
        strength: Strength,
        budget: &Budget,
    ) -> Result<(), Refutation>;

    /// Checks kills of one mutant by tests of a suite as [`Rechecker::recheck_kill`] does, each with a budget of its own. Returns the
    /// results in the order given.
    fn recheck_kills(
        &self,
        mutant: &MutantId,
        kills: &[(&[Step], Strength)],
        budget: &dyn Fn() -> Budget,
    ) -> Vec<Result<(), Refutation>> {
        let kills = kills.iter();
        let checked =
            kills.map(|(test, strength)| self.recheck_kill(test, mutant, *strength, &budget()));
        checked.collect()
    }

    /// Returns the domain of all mutants with any number of faults at once. The [`Decider`] has the same domain.
    fn domain(&self) -> Option<Box<dyn CheckedDomain + '_>> {
        None
    }
}
