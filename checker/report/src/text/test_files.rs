//! Readable files of single tests.

use hyperkill_core::events::EventPort;

use super::{Style, test_table};
use hyperkill_audit::counted;
use hyperkill_audit::documents::SuiteTest;
use hyperkill_audit::terminal::harmless;

/// Returns a test as text for people; `events` are the model's events, which are shown in place of their ports.
#[must_use]
pub fn readable(events: &[EventPort], test: &SuiteTest) -> String {
    let kills = test
        .kills
        .iter()
        .map(|kill| format!("{} ({})", kill.mutant, kill.strength.word()));
    let text = format!(
        "test {}, {}, {}, kills {}:\n  {}\n\n{}",
        test.id,
        test.kind,
        counted(test.steps.len(), "step"),
        counted(test.kills.len(), "mutant"),
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
