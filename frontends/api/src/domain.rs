//! Domains of faults: all mutants with any number of faults at once, where a language has them. They are too many to list, so that one
//! suite for all of them is looked for, with a proof that it is complete.

use hyperkill_core::Aig;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::suite::Step;
use serde_json::Value as Document;

use crate::refutation::Refutation;

/// How large a domain of faults is that allows several faults at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainSize {
    /// Mutants, as digits.
    pub mutants: String,
    /// The same for people, rounded if there are many.
    pub rounded: String,
    /// Transitions that the specification has not.
    pub transitions: u64,
    /// Places at which a mutant has a choice.
    pub places: usize,
}

/// Whether tests tell all mutants of a domain that can be told from the specification.
#[derive(Clone, PartialEq, Debug)]
pub enum Completeness {
    /// They do.
    Complete {
        /// Classes of mutants that conform, as they were found.
        classes: usize,
        /// A document that the language's [`crate::decision::Recheck`] understands.
        proof: Document,
    },
    /// They do not.
    Survivor {
        /// What the mutant does differently, one line each.
        choices: Vec<String>,
        /// A test that it fails, with what it answers.
        test: Vec<Step>,
        /// The mutant itself: a document that the language's [`crate::decision::Recheck`] understands.
        mutant: Document,
    },
    /// It was not found out.
    Open(Stop),
}

/// What is said of a mutant that passes all tests ([`Completeness::Survivor`]).
#[derive(Clone, Copy, Debug)]
pub struct Survivor<'a> {
    /// What it does differently, one line each.
    pub choices: &'a [String],
    /// A test that it fails, with what it answers.
    pub test: &'a [Step],
    /// The mutant itself.
    pub mutant: &'a Document,
}

/// What there should be little of in a suite.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cost {
    /// Tests.
    #[default]
    Tests,
    /// Steps of all tests together.
    Inputs,
    /// Time that all tests take one after the other.
    Time,
}

/// A classic method of making suites that are complete for everything in so many states, made for machines without time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// One set of inputs tells all states apart, behind every transition (Vasilevskii, Chow).
    W,
    /// A set for each state behind transitions, the whole one behind states (Fujiwara and others).
    Wp,
    /// A set for each state, of which any two share what tells their states apart (Petrenko, Yevtushenko).
    Hsi,
    /// What tells apart is chosen for each pair of tests (Dorofeeva, El-Fakih, Yevtushenko).
    H,
    /// As HSI, behind whichever test is known to lead to the state (Simão, Petrenko, Yevtushenko).
    Spy,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] = [Method::W, Method::Wp, Method::Hsi, Method::H, Method::Spy];

    /// Its name in options and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::W => "w",
            Method::Wp => "wp",
            Method::Hsi => "hsi",
            Method::H => "h",
            Method::Spy => "spy",
        }
    }

    /// What it does, in a few words for the help.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Method::W => "One set of inputs tells all states apart",
            Method::Wp => "The whole set behind states, one for each state behind transitions",
            Method::Hsi => "A set for each state",
            Method::H => "What tells apart is chosen for each pair of tests",
            Method::Spy => "As HSI, behind whichever test is known to lead to the state",
        }
    }
}

/// Which suite is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Aim {
    /// Tests go on up to so many steps if that saves others.
    pub longest: Option<usize>,
    /// What there should be little of.
    pub cost: Cost,
    /// The search begins with the suite of this method.
    pub method: Option<Method>,
}

/// Tests for a domain of faults.
#[derive(Clone, PartialEq, Debug)]
pub struct DomainSuite {
    /// The tests.
    pub tests: Vec<Vec<Step>>,
    /// Whether they are complete.
    pub completeness: Completeness,
}

/// A domain as the procedure that decides knows it.
pub trait Domain: Send + Sync {
    /// How large it is.
    fn size(&self) -> DomainSize;

    /// Whether a mutant passes these tests and differs, as a circuit with a bad state.
    ///
    /// # Errors
    /// The reason why there is no such circuit.
    fn survivors(&self, tests: &[Vec<Step>]) -> Result<Aig, String>;

    /// The suite of a classic method for everything in as many states as mutants have.
    ///
    /// # Errors
    /// The reason why there is none.
    fn classic(&self, method: Method, budget: &Budget) -> Result<Vec<Vec<Step>>, String>;

    /// Few tests that together tell every mutant that can be told from the specification. `start`: tests of the model to begin with.
    fn complete(&self, aim: Aim, start: &[Vec<Step>], budget: &Budget) -> DomainSuite;

    /// Whether given tests do that; `None` if they are no tests of the model.
    fn completeness(&self, tests: &[Vec<Step>], budget: &Budget) -> Option<Completeness>;

    /// A proof in LRAT that nothing satisfies clauses in DIMACS; `None` if something does.
    fn refutation(&self, clauses: &str, budget: &Budget) -> Option<Result<String, Stop>>;
}

/// A domain as the procedure that checks knows it.
pub trait CheckedDomain: Send + Sync {
    /// How large it is.
    fn size(&self) -> DomainSize;

    /// Checks that tests are complete, as a proof says. Returns how many classes of mutants conform by it.
    ///
    /// # Errors
    /// What is wrong with it.
    fn recheck_complete(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<usize, Refutation>;

    /// The last question of [`CheckedDomain::recheck_complete`], which has to be answered by no: clauses in DIMACS that nothing may
    /// satisfy. All else that the proof says is checked.
    ///
    /// # Errors
    /// What is wrong with it.
    fn question(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<String, Refutation>;

    /// Checks that tests are not complete: that a mutant ([`Completeness::Survivor`]) is in the domain, does otherwise what is said of it,
    /// passes all of them and fails another one.
    ///
    /// # Errors
    /// What is wrong with it.
    fn recheck_survivor(
        &self,
        tests: &[Vec<Step>],
        survivor: Survivor<'_>,
    ) -> Result<(), Refutation>;
}
