//! Arguments of `hyperkill report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(super) const HELP: &str = "\
The output folder gets three files: report.html, a page that needs no network; report.json, in the mutation testing report schema 2; \
and junit.xml. The folder of a finished run already has report.html. Use this command for a run that goes on or was killed, for a run of \
an earlier release, or to get the files for other programs.\n\n\
Example:\n  hyperkill report beverage.out -o public\n  hyperkill report beverage.out --annotate github";

/// Formats of annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AnnotationChoice {
    /// Workflow commands for the runners of GitHub Actions.
    Github,
    /// A code quality report for GitLab.
    Gitlab,
    /// A log in the static analysis results interchange format (SARIF).
    Sarif,
}

/// `hyperkill report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Output folder; other files in it stay
    #[arg(short, long, value_name = "DIR", default_value = "hyperkill.report")]
    pub out: PathBuf,
    /// Print annotations of surviving and undecided mutants for a CI server, and write no files
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "out")]
    pub annotate: Option<AnnotationChoice>,
}
