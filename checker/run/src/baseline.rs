//! Accepted mutants: survivors that a team has reviewed. A gate on survivors does not count them.

use std::collections::BTreeMap;

use crate::documents::MutantResult;

/// The prefix of the option that records an accepted mutant in the options of a run.
pub const ACCEPTED: &str = "--accept-mutant=";

/// Accepted mutants, each with its reason. A reason may be empty.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline(BTreeMap<String, String>);

impl Baseline {
    /// Reads accepted mutants from lines like `ID REASON`.
    #[must_use]
    pub fn of(accepted: &[String]) -> Baseline {
        let split = accepted.iter().map(|line| {
            let (id, reason) = line.split_once(' ').unwrap_or((line, ""));
            (id.to_owned(), reason.to_owned())
        });
        Baseline(split.collect())
    }

    /// Returns the mutants that the options of a run accept.
    #[must_use]
    pub fn asked(options: &[String]) -> Baseline {
        let options = options.iter();
        let accepted: Vec<String> = options
            .filter_map(|option| option.strip_prefix(ACCEPTED))
            .map(str::to_owned)
            .collect();
        Baseline::of(&accepted)
    }

    /// Returns the mutants with their reasons.
    #[must_use]
    pub fn reasons(&self) -> BTreeMap<&str, &str> {
        let accepted = self.0.iter();
        accepted
            .map(|(id, why)| (id.as_str(), why.as_str()))
            .collect()
    }

    /// Whether the result is open and its mutant is accepted, so that a gate does not count it.
    #[must_use]
    pub fn takes(&self, result: &MutantResult) -> bool {
        result.is_open() && self.0.contains_key(&result.mutant)
    }

    /// Returns the results that a gate counts: all except results of accepted mutants.
    #[must_use]
    pub fn others(&self, results: &[MutantResult]) -> Vec<MutantResult> {
        let others = results.iter().filter(|result| !self.takes(result));
        others.cloned().collect()
    }

    /// Returns the number of open results of accepted mutants, and the stale entries: entries that match no open result.
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

/// Returns the lines of a baseline file that name a mutant. Each line has the id, followed by the reason.
///
/// # Errors
/// If a line names a mutant again: the number of that line.
pub fn lines(text: &str) -> Result<Vec<String>, usize> {
    let mut known = BTreeMap::new();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(id) = words.first().filter(|id| !id.starts_with('#')) else {
            continue;
        };
        if known.insert((*id).to_owned(), ()).is_some() {
            return Err(number + 1);
        }
        found.push(words.join(" "));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_id_and_perhaps_why_it_is_accepted() {
        let text = "# known\n\nm-1\n  m-2   a   sensor\n#m-3\nm-4 x\n";
        let lines = lines(text).unwrap();
        assert_eq!(lines, ["m-1", "m-2 a sensor", "m-4 x"]);
        let baseline = Baseline::of(&lines);
        let options: Vec<String> = lines
            .iter()
            .map(|line| format!("{ACCEPTED}{line}"))
            .collect();
        assert_eq!(Baseline::asked(&options), baseline);
        let reasons = BTreeMap::from([("m-1", ""), ("m-2", "a sensor"), ("m-4", "x")]);
        assert_eq!(baseline.reasons(), reasons);
        assert_eq!(super::lines("m-1\nm-2\nm-1 again\n"), Err(3));
    }
}
