//! Models that Yosys reads: converts Verilog files to one netlist.
//!
//! Yosys runs in the user's directory, so that includes work as usual, and writes into a temporary folder. Locations in the netlist use the
//! user's file names, wherever the files are now.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use hyperkill_checker::external::Trouble;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, did_you_mean};
use hyperkill_run::reading::ModelSpec;
use hyperkill_verilog::{VerilogFrontend, macro_names};

use hyperkill_run::load::kit::published;
use hyperkill_run::load::yosys::{blames_an_option, must_fit_a_netlist, script};

use super::origin::{Origin, read_sources};
use crate::documents::reading::Definition;
use crate::documents::{MadeWord, netlist_name};
use crate::exit_code::ExitCode;
use crate::external::Yosys;
use crate::failure::Failure;
use crate::session::{Level, Session};

/// The time limit of Yosys.
const MOST_TIME: Duration = Duration::from_secs(600);
/// Returns the netlist of a model.
///
/// # Errors
/// If Yosys is not installed, or refuses the model.
pub(super) fn netlist(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    places: &[PathBuf],
) -> Result<SourceFile, Failure> {
    must_fit_a_netlist(spec)?;
    asks_for_nothing_outside(session, spec, places)?;
    warn_of_unknown_macros(session, spec, places);
    let Some(yosys) = Yosys::find() else {
        return Err(Failure::usage("--via yosys: `yosys` is not on the path")
            .with_help("it is a package of Debian and others: https://github.com/YosysHQ/yosys"));
    };
    // The call ends by itself after an interrupt, and then deletes its folder. So the process must not be ended earlier.
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

/// Returns the netlist that Yosys made for a run, as the run has stored it.
///
/// # Errors
/// If the run has not stored it.
pub(super) fn kept(spec: &ModelSpec, origin: Origin<'_>) -> Result<SourceFile, Failure> {
    let text = origin.made(MadeWord::Netlist).map(<[u8]>::to_vec);
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Failure::usage("the run has not kept the netlist of yosys"))?;
    Ok(SourceFile::new(
        netlist_name(&published(&spec.files[0])),
        text,
    ))
}

/// Warns of macros that no file uses, as the Verilog front end does. Only Yosys knows the included files.
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

/// Refuses a model that includes files outside of its folders, as far as our preprocessor sees. Yosys itself reads any file.
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
