//! The disk of this machine. All writing goes through a [`Disk`], so that tests can let it be full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fs4::{FileExt, TryLockError};
use hyperkill_run::folder::FolderError;
use hyperkill_run::folder::file_system::{Access, Entry, FileSystem, Kind, OpenFile};
use hyperkill_run::folder::files::{self, Durability};

/// The disk of this machine, or a disk that becomes full, for tests.
#[derive(Clone, Default, Debug)]
pub struct Disk {
    /// The number of writes that still succeed, for tests of a full disk; `None`: unlimited.
    room: Option<Arc<AtomicUsize>>,
}

impl Disk {
    /// Returns a disk that is full after this many writes. The next write is cut in half, and all further writes fail.
    #[must_use]
    pub fn with_room_for(writes: usize) -> Disk {
        Disk {
            room: Some(Arc::new(AtomicUsize::new(writes))),
        }
    }

    fn has_room(&self) -> bool {
        let one_less = |room: usize| room.checked_sub(1);
        self.room.as_ref().is_none_or(|room| {
            room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
                .is_ok()
        })
    }

    /// Writes bytes at the position of a file. If the disk is full, writes the first half and returns an error.
    fn add(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        if self.has_room() {
            return file.write_all(bytes);
        }
        file.write_all(&bytes[..bytes.len() / 2])?;
        Err(ErrorKind::StorageFull.into())
    }

    /// Creates a folder with its missing ancestors. An existing folder is left unchanged.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_folder(&self, path: &Path) -> Result<(), FolderError> {
        files::make_folder(self, path)
    }

    /// Replaces the contents of a file atomically. Links are followed. Devices and other files that are not regular are written in place.
    ///
    /// # Errors
    /// If the file system refuses. A regular file then keeps its old contents.
    pub fn write(&self, path: &Path, contents: &[u8]) -> Result<(), FolderError> {
        files::write(self, path, contents, Durability::Synced)
    }

    /// Does the same as [`Disk::write`] without waiting until the contents are on the disk. A crash of the machine may lose the contents.
    ///
    /// # Errors
    /// If the file system refuses. A regular file then keeps its old contents.
    pub fn write_without_waiting(&self, path: &Path, contents: &[u8]) -> Result<(), FolderError> {
        files::write(self, path, contents, Durability::Unsynced)
    }

    fn opened(&self, file: File) -> Box<dyn OpenFile> {
        Box::new(Opened {
            file: Mutex::new(file),
            disk: self.clone(),
        })
    }
}

/// Writes a file like [`Disk::write`], for callers without a disk.
///
/// # Errors
/// If the file system refuses. A regular file then keeps its old contents.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), FolderError> {
    Disk::default().write(path, contents)
}

