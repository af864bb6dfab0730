//! The suite of a run of a language that decides its mutants itself: tests are played on all mutants that were killed, and few are kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperkill_audit::own;
use hyperkill_core::budget::{Budget, Clock, Stop};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::counted;
use hyperkill_frontend::decision::Decider;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::decision::pool;
use crate::documents::build::{steps, strength};
use crate::documents::{StrengthWord, SuiteKill, SuiteTest, Valuation};
use crate::failure::Failure;
use crate::session::{Level, Session};

/// A mutant that was killed.
pub(crate) struct Killed {
    /// Which one.
    pub mutant: MutantId,
    /// What its verdict says of the kill.
    pub strength: StrengthWord,
    /// The test that was found for it.
    pub test: Vec<Step>,
}

/// What a suite is made from.
pub(crate) struct Wanted<'a> {
    /// What plays tests.
    pub decider: &'a dyn Decider,
    /// Whose tests they are.
    pub language: &'a str,
    /// Tests that are complete for a domain of faults: they are kept as they are, and need no others.
    pub complete: Option<Vec<Vec<Step>>>,
    /// Whether tests are left out that are not needed.
    pub minimise: bool,
}

/// The most mutants that tests are played on at once. They share the locations that they have alike, and hold them in memory.
const MOST_TOGETHER: usize = 512;
/// Shares of the mutants for each thread, so that none waits long for another one.
const SHARES: usize = 4;
/// Time between two lines where nobody sees a bar.
const PAUSE: Duration = Duration::from_secs(60);

