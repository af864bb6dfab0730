//! `hyperkill submit`: job files for schedulers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::folder::PlanFolder;
use crate::args::{Scheduler, SubmitArgs};
use crate::children::{self, Job};
use crate::documents::{self, Matrix};
use crate::exit_code::ExitCode;
use crate::external::MEMORY;
use crate::failure::Failure;
use crate::session::Session;

/// The folder of job files in the folder of a plan.
const SUBMIT: &str = "submit";
/// A job ends so long before its time.
const EARLIER: Duration = Duration::from_secs(120);
/// The least time of a job, if none is given.
const LEAST: Duration = Duration::from_secs(30 * 60);
/// Time of a job besides deciding, if none is given.
const BESIDES: Duration = Duration::from_secs(10 * 60);

/// A job file.
struct JobFile {
    name: &'static str,
    template: &'static str,
}

/// The job files of a scheduler, the one that a template of the user replaces first, and the script that starts them.
fn files(scheduler: Scheduler) -> (Vec<JobFile>, &'static str) {
    let file = |name, template| JobFile { name, template };
    match scheduler {
        Scheduler::Slurm => (
            vec![
                file("slurm.sh", include_str!("templates/slurm.sh")),
                file("slurm-merge.sh", include_str!("templates/slurm-merge.sh")),
                file("slurm-start.sh", include_str!("templates/slurm-start.sh")),
            ],
            "slurm-start.sh",
        ),
        Scheduler::Hyperqueue => (
            vec![file(
                "hyperqueue.sh",
                include_str!("templates/hyperqueue.sh"),
            )],
            "hyperqueue.sh",
        ),
        Scheduler::Parallel => (
            vec![file("parallel.sh", include_str!("templates/parallel.sh"))],
            "parallel.sh",
        ),
        Scheduler::Kubernetes => (
            vec![
                file("kubernetes.yaml", include_str!("templates/kubernetes.yaml")),
                file(
                    "kubernetes-merge.yaml",
                    include_str!("templates/kubernetes-merge.yaml"),
                ),
                file(
                    "kubernetes-start.sh",
                    include_str!("templates/kubernetes-start.sh"),
                ),
            ],
            "kubernetes-start.sh",
        ),
        Scheduler::Matrix => (Vec::new(), ""),
    }
}

/// Carries it out.
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
    if args.to == Scheduler::Matrix {
        let matrix = Matrix {
            shard: (0..count).collect(),
        };
        let text = documents::to_line(&matrix)?;
        session.print(text)?;
        return Ok(ExitCode::Success);
    }
    if args.start && args.to == Scheduler::Kubernetes {
        return Err(Failure::usage(
            "--start is not for kubernetes: the image and the claim are yours",
        ));
    }
    let words = words(&folder, args)?;
    let place = args.dir.join(SUBMIT);
    session.io.disk.make_folder(&place)?;
    let (files, started) = files(args.to);
    let mut own = match &args.template {
        Some(template) => Some(read(template)?),
        None => None,
    };
    for file in &files {
        let template = own.take().unwrap_or_else(|| file.template.to_owned());
        let text = filled(&template, &words).map_err(|unknown| {
            let known: Vec<String> = words
                .iter()
                .map(|(name, _)| format!("{{{name}}}"))
                .collect();
            Failure::usage(format!(
                "the template has {{{unknown}}}, which means nothing"
            ))
            .with_help(format!("it may have {}", known.join(", ")))
        })?;
        session
            .io
            .disk
            .write(&place.join(file.name), text.as_bytes())?;
    }
    let started = place.join(started);
    if args.start {
        return start(session, &started);
    }
    session.print(format!("sh {}\n", quoted(&started.display().to_string())))?;
    Ok(ExitCode::Success)
}

fn read(template: &Path) -> Result<String, Failure> {
    fs::read_to_string(template)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", template.display())))
}

/// Runs a script with job files to its end.
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

