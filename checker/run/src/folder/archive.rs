//! The archive of a run: its small files in one file, a line for each.
//!
//! A run with very many mutants would otherwise write tens of thousands of files. Documents name archived files like separate files.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hyperkill_audit::certification::Files;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::error::FolderError;
use super::file_system::{Access, FileSystem, Kind, OpenFile, Reader};
use super::files::{self, Durability};
use crate::documents::{self, ArchivedFile};
use crate::names::{ARCHIVE, CERTIFICATES, DIFFS, TESTS, digest, stays_inside};

/// Folders whose files are lines of an archive.
const FOLDERS: [&str; 3] = [DIFFS, TESTS, CERTIFICATES];

/// Whether the file with this name is a line of the archive, if the run has an archive.
pub(super) fn takes(name: &str) -> bool {
    let folder = name.split_once('/').map(|(folder, _)| folder);
    folder.is_some_and(|folder| FOLDERS.contains(&folder))
}

/// The archive of a running run.
#[derive(Debug)]
pub(super) struct Archive {
    path: PathBuf,
    file: Box<dyn OpenFile>,
    /// The length of its complete lines, in bytes.
    length: u64,
    digest: Sha256,
}

impl Archive {
    /// Rewrites the archive of a folder atomically. Lines of the earlier archive are kept if `digests` names their files; these digests are
    /// removed from `digests`.
    ///
    /// # Errors
    /// If the file system refuses. The earlier archive is then unchanged.
    pub(super) fn begin(
        disk: &dyn FileSystem,
        folder: &Path,
        digests: &mut BTreeMap<String, String>,
    ) -> Result<Archive, FolderError> {
        let path = folder.join(ARCHIVE);
        // An unreadable archive must not be replaced, since its lines would be lost.
        let kept = kept_lines(disk, &path, digests);
        let kept = kept.map_err(FolderError::refused(&path, "cannot be read"))?;
        files::write(disk, &path, &kept, Durability::Synced)?;
        let file = disk.open(&path, Access::Write);
        Ok(Archive {
            file: file.map_err(FolderError::refused(&path, "cannot be opened"))?,
            length: kept.len() as u64,
            digest: Sha256::new_with_prefix(&kept),
            path,
        })
    }

    /// Adds a file without synchronisation: after a crash of the machine, mutants without their evidence are decided again.
    ///
    /// # Errors
    /// If the file is no text, or the file system refuses. The archive is then unchanged.
    pub(super) fn add(&mut self, name: &str, contents: &[u8]) -> Result<(), FolderError> {
        let text = std::str::from_utf8(contents).map_err(|error| {
            let error = io::Error::new(ErrorKind::InvalidData, error);
            FolderError::refused(Path::new(name), "is no text")(error)
        })?;
        let line = documents::to_line(&ArchivedFile {
            file: name.to_owned(),
            text: text.to_owned(),
        })?;
        if let Err(error) = self.file.append(line.as_bytes()) {
            // Cuts off an incomplete line.
            let _ = self.file.set_length(self.length);
            return Err(self.cannot_be_written()(error));
        }
        self.length += line.len() as u64;
        self.digest.update(line.as_bytes());
        Ok(())
    }

    /// Synchronises the archive with the disk. Returns its digest.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn settled(&self) -> Result<String, FolderError> {
        self.file.sync().map_err(self.cannot_be_written())?;
        Ok(digest(self.digest.clone()))
    }

    fn cannot_be_written(&self) -> impl FnOnce(io::Error) -> FolderError + use<'_> {
        FolderError::refused(&self.path, "cannot be written")
    }
}

/// Returns the lines of an archive, if it exists, whose names have digests. Removes these digests.
fn kept_lines(
    disk: &dyn FileSystem,
    path: &Path,
    digests: &mut BTreeMap<String, String>,
) -> io::Result<Vec<u8>> {
    let before = match Index::of(disk, path) {
        Ok(before) => before,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut kept = Vec::new();
    for (name, &place) in &before.places {
        if digests.contains_key(name) {
            kept.extend(before.line(place)?);
            digests.remove(name);
        }
    }
    Ok(kept)
}

/// The files of the folder of a run, in its archive or beside it.
#[derive(Debug)]
pub struct Stored {
    disk: Arc<dyn FileSystem>,
    folder: PathBuf,
    /// The archive, read on the first access to a file that may be in it.
    archive: OnceLock<Option<Index>>,
}

/// The positions of the files in an archive.
#[derive(Debug)]
struct Index {
    archive: Box<dyn OpenFile>,
    /// The position and length of the last line of each name, in bytes.
    places: BTreeMap<String, Place>,
}

/// The position of a line in an archive, in bytes.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    length: usize,
}

