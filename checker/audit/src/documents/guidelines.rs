//! Verdicts by operator, beside the prediction of a language's guidelines, which recognise needless mutants by their change alone.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::mutant::MutantId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::MutantDescription;
use super::result::{MutantResult, VerdictWord};

/// The mutants of one operator.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorResult {
    /// The operator. Mutants with several changes have the names of all, as in `TMI+CXL`.
    pub operator: String,
    /// The number of mutants.
    pub mutants: usize,
    /// The number of killed mutants: they do not refine the model.
    pub non_subsumed: usize,
    /// The number of equivalent mutants: they refine the model.
    pub subsumed: usize,
    /// The number of invalid mutants: they are not models, or have no initial state in which they are consistent.
    pub inconsistent: usize,
    /// The number of undecided mutants.
    pub unknown: usize,
    /// The number of mutants that violate a guideline. By their change alone, they need no test.
    pub violating: usize,
    /// The number of violating mutants that are subsumed or inconsistent.
    pub detected: usize,
    /// `detected` in percent of all subsumed and inconsistent mutants, to a tenth. Missing if there are none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio: Option<f64>,
}

impl OperatorResult {
    /// Returns one row per operator, in the order of the mutants. `needless` are the mutants that violate a guideline; `None` if there are
    /// none.
    #[must_use]
    pub fn table(
        mutants: &[MutantDescription],
        results: &[MutantResult],
        needless: &BTreeSet<MutantId>,
    ) -> Option<Vec<OperatorResult>> {
        if needless.is_empty() {
            return None;
        }
        let needless: BTreeSet<&str> = needless.iter().map(|id| id.0.as_str()).collect();
        let mut rows: Vec<OperatorResult> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (mutant, result) in mutants.iter().zip(results) {
            let operator = mutant.operator.as_deref().unwrap_or("");
            let place = *places.entry(operator).or_insert_with(|| {
                rows.push(OperatorResult {
                    operator: operator.to_owned(),
                    ..OperatorResult::default()
                });
                rows.len() - 1
            });
            let is_violating = needless.contains(result.mutant.as_str());
            rows[place].count(result.verdict, is_violating);
        }
        rows.iter_mut().for_each(OperatorResult::rate);
        Some(rows)
    }

    /// Returns the sum of rows, as a row with this name.
    #[must_use]
    pub fn sum(name: &str, rows: &[OperatorResult]) -> OperatorResult {
        let mut sum = OperatorResult {
            operator: name.to_owned(),
            ..OperatorResult::default()
        };
        for row in rows {
            sum.mutants += row.mutants;
            sum.non_subsumed += row.non_subsumed;
            sum.subsumed += row.subsumed;
            sum.inconsistent += row.inconsistent;
            sum.unknown += row.unknown;
            sum.violating += row.violating;
            sum.detected += row.detected;
        }
        sum.rate();
        sum
    }

    fn count(&mut self, verdict: VerdictWord, is_violating: bool) {
        self.mutants += 1;
        self.violating += usize::from(is_violating);
        let needs_no_test = match verdict {
            VerdictWord::Killed
            | VerdictWord::NotDefinitelyKillable
            | VerdictWord::RefusesInput => {
                self.non_subsumed += 1;
                false
            }
            VerdictWord::Equivalent | VerdictWord::DuplicateOf => {
                self.subsumed += 1;
                true
            }
            VerdictWord::Invalid => {
                self.inconsistent += 1;
                true
            }
            VerdictWord::Unknown => {
                self.unknown += 1;
                false
            }
        };
        self.detected += usize::from(is_violating && needs_no_test);
    }

    /// Computes the field `ratio`, rounded to a tenth: a number with few digits is equal after it is written and read.
    fn rate(&mut self) {
        let needless = self.subsumed + self.inconsistent;
        let permille = 1000.0 * self.detected as f64 / needless as f64;
        self.ratio = (needless > 0).then(|| permille.round() / 10.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        for subsumed in 0..200 {
            for detected in 0..=subsumed {
                let mut row = OperatorResult {
                    subsumed,
                    detected,
                    ..OperatorResult::default()
                };
                row.rate();
                let text = serde_json::to_string(&row).unwrap();
                let read: OperatorResult = serde_json::from_str(&text).unwrap();
                assert_eq!(read, row, "{text}");
            }
        }
    }
}
