//! Walks through models that other programs write.

use std::path::{Path, PathBuf};

use hyperkill_frontend::SourceFile;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::commands::fixed_inputs::Inputs;
use crate::commands::subject::Subject;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Prepared, read_bytes};
use crate::run_folder;
use crate::session::Session;

/// The walks of a file, or of all files of a folder that is no run; `None` if what is there is a suite.
///
/// # Errors
/// If one is no walk of the model.
pub(super) fn of(
    session: &mut Session<'_>,
    subject: &Subject,
    file: &Path,
) -> Result<Option<Vec<(String, Inputs)>>, Failure> {
    let files = match file.is_dir() {
        true if file.join(run_folder::SUITE).exists() => return Ok(None),
        true => walks_in(file)?,
        false => vec![file.to_owned()],
    };
    let mut texts = Vec::new();
    for file in files.into_iter().filter(|file| file.is_file()) {
        let bytes = read_bytes(session.io, &file)?;
        match String::from_utf8(bytes) {
            Ok(text) if is_walk(&text) => texts.push((file, text)),
            _ => {}
        }
    }
    if texts.is_empty() {
        return Ok(None);
    }
    let recorded = &subject.recorded;
    let prepared = load::prepared(session, &recorded.spec, recorded.origin())?;
    let walks = texts.into_iter().map(|(file, text)| {
        let stem = file.file_stem().unwrap_or(file.as_os_str());
        Ok((
            stem.to_string_lossy().into_owned(),
            read(&prepared, &file, text)?,
        ))
    });
    walks.collect::<Result<_, Failure>>().map(Some)
}

/// The files of a folder that may be walks, by name.
fn walks_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error| {
        let folder = folder.display();
        Failure::usage(format!("{folder} cannot be read: {error}"))
    };
    let entries = std::fs::read_dir(folder).map_err(cannot)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(cannot)?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    Ok(paths)
}

/// Whether a text is a list, or objects that are no document of ours.
fn is_walk(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Document {
        schema: Option<IgnoredAny>,
    }
    // Some editors begin a text with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('[') {
        return true;
    }
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Document>();
    matches!(objects.next(), Some(Ok(Document { schema: None })))
}

fn read(prepared: &Prepared, file: &Path, text: String) -> Result<Inputs, Failure> {
    let walked = (prepared.frontend).walked(&prepared.sources, &prepared.options, &text);
    match walked {
        Ok(Some(inputs)) => Ok(inputs),
        Ok(None) => {
            let (file, language) = (file.display(), prepared.frontend.name());
            let message = format!("{file} is a walk, and models in {language} have none");
            Err(Failure::usage(message))
        }
        Err(diagnostics) => {
            let mut sources = prepared.sources.clone();
            sources.push(SourceFile::new(file.to_string_lossy(), text));
            Err(Failure::Model {
                code: ExitCode::Usage,
                sources,
                diagnostics,
            })
        }
    }
}
