//! The models of a formula: options assign them to its traces.

use std::path::{Path, PathBuf};

use hyperkill_formulas::Formula;
use hyperkill_frontend::SourceFile;
use hyperkill_verify::subject::Subject;

use super::circuit::circuit;
use super::whole_model::{model_by_itself, model_of};
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::languages;
use crate::load::Origin;
use crate::session::Session;

/// Reads the models of a formula.
///
/// # Errors
/// If a model cannot be read, or the formula does not apply to it.
pub(super) fn read(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    formula: &Formula,
) -> Result<Subject, Failure> {
    let named = files(args, formula)?;
    let mut loaded = Vec::new();
    for file in &named.files {
        loaded.push(match is_a_model(file) {
            true => {
                let model = model_of(args, file);
                model_by_itself(
                    session,
                    model,
                    Origin::Places(std::slice::from_ref(file)),
                    formula,
                )?
            }
            false => circuit(session, file, &args.roles)?,
        });
    }
    let mut subject = Subject::new(loaded, named.of, formula)?;
    subject.text = match (&args.formula, &args.formula_file) {
        (Some(text), _) => Some(SourceFile::new("--formula", text.clone())),
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file);
            let name = file.display().to_string();
            text.ok().map(|text| SourceFile::new(name, text))
        }
        (None, None) => None,
    };
    Ok(subject)
}

/// The files of a formula's models.
struct Files {
    /// The files without repetition.
    files: Vec<PathBuf>,
    /// For each trace the index of its file.
    of: Vec<usize>,
}

fn files(args: &VerifyArgs, formula: &Formula) -> Result<Files, Failure> {
    let bound = |name: &str| {
        formula
            .prefix
            .iter()
            .any(|(_, trace)| trace.to_string() == name)
    };
    if let Some(system) = args.system.iter().find(|system| !bound(&system.trace)) {
        let traces = formula.prefix.iter().map(|(_, trace)| trace.to_string());
        let traces: Vec<String> = traces.collect();
        return Err(Failure::usage(format!(
            "--system {}=…: the formula is about {}",
            system.trace,
            traces.join(", ")
        )));
    }
    for (at, system) in args.system.iter().enumerate() {
        if args.system[..at]
            .iter()
            .any(|earlier| earlier.trace == system.trace)
        {
            return Err(Failure::usage(format!(
                "--system {}=…: given twice",
                system.trace
            )));
        }
    }
    let (mut files, mut of) = (Vec::new(), Vec::new());
    for (_, trace) in &formula.prefix {
        let mut named = args.system.iter();
        let named = named.find(|system| system.trace == trace.to_string());
        let file: &Path = match named {
            Some(system) => &system.file,
            None if args.file.as_os_str().is_empty() => {
                return Err(
                    Failure::usage(format!("no model is given for trace {trace}")).with_help(
                        format!(
                            "name it with --system {trace}=FILE, or give FILE for all other traces"
                        ),
                    ),
                );
            }
            None => &args.file,
        };
        let known = files.iter().position(|known: &PathBuf| known == file);
        of.push(known.unwrap_or(files.len()));
        if known.is_none() {
            files.push(file.to_owned());
        }
    }
    if files.is_empty() {
        files.push(args.file.clone());
    }
    Ok(Files { files, of })
}

/// Whether a file, by its name, is a source of a built-in language whose models become circuits.
fn is_a_model(file: &Path) -> bool {
    let frontend = languages::of_file(file);
    frontend.is_some_and(|frontend| languages::own(frontend.name()).is_none())
}
