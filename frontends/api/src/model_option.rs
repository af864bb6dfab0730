//! The options that determine how a model is read, and the languages that support each.

/// An option that determines how a model is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ModelOption {
    /// `-D`: a named constant, or a macro.
    Define,
    /// `--domain`: the faults of mutants.
    Domain,
    /// `--undefined error`: an input without a transition in some state is an error.
    Undefined,
    /// `--top`: the name of the top module.
    Top,
    /// `-I`: a folder with files to include.
    Include,
    /// `--reset`: an input that resets the model at the start of runs.
    Reset,
    /// `--zero-init`: registers without an initial value start at 0.
    ZeroInit,
    /// `-P`: a parameter of the top module.
    Parameter,
    /// `--one-clock`: all clocks are taken for one.
    OneClock,
    /// `--clock`: the name of a clock that ticks.
    Clock,
    /// `--assume`: a condition that always holds.
    Assume,
    /// `--via`: another program translates the files first.
    Via,
    /// `--blackbox`: a module whose outputs are choices.
    BlackBox,
    /// `--function`: a module whose outputs are an unknown function of its inputs.
    Function,
    /// `--stub`: a file with modules that stand in for missing ones.
    Stub,
    /// `--sut`: the process under test.
    Sut,
    /// `--environment`: the source of the model's inputs.
    Environment,
    /// `--semantics`: the conformance relation between mutant and model.
    Semantics,
    /// `--totalise`: the target of inputs that the process leaves open.
    Totalise,
    /// `--ticks`: the steps of sampled time per unit.
    Ticks,
    /// `--complete`: inputs without a step are ignored or visibly refused.
    Complete,
    /// `--observe`: the observed parts of a model with events.
    Observe,
    /// `--range`: the range of an integer without one.
    Range,
    /// `--inputs`: variables that are test inputs.
    Inputs,
    /// `--outputs`: the only variables that are observed.
    Outputs,
    /// `--nd`: variables that are choices.
    Choices,
    /// `--mut`: latches that select mutants.
    Selectors,
}

impl ModelOption {
    /// Returns the option in the notation of the command line.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            ModelOption::Define => "-D",
            ModelOption::Domain => "--domain",
            ModelOption::Undefined => "--undefined",
            ModelOption::Top => "--top",
            ModelOption::Include => "-I",
            ModelOption::Reset => "--reset",
            ModelOption::ZeroInit => "--zero-init",
            ModelOption::Parameter => "-P",
            ModelOption::OneClock => "--one-clock",
            ModelOption::Clock => "--clock",
            ModelOption::Assume => "--assume",
            ModelOption::Via => "--via",
            ModelOption::BlackBox => "--blackbox",
            ModelOption::Function => "--function",
            ModelOption::Stub => "--stub",
            ModelOption::Sut => "--sut",
            ModelOption::Environment => "--environment",
            ModelOption::Semantics => "--semantics",
            ModelOption::Totalise => "--totalise",
            ModelOption::Ticks => "--ticks",
            ModelOption::Complete => "--complete",
            ModelOption::Observe => "--observe",
            ModelOption::Range => "--range",
            ModelOption::Inputs => "--inputs",
            ModelOption::Outputs => "--outputs",
            ModelOption::Choices => "--nd",
            ModelOption::Selectors => "--mut",
        }
    }

    /// Whether the option is about circuits with modules, clocks and resets.
    #[must_use]
    pub const fn is_of_hardware(self) -> bool {
        matches!(
            self,
            ModelOption::Top
                | ModelOption::Include
                | ModelOption::Reset
                | ModelOption::ZeroInit
                | ModelOption::Parameter
                | ModelOption::OneClock
                | ModelOption::Clock
                | ModelOption::Assume
                | ModelOption::Via
                | ModelOption::BlackBox
                | ModelOption::Function
                | ModelOption::Stub
        )
    }

    /// Whether the option is about timed processes.
    #[must_use]
    pub const fn is_of_processes(self) -> bool {
        matches!(
            self,
            ModelOption::Sut
                | ModelOption::Environment
                | ModelOption::Semantics
                | ModelOption::Totalise
                | ModelOption::Ticks
        )
    }
}

/// Returns the general reason why a language lacks an option, as a clause like "the model has no named constants".
#[must_use]
pub fn lacking(option: ModelOption) -> &'static str {
    match option {
        ModelOption::Define => "the model has no named constants",
        ModelOption::Domain => "the language has no domains of faults",
        ModelOption::Undefined => {
            "an input that the model says nothing of has a meaning of its own"
        }
        ModelOption::Range => "its integers have ranges",
        ModelOption::Observe => "the model offers no events",
        ModelOption::Complete => "the model is no circuit",
        ModelOption::Inputs | ModelOption::Outputs | ModelOption::Choices => {
            "the model says which variables are inputs and outputs"
        }
        ModelOption::Selectors => {
            "it names latches of an AIGER file, and mutants of a source model come from its operators"
        }
        option if option.is_of_hardware() => "the language is not about hardware",
        _ => "the model has no timed processes",
    }
}
