//! Tests with names and values, step by step, and a time for each step if the model has time.

use std::fmt;

use crate::sort::Value;
use crate::time::Time;

/// Kinds of tests (semantics.md §4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum TestKind {
    /// Inputs and outputs, step by step \[3, Def. 1\].
    #[default]
    Linear,
    /// With the locally allowed outputs \[3, Def. 2\].
    Local,
    /// With the globally allowed outputs.
    Global,
    /// A strategy: the next input may depend on the outputs seen.
    Tree,
}

impl fmt::Display for TestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TestKind::Linear => "linear",
            TestKind::Local => "local",
            TestKind::Global => "global",
            TestKind::Tree => "tree",
        })
    }
}

/// The allowed outputs of a step, each with every output in declaration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedValues {
    /// Pairwise different outputs, in the order of their domains. The test's own are among them.
    pub outputs: Vec<Vec<(String, Value)>>,
    /// Whether the list is complete.
    pub complete: bool,
}

/// A window of time in which the model may make outputs, before a step of a timed test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The outputs.
    pub outputs: Vec<(String, Value)>,
    /// The beginning of the window, since the start.
    pub from: Time,
    /// Whether the beginning is excluded.
    pub after: bool,
    /// The end of the window, since the start.
    pub to: Time,
    /// Whether the end is excluded.
    pub before: bool,
}

/// One step of a test, inputs and outputs in declaration order. In an untimed model every step has every input and every output. In a timed
/// model it has the inputs and outputs that occur at its moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// The time of the step, since the start; `None` if the model has no time. Never earlier than the previous step.
    pub at: Option<Time>,
    /// The inputs that the tester sets. In a controllable test also the choices that can matter, as `nd:NAME`.
    pub inputs: Vec<(String, Value)>,
    /// The outputs of the model.
    pub outputs: Vec<(String, Value)>,
    /// The outputs that do not fail the test, in local and global tests.
    pub allowed: Option<AllowedValues>,
    /// The outputs that the model may make since the previous step, in timed tests with windows.
    pub windows: Option<Vec<Window>>,
    /// The outputs of one run of the mutant; `None` in suites, whose tests may kill many mutants.
    pub mutant_outputs: Option<Vec<(String, Value)>>,
}

/// Returns for each step the time since the previous step, or since the start for the first. `None` for steps without time, or earlier than
/// the previous one.
#[must_use]
pub fn delays(steps: &[Step]) -> Vec<Option<Time>> {
    let mut before = Time::ZERO;
    let delays = steps.iter().map(|step| {
        let at = step.at?;
        let delay = at.since(before);
        before = at;
        delay
    });
    delays.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_the_time_since_the_step_before() {
        let steps = ["1/2", "1/2", "3"].map(|at| Step {
            at: Some(at.parse().unwrap()),
            ..Step::default()
        });
        let spelled = delays(&steps).into_iter().map(|delay| delay.unwrap());
        let spelled: Vec<String> = spelled.map(|delay| delay.to_string()).collect();
        assert_eq!(spelled, ["1/2", "0", "5/2"]);
        assert_eq!(delays(&[Step::default()]), [None]);
    }
}
