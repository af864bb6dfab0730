//! Job files for schedulers that run a plan.

use std::time::Duration;

use hyperkill_audit::documents::Plan;

use crate::ExportError;

/// Time between the end of a job's work and the scheduler's limit for the job.
const EARLIER: Duration = Duration::from_secs(120);
/// Shortest default time of a job.
const LEAST: Duration = Duration::from_secs(30 * 60);
/// Time that is added to the time for deciding mutants, in the default time of a job.
const BESIDES: Duration = Duration::from_secs(10 * 60);
/// Longest name of a job, in characters.
const NAME: usize = 40;

/// A scheduler with job files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// Slurm.
    Slurm,
    /// HyperQueue.
    Hyperqueue,
    /// Kubernetes.
    Kubernetes,
    /// GNU parallel.
    Parallel,
}

/// Parameters of the jobs of a plan.
#[derive(Clone, Debug)]
pub struct Jobs<'a> {
    /// The plan, with its shards.
    pub plan: &'a Plan,
    /// Absolute path of the plan's folder.
    pub folder: &'a str,
    /// Absolute path of the folder for the merged run.
    pub out: &'a str,
    /// Command that starts hyperkill.
    pub hyperkill: &'a str,
    /// Time limit of a job; `None`: from the estimate in the plan.
    pub time: Option<Duration>,
    /// Memory of a job in bytes.
    pub memory: u64,
    /// Cores of a job.
    pub cpus: usize,
    /// Number of restarts, at most, of a job that was stopped.
    pub attempts: usize,
    /// Number of jobs, at most, that run at once; `None`: unlimited.
    pub at_once: Option<usize>,
}

/// The job files of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobFiles {
    /// File names with their texts.
    pub files: Vec<(&'static str, String)>,
    /// The file that a shell runs to start the jobs.
    pub start: &'static str,
}

/// Returns the job files of a plan for a scheduler. `template`, if the user gives one, replaces the scheduler's first template.
///
/// # Errors
/// If the time of a job is too short, or the template contains an unknown placeholder.
pub fn job_files(
    scheduler: Scheduler,
    jobs: &Jobs<'_>,
    template: Option<&str>,
) -> Result<JobFiles, ExportError> {
    let words = jobs.words()?;
    let (templates, start) = templates(scheduler);
    let mut own = template;
    let files = templates.into_iter().map(|(name, usual)| {
        let text = filled(own.take().unwrap_or(usual), &words).map_err(|unknown| {
            let known: Vec<String> = words
                .iter()
                .map(|(name, _)| format!("{{{name}}}"))
                .collect();
            let message = format!("the template has {{{unknown}}}, which means nothing");
            let advice = format!("it may have {}", known.join(", "));
            ExportError::unsuited(message).with_help(&advice)
        })?;
        Ok((name, text))
    });
    Ok(JobFiles {
        files: files.collect::<Result<_, ExportError>>()?,
        start,
    })
}

/// Returns the templates of a scheduler as pairs of file name and text, and the name of the file that starts the jobs.
fn templates(scheduler: Scheduler) -> (Vec<(&'static str, &'static str)>, &'static str) {
    match scheduler {
        Scheduler::Slurm => (
            vec![
                ("slurm.sh", include_str!("jobs/slurm.sh")),
                ("slurm-merge.sh", include_str!("jobs/slurm-merge.sh")),
                ("slurm-start.sh", include_str!("jobs/slurm-start.sh")),
            ],
            "slurm-start.sh",
        ),
        Scheduler::Hyperqueue => (
            vec![("hyperqueue.sh", include_str!("jobs/hyperqueue.sh"))],
            "hyperqueue.sh",
        ),
        Scheduler::Parallel => (
            vec![("parallel.sh", include_str!("jobs/parallel.sh"))],
            "parallel.sh",
        ),
        Scheduler::Kubernetes => (
            vec![
                ("kubernetes.yaml", include_str!("jobs/kubernetes.yaml")),
                (
                    "kubernetes-merge.yaml",
                    include_str!("jobs/kubernetes-merge.yaml"),
                ),
                (
                    "kubernetes-start.sh",
                    include_str!("jobs/kubernetes-start.sh"),
                ),
            ],
            "kubernetes-start.sh",
        ),
    }
}

impl Jobs<'_> {
    /// Returns the placeholders of templates, without braces, with their values.
    fn words(&self) -> Result<Vec<(&'static str, String)>, ExportError> {
        let count = self.plan.shards.len();
        let time = self.time_of_job()?;
        let seconds = (time - EARLIER).as_secs();
        let base = self.folder.rsplit('/').next().unwrap_or_default();
        let text = |most: Option<usize>, before: &str, after: &str| {
            let text = most.map(|most| format!("{before}{most}{after}"));
            text.unwrap_or_default()
        };
        Ok(vec![
            ("hyperkill", self.hyperkill.to_owned()),
            ("plan", quoted(self.folder)),
            ("out", quoted(self.out)),
            ("base", base.to_owned()),
            ("name", name(base)),
            ("shards", count.to_string()),
            ("last", count.saturating_sub(1).to_string()),
            ("limit", text(self.at_once, "%", "")),
            ("at_once", text(self.at_once, "--jobs ", " ")),
            (
                "parallelism",
                self.at_once.unwrap_or(count).min(count).to_string(),
            ),
            ("seconds", seconds.to_string()),
            ("seconds_of_job", time.as_secs().to_string()),
            ("minutes", time.as_secs().div_ceil(60).to_string()),
            ("memory", self.memory.div_ceil(1 << 20).to_string()),
            ("cpus", self.cpus.to_string()),
            ("attempts", self.attempts.to_string()),
            ("tries", (self.attempts + 1).to_string()),
        ])
    }

    fn time_of_job(&self) -> Result<Duration, ExportError> {
        let dearest = self.plan.shards.iter().map(|shard| shard.seconds);
        let dearest = dearest.fold(0.0, f64::max).min(1e9);
        match self.time {
            None => Ok((Duration::from_secs_f64(2.0 * dearest) + BESIDES).max(LEAST)),
            Some(time) if time > EARLIER => Ok(time),
            Some(_) => Err(ExportError::unsuited(
                "--time: a job ends two minutes before its time, so that it needs more",
            )),
        }
    }
}

/// Returns a job name that every scheduler accepts, made from a folder's name: lower-case letters, digits and hyphens.
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
        false => name.chars().take(NAME).collect(),
    }
}

/// Returns a word as a shell reads it back: in single quotes, unless it has no special character.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns a template with its placeholders replaced by the values in `words`. The error is the first unknown placeholder. A placeholder is
/// a word of small letters in braces, without a dollar sign before it.
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
