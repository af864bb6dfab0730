//! Counts over all mutants, and the mutation score (semantics.md §3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::{MutantResult, StrengthWord, VerdictWord};

/// The number of mutants with each verdict.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// All selected mutants.
    pub mutants: usize,
    /// Mutants with a definite kill.
    pub killed_definite: usize,
    /// Mutants with an adaptive kill.
    pub killed_adaptive: usize,
    /// Mutants with a potential kill.
    pub killed_potential: usize,
    /// Mutants with a controllable kill.
    pub killed_controllable: usize,
    /// Mutants proved equivalent.
    pub equivalent: usize,
    /// Equivalent mutants that a test kills in an open environment, where other processes are the environment.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub killed_when_open: usize,
    /// Mutants proved not definitely killable.
    pub not_definitely_killable: usize,
    /// Mutants that are not definitely killable and have a potential kill. The others are open in this respect.
    #[serde(default)]
    pub not_definitely_killable_killed: usize,
    /// Mutants that no output kills, but that refuse inputs of the model.
    pub refuses_input: usize,
    /// Mutants with the same circuit as another one.
    pub duplicate: usize,
    /// Stillborn mutants.
    pub invalid: usize,
    /// Undecided mutants.
    pub unknown: usize,
    /// Mutants whose verdict comes from a run of the model before an edit.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub carried_over: usize,
    /// The mutation score. Missing if no mutant counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<Score>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde has it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Killed mutants in percent of all mutants that are not equivalent, invalid or duplicate.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Definite and adaptive kills.
    pub certain: Interval,
    /// Definite, adaptive and potential kills. Flaky tests may reach the additional part.
    pub with_potential: Interval,
    /// All kills, controllable ones included.
    pub with_controllable: Interval,
}

/// A score as an interval, since undecided mutants may be killable.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The score if undecided mutants count as not killed.
    pub low: f64,
    /// The score if undecided mutants count as killed.
    pub high: f64,
}

impl Summary {
    /// Returns the counts of the results by verdict, with the score.
    #[must_use]
    pub fn of(results: &[MutantResult]) -> Summary {
        let mut summary = Summary {
            mutants: results.len(),
            ..Summary::default()
        };
        for result in results {
            let count = match result.verdict {
                VerdictWord::Killed => match result.strength {
                    Some(StrengthWord::Definite) => &mut summary.killed_definite,
                    Some(StrengthWord::Adaptive) => &mut summary.killed_adaptive,
                    Some(StrengthWord::Controllable) => &mut summary.killed_controllable,
                    Some(StrengthWord::Potential) | None => &mut summary.killed_potential,
                },
                VerdictWord::Equivalent => &mut summary.equivalent,
                VerdictWord::NotDefinitelyKillable => {
                    let potential = result.potential.as_ref().map(|p| p.verdict);
                    if potential == Some(VerdictWord::Killed) {
                        summary.not_definitely_killable_killed += 1;
                    }
                    &mut summary.not_definitely_killable
                }
                VerdictWord::RefusesInput => &mut summary.refuses_input,
                VerdictWord::Invalid => &mut summary.invalid,
                VerdictWord::DuplicateOf => &mut summary.duplicate,
                VerdictWord::Unknown => &mut summary.unknown,
            };
            *count += 1;
            summary.carried_over += usize::from(result.carried_over);
            summary.killed_when_open += usize::from(result.killed_when_open.is_some());
        }
        let counted = summary.counted();
        if counted > 0 {
            let certain = summary.killed_definite + summary.killed_adaptive;
            let potential = certain + summary.potential();
            let controllable = potential + summary.killed_controllable;
            let interval = |killed: usize, open: usize| Interval {
                low: percent(killed, counted),
                high: percent(killed + open, counted),
            };
            // A mutant that is not definitely killable counts as its potential verdict.
            let unsettled =
                summary.not_definitely_killable - summary.not_definitely_killable_killed;
            let open = summary.unknown + unsettled;
            summary.score = Some(Score {
                certain: interval(certain, summary.unknown),
                with_potential: interval(potential, open),
                with_controllable: interval(controllable, open),
            });
        }
        summary
    }

