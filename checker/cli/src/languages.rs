//! The languages that models may be written in: the one list of front ends.

use hyperkill_frontend::Frontend;

use crate::failure::Failure;

/// Circuits, which need no front end.
pub const AIGER: &str = "aiger";

/// All front ends.
#[must_use]
pub fn all() -> Vec<Box<dyn Frontend>> {
    vec![
        Box::new(hyperkill_smv::SmvFrontend),
        Box::new(hyperkill_netlist::BlifFrontend),
        Box::new(hyperkill_netlist::YosysFrontend),
        Box::new(hyperkill_verilog::VerilogFrontend),
    ]
}

/// Names of all languages.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = all().iter().map(|frontend| frontend.name()).collect();
    names.push(AIGER);
    names
}

/// The front end of this name.
///
/// # Errors
/// If there is none.
pub fn by_name(name: &str) -> Result<Box<dyn Frontend>, Failure> {
    let mut frontends = all().into_iter();
    frontends
        .find(|frontend| frontend.name() == name)
        .ok_or_else(|| {
            let known = names().join(", ");
            Failure::usage(format!("there is no language `{name}`"))
                .with_help(format!("the languages are {known}"))
        })
}

/// The front end for files with this extension.
#[must_use]
pub fn by_extension(extension: &str) -> Option<Box<dyn Frontend>> {
    let mut frontends = all().into_iter();
    frontends.find(|frontend| frontend.extensions().contains(&extension))
}
