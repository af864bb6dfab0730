//! The suite of a run of a language that decides its mutants itself: tests are played on all mutants that were killed, and few are kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hyperkill_audit::own;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_frontend::decision::Decider;
use rayon::prelude::*;

use crate::documents::build::{steps, strength};
use crate::documents::{StrengthWord, SuiteKill, SuiteTest, Valuation};

/// A mutant that was killed.
#[derive(Clone, PartialEq, Debug)]
pub struct Killed {
    /// Which one.
    pub mutant: MutantId,
    /// The strength in its verdict.
    pub strength: StrengthWord,
    /// The test that was found for it.
    pub test: Vec<Step>,
}

/// The procedure and the options that make a suite.
pub struct Wanted<'a> {
    /// The procedure that plays tests.
    pub decider: &'a dyn Decider,
    /// Whose tests they are.
    pub language: &'a str,
    /// Tests that are complete for a domain of faults: they are kept as they are, and need no others.
    pub complete: Option<Vec<Vec<Step>>>,
    /// Whether tests are left out that are not needed.
    pub minimise: bool,
    /// How many threads play.
    pub jobs: usize,
}

/// A suite.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its tests, each with the mutants that it kills.
    pub tests: Vec<SuiteTest>,
    /// The limit that stopped the playing of tests, if one did: then each mutant has the test that was found for it.
    pub stopped: Option<Stop>,
}

/// The most mutants that tests are played on at once. They share the locations that they have alike, and hold them in memory.
const MOST_TOGETHER: usize = 512;
/// Shares of the mutants for each thread, so that none waits long for another one.
const SHARES: usize = 4;

/// The tests for these mutants, before any is played.
#[derive(Debug)]
pub struct Candidates {
    tests: Tests,
    is_complete: bool,
}

impl Candidates {
    /// Complete tests if there are any; else, or if nothing is minimised, the tests that were found for the mutants.
    #[must_use]
    pub fn of(killed: &[Killed], wanted: &Wanted<'_>) -> Candidates {
        let is_complete = wanted.complete.is_some();
        let mut tests = Tests::of(wanted.complete.clone().unwrap_or_default());
        if !is_complete || !wanted.minimise {
            for killed in killed {
                tests.add(&killed.test);
            }
        }
        Candidates { tests, is_complete }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tests.all.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tests.all.is_empty()
    }

    /// Returns few tests that kill every killed mutant with the strength of its verdict: the test that kills most of what is left comes
    /// first. If the user stops it or the time is over, each mutant keeps the test that was found for it. `played` hears on how many more
    /// mutants all tests were played.
    #[must_use]
    pub fn suite(
        self,
        killed: &[Killed],
        wanted: &Wanted<'_>,
        budget: &Budget,
        played: &mut (dyn FnMut(usize) + Send),
    ) -> Made {
        let Candidates {
            mut tests,
            is_complete,
        } = self;
        let (covers, stopped) = match play(&tests.all, killed, wanted, budget, played) {
            Ok(covers) => (covers, None),
            Err(stop) => {
                for killed in killed {
                    tests.add(&killed.test);
                }
                (own_tests(&tests.all, killed), Some(stop))
            }
        };
        let tests = tests.all;
        let chosen = match wanted.minimise && !is_complete {
            true => cover(&covers, killed.len()),
            false => (0..tests.len()).collect(),
        };
        let chosen = chosen.into_iter().enumerate();
        let suite = chosen.map(|(number, test)| SuiteTest {
            id: format!("t-{:03}", number + 1),
            kind: own::kind(&tests[test]),
            controllable: false,
            initial: Valuation::default(),
            steps: steps(tests[test].clone()),
            tree: None,
            machine: None,
            kills: covers[test]
                .iter()
                .map(|&mutant| SuiteKill {
                    mutant: killed[mutant].mutant.to_string(),
                    strength: killed[mutant].strength,
                })
                .collect(),
            found_by: wanted.language.to_owned(),
        });
        Made {
            tests: suite.collect(),
            stopped,
        }
    }
}

/// Tests, each once.
#[derive(Default, Debug)]
struct Tests {
    all: Vec<Vec<Step>>,
    /// Their numbers by the moments of their steps: few tests have all moments in common.
    by_moments: BTreeMap<Vec<Option<Time>>, Vec<usize>>,
}

