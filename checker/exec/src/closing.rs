//! Ends of runs of tests.

use hyperkill_audit::documents::{ExecVerdict, ExecutedRun, SeenStep, Valuation};
use hyperkill_checker::testgen::running::{Ending, Values, Verdict, Why};
use hyperkill_core::budget::Stop;

use crate::adapter::Broken;

/// The reason of a run in which an input came too late: it has no verdict.
pub(crate) const LATE: &str = "late";

/// The end of a run in which the program answered as agreed.
pub struct Closing {
    /// What the run shows.
    pub verdict: Verdict,
    /// The step of the test, from 0.
    pub step: usize,
    /// Why, in a word.
    pub reason: &'static str,
    /// Why, in a sentence.
    pub message: String,
    /// Outputs that are allowed in place of the last ones, for the report.
    pub instead: Vec<Values>,
}

impl Closing {
    /// The run with this number and these steps. A run that passes has no steps to show.
    pub(crate) fn executed(self, run: usize, seen: Vec<SeenStep>) -> ExecutedRun {
        let verdict = match self.verdict {
            Verdict::Pass => ExecVerdict::Pass,
            Verdict::Fail => ExecVerdict::Fail,
            Verdict::Inconclusive => ExecVerdict::Inconclusive,
        };
        ExecutedRun {
            run,
            verdict,
            reason: self.reason.to_owned(),
            step: self.step,
            message: self.message,
            seen: match verdict {
                ExecVerdict::Pass => Vec::new(),
                _ => seen,
            },
            instead: self.instead.into_iter().map(Valuation).collect(),
        }
    }
}

impl Broken {
    /// The run with this number, which ended after these steps.
    pub(crate) fn executed(self, run: usize, seen: Vec<SeenStep>) -> ExecutedRun {
        ExecutedRun {
            run,
            verdict: match self.reason {
                LATE => ExecVerdict::Inconclusive,
                _ => ExecVerdict::Error,
            },
            reason: self.reason.to_owned(),
            step: seen.len().saturating_sub(1),
            message: self.message,
            seen,
            instead: Vec::new(),
        }
    }
}

impl From<Ending> for Closing {
    fn from(ending: Ending) -> Closing {
        let (reason, message) = said(ending.why);
        Closing {
            verdict: ending.verdict,
            step: ending.step,
            reason,
            message,
            instead: Vec::new(),
        }
    }
}

/// The reason of a run without a verdict, in which it is open what the model allows.
pub(crate) const OPEN: &str = "open";

/// Why a test ended, in a word and in a sentence.
fn said(why: Why) -> (&'static str, String) {
    let (reason, message) = match why {
        Why::AsExpected => ("as-expected", "the outputs are those of the test"),
        Why::Allowed(step) => {
            let text = format!(
                "all outputs are allowed; from step {step} on they are not those of the test"
            );
            return ("allowed", text);
        }
        Why::ToldApart => (
            "told-apart",
            "all outputs are allowed, and the mutants of the test cannot have given them",
        ),
        Why::NotExpected => (
            "not-expected",
            "not the outputs of the test; it is linear, so that whether the model allows them is not asked",
        ),
        Why::NotAllowed => (
            "not-allowed",
            "the model does not allow these outputs after what was seen before",
        ),
        Why::Other => (
            "other-allowed",
            "allowed, but not the outputs of the test, which ends here",
        ),
        Why::Refused => (
            "refused",
            "no run of the model with what was seen accepts the next input",
        ),
        Why::Open(Stop::Time | Stop::Interrupted) => (
            OPEN,
            "whether the model allows these outputs was not found out in time",
        ),
        Why::Open(_) => (
            OPEN,
            "whether the model allows these outputs was not found out",
        ),
    };
    (reason, message.to_owned())
}
