//! The model and its mutants: `mutants.json`, and what `list --format json` writes.

use std::path::Path;

use hyperkill_core::conditional::Port;
use hyperkill_core::events::EventPort;
use hyperkill_core::mutant::{Change, Mutant};
use hyperkill_core::sort::Sort;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reading::ModelOptions;

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModelDescription {
    /// Name of the first file, `-` for standard input.
    pub name: String,
    /// Language it is written in; `aiger` for circuits.
    pub language: String,
    /// SHA-256 over names and contents of all files, as read with the options written in.
    pub hash: String,
}

/// Files and options of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The files as the user gave them, without the folder if that was absolute.
    pub files: Vec<String>,
    /// Where the files were as seen from the run folder, if their names were absolute.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub places: Vec<String>,
    /// Everything else that decides what the model means.
    #[serde(flatten)]
    pub options: ModelOptions,
    /// Mutation operators.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operators: Vec<String>,
    /// What the files held: those above in their order, then those that they include, as far as they were read here and not by
    /// another program.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sources: Vec<SourceDigest>,
    /// What was made of them: by another program, which was read in their place, or the list of mutants of higher order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub made: Vec<MadeDigest>,
}

/// What a file of a model held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SourceDigest {
    /// The file as the user gave it, without the folder if that was absolute.
    pub file: String,
    /// Where it was as seen from the run folder, if its name was absolute.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// Of a file that others include or read: the name by which they ask for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked_as: Option<String>,
    /// Its copy in the run folder, which is read from then on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy: Option<String>,
}

/// What was made of a model before it was decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeDigest {
    /// What it is.
    pub what: MadeWord,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// Where it is in the run folder.
    pub copy: String,
}

/// What is made of models, mostly by other programs.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum MadeWord {
    /// The netlist that yosys made.
    Netlist,
    /// What a front end says of itself.
    Frontend,
    /// The circuit that it made.
    Circuit,
    /// The table of mutants that it made.
    Mutants,
    /// The mutants of higher order that were taken: a line for each, its id and those of its changes.
    Combinations,
    /// The mutants that were taken of all that the model has: their ids, a line each.
    Taken,
}

impl MadeWord {
    /// How the name of a copy ends.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            MadeWord::Netlist => "netlist.json",
            MadeWord::Frontend => "frontend.json",
            MadeWord::Circuit => "circuit.aig",
            MadeWord::Mutants => "mutants.json",
            MadeWord::Combinations => "combinations.tsv",
            MadeWord::Taken => "taken.txt",
        }
    }
}

impl Reading {
    /// The copies in the run folder with what they must be: name and digest. Empty in runs of earlier releases.
    pub fn copies(&self) -> impl Iterator<Item = (&str, &str)> {
        let sources = self.sources.iter();
        let sources = sources.filter_map(|source| Some((source.copy.as_deref()?, &*source.digest)));
        let made = self.made.iter().map(|made| (&*made.copy, &*made.digest));
        sources.chain(made)
    }

    /// What a model that was read so is called: after its first file, or after the netlist that another program makes of it.
    #[must_use]
    pub fn model_name(&self) -> Option<String> {
        let first = self.files.first()?;
        Some(match self.options.hardware.via {
            Some(_) => netlist_name(first),
            None => first.clone(),
        })
    }
}

/// What the netlist is called that another program makes of a file.
#[must_use]
pub fn netlist_name(file: &str) -> String {
    let name = Path::new(file).with_extension("json");
    name.to_string_lossy().into_owned()
}

/// `mutants.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantTable {
    /// `hyperkill.mutants/2`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// How it was read: what it takes to read it again. Missing in lists that no run belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reading: Option<Reading>,
    /// Its inputs and outputs.
    pub signature: Signature,
    /// How roles were assigned where an option or heuristic decided.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub roles: Vec<String>,
    /// Names of the choices that only mutants have, not the model.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub choices_of_mutants: Vec<String>,
    /// The selected mutants in catalogue order.
    pub mutants: Vec<MutantDescription>,
}

impl MutantTable {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.mutants/2";
}

/// What the tester controls and sees.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// Test inputs.
    pub inputs: Vec<PortDescription>,
    /// Choices that neither tester nor mutant controls.
    pub choices: Vec<PortDescription>,
    /// Observables.
    pub outputs: Vec<PortDescription>,
    /// Ports that are read as events, where steps of the language are events.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[schemars(with = "Vec<EventPortDescription>")]
    pub events: Vec<EventPort>,
}

/// A port whose value is the label of the event that happens.
#[derive(JsonSchema)]
#[schemars(rename = "EventPort")]
#[expect(
    dead_code,
    reason = "the schema of a type of the core, which knows no schemas"
)]
struct EventPortDescription {
    /// Its name. If there is one event only, a port of this name need not exist.
    port: String,
    /// The side of this port and of all parameters: `inputs` or `outputs`.
    side: String,
    /// The events, one for each value of the port.
    events: Vec<EventDescription>,
}

