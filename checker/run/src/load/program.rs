//! Models in the language of an external front end (docs/src/internals/formats.md): parses its output, and checks that circuit and table of
//! mutants fit the model.

use std::collections::BTreeSet;

use hyperkill_audit::model::{Checks, Draft, Listed, Loaded};
use hyperkill_checker::external::Trouble;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::{conditional_mutant, read};
use hyperkill_core::mutant::{Mutant, MutantId, Operator};
use hyperkill_frontend::{
    Diagnostic, LineIndex, ModelOption, Severity, SourceFile, Span, apply, lacking,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::describe::{listing, of_texts};
use super::error::{Blame, LoadError};
use super::roles::Asked;
use crate::documents::build::signature;
use crate::patterns::Globs;
use crate::reading::{ModelSpec, Understanding, refuse_others};
use crate::unfit::Unfit;

/// The supported version of a front end's description.
const SCHEMA: &str = "hyperkill.frontend/1";
/// The supported version of a front end's table of mutants.
const MUTANTS: &str = "hyperkill.frontend-mutants/1";

/// A front end's description of itself.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Described {
    schema: String,
    /// The name of its language.
    pub name: String,
    /// Extensions of files in the language, without the dot.
    pub extensions: Vec<String>,
    /// Its mutation operators.
    pub operators: Vec<Operator>,
}

/// The output of `mutants`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Table {
    schema: String,
    mutants: Vec<Row>,
}

/// A mutant in the table.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its id: the name of its selector, without `mut:`.
    pub id: String,
    /// The name of its operator.
    pub operator: String,
    /// Its path in the syntax tree.
    pub path: String,
    /// The first byte of its place.
    pub start: usize,
    /// One past the last byte of its place.
    pub end: usize,
    /// The original text of the place.
    pub original: String,
    /// The replacement.
    pub replacement: String,
    /// The reason why it is not a model, if it is not. Such a mutant has no selector.
    #[serde(default)]
    pub invalid: Option<String>,
}

/// A line of standard error: a diagnostic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    severity: Severity,
    message: String,
    #[serde(default)]
    start: Option<usize>,
    #[serde(default)]
    end: Option<usize>,
    #[serde(default)]
    help: Option<String>,
}

/// A reason why an external front end failed.
#[derive(Debug)]
pub enum Refusal {
    /// The front end refuses the model, with locations in the model.
    Model(Vec<Diagnostic>),
    /// The front end refuses its options.
    Options(Vec<Diagnostic>),
    /// The process failed.
    Trouble(Trouble),
    /// The output breaks the protocol.
    Malformed(String),
}

impl Described {
    /// Parses the description that the front end of this name printed.
    ///
    /// # Errors
    /// If the output breaks the protocol.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Described, Refusal> {
        let description: Described = parsed(bytes, "describe", SCHEMA)?;
        let wrong = |what: String| Err(Refusal::Malformed(what));
        if description.schema != SCHEMA {
            return wrong(other_version("describe", &description.schema, SCHEMA));
        }
        if description.name != name {
            return wrong(format!("it calls itself `{}`", description.name));
        }
        let mut operators = BTreeSet::new();
        for operator in &description.operators {
            if operator.name.is_empty() || !operators.insert(&operator.name) {
                return wrong(format!("it has two operators called `{}`", operator.name));
            }
        }
        Ok(description)
    }

    /// Returns the command-line options of the front end: constants and operators.
    ///
    /// # Errors
    /// If the front end does not have a requested operator.
    pub fn options(&self, asked: &Asked<'_>) -> Result<Vec<String>, Unfit> {
        let mut options = Vec::new();
        for definition in &asked.spec.options.define {
            options.extend(["--define".to_owned(), definition.to_string()]);
        }
        if let Some(globs) = Globs::compile("--operator", asked.operators)? {
            let known = self.operators.iter();
            let chosen = known.filter(|operator| globs.matches(&operator.name));
            for operator in chosen {
                options.extend(["--operator".to_owned(), operator.name.clone()]);
            }
            let what = format!("operator of {}", self.name);
            (globs.must_have_matched(&what))
                .map_err(|unfit| unfit.with_help("`hyperkill operators` lists them"))?;
        }
        Ok(options)
    }

    /// Returns the model with all mutants of the table. Their validity is decided later, as for every front end.
    ///
    /// # Errors
    /// If circuit, table and text do not fit each other, or a role option matches nothing.
    pub fn draft(
        &self,
        sources: &[SourceFile],
        asked: &Asked<'_>,
        printed: &Printed,
    ) -> Result<Draft, LoadError> {
        let name = &self.name;
        let malformed = |what: String| LoadError::Program {
            name: name.clone(),
            what,
        };
        let aig = read(&printed.circuit)
            .map_err(|error| malformed(format!("`translate` prints no AIGER file: {error}")))?;
        let model = conditional_mutant(aig, asked.roles).map_err(|error| {
            malformed(format!("the circuit of `translate` is no model: {error}"))
        })?;
        asked.roles.must_have_matched()?;
        let rows = printed.rows.clone();
        let rows = table(&model, rows, &sources[0], &self.operators).map_err(malformed)?;
        Ok(draft(name, model, rows, sources))
    }
}

