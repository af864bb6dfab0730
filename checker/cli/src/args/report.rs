//! What `hyperkill report` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(super) const HELP: &str = "\
Written are report.html, one page that needs no network, report.json, which follows the mutation testing report schema 2, and \
junit.xml. A run that is finished has the page in its folder anyway; this is for runs that go on or were killed, for those of earlier \
releases, and for other programs.\n\n\
Example:\n  hyperkill report beverage.out -o public\n  hyperkill report beverage.out --annotate github";

/// Who shows annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AnnotationChoice {
    /// Commands for the runners of GitHub's actions.
    Github,
    /// A code quality report for GitLab.
    Gitlab,
    /// A log in the static analysis results interchange format.
    Sarif,
}

/// `hyperkill report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Folder of the run
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Folder for the files; what else is there stays
    #[arg(short, long, value_name = "DIR", default_value = "hyperkill.report")]
    pub out: PathBuf,
    /// Write no files: print what survives or is undecided at its lines, as a server of continuous integration reads it
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "out")]
    pub annotate: Option<AnnotationChoice>,
}
