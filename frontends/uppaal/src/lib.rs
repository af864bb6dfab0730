//! Reads Uppaal models (XML of versions 3.4 to 5 or the textual format), types them, unfolds one process to a timed automaton, and makes
//! its mutants.
//!
//! Their semantics is in semantics.md §8. Mutants are not decided as circuits but by packages of this language: `decide` by zones,
//! `recheck` by constraints. Both use this package to read and unfold, and have no algorithm in common.
//!
//! The passes: [`document`] or [`xta`] → [`reader`] → [`check`](mod@check) → [`unfold`](mod@unfold), [`mutate`].

pub mod check;
pub mod compose;
mod conditions;
pub mod declarations;
mod differences;
pub mod document;
pub mod ecdar;
mod emit;
pub mod fault;
mod featured;
pub mod guidelines;
mod kinds;
pub mod lexer;
mod machine;
mod model;
pub mod mutate;
pub mod network;
mod nta;
mod on_demand;
pub mod parser;
mod priorities;
mod process;
pub mod query;
pub mod reader;
pub mod rules;
mod second;
mod statements;
pub mod syntax;
pub mod tester;
mod totalise;
mod typing;
pub mod unfold;
pub mod uvl;
mod values;
pub mod xml;
pub mod xta;

pub use model::{
    ACCEPTED, INPUT, Model, OUTPUT, REFUSED, SILENCE, Typed, read, read_automaton, read_mutant,
    typed,
};

use hyperkill_core::mutant::{Mutant, Operator};
use hyperkill_core::system::Translation;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, lacking};

use model::{only, order};
use network::Environment;
use totalise::Totalise;

/// The reason to refuse a model with two successors for the same action.
pub const AMBIGUOUS: &str = "the process is not deterministic: an action may lead to two states";

/// The reason to refuse a model without a good initial state.
pub const NO_GOOD_START: &str = "the process is inconsistent: it has no good initial state";

/// Returns the error of a refused process, with a suggestion.
#[must_use]
pub fn refused(why: &str, options: &FrontendOptions) -> Vec<Diagnostic> {
    let refused = Diagnostic::unlocated(why);
    let is_network = options.processes.environment.as_deref() == Some("network");
    vec![match why {
        NO_GOOD_START if is_network => refused.with_help(
            "the others can bring it to where it stops time and can make no output that they receive",
        ),
        _ => refused,
    }]
}

/// Returns the reason why the text of a mutant is no model: the message of the first error.
#[must_use]
pub fn no_model(errors: &[Diagnostic]) -> String {
    errors
        .first()
        .map_or(String::new(), |error| error.message.clone())
}

/// Uppaal models in `.xml` and `.xta` files.
#[derive(Clone, Copy, Default, Debug)]
pub struct UppaalFrontend;

impl UppaalFrontend {
    /// The name of the language, as in `--language`.
    pub const NAME: &str = "uppaal";
}

/// Returns the queries of a file about refinement, consistency and determinism.
///
/// # Errors
/// If it is no model.
pub fn queries(sources: &[SourceFile]) -> Result<Vec<String>, Vec<Diagnostic>> {
    let nta = document::read(only(sources)?)?;
    let mut queries = nta.queries;
    queries.retain(|query| query::Query::is_one(query));
    Ok(queries)
}

/// Returns a model of the textual format as XML, the form of mutants. Errors are reported at places of the text.
fn in_xml(source: &str, options: &FrontendOptions) -> Result<String, Vec<Diagnostic>> {
    let typed = typed(source)?;
    if let Err(mut errors) = typed.automaton(&typed.model, options) {
        errors.retain(|error| error.span.is_some());
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    Ok(xml::written(&typed.nta))
}

/// The options of timed automata, in both languages.
const OPTIONS: &[ModelOption] = &[
    ModelOption::Sut,
    ModelOption::Environment,
    ModelOption::Semantics,
    ModelOption::Totalise,
    ModelOption::Ticks,
    ModelOption::Complete,
];

impl Frontend for UppaalFrontend {
    fn name(&self) -> &'static str {
        UppaalFrontend::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xml", "xta"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators()
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => {
                "options set no constants in Uppaal models: write the constant into the file"
            }
            ModelOption::Inputs | ModelOption::Outputs | ModelOption::Choices => {
                "the edges of channels determine inputs and outputs"
            }
            option => lacking(option),
        }
    }

    /// Returns the model as XML, completed by `--totalise`, with declarations of the channels that new transitions of mutants need.
    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        let how =
            Totalise::of(options.processes.totalise.as_deref()).map_err(|error| vec![error])?;
        let order = order(options)?;
        let prepared = sources.into_iter().map(|source| {
            let mut text = match xta::is_xta(&source.text) {
                true => in_xml(&source.text, options)?,
                false => source.text.clone(),
            };
            if let Some(how) = how {
                text = totalise::totalised(&text, options, how)?;
            }
            for _ in 0..order {
                // Errors are reported when the file is read.
                if let Ok(nta) = document::read(&text) {
                    text = mutate::with_channels(&text, &nta);
                }
            }
            Ok(SourceFile { text, ..source })
        });
        prepared.collect()
    }

    fn emitted(
        &self,
        mutated: &str,
        options: &FrontendOptions,
    ) -> Result<(String, Option<&'static str>), Vec<Diagnostic>> {
        match Environment::of(options).map_err(|error| vec![error])? {
            Environment::Open => Ok((emit::with_io(mutated, options)?, Some("xml"))),
            // The line is for tools that test the process alone.
            Environment::Network => Ok((mutated.to_owned(), Some("xml"))),
        }
    }

    fn featured(
        &self,
        sources: &[SourceFile],
        mutants: &[&Mutant],
        options: &FrontendOptions,
    ) -> Option<Result<String, Vec<Diagnostic>>> {
        Some(only(sources).and_then(|text| featured::featured(text, mutants, options)))
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        read(sources, options)?;
        let message = "zones make the circuit of an Uppaal model, which this package has not: \
                       `Decision::circuit` of the procedure that decides it";
        Err(vec![Diagnostic::unlocated(message)])
    }
}
