//! Reads a machine by options.

use hyperkill_frontend::{Diagnostic, FrontendOptions, did_you_mean};
use hyperkill_guarded::lower::{Observed, Reading};
use hyperkill_guarded::tree::{Refusal, System};

/// Returns how options read a machine: the observed parts (`--observe`) and whether refusals are outputs (`--complete`). By default outputs
/// are observed, or states if there are none.
///
/// # Errors
/// If `--observe` names nothing known, or nothing would be observed.
pub(crate) fn reading(
    system: &System,
    options: &FrontendOptions,
) -> Result<Reading, Vec<Diagnostic>> {
    let words = ["outputs", "state", "transition"];
    // Without other observations, states are observed.
    let shows =
        !system.outputs.is_empty() || system.inputs.is_some() || system.refusal == Refusal::Seen;
    let observed = match options.events.observe.as_deref() {
        Some("state") => Observed::State,
        Some("outputs") => Observed::Outputs,
        Some("transition") => Observed::Transition,
        None if shows => Observed::Outputs,
        None => Observed::State,
        Some(other) => {
            let message = format!("--observe {other}: nothing of this name is observed");
            let near = did_you_mean(other, words);
            let help =
                near.unwrap_or_else(|| "it is `outputs`, `state` or `transition`".to_owned());
            return Err(vec![Diagnostic::option(message, Some(help))]);
        }
    };
    if observed == Observed::Outputs
        && !shows
        && !options.events.complete
        && system.refusal == Refusal::Ignored
    {
        let message =
            "--observe outputs: the machine has no output, and ignores events that are not enabled";
        let help = "observe its states (`--observe state`) or its refusals (`refuse;` in the text, or --complete)";
        return Err(vec![Diagnostic::option(message, Some(help.to_owned()))]);
    }
    Ok(Reading {
        observed,
        complete: options.events.complete,
    })
}
