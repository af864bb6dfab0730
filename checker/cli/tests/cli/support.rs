//! Shared parts of the tests: models, and functions that run commands in process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill::files::Disk;
use hyperkill::{ExitCode, Io};
use serde_json::Value;
use tempfile::TempDir;

/// A deterministic lock that opens after three right digits. It has killable, equivalent, duplicate and invalid mutants.
pub(crate) const LOCK: &str = "\
MODULE main
DEFINE
  last := 3;
VAR
  key : {none, good, bad};   -- @input
  right : 0..3;
  open : boolean;
ASSIGN
  init(right) := 0;
  next(right) := case
    key = bad : 0;
    key = good & right < last : right + 1;
    TRUE : right;
  esac;
  init(open) := FALSE;
  next(open) := right = last | open & key != bad;
";

/// A counter whose overflow is beyond the patience of a test; its other mutants die at once.
pub(crate) const SLOW: &str = "\
MODULE main
VAR
  go : boolean;   -- @input
  level : 0..4000000;
  light : {off, blink, on};
ASSIGN
  init(level) := 0;
  next(level) := case
    go & level < 4000000 : level + 1;
    TRUE : level;
  esac;
  init(light) := off;
  next(light) := case
    level >= 3999990 : on;
    go : blink;
    TRUE : off;
  esac;
";

/// The beverage machine of \[3, Fig. 1a\], with two units of water.
pub(crate) const DRINKS: &str = "\
MODULE main
VAR
  in1 : {eps, req, fill};   -- @input
  out : {eps, coff, tea};   -- @output
  wtr : 0..2;
ASSIGN
  init(out) := eps;
  next(out) := case
    in1 = req & wtr > 0 : {coff, tea};
    TRUE : eps;
  esac;
  init(wtr) := 2;
  next(wtr) := case
    in1 = req & wtr > 0 : wtr - 1;
    in1 = fill & wtr = 0 : 2;
    TRUE : wtr;
  esac;
";

/// A toggle with two killable mutants (`flip`, `stuck`), an equivalent one (`same`) and one that a choice may hide (`maybe`).
pub(crate) const TOGGLE: &str = "\
aag 18 2 5 2 11
2
4
6 22 0
8 8 8
10 10 10
12 12 12
14 14 14
33
36
16 6 3
18 7 2
20 17 19
22 21 11
24 6 9
26 7 8
28 25 27
30 14 4
32 28 31
34 12 2
36 34 3
i0 press
i1 nd:mood
l0 state
l1 mut:flip
l2 mut:stuck
l3 mut:same
l4 mut:maybe
o0 lamp
o1 never
";

/// A temporary folder with one model.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// Returns a folder with this file.
    pub(crate) fn with(name: &str, text: impl AsRef<[u8]>) -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        Place { folder }
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same path as an argument.
    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// A JSON document in the folder.
    pub(crate) fn json(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.path(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

/// The result of a command.
pub(crate) struct Ran {
    pub(crate) code: ExitCode,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl fmt::Debug for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{}\n{}", self.code, self.text(), self.stderr)
    }
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails unless the command ended with this status.
    pub(crate) fn expect(self, code: ExitCode) -> Ran {
        assert_eq!(self.code, code, "{}\n{}", self.text(), self.stderr);
        self
    }
}

/// Runs a command in process.
pub(crate) fn hyperkill<S: AsRef<str>>(args: impl IntoIterator<Item = S>) -> Ran {
    hyperkill_with(args, "")
}

/// Runs a command in process with a standard input.
pub(crate) fn hyperkill_with<S: AsRef<str>>(
    args: impl IntoIterator<Item = S>,
    stdin: impl Into<Vec<u8>>,
) -> Ran {
    hyperkill_on(Disk::default(), args, stdin)
}

/// Runs a command in process on a disk that may be full.
pub(crate) fn hyperkill_on<S: AsRef<str>>(
    disk: Disk,
    args: impl IntoIterator<Item = S>,
    stdin: impl Into<Vec<u8>>,
) -> Ran {
    let args = args.into_iter().map(|arg| OsString::from(arg.as_ref()));
    let (mut io, captured) = Io::captured(stdin);
    io.disk = disk;
    let code = hyperkill::main(
        [OsString::from("hyperkill")].into_iter().chain(args),
        &mut io,
    );
    Ran {
        code,
        stdout: captured.stdout.bytes(),
        stderr: captured.stderr.text(),
    }
}

/// All files below a folder, by relative path.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Mutant and verdict of every result of a document.
pub(crate) fn verdicts(document: &Value) -> BTreeMap<String, String> {
    let results = document["results"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    results
        .iter()
        .map(|result| (word(&result["mutant"]), word(&result["verdict"])))
        .collect()
}
