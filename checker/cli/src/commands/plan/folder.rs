//! The folder of a plan on the disk of this machine.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use hyperkill_run::folder::FolderError;
use hyperkill_run::plan::folder;

use crate::files::Disk;

/// A plan that was read from its folder on the disk.
#[derive(Debug)]
pub(in crate::commands) struct PlanFolder(folder::PlanFolder);

impl Deref for PlanFolder {
    type Target = folder::PlanFolder;

    fn deref(&self) -> &folder::PlanFolder {
        &self.0
    }
}

impl PlanFolder {
    /// Whether a folder has a plan.
    pub(crate) fn is_one(dir: &Path) -> bool {
        folder::PlanFolder::is_one(&Disk::default(), dir)
    }

    /// Reads the plan in a folder.
    ///
    /// # Errors
    /// If there is none, another version made it, or it was changed.
    pub(crate) fn read(dir: &Path) -> Result<PlanFolder, FolderError> {
        folder::PlanFolder::read(Arc::new(Disk::default()), dir).map(PlanFolder)
    }
}
