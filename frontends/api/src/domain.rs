//! Fault domains: all mutants with any number of faults at once, if a language has them. They are too many to list, so the tool searches
//! for one suite for all of them, with a proof of completeness.

use hyperkill_core::Aig;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::suite::Step;
use serde_json::Value as Document;

use crate::refutation::Refutation;

/// The size of a fault domain that allows several faults at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainSize {
    /// The number of mutants, as digits.
    pub mutants: String,
    /// The size for readers, rounded if it is large.
    pub rounded: String,
    /// The number of transitions that the domain adds to the specification.
    pub transitions: u64,
    /// The number of places (such as transitions) at which a mutant chooses between the specification and its faults.
    pub places: usize,
}

/// Whether a suite kills every mutant of a domain that a test can kill.
#[derive(Clone, PartialEq, Debug)]
pub enum Completeness {
    /// The suite kills every such mutant.
    Complete {
        /// The number of classes of conforming mutants that were found.
        classes: usize,
        /// The proof, as a document that the language's [`crate::decision::Recheck`] can check.
        proof: Document,
    },
    /// The suite does not kill a mutant that a test can kill.
    Survivor {
        /// The differences of the mutant, one line each.
        choices: Vec<String>,
        /// A test that the mutant fails, with the mutant's outputs.
        test: Vec<Step>,
        /// The mutant as a document that the language's [`crate::decision::Recheck`] can check.
        mutant: Document,
    },
    /// The question is undecided, for this reason.
    Open(Stop),
}

/// A mutant that passes all tests ([`Completeness::Survivor`]).
#[derive(Clone, Copy, Debug)]
pub struct Survivor<'a> {
    /// The differences of the mutant, one line each.
    pub choices: &'a [String],
    /// A test that the mutant fails, with the mutant's outputs.
    pub test: &'a [Step],
    /// The document of the mutant.
    pub mutant: &'a Document,
}

/// The cost of a suite, which is to be small.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cost {
    /// The cost is the number of tests.
    #[default]
    Tests,
    /// The number of steps of all tests together.
    Inputs,
    /// The time of all tests, one after the other.
    Time,
}

/// A classic method for suites that are complete for all machines with a bounded number of states, made for machines without time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// After every transition: one set of inputs that distinguishes all states (Vasilevskii, Chow).
    W,
    /// After states the same set, after transitions a smaller set for each state (Fujiwara and others).
    Wp,
    /// A set for each state; the sets of any two states share an input sequence that distinguishes them (Petrenko, Yevtushenko).
    Hsi,
    /// The distinguishing sequence is chosen for each pair of tests (Dorofeeva, El-Fakih, Yevtushenko).
    H,
    /// As HSI, after any test that is known to lead to the state (Simão, Petrenko, Yevtushenko).
    Spy,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 5] = [Method::W, Method::Wp, Method::Hsi, Method::H, Method::Spy];

    /// Returns the name in options and messages.
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

    /// Returns a description for the help, in a few words.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Method::W => "After every transition, one set of inputs that distinguishes all states",
            Method::Wp => {
                "After states the same set, after transitions a smaller set for each state"
            }
            Method::Hsi => {
                "A set for each state; any two sets share a distinguishing input sequence"
            }
            Method::H => "A distinguishing sequence is chosen for each pair of tests",
            Method::Spy => "As HSI, after any test that is known to lead to the state",
        }
    }
}

/// The options of the search for a suite.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Aim {
    /// The length up to which a test is extended if that saves another test, in steps.
    pub longest: Option<usize>,
    /// The cost that the suite is to minimise.
    pub cost: Cost,
    /// The search begins with the suite of this method.
    pub method: Option<Method>,
}

/// Tests for a domain of faults.
#[derive(Clone, PartialEq, Debug)]
pub struct DomainSuite {
    /// The tests of the suite: the steps of each.
    pub tests: Vec<Vec<Step>>,
    /// Whether the tests are complete.
    pub completeness: Completeness,
}

/// A domain for the procedure that decides.
pub trait Domain: Send + Sync {
    /// Returns the size of the domain.
    fn size(&self) -> DomainSize;

    /// Returns a circuit whose bad state is a mutant that passes these tests and differs from the specification.
    ///
    /// # Errors
    /// The reason why there is no such circuit.
    fn survivors(&self, tests: &[Vec<Step>]) -> Result<Aig, String>;

    /// Returns the suite of a classic method for all machines with as many states as the mutants have.
    ///
    /// # Errors
    /// The reason why there is none.
    fn classic(&self, method: Method, budget: &Budget) -> Result<Vec<Vec<Step>>, String>;

    /// Returns a small suite that kills every mutant that a test can kill. `start` has tests of the model to begin with.
    fn complete(&self, aim: Aim, start: &[Vec<Step>], budget: &Budget) -> DomainSuite;

    /// Whether these tests are complete; `None` if they are no tests of the model.
    fn completeness(&self, tests: &[Vec<Step>], budget: &Budget) -> Option<Completeness>;

    /// Returns a proof in LRAT that clauses in DIMACS are unsatisfiable; `None` if they are satisfiable.
    fn refutation(&self, clauses: &str, budget: &Budget) -> Option<Result<String, Stop>>;
}

/// A domain for the procedure that checks.
pub trait CheckedDomain: Send + Sync {
    /// Returns the size of the domain.
    fn size(&self) -> DomainSize;

    /// Checks a proof that tests are complete. Returns the number of classes of mutants that conform according to the proof.
    ///
    /// # Errors
    /// If the proof is wrong, with the reason.
    fn recheck_complete(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<usize, Refutation>;

    /// Returns the last query of [`CheckedDomain::recheck_complete`] as clauses in DIMACS, which must be unsatisfiable. All other parts of
    /// the proof are checked.
    ///
    /// # Errors
    /// If the proof is wrong, with the reason.
    fn question(
        &self,
        tests: &[Vec<Step>],
        proof: &Document,
        budget: &Budget,
    ) -> Result<String, Refutation>;

    /// Checks that tests are not complete. The mutant ([`Completeness::Survivor`]) is in the domain, has the listed differences, passes all
    /// tests and fails another one.
    ///
    /// # Errors
    /// If a claim is wrong, with the reason.
    fn recheck_survivor(
        &self,
        tests: &[Vec<Step>],
        survivor: Survivor<'_>,
    ) -> Result<(), Refutation>;
}
