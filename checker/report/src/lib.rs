//! Reports on a run, for people and for other programs: from documents to text.
//!
//! This package reads no files and uses no clock. Every report is a function of [`Findings`]: [`stryker::report`] returns a report in the
//! mutation testing report schema, and [`page::page`] a self-contained HTML page. [`junit::junit`] and [`annotations`] write formats of
//! CI servers. [`text`] writes for the terminal.

pub mod annotations;
mod escape;
pub mod junit;
pub mod page;
mod place;
mod standing;
pub mod stryker;
pub mod text;

use std::collections::BTreeMap;

use hyperkill_audit::documents::{
    LockState, MadeWord, MutantDescription, MutantResult, MutantTable, OperatorResult, Reading,
    SuiteTest, Summary, Timings,
};

pub use standing::{Standing, Status};

/// A source file of the model, as the run read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Name of the file, as in places of mutants.
    pub name: String,
    /// Content of the file.
    pub text: String,
}

/// Returns the seconds spent on each mutant, by its id.
#[must_use]
pub fn seconds(timings: &Timings) -> BTreeMap<&str, f64> {
    let times = timings.mutants.iter();
    times
        .map(|time| (time.mutant.as_str(), time.seconds))
        .collect()
}

/// Returns the source files that places of mutants refer to. `read` receives the file name of a copy in the run folder and its digest.
///
/// # Errors
/// If `read` fails.
pub fn sources<E>(
    reading: &Reading,
    mut read: impl FnMut(&str, &str) -> Result<Vec<u8>, E>,
) -> Result<Vec<Source>, E> {
    let mut sources = Vec::new();
    for source in &reading.sources {
        if let Some(copy) = &source.copy {
            let bytes = read(copy, &source.digest)?;
            sources.push(text(&source.file, &bytes));
        }
    }
    for made in reading
        .made
        .iter()
        .filter(|made| made.what == MadeWord::Netlist)
    {
        if let Some(name) = reading.model_name() {
            let bytes = read(&made.copy, &made.digest)?;
            sources.push(text(&name, &bytes));
        }
    }
    Ok(sources)
}

fn text(name: &str, bytes: &[u8]) -> Source {
    Source {
        name: name.to_owned(),
        text: String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Results of a run, the input of every report.
#[derive(Debug)]
pub struct Findings<'a> {
    /// Mutants of the run.
    pub table: &'a MutantTable,
    /// A result for each mutant, in the same order.
    pub results: &'a [MutantResult],
    /// Numbers by operator with the predictions of the language's guidelines, as far as both exist.
    pub by_operator: Option<&'a [OperatorResult]>,
    /// Tests of the suite; `None` before the suite is written.
    pub suite: Option<&'a [SuiteTest]>,
    /// The killing formula, and the determinism of the original as far as known, once the run has recorded them.
    pub asked: Option<(&'a str, &'a str)>,
    /// Mutants that the user accepts while they survive or are undecided: id and reason.
    pub accepted: BTreeMap<&'a str, &'a str>,
    /// Seconds spent on each mutant, by id.
    pub seconds: BTreeMap<&'a str, f64>,
    /// Times of the parts of the run, once recorded.
    pub timings: Option<&'a Timings>,
    /// Source texts that places of mutants refer to.
    pub sources: &'a [Source],
    /// Whether the run is complete, goes on, was interrupted or failed.
    pub state: LockState,
    /// Version of hyperkill that writes the report.
    pub version: &'a str,
}

impl Findings<'_> {
    /// Returns each mutant with its result and its standing: its status with respect to the suite.
    fn mutants(&self) -> Vec<(&MutantDescription, &MutantResult, Standing)> {
        let kills = standing::kills(self.suite);
        let pairs = self.table.mutants.iter().zip(self.results);
        pairs
            .map(|(mutant, result)| {
                let standing = Standing::of(result, kills.as_ref());
                let why = self.accepted.get(mutant.id.as_str());
                let standing = why.map_or(standing.clone(), |why| standing.accepted(why));
                (mutant, result, standing)
            })
            .collect()
    }

    fn summary(&self) -> Summary {
        Summary::of(self.results)
    }
}