/// Returns few tests that kill every killed mutant with the strength of its verdict: the test that kills most of what is left comes first.
/// If the user stops it or the time is over, each mutant keeps the test that was found for it.
///
/// # Errors
/// If threads cannot be started.
pub(crate) fn suite(
    session: &mut Session<'_>,
    killed: &[Killed],
    wanted: Wanted<'_>,
) -> Result<Vec<SuiteTest>, Failure> {
    let is_complete = wanted.complete.is_some();
    let mut tests = Tests::of(wanted.complete.unwrap_or_default());
    if !is_complete || !wanted.minimise {
        for killed in killed {
            tests.add(&killed.test);
        }
    }
    let budget = session.budget();
    let played = play(session, wanted.decider, &tests.all, killed, &budget)?;
    let covers = match played {
        Ok(covers) => covers,
        Err(stop) => {
            let why = Reason::from(stop);
            let text = match is_complete {
                true => format!(
                    "it is not known which mutants the complete suite kills ({why}): each has the test that was found for it, too"
                ),
                false => format!(
                    "the suite is not minimised ({why}): each mutant has the test that was found for it, and no other"
                ),
            };
            session.say(Level::Warning, text);
            for killed in killed {
                tests.add(&killed.test);
            }
            own_tests(&tests.all, killed)
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
    Ok(suite.collect())
}

/// Tests, each once.
#[derive(Default)]
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

/// Returns for each test the mutants that it kills with the strength of their verdicts, ascending; or what stopped that.
///
/// # Errors
/// If threads cannot be started.
fn play(
    session: &mut Session<'_>,
    decider: &dyn Decider,
    tests: &[Vec<Step>],
    killed: &[Killed],
    budget: &Budget,
) -> Result<Result<Vec<Vec<usize>>, Stop>, Failure> {
    let jobs = session.jobs;
    let together = (killed.len() / (jobs * SHARES)).clamp(1, MOST_TOGETHER);
    let shares: Vec<(usize, &[Killed])> = (killed.chunks(together).enumerate())
        .map(|(number, share)| (number * together, share))
        .collect();
    let gauge = Mutex::new(Gauge::new(session, tests.len(), killed.len()));
    let played = pool(jobs)?.install(|| {
        let played = shares.par_iter().map(|(first, share)| {
            let mutants: Vec<&MutantId> = share.iter().map(|killed| &killed.mutant).collect();
            let mut kills = Vec::new();
            let mut hears = |test: usize, mutant: usize, found| {
                if strength(found) == share[mutant].strength {
                    kills.push((test, first + mutant));
                }
            };
            decider.play(tests, &mutants, budget, &mut hears)?;
            let mut gauge = gauge.lock().unwrap_or_else(PoisonError::into_inner);
            gauge.played(share.len());
            Ok(kills)
        });
        played.collect::<Result<Vec<Vec<(usize, usize)>>, Stop>>()
    });
    let gauge = gauge.into_inner().unwrap_or_else(PoisonError::into_inner);
    gauge.finish();
    Ok(played.map(|played| {
        let mut covers = vec![Vec::new(); tests.len()];
        for (test, mutant) in played.into_iter().flatten() {
            covers[test].push(mutant);
        }
        covers
    }))
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

/// How far playing is: on a terminal a bar, elsewhere a line now and then.
struct Gauge<'a, 'io> {
    session: &'a mut Session<'io>,
    bar: ProgressBar,
    tests: usize,
    mutants: usize,
    played: usize,
    said: Duration,
}

impl<'a, 'io> Gauge<'a, 'io> {
    fn new(session: &'a mut Session<'io>, tests: usize, mutants: usize) -> Gauge<'a, 'io> {
        let bar = match session.draws_progress() && mutants > 0 {
            false => ProgressBar::hidden(),
            true => {
                let bar = ProgressBar::new(mutants as u64);
                let template = "{bar:32} {pos}/{len} killed mutants, suite, {elapsed}";
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            }
        };
        Gauge {
            said: session.clock.now(),
            session,
            bar,
            tests,
            mutants,
            played: 0,
        }
    }

    fn played(&mut self, mutants: usize) {
        self.played += mutants;
        self.bar.inc(mutants as u64);
        let now = self.session.clock.now();
        if self.bar.is_hidden() && now.saturating_sub(self.said) >= PAUSE {
            self.said = now;
            self.session.say(Level::Note, self.line());
        }
    }

    fn line(&self) -> String {
        format!(
            "suite: {} played on {} of {}",
            counted(self.tests, "test"),
            self.played,
            counted(self.mutants, "killed mutant")
        )
    }

    fn finish(self) {
        self.bar.finish_and_clear();
        let line = self.line();
        self.session.say(Level::Detail, line);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use clap::Parser;
    use hyperkill_core::verdict::{Strength, Verdict};
    use hyperkill_frontend::decision::{Contents, OwnVerdict};

    use super::*;
    use crate::args::Cli;
    use crate::io::Io;

    #[test]
    fn tests_that_nothing_needs_are_left_out() {
        assert_eq!(cover(&[vec![0], vec![0, 1], vec![2]], 3), [1, 2]);
        assert_eq!(cover(&[vec![0], vec![0]], 1), [0]);
        assert_eq!(cover(&[], 0), [0; 0]);
    }

    /// A test kills all mutants whose number is at most its length, and the user stops everything after so many plays.
    #[derive(Default)]
    struct Plays {
        contents: Contents,
        interrupt: Arc<AtomicBool>,
        stops_after: Option<usize>,
        plays: AtomicUsize,
    }

    impl Decider for Plays {
        fn contents(&self) -> &Contents {
            &self.contents
        }

        fn decide(&self, _: &MutantId, _: Option<usize>, _: &Budget) -> OwnVerdict {
            Verdict::Unknown {
                known_to: 0,
                reason: Reason::Engines,
            }
        }

        fn kills(&self, test: &[Step], mutant: &MutantId) -> Option<Strength> {
            let plays = self.plays.fetch_add(1, Ordering::Relaxed) + 1;
            if self.stops_after == Some(plays) {
                self.interrupt.store(true, Ordering::Relaxed);
            }
            let number: usize = mutant.0.parse().ok()?;
            (number <= test.len()).then_some(Strength::Definite)
        }
    }

    /// The mutants 1, 2 and so on, each with a test of as many steps.
    fn mutants(count: usize) -> Vec<Killed> {
        let killed = (1..=count).map(|number| Killed {
            mutant: MutantId(number.to_string()),
            strength: StrengthWord::Definite,
            test: vec![Step::default(); number],
        });
        killed.collect()
    }

    /// The mutants that each test of the suite kills, how often tests were played, and what was said.
    fn suite_of(count: usize, stops_after: Option<usize>) -> (Vec<Vec<String>>, usize, String) {
        let (mut io, captured) = Io::captured("");
        let plays = Plays {
            interrupt: Arc::clone(&io.interrupt),
            stops_after,
            ..Plays::default()
        };
        let cli = Cli::try_parse_from(["hyperkill", "--jobs", "1", "-v", "engines"]).unwrap();
        let mut session = Session::new(&mut io, &cli.global);
        let wanted = Wanted {
            decider: &plays,
            language: "none",
            complete: None,
            minimise: true,
        };
        let suite = suite(&mut session, &mutants(count), wanted).unwrap();
        let kills = suite.iter().map(|test| {
            let kills = test.kills.iter();
            kills.map(|kill| kill.mutant.clone()).collect()
        });
        let kills = kills.collect();
        let played = plays.plays.load(Ordering::Relaxed);
        (kills, played, captured.stderr.text())
    }

    #[test]
    fn a_suite_says_how_far_it_is_and_ends_at_once_if_it_is_interrupted() {
        let (kills, played, said) = suite_of(40, None);
        assert_eq!((kills.len(), played), (1, 40 * 40));
        assert_eq!(kills[0].len(), 40);
        let line = "suite: 40 tests played on 40 of 40 killed mutants";
        assert!(said.contains(line), "{said}");
        // No more than the test that is being played is played to its end, and every mutant keeps its own.
        let (kills, played, said) = suite_of(40, Some(15));
        let own: Vec<Vec<String>> = (1..=40).map(|number| vec![number.to_string()]).collect();
        assert_eq!(kills, own);
        assert!(played < 30, "{played}");
        assert!(said.contains("not minimised (interrupted)"), "{said}");
    }
}
