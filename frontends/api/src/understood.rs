//! The options that decide how a model is read, and the languages in which each means something.

/// An option that decides how a model is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ModelOption {
    /// `-D`: a named constant, or a macro.
    Define,
    /// `--domain`: the faults that mutants may have.
    Domain,
    /// `--undefined error`: an input without a transition in some state is an error.
    Undefined,
    /// `--top`: the module that is the model.
    Top,
    /// `-I`: a folder with files to include.
    Include,
    /// `--reset`: an input that starts runs.
    Reset,
    /// `--zero-init`: registers without an initial value start at 0.
    ZeroInit,
    /// `-P`: a parameter of the module on top.
    Parameter,
    /// `--one-clock`: all clocks are one.
    OneClock,
    /// `--clock`: a clock that ticks.
    Clock,
    /// `--assume`: a condition that always holds.
    Assume,
    /// `--via`: another program reads the files first.
    Via,
    /// `--sut`: the process that is tested.
    Sut,
    /// `--environment`: who gives inputs to it.
    Environment,
    /// `--semantics`: when a mutant refines the model.
    Semantics,
    /// `--totalise`: where inputs lead that the process leaves open.
    Totalise,
    /// `--ticks`: steps of sampled time to a unit.
    Ticks,
    /// `--complete`: inputs that have no step are ignored or refused visibly.
    Complete,
    /// `--observe`: which parts of a model with events are seen.
    Observe,
    /// `--range`: the range of an integer that has none.
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
    /// The option as it is written on the command line.
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
