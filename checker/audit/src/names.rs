//! The names of the files of a run, and the digests of contents.

use std::path::{Component, Path};

use sha2::{Digest, Sha256};

/// The length up to which a name made from an id is kept unchanged, in bytes. With all endings it fits every file system.
const LONGEST: usize = 150;
/// The number of bytes that are kept of a longer name, for readers; a hash follows.
const KEPT: usize = 80;

/// The file with the mutants of the model. It is written first.
pub const MUTANTS: &str = "mutants.json";
/// The file with the question of the run: its options and hashes.
pub const ASKED: &str = "asked.json";
/// The file with tests of the run before the edit, for a run of an edited model.
pub const EARLIER: &str = "earlier.json";
/// The folder with copies of the files of the model.
pub const SOURCES: &str = "sources";
/// The journal, a file with one line per decided mutant.
pub const JOURNAL: &str = "journal.jsonl";
/// The file with the small files of a run of very many mutants, one per line.
pub const ARCHIVE: &str = "archive.jsonl";
/// The file with the findings of rounds about mutants without a verdict, for a run that has not ended.
pub const JOBS: &str = "jobs.jsonl";
/// The file with the verdicts on all mutants and the names of their certificates.
pub const OUTCOMES: &str = "outcomes.json";
/// The file with answers to a formula; a folder with it has none of the documents above.
pub const ANSWERS: &str = "answers.json";
/// The file with the strategy that shows an answer to a formula, as a circuit.
pub const STRATEGY: &str = "strategy.aag";
/// The file with the suite of tests.
pub const SUITE: &str = "suite.json";
/// The file with the times of a run: the data that differs between runs of the same question.
pub const TIMINGS: &str = "timings.json";
/// The file with the results as a web page. It has no evidence.
pub const REPORT: &str = "report.html";
/// The file with the messages of the run.
pub const LOG: &str = "log.txt";
/// The file that names the process that writes the folder.
pub const LOCK: &str = "lock.json";
/// The folder with the diffs of sources, one file per mutant.
pub const DIFFS: &str = "diffs";
/// The folder with the tests, one file each or more.
pub const TESTS: &str = "tests";
/// The folder with the evidence, which can be checked again.
pub const CERTIFICATES: &str = "certificates";
/// The certificate of the determinism of the model. No file name of an id contains a plus sign.
pub const OF_ORIGINAL: &str = "original+determinism.json";
/// The certificate of the list of mutants that are models.
pub const OF_MUTANTS: &str = "all+validity.json";
/// The certificate that the suite is complete for a domain of faults.
pub const OF_DOMAIN: &str = "domain+complete.json";
/// The prefix of the file names of certificates about several mutants.
pub const FAMILY: &str = "family+";
/// The file with the digests of the files of a finished run.
pub const DIGESTS: &str = "digests.json";

/// Returns the name of a mutant's or test's file with this extension. The id may contain all characters.
#[must_use]
pub fn file_name(id: &str, extension: &str) -> String {
    format!("{}.{extension}", escaped(id))
}

/// Returns an id as part of a file name, with letters, digits and `-_.` only. Every other byte becomes `%` with two digits, so different
/// ids give different names. A long name is cut and ends with `%h` and its hash.
#[must_use]
pub fn escaped(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    if name.starts_with('.') {
        name.replace_range(..1, "%2e");
    }
    if name.len() > LONGEST {
        let hash = digest(Sha256::new_with_prefix(id));
        name.truncate(KEPT);
        name.push_str("%h");
        name.push_str(hash.trim_start_matches("sha256:"));
    }
    name
}

/// Whether a name leads to a place in the folder of its run: it is relative and has no `..`. Names in documents may come from a stranger.
#[must_use]
pub fn stays_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns a SHA-256 digest in the spelling of documents: `sha256:` and hexadecimal digits.
#[must_use]
pub fn digest(hash: Sha256) -> String {
    let digits = hash.finalize();
    let digits = digits.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn any_id_has_a_file_name_of_its_own() {
        assert_eq!(file_name("m-01ab", "diff"), "m-01ab.diff");
        assert_eq!(file_name("../a b", "diff"), "%2e.%2fa%20b.diff");
        assert_ne!(file_name("a/b", "x"), file_name("a_b", "x"));
    }

    #[test]
    fn a_name_that_leads_out_of_its_folder_is_recognised() {
        for name in [
            "suite.json",
            "certificates/m-1.json",
            "tests/..json",
            "a/b/c",
        ] {
            assert!(stays_inside(name), "{name}");
        }
        for name in [
            "",
            "..",
            "../a",
            "a/../../b",
            "certificates/../../b",
            "/a",
            "./a",
            "a/..",
        ] {
            assert!(!stays_inside(name), "{name}");
        }
    }

    #[test]
    fn names_of_ids_of_any_length_are_short_and_different() {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for letter in ["a", "%", "é", "\u{1b}", "."] {
            for length in 1..400 {
                for end in ["", "x", "y"] {
                    let id = letter.repeat(length) + end;
                    let name = escaped(&id);
                    assert!(name.len() <= LONGEST, "{name}");
                    let before = seen.insert(name, id.clone());
                    assert!(before.is_none_or(|before| before == id), "{id}");
                }
            }
        }
        // The name of a long id is not the name of any short id.
        let long = escaped(&"z".repeat(300));
        assert_ne!(escaped(&long), long);
    }
}
