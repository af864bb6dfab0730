//! What a test is in files of its own: a text for people, and a stimulus for programs.

use hyperkill_core::aiger::stimulus::write_stimulus;

use super::results::plural;
use super::{Style, test_table};
use crate::documents::SuiteTest;
use crate::terminal::harmless;

/// A run's inputs as an AIGER stimulus.
pub(crate) fn stimulus(steps: &[Vec<bool>]) -> String {
    let vectors: Vec<Vec<Option<bool>>> = steps
        .iter()
        .map(|step| step.iter().copied().map(Some).collect())
        .collect();
    write_stimulus(&vectors)
}

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