impl Files for Stored {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let Some(line) = self.line(name) else {
            return self.disk.read(&self.place(name)?);
        };
        let archived: ArchivedFile = serde_json::from_slice(&line)?;
        Ok(archived.text.into_bytes())
    }

    fn has(&self, name: &str) -> bool {
        let index = self.index(name);
        let archived = index.is_some_and(|index| index.places.contains_key(name));
        archived
            || self
                .place(name)
                .is_ok_and(|place| self.disk.is_file(&place))
    }
}

impl Stored {
    /// Returns the files of this folder.
    #[must_use]
    pub fn of(disk: Arc<dyn FileSystem>, folder: &Path) -> Stored {
        Stored {
            disk,
            folder: folder.to_owned(),
            archive: OnceLock::new(),
        }
    }

    /// Returns the path of a file beside the archive.
    fn place(&self, name: &str) -> io::Result<PathBuf> {
        match stays_inside(name) {
            true => Ok(self.folder.join(name)),
            false => Err(io::Error::new(
                ErrorKind::InvalidInput,
                "the name leads out of the folder of the run",
            )),
        }
    }

    /// Returns the contents of a file of the folder, in its archive or beside it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn kept(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        let place = self.folder.join(name);
        self.read(name)
            .map_err(FolderError::refused(&place, "cannot be read"))
    }

    /// Returns the names of all files in the archive.
    pub fn archived(&self) -> impl Iterator<Item = &String> {
        // Any name in a folder that has lines.
        let index = self.index(&format!("{CERTIFICATES}/"));
        index.into_iter().flat_map(|index| index.places.keys())
    }

    /// Returns the line of a file in the archive. `None` if the archive is missing or unreadable, or has no such file.
    fn line(&self, name: &str) -> Option<Vec<u8>> {
        let index = self.index(name)?;
        index.line(*index.places.get(name)?).ok()
    }

    /// Returns the archive, if it exists and may contain a file with this name.
    fn index(&self, name: &str) -> Option<&Index> {
        let read = || Index::of(self.disk.as_ref(), &self.folder.join(ARCHIVE)).ok();
        match takes(name) {
            true => self.archive.get_or_init(read).as_ref(),
            false => None,
        }
    }
}

impl Index {
    fn of(disk: &dyn FileSystem, path: &Path) -> io::Result<Index> {
        #[derive(Deserialize)]
        struct Named {
            file: String,
            #[serde(rename = "text")]
            _text: IgnoredAny,
        }
        if disk.kind(path)? != Kind::File {
            return Err(ErrorKind::NotFound.into());
        }
        let archive = disk.open(path, Access::Read)?;
        let mut reader = BufReader::new(Reader::from(archive.as_ref(), 0));
        let mut places = BTreeMap::new();
        let (mut start, mut line) = (0, Vec::new());
        while reader.read_until(b'\n', &mut line)? > 0 {
            // An incomplete line is ignored.
            let named = serde_json::from_slice(&line).ok();
            if let Some(Named { file, .. }) = named.filter(|_| line.ends_with(b"\n")) {
                let length = line.len();
                places.insert(file, Place { start, length });
            }
            start += line.len() as u64;
            line.clear();
        }
        Ok(Index { archive, places })
    }

