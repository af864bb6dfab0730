//! What the files of a run are called, and what tells one content from another.

use sha2::{Digest, Sha256};

/// Longest name that is kept as it is; with all endings it is one that every file system takes.
const LONGEST: usize = 150;
/// So much of a longer name is kept for its readers.
const KEPT: usize = 80;

/// The model's mutants, written first.
pub const MUTANTS: &str = "mutants.json";
/// What the run was asked to do.
pub const ASKED: &str = "asked.json";
/// Of a run of an edited model: tests of the run before the edit.
pub const EARLIER: &str = "earlier.json";
/// Copies of the files of the model.
pub const SOURCES: &str = "sources";
/// One line per decided mutant.
pub const JOURNAL: &str = "journal.jsonl";
/// Of a run of very many mutants: its small files, a line for each.
pub const ARCHIVE: &str = "archive.jsonl";
/// Of a run that has not ended: what rounds found out about mutants without a verdict.
pub const JOBS: &str = "jobs.jsonl";
/// The verdicts on all mutants, with the names of their certificates.
pub const OUTCOMES: &str = "outcomes.json";
/// Answers to a formula; such a folder has none of the documents above.
pub const ANSWERS: &str = "answers.json";
/// The strategy that an answer to a formula rests on, as a circuit.
pub const STRATEGY: &str = "strategy.aag";
/// The suite of tests.
pub const SUITE: &str = "suite.json";
/// What is different from run to run.
pub const TIMINGS: &str = "timings.json";
/// What was found, as a page. No evidence is kept of it.
pub const REPORT: &str = "report.html";
/// What was said on the way.
pub const LOG: &str = "log.txt";
/// Who writes the folder.
pub const LOCK: &str = "lock.json";
/// Source differences, one file per mutant.
pub const DIFFS: &str = "diffs";
/// Tests one by one.
pub const TESTS: &str = "tests";
/// Evidence, to be checked again.
pub const CERTIFICATES: &str = "certificates";
/// What shows whether the model is deterministic. No id has a plus sign in its file name.
pub const OF_ORIGINAL: &str = "original+determinism.json";
/// What shows which mutants are models.
pub const OF_MUTANTS: &str = "all+validity.json";
/// What shows that the suite is complete for a domain of faults.
pub const OF_DOMAIN: &str = "domain+complete.json";
/// How the names of families' certificates begin.
pub const FAMILY: &str = "family+";
/// What the files of a finished run are.
pub const DIGESTS: &str = "digests.json";

/// A file name for a mutant, whatever characters its id has.
#[must_use]
pub fn file_name(id: &str, extension: &str) -> String {
    format!("{}.{extension}", escaped(id))
}

/// An id with letters, digits and `-_.` only, and `%` with two digits for everything else; different for different ids. A long
/// one is cut and ends with `%h` and its hash.
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

/// A SHA-256 digest in documents.
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
        // What a long id is called is no name of a short one.
        let long = escaped(&"z".repeat(300));
        assert_ne!(escaped(&long), long);
    }
}
