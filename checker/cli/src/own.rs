//! A run of a language that decides its mutants itself: its procedure decides, its other one checks, nothing else is given out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyperkill_checker::rounds::Ask;
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::Step;
use hyperkill_core::verdict::Reason;
use hyperkill_frontend::decision::{Aim, DomainSize, Method};
use hyperkill_run::certificates::OfModel;
use hyperkill_run::own::domain::{Complete, Wanted, recorded};
use hyperkill_run::own::suite::{self, Killed};
use hyperkill_run::own::{Asked, Found, Procedures, found, is_interrupted, test_of};
use rayon::prelude::*;

use crate::args::{DecisionArgs, TestChoice};
use crate::catalogue::{Entry, Standing};
use crate::certification::determinism;
use crate::decision::{Decided, budget, pool};
use crate::documents::build;
use crate::documents::{JournalEntry, MutantResult, StrengthWord, Summary, VerdictWord};
use crate::domains;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::OwnModel;
use crate::own_suite;
use crate::progress::Gauge;
use crate::run_folder::RunFolder;
use crate::session::{Level, Session};

/// Refuses options that mean something for circuits only.
///
/// # Errors
/// Which one was given.
pub(crate) fn refuse_options(language: &str, args: &DecisionArgs, ask: Ask) -> Result<(), Failure> {
    let given = [
        (ask != Ask::Auto, "a killing formula"),
        (args.controllable_nd, "--controllable-nd"),
        (
            args.tests.is_some_and(|kind| kind != TestChoice::Linear),
            "--tests",
        ),
        (!args.limits.engine.is_usual(), "--engine"),
        (args.explain, "--explain"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, what)) => Err(Failure::usage(format!(
            "{what} is for circuits: models in {language} are decided by a procedure of their own"
        ))),
    }
}

/// What was found out about a mutant.
struct Settled {
    result: MutantResult,
    /// The test that kills it.
    test: Option<Vec<Step>>,
    took: Duration,
}

/// Decides the mutants at these places of the catalogue, but for those with a result from before.
///
/// # Errors
/// If a verdict does not check or the folder cannot be written.
pub(crate) fn decide(
    session: &mut Session<'_>,
    model: &OwnModel,
    selected: &[usize],
    args: &DecisionArgs,
    aim: Aim,
    folder: &mut RunFolder,
    earlier: BTreeMap<String, (MutantResult, Duration)>,
) -> Result<Decided, Failure> {
    let procedures = &model.procedures;
    let decider = model.read(|sources, options| procedures.decision.read(sources, options))?;
    let budget = budget(session, &args.limits);
    let work = Work {
        model,
        procedures: Procedures {
            language: &model.listing.description.language,
            decider: decider.as_ref(),
            rechecker: model.rechecker.as_ref(),
        },
        bound: args.limits.bound,
        timeout: args.limits.timeout.0,
        budget: &budget,
        clock: session.clock,
        interrupt: Arc::clone(&session.io.interrupt),
        earlier,
    };
    let is_whole = selected.len() == model.listing.catalogue.len();
    let start = match aim.method.filter(|_| is_whole && work.bound.is_none()) {
        Some(method) => work.classic(session, method)?,
        None => Vec::new(),
    };
    let gauge = work.gauge(session, selected);
    let jobs = session.jobs;
    let (found, of_domain) = {
        let keeping = Mutex::new(Keeping {
            folder: &mut *folder,
            session: &mut *session,
            gauge,
        });
        // What takes longest, and one thread only, begins first.
        let domain = || is_whole.then(|| work.domain(aim, &start)).transpose();
        let found = pool(jobs)?.install(|| {
            let selected = || {
                let selected = selected.par_iter();
                let found =
                    selected.map(|&index| work.settle(&model.listing.catalogue[index], &keeping));
                found.collect::<Result<Vec<Settled>, Failure>>()
            };
            let (found, domain) = rayon::join(selected, domain);
            Ok::<_, Failure>((found?, domain?.flatten()))
        });
        let keeping = keeping.into_inner().unwrap_or_else(PoisonError::into_inner);
        keeping.gauge.finish();
        found?
    };
    let hash = &model.listing.description.hash;
    let of_domain = of_domain.map(|(size, found)| recorded(hash, size, found));
    let (domain, complete) = match of_domain {
        None => (None, None),
        Some(recorded) => {
            folder.file(recorded.filed.as_slice())?;
            (Some(recorded.of), recorded.tests)
        }
    };
    let wanted = suite::Wanted {
        decider: decider.as_ref(),
        language: &model.listing.description.language,
        complete,
        minimise: !args.no_minimise,
        jobs,
    };
    let tests = own_suite::suite(session, &killed(&found), &wanted)?;
    let (results, times): (Vec<MutantResult>, Vec<Duration>) = (found.into_iter())
        .map(|found| (found.result, found.took))
        .unzip();
    Ok(Decided {
        property: model.contents.question.clone(),
        original: build::determinism(determinism(model.contents.deterministic)),
        certificates: OfModel::default(),
        needless: model.contents.needless.clone(),
        summary: Summary::of(&results),
        mutants: model.listing.descriptions(selected),
        domain,
        tests: tests.into_iter().map(|test| (test, None)).collect(),
        results,
        times,
        spent: BTreeMap::new(),
        interrupted: session.is_interrupted(),
    })
}

