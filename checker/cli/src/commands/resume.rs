//! `hyperkill resume`: continues a stopped run.

use hyperkill_frontend::counted;
use hyperkill_run::asked::document;
use hyperkill_run::baseline::Baseline;
use hyperkill_run::life::{Life, table};
use hyperkill_run::procedure::{Procedure, Task};
use hyperkill_run::resumption::{EarlierRun, Recovered};

use super::again::{ReadAgain, not_as_written};
use super::run::{Going, finish};
use crate::args::{ResumeArgs, RunArgs};
use crate::asked;
use crate::audited::OnDisk;
use crate::decision::exit_code;
use crate::documents::{
    self, Asked, CompleteWord, JournalEntry, LockState, MutantTable, Run, Summary,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::Recorded;
use crate::model::Listing;
use crate::run_folder::{
    self, ASKED, EARLIER, MUTANTS, OUTCOMES, Reopened, RunFolder, kept, read_versioned,
};
use crate::session::{Level, Session};

/// Resumes the run in a folder.
pub(super) fn resume(session: &mut Session<'_>, args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let stopped = match stopped(session, args)? {
        Found::Stopped(stopped) => *stopped,
        Found::Finished(run) => return is_finished(session, &run),
    };
    let life = Life {
        procedure: stopped.procedure.as_ref(),
        task: &stopped.task,
        accepted: &stopped.accepted,
    };
    let (folder, earlier) = (stopped.folder, stopped.earlier);
    let going = Going::on(&stopped.run);
    finish(session, &going, life, folder, |life, around| {
        Ok(life.go_on(earlier, around)?)
    })
}

/// The findings about a run folder.
pub(crate) enum Found {
    /// The run was stopped.
    Stopped(Box<Stopped>),
    /// The run is finished, with these options.
    Finished(Box<RunArgs>),
}

/// A stopped run that can continue. Its folder is locked.
pub struct Stopped {
    /// The procedure that decides the mutants of the model, which was read from the folder.
    pub procedure: Box<dyn Procedure>,
    /// The question that the run decides.
    pub task: Task,
    /// The accepted mutants.
    pub accepted: Baseline,
    /// The verdicts before the stop.
    pub earlier: EarlierRun,
    /// Its folder.
    pub folder: RunFolder,
    run: RunArgs,
}

/// Locks the folder of a run and reads the run.
///
/// # Errors
/// If the folder has no run of this version, another process writes it, or a file differs from the run's own.
pub(crate) fn stopped(session: &mut Session<'_>, args: &ResumeArgs) -> Result<Found, Failure> {
    let reading = session.stage("the model was read");
    let table = run_folder::run_in(&args.dir).mutants()?;
    let reopened = Reopened::hold(&session.io.disk, &args.dir)?;
    let asked = asked::of(&args.dir)?;
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), &args.dir, &[])?;
    let run = ReadAgain::options(session, &asked, &args.dir)?;
    must_be_named_again(args, &asked)?;
    if reopened.state() == LockState::Finished {
        return Ok(Found::Finished(Box::new(run)));
    }
    let journal = run_folder::journal::read(&args.dir)?;
    if journal.is_torn {
        let text = "the last line of the journal was cut off: its mutant is decided again";
        session.say(Level::Note, text);
    }
    session.limit(run.decision.limits.total_timeout.0);
    let ReadAgain {
        mut procedure,
        task,
        run,
    } = ReadAgain::read(session, &recorded, run)?;
    let known = Known {
        table,
        asked,
        reopened,
    };
    known.is_of(procedure.listing_mut(), &run, session.seed, &task.selected)?;
    let recovered = procedure
        .recover(&OnDisk::at(&run.out), journal.entries)
        .map_err(|spoilt| not_as_written(&run.out, &spoilt))?;
    drop(reading);
    let (folder, earlier) = known.go_on(session, recovered)?;
    Ok(Found::Stopped(Box::new(Stopped {
        procedure,
        task,
        accepted: run.baseline(),
        earlier,
        folder,
        run,
    })))
}

