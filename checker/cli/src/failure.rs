//! Failures of commands, with their exit statuses.
//!
//! This module has only data; [`crate::diagnostics`] makes text of it.

use std::fmt;

use hyperkill_frontend::{Diagnostic, LineIndex, SourceFile, StaleMutant};

use hyperkill_audit::model::LostMutant;
use hyperkill_checker::decide::DecideError;
use hyperkill_core::bit_blast::BitBlastError;
use hyperkill_core::budget::Stop;
use hyperkill_exec::ExecError;
use hyperkill_exec::score::ScoreError;
use hyperkill_export::ExportError;
use hyperkill_run::certificates::Unwritten;
use hyperkill_run::folder::{FolderError, Unwritable};
use hyperkill_run::load::{Blame, LoadError, Malformed};
use hyperkill_run::merge::MergeError;
use hyperkill_run::own::Fault;
use hyperkill_run::procedure::RunError;
use hyperkill_run::question::Refused;
use hyperkill_run::translated::Unposed;
use hyperkill_run::unfit::Unfit;
use hyperkill_verify::VerifyError;

use crate::exit_code::ExitCode;
use crate::watch::late;

/// A reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// A message without a place in a source.
    Message {
        /// The exit status.
        code: ExitCode,
        /// The failure, outermost context first.
        error: anyhow::Error,
        /// Advice.
        help: Option<String>,
    },
    /// The model, or an option for its front end, is invalid.
    Model {
        /// The exit status.
        code: ExitCode,
        /// The texts that the diagnostics refer to.
        sources: Vec<SourceFile>,
        /// The errors; never empty.
        diagnostics: Vec<Diagnostic>,
    },
    /// A malformed file.
    Bytes {
        /// The name of the file, as the user gave it.
        file: String,
        /// The place and the problem, in one line.
        message: String,
        /// The line of the problem with its column (from 0), for text files.
        excerpt: Option<(String, usize)>,
        /// Advice.
        help: Option<String>,
    },
}

impl Failure {
    /// Returns a usage error: the command line is invalid.
    pub fn usage(error: impl fmt::Display) -> Failure {
        Failure::message(ExitCode::Usage, anyhow::anyhow!("{error}"))
    }

    /// Returns a message with an exit status.
    #[must_use]
    pub fn message(code: ExitCode, error: anyhow::Error) -> Failure {
        Failure::Message {
            code,
            error,
            help: None,
        }
    }

    /// Returns the failure for an invalid model, without a place.
    pub fn model(error: impl fmt::Display) -> Failure {
        Failure::message(ExitCode::InvalidModel, anyhow::anyhow!("{error}"))
    }

    /// Returns the failure with these errors of a front end: a usage error if all are about options, otherwise an invalid model.
    #[must_use]
    pub fn diagnosed(sources: &[SourceFile], diagnostics: Vec<Diagnostic>) -> Failure {
        let options = diagnostics.iter().all(|problem| problem.about_option);
        Failure::Model {
            code: match options {
                true => ExitCode::Usage,
                false => ExitCode::InvalidModel,
            },
            sources: sources.to_vec(),
            diagnostics,
        }
    }

    /// Returns the failure of an external front end of the language `name`; `what` is the problem.
    #[must_use]
    pub fn unusable(name: &str, what: &str) -> Failure {
        Failure::usage(format!("the front end hyperkill-frontend-{name}: {what}")).with_help(
            "docs/src/internals/formats.md defines the interface; report this to the author of the program, or remove it from the path",
        )
    }

    /// Returns the failure of a command that stopped before any decision: interrupted, or undecided after a deadline.
    #[must_use]
    pub fn over(stop: Stop) -> Failure {
        let (code, text) = match stop {
            Stop::Interrupted => (
                ExitCode::Interrupted,
                "interrupted before any mutant was decided".to_owned(),
            ),
            _ => (
                ExitCode::Undecided,
                late("the model was read and its mutants were written"),
            ),
        };
        Failure::message(code, anyhow::anyhow!(text))
    }

    /// Adds advice to a message. Located diagnostics have their own advice.
    #[must_use]
    pub fn with_help(mut self, advice: impl Into<String>) -> Failure {
        if let Failure::Message { help, .. } | Failure::Bytes { help, .. } = &mut self {
            *help = Some(advice.into());
        }
        self
    }

