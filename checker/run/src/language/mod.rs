//! Languages with a procedure of their own: it decides their mutants.

mod carried;
mod division;
mod model;
mod work;

pub use model::OwnModel;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::certification::{Files, determinism};
use hyperkill_audit::model::Listing;
use hyperkill_checker::rounds::Ask;
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::TestKind;
use hyperkill_core::verdict::Reason;

use crate::carry_over::{Before, Version};
use crate::certificates::OfModel;
use crate::decided::Decided;
use crate::documents::{
    JournalEntry, MutantResult, StrengthWord, SuiteTest, Summary, VerdictWord, build,
};
use crate::limits::Limits;
use crate::own::Procedures;
use crate::own::domain::recorded;
use crate::own::suite::{self, Candidates, Killed};
use crate::procedure::{
    Abilities, Division, LeftOpen, Procedure, RunError, Spoilt, Start, Surroundings, Task,
};
use crate::resumption::{self, Recovered};
use crate::sink::{Event, Level};
use crate::unfit::Unfit;
use division::ListDivision;
use work::{Settled, Work};

/// The number of mutants beyond which an archive holds the small files.
const ARCHIVE_FROM_MUTANTS: usize = 1_000;

impl Procedure for OwnModel {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn listing_mut(&mut self) -> &mut Listing {
        &mut self.listing
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            compares_circuits: false,
            archives: ARCHIVE_FROM_MUTANTS,
        }
    }

    fn before(&self, version: Version<'_>) -> Before {
        let own = carried::known(version.files, &version.entries);
        Before {
            own,
            ..Before::of(version)
        }
    }

    fn accept(&self, task: &Task) -> Result<(), Unfit> {
        let given = [
            (task.ask != Ask::Auto, "a killing formula"),
            (task.controllable, "--controllable-nd"),
            (
                task.tests.is_some_and(|kind| kind != TestKind::Linear),
                "--tests",
            ),
            (task.engines.is_some(), "--engine"),
            (task.external.is_some(), "--external"),
        ];
        match given.into_iter().find(|(is_given, _)| *is_given) {
            None => Ok(()),
            Some((_, what)) => Err(Unfit::new(format!(
                "{what} is for circuits: models in {} are decided by a procedure of their own",
                self.language
            ))),
        }
    }

    fn left_open(&self) -> LeftOpen {
        LeftOpen::default()
    }

    fn duplicates(&self, _: &Task, _: &Budget) -> BTreeSet<String> {
        BTreeSet::new()
    }

    fn division(&self, task: &Task) -> Result<Box<dyn Division + '_>, RunError> {
        let is_whole = task.selected.len() == self.listing.catalogue.len();
        if is_whole && self.read()?.domain().is_some() {
            let text = "a suite for a domain of faults is proved complete for all mutants together, so that it cannot be divided";
            return Err(Unfit::new(text)
                .with_help("`hyperkill run` decides it on one machine")
                .into());
        }
        Ok(Box::new(ListDivision(&self.listing)))
    }

    fn recover(&self, files: &dyn Files, entries: Vec<JournalEntry>) -> Result<Recovered, Spoilt> {
        Ok(resumption::of_own(files, &self.listing, entries))
    }

    fn explain(&self, task: &Task, _: &Limits) -> Result<String, RunError> {
        let decider = self.read()?;
        let catalogue = &self.listing.catalogue;
        let entries = task.selected.iter().map(|&index| &catalogue[index]);
        let live = entries.filter(|entry| matches!(entry.standing, Standing::Live(_)));
        let original = build::determinism(determinism(self.contents.deterministic));
        let language = self.language;
        let mut text = format!(
            "The model is {original}; the relation asked is {}.\n\nMutants\n{:8}  decided by the procedure of {language}, each by itself, \
             and every verdict checked by the other one\n",
            self.contents.question,
            live.count()
        );
        let is_whole = task.selected.len() == catalogue.len();
        if let Some(domain) = decider.domain().filter(|_| is_whole) {
            let size = domain.size();
            text.push_str(&format!(
                "\nDomain of faults\n{:8}  mutants with any of {} faults at {} places: one suite for all of them is looked for\n",
                size.rounded, size.transitions, size.places
            ));
        }
        Ok(text)
    }

    fn decide(
        &self,
        task: &Task,
        start: Start<'_>,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError> {
        let decider = self.read()?;
        let budget = around.limits.budget_of_jobs();
        let mut work = Work {
            model: self,
            task,
            procedures: Procedures {
                language: self.language,
                decider: decider.as_ref(),
                rechecker: self.rechecker.as_ref(),
            },
            budget: &budget,
            limits: around.limits,
            earlier: start.earlier.by_id,
            undecided: start.earlier.undecided,
        };
        if let Some((before, asked)) = &start.before {
            work.earlier = work.carry_over((before, asked), around)?;
        }
        let (found, of_domain) = work.work(around)?;
        let (domain, complete) = match of_domain {
            None => (None, None),
            Some((size, found)) => {
                let recorded = recorded(&self.listing.description.hash, size, found);
                if let Some(folder) = &mut around.folder {
                    folder.file(recorded.filed.as_slice())?;
                }
                (Some(recorded.of), recorded.tests)
            }
        };
        let wanted = suite::SuiteTask {
            decider: decider.as_ref(),
            language: self.language,
            complete,
            minimise: task.minimise,
            jobs: around.limits.jobs,
        };
        let tests = suite_of(&killed(&found), &wanted, around);
        let (results, times): (Vec<MutantResult>, Vec<Duration>) = (found.into_iter())
            .map(|found| (found.result, found.took))
            .unzip();
        Ok(Decided {
            property: self.contents.question.clone(),
            original: build::determinism(determinism(self.contents.deterministic)),
            certificates: OfModel::default(),
            needless: self.contents.needless.clone(),
            summary: Summary::of(&results),
            mutants: self.listing.descriptions(&task.selected),
            domain,
            tests: tests.into_iter().map(|test| (test, None)).collect(),
            results,
            times,
            spent: BTreeMap::new(),
            interrupted: around.limits.is_interrupted(),
        })
    }
}

