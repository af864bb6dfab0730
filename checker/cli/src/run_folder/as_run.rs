//! The folder of a run for the package that decides what goes into it.

use hyperkill_run::certificates::Filed;
use hyperkill_run::folder::{Folder, Unwritable};

use super::RunFolder;
use crate::documents::JournalEntry;

fn unwritable(error: anyhow::Error) -> Unwritable {
    Unwritable(error.into())
}

impl Folder for RunFolder {
    fn write(&mut self, name: &str, contents: &[u8]) -> Result<(), Unwritable> {
        RunFolder::write(self, name, contents).map_err(unwritable)
    }

    fn make_folder(&mut self, name: &str) -> Result<(), Unwritable> {
        self.make_folder_of_files(name).map_err(unwritable)
    }

    fn use_archive(&mut self) -> Result<(), Unwritable> {
        RunFolder::use_archive(self).map_err(unwritable)
    }

    fn seal(&mut self) -> Result<(), Unwritable> {
        RunFolder::seal(self).map_err(unwritable)
    }

    fn file(&mut self, filed: &[Filed]) -> Result<(), Unwritable> {
        filed
            .iter()
            .try_for_each(|filed| self.write_document(&filed.place, &filed.certificate))
            .map_err(unwritable)
    }

    fn append_journal(&mut self, entry: &JournalEntry) -> Result<(), Unwritable> {
        RunFolder::append_journal(self, entry).map_err(unwritable)
    }

    fn append_job(&mut self, first: &str, line: &str) -> Result<(), Unwritable> {
        RunFolder::append_job(self, first, line).map_err(unwritable)
    }
}