    fn line(&self, place: Place) -> io::Result<Vec<u8>> {
        let mut line = vec![0; place.length];
        let mut reader = Reader::from(self.archive.as_ref(), place.start);
        reader.read_exact(&mut line)?;
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{Fault, MemoryDisk};
    use super::*;

    const FOLDER: &str = "out";

    fn begun(disk: &MemoryDisk, kept: &[&str]) -> Archive {
        let names = kept.iter().map(|name| ((*name).to_owned(), String::new()));
        let mut digests = names.collect();
        let archive = Archive::begin(disk, Path::new(FOLDER), &mut digests).unwrap();
        assert!(digests.keys().all(|name| !takes(name)));
        archive
    }

    fn stored(disk: &MemoryDisk) -> Stored {
        Stored::of(disk.shared(), Path::new(FOLDER))
    }

    fn text(disk: &MemoryDisk, name: &str) -> Option<String> {
        let bytes = stored(disk).read(name).ok()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    fn whole(disk: &MemoryDisk) -> Vec<u8> {
        disk.read(&Path::new(FOLDER).join(ARCHIVE)).unwrap()
    }

    fn empty() -> MemoryDisk {
        let disk = MemoryDisk::default();
        disk.make_folders(Path::new(FOLDER)).unwrap();
        disk
    }

    #[test]
    fn of_two_lines_with_one_name_the_last_counts_and_a_line_that_is_cut_off_is_none() {
        let disk = empty();
        let mut archive = begun(&disk, &[]);
        for (name, text) in [
            ("diffs/a", "1\n"),
            ("diffs/b", "\u{202e}é\n"),
            ("diffs/a", "2"),
        ] {
            archive.add(name, text.as_bytes()).unwrap();
        }
        assert_eq!(text(&disk, "diffs/a").as_deref(), Some("2"));
        assert_eq!(text(&disk, "diffs/b").as_deref(), Some("\u{202e}é\n"));
        assert!(!stored(&disk).has("tests/a"));
        let whole = whole(&disk);
        assert_eq!(
            archive.settled().unwrap(),
            digest(Sha256::new_with_prefix(&whole))
        );
        // After a crash, any byte may be the last one on the disk.
        let last = whole.len() - 1;
        let newline = whole[..last].iter().rposition(|byte| *byte == b'\n');
        for cut in newline.unwrap() + 1..=last {
            disk.put(&Path::new(FOLDER).join(ARCHIVE), &whole[..cut]);
            assert_eq!(text(&disk, "diffs/a").as_deref(), Some("1\n"), "{cut}");
        }
    }

    #[test]
    fn an_archive_that_begins_anew_has_what_is_kept_and_goes_on() {
        let disk = empty();
        let mut archive = begun(&disk, &[]);
        for name in ["certificates/a.json", "certificates/b.json"] {
            archive.add(name, b"before").unwrap();
        }
        let torn = [whole(&disk), b"{\"fi".to_vec()].concat();
        disk.put(&Path::new(FOLDER).join(ARCHIVE), torn);
        let mut archive = begun(&disk, &["certificates/b.json"]);
        archive.add("certificates/c.json", b"again").unwrap();
        let stored = stored(&disk);
        let names: Vec<&String> = stored.archived().collect();
        assert_eq!(names, ["certificates/b.json", "certificates/c.json"]);
        assert_eq!(
            text(&disk, "certificates/b.json").as_deref(),
            Some("before")
        );
        assert_eq!(
            archive.settled().unwrap(),
            digest(Sha256::new_with_prefix(whole(&disk)))
        );
    }

    #[test]
    fn a_full_disk_leaves_whole_lines() {
        let disk = empty();
        let mut archive = begun(&disk, &[]);
        archive.add("tests/a", b"1").unwrap();
        let before = whole(&disk);
        disk.plant(0, Fault::Full);
        let error = archive.add("tests/b", b"2").unwrap_err();
        assert!(error.to_string().contains(ARCHIVE), "{error}");
        assert_eq!(whole(&disk), before);
        // A failed rewriting keeps the earlier archive.
        disk.plant(0, Fault::Full);
        let again = Archive::begin(&disk, Path::new(FOLDER), &mut BTreeMap::new());
        assert!(again.is_err());
        assert_eq!(whole(&disk), before);
        disk.heal();
        archive.add("tests/c", b"3").unwrap();
        assert_eq!(text(&disk, "tests/c").as_deref(), Some("3"));
    }

    #[test]
    fn files_that_are_no_lines_are_read_from_the_folder() {
        let disk = empty();
        disk.put(&Path::new(FOLDER).join("diffs/a"), "beside");
        let without = text(&disk, "diffs/a");
        let mut archive = begun(&disk, &[]);
        archive.add("diffs/b", b"in it").unwrap();
        assert_eq!(without, text(&disk, "diffs/a"));
        archive.add("diffs/a", b"in it").unwrap();
        assert_eq!(text(&disk, "diffs/a").as_deref(), Some("in it"));
        assert_eq!(text(&disk, ARCHIVE).unwrap().lines().count(), 2);
    }
}
