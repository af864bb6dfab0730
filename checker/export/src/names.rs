//! Names in a test bench, and texts that cannot end a comment or a string.

use std::collections::BTreeMap;

use hyperkill_frontend::Hardware;
use hyperkill_frontend::hardware::Pin;

/// Names of the design's ports in the bench, by their names in the design.
pub(crate) struct Names {
    pub(crate) inputs: BTreeMap<String, String>,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) probes: BTreeMap<String, String>,
}

impl Names {
    pub(crate) fn new(hardware: &Hardware) -> Names {
        let named = |pins: &[Pin], prefix: &str| {
            let pins = pins.iter().enumerate();
            pins.map(|(number, pin)| {
                let name = match is_plain(&pin.name) {
                    true => format!("{prefix}_{}", pin.name),
                    false => format!("{prefix}${number}"),
                };
                (pin.name.clone(), name)
            })
            .collect()
        };
        Names {
            inputs: named(&hardware.inputs, "in"),
            outputs: named(&hardware.outputs, "out"),
            probes: named(&hardware.probes, "probe"),
        }
    }
}

/// Whether a name is a plain Verilog identifier, which needs no escape.
fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// Returns an escaped Verilog name. An escape is valid for every name, keywords included, and ends with a space.
pub(crate) fn escaped(name: &str) -> String {
    format!("\\{name} ")
}

/// Returns the text without characters that could end a comment or a string in the exported file.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && !"\"\\%`".contains(*c))
        .collect()
}
