//! Folders of runs as pieces of a whole one.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_run::plan::join::Piece;
use hyperkill_run::resumption;

use super::super::merge::certificates;
use super::super::status::mutants;
use crate::audited::OnDisk;
use crate::certification::Files;
use crate::failure::Failure;
use crate::run_folder;

/// Reads a run that has ended. All its files are as the run wrote them.
///
/// # Errors
/// If one is not.
pub(super) fn ended(dir: &Path) -> Result<Piece, Failure> {
    Ok(Piece {
        dir: dir.to_owned(),
        table: mutants(dir)?,
        entries: run_folder::journal::read(dir)?.entries,
        certificates: certificates(dir)?,
    })
}

/// Reads a run that goes on or was stopped: the lines of its journal whose certificates are there.
///
/// # Errors
/// If its documents cannot be read.
pub(super) fn so_far(dir: &Path) -> Result<Piece, Failure> {
    let files = OnDisk::at(dir);
    let mut read: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut entries = run_folder::journal::read(dir)?.entries;
    entries.retain(|entry| {
        let named = resumption::certificates(&entry.result);
        named.into_iter().all(|name| match files.read(name) {
            Ok(bytes) => {
                read.insert(name.clone(), bytes);
                true
            }
            Err(_) => false,
        })
    });
    Ok(Piece {
        dir: dir.to_owned(),
        table: mutants(dir)?,
        entries,
        certificates: read,
    })
}
