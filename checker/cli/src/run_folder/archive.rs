//! The archive of a run: its small files in one file, a line for each.
//!
//! A run of very many mutants would write tens of thousands of files. Documents name the files as if they were there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, anyhow};
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::{ARCHIVE, CERTIFICATES, DIFFS, TESTS, digest};
use crate::documents::{self, ArchivedFile};
use crate::files::Disk;

/// Folders whose files are lines of an archive.
const FOLDERS: [&str; 3] = [DIFFS, TESTS, CERTIFICATES];

/// Whether a file is a line of the archive, if the run has one.
pub(super) fn takes(name: &str) -> bool {
    let folder = name.split_once('/').map(|(folder, _)| folder);
    folder.is_some_and(|folder| FOLDERS.contains(&folder))
}

/// The archive of a run that goes on.
#[derive(Debug)]
pub(super) struct Archive {
    path: PathBuf,
    file: File,
    /// Bytes of it that are whole lines.
    length: u64,
    digest: Sha256,
}

impl Archive {
    /// Begins the archive of a folder anew, whole or not at all. Files that are lines of the one before and are named in `digests` are kept
    /// and taken out there.
    ///
    /// # Errors
    /// If the file system refuses; the archive before is then as it was.
    pub(super) fn begin(
        disk: &Disk,
        folder: &Path,
        digests: &RefCell<BTreeMap<String, String>>,
    ) -> anyhow::Result<Archive> {
        let path = folder.join(ARCHIVE);
        let before = Stored::of(folder);
        let mut kept = Vec::new();
        digests.borrow_mut().retain(|name, _| {
            let line = before.line(name);
            let is_kept_here = line.is_none();
            kept.extend(line.unwrap_or_default());
            is_kept_here
        });
        disk.write(&path, &kept)?;
        let file = OpenOptions::new().append(true).open(&path);
        Ok(Archive {
            file: file.with_context(|| format!("{} cannot be opened", path.display()))?,
            length: kept.len() as u64,
            digest: Sha256::new_with_prefix(&kept),
            path,
        })
    }

    /// Adds a file. It is not waited for: after a crash of the machine mutants without their evidence are decided again.
    ///
    /// # Errors
    /// If it is no text, or the file system refuses; the archive is then as it was.
    pub(super) fn add(&mut self, disk: &Disk, name: &str, contents: &[u8]) -> anyhow::Result<()> {
        let text = std::str::from_utf8(contents).with_context(|| format!("{name} is no text"))?;
        let line = documents::to_line(&ArchivedFile {
            file: name.to_owned(),
            text: text.to_owned(),
        })?;
        if let Err(error) = disk.append(&self.file, line.as_bytes()) {
            // Nothing half-written stays behind.
            let _ = self.file.set_len(self.length);
            return Err(anyhow!(error).context(self.cannot_be_written()));
        }
        self.length += line.len() as u64;
        self.digest.update(line.as_bytes());
        Ok(())
    }

    /// Waits until the archive is on the disk. Returns its digest.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn settled(&self) -> anyhow::Result<String> {
        let synced = self.file.sync_data();
        synced.with_context(|| self.cannot_be_written())?;
        Ok(digest(self.digest.clone()))
    }

    fn cannot_be_written(&self) -> String {
        format!("{} cannot be written", self.path.display())
    }
}

/// The files of the folder of a run, in its archive or beside it.
#[derive(Debug)]
pub(crate) struct Stored {
    folder: PathBuf,
    /// Read with the first file that may be in it.
    archive: OnceLock<Option<Index>>,
}

/// Where the files of an archive are.
#[derive(Debug)]
struct Index {
    archive: Mutex<File>,
    /// First byte and length of the last line of each name.
    places: BTreeMap<String, (u64, usize)>,
}

impl Stored {
    /// The files of this folder.
    pub(crate) fn of(folder: &Path) -> Stored {
        Stored {
            folder: folder.to_owned(),
            archive: OnceLock::new(),
        }
    }

    /// What a file holds. Names have `/` between their parts.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let Some(line) = self.line(name) else {
            return fs::read(self.folder.join(name));
        };
        let archived: ArchivedFile = serde_json::from_slice(&line)?;
        Ok(archived.text.into_bytes())
    }

    /// Whether there is such a file.
    pub(crate) fn has(&self, name: &str) -> bool {
        let index = self.index(name);
        let archived = index.is_some_and(|index| index.places.contains_key(name));
        archived || self.folder.join(name).is_file()
    }

    /// What a file holds, and its digest.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn kept(&self, name: &str) -> anyhow::Result<(Vec<u8>, String)> {
        let place = self.folder.join(name);
        let bytes = self.read(name);
        let bytes = bytes.with_context(|| format!("{} cannot be read", place.display()))?;
        let digest = digest(Sha256::new_with_prefix(&bytes));
        Ok((bytes, digest))
    }

    /// The names of all files in the archive.
    pub(crate) fn archived(&self) -> impl Iterator<Item = &String> {
        // Any name in a folder that has lines.
        let index = self.index(&format!("{CERTIFICATES}/"));
        index.into_iter().flat_map(|index| index.places.keys())
    }

    /// The line of a file in the archive.
    fn line(&self, name: &str) -> Option<Vec<u8>> {
        let index = self.index(name)?;
        let (start, length) = *index.places.get(name)?;
        let mut archive = index.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = vec![0; length];
        archive.seek(SeekFrom::Start(start)).ok()?;
        archive.read_exact(&mut line).ok()?;
        Some(line)
    }

    /// The archive, if there is one that may have a file of this name.
    fn index(&self, name: &str) -> Option<&Index> {
        let read = || Index::of(&self.folder.join(ARCHIVE)).ok();
        match takes(name) {
            true => self.archive.get_or_init(read).as_ref(),
            false => None,
        }
    }
}