impl Tests {
    fn of(all: Vec<Vec<Step>>) -> Tests {
        let mut tests = Tests::default();
        for test in all {
            tests.enter(test);
        }
        tests
    }

    fn add(&mut self, test: &[Step]) {
        let known = self.by_moments.get(&moments(test));
        let mut known = known.into_iter().flatten();
        if !known.any(|number| self.all[*number] == test) {
            self.enter(test.to_vec());
        }
    }

    fn enter(&mut self, test: Vec<Step>) {
        let numbers = self.by_moments.entry(moments(&test)).or_default();
        numbers.push(self.all.len());
        self.all.push(test);
    }
}

fn moments(test: &[Step]) -> Vec<Option<Time>> {
    test.iter().map(|step| step.at).collect()
}

/// Returns for each test the mutants that it kills with the strength of their verdicts, ascending; or the limit that stopped it.
fn play(
    tests: &[Vec<Step>],
    killed: &[Killed],
    wanted: &Wanted<'_>,
    budget: &Budget,
    played: &mut (dyn FnMut(usize) + Send),
) -> Result<Vec<Vec<usize>>, Stop> {
    let together = (killed.len() / (wanted.jobs * SHARES)).clamp(1, MOST_TOGETHER);
    let shares: Vec<(usize, &[Killed])> = (killed.chunks(together).enumerate())
        .map(|(number, share)| (number * together, share))
        .collect();
    let played = Mutex::new(played);
    let kills = shares.par_iter().map(|(first, share)| {
        let mutants: Vec<&MutantId> = share.iter().map(|killed| &killed.mutant).collect();
        let mut kills = Vec::new();
        let mut hears = |test: usize, mutant: usize, found| {
            if strength(found) == share[mutant].strength {
                kills.push((test, first + mutant));
            }
        };
        wanted.decider.play(tests, &mutants, budget, &mut hears)?;
        let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
        played(share.len());
        Ok(kills)
    });
    let kills = kills.collect::<Result<Vec<Vec<(usize, usize)>>, Stop>>()?;
    let mut covers = vec![Vec::new(); tests.len()];
    for (test, mutant) in kills.into_iter().flatten() {
        covers[test].push(mutant);
    }
    Ok(covers)
}

/// For each test the mutants that it was found for, ascending.
fn own_tests(tests: &[Vec<Step>], killed: &[Killed]) -> Vec<Vec<usize>> {
    let known = Tests::of(tests.to_vec());
    let mut covers = vec![Vec::new(); tests.len()];
    for (mutant, killed) in killed.iter().enumerate() {
        let numbers = known.by_moments.get(&moments(&killed.test));
        let mut numbers = numbers.into_iter().flatten();
        if let Some(number) = numbers.find(|number| known.all[**number] == killed.test) {
            covers[*number].push(mutant);
        }
    }
    covers
}

/// Greedily chosen tests that cover all of so many mutants, in the order chosen; of equals the first.
fn cover(covers: &[Vec<usize>], mutants: usize) -> Vec<usize> {
    let mut covering: Vec<Vec<usize>> = vec![Vec::new(); mutants];
    for (test, covered) in covers.iter().enumerate() {
        for &mutant in covered {
            covering[mutant].push(test);
        }
    }
    // How many mutants each test adds to those that are covered.
    let mut gains: Vec<usize> = covers.iter().map(Vec::len).collect();
    let mut chosen = Vec::new();
    loop {
        let best = (0..covers.len()).rev().max_by_key(|test| gains[*test]);
        let Some(best) = best.filter(|best| gains[*best] > 0) else {
            return chosen;
        };
        for &mutant in &covers[best] {
            for test in std::mem::take(&mut covering[mutant]) {
                gains[test] -= 1;
            }
        }
        chosen.push(best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_nothing_needs_are_left_out() {
        assert_eq!(cover(&[vec![0], vec![0, 1], vec![2]], 3), [1, 2]);
        assert_eq!(cover(&[vec![0], vec![0]], 1), [0]);
        assert_eq!(cover(&[], 0), [0; 0]);
    }
}