impl FileSystem for Disk {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        let metadata = fs::metadata(path)?;
        Ok(match (metadata.is_file(), metadata.is_dir()) {
            (true, _) => Kind::File,
            (_, true) => Kind::Folder,
            (false, false) => Kind::Other,
        })
    }

    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        match fs::symlink_metadata(path)?.is_symlink() {
            true => fs::read_link(path).map(Some),
            false => Ok(None),
        }
    }

    fn entries(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let entries = fs::read_dir(folder)?.map(|entry| {
            let entry = entry?;
            Ok(Entry {
                name: entry.file_name(),
                is_folder: entry.file_type()?.is_dir(),
            })
        });
        entries.collect()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn create(&self, path: &Path, like: Option<&Path>) -> io::Result<Box<dyn OpenFile>> {
        // `create_new` fails on an existing link instead of following it.
        let mut how = OpenOptions::new();
        let file = how.read(true).write(true).create_new(true).open(path)?;
        if let Some(before) = like.and_then(|like| fs::metadata(like).ok())
            && let Err(error) = file.set_permissions(before.permissions())
        {
            let _ = fs::remove_file(path);
            return Err(error);
        }
        Ok(self.opened(file))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn OpenFile>> {
        let writes = access == Access::Write;
        let file = OpenOptions::new().read(true).write(writes).open(path)?;
        Ok(self.opened(file))
    }

    fn pour(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(path)?;
        self.add(&file, bytes)
    }

    fn make_folders(&self, path: &Path) -> io::Result<()> {
        match self.has_room() {
            true => fs::create_dir_all(path),
            false => Err(ErrorKind::StorageFull.into()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn process(&self) -> u32 {
        std::process::id()
    }

    fn now(&self) -> Duration {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.unwrap_or_default()
    }
}

/// A file that is open. One thread at a time moves its position.
#[derive(Debug)]
struct Opened {
    file: Mutex<File>,
    disk: Disk,
}

impl Opened {
    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenFile for Opened {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file().metadata()?.len())
    }

    fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file();
        file.seek(SeekFrom::Start(start))?;
        file.read(bytes)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file();
        file.seek(SeekFrom::End(0))?;
        self.disk.add(&file, bytes)
    }

    fn overwrite(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        self.file().set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.file().sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match FileExt::try_lock(&*self.file()) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn unlock(&self) {
        // If this fails, the lock ends when the last program that has the file open ends.
        let _ = FileExt::unlock(&*self.file());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    mod unix {
        use std::io::Read;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        use std::process::Command;

        use super::*;

        #[test]
        fn a_link_stays_and_what_it_leads_to_is_replaced() {
            let place = tempfile::tempdir().unwrap();
            let path = |name: &str| place.path().join(name);
            fs::create_dir(path("far")).unwrap();
            fs::write(path("far/file"), "old").unwrap();
            symlink("far/file", path("near")).unwrap();
            symlink("near", path("link")).unwrap();
            write_atomically(&path("link"), b"new").unwrap();
            assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
            assert!(fs::symlink_metadata(path("near")).unwrap().is_symlink());
            assert_eq!(fs::read(path("far/file")).unwrap(), b"new");
            assert_eq!(fs::read_dir(path("far")).unwrap().count(), 1);
            // The target of a link need not exist, but a cycle of links is an error.
            symlink("far/later", path("open")).unwrap();
            write_atomically(&path("open"), b"there").unwrap();
            assert_eq!(fs::read(path("far/later")).unwrap(), b"there");
            symlink("round", path("round")).unwrap();
            let error = write_atomically(&path("round"), b"x").unwrap_err();
            assert!(error.to_string().contains("round"), "{error}");
        }

        #[test]
        fn a_pipe_is_written_to_and_stays_one() {
            let place = tempfile::tempdir().unwrap();
            let pipe = place.path().join("pipe");
            assert!(
                Command::new("mkfifo")
                    .arg(&pipe)
                    .status()
                    .unwrap()
                    .success()
            );
            let reader = {
                let pipe = pipe.clone();
                std::thread::spawn(move || {
                    let mut text = String::new();
                    File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
                    text
                })
            };
            write_atomically(&pipe, b"through").unwrap();
            assert_eq!(reader.join().unwrap(), "through");
            assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        }

        #[test]
        fn a_file_keeps_who_may_read_it() {
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("secret");
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            write_atomically(&file, b"new").unwrap();
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }

        #[test]
        fn a_folder_is_no_file() {
            let place = tempfile::tempdir().unwrap();
            let error = write_atomically(place.path(), b"x").unwrap_err();
            assert!(error.to_string().contains("cannot be written"), "{error}");
            assert!(write_atomically(Path::new("/"), b"x").is_err());
        }
    }

    /// A program that another thread starts has the files of this one open until it runs.
    #[test]
    fn a_lock_that_is_given_back_is_free_though_others_have_inherited_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lock");
        let disk = Disk::default();
        let lock = Opened {
            file: Mutex::new(File::create_new(&path).unwrap()),
            disk: disk.clone(),
        };
        assert!(lock.try_lock().unwrap());
        let other = disk.open(&path, Access::Write).unwrap();
        assert!(!other.try_lock().unwrap());
        let inherited = lock.file().try_clone().unwrap();
        lock.unlock();
        drop(lock);
        assert!(other.try_lock().unwrap());
        drop(inherited);
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        write_atomically(&path, b"old").unwrap();
        let error = Disk::with_room_for(0)
            .write(&path, b"new contents")
            .unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
