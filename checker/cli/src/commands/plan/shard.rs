//! `hyperkill run --plan DIR --shard K`: decides a shard, in an attempt of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use hyperkill_core::budget::Clock;
use hyperkill_frontend::counted;
use hyperkill_run::asked::{Options, document};
use hyperkill_run::decided::Decided;
use hyperkill_run::life::Life;
use hyperkill_run::plan::attempt::{count_cut_off, worth_keeping};
use hyperkill_run::plan::layout::{ATTEMPT, BASE, DONE};
use hyperkill_run::procedure::{Procedure, Task};
use hyperkill_run::reading::{ModelSpec, Taken};
use hyperkill_run::selection::Selection;

use super::super::again::not_as_written;
use super::super::{run_files, summary};
use super::folder::PlanFolder;
use crate::args::{Format, PartChoice, RunArgs};
use crate::asked;
use crate::audited::OnDisk;
use crate::decision::{task, with_surroundings};
use crate::documents::{self, Asked, DoneShard, JournalEntry, PlannedShard, Summary};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Recorded, seen_from};
use crate::question;
use crate::run_folder::run_name;
use crate::session::{Level, Session};
use hyperkill_audit::certificates::Circuit;

/// Options that the command line of a shard may give. The plan has all others.
const OWN: [&str; 6] = [
    "--shard",
    "--total-timeout",
    "--memory",
    "--seed",
    "--accept",
    EXTERNAL,
];
/// The option that names programs to start.
const EXTERNAL: &str = "--external";

/// Options that choose mutants: left out for a shard, whose file lists its mutants.
const CHOOSES: [&str; 6] = [
    "--mutant",
    "--operator",
    "--file",
    "--exclude",
    "--sample",
    "--shard",
];

/// Decides the shard `--shard` of the plan in `dir` in a new attempt, and returns the exit status. A shard that is done stays unchanged.
///
/// # Errors
/// If there is no such shard, or an option is given that the plan has.
pub(in crate::commands) fn decide_shard(
    session: &mut Session<'_>,
    dir: &Path,
    args: &RunArgs,
) -> Result<ExitCode, Failure> {
    decided(session, dir, args).map_err(|failure| match failure {
        // Another attempt has its time anew.
        Failure::Message {
            code: ExitCode::Undecided,
            error,
            help,
        } => Failure::Message {
            code: ExitCode::Interrupted,
            error,
            help,
        },
        failure => failure,
    })
}

fn decided(session: &mut Session<'_>, dir: &Path, args: &RunArgs) -> Result<ExitCode, Failure> {
    let folder = PlanFolder::read(dir)?;
    let number = number(&folder, args)?;
    let shard = folder.shard(number)?;
    has_no_options(session, args)?;
    names_programs_again(session, &folder)?;
    if folder.done(number)?.is_some() {
        session.say(
            Level::Note,
            format!("shard {number} of {} is done", dir.display()),
        );
        return Ok(ExitCode::Success);
    }
    session.limit(args.decision.limits.total_timeout.0);
    let reading = session.stage("the shard was read");
    let attempt = Attempt::read(session, &folder, (number, shard), args)?;
    drop(reading);
    attempt.decide(session, &folder)
}

/// Returns the number of the shard that the command line names.
fn number(folder: &PlanFolder, args: &RunArgs) -> Result<usize, Failure> {
    let count = folder.plan.shards.len();
    match args.selection.shard {
        Some(PartChoice::Planned(number)) => Ok(number),
        Some(PartChoice::Of(part)) if part.count == count => Ok(part.index),
        _ => Err(Failure::usage(format!(
            "the plan has {count} shards: write --shard K"
        ))),
    }
}

/// Refuses options that the plan has decided.
fn has_no_options(session: &Session<'_>, args: &RunArgs) -> Result<(), Failure> {
    let usual = Options::default().beside_question();
    let is_own = |option: &str| OWN.iter().any(|own| named(option, own));
    let mut given = session.asked.iter();
    let given = given.find(|option| !usual.contains(option) && !is_own(option));
    let of_model = args.model.spec().options != ModelSpec::default().options;
    match (given, of_model) {
        (None, false) => Ok(()),
        (Some(option), _) => Err(Failure::usage(format!(
            "{option}: a shard has the options of its plan"
        ))),
        (None, true) => Err(Failure::usage(
            "a shard is read as its plan was: leave out options about the model",
        )),
    }
}