    /// Returns the exit status.
    #[must_use]
    pub fn code(&self) -> ExitCode {
        match self {
            Failure::Message { code, .. } | Failure::Model { code, .. } => *code,
            Failure::Bytes { .. } => ExitCode::InvalidModel,
        }
    }
}

/// Writes messages with their places, one per line. The binary also prints source lines and advice.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Message { error, .. } => write!(f, "{error:#}"),
            Failure::Bytes { file, message, .. } => write!(f, "{file}: {message}"),
            Failure::Model {
                sources,
                diagnostics,
                ..
            } => {
                let lines = diagnostics.iter().map(|diagnostic| {
                    let source = diagnostic.span.and_then(|span| sources.get(span.file));
                    match (source, diagnostic.span) {
                        (Some(source), Some(span)) => {
                            let (line, _) = LineIndex::new(&source.text).line_column(span.start);
                            format!("{}:{line}: {}", source.name, diagnostic.message)
                        }
                        _ => diagnostic.message.clone(),
                    }
                });
                f.write_str(&lines.collect::<Vec<String>>().join("\n"))
            }
        }
    }
}

impl std::error::Error for Failure {}

/// JSON that cannot be read or written is a usage error.
impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::from(anyhow::Error::from(error))
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Failure {
        match error {
            ExportError::Unsuited { message, help } => Failure::Message {
                code: ExitCode::Usage,
                error: anyhow::anyhow!("{message}"),
                help,
            },
            ExportError::Model(message) => Failure::model(message),
            ExportError::Evidence(error) => {
                Failure::message(ExitCode::Evidence, anyhow::Error::from_boxed(error))
            }
            ExportError::Internal(message) => {
                Failure::message(ExitCode::Internal, anyhow::anyhow!("{message}"))
            }
        }
    }
}

impl From<ExecError> for Failure {
    fn from(error: ExecError) -> Failure {
        match error {
            ExecError::Unfit(unfit) => unfit.into(),
            ExecError::Test(error) => error.into(),
        }
    }
}

