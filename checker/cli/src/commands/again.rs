//! Reconstructs a run from its folder: reads the model again, and asks the question of the run.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperkill_run::asked::Options;
use hyperkill_run::life::Life;
use hyperkill_run::limits::Limits;
use hyperkill_run::procedure::{Procedure, Spoilt, Surroundings, Task};
use hyperkill_run::sink::Silence;

use crate::args::RunArgs;
use crate::audited::TEXTS;
use crate::decision::{limits, task, workers};
use crate::documents::{Asked, Suite};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded};
use crate::question;
use crate::run_folder;
use crate::session::Session;

/// A recorded run with its model, read again.
pub(super) struct ReadAgain {
    /// The model.
    pub(super) procedure: Box<dyn Procedure>,
    /// The question about the model that the options ask.
    pub(super) task: Task,
    /// The options of the run, without model files.
    pub(super) run: RunArgs,
}

impl ReadAgain {
    /// Returns the options that the question `asked` records, for a run with the folder `out`. The session gets the seed of the run.
    ///
    /// # Errors
    /// If this version does not have one of the options.
    pub(super) fn options(
        session: &mut Session<'_>,
        asked: &Asked,
        out: &Path,
    ) -> Result<RunArgs, Failure> {
        let options = Options::of_run(asked)?;
        session.seed = options.selection.seed;
        Ok(crate::asked::arguments(options, out))
    }

    /// Reads the model of a recorded run, and returns it with the task of the options `run`.
    ///
    /// # Errors
    /// If it cannot be read, or the options do not fit it.
    pub(super) fn read(
        session: &mut Session<'_>,
        recorded: &Recorded,
        run: RunArgs,
    ) -> Result<ReadAgain, Failure> {
        let ask = question::of(session.io, &run.decision, None)?.killing()?;
        let operators = &recorded.operators;
        let procedure = load::model_from(session, &recorded.spec, recorded.origin(), operators)?;
        let given = (&run.selection, &run.decision);
        let task = Task {
            aim: run.aim(),
            ..task(session, procedure.as_ref(), given, ask)?
        };
        Ok(ReadAgain {
            procedure,
            task,
            run,
        })
    }
}

/// Returns the failure for a file of a run that is not as the run wrote it.
pub(super) fn not_as_written(dir: &Path, spoilt: &Spoilt) -> Failure {
    let error = anyhow::anyhow!(
        "{} is not as the run wrote it: {}",
        dir.join(spoilt.file).display(),
        spoilt.why
    );
    Failure::message(ExitCode::Evidence, error).with_help("run again")
}

/// Returns the suite of an unfinished run, for the mutants that it has killed so far.
///
/// # Errors
/// If the folder is no run of this version, or is not as the run wrote it.
pub(super) fn suite_so_far(session: &mut Session<'_>, dir: &Path) -> Result<Suite, Failure> {
    let stored = run_folder::run_in(dir);
    let (table, asked) = (stored.mutants()?, stored.asked()?);
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), dir, &[])?;
    let run = ReadAgain::options(session, &asked, dir)?;
    let ReadAgain {
        mut procedure,
        task,
        run,
    } = session.quietly(|session| ReadAgain::read(session, &recorded, run))?;
    if let Some(reading) = table.reading {
        procedure.listing_mut().reading = reading;
    }
    let recovered = procedure
        .recover(&stored.files(), stored.entries()?)
        .map_err(|spoilt| not_as_written(dir, &spoilt))?;
    // Nothing more is decided.
    let limits = Limits {
        interrupt: Arc::new(AtomicBool::new(true)),
        ..limits(session, &run.decision.limits)
    };
    let life = Life {
        procedure: procedure.as_ref(),
        task: &task,
        accepted: &run.baseline(),
    };
    let decided = life.go_on(
        recovered.earlier,
        &mut Surroundings {
            limits: &limits,
            threads: &workers(limits.jobs, &limits.ledger)?,
            sink: &mut Silence,
            folder: None,
            texts: TEXTS,
        },
    )?;
    Ok(life.suite(&decided))
}