/// Checks that the command line repeats every `--external` of the plan. A folder may come from an untrusted source and must not start
/// programs.
fn names_programs_again(session: &Session<'_>, folder: &PlanFolder) -> Result<(), Failure> {
    let programs = |options: &[String]| -> BTreeSet<String> {
        let programs = options.iter().filter(|option| named(option, EXTERNAL));
        programs.cloned().collect()
    };
    let (had, given) = (programs(&folder.plan.options), programs(&session.asked));
    if had == given {
        return Ok(());
    }
    let words: Vec<String> = (had.iter())
        .filter_map(|option| option.split_once('='))
        .map(|(option, command)| format!("{option} '{command}'"))
        .collect();
    Err(match words.is_empty() {
        true => Failure::usage("the plan uses no other model checker: leave --external out"),
        false => Failure::usage("the plan uses other model checkers: name them again")
            .with_help(format!("if you trust them: {}", words.join(" "))),
    })
}

fn named(option: &str, name: &str) -> bool {
    option.split('=').next() == Some(name)
}

/// An attempt at a shard, ready to begin.
struct Attempt {
    number: usize,
    procedure: Box<dyn Procedure>,
    task: Task,
    run: RunArgs,
    options: Vec<String>,
    /// The folder of the earlier attempt to go on from, and its journal; `None` to begin.
    before: Option<(PathBuf, Vec<JournalEntry>)>,
}

impl Attempt {
    fn read(
        session: &mut Session<'_>,
        folder: &PlanFolder,
        (number, shard): (usize, &PlannedShard),
        args: &RunArgs,
    ) -> Result<Attempt, Failure> {
        let plan = &folder.plan;
        let of_plan = Options::of_run(&folder.asked())?;
        session.seed = of_plan.selection.seed;
        let named_one = !of_plan.selection.mutants.is_empty();
        let options = plan.options.iter();
        let options = options.filter(|option| !CHOOSES.iter().any(|name| named(option, name)));
        let options: Vec<String> = options.cloned().collect();
        let of_plan = Options {
            selection: Selection::default(),
            ..of_plan
        };
        let mut run = asked::arguments(of_plan, Path::new(""));
        // The limits of this process.
        run.decision.limits.memory = args.decision.limits.memory.clone();
        let bytes = folder.shard_file(shard)?;
        let procedure = match &shard.circuit {
            Some(circuit) => circuit_of(session, folder, shard, circuit)?,
            None => listed_of(session, folder, &bytes)?,
        };
        let ask = question::of(session.io, &run.decision, None)?.killing()?;
        let given = (&run.selection, &run.decision);
        let task = task(session, procedure.as_ref(), given, ask)?;
        let task = Task {
            aim: run.aim(),
            // Users who name a mutant want its own verdict.
            fold_duplicates: !named_one,
            ..task
        };
        Ok(Attempt {
            number,
            procedure,
            task,
            run,
            options,
            before: folder.farthest(number)?,
        })
    }

    /// Decides the shard in a new folder beside those of earlier attempts. The shard is done unless the attempt is stopped early.
    fn decide(
        mut self,
        session: &mut Session<'_>,
        folder: &PlanFolder,
    ) -> Result<ExitCode, Failure> {
        let attempts = folder.attempts_of(self.number);
        session.io.disk.make_folder(&attempts)?;
        let name = format!("{ATTEMPT}{}", run_name());
        let mut out = run_files::take(session, &attempts.join(&name))?;
        let listing = self.procedure.listing_mut();
        listing.reading = seen_from(&listing.reading, out.path());
        let selection = self.run.selection.selection(session.seed);
        let listing = self.procedure.listing();
        let model = (listing, &listing.reading);
        let asked = document(self.options.clone(), model, &selection, &self.task.selected)?;
        let accepted = self.run.baseline();
        let life = Life {
            procedure: self.procedure.as_ref(),
            task: &self.task,
            accepted: &accepted,
        };
        let before = self.before.take();
        let timeout = self.task.timeout;
        let (decided, cut_off) =
            run_files::in_folder(session, Some(&mut out), |session, folder| {
                let decided = live(session, &life, (&asked, before), &self.run, folder)?;
                let is_over = (session.deadline()).is_some_and(|end| session.clock.now() >= end);
                let cut_off = match is_over {
                    true => count_cut_off(&decided, timeout),
                    false => 0,
                };
                if cut_off > 0 {
                    // The folder keeps what the next attempt goes on from.
                    session.io.interrupt.store(true, Ordering::Relaxed);
                }
                Ok((decided, cut_off))
            })?;
        summary::say_invalid(session, &decided);
        let (number, dir) = (self.number, folder.dir.display());
        if decided.interrupted {
            return Ok(ExitCode::Interrupted);
        }
        if cut_off > 0 {
            let text = format!(
                "shard {number}: {} ran out of time: `hyperkill run --plan {dir} --shard {number}` goes on",
                counted(cut_off, "mutant")
            );
            session.say(Level::Warning, text);
            return Ok(ExitCode::Interrupted);
        }
        let done = DoneShard {
            schema: DoneShard::SCHEMA.to_owned(),
            plan: folder.plan.hash.clone(),
            shard: number,
            attempt: name,
        };
        // One rename: of two attempts that end at once either one counts.
        let place = attempts.join(DONE);
        session
            .io
            .disk
            .write(&place, documents::to_text(&done)?.as_bytes())?;
        print(session, number, &decided)?;
        Ok(ExitCode::Success)
    }
}

