//! What a test is in a file of its own for people.

use hyperkill_core::events::EventPort;

use super::results::plural;
use super::{Style, test_table};
use crate::documents::SuiteTest;
use crate::terminal::harmless;

/// A test for people, where ports are read as these events.
pub(crate) fn readable(events: &[EventPort], test: &SuiteTest) -> String {
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
            events,
            Style::new(false)
        )
    );
    harmless(&text)
}
