//! Options of front ends. `cli` compiles patterns; here they are predicates on names.

use std::fmt;
use std::sync::Arc;

use crate::boxes::Boxes;

/// A predicate on names, e.g. a compiled glob.
#[derive(Clone)]
pub struct NamePredicate(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl NamePredicate {
    /// Returns a predicate that holds for the names that satisfy `test`.
    pub fn new(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> NamePredicate {
        NamePredicate(Arc::new(test))
    }

    /// Returns a predicate that holds for exactly these names.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> NamePredicate {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        NamePredicate::new(move |name| names.iter().any(|n| n == name))
    }

    /// Whether the predicate holds for this name.
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

/// Options of a translation, with a section for each group of languages. The default changes nothing.
#[derive(Clone, Default, Debug)]
pub struct FrontendOptions {
    /// Names of the operators to apply (`--operator`); `None`: by the front end.
    pub operators: Option<NamePredicate>,
    /// Order of mutants, in languages that mutate mutants (`--order`); `None`: 1.
    pub order: Option<usize>,
    /// Named constants of the model with their new values, as source text (`-D name=value`), in the order given.
    pub constants: Vec<(String, String)>,
    /// Loader of included files; without a loader no file is found.
    pub loader: Option<Loader>,
    /// The options about the roles of variables.
    pub roles: RoleOptions,
    /// Options of circuits with modules, clocks and resets.
    pub hardware: HardwareOptions,
    /// Options of finite state machines with faults.
    pub machines: MachineOptions,
    /// The options about timed processes.
    pub processes: ProcessOptions,
    /// The options about models with events.
    pub events: EventOptions,
}

/// Roles of variables, regardless of the source.
#[derive(Clone, Default, Debug)]
pub struct RoleOptions {
    /// Variables without a driver that are test inputs (`--inputs`).
    pub inputs: Option<NamePredicate>,
    /// Variables without a driver that are choices (`--nd`); takes precedence over `inputs`.
    pub choices: Option<NamePredicate>,
    /// Observed variables (`--outputs`); `None`: by the front end.
    pub outputs: Option<NamePredicate>,
}

/// Options of circuits with modules, clocks and resets.
#[derive(Clone, Default, Debug)]
pub struct HardwareOptions {
    /// The name of the top module (`--top`).
    pub top: Option<String>,
    /// Resets (`--reset`), in addition to inferred ones.
    pub resets: Vec<ResetOption>,
    /// Whether no resets are inferred (`--reset none`).
    pub infer_no_resets: bool,
    /// Whether registers without an initial value start at 0 instead of any value (`--zero-init`).
    pub zero_init: bool,
    /// Parameters of the top module with their values, as source text (`-P name=value`), in the order given.
    pub parameters: Vec<(String, String)>,
    /// Whether all clocks tick together (`--one-clock`).
    pub one_clock: bool,
    /// Clocks that tick (`--clock`), in the order given; empty: all.
    pub clocks: Vec<ClockOption>,
    /// Conditions over names of the top module that always hold, as source text (`--assume`).
    pub assumptions: Vec<String>,
    /// Modules whose inside is not looked at (`--blackbox`, `--function`, `--stub`).
    pub boxes: Boxes,
}

/// Options of finite state machines with faults.
#[derive(Clone, Default, Debug)]
pub struct MachineOptions {
    /// Domain of faults, in place of the domain in the source (`--domain`).
    pub domain: Option<String>,
    /// Whether a model must define every input in every state (`--undefined error`).
    pub everything_defined: bool,
}

/// Options of timed processes.
#[derive(Clone, Default, Debug)]
pub struct ProcessOptions {
    /// Process under test, in models with several processes (`--sut`).
    pub sut: Option<String>,
    /// Environment that gives inputs to the process under test, in models with several processes (`--environment`).
    pub environment: Option<String>,
    /// Killing semantics, in languages with several (`--semantics`).
    pub semantics: Option<String>,
    /// Target of inputs that the process leaves open; `None`: they stay open (`--totalise`).
    pub totalise: Option<String>,
    /// Time steps per unit, if a dense-time language is translated to a circuit (`--ticks`).
    pub ticks: Option<u32>,
}

/// Options of models with events.
#[derive(Clone, Default, Debug)]
pub struct EventOptions {
    /// The parts of the model that are observed (`--observe`).
    pub observe: Option<String>,
    /// Whether refused inputs are outputs (`--complete`).
    pub complete: bool,
    /// Inclusive ranges of unbounded integers (`--range NAME=a..b`), in the order given.
    pub ranges: Vec<(String, (i64, i64))>,
}

/// Loads files that sources include. `cli` implements it; front ends read no files.
pub trait SourceLoader: Send + Sync {
    /// Returns the resolved name and the text of the file that the source `asked_by` includes as `name`; `None` if there is none.
    fn load(&self, name: &str, asked_by: &str) -> Option<(String, String)>;

    /// Returns the reason why a file is withheld that exists, and that the source `asked_by` includes as `name`. `None` if there is no such
    /// file or no such reason.
    fn refusal(&self, _name: &str, _asked_by: &str) -> Option<String> {
        None
    }
}

/// A [`SourceLoader`] as an option.
#[derive(Clone)]
pub struct Loader(pub Arc<dyn SourceLoader>);

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader(..)")
    }
}

/// `--reset NAME[=0|1][:STEPS]`: before its first step, every run has made this many clock steps with the reset active and all other
/// inputs 0, from any power-up state. The first step starts in the resulting state; from then on the reset is an ordinary input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResetOption {
    /// The input port, one bit.
    pub name: String,
    /// Active level, true for 1; `None`: as inferred from the circuit, else 1.
    pub active: Option<bool>,
    /// Number of clock steps; `None`: 1.
    pub steps: Option<usize>,
}

/// `--clock NAME[:PERIOD]`: a clock that ticks. If clocks are named, the others never tick.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockOption {
    /// The input port, one bit.
    pub name: String,
    /// Units of time between two ticks, at least 1; `None`: a test chooses the steps in which the clock ticks.
    pub period: Option<u32>,
}
