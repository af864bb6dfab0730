//! Folders of runs as the audit reads them.

use std::path::PathBuf;
use std::{fs, io};

use crate::certification::{Files, Texts};
use crate::report::text::mutants::source_diff;
use crate::report::text::strategy::dot;
use crate::report::text::test_files::readable;

/// A folder on the disk.
#[derive(Debug)]
pub(crate) struct OnDisk(pub PathBuf);

impl Files for OnDisk {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.0.join(name))
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).is_file()
    }
}

/// As runs write them.
pub(crate) const TEXTS: Texts = Texts {
    test: readable,
    graph: dot,
    diff: source_diff,
};
