//! `hyperkill submit`: job files for schedulers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill_export::jobs::{Jobs, Scheduler, job_files, quoted};

use super::folder::PlanFolder;
use crate::args::{SchedulerChoice, SubmitArgs};
use crate::children::{self, Job};
use crate::documents::{self, Matrix};
use crate::exit_code::ExitCode;
use crate::external::MEMORY;
use crate::failure::Failure;
use crate::session::Session;

/// The folder of job files in the folder of a plan.
const SUBMIT: &str = "submit";

/// Writes the job files for a scheduler, and prints the command that starts them or starts them itself; or prints the shards as a matrix.
pub(in crate::commands) fn submit(
    session: &mut Session<'_>,
    args: &SubmitArgs,
) -> Result<ExitCode, Failure> {
    let folder = PlanFolder::read(&args.dir)?;
    let count = folder.plan.shards.len();
    if count == 0 {
        let dir = args.dir.display();
        return Err(
            Failure::usage("the plan has decided all mutants: there is nothing to submit")
                .with_help(format!("`hyperkill merge {dir}` makes the run")),
        );
    }
    let scheduler = match args.to {
        SchedulerChoice::Matrix => {
            let matrix = Matrix {
                shard: (0..count).collect(),
            };
            let text = documents::to_line(&matrix)?;
            session.print(text)?;
            return Ok(ExitCode::Success);
        }
        SchedulerChoice::Kubernetes if args.start => {
            let text = "--start is not for kubernetes: the image and the claim are yours";
            return Err(Failure::usage(text));
        }
        SchedulerChoice::Kubernetes => Scheduler::Kubernetes,
        SchedulerChoice::Slurm => Scheduler::Slurm,
        SchedulerChoice::Hyperqueue => Scheduler::Hyperqueue,
        SchedulerChoice::Parallel => Scheduler::Parallel,
    };
    let memory = args.memory.0.ok_or_else(|| {
        Failure::usage("--memory none: a scheduler needs the memory of a job, like --memory 4G")
    })?;
    // A job may begin in another folder.
    let (dir, out) = (whole(&args.dir)?, absolute(&args.out)?);
    let template = args.template.as_deref().map(read).transpose()?;
    let jobs = Jobs {
        plan: &folder.plan,
        folder: &dir.display().to_string(),
        out: &out.display().to_string(),
        hyperkill: &args.command,
        time: args.time.and_then(|limit| limit.0),
        memory,
        cpus: args.cpus.count(),
        attempts: args.attempts,
        at_once: args.at_once,
    };
    let files = job_files(scheduler, &jobs, template.as_deref())?;
    let place = args.dir.join(SUBMIT);
    session.io.disk.make_folder(&place)?;
    for (name, text) in &files.files {
        session.io.disk.write(&place.join(name), text.as_bytes())?;
    }
    let script = place.join(files.start);
    if args.start {
        return start(session, &script);
    }
    session.print(format!("sh {}\n", quoted(&script.display().to_string())))?;
    Ok(ExitCode::Success)
}

fn read(template: &Path) -> Result<String, Failure> {
    fs::read_to_string(template)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", template.display())))
}

/// Runs a shell script that starts jobs, waits for its end, and prints its output.
fn start(session: &mut Session<'_>, script: &Path) -> Result<ExitCode, Failure> {
    let words = [OsString::from("sh"), script.as_os_str().to_owned()];
    let budget = session.budget();
    let ended = children::run(&Job {
        words: &words,
        folder: None,
        input: None,
        memory: MEMORY,
        budget: &budget,
    });
    let script = script.display();
    let ended = ended.map_err(|trouble| Failure::usage(format!("{script} {trouble}")))?;
    if !ended.status.success() {
        return Err(Failure::usage(format!("{script}: {}", ended.describe())));
    }
    session.print(String::from_utf8_lossy(&ended.stdout))?;
    Ok(ExitCode::Success)
}

/// Returns the complete path of an existing folder.
fn whole(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize()
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Returns the complete path of a folder that need not exist.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
