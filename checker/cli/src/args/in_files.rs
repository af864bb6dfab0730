//! Options that `hyperkill.toml` may contain, and its schema.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command, CommandFactory};
use schemars::Schema;
use serde_json::{Map, Value, json};

use super::Cli;

/// Commands that read models.
pub(crate) const COMMANDS: [&str; 5] = ["run", "translate", "check", "verify", "list"];
/// Options that files must not set: help, version, formats of results, and options that a model must not decide, such as commands to
/// start and files it may reach.
pub(crate) const NOT_FOR_FILES: [&str; 10] = [
    "help",
    "version",
    "format",
    "log-format",
    "color",
    "quiet",
    "verbose",
    "external",
    "allow-outside",
    "in-diff",
];

/// Returns the option with the long name `key` of `command` or of every command; `None` if there is none or files must not set it.
pub(crate) fn option<'c>(cli: &'c Command, command: &str, key: &str) -> Option<&'c Arg> {
    if NOT_FOR_FILES.contains(&key) {
        return None;
    }
    let of_command = cli.find_subcommand(command)?.get_arguments();
    let mut options = of_command.chain(cli.get_arguments());
    options.find(|arg| arg.get_long() == Some(key) && !arg.is_hide_set())
}

/// Whether an option takes a value.
pub(crate) fn takes_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// Returns the JSON Schema of the file, derived from the command line.
pub(super) fn schema() -> Schema {
    let cli = Cli::command();
    let mut properties: BTreeMap<String, Value> = BTreeMap::new();
    for command in COMMANDS {
        let of_command = cli.find_subcommand(command);
        let options = of_command.into_iter().flat_map(Command::get_arguments);
        for named in options.chain(cli.get_arguments()).filter_map(Arg::get_long) {
            if let Some(option) = option(&cli, command, named) {
                let property = || property(named, option);
                properties.entry(named.to_owned()).or_insert_with(property);
            }
        }
    }
    let properties: Map<String, Value> = properties.into_iter().collect();
    let mut schema = Map::new();
    let words = [
        (
            "$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", json!("hyperkill.toml")),
        (
            "description",
            json!("Options beside a model, by their long names. The command line wins."),
        ),
        ("type", json!("object")),
        ("properties", Value::Object(properties)),
        ("additionalProperties", json!(false)),
    ];
    schema.extend(words.map(|(word, says)| (word.to_owned(), says)));
    Schema::from(schema)
}

/// Returns the JSON Schema of the values that `hyperkill.toml` may give for `key`, the long name of `option`.
fn property(key: &str, option: &Arg) -> Value {
    let help = option.get_help().map(ToString::to_string);
    let possible = option.get_possible_values();
    let names: Vec<&str> = possible.iter().map(|value| value.get_name()).collect();
    let one = match (takes_value(option), names.is_empty()) {
        (false, _) => json!({ "type": "boolean" }),
        (true, true) => json!({ "type": ["string", "number", "boolean"] }),
        (true, false) => json!({ "enum": names }),
    };
    let mut alternatives = vec![one.clone()];
    if matches!(option.get_action(), ArgAction::Append) {
        alternatives.push(json!({ "type": "array", "items": one }));
    }
    if key == "define" {
        alternatives.push(json!({ "type": "object", "additionalProperties": one }));
    }
    let mut property = match alternatives.as_slice() {
        [one] => one.clone(),
        _ => json!({ "anyOf": alternatives }),
    };
    if let Some(help) = help {
        property["description"] = json!(help);
    }
    property
}
