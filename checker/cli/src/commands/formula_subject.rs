//! What a formula is about: a model, or several systems side by side, one for each trace.

use std::path::{Path, PathBuf};

use hyperkill_checker::hyperltl::FormulaError;
use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::signals::near;
use hyperkill_formulas::systems::SystemsError;
use hyperkill_formulas::{ComposeError, Formula, Systems, TraceVar};
use hyperkill_frontend::LineIndex;

use super::circuit::circuit;
use super::refused_formula::undecidable;
use super::whole_model::{model_by_itself, model_of};
use crate::args::VerifyArgs;
use crate::documents::Reading;
use crate::failure::Failure;
use crate::languages;
use crate::load::Origin;
use crate::model::Loaded;
use crate::run_folder::SOURCES;
use crate::session::Session;

/// A formula and what it is about.
pub(super) struct Subject {
    /// The models, each once.
    pub(super) loaded: Vec<Loaded>,
    /// The system of each trace of the prefix.
    pub(super) of: Vec<usize>,
    /// All models in one circuit, if there are several.
    pub(super) systems: Option<Systems>,
    /// The formula as the user wrote it.
    pub(super) written: Formula,
    /// The formula, said of the circuit.
    pub(super) said: Formula,
    /// Where the text of the formula is from, and the text, if that is known.
    pub(super) text: Option<(String, String)>,
}

impl Subject {
    /// Puts models together. `of` is the model of each trace of the prefix.
    ///
    /// # Errors
    /// If the formula cannot be said of them.
    pub(super) fn new(
        mut loaded: Vec<Loaded>,
        of: Vec<usize>,
        formula: &Formula,
    ) -> Result<Subject, Failure> {
        let mut subject = Subject {
            systems: None,
            said: formula.clone(),
            written: formula.clone(),
            loaded: Vec::new(),
            text: None,
            of,
        };
        if loaded.len() > 1 {
            for (number, loaded) in loaded.iter_mut().enumerate().skip(1) {
                keep_apart(&mut loaded.listing.reading, number);
            }
            let named = |loaded: &Loaded| ConditionalMutant {
                name: loaded.listing.description.name.clone(),
                ..loaded.model.clone()
            };
            let models = loaded.iter().map(named).collect();
            let systems = Systems::join(models).map_err(Failure::usage)?;
            let place = |trace: &TraceVar| formula.position(trace).map_or(0, |at| subject.of[at]);
            let said = systems.said(formula, &place);
            subject.said = said.map_err(|error| unsaid(&systems, formula, error))?;
            subject.systems = Some(systems);
        }
        subject.loaded = loaded;
        Ok(subject)
    }

    /// The circuit that traces are of.
    pub(super) fn model(&self) -> &ConditionalMutant {
        match &self.systems {
            Some(systems) => &systems.model,
            None => &self.loaded[0].model,
        }
    }

    /// What traces of the original and of the mutant, or of each system, are traces of.
    pub(super) fn names(&self) -> Vec<&str> {
        match &self.systems {
            Some(systems) => systems.names(),
            None => vec!["original", "mutant"],
        }
    }

    /// Why the formula is not decided, with the place of what is wrong in its text.
    pub(super) fn undecidable(&self, error: FormulaError) -> Failure {
        let name = match &error {
            FormulaError::Compose(
                ComposeError::UnknownSignal { name }
                | ComposeError::NotOneBit { name, .. }
                | ComposeError::NoSuchValue { name, .. }
                | ComposeError::SortsDiffer { left: name, .. },
            ) => Some(name.clone()),
            _ => None,
        };
        let place = name.and_then(|name| place_of(self.text.as_ref()?, &name));
        match place {
            Some(place) => undecidable(error, self.model(), &place),
            None => undecidable(error, self.model(), &self.written),
        }
    }

    /// The variables of the traces of a model; none if there is only one model.
    pub(super) fn traces(&self, number: usize) -> Vec<String> {
        if self.systems.is_none() {
            return Vec::new();
        }
        let traces = self.written.prefix.iter().zip(&self.of);
        let own = traces.filter(|(_, of)| **of == number);
        own.map(|((_, trace), _)| trace.to_string()).collect()
    }
}

/// Copies of the files of all models but the first have names of their own.
fn keep_apart(reading: &mut Reading, number: usize) {
    let which = match number {
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        _ => format!("system-{}", number + 1),
    };
    let own = |copy: &mut String| {
        if let Some(name) = copy.strip_prefix(&format!("{SOURCES}/")) {
            *copy = format!("{SOURCES}/{which}-{name}");
        }
    };
    for source in &mut reading.sources {
        source.copy.iter_mut().for_each(own);
    }
    for made in &mut reading.made {
        own(&mut made.copy);
    }
}

/// The line and the column of a name in a text.
fn place_of((origin, text): &(String, String), name: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(name).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    let (line, column) = LineIndex::new(text).line_column(found.next()?.0);
    Some(format!("{origin}: line {line}, column {column}"))
}

fn unsaid(systems: &Systems, formula: &Formula, error: SystemsError) -> Failure {
    let failure = Failure::usage(format!("{formula}: {error}"));
    if let SystemsError::UnknownSignal { name, system, .. } = &error
        && let names = near(systems.system(*system), name)
        && !names.is_empty()
    {
        return failure.with_help(format!("there is {}", names.join(", ")));
    }
    failure
}

/// Reads what a formula is about.
///
/// # Errors
/// If a model cannot be read, or the formula cannot be said of it.
pub(super) fn read(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    formula: &Formula,
) -> Result<Subject, Failure> {
    let (files, of) = files(args, formula)?;
    let mut loaded = Vec::new();
    for file in &files {
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
    let mut subject = Subject::new(loaded, of, formula)?;
    subject.text = match (&args.formula, &args.formula_file) {
        (Some(text), _) => Some(("--formula".to_owned(), text.clone())),
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file);
            text.ok().map(|text| (file.display().to_string(), text))
        }
        (None, None) => None,
    };
    Ok(subject)
}

/// The files, and which of them each trace is of.
fn files(args: &VerifyArgs, formula: &Formula) -> Result<(Vec<PathBuf>, Vec<usize>), Failure> {
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
    let (mut files, mut of) = (Vec::new(), Vec::new());
    for (_, trace) in &formula.prefix {
        let mut named = args.system.iter();
        let named = named.find(|system| system.trace == trace.to_string());
        let file: &Path = match named {
            Some(system) => &system.file,
            None if args.file.as_os_str().is_empty() => {
                return Err(
                    Failure::usage(format!("nothing says what trace {trace} is of")).with_help(
                        format!("--system {trace}=FILE does, or FILE for all others"),
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
    Ok((files, of))
}

/// Whether a file is a model in another language, from which circuits are made.
fn is_a_model(file: &Path) -> bool {
    let frontend = languages::of_file(file);
    frontend.is_some_and(|frontend| languages::own(frontend.name()).is_none())
}