/// Checks that the command line repeats every `--external` of the run. A folder may come from an untrusted source and must not start
/// programs.
fn must_be_named_again(args: &ResumeArgs, asked: &Asked) -> Result<(), Failure> {
    const EXTERNAL: &str = "--external=";
    let had = asked.options.iter();
    let had: Vec<&str> = had
        .filter_map(|option| option.strip_prefix(EXTERNAL))
        .collect();
    let mut named: Vec<&str> = args.external.iter().map(String::as_str).collect();
    named.sort_unstable();
    if named == had {
        return Ok(());
    }
    let words: Vec<String> = had
        .iter()
        .map(|had| format!("--external '{had}'"))
        .collect();
    Err(match words.is_empty() {
        true => Failure::usage("the run used no other model checker: leave --external out"),
        false => Failure::usage("the run used other model checkers: name them again")
            .with_help(format!("if you trust them: {}", words.join(" "))),
    })
}

/// Reports that the run is already finished.
fn is_finished(session: &mut Session<'_>, run: &RunArgs) -> Result<ExitCode, Failure> {
    let outcomes: Run = read_versioned(&run.out.join(OUTCOMES), Run::SCHEMA)?;
    let text = format!("the run in {} is finished", run.out.display());
    session.say(Level::Note, text);
    let domain = outcomes.domain.as_ref();
    let baseline = run.baseline();
    Ok(exit_code(
        &Summary::of(&baseline.others(&outcomes.results)),
        domain.is_some_and(|domain| domain.complete == CompleteWord::Unknown),
        outcomes.interrupted,
        &run.decision,
    ))
}

/// The documents of a run that was stopped, and its folder.
pub(super) struct Known {
    /// Its mutants.
    pub(super) table: MutantTable,
    /// Its question.
    pub(super) asked: Asked,
    /// Its folder, locked by this process.
    pub(super) reopened: Reopened,
}

impl Known {
    /// Checks that the model in the folder is the model of the folder's documents. Sets the reading of the listing to the reading of the
    /// run.
    fn is_of(
        &self,
        listing: &mut Listing,
        run: &RunArgs,
        seed: u64,
        selected: &[usize],
    ) -> Result<(), Failure> {
        if let Some(reading) = &self.table.reading {
            listing.reading = reading.clone();
        }
        let options = self.asked.options.clone();
        let model = (&*listing, &listing.reading);
        let asked = document(options, model, &run.selection.selection(seed), selected)?;
        let written_again = table(listing, selected);
        let wrong = |name: &str| {
            let place = self.reopened.path().join(name);
            let error = anyhow::anyhow!("{} is not as the run wrote it", place.display());
            Failure::message(ExitCode::Evidence, error).with_help("run again")
        };
        let text = documents::to_text(&written_again)?;
        let (written, _) = kept(self.reopened.path(), MUTANTS)?;
        match (asked == self.asked, text.as_bytes() == written) {
            (true, true) => Ok(()),
            (_, false) => Err(wrong(MUTANTS)),
            (false, _) => Err(wrong(ASKED)),
        }
    }

    /// Reopens the folder for further verdicts and reports the number of earlier ones. Returns the folder and the earlier verdicts.
    pub(super) fn go_on(
        self,
        session: &mut Session<'_>,
        recovered: Recovered,
    ) -> Result<(RunFolder, EarlierRun), Failure> {
        let Recovered {
            entries,
            mut files,
            earlier,
            hurried,
            lost,
            jobs,
        } = recovered;
        let copies = self
            .table
            .reading
            .iter()
            .flat_map(|reading| reading.copies());
        let names = copies.map(|(name, _)| name).chain([MUTANTS, ASKED]);
        let has_earlier = self.reopened.path().join(EARLIER).is_file();
        let names = names.chain(has_earlier.then_some(EARLIER));
        for name in names {
            let (_, digest) = kept(self.reopened.path(), name)?;
            files.insert(name.to_owned(), digest);
        }
        self.say(session, &entries, hurried, lost);
        let folder = self.reopened.go_on(&entries, jobs, files)?;
        Ok((folder, earlier))
    }

    fn say(
        &self,
        session: &mut Session<'_>,
        entries: &[JournalEntry],
        hurried: usize,
        lost: usize,
    ) {
        let live = self.table.mutants.iter();
        let live = live.filter(|mutant| mutant.reason.is_none()).count();
        let text = format!(
            "{}: {} of {} decided before",
            self.table.model.name,
            entries.len(),
            counted(live, "mutant")
        );
        session.say(Level::Note, text);
        let again = [
            (hurried, "had been decided when the run was to stop"),
            (lost, "had lost its evidence"),
        ];
        for (count, why) in again.into_iter().filter(|(count, _)| *count > 0) {
            let text = format!("decided again: {}, which {why}", counted(count, "mutant"));
            session.say(Level::Note, text);
        }
    }
}
