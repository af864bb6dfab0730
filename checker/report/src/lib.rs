//! What a run has found, for people and for other programs: from its documents to text.
//!
//! Nothing here reads a file or knows the time. Every function takes [`Findings`] and gives the same text for the same findings:
//! [`stryker::report`] a report that follows the mutation testing report schema, [`page::page`] one page that needs no network,
//! [`junit::junit`] and [`annotations`] what servers of continuous integration read. [`text`] is for the terminal.

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

/// A file of the model as the run has read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name, as places of mutants have it.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// Times by mutant.
#[must_use]
pub fn seconds(timings: &Timings) -> BTreeMap<&str, f64> {
    let times = timings.mutants.iter();
    times
        .map(|time| (time.mutant.as_str(), time.seconds))
        .collect()
}

/// The texts that places of mutants are in, by the names that these have. `read` is given the name of a copy and its digest.
///
/// # Errors
/// As `read`.
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

/// What is known of a run.
#[derive(Debug)]
pub struct Findings<'a> {
    /// Its mutants.
    pub table: &'a MutantTable,
    /// A result for each of them, in the same order.
    pub results: &'a [MutantResult],
    /// Numbers by operator beside what guidelines of the language say, once the run has said so and if it has guidelines.
    pub by_operator: Option<&'a [OperatorResult]>,
    /// The tests of its suite; `None` while there is no suite yet.
    pub suite: Option<&'a [SuiteTest]>,
    /// The killing formula asked, and what is known of the original, once the run has said so.
    pub asked: Option<(&'a str, &'a str)>,
    /// Mutants that somebody has accepted as long as they are open, by id, with the reason.
    pub accepted: BTreeMap<&'a str, &'a str>,
    /// Seconds spent on mutants, by id.
    pub seconds: BTreeMap<&'a str, f64>,
    /// Where the time went, once the run has said so.
    pub timings: Option<&'a Timings>,
    /// The texts that places of mutants are in.
    pub sources: &'a [Source],
    /// How far the run is.
    pub state: LockState,
    /// The version of hyperkill that reports.
    pub version: &'a str,
}

impl Findings<'_> {
    /// Each mutant with its result and where it stands.
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
