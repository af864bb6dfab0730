//! Writes files: regular files atomically, through links, and devices in place.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::error::FolderError;
use super::file_system::{Access, FileSystem, Kind, OpenFile};

/// The prefix of the names of unfinished files.
pub const UNFINISHED: &str = ".hyperkill-";

/// Limit on links in a chain; a longer chain counts as a cycle. Linux has the same limit.
const LINKS_FOLLOWED: usize = 40;
/// Limit on attempts to find a free name for an unfinished file. After it, the folder counts as unusable.
const NAMES_TRIED: usize = 100;

/// Whether to wait until the contents of a file are on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Wait: a crash of the machine leaves the old contents or the new.
    Synced,
    /// Do not wait: a crash of the machine may cost both.
    Unsynced,
}

/// Makes a folder and the folders that it is in, unless it is there.
///
/// # Errors
/// If the file system refuses.
pub fn make_folder(disk: &dyn FileSystem, path: &Path) -> Result<(), FolderError> {
    match disk.is_folder(path) {
        true => Ok(()),
        false => disk
            .make_folders(path)
            .map_err(FolderError::refused(path, "cannot be created")),
    }
}

/// Replaces the contents of a file atomically. Links are followed. Devices and other files that are not regular are written in place.
///
/// # Errors
/// If the file system refuses. A regular file then keeps its old contents.
pub fn write(
    disk: &dyn FileSystem,
    path: &Path,
    contents: &[u8],
    durability: Durability,
) -> Result<(), FolderError> {
    let written = Target::of(disk, path).and_then(|target| match target {
        Target::Replaced(place) => replace(disk, &place, contents, durability),
        Target::Opened => disk.pour(path, contents),
    });
    written.map_err(FolderError::refused(path, "cannot be written"))
}

/// Writes a temporary file in the same folder and renames it.
fn replace(
    disk: &dyn FileSystem,
    place: &Path,
    contents: &[u8],
    durability: Durability,
) -> io::Result<()> {
    // The new file has the permissions of the old one, so that no further user can read it.
    let (file, temporary) = beside(disk, place)?;
    let written = file
        .append(contents)
        .and_then(|()| match durability {
            Durability::Synced => file.sync(),
            Durability::Unsynced => Ok(()),
        })
        .and_then(|()| disk.rename(&temporary, place));
    if written.is_err() {
        // The unfinished file is removed.
        let _ = disk.remove(&temporary);
    }
    written
}

/// The place of the contents of a file.
enum Target {
    /// A regular file that exists or will be created, with links resolved.
    Replaced(PathBuf),
    /// A device, a pipe, or another entry that must not be replaced.
    Opened,
}

impl Target {
    fn of(disk: &dyn FileSystem, path: &Path) -> io::Result<Target> {
        if path.file_name().is_none() {
            return Err(io::Error::new(
                ErrorKind::InvalidFilename,
                "it is no file name",
            ));
        }
        match disk.kind(path) {
            Ok(Kind::Folder) => Err(ErrorKind::IsADirectory.into()),
            // A link in /proc may lead to a file without a name.
            Ok(Kind::File) => {
                let end = end_of_links(disk, path).ok();
                let end = end.filter(|end| disk.is_file(end));
                Ok(end.map_or(Target::Opened, Target::Replaced))
            }
            Ok(Kind::Other) => Ok(Target::Opened),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                end_of_links(disk, path).map(Target::Replaced)
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the target of a chain of links. The target need not exist.
///
/// # Errors
/// If the chain is a cycle, or the file system refuses.
pub fn end_of_links(disk: &dyn FileSystem, path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS_FOLLOWED {
        match disk.link(&place) {
            Ok(Some(next)) => place = place.parent().unwrap_or(Path::new("")).join(next),
            Ok(None) => return Ok(place),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(place),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Creates an unfinished file in the folder of `place`, with the permissions of the file there, and returns it with its path.
fn beside(disk: &dyn FileSystem, place: &Path) -> io::Result<(Box<dyn OpenFile>, PathBuf)> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..NAMES_TRIED {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{UNFINISHED}{}-{number}", disk.process());
        let path = place.with_file_name(OsString::from(name));
        match disk.create(&path, Some(place)) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Opens a file for appending. A missing file is created.
pub(super) fn open_or_create(disk: &dyn FileSystem, path: &Path) -> io::Result<Box<dyn OpenFile>> {
    match disk.open(path, Access::Write) {
        Err(error) if error.kind() == ErrorKind::NotFound => disk.create(path, None),
        opened => opened,
    }
}

/// Deletes a file, if it exists.
pub(super) fn remove(disk: &dyn FileSystem, path: &Path) -> Result<(), FolderError> {
    match disk.remove(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FolderError::refused(path, "cannot be deleted")(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{Fault, MemoryDisk};
    use super::*;

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let disk = MemoryDisk::default();
        let path = Path::new("folder/file");
        disk.put(path, "old");
        disk.plant(0, Fault::Full);
        let error = write(&disk, path, b"new contents", Durability::Synced).unwrap_err();
        assert!(error.to_string().contains("folder/file"), "{error}");
        assert_eq!(disk.read(path).unwrap(), b"old");
        assert_eq!(disk.entries(Path::new("folder")).unwrap().len(), 1);
    }

    #[test]
    fn a_folder_is_no_file() {
        let disk = MemoryDisk::default();
        disk.make_folders(Path::new("folder")).unwrap();
        for path in ["folder", "/"] {
            let error = write(&disk, Path::new(path), b"x", Durability::Synced).unwrap_err();
            assert!(error.to_string().contains("cannot be written"), "{error}");
        }
    }
}
