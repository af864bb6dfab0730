//! Run folders for the audit.

use std::io;
use std::path::Path;

use crate::certification::{Files, Texts};
use crate::run_folder::stored;
use hyperkill_report::text::mutants::source_diff;
use hyperkill_report::text::strategy::dot;
use hyperkill_report::text::test_files::readable;
use hyperkill_run::folder::archive::Stored;

/// A run folder on the disk.
#[derive(Debug)]
pub struct OnDisk(Stored);

impl OnDisk {
    /// Returns the folder at this path.
    #[must_use]
    pub fn at(folder: &Path) -> OnDisk {
        OnDisk(stored(folder))
    }
}

impl Files for OnDisk {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.0.read(name)
    }

    fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }
}

/// The functions with which runs write tests, graphs and differences as text.
pub const TEXTS: Texts = Texts {
    test: readable,
    graph: dot,
    diff: source_diff,
};
