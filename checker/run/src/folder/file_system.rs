//! The file system as folders of runs use it.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The kind of thing that a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A device, a pipe, or another thing that must not be replaced.
    Other,
}

/// The access to a file that is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The file is only read. It may lie in a read-only folder.
    Read,
    /// The file is read and written.
    Write,
}

/// A name in a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// The name.
    pub name: OsString,
    /// Whether the entry is a folder. A link is none.
    pub is_folder: bool,
}

/// A disk and the process that writes on it. All operations fail as the file system does; an operation that fails has changed nothing,
/// unless it says otherwise.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Returns the kind of the thing that a path leads to, through links.
    fn kind(&self, path: &Path) -> io::Result<Kind>;

    /// Returns the text of a link; `None` if there is another thing.
    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>>;

    /// Returns the names in a folder, in any order.
    fn entries(&self, folder: &Path) -> io::Result<Vec<Entry>>;

    /// Returns the contents of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Makes a new file and opens it. It has the permissions of `like`, if there is such a file. Fails if there is anything, even a link.
    fn create(&self, path: &Path, like: Option<&Path>) -> io::Result<Box<dyn OpenFile>>;

    /// Opens a file that is there.
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn OpenFile>>;

    /// Writes into a device or a pipe. A part may be written when it fails.
    fn pour(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Makes a folder and the folders that it is in, unless they are there.
    fn make_folders(&self, path: &Path) -> io::Result<()>;

    /// Moves a file or a folder at once. A file replaces a file, and a folder an empty folder.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Deletes a file or a link.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Deletes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns the number of this process.
    fn process(&self) -> u32;

    /// Returns the time since 1970.
    fn now(&self) -> Duration;
}

impl dyn FileSystem + '_ {
    /// Whether a path leads to a regular file.
    #[must_use]
    pub fn is_file(&self, path: &Path) -> bool {
        self.kind(path).is_ok_and(|kind| kind == Kind::File)
    }

    /// Whether a path leads to a folder.
    #[must_use]
    pub fn is_folder(&self, path: &Path) -> bool {
        self.kind(path).is_ok_and(|kind| kind == Kind::Folder)
    }

    /// Whether a path leads to anything.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        self.kind(path).is_ok()
    }
}

/// A file that is open. It stays the same file when another one takes its name.
pub trait OpenFile: fmt::Debug + Send + Sync {
    /// Returns the length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Reads from a position on, and returns the number of bytes that were read; 0 at the end.
    fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<usize>;

    /// Adds bytes at the end. A part may be written when it fails.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Writes over the first bytes, which must be there. A part may be written when it fails.
    fn overwrite(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts or extends the file to a length in bytes.
    fn set_length(&self, length: u64) -> io::Result<()>;

    /// Waits until the contents are on the disk.
    fn sync(&self) -> io::Result<()>;

    /// Locks the file against other processes; `false` if one has locked it. The lock ends with the value.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the lock back at once. Closing the file does that too, but only when programs that are being started have closed it as well,
    /// which they have inherited.
    fn unlock(&self);
}

/// Reads an open file.
#[derive(Debug)]
pub(crate) struct Reader<'f> {
    file: &'f dyn OpenFile,
    at: u64,
}

impl<'f> Reader<'f> {
    /// Reads from a position on.
    pub(crate) fn from(file: &'f dyn OpenFile, start: u64) -> Reader<'f> {
        Reader { file, at: start }
    }
}

impl io::Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(self.at, bytes)?;
        self.at += count as u64;
        Ok(count)
    }
}