/// The output of a front end about a model.
#[derive(Debug)]
pub struct Printed {
    /// An AIGER file.
    pub circuit: Vec<u8>,
    /// The table of mutants.
    pub table: Vec<u8>,
    rows: Vec<Row>,
}

impl Printed {
    /// Parses the table.
    ///
    /// # Errors
    /// If the table breaks the protocol.
    pub fn read(circuit: Vec<u8>, bytes: Vec<u8>) -> Result<Printed, Refusal> {
        let table: Table = parsed(&bytes, "mutants", MUTANTS)?;
        match table.schema == MUTANTS {
            true => Ok(Printed {
                circuit,
                table: bytes,
                rows: table.mutants,
            }),
            false => Err(Refusal::Malformed(other_version(
                "mutants",
                &table.schema,
                MUTANTS,
            ))),
        }
    }
}

impl Refusal {
    /// Returns the reason of a failure. `messages` is the standard error, parsed if it has the agreed form. `how` says how the process
    /// ended.
    #[must_use]
    pub fn of(status: Option<i32>, messages: &str, how: String) -> Refusal {
        let lines = messages.lines();
        let lines = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let diagnostics: Vec<Diagnostic> = lines.map(diagnostic).collect();
        let has_errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
        match status {
            Some(4) if has_errors => Refusal::Model(diagnostics),
            Some(1) if has_errors => Refusal::Options(diagnostics),
            _ => Refusal::Malformed(how),
        }
    }

    /// Returns the refusal as an error of reading a model in the language of this name.
    #[must_use]
    pub fn about(self, name: &str, sources: &[SourceFile]) -> LoadError {
        let name = name.to_owned();
        let (blame, mut errors) = match self {
            Refusal::Model(errors) => (Blame::Model, errors),
            Refusal::Options(errors) => (Blame::Options, errors),
            Refusal::Trouble(trouble) => {
                let what = trouble.to_string();
                return LoadError::Program { name, what };
            }
            Refusal::Malformed(what) => return LoadError::Program { name, what },
        };
        let text = &sources[0].text;
        for error in &mut errors {
            // A span outside of the text is replaced by the complete text.
            let is_in_text = |span: &Span| text.get(span.start..span.end).is_some();
            error.span = error.span.map(|span| match is_in_text(&span) {
                true => span,
                false => Span::new(0, text.len()),
            });
        }
        LoadError::Refused {
            blame,
            sources: sources.to_vec(),
            errors,
        }
    }
}

