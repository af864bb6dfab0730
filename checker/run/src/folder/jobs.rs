//! `jobs.jsonl` in the folder of a run: written during the run. Resuming the run cuts the file to its complete lines.

use std::path::Path;

use super::error::FolderError;
use super::file_system::{Access, FileSystem, OpenFile};
use super::files;
use crate::names::JOBS;

/// The file, opened with the first job.
#[derive(Default, Debug)]
pub(super) struct Jobs(Option<Box<dyn OpenFile>>);

impl Jobs {
    /// Appends a line, with `first` before it if it is the first one of the file.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn append(
        &mut self,
        disk: &dyn FileSystem,
        folder: &Path,
        (first, line): (&str, &str),
    ) -> Result<(), FolderError> {
        let path = folder.join(JOBS);
        let mut add = || {
            let mut text = String::new();
            let file = match &mut self.0 {
                Some(file) => file,
                none => {
                    let file = files::open_or_create(disk, &path)?;
                    if file.length()? == 0 {
                        first.clone_into(&mut text);
                    }
                    none.insert(file)
                }
            };
            text.push_str(line);
            file.append(text.as_bytes())
        };
        add().map_err(FolderError::refused(&path, "cannot be written"))
    }

    /// Closes the file and deletes it.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn delete(
        &mut self,
        disk: &dyn FileSystem,
        folder: &Path,
    ) -> Result<(), FolderError> {
        self.0 = None;
        files::remove(disk, &folder.join(JOBS))
    }
}

/// Cuts the file in a folder to this number of bytes. The file is deleted if the number is 0.
///
/// # Errors
/// If the file system refuses.
pub(super) fn cut(disk: &dyn FileSystem, folder: &Path, length: usize) -> Result<(), FolderError> {
    let path = folder.join(JOBS);
    if length == 0 {
        return files::remove(disk, &path);
    }
    let file = disk.open(&path, Access::Write);
    file.and_then(|file| file.set_length(length as u64))
        .map_err(FolderError::refused(&path, "cannot be written"))
}

#[cfg(test)]
mod tests {
    use super::super::memory::MemoryDisk;
    use super::*;

    #[test]
    fn a_line_that_is_cut_off_leaves_the_file_and_so_does_a_file_that_does_not_count() {
        let (disk, folder) = (MemoryDisk::default(), Path::new("out"));
        let path = folder.join(JOBS);
        disk.put(&path, "whole\nhal");
        cut(&disk, folder, 6).unwrap();
        assert_eq!(disk.read(&path).unwrap(), b"whole\n");
        for _ in 0..2 {
            cut(&disk, folder, 0).unwrap();
            assert!(disk.read(&path).is_err());
        }
    }
}
