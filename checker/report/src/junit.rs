//! A run as JUnit has it: a case for each mutant that counts or was left out.

use std::fmt::Write;

use crate::Findings;
use crate::escape::markup;
use crate::standing::Status;

/// A test suite with a case for each mutant: survivors are failures, undecided ones errors, and what needs no test is skipped.
#[must_use]
pub fn junit(findings: &Findings<'_>) -> String {
    let mutants = findings.mutants();
    let count = |statuses: &[Status]| {
        let standing = mutants.iter().map(|(_, _, standing)| standing.status);
        standing.filter(|status| statuses.contains(status)).count()
    };
    let name = markup(&findings.table.model.name);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuites>\n  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        mutants.len(),
        count(&[Status::Survived]),
        count(&[Status::Pending]),
        count(&[Status::Ignored, Status::CompileError])
    );
    for (mutant, _, standing) in &mutants {
        let operator = mutant.operator.as_deref().unwrap_or("mutant");
        let mut title = mutant.id.clone();
        if let Some(place) = &mutant.place {
            let _ = write!(title, " {}:{}:{}", place.file, place.line, place.column);
        }
        let _ = write!(
            text,
            "    <testcase classname=\"{name} {}\" name=\"{}\"",
            markup(operator),
            markup(&title)
        );
        let tag = match standing.status {
            Status::Killed => {
                text.push_str("/>\n");
                continue;
            }
            Status::Survived => "failure",
            Status::Pending => "error",
            Status::Ignored | Status::CompileError => "skipped",
        };
        let _ = writeln!(
            text,
            ">\n      <{tag} message=\"{}\">{}</{tag}>\n    </testcase>",
            markup(&standing.reason),
            markup(&crate::annotations::change(mutant))
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
