//! The interface of front ends: from source text to a featured transition system with its mutants.
//!
//! A front end parses, types, mutates the syntax tree and lowers. It reads no files, prints nothing and decides no mutant. Its input is
//! [`SourceFile`]s; its errors are [`Diagnostic`]s, plain data that `cli` renders.
//!
//! - [`Frontend`] is the interface of all languages.
//! - [`decision`] and [`domain`] are the interfaces of languages without circuits. Separate packages implement them: one decides mutants,
//!   the other one checks the verdicts.
//! - [`temporal`] and [`Specification`] carry the specifications in models, [`hardware`] the pins of circuits.
//! - Common parts for implementations are [`mutation`], [`options`], [`roles`], [`clocked`], [`boxes`] (modules whose contents are
//!   ignored), [`ModelOption`] (the options that each language supports) and [`did_you_mean`].

pub mod boxes;
pub mod clocked;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod decision;
pub mod diagnostic;
pub mod domain;
pub mod hardware;
mod model_option;
pub mod mutation;
pub mod near;
pub mod options;
mod refutation;
pub mod roles;
pub mod source;
mod specification;
pub mod temporal;

pub use diagnostic::{Diagnostic, Label, Severity, counted};
pub use hardware::Hardware;
pub use model_option::{ModelOption, lacking};
pub use mutation::{StaleMutant, apply};
pub use near::did_you_mean;
pub use options::{
    ClockOption, EventOptions, FrontendOptions, HardwareOptions, Loader, MachineOptions,
    NamePredicate, ProcessOptions, ResetOption, RoleOptions, SourceLoader,
};
pub use source::{LineIndex, SourceFile, Span};
pub use specification::Specification;

use hyperkill_core::mutant::{Mutant, MutantId, Operator};
use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::system::{TransitionSystem, Translation};

/// The inputs of a step, by name.
pub type Inputs = Vec<(String, Value)>;

/// A predicate on the id of a mutant: whether tests are wanted for it ([`Frontend::stimuli`]).
pub type Wanted<'w> = dyn Fn(&MutantId) -> bool + 'w;

/// Tests that a language's own search proposes. They are runs of the model; nothing else is known of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stimuli {
    /// The inputs of each test, step by step, with a value for every input.
    pub runs: Vec<Vec<Inputs>>,
    /// The counted effort of the search, by the name of each count.
    pub work: Vec<(&'static str, usize)>,
}

/// A model for a listing of its mutants.
#[derive(Clone, Debug)]
pub enum Listed {
    /// The featured system, whose circuit decides which mutants are models.
    Whole(Translation),
    /// A system with only the inputs and outputs of the model. Mutants of the catalogue without a problem are models, and have no
    /// selectors.
    Ports(Translation),
}

/// A featured system whose mutants make several changes each.
#[derive(Clone, Debug)]
pub struct Combined {
    /// The system, with one selector for each mutant without a problem, in order. [`MutantId::of_changes`] gives their ids.
    pub system: TransitionSystem,
    /// For each mutant, the reason why it is no model; `None` if it is one.
    pub problems: Vec<Option<String>>,
}

/// A modelling language.
pub trait Frontend {
    /// Returns the name of the language, as in `--language`.
    fn name(&self) -> &'static str;

    /// Returns the file name extensions of this language, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Returns all mutation operators, in the order of the catalogue.
    fn operators(&self) -> Vec<Operator>;

    /// Returns the options that models in this language support. Callers refuse all others.
    fn options(&self) -> &'static [ModelOption];