/// The words of templates with their meanings.
fn words(folder: &PlanFolder, args: &SubmitArgs) -> Result<Vec<(&'static str, String)>, Failure> {
    let count = folder.plan.shards.len();
    let dearest = (folder.plan.shards.iter())
        .map(|shard| shard.seconds)
        .fold(0.0, f64::max);
    let time = match args.time {
        Some(limit) => limit.0.filter(|time| *time > EARLIER).ok_or_else(|| {
            Failure::usage("--time: a job ends two minutes before its time, so that it needs more")
        })?,
        None => (Duration::from_secs_f64(2.0 * dearest.min(1e9)) + BESIDES).max(LEAST),
    };
    let memory = args.memory.0.ok_or_else(|| {
        Failure::usage("--memory none: a scheduler has to know how much a job takes")
    })?;
    let plan = whole(&args.dir)?;
    let base = plan
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let limit = |before: &str| {
        let limit = args.at_once.map(|most| format!("{before}{most}"));
        limit.unwrap_or_default()
    };
    let seconds = (time - EARLIER).as_secs();
    Ok(vec![
        ("hyperkill", args.command.clone()),
        ("plan", quoted(&plan.display().to_string())),
        ("out", quoted(&absolute(&args.out)?.display().to_string())),
        ("base", base.clone()),
        ("name", name(&base)),
        ("shards", count.to_string()),
        ("last", (count - 1).to_string()),
        ("limit", limit("%")),
        (
            "at_once",
            args.at_once
                .map_or_else(String::new, |most| format!("--jobs {most} ")),
        ),
        (
            "parallelism",
            args.at_once.unwrap_or(count).min(count).to_string(),
        ),
        ("seconds", seconds.to_string()),
        ("seconds_of_job", time.as_secs().to_string()),
        ("minutes", time.as_secs().div_ceil(60).to_string()),
        ("time", humantime::format_duration(time).to_string()),
        ("memory", memory.div_ceil(1 << 20).to_string()),
        ("cpus", args.cpus.count().to_string()),
        ("attempts", args.attempts.to_string()),
        ("tries", (args.attempts + 1).to_string()),
    ])
}

/// A folder that is there, by its whole path: a job may begin in another one.
fn whole(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize()
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// The whole path of a folder that need not be there.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// A name that every scheduler takes: letters, digits and hyphens.
fn name(folder: &str) -> String {
    let letters = folder
        .chars()
        .map(|letter| match letter.is_ascii_alphanumeric() {
            true => letter.to_ascii_lowercase(),
            false => '-',
        });
    let name: String = letters.collect();
    let name = name.trim_matches('-');
    match name.is_empty() {
        true => "hyperkill".to_owned(),
        false => name.chars().take(40).collect(),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A template with the meanings of its words; the first word that has none is the error. Words are small letters in braces that no dollar
/// sign is before.
fn filled(template: &str, words: &[(&'static str, String)]) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        let word = behind[1..].split_once('}').map(|(word, _)| word);
        let is_word = |word: &&str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        };
        let word = word.filter(is_word).filter(|_| !before.ends_with('$'));
        let Some(word) = word else {
            text.push('{');
            rest = &behind[1..];
            continue;
        };
        let meaning = words.iter().find(|(known, _)| *known == word);
        text.push_str(&meaning.ok_or_else(|| word.to_owned())?.1);
        rest = &behind[word.len() + 2..];
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_and_variables_of_shells_stay() {
        let words = [("plan", "'a b'".to_owned()), ("last", "7".to_owned())];
        let text = filled("run {plan} ${COUNT:-0} '{}' 0-{last}", &words);
        assert_eq!(text.unwrap(), "run 'a b' ${COUNT:-0} '{}' 0-7");
        assert_eq!(filled("{nothing}", &words), Err("nothing".to_owned()));
    }

    #[test]
    fn paths_are_quoted_for_a_shell_and_names_are_those_of_schedulers() {
        assert_eq!(quoted("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quoted("/it's"), r"'/it'\''s'");
        assert_eq!(name("My plan.v2"), "my-plan-v2");
        assert_eq!(name("__"), "hyperkill");
    }
}
