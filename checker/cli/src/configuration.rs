//! `hyperkill.toml` beside the model: options that its users need not repeat. The command line wins.
//!
//! Keys are the long names of options. Keys of other commands are ignored, so that one file serves all commands. A key that no command has
//! is an error.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::{Table, Value};

use crate::args::in_files::{COMMANDS, NOT_FOR_FILES, option, takes_value};
use crate::failure::Failure;
use crate::load::is_stdin;

/// The name of the configuration file.
pub(crate) const FILE: &str = "hyperkill.toml";

/// Options that name files and folders, which a file that came with a model may name in its own folder only.
const PATHS: [&str; 8] = [
    "accept-file",
    "domain",
    "formula-file",
    "include",
    "out",
    "emit",
    "witness",
    "stub",
];
/// A command line with the options of a configuration file.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// The file.
    pub(crate) path: PathBuf,
    /// The command line with the file's options added.
    pub(crate) args: Vec<OsString>,
}

/// Adds the options of the file beside the model to the command line `args`, which is valid without them; `None` if there is no such file.
/// `cli` describes the command line, and `matches` is `args` as parsed.
///
/// # Errors
/// If the file cannot be read or has a key that no command knows.
pub(crate) fn extend(
    args: &[OsString],
    cli: &Command,
    matches: &ArgMatches,
) -> Result<Option<Configuration>, Failure> {
    let Some((name, given)) = matches.subcommand() else {
        return Ok(None);
    };
    let (true, Some(path)) = (COMMANDS.contains(&name), beside_model(given)) else {
        return Ok(None);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let path = path.display();
            return Err(Failure::usage(format!("{path} cannot be read: {error}")));
        }
    };
    let table: Table = text
        .parse()
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let mut added = Vec::new();
    // Options that require another option, which the file may also contain.
    let mut dependent = Vec::new();
    for (key, value) in &table {
        let known = COMMANDS
            .iter()
            .any(|command| option(cli, command, key).is_some());
        if !known {
            let (why, help) = match NOT_FOR_FILES.contains(&key.as_str()) {
                true => (" for files", "it is for the command line only"),
                false => ("", "keys are the long names of options, without the dashes"),
            };
            let path = path.display();
            return Err(
                Failure::usage(format!("{path}: there is no option `{key}`{why}")).with_help(help),
            );
        }
        let Some(option) = option(cli, name, key) else {
            continue;
        };
        if is_given(given, option) {
            continue;
        }
        let mut one = Vec::new();
        push(&mut one, option, key, value)
            .map_err(|problem| Failure::usage(format!("{}: {key}: {problem}", path.display())))?;
        let objection = objection(cli, &behind(args, name, &one));
        if objection == Some(ErrorKind::ArgumentConflict) {
            continue;
        }
        if PATHS.contains(&key.as_str()) && !given.get_flag("allow_outside") {
            must_be_inside(&path, key, value)?;
        }
        if objection == Some(ErrorKind::MissingRequiredArgument) {
            dependent.append(&mut one);
        } else {
            added.append(&mut one);
        }
    }
    let all = [added.clone(), dependent].concat();
    let all = behind(args, name, &all);
    let args = match objection(cli, &all) {
        Some(ErrorKind::MissingRequiredArgument) => behind(args, name, &added),
        _ => all,
    };
    Ok(Some(Configuration { path, args }))
}

/// Returns `args` with these options directly after the name of `command`, or at the end without it. A `--` in `args` comes later.
fn behind(args: &[OsString], command: &str, options: &[OsString]) -> Vec<OsString> {
    let behind = args
        .iter()
        .position(|arg| arg == command)
        .map_or(args.len(), |at| at + 1);
    let mut extended = args.to_vec();
    extended.splice(behind..behind, options.iter().cloned());
    extended
}

/// Returns the kind of error of a command line; `None` if it is valid.
fn objection(cli: &Command, args: &[OsString]) -> Option<ErrorKind> {
    let matches = cli.clone().try_get_matches_from(args);
    matches.err().map(|error| error.kind())
}

/// Returns the path of the configuration file beside the first model. `None` without a model, and for standard input.
fn beside_model(given: &ArgMatches) -> Option<PathBuf> {
    let model = ["files", "file"].iter().find_map(|id| {
        let values = given.try_get_many::<PathBuf>(id).ok()??;
        values.into_iter().next()
    })?;
    if crate::load::is_stdin(model) {
        return None;
    }
    Some(model.parent().unwrap_or(Path::new("")).join(FILE))
}

/// Checks that each path in the value of the option `key` lies in the folder of the configuration file `file`, or is `-`.
fn must_be_inside(file: &Path, key: &str, value: &Value) -> Result<(), Failure> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok();
    for text in values.iter().filter_map(Value::as_str) {
        let named = Path::new(text);
        let real = real(named);
        let is_inside = real
            .zip(folder.as_ref())
            .is_some_and(|(real, folder)| real.starts_with(folder));
        if !is_inside && !is_stdin(named) {
            let file = file.display();
            return Err(Failure::usage(format!(
                "{file}: {key}: {text} is outside of the folder of this file"
            ))
            .with_help(format!(
                "give --{key} on the command line, or allow such files with --allow-outside"
            )));
        }
    }
    Ok(())
}

