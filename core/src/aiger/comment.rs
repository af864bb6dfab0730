//! The JSON line in the comment section, for types and the mutant table, which AIGER cannot express.
//!
//! Schema `hyperkill.model/1`. A file without the line is complete; the line must fit the circuit.

use serde::{Deserialize, Serialize};

use super::error::RoleError;
use crate::conditional::{Port, sorts};
use crate::events::{EventPort, Side};
use crate::mutant::Mutant;
use crate::{Aig, ConditionalMutant};

/// The schema name in the line.
const SCHEMA: &str = "hyperkill.model/1";

/// The start of the line in every version.
const START: &str = r#"{"schema":"hyperkill.model/"#;

/// Types and mutants in the JSON line.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Comment {
    /// [`SCHEMA`]. It comes first, so that the line can be recognised by its start.
    pub(super) schema: String,
    /// The name of the model.
    pub(super) name: String,
    pub(super) inputs: Vec<Port>,
    pub(super) choices: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// The output that states whether an input has been accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) accepts: Option<String>,
    /// Ports that are read as events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<EventPort>,
    pub(super) mutants: Vec<Mutant>,
}

/// Returns the JSON line of a model for the comment section.
pub(super) fn line(model: &ConditionalMutant) -> String {
    let comment = Comment {
        schema: SCHEMA.to_owned(),
        name: model.name.clone(),
        inputs: model.inputs.clone(),
        choices: model.choices.clone(),
        outputs: model.outputs.clone(),
        accepts: model.accepts.clone(),
        events: model.events.clone(),
        mutants: model.mutants.clone(),
    };
    // The value has strings, numbers and lists only, so serialisation cannot fail.
    serde_json::to_string(&comment).unwrap_or_default()
}

/// Removes the model description from the comments of a circuit, and checks it against the circuit. `None` if there is none.
///
/// # Errors
/// If there are several descriptions, or the description has another schema, is malformed or does not fit the circuit.
pub(super) fn take(aig: &mut Aig) -> Result<Option<Comment>, RoleError> {
    let Some(index) = aig.comments.iter().position(|line| line.starts_with(START)) else {
        return Ok(None);
    };
    let error = |message: String| RoleError::Comment {
        line: index + 1,
        message,
    };
    let line = aig.comments.remove(index);
    if aig.comments.iter().any(|line| line.starts_with(START)) {
        return Err(error("there is a second model description".to_owned()));
    }
    if !line.starts_with(&format!(r#"{{"schema":"{SCHEMA}""#)) {
        return Err(error(format!("only schema `{SCHEMA}` is known")));
    }
    let comment: Comment = serde_json::from_str(&line)
        .map_err(|e| error(format!("malformed model description: {e}")))?;
    let inputs = comment.inputs.iter().chain(&comment.choices);
    check(inputs, aig.inputs().len(), "input").map_err(error)?;
    check(comment.outputs.iter(), aig.outputs.len(), "output").map_err(error)?;
    if let Some(accepts) = &comment.accepts {
        let is_it = |port: &Port| port.name == *accepts && port.bits.len() == 1;
        if !comment.outputs.iter().any(is_it) {
            let message = format!(
                "`{accepts}` is not an output of one bit, so it cannot be the output for acceptance"
            );
            return Err(error(message));
        }
    }
    for of in &comment.events {
        let ports = match of.side {
            Side::Inputs => &comment.inputs,
            Side::Outputs => &comment.outputs,
        };
        let name = &of.port;
        of.fits(&sorts(ports))
            .map_err(|why| error(format!("the list of events of `{name}` {why}")))?;
    }
    Ok(Some(comment))
}

/// Checks that every bit below `count` is in exactly one port, and that every port is as wide as its sort. `kind` is the kind of the bits
/// in messages.
fn check<'a>(
    ports: impl Iterator<Item = &'a Port>,
    count: usize,
    kind: &str,
) -> Result<(), String> {
    let mut owner: Vec<Option<&str>> = vec![None; count];
    for port in ports {
        let name = &port.name;
        if !port.sort.is_well_formed() {
            return Err(format!("`{name}` has the unusable sort `{}`", port.sort));
        }
        if port.sort.width() != port.bits.len() {
            return Err(format!(
                "`{name}` of sort `{}` needs {} bits but has {}",
                port.sort,
                port.sort.width(),
                port.bits.len()
            ));
        }
        for &bit in &port.bits {
            let Some(owner) = owner.get_mut(bit) else {
                return Err(format!(
                    "`{name}` has bit {bit}, but the circuit has {count} {kind}s"
                ));
            };
            if let Some(other) = owner.replace(name) {
                return Err(format!("{kind} {bit} belongs to `{other}` and to `{name}`"));
            }
        }
    }
    match owner.iter().position(Option::is_none) {
        Some(bit) => Err(format!("{kind} {bit} belongs to nothing")),
        None => Ok(()),
    }
}
