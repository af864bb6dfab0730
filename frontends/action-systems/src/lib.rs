//! Action systems in the notation of \[2\]: reads texts with the extension `as` to the tree of `frontends/guarded`, which does the rest.
//!
//! The semantics is in semantics.md §9, and the syntax in the book's page on action systems.

mod reader;
mod spelling;

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, Listed, ModelOption, SourceFile, did_you_mean, lacking,
};
use hyperkill_guarded::front::{OPTIONS, Written, single};
use hyperkill_guarded::lower::{Observed, Reading};
use hyperkill_guarded::mutate;
use hyperkill_guarded::tree::System;

pub use reader::read;
pub use spelling::LANGUAGE;

/// The language of action systems.
#[derive(Clone, Copy, Default, Debug)]
pub struct ActionSystemFrontend;

impl ActionSystemFrontend {
    /// The name of the language.
    pub const NAME: &'static str = "action-system";
}

impl Frontend for ActionSystemFrontend {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["as"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(&LANGUAGE)
    }

    fn options(&self) -> &'static [ModelOption] {
        OPTIONS
    }

    fn lacks(&self, option: ModelOption) -> &'static str {
        match option {
            ModelOption::Define => "action systems have no named constants",
            option => lacking(option),
        }
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        with(sources, options, |written| written.translated())
    }

    fn listed(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
        shows_ports: bool,
    ) -> Result<Listed, Vec<Diagnostic>> {
        with(sources, options, |written| written.listed(shows_ports))
    }
}

fn with<T>(
    sources: &[SourceFile],
    options: &FrontendOptions,
    does: impl FnOnce(&Written<'_>) -> Result<T, Vec<Diagnostic>>,
) -> Result<T, Vec<Diagnostic>> {
    let source = single(sources, "an action system")?;
    let read = read(source)?;
    does(&Written {
        system: &read.system,
        source,
        comments: &read.comments,
        language: &LANGUAGE,
        reading: reading(&read.system, options)?,
        options,
        rejects: &|_| (),
    })
}

/// Returns how options read a system: the observed parts (`--observe`) and whether refusals are outputs (`--complete`). By default states
/// are observed, or outputs if the system has a list of inputs.
///
/// # Errors
/// If `--observe` names nothing known.
fn reading(system: &System, options: &FrontendOptions) -> Result<Reading, Vec<Diagnostic>> {
    let observed = match options.events.observe.as_deref() {
        Some("state") => Observed::State,
        Some("outputs") => Observed::Outputs,
        // In [2] states are observed; with inputs and outputs, these are.
        None if system.inputs.is_none() => Observed::State,
        None => Observed::Outputs,
        Some(other) => {
            let message = format!("--observe {other}: nothing of this name is observed");
            let near = did_you_mean(other, ["state", "outputs"]);
            let help = near.unwrap_or_else(|| "it is `state` or `outputs`".to_owned());
            return Err(vec![Diagnostic::option(message, Some(help))]);
        }
    };
    Ok(Reading {
        observed,
        complete: options.events.complete,
    })
}