/// Returns the path with all links resolved. Its last components need not exist. `None` if a link has no target, or no ancestor can be
/// resolved.
fn real(path: &Path) -> Option<PathBuf> {
    let mut there = std::path::absolute(path).ok()?;
    let mut missing = Vec::new();
    loop {
        if let Ok(real) = there.canonicalize() {
            return Some(
                missing
                    .iter()
                    .rev()
                    .fold(real, |path, part| path.join(part)),
            );
        }
        // Writing through a dangling link would create its target, which may lie elsewhere.
        if there.symlink_metadata().is_ok() {
            return None;
        }
        missing.push(there.file_name()?.to_owned());
        there = there.parent()?.to_owned();
    }
}

fn is_given(given: &ArgMatches, option: &Arg) -> bool {
    given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
}

fn push(args: &mut Vec<OsString>, option: &Arg, key: &str, value: &Value) -> Result<(), String> {
    let takes_value = takes_value(option);
    let mut one = |value: String| args.push(format!("--{key}={value}").into());
    match value {
        Value::Boolean(true) if !takes_value => args.push(format!("--{key}").into()),
        Value::Boolean(false) if !takes_value => {}
        _ if !takes_value => return Err("must be true or false".to_owned()),
        Value::Array(values) => {
            for value in values {
                one(scalar(value)?);
            }
        }
        Value::Table(entries) if key == "define" => {
            for (name, value) in entries {
                one(format!("{name}={}", scalar(value)?));
            }
        }
        value => one(scalar(value)?),
    }
    Ok(())
}

fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(value) => Ok(value.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            Err("must be text, a number or a list of them".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    fn extended(config: &str, args: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), config).unwrap();
        let model = folder.path().join("model.smv");
        let mut args: Vec<OsString> = args.iter().map(OsString::from).collect();
        args.push(model.into());
        let mut cli = Cli::command();
        cli.build();
        let matches = cli.clone().try_get_matches_from(&args).unwrap();
        match extend(&args, &cli, &matches) {
            Ok(configuration) => {
                let args = configuration.unwrap().args;
                let text = |arg: OsString| arg.into_string().unwrap();
                Ok(args.into_iter().map(text).collect())
            }
            Err(failure) => Err(format!("{failure:?}")),
        }
    }

    #[test]
    fn keys_become_options_behind_the_command() {
        let config = "timeout = '5s'\nbound = 7\ncontrollable-nd = true\nno-minimise = false\n\
                      nd = ['a*', 'b']\n[define]\ncapacity = 5\n";
        let args = extended(config, &["hyperkill", "run"]).unwrap();
        assert_eq!(
            args[..args.len() - 1],
            [
                "hyperkill",
                "run",
                "--bound=7",
                "--controllable-nd",
                "--define=capacity=5",
                "--nd=a*",
                "--nd=b",
                "--timeout=5s"
            ]
        );
    }

    #[test]
    fn the_command_line_wins() {
        let config = "timeout = '5s'\nproperty = 'phi2'\n";
        let args = ["hyperkill", "run", "--timeout", "9s", "--formula", "x"];
        let args = extended(config, &args).unwrap();
        assert!(
            !args
                .iter()
                .any(|arg| arg.contains("5s") || arg.contains("phi2"))
        );
    }

    #[test]
    fn what_contradicts_the_command_line_or_lacks_what_it_is_about_is_passed_over() {
        let kept = |config: &str, args: &[&str]| {
            let mut kept = extended(config, args).unwrap();
            kept.pop();
            kept.join(" ")
        };
        let config = "mutant = 'm-1'\noperator = 'R*'\nwitness = 'w'\nbound = 3\n";
        assert_eq!(
            kept(config, &["hyperkill", "verify", "--totality"]),
            "hyperkill verify --bound=3 --totality"
        );
        assert_eq!(
            kept(config, &["hyperkill", "verify", "--allow-outside"]),
            "hyperkill verify --bound=3 --witness=w --allow-outside"
        );
        assert_eq!(
            kept(config, &["hyperkill", "verify", "--formula", "x"]),
            "hyperkill verify --bound=3 --mutant=m-1 --operator=R* --formula x"
        );
        // Options of the file may depend on each other.
        let config = "formula = 'x'\nmutant = 'm-1'\n";
        assert_eq!(
            kept(config, &["hyperkill", "verify"]),
            "hyperkill verify --formula=x --mutant=m-1"
        );
    }

    #[test]
    fn keys_of_other_commands_are_passed_over_and_unknown_ones_are_errors() {
        let args = extended("timeout = '5s'\n", &["hyperkill", "list"]).unwrap();
        assert_eq!(args[..2], ["hyperkill", "list"]);
        assert!(args[2].ends_with("model.smv"));
        let error = extended("tiemout = '5s'\n", &["hyperkill", "list"]).unwrap_err();
        assert!(error.contains("tiemout"), "{error}");
        let error = extended("external = 'prove {model}'\n", &["hyperkill", "run"]).unwrap_err();
        assert!(error.contains("no option `external`"), "{error}");
    }
}
