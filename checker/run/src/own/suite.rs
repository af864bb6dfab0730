//! The suite of a run with a language's procedure: all tests are simulated on all killed mutants, and a few tests are kept.

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

/// A killed mutant.
#[derive(Clone, PartialEq, Debug)]
pub struct Killed {
    /// The id of the mutant.
    pub mutant: MutantId,
    /// The strength in its verdict.
    pub strength: StrengthWord,
    /// The test that was found for it.
    pub test: Vec<Step>,
}

/// The procedure and the options for a suite.
pub struct SuiteTask<'a> {
    /// The procedure that simulates tests.
    pub decider: &'a dyn Decider,
    /// The language, named as the finder of the tests.
    pub language: &'a str,
    /// A suite that is complete for a domain of faults. It is kept without changes, and needs no other tests.
    pub complete: Option<Vec<Vec<Step>>>,
    /// Whether redundant tests are removed.
    pub minimise: bool,
    /// The number of threads.
    pub jobs: usize,
}

/// A suite, and whether a limit stopped the simulation for it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The tests, each with the mutants that it kills.
    pub tests: Vec<SuiteTest>,
    /// The limit that stopped the simulation of tests. Each mutant then has the test that was found for it.
    pub stopped: Option<Stop>,
}

/// Limit on the mutants that tests are simulated on at once. These mutants share equal locations, which stay in memory.
const MOST_TOGETHER: usize = 512;
/// The number of groups per thread into which the mutants are divided: several, so that threads end at about the same time.
const SHARES: usize = 4;

/// The tests from which a suite is chosen.
#[derive(Debug)]
pub struct Candidates {
    tests: Tests,
    is_complete: bool,
}

impl Candidates {
    /// Returns the complete suite if there is one. Adds the tests found for the mutants if there is none, or if nothing is minimised.
    #[must_use]
    pub fn of(killed: &[Killed], wanted: &SuiteTask<'_>) -> Candidates {
        let is_complete = wanted.complete.is_some();
        let mut tests = Tests::of(wanted.complete.clone().unwrap_or_default());
        if !is_complete || !wanted.minimise {
            for killed in killed {
                tests.add(&killed.test);
            }
        }
        Candidates { tests, is_complete }
    }

    /// Returns the number of tests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tests.all.len()
    }

    /// Whether there are no tests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tests.all.is_empty()
    }

    /// Returns a small suite that kills every killed mutant with the strength of its verdict. The greedy choice takes the test that kills
    /// most of the remaining mutants. After an interrupt or the deadline, each mutant keeps the test that was found for it. `played`
    /// receives the number of mutants whose simulation has ended.
    #[must_use]
    pub fn suite(
        self,
        killed: &[Killed],
        wanted: &SuiteTask<'_>,
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

/// A list of tests, indexed so that an equal one is found fast.
#[derive(Default, Debug)]
struct Tests {
    all: Vec<Vec<Step>>,
    /// The indices of tests by the time stamps of their steps. Few tests share all time stamps, so equal tests are found fast.
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

/// Returns for each test the mutants that it kills with the strength of their verdicts, ascending; or the limit that stopped the
/// simulation.
fn play(
    tests: &[Vec<Step>],
    killed: &[Killed],
    wanted: &SuiteTask<'_>,
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

/// Returns for each test the mutants that it was found for, ascending.
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

/// Returns the indices of tests that together kill all mutants, by greedy set cover, in the order of the choice. `covers` has the mutants
/// that each test kills. Among equal tests the first is chosen.
fn cover(covers: &[Vec<usize>], mutants: usize) -> Vec<usize> {
    let mut covering: Vec<Vec<usize>> = vec![Vec::new(); mutants];
    for (test, covered) in covers.iter().enumerate() {
        for &mutant in covered {
            covering[mutant].push(test);
        }
    }
    // The number of uncovered mutants that each test covers.
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
