//! A test as a front end gets it, to write it out in the words of its language.

use hyperkill_core::sort::Value;

/// One step of a test: names and values of inputs and outputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplayStep {
    /// What the tester gives.
    pub inputs: Vec<(String, Value)>,
    /// What must be seen.
    pub outputs: Vec<(String, Value)>,
}
