//! The suite of a run of a language that decides its mutants itself, with a word on how far it is.

use std::time::Duration;

use hyperkill_core::budget::{Clock, Stop};
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::counted;
use hyperkill_run::own::suite::{Candidates, Killed, Wanted};
use indicatif::{ProgressBar, ProgressStyle};

use crate::decision::pool;
use crate::documents::SuiteTest;
use crate::failure::Failure;
use crate::session::{Level, Session};

/// Time between two lines where nobody sees a bar.
const PAUSE: Duration = Duration::from_secs(60);

/// Makes the suite. If the user stops it or the time is over, a warning says so.
///
/// # Errors
/// If threads cannot be started.
pub(crate) fn suite(
    session: &mut Session<'_>,
    killed: &[Killed],
    wanted: &Wanted<'_>,
) -> Result<Vec<SuiteTest>, Failure> {
    let candidates = Candidates::of(killed, wanted);
    let (jobs, budget) = (session.jobs, session.budget());
    let mut gauge = Gauge::new(session, candidates.len(), killed.len());
    let made = pool(jobs)?.install(|| {
        let mut played = |mutants| gauge.played(mutants);
        candidates.suite(killed, wanted, &budget, &mut played)
    });
    gauge.finish();
    if let Some(stop) = made.stopped {
        session.say(Level::Warning, stopped(stop, wanted.complete.is_some()));
    }
    Ok(made.tests)
}

fn stopped(stop: Stop, is_complete: bool) -> String {
    let why = Reason::from(stop);
    match is_complete {
        true => format!(
            "it is not known which mutants the complete suite kills ({why}): each has the test that was found for it, too"
        ),
        false => format!(
            "the suite is not minimised ({why}): each mutant has the test that was found for it, and no other"
        ),
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
    use hyperkill_core::budget::Budget;
    use hyperkill_core::mutant::MutantId;
    use hyperkill_core::suite::Step;
    use hyperkill_core::verdict::{Strength, Verdict};
    use hyperkill_frontend::decision::{Contents, Decider, OwnVerdict};

    use super::*;
    use crate::args::Cli;
    use crate::documents::StrengthWord;
    use crate::io::Io;

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
            jobs: 1,
        };
        let suite = suite(&mut session, &mutants(count), &wanted).unwrap();
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
