//! Decides each mutant alone, and in parallel looks for a complete suite for the domain of faults.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperkill_audit::catalogue::{Entry, Standing};
use hyperkill_checker::rounds::Extent;
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::domain::{DomainSize, Method};
use rayon::prelude::*;

use super::model::OwnModel;
use crate::documents::{JournalEntry, MutantResult, build};
use crate::folder::RunFolder;
use crate::limits::Limits;
use crate::own::domain::{Complete, DomainTask};
use crate::own::{Asked, Found, Procedures, found, is_interrupted, test_of};
use crate::procedure::{RunError, Surroundings, Task};
use crate::resumption::settled;
use crate::sink::{Event, Level, Sink};
use crate::unfit::Unfit;

/// The result of a mutant, with its test and its time.
pub(super) struct Settled {
    pub(super) result: MutantResult,
    /// The test that kills the mutant.
    pub(super) test: Option<Vec<Step>>,
    pub(super) took: Duration,
}

/// The folder and the sink, behind a lock.
pub(super) struct Keeping<'a> {
    pub(super) folder: Option<&'a mut RunFolder>,
    pub(super) sink: &'a mut dyn Sink,
}

/// The size of a domain of faults, with its complete suite or the reason why there is none.
type OfSize = (DomainSize, Result<Complete, Reason>);

/// Everything that the decision of a mutant needs.
pub(super) struct Work<'a> {
    pub(super) model: &'a OwnModel,
    pub(super) task: &'a Task,
    pub(super) procedures: Procedures<'a>,
    pub(super) budget: &'a Budget,
    pub(super) limits: &'a Limits,
    pub(super) earlier: BTreeMap<String, (MutantResult, Duration)>,
    /// Journal lines of mutants that an earlier process left undecided.
    pub(super) undecided: BTreeMap<String, JournalEntry>,
}

