//! How files are written, and what they are called: whole or not at all, through links, and into devices as they are.
//!
//! All writing goes through a [`Disk`], so that tests can let it be full.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, anyhow};

/// How the names of files begin that are not whole yet.
pub(crate) const UNFINISHED: &str = ".hyperkill-";

/// Links that are followed, one after the other.
const MOST_LINKS: usize = 40;
/// Attempts to find a name that nobody has.
const ATTEMPTS: usize = 100;

/// Where files go.
#[derive(Clone, Default, Debug)]
pub struct Disk {
    /// How often something can still be written; `None`: as often as the system lets us.
    room: Option<Arc<AtomicUsize>>,
}

impl Disk {
    /// A disk that is full after this many writes: the next one is cut in its middle, and those after it fail.
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

    /// Adds bytes to a file that is open.
    ///
    /// # Errors
    /// If they do not fit, of which some may have been written, or the file system refuses.
    pub fn append(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        if self.has_room() {
            return file.write_all(bytes);
        }
        file.write_all(&bytes[..bytes.len() / 2])?;
        Err(ErrorKind::StorageFull.into())
    }

    /// Makes a folder and those that it is in, unless it is there.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_folder(&self, path: &Path) -> anyhow::Result<()> {
        let made = match path.is_dir() {
            true => Ok(()),
            false if !self.has_room() => Err(ErrorKind::StorageFull.into()),
            false => fs::create_dir_all(path),
        };
        made.with_context(|| format!("{} cannot be created", path.display()))
    }

    /// Writes a file so that readers see the old contents or the new. Links are followed, and what is no regular file is
    /// written to as it is.
    ///
    /// # Errors
    /// If the file system refuses; a regular file is then as it was.
    pub fn write(&self, path: &Path, contents: &[u8]) -> anyhow::Result<()> {
        self.put(path, contents, true)
    }

    /// The same without waiting until the contents are on the disk: a crash of the machine may cost them.
    ///
    /// # Errors
    /// If the file system refuses; a regular file is then as it was.
    pub fn write_without_waiting(&self, path: &Path, contents: &[u8]) -> anyhow::Result<()> {
        self.put(path, contents, false)
    }

    fn put(&self, path: &Path, contents: &[u8], waits: bool) -> anyhow::Result<()> {
        let written = Target::of(path).and_then(|target| match target {
            Target::Replaced(place) => self.replace(&place, contents, waits),
            Target::Opened => {
                let file = OpenOptions::new().write(true).open(path)?;
                self.append(&file, contents)
            }
        });
        written.with_context(|| format!("{} cannot be written", path.display()))
    }

    /// Writes beside the place and moves it there.
    fn replace(&self, place: &Path, contents: &[u8], waits: bool) -> io::Result<()> {
        let (file, temporary) = beside(place)?;
        // Who could not read it before cannot read it now.
        let as_before = match fs::metadata(place) {
            Ok(before) => file.set_permissions(before.permissions()),
            Err(_) => Ok(()),
        };
        let written = as_before
            .and_then(|()| self.append(&file, contents))
            .and_then(|()| if waits { file.sync_data() } else { Ok(()) })
            .and_then(|()| fs::rename(&temporary, place));
        if written.is_err() {
            // Nothing half-written stays behind.
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

/// Where the contents of a file go.
enum Target {
    /// A regular file, there or not, by another name if links lead to it.
    Replaced(PathBuf),
    /// A device, a pipe, or what else must not be replaced.
    Opened,
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        if path.file_name().is_none() {
            return Err(io::Error::new(
                ErrorKind::InvalidFilename,
                "it is no file name",
            ));
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
            // A link of /proc may lead to a file that has lost its name.
            Ok(metadata) if metadata.is_file() => {
                let end = end_of_links(path).ok().filter(|end| end.is_file());
                Ok(end.map_or(Target::Opened, Target::Replaced))
            }
            Ok(_) => Ok(Target::Opened),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                end_of_links(path).map(Target::Replaced)
            }
            Err(error) => Err(error),
        }
    }
}

/// The place that a chain of links leads to, where something may be or not.
pub(crate) fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_symlink() => {
                let next = fs::read_link(&place)?;
                place = place.parent().unwrap_or(Path::new("")).join(next);
            }
            Ok(_) => return Ok(place),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(place),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links"))
}

/// A new file in the same folder, and its name.
fn beside(place: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..ATTEMPTS {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{UNFINISHED}{}-{number}", std::process::id());
        let path = place.with_file_name(OsString::from(name));
        // Never through a link that somebody has put there.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Writes a file as [`Disk::write`] does, where no disk is at hand.
///
/// # Errors
/// If the file system refuses; the old file is then as it was.
pub fn write_atomically(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    Disk::default().write(path, contents)
}

/// Writes over the first bytes of a file, which has them already: that takes no room on the disk.
pub(crate) fn overwrite(mut file: &File, bytes: &[u8]) -> anyhow::Result<()> {
    use std::io::{Seek, SeekFrom};
    let length = file.metadata()?.len();
    if (bytes.len() as u64) > length {
        return Err(anyhow!("it has no room for {} bytes", bytes.len()));
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.sync_data()?;
    Ok(())
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
            // The end of a link need not be there yet, but somebody must end it.
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

    #[test]
    fn a_full_disk_leaves_the_old_file_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        write_atomically(&path, b"old").unwrap();
        let error = Disk::with_room_for(0)
            .write(&path, b"new contents")
            .unwrap_err();
        assert!(format!("{error:#}").contains(&path.display().to_string()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
