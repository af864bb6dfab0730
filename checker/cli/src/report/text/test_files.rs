//! What a test is in a file of its own for people.

use super::results::plural;
use super::{Style, test_table};
use crate::documents::SuiteTest;
use crate::terminal::harmless;

/// A test for people.
pub(crate) fn readable(test: &SuiteTest) -> String {
    let kills = test
        .kills
        .iter()
        .map(|kill| format!("{} ({})", kill.mutant, kill.strength.word()));
    let text = format!(
        "test {}, {}, {}, kills {}:\n  {}\n\n{}",
        test.id,
        test.kind,
        plural(test.steps.len(), "step"),
        plural(test.kills.len(), "mutant"),
        kills.collect::<Vec<_>>().join("\n  "),
        test_table::test(
            &test.initial,
            &test.steps,
            test.machine.as_ref(),
            Style::new(false)
        )
    );
    harmless(&text)
}
