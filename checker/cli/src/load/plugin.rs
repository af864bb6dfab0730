//! Models in the language of a front end that is another program: its circuit and its table of mutants, and whether they fit the model.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::{conditional_mutant, read};
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_frontend::{Diagnostic, LineIndex, ModelOption, SourceFile, Span, apply, lacking};
use hyperkill_run::reading::{ModelSpec, Understanding, refuse_others};

use super::files::describe;
use super::origin::{Kit, Origin};
use super::roles::Asked;
use crate::documents::build::signature;
use crate::documents::{MadeWord, Reading};
use crate::exit_code::ExitCode;
use crate::external::{FrontendProgram, Refusal, Row};
use crate::failure::Failure;
use crate::languages::unusable;
use crate::model::{Checks, Draft, Listed, Listing, Loaded};
use crate::session::Session;
use hyperkill_run::patterns::Globs;

/// Options that only mean something to a front end that is built in.
///
/// # Errors
/// That one of them is given.
pub(super) fn refuse_options(name: &str, spec: &ModelSpec) -> Result<(), Failure> {
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
            _ => "the language is another program's, which is not told",
        },
    };
    refuse_others(&spec.options, &known)?;
    match spec.files.as_slice() {
        [_] => Ok(()),
        _ => Err(Failure::usage(format!("a model in {name} is one file"))),
    }
}

/// The front end whose words a run has kept; `None` if it has kept none.
pub(super) fn kept(name: &str, origin: Origin<'_>) -> Option<Result<FrontendProgram, Failure>> {
    let description = origin.made(MadeWord::Frontend)?;
    let circuit = origin.made(MadeWord::Circuit)?;
    let table = origin.made(MadeWord::Mutants)?;
    let kept = FrontendProgram::kept(name, description, circuit, table);
    Some(kept.map_err(|refusal| match refusal {
        Refusal::Malformed(what) => unusable(name, &what),
        other => unusable(name, &format!("{other:?}")),
    }))
}

/// Reads a model, and keeps what the program says of it.
///
/// # Errors
/// If the program does not do what is agreed, finds the model wrong, or is told what it does not know.
pub(super) fn translate(
    session: &mut Session<'_>,
    frontend: &FrontendProgram,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    kit: &mut Kit,
) -> Result<Draft, Failure> {
    let Asked {
        spec,
        roles,
        operators,
        ..
    } = *asked;
    let name = &frontend.description.name;
    let source = &sources[0];
    let options = options(frontend, spec, operators)?;
    // It listens, and its file must not stay behind.
    let aside = session.io.watch.no_stage();
    let folder = tempfile::tempdir().context("no temporary folder can be made for a front end")?;
    let file = folder.path().join("model");
    std::fs::write(&file, &source.text).context("the model cannot be handed to a front end")?;
    let budget = session.budget();
    let made = frontend.translate(&file, &options, &budget);
    let made = made.and_then(|bytes| Ok((bytes, frontend.mutants(&file, &options, &budget)?)));
    drop(aside);
    let (bytes, (table_bytes, rows)) = made.map_err(|refusal| match session.over() {
        Some(over) => over,
        None => refused(name, &sources, refusal),
    })?;
    let malformed = |what: String| unusable(name, &what);
    let aig = read(&bytes)
        .map_err(|error| malformed(format!("`translate` prints no AIGER file: {error}")))?;
    let model = conditional_mutant(aig, roles)
        .map_err(|error| malformed(format!("the circuit of `translate` is no model: {error}")))?;
    roles.must_have_matched()?;
    let rows = table(&model, rows, source, frontend).map_err(malformed)?;
    kit.add_made(MadeWord::Frontend, frontend.described.clone());
    kit.add_made(MadeWord::Circuit, bytes);
    kit.add_made(MadeWord::Mutants, table_bytes);
    Ok(draft(name, model, rows, &sources))
}

/// What the program is told: constants and operators.
fn options(
    frontend: &FrontendProgram,
    spec: &ModelSpec,
    operators: &[String],
) -> Result<Vec<String>, Failure> {
    let mut options = Vec::new();
    for definition in &spec.options.define {
        options.extend(["--define".to_owned(), definition.to_string()]);
    }
    if let Some(globs) = Globs::compile("--operator", operators)? {
        let known = frontend.description.operators.iter();
        let chosen = known.filter(|operator| globs.matches(&operator.name));
        for operator in chosen {
            options.extend(["--operator".to_owned(), operator.name.clone()]);
        }
        let what = format!("operator of {}", frontend.description.name);
        (globs.must_have_matched(&what))
            .map_err(|failure| failure.with_help("`hyperkill operators` lists them"))?;
    }
    Ok(options)
}

fn refused(name: &str, sources: &[SourceFile], refusal: Refusal) -> Failure {
    let located = |diagnostics: Vec<Diagnostic>| {
        let whole = Span::new(0, sources[0].text.len());
        let in_text = |span: &Span| sources[0].text.get(span.start..span.end).is_some();
        let mut diagnostics = diagnostics;
        for diagnostic in &mut diagnostics {
            // A place outside of the text is none.
            diagnostic.span = diagnostic
                .span
                .map(|span| if in_text(&span) { span } else { whole });
        }
        diagnostics
    };
    let (code, diagnostics) = match refusal {
        Refusal::Model(diagnostics) => (ExitCode::InvalidModel, diagnostics),
        Refusal::Options(diagnostics) => (ExitCode::Usage, diagnostics),
        Refusal::Trouble(trouble) => return unusable(name, &trouble.to_string()),
        Refusal::Malformed(what) => return unusable(name, &what),
    };
    Failure::Model {
        code,
        sources: sources.to_vec(),
        diagnostics: located(diagnostics),
    }
}

/// The table of mutants, if it fits the circuit and the text.
fn table(
    model: &ConditionalMutant,
    rows: Vec<Row>,
    source: &SourceFile,
    frontend: &FrontendProgram,
) -> Result<Vec<(Mutant, Option<String>)>, String> {
    let operators = &frontend.description.operators;
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
        found.push((mutant, row.invalid));
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

/// The model with all mutants of the table. Which of them are models is asked later, as of every front end.
fn draft(
    name: &str,
    model: ConditionalMutant,
    rows: Vec<(Mutant, Option<String>)>,
    sources: &[SourceFile],
) -> Draft {
    let listed = rows.into_iter().map(|(mutant, problem)| Listed {
        id: mutant.id.clone(),
        mutant: Some(mutant),
        problem,
    });
    let texts = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    Draft {
        listed: listed.collect(),
        checks: Some(Checks {
            circuit: model.clone(),
            conditions: Vec::new(),
            obligations: Vec::new(),
        }),
        loaded: Loaded {
            listing: Listing {
                description: describe(&sources[0].name, name, texts),
                reading: Reading::default(),
                copies: Vec::new(),
                catalogue: Vec::new(),
                role_notes: Vec::new(),
                places: BTreeMap::new(),
                sources: sources.to_vec(),
                signature: signature(&model),
            },
            model,
            validity: None,
            options: None,
        },
        warnings: Vec::new(),
    }
}
