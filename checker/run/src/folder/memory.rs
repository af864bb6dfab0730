//! A file system in memory, for tests of folders and of programs that write them. A test can kill a process on it, or let an operation
//! fail.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::file_system::{Access, Entry, FileSystem, Kind, OpenFile};

/// Limit on links in a chain; a longer chain counts as a cycle.
const LINKS_FOLLOWED: usize = 40;

/// A fault in the middle of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process is killed. A write stores the first half of its bytes; other operations have no effect.
    Killed,
    /// The disk is full from this operation on. The append stores the first half of its bytes.
    Full,
    /// The file system refuses only this operation.
    Refused,
}

/// A file system in memory, as one process sees it. Clones share the file system and the process.
#[derive(Clone, Default, Debug)]
pub struct MemoryDisk {
    things: Arc<Mutex<Things>>,
    process: Arc<Mutex<Process>>,
}

/// An entry of the file system at a path.
#[derive(Clone, Debug)]
enum Thing {
    Folder,
    File(Arc<Mutex<Contents>>),
    Link(PathBuf),
}

/// The contents of a file, independent of its names.
#[derive(Default, Debug)]
struct Contents {
    bytes: Vec<u8>,
    /// The bytes at the last synchronisation.
    synced: Vec<u8>,
    /// The open file that holds the lock.
    locked_by: Option<usize>,
}

#[derive(Default, Debug)]
struct Things {
    by_path: BTreeMap<PathBuf, Thing>,
    processes: u32,
    openings: usize,
}

#[derive(Default, Debug)]
struct Process {
    number: u32,
    /// The number of operations so far.
    operations: usize,
    /// The fault, with the number of its operation.
    planted: Option<(usize, Fault)>,
    is_killed: bool,
}