impl From<ScoreError> for Failure {
    fn from(error: ScoreError) -> Failure {
        match error {
            ScoreError::Unfit(unfit) => unfit.into(),
            ScoreError::NoWalk { sources, errors } => Failure::Model {
                code: ExitCode::Usage,
                sources,
                diagnostics: errors,
            },
            ScoreError::Interrupted => Failure::message(ExitCode::Interrupted, error.into()),
            ScoreError::Unwritable(error) => error.into(),
            ScoreError::Stale(error) => error.into(),
            ScoreError::Evidence(error) => Failure::message(ExitCode::Evidence, error.into()),
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        match refused {
            Refused::Malformed(unfit) => unfit.into(),
            Refused::Undecided { message, help } => {
                let failure = Failure::message(ExitCode::Undecided, anyhow::anyhow!(message));
                match help {
                    Some(help) => failure.with_help(help),
                    None => failure,
                }
            }
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Failure {
        let code = match error {
            VerifyError::Unfit(unfit) => return unfit.into(),
            VerifyError::Formula(refused) => return refused.into(),
            VerifyError::Model(message) => return Failure::model(message),
            VerifyError::Fault(fault) => return fault.into(),
            VerifyError::Unwritable(error) => return error.into(),
            VerifyError::Internal(error) => {
                return Failure::message(ExitCode::Internal, anyhow::Error::from_boxed(error));
            }
            VerifyError::Evidence(_) => ExitCode::Evidence,
            VerifyError::Undone(_) => ExitCode::Internal,
        };
        Failure::message(code, error.into())
            .with_help("this is a bug in hyperkill; please report it with the model")
    }
}

impl From<Unposed> for Failure {
    fn from(error: Unposed) -> Failure {
        match error {
            Unposed::Unfit(unfit) => unfit.into(),
            Unposed::NoCircuit => Failure::message(ExitCode::Internal, error.into()),
        }
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Failure {
        let Malformed {
            file,
            message,
            excerpt,
            help,
        } = malformed;
        Failure::Bytes {
            file,
            message,
            excerpt,
            help,
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Unfit(unfit) => unfit.into(),
            LoadError::Malformed(malformed) => malformed.into(),
            LoadError::Refused {
                blame,
                sources,
                errors: diagnostics,
            } => {
                let code = match blame {
                    Blame::Model => ExitCode::InvalidModel,
                    Blame::Options => ExitCode::Usage,
                    Blame::Either => return Failure::diagnosed(&sources, diagnostics),
                };
                Failure::Model {
                    code,
                    sources,
                    diagnostics,
                }
            }
            LoadError::Model(message) => Failure::model(message),
            LoadError::NoCircuit {
                error:
                    error @ (BitBlastError::MalformedTerm { .. }
                    | BitBlastError::SortMismatch { .. }
                    | BitBlastError::Term(_)),
                ..
            } => Failure::message(ExitCode::Internal, error.into()),
            LoadError::NoCircuit { .. } => Failure::model(error),
            LoadError::Program { name, what } => Failure::unusable(&name, &what),
            LoadError::Over(stop) => Failure::over(stop),
            LoadError::Strange(message) => {
                Failure::message(ExitCode::Evidence, anyhow::anyhow!(message))
            }
            LoadError::GivenUp(_) => Failure::message(ExitCode::Internal, error.into()),
        }
    }
}

impl From<LostMutant> for Failure {
    fn from(error: LostMutant) -> Failure {
        Failure::message(ExitCode::Internal, error.into())
    }
}

impl From<Unwritten> for Failure {
    fn from(error: Unwritten) -> Failure {
        Failure::message(ExitCode::Internal, error.into())
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        let whose = match &fault {
            Fault::Evidence { language, .. } => format!("of the language {language} in hyperkill"),
            Fault::Complete(_) => "in hyperkill".to_owned(),
        };
        Failure::message(ExitCode::Evidence, fault.into()).with_help(format!(
            "this is a bug {whose}; please report it with the model"
        ))
    }
}

impl From<Unfit> for Failure {
    fn from(unfit: Unfit) -> Failure {
        let failure = Failure::usage(&unfit);
        match unfit.help {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        match error {
            FolderError::Unfit(unfit) => unfit.into(),
            FolderError::Malformed { line: Some(_), .. } => Failure::from(anyhow::Error::from(
                error,
            ))
            .with_help("restore it, or delete the line: its mutant then counts as undecided"),
            FolderError::Changed { help, .. } => {
                let failure = Failure::message(ExitCode::Evidence, error.into());
                match help {
                    Some(help) => failure.with_help(help),
                    None => failure,
                }
            }
            error => Failure::from(anyhow::Error::from(error)),
        }
    }
}

impl From<Unwritable> for Failure {
    fn from(error: Unwritable) -> Failure {
        Failure::from(anyhow::Error::from_boxed(error.0))
    }
}

impl From<StaleMutant> for Failure {
    fn from(error: StaleMutant) -> Failure {
        Failure::message(ExitCode::Internal, error.into())
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Failure {
        match error {
            MergeError::Unfit(unfit) => unfit.into(),
            MergeError::Run(error) => error.into(),
            MergeError::Evidence(_) | MergeError::Spoilt(_) => {
                Failure::message(ExitCode::Evidence, error.into())
            }
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let code = match error {
            RunError::Unfit(unfit) => return unfit.into(),
            RunError::Over(stop) => return Failure::over(stop),
            RunError::Fault(fault) => return fault.into(),
            RunError::Folder(error) => return error.into(),
            RunError::Text(error) => return error.into(),
            RunError::Unread { sources, errors } => return Failure::diagnosed(&sources, errors),
            RunError::Undecidable(DecideError::Proof { .. } | DecideError::Kill { .. })
            | RunError::Malformed(_) => ExitCode::Evidence,
            RunError::Undecidable(DecideError::Formula(_))
            | RunError::Unspeakable(_)
            | RunError::Unwritten(_)
            | RunError::Misfit(_)
            | RunError::Stale(_)
            | RunError::Stranger(_)
            | RunError::Forgotten(_) => ExitCode::Internal,
        };
        let is_ours = matches!(error, RunError::Undecidable(_));
        let failure = Failure::message(code, error.into());
        match is_ours {
            true => {
                failure.with_help("this is a bug in hyperkill; please report it with the model")
            }
            false => failure,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::message(ExitCode::Usage, error)
    }
}
