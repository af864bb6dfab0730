//! Results of single runs of tests.

use hyperkill_audit::documents::{ExecVerdict, ExecutedRun, SeenStep, Valuation};
use hyperkill_checker::testgen::running::{Ending, Values, Verdict, Why};
use hyperkill_core::budget::Stop;

use crate::adapter::Broken;

/// Reason of a run without a verdict because an input was given too late.
pub(crate) const LATE: &str = "late";

/// Result of a run in which the program kept to the protocol.
pub struct Closing {
    /// Verdict of the run.
    pub verdict: Verdict,
    /// Last step of the run, from 0.
    pub step: usize,
    /// Reason of the verdict as one word.
    pub reason: &'static str,
    /// Reason of the verdict as a sentence.
    pub message: String,
    /// Outputs that the model allows in place of the last observed ones, for the report.
    pub instead: Vec<Values>,
}

impl Closing {
    /// Returns the result of run number `run` as a document. The `seen` steps are left out if the run passes.
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
    /// Returns the result of run number `run`, which broke, as a document with the steps `seen` before. It is an error, or inconclusive if
    /// an input came too late.
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

/// Reason of a run without a verdict because the outputs that the model allows are not known.
pub(crate) const OPEN: &str = "open";

/// Returns why a test ended, as one word for documents and as a sentence.
fn said(why: Why) -> (&'static str, String) {
    let (reason, message) = match why {
        Why::AsExpected => ("as-expected", "the outputs are the expected ones"),
        Why::Allowed(step) => {
            let text = format!(
                "all outputs are allowed; from step {step} on they differ from the expected ones"
            );
            return ("allowed", text);
        }
        Why::ToldApart => (
            "told-apart",
            "all outputs are allowed, and no mutant of the test can give them",
        ),
        Why::NotExpected => (
            "not-expected",
            "the outputs differ from the expected ones; a linear test does not ask whether the model allows them",
        ),
        Why::NotAllowed => (
            "not-allowed",
            "the model does not allow these outputs after the earlier steps",
        ),
        Why::Other => (
            "other-allowed",
            "the outputs are allowed, but differ from the expected ones, and the test ends here",
        ),
        Why::Refused => (
            "refused",
            "no run of the model with the observed outputs accepts the next input",
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