/// An event.
#[derive(JsonSchema)]
#[schemars(rename = "Event")]
#[expect(
    dead_code,
    reason = "the schema of a type of the core, which knows no schemas"
)]
struct EventDescription {
    /// The value of the port that stands for it.
    label: String,
    /// Its parameters in their order; missing if it has none.
    #[schemars(default)]
    parameters: Vec<EventParameter>,
}

/// A parameter of an event: one of the two.
#[derive(JsonSchema)]
#[expect(
    dead_code,
    reason = "the schema of a type of the core, which knows no schemas"
)]
struct EventParameter {
    /// The port that has its value.
    #[schemars(default)]
    port: Option<String>,
    /// Its only value, a number or a symbol.
    #[schemars(default)]
    value: Option<serde_json::Value>,
}

/// A file name as documents have it: as the user gave it, without the folder if that was absolute.
#[must_use]
pub fn published_name(name: &str) -> String {
    let path = Path::new(name);
    if path.is_absolute() {
        path.file_name()
            .map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned())
    } else {
        name.to_owned()
    }
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PortDescription {
    /// Its name.
    pub name: String,
    /// Its type: bit, boolean, enum, range, word.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its values, in words.
    pub domain: String,
    /// Bits of its encoding.
    pub width: usize,
}

impl PortDescription {
    /// Describes a port.
    #[must_use]
    pub fn of(port: &Port) -> PortDescription {
        PortDescription::of_variable(&port.name, &port.sort)
    }

    /// Describes a variable.
    #[must_use]
    pub fn of_variable(name: &str, sort: &Sort) -> PortDescription {
        let kind = match sort {
            Sort::Bit => "bit",
            Sort::Bool => "boolean",
            Sort::Enum { .. } => "enum",
            Sort::Range { .. } => "range",
            Sort::Word { .. } => "word",
        };
        let domain = match sort {
            Sort::Bit => "0, 1".to_owned(),
            Sort::Bool => "FALSE, TRUE".to_owned(),
            _ => sort.to_string(),
        };
        PortDescription {
            name: name.to_owned(),
            kind: kind.to_owned(),
            domain,
            width: sort.width(),
        }
    }
}

/// A mutant before anybody decided it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantDescription {
    /// Its id.
    pub id: String,
    /// Whether it is a model at all.
    pub status: StatusWord,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The mutation operator, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// Where, structurally: a path that unrelated edits do not change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Where in the source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<PlaceDescription>,
    /// The source text there. Of several changes: their source texts, with ` … ` between them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// The text there in the mutant. Empty: deleted. Of several changes: their texts, with ` … ` between them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replacement: Option<String>,
    /// The changes of the file, ascending, if there are several. The text between them stays.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub changes: Vec<ChangeDescription>,
    /// The difference of the sources, with `list --diff`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
}

impl MutantDescription {
    /// Describes a mutant. `invalid` is why it is no model.
    #[must_use]
    pub fn of(id: &str, mutant: Option<&Mutant>, invalid: Option<&str>) -> MutantDescription {
        MutantDescription {
            id: id.to_owned(),
            status: if invalid.is_some() {
                StatusWord::Invalid
            } else {
                StatusWord::Live
            },
            reason: invalid.map(str::to_owned),
            operator: mutant.map(|m| m.operator.clone()),
            path: mutant
                .map(|m| m.path.clone())
                .filter(|path| !path.is_empty()),
            place: mutant.map(|m| PlaceDescription {
                file: published_name(&m.place.file),
                line: m.place.line,
                column: m.place.column,
                start: m.place.start,
                end: m.place.end,
            }),
            original: mutant.map(|m| m.original.clone()),
            replacement: mutant.map(|m| m.replacement.clone()),
            changes: mutant.map_or_else(Vec::new, |m| {
                m.changes.iter().map(ChangeDescription::of).collect()
            }),
            diff: None,
        }
    }
}

/// One of several changes of a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeDescription {
    /// First byte of the place.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The source text there.
    pub original: String,
    /// The text there in the mutant. Empty: deleted.
    pub replacement: String,
}

impl ChangeDescription {
    fn of(change: &Change) -> ChangeDescription {
        ChangeDescription {
            start: change.start,
            end: change.end,
            original: change.original.clone(),
            replacement: change.replacement.clone(),
        }
    }
}

/// Whether a mutant is a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatusWord {
    /// It is.
    Live,
    /// Stillborn.
    Invalid,
}

/// A place in a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlaceDescription {
    /// File name as the user gave it, without the folder if that was absolute.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}