/// Refuses options that only built-in front ends support.
///
/// # Errors
/// If the user gives one of them.
pub fn refuse_options(name: &str, spec: &ModelSpec) -> Result<(), Unfit> {
    let known = Understanding {
        language: name,
        options: &[
            ModelOption::Define,
            ModelOption::Inputs,
            ModelOption::Outputs,
            ModelOption::Choices,
        ],
        lacks: &|option| match option {
            ModelOption::Selectors => lacking(option),
            _ => "the front end is another program, which does not get this option",
        },
    };
    refuse_others(&spec.options, &known)?;
    match spec.files.as_slice() {
        [_] => Ok(()),
        _ => Err(Unfit::new(format!("a model in {name} is one file"))),
    }
}

fn other_version(command: &str, is: &str, expected: &str) -> String {
    format!("`{command}` prints the schema `{is}`, and only `{expected}` is understood")
}

fn diagnostic(line: Line) -> Diagnostic {
    let span = line.start.map(|start| {
        let end = line.end.unwrap_or(start).max(start);
        Span::new(start, end)
    });
    Diagnostic {
        severity: line.severity,
        span,
        help: line.help,
        ..Diagnostic::unlocated(line.message)
    }
}

/// Parses a JSON document of this schema.
fn parsed<T: DeserializeOwned>(bytes: &[u8], command: &str, schema: &str) -> Result<T, Refusal> {
    // The schema is checked first, since another version may have any other form.
    let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let version = value
        .as_ref()
        .and_then(|value| value.get("schema")?.as_str());
    if let Some(version) = version.filter(|version| *version != schema) {
        return Err(Refusal::Malformed(other_version(command, version, schema)));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        Refusal::Malformed(format!(
            "`{command}` does not print the JSON that is agreed: {error}"
        ))
    })
}

/// Returns the mutants of a table, after checking that its rows fit the circuit, the text and the operators. An `Err` has the reason.
fn table(
    model: &ConditionalMutant,
    rows: Vec<Row>,
    source: &SourceFile,
    operators: &[Operator],
) -> Result<Vec<Listed>, String> {
    let lines = LineIndex::new(&source.text);
    let (mut ids, mut live) = (BTreeSet::new(), BTreeSet::new());
    let mut found = Vec::new();
    for row in rows {
        let id = row.id.clone();
        if !ids.insert(id.clone()) {
            return Err(format!("its table has two mutants called `{id}`"));
        }
        if operators
            .iter()
            .all(|operator| operator.name != row.operator)
        {
            return Err(format!(
                "mutant `{id}` is of the operator `{}`, which it does not describe",
                row.operator
            ));
        }
        let in_text = source.text.get(row.start..row.end).is_some();
        let span = if in_text {
            Span::new(row.start, row.end)
        } else {
            Span::default()
        };
        let mutant = Mutant {
            id: MutantId(row.id),
            operator: row.operator,
            path: row.path,
            place: lines.place(&source.name, span),
            original: row.original,
            replacement: row.replacement,
            changes: Vec::new(),
        };
        if !in_text || apply(&source.text, &mutant).is_err() {
            return Err(format!(
                "mutant `{id}` does not fit the model: at bytes {}..{} there is no `{}`",
                row.start, row.end, mutant.original
            ));
        }
        if row.invalid.is_none() {
            live.insert(id);
        }
        found.push(Listed {
            id: mutant.id.clone(),
            mutant: Some(mutant),
            problem: row.invalid,
        });
    }
    for selector in &model.selectors {
        if !live.remove(&selector.id.0) {
            return Err(format!(
                "the circuit has a mutant `{}` that its table does not have",
                selector.id
            ));
        }
    }
    match live.pop_first() {
        None => Ok(found),
        Some(id) => Err(format!(
            "its table has a mutant `{id}` that the circuit does not have"
        )),
    }
}

fn draft(
    name: &str,
    model: ConditionalMutant,
    listed: Vec<Listed>,
    sources: &[SourceFile],
) -> Draft {
    let description = of_texts(name, sources);
    Draft {
        listed,
        checks: Some(Checks {
            circuit: model.clone(),
            conditions: Vec::new(),
            obligations: Vec::new(),
        }),
        loaded: Loaded {
            listing: listing(description, sources.to_vec(), signature(&model)),
            model,
            validity: None,
            options: None,
        },
        warnings: Vec::new(),
    }
}