/// Where verdicts go as they come.
struct Keeping<'a, 'io> {
    folder: &'a mut RunFolder,
    session: &'a mut Session<'io>,
    gauge: Gauge,
}

/// How large a domain of faults is, and tests for it.
type OfSize = (DomainSize, Result<Complete, Reason>);

/// What deciding a mutant takes.
struct Work<'a> {
    model: &'a OwnModel,
    procedures: Procedures<'a>,
    bound: Option<usize>,
    timeout: Option<Duration>,
    budget: &'a Budget,
    clock: crate::io::SystemClock,
    interrupt: Arc<AtomicBool>,
    earlier: BTreeMap<String, (MutantResult, Duration)>,
}

impl Work<'_> {
    /// Shows how many of these mutants are decided.
    fn gauge(&self, session: &Session<'_>, selected: &[usize]) -> Gauge {
        let live = selected.iter().filter(|&&index| {
            let standing = &self.model.listing.catalogue[index].standing;
            matches!(standing, Standing::Live(_))
        });
        let before = self.earlier.values().map(|(result, _)| result);
        Gauge::new(session, live.count(), before)
    }

    /// Tests for mutants with any number of faults, if the language has them.
    fn domain(&self, aim: Aim, start: &[Vec<Step>]) -> Result<Option<OfSize>, Failure> {
        let Some(size) = self.procedures.decider.domain() else {
            return Ok(None);
        };
        let wanted = Wanted {
            aim,
            bounded: self.bound.is_some(),
        };
        let budget = self.budget.within(self.timeout);
        let found = self.procedures.complete(wanted, start, &budget)?;
        Ok(found.map(|found| (size, found)))
    }

    /// The suite of a classic method, of which it is said how large it is.
    fn classic(
        &self,
        session: &mut Session<'_>,
        method: Method,
    ) -> Result<Vec<Vec<Step>>, Failure> {
        let budget = self.budget.within(self.timeout);
        let refused = |why: &str| {
            let name = domains::name_of(method);
            Failure::usage(format!("--method {name}: {why}"))
        };
        match self.procedures.decider.classic(method, &budget) {
            Some(Ok(tests)) => {
                session.say(Level::Note, domains::size_of(method, &tests));
                Ok(tests)
            }
            // Verdicts do not need it, and a complete suite can be looked for without it.
            Some(Err(why)) if budget.stopped().is_some() => {
                let name = domains::name_of(method);
                let text = format!("--method {name}: {why}; the search begins without them");
                session.say(Level::Warning, text);
                Ok(Vec::new())
            }
            Some(Err(why)) => Err(refused(&why)),
            None => Err(refused("the language has no such suites")),
        }
    }

    /// Decides a mutant, if it is a model, and writes down what was found before anything else is.
    fn settle(&self, entry: &Entry, keeping: &Mutex<Keeping<'_, '_>>) -> Result<Settled, Failure> {
        if let Standing::Invalid(reason) = &entry.standing {
            return Ok(Settled {
                result: build::invalid(&entry.id, reason),
                test: None,
                took: Duration::ZERO,
            });
        }
        if let Some((result, took)) = self.earlier.get(&entry.id.0) {
            return Ok(Settled {
                test: test_of(result)
                    .map_err(|error| Failure::message(ExitCode::Evidence, error.into()))?,
                result: result.clone(),
                took: *took,
            });
        }
        let start = self.clock.now();
        let budget = self.budget.within(self.timeout);
        let verdict = self.procedures.verdict(&entry.id, self.bound, &budget)?;
        let listing = &self.model.listing;
        let asked = Asked {
            language: self.procedures.language,
            model: &listing.description.hash,
            question: &self.model.contents.question,
        };
        let written = found(asked, &entry.id, &verdict)
            .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
        let took = self.clock.now().saturating_sub(start);
        let hurried = self.interrupt.load(Ordering::Relaxed);
        let mut keeping = keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let Keeping {
            folder,
            session,
            gauge,
        } = &mut *keeping;
        let result = record(folder, written, took, hurried)?;
        gauge.decided(session, &result);
        Ok(Settled {
            result,
            test: verdict.kill().map(|kill| kill.model_run.clone()),
            took,
        })
    }
}

/// Writes certificates and the journal's line. A mutant that was only interrupted is not decided.
fn record(
    folder: &mut RunFolder,
    Found { result, filed }: Found,
    took: Duration,
    hurried: bool,
) -> Result<MutantResult, Failure> {
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

/// The mutants that were killed, each with the test that was found for it.
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
