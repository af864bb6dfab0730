//! Tests as testers see them: names and values, step by step, and a time for each step where the model has time.

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

/// The allowed outputs of a step, every output in declaration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedValues {
    /// Pairwise different, in the order of their domains; the test's own is one of them.
    pub outputs: Vec<Vec<(String, Value)>>,
    /// Whether these are all.
    pub complete: bool,
}

/// When the model may make outputs, in the wait before a step of a timed test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// The outputs.
    pub outputs: Vec<(String, Value)>,
    /// From when on, since the start.
    pub from: Time,
    /// Whether they may not come at that moment itself.
    pub after: bool,
    /// Until when.
    pub to: Time,
    /// Whether they may not come at that moment itself.
    pub before: bool,
}

/// One step of a test, inputs and outputs in declaration order. Of an untimed model every step has every input and every output;
/// of a timed one those that happen at its moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// When it happens, since the start; `None` if the model has no time. Never before the step before.
    pub at: Option<Time>,
    /// What the tester sets. In a controllable test also the choices that can matter, as `nd:NAME`.
    pub inputs: Vec<(String, Value)>,
    /// What the model answers.
    pub outputs: Vec<(String, Value)>,
    /// What it may answer without failing, in local and global tests.
    pub allowed: Option<AllowedValues>,
    /// What the model may do since the step before, in timed tests that say so.
    pub windows: Option<Vec<Window>>,
    /// What one run of the mutant answers; `None` in suites, whose tests may kill many mutants.
    pub mutant_outputs: Option<Vec<(String, Value)>>,
}

/// For each step of a test the time since the step before, the first since the start; `None` for steps without time, or before the
/// one before.
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
