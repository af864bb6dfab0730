//! Models that yosys reads: Verilog files to one netlist.
//!
//! The program runs where the user is, so that files are included as usual, and writes into a folder of our own. Places in
//! the netlist name the files as the user did, wherever they are now.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use hyperkill_checker::external::Trouble;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, did_you_mean};
use hyperkill_run::reading::ModelSpec;
use hyperkill_verilog::{VerilogFrontend, macro_names};

use hyperkill_run::load::kit::{is_stdin, published};

use super::origin::{Origin, read_sources};
use crate::documents::reading::Definition;
use crate::documents::{MadeWord, netlist_name};
use crate::exit_code::ExitCode;
use crate::external::Yosys;
use crate::failure::Failure;
use crate::session::{Level, Session};

/// How long it may take.
const MOST_TIME: Duration = Duration::from_secs(600);
/// Makes a design of registers and functions: no hierarchy, processes, memories or multiplexers with many selects. Where a
/// multiplexer has x for a choice, the other one is taken, as in synthesis.
const PASSES: &str = "memory_map; techmap -map +/pmux2mux.v; opt -mux_undef";

/// The netlist of a model.
///
/// # Errors
/// If yosys is not there, or refuses the model.
pub(super) fn netlist(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    places: &[PathBuf],
) -> Result<SourceFile, Failure> {
    fits_a_netlist(spec)?;
    asks_for_nothing_outside(session, spec, places)?;
    warn_of_unknown_macros(session, spec, places);
    let Some(yosys) = Yosys::find() else {
        return Err(Failure::usage("--via yosys: `yosys` is not on the path")
            .with_help("it is a package of Debian and others: https://github.com/YosysHQ/yosys"));
    };
    // It listens, and its folder must not stay behind.
    let _aside = session.io.watch.no_stage();
    let folder = tempfile::tempdir().context("no temporary folder can be made for yosys")?;
    let result = folder.path().join("netlist.json");
    let script = script(spec, places, &result)?;
    session.say(Level::Detail, format!("yosys: {script}"));
    let budget = session.budget().within(Some(MOST_TIME));
    let trouble = |why| match session.over() {
        Some(over) => over,
        None => trouble(why),
    };
    match yosys.carry_out(&script, &budget).map_err(trouble)? {
        Ok(remarks) => {
            for remark in remarks.lines().filter(|line| !line.trim().is_empty()) {
                session.say(Level::Detail, format!("yosys: {remark}"));
            }
        }
        Err(errors) => {
            let message = format!("yosys refuses the model:\n{errors}");
            return Err(match blames_an_option(&errors, spec) {
                true => Failure::usage(message),
                false => Failure::model(message),
            });
        }
    }
    let mut text = std::fs::read_to_string(&result)
        .with_context(|| format!("{}, which yosys wrote, cannot be read", result.display()))?;
    for (file, place) in spec.files.iter().zip(places) {
        let (name, place) = (published(file), place.to_string_lossy());
        if name != place {
            text = text.replace(&format!("{place}:"), &format!("{name}:"));
        }
    }
    Ok(SourceFile::new(
        netlist_name(&published(&spec.files[0])),
        text,
    ))
}

/// The netlist that yosys made when a run read the model.
///
/// # Errors
/// If the run has not kept it.
pub(super) fn kept(spec: &ModelSpec, origin: Origin<'_>) -> Result<SourceFile, Failure> {
    let text = origin.made(MadeWord::Netlist).map(<[u8]>::to_vec);
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Failure::usage("the run has not kept the netlist of yosys"))?;
    Ok(SourceFile::new(
        netlist_name(&published(&spec.files[0])),
        text,
    ))
}

/// Whether what yosys does not find is what an option names.
fn blames_an_option(errors: &str, spec: &ModelSpec) -> bool {
    let top = spec.options.hardware.top.iter();
    let mut named = top.map(|top| format!("Module `{top}' not found"));
    let parameters = spec.options.hardware.parameters.iter();
    let mut set = parameters.map(|p| format!("find object for defparam `{}`", p.name));
    named.any(|text| errors.contains(&text)) || set.any(|text| errors.contains(&text))
}