    /// Returns the mutation score in percent for a quality gate. Potential kills and undecided mutants count as not killed, and
    /// controllable kills count only if `controllable` is true. `None` if no mutant counts.
    #[must_use]
    pub fn gated_score(&self, controllable: bool) -> Option<f64> {
        let counted = self.counted();
        let controllable = if controllable {
            self.killed_controllable
        } else {
            0
        };
        let killed = self.killed_definite + self.killed_adaptive + controllable;
        (counted > 0).then(|| percent(killed, counted))
    }

    /// Returns the number of mutants that count for the score: all but equivalent, invalid and duplicate ones.
    #[must_use]
    pub fn counted(&self) -> usize {
        self.mutants - self.equivalent - self.invalid - self.duplicate
    }

    /// Returns the number of mutants whose best kill is potential, also if it is proved that none is definite.
    #[must_use]
    pub fn potential(&self) -> usize {
        self.killed_potential + self.not_definitely_killable_killed
    }

    /// Returns the number of mutants with the verdict killed, whatever the guarantee.
    #[must_use]
    pub fn killed(&self) -> usize {
        self.killed_definite
            + self.killed_adaptive
            + self.killed_potential
            + self.killed_controllable
    }
}

/// Returns `part` in percent of `whole`, rounded to a hundredth so that documents are equal on all machines.
fn percent(part: usize, whole: usize) -> f64 {
    (part as f64 * 10_000.0 / whole as f64).round() / 100.0
}

#[cfg(test)]
mod tests {
    use hyperkill_core::mutant::MutantId;

    use super::*;
    use crate::documents::PotentialResult;
    use crate::documents::build::blank;

    fn result(verdict: VerdictWord, strength: Option<StrengthWord>) -> MutantResult {
        MutantResult {
            strength,
            ..blank(&MutantId("m".to_owned()), verdict)
        }
    }

    #[test]
    fn equivalent_invalid_and_duplicate_mutants_leave_the_denominator_and_unknown_ones_make_an_interval()
     {
        let results = [
            result(VerdictWord::Killed, Some(StrengthWord::Definite)),
            result(VerdictWord::Killed, Some(StrengthWord::Potential)),
            result(VerdictWord::Equivalent, None),
            result(VerdictWord::Invalid, None),
            result(VerdictWord::DuplicateOf, None),
            result(VerdictWord::RefusesInput, None),
            result(VerdictWord::Unknown, None),
        ];
        let summary = Summary::of(&results);
        let score = summary.score.unwrap();
        assert_eq!((score.certain.low, score.certain.high), (25.0, 50.0));
        assert_eq!(
            (score.with_potential.low, score.with_potential.high),
            (50.0, 75.0)
        );
        assert_eq!(summary.killed(), 2);
    }

    #[test]
    fn a_mutant_that_is_not_definitely_killable_counts_as_its_potential_verdict() {
        let with = |verdict: VerdictWord| MutantResult {
            potential: Some(PotentialResult::blank(verdict)),
            ..result(VerdictWord::NotDefinitelyKillable, None)
        };
        let results = [
            result(VerdictWord::Killed, Some(StrengthWord::Adaptive)),
            result(VerdictWord::Unknown, None),
            with(VerdictWord::Killed),
            with(VerdictWord::Unknown),
        ];
        let summary = Summary::of(&results);
        let score = summary.score.unwrap();
        assert_eq!((score.certain.low, score.certain.high), (25.0, 50.0));
        assert_eq!(
            (score.with_potential.low, score.with_potential.high),
            (50.0, 100.0)
        );
        assert_eq!(summary.gated_score(false), Some(25.0));
    }

    #[test]
    fn without_a_mutant_that_counts_there_is_no_score() {
        assert_eq!(
            Summary::of(&[result(VerdictWord::Equivalent, None)]).score,
            None
        );
    }
}
