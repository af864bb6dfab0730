//! The Yosys script that makes a netlist of Verilog files.

use std::path::{Path, PathBuf};

use super::kit::is_stdin;
use crate::reading::ModelSpec;
use crate::unfit::Unfit;

/// The Yosys passes that reduce a design to registers and functions: no hierarchy, processes, memories or multiplexers with many selects.
/// Replaces a multiplexer that has x for a choice by its other choice, as synthesis does.
const PASSES: &str = "memory_map; techmap -map +/pmux2mux.v; opt -mux_undef";

/// Whether Yosys fails since a module or parameter of an option does not exist.
#[must_use]
pub fn blames_an_option(errors: &str, spec: &ModelSpec) -> bool {
    let top = spec.options.hardware.top.iter();
    let mut named = top.map(|top| format!("Module `{top}' not found"));
    let parameters = spec.options.hardware.parameters.iter();
    let mut set = parameters.map(|p| format!("find object for defparam `{}`", p.name));
    named.any(|text| errors.contains(&text)) || set.any(|text| errors.contains(&text))
}

/// Returns the script that reads a model from these paths and writes the netlist into a file. Text of the user is quoted, so that it cannot
/// become a command.
///
/// # Errors
/// If a name has a special character of Yosys, or options do not fit.
pub fn script(spec: &ModelSpec, places: &[PathBuf], result: &Path) -> Result<String, Unfit> {
    let mut options = String::new();
    for folder in &spec.options.hardware.include {
        let folder = word(&folder.to_string_lossy(), "-I", " ")?;
        options.push_str(&format!(" -I{folder}"));
    }
    for definition in &spec.options.define {
        let definition = word(&definition.to_string(), "-D", " ")?;
        options.push_str(&format!(" -D{definition}"));
    }
    let mut script = String::new();
    for (file, place) in spec.files.iter().zip(places) {
        if is_stdin(file) {
            return Err(Unfit::new("--via yosys reads files, not standard input"));
        }
        let language = match file.extension().and_then(|extension| extension.to_str()) {
            Some("sv") => " -sv",
            _ => "",
        };
        let place = word(&place.to_string_lossy(), "the file name", "")?;
        // Yosys takes `-` or `+` at the beginning for an option, `~` for a home directory, and `<` for a here-document.
        let place = if place.starts_with(['-', '~', '+', '<']) {
            format!("./{place}")
        } else {
            place
        };
        script.push_str(&format!("read_verilog{language}{options} \"{place}\"; "));
    }
    let top = match &spec.options.hardware.top {
        Some(top) => format!("-top {}", word(top, "--top", " ")?),
        None => "-auto-top".to_owned(),
    };
    script.push_str(&parameters(spec)?);
    let result = word(&result.to_string_lossy(), "the temporary folder", "")?;
    Ok(format!(
        "{script}prep -flatten {top}; {PASSES}; write_json \"{result}\""
    ))
}

/// Returns the commands that set the parameters of the top module.
fn parameters(spec: &ModelSpec) -> Result<String, Unfit> {
    let hardware = &spec.options.hardware;
    if hardware.parameters.is_empty() {
        return Ok(String::new());
    }
    let Some(top) = &hardware.top else {
        return Err(Unfit::new("-P with --via yosys needs --top")
            .with_help("without --top yosys does not know the module of the parameters"));
    };
    let mut script = format!("hierarchy -top {}", word(top, "--top", " ")?);
    for definition in &hardware.parameters {
        let problem = |how| Unfit::new(format!("-P {}: {how}", definition.name));
        let (name, value) = definition.valued().map_err(problem)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_'-.".contains(c);
        if value.is_empty() || !value.chars().all(plain) {
            return Err(problem(format!("yosys takes numbers, not `{value}`")));
        }
        let name = word(&name, "-P", " ")?;
        script.push_str(&format!(" -chparam {name} {value}"));
    }
    Ok(script + "; ")
}

/// Refuses options that do not apply to a netlist.
///
/// # Errors
/// If the user gives one of them.
pub fn must_fit_a_netlist(spec: &ModelSpec) -> Result<(), Unfit> {
    let hardware = &spec.options.hardware;
    if let Some(condition) = hardware.assume.first() {
        return Err(Unfit::new(format!(
            "--assume {condition}: the netlist of --via yosys does not have the names of the source"
        )));
    }
    Ok(())
}

/// Returns the text unchanged, for use in a script. `also_not` lists further forbidden characters, `what` names the text in messages.
///
/// # Errors
/// If the text is empty or has a forbidden character.
fn word(text: &str, what: &str, also_not: &str) -> Result<String, Unfit> {
    let bad = |c: char| c.is_control() || "\"\\;*?[]{}#!'`|".contains(c) || also_not.contains(c);
    match text.chars().find(|&c| bad(c)) {
        None if !text.is_empty() => Ok(text.to_owned()),
        None => Err(Unfit::new(format!("{what} is empty"))),
        Some(c) => Err(Unfit::new(format!(
            "{what} `{text}` contains {c:?}, which is a special character of yosys"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_a_script_is_refused() {
        for bad in ["", "a\"b", "a;b", "a\nb", "a\\b", "*.v", "#x", "`id`"] {
            assert!(word(bad, "x", " ").is_err(), "{bad}");
        }
        assert!(word("a b", "x", " ").is_err());
        assert_eq!(word("dir/a b-c_1.v", "x", "").unwrap(), "dir/a b-c_1.v");
    }
}
