//! What a user may ask of a front end. Patterns are compiled by `cli`; here they are predicates on names.

use std::fmt;
use std::sync::Arc;

/// A predicate on names, e.g. a compiled glob.
#[derive(Clone)]
pub struct NamePredicate(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl NamePredicate {
    /// Holds of the names for which `test` does.
    pub fn new(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> NamePredicate {
        NamePredicate(Arc::new(test))
    }

    /// Holds of exactly these names.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> NamePredicate {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        NamePredicate::new(move |name| names.iter().any(|n| n == name))
    }

    /// Whether it holds of this name.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl fmt::Debug for NamePredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NamePredicate(..)")
    }
}

/// Options of a translation. The default changes nothing.
#[derive(Clone, Default, Debug)]
pub struct FrontendOptions {
    /// Variables without a driver that are test inputs, whatever the source says (`--inputs`).
    pub inputs: Option<NamePredicate>,
    /// Variables without a driver that are choices, whatever the source says (`--nd`); wins over `inputs`.
    pub choices: Option<NamePredicate>,
    /// If given, exactly these are observed (`--outputs`).
    pub outputs: Option<NamePredicate>,
    /// If given, only operators whose names it holds of are applied (`--operator`).
    pub operators: Option<NamePredicate>,
    /// Named constants of the model with their new values, as source text (`-D name=value`), in the order given.
    pub constants: Vec<(String, String)>,
    /// The module that is the whole model, where a language has modules to choose from (`--top`).
    pub top: Option<String>,
    /// Resets of a clocked circuit (`--reset`), besides those that a front end infers.
    pub resets: Vec<ResetOption>,
    /// Nothing is inferred to be a reset (`--reset none`).
    pub infer_no_resets: bool,
    /// Registers that nothing gives an initial value start at 0 instead of anywhere (`--zero-init`).
    pub zero_init: bool,
    /// Parameters of the module on top with their values, as source text (`-P name=value`), in the order given.
    pub parameters: Vec<(String, String)>,
    /// Whether all clocks are one (`--one-clock`).
    pub one_clock: bool,
    /// The clocks that tick (`--clock`), in the order given; empty: all.
    pub clocks: Vec<ClockOption>,
    /// Conditions over names of the module on top that always hold, as source text (`--assume`).
    pub assumptions: Vec<String>,
    /// A domain of faults by name, in place of the one that is written (`--domain`).
    pub domain: Option<String>,
    /// Whether a model has to say something of every input in every state (`--undefined error`).
    pub everything_defined: bool,
    /// The process that is tested, where a model has several (`--sut`).
    pub sut: Option<String>,
    /// Who gives inputs to the process that is tested, where that may be other processes (`--environment`).
    pub environment: Option<String>,
    /// What killing means, where a language has several meanings with names (`--semantics`).
    pub semantics: Option<String>,
    /// Where inputs lead that the process leaves open, if they are to lead somewhere (`--totalise`).
    pub totalise: Option<String>,
    /// How many changes a mutant has, where a language mutates mutants (`--order`); one if nothing is said.
    pub order: Option<usize>,
    /// Steps of sampled time to a unit, where a language in dense time becomes a circuit (`--ticks`).
    pub ticks: Option<u32>,
    /// What is seen of models that offer events (`--observe`).
    pub observe: Option<String>,
    /// Whether such models refuse visibly what they cannot do (`--complete`).
    pub complete: bool,
    /// Ranges of integers that have none, inclusive (`--range NAME=a..b`), in the order given.
    pub ranges: Vec<(String, (i64, i64))>,
    /// Finds files that sources include; without it none is found.
    pub loader: Option<Loader>,
}

/// Finds files that sources include. `cli` implements it; front ends read no files.
pub trait SourceLoader: Send + Sync {
    /// The file that the source `asked_by` includes as `name`: the name it goes by, and its text. `None` if there is none.
    fn load(&self, name: &str, asked_by: &str) -> Option<(String, String)>;

    /// Why a file that is there is not given.
    fn refusal(&self, _name: &str, _asked_by: &str) -> Option<String> {
        None
    }
}

/// A [`SourceLoader`] that options carry.
#[derive(Clone)]
pub struct Loader(pub Arc<dyn SourceLoader>);

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader(..)")
    }
}

/// `--reset NAME[=0|1][:STEPS]`: before its first step, every run has made so many clock steps with this input active and
/// all others 0, from any state that the circuit may be switched on in. The first step sees what that leads to; from then on the
/// input is one like the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResetOption {
    /// The input port, one bit.
    pub name: String,
    /// Whether 1 resets; `None`: as the circuit shows, else 1.
    pub active: Option<bool>,
    /// Clock steps; `None`: 1.
    pub steps: Option<usize>,
}

/// `--clock NAME[:PERIOD]`: a clock that ticks. Clocks that no option names never tick.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockOption {
    /// The input port, one bit.
    pub name: String,
    /// Units of time from one tick to the next, at least 1; `None`: a test chooses the steps in which it ticks.
    pub period: Option<u32>,
}
