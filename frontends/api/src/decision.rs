//! Languages that decide their mutants themselves, where circuits do not reach: dense time, domains of faults too large to list.
//!
//! Such a language brings two procedures, in packages that share its syntax and nothing else: a [`Decision`] finds tests and proofs, a
//! [`Recheck`] looks at each verdict again before it is given out, and once more in `hyperkill certify`. What both exchange are tests in
//! names and values ([`Step`]) and proofs as documents that only this language understands.

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

/// Evidence of a language's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnEvidence {}

impl Evidence for OwnEvidence {
    /// What a tester gives and sees, with its times. Both runs of a kill have the same inputs at the same moments; where one of them
    /// answers nothing, its outputs are empty.
    type Run = Vec<Step>;
    /// A document that the language's [`Recheck`] understands.
    type Proof = Document;
    /// Tests that follow the outputs are of circuits only.
    type Strategy = Infallible;

    fn steps(run: &Vec<Step>) -> usize {
        run.len()
    }
}

/// What a language has found out about a mutant.
pub type OwnVerdict = verdict::Verdict<OwnEvidence>;

/// A test that kills a mutant, in names and values.
pub type OwnKill = verdict::Kill<OwnEvidence>;

/// A variable that the tester sets or sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Name in the model.
    pub name: String,
    /// The values that it may have.
    pub sort: Sort,
}

/// A model as a language's own procedures see it: what does not depend on how mutants are decided.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// What killing means in the language, in a word or two: the `property` of documents.
    pub question: String,
    /// What testers set, in declaration order.
    pub inputs: Vec<Variable>,
    /// What they see, in declaration order.
    pub outputs: Vec<Variable>,
    /// Whether the model has one answer to every input; `None` if that is not known.
    pub deterministic: Option<bool>,
    /// All mutants in catalogue order, with the reason for those that are no models.
    pub catalogue: Vec<(Mutant, Option<String>)>,
    /// Mutants of which a guideline of the language says by their change alone that no test is needed. They are decided all the same.
    pub needless: BTreeSet<MutantId>,
    /// How roles were assigned where an option or heuristic decided, one line each.
    pub role_notes: Vec<String>,
    /// What the user should know, as it does not keep the model from being used.
    pub warnings: Vec<Diagnostic>,
}

/// The answer to a question about the parts of a model.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// It is so, as a document shows that the language's [`Recheck`] understands.
    Holds(Document),
    /// It is not, for this reason.
    Fails {
        /// Why, in a sentence.
        why: String,
        /// What happens on both sides, where that shows it: on the one that is asked about, and on the other.
        runs: Option<(Vec<Step>, Vec<Step>)>,
        /// A document that shows it, where no runs do.
        proof: Option<Document>,
    },
    /// It was not found out.
    Open(Stop),
}

/// What is known of the time that tests take, where a real clock can give them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// What a unit is called, if it has a name.
    pub unit: Option<String>,
}

/// When a real clock gives an input: in a unit since the input before, at all moments inside which the model answers as the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// So many whole units have passed, and less than one more.
    pub units: u64,
    /// It need not be waited for.
    pub at_once: bool,
    /// The test gives it at the very beginning or end of the unit, which may matter and which no clock meets.
    pub is_beside: bool,
}

/// Two moments, in parts of a unit since the start, between which something happened; both belong to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moments {
    /// The first one.
    pub from: i64,
    /// The last one.
    pub to: i64,
}

/// Whether a model does what was seen of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conforms {
    /// It may.
    Yes,
    /// It does not, at whatever moments within what is known of them.
    No,
    /// It does only where it cannot live on, which refinement leaves out.
    Lost,
}

/// What a model does with an input at a moment of which something is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// It takes it.
    Always,
    /// Whether it takes it depends on what is not known.
    Sometimes,
    /// It does not take it.
    Never,
    /// Something else has to happen before.
    TooLate,
    /// It does not know it, and a system must not take it.
    Unknown,
}

/// A model that is followed along what is seen of a system, at moments that are known up to an interval.
pub trait Follower {
    /// Starts anew, at a moment between 0 and the latest one.
    fn restart(&mut self, latest: i64);

    /// Nothing has happened until a moment, or later.
    fn waits(&mut self, until: i64) -> Conforms;

    /// The system has made an output.
    fn outputs(&mut self, output: &str, at: Moments) -> Conforms;

    /// What the model does with an input.
    fn asked(&self, input: &str, at: Moments) -> Takes;

