//! The process under test and all other processes as one timed automaton. Actions of the process under test are outputs, and actions of the
//! others are inputs (semantics.md §8).
//!
//! The passes: `parties` → `offers` → `steps` → `product`.

pub mod fault;
mod offers;
mod parties;
mod product;
mod steps;

use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Diagnostic, FrontendOptions};

use crate::rules::Preset;
use crate::syntax::Model;

/// The value of `--environment`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Environment {
    /// Inputs may come at any time.
    #[default]
    Open,
    /// The other processes of the model give the inputs.
    Network,
}

impl Environment {
    /// Returns the environment that options choose.
    ///
    /// # Errors
    /// If there is none of that name, or other options do not fit it.
    pub fn of(options: &FrontendOptions) -> Result<Environment, Diagnostic> {
        match options.processes.environment.as_deref() {
            None | Some("open") => Ok(Environment::Open),
            Some("network") => fits(options).map(|()| Environment::Network),
            Some(other) => {
                let near = hyperkill_frontend::did_you_mean(other, ["open", "network"]);
                Err(Diagnostic::option(
                    format!("--environment {other}: it is open or network"),
                    near,
                ))
            }
        }
    }
}

/// Checks that no option excludes an environment of other processes.
fn fits(options: &FrontendOptions) -> Result<(), Diagnostic> {
    match Preset::of(options.processes.semantics.as_deref())? {
        Preset::Strict | Preset::Definition7 => Ok(()),
        preset @ (Preset::VerifyTga | Preset::Ecdar) => Err(Diagnostic::option(
            format!(
                "--environment network: --semantics {} is about a process alone",
                preset.name()
            ),
            Some("with other processes it is strict or definition7".to_owned()),
        )),
    }
}

/// Returns the automaton of the process under test of `mutated`, among the other processes of `original`. `wanted` is the name of the
/// process, if the user chose one.
///
/// # Errors
/// If a feature is not supported, or the evaluation of data fails.
pub(crate) fn network(
    mutated: &Model,
    original: &Model,
    wanted: Option<&str>,
) -> Result<Automaton, Diagnostic> {
    let parties = parties::Parties::new(mutated, original, wanted)?;
    product::product(parties)
}