    /// Returns the reason why the language lacks another option, as a clause.
    fn lacks(&self, option: ModelOption) -> &'static str {
        lacking(option)
    }

    /// Whether models are circuits with clocks and resets.
    fn is_about_hardware(&self) -> bool {
        self.options().contains(&ModelOption::Reset)
    }

    /// Whether models have timed processes and a choice of semantics.
    fn is_about_processes(&self) -> bool {
        self.options().contains(&ModelOption::Semantics)
    }

    /// Whether models offer events. The front end then implements `--complete` itself.
    fn is_about_events(&self) -> bool {
        self.options().contains(&ModelOption::Observe)
    }

    /// Returns the sources with the options written into them ([`FrontendOptions::constants`]). [`Frontend::translate`] takes these
    /// sources, and the spans of mutants refer to them. By default the sources are unchanged.
    ///
    /// # Errors
    /// One diagnostic per option that cannot be written into the source.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let _ = options;
        Ok(sources)
    }

    /// Returns a mutated source as a file for other tools, and the extension of the file if it differs from the source's. By default the
    /// text is unchanged.
    ///
    /// # Errors
    /// If the text is no model.
    fn emitted(
        &self,
        mutated: &str,
        options: &FrontendOptions,
    ) -> Result<(String, Option<&'static str>), Vec<Diagnostic>> {
        let _ = options;
        Ok((mutated.to_owned(), None))
    }

    /// Returns a source of the same language that is each of these mutants of a prepared model, selected by a constant. `None` if the
    /// language has no such form.
    fn featured(
        &self,
        _sources: &[SourceFile],
        _mutants: &[&Mutant],
        _options: &FrontendOptions,
    ) -> Option<Result<String, Vec<Diagnostic>>> {
        None
    }

    /// Returns the featured system of a prepared model with its table of mutants.
    ///
    /// # Errors
    /// All errors found, in the order of their places; never empty. A language with a decision procedure of its own ([`decision`]) reports
    /// that it has no circuit.
    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>>;

    /// Returns the featured system of a prepared model with these mutants. Each makes the changes of several mutants of
    /// [`translate`](Frontend::translate) at once, which are models alone. `None` if the featured system of single changes has them, too,
    /// with several selectors on.
    ///
    /// # Errors
    /// As [`Frontend::translate`], or if an id belongs to no mutant.
    fn combined(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        mutants: &[Vec<MutantId>],
    ) -> Option<Result<Combined, Vec<Diagnostic>>> {
        let _ = (sources, options, mutants);
        None
    }

    /// Returns a prepared model for a listing of its mutants, by default the featured system. A language may save most of the time if it
    /// knows without a circuit that all mutants are models. With `shows_ports` inputs and outputs are listed too.
    ///
    /// # Errors
    /// As [`Frontend::translate`].
    fn listed(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        shows_ports: bool,
    ) -> Result<Listed, Vec<Diagnostic>> {
        let _ = shows_ports;
        self.translate(sources, options).map(Listed::Whole)
    }

    /// Returns the prepared model with a monitor that replays a test, as a source of the same language. `None` if the language has no such
    /// form.
    ///
    /// # Errors
    /// If the sources are no model, or lack these inputs and outputs.
    fn replay(
        &self,
        sources: &[SourceFile],
        test: &[Step],
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        let _ = (sources, test);
        Ok(None)
    }

    /// Returns tests to try on these mutants of a prepared model before any engine runs. `None` if the language has no search of its own
    /// for this model. The effort is counted, independent of a clock.
    ///
    /// # Errors
    /// If the sources are no model.
    fn stimuli(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Stimuli>, Vec<Diagnostic>> {
        let _ = (sources, options, wanted);
        Ok(None)
    }

    /// Returns the inputs of each step of a walk through the prepared model. `walk` is the text of a file in which another tool of the
    /// language stores walks. `None` if the language has no such files. [`Frontend::write_walk`] writes them.
    ///
    /// # Errors
    /// If the text is no walk of the model. The file index of these errors is the number of the sources.
    fn read_walk(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        walk: &str,
    ) -> Result<Option<Vec<Inputs>>, Vec<Diagnostic>> {
        let _ = (sources, options, walk);
        Ok(None)
    }

    /// Returns a test of the prepared model as the text that [`Frontend::read_walk`] reads. `None` if the language has no such files.
    ///
    /// # Errors
    /// If the test is no walk of the model.
    fn write_walk(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        test: &[Step],
    ) -> Result<Option<String>, Vec<Diagnostic>> {
        let _ = (sources, options, test);
        Ok(None)
    }

    /// Returns the specifications of the prepared model that are not decided. They are neither invariants nor formulas of linear temporal
    /// logic ([`Frontend::linear_specifications`]).
    ///
    /// # Errors
    /// If the sources are no model.
    fn undecided_specifications(
        &self,
        sources: &[SourceFile],
    ) -> Result<Vec<Specification>, Vec<Diagnostic>> {
        let _ = sources;
        Ok(Vec::new())
    }

    /// Returns the specifications of the prepared model about infinite runs, in linear temporal logic. `None` if the language has no such
    /// specifications.
    ///
    /// # Errors
    /// If the sources are no model.
    fn linear_specifications(
        &self,
        sources: &[SourceFile],
    ) -> Result<Option<temporal::Stated>, Vec<Diagnostic>> {
        let _ = sources;
        Ok(None)
    }

    /// Returns the pins, clocks and resets of the prepared model, for simulators. `None` if the language is not about hardware.
    ///
    /// # Errors
    /// If the sources are no model.
    fn hardware(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Option<Hardware>, Vec<Diagnostic>> {
        let _ = (sources, options);
        Ok(None)
    }
}
