//! `jobs.jsonl` in the folder of a run: written while it goes on, read when it is resumed.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use anyhow::Context;
use hyperkill_checker::rounds::{Job, Recalled};
use hyperkill_run::jobs::{Owner, Told, line, told};

use super::{JOBS, RunFolder};

impl RunFolder {
    /// Appends a job, if its facts can be written. The first line of the file says whose it is.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn append_job(&mut self, owner: &Owner, job: &Job<'_>) -> anyhow::Result<()> {
        let Some(line) = line(job)? else {
            return Ok(());
        };
        let path = self.path.join(JOBS);
        let said = || format!("{} cannot be written", path.display());
        let mut text = String::new();
        let file: &File = match &mut self.jobs {
            Some(file) => file,
            none => {
                let file = OpenOptions::new().append(true).create(true).open(&path);
                let file = file.with_context(said)?;
                if file.metadata().with_context(said)?.len() == 0 {
                    text = owner.line()?;
                }
                none.insert(file)
            }
        };
        text.push_str(&line);
        self.disk.append(file, text.as_bytes()).with_context(said)
    }
}

/// Reads the jobs of an owner's run, and leaves the file with just these. A file of another owner is deleted.
///
/// # Errors
/// If the file system refuses.
pub(crate) fn recalled(dir: &Path, owner: &Owner) -> anyhow::Result<Recalled> {
    let path = dir.join(JOBS);
    let Ok(text) = fs::read_to_string(&path) else {
        return Ok(Recalled::new());
    };
    let Some(Told { jobs, whole }) = told(&text, owner) else {
        fs::remove_file(&path).with_context(|| format!("{} cannot be deleted", path.display()))?;
        return Ok(Recalled::new());
    };
    if whole < text.len() {
        let file = OpenOptions::new().write(true).open(&path);
        file.and_then(|file| file.set_len(whole as u64))
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_off_leaves_the_file_and_so_does_the_file_of_another_circuit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOBS);
        let owner = Owner::of("sha256:0");
        let whole = owner.line().unwrap();
        fs::write(&path, whole.clone() + r#"{"round":4,"part":0,"mem"#).unwrap();
        assert!(recalled(folder.path(), &owner).unwrap().is_empty());
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        let other = Owner::of("sha256:1");
        assert!(recalled(folder.path(), &other).unwrap().is_empty());
        assert!(!path.exists());
    }
}
