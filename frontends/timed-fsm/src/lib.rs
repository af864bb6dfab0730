//! Timed finite state machines with timeouts \[1\]: texts, machines and their mutants.
//!
//! Their semantics is in semantics.md §7. Mutants are not decided as circuits but by packages of this language: `decide` finds tests and
//! proofs, and `recheck` checks them. Both use this package, and have no algorithm in common.
//!
//! The passes: [`lexer`] → [`parser`] → [`resolve`] → [`domain`] → [`mutate`], and [`choices`] for several faults at once. Machines with
//! guards on delays are cut into [`pieces`] first.

pub mod choices;
pub mod circuit;
pub mod count;
pub mod domain;
pub mod foreign;
pub mod group;
pub mod guard;
pub mod lexer;
pub mod machine;
mod model;
pub mod moved;
pub mod mutate;
pub mod parser;
pub mod piece;
pub mod pieces;
pub mod resolve;
pub mod survivors;
pub mod syntax;
pub mod write;

pub use model::{
    INPUT, Model, OUTPUT, domain_size, read, read_domain, read_machine, without_faults,
};

use model::{defined, texts};

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, lacking};

/// Timed machines in `.tfsm` files.
#[derive(Clone, Copy, Default, Debug)]
pub struct TimedFsmFrontend;

impl TimedFsmFrontend {
    /// The name of the language in `--language`.
    pub const NAME: &str = "timed-fsm";
}

impl Frontend for TimedFsmFrontend {
    fn name(&self) -> &'static str {
        TimedFsmFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["tfsm", "dot", "kiss2", "fsm"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        &[
            ModelOption::Domain,
            ModelOption::Undefined,
            ModelOption::Complete,
        ]
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => "a timed machine has no named constants",
            ModelOption::Parameter => "a timed machine has no parameters",
            ModelOption::Assume => "a timed machine has no expressions",
            ModelOption::Top => "a timed machine is the whole model",
            ModelOption::Inputs | ModelOption::Outputs | ModelOption::Choices => {
                "the machine says which symbols are inputs and which are outputs"
            }
            option => lacking(option),
        }
    }

    /// Returns the sources, with the first one translated to this language if it is a machine of another tool.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        _: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        // A separate file of faults is always in this language.
        let mut sources = sources.into_iter();
        let first = sources.next().map(foreign::translated).transpose()?;
        Ok(first.into_iter().chain(sources).collect())
    }

    /// Returns the machine without faults: these describe changes of the original.
    fn emitted(
        &self,
        mutated: &str,
        options: &FrontendOptions,
    ) -> Result<(String, Option<&'static str>), Vec<Diagnostic>> {
        let _ = options;
        Ok((without_faults(mutated).to_owned(), None))
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let document = parser::parse(texts(sources)?.0).map_err(|error| vec![error])?;
        let read = read(sources, options)?;
        // The behaviour of a mutant on inputs without a transition must not matter, but a circuit observes all inputs.
        let help = "a circuit sees every input: say what each of them does in every state";
        let undefined = defined(&document.machine, &read.machine);
        undefined.map_err(|errors| {
            errors
                .into_iter()
                .map(|e| e.with_help(help))
                .collect::<Vec<_>>()
        })?;
        circuit::translation(&read).map_err(|error| {
            vec![Diagnostic::error(
                document.machine.name.span,
                error.to_string(),
            )]
        })
    }
}
