//! The model and its mutants: `mutants.json`, and the result of `list --format json`.

use std::path::Path;

use hyperkill_core::conditional::Port;
use hyperkill_core::events::EventPort;
use hyperkill_core::mutant::{Change, Mutant};
use hyperkill_core::sort::Sort;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reading::ModelOptions;

/// The model of a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModelDescription {
    /// Name of the first file, `-` for standard input.
    pub name: String,
    /// Language of the model; `aiger` for circuits.
    pub language: String,
    /// SHA-256 of names and contents of all files, and of the options of reading them.
    pub hash: String,
}

/// Files and options of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// Names of the files as the user gave them; an absolute name is reduced to its last component.
    pub files: Vec<String>,
    /// Places of the files relative to the run folder, for files with absolute names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub places: Vec<String>,
    /// All other options that determine the meaning of the model.
    #[serde(flatten)]
    pub options: ModelOptions,
    /// Mutation operators.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operators: Vec<String>,
    /// Digests of the files above in their order, followed by the files that they include. Files that another program read are missing.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sources: Vec<SourceDigest>,
    /// Artefacts derived from the files: results of other programs, which are read in place of the files, and lists of mutants.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub made: Vec<MadeDigest>,
}

/// The content of a file of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SourceDigest {
    /// Name of the file as the user gave it; an absolute name is reduced to its last component.
    pub file: String,
    /// Place of the file relative to the run folder, if its name was absolute.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// SHA-256 of the bytes of the file.
    pub digest: String,
    /// For a file that others include or read: the name under which they include it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked_as: Option<String>,
    /// Copy of the file in the run folder, which later commands read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy: Option<String>,
}

/// An artefact derived from a model before its mutants are decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeDigest {
    /// Kind of the artefact.
    pub what: MadeWord,
    /// SHA-256 of the bytes of the artefact.
    pub digest: String,
    /// Place of the artefact in the run folder.
    pub copy: String,
}

/// Kinds of artefacts derived from models, mostly by other programs.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum MadeWord {
    /// Netlist made by yosys.
    Netlist,
    /// Description of an external front end by itself.
    Frontend,
    /// Circuit made by an external front end.
    Circuit,
    /// Table of mutants made by an external front end.
    Mutants,
    /// Selected higher-order mutants: a line for each, with its id and the ids of its changes.
    Combinations,
    /// Selected mutants of the model: their ids, one per line.
    Taken,
}

impl MadeWord {
    /// Returns the ending of the name of the artefact's copy in a run folder, such as `netlist.json`.
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
    /// Returns the names of the copied sources and made artefacts in the run folder, each with its SHA-256. Runs of earlier releases have
    /// none.
    pub fn copies(&self) -> impl Iterator<Item = (&str, &str)> {
        let sources = self.sources.iter();
        let sources = sources.filter_map(|source| Some((source.copy.as_deref()?, &*source.digest)));
        let made = self.made.iter().map(|made| (&*made.copy, &*made.digest));
        sources.chain(made)
    }

    /// Returns the name of the model: its first file, or the netlist that another program makes of this file. `None` if there are no files.
    #[must_use]
    pub fn model_name(&self) -> Option<String> {
        let first = self.files.first()?;
        Some(match self.options.hardware.via {
            Some(_) => netlist_name(first),
            None => first.clone(),
        })
    }
}

/// Returns the name of the netlist that another program makes of a file: the file's name with the ending `json`.
#[must_use]
pub fn netlist_name(file: &str) -> String {
    let name = Path::new(file).with_extension("json");
    name.to_string_lossy().into_owned()
}

/// `mutants.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantTable {
    /// Name and version of the schema: `hyperkill.mutants/2`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// Files and options that are needed to read the model again. Missing in lists without a run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reading: Option<Reading>,
    /// Inputs, choices and outputs of the model.
    pub signature: Signature,
    /// Reasons for the roles of signals that an option or a heuristic assigned.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub roles: Vec<String>,
    /// Names of the choices that only mutants have.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub choices_of_mutants: Vec<String>,
    /// The selected mutants, in catalogue order.
    pub mutants: Vec<MutantDescription>,
}

impl MutantTable {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.mutants/2";
}

/// Controlled and observed variables of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// Test inputs.
    pub inputs: Vec<PortDescription>,
    /// Nondeterministic choices.
    pub choices: Vec<PortDescription>,
    /// Observed outputs.
    pub outputs: Vec<PortDescription>,
    /// Ports that are read as events, for languages whose steps are events.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[schemars(with = "Vec<EventPortDescription>")]
    pub events: Vec<EventPort>,
}

/// A port whose value is the label of an event.
#[derive(JsonSchema)]
#[schemars(rename = "EventPort")]
#[expect(
    dead_code,
    reason = "the schema of a type of the core, which knows no schemas"
)]
struct EventPortDescription {
    /// Name of the port. If there is only one event, no port of this name need exist.
    port: String,
    /// Side of this port and of all parameters: `inputs` or `outputs`.
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
    /// Value of the port for this event.
    label: String,
    /// Parameters in their order; missing if there are none.
    #[schemars(default)]
    parameters: Vec<EventParameter>,
}

/// A parameter of an event: either a port or a constant value.
#[derive(JsonSchema)]
#[expect(
    dead_code,
    reason = "the schema of a type of the core, which knows no schemas"
)]
struct EventParameter {
    /// Port that holds the value.
    #[schemars(default)]
    port: Option<String>,
    /// Constant value, a number or a symbol.
    #[schemars(default)]
    value: Option<serde_json::Value>,
}

/// Returns a file name for documents: as the user gave it, with absolute names reduced to their last component.
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
    /// Name of the variable.
    pub name: String,
    /// Type of the variable: bit, boolean, enum, range, word.
    #[serde(rename = "type")]
    pub kind: String,
    /// Values of the type, as text.
    pub domain: String,
    /// Number of bits of the encoding.
    pub width: usize,
}

impl PortDescription {
    /// Returns the description of a port of a circuit.
    #[must_use]
    pub fn of(port: &Port) -> PortDescription {
        PortDescription::of_variable(&port.name, &port.sort)
    }

    /// Returns the description of a variable with this name and type.
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

/// A mutant before it is decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantDescription {
    /// Id of the mutant.
    pub id: String,
    /// Whether the mutant is a valid model.
    pub status: StatusWord,
    /// Reason why the mutant is invalid.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Mutation operator, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// Structural path of the place, independent of unrelated edits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Place in the source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<PlaceDescription>,
    /// Source text at the place. For several changes: their source texts, separated by ` … `.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// Text of the mutant at the place; empty for a deletion. For several changes: their replacements, separated by ` … `.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replacement: Option<String>,
    /// Changes of the file in ascending order, if there are several. The text between them is unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub changes: Vec<ChangeDescription>,
    /// Source difference, with `list --diff`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
}

impl MutantDescription {
    /// Returns the description of a mutant with this id. `invalid` is the reason why it is no valid model.
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
    /// Source text at the place.
    pub original: String,
    /// Text of the mutant at the place; empty for a deletion.
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

/// Validity of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StatusWord {
    /// The mutant is a valid model.
    Live,
    /// The mutant is stillborn.
    Invalid,
}

/// A place in a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlaceDescription {
    /// File name as the user gave it; an absolute name is reduced to its last component.
    pub file: String,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start, from 1, in characters.
    pub column: usize,
    /// First byte of the place.
    pub start: usize,
    /// One past the last byte of the place.
    pub end: usize,
}