impl Work<'_> {
    /// Decides the mutants of the task, and returns their results in the order of the task. If the task has all mutants, also looks for a
    /// complete suite for the domain of faults.
    pub(super) fn work(
        &self,
        around: &mut Surroundings<'_>,
    ) -> Result<(Vec<Settled>, Option<OfSize>), RunError> {
        let catalogue = &self.model.listing.catalogue;
        let selected = &self.task.selected;
        let is_whole = selected.len() == catalogue.len();
        let method = self.task.aim.method;
        let start = match method.filter(|_| is_whole && self.task.bound.is_none()) {
            Some(method) => self.classic(method, around.sink)?,
            None => Vec::new(),
        };
        let entries = selected.iter().map(|&index| &catalogue[index]);
        let live = entries.filter(|entry| matches!(entry.standing, Standing::Live(_)));
        around.sink.hear(Event::Begins {
            mutants: live.count(),
            before: self.earlier.values().map(|(result, _)| result).collect(),
        });
        let keeping = Mutex::new(Keeping {
            folder: match &mut around.folder {
                Some(folder) => Some(&mut **folder),
                None => None,
            },
            sink: &mut *around.sink,
        });
        let waits = self.budget.waits();
        // The domain takes longest and uses one thread, so it begins first.
        let domain = || is_whole.then(|| self.domain(&start)).transpose();
        let found = around.threads.install(|| {
            let selected = || {
                let found =
                    (selected.par_iter()).map(|&index| self.settle(&catalogue[index], &keeping));
                found.collect::<Result<Vec<Settled>, RunError>>()
            };
            let (found, domain) = rayon::join(selected, domain);
            Ok::<_, RunError>((found?, domain?.flatten()))
        });
        drop(waits);
        around.sink.hear(Event::Ends);
        found
    }

    /// Returns a complete suite for mutants with any number of faults; `None` if the language has no domain.
    fn domain(&self, start: &[Vec<Step>]) -> Result<Option<OfSize>, RunError> {
        let Some(domain) = self.procedures.decider.domain() else {
            return Ok(None);
        };
        let size = domain.size();
        let wanted = DomainTask {
            aim: self.task.aim,
            bounded: self.task.bound.is_some(),
        };
        let budget = self.budget.within(self.task.timeout);
        let found = self.procedures.complete(wanted, start, &budget)?;
        Ok(found.map(|found| (size, found)))
    }

    /// Returns the suite of a classic method, and reports its size. The suite is empty, with a warning, if the budget ends first.
    ///
    /// # Errors
    /// If the language has no such method, or the method does not apply to the model.
    fn classic(&self, method: Method, sink: &mut dyn Sink) -> Result<Vec<Vec<Step>>, RunError> {
        let budget = self.budget.within(self.task.timeout);
        let name = method.name();
        let domain = self.procedures.decider.domain();
        match domain.map(|domain| domain.classic(method, &budget)) {
            Some(Ok(tests)) => {
                let (count, steps) = (tests.len(), tests.iter().map(Vec::len).sum::<usize>());
                let text =
                    format!("method {name}: {count} tests, {steps} steps in all to begin with");
                sink.say(Level::Note, text);
                Ok(tests)
            }
            // Verdicts and the search for a complete suite do not depend on this suite.
            Some(Err(why)) if budget.stopped().is_some() => {
                let text = format!("--method {name}: {why}; the search starts without this suite");
                sink.say(Level::Warning, text);
                Ok(Vec::new())
            }
            Some(Err(why)) => Err(Unfit::new(format!("--method {name}: {why}")).into()),
            None => {
                let text = format!("--method {name}: this language has no classic methods");
                Err(Unfit::new(text).into())
            }
        }
    }

    /// Decides a mutant, writes its result immediately, and returns it. Nothing is decided if the mutant is no model, an earlier process
    /// has decided it, or the task does not run all rounds.
    fn settle(&self, entry: &Entry, keeping: &Mutex<Keeping<'_>>) -> Result<Settled, RunError> {
        if let Standing::Invalid(reason) = &entry.standing {
            return Ok(Settled {
                result: build::invalid(&entry.id, reason),
                test: None,
                took: Duration::ZERO,
            });
        }
        if let Some((result, took)) = self.earlier.get(&entry.id.0) {
            return Ok(Settled {
                test: test_of(result)?,
                result: result.clone(),
                took: *took,
            });
        }
        if self.task.extent != Extent::Whole {
            return self.left_open(entry, keeping);
        }
        let start = self.limits.now();
        let budget = self.budget.within(self.task.timeout);
        let verdict = (self.procedures).verdict(&entry.id, self.task.bound, &budget)?;
        let asked = Asked {
            language: self.procedures.language,
            model: &self.model.listing.description.hash,
            question: &self.model.contents.question,
        };
        let found = found(asked, &entry.id, &verdict)?;
        let took = self.limits.now().saturating_sub(start);
        let hurried = self.limits.is_interrupted();
        let mut keeping = keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let result = match &mut keeping.folder {
            Some(folder) => record(folder, found, took, hurried)?,
            None => found.result,
        };
        keeping.sink.hear(Event::Decided(&result));
        Ok(Settled {
            result,
            test: verdict.kill().map(|kill| kill.model_run.clone()),
            took,
        })
    }
}

impl Work<'_> {
    /// Returns the result of a mutant that stays undecided: the earlier process's result if there is one, else a missing result. The line
    /// of an earlier result is written again.
    fn left_open(&self, entry: &Entry, keeping: &Mutex<Keeping<'_>>) -> Result<Settled, RunError> {
        let (result, took) = match self.undecided.get(&entry.id.0) {
            Some(line) => {
                let mut keeping = keeping.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(folder) = &mut keeping.folder {
                    folder.append_journal(line)?;
                }
                settled(line)
            }
            None => (build::missing(&entry.id), Duration::ZERO),
        };
        Ok(Settled {
            test: test_of(&result)?,
            result,
            took,
        })
    }
}

/// Writes certificates and the journal line, and returns the result. An interrupted mutant without a verdict has no line. `hurried` marks
/// decisions after an interrupt.
pub(super) fn record(
    folder: &mut RunFolder,
    Found { result, filed }: Found,
    took: Duration,
    hurried: bool,
) -> Result<MutantResult, RunError> {
    if is_interrupted(&result) {
        return Ok(result);
    }
    folder.file(&filed)?;
    folder.append_journal(&JournalEntry {
        result: result.clone(),
        round: None,
        hurried,
        runs: None,
        seconds: build::seconds(took),
    })?;
    Ok(result)
}
