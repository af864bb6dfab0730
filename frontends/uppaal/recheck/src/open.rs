//! Tests of an open environment, read as traces.

use hyperkill_core::time::Time;
use hyperkill_core::timed::Action;
use hyperkill_timed_certify::replay::{Ending, Trace};
use serde::Deserialize;

/// A test that kills a mutant in an open environment (certificates.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenText {
    pub(crate) strength: String,
    events: Vec<(Time, String, bool)>,
    at: Time,
    fails: String,
    by: Option<String>,
}

impl OpenText {
    /// Returns the trace of the test.
    ///
    /// # Errors
    /// If the document does not state how the mutant fails, or an event is malformed.
    pub(crate) fn trace(&self) -> Result<Trace, String> {
        let ending = match (self.fails.as_str(), self.by.clone()) {
            ("refused", Some(name)) => Ending::Refused(name),
            ("accepted", Some(name)) => Ending::Accepted(name),
            ("output", Some(name)) => Ending::Output(name),
            ("silence", None) => Ending::Silence,
            _ => {
                return Err("the test of an open environment lacks the mutant's failure".to_owned());
            }
        };
        let events = self.events.iter().map(|(at, name, is_input)| {
            let action = Action {
                name: name.clone(),
                is_input: *is_input,
            };
            (*at, action)
        });
        Ok(Trace {
            events: events.collect(),
            at: self.at,
            ending,
        })
    }
}