impl Index {
    fn of(path: &Path) -> io::Result<Index> {
        #[derive(Deserialize)]
        struct Named {
            file: String,
            #[serde(rename = "text")]
            _text: IgnoredAny,
        }
        if !path.is_file() {
            return Err(ErrorKind::NotFound.into());
        }
        let mut reader = BufReader::new(File::open(path)?);
        let mut places = BTreeMap::new();
        let (mut start, mut line) = (0, Vec::new());
        while reader.read_until(b'\n', &mut line)? > 0 {
            // A line that is cut off is no line.
            let named = serde_json::from_slice(&line).ok();
            if let Some(Named { file, .. }) = named.filter(|_| line.ends_with(b"\n")) {
                places.insert(file, (start, line.len()));
            }
            start += line.len() as u64;
            line.clear();
        }
        Ok(Index {
            archive: Mutex::new(reader.into_inner()),
            places,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(folder: &Path, kept: &[&str]) -> Archive {
        let names = kept.iter().map(|name| ((*name).to_owned(), String::new()));
        let digests = RefCell::new(names.collect());
        let archive = Archive::begin(&Disk::default(), folder, &digests).unwrap();
        assert!(digests.borrow().keys().all(|name| !takes(name)));
        archive
    }

    fn text(folder: &Path, name: &str) -> Option<String> {
        let bytes = Stored::of(folder).read(name).ok()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn of_two_lines_with_one_name_the_last_counts_and_a_line_that_is_cut_off_is_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let mut archive = begun(folder, &[]);
        let disk = Disk::default();
        for (name, text) in [
            ("diffs/a", "1\n"),
            ("diffs/b", "\u{202e}é\n"),
            ("diffs/a", "2"),
        ] {
            archive.add(&disk, name, text.as_bytes()).unwrap();
        }
        assert_eq!(text(folder, "diffs/a").as_deref(), Some("2"));
        assert_eq!(text(folder, "diffs/b").as_deref(), Some("\u{202e}é\n"));
        assert!(!Stored::of(folder).has("tests/a"));
        let whole = fs::read(folder.join(ARCHIVE)).unwrap();
        assert_eq!(
            archive.settled().unwrap(),
            digest(Sha256::new_with_prefix(&whole))
        );
        // Every byte that may be the last one to get to the disk.
        let last = whole.len() - 1;
        let before = whole[..last]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .unwrap()
            + 1;
        for cut in before..=last {
            fs::write(folder.join(ARCHIVE), &whole[..cut]).unwrap();
            assert_eq!(text(folder, "diffs/a").as_deref(), Some("1\n"), "{cut}");
        }
    }

    #[test]
    fn an_archive_that_begins_anew_has_what_is_kept_and_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let mut archive = begun(folder, &[]);
        for name in ["certificates/a.json", "certificates/b.json"] {
            archive.add(&Disk::default(), name, b"before").unwrap();
        }
        let torn = [fs::read(folder.join(ARCHIVE)).unwrap(), b"{\"fi".to_vec()];
        fs::write(folder.join(ARCHIVE), torn.concat()).unwrap();
        let mut archive = begun(folder, &["certificates/b.json"]);
        let again = archive.add(&Disk::default(), "certificates/c.json", b"again");
        again.unwrap();
        let stored = Stored::of(folder);
        let names: Vec<&String> = stored.archived().collect();
        assert_eq!(names, ["certificates/b.json", "certificates/c.json"]);
        assert_eq!(stored.kept("certificates/b.json").unwrap().0, b"before");
        let whole = fs::read(folder.join(ARCHIVE)).unwrap();
        assert_eq!(
            archive.settled().unwrap(),
            digest(Sha256::new_with_prefix(&whole))
        );
    }

    #[test]
    fn a_full_disk_leaves_whole_lines() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let mut archive = begun(folder, &[]);
        archive.add(&Disk::default(), "tests/a", b"1").unwrap();
        let before = fs::read(folder.join(ARCHIVE)).unwrap();
        let full = Disk::with_room_for(0);
        let error = archive.add(&full, "tests/b", b"2").unwrap_err();
        assert!(format!("{error:#}").contains(ARCHIVE), "{error:#}");
        assert_eq!(fs::read(folder.join(ARCHIVE)).unwrap(), before);
        // Nor does an archive that cannot begin anew cost the one before.
        let kept = RefCell::default();
        assert!(Archive::begin(&Disk::with_room_for(0), folder, &kept).is_err());
        assert_eq!(fs::read(folder.join(ARCHIVE)).unwrap(), before);
        archive.add(&Disk::default(), "tests/c", b"3").unwrap();
        assert_eq!(text(folder, "tests/c").as_deref(), Some("3"));
    }

    #[test]
    fn files_that_are_no_lines_are_read_from_the_folder() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join(DIFFS)).unwrap();
        fs::write(place.path().join("diffs/a"), "beside").unwrap();
        let without = text(place.path(), "diffs/a");
        let mut archive = begun(place.path(), &[]);
        archive.add(&Disk::default(), "diffs/b", b"in it").unwrap();
        assert_eq!(without, text(place.path(), "diffs/a"));
        archive.add(&Disk::default(), "diffs/a", b"in it").unwrap();
        assert_eq!(text(place.path(), "diffs/a").as_deref(), Some("in it"));
        assert_eq!(text(place.path(), ARCHIVE).unwrap().lines().count(), 2);
    }
}
