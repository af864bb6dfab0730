//! Translates machines of other tools to `.tfsm` text, which is then read like others.
//!
//! Only the DOT of the authors of \[1\] marks mutated transitions; other formats have no time either.

mod dot;
mod lines;
mod machine;

pub(crate) use dot::START;

use hyperkill_frontend::{Diagnostic, SourceFile};

/// Returns the file as `.tfsm` text if it is in another known format.
///
/// # Errors
/// If the file violates its format, with the place.
pub fn translated(source: SourceFile) -> Result<SourceFile, Vec<Diagnostic>> {
    let extension = source.name.rsplit_once('.').map(|(_, extension)| extension);
    let machine = match extension {
        Some("dot") => dot::read(&source.text),
        Some("kiss2" | "kiss") => lines::kiss(&source.text),
        Some("fsm") => lines::fsm(&source.text),
        _ => return Ok(source),
    };
    let machine = machine.map_err(|error| vec![error])?;
    let name = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.split('.').next().filter(|name| !name.is_empty());
    let text = machine.text(name.unwrap_or("machine"));
    text.map(|text| SourceFile { text, ..source })
}
