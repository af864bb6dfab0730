//! Mutants that a team knows and has accepted, so that a gate is about all others.

use std::collections::BTreeMap;

use crate::documents::MutantResult;

/// The option by which a run writes accepted mutants down.
pub const ACCEPTED: &str = "--accept-mutant=";

/// Mutants that are accepted, each with the reason, which may be empty.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline(BTreeMap<String, String>);

impl Baseline {
    /// Reads lines like `ID REASON`.
    #[must_use]
    pub fn of(accepted: &[String]) -> Baseline {
        let split = accepted.iter().map(|line| {
            let (id, reason) = line.split_once(' ').unwrap_or((line, ""));
            (id.to_owned(), reason.to_owned())
        });
        Baseline(split.collect())
    }

    /// Returns the mutants that the options of a run name.
    #[must_use]
    pub fn asked(options: &[String]) -> Baseline {
        let options = options.iter();
        let accepted: Vec<String> = options
            .filter_map(|option| option.strip_prefix(ACCEPTED))
            .map(str::to_owned)
            .collect();
        Baseline::of(&accepted)
    }

    /// Returns the mutants with the reasons.
    #[must_use]
    pub fn reasons(&self) -> BTreeMap<&str, &str> {
        let accepted = self.0.iter();
        accepted
            .map(|(id, why)| (id.as_str(), why.as_str()))
            .collect()
    }

    /// Whether a gate need not count the mutant with this result.
    #[must_use]
    pub fn takes(&self, result: &MutantResult) -> bool {
        result.is_open() && self.0.contains_key(&result.mutant)
    }

    /// Returns the results that a gate counts.
    #[must_use]
    pub fn others(&self, results: &[MutantResult]) -> Vec<MutantResult> {
        let others = results.iter().filter(|result| !self.takes(result));
        others.cloned().collect()
    }

    /// Returns how many of some results are accepted, and the entries that name none of them, so that they are not needed any more.
    #[must_use]
    pub fn used(&self, results: &[MutantResult]) -> (usize, Vec<&str>) {
        let taken = results.iter().filter(|result| self.takes(result));
        let taken: BTreeMap<&str, ()> = taken.map(|r| (r.mutant.as_str(), ())).collect();
        let ids = self.0.keys().map(String::as_str);
        (
            taken.len(),
            ids.filter(|id| !taken.contains_key(id)).collect(),
        )
    }
}