    /// The system has taken an input.
    fn takes(&mut self, input: &str, at: Moments);

    /// The last moment up to which the model can wait if nothing happens; `None` if it can wait for ever.
    fn patience(&self) -> Option<i64>;

    /// The outputs that the model can make between two moments if nothing happens before.
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

    /// The circuit of a prepared model with its mutants, where the procedures of the language make it; `None` if
    /// [`crate::Frontend::translate`] does.
    fn circuit(
        &self,
        _sources: &[SourceFile],
        _options: &FrontendOptions,
    ) -> Option<Result<Translation, Vec<Diagnostic>>> {
        None
    }

    /// The questions that a prepared model asks itself.
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

/// A model whose mutants can be decided. Several threads ask at once.
pub trait Decider: Send + Sync {
    /// What is known without deciding anything.
    fn contents(&self) -> &Contents;

    /// Decides a mutant of the catalogue that is a model: a test of at most `bound` steps, or a proof that there is none of any length.
    /// The answer depends on the model, the mutant and the bound alone, unless the budget ends the search. It is a kill, a proof or
    /// unknown; whoever refuses an input is killed by the test that gives it.
    fn decide(&self, mutant: &MutantId, bound: Option<usize>, budget: &Budget) -> OwnVerdict;

    /// How surely a test of the model kills a mutant, if it does.
    fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength>;

    /// How surely a test kills each of these mutants.
    fn kills_of(&self, test: &[Step], mutants: &[&MutantId]) -> Vec<Option<Strength>> {
        let mutants = mutants.iter();
        mutants.map(|mutant| self.kills(test, mutant)).collect()
    }

    /// Plays tests on mutants, and tells `hears` which test kills which mutant, both by their numbers, and how surely.
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

    /// How tests can be given to a system that has a real clock, if they can.
    fn ticks(&self) -> Option<Ticks> {
        None
    }

    /// When a real clock gives each input of a test.
    ///
    /// # Errors
    /// The first step for which none is exact enough: the model answers it otherwise just before and just behind.
    fn slots(&self, _test: &[Step]) -> Result<Vec<Slot>, usize> {
        Err(0)
    }

    /// The model to be followed along what is seen of a system, with so many parts to a unit; or why it cannot be. `None` if the tests of
    /// the language are given in another way.
    fn follower(&self, _parts: i64) -> Option<Result<Box<dyn Follower>, String>> {
        None
    }

    /// The model and its domain of faults as text in a form by name, or which name in it that form cannot hold. `None` if the language has
    /// no such form.
    fn written(&self, _form: &str) -> Option<Result<String, String>> {
        None
    }

    /// A test as a file for another tool, by name, with the model or a mutant in its place; or why it cannot be written so. `None` if the
    /// language has no such files.
    fn exported(
        &self,
        _form: &str,
        _test: &[Step],
        _mutant: Option<&MutantId>,
    ) -> Option<Result<String, String>> {
        None
    }

    /// The domain of all mutants with any number of faults at once, if the language has one.
    fn domain(&self) -> Option<Box<dyn Domain + '_>> {
        None
    }
}

/// The procedure that checks what a [`Decision`] says, without its code.
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
    /// What is wrong with it.
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

/// A model whose verdicts can be checked. Several threads ask at once.
pub trait Rechecker: Send + Sync {
    /// What is known of the model; the same as of the [`Decider`].
    fn contents(&self) -> &Contents;

    /// Checks all that a verdict says of a mutant of the catalogue, but `known_to`, `reason` and `shortest`, of which there is no evidence:
    /// that runs are runs, that they differ, that proofs prove.
    ///
    /// # Errors
    /// What is wrong with it.
    fn recheck(
        &self,
        mutant: &MutantId,
        verdict: &OwnVerdict,
        budget: &Budget,
    ) -> Result<(), Refutation>;

    /// Checks that a test of a suite does what is said of it: that the model passes it and the mutant fails it so surely.
    ///
    /// # Errors
    /// What is wrong with it.
    fn recheck_kill(
        &self,
        test: &[Step],
        mutant: &MutantId,
        strength: Strength,
        budget: &Budget,
    ) -> Result<(), Refutation>;

    /// Checks kills of one mutant by tests of a suite, each as [`Rechecker::recheck_kill`] does and within a budget of its own. Returns
    /// what is wrong with each of them, in the order given.
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

    /// The domain of all mutants with any number of faults at once; the same as of the [`Decider`].
    fn domain(&self) -> Option<Box<dyn CheckedDomain + '_>> {
        None
    }
}