/// Returns the killed mutants, each with the test that was found for it.
fn killed(found: &[Settled]) -> Vec<Killed> {
    let killed = found.iter().filter_map(|found| {
        let strength = match found.result.verdict {
            VerdictWord::Killed => found.result.strength?,
            _ => StrengthWord::Potential,
        };
        Some(Killed {
            mutant: MutantId(found.result.mutant.clone()),
            strength,
            test: found.test.clone()?,
        })
    });
    killed.collect()
}

/// Returns the tests of a suite that kills these mutants. Warns if the user or the time limit stops the minimisation.
fn suite_of(
    killed: &[Killed],
    wanted: &suite::SuiteTask<'_>,
    around: &mut Surroundings<'_>,
) -> Vec<SuiteTest> {
    let candidates = Candidates::of(killed, wanted);
    let (budget, sink) = (around.limits.budget(), &mut *around.sink);
    sink.hear(Event::Plays {
        tests: candidates.len(),
        mutants: killed.len(),
    });
    let made = around.threads.install(|| {
        let mut played = |mutants| sink.hear(Event::Played(mutants));
        candidates.suite(killed, wanted, &budget, &mut played)
    });
    sink.hear(Event::Finishes);
    if let Some(stop) = made.stopped {
        let why = Reason::from(stop);
        let text = match wanted.complete.is_some() {
            true => format!(
                "the complete suite was not played on all mutants ({why}): the test that was found for each mutant is kept, too"
            ),
            false => format!(
                "the suite is not minimised ({why}): it keeps the test that was found for each mutant"
            ),
        };
        sink.say(Level::Warning, text);
    }
    made.tests
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use hyperkill_audit::certification::Texts;
    use hyperkill_core::budget::NoClock;
    use hyperkill_core::verdict::{Strength, Verdict};
    use hyperkill_frontend::decision::OwnVerdict;

    use hyperkill_core::suite::Step;
    use hyperkill_frontend::decision::{Contents, Decider};

    use super::*;
    use crate::sink::Sink;

    /// A stub that simulates tests: a test kills all mutants with a number up to its length. The user's interrupt comes after a set number
    /// of plays.
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

    /// Returns the mutants 1, 2 and so on. The test of mutant N has N steps.
    fn mutants(count: usize) -> Vec<Killed> {
        let killed = (1..=count).map(|number| Killed {
            mutant: MutantId(number.to_string()),
            strength: StrengthWord::Definite,
            test: vec![Step::default(); number],
        });
        killed.collect()
    }

    /// A sink that keeps messages and the number of plays.
    #[derive(Default)]
    struct Heard {
        said: Vec<String>,
        played: usize,
    }

    impl Sink for Heard {
        fn hear(&mut self, event: Event<'_>) {
            match event {
                Event::Said(_, text) => self.said.push(text),
                Event::Played(mutants) => self.played += mutants,
                _ => {}
            }
        }
    }

    /// Returns the mutants that each test of the suite kills, the number of plays, and the events.
    fn suite_for(count: usize, stops_after: Option<usize>) -> (Vec<Vec<String>>, usize, Heard) {
        let limits = Limits::by(Arc::new(NoClock));
        let plays = Plays {
            interrupt: Arc::clone(&limits.interrupt),
            stops_after,
            ..Plays::default()
        };
        let wanted = suite::SuiteTask {
            decider: &plays,
            language: "none",
            complete: None,
            minimise: true,
            jobs: 1,
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let mut heard = Heard::default();
        let mut around = Surroundings {
            limits: &limits,
            threads: &threads,
            sink: &mut heard,
            folder: None,
            texts: Texts {
                test: |_, _| String::new(),
                graph: |_, _, _| String::new(),
                diff: |_, _| String::new(),
            },
        };
        let suite = suite_of(&mutants(count), &wanted, &mut around);
        let kills = suite.iter().map(|test| {
            let kills = test.kills.iter();
            kills.map(|kill| kill.mutant.clone()).collect()
        });
        let kills = kills.collect();
        let played = plays.plays.load(Ordering::Relaxed);
        (kills, played, heard)
    }

    #[test]
    fn a_suite_says_how_far_it_is_and_ends_at_once_if_it_is_interrupted() {
        let (kills, played, heard) = suite_for(40, None);
        assert_eq!((kills.len(), played), (1, 40 * 40));
        assert_eq!((kills[0].len(), heard.played), (40, 40));
        assert!(heard.said.is_empty());
        // Only the current play ends after the interrupt. Each mutant keeps its own test.
        let (kills, played, heard) = suite_for(40, Some(15));
        let own: Vec<Vec<String>> = (1..=40).map(|number| vec![number.to_string()]).collect();
        assert_eq!(kills, own);
        assert!(played < 30, "{played}");
        assert!(
            heard.said[0].contains("not minimised (interrupted)"),
            "{:?}",
            heard.said
        );
    }
}