/// Reads the circuit of a shard, with `circuit` as its digest in the plan.
///
/// # Errors
/// If the circuit has another digest.
fn circuit_of(
    session: &mut Session<'_>,
    folder: &PlanFolder,
    shard: &PlannedShard,
    circuit: &str,
) -> Result<Box<dyn Procedure>, Failure> {
    let path = folder.dir.join(&shard.file);
    let spec = ModelSpec {
        files: vec![path.clone()],
        ..ModelSpec::default()
    };
    let loaded = load::load(session, &spec, &[])?;
    if Circuit::of(&loaded.model).digest != circuit {
        let error = anyhow::anyhow!("{} has another circuit than the plan says", path.display());
        return Err(Failure::message(ExitCode::Evidence, error).with_help("make the plan again"));
    }
    Ok(load::of_circuit(loaded))
}

/// Reads the sources of the plan, with the mutants of a shard.
fn listed_of(
    session: &mut Session<'_>,
    folder: &PlanFolder,
    list: &[u8],
) -> Result<Box<dyn Procedure>, Failure> {
    let base = folder.dir.join(BASE);
    let table = folder.base().mutants()?;
    let mut recorded = Recorded::of(&table.model, table.reading.as_ref(), &base, &[])?;
    recorded.spec.taken = Some(Taken::Listed(String::from_utf8_lossy(list).into_owned()));
    let operators = recorded.operators.clone();
    load::model_from(session, &recorded.spec, recorded.origin(), &operators)
}

/// Decides in a folder, from the beginning or from the earlier attempt `before`. Without a folder nothing is written.
fn live(
    session: &mut Session<'_>,
    life: &Life<'_>,
    (asked, before): (&Asked, Option<(PathBuf, Vec<JournalEntry>)>),
    run: &RunArgs,
    folder: Option<&mut crate::run_folder::RunFolder>,
) -> Result<Decided, Failure> {
    let Some((dir, mut entries)) = before else {
        return with_surroundings(session, &run.decision.limits, folder, |around| {
            Ok(life.begin(asked, None, around)?)
        });
    };
    entries.retain(|entry| worth_keeping(entry, life.task.timeout));
    let there = OnDisk::at(&dir);
    let recovered = life
        .procedure
        .recover(&there, entries)
        .map_err(|spoilt| not_as_written(&dir, &spoilt))?;
    let text = format!(
        "goes on from {}: {} decided before",
        dir.display(),
        counted(recovered.entries.len(), "mutant")
    );
    session.say(Level::Note, text);
    with_surroundings(session, &run.decision.limits, folder, |around| {
        Ok(life.go_on_elsewhere(asked, recovered, &there, around)?)
    })
}

/// Prints the numbers of a shard. Prints nothing as JSON, or if the session wants no summary.
fn print(session: &mut Session<'_>, number: usize, decided: &Decided) -> Result<(), Failure> {
    if session.format == Format::Json || !session.wants_summary() {
        return Ok(());
    }
    let open = Summary::of(&decided.results).unknown;
    let text = format!(
        "shard {number}: {} done, {open} undecided\n",
        counted(decided.results.len(), "mutant")
    );
    session.print(text)
}