/// Warns of macros that the files do not ask for, as the front end for Verilog does. Only yosys knows which files these include.
fn warn_of_unknown_macros(session: &mut Session<'_>, spec: &ModelSpec, places: &[PathBuf]) {
    let mut text = String::new();
    for place in places {
        // Yosys reports a file that cannot be read.
        text.push_str(&std::fs::read_to_string(place).unwrap_or_default());
        text.push('\n');
    }
    let names = macro_names(&text);
    if names.contains(&"include") {
        return;
    }
    for Definition { name, .. } in &spec.options.define {
        if !names.contains(&name.as_str()) {
            let near = did_you_mean(name, names.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; {near}"));
            let message = format!("-D {name}: the sources ask for no macro of this name{near}");
            session.say(Level::Warning, &message);
        }
    }
}

/// Refuses a model that asks for files outside of its folders, as far as our own preprocessor can tell: yosys reads what it likes.
fn asks_for_nothing_outside(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    places: &[PathBuf],
) -> Result<(), Failure> {
    let Ok(sources) = read_sources(session.io, spec, Origin::Places(places)) else {
        return Ok(());
    };
    let constants = spec.options.define.iter().map(|definition| {
        let value = definition.value.clone();
        (
            definition.name.clone(),
            value.unwrap_or_else(|| "1".to_owned()),
        )
    });
    let options = FrontendOptions {
        constants: constants.collect(),
        loader: Some(super::include::loader(spec, session.allow_outside)),
        ..FrontendOptions::default()
    };
    match VerilogFrontend.prepare(sources.clone(), &options) {
        Ok(_) => Ok(()),
        Err(diagnostics) => Err(Failure::Model {
            code: ExitCode::InvalidModel,
            sources,
            diagnostics,
        }),
    }
}

fn trouble(trouble: Trouble) -> Failure {
    Failure::usage(format!("yosys {trouble}"))
}

/// What yosys is told. Nothing that the user wrote may be taken for more than a name.
fn script(spec: &ModelSpec, places: &[PathBuf], result: &Path) -> Result<String, Failure> {
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
            return Err(Failure::usage(
                "--via yosys reads files, not standard input",
            ));
        }
        let language = match file.extension().and_then(|extension| extension.to_str()) {
            Some("sv") => " -sv",
            _ => "",
        };
        let place = word(&place.to_string_lossy(), "the file name", "")?;
        // Otherwise an option, or the home of somebody.
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

/// Sets the parameters of the module on top.
fn parameters(spec: &ModelSpec) -> Result<String, Failure> {
    let hardware = &spec.options.hardware;
    if hardware.parameters.is_empty() {
        return Ok(String::new());
    }
    let Some(top) = &hardware.top else {
        return Err(Failure::usage("-P with --via yosys needs --top")
            .with_help("yosys has to be told whose parameters they are"));
    };
    let mut script = format!("hierarchy -top {}", word(top, "--top", " ")?);
    for definition in &hardware.parameters {
        let problem = |how| Failure::usage(format!("-P {}: {how}", definition.name));
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

/// Options that mean nothing for a netlist, however it was made.
fn fits_a_netlist(spec: &ModelSpec) -> Result<(), Failure> {
    let hardware = &spec.options.hardware;
    if let Some(condition) = hardware.assume.first() {
        return Err(Failure::usage(format!(
            "--assume {condition}: not with --via yosys, whose netlist has no such names"
        )));
    }
    Ok(())
}

/// A text without what means something in a script.
fn word(text: &str, what: &str, also_not: &str) -> Result<String, Failure> {
    let bad = |c: char| c.is_control() || "\"\\;*?[]{}#!'`|".contains(c) || also_not.contains(c);
    match text.chars().find(|&c| bad(c)) {
        None if !text.is_empty() => Ok(text.to_owned()),
        None => Err(Failure::usage(format!("{what} is empty"))),
        Some(c) => Err(Failure::usage(format!(
            "{what} `{text}` has a character, {c:?}, that means something to yosys"
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