/// The fault in an operation: whether half of it is still carried out, and the error that the process gets.
struct Cut {
    is_halved: bool,
    error: io::Error,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the named parts of a path, without the root, `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let parts = path.components();
    parts
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect()
}

impl Process {
    /// Counts an operation of this process. `takes_room` states whether it fails on a full disk.
    ///
    /// # Errors
    /// If the process is killed, or a fault is planted for this operation.
    fn step(&mut self, takes_room: bool) -> Result<(), Cut> {
        let this = self.operations;
        self.operations += 1;
        let cut = |is_halved, error| Err(Cut { is_halved, error });
        if self.is_killed {
            return cut(false, io::Error::other("the process was killed"));
        }
        match self.planted {
            Some((at, Fault::Killed)) if at == this => {
                self.is_killed = true;
                cut(true, io::Error::other("the process was killed"))
            }
            Some((at, Fault::Full)) if at <= this && takes_room => {
                cut(at == this, ErrorKind::StorageFull.into())
            }
            Some((at, Fault::Refused)) if at == this => {
                cut(false, ErrorKind::PermissionDenied.into())
            }
            _ => Ok(()),
        }
    }
}

impl Things {
    fn get(&self, path: &Path) -> io::Result<Thing> {
        let path = plain(path);
        if path.as_os_str().is_empty() {
            return Ok(Thing::Folder);
        }
        let thing = self.by_path.get(&path).cloned();
        thing.ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Returns the entry that a path leads to, through links.
    fn followed(&self, path: &Path) -> io::Result<Thing> {
        let mut place = path.to_owned();
        for _ in 0..LINKS_FOLLOWED {
            match self.get(&place)? {
                Thing::Link(next) => place = place.parent().unwrap_or(Path::new("")).join(next),
                thing => return Ok(thing),
            }
        }
        Err(io::Error::other("too many links"))
    }

    /// Puts an entry into an existing folder.
    fn add(&mut self, path: &Path, thing: Thing) -> io::Result<()> {
        let path = plain(path);
        match self.get(path.parent().unwrap_or(Path::new("")))? {
            Thing::Folder => {
                self.by_path.insert(path, thing);
                Ok(())
            }
            _ => Err(ErrorKind::NotADirectory.into()),
        }
    }

    fn make_folders(&mut self, path: &Path) -> io::Result<()> {
        let path = plain(path);
        let folders: Vec<&Path> = path.ancestors().collect();
        for folder in folders.into_iter().rev() {
            match self.get(folder) {
                Ok(Thing::Folder) => {}
                Ok(_) => return Err(ErrorKind::NotADirectory.into()),
                Err(_) => self.add(folder, Thing::Folder)?,
            }
        }
        Ok(())
    }

    /// Returns the paths inside a folder, at any depth.
    fn inside(&self, folder: &Path) -> Vec<PathBuf> {
        let folder = plain(folder);
        let paths = self.by_path.keys();
        paths
            .filter(|path| path.starts_with(&folder) && **path != folder)
            .cloned()
            .collect()
    }
}

impl MemoryDisk {
    /// Returns the file system as a new process sees it. Earlier processes have ended, and their locks are released.
    #[must_use]
    pub fn restarted(&self) -> MemoryDisk {
        let mut things = locked(&self.things);
        for thing in things.by_path.values() {
            if let Thing::File(contents) = thing {
                locked(contents).locked_by = None;
            }
        }
        things.processes += 1;
        let number = things.processes;
        MemoryDisk {
            things: Arc::clone(&self.things),
            process: Arc::new(Mutex::new(Process {
                number,
                ..Process::default()
            })),
        }
    }

    /// Simulates a power failure: every file returns to its contents at the last synchronisation.
    pub fn cut_power(&self) {
        for thing in locked(&self.things).by_path.values() {
            if let Thing::File(contents) = thing {
                let mut contents = locked(contents);
                contents.bytes = contents.synced.clone();
            }
        }
    }

    /// Plants a fault in an operation of this process: `later` operations after the next one.
    pub fn plant(&self, later: usize, fault: Fault) {
        let mut process = locked(&self.process);
        process.planted = Some((process.operations + later, fault));
    }

    /// Removes the planted fault.
    pub fn heal(&self) {
        locked(&self.process).planted = None;
    }

    /// Returns the number of operations of this process so far.
    #[must_use]
    pub fn operations(&self) -> usize {
        locked(&self.process).operations
    }

    /// Puts a file at a path, with its missing folders. This does not count as an operation.
    ///
    /// # Panics
    /// If something else is in the way.
    pub fn put(&self, path: &Path, bytes: impl Into<Vec<u8>>) {
        let mut things = locked(&self.things);
        let folder = path.parent().unwrap_or(Path::new(""));
        let bytes = bytes.into();
        let contents = Contents {
            synced: bytes.clone(),
            bytes,
            locked_by: None,
        };
        let put = things
            .make_folders(folder)
            .and_then(|()| things.add(path, Thing::File(Arc::new(Mutex::new(contents)))));
        assert!(put.is_ok(), "{}: {put:?}", path.display());
    }

    /// Puts a link at a path in an existing folder. This does not count as an operation.
    ///
    /// # Errors
    /// If the folder is not there.
    pub fn put_link(&self, path: &Path, to: &Path) -> io::Result<()> {
        locked(&self.things).add(path, Thing::Link(to.to_owned()))
    }

    /// Returns all files with their contents.
    #[must_use]
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let things = locked(&self.things);
        let files = things.by_path.iter().filter_map(|(path, thing)| {
            let Thing::File(contents) = thing else {
                return None;
            };
            Some((path.clone(), locked(contents).bytes.clone()))
        });
        files.collect()
    }

    /// Returns the file system as a shared value.
    #[must_use]
    pub fn shared(&self) -> Arc<dyn FileSystem> {
        Arc::new(self.clone())
    }

    /// Begins an operation that has no effect if a fault occurs, and returns the entries. `takes_room` states whether it fails on a full
    /// disk.
    fn begin(&self, takes_room: bool) -> io::Result<MutexGuard<'_, Things>> {
        let step = locked(&self.process).step(takes_room);
        step.map_err(|cut| cut.error)?;
        Ok(locked(&self.things))
    }

    fn opened(&self, things: &mut Things, contents: Arc<Mutex<Contents>>) -> Box<dyn OpenFile> {
        things.openings += 1;
        Box::new(Opening {
            number: things.openings,
            contents,
            process: Arc::clone(&self.process),
        })
    }
}

impl FileSystem for MemoryDisk {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(match self.begin(false)?.followed(path)? {
            Thing::Folder => Kind::Folder,
            Thing::File(_) => Kind::File,
            Thing::Link(_) => Kind::Other,
        })
    }

    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        Ok(match self.begin(false)?.get(path)? {
            Thing::Link(to) => Some(to),
            Thing::Folder | Thing::File(_) => None,
        })
    }

    fn entries(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let things = self.begin(false)?;
        let Thing::Folder = things.get(folder)? else {
            return Err(ErrorKind::NotADirectory.into());
        };
        let inside = things.inside(folder);
        let inside = inside
            .iter()
            .filter(|path| path.parent() == Some(&plain(folder)));
        Ok(inside
            .map(|path| Entry {
                name: path.file_name().map(OsString::from).unwrap_or_default(),
                is_folder: matches!(things.by_path.get(path), Some(Thing::Folder)),
            })
            .collect())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.begin(false)?.followed(path)? {
            Thing::File(contents) => Ok(locked(&contents).bytes.clone()),
            _ => Err(ErrorKind::IsADirectory.into()),
        }
    }

    fn create(&self, path: &Path, _: Option<&Path>) -> io::Result<Box<dyn OpenFile>> {
        let mut things = self.begin(true)?;
        if things.get(path).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let contents = Arc::default();
        things.add(path, Thing::File(Arc::clone(&contents)))?;
        Ok(self.opened(&mut things, contents))
    }

    fn open(&self, path: &Path, _: Access) -> io::Result<Box<dyn OpenFile>> {
        let mut things = self.begin(false)?;
        match things.followed(path)? {
            Thing::File(contents) => Ok(self.opened(&mut things, contents)),
            _ => Err(ErrorKind::IsADirectory.into()),
        }
    }

    fn pour(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        // This file system has no devices.
        Err(ErrorKind::Unsupported.into())
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        self.begin(true)?.make_folders(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut things = self.begin(false)?;
        let (from, to) = (plain(from), plain(to));
        let thing = things.get(&from)?;
        match (&thing, things.get(&to)) {
            (_, Err(_))
            | (Thing::File(_) | Thing::Link(_), Ok(Thing::File(_) | Thing::Link(_))) => {}
            (Thing::Folder, Ok(Thing::Folder)) if things.inside(&to).is_empty() => {}
            (Thing::Folder, Ok(Thing::Folder)) => return Err(ErrorKind::DirectoryNotEmpty.into()),
            (Thing::Folder, Ok(_)) => return Err(ErrorKind::NotADirectory.into()),
            (_, Ok(Thing::Folder)) => return Err(ErrorKind::IsADirectory.into()),
        }
        things.add(&to, thing)?;
        for path in things.inside(&from) {
            if let (Ok(rest), Some(moved)) =
                (path.strip_prefix(&from), things.by_path.remove(&path))
            {
                things.by_path.insert(to.join(rest), moved);
            }
        }
        things.by_path.remove(&from);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut things = self.begin(false)?;
        match things.get(path)? {
            Thing::Folder => return Err(ErrorKind::IsADirectory.into()),
            Thing::File(_) | Thing::Link(_) => things.by_path.remove(&plain(path)),
        };
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut things = self.begin(false)?;
        let Thing::Folder = things.get(path)? else {
            return Err(ErrorKind::NotADirectory.into());
        };
        if !things.inside(path).is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        things.by_path.remove(&plain(path));
        Ok(())
    }

    fn process(&self) -> u32 {
        locked(&self.process).number
    }

    /// Returns a time that grows by a second with each operation. Later processes have later times.
    fn now(&self) -> Duration {
        let process = locked(&self.process);
        Duration::from_secs(process.operations as u64 + (u64::from(process.number) << 32))
    }
}

/// An open file.
#[derive(Debug)]
struct Opening {
    number: usize,
    contents: Arc<Mutex<Contents>>,
    process: Arc<Mutex<Process>>,
}

impl Opening {
    fn begin(&self) -> io::Result<MutexGuard<'_, Contents>> {
        let step = locked(&self.process).step(false);
        step.map_err(|cut| cut.error)?;
        Ok(locked(&self.contents))
    }

    /// Changes the contents by `bytes`, or by their first half if a fault occurs.
    fn write(
        &self,
        bytes: &[u8],
        takes_room: bool,
        change: impl FnOnce(&mut Vec<u8>, &[u8]),
    ) -> io::Result<()> {
        let step = locked(&self.process).step(takes_room);
        let contents = &mut locked(&self.contents).bytes;
        match step {
            Ok(()) => {
                change(contents, bytes);
                Ok(())
            }
            Err(Cut { is_halved, error }) => {
                if is_halved {
                    change(contents, &bytes[..bytes.len() / 2]);
                }
                Err(error)
            }
        }
    }
}

impl OpenFile for Opening {
    fn length(&self) -> io::Result<u64> {
        Ok(self.begin()?.bytes.len() as u64)
    }

    fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let contents = self.begin()?;
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let rest = contents.bytes.get(start..).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes, true, |contents, bytes| contents.extend(bytes))
    }

    fn overwrite(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes, false, |contents, bytes| {
            let count = contents.len().min(bytes.len());
            contents[..count].copy_from_slice(&bytes[..count]);
        })
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.begin()?.bytes.resize(length, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut contents = self.begin()?;
        contents.synced = contents.bytes.clone();
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut contents = self.begin()?;
        let is_free = contents.locked_by.is_none_or(|by| by == self.number);
        if is_free {
            contents.locked_by = Some(self.number);
        }
        Ok(is_free)
    }

    fn unlock(&self) {
        let mut contents = locked(&self.contents);
        if contents.locked_by == Some(self.number) {
            contents.locked_by = None;
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.unlock();
    }
}
