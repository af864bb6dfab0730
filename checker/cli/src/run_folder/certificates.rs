//! Certificates in the folder of a run.

use hyperkill_run::certificates::Filed;

use super::RunFolder;

impl RunFolder {
    /// Writes certificates.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn file(&self, filed: &[Filed]) -> anyhow::Result<()> {
        filed
            .iter()
            .try_for_each(|filed| self.write_document(&filed.place, &filed.certificate))
    }
}
