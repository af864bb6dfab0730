//! `jobs.jsonl` in the folder of a run: written while it goes on, and cut to its whole lines when the run is resumed.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;

use super::{JOBS, RunFolder};

impl RunFolder {
    /// Appends a line, with `first` before it if it is the first one of the file.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn append_job(&mut self, first: &str, line: &str) -> anyhow::Result<()> {
        let path = self.path.join(JOBS);
        let said = || format!("{} cannot be written", path.display());
        let mut text = String::new();
        let file: &File = match &mut self.jobs {
            Some(file) => file,
            none => {
                let file = OpenOptions::new().append(true).create(true).open(&path);
                let file = file.with_context(said)?;
                if file.metadata().with_context(said)?.len() == 0 {
                    first.clone_into(&mut text);
                }
                none.insert(file)
            }
        };
        text.push_str(line);
        self.disk.append(file, text.as_bytes()).with_context(said)
    }
}

/// Leaves the file in a folder with so many bytes. It is deleted if none are left.
///
/// # Errors
/// If the file system refuses.
pub(super) fn cut(folder: &Path, length: usize) -> anyhow::Result<()> {
    let path = folder.join(JOBS);
    if length == 0 {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be deleted", path.display()))
            }
            _ => Ok(()),
        };
    }
    let file = OpenOptions::new().write(true).open(&path);
    file.and_then(|file| file.set_len(length as u64))
        .with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_off_leaves_the_file_and_so_does_a_file_that_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOBS);
        fs::write(&path, "whole\nhal").unwrap();
        cut(folder.path(), 6).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole\n");
        for _ in 0..2 {
            cut(folder.path(), 0).unwrap();
            assert!(!path.exists());
        }
    }
}
